"""Paired bootstrap, differences and ranks against independent statistics and planted data."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from compare_cases import (
    Clusters,
    Data,
    board,
    changed,
    laid,
    named,
    numpy_resamples,
)
from rb_verify import paired


def planted(skill: float, seed: int, groups: int = 2, size: int = 30) -> dict[str, Clusters]:
    """Clusters of three rows each, every row right with the chance ``skill``."""
    draw = random.Random(seed)
    return {
        f"g{group}": {f"c{group}-{i}": (float(sum(draw.random() < skill for _ in range(3))), 3.0) for i in range(size)}
        for group in range(groups)
    }


def test_differences_agree_with_scipys_paired_bootstrap() -> None:
    """The interval of a difference is SciPy's paired percentile bootstrap of other resamples, within their noise."""
    a, b = planted(0.7, 1)["g0"], planted(0.55, 2)["g0"]
    models = paired.resampled({"a": a, "b": b})
    found = paired.difference(models["a"], models["b"])
    x, y = (np.array([pair[0] for pair in some.values()]) for some in (a, b))

    def statistic(first: Any, second: Any, axis: int) -> Any:
        return (first.sum(axis=axis) - second.sum(axis=axis)) / (3 * first.shape[axis])

    seeded = np.random.default_rng(5)
    independent = scipy_stats.bootstrap((x, y), statistic, paired=True, method="percentile", n_resamples=20_000, rng=seeded)
    assert found.value == pytest.approx(statistic(x, y, 0), abs=1e-6)
    assert found.interval == pytest.approx(tuple(independent.confidence_interval), abs=0.02)


def test_clusters_weigh_by_their_rows() -> None:
    """A score is the sum of numerators over the sum of denominators, also where clusters are of different sizes."""
    clusters: Clusters = {"a": (1, 1), "b": (0, 3), "c": (2, 4), "unscored": (0, 0)}
    found = paired.resampled({"it": clusters})["it"]
    assert found.score == 3 / 8
    del clusters["unscored"]
    assert np.allclose(found.values, numpy_resamples(clusters))


def test_pairing_sees_through_what_is_hard_for_all() -> None:
    """A model that adds one right row to half of its rival's clusters is ahead, though their own intervals overlap."""
    rival = planted(0.5, 3)["g0"]
    better = {name: (min(3.0, a + (i % 2)), b) for i, (name, (a, b)) in enumerate(rival.items())}
    models = paired.resampled({"rival": rival, "better": better})
    lows = {name: sorted(model.values) for name, model in models.items()}
    assert lows["better"][25] < lows["rival"][-26]
    assert {name: place.rank for name, place in paired.places(models).items()} == {"better": 1, "rival": 2}


def test_equals_are_seldom_told_apart() -> None:
    """Of pairs of equally good models about one in twenty is ranked apart; of pairs that differ by .2 nearly all are."""

    def apart(a: float, b: float) -> float:
        told = 0
        for seed in range(100):
            models = paired.resampled({"a": planted(a, 2 * seed, 1, 60)["g0"], "b": planted(b, 2 * seed + 1, 1, 60)["g0"]})
            told += {place.rank for place in paired.places(models).values()} == {1, 2}
        return told / 100

    assert 0.01 <= apart(0.5, 0.5) <= 0.11
    assert apart(0.6, 0.4) >= 0.9


@pytest.mark.parametrize(("behind", "told"), [(25, True), (26, False)])
def test_rank_and_interval_agree(behind: int, told: bool) -> None:
    """A model beats another exactly where the interval of the difference begins above 0, to the very resample."""
    a = paired.Resampled(0.6, [0.5] * behind + [0.7] * (1000 - behind))
    b = paired.Resampled(0.5, [0.5] * 1000)
    assert paired.beats(a, b) is told
    assert (paired.difference(a, b).interval[0] > 0) is told
    assert not paired.beats(b, a)


def test_equal_models_share_the_first_rank(reports: dict[str, list[Data]]) -> None:
    """Two reports that are the same have one rank and no difference, in the order of their names."""
    report = reports["tracebench"][1]
    found = board(*(changed(report, submission={"model": name}) for name in ("b", "a")))
    assert [(m["name"], m["rank"], m["to_best"]["value"]) for m in found["models"]] == [("a", 1, 0), ("b", 1, 0)]


def test_ranks_of_a_group_are_of_its_clusters_alone(reports: dict[str, list[Data]]) -> None:
    """Who is better in one group and worse in the other is first there and last here."""
    good, bad = planted(0.9, 1), planted(0.3, 2)
    one = {"g0": good["g0"], "g1": bad["g1"]}
    other = {"g0": bad["g0"], "g1": good["g1"]}
    base = reports["twosat"][0]
    models = named(board(laid(base, one, "one"), laid(base, other, "other")))
    assert [models["one"]["groups"][g]["rank"] for g in ("g0", "g1")] == [1, 2]
    assert [models["other"]["groups"][g]["rank"] for g in ("g0", "g1")] == [2, 1]
    assert models["one"]["rank"] == models["other"]["rank"] == 1
