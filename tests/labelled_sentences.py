"""The hand-labelled sentences of the package, as the test of the deterministic parser has them.

The data, and the rules by which they were labelled, are in verifiers/rb_verify/labelled. ``BEFORE`` was written before the
parser was tuned, ``AFTER`` when ``BEFORE`` was final.
"""

from __future__ import annotations

from typing import NamedTuple

from rb_verify import labelled_sentences
from rb_verify.labelled_sentences import NAMES as NAMES


class Labelled(NamedTuple):
    """A sentence with its labels.

    ``actual`` and ``planning``: canonical texts of the statements put forward and of those aimed at, asked or supposed.
    ``reflection``: the sentence looks back.
    """

    text: str
    actual: tuple[str, ...]
    planning: tuple[str, ...]
    reflection: bool


def entries(name: str) -> tuple[Labelled, ...]:
    """The sentences of one of the package's sets."""

    def labels(each: labelled_sentences.Labelled, planning: bool) -> tuple[str, ...]:
        return tuple(str(node.statement) for node in each.sentence.nodes if node.planning == planning)

    return tuple(
        Labelled(each.sentence.text, labels(each, False), labels(each, True), each.sentence.reflection)
        for each in labelled_sentences.labelled(name)
    )


BEFORE, AFTER = map(entries, ("before", "after"))
