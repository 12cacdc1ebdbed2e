"""Ids that the service makes: the seq of the decision, and a tag that nobody can guess."""

from __future__ import annotations

import hashlib
import hmac
import re

__all__ = ["Ids"]

_FORM = re.compile(r"[1-9][0-9]{0,18}-[0-9a-f]{10}")


class Ids:
    """Makes ids and knows its own; with 40 bits of HMAC, as rewards for guessed ids are forged ones."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        # Copied for each id, since to begin with a key takes longer.
        self._tag = hashlib.blake2b(digest_size=5, key=secret)

    def made(self, seq: int) -> str:
        """Return the id of the decision at ``seq``."""
        tag = self._tag.copy()
        tag.update(b"%d" % seq)
        return f"{seq}-{tag.hexdigest()}"

    def user(self, name: str | None) -> bytes:
        """Return what stands for a user in the log, where no name of one is kept."""
        if name is None:
            return b""
        return hashlib.blake2b(name.encode(), digest_size=12, key=self._secret).digest()

    def looks_own(self, name: str) -> bool:
        """Return whether an id has the form of those made here."""
        return _FORM.fullmatch(name) is not None

    def is_own(self, name: str) -> bool:
        """Return whether an id was made here, or could have been."""
        if not self.looks_own(name):
            return False
        return hmac.compare_digest(name, self.made(int(name.partition("-")[0])))
