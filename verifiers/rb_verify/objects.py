"""Find JSON objects in text written by a model, forgivingly and in linear time.

Strict JSON is read by the standard library. What it refuses is read again by a small iterative parser that also
takes smart or single quotes, trailing commas, comments, unquoted names and Python's True, False and None. An object
that never closes is never completed: it is not an answer. Keys are normalised (case and separators dropped), and an
object that gives one key two different values is marked as conflicting.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


class Object(dict[str, Any]):
    """A parsed object with normalised keys. ``conflict``: a key, here or below, was given two different values.
    ``given``: its members in order, each with its key as written."""

    conflict = False
    given: Sequence[tuple[str, Any]] = ()


@dataclass(frozen=True)
class Found:
    """What ``find`` saw. ``objects``: those that hold a wanted key, in order of their ends. ``spans``: (start, end) of
    each complete outermost object, wanted or not. ``last_end``: the end of the span that the last of ``objects`` is
    in, -1 if it is in none. ``broken``: where the first object that cannot be read starts; ``unclosed``: the same of
    those that the text's end cut off."""

    objects: list[Object]
    spans: list[tuple[int, int]]
    last_end: int
    broken: int | None
    unclosed: int | None


@lru_cache(maxsize=4096)
def _normal(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).casefold()


def normal_key(key: str) -> str:
    """A key without case, spaces, hyphens and underscores: ``Final Answer``, ``final_answer``: ``finalanswer``."""
    return _normal(key) if len(key) <= 64 else key


def _object(pairs: Sequence[tuple[str, Any]]) -> Object:
    result = Object()
    result.given = pairs
    for key, value in pairs:
        key = normal_key(key)
        if key in result and not same(result[key], value):
            result.conflict = True
        result[key] = value
        if type(value) is not str and _conflicting(value):
            result.conflict = True
    return result


def _conflicting(value: Any) -> bool:
    if isinstance(value, Object):
        return value.conflict
    # A list's members are objects or scalars; deeper lists hold no steps, so they are not searched.
    return isinstance(value, list) and any(isinstance(item, Object) and item.conflict for item in value)


def same(a: Any, b: Any) -> bool:
    """Whether two parsed values are equal; values nested too deeply to compare are not."""
    try:
        return bool(a == b)
    except RecursionError:
        return False


def shown(value: Any, length: int = 60) -> str:
    """The beginning of a value as a message quotes it."""
    return repr(as_text(value)[:length])


def as_text(value: Any) -> str:
    """A value as text; of one nested too deeply to print, its beginning."""
    try:
        return str(value)
    except RecursionError:
        return "[[[..." if isinstance(value, list) else "{{{..."


_STRICT = json.JSONDecoder(object_pairs_hook=_object, strict=False, parse_int=str, parse_float=str)

# The standard library counts the lines before each error, so it is asked only this often about one text.
_STRICT_FAILURES = 10

# A brace that can open an object worth reading: a first key and its colon, or a comment, follow. Bounded look-ahead.
_QUOTED = r'"[^"{}]{0,80}"|\'[^\'{}]{0,80}\'|[“”„][^“”„{}]{0,80}[“”]|[‘’‚][^‘’‚{}]{0,80}[‘’]'
_BLANK = r"[\s\u200b\u2060\ufeff]"
_START = re.compile(
    rf"\{{(?={_BLANK}{{0,200}}(?:(?:{_QUOTED}|[A-Za-z_][\w-]{{0,80}}(?: [\w-]{{1,80}})?){_BLANK}{{0,200}}:|//|/\*|\#))"
)


def find(text: str, keys: Iterable[str]) -> Found:
    """Every complete object of ``text`` that holds one of ``keys`` (normalised) directly, inside at most one wrapper.

    An object inside two or more is too deep to be an answer and is left out. Linear in ``len(text)``.
    """
    wanted = frozenset(keys)
    objects: list[Object] = []
    spans: list[tuple[int, int]] = []
    last_end, unclosed = -1, None
    lenient = _Lenient(text, wanted)
    broken, failures, position = None, 0, 0
    while start := _START.search(text, position):
        begin = start.start()
        try:
            if failures >= _STRICT_FAILURES:
                raise ValueError
            value, position = _STRICT.raw_decode(text, begin)
            complete, new = True, _answers(value, wanted)
        except (RecursionError, ValueError):
            failures += 1
            result = lenient.parse(begin)
            position, complete, new = result.end, result.complete, result.found
            if result.unclosed and unclosed is None:
                unclosed = begin
        if complete:
            spans.append((begin, position))
        elif broken is None:
            broken = begin
        if new:
            objects += new
            last_end = position if complete else -1
    return Found(objects, spans, last_end, broken, unclosed)


def _answers(value: Object, wanted: frozenset[str]) -> list[Object]:
    """An object and those inside it, as far as they hold a wanted key, in order of their ends."""
    inside = [inner for inner in value.values() if isinstance(inner, Object)]
    return [each for each in (*inside, value) if not wanted.isdisjoint(each)]


