"""Every process metric of ReEfBench: by hand on small traces, by definition on random ones, and on planted responses."""

from __future__ import annotations

import math
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rb_verify
from naive_deduction import all_predicates, follows
from rb_verify.deduction import Deduction, countermodel
from rb_verify.metrics import METRICS, NAMES, measure
from rb_verify.process import PREMISE, Gold, Judged, Known, count_tokens, facts, nodes
from rb_verify.prose import STYLES, solution
from rb_verify.reasoning import Node, Sentence
from rb_verify.statements import Statement, read
from reefbench_cases import small_rows

PREMISES = ["a is b", "b is c and d", "b is e", "g is c or f", "b is c"]
# At level 3. The last premise is no golden one: with it, "a is c" follows in one round, though its layer is 2.
LAYERS = {"a is b": 0, "b is c and d": 0, "a is c and d": 1, "a is c": 2, "a is c or f": 3}


def gold(layers: dict[str, int] = LAYERS) -> Gold:
    """What traces are measured against. ``layers``: of the golden solution; none where the conclusion does not follow."""
    premises, golden = list(map(read, PREMISES)), {read(text): layer for text, layer in layers.items()}
    return Gold(Deduction(premises, golden, 3), frozenset(premises), golden, 3, dict.fromkeys(premises, Judged(PREMISE, 0, 0)))


def sentence(text: str) -> Sentence:
    """A sentence of parts between semicolons. ``?a is b``: planned; a tilde at the beginning: a reflection."""
    parts = [part.strip() for part in text.removeprefix("~").split(";")]
    told = tuple(Node(read(part.removeprefix("?")), part.startswith("?")) for part in parts if " is " in part)
    return Sentence(text, text.startswith("~"), told)


def measured(*trace: str, tokens: int = 100, against: Gold | None = None) -> dict[str, float]:
    """The metrics of a trace, by name."""
    told, sentences = against or gold(), list(map(sentence, trace))
    return dict(zip(NAMES, measure(facts(sentences, nodes(sentences, told), told, tokens)), strict=True))


