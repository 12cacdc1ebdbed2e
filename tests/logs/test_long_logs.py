"""A million events fit: memory does not grow with what events hold, only by some bytes an event."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="no ru_maxrss")]

MEGABYTE = 2**20
WORK = """
import resource, sys
import driftwise as dw
log = dw.Log.read(sys.argv[1])
if sys.argv[2] == "check":
    log.soundness()
elif sys.argv[2] == "write":
    log.write(sys.argv[3])
elif sys.argv[2] == "warm":
    encoder = dw.features.Encoder.from_toml(sys.argv[3])
    agent = dw.Agent(dw.LinUCB(noise=0.3), encoder=encoder).warmed(log)
    assert agent.estimate.any()
scale = 1 if sys.platform == "darwin" else 1024  # kilobytes, but for macOS
print(len(log), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale)
"""


def write_log(path: Path, n: int) -> None:
    with path.open("w") as file:
        for t in range(n):
            k = t * 7919 % 4
            file.write(
                f'{{"event_id": "e{t}", "time": {t}, "context": {{"hour": {t % 24}, "segment": "new", '
                f'"age": {t % 90}, "since": {t * 0.37:.2f}}}, "actions": {{"blue": {{"price": '
                f'{t % 17}.5}}, "red": {{"price": 7.25}}, "green": {{"price": 3}}, "grey": {{}}}}, '
                f'"action": {k}, "propensity": 0.25, "propensities": [0.25, 0.25, 0.25, 0.25], '
                f'"reward": {t % 11 / 10}, "reward_time": {t + 3}}}\n'
            )


def peak(path: Path, work: str, target: Path) -> tuple[int, int]:
    """Return how many events a process read, and the most memory that it took."""
    words = [sys.executable, "-c", WORK, str(path), work, str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    count, memory = map(int, done.stdout.split())
    return count, memory


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A long and a short log in both forms; what is written is written by the package."""
    folder = tmp_path_factory.mktemp("logs")
    found = {}
    for name, n in (("long", 1_000_000), ("short", 200_000)):
        write_log(folder / f"{name}.jsonl", n)
        found[f"{name}.jsonl"] = folder / f"{name}.jsonl"
    return found


def test_reading_a_million_events(files: dict[str, Path], tmp_path: Path) -> None:
    (n, long), (_, short) = (
        peak(files[f"{name}.jsonl"], "read", tmp_path) for name in ("long", "short")
    )
    assert n == 1_000_000
    # 800,000 events more, 250 bytes each: as a whole they would take 200 megabytes in text alone.
    assert files["long.jsonl"].stat().st_size > 250 * MEGABYTE
    assert long - short < 60 * MEGABYTE


def test_checking_a_million_events(files: dict[str, Path], tmp_path: Path) -> None:
    (_, long), (_, short) = (
        peak(files[f"{name}.jsonl"], "check", tmp_path) for name in ("long", "short")
    )
    assert long - short < 800_000 * 150  # bytes an event


def test_converting_a_million_events(files: dict[str, Path], tmp_path: Path) -> None:
    peaks = []
    for name in ("long", "short"):
        target = tmp_path / f"{name}.parquet"
        peaks.append(peak(files[f"{name}.jsonl"], "write", target)[1])
        back = peak(target, "write", tmp_path / f"{name}.jsonl")
        assert back[0] == (1_000_000 if name == "long" else 200_000)
        peaks.append(back[1])
    assert peaks[0] - peaks[2] < 100 * MEGABYTE
    assert peaks[1] - peaks[3] < 100 * MEGABYTE


DECLARATION = """
[context.hour]
kind = "cycle"
period = 24
[context.always]
kind = "constant"
alone = false
[per_action]
terms = ["context.always"]
places = 4
"""


def test_learning_from_a_million_events(files: dict[str, Path], tmp_path: Path) -> None:
    declaration = tmp_path / "features.toml"
    declaration.write_text(DECLARATION)
    peak(files["short.jsonl"], "warm", declaration)  # compiles, which takes memory, too
    (n, long), (_, short) = (
        peak(files[f"{name}.jsonl"], "warm", declaration) for name in ("long", "short")
    )
    assert n == 1_000_000
    assert long - short < 60 * MEGABYTE
