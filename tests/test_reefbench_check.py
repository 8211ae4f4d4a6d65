"""What `rb-build check` finds of ReEfBench rows: a pair made by hand, forged in every way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from naive_deduction import all_predicates, is_step
from rb_build import folder, reefbench, release
from rb_build.reefbench import proof
from rb_build.reefbench.prompt import prompt
from rb_build.reefbench.trees import Tree
from rb_verify import canonical
from rb_verify.deduction import Deduction
from rb_verify.statements import Statement, read
from small_reefbench import reefbench_recipe, small_reefbench

Row = dict[str, Any]


def test_rules_of_the_check() -> None:
    """Which step rb-build check takes for which rule's agrees with the other oracle's on all steps over three names."""
    stated = [Statement(subject, one) for subject in "ab" for one in all_predicates("abc")]
    agreed: Counter[str] = Counter()
    for output in stated:
        others = [one for one in stated if one != output]
        for inputs in [[one] for one in others] + [list(some) for some in permutations(others, 2)]:
            for rule in ("MP", "CE", "CI", "DI"):
                right = is_step(rule, inputs, output)
                assert proof.gives(rule, inputs, output) == right, (rule, inputs, output)
                agreed[rule] += right
    assert len(agreed) == 4
    assert not any(proof.gives(rule, [], stated[0]) for rule in ("MP", "CE", "CI", "DI", "premise"))


OTHER = ["bbbbpus", "ccccpus"]  # names of no row


def told(row: Row) -> None:
    """Make all that follows from a row's premises and golden solution fit them, as a forger would."""
    premises, conclusion = [read(text) for text in row["premises"]], read(row["conclusion"])
    layers = {read(step["statement"]): step["golden_depth"] for step in row["golden"]}
    words = [word for text in [*row["premises"], row["conclusion"]] for word in text.split()]
    row["premise_count"] = len(premises)
    row["prompt"] = prompt(premises, conclusion)
    row["vocabulary"] = list(dict.fromkeys(word for word in words if word not in ("is", "and", "or")))
    row["minimal_breadth"] = len(layers)
    row["breadth"] = Deduction(premises, layers, row["level"]).breadth


def put(key: str, value: Any) -> Callable[[Row], None]:
    """A forgery: another value."""
    return lambda row: row.update({key: value})


def premise(text: str, replaces: str | None = None) -> Callable[[Row], None]:
    """A forgery: one premise more, or instead of a distractor, all else made to fit."""

    def forge(row: Row) -> None:
        if replaces is None:
            row["premises"].append(text)
        else:
            for key in ("premises", "distractors"):
                row[key] = [text if one == replaces else one for one in row[key]]
        told(row)

    return forge


def step(index: int, **changed: Any) -> Callable[[Row], None]:
    """A forgery: a step of the golden solution changed."""
    return lambda row: row["golden"][index].update(changed)


def extra_step(row: Row) -> None:
    """A second conclusion from the statement below the first."""
    row["golden"].insert(-1, {**row["golden"][-1], "statement": "fovvpus is jeswpus or jirwpus"})
    told(row)


def reversed_inputs(row: Row) -> None:
    """The inputs of the first MP in the wrong order."""
    next(one for one in row["golden"] if one["rule"] == "MP")["inputs"].reverse()


def dropped(row: Row) -> None:
    """A golden premise gone, from the premises alone."""
    row["premises"].remove(row["golden"][0]["statement"])
    told_without_oracle = {key: row[key] for key in ("breadth", "minimal_breadth")}
    golden, row["golden"] = row["golden"], []
    told(row)
    row.update(told_without_oracle, golden=golden)


# A pair made by hand: MP, CE and DI from two premises, and three distractors.
PAIR = "reefbench-0-1-0-l03-i003"
CONCLUSION = "fovvpus is jirwpus or jojfpus"
CUT = "kekfpus is jirwpus and lonvpus"
STEPS: list[tuple[str, str, list[str], int]] = [
    ("fovvpus is kekfpus", "premise", [], 0),
    (CUT, "premise", [], 0),
    ("fovvpus is jirwpus and lonvpus", "MP", ["fovvpus is kekfpus", CUT], 1),
    ("fovvpus is jirwpus", "CE", ["fovvpus is jirwpus and lonvpus"], 2),
    (CONCLUSION, "DI", ["fovvpus is jirwpus"], 3),
]
DISTRACTORS = ["kekfpus is jujdpus", "jeswpus is jirwpus or jojfpus", "fovvpus is juzmpus"]
IN_PLACE = "jeswpus is jirwpus and lonvpus"


