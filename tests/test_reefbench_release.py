"""reefbench 1.0.0, with nothing of the builder and little of the oracle: every golden step by rules written here, depths by
plain forward chaining, the contrast rows by countermodels and z3."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import z3

from conftest import FROZEN_REEFBENCH
from rb_build import recipe as recipes
from rb_build import reefbench as builder
from rb_build.reefbench.names import names
from rb_build.reefbench.trees import Tree
from rb_verify import canonical, reefbench
from rb_verify.deduction import Deduction, countermodel
from rb_verify.statements import read
from rb_verify.verdict import Prediction

Row = dict[str, Any]
Rows = dict[str, list[Row]]
LEVELS = range(3, 12)
# Mean premises of a golden tree at each level, distractors not counted.
PREMISES = dict(zip(LEVELS, (4, 7, 11, 19, 31, 50, 82, 135, 220), strict=True))
FROZEN: dict[str, Any] = json.loads((FROZEN_REEFBENCH / "manifest.json").read_bytes())


class Fact(NamedTuple):
    """A statement read by this file alone. ``joint``: ``and``, ``or``, or nothing before a single name."""

    subject: str
    joint: str
    names: frozenset[str]


def fact(text: str) -> Fact:
    """The fact of a row's text."""
    subject, stated = text.split(" is ")
    joint = next((joint for joint in ("and", "or") if f" {joint} " in stated), "")
    parts = stated.split(f" {joint} ") if joint else [stated]
    assert len(set(parts)) == len(parts) <= 3
    assert parts == sorted(parts)
    return Fact(subject, joint, frozenset(parts))


def facts(texts: Iterable[str]) -> list[Fact]:
    """The facts of texts."""
    return [fact(text) for text in texts]


def words(some: Iterable[Fact]) -> set[str]:
    """All names in facts."""
    return {name for one in some for name in (one.subject, *one.names)}


def by_rule(rule: str, given: list[Fact], result: Fact) -> bool:
    """Whether a rule of the paper's Table 6 makes ``result`` of just these facts."""
    if rule == "MP":
        (first, second) = given
        return (
            first == Fact(result.subject, "", frozenset({second.subject}))
            and second == Fact(second.subject, result.joint, result.names)
            and second.subject != result.subject
        )
    if {one.subject for one in given} != {result.subject}:
        return False
    if rule == "CI":
        disjoint = sum(len(one.names) for one in given) == len(result.names)
        united = frozenset().union(*(one.names for one in given)) == result.names
        return len(given) == 2 and disjoint and united and result.joint == "and" and {one.joint for one in given} <= {"", "and"}
    (one,) = given
    if rule == "CE":
        return (
            one.joint == "and" and result.joint != "or" and len(one.names) == len(result.names) + 1 and result.names < one.names
        )
    return rule == "DI" and one.joint != "and" and result.joint == "or" and one.names < result.names


def closure(premises: list[Fact], stated: Iterable[Fact]) -> dict[Fact, int]:
    """The round in which each fact follows by forward chaining. Predicates are all single names, and those of ``stated``."""
    joined = {(one.joint, one.names) for one in stated if one.joint}
    known: dict[Fact, int] = {}
    have: dict[str, set[tuple[str, frozenset[str]]]] = {}
    new, depth = set(premises), 0
    while new:
        for one in new:
            known[one] = depth
            have.setdefault(one.subject, set()).add((one.joint, one.names))
        depth += 1
        found = set()
        for subject, mine in have.items():
            for joint, parts in mine:
                if not joint:
                    found |= {(subject, *other) for name in parts for other in have.get(name, ())}
                if joint == "and":
                    found |= {(subject, "", frozenset({name})) for name in parts}
                    found |= {(subject, *other) for other in joined if other[0] == "and" and other[1] < parts}
                else:
                    found |= {(subject, *other) for other in joined if other[0] == "or" and other[1] > parts}
            for joint, parts in joined:
                inside = [some for other, some in mine if other != "or" and some <= parts]
                if joint == "and" and frozenset().union(*inside) == parts:
                    found.add((subject, joint, parts))
        new = {Fact(*one) for one in found} - known.keys()
    return known


