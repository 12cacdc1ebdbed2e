"""The part of Prometheus's language in which the alert rules of the docs are written, over two scrapes.

Every range reaches from the first scrape to the second; a series that only one of them has tells no rate,
as in Prometheus itself.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

__all__ = ["fires"]

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]
Scrape = dict[tuple[str, Labels], float]  # by name and labels
_WORD = re.compile(r'"[^"]*"|\d[\w.]*|\w+|==|=~|\S')
_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, "<": operator.lt, "==": operator.eq,
}  # fmt: skip
_OVER_TIME = ("rate", "increase", "delta")


def fires(rule: str, before: str, after: str) -> Vector:
    """Return what a rule says of a service that was scraped twice; it fires if there is anything."""
    query = _Query(rule, _scraped(before), _scraped(after))
    found: Vector = query.read()
    assert not query.words, query.words
    return found


def _scraped(text: str) -> Scrape:
    samples = (each for family in text_string_to_metric_families(text) for each in family.samples)
    return {(each.name, frozenset(each.labels.items())): each.value for each in samples}


class _Query:
    """Reads a rule from left to right, and works it out."""

    def __init__(self, rule: str, before: Scrape, after: Scrape) -> None:
        self.words: list[str] = _WORD.findall(rule)
        self._before, self._after = before, after

    def read(self) -> Any:
        found = self._compared()
        while self._is_next("and"):
            other = self._compared()
            found = {each: value for each, value in found.items() if each in other}
        return found

    def _compared(self) -> Any:
        left = self._product()
        if not self.words or self.words[0] not in _HOLDS:
            return left
        holds, right = _HOLDS[self.words.pop(0)], self._product()
        limits = right if isinstance(right, dict) else dict.fromkeys(left, right)
        return {
            each: value
            for each, value in left.items()
            if each in limits and holds(value, limits[each])
        }

    def _product(self) -> Any:
        found = self._one()
        while self._is_next("*"):
            other = self._one()
            if not isinstance(found, dict):
                found = {each: found * value for each, value in other.items()}
            else:
                found = {
                    each: value * other[each] for each, value in found.items() if each in other
                }
        return found

    def _one(self) -> Any:
        word = self.words.pop(0)
        if word[0].isdigit():
            return float(word)
        if word in ("sum", "max"):
            assert self._is_next("by")
            labels = self._listed()
            found = self._inside()
            groups: dict[Labels, list[float]] = {}
            for each, value in found.items():
                group = frozenset((key, label) for key, label in each if key in labels)
                groups.setdefault(group, []).append(value)
            return {each: (sum if word == "sum" else max)(some) for each, some in groups.items()}
        if word == "histogram_quantile":
            assert self._is_next("(")
            share = self._one()
            assert self._is_next(",")
            found = self.read()
            assert self._is_next(")")
            return _quantiles(share, found)
        if word == "absent":
            return {} if self._inside() else {frozenset[tuple[str, str]](): 1.0}
        if word in _OVER_TIME:
            assert self._is_next("(")
            name, wanted, seconds = self.words.pop(0), self._wanted(), self._range()
            assert self._is_next(")")
            first, last = (
                self._selected(each, name, wanted) for each in (self._before, self._after)
            )
            per = seconds if word == "rate" else 1.0
            return {each: (last[each] - first[each]) / per for each in last if each in first}
        return self._selected(self._after, word, self._wanted())

    def _inside(self) -> Any:
        assert self._is_next("(")
        found = self.read()
        assert self._is_next(")")
        return found

    def _listed(self) -> set[str]:
        assert self._is_next("(")
        end = self.words.index(")")
        found, self.words = self.words[:end], self.words[end + 1 :]
        return set(found) - {","}

    def _wanted(self) -> dict[str, str]:
        """Return the labels that are asked for, by regular expressions."""
        if not self._is_next("{"):
            return {}
        label, sign, pattern, end = (self.words.pop(0) for _ in range(4))
        assert end == "}"
        return {label: pattern[1:-1] if sign == "=~" else re.escape(pattern[1:-1])}

    def _range(self) -> float:
        assert self._is_next("[")
        length, end = self.words.pop(0), self.words.pop(0)
        assert end == "]"
        return float(length[:-1]) * {"m": 60.0, "h": 3600.0}[length[-1]]

    def _is_next(self, word: str) -> bool:
        if self.words[:1] != [word]:
            return False
        self.words.pop(0)
        return True

    @staticmethod
    def _selected(scrape: Scrape, name: str, wanted: dict[str, str]) -> Vector:
        return {
            labels: value
            for (each, labels), value in scrape.items()
            if each == name
            and all(re.fullmatch(rule, dict(labels).get(key, "")) for key, rule in wanted.items())
        }


def _quantiles(share: float, buckets: Vector) -> Vector:
    """Return the upper ends of the buckets in which the quantiles are."""
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for labels, count in buckets.items():
        group = frozenset(each for each in labels if each[0] != "le")
        groups.setdefault(group, []).append((float(dict(labels)["le"]), count))
    found = {}
    for group, some in groups.items():
        ends = sorted(some)
        if ends[-1][1] > 0:
            found[group] = next(end for end, count in ends if count >= share * ends[-1][1])
    return found
