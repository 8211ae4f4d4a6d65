"""The deduction oracle, held against naive rounds on sets of statements, z3, and the searches of the paper."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterable

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_deduction import (
    all_predicates,
    equivalent_depth,
    instances,
    is_step,
    names_of,
    proved,
    proves,
    random_tree,
    rounds,
    search,
)
from rb_verify.deduction import Deduction, Step, countermodel, is_complete
from rb_verify.statements import AND, OR, Predicate, Statement, predicate, read, statement

NAMES = "abcde"
EVERYTHING = all_predicates(NAMES)


def some(*texts: str) -> list[Statement]:
    """Statements by their texts."""
    return [read(text) for text in texts]


def depths(texts: Iterable[str], premises: list[Statement]) -> list[int | None]:
    """The closure depths of statements given as texts."""
    deduction = Deduction(premises)
    return [deduction.closure_depth(read(text)) for text in texts]


def drawn(seed: int, most: int = 8, names: str = NAMES) -> list[Statement]:
    """Random premises, half of them with a single name."""
    draw = random.Random(seed)
    found = []
    for _ in range(draw.randint(1, most)):
        size = draw.choice((1, 1, 2, 3))
        found.append(statement(draw.choice(names), draw.sample(names, size), draw.choice((AND, OR))))
    return found


def vocabulary(premises: Iterable[Statement], golden: Iterable[Statement] = ()) -> list[Predicate]:
    """The predicates of the universe: all names, and those that occur."""
    everything = [*premises, *golden]
    return sorted({predicate((name,)) for name in names_of(everything)} | {one.predicate for one in everything})


def with_golden(seed: int) -> tuple[list[Statement], dict[Statement, int]]:
    """Random premises, and depths for a few statements that follow: no earlier than they can, some of them later."""
    draw = random.Random(f"golden/{seed}")
    premises = drawn(seed)
    known = rounds(premises, EVERYTHING)
    derived = sorted(one for one in known if known[one])
    golden = {
        one: known[one] + draw.choice((0, 0, 1, 2, 4)) for one in draw.sample(derived, min(len(derived), draw.randint(0, 6)))
    }
    return premises, golden


def all_statements(names: Iterable[str] = NAMES) -> list[Statement]:
    """All statements about some names with up to three names in the predicate."""
    some_names = list(names)
    return [Statement(name, stated) for name in some_names for stated in all_predicates(some_names)]


@st.composite
def premise_sets(draw: st.DrawFn) -> list[Statement]:
    """Any premises over five names."""
    parts = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
    one = st.builds(statement, st.sampled_from(NAMES), parts, st.sampled_from((AND, OR)))
    return draw(st.lists(one, max_size=9))


# By hand


def test_modus_ponens_reassociates() -> None:
    """A chain of MP has logarithmic closure depth, though each of its links is one layer of the golden solution."""
    chain = [statement(f"{name}x", (f"{following}x",)) for name, following in zip("abcdefgh", "bcdefghi", strict=True)]
    golden = dict.fromkeys(chain, 0) | {statement("ax", (f"{name}x",)): k for k, name in enumerate("cdefghi", 1)}
    deduction = Deduction(chain, golden, 7)
    assert [deduction.closure_depth(one) for one in golden if golden[one]] == [1, 2, 2, 3, 3, 3, 3]
    assert [deduction.layer(one) for one in golden if golden[one]] == [1, 2, 3, 4, 5, 6, 7]
    assert deduction.layer(read("bx is ix")) == deduction.closure_depth(read("bx is ix")) == 3


def test_each_rule() -> None:
    """CE gives names and smaller conjunctions, CI any number of names at once, DI any larger disjunction, in one step."""
    joined = some("x is a and b and c", "y is a", "y is b", "y is c", "z is a", "w is a or b")
    assert depths(["x is b", "x is a and c", "x is a or d", "x is a and d"], joined) == [1, 1, 2, None]
    assert depths(["y is a and b and c", "y is a and c", "y is b or a"], joined) == [1, 1, 1]
    assert depths(["z is a or b", "z is a or b or c", "z is a and b", "z is b"], joined) == [1, 1, None, None]
    assert depths(["w is a or b or c", "w is a or c", "w is a"], joined) == [1, None, None]


def test_modus_ponens_takes_any_predicate_of_a_single_name() -> None:
    """MP needs its middle name alone: a conjunction must be taken apart first, and from a disjunction nothing follows."""
    premises = some("x is a", "y is a and b", "z is a or b", "a is c or d", "b is c or d")
    asked = ["x is c or d", "y is c or d", "z is c or d"]
    assert depths(asked, premises) == [1, 2, None]


def test_joining_overlapping_conjunctions() -> None:
    """CI joins conjunctions that overlap, but takes no name out of one that holds more."""
    premises = some("x is a and b", "x is b and c", "y is a and d", "y is b")
    assert depths(["x is a and b and c", "y is a and b", "y is a and b and d"], premises) == [1, 2, 1]
    assert Deduction(premises).proof(read("x is a and b and c"))[-1].inputs == tuple(premises[:2])


def test_a_premise_has_depth_0() -> None:
    """A premise that also follows from others has depth 0 in both senses, whatever the golden solution says of it."""
    premises = some("x is a", "a is b", "x is b")
    deduction = Deduction(premises, {read("x is b"): 3}, 3)
    assert deduction.closure_depth(read("x is b")) == deduction.layer(read("x is b")) == 0
    assert deduction.proof(read("x is b")) == [Step(read("x is b"), "premise", ())]


def test_a_golden_statement_waits_for_its_layer() -> None:
    """A golden statement is held back until its depth, and so is what follows from it alone."""
    premises = some("x is a", "a is b", "b is c")
    golden = {read("x is b"): 4}
    deduction = Deduction(premises, golden)
    assert [deduction.closure_depth(read(text)) for text in ("x is b", "x is c", "x is b or d", "x is a and b")] == [1, 2, 2, 2]
    # Those in the middle have a way round it, by what a is.
    waiting = ["x is b", "x is c", "x is b or d", "x is b and c", "x is a and b", "x is a and b and c"]
    assert [deduction.layer(read(text)) for text in waiting] == [4, 2, 2, 3, 5, 5]


def test_two_ways_held_back() -> None:
    """Where MP brings a name, and what follows from the name is held back on each way that it could come, it is made anew."""
    premises = some("x is f", "f is g", "g is c", "g is a", "g is a and b and e")
    for late, early in (("f is c or d", "x is c or d"), ("f is a and c", "x is a and c"), ("f is a and b", "x is a and b")):
        deduction = Deduction(premises, {read("x is g"): 9, read(late): 9})
        assert deduction.layer(read(late)) == deduction.layer(read("x is g")) == 9
        assert deduction.layer(read(early)) == 3


def test_a_statement_beside_the_golden_solution() -> None:
    """As in the paper's figure 2: a correct statement that the golden solution lacks is one deeper than its antecedents."""
    premises = some("a is b", "b is c", "c is d")
    deduction = Deduction(premises, dict.fromkeys(premises, 0) | {read("a is c"): 1, read("a is d"): 2}, 2)
    assert deduction.layer(read("b is d")) == 1
    assert [deduction.layer(read(text)) for text in ("a is c", "a is d", "d is a")] == [1, 2, None]


