"""Compare two parsers of reasoning on the same responses (ReEfBench paper, section 3.2), and what it does to the metrics.

A parser's readings are the ``nodes`` of predictions, or those of the deterministic parser, which reads the text of the others'.
Responses are compared where both cut them into the same sentences.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from rb_verify import metrics, reasoning, reefbench, stats
from rb_verify.errors import UnusableInput
from rb_verify.formats import Response, read_unit
from rb_verify.parse_run import release_for, rows_of, text_to_parse
from rb_verify.parser_agreement import Pair, agreement, found_table, sentence_table
from rb_verify.predictions import Problem
from rb_verify.reasoning import Sentence
from rb_verify.reefbench_report import is_main
from rb_verify.sources import open_units
from rb_verify.tally import Table
from rb_verify.verdict import Prediction

RULES = "rules"
SHOWN = (
    *("max_depth", "explored_nodes", "derived_nodes", "hallucination_nodes", "incorrect_ratio"),
    *("planning_nodes", "valid_planning", "reflection_sentences", "reflection_efficiency", "node_duplication"),
)

_Key = tuple[str, int]


class _Side(NamedTuple):
    """One parser. ``read``: its predictions by row and sample; None for the rules, which read the other's text.

    Predictions are kept as JSON: their nodes take a tenth of the memory so.
    """

    parser: str
    read: dict[_Key, bytes] | None


@dataclass
class _Seen:
    """What was met in comparing. ``apart``: responses that the two have cut into different sentences; ``outside``: of no row
    of the config; ``measured``: cluster, and the metrics by each, of responses to main rows."""

    compared: int = 0
    apart: list[_Key] = field(default_factory=list)
    outside: int = 0
    measured: list[tuple[str, dict[str, float], dict[str, float]]] = field(default_factory=list)


def compare(one: str, other: str, release: str | None, config: str, progress: Callable[[int], None]) -> dict[str, Any]:
    """How two parsers agree, as JSON.

    ``one``, ``other``: a file of predictions with nodes, or the word ``rules``, once. ``release``, ``config``: as rb-verify
    takes them. ``progress``: called with the number of responses just compared. Raises UnusableInput or ReleaseMismatch.
    """
    if one == other == RULES:
        raise UnusableInput("the rules agree with themselves; name a file of parsed predictions as A or B")
    problems: list[Problem] = []
    files = [file for file in (one, other) if file != RULES]
    found = {file: _responses(file) for file in dict.fromkeys(files)}
    loaded, found[files[0]] = release_for(files[0], release, config, found[files[0]])
    sides = {file: _side(file, responses, problems) for file, responses in found.items()}
    sides[RULES] = _Side(reasoning.PARSER, None)
    ours, theirs = sides[one], sides[other]
    keys = ours.read if theirs.read is None else theirs.read if ours.read is None else ours.read.keys() & theirs.read.keys()
    seen = _Seen()
    agreed = agreement(_pairs(sorted(keys or ()), ours, theirs, rows_of(loaded), seen, progress))
    return {
        "one": {"file": one, "parser": ours.parser},
        "other": {"file": other, "parser": theirs.parser},
        "release": f"{loaded.dataset} {loaded.version}",
        "content_digest": loaded.manifest["content_digest"],
        "config": loaded.config,
        "responses": {
            "compared": seen.compared,
            "one_only": _only(ours, theirs),
            "other_only": _only(theirs, ours),
            "outside": seen.outside,
            "not_comparable": [{"id": row_id, "sample": sample} for row_id, sample in seen.apart],
        },
        **agreed,
        "metrics": _effect(seen),
        "problems": [problem.as_dict() for problem in problems],
    }


def _pairs(
    keys: Sequence[_Key],
    ours: _Side,
    theirs: _Side,
    rows: Mapping[str, dict[str, Any]],
    seen: _Seen,
    progress: Callable[[int], None],
) -> Iterator[Pair]:
    """The sentences of responses that can be compared; what else is met is noted."""
    for key in keys:
        progress(1)
        row = rows.get(key[0])
        if row is None:
            seen.outside += 1
            continue
        one, other = _predictions(ours, theirs, key)
        left, right = _sentences(row, one), _sentences(row, other)
        if [sentence.text for sentence in left] != [sentence.text for sentence in right]:
            seen.apart.append(key)
            continue
        seen.compared += 1
        cluster = reefbench.cluster(row)
        if is_main(row):
            by_one, by_other = (reefbench.judge(row, each).evidence["metrics"] for each in (one, other))
            seen.measured.append((cluster, by_one, by_other))
        yield from (Pair(cluster, *two) for two in zip(left, right, strict=True))


def _responses(file: str) -> Iterator[Response | Problem]:
    with open_units(file) as units:
        for number, unit in units:
            yield from read_unit(number, unit)


def _side(file: str, responses: Iterator[Response | Problem], problems: list[Problem]) -> _Side:
    """What a parser has read. Raises UnusableInput if that is nothing."""
    read: dict[_Key, bytes] = {}
    names: set[str] = set()
    for each in responses:
        if isinstance(each, Problem):
            problems.append(replace(each, file=file))
        elif each.prediction.nodes is not None:
            key = each.prediction.id, each.prediction.sample
            names.add(each.prediction.parser or "given")
            kept = json.dumps(asdict(each.prediction), sort_keys=True).encode()
            if read.setdefault(key, kept) != kept:
                message = f"is there several times (sample {key[1]}), and differs; the first is compared"
                problems.append(Problem("duplicate", message, each.number, key[0], file))
    if not read:
        raise UnusableInput(
            f"{file}: holds no response with 'nodes'; parse it with rb-parse run, or write {RULES} in its place"
        )
    return _Side(names.pop() if len(names) == 1 else "mixed", read)


def _predictions(ours: _Side, theirs: _Side, key: _Key) -> tuple[Prediction, Prediction]:
    """A response as both have it; the rules read the text that the other one has, so theirs has no nodes."""
    found = [Prediction(**json.loads(side.read[key])) for side in (ours, theirs) if side.read is not None]
    unread = replace(found[0], nodes=None, parser=None)
    return found[0] if ours.read is not None else unread, found[-1] if theirs.read is not None else unread


def _sentences(row: dict[str, Any], prediction: Prediction) -> list[Sentence]:
    if prediction.nodes is None:
        return reasoning.parse(text_to_parse(prediction, row), row["vocabulary"])
    return reefbench.given_sentences(prediction.nodes)


def _only(side: _Side, other: _Side) -> int:
    return 0 if side.read is None or other.read is None else len(side.read.keys() - other.read.keys())


def _effect(seen: _Seen) -> dict[str, Any]:
    """Of each metric its mean by the one, by the other, and of the difference, over responses to main rows."""
    measured = seen.measured
    return {
        name: {
            "one": stats.rate((cluster, one[name], 1.0) for cluster, one, _ in measured),
            "other": stats.rate((cluster, other[name], 1.0) for cluster, _, other in measured),
            "difference": stats.rate((cluster, one[name] - other[name], 1.0) for cluster, one, other in measured),
        }
        for name in metrics.NAMES
    }


def tables(found: dict[str, Any]) -> list[Table]:
    """The tables of a comparison."""
    responses = found["responses"]
    parsers = Table(
        f"Two parsers on {found['release']}, config {found['config']}",
        ["", "parser", "file", "responses that it alone has"],
        [
            [letter, found[side]["parser"], found[side]["file"], str(responses[f"{side}_only"])]
            for letter, side in (("A", "one"), ("B", "other"))
        ],
    )
    counts = Table(
        "Responses",
        ["", "number"],
        [
            ["compared", str(responses["compared"])],
            ["cut into other sentences, so not compared", str(len(responses["not_comparable"]))],
            ["not in this config, so not compared", str(responses["outside"])],
        ],
    )
    effect = Table(
        "Process on main rows, means",
        ["metric", "A", "B", "A - B", "95 % interval", "of"],
        [
            [
                name,
                *(_number(each[side]["value"]) for side in ("one", "other", "difference")),
                " to ".join(map(_number, each["difference"]["interval"] or ())) or "-",
                str(int(each["one"]["n"])),
            ]
            for name, each in ((name, found["metrics"][name]) for name in SHOWN)
        ],
    )
    return [
        parsers,
        counts,
        sentence_table(found),
        found_table("Statements of A against those of B", found["found"], "A", "B"),
        effect,
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
