from __future__ import annotations

import importlib
import pkgutil

import pytest

import driftwise.theory

MODULES = [module.name for module in pkgutil.iter_modules(driftwise.theory.__path__)]


def test_every_public_name_exists_once() -> None:
    for name in driftwise.theory.__all__:
        assert hasattr(driftwise.theory, name)
    assert len(set(driftwise.theory.__all__)) == len(driftwise.theory.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_the_package_offers_what_its_modules_offer(name: str) -> None:
    module = importlib.import_module(f"driftwise.theory.{name}")
    offered = set(module.__all__)
    if name == "rounding":  # an inner matter of the formulas
        assert not offered & set(driftwise.theory.__all__)
    else:
        assert offered <= set(driftwise.theory.__all__)