_SPACE = re.compile(rf"{_BLANK}+")
_SOLID = frozenset("\"'{}[],:" + string.ascii_letters + string.digits)  # begin neither white space nor a comment
# What ends a string, by the quote that begins it.
_ENDS = {'"': re.compile('"'), "'": re.compile("'")}
_ENDS |= dict.fromkeys("“”„", re.compile("[“”]")) | dict.fromkeys("‘’‚", re.compile("[‘’]"))
_MEMBER = re.compile(r'"([^"\\]*)"\s*:\s*"([^"\\]*)"')  # the usual one, which is read at once
_WORD = re.compile(r"[\w.+-][\w.+|-]*(?: [A-Za-z]\w*)?")
_LITERALS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_MAX_DEPTH = 50


def _unescape(body: str) -> str:
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(
        lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else _ESCAPED.get(m[1], m[1]),
        body,
    )
    # Two escapes may be the halves of one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _Stop(Exception):
    """Parsing cannot go on. ``unclosed``: because the text ended."""

    def __init__(self, position: int, unclosed: bool = False) -> None:
        self.position, self.unclosed = position, unclosed


@dataclass(frozen=True)
class _Result:
    found: list[Object]
    end: int
    complete: bool = True
    unclosed: bool = False


class _Lenient:
    """The forgiving parser of one text. Containers are kept on a list, so depth costs no recursion.

    After a failure the search goes on from the place of the failure: every object that began before it was either
    completed or open there, and an open one would fail at that same place, so nothing is read twice.
    """

    def __init__(self, text: str, wanted: frozenset[str]) -> None:
        self.text = text
        self.wanted = wanted
        self.never_closed: set[re.Pattern[str]] = set()  # a kind of string once unclosed stays so to the end
        self.last_comment_end = text.rfind("*/")

    def parse(self, begin: int) -> _Result:
        completed: list[tuple[int, Object]] = []
        try:
            end = self._read(begin, completed)
        except _Stop as stop:
            return _Result([o for _, o in completed], max(stop.position, begin + 1), False, stop.unclosed)
        return _Result([o for depth, o in completed if depth <= 1], end)

    def _read(self, begin: int, completed: list[tuple[int, Object]]) -> int:
        """Read the object at ``begin``; record (depth, object) of each that holds a wanted key; return its end."""
        # Each open container is [its items so far, the key that waits for a value]: pairs for objects.
        stack: list[list[Any]] = []
        position, value, have = begin, None, False
        while True:
            if not have:
                position = self._skip(position)
                opener = self._at(position)
                if opener in "{[":
                    if len(stack) >= _MAX_DEPTH:
                        raise _Stop(position + 1)
                    stack.append([opener, [], None])
                    position += 1
                else:
                    value, position = self._scalar(position)
                    have = True
            if have:
                _, items, key = stack[-1]
                items.append((key, value) if stack[-1][0] == "{" else value)
                have = False
                position = self._skip(position)
                if self._at(position) == ",":
                    position += 1
                elif self._at(position) not in "}]":
                    raise _Stop(position)
            # A container was just opened, or a comma or its end follows a value.
            position = self._skip(position)
            kind, items, _ = stack[-1]
            if self._at(position) == ("}" if kind == "{" else "]"):
                position += 1
                stack.pop()
                value = _object(items) if kind == "{" else items
                have = True
                if isinstance(value, Object) and not self.wanted.isdisjoint(value):
                    completed.append((len(stack), value))
                if not stack:
                    return position
            elif kind == "{":
                if plain := _MEMBER.match(self.text, position):
                    (stack[-1][2], value), position, have = plain.groups(), plain.end(), True
                    continue
                name, position = self._scalar(position)
                position = self._skip(position)
                if not isinstance(name, str) or self._at(position) != ":":
                    raise _Stop(position)
                stack[-1][2] = name
                position += 1

    def _at(self, position: int) -> str:
        if position >= len(self.text):
            raise _Stop(position, unclosed=True)
        return self.text[position]

    def _skip(self, position: int) -> int:
        """The position after white space and comments."""
        text = self.text
        if text[position : position + 1] in _SOLID:  # the usual case
            return position
        while True:
            if blank := _SPACE.match(text, position):
                position = blank.end()
            if text.startswith(("//", "#"), position):
                end = text.find("\n", position)
                position = len(text) if end < 0 else end
            elif text.startswith("/*", position):
                if self.last_comment_end < position + 2:
                    raise _Stop(position + 2, unclosed=True)
                position = text.find("*/", position + 2) + 2
            else:
                return position

    def _scalar(self, position: int) -> tuple[Any, int]:
        quote = self._at(position)
        if quote in _ENDS:
            end = self._string_end(_ENDS[quote], position + 1)
            return _unescape(self.text[position + 1 : end]), end + 1
        word = _WORD.match(self.text, position)
        if word is None:
            raise _Stop(position)
        return _LITERALS.get(word[0], word[0]), word.end()

    def _string_end(self, ends: re.Pattern[str], start: int) -> int:
        """Where the string that begins at ``start`` ends: at the first quote after an even number of backslashes.

        A double quote that nothing closes makes the rest of the text its string, in which there is no answer. Other
        quotes may be an apostrophe in prose, so reading goes on after them.
        """
        position = start
        while ends not in self.never_closed and (quote := ends.search(self.text, position)):
            backslashes = quote.start()
            while backslashes > start and self.text[backslashes - 1] == "\\":
                backslashes -= 1
            if (quote.start() - backslashes) % 2 == 0:
                return quote.start()
            position = quote.end()
        self.never_closed.add(ends)
        raise _Stop(len(self.text) if self.text[start - 1] == '"' else start, unclosed=True)
