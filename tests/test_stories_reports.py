"""Reports, figures and boards that set stories beside templates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compare_cases import board, constant, mixed, scored
from rb_verify import comparison_figures, figures, report, stories
from rb_verify.comparisons import notes, tables
from rb_verify.evaluation import evaluate
from rb_verify.release import Release, load
from rb_verify.schemes import SCHEMES
from stories_cases import Row


@pytest.fixture(scope="module")
def home(stories_home: Path) -> Path:
    """A folder in which the small recipe is frozen as releases/stories/0.1.0, and built there."""
    return stories_home


@pytest.fixture(scope="module")
def paired(home: Path) -> Release:
    """Config paired of the small release."""
    return load(home / "releases" / "stories" / "0.1.0", "paired")


def test_reports_list_themes_beside_templates(paired: Release, tmp_path: Path) -> None:
    """Config paired has a table of templates and themes, each rate counted over its own rows; figures name both."""
    answers = [
        {"id": row["id"], "response": stories.perfect(row) if row["scheme"] in ("logic", "spy") else "no idea"}
        for row in paired.rows
    ]
    file = tmp_path / "predictions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in answers))
    found = evaluate(file, paired)
    assert found.signature.startswith("stories|v:0.1.0|config:paired|")
    assert "|parser:stories-1|" in found.signature
    (table,) = (table for table in report.tables(found) if table.title.startswith("Schemes"))
    assert table.title == "Schemes and themes of stories, % (Figures 8 and 9)"
    assert {name: score for name, _, _, score, _ in table.rows} == {
        "logic": "100.00", "door": "0.00", "spy": "100.00", "detective": "0.00",
    }  # fmt: skip
    assert [row[0] for row in table.rows] == ["logic", "door", "spy", "detective"]
    assert found.score == 0.5
    titles = [figure.title for figure in figures.figures(found)]
    assert {"Schemes of wording", "Family by size, all parameters at .5"} <= set(titles)


def test_default_is_the_stories_alone(home: Path) -> None:
    """The score is on stories; the templates have a config of their own."""
    place = home / "releases" / "stories" / "0.1.0"
    assert {row["scheme"] for row in load(place).rows} == {"spy", "detective"}
    assert {row["scheme"] for row in load(place, "templates").rows} == {"logic", "door"}


def test_boards_set_stories_against_templates(paired: Release, tmp_path: Path) -> None:
    """Two reports on config paired give the table of Figures 8 and 9: the mean of the templates, and each theme."""

    def reader(row: Row) -> str:
        return stories.perfect(row) if row["scheme"] in SCHEMES else constant(paired)(row)

    first = scored(paired, tmp_path, reader, model="reader of templates")
    second = scored(paired, tmp_path, mixed(paired, 0.7), model="mixed")
    found = board(first, second)
    (table,) = (table for table in tables(found) if table.title.startswith("Template against story"))
    assert table.columns == ["model", "templates", "spy", "detective"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["reader of templates"] == ["100.00", "77.78", "77.78"]  # of the constant's SAT, 14 of 18 formulas are right
    rates = {each["scheme"]: each["sat"]["value"] for each in second["stories"]["schemes"]}
    assert rows["mixed"][0] == f"{100 * (rates['logic'] + rates['door']) / 2:.2f}"
    assert rows["mixed"][1:] == [f"{100 * rates[theme]:.2f}" for theme in ("spy", "detective")]
    assert notes(found) == []
    assert {"Decisions by scheme", "Decisions by family and size"} <= {f.title for f in comparison_figures.figures(found)}


@pytest.mark.parametrize(
    ("config", "said"), [("default", "All texts here are stories"), ("templates", "All texts here are temp")]
)
def test_boards_of_one_kind_say_so(config: str, said: str, home: Path, tmp_path: Path) -> None:
    """Without rows of the other kind there is no comparison of the two, and a sentence says what it would take."""
    release = load(home / "releases" / "stories" / "0.1.0", config)
    found = board(scored(release, tmp_path, release.scorer.perfect, model="perfect"))
    assert not [table for table in tables(found) if table.title.startswith("Template against story")]
    (note,) = notes(found)
    assert note.startswith(said)
