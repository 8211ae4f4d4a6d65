"""Long against short modes of a model: what thinking adds in depth and tokens (ReEfBench paper, 5.2, Tables 3 and 12).

Both tables compare means over all levels. (Table 3's caption says level 11, but its gains are those of Table 12.)
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple


class Mode(NamedTuple):
    """Depth and tokens of one mode: its means over the levels, or a gain between two modes, where None is undefined."""

    depth: float | None
    tokens: float | None


def average(points: Sequence[tuple[int, float, float]]) -> Mode:
    """The means over levels of (level, tokens, depth), each level counting once. Raises ValueError without a level."""
    if not points:
        raise ValueError("a mode needs at least one level")
    return Mode(depth=fmean(depth for _, _, depth in points), tokens=fmean(tokens for _, tokens, _ in points))


def delta(long: Mode, short: Mode) -> Mode:
    """The relative gains from ``short`` to ``long``: .5 is half as much again. None where the short value is 0 or None."""
    return Mode(_gain(long.depth, short.depth), _gain(long.tokens, short.tokens))


def _gain(long: float | None, short: float | None) -> float | None:
    return None if long is None or not short else long / short - 1
