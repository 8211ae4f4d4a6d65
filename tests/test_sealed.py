"""Sealed seeds and blind splits: commit, publish blind, collect, reveal, score; and what must not come out before."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import freeze, rb_build, rb_verify
from rb_build import sealed
from rb_build.fresh import fresh
from rb_build.release import check
from rb_verify import canonical
from rb_verify.datasets import SCORERS, blind_id
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.release import load, read_manifest
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import cell, small_twosat

TWINS = [
    cell("Backbone", 12, "rows"),
    *(cell("ImplicationCycle", 12, "rows", perturbation={"kind": k}) for k in ("none", "twin")),
]
SMALL = {
    "reefbench": small_reefbench(),
    "tracebench": small(),
    "twosat": small_twosat(configs={"default": {"test": ["rows"]}}, params={"cells": TWINS, "schemes": ["logic", "door"]}),
}
PRINTED = re.compile(r"([a-z]+)@0\.1\.0-(f[0-9a-f]{8}) sha256:([0-9a-f]{64})\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder where, for each dataset, a seed is sealed (NAME.json), and its split built (NAME) and published blind."""
    root = tmp_path_factory.mktemp("sealed")
    for name, recipe in SMALL.items():
        freeze(recipe, root)
        run = rb_build("commit", f"{name}@0.1.0", "--seed-file", f"{name}.json", "--overlap", "instance", cwd=root)
        assert run.returncode == 0, run.stderr
        (root / f"{name}.commitment").write_text(run.stdout)
        assert rb_build("build", f"{name}.json", "--out", name, cwd=root).returncode == 0
        run = rb_build("export", name, "--blind", "--out", f"{name}-blind", cwd=root)
        assert (run.returncode, run.stderr) == (0, "")
        assert f"commitment sha256:{commitment(root, name)}" in run.stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        yield root


def commitment(home: Path, name: str) -> str:
    """What rb-build commit printed."""
    match = PRINTED.fullmatch((home / f"{name}.commitment").read_text())
    assert match
    assert match[1] == name
    return match[3]


def blind_rows(home: Path, name: str) -> list[dict[str, Any]]:
    """The rows of the blind split."""
    return [json.loads(line) for line in (home / f"{name}-blind" / "data" / "test.jsonl").open("rb")]


