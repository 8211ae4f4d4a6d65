"""The deduction oracle: what follows from a set of statements by the four rules, and how deep (ReEfBench paper, table 6).

Two depths are computed, both exactly and with no limit of time or depth: the one of Definition A.3 (appendix A.3), the
least number of rounds of rules, and the layer, which is how the paper measures it (section 3.3): golden statements keep
the depth that they have in the golden solution, and any other is one deeper than what it follows from.

Rounds of forward chaining run on a fixed universe: all names, and the other predicates that occur in the premises or the
golden solution. The predicates derived for a subject are the bits of an integer. No predicate outside helps to derive
one inside: the names of a conjunction that no premise has are there as early as the conjunction, and CI joins any number
of them at once; the name or disjunction below a disjunction gives all that it gives. So a statement outside is asked for
afterwards, in rounds of its own, in which it follows from the universe or by MP from statements with its very predicate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from operator import and_, or_
from typing import NamedTuple

from rb_verify.statements import AND, OR, Predicate, Statement, predicate

PREMISE, MP, CE, CI, DI = "premise", "MP", "CE", "CI", "DI"


class Step(NamedTuple):
    """A statement of a proof: the rule that gives it, one of ``premise``, ``MP``, ``CE``, ``CI``, ``DI``, and from what."""

    statement: Statement
    rule: str
    inputs: tuple[Statement, ...]


class Deduction:
    """Everything that follows from premises. Both depths are found when first asked for.

    ``premises``: in any order. ``golden``: the statements of the golden solution with their depths there; a premise
    has depth 0 whatever it says. ``level``: the greatest layer that is given to any statement; None is no limit.

    No statement is refused: a name that no premise knows is a name of which nothing is said.
    """

    def __init__(
        self, premises: Iterable[Statement], golden: Mapping[Statement, int] | None = None, level: int | None = None
    ) -> None:
        self.level = level
        self._premises = list(premises)
        self._golden = dict(golden or {})

    def closure_depth(self, statement: Statement) -> int | None:
        """The least k such that k rounds of rules give a statement, 0 for a premise; None if it does not follow."""
        return self._closure.depth(statement)

    def layer(self, statement: Statement) -> int | None:
        """The layered depth of a statement, at most ``level``; None if it does not follow.

        0 for a premise. The given depth for a golden statement, which is held back until then, even where it follows
        earlier. For any other, the first round in which one step gives it from what is there by then. A statement whose
        predicate is outside the universe changes no layer of those inside.
        Raises ValueError if a golden statement does not follow from the premises.
        """
        depth = self._layers.depth(statement)
        return depth if depth is None or self.level is None else min(depth, self.level)

    def derives(self, statement: Statement) -> bool:
        """Whether a statement follows by the rules, in any number of steps."""
        subject = self._universe.names.get(statement.subject)
        if subject is None:
            return False
        row, column = self._closure.row(subject), self._universe.columns.get(statement.predicate)
        if column is not None:
            return bool(row >> column & 1)
        # What MP would bring, another rule brings in the end: who has a middle name has all that it has.
        return self._universe.gives(self._universe.source(statement.predicate), row)

    def proof(self, statement: Statement) -> list[Step]:
        """A derivation of least closure depth, every step after its inputs, the premises first; empty if there is none."""
        if not self.derives(statement):
            return []
        steps: dict[Statement, Step] = {}
        needed = [statement]
        for one in needed:
            if one not in steps:
                steps[one] = self._step(one)
                needed += steps[one].inputs
        return sorted(steps.values(), key=lambda step: (self.closure_depth(step.statement), step.statement))

    @property
    def breadth(self) -> int:
        """The number of statements that follow, of those whose predicate is a name or occurs in premises or solution."""
        return sum(self._closure.row(subject).bit_count() for subject in self._universe.names.values())

    def statements(self) -> list[Statement]:
        """The statements that ``breadth`` counts, in order of subject and predicate."""
        predicates = self._universe.predicates
        rows = ((name, self._closure.row(subject)) for name, subject in self._universe.names.items())
        return [Statement(name, predicates[column]) for name, row in rows for column in _bits(row)]

    @cached_property
    def _universe(self) -> _Universe:
        return _Universe([*self._premises, *self._golden])

    @cached_property
    def _closure(self) -> _Rounds:
        return _Rounds(self._universe, self._premises, {})

    @cached_property
    def _layers(self) -> _Rounds:
        for statement in self._golden:
            if not self.derives(statement):
                raise ValueError(f"the premises do not give the golden statement {statement}")
        return _Rounds(self._universe, self._premises, self._golden) if self._golden else self._closure

    def _step(self, statement: Statement) -> Step:
        """The last step of a derivation of least closure depth of a statement that follows."""
        depth = self.closure_depth(statement)
        if not depth:
            return Step(statement, PREMISE, ())
        universe, (subject, stated) = self._universe, statement
        row, source = self._closure.row(universe.names[subject], depth - 1), universe.source(stated)

        def inputs(columns: Iterable[int]) -> tuple[Statement, ...]:
            return tuple(Statement(subject, universe.predicates[column]) for column in columns)

        if row & source.any:
            return Step(statement, DI if stated.joint == OR else CE, inputs([next(_bits(row & source.any))]))
        if universe.gives(source, row):
            # Conjunctions only for names that are not there alone, then all names that those do not bring.
            columns, brought = [], 0
            for column in _bits(row & source.parts & ~universe.single):
                if universe.whole[column] & ~row & ~brought:
                    columns.append(column)
                    brought |= universe.whole[column]
            return Step(statement, CI, inputs([*columns, *_bits(source.whole & ~brought)]))
        for middle in _bits(row & universe.single):
            second = Statement(universe.predicates[middle].parts[0], stated)
            below = self.closure_depth(second)
            if below is not None and below < depth:
                return Step(statement, MP, (*inputs([middle]), second))
        raise AssertionError(f"nothing gives {statement}")


def is_complete(premises: Iterable[Statement]) -> bool:
    """Whether no name in a disjunction of the premises is the subject of a premise. Then the rules miss nothing: if
    ``s is P`` is true whenever the premises are, read as inclusions of classes, and P does not name s, it is derivable.

    Let ``s is P`` not be derivable. Some name of a conjunction P is not derivable either, so let P be a name or a
    disjunction. Take one thing that is s and all names derivable for s, none of which is in P. A disjunction that a
    premise then demands of it is derivable for s, so it has a name that is not in P: if none of its names is true yet,
    make that one true. It is the subject of no premise, so it demands nothing more. All premises hold, and P does not.

    False says nothing: the rules cannot argue by cases, but there may be no case to argue.
    """
    premises = list(premises)
    subjects = {premise.subject for premise in premises}
    return all(subjects.isdisjoint(premise.predicate.parts) for premise in premises if premise.predicate.joint == OR)


def countermodel(premises: Iterable[Statement], statement: Statement) -> frozenset[str] | None:
    """The names true of one thing that is the subject, such that all premises hold of it, and the statement does not.

    None if there is none: then the statement is true whenever the premises are, read as inclusions of classes. The
    search is complete. Its time is exponential in the number of disjunctions at worst.
    """
    demands: dict[str, list[Predicate]] = {}
    for premise in premises:
        demands.setdefault(premise.subject, []).append(premise.predicate)
    # What must be false: all names of a disjunction, some name of a conjunction. What was chosen to be true.
    parts = statement.predicate.parts
    failures = [parts] if statement.predicate.joint == OR else [(name,) for name in reversed(parts)]
    waiting: list[tuple[frozenset[str], tuple[str, ...]]] = [(frozenset(some), (statement.subject,)) for some in failures]
    while waiting:
        false, chosen = waiting.pop()
        true = _demanded(demands, chosen)
        if not false.isdisjoint(true):
            continue
        choices = _choices(demands, true, false)
        if choices is None:
            return frozenset(true)
        for place in reversed(range(len(choices))):  # popped in order; what an earlier choice covers is not tried again
            waiting.append((false.union(choices[:place]), (*chosen, choices[place])))
    return None


def _demanded(demands: Mapping[str, list[Predicate]], chosen: Iterable[str]) -> dict[str, None]:
    """The chosen names and all that names and conjunctions demand of what has them, in a fixed order."""
    true = dict.fromkeys(chosen)
    queue = list(true)
    for name in queue:
        for demanded in demands.get(name, ()):
            if demanded.joint != OR:
                queue += [part for part in demanded.parts if part not in true]
                true |= dict.fromkeys(demanded.parts)
    return true


def _choices(demands: Mapping[str, list[Predicate]], true: Mapping[str, None], false: frozenset[str]) -> list[str] | None:
    """The names that may fulfil a demanded disjunction that has no true name, of one with the fewest; None if there is none."""
    fewest: list[str] | None = None
    for name in true:
        for demanded in demands.get(name, ()):
            if demanded.joint == OR and not any(part in true for part in demanded.parts):
                possible = [part for part in demanded.parts if part not in false]
                if fewest is None or len(possible) < len(fewest):
                    fewest = possible
    return fewest


class _Source(NamedTuple):
    """From which statements about a subject one about the same subject follows in one step, as bits of columns.

    ``any``: each of these is enough (CE, DI). ``whole``: the names of a conjunction that CI can make, or 0. ``parts``: what
    CI can make it of, these names and the smaller conjunctions.
    """

    any: int
    whole: int = 0
    parts: int = 0


class _Universe:
    """The predicates on which rounds run, and the rules between them.

    ``predicates``: all single names in order, then the others; a column is a place here. ``columns`` and ``names``: the
    places of predicates and names. ``single``: the bits of all names. ``whole``: by column, the bits of its names.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        names: set[str] = set()
        joined: set[Predicate] = set()
        for subject, stated in statements:
            names.add(subject)
            names.update(stated.parts)
            if stated.joint:
                joined.add(stated)
        self.names = {name: place for place, name in enumerate(sorted(names))}
        self.predicates = [*(predicate((name,)) for name in self.names), *sorted(joined)]
        self.columns = {stated: column for column, stated in enumerate(self.predicates)}
        self.single = (1 << len(names)) - 1
        self.whole = [1 << column for column in range(len(names))]
        # By joint and name: the columns of the predicates that hold the name.
        self._holders = {AND: [0] * len(names), OR: [0] * len(names)}
        for column in range(len(names), len(self.predicates)):
            joint, parts = self.predicates[column]
            places = [self.names[part] for part in parts]
            self.whole.append(sum(1 << place for place in places))
            for place in places:
                self._holders[joint][place] |= 1 << column
        self._sources: dict[Predicate, _Source] = {}

    def source(self, stated: Predicate) -> _Source:
        """From what a statement with a predicate, any predicate, follows in one step other than MP."""
        source = self._sources.get(stated)
        if source is None:
            source = self._sources[stated] = self._source(stated)
        return source

    def gives(self, source: _Source, row: int) -> bool:
        """Whether a subject with the predicates of a row gets, in one step other than MP, the one that has this source."""
        if row & source.any:
            return True
        missing = source.whole & ~row
        for column in _bits(row & source.parts & ~self.single) if missing else ():
            missing &= ~self.whole[column]
        return bool(source.whole) and not missing

    @cached_property
    def consequences(self) -> tuple[list[int], list[int]]:
        """By column: what follows from it by CE or DI, and what it helps CI to make."""
        enough, helps = [0] * len(self.predicates), [0] * len(self.predicates)
        for column, stated in enumerate(self.predicates):
            source = self.source(stated)
            for other in _bits(source.any):
                enough[other] |= 1 << column
            for other in _bits(source.parts):
                helps[other] |= 1 << column
        return enough, helps

    def _source(self, stated: Predicate) -> _Source:
        own = self.columns.get(stated)
        others = -1 if own is None else ~(1 << own)
        known = [self.names[part] for part in stated.parts if part in self.names]
        whole = sum(1 << place for place in known)
        parts = whole
        if stated.joint:
            near = 0
            for place in known:
                near |= self._holders[stated.joint][place]
            parts |= sum(1 << column for column in _bits(near & others) if not self.whole[column] & ~whole)
        if stated.joint == OR:
            return _Source(parts)
        if len(known) < len(stated.parts):
            return _Source(0)
        larger = others
        for place in known:
            larger &= self._holders[AND][place]
        return _Source(larger, whole, parts) if stated.joint else _Source(larger)


