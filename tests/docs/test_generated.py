"""Pages that are made of the code leave nothing out."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import pytest
import typer

from docs.site.at_work import picture_of_policy, picture_of_world, work_of
from docs.site.choosing import decision_tree, draw_tree, leaves
from docs.site.command_line import command_line_page
from docs.site.formulas import rates_table
from docs.site.house import draw_house, floors_of, rooms_table
from docs.site.markdown import plain
from docs.site.members import policy_pages, world_pages
from docs.site.pages import source_of, with_inserts
from docs.site.real_data import bikes
from docs.site.reference import MODULES, reference_pages
from docs.site.scores import board, kind_table, policy_part
from driftwise import registry
from driftwise.cli import app
from driftwise.experiments.figures.drawing import Drawing
from driftwise.theory import RATES

ROOT = Path(__file__).parents[2]

REFERENCE = reference_pages()
OWN = registry.own()
NOTHING = dict.fromkeys([*OWN.policies, *OWN.worlds], Drawing(b"", b"<svg/>", "In words."))
PAGES = policy_pages(NOTHING) | world_pages(NOTHING)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_described_or_has_a_page(name: str) -> None:
    module = importlib.import_module(name)
    page = REFERENCE[f"reference/{name.rpartition('.')[2]}.md"]
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.ismodule(value):
            continue
        own = {f"policies/{public}.md", f"worlds/{public}.md"} & PAGES.keys()
        assert own or f"{name}.{public}" in page, public


@pytest.mark.parametrize(("module", "is_told"), [("worlds", True), ("delays", False)])
def test_a_module_leads_to_the_pages_of_its_policies_and_worlds(module: str, is_told: bool) -> None:
    assert ("](../worlds/index.md)" in REFERENCE[f"reference/{module}.md"]) == is_told


@pytest.mark.parametrize("page", REFERENCE)
def test_every_constant_is_explained(page: str) -> None:
    described = re.findall(r"py:data:: (\S+)\n(?:   :value:.*\n)?\n   (.*)", REFERENCE[page])
    assert len(described) == REFERENCE[page].count("py:data::")
    assert [name for name, said in described if not re.fullmatch(r"[A-Z\"].{14,}\.", said)] == []


def test_a_comment_beside_a_constant_and_one_above_it_are_found() -> None:
    assert "A delay that no run is long enough for" in REFERENCE["reference/delays.md"]
    assert '"Hedging the Drift".' in REFERENCE["reference/theory.md"]


@pytest.mark.parametrize(
    ("page", "made_by"),
    [("worlds/Pricing", "keskin_zeevi"), ("policies/LinUCB", "practical, tuned")],
)
def test_all_ways_to_make_one_are_on_its_page(page: str, made_by: str) -> None:
    assert f":members: {made_by}\n" in PAGES[f"{page}.md"].decode()


def test_every_kind_of_rewards_is_explained() -> None:
    page = PAGES["worlds/index.md"].decode()
    assert '| `"outliers"` | Expectation plus normal noise that in one round' in page
    assert '| `"bernoulli"` | A reward of 1 with the expectation as its probability' in page


@pytest.mark.parametrize("name", OWN.policies)
def test_every_policy_has_a_page_with_its_card_picture_and_scores(name: str) -> None:
    page, card = PAGES[f"policies/{name}.md"].decode(), OWN.policies[name].card
    assert f"| guarantee | {plain(card.guarantee)} |" in page
    assert f"![In words.](pictures/{name}.svg)" in page
    assert f"autoclass:: driftwise.{name}" in page
    assert "scoreboard](../scoreboard.md)" in page
    assert f"[{name}]({name}.md)" in PAGES["policies/index.md"].decode()


@pytest.mark.parametrize("name", OWN.worlds)
def test_every_world_has_a_page_with_its_picture(name: str) -> None:
    page = PAGES[f"worlds/{name}.md"].decode()
    assert f"autoclass:: driftwise.worlds.{name}" in page
    assert f"![In words.](pictures/{name}.svg)" in page


def test_a_policy_page_has_the_score_of_the_board() -> None:
    own = board().scores["SlidingWindowUCB"][board().comparators[0]]
    assert f"| mean, and place | {own.geometric_mean:.2f}, " in policy_part("SlidingWindowUCB")
    best = min(own.ratios, key=own.ratios.__getitem__)
    assert f"| wins most | {best}: {own.ratios[best]:.2f}" in policy_part("SlidingWindowUCB")
    assert "does not play" in policy_part("OracleRestart")


def test_a_table_of_scores_begins_with_the_best() -> None:
    shown = kind_table(lambda family, kind: kind.rewards == "amounts")
    assert board().ranked(board().comparators[0])[0] in shown.splitlines()[2]
    assert "Nothing yet" in kind_table(lambda family, kind: False)


def test_the_tree_has_a_leaf_for_every_answer() -> None:
    tree, words = decision_tree(), draw_tree().words
    assert tree.count("- take [") == tree.count("- with a proof, take [") == len(leaves()) >= 2
    for answer in ("are the same in every round", "have features, and change"):
        assert tree.count(f"**Actions {answer}**") == 1
    for leaf in leaves():
        cost = f"{leaf.best.geometric_mean:.2f}"
        assert f"{leaf.best.name} {cost}" in words
        assert f"{leaf.best.name}.md): {cost}, at worst {leaf.best.worst:.2f}" in tree


def test_a_policy_at_work_is_the_same_every_time() -> None:
    first, again = work_of("SlidingWindowUCB"), work_of("SlidingWindowUCB")
    assert (first.arms == again.arms).all()
    assert first.regret[-1] < 0.5 * first.blind[-1]
    assert b"<svg" in picture_of_policy("LinUCB").svg


def test_a_world_without_defaults_is_drawn_by_its_example() -> None:
    assert b"<svg" in picture_of_world("Recorded").svg


def test_the_house_has_every_room_of_the_contracts() -> None:
    house, rooms = draw_house(ROOT), rooms_table(ROOT)
    for floor in (*floors_of(ROOT, "Imports point one way"), *floors_of(ROOT, "Rooms of the core")):
        for room in floor:
            name = room.rpartition(".")[2]
            assert name == "__main__" or (name in house.words and f"{name}`" in rooms)
    assert floors_of(ROOT, "Imports point one way")[0] == ["driftwise.core"]


def test_code_is_cut_out_of_the_package() -> None:
    block = source_of("driftwise.policies.exp3s.Exp3S.learn")
    assert block.startswith("```python\ndef learn(self, memory")
    assert with_inserts(b"<!-- code: driftwise.theory.slope -->", {}).startswith(b"```python\ndef ")


def test_the_bikes_are_evaluated_where_their_data_are(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("ISLP") is not None:
        text, pictures = bikes(ROOT)
        (place,) = pictures
        assert f"]({Path(place).relative_to('tutorials')})" in text
        assert b"<svg" in pictures[place]
        rows = re.findall(r"^\| (\d+) \| (0\.\d+) \(.*\) \| (0\.\d+) \|$", text, re.MULTILINE)
        assert [level for level, *_ in rows] == ["40", "100", "180", "280", "420"]
        assert [float(found) for _, found, _ in rows] == pytest.approx(
            [float(true) for *_, true in rows], abs=0.01
        )
        assert "Forgetting pays" in text
    monkeypatch.setattr("docs.site.real_data.find_spec", lambda name: None)
    text, pictures = bikes(ROOT)
    assert "`make data`" in text
    assert pictures == {}


def test_every_rate_is_in_the_table() -> None:
    assert all(f"| `{name}` |" in rates_table() for name in RATES)


def test_every_command_and_option_is_on_the_page() -> None:
    page = command_line_page()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
    for name, command in commands.items():
        assert f"## driftwise {name}\n" in page
        for parameter in command.params:
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[-1] in page
    assert not re.search(r"<(list\[|path|str|int)", page), "no types of Python"
