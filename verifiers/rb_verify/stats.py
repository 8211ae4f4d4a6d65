"""Rates with their intervals, by resampling clusters: rows of one graph (formula, base) stand or fall together.

The interval is a percentile bootstrap over clusters with a fixed seed, so the same verdicts always give the same
interval. Only ``random()`` is used, whose sequence Python promises to keep; and ``fsum``, since sums of floats differ
between versions of Python.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from math import fsum
from operator import itemgetter
from typing import Any

RESAMPLES = 1000
LEVEL = 0.95
SEED = 20_260_101


@lru_cache(maxsize=64)
def resamples(clusters: int) -> tuple[tuple[int, ...], ...]:
    """The indices of the clusters that each of ``RESAMPLES`` resamples draws; always the same for a number of clusters."""
    draw = random.Random(SEED).random
    return tuple(tuple(int(draw() * clusters) for _ in range(clusters)) for _ in range(RESAMPLES))


@lru_cache(maxsize=64)
def _pickers(clusters: int) -> tuple[itemgetter[Any], ...]:
    """What takes the values of each resample's clusters; there are two at least."""
    return tuple(itemgetter(*picked) for picked in resamples(clusters))


def _whole(values: Sequence[float]) -> Sequence[float]:
    """Numbers as int if all of them are whole: a sum of such is exact, and many times faster than fsum."""
    return [int(value) for value in values] if all(value == int(value) for value in values) else values


def interval(clusters: Sequence[tuple[float, float]]) -> list[float] | None:
    """The 95 % interval of sum(numerators) / sum(denominators) over clusters; None if all denominators are 0."""
    clusters = [(a, b) for a, b in clusters if b]
    if not clusters:
        return None
    if len({a / b for a, b in clusters}) == 1:
        value = clusters[0][0] / clusters[0][1]
        return [_rounded(value), _rounded(value)]
    numerators, denominators = (_whole(column) for column in zip(*clusters, strict=True))
    add = sum if type(numerators[0]) is type(denominators[0]) is int else fsum  # both exact
    picks = _pickers(len(clusters))
    if add is sum and len(set(denominators)) == 1:  # the usual case: as many rows in each cluster
        totals: Iterable[float] = repeat(denominators[0] * len(clusters))
    else:
        totals = (add(pick(denominators)) for pick in picks)
    values = sorted(add(pick(numerators)) / total for pick, total in zip(picks, totals, strict=False))
    tail = round(RESAMPLES * (1 - LEVEL) / 2)
    return [_rounded(values[tail]), _rounded(values[-tail - 1])]


def rate(parts: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    """A rate as a report writes it: ``{value, n, interval}`` from (cluster, numerator, denominator) parts.

    ``value`` and ``interval`` are None where n is 0.
    """
    clusters: dict[str, tuple[float, float]] = {}
    for cluster, numerator, denominator in parts:
        a, b = clusters.get(cluster, (0, 0))
        clusters[cluster] = a + numerator, b + denominator
    n = sum(b for _, b in clusters.values())
    value = fsum(a for a, _ in clusters.values()) / n if n else None
    ordered = [clusters[name] for name in sorted(clusters)]
    return {"value": None if value is None else _rounded(value), "n": n, "interval": interval(ordered)}


def pearson(levels: Sequence[float], means: Sequence[float | None]) -> float | None:
    """Pearson's r of levels and the means there; None where it is not testable: a mean is not there, or all are equal."""
    values = [mean for mean in means if mean is not None]
    if len(values) < max(3, len(levels)) or len(set(values)) == 1:
        return None
    return round(statistics.correlation(levels, values), 4)


def _rounded(value: float) -> float:
    return round(value, 6)
