"""The dataset card: what it says, and that the real ``datasets`` and pandas read a folder by it as its data files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

from conftest import REPO
from hub_commands import build
from hub_server import NOWHERE, environment
from rb_build import card
from rb_build import recipe as recipes
from rb_build.recipe import Recipe
from rb_build.release import compile_release
from rb_verify import canonical
from rb_verify.release import read_manifest
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat
from split_cases import COMMITMENT, blind_of, fresh_recipe

MANIFESTS: dict[str, dict[str, Any]] = {
    path.parts[-3]: json.loads(path.read_bytes()) for path in sorted((REPO / "releases").glob("*/1.0.0/manifest.json"))
}
DATA = [(name, p) for name, manifest in MANIFESTS.items() for p, entry in sorted(manifest["files"].items()) if "rows" in entry]
TITLES = {"reefbench": "# ReEfBench", "tracebench": "# TRACEBench", "twosat": "# 2-SAT families"}
SECTIONS = [
    "Load and verify",
    "Regenerate",
    "Configs",
    "Fields",
    "What needs no reasoning scores",
    "What it measures, and what it does not",
    "How rows were made and proved",
    "Recommended settings",
    "Uses, limits and biases",
    "Cite",
    "Release",
]
TEXTS = ["biases", "description", "limitations", "novelty", "personal_information", "pretty_name", "social_impact", "use_cases"]
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")

# Each split into a cache of its own: for a folder, the key of datasets' cache holds neither its path nor its content.
LOAD = """
import json, sys
from pathlib import Path
from datasets import load_dataset
folder, home, *splits = sys.argv[1:]
for name in splits:
    config, split = name.split(".")
    loaded = load_dataset(folder, config, split=split, cache_dir=f"{home}/cache-{name}")
    Path(home, f"{name}.jsonl").write_text("".join(json.dumps(row) + "\\n" for row in loaded), "utf-8")
"""


def load(folder: Path, home: Path, *splits: str) -> subprocess.CompletedProcess[str]:
    """Load splits, named CONFIG.SPLIT, of a release folder with ``datasets``; the rows are written to ``home``."""
    command = [sys.executable, "-c", LOAD, str(folder), str(home), *splits]
    return subprocess.run(command, env=environment(NOWHERE, home, HF_HUB_OFFLINE="1"), capture_output=True, text=True)


def written(path: Path) -> bytes:
    """The rows that ``load`` wrote, as a data file holds them."""
    return canonical.lines(map(json.loads, path.read_text("utf-8").splitlines()))


def parts(text: bytes) -> tuple[dict[str, Any], str]:
    """A card's YAML header, and its prose."""
    _, header, prose = text.decode().split("---\n", 2)
    return yaml.safe_load(header), prose


def sections(prose: str) -> dict[str, str]:
    """The sections of a card by title."""
    return {part.partition("\n")[0]: part for part in re.split(r"^## ", prose, flags=re.MULTILINE)[1:]}


def words(text: str) -> str:
    """Text without its line breaks."""
    return " ".join(text.split())


@pytest.fixture(scope="module")
def cards(releases: dict[str, Path]) -> dict[str, tuple[dict[str, Any], str]]:
    """Each card's YAML header, and its prose."""
    return {name: parts((folder / "README.md").read_bytes()) for name, folder in releases.items()}


def strings(value: Any) -> Iterator[str]:
    """Every string inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small release. Tests must not change it."""
    place = tmp_path_factory.mktemp("small") / "release"
    build(place, small())
    return place


def test_folder_loads(folder: Path, tmp_path: Path) -> None:
    """``datasets`` loads a release from its folder too, each split as the rows of its files."""
    configs = read_manifest(folder)["configs"]
    files = {f"{config}.{split}": paths for config, splits in configs.items() for split, paths in splits.items()}
    result = load(folder, tmp_path, *files)
    assert result.returncode == 0, result.stderr
    for name, paths in files.items():
        assert written(tmp_path / f"{name}.jsonl") == b"".join((folder / path).read_bytes() for path in paths)


@pytest.mark.slow
def test_lost_row_stops_loading(folder: Path, tmp_path: Path) -> None:
    """The declared counts are exact, so ``datasets`` refuses a file that lost its last row."""
    lost = shutil.copytree(folder, tmp_path / "lost")
    lines = (folder / "data" / "d045.jsonl").read_bytes().splitlines(keepends=True)
    (lost / "data" / "d045.jsonl").write_bytes(b"".join(lines[:-1]))
    result = load(lost, tmp_path, "default.test")
    assert result.returncode == 1
    assert "NonMatchingSplitsSizesError" in result.stderr


