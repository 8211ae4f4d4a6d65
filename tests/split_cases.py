"""A small fresh split and a small blind one, for tests of what is said of them."""

from __future__ import annotations

from typing import Any

from rb_build import recipe as recipes
from rb_build import resources
from rb_build.recipe import Recipe
from rb_build.release import Compiled
from rb_verify import canonical

MARK = "fabcdef12"
COMMITMENT = "0123456789abcdef" * 4


def fresh_recipe(data: dict[str, Any], *excluded: str) -> Recipe:
    """The recipe of a fresh split, from another recipe's JSON. ``excluded``: signatures of its excluded release."""
    told = {"excluded": {f"{data['dataset']}@0.1.0": sorted(excluded)}, "overlap": "instance", "seed": "fresh"}
    return recipes.parse(data | told | {"version": f"0.1.0-{MARK}"}, "fresh")


def blind_of(dataset: str, field: str, config: str = "default") -> Compiled:
    """A blind split of two rows. ``field``: what rows tell beside id and prompt."""
    value = 45 if field == "level" else "main"
    rows = [{field: value, "id": f"{dataset}-0-1-0-{MARK}-{place}", "prompt": f"Größe {place}?"} for place in range(2)]
    names = [f"schemas/{name}.schema.json" for name in ("blind", "prediction")]
    files = {"data/test.jsonl": canonical.lines(rows)} | {name: resources.path(name).read_bytes() for name in names}
    entries = {path: {"bytes": len(data), "sha256": canonical.digest(data)} for path, data in files.items()}
    entries["data/test.jsonl"] |= {
        "rows": 2,
        "row_digests": "".join(canonical.digest(canonical.lines([r])[:-1])[:8] for r in rows),
    }
    manifest = {
        "balance": {},
        "baselines": {},
        "blind": {"commitment": COMMITMENT, "field": field},
        "canary": "small test canary 00000000-0000-4000-8000-000000000000",
        "configs": {config: {"test": ["data/test.jsonl"]}},
        "content_digest": canonical.content_digest({path: entry["sha256"] for path, entry in entries.items()}),
        "dataset": dataset,
        "files": entries,
        "released": "2026-11-30",
        "schemas": {names[0]: "urn:rb:schema:blind:1", names[1]: "urn:rb:schema:prediction:1"},
        "structures": {},
        "version": f"0.1.0-{MARK}-blind",
    }
    return Compiled(files, manifest | {"manifest_sha256": canonical.manifest_digest(manifest)})
