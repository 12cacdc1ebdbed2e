"""What `import driftwise` offers, and what it does not load."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import driftwise as dw
from driftwise import policies, registry, worlds
from driftwise.core.base.card import Card


def test_every_public_name_exists() -> None:
    for name in dw.__all__:
        assert getattr(dw, name) is not None
    assert set(dw.__all__) <= set(dir(dw))


def test_every_policy_is_public() -> None:
    for name, cls in registry.all_policies().items():
        assert getattr(dw, name) is cls
    assert set(policies.__all__) == set(registry.all_policies())


def classes_with_cards(package: ModuleType) -> Iterator[type[Any]]:
    """Yield those of all files of a package, whether or not it mentions them."""
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for cls in vars(importlib.import_module(found.name)).values():
            is_own = inspect.isclass(cls) and cls.__module__ == found.name
            has_card = isinstance(getattr(cls, "card", None), Card)
            if is_own and has_card and not inspect.isabstract(cls):
                yield cls


def test_no_file_is_forgotten() -> None:
    known = registry.own()
    for cls in classes_with_cards(policies):
        assert known.policies.get(cls.__name__) is cls, "a line in policies/__init__.pyi is missing"
        assert getattr(dw, cls.__name__, None) is cls, "a line in __init__.pyi is missing"
    for cls in classes_with_cards(worlds):
        assert known.worlds.get(cls.__name__) is cls, "a line in worlds/__init__.pyi is missing"
        assert getattr(dw.worlds, cls.__name__, None) is cls


def test_every_card_is_filled_in() -> None:
    for cls in (*registry.all_policies().values(), *registry.all_worlds().values()):
        row = registry.row_of(cls)
        assert row["source"]
        assert row["guarantee"]
        assert row["summary"].endswith(".")
    for cls in registry.all_policies().values():
        row = registry.row_of(cls)
        assert row["cost"]
        assert "told" not in row["knows"], "its column is headed: must be told"


def test_every_policy_can_be_tuned() -> None:
    for cls in registry.all_policies().values():
        assert callable(cls.tuned)


@pytest.mark.parametrize("name", worlds.__all__)
def test_worlds_are_public(name: str) -> None:
    assert getattr(dw.worlds, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = dw.SlidingWindow  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("dw.AdaptiveUcb", "driftwise has no attribute 'AdaptiveUcb'; did you mean 'AdaptiveUCB'?"),
        ("dw.worlds.sinusiod", "driftwise.worlds has no attribute 'sinusiod'; did you mean 'Sinusoid'?"),
        ("dw.extend.Choise", "driftwise.extend has no attribute 'Choise'; did you mean 'Choice'?"),
    ],
)  # fmt: skip
def test_a_misspelt_name_is_shown_with_the_right_one_and_only_once(wrong: str, right: str) -> None:
    code = f"import driftwise as dw; {wrong}"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert out.stderr.splitlines()[-1] == f"AttributeError: {right}"


def test_what_programs_ask_for_is_not_guessed_at() -> None:
    with pytest.raises(AttributeError, match=r"driftwise has no attribute '_ipython_display_'$"):
        _ = dw._ipython_display_  # type: ignore[attr-defined]


@pytest.mark.parametrize("one", ["dw.LinUCB", "dw.registry.find_policy('LinUCB')"])
def test_one_policy_loads_no_other(one: str) -> None:
    code = f"import sys, driftwise as dw; {one}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in out.stdout.split() if name.startswith("driftwise.policies.")}
    assert {name for name in loaded if "forgetting" not in name} == {"driftwise.policies.lin_ucb"}


def test_importing_loads_neither_compiler_nor_plots() -> None:
    code = (
        "import sys, driftwise, driftwise.worlds, driftwise.theory, driftwise.logs; "
        "driftwise.Log; "
        "print(sorted({'numba', 'matplotlib', 'polars', 'joblib', 'rich'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
