"""Mutations of perfect 2-SAT responses, over real formulas: each verdict is held against clauses evaluated here.

Nothing below asks the scorer's own oracle what is right: clauses are evaluated one by one, edges of a certificate are
looked up in a networkx graph of the implications, and sentences are looked for in the prompt as the model reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import networkx
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import rb_verify
from rb_build.streams import Stream
from rb_build.twosat.families import generate
from rb_build.twosat.prompt import prompt
from rb_verify import twosat
from rb_verify.schemes import SCHEMES, entities
from rb_verify.twosat_ablations import PARAMETERS
from rb_verify.verdict import Verdict

Row = dict[str, Any]
CELLS = {"ImplicationCycle": (6, 15), "EquivalenceCore": (10, 20), "Backbone": (20, 50), "MonoBridge": (10, 75)}
CODES = {"ImplicationCycle": "ic", "EquivalenceCore": "ec", "Backbone": "bb", "MonoBridge": "mb"}
SATISFIABLE = [family for family in CELLS if family != "ImplicationCycle"]


@lru_cache
def rows(family: str, scheme: str) -> list[Row]:
    """Four rows of a family in a scheme, two of each size."""
    made = []
    names = PARAMETERS[family]
    for clauses in CELLS[family]:
        for index in range(2):
            stream = Stream(f"verdicts/{family}/{clauses}/{index}")
            levels = dict.fromkeys(names, Fraction(1, 2))
            formula = generate(stream, family, clauses, levels, index, 2)
            called = entities(scheme, formula.variables)
            base = f"twosat-1-0-0-{CODES[family]}{clauses:03d}-f{index}"
            made.append(
                {
                    "id": f"{base}-{scheme}",
                    "scheme": scheme,
                    "entities": list(called),
                    "clauses": formula.literals,
                    "variables": formula.variables,
                    "satisfiable": family != "ImplicationCycle",
                    "family": family,
                    "params": {"clauses": clauses} | dict.fromkeys(names, 0.5),
                    "perturbation": "none",
                    "variant": "",
                    "base_id": base,
                    "prompt": prompt(SCHEMES[scheme], called, formula.literals),
                }
            )
    return made


def every(families: Sequence[str] = tuple(CELLS)) -> Iterator[tuple[Row, Stream]]:
    """Each row of some families in every scheme, with randomness of its own."""
    for family in families:
        for scheme in SCHEMES:
            for row in rows(family, scheme):
                yield row, Stream(f"mutate/{row['id']}")


def broken(clauses: Sequence[Sequence[int]], values: Sequence[bool]) -> list[int]:
    """The indices of the clauses that values leave without a true literal."""
    return [
        place
        for place, clause in enumerate(clauses)
        if not any(values[abs(literal) - 1] == (literal > 0) for literal in clause)
    ]


def said(row: Row) -> list[str]:
    """The clauses' sentences as they stand in the prompt."""
    return row["prompt"].split("\n")[1 : 1 + len(row["clauses"])]


def witness(row: Row) -> dict[str, str]:
    """The assignment of the perfect response."""
    return json.loads(twosat.perfect(row))["assignment"]


def judged(row: Row, assignment: Any) -> Verdict:
    """The verdict on an assignment; its decision is right, and its evidence can be written down."""
    verdict = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": assignment}, ensure_ascii=False))
    assert verdict.status == ("correct" if row["satisfiable"] else "incorrect")
    json.dumps(verdict.as_dict(), allow_nan=False)
    return verdict


def held_against_clauses(row: Row, values: Sequence[bool], verdict: Verdict) -> None:
    """A full assignment is valid iff it satisfies every clause; else the first that it violates is told verbatim."""
    checked, fails = verdict.evidence["witness"], broken(row["clauses"], values)
    if not fails:
        assert (verdict.score, checked["verdict"], checked["note"], checked["clause"]) == (1, "valid", "", None)
        return
    assert (verdict.score, verdict.outcome.failure) == (0, "witness_violated")
    assert (checked["verdict"], checked["clause"]) == ("violated", fails[0])
    assert checked["note"] == said(row)[fails[0]]


