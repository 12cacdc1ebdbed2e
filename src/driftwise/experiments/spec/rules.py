"""The rules by which claims are judged, in words; they were written before the first run.

`analysis.verdicts` applies them, and the report prints them next to what they decided.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RULES"]

# With {low}, {high}, {first} and {second} to fill in.
RULES: Mapping[str, str] = {
    "share": (
        "Holds if the 95% interval of the overall ratio {first} / {second} meets"
        " [{low:g}, {high:g}]. Holds in part if {first} has less regret at every horizon (the whole"
        " interval of each ratio is below 1). Otherwise it does not hold."
    ),
    "much-smaller": (
        "“Much smaller” is read as at most {high:.0%}. Holds if the 95% interval of the ratio"
        " {first} / {second} is below {high:g} at every horizon. Holds in part if the interval of"
        " the overall ratio is below 1. Otherwise it does not hold."
    ),
    "slopes": (
        "A policy's slope holds if its 95% interval lies within {high:g} of theory's exponent, and"
        " in part if the interval is not wholly above the exponent plus {high:g} (the exponents belong to upper"
        " bounds). The claim holds if both do, does not hold if neither does even in part, and"
        " holds in part otherwise."
    ),
}
