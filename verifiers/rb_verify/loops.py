"""Tell a degenerative loop from a long but varied text (TRACE paper, section 4.5.2).

Definition used here: the text is cut into words and signs, digits all count as one digit, and the text is a loop if
at least half of its windows of ten such tokens occurred before. Linear in the length of the text.
"""

from __future__ import annotations

import re

WINDOW = 10  # tokens
FEWEST = 60  # tokens: less text than this shows no loop
TAIL = 200_000  # characters: a loop that used up the budget is in the end of the text
_TOKEN = re.compile(r"\w{1,16}|[^\w\s]")
_DIGITS = re.compile(r"\d+")


def dominated_by_repetition(text: str) -> bool:
    """Whether at least half of the last ``TAIL`` characters' windows of ``WINDOW`` tokens repeat an earlier one."""
    tokens = _TOKEN.findall(_DIGITS.sub("0", text[-TAIL:]))
    if len(tokens) < FEWEST:
        return False
    windows = len(tokens) - WINDOW + 1
    distinct = len(set(zip(*(tokens[i : i + windows] for i in range(WINDOW)), strict=True)))
    return 2 * (windows - distinct) >= windows
