"""`driftwise log verify|replay|export|archive|erase|extend`: the log that a service has written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import service_errors
from ..options import AsJson, a_flag, an_integer
from ..stores import LogOption, MemberOption, StoreOption, log_of, store_of
from .log import log

__all__ = ["archive", "erase", "export", "extend", "replay", "verify"]

ProblemFile = Annotated[Path, typer.Argument(metavar="FILE", help="The problem file.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason, for the log.")]
DryRun = Annotated[bool, a_flag("--dry-run", "Say what would change, and change nothing.")]
Ids = Annotated[
    list[str] | None,
    typer.Option("--id", metavar="ID", help="Of a decision; may be repeated."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="NAME=VALUE",
        help="Decisions whose context says so; may be repeated, and then all must hold.",
    ),
]
User = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="Decisions that were asked for with this user."),
]


@log.command()
def verify(
    file: ProblemFile,
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Make every choice of a service's log again, and compare bit for bit.

    Also memories that operations made anew are made again. A service may go on writing meanwhile. The
    exit code is 2 if something differs or is damaged, and the message names the event.
    """
    from ...service.replay import archived_state
    from ...service.verify import verify_all

    with service_errors(), _opened(file, problem, store, log) as (first, source):
        base = archived_state(first, source)
        rows = source.read(after=0 if base is None else base.seq)
        found = verify_all(
            first, rows, base, lambda after, until: source.read(after=after, until=until)
        )
    told = {"seq": found.state.seq} | found._asdict() | {"digest": found.state.digest}
    del told["state"]
    text = (
        f"{found.choices:,} choices up to event {found.state.seq:,} made again, all the same; "
        f"{found.operations} operations, too."
    )
    if found.blurred:
        text += f" {found.blurred:,} choices cannot be verified: rows before them are erased, or another version chose."
    if found.unverifiable:
        text += f" {found.unverifiable} operations cannot: they rest on events that are erased or archived."
    if found.archived:
        text += f" Up to event {found.archived:,} it was taken as the archive tells it."
    _tell(told, text, as_json)


@log.command()
def replay(
    file: ProblemFile,
    to: Annotated[int | None, an_integer("SEQ", "The last event; the end by default.")] = None,
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Fold a service's log from its beginning, and say what the state after an event was."""
    from ...service.replay import archived_state
    from ...service.replay import replay as fold
    from ...service.state import State

    with service_errors(), _opened(file, problem, store, log) as (first, source):
        state = archived_state(first, source) or State(first)
        if to is not None and to < max(1, state.seq):
            raise ValueError(f"to must be at least {max(1, state.seq)}, got {to}")
        fold(state, source.read(after=state.seq, until=to))
    told = {
        "seq": state.seq, "policy": type(state.problem.policy).__name__,
        "open": len(state.ledger.open), "held": len(state.held), "mode": state.learner.mode,
        "is_frozen": state.learner.is_frozen, "counts": dict(state.counts), "digest": state.digest,
    }  # fmt: skip
    counts = ", ".join(f"{n:,} {name}" for name, n in sorted(state.counts.items()))
    _tell(told, f"after event {state.seq:,}: {counts}; digest {state.digest[:12]}", as_json)


@log.command()
def export(
    file: ProblemFile,
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="What to write: a .jsonl or .parquet file.")
    ],
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Write a service's log as `driftwise.Log` reads it, also while it serves."""
    import tempfile

    from ...logs import Log
    from ...service.export import lines_of
    from ..logbook import require_target

    with service_errors():
        require_target(target)
        with (
            _opened(file, problem, store, log) as (first, source),
            tempfile.TemporaryDirectory(prefix="driftwise-") as folder,
        ):
            lines = Path(folder) / "log.jsonl"
            with lines.open("wb") as written:
                written.writelines(lines_of(first, source))
            events = Log.read(lines)
            events.write(target)
    text = f"{len(events):,} events written to {target}"
    _tell({"events": len(events), "target": str(target)}, text, as_json)


@log.command()
def archive(
    file: ProblemFile,
    why: Why,
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the Parquet file is written.")
    ] = Path("archive"),
    to: Annotated[int | None, an_integer("SEQ", "The last event that is moved.")] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="All events before this moment, such as 2026-11-01."),
    ] = None,
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Move old events of a log that nobody serves to a Parquet file.

    The state after them takes their place. A service that runs does it by `driftwise service archive`.
    """
    from ...service.operations import archiving
    from ...service.requests import moment
    from ..offline import author, operated

    async def work(service: Any) -> archiving.Moved:
        until = await archiving.last_of(service, to, moment("before", before))
        return await archiving.archive(service, until, folder, author(), why)

    with service_errors():
        moved = operated(file, store_of(store, log), problem, work)
    text = f"{moved.events:,} events up to {moved.until:,} moved to {moved.file}"
    _tell(moved._asdict(), text, as_json)


@log.command()
def erase(
    file: ProblemFile,
    why: Why,
    name: Ids = None,
    user: User = None,
    where: Where = None,
    dry_run: DryRun = False,
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Take what is about a person out of a log that nobody serves; what was learnt stays.

    A service that runs does it by `driftwise service erase`.
    """
    from ...service.operations import operating
    from ..offline import author, operated

    with service_errors():
        context = context_in(where)

        async def work(service: Any) -> int:
            return await operating.erase(
                service, name or [], context, author(), why, user=user, is_dry=dry_run
            )

        n_erased = operated(file, store_of(store, log), problem, work)
    told = {"decisions": n_erased, "dry": dry_run}
    _tell(told, f"{n_erased:,} decisions {'would be ' if dry_run else ''}erased", as_json)


@log.command()
def extend(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The problem file, which declares more now.")
    ],
    why: Why,
    dry_run: DryRun = False,
    problem: MemberOption = None,
    store: StoreOption = None,
    log: LogOption = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a problem file that declares more: fields, values, terms or arms.

    Of a log that nobody serves. The policy learns the whole log anew, in which what was added is 0; then the service
    is started with that file.
    """
    from ...service.operations import operating
    from ...service.problem.reading import read_problem
    from ..offline import author, operated

    with service_errors():
        grown = read_problem(file)

        async def work(service: Any) -> Any:
            return await operating.extend(service, grown, author(), why, is_dry=dry_run)

        found = operated(file, store_of(store, log), problem, work, as_logged=True)
    text = (
        f"{found.learnt:,} rewards {'would be ' if dry_run else ''}learnt anew; of {found.decisions:,} choices "
        f"{found.different:,} would have been others"
    )
    _tell({"dry": dry_run} | found._asdict(), text, as_json)


def context_in(pairs: list[str] | None) -> dict[str, Any]:
    """Return NAME=VALUE as a dictionary; what is JSON is taken as such, anything else as text."""
    import json

    found = {}
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise ValueError(f"where must be NAME=VALUE, got {pair!r}")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


@contextmanager
def _opened(
    file: Path, problem: str | None, store: str | None, log: Path | None
) -> Iterator[tuple[Any, Any]]:
    """Open a service's log, and yield it with the problem as the first event has it."""
    from ...service.files import files_in, problem_at_first
    from ...service.problem.reading import read_problem
    from ...service.replay import begun_in

    first = read_problem(file)
    with closing(log_of(first, file, store_of(store, log), problem)) as source:
        if (begun := begun_in(source)) is None:
            raise ValueError("there must be events in the log, got none")
        yield problem_at_first(first, files_in(begun, source)), source


def _tell(document: dict[str, Any], text: str, as_json: bool) -> None:
    from ..output import paragraph, print_json, show

    if as_json:
        print_json(document)
    else:
        show(paragraph(text))
