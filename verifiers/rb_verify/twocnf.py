"""The 2-SAT oracle: what a 2-CNF says, exactly, with a witness or a refutation that anyone can check.

It works on the implication graph (Es-sebbani, Marquer, Salhi, Bouraoui, "Evaluating Robustness of Reasoning Models on
Parameterized Logical Problems", arXiv 2602.12665, section 3): a clause (a or b) gives the edges -a -> b and -b -> a, a
unit clause (a) the edge -a -> a, and the formula is unsatisfiable iff some variable x and its negation lie in one
strongly connected component. Satisfiability, witness and certificate take linear time (Aspvall, Plass and Tarjan, 1979).

Literals are DIMACS integers: variable v is ``v``, its negation ``-v``. A clause has at most two of them; (a, a) and
(a, -a) are legal, and an empty clause is false. Tables by literal are lists of 2n + 1 entries, of which Python's
negative indices find those of the negated literals.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx

Clause = Sequence[int]
Chain = tuple[int, ...]


@dataclass(frozen=True)
class Solution:
    """What ``solve`` found.

    ``witness``: a model, entry v - 1 the value of variable v; None if unsatisfiable. ``certificate``: two shortest
    chains of implications, from x to -x and from -x to x, with x the least variable that has them; None if
    satisfiable, and also where it takes an empty clause to make the formula unsatisfiable.
    """

    satisfiable: bool
    witness: tuple[bool, ...] | None
    certificate: tuple[Chain, Chain] | None


def check(variables: int, clauses: Sequence[Clause]) -> None:
    """Raise ValueError, saying what is wrong, unless this is a 2-CNF over the variables 1 to ``variables``."""
    if variables < 0:
        raise ValueError(f"a formula cannot have {variables} variables")
    for place, clause in enumerate(clauses):
        if len(clause) > 2:
            raise ValueError(f"clause {place} has {len(clause)} literals, and a 2-CNF allows two: {list(clause)}")
        for literal in clause:
            if not literal:
                raise ValueError(f"clause {place} has the literal 0, which names no variable: {list(clause)}")
            if not -variables <= literal <= variables:
                raise ValueError(
                    f"clause {place} has the literal {literal}, but there are {variables} variables: {list(clause)}"
                )


def solve(variables: int, clauses: Sequence[Clause]) -> Solution:
    """Decide a 2-CNF over the variables 1 to ``variables``, with a witness or a certificate. Linear time.

    Raises ValueError for a literal that is 0 or of no variable, and for a clause of more than two literals.
    """
    graph = _Graph(variables, clauses)
    component = graph.components()
    # The negated literals stand at the end, those of the least variables last.
    for x, (own, other) in enumerate(zip(component[1 : variables + 1], component[:variables:-1], strict=True), 1):
        if own == other:
            return Solution(False, None, (graph.chain(x, -x), graph.chain(-x, x)))
    if graph.has_empty:
        return Solution(False, None, None)
    # Components get their numbers downwards, sinks first. Of x and -x the one nearer to the sinks can be true.
    return Solution(True, tuple(component[x] > component[-x] for x in range(1, variables + 1)), None)


def violated(clauses: Sequence[Clause], values: Sequence[bool]) -> int | None:
    """The index of the first clause that an assignment does not satisfy; None if it is a model.

    ``values``: entry v - 1 is the value of variable v. No literal of a variable beyond them counts as true.
    """
    return unsatisfied(clauses, {v if value else -v for v, value in enumerate(values, 1)})


def unsatisfied(clauses: Sequence[Clause], true: Set[int]) -> int | None:
    """The index of the first clause that has none of the literals that are ``true``; None if each has one."""
    fails = list(map(true.isdisjoint, clauses))
    return fails.index(True) if True in fails else None


def broken_edge(clauses: Sequence[Clause], chain: Sequence[int]) -> int | None:
    """The first i for which chain[i] -> chain[i + 1] is no edge of the implication graph; None if all are."""
    return _broken(set(map(tuple, clauses)), chain)


def _broken(given: Set[Chain], chain: Sequence[int]) -> int | None:
    for place, (p, q) in enumerate(pairwise(chain)):
        if (-p, q) not in given and (q, -p) not in given and (p != -q or (q,) not in given):
            return place
    return None


def is_certificate(clauses: Sequence[Clause], chains: Sequence[Sequence[int]]) -> bool:
    """Whether these are two chains of implications, one from some literal x to -x, the other from -x back to x.

    If so, no assignment satisfies the clauses.
    """
    if len(chains) != 2 or not all(chains):
        return False
    there, back = chains
    if not there[0] == -there[-1] == -back[0] == back[-1]:
        return False
    given = set(map(tuple, clauses))
    return _broken(given, there) is None and _broken(given, back) is None


def backbone(variables: int, clauses: Sequence[Clause]) -> list[int]:
    """The literals that are true in every model, in order of variable.

    Raises ValueError if there is no model, or as ``solve`` does. Takes one search of the implication graph for each
    literal that no model found so far makes false: quadratic time at worst.
    """
    witness = solve(variables, clauses).witness
    if witness is None:
        raise ValueError("an unsatisfiable formula has no backbone")
    graph = _Graph(variables, clauses)
    found = [v if value else -v for v, value in enumerate(witness, 1)]
    open_ = [True] * (variables + 1)  # by variable: whether its literal in the witness may still be in the backbone
    forced = [False] * (2 * variables + 1)
    for literal in found:
        if not open_[abs(literal)]:
            continue
        implied = graph.closure(-literal, literal)
        if implied is not None:
            # The witness, overridden by all that -literal implies, is a model too: what it flips is not forced.
            for other in implied:
                if other != found[abs(other) - 1]:
                    open_[abs(other)] = False
            continue
        for other in graph.closure(literal, -literal) or ():
            forced[other] = True
            open_[abs(other)] = False
    return [literal for literal in found if forced[literal]]


def is_minimally_unsatisfiable(variables: int, clauses: Sequence[Clause]) -> bool:
    """Whether a 2-CNF is unsatisfiable, and satisfiable without any one of its clauses. Raises as ``solve`` does."""
    if solve(variables, clauses).satisfiable:
        return False
    clauses = list(clauses)
    return all(solve(variables, clauses[:i] + clauses[i + 1 :]).satisfiable for i in range(len(clauses)))


def implication_graph(variables: int, clauses: Sequence[Clause]) -> networkx.DiGraph[int]:
    """The implication graph as a networkx DiGraph, its nodes all 2n literals. Raises as ``solve`` does.

    Needs networkx, which rb-verify installs with its [graph] extra.
    """
    import networkx

    check(variables, clauses)
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    for v in range(1, variables + 1):
        graph.add_nodes_from((v, -v))
    for clause in clauses:
        if clause:
            graph.add_edge(-clause[0], clause[-1])
            graph.add_edge(-clause[-1], clause[0])
    return graph


def count_models(variables: int, clauses: Sequence[Clause]) -> int:
    """The number of models over all ``variables``; one that occurs in no clause doubles it. Raises as ``solve`` does.

    Counting is #P-complete, and the time exponential at worst. It is short where few variables are left once those
    of at most two neighbours are summed out, which is so for the sparse formulas of up to some hundred clauses here.
    """
    if not solve(variables, clauses).satisfiable:
        return 0
    network = _Network()
    for v in range(1, variables + 1):
        network.weights[v] = (1, 1)
        network.tables[v] = {}
    for clause in clauses:
        a, b = clause[0], clause[-1]
        if a == b:
            network.weigh(abs(a), (a < 0, a > 0))
        elif a != -b:
            network.join(abs(a), abs(b), _FALSE_AT[a < 0, b < 0])
    return _weight(network)


class _Graph:
    """The implication graph in flat lists.

    Edge e leads to the literal ``sides[e]``, from the negation of ``sides[e ^ 1]``, its partner in the clause.
    ``first`` has the first edge from each literal, ``following`` the next one from where an edge starts; -1 ends.
    """

    __slots__ = ("first", "following", "has_empty", "sides", "variables")

    def __init__(self, variables: int, clauses: Sequence[Clause]) -> None:
        sides: list[int] = []
        self.has_empty = fits = False
        for clause in clauses:
            if len(clause) == 2:
                sides += clause
            elif len(clause) == 1:
                sides += (clause[0], clause[0])
            elif clause:
                break
            else:
                self.has_empty = True
        else:
            fits = variables >= 0 and (not sides or (max(sides) <= variables and min(sides) >= -variables and 0 not in sides))
        if not fits:
            check(variables, clauses)
        first = [-1] * (2 * variables + 1)
        following = [-1] * len(sides)
        for edge in range(0, len(sides), 2):
            a, b = -sides[edge], -sides[edge + 1]
            following[edge] = first[b]
            first[b] = edge
            following[edge + 1] = first[a]
            first[a] = edge + 1
        self.variables, self.sides, self.first, self.following = variables, sides, first, following

    def components(self) -> list[int]:
        """By literal, the number of its strongly connected component; an edge never leads to a lower number.

        Tarjan's algorithm in the form of Pearce (2016), which needs one number a literal: 0 if unseen, then the least
        entry time that it is known to reach, in the end its component, numbered downwards from above all times.
        """
        sides, following = self.sides, self.following
        ahead = self.first[:]  # the edge that a literal on the path looks along next
        number = [0] * len(ahead)
        entry = [0] * len(ahead)
        waiting: list[int] = []  # done, but not yet in a component
        time, component = 0, 2 * len(ahead)
        for v in range(1, self.variables + 1):
            for root in (v, -v):
                if number[root]:
                    continue
                time += 1
                number[root] = entry[root] = time
                path = [root]
                while path:
                    literal = path[-1]
                    edge, least = ahead[literal], number[literal]
                    while edge >= 0:
                        target = sides[edge]
                        seen = number[target]
                        if not seen:
                            if ahead[target] >= 0:
                                break
                            number[target] = component  # a sink is a component of its own
                            component -= 1
                        elif seen < least:
                            least = seen
                        edge = following[edge]
                    number[literal] = least
                    if edge >= 0:
                        ahead[literal] = edge  # not the one after it: what the target reaches is read on return
                        time += 1
                        number[target] = entry[target] = time
                        path.append(target)
                        continue
                    path.pop()
                    if least < entry[literal]:
                        waiting.append(literal)
                        continue
                    while waiting and number[waiting[-1]] >= least:
                        number[waiting.pop()] = component
                    number[literal] = component
                    component -= 1
        return number

    def chain(self, start: int, end: int) -> Chain:
        """A shortest path, which must exist. If both ends share a component, so does all of it."""
        sides, following = self.sides, self.following
        came = [0] * len(self.first)
        came[start] = start
        queue = [start]
        for literal in queue:
            edge = self.first[literal]
            while edge >= 0:
                target = sides[edge]
                if not came[target]:
                    came[target] = literal
                    queue.append(target)
                edge = following[edge]
            if came[end]:
                break
        path = [end]
        while path[-1] != start:
            path.append(came[path[-1]])
        return tuple(reversed(path))

    def closure(self, start: int, forbidden: int) -> list[int] | None:
        """All literals that ``start`` implies, itself included; None if ``forbidden`` is one of them."""
        seen = {start}
        queue = [start]
        for literal in queue:
            edge = self.first[literal]
            while edge >= 0:
                target = self.sides[edge]
                if target == forbidden:
                    return None
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
                edge = self.following[edge]
        return queue


# A weight for each value of a variable, false first, and for each pair of values: (u, v) at 2u + v.
_Weights = tuple[int, int]
_Table = tuple[int, int, int, int]
# By the values that make its two literals false: the table of a clause.
_FALSE_AT: dict[tuple[bool, bool], _Table] = {
    (False, False): (0, 1, 1, 1),
    (False, True): (1, 0, 1, 1),
    (True, False): (1, 1, 0, 1),
    (True, True): (1, 1, 1, 0),
}


class _Network:
    """Weights of variables and tables of pairs of them, over what is left to count.

    Its weight is the sum, over all assignments, of the products of their entries. ``factor`` is what the variables
    already summed out contribute.
    """

    __slots__ = ("factor", "tables", "weights")

    def __init__(self) -> None:
        self.factor = 1
        self.weights: dict[int, _Weights] = {}
        self.tables: dict[int, dict[int, _Table]] = {}

    def weigh(self, v: int, by: _Weights) -> None:
        """Multiply the weights of a variable."""
        weights = self.weights[v]
        self.weights[v] = weights[0] * by[0], weights[1] * by[1]

    def join(self, u: int, v: int, by: _Table) -> None:
        """Multiply the table of two variables."""
        a, b, c, d = (p * q for p, q in zip(self.tables[u].get(v, (1, 1, 1, 1)), by, strict=True))
        self.tables[u][v] = a, b, c, d
        self.tables[v][u] = a, c, b, d

    def remove(self, v: int) -> dict[int, _Table]:
        """Take out a variable; its tables are returned."""
        tables = self.tables.pop(v)
        del self.weights[v]
        for u in tables:
            del self.tables[u][v]
        return tables

    def fix(self, v: int, value: int) -> None:
        """Give a variable a value, and take it out."""
        self.factor *= self.weights[v][value]
        for u, table in self.remove(v).items():
            self.weigh(u, (table[2 * value], table[2 * value + 1]))

    def simplify(self) -> None:
        """Fix the variables whose other value has weight 0 (unit propagation); sum out those of at most two neighbours."""
        work = list(self.weights)
        while work:
            v = work.pop()
            if v not in self.weights:
                continue
            no, yes = self.weights[v]
            near = list(self.tables[v])
            if not no or not yes:
                self.fix(v, int(not no))
            elif not near:
                self.factor *= no + yes
                self.remove(v)
            elif len(near) == 1:
                a, b, c, d = self.remove(v)[near[0]]
                self.weigh(near[0], (no * a + yes * c, no * b + yes * d))
            elif len(near) == 2:
                first, second = self.remove(v).values()
                a, b, c, d = (no * first[p] * second[q] + yes * first[2 + p] * second[2 + q] for p in (0, 1) for q in (0, 1))
                self.join(near[0], near[1], (a, b, c, d))
            else:
                continue
            if not self.factor:
                return
            work += near

    def parts(self) -> list[list[int]]:
        """The variables of each connected component, the largest last."""
        found, seen = [], set()
        for root in self.weights:
            if root not in seen:
                seen.add(root)
                part = [root]
                for u in part:
                    for v in self.tables[u]:
                        if v not in seen:
                            seen.add(v)
                            part.append(v)
                found.append(part)
        return sorted(found, key=len)

    def part(self, variables: Sequence[int]) -> _Network:
        """A copy of some components, with the factor 1."""
        other = _Network()
        for v in variables:
            other.weights[v] = self.weights[v]
            other.tables[v] = self.tables[v].copy()
        return other


def _weight(network: _Network) -> int:
    """The weight of a network, which is used up.

    Only components that are not the largest, and so hold at most half of the variables, are left to a call of their
    own: calls nest to a logarithmic depth.
    """
    total, left = 0, [network]
    while left:
        network = left.pop()
        network.simplify()
        *small, large = network.parts() or [[]]
        factor = network.factor
        for part in small:
            factor *= factor and _weight(network.part(part))
        if not factor or not large:
            total += factor
            continue
        branch = max(large, key=lambda v: (len(network.tables[v]), -v))
        for value in (0, 1):
            other = network.part(large)
            other.factor = factor
            other.fix(branch, value)
            left.append(other)
    return total