def true_of(model: frozenset[str], one: Fact) -> bool:
    """Whether a fact holds of a thing that has just these names."""
    held = one.names & model
    return one.subject not in model or (bool(held) if one.joint == "or" else held == one.names)


def paired(rows: Rows, levels: Iterable[int] = LEVELS) -> Iterator[tuple[Row, Row]]:
    """The main and the contrast row of each pair of some levels."""
    for level in levels:
        yield from zip(rows[f"main{level:02d}"], rows[f"contrast{level:02d}"], strict=True)


def mains(rows: Rows, levels: Iterable[int] = LEVELS) -> Iterator[Row]:
    """The main rows of some levels."""
    return (main for main, _ in paired(rows, levels))


def everything(rows: Rows) -> Iterator[Row]:
    """All rows."""
    return (row for some in rows.values() for row in some)


# ---- What there is -------------------------------------------------------------------------------------------------


def test_bytes_are_the_frozen_ones(reefbench_rows: Rows) -> None:
    """Every data file built here has the digest that the manifest froze."""
    built = {f"data/{name}.jsonl": canonical.digest(canonical.lines(some)) for name, some in reefbench_rows.items()}
    assert built == {path: entry["sha256"] for path, entry in FROZEN["files"].items() if "rows" in entry}


def test_pairs(reefbench_rows: Rows) -> None:
    """900 main rows and 900 contrast rows, 100 pairs a level, and 20 pairs of levels 5, 6, 7 and 9 to develop on."""
    assert {name: len(some) for name, some in reefbench_rows.items()} == {
        **{f"{config}{level:02d}": 100 for level in LEVELS for config in ("main", "contrast")},
        "dev": 40,
    }
    for level in LEVELS:
        for config, answer in (("main", "True"), ("contrast", "Unknown")):
            some = reefbench_rows[f"{config}{level:02d}"]
            assert {(row["level"], row["config"], row["answer"]) for row in some} == {(level, config, answer)}
            assert [row["pair"] for row in some] == [f"reefbench-1-0-0-l{level:02d}-i{i:03d}" for i in range(100)]
    assert Counter((row["level"], row["config"]) for row in reefbench_rows["dev"]) == {
        (level, config): 5 for level in (5, 6, 7, 9) for config in ("main", "contrast")
    }


def test_ids(reefbench_rows: Rows) -> None:
    """An id is its pair's with the config behind it, occurs once, and has room for the mark of a fresh split."""
    ids = [row["id"] for row in everything(reefbench_rows)]
    assert len(set(ids)) == len(ids) == 1840
    assert max(map(len, ids)) <= 64 - len("f12345678-")
    assert all(row["id"] == f"{row['pair']}-{row['config']}" for row in everything(reefbench_rows))


@pytest.mark.parametrize(
    ("config", "split", "true", "unknown"),
    [
        ("default", "test", 900, 900),
        ("default", "dev", 20, 20),
        ("main", "test", 900, 0),
        ("contrast", "test", 0, 900),
        *((f"level_{level:02d}", "test", 100, 100) for level in LEVELS),
    ],
)
def test_configs(reefbench_rows: Rows, config: str, split: str, true: int, unknown: int) -> None:
    """Each config has the rows that it promises, each of them once, and the manifest tells their balance."""
    some = [row for path in FROZEN["configs"][config][split] for row in reefbench_rows[Path(path).stem]]
    wanted = {answer: number for answer, number in (("True", true), ("Unknown", unknown)) if number}
    assert len({row["id"] for row in some}) == len(some) == true + unknown
    assert Counter(row["answer"] for row in some) == wanted
    assert split != "test" or FROZEN["balance"][config] == wanted
    assert len(FROZEN["configs"]) == 12


