"""Write a release folder so that it is never half there under its own name.

All files are first written to a hidden sibling folder and flushed to disk. A new folder then appears by one rename. Into
a folder that exists, files move one by one, the manifest last: until then the folder fails its own check.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rb_build.errors import UnusableRecipe
from rb_verify import canonical

LAST = "manifest.json"


def write(target: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` (relative path to bytes) as the folder ``target``. Raises UnusableRecipe if the disk refuses."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent))
        try:
            for name, data in files.items():
                _write_file(temporary / name, data)
            temporary.chmod(0o755)
            if target.is_dir():
                for name in sorted(files, key=lambda name: name == LAST):
                    (target / name).parent.mkdir(parents=True, exist_ok=True)
                    (temporary / name).replace(target / name)
                for folder in {(target / name).parent for name in files}:
                    _flush_folder(folder)
            else:
                temporary.rename(target)
            _flush_folder(target.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise UnusableRecipe(f"{target}: cannot be written ({error.strerror}); choose another folder") from None


def _write_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest_of(path: Path) -> str | None:
    """The SHA-256 of a file; None if there is none."""
    return canonical.digest(path.read_bytes()) if path.is_file() else None
