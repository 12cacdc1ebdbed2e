"""`driftwise service`: how a service does that runs, and changes to it while it serves."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import app
from ..errors import Commands, service_errors
from ..options import AsJson, a_flag, an_integer
from ..values import integer
from .service_log import DryRun, Ids, User, Where, Why, context_in

if TYPE_CHECKING:
    from ...service.operator import Operator

__all__ = [
    "archive", "backup", "censor", "erase", "policy", "promote", "restore", "rewind", "service", "status"
]  # fmt: skip

service = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(service, name="service", help="Show how a running service does, or change it.")

Problem = Annotated[str, typer.Argument(metavar="PROBLEM", help="The name of the problem.")]
Url = Annotated[
    str, typer.Option(metavar="URL", envvar="DRIFTWISE_URL", help="Where the service is.")
]
Key = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        envvar="DRIFTWISE_KEY",
        help="A key of scope admin, or of scope read for the status.",
    ),
]
_HERE = "http://127.0.0.1:8080"


@service.command()
def status(problem: Problem, url: Url = _HERE, key: Key = None, as_json: AsJson = False) -> None:
    """Tell how a problem does: policy, mode, counts, how much is open, and how its shadows do."""
    _ask(problem, url, key, lambda operator: operator.status(), as_json, timeout=10.0)


@service.command()
def policy(
    problem: Problem,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A problem file, whose [policy] takes over.")
    ],
    why: Why,
    dry_run: DryRun = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Go on with another policy, which learns the whole log first.

    With --dry-run it is told in how many decisions it would have chosen otherwise.
    """
    with service_errors():
        settings = tomllib.loads(file.read_text(encoding="utf-8")).get("policy")
        if not isinstance(settings, dict):
            raise ValueError(f"{file} must have a table [policy], got none")
    _ask(problem, url, key, lambda each: each.policy(settings, why=why, dry=dry_run), as_json)


@service.command()
def promote(
    problem: Problem,
    shadow: Annotated[str, typer.Argument(metavar="SHADOW", help="Of the problem file.")],
    why: Why,
    dry_run: DryRun = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Go on with the policy of a shadow, which learns the whole log first."""
    _ask(problem, url, key, lambda each: each.promote(shadow, why=why, dry=dry_run), as_json)


@service.command()
def rewind(
    problem: Problem,
    to: Annotated[
        int,
        typer.Argument(metavar="SEQ", parser=integer, help="The last event that is remembered."),
    ],
    why: Why,
    dry_run: DryRun = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Forget what was learnt after an event; the log keeps everything."""
    _ask(problem, url, key, lambda each: each.rewind(to, why=why, dry=dry_run), as_json)


@service.command()
def censor(
    problem: Problem,
    why: Why,
    first: Annotated[int | None, an_integer("SEQ", "The first event of a range.")] = None,
    to: Annotated[int | None, an_integer("SEQ", "The last event of a range.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="The start of a range, ISO 8601.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="The end of a range, ISO 8601.")
    ] = None,
    name: Ids = None,
    arm: Annotated[str | None, typer.Option(metavar="NAME", help="The arm.")] = None,
    dry_run: DryRun = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Forget some rewards, as if they had not come: in a range, of some decisions, or of an arm."""
    given = {"first": first, "to": to, "since": since, "until": until, "ids": name, "arm": arm}
    which = {each: value for each, value in given.items() if value is not None}
    _ask(problem, url, key, lambda each: each.censor(why=why, dry=dry_run, **which), as_json)


@service.command()
def erase(
    problem: Problem,
    why: Why,
    name: Ids = None,
    user: User = None,
    where: Where = None,
    dry_run: DryRun = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Take what is about a person out of the log; what was learnt stays."""
    with service_errors():
        context = context_in(where)
    _ask(
        problem, url, key,
        lambda each: each.erase(name or (), context, user=user, why=why, dry=dry_run), as_json,
    )  # fmt: skip


@service.command()
def freeze(
    problem: Problem,
    why: Why,
    thaw: Annotated[bool, a_flag("--thaw", "Learn again, also what was held.")] = False,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Learn nothing from now on, and hold rewards until the thaw; decisions go on."""
    _ask(problem, url, key, lambda each: each.control(why=why, freeze=not thaw), as_json)


@service.command()
def archive(
    problem: Problem,
    why: Why,
    to: Annotated[int | None, an_integer("SEQ", "The last event that is moved.")] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="All events before this moment, such as 2026-11-01."),
    ] = None,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Move old events to a Parquet file in the folder of `driftwise serve --archive`."""
    _ask(problem, url, key, lambda each: each.archive(why=why, to=to, before=before), as_json)


@service.command()
def restore(
    problem: Problem,
    file: Annotated[list[str], typer.Argument(metavar="NAME", help="Files of that folder.")],
    why: Why,
    url: Url = _HERE,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Put archived events back."""
    _ask(problem, url, key, lambda each: each.restore(file, why=why), as_json)


@service.command()
def backup(
    problem: Problem, why: Why, url: Url = _HERE, key: Key = None, as_json: AsJson = False
) -> None:
    """Copy the log, while it serves, into that folder."""
    _ask(problem, url, key, lambda each: each.backup(why=why), as_json)


def _ask(
    problem: str,
    url: str,
    key: str | None,
    call: Callable[[Operator], dict[str, Any]],
    as_json: bool,
    timeout: float = 3600.0,
) -> None:
    """Ask a service, and print what it answers."""
    from ...service.operator import Operator
    from ..output import grid, print_json, show

    with service_errors(), Operator(url, problem, key=key, timeout=timeout) as operator:
        found = call(operator)
    if as_json:
        print_json(found)
        return
    show(grid((name.replace("_", " "), _words(value)) for name, value in found.items()))


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return ", ".join(map(_words, value)) if isinstance(value, list) else str(value)