def test_layers_are_capped_at_the_level() -> None:
    """No statement has a layer above the level; closure depth has no such limit."""
    premises = some("x is a", "a is b", "b is c", "c is d")
    deduction = Deduction(premises, {read("x is d"): 3}, 3)
    assert deduction.layer(read("x is a and b and d")) == 3
    assert deduction.layer(read("x is a and d")) == 3
    assert Deduction(premises, {read("x is d"): 3}).layer(read("x is a and d")) == 4


def test_unknown_names() -> None:
    """Of a name that occurs nowhere nothing follows, but a disjunction may hold it: DI asks for no more than one name."""
    deduction = Deduction(some("x is a"))
    for text in ("q is a", "x is q", "x is a and q", "x is q or r", "q is q"):
        assert deduction.closure_depth(read(text)) is None
        assert deduction.layer(read(text)) is None
        assert not deduction.derives(read(text))
        assert deduction.proof(read(text)) == []
    assert deduction.closure_depth(read("x is a or q")) == 1


def test_tautologies_follow_only_by_rules() -> None:
    """Nothing is itself unless premises go round in a circle."""
    assert depths(["x is x", "x is x or b"], some("x is a")) == [None, None]
    assert depths(["x is x", "x is x or b", "a is a"], some("x is a", "a is x")) == [1, 2, 1]


