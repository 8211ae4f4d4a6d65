"""The example submissions say what the README says they say."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import rb_verify
from conftest import REPO
from rb_verify.schema import violations

EXAMPLES = REPO / "examples"
EXPECTED: dict[str, dict[str, Any]] = {
    "tracebench/perfect": {
        "counts": {"correct": 24, "incorrect": 0, "unparsed": 0, "missing": 0},
        "categories": [24, 0, 0, 0, 0],
        "problems": {},
        "score": 1,
        "complete": True,
    },
    "tracebench/mixed": {
        "counts": {"correct": 13, "incorrect": 5, "unparsed": 5, "missing": 0},
        "categories": [9, 4, 1, 4, 5],
        "problems": {"api_error": 1},
        "score": 8 / 23,
        "complete": False,
    },
    "tracebench/hostile": {
        "counts": {"correct": 3, "incorrect": 0, "unparsed": 6, "missing": 0},
        "categories": [2, 1, 0, 0, 6],
        "problems": {"duplicate": 2, "repeated": 1, "unknown_id": 2, "bad_line": 5},
        "score": 2 / 9,
        "complete": False,
    },
    "twosat/perfect": {
        "counts": {"correct": 24, "incorrect": 0, "unparsed": 0, "missing": 0},
        "categories": [15, 9, 0, 0, 0, 0],
        "problems": {},
        "score": 1,
        "complete": True,
    },
    "twosat/mixed": {
        "counts": {"correct": 16, "incorrect": 2, "unparsed": 5, "missing": 0},
        "categories": [9, 3, 4, 1, 1, 5],
        "problems": {"api_error": 1},
        "score": 12 / 23,
        "complete": False,
    },
    "twosat/hostile": {
        "counts": {"correct": 6, "incorrect": 0, "unparsed": 6, "missing": 0},
        "categories": [2, 2, 2, 0, 0, 6],
        "problems": {"duplicate": 2, "repeated": 1, "unknown_id": 2, "bad_line": 4},
        "score": 4 / 12,
        "complete": False,
    },
    "reefbench/perfect": {
        "counts": {"correct": 24, "incorrect": 0, "unparsed": 0, "missing": 0},
        "categories": [12, 0, 12, 0, 0],
        "problems": {},
        "score": 1,
        "complete": True,
    },
    "reefbench/mixed": {
        "counts": {"correct": 14, "incorrect": 4, "unparsed": 5, "missing": 0},
        "categories": [9, 1, 5, 3, 5],
        "problems": {"api_error": 1},
        "score": 4 / 11,
        "complete": False,
    },
    "reefbench/hostile": {
        "counts": {"correct": 5, "incorrect": 0, "unparsed": 10, "missing": 0},
        "categories": [2, 0, 3, 0, 10],
        "problems": {"duplicate": 2, "repeated": 1, "unknown_id": 2, "bad_line": 6},
        "score": 1 / 7,
        "complete": False,
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name: str, releases: dict[str, Path]) -> None:
    """Counts, categories, problems, score and completeness of each example are the README's; details keep their schema."""
    details = io.StringIO()
    report = rb_verify.evaluate(EXAMPLES / f"{name}.jsonl", releases[name.partition("/")[0]], partial=True, details=details)
    expected = EXPECTED[name]
    assert [found for line in details.getvalue().splitlines() for found in violations(json.loads(line), "detail")] == []
    assert report.data["counts"] == expected["counts"]
    assert list(report.data["categories"].values()) == expected["categories"]
    assert Counter(problem["kind"] for problem in report.data["problems"]) == expected["problems"]
    assert report.score == pytest.approx(expected["score"], abs=1e-6)
    assert report.complete is expected["complete"]


def test_mixed_reasoning(releases: dict[str, Path]) -> None:
    """The statements of the mixed responses to ReEfBench's main rows are those that a reader counts by hand."""
    report = rb_verify.evaluate(EXAMPLES / "reefbench/mixed.jsonl", releases["reefbench"], partial=True)
    means = report.data["reefbench"]["process"]
    kinds = ("premise_nodes", "derived_nodes", "hallucination_nodes", "planning_nodes", "reflection_sentences")
    assert [round(12 * means[kind]["value"], 3) for kind in kinds] == [49, 35, 1, 7, 3]


@pytest.mark.parametrize("name", EXPECTED)
def test_readme_tells_it(name: str) -> None:
    """The README names the file and its counts of correct and unparsed responses."""
    line = next(line for line in (REPO / "README.md").read_text("utf-8").splitlines() if line.startswith(f"| {name}.jsonl"))
    counts = EXPECTED[name]["counts"]
    if name.endswith("perfect"):
        assert "24 of 24" in line
    else:
        assert f"{counts['correct']} correct" in line
        assert f"{counts['unparsed']} unparsed" in line
