"""The sentence splitter: nothing is lost, the traps of reasoning text, linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify import sentences
from rb_verify.sentences import ABBREVIATIONS, split

# Sentences are written one after the other, with | between them; | is no part of the text.
CASES = [
    "x is a. |a is b! |Is x b? |Yes.",
    "One.\n|Two\n|three",
    "One.\r\n|Two\r|three",
    "blank line\n\n|separated\n\n\n|facts",
    "- a bullet\n|- another\n|* a third",
    "1. First fact. |Second.\n|2. Third",
    "  12. First\n|b. Second\n|a) Third. |(c) Fourth",
    "**3.** x is a.\n|**4.** y",
    "Step 1. |x is a.",
    "By premise 3. |So x.",
    "Use e.g. this, i.e. that, etc. and so on. |Next.",
    "It is No. 3 of ten. |No. |Yes. |no. |x is a.",
    "See Fig. 2 and Eq. 4. |Done.",
    "He has a Ph.D.: really. |She lives in the U.S.A. now.",
    "Ph.D. students\n|etc.\n|vs.\n|Next",
    "It is 3.5 or 1.25. |Then 2.",
    "x → … → a. |x -> ... -> a. |x, ..., a. |x is a… → b.\n|… → End",
    "Wait... so x is a. |Hmm... |Maybe… |Yes… no",
    'He said "x is a." |Then (y is b.) |And **z.** |End',
    "x 是 a。|y 是 b？|好！|是「a。」|b",
    "What?! |No!!! |Why",
    "a.b.c is one word. |version 2.0.1b too.",
    "dalmpus is fentpus.|So is gorzpus.",
    "n! |n != m. |x",
    "...\n\n---\n- x is a. ... |B",
    "x is a.\n---\n|b",
    "x is a.   |b. |c",
    "  \n x",
    "---",
    "\u00a0x is a.\u00a0|b",
    "one\u2028|two\u2029|three\x85|four",
]


@pytest.mark.parametrize("case", CASES)
def test_traps(case: str) -> None:
    """Sentences end where a reader ends them."""
    assert split(case.replace("|", "")) == case.split("|")


@pytest.mark.parametrize("abbreviation", sorted(ABBREVIATIONS))
def test_abbreviations(abbreviation: str) -> None:
    """No abbreviation ends a sentence or loses a character, in small letters or with a capital."""
    for form in (abbreviation, abbreviation.capitalize(), abbreviation.upper()):
        text = f"We see {form}. Then more. End"
        assert split(text) == [f"We see {form}. Then more. ", "End"]


def test_nothing() -> None:
    """The empty text has no sentence, a text without letters has one."""
    assert split("") == []
    assert split("\n. ? ...\n") == ["\n. ? ...\n"]


@given(st.text() | st.text(alphabet="aB1. \n\t.!?…。()\"'*-e.g,_\r\u2028"))
def test_nothing_is_lost(text: str) -> None:
    """The sentences concatenate to the text, and each has a letter or digit, unless the text has none."""
    pieces = split(text)
    assert "".join(pieces) == text
    if len(pieces) > 1:
        assert all(any(c.isalnum() for c in piece) for piece in pieces)


@given(st.lists(st.text(alphabet="ab1. ?\n")))
def test_lines_are_apart(lines: list[str]) -> None:
    """No sentence with a letter goes on over a line break."""
    for piece in split("\n".join(lines)):
        assert sum(any(c.isalnum() for c in line) for line in piece.split("\n")) <= 1


@pytest.mark.parametrize("unit", [".", "\n", "1. ", "a", ". ", "? ", "a.", '."', " ", "e.g. ", "\r\n", "…", "..a ", "_."])
def test_linear(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The characters that are searched for a letter, and the matches, grow no faster than the text."""
    searched = 0
    real = sentences._LETTER

    class Counting:
        def search(self, text: str, start: int, end: int | None = None) -> object:
            nonlocal searched
            searched += (len(text) if end is None else end) - start
            return real.search(text, start, len(text) if end is None else end)

    monkeypatch.setattr(sentences, "_LETTER", Counting())
    text = unit * 20_000
    assert "".join(split(text)) == text
    assert searched <= 2 * len(text)
