"""Build ReEfBench: pairs of a provable conclusion (main) and an unprovable one (contrast).

Implements the ReEfBench paper, section 3.1: a golden tree of exactly ``level`` layers, its leaves shuffled among as many
distractors as the level. All answers of the paper are True. In the contrast row of each pair one premise that the
conclusion needs is told of another subject, so that its answer is Unknown although the names are nearly the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from rb_build.recipe import Built, Map, Recipe
from rb_build.reefbench.items import ANSWERS, Item, Tier, item_name, tiers, vocabulary
from rb_build.reefbench.names import names
from rb_build.reefbench.prompt import prompt
from rb_build.reefbench.proof import prove
from rb_build.reefbench.trees import Tree, grow
from rb_build.streams import Stream
from rb_build.structures import fill, fresh_notes, measured
from rb_verify.deduction import PREMISE, Deduction
from rb_verify.reefbench_report import CONTRAST, MAIN
from rb_verify.statements import Statement, predicate

__all__ = ["build", "prove"]


def build(recipe: Recipe, run: Map) -> Built:
    """All rows of a recipe, by file. ``run``: an ordered map. Structures are golden trees up to renaming.

    Raises UnusableRecipe where a tier cannot be filled.
    """
    todo = tiers(recipe)
    files: dict[str, list[dict[str, Any]]] = {file: [] for tier in todo for file in tier.files.values()}
    grown = list(run(partial(_items, recipe), todo))
    for rows in run(_pair, [item for items, _ in grown for item in items]):
        for file, row in rows:
            files[file].append(row)
    return Built(files, {tier.path.rpartition("/")[2]: notes for tier, (_, notes) in zip(todo, grown, strict=True)})


def _items(recipe: Recipe, tier: Tier) -> tuple[list[Item], dict[str, Any]]:
    """The items of a tier, and what is noted of their structures."""
    draws = [partial(_draw, tier, index, Stream(f"{tier.path}/{item_name(index)}")) for index in range(tier.items)]
    made, rejected = fill(tier.path.rpartition("/")[2], draws, recipe.taken)
    signatures = [signature for _, signature in made]
    notes: dict[str, Any] = {"distinct": len(set(signatures)), "signatures": signatures}
    pool = partial(_draw, tier, 0, Stream(f"{tier.path}/pool"))
    return [item for item, _ in made], notes | fresh_notes(recipe, signatures, rejected, partial(measured, pool, recipe.taken))


def _draw(tier: Tier, index: int, stream: Stream) -> tuple[Item, str] | None:
    """The next item of a stream, with its signature; None where its pair would need more names than there are."""
    fresh = iter(stream.shuffled(names()))
    try:
        tree = grow(stream, tier.level, fresh)
    except StopIteration:
        return None
    spare, signature = tuple(fresh), tree.signature()
    return (Item(tier, index, tree, signature, spare), signature) if len(spare) > tier.level else None


def distractors(stream: Stream, tree: Tree, removed: Statement, spare: Iterator[str], number: int) -> list[Statement]:
    """Premises that lead nowhere, and last, what the contrast row has in place of ``removed``.

    They are "old is NEW", "NEW is P" or one more "NEW is P" of the same NEW, uniform; NEW is a name that is in no tree. P is
    a predicate of the tree. ``old`` is no name of the conclusion's predicate, so no alternative of a disjunction becomes a
    subject. The first ``old`` is the subject of ``removed``, which so has a premise in both rows; and the replacement says of
    a NEW what ``removed`` says of it. So both rows have, but for a NEW at times, the same names, each as often predicated.
    """
    nodes = [node.statement for _, node in tree.nodes(0)]
    old = sorted({name for subject, (_, parts) in nodes for name in (subject, *parts)} - set(tree.statement.predicate.parts))
    predicates = sorted({node.predicate for node in nodes} - {removed.predicate})
    made = [Statement(removed.subject, predicate([next(spare)]))]
    lone: list[str] = []
    while len(made) < number:
        kind = stream.below(3)
        if kind == 0:
            made.append(Statement(stream.choice(old), predicate([next(spare)])))
            continue
        subject = next(spare) if kind == 1 or not lone else stream.choice(lone)
        stray = Statement(subject, stream.choice(predicates))
        if stray not in made:
            made.append(stray)
            lone += [subject] * (subject not in lone)
    subject = next(spare) if not lone or stream.below(3) == 0 else stream.choice(lone)
    return [*made, Statement(subject, removed.predicate)]


def _pair(item: Item) -> list[tuple[str, dict[str, Any]]]:
    """(file, row) of the main and the contrast row of an item."""
    tier, tree = item.tier, item.tree
    stream = Stream(f"{tier.path}/{item.name}/rows")
    nodes = {node.statement: (layer, node) for layer, node in tree.nodes(tier.level)}
    leaves = [statement for statement, (_, node) in nodes.items() if node.rule == PREMISE]
    needed = (leaf for leaf in stream.shuffled(leaves) if not Deduction(p for p in leaves if p != leaf).derives(tree.statement))
    removed = next(needed)
    *added, replacing = distractors(stream, tree, removed, iter(item.spare), tier.level)
    premises = stream.shuffled([*leaves, *added])
    told = Deduction(premises, {statement: layer for statement, (layer, _) in nodes.items()}, tier.level)
    golden = [
        {
            "closure_depth": told.closure_depth(statement),
            "golden_depth": layer,
            "inputs": [str(below.statement) for below in node.inputs],
            "rule": node.rule,
            "statement": str(statement),
        }
        for statement, (layer, node) in sorted(nodes.items(), key=lambda entry: entry[1][0])
    ]
    contrast = [replacing if premise == removed else premise for premise in premises]
    return [
        (tier.files[MAIN], _row(item, MAIN, premises, told, added, golden=golden)),
        (
            tier.files[CONTRAST],
            _row(item, CONTRAST, contrast, Deduction(contrast), [*added, replacing], removed=str(removed)),
        ),
    ]


def _row(
    item: Item,
    config: str,
    premises: list[Statement],
    told: Deduction,
    added: list[Statement],
    golden: Sequence[dict[str, Any]] = (),
    removed: str = "",
) -> dict[str, Any]:
    """A row. ``told``: what ``premises`` tell; ``added``: the distractors among them."""
    conclusion, pair = item.tree.statement, f"{item.tier.prefix}-{item.name}"
    return {
        "answer": ANSWERS[config],
        "breadth": told.breadth,
        "canary": item.tier.canary,
        "conclusion": str(conclusion),
        "config": config,
        "distractors": [str(statement) for statement in added],
        "golden": list(golden),
        "id": f"{pair}-{config}",
        "level": item.tier.level,
        "minimal_breadth": len(golden),
        "pair": pair,
        "premise_count": len(premises),
        "premises": [str(statement) for statement in premises],
        "prompt": prompt(premises, conclusion),
        "removed": removed,
        "signature": item.signature,
        "vocabulary": vocabulary([*premises, conclusion]),
    }
