"""Keys: who may do what. Only their hashes are kept, beside the log."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .requests import RefusalError
from .stores.places import KeyChange, Place, SQLitePlace

__all__ = ["SCOPES", "Key", "Keys", "add_key", "list_keys", "revoke_key"]

SCOPES = ("decide", "reward", "read", "admin")
_FORM = re.compile(r"dwk_([a-z0-9]{8})_([A-Za-z0-9_-]{43})")


class Key(NamedTuple):
    """A key, without what it is proved by."""

    id: str
    hash: bytes
    scopes: frozenset[str]
    made: int  # seconds since 1970
    expires: int | None
    note: str


class Keys:
    """The keys of a log; read again when somebody has changed them, which takes a second at most.

    Parameters
    ----------
    where
        The log, or where it is; None for a service without keys, in tests.
    without
        Whether everybody may ask when there are no keys any more. Else nobody may: who revokes the
        last key wants to keep somebody out.
    """

    def __init__(self, where: Path | Place | None, *, without: bool = False) -> None:
        self._without = without
        self._place = None if where is None else _place(where)
        self._keys: dict[str, Key] = {}
        # By what was shown and what for, until the keys are read again. To find it here tells nobody
        # anything about a secret: the hash of a text is different in every process.
        self._right: dict[tuple[str | None, str], Key] = {}
        self.last_change = -1  # its number; they have not been read yet
        self.look()

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def lets_all_in(self) -> bool:
        """Whether everybody may ask: there has never been a key."""
        return not self._keys and (self._without or self.last_change <= 0)

    def look(self) -> None:
        """Read the keys again."""
        if self._place is not None:
            found = {key.id: key for key in list_keys(self._place)}
            if found != self._keys or self.last_change < 0:
                self.last_change = max((each.number for each in self.changes(0)), default=0)
            self._keys, self._right = found, {}

    def changes(self, after: int) -> list[KeyChange]:
        """Return which keys came and went after a change, in order."""
        return [] if self._place is None else self._place.key_changes(after)

    def close(self) -> None:
        """Let go of where they are kept."""
        if self._place is not None:
            self._place.close()

    def who(self, secret: str | None, scope: str) -> str:
        """Return the id of a key that may do this, or refuse; as long as there was none everybody may."""
        if self.lets_all_in:
            return "anyone"
        key = self._right.get((secret, scope))
        if key is None:
            key = self._right[secret, scope] = self._proved(secret, scope)
        if key.expires is not None and key.expires <= time.time():
            raise _wrong()
        return key.id

    def _proved(self, secret: str | None, scope: str) -> Key:
        found = _FORM.fullmatch(secret or "")
        key = self._keys.get(found[1]) if found else None
        shown = hashlib.sha256((secret or "").encode()).digest()
        is_right = hmac.compare_digest(shown, key.hash if key else b"\0" * 32)
        if key is None or not is_right:
            raise _wrong()
        if scope not in key.scopes:
            raise RefusalError(
                403, f"the key must have the scope {scope}, got {', '.join(sorted(key.scopes))}"
            )
        return key


def _wrong() -> RefusalError:
    return RefusalError(401, "a valid key must be given, as in Authorization: Bearer dwk_...")


def add_key(
    where: Path | Place,
    scopes: Iterable[str],
    note: str,
    days: float | None = None,
    who: str = "a program",
) -> str:
    """Make a key and return its secret, which is told only now; `who` did it is logged."""
    name, made = secrets.token_hex(4), int(time.time())
    secret = f"dwk_{name}_{secrets.token_urlsafe(32)}"
    expires = None if days is None else made + round(days * 86_400)
    hashed = hashlib.sha256(secret.encode()).digest()
    scopes = ",".join(sorted(scopes))
    change = KeyChange(0, made, who, f"key {name} for {scopes} added", note or "not told")
    _place(where).add_key((name, hashed, scopes, made, expires, note), change)
    return secret


def list_keys(where: Path | Place) -> list[Key]:
    """Return all keys, the oldest first."""
    rows = _place(where).keys()
    return [Key(row[0], row[1], frozenset(row[2].split(",")), *row[3:]) for row in rows]


def revoke_key(
    where: Path | Place, name: str, who: str = "a program", why: str = "not told"
) -> None:
    """Take a key away; a running service notices within a second."""
    change = KeyChange(0, int(time.time()), who, f"key {name} revoked", why)
    if not _place(where).remove_key(name, change):
        known = ", ".join(key.id for key in list_keys(where)) or "none"
        raise ValueError(f"id must be one of the keys, {known}, got {name!r}")


def _place(where: Path | Place) -> Place:
    return SQLitePlace(where) if isinstance(where, Path) else where