@pytest.mark.parametrize(("name", "path"), DATA)
def test_pandas_reads_the_data(releases: dict[str, Path], name: str, path: str) -> None:
    """pandas reads each data file, with a column for each field and a line for each row."""
    frame = pandas.read_json(releases[name] / path, lines=True)
    first = json.loads((releases[name] / path).read_bytes().split(b"\n", 1)[0])
    assert len(frame) == MANIFESTS[name]["files"][path]["rows"]
    assert list(frame.columns) == list(first)


@pytest.mark.parametrize(("name", "path"), DATA)
def test_no_string_is_an_iso_date(releases: dict[str, Path], name: str, path: str) -> None:
    """No string of a row begins like an ISO date, which ``datasets`` would rewrite; the canary is in every row."""
    lines = (releases[name] / path).read_bytes().splitlines()
    assert [text for line in lines for text in strings(json.loads(line)) if ISO_DATE.match(text)] == []
    assert {json.loads(line)["canary"] for line in lines} == {MANIFESTS[name]["canary"]}


@pytest.mark.parametrize("name", MANIFESTS)
def test_card_begins_with_what_it_is_not(cards: dict[str, tuple[dict[str, Any], str]], name: str) -> None:
    """The first paragraph under the title says that this is an independent re-implementation, and what follows from it."""
    title, paragraph = cards[name][1].strip().split("\n\n")[:2]
    assert title == TITLES[name]
    said = " ".join(paragraph.split())
    assert said.startswith("An independent re-implementation")
    assert "not comparable" in said
    assert MANIFESTS[name]["canary"] in cards[name][1]


@pytest.mark.parametrize("name", MANIFESTS)
def test_head_is_complete(name: str) -> None:
    """The head of each dataset's card says all that is used in several places, and has a line on each frozen version."""
    about = card.about(name)
    assert [key for key in TEXTS if not about[key].strip()] == []
    assert about["keywords"]
    assert set(about["paper"]) <= {"title", "authors", "year", "url"}
    versions = {path.parent.name for path in (REPO / "releases" / name).glob("*/manifest.json")}
    assert versions <= about["history"].keys()


@pytest.mark.parametrize("name", MANIFESTS)
def test_sections(cards: dict[str, tuple[dict[str, Any], str]], name: str) -> None:
    """Each card has every section, tells how to do each thing by the right names, and says each text of its head once."""
    prose = cards[name][1]
    found = sections(prose)
    assert [title for title in SECTIONS if title not in found] == []
    assert "Fresh split" not in found
    assert f'load_dataset("ORG/{name}", "default", split="test", revision="v1.0.0")' in found["Load and verify"]
    assert f"--release ORG/{name}@v1.0.0" in found["Load and verify"]
    for command in (f"build {name}@1.0.0 ", f"fresh {name} --seed TEXT --out DIR ", f"audit ORG/{name}@v1.0.0 "):
        assert f"rb-build {command}" in found["Regenerate"]
    assert "self-reported, gold public" in found["Release"]
    assert "CC BY 4.0" in found["Release"]
    assert "Apache-2.0" in found["Release"]
    assert f"- 1.0.0: {card.about(name)['history']['1.0.0']}." in found["Release"]
    assert "None known." in found["Release"]
    for key in ("biases", "description", "limitations", "personal_information", "social_impact", "use_cases"):
        assert words(prose).count(words(card.about(name)[key])) == 1


@pytest.mark.parametrize("name", MANIFESTS)
def test_citation_agrees_with_the_projects(cards: dict[str, tuple[dict[str, Any], str]], name: str) -> None:
    """The card cites the paper and this project by the titles and authors that CITATION.cff has."""
    cff = yaml.safe_load((REPO / "CITATION.cff").read_text("utf-8"))
    paper = card.about(name)["paper"]
    cited = sections(cards[name][1])["Cite"]
    assert paper["title"] in [work["title"] for work in cff["references"]]
    assert f"title = {{{{{paper['title']}}}}}" in cited
    assert all(author in cited for author in paper["authors"])
    assert cff["title"] in cited
    assert f"author = {{{{{cff['authors'][0]['name']}}}}}" in cited
    assert MANIFESTS[name]["content_digest"] in cited


@pytest.mark.parametrize("data", [small(), small_twosat(), small_reefbench()], ids=lambda data: data["dataset"])
def test_bytes_depend_on_manifest_and_recipe_alone(data: dict[str, Any]) -> None:
    """A card is the same whatever order the manifest's keys have; a recipe of its own is told from a public release."""
    recipe = recipes.parse(data, "small")
    manifest = compile_release(recipe).manifest
    text = card.render(manifest, recipe)
    assert card.render(backwards(manifest), recipe) == text
    assert "- 0.1.0: built from a recipe of its own, not a public release." in sections(parts(text)[1])["Release"]


