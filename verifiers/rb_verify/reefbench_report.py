"""The parts of a report that ReEfBench alone has: process metrics, the six scores' components, the trajectory over levels.

Process metrics are means over the main rows that have a response, whether their answer is right, wrong or not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from rb_verify import metrics, trajectory
from rb_verify.archetypes import COMPONENTS
from rb_verify.tally import Entry, Table, measure, rate_row, share

MAIN, CONTRAST = "main", "contrast"
TRUE_FOUND = "true_found"
MISSED = "missed"
UNKNOWN_SEEN = "unknown_seen"
OVERCLAIMED = "overclaimed"
PARSE_FAILURE = "parse_failure"
CATEGORIES: tuple[str, ...] = (TRUE_FOUND, MISSED, UNKNOWN_SEEN, OVERCLAIMED, PARSE_FAILURE)

# Whether the provider counted the tokens, whether the submitter parsed the text, of how many sentences its parser left the
# reading to the rules; then the metrics.
COUNTED, GIVEN, LEFT = "counted_by_provider", "parsed_by_submitter", "left_to_rules"
MEASURES: tuple[str, ...] = (COUNTED, GIVEN, LEFT, *metrics.NAMES)
# Of all but who counted and what parsed, reports give sums and means alone.
MEANS = frozenset(range(MEASURES.index(LEFT), len(MEASURES)))
SCORED_PARTS = tuple(name for parts in COMPONENTS.values() for name in parts)
ON_CONTRAST = ("correct_nodes", "hallucination_nodes", "incorrect_ratio", "max_depth", "tokens")


def is_main(row: dict[str, Any]) -> bool:
    """Whether the conclusion of a row follows."""
    return bool(row["config"] == MAIN)


def cluster(row: dict[str, Any]) -> str:
    """The rows of a pair differ in one premise, so they are resampled together."""
    return str(row["pair"])


def marks(entries: Sequence[Entry]) -> dict[str, str]:
    """Who counted the tokens and what parsed the text: scores differ in meaning with it."""
    answered = _answered(entries)
    return {
        "tokens": _only({"usage" if _counted(entry.outcome) else "counted" for entry in answered}, "counted"),
        "nodes": _only({_parser(entry) or "parsed" for entry in answered}, "parsed"),
    }


_counted, _given, _left = (measure(MEASURES, name) for name in (COUNTED, GIVEN, LEFT))
_sentences = measure(MEASURES, "sentences")


def _parser(entry: Entry) -> str | None:
    """What the submitter parsed the text with, as signatures say it; None if the rules read it here."""
    return (entry.outcome.parser or "given") if _given(entry.outcome) else None


def _only(found: set[str], default: str) -> str:
    return default if not found else "mixed" if len(found) > 1 else found.pop()


def _answered(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.outcome.measures]


def summary(entries: Sequence[Entry]) -> dict[str, Any]:
    """Process metrics over all levels and by level; components of the six scores at the hardest level; the trajectory."""
    answered = _answered(entries)
    main = [entry for entry in answered if is_main(entry.row)]
    contrast = [entry for entry in answered if not is_main(entry.row)]
    by_level: dict[int, list[Entry]] = {}
    for entry in main:
        by_level.setdefault(entry.row["level"], []).append(entry)
    levels: list[dict[str, Any]] = [
        {
            "level": level,
            "n": sum(entry.count for entry in some),
            "metrics": {name: round(_mean(some, name), 6) for name in metrics.NAMES},
        }
        for level, some in sorted(by_level.items())
    ]
    points = [(each["level"], each["metrics"]["tokens"], each["metrics"]["max_depth"]) for each in levels]
    return {
        "process": {name: _rate(main, name) for name in metrics.NAMES},
        "levels": levels,
        "hardest": _hardest(levels[-1]) if levels else None,
        "trajectory": trajectory.classify(points)._asdict(),
        "contrast": {name: _rate(contrast, name) for name in ON_CONTRAST},
        **_parsers(answered),
    }


def _parsers(answered: Sequence[Entry]) -> dict[str, Any]:
    """Of each parser that submitters used: its responses, and the share of their sentences that it left to the rules.

    {} if none was used: nothing is added to such a report.
    """
    by_name: dict[str, list[Entry]] = {}
    for entry in answered:
        if name := _parser(entry):
            by_name.setdefault(name, []).append(entry)
    found = [
        {
            "parser": name,
            "responses": sum(entry.count for entry in some),
            "left_to_rules": share(some, cluster, _left, _sentences),
        }
        for name, some in sorted(by_name.items())
    ]
    return {"parsers": found} if found else {}


def _hardest(level: dict[str, Any]) -> dict[str, Any]:
    """What the six scores are made of, raw; S_ld alone means something without other models: depth of the level."""
    means = level["metrics"]
    return {
        "level": level["level"],
        "n": level["n"],
        "logical_depth": round(min(1.0, means["max_depth"] / level["level"]), 6),
        "components": {score: {name: means[name] for name in parts} for score, parts in COMPONENTS.items()},
    }


def _mean(entries: Sequence[Entry], name: str) -> float:
    value = measure(MEASURES, name)
    return fsum(e.count * value(e.outcome) for e in entries) / sum(e.count for e in entries)


def _rate(entries: Sequence[Entry], name: str) -> dict[str, Any]:
    return share(entries, cluster, measure(MEASURES, name))


def tables(own: dict[str, Any]) -> list[Table]:
    """The tables of ReEfBench. ``own``: its part of a report."""
    process = Table(
        "Process on main rows, means (Tables 9 and 10)",
        ["metric", "mean", "95 % interval", "unit", "of"],
        [
            [metric.name, _number(rate["value"]), _interval(rate["interval"]), metric.unit, str(int(rate["n"]))]
            for metric, rate in zip(metrics.METRICS, own["process"].values(), strict=True)
        ],
    )
    shown = dict.fromkeys(("max_depth", "depth_coverage", "tokens", *SCORED_PARTS, "incorrect_ratio", "supported_ratio"))
    levels = Table(
        "Process by level, means",
        ["metric", *(f"level {each['level']}" for each in own["levels"])],
        [[name, *(_number(each["metrics"][name]) for each in own["levels"])] for name in shown],
    )
    contrast = Table(
        "Process on contrast rows, means",
        ["metric", "mean", "95 % interval", "of"],
        [[name, _number(r["value"]), _interval(r["interval"]), str(int(r["n"]))] for name, r in own["contrast"].items()],
    )
    found = own["trajectory"]
    path = Table(
        "Trajectory over levels (section 4.4)",
        ["measure", "value"],
        [[name.replace("_", " "), value if isinstance(value, str) else _number(value)] for name, value in found.items()],
    )
    parsers = Table(
        "Sentences that the submitter's parser left to the rules, %",
        ["parser", "%", "95 % interval", "of", "responses"],
        [[*rate_row(each["parser"], each["left_to_rules"]), str(each["responses"])] for each in own.get("parsers", [])],
    )
    return [
        table
        for table in (process, levels, contrast, path, parsers)
        if any(len(row) > 1 and row[1] != "-" for row in table.rows)
    ]


def _number(value: float | None) -> str:
    """A mean, with four significant digits."""
    return "-" if value is None else f"{value:.4g}"


def _interval(interval: list[float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:.4g} to {interval[1]:.4g}"
