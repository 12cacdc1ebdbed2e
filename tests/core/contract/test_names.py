"""Names of classes in records lead back to the classes, wherever their files lie."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import driftwise as dw
from driftwise.core.contract.names import class_named, name_of
from driftwise.core.contract.policy import Choice
from driftwise.registry import all_policies


class Theirs(NamedTuple):
    unused: int = 0


@pytest.fixture
def modules() -> Iterator[Any]:
    """Give a function that makes modules of a package, with a class in each."""
    names = []

    def make(name: str) -> type[Any]:
        cls = type("Inner", (Theirs,), {"__module__": name})
        for path in (name.partition(".")[0], name):
            if path not in sys.modules:
                sys.modules[path] = ModuleType(path)
                names.append(path)
        vars(sys.modules[name])["Inner"] = cls
        return cls

    yield make
    for name in names:
        del sys.modules[name]


def test_the_package_has_bare_names() -> None:
    assert name_of(Choice) == "Choice"
    for name, cls in all_policies().items():
        assert name_of(cls) == name
        assert class_named(name) is cls


def test_what_is_from_outside_is_named_by_its_package() -> None:
    assert name_of(Theirs) == f"{__name__.partition('.')[0]}:Theirs"
    assert class_named(name_of(Theirs)) is Theirs


def test_a_class_may_move_within_its_package(modules: Any) -> None:
    cls = modules("theirs.here.deeper")
    assert name_of(cls) == "theirs:Inner"
    assert class_named("theirs:Inner") is cls
    assert class_named("theirs.here.deeper:Inner") is cls  # as 0.1.0 wrote it


def test_a_name_that_two_classes_share_is_not_written(modules: Any) -> None:
    first = modules("theirs.here")
    assert name_of(first) == "theirs:Inner"
    second = modules("theirs.there")
    with pytest.raises(ValueError, match=r"must be the name of one class.*here, theirs\.there"):
        name_of(second)
    assert name_of(first) == "theirs:Inner"  # nothing that it wrote is read by another


def test_a_class_that_is_defined_again_keeps_its_name(modules: Any) -> None:
    former, latter = modules("theirs.here"), modules("theirs.here")
    assert former is not latter
    assert name_of(former) == name_of(latter) == "theirs:Inner"


def test_what_a_package_offers_itself_comes_first(modules: Any) -> None:
    one, other = modules("theirs.one"), modules("theirs.other")
    with pytest.raises(ValueError, match=r"one class, got those of theirs\.one, theirs\.other$"):
        class_named("theirs:Inner")
    vars(sys.modules["theirs"])["Inner"] = other
    assert class_named("theirs:Inner") is other
    assert class_named("theirs.one:Inner") is one


def test_a_name_makes_no_package_import_anything(modules: Any) -> None:
    modules("theirs.here")
    asked: list[str] = []
    vars(sys.modules["theirs"])["__getattr__"] = asked.append
    with pytest.raises(ValueError, match="must be known to be read back"):
        class_named("theirs:Lazy")
    assert asked == []


@pytest.mark.parametrize(
    ("name", "loaded"),
    [("SlidingWindowUCB", False), ("Choice", False), ("BlockChoice", True)],
)
def test_a_name_is_found_in_a_new_process(name: str, loaded: bool) -> None:
    """Without the other policies where that is possible."""
    code = f"""if True:
        import sys
        from driftwise.core.contract import policy
        from driftwise.core.contract.names import class_named
        print(class_named({name!r}).__name__, "driftwise.policies.master" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [name, str(loaded)]


def test_a_policy_is_read_by_its_name_alone() -> None:
    record = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True).choose().as_dict()
    assert record["policy"]["class"] == "UCB1"
    assert record["choice"]["class"] == "Choice"
