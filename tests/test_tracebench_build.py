"""The TRACEBench builder: Algorithm 1, Algorithm 2, questions and gold, against the paper's own figures."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from statistics import mean
from typing import Any

import networkx
import pytest

import path_consistency
from rb_build.errors import UnusableRecipe
from rb_build.release import Compiled
from rb_build.streams import Stream
from rb_build.tracebench.difficulty import (
    WEIGHTS,
    Model,
    Tier,
    achieved,
    configuration,
    edge_bounds,
    error,
    events_for,
    scale,
)
from rb_build.tracebench.graphs import (
    _spanning_tree,
    closure_of,
    determined,
    enumerate_smallest,
    generate,
    signature,
)
from rb_build.tracebench.prompt import event_names
from rb_build.tracebench.proofs import _derivable, redundant_facts, rounds, shortest_proof
from rb_build.tracebench.tasks import askable_pairs, numbered, questions_of
from rb_verify.allen import NAMES, SYMBOLS, converse

LEVELS = (10, 45, 80, 115, 150, 185)
# The paper's Table 3.
NODES = (3, 7, 10, 12, 14, 16)
EDGES = (2.00, 10.18, 22.03, 32.98, 45.98, 59.98)
MODEL = Model(1.75, 0.5, 1, 100, SYMBOLS)


def tier(difficulty: int, **changed: Any) -> Tier:
    """A tier of the paper's setting."""
    given = {"density": 0.5, "tolerance": 0.1, "graphs": 4, "questions": 20} | changed
    return Tier(f"d{difficulty:03d}", difficulty, **given)


def of_level(compiled: Compiled, level: int) -> dict[str, Any]:
    """The manifest's notes on a level of config default."""
    notes: dict[str, Any] = compiled.manifest["structures"][f"d{level:03d}"]
    return notes


# ---- Difficulty model and Algorithm 1


def test_alpha_calibration() -> None:
    """The reference task, 3 events and mean weight 1.46, has difficulty 10 at alpha 1.75 (section 3.2.1)."""
    assert sum(WEIGHTS.values()) == 190
    prior = sum(WEIGHTS.values()) / 130
    assert prior == pytest.approx(1.46, abs=0.005)
    assert 3**1.75 * prior == pytest.approx(10, abs=0.01)
    assert events_for(10, MODEL) == 3


def test_weights_are_the_papers() -> None:
    """Each tier of section 3.2.1 has its weight, and a relation weighs what its converse does."""
    assert [WEIGHTS[r] for r in ("E", "B", "M", "S", "F", "O", "D")] == [8, 10, 11, 15, 15, 20, 20]
    assert all(WEIGHTS[r] == WEIGHTS[converse(r)] for r in SYMBOLS)


def test_scale_of_each_level() -> None:
    """The number of events is Table 3's, and the expected facts are the rounded halves 2, 10, 22, 33, 46, 60."""
    assert tuple(events_for(level, MODEL) for level in LEVELS) == NODES
    expected = [mean(edge_bounds(n, 0.5, 1)) for n in NODES]
    assert expected == [2, 10, 22, 33, 46, 60]


def test_configurations_are_calibrated() -> None:
    """Every configuration is within tau and the bounds of equations 4 and 5; relations near the target are likelier."""
    stream, seen = Stream("test/configurations"), Counter[str]()
    for _ in range(200):
        drawn = configuration(stream, MODEL, tier(80))
        assert drawn is not None
        assert drawn.n == 10
        assert 21 <= len(drawn.relations) <= 23
        assert error(drawn.n, drawn.relations, 80, 1.75) <= 0.1
        assert achieved(10, drawn.relations, 1.75) == pytest.approx(80, rel=0.1001)
        seen.update(drawn.relations)
    # The target mean is 80 / 10^1.75 = 1.42, so S (1.5) is likelier than O (2.0), which is likelier than nothing.
    assert seen["S"] > 1.3 * seen["O"] > 0


def test_calibration_reaches_an_extreme_target() -> None:
    """A target whose mean weight is far from the prior is reached by swaps, one at a time, towards it."""
    heavy = configuration(Stream("test/heavy"), MODEL, tier(100, tolerance=0.01, density=0.5))
    assert heavy is not None
    assert error(heavy.n, heavy.relations, 100, 1.75) <= 0.01


def test_unreachable_target_is_said() -> None:
    """A target that no configuration meets ends in a sentence, not in an endless loop."""
    only_equals = Model(1.75, 0.5, 1, 100, ("E",))
    with pytest.raises(UnusableRecipe, match="no configuration of 12 events"):
        generate(Stream("test/unreachable"), only_equals, tier(60, tolerance=0.01), lambda *_: True, ())
    with pytest.raises(UnusableRecipe, match="no new graph in 40000 attempts"):
        generate(Stream("test/unaskable"), MODEL, tier(20), lambda *_: False, ())


