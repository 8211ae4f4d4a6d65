"""Hand-labelled sentences in the manner of models that solve ReEfBench problems, and what each sentence says.

Data for the test of the deterministic parser. The paper checks its parser against sentences of real responses, each labelled
by three people (ReEfBench paper, section 3.2). The sentences here are made up, one by one and without templates, in the
manner of responses; one writer labelled them from the rules below, without sight of the parser. The rules are the
definition that parser and labels share. Where they leave a doubt, the label is what a fair reader would say.

**Halves.** ``BEFORE`` was written first, before the parser was tuned: the usual styles, from terse chains to long thought.
It may serve to tune the parser, and its labels have stayed as they were. ``AFTER`` was written when ``BEFORE`` was final, in
styles that ``BEFORE`` lacks and mostly harder: long sentences of many clauses, cues in the middle, tables, quotations,
brackets, run-on sentences, indirect wording. It is the fairer test as long as the parser is not tuned on it.

**Names.** The vocabulary of a row, here ``NAMES``. A name counts as a whole word in any letter case, also in the plural
("babkpuses"), also inside ``**``, ``_``, a back-tick, ``$`` or ``\\text{}``. A word of nearly that shape ("babkpu",
"babkpuss", "babkqus") is a stranger and is never read as the name it resembles. A claim that involves a stranger or a
single letter gives nothing.

**Statements.** A statement is "s is P": s one name, P one name, a conjunction or a disjunction of up to three. A sentence
holds none, one or more, in the order of the text.

- Words for "is": is, are, is a, is also, is therefore (thus, hence, indeed), must be (a deduction), belongs to, is in, is
  a type (kind, sort, form) of, is part of, is a member (an element, an instance) of, is a subset of, is contained
  (included) in, falls under (into, in), is classified as, counts (qualifies) as, is in the class (category) of; the signs
  for subset and element, and arrows, in Unicode, ASCII, HTML or LaTeX. "Every (all, any, each) x is A" is "x is A".
- Reversed: "A contains (includes, covers, encompasses, is a superset of) x" is "x is A".
- Chains: "x → A → B" and "x is A, which is B" state every link and not what follows from them. An arrow between whole
  statements is an inference, and both sides are stated.
- Conjunctions: "A and B", "both A and B", "A, B and C", "A, B, C", "A & B", "A ∩ B", "A ∧ B" are one predicate. A list of
  four names or more states each name alone. "x is A and x is B", "x is A and is B" and "x and y are A" are two
  statements. A name that stands before a word for "is" begins a new statement: "x is A and y is B".
- Disjunctions: "A or B", "either A or B", "A ∨ B", "A ∪ B". A predicate that mixes "and" with "or" gives nothing.
- "x is x" gives nothing, and "x is x and A" gives "x is A".

**Ignored.** Negations ("x is not A", "no x is A", "there is no path from x to A", "it is false that x is A", "x is A is not
given", "we do not know that x is A"), paths without links ("a path from x to A"), remarks on the meaning of the words, and
pronouns as subject ("it is A"), for who is meant would be a guess.

**Actual or planning.** A statement that is put forward is actual: a premise cited, a reason given (since, because, as, from),
a result (so, therefore, we get, this shows that), "the statement x is A is true". It is planning if it is only aimed at,
asked or supposed: goals, needs, intentions and requirements ("we need", "to show that", "I will derive", "this requires",
"it would suffice"), checks to come ("let me check whether"), the question named ("the claim to verify: x is A"),
suppositions and conditionals, both their parts ("if x is A then x is B", "suppose"), possibilities ("might be",
"perhaps", "would be"), and every statement of a sentence that ends in a question mark.

- A cue governs its own clause. Suppositions and "if" govern up to a semicolon or the end of the sentence. Goals, needs and
  intentions govern up to the next comma, semicolon or colon, or up to since, because, as, but. So in "To show x is C, we
  use x is A and A is C" the first is planning, the others are actual.
- A cue after the statement ("x is A, I need to check that") leaves it actual.

**Reflection.** A property of the sentence, whatever it states: the writer looks back at the own reasoning, doubts it, checks
it again, corrects it, goes back, or tries another way ("Wait", "Hmm", "Hold on", "let me double-check", "I made a mistake",
"Going back to", "Let me verify this step", "Is that correct?"). "Actually" and "Alternatively" at the start count. Plain
steps, goals, plans made for the first time ("First I look at the premises", "let me check whether x is A") and the names of
rules do not.

**Sentences.** A sentence ends at ``. ! ? 。 ？ ！`` with the quotes and brackets that close there, and at a line's end. It
does not end inside a number, after a usual abbreviation (e.g., No.), in an ellipsis that goes on in lower case, or after the
number of a list item at the start of a line. Every entry is one sentence.
"""

from __future__ import annotations

from typing import NamedTuple

NAMES = (
    "babkpus",
    "dalmpus",
    "fentpus",
    "gorzpus",
    "hivjpus",
    "jelbpus",
    "kumvpus",
    "lodgpus",
    "mirfpus",
    "nazlpus",
    "pevtpus",
    "rotgpus",
    "sulzpus",
    "tegnpus",
)


class Labelled(NamedTuple):
    """A sentence with its labels.

    ``actual`` and ``planning``: canonical texts of the statements put forward and of those aimed at, asked or supposed, in the
    order of the text. ``reflection``: the sentence looks back.
    """

    text: str
    actual: tuple[str, ...]
    planning: tuple[str, ...]
    reflection: bool


def _(text: str, actual: str = "", planning: str = "", reflection: bool = False) -> Labelled:
    """The entry of a text whose statements are given in a row, separated by semicolons."""
    return Labelled(
        text, tuple(actual.split("; ")) if actual else (), tuple(planning.split("; ")) if planning else (), reflection
    )


