"""Show a report: for a terminal, as Markdown, or one verdict in words. Text from a submission is never markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import IO, Any

from rb_verify.console import plain
from rb_verify.datasets import SCORERS
from rb_verify.pages import visible
from rb_verify.report import HARMLESS, Report
from rb_verify.tally import Table, in_words

_SHOWN = 5  # problems of a kind that a terminal shows; the JSON report lists every one


def problem_lines(report: Report, source: str) -> list[str]:
    """What is wrong with the submission. ``source``: its file or folder."""
    return problem_list(report.data["problems"], source, "; --json lists every one")


def problem_list(problems: Sequence[Mapping[str, Any]], source: str, more: str = "") -> list[str]:
    """Problems, a line each, the first few of every kind, then how many there are.

    ``problems``: as reports have them; ``source``: the file or folder that they are of, "" if each names its own; ``more``:
    where all of a kind are listed.
    """
    shown = []
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem["kind"]] += 1
        if seen[problem["kind"]] <= _SHOWN:
            file = "/".join(filter(None, (source, plain(problem["file"] or ""))))
            place = f"{file}:{problem['line']}" if problem["line"] else file
            who = f" {plain(problem['id'])}" if problem["id"] else ""
            shown.append(f"{place}: {problem['kind']}:{who} {plain(problem['message'])}")
    for kind, count in seen.items():
        if count > _SHOWN:
            shown.append(f"{source}{': ' * bool(source)}{kind}: {count} in all{more}")
    return shown


def verdict_line(report: Report) -> str:
    """One closing line: complete or not."""
    kinds = Counter(problem["kind"] for problem in report.data["problems"])
    counts = report.data["counts"]
    said = ", ".join(f"{counts[status]} {status}" for status in counts)
    harmful = {kind: count for kind, count in kinds.items() if kind not in HARMLESS}
    state = "incomplete: " + ", ".join(f"{count} {kind}" for kind, count in harmful.items()) if harmful else "complete"
    left = f"; {report.data['left_out']} rows left out (--partial)" if report.data["partial"] else ""
    return f"{report.data['n']} scored ({said}); {state}{left}"


def one_line(text: str) -> str:
    """Text in one line, with what is invisible shown by its code."""
    return visible(" ".join(text.split()))


_MARKUP = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
_ADDRESS = re.compile(r"(?<=\w)(?=://)|(?<=@)(?=\w)|(?<=www)(?=\.)")


def markdown_cell(text: str) -> str:
    """Text that is no markup in Markdown: no table cell ends, no link, picture, tag or address begins."""
    escaped = _MARKUP.sub(r"\\\g<0>", one_line(text)).replace("&", "&amp;").replace("<", "&lt;")
    return _ADDRESS.sub("&#8203;", escaped)


def markdown_table(table: Table) -> str:
    """A table as Markdown, under its title, with an empty line at its end."""
    head, *rows = ("| " + " | ".join(map(markdown_cell, line)) + " |" for line in (table.columns, *table.rows))
    return "\n".join([f"**{markdown_cell(table.title)}**\n", head, "|" + "---|" * len(table.columns), *rows, ""])


def markdown(report: Report, shown: Sequence[Table]) -> str:
    """The tables as Markdown, with the signature."""
    return "\n".join([*map(markdown_table, shown), f"`{report.signature}`\n\n{verdict_line(report)}"])


def terminal(report: Report, shown: Sequence[Table], stream: IO[str]) -> None:
    """The tables for a terminal, with the signature."""
    terminal_tables(shown, stream)
    print(f"{report.signature}\n{verdict_line(report)}", file=stream)


def terminal_tables(shown: Sequence[Table], stream: IO[str]) -> None:
    """Tables in a terminal's width, or 120 columns in a pipe."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(file=stream, width=None if stream.isatty() else 120, highlight=False)
    for table in shown:
        console.print(Text(plain(table.title), style="bold"), soft_wrap=True)
        grid = RichTable()
        for i, column in enumerate(table.columns):
            grid.add_column(Text(column), justify="left" if i == 0 else "right")
        for row in table.rows:
            grid.add_row(*(Text(plain(cell)) for cell in row))
        console.print(grid)


def explain(dataset: str, row: dict[str, Any], detail: dict[str, Any]) -> str:
    """One verdict in words. ``row``: the gold row, ``detail``: the verdict's ``--details`` line."""
    said = [f"{detail['id']} (sample {detail['sample']}): {detail['status']}, {detail['category']}, score {detail['score']}"]
    scorer = SCORERS[dataset]
    said += map(plain, [*scorer.words(row, detail), *in_words(scorer.steps(row, detail))])
    if detail.get("note"):
        said.append(f"note: {plain(str(detail['note']))}")
    if detail.get("failure"):
        said.append(f"failure: {detail['failure']}")
    return "\n".join(said)
