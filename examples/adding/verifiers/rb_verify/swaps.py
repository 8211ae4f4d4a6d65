"""Score swaps: who has the coin in the end, and who had it after each swap.

The worked example of docs/adding.md. The task is that of tracking shuffled objects (BIG-bench). The headline is *traced*: the
answer is right, and so is the holder after every swap. The oracle follows the coin alone; the builder moves all that is held.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from rb_verify.answers import Labels, examples, extract, label
from rb_verify.objects import shown
from rb_verify.tally import ACCURACY, SCORE, Column, Entry, Table, measure, number, percent, share
from rb_verify.thinking import split
from rb_verify.unparsed import FORMAT, TRUNCATED, structural_failure
from rb_verify.verdict import CORRECT, INCORRECT, MISSING, UNPARSED, Outcome, Prediction, Verdict

NAMES = ("Ann", "Ben", "Eva", "Gil", "Ida", "Lea", "Max", "Tom")  # none is part of another, or a word

PARSER = "swaps-1"  # named in the signature; a change of any verdict on any text is a new name
HEADLINE = "traced"
KEYS = ("answer", "finalanswer")
HOLDERS = "holders"
LABELS = Labels({name: (name.lower(),) for name in NAMES}, leading=tuple(name.lower() for name in NAMES))

TRACED, GUESSED, LOST, PARSE_FAILURE = "traced", "guessed", "lost", "parse_failure"
CATEGORIES: tuple[str, ...] = (TRACED, GUESSED, LOST, PARSE_FAILURE)
MEASURES: tuple[str, ...] = ("followed", "swaps")
MEANS: frozenset[int] = frozenset()  # few outcomes differ, so all are kept
COLUMNS: tuple[Column, ...] = (SCORE, ACCURACY)
OPTIONS: dict[str, tuple[str, ...]] = {}
GROUPED = "swaps"

MISSING_OUTCOME = Outcome(MISSING, MISSING, 0, None, (0.0, 0.0))
UNPARSED_OUTCOME = Outcome(UNPARSED, PARSE_FAILURE, 0, FORMAT, (0.0, 0.0))


def holders(start: str, swaps: Iterable[Sequence[str]]) -> list[str]:
    """Who has the coin after each swap: the oracle."""
    found = [start]
    for a, b in swaps:
        found.append({a: b, b: a}.get(found[-1], found[-1]))
    return found[1:]


class Trace(NamedTuple):
    """What was said of the holders. ``followed``: how many are right before the first that is not."""

    verdict: str
    said: list[str | None]
    followed: int


def trace(said: Any, truth: Sequence[str]) -> Trace:
    """Hold the holders that were given, any JSON value, against the true ones."""
    if said is None:
        return Trace("absent", [], 0)
    if not isinstance(said, list):
        return Trace("unreadable", [], 0)
    names = [label(each, LABELS) for each in said[: len(truth)]]
    wrong = [place for place, (name, true) in enumerate(zip(names, truth, strict=False)) if name != true]
    if wrong:
        return Trace("wrong", names, wrong[0])
    return Trace("exact" if len(said) == len(truth) else "wrong_length", names, len(names))


def judge(row: dict[str, Any], prediction: Prediction) -> Verdict:
    """The verdict on one prediction. ``row``: a row of the release (schemas/swaps.schema.json)."""
    if prediction.error:
        return Verdict(prediction.id, prediction.sample, MISSING_OUTCOME, {"note": "the API reported an error"})
    prompt, truncated = row.get("prompt", ""), prediction.finish_reason in TRUNCATED
    answer = extract(split(prediction.response or "", prompt), KEYS, truncated, examples(prompt, KEYS))
    choice = label(answer.value, LABELS)
    if choice is None:
        outcome = UNPARSED_OUTCOME._replace(failure=structural_failure(prediction, answer))
        note = answer.note or f"the answer is no name of the game: {shown(answer.value, 80)}"
        return Verdict(prediction.id, prediction.sample, outcome, {"answer": None, "note": note})
    truth = holders(row["start"], row["swaps"])
    given: dict[str, Any] = answer.object or {}
    found = trace(given.get(HOLDERS), truth)
    right, exact = choice == truth[-1], found.verdict == "exact"
    category = (TRACED if exact else GUESSED) if right else LOST
    failure = None if category == TRACED else "answer_misaligned" if exact else f"trace_{found.verdict}"
    measures = float(found.followed), float(len(truth))
    outcome = Outcome(CORRECT if right else INCORRECT, category, int(category == TRACED), failure, measures, choice)
    checked = {"followed": found.followed, "holders": found.said, "verdict": found.verdict}
    return Verdict(prediction.id, prediction.sample, outcome, {"answer": choice, "note": answer.note, "checked": checked})


# ---- What the rest of rb_verify asks of a dataset's scorer -------------------------------------------------------


def cluster(row: dict[str, Any]) -> str:
    """The two rows of a game share its swaps, so they are resampled together."""
    return str(row["game"])


def gold(row: dict[str, Any]) -> str:
    """The gold label, whose balance the manifest tells."""
    return str(row["answer"])


def group(row: dict[str, Any]) -> str:
    """The breakdown of reports: the number of swaps."""
    return str(row["level"])


def respond(said: Sequence[str], answer: str) -> str:
    """A response in the form that the prompt asks for."""
    return json.dumps({HOLDERS: list(said), "answer": answer})


def perfect(row: dict[str, Any]) -> str:
    """The response that gives every holder."""
    truth = holders(row["start"], row["swaps"])
    return respond(truth, truth[-1])


def attacks(rows: list[dict[str, Any]]) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Submissions that need no reasoning; what they score is shown beside every score.

    ``constant_start`` says that the coin never moves. ``last_swap`` names the first of those who swap last. ``random`` names
    anyone, always the same for a row.
    """

    def anyone(row: dict[str, Any]) -> str:
        drawn = int.from_bytes(hashlib.sha256(row["id"].encode()).digest(), "big")
        return str(row["people"][drawn % len(row["people"])])

    return {
        "constant_start": lambda row: respond([row["start"]] * len(row["swaps"]), row["start"]),
        "last_swap": lambda row: respond([], row["swaps"][-1][0]),
        "random": lambda row: respond([], anyone(row)),
    }


