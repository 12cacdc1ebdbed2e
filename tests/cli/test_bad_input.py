"""Bad input gets one sentence, on one line."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from driftwise.cli import run
from driftwise.cli.views import recommendation
from driftwise.experiments.analysis import replications

SMALL = ["simulate", "--horizon", "400", "--replications", "3", "--checkpoints", "4"]


BAD = [
    (["simulat"], ["command", "'simulat'", "did you mean 'simulate'?"]),
    (["--vrsion"], ["option", "'--vrsion'", "did you mean '--version'?"]),
    (["simulate", "--horzon", "3"], ["option", "'--horzon'", "did you mean '--horizon'?"]),
    (["windows", "--jsn"], ["option", "did you mean '--json'?"]),
    (["policies", "SlidingWindwUCB"], ["policy", "did you mean 'SlidingWindowUCB'?"]),
    (["policies", "UCB1", "extra"], ["extra"]),
    (["worlds", "Sinusiod"], ["world", "did you mean 'Sinusoid'?"]),
    (["worlds", "Sinusoid", "--set", "factr=2"], ["setting", "did you mean 'factor'?"]),
    (["worlds", "Sinusoid", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["worlds", "Sinusoid", "--seed", "-1"], ["seed must be at least 0, got -1"]),
    (["worlds", "Sinusoid", "--plot", "a.pdf"], ["plot must end in .png or .svg, got 'a.pdf'"]),
    (["worlds", "Sinusoid", "--plot", "no/a.png"], ["plot must lie in a folder that exists"]),
    (["worlds", "--plot"], ["NAME must be given"]),
    (["service", "status"], ["Error: problem must be given"]),
    (["worlds", "World", "--plot"], ["World needs parameters and decision_sets", "--set"]),
    (["worlds", "Recorded", "--plot"], ["Recorded needs decision_sets and rewards", "--data"]),
    (["worlds", "Sinusoid", "--data", "a.csv"], ["data must go with a world that reads files"]),
    (["simulate", "--data", "none.csv"], ["Error: data must be a file that exists, got none.csv"]),
    (["simulate", "--data", "a.txt"], ["Error: data must end in .csv or .parquet, got a.txt"]),
    (["gallery", "--world", "Sinusiod"], ["world", "did you mean 'Sinusoid'?"]),
    (["gallery", "--policy", "UCB2"], ["policy", "did you mean 'UCB1'?"]),
    (["gallery", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["gallery", "--replications", "0"], ["replications must be at least 1, got 0"]),
    (["gallery", "--jobs", "0"], ["jobs must be at least 1, got 0"]),
    (["simulate", "--horizon"], ["--horizon", "requires an argument"]),
    (["simulate", "SlidingWindwUCB"], ["policy", "did you mean 'SlidingWindowUCB'?"]),
    (["simulate", "Exp3", "sinusoid"], ["world", "'sinusoid'", "did you mean 'Sinusoid'?"]),
    (
        ["simulate", "SlidingWindowUCB", "--set", "windw=5"],
        ["setting", "'windw'", "did you mean 'window'?"],
    ),
    (["simulate", "--set", "policy.factor=5"], ["setting", "'factor'"]),
    (
        ["simulate", "SlidingWindowUCB", "--set", "polcy.window=5"],
        ["'polcy'", "did you mean 'policy'?"],
    ),
    (["simulate", "Exp3", "--set", "window=5"], ["setting", "'window'"]),
    (["simulate", "SlidingWindowUCB", "--set", "window"], ["set must be NAME=VALUE", "'window'"]),
    (["simulate", "--set", "=5"], ["set must be NAME=VALUE", "'=5'"]),
    (
        ["simulate", "SlidingWindowUCB", "--set", "window=0"],
        ["window must be at least 1 round, got 0"],
    ),
    (
        ["simulate", "SlidingWindowUCB", "--set", "window=abc"],
        ["window must be an integer, got 'abc'"],
    ),
    (
        ["simulate", "SlidingWindowUCB", "--set", "window=nan"],
        ["window must be an integer, got nan"],
    ),
    (
        ["simulate", "SlidingWindowUCB", "--set", f"window={10**30}"],
        ["window must be at most", str(10**30)],
    ),
    (["simulate", "SlidingWindowUCB", "--set", f"window={10**15}"], ["more memory than there is"]),
    (["simulate", "--set", "noise=1", "--noise", "2"], ["noise must be given once", "1", "2"]),
    (
        ["simulate", "SlidingWindowUCB", "--set", "ridge=1", "--set", "ridge=2"],
        ["ridge must be given once"],
    ),
    (
        ["simulate", "SlidingWindowUCB", "--set", "geometry=flat"],
        ["geometry must be one of", "'flat'"],
    ),
    (["simulate", "--set", "rewards=bernouli"], ["rewards", "did you mean 'bernoulli'?"]),
    (["simulate", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["simulate", "--horizon", "1.5"], ["horizon must be an integer, got '1.5'"]),
    (["simulate", "--horizon", "nan"], ["horizon must be an integer, got 'nan'"]),
    (["simulate", "--horizon", "1e30"], ["horizon must be at most", "1e30"]),
    (["simulate", "--noise", "-1"], ["noise must be at least 0, got -1.0"]),
    (["simulate", "--noise", "nan"], ["noise must be a finite number, got nan"]),
    (["simulate", "--noise", "loud"], ["noise must be a number, got 'loud'"]),
    (["simulate", "--variation", "inf"], ["variation must be a finite number, got inf"]),
    (["simulate", "--replications", "0"], ["replications must be at least 1, got 0"]),
    (["simulate", "--checkpoints", "0"], ["checkpoints must be at least 1, got 0"]),
    (["simulate", "--seed", "-1"], ["seed must be at least 0, got -1"]),
    (["simulate", "Exp3", "World"], ["World needs parameters and decision_sets", "--set"]),
    (
        ["simulate", "BanditOverBandit", "--unknown-variation", "--set", "policy.variation=1"],
        ["setting", "'variation'"],
    ),
    (
        ["simulate", "SlidingWindowUCB", "--unknown-variation", "--set", "policy.variation=1"],
        ["policy.variation must be left out"],
    ),
    (["simulate", "--set", "widh=5"], ["setting", "'widh'", "did you mean 'width'?"]),
    (["simulate", "--set", "window=5"], ["setting", "'window'"]),
    (["simulate", "--explain", "a.pdf"], ["explain must end in .png or .svg, got 'a.pdf'"]),
    (["simulate", "--explain", ""], ["explain must end in .png or .svg, got ''"]),
    (
        ["simulate", "--explain", "no/a.png"],
        ["explain must lie in a folder that exists", "'no/a.png'"],
    ),
    (
        ["simulate", "Exp3", "--explain", "a.png"],
        ["explain must go with a policy that keeps an estimate", "AdaptiveUCB", "got Exp3"],
    ),
    (["simulate", "UCB1", "FreshSets"], ["UCB1 plays arms, so the decision set must be the same"]),
    (
        ["simulate", "Uniform", "Seasonal", "--set", "rewards=bernoulli", "--set", "amplitude=0.9"],
        ["must be in [0, 1] when rewards are bernoulli"],
    ),
    (["recommend"], ["--arms must be given, or --dimension if actions change"]),
    (["recommend", "--arms", "2", "--rewards", "click"], ["did you mean 'clicks'"]),
    (["recommend", "--arms", "2", "--guarantee"], ["noise must be given for a policy with a"]),
    (["windows", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["windows", "--dimension", "0"], ["dimension must be at least 1, got 0"]),
    (["windows", "--dimension", "two"], ["dimension must be an integer, got 'two'"]),
    (["windows", "--variation", "-1"], ["variation must be at least 0, got -1.0"]),
    (["windows", "--variation", "nan"], ["variation must be a finite number, got nan"]),
    (["windows", "--noise", "-1"], ["noise must be at least 0, got -1.0"]),
    (["windows", "--confidence", "2"], ["confidence must be in (0, 1], got 2.0"]),
    (["windows", "--arms", "0"], ["n_arms must be at least 1, got 0"]),
    (["windows", "--horizon", str(10**19)], ["horizon must be at most", str(10**19)]),
    (["reproduce", "--replications", "0"], ["replications must be at least 1, got 0"]),
    (["reproduce", "--replications", "x"], ["replications must be an integer, got 'x'"]),
    (["reproduce", "--jobs", "0"], ["jobs must be at least 1, got 0"]),
    (["reproduce", "--seed", "-1"], ["seed must be at least 0, got -1"]),
    # What nobody could wait for.
    (["simulate", "--replications", "1e12"], ["replications must make at most 1000000 runs"]),
    (["simulate", "--horizon", "1e12"], ["horizon must be at most 1000000000 rounds", "10"]),
    (["simulate", "Master", "--set", "world.horizon=1e12"], ["horizon must be at most"]),
    (
        ["simulate", "--horizon", "1e8", "--checkpoints", "1e12"],
        ["checkpoints must make at most 100000000 numbers"],
    ),
    (["worlds", "RandomWalk", "--horizon", "1e12"], ["horizon must be at most 1000000000 rounds"]),
    (["gallery", "--horizon", "1e12"], ["horizon must be at most 1000000000 rounds"]),
    (["gallery", "--replications", "1e12"], ["replications must make at most 1000000 runs"]),
    (["gallery", "--jobs", "1e12"], ["jobs must be at most 1024, got 1000000000000"]),
    (["reproduce", "--replications", "1e12"], ["replications must make at most 1000000 runs"]),
    (["reproduce", "--jobs", "1e12"], ["jobs must be at most 1024"]),
    (["run", "pricing", "--replications", "1e12"], ["replications must make at most 1000000 runs"]),
    (["run", "pricing", "--jobs", "1e12"], ["jobs must be at most 1024"]),
    (
        ["run", "scoreboard", "--fuzz", "1", "--replications", "1e12"],
        ["replications must make at most 1000000 runs"],
    ),
    # What is nested deeply, or endless.
    (["simulate", "--horizon", "[" * 50_000], ["horizon must be an integer"]),
    (["simulate", "--noise", "[" * 50_000], ["noise must be a number"]),
    (
        ["simulate", "LinUCB", "Stationary", "--set", "parameter=" + "[" * 50_000 + "]" * 50_000],
        ["parameter must be an array of numbers"],
    ),
    (
        ["worlds", "Stationary", "--set", "parameter=" + '{"a":' * 20_000 + "1" + "}" * 20_000],
        ["parameter must be an array of numbers"],
    ),
    (["policies", "x" * 100_000], ["policy must be one of", "..."]),
]


@pytest.mark.parametrize(("words", "parts"), BAD, ids=[" ".join(words)[:60] for words, _ in BAD])
def test_bad_input_gets_one_sentence(words: list[str], parts: list[str], refusal: Any) -> None:
    sentence = refusal(*words)
    for part in parts:
        assert part in sentence
    assert len(sentence) < 2000


@pytest.mark.parametrize(
    "words",
    [
        ["simulat"],
        ["windows", "--json", "--noise", "nan"],
        ["simulate", "SlidingWindwUCB", "--json"],
        ["simulate", "SlidingWindowUCB", "--set", "window=0"],
    ],
)
def test_bad_input_in_a_process_of_its_own(shell: Any, words: list[str]) -> None:
    shell.assert_refusal(shell.call(*words))


@pytest.mark.parametrize("command", ["reproduce", "gallery"])
def test_a_folder_that_cannot_be_written(command: str, tmp_path: Path, refusal: Any) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    sentence = refusal(command, "--quick", "--out", str(taken))
    assert str(taken) in sentence
    assert "out must be a folder that can be written" in sentence


def test_a_gallery_in_which_nobody_may_play(tmp_path: Path, refusal: Any) -> None:
    words = ["gallery", "--world", "AbruptCircle", "--world", "World", "--policy", "UCB1"]
    sentence = refusal(*words, "--out", str(tmp_path))
    assert "gallery must have a world where some policy can play, got none" in sentence
    assert "AbruptCircle: UCB1 plays arms, so the decision set must be the same" in sentence
    assert "World: World needs parameters and decision_sets" in sentence
    assert list(tmp_path.iterdir()) == []


def test_bugs_show_where_they_come_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(recommendation, "print_recommendation", fail)
    with pytest.raises(ValueError, match="a bug"):
        run(["windows"])
    monkeypatch.setattr(replications, "simulate", fail)
    with pytest.raises(ValueError, match="a bug"):
        run(["simulate", "--horizon", "10"])
    module = importlib.import_module("driftwise.experiments.reproduce")
    monkeypatch.setattr(module, "reproduce", fail)
    with pytest.raises(ValueError, match="a bug"):
        run(["reproduce"])


@pytest.mark.parametrize(
    ("missing", "words"),
    [("typer", ["--help"]), ("rich", ["policies"]), ("polars", ["reproduce"])],
)
def test_what_is_not_installed_is_named(shell: Any, missing: str, words: list[str]) -> None:
    script = f"""
import sys
sys.modules[{missing!r}] = None  # as if it were not there
sys.argv[1:] = {words}
from driftwise.__main__ import main
sys.exit(main())
"""
    answer = shell.execute("-c", script)
    shell.assert_refusal(answer)
    assert missing in answer.err
    assert "pip install 'driftwise[experiments]'" in answer.err


def test_a_terminal_that_knows_only_ascii(shell: Any) -> None:
    answer = shell.call(*SMALL, PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "####" in answer.out


def test_a_reader_that_leaves_early(shell: Any) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "driftwise", "policies"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=shell.environment(),
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
