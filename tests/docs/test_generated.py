"""Pages that are made of the code leave nothing out."""

from __future__ import annotations

import importlib
import inspect

import pytest
import typer

from docs.site.command_line import command_line_page
from docs.site.members import policy_pages, world_pages
from docs.site.reference import MODULES, reference_pages
from driftwise import registry
from driftwise.cli import app

REFERENCE = reference_pages()


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_described_or_has_a_page(name: str) -> None:
    module = importlib.import_module(name)
    page = REFERENCE[f"reference/{name.rpartition('.')[2]}.md"]
    members = policy_pages() | world_pages()
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.ismodule(value):
            continue
        own = {f"policies/{public}.md", f"worlds/{public}.md"} & members.keys()
        assert own or f"{name}.{public}" in page, public


def test_every_policy_and_world_has_a_page() -> None:
    own = registry.own()
    assert {f"policies/{name}.md" for name in own.policies} <= policy_pages().keys()
    assert {f"worlds/{name}.md" for name in own.worlds} <= world_pages().keys()


def test_every_command_and_option_is_on_the_page() -> None:
    page = command_line_page()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
    for name, command in commands.items():
        assert f"## driftwise {name}\n" in page
        for parameter in command.params:
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[-1] in page
