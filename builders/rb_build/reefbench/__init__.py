"""Build ReEfBench: pairs of a provable conclusion (main) and an unprovable one (contrast), and the proof of each row.

Implements the ReEfBench paper, section 3.1: a golden tree of exactly ``level`` layers, its leaves shuffled among as many
distractors as the level. All answers of the paper are True. In the contrast row of each pair one premise that the
conclusion needs is told of another subject, so that its answer is Unknown, and counting names tells little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Built, Map, Recipe
from rb_build.reefbench.names import names
from rb_build.reefbench.prompt import prompt
from rb_build.reefbench.trees import Tree, grow
from rb_build.streams import Stream
from rb_verify.deduction import CE, CI, DI, MP, PREMISE, Deduction, countermodel, is_complete
from rb_verify.reefbench import TRUE, UNKNOWN
from rb_verify.reefbench_report import CONTRAST, MAIN
from rb_verify.statements import AND, OR, SINGLE, Statement, predicate, read

CONFIGS = (MAIN, CONTRAST)
ANSWERS = {MAIN: TRUE, CONTRAST: UNKNOWN}
TRIES = 200  # trees drawn without a new structure before a level's pool counts as used up


@dataclass(frozen=True)
class Tier:
    """Items of one level. ``path``: the root of their streams; ``prefix``: of their row ids; ``files``: config to file."""

    level: int
    items: int
    files: Mapping[str, str]
    path: str
    prefix: str
    canary: str


@dataclass(frozen=True)
class Item:
    """A golden tree to make a pair of rows from. ``spare``: names that it does not use, in a drawn order."""

    tier: Tier
    index: int
    tree: Tree
    spare: tuple[str, ...]

    @property
    def name(self) -> str:
        """What streams and ids call it in its tier: ``i042``."""
        return item_name(self.index)


def item_name(index: int) -> str:
    """The name of a tier's item."""
    return f"i{index:03d}"


def tiers(recipe: Recipe) -> list[Tier]:
    """The tiers of a recipe, whose form schemas/reefbench.schema.json has checked. Raises UnusableRecipe."""
    path = f"{recipe.dataset}/{recipe.version}/{recipe.seed}"
    found = {}
    for given in recipe.params["tiers"]:
        name = given["name"]
        if name in found:
            raise UnusableRecipe(f"tier {name} is named twice; give each tier a name of its own")
        files = {config: given[config] for config in CONFIGS}
        found[name] = Tier(given["level"], given["items"], files, f"{path}/{name}", f"{recipe.prefix}-{name}", recipe.canary)
    if unwanted := {file for tier in found.values() for file in tier.files.values()} ^ recipe.files:
        raise UnusableRecipe(f"configs and tiers name different files ({', '.join(sorted(unwanted))}); make them agree")
    return list(found.values())


def build(recipe: Recipe, run: Map, taken: Collection[str] = ()) -> Built:
    """All rows of a recipe, by file. ``run``: an ordered map. ``taken``: signatures of trees that must not occur.

    Raises UnusableRecipe where a tier cannot be filled.
    """
    todo = tiers(recipe)
    files: dict[str, list[dict[str, Any]]] = {file: [] for tier in todo for file in tier.files.values()}
    grown = list(run(partial(_trees, frozenset(taken)), todo))
    for rows in run(_pair, [item for items in grown for item in items]):
        for file, row in rows:
            files[file].append(row)
    notes = {}
    for tier, items in zip(todo, grown, strict=True):
        signatures = [item.tree.signature() for item in items]
        notes[tier.path.rpartition("/")[2]] = {"distinct": len(set(signatures)), "signatures": signatures}
    return Built(files, notes)


