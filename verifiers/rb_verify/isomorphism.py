"""Which 2-CNFs have the same structure: a canonical form, exact under renaming of variables.

Two formulas have equal forms iff one becomes the other by renaming its variables and reordering its clauses and the
literals inside them. Polarity is kept: a formula with the sign of a variable flipped everywhere is another structure
(the families of "Evaluating Robustness of Reasoning Models on Parameterized Logical Problems", arXiv 2602.12665, are
told apart by their signs). Clauses are a multiset, and (a, a) is not (a).

Each connected component is labelled by itself. Colour refinement comes first. It leaves blocks of variables that are
not yet told apart, and each block is labelled by individualising one variable after the other, in a search tree that is
pruned by automorphisms and by the shapes of its partitions (McKay, "Practical graph isomorphism", 1981); the least leaf
is the form. A block without cycles needs no search, since there the members of a cell are equivalent. That covers
trees, complete graphs and all pendant parts. Blocks with cycles take exponential time at worst.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rb_verify.twocnf import Clause, check

Clauses = tuple[tuple[int, ...], ...]
Component = tuple[int, Clauses]
Form = tuple[int, int, tuple[Component, ...]]
# A variable's neighbours, each with the label of their clauses as this variable sees them.
Near = list[tuple[int, int]]


def canonical_form(variables: int, clauses: Sequence[Clause]) -> Form:
    """The form of a 2-CNF over the variables 1 to ``variables``.

    Returns (variables that occur nowhere, empty clauses, components in ascending order), each component a pair
    (variables, sorted clauses) over variables renamed to 1, 2, ...: itself a formula. Raises ValueError for a literal
    that is 0 or of no variable, and for a clause of more than two literals.
    """
    check(variables, clauses)
    components = _components(variables, clauses)
    # Many components are copies of each other, and then mostly written alike.
    memo = {component: (component[0], _canonical(*component)) for component in components}
    used = sum(size for size, _ in components)
    empty = sum(not clause for clause in clauses)
    return variables - used, empty, tuple(sorted(memo[component] for component in components))


def signature(variables: int, clauses: Sequence[Clause]) -> str:
    """The SHA-256 of the canonical form, as hex digits. Raises as ``canonical_form`` does."""
    form = json.dumps(canonical_form(variables, clauses), separators=(",", ":"))
    return hashlib.sha256(form.encode("ascii")).hexdigest()


def _components(variables: int, clauses: Sequence[Clause]) -> list[Component]:
    """The connected components, of variables that occur. In each they are renamed to 1, 2, ... as they are met."""
    clauses_of: list[list[int]] = [[] for _ in range(variables + 1)]
    for place, clause in enumerate(clauses):
        for literal in clause:
            clauses_of[abs(literal)].append(place)
    found: list[Component] = []
    name = [0] * (variables + 1)
    for root in range(1, variables + 1):
        if name[root] or not clauses_of[root]:
            continue
        name[root] = 1
        members, places = [root], []
        for v in members:
            for place in clauses_of[v]:
                places.append(place)
                for literal in clauses[place]:
                    if not name[abs(literal)]:
                        members.append(abs(literal))
                        name[abs(literal)] = len(members)
        renamed = ([name[abs(a)] if a > 0 else -name[abs(a)] for a in clauses[place]] for place in dict.fromkeys(places))
        found.append((len(members), _sorted(renamed)))
    return found


def _sorted(clauses: Iterable[list[int]]) -> Clauses:
    return tuple(sorted(tuple(sorted(clause)) for clause in clauses))


class _Partition:
    """An ordered partition of the variables. A cell is known by its start: the number of variables in cells before it."""

    __slots__ = ("cells", "colour")

    def __init__(self, colour: list[int], cells: dict[int, list[int]]) -> None:
        self.colour = colour  # by variable, the start of its cell
        self.cells = cells

    def copy(self) -> _Partition:
        return _Partition(self.colour[:], {start: members[:] for start, members in self.cells.items()})

    def split(self, start: int, groups: Sequence[list[int]]) -> list[int]:
        """Replace a cell by groups of its members, in this order. Returns their starts."""
        starts = []
        for members in groups:
            self.cells[start] = members
            for v in members:
                self.colour[v] = start
            starts.append(start)
            start += len(members)
        return starts

    def individualise(self, v: int) -> int:
        """Put a variable in a cell of its own, behind the others of its cell. Returns the new cell's start."""
        start = self.colour[v]
        members = self.cells[start]
        members.remove(v)
        return self.split(start + len(members), [[v]])[0]


@dataclass
class _Node:
    """A node of the search tree: its partition, the variables to individualise next, and those done."""

    partition: _Partition
    path: tuple[int, ...]  # the variables individualised down to here
    shapes: tuple[tuple[int, ...], ...]  # the starts of the cells, at each node down to here
    candidates: list[int]
    done: list[int] = field(default_factory=list)
    orbits: dict[int, int] = field(default_factory=dict)  # union-find: variables that an automorphism exchanges

    def orbit(self, v: int) -> int:
        while v in self.orbits:
            v = self.orbits[v]
        return v

    def merge(self, u: int, v: int) -> None:
        u, v = self.orbit(u), self.orbit(v)
        if u != v:
            self.orbits[max(u, v)] = min(u, v)


