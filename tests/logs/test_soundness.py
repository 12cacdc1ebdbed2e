"""What `log.soundness()` finds besides wrong propensities, one fault at a time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from tests.logs.events import Event, epsilon_greedy

SOUND = epsilon_greedy(1, n=2000)


def findings(events: list[Event], **options: Any) -> dict[str, Any]:
    return {each.name: each for each in dw.Log(events).soundness(**options).findings}


def without(name: str, events: list[Event]) -> list[Event]:
    return [{key: value for key, value in event.items() if key != name} for event in events]


def test_a_sound_log_is_called_sound() -> None:
    told = dw.Log(SOUND).soundness()
    assert told.is_sound
    assert {each.severity for each in told.findings} == {"fine"}
    assert json.loads(json.dumps(told.as_dict(), allow_nan=False)) == told.as_dict()
    assert str(told).startswith("2,000 events: 0 errors, 0 warnings, 0 notes.\n")
    assert len(str(told).splitlines()) == 1 + len(told.findings)
    assert repr(told) == str(told)
    assert told._repr_html_().count(">fine</th>") == len(told.findings)


def test_every_fault_says_what_it_means_and_what_to_do() -> None:
    faults = [
        [*SOUND, SOUND[-1]],
        without("propensity", without("propensities", SOUND)),
        without("reward", SOUND),
        [event | {"propensity": 1.0, "propensities": None} for event in SOUND],
        without("time", without("reward_time", without("event_id", SOUND))),
        without("propensities", SOUND),
        SOUND[:20],
        [*SOUND[:-1], *without("reward", SOUND[-1:])],
    ]
    for events in faults:
        told = dw.Log([{k: v for k, v in e.items() if v is not None} for e in events]).soundness()
        loud = [each for each in told.findings if each.severity != "fine"]
        assert loud
        for each in loud:
            assert each.means
            assert each.advice
            assert f"{each.says}\n  {each.means}\n  What to do: {each.advice}" in str(told)
            assert each.advice in told.as_text()


def test_duplicates() -> None:
    told = dw.Log([*SOUND, SOUND[-1], SOUND[-1]]).soundness()
    assert not told.is_sound
    assert told.findings[0].name == "duplicates"
    assert told.findings[0].numbers["duplicates"] == 2


def test_unknown_ids_and_second_rewards() -> None:
    strays = [{"event_id": "nobody", "reward": 1.0}, {"event_id": "3", "reward": 1.0}]
    found = findings([*SOUND, *strays])
    assert found["unknown ids"].numbers["unknown_ids"] == 1
    assert "'nobody'" in found["unknown ids"].says
    assert found["second rewards"].numbers["second_rewards"] == 1
    assert found["unknown ids"].severity == found["second rewards"].severity == "warning"
    of_a_part = dw.Log([*SOUND, *strays])[:100].soundness()
    assert "unknown ids" not in {each.name for each in of_a_part.findings}


def test_missing_rewards_gather_at_the_end() -> None:
    events = [event if t < 1900 else without("reward", [event])[0] for t, event in enumerate(SOUND)]
    found = findings(events)["rewards"]
    assert found.severity == "warning"
    assert found.numbers["missing"] == 100
    assert found.numbers["share_in_last_tenth"] == 0.5
    # With a wait that has not passed for any of them nothing is amiss.
    patient = findings(events, wait=150.0)["rewards"]
    assert patient.severity == "note"
    assert patient.numbers["missing_though_mature"] == 0
    assert findings(events, wait=50.0)["rewards"].numbers["missing_though_mature"] == 50


def test_late_rewards() -> None:
    delays = np.array([event["reward_time"] - event["time"] for event in SOUND])
    found = findings(SOUND, wait=20.0)["delays"]
    assert found.severity == "warning"
    assert found.numbers["late"] == int((delays > 20.0).sum()) > 0
    assert findings(SOUND)["delays"].numbers["median_delay"] == pytest.approx(np.median(delays))


def test_rewards_before_their_decisions() -> None:
    events = [*without("reward", without("reward_time", SOUND))]
    early = {"event_id": "10", "reward": 1.0, "reward_time": 3.0}
    found = findings([*events, early])["delays"]
    assert found.severity == "error"
    assert found.numbers["before_decision"] == 1


def test_a_gap_in_time() -> None:
    late = [
        event | {"time": event["time"] + 500.0, "reward_time": event["reward_time"] + 500.0}
        for event in SOUND[1000:]
    ]
    found = findings(SOUND[:1000] + late)["time"]
    assert found.severity == "warning"
    assert found.numbers["gaps"] == 1
    assert (found.numbers["largest_gap_from"], found.numbers["largest_gap_to"]) == (999.0, 1500.0)


def test_no_overlap() -> None:
    events = [
        {"actions": ["a", "b"], "action": 0, "propensity": 1.0, "reward": float(t % 2)}
        for t in range(200)
    ]
    found = findings(events)
    assert found["support"].severity == "warning"
    assert "nothing to chance" in found["support"].says
    assert found["drift"].severity == "warning", "one action tells nothing about contrasts"


def test_actions_that_were_never_chosen() -> None:
    events = [
        event | {"actions": [f"arm {k}" for k in range(5)]}
        for event in without("propensities", SOUND)
    ]
    found = findings(events)["support"]
    assert found.severity == "warning"
    assert found.numbers["never_chosen"] == ["arm 4"]


def test_propensities_of_zero_are_a_lack_of_support() -> None:
    event = {"actions": ["a", "b"], "propensities": [0.5, 0.5], "reward": 1.0}
    events = [event | {"action": t % 2} for t in range(100)]
    events += [event | {"action": 0, "propensities": [1.0, 0.0]} for _ in range(100)]
    found = findings(events)["support"]
    assert found.severity == "warning"
    assert found.numbers["share_of_zeros"] == 0.25


def test_the_effective_sample_is_counted() -> None:
    fine = findings(SOUND)["effective sample"]
    assert (fine.severity, fine.means) == ("fine", ""), "no reason to doubt"
    found = fine.numbers
    w = np.array([0.25 / event["propensity"] for event in SOUND])
    assert found["effective"] == pytest.approx(w.sum() ** 2 / (w**2).sum())
    few = findings(epsilon_greedy(2, n=2000, share=0.01))["effective sample"]
    assert few.severity == "warning"


def test_whether_drift_could_be_told() -> None:
    enough = findings(SOUND)["drift"]
    assert enough.severity == "fine"
    counts = np.zeros((2, 4))
    for t, event in enumerate(SOUND):
        counts[t // 1000, event["action"]] += 1
    sd = np.std([event["reward"] for event in SOUND])
    visible = np.sort(2.8 * sd * np.sqrt((1 / counts).sum(axis=0)))
    assert enough.numbers["visible_change_of_most_played"] == pytest.approx(visible[0])
    assert enough.numbers["visible_change_of_second"] == pytest.approx(visible[1])
    assert findings(SOUND[:40])["drift"].severity == "warning"
    assert findings([event | {"reward": 1.0} for event in SOUND])["drift"].severity == "warning"


def test_thousands_of_actions_are_judged_by_propensity_alone() -> None:
    random = np.random.default_rng(4)
    events = []
    for t in range(1500):
        names = [f"item {10 * t + k}" for k in range(3)]
        propensities = [0.5, 0.3, 0.2]
        action = int(random.choice(3, p=[0.2, 0.3, 0.5]))
        events.append({"actions": names, "action": action, "propensities": propensities})
    found = findings(events)["frequencies"]
    assert found.severity == "error"
    assert found.numbers["by_arm"] == {}
    assert found.numbers["group"].startswith("Actions of propensity")


def test_what_was_not_read_is_told(tmp_path: Any) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(event | {"propensty": 1}) for event in SOUND))
    (found,) = (each for each in dw.Log.read(path).soundness().findings if each.name == "fields")
    assert found.says == "Not read: propensty."
    assert found.means


def test_bad_questions() -> None:
    with pytest.raises(ValueError, match="wait must be at least 0, got -1"):
        dw.Log(SOUND).soundness(wait=-1)
    with pytest.raises(ValueError, match="log must have at least one event, got none"):
        dw.Log(SOUND)[:0].soundness()
