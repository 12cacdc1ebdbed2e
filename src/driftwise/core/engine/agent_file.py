"""An agent as bytes: a header and plain arrays, treated as damaged until they are shown to be sound."""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ... import __version__
from ..base.arrays import Matrix
from ..base.files import remove_drafts, write
from ..base.limits import keeps_limits
from ..base.validation import require_flag, require_integer
from ..contract.decision import Decision, require_forgotten, require_sound
from ..contract.encoding import dimension_of, encoder_of, roster_of
from ..contract.memories import layout_of
from ..contract.offers import Offers
from ..contract.optional import knows_flight
from ..contract.policy import Policy
from ..contract.records import from_plain, to_plain
from ..contract.unit_ball import UnitBall
from .archive import Archive, packed
from .dictionaries import Dictionaries
from .memory_files import LayoutError, Plan, fill, members_of, plan_by_name, plan_by_order
from .starting import started

__all__ = ["AgentFile", "agent_bytes", "write_agent"]

_FORMATS = {"driftwise agent 1": 1, "driftwise agent 2": 2}  # 1: up to version 0.1.0
_KEYS = {"policy", "dimension", "seed", "n_choices", "is_interpreted"}  # what every header has
_MANY = 1_000_000  # dimensions; more of them only if the file is as long


def agent_bytes(header: dict[str, Any], memory: Any, rows: Matrix | None) -> bytes:
    """Return an agent, and its decision set if that never changes, as the content of a file."""
    members = members_of(memory)
    for name, array in members.items():
        if not np.isfinite(array).all():
            wrong = array[~np.isfinite(array)].flat[0]
            raise ValueError(f"memory must be finite to be saved, got {wrong} in {name[7:]}")
    about = {"format": "driftwise agent 2", "version": __version__, "layout": layout_of(memory)}
    members["header"] = np.array(json.dumps(about | header))
    if rows is not None:
        members["decision_set"] = rows
    return packed(members)


def write_agent(path: str | os.PathLike[str], content: bytes) -> None:
    """Write the file of an agent; an interruption leaves the old file or the new one."""
    remove_drafts(Path(path))
    write(Path(path), content)


