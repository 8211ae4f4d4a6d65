"""Write files so that each appears under its name only when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rb_verify.errors import UnusableInput


@contextmanager
def written(path: Path, cure: str = "name another file") -> Iterator[IO[str]]:
    """A stream of text into a file that takes its place at the end. Raises UnusableInput, with the ``cure``, if it cannot."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        partial.replace(path)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written ({error.strerror}); {cure}") from None
    finally:
        if partial.is_file():
            partial.unlink()
