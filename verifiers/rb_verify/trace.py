"""Judge a trace: each step against the closure of the row's facts (TRACE paper, section 3.4, equation 14).

A step is exact iff the relations it names are those that the facts leave possible, no more and no fewer. Beyond the
paper, an exact step is *supported* if it follows in one round from the facts and the exact steps before it, and
*restated* if its pair has a fact of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from rb_verify.allen import EQUALS, INDEX, UNIVERSAL, compose, converse_mask, parse_relations, symbols_of
from rb_verify.closure import Closure
from rb_verify.objects import Object


@dataclass(frozen=True)
class Network:
    """A row's facts as the scorer needs them. ``closure`` and ``known``: n x n masks, row by row; ``known`` holds the
    facts and their converses, UNIVERSAL where nothing is given. ``pairs``: index pairs (both ways) with a fact."""

    names: dict[str, int]
    n: int
    closure: tuple[int, ...]
    known: tuple[int, ...]
    pairs: frozenset[tuple[int, int]]

    def event(self, name: str) -> int | None:
        """The index of a named event: exactly, else in any case and after the word "event"."""
        if name in self.names:
            return self.names[name]
        plain = re.sub(r"^event\s+", "", name[:100].strip().casefold()).strip("\"'`*")
        return self.names.get(plain)


@lru_cache(maxsize=1024)
def _network(events: tuple[str, ...], facts: tuple[tuple[str, str, str], ...]) -> Network:
    closure = Closure(events, facts)
    n = len(events)
    known = [UNIVERSAL] * (n * n)
    pairs = set()
    for i in range(n):
        known[i * n + i] = EQUALS
    for u, symbol, v in facts:
        i, j = closure.index[u], closure.index[v]
        known[i * n + j] = 1 << INDEX[symbol]
        known[j * n + i] = converse_mask(1 << INDEX[symbol])
        pairs |= {(i, j), (j, i)}
    folded = [event.casefold() for event in events]
    names = {f: i for i, f in enumerate(folded) if folded.count(f) == 1} | closure.index
    return Network(names, n, tuple(closure.masks()), tuple(known), frozenset(pairs))


_FACT = itemgetter("from", "relation", "to")


def network(row: dict[str, Any]) -> Network:
    """The network of a row (cached by its facts). Raises ValueError if its facts contradict each other."""
    return _network(tuple(row["events"]), tuple(map(_FACT, row["facts"])))


def support(known: Sequence[int], n: int, i: int, j: int) -> int:
    """What follows about (i, j) from ``known`` in one round: the intersection, over every third event w, of the
    composition of (i, w) and (w, j), with what is known of (i, j) itself. ``known``: n x n masks."""
    mask = known[i * n + j]
    for w in range(n):
        first = known[i * n + w]
        if first != UNIVERSAL and w != i and w != j:
            second = known[w * n + j]
            if second != UNIVERSAL:
                mask &= compose(first, second)
    return mask


class Step(NamedTuple):
    """One judged step. ``verdict``: exact, weaker (sound, but not all that is known), wrong, unknown_event,
    unknown_relation or malformed. ``supported`` and ``restated`` are of exact steps alone."""

    claim: str
    verdict: str
    pair: tuple[int, int] | None = None
    supported: bool = False
    restated: bool = False


MAX_STEPS = 10_000  # no honest trace comes near: 16 events have 120 pairs


def judge_steps(net: Network, reasoning: Any) -> list[Step]:
    """Judge a trace as the model gave it: a list of steps, or a single one; None is an empty trace.

    Steps beyond ``MAX_STEPS`` are not read: they count as one malformed step, so such a trace is not valid.
    """
    if reasoning is None:
        return []
    known = list(net.known)
    n = net.n
    judged = []
    steps = reasoning if isinstance(reasoning, list) else [reasoning]
    for raw in steps[:MAX_STEPS]:
        read = _read_step(net, raw)
        if isinstance(read, Step):
            judged.append(read)
            continue
        claim, i, mask, j = read
        truth = net.closure[i * n + j]
        if mask == truth:
            supported = support(known, n, i, j) == truth
            known[i * n + j] = truth
            known[j * n + i] = net.closure[j * n + i]
            judged.append(Step(claim, "exact", (i, j), supported, (i, j) in net.pairs))
        else:
            judged.append(Step(claim, "weaker" if mask & truth == truth else "wrong", (i, j)))
    if len(steps) > MAX_STEPS:
        judged.append(Step(f"{len(steps) - MAX_STEPS} more steps", "malformed"))
    return judged


_FROM = ("from", "event1", "subject", "source", "u")
_TO = ("to", "event2", "object", "target", "v")
_RELATION = ("relation", "rel", "predicate", "r")
_ARROW = re.compile(r"\s*(\S+)\s*(?:->|→)\s*(\S+?)\s*:\s*(.+)", re.DOTALL)
_BULLET = re.compile(r"\s*(?:[-*•]\s*|(?:step\s*)?\d{1,4}[.):]\s*)", re.IGNORECASE)
_EVENT = re.compile(r"\bevent\s+", re.IGNORECASE)
_MAX_CLAIM = 300  # characters; the longest honest step is far shorter


def _read_step(net: Network, raw: Any) -> Step | tuple[str, int, int, int]:
    """(claim, index of from, mask, index of to), or the Step that says what stopped the reading."""
    if isinstance(raw, Object):
        parts = [_first(raw, _FROM), _first(raw, _RELATION), _first(raw, _TO)]
    elif isinstance(raw, list):
        parts = raw if len(raw) == 3 else [None]
    elif isinstance(raw, str):
        parts = _triple(net, raw)
    else:
        parts = [None]
    claim = " ".join(_text(part) for part in parts) if None not in parts else _text(raw)
    if None in parts:
        return Step(claim, "malformed")
    u, relation, v = parts
    if not (isinstance(u, str) and isinstance(v, str)):
        return Step(claim, "malformed")
    i, j = net.event(u), net.event(v)
    if i is None or j is None:
        return Step(claim, "unknown_event")
    mask = _mask(relation)
    if mask is None:
        return Step(claim, "unknown_relation")
    return claim, i, mask, j


def _first(raw: Object, keys: Sequence[str]) -> Any:
    for key in keys:
        if key in raw:
            return raw[key]
    return None


def _triple(net: Network, text: str) -> list[Any]:
    """``[from, relation, to]`` of a step written as text, or ``[None]`` if it is not one triple."""
    if len(text) > _MAX_CLAIM:
        return [None]
    text = _EVENT.sub("", _BULLET.sub("", text, count=1) if _BULLET.match(text) else text)
    text = text.strip().rstrip(".").strip("()[] ")
    if arrow := _ARROW.fullmatch(text):
        return [arrow[1], arrow[3], arrow[2]]
    words = re.split(r"\s*,\s*|\s+", text, maxsplit=1)
    tail = re.split(r"\s*,\s*|\s+", words[-1][::-1], maxsplit=1)
    if len(words) < 2 or len(tail) < 2:
        return [None]
    u, relation, v = words[0], tail[1][::-1].strip(), tail[0][::-1]
    if _mask(relation) is None and len(relation.split()) > 3:
        return [None]
    return [u, relation, v]


def _mask(relation: Any) -> int | None:
    if isinstance(relation, str):
        return parse_relations(relation)
    if isinstance(relation, list) and relation and all(isinstance(name, str) for name in relation):
        mask = 0
        for name in relation[:100]:
            part = parse_relations(name)
            if part is None:
                return None
            mask |= part
        return mask
    return None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value[:_MAX_CLAIM]
    if isinstance(value, Object):
        return ", ".join(f"{k}: {v[:80] if isinstance(v, str) else '...'}" for k, v in list(value.items())[:8])[:_MAX_CLAIM]
    if isinstance(value, list):
        return "|".join(item[:40] if isinstance(item, str) else "..." for item in value[:16])
    return str(value)[:_MAX_CLAIM]


def step_evidence(net: Network, step: Step) -> dict[str, Any]:
    """A judged step as JSON values: the claim, its verdict, and what the closure says of its pair."""
    shown: dict[str, Any] = {"claim": step.claim, "verdict": step.verdict}
    if step.pair is not None:
        i, j = step.pair
        shown |= {
            "closure": symbols_of(net.closure[i * net.n + j]),
            "supported": step.supported,
            "restated": step.restated,
        }
    return shown