TRACE = (
    "first of all; ?a is c or f",
    "a is b",
    "?a is c and d",
    "b is c and d",
    "a is c and d; a is b",
    "~wait",
    "c is a",
    "a is c",
    "c is a",
    "~hmm; ?c is a",
    "a is e or f",
    "d is g",
)
BY_HAND = {
    "premise_nodes": 3,  # sentences 2, 4, 5
    "derived_nodes": 3,  # 5, 8, 11
    "hallucination_nodes": 3,  # 7, 9, 12
    "correct_nodes": 6,
    "planning_nodes": 3,
    "unique_planning_nodes": 3,
    "correct_planning": 2 / 3,  # not that c is a
    "valid_planning": 1 / 3,  # that of sentence 3, by sentence 5
    "sentences": 12,
    "tokens": 100,
    "verbosity": 10,
    "nodes": 12,
    "reflection_sentences": 2,
    "reflection_ratio": 1 / 6,
    "reflections_with_new_node": 2,
    "reflections_with_deeper_node": 1,  # sentence 6, from 1 to 2; sentence 10 has 2 before and after
    "reflections_with_new_hallucination": 2,  # by sentences 7 and 12
    "reflection_efficiency": 1 / 2,
    "node_duplication": 2 / 12,  # a is b in sentence 5, c is a in sentence 9; the plan of it is another kind
    "explored_nodes": 5,
    "exploration_precision": 4 / 5,
    "reasoning_accuracy": 4 / 5,
    "premise_coverage": 1,
    "max_depth": 2,
    "max_closure_depth": 2,  # a is e or f
    "depth_coverage": 2 / 3,
    "interval_depth": 2,
    "incorrect_ratio": 3 / 9,
    "supported_ratio": 2 / 3,  # not a is e or f, since a is e was not said
    "first_correct_step": 2,
    "step_efficiency": 2 / 100,
    "node_efficiency": 5 / 12,
    "effective_span": 11 / 12,
    "forward_span": 8 / 12,
    "reasoning_span": 1,
    "sentence_duplication": 1 / 12,
}
# Table 9 and Table 10 of the paper, row by row, and the metrics that are here for them.
TABLE_9 = {
    "Logical Depth": ["max_depth"],
    "Cost, Reflection Sentence": ["reflection_sentences"],
    "Cost, Planning Nodes": ["planning_nodes"],
    "Cost, Verbosity": ["verbosity"],
    "Exploration, Explored Nodes": ["explored_nodes"],
    "Efficiency, Step Efficiency": ["step_efficiency"],
    "Efficiency, Effective Span": ["effective_span"],
    "Coherence, Reflection Efficiency": ["reflection_efficiency"],
    "Coherence, Valid Planning": ["valid_planning"],
    "Redundancy, Sentence Duplication": ["sentence_duplication"],
    "Redundancy, Node Duplication Ratio": ["node_duplication"],
}
TABLE_10 = {
    "Actual node, Count": ["premise_nodes", "derived_nodes", "hallucination_nodes"],
    "Actual node, Correctness": ["correct_nodes"],
    "Actual node, Depth": ["max_depth"],
    "Planning node, Count": ["planning_nodes", "unique_planning_nodes"],
    "Planning node, Correctness": ["correct_planning"],
    "Planning node, Effectiveness/valid": ["valid_planning"],
    "Verbosity, Sentence count": ["sentences"],
    "Verbosity, Token count": ["tokens"],
    "Verbosity, Node count": ["nodes"],
    "Reflection, Sentence count": ["reflection_sentences"],
    "Reflection effect, Has new node": ["reflections_with_new_node"],
    "Reflection effect, Has deeper node": ["reflections_with_deeper_node"],
    "Reflection effect, Has new hallucination": ["reflections_with_new_hallucination"],
    "All node, Node Duplication Ratio": ["node_duplication"],
    "Actual node, Exploration precision": ["exploration_precision"],
    "Actual node, Reasoning accuracy": ["reasoning_accuracy"],
    "Actual node, Premise coverage": ["premise_coverage"],
    "Actual node, Depth coverage": ["depth_coverage"],
    "Actual node, Depth (average)": ["max_depth"],
    "Actual node, Incorrect ratio": ["incorrect_ratio"],
    "Actual node, Interval depth": ["interval_depth"],
    "Efficiency, First correct step": ["first_correct_step"],
    "Efficiency, Step Efficiency": ["step_efficiency"],
    "Efficiency, Node Efficiency": ["node_efficiency"],
    "Efficiency, Reflection Efficiency": ["reflection_efficiency"],
    "Spans, Effective Span": ["effective_span"],
    "Spans, Forward reasoning span": ["forward_span"],
    "Spans, Reasoning span": ["reasoning_span"],
    "Duplication, Sentence duplication ratio": ["sentence_duplication"],
}
ZERO = dict.fromkeys(NAMES, 0.0)


def test_every_metric_is_declared() -> None:
    """Name, definition, formula, unit, zero and table of every metric are told; no name or definition occurs twice."""
    for metric in METRICS:
        told = metric[:-1]
        assert all(isinstance(text, str) and text.strip() == text != "" for text in told), metric
    for texts in ([m.name for m in METRICS], [m.definition for m in METRICS]):
        assert len(set(texts)) == len(METRICS)
    assert [metric.name for metric in METRICS] == list(NAMES)


def test_the_papers_tables_are_covered() -> None:
    """Every row of Tables 9 and 10 has its metrics, which say so, and no other metric says that it is of these tables."""
    for table, rows in (("9", TABLE_9), ("10", TABLE_10)):
        told = {metric.name for metric in METRICS if table in metric.table.split(", ")}
        assert told == {name for names in rows.values() for name in names}