def test_breadth_counts_the_universe() -> None:
    """Statements counted are those whose predicate is a name or occurs; they come in order, and each follows."""
    deduction = Deduction(some("x is a", "a is b and c", "y is b or c"))
    expected = ["a is b", "a is c", "a is b and c", "a is b or c", "x is a", "x is b", "x is c", "x is b and c", "x is b or c"]
    assert [str(one) for one in deduction.statements()] == [*expected, "y is b or c"]
    assert deduction.breadth == 10


def test_a_golden_statement_that_does_not_follow() -> None:
    """A golden solution that the premises do not give is refused when a layer is asked for."""
    deduction = Deduction(some("x is a"), {read("x is b"): 1})
    assert not deduction.derives(read("x is b"))
    with pytest.raises(ValueError, match="do not give the golden statement x is b"):
        deduction.layer(read("x is a"))


def test_no_premises() -> None:
    """From nothing nothing follows."""
    deduction = Deduction([])
    assert deduction.breadth == 0
    assert deduction.statements() == []
    assert deduction.layer(read("x is a")) is None


# Against naive rounds


def check_proof(proof: list[Step], target: Statement, known: dict[Statement, int], premises: list[Statement]) -> None:
    """Each step is a premise or a rule applied to earlier steps, at its own least depth; premises come first."""
    seen: list[Statement] = []
    for step in proof:
        assert step.statement not in seen
        if step.rule == "premise":
            assert step.statement in premises
            assert not step.inputs
        else:
            assert set(step.inputs) <= set(seen)
            assert is_step(step.rule, step.inputs, step.statement)
            assert known[step.statement] == 1 + max(known[one] for one in step.inputs)
        seen.append(step.statement)
    assert seen[-1] == target
    order = [step.rule != "premise" for step in proof]
    assert order == sorted(order)


@pytest.mark.parametrize("seed", range(60))
def test_closure_depth_is_that_of_naive_rounds(seed: int) -> None:
    """Derivability, depth, and proofs of all statements of five names, inside the universe and outside, are exact."""
    premises = drawn(seed)
    known = rounds(premises, EVERYTHING)
    deduction = Deduction(premises)
    for one in all_statements():
        assert deduction.closure_depth(one) == known.get(one)
        assert deduction.derives(one) == (one in known)
        proof = deduction.proof(one)
        assert bool(proof) == (one in known)
        if proof:
            check_proof(proof, one, known, premises)
    universe = set(vocabulary(premises))
    assert deduction.statements() == sorted(one for one in known if one.predicate in universe)
    assert deduction.breadth == len(deduction.statements())


@settings(max_examples=60, deadline=None)
@given(premise_sets())
def test_closure_depth_of_any_premises(premises: list[Statement]) -> None:
    """The same on premises of any form, tautologies, circles and repeats included."""
    known = rounds(premises, EVERYTHING)
    deduction = Deduction(premises)
    assert {one: depth for one in all_statements() if (depth := deduction.closure_depth(one)) is not None} == known


@pytest.mark.parametrize("seed", range(8))
def test_predicates_of_many_names(seed: int) -> None:
    """Statements with up to six names in the predicate have the depths of rounds on all predicates of six names."""
    draw = random.Random(f"many/{seed}")
    premises = [
        statement(draw.choice("abcdef"), draw.sample("abcdef", draw.choice((1, 1, 1, 2, 4))), draw.choice((AND, OR)))
        for _ in range(9)
    ]
    everything = all_predicates("abcdef", 6)
    known = rounds(premises, everything)
    deduction = Deduction(premises)
    for name in "abcdef":
        for stated in everything:
            one = Statement(name, stated)
            assert deduction.closure_depth(one) == known.get(one)
            assert deduction.derives(one) == (one in known)