def marks(entries: Sequence[Entry]) -> dict[str, str]:
    """Nothing: text alone is judged, always in the same way."""
    return {}


def summary(entries: Sequence[Entry]) -> dict[str, Any]:
    """The part of a report that swaps alone have: how far the coin was followed."""
    return {"followed": share(entries, cluster, measure(MEASURES, "followed"), measure(MEASURES, "swaps"))}


def tables(report: dict[str, Any]) -> list[Table]:
    """That part as a table."""
    rate = report["swaps"]["followed"]
    line = [percent(rate), number(rate["interval"]), str(int(rate["n"]))]
    return [Table("Swaps before the first wrong holder, % of answered rows'", ["%", "95 % interval", "of"], [line])]


def words(row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
    """Who was asked about, and the answer."""
    return [
        f"{row['start']} has the coin at the start; {row['level']} swaps; gold {gold(row)}",
        f"answer given: {detail.get('answer')}",
    ]


def steps(row: dict[str, Any], detail: dict[str, Any]) -> Table:
    """Each swap with the holder that was given and the true one."""
    said = (detail.get("checked") or {}).get("holders", [])
    truth = holders(row["start"], row["swaps"])
    given = [*said, *[None] * len(truth)][: len(truth)]
    lines = [
        [str(place), name or "none", "right" if name == true else "wrong", true]
        for place, (name, true) in enumerate(zip(given, truth, strict=True), 1)
    ]
    return Table("Holders", ["after swap", "given", "verdict", "by the oracle"], lines)
