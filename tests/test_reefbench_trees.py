"""ReEfBench's golden trees, held against an enumeration of their own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest

from rb_build.reefbench.names import names
from rb_build.reefbench.trees import Tree
from rb_build.streams import Stream
from rb_verify.statements import AND, OR, SINGLE, Predicate, Statement, statement
from small_reefbench import drawn

ROOTS = [(SINGLE, 1), (AND, 2), (AND, 3), (OR, 2), (OR, 3)]

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
