"""Powers of two, put on floats and taken off: exact, so the same bits however it is done.

Interpreted, they are Python's ``ldexp`` and ``frexp``, on one number. Compiled, they are sums of bits,
on one number or on several side by side (`driftwise.core.compiler.abreast`).
"""

from __future__ import annotations

import math
import struct
from typing import Any

from llvmlite import ir
from numba import types

from .abreast import Abreast, declare

__all__ = ["LEAST_FRACTION", "SHIFT", "power_of_two", "split"]

# Added to a number that is not large, it leaves the nearest integer in the last bits.
SHIFT = 1.5 * 2.0**52
# Where fractions begin: (f - 1)^2 / 2 is less than 1/16 for all of them, which keeps `log` accurate.
LEAST_FRACTION = 0.675


def power_of_two(shifted: float) -> float:
    """Return 2^n for n = ``shifted`` - SHIFT from -1022 to 1023."""
    return math.ldexp(1.0, int(shifted - SHIFT))


def split(x: float) -> tuple[float, float]:
    """Return a fraction from LEAST_FRACTION to twice that and an exponent, of a positive normal number."""
    fraction, exponent = math.frexp(x)
    if fraction < LEAST_FRACTION:
        return 2.0 * fraction, exponent - 1.0
    return fraction, float(exponent)


# From here on: the same for the compiler.

_FRACTION_BITS = 52
_BIAS = 1024  # keeps exponents positive: only shifts without a sign exist side by side everywhere


def _alike(kind: Any, one: Any) -> Any:
    """Return an integer constant as wide as a number, or as numbers side by side."""
    whole = ir.IntType(64)
    if isinstance(kind, ir.VectorType):
        return ir.Constant(ir.VectorType(whole, kind.count), [one] * kind.count)
    return ir.Constant(whole, one)


def _bits_of(number: float) -> int:
    return int.from_bytes(struct.pack("<d", number), "little")


def _power(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, places = arguments[0].type, _alike(arguments[0].type, _FRACTION_BITS)
    bits = builder.shl(builder.bitcast(arguments[0], places.type), places)
    return builder.bitcast(builder.add(bits, _alike(kind, _bits_of(1.0))), kind)


def _split(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, places = arguments[0].type, _alike(arguments[0].type, _FRACTION_BITS)
    bits = builder.bitcast(arguments[0], places.type)
    bias = _BIAS << _FRACTION_BITS
    exponent = builder.sub(bits, _alike(kind, _bits_of(LEAST_FRACTION) - bias))
    exponent = builder.lshr(exponent, places)
    fraction = builder.sub(bits, builder.shl(exponent, places))
    fraction = builder.bitcast(builder.add(fraction, _alike(kind, bias)), kind)
    # An integer becomes a float as the last bits of a large one.
    large = builder.or_(exponent, _alike(kind, _bits_of(2.0**_FRACTION_BITS)))
    base = builder.bitcast(_alike(kind, _bits_of(2.0**_FRACTION_BITS + _BIAS)), kind)
    exponent = builder.fsub(builder.bitcast(large, kind), base)
    return context.make_tuple(builder, signature.return_type, (fraction, exponent))


for _kind in (types.Float, Abreast):
    declare(power_of_two, lambda shifted: shifted, _power, _kind)
    declare(split, lambda x: types.UniTuple(x, 2), _split, _kind)
