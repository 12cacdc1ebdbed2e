"""Machine code that cannot be kept, or must not be run: one sentence, and it is compiled again."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from numba import njit
from numba.core.registry import cpu_target

from driftwise.core.compiler import machine_code


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a compiled function, its only version and what keeps it, in a folder of its own."""
    monkeypatch.setattr(machine_code, "_said", [])
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "cache"))
    function = njit(lambda x: 2.0 * x)
    function(1.0)
    (version,) = function.overloads.values()
    return version, machine_code.MachineCode(function.py_func, lambda _: iter(()))


def load(version: Any, kept: machine_code.MachineCode) -> Any:
    return kept.load_overload(version.signature, cpu_target.target_context)


def test_what_is_kept_is_private_and_is_found(double: Any, tmp_path: Path) -> None:
    version, kept = double
    assert load(version, kept) is None  # and nothing is said: it is not compiled yet
    kept.save_overload(version.signature, version)
    (entry,) = (tmp_path / "cache").iterdir()
    assert load(version, kept).signature == version.signature
    if hasattr(os, "geteuid"):
        assert [path.stat().st_mode & 0o777 for path in (entry.parent, entry)] == [0o700, 0o600]


@pytest.mark.parametrize(
    "broken",
    ["driftwise.core.compiler.numba_parts.dumps", "os.replace", "os.fsync", "numba_inside"],
)
def test_what_cannot_be_kept_leaves_nothing_behind_but_a_sentence(
    broken: str, double: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, kept = double

    def full_disk(*_: Any) -> None:
        raise OSError("no space left")

    if broken == "numba_inside":
        monkeypatch.delattr("numba.core.compiler.CompileResult._reduce")
    else:
        monkeypatch.setattr(broken, full_disk)
    with pytest.warns(
        RuntimeWarning, match="cannot be kept.*_reduce|cannot be kept.*no space left"
    ):
        kept.save_overload(version.signature, version)
    kept.save_overload(version.signature, version)  # said once
    assert not list(tmp_path.glob("cache/*"))


def test_a_break_inside_of_numba_is_told_when_loading(
    double: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, kept = double
    kept.save_overload(version.signature, version)
    monkeypatch.delattr("numba.core.compiler.CompileResult._rebuild")
    with pytest.warns(RuntimeWarning, match=r"compiles again: .*_rebuild.* \(AttributeError\)"):
        assert load(version, kept) is None
    assert load(version, kept) is None  # said once


class Intruder:
    """Runs code when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are of POSIX")
@pytest.mark.parametrize("others_write_to", ["folder", "file", "nothing: it is theirs"])
def test_machine_code_of_others_is_not_run(
    others_write_to: str, double: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, kept = double
    kept.save_overload(version.signature, version)
    (entry,) = (tmp_path / "cache").iterdir()
    trace = tmp_path / "trace"
    entry.write_bytes(pickle.dumps(Intruder(trace)))
    if others_write_to == "folder":
        entry.parent.chmod(0o777)
    elif others_write_to == "file":
        entry.chmod(0o666)
    else:
        other = os.geteuid() + 1
        monkeypatch.setattr("os.geteuid", lambda: other)
    with pytest.warns(RuntimeWarning, match="not used, so this process compiles again: .*cache"):
        assert load(version, kept) is None
    assert load(version, kept) is None  # said once
    assert not trace.exists()


def test_a_user_without_a_home_keeps_nothing(
    double: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, kept = double

    def no_home() -> None:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(RuntimeWarning, match=r"cannot be kept.*home directory. \(RuntimeError\)"):
        assert load(version, kept) is None
    kept.save_overload(version.signature, version)  # said once
    assert kept.cache_path == ""
    assert not list(tmp_path.iterdir())
