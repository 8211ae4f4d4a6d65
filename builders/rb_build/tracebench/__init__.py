"""Build TRACEBench: rows of every tier of a recipe, and the proof of each row by the oracle.

Implements the TRACE paper, sections 3.2 and 3.3. Graphs are independent units of work, each with its own random
streams; a graph whose signature an earlier one has is made again from its stream, with all earlier signatures
excluded. So neither the number of workers nor their order can matter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import groupby
from typing import Any

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Built, Map, Recipe
from rb_build.streams import Stream
from rb_build.structures import fresh_notes
from rb_build.tracebench import tasks
from rb_build.tracebench.difficulty import Model, Tier, achieved, error, events_for
from rb_build.tracebench.graphs import Edge, Graph, closure_of, enumerate_smallest, generate, signature
from rb_build.tracebench.prompt import event_names, other_names, prompt
from rb_build.tracebench.proofs import redundant_facts, shortest_proof
from rb_verify.allen import UNIVERSAL, compose, mask_of
from rb_verify.closure import Closure
from rb_verify.trace import network


@dataclass(frozen=True)
class _Unit:
    """One graph to make: the index-th of a tier. ``path``: the root of its streams."""

    model: Model
    tier: Tier
    index: int
    path: str
    name: str


def parameters(recipe: Recipe) -> tuple[Model, list[Tier]]:
    """A recipe's parameters, whose form schemas/tracebench.schema.json has checked. Raises UnusableRecipe."""
    given = dict(recipe.params)
    tiers = [Tier(**tier) for tier in given.pop("tiers")]
    model = Model(**{field.name: given[field.name] for field in fields(Model)} | {"relations": tuple(given["relations"])})
    if len({tier.key for tier in tiers}) < len(tiers):
        raise UnusableRecipe("two tiers have the same config and difficulty; give each its own")
    if unwanted := {tier.config for tier in tiers} ^ recipe.files:
        raise UnusableRecipe(f"configs and tiers name different files ({', '.join(sorted(unwanted))}); make them agree")
    for tier in tiers:
        try:
            event_names(events_for(tier.difficulty, model))
        except ValueError as reason:
            raise UnusableRecipe(f"{tier.key}: {reason}; lower the difficulty") from None
    return model, tiers


def build(recipe: Recipe, run: Map) -> Built:
    """All rows of a recipe, by file. ``run``: an ordered map. Structures are graphs up to renaming and inversion.

    Raises UnusableRecipe where a tier cannot be filled.
    """
    model, tiers = parameters(recipe)
    units = [_unit(recipe, model, tier, index) for tier in tiers for index in range(tier.graphs)]
    smallest = [unit for unit in units if _is_smallest(unit.tier, model)]
    made = dict(
        zip((u.name for u in units if u not in smallest), run(_make, [u for u in units if u not in smallest]), strict=True)
    )
    graphs: dict[str, Graph] = {}
    seen = set(recipe.taken)
    for tier, some in groupby(units, key=lambda unit: unit.tier):
        group = list(some)
        drawn = _draw_smallest(recipe, model, tier, seen) if _is_smallest(tier, model) else []
        for unit in group:
            graph = drawn[unit.index] if drawn else made[unit.name]
            if not drawn and graph.signature in seen:
                graph = _make(unit, frozenset(seen))
            seen.add(graph.signature)
            graphs[unit.name] = graph
    jobs = []
    for _, some in groupby(units, key=lambda unit: unit.tier):
        group = list(some)
        asked = [tasks.asks(Stream(f"{u.path}/questions"), u.tier, u.index, graphs[u.name]) for u in group]
        pool = tasks.pool_of(asked)
        jobs += [(unit, graphs[unit.name], ask, pool) for unit, ask in zip(group, asked, strict=True)]
    files: dict[str, list[dict[str, Any]]] = {tier.config: [] for tier in tiers}
    for unit, rows in zip(units, run(partial(_rows, recipe), jobs), strict=True):
        files[unit.tier.config] += rows
    notes = {tier.key: _notes(recipe, model, tier, [graphs[u.name] for u in units if u.tier == tier]) for tier in tiers}
    return Built(files, notes)


def _unit(recipe: Recipe, model: Model, tier: Tier, index: int) -> _Unit:
    number = f"g{index:0{max(2, len(str(tier.graphs - 1)))}d}"
    path = f"{recipe.dataset}/{recipe.version}/{recipe.seed}/{tier.key}/{number}"
    return _Unit(model, tier, index, path, f"{recipe.prefix}-{tier.key}-{number}")


def _askable(tier: Tier, n: int, edges: Sequence[Edge], closure: Closure) -> bool:
    return len(tasks.askable_pairs(n, edges, closure, tier.min_proof)) >= 2


def _make(unit: _Unit, taken: Collection[str] = ()) -> Graph:
    return generate(Stream(unit.path), unit.model, unit.tier, partial(_askable, unit.tier), taken)


def _rows(recipe: Recipe, job: tuple[_Unit, Graph, list[tasks.Ask], dict[str, int]]) -> list[dict[str, Any]]:
    unit, graph, asked, pool = job
    shared = graph.signature in recipe.taken
    events = other_names(Stream(f"{unit.path}/names"), graph.n) if shared else event_names(graph.n)
    stream = Stream(f"{unit.path}/rows")
    return tasks.rows(stream, unit.tier, unit.model.alpha, unit.name, recipe.canary, events, graph, asked, pool)


def _is_smallest(tier: Tier, model: Model) -> bool:
    return events_for(tier.difficulty, model) == 3