def test_premises_grow_as_the_papers(reefbench_rows: Rows) -> None:
    """Mean premises at each level are the paper's within 25 %, and grow by 1.5 to 1.75 a level (fit of the logarithm).

    The sampling error at 100 items is up to 5 %; level 3 has more besides, since no structure comes twice.
    """
    means = {level: sum(row["premise_count"] - level for row in mains(reefbench_rows, [level])) / 100 for level in LEVELS}
    assert means == {level: pytest.approx(wanted, rel=0.25) for level, wanted in PREMISES.items()}
    centre = sum(LEVELS) / 9
    slope = sum((level - centre) * math.log(mean) for level, mean in means.items()) / sum(
        (level - centre) ** 2 for level in LEVELS
    )
    assert 1.5 < math.exp(slope) < 1.75


def structure(row: Row) -> tuple[Any, ...]:
    """The golden tree up to names and the order of CI's inputs, from the texts."""
    made: dict[str, tuple[Any, ...]] = {}
    for step in row["golden"]:
        one = fact(step["statement"])
        below = [made[text] for text in step["inputs"]]
        made[step["statement"]] = (step["rule"], one.joint, len(one.names), *(sorted(below) if step["rule"] == "CI" else below))
    return made[row["conclusion"]]


def signature(row: Row) -> str:
    """The builder's signature of the golden tree as the row tells it."""
    made: dict[str, Tree] = {}
    for step in row["golden"]:
        made[step["statement"]] = Tree(read(step["statement"]), step["rule"], tuple(made[text] for text in step["inputs"]))
    return made[row["conclusion"]].signature()


def test_structures_do_not_repeat(reefbench_rows: Rows) -> None:
    """The 100 trees of a level differ in more than names; rows and manifest have their signatures."""
    for level in LEVELS:
        some = reefbench_rows[f"main{level:02d}"]
        assert len({structure(row) for row in some}) == 100
        assert [row["signature"] for row in some] == [signature(row) for row in some]
        assert FROZEN["structures"][f"l{level:02d}"] == {"distinct": 100, "signatures": [row["signature"] for row in some]}


def test_constants_score_nothing(reefbench_rows: Rows) -> None:
    """By the manifest a constant answer has no pair right and half of the rows; echoing the prompt is no answer at all."""
    for name, half in (("constant_true", "main_accuracy"), ("constant_unknown", "contrast_accuracy")):
        rates = FROZEN["baselines"]["default"][name]
        assert (rates["score"], rates["accuracy"], rates[half]) == (0, 0.5, 1)
    for row in reefbench_rows["dev"]:
        assert reefbench.judge(row, Prediction(row["id"], row["prompt"])).outcome.category == "parse_failure"


# ---- Rows ----------------------------------------------------------------------------------------------------------


def test_rows_tell_what_they_hold(reefbench_rows: Rows) -> None:
    """No premise twice; the count, the vocabulary in the order of the prompt, and the canary are right in every row."""
    for row in everything(reefbench_rows):
        assert row["premise_count"] == len(row["premises"]) == len(set(facts(row["premises"])))
        text = " ".join([*row["premises"], row["conclusion"]])
        assert row["vocabulary"] == list(dict.fromkeys(word for word in text.split() if word not in ("is", "and", "or")))
        assert set(row["vocabulary"]) <= set(names())
        assert row["canary"] == FROZEN["canary"]
        assert row["conclusion"] not in row["premises"]


def test_prompts(reefbench_rows: Rows) -> None:
    """A prompt has every premise on one line of its own, in order, says what it means, asks, and gives no answer away."""
    for row in everything(reefbench_rows):
        prompt = row["prompt"]
        lines = prompt.split("\n")
        start = lines.index(f"{row['premises'][0]}.")
        assert lines[start : start + row["premise_count"] + 1] == [f"{premise}." for premise in row["premises"]] + [""]
        assert all(lines.count(f"{premise}.") == 1 for premise in row["premises"][:20])
        assert prompt.startswith(f"Here are {row['premise_count']} facts.")
        assert prompt.count(f"is it true that {row['conclusion']}?") == 1
        assert f"{row['conclusion']}." not in lines
        assert row["config"] == "main" or f"{row['removed']}." not in lines
        for said in (
            "every A belongs to the category B",
            "belongs to both",
            "at least one of the two",
            "not that the two are the same",
        ):
            assert prompt.count(said) == 1
        assert prompt.count("\\boxed") == prompt.count("\\boxed{}") == 1
        assert not set(row["vocabulary"]) & set("\n".join([*lines[:start], *lines[start + row["premise_count"] :]]).split()) - {
            word.strip("?.") for word in row["conclusion"].split()
        }


