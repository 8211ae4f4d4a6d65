"""Open a file of predictions, whoever wrote it, as a stream of units: lines, or samples of an Inspect log.

What a file is, its bytes say and never its name: gzip, zstd, a zip archive (an Inspect ``.eval`` log), one JSON document
(an Inspect ``.json`` log), and else lines, split at LF bytes only, so U+2028 and the like inside a string stay there.
A unit is raw bytes, for another process to read (``formats.parse_unit``). Memory does not grow with the file.

zstd, alone and inside a zip archive, is read by the standard library of Python 3.14 or its backport, which tell a stream
that is cut from one that has ended. A JSON log is read value by value with the standard parser, since Inspect
writes NaN, which streaming parsers refuse.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from rb_verify.errors import UnusableInput
from rb_verify.files import State, state

MAX_UNIT = 2**26  # bytes of a line or sample, a hundred times a long response: a small file can unpack to a line that no
# memory holds, and JSON takes up to twenty times its bytes once it is parsed
_HEAD = 2**16  # bytes that tell what a stream is
_CHUNK = 2**18
_PIECE = 2**12  # of a member: all that unpacks from as many bytes is held at once
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"PK\x03\x04", b"PK\x05\x06")
_BOM = b"\xef\xbb\xbf"

Units = Iterator[tuple[int, bytes]]


class _Damaged(Exception):
    """What a file's bytes cannot be read on from."""


@contextmanager
def open_units(path: str) -> Iterator[Units]:
    """(number, bytes) of each unit: a line that is not blank, by its number, or an Inspect sample, counted from 1.

    ``path``: of a file, or ``-`` for standard input. Raises UnusableInput if the file cannot be opened, and, where the
    trouble is met, if it is cut, damaged or no log.
    """
    with ExitStack() as stack:
        try:
            raw: BinaryIO = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UnusableInput(f"{path}: cannot be read ({reason}); name a predictions file or - for standard input") from None
        yield _guarded(path, raw)


def _guarded(path: str, raw: BinaryIO) -> Units:
    """The units of a file; UnusableInput says how far they could be read."""
    word, number = "line", 0
    try:
        before = _state(raw)
        word, units = _told_apart(raw)
        for number, unit in units:
            yield number, unit
        if _state(raw) != before or (before is not None and path != "-" and state(Path(path)) != before):
            raise _Damaged("it was written or replaced meanwhile")
    except (OSError, EOFError, _Damaged) as error:
        reason = str(error) or type(error).__name__
        raise UnusableInput(f"{path}: reading failed after {word} {number} ({reason}); make the file whole again") from None
    if word == "sample" and not number:
        raise UnusableInput(f"{path}: holds no samples of an Inspect log; name a log of a run, with its samples")


def _state(raw: BinaryIO) -> State | None:
    """The state of an open file, so that what was scored is one file as it was at one time; None of a pipe."""
    try:
        return state(raw.fileno())
    except OSError:
        return None  # a stream in memory


def _told_apart(raw: BinaryIO) -> tuple[str, Units]:
    """What the units are called, and the units."""
    stream = _Headed(raw)
    if stream.head.startswith(_GZIP):
        stream = _Headed(gzip.GzipFile(fileobj=stream.whole), zlib.error)
    elif stream.head.startswith(_ZSTD):
        zstd = _zstd()
        stream = _Headed(zstd.ZstdFile(stream.whole), zstd.ZstdError)
    elif stream.head.startswith(_ZIP) and raw.seekable():
        return "sample", _members(raw)
    if stream.head.startswith(_ZIP):
        return "sample", _spooled(stream.whole)
    if _is_log(stream.head):
        return "sample", _samples(stream.whole)
    return "line", _lines(stream.whole)


