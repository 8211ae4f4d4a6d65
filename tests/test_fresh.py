"""Fresh splits: no structure of a published release comes again, or the manifest says which and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from commands import freeze, rb_build, rb_verify
from conftest import FROZEN
from rb_build import recipe as recipes
from rb_build import tracebench
from rb_build.fresh import fresh
from rb_build.release import check
from rb_build.structures import GLANCE, SURVEY, fill, measured, overlap_faults
from rb_verify import canonical
from rb_verify.datasets import release_of
from rb_verify.errors import UnusableInput
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat

SMALL = {"reefbench": small_reefbench(), "tracebench": small(), "twosat": small_twosat()}
MARK = "f50282632"  # eight digits of the SHA-256 of 2026-12-01
USED_UP: dict[str, set[str]] = {
    "reefbench": set(),
    "tracebench": {"d010"},
    "twosat": {"ec020-ratio0", "ec020-ratio100", "mb020-density0", "mb020-density100"},
}
BASES = ("none", "shuffled", "renamed", "swapped")  # what is done to a 2-SAT formula that leaves its structure


def signatures(manifest: dict[str, Any]) -> set[str]:
    """Every structure that a manifest tells of."""
    return {name for notes in manifest["structures"].values() for name in notes["signatures"]}


def manifest_of(folder: Path) -> dict[str, Any]:
    """A release's manifest."""
    return dict(json.loads((folder / "manifest.json").read_bytes()))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder where the small recipes are frozen, with what is made of them beside: fresh splits of one seed."""
    root = tmp_path_factory.mktemp("fresh")
    for name, recipe in SMALL.items():
        freeze(recipe, root)
        options = ("--seed", "2026-12-01", "--out", root / "releases" / name / f"0.1.0-{MARK}", "--overlap", "instance")
        run = rb_build("fresh", f"{name}@0.1.0", *options, cwd=root)
        assert run.returncode == 0, run.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        yield root


@pytest.mark.parametrize("name", SMALL)
def test_no_structure_comes_again_untold(home: Path, name: str) -> None:
    """What a fresh split shares with the frozen releases is what its manifest says, and only where a pool is used up."""
    folder = home / "releases" / name / f"0.1.0-{MARK}"
    made, recipe = manifest_of(folder), json.loads((folder / "recipe.json").read_bytes())
    published = {f"{name}@{m['version']}": signatures(m) for m in map(manifest_of, locks(home, name))}
    assert {release: set(listed) for release, listed in recipe["excluded"].items()} == published
    taken = set().union(*published.values())
    shared = {unit: set(notes["signatures"]) & taken for unit, notes in made["structures"].items()}
    assert shared == {unit: set(notes["overlap"]) for unit, notes in made["structures"].items()}
    used_up = {unit for unit, found in shared.items() if found}
    assert used_up <= USED_UP[name]
    assert all(made["structures"][unit]["excluded"] >= 0.9 * made["structures"][unit]["pool"] for unit in used_up)
    rows = [json.loads(line) for path in (folder / "data").iterdir() for line in path.open("rb")]
    whole = [row for row in rows if row.get("perturbation", "none") in BASES]
    assert {row["signature"] for row in whole} & taken == set().union(*shared.values())
    assert {release_of(row["id"]) for row in rows} == {(name, f"0.1.0-{MARK}")}
    assert max(len(row["id"]) for row in rows) <= 64


def test_a_published_graph_is_told_anew(home: Path) -> None:
    """At level 10 all graphs are published ones, so their events have other names, and no prompt comes out as published."""
    made = [json.loads(line) for line in (home / f"releases/tracebench/0.1.0-{MARK}/data/d010.jsonl").open("rb")]
    published = [json.loads(line) for line in (home / "releases/tracebench/0.1.0/data/d010.jsonl").open("rb")]
    assert {name for row in published for name in row["events"]} == {*"ACG"}
    assert not {name for row in made for name in row["events"]} & {*"ACG"}
    assert len({tuple(row["events"]) for row in made}) > 3
    deeper = [json.loads(line) for line in (home / f"releases/tracebench/0.1.0-{MARK}/data/d045.jsonl").open("rb")]
    assert {tuple(row["events"]) for row in deeper} == {(*"ACGHIJK",)}


def locks(home: Path, name: str) -> list[Path]:
    """The frozen releases of a dataset: the small one, and the one that the project has."""
    return [home / "releases" / name / "0.1.0", FROZEN.parents[1] / name / "1.0.0"]


@pytest.mark.parametrize("name", SMALL)
def test_a_fresh_split_is_a_release(home: Path, name: str) -> None:
    """It checks sound, and a perfect submission is found and scored by its ids."""
    folder = home / "releases" / name / f"0.1.0-{MARK}"
    assert check(folder) == []
    (home / "gold.jsonl").write_text(rb_build("gold", folder, cwd=home).stdout)
    scored = rb_verify("gold.jsonl", "--format", "json", cwd=home)
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["score"] == 1.0
    assert f"v:0.1.0-{MARK}|" in json.loads(scored.stdout)["signature"]


def test_its_recipe_gives_the_same_bytes(home: Path, tmp_path: Path) -> None:
    """A fresh split is rebuilt from the recipe in it, exclusions and all, by any number of workers."""
    folder = home / "releases" / "tracebench" / f"0.1.0-{MARK}"
    run = rb_build("build", folder / "recipe.json", "--out", tmp_path / "again", "--workers", "1", cwd=home)
    assert run.returncode == 0, run.stderr
    for path in folder.rglob("*.*"):
        assert (tmp_path / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_what_is_used_up_is_refused_with_figures(home: Path) -> None:
    """Without leave to overlap, level 10 is refused: of the 40 networks that there are, all 40 are published."""
    run = rb_build("fresh", "tracebench@0.1.0", "--seed", "x", "--out", "out", cwd=home)
    assert run.returncode == 2
    assert "d010 (40 of 40 structures found are excluded); leave that out of the recipe, or" in run.stderr
    assert "--overlap instance" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (home / "out").exists()


def test_where_nothing_is_used_up_there_is_no_overlap(home: Path, tmp_path: Path) -> None:
    """ReEfBench's pools last, so nothing needs leave to overlap, and the command says that nothing is shared."""
    run = rb_build("fresh", "reefbench@0.1.0", "--seed", "x", "--out", tmp_path / "out", cwd=home)
    assert run.returncode == 0, run.stderr
    assert f"structures in common with reefbench@0.1.0, reefbench@0.1.0-{MARK}, reefbench@1.0.0: none" in run.stdout


