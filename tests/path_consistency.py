"""An independent oracle: path consistency over all 13 relations, with a table enumerated from integer intervals.

It shares nothing with ``rb_verify.closure``: relations here are read off integer endpoints, compositions by trying
every three intervals of six points.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, product

SYMBOLS = ("B", "BI", "M", "MI", "O", "OI", "S", "SI", "D", "DI", "F", "FI", "E")
ALL = (1 << 13) - 1
Interval = tuple[int, int]


def holds(x: Interval, y: Interval) -> str:
    """The relation of x to y, by the words of the paper's Table 2."""
    (xs, xe), (ys, ye) = x, y
    if xs == ys and xe == ye:
        return "E"
    if xe < ys:
        return "B"
    if ye < xs:
        return "BI"
    if xe == ys:
        return "M"
    if ye == xs:
        return "MI"
    if xs == ys:
        return "S" if xe < ye else "SI"
    if xe == ye:
        return "F" if xs > ys else "FI"
    if ys < xs and xe < ye:
        return "D"
    if xs < ys and ye < xe:
        return "DI"
    return "O" if xs < ys else "OI"


@lru_cache(maxsize=1)
def table() -> dict[tuple[int, int], int]:
    """The composition of each two relations, as a mask, by enumeration of three intervals over six points."""
    intervals = list(combinations(range(6), 2))
    result: dict[tuple[int, int], int] = {}
    for x, y, z in product(intervals, repeat=3):
        cell = SYMBOLS.index(holds(x, y)), SYMBOLS.index(holds(y, z))
        result[cell] = result.get(cell, 0) | 1 << SYMBOLS.index(holds(x, z))
    return result


@cache
def composed(first: int, second: int) -> int:
    """The composition of two sets."""
    cells = product([r for r in range(13) if first >> r & 1], [s for s in range(13) if second >> s & 1])
    result = 0
    for cell in cells:
        result |= table()[cell]
    return result


@cache
def inverse(mask: int) -> int:
    """The converse of a set: what y may be to x."""
    swapped = 0
    for x, y in product(combinations(range(4), 2), repeat=2):
        if mask >> SYMBOLS.index(holds(x, y)) & 1:
            swapped |= 1 << SYMBOLS.index(holds(y, x))
    return swapped


def propagate(n: int, edges: Sequence[tuple[int, str, int]]) -> list[list[int]] | None:
    """The path-consistent network of basic facts, n x n masks; None if it is empty somewhere."""
    net = [[1 << 12 if i == j else ALL for j in range(n)] for i in range(n)]
    for i, symbol, j in edges:
        net[i][j] &= 1 << SYMBOLS.index(symbol)
        net[j][i] = inverse(net[i][j])
    changed = True
    while changed:
        changed = False
        for k, i, j in product(range(n), repeat=3):
            narrowed = net[i][j] & composed(net[i][k], net[k][j])
            if narrowed != net[i][j]:
                if not narrowed:
                    return None
                net[i][j], net[j][i], changed = narrowed, inverse(narrowed), True
    return net