# ---- Structure against Table 3


@pytest.mark.parametrize(("level", "nodes", "edges"), list(zip(LEVELS, NODES, EDGES, strict=True)))
def test_table_3(compiled: Compiled, level: int, nodes: int, edges: float) -> None:
    """Nodes exactly, mean facts within .25, mean difficulty within 3 % from level 45 up, 40 distinct signatures."""
    notes = of_level(compiled, level)
    assert notes["nodes"] == nodes
    assert notes["mean_facts"] == pytest.approx(edges, abs=0.25)
    if level >= 45:
        assert notes["mean_difficulty"] == pytest.approx(level, rel=0.03)
    assert len(set(notes["signatures"])) == len(notes["signatures"]) == 40


def test_attempts_at_level_80(compiled: Compiled) -> None:
    """40 graphs at level 80 take about as many attempts as the paper's "approximately 800"."""
    assert 500 < of_level(compiled, 80)["attempts"] < 1600


def test_every_graph_is_within_tau(rows: list[dict[str, Any]]) -> None:
    """The difficulty achieved by each graph is within its level's tolerance: .25 at level 10, .1 above."""
    for row in rows:
        tolerance = 0.25 if row["level"] == 10 else 0.1
        assert abs(row["achieved_difficulty"] / row["level"] - 1) <= tolerance + 1e-6


def test_counts(rows: list[dict[str, Any]]) -> None:
    """200 questions and 40 graphs a level, 5 a graph; half YES, at level 10 80 of 200, for its graphs ask one pair."""
    assert Counter(row["level"] for row in rows) == dict.fromkeys(LEVELS, 200)
    assert set(Counter(row["graph"] for row in rows).values()) == {5}
    yes = Counter(row["level"] for row in rows if row["answer"] == "YES")
    assert yes == {10: 80} | dict.fromkeys(LEVELS[1:], 100)
    assert len({row["id"] for row in rows}) == 1200
    assert all(len(row["id"]) <= 64 for row in rows)


def test_level_10_is_exhaustive(compiled: Compiled) -> None:
    """Of the networks of 3 events and 2 facts 91 exist, 49 determine the third pair, 40 within .25, 17 within .1."""
    loose = tier(10, tolerance=10.0)
    everything = {signature(3, edges) for r in SYMBOLS for s in SYMBOLS for edges in [((0, r, 1), (1, s, 2))]}
    assert len(everything) == 91
    pools = [len(enumerate_smallest(MODEL, tier(10, tolerance=tau))) for tau in (loose.tolerance, 0.25, 0.1)]
    assert pools == [49, 40, 17]
    notes = of_level(compiled, 10)
    assert notes["exhaustive"]
    assert notes["pool"] == 40


def test_deep_and_dev(compiled: Compiled) -> None:
    """``deep`` asks 200 questions a level, each with a shortest proof of 2 steps or more; ``dev`` shares no structure."""
    import json

    def parsed(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in compiled.files[f"data/{name}.jsonl"].splitlines()]

    deep = parsed("deep")
    assert Counter(row["level"] for row in deep) == dict.fromkeys(LEVELS[1:], 200)
    assert min(row["proof_length"] for row in deep) == 2
    assert mean(row["proof_length"] for row in deep) > 2.5
    everything = [name for notes in compiled.manifest["structures"].values() for name in notes["signatures"]]
    assert len(set(everything)) == len(everything) == 240 + 200 + 20
    assert {row["level"] for row in parsed("dev")} == set(LEVELS[1:])


# ---- Algorithm 2


def test_prufer_trees_are_uniform() -> None:
    """Decoded sequences are spanning trees, and all 16 trees on 4 events occur about equally often."""
    stream, seen = Stream("test/prufer"), Counter[frozenset[frozenset[int]]]()
    for _ in range(3200):
        tree = _spanning_tree(stream, 4)
        assert networkx.is_tree(networkx.Graph(tree))
        seen[frozenset(map(frozenset, tree))] += 1
    assert len(seen) == 16
    assert min(seen.values()) > 140
    assert max(seen.values()) < 260
    assert networkx.is_tree(networkx.Graph(_spanning_tree(stream, 16)))
    assert networkx.is_tree(networkx.Graph(_spanning_tree(stream, 3)))


def test_signature_is_blind_to_dress() -> None:
    """Renaming events, inverting facts and reordering them keep the signature; changing a relation does not."""
    draw = random.Random(7)
    for _ in range(60):
        n = draw.randint(3, 8)
        pairs = draw.sample(list(combinations(range(n), 2)), draw.randint(2, n))
        edges = [(i, draw.choice(SYMBOLS), j) for i, j in pairs]
        name = draw.sample(range(n), n)
        dressed = [(name[i], r, name[j]) if draw.random() < 0.5 else (name[j], converse(r), name[i]) for i, r, j in edges]
        draw.shuffle(dressed)
        assert signature(n, dressed) == signature(n, edges)
        (i, r, j), *rest = edges
        other = next(s for s in SYMBOLS if s not in (r, converse(r)))
        assert signature(n, [(i, other, j), *rest]) != signature(n, edges)


