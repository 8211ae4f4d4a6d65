"""The parser of reasoning text, measured on hand-labelled sentences (ReEfBench paper, section 3.2).

Nodes are counted as the multiset of statement and mode of each sentence, actual and planning apart; a reflection is a
property of the sentence. Precision is the share of what the parser says that is labelled, recall the share of what is
labelled that it says.

History of the figures, precision and recall:

============================  ==============  ==============  ==============
measured                      actual          planning        reflection
============================  ==============  ==============  ==============
BEFORE, first                 .9833 / .9888   1.0 / .9273     1.0 / .9487
BEFORE, parser tuned on it    1.0 / 1.0       1.0 / 1.0       1.0 / 1.0
AFTER, first, never seen      .9683 / .9291   .9565 / .9296   1.0 / .7895
AFTER, parser tuned on it     1.0 / .9899     .9726 / 1.0     1.0 / 1.0
HELD_OUT, once, at the end    1.0 / .9819     .9655 / .9032   .9048 / .7917
============================  ==============  ==============  ==============

The first figures and those of ``HELD_OUT``, which the parser was never tuned on, are what to expect of new text; the tuned
ones only keep the parser from getting worse. All three sets are made up: they were written for this test. (The
prompt's own question is no reflection: that was mended last, for another test, and raised the last precision to .95.)
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pytest

from held_out_sentences import HELD_OUT
from labelled_sentences import AFTER, BEFORE, NAMES, Labelled
from rb_verify.reasoning import parse
from rb_verify.sentences import split

SETS: dict[str, tuple[Labelled, ...]] = {"BEFORE": BEFORE, "AFTER": AFTER, "HELD_OUT": HELD_OUT}


class Floor(NamedTuple):
    """What precision and recall may not fall below."""

    precision: float
    recall: float


# By set and by what is measured.
FLOORS = {
    ("BEFORE", "actual"): Floor(1.0, 1.0),
    ("BEFORE", "planning"): Floor(1.0, 1.0),
    ("BEFORE", "reflection"): Floor(1.0, 1.0),
    ("AFTER", "actual"): Floor(1.0, 0.9899),
    ("AFTER", "planning"): Floor(0.9726, 1.0),
    ("AFTER", "reflection"): Floor(1.0, 1.0),
    ("HELD_OUT", "actual"): Floor(1.0, 0.9819),
    ("HELD_OUT", "planning"): Floor(0.9655, 0.9032),
    ("HELD_OUT", "reflection"): Floor(0.9047, 0.7916),
}


def read(text: str, measured: str) -> Counter[str]:
    """What the parser finds in a text of what is measured."""
    sentences = parse(text, NAMES)
    if measured == "reflection":
        return Counter(["reflection"] * any(sentence.reflection for sentence in sentences))
    nodes = [node for sentence in sentences for node in sentence.nodes]
    return Counter(str(node.statement) for node in nodes if node.planning == (measured == "planning"))


def labelled(entry: Labelled, measured: str) -> Counter[str]:
    """What is labelled of what is measured."""
    if measured == "reflection":
        return Counter(["reflection"] * entry.reflection)
    return Counter(entry.planning if measured == "planning" else entry.actual)


@pytest.mark.parametrize(("which", "measured"), FLOORS)
def test_figures(which: str, measured: str) -> None:
    """Precision and recall on each set are at least what they were when the parser was finished."""
    pairs = [(read(entry.text, measured), labelled(entry, measured)) for entry in SETS[which]]
    right = sum((said & wanted).total() for said, wanted in pairs)
    precision = right / sum(said.total() for said, _ in pairs)
    recall = right / sum(wanted.total() for _, wanted in pairs)
    floor = FLOORS[which, measured]
    assert round(precision, 4) >= floor.precision
    assert round(recall, 4) >= floor.recall


@pytest.mark.parametrize("which", SETS)
def test_one_sentence(which: str) -> None:
    """Each labelled text is one sentence."""
    assert [entry.text for entry in SETS[which] if len(split(entry.text)) != 1] == []
