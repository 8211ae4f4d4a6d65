"""One line of the benchmarks' table: a piece of work done by us, by a peer, and its physical floor, in one run.

The floor is the least that anyone must do who does the work in Python: touch every item of what goes in or comes out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from measuring import interleaved, ratios, spread

OURS, FLOOR = "ours", "floor"
COLUMNS = ("work", "size", "ours", "ours / floor", "peer", "peer / ours", "peer / floor")


@dataclass(frozen=True)
class Comparison:
    """Seconds of each repeat. ``work``: what is done; ``size``: of what; ``peers``: by name, each on the same work."""

    work: str
    size: str
    ours: Sequence[float]
    floor: Sequence[float]
    peers: Mapping[str, Sequence[float]]

    def rows(self) -> list[list[str]]:
        """The lines of the table, one a peer; each cell the median, with the least and the greatest in brackets."""
        head = [self.work, self.size, duration(self.ours), spread(ratios(self.ours, self.floor), "x")]
        theirs = [
            [name, spread(ratios(some, self.ours), "x"), spread(ratios(some, self.floor), "x")]
            for name, some in self.peers.items()
        ]
        first, *others = theirs or [["-"] * 3]
        return [[*head, *first], *([*[""] * len(head), *other] for other in others)]


def compared(work: str, size: str, contenders: Mapping[str, Callable[[], object]], repeats: int) -> Comparison:
    """Time contenders, interleaved. ``contenders``: ``ours``, ``floor``, and peers by their names."""
    times = interleaved(contenders, repeats)
    return Comparison(work, size, times.pop(OURS), times.pop(FLOOR), times)


def duration(seconds: Sequence[float]) -> str:
    """The median time and its spread, in the unit that suits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if statistics.median(seconds) * factor >= 1:
            return spread([factor * each for each in seconds], f" {unit}")
    return spread([1e6 * each for each in seconds], " us")


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The least-squares slope of log time on log size: 1 is linear."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(each) for each in seconds]).slope


@dataclass(frozen=True)
class Growth:
    """How cost grows. ``sizes``: how much work; ``seconds``: the least of each; ``memory``: MB at the peak, if measured."""

    work: str
    unit: str
    sizes: Sequence[int]
    seconds: Sequence[float]
    memory: Sequence[float] = ()

    def row(self) -> list[str]:
        """The line of the table of growth."""
        told = " ".join(f"{size:,}" for size in self.sizes)
        peaks = " ".join(f"{each:.0f}" for each in self.memory) or "-"
        return [self.work, f"{told} {self.unit}", f"{exponent(self.sizes, self.seconds):.2f}", peaks]