def test_signature_separates_what_is_not_isomorphic() -> None:
    """Among random small networks, equal signatures always mean isomorphic networks, as networkx sees them."""

    def drawn(draw: random.Random) -> list[tuple[int, str, int]]:
        pairs = draw.sample(list(combinations(range(4), 2)), 3)
        return [(i, draw.choice(["B", "BI", "E", "O"]), j) for i, j in pairs]

    def graph(edges: list[tuple[int, str, int]]) -> networkx.MultiDiGraph[int]:
        result: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
        result.add_nodes_from(range(4))
        for i, r, j in edges:
            for a, s, b in ((i, r, j), (j, converse(r), i)):
                result.add_edge(a, b, r=s)
        return result

    draw = random.Random(3)
    by_signature: dict[str, list[tuple[int, str, int]]] = {}
    same = networkx.algorithms.isomorphism.categorical_multiedge_match("r", None)
    met = 0
    for _ in range(400):
        edges = drawn(draw)
        twin = by_signature.setdefault(signature(4, edges), edges)
        met += twin is not edges
        assert networkx.is_isomorphic(graph(edges), graph(twin), edge_match=same)
    assert met > 100
    kinds = list(by_signature.values())[:40]
    assert not any(networkx.is_isomorphic(graph(a), graph(b), edge_match=same) for a, b in combinations(kinds, 2))


def test_duplicates_are_made_again() -> None:
    """A graph whose signature is taken is a failed attempt: the same stream goes on to another graph."""
    first = generate(Stream("test/again"), MODEL, tier(45), lambda *_: True, ())
    second = generate(Stream("test/again"), MODEL, tier(45), lambda *_: True, {first.signature})
    assert second.signature != first.signature
    assert second.attempts > first.attempts


def test_graphs_are_consistent_by_the_other_oracle(rows: list[dict[str, Any]]) -> None:
    """Path consistency agrees that facts are consistent, that the gold relation is determined, and with every NO."""
    by_graph = defaultdict(list)
    for row in rows:
        by_graph[row["graph"]].append(row)
    for name in sorted(by_graph)[::24]:  # every 24th graph: all six levels
        some = by_graph[name]
        place = {event: i for i, event in enumerate(some[0]["events"])}
        edges = [(place[f["from"]], f["relation"], place[f["to"]]) for f in some[0]["facts"]]
        net = path_consistency.propagate(len(place), edges)
        assert net is not None
        for row in some:
            asked = row["question"]
            mask = net[place[asked["from"]]][place[asked["to"]]]
            assert mask == 1 << SYMBOLS.index(row["gold_relation"])
            assert (row["answer"] == "YES") == (asked["relation"] == row["gold_relation"])


# ---- Questions, proofs, prompt


def test_questions_do_not_repeat_and_are_not_given(rows: list[dict[str, Any]]) -> None:
    """No question asks about a pair with a fact, and no graph asks the same thing twice."""
    asked: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for row in rows:
        given = {frozenset((f["from"], f["to"])) for f in row["facts"]}
        q = row["question"]
        assert frozenset((q["from"], q["to"])) not in given
        assert (q["from"], q["relation"], q["to"]) not in asked[row["graph"]]
        asked[row["graph"]].add((q["from"], q["relation"], q["to"]))


def test_questions_alternate() -> None:
    """Odd numbers of questions alternate which answer has the larger half."""
    assert [questions_of(tier(45, graphs=4, questions=20), i) for i in range(4)] == [(5, 2), (5, 3), (5, 2), (5, 3)]
    assert [questions_of(tier(45, graphs=3, questions=4), i)[0] for i in range(3)] == [2, 1, 1]


def brute_shortest(edges: tuple[tuple[int, str, int], ...], n: int, goal: tuple[int, int]) -> int:
    """The length of a shortest proof, by trying all sets of pairs, smallest first."""
    net = numbered(n, edges)
    others = [pair for pair in combinations(range(n), 2) if pair not in net.pairs and pair != goal]
    for size in range(len(others) + 1):
        for some in combinations(others, size):
            if len(_derivable(net, [*some, goal])) == size + 1:
                return size + 1
    raise AssertionError("not provable")


