"""`driftwise.extend`: the names that authors of policies and worlds may rely on."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftwise import extend

ROOT = Path(__file__).parents[1]
STUB = ast.parse((ROOT / "src" / "driftwise" / "extend.pyi").read_text("utf-8"))
CODE = [
    *((path.name, path.read_text("utf-8")) for path in sorted((ROOT / "examples").glob("*.py"))),
    *(
        (name, "\n".join(re.findall(r"^(?:>>> )?((?:from|import) .+)$", text, flags=re.M)))
        for name in ("docs/your-own.md", "CONTRIBUTING.md")
        for text in [(ROOT / name).read_text("utf-8")]
    ),
]


@extend.compilable
class Bold(extend.Windowed, extend.Optimistic, extend.WindowSettings):
    """A forgetful policy of somebody else's: an estimator, a rule, and one change."""

    __slots__ = ()

    def strength(self, memory: Any) -> float:
        return 2.0 * float(memory.radius[0])


def test_a_forgetful_policy_takes_ten_lines() -> None:
    extend.check_policy(Bold(window=50, noise=0.1), is_thorough=False)


def imports_in(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of everything that is imported from somewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((str(node.module), each.name) for each in node.names)


def test_all_is_what_there_is() -> None:
    offered = {name: module for module, name in imports_in(STUB)}
    assert sorted(offered) == sorted(extend.__all__)
    assert set(extend.__all__) <= set(dir(extend))
    for name, module in offered.items():
        thing = getattr(extend, name)
        home = getattr(thing, "__module__", None)
        assert home in (f"driftwise.{module}", None) or name in ("Limits", "Matrix", "Vector"), name


def test_the_docstring_names_every_kind_of_thing() -> None:
    told = set(re.findall(r"`(\w+)`", str(extend.__doc__)))
    untold = {name for name in extend.__all__ if not name.startswith("require_")} - told
    assert untold == {"Matrix", "Vector"}
    modules = {"checks", "delays", "evaluation", "features", "logs", "service", "theory", "worlds"}
    assert told - {"driftwise"} - modules <= set(extend.__all__)
    for name in modules:
        assert importlib.import_module(f"driftwise.{name}").__all__


@pytest.mark.parametrize(("name", "code"), CODE)
def test_examples_and_pages_need_nothing_else(name: str, code: str) -> None:
    modules = {module for module, _ in imports_in(ast.parse(code))}
    assert {module for module in modules if module.startswith("driftwise")} <= {"driftwise.extend"}


def test_pages_name_no_other_place() -> None:
    for page in ("docs/your-own.md", "docs/explaining.md", "CONTRIBUTING.md"):
        assert "driftwise.core" not in (ROOT / page).read_text("utf-8"), page


def test_a_world_starts_no_compiler() -> None:
    code = (
        "import sys; from driftwise.extend import Card, LinearWorld; print('numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"driftwise\.extend has no attribute 'Chosen'"):
        _ = extend.Chosen  # type: ignore[attr-defined]


def test_a_rule_says_which_setting_it_needs() -> None:
    @extend.compilable
    class Drawn(extend.Windowed, extend.Sampled, extend.WindowSettings):
        __slots__ = ()

    with pytest.raises(TypeError, match="Drawn must have a setting `inflation`"):
        Drawn(window=10, noise=0.1)
