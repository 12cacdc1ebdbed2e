"""The same named tuple with one field changed, in compiled code as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import intrinsic, overload

__all__ = ["replacing"]


def replacing(name: str) -> Callable[[Any, Any], Any]:
    """Return a function that gives a named tuple another value of the field ``name``.

    Compiled rules know neither ``_replace`` nor the class of ``self`` by name, and what a class
    inherits must not name the class that inherits it.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Point(NamedTuple):
    ...     x: float
    ...     y: float
    >>> replacing("y")(Point(1.0, 2.0), 5.0)
    Point(x=1.0, y=5.0)
    """

    def replaced(settings: Any, value: Any) -> Any:
        return settings._replace(**{name: value})

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def inserted(typing_context: Any, settings: Any, value: Any) -> Any:
        place = settings.instance_class._fields.index(name)
        signature = settings(settings, value)

        def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            whole, new = arguments
            new = context.cast(builder, new, value, settings[place])
            return builder.insert_value(whole, new, place)

        return signature, generate

    # Not strict: a lambda has no annotations, which would count.
    @overload(replaced, strict=False, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]  # numba has no types
    def _(settings: Any, value: Any) -> Any:
        return lambda settings, value: inserted(settings, value)

    return replaced