class AgentFile:
    """A file that may be an agent: arrays are read once it is known what they must be.

    ``name`` and ``shown`` are of the argument that it was given by, for messages.
    """

    def __init__(self, name: str, shown: str, file: BinaryIO) -> None:
        self._name, self._shown = name, shown
        try:
            self._archive = Archive(file)
            header = json.loads(self._archive.array("header").tobytes().decode("utf-32-le"))
            is_known = str(header["format"]).startswith("driftwise agent ")
        except Exception:  # there are countless ways in which an archive or its text can be broken
            is_known = False
        if not is_known:
            raise ValueError(f"{name} must be a file written by Agent.save, got {shown}")
        if header["format"] not in _FORMATS:
            raise ValueError(
                f"{name} must be in a format that this version reads, {', '.join(_FORMATS)}, "
                f"got {shown} in {_cut(header['format'])} of driftwise {_cut(header.get('version'))}"
            )
        self._format = _FORMATS[header["format"]]
        is_complete = header.keys() >= _KEYS
        if not is_complete or (self._format > 1 and not _is_layout(header.get("layout"))):
            raise self._damage()
        self.header: dict[str, Any] = header
        self._plan: Plan = {}

    def offers(self, dictionaries: Dictionaries | None) -> Offers:
        """Return what the agent is offered; nothing is allocated that the file cannot mean."""
        dimension = require_integer("dimension", self.header["dimension"])
        n_arms = self.header.get("n_arms")  # without features; the first files have their matrix
        if dimension > max(self._archive.size, _MANY) or n_arms not in (None, dimension):
            raise self._damage()
        if dictionaries is not None:
            return Offers(dimension=dimension_of(dictionaries.encoder))
        if require_flag("is_on_ball", self.header.get("is_on_ball", False)):  # as above
            return Offers(decision_set=UnitBall(dimension))
        if n_arms is not None:
            return Offers(n_arms=n_arms)
        if "decision_set" not in self._archive.names:
            return Offers(dimension=dimension)
        with self._doubts():
            rows = self._archive.array("decision_set")
        offers = Offers(decision_set=rows)
        if offers.shape[1] != dimension:
            raise self._damage()
        return offers

    def dictionaries(self) -> Dictionaries | None:
        """Return the encoder that the agent has, and who has which place."""
        declaration, roster = self.header.get("encoder"), self.header.get("roster")
        if declaration is None:
            return None
        with self._doubts():
            encoder = encoder_of(declaration)
            found = Dictionaries(encoder, None if roster is None else roster_of(roster))
            n_places = 0 if roster is None else len(roster["tenures"])
            is_sound = encoder.dimension == self.header["dimension"]
            is_sound = is_sound and n_places == encoder.n_places
            n_rewards, forgotten = self.header.get("forgotten", (0, ()))
            found.n_rewards = require_integer("forgotten", n_rewards, at_least=0)
            found.forgotten = require_forgotten(forgotten)
        if not is_sound:
            raise self._damage()
        return found

    def policy(self, instead: Policy | None) -> Policy:
        """Return the policy that saved; where it is no longer known, a twin under another name."""
        plain = self.header["policy"]
        try:
            return from_plain(plain)  # type: ignore[no-any-return]  # `fitting` refuses anything else
        except ValueError:
            is_twin = isinstance(plain, dict) and plain.get("fields") == _settings(instead)
            if instead is None or not is_twin:
                raise
            return instead

    def last_open(self, policy: Policy, own: str, offers: Offers) -> Decision | None:
        """Return the last decision, if its reward had not come; ``own`` is the policy's fingerprint."""
        data = self.header.get("open")  # where something was in flight, or might have been
        if data is None:
            return None
        with self._doubts():
            choice = from_plain(data["choice"])
            rows, action = offers.fixed, data["action"]
            action = rows[choice.arm] if isinstance(rows, np.ndarray) else action
            parts = {"luck": data["luck"], "action": action, "choice": choice}
            decision = Decision.from_parts(policy=own, **parts)
            require_sound(decision, policy, own, offers)
        return decision if knows_flight(policy) else None

    def fitting(self, policy: Policy, offers: Offers, *, is_given: bool = False) -> Policy:
        """Return a policy, or refuse it if its memory is not laid out as what the file holds.

        It is of the file, or was given instead of that.
        """
        with self._doubts():
            names = self._archive.names - {"header", "decision_set"}
            declared = {name: self._archive.declared(name) for name in names}
        try:
            n_arms, dimension = offers.shape
            memory = started(policy, n_arms, dimension, offers.fixed)
        except (MemoryError, OverflowError):
            raise self._damage() from None
        try:
            if self._format == 1:
                self._plan = plan_by_order(memory, declared)
            else:
                self._plan = plan_by_name(memory, declared, self.header["layout"])
        except LayoutError as error:
            raise self._another_layout(policy, is_given, error) from None
        return policy

    def fill(self, memory: Any) -> None:
        """Write what the file holds into a memory that it fits, if compiled code may read it."""
        for name, places in self._plan.items():
            with self._doubts():
                array = self._archive.array(name)
                is_finite = bool(np.isfinite(array).all())
            if not is_finite:
                raise self._damage()
            fill(memory, array, places)
        if not keeps_limits(memory):
            raise self._damage()

    def _damage(self) -> ValueError:
        return ValueError(
            f"{self._name} must hold an agent that is undamaged and of this version, "
            f"got {self._shown}, which was damaged or saved by another version of driftwise or of "
            f"the policy"
        )

    def _another_layout(self, policy: Policy, is_given: bool, error: LayoutError) -> LayoutError:
        version, name = _cut(self.header.get("version", "0.1.0")), type(policy).__name__
        if is_given:
            return LayoutError(
                f"policy must lay out its memory as the saved one is, got a {name} that does not: "
                f"in {self._shown} of driftwise {version}, {error}"
            )
        return LayoutError(
            f"{self._name} must hold a memory as {name} lays it out in this version, "
            f"got {self._shown}, damaged or saved by driftwise {version} in another layout: {error}"
        )

    @contextmanager
    def _doubts(self) -> Iterator[None]:
        try:
            yield
        except Exception:  # as above
            raise self._damage() from None


def _settings(policy: Any) -> Any:
    return to_plain(policy)["fields"] if hasattr(policy, "_asdict") else None


def _is_layout(data: Any) -> bool:
    return isinstance(data, dict) and all(
        isinstance(each, list) and len(each) == 2 and all(isinstance(text, str) for text in each)
        for each in data.values()
    )


def _cut(text: Any) -> str:
    return reprlib.repr(text).strip("'\"")
