"""Every page is played: what it says is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site.playing import PageError, play_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PLAYED = ("start", "tutorials")  # whose commands are run, too; elsewhere some take minutes


def has_own_test(page: Path) -> bool:
    """Return whether a test plays the page already, with what it needs to be there."""
    return (ROOT / "tests" / f"test_{page.stem.replace('-', '_')}_page.py").exists()


def is_run(page: Path) -> bool:
    return ">>>" in page.read_text("utf-8") and not has_own_test(page)


PAGES = [path for path in sorted(DOCS.rglob("*.md")) if is_run(path)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_what_the_page_says_is_so(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTWISE_COMPILE", "never")  # agents decide the same, and sooner
    played = play_page(page, tmp_path, has_commands=page.parent.name in PLAYED)
    assert played.n_examples > 0


def test_the_start_is_played() -> None:
    assert {"first-decision.md", "first-experiment.md", "install.md"} <= {
        page.name for page in PAGES
    }


def written(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text(text, "utf-8")
    return path


def test_a_wrong_answer_is_found(tmp_path: Path) -> None:
    page = written(tmp_path, "```python\n>>> 1 + 1\n3\n\n```\n")
    with pytest.raises(PageError, match="Expected"):
        play_page(page, tmp_path)


def test_names_last_and_files_are_there(tmp_path: Path) -> None:
    page = written(
        tmp_path,
        "`a.txt`:\n\n```text\nhello\n```\n\n```python\n>>> from pathlib import Path\n>>> said = Path('a.txt').read_text()\n\n```\n\n"
        "```python\n>>> said\n'hello\\n'\n\n```\n",
    )
    assert play_page(page, tmp_path).n_examples == 3


def test_a_command_that_fails_is_found(tmp_path: Path) -> None:
    page = written(tmp_path, "    driftwise worlds Sinusoid --json\n")
    assert play_page(page, tmp_path).n_commands == 1
    with pytest.raises(PageError, match="NoWorld"):
        play_page(written(tmp_path, "    driftwise worlds NoWorld\n"), tmp_path)


FIGURE = (
    "```python\n>>> from matplotlib import pyplot as plt\n>>> lines = plt.plot([1, 2])\n\n```\n\n"
)


def test_a_figure_becomes_the_next_picture(tmp_path: Path) -> None:
    pictures = play_page(
        written(tmp_path, f"{FIGURE}![A line](generated/line.svg)\n"), tmp_path
    ).pictures
    assert list(pictures) == ["generated/line.svg"]
    assert b"<svg" in pictures["generated/line.svg"]


@pytest.mark.parametrize("text", [FIGURE, "![Nothing](generated/none.svg)\n"])
def test_figures_and_pictures_belong_together(text: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match="figure"):
        play_page(written(tmp_path, text), tmp_path)