def test_an_earlier_fresh_split_is_excluded(home: Path, tmp_path: Path) -> None:
    """--exclude takes a folder besides all that is frozen; one seed and one list of exclusions give one digest."""
    earlier = home / "releases" / "tracebench" / f"0.1.0-{MARK}"
    options = ("--overlap", "instance", "--exclude", earlier, "--seed", "2026-12-01")
    made = []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert rb_build("fresh", "tracebench@0.1.0", *options, "--out", out, cwd=home).returncode == 0
        made.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert made[0] == made[1]
    structures = manifest_of(tmp_path / "one")["structures"]
    old = signatures(manifest_of(earlier))
    assert {unit for unit, notes in structures.items() if old & set(notes["signatures"])} == {"d010"}
    assert sum(notes["rejected"] for notes in structures.values()) >= 1  # the same seed drew the same graphs first


def test_a_hidden_overlap_is_found(home: Path, tmp_path: Path) -> None:
    """A manifest that does not tell of a shared structure is found out by check, digests made to fit."""
    folder = tmp_path / "forged"
    source = home / "releases" / "tracebench" / f"0.1.0-{MARK}"
    for path in source.rglob("*.*"):
        (folder / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.relative_to(source)).write_bytes(path.read_bytes())
    forged = manifest_of(folder)
    hidden = forged["structures"]["d010"]["overlap"].pop()
    forged["manifest_sha256"] = canonical.manifest_digest(forged)
    (folder / "manifest.json").write_bytes(canonical.pretty(forged))
    assert [fault for fault in check(folder) if f"has the excluded structure {hidden}, untold or forbidden" in fault]