class _Headed(io.RawIOBase):
    """A stream whose first bytes, ``head``, are known before it is read as a ``whole``.

    ``failure``: what reading raises where the stream is damaged; _Damaged is raised instead.
    """

    def __init__(self, stream: Any, failure: type[Exception] = EOFError) -> None:
        self._stream, self._failure = stream, failure
        self.head = self._waiting = self._read(_HEAD)
        self.whole = io.BufferedReader(self, _HEAD)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._waiting[: len(buffer)] or self._read(len(buffer))
        self._waiting = self._waiting[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def _read(self, size: int) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except self._failure as error:
            raise _Damaged(str(error)) from None


def _lines(stream: BinaryIO) -> Units:
    for number, line in enumerate(iter(partial(stream.readline, MAX_UNIT), b""), 1):
        if len(line) == MAX_UNIT:
            raise _Damaged(f"the next is longer than {MAX_UNIT} bytes")
        if number == 1:
            line = line.removeprefix(_BOM)
        line = line.strip(b" \t\r\n")
        if line:
            yield number, line


def _zstd() -> Any:
    return _library("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UnusableInput("reading zstd and Inspect .eval needs backports.zstd; pip install 'backports.zstd'") from None


def _spooled(stream: BinaryIO) -> Units:
    """The samples of an archive that is no file: its directory is at its end, so all of it is kept in one first."""
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(stream, file, _CHUNK)
        yield from _members(cast(BinaryIO, file))


def _members(file: BinaryIO) -> Units:
    """The samples of an Inspect ``.eval`` log, in the archive's order. Of members with one name the last counts."""
    zstd = _zstd()
    zipfile = _library("zipfile" if sys.version_info >= (3, 14) else "backports.zstd.zipfile")
    # NotImplementedError and RuntimeError: a compression or an encryption that is not known
    failures = (zipfile.BadZipFile, zlib.error, zstd.ZstdError, EOFError, ValueError, NotImplementedError, RuntimeError)
    try:
        archive = zipfile.ZipFile(file)
    except failures as error:
        raise _Damaged(str(error)) from None
    with archive:
        members = {member.filename: member for member in archive.infolist()}
        samples = [member for name, member in members.items() if name.startswith("samples/") and name.endswith(".json")]
        for number, member in enumerate(samples, 1):
            name = ascii(member.filename)
            if member.file_size > MAX_UNIT:
                raise _Damaged(f"{name} is longer than {MAX_UNIT} bytes")
            try:
                with archive.open(member) as packed:
                    unit = b"".join(iter(partial(packed.read, _PIECE), b""))
            except failures as error:
                raise _Damaged(f"{name}: {error}") from None
            if len(unit) != member.file_size:
                raise _Damaged(f"{name} is cut")
            yield number, unit


_KEY = re.compile(r'\s*[{,]\s*"([^"\\]*)"\s*:\s*')
_OF_LINES = frozenset({"id", "custom_id", "doc", "response"})


def _is_log(head: bytes) -> bool:
    """Whether a stream is one Inspect log: its top object holds ``eval``, and nothing that a line of predictions holds."""
    text = head.removeprefix(_BOM).decode("utf-8", "replace")
    keys: set[str] = set()
    at = 0
    while key := _KEY.match(text, at):
        keys.add(key[1])
        try:
            _, at = _DECODER.raw_decode(text, key.end())
        except (ValueError, RecursionError):  # the value goes on behind the head, or is none
            break
    return "eval" in keys and not keys & _OF_LINES


_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_NEAR = 16  # characters: an error so near to the end of what is read may only be a cut


class _Document:
    """The text of a JSON document, of which only as much is held as the next value needs. Raises _Damaged."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._ended = "", 0, False

    def sign(self, *expected: str) -> str:
        """Take the next character but white space, which must be an expected one; "" is the end of the text."""
        found = self.next()
        if found not in expected:
            wanted = " or ".join(repr(sign) if sign else "the end" for sign in expected)
            raise _Damaged(f"is no whole JSON document: {wanted} is missing")
        self._at += len(found)
        return found

    def next(self) -> str:
        """The next character but white space, "" at the end of the text."""
        while True:
            self._at = cast(re.Match[str], _SPACE.match(self._text, self._at)).end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def value(self) -> tuple[Any, str]:
        """Take the next value; the value and its text."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:
                    text = self._text[self._at : end]
                    self._at = end
                    return value, text
            except RecursionError:
                raise _Damaged("the next value is nested too deeply") from None
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos > len(self._text) - _NEAR
                if self._ended or not cut:
                    raise _Damaged(f"is no whole JSON document: {error.msg}") from None
            except ValueError as error:  # a number of more digits than Python reads
                raise _Damaged(str(error)) from None
            if len(self._text) - self._at > MAX_UNIT:
                raise _Damaged(f"the next value is longer than {MAX_UNIT} characters")
            self._more()

    def _more(self) -> None:
        """Read as much again as is held, so that a long value is parsed few times."""
        held = self._text[self._at :]
        data = self._stream.read(max(_CHUNK, len(held)))
        self._ended = not data
        try:
            self._text, self._at = held + self._utf8.decode(data, self._ended), 0
        except UnicodeDecodeError:
            raise _Damaged("is not UTF-8") from None


def _samples(stream: BinaryIO) -> Units:
    """The entries of ``samples`` in an Inspect ``.json`` log."""
    document = _Document(stream)
    number = 0
    document.sign("{")
    while document.next() != "}":
        key, _ = document.value()
        document.sign(":")
        if key == "samples" and document.next() == "[":
            document.sign("[")
            while document.next() != "]":
                _, text = document.value()
                number += 1
                yield number, text.encode()
                if document.next() != "]":
                    document.sign(",", "]")
            document.sign("]")
        else:
            document.value()
        if document.next() != "}":
            document.sign(",", "}")
    document.sign("}")
    document.sign("")
