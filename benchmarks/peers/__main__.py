"""Install each peer, measure it, and write peers.json."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from ..machine import processor
from ..python_calls import agent_work, plain_work
from ..timing import pin, seconds
from .environments import CannotInstallError, environment
from .results import FILE

_HERE = Path(__file__).parent
_LIMIT = 300.0  # seconds for a measurement
_ROUNDS = 300


def main() -> int:
    """Measure driftwise before and after the others, who are measured once: the worse of two counts."""
    pin()
    pins = tomllib.loads((_HERE / "peers.toml").read_text("utf-8"))
    ours = _ours()
    peers: dict[str, dict[str, Any]] = {
        "plain NumPy": {
            "microseconds": 1e6 * seconds(plain_work(_ROUNDS, 10, 10), budget=6.0) / _ROUNDS,
            "version": f"NumPy {metadata.version('numpy')}",
            "remark": "our own writing of SW-LinUCB in the manner of research code, of which none is on the registry: V inverted by `pinv` in every round",
        }
    }
    for name, entry in pins.items():
        peers[name] = _measured(name, entry)
        print(name, peers[name].get("microseconds"), peers[name]["remark"], flush=True)
    ours = max(ours, _ours())
    print("driftwise", ours)
    told = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "processor": processor(),
        "driftwise": {"microseconds": ours, "version": metadata.version("driftwise")},
        "peers": peers,
    }
    FILE.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


def _ours() -> float:
    return 1e6 * seconds(agent_work(_ROUNDS, 10, 10), budget=6.0) / _ROUNDS


def _measured(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    if "absent" in entry:
        return {"remark": f"not measured: {entry['absent']}"}
    version = entry["install"][0].partition("==")[2]
    try:
        python = environment(name, entry["install"], entry.get("python"))
    except CannotInstallError as error:
        return {"version": version, "remark": f"not installed: {error}"}
    loop = _HERE / "loops" / f"{name}.py"
    one_thread = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(
            [str(python), str(_HERE / "drive.py"), str(loop)],
            check=True,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            env=os.environ | one_thread,
        )
    except subprocess.TimeoutExpired:
        return {"version": version, "remark": f"did not finish in {_LIMIT:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {"version": version, "remark": f"fails: {error.stderr.strip().splitlines()[-1]}"}
    return json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[no-any-return]  # from our own file


if __name__ == "__main__":
    sys.exit(main())