BEFORE: tuple[Labelled, ...] = (
    # Plain facts and premises cited.
    _("babkpus is dalmpus.", "babkpus is dalmpus"),
    _("Every babkpus is a dalmpus.", "babkpus is dalmpus"),
    _("All babkpuses are dalmpuses.", "babkpus is dalmpus"),
    _("Babkpus is dalmpus and fentpus.", "babkpus is dalmpus and fentpus"),
    _("babkpus is gorzpus, dalmpus and fentpus.", "babkpus is dalmpus and fentpus and gorzpus"),
    _("babkpus is both fentpus and dalmpus", "babkpus is dalmpus and fentpus"),
    _("babkpus is dalmpus or fentpus or gorzpus.", "babkpus is dalmpus or fentpus or gorzpus"),
    _("Premise 3: hivjpus is jelbpus.", "hivjpus is jelbpus"),
    _("- hivjpus is jelbpus (premise 17)", "hivjpus is jelbpus"),
    _("(12) kumvpus is lodgpus and mirfpus.", "kumvpus is lodgpus and mirfpus"),
    _("41. nazlpus is pevtpus or rotgpus", "nazlpus is pevtpus or rotgpus"),
    _("[P7] sulzpus is tegnpus", "sulzpus is tegnpus"),
    _(
        "Given: babkpus is dalmpus; dalmpus is fentpus; fentpus is gorzpus.",
        "babkpus is dalmpus; dalmpus is fentpus; fentpus is gorzpus",
    ),
    _(
        "From premise 8 we have lodgpus is mirfpus, and from premise 21 we have mirfpus is nazlpus.",
        "lodgpus is mirfpus; mirfpus is nazlpus",
    ),
    _("Premise No. 14 says that tegnpus is sulzpus and rotgpus.", "tegnpus is rotgpus and sulzpus"),
    _("We are told that each pevtpus is a rotgpus.", "pevtpus is rotgpus"),
    _("According to statement 6, any gorzpus is hivjpus.", "gorzpus is hivjpus"),
    _("Recall that kumvpus is tegnpus.", "kumvpus is tegnpus"),
    _("The premises include dalmpus is jelbpus and jelbpus is kumvpus.", "dalmpus is jelbpus; jelbpus is kumvpus"),
    _('I see "mirfpus is nazlpus" near the end of the list.', "mirfpus is nazlpus"),
    _("Premises 2, 9 and 30 concern babkpus."),
    _("Here is the list of facts about dalmpus:"),
    _("babkpus: see premises 4, 18, 22."),
    # Symbols and LaTeX.
    _("babkpus → dalmpus → fentpus → gorzpus", "babkpus is dalmpus; dalmpus is fentpus; fentpus is gorzpus"),
    _("babkpus -> dalmpus (4), dalmpus -> hivjpus (19)", "babkpus is dalmpus; dalmpus is hivjpus"),
    _("kumvpus ⊆ lodgpus ⊆ mirfpus, hence kumvpus ⊆ mirfpus.", "kumvpus is lodgpus; lodgpus is mirfpus; kumvpus is mirfpus"),
    _("nazlpus ∈ pevtpus", "nazlpus is pevtpus"),
    _("rotgpus ∈ sulzpus ∩ tegnpus", "rotgpus is sulzpus and tegnpus"),
    _("rotgpus ∈ sulzpus ∪ tegnpus.", "rotgpus is sulzpus or tegnpus"),
    _(r"$\text{babkpus} \subseteq \text{dalmpus}$", "babkpus is dalmpus"),
    _(r"$$\text{dalmpus} \Rightarrow \text{fentpus} \Rightarrow \text{hivjpus}$$", "dalmpus is fentpus; fentpus is hivjpus"),
    _(r"\(jelbpus \to kumvpus \land lodgpus\)", "jelbpus is kumvpus and lodgpus"),
    _(r"$mirfpus \rightarrow nazlpus \lor pevtpus$", "mirfpus is nazlpus or pevtpus"),
    _("babkpus ⟹ dalmpus ∧ fentpus", "babkpus is dalmpus and fentpus"),
    _("sulzpus => tegnpus => babkpus", "sulzpus is tegnpus; tegnpus is babkpus"),
    _("gorzpus ⊇ fentpus", "fentpus is gorzpus"),
    _(
        "babkpus is dalmpus ∧ dalmpus is fentpus ⇒ babkpus is fentpus",
        "babkpus is dalmpus; dalmpus is fentpus; babkpus is fentpus",
    ),
    _("babkpus is dalmpus → babkpus is dalmpus or gorzpus", "babkpus is dalmpus; babkpus is dalmpus or gorzpus"),
    _("hivjpus --> jelbpus (MP)", "hivjpus is jelbpus"),
    _("tegnpus ⊂ sulzpus & rotgpus", "tegnpus is rotgpus and sulzpus"),
    _("$lodgpus$ is $mirfpus$ and $nazlpus$.", "lodgpus is mirfpus and nazlpus"),
    _("`pevtpus` is `rotgpus`", "pevtpus is rotgpus"),
    _("∀x: A(x) → B(x)"),
    _(r"\[ \boxed{\text{True}} \]"),
    _("A ⊆ B, B ⊆ C ⟹ A ⊆ C"),
    # Markdown.
    _("- **babkpus** is **dalmpus**", "babkpus is dalmpus"),
    _("* **fentpus** is _gorzpus_ or _hivjpus_.", "fentpus is gorzpus or hivjpus"),
    _(
        "**Step 5:** kumvpus is lodgpus, and lodgpus is nazlpus, so kumvpus is nazlpus.",
        "kumvpus is lodgpus; lodgpus is nazlpus; kumvpus is nazlpus",
    ),
    _("### Goal: babkpus is tegnpus", planning="babkpus is tegnpus"),
    _("## Step 3 – work out what dalmpus is"),
    _("**mirfpus** → **nazlpus** → **pevtpus** ✅", "mirfpus is nazlpus; nazlpus is pevtpus"),
    _("1. **Premise:** rotgpus is sulzpus.", "rotgpus is sulzpus"),
    _("2) **Derived:** rotgpus is sulzpus or tegnpus.", "rotgpus is sulzpus or tegnpus"),
    _("> hivjpus is jelbpus and kumvpus", "hivjpus is jelbpus and kumvpus"),
    _('**Therefore, the conclusion "babkpus is tegnpus" is True.**', "babkpus is tegnpus"),
    _("---- Chain so far: dalmpus ⇒ gorzpus ⇒ lodgpus", "dalmpus is gorzpus; gorzpus is lodgpus"),
    _("**Answer: True**"),
    # Results, formal.
    _("Therefore, babkpus is fentpus.", "babkpus is fentpus"),
    _("By Modus Ponens on (3) and (7), babkpus is hivjpus.", "babkpus is hivjpus"),
    _("By conjunction elimination, kumvpus is mirfpus.", "kumvpus is mirfpus"),
    _(
        "Applying DI to nazlpus is pevtpus gives nazlpus is pevtpus or rotgpus.",
        "nazlpus is pevtpus; nazlpus is pevtpus or rotgpus",
    ),
    _(
        "Since babkpus is dalmpus and dalmpus is fentpus, babkpus is fentpus.",
        "babkpus is dalmpus; dalmpus is fentpus; babkpus is fentpus",
    ),
    _(
        "Because sulzpus is tegnpus, and tegnpus is gorzpus, it follows that sulzpus is gorzpus.",
        "sulzpus is tegnpus; tegnpus is gorzpus; sulzpus is gorzpus",
    ),
    _(
        "From jelbpus is kumvpus and jelbpus is lodgpus, we conclude jelbpus is kumvpus and lodgpus by CI.",
        "jelbpus is kumvpus; jelbpus is lodgpus; jelbpus is kumvpus and lodgpus",
    ),
    _("As mirfpus is nazlpus or pevtpus, nothing more can be said here.", "mirfpus is nazlpus or pevtpus"),
    _("Hence rotgpus must be sulzpus.", "rotgpus is sulzpus"),
    _("Thus babkpus is also gorzpus.", "babkpus is gorzpus"),
    _("This shows that dalmpus is therefore lodgpus.", "dalmpus is lodgpus"),
    _("We obtain hivjpus is tegnpus (MP, 4, 11).", "hivjpus is tegnpus"),
    _(
        "So fentpus is gorzpus, which is hivjpus, which is jelbpus.",
        "fentpus is gorzpus; gorzpus is hivjpus; hivjpus is jelbpus",
    ),
    _("We have now proved that babkpus is tegnpus and sulzpus.", "babkpus is sulzpus and tegnpus"),
    _("The statement babkpus is dalmpus or fentpus is true.", "babkpus is dalmpus or fentpus"),
    _("It is true that kumvpus is pevtpus.", "kumvpus is pevtpus"),
    _("lodgpus is mirfpus holds.", "lodgpus is mirfpus"),
    _("Combining these two facts, we conclude that every nazlpus is a sulzpus.", "nazlpus is sulzpus"),
    _("Consequently pevtpus belongs to rotgpus.", "pevtpus is rotgpus"),
    _("babkpus is dalmpus and is fentpus.", "babkpus is dalmpus; babkpus is fentpus"),
    _(
        "babkpus is dalmpus and babkpus is fentpus, so babkpus is dalmpus and fentpus.",
        "babkpus is dalmpus; babkpus is fentpus; babkpus is dalmpus and fentpus",
    ),
    _("gorzpus and hivjpus are jelbpus.", "gorzpus is jelbpus; hivjpus is jelbpus"),
    _("This completes the proof."),
    _("QED"),
    # Other relation words.
    _("babkpus belongs to the category dalmpus.", "babkpus is dalmpus"),
    _("dalmpus is a type of fentpus.", "dalmpus is fentpus"),
    _("fentpus is contained in gorzpus.", "fentpus is gorzpus"),
    _("gorzpus is a member of hivjpus.", "gorzpus is hivjpus"),
    _("hivjpus is a subset of jelbpus.", "hivjpus is jelbpus"),
    _("jelbpus falls under kumvpus.", "jelbpus is kumvpus"),
    _("kumvpus is classified as lodgpus or mirfpus.", "kumvpus is lodgpus or mirfpus"),
    _("lodgpus is part of nazlpus.", "lodgpus is nazlpus"),
    _("pevtpus contains nazlpus, and rotgpus contains pevtpus.", "nazlpus is pevtpus; pevtpus is rotgpus"),
    _("tegnpus includes every sulzpus.", "sulzpus is tegnpus"),
    _("mirfpus qualifies as nazlpus.", "mirfpus is nazlpus"),
    _("gorzpus is in hivjpus, hivjpus is in lodgpus.", "gorzpus is hivjpus; hivjpus is lodgpus"),
    _("dalmpus is a kind of jelbpus, and is therefore kumvpus.", "dalmpus is jelbpus; dalmpus is kumvpus"),
    _("sulzpus is a superset of rotgpus.", "rotgpus is sulzpus"),
    _("babkpus is indeed dalmpus.", "babkpus is dalmpus"),
    # Goals, plans, questions.
    _("We need to show that babkpus is tegnpus.", planning="babkpus is tegnpus"),
    _("The goal is to prove babkpus is tegnpus or sulzpus.", planning="babkpus is sulzpus or tegnpus"),
    _(
        "To prove that babkpus is fentpus, it would suffice that dalmpus is fentpus.",
        planning="babkpus is fentpus; dalmpus is fentpus",
    ),
    _("Is babkpus dalmpus?", planning="babkpus is dalmpus"),
    _("So, is kumvpus a lodgpus or a mirfpus?", planning="kumvpus is lodgpus or mirfpus"),
    _("The question asks whether babkpus is tegnpus.", planning="babkpus is tegnpus"),
    _("Conclusion to check: babkpus is dalmpus and sulzpus", planning="babkpus is dalmpus and sulzpus"),
    _("Let me check if hivjpus is jelbpus.", planning="hivjpus is jelbpus"),
    _("Let us find whether nazlpus is pevtpus.", planning="nazlpus is pevtpus"),
    _("If babkpus is dalmpus, then babkpus is fentpus.", planning="babkpus is dalmpus; babkpus is fentpus"),
    _("Suppose mirfpus is nazlpus.", planning="mirfpus is nazlpus"),
    _("rotgpus might be sulzpus.", planning="rotgpus is sulzpus"),
    _("Perhaps lodgpus is gorzpus.", planning="lodgpus is gorzpus"),
    _("Next, I will derive dalmpus is hivjpus.", planning="dalmpus is hivjpus"),
    _(
        "I want babkpus is fentpus, and since babkpus is dalmpus, I need dalmpus is fentpus.",
        "babkpus is dalmpus",
        planning="babkpus is fentpus; dalmpus is fentpus",
    ),
    _(
        "To show babkpus is hivjpus, we use babkpus is dalmpus and dalmpus is hivjpus.",
        "babkpus is dalmpus; dalmpus is hivjpus",
        planning="babkpus is hivjpus",
    ),
    _("This requires jelbpus is kumvpus and lodgpus.", planning="jelbpus is kumvpus and lodgpus"),
    _("Now let's prove pevtpus is rotgpus.", planning="pevtpus is rotgpus"),
    _("It remains to show that sulzpus is gorzpus.", planning="sulzpus is gorzpus"),
    _("We must show tegnpus is babkpus.", planning="tegnpus is babkpus"),
    _("Does fentpus belong to gorzpus?", planning="fentpus is gorzpus"),
    _("What is dalmpus?"),
    _("Which premises have tegnpus on the right?"),
    _("First I look at the premises that start with babkpus."),
    _("Next I need something about hivjpus."),
    _("Let me start with premise 4: babkpus is dalmpus.", "babkpus is dalmpus"),
    _("We work backward from tegnpus."),
    _("Working backward: to get tegnpus, we need sulzpus is tegnpus.", planning="sulzpus is tegnpus"),
    _("Target: babkpus is mirfpus or nazlpus.", planning="babkpus is mirfpus or nazlpus"),
    _("So our next target is mirfpus is nazlpus and pevtpus.", planning="mirfpus is nazlpus and pevtpus"),
    _("I need to find out if gorzpus is hivjpus or jelbpus.", planning="gorzpus is hivjpus or jelbpus"),
    _("Assume that kumvpus is lodgpus.", planning="kumvpus is lodgpus"),
    _("We may be able to derive babkpus is gorzpus; let's see.", planning="babkpus is gorzpus"),
    _("Our aim: to establish dalmpus is sulzpus.", planning="dalmpus is sulzpus"),
    _("Can we show that nazlpus is tegnpus?", planning="nazlpus is tegnpus"),
    _("Whether pevtpus is rotgpus depends on premise 6.", planning="pevtpus is rotgpus"),
    _("Unless we have tegnpus is sulzpus, this branch is closed.", planning="tegnpus is sulzpus"),
    _(
        "In order to conclude babkpus is fentpus and gorzpus, we have to derive babkpus is fentpus and babkpus is gorzpus.",
        planning="babkpus is fentpus and gorzpus; babkpus is fentpus; babkpus is gorzpus",
    ),
    _("Claim to verify: babkpus is lodgpus or mirfpus or nazlpus", planning="babkpus is lodgpus or mirfpus or nazlpus"),
    _("Since babkpus is dalmpus, we need dalmpus is fentpus.", "babkpus is dalmpus", planning="dalmpus is fentpus"),
    _(
        "hivjpus is jelbpus, so if jelbpus is kumvpus then hivjpus is kumvpus.",
        "hivjpus is jelbpus",
        planning="jelbpus is kumvpus; hivjpus is kumvpus",
    ),
    _("I'm looking for sulzpus → tegnpus.", planning="sulzpus is tegnpus"),
    _("rotgpus could be sulzpus or tegnpus.", planning="rotgpus is sulzpus or tegnpus"),
    _("Does babkpus → dalmpus → fentpus hold?", planning="babkpus is dalmpus; dalmpus is fentpus"),
    # Negations, dead ends, talk.
    _("babkpus is not dalmpus."),
    _("babkpus isn't fentpus."),
    _("There is no premise with jelbpus as subject."),
    _("There is no path from babkpus to tegnpus."),
    _("We don't know that hivjpus is jelbpus."),
    _("kumvpus is lodgpus cannot be derived from the premises."),
    _("It is false that mirfpus is nazlpus."),
    _("Nothing says pevtpus is rotgpus."),
    _("No sulzpus is a tegnpus."),
    _("babkpus is dalmpus, but dalmpus is not fentpus.", "babkpus is dalmpus"),
    _('"babkpus is dalmpus" means that babkpus belongs to category dalmpus.'),
    _("So I need a path from babkpus to tegnpus."),
    _("It is dalmpus."),
    _("So A is B and B is C give A is C."),
    _("Let x be an element of babkpus."),
    _("x is babkpus."),
    _("babkpus is dalmpusx."),
    _("babkqus is dalmpus."),
    _("babkpus is dalmpu."),
    _("babkpus is dalmpus and zorvpus."),
    _("Zorvpus is dalmpus, and dalmpus is fentpus.", "dalmpus is fentpus"),
    _("babkpuss is fentpus."),
    _(r"The answer is \boxed{True}."),
    _("Therefore the answer is true."),
    _("Final answer: **True**"),
    _("So the statement is unknown."),
    _("Let me organise the premises by subject."),
    _("Modus ponens lets us chain statements whose ends meet."),
    # Looking back.
    _("Wait, babkpus is dalmpus or fentpus, not both.", "babkpus is dalmpus or fentpus", reflection=True),
    _("Hmm, wait.", reflection=True),
    _("Hold on, premise 9 says fentpus is gorzpus.", "fentpus is gorzpus", reflection=True),
    _("Let me double-check.", reflection=True),
    _("Let me re-read the premises.", reflection=True),
    _("Actually, no, that's a different name.", reflection=True),
    _("I made a mistake: kumvpus is lodgpus, not mirfpus.", "kumvpus is lodgpus", reflection=True),
    _("That's not right.", reflection=True),
    _(
        "Let me verify this step: nazlpus is pevtpus, and pevtpus is rotgpus, so nazlpus is rotgpus.",
        "nazlpus is pevtpus; pevtpus is rotgpus; nazlpus is rotgpus",
        reflection=True,
    ),
    _("Going back to premise 12, sulzpus is tegnpus.", "sulzpus is tegnpus", reflection=True),
    _("Alternatively, let me try another route through hivjpus.", reflection=True),
    _("Is that correct?", reflection=True),
    _("Wait, is jelbpus really kumvpus?", planning="jelbpus is kumvpus", reflection=True),
    _("Let me reconsider.", reflection=True),
    _("Hmm, I don't see mirfpus as a subject anywhere.", reflection=True),
    _("Actually, lodgpus is nazlpus and pevtpus.", "lodgpus is nazlpus and pevtpus", reflection=True),
    _("Let me check again whether babkpus is tegnpus.", planning="babkpus is tegnpus", reflection=True),
    _("Oops, I misread premise 22.", reflection=True),
    _("But wait, does gorzpus contain dalmpus?", planning="dalmpus is gorzpus", reflection=True),
    _("Okay, that path is a dead end, so let me backtrack to fentpus.", reflection=True),
    _("Hmm, maybe rotgpus is sulzpus?", planning="rotgpus is sulzpus", reflection=True),
    _("Wait, no, dalmpus is hivjpus.", "dalmpus is hivjpus", reflection=True),
    _("Let me recheck: tegnpus is babkpus, yes.", "tegnpus is babkpus", reflection=True),
    _("Did I miss a premise about pevtpus?", reflection=True),
    _(
        "Let me go over the chain once more: babkpus → dalmpus → gorzpus.",
        "babkpus is dalmpus; dalmpus is gorzpus",
        reflection=True,
    ),
    _("I was wrong to say that; hivjpus is jelbpus follows by MP alone.", "hivjpus is jelbpus", reflection=True),
    _("Alternatively, babkpus is kumvpus, and kumvpus is tegnpus.", "babkpus is kumvpus; kumvpus is tegnpus", reflection=True),
    _("Wait, maybe I should use dalmpus is jelbpus instead.", planning="dalmpus is jelbpus", reflection=True),
    _(
        "Hmm, fentpus is gorzpus and hivjpus, so fentpus is gorzpus, fine.",
        "fentpus is gorzpus and hivjpus; fentpus is gorzpus",
        reflection=True,
    ),
    _("Let me double check premise 31: mirfpus is pevtpus.", "mirfpus is pevtpus", reflection=True),
    _("No wait, it says lodgpus is rotgpus, which is sulzpus.", "lodgpus is rotgpus; rotgpus is sulzpus", reflection=True),
    _("Scratch that: nazlpus is tegnpus.", "nazlpus is tegnpus", reflection=True),
    _("Let me try a different approach and start from tegnpus.", reflection=True),
    _("Actually, premise 5 already gives babkpus is dalmpus and fentpus.", "babkpus is dalmpus and fentpus", reflection=True),
    _("Hmm, but is there any way to get jelbpus is sulzpus?", planning="jelbpus is sulzpus", reflection=True),
    _(
        "On second thought, I need gorzpus is kumvpus, because kumvpus is lodgpus.",
        "kumvpus is lodgpus",
        planning="gorzpus is kumvpus",
        reflection=True,
    ),
    _("Looking back, pevtpus is rotgpus came from premise 27.", "pevtpus is rotgpus", reflection=True),
    _("Wait, I think I skipped something.", reflection=True),
    _("Sorry, I meant hivjpus is tegnpus, not hivjpus is sulzpus.", "hivjpus is tegnpus", reflection=True),
    # Chatty.
    _("Okay, so babkpus is dalmpus.", "babkpus is dalmpus"),
    _("Okay, so I have to figure out whether babkpus is tegnpus from these premises.", planning="babkpus is tegnpus"),
    _(
        "Alright, babkpus is dalmpus (premise 4), and dalmpus is fentpus (premise 19), so babkpus is fentpus, great!",
        "babkpus is dalmpus; dalmpus is fentpus; babkpus is fentpus",
    ),
    _("So we've got kumvpus is lodgpus, cool.", "kumvpus is lodgpus"),
    _("Now, lodgpus is what?"),
    _("Great, mirfpus is nazlpus!", "mirfpus is nazlpus"),
    _("Then nazlpus is pevtpus, so mirfpus is pevtpus too.", "nazlpus is pevtpus; mirfpus is pevtpus"),
    _("Let's see what we know about gorzpus."),
    _("Yes, sulzpus is tegnpus.", "sulzpus is tegnpus"),
    # Noise.
    _("babkpus\u00a0is\u00a0dalmpus.", "babkpus is dalmpus"),
    _("fentpus is\u200b gorzpus.", "fentpus is gorzpus"),
    _("hivjpus &rarr; jelbpus", "hivjpus is jelbpus"),
    _("kumvpus &sube; lodgpus &amp; mirfpus", "kumvpus is lodgpus and mirfpus"),
    _("BABKPUS IS DALMPUS AND FENTPUS!", "babkpus is dalmpus and fentpus"),
    _("babkpus is dalmpus。", "babkpus is dalmpus"),
    _("Therfore nazlpus is pevtpus.", "nazlpus is pevtpus"),
    _("Is rotgpus sulzpus？", planning="rotgpus is sulzpus"),
    _("SINCE ROTGPUS IS SULZPUS, ROTGPUS IS SULZPUS OR TEGNPUS.", "rotgpus is sulzpus; rotgpus is sulzpus or tegnpus"),
    _("\ufefftegnpus is sulzpus.", "tegnpus is sulzpus"),
    _("babkpus is dalmpus / dalmpus is fentpus", "babkpus is dalmpus; dalmpus is fentpus"),
    _("babkpus is babkpus."),
    _("babkpus is babkpus and dalmpus.", "babkpus is dalmpus"),
    _(
        "jelbpus is kumvpus, lodgpus, mirfpus, nazlpus and pevtpus.",
        "jelbpus is kumvpus; jelbpus is lodgpus; jelbpus is mirfpus; jelbpus is nazlpus; jelbpus is pevtpus",
    ),
    _("gorzpus is hivjpus and jelbpus or kumvpus."),
)

