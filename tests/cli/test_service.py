"""`driftwise log` on the log of a service, and `driftwise service` on one that runs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from driftwise.service.client import Client

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"


def driftwise(*words: str, code: int = 0) -> Any:
    """Return what a command prints as JSON, or its complaint."""
    command = [sys.executable, "-m", "driftwise", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout) if code == 0 and "--json" in words else done.stderr


def serving(file: Path, *options: str) -> tuple[str, subprocess.Popen[bytes]]:
    """Start a service, and return where it is, and the process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "driftwise", "serve", str(file), "--port", str(port), *options]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            with urlopen(f"{url}/readyz", timeout=1):
                break
        except OSError:
            time.sleep(0.1)
    return url, process


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Serve a problem that has decided and learnt; yield its file and its address."""
    file = tmp_path / "prices.toml"
    file.write_text(EXAMPLE.read_text())
    url, process = serving(file, "--archive", str(tmp_path / "archive"))
    with process:
        try:
            with Client(url, "prices", timeout=60.0) as client:
                for i in range(20):
                    made = client.decide({"device": "phone", "hour": 14}, id=f"n{i}")
                    client.reward(made.id, 10.0 * made.arm)
            yield file, url
        finally:
            process.terminate()


def test_a_service_is_operated_by_commands_and_its_log_is_verified_meanwhile(
    served: tuple[Path, str],
) -> None:
    file, url = served
    own = ("prices", "--url", url, "--json")
    why = ("--why", "a test")
    assert driftwise("service", "status", *own)["rewards"]["learnt"] == 20
    other = file.with_name("other.toml")
    other.write_text('[policy]\nname = "LinUCB"\nnoise = 0.1\n')
    dry = driftwise("service", "policy", "prices", str(other), *own[1:], *why, "--dry-run")
    assert (dry["dry"], dry["policy"], dry["decisions"]) == (True, "AdaptiveUCB", 20)
    done = driftwise("service", "policy", "prices", str(other), *own[1:], *why)
    assert (done["policy"], done["different"]) == ("LinUCB", dry["different"])
    assert driftwise("service", "rewind", "prices", "30", *own[1:], *why)["left_out"] > 0
    assert driftwise("service", "censor", *own, *why, "--arm", "low")["dry"] is False
    assert driftwise("service", "freeze", *own, *why)["is_frozen"]
    assert not driftwise("service", "freeze", *own, *why, "--thaw")["is_frozen"]
    copy = driftwise("service", "backup", *own, *why)
    assert Path(copy["file"]).exists()
    found = driftwise("log", "verify", str(file), "--json")
    assert (found["choices"], found["operations"]) == (20, 3)
    target = file.with_name("log.jsonl")
    assert driftwise("log", "export", str(file), str(target), "--json")["events"] == 20
    assert driftwise("service", "erase", *own, *why, "--id", "n3")["decisions"] == 1
    said = driftwise("log", "erase", str(file), *why, "--id", "n4", code=2)
    assert "another" in said, said
    assert "to must be an event" in driftwise(
        "service", "rewind", "prices", "99999", *own[1:], *why, code=2
    )


def test_a_problem_of_a_template_has_a_log_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "shops.toml"
    file.write_text('arms = ["low", "high"]\n[template]\n')
    url, process = serving(file, "--archive", str(tmp_path / "archive"))
    with process:
        try:
            with Client(url, "shops.berlin", timeout=60.0) as client:
                for i in range(10):
                    client.reward(client.decide(id=f"n{i}", user="u-7" if i > 6 else "").id, 1.0)
            own = ("shops.berlin", "--url", url, "--json")
            assert driftwise("service", "status", *own)["rewards"]["learnt"] == 10
            dry = ("--why", "x", "--dry-run")
            assert driftwise("service", "erase", *own, "--user", "u-7", *dry)["decisions"] == 3
            assert driftwise("service", "rewind", own[0], "9", *own[1:], "--why", "x")["left_out"]
        finally:
            process.terminate()
    log = ("--problem", "shops.berlin", "--json")
    assert driftwise("log", "verify", str(file), *log)["choices"] == 10
    assert driftwise("log", "erase", str(file), "--id", "n3", "--why", "x", *log)["decisions"] == 1
    whose = ("--user", "u-7", "--why", "x")
    assert driftwise("log", "erase", str(file), *whose, *log)["decisions"] == 3
    assert driftwise("log", "erase", str(file), *whose, *log)["decisions"] == 0
    file.write_text('arms = ["low", "high", "top"]\n[template]\n[limits]\nopen = 9\n')
    assert "driftwise log extend" in driftwise("log", "verify", str(file), *log, code=2)
    assert driftwise("log", "extend", str(file), "--why", "x", *log)["lost"] == 4
    assert driftwise("log", "verify", str(file), *log)["erased"] == 4
    assert "such as shops.NAME" in driftwise("log", "verify", str(file), code=2)
    assert "is no template" in driftwise("log", "verify", str(EXAMPLE), *log, code=2)


def test_a_log_that_nobody_serves(served: tuple[Path, str]) -> None:
    file, _ = served
    state = driftwise("log", "replay", str(file), "--to", "20", "--json")
    assert state["seq"] == 20
    whole = driftwise("log", "replay", str(file), "--json")
    assert whole["counts"]["learnt"] == 20


def test_a_log_at_rest_is_erased_and_archived(served: tuple[Path, str], tmp_path: Path) -> None:
    file, url = served
    copy = driftwise("service", "backup", "prices", "--url", url, "--why", "a test", "--json")
    log = ("--store", copy["file"], "--json")
    moved = driftwise(
        "log",
        "archive",
        str(file),
        "--why",
        "a test",
        "--to",
        "12",
        "--folder",
        str(tmp_path),
        *log,
    )
    assert (moved["until"], Path(moved["file"]).parent) == (12, tmp_path)
    assert driftwise("log", "verify", str(file), *log)["archived"] == 12
    erased = driftwise(
        "log", "erase", str(file), "--why", "a test", "--where", "device=phone", "--dry-run", *log
    )
    assert erased == {"decisions": erased["decisions"], "dry": True}
    assert erased["decisions"] > 0
    missing = driftwise("log", "verify", str(file), "--store", str(tmp_path / "no.db"), code=2)
    assert "got no such file" in missing


def test_a_key_goes_for_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "button.toml"
    file.write_text('arms = ["red", "blue"]\n')
    driftwise("keys", "add", str(file), "--scope", "read", "--note", "a page")
    (key,) = driftwise("keys", "list", str(file), "--json")["keys"]
    assert (key["scopes"], key["note"]) == (["read"], "a page")
    assert "why must be given" in driftwise("keys", "revoke", str(file), key["id"], code=2)
    driftwise("keys", "revoke", str(file), key["id"], "--why", "it leaked")
    assert driftwise("keys", "list", str(file), "--json") == {"keys": []}