@pytest.mark.parametrize("name", SMALL)
def test_the_whole_cycle(home: Path, name: str, tmp_path: Path) -> None:
    """Answers to blind rows score in full once the seed is opened; what is revealed is what was built, byte for byte."""
    by_prompt = {row["prompt"]: row for row in load(home / name).rows}
    asked = blind_rows(home, name)
    answers = [{"id": row["id"], "response": SCORERS[name].perfect(by_prompt[row["prompt"]])} for row in asked]
    (tmp_path / "answers.jsonl").write_bytes(canonical.lines(answers))
    blind = rb_verify("answers.jsonl", "--release", home / f"{name}-blind", cwd=tmp_path)
    assert (blind.returncode, "is a blind split, without gold" in blind.stderr) == (2, True)
    options = ("--commitment", f"sha256:{commitment(home, name)}", "--split", home / f"{name}-blind", "--out", tmp_path / "out")
    run = rb_build("reveal", "--seed-file", home / f"{name}.json", *options, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert f"commitment sha256:{commitment(home, name)} holds" in run.stdout
    assert hashlib.sha256((tmp_path / "out" / "recipe.json").read_bytes()).hexdigest() == commitment(home, name)
    for path in (home / name).rglob("*.*"):
        assert (tmp_path / "out" / path.relative_to(home / name)).read_bytes() == path.read_bytes()
    scored = rb_verify("answers.jsonl", "--release", "out", "--format", "json", "--details", "d.jsonl", cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    report = json.loads(scored.stdout)
    assert (report["score"], report["counts"]["missing"]) == (1.0, 0)
    assert report["standing"] == "self-reported; a fresh split, whose gold is public once its seed is"
    assert [json.loads(line)["id"] for line in (tmp_path / "d.jsonl").open()] == [row["id"] for row in load(home / name).rows]


@pytest.mark.parametrize("name", SMALL)
def test_a_blind_split_tells_nothing(home: Path, name: str) -> None:
    """Rows have an id, a prompt and one field; neither ids nor order say which row it is; no file has the gold or seed."""
    seed = json.loads((home / f"{name}.json").read_bytes())["seed"]
    gold = load(home / name).rows
    rows = blind_rows(home, name)
    assert {frozenset(row) for row in rows} == {frozenset(["id", "prompt", "config" if name == "twosat" else "level"])}
    assert sorted(row["prompt"] for row in rows) == sorted(row["prompt"] for row in gold)
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    assert all(re.fullmatch(rf"{name}-0-1-0-f[0-9a-f]{{8}}-b[0-9a-f]{{16}}", row["id"]) for row in rows)
    text = b"".join(path.read_bytes() for path in (home / f"{name}-blind").rglob("*.*")).decode()
    secrets = {seed, seed.split()[1], *(row["id"] for row in gold), *(row["signature"] for row in gold)}
    assert [secret for secret in secrets if secret in text] == []
    manifest = read_manifest(home / f"{name}-blind")
    assert (manifest["balance"], manifest["baselines"], manifest["structures"]) == ({}, {}, {})
    assert manifest["blind"]["commitment"] == commitment(home, name)
    assert manifest["canary"] == json.loads((home / f"{name}.json").read_bytes())["canary"]


@pytest.mark.parametrize("name", SMALL)
def test_a_blind_split_checks(home: Path, name: str, tmp_path: Path) -> None:
    """A blind split is sound as it was exported; any changed bit of any file is found, and the file named."""
    folder = home / f"{name}-blind"
    assert check(folder) == []
    assert "sound; every checksum and schema holds" in rb_build("check", folder, cwd=home).stdout
    for path in sorted(folder.rglob("*.*")):
        copy = Path(shutil.copytree(folder, tmp_path / path.name))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        (copy / path.relative_to(folder)).write_bytes(data)
        try:
            said = check(copy)
        except ReleaseMismatch as error:
            said = [str(error)]
        assert said, path
        assert path.name in said[0]


def remade(folder: Path, copy: Path, **changed: Any) -> Path:
    """A copy of a blind split with entries of its manifest changed, and its digests made to fit."""
    shutil.copytree(folder, copy)
    manifest = json.loads((copy / "manifest.json").read_bytes()) | changed
    (copy / "manifest.json").write_bytes(canonical.pretty(manifest | {"manifest_sha256": canonical.manifest_digest(manifest)}))
    return copy


def test_forged_blind_splits_are_found(home: Path, tmp_path: Path) -> None:
    """Rows of another split, rows with gold, a second config and a recipe that is gone are faults, whatever the checksums."""
    folder = home / "tracebench-blind"
    row = json.loads((folder / "data" / "test.jsonl").read_bytes().splitlines()[0])
    for place, (change, said) in enumerate(
        [
            ({"answer": "YES"}, "Additional properties"),
            ({"id": row["id"].replace("0-1-0", "0-2-0")}, "is of another split"),
            ({"config": "main"}, "row 1"),
        ]
    ):
        copy = Path(shutil.copytree(folder, tmp_path / f"rows{place}"))
        data = canonical.lines([row | change])
        (copy / "data" / "test.jsonl").write_bytes(data)
        entry = {
            "bytes": len(data),
            "rows": 1,
            "row_digests": canonical.digest(data[:-1])[:8],
            "sha256": canonical.digest(data),
        }
        manifest = json.loads((copy / "manifest.json").read_bytes())
        manifest["files"]["data/test.jsonl"] = entry
        remade(copy, tmp_path / f"forged{place}", files=manifest["files"])
        assert any(said in fault for fault in check(tmp_path / f"forged{place}"))
    test = {"test": ["data/test.jsonl"]}
    assert check(remade(folder, tmp_path / "two", configs={"default": test, "deep": test})) == [
        "manifest.json: a blind split has one config"
    ]
    assert check(remade(folder, tmp_path / "digest", content_digest="0" * 64)) != []


def test_the_seed_file_is_kept(home: Path, tmp_path: Path) -> None:
    """Only its owner may read a seed file; it is never written again, and tells its commitment again when asked."""
    before = (home / "tracebench.json").read_bytes()
    assert stat.S_IMODE((home / "tracebench.json").stat().st_mode) == 0o600
    again = rb_build("commit", "--seed-file", "tracebench.json", cwd=home)
    assert again.stdout == (home / "tracebench.commitment").read_text()
    other = rb_build("commit", "tracebench@0.1.0", "--seed-file", "tracebench.json", cwd=home)
    assert (other.returncode, "exists; name a new file" in other.stderr) == (2, True)
    assert (home / "tracebench.json").read_bytes() == before
    missing = rb_build("commit", "--seed-file", tmp_path / "none.json", cwd=home)
    assert (missing.returncode, "does not exist; name the dataset" in missing.stderr) == (2, True)
    assert not (tmp_path / "none.json").exists()


def test_a_guessed_seed_gives_nothing(home: Path, tmp_path: Path) -> None:
    """Two commitments to one likely seed differ, in mark and in structures: the salt is part of what is drawn from."""
    made = []
    for place in ("one", "two"):
        run = rb_build("commit", "tracebench@0.1.0", "--seed", "2026", "--seed-file", tmp_path / place, cwd=home)
        assert run.returncode == 0, run.stderr
        made.append(sealed.opened(tmp_path / place))
    assert made[0].seed.startswith("2026 ")
    assert made[0].version != made[1].version
    assert sealed.commitment(made[0]) != sealed.commitment(made[1])
    guess = fresh("tracebench@0.1.0", "2026", [], "forbid")
    assert guess.version not in {one.version for one in made}


def test_an_unsealed_seed_is_said(home: Path, tmp_path: Path) -> None:
    """A blind split of a seed that can be guessed is exported with a warning, and is nothing to reveal."""
    (tmp_path / "r.json").write_text(json.dumps(small_reefbench(seed="2026")))
    assert rb_build("build", "r.json", "--out", "split", cwd=tmp_path).returncode == 0
    run = rb_build("export", "split", "--blind", "--out", "blind", cwd=tmp_path)
    assert run.returncode == 0
    assert "its seed has no salt" in run.stderr
    with pytest.raises(UnusableInput, match="its seed has no salt, so it is not sealed"):
        sealed.opened(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--commitment": "0" * 64}, "the seed file gives commitment"),
        ({"--commitment": "sha256:"}, "the seed file gives commitment"),
        ({"--split": "tracebench"}, "is not the split that the seed file gives"),
        ({"--split": "changed"}, "data/test.jsonl"),
        ({"--seed-file": "tracebench.json"}, "the seed file gives commitment"),
    ],
    ids=["commitment", "none", "split", "row", "seed"],
)
def test_what_does_not_agree_is_refused(home: Path, change: dict[str, str], said: str) -> None:
    """A wrong commitment, split or seed file, and a changed row: exit code 3, one sentence, nothing written."""
    if not (home / "changed").exists():
        data = (home / "reefbench-blind" / "data" / "test.jsonl").read_bytes()
        shutil.copytree(home / "reefbench-blind", home / "changed")
        (home / "changed" / "data" / "test.jsonl").write_bytes(data.replace(b"True", b"TRUE", 1))
    chosen = {
        "--commitment": commitment(home, "reefbench"),
        "--out": "revealed",
        "--seed-file": "reefbench.json",
        "--split": "reefbench-blind",
    } | change
    run = rb_build("reveal", *(word for option in chosen.items() for word in option), cwd=home)
    assert (run.returncode, said in run.stderr) == (3, True), run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (home / "revealed").exists()


def test_blind_and_own_ids_are_one_row(home: Path, tmp_path: Path) -> None:
    """A row answered under both of its ids is answered twice; --explain takes either id."""
    row = load(home / "tracebench").rows[0]
    hidden = blind_id(row["id"], json.loads((home / "tracebench.json").read_bytes())["seed"])
    lines = [
        {"id": name, "response": json.dumps({"final_answer": said})} for name, said in ((hidden, "YES"), (row["id"], "NO"))
    ]
    (tmp_path / "two.jsonl").write_bytes(canonical.lines(lines))
    run = rb_verify("two.jsonl", "--release", home / "tracebench", "--partial", cwd=tmp_path)
    assert run.returncode == 1
    assert "lines 1, 2 answer this row differently" in run.stderr
    (tmp_path / "one.jsonl").write_bytes(canonical.lines([{"id": hidden, "response": SCORERS["tracebench"].perfect(row)}]))
    for name in (hidden, row["id"]):
        run = rb_verify("one.jsonl", "--release", home / "tracebench", "--explain", name, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert row["id"] in run.stdout
