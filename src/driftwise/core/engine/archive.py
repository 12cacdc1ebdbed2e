"""Plain arrays in a file, by name; the file is treated as damaged until it is shown to be sound."""

from __future__ import annotations

import io
import math
import os
import zipfile
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Archive", "Declared", "packed"]

_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def packed(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return the content of a file that holds these arrays; the same ones give the same bytes."""
    content = io.BytesIO()
    # Without `allow_pickle`, which numpy 2.0 and 2.1 take for one more array.
    np.savez(content, **arrays)  # type: ignore[arg-type]  # no member has the name of an option
    return content.getvalue()


class Declared(NamedTuple):
    """What an array of the file says of itself."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: Literal["C", "F"]
    start: int  # the first byte of its numbers


class Archive:
    """A file that may hold arrays; anything may be wrong with it, and anything may be raised."""

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, os.SEEK_END)
        self._archive = zipfile.ZipFile(file)
        found = self._archive.infolist()
        # What is compressed may become a thousand times as much; nothing here was ever compressed.
        is_plain = all(info.compress_type == zipfile.ZIP_STORED for info in found)
        if not is_plain or sum(info.file_size for info in found) > self.size:
            raise ValueError
        self._members = {info.filename.removesuffix(".npy"): info for info in found}
        self._members.pop("allow_pickle", None)  # written with numpy 2.0 or 2.1, see `packed`

    @property
    def names(self) -> set[str]:
        """Of all arrays."""
        return set(self._members)

    def declared(self, name: str) -> Declared:
        """Return what an array says of itself, without its numbers."""
        info = self._members[name]
        with self._archive.open(info) as stream:
            shape, is_fortran, dtype = _READERS[np.lib.format.read_magic(stream)](stream)
            declared = Declared(shape, dtype, "F" if is_fortran else "C", stream.tell())
        n_bytes = dtype.itemsize * math.prod(shape)
        if dtype.hasobject or declared.start + n_bytes != info.file_size:
            raise ValueError
        return declared

    def array(self, name: str) -> NDArray[Any]:
        """Return an array."""
        shape, dtype, order, start = self.declared(name)
        content = self._archive.read(self._members[name])  # compares its checksum, too
        if dtype.kind == "b" and max(content[start:], default=0) > 1:  # neither True nor False
            raise ValueError
        return np.ndarray(shape, dtype, content, start, order=order)
