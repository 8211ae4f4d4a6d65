"""ReEfBench's builder: names, golden trees against an enumeration of their own, recipes, and forged rows."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import pytest

from naive_deduction import all_predicates, is_step
from rb_build import folder, reefbench, release
from rb_build import recipe as recipes
from rb_build.errors import UnusableRecipe
from rb_build.reefbench import proof
from rb_build.reefbench.names import names
from rb_build.reefbench.prompt import prompt
from rb_build.reefbench.trees import Tree, grow
from rb_build.streams import Stream
from rb_build.structures import TRIES
from rb_verify import canonical
from rb_verify.deduction import Deduction
from rb_verify.statements import AND, OR, SINGLE, Predicate, Statement, read, statement
from small_reefbench import LEVELS, small_reefbench, tier

Row = dict[str, Any]
ROOTS = [(SINGLE, 1), (AND, 2), (AND, 3), (OR, 2), (OR, 3)]

# ---- Names ---------------------------------------------------------------------------------------------------------

PUS_WORDS = re.findall(
    "[a-z]+",
    """
    apus campus canopus carapus carpus chrysippus cippus colpus contopus copus corpus cystopus dasypus dipus esopus
    euripus gaupus grampus gumpus hallopus hippocampus hippus hypopus lagopus lepus lupus lycopus macropus melampus
    metacarpus micropus mopus moropus mucopus napus nettapus octopus oedipus olympus opus palpus pappus peropus
    philippus platypus polypus porpus priapus propus pteropus pus pygopus pyropus rhizopus rumpus scalopus scapus
    scirpus scopus seropus wampus xenopus zapus
    """,
)
WORDS = re.findall(
    "[a-z]+",
    """
    back balk balm band bang bank barb bard bark barn bash bath bell belt bend bird bold bolt bond book born both buck
    bulb bulk bull bump bunk burn bush calf call calm camp card care carp cart cash cast cold comb cord cork corn cost
    curb curl damp dark darn dash deck desk dish dock doll dump dusk dust fact fall farm fast felt fern film find fish
    fist fold folk fond ford fork form fund gang gift girl gold golf gust half hall hand hang hard harm harp hawk help
    herb herd hill hint hold horn host hulk hunt hurt jack jazz jerk jump junk just kick kill kind king kiss lamb lamp
    land last left lend lens lift limb limp link lock long lord lost luck lump lung mask mast melt mend milk mill mind
    mint mist monk moth must neck nest numb palm park part past path pick pill pink pond post pump push rank rent rest
    rich ring rock rust sack salt sand sang self send shop sick silk sing sink sock soft song sort such tank task tell
    tent test text thin tick told turf turn vast vent verb vest wall wand want ward warm wash wasp weld west wild wind
    wing wish wolf word work worm yard
    """,
)


def distance(one: str, other: str) -> int:
    """Levenshtein's: the least number of letters to insert, drop or change."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def test_distance_is_levenshteins() -> None:
    """The distance used here gives the known values."""
    assert [distance(*pair) for pair in (("kitten", "sitting"), ("abc", "abc"), ("abcd", "bcde"), ("", "ab"))] == [3, 0, 2, 2]


def test_names_have_one_form() -> None:
    """At least 777 different names of seven lower-case letters that end in "pus", in ascending order."""
    assert len(names()) >= 777
    assert list(names()) == sorted(set(names()))
    assert all(re.fullmatch("[a-z]{4}pus", name) for name in names())


def test_no_name_is_an_english_word() -> None:
    """No name is an English word in "pus", and none is a common English word with "pus" behind it."""
    assert not set(names()) & set(PUS_WORDS)
    assert not set(names()) & {f"{word}pus" for word in WORDS}


def test_no_two_names_are_alike() -> None:
    """Any two names differ in two letters or more: no name with one place blanked is that of another."""
    blanked = Counter(name[:place] + "?" + name[place + 1 :] for name in names() for place in range(7))
    assert set(blanked.values()) == {1}
    some = Stream("test/names").sample(names(), 120)
    assert all(distance(a, b) >= 2 for i, a in enumerate(some) for b in some[:i])


# ---- Trees ---------------------------------------------------------------------------------------------------------