def test_by_hand() -> None:
    """A trace with every kind of node has the values counted by hand, and its nodes the kinds and depths."""
    assert measured(*TRACE) == pytest.approx(BY_HAND)
    assert list(BY_HAND) == list(NAMES)
    told = nodes(list(map(sentence, TRACE)), gold())
    assert [(n.sentence, str(n.statement), n.planning, n.kind, n.depth, n.closure_depth, n.new, n.supported) for n in told] == [
        (0, "a is c or f", True, "derived", 3, 2, False, False),
        (1, "a is b", False, "premise", 0, 0, True, False),
        (2, "a is c and d", True, "derived", 1, 1, False, False),
        (3, "b is c and d", False, "premise", 0, 0, True, False),
        (4, "a is c and d", False, "derived", 1, 1, True, True),
        (4, "a is b", False, "premise", 0, 0, False, False),
        (6, "c is a", False, "hallucination", None, None, True, False),
        (7, "a is c", False, "derived", 2, 1, True, True),
        (8, "c is a", False, "hallucination", None, None, False, False),
        (9, "c is a", True, "hallucination", None, None, False, False),
        (10, "a is e or f", False, "derived", 2, 2, True, False),
        (11, "d is g", False, "hallucination", None, None, True, False),
    ]


ZEROS: dict[str, tuple[tuple[str, ...], int, dict[str, float]]] = {
    "nothing said": ((), 0, {"first_correct_step": 1}),
    "no nodes": (("hello",), 1, {"sentences": 1, "tokens": 1, "verbosity": 1, "first_correct_step": 2}),
    "no tokens": (
        ("hello", "a is b"),
        0,
        {
            **{"sentences": 2, "premise_nodes": 1, "correct_nodes": 1, "nodes": 1, "explored_nodes": 1},
            **{"exploration_precision": 1, "reasoning_accuracy": 1 / 5, "premise_coverage": 1 / 2, "first_correct_step": 2},
            **{"node_efficiency": 1 / 2, "effective_span": 1, "forward_span": 1, "reasoning_span": 1},
        },
    ),
    "plans alone": (
        ("?a is c or f; ?a is c or f",),
        4,
        {
            **{"sentences": 1, "tokens": 4, "verbosity": 2, "first_correct_step": 2, "planning_nodes": 2, "nodes": 2},
            **{"unique_planning_nodes": 1, "correct_planning": 1, "node_duplication": 1 / 2},
        },
    ),
    "hallucinations alone": (
        ("c is a", "end"),
        4,
        {
            **{"sentences": 2, "tokens": 4, "verbosity": 2, "first_correct_step": 3, "hallucination_nodes": 1, "nodes": 1},
            **{"incorrect_ratio": 1, "reasoning_span": 1 / 2},
        },
    ),
    "reflections alone": (
        ("~wait", "~wait"),
        4,
        {
            **{"sentences": 2, "tokens": 4, "verbosity": 2, "first_correct_step": 3, "reflection_sentences": 2},
            **{"reflection_ratio": 1, "sentence_duplication": 1 / 2},
        },
    ),
}


@pytest.mark.parametrize("name", ZEROS)
def test_zeros(name: str) -> None:
    """Where there is nothing to measure, a metric has the value that it declares."""
    trace, tokens, expected = ZEROS[name]
    assert measured(*trace, tokens=tokens) == pytest.approx(ZERO | expected)


def test_without_a_golden_solution() -> None:
    """Where the conclusion does not follow, nothing is golden: its shares are 0, depth and exploration still count."""
    found = measured("a is b", "b is c and d", "a is c and d", against=gold({}))
    golden = ("exploration_precision", "reasoning_accuracy", "premise_coverage", "interval_depth")
    assert [found[name] for name in golden] == [0, 0, 0, 0]
    assert (found["max_depth"], found["explored_nodes"], found["supported_ratio"]) == (1, 3, 1)
    declared = {metric.name: metric.zero for metric in METRICS}
    assert all(declared[name] == "0 without a golden solution" for name in golden[1:])


@pytest.mark.parametrize("later", range(8))
def test_window_of_plans(later: int) -> None:
    """A plan is valid if its statement is new in its own sentence or one of the four after, not in the fifth."""
    trace = ["; ".join(["?a is c", *(["a is c"] if later == 0 else [])])]
    trace += ["a is c" if place == later else f"word {'x' * place}" for place in range(1, 8)]
    assert measured("x", *trace)["valid_planning"] == (later <= 4)


