"""`driftwise policies` and `driftwise worlds`: tables, and one of them in full."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import driftwise as dw
from driftwise.cli import run
from driftwise.experiments.spec.docstrings import meanings_of
from driftwise.registry import all_policies, all_worlds


@pytest.mark.parametrize(("name", "known"), [("policies", all_policies), ("worlds", all_worlds)])
def test_lists_come_from_the_registry(name: str, known: Any, document: Any, text: Any) -> None:
    rows = document(name)[name]
    assert [row["name"] for row in rows] == sorted(known(), key=str.casefold)
    printed = text(name)
    for row in rows:
        assert {"summary", "knows", "cost", "guarantee", "source", "settings"} <= row.keys()
        for fact in ("name", "summary", "guarantee", "source"):
            assert row[fact] in printed
        for setting in row["settings"]:
            assert setting["name"] in printed


@pytest.mark.parametrize("name", all_policies())
def test_one_policy_in_full(name: str, document: Any) -> None:
    row = document("policies", name)["policy"]
    assert row["name"] == name
    asked = inspect.signature(all_policies()[name]).parameters
    assert [each["name"] for each in row["settings"]] == list(asked)
    for each in row["settings"]:
        assert each["meaning"], f"the docstring says nothing of {each['name']}"
        assert "`" not in each["meaning"]


@pytest.mark.parametrize("cls", [*all_policies().values(), *all_worlds().values()])
def test_a_terminal_shows_no_formula_language(cls: type[Any]) -> None:
    for name, meaning in meanings_of(cls).items():
        assert not set("\\$`") & set(meaning), name


def test_formulas_in_plain_text() -> None:
    assert meanings_of(dw.worlds.AdsAllocation)["reluctance"] == (
        "beta: an ad that says nothing to a visitor is clicked with probability mu(-beta)."
    )
    root = (
        "Regret of the base per round where nothing changes: rho(t) = root / sqrt(t) + linear / t."
    )
    assert meanings_of(dw.Master)["root"] == root
    assert meanings_of(dw.worlds.NearlyCollinear)["offset"] == "epsilon in (0, 1)."


def test_a_policy_in_words(text: Any) -> None:
    printed = text("policies", "Exp3S")
    assert "must know" in printed
    assert "mixing" in printed
    assert "(required)" in printed


def test_a_world_as_it_is_made(document: Any, text: Any) -> None:
    words = ["worlds", "Switching", "--horizon", "900", "--set", "n_changes=2", "--seed", "3"]
    world = dw.worlds.Switching(horizon=900, n_changes=2)
    row = document(*words)["world"]
    made = row["made"]
    assert made["number_of_changes"] == 2
    assert made["realised_variation"] == world.realised_variation(3)._asdict()
    assert made["assumption_one"] is True
    assert made["settings"] == {"horizon": 900, "n_changes": 2, "times": "even", "noise": 0.1, "rewards": "gaussian", "dimension": 2, "decision_set": [[1.0, 0.0], [0.0, 1.0]]}  # fmt: skip
    assert (made["horizon"], made["n_arms"], made["dimension"]) == (900, 2, 2)
    assert row["seed"] == 3
    assert row["picture"] is None
    printed = text(*words)
    assert "rounds of change 2 of 899" in printed
    assert "Assumption 1 holds" in printed


@pytest.mark.parametrize("name", ["World", "Recorded"])
def test_a_world_that_needs_more_is_still_described(name: str, document: Any, text: Any) -> None:
    row = document("worlds", name)["world"]
    assert row["made"] is None
    assert row["needs"].startswith(f"{name} needs ")
    assert row["needs"] in text("worlds", name)


@pytest.mark.parametrize("words", [["--plot"], ["--plot", "there.svg"], ["--plot=there.PNG"]])
def test_a_picture(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = text("worlds", "Stationary", "--horizon", "50", *words)
    (path,) = tmp_path.iterdir()
    assert printed.endswith(f"Picture: {path.name}")
    assert path.name == {"--plot": "Stationary.png"}.get(words[-1], words[-1].split("=")[-1])
    start = b"<?xml" if path.suffix == ".svg" else b"\x89PNG"
    assert path.read_bytes().startswith(start)


def test_plot_may_stand_before_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    text("worlds", "--plot", "Stationary", "--horizon", "50")
    assert [path.name for path in tmp_path.iterdir()] == ["Stationary.png"]


RECORDS = "round,x0,x1,reward,mean\n" + "".join(
    f"{t},{1 - k},{k},{0.1 * k + 0.01 * t},{0.1 * k}\n" for t in range(1, 31) for k in (0, 1)
)


def test_records_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(RECORDS)
    found = document("simulate", "Exp3", "--data", "log.csv", "--replications", "2")
    assert found["world"]["name"] == "Recorded"
    assert found["horizon"] == 30
    told = document(
        "simulate", "SlidingWindowUCB", "Recorded", "--data", "log.csv", "--replications", "1",
        "--set", "world.noise=0.3",
    )  # fmt: skip
    assert told["world"]["noise"] == told["policy"]["settings"]["noise"] == 0.3
    row = document("worlds", "Recorded", "--data", "log.csv", "--plot")["world"]
    assert row["made"]["n_arms"] == 2
    assert row["made"]["settings"]["data"] == "log.csv"
    assert Path("Recorded.png").is_file()


def test_records_that_are_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(RECORDS.replace("5,1,0,", "7,1,0,", 1))
    for words in (["simulate", "Exp3"], ["worlds", "Recorded"]):
        sentence = refusal(*words, "--data", "log.csv")
        assert "log.csv, line 10, column round must go 1, 2, 3" in sentence
        assert "got 7 after 4" in sentence


def test_names_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: Any, refusal: Any
) -> None:
    examples = Path(__file__).parents[2] / "examples"
    policy, world = (["--from", str(examples / f"my_{kind}.py")] for kind in ("policy", "world"))
    rows = {row["name"]: row for row in document("policies", *policy)["policies"]}
    assert rows["MyPolicy"]["source"] == "an example"
    assert document("policies", "MyPolicy", *policy)["policy"]["plays"] == "arms"
    row = document("worlds", "MyWorld", *world, "--set", "swings=2")["world"]
    assert row["made"]["settings"]["swings"] == 2
    words = ["MyPolicy", "MyWorld", *policy, *world, "--horizon", "200", "--replications", "1"]
    assert document("simulate", *words)["policy"]["name"] == "MyPolicy"
    assert "MyPolicy" in refusal("simulate", "MyPolicy"), "it is gone afterwards"
    assert "there is no such file" in refusal("policies", "--from", "none.py")


def test_a_broken_plugin_is_named_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("driftwise.registry.broken_plugins", lambda: ["the plug-in X is left out"])
    assert run(["policies", "--json"]) == 0
    assert capsys.readouterr().err == "Warning: the plug-in X is left out\n"
