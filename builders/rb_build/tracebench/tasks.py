"""From a graph to rows: facts, questions and gold (TRACE paper, section 3.3.1).

Only pairs without a fact whose relation is determined are asked about. Half of the questions are YES where the graph
allows it: the pool of all questions is 1/13 YES, so a constant NO would score 92 %. The relation asked in a NO question
is drawn from the true relations of the level's questions, so that the asked relation alone says little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rb_build.streams import Stream
from rb_build.tracebench.difficulty import Tier, achieved
from rb_build.tracebench.graphs import Edge, Graph, closure_of, determined
from rb_build.tracebench.prompt import prompt
from rb_build.tracebench.proofs import redundant_facts, rounds, shortest_proof
from rb_verify.allen import SYMBOLS, symbols_of
from rb_verify.closure import Closure
from rb_verify.trace import Network, network


@dataclass(frozen=True)
class Ask:
    """A question before its relation is known: the ordered pair, its true relation, and whether the answer is YES."""

    i: int
    j: int
    true: str
    yes: bool


def numbered(n: int, edges: Sequence[Edge]) -> Network:
    """The scorer's network of a graph whose events are named by their numbers."""
    facts = [{"from": str(i), "relation": r, "to": str(j)} for i, r, j in edges]
    return network({"events": [str(i) for i in range(n)], "facts": facts})


def askable_pairs(n: int, edges: Sequence[Edge], closure: Closure, min_proof: int) -> list[tuple[int, int]]:
    """The pairs that may be asked about: determined, and with a proof, none shorter than ``min_proof`` (1 or 2)."""
    pairs = determined(closure, edges)
    if not pairs:
        return []
    needed = rounds(numbered(n, edges), pairs)
    return [pair for pair in pairs if needed.get(pair, 0) >= min_proof]


def questions_of(tier: Tier, index: int) -> tuple[int, int]:
    """(questions, YES among them) of a tier's ``index``-th graph; odd counts alternate which half is larger."""
    total = tier.questions // tier.graphs + (index < tier.questions % tier.graphs)
    return total, (total + index % 2) // 2


def asks(stream: Stream, tier: Tier, index: int, graph: Graph) -> list[Ask]:
    """Which ordered pairs of a graph are asked about, and which with YES. Pairs do not repeat while others are left."""
    closure = closure_of(graph.n, graph.edges)
    pairs = stream.shuffled(askable_pairs(graph.n, graph.edges, closure, tier.min_proof))
    first = [pair if stream.below(2) else pair[::-1] for pair in pairs]
    ordered = first + stream.shuffled([pair[::-1] for pair in first])
    total, yes = questions_of(tier, index)
    yes = min(yes, len(ordered))
    chosen = [(ordered[place % len(ordered)], place < yes) for place in range(total)]
    return stream.shuffled([Ask(i, j, symbols_of(closure.mask(i, j))[0], is_yes) for (i, j), is_yes in chosen])


def rows(
    stream: Stream,
    tier: Tier,
    alpha: float,
    name: str,
    canary: str,
    events: Sequence[str],
    graph: Graph,
    asked: Sequence[Ask],
    pool: Mapping[str, int],
) -> list[dict[str, Any]]:
    """The rows of one graph. ``name``: its id; ``events``: what its events are called. ``pool``: how often each relation is
    the true one in the tier."""
    place = stream.shuffled(range(graph.n))
    facts = [(events[place[i]], r, events[place[j]]) for i, r, j in stream.shuffled(graph.edges)]
    shared = {
        "achieved_difficulty": achieved(graph.n, tuple(r for _, r, _ in graph.edges), alpha),
        "canary": canary,
        "events": list(events),
        "facts": [_statement(*fact) for fact in facts],
        "graph": name,
        "level": tier.difficulty,
        "redundant_facts": redundant_facts(graph.n, graph.edges),
        "signature": graph.signature,
    }
    net = network(shared)
    made = []
    used: set[tuple[int, int, str]] = set()
    for number, ask in enumerate(asked):
        i, j = place[ask.i], place[ask.j]
        relation = ask.true if ask.yes else _false_relation(stream, ask.true, pool, {r for a, b, r in used if (a, b) == (i, j)})
        used.add((i, j, relation))
        question = events[i], relation, events[j]
        proof = [
            {
                "from": events[step.pair[0]],
                "set": symbols_of(step.mask),
                "to": events[step.pair[1]],
                "via": [events[w] for w in step.via],
            }
            for step in shortest_proof(net, i, j)
        ]
        own = {
            "answer": "YES" if ask.yes else "NO",
            "gold_relation": ask.true,
            "id": f"{name}-q{number}",
            "prompt": prompt(facts, question),
            "proof": proof,
            "proof_length": len(proof),
            "question": _statement(*question),
        }
        made.append(shared | own)
    return made


def _statement(u: str, relation: str, v: str) -> dict[str, str]:
    return {"from": u, "relation": relation, "to": v}


def _false_relation(stream: Stream, true: str, pool: Mapping[str, int], used: set[str]) -> str:
    """A relation that is not true, nor asked before of this pair: by its share of the pool, else uniform."""
    others = [r for r in SYMBOLS if r != true and r not in used]
    weights = [pool.get(r, 0) for r in others]
    return stream.weighted(others, weights) if any(weights) else stream.choice(others)


def pool_of(asked: Sequence[Sequence[Ask]]) -> dict[str, int]:
    """How often each relation is the true one, over all questions of a tier."""
    return dict(Counter(ask.true for some in asked for ask in some))