def test_plans_and_their_order() -> None:
    """In its own sentence a plan must come first; what was said before, another statement, or another plan is no success."""
    for trace, valid in (
        (["a is c; ?a is c"], 0),
        (["a is c", "?a is c", "a is c"], 0),
        (["?a is c", "a is c and d"], 0),
        (["?a is c", "?a is c", "a is c"], 1),
        (["?a is c", "a is c", "?a is c"], 1 / 2),
        (["?c is a", "c is a"], 1),
        (["?a is b", "a is b"], 1),
        (["?a is c; ?c is a", "?a is e", "a is e; a is c"], 2 / 3),
    ):
        assert measured(*trace)["valid_planning"] == pytest.approx(valid), trace


@pytest.mark.parametrize("place", range(9))
def test_window_of_reflections(place: int) -> None:
    """What a reflection brings comes in the five sentences after it, neither in its own nor in the sixth."""
    for text, name in (("a is c", "new_node"), ("a is c", "deeper_node"), ("c is a", "new_hallucination")):
        trace = ["a is b", *(f"word {'x' * i}" for i in range(8))]
        trace[1] = f"~wait; {text}" if place == 0 else "~wait"
        if place:
            trace[1 + place : 2 + place] = [text]
        found = measured(*trace)
        inside = 1 <= place <= 5
        assert found[f"reflections_with_{name}"] == inside
        assert found["reflection_efficiency"] == (2 * inside if text == "a is c" else 0)


def test_reflections_by_hand() -> None:
    """Growth is over the greatest depth before, that of the reflection's own sentence included; a repeat is no growth."""
    for trace, gain, new, deeper, wrong in (
        (["~", "a is c or f"], 3, 1, 1, 0),
        (["~a; a is c", "a is c or f"], 1, 1, 1, 0),
        (["a is c or f", "~", "a is c"], 0, 1, 0, 0),
        (["a is c", "~", "a is c"], 0, 0, 0, 0),
        (["c is a", "~", "c is a"], 0, 0, 0, 0),
        (["~", "?a is c"], 0, 0, 0, 0),
        (["~", "~", "a is c or f; c is a"], 3, 2, 2, 2),
        (["~", "a is c and d", "~", "a is c or f"], 5 / 2, 2, 2, 0),
        (["~", "a is b"], 0, 1, 0, 0),
    ):
        found = measured(*trace)
        told = [found[f"reflections_with_{name}"] for name in ("new_node", "deeper_node", "new_hallucination")]
        assert found["reflection_efficiency"] == pytest.approx(gain), trace
        assert told == [new, deeper, wrong], trace


def test_interval_depth() -> None:
    """Layers count from the first on, each whole; premises need not be said, nor do deeper statements fill a gap."""
    for trace, depth in (
        (["a is b", "b is c and d"], 0),
        (["a is c and d"], 1),
        (["a is c"], 0),
        (["a is c", "a is c or f"], 0),
        (["a is c and d", "a is c or f"], 1),
        (["a is c or f", "a is c", "a is c and d"], 3),
        (["?a is c and d"], 0),
    ):
        assert measured(*trace)["interval_depth"] == depth, trace
    wide = gold(LAYERS | {"b is e": 0, "a is e": 1})
    assert measured("a is c and d", "a is c", against=wide)["interval_depth"] == 0
    assert measured("a is c and d", "a is c", "a is e", against=wide)["interval_depth"] == 2


def test_spans_by_hand() -> None:
    """The last new correct node, the last deeper one and the last new one of any kind each have a place of their own."""
    trace = ["x", "a is b", "a is c and d", "b is d", "c is a", "a is b; c is a", "?a is c", "end"]
    found = measured(*trace)
    assert (found["effective_span"], found["forward_span"], found["reasoning_span"]) == (4 / 8, 3 / 8, 5 / 8)
    assert found["first_correct_step"] == 2
    assert measured("a is c", "a is b")["forward_span"] == 1 / 2, "a shallower one is no step forward"
    assert measured("x", "a is b")["forward_span"] == 1, "the first correct node is the deepest so far, even a premise"


