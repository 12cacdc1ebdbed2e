"""A file that asks for more than it holds is refused before it costs anything."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.hostile import content_of, members_of, packed, refuses
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS


def damaged(
    changes: dict[str, Any], name: str = "SlidingWindowUCB", kind: str = "changing"
) -> bytes:
    """Return the file of an agent with another header."""
    members = members_of(content_of(name, kind))
    header = json.loads(str(members["header"]))
    for place, value in changes.items():
        inner = header
        *way, last = place.split(".")
        for step in way:
            inner = inner[step]
        inner[last] = value
    return packed(members | {"header": np.array(json.dumps(header))})


def declared(shape: str, descr: str = "<f8") -> bytes:
    """Return the file of an agent with an array that says to be of another shape or type."""
    stream, text = io.BytesIO(content_of("SlidingWindowUCB", "changing")), io.BytesIO()
    description = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(text, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "memory.radius.npy":
                size = len(description).to_bytes(2, "little")
                content = b"\x93NUMPY\x01\x00" + size + description.encode() + bytes(64)
            new.writestr(name, content)
    return text.getvalue()


@cache
def compressed(name: str, is_text: bool = False) -> bytes:
    """Return a small file with an array of 80 megabytes in it."""
    members = members_of(content_of("SlidingWindowUCB", "changing"))
    members[name] = np.array(" " * (2 * 10**7)) if is_text else np.zeros((10**7, 1))
    stream = io.BytesIO()
    np.savez_compressed(stream, **members)  # type: ignore[arg-type]  # as in `packed`
    assert len(stream.getvalue()) < 10**6
    return stream.getvalue()


def nested(levels: int) -> Any:
    data: Any = 1
    for _ in range(levels):
        data = [data]
    return data


WINDOW = "policy.fields.window"
BOMBS: dict[str, Callable[[], bytes]] = {
    "a window": lambda: damaged({WINDOW: 10**8}),
    "a window that no machine has": lambda: damaged({WINDOW: 10**15}),
    "a window that no array has": lambda: damaged({WINDOW: 2**62}),
    "a horizon": lambda: damaged({"policy.fields.horizon": 10**8}, "AdSwitch", "axes"),
    "models": lambda: damaged({"policy.fields.models": 10**7}, "DetectingLinUCB"),
    "bases": lambda: damaged({"policy.fields.longest_order": 62, "dimension": 2000}, "Master"),
    "a dimension": lambda: damaged({"dimension": 10**9}),
    "a ball": lambda: damaged({"dimension": 10**5, "is_on_ball": True}),
    "a shape": lambda: declared("(1000000000,)"),
    "a shape that is no shape": lambda: declared("(-1, -8)"),
    "a type": lambda: declared("()", "<U400000000"),
    "deep brackets": lambda: declared("(" * 4000),
    "objects": lambda: declared("(1,)", "|O"),
    "a memory": lambda: compressed("memory.radius"),
    "a header": lambda: compressed("header", is_text=True),
    "a decision set": lambda: compressed("decision_set"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_asks_for_too_much_is_refused(name: str, tmp_path: Path) -> None:
    assert refuses(tmp_path / "agent", BOMBS[name]())


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process tells what it took")
def test_what_is_refused_takes_no_memory(tmp_path: Path) -> None:
    """In a process of its own, since all that is told is the most that one has ever taken."""
    for i, bomb in enumerate(BOMBS.values()):
        (tmp_path / f"{i}").write_bytes(bomb())
    (tmp_path / "sound").write_bytes(content_of("SlidingWindowUCB", "changing"))
    code = """if True:
        import pathlib, re, sys
        import driftwise as dw
        folder, status = pathlib.Path(sys.argv[1]), pathlib.Path("/proc/self/status")
        dw.Agent.load(folder / "sound")
        for path in ("sound", *folder.iterdir()):
            try:
                dw.Agent.load(folder / path)
            except ValueError:
                pass
            print(*re.findall(r"VmHWM:\\s+(\\d+) kB", status.read_text()))
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    kilobytes = [int(line) for line in done.stdout.split()]
    assert kilobytes[-1] - kilobytes[0] < 20_000  # each asks for 80 megabytes or more


@pytest.mark.parametrize("levels", [40, 500, 5000])
def test_a_header_is_not_deep(levels: int, tmp_path: Path) -> None:
    text = json.dumps({"format": "driftwise agent 2"})[:-1] + ', "policy": ' + "[" * levels
    members = members_of(content_of("SlidingWindowUCB", "changing"))
    for header in (text + "1" + "]" * levels + "}", text, "[" * levels, '{"a":' * levels):
        assert refuses(tmp_path / "agent", packed(members | {"header": np.array(header)}))
    for place in ("policy", WINDOW, "policy.fields", "seed", "n_choices", "dimension"):
        if levels < 900:  # more does not become JSON in the first place
            assert refuses(tmp_path / "agent", damaged({place: nested(levels)}))


@pytest.mark.parametrize("array", [{"array": [1], "dtype": "V1000000000"}, {"array": [1]}])
def test_a_header_makes_arrays_of_plain_numbers_only(array: Any, tmp_path: Path) -> None:
    assert refuses(tmp_path / "agent", damaged({WINDOW: array}))
