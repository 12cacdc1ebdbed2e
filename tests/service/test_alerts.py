"""The alert rules of the docs: they are rules, and every metric in them is exported."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import yaml

from benchmarks.service.database import missing
from benchmarks.service.sizing import PROBLEMS, page, places, sized
from driftwise.service.fleet import Fleet
from driftwise.service.http.site import Site
from driftwise.service.problem.reading import parse_problem
from driftwise.service.service import Service
from driftwise.service.shadows.scoring import Standing
from driftwise.service.stores.places import SQLitePlace
from tests.service.over_http import serving
from tests.service.prometheus import fires
from tests.service.test_fleet import lived
from tests.service.test_fleet import serving as serving_fleet

PAGE = Path(__file__).parents[2] / "docs" / "service" / "alerts.md"
STANDING = Standing("steady", "LinUCB", 1, 0, 1, 0, 1.0, 1.0, 0.5, 0.1, 0.05, 0.2)


def rules() -> str:
    return PAGE.read_text("utf-8").split("```yaml\n")[1].split("```")[0]


RULES: dict[str, str] = {
    rule["alert"]: rule["expr"] for rule in yaml.safe_load(rules())["groups"][0]["rules"]
}


def better(site: Site) -> None:
    site.shadows.standings["button"] = [msgspec.structs.replace(STANDING, low=0.01)]


def forced(service: Service) -> None:
    service.engine.state.counts["forced"] += 6_000


# What is wrong, for each alert: done to a service between two scrapes.
WRONG: dict[str, Callable[[Site, Service], object]] = {
    "RewardsStopped": lambda site, service: None,  # decisions come, see below
    "ChangeNoticed": lambda site, service: service.inside.update(changes_noticed=1.0),
    "TooLittleExploration": lambda site, service: forced(service),
    "CommitSlow": lambda site, service: [each(0.5, 1) for each in service.observers],  # of commits
    "OwnerChanged": lambda site, service: setattr(service, "takeovers", service.takeovers + 1),
    "NobodyServes": lambda site, service: setattr(service, "is_ready", False),
    "NothingRuns": lambda site, service: None,
    "Faults": lambda site, service: service.faults.update(["store"]),
    "ShadowBetter": lambda site, service: better(site),
}


@pytest.mark.parametrize("alert", ["", *RULES])
def test_each_fires_if_and_only_if_something_is_wrong(alert: str, tmp_path: Path) -> None:
    shadow = '[[shadow]]\nname = "steady"\npolicy = {name = "LinUCB", noise = 0.3}\n'
    problem = parse_problem('arms = ["red", "blue"]\n' + shadow, "button")

    async def lived(client: httpx.AsyncClient, part: str) -> None:
        for i in range(30):
            await client.post("/v1/button/decisions", json={"id": f"{part}-{i}"})
            if alert != "RewardsStopped":
                await client.post("/v1/button/rewards", json={"id": f"{part}-{i}", "reward": 1})

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        service = site.services["button"]
        observers, service.observers = service.observers, []  # what this machine takes is no matter
        site.shadows.standings["button"] = [msgspec.structs.replace(STANDING, low=-0.05)]
        service.inside["changes_noticed"] = 0.0
        await lived(client, "before")
        before = (await client.get("/metrics")).text
        await lived(client, "after")
        service.observers = observers
        for observe in observers * 30:
            observe(0.001, 1)
        if alert:
            WRONG[alert](site, service)
        after = "" if alert == "NothingRuns" else (await client.get("/metrics")).text
        service.is_ready = True
        fired = {name for name, rule in RULES.items() if fires(rule, before, after)}
        assert fired == {alert} - {""}

    serving(tmp_path / "log.db", talk, problem)


def test_every_metric_is_exported(tmp_path: Path) -> None:
    every: list[Any] = yaml.safe_load(rules())["groups"][0]["rules"]
    wanted = {name for rule in every for name in re.findall(r"driftwise_\w+", rule["expr"])}
    assert len(every) == 9
    shadow = '[[shadow]]\nname = "steady"\npolicy = {name = "LinUCB", noise = 0.3}\n'
    problem = parse_problem('arms = ["red", "blue"]\n' + shadow, "button")

    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        site.shadows.standings["button"] = [STANDING]
        for i in range(3):
            await client.post("/v1/button/decisions", json={"id": f"n{i}"})
            await client.post("/v1/button/rewards", json={"id": f"n{i}", "reward": 1})
        await site.views["button"].look_inside(site.explained)
        past = (await client.get("/v1/button/past")).json()  # the page shows it, too
        assert [each["low"] for each in past["now"]["shadows"]] == [STANDING.low]
        text = (await client.get("/metrics")).text
        exported = set(re.findall(r"^(driftwise_\w+)\{", text, re.MULTILINE))
        assert wanted <= exported, wanted - exported
        # A counter that begins with its first event has not risen, as Prometheus counts.
        for kind in ("store", "fenced", "recovery", "other"):
            assert f'driftwise_faults_total{{kind="{kind}",problem="button"}} 0.0' in text

    serving(tmp_path / "log.db", talk, problem)


def test_rules_of_a_template_have_their_metrics(tmp_path: Path) -> None:
    told = (
        PAGE.read_text("utf-8")
        .split("[template](operate.md)")[1]
        .split("are told of a template")[0]
    )
    every: list[Any] = yaml.safe_load(rules())["groups"][0]["rules"]
    named = {rule["alert"]: rule["expr"] for rule in every if f"`{rule['alert']}`" in told}
    wanted = {name for expr in named.values() for name in re.findall(r"driftwise_\w+", expr)}
    assert len(named) == told.count("`") / 2 == 4

    async def talk(client: httpx.AsyncClient, fleet: Fleet) -> None:
        await lived(client, "one", 0, 3)
        text = (await client.get("/metrics")).text
        exported = re.findall(r'^(driftwise_\w+)\{.*problem="shops".*\}', text, re.MULTILINE)
        assert wanted <= {*exported}, wanted - {*exported}

    serving_fleet(SQLitePlace(tmp_path / "shops.db"), talk)


def test_prometheus_takes_them(tmp_path: Path) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(rules())
    if (promtool := shutil.which("promtool")) is None:
        assert all("expr" in rule for rule in yaml.safe_load(rules())["groups"][0]["rules"])
    else:
        subprocess.run([promtool, "check", "rules", str(file)], check=True)


def test_the_table_of_sizes_is_measured() -> None:
    name = "10 actions of 10 numbers"
    found = {(name, kind): sized(PROBLEMS[name], 100, place) for kind, place in places()}
    assert ((name, "PostgreSQL") in found) == (not missing())
    for each in found.values():
        assert 700 < each.bytes < 5_000  # 800 of it are the rows
    assert page(found).count("\n| 1,000,000 | ") == 1