def _trees(taken: Collection[str], tier: Tier) -> list[Item]:
    """The items of a tier: no structure twice, unless there are no others. Raises UnusableRecipe where all are taken."""
    made: list[Item] = []
    seen: set[str] = set()
    for index in range(tier.items):
        stream = Stream(f"{tier.path}/{item_name(index)}")
        repeat = None
        for _ in range(TRIES):
            fresh = iter(stream.shuffled(names()))
            try:
                tree = grow(stream, tier.level, fresh)
            except StopIteration:  # it needs more names than there are
                continue
            spare, mark = tuple(fresh), tree.signature()
            if mark in taken or len(spare) <= tier.level:
                continue
            item = Item(tier, index, tree, spare)
            if mark not in seen:
                break
            repeat = repeat or item
        else:
            if repeat is None:
                raise UnusableRecipe(f"{tier.path}: {TRIES} draws gave no structure that is not taken; leave the tier out")
            item = repeat
        made.append(item)
        seen.add(item.tree.signature())
    return made


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
    needed = (leaf for leaf in stream.shuffled(leaves) if not _derived(tree.statement, [p for p in leaves if p != leaf]))
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


def _derived(conclusion: Statement, premises: list[Statement]) -> bool:
    return Deduction(premises).derives(conclusion)


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
        "signature": item.tree.signature(),
        "vocabulary": _vocabulary([*premises, conclusion]),
    }


def _vocabulary(statements: Iterable[Statement]) -> list[str]:
    """All names, in the order in which the prompt has them."""
    return list(dict.fromkeys(name for subject, (_, parts) in statements for name in (subject, *parts)))


