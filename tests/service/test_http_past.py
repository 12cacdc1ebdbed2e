"""What the service tells over HTTP of what has happened: the log, metrics, the past of the page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

import driftwise as dw
from driftwise.evaluation import value
from driftwise.service.http.site import Site
from driftwise.service.problem.reading import read_problem
from tests.service.over_http import CONTEXT, EXAMPLE, decided, serving


def test_the_log_is_read_and_evaluated_in_both_forms(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        for i in range(300):
            reply = await decided(client, f"n{i}")
            if i % 4:
                reward = {"id": f"n{i}", "reward": 50.0 * reply["arm"]}
                await client.post("/v1/prices/rewards", json=reward)
        await client.post("/v1/prices/control", json={"why": "test", "mode": "fallback"})
        await decided(client, "forced")
        lines = await client.get("/v1/prices/log")
        (tmp_path / "log.jsonl").write_bytes(lines.content)
        accept = {"accept": "application/vnd.apache.parquet"}
        parquet = await client.get("/v1/prices/log", headers=accept)
        (tmp_path / "log.parquet").write_bytes(parquet.content)
        tail = await client.get("/v1/prices/log?from=300")
        assert len(tail.content) < len(lines.content)
        assert (await client.get("/v1/prices/log?from=x")).status_code == 422

    problem = replace(read_problem(EXAMPLE), share=0.5)
    serving(tmp_path / "log.db", talk, problem)
    logs = [dw.Log.read(tmp_path / f"log.{form}") for form in ("jsonl", "parquet")]
    assert list(logs[0]) == list(logs[1])
    log = logs[0]
    assert len(log) == 301
    assert sum("reward" in event for event in log) == 225
    first = log[0]
    assert first["context"] == CONTEXT
    assert sum(first["propensities"]) == pytest.approx(1.0)
    assert first["propensities"][first["action"]] == first["propensity"]
    estimate = value(log[:300], 2)  # of always playing the highest price
    assert estimate.low <= 100.0 <= estimate.high
    assert estimate.value == pytest.approx(100.0, rel=0.35)


def test_metrics_count_what_happened(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await decided(client, "a")
        for _ in range(2):
            await client.post("/v1/prices/rewards", json={"id": "a", "reward": 1})
        await decided(client, "b")
        await client.post(
            "/v1/prices/rewards", json={"id": "b", "reward": 2}
        )  # of one, no noise is known
        await site.views["prices"].look_inside(site.explained)
        text = (await client.get("/metrics")).text
        for line in (
            'driftwise_rewards_total{problem="prices",status="learnt"} 2.0',
            'driftwise_rewards_total{problem="prices",status="duplicate, agrees"} 1.0',
            'driftwise_decisions_open{problem="prices"} 0.0',
            'driftwise_log_seq{problem="prices"} 6.0',
            'driftwise_snapshot_age_seconds{problem="prices"} ',
            'driftwise_reward_delay_seconds_count{problem="prices"} 2.0',
            'driftwise_effective_memory_rounds{problem="prices"} ',
            'driftwise_noise{problem="prices"} ',
            'driftwise_fenced_total{problem="prices"} 0.0',
        ):
            assert line in text

    serving(tmp_path / "log.db", talk)


def test_the_log_tells_what_was_asked_for_and_what_people_did_with_who_and_why(
    tmp_path: Path,
) -> None:
    async def talk(client: httpx.AsyncClient, site: Site) -> None:
        await decided(client, "a")
        await client.post("/v1/prices/rewards", json={"id": "a", "reward": 1})
        await client.post("/v1/prices/control", json={"why": "a sale", "mode": "fallback"})

        async def lines(query: str) -> list[dict[str, Any]]:
            reply = await client.get(f"/v1/prices/log{query}")
            assert reply.status_code == 200, reply.text
            return [json.loads(line) for line in reply.text.splitlines()]

        every = await lines("")
        assert ["action" in each for each in every] == [True, False]
        assert await lines("?kind=decided&kind=rewarded") == every
        assert await lines("?kind=decided") == every[:1]
        assert await lines("?kind=rewarded") == every[1:]
        (did,) = await lines("?kind=controlled")
        assert did["who"].startswith("anyone from ")
        assert (did["what"], did["why"]) == ("mode fallback", "a sale")
        assert await lines(f"?kind=controlled&from={did['seq'] + 1}") == []
        wrong = await client.get("/v1/prices/log?kind=decide")
        assert wrong.status_code == 422
        assert "decided, rewarded, controlled" in wrong.text
        parquet = {"accept": "application/vnd.apache.parquet"}
        refused = await client.get("/v1/prices/log?kind=controlled", headers=parquet)
        assert refused.status_code == 422

    serving(tmp_path / "log.db", talk)


def test_the_past_of_the_page_outlives_the_process(tmp_path: Path) -> None:
    before: dict[str, Any] = {}

    async def first(client: httpx.AsyncClient, site: Site) -> None:
        for i in range(5):
            await decided(client, f"n{i}")
        body = {"why": "a test", "mode": "fallback"}
        await client.post("/v1/prices/control", json=body)
        site.views["prices"].sample()
        before.update((await client.get("/v1/prices/past")).json())

    async def second(client: httpx.AsyncClient, site: Site) -> None:
        past = (await client.get("/v1/prices/past")).json()
        assert past["changes"] == before["changes"]
        for span in ("seconds", "minutes", "hours"):
            assert sum(past[span]["decisions"]) == sum(before[span]["decisions"])
            place = past[span]["t"].index(before[span]["t"][0])
            assert past[span]["arms"][place] == before[span]["arms"][0]
        await decided(client, "more")
        site.views["prices"].sample()
        past = (await client.get("/v1/prices/past")).json()
        assert sum(past["hours"]["decisions"]) == sum(before["hours"]["decisions"]) + 1

    serving(tmp_path / "log.db", first)
    assert sum(before["seconds"]["decisions"]) == 5
    serving(tmp_path / "log.db", second)
