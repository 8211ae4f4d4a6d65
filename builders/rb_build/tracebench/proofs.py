"""Shortest proofs in the closure, and which facts are redundant.

A proof of a pair is a list of steps, each the exact relation set of one pair, that follows in one round from the facts
and the steps before it: it is the intersection, over some third events, of compositions through them (section 2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from rb_build.tracebench.graphs import Edge
from rb_verify.allen import UNIVERSAL, compose
from rb_verify.closure import Closure
from rb_verify.trace import Network, support

Pair = tuple[int, int]


@dataclass(frozen=True)
class ProofStep:
    """One step: the pair, the mask of its closure, and the fewest third events whose compositions give it."""

    pair: Pair
    mask: int
    via: tuple[int, ...]


def rounds(net: Network, wanted: Sequence[Pair]) -> dict[Pair, int]:
    """In which round each of the ``wanted`` pairs i < j follows, if a round has every step that follows from facts and
    earlier rounds. Pairs with a proof of one step follow in round 1.

    A few pairs never do: the closure determines them, but only by way of sets that are not yet exact, and a step must be
    exact. They have no proof. They are rare: none is among the 58,172 determined pairs of release 1.0.0 and three fresh splits.
    """
    known, n = list(net.known), net.n
    left = [
        (i, j) for i in range(n) for j in range(i + 1, n) if (i, j) not in net.pairs and net.closure[i * n + j] != UNIVERSAL
    ]
    found: dict[Pair, int] = {}
    for number in count(1):
        new = [(i, j) for i, j in left if support(known, n, i, j) == net.closure[i * n + j]]
        found |= dict.fromkeys(new, number)
        if not new or found.keys() >= set(wanted):
            return {pair: found[pair] for pair in wanted if pair in found}
        for i, j in new:
            known[i * n + j], known[j * n + i] = net.closure[i * n + j], net.closure[j * n + i]
        left = [pair for pair in left if pair not in found]
    raise AssertionError("unreachable: rounds end when nothing is left")


def shortest_proof(net: Network, i: int, j: int) -> list[ProofStep]:
    """A proof of (i, j) with the fewest steps, found by iterative deepening, so its length is exact.

    Raises ValueError if the pair has a fact, or no proof.
    """
    goal = (min(i, j), max(i, j))
    if not rounds(net, [goal]):
        raise ValueError(f"nothing proves ({i}, {j}), or it is a fact")
    for length in count(1):
        order = _Search(net, goal, length).extend(frozenset([goal]), frozenset())
        if order is not None:
            return _written(net, [*order[:-1], (i, j)])
    raise AssertionError("unreachable: all that follows in rounds has a proof")


class _Search:
    """The search for a set of at most ``length`` pairs, the goal among them, that proves itself from the facts.

    A pair that does not follow from the rest of the set is expanded: one of the sets that it demands is added. In a
    shortest proof every pair is demanded, directly or not, by the goal, so every shortest proof is reached.
    """

    def __init__(self, net: Network, goal: Pair, length: int) -> None:
        self.net, self.goal, self.length = net, goal, length
        self.visited: set[tuple[frozenset[Pair], frozenset[Pair]]] = set()
        self.demands: dict[Pair, list[frozenset[Pair]]] = {}

    def extend(self, pairs: frozenset[Pair], expanded: frozenset[Pair]) -> list[Pair] | None:
        """The pairs of a proof that holds ``pairs``, in an order in which each follows, the goal last; else None."""
        if (pairs, expanded) in self.visited:
            return None
        self.visited.add((pairs, expanded))
        order = _derivable(self.net, pairs)
        if len(order) == len(pairs):
            return [pair for pair in order if pair != self.goal] + [self.goal]
        stuck = sorted(pairs - expanded - set(order))
        choices = {
            pair: [more for demand in self._demands(pair) if len(more := pairs | demand) <= self.length] for pair in stuck
        }
        if not choices:
            return None
        pair = min(stuck, key=lambda stuck_pair: len(choices[stuck_pair]))
        for more in sorted(choices[pair], key=len):
            order_of_more = self.extend(more, expanded | {pair})
            if order_of_more is not None:
                return order_of_more
        return None

    def _demands(self, pair: Pair) -> list[frozenset[Pair]]:
        """The sets of pairs without facts that, known exactly, would make ``pair`` follow in one round."""
        if pair not in self.demands:
            found: list[frozenset[Pair]] = []
            for demand in sorted(map(frozenset, _demands(self.net, pair, self.length - 1)), key=len):
                if self.goal not in demand and not any(less <= demand for less in found):
                    found.append(demand)
            self.demands[pair] = found
        return self.demands[pair]


def _demands(net: Network, pair: Pair, most: int) -> Iterator[tuple[Pair, ...]]:
    """Each choice of third events that gives ``pair`` in one round, as the at most ``most`` pairs it demands."""
    i, j = pair
    n, truth = net.n, net.closure[i * net.n + j]
    free = UNIVERSAL
    costly: list[tuple[int, tuple[Pair, ...]]] = []
    for w in range(n):
        if w in pair:
            continue
        mask = compose(net.closure[i * n + w], net.closure[w * n + j])
        wanted = tuple((min(a, w), max(a, w)) for a in pair if (a, w) not in net.pairs)
        if mask == UNIVERSAL or len(wanted) > most:
            continue
        if wanted:
            costly.append((mask, wanted))
        else:
            free &= mask

    def extend(mask: int, start: int, chosen: tuple[Pair, ...]) -> Iterator[tuple[Pair, ...]]:
        if mask == truth:
            yield chosen
            return
        for place in range(start, len(costly)):
            through, wanted = costly[place]
            if mask & through != mask and len(chosen) + len(wanted) <= most:
                yield from extend(mask & through, place + 1, chosen + wanted)

    return extend(free, 0, ())


def _derivable(net: Network, pairs: Iterable[Pair]) -> list[Pair]:
    """As many of the pairs as follow, in an order in which each follows from facts and earlier ones."""
    known, n = list(net.known), net.n
    order: list[Pair] = []
    left = sorted(pairs)
    progress = True
    while progress:
        progress = False
        for pair in tuple(left):
            i, j = pair
            if support(known, n, i, j) == net.closure[i * n + j]:
                known[i * n + j], known[j * n + i] = net.closure[i * n + j], net.closure[j * n + i]
                order.append(pair)
                left.remove(pair)
                progress = True
    return order


def _written(net: Network, order: Sequence[Pair]) -> list[ProofStep]:
    known, n = list(net.known), net.n
    steps = []
    for i, j in order:
        truth = net.closure[i * n + j]
        steps.append(ProofStep((i, j), truth, _fewest_via(known, n, i, j, truth)))
        known[i * n + j], known[j * n + i] = truth, net.closure[j * n + i]
    return steps


def _fewest_via(known: Sequence[int], n: int, i: int, j: int, truth: int) -> tuple[int, ...]:
    """The fewest third events (then the first of them) whose compositions intersect to ``truth``."""
    through = {w: compose(known[i * n + w], known[w * n + j]) for w in range(n) if w not in (i, j)}
    useful = [w for w, mask in through.items() if mask != UNIVERSAL]
    level: list[tuple[int, tuple[int, ...]]] = [(UNIVERSAL, ())]
    while level:
        for mask, chosen in level:
            if mask == truth:
                return chosen
        level = [
            (mask & through[w], (*chosen, w))
            for mask, chosen in level
            for w in useful
            if (not chosen or w > chosen[-1]) and mask & through[w] != mask
        ]
    raise ValueError(f"({i}, {j}) does not follow in one round")


def redundant_facts(n: int, edges: Sequence[Edge]) -> int:
    """How many facts follow from all the other facts. Halves the set of facts left out, so m log m additions do."""

    def count_in(closure: Closure, some: Sequence[Edge]) -> int:
        if len(some) == 1:
            i, _, j = some[0]
            return int(closure.mask(i, j).bit_count() == 1)
        half = len(some) // 2
        total = 0
        for inside, outside in ((some[:half], some[half:]), (some[half:], some[:half])):
            with_others = closure.copy()
            for edge in outside:
                with_others.add_indexed(*edge)
            total += count_in(with_others, inside)
        return total

    return count_in(Closure([str(i) for i in range(n)]), edges)