def test_sentence_duplicates() -> None:
    """Sentences that differ in case, numbers or marks alone are one; those that differ in a word or a sign of logic are not."""
    for texts, distinct in (
        (("Babkpus is A.", "2. babkpus is a!"), 1),
        (("babkpus is a", "babkpus is b"), 2),
        (("...", "---"), 2),
        (("3.", "4."), 2),
        (("So.", "so", " SO "), 1),
        (("babkpus → a ∧ b", "babkpus → a ∨ b"), 2),
    ):
        told = [Sentence(text, False, ()) for text in texts]
        assert facts(told, [], gold(), 0).distinct_sentences == distinct, texts


def test_support() -> None:
    """Support needs premises or what was asserted before: not a plan, not a hallucination, not what comes later."""
    for trace, ratio in (
        (["a is c or f"], 0),
        (["a is c", "a is c or f"], 1),
        (["a is c and d", "a is d"], 1),
        (["a is d", "a is c and d"], 1 / 2),
        (["?a is d", "a is d or g"], 0),
        (["a is d or g", "a is d"], 0),
        (["b is d", "a is d"], 1),
        (["a is b", "b is c and d"], 0),
        (["c is g", "a is c or f"], 0),
        (["a is g", "a is c or f"], 0),
        (["b is c", "a is c"], 1),
        (["a is c or f", "a is c", "a is c or f"], 1 / 2),
        (["a is e", "a is c", "a is c and d and e"], 2 / 3),
        (["a is e", "a is c and d", "a is c and d and e"], 1),
    ):
        assert measured(*trace)["supported_ratio"] == pytest.approx(ratio), trace


UNIVERSE = [Statement(name, stated) for name in "abcd" for stated in all_predicates("abcd") if name not in stated.parts]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(UNIVERSE), max_size=8, unique=True))
def test_one_step_against_the_naive_oracle(told: list[Statement]) -> None:
    """``Known`` gives what trying every rule on every input gives."""
    known = Known(told)
    for statement in UNIVERSE:
        if statement not in told:
            assert known.gives(statement) == follows(statement, told, "abcd"), statement


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("a", 1),
        ("babk", 1),
        ("babkpus", 2),
        ("babkpus is dalmpus.", 6),
        ("12345", 2),
        ("1234", 2),
        ("3.14", 3),
        ("don't", 3),
        ("snake_case", 4),
        ("\\boxed{True}", 6),
        ("x→y", 3),
        ("⊆∧∨", 3),
        ("ab12cd", 3),
        ("日本語文字", 2),
        ("...", 3),
        ("a\u200bb", 3),
        ("é", 1),
    ],
)
def test_count_tokens(text: str, count: int) -> None:
    """Runs of up to four letters, runs of up to three digits, and each other sign are a token; white space is none."""
    assert count_tokens(text) == count
    assert count_tokens(f"{text} {text}") == 2 * count


STATEMENTS = ["a is b", "b is c and d", "a is c and d", "a is c", "a is c or f", "a is d", "b is d", "c is a", "d is g"]
TRACES = st.lists(
    st.tuples(st.booleans(), st.lists(st.tuples(st.booleans(), st.sampled_from(STATEMENTS)), max_size=3)), max_size=14
)


