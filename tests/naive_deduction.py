"""Independent oracles of deduction, written on explicit sets of statements, and random trees to try them on.

``rounds`` applies the four rules one instance at a time. It shares nothing with ``rb_verify.deduction`` but the form of
statements. ``proved``, ``proves`` and ``equivalent_depth`` are the searches of the ReEfBench paper (appendix A.5,
algorithms 2 to 4), here to compare with: they are not exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import combinations
from time import perf_counter
from typing import NamedTuple

from rb_verify.statements import AND, OR, Predicate, Statement, predicate, statement

Inputs = tuple[Statement, ...]
Path = tuple[str, Inputs]


def all_predicates(names: Iterable[str], most: int = 3) -> list[Predicate]:
    """All predicates of up to ``most`` of the names."""
    some = sorted(names)
    found = [predicate((name,)) for name in some]
    for size in range(2, most + 1):
        found += [predicate(parts, joint) for joint in (AND, OR) for parts in combinations(some, size)]
    return found


def names_of(statements: Iterable[Statement]) -> set[str]:
    """All names in some statements."""
    return {name for subject, stated in statements for name in (subject, *stated.parts)}


def is_step(rule: str, inputs: Collection[Statement], output: Statement) -> bool:
    """Whether a rule gives ``output`` from ``inputs``, read off the paper's table 6 with CI of any number of inputs."""
    subject, stated = output
    if rule == "MP":
        if len(inputs) != 2:
            return False
        first, second = inputs
        return not first.predicate.joint and first.subject == subject and second == Statement(first.predicate.parts[0], stated)
    if any(one.subject != subject or one == output for one in inputs):
        return False
    have = [one.predicate for one in inputs]
    if rule == "CE":
        return len(have) == 1 and have[0].joint == AND and stated.joint != OR and set(stated.parts) < set(have[0].parts)
    if rule == "DI":
        return len(have) == 1 and have[0].joint != AND and stated.joint == OR and set(have[0].parts) < set(stated.parts)
    if rule == "CI":
        return (
            stated.joint == AND
            and all(one.joint != OR for one in have)
            and {p for one in have for p in one.parts} == set(stated.parts)
        )
    return False


def follows(output: Statement, known: Collection[Statement], names: Iterable[str]) -> bool:
    """Whether one application of one rule to known statements gives ``output``."""
    subject, stated = output
    mine = [Statement(subject, one.predicate) for one in known if one.subject == subject]
    inside = [one for one in mine if one.predicate.joint != OR and set(one.predicate.parts) <= set(stated.parts)]
    return (
        any(statement(subject, (f,)) in known and Statement(f, stated) in known for f in names)
        or any(is_step(rule, (one,), output) for one in mine for rule in ("CE", "DI"))
        or is_step("CI", inside, output)
    )


def rounds(
    premises: Iterable[Statement], universe: Iterable[Predicate], golden: Mapping[Statement, int] | None = None
) -> dict[Statement, int]:
    """By statement that follows, the first round in which it does; golden ones exactly at their depths.

    All names of the premises and of the universe are subjects, the predicates those of the universe.
    """
    golden = golden or {}
    depths = dict.fromkeys(premises, 0)
    universe = list(universe)
    names = sorted(names_of(depths) | {name for stated in universe for name in stated.parts})
    open_ = [Statement(name, stated) for name in names for stated in universe if Statement(name, stated) not in depths]
    depth, last = 0, max(golden.values(), default=0)
    while True:
        depth += 1
        known = set(depths)
        new = [one for one in open_ if (golden[one] == depth if one in golden else follows(one, known, names))]
        depths.update(dict.fromkeys(new, depth))
        open_ = [one for one in open_ if one not in depths]
        if not new and depth > last:
            return depths


