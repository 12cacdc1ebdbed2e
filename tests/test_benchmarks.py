"""The harness of `make bench`: what it reads, compares and writes. Nothing here measures time."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.seeds import luck_of

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import timing
from benchmarks.budget import Limit, judge, read_budget
from benchmarks.child import run_child
from benchmarks.encoding import ACTIONS, CONTEXT, ENCODER, by_hand
from benchmarks.floor import compiler, floor_on
from benchmarks.growth import Curve, Panel, exponent, exponents
from benchmarks.growth_figure import draw
from benchmarks.instructions import counts_in
from benchmarks.measurement import Measurement, not_measured, of_ratio
from benchmarks.page import line_of, page
from benchmarks.peers.environments import CannotInstallError, environment
from benchmarks.peers.results import fastest
from benchmarks.plain_numpy import PlainNumpy
from benchmarks.workloads import changing_sets, fixed_set, radius_of, window_policy
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

WINDOW = 40
needs_gcc = pytest.mark.skipif(compiler() is None, reason="the floor is written in C: needs gcc")


def arms_of(rounds: Rounds, seed: int) -> tuple[list[int], float, float]:
    """What an agent plays, interpreted; its regret and its reward."""
    is_fixed = len(rounds.actions) == 1
    offer: dict[str, Any] = (
        {"decision_set": rounds.actions[0]} if is_fixed else {"dimension": rounds.actions.shape[2]}
    )
    agent = dw.Agent(window_policy(WINDOW), **offer, seed=seed, is_interpreted=True)
    arms, lost, won = [], 0.0, 0.0
    for t, (means, rewards) in enumerate(zip(rounds.means, rounds.rewards, strict=True)):
        decision = agent.choose(rounds.actions[0 if is_fixed else t])
        agent.learn(decision, float(rewards[decision.arm]))
        arms.append(decision.arm)
        lost += means.max() - means[decision.arm]
        won += rewards[decision.arm]
    return arms, lost, won


@needs_gcc
@pytest.mark.parametrize(
    "rounds",
    [
        fixed_set(2000, np.eye(2)),
        fixed_set(1000, np.eye(5)),
        changing_sets(600, 7, 4),
        changing_sets(400, 10, 10),
    ],
    ids=["two arms", "five arms", "d4 K7", "d10 K10"],
)
def test_the_floor_plays_the_same_arms(rounds: Rounds) -> None:
    arms = np.full(rounds.count_rounds(), -1)
    radius = radius_of(window_policy(WINDOW), rounds.actions.shape[2])
    played = floor_on(rounds, window=WINDOW, radius=radius, luck=luck_of(3), arms=arms)()
    wanted, lost, won = arms_of(rounds, seed=3)
    assert arms.tolist() == wanted
    assert played == pytest.approx((lost, won), rel=1e-12)
    assert len(set(wanted)) > 1  # there was something to choose


@needs_gcc
def test_the_floor_refuses_fixed_rows_off_the_axes() -> None:
    rounds = fixed_set(10, np.array([[1.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="unit vectors"):
        floor_on(rounds, window=5, radius=1.0)


def test_plain_numpy_plays_the_same_arms() -> None:
    rounds = changing_sets(150, 6, 4)
    plain = PlainNumpy(4, WINDOW, radius_of(window_policy(WINDOW), 4))
    arms = []
    for actions, rewards in zip(rounds.actions, rounds.rewards, strict=True):
        arms.append(plain.choose(actions))
        plain.learn(actions[arms[-1]], float(rewards[arms[-1]]))
    assert arms == arms_of(rounds, seed=0)[0]


def test_the_encoder_by_hand_makes_the_same_rows() -> None:
    rows = ENCODER.rows(CONTEXT, ACTIONS)
    np.testing.assert_allclose(by_hand(CONTEXT, ACTIONS), rows, rtol=0, atol=1e-14)
    strange = {"price": 99.0, "brand": "?", "size": "xxl", "sale": True}
    found = by_hand({"hour": 30.0, "segment": "gone"}, [strange])
    wanted = ENCODER.rows({"hour": 30.0, "segment": "gone"}, [strange])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


def test_a_ratio_is_best_over_best_with_the_spread_of_that_in_parts() -> None:
    times = [(3.0, 1.0), (2.0, 4.0), (8.0, 4.0), (9.0, 9.0), (4.0, 1.0)]
    assert timing.ratio_of(times) == (2.0, 0.5, 4.0, 2.0, 1.0)  # ratios 3, 0.5, 2, 1, 4
    twice = timing.ratio_of([pair for pair in times for _ in range(2)])
    assert twice == timing.ratio_of(times), "two pairs to a part"


@given(st.lists(st.tuples(*2 * [st.floats(0.1, 10.0)]), min_size=5, max_size=60))
def test_a_ratio_lies_within_its_spread(times: list[tuple[float, float]]) -> None:
    ratio = timing.ratio_of(times)
    assert ratio.lower <= ratio.best <= ratio.upper


def test_both_sides_are_run_in_turn() -> None:
    log: list[str] = []
    timing.compare(lambda: log.append("a"), lambda: log.append("b"), seconds=0.0, pairs=5)
    runs = "".join(log)
    blocks = [runs[i] for i in range(len(runs)) if i == 0 or runs[i - 1] != runs[i]]
    assert "".join(blocks[-10:]) == "ab" * 5


def test_every_limit_has_a_side_and_a_number() -> None:
    assert read_budget("loop = { at_most = 2 }\ngain = { at_least = 1.5 }") == {
        "loop": Limit("at_most", 2.0),
        "gain": Limit("at_least", 1.5),
    }
    assert len(read_budget()) > 20
    with pytest.raises(ValueError, match="loop must have either"):
        read_budget("loop = { about = 2 }")
    with pytest.raises(ValueError, match="loop must have either"):
        read_budget("loop = 2")
    with pytest.raises(TypeError, match="loop must have a number"):
        read_budget("loop = { at_most = true }")


@pytest.mark.parametrize(
    ("side", "value", "is_met"),
    [
        ("at_most", 1.0, True),
        ("at_most", 1.001, False),
        ("at_least", 1.0, True),
        ("at_least", 0.999, False),
        ("at_most", None, False),
        ("at_least", float("nan"), False),
    ],
)
def test_limits_include_their_bound(side: str, value: float | None, is_met: bool) -> None:
    (verdict,) = judge([Measurement("loop", "loop", value)], {"loop": Limit(side, 1.0)})
    assert verdict.is_met is is_met


def test_what_nobody_measured_is_missed_and_what_has_no_limit_is_not() -> None:
    verdicts = judge([Measurement("other", "other", 9.0)], {"loop": Limit("at_most", 1.0)})
    assert [(v.measurement.key, v.is_met) for v in verdicts] == [("other", True), ("loop", False)]


def test_the_page_has_a_row_for_each_line() -> None:
    ratio = timing.Ratio(2.0, 1.9, 2.25, 0.004, 0.002)
    verdicts = judge(
        [
            of_ratio("loop", "the loop | d = 2", ratio, rounds=1000),
            not_measured("gain", "the gain", "there is no gcc"),
            Measurement("plain", "only told", 0.5, "s"),
        ],
        {"loop": Limit("at_most", 3.0), "gain": Limit("at_least", 10.0)},
    )
    peers = {
        "date": "2020-01-02",
        "processor": "one",
        "driftwise": {"microseconds": 10.0, "version": "1"},
        "peers": {
            "broken": {"version": "3", "remark": "not installed: no wheel"},
            "slow": {"version": "2", "microseconds": 300.0, "remark": "never forgets"},
        },
    }
    text = page(verdicts, {"Python": "3"}, peers, "figure.svg")
    assert "1 of 2 targets are met" in text
    row = r"| the loop \| d = 2 | ≤ 3 x | 2 x | 1.90 to 2.25 | met | 4 against 2 µs a round |"
    assert row in text
    assert "| the gain | ≥ 10 x |  |  | missed | not measured: there is no gcc |" in text
    assert "| only told |  | 0.50 s |  |  |  |" in text
    assert "| slow | 2 | 300 | 30.0 x | never forgets |" in text
    assert "| broken | 3 |  |  | not installed: no wheel |" in text
    assert text.index("| slow |") < text.index("| broken |")
    assert "(figure.svg)" in text
    assert line_of(verdicts[1]).startswith("  missed")
    (nothing,) = judge([Measurement("none", "none", -0.001, "")], {})
    assert line_of(nothing).split() == ["0", "none"]
    (close,) = judge([Measurement("close", "close", 1.3041)], {"close": Limit("at_most", 1.3)})
    assert line_of(close).split() == ["missed", "1.3041", "x", "close", "(≤", "1.30", "x)"]
    assert "make bench-peers" in page(verdicts, {}, None, "figure.svg")


def test_the_fastest_peer_is_found() -> None:
    told: dict[str, Any] = {
        "date": "2020-01-02",
        "driftwise": {"microseconds": 10.0},
        "peers": {"a": {"microseconds": 40.0}, "b": {"microseconds": 30.0}, "c": {"remark": ""}},
    }
    (line,) = fastest(told)
    assert line.value == pytest.approx(3.0)
    assert line.note.startswith("b: 30 against 10 µs")
    (line,) = fastest(None)
    assert line.value is None


def test_a_peer_that_needs_another_python_is_reported() -> None:
    with pytest.raises(CannotInstallError, match=r"needs python0\.9, which is not on the path"):
        environment("nobody", ["nothing==0"], "0.9")


def test_exponents_are_slopes_on_logarithmic_scales() -> None:
    curve = Curve("cubes", [1, 2, 4], [5.0, 40.0, 320.0], 3.0)
    assert exponent(curve) == pytest.approx(3.0)
    bent = Curve("bent", [1, 2, 4], [1.0, 1.0, 2.0], 0.0)
    assert exponent(bent, last=2) == pytest.approx(1.0)
    panels = [Panel("window", "", "", [bent, curve]), Panel("d", "", "", [curve])]
    (line,) = exponents(panels)
    assert line.key == "window_exponent"
    assert line.value == pytest.approx(3.0)


def test_the_figure_is_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    panels = [
        Panel(key, f"{key} title", key, [Curve("changing sets", [1, 10], [1.0, 9.0], 1.0)])
        for key in "abcd"
    ]
    for name in ("one.svg", "two.svg"):
        draw(panels, tmp_path / name)
    text = (tmp_path / "one.svg").read_text("utf-8")
    assert text == (tmp_path / "two.svg").read_text("utf-8")
    assert "a title" in text
    assert "theory 1" in text


def test_counts_of_callgrind_are_read_by_name(tmp_path: Path) -> None:
    part = "version: 1\ndesc: Trigger: Client Request: two_arms_loop\nevents: Ir\ntotals: 1234\n"
    (tmp_path / "part.1").write_text(part, "utf-8")
    end = part.replace("Client Request: two_arms_loop", "Program termination")
    (tmp_path / "part").write_text(end, "utf-8")
    assert counts_in(tmp_path) == {"two_arms_loop": 1234}


def test_peers_are_pinned_and_have_a_loop() -> None:
    folder = Path(__file__).parents[1] / "benchmarks" / "peers"
    for name, entry in tomllib.loads((folder / "peers.toml").read_text("utf-8")).items():
        if "absent" not in entry:
            assert all("==" in requirement for requirement in entry["install"])
            assert (folder / "loops" / f"{name}.py").is_file()


def test_results_of_peers_are_complete() -> None:
    path = Path(__file__).parents[1] / "benchmarks" / "peers.json"
    if not path.exists():
        pytest.skip("`make bench-peers` has not run")
    told = json.loads(path.read_text("utf-8"))
    assert told["driftwise"]["microseconds"] > 0.0
    assert all(peer["remark"] for peer in told["peers"].values())


@pytest.mark.slow
def test_the_parts_of_reproduce_are_found() -> None:
    """The clocks are put around functions by their names, so a new name would leave one at zero."""
    parts, _ = run_child("-m", "benchmarks.outside_the_loop", "1")
    assert set(parts) == {"loop", "worlds", "noise", "start", "whole"}
    assert min(parts.values()) > 0.0
    assert parts["noise"] < parts["worlds"]  # these are within those, and all within the whole
    assert parts["loop"] + parts["worlds"] + parts["start"] < parts["whole"]
