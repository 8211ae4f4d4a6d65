"""Blind splits: the prompts of a release without its gold, for an honest leaderboard.

The seed is committed to, the blind split published, predictions are collected, then the seed is opened and they are scored.
Neither ids nor order may tell anything: ids of ReEfBench say which rows follow, those of the 2-SAT families which formulas
are cycles. So a blind row's id is a digest under the secret seed (``rb_verify.datasets.blind_id``), and rows are in its order.
"""

from __future__ import annotations

import json
from typing import Any

from rb_build import resources
from rb_build.card import BLIND
from rb_build.errors import UnusableRecipe
from rb_build.recipe import Recipe
from rb_build.release import Compiled, schema_faults, schemas, with_digests
from rb_build.sealed import commitment
from rb_verify import canonical
from rb_verify.datasets import blind_id, release_of

DATA = "data/test.jsonl"
FIELDS = ("level", "config")  # the first that a row has is all that a blind row tells beside id and prompt


def blind(recipe: Recipe, manifest: dict[str, Any], rows: list[dict[str, Any]], config: str) -> Compiled:
    """The blind split of a release's config. ``rows``: the rows of its test split. Raises UnusableRecipe if ids collide."""
    field = next(name for name in FIELDS if name in rows[0])
    shown = [{"id": blind_id(row["id"], recipe.seed), "prompt": row["prompt"], field: row[field]} for row in rows]
    if len({row["id"] for row in shown}) < len(shown):
        raise UnusableRecipe(f"{recipe.dataset}@{recipe.version}: two rows get one blind id; take another seed")
    told = {"blind": {"commitment": commitment(recipe), "field": field}, "version": recipe.version + BLIND}
    return _assemble(manifest | told, config, shown)


def rows_of(compiled: Compiled, config: str) -> list[dict[str, Any]]:
    """The rows of a config's test split. Raises UnusableRecipe if there is none."""
    paths = compiled.manifest["configs"].get(config, {}).get("test")
    if paths is None:
        raise UnusableRecipe(f"{compiled.manifest['dataset']}: no config {config!r} with a test split; name another")
    return [json.loads(line) for path in paths for line in compiled.files[path].splitlines()]


def again(manifest: dict[str, Any], rows: dict[str, list[dict[str, Any]]]) -> Compiled:
    """A blind split's bytes from its rows by file, to be compared with what it has."""
    return _assemble(manifest, next(iter(manifest["configs"])), rows.get(DATA, []))


def row_faults(manifest: dict[str, Any], rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    """What is wrong with a blind split's rows: all that can be said without its recipe."""
    if "blind" not in manifest:
        return ["manifest.json: lists no recipe.json, and is of no blind split"]
    if len(manifest["configs"]) != 1:
        return ["manifest.json: a blind split has one config"]
    some = rows.get(DATA, [])
    named = manifest["dataset"], manifest["version"].removesuffix(BLIND)
    strange = [row["id"] for row in some if release_of(str(row.get("id"))) != named]
    return [
        *schema_faults(resources.schema("blind"), DATA, 0, some),
        *(f"{DATA}: row id {name} is of another split" for name in strange),
    ]


def _assemble(known: dict[str, Any], config: str, rows: list[dict[str, Any]]) -> Compiled:
    """A blind split as bytes. ``known``: a manifest, to have canary, dataset, date, version and commitment from."""
    files = {DATA: canonical.lines(sorted(rows, key=lambda row: str(row["id"]))), **schemas("blind")}
    kept = {name: known[name] for name in ("blind", "canary", "dataset", "released", "version")}
    told = {"balance": {}, "baselines": {}, "configs": {config: {"test": [DATA]}}, "structures": {}}
    return Compiled(files, with_digests(kept | told, files))