def _draw_smallest(recipe: Recipe, model: Model, tier: Tier, seen: Collection[str]) -> list[Graph]:
    """Graphs of 3 events, drawn from all that there are: those in ``seen`` only where no others are left."""
    pool = enumerate_smallest(model, tier)
    if len(pool) < tier.graphs or tier.min_proof > 1:
        raise UnusableRecipe(
            f"{tier.key}: only {len(pool)} graphs of 3 events exist within tolerance {tier.tolerance}, all with one-step "
            f"proofs; ask for {len(pool)} or fewer, or raise the tolerance"
        )
    stream = Stream(f"{recipe.dataset}/{recipe.version}/{recipe.seed}/{tier.key}/pool")
    new = [graph for graph in pool if graph.signature not in seen]
    first = stream.sample(new, min(len(new), tier.graphs))
    return first + stream.sample([graph for graph in pool if graph.signature in seen], tier.graphs - len(first))


def _notes(recipe: Recipe, model: Model, tier: Tier, graphs: list[Graph]) -> dict[str, Any]:
    """What the manifest says of a tier's structures."""
    n = events_for(tier.difficulty, model)
    pool = [graph.signature for graph in enumerate_smallest(model, tier)] if n == 3 else None
    size = None if pool is None else len(pool)
    difficulties = [achieved(n, tuple(r for _, r, _ in graph.edges), model.alpha) for graph in graphs]
    signatures = [graph.signature for graph in graphs]
    notes = {
        "attempts": sum(graph.attempts for graph in graphs),
        "exhaustive": size == len(graphs),
        # fsum: since Python 3.12 sum() adds floats more exactly than before, and a rounded mean can show it.
        "mean_difficulty": round(math.fsum(difficulties) / len(graphs), 4),
        "mean_facts": round(sum(len(g.edges) for g in graphs) / len(graphs), 4),
        "nodes": n,
        "pool": size,
        "signatures": signatures,
    }
    excluded = None if pool is None else len(recipe.taken.intersection(pool))
    rejected = sum(graph.rejected for graph in graphs)
    return notes | fresh_notes(recipe, signatures, rejected, lambda: {"drawn": None, "excluded": excluded, "pool": size})


def prove(recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Prove every gold label of a file's rows again, from its facts alone. What is wrong, a line each, by row id."""
    model, tiers = parameters(recipe)
    by_level = {tier.difficulty: tier for tier in tiers if tier.config == file}
    return [f"{row['id']}: {fault}" for row in rows for fault in _faults(model, by_level.get(row["level"]), recipe, row)]


def _faults(model: Model, tier: Tier | None, recipe: Recipe, row: dict[str, Any]) -> list[str]:
    if tier is None:
        return [f"level {row['level']} is none of its file's tiers"]
    place = {event: i for i, event in enumerate(row["events"])}
    facts = [(fact["from"], fact["relation"], fact["to"]) for fact in row["facts"]]
    question = row["question"]
    try:
        edges = [(place[u], r, place[v]) for u, r, v in facts]
        goal = place[question["from"]], place[question["to"]]
        closure = closure_of(len(place), edges)
        net = network(row)
    except (KeyError, ValueError) as reason:
        return [f"its facts do not make a consistent network ({reason})"]
    relations = tuple(r for _, r, _ in edges)
    truth = closure.relations(*map(str, goal))
    proof = _proof_faults(row, net.closure, place)
    checks = {
        "a question about a fact, or about one event": goal in net.pairs or goal[0] == goal[1],
        f"gold_relation is not the closure's {sorted(truth)}": truth != {row["gold_relation"]},
        "answer does not fit gold_relation": (row["answer"] == "YES") != (question["relation"] == row["gold_relation"]),
        "achieved_difficulty is not equation 1": row["achieved_difficulty"] != achieved(len(place), relations, model.alpha),
        "difficulty is outside the tolerance": error(len(place), relations, tier.difficulty, model.alpha) > tier.tolerance,
        "signature is not the graph's": row["signature"] != signature(len(place), edges),
        "redundant_facts is wrong": row["redundant_facts"] != redundant_facts(len(place), edges),
        "prompt is not that of its facts and question": row["prompt"]
        != prompt(facts, (question["from"], question["relation"], question["to"])),
        "canary is not the recipe's": row["canary"] != recipe.canary,
        "proof_length is not the proof's": row["proof_length"] != len(row["proof"]),
        "id is not in its graph": not re.fullmatch(rf"{re.escape(row['graph'])}-q\d+", row["id"]),
        "id is not of this release and tier": not row["graph"].startswith(f"{recipe.prefix}-{tier.key}-g"),
        "proof is shorter than its tier's least": row["proof_length"] < tier.min_proof,
    }
    faults = [fault for fault, present in checks.items() if present] + proof
    if not faults and len(shortest_proof(net, *goal)) != row["proof_length"]:
        faults.append("a shorter proof exists")
    return faults


def _proof_faults(row: dict[str, Any], truth: Sequence[int], place: dict[str, int]) -> list[str]:
    """Whether each proof step is the intersection of its compositions, exact, and the last one the asked pair."""
    n = len(place)
    known = list(network(row).known)
    for number, step in enumerate(row["proof"], 1):
        i, j, mask = place[step["from"]], place[step["to"]], UNIVERSAL
        for w in (place[event] for event in step["via"]):
            mask &= compose(known[i * n + w], known[w * n + j])
        if mask != mask_of(step["set"]) or mask != truth[i * n + j]:
            return [f"proof step {number} does not follow, or is not exact"]
        known[i * n + j], known[j * n + i] = mask, truth[j * n + i]
    question, last = row["question"], row["proof"][-1]
    return [] if (last["from"], last["to"]) == (question["from"], question["to"]) else ["proof does not end at the asked pair"]
