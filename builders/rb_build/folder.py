"""Write a release folder so that it is never half there under its own name.

All files are first written to a hidden sibling folder and flushed to disk. A new folder then appears by one rename. Into
a folder that exists, files move one by one, the manifest last: until then the folder fails its own check.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

from rb_build.errors import UnusableRecipe

LAST = "manifest.json"


def write(target: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` (relative path to bytes) as the folder ``target``. Raises UnusableRecipe if the disk refuses."""
    try:
        _refuse_links(target, files)
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


def _refuse_links(target: Path, files: Iterable[str]) -> None:
    """Links inside a release folder may lead anywhere; the folder itself may be one, which its owner made."""
    inside = {target.joinpath(*parts[:depth]) for parts in map(_parts, files) for depth in range(1, len(parts))}
    for folder in sorted(inside):
        if folder.is_symlink():
            raise UnusableRecipe(
                f"{folder}: is a link, and nothing is written through one; remove it, or choose another folder"
            )


def _parts(name: str) -> tuple[str, ...]:
    return PurePosixPath(name).parts


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
    if not path.is_file():
        return None
    seen = sha256()
    with path.open("rb") as stream:
        while some := stream.read(2**20):
            seen.update(some)
    return seen.hexdigest()