def flipped(row: Row, assignment: dict[str, str], name: str) -> dict[str, str]:
    """The assignment with the other word for one entity."""
    scheme = SCHEMES[row["scheme"]]
    return assignment | {name: scheme.false if assignment[name] == scheme.true else scheme.true}


def values_of(row: Row, assignment: dict[str, str]) -> list[bool]:
    """An assignment by variable."""
    return [assignment[name] == SCHEMES[row["scheme"]].true for name in row["entities"]]


def test_the_perfect_response() -> None:
    """It scores 1 in every family and scheme; a cycle's comes with a valid certificate."""
    for row, _ in every():
        verdict = rb_verify.score(row, twosat.perfect(row))
        assert (verdict.score, verdict.status) == (1, "correct"), verdict.evidence
        assert verdict.category == ("valid_witness" if row["satisfiable"] else "unsat_decided")
        refuted = not row["satisfiable"]
        assert verdict.outcome.measures == (0, refuted, refuted)
        json.dumps(verdict.as_dict(), allow_nan=False)


def test_flipping_one_variable() -> None:
    """The verdict is what the clauses say: some flips leave a model, others violate a clause, which is named."""
    seen = set()
    for row, draw in every(SATISFIABLE):
        assignment = witness(row)
        for name in draw.sample(row["entities"], min(8, row["variables"])):
            changed = flipped(row, assignment, name)
            verdict = judged(row, changed)
            held_against_clauses(row, values_of(row, changed), verdict)
            seen.add((row["family"], verdict.score))
    assert {("Backbone", 0), ("EquivalenceCore", 0), ("MonoBridge", 0), ("MonoBridge", 1)} <= seen


def test_random_assignments_of_every_shape() -> None:
    """Random full assignments, near a model or far, are valid iff they satisfy every clause, in whatever shape."""
    for row, draw in every():
        scheme, names = SCHEMES[row["scheme"]], row["entities"]
        start = [draw.below(2) == 1 for _ in names] if not row["satisfiable"] else values_of(row, witness(row))
        values = [value != (draw.below(row["variables"]) == 0) for value in start]
        word = [scheme.true if value else scheme.false for value in values]
        line = [f"{name} {scheme.holds if value else scheme.fails}" for name, value in zip(names, values, strict=True)]
        shapes: list[Any] = [
            dict(zip(names, word, strict=True)),
            dict(zip(names, values, strict=True)),
            draw.shuffled(line),
            list(map(list, zip(names, map(int, values), strict=True))),
            ", ".join(f"{name}={'FT'[value]}" for name, value in zip(names, values, strict=True)),
            ". ".join(line).replace(". ", "\n"),
        ]
        verdicts = [judged(row, shape) for shape in shapes]
        assert len({verdict.outcome for verdict in verdicts}) == 1
        assert all(verdict.evidence == verdicts[0].evidence for verdict in verdicts)
        if row["satisfiable"]:
            held_against_clauses(row, values, verdicts[0])
        else:
            assert (verdicts[0].score, verdicts[0].category) == (0, "false_sat")
            assert verdicts[0].evidence["witness"]["clause"] == broken(row["clauses"], values)[0]


def test_removing_variables() -> None:
    """A witness that leaves out a variable is partial, though every clause may hold; the first one is named."""
    for row, draw in every(SATISFIABLE):
        assignment = witness(row)
        gone = draw.sample(row["entities"], 1 + draw.below(3))
        verdict = judged(row, {name: word for name, word in assignment.items() if name not in gone})
        first = min(gone, key=row["entities"].index)
        assert verdict.evidence["witness"] == {"verdict": "partial", "note": f"{first} has no value", "clause": None}
        assert (verdict.score, verdict.outcome.failure) == (0, "witness_partial")
        assert judged(row, assignment | {gone[0]: None}).evidence["witness"]["note"] == f"{gone[0]} has no value"


SYNONYMS = {
    "logic": ("T", "F"),
    "letter": ("has the letter", "doesn’t have the letter"),
    "team": ("on the red team", "BLUE"),
    "social": ("Attending", "does not attend"),
    "room": ("is lit", "not lit"),
    "door": ("Open.", "is closed"),
}


