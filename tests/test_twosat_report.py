"""The 2-SAT part of a report, on formulas laid by hand: every number is counted here or computed by SciPy directly."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rb_verify.tally import Entry
from rb_verify.twosat_ablations import GRIDS, PARAMETERS, cluster
from rb_verify.twosat_report import summary, tables
from rb_verify.verdict import Outcome

Row = dict[str, Any]
SIX = ("logic", "letter", "team", "social", "room", "door")
TWO = ("logic", "room")

WITNESS = Outcome("correct", "valid_witness", 1, None, (0.0, 0.0, 0.0))
NO_WITNESS = Outcome("correct", "invalid_witness", 0, None, (0.0, 0.0, 0.0))
FALSE_UNSAT = Outcome("incorrect", "false_unsat", 0, None, (0.0, 1.0, 0.0))
UNSAT = Outcome("correct", "unsat_decided", 1, None, (0.0, 0.0, 0.0))
CERTIFIED = Outcome("correct", "unsat_decided", 1, None, (0.0, 1.0, 1.0))
MISTAKEN = Outcome("correct", "unsat_decided", 1, None, (0.0, 1.0, 0.0))
FALSE_SAT = Outcome("incorrect", "false_sat", 0, None, (0.0, 0.0, 0.0))
CUT = Outcome("unparsed", "parse_failure", 0, "reasoning_explosion", (1.0, 0.0, 0.0))
GONE = Outcome("missing", "missing", 0, None, (0.0, 0.0, 0.0))


def formula(family: str, clauses: int, block: int, made: str = "none", variant: str = "", **other: Any) -> Row:
    """A row without a scheme. ``other``: levels off .5, or ``config``."""
    config = other.pop("config", "default")
    levels = {name: other.get(name, 0.5) for name in PARAMETERS[family]}
    names = {name for parameters in PARAMETERS.values() for name in parameters}
    base = "-".join(map(str, (config, family, clauses, block, *levels.values())))
    return {
        "formula": base if made == "none" else f"{base}-{made}-{variant}",
        "base_id": base,
        "block": block,
        "config": config,
        "family": family,
        "params": {"clauses": clauses, **dict.fromkeys(names), **levels},
        "perturbation": made,
        "variant": variant,
        "satisfiable": family != "ImplicationCycle" or made == "twin",
    }


def told(row: Row, outcomes: Sequence[Outcome], schemes: Sequence[str] = TWO) -> list[Entry]:
    """A formula's rows, one for each scheme, with these outcomes."""
    verbalised = [row | {"id": f"{row['formula']}-{scheme}", "scheme": scheme} for scheme in schemes]
    return [Entry(row, outcome, 1) for row, outcome in zip(verbalised, outcomes, strict=True)]


def solved(row: Row, right: int) -> list[Entry]:
    """A formula of six rows, of which so many are solved."""
    good, bad = (WITNESS, NO_WITNESS) if row["satisfiable"] else (UNSAT, FALSE_SAT)
    return told(row, [good] * right + [bad] * (6 - right), SIX)


def laid(rows: Iterable[tuple[Row, int]]) -> list[Entry]:
    """Formulas of six rows, each with how many of them are solved."""
    return [entry for row, right in rows for entry in solved(row, right)]


