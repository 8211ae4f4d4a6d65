"""The command rb-build. Exit codes: 0 done; 2 unusable recipe, folder or arguments; 3 a release is not what its manifest
or recipe says, or an internal error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rb_build import __version__
from rb_build.export import Format
from rb_build.recipe import Map, Overlap
from rb_verify import console, llm_options
from rb_verify.endpoint import Limits

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
CORES = os.cpu_count() or 1
Workers = Annotated[int, typer.Option(min=1, help="Processes. The bytes do not depend on it.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="dask://HOST:PORT", help="Work on this Dask cluster instead; pip install 'rb-verify\\[dask]'."),
]


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


@app.command()
def freeze(
    recipe: Annotated[Path, typer.Argument(help="A recipe file.")],
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Build a recipe and freeze it as releases/NAME/VERSION. What is frozen is never overwritten."""
    with console.failures("rb-build"):
        from rb_build import frozen
        from rb_build import recipe as recipes
        from rb_build.errors import UnusableRecipe
        from rb_build.release import compile_release, write

        parsed = recipes.read(recipe)
        target = frozen.home() / parsed.dataset / parsed.version
        if (target / "manifest.json").exists():
            raise UnusableRecipe(f"{target}: is frozen already; give the recipe a new version")
        with _processes(workers, executor) as run:
            compiled = compile_release(parsed, run)
        write(target, parsed, compiled)
        _say(target, compiled.manifest)


