"""Seeded randomness that is the same everywhere: one stream for each unit of work, named by a readable path.

Python promises across versions only the sequence of ``random.Random.random()``, so every choice here is made from
that alone; ``shuffle``, ``sample`` and ``choices`` of the standard library are not used.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """The random stream of a path such as ``tracebench/1.0.0/SEED/d045/g03``."""

    def __init__(self, path: str) -> None:
        seed = int.from_bytes(hashlib.sha256(path.encode()).digest(), "big")
        self._random = random.Random(seed).random

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, uniform. ``n``: at least 1, far below 2^53."""
        return int(self._random() * n)

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``, uniform."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of ``items`` in a uniform order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """``k`` different places of ``items``, in a uniform order. Raises ValueError if there are fewer."""
        if k > len(items):
            raise ValueError(f"cannot draw {k} of {len(items)}")
        return self.shuffled(items)[:k]

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """One of ``items`` with probability in proportion to its whole, non-negative weight, not all 0."""
        point = self.below(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        raise ValueError("weights must not be negative")
