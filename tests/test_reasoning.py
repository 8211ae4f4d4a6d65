"""The parser of reasoning text, held against a table of readings for each of its rules, and against hostile text.

In the tables x, y and A to D stand for names, and "x is A?" is a planning node.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify.reasoning import Node, parse
from rb_verify.statements import AND, OR, statement
from rb_verify.words import CODES, normal

NAMES = {"x": "babkpus", "y": "jimrpus", "A": "dalmpus", "B": "fentpus", "C": "gorzpus", "D": "hilkpus"}
VOCABULARY = tuple(NAMES.values())


def named(text: str) -> str:
    """The text with the names for the letters."""
    return re.sub(r"(?<![\w\\])[xyABCD](?!\w)", lambda match: NAMES[match[0]], text)


def said(text: str) -> str:
    """What the sentences of a text say, in one line."""
    nodes = [node for sentence in parse(named(text), VOCABULARY) for node in sentence.nodes]
    letters = {name: letter for letter, name in NAMES.items()}
    readable = [re.sub(r"\w+pus", lambda match: letters[match[0]], str(node.statement)) for node in nodes]
    return "; ".join(text + "?" * node.planning for text, node in zip(readable, nodes, strict=True))


# One statement each, however it is worded.
STATED = [
    ("x is A.", "x is A"),
    ("every x is an A", "x is A"),
    ("x is a type of A", "x is A"),
    ("A contains x", "x is A"),
    ("A is a superset of x", "x is A"),
    ("premise 3: x is A", "x is A"),
    ("the statement x is A is true", "x is A"),
    ("x is A (by MP)", "x is A"),
    ("**x** is `A`", "x is A"),
    ("x must be A", "x is A"),
    ("x can be classified as A", "x is A"),
    ("we can conclude that x is A", "x is A"),
    ("x is in the category of A", "x is A"),
    ("x falls under A", "x is A"),
    ("x qualifies as A", "x is A"),
    ("x is therefore A", "x is A"),
    ("No. 3: x is A", "x is A"),
    ("e.g. x is A", "x is A"),
    ("Let me see: x is A", "x is A"),
    ("Let me verify: x is A", "x is A"),
    ("x is A [1]; A is B [2]", "x is A; A is B"),
    ("x is A — A is B", "x is A; A is B"),
    ("x is A... so x is B", "x is A; x is B"),
    ("x is part of A", "x is A"),
    ("Combining these to get x is A", "x is A"),
    ("which means x is A", "x is A"),
    ("This means that x is A", "x is A"),
    ("x are A", "x is A"),
    ("x is A but not B", "x is A"),
    ("it follows that x is A", "x is A"),
    ("We know x is A.", "x is A"),
    ("x is indeed A", "x is A"),
    ("The conclusion x is A is true", "x is A"),
    ("x is A is true", "x is A"),
    ("x being A gives x is B", "x is A; x is B"),
    ("All members of x are members of A", "x is A"),
    ("anything that is x is A", "x is A"),
    ("| x is A | A is B |", "x is A; A is B"),
    ("In this case x is A", "x is A"),
    ("We claim x is A", "x is A"),
    ("x is of type A", "x is A"),
    ("As required: x is A", "x is A"),
    ("x is truly A", "x is A"),
    ("not only is x A but x is B", "x is B"),
    ("Knowing x is A lets us say x is B.", "x is A; x is B"),
    ("x is A is exactly what we need.", "x is A"),
    ("So we have x is A but not x is B.", "x is A"),
    ("I think x is A.", "x is A"),
    ("It seems x is A.", "x is A"),
    ("We can get x is A", "x is A"),
    ("- x is A: premise 4", "x is A"),
    ("- **x is A** (given)", "x is A"),
    ("Step 3 - x is A", "x is A"),
    ("(x is A) ∧ (A is B) ⊢ x is B", "x is A; A is B; x is B"),
    ("A is where x goes: x is A", "x is A"),
    ("x is therefore also A", "x is A"),
    ("x is thus in A", "x is A"),
    ("x must therefore be A", "x is A"),
    ("x must also be in A", "x is A"),
    ("x will also be A", "x is A"),
    ("whatever is x is A", "x is A"),
    ("everything in x is in A", "x is A"),
    ("Hence every x belongs to the class A.", "x is A"),
    ("x is A. ", "x is A"),
    ("The conclusion: x is A.", "x is A"),
    ("Final answer: x is A is True.", "x is A"),
    ("x is an A but A is not B", "x is A"),
    ("There is a rule: x is A. ", "x is A"),
    ("x: x is A", "x is A"),
    ("x is A = premise 3", "x is A"),
    ("Applying x is A to A is B", "x is A; A is B"),
    ("| 1 | x is A | premise |", "x is A"),
    ("x is A ✓", "x is A"),
    ("✓ x is A", "x is A"),
    ("Have: x is A", "x is A"),
    ("Given: x is A", "x is A"),
    ("Premise: x is A", "x is A"),
    ("Fact: x is A", "x is A"),
    ("I was told x is A", "x is A"),
    ("We get from x is A that x is B", "x is A; x is B"),
    ("Then from x is A to x is B via A is B", "x is A; x is B; A is B"),
    ('We go from "x is A" to "x is B" using "A is B".', "x is A; x is B; A is B"),
    ("The premises include x is A.", "x is A"),
    ("The list contains A is B.", "A is B"),
    ("Premise 4 contains A: x is A.", "x is A"),
    ("x is A was already derived.", "x is A"),
    ("x is A is not enough.", "x is A"),
    ("x is A is not only given but useful", "x is A"),
    ("x must be B for x to be A.", "x is B"),
    ("Consider x is A.", "x is A"),
    ("Take x is A.", "x is A"),
    ("Let us use x is A.", "x is A"),
    ("I'll use A is B on x is A.", "A is B; x is A"),
    ("Then I need to go from A to B: A is B.", "A is B"),
    ("x is A is wrong; x is B.", "x is B"),
    ("x is B rather than A.", "x is B"),
    ("x is A but that doesn't help.", "x is A"),
    ("Apart from x is A we know A is B.", "x is A; A is B"),
    ("Goal reached: x is A.", "x is A"),
    ("x is A has been shown.", "x is A"),
    ("x is A; that is what we needed.", "x is A"),
]

# Lists of names and of statements.
LISTS = [
    ("x belongs to A and B", "x is A and B"),
    ("x is A, which is B", "x is A; A is B"),
    ("x is A, B and C", "x is A and B and C"),
    ("x is A, B, C", "x is A and B and C"),
    ("x is A, B, C and D", "x is A; x is B; x is C; x is D"),
    ("x is A and x is B", "x is A; x is B"),
    ("x is A and is B", "x is A; x is B"),
    ("x and y are A", "x is A; y is A"),
    ("x is A and y is B", "x is A; y is B"),
    ("x is either A or B", "x is A or B"),
    ("x is x and A", "x is A"),
    ("given x is A, x is B", "x is A; x is B"),
    ("since x is A and A is B, x is B", "x is A; A is B; x is B"),
    ("from x is A and A is B we get x is B", "x is A; A is B; x is B"),
    ("x is A, I need to check that", "x is A"),
    ("For x, A is B", "A is B"),
    ("x is (A and B)", "x is A and B"),
    ("x is A as well as B", "x is A and B"),
    ("A, which is B, is C", "A is B; A is C"),
    ("So x is A, and y and B are C", "x is A; y is C; B is C"),
    ("x is A (since x is B and B is A).", "x is A; x is B; B is A"),
    ("From x is B, B is A, I get x is A", "x is B; B is A; x is A"),
    ("x is A, B is C, C is D", "x is A; B is C; C is D"),
    ("x is A or B, so C is D", "x is A or B; C is D"),
    ("it is not the case that x is A, but x is B", "x is B"),
    ("Let me list: x is A, A is B", "x is A; A is B"),
    ("We have x is A and A is B, therefore x is B", "x is A; A is B; x is B"),
    ("x is A by premise 1 and A is B by premise 2", "x is A; A is B"),
    ("Thus, by MP, x is B.", "x is B"),
    ("Therefore x belongs to both A and B.", "x is A and B"),
    ("A includes both x and y", "x is A; y is A"),
    ("x is in A and in B", "x is A and B"),
    ("x is A and nothing else", "x is A"),
    ("Since all x are A and all A are B, all x are B.", "x is A; A is B; x is B"),
    ("x is a A, A is a B, so it's B too", "x is A; A is B"),
    ("x is either A, B or C", "x is A or B or C"),
    ("x is A & B", "x is A and B"),
    ("x is A ∪ B", "x is A or B"),
    ("x is A, not B", "x is A"),
    ("Premises: x is A, A is B, B is C.", "x is A; A is B; B is C"),
    ("x is a member of A and an element of B", "x is A and B"),
    ("x is a member of A and is an element of B", "x is A; x is B"),
    ("Therefore, x is A or B or C.", "x is A or B or C"),
    ('We have "x is A" and "A is B".', "x is A; A is B"),
    ("| 3 | x is A | MP 1, 2 |", "x is A"),
    ("x is A so A is B so x is B and since B is C x is C", "x is A; A is B; x is B; B is C; x is C"),
    ("x is B, showing that x is A", "x is B; x is A"),
    ("x is A and so is y", "x is A"),
    ("x, which is A, is B", "x is A; x is B"),
    ("Thus x is A and B, and hence x is A.", "x is A and B; x is A"),
    ("With x is A and A is B we can apply MP: x is B", "x is A; A is B; x is B"),
    ("x is A [premise], A is B [premise] ⊢ x is B", "x is A; A is B; x is B"),
    ("Therefore, x is A, and A is B, and B is C, so x is C.", "x is A; A is B; B is C; x is C"),
    (
        "Looking at the premises, x is A (3), A is B (7), and B is C (9), which together give x is C.",
        "x is A; A is B; B is C; x is C",
    ),
    ('Premise 1 states "x is A", so, combined with "A is B", x is B.', "x is A; A is B; x is B"),
    ("The fact that x is A and the fact that A is B together imply x is B.", "x is A; A is B; x is B"),
    ("Using x is A and A is B, we derive x is B.", "x is A; A is B; x is B"),
    ("Applying MP to x is A and A is B gives x is B.", "x is A; A is B; x is B"),
    ("x is A follows from x is B and B is A.", "x is A; x is B; B is A"),
    ("Because x is A, and because A is B, we know x is B, which is also C.", "x is A; A is B; x is B; B is C"),
    ("Let me look for premises with x: x is A, x is B.", "x is A; x is B"),
    ("Let's list what x is: x is A, x is B and x is C.", "x is A; x is B; x is C"),
    ("Now, from premise 12 (A is B or C), x is B or C.", "A is B or C; x is B or C"),
    ("x is A hence x is A or B.", "x is A; x is A or B"),
    ("Given that x is A (premise 2) and that A is B (premise 5), it follows that x is B.", "x is A; A is B; x is B"),
    ("Here x is A and B is C are premises.", "x is A; B is C"),
    ('The premises "x is A" and "A is B" are given.', "x is A; A is B"),
    ("We have that x is not A, B is C", "B is C"),
    ("x is A and not B, but C is D", "x is A; C is D"),
    ("We verify: x is A, A is B.", "x is A; A is B"),
    ("x is (A or B)", "x is A or B"),
    ("| 2 | A is B or C | premise 4 |", "A is B or C"),
    ("x is A ⇐ premises 1, 2", "x is A"),
    ('The premise says "x is A", which, together with "A is B" (premise 5), means x is B.', "x is A; A is B; x is B"),
    ("Since premise 7 tells us A is B or C and x is A, it follows by MP that x is B or C.", "A is B or C; x is A; x is B or C"),
    ("In other words, x is A.", "x is A"),
    ("That is, x is A.", "x is A"),
    ("So far we know: x is A, A is B; still missing: B is C.", "x is A; A is B"),
    ("Proof. x is A and A is B.", "x is A; A is B"),
    ("Candidates for B: A is B, C is B.", "A is B; C is B"),
    ("Look for something that is A: x is A, y is A.", "x is A; y is A"),
    ("Since A is contained in B, and x in A, x is in B.", "A is B; x is B"),
    ("As x is A and not B, we stop.", "x is A"),
    ("I know that x is A because x is B and B is A", "x is A; x is B; B is A"),
    ("So, x is B: x is A, and A is B.", "x is B; x is A; A is B"),
    ("x is A, therefore: x is B.", "x is A; x is B"),
    ("x is A, though not B", "x is A"),
    ("After we show x is A, we get x is B.", "x is A; x is B"),
    ("In order for x to be A, x must be B.", "x is B"),
    ("Next step: x is A and A is B, therefore x is B.", "x is A; A is B; x is B"),
    ("Not x is A, but x is B.", "x is B"),
    ("x is B, not x is A.", "x is B"),
    ("x isn't A, since x is B.", "x is B"),
    ("No premise gives x is A or x is B directly, but A is B.", "A is B"),
    ("Besides x is A, we know A is B.", "x is A; A is B"),
    ("Either way, x is A.", "x is A"),
    ("x is either A or B, and A is C and B is C.", "x is A or B; A is C; B is C"),
    ("When we combine x is A and A is B, we get x is B.", "x is A; A is B; x is B"),
    ("The premises say x is A.", "x is A"),
    ("After proving x is A, we get x is B.", "x is A; x is B"),
    ("By Lemma 1: x is A", "x is A"),
    ("By claim 2: x is A", "x is A"),
    ("This completes the proof of x is A.", "x is A"),
    ("We have a proof that x is A.", "x is A"),
    ("Let me check, x is A, A is B.", "x is A; A is B"),
    ("¬ (x is A), but x is B", "x is B"),
    ("~ x is A ~", "x is A"),
    ("x is A ~ premise 3", "x is A"),
    ("x -> A | B", "x is A or B"),
    ("x ∈ A|B", "x is A or B"),
    ("| x is A | B |", "x is A"),
    ("x and y are A and B, respectively.", "x is A; y is B"),
    ("x and y are A and B (respectively).", "x is A; y is B"),
    ("x, y and A are B, C and D respectively", "x is B; y is C; A is D"),
    ("x is A and B by premises 3 and 4, respectively.", "x is A and B"),
    ("x is not only A but also B.", "x is A and B"),
    ("x is not only A but B.", "x is A and B"),
    ("x is not only A, but also B.", "x is A and B"),
    ("The premises provided say x is A.", "x is A"),
    ("x is A, as provided by premise 3.", "x is A"),
    ("x is A, which is not enough.", "x is A"),
    ("x is A, which is not B.", "x is A"),
    ("x is A, which is not known to be B.", "x is A"),
    ("x is A, but it is not true that A is B.", "x is A"),
    ("x is A, but this is not what we need.", "x is A"),
    ("x is A, which is not a kind of B.", "x is A"),
    ("x is A, which is not in B.", "x is A"),
    ("x has been shown to be A.", "x is A"),
    ("x was proved to be A.", "x is A"),
    ("x is known to be A.", "x is A"),
    ("x turns out to be A.", "x is A"),
    ("x has to be A.", "x is A"),
    ("x is, in turn, A.", "x is A"),
    ("x is in turn a kind of A.", "x is A"),
    ("x is, in fact, A.", "x is A"),
    ("x is in fact A.", "x is A"),
    ("x is, by MP, A.", "x is A"),
    ("x is, by premise 3, A.", "x is A"),
    ("x, therefore, is A.", "x is A"),
    ("x, then, is A.", "x is A"),
    ("x, by premise 3, is A.", "x is A"),
    ("x, as we know, is A.", "x is A"),
    ("x, then, is A, and A, in turn, is B.", "x is A; A is B"),
    ("x is all of the following: A, B and C.", "x is A and B and C"),
    ("x is the following: A, B, C and D.", "x is A; x is B; x is C; x is D"),
    ("The answer is: x is A", "x is A"),
    ("x (which is A) is also B.", "x is A; x is B"),
    ("x (which is A)", "x is A"),
    ("So x is B (which is A), and A is C.", "x is B; B is A; A is C"),
    ("I need to check premise 7: x is A", "x is A"),
    ("Let me check statement 4: x is A", "x is A"),
    ("<b>x</b> is <i>A</i><br>A is B", "x is A; A is B"),
    ("By assumption, x is A.", "x is A"),
    ("Assumption 3: x is A.", "x is A"),
    ("The needed premise, x is A, is there.", "x is A"),
    ("In the end, x is A.", "x is A"),
    ("x is A (not B).", "x is A"),
    ("instead of x is A we have x is B", "x is B"),
    ("x is A instead of x is B", "x is A"),
    ("Missing piece: A is B, but x is A.", "x is A"),
    ("x is A is not needed.", "x is A"),
    ("x is A, as required.", "x is A"),
    ("We can derive x is A.", "x is A"),
    ("Only then can we conclude x is A.", "x is A"),
    ("x likewise is A", "x is A"),
    ("Similarly, x is A.", "x is A"),
    ("x is A, contradicting y is B.", "x is A"),
    ("x is A, which contradicts the claim y is B.", "x is A"),
    ("Therefore x is A, which completes the proof.", "x is A"),
    ("Therefore x is A, which was to be shown.", "x is A"),
    ("Therefore x is A, which is true.", "x is A"),
    ("x is A, which is what we want.", "x is A"),
    ("x is A, which is given.", "x is A"),
    ("x is A which we know from premise 3.", "x is A"),
    ("x is A, and it is also B", "x is A"),
    ("Having x is A in hand, x is B.", "x is A; x is B"),
    ("Note that x is A, not B, and A is C.", "x is A; A is C"),
    ("Proof: x is A.", "x is A"),
    ("Derivation: x is A; A is B", "x is A; A is B"),
    ("The proof is complete: x is A.", "x is A"),
    ("By definition of A, x is A.", "x is A"),
    ("By the proof above x is A.", "x is A"),
    ("The lemma says x is A.", "x is A"),
    ("Using lemma 2 (x is A), we get x is B.", "x is A; x is B"),
    ("From claim 2 (x is A) we get x is B.", "x is A; x is B"),
    ("As shown in claim 2: x is A.", "x is A"),
    ("So the claim x is A is proved.", "x is A"),
    ("We turn to x is A.", "x is A"),
    ("In order to use x is A we need x.", "x is A"),
    ("This leaves x is A.", "x is A"),
    ("On the left, x is A.", "x is A"),
    ("The left side is x, so x is A.", "x is A"),
    ("Toward x is A: x is B.", "x is A; x is B"),
    ("The chain to x is A: x is B, B is A.", "x is A; x is B; B is A"),
    ("At the end of the day x is A.", "x is A"),
    ("x is A, end of proof.", "x is A"),
    ("x is A (proof: x is B and B is A)", "x is A; x is B; B is A"),
    ("x is A — that's true by premise 3.", "x is A"),
    ("x is A, and this is not wrong", "x is A"),
    ("x is A; right: x is B", "x is A; x is B"),
    ("Let me look for something that is A: x is A.", "x is A"),
    ("x is A remains true.", "x is A"),
    ("x is A seems right.", "x is A"),
    ("Since x is A we don't need B.", "x is A"),
    ("As x is A we cannot use B.", "x is A"),
    ("x is A, I don't know why.", "x is A"),
    ("x is A; missing: A is B", "x is A"),
    ("| 3 | x is A | given |", "x is A"),
    ("x is A: given", "x is A"),
    ("x is A: true", "x is A"),
    ("x is A, but not known to be B", "x is A"),
    ("x is A; it does not follow that x is B.", "x is A"),
    ("We know x is A, which doesn't mean x is B.", "x is A"),
    ("x is A, not x is B.", "x is A"),
    ("x is A, no doubt.", "x is A"),
    ("x is A, wait no, x is B", "x is A; x is B"),
    ("The set x is a subset of the set A.", "x is A"),
    ("It's certain that x is A.", "x is A"),
    ("Therefore the claim that x is A is correct.", "x is A"),
    ("What we know: x is A, A is B. ", "x is A; A is B"),
    ("Premises that do not help: x is A, A is B.", "x is A; A is B"),
    ("x is A doesn't help.", "x is A"),
    ("x is A doesn't matter here.", "x is A"),
    ("x (which is A) is B", "x is A; x is B"),
]

# Signs: chains, and inferences between statements.
ARROWS = [
    ("x ∈ A ∩ B", "x is A and B"),
    ("$x \\subseteq A$", "x is A"),
    ("$\\text{x} \\to \\text{A} \\Rightarrow B$", "x is A"),
    ("x → A → B", "x is A; A is B"),
    ("x is A → x is B", "x is A; x is B"),
    ("x is A and A is B ⇒ x is B", "x is A; A is B; x is B"),
    ("x → A, A → B ⇒ x → B", "x is A; A is B; x is B"),
    ("(x is A) → (x is B)", "x is A; x is B"),
    ("x is A and → B", "x is A"),
    ("x->A->B->C", "x is A; A is B; B is C"),
    ("x --> A", "x is A"),
    ("x => A", "x is A"),
    ("x \\implies A", "x is A"),
    ("So far: x → A (premise 3) → B (premise 5)", "x is A; A is B"),
    ("x ⊆ A → x ⊆ B", "x is A; x is B"),
    ("x∈A∧B", "x is A and B"),
    ("A ⊇ x", "x is A"),
    ("x ⊂ A ⊂ B", "x is A; A is B"),
    ("x → (A and B)", "x is A and B"),
    ("x &rarr; A", "x is A"),
    ("1) x is A 2) A is B => 3) x is B", "x is A; A is B; x is B"),
    ("By DI, x is A implies x is A or B.", "x is A; x is A or B"),
    ("Step 3: From x is A & A is B → x is B", "x is A; A is B; x is B"),
    ("x is A + A is B => x is B", "x is A; A is B; x is B"),
    ("x is A, A is B ⟹ x is B", "x is A; A is B; x is B"),
    ("x ⊆ A, A ⊆ B ∴ x ⊆ B", "x is A; A is B; x is B"),
    ("x ∈ A and A ⊆ B, so x ∈ B", "x is A; A is B; x is B"),
    ("x -> A -> B -> C, so x is C", "x is A; A is B; B is C; x is C"),
    ("x → A (p1), A → B (p2) ⇒ x → B", "x is A; A is B; x is B"),
    ("The chain x → A → B → C proves x is C", "x is A; A is B; B is C; x is C"),
    ("1. x is A → premise 3", "x is A"),
    ("2. A is B → premise 4", "A is B"),
    ("3. x is B → from 1, 2", "x is B"),
    ("x is A → MP(1,2)", "x is A"),
    ("One route: x → A → B. Another: x → C → B.", "x is A; A is B; x is C; C is B"),
    ("Given A is B, being x implies being B.", "A is B"),
    ("x implies A and B", "x is A and B"),
    ("x ⊆ A ∩ B ∩ C", "x is A and B and C"),
    ("x → A, B", "x is A and B"),
    ("x → A; A → B or C", "x is A; A is B or C"),
    ("x → A → (B or C)", "x is A; A is B or C"),
]

# Negated, explained, unclear or of strangers: nothing is said.
NOTHING = [
    "either x is A or y is B",
    "x is A and B or C",
    "x is x",
    "x is not A",
    "x isn't A",
    "not x is A",
    "it is false that x is A",
    "no x is A",
    "there is no path from x to A",
    "x is A is not given",
    "x is A cannot be derived",
    "x is A does not follow",
    "we don't know that x is A",
    "nothing says x is A",
    "path from x to A",
    "p is A",
    "A is B means A belongs to B",
    "x is A means x belongs to A",
    "x does not belong to A",
    "x is A or not B",
    "every x that is A is B",
    "the parent of x is A",
    "between x and A are B",
    "x might not be A",
    "some x is A",
    "Neither x nor y is A",
    "There is no premise that x is A",
    "I don't see that x is A",
    "we need to find what makes x A",
    "Nothing is said about x being A",
    "x (an A) is B",
    "x is A/B",
    "x is A and/or B",
    "A and B → C",
    "(A and B) implies C",
    "only x is A",
    "“x is A” isn't given",
    "x isn't listed as A",
    "x and A is B",
    "We do not have x is A, only y is A.",
    "I could not find any premise saying x is A.",
    "I cannot find x is A or x is B.",
    "nothing that is x is A",
    "not all x are A",
    "x is neither A nor B",
    'Thus the statement "x is A" is Unknown.',
    "which of x or y is A",
    "either x or y is A",
    "Can't say x is A",
    "x is likely A",
    "from x we get A",
    "from x to A to B",
    "| Step | Statement | Rule |",
    "x | A | premise",
    "✗ x is A",
    "x is A ❌",
    "x is A (false)",
    "x is A (not given)",
    "x is A or maybe B",
    "x is A, B, or maybe C",
    "x is at most A",
    "x is almost A",
    "x is A or x is B, but not both",
    "The premises do not include x is A.",
    "x is A has not been shown.",
    "x is A hasn't been shown.",
    "x is supposed to be A.",
    "x is said to be A.",
    "x is required to be A.",
    "x is not known to be A.",
    "x isn't shown to be A",
    "Had x been A, we'd be done.",
    "I doubt x is A",
    "It's not the case that x is A and B.",
    "It's impossible for x to be A.",
    "x is A can't be right.",
    "x is A was wrong.",
    "x is not a A. It is a B.",
    "x is no A.",
    "x is never A.",
    "x is hardly A.",
    "x are not all A.",
    "Nothing links x to A.",
    "None of the premises gives x is A.",
    "x doesn't have to be A.",
    "x need not be A.",
    "Only x is A.",
    "Only A is B remains.",
    "Neither x is A nor x is B.",
    "Either A is B or A is C.",
    "From A or B is C...",
    "A or B, each is C",
    "A and B both imply C",
    "(A ∧ B) → C",
    "A ∧ B ⊆ C",
    "x ∈ A ∪ B ⊆ C",
    "x → A or B → C",
    "x ↔ A",
    "x ⊢ A",
    "x is A contradicts y is B.",
    "x is A is equivalent to x is B.",
    "x is A, maybe B.",
    "x is A (maybe B).",
    "¬(x is A)",
    "~(x is A)",
    "It is not the case that (x is A).",
    "~~x is A~~",
    "| x | A |",
    "x and y are A, B and C, respectively.",
    "x and y respectively are A and B.",
    "x is not just A but also B.",
    "We are unable to derive x is A.",
    "I failed to derive x is A.",
    "I couldn't show x is A.",
    "I was not able to get x is A.",
    "x is A, which is wrong.",
    "x is A, which is false.",
    "x is A, which is not true.",
    "x is A, which is impossible.",
    "x is A, which isn't given.",
    "x is A, which was not given.",
    "x is A, which we cannot derive.",
    "x is A, which does not follow.",
    "x is A, which cannot be derived.",
    "x is A, but this is false.",
    "x is A, but that's not true.",
    "x is A and that is wrong.",
    "x has not been shown to be A.",
    "x seems to be A.",
    "x is one of the following: A or B",
    "<s>x is A</s>",
    "x is A is absurd.",
    "x is A is a contradiction.",
    "x is A; it is wrong.",
    '"x is A" is a wrong conclusion.',
    "It would be wrong to say x is A.",
    "x is A cannot be.",
    "x is not, in fact, A.",
    "x isn't, by MP, A.",
    "It is not the case that x is A.",
    "x is A, which is not the case.",
    "Missing link: A is B",
    "x is assumed to be A.",
    "This contradicts x is A.",
    "That contradicts the premise that x is A.",
    "We reject x is A.",
    "x is A remains unproven.",
    "x is A seems wrong.",
    "x is A turns out wrong.",
    "x is A turns out to be false.",
    "A is B we do not have.",
    "the negation of x is A",
    "x is A xor B",
    "x is A ⊕ B",
    "x <-> A",
    "x is A (unproven)",
    "x is A: not given",
    "x is A: false",
    "x is A: unknown",
    "- x is A: missing",
    "x is A — not given.",
    "x is A, not given.",
    "x is A: cannot be derived",
    "| x is A | ✗ |",
    "| x is A | no |",
    "x is A and that does not follow",
    "x is A or not",
    "Therefore the claim x is A is not true.",
    "The claim that x is A is false.",
    "x is A is not true of y.",
    "What we don't know: x is B.",
    "What's missing: A is B.",
    "Unknown: x is A",
    "Either we derive x is A or we derive x is B.",
    "What is missing is A is B.",
    "Unfortunately x is A is nowhere in the list.",
    "All we lack is a proof that x is A.",
    "The following is not given: x is A",
    "Not given: x is A, A is B",
]

# Goals, needs, intentions, possibilities, and what is asserted beside them.
WANTING = [
    ("we need x is A", "x is A?"),
    ("to show that x is A, we use x is B and B is A", "x is A?; x is B; B is A"),
    ("the goal is to prove x is A", "x is A?"),
    ("let us find whether x is A", "x is A?"),
    ("we must show x is A", "x is A?"),
    ("x might be A", "x is A?"),
    ("perhaps x is A", "x is A?"),
    ("I will derive x is A", "x is A?"),
    ("next, derive x is A", "x is A?"),
    ("let's prove x is A", "x is A?"),
    ("this requires x is A", "x is A?"),
    ("it would suffice that x is A", "x is A?"),
    ("The question asks whether x is A", "x is A?"),
    ("the claim to verify: x is A", "x is A?"),
    ("Conclusion to check: x is A", "x is A?"),
    ("Since x is A, we need A is B", "x is A; A is B?"),
    ("Let me check whether x is A", "x is A?"),
    ("1. Derive x is A", "x is A?"),
    ("We need x is A and we have A is B.", "x is A?; A is B"),
    ("We need: x is A", "x is A?"),
    ("Goal: x is A.", "x is A?"),
    ("Want: x is B.", "x is B?"),
    ("to get x is A, we need B is A", "x is A?; B is A?"),
    ("x would be A", "x is A?"),
    ("x could be A", "x is A?"),
    ("Proving that x is A needs A is B", "x is A?; A is B?"),
    ("Claim: x is A", "x is A?"),
    ("Prove: x is A", "x is A?"),
    ("To be shown: x is A", "x is A?"),
    ("It must be shown that x is A", "x is A?"),
    ("whether or not x is A", "x is A?"),
    ("x is A would follow", "x is A?"),
    ("in order to get x is A we need B is A", "x is A?; B is A?"),
    ("what we need is x is A", "x is A?"),
    ("we have to derive x is A", "x is A?"),
    ("It remains to check that x is A.", "x is A?"),
    ("All that is left is to prove x is A.", "x is A?"),
    ("We were asked about x is A.", "x is A?"),
    ("The problem: prove or refute x is A.", "x is A?"),
    ("Then we could get x is A", "x is A?"),
    ("To get x is B we can use x is A and A is B.", "x is B?; x is A; A is B"),
    ("Then check: x is A? yes.", "x is A?"),
    ("The goal chain is x → A → B", "x is A?; A is B?"),
    ("It is enough to show x is A.", "x is A?"),
    ("For x is B to hold, x is A must hold.", "x is B?; x is A"),
    ("We need both x is A and x is B.", "x is A?; x is B?"),
    ("x is A; is A B? ", "x is A?; A is B?"),
    ('The statement to evaluate is "x is A".', "x is A?"),
    ("I should check x is A", "x is A?"),
    ("prove or refute x is A", "x is A?"),
    ("we use x is A to show x is C", "x is A; x is C?"),
    ("x is A (?)", "x is A?"),
    ("Remaining: show B is C.", "B is C?"),
    ("Target statement: x is A", "x is A?"),
    ("Query: x is A", "x is A?"),
    ("Sub-goal: x is A", "x is A?"),
    ("Subgoal 1: x is A", "x is A?"),
    ("Step 1 (goal x is A): find a premise", "x is A?"),
    ("Try: x is A", "x is A?"),
    ("x is A would require A is B, which isn't there.", "x is A?; A is B?"),
    ("The only way to show x is A is via B is A.", "x is A?; B is A?"),
    ("Whether x is A depends on whether x is B.", "x is A?; x is B?"),
    ("x is A iff x is B", "x is A?; x is B?"),
    ("x is A provided that x is B", "x is A?; x is B?"),
    ("Someone might say x is A", "x is A?"),
    ("x is A needs A is B", "x is A?; A is B?"),
    ("x is A requires x is B.", "x is A?; x is B?"),
    ("x is A but I'd rather have x is B", "x is A; x is B?"),
    ("I'd like to see x is B", "x is B?"),
    ("We still have to establish that x is A before we can say A is B.", "x is A?; A is B?"),
    ("Anything giving x is A would do.", "x is A?"),
    ("A premise like x is A would help.", "x is A?"),
    ("It'd be useful to know that x is A.", "x is A?"),
    ("I'd want x is A.", "x is A?"),
    ("We are looking for x is A.", "x is A?"),
    ("The thing to prove is x is A.", "x is A?"),
    ("The task is showing x is A.", "x is A?"),
    ("My aim: x is A and B.", "x is A and B?"),
    ("So the problem reduces to whether x is A or B.", "x is A or B?"),
    ("For that we need A is B or x is B.", "A is B?; x is B?"),
    ("Were x A, x would be B.", "x is B?"),
    ("Whenever x is A, x is B.", "x is A?; x is B?"),
    ("Let me use premise 3 (x is A) to get x is B.", "x is A; x is B?"),
    ("We'll get x is B from x is A and A is B.", "x is B?; x is A; A is B"),
    ("Next: derive x is B from x is A.", "x is B?; x is A"),
    ("There might be x is A.", "x is A?"),
    ("It could be that x is A, or x is B.", "x is A?; x is B?"),
    ("It's possible x is A", "x is A?"),
    ("Possibly x is A; but x is B is certain.", "x is A?; x is B"),
    ("It is unknown whether x is A.", "x is A?"),
    ("x is A? No, x is B.", "x is A?; x is B"),
    ("Before proving x is A, we look at x is B.", "x is A?; x is B"),
    ("While proving x is A, we found x is B.", "x is A?; x is B"),
    ("Before x is A, we need A is B.", "x is A?; A is B?"),
    ("x is A would mean y is B.", "x is A?; y is B?"),
    ("That would mean x is A.", "x is A?"),
    ("Lemma: x is A.", "x is A?"),
    ("Lemma 1: x is A", "x is A?"),
    ("Claim 2: x is A", "x is A?"),
    ("Proof that x is A: x is B and B is A.", "x is A?; x is B; B is A"),
    ("We are after a proof of x is A.", "x is A?"),
    ("We will show that, since x is A, x is B.", "x is A; x is B?"),
    ("We need to show that, since x is A, x is B, but A is B.", "x is A; x is B?; A is B"),
    ("We want, as x is A, x is B.", "x is A; x is B?"),
    ("we need (x is A)", "x is A?"),
    ("To show: (x is A), we use (x is B).", "x is A?; x is B"),
    ("All that remains is to derive x is A.", "x is A?"),
    ("What is left is to show x is A.", "x is A?"),
    ("What remains is to get x is A.", "x is A?"),
    ("x is A remains to be shown.", "x is A?"),
    ("It is left to derive x is A.", "x is A?"),
    ("The next step is to conclude x is A.", "x is A?"),
    ("we need x is A, which is not given", "x is A?"),
    ("x would have to be A.", "x is A?"),
    ("I need to show: x is A", "x is A?"),
    ("Goal 2: x is A", "x is A?"),
    ("Step 2: show x is A", "x is A?"),
    ("Without x is A, we cannot get x is B.", "x is A?"),
    ("The claim is that x is A.", "x is A?"),
    ("Statement to be tested: x is A", "x is A?"),
    ("I guess x is A.", "x is A?"),
    ("x is A, otherwise x is B.", "x is A; x is B?"),
    ("I tried to derive x is A.", "x is A?"),
    ("We needed x is A.", "x is A?"),
    ("Proving x is A: x is B, B is A.", "x is A?; x is B; B is A"),
    ("x is A is open.", "x is A?"),
    ("Open: x is A", "x is A?"),
    ("x is A is still open.", "x is A?"),
    ("x is A is the goal.", "x is A?"),
    ("x is A is to be shown.", "x is A?"),
    ("x is A is needed.", "x is A?"),
    ("Can we derive x is A", "x is A?"),
    ("The possibility that x is A remains.", "x is A?"),
    ("the derivation of x is A is straightforward: x is B, B is A", "x is A?; x is B; B is A"),
    ("Claims: x is A, A is B", "x is A?; A is B?"),
    ("x is A, left to show is A is B.", "x is A; A is B?"),
    ("First, we need A is B; for this, x is A is given.", "A is B?; x is A"),
    ("Look for x is A.", "x is A?"),
    ("Guess: x is A", "x is A?"),
    ("x is A remains open.", "x is A?"),
    ("It is tempting to conclude x is A.", "x is A?"),
    ("x is A (maybe)", "x is A?"),
    ("x is A: needed", "x is A?"),
    ("x is A: to be shown", "x is A?"),
    ("x is A - goal", "x is A?"),
    ("x is A — goal", "x is A?"),
    ("| x is A | goal |", "x is A?"),
    ("| x is A | needed |", "x is A?"),
    ("x is A; x is B; we need A is C.", "x is A; x is B; A is C?"),
    ("Needed: x is A", "x is A?"),
    ("x is A, but it is unknown whether A is B.", "x is A; A is B?"),
    ("x is A, but we don't know whether A is B.", "x is A; A is B?"),
    ("From x is A we look for A is B.", "x is A; A is B?"),
    ("x is A so maybe x is B", "x is A; x is B?"),
    ("We have x is A; to show it is B we need A is B.", "x is A; A is B?"),
    ("Given x is A; prove x is B.", "x is A; x is B?"),
    ("x is A; thus the goal is x is B.", "x is A; x is B?"),
    ("Without A is B, we cannot get x is B.", "A is B?"),
    ("Then x is A would be immediate.", "x is A?"),
    ("x is A must be proved.", "x is A?"),
    ("That x is A has to be shown.", "x is A?"),
    ("x is A should be easy to show.", "x is A?"),
    ("I'd expect x is A.", "x is A?"),
    ("My guess is that x is A.", "x is A?"),
    ("We need a premise such as x is A.", "x is A?"),
    ("We still need: x is A, A is B.", "x is A?; A is B?"),
    ("Goal: x is A; given: x is B.", "x is A?; x is B"),
]

# Conditions and assumptions.
SUPPOSITIONS = [
    ("let me check if x is A", "x is A?"),
    ("if x is A then x is B", "x is A?; x is B?"),
    ("suppose x is A, then x is B; y is C", "x is A?; x is B?; y is C"),
    ("Let x be A", "x is A?"),
    ("if we can show x is A, then x is B.", "x is A?; x is B?"),
    ("let me see if x is A, since A is B", "x is A?; A is B"),
    ("Assume x is A.", "x is A?"),
    ("x is A only if y is B", "x is A?; y is B?"),
    ("I wonder if x is A", "x is A?"),
    ("in case x is A, x is B", "x is A?; x is B?"),
    ("If only we had x is A!", "x is A?"),
    ("Unless A is B, x is not B.", "A is B?"),
    ("x is A would follow if B is A.", "x is A?; B is A?"),
    ("If x is A, and we know it is, then x is B.", "x is A?; x is B?"),
    ("Assuming x is A leads to x is B, so we'd need A is B.", "x is A?; x is B?; A is B?"),
    ("x is A if and only if x is B", "x is A?; x is B?"),
    ("x is A, assuming x is B", "x is A; x is B?"),
    ("Let's suppose x is A", "x is A?"),
    ("It is unclear if x is A.", "x is A?"),
    ("We can't tell if x is A, but x is B.", "x is A?; x is B?"),
    ("Only if x is A, then B.", "x is A and B?"),
    ("When x is A, x is B.", "x is A?; x is B?"),
    ("Once x is A, x is B.", "x is A?; x is B?"),
    ("Once we have x is A, we get x is B.", "x is A?; x is B?"),
    ("Once we have shown that x is A, x is B follows.", "x is A?; x is B?"),
    ("As long as x is A, x is B.", "x is A?; x is B?"),
    ("x is A as long as y is B.", "x is A?; y is B?"),
    ("x is B so long as x is A.", "x is B?; x is A?"),
    ("Let's say x is A.", "x is A?"),
    ("Say x is A.", "x is A?"),
    ("Let us say that x is A, then x is B.", "x is A?; x is B?"),
    ("x is A, provided that y is B.", "x is A?; y is B?"),
    ("x is A provided x is B.", "x is A?; x is B?"),
    ("x is A, if y is B.", "x is A?; y is B?"),
    ("x is A, if A is B then x is B.", "x is A; A is B?; x is B?"),
    ("x is A, and if A is B then x is B.", "x is A; A is B?; x is B?"),
    ("Under the assumption that x is A, x is B.", "x is A?; x is B?"),
    ("On the assumption x is A we get x is B.", "x is A?; x is B?"),
    ("If, then, x is A, x is B.", "x is A?; x is B?"),
    ("I assumed x is A.", "x is A?"),
    ("Case 1: x is A.", "x is A?"),
    ("Case 2, x is A, so x is B.", "x is A?; x is B?"),
    ("x is A, unless y is B.", "x is A?; y is B?"),
    ("x is A unless y is B.", "x is A?; y is B?"),
    ("x is A only when y is B.", "x is A?; y is B?"),
    ("x is A when y is B.", "x is A?; y is B?"),
    ("It is assumed that x is A.", "x is A?"),
    ("If x is A (premise 3) then x is B; so y is C.", "x is A?; x is B?; y is C"),
    ("x is A (assumed)", "x is A?"),
    ("x is A holds only if A is B.", "x is A?; A is B?"),
    ("x is A follows if x is B.", "x is A?; x is B?"),
]

# Questions.
QUESTIONS = [
    ("Is x A?", "x is A?"),
    ("Is x a type of A?", "x is A?"),
    ("the question is: is x A?", "x is A?"),
    ("Can we derive x is A?", "x is A?"),
    ("maybe x is A?", "x is A?"),
    ("True or false: x is A?", "x is A?"),
    ("We already have x is A; what about A is B?", "x is A?; A is B?"),
    ("Do we have A is B?", "A is B?"),
    ("Is it possible that x is A?", "x is A?"),
    ("Now I need: A is B. Do we have it?", "A is B?"),
    ("x is A??", "x is A?"),
    ("x is A, isn't it?", ""),
    ("Clearly x is A, but is x B?", "x is A?; x is B?"),
    ("What would give x is A?", "x is A?"),
]

# Sentences that look back.
REFLECTIONS = [
    "x is A, which is wrong.",
    "Wait, that isn't right.",
    "Hmm, let me think.",
    "Hold on, premise 5 says something else.",
    "Let me double check premise 4.",
    "Let me re-read the premises.",
    "I made a mistake.",
    "I think I made an error in step 3.",
    "That's not right.",
    "Actually, no.",
    "Actually, x is A.",
    "Let me verify this step.",
    "Going back to premise 7, x is A.",
    "Alternatively, let me try B.",
    "Alternatively, we can go through C.",
    "Is that correct?",
    "Let me reconsider.",
    "But is this right?",
    "No, that doesn't work.",
    "Oh wait, I missed premise 9.",
    "Let me try another approach.",
    "Let me try a different path.",
    "Let me check that again.",
    "Let me look at the premises again.",
    "Let me start over.",
    "That was wrong: x is not A.",
    "I misread premise 3.",
    "Scratch that.",
    "This leads nowhere.",
    "That's a dead end.",
    "Let's backtrack.",
    "Does that follow?",
    "I should double-check this.",
    "Hmm, x is A?",
    "Oops, wrong premise.",
    "Am I sure about that?",
    "Let me make sure x is A.",
    "Not quite: x is B.",
    "Or maybe I should use premise 3.",
    "Let me go through the list once more.",
    "But wait.",
    "Let me re-examine step 2.",
    "Did I use the right premise?",
    "I previously said x is A, but it is B.",
    "Earlier I claimed x is A.",
    "Let's revisit premise 3.",
    "Let me check my work.",
    "I'm not sure that x is A.",
    "Instead, let me try working backward.",
    "Looking back, x is A.",
    "Let me think about this differently.",
    "Correction: x is B.",
    "No, x is B.",
    "Let me retrace the chain.",
    "I need to correct that.",
    "Let me go back.",
    "So that was a wrong turn.",
    "Is it really true that x is A?",
    "On second thought, x is B.",
    "Something is off here.",
    "I'm overcomplicating this.",
    "There must be a shorter way.",
    "Perhaps there's a simpler route.",
    "That contradicts what I found before.",
    "One of the two steps must be wrong.",
    "I should have used premise 3.",
    "Now, correcting that, x is A.",
    "My previous conclusion was right.",
    "My earlier claim that x is A stands.",
    "Back to x: it is A.",
    "Okay, back to the list.",
    "Scrap that.",
    "Forget that idea.",
    "This isn't working.",
    "That won't work.",
    "Let me try a different way.",
    "Let me try another path.",
    "Did I miss a premise?",
    "I overlooked premise 4.",
    "I must have missed premise 4.",
    "On closer look, x is A.",
    "Let me re-think this.",
    "This is going nowhere.",
    "I'm going in circles.",
    "I'm confused.",
    "Does this make sense?",
    "Where did I go wrong?",
    "I skipped a step.",
    "Let me look more closely at premise 2.",
    "Let us start afresh.",
    "Have I missed something?",
    "Am I overlooking a premise?",
    "I'm not convinced that x is A.",
]

# Plain steps, goals and first plans.
NORMAL = [
    "Let me start with x.",
    "First I look at the premises.",
    "Next I need x is A.",
    "Let me check whether x is A.",
    "The conclusion is correct.",
    "The statement is true.",
    "This is true by premise 3.",
    "Therefore the statement is not true.",
    "So it is true that x is A.",
    "We need to verify that x is A.",
    "To verify the claim, we chain the premises.",
    "By Conjunction Introduction, x is A and B.",
    "There is no premise about B.",
    "No premise says x is A.",
    "No.",
    "Now use the same rule again: x is B.",
    "Again, by MP, x is B.",
    "x is not A.",
    "We cannot derive x is A.",
    "Let me look for premises about x.",
    "Let me see what x is.",
    "Let me go over the premises.",
    "We go from x to A.",
    "It does not follow that x is A.",
    "This follows from premise 3.",
    "Then try A.",
    "Let me find another premise with x.",
    "There is another path from x to A.",
    "The answer is True.",
    "Premise 3 was x is A.",
    "I'll work backward from the goal.",
    "Which one is right?",
    "Is x A?",
    "Another way to get to B is through C.",
    "Let me think step by step.",
    "I should check x is A.",
    "Verify: x is A.",
    "It is not the case that x is A.",
    "x is A or B, but not necessarily A.",
    "Let us trace the chain from x.",
    "So that is correct.",
    "x is A, instead of B.",
    "I will look for a different premise.",
    "Maybe x is A.",
    "x must be A.",
    "So x must be B, too.",
    "We go back-to-front.",
    "The chain leads back to x.",
    "A shorter path is x → A.",
    "This brings us to A, which leads to B.",
    "We should have x is A by now.",
    "My first step is x is A.",
    "My goal is x is A.",
    "The last step gives x is A.",
    "x is A contradicts nothing.",
    "Ignoring premise 3, x is A.",
    "Premise 3 is the previous one.",
    "We try x first.",
    "This works: x is A.",
    "I see x is A.",
    "Once x is A is known, x is B.",
    "The first one says x is A.",
]


@pytest.mark.parametrize(("text", "expected"), STATED + LISTS + ARROWS + WANTING + SUPPOSITIONS + QUESTIONS)
def test_readings(text: str, expected: str) -> None:
    """A sentence says what a fair reader takes it to say."""
    assert said(text) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_said(text: str) -> None:
    """What is denied, unclear or about strangers gives no node."""
    assert said(text) == ""


@pytest.mark.parametrize("text", REFLECTIONS)
def test_reflection(text: str) -> None:
    """The writer looks back."""
    assert any(sentence.reflection for sentence in parse(named(text), VOCABULARY))


@pytest.mark.parametrize("text", NORMAL)
def test_no_reflection(text: str) -> None:
    """The writer goes on."""
    assert not any(sentence.reflection for sentence in parse(named(text), VOCABULARY))


RELATIONS = [
    "is", "are", "is a", "is an", "is also", "is therefore", "is thus a", "is hence", "is indeed", "must be",
    "belongs to", "is in", "is a type of", "is a kind of", "is a sort of", "is a form of", "is part of",
    "is a member of", "is an element of", "is an instance of", "is a subset of", "is contained in",
    "is included in", "falls under", "falls into", "falls in", "is classified as", "counts as", "qualifies as",
    "is in the category", "is in the class of", "is in the category of", "⊆", "⊂", "∈", r"\subseteq", r"\subset",
    r"\in", r"\to", r"\rightarrow", r"\Rightarrow", r"\implies", "→", "⇒", "⟹", "->", "=>", "-->", "&rarr;",
    "&isin;",
]  # fmt: skip
REVERSED = ["contains", "includes", "covers", "encompasses", "is a superset of", "⊇", "⊃", "∋", r"\supseteq"]


@pytest.mark.parametrize("words", RELATIONS)
def test_relations(words: str) -> None:
    """Every wording of the relation holds from left to right; "not" before or in it takes it away."""
    assert said(f"x {words} A.") == "x is A"
    assert said(f"So x {words} A and B, thus B {words} C") == "x is A and B; B is C"
    assert said(f"every x {words} a A") == "x is A"
    assert said(f"Not every x {words} A") == ""
    assert said(f"x {words} Bs") == said(f"z {words} A") == said(f"it {words} A") == ""


@pytest.mark.parametrize("words", REVERSED)
def test_reversed_relations(words: str) -> None:
    """Every wording of the converse holds from right to left."""
    assert said(f"A {words} x") == "x is A"
    assert said(f"We need A {words} x") == "x is A?"


WRAPPED = [
    "**{}**", "__{}__", "*{}*", "_{}_", "`{}`", "${}$", r"\text{{{}}}", r"$\mathrm{{{}}}$", r"\({}\)", "“{}”",
    "'{}'", '"{}"', "‘{}’", "[{}]", "\u200b{}", "{}es", "the {}", "&quot;{}&quot;", "\u00a0{}\u00a0", "category {}",
    "any {}",
]  # fmt: skip


@pytest.mark.parametrize("wrap", WRAPPED)
def test_dressed_names(wrap: str) -> None:
    """Markup, quotes, plurals and letter case do not hide a name."""
    for form in (str.lower, str.upper, str.title):
        text = f"{wrap.format(form('babkpus'))} is {wrap.format(form('dalmpus'))}"
        assert [str(node.statement) for node in parse(text, VOCABULARY)[0].nodes] == ["babkpus is dalmpus"]


STRANGERS = [
    "dalmpu", "dalmpuss", "dalmqus", "dalmpusses", "dalmbus", "almpus", "ddalmpus", "dalmpus1", "non-dalmpus",
    "dalmpus-like", "dalmpus's", "z", "Z", "9", "dalm", "the_dalmpus_class", "dalm pus",
]  # fmt: skip


@pytest.mark.parametrize("stranger", STRANGERS)
def test_strangers(stranger: str) -> None:
    """A near miss is never taken for a name, on either side or within a list."""
    for text in ("x is {}", "{} is x", "x is {}, which is B", "x → {}", "{} contains x"):
        assert said(text.format(stranger)).replace("B", "") == ""


@pytest.mark.parametrize("stranger", ["dalmpu", "dalmpuss", "dalmqus", "dalmpis", "z", "Z", "non-dalmpus"])
def test_strangers_in_lists(stranger: str) -> None:
    """A list with a stranger is none."""
    for text in ("x is B and {}", "x is {} or B", "x is B, {}", "x is both {} and B", "So x is B, C and {}, and x is D"):
        assert said(text.format(stranger)) in ("", "x is D")


def test_nodes_are_canonical() -> None:
    """Statements are equal if they say the same, and planning is told."""
    first, second = parse("babkpus is fentpus and dalmpus. Perhaps babkpus is dalmpus or fentpus.", VOCABULARY)
    assert first.nodes == (Node(statement("babkpus", ["dalmpus", "fentpus"], AND), False),)
    assert second.nodes == (Node(statement("babkpus", ["dalmpus", "fentpus"], OR), True),)
    assert (first.text, first.reflection) == ("babkpus is fentpus and dalmpus. ", False)


def test_sentences_do_not_mix() -> None:
    """A cue, a question or a subject does not reach into the next sentence; names are counted right in long texts."""
    text = "Suppose x is A. x is B\nIs x C? x is D. x is zalmpus and A. it is A. x\nis A. So y is A."
    assert said(text) == "x is A?; x is B; x is C?; x is D; y is A"


def test_other_names() -> None:
    """The names are those of the vocabulary, whatever their shape; a name that is also a word of the rules is a name."""
    assert [str(node.statement) for node in parse("Tiger is Cat", ("tiger", "cat"))[0].nodes] == ["tiger is cat"]
    assert [str(node.statement) for node in parse("need is not", ("need", "not"))[0].nodes] == ["need is not"]
    assert parse("tiger is cat", ())[0].nodes == ()
    assert parse("", VOCABULARY) == []


RULE_WORDS = sorted(word for word in CODES if word.strip("\0"))
PIECES = [
    *VOCABULARY,
    "dalmpu",
    "z",
    ".",
    "?",
    "\n",
    " ",
    "(",
    ")",
    ",",
    ";",
    ":",
    "&",
    "\0",
    "_",
    "**",
    "&amp;",
    "&#0;",
    "3",
    "no. 4",
    "…",
]


@given(
    st.text()
    | st.lists(st.sampled_from(PIECES + RULE_WORDS), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(PIECES)).map("".join)
)
def test_any_text(text: str) -> None:
    """Nothing is raised or lost, twice the same is said, and all of it is about the vocabulary and canonical."""
    sentences = parse(text, VOCABULARY)
    assert "".join(sentence.text for sentence in sentences) == text
    assert sentences == parse(text, frozenset(VOCABULARY))
    for sentence in sentences:
        for node in sentence.nodes:
            subject, predicate = node.statement
            assert {subject, *predicate.parts} <= set(VOCABULARY)
            assert node.statement == statement(subject, predicate.parts, predicate.joint)
            assert subject not in predicate.parts
            assert len(predicate.parts) <= 3 or predicate.joint == OR


@given(st.lists(st.text(min_size=1)), st.text())
def test_any_vocabulary(vocabulary: list[str], text: str) -> None:
    """No vocabulary is too strange."""
    assert "".join(sentence.text for sentence in parse(text + " is ".join(vocabulary), vocabulary)) == text + " is ".join(
        vocabulary
    )


def steps(function: Callable[[], Any]) -> int:
    """Lines of the package's code that a call executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if "rb_verify" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


