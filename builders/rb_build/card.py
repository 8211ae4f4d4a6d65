"""The dataset card: a YAML header that ``datasets`` loads by, made from manifest and row schema, and prose.

Features are always declared, in the spelling that every version of ``datasets`` reads (``list:``, ``struct:``), and
num_examples is exact: a wrong count makes loading fail, which is a check of its own.
"""

from __future__ import annotations

import json
from typing import Any

from rb_build import resources
from rb_build.recipe import Recipe
from rb_verify import canonical

TITLES = {"reefbench": "ReEfBench", "tracebench": "TRACEBench", "twosat": "2-SAT families"}
_DTYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def feature(schema: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    """The ``datasets`` feature of a row schema's property, as its YAML value."""
    head = {} if name is None else {"name": name}
    kind = schema["type"]
    if isinstance(kind, list):  # every feature may be null, so that a type may be is not said
        kind = next(each for each in kind if each != "null")
    if kind == "array":
        item = feature(schema["items"])
        return head | {"list": item.get("struct") or item.get("dtype") or item}
    if kind == "object":
        return head | {"struct": features(schema)}
    return head | {"dtype": _DTYPES[kind]}


def features(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The features of an object schema, in the order of its property names."""
    return [feature(schema["properties"][name], name) for name in sorted(schema["properties"])]


def ordered_configs(manifest: dict[str, Any]) -> list[tuple[str, dict[str, list[str]]]]:
    """The configs with their splits, ``default`` first."""
    return sorted(manifest["configs"].items(), key=lambda item: (item[0] != "default", item[0]))


def header(manifest: dict[str, Any], pretty_name: str) -> dict[str, Any]:
    """The card's YAML header as data."""
    entries = manifest["files"]
    columns = features(resources.schema(manifest["dataset"]))
    infos = []
    configs = ordered_configs(manifest)
    for config, splits in configs:
        counted = [
            {
                "name": split,
                "num_bytes": sum(entries[path]["bytes"] for path in paths),
                "num_examples": sum(entries[path]["rows"] for path in paths),
            }
            for split, paths in splits.items()
        ]
        size = sum(split["num_bytes"] for split in counted)
        infos.append(
            {"config_name": config, "features": columns, "splits": counted, "download_size": size, "dataset_size": size}
        )
    total = sum(entry.get("rows", 0) for entry in entries.values())
    return {
        "pretty_name": pretty_name,
        "license": "cc-by-4.0",
        "language": ["en"],
        "task_categories": ["question-answering"],
        "size_categories": [next((name for limit, name in _SIZES if total < limit), "n>1M")],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "tags": ["benchmark", "synthetic", "reasoning", "evaluation"],
        "configs": [
            {
                "config_name": config,
                **({"default": True} if config == "default" else {}),
                "data_files": [{"split": split, "path": paths} for split, paths in splits.items()],
            }
            for config, splits in configs
        ],
        "dataset_info": infos,
    }


def render(manifest: dict[str, Any], recipe: Recipe) -> bytes:
    """The card (README.md) of a release. Its prose is the template cards/DATASET.md, which extends cards/_common.md."""
    import jinja2
    import yaml

    manifest = json.loads(canonical.dumps(manifest))  # the order of keys must not depend on who made them

    loader = jinja2.FileSystemLoader(resources.path("cards"))
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.get_template(f"{manifest['dataset']}.md")
    fields = {name: spec.get("description", "") for name, spec in resources.schema(manifest["dataset"])["properties"].items()}
    counts = {path: entry.get("rows", 0) for path, entry in manifest["files"].items()}
    text = template.render(
        manifest=manifest,
        configs=ordered_configs(manifest),
        recipe=recipe,
        fields=dict(sorted(fields.items())),
        rows=sum(counts.values()),
        rows_of=lambda paths: sum(counts[path] for path in paths),
        measures=list(next(iter(manifest["baselines"]["default"].values()))),
    )
    name = TITLES.get(manifest["dataset"], manifest["dataset"])
    front = yaml.safe_dump(header(manifest, name), sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{front}---\n{text}".encode()
