"""Trajectories over levels: whether a model's cost and logical depth follow the level (ReEfBench paper, 4.4 and 5.1).

The paper names the kinds in words and gives no thresholds. The rules here, in this order:

1. ``collapse``: at the hardest level cost and depth are both clearly below their best at an easier level.
2. ``adaptive_scaling``: over the harder half of the levels, cost and depth both follow the level.
3. ``diluted_expansion``: cost follows the level there, depth does not.
4. ``saturation``: neither follows.
5. ``undetermined``: depth follows and cost does not, which the paper has no word for; or fewer than four levels.

To follow is to rise at least half as fast as the level does: halfway between standing still (slope 0) and rising in
proportion (slope 1). The easier half is left out, because there all models follow. Slopes are Theil and Sen's, the median
over all pairs of levels, so one odd level decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, median
from typing import NamedTuple

ADAPTIVE_SCALING = "adaptive_scaling"
COLLAPSE = "collapse"
DILUTED_EXPANSION = "diluted_expansion"
SATURATION = "saturation"
UNDETERMINED = "undetermined"

LEAST_LEVELS = 4
LEAST_HARDER = 3  # a median of slopes needs more than one
# Half the growth of the level. For cost at levels 7 to 11 this is 5.6 % a level: three standard errors of a flat cost, where
# a level has 100 rows whose costs scatter by half their mean.
FOLLOWS = 0.5
# Below this share of the best. The paper's example of collapse (Qwen3-4B.long) has at the hardest level at most .83 of
# its best depth, its example of saturation (Qwen3-235B.long) at least .85, whatever their curves: by Tables 12 and 13.
FALLEN = 0.85
_DECIMALS = 9  # what rounding leaves decides no kind


class Point(NamedTuple):
    """A model's means at one level: ``cost`` in any unit (tokens, or a score), ``depth`` in layers."""

    level: int
    cost: float
    depth: float


class Trajectory(NamedTuple):
    """The kind of a trajectory and the numbers that decide it, None for fewer than four levels.

    ``depth_slope``, ``cost_slope``: growth over the harder half, 1 being one layer a level and a cost in proportion to the
    level. ``depth_kept``, ``cost_kept``: the value at the hardest level as a share of the best at an easier one, at most 1.
    """

    kind: str
    depth_slope: float | None = None
    cost_slope: float | None = None
    depth_kept: float | None = None
    cost_kept: float | None = None


def classify(points: Sequence[tuple[int, float, float]]) -> Trajectory:
    """The trajectory of one model from its (level, cost, depth), in any order.

    The harder half is the upper half of the levels, the middle one included, and at least three. Raises ValueError if a
    level occurs twice or is below 1, a cost is negative or not finite, or a depth is not between 0 and its level.
    """
    ordered = sorted(Point(*point) for point in points)
    _check(ordered)
    if len(ordered) < LEAST_LEVELS:
        return Trajectory(UNDETERMINED)
    harder = ordered[min(len(ordered) // 2, len(ordered) - LEAST_HARDER) :]
    unit = max(point.cost for point in ordered) or 1  # costs relative to the largest cannot overflow
    costs = [(point.level, point.cost / unit) for point in harder]
    proportional = fmean(cost for _, cost in costs) / fmean(level for level, _ in costs)
    depth_slope = round(_slope([(point.level, point.depth) for point in harder]), _DECIMALS)
    cost_slope = round(_slope(costs) / proportional, _DECIMALS) if proportional else 0.0
    depth_kept, cost_kept = _kept([point.depth for point in ordered]), _kept([point.cost / unit for point in ordered])
    if depth_kept < FALLEN and cost_kept < FALLEN:
        kind = COLLAPSE
    elif cost_slope >= FOLLOWS:
        kind = ADAPTIVE_SCALING if depth_slope >= FOLLOWS else DILUTED_EXPANSION
    else:
        kind = UNDETERMINED if depth_slope >= FOLLOWS else SATURATION
    return Trajectory(kind, depth_slope, cost_slope, depth_kept, cost_kept)


def _check(ordered: Sequence[Point]) -> None:
    if len({point.level for point in ordered}) < len(ordered):
        raise ValueError("a trajectory has each level once")
    for level, cost, depth in ordered:
        if not (level >= 1 and 0 <= cost < math.inf and 0 <= depth <= level):
            raise ValueError(f"level {level} has cost {cost} and depth {depth}: no means of a model")


def _slope(points: Sequence[tuple[int, float]]) -> float:
    return median((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2))


def _kept(values: Sequence[float]) -> float:
    best = max(values[:-1])
    return round(values[-1] / best, _DECIMALS) if values[-1] < best else 1.0
