"""`driftwise serve`: decisions over HTTP from a problem file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import input_errors, service_errors
from ..options import AsJson, a_flag, a_number
from ..stores import LogOption, StoreOption, store_of

__all__ = ["serve"]


@app.command()
def serve(
    file: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Problem files, TOML.", show_default=False),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8080,
    store: StoreOption = None,
    log: LogOption = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where other nodes send clients to reach this one; by default where it listens.",
        ),
    ] = None,
    lease: Annotated[
        float,
        a_number("SECONDS", "How long until another node takes over, if this one is gone."),
    ] = 2.0,
    check: Annotated[
        bool, a_flag("--check", "Read the file, say what would be done, and end.")
    ] = False,
    schema: Annotated[
        bool, a_flag("--schema", "Print the JSON Schema of problem files, and end.")
    ] = False,
    is_open: Annotated[
        bool,
        a_flag("--open", "Listen beyond this machine without keys: whoever can reach it may ask."),
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(help="A certificate, for HTTPS without a proxy.")
    ] = None,
    certificate_key: Annotated[
        Path | None, typer.Option(help="The private key of the certificate.")
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where archives and backups of logs are written."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Whose pages may ask for decisions and tell rewards, such as https://shop.example; "
            "may be repeated.",
        ),
    ] = None,
    shop: Annotated[
        bool, a_flag("--shop", "Send decisions and late rewards, as a shop would, to see it move.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve decisions over HTTP, durable and exactly once.

    For example: `driftwise serve examples/prices.toml --port 8080`. With `--store postgresql://...` several
    nodes serve the same problems: each problem by one of them, which another replaces when it is gone.
    """
    from ..output import print_json

    if schema:
        from ...service.problem.schema import problem_schema

        print_json(problem_schema())
        return
    from ...service import serving
    from ...service.account import account_of
    from ...service.stores.places import place_of

    files = file or []
    with input_errors():
        where = store_of(store, log)
        problems = serving.problems_in(files, where)
        if (certificate is None) != (certificate_key is None):
            raise ValueError("certificate and certificate-key must be given together")
    if check:
        accounts = [
            account_of(problem, str(place_of(where, path, problem.name)))
            for path, problem in zip(files, problems, strict=True)
        ]
        if as_json:
            print_json({"problems": accounts})
            return
        for account in accounts:
            for key, value in account.items():
                print(f"{key:<12} {value}")
        return
    names = ", ".join(problem.name for problem in problems)
    typer.echo(f"{names} on http://{host}:{port}", err=True)
    tls = [path for path in (certificate, certificate_key) if path is not None]
    ending = None
    if shop:
        from ...service.shop import Shop

        ending = Shop(f"http://{host}:{port}", problems[0]).start()
    try:
        with service_errors():
            serving.serve(
                *files, host=host, port=port, store=where, address=address, lease=lease,
                is_open=is_open, tls=tls, archive=archive, origins=origin or [],
            )  # fmt: skip
    finally:
        if ending is not None:
            ending()
