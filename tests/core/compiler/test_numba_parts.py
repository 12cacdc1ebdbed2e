"""What lies behind the functions of one file stays there."""

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numba import njit, types
from numba.core.codegen import JITCodeLibrary
from numba.extending import intrinsic

import driftwise
from driftwise.core.compiler.compiled import called, inlined
from driftwise.core.compiler.numba_parts import (
    TypingError,
    array_struct,
    call_intrinsic,
    item_of,
    layer_of,
    without_owner,
)

PACKAGE = Path(driftwise.__file__).parent
PUBLIC = {"numba", "numba.extending"}


def imported_by(path: Path) -> Iterator[str]:
    """Yield the modules of Numba and llvmlite that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [str(node.module)]
        yield from (name for name in names if name.split(".")[0] in ("numba", "llvmlite"))


def test_one_file_knows_the_private_parts() -> None:
    """Import-linter sees packages from outside as a whole, so it cannot look at their parts."""
    room = PACKAGE / "core" / "compiler"
    for path in PACKAGE.rglob("*.py"):
        for name in set(imported_by(path)) - PUBLIC:
            allowed = path.parent == room and name == "llvmlite"
            assert allowed or path.name == "numba_parts.py", f"{path.name} imports {name}"
    assert "numba.core" in set(imported_by(room / "numba_parts.py"))


@intrinsic
def parts_of(typing_context, array):  # type: ignore[no-untyped-def]  # the compiler calls it
    inner = array.copy(ndim=1)

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # as above
        index = context.get_constant(types.intp, 1)
        row = layer_of(context, builder, array, arguments[0], index)
        struct = array_struct(context, builder, array, arguments[0])
        item = item_of(context, builder, array, struct, [index, index])
        root = call_intrinsic(builder, "llvm.sqrt.f64", item)
        owned = without_owner(context, builder, array, arguments[0])
        is_free = builder.icmp_unsigned(
            "==", array_struct(context, builder, array, owned).meminfo, struct.meminfo.type(None)
        )
        return context.make_tuple(builder, signature.return_type, [row, item, root, is_free])

    kinds = (inner, array.dtype, array.dtype, types.boolean)
    return types.Tuple(kinds)(array), build


def test_arrays_are_as_numba_makes_them() -> None:
    @njit
    def read(array):  # type: ignore[no-untyped-def]  # as above
        row, item, root, is_free = parts_of(array)
        return row[0], row.size, item, root, is_free

    assert read(np.array([[1.0, 2.0, 3.0], [4.0, 25.0, 6.0]])) == (4.0, 3, 25.0, 5.0, True)


def test_an_error_of_typing_is_told_to_the_caller() -> None:
    assert issubclass(TypingError, Exception)
    with pytest.raises(TypingError, match="nothing_there"):
        njit(lambda array: array.nothing_there)(np.zeros(1))


@inlined
def twice(x: float) -> float:
    return x + x


@called
def four_times(x: float) -> float:
    return twice(twice(x))


def test_machine_code_is_made_of_what_python_calls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule inside a rule inside a rule would be optimised once for each of them."""
    made: list[str] = []
    emit = JITCodeLibrary._finalize_specific

    def noted(library) -> None:  # type: ignore[no-untyped-def]  # numba has no types
        made.append(library.name)
        emit(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", noted)

    @njit
    def run(x):  # type: ignore[no-untyped-def]  # as above
        return four_times(x) + twice(x)

    assert run(1.0) == 6.0
    assert [name.split(".")[-1] for name in made] == ["run"]
