"""The words of reasoning text as codes, one character each, on which the rules for statements work (``reasoning.py``).

Entities, tags, zero-width characters, markdown (``** _ ` $``) and LaTeX wrappers are taken away; case is ignored. A name is
a whole word of the vocabulary, or it with "es". A *stranger* is a single letter, a word shaped like the names that is none,
or a word that a name is only a part of. Other words have the code of the line of ``_TABLE`` that lists them; articles,
"every", "also", "both" and other fillers have none; a word of no line is ``w``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from rb_verify.reflection import SIGNS, TELLING

# Code, what it stands for, words. Codes that no line has:
#   N name   X stranger   @ the word "a": an article, or a letter where a name could stand   w any other word   9 number
#   beside another code: ^ a word of SIGNS, ~ of TELLING, V a negation that passes a colon ("missing: ..."),
#   φ a negation that judges ("false"), not the word "not"
#   \0 between sentences
_TABLE = r"""
j if: if unless whenever
I suppose: iff suppose supposing assume assuming imagine hypothetically hypothesize pretend assumed
I suppose: supposed presume presuming presumed presupposes supposition
π provided: provided providing
α assumption: assumption assumptions hypotheses
ω when: when once
λ long: long
W whether: whether how why
G goal: subgoal subgoals sub-goal sub-goals need needs needed want wants wanted goal goals aim aims aiming target targets
G goal: objective require requires required requiring seek seeking hope hoping wish try tries trying tried attempt attempts
G goal: attempted attempting plan plans planning intend task reduces reduce boils question asks asked ask asking wonder
G goal: wondering looking ensure sought conjecture expect possibility open pending todo
G goal: subproblem sub-problem subtask sub-task
τ remains: remains remain left
S enough: suffice suffices enough sufficient
D show: show prove verify check determine establish find confirm decide test examine demonstrate investigate see explore
D show: evaluate assess reach refute disprove
E derive: derive deduce infer
d get: get conclude obtain form build
L let: let let's lets
u will: will going i'll we'll gonna shall
M must: must
m maybe: might may could would should perhaps maybe possibly probably likely possible presumably supposedly allegedly
m maybe: hopefully apparently otherwise guess suspect tempting premature hasty i'd we'd
C can: can
p we: i we us me i'm we're
ι this: it this
H have: have has was were know got known deduced derived shown proved proven established concluded obtained found had i've
H have: we've turns turned verified checked tested confirmed determined decided examined evaluated
! not: not no never neither nor none nothing nobody cannot can't don't doesn't didn't won't wouldn't couldn't lacks lack
! not: fails fail failed failing unable hasn't haven't wasn't weren't hadn't shouldn't needn't
! not: refutes disproves deny denies denying reject rejects rejected exclude excludes absence doubt nowhere some most few
! not: ¬ ~ ✗ ✘ ❌ × ∄ ∃ ∉ ⊄ ⊈ ↛
! not: \neg \lnot \not \notin \nsubseteq \exists \nrightarrow
θ without: without
y only: only
χ help: help helps matter matters useful relevant helpful
ψ true: true right correct valid stated derivable provable follow hold exist listed among justified supported
Q claim: claim claims hypothesis query thesis remaining lemma theorem proposition
Π proof: proof proofs derivation
κ complete: completes complete completing completed finishes finish finished concludes ends end
ε reached: reached achieved accomplished fulfilled
P proving: proving showing deriving verifying checking establishing determining finding
σ say: say
= means: means mean meaning equivalent
z since: since because but given while although though however whereas yet
F from: from
s so: so therefore thus hence consequently accordingly ∴ \therefore
U use: use apply combine
a as: as
l well: well
β such: such
h which: which
T that: that who whose
ρ respectively: respectively
Y between: between
ζ look: look search searching hunt
δ for: for on toward towards about
t to: to
o of: of
n in: in into under within inside
υ adverb after in or of: turn fact course
Z by: by
i is: is be
e are: are
J being: being
k kind: type kind sort form part member members element elements instance instances subset subsets subtype subclass
k kind: subcategory example
ς case: case
K superset: superset supersets supertype superclass
c contained: contained included classified categorized categorised located found subsumed nested covered encompassed labeled
c contained: labelled counted
b belongs: belongs
B belong: belong
f falls: falls fall fits fit lies lie
q counts: counts count qualifies qualify
v contains: contains contain includes include covers cover encompasses encompass comprises comprise
r subset: ⊆ ⊂ ∈ ⊑ ⊊ \subseteq \subset \in \subsetneq \sqsubseteq
R supset: ⊇ ⊃ ∋ ⊋ \supseteq \supset \ni \supsetneq
> arrow: → -> --> ⟶ ➔ ➜ ↦ \to \rightarrow \longrightarrow \mapsto
» implies: ⇒ ⟹ => ==> \implies implies imply
g category: category categories class classes set sets group groups
& and: and & ∧ ∩ \land \wedge \cap
| or: or ∨ ∪ \lor \vee \cup
¦ bar: |
; semicolon: ; ； … – —
, comma: , ， 、
: colon: : ：
( opening: ( （
) closing: ) ）
? question: ? ？
/ slash: / xor ⊕ vs versus
i! contraction: isn't
e! contraction: aren't
ιi contraction: it's
wi contraction: there's what's
Ti contraction: that's
hi contraction: which's
pu contraction: i'll we'll
pm contraction: i'd we'd
pH contraction: i've we've
wm before: before until it'd that'd
!= contradicts: contradicts contradict contradicting
!φ false: false wrong incorrect impossible untrue invalid unprovable underivable refuted disproved disproven absurd
!φ false: contradiction doubtful questionable uncertain
!φV missing: missing unknown unproven unproved unverified unclear absent lacking
@ article: a
"""
_FILLERS = r"""
the an every each all any both either also indeed then now next first second third finally clearly obviously certainly
surely definitely simply just itself themselves already necessarily directly automatically even immediately logically
ultimately do does did again still too following really actually truly proper special particular specific order likewise
similarly thereby naturally evidently trivially equally moreover furthermore ∀ \forall
\text \mathrm \textbf \mathbf \textit \mathit \texttt \mathsf \mathcal \operatorname \quad \qquad \left \right
"""


def _codes_of(lines: Iterable[str]) -> dict[str, str]:
    table = {}
    for line in lines:
        code, _, rest = line.partition(" ")
        table.update(dict.fromkeys(rest.partition(": ")[2].split(), code))
    table["\0"] = "\0"
    table.update(dict.fromkeys(_FILLERS.split(), ""))
    for word in SIGNS:
        table[word] = table.get(word, "w") + "^"
    table.update(dict.fromkeys(TELLING, "w~"))
    return table


CODES = _codes_of(_TABLE.strip().split("\n"))
_WORD = re.compile(r"\w+(?:['-]\w+)*")
TOKEN = re.compile(_WORD.pattern + r"|\\[a-z]+|<?--?>|<?==?>|\.\.+|[^\s\w.*`$\"'\[\]{}#\\“”„•<>-]")
_PART = re.compile(r"['_-]")
_SHAPE = re.compile(r"[a-z]{2,7}(?:u+s+|pu|p[aeiou]s|u[sz]es|pu[a-z])|[^\W\d_]")


class Words(NamedTuple):
    """What a vocabulary makes of words."""

    names: dict[str, str]  # the name that each form of a name stands for
    codes: dict[str, str]  # by token


@lru_cache(maxsize=64)
def words_of(vocabulary: frozenset[str]) -> Words:
    """The words of a row. Names that no word can equal are left out."""
    names = {}
    for name in sorted(vocabulary):
        form = name.lower()
        if _WORD.fullmatch(form):
            names[form + "es"] = name
            names[form] = name
    return Words(names, {**CODES, **dict.fromkeys(names, "N")})


class Codes(dict[str, str]):
    """The code of every token. A new one for each text, since it remembers the words of no table."""

    def __init__(self, words: Words) -> None:
        super().__init__(words.codes)
        self.names = words.names

    def __missing__(self, token: str) -> str:
        code = _known_code(token) if len(token) <= _LONG else _code_of(token)
        if not code:
            code = "X" if any(part in self.names for part in _PART.split(token)) else "w"
        self[token] = code
        return code


def _code_of(token: str) -> str:
    """The code of a word of no table; empty if it has parts, which may be names."""
    if token[0].isdigit():
        return "9"
    if token.startswith(".."):
        return ";"
    if _SHAPE.fullmatch(token):
        return "X"
    return "" if _PART.search(token) else "w"


_LONG = 24  # letters: words up to here are remembered from text to text
_known_code = lru_cache(maxsize=16384)(_code_of)


# A number of many digits, which unescape does not read: zeros in front, and what is no character.
_ZEROS = re.compile(r"&#0+(?=[0-9])")
_TOO_LARGE = re.compile(r"&#[0-9]{8,};?")
_HIDDEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_EDGE = re.compile(r"_(?:(?<![^\W_]_)_*|_*(?![^\W_]))")
_ALONE = re.compile(r"(?<!\S)~(?!\S)")
_TAG = re.compile(r"</?(?:b|i|u|em|strong|code|tt|span|mark|sub|sup|small)\s?/?>", re.IGNORECASE)
_BREAK = re.compile(r"</?(?:br|hr|p|div|ul|ol|li|table|tr|td|th)\s?/?>", re.IGNORECASE)
_STRUCK = re.compile(r"<(?:s|del|strike)>", re.IGNORECASE)


def normal(text: str) -> str:
    """The text in lower case, without what only dresses it."""
    if "&" in text:
        text = unescape(_TOO_LARGE.sub("\ufffd", _ZEROS.sub("&#", text)) if "&#" in text else text)
    if not text.isascii():
        for character in _HIDDEN:
            text = text.replace(character, "")
        text = text.replace("’", "'").replace("‘", "'").replace("−", "-").replace("‑", "-")
    if "<" in text:
        text = _STRUCK.sub(" ¬ ", _BREAK.sub(" ; ", _TAG.sub(" ", text)))
    if "~" in text:
        text = _ALONE.sub(" ", text)
    if "\\" in text:
        text = text.replace("\\Rightarrow", "⇒").replace("\\Longrightarrow", "⇒")
        for sign in ("\\(", "\\)", "\\[", "\\]", "\\,", "\\;", "\\ "):
            text = text.replace(sign, " ")
    if "_" in text:
        text = _EDGE.sub(" ", text)
    return text.lower().replace("e.g.", "").replace("i.e.", "")