@pytest.mark.parametrize("seed", range(60))
def test_layers_are_those_of_naive_rounds(seed: int) -> None:
    """Layers are exact: on the universe, and for a statement outside it, by rounds of its own column on fixed layers."""
    premises, golden = with_golden(seed)
    universe = vocabulary(premises, golden)
    inside = rounds(premises, universe, golden)
    deduction = Deduction(premises, golden)
    names = names_of([*premises, *golden])
    for stated in set(all_predicates(names)).difference(universe):
        column = rounds(premises, [*universe, stated], inside)
        for name in names:
            assert deduction.layer(Statement(name, stated)) == column.get(Statement(name, stated))
    assert {one: deduction.layer(one) for one in deduction.statements()} == inside


def test_layers_where_much_is_held_back() -> None:
    """Layers are exact where half of what follows waits, each for another round, so that the usual ways are blocked."""
    for seed in range(150):
        draw = random.Random(f"held/{seed}")
        names = "abcdefgh"[: draw.randint(4, 8)]
        premises = drawn(seed, 2 * len(names), names)
        shown = [one.predicate for one in drawn(-1 - seed, 4, names)]
        universe = sorted({*map(predicate, names), *shown, *(one.predicate for one in premises)})
        known = rounds(premises, universe)
        late = {
            one: depth + draw.choice((0, 1, 2, 4, 7)) for one, depth in sorted(known.items()) if depth and draw.random() < 0.5
        }
        deduction = Deduction(premises, late)
        assert {one: deduction.layer(one) for one in deduction.statements()} == rounds(
            premises, vocabulary(premises, late), late
        )


def test_golden_trees() -> None:
    """On random trees each golden statement has its layer, no less than its closure depth, and the conclusion the level."""
    for level in (1, 2, 3, 5, 7, 9):
        for seed in range(10):
            tree = random_tree(level, seed, distractors=True)
            deduction = Deduction(tree.premises, tree.golden, level)
            assert {one: deduction.layer(one) for one in tree.golden} == tree.golden
            assert deduction.layer(tree.conclusion) == level
            assert all((deduction.closure_depth(one) or 0) <= depth for one, depth in tree.golden.items())


def test_small_trees_by_naive_rounds() -> None:
    """Both depths of every statement of the universe of small trees are those of naive rounds."""
    for seed in range(12):
        tree = random_tree(4, seed, distractors=True)
        universe = vocabulary(tree.premises, tree.golden)
        deduction = Deduction(tree.premises, tree.golden, tree.level)
        closed = rounds(tree.premises, universe)
        layers = rounds(tree.premises, universe, tree.golden)
        assert {one: deduction.closure_depth(one) for one in deduction.statements()} == closed
        assert {one: deduction.layer(one) for one in deduction.statements()} == {k: min(v, 4) for k, v in layers.items()}


# Against z3


@pytest.mark.parametrize("seed", range(12))
def test_derivable_is_entailed_by_the_rules(seed: int) -> None:
    """z3: with a Boolean for each statement, the premises and all rule instances entail just those that are derivable."""
    names = "abcd"
    premises = drawn(seed, names=names)
    universe = all_predicates(names)
    solver = z3.Solver()
    for one in all_statements(names):
        for inputs in instances(one, universe, names):
            solver.add(z3.Implies(z3.And([z3.Bool(str(needed)) for needed in inputs]), z3.Bool(str(one))))
    solver.add([z3.Bool(str(premise)) for premise in premises])
    deduction = Deduction(premises)
    for one in all_statements(names):
        assert deduction.derives(one) == (solver.check(z3.Not(z3.Bool(str(one)))) == z3.unsat)


def holds(one: Statement) -> z3.BoolRef:
    """A statement about one thing: if it has the subject, it has the predicate."""
    parts = [z3.Bool(part) for part in one.predicate.parts]
    return z3.Implies(z3.Bool(one.subject), z3.Or(parts) if one.predicate.joint == OR else z3.And(parts))