def backwards(value: Any) -> Any:
    """A JSON value with the keys of every object in reverse."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


def fresh_card(shared: list[str], rejected: int) -> tuple[Recipe, tuple[dict[str, Any], str]]:
    """The recipe and card of a fresh split that shares structures, and rejected draws, in level 10."""
    recipe = fresh_recipe(small(), "a" * 64, "b" * 64)
    manifest = compile_release(recipe).manifest
    for unit, notes in manifest["structures"].items():
        told = unit == "d010" and (shared or rejected)
        pool = {"drawn": None, "excluded": 2, "pool": 40} if told else {"drawn": 64, "excluded": None, "pool": None}
        notes |= {"overlap": shared if told else [], "rejected": rejected if told else 0} | pool
    return recipe, parts(card.render(manifest, recipe))


def test_fresh_card_that_shares_nothing() -> None:
    """A fresh split's card names what was excluded, says that nothing is shared, and goes by its own repository."""
    _, (header, prose) = fresh_card([], 0)
    found = sections(prose)
    assert header["pretty_name"] == "TRACEBench 0.1.0-fabcdef12"
    assert prose.startswith("# TRACEBench 0.1.0-fabcdef12\n")
    assert "- tracebench@0.1.0: 2 structures\n" in found["Fresh split"]
    assert "**No structure is shared with them.**" in found["Fresh split"]
    assert "|" not in found["Fresh split"]
    assert '"ORG/tracebench-fabcdef12", "default", split="test", revision="v0.1.0-fabcdef12"' in found["Load and verify"]
    assert "rb-build build RELEASE_FOLDER/recipe.json --out DIR" in found["Regenerate"]
    assert "rb-build fresh" not in found["Regenerate"]
    assert "recipe of 2026-11-30" in words(found["Release"])
    assert "- 0.1.0-fabcdef12: this fresh split." in found["Release"]


def test_fresh_card_that_shares_structures() -> None:
    """Units that share excluded structures are told of, with how many, the pool and the draws rejected; others are not."""
    _, (_, prose) = fresh_card(["a" * 64], 7)
    section = sections(prose)["Fresh split"]
    assert "**1 structure is shared with them**" in words(section)
    assert "No structure is shared" not in section
    assert [line for line in section.splitlines() if line.startswith("| d")] == ["| d010 | 6 | 1 | 40 | 2 | 7 |"]


def test_fresh_card_with_rejected_draws() -> None:
    """Rejected draws are told of where nothing is shared, too."""
    _, (_, prose) = fresh_card([], 3)
    section = sections(prose)["Fresh split"]
    assert "**No structure is shared with them.**" in section
    assert "| d010 | 6 | 0 | 40 | 2 | 3 |" in section.splitlines()


@pytest.mark.parametrize("name", MANIFESTS)
@pytest.mark.parametrize(("field", "config"), [("level", "default"), ("config", "twins")])
def test_blind_card(name: str, field: str, config: str) -> None:
    """A blind split's card declares prompts alone, and says that gold is withheld, what is promised and how to check it."""
    manifest = blind_of(name, field, config).manifest
    header, prose = parts(card.render(manifest, None))
    [info], [shown] = header["dataset_info"], header["configs"]
    dtype = "int64" if field == "level" else "string"
    assert info["features"] == [
        {"name": column, "dtype": dtype if column == field else "string"} for column in sorted([field, "id", "prompt"])
    ]
    assert info["splits"] == [{"name": "test", "num_bytes": manifest["files"]["data/test.jsonl"]["bytes"], "num_examples": 2}]
    assert shown == {
        "config_name": config,
        **({"default": True} if config == "default" else {}),
        "data_files": [{"split": "test", "path": ["data/test.jsonl"]}],
    }
    found = sections(prose)
    assert "**The gold answers are not published**" in found["Blind split"]
    assert f'"ORG/{name}-fabcdef12", "{config}", split="test", revision="v0.1.0-fabcdef12-blind"' in found["Blind split"]
    assert '`{"id": ..., "response": ...}` a line' in words(found["How to answer"])
    promised = found["What is promised, and what will be published"]
    assert f"    {COMMITMENT}\n" in promised
    assert "version 0.1.0-fabcdef12, are published" in words(promised)
    assert "sha256sum recipe.json" in promised
    assert f"--commitment {COMMITMENT} --split ORG/{name}-fabcdef12@v0.1.0-fabcdef12-blind --out DIR" in promised
    assert manifest["canary"] in found["Release"]
    assert "CC BY 4.0" in found["Release"]
    assert "recipe.json" not in manifest["files"]


def test_blind_split_loads(tmp_path: Path) -> None:
    """``datasets`` loads a blind split by its card, with the three declared features and nothing else."""
    blind = blind_of("tracebench", "level")
    folder = tmp_path / "blind"
    for path, data in (blind.files | {"README.md": card.render(blind.manifest, None)}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    result = load(folder, tmp_path, "default.test")
    assert result.returncode == 0, result.stderr
    assert written(tmp_path / "default.test.jsonl") == blind.files["data/test.jsonl"]
