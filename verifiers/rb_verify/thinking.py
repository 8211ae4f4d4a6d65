"""Split a raw response into its thinking and what was said outside it.

The answer is never looked for inside thinking. Known tag pairs never cross: a block that one pair opens is closed
by that pair alone. A closing tag that nothing opened (the chat template opened it) ends thinking that began with
the response. An opening tag that nothing closes makes all that follows thinking.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<mm:think>", "</mm:think>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
)
_OPENERS = dict(PAIRS)
_CLOSERS = frozenset(_OPENERS.values())
# Whatever is shaped like a tag; known ones are looked up. One pattern for each opening sign: a pattern that begins with
# one literal character is searched ten times faster than one that begins with a choice. It is searched for only where the
# text holds the sign that ends such a tag: one character, which is found many times faster than two.
_TAGS = (
    (">", re.compile(r"</?[A-Za-z:]{5,12}>")),
    ("]", re.compile(r"\[/?[Tt][Hh][Ii][Nn][Kk]\]")),
    ("▷", re.compile(r"◁/?[A-Za-z:]{5,12}▷")),
)

# What chat templates put before the assistant's turn; a raw completion may repeat the whole prompt before it.
_ASSISTANT = re.compile(
    r"<[|｜]assistant[|｜]>|<[|｜]im_start[|｜]>assistant"
    r"|<[|｜]start_header_id[|｜]>assistant<[|｜]end_header_id[|｜]>",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Split:
    """A response in pieces, in their order, without tags.

    ``outside``: the places of the pieces that are no thinking. ``unclosed``: the text after an opening tag that nothing
    closes, else None.
    """

    pieces: Sequence[str]
    outside: Sequence[int]
    unclosed: str | None = None

    @cached_property
    def visible(self) -> str:
        """The text outside thinking."""
        return "\n".join([self.pieces[place] for place in self.outside])

    @cached_property
    def thinking(self) -> str:
        """The text inside thinking."""
        visible = set(self.outside)
        return "\n".join([piece for place, piece in enumerate(self.pieces) if place not in visible])

    @cached_property
    def whole(self) -> str:
        """All text."""
        return "\n".join(self.pieces)


def split(response: str, prompt: str = "") -> Split:
    """Split a response. An echo of ``prompt``, and all before the last assistant marker, is dropped first."""
    # A short needle is found many times faster than a long one, so its beginning is looked for first.
    if prompt and prompt[:48] in response and prompt in response:
        response = response.rpartition(prompt)[2]
    turn = 0
    if "|" in response or "｜" in response:
        for marker in _ASSISTANT.finditer(response):
            turn = marker.end()
    pieces: list[str] = []  # in order; those at the places in `outside` are no thinking
    outside: list[int] = []
    awaited = None
    start = turn
    for tag in _tags(response, turn):
        name = tag.group().casefold()
        opens, closes = awaited is None and name in _OPENERS, name == awaited
        if not opens and not closes and (awaited is not None or name not in _CLOSERS):
            continue
        if opens:
            awaited = _OPENERS[name]
            outside.append(len(pieces))
        elif closes:
            awaited = None
        else:
            outside.clear()
        pieces.append(response[start : tag.start()])
        start = tag.end()
    if awaited is None:
        outside.append(len(pieces))
    pieces.append(response[start:])
    return Split(pieces, outside, None if awaited is None else pieces[-1])


def _tags(response: str, turn: int) -> Iterator[re.Match[str]]:
    """What is shaped like a tag, in order."""
    present = []
    for sign, tags in _TAGS:
        if sign in response:
            found = tags.finditer(response, turn)
            if (first := next(found, None)) is not None:
                present.append(chain([first], found))
    return present[0] if len(present) == 1 else heapq.merge(*present, key=re.Match.start)
