"""The HTML page of a report: headline, figures, tables, and single rows to look into, in one self-contained file.

The rows are data that the page's script shows as text on demand, so nothing in a response can become markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappush, heapreplace
from typing import Any, NamedTuple

from rb_verify import pages, report
from rb_verify.datasets import SCORERS, Scorer
from rb_verify.figures import figures
from rb_verify.render import verdict_line
from rb_verify.report import HARMLESS, Report
from rb_verify.tally import Table, number
from rb_verify.thinking import split

SHOWN = 100  # problems of a kind; the JSON report lists every one
LONGEST = 20_000  # characters of a text; longer ones are cut, and said to be
MOST_STEPS = 500  # of a row


class Drill(NamedTuple):
    """A row that the page looks into. ``row``: the gold row; ``detail``: its ``--details`` line with its texts."""

    row: dict[str, Any]
    detail: dict[str, Any]


class Section(NamedTuple):
    """What the page says of one dataset. ``shown``: the rows to look into, as ``pick`` chooses them."""

    report: Report
    shown: Sequence[Drill]


def pick(
    details: Iterable[dict[str, Any]],
    rows: Mapping[str, dict[str, Any]],
    group: Callable[[dict[str, Any]], str],
    limit: int,
) -> list[Drill]:
    """At most ``limit`` of many details, in their order: some of every group and kind of outcome.

    ``details``: one at a time; no more than ``limit`` are held. ``rows``: gold rows by id; ``group``: the scorer's. In
    turn each (group, status, category), in the order in which they appear, gives its next one.
    """
    held: list[tuple[tuple[int, int], int, Drill]] = []  # a heap: what would be given up first is on top
    turns: Counter[tuple[str, str, str]] = Counter()
    places: dict[tuple[str, str, str], int] = {}
    for order, detail in enumerate(details):
        row = rows[detail["id"]]
        kind = group(row), detail["status"], detail["category"]
        worth = -turns[kind], -places.setdefault(kind, len(places))
        turns[kind] += 1
        entry = worth, -order, Drill(row, detail)
        if len(held) < limit:
            heappush(held, entry)
        elif held and entry[:2] > held[0][:2]:
            heapreplace(held, entry)
    return [drill for _, _, drill in sorted(held, key=lambda entry: -entry[1])]


def page(sections: Sequence[Section]) -> str:
    """The page of a submission's reports, one section a dataset. The same reports give the same bytes.

    Raises UnusableInput where jinja2 or matplotlib is not installed.
    """
    models = dict.fromkeys(str(section.report.data["submission"].get("model", "")) for section in sections)
    return pages.render(
        "report.html",
        "report.js",
        model=", ".join(filter(None, models)) or "A submission without a name",
        sections=[_section(place, section) for place, section in enumerate(sections)],
    )


def _section(place: int, section: Section) -> dict[str, Any]:
    """What the template shows of a section."""
    data = section.report.data
    scorer = SCORERS[data["dataset"]]
    chosen = (
        ""
        if len(section.shown) == data["n"]
        else f", in turn of every {scorer.GROUPED}, status and category; --details has all"
    )
    return {
        "id": f"s{place}",
        "title": f"{data['dataset']} {data['version']}, config {data['config']}",
        "score": "-" if data["score"] is None else f"{100 * data['score']:.2f} %",
        "headline": scorer.HEADLINE,
        "interval": number(data["interval"]),
        "counts": data["counts"],
        "n": data["n"],
        "signature": section.report.signature,
        "standing": data["standing"],
        "complete": section.report.complete,
        "closing": verdict_line(section.report),
        "problems": _problems(data["problems"]),
        "harmless": HARMLESS,
        "tables": report.tables(section.report),
        "figures": figures(section.report),
        "rows": {
            "grouped": scorer.GROUPED,
            "of": f"{len(section.shown)} of {data['n']} scored rows are in this page{chosen}",
            "rows": [_drill(scorer, drill) for drill in section.shown],
        },
    }


def _problems(problems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Problems by kind: how many there are, and a table of the first."""
    columns = ["file", "line", "id", "message"] if any(problem["file"] for problem in problems) else ["line", "id", "message"]
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for problem in problems:
        kinds.setdefault(problem["kind"], []).append(problem)
    return [
        {
            "kind": kind,
            "count": len(some),
            "table": Table(
                f"The first {SHOWN} of {len(some)}: {kind}; the JSON report lists every one" if len(some) > SHOWN else kind,
                columns,
                [[_cell(problem[name]) for name in columns] for problem in some[:SHOWN]],
            ),
        }
        for kind, some in kinds.items()
    ]


def _cell(value: Any) -> str:
    return "-" if value is None else str(value)


def _drill(scorer: Scorer, drill: Drill) -> dict[str, Any]:
    """A row as the page's script shows it."""
    row, detail = drill
    steps = scorer.steps(row, detail)
    more = len(steps.rows) - MOST_STEPS
    said = [*scorer.words(row, detail)]
    said += [f"{name}: {detail[name]}" for name in ("note", "failure", "finish_reason") if detail.get(name)]
    said += [f"{more} more steps are not in this page; --details lists every one"] if more > 0 else []
    texts = {"Prompt": row.get("prompt"), "Thinking, apart": detail.get("reasoning")} | _response(row, detail.get("response"))
    return {
        "id": detail["id"],
        "sample": detail["sample"],
        "status": detail["status"],
        "category": detail["category"],
        "score": detail["score"],
        "group": scorer.group(row),
        "words": [_cut(line) for line in said],
        "steps": {
            "title": steps.title,
            "columns": steps.columns,
            "rows": [list(map(_cut, line)) for line in steps.rows[:MOST_STEPS]],
        },
        "texts": [[name, _cut(text)] for name, text in texts.items() if text is not None],
    }


def _response(row: dict[str, Any], response: str | None) -> dict[str, str | None]:
    """A response, its thinking apart from where the answer is looked for."""
    parts = split(response or "", row.get("prompt", ""))
    if not parts.thinking:
        return {"Response": response}
    return {"Thinking": parts.thinking.strip(), "Response without its thinking": parts.visible.strip()}


def _cut(text: str) -> str:
    """A text, no longer than a page should hold."""
    text = text.replace("\r\n", "\n")
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[cut here: {len(text) - LONGEST} more characters are not in this page]"
