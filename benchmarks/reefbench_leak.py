"""How well a learner that cannot reason tells ReEfBench's main rows from their contrast rows, by counting names.

In a contrast row one premise is told of another subject. The learner sees how many names occur how often as a subject and
in predicates, the conclusion's names apart, and how often those occur. It is trained on four fifths of the pairs of a level
and asked about the others. Guessing recognises 50 % of rows and 25 % of pairs. Needs scikit-learn (``rb-verify[stats]``).
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
from measuring import FROZEN, require
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold, cross_val_predict

from rb_verify.statements import SINGLE, read

RELEASE = FROZEN["reefbench"]
LEVELS = range(3, 12)
PREDICATED, SUBJECT = 2, 3  # names that occur so often or more are counted together


def features(row: dict[str, Any]) -> list[int]:
    """What can be counted in the premises of a row."""
    premises, asked = [read(text) for text in row["premises"]], read(row["conclusion"])
    told = set(asked.predicate.parts)
    subjects = Counter(subject for subject, _ in premises)
    predicated = Counter(name for _, (_, parts) in premises for name in parts)
    alone = Counter(parts[0] for _, (joint, parts) in premises if joint == SINGLE)
    others = (subjects.keys() | predicated.keys()) - told - {asked.subject}
    degrees = Counter((min(predicated[name], PREDICATED), min(subjects[name], SUBJECT)) for name in others)
    return [
        len(premises),
        *(degrees[degree] for degree in product(range(PREDICATED + 1), range(SUBJECT + 1))),
        sum(alone[name] == 1 and not subjects[name] for name in predicated if name not in told),
        subjects[asked.subject],
        min(predicated[name] for name in told),
        sum(predicated[name] for name in told),
    ]


def told_apart(level: int) -> list[bool]:
    """Whether each main row of a level, and then each contrast row in the same order, is recognised."""
    files = [(RELEASE / "data" / f"{config}{level:02d}.jsonl").read_bytes().splitlines() for config in ("main", "contrast")]
    rows = [json.loads(line) for lines in files for line in lines]
    answers = np.array([row["answer"] for row in rows])
    learner = RandomForestClassifier(300, min_samples_leaf=3, random_state=0)
    pairs = [row["pair"] for row in rows]
    said = cross_val_predict(learner, np.array([features(row) for row in rows]), answers, groups=pairs, cv=GroupKFold(5))
    return [bool(right) for right in said == answers]


def main() -> None:
    """Print the share of rows that are recognised, and of pairs both rows of which are."""
    require(RELEASE)
    table = Table("level", "pairs", "rows recognised, %", "pairs recognised, %")
    totals = Counter[str]()
    for level in LEVELS:
        right = told_apart(level)
        pairs = len(right) // 2
        both = sum(one and other for one, other in zip(right[:pairs], right[pairs:], strict=True))
        totals += Counter(pairs=pairs, rows=sum(right), both=both)
        table.add_row(str(level), str(pairs), f"{50 * sum(right) / pairs:.1f}", f"{100 * both / pairs:.1f}")
    pairs = totals["pairs"]
    table.add_row("all", str(pairs), f"{50 * totals['rows'] / pairs:.1f}", f"{100 * totals['both'] / pairs:.1f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
