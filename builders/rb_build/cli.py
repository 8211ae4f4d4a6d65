"""The command rb-build. Exit codes: 0 done; 2 unusable recipe, folder or arguments; 3 a release is not what its manifest
or recipe says, or an internal error."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rb_build import __version__
from rb_verify import console

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
CORES = os.cpu_count() or 1
Workers = Annotated[int, typer.Option(min=1, help="Processes. The bytes do not depend on it.")]


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=lambda v: _version(v), help="Print the version.")
    ] = False,
) -> None:
    """Build, freeze and check releases of reasoning benchmarks."""


def _version(asked: bool) -> None:
    if asked:
        print(f"rb-build {__version__}")
        raise typer.Exit


def _releases() -> Path:
    return Path(os.environ.get("RB_RELEASES", "releases"))


@app.command()
def freeze(
    recipe: Annotated[Path, typer.Argument(help="A recipe file.")],
    workers: Workers = CORES,
) -> None:
    """Build a recipe and freeze it as releases/NAME/VERSION. What is frozen is never overwritten."""
    with console.failures("rb-build"):
        from rb_build import recipe as recipes
        from rb_build.errors import UnusableRecipe

        parsed = recipes.read(recipe)
        target = _releases() / parsed.dataset / parsed.version
        if (target / "manifest.json").exists():
            raise UnusableRecipe(f"{target}: is frozen already; give the recipe a new version")
        compiled = _compile(parsed, workers)
        _write(target, parsed, compiled)
        _say(target, compiled.manifest)


@app.command()
def build(
    release: Annotated[str, typer.Argument(metavar="NAME@VERSION|RECIPE", help="A frozen release, or any recipe file.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write. Default for a frozen release: releases/NAME/VERSION.")
    ] = None,
    workers: Workers = CORES,
) -> None:
    """Build a release. A frozen one must come out byte for byte as its manifest says, or nothing is written."""
    with console.failures("rb-build"):
        import json

        from rb_build import recipe as recipes
        from rb_build.errors import Drift, UnusableRecipe
        from rb_build.release import first_difference

        lock = _lock(release)
        parsed = recipes.read(lock / "recipe.json" if lock.is_dir() else lock)
        frozen_at = (lock if lock.is_dir() else lock.parent) / "manifest.json"
        is_frozen = frozen_at.is_file() and (lock.is_dir() or lock.name == "recipe.json")
        if out is None and not is_frozen:
            raise UnusableRecipe(f"{release}: is not frozen, so it has no place of its own; name one with --out")
        target = out or _releases() / parsed.dataset / parsed.version
        compiled = _compile(parsed, workers)
        if is_frozen and (difference := first_difference(json.loads(frozen_at.read_bytes()), compiled)):
            raise Drift(f"{parsed.dataset}@{parsed.version}: {difference}; a change of bytes needs a new version")
        _refuse_other(target, compiled.manifest)
        _write(target, parsed, compiled)
        _say(target, compiled.manifest)


def _lock(release: str) -> Path:
    """The recipe file, or the folder of the frozen release, that an argument names."""
    from rb_build import resources
    from rb_build.errors import UnusableRecipe

    if "@" not in release or Path(release).exists():
        return Path(release)
    name, _, version = release.partition("@")
    if not re.fullmatch(r"[a-z0-9]+@[0-9.]+", release):
        raise UnusableRecipe(f"{release}: is no NAME@VERSION; write it like tracebench@1.0.0")
    places = [place / name / version for place in (_releases(), resources.path("releases"))]
    for place in places:
        if (place / "manifest.json").is_file():
            return place
    raise UnusableRecipe(f"{release}: is frozen neither in {places[0]} nor in {places[1]}; freeze it, or name a recipe file")


def _refuse_other(target: Path, manifest: dict[str, Any]) -> None:
    """Never write over anything but this very release, or into an empty folder."""
    import json

    from rb_build.errors import UnusableRecipe

    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    there = target / "manifest.json"
    try:
        same = json.loads(there.read_bytes())["content_digest"] == manifest["content_digest"]
    except (OSError, ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise UnusableRecipe(f"{target}: exists and is not this release; name an empty or new folder with --out")


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    workers: Workers = CORES,
) -> None:
    """Check a release: checksums, the schema of every row, every gold label by the oracle, manifest and card."""
    with console.failures("rb-build"):
        from rb_build import release as releases

        with releases.workers(workers) as run:
            faults = releases.check(folder, run)
        for fault in faults:
            print(fault)
        if faults:
            console.stop("rb-build", f"{folder}: {len(faults)} faults; build or download the release again", console.UNSOUND)
        print(f"{folder}: sound; every checksum, schema and gold label holds")


@app.command()
def gold(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    config: Annotated[str, typer.Option(help="Which config's test rows.")] = "default",
) -> None:
    """Print a perfect submission: the gold proof and answer of every row, as JSON Lines."""
    with console.failures("rb-build"):
        from rb_verify import canonical
        from rb_verify.release import load

        release = load(folder, config)
        for row in release.rows:
            print(canonical.dumps({"id": row["id"], "response": release.scorer.perfect(row)}))


_SHOWN = 20  # units whose notes are printed; more would fill the screen


def _compile(parsed: Any, number: int) -> Any:
    from rb_build.release import compile_release, workers

    with workers(number) as run, console.progress("units built") as advance:

        def watched(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
            for item in run(function, items):
                advance(1)
                yield item

        return compile_release(parsed, watched)


def _write(target: Path, parsed: Any, compiled: Any) -> None:
    from rb_build import card, folder
    from rb_verify import canonical

    extra = {"README.md": card.render(compiled.manifest, parsed), "manifest.json": canonical.pretty(compiled.manifest)}
    folder.write(target, compiled.files | extra)


def _say(target: Path, manifest: dict[str, Any]) -> None:
    rows = sum(entry.get("rows", 0) for entry in manifest["files"].values())
    print(f"{target}: {manifest['dataset']} {manifest['version']}, {rows} rows, content digest {manifest['content_digest']}")
    if len(manifest["structures"]) > _SHOWN:
        print(f"  {len(manifest['structures'])} cells; manifest.json tells of each")
        return
    for name, notes in manifest["structures"].items():
        shown = ", ".join(f"{key} {value}" for key, value in notes.items() if value is not None and not isinstance(value, list))
        print(f"  {name}: {shown}")


def main() -> None:
    """Run the command."""
    console.use_utf8()
    app()
