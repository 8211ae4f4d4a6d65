"""How far two readings of the same sentences agree (ReEfBench paper, section 3.2, "Parser Validation").

One is measured against the other: another parser's, or the labels'. Statements are counted as the multiset of statement and
mode of each sentence; a reflection is a property of the sentence. Precision is the share of what the one says that the other
says too, recall the share of what the other says that the one says too, F1 their harmonic mean; intervals resample clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from rb_verify import stats
from rb_verify.reasoning import Sentence
from rb_verify.tally import Table, number, percent, rate_row

PAPER_F1 = 0.943  # of the paper's parser (Qwen2.5-32B-Instruct) on 1,000 sentences of its own, which three people labelled
ACTUAL, PLANNING, REFLECTION = FOUND = ("actual", "planning", "reflection")
ALL = "all"  # statements, asserted or planned
WORDS = {ACTUAL: "asserted", PLANNING: "planned", REFLECTION: "reflections", ALL: "all statements"}


class Pair(NamedTuple):
    """A sentence as two have read it. ``cluster``: what it is resampled with."""

    cluster: str
    one: Sentence
    other: Sentence


def agreement(pairs: Iterable[Pair]) -> dict[str, Any]:
    """How far the ones agree with the others, as JSON: sentences, ``same_reading``, ``same_type``, ``kappa``, ``found``.

    Memory grows with the clusters alone.
    """
    clusters: dict[str, Counter[str]] = {}
    for cluster, one, other in pairs:
        clusters.setdefault(cluster, Counter()).update(_counts(one, other))
    total = sum(clusters.values(), Counter[str]())

    def rate(above: dict[str, int], below: dict[str, int]) -> dict[str, Any]:
        """A rate of sums of counts. ``above``, ``below``: how often each count goes into numerator and denominator."""

        def weighed(counts: Counter[str], part: dict[str, int]) -> float:
            return float(sum(times * counts[key] for key, times in part.items()))

        return stats.rate((name, weighed(counts, above), weighed(counts, below)) for name, counts in clusters.items())

    def found(measured: str) -> dict[str, Any]:
        both, one, other = (f"{measured} {whose}" for whose in ("both", "one", "other"))
        return {
            "both": total[both],
            "one_only": total[one] - total[both],
            "other_only": total[other] - total[both],
            "precision": rate({both: 1}, {one: 1}),
            "recall": rate({both: 1}, {other: 1}),
            "f1": rate({both: 2}, {one: 1, other: 1}),
        }

    return {
        "sentences": total["n"],
        "same_reading": rate({"same_reading": 1}, {"n": 1}),
        "same_type": rate({"same_type": 1}, {"n": 1}),
        "kappa": _kappa(total),
        "found": {measured: found(measured) for measured in (*FOUND, ALL)},
    }


def _counts(one: Sentence, other: Sentence) -> dict[str, int]:
    """What is counted of a sentence."""
    same_type = one.reflection == other.reflection
    counts = {"n": 1, "same_type": int(same_type)}
    for measured in (*FOUND, ALL):
        ours, theirs = said(one, measured), said(other, measured)
        both = sum((ours & theirs).values())
        counts |= {f"{measured} both": both, f"{measured} one": sum(ours.values()), f"{measured} other": sum(theirs.values())}
    same = counts[f"{ALL} both"] == counts[f"{ALL} one"] == counts[f"{ALL} other"]
    return counts | {"same_reading": int(same_type and same)}


def said(sentence: Sentence, measured: str) -> Counter[str]:
    """What a sentence says of what is measured."""
    if measured == REFLECTION:
        return Counter([REFLECTION] * sentence.reflection)
    if measured == ALL:
        return Counter(f"{node.planning} {node.statement}" for node in sentence.nodes)
    return Counter(str(node.statement) for node in sentence.nodes if node.planning == (measured == PLANNING))


def _kappa(total: Counter[str]) -> float | None:
    """Cohen's kappa of the sentences' types; None where chance alone would agree on all."""
    n, ones, others = total["n"], total[f"{REFLECTION} one"], total[f"{REFLECTION} other"]
    by_chance = ones * others + (n - ones) * (n - others)  # of n * n
    return None if by_chance == n * n else round((total["same_type"] * n - by_chance) / (n * n - by_chance), 6)


def found_table(title: str, found: dict[str, Any], one: str, other: str) -> Table:
    """A table of what was found. ``one``, ``other``: what to call the two in the heads of columns."""
    return Table(
        title,
        ["found", "both", f"{one} only", f"{other} only", "precision %", "recall %", "F1 %", "95 % interval"],
        [
            [
                *(WORDS[name], str(each["both"]), str(each["one_only"]), str(each["other_only"])),
                *(percent(each[rate]) for rate in ("precision", "recall", "f1")),
                number(each["f1"]["interval"]),
            ]
            for name, each in found.items()
        ],
    )


def sentence_table(found: dict[str, Any]) -> Table:
    """A table of how far sentences agree."""
    kappa = "-" if found["kappa"] is None else f"{found['kappa']:.3f}"
    return Table(
        "Sentences",
        ["", "%", "95 % interval", "of"],
        [
            rate_row("the same statements and type", found["same_reading"]),
            rate_row("the same type", found["same_type"]),
            ["Cohen's kappa of the type", kappa, "-", str(found["sentences"])],
        ],
    )
