"""Find a release and load it, after its manifest has been checked against every file: gold comes from nowhere else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify import canonical
from rb_verify.datasets import SCORERS, Scorer, blind_id
from rb_verify.errors import NoSuchConfig, ReleaseMismatch, UnusableInput
from rb_verify.files import TooLarge, read
from rb_verify.hub import download, repository, tag
from rb_verify.schema import violations

NO_RELEASE = "no prediction's id names a release; name the release with --release"

_MORE = 2**20  # bytes that a file may have more than it should, and still have its digest told

_NAMED = re.compile(r"([a-z0-9]+)@([^/@]+)")  # as in tracebench@1.0.0


@dataclass(frozen=True)
class Release:
    """A release whose files match its manifest.

    ``rows``: the rows of the chosen config's test split, in the order of its files. ``elsewhere``: row id to file
    name, of every row of the release that is not among them. ``config``: the config's name. ``blind``: of a fresh split, the
    id that each of ``rows`` has in its blind split to its own.
    """

    path: Path
    manifest: dict[str, Any]
    config: str
    rows: list[dict[str, Any]]
    elsewhere: dict[str, str]
    blind: dict[str, str]

    @property
    def dataset(self) -> str:
        """The dataset's name, such as ``tracebench``."""
        return str(self.manifest["dataset"])

    @property
    def version(self) -> str:
        """The release's version, such as ``1.0.0``."""
        return str(self.manifest["version"])

    @property
    def scorer(self) -> Scorer:
        """The scorer of the dataset."""
        return SCORERS[self.dataset]


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release folder. Raises UnusableInput if there is none, ReleaseMismatch if it is not sound."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(read(path))
    except FileNotFoundError:
        raise UnusableInput(f"{folder}: no manifest.json there; name a release folder") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseMismatch(f"{path}: cannot be read as JSON ({error}); build or download the release again") from None
    for message in violations(manifest, "manifest"):
        raise ReleaseMismatch(f"{path}: {message}; build or download the release again")
    try:
        sound = canonical.manifest_digest(manifest) == manifest["manifest_sha256"]
    except (ValueError, TypeError) as error:  # a lone surrogate, or a number that canonical JSON does not have
        raise ReleaseMismatch(f"{path}: has no digest ({error}); build or download the release again") from None
    if not sound:
        raise ReleaseMismatch(f"{path}: its own digest does not match; build or download the release again")
    named = {name for splits in manifest["configs"].values() for names in splits.values() for name in names}
    if absent := sorted(named - manifest["files"].keys()):
        raise ReleaseMismatch(f"{path}: {absent[0]} is of a config, but has no checksum; build or download the release again")
    return dict(manifest)


def read_file(folder: Path, manifest: dict[str, Any], name: str) -> bytes:
    """The bytes of one file of a release. Raises ReleaseMismatch, with both digests, unless they are as listed."""
    path = folder / name
    try:
        data = read(path, manifest["files"][name]["bytes"] + _MORE)
    except TooLarge as error:
        said = f"is {error.strerror}, the manifest says less"
        raise ReleaseMismatch(f"{path}: {said}; build or download the release again") from None
    except OSError:
        raise ReleaseMismatch(f"{path}: is missing; run rb-build build {manifest['dataset']}@{manifest['version']}") from None
    listed, found = manifest["files"][name]["sha256"], canonical.digest(data)
    if found != listed:
        raise ReleaseMismatch(f"{path}: sha256 is {found}, the manifest says {listed}; build or download the release again")
    return data


def load(folder: Path, config: str = "default") -> Release:
    """Load a release from its folder. Raises NoSuchConfig, and UnusableInput for a dataset that there is not."""
    manifest = _known(folder)
    if "blind" in manifest:
        raise UnusableInput(f"{folder}: is a blind split, without gold; score on what is published once its seed is opened")
    wanted = _test_files(folder, manifest, config)
    parsed: dict[str, list[dict[str, Any]]] = {name: [] for name in wanted}
    elsewhere: dict[str, str] = {}
    recipe = b""
    try:
        for name in manifest["files"]:
            data = read_file(folder, manifest, name)
            recipe = data if name == "recipe.json" else recipe
            lines = data.splitlines() if name.startswith("data/") else []
            if name in parsed:
                parsed[name] = [json.loads(line) for line in lines]
            else:  # of these only the ids are kept: they may be most of the release
                elsewhere |= dict.fromkeys(map(_row_id, lines), name)
        rows = [row for name in wanted for row in parsed[name]]
        _ = {row["id"] for row in rows}  # each must be an object that has one
        blind = _blind(recipe, rows) if is_fresh(manifest["version"]) else {}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ReleaseMismatch(f"{folder}: a data file is malformed ({error!r}); build or download the release again") from None
    return Release(folder, manifest, config, rows, elsewhere, blind)


