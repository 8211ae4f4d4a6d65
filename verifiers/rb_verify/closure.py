"""The temporal oracle: what a set of basic Allen facts implies, exactly.

Each premise is a basic relation (TRACE paper, section 3.2.1), that is a conjunction of ``<`` and ``=`` between
endpoints. Networks of ``<`` and ``<=`` without disequality are convex, so their transitive closure is minimal and
globally consistent: any four endpoints that satisfy it extend to a full timeline. Hence the relations still
possible between two events are read off their four endpoint pairs, with no search. The order is kept as integer
bit rows over the 2n endpoints and stays closed under each added fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rb_verify.allen import EQUALS, SIGNS, SYMBOLS, UNIVERSAL, converse, converse_mask, symbols_of

if TYPE_CHECKING:
    import networkx

# A relation as the fewest endpoint constraints that imply the rest. Points: 0 Xs, 1 Xe, 2 Ys, 3 Ye; (strict, p, q)
# is p < q, or p = q where not strict.
Atom = tuple[bool, int, int]
_ATOMS: dict[str, tuple[Atom, ...]] = {
    "B": ((True, 1, 2),),
    "M": ((False, 1, 2),),
    "O": ((True, 0, 2), (True, 2, 1), (True, 1, 3)),
    "S": ((False, 0, 2), (True, 1, 3)),
    "D": ((True, 2, 0), (True, 1, 3)),
    "F": ((False, 1, 3), (True, 2, 0)),
    "E": ((False, 0, 2), (False, 1, 3)),
}
_SWAP = (2, 3, 0, 1)
ATOMS: dict[str, tuple[Atom, ...]] = {
    symbol: _ATOMS[symbol]
    if symbol in _ATOMS
    else tuple((strict, _SWAP[p], _SWAP[q]) for strict, p, q in _ATOMS[converse(symbol)])
    for symbol in SYMBOLS
}

# _WITH_SIGNS[k][signs]: the relations whose k-th endpoint pair has a sign in the 3-bit set (1 less, 2 equal, 4 greater).
_WITH_SIGNS = tuple(
    tuple(sum(1 << i for i, s in enumerate(SYMBOLS) if signs >> (SIGNS[s][k] + 1) & 1) for signs in range(8)) for k in range(4)
)

# What ``masks`` has learnt: the mask that belongs to one state of four endpoint pairs. There are few such states.
_MASK_OF_CODE: dict[int, int] = {}


def _bits(row: int) -> list[int]:
    found = []
    while row:
        low = row & -row
        found.append(low.bit_length() - 1)
        row ^= low
    return found


class Closure:
    """The closure of facts over named events; facts may be added one by one.

    ``events``: distinct names. ``facts``: (from, symbol, to) triples. Raises ValueError if they contradict each
    other, KeyError for an unknown event or symbol. Events are indexed by their place in ``events``.
    """

    __slots__ = ("_at_least", "_at_most", "_below", "events", "index")

    def __init__(self, events: Sequence[str], facts: Iterable[tuple[str, str, str]] = ()) -> None:
        self.events = tuple(events)
        self.index = {event: i for i, event in enumerate(self.events)}
        points = 2 * len(self.events)
        self._at_most = [1 << p for p in range(points)]  # row p, bit q: p <= q
        self._at_least = [1 << p for p in range(points)]  # row p, bit q: p >= q
        self._below = [0] * points  # row p, bit q: p < q
        for start in range(0, points, 2):
            self._put_below(start, start + 1)
        for u, symbol, v in facts:
            if not self.add(u, symbol, v):
                raise ValueError(f"{u} {symbol} {v} contradicts the facts before it")

    def copy(self) -> Closure:
        """An independent copy, in time linear in the number of endpoints."""
        other = Closure.__new__(Closure)
        other.events, other.index = self.events, self.index
        other._at_most, other._at_least, other._below = self._at_most[:], self._at_least[:], self._below[:]
        return other

    def add(self, u: str, symbol: str, v: str) -> bool:
        """Add ``u symbol v``. False, and nothing changed, if that contradicts what is known."""
        return self.add_indexed(self.index[u], symbol, self.index[v])

    def add_indexed(self, i: int, symbol: str, j: int) -> bool:
        """``add`` on event indices."""
        if not self.allows(i, symbol, j):
            return False
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        for strict, p, q in ATOMS[symbol]:
            if strict:
                self._put_below(points[p], points[q])
            else:
                self._put_at_most(points[p], points[q])
                self._put_at_most(points[q], points[p])
        return True

    def allows(self, i: int, symbol: str, j: int) -> bool:
        """Whether ``symbol`` is still possible from event ``i`` to event ``j``: exact, and without propagation."""
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        for strict, a, b in ATOMS[symbol]:
            p, q = points[a], points[b]
            if strict:
                if self._at_most[q] >> p & 1:
                    return False
            elif (self._below[p] >> q | self._below[q] >> p) & 1:
                return False
        return True

    def mask(self, i: int, j: int) -> int:
        """The mask of relations possible from event ``i`` to event ``j``."""
        at_most, below = self._at_most, self._below
        result, k = UNIVERSAL, 0
        for p in (2 * i, 2 * i + 1):
            for q in (2 * j, 2 * j + 1):
                signs = 0
                if not at_most[q] >> p & 1:
                    signs |= 1
                if not (below[p] >> q | below[q] >> p) & 1:
                    signs |= 2
                if not at_most[p] >> q & 1:
                    signs |= 4
                result &= _WITH_SIGNS[k][signs]
                k += 1
        return result

    def masks(self) -> list[int]:
        """All masks, row by row: entry ``i * n + j`` is ``mask(i, j)``."""
        n = len(self.events)
        table = [EQUALS] * (n * n)
        for i in range(n):
            start, end = 2 * i, 2 * i + 1
            rows = [rows[point] for rows in (self._at_most, self._at_least, self._below) for point in (start, end)]
            a, b, c, d, e, f = rows
            for j in range(i + 1, n):
                # What the six rows, and the two of the other event, say of the four endpoint pairs, as one number.
                x = 2 * j
                code = (a >> x & 3) << 14 | (b >> x & 3) << 12 | (c >> x & 3) << 10 | (d >> x & 3) << 8
                code |= (e >> x & 3) << 6 | (f >> x & 3) << 4
                code |= (self._below[x] >> start & 3) << 2 | self._below[x + 1] >> start & 3
                mask = _MASK_OF_CODE.get(code)
                if mask is None:
                    mask = _MASK_OF_CODE[code] = self.mask(i, j)
                table[i * n + j] = mask
                table[j * n + i] = converse_mask(mask)
        return table

    def relations(self, u: str, v: str) -> frozenset[str]:
        """The symbols of the relations that ``u`` may have to ``v`` (R_valid of the paper, section 3.4)."""
        return frozenset(symbols_of(self.mask(self.index[u], self.index[v])))

    def to_networkx(self) -> networkx.DiGraph[str]:
        """The closure as a networkx DiGraph: an edge each ordered pair, its ``relations`` a frozenset of symbols.

        Needs networkx, which rb-verify installs with its [graph] extra.
        """
        import networkx

        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(self.events)
        for u in self.events:
            for v in self.events:
                if u != v:
                    graph.add_edge(u, v, relations=self.relations(u, v))
        return graph

    def _put_below(self, p: int, q: int) -> None:
        """Record p < q, which must be possible: everything at or below p is then below everything at or above q."""
        if self._below[p] >> q & 1:
            return
        up, down = self._at_most[q], self._at_least[p]
        for a in _bits(down):
            self._at_most[a] |= up
            self._below[a] |= up
        for b in _bits(up):
            self._at_least[b] |= down

    def _put_at_most(self, p: int, q: int) -> None:
        """Record p <= q, which must be possible."""
        if self._at_most[p] >> q & 1:
            return
        up, above, down = self._at_most[q], self._below[q], self._at_least[p]
        for a in _bits(down):
            strict = self._below[a] >> p & 1
            self._at_most[a] |= up
            self._below[a] |= up if strict else above
        for b in _bits(up):
            self._at_least[b] |= down