def instances(output: Statement, universe: Collection[Predicate], names: Collection[str]) -> Iterator[Inputs]:
    """The inputs of every instance of a rule that gives ``output``; of CI, those with no input to spare."""
    subject, stated = output
    parts = set(stated.parts)
    for f in names:
        if f != subject and predicate((f,)) != stated:
            yield statement(subject, (f,)), Statement(f, stated)
    for other in universe:
        for rule in ("CE", "DI"):
            if is_step(rule, (Statement(subject, other),), output):
                yield (Statement(subject, other),)
    inside = [other for other in universe if other.joint != OR and set(other.parts) < parts]
    if stated.joint == AND:
        for size in range(2, len(parts) + 1):
            for some in combinations(inside, size):
                covers = [{part for other in some if other != spare for part in other.parts} for spare in some]
                if {part for other in some for part in other.parts} == parts and all(cover < parts for cover in covers):
                    yield tuple(Statement(subject, other) for other in some)


# The paper's searches


class Search(NamedTuple):
    """What the paper's search is given: the premises, and limits of depth and seconds.

    ``firsts``: by subject, the single names that premises give it. ``lasts``: by predicate, the subjects of its premises.
    """

    premises: frozenset[Statement]
    firsts: dict[str, list[str]]
    lasts: dict[Predicate, list[str]]
    deepest: float
    seconds: float


class TimedOut(Exception):
    """The search of a statement took its seconds."""


def search(premises: Iterable[Statement], deepest: float = float("inf"), seconds: float = float("inf")) -> Search:
    """What ``proved`` and ``proves`` need."""
    some = sorted(set(premises))
    firsts: dict[str, list[str]] = {}
    lasts: dict[Predicate, list[str]] = {}
    for subject, stated in some:
        lasts.setdefault(stated, []).append(subject)
        if stated.joint != OR:
            firsts.setdefault(subject, []).extend(stated.parts)
    return Search(frozenset(some), firsts, lasts, deepest, seconds)


def paths(target: Statement, given: Search) -> list[Path]:
    """FindPaths: the rules turned round, from a statement to what would give it.

    MP goes by a name that a premise gives to the subject, alone or in a conjunction, or by a subject of a premise with
    that very predicate. CE goes by conjunctions in the premises, CI splits off one name, DI drops one.
    """
    subject, stated = target
    found: list[Path] = []
    for f in dict.fromkeys([*given.firsts.get(subject, ()), *given.lasts.get(stated, ())]):
        if f != subject and predicate((f,)) != stated:
            found.append(("MP", (statement(subject, (f,)), Statement(f, stated))))
    if stated.joint != OR:
        larger = [one for one in given.lasts if one.joint == AND and set(stated.parts) < set(one.parts)]
        found += [("CE", (Statement(subject, one),)) for one in larger]
    if stated.joint:
        for part in stated.parts:
            rest = Statement(subject, predicate(set(stated.parts) - {part}, stated.joint))
            one = statement(subject, (part,))
            found += [("CI", (one, rest))] if stated.joint == AND else [("DI", (one,)), ("DI", (rest,))]
    return sorted(found, key=lambda path: (len(path[1]), ("MP", "CE", "CI", "DI").index(path[0])))


def proved(target: Statement, given: Search) -> frozenset[Statement] | None:
    """Algorithm 2: the premises that a proof uses, None if none is found. Raises TimedOut where the paper says no."""
    visited: set[Statement] = set()
    start = perf_counter()

    def attempt(one: Statement, depth: int) -> frozenset[Statement] | None:
        if perf_counter() - start > given.seconds:
            raise TimedOut
        if depth > given.deepest or one in visited:
            return None
        if one in given.premises:
            return frozenset((one,))
        visited.add(one)
        for _, inputs in paths(one, given):
            used: frozenset[Statement] | None = frozenset()
            for needed in inputs:
                more = attempt(needed, depth + 1)
                used = None if more is None or used is None else used | more
                if used is None:
                    break
            if used is not None:
                visited.remove(one)
                return used
        visited.remove(one)
        return None

    return attempt(target, 0)


def proves(target: Statement, given: Search) -> bool:
    """Algorithm 3: as algorithm 2, but what was visited once is given up for good."""
    visited: set[Statement] = set()

    def attempt(one: Statement, depth: int) -> bool:
        if depth > given.deepest or one in visited:
            return False
        if one in given.premises:
            return True
        visited.add(one)
        return any(all(attempt(needed, depth + 1) for needed in inputs) for _, inputs in paths(one, given))

    return attempt(target, 0)


