"""Cut a response into sentences without losing a character (ReEfBench paper, section 3.2, "Decomposition and Parsing").

A sentence ends

- at every line break;
- at a run of ``. ! ? … 。 ？ ！`` and the closing quotes, brackets and marks after it, unless it is
  - a full stop, not a ``。``, before a letter or digit that goes on with the word or number (``3.5``, ``e.g``); a capital
    after two small letters begins a sentence (``dalmpus.So``);
  - a full stop after one of ``ABBREVIATIONS``, or before a digit after one of ``NUMBERED`` (``No. 3``);
  - the full stop of a list number at the start of a line (``1.``, ``b.``, ``**12.**``);
  - an ellipsis (two dots or more, or ``…``) that goes on in lower case or with a sign (``x → … → y``);
  - ``!`` before ``=``.

White space after the end belongs to the sentence before it. A piece without a letter or digit joins the sentence before
it, or the one after it at the beginning. Each place is looked at once, through windows of fixed width: linear time.
"""

from __future__ import annotations

import re

# In lower case, without the last full stop.
_ABBREVIATIONS = (
    "e.g i.e eg ie etc vs cf al viz approx resp dr mr mrs ms prof jr sr st inc ltd "
    "ph.d m.sc b.sc u.s u.s.a u.k a.k.a w.r.t s.t q.e.d"
)
_NUMBERED = "no nos fig figs eq eqs sec ch vol p pp prem def thm"
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
NUMBERED = frozenset(_NUMBERED.split())
_LONG = 7  # letters: more than an abbreviation has
_WINDOW = 12  # characters: longer than any abbreviation or list number with its marks
_BREAKS = r"\n\r\x85\u2028\u2029"
_SIGNS = ".!?…。？！"
_GOES_ON = frozenset("→⟶⇒⟹↦⊆⊂⊇⊃∈=-,;:&+∧∨∩∪|/")  # after an ellipsis
# One set of characters in front, which the search skips to; the group is the rest of a run of signs.
_END = re.compile(rf"""[{_BREAKS}{_SIGNS}](?:(?<=[{_BREAKS}])\s*|([{_SIGNS}]*)["'”’»)\]}}*_`$」』）】]*[^\S{_BREAKS}]*)""")
_WORD = re.compile(r"[^\W_](?:[^\W_]|\.)*\Z")
_LIST_NUMBER = re.compile(r"[\s>*_#(•-]*(?:\d+|[^\W\d_])\Z")
_LETTER = re.compile(r"[^\W_]")


def split(text: str) -> list[str]:
    """The sentences of a text, in order. Their concatenation is the text; an empty text has none."""
    pieces: list[str] = []
    start = seen = line = 0  # of the sentence; of its part not yet searched for a letter; of the line
    pending = -1  # where the last sentence begins, while pieces without a letter may still join it
    for match in _END.finditer(text):
        more, (at, end) = match[1], match.span()
        if more is None:
            line = end
        else:
            signs = text[at] + more
            # Most sentences end in a long word and ". " or a break.
            usual = signs == "." and at - _LONG > line and text[at - _LONG : at].isalpha() and text[at + 1 : at + 2].isspace()
            if not usual and not _ends(text, line, at, signs, end):
                continue
        if text[seen].isalpha() or _LETTER.search(text, seen, end):
            if pending >= 0:
                pieces.append(text[pending:start])
            pending, start = start, end
        elif pending >= 0:
            start = end
        seen = end
    if _LETTER.search(text, seen):
        if pending >= 0:
            pieces.append(text[pending:start])
        pieces.append(text[start:])
    elif text:
        pieces.append(text[max(pending, 0) :])
    return pieces


def _ends(text: str, line: int, at: int, signs: str, end: int) -> bool:
    """Whether the run of ``signs`` at ``at`` ends a sentence; it is followed by closing marks and space up to ``end``."""
    after = text[end : end + 1]
    if len(signs) > 1 or signs == "…":
        return not ((after.islower() or after in _GOES_ON) and signs.strip(".…") == "")
    if signs == "!":
        return after != "="
    if signs != ".":
        return True
    before = text[max(line, at - _WINDOW) : at]
    if end == at + 1 and after.isalnum():
        return after.isupper() and before[-2:].isalpha() and before[-2:].islower()
    word = _WORD.search(before) if before[-1:].isalnum() else None
    if word is not None:
        name = word.group().lower()
        if name in ABBREVIATIONS or (name in NUMBERED and after.isdigit()):
            return False
    return at - line >= _WINDOW or not _LIST_NUMBER.match(before)
