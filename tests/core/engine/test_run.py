"""What came out of a simulation, as a line, a table and a picture."""

import sys

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import driftwise as dw

mpl.use("agg")


@pytest.fixture(scope="module")
def run() -> dw.Run:
    return dw.simulate(dw.UCB1(), dw.worlds.Sinusoid(horizon=2000), seed=3, checkpoints=4)


def test_a_line_with_the_curve(run: dw.Run) -> None:
    text = repr(run)
    assert text.startswith(f"Run(UCB1(), seed=3: regret {run.total_regret:.4g} in 2,000 rounds ")
    assert text.endswith("█)")


def test_html_with_a_picture(run: dw.Run) -> None:
    page = run._repr_html_()
    assert page.startswith("<div><b>Run: UCB1()</b>")
    assert "<svg" in page
    assert f"{run.total_regret:.4g}" in page


def test_tables_can_be_put_together(run: dw.Run) -> None:
    frame = pl.concat([run.frame(), run.frame()])
    assert frame.columns == ["policy", "seed", "round", "regret"]
    assert frame.height == 8
    assert set(frame["policy"]) == {"UCB1"}
    assert frame["regret"].to_list()[:4] == run.regret.tolist()
    assert frame["round"].to_list()[:4] == run.rounds.tolist()


def test_runs_can_be_drawn_into_one_picture(run: dw.Run) -> None:
    axes = run.plot()
    assert run.plot(axes, label="again", color="red") is axes
    first, second = axes.lines
    np.testing.assert_array_equal(first.get_ydata(), [0.0, *run.regret])
    np.testing.assert_array_equal(first.get_xdata(), [0, *run.rounds])
    assert (first.get_label(), second.get_label()) == ("UCB1", "again")
    mpl.pyplot.close("all")


@pytest.mark.parametrize(("package", "what"), [("polars", "frame"), ("matplotlib.pyplot", "plot")])
def test_what_is_missing_is_named(
    run: dw.Run, package: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"Run.{what} needs {package}: pip install"):
        getattr(run, what)()