Form = tuple[Any, ...]


def options(joint: str, number: int, below_ce: bool) -> dict[str, list[list[tuple[str, int]]]]:
    """Algorithm 1 at a statement whose predicate has so many names: by admissible rule, the predicates of its inputs, evenly
    likely."""
    found = {"MP": [[(SINGLE, 1), (joint, number)]]}
    if joint == OR:
        found["DI"] = [[(OR if kept > 1 else SINGLE, kept)] for kept in range(1, number)]
    elif not below_ce:
        if number < 3:
            found["CE"] = [[(AND, number + 1)]]
        if number > 1:
            found["CI"] = [[(AND if n > 1 else SINGLE, n) for n in (cut, number - cut)] for cut in range(1, number)]
    return found


@cache
def forms(joint: str, number: int, layers: int, below_ce: bool = False) -> frozenset[Form]:
    """Every tree of so many layers below a predicate, up to names and the order of CI's inputs."""
    if not layers:
        return frozenset({("premise", joint, number)})
    found = set()
    for rule, choices in options(joint, number, below_ce).items():
        for inputs in choices:
            below = [sorted(forms(*wanted, layers - 1, rule == "CE")) for wanted in inputs]
            found |= {(rule, joint, number, *(sorted(some) if rule == "CI" else some)) for some in product(*below)}
    return frozenset(found)


def form(tree: Tree) -> Form:
    """A built tree in the same terms."""
    joint, parts = tree.statement.predicate
    below = [form(one) for one in tree.inputs]
    return (tree.rule, joint, len(parts), *(sorted(below) if tree.rule == "CI" else below))


def drawn(level: int, path: object = 0, pool: list[str] | None = None) -> Tree:
    """A tree of a stream. ``pool``: names to use in order, instead of the builder's shuffled."""
    stream = Stream(f"test/tree/{level}/{path}")
    return grow(stream, level, iter(pool or stream.shuffled(names())))


def expansions(tree: Tree, below_ce: bool = False) -> Iterator[tuple[Tree, bool]]:
    """(tree, whether it is the input of a CE) of every node."""
    yield tree, below_ce
    for one in tree.inputs:
        yield from expansions(one, tree.rule == "CE")


@pytest.mark.parametrize("level", [1, 2, 3, 5, 7, 9])
def test_every_expansion_is_admissible(level: int) -> None:
    """Each rule is one that Algorithm 1 admits there, its inputs are the rule's, and all fresh names are new."""
    for path in range(60):
        tree = drawn(level, path)
        introduced = [tree.statement.subject, *tree.statement.predicate.parts]
        for node, below_ce in expansions(tree):
            subject, (joint, parts) = node.statement
            assert joint in (SINGLE, AND, OR)
            assert len(set(parts)) == len(parts) <= 3
            assert (joint == SINGLE) == (len(parts) == 1)
            inputs = [one.statement for one in node.inputs]
            if node.rule == "premise":
                assert inputs == []
                continue
            assert node.rule in options(joint, len(parts), below_ce)
            if node.rule == "MP":
                (middle,) = inputs[0].predicate.parts
                assert inputs == [statement(subject, [middle]), Statement(middle, node.statement.predicate)]
                introduced.append(middle)
            else:
                assert {one.subject for one in inputs} == {subject}
                given = [set(one.predicate.parts) for one in inputs]
                if node.rule == "CE":
                    (more,) = given
                    assert inputs[0].predicate.joint == AND
                    assert more > set(parts)
                    introduced += more - set(parts)
                elif node.rule == "CI":
                    assert joint == AND
                    assert len(given[0]) + len(given[1]) == len(parts)
                    assert given[0] | given[1] == set(parts)
                    assert OR not in {one.predicate.joint for one in inputs}
                else:
                    (fewer,) = given
                    assert joint == OR
                    assert inputs[0].predicate.joint == (OR if len(fewer) > 1 else SINGLE)
                    assert fewer < set(parts)
        assert len(set(introduced)) == len(introduced)


