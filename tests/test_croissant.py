"""Croissant metadata: the real mlcroissant reads by it just what the data files hold, and refuses what they do not."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import mlcroissant
import pytest

from conftest import FROZEN, FROZEN_REEFBENCH, FROZEN_TWOSAT
from rb_build import card, croissant
from rb_build import recipe as recipes
from rb_build.recipe import Recipe
from rb_build.release import Compiled, compile_release
from rb_verify import canonical
from small_recipe import small
from split_cases import blind_of, fresh_recipe

LOCKS = {"reefbench": FROZEN_REEFBENCH, "tracebench": FROZEN, "twosat": FROZEN_TWOSAT}
SAMPLED = 20  # rows of each file that are compared: all 15,816 of twosat take more than a minute
RESPONSIBLE = [
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
    "rai:dataBiases",
    "rai:dataLimitations",
    "rai:dataSocialImpact",
    "rai:dataUseCases",
    "rai:hasSyntheticData",
    "rai:personalSensitiveInformation",
]


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CROISSANT_CACHE", str(tmp_path / "cache"))


def lock(name: str) -> tuple[dict[str, Any], Recipe]:
    """Manifest and recipe of a frozen release."""
    return json.loads((LOCKS[name] / "manifest.json").read_bytes()), recipes.read(LOCKS[name] / "recipe.json")


def written(folder: Path, manifest: dict[str, Any], recipe: Recipe | None, files: dict[str, bytes]) -> Path:
    """Write data files and the metadata that a manifest gives; where the metadata are."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    path = folder / "croissant.json"
    path.write_bytes(croissant.render(manifest, recipe))
    return path


def read(path: Path, caplog: pytest.LogCaptureFixture) -> mlcroissant.Dataset:
    """A dataset as mlcroissant reads it. It must warn of nothing."""
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(jsonld=path)
    assert dataset.metadata.ctx.issues.report() == ""
    assert [record.getMessage() for record in caplog.records] == []
    return dataset


def plain(value: Any) -> Any:
    """A value of a record as JSON has it: text decoded, and the ids of fields cut down to the names of columns."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {name.rsplit("/", 1)[1]: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def records(dataset: mlcroissant.Dataset) -> dict[str, bytes]:
    """The records of every record set as canonical JSON Lines, by the data file that they should be of."""
    names = [some.id for some in dataset.metadata.record_sets]
    return {f"data/{name}.jsonl": canonical.lines(map(plain, dataset.records(record_set=name))) for name in names}


@pytest.mark.parametrize("name", LOCKS)
def test_rows_of_every_record_set(
    releases: dict[str, Path], name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each record set of each release has the rows of its file, byte for byte once they are written again as JSON.

    Of larger files rows are taken at even distances, so that the first and last levels are among them.
    """
    manifest, recipe = lock(name)
    data = {}
    for path, entry in manifest["files"].items():
        if "rows" in entry:
            lines = (releases[name] / path).read_bytes().splitlines(keepends=True)
            count = min(len(lines), SAMPLED)
            data[path] = b"".join(lines[place * (len(lines) - 1) // (count - 1)] for place in range(count))
            manifest["files"][path] = {"bytes": len(data[path]), "rows": count, "sha256": canonical.digest(data[path])}
    assert records(read(written(tmp_path, manifest, recipe, data), caplog)) == data


@pytest.mark.parametrize("name", LOCKS)
def test_frozen_release_is_valid(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The metadata of a frozen release are valid without a warning, and list its data files with checksum and size."""
    manifest, recipe = lock(name)
    dataset = read(written(tmp_path, manifest, recipe, {}), caplog)
    listed = {file.content_url: (file.sha256, file.content_size) for file in dataset.metadata.file_objects}
    entries = {path: entry for path, entry in manifest["files"].items() if path.startswith("data/")}
    assert listed == {path: (entry["sha256"], f"{entry['bytes']} B") for path, entry in entries.items()}
    for records in dataset.metadata.record_sets:
        assert [field.name for field in records.fields] == sorted(card.columns(manifest)["properties"])
    assert dataset.metadata.version == manifest["version"]


def test_whole_file(release: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file is read by the metadata of the whole release, when only that file is there."""
    manifest, recipe = lock("tracebench")
    data = (release / "data" / "d045.jsonl").read_bytes()
    dataset = read(written(tmp_path, manifest, recipe, {"data/d045.jsonl": data}), caplog)
    assert canonical.lines(map(plain, dataset.records(record_set="d045"))) == data


def test_other_bytes_are_refused(release: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file whose SHA-256 is not the listed one gives no records."""
    manifest, recipe = lock("tracebench")
    data = (release / "data" / "d045.jsonl").read_bytes().replace(b"YES", b"NO!", 1)
    dataset = read(written(tmp_path, manifest, recipe, {"data/d045.jsonl": data}), caplog)
    with pytest.raises(mlcroissant.GenerationError) as refused:
        next(iter(dataset.records(record_set="d045")))
    assert "Hash" in str(refused.value.__cause__)


@pytest.mark.parametrize("name", LOCKS)
def test_responsible_ai(name: str) -> None:
    """The eight fields are there and say something; rows come from the paper, rb-build and this very recipe."""
    manifest, recipe = lock(name)
    metadata = json.loads(croissant.render(manifest, recipe))
    assert [field for field in RESPONSIBLE if not metadata.get(field)] == []
    assert metadata["prov:wasDerivedFrom"]["name"] == card.about(name)["paper"]["title"]
    assert manifest["files"]["recipe.json"]["sha256"] in metadata["prov:wasGeneratedBy"]["description"]
    assert "not comparable" in metadata["description"]
    assert metadata["isLiveDataset"] is False
    assert metadata["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_mlcroissant_keeps_all_it_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No field is dropped when mlcroissant writes the metadata again, but the one whose value is False."""
    manifest, recipe = lock("tracebench")
    path = written(tmp_path, manifest, recipe, {})
    told = json.loads(path.read_bytes())
    kept = read(path, caplog).metadata.to_json()
    assert {name for name in told if name not in kept} <= {"isLiveDataset"}
    assert {name: kept[name] for name in RESPONSIBLE if name.startswith("rai:")} == {
        name: told[name] for name in RESPONSIBLE if name.startswith("rai:")
    }


def test_fresh_split(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The version of a fresh split is accepted, and its name tells it from the public release."""
    recipe = fresh_recipe(small())
    fresh = compile_release(recipe)
    path = written(tmp_path, fresh.manifest, recipe, fresh.files)
    dataset = read(path, caplog)
    assert (dataset.metadata.name, dataset.metadata.version) == ("TRACEBench 0.1.0-fabcdef12", "0.1.0-fabcdef12")
    assert records(dataset) == {name: data for name, data in fresh.files.items() if name.startswith("data/")}


@pytest.mark.parametrize("field", ["level", "config"])
def test_blind_split(tmp_path: Path, caplog: pytest.LogCaptureFixture, field: str) -> None:
    """Of a blind split the metadata describe prompts alone, and name the commitment in place of a recipe."""
    blind: Compiled = blind_of("tracebench", field)
    path = written(tmp_path, blind.manifest, None, blind.files)
    assert records(read(path, caplog)) == {"data/test.jsonl": blind.files["data/test.jsonl"]}
    metadata = json.loads(path.read_bytes())
    assert [each["name"] for each in metadata["recordSet"][0]["field"]] == sorted(["id", field, "prompt"])
    assert blind.manifest["blind"]["commitment"] in metadata["prov:wasGeneratedBy"]["description"]
