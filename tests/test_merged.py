"""Outcomes of a row that differ in what reports only add up are put together, and no figure of a report changes."""

from __future__ import annotations

import random
from collections import Counter
from math import isclose
from pathlib import Path
from typing import Any

from rb_verify import reefbench, report
from rb_verify.prose import STYLES, solution
from rb_verify.release import Release, load
from rb_verify.tally import merged
from rb_verify.verdict import CORRECT, INCORRECT, Outcome, Prediction

SAMPLES = 24
Tally = Counter[tuple[int, Outcome]]


def response(row: dict[str, Any], rng: random.Random) -> str:
    """Some premises and golden lines in some order, some planned or wondered about, and one of three answers."""
    lines = [*row["premises"], *solution(row, rng.choice(list(STYLES))).split("\n")[:-1]]
    said = [rng.choice(("{}", "{}", "Wait, let me check again. {}", "I need to show that {}")).format(line) for line in lines]
    rng.shuffle(said)
    return "\n".join([*said[: rng.randint(0, len(said))], f"\\boxed{{{rng.choice(('True', 'Unknown', 'no idea'))}}}"])


def judged(release: Release) -> Tally:
    """The outcomes of 24 samples a row; who counts tokens and what parses changes from one to the next."""
    rng, found = random.Random("merged"), Tally()
    for place, row in enumerate(release.rows):
        for sample in range(SAMPLES):
            nodes = [{"text": "So.", "type": "regular", "nodes": [{"statement": row["conclusion"], "type": "actual"}]}]
            prediction = Prediction(
                row["id"],
                response(row, rng),
                sample=sample,
                tokens=rng.choice((None, rng.randint(1, 999))),
                nodes=nodes if sample % 5 == 0 else None,
                parser="llm-1@x" if sample % 10 == 0 else None,
            )
            found[place, reefbench.judge(row, prediction).outcome] += 1
    return found


def put_together(tally: Tally) -> Tally:
    """The same with each row's outcomes merged."""
    rows: dict[int, Counter[Outcome]] = {}
    for (place, outcome), count in tally.items():
        rows.setdefault(place, Counter())[outcome] += count
    return Tally({(place, one): count for place, some in rows.items() for one, count in merged(some, reefbench.MEANS).items()})


def same(one: Any, other: Any) -> bool:
    """Whether two values of JSON are alike, numbers to six digits."""
    if isinstance(one, float) or isinstance(other, float):
        return isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def test_no_figure_of_a_report_changes(reef: Path) -> None:
    """Means over 24 samples a row, signatures, counts and intervals are those of all outcomes."""
    release = load(reef)
    tally = judged(release)
    few = put_together(tally)
    n = len(release.rows) * SAMPLES
    lines = dict.fromkeys(("bad_line", "unknown_id", "other_config", "duplicate", "repeated", "other_dataset"), 0)
    before, after = (
        report.build(release, some, [], {**lines, "read": n, "judged": n}, SAMPLES, False) for some in (tally, few)
    )
    assert same(before.data, after.data)
    assert "|tokens:mixed|nodes:mixed" in after.signature
    assert len(tally) > 20 * len(release.rows)  # nearly all are different
    most = 3 * 2 * 3  # answers, who counts, what parses
    assert max(Counter(place for place, _ in few).values()) <= most


def test_a_mean_is_weighted_and_the_rest_is_kept_apart() -> None:
    """Two and one make three; another status or another flag is another outcome."""
    right, wrong = (Outcome(status, "c", 0, measures=(1.0, 2.0)) for status in (CORRECT, INCORRECT))
    other, flagged = right._replace(measures=(1.0, 5.0)), right._replace(measures=(0.0, 5.0))
    found = merged({right: 2, wrong: 7, other: 1, flagged: 4}, {1})
    assert list(found.items()) == [(right._replace(measures=(1.0, 3.0)), 3), (wrong, 7), (flagged, 4)]


def test_an_outcome_like_no_other_stays_itself() -> None:
    """To the last bit, and one without measures too."""
    odd = Outcome(CORRECT, "c", 1, measures=(0.1, 1 / 3))
    assert merged({odd: 3, Outcome(CORRECT, "c", 1): 1}, {0, 1}) == {odd: 3, Outcome(CORRECT, "c", 1): 1}
