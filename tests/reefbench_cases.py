"""Responses to a ReEfBench pair as models write them, with what a fair reader would take from them: data for
test_reefbench_responses.

``source`` says where the pattern is known from: section and number of a collection of irregularities seen in real
responses (irregularity), or of public bug reports of this field (bug). Each response is read as one to the main row, whose
answer is True, and as one to the contrast row, whose answer is Unknown: the answer that it gives is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rb_build import reefbench
from rb_build.reefbench.prompt import prompt
from rb_verify.statements import read
from small_reefbench import reefbench_recipe

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
FORMAT, EXPLOSION, LOOP = "format_non_compliance", "reasoning_explosion", "degenerative_loop"

CONCLUSION = "babkpus is fentpus or gorzpus"
# Each derived statement follows by one rule from those before it.
GOLDEN: list[tuple[str, str, list[str], int]] = [
    ("babkpus is dalmpus", "premise", [], 0),
    ("dalmpus is fentpus and hilkpus", "premise", [], 0),
    ("babkpus is fentpus and hilkpus", "MP", ["babkpus is dalmpus", "dalmpus is fentpus and hilkpus"], 1),
    ("babkpus is fentpus", "CE", ["babkpus is fentpus and hilkpus"], 2),
    (CONCLUSION, "DI", ["babkpus is fentpus"], 3),
]
DISTRACTORS = ["dalmpus is jorkpus", "kelmpus is fentpus or gorzpus", "hilkpus is lintpus"]
REMOVED, REPLACING = "dalmpus is fentpus and hilkpus", "morzpus is fentpus or gorzpus"
NAMES = ["babkpus", "dalmpus", "fentpus", "gorzpus", "hilkpus", "jorkpus", "kelmpus", "lintpus", "morzpus"]


def row(config: str) -> dict[str, Any]:
    """The row of a config, main or contrast, laid by hand at level 3."""
    premises = ["dalmpus is jorkpus", REMOVED, "kelmpus is fentpus or gorzpus", "babkpus is dalmpus", "hilkpus is lintpus"]
    steps = [
        {"statement": s, "rule": rule, "inputs": inputs, "golden_depth": depth, "closure_depth": depth}
        for s, rule, inputs, depth in GOLDEN
    ]
    if config == "contrast":
        premises[1], steps = REPLACING, []
    return {
        "id": f"reefbench-1-0-0-l03-i000-{config}",
        "pair": "reefbench-1-0-0-l03-i000",
        "config": config,
        "answer": TRUE if config == "main" else UNKNOWN,
        "level": 3,
        "premises": premises,
        "conclusion": CONCLUSION,
        "golden": steps,
        "vocabulary": NAMES,
        "prompt": prompt(map(read, premises), read(CONCLUSION)),
    }


@lru_cache
def small_rows() -> dict[str, list[dict[str, Any]]]:
    """The rows of the small recipe, by file: four pairs at each of levels 3 to 5."""
    return reefbench.build(reefbench_recipe(), map).files


@dataclass(frozen=True)
class Case:
    """A response and what it says. ``choice``: its answer, None if it gives none; ``failure``: then, why.

    ``nodes``: its statements in order, planned ones with a question mark before; None where they are not the matter.
    ``reflections``: how many of its sentences look back; ``sentences``: how many it has, that of the answer included; each
    None where it is not the matter.
    """

    name: str
    source: str
    response: str | None
    choice: str | None
    failure: str | None = None
    nodes: tuple[str, ...] | None = None
    reflections: int | None = None
    sentences: int | None = None
    finish_reason: str | None = None
    reasoning: str | None = None


def answered(name: str, source: str, response: str, choice: str = TRUE, **more: Any) -> Case:
    """A response that gives an answer, however it is dressed."""
    return Case(name, source, response, choice, **more)


def boxed(value: str, choice: str | None, source: str = "irregularity D29") -> Case:
    """A response with a value in its box."""
    failure = FORMAT if choice is None else None
    return Case(f"box of {value}", source, f"It was shown above.\n\\boxed{{{value}}}", choice, failure)


def lost(name: str, source: str, response: str | None, failure: str = FORMAT, **more: Any) -> Case:
    """A response without a recoverable answer."""
    return Case(name, source, response, None, failure, **more)


def said(name: str, source: str, text: str, nodes: str | Sequence[str] = (), **more: Any) -> Case:
    """A text that makes these statements, and the answer True. ``nodes``: one, or all in order."""
    told = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    return Case(name, source, f"{text}\n\\boxed{{True}}", TRUE, nodes=told, **{"reflections": 0, **more})


ONE, TWO, JOINED = "babkpus is dalmpus", "dalmpus is fentpus and hilkpus", "babkpus is fentpus and hilkpus"
GOOD, BAD = "\\boxed{True}", "\\boxed{Unknown}"
PROSE = " ".join(f"w{i:x}{i * i:x}q" for i in range(800))

THINKING = [
    lost("unclosed think", "irregularity A1", f"<think>{ONE}, and {TWO}, so babkpus is f", EXPLOSION, nodes=(ONE, TWO)),
    answered("closing tag only", "irregularity A2", f"{ONE}. {BAD}\n</think>\n{GOOD}", nodes=(ONE,)),
    answered("reasoning apart", "irregularity A3", f"So {JOINED}. {GOOD}", reasoning=f"{ONE}. {BAD}", nodes=(ONE, JOINED)),
    lost("null, thinking full", "irregularity A4", None, EXPLOSION, reasoning=f"{ONE}. {TWO}", nodes=(ONE, TWO)),
    lost("null, thinking cut", "irregularity A4", None, EXPLOSION, reasoning=GOOD, finish_reason="length", nodes=()),
    lost("empty, thinking full", "irregularity A4", "", EXPLOSION, reasoning=f"{ONE}. {GOOD}", nodes=(ONE,)),
    lost("cut thinking as content", "irregularity A5", f"First, {ONE}. Nex", EXPLOSION, finish_reason="length", nodes=(ONE,)),
    answered("empty think block", "irregularity A6", f"<think>\n\n</think>\n\n{ONE}. {GOOD}", nodes=(ONE,)),
    answered(
        "full-width tokens", "irregularity A7", f"<｜User｜>{TWO}?<｜Assistant｜><think>{ONE}.</think>{GOOD}", nodes=(ONE,)
    ),
    answered("special token at the end", "irregularity A7", f"{GOOD}<|end_header_id|>"),
    answered("special token after forgotten thinking", "irregularity A7", f"<think>{ONE}. {GOOD}<|im_end|>", nodes=(ONE,)),
    answered("prompt echoed", "irregularity A7", f"ECHO\n{ONE}. {GOOD}", nodes=(ONE,)),
    lost("prompt echoed, then nothing", "irregularity A7", "ECHO", nodes=()),
    answered("prompt echoed twice", "irregularity A7", f"ECHO\nECHO\n{BAD}", UNKNOWN, nodes=()),
    lost("box inside unclosed think", "bug A4", f"<think>{PROSE}{GOOD}{PROSE}", EXPLOSION),
    answered("box on both sides of a closing tag", "bug A5", f"{BAD} hmm\n</think>\n{GOOD}"),
    answered("twin of it", "bug A5", f"{GOOD} hmm\n</think>\n{BAD}", UNKNOWN),
    answered("[THINK] pair", "bug A6", f"[THINK] {BAD} [/THINK] {GOOD}"),
    answered("mm:think pair", "bug A6", f"<mm:think> {BAD} </mm:think> {GOOD}"),
    answered("other family's closer inside", "bug A6", f"<think> a [/THINK] {BAD} </think>{GOOD}"),
    answered("wrong closer, box at the end", "bug A7", f"<think> a </tool>{GOOD}"),
    answered("closer forgotten, box at the end", "bug A7", f"<think> {ONE}\n\n$$\\boxed{{\\text{{True}}}}$$", nodes=(ONE,)),
    lost("closer forgotten, text after the box", "bug A7", f"<think> a {GOOD} or is it? No, first", EXPLOSION),
    lost("closer forgotten, cut off", "bug A7", f"<think> a {GOOD}", EXPLOSION, finish_reason="length"),
    lost("box in closed thinking alone", "own", f"<think>{ONE}. {GOOD}</think>", nodes=(ONE,)),
    answered("answer in prose after thinking with a box", "own", f"<think>{BAD}</think>The answer is True."),
]

BOXES = [
    boxed("True", TRUE, "own"),
    boxed("Unknown", UNKNOWN, "own"),
    boxed("\\text{true}", TRUE, "irregularity D27"),
    boxed("\\text{Unknown}", UNKNOWN, "irregularity D27"),
    boxed("\\textbf{True}", TRUE, "irregularity D27"),
    boxed("\\textbf{Unknown}", UNKNOWN, "irregularity D27"),
    boxed("\\mathrm{unknown}", UNKNOWN, "irregularity D27"),
    boxed("\\mathbf{True}", TRUE, "irregularity D27"),
    boxed("\\textit{True}", TRUE, "irregularity D27"),
    boxed("\\texttt{True}", TRUE, "irregularity D27"),
    boxed("\\textsf{True}", TRUE, "irregularity D27"),
    boxed("\\textbf{\\text{True}}", TRUE, "irregularity D27"),
    boxed("\\text{\\textbf{Unknown}}", UNKNOWN, "irregularity D27"),
    boxed("\\text{ True }", TRUE, "irregularity D27"),
    boxed("\\text{True}.", TRUE, "irregularity D27"),
    boxed("\\ \\text{True}\\,", TRUE, "irregularity D27"),
    boxed("{True}", TRUE, "irregularity D27"),
    boxed("**True**", TRUE, "irregularity D27"),
    boxed("“True”", TRUE, "irregularity D27"),
    boxed("\\text{The statement is true}", TRUE, "irregularity D27"),
    boxed("\\text{The statement is unknown}", UNKNOWN, "bug A1"),
    boxed("\\text{cannot be determined}", UNKNOWN, "irregularity D29"),
    boxed("true", TRUE),
    boxed("TRUE", TRUE),
    boxed("Yes", TRUE),
    boxed("No", FALSE),
    boxed("False", FALSE),
    boxed("unkown", UNKNOWN),
    boxed("Uncertain", UNKNOWN),
    boxed("Undetermined", UNKNOWN),
    boxed("cannot be determined", UNKNOWN),
    boxed("Cannot be determined from the given facts", UNKNOWN),
    boxed("It cannot be determined", UNKNOWN),
    boxed("not necessarily true", UNKNOWN),
    boxed("The statement is not necessarily true", UNKNOWN),
    boxed("Not enough information", UNKNOWN),
    boxed("does not follow", UNKNOWN),
    boxed("It does not follow from the facts", UNKNOWN),
    boxed("Unknown (not necessarily true)", UNKNOWN),
    boxed("Unknown, since no fact leads to it", UNKNOWN),
    boxed("True (by transitivity)", TRUE),
    boxed("True. babkpus is fentpus or gorzpus", TRUE),
    boxed("Yes, it is true", TRUE),
    boxed("The statement is true.", TRUE),
    boxed("It is true", TRUE),
    boxed("The answer is True", TRUE),
    boxed("Answer: True", TRUE),
    boxed("not true", FALSE),
    boxed("\\text{not true}", FALSE),
    boxed("\\text{Not}\\ \\text{true}", FALSE),
    boxed("untrue", FALSE, "bug A13"),
    boxed("The statement is not true", FALSE),
    boxed("True!", TRUE, "bug A13"),
    boxed("(True).", TRUE, "bug A13"),
    boxed("Truely", None, "bug A13"),
    boxed("Trueish", None, "bug A13"),
    boxed("True or Unknown", None),
    boxed("True/Unknown", None),
    boxed("neither true nor unknown", None),
    boxed("maybe", None),
    boxed("not unknown", None),
    boxed("it is not the case that the statement is true", None),
    boxed("It is unclear whether it is true", None),
    boxed("So it is not clear that this is true", None),
    boxed("42", None, "own"),
    boxed("", None, "own"),
    boxed(CONCLUSION, None, "own"),
    answered("dollars", "irregularity D27", f"So it is ${GOOD}$."),
    answered("display", "irregularity D27", f"\\[\n{GOOD}\n\\]"),
    answered("display, text form, full stop inside", "irregularity D27", "$$\\boxed{\\text{Unknown}.}$$", UNKNOWN),
    answered("bold around the box", "irregularity D27", f"**Answer:** **{GOOD}**"),
    answered("space before the brace", "irregularity D27", "\\boxed {True}"),
    answered("space and line inside", "irregularity D27", "\\boxed{\n  True\n}"),
    answered("backslash doubled", "irregularity F40", "\\\\boxed{True}"),
    answered("in a fence", "irregularity B8", f"```latex\n{GOOD}\n```"),
    answered("box in an answer tag", "bug A2", f"<answer>{BAD}</answer>", UNKNOWN),
    answered("two answer tags, the last wins", "bug A3", "<answer>Unknown</answer> … actually … <answer>True</answer>"),
    answered("two boxes, the last wins", "irregularity B9", f"{GOOD}\n\nWait, that is not so.\n\n{BAD}", UNKNOWN),
    answered("the same box twice", "irregularity B12", f"{GOOD}\n{GOOD}"),
    answered("second thoughts, never restated", "irregularity B11", f"{GOOD}\n\nWait, is fentpus even a category?"),
    answered("answer, then the prompt's empty box", "own", f"{GOOD}\n\nI have put my answer inside \\boxed{{}} as asked."),
    lost("the prompt's empty box alone", "own", "I shall put it inside \\boxed{}."),
    answered("explicit line, no box", "irregularity D28", f"{ONE}.\n\nFinal answer: True"),
    answered("the answer is", "irregularity D28", "The answer is Unknown.", UNKNOWN),
    answered("explicit line in bold", "bug A12", "ANSWER: **True**"),
    answered("explicit line in dollars", "bug A12", "ANSWER: $Unknown$", UNKNOWN),
    answered("explicit line in backticks", "bug A12", "ANSWER: `True`"),
    answered("explicit line, is and a colon", "bug A12", "The final answer is: $\\text{True}$"),
    answered("explicit line of a sentence", "bug A13", "Answer: The statement is true."),
    answered("explicit line, not true", "bug A13", "Answer: not true", FALSE),
    answered("an object", "own", '{"answer": "True"}'),
    answered("a box beats an object", "own", '{"answer": "Unknown"}\n' + GOOD),
    lost("verdict in prose alone", "irregularity D28", f"Therefore it is true that {CONCLUSION}."),
    lost("loose mentions", "bug A14", "It looks True; note that Unknown is the usual trap, so no"),
    answered("explicit line, then mentions", "bug A14", "Answer: Unknown\nNote that the usual slip here is True.", UNKNOWN),
    lost("cut before the box", "irregularity D28", f"{ONE}. So", EXPLOSION, finish_reason="length", nodes=(ONE,)),
    lost("cut in the box", "irregularity D28", f"{ONE}. \\boxed{{\\text{{Tr", EXPLOSION, nodes=(ONE,)),
    lost("cut just before its brace", "irregularity D28", "\\boxed{True", EXPLOSION),
    lost("an older box before the one that is cut", "irregularity D28", f"{GOOD} No: \\boxed{{Unk", EXPLOSION),
    lost("nothing", "irregularity B21", ""),
    lost("white space only", "irregularity B21", " \n\t\n"),
    lost("null", "bug A15", None),
]

_VERBS = (
    "is",
    "is a",
    "is also",
    "is therefore",
    "must be",
    "belongs to",
    "is contained in",
    "is included in",
    "is in",
    "is a type of",
    "is a kind of",
    "is part of",
    "is a member of",
    "is an instance of",
    "is a subset of",
    "falls under",
    "counts as",
    "is in the category",
    "⊆",
    "⊂",
    "∈",
    "→",
    "⇒",
    "->",
    "-->",
    "=>",
)
_LATEX = ("\\subseteq", "\\subset", "\\in", "\\to", "\\rightarrow", "\\Rightarrow", "\\implies")
_REVERSED = ("contains", "includes", "covers", "encompasses", "is a superset of", "⊇", "∋")

WORDING = [
    *(said(verb, "irregularity D30", f"babkpus {verb} dalmpus.", ONE) for verb in _VERBS),
    *(said(f"LaTeX {sign}", "irregularity D30", f"$babkpus {sign} dalmpus$", ONE) for sign in _LATEX),
    *(said(f"reversed: {verb}", "irregularity D30", f"dalmpus {verb} babkpus.", ONE) for verb in _REVERSED),
    said("every", "irregularity D30", "Every babkpus is a dalmpus.", ONE),
    said("plurals", "irregularity D30", "All babkpuses are dalmpuses.", ONE),
    said("capitals", "irregularity D30", "Babkpus is DALMPUS.", ONE),
    said("bold", "irregularity D30", "**babkpus** is **dalmpus**.", ONE),
    said("backticks", "irregularity D30", "`babkpus` is `dalmpus`.", ONE),
    said("quotes", "irregularity D30", 'The fact "babkpus is dalmpus" is given.', ONE),
    said("LaTeX text", "irregularity D30", "$\\text{babkpus} \\subseteq \\text{dalmpus}$", ONE),
    said("chain", "irregularity D30", "babkpus → dalmpus → jorkpus", [ONE, "dalmpus is jorkpus"]),
    said("ASCII chain", "irregularity D30", "babkpus -> dalmpus -> jorkpus.", [ONE, "dalmpus is jorkpus"]),
    said("LaTeX chain", "irregularity D30", "$babkpus \\to dalmpus \\to jorkpus$", [ONE, "dalmpus is jorkpus"]),
    said("and is", "irregularity D30", "babkpus is dalmpus and is fentpus.", [ONE, "babkpus is fentpus"]),
    said("x is A and x is B", "irregularity D30", "babkpus is dalmpus and babkpus is fentpus.", [ONE, "babkpus is fentpus"]),
    said("which is", "irregularity D30", "babkpus is dalmpus, which is jorkpus.", [ONE, "dalmpus is jorkpus"]),
    said("both", "irregularity D30", "dalmpus is both hilkpus and fentpus.", TWO),
    said("comma", "irregularity D30", "dalmpus is hilkpus, fentpus.", TWO),
    said("ampersand", "irregularity D30", "dalmpus is fentpus & hilkpus.", TWO),
    said("intersection", "irregularity D30", "dalmpus ⊆ fentpus ∩ hilkpus.", TWO),
    said("either", "irregularity D30", "kelmpus is either gorzpus or fentpus.", "kelmpus is fentpus or gorzpus"),
    said("union", "irregularity D30", "kelmpus ⊆ fentpus ∪ gorzpus.", "kelmpus is fentpus or gorzpus"),
    said("LaTeX or", "irregularity D30", "$kelmpus \\in fentpus \\lor gorzpus$", "kelmpus is fentpus or gorzpus"),
    said("and with or", "own", "kelmpus is fentpus or gorzpus and hilkpus."),
    said("a statement of itself", "own", "babkpus is babkpus."),
    said("since", "own", f"Since {ONE}, and {TWO}, we get that {JOINED}.", [ONE, TWO, JOINED]),
    said("because after", "own", f"{JOINED} because {ONE} and {TWO}.", [JOINED, ONE, TWO]),
    said("inference arrow", "own", f"{ONE}, {TWO} ⇒ {JOINED}.", [ONE, TWO, JOINED]),
    said("a rule's name", "own", f"Modus ponens (MP): {JOINED} (from premises 2 and 4).", JOINED),
    said("a hallucination", "own", "Thus fentpus is gorzpus.", "fentpus is gorzpus"),
]

PLANNED = [
    said("if then", "irregularity D31", "If babkpus is dalmpus then babkpus is jorkpus.", [f"?{ONE}", "?babkpus is jorkpus"]),
    said("question", "irregularity D31", "Is babkpus dalmpus?", f"?{ONE}"),
    said("question of a statement", "irregularity D31", f"So {ONE}?", f"?{ONE}"),
    said("need", "irregularity D31", "I need babkpus is jorkpus.", "?babkpus is jorkpus"),
    said("goal", "irregularity D31", f"To show that {CONCLUSION}, we use {ONE}.", [f"?{CONCLUSION}", ONE]),
    said("the goal is", "irregularity D31", f"The goal is to prove that {CONCLUSION}.", f"?{CONCLUSION}"),
    said("let me check if", "irregularity D31", f"Let me check if {CONCLUSION}.", f"?{CONCLUSION}"),
    said("whether", "irregularity D31", f"The question asks whether {CONCLUSION}.", f"?{CONCLUSION}"),
    said("suppose", "irregularity D31", f"Suppose {ONE}.", f"?{ONE}"),
    said("might", "irregularity D31", "babkpus might be jorkpus.", "?babkpus is jorkpus"),
    said("since and need", "irregularity D31", f"Since {ONE}, we need {TWO}.", [ONE, f"?{TWO}"]),
    said("no path", "irregularity D31", "There is no path from babkpus to lintpus."),
    said("is not", "irregularity D31", "babkpus is not lintpus."),
    said("isn't", "irregularity D31", "babkpus isn't lintpus."),
    said("not given", "irregularity D31", "babkpus is lintpus is not given."),
    said("does not follow", "irregularity D31", "That babkpus is lintpus does not follow."),
    said("we do not know that", "irregularity D31", "We don't know that babkpus is lintpus."),
    said("it is false that", "irregularity D31", "It is false that babkpus is lintpus."),
    said("no x is A", "irregularity D31", "No babkpus is lintpus."),
    said("meta", "irregularity D32", "A is B means A belongs to category B, not that A equals B."),
    said("meta, generic x", "irregularity D32", "If x is A and A is B, then x is B."),
    said("meta, the prompt's example", "irregularity D32", '"rabbit is mammal" says that every rabbit is a mammal.'),
    said("meta, of a rule", "irregularity D32", "By transitivity, A → B → C gives A → C."),
    said("a stranger", "own", "babkpus is dalmpuss, and babkqus is dalmpus, and babkpus is B."),
    said("a pronoun", "own", "It is fentpus."),
    said("the prompt's question again", "own", f"Given these facts, is it true that {CONCLUSION}?", f"?{CONCLUSION}"),
    said("the question, told", "own", f"We are asked whether it is true that {CONCLUSION}.", f"?{CONCLUSION}"),
    said("wait", "own", f"Wait, {ONE}.", ONE, reflections=1),
    said("double-check", "own", f"Let me double-check that. {ONE}.", ONE, reflections=1),
    said("a mistake", "own", "Hmm, I made a mistake. Actually, dalmpus is jorkpus.", "dalmpus is jorkpus", reflections=2),
    said("a first plan", "own", f"Let me start with the facts. Next, {ONE}.", ONE),
]

SENTENCES = [
    said("bullets", "irregularity D33", f"- {ONE}\n- {TWO}\n* {JOINED}", [ONE, TWO, JOINED], sentences=4),
    said("numbered list", "irregularity D33", f"1. {ONE}\n2. {TWO}\n3) {JOINED}", [ONE, TWO, JOINED], sentences=4),
    said("numbered list, full stops", "bug E1", f"1. {ONE}.\n2. {TWO}.", [ONE, TWO], sentences=3),
    said("blank lines", "irregularity D33", f"{ONE}\n\n{TWO}\n\n\n{JOINED}\n\n", [ONE, TWO, JOINED], sentences=4),
    said("e.g.", "irregularity D33", f"We use a fact, e.g. {ONE}.", ONE, sentences=2),
    said("i.e.", "bug E1", f"The first fact, i.e. {ONE}, helps.", ONE, sentences=2),
    said("No. 3", "bug E1", f"Fact No. 3 says {ONE}.", ONE, sentences=2),
    said("Ph.D.", "bug E1", f"As a Ph.D. would say, {ONE}.", ONE, sentences=2),
    said("U.S.A. at the end", "bug E1", "They grow in the U.S.A.\nSo babkpus is dalmpus.", ONE, sentences=3),
    said("etc. and more", "bug E2", f"Facts, rules etc. give {ONE}. Also {TWO}.", [ONE, TWO], sentences=3),
    said("decimal", "irregularity D33", f"With 3.5 steps on average, {ONE}.", ONE, sentences=2),
    said("ellipsis goes on", "irregularity D33", f"So ... {ONE}.", ONE, sentences=2),
    said("ellipsis ends", "irregularity D33", f"{ONE}... Then {TWO}.", [ONE, TWO], sentences=3),
    said("CJK", "irregularity D33", f"{ONE}。{TWO}！babkpus is jorkpus？", [ONE, TWO, "?babkpus is jorkpus"], sentences=4),
    said("marks together", "irregularity D33", f"{ONE}!! Really: {TWO}.", [ONE, TWO], sentences=3),
    said("no blank after the full stop", "own", f"{ONE}.So {JOINED}.", [ONE, JOINED], sentences=3),
    said("NBSP", "irregularity F40", ONE.replace(" ", "\u00a0") + ".", ONE),
    said("zero-width space", "irregularity F40", "bab\u200bkpus is\u200b dalmpus.", ONE),
    said("BOM", "irregularity F40", f"\ufeff{ONE}.", ONE),
    said("CRLF", "irregularity F40", f"{ONE}\r\n{TWO}", [ONE, TWO], sentences=3),
    said("entities", "irregularity F40", "babkpus -&gt; dalmpus, dalmpus is fentpus &amp; hilkpus.", [ONE, TWO]),
    said("LaTeX land", "irregularity F40", "$dalmpus \\in fentpus \\land hilkpus$", TWO),
    said("LaTeX lnot", "irregularity F40", "$\\lnot (babkpus \\in lintpus)$"),
    said("glyphs", "irregularity F40", "dalmpus → fentpus ∧ hilkpus; kelmpus → fentpus ∨ gorzpus", [TWO, DISTRACTORS[1]]),
    said("a glyph of negation", "irregularity F40", "¬(babkpus → lintpus)"),
]

LENGTH = [
    lost("loop, cut", "irregularity F37", f"So {ONE}. " * 60, LOOP, finish_reason="length", nodes=(ONE,) * 60),
    lost("loop, no reason given", "irregularity F37", f"So {ONE}. " * 60, LOOP, nodes=(ONE,) * 60),
    lost("loop in thinking", "irregularity F37", f"<think>{f'So {ONE}. ' * 60}", LOOP, finish_reason="max_tokens"),
    lost("loop with counting numbers", "irregularity F37", "".join(f"{i}. {ONE}\n" for i in range(80)), LOOP),
    lost("loop that stopped by itself", "irregularity F37", f"So {ONE}. " * 60, FORMAT, finish_reason="stop"),
    answered("loop, then the answer", "irregularity F37", f"{f'So {ONE}. ' * 60}{GOOD}", nodes=(ONE,) * 60),
    lost("explosion", "irregularity F38", PROSE, EXPLOSION, finish_reason="length"),
    lost("explosion in thinking, no reason given", "irregularity F39", f"<think>{PROSE}", EXPLOSION),
    lost("long, but it stopped", "irregularity F39", PROSE, FORMAT, finish_reason="stop"),
    lost("open fence", "irregularity F39", f"{ONE}.\n```\nSo", EXPLOSION),
    answered("the reason disagrees", "irregularity F39", f"{ONE}. {GOOD}", finish_reason="length", nodes=(ONE,)),
    answered("an unknown reason", "irregularity F39", GOOD, finish_reason="eos_token_found"),
]

CASES = [*THINKING, *BOXES, *WORDING, *PLANNED, *SENTENCES, *LENGTH]
