"""The page in a browser: it opens without errors, moves, and outlives a restart of the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.service.process import Process
from driftwise.service.client import Client
from tests.service.browser import Browser, program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        program() is None, reason="there is no Chromium here (apt install chromium)"
    ),
]

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"
CONTEXT = {"device": "phone", "hour": 14}
ALARM = (
    "document.getElementById('alarm').hidden ? '' : document.getElementById('alarm').textContent"
)
LIGHTNESS = (
    "getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3)"
    ".reduce((sum, each) => sum + Number(each), 0) / 765"
)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Process]:
    process = Process.serving(EXAMPLE, tmp_path / "prices.db")
    process.start()
    yield process
    process.stop()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path / "browser")
    yield browser
    browser.close()


def decide(process: Process, name: str) -> None:
    with Client(f"http://127.0.0.1:{process.port}", "prices", timeout=20.0) as client:
        client.reward(client.decide(CONTEXT, id=name).id, 50.0)


def shown(name: str) -> str:
    return f"document.getElementById('recent').textContent.includes({name!r})"


def test_it_opens_moves_and_outlives_a_restart(service: Process, browser: Browser) -> None:
    address = f"http://127.0.0.1:{service.port}/"
    decide(service, "before")
    browser.open(address)
    browser.until("document.querySelector('main')?.hidden === false")
    browser.until(shown("before"))
    assert not browser.value(shown("while-open"))
    decide(service, "while-open")
    browser.until(shown("while-open"))
    browser.until("document.querySelectorAll('.chart canvas').length", lambda n: n >= 4)
    assert "rewards" in browser.value("document.getElementById('summary').textContent")
    assert (browser.exceptions, browser.errors) == ([], [])
    assert all(each.startswith((address, "data:")) for each in browser.addresses)
    service.kill()
    browser.until(ALARM, lambda text: "does not answer" in text)
    service.start()
    decide(service, "after")
    browser.until(shown("after"))
    assert browser.value(ALARM) == ""
    assert browser.exceptions == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_on_a_telephone_by_day_and_by_night(
    service: Process, browser: Browser, scheme: str
) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.call("Emulation.setEmulatedMedia", features=[feature])
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=375,
        height=800,
        deviceScaleFactor=1,
        mobile=True,
    )
    decide(service, "before")
    browser.open(f"http://127.0.0.1:{service.port}/")
    browser.until(shown("before"))
    assert browser.value("document.documentElement.scrollWidth") <= 375
    assert (browser.value(LIGHTNESS) > 0.5) == (scheme == "light")
    assert (browser.exceptions, browser.errors) == ([], [])


def test_it_shows_how_shadows_do(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "prices.toml"
    shadow = '[[shadow]]\nname = "steady"\npolicy = {name = "LinUCB", noise = 0.3}\n'
    file.write_text(f"{EXAMPLE.read_text('utf-8')}\n{shadow}")
    process = Process.serving(file, tmp_path / "prices.db")
    process.start()
    try:
        decide(process, "one")
        browser.open(f"http://127.0.0.1:{process.port}/")
        told = "document.getElementById('shadows')?.textContent"
        browser.until(told, lambda text: "steadyLinUCB" in (text or ""))
        assert browser.value("document.getElementById('shadows-part').hidden") is False
        assert (browser.exceptions, browser.errors) == ([], [])
    finally:
        process.stop()
