"""Sealed seeds: commit to a fresh split before anyone sees it, and prove later that what was published is that split.

What is sealed is the whole recipe; the commitment is the SHA-256 of its recipe.json, so that anyone can check it with
``sha256sum``. The seed is text with a salt, 256 random bits. Rows are drawn from both: so neither the commitment nor the mark
in published ids can be tried against likely seeds.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from rb_build import recipe
from rb_build.errors import UnusableRecipe
from rb_build.recipe import Map, Recipe
from rb_build.release import Compiled, compile_release, first_difference
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch
from rb_verify.release import read_file, read_manifest

_SALTED = re.compile(r".* [0-9a-f]{64}", re.DOTALL)


def salted(seed: str | None) -> str:
    """A secret seed with its salt. ``seed``: its text; None for one that nobody has chosen."""
    return f"{secrets.token_hex(16) if seed is None else seed} {secrets.token_hex(32)}"


def is_sealed(seed: str) -> bool:
    """Whether a seed has a salt, so that nobody can guess it."""
    return _SALTED.fullmatch(seed) is not None


def commitment(sealed: Recipe) -> str:
    """What binds to a recipe, seed and salt in it, before they are told: the SHA-256 of its recipe.json."""
    return canonical.digest(sealed.source)


def seal(path: Path, sealed: Recipe) -> None:
    """Write a recipe whose seed is secret to a new file that only its owner can read. Raises UnusableRecipe."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(handle, "wb") as stream:
                stream.write(sealed.source)
                stream.flush()
                os.fsync(stream.fileno())
        except BaseException:
            path.unlink()  # half a secret would be taken for one
            raise
    except OSError as error:
        raise UnusableRecipe(f"{path}: cannot be written ({error.strerror}); name another file") from None


def opened(path: Path) -> Recipe:
    """The recipe in a seed file. Raises UnusableRecipe if it is none of a sealed seed."""
    sealed = recipe.read(path)
    if not is_sealed(sealed.seed):
        raise UnusableRecipe(f"{path}: its seed has no salt, so it is not sealed; let rb-build commit make a new file")
    return sealed


def reveal(sealed: Recipe, promised: str, published: Path, run: Map) -> Compiled:
    """The release that a sealed recipe gives, proved to be what was committed to and what was published.

    ``promised``: the commitment; ``published``: the folder of the blind split, or of the release itself. Raises
    ReleaseMismatch where any of them disagree.
    """
    from rb_build.blind import blind, rows_of

    if promised != commitment(sealed):
        raise ReleaseMismatch(f"the seed file gives commitment {commitment(sealed)}, not {promised}; it is not what was sealed")
    told = read_manifest(published)
    for path in told["files"]:
        read_file(published, told, path)
    compiled = compile_release(sealed, run)
    same = compiled
    if "blind" in told:
        config = next(iter(told["configs"]), "default")
        same = blind(sealed, compiled.manifest, rows_of(compiled, config), config)
    if difference := first_difference(told, same):
        raise ReleaseMismatch(f"{published}: is not the split that the seed file gives ({difference})")
    return compiled
