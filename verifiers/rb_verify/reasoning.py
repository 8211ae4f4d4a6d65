"""What the sentences of a response say: a deterministic parser (ReEfBench paper, section 3.2).

The paper asks a language model for the logical nodes of each sentence, each actual or planning, and whether the sentence
is a reflection. This parser reads them off by fixed rules, in linear time. It knows the names of the row.

The words become codes (``words.py``), of which the rules here make claims; what a reflection is, ``reflection.py`` tells.

**Parentheses.** Without a name in them they are left out, but "(not given)", "(false)" take back the statement before them,
and "(goal)", "(?)" make it planning. Those around a list of names only are opened, and so is "x (which is A) is B".

**Lists.** Names joined by commas, and (& ∧ ∩), or (∨ ∪), a slash are one list; a bar is an "or", but not in a table. The name
before a relation is its subject: in "x is A, B is C" the lists are "A" and "C". Several subjects need "and" before the last
and a plural verb; with "respectively" they are paired with as many predicates, or say nothing.

**Statements.** A statement is subject, relation, list. Relations: the lines "is" to "implies" of the table of words,
composed in ``_UNIT``; also "has been shown to be", "turns out to be".

- One name, or up to three joined by and or commas, or any joined by or: one statement. Four or more joined by and: one
  each. Joined by both and and or, by a slash, or with a stranger: none. The subject itself is dropped from a
  conjunction, and makes a disjunction say nothing.
- "x is A and is B": two. "x is A, which is B", "x → A → B", "x ∈ A ⊆ B": a link each. "A contains x": x is A.
- An arrow before a name that has its own relation (x is A → x is B), or ⇒ where → occurs too, joins statements: no link.
- None at all: negated ("x is not A"), taken back ("x is A is false", "x is A, which is not given", "x is A: unknown", "x is
  A has not been shown", "x is A or not", "x is A, maybe B"), explained ("x is A means ..."), one of two ("x is A or y is
  B"), of a part ("x that is A is B", "every x in A is B", "only x is A", "A and B → C"), about something else ("path from
  x to A is B", "the parent of x is A"), run together ("x is A is B").

**Modes.** A statement is actual unless a cue before it makes it planning or nothing.

- A question (the sentence ends in "?"): all planning; "is x A" counts as "x is A".
- Suppositions (if, suppose, "let's say", "case 1:", "when x is A", "once we have x is A"): planning to the end of the
  sentence or a semicolon; the statement right before it, too, and before "provided that" or a last "if" over a comma.
- Wanting (goal, enough, maybe, whether, "check if", "proof of"): planning to the end of the clause; a goal or possibility
  right after a statement ("x is A needs", "x is A would", "x is A only", "x is A is needed") makes it planning. A verb as
  "show" is a goal after "to", "let us", "will", "must", or where a clause begins; as "derive", there and after "in order
  to"; as "get", after "let us", "will", "must" or a "to" that begins the clause: "we use it to get x is A" asserts.
- Negation (not): nothing to the end of the clause, unless "whether" or "if" follows.
- Clauses end at , ; : ( ) and at words as since, as, but, from, so, therefore. A goal passes a "(" right after it, and the
  colon that follows it within ``_REACH`` units and without a name between ("The goal: x is A"); "let me check: x is A"
  and "I need to check premise 7: x is A" assert. So do "... and we have x is A" and "we use x is A". A clause may be
  inserted: in "we show that, since x is A, x is B" the last is planning.
- "x might be A", "x can be A", "x would have to be A": planning. "x must be A", "x can be classified as A": actual.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from rb_verify.reflection import looks_back
from rb_verify.sentences import split
from rb_verify.statements import AND, OR, SINGLE, Statement, informative, statement
from rb_verify.words import TOKEN, Codes, normal, words_of

PARSER = "rules-1"


class Node(NamedTuple):
    """A statement that a sentence makes; ``planning``: as a goal, a supposition or a question, so not asserted."""

    statement: Statement
    planning: bool


class Sentence(NamedTuple):
    """A sentence as it stands; whether its writer looks back at the own reasoning; what it says, in order."""

    text: str
    reflection: bool
    nodes: tuple[Node, ...]


def parse(text: str, vocabulary: Collection[str]) -> list[Sentence]:
    """The sentences of a response, whose texts concatenate to it, with what they say of the names in ``vocabulary``.

    Any text is allowed. The time is linear in its length.
    """
    pieces = split(text)
    if not pieces:
        return []
    words = words_of(frozenset(vocabulary))
    names = words.names
    tokens = TOKEN.findall(normal("\0".join(pieces if "\0" not in text else [piece.replace("\0", " ") for piece in pieces])))
    codes = "".join(map(Codes(words).__getitem__, tokens))
    codes = _ARTICLE.sub("X", codes).replace("@", "").replace("!^9", "w")
    codes = codes.replace("wwww", "w").replace("www", "w").replace("ww", "w")  # fewer shapes of sentences to remember
    mentioned = list(filter(None, map(names.get, tokens)))
    sentences: list[Sentence] = []
    first = 0
    for piece, code in zip(pieces, codes.split("\0"), strict=True):
        reflection = False
        if "~" in code:
            code = code.replace("~", "").replace("^", "")
            reflection = True
        elif "^" in code:
            code = code.replace("^", "")
            reflection = looks_back(piece)
        count = code.count("N")
        nodes: tuple[Node, ...] = ()
        if count > 1:
            claims = _claims(code) if len(code) > _LONG else _known_claims(code)
            if claims:
                nodes = _nodes(claims, mentioned[first : first + count])
        first += count
        sentences.append(Sentence(piece, reflection, nodes))
    return sentences


# --- Statements ------------------------------------------------------------------------------------------------------

Claim = tuple[bool, int, tuple[int, ...], str]
"""Planning, subject, parts, joint; names by their number in the sentence."""

_LONG = 160  # codes: sentences up to here are remembered by their codes, since few shapes are used again and again
_ARTICLE = re.compile(r"@(?=[ie>»rRv&|¦,;:)?.]|$|\0)")
_ASIDE = re.compile(r"\([^()NX]*\)")
_DENIAL = re.compile(r"\([^9]{0,3}!(?!y)[^9]*\)")
_WISH = re.compile(r"\((?:w?[GIm]|t[DEi]|\?)")
# "x (which is A) is B"
_WHICH = re.compile(r"(?<=[NX])\((h[^()]*)\)")
# "x is not only A but also B"
_NOT_ONLY = re.compile(r"!y([NX]),?z(?:al)?(?=[NX](?![ie>»rRbfqvmMC]))")
# "x is known to be A", "x would have to be A"
_PASSIVE = re.compile(r"(?<=[NX])(m?)(?:[ie]w?H|Hw?H?)ti(?=[kKcn]?[noatZ]?g?o?[NX])")
# "x, therefore, is A", "x is, by premise 3, A"
_BETWEEN = re.compile(
    r"""(?:(?<![ioctnZbBfqrR>»ag][NX])(?<=[NX])|(?<=[NX][ie])),(?:s|[aZn]?[w9υpHι]{0,4}),
        (?=s?[ieMCbfqm]|(?:[kK]o|n)?[NX])""",
    re.VERBOSE,
)
# "x is all of the following: A, B"
_COLON = re.compile(r"(?<=[NX][ie])o?:(?=[NX])")
# What takes back the statement before it: "x is A, which is false", "x is A: not given", "| x is A | no |",
# "x is A we do not have"
_REFUTED = re.compile(
    r"""(?<=[NX])\)?
        (?:[,;]?[z&]?,?(?:hp?|T|ι)[ieMCmHp]{0,3}!(?:φ(?!V?w?[TWj])|i?w?(?:[ψDEm](?!w?T)|H(?!t)|ς|z(?![NX])|n(?!g?o?[NX])|i?[HG]?$))
        |[:;,]w?(?:!φ(?:V(?=[,;)]|$)|(?!V))|!i?w?(?:[ψDE](?!w?T)|H(?!t)|z(?![NX])))
        |;!(?=;|$)
        |p!i?[HDEd](?=[,;:.)]|$))""",
    re.VERBOSE,
)
_OPENED = re.compile(r"(?:(?<![NX)])\((?=[NX])|\((?=[&|]))([NX,&|]*)\)")
_INVERTED = re.compile(r"(?<![NX])([ie])([NX])(?=(?:s?(?:ko|Ko|c[nat]|cZ|n)?(?:go?)?)[NX])")
_UNIT = re.compile(
    r"""(?P<list>(?:[gk]o?)?[NX]g?(?:(?:,[&|/]{0,3}|[&|/]{1,3})[tn]?(?:[gk]o?)?[NX]g?)*)
    |(?P<words>w+)
    |(?P<skip>F[NX]g?t[NX]g?|Y[NX]g?&[NX]g?)
    |(?P<suppose>nς(?=N)|ς9[:,]?(?=N)|I|j|L(?=p?N)|π(?=[NXTp])|[nδ]αT?|ω(?=T?[NX])|ω(?=p[CHDEd]{1,3}T?[NX]))
    |(?P<whether>W|(?:[LuM]p?t?|t)?[dDEGHS]j)
    |(?P<goal>[GS]|τt[dDE]?|ζδ(?=T?[NX])|[ie]t[dDE]|t[DH]|Ht[dDE]|nt[dDE]|[LuM]p?t?[dDE]|[Mtum]iH|(?<![ZF])Q(?=:|iT?N)|(?<![^,;:(s9])Q(?=9[:(])
        |[tonZωδ]P)
    |(?P<relation>s?[MCum]?s?(?:!φ?)?(?:[ieJ]s?(?:!φ?V?(?:[zH](?=:))?)?s?(?:[kK]o|c[nat]|cZ|n|o(?=[gk]))?|[bBf][nta]|qa|v)|[rR>»]|n(?=(?:go?)?[NX]))
    |(?P<again>&pC?[HdDE]|pC?U)
    |(?P<say>Lp?σ(?=T?N)|σ(?=T?N))
    |(?P<proof>[κH]?Π(?:oT?|T)?)
    |(?P<begins>t[dE]|[DEP]|Cp)
    |(?P<maybe>m|θ(?=N))
    |(?P<not>H?!φ?V?(?:[zH](?=:))?|θ)
    |(?P<refuted>¬)
    |(?P<stop>aG|[,;:()zsFa])
    |(?P<other>.)""",
    re.VERBOSE,
)
_ARROWS = (">", "»")
_JOINED = ("&", "|")
_SYMBOLS = (*_ARROWS, "r", "R")  # these chain
_MOST = 12  # subjects of one relation: with more, the statements could be many more than the words
_INSERTS = ("z", "F", "a", "Z")  # words that begin a clause within another
_REACH = 4  # units between a goal and the colon that it passes


class _List(NamedTuple):
    """Names, by their number in the sentence."""

    names: list[int]  # -1 for a stranger
    joints: list[str]  # between them


def _read_list(unit: str, first: int) -> _List:
    names: list[int] = []
    joints: list[str] = []
    joint = ""
    for code in unit:
        if code in "NX":
            if names:
                joints.append(joint)
            joint = ""
            names.append(first if code == "N" else -1)
            first += code == "N"
        elif code in ",&|/":
            joint += code
    return _List(names, joints)


def _remark(aside: re.Match[str]) -> str:
    """What is left of an aside: a sign that it takes back what is before it, or that this is wanted only, or "respectively"."""
    if _DENIAL.match(aside[0]):
        return "!"
    if "ρ" in aside[0]:
        return "ρ"
    return "t" if _WISH.match(aside[0]) else ""


def _plainer(code: str) -> str:
    """The codes of a sentence in fewer wordings."""
    if "¦" in code:  # bars at the edge are those of a table
        edges = code.strip("w9;")
        code = code.replace("¦", ";" if edges[0] == "¦" or edges[-1] == "¦" else "|")
    if "(" in code:
        code = _WHICH.sub(r",\1,", _OPENED.sub(r"\1", _ASIDE.sub(_remark, code)))
    if "υ" in code:
        code = code.replace("nυ", "").replace("oυ", "").replace("υ", "w")
    if "y" in code or "l" in code or "λ" in code:
        code = _NOT_ONLY.sub(r"\1&", code).replace("!y", "")
        code = code.replace("ala", "&").replace("al", "").replace("aλa", "j").replace("sλa", "j")
    if "β" in code:
        code = code.replace("βa", "w").replace("β", "w")
    if "ti" in code:
        code = _PASSIVE.sub(r"\1i", code)
    if code.count(",") > 1:
        code = _BETWEEN.sub("", code)
    if ":" in code:
        code = _COLON.sub("", code)
    if "!" in code:
        code = _REFUTED.sub("¬", code)
    return code.replace("W|!", "W")


def _claims(code: str) -> tuple[Claim, ...]:
    """What a sentence of these codes claims."""
    code = _plainer(code)
    question = code.rstrip("),w9").endswith("?")
    if question:
        code = _INVERTED.sub(r"\2\1", code)
    return _Reader(code, question).claims()


_known_claims = lru_cache(maxsize=8192)(_claims)


class _Reader:
    """One pass over the units of a sentence."""

    def __init__(self, code: str, question: bool) -> None:
        self.units: list[tuple[str, str]] = [(match.lastgroup or "", match.group()) for match in _UNIT.finditer(code)]
        self.question = question
        self.lists: dict[int, _List] = {}
        first = 0
        for at, (kind, unit) in enumerate(self.units):
            if kind == "list":
                self.lists[at] = _read_list(unit, first)
            first += unit.count("N")
        self.made: list[Claim] = []
        self.last = 0  # made before the last statement
        self.object = -9  # unit of its list
        self.subjects: list[int] = []  # of it
        self.barred = -1  # relation that has no subject
        self.supposing = False
        self.clause = ""  # "", "goal", "not"
        self.cued = -9  # unit of the last cue; a comma or bracket right after it does not end the clause for good
        self.resumed = ""  # clause that goes on after an inserted one
        self.strict = False  # a number ends that
        self.passes = -9  # a colon up to this unit does not end the clause
        self.listing = False  # after such a colon: commas between statements do not end the clause
        self.paired = "ρ" in code
        self._separate()
        self.links = sum(map(self._relates, range(len(self.units)))) if "j" in code else 0  # still to come

    def _separate(self) -> None:
        """Mark arrows that stand between statements."""
        units = self.units
        both = {">", "»"} <= {unit for kind, unit in units if kind == "relation"}
        for at, (kind, unit) in enumerate(units):
            if kind != "relation" or unit not in _ARROWS:
                continue
            after = self.lists.get(at + 1)
            own = after is not None and len(after.names) == 1 and self._relates(at + 2) and units[at + 2][1] not in _ARROWS
            if own or (both and unit == "»"):
                units[at] = ("stop", "s")

    def _relates(self, at: int) -> bool:
        """Whether unit ``at`` is a relation with a list after it."""
        return at + 1 < len(self.units) and self.units[at][0] == "relation" and at + 1 in self.lists

    def claims(self) -> tuple[Claim, ...]:
        fresh = True  # a clause begins here
        before = ""
        for at, (kind, unit) in enumerate(self.units):
            begins = fresh
            fresh = fresh and unit == "9"
            if kind == "relation":
                self._relation(at, unit)
            elif kind in ("list", "skip"):
                self.passes = -9
            elif kind == "stop":
                self._stop(at, unit)
                fresh = True
            elif kind == "goal" or (kind == "begins" and (before in ("goal", "whether") or (begins and self._heads(at, unit)))):
                if (unit[0] in "Gτ" or unit.endswith("iH")) and self._concerns(at, unit):
                    self._suppose_last()
                self._want(at, weak=unit[0] in "LuM")
                if unit in "DE":
                    self.passes = at + 1
            elif kind == "proof":
                if unit[0] == "Π" and len(unit) > 1:
                    self._want(at, weak=True)
            elif kind == "whether":
                self.clause = ""
                self._want(at)
            elif kind == "maybe":
                if self.object == at - 1:
                    self._suppose_last()
                elif self.object == at - 2 and before == "stop" and at + 1 in self.lists and not self._relates(at + 2):
                    self._take_back()  # "x is A, maybe B"
                self._want(at, weak=True)
                self.passes = at + 1
            elif kind == "suppose" or (kind == "say" and (begins or (unit[0] == "L" and before != "list"))):
                if (
                    self.object == at - 1
                    or (self.object == at - 2 and before == "stop" and self._conditions(unit))
                    or (unit == "j" and self._follows_from(at))
                ):
                    self._suppose_last()
                self.supposing, self.clause, self.resumed = True, "", ""
            elif kind == "again":
                if self.clause == "goal":
                    self.clause = ""
            elif kind == "not":
                self._negate(at)
            elif kind == "refuted":
                self.made[self.last :] = [claim for claim in self.made[self.last :] if claim[0]]
                self.clause, self.cued, self.passes = "not", at, -9
            elif unit == "9":
                if self.strict and self.units[at - 1][1] == "w":
                    self.passes = -9
            elif unit in ("t", "y") and self.object == at - 1 and at + 1 not in self.lists:
                self._suppose_last()
            elif unit == "|" and (self.object == at - 1 or (self.object == at - 2 and before == "stop")):
                self._take_back()
                if not (self.clause or self.supposing or self.question):
                    self.clause = "not"  # "either we find x is A or we find x is B"
            elif unit == "ε" and self.clause == "goal":
                self.clause = ""  # "goal reached: x is A"
            elif unit == "=" and (self.object == at - 1 or (self.object == at - 2 and before == "relation")):
                self._take_back()
                self.clause = "not"
            before = kind
        return tuple(self.made)

    def _want(self, at: int, weak: bool = False) -> None:
        self.cued = at
        if self.clause != "not":
            self.clause = "goal"
            self.passes = -9 if weak else at + _REACH
            self.strict = self.units[at][1][-1] == "D"

    def _stop(self, at: int, unit: str) -> None:
        if unit == ";":
            self.supposing = False
        place = at - 1
        while place > max(at - 3, 0) and self.units[place][1] in ("T", "ς"):
            place -= 1
        near = place == self.cued
        self.listing = False
        if unit == "(" and near:  # "we need (x is A)"
            self.cued = at
        elif unit == "," and near and at + 1 < len(self.units) and self.units[at + 1][1] in _INSERTS:
            self.clause, self.resumed = "", self.clause  # "we show that, since x is A, x is B"
        elif unit == ":" and at <= self.passes:
            self.cued = at
            self.listing = True
        else:
            self._end_clause(unit)
        self.passes = -9

    def _end_clause(self, unit: str) -> None:
        self.clause = ""
        if unit not in _INSERTS:
            if unit == ",":
                self.clause = self.resumed
            self.resumed = ""

    def _heads(self, at: int, unit: str) -> bool:
        """Whether a verb that begins a clause says what is to be done: "x is B, showing that x is A" does not."""
        return unit != "P" or not at or self.units[at - 1][1] not in (",", "s")

    def _concerns(self, at: int, unit: str) -> bool:
        """Whether a goal at ``at`` is what the statement before it is: "x is A needs", "x is A is needed", "x is A: needed"."""
        if self.object == at - 1:
            return True
        return self.object == at - 2 and (
            self.units[at - 1][1] in ("i", "τ", "H")
            or (self.units[at - 1][1] in (":", ";") and self.units[at + 1 : at + 2] in ([], [("stop", ";")]))
        )

    def _conditions(self, unit: str) -> bool:
        """Whether a supposition holds for the statement before its comma: in "x is A, if A is B, x is B" it need not."""
        return unit[0] in "πω" or (unit == "j" and self.links == 1)

    def _follows_from(self, at: int) -> bool:
        """Whether only a word as "holds" stands between a statement and the "if" at ``at``."""
        place = at - 1 - (self.units[at - 1][1] == "y")
        return self.object == place - 1 and self.units[place][1] == "w"

    def _negate(self, at: int) -> None:
        """A negation at ``at``. Right after a statement, with no list of its own, it takes the statement back."""
        after = self.units[at + 1] if at + 1 < len(self.units) else ("", "")
        if self.object == at - 1 and after[0] != "list" and after[1] not in ("G", "S", "χ"):
            self._take_back()
        elif "φ" in self.units[at][1]:  # "x is A seems wrong"
            place = at - 1
            while place > max(at - 5, 0) and self.units[place][1] in ("w", "H", "τ", "t"):
                place -= 1
            if place == self.object:
                self._take_back()
        self.clause, self.cued = "not", at
        self.passes = at + _REACH if self.units[at][1][-1] in "VzH" else -9  # "missing: x is A", "not given: x is A"

    def _take_back(self) -> None:
        del self.made[self.last :]
        self.object = -9

    def _suppose_last(self) -> None:
        self.made[self.last :] = [(True, *claim[1:]) for claim in self.made[self.last :]]

    def _relation(self, at: int, unit: str) -> None:
        subjects = self._subjects_of(at, unit)
        after = self.lists.get(at + 1)
        if after is None or not (subjects or at - 1 in self.lists):
            if "!" in unit:
                if after is None and self.object == at - 2 and self.units[at - 1][1] == ",":
                    self._take_back()
                self._negate(at)
            elif "m" in unit:
                if self.object == at - 1:
                    self._suppose_last()
                self._want(at, weak=True)
            elif unit[0] == "s" and at - 1 not in self.lists:
                self.clause = ""
        if after is None:
            return
        self.links -= 1
        count = len(after.names)
        if self._relates(at + 2):
            follower = self.units[at + 2][1]
            if count > 1:
                count = self._first_subject(at + 2, follower, after, True)
                if count < 1:
                    subjects = []
                elif "|" in after.joints[count - 1] and not (self.question or self.supposing or self.clause):
                    subjects = []
                    self.barred = at + 2
            elif follower not in _SYMBOLS:
                subjects = []
                if unit == "n" and at - 1 in self.lists:
                    self.barred = at + 2
        self.last = len(self.made)
        self.object = at + 1
        self.subjects = subjects
        self.passes = -9
        if not subjects or unit == "n" or "!" in unit or self.clause == "not":
            return
        parts, joints = after.names[:count], "".join(after.joints[: count - 1])
        joint = OR if "|" in joints else AND if joints else SINGLE
        if -1 in parts or "/" in joints or ("|" in joints and "&" in joints):
            return
        possible = "m" in unit or ("C" in unit and "c" not in unit)
        planning = self.question or self.supposing or self.clause == "goal" or possible
        reverse = "v" in unit or "K" in unit or unit == "R"
        if self.paired and len(subjects) > 1 and count > 1:  # "x and y are A and B, respectively"
            pairs = list(zip(subjects, parts, strict=False)) if len(subjects) == count and joint == AND else []
            if min(subjects) >= 0:
                self.made.extend((planning, *((part, (name,)) if reverse else (name, (part,))), SINGLE) for name, part in pairs)
            return
        for subject in subjects:
            if subject < 0:
                continue
            if reverse:
                if joint != OR:
                    self.made.extend((planning, part, (subject,), SINGLE) for part in parts)
            elif joint == AND and count > 3:
                self.made.extend((planning, subject, (part,), SINGLE) for part in parts)
            else:
                self.made.append((planning, subject, tuple(parts), joint))

    def _first_subject(self, at: int, unit: str, names: _List, taken: bool) -> int:
        """Where, in the list before relation ``at``, its subjects begin. ``taken``: the names before them are a predicate.

        0 then means that this cannot be told.
        """
        end = len(names.names)
        if not ("e" in unit or "B" in unit) or end < 2 or "&" not in names.joints[-1]:
            return end - 1
        commas = [place for place, joint in enumerate(names.joints[:-1], 1) if "," in joint]
        if not taken:
            return 0
        if commas:
            return commas[-1]
        return end - 1 if end == 2 else 0

    def _subjects_of(self, at: int, unit: str) -> list[int]:
        """The subjects of the relation ``at``; none if it has no proper ones. A comma before them ends the clause."""
        if at == self.barred:
            return []
        names = self.lists.get(at - 1)
        if names is not None:
            taken = self.object == at - 1
            first = self._first_subject(at, unit, names, taken) if len(names.names) > 1 else 0
            if not taken and not first and at > 1 and self.units[at - 2][1] in ("o", "y"):
                return []
            if first and "," in names.joints[first - 1] and "|" not in names.joints[first - 1] and not self.listing:
                self._end_clause(",")
            if "|" in "".join(names.joints[first:]) or (first and not taken and names.joints[first - 1] in _JOINED):
                return []
            subjects = names.names[first:]
            return subjects if len(subjects) <= _MOST else []
        units = self.units
        joint = units[at - 1][1] if at else ""
        if joint in ("h", "T"):
            comma = at > 1 and units[at - 2][1] == ","
            place = at - 3 if comma else at - 2
            names = self.lists.get(place)
            if names is None or len(names.names) > 1:
                return []
            if not comma and (joint == "T" or self._relates(at + 2)):
                self.barred = at + 2
                return []
            return names.names
        place = at - 1
        while place > at - 3 and place >= 0 and units[place][1] in (",", "&"):
            place -= 1
        if joint in (",", "&") and place == self.object and unit not in _SYMBOLS and unit[0] not in "sJn":
            return self.subjects
        return []


def _nodes(claims: tuple[Claim, ...], names: list[str]) -> tuple[Node, ...]:
    """The claims with the names put in, without those that say nothing."""
    nodes = []
    for planning, place, parts, joint in claims:
        stated = _stated(names[place], tuple([names[part] for part in parts]), joint)
        if stated is not None:
            nodes.append(Node(stated, planning))
    return tuple(nodes)


@lru_cache(maxsize=8192)  # a response repeats itself, and the same object is compared faster
def _stated(subject: str, parts: tuple[str, ...], joint: str) -> Statement | None:
    return informative(statement(subject, parts, joint))