def by_hand(config: str) -> Row:
    """The row of a config of the pair."""
    main = config == "main"
    golden = [
        {"closure_depth": layer, "golden_depth": layer, "inputs": inputs, "rule": rule, "statement": text}
        for text, rule, inputs, layer in STEPS
    ]
    trees: dict[str, Tree] = {}
    for text, rule, inputs, _ in STEPS:
        trees[text] = Tree(read(text), rule, tuple(trees[one] for one in inputs))
    row = {
        "answer": "True" if main else "Unknown",
        "canary": small_reefbench()["canary"],
        "conclusion": CONCLUSION,
        "config": config,
        "distractors": DISTRACTORS if main else [*DISTRACTORS, IN_PLACE],
        "golden": golden if main else [],
        "id": f"{PAIR}-{config}",
        "level": 3,
        "pair": PAIR,
        "premises": [DISTRACTORS[0], CUT if main else IN_PLACE, *DISTRACTORS[1:], "fovvpus is kekfpus"],
        "removed": "" if main else CUT,
        "signature": trees[CONCLUSION].signature(),
    }
    told(row)
    return dict(sorted(json.loads(canonical.dumps(row)).items()))


FORGED_MAIN: list[tuple[str, Callable[[Row], Any], str]] = [
    ("id", put("id", f"{PAIR}-maim"), "its file has no such row"),
    ("item", put("id", "reefbench-0-1-0-l03-i004-main"), "its file has no such row"),
    ("level", put("level", 4), "level is not its tier's"),
    ("config", put("config", "contrast"), "config is not that of its id"),
    ("pair", put("pair", "reefbench-0-1-0-l03-i002"), "pair is not that of its id"),
    ("answer", put("answer", "Unknown"), "answer is not its config's"),
    ("count", put("premise_count", 6), "premises are not counted"),
    ("no premise", lambda row: row["distractors"].__setitem__(0, "bbbbpus is jujdpus"), "a distractor is no premise"),
    ("fewer distractors", lambda row: row["distractors"].pop(), "distractors are not as many as layers"),
    ("vocabulary", lambda row: row["vocabulary"].reverse(), "vocabulary is not its names"),
    ("vocabulary more", lambda row: row["vocabulary"].append("bbbbpus"), "vocabulary is not its names"),
    (
        "prompt",
        lambda row: row.update(prompt=row["prompt"].replace("Here are", "These are")),
        "prompt is not that of its premises",
    ),
    ("conclusion", put("conclusion", "fovvpus is jojfpus"), "prompt is not that of its premises"),
    ("order", lambda row: row["premises"].reverse(), "prompt is not that of its premises"),
    ("canary", put("canary", "gone"), "canary is not the recipe's"),
    ("cases", premise("jirwpus is jujdpus", DISTRACTORS[0]), "class semantics give more than the rules"),
    ("connected", premise("fovvpus is lonvpus", DISTRACTORS[2]), "a distractor may complete a proof"),
    ("removed", put("removed", "fovvpus is jujdpus"), "a premise is removed from main"),
    ("repeated", lambda row: row["golden"].insert(0, row["golden"][0]), "its golden solution is no tree"),
    ("no end", lambda row: row["golden"].pop(), "its golden solution is no tree, or not of its conclusion"),
    ("no solution", put("golden", []), "a golden solution is missing"),
    ("last layer", step(-1, golden_depth=2), "does not end with the conclusion at the level"),
    ("leaf's layer", step(0, golden_depth=1), "is no premise at layer 0"),
    ("leaf's inputs", step(0, inputs=[DISTRACTORS[0]]), "is no premise at layer 0"),
    ("dropped", dropped, "is no premise at layer 0"),
    ("rule", step(-1, rule="CE"), "does not follow from its inputs by CE"),
    ("rule at MP", step(2, rule="CI"), "does not follow from its inputs by CI"),
    ("inputs swapped", reversed_inputs, "does not follow from its inputs by MP"),
    ("inputs cut", lambda row: row["golden"][2]["inputs"].pop(), "does not follow from its inputs by MP"),
    ("layer", step(2, golden_depth=2), "has inputs that are not one layer below"),
    ("closure depth", step(3, closure_depth=1), "has depths that the oracle does not give"),
    ("leaf's closure depth", step(0, closure_depth=1), "has depths that the oracle does not give"),
    ("second end", extra_step, "its golden solution is no tree"),
    ("stray premise", premise("bbbbpus is ccccpus"), "a premise is neither golden nor a distractor"),
    ("breadth", lambda row: row.update(breadth=row["breadth"] + 1), "its breadths are not those of the oracle"),
    ("minimal breadth", put("minimal_breadth", 4), "its breadths are not those of the oracle"),
    ("signature", put("signature", "0" * 64), "its signature is not that of its golden solution"),
    ("order of names", lambda row: row["premises"].__setitem__(2, "jeswpus is jojfpus or jirwpus"), "in canonical form"),
]


