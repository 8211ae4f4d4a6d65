"""The parser of reasoning text, given any text and hostile text: nothing is raised or lost, and time is linear."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from letters import VOCABULARY, named
from rb_verify.reasoning import parse
from rb_verify.statements import OR, statement
from rb_verify.words import CODES, normal

RULE_WORDS = sorted(word for word in CODES if word.strip("\0"))
PIECES = [
    *VOCABULARY,
    "dalmpu",
    "z",
    ".",
    "?",
    "\n",
    " ",
    "(",
    ")",
    ",",
    ";",
    ":",
    "&",
    "\0",
    "_",
    "**",
    "&amp;",
    "&#0;",
    "3",
    "no. 4",
    "…",
]


@given(
    st.text()
    | st.lists(st.sampled_from(PIECES + RULE_WORDS), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(PIECES)).map("".join)
)
def test_any_text(text: str) -> None:
    """Nothing is raised or lost, twice the same is said, and all of it is about the vocabulary and canonical."""
    sentences = parse(text, VOCABULARY)
    assert "".join(sentence.text for sentence in sentences) == text
    assert sentences == parse(text, frozenset(VOCABULARY))
    for sentence in sentences:
        for node in sentence.nodes:
            subject, predicate = node.statement
            assert {subject, *predicate.parts} <= set(VOCABULARY)
            assert node.statement == statement(subject, predicate.parts, predicate.joint)
            assert subject not in predicate.parts
            assert len(predicate.parts) <= 3 or predicate.joint == OR


@given(st.lists(st.text(min_size=1)), st.text())
def test_any_vocabulary(vocabulary: list[str], text: str) -> None:
    """No vocabulary is too strange."""
    assert "".join(sentence.text for sentence in parse(text + " is ".join(vocabulary), vocabulary)) == text + " is ".join(
        vocabulary
    )


def steps(function: Callable[[], Any]) -> int:
    """Lines of the package's code that a call executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if "rb_verify" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


HOSTILE = [
    "x ", "is ", "x is A and ", "x → ", "→ ", ", ", "x, ", "( ", "(x ", '"', ") ", "not ", "if ", "which is ",
    "x, which is ", "is x ", "x and ", "x that is ", "x or ", "_", "&", "\\", "a-", "x is A? ", "x is A. ", "no ",
    "x is A\n", "let me ", "check ", "x, y and A are ", "are A, ", "means ", "x is A is not ", "might ",
    "x, then, ", "x (which ", "(which ", "¬(", "x | ", "| ", "if x is A, ", "x is A, if ", "when x ", "respectively ", "x ~ ",
    "x is A, which is not ", "x is A: not ", "wrong ", "x has to be ", "not only x, but ", "<b>", "as long ", "to (",
    "claim 2: ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_linear(unit: str) -> None:
    """Twice the text takes at most about twice the steps, and says at most twice as much."""
    text = named(unit)
    short, long = (steps(lambda n=n: parse(text * n, VOCABULARY)) for n in (300, 600))
    assert long <= 2.2 * short + 200


@pytest.mark.parametrize(
    "unit", [*HOSTILE, "i will ", "check it ", "the a ", "this is not quite ", "so, ", "wait ", "let me x"]
)
def test_large(unit: str) -> None:
    """Hundreds of kilobytes of anything are read, and nothing is lost."""
    text = named(unit)
    text *= 300_000 // len(text)
    assert "".join(sentence.text for sentence in parse(text, VOCABULARY)) == text


def test_no_more_nodes_than_words() -> None:
    """Many subjects with many predicates do not multiply."""
    names = [f"b{chr(97 + i)}{chr(97 + j)}kpus" for i in range(20) for j in range(20)]
    text = f"{', '.join(names)} and dalmpus are {', '.join(names)} and fentpus"
    nodes = [node for sentence in parse(text, [*names, "dalmpus", "fentpus"]) for node in sentence.nodes]
    assert len(nodes) <= len(text)


@pytest.mark.parametrize(
    ("reference", "sign"),
    [
        ("&#8834;", "⊂"),
        ("&#" + "0" * 5000 + "8834;", "⊂"),
        ("&#" + "1" * 5000 + ";", "\ufffd"),
        ("&#99999999", "\ufffd"),
        ("&#1114112;", "\ufffd"),
        ("&#x" + "f" * 5000 + ";", "\ufffd"),
    ],
    ids=["usual", "zeros in front", "many digits", "eight digits", "one too large", "hexadecimal"],
)
def test_a_character_reference_of_any_length_is_read(reference: str, sign: str) -> None:
    """Python itself refuses numbers of more than 4,300 digits."""
    assert normal(f"{reference} and") == f"{sign} and"
