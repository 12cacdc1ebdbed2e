"""`driftwise service`: how a service does that runs, and changes to it while it serves."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from inspect import Parameter, Signature, signature
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
Ask = Callable[[Any], dict[str, Any]]  # of an `Operator`


@service.command()
def status(problem: Problem, url: Url = _HERE, key: Key = None, as_json: AsJson = False) -> None:
    """Tell how a problem does: policy, mode, counts, how much is open, and how its shadows do."""
    _ask(problem, url, key, lambda operator: operator.status(), as_json, timeout=10.0)


def _asking(change: Callable[..., Ask]) -> Callable[..., None]:
    """Make a command of a change; all of them are told of which problem, where it is, and by which key."""

    def command(
        *,
        problem: Problem,
        url: Url = _HERE,
        key: Key = None,
        as_json: AsJson = False,
        **given: Any,
    ) -> None:
        with service_errors():
            call = change(**given)
        _ask(problem, url, key, call, as_json)

    first, *last = list(signature(command, eval_str=True).parameters.values())[:-1]
    own = signature(change, eval_str=True).parameters.values()
    every = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in (first, *own, *last)]
    command.__signature__ = Signature(every)  # type: ignore[attr-defined]  # what typer reads
    command.__annotations__ = {each.name: each.annotation for each in every}
    command.__doc__ = change.__doc__
    return service.command(change.__name__)(command)


@_asking
def policy(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A problem file, whose [policy] takes over.")
    ],
    why: Why,
    dry_run: DryRun = False,
) -> Ask:
    """Go on with another policy, which learns the whole log first.

    With --dry-run it is told in how many decisions it would have chosen otherwise.
    """
    settings = tomllib.loads(file.read_text(encoding="utf-8")).get("policy")
    if not isinstance(settings, dict):
        raise ValueError(f"{file} must have a table [policy], got none")
    return lambda each: each.policy(settings, why=why, dry=dry_run)


@_asking
def promote(
    shadow: Annotated[str, typer.Argument(metavar="SHADOW", help="Of the problem file.")],
    why: Why,
    dry_run: DryRun = False,
) -> Ask:
    """Go on with the policy of a shadow, which learns the whole log first."""
    return lambda each: each.promote(shadow, why=why, dry=dry_run)


@_asking
def rewind(
    to: Annotated[
        int,
        typer.Argument(metavar="SEQ", parser=integer, help="The last event that is remembered."),
    ],
    why: Why,
    dry_run: DryRun = False,
) -> Ask:
    """Forget what was learnt after an event; the log keeps everything."""
    return lambda each: each.rewind(to, why=why, dry=dry_run)


@_asking
def censor(
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
) -> Ask:
    """Forget some rewards, as if they had not come: in a range, of some decisions, or of an arm."""
    given = {"first": first, "to": to, "since": since, "until": until, "ids": name, "arm": arm}
    which = {each: value for each, value in given.items() if value is not None}
    return lambda each: each.censor(why=why, dry=dry_run, **which)


@_asking
def erase(
    why: Why,
    name: Ids = None,
    user: User = None,
    where: Where = None,
    dry_run: DryRun = False,
) -> Ask:
    """Take what is about a person out of the log; what was learnt stays."""
    context = context_in(where)
    return lambda each: each.erase(name or (), context, user=user, why=why, dry=dry_run)


@_asking
def freeze(
    why: Why,
    thaw: Annotated[bool, a_flag("--thaw", "Learn again, also what was held.")] = False,
) -> Ask:
    """Learn nothing from now on, and hold rewards until the thaw; decisions go on."""
    return lambda each: each.control(why=why, freeze=not thaw)


@_asking
def archive(
    why: Why,
    to: Annotated[int | None, an_integer("SEQ", "The last event that is moved.")] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="All events before this moment, such as 2026-11-01."),
    ] = None,
) -> Ask:
    """Move old events to a Parquet file in the folder of `driftwise serve --archive`."""
    return lambda each: each.archive(why=why, to=to, before=before)


@_asking
def restore(
    file: Annotated[list[str], typer.Argument(metavar="NAME", help="Files of that folder.")],
    why: Why,
) -> Ask:
    """Put archived events back."""
    return lambda each: each.restore(file, why=why)


@_asking
def backup(why: Why) -> Ask:
    """Copy the log, while it serves, into that folder."""
    return lambda each: each.backup(why=why)


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