# The colours of a block's variables by their names in it, and its edges (name, label, name).
_BlockForm = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]


@dataclass(frozen=True)
class _Leaf:
    key: tuple[tuple[tuple[int, ...], ...], _BlockForm]  # shapes, then form; the least wins
    path: tuple[int, ...]
    names: list[int]


def _canonical(size: int, clauses: Clauses) -> Clauses:
    """The clauses of a connected formula over the variables 1 to ``size`` by their canonical names."""
    near, partition = _coloured(size, clauses)
    _refine(near, partition, list(partition.cells))
    colour = partition.colour
    labelled = [_labelled(near, colour, block) for block in _blocks(near, partition)]
    # Blocks of one form can change places, so that their order among themselves is all the same.
    labelled.sort(key=lambda pair: pair[0])
    order = sorted((v for _, block in labelled for v in block), key=colour.__getitem__)
    names = [0] * size
    for name, v in enumerate(order, 1):
        names[v] = name
    return _sorted([names[a - 1] if a > 0 else -names[-a - 1] for a in clause] for clause in clauses)


def _blocks(near: list[Near], partition: _Partition) -> list[list[int]]:
    """Drop the edges that tell nothing once a partition is stable; the components of what is left.

    These are the edges of variables in cells of their own, and those between two cells, or inside one, that are joined
    completely and by one label: any permutation of their members keeps them.
    """
    colour, cells = partition.colour, partition.cells
    for own, members in cells.items():
        labels: dict[int, list[int]] = {}
        for label, v in near[members[0]]:
            labels.setdefault(colour[v], []).append(label)
        # The members of a cell are alike in this: the first stands for all.
        useful = {
            other for other, some in labels.items() if len(some) < len(cells[other]) - (other == own) or len(set(some)) > 1
        }
        for u in members:
            near[u] = [(label, v) for label, v in near[u] if colour[v] in useful]
    blocks, seen = [], [False] * len(near)
    for root in range(len(near)):
        if not seen[root]:
            seen[root] = True
            block = [root]
            for u in block:
                for _, v in near[u]:
                    if not seen[v]:
                        seen[v] = True
                        block.append(v)
            blocks.append(block)
    return blocks


def _labelled(near: Sequence[Near], colour: Sequence[int], block: Sequence[int]) -> tuple[_BlockForm, list[int]]:
    """The form of a block, which is equal for blocks of equal structure only, and its variables in canonical order."""
    if len(block) == 1:
        return ((colour[block[0]],), ()), list(block)
    block = sorted(block, key=colour.__getitem__)
    colours = tuple(colour[v] for v in block)
    local = {v: i for i, v in enumerate(block)}
    inner = [[(label, local[v]) for label, v in near[u]] for u in block]
    cells: dict[int, list[int]] = {}
    for i, c in enumerate(colours):
        cells.setdefault(c, []).append(i)
    partition = _Partition([0] * len(block), {})
    partition.split(0, list(cells.values()))
    leaf = _search(inner, colours, partition)
    order = list(block)
    for i, name in enumerate(leaf.names):
        order[name] = block[i]
    return leaf.key[1], order


def _search(near: Sequence[Near], colours: tuple[int, ...], root: _Partition) -> _Leaf:
    """The least leaf of the search tree below a stable partition of a block."""
    best: _Leaf | None = None
    stack: list[_Node] = []
    node = _Node(root, (), (), _candidates(near, root))
    while True:
        if node.candidates:
            stack.append(node)
        else:
            leaf = _leaf(near, colours, node)
            if best is None or leaf.key < best.key:
                best = leaf
            elif leaf.key == best.key:
                # An automorphism takes one leaf to the other, and all below the fork of their paths with it.
                fork = next(i for i, (u, v) in enumerate(zip(leaf.path, best.path, strict=True)) if u != v)
                del stack[fork + 1 :]
                image = {name: v for v, name in enumerate(leaf.names)}
                for v, name in enumerate(best.names):
                    for above in stack:
                        above.merge(v, image[name])
        # Down to the next child that is neither the image of one before it nor worse than the best leaf.
        while stack:
            above = stack[-1]
            if not above.candidates:
                stack.pop()
                continue
            v = above.candidates.pop()
            if any(above.orbit(v) == above.orbit(u) for u in above.done):
                continue
            above.done.append(v)
            partition = above.partition.copy()
            _refine(near, partition, [partition.individualise(v)])
            shapes = (*above.shapes, tuple(sorted(partition.cells)))
            if best is None or shapes <= best.key[0][: len(shapes)]:
                node = _Node(partition, (*above.path, v), shapes, _candidates(near, partition))
                break
        else:
            assert best is not None
            return best


