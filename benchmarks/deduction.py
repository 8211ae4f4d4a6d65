"""rb_verify.deduction beside the depth-first search of the ReEfBench paper (appendix A.5, algorithm 2).

Both are given random golden trees with their distractors. The oracle finds both depths of every statement; its seconds
include making it. The search has a visited set, a limit of depth and one of seconds a statement, and only says whether a
statement follows. It is asked a seeded sample of the statements of the universe, half of which follow. Running out of
time counts as no, as in the paper, and is shown apart.
"""

from __future__ import annotations

import random
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from measuring import interleaved, ratios, spread
from rich.console import Console
from rich.table import Table

from rb_verify.deduction import Deduction
from rb_verify.statements import Statement, predicate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from naive_deduction import Search, TimedOut, Tree, names_of, proved, random_tree, search

LEVELS = (5, 7, 9, 11)


def statements(tree: Tree, seed: int) -> tuple[list[Statement], list[Statement]]:
    """All statements of the universe that follow, and as many that do not, as far as there are so many."""
    deduction = Deduction(tree.premises, tree.golden, tree.level)
    names = sorted(names_of([*tree.premises, *tree.golden]))
    predicates = sorted({predicate((name,)) for name in names} | {one.predicate for one in [*tree.premises, *tree.golden]})
    follow = deduction.statements()
    others = [one for name in names for stated in predicates if not deduction.derives(one := Statement(name, stated))]
    return follow, random.Random(seed).sample(others, min(len(follow), len(others)))


def by_oracle(tree: Tree, asked: list[Statement]) -> list[tuple[int | None, int | None]]:
    """Both depths of all statements, the oracle made anew."""
    deduction = Deduction(tree.premises, tree.golden, tree.level)
    return [(deduction.closure_depth(one), deduction.layer(one)) for one in asked]


def make(tree: Tree) -> int | None:
    """Make the oracle and find all its rounds."""
    deduction = Deduction(tree.premises, tree.golden, tree.level)
    deduction.closure_depth(tree.conclusion)
    return deduction.layer(tree.conclusion)


def by_search(given: Search, asked: list[Statement]) -> tuple[list[bool | None], float]:
    """What the search says of statements, None where its time is out, and its seconds."""
    said: list[bool | None] = []
    start = perf_counter()
    for one in asked:
        try:
            said.append(proved(one, given) is not None)
        except TimedOut:
            said.append(None)
    return said, perf_counter() - start


def main(
    trees: Annotated[int, typer.Option(min=1, help="Trees of each level.")] = 5,
    sample: Annotated[
        int, typer.Option(min=2, help="Statements of each tree that the search is asked, half of which follow.")
    ] = 60,
    seconds: Annotated[float, typer.Option(help="The search's limit for a statement.")] = 0.05,
    repeats: Annotated[int, typer.Option(min=1, help="Times that the oracle is asked.")] = 5,
) -> None:
    """Compare the oracle with the search. Each cell with brackets: median (least-greatest) over the trees."""
    console = Console(width=160)
    costs = Table(
        "level",
        "premises",
        "statements",
        "both depths, ms",
        "oracle, us each",
        "search, us each",
        "search / oracle",
    )
    faults = Table(
        "level", "asked that follow", "said no", "of these out of time", "asked that do not", "said yes", "out of time"
    )
    for level in LEVELS:
        rows: dict[str, list[float]] = {"premises": [], "statements": [], "made": [], "oracle": [], "search": []}
        missed = missed_late = claimed = late = positives = negatives = 0
        for seed in range(trees):
            tree = random_tree(level, seed, distractors=True)
            follow, others = statements(tree, seed)
            asked = [*follow, *others]
            draw = random.Random(f"{level}/{seed}")
            some = [draw.sample(part, min(sample // 2, len(part))) for part in (follow, others)]
            limited = search(tree.premises, 2 * level, seconds)
            said, took = by_search(limited, list(chain(*some)))
            yes, no = said[: len(some[0])], said[len(some[0]) :]
            positives, negatives = positives + len(yes), negatives + len(no)
            missed += sum(not one for one in yes)
            missed_late += yes.count(None)
            claimed += no.count(True)
            late += no.count(None)
            times = interleaved({"oracle": partial(by_oracle, tree, asked), "made": partial(make, tree)}, repeats)
            rows["premises"].append(len(tree.premises))
            rows["statements"].append(len(asked))
            rows["made"].append(1e3 * min(times["made"]))
            rows["oracle"].append(1e6 * min(times["oracle"]) / len(asked))
            rows["search"].append(1e6 * took / len(said))
        assert not claimed, "the search claims what does not follow"
        costs.add_row(
            str(level), *(spread(some) for some in rows.values()), spread(ratios(rows["search"], rows["oracle"]), "x")
        )
        faults.add_row(str(level), *map(str, (positives, missed, missed_late, negatives, claimed, late)))
    console.print(costs)
    console.print(
        f"Search: up to {seconds} s a statement and 2 x level steps deep; {sample} statements a tree, {trees} trees a level."
    )
    console.print(faults)


if __name__ == "__main__":
    typer.run(main)
