"""The command line: mostly as a person calls it, in a process of its own, with pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from typer.main import get_command

import driftwise as dw
from driftwise.cli import app, recommendation, reproduction, run, simulation
from driftwise.cli.output import plain_number, table_with_bars
from driftwise.cli.values import whole
from driftwise.experiments.pairing import pair
from driftwise.registry import all_policies, all_worlds

COMMANDS = ["reproduce", "simulate", "windows", "policies", "worlds"]
HEAVY = ["numba", "matplotlib", "polars"]
# One small call of each command that does not take long.
SMALL = {
    "simulate": ["simulate", "--horizon", "400", "--replications", "3", "--checkpoints", "4"],
    "windows": ["windows", "--horizon", "30000", "--dimension", "2", "--variation", "1"],
    "policies": ["policies"],
    "worlds": ["worlds"],
}
QUICK = ["reproduce", "--quick", "--jobs", "1", "--seed", "3"]


class Answer(NamedTuple):
    code: int
    out: str
    err: str


def environment(**others: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    return kept | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"} | others


def call(*words: str, **others: str) -> Answer:
    """Call the command line in a process of its own; ``others`` are environment variables."""
    return execute("-m", "driftwise", *words, **others)


def execute(*words: str, **others: str) -> Answer:
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        encoding="utf-8",
        env=environment(**others),
        timeout=240,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def read_json(text: str) -> Any:
    """Read exactly one strict JSON document."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def assert_complaint(answer: Answer) -> None:
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.count("\n") == 1, "one sentence, on one line"
    assert answer.err.startswith("Error: ")
    assert "Traceback" not in answer.err


# ---------------------------------------------------------------- what each command prints


@pytest.mark.parametrize("name", SMALL)
def test_json_is_one_document_and_nothing_else(name: str) -> None:
    answer = call(*SMALL[name], "--json")
    assert answer.code == 0
    assert answer.err == ""
    assert isinstance(read_json(answer.out), dict)


@pytest.mark.parametrize("width", [80])
@pytest.mark.parametrize("name", SMALL)
def test_text_is_readable_in_a_pipe(name: str, width: int) -> None:
    answer = call(*SMALL[name], COLUMNS=str(width))
    assert answer.code == 0
    assert answer.err == ""
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert "…" not in answer.out, "nothing is cut"


def test_version() -> None:
    assert call("--version") == (0, f"driftwise {dw.__version__}\n", "")


