"""Tests of trajectories: each kind by hand, the paper's examples, boundaries, noise; and of long against short modes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify.modes import Mode, average, delta
from rb_verify.trajectory import (
    ADAPTIVE_SCALING,
    COLLAPSE,
    DILUTED_EXPANSION,
    FALLEN,
    SATURATION,
    UNDETERMINED,
    Trajectory,
    classify,
)

PUBLISHED = json.loads((Path(__file__).parent / "reefbench_published.json").read_text(encoding="utf-8"))
LEVELS = range(3, 12)
KINDS = {ADAPTIVE_SCALING, COLLAPSE, DILUTED_EXPANSION, SATURATION, UNDETERMINED}

FULL = [3, 4, 5, 6, 7, 8, 9, 10, 11]  # depths that keep pace
STALLED = [3, 4, 5, 5.5, 5.8, 5.9, 6, 5.9, 5.8]
RISING = [300, 400, 500, 650, 800, 1000, 1200, 1500, 1800]
FLAT = [300, 400, 500, 600, 650, 640, 660, 650, 640]

# Hand-made curves with the published means (Table 12) and ends (Table 13) of the models that section 4.4 and 5.3 name.
EXAMPLES = {
    "Claude-Opus-4.5.long": (
        ADAPTIVE_SCALING,
        [340, 480, 650, 850, 1100, 1400, 1850, 2412, 3500],
        [3, 4, 5, 6, 7, 8, 9, 9.65, 10.27],
    ),
    "Qwen3-235B-thinking": (
        ADAPTIVE_SCALING,
        [1500, 2000, 2800, 3900, 5300, 7200, 9500, 12654, 16800],
        [3, 4, 5, 6, 7, 8, 8.9, 9.48, 10.54],
    ),
    "Claude-Sonnet-4.5.short": (
        DILUTED_EXPANSION,
        [240, 290, 350, 430, 520, 650, 800, 1039, 1600],
        [3, 4, 5, 6, 6.7, 7, 7.3, 7.23, 6.42],
    ),
    "Qwen3-235B.long": (
        SATURATION,
        [1500, 2200, 3000, 3900, 4900, 5700, 6000, 5846, 4100],
        [3, 4, 5, 5.9, 6.8, 7.6, 8, 8.13, 8.54],
    ),
    "Qwen3-4B.long": (
        COLLAPSE,
        [1700, 2400, 3100, 3500, 3500, 3300, 2900, 2331, 1700],
        [3, 4, 5, 5.6, 5.7, 5.5, 5.1, 4.74, 4.38],
    ),
}


def curve(costs: list[float], depths: list[float]) -> list[tuple[int, float, float]]:
    """Points of the paper's nine levels."""
    return list(zip(LEVELS, costs, depths, strict=True))


def mode(name: str) -> dict[str, float]:
    """A model's row of Table 12, with its level-11 row of Table 13 as ``end_depth`` and ``end_tokens``."""
    row = next(row for row in PUBLISHED["table12"] if name in (row["model"], f"{row['model']}.{row['mode']}"))
    end = PUBLISHED["table13"][name]
    return {**row, "end_depth": end["raw_depth"], "end_tokens": 1000 * end["raw_tokens_k"]}


@pytest.mark.parametrize(
    ("kind", "costs", "depths"),
    [
        (ADAPTIVE_SCALING, RISING, FULL),
        (DILUTED_EXPANSION, RISING, STALLED),
        (SATURATION, FLAT, STALLED),
        (UNDETERMINED, FLAT, FULL),
        (COLLAPSE, [300, 400, 500, 600, 700, 600, 500, 400, 300], [3, 4, 5, 6, 6, 5.5, 5, 4.5, 4]),
        (COLLAPSE, [*RISING[:8], 200], [*FULL[:8], 3]),  # all at the last level, after slopes that follow
        (SATURATION, [*FLAT[:5], 600, 500, 400, 300], STALLED),  # less and less cost, depth kept
        (SATURATION, FLAT, [3, 4, 5, 6, 6, 5, 4, 3, 2]),  # depth falls at the same cost
        (DILUTED_EXPANSION, RISING, [3, 4, 5, 6, 6, 5, 4, 3, 2]),  # depth falls at rising cost
        (SATURATION, [0] * 9, [0] * 9),
    ],
)
def test_each_kind_by_hand(kind: str, costs: list[float], depths: list[float]) -> None:
    """Shapes that the paper's words describe have the kind of those words, in any order of the levels."""
    points = curve(costs, depths)
    assert classify(points).kind == kind
    assert classify(points[::-1]) == classify(points)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_papers_examples(name: str) -> None:
    """A curve with a named model's published means and ends has the kind that the paper gives the model."""
    kind, costs, depths = EXAMPLES[name]
    published = mode(name)
    mean = average(curve(costs, depths))
    assert (mean.depth, mean.tokens) == pytest.approx((published["depth"], published["tokens"]), abs=0.006, rel=1e-4)
    assert (depths[-1], costs[-1]) == pytest.approx((published["end_depth"], published["end_tokens"]))
    assert classify(curve(costs, depths)).kind == kind


