"""`driftwise policies`: all of them, or one in full."""

from __future__ import annotations

from typing import Annotated

from ..app import app
from ..completion import policy_names
from ..errors import input_errors
from ..options import AsJson, Modules, a_name
from ..outside import names_from

__all__ = ["policies"]


@app.command()
def policies(
    name: Annotated[
        str | None,
        a_name("NAME", "One policy, described in full; by default all, in brief.", policy_names),
    ] = None,
    modules: Modules = None,
    as_json: AsJson = False,
) -> None:
    """List the policies: what each must know, costs and guarantees."""
    from ...experiments.spec.catalogue import describe, describe_all
    from ...registry import all_policies, find_policy
    from ..output import print_json
    from ..views.catalogue import print_policies
    from ..views.portrait import print_policy

    with names_from(modules), input_errors():
        if name is None:
            rows = describe_all(all_policies().values())
        else:
            row = describe(find_policy(name))
    if as_json:
        print_json({"policies": rows} if name is None else {"policy": row})
    elif name is None:
        print_policies(rows)
    else:
        print_policy(row)