def test_pairs_differ_in_one_premise(reefbench_rows: Rows) -> None:
    """The rows of a pair differ in one line of the prompt: the removed premise, in whose place one more distractor stands."""
    for main, contrast in paired(reefbench_rows):
        for key in ("pair", "level", "conclusion", "premise_count", "signature", "canary"):
            assert main[key] == contrast[key]
        lines = zip(main["prompt"].split("\n"), contrast["prompt"].split("\n"), strict=True)
        ((old, new),) = ((a, b) for a, b in lines if a != b)
        assert old == f"{contrast['removed']}."
        assert old.removesuffix(".") in main["premises"]
        assert contrast["distractors"] == [*main["distractors"], new.removesuffix(".")]
        assert main["removed"] == ""
        assert (contrast["golden"], contrast["minimal_breadth"]) == ([], 0)


# ---- Golden solutions ----------------------------------------------------------------------------------------------


def test_every_golden_step(reefbench_rows: Rows) -> None:
    """Each golden solution is a complete tree of ``level`` layers: leaves are premises, steps follow by their rule from the
    layer below, each is used once, and none is a conjunction taken apart twice or put together again at once."""
    for row in [*mains(reefbench_rows), *(row for row in reefbench_rows["dev"] if row["config"] == "main")]:
        golden = {step["statement"]: step for step in row["golden"]}
        assert len(golden) == len(row["golden"]) == row["minimal_breadth"]
        assert [step["golden_depth"] for step in row["golden"]] == sorted(step["golden_depth"] for step in row["golden"])
        assert row["golden"][-1]["statement"] == row["conclusion"]
        assert row["golden"][-1]["golden_depth"] == row["level"]
        for step in row["golden"]:
            assert 0 <= step["closure_depth"] <= step["golden_depth"]
            if step["rule"] == "premise":
                assert (step["inputs"], step["golden_depth"], step["closure_depth"]) == ([], 0, 0)
                continue
            assert by_rule(step["rule"], facts(step["inputs"]), fact(step["statement"])), (row["id"], step)
            for text in step["inputs"]:
                assert golden[text]["golden_depth"] == step["golden_depth"] - 1
                assert step["rule"] != "CE" or golden[text]["rule"] in ("MP", "premise")
        leaves = [text for text, step in golden.items() if step["rule"] == "premise"]
        assert sorted([*leaves, *row["distractors"]]) == sorted(row["premises"])
        used = Counter(text for step in row["golden"] for text in step["inputs"])
        assert used == dict.fromkeys(golden.keys() - {row["conclusion"]}, 1)


def test_closure_depths_and_breadths_by_forward_chaining(reefbench_rows: Rows) -> None:
    """At levels 3 to 6, plain forward chaining gives every closure depth and both breadths, and no contrast conclusion."""
    for main, contrast in paired(reefbench_rows, range(3, 7)):
        stated = facts(step["statement"] for step in main["golden"])
        depths = closure(facts(main["premises"]), [*facts(main["premises"]), *stated])
        assert [depths[one] for one in stated] == [step["closure_depth"] for step in main["golden"]]
        assert main["breadth"] == len(depths)
        given = facts(contrast["premises"])
        depths = closure(given, given)
        assert contrast["breadth"] == len(depths)
        assert fact(contrast["conclusion"]) not in closure(given, [*given, *stated])


def test_contrast_conclusions_have_countermodels(reefbench_rows: Rows) -> None:
    """For every contrast row there is a thing of which all premises hold and the conclusion does not.

    So the removed premise is needed: without it the main row's conclusion does not follow from the others.
    """
    for contrast in (row for row in everything(reefbench_rows) if row["config"] == "contrast"):
        model = countermodel(map(read, contrast["premises"]), read(contrast["conclusion"]))
        assert model is not None
        assert all(true_of(model, one) for one in facts(contrast["premises"]))
        assert not true_of(model, fact(contrast["conclusion"]))