def equivalent_depth(target: Statement, tree: Tree, given: Search) -> int:
    """Algorithm 4: an estimate of a layer from the premises that a proof uses; -1 where none is found.

    The depth of a node of its log is one more than the layer of what the node gives, as its first line says. What a node
    requires is, as the paper's text says, premises: all those below it.
    """
    nodes = {one: depth + 1 for one, depth in tree.golden.items() if one in tree.inputs}
    if target in nodes:
        return nodes[target] - 1
    used = proved(target, given)
    if used is None:
        return -1
    least, exact = tree.level, False
    for output, depth in nodes.items():
        requires = leaves(output, tree)
        if depth < least and (requires <= used or output.predicate == target.predicate):
            least, exact = depth, requires == used
    if least == tree.level:
        return 0
    return least - 1 if exact else max(least - 2, 0)


def leaves(output: Statement, tree: Tree) -> set[Statement]:
    """The premises of a tree that are below a statement."""
    found = [output]
    for one in found:
        found += tree.inputs.get(one, ())
    return {one for one in found if one not in tree.inputs}


# Random trees


class Tree(NamedTuple):
    """A golden solution. ``golden``: depths of all its statements; ``rules`` and ``inputs``: of those that are no premise."""

    level: int
    conclusion: Statement
    premises: list[Statement]
    golden: dict[Statement, int]
    rules: dict[Statement, str]
    inputs: dict[Statement, Inputs]


def random_tree(level: int, seed: int, distractors: bool = False) -> Tree:
    """A random tree of ``level`` layers, expanded from its conclusion; with ``level`` distractors among its premises."""
    draw = random.Random(f"{level}/{seed}")
    made = 0

    def fresh() -> str:
        nonlocal made
        made += 1
        return "".join("bdfghklmnprstvz"[made // 15**k % 15] + "aeiu"[k] for k in range(3)) + "pus"

    size = draw.randint(1, 3)
    conclusion = statement(fresh(), [fresh() for _ in range(size)], draw.choice((AND, OR)))
    golden, rules, inputs = {conclusion: level}, {}, {}
    layer = [conclusion]
    for depth in range(level - 1, -1, -1):
        below: list[Statement] = []
        above = {one: rules[output] for output in rules for one in inputs[output] if golden[output] == depth + 2}
        for output in layer:
            rules[output], inputs[output] = _expanded(draw, output, above.get(output) == "CE", fresh)
            below += inputs[output]
            golden.update(dict.fromkeys(inputs[output], depth))
        layer = below
    premises = list(layer)
    if distractors:
        old = sorted(names_of(premises) - set(conclusion.predicate.parts))
        shown = sorted({one.predicate for one in golden})
        for turn in range(level):
            premises.append(statement(draw.choice(old), (fresh(),)) if turn % 2 else Statement(fresh(), draw.choice(shown)))
    draw.shuffle(premises)
    return Tree(level, conclusion, premises, golden, rules, inputs)


def _expanded(draw: random.Random, output: Statement, below_ce: bool, fresh: Callable[[], str]) -> Path:
    """A rule that may give a statement, drawn evenly from those that are allowed, and inputs for it."""
    subject, (joint, parts) = output
    rules = ["MP"]
    if joint == OR:
        rules.append("DI")
    if not below_ce:
        rules += ["CI"] if joint == AND else []
        rules += ["CE"] if joint != OR and len(parts) < 3 else []
    rule = draw.choice(rules)
    mixed = draw.sample(parts, len(parts))
    if rule == "MP":
        middle = fresh()
        return rule, (statement(subject, (middle,)), Statement(middle, output.predicate))
    if rule == "CE":
        return rule, (statement(subject, (*parts, *(fresh() for _ in range(draw.randint(1, 3 - len(parts))))), AND),)
    cut = draw.randint(1, len(parts) - 1)
    if rule == "DI":
        return rule, (statement(subject, mixed[:cut], OR),)
    return rule, (statement(subject, mixed[:cut], AND), statement(subject, mixed[cut:], AND))
