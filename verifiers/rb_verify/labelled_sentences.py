"""The hand-labelled sentences on which parsers are measured (ReEfBench paper, section 3.2, "Parser Validation").

They are data of this package, with the rules by which they were labelled: labelled/README.md. All are made up by a language
model, none is of a real response.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from rb_verify.reasoning import Sentence
from rb_verify.reefbench import given_sentences

SETS = ("before", "after", "held_out")
NAMES = (
    *("babkpus", "dalmpus", "fentpus", "gorzpus", "hivjpus", "jelbpus", "kumvpus"),
    *("lodgpus", "mirfpus", "nazlpus", "pevtpus", "rotgpus", "sulzpus", "tegnpus"),
)


class Labelled(NamedTuple):
    """A labelled sentence. ``passage``: the sentences that it stands among, one after the other in one manner."""

    passage: str
    sentence: Sentence


@lru_cache(maxsize=len(SETS))
def labelled(name: str) -> tuple[Labelled, ...]:
    """The sentences of one of ``SETS``. Their planned statements come after those that are asserted."""
    text = files("rb_verify").joinpath("labelled", f"{name}.jsonl").read_text("utf-8")
    entries = [json.loads(line) for line in text.split("\n") if line]
    return tuple(
        Labelled(entry["passage"], sentence) for entry, sentence in zip(entries, given_sentences(entries), strict=True)
    )


def passages(name: str) -> list[tuple[Labelled, ...]]:
    """The sentences of one of ``SETS``, by passage, in order."""
    return [tuple(some) for _, some in groupby(labelled(name), key=lambda each: each.passage)]