AFTER: tuple[Labelled, ...] = (
    # Long sentences with several clauses.
    _(
        "Since premise 4 tells us that every babkpus is a dalmpus, and premise 19 tells us that every dalmpus is "
        "both fentpus and gorzpus, we can chain the two by modus ponens and obtain that babkpus is fentpus and "
        "gorzpus.",
        "babkpus is dalmpus; dalmpus is fentpus and gorzpus; babkpus is fentpus and gorzpus",
    ),
    _(
        "To get to tegnpus we would have to go through sulzpus, and the only premise that has sulzpus on its left "
        "side is premise 23, which says that sulzpus is tegnpus or rotgpus, so we should first find a way to reach "
        "sulzpus.",
        "sulzpus is rotgpus or tegnpus",
    ),
    _(
        "Starting from babkpus is dalmpus, which is the very first premise, we apply modus ponens with dalmpus is "
        "hivjpus, then with hivjpus is jelbpus, then with jelbpus is kumvpus, and after these three steps we arrive "
        "at babkpus is kumvpus.",
        "babkpus is dalmpus; dalmpus is hivjpus; hivjpus is jelbpus; jelbpus is kumvpus; babkpus is kumvpus",
    ),
    _(
        "The second premise tells us that lodgpus is mirfpus, the fifth one that mirfpus is nazlpus, and the last "
        "one on the list that nazlpus is pevtpus or rotgpus.",
        "lodgpus is mirfpus; mirfpus is nazlpus; nazlpus is pevtpus or rotgpus",
    ),
    _(
        "We know babkpus is dalmpus but need dalmpus is fentpus; we also know that fentpus is gorzpus.",
        "babkpus is dalmpus; fentpus is gorzpus",
        planning="dalmpus is fentpus",
    ),
    _(
        "We already have dalmpus is fentpus, so to finish the argument we only need fentpus is tegnpus.",
        "dalmpus is fentpus",
        planning="fentpus is tegnpus",
    ),
    _(
        "In order to have babkpus is tegnpus, I need babkpus is sulzpus and sulzpus is tegnpus, of which the first "
        "is premise 4 and the second is still open.",
        planning="babkpus is tegnpus; babkpus is sulzpus; sulzpus is tegnpus",
    ),
    _(
        "Given that all kumvpuses are lodgpuses and that all lodgpuses are mirfpuses, and because nothing else is "
        "required here, it follows immediately that all kumvpuses are mirfpuses, as claimed.",
        "kumvpus is lodgpus; lodgpus is mirfpus; kumvpus is mirfpus",
    ),
    _(
        "Although gorzpus is hivjpus and hivjpus is in turn a kind of jelbpus, there is nothing in the list that "
        "takes us from jelbpus to pevtpus.",
        "gorzpus is hivjpus; hivjpus is jelbpus",
    ),
    _(
        "From rotgpus is sulzpus (premise 11), which I used before, together with sulzpus is tegnpus (premise 30), I "
        "can now deduce that rotgpus is tegnpus, and from there, by disjunction introduction, that rotgpus is "
        "tegnpus or nazlpus.",
        "rotgpus is sulzpus; sulzpus is tegnpus; rotgpus is tegnpus; rotgpus is nazlpus or tegnpus",
    ),
    _(
        "We have three facts about hivjpus, namely that hivjpus is jelbpus, that hivjpus is kumvpus and that hivjpus "
        "is lodgpus, and so, by conjunction introduction, hivjpus is jelbpus, kumvpus and lodgpus.",
        "hivjpus is jelbpus; hivjpus is kumvpus; hivjpus is lodgpus; hivjpus is jelbpus and kumvpus and lodgpus",
    ),
    _(
        "Suppose, for the sake of argument, that mirfpus is nazlpus; premise 6 says nazlpus is pevtpus.",
        "nazlpus is pevtpus",
        planning="mirfpus is nazlpus",
    ),
    _(
        "If it turns out that dalmpus is fentpus, then together with babkpus is dalmpus this would give us babkpus "
        "is fentpus, which is one half of what we want.",
        planning="dalmpus is fentpus; babkpus is dalmpus; babkpus is fentpus",
    ),
    _(
        "The subject of the conclusion is babkpus, its predicate is the conjunction of sulzpus and tegnpus, and so "
        "two things are needed before conjunction introduction can be applied."
    ),
    _(
        "It took me about 2.5 pages to write down every premise that mentions kumvpus, lodgpus or mirfpus, but none "
        "of them has babkpus as its subject."
    ),
    _(
        "Because pevtpus is rotgpus, rotgpus is sulzpus, and sulzpus is tegnpus, I get pevtpus is sulzpus by one "
        "application of modus ponens and pevtpus is tegnpus by another, which also makes pevtpus is sulzpus and "
        "tegnpus available through CI.",
        "pevtpus is rotgpus; rotgpus is sulzpus; sulzpus is tegnpus; pevtpus is sulzpus; pevtpus is tegnpus; pevtpus "
        "is sulzpus and tegnpus",
    ),
    _(
        "What I need now is jelbpus is kumvpus, because kumvpus is lodgpus is already known and lodgpus is the "
        "predicate that the goal asks for.",
        "kumvpus is lodgpus",
        planning="jelbpus is kumvpus",
    ),
    _(
        "The goal babkpus is tegnpus can be split: babkpus is sulzpus is premise 2, while sulzpus is tegnpus follows "
        "from premises 7 and 15.",
        "babkpus is sulzpus; sulzpus is tegnpus",
        planning="babkpus is tegnpus",
    ),
    _(
        "Here I use premise 16 (each fentpus is a gorzpus), premise 3 (each gorzpus is a hivjpus) and, at the end, "
        "premise 28 (each hivjpus is a jelbpus or a kumvpus).",
        "fentpus is gorzpus; gorzpus is hivjpus; hivjpus is jelbpus or kumvpus",
    ),
    _(
        "Now that we have established that babkpus is lodgpus, we turn to the second conjunct, for which we need to "
        "show that babkpus is mirfpus.",
        "babkpus is lodgpus",
        planning="babkpus is mirfpus",
    ),
    # Comma splices and semicolons.
    _(
        "babkpus is dalmpus, dalmpus is fentpus, fentpus is gorzpus, therefore babkpus is gorzpus.",
        "babkpus is dalmpus; dalmpus is fentpus; fentpus is gorzpus; babkpus is gorzpus",
    ),
    _(
        "okay hivjpus is jelbpus, jelbpus is kumvpus, that gives hivjpus is kumvpus, nice",
        "hivjpus is jelbpus; jelbpus is kumvpus; hivjpus is kumvpus",
    ),
    _(
        "lodgpus is mirfpus; mirfpus is nazlpus; nazlpus is pevtpus; done.",
        "lodgpus is mirfpus; mirfpus is nazlpus; nazlpus is pevtpus",
    ),
    _("rotgpus is sulzpus, it's also tegnpus", "rotgpus is sulzpus"),
    _("babkpus is dalmpus, need dalmpus is fentpus", "babkpus is dalmpus", planning="dalmpus is fentpus"),
    _(
        "So far we have: babkpus is dalmpus, fentpus is gorzpus, hivjpus is jelbpus or kumvpus.",
        "babkpus is dalmpus; fentpus is gorzpus; hivjpus is jelbpus or kumvpus",
    ),
    _("so far so good, sulzpus is tegnpus, moving on", "sulzpus is tegnpus"),
    _(
        "mirfpus is nazlpus and pevtpus, CE gives mirfpus is nazlpus, CE again gives mirfpus is pevtpus",
        "mirfpus is nazlpus and pevtpus; mirfpus is nazlpus; mirfpus is pevtpus",
    ),
    _("Known: gorzpus is hivjpus; needed: hivjpus is lodgpus.", "gorzpus is hivjpus", planning="hivjpus is lodgpus"),
    _(
        "babkpus is dalmpus, dalmpus and fentpus are gorzpus, so babkpus is gorzpus.",
        "babkpus is dalmpus; dalmpus is gorzpus; fentpus is gorzpus; babkpus is gorzpus",
    ),
    _("kumvpus is lodgpus, i.e. kumvpus belongs to lodgpus.", "kumvpus is lodgpus; kumvpus is lodgpus"),
    _(
        "tegnpus is sulzpus; if sulzpus is rotgpus, tegnpus is rotgpus; but that is open.",
        "tegnpus is sulzpus",
        planning="sulzpus is rotgpus; tegnpus is rotgpus",
    ),
    # Tables and step labels.
    _("| 3 | babkpus is dalmpus | MP (1, 2) |", "babkpus is dalmpus"),
    _("| Step | Statement | Rule |"),
    _("| 7 | kumvpus is lodgpus and mirfpus | CI | 5, 6 |", "kumvpus is lodgpus and mirfpus"),
    _("| nazlpus → pevtpus | premise 13 | ✓ |", "nazlpus is pevtpus"),
    _("| # | Conclusion | From |"),
    _("Step 4 (CI): babkpus is dalmpus and fentpus", "babkpus is dalmpus and fentpus"),
    _("Step 12 [MP 3, 8] rotgpus is sulzpus", "rotgpus is sulzpus"),
    _("(iii) tegnpus is gorzpus (from i, ii)", "tegnpus is gorzpus"),
    _("a) hivjpus is jelbpus", "hivjpus is jelbpus"),
    _("S5: lodgpus is mirfpus or nazlpus [DI, S4]", "lodgpus is mirfpus or nazlpus"),
    _("- [x] babkpus is dalmpus", "babkpus is dalmpus"),
    _("- [ ] Prove dalmpus is fentpus", planning="dalmpus is fentpus"),
    _("    - fentpus is gorzpus (P8) → babkpus is gorzpus", "fentpus is gorzpus; babkpus is gorzpus"),
    _("Layer 2: pevtpus is rotgpus; pevtpus is sulzpus", "pevtpus is rotgpus; pevtpus is sulzpus"),
    _(
        "MP: jelbpus is kumvpus + kumvpus is lodgpus ⟹ jelbpus is lodgpus",
        "jelbpus is kumvpus; kumvpus is lodgpus; jelbpus is lodgpus",
    ),
    _("CE(19): mirfpus is pevtpus", "mirfpus is pevtpus"),
    _("Subgoal 2.1: dalmpus is tegnpus", planning="dalmpus is tegnpus"),
    _("Proof of babkpus is tegnpus:", planning="babkpus is tegnpus"),
    _("End of step 6"),
    # More symbols.
    _(
        "babkpus is dalmpus, dalmpus is fentpus ⊢ babkpus is fentpus",
        "babkpus is dalmpus; dalmpus is fentpus; babkpus is fentpus",
    ),
    _("∴ gorzpus is hivjpus", "gorzpus is hivjpus"),
    _(
        "∵ jelbpus is kumvpus and kumvpus is lodgpus, ∴ jelbpus is lodgpus",
        "jelbpus is kumvpus; kumvpus is lodgpus; jelbpus is lodgpus",
    ),
    _(
        "(mirfpus is nazlpus) ∧ (nazlpus is pevtpus) ⇒ (mirfpus is pevtpus)",
        "mirfpus is nazlpus; nazlpus is pevtpus; mirfpus is pevtpus",
    ),
    _("rotgpus is (sulzpus and tegnpus)", "rotgpus is sulzpus and tegnpus"),
    _("babkpus is [dalmpus or fentpus or gorzpus]", "babkpus is dalmpus or fentpus or gorzpus"),
    _("babkpus ⊄ dalmpus"),
    _("¬(fentpus is gorzpus)"),
    _("hivjpus ∉ jelbpus"),
    _("babkpus → … → tegnpus"),
    _("dalmpus → fentpus → … → tegnpus", "dalmpus is fentpus"),
    _("babkpus → zorvpus → dalmpus"),
    _("kumvpus ∋ lodgpus", "lodgpus is kumvpus"),
    _(
        r"$\text{mirfpus} \in \text{nazlpus} \cap \text{pevtpus}$, so $\text{mirfpus} \in \text{nazlpus}$",
        "mirfpus is nazlpus and pevtpus; mirfpus is nazlpus",
    ),
    _(r"$rotgpus \implies sulzpus \vee tegnpus$", "rotgpus is sulzpus or tegnpus"),
    _(r"\textbf{babkpus} is \textbf{dalmpus}", "babkpus is dalmpus"),
    _(r"$\mathrm{fentpus} \subset \mathrm{gorzpus}$", "fentpus is gorzpus"),
    _(r"\[ hivjpus \to jelbpus \to kumvpus \quad \text{(premises 4 and 9)} \]", "hivjpus is jelbpus; jelbpus is kumvpus"),
    _(r"lodgpus \not\to mirfpus"),
    _("nazlpus ⟶ pevtpus", "nazlpus is pevtpus"),
    _(
        r"\text{Given } dalmpus \subseteq fentpus, \text{ we need } fentpus \subseteq tegnpus.",
        "dalmpus is fentpus",
        planning="fentpus is tegnpus",
    ),
    _(r"If $X \subseteq Y$ and $Y \subseteq Z$, then $X \subseteq Z$."),
    _("babkpus=>dalmpus=>fentpus", "babkpus is dalmpus; dalmpus is fentpus"),
    _("sulzpus -> tegnpus | rotgpus", "sulzpus is rotgpus or tegnpus"),
    _("gorzpus -> hivjpus && jelbpus", "gorzpus is hivjpus and jelbpus"),
    _("P(babkpus) → Q"),
    # Quotes, brackets, parentheses.
    _('Premise 26 reads: "Every babkpus is dalmpus and fentpus."', "babkpus is dalmpus and fentpus"),
    _('The statement "gorzpus is hivjpus" is one of the premises.', "gorzpus is hivjpus"),
    _(
        "“jelbpus is kumvpus” and “kumvpus is lodgpus” together yield “jelbpus is lodgpus”.",
        "jelbpus is kumvpus; kumvpus is lodgpus; jelbpus is lodgpus",
    ),
    _(
        "The claim 'mirfpus is nazlpus' follows from 'mirfpus is nazlpus and pevtpus'.",
        "mirfpus is nazlpus; mirfpus is nazlpus and pevtpus",
    ),
    _(
        "rotgpus is sulzpus (because rotgpus is kumvpus and kumvpus is sulzpus).",
        "rotgpus is sulzpus; rotgpus is kumvpus; kumvpus is sulzpus",
    ),
    _("babkpus (which is dalmpus) is also fentpus.", "babkpus is dalmpus; babkpus is fentpus"),
    _("gorzpus is hivjpus — by premise 14 — and hivjpus is lodgpus.", "gorzpus is hivjpus; hivjpus is lodgpus"),
    _("tegnpus (see premise 5) is sulzpus.", "tegnpus is sulzpus"),
    _("«nazlpus is pevtpus»: premise 9.", "nazlpus is pevtpus"),
    _("(Note that dalmpus is kumvpus.)", "dalmpus is kumvpus"),
    _("[lodgpus is mirfpus] [mirfpus is rotgpus]", "lodgpus is mirfpus; mirfpus is rotgpus"),
    _(
        "babkpus is dalmpus (and hence babkpus is dalmpus or fentpus, though that is not useful).",
        "babkpus is dalmpus; babkpus is dalmpus or fentpus",
    ),
    _('The statement "sulzpus is tegnpus" is not among the premises.'),
    _('Both "hivjpus is kumvpus" and "hivjpus is lodgpus" are given.', "hivjpus is kumvpus; hivjpus is lodgpus"),
    # Respectively, former, neither, not only.
    _("babkpus and fentpus are dalmpus and gorzpus, respectively.", "babkpus is dalmpus; fentpus is gorzpus"),
    _("The former is kumvpus, the latter is lodgpus."),
    _("mirfpus is neither nazlpus nor pevtpus."),
    _("Neither babkpus is dalmpus nor babkpus is fentpus can be shown."),
    _("rotgpus is not only sulzpus but also tegnpus.", "rotgpus is sulzpus and tegnpus"),
    _("hivjpus is jelbpus as well as kumvpus.", "hivjpus is jelbpus and kumvpus"),
    _("lodgpus is mirfpus, and also nazlpus.", "lodgpus is mirfpus and nazlpus"),
    _("babkpus is dalmpus only if babkpus is fentpus.", planning="babkpus is dalmpus; babkpus is fentpus"),
    _("gorzpus is hivjpus iff gorzpus is jelbpus.", planning="gorzpus is hivjpus; gorzpus is jelbpus"),
    _("babkpus is fentpus if dalmpus is fentpus.", planning="babkpus is fentpus; dalmpus is fentpus"),
    _("pevtpus is rotgpus, provided that kumvpus is rotgpus.", planning="pevtpus is rotgpus; kumvpus is rotgpus"),
    _("Whenever something is dalmpus, that thing is fentpus."),
    _("sulzpus, tegnpus and rotgpus are all nazlpus.", "sulzpus is nazlpus; tegnpus is nazlpus; rotgpus is nazlpus"),
    _("dalmpus contains both babkpus and fentpus.", "babkpus is dalmpus; fentpus is dalmpus"),
    _("Likewise for gorzpus and hivjpus."),
    _("That is to say, kumvpus is contained in lodgpus.", "kumvpus is lodgpus"),
    _("Anything that is a mirfpus is also a nazlpus.", "mirfpus is nazlpus"),
    _("One of them is pevtpus."),
    _(
        "babkpus is all of the following: dalmpus, fentpus, gorzpus and hivjpus.",
        "babkpus is dalmpus; babkpus is fentpus; babkpus is gorzpus; babkpus is hivjpus",
    ),
    _("jelbpus has been shown to be kumvpus.", "jelbpus is kumvpus"),
    _("The set of lodgpuses is included in the set of mirfpuses.", "lodgpus is mirfpus"),
    # Further relation words.
    _("A is B means that A belongs to category B."),
    _("gorzpus encompasses hivjpus.", "hivjpus is gorzpus"),
    _("jelbpus is an instance of kumvpus, and kumvpus counts as lodgpus.", "jelbpus is kumvpus; kumvpus is lodgpus"),
    _("mirfpus falls into the category of nazlpus or pevtpus.", "mirfpus is nazlpus or pevtpus"),
    _("Each rotgpus, then, is included in sulzpus and is a sort of tegnpus.", "rotgpus is sulzpus; rotgpus is tegnpus"),
    _("dalmpus is a proper part of the story, but not of the proof."),
    # Cannot, unable, failing.
    _("I cannot conclude that babkpus is tegnpus."),
    _("We are unable to derive gorzpus is hivjpus."),
    _("It does not follow that jelbpus is kumvpus."),
    _("There's no way to prove lodgpus is mirfpus from these premises."),
    _("I can't find any premise stating that nazlpus is pevtpus."),
    _("None of the premises says that rotgpus is sulzpus."),
    _(
        "babkpus is dalmpus, so babkpus is dalmpus or fentpus, but we cannot say which.",
        "babkpus is dalmpus; babkpus is dalmpus or fentpus",
    ),
    _("babkpus doesn't lead to tegnpus."),
    _("No premise connects kumvpus with lodgpus."),
    _("It isn't stated anywhere that dalmpus is hivjpus."),
    _("mirfpus is nazlpus is unproven."),
    _("pevtpus is never rotgpus."),
    _("Without sulzpus is tegnpus, the proof fails.", planning="sulzpus is tegnpus"),
    _("This does not mean that fentpus is jelbpus."),
    _(
        "hivjpus is kumvpus does not help, since kumvpus is lodgpus or mirfpus.",
        "hivjpus is kumvpus; kumvpus is lodgpus or mirfpus",
    ),
    _("That branch ends at gorzpus."),
    _("The chain stops here: babkpus → dalmpus → fentpus.", "babkpus is dalmpus; dalmpus is fentpus"),
    _("tegnpus is a sink."),
    _('We lack a premise of the form "nazlpus is X".'),
    # Plans in other words.
    _("I'd like to get babkpus is fentpus first.", planning="babkpus is fentpus"),
    _(
        "Plan: derive babkpus is dalmpus, then derive dalmpus is fentpus, and combine them.",
        planning="babkpus is dalmpus; dalmpus is fentpus",
    ),
    _("First prove hivjpus is jelbpus, then prove jelbpus is kumvpus.", planning="hivjpus is jelbpus; jelbpus is kumvpus"),
    _("We are trying to reach babkpus is tegnpus.", planning="babkpus is tegnpus"),
    _("All that remains is to derive lodgpus is mirfpus or nazlpus.", planning="lodgpus is mirfpus or nazlpus"),
    _(
        "How can we get babkpus is tegnpus from babkpus is dalmpus and fentpus?",
        planning="babkpus is tegnpus; babkpus is dalmpus and fentpus",
    ),
    _("gorzpus is hivjpus, right?", planning="gorzpus is hivjpus"),
    _("Since kumvpus is lodgpus, is kumvpus also mirfpus?", planning="kumvpus is lodgpus; kumvpus is mirfpus"),
    _("What if nazlpus is pevtpus?", planning="nazlpus is pevtpus"),
    _("Do premises 4 and 7 give rotgpus is sulzpus?", planning="rotgpus is sulzpus"),
    _("If so, babkpus is fentpus.", planning="babkpus is fentpus"),
    _("Ideally, dalmpus would be tegnpus.", planning="dalmpus is tegnpus"),
    _("It is possible that jelbpus is kumvpus and lodgpus.", planning="jelbpus is kumvpus and lodgpus"),
    _("It'd be enough to have sulzpus is tegnpus.", planning="sulzpus is tegnpus"),
    _("I need to check premise 7: dalmpus is fentpus.", "dalmpus is fentpus"),
    _("We should look for mirfpus → nazlpus.", planning="mirfpus is nazlpus"),
    _("Let me note that pevtpus is rotgpus.", "pevtpus is rotgpus"),
    _("Let me list what I have: babkpus is dalmpus; babkpus is hivjpus.", "babkpus is dalmpus; babkpus is hivjpus"),
    _('The task: decide whether "babkpus is sulzpus or tegnpus" is True.', planning="babkpus is sulzpus or tegnpus"),
    _(
        "The conclusion we want is that every babkpus is a tegnpus, and the premise we have is that every babkpus is "
        "a sulzpus.",
        "babkpus is sulzpus",
        planning="babkpus is tegnpus",
    ),
    _("I'm going to use fentpus is gorzpus.", "fentpus is gorzpus"),
    _("Hence the problem reduces to proving hivjpus is lodgpus.", planning="hivjpus is lodgpus"),
    _("My strategy is to go forward from babkpus and backward from tegnpus until the two meet."),
    _("Using dalmpus is fentpus we get babkpus is fentpus.", "dalmpus is fentpus; babkpus is fentpus"),
    _("We can use kumvpus is lodgpus to conclude jelbpus is lodgpus.", "kumvpus is lodgpus; jelbpus is lodgpus"),
    _(
        "For CI we need both conjuncts: babkpus is mirfpus and babkpus is nazlpus.",
        planning="babkpus is mirfpus; babkpus is nazlpus",
    ),
    _("Let's suppose rotgpus is sulzpus, then rotgpus is tegnpus.", planning="rotgpus is sulzpus; rotgpus is tegnpus"),
    _("We must show either gorzpus is hivjpus or gorzpus is jelbpus.", planning="gorzpus is hivjpus; gorzpus is jelbpus"),
    _("Try to find tegnpus as predicate: sulzpus is tegnpus, pevtpus is tegnpus.", "sulzpus is tegnpus; pevtpus is tegnpus"),
    # Long rambling thought.
    _(
        "Hmm okay so the premises are all jumbled up, so I'll have to sort them somehow before I can do anything useful.",
        reflection=True,
    ),
    _(
        "Okay wait, so if babkpus is dalmpus, and I think that was premise 4, then I'd want something like dalmpus "
        "is fentpus, and then we'd be done.",
        planning="babkpus is dalmpus; dalmpus is fentpus",
        reflection=True,
    ),
    _(
        "Right, so kumvpus is lodgpus, and um, lodgpus is mirfpus I think, yeah premise 18, so kumvpus is mirfpus.",
        "kumvpus is lodgpus; lodgpus is mirfpus; kumvpus is mirfpus",
    ),
    _("Let me think... so gorzpus is hivjpus and that one is jelbpus...", "gorzpus is hivjpus"),
    _("Phew, that's a lot of premises, but fine, first one: nazlpus is pevtpus or rotgpus.", "nazlpus is pevtpus or rotgpus"),
    _("Hmm, that step needs dalmpus is fentpus, and I never derived it.", planning="dalmpus is fentpus", reflection=True),
    _("Earlier I claimed that babkpus is kumvpus, which is wrong.", reflection=True),
    _(
        "No no no, I mixed up hivjpus and jelbpus there, it's jelbpus is hivjpus (premise 20), and not the other way round.",
        "jelbpus is hivjpus",
        reflection=True,
    ),
    _(
        "But hold on a second, since sulzpus is tegnpus, we would also need tegnpus is rotgpus, wouldn't we?",
        planning="sulzpus is tegnpus; tegnpus is rotgpus",
        reflection=True,
    ),
    _("Ah, I see, so lodgpus is mirfpus after all, because premise 15 says so.", "lodgpus is mirfpus"),
    _(
        "Hmm, let me see: babkpus is dalmpus, dalmpus is gorzpus, gorzpus is lodgpus... ok so babkpus is lodgpus.",
        "babkpus is dalmpus; dalmpus is gorzpus; gorzpus is lodgpus; babkpus is lodgpus",
        reflection=True,
    ),
    _(
        "Wait a minute, the premise is fentpus is gorzpus and hivjpus, so I have to split it first.",
        "fentpus is gorzpus and hivjpus",
        reflection=True,
    ),
    _("Let me go back and see whether I overlooked a premise in which nazlpus is the subject.", reflection=True),
    _("To be sure, I'll go through the list again from the top.", reflection=True),
    _("That contradicts what I found before, so one of the two steps must be wrong.", reflection=True),
    _("So yeah, pevtpus is rotgpus, and that's all we can say about pevtpus.", "pevtpus is rotgpus"),
    _("Maybe I'm overcomplicating this.", reflection=True),
    _("Perhaps there's a shorter way.", reflection=True),
    _(
        "Let me verify: babkpus is dalmpus ✓, dalmpus is tegnpus ✓, so babkpus is tegnpus ✓.",
        "babkpus is dalmpus; dalmpus is tegnpus; babkpus is tegnpus",
        reflection=True,
    ),
    _(
        'Double-checking premise 33: "jelbpus is kumvpus or lodgpus", yes, that\'s an or.',
        "jelbpus is kumvpus or lodgpus",
        reflection=True,
    ),
    _("I should have used mirfpus is nazlpus instead of going through pevtpus.", "mirfpus is nazlpus", reflection=True),
    _(
        "Not quite: rotgpus is sulzpus, and only then rotgpus is tegnpus.",
        "rotgpus is sulzpus; rotgpus is tegnpus",
        reflection=True,
    ),
    _("Okay, this isn't working; try another way: hivjpus is kumvpus, premise 40.", "hivjpus is kumvpus", reflection=True),
    _("Hmm, but then dalmpus would have to be sulzpus, which we don't have.", planning="dalmpus is sulzpus", reflection=True),
    _("Yes, that's correct."),
    _("Right, I've got the first half."),
    _("Hmm.", reflection=True),
    _(
        "Let me summarise the chain once more to be safe: babkpus → fentpus → gorzpus → tegnpus.",
        "babkpus is fentpus; fentpus is gorzpus; gorzpus is tegnpus",
        reflection=True,
    ),
    _("Is there an error in the step where I said lodgpus is nazlpus?", planning="lodgpus is nazlpus", reflection=True),
    _(
        "I think we can stop here since both conjuncts, babkpus is sulzpus and babkpus is tegnpus, are proved.",
        "babkpus is sulzpus; babkpus is tegnpus",
    ),
    _("Alternatively babkpus might be reached through kumvpus.", reflection=True),
    _('Wait — not jelbpus, kumvpus: premise 8 is "kumvpus is lodgpus".', "kumvpus is lodgpus", reflection=True),
    _(
        "To double-check, nazlpus is pevtpus follows from nazlpus is pevtpus and rotgpus.",
        "nazlpus is pevtpus; nazlpus is pevtpus and rotgpus",
        reflection=True,
    ),
    _("Now, correcting that, gorzpus is tegnpus.", "gorzpus is tegnpus", reflection=True),
    _("As I noted above, mirfpus is sulzpus.", "mirfpus is sulzpus"),
    _("Good, now for the second part of the conclusion."),
    _("So the answer should be true, I'm fairly confident."),
    _("Earlier I got nazlpus is pevtpus from premise 6, and that still stands.", "nazlpus is pevtpus", reflection=True),
    _(
        "So kumvpus is lodgpus — wait, no, kumvpus is mirfpus, premise 29.",
        "kumvpus is lodgpus; kumvpus is mirfpus",
        reflection=True,
    ),
    _(
        'Rechecking: premise 2 is "sulzpus is tegnpus and rotgpus", so by CE sulzpus is rotgpus, which agrees with the above.',
        "sulzpus is rotgpus and tegnpus; sulzpus is rotgpus",
        reflection=True,
    ),
    _(
        "Hmm, fentpus is gorzpus, but does gorzpus get me anywhere near tegnpus?",
        planning="fentpus is gorzpus",
        reflection=True,
    ),
    _("I'm not sure that hivjpus is jelbpus.", reflection=True),
    _(
        "My previous conclusion that lodgpus is mirfpus was right, since lodgpus is nazlpus and nazlpus is mirfpus.",
        "lodgpus is mirfpus; lodgpus is nazlpus; nazlpus is mirfpus",
        reflection=True,
    ),
    _(
        "Let me redo this: from babkpus is gorzpus and gorzpus is kumvpus we get babkpus is kumvpus, not babkpus is lodgpus.",
        "babkpus is gorzpus; gorzpus is kumvpus; babkpus is kumvpus",
        reflection=True,
    ),
    _(
        "Back to dalmpus: besides dalmpus is fentpus there is also dalmpus is sulzpus in premise 35.",
        "dalmpus is fentpus; dalmpus is sulzpus",
        reflection=True,
    ),
    _("Fine, scrap the kumvpus idea; we still have babkpus is nazlpus.", "babkpus is nazlpus", reflection=True),
    _("Correction: pevtpus is rotgpus or sulzpus, so no MP here.", "pevtpus is rotgpus or sulzpus", reflection=True),
    _(
        "Or maybe instead go via jelbpus: babkpus is jelbpus, jelbpus is tegnpus.",
        "babkpus is jelbpus; jelbpus is tegnpus",
        reflection=True,
    ),
    _(
        "Wait, we need fentpus is tegnpus for that, but all we have is fentpus is sulzpus.",
        "fentpus is sulzpus",
        planning="fentpus is tegnpus",
        reflection=True,
    ),
    _("What about nazlpus?"),
    # More of several statements.
    _("dalmpus is fentpus, I need to check that.", "dalmpus is fentpus"),
    _(
        "On the one hand rotgpus is sulzpus, on the other rotgpus is tegnpus; together: rotgpus is sulzpus and tegnpus.",
        "rotgpus is sulzpus; rotgpus is tegnpus; rotgpus is sulzpus and tegnpus",
    ),
    _(
        "The chain is complete, as babkpus is dalmpus, dalmpus is gorzpus, gorzpus is mirfpus, mirfpus is sulzpus "
        "and sulzpus is tegnpus were all given.",
        "babkpus is dalmpus; dalmpus is gorzpus; gorzpus is mirfpus; mirfpus is sulzpus; sulzpus is tegnpus",
    ),
    _(
        "From 3, 8 and 21 (dalmpus is fentpus, fentpus is jelbpus, jelbpus is pevtpus), dalmpus is pevtpus.",
        "dalmpus is fentpus; fentpus is jelbpus; jelbpus is pevtpus; dalmpus is pevtpus",
    ),
    _(
        "Having shown babkpus is gorzpus and babkpus is hivjpus, I conclude babkpus is gorzpus and hivjpus.",
        "babkpus is gorzpus; babkpus is hivjpus; babkpus is gorzpus and hivjpus",
    ),
    _(
        "Next comes lodgpus: it appears in premise 2 (lodgpus is mirfpus) and in premise 20 (kumvpus is lodgpus), "
        "nowhere else.",
        "lodgpus is mirfpus; kumvpus is lodgpus",
    ),
    _(
        "There are two premises about sulzpus, one saying sulzpus is tegnpus, the other saying sulzpus is rotgpus or kumvpus.",
        "sulzpus is tegnpus; sulzpus is kumvpus or rotgpus",
    ),
    _(
        "babkpus is dalmpus is given, dalmpus is fentpus is given, fentpus is tegnpus isn't.",
        "babkpus is dalmpus; dalmpus is fentpus",
    ),
    _('Use premise 9, "gorzpus is hivjpus", on fentpus is gorzpus.', "gorzpus is hivjpus; fentpus is gorzpus"),
    _(
        "jelbpus, kumvpus and lodgpus all are mirfpus, though only lodgpus matters here.",
        "jelbpus is mirfpus; kumvpus is mirfpus; lodgpus is mirfpus",
    ),
    _(
        "As for pevtpus, we can say that it is in rotgpus, since pevtpus is sulzpus and sulzpus is rotgpus.",
        "pevtpus is sulzpus; sulzpus is rotgpus",
    ),
    _(
        "I can derive gorzpus is lodgpus from gorzpus is kumvpus and kumvpus is lodgpus.",
        "gorzpus is lodgpus; gorzpus is kumvpus; kumvpus is lodgpus",
    ),
    _(
        "Then DI: kumvpus is lodgpus ⇒ kumvpus is lodgpus ∨ mirfpus ∨ nazlpus",
        "kumvpus is lodgpus; kumvpus is lodgpus or mirfpus or nazlpus",
    ),
    _(
        "First, babkpus is dalmpus (P3); second, dalmpus is hivjpus (P12); third, hivjpus is tegnpus (P7); so, "
        "applying MP twice, babkpus is hivjpus, and then babkpus is tegnpus.",
        "babkpus is dalmpus; dalmpus is hivjpus; hivjpus is tegnpus; babkpus is hivjpus; babkpus is tegnpus",
    ),
    _(
        "The goal was babkpus is tegnpus and sulzpus, and both halves are there: babkpus is tegnpus from step 9, "
        "babkpus is sulzpus from step 14.",
        "babkpus is tegnpus; babkpus is sulzpus",
        planning="babkpus is sulzpus and tegnpus",
    ),
    _(
        "We get mirfpus is nazlpus, and what we still need is nazlpus is kumvpus; then mirfpus is kumvpus would follow.",
        "mirfpus is nazlpus",
        planning="nazlpus is kumvpus; mirfpus is kumvpus",
    ),
    # Noise, second helping.
    _("因此，babkpus is fentpus。", "babkpus is fentpus"),
    _(
        "babkpus is dalmpus，dalmpus is fentpus；so babkpus is fentpus。",
        "babkpus is dalmpus; dalmpus is fentpus; babkpus is fentpus",
    ),
    _("<b>gorzpus</b> is <b>hivjpus</b>", "gorzpus is hivjpus"),
    _("kumvpus&nbsp;is&nbsp;lodgpus and&nbsp;mirfpus.", "kumvpus is lodgpus and mirfpus"),
    _("nazlpus &isin; pevtpus &rArr; rotgpus", "nazlpus is pevtpus; pevtpus is rotgpus"),
    _("Sulzpus is Tegnpus?!", planning="sulzpus is tegnpus"),
    _("babkpus\u202fis dalmpus\u202f; dalmpus\u202fis fentpus.", "babkpus is dalmpus; dalmpus is fentpus"),
    _("hivjpus\u200b\u200b is jelbpus\n", "hivjpus is jelbpus"),
    _("babkpus is dalmpus ,dalmpus is fentpus.", "babkpus is dalmpus; dalmpus is fentpus"),
    _("we thn conclde that lodgpus is mirfpus , wich is wat we wantd", "lodgpus is mirfpus"),
    _("GOAL: PROVE THAT MIRFPUS IS NAZLPUS.", planning="mirfpus is nazlpus"),
    _("mIrFpUs iS nAzLpUs", "mirfpus is nazlpus"),
    _("pevtpus is sulzpu5."),
    _("rotgpus is kumvpux or sulzpus."),
    _("dalmpus is fentpus\tfentpus is gorzpus", "dalmpus is fentpus; fentpus is gorzpus"),
    _("<br>- tegnpus is gorzpus<br>", "tegnpus is gorzpus"),
    _("babkpus is dalmpus & babkpus is fentpus.", "babkpus is dalmpus; babkpus is fentpus"),
    _("**Jelbpus is Kumvpus and Lodgpus** (rule: **CI**)", "jelbpus is kumvpus and lodgpus"),
    _("~ hivjpus is lodgpus ~", "hivjpus is lodgpus"),
    _(r"\(\therefore\) sulzpus is tegnpus", "sulzpus is tegnpus"),
    _(r"\boxed{\text{The statement is true}}"),
    _('So "babkpus is tegnpus" is **True**.', "babkpus is tegnpus"),
    _(r"The statement that babkpus is dalmpus and fentpus is \boxed{True}.", "babkpus is dalmpus and fentpus"),
    _(
        "Each nazlpus is a pevtpus, and every pevtpus (see above) is a member of the class of rotgpuses.",
        "nazlpus is pevtpus; pevtpus is rotgpus",
    ),
)
