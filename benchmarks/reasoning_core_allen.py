"""The Allen task of reasoning-core 0.5.0 beside TRACEBench, at 5, 8 and 11 events. Needs ``pip install reasoning-core``.

Three things are compared: questions made a second, closures of the same networks, and answers scored a second. The
tasks are not equal. A question of reasoning-core is one pair of a random scenario, with its relation; a question of
ours comes with the shortest proof, the redundancy of its facts, and a fact on half of all pairs that no scenario has
chosen. Their scorer compares an extracted answer with the gold one; ours reads the response and judges its trace.
"""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import count
from statistics import mean
from typing import Annotated, Any

import typer
from closure import MODEL, Facts, dense, graph, tier
from measuring import interleaved, ratios, spread
from rich.console import Console
from rich.table import Table

from rb_build.streams import Stream
from rb_build.tracebench import tasks
from rb_verify import Closure, score
from rb_verify.allen import SIGNS, symbols_of
from rb_verify.tracebench import perfect

QUESTIONS = 5  # a graph, as in a release
EVENTS = (5, 8, 11)


@dataclass(frozen=True)
class Peer:
    """reasoning-core: the module of its Allen task, and the task, which asks of nothing but intervals of time."""

    module: Any
    task: Any

    def entries(self, n: int, number: int, seed: int) -> list[Any]:
        """So many questions over ``n`` events, with their prompts."""
        random.seed(seed)
        self.task.config.n_entities = n
        made = [self.task.generate_entry() for _ in range(number)]
        for entry in made:
            entry.prompt = self.task.render_prompt(entry.metadata)
        return made

    def close(self, n: int, networks: Sequence[Facts]) -> list[Any]:
        """What its path consistency leaves to each pair of each network. Its relations are our sign vectors."""
        return [
            self.module.closure(self.module.ALLEN_CALC, n, {(int(u), int(v)): frozenset([SIGNS[r]]) for u, r, v in facts})
            for facts in networks
        ]

    def judge(self, entries: Sequence[Any]) -> None:
        """Score the gold answers of questions."""
        assert all(self.task.score_answer(entry.answer, entry) for entry in entries)


def load() -> Peer:
    """Import reasoning-core, or end with one sentence on how to install it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without its tokenizer it counts words, which matters to nothing here
            module = importlib.import_module("reasoning_core.tasks.qstr")
            task = module.QualitativeReasoning(module.QualitativeReasoningConfig(ordinal_prob=0.0))
    except ImportError as error:
        sys.exit(f"this benchmark needs reasoning-core ({error}); run pip install reasoning-core==0.5.0")
    task.registry = {"allen_time": task.registry["allen_time"]}
    return Peer(module, task)


def rows(n: int, number: int, seed: int) -> list[dict[str, Any]]:
    """So many rows of ours over ``n`` events."""
    made: list[dict[str, Any]] = []
    for index in range(number // QUESTIONS):
        stream = Stream(f"benchmarks/reasoning_core_allen/{n}/{seed}/{index}")
        found = graph(stream, n)
        asked = tasks.asks(stream, tier(n), 0, found)
        name = f"tracebench-1-0-0-bench-g{index}"
        made += tasks.rows(stream, tier(n), MODEL.alpha, name, "canary", found, asked, tasks.pool_of([asked]))
    return made


def close(n: int, networks: Sequence[Facts]) -> list[list[int]]:
    """The masks of all pairs of each network, by our closure."""
    names = [str(i) for i in range(n)]
    return [Closure(names, facts).masks() for facts in networks]


def judge(responses: Sequence[tuple[dict[str, Any], str]]) -> None:
    """Score responses to rows of ours, all of which are right."""
    assert all(score(row, response).score for row, response in responses)


def anew(make: Callable[[int], object], seeds: Iterator[int]) -> object:
    """Make something from the next seed, so that no repeat finds the work of an earlier one in a cache."""
    return make(next(seeds))


def check(peer: Peer, n: int, networks: Sequence[Facts]) -> None:
    """Both closures must leave the same relations to every pair."""
    for masks, theirs in zip(close(n, networks), peer.close(n, networks), strict=True):
        for (i, j), left in theirs.items():
            assert left == {SIGNS[symbol] for symbol in symbols_of(masks[i * n + j])}, "the closures disagree"


def compare(table: Table, what: str, n: int, number: int, contenders: Mapping[str, Callable[[], object]], repeats: int) -> None:
    """Time ours and theirs, each doing ``number`` of something, and add the table's row."""
    times = interleaved(contenders, repeats)
    rates = [spread([number / taken for taken in times[name]]) for name in ("ours", "theirs")]
    table.add_row(what, str(n), *rates, spread(ratios(times["theirs"], times["ours"]), "x"))


def main(
    number: Annotated[int, typer.Option("--questions", min=QUESTIONS, help="Questions of each size.")] = 50,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 5,
) -> None:
    """Compare with reasoning-core. Each cell: median (least-greatest) over the repeats; above 1x ours is faster."""
    peer = load()
    number -= number % QUESTIONS
    console = Console(width=140)
    console.print(f"reasoning-core {version('reasoning-core')}")
    table = Table("a second", "events", "ours", "theirs", "time of theirs / ours")
    for n in EVENTS:
        made = {
            "ours": partial(anew, partial(rows, n, number), count(1)),
            "theirs": partial(anew, partial(peer.entries, n, number), count(1)),
        }
        compare(table, "questions made", n, number, made, repeats)
    for n in EVENTS:
        networks = [[(str(i), r, str(j)) for i, r, j in dense(n, seed)] for seed in range(number // QUESTIONS)]
        check(peer, n, networks)
        closed = {"ours": partial(close, n, networks), "theirs": partial(peer.close, n, networks)}
        compare(table, "networks closed", n, len(networks), closed, repeats)
    for n in EVENTS:
        ours, theirs = rows(n, number, 1), peer.entries(n, number, 1)
        facts = mean(len(row["facts"]) for row in ours), mean(len(entry.metadata.revealed) for entry in theirs)
        console.print(f"{n} events: {facts[0]:.1f} facts a question of ours, {facts[1]:.1f} of theirs")
        scored = {
            "ours": partial(judge, [(row, perfect(row)) for row in ours]),
            "theirs": partial(peer.judge, theirs),
        }
        compare(table, "answers scored", n, number, scored, repeats)
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
