"""Split a raw response into its thinking and what was said outside it.

The answer is never looked for inside thinking. Known tag pairs never cross: a block that one pair opens is closed
by that pair alone. A closing tag that nothing opened (the chat template opened it) ends thinking that began with
the response. An opening tag that nothing closes makes all that follows thinking.
"""

from __future__ import annotations

import heapq
import re
from dataclasses import dataclass

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
# text holds a sign that ends such a tag.
_TAGS = (
    ((">",), re.compile(r"</?[A-Za-z:]{5,12}>")),
    (("k]", "K]"), re.compile(r"\[/?[A-Za-z:]{5,12}\]")),
    (("▷",), re.compile(r"◁/?[A-Za-z:]{5,12}▷")),
)

# What chat templates put before the assistant's turn; a raw completion may repeat the whole prompt before it.
_ASSISTANT = re.compile(
    r"<[|｜]assistant[|｜]>|<[|｜]im_start[|｜]>assistant"
    r"|<[|｜]start_header_id[|｜]>assistant<[|｜]end_header_id[|｜]>",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Split:
    """``visible``: the text outside thinking. ``unclosed``: the text after an opening tag that nothing closes, else None."""

    visible: str
    unclosed: str | None = None


def split(response: str, prompt: str = "") -> Split:
    """Split a response. An echo of ``prompt``, and all before the last assistant marker, is dropped first."""
    # A short needle is found many times faster than a long one, so its beginning is looked for first.
    if prompt and prompt[:48] in response and prompt in response:
        response = response.rpartition(prompt)[2]
    turn = 0
    if "<|" in response or "<｜" in response:
        for marker in _ASSISTANT.finditer(response):
            turn = marker.end()
    pieces: list[str] = []
    awaited = None
    start = turn
    present = [tags.finditer(response, turn) for signs, tags in _TAGS if any(sign in response for sign in signs)]
    for tag in heapq.merge(*present, key=re.Match.start):
        name = tag.group().casefold()
        if awaited is None:
            if name in _OPENERS:
                pieces.append(response[start : tag.start()])
                awaited, start = _OPENERS[name], tag.end()
            elif name in _CLOSERS:
                pieces.clear()
                start = tag.end()
        elif name == awaited:
            awaited, start = None, tag.end()
    if awaited is not None:
        return Split("\n".join(pieces), response[start:])
    pieces.append(response[start:])
    return Split("\n".join(pieces))