def test_proofs_are_shortest() -> None:
    """Proof lengths of sparse graphs of 7 events, up to 4 steps, are what trying every set of pairs gives."""
    lengths = Counter[int]()
    for index in range(60):
        found = generate(Stream(f"test/proofs/{index}"), MODEL, tier(45, density=0.2), lambda *_: True, ())
        net = numbered(found.n, found.edges)
        for goal in determined(closure_of(found.n, found.edges), found.edges):
            proof = shortest_proof(net, *goal)
            assert proof[-1].pair == goal
            if len(proof) <= 4:
                assert len(proof) == brute_shortest(found.edges, found.n, goal)
                lengths[len(proof)] += 1
    assert set(lengths) >= {1, 2, 3, 4}


def test_redundant_facts_by_leaving_each_out(rows: list[dict[str, Any]]) -> None:
    """The count equals that of facts which stay determined when they alone are left out."""
    for row in rows[::100]:
        place = {event: i for i, event in enumerate(row["events"])}
        edges = [(place[f["from"]], f["relation"], place[f["to"]]) for f in row["facts"]]
        left_out = [closure_of(len(place), edges[:k] + edges[k + 1 :]).mask(i, j) for k, (i, _, j) in enumerate(edges)]
        assert row["redundant_facts"] == sum(mask.bit_count() == 1 for mask in left_out)
        assert row["redundant_facts"] == redundant_facts(len(place), edges)


def test_deep_pairs_have_no_one_step_proof() -> None:
    """With min_proof 2, the askable pairs are just the determined ones whose shortest proof is longer than one step."""
    for index in range(10):
        found = generate(Stream(f"test/deep/{index}"), MODEL, tier(80, density=0.2), lambda *_: True, ())
        closure, net = closure_of(found.n, found.edges), numbered(found.n, found.edges)
        pairs = determined(closure, found.edges)
        deep = [pair for pair in pairs if len(shortest_proof(net, *pair)) >= 2]
        assert askable_pairs(found.n, found.edges, closure, 2) == deep


HIDDEN = [(0, "SI", 2), (0, "FI", 10), (1, "OI", 3), (1, "BI", 11), (2, "BI", 3), (2, "B", 7), (3, "O", 9), (4, "F", 6)]
HIDDEN += [(4, "MI", 11), (5, "S", 8), (5, "E", 9), (6, "OI", 8), (7, "BI", 10)]


def test_a_pair_without_a_proof_is_not_asked() -> None:
    """These facts determine (4, 5), but no proof of exact steps reaches it: it was drawn once, and the search never ended."""
    net, closure = numbered(12, HIDDEN), closure_of(12, HIDDEN)
    assert closure.relations("4", "5") == {"OI"}
    other = path_consistency.propagate(12, HIDDEN)
    assert other is not None
    assert other[4][5] == 1 << path_consistency.SYMBOLS.index("OI")
    everything = [pair for pair in combinations(range(12), 2) if pair not in net.pairs]
    assert (4, 5) not in _derivable(net, everything)
    assert (4, 5) not in rounds(net, [(4, 5)])
    with pytest.raises(ValueError, match=r"nothing proves \(4, 5\)"):
        shortest_proof(net, 4, 5)
    for min_proof in (1, 2):
        asked = askable_pairs(12, HIDDEN, closure, min_proof)
        assert (4, 5) in determined(closure, HIDDEN)
        assert (4, 5) not in asked
        assert len(asked) > 5


def test_prompt_has_the_six_sections(rows: list[dict[str, Any]]) -> None:
    """Each prompt has the paper's six sections in order, every relation, every fact once, and the question."""
    row = rows[700]
    titles = [line for line in row["prompt"].splitlines() if line.startswith("# ")]
    assert titles == ["# Constraint", "# Allen relations", "# Facts", "# Question", "# Instructions", "# Example"]
    for symbol, name in NAMES.items():
        assert f"- {name} ({symbol}): " in row["prompt"]
    stated = row["prompt"].partition("# Facts\n")[2].partition("\n\n")[0].splitlines()
    assert stated == [f"- {f['from']} {NAMES[f['relation']]} {f['to']}" for f in row["facts"]]
    q = row["question"]
    assert f"\nIs {q['from']} {NAMES[q['relation']]} {q['to']}?\n" in row["prompt"]
    assert row["answer"] not in row["prompt"].partition("# Question")[2].partition("# Instructions")[0]


def test_event_names_are_no_symbols() -> None:
    """No event is called like a relation, however many there are, and none twice."""
    names = event_names(300)
    assert len(set(names)) == 300
    assert not {name.casefold() for name in names} & {symbol.casefold() for symbol in SYMBOLS}
    with pytest.raises(ValueError, match="names"):
        event_names(1000)


def test_scale_is_rounded() -> None:
    """n^alpha has at most nine decimals, so that C libraries cannot differ in what is used."""
    assert all(scale(n, 1.75) == round(scale(n, 1.75), 9) for n in range(3, 60))
