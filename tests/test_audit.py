"""rb-build audit, through the real client against a loopback Hub: what is published is what is frozen, or it is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hub_commands import Commands, build, commands, recipe, refusal
from hub_server import BORN_WITH, Hub, serve
from rb_build import recipe as recipes
from rb_build import release
from rb_build.blind import again, blind
from rb_build.release import documents, manifest
from rb_verify import canonical

REPO = "org/tracebench"
NAME = f"{REPO}@v0.1.0"
FRESH = "0.1.0-f01234567"
DATA = "data/d010.jsonl"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the frozen releases."""
    return tmp_path_factory.mktemp("frozen")


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    """The files of releases by version. All but the fresh one are frozen."""
    made = {}
    for version in ("0.1.0", "0.2.0", FRESH):
        folder = tmp_path_factory.mktemp("built") / version
        made[version] = build(folder, recipe(version, seed=version))
        if version != FRESH:
            lock = root / "tracebench" / version
            lock.mkdir(parents=True)
            for name in ("recipe.json", "manifest.json"):
                shutil.copy(folder / name, lock / name)
    return made


@pytest.fixture(scope="module")
def one_hub() -> Iterator[Hub]:
    """A Hub, and never another: a client reads once where it is."""
    with serve({}) as running:
        yield running


@pytest.fixture(scope="module")
def rb_build(one_hub: Hub, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Runs rb-build as a client of the Hub."""
    with commands(one_hub.url, tmp_path_factory.mktemp("home"), RB_RELEASES=str(root)) as running:
        yield running


@pytest.fixture
def hub(one_hub: Hub, built: dict[str, Files]) -> Hub:
    """The Hub with both frozen releases."""
    one_hub.refs.clear()
    one_hub.commits.clear()
    one_hub.private.clear()
    one_hub.tokens = None
    for version in ("0.1.0", "0.2.0"):
        publish(one_hub, REPO, f"v{version}", built[version])
    return one_hub


def publish(hub: Hub, repo: str, tag: str, files: Files) -> str:
    """Commit to main and tag it, as a push does. Returns the commit."""
    commit = hub.put(repo, {**BORN_WITH, **files})
    hub.move(repo, tag, commit)
    return commit


def sound(rb_build: Commands, name: str = NAME) -> str:
    """What the audit of a sound release prints."""
    result = rb_build("audit", name)
    assert (result.code, result.stderr) == (0, ""), result
    return result.stdout


def unsound(rb_build: Commands, name: str = NAME) -> str:
    """What the audit of another release prints."""
    result = rb_build("audit", name)
    assert refusal(result, 3).startswith(f"rb-build: {name}: ")
    return result.stdout


def altered(data: bytes) -> bytes:
    """One byte changed, in the middle."""
    middle = len(data) // 2
    return data[:middle] + (b"x" if data[middle : middle + 1] != b"x" else b"y") + data[middle + 1 :]


def test_sound_release(hub: Hub, rb_build: Commands) -> None:
    """Everything that was seen is told, with the commit."""
    said = sound(rb_build)
    assert hub.refs[REPO]["v0.1.0"] in said
    assert "every file is as the frozen manifest lists it" in said
    assert "rebuilt from the frozen recipe: every byte is the same" in said
    assert "header" in said


def test_moved_tag(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """A tag that points at another, sound release is not what is frozen under its name."""
    hub.move(REPO, "v0.1.0", hub.refs[REPO]["v0.2.0"])
    said = unsound(rb_build)
    assert hub.refs[REPO]["v0.2.0"] in said
    for path in (DATA, "recipe.json", "manifest.json"):
        here, there = canonical.digest(built["0.1.0"][path]), canonical.digest(built["0.2.0"][path])
        assert f"{path}: sha256 is {there}, expected {here}" in said
    assert f"a rebuild from the recipe differs first in {DATA}, line 1" in said


@pytest.mark.parametrize(
    "path", [DATA, "schemas/tracebench.schema.json", "schemas/prediction.schema.json", "recipe.json", "manifest.json"]
)
def test_changed_byte(hub: Hub, rb_build: Commands, built: dict[str, Files], path: str) -> None:
    """One byte of any file that the manifest covers, and of the manifest, is found: the file is named with both digests."""
    data = built["0.1.0"][path]
    publish(hub, REPO, "v0.1.0", {**built["0.1.0"], path: altered(data)})
    said = unsound(rb_build)
    assert f"{path}: sha256 is {canonical.digest(altered(data))}, expected {canonical.digest(data)}" in said
    assert said.count("sha256 is") == 1
    assert ("differs first in" in said) == (path != "manifest.json")


def test_changed_row_is_named(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """The rebuild tells which line differs."""
    lines = built["0.1.0"][DATA].splitlines(keepends=True)
    lines[6] = altered(lines[6])
    publish(hub, REPO, "v0.1.0", {**built["0.1.0"], DATA: b"".join(lines)})
    assert f"differs first in {DATA}, line 7" in unsound(rb_build)


@pytest.mark.parametrize("path", [DATA, "recipe.json", "manifest.json", "README.md", "croissant.json"])
def test_missing_file(hub: Hub, rb_build: Commands, built: dict[str, Files], path: str) -> None:
    """A file that is not there is named."""
    publish(hub, REPO, "v0.1.0", {name: data for name, data in built["0.1.0"].items() if name != path})
    assert f"{path}: is missing" in unsound(rb_build)


@pytest.mark.parametrize("path", ["data/more.jsonl", "tracebench.py", ".hidden"])
def test_extra_file(hub: Hub, rb_build: Commands, built: dict[str, Files], path: str) -> None:
    """A file that no manifest lists is named, wherever it is."""
    publish(hub, REPO, "v0.1.0", {**built["0.1.0"], path: b"{}\n"})
    assert f"{path}: is listed in no manifest" in unsound(rb_build)


def first_config(card: bytes) -> bytes:
    """A card whose first config loads another file."""
    return card.replace(b"data/d010.jsonl", b"data/other.jsonl", 1)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (first_config, "configs"),
        (lambda card: card.replace(b"num_examples: ", b"num_examples: 1", 1), "dataset_info"),
        (lambda card: card.replace(b"license: cc-by-4.0", b"license: mit", 1), "license"),
        (lambda card: b"no header at all\n", "configs"),
        (lambda card: card.replace(b"---\n", b"---\n[", 1), "configs"),
    ],
    ids=["config", "count", "license", "none", "broken"],
)
def test_changed_header(
    hub: Hub, rb_build: Commands, built: dict[str, Files], change: Callable[[bytes], bytes], key: str
) -> None:
    """A card whose header says anything else than rb-build writes is a fault: clients read rows by it."""
    card = built["0.1.0"]["README.md"]
    assert change(card) != card
    publish(hub, REPO, "v0.1.0", {**built["0.1.0"], "README.md": change(card)})
    assert f"README.md: {key} is not as rb-build writes it" in unsound(rb_build)


def test_changed_prose_is_a_note(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """What a card says beside its header may be mended, and so may what Croissant says beside files and records."""
    croissant = json.loads(built["0.1.0"]["croissant.json"]) | {"description": "mended"}
    mended = {"README.md": built["0.1.0"]["README.md"] + b"Mended.\n", "croissant.json": json.dumps(croissant).encode()}
    publish(hub, REPO, "v0.1.0", built["0.1.0"] | mended)
    said = sound(rb_build)
    for path in mended:
        assert f"{path}: its prose is not as this rb-build writes it" in said


@pytest.mark.parametrize("key", ["distribution", "recordSet"])
def test_changed_croissant(hub: Hub, rb_build: Commands, built: dict[str, Files], key: str) -> None:
    """Croissant's files and records are read by clients too."""
    croissant = json.loads(built["0.1.0"]["croissant.json"])
    croissant[key][0]["name"] += " other"
    publish(hub, REPO, "v0.1.0", built["0.1.0"] | {"croissant.json": json.dumps(croissant).encode()})
    assert f"croissant.json: {key} is not as rb-build writes it" in unsound(rb_build)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{REPO}@v9.9.9", "RevisionNotFound"),
        ("org/twosat@v0.1.0", "RepositoryNotFound"),
        (REPO, "name it like org/tracebench@v1.0.0"),
        (f"{REPO}@main", "name it like org/tracebench@v1.0.0"),
        ("tracebench@0.1.0", "name it like org/tracebench@v1.0.0"),
    ],
)
def test_unreadable_names(hub: Hub, rb_build: Commands, name: str, words: str) -> None:
    """What is not there, and what is no name of a tag, is one sentence."""
    result = rb_build("audit", name)
    assert words in refusal(result, 2)
    assert name in result.stderr
    assert result.stdout == ""


