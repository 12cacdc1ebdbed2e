"""What the page about running the service says is so: its commands are run, in shell and in JavaScript."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.service.process import Process

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "service" / "production.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("log")
    process = Process.serving(ROOT / "examples" / "prices.toml", folder / "prices.db")
    process.start()
    yield process.port
    process.stop()


def here(text: str, port: int) -> str:
    return text.replace("localhost:8080", f"127.0.0.1:{port}")


def test_curl(port: int) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if "curl" in line]
    told = []
    for line in lines:
        command = here(line.partition(" >")[0], port)
        told.append(subprocess.run(command, shell=True, capture_output=True, check=True).stdout)
    decided, rewarded, forced, normal, frozen, log = told
    assert json.loads(decided)["id"] == "o-1"
    assert json.loads(rewarded)["status"] == "learnt"
    modes = [json.loads(each) for each in (forced, normal, frozen)]
    assert [each["mode"] for each in modes] == ["fallback", "normal", "normal"]
    assert (modes[1]["off"], modes[2]["is_frozen"]) == (["high"], True)
    assert json.loads(log.splitlines()[0])["event_id"] == "o-1"


def test_javascript(port: int, tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "this needs node"
    (script,) = blocks("js")
    file = tmp_path / "page.mjs"
    file.write_text(here(script, port))
    found = subprocess.run(
        [node, str(file)], capture_output=True, text=True, check=True, timeout=60
    )
    name, status = found.stdout.split()
    assert name in ("low", "middle", "high")
    assert status in ("learnt", "held"), "frozen by the test before, if that ran"


def test_python(port: int) -> None:
    (script,) = blocks("py")
    exec(here(script, port), {})