def by_hand(p: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg by its definition: the least p * m / rank among the p that are no smaller."""
    ranked = sorted(p)
    return [min(min(1, y * len(p) / (k + 1)) for k, y in enumerate(ranked) if y >= x) for x in p]


def test_cells_by_hand() -> None:
    """Table 1: families in the paper's order, sizes ascending; a missing row is wrong, but no parse failure."""
    entries = [
        *told(formula("Backbone", 20, 0), [WITNESS, NO_WITNESS]),
        *told(formula("ImplicationCycle", 10, 0), [UNSAT, FALSE_SAT]),
        *told(formula("ImplicationCycle", 5, 0), [CUT, GONE]),
        *told(formula("Backbone", 20, 1), [FALSE_UNSAT, GONE]),
        *told(formula("Backbone", 20, 0, beta=0.2), [GONE, GONE]),
        *told(formula("Backbone", 20, 0, "shuffled"), [GONE, GONE]),
    ]
    names = ("sat", "witness", "truncated", "parse_failure", "sat_on_unsat")
    cells = summary(entries)["cells"]
    assert [(c["family"], c["clauses"], *(c[name]["value"] for name in names)) for c in cells] == [
        ("ImplicationCycle", 5, 0, None, 0.5, 0.5, 0),
        ("ImplicationCycle", 10, 0.5, None, 0, 0, 0.5),
        ("Backbone", 20, 0.5, 0.25, 0, 0, None),
    ]
    assert [c["sat"]["n"] for c in cells] == [2, 2, 4]
    assert cells[0]["witness"] == {"value": None, "n": 0, "interval": None}
    left_out = [entry for entry in entries if entry.outcome != GONE]
    assert [c["sat"] for c in summary(left_out)["cells"]][::2] == [
        {"value": 0, "n": 1, "interval": [0, 0]},
        {"value": 0.666667, "n": 3, "interval": [0, 1]},
    ]


def test_schemes_are_counted_over_everything() -> None:
    """Figure 8: in the paper's order, perturbed rows and all."""
    entries = [
        *told(formula("Backbone", 20, 0), [NO_WITNESS, WITNESS], ("room", "logic")),
        *told(formula("Backbone", 20, 0, "renamed"), [WITNESS, FALSE_UNSAT], ("room", "logic")),
        *told(formula("ImplicationCycle", 20, 0), [FALSE_SAT, UNSAT], ("room", "logic")),
    ]
    found = summary(entries)["schemes"]
    assert [(s["scheme"], *(s[name]["value"] for name in ("sat", "witness", "score"))) for s in found] == [
        ("logic", 0.666667, 0.5, 0.666667),
        ("room", 0.666667, 0.5, 0.333333),
    ]
    assert [s["witness"]["n"] for s in found] == [2, 2]


# Rows solved of six, by formula index, at seven levels: .8 is always wrong, the rest goes up and down.
PLANTED = {
    0: (6, 5, 6, 4, 5, 0, 3),
    1: (5, 6, 4, 6, 3, 0, 2),
    2: (6, 6, 5, 5, 5, 0, 4),
    3: (4, 3, 5, 6, 6, 0, 5),
}


def planted(clauses: int, family: str = "EquivalenceCore", parameter: str = "ratio") -> list[tuple[Row, int]]:
    """The planted sweep."""
    return [
        (formula(family, clauses, block, **{parameter: level}), right)
        for block, rights in PLANTED.items()
        for level, right in zip(GRIDS["seven"], rights, strict=True)
    ]


def test_a_planted_effect_has_scipys_p_and_the_q_of_its_grid() -> None:
    """Level .8 always wrong at one size of one family, nothing at another: q is corrected within each grid."""
    flat = [
        (formula("ImplicationCycle", 75, b, split=level), (b + 5 * level > 2.6) + 3)
        for b in PLANTED
        for level in GRIDS["seven"]
    ]
    small = [(formula("EquivalenceCore", 20, b, ratio=level), [6, 6, 5, 6][b]) for b in range(4) for level in GRIDS["three"]]
    found = summary(laid(planted(50) + flat + small))["sweep_tests"]
    named = {(t["grid"], t["family"], t["clauses"]): t["test"] for t in found}
    assert [key[:2] for key in named] == [
        ("seven", "ImplicationCycle"),
        ("seven", "EquivalenceCore"),
        ("three", "ImplicationCycle"),
        ("three", "EquivalenceCore"),
        ("three", "EquivalenceCore"),
        ("three, all sizes", "ImplicationCycle"),
        ("three, all sizes", "EquivalenceCore"),
    ]
    seven = [list(PLANTED[b]) for b in PLANTED]
    three = [[rights[1], rights[3], rights[5]] for rights in seven]
    flat_seven = [[(b + 5 * level > 2.6) + 3 for level in GRIDS["seven"]] for b in PLANTED]
    flat_three = [[row[1], row[3], row[5]] for row in flat_seven]
    p = [stats.friedmanchisquare(*zip(*rows, strict=True)).pvalue for rows in (flat_seven, seven, flat_three, three)]
    pooled = stats.friedmanchisquare(*zip(*three, *([x] * 3 for x in (6, 6, 5, 6)), strict=True)).pvalue
    assert p[1] < 0.05, "the planted effect shows"
    for grid, expected in (("seven", p[:2]), ("three", p[2:]), ("three, all sizes", [p[2], pooled])):
        tests = [test for key, test in named.items() if key[0] == grid and test["p"] is not None]
        assert [test["p"] for test in tests] == pytest.approx(expected, rel=1e-5)
        assert [test["q"] for test in tests] == pytest.approx(by_hand(expected), rel=1e-5)
    assert named["three", "EquivalenceCore", 20]["reason"] == "all levels tie in every block"
    assert named["three, all sizes", "EquivalenceCore", None]["n"] == 8


def test_sweeps_by_hand() -> None:
    """Scores and decisions by level; with one parameter, the formulas at .5 are its middle level."""
    (sweep,) = summary(laid(planted(50)))["sweeps"]
    assert (sweep["family"], sweep["parameter"], sweep["clauses"]) == ("EquivalenceCore", "ratio", 50)
    assert [at["level"] for at in sweep["levels"]] == list(GRIDS["seven"])
    assert [at["score"]["value"] for at in sweep["levels"]] == [
        round(sum(rights[i] for rights in PLANTED.values()) / 24, 6) for i in range(7)
    ]
    assert {(at["sat"]["value"], at["sat"]["n"]) for at in sweep["levels"]} == {(1, 24)}


def test_the_middle_is_shared_by_all_parameters() -> None:
    """Formulas at .5 serve every sweep of their family; one with two levels off .5 serves none, one level is no sweep."""
    rows = [
        (formula("Backbone", 75, 0), 6),
        (formula("Backbone", 75, 0, beta=0.2), 3),
        (formula("Backbone", 75, 0, polarity=0.8), 2),
        (formula("Backbone", 75, 0, beta=0.2, density=0.2), 0),
        (formula("MonoBridge", 75, 0), 1),
        (formula("Backbone", 75, 1, "shuffled", beta=1), 1),
    ]
    assert [
        (s["parameter"], [(at["level"], at["score"]["value"]) for at in s["levels"]]) for s in summary(laid(rows))["sweeps"]
    ] == [("beta", [(0.2, 0.5), (0.5, 1)]), ("polarity", [(0.5, 1), (0.8, 0.333333)])]


def test_blocks_that_lack_a_level_are_left_out() -> None:
    """An index without one of its seven levels is no block of the grid of seven, but may be one of the grid of three."""
    rows = [(row, right) for row, right in planted(20) if not (row["block"] == 1 and row["params"]["ratio"] == 1)]
    rows = [(row, right) for row, right in rows if not (row["block"] == 2 and row["params"]["ratio"] == 0.8)]
    tests = {t["grid"]: t["test"] for t in summary(laid(rows))["sweep_tests"]}
    assert {grid: test["n"] for grid, test in tests.items()} == {"seven": 2, "three": 3, "three, all sizes": 3}
    expected = stats.friedmanchisquare(*zip(PLANTED[0], PLANTED[3], strict=True))
    assert tests["seven"]["statistic"] == pytest.approx(expected.statistic, rel=1e-5)
    assert summary(laid(planted(20)[:5]))["sweep_tests"] == [], "a grid whose levels are not there has no test"


def test_samples_and_schemes_are_averaged_to_one_number() -> None:
    """Three samples of two schemes: five of six solved make one block's 5/6, which equals 5/6 of six schemes."""

    def sampled(row: Row, right: int) -> list[Entry]:
        (one, other) = told(row, [WITNESS, NO_WITNESS])
        some = min(right, 3)
        counts = [(one.row, WITNESS, some), (one.row, CUT, 3 - some), (other.row, WITNESS, right - some)]
        counts.append((other.row, NO_WITNESS, 3 - right + some))
        return [Entry(row, outcome, n) for row, outcome, n in counts if n]

    whole = summary(laid(planted(20)))["sweep_tests"]
    assert summary([entry for row, right in planted(20) for entry in sampled(row, right)])["sweep_tests"] == whole


def test_fillers_against_fixed_core_and_matched_total() -> None:
    """(75, +25) against (75, 0) and (100, 0) of the same family, levels and index; q within the fillers."""
    core, total, filled = (6, 5, 6, 4), (3, 2, 1, 1), (4, 4, 2, 3)
    rows = [(formula("MonoBridge", 75, b, position=0.2), right) for b, right in enumerate(core)]
    rows += [(formula("MonoBridge", 100, b, position=0.2), right) for b, right in enumerate(total)]
    rows += [(formula("MonoBridge", 100, b), 6) for b in range(4)]  # another setting: not compared
    rows += [(formula("MonoBridge", 75, b, "fillers", "25-appended-l60", position=0.2), r) for b, r in enumerate(filled)]
    rows += [(formula("MonoBridge", 75, 7, "fillers", "25-appended-l60", position=0.2), 6)]  # has no base here
    core_found, total_found = summary(laid(rows))["paired"]
    assert [core_found["comparison"], total_found["comparison"]] == ["fixed core", "matched total"]
    results = [stats.ttest_rel(filled, other) for other in (core, total)]
    qs = by_hand([result.pvalue for result in results])
    for found, other, result, q in zip((core_found, total_found), (core, total), results, qs, strict=True):
        assert (found["pairs"], found["perturbed"]) == (4, round(sum(filled) / 24, 6))
        assert found["base"] == round(sum(other) / 24, 6)
        assert found["difference"]["value"] == pytest.approx((sum(filled) - sum(other)) / 24, abs=1e-6)
        low, high = found["difference"]["interval"]
        assert low < found["difference"]["value"] < high
        values = [found["test"][name] for name in ("statistic", "p", "q")]
        assert values == pytest.approx([result.statistic, result.pvalue, q], rel=1e-5)


def test_equal_differences_are_not_testable_and_cancel() -> None:
    """A loss of one row in six everywhere is no test; and losses that gains make good are a difference of 0, not of -0."""
    names = [("renamed", ""), ("swapped", "")]
    rows = [(formula("EquivalenceCore", 20, b), b) for b in (2, 3, 4)]
    rows += [(formula("EquivalenceCore", 20, b, *names[0]), b - 1) for b in (2, 3, 4)]
    rows += [(formula("EquivalenceCore", 20, b, *names[1]), right) for b, right in ((2, 2), (3, 2), (4, 4))]
    rows += [(formula("EquivalenceCore", 50, 0), 3), (formula("EquivalenceCore", 50, 0, *names[1]), 4)]
    renamed, swapped = summary(laid(rows))["paired"]
    assert renamed["test"]["reason"] == "all differences are equal"
    assert renamed["difference"] == {"value": -0.166667, "n": 3, "interval": [-0.166667, -0.166667]}
    assert math.copysign(1, swapped["difference"]["value"]) == 1
    assert swapped["difference"]["value"] == 0
    assert (swapped["test"]["statistic"], swapped["test"]["p"]) == (0, 1)


def test_perturbations_come_in_order_and_are_corrected_apart() -> None:
    """Every perturbation, variant and family has its own comparison, and each perturbation its own correction."""
    wrongs = {
        ("copies", "2-grouped"): (5, 3, 1),
        ("copies", "2-grouped-late"): (5, 5, 0),
        ("shuffled", ""): (4, 3, 3),
        ("twin", ""): (0, 0, 0),
    }
    rows = [(formula(family, 20, b), 6) for family in ("Backbone", "ImplicationCycle") for b in range(3)]
    rows += [(formula("Backbone", 20, b, *made), rights[b]) for made, rights in wrongs.items() for b in range(3)]
    rows += [(formula("ImplicationCycle", 20, b, "shuffled"), (5, 1, 3)[b]) for b in range(3)]
    found = summary(laid(rows))["paired"]
    assert [(f["perturbation"], f["variant"], f["family"], f["comparison"]) for f in found] == [
        ("shuffled", "", "ImplicationCycle", "base"),
        ("shuffled", "", "Backbone", "base"),
        ("copies", "2-grouped", "Backbone", "base"),
        ("copies", "2-grouped-late", "Backbone", "base"),
    ]
    p = [stats.ttest_rel(rights, (6, 6, 6)).pvalue for rights in ((5, 1, 3), (4, 3, 3), (5, 3, 1), (5, 5, 0))]
    assert [f["test"]["q"] for f in found] == pytest.approx(by_hand(p[:2]) + by_hand(p[2:]), rel=1e-5)


REPEATED = {  # solved of six by formula index: (size, perturbation, variant)
    (50, "none", ""): (6, 6, 5, 6),
    (50, "shuffled", ""): (5, 4, 5, 3),
    (50, "copies", "2-grouped"): (3, 2, 4, 1),
    (50, "copies", "2-grouped-shuffled"): (2, 2, 1, 0),
    (50, "copies", "2-interleaved"): (3, 1, 1, 2),
    (50, "copies", "2-interleaved-shuffled"): (2, 1, 1, 1),
    (100, "none", ""): (2, 3, 1, 4),
    (100, "shuffled", ""): (1, 1, 0, 1),
}


def repeated(config: str) -> list[tuple[Row, int]]:
    """The rows of section 5.4, all of one config."""
    return [
        (formula("Backbone", size, b, made, variant, config=config), right)
        for (size, made, variant), rights in REPEATED.items()
        for b, right in enumerate(rights)
    ]


def test_repeats_by_hand() -> None:
    """Section 5.4: sizes by Welch's t, orders by paired t, each kind with its own correction."""
    others = [(formula("Backbone", size, b), 0) for size in (50, 100) for b in range(4)]
    others += [(formula("Backbone", 50, b, "copies", "2-grouped"), 6) for b in range(4)]
    found = summary(laid(others + repeated("repeats")))["repeats"]
    plain, shuffled = list(REPEATED.values())[::2], list(REPEATED.values())[1::2]
    assert [c["condition"] for c in found["conditions"]] == ["50", "50x2 grouped", "50x2 interleaved", "100"]
    assert [c["score"]["value"] for c in found["conditions"]] == [round(sum(rights) / 24, 6) for rights in plain]
    assert [c["shuffled"]["value"] for c in found["conditions"]] == [round(sum(rights) / 24, 6) for rights in shuffled]
    fifty, grouped, interleaved, hundred = plain
    sizes = [(fifty, grouped), (fifty, interleaved), (fifty, hundred), (hundred, grouped), (hundred, interleaved)]
    p = [stats.ttest_ind(a, b, equal_var=False).pvalue for a, b in sizes]
    losses = [stats.ttest_rel(a, b) for a, b in zip(shuffled, plain, strict=True)]
    orders = [loss.pvalue for loss in losses]
    assert [(t["kind"], t["a"], t["b"]) for t in found["tests"]] == [
        ("size", "50", "50x2 grouped"),
        ("size", "50", "50x2 interleaved"),
        ("size", "50", "100"),
        ("size", "100", "50x2 grouped"),
        ("size", "100", "50x2 interleaved"),
        ("order", "50 shuffled", "50"),
        ("order", "50x2 grouped shuffled", "50x2 grouped"),
        ("order", "50x2 interleaved shuffled", "50x2 interleaved"),
        ("order", "100 shuffled", "100"),
    ]
    assert [t["test"]["p"] for t in found["tests"]] == pytest.approx(p + orders, rel=1e-5)
    assert [t["test"]["statistic"] for t in found["tests"][5:]] == pytest.approx([x.statistic for x in losses], rel=1e-5)
    assert [t["test"]["q"] for t in found["tests"]] == pytest.approx(by_hand(p) + by_hand(orders), rel=1e-5)


def test_repeats_need_their_config_and_take_plain_formulas_from_elsewhere() -> None:
    """Copies of another config are no repeats; what is not a copy may stand in another config alone."""
    assert summary(laid(repeated("default")))["repeats"] == {}
    own = {row["formula"] for row, _ in repeated("repeats") if row["perturbation"] == "copies"}
    mixed = [(row if row["formula"] in own else row | {"config": "default"}, right) for row, right in repeated("repeats")]
    assert summary(laid(mixed))["repeats"] == summary(laid(repeated("repeats")))["repeats"]
    alone = [(row, right) for row, right in repeated("repeats") if row["variant"] == "2-interleaved"]
    alone += [(row, right) for row, right in repeated("default") if row["variant"] == "2-grouped"]
    found = summary(laid(alone))["repeats"]
    assert [c["score"]["value"] for c in found["conditions"]] == [None, None, 0.291667, None]
    assert {t["test"]["reason"] for t in found["tests"]} == {"fewer than 2 values in a group", "fewer than 2 pairs"}


def test_twins_by_hand() -> None:
    """Only cycles that have a twin count, and a pair is right if both decisions are, in the same words."""
    entries = [
        *told(formula("ImplicationCycle", 20, 0), [UNSAT, FALSE_SAT]),
        *told(formula("ImplicationCycle", 20, 0, "twin"), [NO_WITNESS, WITNESS]),
        *told(formula("ImplicationCycle", 20, 1), [UNSAT, UNSAT]),
        *told(formula("ImplicationCycle", 20, 1, "twin"), [FALSE_UNSAT, WITNESS]),
        *told(formula("ImplicationCycle", 20, 2), [FALSE_SAT, FALSE_SAT]),
    ]
    part = summary(entries)
    twins = part["twins"]
    assert {name: (rate["value"], rate["n"]) for name, rate in twins.items()} == {
        "cycles": (0.75, 4),
        "twins": (0.75, 4),
        "witness": (0.5, 4),
        "both": (0.5, 4),
    }
    assert (part["paired"], part["robustness"]) == ([], [])


def test_the_pair_rate_of_samples_is_the_chance_that_both_are_right() -> None:
    """One of two samples right on the cycle and on its twin: a quarter, of one pair."""
    (cycle,) = told(formula("ImplicationCycle", 20, 0), [UNSAT], ["logic"])
    (twin,) = told(formula("ImplicationCycle", 20, 0, "twin"), [WITNESS], ["logic"])
    wrong = [Entry(cycle.row, FALSE_SAT, 1), Entry(twin.row, CUT, 1)]
    assert summary([cycle, twin, *wrong])["twins"]["both"] == {"value": 0.25, "n": 1, "interval": [0.25, 0.25]}


def test_robustness_by_hand() -> None:
    """Pairs have the same scheme; equal scores need not be equal decisions; the largest drop comes first."""
    entries = [
        *told(formula("Backbone", 20, 0), [WITNESS, NO_WITNESS]),
        *told(formula("Backbone", 20, 1), [WITNESS, WITNESS]),
        *told(formula("Backbone", 20, 0, "renamed"), [NO_WITNESS, FALSE_UNSAT]),
        *told(formula("Backbone", 20, 1, "renamed"), [WITNESS, FALSE_UNSAT]),
        *told(formula("Backbone", 20, 0, "fillers", "25-appended"), [WITNESS, WITNESS]),
        *told(formula("Backbone", 20, 0, "fillers", "25-shuffled"), [FALSE_UNSAT], ["logic"]),
        *told(formula("Backbone", 20, 0, "swapped"), [WITNESS], ["team"]),
        *told(formula("Backbone", 20, 9, "swapped"), [WITNESS], ["logic"]),
    ]
    found = summary(entries)["robustness"]
    assert [
        (f["perturbation"], f["variant"], f["pairs"], *(f[n]["value"] for n in ("consistency", "same_decision", "drop")))
        for f in found
    ] == [
        ("fillers", "25-shuffled", 1, 0, 0, 1),
        ("renamed", "", 4, 0.5, 0.5, 0.5),
        ("fillers", "25-appended", 2, 0.5, 1, -0.5),
    ]
    assert found[1]["drop"]["interval"] == [0.5, 0.5], "both clusters drop by a half"


def test_several_samples_are_the_same_if_they_are_as_often_right() -> None:
    """Two samples of four right against one of two: the same score and the same decisions."""
    (base,) = told(formula("Backbone", 20, 0), [WITNESS], ["logic"])
    (made,) = told(formula("Backbone", 20, 0, "renamed"), [WITNESS], ["logic"])
    counts = [(base.row, WITNESS, 2), (base.row, FALSE_UNSAT, 2), (made.row, WITNESS, 1), (made.row, FALSE_UNSAT, 1)]
    (found,) = summary([Entry(*count) for count in counts])["robustness"]
    assert [found[name]["value"] for name in ("consistency", "same_decision", "drop")] == [1, 1, 0]


def test_certificates_by_hand() -> None:
    """Of UNSAT rows only: a certificate of a satisfiable formula is none."""
    entries = [
        *told(formula("ImplicationCycle", 20, 0), [CERTIFIED, MISTAKEN]),
        *told(formula("ImplicationCycle", 20, 1), [UNSAT, GONE]),
        *told(formula("Backbone", 20, 0), [FALSE_UNSAT, WITNESS]),
    ]
    found = summary(entries)["certificates"]
    assert {name: (rate["value"], rate["n"]) for name, rate in found.items()} == {
        "given": (0.5, 4),
        "valid_of_given": (0.5, 2),
    }
    assert summary(entries[4:])["certificates"] == {}


def test_what_is_not_there_is_empty() -> None:
    """Of nothing, every analysis is empty, and no table is shown; of plain rows, just their own are."""
    empty = summary([])
    assert not any(empty.values())
    assert tables(empty) == []
    part = summary(told(formula("Backbone", 20, 0), [WITNESS, GONE]))
    assert {name for name, value in part.items() if value} == {"cells", "schemes"}
    assert [table.title.split()[0] for table in tables(part)] == ["Decisions", "Schemes,"]
    assert cluster(formula("Backbone", 20, 0, "shuffled")) == formula("Backbone", 20, 0)["formula"]


def everything() -> list[tuple[Row, int]]:
    """A few formulas of every kind."""
    rows = planted(20) + planted(50, "Backbone", "beta") + repeated("repeats")
    for b in range(3):
        rows += [(formula("ImplicationCycle", size, b), b + 1) for size in (20, 45)]
        kinds = [("twin", ""), ("fillers", "25-appended"), ("copies", "3-grouped"), ("renamed", "")]
        rows += [(formula("ImplicationCycle", 20, b, *kind), 5 - b) for kind in kinds]
    return rows


def test_tables_show_every_analysis() -> None:
    """Each analysis has its table, whose rows are as long as its columns; p and q, or the reason why there are none."""
    entries = laid(everything())
    shown = tables(summary(entries))
    assert [len(table.rows) > 0 for table in shown] == [True] * 10
    assert all(len(row) == len(table.columns) for table in shown for row in table.rows)
    assert all(isinstance(text, str) for table in shown for row in table.rows for text in row)
    by_title = {table.title.split(":")[0].split(",")[0]: table for table in shown}
    assert ["EquivalenceCore", "20", "100.00", "87.50", "0.00", "0.00", "-"] in by_title[
        "Decisions and witnesses by family and size"
    ].rows
    sweep = by_title["Score by level of one parameter"]
    assert sweep.columns[3:] == ["0", "0.2", "0.33", "0.5", "0.67", "0.8", "1"]
    assert ["EquivalenceCore", "ratio", "20", "87.50", "83.33", "83.33", "87.50", "79.17", "0.00", "58.33"] in sweep.rows
    levels = by_title["Does the level matter? Friedman's test (Table 6)"]
    p = stats.friedmanchisquare(*zip(*PLANTED.values(), strict=True)).pvalue
    assert f"{p:.3g}" == next(row for row in levels.rows if row[:3] == ["seven", "EquivalenceCore", "ratio"])[6]
    assert {row[3] for row in levels.rows if row[0] == "three, all sizes"} == {"all"}


def test_without_scipy_the_rest_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without SciPy every test says what it needs; all other numbers are as they were, and tables show the reason."""
    entries = laid(everything())
    whole = summary(entries)
    monkeypatch.setitem(sys.modules, "scipy", None)
    part = summary(entries)
    tests = [*part["sweep_tests"], *part["paired"], *part["repeats"]["tests"]]
    assert {record["test"]["reason"] for record in tests} == {"needs scipy: pip install 'rb-verify[stats]'"}
    assert without_tests(part) == without_tests(whole)
    assert any("not testable: needs scipy" in text for table in tables(part) for row in table.rows for text in row)


def without_tests(part: Any) -> Any:
    """A part of a report without what the tests say."""
    if isinstance(part, dict):
        return {name: without_tests(value) for name, value in part.items() if name != "test"}
    return [without_tests(value) for value in part] if isinstance(part, list) else part


POOL = [entry.row for entry in laid(everything()) if entry.row["scheme"] in TWO]
OUTCOMES: list[Callable[[Row], Outcome]] = [
    lambda row: WITNESS if row["satisfiable"] else CERTIFIED,
    lambda row: FALSE_UNSAT if row["satisfiable"] else FALSE_SAT,
    lambda row: NO_WITNESS if row["satisfiable"] else MISTAKEN,
    lambda row: CUT,
    lambda row: GONE,
]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_submission_has_a_summary(data: st.DataObject) -> None:
    """Whatever rows and outcomes, with as many samples: JSON without NaN, tables of even rows, and the order is no matter."""
    draw = data.draw(st.randoms(use_true_random=False))
    share = data.draw(st.sampled_from([0.02, 0.2, 0.6, 1]))
    kinds = data.draw(st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=3))
    rows = [row for row in POOL if draw.random() < share]
    entries = [Entry(row, kind(row), draw.randint(1, 2)) for row in rows for kind in {draw.choice(kinds): 0, kinds[0]: 0}]
    part = summary(entries)
    assert json.loads(json.dumps(part, allow_nan=False)) == part
    assert all(len(row) == len(table.columns) for table in tables(part) for row in table.rows)
    draw.shuffle(entries)
    again = summary(entries)
    assert without_tests(again) == without_tests(part)
