"""The peer that most people would write: path consistency over the 13 relations (Allen 1983, a queue of pairs).

Relation sets are bit masks over ``SYMBOLS``; the composition table is found by enumerating integer intervals, so
nothing here depends on ``rb_verify.closure``. Composition is looped over the members of both sets, as in a textbook;
``memoised=True`` gives the peer a cache of all compositions seen, which is the first thing one would speed up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import combinations, product

from rb_verify.allen import SYMBOLS, relation_of

Edge = tuple[int, str, int]
ALL = (1 << len(SYMBOLS)) - 1
BIT = {symbol: 1 << i for i, symbol in enumerate(SYMBOLS)}


@lru_cache(maxsize=1)
def tables() -> tuple[list[int], list[list[int]]]:
    """Converses and compositions of single relations, as masks, seen on all intervals over six integers."""
    intervals = list(combinations(range(6), 2))  # three intervals have at most six different ends
    place = {symbol: i for i, symbol in enumerate(SYMBOLS)}
    seen = {(x, y): place[relation_of(x, y)] for x, y in product(intervals, repeat=2)}
    converses = [0] * 13
    compositions = [[0] * 13 for _ in SYMBOLS]
    for x, y in product(intervals, repeat=2):
        converses[seen[x, y]] |= 1 << seen[y, x]
        for z in intervals:
            compositions[seen[x, y]][seen[y, z]] |= 1 << seen[x, z]
    return converses, compositions


def converse(mask: int) -> int:
    """The converses of every relation in a mask."""
    converses, _ = tables()
    return sum(converses[r] for r in range(13) if mask >> r & 1)


def compose(first: int, second: int) -> int:
    """The union of the compositions of every relation of ``first`` with every one of ``second``."""
    _, compositions = tables()
    result = 0
    for r in range(13):
        if first >> r & 1:
            row = compositions[r]
            for s in range(13):
                if second >> s & 1:
                    result |= row[s]
    return result


_compose_memoised = lru_cache(maxsize=None)(compose)
_converse_memoised = lru_cache(maxsize=None)(converse)


def path_consistency(n: int, edges: Iterable[Edge], memoised: bool = False) -> list[list[int]] | None:
    """The masks of all ordered pairs of ``n`` events at the fixed point; None if some pair is left without a relation.

    ``edges``: (from, symbol, to).
    """
    composed: Callable[[int, int], int] = _compose_memoised if memoised else compose
    turned: Callable[[int], int] = _converse_memoised if memoised else converse
    masks = [[BIT["E"] if i == j else ALL for j in range(n)] for i in range(n)]
    queue: deque[tuple[int, int]] = deque()
    queued: set[tuple[int, int]] = set()

    def narrow(i: int, j: int, allowed: int) -> bool:
        """Keep of pair (i, j) only what is allowed, and queue it if that is less. False if nothing is left."""
        mask = masks[i][j] & allowed
        if mask != masks[i][j]:
            masks[i][j], masks[j][i] = mask, turned(mask)
            pair = min(i, j), max(i, j)
            if pair not in queued:
                queued.add(pair)
                queue.append(pair)
        return mask != 0

    for i, symbol, j in edges:
        if not narrow(i, j, BIT[symbol]):
            return None
    while queue:
        i, j = queue.popleft()
        queued.remove((i, j))
        for k in range(n):
            if k in (i, j):
                continue
            if not narrow(i, k, composed(masks[i][j], masks[j][k])) or not narrow(k, j, composed(masks[k][i], masks[i][j])):
                return None
    return masks