def test_private_release(hub: Hub, rb_build: Commands) -> None:
    """A private release cannot be read without a token, and is audited with one."""
    hub.private.add(REPO)
    hub.tokens = {"hf_right"}
    assert "hf auth login" in refusal(rb_build("audit", NAME, HF_TOKEN=""), 2)
    assert rb_build("audit", NAME, HF_TOKEN="hf_right").code == 0


def test_frozen_manifest_must_be_sound(hub: Hub, rb_build: Commands, built: dict[str, Files], tmp_path: Path) -> None:
    """A frozen manifest that was tampered with audits nothing."""
    lock = tmp_path / "tracebench" / "0.1.0"
    lock.mkdir(parents=True)
    (lock / "recipe.json").write_bytes(built["0.1.0"]["recipe.json"])
    (lock / "manifest.json").write_bytes(built["0.1.0"]["manifest.json"].replace(b"2026-11-30", b"2026-11-29"))
    result = rb_build("audit", NAME, RB_RELEASES=str(tmp_path))
    refusal(result, 3)
    assert "its own digest does not match" in result.stdout


def fresh_name(version: str = FRESH) -> str:
    """The published name of a fresh split."""
    return f"{REPO}-f01234567@v{version}"


def test_fresh_split(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """What is not frozen here is held against its own manifest and recipe, and that is said."""
    publish(hub, f"{REPO}-f01234567", f"v{FRESH}", built[FRESH])
    said = sound(rb_build, fresh_name())
    assert "every file is as its own manifest lists it" in said
    assert "rebuilt from its own recipe: every byte is the same" in said
    assert "not frozen here" in said


@pytest.mark.parametrize("path", [DATA, "recipe.json", "manifest.json"])
def test_changed_byte_of_a_fresh_split(hub: Hub, rb_build: Commands, built: dict[str, Files], path: str) -> None:
    """A change of any file is found by its manifest, or by the manifest's own digest."""
    publish(hub, f"{REPO}-f01234567", f"v{FRESH}", built[FRESH] | {path: altered(built[FRESH][path])})
    assert path in unsound(rb_build, fresh_name())


def test_fresh_split_of_another_seed(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """Rows that the recipe does not give are found by the rebuild alone, under a manifest that is sound in itself."""
    told = recipes.parse(recipe(FRESH, seed="told"), "told")
    rows = [json.loads(line) for line in built[FRESH][DATA].splitlines()]
    contents = release.contents(told, {"d010": rows})
    made = manifest(told, contents, {DATA: rows}, json.loads(built[FRESH]["manifest.json"])["structures"])
    files = contents | documents(made, told) | {"manifest.json": canonical.pretty(made)}
    publish(hub, f"{REPO}-f01234567", f"v{FRESH}", files)
    said = unsound(rb_build, fresh_name())
    assert "a rebuild from the recipe is another release" in said
    assert "is the first that differs" in said
    assert "every file is as its own manifest lists it" in said


def test_tag_of_another_version(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """A sound release under a tag of another version, which is not frozen, is a fault."""
    publish(hub, REPO, "v0.3.0", built["0.2.0"])
    assert "is of tracebench@0.2.0, the tag of tracebench@0.3.0" in unsound(rb_build, f"{REPO}@v0.3.0")


def test_no_release_at_all(hub: Hub, rb_build: Commands) -> None:
    """A tag without a manifest, of nothing frozen, cannot be audited."""
    publish(hub, REPO, "v0.3.0", {"README.md": b"x"})
    assert "has no manifest.json" in refusal(rb_build("audit", f"{REPO}@v0.3.0"), 2)


def test_blind_split(hub: Hub, rb_build: Commands, built: dict[str, Files]) -> None:
    """A blind split is held against its own manifest; that it cannot be rebuilt yet is said.

    Rows that tell their answers are found, under a manifest that is sound in itself.
    """
    rows = [json.loads(line) for line in built[FRESH][DATA].splitlines()]
    secret = recipes.parse(recipe(FRESH, seed=FRESH), "secret")
    made = blind(secret, json.loads(built[FRESH]["manifest.json"]), rows, "default")
    files = made.files | documents(made.manifest, None) | {"manifest.json": canonical.pretty(made.manifest)}
    version = f"{FRESH}-blind"
    publish(hub, f"{REPO}-f01234567", f"v{version}", files)
    said = sound(rb_build, fresh_name(version))
    assert "cannot be rebuilt before its seed is revealed" in said
    publish(hub, f"{REPO}-f01234567", f"v{version}", files | {"data/test.jsonl": altered(files["data/test.jsonl"])})
    assert "data/test.jsonl: sha256 is" in unsound(rb_build, fresh_name(version))
    telling = [json.loads(line) | {"answer": "YES"} for line in files["data/test.jsonl"].splitlines()]
    made = again(made.manifest, {"data/test.jsonl": telling})
    files = made.files | documents(made.manifest, None) | {"manifest.json": canonical.pretty(made.manifest)}
    publish(hub, f"{REPO}-f01234567", f"v{version}", files)
    assert "'answer' was unexpected" in unsound(rb_build, fresh_name(version))
