"""Read and write files with care: what is written appears under its name only when it is whole, what is read has an end.

Nothing is written through a link, which may lead anywhere: it is refused. A device or a pipe has no whole, and is written
straight. What is read for its meaning has a bound, since a stranger's file may be larger than any memory.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from rb_verify.errors import UnusableInput

MAX_DOCUMENT = 2**28  # bytes of a manifest or recipe: some ten times what one of a million rows has


class _Text(io.TextIOWrapper):
    """A stream of text whose failures name its file, since several may be written at once."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            error.filename = self.name  # a number, if it has none
            raise


@contextmanager
def written(path: Path, cure: str = "name another file") -> Iterator[IO[str]]:
    """A stream of text into a file that takes its place at the end. Raises UnusableInput, with the ``cure``, if it cannot."""
    if path.is_symlink() and not is_stream(path):
        raise UnusableInput(f"{path}: is a link, and nothing is written through one; {cure}")
    place = path if is_stream(path) else path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with _Text(place.open("wb"), encoding="utf-8", newline="\n") as stream:
            yield stream
        if place != path:
            place.replace(path)
    except OSError as error:
        if error.filename not in (None, str(place)):
            raise  # it is of another file
        raise UnusableInput(f"{path}: cannot be written ({error.strerror}); {cure}") from None
    finally:
        if place != path:
            place.unlink(missing_ok=True)


def is_stream(path: Path) -> bool:
    """Whether a path leads to a device or a pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


@contextmanager
def scratch() -> Iterator[IO[str]]:
    """A temporary file of text, to write and then to read. Raises UnusableInput if there is no room for it."""
    try:
        with TemporaryFile("wb+") as file, _Text(file, encoding="utf-8", newline="\n") as stream:
            yield stream
    except OSError as error:
        if error.filename is not None and not isinstance(error.filename, int):
            raise  # it is of another file
        raise UnusableInput(
            f"temporary files cannot be written ({error.strerror}); free some space, or name a folder with $TMPDIR"
        ) from None


class TooLarge(OSError):
    """A file that has more bytes than are read of it."""


def read(path: Path, most: int = MAX_DOCUMENT) -> bytes:
    """The bytes of a file. Raises OSError; TooLarge for one of more than ``most`` bytes, such as a device without end."""
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise TooLarge(errno.EOVERFLOW, f"larger than {most} bytes", str(path))
    return data


class State(NamedTuple):
    """What changes when a file does: which file it is, its size, and when it was written last."""

    device: int
    inode: int
    size: int
    written: int


def state(file: Path | int) -> State | None:
    """The state of a file, by its path or descriptor; None if it is no regular file, or gone."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