def test_the_share_that_counts_as_fallen_separates_the_papers_examples() -> None:
    """Whatever their curves, the collapsed model kept less than FALLEN of depth and cost, the saturated one more of depth."""
    collapsed, saturated = mode("Qwen3-4B.long"), mode("Qwen3-235B.long")
    end = collapsed["end_depth"] + 0.005
    best = (9 * (collapsed["depth"] - 0.005) - end - (3 + 4 + 5)) / 5  # the mean of levels 6 to 10 is no more than the best
    assert end / best < FALLEN
    assert (collapsed["end_tokens"] + 50) / ((9 * collapsed["tokens"] - collapsed["end_tokens"] - 50) / 8) < FALLEN
    assert (saturated["end_depth"] - 0.005) / 10 > FALLEN  # at level 10 the best is at most 10


def test_the_evidence_by_hand() -> None:
    """Slopes are medians over pairs of the harder half, cost relative to the level; shares are of the best elsewhere."""
    costs = [10, 20, 30, 40, 70, 80, 90, 100, 110]
    depths = [3, 4, 5, 6, 5, 5.25, 5.5, 5.75, 5.4]
    assert classify(curve(costs, depths)) == Trajectory(DILUTED_EXPANSION, 0.25, 1.0, 0.9, 1.0)


def test_of_four_levels_the_harder_three_count() -> None:
    """Depth slopes 1, .5 and 0 have the median .5; cost slopes 5, 5 and 5 over a mean of 15 make 2 at a mean level of 6."""
    assert classify([(4, 0, 4), (5, 10, 5), (6, 15, 6), (7, 20, 6)]) == Trajectory(ADAPTIVE_SCALING, 0.5, 2.0, 1.0, 1.0)


def test_one_odd_level_decides_nothing() -> None:
    """A dip at one of the harder levels leaves the kind as it is."""
    for k in range(5, 8):
        costs, depths = list(RISING), list(FULL)
        costs[k] //= 4
        depths[k] = 2
        assert classify(curve(costs, depths)).kind == ADAPTIVE_SCALING


@pytest.mark.parametrize(
    ("cost_step", "depth_step", "kind"),
    [
        (0.5, 0.5, ADAPTIVE_SCALING),
        (0.49, 0.5, UNDETERMINED),
        (0.5, 0.49, DILUTED_EXPANSION),
        (0.49, 0.49, SATURATION),
    ],
)
def test_the_boundary_of_following(cost_step: float, depth_step: float, kind: str) -> None:
    """Exactly half as fast as the level follows, a little less does not. The steps are not exact in binary."""
    costs = [9 + cost_step * (level - 9) for level in LEVELS]  # mean cost of levels 7 to 11 is their mean level
    depths = [min(level, 5.3 + depth_step * (level - 7)) for level in LEVELS]
    assert classify(curve(costs, depths)).kind == kind


def test_the_boundary_of_collapse() -> None:
    """Exactly the share is not yet fallen, and one of the two alone is no collapse."""
    costs, depths = [100.0] * 8, [3, 4, 5, 6, 6, 6, 6, 6]
    kept, fallen = 100 * FALLEN, 100 * FALLEN - 0.1
    assert classify(curve([*costs, fallen], [*depths, 5])).kind == COLLAPSE
    assert classify(curve([*costs, kept], [*depths, 5])).kind == SATURATION
    assert classify(curve([*costs, fallen], [*depths, 6 * FALLEN])).kind == SATURATION


@pytest.mark.parametrize(("kind", "costs", "depths"), [(k, c, d) for k, c, d in EXAMPLES.values() if k != COLLAPSE])
def test_noise_of_a_hundred_rows_leaves_the_kind(kind: str, costs: list[float], depths: list[float]) -> None:
    """Costs off by 5 % and depths by .1, a standard error each, change the kind in fewer than one of twenty draws."""
    draw = random.Random(1)
    changed = 0
    for _ in range(400):
        noisy = [
            (level, cost * (1 + draw.gauss(0, 0.05)), min(float(level), depth + draw.gauss(0, 0.1)))
            for level, cost, depth in curve(costs, depths)
        ]
        changed += classify(noisy).kind != kind
    assert changed < 20


