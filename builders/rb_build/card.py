"""The dataset card: a YAML header that ``datasets`` loads by, made from manifest and row schema, and prose.

Prose is the template cards/DATASET.md, which extends cards/_common.md; a blind split has cards/_blind.md. The YAML head of
cards/DATASET.md holds what is said of the dataset in several places, croissant.json among them.

Features are always declared, in the spelling that every version of ``datasets`` reads (``list:``, ``struct:``), and
num_examples is exact: a wrong count makes loading fail, which is a check of its own.
"""

from __future__ import annotations

import json
import textwrap
from functools import lru_cache
from typing import Any

from rb_build import resources
from rb_build.recipe import Recipe
from rb_verify import canonical
from rb_verify.hub import repository, tag

NOT_COMPARABLE = "Scores are not comparable with the paper's tables."
AUTHORS = "The authors of rb-build and rb-verify"
SOFTWARE = "Frozen reasoning benchmarks and their verifier"
BLIND = "-blind"  # how the version of a blind split ends; what is before it is the version of the release with gold

_DTYPES = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def columns(manifest: dict[str, Any]) -> dict[str, Any]:
    """The object schema of a release's rows. Those of a blind split have the three properties that tell no gold."""
    if "blind" not in manifest:
        return resources.schema(manifest["dataset"])
    schema = resources.schema("blind")
    names = {"id", manifest["blind"]["field"], "prompt"}
    return schema | {"properties": {name: each for name, each in schema["properties"].items() if name in names}}


def kind(schema: dict[str, Any]) -> str:
    """The type of a property. Every one may be null where it is declared, so that this one may be is not said."""
    types = schema["type"]
    return str(types) if isinstance(types, str) else next(each for each in types if each != "null")


def feature(schema: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    """The ``datasets`` feature of a row schema's property, as its YAML value."""
    head = {} if name is None else {"name": name}
    if kind(schema) == "array":
        item = feature(schema["items"])
        return head | {"list": item.get("struct") or item.get("dtype") or item}
    if kind(schema) == "object":
        return head | {"struct": features(schema)}
    return head | {"dtype": _DTYPES[kind(schema)]}


def features(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The features of an object schema, in the order of its property names."""
    return [feature(schema["properties"][name], name) for name in sorted(schema["properties"])]


def ordered_configs(manifest: dict[str, Any]) -> list[tuple[str, dict[str, list[str]]]]:
    """The configs with their splits, ``default`` first."""
    return sorted(manifest["configs"].items(), key=lambda item: (item[0] != "default", item[0]))


@lru_cache(maxsize=16)
def about(dataset: str) -> dict[str, Any]:
    """What is said of a dataset beside its card's prose: the YAML head of cards/DATASET.md.

    ``paper``: title, authors, and year and url where known. ``novelty``: what is new here. ``history``: version to a line.
    """
    import yaml

    return dict(yaml.safe_load(parts(resources.path("cards", f"{dataset}.md").read_text("utf-8"))[0]))


def parts(text: str) -> tuple[str, str]:
    """The YAML head of a text, empty where there is none, and what follows. Raises ValueError if the head does not end.

    It ends at a line ``---``, as the Hub has it: one that only ends so is still of the head.
    """
    if not text.startswith("---\n"):
        return "", text
    head, end, prose = text.removeprefix("---").partition("\n---\n")
    if not end:
        raise ValueError("the YAML head does not end")
    return f"{head}\n"[1:], prose


def title(manifest: dict[str, Any]) -> str:
    """What a release is called: the dataset's name, and the version of a fresh or blind split."""
    name, version = about(manifest["dataset"])["pretty_name"], manifest["version"]
    return f"{name} {version}" if "-" in version else str(name)


def origin(dataset: str) -> str:
    """Whose benchmark a dataset is, and what is new, in plain words."""
    told = about(dataset)
    paper = told["paper"]
    names = ", ".join(name.split(",")[0] for name in paper["authors"])
    source = "; ".join([names, *([paper["url"]] if "url" in paper else [])])
    return f'An independent re-implementation of the benchmark described in "{paper["title"]}" ({source}). {told["novelty"]}'


def citation(manifest: dict[str, Any]) -> str:
    """The paper and the release as BibTeX."""
    dataset, version = manifest["dataset"], manifest["version"]
    paper = about(dataset)["paper"]
    release = {
        "title": f"{about(dataset)['pretty_name']} {version}",
        "authors": [AUTHORS],
        "year": manifest["released"][:4],
        "note": f"A release of: {SOFTWARE}. Content digest {manifest['content_digest']}",
    }
    return "\n\n".join([_bibtex(f"{dataset}-paper", paper), _bibtex(f"{dataset}-{version}", release)])


def _bibtex(key: str, work: dict[str, Any]) -> str:
    """A BibTeX entry. An author without a comma is no person's name, so it is kept whole by braces."""
    authors = " and ".join(name if "," in name else f"{{{name}}}" for name in work["authors"])
    fields = work | {"title": f"{{{work['title']}}}", "author": authors}
    lines = [f"  {name} = {{{fields[name]}}}" for name in ("title", "author", "year", "url", "note") if name in fields]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def header(manifest: dict[str, Any]) -> dict[str, Any]:
    """The card's YAML header as data."""
    entries = manifest["files"]
    declared = features(columns(manifest))
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
            {"config_name": config, "features": declared, "splits": counted, "download_size": size, "dataset_size": size}
        )
    total = sum(entry.get("rows", 0) for entry in entries.values())
    return {
        "pretty_name": title(manifest),
        "license": "cc-by-4.0",
        "language": ["en"],
        "task_categories": ["question-answering"],
        "size_categories": [next((name for limit, name in _SIZES if total < limit), "n>1M")],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "tags": about(manifest["dataset"])["keywords"],
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


def render(manifest: dict[str, Any], recipe: Recipe | None) -> bytes:
    """The card (README.md) of a release. ``recipe``: None for a blind split."""
    import jinja2
    import yaml

    manifest = json.loads(canonical.dumps(manifest))  # the order of keys must not depend on who made them
    dataset, version = manifest["dataset"], manifest["version"]
    loader = jinja2.DictLoader({path.name: parts(path.read_text("utf-8"))[1] for path in resources.path("cards").glob("*.md")})
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["paragraph"] = _paragraph
    template = environment.get_template("_blind.md" if recipe is None else f"{dataset}.md")
    fields = {name: spec.get("description", "") for name, spec in columns(manifest)["properties"].items()}
    counts = {path: entry.get("rows", 0) for path, entry in manifest["files"].items()}
    text = template.render(
        about=about(dataset),
        citation=citation(manifest),
        configs=ordered_configs(manifest),
        fields=dict(sorted(fields.items())),
        manifest=manifest,
        not_comparable=NOT_COMPARABLE,
        opened=version.removesuffix(BLIND),
        origin=origin(dataset),
        recipe=recipe,
        repository=repository("ORG", dataset, version),
        rows=sum(counts.values()),
        rows_of=lambda paths: sum(counts[path] for path in paths),
        tag=tag(version),
        title=title(manifest),
    )
    front = yaml.safe_dump(header(manifest), sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{front}---\n{text}".encode()


def _paragraph(text: str) -> str:
    """Text as lines of at most 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