def test_a_forbidden_overlap_is_found() -> None:
    """Where the recipe forbids overlap, telling of it is no excuse."""
    told = {"d010": {"overlap": ["a" * 64]}}
    row = {"id": "x", "signature": "a" * 64}
    recipe = recipes.parse(small(excluded={"tracebench@1.0.0": ["a" * 64]}, overlap="instance"), "small")
    assert overlap_faults(recipe, told, [row]) == []
    assert len(overlap_faults(replace(recipe, overlap="forbid"), told, [row, row | {"signature": "b" * 64}])) == 1


def test_consecutive_seeds_share_nothing() -> None:
    """Twenty splits of consecutive seeds: no two share a graph from level 45 up, whole or deep."""
    recipe = small()
    tiers = [tier | {"graphs": 6, "questions": 12} for tier in recipe["params"]["tiers"] if tier["difficulty"] > 10]
    recipe["params"]["tiers"] = tiers
    recipe["configs"]["default"]["test"].remove("d010")
    found = []
    for number in range(20):
        made = tracebench.build(recipes.parse(recipe | {"seed": f"2026-{number}"}, "small"), map)
        found.append({name for notes in made.notes.values() for name in notes["signatures"]})
    assert {len(some) for some in found} == {6 * len(tiers)}
    assert not any(one & two for one, two in combinations(found, 2))


def test_excluding_nothing_changes_no_byte(home: Path) -> None:
    """A recipe that excludes nothing tells of no exclusion: frozen manifests stay as they are."""
    assert "overlap" not in manifest_of(home / "releases" / "tracebench" / "0.1.0")["structures"]["d010"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonesuch",), "no release of that name is frozen"),
        (("tracebench@9.9.9",), "is frozen neither in"),
        (("tracebench", "--exclude", "twosat@0.1.0"), "is of twosat"),
        (("tracebench", "--exclude", "nowhere"), "is no NAME@VERSION"),
        (("tracebench", "--seed", ""), "$.seed"),
        (("tracebench", "--seed", "x" * 501), "$.seed"),
    ],
)
def test_bad_arguments(home: Path, arguments: tuple[str, ...], said: str) -> None:
    """What cannot be used is refused in one sentence, and nothing is written."""
    run = rb_build("fresh", "--seed", "x", "--out", "out", *arguments, cwd=home)
    assert (run.returncode, said in run.stderr) == (2, True), run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (home / "out").exists()


def test_a_seed_that_is_no_text_is_refused(home: Path) -> None:
    """Bytes that are no UTF-8 reach Python as lone surrogates, which have no digest."""
    with pytest.raises(UnusableInput, match="the seed is not Unicode text"):
        fresh("tracebench@0.1.0", "\udcff", [], "forbid")


def drawing(*names: str) -> Callable[[], tuple[str, str] | None]:
    """A draw that gives these structures in turn, over and over; an empty name is a draw that came to nothing."""
    turn = iter(range(10**9))
    return lambda: (name, name) if (name := names[next(turn) % len(names)]) else None


def test_new_comes_before_seen_before_taken() -> None:
    """A structure that is new is preferred, then one that came before, then one that is taken; draws that fail do not count."""
    assert fill("u", [drawing("a", "b"), drawing("a", "", "b"), drawing("a", "b", "t")], {"t"}) == (
        [("a", "a"), ("b", "b"), ("a", "a")],
        1 + 200,
    )
    assert fill("u", [drawing("t", "s")] * 2, {"t", "s"})[0] == [("t", "t"), ("s", "s")]
    with pytest.raises(UnusableInput, match="u: 200 draws came to nothing"):
        fill("u", [drawing("")], ())


def test_pools_are_measured() -> None:
    """A small pool is counted, and what of it is taken; one whose first draws all differ is open."""
    assert measured(drawing("a", "b", "", "c"), {"a", "z"}) == {"drawn": SURVEY, "excluded": 1, "pool": 3}
    many = drawing(*map(str, range(10_000)))
    assert measured(many, {"1"}) == {"drawn": GLANCE, "excluded": None, "pool": None}
