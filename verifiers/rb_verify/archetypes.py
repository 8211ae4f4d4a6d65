"""Archetypes of reasoning: six scores that compare models, and four clusters of depth against cost.

Implements the ReEfBench paper, sections 3.4 and 4.3 and appendix B.4 (Tables 2, 9, 11 and 13). All of it is relative to
the models compared: another set of models gives other scores and other clusters.

The paper does not say how its k-means starts. One start at random depends on the order of the models. So the points are
sorted and the best of ``STARTS`` starts is taken, which is the same for every order. On Table 13 this returns the
published clusters, if the depth is computed from the printed raw depth; the depth scores printed there have two decimals,
and for those another partition is better by .0006 of an inertia of .321.

scikit-learn and SciPy (the extra ``stats``) compute the clusters; the scores need neither.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from rb_verify.errors import UnusableInput

NEEDS_STATS = "archetypes need scikit-learn and scipy: pip install 'rb-verify[stats]'"

# Table 9: each score, and the raw sub-metrics it is the mean of.
COMPONENTS: dict[str, tuple[str, ...]] = {
    "logical_depth": ("max_depth",),
    "cost": ("reflection_sentences", "planning_nodes", "verbosity"),
    "exploration": ("explored_nodes",),
    "efficiency": ("step_efficiency", "effective_span"),
    "coherence": ("reflection_efficiency", "valid_planning"),
    "redundancy": ("sentence_duplication", "node_duplication"),
}
# Table 11: each archetype's corner of the plane (logical depth, cost).
CORNERS: dict[str, tuple[float, float]] = {
    "deep_wanderer": (1.0, 1.0),
    "effective_solver": (1.0, 0.0),
    "hollow_mimic": (0.0, 1.0),
    "lazy_guesser": (0.0, 0.0),
}
SEED = 42
STARTS = 200  # on Table 13 one start in twelve finds the best clusters: 50 starts nearly always, 200 practically always
_DECIMALS = 6  # points that agree to so many are one, so that what rounding leaves separates no clusters

Point = tuple[float, float]


class Model(NamedTuple):
    """A model and its raw mean values at the hardest level.

    ``metrics`` has all names in ``COMPONENTS``, each a number of at least 0; ``verbosity`` is already the square root of
    the tokens (Table 9). A constant factor in a metric changes nothing.
    """

    name: str
    metrics: Mapping[str, float]


class Placed(NamedTuple):
    """A model's archetype, and how typical it is: 1 at the centroid or beyond, 0 on the boundary to another cluster."""

    archetype: str
    confidence: float


def of_report(name: str, report: Mapping[str, Any]) -> Model:
    """A model as its report of ReEfBench tells (``Report.data``), at the hardest level. Raises UnusableInput if it has none."""
    hardest = report.get("reefbench", {}).get("hardest")
    if hardest is None:
        raise UnusableInput(f"{name}: this report has no process of main rows of reefbench: archetypes need one")
    return Model(name, {part: value for parts in hardest["components"].values() for part, value in parts.items()})


