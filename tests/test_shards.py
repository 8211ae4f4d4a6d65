"""Fresh splits in shards: a digest over all, however they were made; each a release; nothing left of a killed run."""

from __future__ import annotations

import fcntl
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commands import freeze, rb_build, rb_verify
from rb_build import fresh, release, shards
from rb_build.errors import UnusableRecipe
from rb_build.shards import PLAN, SPLIT, Plan
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch, UnusableInput
from small_recipe import small

SEED, NUMBER = "2026-12-01", 3
TIERS = ("d010", "d045")


def tiny() -> dict[str, Any]:
    """A recipe of two files, the first of a pool that every split draws the same few structures from."""
    recipe = small(configs={"default": {"test": [*TIERS]}})
    tiers = {tier["config"]: tier for tier in recipe["params"]["tiers"]}
    recipe["params"]["tiers"] = [tiers[name] | {"graphs": 6, "questions": 6} for name in TIERS]
    return recipe


def planned(number: int = NUMBER, seed: str = SEED, overlap: str = "instance") -> Plan:
    """The plan of a split of the tiny recipe."""
    return shards.plan("tracebench@0.1.0", seed, [], overlap, number, None)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """All rows of a release folder."""
    return [json.loads(line) for path in sorted((folder / "data").iterdir()) for line in path.open("rb")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder where the tiny recipe is frozen, with a whole split of it beside; it is the working folder."""
    root = tmp_path_factory.mktemp("shards")
    freeze(tiny(), root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        shards.build(root / "whole", planned())
        yield root


@pytest.fixture
def split(home: Path, tmp_path: Path) -> Path:
    """A copy of the whole split, to be changed."""
    shutil.copytree(home / "whole", tmp_path / "split")
    return tmp_path / "split"


def test_a_split_tells_of_its_shards(home: Path) -> None:
    """Rows, structures and digests of split.json are those of the rows and manifests; no row id comes twice."""
    told = json.loads((home / "whole" / SPLIT).read_bytes())
    names = [f"shard-{number:05d}" for number in range(NUMBER)]
    assert sorted(path.name for path in (home / "whole").iterdir()) == [*names, SPLIT, PLAN]
    rows = {name: rows_of(home / "whole" / name) for name in names}
    manifests = [json.loads((home / "whole" / name / "manifest.json").read_bytes()) for name in names]
    assert told["rows"] == sum(map(len, rows.values())) == 36
    assert told["shards"] == [
        {key: manifest[key] for key in ("content_digest", "manifest_sha256", "version")} | {"rows": 12}
        for manifest in manifests
    ]
    assert len({row["id"] for some in rows.values() for row in some}) == 36
    places = Counter(signature for some in rows.values() for signature in {row["signature"] for row in some})
    repeated = sum(number > 1 for number in places.values())
    assert told["structures"] == {"distinct": len(places), "repeated": repeated}
    assert 0 < repeated < len(places)
    digest = told.pop("split_digest")
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    assert digest == hashlib.sha256(text.encode()).hexdigest()
    assert told["plan_sha256"] == hashlib.sha256((home / "whole" / PLAN).read_bytes()).hexdigest()


def test_a_shard_is_the_fresh_split_of_its_seed(home: Path, tmp_path: Path) -> None:
    """Built alone from its seed, without plan or neighbours, a shard has the same bytes."""
    recipe = fresh.fresh("tracebench@0.1.0", f"{SEED}/shard-00001", [], "instance")
    release.write(tmp_path / "alone", recipe, release.compile_release(recipe))
    assert contents(tmp_path / "alone") == contents(home / "whole" / "shard-00001")


def test_the_split_is_sound(home: Path) -> None:
    """Nothing is wrong with a split as it is made."""
    assert shards.check(home / "whole") == []


def test_processes_make_the_same_bytes(home: Path, tmp_path: Path) -> None:
    """An executor's split is that of one process, and each shard is told once it is there."""
    done: list[int] = []
    with ProcessPoolExecutor(2) as pool:
        shards.build(tmp_path / "split", planned(), pool, done.append)
    assert contents(tmp_path / "split") == contents(home / "whole")
    assert done == [1] * NUMBER


def killed(target: Path, flush: int | None, renamed: str | None) -> None:
    """Build a split, and be killed at a flush, or just before a file gets its final name."""
    left = [flush]
    real_flush, real_replace = os.fsync, Path.replace

    def fsync(handle: int) -> None:
        real_flush(handle)
        if left[0] is not None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def replace(path: Path, name: Path) -> Path:
        if Path(name).name == renamed:
            os.kill(os.getpid(), signal.SIGKILL)
        return real_replace(path, name)

    os.fsync = fsync
    Path.replace = replace  # type: ignore[assignment, method-assign]
    shards.build(target, planned())


@pytest.mark.parametrize(
    ("flush", "renamed", "whole"),
    [(None, PLAN, 0), (1, None, 0), (8, None, 0), (9, None, 1), (12, None, 1), (26, None, 2), (None, SPLIT, 3)],
    ids=["plan", "first file", "last file", "folder", "second shard", "third shard", "split"],
)
def test_killed_and_run_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flush: int | None, renamed: str | None, whole: int
) -> None:
    """Killed anywhere, a split is not whole; run again, it keeps what is whole and comes out as if it had never been killed."""
    target = tmp_path / "split"
    process = multiprocessing.get_context("fork").Process(target=killed, args=(target, flush, renamed))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert sorted(path.name for path in target.glob("shard-*")) == [f"shard-{number:05d}" for number in range(whole)]
    assert not (target / SPLIT).exists()
    if renamed != PLAN:
        with pytest.raises(UnusableInput, match="not whole"):
            shards.check(target)
    made = counted(monkeypatch)
    shards.build(target, planned())
    assert len(made) == NUMBER - whole
    assert contents(target) == contents(home / "whole")


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list to which each release that is built adds its seed."""
    made: list[str] = []
    real = release.compile_release

    def compile_release(recipe: Any) -> Any:
        made.append(recipe.seed)
        return real(recipe)

    monkeypatch.setattr(release, "compile_release", compile_release)
    return made


def damage(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


FILES = [
    *("README.md", "croissant.json", "manifest.json", "recipe.json"),
    *(f"data/{name}.jsonl" for name in TIERS),
    *(f"schemas/{name}.schema.json" for name in ("prediction", "tracebench")),
]


@pytest.mark.parametrize("name", FILES)
def test_a_changed_bit_is_named_and_mended(home: Path, split: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whichever file of a shard has one bit changed, check names it; the same command builds that shard again, and no other."""
    assert set(contents(split / "shard-00001")) == {*FILES}
    damage(split / "shard-00001" / name)
    faults = shards.check(split)
    assert faults
    assert all(f"shard-00001/{name}" in fault for fault in faults)
    made = counted(monkeypatch)
    shards.build(split, planned())
    assert made == [f"{SEED}/shard-00001"]
    assert contents(split) == contents(home / "whole")


