"""Find the final answer in what a model said outside its thinking.

The last complete object that holds the answer key wins. Without one, only an explicit answer counts: a line
"Final answer: YES", an <answer> tag or a \\boxed{} of its own. Loose prose never does.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from rb_verify.objects import Found, Object, find, same
from rb_verify.thinking import Split

_ENDING = re.compile(r"(?:\s|[`.]|</?(?:answer|tool|output|final)>|<[|｜][^<>|｜]{0,40}[|｜]>|</s>)*", re.IGNORECASE)
_LONGEST_ENDING = 500  # characters: more than that after the answer is not an ending
# The entities that JSON in HTML needs, the ampersand last. Not html.unescape, which fails on a number of many digits.
_ENTITIES = (("&quot;", '"'), ("&#34;", '"'), ("&apos;", "'"), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


@dataclass(frozen=True)
class Answer:
    """What was found. ``value``: the raw answer, None if there is none. ``object``: the object that held it, if one did.

    ``note`` says in words why there is no value, or how it was found where that is unusual.
    ``cut``: the text ends inside thinking, an object or a fence.
    """

    value: Any = None
    object: Object | None = None
    note: str = ""
    cut: bool = False


@lru_cache(maxsize=4096)
def examples(prompt: str, keys: tuple[str, ...]) -> tuple[Object, ...]:
    """The answer objects that a prompt itself shows: repeated in a response, they answer nothing."""
    return tuple(find(prompt, keys).objects)


def extract(split: Split, keys: tuple[str, ...], truncated: bool = False, ignored: Sequence[Object] = ()) -> Answer:
    """The final answer of a split response.

    ``keys``: normalised names of the answer key, the best first; a lesser one counts only where no object holds a
    better. ``truncated``: the generation is known to have been cut off. ``ignored``: objects that are no answer, such as
    the prompt's example. Thinking that is never closed is searched only if the response ends, uncut, with the answer
    object itself: then the closing tag alone was forgotten.
    """
    if split.unclosed is not None:
        return _after_unclosed(split.unclosed, keys, truncated, ignored)
    text = split.visible
    if "&quot;" in text:
        for entity, sign in _ENTITIES:
            text = text.replace(entity, sign)
    found = find(text, keys)
    cut = found.unclosed is not None or text.count("```") % 2 == 1
    for key in keys:
        for candidate in reversed(found.objects):
            if key in candidate and not _among(candidate, ignored):
                if candidate.conflict:
                    return Answer(note="the answer object gives one key two different values")
                return Answer(candidate[key], candidate, cut=cut)
    explicit = _explicit(_outside(text, found), keys, members=found.broken is None)
    if explicit is not None:
        return Answer(explicit, note="no answer object; an explicit answer in prose was taken", cut=cut)
    return Answer(note="cut off before an answer" if cut or truncated else "no answer object", cut=cut)


def _among(candidate: Object, ignored: Sequence[Object]) -> bool:
    return any(len(candidate) == len(other) and same(candidate, other) for other in ignored)


def _outside(text: str, found: Found) -> str:
    """The text that is in no complete object, up to the first unclosed one."""
    end = len(text) if found.unclosed is None else found.unclosed
    pieces, position = [], 0
    for start, stop in found.spans:
        pieces.append(text[position : min(start, end)])
        position = min(stop, end)
    pieces.append(text[position:end])
    return "\n".join(pieces)


def _after_unclosed(text: str, keys: tuple[str, ...], truncated: bool, ignored: Sequence[Object]) -> Answer:
    lost = Answer(note="thinking was never closed", cut=True)
    text = text.rstrip()
    end = text.rfind("}")
    if truncated or end < 0 or len(text) - end > _LONGEST_ENDING or not _ENDING.fullmatch(text, end + 1):
        return lost
    found = find(text, keys[:1])
    if found.last_end != end + 1 or found.objects[-1].conflict or _among(found.objects[-1], ignored):
        return lost
    last = found.objects[-1]
    return Answer(last[keys[0]], last, note="thinking was never closed, but the response ends with the answer object")


def boxed(split: Split, truncated: bool = False) -> Answer | None:
    """The content of the last ``\\boxed{}`` of a split response; None if it has none.

    One that is never closed is no answer, nor is an older one before it. Thinking that is never closed is searched only
    if the response ends, uncut, with the box itself.
    """
    text = split.visible if split.unclosed is None else split.unclosed.rstrip()
    boxes = deque(_BOXED.finditer(text), maxlen=1)
    if not boxes:
        return None if split.unclosed is None else Answer(note="thinking was never closed", cut=True)
    box = boxes[0]
    content = braced(text, box.end())
    if split.unclosed is not None:
        end = box.end() + len(content or "") + 1
        if truncated or content is None or len(text) - end > _LONGEST_ENDING or not _BOX_ENDING.fullmatch(text, end):
            return Answer(note="thinking was never closed", cut=True)
        return Answer(content, note="thinking was never closed, but the response ends with the box")
    if content is None:
        return Answer(note="the last box is never closed", cut=True)
    return Answer(content, cut=text.count("```") % 2 == 1)


_BOX_ENDING = re.compile(r"(?:[\s`.$*]|\\[\])]|<[|｜][^<>|｜]{0,40}[|｜]>|</s>)*")
_NAMES = {"finalanswer": r"(?:my )?final[ _-]{0,2}answer", "answer": "answer"}


@lru_cache(maxsize=64)
def _line(keys: tuple[str, ...]) -> re.Pattern[str]:
    """A line that gives the answer by name: ``**Final answer:** YES``. ``keys``: normalised names of the answer key.

    "is" may stand for the colon only after the word answer: "Sat is a Saturday" answers nothing.
    """
    names = "|".join(_NAMES.get(key, rf"{re.escape(key)}(?=[^\w\n]{{0,10}}[:=])") for key in keys)
    return re.compile(
        rf"^(?P<before>[^\w\n]{{0,20}})(?:the )?(?:{names})(?P<after>[\"'*_`”’]{{0,6}})[ \t]{{0,4}}"
        r"(?::|=|is\b:?)[ \t]{0,4}(?P<value>.{1,200})$",
        re.IGNORECASE | re.MULTILINE,
    )


_TAGGED = re.compile(r"<answer>(?P<value>[^<>]{1,200})</answer>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s{0,2}\{(?!\s{0,9}\})")
_LAST_BOXES = 50


def _explicit(text: str, keys: tuple[str, ...], members: bool) -> str | None:
    """The last explicit answer of a text, by where it stands.

    ``keys``: what a line may call it. ``members``: whether a line may be a JSON member, ``"final_answer": "YES"``, that
    lost its object. Where an object could not be read it may not: the line may be that object's, which is not repaired
    by halves.
    """
    marks = [
        (line.start(), line["value"])
        for line in _line(keys).finditer(text)
        if members or not any(quote in line["before"] + line["after"] for quote in "\"'”’")
    ]
    marks += [(tag.start(), tag["value"]) for tag in _TAGGED.finditer(text)]
    for box in reversed(list(_BOXED.finditer(text))[-_LAST_BOXES:]):
        content = braced(text, box.end())
        if content is not None:
            marks.append((box.start(), content))
            break
    return max(marks)[1] if marks else None


def braced(text: str, start: int, limit: int = 400) -> str | None:
    """The text from ``start`` (just after an opening brace) to its balancing brace, or None if there is none in ``limit``."""
    depth = 1
    for position in range(start, min(len(text), start + limit)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return None


_WRAPPER = re.compile(r"\\(?:boxed|text|textbf|textit|mathrm|mathbf)\s{0,2}\{(.*)\}", re.DOTALL)
_DECORATION = " \t\r\n*_~`\"'“”‘’$<>()[]{}.!,;\u00a0\u200b\ufeff"


@dataclass(frozen=True)
class Labels:
    """The labels of an answer. ``words``: what stands for each, in lower case. ``leading``: the words that may also begin
    a sentence that goes on, as in "Yes, A is before D."; in it no word of another label may follow."""

    words: Mapping[str, tuple[str, ...]]
    leading: tuple[str, ...]

    @cached_property
    def of(self) -> dict[str, str]:
        """Word to label."""
        return {word: name for name, words in self.words.items() for word in words}

    @cached_property
    def sentence(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What matches a leading word and the sign after it; what finds every such word."""
        some = "|".join(sorted(self.leading, key=len, reverse=True))
        return re.compile(rf"({some})\s*[,.;:!(\n–—-]", re.IGNORECASE), re.compile(rf"\b({some})\b", re.IGNORECASE)


def label(value: Any, labels: Labels) -> str | None:
    """The label that a value means, or None if that is not clear.

    A list of one and decoration count, and so does a leading word that the rest does not contradict. "YES or NO",
    "not yes" and anything else do not. True and False mean what the words "true" and "false" do.
    """
    if isinstance(value, bool):
        value = str(value)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        return label(value[0], labels)
    if not isinstance(value, str) or len(value) > 2000:
        return None
    while wrapped := _WRAPPER.search(value):
        value = wrapped[1]
    text = value.strip(_DECORATION)
    if plain := labels.of.get(text.casefold()):
        return plain
    begins, any_word = labels.sentence
    leading = begins.match(text)
    if leading and len({labels.of[word.casefold()] for word in any_word.findall(text)}) == 1:
        return labels.of[leading[1].casefold()]
    return None