def compare(reports: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The six scores, archetype and confidence of each model, by name, from the reports of four or more.

    Raises UnusableInput if reports are of different signatures or hardest levels, and as ``scores`` and ``classify`` do.
    """
    models = [of_report(name, report) for name, report in reports.items()]
    for what, values in (
        ("signatures", {report["signature"] for report in reports.values()}),
        ("hardest levels", {report["reefbench"]["hardest"]["level"] for report in reports.values()}),
    ):
        if len(values) > 1:
            raise UnusableInput(f"the reports have different {what} ({', '.join(map(str, sorted(values)))}): score them alike")
    scored = scores(models)
    placed = classify({name: (values["logical_depth"], values["cost"]) for name, values in scored.items()})
    return {name: {"scores": scored[name], **placed[name]._asdict()} for name in scored}


def scores(models: Sequence[Model]) -> dict[str, dict[str, float]]:
    """The six scores of each model, from 0 to 1: the mean of its sub-metrics, each divided by its maximum over the models.

    A sub-metric that is 0 for all models counts as 0. Raises UnusableInput for a name that occurs twice and for a metric
    that is absent, negative or not finite.
    """
    metrics = [metric for components in COMPONENTS.values() for metric in components]
    seen: set[str] = set()
    for name, values in models:
        if name in seen:
            raise UnusableInput(f"two models are named {name}: archetypes need different names")
        seen.add(name)
        for metric in metrics:
            if not 0 <= values.get(metric, math.nan) < math.inf:
                raise UnusableInput(f"{name} has no usable {metric}: archetypes need a number of at least 0")
    best = {metric: max((model.metrics[metric] for model in models), default=0) or 1 for metric in metrics}
    return {
        name: {score: fmean(values[part] / best[part] for part in parts) for score, parts in COMPONENTS.items()}
        for name, values in models
    }


def classify(points: Mapping[str, Point]) -> dict[str, Placed]:
    """The archetype of each model, from its scores (logical depth, cost); the order of the models does not matter.

    K-means makes four clusters, and the Hungarian algorithm gives each the archetype whose corner is near its centroid, by
    the least sum of squared distances. Raises UnusableInput for a score that is not between 0 and 1, for fewer than four
    different points, and where a library is not installed.
    """
    for name, scored in points.items():
        if not all(0 <= score <= 1 for score in scored):
            raise UnusableInput(f"{name} has a score that is not between 0 and 1: archetypes need max-normalised scores")
    where = {name: (round(depth, _DECIMALS), round(cost, _DECIMALS)) for name, (depth, cost) in points.items()}
    different = len(set(where.values()))
    if different < len(CORNERS):
        raise UnusableInput(f"archetypes need at least four models that differ in depth or cost; these make {different}")
    try:
        from scipy.optimize import linear_sum_assignment
        from sklearn.cluster import KMeans
    except ImportError:
        raise UnusableInput(NEEDS_STATS) from None

    ordered = sorted(where.values())
    means = KMeans(n_clusters=len(CORNERS), random_state=SEED, n_init=STARTS, tol=0).fit(ordered)
    centroids = [(float(depth), float(cost)) for depth, cost in means.cluster_centers_]
    _, corners = linear_sum_assignment([[_squared(c, corner) for corner in CORNERS.values()] for c in centroids])
    archetypes = [list(CORNERS)[corner] for corner in corners]
    cluster = {point: int(label) for point, label in zip(ordered, means.labels_, strict=True)}

    def placed(point: Point) -> Placed:
        own = cluster[point]
        others = centroids[:own] + centroids[own + 1 :]
        return Placed(archetypes[own], round(confidence(point, centroids[own], others), _DECIMALS))

    return {name: placed(point) for name, point in where.items()}


def confidence(point: Point, own: Point, others: Sequence[Point]) -> float:
    """Equation (1): how far ``point`` is from the boundary to each other cluster, relative to its own centroid; the least.

    The boundary is the perpendicular bisector of the two centroids. The value is from 0 to 1.
    """
    least = 1.0
    for other in others:
        way = (other[0] - own[0], other[1] - own[1])
        along = (point[0] - own[0]) * way[0] + (point[1] - own[1]) * way[1]
        least = min(least, 1 - 2 * along / _squared(own, other))  # the boundary is half the way
    return max(0.0, least)


def weighted_means(values: Mapping[str, Mapping[str, float]], placed: Mapping[str, Placed]) -> dict[str, dict[str, float]]:
    """The mean of each score over the models of each archetype, weighted by confidence (Tables 2 and 13, bottom).

    ``values``: the same scores for every model, by name. An archetype whose weights add up to 0 is left out.
    """
    means = {}
    for archetype in CORNERS:
        members = [(values[name], p.confidence) for name, p in placed.items() if p.archetype == archetype]
        total = math.fsum(weight for _, weight in members)
        if total > 0:
            means[archetype] = {
                score: math.fsum(row[score] * weight for row, weight in members) / total for score in members[0][0]
            }
    return means


def _squared(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
