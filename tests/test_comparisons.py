"""What a board compares: the papers' analyses, modes, teachers and samples, on numbers laid by hand."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest
from scipy import stats as scipy_stats

from compare_cases import (
    Data,
    board,
    changed,
    signed,
)
from rb_verify import archetypes, comparison_figures, modes
from rb_verify.comparisons import notes, tables
from shelf import DATASETS


def test_a_dataset_without_analyses_of_its_own_has_a_board(made: dict[str, Data]) -> None:
    """What only some datasets compare and draw is left out for others."""
    board = made["tracebench"] | {"dataset": "other"}
    board["comparison"] = {**board["comparison"], "other": {}}
    titles = [table.title for table in tables(made["tracebench"])]
    assert [table.title for table in tables(board)] == [title for title in titles if "Figure 2" not in title]
    assert len(comparison_figures.figures(board)) == 1


def test_true_reasoning_by_level(reports: dict[str, list[Data]]) -> None:
    """The average is the mean over the models of each level, its r SciPy's (TRACE, Figure 2)."""
    curves = {"a": [0.9, 0.7, 0.5, 0.1], "b": [0.5, 0.5, 0.3, 0.2]}
    base = reports["tracebench"][1]
    values = []
    for name, curve in curves.items():
        own = {"correlation": {"levels": [10, 45, 80, 115], "true_reasoning": curve, "pearson_r": -0.5}}
        values.append(changed(base, submission={"model": name}, tracebench=own))
    own = board(*values)["comparison"]["tracebench"]
    average = [0.7, 0.6, 0.4, 0.15]
    assert own["average"]["true_reasoning"] == average
    assert own["average"]["pearson_r"] == round(scipy_stats.pearsonr([10, 45, 80, 115], average).statistic, 4)
    assert {name: each["true_reasoning"] for name, each in own["models"].items()} == curves
    (table,) = (t for t in tables(board(*values)) if "Figure 2" in t.title)
    assert table.rows[-1] == ["average", "70.00", "60.00", "40.00", "15.00", f"{own['average']['pearson_r']:.2f}"]


def test_average_over_an_unscored_level_is_none(reports: dict[str, list[Data]]) -> None:
    """Where a level has no mean the average has none, and r is not testable."""
    own = {"correlation": {"levels": [1, 2, 3], "true_reasoning": [0.5, None, 0.1], "pearson_r": None}}
    found = board(changed(reports["tracebench"][1], tracebench=own))["comparison"]["tracebench"]["average"]
    assert found == {"true_reasoning": [0.5, None, 0.1], "pearson_r": None}