def prove(recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Prove every row of a file again, from its statements alone; what is wrong, a line each."""
    places = {
        f"{tier.prefix}-{item_name(index)}-{config}": (tier, config)
        for tier in tiers(recipe)
        for config in CONFIGS
        if tier.files[config] == file
        for index in range(tier.items)
    }
    return [f"{row['id']}: {fault}" for row in rows for fault in _faults(places.get(row["id"]), row)]


def _faults(place: tuple[Tier, str] | None, row: dict[str, Any]) -> list[str]:
    if place is None:
        return ["its file has no such row"]
    tier, config = place
    steps = [text for step in row["golden"] for text in (step["statement"], *step["inputs"])]
    texts = [*row["premises"], row["conclusion"], *row["distractors"], *steps, *([row["removed"]] if row["removed"] else [])]
    if wrong := next((text for text in texts if not _is_canonical(text)), None):
        return [f"{wrong!r} is no statement in canonical form"]
    premises, conclusion = [read(text) for text in row["premises"]], read(row["conclusion"])
    stray = {read(text) for text in row["distractors"]}
    checks = {
        "level is not its tier's": row["level"] != tier.level,
        "config is not that of its id": row["config"] != config,
        "pair is not that of its id": row["id"] != f"{row['pair']}-{config}",
        "answer is not its config's": row["answer"] != ANSWERS[config],
        "premises are not counted": row["premise_count"] != len(premises),
        "a distractor is no premise": not stray <= set(premises),
        "distractors are not as many as layers": len(stray) != tier.level + (config == CONTRAST),
        "vocabulary is not its names": row["vocabulary"] != _vocabulary([*premises, conclusion]),
        "prompt is not that of its premises": row["prompt"] != prompt(premises, conclusion),
        "canary is not the recipe's": row["canary"] != tier.canary,
        "class semantics give more than the rules": not is_complete(premises),
        "a distractor may complete a proof": not all(map(_leads_nowhere(premises, conclusion), stray)),
        "a premise is removed from main, or none from contrast": bool(row["removed"]) != (config == CONTRAST),
        "a golden solution is missing, or not to be had": bool(row["golden"]) != (config == MAIN),
    }
    faults = [fault for fault, present in checks.items() if present]
    return faults or (_main_faults if config == MAIN else _contrast_faults)(tier, row, premises, conclusion, stray)


def _is_canonical(text: str) -> bool:
    try:
        return str(read(text)) == text
    except ValueError:
        return False


def _leads_nowhere(premises: list[Statement], conclusion: Statement) -> Callable[[Statement], bool]:
    """What tells a distractor: nothing is its subject, or its predicate is a name of its own.

    Whatever a rule gives by its help is then about that subject, or has that name; all else is given without it, as soon.
    """
    predicated = Counter(name for _, (_, parts) in [*premises, conclusion] for name in parts)
    subjects = {subject for subject, _ in [*premises, conclusion]}

    def leads_nowhere(stray: Statement) -> bool:
        subject, (_, parts) = stray
        if len(parts) == 1 and predicated[parts[0]] == 1 and parts[0] not in subjects:
            return True
        return not predicated[subject] and subject != conclusion.subject

    return leads_nowhere


def _main_faults(
    tier: Tier, row: dict[str, Any], premises: list[Statement], conclusion: Statement, stray: set[Statement]
) -> list[str]:
    """What is wrong with a main row's golden solution: with its rules, as a tree, by the oracle, with distractors."""
    steps = {read(step["statement"]): step for step in row["golden"]}
    inputs = {statement: [read(text) for text in step["inputs"]] for statement, step in steps.items()}
    layers = {statement: step["golden_depth"] for statement, step in steps.items()}
    faults = []
    for statement, step in steps.items():
        if step["rule"] == PREMISE:
            if inputs[statement] or layers[statement] or statement not in premises or statement in stray:
                faults.append(f"golden {statement} is no premise at layer 0")
        elif not gives(step["rule"], inputs[statement], statement):
            faults.append(f"golden {statement} does not follow from its inputs by {step['rule']}")
        elif any(layers.get(one) != layers[statement] - 1 for one in inputs[statement]):
            faults.append(f"golden {statement} has inputs that are not one layer below")
    fed = [one for some in inputs.values() for one in some]
    if sorted(fed) != sorted(steps.keys() - {conclusion}) or len(steps) < len(row["golden"]):
        faults.append("its golden solution is no tree, or not of its conclusion")
    elif layers.get(conclusion) != tier.level or read(row["golden"][-1]["statement"]) != conclusion:
        faults.append("its golden solution does not end with the conclusion at the level")
    elif _tree(conclusion, steps, inputs).signature() != row["signature"]:
        faults.append("its signature is not that of its golden solution")
    if sorted(layers[p] for p in premises if p in layers) != [0] * (len(premises) - len(stray)):
        faults.append("a premise is neither golden nor a distractor")
    if faults:
        return faults
    told = Deduction(premises, layers, tier.level)
    for statement, step in steps.items():
        if told.layer(statement) != step["golden_depth"] or told.closure_depth(statement) != step["closure_depth"]:
            faults.append(f"golden {statement} has depths that the oracle does not give")
    if (row["breadth"], row["minimal_breadth"]) != (told.breadth, len(steps)):
        faults.append("its breadths are not those of the oracle")
    return faults


def _tree(root: Statement, steps: Mapping[Statement, dict[str, Any]], inputs: Mapping[Statement, list[Statement]]) -> Tree:
    return Tree(root, steps[root]["rule"], tuple(_tree(one, steps, inputs) for one in inputs[root]))


def _contrast_faults(
    tier: Tier, row: dict[str, Any], premises: list[Statement], conclusion: Statement, stray: set[Statement]
) -> list[str]:
    """What is wrong with a contrast row: its conclusion must not follow, and must once the removed premise is back."""
    told = Deduction(premises)
    restored = Deduction([*(p for p in premises if p not in stray), read(row["removed"])])
    checks = {
        "its conclusion follows": told.derives(conclusion) or countermodel(premises, conclusion) is None,
        "its removed premise is not needed": not restored.derives(conclusion),
        "its breadths are not the oracle's": (row["breadth"], row["minimal_breadth"]) != (told.breadth, 0),
    }
    return [fault for fault, present in checks.items() if present]


def gives(rule: str, inputs: list[Statement], result: Statement) -> bool:
    """Whether a rule of Table 6 gives ``result`` from ``inputs``, all of which it uses."""
    subject, (joint, parts) = result
    if rule == MP:
        if len(inputs) != 2 or inputs[0].subject != subject or inputs[0].predicate.joint != SINGLE:
            return False
        return inputs[1] == Statement(inputs[0].predicate.parts[0], result.predicate)
    if not inputs or any(one.subject != subject for one in inputs):
        return False
    names = {name for one in inputs for name in one.predicate.parts}
    joints = {one.predicate.joint for one in inputs}
    if rule == CI:
        return len(inputs) > 1 and joint == AND and names == set(parts) and OR not in joints
    if len(inputs) > 1:
        return False
    if rule == CE:
        return joint != OR and joints == {AND} and names > set(parts)
    return rule == DI and joint == OR and AND not in joints and names < set(parts)
