"""A gallery shows what the library computes, sorted, and keeps what is finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import driftwise as dw
from driftwise.experiments.gallery import make_gallery, plan_gallery, playing
from driftwise.experiments.gallery.line_up import default_world, line_up
from driftwise.registry import all_policies

POLICIES = ["Uniform", "UCB1", "Exp3", "LinUCB", "OracleRestart"]
WORLDS = ["Switching", "Sinusoid", "OrthogonalSets", "World"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    plan = plan_gallery(worlds=WORLDS, policies=POLICIES, horizon=120, replications=3, seed=5)
    return make_gallery(plan, out=tmp_path_factory.mktemp("gallery"), jobs=2, quiet=True)


def test_who_plays_where(made: Any) -> None:
    playing = {hall.world: {curve.policy for curve in hall.curves} for hall in made.halls}
    assert playing == {
        "Switching": set(POLICIES),
        "Sinusoid": set(POLICIES) - {"OracleRestart"},
        "OrthogonalSets": {"Uniform", "LinUCB"},
    }
    for hall in made.halls:
        assert playing[hall.world] | hall.refused.keys() == set(POLICIES), "nobody is dropped"
    refused = made.halls[2].refused
    assert "plays arms" in refused["UCB1"]
    assert "must be told change points" in refused["OracleRestart"]
    assert made.left_out == {"World": "World needs parameters and decision_sets"}


def test_the_numbers_are_those_of_the_library(made: Any) -> None:
    numbers = pl.read_parquet(made.files["numbers.parquet"])
    world = dw.worlds.Sinusoid(horizon=120)
    for replication in range(3):
        seed = made.plan.own_seed("Sinusoid", replication)
        run = dw.simulate(dw.Exp3.tuned(horizon=120, n_arms=2), world, seed=seed, checkpoints=50)
        rows = numbers.filter(
            pl.col("world") == "Sinusoid",
            pl.col("policy") == "Exp3",
            pl.col("replication") == replication,
        )
        assert rows["regret"].to_list() == run.regret.tolist()
        assert rows["round"].to_list() == run.rounds.tolist()
        assert rows["seed"].unique().to_list() == [seed]


def test_rewards_may_come_late(tmp_path: Path) -> None:
    plan = plan_gallery(
        worlds=["Sinusoid"], policies=["Exp3"], horizon=120, replications=1, delay="geometric:9"
    )
    made = make_gallery(plan, out=tmp_path, jobs=1, quiet=True)
    numbers, world = pl.read_parquet(made.files["numbers.parquet"]), dw.worlds.Sinusoid(horizon=120)
    policy, seed = dw.Exp3.tuned(horizon=120, n_arms=2), plan.own_seed("Sinusoid", 0)
    delay = dw.delays.Geometric(9)
    run = dw.simulate(policy, world, seed=seed, delay=delay, checkpoints=50)
    assert numbers["regret"].to_list() == run.regret.tolist()


def test_sorted_by_final_regret(made: Any) -> None:
    summary = pl.read_csv(made.files["summary.csv"])
    for hall in made.halls:
        finals = [curve.mean[-1] for curve in hall.curves]
        assert finals == sorted(finals)
        rows = summary.filter(pl.col("world") == hall.world)
        assert rows["policy"].to_list() == [curve.policy for curve in hall.curves]
        assert np.allclose(rows["regret"].to_numpy(), finals, rtol=1e-12)
        assert (rows["low"] <= rows["regret"]).all()
        assert (rows["regret"] <= rows["high"]).all()


def test_the_page(made: Any) -> None:
    page = made.files["index.html"].read_text("utf-8")
    assert page.rstrip().endswith("</html>")
    assert "http" not in page.replace("http://www.w3.org", ""), "it needs no network"
    assert "$" not in page.split("</style>")[1], "nothing is left to fill in"
    for text in (*WORLDS, *POLICIES, "plays arms", "World needs parameters"):
        assert text in page
    for hall in made.halls:
        assert made.files[f"{hall.world}.svg"].read_bytes().rstrip().endswith(b"</svg>")


def test_in_words_and_as_data(made: Any) -> None:
    words, document = made.as_text(), made.as_dict()
    assert "Switching: " in words
    assert "index.html" in words
    assert document["worlds"][0]["regret"][0]["policy"] == made.halls[0].curves[0].policy
    assert document["interrupted"] is False


def test_jobs_and_company_change_nothing(made: Any, tmp_path: Path) -> None:
    plan = plan_gallery(worlds=["Sinusoid"], policies=["Exp3"], horizon=120, replications=3, seed=5)
    alone = make_gallery(plan, out=tmp_path, jobs=1, quiet=True)
    (curve,) = alone.halls[0].curves
    (before,) = (each for each in made.halls[1].curves if each.policy == "Exp3")
    assert curve.mean.tolist() == before.mean.tolist()
    assert curve.low.tolist() == before.low.tolist()


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really, count = playing._play, 0

    def play(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return really(*arguments)

    monkeypatch.setattr(playing, "_play", play)
    plan = plan_gallery(worlds=["Sinusoid", "Switching"], policies=["Exp3"], horizon=60)
    found = make_gallery(plan, out=tmp_path, jobs=1, quiet=True)
    assert found.is_interrupted
    assert [(hall.world, hall.replications) for hall in found.halls] == [("Sinusoid", 2)]
    assert "Interrupted" in found.as_text()
    assert "interrupted" in (tmp_path / "index.html").read_text("utf-8")


def test_ctrl_c_before_anything_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(playing, "_compile", interrupt)
    plan = plan_gallery(worlds=["Sinusoid"], policies=["Exp3"])
    found = make_gallery(plan, out=tmp_path, quiet=True)
    assert found.is_interrupted
    assert found.files == {}
    assert list(tmp_path.iterdir()) == []
    assert "nothing was written" in found.as_text()


def test_a_world_in_which_nobody_may_play_is_left_out_with_the_reason(tmp_path: Path) -> None:
    plan = plan_gallery(worlds=["AbruptCircle"], policies=["UCB1", "Exp3"], horizon=20)
    found = make_gallery(plan, out=tmp_path, quiet=True)
    assert found.halls == []
    reason = found.left_out["AbruptCircle"]
    assert reason.startswith("UCB1 plays arms")
    assert "Exp3 plays arms" in reason
    assert reason in found.as_text()


def test_the_default_world() -> None:
    assert default_world(dw.worlds.AbruptCircle, None, 500).horizon == 6000, "its own"
    assert default_world(dw.worlds.Sinusoid, None, 500).horizon == 500
    assert default_world(dw.worlds.AbruptCircle, 70, 500).horizon == 70


def test_the_oracle_is_told_the_change_points() -> None:
    world = dw.worlds.Switching(horizon=400, times=[101, 301])
    policies = line_up(world, all_policies(), seed=0).policies
    assert policies["OracleRestart"].change_points.tolist() == [100, 300]