def test_class_semantics_by_z3(reefbench_rows: Rows) -> None:
    """z3, a Boolean for each name of one thing: premises of levels 3 and 4 entail every main conclusion, no contrast one."""

    def holds(one: Fact) -> z3.BoolRef:
        parts = [z3.Bool(name) for name in sorted(one.names)]
        return z3.Implies(z3.Bool(one.subject), z3.Or(parts) if one.joint == "or" else z3.And(parts))

    for row in (row for pair in paired(reefbench_rows, (3, 4)) for row in pair):
        solver = z3.Solver()
        solver.add([holds(one) for one in facts(row["premises"])])
        solver.add(z3.Not(holds(fact(row["conclusion"]))))
        assert solver.check() == (z3.unsat if row["answer"] == "True" else z3.sat), row["id"]


# ---- Distractors ---------------------------------------------------------------------------------------------------


def test_distractors(reefbench_rows: Rows) -> None:
    """As many as layers, one more in contrast; each is about a name that nothing is, or gives a name that occurs nowhere
    else, and none is about a name of the conclusion's predicate."""
    for main, contrast in paired(reefbench_rows):
        tree = words(facts(step["statement"] for step in main["golden"]))
        for row, number in ((main, main["level"]), (contrast, main["level"] + 1)):
            stray, given = facts(row["distractors"]), facts(row["premises"])
            assert len(set(stray)) == number
            assert set(stray) <= set(given)
            told = Counter(name for one in given for name in one.names)
            for one in stray:
                assert one.subject not in fact(row["conclusion"]).names
                leads = one.subject in tree
                assert leads == bool(told[one.subject] or one.subject == fact(row["conclusion"]).subject)
                assert not leads or (not one.joint and all(told[name] == 1 and name not in tree for name in one.names))
                assert leads or one.names <= tree


def test_names_of_a_pair(reefbench_rows: Rows) -> None:
    """Both rows of a pair predicate the same names equally often; a contrast row has at most one name more, and none less; what
    the removed premise was about still has a premise."""
    for main, contrast in paired(reefbench_rows):
        predicated = [Counter(name for one in facts(row["premises"]) for name in one.names) for row in (main, contrast)]
        assert predicated[0] == predicated[1]
        assert set(main["vocabulary"]) <= set(contrast["vocabulary"])
        assert len(contrast["vocabulary"]) <= len(main["vocabulary"]) + 1
        assert fact(contrast["removed"]).subject in {one.subject for one in facts(contrast["premises"])}


def outside(depths: dict[Fact, int], own: set[str]) -> dict[Fact, int]:
    """The depths of facts without any of some names."""
    return {one: depth for one, depth in depths.items() if own.isdisjoint((one.subject, *one.names))}


def test_distractors_change_no_depth_by_forward_chaining(reefbench_rows: Rows) -> None:
    """At levels 3 to 5, with distractors or without them, every fact over the other names follows in the same round."""
    for main, contrast in paired(reefbench_rows, range(3, 6)):
        stated = facts([*main["premises"], *(step["statement"] for step in main["golden"]), *contrast["distractors"]])
        own = words(stated) - words(facts(step["statement"] for step in main["golden"]))
        for row in (main, contrast):
            bare = [premise for premise in row["premises"] if premise not in row["distractors"]]
            assert outside(closure(facts(row["premises"]), stated), own) == closure(facts(bare), stated)


def test_distractors_change_no_depth(reefbench_rows: Rows) -> None:
    """At levels 3 to 7 the oracle says the same of every statement of the universe, in layers too."""
    for main in mains(reefbench_rows, range(3, 8)):
        golden = {read(step["statement"]): step["golden_depth"] for step in main["golden"]}
        own = set(main["vocabulary"]) - words(facts(step["statement"] for step in main["golden"]))
        full = Deduction(map(read, main["premises"]), golden, main["level"])
        bare = Deduction((read(one) for one in main["premises"] if one not in main["distractors"]), golden, main["level"])
        told = [one for one in full.statements() if own.isdisjoint((one.subject, *one.predicate.parts))]
        assert told == bare.statements()
        assert [full.closure_depth(one) for one in told] == [bare.closure_depth(one) for one in told]
        assert [full.layer(one) for one in told] == [bare.layer(one) for one in told]