FORGED_CONTRAST: list[tuple[str, Callable[[Row], Any], str]] = [
    ("answer", put("answer", "True"), "answer is not its config's"),
    ("fewer distractors", lambda row: row["distractors"].pop(), "distractors are not as many as layers"),
    ("none removed", put("removed", ""), "a premise is removed from main"),
    ("restored", lambda row: premise(row["removed"])(row), "its conclusion follows"),
    ("another removed", put("removed", "bbbbpus is ccccpus"), "its removed premise is not needed"),
    ("solution", put("golden", by_hand("main")["golden"]), "a golden solution is missing, or not to be had"),
    ("minimal breadth", put("minimal_breadth", 1), "its breadths are not the oracle's"),
    ("breadth", lambda row: row.update(breadth=row["breadth"] + 1), "its breadths are not the oracle's"),
    ("no statement", put("removed", "nothing of the kind"), "in canonical form"),
]


def forged(config: str, forge: Callable[[Row], Any]) -> list[str]:
    """What is said of a forged row."""
    row = by_hand(config)
    forge(row)
    return reefbench.prove(reefbench_recipe(), f"{config}03", [row])


@pytest.mark.parametrize("config", ["main", "contrast"])
def test_rows_by_hand_are_sound(config: str, reef_files: dict[str, list[Row]]) -> None:
    """A row that is made by hand, and not forged, has the fields of built rows, and nothing is wrong with it."""
    assert forged(config, lambda row: None) == []
    assert list(by_hand(config)) == list(reef_files[f"{config}03"][0])


# Where another thing is then wrong too, as it must be.
TWICE = {"order", "leaf's layer", "leaf's inputs", "last layer", "layer", "inputs cut", "inputs swapped", "rule", "rule at MP"}


@pytest.mark.parametrize(("name", "forge", "said"), FORGED_MAIN, ids=[name for name, *_ in FORGED_MAIN])
def test_forged_main_rows_are_found(name: str, forge: Callable[[Row], Any], said: str) -> None:
    """A main row that says something false is found, in words; by the one check that is for it, where only that is wrong."""
    faults = forged("main", forge)
    assert any(said in fault for fault in faults), faults
    assert (len(faults) > 1) == (name in TWICE), faults


@pytest.mark.parametrize(("name", "forge", "said"), FORGED_CONTRAST, ids=[name for name, *_ in FORGED_CONTRAST])
def test_forged_contrast_rows_are_found(name: str, forge: Callable[[Row], Any], said: str) -> None:
    """A contrast row that says something false is found, in words, by the one check that is for it."""
    faults = forged("contrast", forge)
    assert len(faults) == 1, faults
    assert said in faults[0], faults


def test_a_row_in_another_file_is_found(reef_files: dict[str, list[Row]]) -> None:
    """A sound row that stands in another tier's or config's file is at fault there."""
    for file in ("contrast03", "main04", "dev"):
        faults = reefbench.prove(reefbench_recipe(), file, reef_files["main03"][:1])
        assert faults == ["reefbench-0-1-0-l03-i000-main: its file has no such row"]


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (None, "sound; every checksum"),
        (reversed_inputs, "does not follow from its inputs by MP"),
        (put("level", "3"), "data/main05.jsonl: row 1: $.level: '3' is not of type 'integer'"),
        (step(0, statement="fovvpus is not jirwpus"), "data/main05.jsonl: row 1: $.golden[0].statement: "),
    ],
    ids=["sound", "inputs", "type", "form"],
)
def test_a_forged_release_is_found(tmp_path: Path, forge: Callable[[Row], Any] | None, said: str) -> None:
    """rb-build check ends with 0 for a sound release, and with 3 and the fault for one forged so that all checksums fit."""
    recipe = reefbench_recipe()
    built = reefbench.build(recipe, map)
    scored = json.loads(canonical.dumps(built.files))  # the forger's baselines are those of sound rows
    if forge:
        forge(built.files["main05"][0])
    files = release.contents(recipe, built.files)
    data = {f"data/{file}.jsonl": some for file, some in scored.items()}
    manifest = release.manifest(recipe, files, data, built.notes)
    extra = release.documents(manifest, recipe) | {"manifest.json": canonical.pretty(manifest)}
    folder.write(tmp_path / "release", files | extra)
    command = [sys.executable, "-m", "rb_build", "check", str(tmp_path / "release"), "--workers", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == (3 if forge else 0), run.stdout + run.stderr
    assert said in run.stdout
    assert run.stderr.count("\n") == bool(forge)
