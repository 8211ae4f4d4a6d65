"""Other people's packages that do some of the same work, each where it is installed: ``pip install`` what PACKAGES names.

The tasks are not equal. A question of reasoning-core is one pair of a random scenario, with its relation; a question of
TRACEBench comes with the shortest proof and a fact on half of all pairs that no scenario has chosen. reasoning-gym's knights
and knaves is the puzzle of deduction there whose answer a solver checks. The scorers of both compare an answer's text with the
gold one; ours reads a whole response and judges its steps or witness.
"""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rb_verify.allen import EQUALS, INDEX, SIGNS

PACKAGES = ("python-sat", "reasoning-core==0.5.0", "reasoning-gym==0.1.25")
SYMBOL_OF = {sign: symbol for symbol, sign in SIGNS.items()}


def absent() -> list[str]:
    """The packages that are not installed, by the names that pip knows."""
    found = (solver(), reasoning_core(), reasoning_gym())
    return [package for package, peer in zip(PACKAGES, found, strict=True) if peer is None]


@cache
def solver() -> Callable[..., Any] | None:
    """python-sat's class of solvers."""
    return None if (module := _module("pysat.solvers")) is None else module.Solver


@dataclass(frozen=True)
class ReasoningCore:
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

    def close(self, n: int, networks: Sequence[Sequence[tuple[str, str, str]]]) -> list[list[int]]:
        """What its path consistency leaves to all pairs of each network, as our masks. Its relations are our sign vectors."""
        return [self._masks(n, facts) for facts in networks]

    def _masks(self, n: int, facts: Sequence[tuple[str, str, str]]) -> list[int]:
        given = {(int(u), int(v)): frozenset([SIGNS[r]]) for u, r, v in facts}
        left = self.module.closure(self.module.ALLEN_CALC, n, given)
        masks = [EQUALS] * (n * n)
        for (i, j), signs in left.items():
            masks[i * n + j] = sum(1 << INDEX[SYMBOL_OF[sign]] for sign in signs)
        return masks

    def judge(self, entries: Sequence[Any]) -> None:
        """Score the gold answers of questions."""
        assert all(self.task.score_answer(entry.answer, entry) for entry in entries)


@cache
def reasoning_core() -> ReasoningCore | None:
    """reasoning-core's Allen task; None where it is not installed."""
    if (module := _module("reasoning_core.tasks.qstr")) is None:
        return None
    warnings.filterwarnings("ignore", module="reasoning_core")  # without its tokenizer it counts words: of no matter here
    task = module.QualitativeReasoning(module.QualitativeReasoningConfig(ordinal_prob=0.0))
    task.registry = {"allen_time": task.registry["allen_time"]}
    return ReasoningCore(module, task)


@dataclass(frozen=True)
class ReasoningGym:
    """reasoning-gym: its module, asked for knights and knaves."""

    module: Any

    def entries(self, number: int, seed: int) -> list[tuple[Any, dict[str, Any]]]:
        """So many puzzles, each with the set that it is of."""
        puzzles = self.module.create_dataset("knights_knaves", size=number, seed=seed)
        return [(puzzles, puzzles[place]) for place in range(number)]

    def judge(self, entries: Sequence[tuple[Any, dict[str, Any]]]) -> None:
        """Score the gold answers of puzzles."""
        assert all(puzzles.score_answer(entry["answer"], entry) == 1 for puzzles, entry in entries)


@cache
def reasoning_gym() -> ReasoningGym | None:
    """reasoning-gym; None where it is not installed."""
    return None if (module := _module("reasoning_gym")) is None else ReasoningGym(module)


def _module(name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without its tokenizer one of them counts words, which matters to nothing here
            return importlib.import_module(name)
    except ImportError:
        return None