@pytest.mark.parametrize("level", [1, 2, 3, 5, 7, 9, 11])
def test_trees_are_complete(level: int) -> None:
    """Every leaf is exactly ``level`` steps from the root, no statement comes twice, no name of a disjunction is a subject."""

    def lengths(tree: Tree) -> set[int]:
        return {1 + n for one in tree.inputs for n in lengths(one)} or {0}

    for path in range(12):
        tree = drawn(level, path)
        assert lengths(tree) == {level}
        nodes = list(tree.nodes(level))
        assert nodes[-1] == (level, tree)
        assert {layer for layer, node in nodes if node.rule == "premise"} == {0}
        for layer, node in nodes:
            assert all((layer - 1, one) in nodes for one in node.inputs) if level < 6 else layer <= level
        stated = [node.statement for _, node in nodes]
        assert len(set(stated)) == len(stated)
        alternatives = {name for one in stated for name in one.predicate.parts if one.predicate.joint == OR}
        assert not alternatives & {one.subject for one in stated}


@pytest.mark.parametrize(
    ("level", "numbers"), [(1, [2, 3, 2, 2, 3]), (2, [5, 10, 10, 6, 10]), (3, [31, 69, 100, 35, 61])], ids=str
)
def test_all_trees_are_drawn_and_no_other(level: int, numbers: list[int]) -> None:
    """Draws find every tree of an independent enumeration, and nothing else; there are as many signatures as trees."""
    every = [forms(*root, level) for root in ROOTS]
    assert [len(some) for some in every] == numbers
    pool = [f"n{place}" for place in range(50)]
    trees = [drawn(level, path, pool) for path in range(60 * sum(numbers))]
    assert {form(tree) for tree in trees} == frozenset().union(*every)
    assert len({tree.signature() for tree in trees}) == sum(numbers)


def even(counts: Counter[Any], total: int, wanted: int) -> bool:
    """Whether counts are those of ``wanted`` evenly likely values: by chi-square, at one in a hundred thousand."""
    mean = total / wanted
    square = sum((count - mean) ** 2 / mean for count in counts.values())
    return len(counts) == wanted and (wanted == 1 or square < {2: 19.6, 3: 23.1, 4: 25.9}[wanted])


def test_rules_are_drawn_evenly() -> None:
    """At each kind of statement the admissible rules are equally likely; so are roots, and where CI and DI cut."""
    rules: dict[tuple[str, int, bool], Counter[str]] = {}
    cuts: dict[tuple[str, int], Counter[int]] = {}
    sizes: Counter[int] = Counter()
    joints: Counter[str] = Counter()
    for path in range(1500):
        tree = drawn(4, f"even/{path}")
        sizes[len(tree.statement.predicate.parts)] += 1
        joints[tree.statement.predicate.joint] += 1
        for node, below_ce in expansions(tree):
            joint, parts = node.statement.predicate
            if node.rule != "premise":
                rules.setdefault((joint, len(parts), below_ce), Counter())[node.rule] += 1
            if node.rule in ("CI", "DI"):
                cuts.setdefault((joint, len(parts)), Counter())[len(node.inputs[0].statement.predicate.parts)] += 1
    assert even(sizes, 1500, 3)
    del joints[SINGLE]
    assert even(joints, joints.total(), 2)
    assert rules.keys() == {(*root, False) for root in ROOTS} | {(AND, 2, True), (AND, 3, True)}
    for place, counts in rules.items():
        assert counts.keys() == options(*place).keys()
        assert even(counts, counts.total(), len(options(*place)))
    for (_, number), parts_kept in cuts.items():
        assert even(parts_kept, parts_kept.total(), number - 1)


@cache
def moments(joint: str, number: int, layers: int, below_ce: bool = False) -> tuple[float, float]:
    """Mean and variance of the number of premises of a tree that Algorithm 1 draws."""
    if not layers:
        return 1, 0
    outcomes = []
    choices = options(joint, number, below_ce)
    for rule, inputs in choices.items():
        for some in inputs:
            below = [moments(*wanted, layers - 1, rule == "CE") for wanted in some]
            mean, variance = (sum(part) for part in zip(*below, strict=True))
            outcomes.append((1 / len(choices) / len(inputs), mean, variance))
    mean = sum(p * m for p, m, _ in outcomes)
    return mean, sum(p * (v + m * m) for p, m, v in outcomes) - mean**2


