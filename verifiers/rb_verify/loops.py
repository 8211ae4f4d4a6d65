"""Tell a degenerative loop from a long but varied text (TRACE paper, section 4.5.2).

Definition used here: the text is cut into words at white space, or into pieces of 16 characters where it has hardly any;
all runs of digits count as one digit, unless numbers are names. It is a loop if at least half of its windows of ten
words occurred before. Linear in the length of the text.
"""

from __future__ import annotations

import re

WINDOW = 10  # words
FEWEST = 60  # words: less text than this shows no loop
TAIL = 200_000  # characters: a loop that used up the budget is in the end of the text
PIECE = 16  # characters of a piece; words that are twice as long on average are no words
_DIGITS = re.compile(r"\d+")
_ZEROS = str.maketrans("123456789", "0" * 9)


def dominated_by_repetition(text: str, numbered: bool = False) -> bool:
    """Whether at least half of the last ``TAIL`` characters' windows of ``WINDOW`` words repeat an earlier one.

    ``numbered``: things are told apart by their numbers ("room 1", "room 2"), so these are kept.
    """
    text = text[-TAIL:]
    if not numbered:
        text = _without_numbers(text)
    words = text.split()
    if len(text) > 2 * PIECE * len(words):
        words = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    if len(words) < FEWEST:
        return False
    windows = len(words) - WINDOW + 1
    distinct: set[tuple[str, ...]] = set()
    half = windows // 2 + 1
    for start in range(0, windows, half):  # a varied text shows it in the first half
        end = min(start + half, windows)
        distinct.update(zip(*(words[start + i : end + i] for i in range(WINDOW)), strict=True))
        if 2 * len(distinct) > windows:
            return False
    return True


def _without_numbers(text: str) -> str:
    """A text with each run of digits as one 0."""
    if not text.isascii():
        return _DIGITS.sub("0", text)
    text = text.translate(_ZEROS)  # several times faster than the pattern
    while "00" in text:
        text = text.replace("00", "0")
    return text
