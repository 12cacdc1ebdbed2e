"""`driftwise simulate` shows what the library computes."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from typing import Any

import pytest

import driftwise as dw
from driftwise.cli import run
from driftwise.experiments.analysis import replications
from driftwise.experiments.setup.pairing import pair
from driftwise.registry import all_policies, all_worlds


def test_simulate_shows_what_the_library_computes(document: Any) -> None:
    small = ["--horizon", "3000", "--replications", "3", "--seed", "5", "--checkpoints", "2"]
    found = document("simulate", "SlidingWindowUCB", *small)
    policy = dw.SlidingWindowUCB.tuned(horizon=3000, dimension=2, variation=1.0, noise=0.1)
    world = dw.worlds.Sinusoid(horizon=3000)
    runs = [dw.simulate(policy, world, seed=seed, checkpoints=2) for seed in (5, 6, 7)]
    assert found["total_regrets"] == [one.total_regret for one in runs]
    assert found["policy"] == {"name": "SlidingWindowUCB", "settings": policy._asdict()}
    assert [row["round"] for row in found["checkpoints"]] == [1500, 3000]
    last = found["checkpoints"][-1]
    assert last["regret"] == pytest.approx(sum(found["total_regrets"]) / 3)
    assert min(found["total_regrets"]) <= last["low"] < last["regret"] < last["high"]
    assert last["regret_per_round"] == last["regret"] / 3000
    assert found["random_regret"] > last["regret"], "worse than chance"


def test_rewards_may_come_late(document: Any, text: Any) -> None:
    words = [
        "simulate",
        "UCB1",
        "--horizon",
        "300",
        "--replications",
        "1",
        "--delay",
        "missing:.5:20",
    ]
    found, delay = document(*words), dw.delays.Missing(0.5, 20)
    assert found["world"]["delay"] == repr(delay)
    policy, world = dw.UCB1(**found["policy"]["settings"]), dw.worlds.Sinusoid(horizon=300)
    assert found["total_regrets"] == [dw.simulate(policy, world, delay=delay).total_regret]
    assert "Missing(probability=0.5" in text(*words)
    assert document(*words[:-2])["world"]["delay"] is None


def test_a_wrong_delay_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "--delay", "geometrik:3"]) == 2
    assert "did you mean 'geometric'" in capsys.readouterr().err


def test_the_default_knows_nothing_and_says_that_it_has_no_proof(document: Any, text: Any) -> None:
    small = ["simulate", "--horizon", "300", "--replications", "2"]
    found = document(*small)
    assert found["policy"]["name"] == "AdaptiveUCB"
    assert not found["tuned_with"].keys() & {"horizon", "noise", "variation"}
    assert found["guarantee"].startswith("none")
    said = "There is no proof that AdaptiveUCB does well under drift. SlidingWindowUCB, and Bandit"
    assert said in text(*small)
    assert "There is no proof" not in text(*small[:1], "SlidingWindowUCB", *small[1:])
    assert "AdaptiveUCB has no proof" in text("simulate", "--help")
    assert "It has no proof" in text("windows")


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("b.svg", b"<?xml")])
def test_what_a_policy_believes_is_drawn(
    name: str, begins: bytes, tmp_path: Path, document: Any
) -> None:
    words = ["SlidingWindowUCB", "--horizon", "300", "--replications", "1"]
    found = document("simulate", *words, "--explain", str(tmp_path / name))
    assert found["picture"] == str(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("folder.png", "explain must be a file and not a folder"),
        # No disk takes it, which root can be told, too.
        (f"{'long' * 100}.png", "explain must be a file that can be written"),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_played(
    name: str, rule: str, tmp_path: Path, refusal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*_: Any, **__: Any) -> None:
        raise AssertionError("it has begun to play")

    monkeypatch.setattr(replications, "replicate", play)
    (tmp_path / "folder.png").mkdir()
    target = str(tmp_path / name)
    assert f"{rule}, got {target!r}" in refusal("simulate", "--explain", target)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"], "nothing is left behind"


def test_a_disk_that_cannot_be_written_is_named(
    tmp_path: Path, refusal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    target = str(tmp_path / "a.png")
    said = refusal("simulate", "--horizon", "10", "--explain", target)
    assert f"explain must be a file that can be written, got {target!r}" in said


def test_one_replication_has_no_interval(document: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = document("simulate", "--horizon", "50", "--replications", "1", "--checkpoints", "1")
    assert found["checkpoints"][0]["low"] is None
    assert run(["simulate", "--horizon", "50", "--replications", "1"]) == 0
    assert "1 replication " in capsys.readouterr().out


def test_records_tell_their_longest_action_and_have_no_interval(
    tmp_path: Path, document: Any, text: Any
) -> None:
    rows = [f"{t},{k * 3},{4 * k},{0.1 * k * (t % 3)}" for t in range(1, 31) for k in (0, 1)]
    (tmp_path / "mine.csv").write_text("\n".join(["round,x0,x1,reward", *rows]))
    words = ["simulate", "SlidingWindowUCB", "--data", str(tmp_path / "mine.csv")]
    found = document(*words, "--replications", "3")
    assert found["tuned_with"]["action_norm"] == 5.0
    assert found["policy"]["settings"]["action_norm"] == 5.0
    assert all(row["low"] is None and row["high"] is None for row in found["checkpoints"])
    said = "All 3 replications are equal: records are the same each time, so there is no interval."
    assert said in text(*words, "--replications", "3")
    assert "replications are equal" not in text(*words, "--replications", "1")
    assert document("simulate", "Exp3", *words[2:])["checkpoints"][-1]["low"] is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", all_policies())
def test_every_policy_plays(name: str, document: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = [name, "--horizon", "100", "--replications", "2"]
    if name == "OracleRestart":
        words += ["--set", "change_points=[30, 60]"]
    found = document("simulate", *words)
    assert found["policy"]["name"] == name
    assert found["tuned_with"].get("horizon", 100) == 100
    assert run(["simulate", *words]) == 0
    assert f"{name} lost " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(all_worlds().keys() - {"World", "Recorded"}))
def test_every_world_has_something_to_start_with(name: str, document: Any) -> None:
    found = document(
        "simulate", "SlidingWindowUCB", name, "--horizon", "100", "--replications", "2"
    )
    assert found["world"]["name"] == name
    assert found["horizon"] == 100


def test_own_arrays_whose_decision_sets_change() -> None:
    sets = [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 1.0], [0.0, 0.25]]]
    settings = {"parameters": [[1.0, 0.0], [0.0, 1.0]], "decision_sets": sets}
    made = pair("SlidingWindowUCB", "World", settings)
    assert made.is_orthogonal is False
    assert made.told["geometry"] == "general"
    assert made.told["variation"] == pytest.approx(2**0.5)
    # (1 - 1/2) in the first round, 1 - (0 + 1 + 1/4) / 3 in the second.
    assert replications.random_regret(made.world, seed=0) == pytest.approx(0.5 + 1.75 / 3)


def test_a_run_without_regret(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "Exp3S", "Stationary", "--set", "parameter=[0.5]", "--horizon", "9"]
    assert run(words) == 0
    assert "lost 0 in total" in capsys.readouterr().out