def premises_at(level: int) -> tuple[float, float]:
    """Mean and variance of the number of premises at a level, over all roots."""
    roots = [(1 / 3 if joint == SINGLE else 1 / 6, moments(joint, number, level)) for joint, number in ROOTS]
    mean = sum(p * m for p, (m, _) in roots)
    return mean, sum(p * (v + m * m) for p, (m, v) in roots) - mean**2


def test_expected_premises() -> None:
    """By exact recursion a level has 4, 7, 11, 19, 31, 50, 82, 135, 220 premises on average, within 4 %: 1.64 times a level."""
    means = [premises_at(level)[0] for level in range(3, 12)]
    assert means == pytest.approx([4, 7, 11, 19, 31, 50, 82, 135, 220], rel=0.07)
    assert all(1.6 < b / a < 1.68 for a, b in pairwise(means))


@pytest.mark.parametrize("level", range(3, 10))
def test_sampled_premises(level: int) -> None:
    """Trees drawn have as many premises as the recursion says, within 4.5 standard errors of their mean."""
    number = 60 if level > 7 else 300
    leaves = [sum(node.rule == "premise" for _, node in drawn(level, f"mean/{path}").nodes(level)) for path in range(number)]
    mean, variance = premises_at(level)
    assert abs(sum(leaves) / number - mean) < 4.5 * math.sqrt(variance / number)


def renamed(tree: Tree, image: dict[str, str], swap: bool) -> Tree:
    """A tree with other names. ``swap``: and the inputs of each CI in the other order."""
    subject, (joint, parts) = tree.statement
    inputs = tuple(renamed(one, image, swap) for one in tree.inputs)
    turned = inputs[::-1] if swap and tree.rule == "CI" else inputs
    return Tree(statement(image[subject], [image[part] for part in parts], joint), tree.rule, turned)


def test_signature_is_that_of_the_structure() -> None:
    """Other names, whatever their order, and CI's inputs exchanged leave the signature as it is; MP's inputs do not."""
    exchanged = 0
    for path in range(80):
        tree = drawn(4, f"signature/{path}")
        image = dict(zip(sorted(names()), Stream(f"test/image/{path}").shuffled(names()), strict=True))
        for swap in (False, True):
            other = renamed(tree, image, swap)
            assert other != tree
            assert other.signature() == tree.signature()
        if tree.rule == "MP" and form(tree.inputs[0]) != form(tree.inputs[1]):
            assert Tree(tree.statement, "MP", tree.inputs[::-1]).signature() != tree.signature()
            exchanged += 1
    assert exchanged > 10


def test_signatures_differ_by_any_one_thing() -> None:
    """Another joint, number of names, rule, or number of layers is another signature."""
    made = [
        Tree(Statement("a", Predicate(joint, tuple("bcd"[:number]))), rule, ())
        for joint, number in ROOTS
        for rule in ("premise", "MP")
    ]
    deeper = [Tree(tree.statement, "DI", (tree,)) for tree in made] + [Tree(tree.statement, "DI", (tree,) * 2) for tree in made]
    assert len({tree.signature() for tree in made + deeper}) == 30


# ---- Recipes -------------------------------------------------------------------------------------------------------


def parsed(**changed: Any) -> recipes.Recipe:
    """The small recipe with some entries replaced."""
    return recipes.parse(small_reefbench(**changed), "small")


def only(*tiers: dict[str, Any]) -> recipes.Recipe:
    """A recipe of these tiers alone, all in the file dev."""
    return parsed(configs={"default": {"test": ["dev"]}}, params={"tiers": list(tiers)})


@pytest.fixture(scope="module")
def small() -> dict[str, list[Row]]:
    """The rows of the small recipe."""
    return reefbench.build(parsed(), map).files


