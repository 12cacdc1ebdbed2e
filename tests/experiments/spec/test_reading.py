"""Errors about an experiment file: each names the line, the key, the rule and what came."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwise.core.base.places import find_lines, line_of
from driftwise.experiments import (
    ExperimentError,
    find_experiment,
    parse_experiment,
    read_experiment,
    run,
)
from driftwise.experiments.setup.building import Builder
from driftwise.experiments.spec.builtin import builtin_names


def error_of(text: str) -> str:
    with pytest.raises(ExperimentError) as caught:
        Builder(parse_experiment(text, "mine")).build_all()
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("replications = 4", "replicatons = 4", ["line 3: replicatons", "did you mean 'replications'"]),
        ("replications = 4", "replications = 0", ["line 3: replications", "at least 1", "got 0"]),
        ("replications = 4", "replications = true", ["line 3", "integer", "got True"]),
        ("horizons = [300, 600]", "horizons = []", ["line 2: horizons", "must be a list"]),
        ("horizons = [300, 600]", "horizons = [0]", ["line 2: horizons", "at least 1"]),
        ("horizons = [300, 600]", "horizon = [300]", ["did you mean 'horizons'"]),
        ("seed = 7", "seed = -1", ["line 5: seed", "at least 0", "got -1"]),
        ('name = "BanditOverBandit"', 'name = "BanditOverBandits"', ["line 22: policies[2].name", "did you mean 'BanditOverBandit'"]),
        ('name = "BanditOverBandit"', "name = 3", ["line 21: policies[2]", "name must be a string"]),
        ('label = "BOB"', 'label = "SW-UCB"', ["policies[2]", "'SW-UCB' twice"]),
        ('label = "BOB"', 'label = " "', ["policies[2]", "must not be empty"]),
        ('label = "BOB"', "mixng = 0.1", ["line 23: policies[2].mixng", "did you mean 'mixing'"]),
        ('label = "BOB"', "mixing = 2.0", ["line 23: policies[2].mixing", "(0, 1]", "got 2.0"]),
        ('label = "BOB"', 'mixing = "T ** x"', ["line 23: policies[2].mixing", "got 'x'"]),
        ('label = "BOB"', 'base = { name = "RestartUCB", rigde = 2 }', ["line 23: policies[2].base", "did you mean 'ridge'"]),
        ('label = "BOB"', 'base = { name = "RestartUC" }', ["line 23: policies[2].base", "did you mean 'RestartUCB'"]),
        ('name = "BanditOverBandit"', 'nam = "BanditOverBandit"', ["line 21: policies[2]", "did you mean name instead of nam"]),
        ('rate = "sliding-window"', 'rate = "sliding"', ["line 19: policies[1].rate", "'sliding-window'"]),
        ("{ window = [20, 200] }", "{ window = { from = 0, to = 9, points = 3 } }", ["comparators[1]", "window must be a number or a valid formula"]),
        ('label = "BOB"', "tuned = 1", ["line 23: policies[2].tuned", "true or false", "got 1"]),
        ('variation = "T ** (1/3)"', "variation = -1", ["line 14: worlds[2].variation", "at least 0"]),
        ('variation = "T ** (1/3)"', "horizon = 5", ["line 14: worlds[2].horizon"]),
        ("{ window = [20, 200] }", "{ widow = [20] }", ["line 28", "did you mean 'window'"]),
        ("{ window = [20, 200] }", "{ window = 20 }", ["line 28", "list of values"]),
        ("{ window = [20, 200] }", "{ window = { from = 1, to = 9 } }", ["line 28", "no points"]),
        ("{ window = [20, 200] }", "{ window = [0] }", ["comparators[1]", "at least 1 round", "got 0"]),
        ("[[policies]]", "[policies]", ["TOML"]),
        ('title = "A small experiment"', 'spacing = "odd"', ["line 1: spacing", "got 'odd'"]),
        ('title = "A small experiment"', 'variation_exponent = "a"', ["line 1", "fraction"]),
        ('title = "A small experiment"', "title = 1", ["line 1: title", "string"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    small_text: str, old: str, new: str, parts: list[str]
) -> None:
    assert old in small_text
    said = error_of(small_text.replace(old, new, 1))
    for part in parts:
        assert part in said, said


def test_a_file_without_worlds_or_policies() -> None:
    assert "at least one [[worlds]]" in error_of("horizons = [9]")
    assert "at least one [[policies]]" in error_of('horizons = [9]\n[[worlds]]\nname = "Sinusoid"')
    assert "TOML file" in error_of("horizons = [")
    assert "each begun by [[worlds]]" in error_of("horizons = [9]\nworlds = 3")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = " + "[" * 20_000 + "]" * 20_000, "mine must not nest its values so deeply"),
        ("x = " + "{a = " * 20_000 + "1" + "}" * 20_000, "mine must not nest its values so deeply"),
        (".".join("a" * 20_000) + " = 1", "mine must have keys of fewer than 100 parts"),
        ("[" + ' . "a"' * 20_000 + "]", "mine must have keys of fewer than 100 parts"),
        ("x = " + "1" * 5000, "mine must be a TOML file"),
        ('variation_exponent = "1e99999999"', "variation_exponent must be a number or a fraction"),
        ('variation_exponent = "1/1e-9999999"', "variation_exponent must be a number or a fracti"),
        ("variation_exponent = 1e999", "variation_exponent must be a number or a fraction"),
        ("variation_exponent = true", "variation_exponent must be a number or a fraction"),
        ("replications = 1000000000000", "line 1: replications: replications must make at most"),
        ("replications = 1" + "0" * 300, "line 1: replications: replications must be at most 92233"),
        ("seed = 0x" + "f" * 5000, "line 1: seed: "),
        ("checkpoints = 0x" + "f" * 5000, "line 1: checkpoints: "),
        ("horizons = [1000000000000]", "line 1: horizons: horizons must be at most 1000000000 ro"),
        ("horizons = [100000000]\ncheckpoints = 100000000", "line 2: checkpoints: checkpoints mu"),
    ],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_what_is_too_deep_or_too_much_is_refused_at_once(
    small_text: str, line: str, said: str
) -> None:
    names = {each.partition(" =")[0] for each in line.splitlines()}
    rest = [each for each in small_text.splitlines() if each.partition(" =")[0] not in names]
    assert said in error_of("\n".join([line, *rest]))


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("{ from = 4, to = 9, points = 1000000000 }", "points must be at most 10000, got 1000000000"),
        ("{ from = 4, to = 9, points = 10000 }, ridge = [1.0, 2.0]", "at most 10000 points, got 20000"),
    ],
)  # fmt: skip
def test_a_grid_has_an_end(small_text: str, grid: str, said: str) -> None:
    assert said in error_of(small_text.replace("[20, 200]", grid))


@pytest.mark.parametrize("label", ["x" * 201, r"a\u0000b", r"a\nb"])
def test_a_label_can_be_printed(small_text: str, label: str) -> None:
    said = error_of(small_text.replace('label = "BOB"', f'label = "{label}"'))
    assert "label must be at most 200 printable characters" in said
    assert len(said) < 200


@pytest.mark.parametrize(("text", "value"), [('"1/3"', 1 / 3), ('"0.5"', 0.5), ("2", 2.0)])
def test_an_exponent_may_be_a_fraction(small_text: str, text: str, value: float) -> None:
    experiment = parse_experiment(f"variation_exponent = {text}\n{small_text}", "mine")
    assert experiment.variation_exponent == value


CLAIM = """
[[claims]]
title = "A"
quote = "B"
rule = "share"
high = 0.5
"""


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ('rule = "share"', 'rule = "shar"', ["claims[1].rule", "did you mean 'share'"]),
        ("high = 0.5", 'high = "x"', ["claims[1]", "high must be a number"]),
        ("high = 0.5", "", ["claims[1]", "a claim must have a high"]),
        ('rule = "share"', 'rule = "slopes"', ["claims[1]", "needs a rate of both policies"]),
    ],
)
def test_claims_are_judged_before_the_work(
    small_text: str, old: str, new: str, parts: list[str]
) -> None:
    said = error_of(small_text + CLAIM.replace(old, new))
    for part in parts:
        assert part in said, said


def test_quick_is_checked_even_if_it_is_not_played(small_text: str) -> None:
    said = error_of(small_text + "\n[quick]\nhorizon = [3]\n")
    assert "quick.horizon" in said
    assert "did you mean 'horizons'" in said


def test_a_missing_setting_is_named() -> None:
    text = 'horizons = [9]\n[[worlds]]\nname = "LowerBound"\n[[policies]]\nname = "SlidingWindowUCB"\ntuned = false\n'
    assert "line 4: policies[1]: SlidingWindowUCB needs window and noise" in error_of(text)


def test_a_policy_that_cannot_play_in_a_world_is_named_before_the_work(tmp_path: Path) -> None:
    text = 'horizons = [9]\n[[worlds]]\nname = "FreshSets"\n[[policies]]\nname = "UCB1"\n'
    said = error_of(text)
    assert said.startswith("line 4: policies[1]: UCB1 plays arms, so the decision set must be the")
    assert "(in FreshSets); skip_refused = true leaves a policy out" in said
    with pytest.raises(ExperimentError, match=r"policies\[1\]: UCB1 plays arms"):
        run(parse_experiment(text, "mine"), out=tmp_path, jobs=1, quiet=True)
    Builder(parse_experiment(f"skip_refused = true\n{text}", "mine")).build_all()


def test_grids_become_policies(small_text: str) -> None:
    experiment = parse_experiment(small_text, "mine")
    assert experiment.contestants == ("SW-UCB", "BOB")
    labels = ("best fixed window window=20", "best fixed window window=200")
    assert experiment.comparators == {"best fixed window": labels}
    ranged = small_text.replace("[20, 200]", '{ from = 4, to = "T", points = 3 }')
    builder = Builder(parse_experiment(ranged, "mine"))
    (names,) = builder.experiment.comparators.values()
    assert names[1] == "best fixed window window 2 of 3"
    assert [builder.policy(name, "slow", 400).window for name in names] == [4, 40, 400]


def test_formulas_know_the_world(small_text: str) -> None:
    text = small_text.replace(
        'label = "BOB"', 'label = "BOB"\nblock_length = "d * sqrt(T) + K * B + S + 0 * R"'
    )
    builder = Builder(parse_experiment(text, "mine"))
    assert builder.world("fast", 600).variation == pytest.approx(600 ** (1 / 3))
    assert builder.policy("BOB", "slow", 400).block_length == 43


def test_policies_inside_of_policies() -> None:
    text = """
    horizons = [400]
    [[worlds]]
    name = "Sinusoid"
    [[policies]]
    name = "BanditOverBandit"
    base = { name = "DiscountedLinUCB", ridge = 2.0 }
    """
    policy = Builder(parse_experiment(text, "mine")).policy("BanditOverBandit", "Sinusoid", 400)
    assert type(policy.base).__name__ == "DiscountedLinUCB"
    assert policy.base.ridge == 2.0


def test_unknown_variation_is_not_told(small_text: str) -> None:
    text = small_text.replace('label = "SW-UCB"', 'label = "SW-UCB"\nknows_variation = false')
    builder = Builder(parse_experiment(text, "mine"))
    windows = [builder.policy("SW-UCB", world, 600).window for world in ("slow", "fast")]
    assert windows[0] == windows[1]


def test_quick_takes_the_place_of_the_rest(small_text: str) -> None:
    text = small_text + "\n[quick]\nhorizons = [100]\nreplications = 2\n"
    full, quick = (parse_experiment(text, "mine", quick=q) for q in (False, True))
    assert (full.horizons, full.replications, full.is_quick) == ((300, 600), 4, False)
    assert (quick.horizons, quick.replications, quick.is_quick) == ((100,), 2, True)


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("quick", [True, False])
def test_built_in_experiments_can_be_built(name: str, quick: bool) -> None:
    experiment = find_experiment(name, quick=quick)
    assert experiment.title != name
    assert experiment.description
    Builder(experiment).build_all()


def test_files_and_names(small_text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(small_text)
    assert read_experiment(path) == find_experiment(str(path))
    assert find_experiment(str(path)).name == "mine"
    with pytest.raises(OSError, match="file that exists"):
        find_experiment(str(tmp_path / "other.toml"))
    with pytest.raises(ValueError, match="did you mean 'pricing'"):
        find_experiment("pricng")
    path.write_bytes(b"\xff")
    with pytest.raises(ExperimentError, match="UTF-8"):
        read_experiment(path)


def test_lines_of_nested_tables_and_texts() -> None:
    text = '''a = """
b = 1
"""
[[x]]
"c d" = 1
"i.j" . k = 1
[x.inner]
e = { f = 2 }
[[x]]
[[x.list]]
g.h = 3
'''
    lines = find_lines(text)
    assert lines == {
        ("a",): 1, ("x", 0): 4, ("x", 0, "c d"): 5, ("x", 0, "i.j", "k"): 6,
        ("x", 0, "inner"): 7, ("x", 0, "inner", "e"): 8,
        ("x", 1): 9, ("x", 1, "list", 0): 10, ("x", 1, "list", 0, "g", "h"): 11,
    }  # fmt: skip
    assert line_of(("x", 0, "inner", "e", "f"), lines) == 8
    assert line_of(("nowhere",), lines) is None
