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
    """``visible``: the text outside thinking. ``thinking``: the text inside. ``whole``: both, in their order, without tags.

    ``unclosed``: the text after an opening tag that nothing closes, else None.
    """

    visible: str
    unclosed: str | None = None
    thinking: str = ""
    whole: str = ""


def split(response: str, prompt: str = "") -> Split:
    """Split a response. An echo of ``prompt``, and all before the last assistant marker, is dropped first."""
    # A short needle is found many times faster than a long one, so its beginning is looked for first.
    if prompt and prompt[:48] in response and prompt in response:
        response = response.rpartition(prompt)[2]
    turn = 0
    if "<|" in response or "<｜" in response:
        for marker in _ASSISTANT.finditer(response):
            turn = marker.end()
    pieces: list[str] = []  # in order; those at the places in `outside` are no thinking
    outside: list[int] = []
    awaited = None
    start = turn
    present = [tags.finditer(response, turn) for signs, tags in _TAGS if any(sign in response for sign in signs)]
    for tag in heapq.merge(*present, key=re.Match.start):
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
    unclosed = None if awaited is None else pieces[-1]
    if len(pieces) == 1 and awaited is None:  # the usual case, without a copy
        return Split(pieces[0], None, "", pieces[0])
    visible = set(outside)
    inside = "\n".join(piece for place, piece in enumerate(pieces) if place not in visible)
    return Split("\n".join(pieces[place] for place in outside), unclosed, inside, "\n".join(pieces))