def test_small_rows_are_proved(small: dict[str, list[Row]]) -> None:
    """Each file has the rows that the recipe asks for, all of them sound; a tier's main and contrast may share a file."""
    assert {file: len(rows) for file, rows in small.items()} == {
        **{f"{config}{level:02d}": 4 for level in LEVELS for config in ("main", "contrast")},
        "dev": 8,
    }
    for file, rows in small.items():
        assert reefbench.prove(parsed(), file, rows) == []
    assert [row["config"] for row in small["dev"]] == ["main", "contrast"] * 4
    assert [row["pair"] for row in small["dev"]] == [f"reefbench-0-1-0-dev04-i{i:03d}" for i in range(4) for _ in range(2)]


def test_workers_and_order_of_tiers_change_no_row(small: dict[str, list[Row]]) -> None:
    """Two workers, and tiers in another order, or alone, give the same rows."""
    with release.workers(2) as run:
        assert reefbench.build(parsed(), run).files == small
    tiers = small_reefbench()["params"]["tiers"]
    assert reefbench.build(parsed(params={"tiers": tiers[::-1]}), map).files == small
    assert reefbench.build(only(tier("dev04", 4)), map).files["dev"] == small["dev"]


def test_seed_version_and_tier_name_are_other_draws(small: dict[str, list[Row]]) -> None:
    """Another seed, version, or tier's name draws other items; another date or canary does not."""
    premises = [row["premises"] for row in small["dev"]]
    for changed in ({"seed": "other"}, {"version": "0.1.1"}, {"params": {"tiers": [tier("dev05", 4)]}}):
        some = parsed(**{"params": {"tiers": [tier("dev04", 4)]}, **changed}, configs={"default": {"test": ["dev"]}})
        assert not any(row["premises"] in premises for row in reefbench.build(some, map).files["dev"])
    some = parsed(released="2027-01-01", canary="another canary")
    assert [row["premises"] for row in reefbench.build(some, map).files["dev"]] == premises


def test_notes_tell_the_structures(small: dict[str, list[Row]]) -> None:
    """The manifest's notes have, by tier, the signature of each item and how many differ."""
    notes = reefbench.build(parsed(), map).notes
    assert list(notes) == ["l03", "l04", "l05", "dev04"]
    for name, file in zip(notes, ["main03", "main04", "main05", "dev"], strict=True):
        signatures = [row["signature"] for row in small[file] if row["config"] == "main"]
        assert notes[name] == {"distinct": 4, "signatures": signatures}


def test_structures_repeat_only_when_all_are_used() -> None:
    """Level 1 has 12 trees: of 30 items the first 12 all differ, and the others are not refused."""
    (notes,) = reefbench.build(only(tier("tiny", 1, items=30)), map).notes.values()
    assert notes["distinct"] == len(set(notes["signatures"][:12])) == 12
    assert len(notes["signatures"]) == 30


def test_excluded_structures_do_not_come_again(small: dict[str, list[Row]]) -> None:
    """Excluded structures are left out; where there are no others, they come again and the notes say which."""
    taken = {row["signature"] for rows in small.values() for row in rows}
    again = reefbench.build(replace(parsed(), excluded={"reefbench@0.1.0": sorted(taken)}), map).files
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


def test_no_two_names_of_a_row_are_alike(small: dict[str, list[Row]]) -> None:
    """The names of a row are the builder's, so that any two differ in two letters."""
    for rows in small.values():
        for row in rows:
            assert set(row["vocabulary"]) <= set(names())
            assert all(distance(a, b) >= 2 for i, a in enumerate(row["vocabulary"]) for b in row["vocabulary"][:i])


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


# ---- Forged rows ---------------------------------------------------------------------------------------------------


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
    return reefbench.prove(parsed(), f"{config}03", [row])


@pytest.mark.parametrize("config", ["main", "contrast"])
def test_rows_by_hand_are_sound(config: str, small: dict[str, list[Row]]) -> None:
    """A row that is made by hand, and not forged, has the fields of built rows, and nothing is wrong with it."""
    assert forged(config, lambda row: None) == []
    assert list(by_hand(config)) == list(small[f"{config}03"][0])


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


def test_a_row_in_another_file_is_found(small: dict[str, list[Row]]) -> None:
    """A sound row that stands in another tier's or config's file is at fault there."""
    for file in ("contrast03", "main04", "dev"):
        faults = reefbench.prove(parsed(), file, small["main03"][:1])
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
    recipe = parsed()
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
