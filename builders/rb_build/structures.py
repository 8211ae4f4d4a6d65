"""Structures that come once: drawing until one is new, for the builders whose pools of structures may run out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

T = TypeVar("T")

TRIES = 200  # draws without a new structure after which a pool counts as used up


def draw_new(draw: Callable[[], tuple[T, str] | None], taken: Collection[str], seen: Collection[str]) -> tuple[T, str] | None:
    """The first of ``TRIES`` draws whose structure is new; if none is, the first that is not taken; None if all are.

    ``draw``: a thing and the signature of its structure, or None where the draw came to nothing. ``taken``: signatures that
    must not occur; ``seen``: those that should not come again.
    """
    repeat = None
    for _ in range(TRIES):
        drawn = draw()
        if drawn is None or drawn[1] in taken:
            continue
        if drawn[1] not in seen:
            return drawn
        repeat = repeat or drawn
    return repeat