@settings(max_examples=300, deadline=None)
@given(TRACES)
def test_by_definition(drawn: list[tuple[bool, list[tuple[bool, str]]]]) -> None:
    """On any trace every metric with a window, a place or a set is what its definition, read slowly, gives."""
    trace = [
        "~" * reflects + "; ".join([f"n{place % 5}", *("?" * plans + text for plans, text in told)])
        for place, (reflects, told) in enumerate(drawn)
    ]
    depths = {text: LAYERS.get(text, {"a is d": 2, "b is d": 1}.get(text)) for text in STATEMENTS}
    said = [(at, plans, text) for at, (_, told) in enumerate(drawn) for plans, text in told]
    actual = [(at, text) for at, plans, text in said if not plans]
    first = {text: at for at, text in reversed(actual)}
    found = measured(*trace)

    def deepest(until: int) -> int:
        return max((depths[text] or 0 for text, at in first.items() if at <= until), default=0)

    plans = valid = 0
    for index, (at, planned, text) in enumerate(said):
        if planned:
            plans += 1
            earlier = [t for _, p, t in said[:index] if not p]
            later = [t for a, p, t in said[index:] if not p and a <= at + 4]
            valid += text in later and text not in earlier
    assert found["valid_planning"] == pytest.approx(valid / plans if plans else 0)
    looks = [at for at, (reflects, _) in enumerate(drawn) if reflects]
    inside = [[text for text, at in first.items() if look + 1 <= at <= look + 5] for look in looks]
    growth = [
        max(0, max((depths[t] or 0 for t in some), default=0) - deepest(at)) for at, some in zip(looks, inside, strict=True)
    ]
    assert found["reflections_with_new_node"] == sum(any(depths[t] is not None for t in some) for some in inside)
    assert found["reflections_with_new_hallucination"] == sum(any(depths[t] is None for t in some) for some in inside)
    assert found["reflections_with_deeper_node"] == sum(gain > 0 for gain in growth)
    assert found["reflection_efficiency"] == pytest.approx(sum(growth) / len(growth) if growth else 0)
    correct = {text: at for text, at in first.items() if depths[text] is not None}
    n = len(trace)
    steps = [at for at in range(n) if at in correct.values() and (at == min(correct.values()) or deepest(at) > deepest(at - 1))]
    assert found["effective_span"] == pytest.approx((max(correct.values()) + 1) / n if correct else 0)
    assert found["reasoning_span"] == pytest.approx((max(first.values()) + 1) / n if first else 0)
    assert found["forward_span"] == pytest.approx((max(steps) + 1) / n if steps else 0)
    assert found["first_correct_step"] == (min(correct.values()) + 1 if correct else n + 1)
    assert found["explored_nodes"] == len(correct)
    assert found["max_depth"] == deepest(n)
    golden = [text for text in correct if text in LAYERS]
    assert found["reasoning_accuracy"] == pytest.approx(len(golden) / 5)
    assert found["exploration_precision"] == pytest.approx(len(golden) / len(correct) if correct else 0)
    assert found["interval_depth"] == max(
        d for d in range(4) if all(t in first for t, layer in LAYERS.items() if 1 <= layer <= d)
    )
    assert found["node_duplication"] == pytest.approx(1 - len({s[1:] for s in said}) / len(said) if said else 0)
    assert found["incorrect_ratio"] == pytest.approx(sum(depths[t] is None for _, t in actual) / len(actual) if actual else 0)


