"""Boards as files: one page, CSV, Markdown and JSON, all of the same data (``compare.compare``).

Text of a submission stays text in each: it is escaped on the page and in Markdown, and in CSV a text cell that a
spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-`` or ``@``) gets an apostrophe in front, as
spreadsheets themselves mark text. Cells of numbers are never touched. Control and direction characters are shown by code.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify import comparison_figures, comparisons, pages
from rb_verify.compare import OVERALL
from rb_verify.errors import UnusableInput
from rb_verify.files import written
from rb_verify.references import MARK
from rb_verify.render import markdown_cell, markdown_table, one_line
from rb_verify.tally import Table, number, percent

PAGE, CSV, MARKDOWN, JSON = ("index.html", "board.csv", "board.md", "board.json")


def documents(data: Mapping[str, Any]) -> dict[str, str]:
    """The text of each file. Raises UnusableInput where a library of the page is not installed."""
    return {PAGE: to_html(data), CSV: to_csv(data), MARKDOWN: to_markdown(data), JSON: to_json(data)}


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder. Other files are left alone. Raises UnusableInput if the folder cannot be written."""
    cure = "name another folder with --out"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableInput(f"{folder}: cannot be written ({error.strerror}); {cure}") from None
    with ExitStack() as stack:  # all take their places at the end
        for name, text in texts.items():
            stack.enter_context(written(folder / name, cure)).write(text)


# ---- The main table -----------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """A cell of the main table: its text, and what it is sorted by; None comes last."""

    text: str
    key: float | str | None


NOTHING = Cell("-", None)


def columns(board: Mapping[str, Any]) -> list[str]:
    """The names of the main table's columns."""
    others = [name.replace("_", " ") for name in board["columns"][1:]]
    head = ["rank", "model", f"score ({board['headline']})", "95 % interval", "difference to best", *others]
    return [*head, "n", "incomplete", "mode", "organisation", "source", "standing"]


def cells(board: Mapping[str, Any], model: Mapping[str, Any], group: str = OVERALL) -> list[Cell]:
    """A model's row of the main table, over all or in one group."""
    at = model if group == OVERALL else model["groups"][group]
    rates = at["rates"]
    return [
        Cell("-" if at["rank"] is None else str(at["rank"]), at["rank"]),
        _said(model["name"]),
        Cell(percent(rates["score"]), rates["score"]["value"]),
        Cell(number(rates["score"]["interval"]), (rates["score"]["interval"] or [None])[0]),
        NOTHING if at["to_best"] is None else _difference(at["to_best"]),
        *(Cell(percent(rates[name]), rates[name]["value"]) for name in board["columns"][1:]),
        Cell(f"{rates['accuracy']['n']:.0f}", rates["accuracy"]["n"]),
        Cell(_incomplete(model) or "no", sum(model["incomplete"].values())),
        *(_said(model["submission"].get(key)) for key in ("mode", "organisation", "source")),
        _said(model["standing"]),
    ]


