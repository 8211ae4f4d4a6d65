"""Boards as files: hostile text is text in each, every figure is there, and nothing is half written."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from compare_cases import (
    EVIL,
    Data,
    changed,
    gathered,
)
from rb_verify import paired, stats
from rb_verify.board import csv_cell, documents, markdown_cell, to_csv, to_json, to_markdown, write
from rb_verify.compare import compare
from rb_verify.errors import UnusableInput
from rb_verify.references import references
from rb_verify.schema import schema, violations
from shelf import DATASETS


class Page(HTMLParser):
    """The elements of a page by name, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


@pytest.fixture(scope="module")
def hostile(reports: dict[str, list[Data]]) -> Data:
    """Boards of every dataset with models whose submissions are hostile throughout."""
    said = {"organisation": '=HYPERLINK("x")', "training": EVIL, "data": "+1", "teacher": EVIL, "notes": EVIL, "mode": "long"}
    others = {"organisation": "@x", "training": "-1", "data": "\t=1", "model": "=cmd|' /C calc'!A0", "mode": "short"}
    values = []
    for dataset in DATASETS:
        values += [
            changed(reports[dataset][1], submission=said | {"model": EVIL}),
            changed(reports[dataset][2], submission=others),
            changed(reports[dataset][0], submission={"model": "plain"}),
        ]
    return compare(gathered(*values), references(DATASETS))


def test_hostile_text_is_no_markup_of_the_page(hostile: Data) -> None:
    """The page has no elements but its own, none of which loads or runs a thing, and shows hostile text as text."""
    page = Page(documents(hostile)["index.html"])
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"img", "image", "iframe", "link", "object", "embed", "base"}
    assert [attrs.get("type") for tag, attrs in page.tags if tag == "script"] == ["application/json", None]
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert {attrs.get("href") for tag, attrs in page.tags if tag == "a"} == {"#main"}
    assert EVIL.replace("\u202e", "\\u202e") in page.text
    assert "\u202e" not in page.text


def test_hostile_text_is_no_formula(hostile: Data) -> None:
    """No text cell of the CSV begins as a formula; numbers, also negative ones, are as they are."""
    lines = list(csv.DictReader(io.StringIO(to_csv(hostile))))
    numbers = {"rank", "score", "score_low", "score_high", "to_best", "to_best_low", "to_best_high", "n", "value", "accuracy"}
    negative = 0
    for line in lines:
        for head, cell in line.items():
            if head in numbers and cell:
                negative += float(cell) < 0
            else:
                assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r"), (head, cell)
    assert negative
    assert "'=cmd|' /C calc'!A0 " not in [line["model"] for line in lines]
    assert "'=cmd|' /C calc'!A0" in [line["model"] for line in lines]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1", "'=1"),
        ("\t=1", "'=1"),
        ("＝1", "'＝1"),
        ("a=1", "a=1"),
        ("\r\n@x", "'@x"),
        ("-", "'-"),
        (-0.5, "-0.5"),
        (3, "3"),
        (None, ""),
        ("a\nb\u202ec", "a b\\u202ec"),
    ],
)
def test_csv_cells(value: Any, cell: str) -> None:
    """Texts that begin as formulas get an apostrophe; numbers do not."""
    assert csv_cell(value) == cell


def test_hostile_text_is_no_markup_of_markdown(hostile: Data) -> None:
    """Rendered with raw HTML allowed, the Markdown has no elements but tables, headings and bold, and the text is shown."""
    rendered = Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(hostile)))
    table = {"table", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in rendered.tags} <= table | {"p", "strong", "h2"}
    assert EVIL.replace("\u202e", "\\u202e") in rendered.text.replace("\u200b", "")
    width = {}
    for line in to_markdown(hostile).split("\n"):
        if line.startswith("| "):
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            width.setdefault("now", cells)
            assert cells == width["now"], line
        else:
            width.clear()


def test_markdown_cells() -> None:
    """Addresses and mentions do not become links."""
    assert markdown_cell("https://x @me www.x") == "https&#8203;://x @&#8203;me www&#8203;.x"
    assert markdown_cell("a|b_c __d__ _e") == r"a\|b_c \_\_d\_\_ \_e"


def test_json_is_the_boards(hostile: Data) -> None:
    """board.json reads back as the data, keeps its schema, and has no character that a terminal would obey."""
    text = to_json(hostile)
    assert json.loads(text) == json.loads(json.dumps(hostile))
    assert violations(json.loads(text), "board") == []
    assert text.isascii()


def test_csv_has_every_figure(made: dict[str, Data]) -> None:
    """A line for each model and level, with the board's numbers."""
    found = made["reefbench"]
    data = {"boards": [found], "references": []}
    lines = {
        (line["model"], line["level"]): line for line in csv.DictReader(io.StringIO(to_csv(data))) if line["kind"] == "model"
    }
    assert len(lines) == 4 * (1 + len(found["groups"]))
    for model in found["models"]:
        for level, at in {"all": model, **model["groups"]}.items():
            line = lines[model["name"], level]
            assert float(line["score"]) == at["rates"]["score"]["value"]
            assert int(line["rank"]) == at["rank"]
            assert float(line["to_best_low"]) == at["to_best"]["interval"][0]
            assert float(line["main_accuracy"]) == at["rates"]["main_accuracy"]["value"]


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file in the folder's place, or a folder in a file's, is said; no half of a file is left."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full" / "board.md").mkdir(parents=True)
    for place in ("file", "file/below", "full"):
        with pytest.raises(UnusableInput, match=rf"{place}[^ ]*: cannot be written .*name another folder"):
            write(tmp_path / place, {"board.csv": "x", "board.md": "y"})
    assert (tmp_path / "file").read_text() == "mine"
    assert not list((tmp_path / "full").glob(".*"))


def test_order_of_files_does_not_matter(reports: dict[str, list[Data]]) -> None:
    """The same reports in another order give the same bytes."""
    values = [report for dataset in DATASETS for report in reports[dataset][:3]]
    texts = [to_json(compare([f._replace(entrants=strip(f.entrants)) for f in gathered(*v)])) for v in (values, values[::-1])]
    assert texts[0] == texts[1]


def strip(entrants: list[Any]) -> list[Any]:
    """Entrants without the names of their files, which here tell the order."""
    return [entrant._replace(file="report.json") for entrant in entrants]


def test_schemas_are_sound() -> None:
    """The schemas of boards and of what is compared are JSON Schemas."""
    from jsonschema import Draft202012Validator

    for name in ("board", "compared"):
        Draft202012Validator.check_schema(schema(name))


def test_seed_and_level_are_those_of_reports() -> None:
    """The tail that ranks leave out is that of the reports' intervals."""
    assert (paired.TAIL, stats.RESAMPLES) == (25, 1000)