def test_replacing_one_word() -> None:
    """The other word changes the value, a synonym does not, and nonsense is unreadable and named."""
    for row, draw in every(SATISFIABLE):
        assignment, name = witness(row), draw.choice(row["entities"])
        true = assignment[name] == SCHEMES[row["scheme"]].true
        same, other = SYNONYMS[row["scheme"]] if true else reversed(SYNONYMS[row["scheme"]])
        assert judged(row, assignment | {name: same}).score == 1
        assert judged(row, assignment | {name: other}).outcome == judged(row, flipped(row, assignment, name)).outcome
        for nonsense in ("Green", f"{assignment[name]}ish", "both", f"not {name}", 7, [], {"x": "y"}):
            checked = judged(row, assignment | {name: nonsense}).evidence["witness"]
            assert checked["verdict"] == "unreadable", checked
            assert checked["note"].startswith(f"{name} has the value "), checked


def test_renaming_one_entity() -> None:
    """An entity that the problem does not name is unknown, whatever its value; another spelling of one that it names is not."""
    for row, draw in every(SATISFIABLE):
        assignment, name = witness(row), draw.choice(row["entities"])
        word = assignment.pop(name)
        beyond = entities(row["scheme"], row["variables"] + 1)[-1]
        for alias in ("Zacharias", f"{name} {name} {name}", f"not {name}", f"{name}xx", beyond):
            assert alias not in row["entities"]
            verdict = judged(row, assignment | {alias: word})
            assert verdict.evidence["witness"]["verdict"] == "unreadable"
            assert "which is no " in verdict.evidence["witness"]["note"]
        for alias in (name.upper(), name.lower(), f" {name} ", name.replace(" ", "-"), f"**{name}**"):
            assert judged(row, assignment | {alias: word}).score == 1
        other = draw.choice(sorted(assignment))
        swapped = [[key, value] for key, value in flipped(row, assignment, other).items()] + [[other, assignment[other]]]
        assert judged(row, swapped).evidence["witness"]["note"] == f"{other} has two different values"


def graph_of(clauses: Sequence[Sequence[int]]) -> networkx.DiGraph[int]:
    """The implications of clauses."""
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    for clause in clauses:
        graph.add_edges_from([(-clause[0], clause[-1]), (-clause[-1], clause[0])])
    return graph


def certified(row: Row, chains: Sequence[Sequence[int]]) -> Verdict:
    """The verdict on a certificate, which never moves the score."""
    text = twosat.respond(row, None, chains)
    verdict = rb_verify.score(row, text)
    assert (verdict.score, verdict.category) == (1, "unsat_decided")
    json.dumps(verdict.as_dict(), allow_nan=False)
    return verdict


def literals(row: Row, chain: Sequence[str]) -> list[int]:
    """A chain of NAME=VALUE as literals."""
    number = {name: i for i, name in enumerate(row["entities"], 1)}
    pairs = [item.split("=") for item in chain]
    return [number[name] if word == SCHEMES[row["scheme"]].true else -number[name] for name, word in pairs]


def test_changing_one_literal_of_a_certificate() -> None:
    """It stays valid iff both chains are still paths of the implication graph, from a literal to its opposite and back;
    else a step that no clause gives is named."""
    seen = set()
    for row, draw in every(["ImplicationCycle"]):
        graph, scheme = graph_of(row["clauses"]), SCHEMES[row["scheme"]]
        chains = [literals(row, chain) for chain in json.loads(twosat.perfect(row))["certificate"]]
        assert certified(row, chains).evidence["certificate"]["verdict"] == "valid"
        assert certified(row, chains[::-1]).evidence["certificate"]["verdict"] == "valid"
        for _ in range(12):
            changed = [list(chain) for chain in chains]
            part = draw.choice(changed)
            place = draw.below(len(part))
            if draw.below(3):
                part[place] = draw.choice([literal for v in range(1, row["variables"] + 1) for literal in (v, -v)])
            else:
                del part[place]
            gaps = [(a, b) for chain in changed for a, b in pairwise(chain) if not graph.has_edge(a, b)]
            there, back = changed
            closed = bool(there and back) and there[0] == -there[-1] == -back[0] == back[-1]
            checked = certified(row, changed).evidence["certificate"]
            seen.add((bool(gaps), closed, checked["verdict"]))
            assert (checked["verdict"] == "valid") == (closed and not gaps), checked
            if gaps:
                first, second = (f"{row['entities'][abs(i) - 1]} {scheme.holds if i > 0 else scheme.fails}" for i in gaps[0])
                assert checked["note"] == f"no clause says that if {first} then {second}"
    assert {verdict for *_, verdict in seen} >= {"valid", "broken"}


