"""Models against each other on the same clusters: paired bootstrap, differences and ranks.

All models are resampled together, with the resamples of ``stats``: what makes a cluster easy or hard for all of them does
not blur their difference. The interval is the 95 % percentile interval of the difference. A rank says no more than the
data: it is 1 plus the number of models whose advantage has an interval wholly above 0, so models that the data cannot tell
apart may share one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from operator import le, sub
from typing import NamedTuple

from rb_verify import stats

Clusters = Mapping[str, tuple[float, float]]  # by name: numerator and denominator

TAIL = round(stats.RESAMPLES * (1 - stats.LEVEL) / 2)  # resamples outside the interval at either end


class Difference(NamedTuple):
    """How much higher one score is than another, with its interval; both from -1 to 1."""

    value: float
    interval: tuple[float, float]


class Place(NamedTuple):
    """Where a model stands: its score, its rank, and its difference to the highest score."""

    score: float
    rank: int
    to_best: Difference


class Resampled(NamedTuple):
    """A score and its value in each resample."""

    score: float
    values: Sequence[float]


def resampled(models: Mapping[str, Clusters]) -> dict[str, Resampled]:
    """The score of each model, sum of numerators over sum of denominators, in the same resamples of clusters.

    All models must have the same clusters with the same denominators. Models without a cluster that counts are left out.
    """
    if not models:
        return {}
    first = next(iter(models.values()))
    names = sorted(name for name, (_, denominator) in first.items() if denominator)
    if not names:
        return {}
    denominators = [first[name][1] for name in names]
    draws = stats.resamples(len(names))
    below = [fsum(map(denominators.__getitem__, drawn)) for drawn in draws]
    found = {}
    for model, clusters in models.items():
        numerators = [clusters[name][0] for name in names]
        values = [fsum(map(numerators.__getitem__, drawn)) / b for drawn, b in zip(draws, below, strict=True)]
        found[model] = Resampled(fsum(numerators) / fsum(denominators), values)
    return found


def difference(a: Resampled, b: Resampled) -> Difference:
    """How much higher ``a`` is than ``b``."""
    values = sorted(map(sub, a.values, b.values))
    return Difference(_rounded(a.score - b.score), (_rounded(values[TAIL]), _rounded(values[-TAIL - 1])))


def beats(a: Resampled, b: Resampled) -> bool:
    """Whether the interval of how much higher ``a`` is than ``b`` lies wholly above 0."""
    return a.score > b.score and sum(map(le, a.values, b.values)) <= TAIL


def places(models: Mapping[str, Resampled]) -> dict[str, Place]:
    """The place of each model, the highest score first; equal scores are in the order of the names."""
    order = sorted(models, key=lambda name: (-models[name].score, name))
    return {
        name: Place(
            score=_rounded(models[name].score),
            rank=1 + sum(beats(models[other], models[name]) for other in order),
            to_best=difference(models[name], models[order[0]]),
        )
        for name in order
    }


def _rounded(value: float) -> float:
    return round(value, 6) + 0.0  # no negative zero
