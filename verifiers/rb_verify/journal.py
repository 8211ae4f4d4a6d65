"""JSON Lines that grow by whole lines, so that work which is paid for is there once and only once, however often it is killed.

Beside the file, ``FILE.about.json`` says what its lines are of; who goes on must ask for the same. A last line that was cut
off by a kill is taken away: what it was of will be done again. One process at a time may write.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

from rb_verify.errors import UnusableInput
from rb_verify.files import is_stream, written
from rb_verify.files import read as read_bytes
from rb_verify.sources import MAX_UNIT

Key = Callable[[dict[str, Any]], Hashable]


class Journal:
    """A file that is being written. ``done``: the keys of the lines that it has."""

    def __init__(self, stream: FileIO, key: Key, done: set[Hashable]) -> None:
        self.done = done
        self._stream, self._key = stream, key

    def add(self, record: dict[str, Any]) -> None:
        """Append a line. Raises UnusableInput if the disk refuses it."""
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            while line:
                line = line[self._stream.write(line) :]
        except OSError as error:
            raise UnusableInput(
                f"{self._stream.name}: cannot be written ({error.strerror}); make room, and run again"
            ) from None
        self.done.add(self._key(record))


@contextmanager
def journal(path: Path, about: dict[str, Any], key: Key) -> Iterator[Journal]:
    """Open a journal, or go on with one.

    ``about``: what its lines are of, a JSON object. ``key``: what a line is there once for; KeyError or TypeError if it is no
    such line. Raises UnusableInput if the file is of something else, is damaged, or is being written by another process.
    """
    if is_stream(path):
        raise UnusableInput(f"{path}: is a device or a pipe, and keeps nothing to go on from; name a file")
    try:
        stream = path.open("a+b", buffering=0)  # so that nothing is left to be written at the end, by a disk that is full
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written ({error.strerror}); name another file") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UnusableInput(f"{path}: is being written by another process; wait for it, or name another file") from None
        _check(path, about)
        done, whole = _done(path, key)
        os.ftruncate(stream.fileno(), whole)
        yield Journal(stream, key, done)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a journal."""
    with path.open("rb") as stream:
        yield from map(json.loads, stream)


def _check(path: Path, about: dict[str, Any]) -> None:
    """What the file is of must be what is asked for; of an empty one it is noted."""
    beside = path.with_name(f"{path.name}.about.json")
    if path.stat().st_size == 0:
        with written(beside) as stream:
            stream.write(json.dumps(about, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        return
    try:
        there = json.loads(read_bytes(beside))
    except (OSError, ValueError, RecursionError):
        raise UnusableInput(f"{path}: exists, and no {beside.name} tells what it is of; name another file") from None
    there = there if isinstance(there, dict) else {}
    wanted = json.loads(json.dumps(about))
    for name in sorted(there.keys() | wanted.keys()):
        if there.get(name) != wanted.get(name):
            told = f"{name} {json.dumps(there.get(name))}, not {json.dumps(wanted.get(name))}"
            raise UnusableInput(f"{path}: was made with {told[:300]}; ask as before, or name another file")


def _done(path: Path, key: Key) -> tuple[set[Hashable], int]:
    """The keys of the whole lines there are, and how many bytes those are: a last line without its end is none."""
    done: set[Hashable] = set()
    whole = 0
    with path.open("rb") as stream:
        for number, line in enumerate(iter(partial(stream.readline, MAX_UNIT), b""), 1):
            if len(line) == MAX_UNIT:
                raise UnusableInput(f"{path}: line {number} is longer than {MAX_UNIT} bytes; remove that line, and run again")
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            try:
                found = key(json.loads(line))
                again = found in done
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                raise UnusableInput(f"{path}: line {number} is damaged; remove that line, and run again") from None
            if again:
                raise UnusableInput(f"{path}: line {number} repeats an earlier one; remove it, and run again")
            done.add(found)
    return done, whole