def test_flat_costs_rarely_seem_to_follow() -> None:
    """Of flat costs with a standard error of 5 %, fewer than one of a hundred follow the level."""
    draw = random.Random(2)
    kinds = [classify(curve([100 * (1 + draw.gauss(0, 0.05)) for _ in LEVELS], STALLED)).kind for _ in range(1000)]
    assert kinds.count(DILUTED_EXPANSION) < 10
    assert kinds.count(SATURATION) + kinds.count(DILUTED_EXPANSION) == 1000


def test_fewer_than_four_levels_are_undetermined() -> None:
    """Three levels have no evidence, four have."""
    assert classify([]) == classify(curve(RISING, FULL)[:3]) == Trajectory(UNDETERMINED)
    assert classify(curve(RISING, FULL)[:4]).kind == ADAPTIVE_SCALING


levels = st.lists(st.integers(1, 20), max_size=10, unique=True)
points = levels.flatmap(
    lambda chosen: st.tuples(*(st.tuples(st.just(n), st.floats(0, 1e300), st.floats(0, n)) for n in chosen))
)


@given(points, st.integers(-20, 20))
def test_every_curve_has_one_kind_that_no_unit_of_cost_changes(drawn: tuple[tuple[int, float, float], ...], k: int) -> None:
    """Any valid means are classified, with finite evidence, and costs in another unit give the same."""
    found = classify(drawn)
    assert found.kind in KINDS
    assert len(drawn) < 4 or all(isinstance(value, float) and abs(value) < 1e6 for value in found[1:])
    whole = [(level, float(int(cost % 1e6)), depth) for level, cost, depth in drawn]
    assert classify([(level, cost * 2.0**k, depth) for level, cost, depth in whole]) == classify(whole)


@pytest.mark.parametrize(
    "bad", [(3, 1.0, 1.0), (0, 1.0, 0.0), (12, -1.0, 1.0), (12, float("inf"), 1.0), (12, 1.0, 12.1), (12, 1.0, float("nan"))]
)
def test_what_is_no_mean_is_refused(bad: tuple[int, float, float]) -> None:
    """A level twice or below 1, a negative or infinite cost, a depth beyond its level: ValueError."""
    with pytest.raises(ValueError, match="level"):
        classify([*curve(RISING, FULL), bad])


def gains() -> list[tuple[dict[str, float], Mode]]:
    """Each long row of Table 12, and its gains over the short row that follows it."""
    found, rows = [], PUBLISHED["table12"]
    for i, row in enumerate(rows):
        if row["mode"] == "long":
            short = next(other for other in rows[i:] if other["mode"] == "short")
            found.append((row, delta(Mode(row["depth"], row["tokens"]), Mode(short["depth"], short["tokens"]))))
    return found


def test_table_12_is_reproduced() -> None:
    """Twelve gains in depth within .25 points of a percent, as averages of two decimals allow, and in tokens within .02."""
    depth = [abs(100 * gain.depth - row["depth_delta_percent"]) for row, gain in gains() if gain.depth is not None]
    tokens = [abs(100 * gain.tokens - row["tokens_delta_percent"]) for row, gain in gains() if gain.tokens is not None]
    assert len(depth) == len(tokens) == 12
    assert max(depth) < 0.25
    assert max(tokens) < 0.02


def test_table_3_shows_gains_of_means_over_levels() -> None:
    """Its five gains are Table 12's to one decimal. At level 11, which its caption names, QwQ-32B would gain 145.5 %."""
    column = {row["model"]: row["depth_delta_percent"] for row in PUBLISHED["table12"] if row["mode"] == "long"}
    table3 = PUBLISHED["table3_depth_delta_percent"]
    assert all(abs(column[name] - gain) < 0.0501 for name, gain in table3.items())
    table13 = PUBLISHED["table13"]
    at_11 = delta(Mode(table13["QwQ-32B"]["raw_depth"], 0), Mode(table13["Qwen2.5-32B-Inst"]["raw_depth"], 0))
    assert at_11.depth == pytest.approx(1.455, abs=0.001)
    assert at_11.tokens is None


def test_average_and_delta_by_hand() -> None:
    """Levels count alike; a gain over nothing is undefined."""
    long, short = average([(3, 100, 3), (4, 500, 4)]), average([(3, 100, 2), (4, 100, 3)])
    assert long == Mode(3.5, 300)
    assert delta(long, short) == pytest.approx((0.4, 2))
    assert delta(long, Mode(0, 10)).depth is None
    with pytest.raises(ValueError, match="at least one level"):
        average([])