@app.command()
def build(
    release: Annotated[str, typer.Argument(metavar="NAME@VERSION|RECIPE", help="A frozen release, or any recipe file.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write. Default for a frozen release: releases/NAME/VERSION.")
    ] = None,
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Build a release. A frozen one must come out byte for byte as its manifest says, or nothing is written."""
    with console.failures("rb-build"):
        import json

        from rb_build import frozen
        from rb_build import recipe as recipes
        from rb_build.errors import Drift, UnusableRecipe
        from rb_build.release import compile_release, first_difference

        lock = _lock(release)
        parsed = recipes.read(lock / "recipe.json" if lock.is_dir() else lock)
        frozen_at = (lock if lock.is_dir() else lock.parent) / "manifest.json"
        is_frozen = frozen_at.is_file() and (lock.is_dir() or lock.name == "recipe.json")
        if out is None and not is_frozen:
            raise UnusableRecipe(f"{release}: is not frozen, so it has no place of its own; name one with --out")
        target = out or frozen.home() / parsed.dataset / parsed.version
        with _processes(workers, executor) as run:
            compiled = compile_release(parsed, run)
        if is_frozen and (difference := first_difference(json.loads(frozen_at.read_bytes()), compiled)):
            raise Drift(f"{parsed.dataset}@{parsed.version}: {difference}; a change of bytes needs a new version")
        _put(target, parsed, compiled)


def _lock(release: str) -> Path:
    """The recipe file, or the folder of the frozen release, that an argument names."""
    from rb_build import frozen

    return Path(release) if "@" not in release or Path(release).exists() else frozen.lock(release)


def _put(target: Path, recipe: Any, compiled: Any) -> None:
    """Write a release and say so; never over anything but this very release, or into an empty folder."""
    from rb_build.release import write

    _refuse_other(target, compiled.manifest)
    write(target, recipe, compiled)
    _say(target, compiled.manifest)


def _refuse_other(target: Path, manifest: dict[str, Any]) -> None:
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
    folder: Annotated[Path, typer.Argument(help="The folder of a release, or of a fresh split in shards.")],
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Check a release: checksums, the schema of every row, every gold label by the oracle, manifest and card."""
    with console.failures("rb-build"):
        from rb_build import release as releases
        from rb_build import shards

        with _processes(workers, executor) as run:
            faults = shards.check(folder, run) if shards.is_split(folder) else releases.check(folder, run)
        for fault in faults:
            print(console.plain(fault))
        if faults:
            console.stop("rb-build", f"{folder}: faults: {len(faults)}; build or download the release again", console.UNSOUND)
        gold = shards.is_split(folder) or (folder / "recipe.json").exists()
        held = "checksum, schema and gold label holds" if gold else "checksum and schema holds"
        print(f"{folder}: sound; every {held}")


Excluded = Annotated[
    list[str] | None,
    typer.Option(help="A release, as folder or NAME@VERSION, whose structures must not occur; all frozen ones never do."),
]


@app.command()
def fresh(
    name: Annotated[str, typer.Argument(metavar="NAME[@VERSION]", help="A dataset, or one of its frozen releases.")],
    seed: Annotated[str, typer.Option(help="Any text: a date, a beacon's value.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    exclude: Excluded = None,
    overlap: Annotated[
        Overlap, typer.Option(help="Where all structures of a unit are excluded: refuse, or have new instances of them.")
    ] = Overlap.forbid,
    shards: Annotated[
        int | None,
        typer.Option(min=1, help="So many releases of as many seeds, with a digest over all. Run it again to go on."),
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="As many shards as give at least so many rows.")] = None,
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Build a fresh split: a frozen recipe with a new seed, and no structure that a published release has."""
    with console.failures("rb-build"):
        if shards is not None or rows is not None:
            _shards(name, seed, out, exclude or [], overlap.value, shards, rows, workers, executor)
            return
        from rb_build import fresh as splits
        from rb_build.release import compile_release

        recipe = splits.fresh(name, seed, exclude or [], overlap.value)
        with _processes(workers, executor) as run:
            compiled = compile_release(recipe, run)
        _put(out, recipe, compiled)
        noted = compiled.manifest["structures"]
        shared = ", ".join(f"{len(notes['overlap'])} in {unit}" for unit, notes in noted.items() if notes.get("overlap"))
        print(f"  structures in common with {', '.join(recipe.excluded)}: {shared or 'none'}")


def _shards(
    name: str,
    seed: str,
    out: Path,
    exclude: list[str],
    overlap: str,
    number: int | None,
    rows: int | None,
    workers: int,
    address: str | None,
) -> None:
    from rb_build import shards
    from rb_build.release import PACKAGES
    from rb_verify import executors

    plan = shards.plan(name, seed, exclude, overlap, number, rows)
    with executors.executor(workers, address, PACKAGES) as pool, console.progress("shards done", plan.shards) as advance:
        split = shards.build(out, plan, pool, advance)
    told = f"{split['dataset']} {split['version']}, {plan.shards} shards, {split['rows']} rows"
    print(f"{out}: {told}, split digest {split['split_digest']}")
    print(f"  structures: {split['structures']['distinct']}, of which {split['structures']['repeated']} in more than one shard")


@app.command()
def commit(
    seed_file: Annotated[
        Path, typer.Option(help="Where the secret is kept. Written if it is not there; keep it, and keep it secret.")
    ],
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME[@VERSION]]", help="A dataset, or one of its frozen releases; for a new seed file."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Text of the secret seed. Default: random. A random salt is added to it.")
    ] = None,
    exclude: Excluded = None,
    overlap: Annotated[Overlap | None, typer.Option(help="As of rb-build fresh; forbid, unless told.")] = None,
) -> None:
    """Seal a secret seed, and print the commitment to it: publish that before anyone is evaluated."""
    with console.failures("rb-build"):
        from rb_build import fresh as splits
        from rb_build import sealed
        from rb_build.errors import UnusableRecipe

        if seed_file.exists():
            if name or seed or exclude or overlap:
                raise UnusableRecipe(
                    f"{seed_file}: exists; name a new file, or leave the rest out to have its commitment again"
                )
            recipe = sealed.opened(seed_file)
        elif name is None:
            raise UnusableRecipe(f"{seed_file}: does not exist; name the dataset to make it for")
        else:
            recipe = splits.fresh(name, sealed.salted(seed), exclude or [], (overlap or Overlap.forbid).value)
            sealed.seal(seed_file, recipe)
        print(f"{recipe.dataset}@{recipe.version} sha256:{sealed.commitment(recipe)}")


@app.command()
def reveal(
    seed_file: Annotated[Path, typer.Option(help="The seed file that rb-build commit wrote.")],
    commitment: Annotated[
        str, typer.Option(help="The commitment that was published: 64 hex digits, with or without sha256: before.")
    ],
    split: Annotated[str, typer.Option(help="What was published, blind or not: a folder, or ORG/NAME@TAG.")],
    out: Annotated[Path, typer.Option(help="Folder to write the release to, gold and all.")],
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Open a sealed seed: rebuild its split, and prove that it is what was committed to and what was published."""
    with console.failures("rb-build"):
        from rb_build import sealed
        from rb_verify.release import locate

        recipe = sealed.opened(seed_file)
        promised = commitment.strip().lower().removeprefix("sha256:")
        with _processes(workers, executor) as run:
            compiled = sealed.reveal(recipe, promised, locate(split, None), run)
        _put(out, recipe, compiled)
        print(f"  commitment sha256:{promised} holds: it is the SHA-256 of {out / 'recipe.json'}")
        print(f"  {split} is of this release, byte for byte")


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    out: Annotated[Path, typer.Option(help="New folder to write.")],
    format: Annotated[Format | None, typer.Option(help="For tools that want it; a file for each config and split.")] = None,
    blind: Annotated[
        bool, typer.Option("--blind", help="A blind split instead: ids that tell nothing, and prompts, without gold.")
    ] = False,
    config: Annotated[str | None, typer.Option(help="Only this config. Default: all; with --blind, default.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that requests of openai-batch name.")] = None,
    samples: Annotated[int, typer.Option(help="Requests of openai-batch for each row; custom_id names row and sample.")] = 1,
) -> None:
    """Export a release in another format, or without its gold."""
    with console.failures("rb-build"):
        from rb_build.errors import UnusableRecipe

        if blind == (format is not None):
            raise UnusableRecipe("export either --blind or as one --format")
        if format is not None:
            from rb_build.export import export as convert

            for path in convert(folder, out, format, config, model, samples):
                print(path)
            return
        if model is not None or samples != 1:
            raise UnusableRecipe("--model and --samples are for --format openai-batch; leave them out")
        _export_blind(folder, out, config or "default")


def _export_blind(folder: Path, out: Path, config: str) -> None:
    from rb_build import blind, sealed
    from rb_build import recipe as recipes
    from rb_verify.release import load

    release = load(folder, config)
    recipe = recipes.read(folder / "recipe.json")
    if not sealed.is_sealed(recipe.seed):
        said = "its seed has no salt, so who guesses it has the gold; make it with rb-build commit"
        print(f"rb-build: {folder}: {said}", file=sys.stderr)
    compiled = blind.blind(recipe, release.manifest, release.rows, config)
    _put(out, None, compiled)
    print(f"  commitment sha256:{compiled.manifest['blind']['commitment']}")


@app.command()
def push(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    org: Annotated[str, typer.Option(help="Whose repository on the Hub: an organisation or user.")],
    private: Annotated[
        bool, typer.Option("--private", help="Create the repository private; refuse one that is public.")
    ] = False,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Open a pull request; push again, once merged, to tag.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Publish a release on the Hub: check it, one commit with every file, a tag on it, and all checksums compared."""
    with console.failures("rb-build"):
        from rb_build.push import push as publish

        with _processes(workers, executor) as run:
            lines = publish(folder, org, private=private, create_pr=create_pr, dry_run=dry_run, run=run)
        for line in lines:
            print(line)


@app.command()
def audit(
    name: Annotated[str, typer.Argument(metavar="ORG/NAME@TAG", help="A published release.")],
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Download a tag anew; say whether it equals what is frozen, and whether a rebuild from the recipe equals it."""
    with console.failures("rb-build"):
        from rb_build.audit import audit as compare

        with _processes(workers, executor) as run:
            found = compare(name, run)
        for line in (*found.lines, *found.faults):
            print(console.plain(line))
        if found.faults:
            console.stop("rb-build", f"{name}: faults: {len(found.faults)}; do not use it", console.UNSOUND)


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


@app.command()
def stories(
    release: Annotated[str, typer.Argument(help="A 2-SAT release: a folder, NAME@VERSION or ORG/NAME@TAG.")],
    theme: Annotated[list[str], typer.Option(help="spy, heist or detective; repeat it for several.")],
    out: Annotated[Path, typer.Option(help="Folder to write; what is told is kept beside it, as OUT.told.jsonl.")],
    config: Annotated[str, typer.Option(help="Which config's formulas.")] = "default",
    formulas: Annotated[int | None, typer.Option(min=1, help="Only the first so many of each cell. Default: all.")] = None,
    templates: Annotated[
        list[str] | None, typer.Option(help="A template scheme to stand beside; repeat it. Default: those of the rows.")
    ] = None,
    version: Annotated[str, typer.Option(help="Of the release of stories.")] = "1.0.0",
    base_url: llm_options.BaseUrl = None,
    model: llm_options.Model = None,
    key_file: llm_options.KeyFile = None,
    temperature: llm_options.Temperature = None,
    max_tokens: llm_options.MaxTokens = None,
    extra: llm_options.Extra = None,
    concurrency: llm_options.Concurrency = Limits.concurrency,
    per_minute: llm_options.PerMinute = Limits.per_minute,
    retries: llm_options.Retries = Limits.retries,
    timeout: llm_options.Timeout = Limits.timeout,
    cache: llm_options.CacheFolder = None,
    workers: Workers = CORES,
    executor: Cluster = None,
) -> None:
    """Have a model tell formulas as stories, validate every clause, and build a release of them. Run again to go on."""
    with console.failures("rb-build"):
        from rb_build import told
        from rb_build.release import compile_release

        limits = concurrency, per_minute, retries, timeout
        client = llm_options.client(base_url, model, key_file, temperature, max_tokens, extra, *limits, cache)
        recipe = told.told_recipe(told.plan(release, config, formulas, theme, templates or [], version), out, client)
        with _processes(workers, executor) as run:
            compiled = compile_release(recipe, run)
        _put(out, recipe, compiled)
        print(f"  {told.statistics(recipe)}")
        if client.refusals[0]:
            count, last = client.refusals
            print(f"rb-build: {count} requests were refused, and their attempts failed; the last: {last}", file=sys.stderr)


_SHOWN = 20  # units whose notes are printed; more would fill the screen


@contextmanager
def _processes(number: int, address: str | None) -> Iterator[Map]:
    """An ordered map over processes, or over the cluster at an address, that tells how far it has come."""
    from rb_build.release import workers

    with workers(number, address) as run, console.progress("units done") as advance:

        def watched(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
            for item in run(function, items):
                advance(1)
                yield item

        yield watched


def _say(target: Path, manifest: dict[str, Any]) -> None:
    rows = sum(entry.get("rows", 0) for entry in manifest["files"].values())
    print(f"{target}: {manifest['dataset']} {manifest['version']}, {rows} rows, content digest {manifest['content_digest']}")
    if len(manifest["structures"]) > _SHOWN:
        print(f"  {len(manifest['structures'])} cells; manifest.json tells of each")
        return
    for name, notes in manifest["structures"].items():
        shown = ", ".join(
            f"{key} {value}" for key, value in notes.items() if value is not None and not isinstance(value, list | dict)
        )
        print(f"  {name}: {shown}" if shown else f"  {name}")


def main() -> None:
    """Run the command."""
    console.run("rb-build", app)
