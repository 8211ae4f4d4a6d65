"""ReEfBench's builder: what a recipe gives, and which are refused."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from rb_build import recipe as recipes
from rb_build import reefbench, release
from rb_build.errors import UnusableRecipe
from rb_build.reefbench.names import names
from rb_build.structures import TRIES
from small_reefbench import LEVELS, drawn, reefbench_recipe, small_reefbench, tier

Row = dict[str, Any]


def only(*tiers: dict[str, Any]) -> recipes.Recipe:
    """A recipe of these tiers alone, all in the file dev."""
    return reefbench_recipe(configs={"default": {"test": ["dev"]}}, params={"tiers": list(tiers)})


def test_small_rows_are_proved(reef_files: dict[str, list[Row]]) -> None:
    """Each file has the rows that the recipe asks for, all of them sound; a tier's main and contrast may share a file."""
    assert {file: len(rows) for file, rows in reef_files.items()} == {
        **{f"{config}{level:02d}": 4 for level in LEVELS for config in ("main", "contrast")},
        "dev": 8,
    }
    for file, rows in reef_files.items():
        assert reefbench.prove(reefbench_recipe(), file, rows) == []
    assert [row["config"] for row in reef_files["dev"]] == ["main", "contrast"] * 4
    assert [row["pair"] for row in reef_files["dev"]] == [f"reefbench-0-1-0-dev04-i{i:03d}" for i in range(4) for _ in range(2)]


def test_workers_and_order_of_tiers_change_no_row(reef_files: dict[str, list[Row]]) -> None:
    """Two workers, and tiers in another order, or alone, give the same rows."""
    with release.workers(2) as run:
        assert reefbench.build(reefbench_recipe(), run).files == reef_files
    tiers = small_reefbench()["params"]["tiers"]
    assert reefbench.build(reefbench_recipe(params={"tiers": tiers[::-1]}), map).files == reef_files
    assert reefbench.build(only(tier("dev04", 4)), map).files["dev"] == reef_files["dev"]


def test_seed_version_and_tier_name_are_other_draws(reef_files: dict[str, list[Row]]) -> None:
    """Another seed, version, or tier's name draws other items; another date or canary does not."""
    premises = [row["premises"] for row in reef_files["dev"]]
    for changed in ({"seed": "other"}, {"version": "0.1.1"}, {"params": {"tiers": [tier("dev05", 4)]}}):
        some = reefbench_recipe(**{"params": {"tiers": [tier("dev04", 4)]}, **changed}, configs={"default": {"test": ["dev"]}})
        assert not any(row["premises"] in premises for row in reefbench.build(some, map).files["dev"])
    some = reefbench_recipe(released="2027-01-01", canary="another canary")
    assert [row["premises"] for row in reefbench.build(some, map).files["dev"]] == premises


def test_notes_tell_the_structures(reef_files: dict[str, list[Row]]) -> None:
    """The manifest's notes have, by tier, the signature of each item and how many differ."""
    notes = reefbench.build(reefbench_recipe(), map).notes
    assert list(notes) == ["l03", "l04", "l05", "dev04"]
    for name, file in zip(notes, ["main03", "main04", "main05", "dev"], strict=True):
        signatures = [row["signature"] for row in reef_files[file] if row["config"] == "main"]
        assert notes[name] == {"distinct": 4, "signatures": signatures}


def test_structures_repeat_only_when_all_are_used() -> None:
    """Level 1 has 12 trees: of 30 items the first 12 all differ, and the others are not refused."""
    (notes,) = reefbench.build(only(tier("tiny", 1, items=30)), map).notes.values()
    assert notes["distinct"] == len(set(notes["signatures"][:12])) == 12
    assert len(notes["signatures"]) == 30


def test_excluded_structures_do_not_come_again(reef_files: dict[str, list[Row]]) -> None:
    """Excluded structures are left out; where there are no others, they come again and the notes say which."""
    taken = {row["signature"] for rows in reef_files.values() for row in rows}
    again = reefbench.build(replace(reefbench_recipe(), excluded={"reefbench@0.1.0": sorted(taken)}), map).files
    assert not taken & {row["signature"] for rows in again.values() for row in rows}
    every = {drawn(2, path, [f"n{place}" for place in range(20)]).signature() for path in range(3000)}
    assert len(every) == 41
    (full,) = reefbench.build(replace(only(tier("full", 2)), excluded={"r": sorted(every)}), map).notes.values()
    assert set(full["overlap"]) == set(full["signatures"])
    assert (full["rejected"], full["pool"], full["excluded"]) == (4 * TRIES, 41, 41)
    left = sorted(every)[:5]
    nearly = replace(only(tier("nearly", 2, items=6)), excluded={"r": sorted(every - set(left))})
    rows = reefbench.build(nearly, map).files["dev"]
    assert {row["signature"] for row in rows} <= set(left)


@pytest.mark.parametrize("number", range(4, 16))
def test_a_few_names_are_enough_or_refused(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """With few names, trees that need more are passed over: all rows are built of these names, or the recipe is refused."""
    few = names()[:number]
    monkeypatch.setattr(reefbench, "names", lambda: few)
    rows: list[Row] = []
    with suppress(UnusableRecipe):
        rows = reefbench.build(only(tier("few", 3, items=6)), map).files["dev"]
    assert len(rows) in (0, 12)
    assert all(set(row["vocabulary"]) <= set(few) for row in rows)


@pytest.mark.parametrize(
    ("tiers", "said"),
    [
        ([tier("a", 3, main="other")], "configs and tiers name different files (other)"),
        ([tier("a", 3, main="x", contrast="y")], "configs and tiers name different files (dev, x, y)"),
        ([tier("a", 3), tier("a", 4)], "tier a is named twice"),
        ([tier("a", 0)], "0 is less than the minimum of 1"),
        ([tier("a", 12)], "12 is greater than the maximum of 11"),
        ([tier("a", 3, items=0)], "0 is less than the minimum of 1"),
        ([tier("A", 3)], "'A' does not match"),
        ([tier("a", 3, depth=3)], "Additional properties are not allowed"),
        ([{"name": "a", "level": 3}], "is a required property"),
        ([], "[] "),
    ],
)
def test_bad_recipes_are_refused_in_words(tiers: list[dict[str, Any]], said: str) -> None:
    """What cannot be built is refused in one sentence before anything is built."""
    with pytest.raises(UnusableRecipe, match=re.escape(said)) as refusal:
        reefbench.build(only(*tiers), map)
    assert "\n" not in str(refusal.value)