def test_nothing_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    captured = capsys.readouterr()
    assert all(name in captured.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_a_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help"]) == 0
    text = capsys.readouterr().out
    command: Any = get_command(app)
    for parameter in command.commands[name].params:
        assert parameter.help.endswith("."), parameter.name
        assert parameter.help[0].isupper(), parameter.name
        assert parameter.opts[0] in text or parameter.metavar in text
    first = command.commands[name].help.split("\n")[0]
    assert first.endswith(".")
    assert run(["--help"]) == 0
    assert first in capsys.readouterr().out, "the list of commands cuts no sentence short"


def test_help_imports_nothing_heavy() -> None:
    script = f"""
import sys
from driftwise.cli import run
for words in [["--help"], ["--version"], *([name, "--help"] for name in {COMMANDS})]:
    assert run(words) == 0
print([name for name in {HEAVY} if name in sys.modules])
"""
    answer = execute("-c", script)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[-1] == "[]"


def test_windows_needs_no_compiler() -> None:
    script = (
        "import sys; from driftwise.cli import run; run(['windows']); print('numba' in sys.modules)"
    )
    assert execute("-c", script).out.splitlines()[-1] == "False"


# ---------------------------------------------------------------- policies and worlds


@pytest.mark.parametrize(("name", "known"), [("policies", all_policies), ("worlds", all_worlds)])
def test_lists_come_from_the_registry(
    name: str, known: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--json"]) == 0
    rows = read_json(capsys.readouterr().out)[name]
    assert [row["name"] for row in rows] == list(known())
    for row in rows:
        assert {"summary", "knows", "cost", "guarantee", "source", "settings"} <= row.keys()
    assert run([name]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for row in rows:
        for fact in ("name", "summary", "guarantee", "source"):
            assert row[fact] in text
        for setting in row["settings"]:
            assert setting["name"] in text


# ---------------------------------------------------------------- windows


def recommend(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert run(["windows", *words, "--json"]) == 0
    return read_json(capsys.readouterr().out)


def test_windows_are_those_of_the_theory(capsys: pytest.CaptureFixture[str]) -> None:
    found = recommend(capsys, "--variation", "1")
    known, unknown, general, _ = found["sliding_window"]
    assert known["window"] == unknown["window"] == 1532
    assert known["radius"] == pytest.approx(1.594, abs=1e-4)
    assert known["regret_bound"] == dw.theory.regret_bound(
        horizon=30_000, dimension=2, variation=1.0, window=1532, noise=0.1
    )
    assert general["window"] == 205
    assert general["regret_bound"] is None, "there is no explicit bound without Assumption 1"
    blocks, _ = found["bandit_over_bandit"]
    assert (blocks["block_length"], blocks["n_blocks"]) == (274, 110)
    assert blocks["windows"] == [1, 2, 6, 16, 42, 107, 274]
    assert found["exp3s"][0]["mixing"] == pytest.approx(0.09979, abs=1e-5)


def test_windows_without_a_variation(capsys: pytest.CaptureFixture[str]) -> None:
    found = recommend(capsys)
    assert [row["variation"] for row in found["sliding_window"]] == [None, None]
    assert all(row["regret_bound"] is None for row in found["sliding_window"])
    names = [rate["name"] for rate in found["rates"]]
    assert "sliding-window-unknown" in names
    assert "lower-bound" not in names
    assert run(["windows"]) == 0
    assert "unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "name", "is_there"),
    [
        (["--variation", "0"], "sliding-window-stationary", True),
        (["--variation", "0"], "sliding-window", False),
        (["--variation", "1"], "sliding-window-stationary", False),
        (["--variation", "1"], "lower-bound", True),
        (["--variation", "0.001"], "lower-bound", False),
        (["--variation", "1", "--horizon", "3", "--dimension", "9"], "lower-bound", False),
    ],
)
def test_rates_apply_under_their_conditions(
    words: list[str], name: str, is_there: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [rate["name"] for rate in recommend(capsys, *words)["rates"]]
    assert (name in names) == is_there


def test_a_bound_that_says_nothing_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["windows", "--horizon", "100", "--variation", "5"]) == 0
    assert "above 2T" in capsys.readouterr().out


# ---------------------------------------------------------------- simulate


def play(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert run(["simulate", *words, "--json"]) == 0
    return read_json(capsys.readouterr().out)


def test_simulate_shows_what_the_library_computes(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--horizon", "3000", "--replications", "3", "--seed", "5", "--checkpoints", "2"]
    found = play(capsys, *small)
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


def test_one_replication_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    found = play(capsys, "--horizon", "50", "--replications", "1", "--checkpoints", "1")
    assert found["checkpoints"][0]["low"] is None
    assert run(["simulate", "--horizon", "50", "--replications", "1"]) == 0
    assert "1 replication " in capsys.readouterr().out


@pytest.mark.parametrize("name", all_policies())
def test_every_policy_plays(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [name, "--horizon", "100", "--replications", "2"]
    if name == "OracleRestart":
        words += ["--set", "change_points=[30, 60]"]
    found = play(capsys, *words)
    assert found["policy"]["name"] == name
    assert found["tuned_with"].get("horizon", 100) == 100
    assert run(["simulate", *words]) == 0
    assert f"{name} lost " in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(all_worlds().keys() - {"World", "Recorded"}))
def test_every_world_has_something_to_start_with(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = play(capsys, "SlidingWindowUCB", name, "--horizon", "100", "--replications", "2")
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
    assert simulation.random_regret(made.world, seed=0) == pytest.approx(0.5 + 1.75 / 3)


def test_a_run_without_regret(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "Exp3S", "Stationary", "--set", "parameter=[0.5]", "--horizon", "9"]
    assert run(words) == 0
    assert "lost 0 in all" in capsys.readouterr().out


# ---------------------------------------------------------------- who gets which setting


def test_settings_find_their_owner() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"window": 500, "factor": 2.0, "ridge": 3.0})
    assert made.policy.window == 500
    assert made.policy.confidence == 1 / 30_000, "the rest stays tuned"
    assert made.policy.ridge == 3.0
    assert made.world.factor == 2.0
    assert made.replaced == {"window": 500}


def test_a_setting_of_both_goes_to_both() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"noise": 0.5})
    assert (made.policy.noise, made.world.noise) == (0.5, 0.5)


def test_a_setting_with_a_dot_goes_to_one() -> None:
    made = pair("SlidingWindowUCB", "Sinusoid", {"policy.noise": 0.5, "world.noise": 0.2})
    assert (made.policy.noise, made.world.noise) == (0.5, 0.2)


@pytest.mark.parametrize("policy", ["SlidingWindowUCB", "Exp3S"])
def test_an_unknown_variation_is_not_told(policy: str) -> None:
    settings = {"variation": 20.0, "horizon": 5000}
    known = pair(policy, "Sinusoid", settings)
    unknown = pair(policy, "Sinusoid", settings, is_variation_known=False)
    assert known.told["variation"] == 20.0
    assert "variation" not in unknown.told
    assert unknown.world.variation == 20.0
    assert unknown.policy != known.policy


def test_a_world_without_a_budget_tells_what_it_measures() -> None:
    still = pair("SlidingWindowUCB", "Stationary", {"horizon": 700})
    assert still.told["variation"] == 0.0
    assert still.policy.window == 700
    assert still.world_settings["parameter"] == [0.2, 0.8]


@pytest.mark.parametrize(("dimension", "geometry"), [(2, "orthogonal"), (3, "general")])
def test_policies_are_tuned_for_the_decision_set(dimension: int, geometry: str) -> None:
    made = pair("BanditOverBandit", "LowerBound", {"dimension": dimension, "horizon": 1000})
    assert made.told["geometry"] == geometry
    assert made.is_orthogonal == (geometry == "orthogonal")


# ---------------------------------------------------------------- bad input


BAD = [
    (["simulat"], ["command", "'simulat'", "did you mean 'simulate'?"]),
    (["--vrsion"], ["option", "'--vrsion'", "did you mean '--version'?"]),
    (["simulate", "--horzon", "3"], ["option", "'--horzon'", "did you mean '--horizon'?"]),
    (["windows", "--jsn"], ["option", "did you mean '--json'?"]),
    (["policies", "extra"], ["extra"]),
    (["simulate", "--horizon"], ["--horizon", "requires an argument"]),
    (["simulate", "SlidingWindwUCB"], ["policy", "did you mean 'SlidingWindowUCB'?"]),
    (["simulate", "Exp3", "sinusoid"], ["world", "'sinusoid'", "did you mean 'Sinusoid'?"]),
    (["simulate", "--set", "windw=5"], ["setting", "'windw'", "did you mean 'window'?"]),
    (["simulate", "--set", "policy.factor=5"], ["setting", "'factor'"]),
    (["simulate", "--set", "polcy.window=5"], ["'polcy'", "did you mean 'policy'?"]),
    (["simulate", "Exp3", "--set", "window=5"], ["setting", "'window'"]),
    (["simulate", "--set", "window"], ["set must be NAME=VALUE", "'window'"]),
    (["simulate", "--set", "=5"], ["set must be NAME=VALUE", "'=5'"]),
    (["simulate", "--set", "window=0"], ["window must be at least 1 round, got 0"]),
    (["simulate", "--set", "window=abc"], ["window must be a whole number, got 'abc'"]),
    (["simulate", "--set", "window=nan"], ["window must be a whole number, got nan"]),
    (["simulate", "--set", f"window={10**30}"], ["window must be at most", str(10**30)]),
    (["simulate", "--set", f"window={10**15}"], ["more memory than there is"]),
    (["simulate", "--set", "noise=1", "--noise", "2"], ["noise must be given once", "1", "2"]),
    (["simulate", "--set", "ridge=1", "--set", "ridge=2"], ["ridge must be given once"]),
    (["simulate", "--set", "geometry=flat"], ["geometry must be one of", "'flat'"]),
    (["simulate", "--set", "rewards=bernouli"], ["rewards", "did you mean 'bernoulli'?"]),
    (["simulate", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["simulate", "--horizon", "1.5"], ["horizon must be a whole number, got '1.5'"]),
    (["simulate", "--horizon", "nan"], ["horizon must be a whole number, got 'nan'"]),
    (["simulate", "--horizon", "1e30"], ["horizon must be at most", "1e30"]),
    (["simulate", "--noise", "-1"], ["noise must be at least 0, got -1.0"]),
    (["simulate", "--noise", "nan"], ["noise must be a finite number, got nan"]),
    (["simulate", "--noise", "loud"], ["noise must be a number, got 'loud'"]),
    (["simulate", "--variation", "inf"], ["variation must be a finite number, got inf"]),
    (["simulate", "--replications", "0"], ["replications must be at least 1, got 0"]),
    (["simulate", "--checkpoints", "0"], ["checkpoints must be at least 1, got 0"]),
    (["simulate", "--seed", "-1"], ["seed must be at least 0, got -1"]),
    (["simulate", "Exp3", "World"], ["World needs parameters and decision_sets", "--set"]),
    (["simulate", "--unknown-variation", "--set", "policy.variation=1"], ["policy.variation"]),
    (["windows", "--horizon", "0"], ["horizon must be at least 1 round, got 0"]),
    (["windows", "--dimension", "0"], ["dimension must be at least 1, got 0"]),
    (["windows", "--dimension", "two"], ["dimension must be a whole number, got 'two'"]),
    (["windows", "--variation", "-1"], ["variation must be at least 0, got -1.0"]),
    (["windows", "--variation", "nan"], ["variation must be a finite number, got nan"]),
    (["windows", "--noise", "-1"], ["noise must be at least 0, got -1.0"]),
    (["windows", "--confidence", "2"], ["confidence must be in (0, 1], got 2.0"]),
    (["windows", "--arms", "0"], ["n_arms must be at least 1, got 0"]),
    (["windows", "--horizon", str(10**19)], ["horizon must be at most", str(10**19)]),
    (["reproduce", "--replications", "0"], ["replications must be at least 1, got 0"]),
    (["reproduce", "--replications", "x"], ["replications must be a whole number, got 'x'"]),
    (["reproduce", "--jobs", "0"], ["jobs must be at least 1, got 0"]),
    (["reproduce", "--seed", "-1"], ["seed must be at least 0, got -1"]),
]


@pytest.mark.parametrize(("words", "parts"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_gets_one_sentence(
    words: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(words)
    captured = capsys.readouterr()
    assert_complaint(Answer(code, captured.out, captured.err))
    for part in parts:
        assert part in captured.err


@pytest.mark.parametrize(
    "words",
    [
        ["simulat"],
        ["windows", "--json", "--noise", "nan"],
        ["simulate", "SlidingWindwUCB", "--json"],
        ["simulate", "--set", "window=0"],
    ],
)
def test_bad_input_in_a_process_of_its_own(words: list[str]) -> None:
    assert_complaint(call(*words))


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file, not a folder")
    code = run(["reproduce", "--quick", "--out", str(taken)])
    captured = capsys.readouterr()
    assert_complaint(Answer(code, captured.out, captured.err))
    assert str(taken) in captured.err
    assert "out must be a folder that can be written" in captured.err


def test_bugs_show_where_they_come_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(recommendation, "print_recommendation", fail)
    with pytest.raises(ValueError, match="a bug"):
        run(["windows"])
    monkeypatch.setattr(reproduction, "reproduce", fail)
    with pytest.raises(ValueError, match="a bug"):
        run(["reproduce"])


@pytest.mark.parametrize(
    ("missing", "words"),
    [("typer", ["--help"]), ("rich", ["policies"]), ("polars", ["reproduce"])],
)
def test_what_is_not_installed_is_named(missing: str, words: list[str]) -> None:
    script = f"""
import sys
sys.modules[{missing!r}] = None  # as if it were not there
sys.argv[1:] = {words}
from driftwise.__main__ import main
sys.exit(main())
"""
    answer = execute("-c", script)
    assert_complaint(answer)
    assert missing in answer.err
    assert "pip install 'driftwise[experiments]'" in answer.err


def test_a_terminal_that_knows_only_ascii() -> None:
    answer = call(*SMALL["simulate"], PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "####" in answer.out


def test_a_reader_that_leaves_early() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "driftwise", "policies"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""


# ---------------------------------------------------------------- reproduce and Ctrl-C


class Stub:
    """What `reproduce` returns, as far as the command line looks at it."""

    def __init__(self, is_interrupted: bool) -> None:
        self.is_interrupted = is_interrupted

    def as_text(self) -> str:
        return "1. A claim: HOLDS\n   Measured: " + "word " * 40

    def as_dict(self) -> dict[str, Any]:
        return {"interrupted": self.is_interrupted}


@pytest.mark.parametrize(("is_interrupted", "code"), [(False, 0), (True, 130)])
def test_reproduce_hands_over_and_prints(
    is_interrupted: bool,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[dict[str, Any]] = []

    def reproduce(**options: Any) -> Stub:
        asked.append(options)
        return Stub(is_interrupted)

    monkeypatch.setattr(reproduction, "reproduce", reproduce)
    monkeypatch.setenv("COLUMNS", "60")
    options = ["--replications", "7", "--jobs", "2", "--seed", "9", "--out", "there", "--quiet"]
    assert run(["reproduce", *options, "--quick"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[2].startswith("   word"), "wrapped lines keep their indent"
    assert run(["reproduce", "--json"]) == code
    assert read_json(capsys.readouterr().out) == {"interrupted": is_interrupted}
    assert asked[0] == {
        "replications": 7,
        "jobs": 2,
        "seed": 9,
        "out": Path("there"),
        "quick": True,
        "quiet": True,
    }
    assert asked[1]["replications"] is None
    assert asked[1]["out"] == Path("results")


def test_reproduce_in_a_process_of_its_own(tmp_path: Path) -> None:
    answer = call(*QUICK, "--replications", "1", "--out", str(tmp_path / "new"), "--json")
    assert answer.code == 0, answer.err
    document = read_json(answer.out)
    assert document["replications"] == 1
    assert document["seed"] == 3
    assert not document["interrupted"]
    assert all(Path(path).is_file() for path in document["files"].values())
    assert "100% done" in answer.err, "progress goes to standard error"


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process only")
def test_ctrl_c_leaves_what_is_finished(tmp_path: Path) -> None:
    words = [*QUICK, "--replications", "100", "--out", str(tmp_path), "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "driftwise", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.search(r"\d% done", line):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    assert process.returncode == 130
    assert "Traceback" not in err
    document = read_json(out)
    assert document["interrupted"]
    numbers = pl.read_parquet(tmp_path / "numbers.parquet")
    assert 0 < numbers["replication"].n_unique() < 100
    assert numbers.height == pl.read_csv(tmp_path / "numbers.csv").height
    assert (tmp_path / "report.html").read_text("utf-8").rstrip().endswith("</html>")


def test_ctrl_c_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "play", interrupt)
    assert run(["simulate"]) == 130
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------- small parts


@pytest.mark.parametrize("text", ["30000", "30_000", "3e4", "+30000"])
def test_whole_numbers_as_people_write_them(text: str) -> None:
    assert whole(text) == 30_000


@pytest.mark.parametrize(
    ("value", "text"),
    [(1_234_567, "1,234,567"), (1e300, "1e+300"), (0.0, "0"), (999.96, "1000"), (-2.5, "-2.5")],
)
def test_numbers_as_people_read_them(value: float, text: str) -> None:
    assert plain_number(value) == text


@pytest.mark.parametrize("width", [20, 40, 200])
def test_bars_take_the_room_that_is_left(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = table_with_bars([">n", "word"], [["1", "one"], ["2", "two"]], [1.0, 2.0])
    bars = [len(str(cell)) for cell in lines.columns[-1].cells]
    assert bars[1] == max(0, min(30, width - 2 - (1 + 3) - (4 + 3)))
    assert bars[0] == round(bars[1] / 2)