HOSTILE = [
    "x ", "is ", "x is A and ", "x → ", "→ ", ", ", "x, ", "( ", "(x ", '"', ") ", "not ", "if ", "which is ",
    "x, which is ", "is x ", "x and ", "x that is ", "x or ", "_", "&", "\\", "a-", "x is A? ", "x is A. ", "no ",
    "x is A\n", "let me ", "check ", "x, y and A are ", "are A, ", "means ", "x is A is not ", "might ",
    "x, then, ", "x (which ", "(which ", "¬(", "x | ", "| ", "if x is A, ", "x is A, if ", "when x ", "respectively ", "x ~ ",
    "x is A, which is not ", "x is A: not ", "wrong ", "x has to be ", "not only x, but ", "<b>", "as long ", "to (",
    "claim 2: ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_linear(unit: str) -> None:
    """Twice the text takes at most about twice the steps, and says at most twice as much."""
    text = named(unit)
    short, long = (steps(lambda n=n: parse(text * n, VOCABULARY)) for n in (300, 600))
    assert long <= 2.2 * short + 200


@pytest.mark.parametrize(
    "unit", [*HOSTILE, "i will ", "check it ", "the a ", "this is not quite ", "so, ", "wait ", "let me x"]
)
def test_large(unit: str) -> None:
    """Hundreds of kilobytes of anything are read, and nothing is lost."""
    text = named(unit)
    text *= 300_000 // len(text)
    assert "".join(sentence.text for sentence in parse(text, VOCABULARY)) == text


def test_no_more_nodes_than_words() -> None:
    """Many subjects with many predicates do not multiply."""
    names = [f"b{chr(97 + i)}{chr(97 + j)}kpus" for i in range(20) for j in range(20)]
    text = f"{', '.join(names)} and dalmpus are {', '.join(names)} and fentpus"
    nodes = [node for sentence in parse(text, [*names, "dalmpus", "fentpus"]) for node in sentence.nodes]
    assert len(nodes) <= len(text)


@pytest.mark.parametrize(
    ("reference", "sign"),
    [
        ("&#8834;", "⊂"),
        ("&#" + "0" * 5000 + "8834;", "⊂"),
        ("&#" + "1" * 5000 + ";", "\ufffd"),
        ("&#99999999", "\ufffd"),
        ("&#1114112;", "\ufffd"),
        ("&#x" + "f" * 5000 + ";", "\ufffd"),
    ],
    ids=["usual", "zeros in front", "many digits", "eight digits", "one too large", "hexadecimal"],
)
def test_a_character_reference_of_any_length_is_read(reference: str, sign: str) -> None:
    """Python itself refuses numbers of more than 4,300 digits."""
    assert normal(f"{reference} and") == f"{sign} and"
