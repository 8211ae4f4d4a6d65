"""The difficulty model and Algorithm 1 of the TRACE paper: from a target difficulty to a configuration.

Difficulty (equation 1) is n^alpha times the mean weight of the facts' relations. Weights are whole tenths; n^alpha and
the probabilities of equation 8 are rounded to 1e-9 before use, since ``pow`` and ``exp`` differ between C libraries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rb_build.streams import Stream

# Section 3.2.1, "Relation Complexity Weights", in tenths; a relation and its converse weigh the same.
_TIERS = {8: ("E",), 10: ("B", "BI"), 11: ("M", "MI"), 15: ("S", "SI", "F", "FI"), 20: ("O", "OI", "D", "DI")}
WEIGHTS = {symbol: weight for weight, symbols in _TIERS.items() for symbol in symbols}
_ENOUGH_DRAWS = 1_000  # configurations tried before a target counts as out of reach


@dataclass(frozen=True)
class Model:
    """The parameters of Algorithm 1 that a whole release shares.

    ``alpha``: exponent of the number of events. ``sigma``: width of equation 8. ``slack``: Delta of equations 4 and 5.
    ``swaps``: T, the most adjustments. ``relations``: the allowed relations, by symbol.
    """

    alpha: float
    sigma: float
    slack: int
    swaps: int
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Tier:
    """One target difficulty of a release. ``config``: the data file that its rows go to. ``density``: rho.
    ``tolerance``: tau. ``min_proof``: the fewest steps that a shortest proof of an asked pair may have.
    """

    config: str
    difficulty: int
    density: float
    tolerance: float
    graphs: int
    questions: int
    min_proof: int = 1

    @property
    def key(self) -> str:
        """The tier's part of row ids and streams: ``d045``, or ``deep-d045`` in a file of several tiers."""
        level = f"d{self.difficulty:03d}"
        return level if self.config == level else f"{self.config}-{level}"


@dataclass(frozen=True)
class Configuration:
    """The outcome of Algorithm 1: ``n`` events, and the multiset of the facts' relations."""

    n: int
    relations: tuple[str, ...]


def scale(n: int, alpha: float) -> float:
    """n^alpha, to 1e-9."""
    return round(math.pow(n, alpha), 9)


def events_for(difficulty: float, model: Model) -> int:
    """The number of events for a target (equation 3), at least 3."""
    mean = sum(WEIGHTS[r] for r in model.relations) / (10 * len(model.relations))
    return max(3, round(round(math.pow(difficulty / mean, 1 / model.alpha), 9)))


def edge_bounds(n: int, density: float, slack: int) -> tuple[int, int]:
    """The least and the greatest number of facts (equations 4 and 5); half rounds to even."""
    pairs = n * (n - 1) // 2
    expected = round(density * pairs)
    return max(n - 1, expected - slack), max(n - 1, min(pairs - 1, expected + slack))


def achieved(n: int, relations: tuple[str, ...], alpha: float) -> float:
    """The difficulty of a graph (equation 1), to 1e-4."""
    return round(scale(n, alpha) * sum(WEIGHTS[r] for r in relations) / (10 * len(relations)), 4)


def error(n: int, relations: list[str] | tuple[str, ...], difficulty: float, alpha: float) -> float:
    """The relative error of the mean weight (equation 9), to 1e-9."""
    target = difficulty / scale(n, alpha)
    mean = sum(WEIGHTS[r] for r in relations) / (10 * len(relations))
    return round(abs(mean - target) / target, 9)


def configuration(stream: Stream, model: Model, tier: Tier) -> Configuration | None:
    """Algorithm 1. None if no configuration within the tolerance is found, so that none can be expected."""
    n = events_for(tier.difficulty, model)
    low, high = edge_bounds(n, tier.density, model.slack)
    target = tier.difficulty / scale(n, model.alpha)
    chances = [round(1e9 * math.exp(-((WEIGHTS[r] / 10 - target) ** 2) / (2 * model.sigma**2))) for r in model.relations]
    nearest = min(max(target, min(WEIGHTS[r] for r in model.relations) / 10), max(WEIGHTS[r] for r in model.relations) / 10)
    if abs(nearest - target) / target > tier.tolerance or not any(chances):
        return None
    for _ in range(_ENOUGH_DRAWS):
        m = low + stream.below(high - low + 1)
        relations = [stream.weighted(model.relations, chances) for _ in range(m)]
        if _calibrated(stream, relations, n, model, tier, target):
            return Configuration(n, tuple(relations))
    return None


def _calibrated(stream: Stream, relations: list[str], n: int, model: Model, tier: Tier, target: float) -> bool:
    """Phase 3, in place: swap extreme relations until the mean weight is within the tolerance, T times at most."""
    for _ in range(model.swaps):
        if error(n, relations, tier.difficulty, model.alpha) <= tier.tolerance:
            return True
        too_heavy = sum(WEIGHTS[r] for r in relations) > 10 * len(relations) * target
        extreme = _of_weight(relations, (max if too_heavy else min)(WEIGHTS[r] for r in relations))
        opposite = _of_weight(model.relations, (min if too_heavy else max)(WEIGHTS[r] for r in model.relations))
        place = stream.choice([i for i, r in enumerate(relations) if r in extreme])
        relations[place] = stream.choice(opposite)
    return error(n, relations, tier.difficulty, model.alpha) <= tier.tolerance


def _of_weight(relations: list[str] | tuple[str, ...], weight: int) -> list[str]:
    return [r for r in dict.fromkeys(relations) if WEIGHTS[r] == weight]