class _Rounds:
    """Rounds of forward chaining until nothing changes. Each brings everything that follows in one step from what is
    there, but a golden statement only when its depth has come. What all subjects have is kept as of every round.
    """

    def __init__(self, universe: _Universe, premises: Iterable[Statement], golden: Mapping[Statement, int]) -> None:
        self._universe = universe
        self._outside: dict[Statement, int | None] = {}
        rows, held = [0] * len(universe.names), [0] * len(universe.names)
        due: dict[int, dict[int, int]] = {}
        for subject, stated in premises:
            rows[universe.names[subject]] |= 1 << universe.columns[stated]
        for (subject, stated), depth in golden.items():
            place, bit = universe.names[subject], 1 << universe.columns[stated]
            if depth <= 0:
                rows[place] |= bit
            elif not rows[place] & bit:
                held[place] |= bit
                some = due.setdefault(depth, {})
                some[place] = some.get(place, 0) | bit
        self._holders: dict[int, list[int]] = {}
        # The rounds that brought something, and by subject the bits of all that it then has.
        self._depths = [0]
        self._rows = [rows[:]]
        self._run(rows, held, due)

    def row(self, subject: int, depth: int | None = None) -> int:
        """The bits of what a subject has after so many rounds; None: after all."""
        return self._rows[-1 if depth is None else self._stage(depth)][subject]

    def _stage(self, depth: int) -> int:
        """Which of the kept rounds is the last by then."""
        return bisect_right(self._depths, depth) - 1

    def depth(self, statement: Statement) -> int | None:
        """The round that brings a statement; None if none does."""
        subject = self._universe.names.get(statement.subject)
        if subject is None:
            return None
        column = self._universe.columns.get(statement.predicate)
        if column is None:
            if statement not in self._outside:
                self._outside[statement] = self._ask(subject, statement.predicate)
            return self._outside[statement]
        bit = 1 << column
        if not self._rows[-1][subject] & bit:
            return None
        return next(depth for depth, rows in zip(self._depths, self._rows, strict=True) if rows[subject] & bit)

    def _run(self, rows: list[int], held: list[int], due: dict[int, dict[int, int]]) -> None:
        """``rows``: by subject, the bits of its premises. ``held``: of its golden statements; ``due``: those by depth."""
        universe = self._universe
        enough, helps = universe.consequences
        sources = [universe.source(stated) for stated in universe.predicates]
        # The columns from which something follows by MP, if it ever does, and by another rule.
        middles = sum(1 << subject for subject, row in enumerate(rows) if row or held[subject])
        active = sum(1 << column for column in range(len(enough)) if enough[column] or helps[column])
        # By subject: the active columns that it has, but not all their consequences by the end of the round. From others
        # nothing need be made, neither here nor by who gets them from this subject through MP: he gets the consequences the
        # same way, and as soon. Those with a consequence that is held here are always looked at.
        open_ = [row & active for row in rows]
        watched = [0] * len(rows)
        for subject, bits in enumerate(held):
            for column in _bits(bits):
                watched[subject] |= sources[column].any | sources[column].parts
        single = [1 << place for place in range(len(rows))]
        fresh = {subject: row for subject, row in enumerate(rows) if row}
        depth = 0
        while fresh or due:
            depth = depth + 1 if fresh else min(due)
            found = [0] * len(rows)
            for subject, bits in due.pop(depth, {}).items():
                held[subject] &= ~bits
                found[subject] = bits
            for subject in fresh:
                if open_[subject]:
                    row, gained, touched, asked = rows[subject], 0, 0, [*_bits(open_[subject])]
                    for column in asked:
                        gained |= enough[column]
                        touched |= helps[column]
                    for column in _bits(touched & ~row):
                        if universe.gives(sources[column], row):
                            gained |= 1 << column
                    found[subject] |= gained
                    lacking = ~(row | gained & ~held[subject])
                    if touched & lacking or gained & lacking:
                        for column in asked:
                            if not (enough[column] | helps[column]) & lacking:
                                open_[subject] ^= 1 << column
                    else:
                        open_[subject] = 0
            changed = sum(map(single.__getitem__, fresh))
            next_: dict[int, int] = {}
            opened: dict[int, int] = {}
            for subject, row in enumerate(rows):
                gained = found[subject]
                # MP: all of a middle name that is new here, what is new of any other.
                asking = (row & changed | fresh.get(subject, 0)) & middles
                still = gained
                while asking:  # _bits from above, in place: most of the time is spent here
                    middle = asking.bit_length() - 1
                    asking ^= single[middle]
                    gained |= rows[middle]
                    still |= open_[middle]
                new = gained & ~(row | held[subject])
                if new:
                    next_[subject] = new
                    opened[subject] = new & active & (still | watched[subject])
            fresh = next_
            for subject, bits in fresh.items():
                rows[subject] |= bits
                open_[subject] |= opened[subject]
            if fresh:
                self._depths.append(depth)
                self._rows.append(rows[:])

    def _ask(self, subject: int, stated: Predicate) -> int | None:
        """The round that brings a subject a predicate outside the universe; None if none does.

        In the end, whoever has it has what CE, DI or CI gives it from, all names of a conjunction among it: who gets it by
        MP then has what the middle name got it from. So it is known beforehand which middle names may bring it.
        """
        directly = self._directly(self._universe.source(stated))
        if not directly[-1] >> subject & 1:
            return None
        able = directly[-1] & (self.row(subject) & self._universe.single | 1 << subject)
        depth = having = 0
        while not having >> subject & 1:
            stage = self._stage(depth)
            got = directly[stage] & able
            if having:
                rows = self._rows[stage]
                got |= sum(1 << place for place in _bits(able & ~(got | having)) if rows[place] & having)
            having |= got
            depth += 1
        return depth

    def _directly(self, source: _Source) -> list[int]:
        """After each kept round: the bits of the subjects that get what has this source in one step other than MP."""
        universe = self._universe
        found = _either(map(self._who, _bits(source.any)), len(self._rows))
        if source.whole:
            whole = [-1] * len(found)
            larger = [*_bits(source.parts & ~universe.single)]
            for place in _bits(source.whole):
                columns = [place, *(column for column in larger if universe.whole[column] >> place & 1)]
                whole = list(map(and_, whole, _either(map(self._who, columns), len(whole))))
            found = list(map(or_, found, whole))
        return found

    def _who(self, column: int) -> list[int]:
        """After each kept round: the bits of the subjects that have a column."""
        if column not in self._holders:
            bit, having = 1 << column, 0
            left = [place for place, row in enumerate(self._rows[-1]) if row & bit]
            holders = self._holders[column] = []
            for rows in self._rows:
                late = []
                for place in left:
                    if rows[place] & bit:
                        having |= 1 << place
                    else:
                        late.append(place)
                left = late
                holders.append(having)
        return self._holders[column]


def _either(some: Iterable[list[int]], size: int) -> list[int]:
    """The union of lists of bits, place by place. ``size``: of each."""
    found = [0] * size
    for each in some:
        found = list(map(or_, found, each))
    return found


def _bits(row: int) -> Iterator[int]:
    while row:
        low = row & -row
        yield low.bit_length() - 1
        row ^= low
