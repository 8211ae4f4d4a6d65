"""Croissant metadata of a release: croissant.json, made from its manifest, its row schema and the head of its card.

What mlcroissant reads by it goes through pandas, whose fast reader is not exact for floats of 16 digits. Those of rows have
at most six decimals and come out as they are; still, metadata is for finding data, and scores come from the files alone.
"""

from __future__ import annotations

from typing import Any

from rb_build import card
from rb_build.recipe import Recipe
from rb_verify import canonical

SPECIFICATIONS = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
LICENSE = "https://creativecommons.org/licenses/by/4.0/"
MEDIA_TYPE = "application/jsonlines"  # the only name of JSON Lines by which mlcroissant reads records
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_COLLECTION = "Nothing was collected: a program generated and proved every row from a recipe and a seed."
_TYPES = {"string": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean"}


def render(manifest: dict[str, Any], recipe: Recipe | None) -> bytes:
    """The Croissant metadata of a release. ``recipe``: None for a blind split."""
    dataset = manifest["dataset"]
    about = card.about(dataset)
    data = sorted(path for path, entry in manifest["files"].items() if "rows" in entry)
    metadata = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "citeAs": card.citation(manifest),
        "conformsTo": SPECIFICATIONS,
        "creator": {"@type": "sc:Organization", "name": card.AUTHORS},
        "datePublished": manifest["released"],
        "description": f"{about['description']} {card.origin(dataset)} {card.NOT_COMPARABLE}",
        "distribution": [_file_object(path, manifest["files"][path]) for path in data],
        "inLanguage": "en",
        "isLiveDataset": False,
        "keywords": about["keywords"],
        "license": LICENSE,
        "name": card.title(manifest),
        "recordSet": [_record_set(path, manifest) for path in data],
        "url": "README.md",  # beside this file, whoever hosts both
        "version": manifest["version"],
    }
    return canonical.pretty(metadata | _responsible_ai(about) | _provenance(manifest, recipe, about["paper"]))


def _responsible_ai(about: dict[str, Any]) -> dict[str, Any]:
    """What Responsible AI metadata asks for."""
    return {
        "rai:dataBiases": about["biases"],
        "rai:dataCollection": about.get("collection", _COLLECTION),
        "rai:dataCollectionType": "Software Collection",
        "rai:dataLimitations": about["limitations"],
        "rai:dataReleaseMaintenancePlan": (
            "A version never changes. Errors are listed in the card as errata and mended in a new version beside the old one."
        ),
        "rai:dataSocialImpact": about["social_impact"],
        "rai:dataUseCases": about["use_cases"],
        "rai:hasSyntheticData": True,
        "rai:personalSensitiveInformation": about["personal_information"],
    }


def _provenance(manifest: dict[str, Any], recipe: Recipe | None, paper: dict[str, Any]) -> dict[str, Any]:
    """What the release was derived from and how it was generated; of a blind split, from a recipe not yet published."""
    digest = manifest["blind"]["commitment"] if recipe is None else canonical.digest(recipe.source)
    return {
        "prov:wasDerivedFrom": {
            "@type": "sc:ScholarlyArticle",
            "author": paper["authors"],
            "name": paper["title"],
            **({"url": paper["url"]} if "url" in paper else {}),
        },
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "name": "rb-build",
            "description": f"Generated from recipe.json, SHA-256 {digest}; content digest {manifest['content_digest']}",
        },
    }


def _file_object(path: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "contentSize": f"{entry['bytes']} B",
        "contentUrl": path,
        "encodingFormat": MEDIA_TYPE,
        "name": path,
        "sha256": entry["sha256"],
    }


def _record_set(path: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """The records of a data file; each field's id is the record set's and the column's, such as ``dev/prompt``."""
    name = path.removeprefix("data/").removesuffix(".jsonl")
    places = [
        f"{config} ({split})"
        for config, splits in card.ordered_configs(manifest)
        for split, paths in sorted(splits.items())
        if path in paths
    ]
    properties = card.columns(manifest)["properties"]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "description": f"{manifest['files'][path]['rows']} rows, part of: {', '.join(places)}",
        "field": [_field(f"{name}/{column}", properties[column], path, [column]) for column in sorted(properties)],
        "key": {"@id": f"{name}/id"},
        "name": name,
    }


def _field(name: str, schema: dict[str, Any], path: str, place: list[str]) -> dict[str, Any]:
    """A field and what is nested in it. ``path``: the data file; ``place``: the column, and the property inside it."""
    depth = 0
    inner = schema
    while card.kind(inner) == "array":
        depth, inner = depth + 1, inner["items"]
    head: dict[str, Any] = {"@type": "cr:Field", "@id": name, "name": place[-1]}
    if "description" in schema:
        head["description"] = schema["description"]
    if depth:
        head |= {"isArray": True, "arrayShape": ",".join(["-1"] * depth)}
    if card.kind(inner) == "object":
        properties = inner["properties"]
        return head | {
            "subField": [_field(f"{name}/{each}", properties[each], path, [*place, each]) for each in sorted(properties)]
        }
    column, *inside = place
    transform = {"transform": {"jsonPath": ".".join(inside)}} if inside else {}
    return head | {
        "dataType": _TYPES[card.kind(inner)],
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}, **transform},
    }
