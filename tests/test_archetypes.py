"""Tests of the archetypes against the paper's Tables 2 and 13, and against clusters made by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rb_verify.archetypes import COMPONENTS, CORNERS, Model, Placed, classify, confidence, scores, weighted_means
from rb_verify.errors import UnusableInput

PUBLISHED = json.loads((Path(__file__).parent / "reefbench_published.json").read_text(encoding="utf-8"))
TABLE13 = PUBLISHED["table13"]
AVERAGES = PUBLISHED["table13_category_averages"]
PRINTED = {
    "DeepWanderer": "deep_wanderer",
    "EffectiveSolver": "effective_solver",
    "HollowMimic": "hollow_mimic",
    "LazyGuesser": "lazy_guesser",
}
SWAPPED = ["DS-R1-Qwen-7B", "Qwen3-14B.short"]  # printed with logical depth and cost exchanged
MENDED = {
    name: {**row, "logical_depth": row["cost"], "cost": row["logical_depth"]} if name in SWAPPED else row
    for name, row in TABLE13.items()
}
METRICS = [part for parts in COMPONENTS.values() for part in parts]
# The depth scores from the raw depths, which are rounded less than the printed scores.
DEPTHS = scores([Model(name, dict.fromkeys(METRICS, row["raw_depth"])) for name, row in TABLE13.items()])
POINTS = {name: (DEPTHS[name]["logical_depth"], row["cost"]) for name, row in MENDED.items()}

# Four tight groups of three near the corners.
GROUPS = {
    f"{archetype}-{i}": (abs(depth - 0.1) + 0.02 * i, abs(cost - 0.1) + 0.01 * i * i)
    for archetype, (depth, cost) in CORNERS.items()
    for i in range(3)
}


def model(name: str, value: float, **others: float) -> Model:
    """A model whose metrics are all ``value`` but for ``others``."""
    return Model(name, {**dict.fromkeys(METRICS, value), **others})


def test_the_printed_depth_score_is_raw_depth_over_its_maximum() -> None:
    """The identity holds for 23 rows of Table 13 within rounding; the two rows where it fails have their columns exchanged."""
    tolerance = 0.005 + 0.005 * 2 / 10.54  # of the score, of the depth and of the largest depth
    assert [name for name, row in TABLE13.items() if abs(row["logical_depth"] - POINTS[name][0]) > tolerance] == SWAPPED
    assert all(abs(row["logical_depth"] - POINTS[name][0]) <= tolerance for name, row in MENDED.items())


def test_table_2_prints_the_mended_row() -> None:
    """Table 2 agrees with Table 13 but for one exchanged row, where it has the two values the other way round."""
    columns = ("confidence", "logical_depth", "cost")
    table2 = PUBLISHED["table2"]
    assert [name for name, row in table2.items() if any(row[c] != TABLE13[name][c] for c in columns)] == ["DS-R1-Qwen-7B"]
    assert all(row[c] == MENDED[name][c] for name, row in table2.items() for c in columns)


def test_table_13_is_reproduced() -> None:
    """All 25 models are in the published cluster under the published name, each confidence within .04."""
    placed = classify(POINTS)
    assert {name: p.archetype for name, p in placed.items()} == {n: PRINTED[r["category"]] for n, r in TABLE13.items()}
    assert max(abs(p.confidence - TABLE13[name]["confidence"]) for name, p in placed.items()) < 0.04


def test_depth_scores_of_two_decimals_have_another_best_partition() -> None:
    """The published clusters hang on the third decimal: from the printed scores eight models are placed differently."""
    placed = classify({name: (row["logical_depth"], row["cost"]) for name, row in MENDED.items()})
    assert sum(p.archetype != PRINTED[TABLE13[name]["category"]] for name, p in placed.items()) == 8


@settings(max_examples=8, deadline=None)
@given(st.permutations(list(TABLE13)))
def test_the_order_of_the_models_does_not_matter(order: list[str]) -> None:
    """Every order gives every model exactly the same place, and the result is in the order given."""
    placed = classify({name: POINTS[name] for name in order})
    assert list(placed) == order
    assert placed == classify(POINTS)


@pytest.mark.parametrize("order", ["abcdef", "fedcba", "cafebd", "badcfe"])
def test_equal_partitions_are_decided_alike(order: str) -> None:
    """Of six equidistant points any two pairs of neighbours may be joined at the same price; the order does not choose."""
    points = {name: (i / 8, 0.5) for i, name in enumerate("abcdef")}
    assert classify({name: points[name] for name in order}) == classify(points)


def test_category_averages_of_the_scores_are_weighted_by_confidence() -> None:
    """All 24 averages of the six scores are reproduced within .0075, which is what the rounding of rows and weights allows."""
    placed = {name: Placed(PRINTED[row["category"]], row["confidence"]) for name, row in TABLE13.items()}
    means = weighted_means({name: {score: row[score] for score in COMPONENTS} for name, row in MENDED.items()}, placed)
    errors = {(c, score): means[PRINTED[c]][score] - AVERAGES[c][score] for c in AVERAGES for score in COMPONENTS}
    assert len(errors) == 24
    assert max(map(abs, errors.values())) < 0.0075
    assert [which for which, error in errors.items() if abs(error) > 0.0055] == [("HollowMimic", "coherence")]


def test_category_averages_of_the_raw_values_are_not_weighted() -> None:
    """The printed averages of raw depth and tokens are plain means, not weighted ones; one depth (9.40) is neither."""
    raw = ("raw_depth", "raw_tokens_k")
    values = {name: {column: row[column] for column in raw} for name, row in TABLE13.items()}
    weighted = weighted_means(values, {n: Placed(PRINTED[r["category"]], r["confidence"]) for n, r in TABLE13.items()})
    plain = weighted_means(values, {n: Placed(PRINTED[r["category"]], 1.0) for n, r in TABLE13.items()})

    def wrong(means: dict[str, dict[str, float]]) -> list[tuple[str, str]]:
        tolerance = {"raw_depth": 0.01, "raw_tokens_k": 0.1}  # rows and averages are both rounded
        return [(c, x) for c in AVERAGES for x in raw if abs(means[PRINTED[c]][x] - AVERAGES[c][x]) > tolerance[x]]

    assert wrong(plain) == [("EffectiveSolver", "raw_depth")]
    assert plain["effective_solver"]["raw_depth"] == pytest.approx(8.779, abs=0.001)
    assert weighted["effective_solver"]["raw_depth"] == pytest.approx(9.096, abs=0.001)
    assert wrong(weighted) == [
        ("EffectiveSolver", "raw_depth"),
        ("EffectiveSolver", "raw_tokens_k"),
        ("HollowMimic", "raw_depth"),
        ("HollowMimic", "raw_tokens_k"),
        ("LazyGuesser", "raw_depth"),
    ]


def test_scores_by_hand() -> None:
    """A score is the mean of its sub-metrics after each is divided by its largest value, which may be 0."""
    a = model("a", 2, reflection_sentences=0, planning_nodes=5, verbosity=30, valid_planning=0)
    b = model("b", 1, reflection_sentences=8, planning_nodes=10, verbosity=40, valid_planning=0)
    assert scores([a, b])["a"] == pytest.approx(
        {
            "logical_depth": 1,
            "cost": (0 + 0.5 + 0.75) / 3,
            "exploration": 1,
            "efficiency": 1,
            "coherence": 0.5,
            "redundancy": 1,
        }
    )
    assert scores([a, b])["b"]["cost"] == 1
    assert scores([a, b])["b"]["coherence"] == 0.25
    assert scores([]) == {}


metrics = st.fixed_dictionaries(dict.fromkeys(METRICS, st.floats(0, 1e6)))


@given(st.lists(metrics, min_size=1, max_size=5), st.sampled_from(METRICS))
def test_scores_lie_between_0_and_1_and_know_no_unit(rows: list[dict[str, float]], part: str) -> None:
    """A metric in another unit, for all models alike, changes no score."""
    models = [Model(str(i), row) for i, row in enumerate(rows)]
    before = scores(models)
    assert all(0 <= value <= 1 for row in before.values() for value in row.values())
    assert scores([Model(name, {**row, part: row[part] * 1024}) for name, row in models]) == before


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_unusable_metrics_are_named(bad: float) -> None:
    """The sentence names the model and the metric, absent ones included."""
    with pytest.raises(UnusableInput, match=r"^b has no usable verbosity"):
        scores([model("a", 1), model("b", 1, verbosity=bad)])
    with pytest.raises(UnusableInput, match=r"^a has no usable max_depth"):
        scores([Model("a", {})])
    with pytest.raises(UnusableInput, match="two models are named a"):
        scores([model("a", 1), model("a", 2)])


def test_four_groups_by_hand() -> None:
    """Groups near the corners are found and named by their corner."""
    placed = classify(GROUPS)
    assert all(name.startswith(p.archetype) for name, p in placed.items())
    assert {p.archetype for p in placed.values()} == set(CORNERS)


def test_four_models_are_their_own_centroids() -> None:
    """Four different points make four clusters of one, confidence 1, however close; a copy of a model changes nothing."""
    points = {"a": (0.5, 0.5), "b": (0.5, 0.51), "c": (0.51, 0.5), "d": (0.51, 0.51)}
    placed = classify({**points, "e": (0.51, 0.51)})
    assert placed["e"] == placed["d"] == Placed("deep_wanderer", 1)
    assert placed["a"] == Placed("lazy_guesser", 1)
    assert placed["b"] == Placed("hollow_mimic", 1)
    assert placed["c"] == Placed("effective_solver", 1)


grid = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda p: (p[0] / 20, p[1] / 20))


@settings(max_examples=20, deadline=None)
@given(st.lists(grid, min_size=4, max_size=12).filter(lambda points: len(set(points)) >= 4))
def test_every_archetype_is_used_and_confidence_is_a_share(points: list[tuple[float, float]]) -> None:
    """Four clusters get four names, none left out, and every confidence is from 0 to 1."""
    placed = classify({str(i): point for i, point in enumerate(points)})
    assert {p.archetype for p in placed.values()} == set(CORNERS)
    assert all(0 <= p.confidence <= 1 for p in placed.values())


def test_confidence_by_hand() -> None:
    """1 at the centroid and beyond, 0 on the boundary, in proportion between, and the nearest boundary counts."""
    own, right, above = (0.0, 0.0), (1.0, 0.0), (0.0, 0.4)
    assert confidence(own, own, [right, above]) == 1
    assert confidence((-0.3, -0.2), own, [right, above]) == 1
    assert confidence((0.5, 0.1), own, [right]) == 0
    assert confidence((0.6, 0.1), own, [right]) == 0
    assert confidence((0.125, 0.7), own, [right]) == 0.75
    assert confidence((0.125, 0.15), own, [right, above]) == pytest.approx(0.25)


def test_weighted_means_by_hand() -> None:
    """Confidence is the weight; archetypes without a model or without weight are left out."""
    placed = {"a": Placed("lazy_guesser", 1.0), "b": Placed("lazy_guesser", 0.5), "c": Placed("hollow_mimic", 0.0)}
    values = {"a": {"cost": 0.1}, "b": {"cost": 0.4}, "c": {"cost": 0.9}}
    assert weighted_means(values, placed) == {"lazy_guesser": {"cost": pytest.approx(0.2)}}


def test_too_few_different_models_are_refused() -> None:
    """Three points, or four of which two are the same, are refused with the number that is needed."""
    with pytest.raises(UnusableInput, match="at least four models"):
        classify({"a": (0, 0), "b": (1, 0), "c": (0, 1)})
    with pytest.raises(UnusableInput, match="these make 3"):
        classify({"a": (0, 0), "b": (1, 0), "c": (0, 1), "d": (1e-9, 1)})


@pytest.mark.parametrize("bad", [(1.5, 0.5), (0.5, -0.1), (float("nan"), 0.5)])
def test_scores_outside_the_plane_are_refused(bad: tuple[float, float]) -> None:
    """A raw value in place of a normalised one is told, not clustered."""
    with pytest.raises(UnusableInput, match=r"^x has a score"):
        classify({**GROUPS, "x": bad})


@pytest.mark.parametrize("absent", ["sklearn.cluster", "scipy.optimize"])
def test_a_missing_library_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    """Scores need no library; clusters say which extra to install."""
    monkeypatch.setitem(sys.modules, absent, None)
    assert scores([model("a", 1)])["a"]["cost"] == 1
    with pytest.raises(UnusableInput, match=r"pip install 'rb-verify\[stats\]'"):
        classify(GROUPS)