def test_any_walk_is_a_certificate() -> None:
    """Not only the shortest chains count: long ways round, and other variables, are valid."""
    for row, draw in every(["ImplicationCycle"]):
        graph = graph_of(row["clauses"])
        start = draw.choice(sorted(graph))
        ways = [networkx.shortest_path(graph, start, -start), networkx.shortest_path(graph, -start, start)]
        assert certified(row, ways).evidence["certificate"]["verdict"] == "valid"
        longer = [ways[0] + ways[1][1:] + ways[0][1:], ways[1]]
        assert certified(row, longer).evidence["certificate"]["verdict"] == "valid"
        assert certified(row, [ways[0] + ways[1][1:], ways[1]]).evidence["certificate"]["verdict"] == "broken"


def test_changing_the_decision() -> None:
    """The other decision is wrong, with or without what goes with it; one that is neither is unparsed."""
    for row, _ in every():
        text = twosat.perfect(row)
        right, wrong = ("true", "false") if row["satisfiable"] else ("false", "true")
        assert text.startswith(f'{{"satisfiable": {right}')
        verdict = rb_verify.score(row, text.replace(right, wrong, 1))
        expected = "false_unsat" if row["satisfiable"] else "false_sat"
        assert (verdict.status, verdict.category, verdict.score) == ("incorrect", expected, 0)
        for neither in ("null", '"unknown"', '"SAT/UNSAT"', "[]"):
            verdict = rb_verify.score(row, text.replace(right, neither, 1))
            assert (verdict.status, verdict.category, verdict.score) == ("unparsed", "parse_failure", 0)
            json.dumps(verdict.as_dict(), allow_nan=False)
        for same in (f'"{right.upper()}"', '"SAT"' if row["satisfiable"] else '"UNSAT"'):
            assert rb_verify.score(row, text.replace(right, same, 1)).score == 1


ROWS = [rows(family, scheme)[0] for family, scheme in zip(SATISFIABLE, ("logic", "social", "door"), strict=True)]


@hypothesis_settings(max_examples=150, deadline=None)
@given(number=st.integers(0, len(ROWS) - 1), bits=st.integers(0, 2**80), near=st.booleans(), as_words=st.booleans())
def test_any_full_assignment(number: int, bits: int, near: bool, as_words: bool) -> None:
    """Any value for each entity makes a valid witness iff each clause, evaluated here, has a true literal."""
    row = ROWS[number]
    base = values_of(row, witness(row)) if near else [False] * row["variables"]
    # Near a model only a few low bits count, so that models come up too.
    changes = bits & (bits >> 7) & (bits >> 20) if near else bits
    values = [value != bool(changes >> place & 1) for place, value in enumerate(base)]
    scheme = SCHEMES[row["scheme"]]
    word = {True: scheme.true, False: scheme.false}
    assignment = {name: word[value] if as_words else value for name, value in zip(row["entities"], values, strict=True)}
    held_against_clauses(row, values, judged(row, assignment))


@hypothesis_settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_json_is_judged(value: Any) -> None:
    """Whatever JSON stands as assignment, certificate or decision, the verdict has evidence and no undeserved score."""
    row, cycle = ROWS[0], rows("ImplicationCycle", "team")[0]
    responses = [(row, {"satisfiable": True, "assignment": value}), (row, {"satisfiable": value})]
    for made, response in (*responses, (cycle, {"satisfiable": False, "certificate": value})):
        verdict = rb_verify.score(made, json.dumps(response))
        assert verdict.category != "valid_witness"
        assert verdict.score == (verdict.category == "unsat_decided")
        assert verdict.outcome.measures[2] == 0
        json.dumps(verdict.as_dict(), allow_nan=False)