# ---- What order gives away -----------------------------------------------------------------------------------------


def far(total: float, mean: float, variance: float) -> bool:
    """Whether a sum is more than 4.5 standard deviations off."""
    return abs(total - mean) > 4.5 * math.sqrt(variance)


def test_premises_are_shuffled(reefbench_rows: Rows) -> None:
    """Golden premises ascend as often as in random order, and distractors and the removed premise stand anywhere."""
    ascents = ascents_mean = ascents_variance = 0.0
    ranks = ranks_mean = ranks_variance = 0.0
    cuts = cuts_mean = cuts_variance = 0.0
    for main, contrast in paired(reefbench_rows):
        place = {premise: i for i, premise in enumerate(main["premises"])}
        order = [place[step["statement"]] for step in main["golden"] if step["rule"] == "premise"]
        ascents += sum(a < b for a, b in pairwise(order))
        ascents_mean += (len(order) - 1) / 2
        ascents_variance += (len(order) + 1) / 12 if len(order) > 1 else 0
        level, number = main["level"], main["premise_count"]
        ranks += sum(place[premise] for premise in main["distractors"]) / number
        ranks_mean += level * (number - 1) / 2 / number
        ranks_variance += level * (number - level) * (number + 1) / 12 / number**2
        cuts += place[contrast["removed"]] / number
        cuts_mean += (number - 1) / 2 / number
        cuts_variance += (number**2 - 1) / 12 / number**2
    assert not far(ascents, ascents_mean, ascents_variance)
    assert not far(ranks, ranks_mean, ranks_variance)
    assert not far(cuts, cuts_mean, cuts_variance)


def test_names_are_in_no_order(reefbench_rows: Rows) -> None:
    """A name made later comes before an earlier one in half of the rows; conclusions' subjects are anywhere in the alphabet."""
    rank = {name: place / len(names()) for place, name in enumerate(names())}
    last = [row["golden"][-1] for row in mains(reefbench_rows) if row["golden"][-1]["rule"] == "MP"]
    later = sum(fact(step["inputs"][1]).subject > fact(step["statement"]).subject for step in last)
    assert len(last) > 250
    assert not far(later, len(last) / 2, len(last) / 4)
    subjects = [rank[fact(row["conclusion"]).subject] for row in mains(reefbench_rows)]
    assert not far(sum(subjects), len(subjects) / 2, len(subjects) / 12)


def test_every_rule_and_root_is_used(reefbench_rows: Rows) -> None:
    """At every level all four rules occur, and conclusions of one, two and three names, joined by "and" and by "or"."""
    for level in LEVELS:
        some = list(mains(reefbench_rows, [level]))
        assert {step["rule"] for row in some for step in row["golden"]} == {"premise", "MP", "CE", "CI", "DI"}
        roots = Counter((one.joint, len(one.names)) for one in (fact(row["conclusion"]) for row in some))
        assert roots.keys() == {("", 1), ("and", 2), ("and", 3), ("or", 2), ("or", 3)}


# ---- The builder's own proof ---------------------------------------------------------------------------------------


def test_rows_are_proved(reefbench_rows: Rows) -> None:
    """rb-build's check finds nothing wrong with the rows of levels 3 to 7 and of dev."""
    recipe = recipes.read(FROZEN_REEFBENCH / "recipe.json")
    files = ["dev", *(f"{config}{level:02d}" for level in range(3, 8) for config in ("main", "contrast"))]
    assert [builder.prove(recipe, file, reefbench_rows[file]) for file in files] == [[]] * len(files)


def test_card_tells_the_numbers(reefbench_release: Path) -> None:
    """The card names every baseline, and says that all answers of main are True."""
    text = (reefbench_release / "README.md").read_text("utf-8")
    assert "All answers of `main` are True" in text
    assert all(f"| {name} | " in text for name in FROZEN["baselines"]["default"])
