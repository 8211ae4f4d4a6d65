"""What docs/ say agrees with the code."""

from __future__ import annotations

from conftest import REPO
from rb_verify.archetypes import COMPONENTS
from rb_verify.metrics import METRICS


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_metric_is_documented_as_it_is_declared() -> None:
    """docs/reefbench.md has each metric, with its declared definition, formula, unit, zero case and table, in order."""
    rows = _rows((REPO / "docs" / "reefbench.md").read_text("utf-8"))
    declared = [[m.name, m.definition, m.formula, m.unit, m.zero, m.table] for m in METRICS]
    assert [row for row in rows if len(row) == 6][1:] == declared


def test_every_score_is_documented_with_its_components() -> None:
    """docs/reefbench.md has the six scores and what each is the mean of."""
    rows = _rows((REPO / "docs" / "reefbench.md").read_text("utf-8"))
    assert [row for row in rows if len(row) == 2][1:] == [[score, ", ".join(parts)] for score, parts in COMPONENTS.items()]
