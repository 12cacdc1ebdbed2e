"""Small formulas in an experiment file, such as ``"T ** (1/3)"``, read by a parser of their own.

Nothing is ever executed: the text is parsed, and what is not arithmetic on known names is refused.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ...core.base.validation import require_known

__all__ = ["evaluate"]

_LONGEST = 200  # characters: a formula, not a program

_OPERATORS: dict[type[Any], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,  # on floats, so that no power can fill the memory with digits
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "abs": abs,
    "min": min,
    "max": max,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}


def evaluate(text: str, names: Mapping[str, float]) -> float:
    """Return the value of a formula in ``names``.

    Examples
    --------
    >>> round(evaluate("T ** (1/3)", {"T": 27_000}), 9)
    30.0
    >>> evaluate("ceil(sqrt(T * d))", {"T": 1000, "d": 3})
    55.0
    >>> evaluate("t", {"T": 1000})
    Traceback (most recent call last):
    driftwise...ValueError: name in the formula must be one of ..., got 't'; did you mean 'T'?
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a formula must have at most {_LONGEST} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = float(_value(tree.body, {**_CONSTANTS, **names}))
    except (SyntaxError, RecursionError):
        raise ValueError(
            f"a formula must be arithmetic, such as T ** (1/3), got {text!r}"
        ) from None
    if not math.isfinite(value):
        raise ValueError(f"the formula {text!r} must have a finite value, got {value}")
    return value


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            return float(names[require_known("name in the formula", name, names)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _apply(_OPERATORS[type(op)], _value(left, names), _value(right, names))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _apply(_OPERATORS[type(op)], _value(operand, names))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            call = _FUNCTIONS[require_known("function in the formula", name, _FUNCTIONS)]
            return _apply(call, *(_value(each, names) for each in arguments))
    raise ValueError(
        f"a formula must be made of numbers, names, + - * / // % ** and functions, "
        f"got {ast.unparse(node)!r}"
    )


def _apply(call: Callable[..., float], *values: float) -> float:
    try:
        return float(call(*values))
    except (ArithmeticError, TypeError, ValueError) as error:
        given = ", ".join(f"{value:g}" for value in values)
        raise ValueError(f"the formula has no value at {given} ({error})") from None