def _coloured(size: int, clauses: Clauses) -> tuple[list[Near], _Partition]:
    """The neighbours of each variable (0 to size - 1), and the partition by the clauses that a variable has alone.

    A label is the rank, in its component, of the multiset of sign pairs (own, other) of the clauses of two variables.
    """
    alone: list[list[tuple[bool, ...]]] = [[] for _ in range(size)]
    pairs: dict[tuple[int, int], list[tuple[bool, bool]]] = {}
    for clause in clauses:
        u, v = abs(clause[0]) - 1, abs(clause[-1]) - 1
        if u == v:
            alone[u].append(tuple(sorted(a > 0 for a in clause)))
        else:
            pairs.setdefault((u, v), []).append((clause[0] > 0, clause[1] > 0))
            pairs.setdefault((v, u), []).append((clause[1] > 0, clause[0] > 0))
    labels = {pair: tuple(sorted(signs)) for pair, signs in pairs.items()}
    rank = {label: i for i, label in enumerate(sorted(set(labels.values())))}
    near: list[Near] = [[] for _ in range(size)]
    for (u, v), label in labels.items():
        near[u].append((rank[label], v))
    groups: dict[tuple[tuple[bool, ...], ...], list[int]] = {}
    for v, own in enumerate(alone):
        groups.setdefault(tuple(sorted(own)), []).append(v)
    partition = _Partition([0] * size, {})
    partition.split(0, [groups[own] for own in sorted(groups)])
    return near, partition


def _refine(near: Sequence[Near], partition: _Partition, splitters: Iterable[int]) -> None:
    """Split cells until the members of each have, for each cell, neighbours by the same labels in it.

    ``splitters``: starts of the cells that may tell members of a cell apart. All choices go by starts, sizes and
    labels alone, so that formulas which are renamings of each other are split alike.
    """
    colour, cells = partition.colour, partition.cells
    queue = deque(splitters)
    queued = set(queue)
    while queue and len(cells) < len(colour):
        splitter = queue.popleft()
        queued.discard(splitter)
        touched: dict[int, list[int]] = {}
        for v in cells[splitter]:
            for label, u in near[v]:
                touched.setdefault(u, []).append(label)
        by_cell: dict[int, list[int]] = {}
        for u in touched:
            if len(cells[colour[u]]) > 1:
                by_cell.setdefault(colour[u], []).append(u)
        for start in sorted(by_cell):
            groups: dict[tuple[int, ...], list[int]] = {}
            for u in by_cell[start]:
                groups.setdefault(tuple(sorted(touched[u])), []).append(u)
            members = cells[start]
            rest = len(members) > len(by_cell[start])
            if len(groups) + rest == 1:
                continue
            ordered = [groups[labels] for labels in sorted(groups)]
            if rest:
                ordered.insert(0, [u for u in members if u not in touched])
            starts = partition.split(start, ordered)
            # A largest part tells no more than the whole cell and the other parts do (Hopcroft).
            known = start if start in queued else starts[max(range(len(starts)), key=lambda i: (len(ordered[i]), -i))]
            for other in starts:
                if other != known:
                    queue.append(other)
                    queued.add(other)


def _candidates(near: Sequence[Near], partition: _Partition) -> list[int]:
    """The variables to individualise at a node: the first of its smallest cells that lie on cycles; none at a leaf.

    Only edges between cells of several members count. If they form a forest, then the cells are the orbits of its
    automorphisms: a tree is its own unfolding, and what refinement cannot tell apart has one unfolding.
    """
    colour, cells = partition.colour, partition.cells
    single = [len(cells[start]) == 1 for start in colour]
    left = [[] if single[u] else [v for _, v in some if not single[v]] for u, some in enumerate(near)]
    degree = [len(some) for some in left]
    bare = [u for u, d in enumerate(degree) if d <= 1]
    for u in bare:
        for v in left[u]:
            degree[v] -= 1
            if degree[v] == 1:
                bare.append(v)
        degree[u] = 0
    on_cycles = [start for start, members in cells.items() if degree[members[0]] > 1]
    return cells[min(on_cycles, key=lambda start: (len(cells[start]), start))][:] if on_cycles else []


def _leaf(near: Sequence[Near], colours: tuple[int, ...], node: _Node) -> _Leaf:
    """The leaf of a node whose cells can be split in any way: always one member off the first cell."""
    partition = node.partition.copy()
    start = 0
    while start < len(near):
        members = partition.cells[start]
        if len(members) > 1:
            _refine(near, partition, [partition.individualise(members[-1])])
        else:
            start += 1
    names = partition.colour
    edges = sorted((names[u], label, names[v]) for u, some in enumerate(near) for label, v in some if names[u] < names[v])
    return _Leaf((node.shapes, (colours, tuple(edges))), node.path, names)