def _row_id(line: bytes) -> str:
    """The id of a row, without reading all of it where that is safe.

    In JSON a quote right after a comma begins a string or ends one, and after one that ends no name can follow. So what is
    looked for is a key, and if it stands there once, as rows have no other ids, the row's own.
    """
    before, key, rest = line.partition(b',"id":"')
    written, quote, rest = rest.partition(b'"')
    if not key or not quote or b"\\" in written or b'"id":' in before or b'"id":' in rest:
        found: str = json.loads(line)["id"]
        return found
    return written.decode()


class Prompts(NamedTuple):
    """What a model is asked. ``rows``: of a config's test split, those of a cluster one after the other.

    Of a blind split, whose clusters nothing tells, in the order of its file.
    """

    manifest: dict[str, Any]
    rows: list[dict[str, Any]]


def prompts(folder: Path, config: str = "default") -> Prompts:
    """The prompts of a release, or of a blind split, once their files match the manifest.

    Raises NoSuchConfig, and UnusableInput for a dataset that there is not.
    """
    manifest = _known(folder)
    rows = []
    try:
        for name in _test_files(folder, manifest, config):
            rows += [json.loads(line) for line in read_file(folder, manifest, name).splitlines()]
        _ = {row["id"] for row in rows}
        if "blind" not in manifest:
            rows = by_cluster(rows, SCORERS[manifest["dataset"]].cluster)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ReleaseMismatch(f"{folder}: a data file is malformed ({error!r}); build or download the release again") from None
    return Prompts(manifest, rows)


def by_cluster(rows: list[dict[str, Any]], cluster: Callable[[dict[str, Any]], str]) -> list[dict[str, Any]]:
    """Rows in an order in which those of a cluster follow one another, so that a limit leaves few clusters in part."""
    place = {name: i for i, name in enumerate(dict.fromkeys(map(cluster, rows)))}
    return sorted(rows, key=lambda row: place[cluster(row)])


def _known(folder: Path) -> dict[str, Any]:
    """The manifest of a release of a dataset that there is. Raises as ``read_manifest``, and UnusableInput."""
    manifest = read_manifest(folder)
    if manifest["dataset"] not in SCORERS:
        raise UnusableInput(f"{folder}: no scorer for dataset {manifest['dataset']!r}; update rb-verify")
    return manifest


def _test_files(folder: Path, manifest: dict[str, Any], config: str) -> list[str]:
    """The files of a config's test split. Raises NoSuchConfig."""
    wanted = manifest["configs"].get(config, {}).get("test")
    if wanted is None:
        scored = sorted(name for name, splits in manifest["configs"].items() if "test" in splits)
        raise NoSuchConfig(f"{folder}: no config {config!r} with a test split; choose one of {', '.join(scored)}")
    return list(wanted)


def is_fresh(version: str) -> bool:
    """Whether a version is that of a fresh split: ``1.0.0-f1a2b3c4d``."""
    return "-f" in version


def _blind(recipe: bytes, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Blind id to id, of the rows of a fresh split."""
    seed = json.loads(recipe)["seed"]
    return {blind_id(row["id"], seed): row["id"] for row in rows}


def find(named: str) -> Path:
    """The folder of a release that is named as ``tracebench@1.0.0``, by its folder, or as ``org/name@tag`` on the Hub.

    Raises UnusableInput if it is nowhere. A name that is too long for any system, on which ``Path.is_dir`` raises, is nowhere.
    """
    match = _NAMED.fullmatch(named)
    if match is None or os.path.isdir(named):
        return locate(named, None)
    return locate(None, (match[1], match[2]), "by its folder")


def locate(name: str | None, identified: tuple[str, str] | None, how: str = "with --release DIR") -> Path:
    """The folder of a release.

    ``name``: what ``--release`` gave: a folder, or ``org/name[@tag]`` on the Hub. Without it, ``identified`` (dataset
    and version, as the predictions' ids name them) is looked up in $RB_RELEASES, then ./releases, then on the Hub
    under $RB_ORG. Raises UnusableInput if it is nowhere; ``how``: to name it then.
    """
    if name is not None:
        if os.path.isdir(name):
            return Path(name)
        if name.count("/") == 1 and not name.startswith((".", "/")):
            repo, _, revision = name.partition("@")
            return download(repo, revision or None)
        raise UnusableInput(f"{name}: no such release folder; name a folder or org/name@tag")
    if identified is None:
        raise UnusableInput(NO_RELEASE)
    dataset, version = identified
    places = [Path(place) for place in (os.environ.get("RB_RELEASES"), "releases") if place]
    for place in places:
        folder = place / dataset / version
        if os.path.isfile(folder / "manifest.json") and os.path.isdir(folder / "data"):
            return folder
    if org := os.environ.get("RB_ORG"):
        return download(repository(org, dataset, version), tag(version))
    tried = " or ".join(str(place / dataset / version) for place in places)
    raise UnusableInput(
        f"{dataset} {version} is not built in {tried}; run rb-build build {dataset}@{version}, or name the release "
        f"{how}, or its Hub organisation with $RB_ORG"
    )
