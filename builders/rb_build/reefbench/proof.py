"""Prove the rows of ReEfBench again, from their statements alone: golden solutions, distractors, and what does not follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rb_build.recipe import Recipe
from rb_build.reefbench.items import ANSWERS, CONFIGS, Tier, item_name, tiers, vocabulary
from rb_build.reefbench.prompt import prompt
from rb_build.reefbench.trees import Tree
from rb_verify.deduction import CE, CI, DI, MP, PREMISE, Deduction, countermodel, is_complete
from rb_verify.reefbench_report import CONTRAST, MAIN
from rb_verify.statements import AND, OR, SINGLE, Statement, read


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
        "vocabulary is not its names": row["vocabulary"] != vocabulary([*premises, conclusion]),
        "prompt is not that of its premises": row["prompt"] != prompt(premises, conclusion),
        "canary is not the recipe's": row["canary"] != tier.canary,
        "class semantics give more than the rules": not is_complete(premises),
        "a distractor may complete a proof": not all(map(_leads_nowhere(premises, conclusion), stray)),
        "a premise is removed from main, or none from contrast": bool(row["removed"]) != (config == CONTRAST),
        "a golden solution is missing, or not to be had": bool(row["golden"]) != (config == MAIN),
    }
    faults = [fault for fault, present in checks.items() if present]
    return faults or (_main_faults if config == MAIN else _contrast_faults)(row, premises, conclusion, stray)


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


def _main_faults(row: dict[str, Any], premises: list[Statement], conclusion: Statement, stray: set[Statement]) -> list[str]:
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
    elif layers.get(conclusion) != row["level"] or read(row["golden"][-1]["statement"]) != conclusion:
        faults.append("its golden solution does not end with the conclusion at the level")
    elif _tree(conclusion, steps, inputs).signature() != row["signature"]:
        faults.append("its signature is not that of its golden solution")
    if sorted(layers[p] for p in premises if p in layers) != [0] * (len(premises) - len(stray)):
        faults.append("a premise is neither golden nor a distractor")
    if faults:
        return faults
    told = Deduction(premises, layers, row["level"])
    for statement, step in steps.items():
        if told.layer(statement) != step["golden_depth"] or told.closure_depth(statement) != step["closure_depth"]:
            faults.append(f"golden {statement} has depths that the oracle does not give")
    if (row["breadth"], row["minimal_breadth"]) != (told.breadth, len(steps)):
        faults.append("its breadths are not those of the oracle")
    return faults


def _tree(root: Statement, steps: Mapping[Statement, dict[str, Any]], inputs: Mapping[Statement, list[Statement]]) -> Tree:
    return Tree(root, steps[root]["rule"], tuple(_tree(one, steps, inputs) for one in inputs[root]))


def _contrast_faults(row: dict[str, Any], premises: list[Statement], conclusion: Statement, stray: set[Statement]) -> list[str]:
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