@pytest.mark.parametrize("seed", range(60))
def test_classes(seed: int) -> None:
    """z3: there is a countermodel iff a statement does not follow about classes; derivable ones do, and where premises are
    complete no others but those that name their own subject."""
    premises = drawn(seed)
    solver = z3.Solver()
    solver.add([holds(premise) for premise in premises])
    deduction = Deduction(premises)
    complete = is_complete(premises)
    for one in all_statements():
        entailed = solver.check(z3.Not(holds(one))) == z3.unsat
        model = countermodel(premises, one)
        assert (model is None) == entailed
        if model is not None:
            assert one.subject in model
            assert all(true_of(model, premise) for premise in premises)
            assert not true_of(model, one)
        if deduction.derives(one):
            assert entailed
        elif complete and one.subject not in one.predicate.parts:
            assert not entailed


def true_of(model: frozenset[str], one: Statement) -> bool:
    """Whether a statement holds of a thing with just these names."""
    fulfilled = model.intersection(one.predicate.parts)
    return one.subject not in model or (
        bool(fulfilled) if one.predicate.joint == OR else len(fulfilled) == len(one.predicate.parts)
    )


def test_completeness_is_tried_both_ways() -> None:
    """Random premises are often complete and often not; an argument by cases is what the rules cannot make."""
    assert 10 < sum(is_complete(drawn(seed)) for seed in range(60)) < 50
    cases = some("x is a or b", "a is c", "b is c")
    assert not is_complete(cases)
    assert not Deduction(cases).derives(read("x is c"))
    assert countermodel(cases, read("x is c")) is None
    assert is_complete(cases[:1])
    assert countermodel(cases[:2], read("x is c")) == {"x", "b"}
    assert countermodel(cases, read("x is b and c")) == {"x", "a", "c"}


def test_a_large_countermodel() -> None:
    """A hundred disjunctions that each leave a choice are no hundred nested choices."""
    premises = [statement(f"n{k}", (f"a{k}", f"b{k}"), OR) for k in range(100)]
    premises += [statement("x", (f"n{k}",)) for k in range(100)]
    model = countermodel(premises, statement("x", ("a7",)))
    assert model is not None
    assert "b7" in model
    assert len(model) == 201


# Against the searches of the paper


def test_the_papers_search_is_sound() -> None:
    """What algorithms 2 and 3 prove on small trees follows, from the very premises that algorithm 2 says it used."""
    count = 0
    for seed in range(8):
        tree = random_tree(3, seed, distractors=True)
        premises = search(tree.premises)
        deduction = Deduction(tree.premises)
        for name in sorted(names_of(tree.premises)):
            for stated in vocabulary(tree.premises, tree.golden):
                one = Statement(name, stated)
                used = proved(one, premises)
                if used is not None:
                    count += 1
                    assert Deduction(used).derives(one)
                if proves(one, premises):
                    assert deduction.derives(one)
    assert count > 200


def test_how_often_algorithm_4_disagrees() -> None:
    """Of the statements of the universe of small trees that follow, algorithm 4 gives this many another layer."""
    asked = wrong = beside = wrong_beside = 0
    for seed in range(10):
        tree = random_tree(4, seed)
        given_ = search(tree.premises)
        deduction = Deduction(tree.premises, tree.golden, tree.level)
        for one in deduction.statements():
            differs = equivalent_depth(one, tree, given_) != deduction.layer(one)
            asked += 1
            wrong += differs
            if one not in tree.golden:
                beside += 1
                wrong_beside += differs
    assert (asked, wrong, beside, wrong_beside) == (894, 673, 697, 660)


SCRIPT = """
import random, sys
sys.path.insert(0, "tests")
from naive_deduction import random_tree
from rb_verify.deduction import Deduction, countermodel

tree = random_tree(6, 3, distractors=True)
for premises in (tree.premises, set(tree.premises)):
    deduction = Deduction(premises, tree.golden, 6)
    print([(str(one), deduction.layer(one), deduction.closure_depth(one)) for one in deduction.statements()])
    print(deduction.proof(tree.conclusion))
    print(sorted(countermodel(tree.premises, tree.premises[0]._replace(subject="q")) or ()))
"""


def test_hash_seeds_change_nothing() -> None:
    """Statements, depths and proofs are the same bytes under every PYTHONHASHSEED, and in any order of premises."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(3)
    ]
    assert len(set(outputs)) == 1
    first, second = outputs[0][: len(outputs[0]) // 2], outputs[0][len(outputs[0]) // 2 :]
    assert first == second