@pytest.mark.parametrize("name", [PLAN, SPLIT])
def test_a_changed_bit_above_the_shards_is_named(split: Path, name: str) -> None:
    """A bit of the plan or of split.json is named too."""
    damage(split / name)
    with pytest.raises(ReleaseMismatch, match=f"{split / name}: "):
        shards.check(split)


def forge(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change split.json, its digest made to fit."""
    told = json.loads((folder / SPLIT).read_bytes())
    change(told)
    del told["split_digest"]
    told["split_digest"] = canonical.digest(canonical.dumps(told).encode())
    (folder / SPLIT).write_bytes(canonical.pretty(told))


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("rows", lambda told: told.update(rows=37)),
        ("seed", lambda told: told.update(seed="another")),
        ("structures", lambda told: told["structures"].update(repeated=told["structures"]["repeated"] - 1)),
        ("structures", lambda told: told["structures"].update(distinct=told["structures"]["distinct"] + 1)),
        ("shards", lambda told: told["shards"][1].update(content_digest="0" * 64)),
        ("shards", lambda told: told["shards"].pop()),
    ],
    ids=["rows", "seed", "repeated", "distinct", "digest", "number"],
)
def test_what_is_told_is_proved(split: Path, key: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """What split.json says of its shards is counted again, so a forged digest helps nothing."""
    forge(split, change)
    assert [fault.split(": ")[1].split()[0] for fault in shards.check(split)] == [key]


def test_shards_are_in_their_places(split: Path) -> None:
    """A shard in another's place is sound as a release, but not this shard; one that is missing or too many is named."""
    (split / "shard-00000").rename(split / "aside")
    (split / "shard-00001").rename(split / "shard-00000")
    (split / "aside").rename(split / "shard-00001")
    (split / "shard-00002").rename(split / "shard-00003")
    faults = shards.check(split)
    assert f"{split / 'shard-00003'}: is no shard of this split; remove it" in faults
    assert [fault for fault in faults if str(split / "shard-00000/recipe.json") in fault]
    assert [fault for fault in faults if str(split / "shard-00001/recipe.json") in fault]
    assert [fault for fault in faults if str(split / "shard-00002") in fault]
    assert len(faults) == 4


@pytest.mark.parametrize("another", [{"seed": "another"}, {"number": 2}, {"number": 4}], ids=["seed", "fewer", "more"])
def test_another_split_is_refused(home: Path, split: Path, another: dict[str, Any]) -> None:
    """A folder holds the split that was begun there, and the message tells which that is."""
    with pytest.raises(UnusableRecipe, match=rf"is of another split, .*'{SEED}' in 3 shards, .*repeat its command, or"):
        shards.build(split, planned(**another))
    assert contents(split) == contents(home / "whole")


def test_a_folder_of_other_things_is_refused(home: Path, tmp_path: Path) -> None:
    """Nothing is written beside what somebody else keeps."""
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(UnusableRecipe, match="exists and is no sharded split"):
        shards.build(tmp_path, planned())
    assert contents(tmp_path) == {"notes": b"mine"}


def test_two_runs_do_not_meet(home: Path, split: Path) -> None:
    """While one run is at work in a folder, another is refused there."""
    handle = os.open(split, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(UnusableRecipe, match="another run is at work there"):
            shards.build(split, planned())
    finally:
        os.close(handle)
    shards.build(split, planned())


def test_equal_versions_are_refused(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two shards with one mark would have the same row ids, so nothing is built."""
    plan = planned(4)
    marks = {plan.seed(f"shard-{number:05d}"): f"0.1.0-f0000000{number % 3}" for number in range(4)}
    monkeypatch.setattr(fresh, "version", lambda base, seed: marks[seed])
    with pytest.raises(UnusableRecipe, match=r"shard-00000 and shard-00003 of this seed get one version, 0\.1\.0-f00000000"):
        shards.build(tmp_path / "split", plan)
    assert not (tmp_path / "split").exists()


def test_rows_give_the_number_of_shards(home: Path) -> None:
    """As many shards as give at least so many rows, and none more."""
    numbers = {rows: shards.plan("tracebench@0.1.0", SEED, [], "instance", None, rows).shards for rows in (1, 12, 13, 36, 37)}
    assert numbers == {1: 1, 12: 1, 13: 2, 36: 3, 37: 4}


def test_the_longest_seed(home: Path) -> None:
    """A shard's seed must fit a recipe, so the split's is shorter; one character more is refused."""
    plan = planned(seed="x" * 488)
    assert len(plan.shard("shard-00002").seed) == 500
    with pytest.raises(UnusableRecipe, match="the seed has 489 characters, and at most 488 may"):
        planned(seed="x" * 489)


def test_the_commands(home: Path) -> None:
    """rb-build makes and checks a split, and names what is changed; a shard is blinded and scored like any release."""
    options = ("tracebench@0.1.0", "--seed", SEED, "--overlap", "instance", "--out", "split")
    for arguments in (("--shards", "3", "--rows", "36"), ("--shards", "0")):
        assert rb_build("fresh", *options, *arguments, cwd=home).returncode == 2
    assert not (home / "split").exists()
    made = rb_build("fresh", *options, "--rows", "30", "--workers", "2", cwd=home)
    assert made.returncode == 0, made.stderr
    told = json.loads((home / "whole" / SPLIT).read_bytes())
    assert f"3 shards, 36 rows, split digest {told['split_digest']}" in made.stdout
    assert f"{told['structures']['distinct']}, of which {told['structures']['repeated']} in more than one shard" in made.stdout
    assert contents(home / "split") == contents(home / "whole")
    checked = rb_build("check", "split", cwd=home)
    assert (checked.returncode, checked.stdout) == (0, "split: sound; every checksum, schema and gold label holds\n")

    (home / "gold.jsonl").write_text(rb_build("gold", "split/shard-00002", cwd=home).stdout)
    scored = rb_verify("gold.jsonl", "--release", "split/shard-00002", "--format", "json", cwd=home)
    assert scored.returncode == 0, scored.stderr
    assert (json.loads(scored.stdout)["score"], json.loads(scored.stdout)["n"]) == (1.0, 12)
    assert rb_build("export", "split/shard-00002", "--blind", "--out", "blind", cwd=home).returncode == 0
    assert rb_build("check", "blind", cwd=home).returncode == 0

    damage(home / "split" / "shard-00002" / "data" / "d045.jsonl")
    checked = rb_build("check", "split", cwd=home)
    assert (checked.returncode, "shard-00002/data/d045.jsonl" in checked.stdout) == (3, True)