def test_depth_is_clipped_at_the_level() -> None:
    """No statement is deeper than the level, however many rounds it needs."""
    chain = [read(f"{a} is {b}") for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    layers = {chain[0]: 0, chain[1]: 0, read("a is c"): 1}
    told = Gold(Deduction(chain, layers, 1), frozenset(chain), layers, 1, {})
    found = measured("a is i", against=told)
    assert (found["max_depth"], found["depth_coverage"]) == (1, 1)
    assert found["max_closure_depth"] == 3


# Planted responses

PLANS = (
    "We need {}.",
    "The goal is to show that {}.",
    "Let me check whether {}.",
    "Is it the case that {}?",
    "If {}, that would be enough.",
    "Suppose {}.",
)
LOOKS = (
    "Wait, let me double-check that.",
    "Hmm, I made a mistake.",
    "Hold on.",
    "Let me re-read the facts.",
    "That is not right.",
)


def invalid(row: dict[str, Any]) -> list[str]:
    """Statements over a row's names that do not follow: each has a countermodel."""
    premises = list(map(read, row["premises"]))
    pairs = [read(f"{a} is {b}") for a, b in permutations(sorted(row["vocabulary"]), 2)]
    return [str(pair) for pair in pairs[::7] if countermodel(premises, pair) is not None]


def spoken(text: str) -> str:
    """The words of a sentence, without case, numbers and signs, but with its signs of logic."""
    return " ".join(re.findall(r"[^\W\d_]+|[∧∨]", text.casefold()))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_planted_responses(data: st.DataObject) -> None:
    """A golden solution in any style, with invalid steps, repeats, plans and reflections at any places: all are counted."""
    row = data.draw(st.sampled_from([row for level in (3, 4, 5) for row in small_rows()[f"main{level:02d}"]]))
    style = data.draw(st.sampled_from(sorted(STYLES)))
    step = STYLES[style]
    *lines, answer = solution(row, style).replace("\n\n", "\n").split("\n")
    assert lines == [step(entry) for entry in row["golden"]]
    # (text, statements asserted, statements planned, whether it looks back)
    restates = style in ("cited", "because")
    told: list[tuple[str, list[str], list[str], bool]] = [
        (line, [*(entry["inputs"] if restates else []), entry["statement"]], [], False)
        for line, entry in zip(lines, row["golden"], strict=True)
    ]

    def plant(item: tuple[str, list[str], list[str], bool], after: int = 0) -> None:
        told.insert(data.draw(st.integers(after, len(told))), item)

    wrong = invalid(row)
    false = data.draw(st.lists(st.sampled_from(wrong), max_size=5, unique=True))
    for text in false:
        plant((step({"statement": text, "inputs": [], "rule": "premise"}), [text], [], False))
    planned = data.draw(st.lists(st.tuples(st.sampled_from(PLANS), st.sampled_from([*lines_of(row), *wrong[:9]])), max_size=5))
    for form, text in planned:
        plant((form.format(text), [], [text], False))
    looks = data.draw(st.lists(st.sampled_from(LOOKS), max_size=4))
    for text in looks:
        plant((text, [], [], True))
    repeats = data.draw(st.lists(st.integers(0, len(told) - 1), max_size=5))
    again = [told[place] for place in repeats if set(told[place][1]).isdisjoint(false) and told[place][1]]
    for item in again:
        plant(item, told.index(item) + 1)

    response = "\n".join([*(text for text, *_ in told), answer])
    verdict = rb_verify.score(row, response)
    found = verdict.evidence["metrics"]
    premises = set(row["premises"])
    asserted = [text for _, some, _, _ in told for text in some]
    assert verdict.score == 1
    assert found["sentences"] == len(told) + 1
    assert found["hallucination_nodes"] == len(false)
    assert found["planning_nodes"] == len(planned)
    assert found["unique_planning_nodes"] == len({text for _, text in planned})
    assert found["reflection_sentences"] == len(looks)
    assert found["premise_nodes"] == sum(text in premises for text in asserted)
    assert found["derived_nodes"] == len(asserted) - found["premise_nodes"] - len(false)
    assert found["max_depth"] == found["interval_depth"] == row["level"]
    golden = {entry["statement"] for entry in row["golden"]}
    assert found["explored_nodes"] == len(golden)
    assert found["reasoning_accuracy"] == found["exploration_precision"] == found["premise_coverage"] == 1
    assert found["supported_ratio"] == 1
    distinct = len(golden) + len(false) + len({text for _, text in planned})
    assert found["node_duplication"] == pytest.approx(1 - distinct / (len(asserted) + len(planned)))
    texts = [spoken(text) for text, *_ in told] + [spoken(answer)]
    assert found["sentence_duplication"] == pytest.approx(1 - len(set(texts)) / len(texts))
    if style in ("plain", "signs"):
        assert found["node_duplication"] * found["nodes"] == pytest.approx(
            len(again) + len(planned) - found["unique_planning_nodes"]
        )
    assert found["tokens"] == count_tokens(response)
    assert found["verbosity"] == pytest.approx(math.sqrt(found["tokens"]))
    assert found["incorrect_ratio"] == pytest.approx(len(false) / len(asserted))


def lines_of(row: dict[str, Any]) -> list[str]:
    """The statements of a row's golden solution."""
    return [entry["statement"] for entry in row["golden"]]


def test_scores_components_are_metrics() -> None:
    """What the six scores and the trajectory are made of is measured."""
    from rb_verify.archetypes import COMPONENTS

    parts = {name for names in COMPONENTS.values() for name in names}
    assert parts <= {name for names in TABLE_9.values() for name in names} <= set(NAMES)
    assert len(parts) == 11