def baseline_cells(board: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[Cell]:
    """The row of a baseline in the main table: no rank, and no level."""
    values = baseline["values"]
    score, *others = (
        Cell(f"{100 * values[name]:.2f}", values[name]) if name in values else NOTHING for name in board["columns"]
    )
    row = [NOTHING, _said(baseline["name"]), score, NOTHING, NOTHING, *others]
    return [*row, *[NOTHING] * 5, _said("baseline: needs no reasoning")]


def _difference(best: Mapping[str, Any]) -> Cell:
    return Cell(f"{100 * best['value']:.2f} ({number(best['interval'])})", best["value"])


def _said(text: str | None) -> Cell:
    return NOTHING if not text else Cell(one_line(text), one_line(text).casefold())


def _incomplete(model: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in model["incomplete"].items())


def main_table(board: Mapping[str, Any]) -> Table:
    """The main table over all levels, models before baselines."""
    rows = [*(cells(board, model) for model in board["models"]), *(baseline_cells(board, each) for each in board["baselines"])]
    return Table(title(board), columns(board), [[cell.text for cell in row] for row in rows])


def title(board: Mapping[str, Any]) -> str:
    """What a board is of."""
    return f"{board['dataset']} {board['version']}, config {board['config']}"


def reference_table(reference: Mapping[str, Any]) -> Table:
    """A published table, marked as what it is; the longer side goes down."""
    models, groups = list(reference["models"]), [group.replace("_", " ") for group in reference["groups"]]
    share = reference["measure"] != "six_scores"
    texts = [
        ["-" if value is None else f"{100 * value:.1f}" if share else f"{value:.2f}" for value in values]
        for values in reference["models"].values()
    ]
    heading = f"{reference['paper']} paper, {reference['table']}{', %' if share else ''}: {MARK}"
    if len(groups) <= len(models):
        return Table(heading, ["model", *groups], [[name, *row] for name, row in zip(models, texts, strict=True)])
    return Table(heading, ["", *models], [[group, *row] for group, row in zip(groups, zip(*texts, strict=True), strict=True)])


# ---- JSON and CSV -------------------------------------------------------------------------------------------------


def to_json(data: Mapping[str, Any]) -> str:
    """The data itself (schemas/board.schema.json)."""
    return json.dumps(data, indent=1, sort_keys=True, allow_nan=False) + "\n"


_FORMULA = re.compile("[=+\\-@＝＋－＠]")


def csv_cell(value: str | float | None) -> str:
    """A value as a cell. Numbers are as they are; a text that could be taken for a formula gets an apostrophe in front."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = one_line(value)
    return f"'{text}" if _FORMULA.match(text) else text


def to_csv(data: Mapping[str, Any]) -> str:
    """A line for each model over all and for each of its levels, each baseline, and each published number."""
    rates = list(dict.fromkeys(name for board in data["boards"] for name in board["columns"]))
    heads = ["kind", "dataset", "version", "config", "level", "rank", "model", "organisation", "mode", "source"]
    heads += [head for name in rates for head in (name, *((f"{name}_low", f"{name}_high") if name == "score" else ()))]
    heads += ["to_best", "to_best_low", "to_best_high", "n", "incomplete", "standing", "signature", "paper", "measure", "value"]
    buffer = io.StringIO()
    lines = csv.writer(buffer, lineterminator="\n")
    lines.writerow(heads)
    for record in _records(data):
        assert record.keys() <= set(heads), "a value has no column"
        lines.writerow([csv_cell(record.get(head)) for head in heads])
    return buffer.getvalue()


def _records(data: Mapping[str, Any]) -> Iterator[dict[str, str | float | None]]:
    for board in data["boards"]:
        head = {name: board[name] for name in ("dataset", "version", "config")}
        for model in board["models"]:
            for group in (OVERALL, *board["groups"]):
                yield head | _record(model, group) | {"signature": board["signature"]}
        for each in board["baselines"]:
            yield head | {"kind": "baseline", "level": OVERALL, "model": each["name"], **each["values"]}
    for each in data["references"]:
        paper = {
            "kind": "reference",
            "dataset": each["dataset"],
            "paper": f"{each['paper']}, {each['table']}",
            "standing": MARK,
        }
        for name, values in each["models"].items():
            for group, value in zip(each["groups"], values, strict=True):
                if value is not None:
                    yield paper | {"model": name, "level": group, "measure": each["measure"], "value": value}


def _record(model: Mapping[str, Any], group: str) -> dict[str, str | float | None]:
    at = model if group == OVERALL else model["groups"][group]
    low, high = at["rates"]["score"]["interval"] or (None, None)
    best = at["to_best"] or {"value": None, "interval": (None, None)}
    return {
        "kind": "model",
        "level": group,
        "rank": at["rank"],
        "model": model["name"],
        **{key: model["submission"].get(key) for key in ("organisation", "mode", "source")},
        **{name: rate["value"] for name, rate in at["rates"].items()},
        "score_low": low,
        "score_high": high,
        "to_best": best["value"],
        "to_best_low": best["interval"][0],
        "to_best_high": best["interval"][1],
        "n": at["rates"]["accuracy"]["n"],
        "incomplete": _incomplete(model),
        "standing": model["standing"],
    }


# ---- Markdown -----------------------------------------------------------------------------------------------------


def to_markdown(data: Mapping[str, Any]) -> str:
    """Every board and what it compares, as Markdown tables."""
    parts = []
    for board in data["boards"]:
        parts.append(f"## {markdown_cell(title(board))}\n")
        parts.append(f"{markdown_cell(board['signature'])}\n")
        parts.append(_explained(data, board) + "\n")
        parts += map(markdown_table, [main_table(board), *comparisons.tables(board)])
        parts += [f"{markdown_cell(note)}\n" for note in comparisons.notes(board)]
    if data["references"]:
        parts.append(f"## Published results: {MARK}\n")
        for each in data["references"]:
            parts.append(markdown_table(reference_table(each)))
            parts.append(f"{markdown_cell(each['note'])}\n")
    return "\n".join(parts)


# ---- The page -----------------------------------------------------------------------------------------------------


def _explained(data: Mapping[str, Any], board: Mapping[str, Any]) -> str:
    return (
        "Scores are in per cent, differences in points. A rank is 1 and the number of models whose advantage has a 95 %"
        f" interval wholly above 0, over {data['resamples']} paired resamples of {board['clusters']} clusters: models that the"
        " data cannot tell apart share a rank."
    )


class _Section(NamedTuple):
    """A board as the page shows it."""

    board: Mapping[str, Any]
    title: str
    explained: str
    columns: list[str]
    rows: list[tuple[Mapping[str, Any], list[Cell]]]
    baselines: list[list[Cell]]
    figures: list[pages.Figure]
    tables: list[Table]
    notes: list[str]


def to_html(data: Mapping[str, Any]) -> str:
    """One page with every board, its figures and tables; it works from a disk, without a network."""
    sections = [_section(data, board) for board in data["boards"]]
    said = {
        key: sorted(
            {each["submission"][key] for board in data["boards"] for each in board["models"] if key in each["submission"]}
        )
        for key in ("mode", "source")
    }
    return pages.render(
        "board.html",
        "board.js",
        data=data,
        sections=sections,
        said=said,
        datasets=sorted({board["dataset"] for board in data["boards"]}),
        configs=sorted({board["config"] for board in data["boards"]}),
        overall=OVERALL,
        levels=[_levels(board) for board in data["boards"]],
        references=[(reference_table(each), each["note"]) for each in data["references"]],
        mark=MARK,
    )


def _section(data: Mapping[str, Any], board: Mapping[str, Any]) -> _Section:
    drawn = comparison_figures.figures(board)
    numbers = [figure.numbers for figure in drawn]
    return _Section(
        board=board,
        title=title(board),
        explained=_explained(data, board),
        columns=columns(board),
        rows=[(model, cells(board, model)) for model in board["models"]],
        baselines=[baseline_cells(board, each) for each in board["baselines"]],
        figures=drawn,
        tables=[table for table in comparisons.tables(board) if table not in numbers],
        notes=comparisons.notes(board),
    )


def _levels(board: Mapping[str, Any]) -> dict[str, Any]:
    """For the page's script: which columns change with the level, and their cells, [text, key], by level and model; first
    those over all."""
    names = columns(board)
    fixed = {"model", "organisation", "mode", "source", "incomplete", "standing"}
    places = [place for place, name in enumerate(names) if name not in fixed]

    def at(group: str) -> list[list[list[Any]]]:
        rows: Sequence[list[Cell]] = [cells(board, model, group) for model in board["models"]]
        return [[list(row[place]) for place in places] for row in rows]

    return {"columns": places, "cells": [at(group) for group in (OVERALL, *board["groups"])]}
