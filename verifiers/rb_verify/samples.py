"""Several samples a row: pass@k and the majority vote. The headline of a report is their mean.

pass@k is the unbiased estimate of Chen et al. (2021), "Evaluating large language models trained on code", equation 1: of a
row with n samples of which c score, the chance that at least one of k drawn without repeats does. Rows that are scored
jointly multiply, as in the headline, so pass@1 is the headline wherever every row has as many samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, fsum
from typing import Any

from rb_verify.tally import Column, Entry
from rb_verify.verdict import CORRECT, Outcome

Cluster = Callable[[dict[str, Any]], str]


def over(
    entries: Sequence[Entry], samples: int, score: Column, accuracy: Column, cluster: Cluster, sizes: Mapping[str, int]
) -> dict[str, Any] | None:
    """A report's ``over_samples``: pass@k for k = 1, 2, 4, ... and all, and the accuracy of the majority; None for one sample.

    ``score``, ``accuracy``: the columns that pass@k and the majority are of; ``sizes``: rows of each cluster.
    """
    if samples < 2:
        return None
    ks = [k for k in (2**i for i in range(samples.bit_length())) if k < samples]
    rows = _by_row(entries)
    return {
        "pass": [
            {"k": k, **_rate(score, ((some, _passed(some, score, k)) for some in rows if _many(some) >= k), cluster, sizes)}
            for k in (*ks, samples)
        ],
        "majority": _rate(accuracy, ((some, majority(some)) for some in rows), cluster, sizes),
    }


def pass_at(n: int, c: int, k: int) -> float:
    """The chance that at least one of ``k`` of ``n`` samples, ``c`` of which score, does. ``k`` is at most ``n``."""
    return 1 - comb(n - c, k) / comb(n, k)


def majority(entries: Iterable[Entry]) -> float:
    """Whether the answer that most samples of a row give is right; of answers that tie, the share that is.

    Samples without an answer do not vote. A row without any answer is wrong.
    """
    votes: Counter[str | None] = Counter()
    for entry in entries:
        votes[entry.outcome.answer] += entry.count
    del votes[None]
    most = max(votes.values(), default=0)
    leading = [answer for answer, count in votes.items() if count == most]
    right = {entry.outcome.answer for entry in entries if entry.outcome.status == CORRECT}
    return sum(answer in right for answer in leading) / len(leading) if leading else 0.0


def _by_row(entries: Iterable[Entry]) -> list[list[Entry]]:
    rows: dict[str, list[Entry]] = {}
    for entry in entries:
        rows.setdefault(entry.row["id"], []).append(entry)
    return list(rows.values())


def _many(entries: Iterable[Entry]) -> int:
    return sum(entry.count for entry in entries)


def _passed(entries: Sequence[Entry], score: Column, k: int) -> float:
    scored = round(fsum(entry.count * score.counts(entry.outcome) for entry in entries))
    return pass_at(_many(entries), scored, k)


def _rate(
    column: Column, rows: Iterable[tuple[Sequence[Entry], float]], cluster: Cluster, sizes: Mapping[str, int]
) -> dict[str, Any]:
    """A column's rate where each row counts once, with a value of its own."""
    valued = [Entry(some[0].row, Outcome("", "", 0, measures=(value,)), 1) for some, value in rows]
    return column._replace(counts=lambda outcome: outcome.measures[0]).rate(valued, cluster, sizes)