def test_schemes_and_cells(reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """Decisions by scheme and by family and size are the reports' own; without stories the board says what is not there."""
    found = made["twosat"]
    own = found["comparison"]["twosat"]
    perfect = reports["twosat"][3]["twosat"]
    assert {each["scheme"]: each["sat"]["perfect"] for each in own["schemes"]} == {
        e["scheme"]: e["sat"] for e in perfect["schemes"]
    }
    cells = {(each["family"], each["clauses"]): each["sat"]["perfect"] for each in own["cells"]}
    assert cells == {(each["family"], each["clauses"]): each["sat"] for each in perfect["cells"]}
    assert len(cells) == 4
    assert [note for note in notes(found) if "stories" in note]


def test_themes_are_compared_with_templates(reports: dict[str, list[Data]]) -> None:
    """A scheme that is no template is a story's theme, and stands beside the mean of the templates."""
    base = reports["twosat"][1]
    rate = {"n": 10, "interval": [0, 1]}
    values = {"logic": 0.9, "room": 0.7, "detective": 0.4}
    schemes = [
        {"scheme": name, "sat": {"value": value, **rate}, "witness": {"value": 1, **rate}, "score": {"value": value, **rate}}
        for name, value in values.items()
    ]
    found = board(changed(base, twosat={**base["twosat"], "schemes": schemes}))
    (table,) = (t for t in tables(found) if t.title.startswith("Template against story"))
    assert table.columns == ["model", "templates", "detective"]
    assert table.rows[0][1:] == ["80.00", "40.00"]
    assert notes(found) == []


def level_report(base: Data, model: str, depth: float, tokens: float, **said: Any) -> Data:
    """A ReEfBench report of a model whose depth and tokens at the hardest level are these, and half at the one below."""
    metrics = base["reefbench"]["levels"][0]["metrics"]
    levels = [
        {"level": level, "n": 4, "metrics": metrics | {"max_depth": depth * share, "tokens": tokens * share}}
        for level, share in ((10, 0.5), (11, 1.0))
    ]
    parts = {name: dict.fromkeys(names, 0.5) for name, names in archetypes.COMPONENTS.items()}
    parts["logical_depth"] = {"max_depth": depth}
    parts["cost"] = dict.fromkeys(archetypes.COMPONENTS["cost"], tokens)
    hardest = {"level": 11, "n": 4, "logical_depth": depth / 11, "components": parts}
    own = base["reefbench"] | {"levels": levels, "hardest": hardest}
    return changed(base, reefbench=own, submission={"model": model, **said})


CORNERS = {"deep": (10.0, 900.0), "solver": (9.5, 90.0), "mimic": (1.0, 850.0), "lazy": (0.5, 50.0)}


def test_plane_of_archetypes(reports: dict[str, list[Data]]) -> None:
    """Four models at the corners have the corners' archetypes, each at its own centroid with confidence 1."""
    values = [level_report(reports["reefbench"][3], name, *at) for name, at in CORNERS.items()]
    plane = board(*values)["comparison"]["reefbench"]["plane"]
    expected = {"deep": "deep_wanderer", "solver": "effective_solver", "mimic": "hollow_mimic", "lazy": "lazy_guesser"}
    assert {name: each["archetype"] for name, each in plane["models"].items()} == expected
    for name, (depth, cost) in CORNERS.items():
        each = plane["models"][name]
        assert each["confidence"] == 1
        assert (each["scores"]["logical_depth"], each["scores"]["cost"]) == pytest.approx((depth / 10, cost / 900))
        assert plane["centroids"][expected[name]] == pytest.approx([depth / 10, cost / 900], abs=1e-6)
    assert plane["level"] == 11


def test_no_plane_says_why(reports: dict[str, list[Data]]) -> None:
    """Fewer than four models, or other counters of tokens, leave the scores compared and the plane out, with a sentence."""
    values = [level_report(reports["reefbench"][3], name, *at) for name, at in CORNERS.items()]
    assert "need at least four models" in board(*values[:3])["comparison"]["reefbench"]["no_plane"]
    mixed_up = board(*values[:3], signed(values[3], tokens="usage"))
    own = mixed_up["comparison"]["reefbench"]
    assert own["plane"] is None
    assert "tokens are counted for deep and usage for lazy" in own["no_plane"]
    assert len(mixed_up["models"]) == 4
    assert "tokens:" not in mixed_up["signature"]
    assert notes(mixed_up) == [own["no_plane"]]


def test_modes_of_one_model(reports: dict[str, list[Data]]) -> None:
    """What the long mode gains is that of ``modes``, and the pair's scores are compared on the same clusters."""
    base = reports["reefbench"][3]
    long = level_report(base, "M", 8.0, 3000.0, mode="long")
    short = level_report(reports["reefbench"][1], "M", 5.0, 1000.0, mode="short")
    stranger = level_report(base, "other", 5.0, 1000.0, mode="short")
    own = board(long, short, stranger)["comparison"]
    expected = modes.delta(modes.Mode(depth=6.0, tokens=2250.0), modes.Mode(depth=3.75, tokens=750.0))
    (gain,) = own["reefbench"]["modes"]
    assert (gain["first"], gain["second"]) == ("M · long", "M · short")
    assert (gain["depth"], gain["tokens"]) == pytest.approx(tuple(expected))
    (pair,) = own["pairs"]
    assert pair["kind"] == "long against short"
    assert pair["difference"]["value"] == pytest.approx(base["score"] - reports["reefbench"][1]["score"], abs=1e-6)


@pytest.mark.parametrize("dataset", DATASETS)
def test_students_and_what_is_said(dataset: str, reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """Students stand beside their teachers; scores are averaged by what at least two values are said of."""
    own = made[dataset]["comparison"]
    pairs = {(pair["kind"], pair["first"], pair["second"]) for pair in own["pairs"]}
    assert pairs == {
        ("long against short", "mixed · long", "mixed · short"),
        ("student against teacher", "mixed · long", "perfect"),
    }
    said = {by["said"]: {v["value"]: (v["models"], v["mean"]) for v in by["values"]} for by in own["said"]}
    scores = [report["score"] for report in reports[dataset]]
    assert said["source"] == {"closed": (1, 1.0), "open": (2, round(fmean(scores[1:3]), 6))}
    assert set(said) == {"source", "mode"}


def test_samples(reports: dict[str, list[Data]]) -> None:
    """Pass@k and the majority are shown where reports have several samples."""
    rate = {"value": 0.5, "n": 10, "interval": [0.4, 0.6]}
    over = {"pass": [{"k": k, **rate, "value": 0.1 * k} for k in (1, 2)], "majority": rate}
    (table,) = (
        t for t in tables(board(changed(reports["twosat"][1], over_samples=over))) if t.title.startswith("Over samples")
    )
    assert table.columns[1:] == ["pass@1", "pass@2", "majority's accuracy"]
    assert table.rows[0][1:] == ["10.00", "20.00", "50.00"]
