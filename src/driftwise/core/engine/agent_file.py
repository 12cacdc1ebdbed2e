"""The file of an agent: a header and plain arrays, held to be damaged until they are shown sound."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Matrix
from ..base.files import remove_drafts, write
from ..base.limits import keeps_limits
from ..base.validation import require_flag, require_integer
from ..contract.offers import Offers
from ..contract.policy import Policy
from ..contract.records import arrays_in
from ..contract.unit_ball import UnitBall
from .starting import allocated

__all__ = ["AgentFile", "write_agent"]

_FORMAT = "driftwise agent 1"
_KEYS = {"policy", "dimension", "seed", "n_choices", "is_interpreted"}  # what every header has
_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_MANY = 1_000_000  # dimensions; more of them only if the file is as long


def write_agent(
    path: str | os.PathLike[str], header: dict[str, Any], memory: Any, rows: Matrix | None
) -> None:
    """Write an agent, and its decision set if that never changes; nothing less than all of it."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path must be in a folder that exists, got {str(path)!r}")
    members = {f"memory_{i}": array for i, array in enumerate(arrays_in(memory))}
    for array in members.values():
        if not np.isfinite(array).all():
            raise ValueError(
                f"memory must be finite to be saved, got {array[~np.isfinite(array)][0]} in it; "
                f"{str(path)!r} was left as it is"
            )
    members["header"] = np.array(json.dumps({"format": _FORMAT} | header))
    if rows is not None:
        members["decision_set"] = rows
    content = io.BytesIO()
    # Without `allow_pickle`, which numpy 2.0 and 2.1 take for one more array.
    np.savez(content, **members)  # type: ignore[arg-type]  # no member has the name of an option
    remove_drafts(target)
    write(target, content.getvalue())


class AgentFile:
    """A file that may be an agent: arrays are read once it is known what they must be."""

    def __init__(self, path: str | os.PathLike[str], file: BinaryIO) -> None:
        self._damage = ValueError(
            f"path must hold an agent that is undamaged and of this version, got {str(path)!r}, "
            f"which was damaged or saved by another version of driftwise or of the policy"
        )
        try:
            self._size = file.seek(0, os.SEEK_END)
            self._archive = zipfile.ZipFile(file)
            self._members = self._found()
            text = self._array("header").tobytes().decode("utf-32-le")
            header = json.loads(text)
            is_known = header["format"] == _FORMAT
        except Exception:  # there is no end to what archives and texts can be wrong with
            is_known = False
        if not is_known:
            raise ValueError(f"path must be a file written by Agent.save, got {str(path)!r}")
        if not header.keys() >= _KEYS:
            raise self._damage
        self.header: dict[str, Any] = header

    def offers(self) -> Offers:
        """Return what the agent is offered; nothing is allocated that the file cannot mean."""
        dimension = require_integer("dimension", self.header["dimension"])
        n_arms = self.header.get("n_arms")  # without features; the first files have their matrix
        if dimension > max(self._size, _MANY) or n_arms not in (None, dimension):
            raise self._damage
        if require_flag("is_on_ball", self.header.get("is_on_ball", False)):  # as above
            return Offers(decision_set=UnitBall(dimension))
        if n_arms is not None:
            return Offers(n_arms=n_arms)
        if "decision_set" not in self._members:
            return Offers(dimension=dimension)
        with self._doubts():
            rows = self._array("decision_set")
        offers = Offers(decision_set=rows)
        if offers.shape[1] != dimension:
            raise self._damage
        return offers

    def require_fit(self, policy: Policy, offers: Offers) -> None:
        """Refuse a policy whose memory is not of the size of what the file holds."""
        try:
            n_arms, dimension = offers.shape
            wanted = arrays_in(allocated(policy, n_arms, dimension, offers.fixed))
        except (MemoryError, OverflowError):
            raise self._damage from None
        names = self._members.keys() - {"header", "decision_set"}
        if names != {f"memory_{i}" for i in range(len(wanted))}:
            raise self._damage
        with self._doubts():
            members = [self._declared(f"memory_{i}") for i in range(len(wanted))]
        for member, array in zip(members, wanted, strict=True):
            if member.shape != array.shape or member.dtype != array.dtype:
                raise self._damage

    def fill(self, memory: Any) -> None:
        """Write what the file holds into a memory that it fits, if compiled code may read it."""
        for i, array in enumerate(arrays_in(memory)):
            with self._doubts():
                array[...] = self._array(f"memory_{i}")
            if not np.isfinite(array).all():
                raise self._damage
        if not keeps_limits(memory):
            raise self._damage

    def _found(self) -> dict[str, zipfile.ZipInfo]:
        found = self._archive.infolist()
        # What is compressed may become a thousand times as much; nothing here was ever compressed.
        is_plain = all(info.compress_type == zipfile.ZIP_STORED for info in found)
        if not is_plain or sum(info.file_size for info in found) > self._size:
            raise ValueError
        members = {info.filename.removesuffix(".npy"): info for info in found}
        members.pop("allow_pickle", None)  # written with numpy 2.0 or 2.1, see `write_agent`
        return members

    def _declared(self, name: str) -> _Declared:
        info = self._members[name]
        with self._archive.open(info) as stream:
            shape, is_fortran, dtype = _READERS[np.lib.format.read_magic(stream)](stream)
            declared = _Declared(shape, dtype, "F" if is_fortran else "C", stream.tell())
        n_bytes = dtype.itemsize * math.prod(shape)
        if dtype.hasobject or declared.start + n_bytes != info.file_size:
            raise ValueError
        return declared

    def _array(self, name: str) -> NDArray[Any]:
        shape, dtype, order, start = self._declared(name)
        content = self._archive.read(self._members[name])  # compares its checksum, too
        if dtype.kind == "b" and max(content[start:], default=0) > 1:  # neither True nor False
            raise ValueError
        return np.ndarray(shape, dtype, content, start, order=order)

    @contextmanager
    def _doubts(self) -> Iterator[None]:
        try:
            yield
        except Exception:  # as above
            raise self._damage from None


class _Declared(NamedTuple):
    """What an array of the file says of itself."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: Literal["C", "F"]
    start: int  # the first byte of its numbers
