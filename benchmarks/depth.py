"""``rb_verify.deduction`` beside the depth-first search of the ReEfBench paper (appendix A.5, algorithm 2).

Both are given random golden trees with their distractors. The oracle, made anew, finds both exact depths of every statement
that follows and of as many that do not. The search has a visited set, a limit of depth and one of seconds a statement, and
only says whether a statement follows; it is asked a seeded sample. Running out of time counts as no, as in the paper. It must
not claim what does not follow; how much of what follows it misses is told beside its name.

Floor: each statement looked at once. All is seconds a statement.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

from comparison import FLOOR, OURS, Comparison
from measuring import interleaved

from rb_verify.deduction import Deduction
from rb_verify.statements import Statement, predicate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from naive_deduction import Search, TimedOut, Tree, names_of, proved, random_tree, search

LEVELS = (5, 7, 9, 11)
SAMPLE = 30  # statements that follow which the search is asked of a tree, and as many that do not
SECONDS = 0.05  # the search's limit for a statement


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


def looked_at(asked: list[Statement]) -> dict[Statement, None]:
    """The floor."""
    return dict.fromkeys(asked)


def by_search(given: Search, asked: list[Statement]) -> tuple[int, float]:
    """How many statements the search proves, and its seconds."""
    start, found = perf_counter(), 0
    for one in asked:
        try:
            found += proved(one, given) is not None
        except TimedOut:
            continue
    return found, perf_counter() - start


def comparisons(repeats: int) -> Iterator[Comparison]:
    """Trees of each level, one a repeat."""
    for level in LEVELS:
        ours, floor, theirs = [], [], []
        asked_of, found = 0, 0
        for seed in range(repeats):
            tree = random_tree(level, seed, distractors=True)
            follow, others = statements(tree, seed)
            draw = random.Random(f"{level}/{seed}")
            some, none = (draw.sample(part, min(SAMPLE, len(part))) for part in (follow, others))
            limited = search(tree.premises, 2 * level, SECONDS)
            (right, one), (claimed, other) = by_search(limited, some), by_search(limited, none)
            assert not claimed, "the search claims what does not follow"
            asked_of, found = asked_of + len(some), found + right
            asked = [*follow, *others]
            times = interleaved({OURS: partial(by_oracle, tree, asked), FLOOR: partial(looked_at, asked)}, 3)
            ours.append(min(times[OURS]) / len(asked))
            floor.append(min(times[FLOOR]) / len(asked))
            theirs.append((one + other) / (len(some) + len(none)))
        name = f"the paper's search, misses {asked_of - found} of {asked_of}"
        yield Comparison("exact depths of a statement", f"level {level}", ours, floor, {name: theirs})
