"""Score ReEfBench: the boxed answer, and the reasoning process (ReEfBench paper, sections 3.2 to 3.4).

All answers of the paper are True. Here each main row has a contrast row, whose conclusion does not follow, and the
headline wants both of a pair right. The process is what the text says, sentence by sentence: each statement asserted is a
premise, derived or a hallucination by the oracle, and has a depth. It is measured on main rows, whatever their answer.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

from rb_verify import metrics, process, reasoning, reefbench_report
from rb_verify.answers import Answer, Labels, boxed, examples, extract, label
from rb_verify.deduction import Deduction
from rb_verify.objects import shown
from rb_verify.process import DERIVED, HALLUCINATION, PREMISE, Gold, Judged, Node
from rb_verify.prose import STYLES, solution
from rb_verify.reasoning import Sentence
from rb_verify.reefbench_report import MISSED, OVERCLAIMED, PARSE_FAILURE, TRUE_FOUND, UNKNOWN_SEEN, is_main
from rb_verify.statements import SINGLE, informative, read, statement
from rb_verify.tally import ACCURACY, Column, Table
from rb_verify.thinking import Split, split
from rb_verify.unparsed import FORMAT, TRUNCATED, structural_failure
from rb_verify.verdict import CORRECT, INCORRECT, MISSING, UNPARSED, Outcome, Prediction, Verdict

PARSER = f"boxed-1+{reasoning.PARSER}"  # named in the signature; a change of any verdict on any text is a new name
HEADLINE = "pairs"  # what the score is the share of
KEYS = ("finalanswer", "answer")
TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
LABELS = Labels(
    {
        TRUE: ("true", "yes"),
        FALSE: ("false", "no", "not true", "untrue"),
        UNKNOWN: (
            *("unknown", "unkown", "unknow", "uncertain", "undetermined", "undeterminable", "indeterminate", "unsure"),
            *(
                "cannot be determined",
                "can't be determined",
                "can not be determined",
                "not determined",
                "not enough information",
            ),
            *("does not follow", "not necessarily true", "not necessarily", "cannot be derived", "cannot be proven"),
        ),
    },
    leading=("true", "false", "unknown", "yes", "cannot be determined", "not necessarily true"),
)
BOTH, ANSWER, THINKING = TEXTS = ("both", "answer", "thinking")

CATEGORIES: tuple[str, ...] = reefbench_report.CATEGORIES
MEASURES: tuple[str, ...] = reefbench_report.MEASURES
MEANS: frozenset[int] = reefbench_report.MEANS
COLUMNS: tuple[Column, ...] = (
    Column("score", lambda outcome: outcome.score, jointly=True),
    ACCURACY,
    Column("main_accuracy", ACCURACY.counts, is_main),
    Column("contrast_accuracy", ACCURACY.counts, lambda row: not is_main(row)),
)
OPTIONS: dict[str, tuple[str, ...]] = {"text": TEXTS}
GROUPED = "level"

# Without measures: no reasoning was measured.
MISSING_OUTCOME = Outcome(MISSING, MISSING, 0)
UNPARSED_OUTCOME = Outcome(UNPARSED, PARSE_FAILURE, 0, FORMAT)


def judge(row: dict[str, Any], prediction: Prediction, text: str = BOTH) -> Verdict:
    """The verdict on one prediction.

    ``row``: a row of the release (schemas/reefbench.schema.json). ``text``: whose reasoning is scored: the ``thinking``'s,
    the ``answer``'s, or ``both``'s.
    """
    if prediction.error:
        return Verdict(prediction.id, prediction.sample, MISSING_OUTCOME, {"note": "the API reported an error"})
    prompt, truncated = row.get("prompt", ""), prediction.finish_reason in TRUNCATED
    parts = split(prediction.response or "", prompt)
    answer = boxed(parts, truncated) or extract(parts, KEYS, truncated, examples(prompt, KEYS))
    choice = decision(answer.value)
    said = text_of(prediction, parts, text)
    given = prediction.nodes if text == BOTH else None  # which text they are of is not told
    sentences = reasoning.parse(said, frozenset(row["vocabulary"])) if given is None else given_sentences(given)
    told = gold_of(row)
    judged = process.nodes(sentences, told)
    tokens = prediction.tokens if text == BOTH else None
    facts = process.facts(sentences, judged, told, process.count_tokens(said) if tokens is None else tokens)
    measured = metrics.measure(facts)
    left = 0 if given is None else sum("by" in sentence for sentence in given)
    measures = (float(tokens is not None), float(given is not None), float(left), *measured)
    parser = None if given is None else prediction.parser
    outcome = _outcome(row, choice, prediction, answer)._replace(measures=measures, parser=parser)
    evidence: dict[str, Any] = {"answer": choice, "note": answer.note or _unclear(choice, answer)}
    evidence |= {"metrics": dict(zip(metrics.NAMES, measured, strict=True)), "nodes": list(map(_evidence, judged))}
    evidence["reflections"] = [place for place, sentence in enumerate(sentences, 1) if sentence.reflection]
    return Verdict(prediction.id, prediction.sample, outcome, evidence)


def text_of(prediction: Prediction, parts: Split, text: str = BOTH) -> str:
    """The text whose sentences are read. ``parts``: of the response; ``text``: as ``judge`` has it."""
    apart = prediction.reasoning or ""
    return {
        BOTH: "\n".join(filter(None, (apart, parts.whole))),
        ANSWER: parts.visible,
        THINKING: "\n".join(filter(None, (apart, parts.thinking))),
    }[text]


def _outcome(row: dict[str, Any], choice: str | None, prediction: Prediction, answer: Answer) -> Outcome:
    if choice is None:
        return UNPARSED_OUTCOME._replace(failure=structural_failure(prediction, answer))
    right = choice == row["answer"]
    category = ((OVERCLAIMED, UNKNOWN_SEEN), (MISSED, TRUE_FOUND))[is_main(row)][right]
    failure = None if right else f"answered_{choice.lower()}"
    return Outcome(CORRECT if right else INCORRECT, category, int(right), failure, answer=choice)


def _unclear(choice: str | None, answer: Answer) -> str:
    return "" if choice is not None else f"the answer is not True, False or Unknown: {shown(answer.value, 80)}"


def _evidence(node: Node) -> dict[str, Any]:
    return dict(zip(Node._fields, (node.sentence + 1, str(node.statement), *node[2:]), strict=True))


_SUBJECT = re.compile(
    r"\W{0,9}(?:so,? )?(?:(?:the|this|that) )?(?:given |final )?(?:statement|conclusion|claim|answer|it|this|that|truth)"
    r"(?:['’]s\b| is\b| must be\b|:| (?=can|does))\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(r" (?:from|given|by|with|using|based on)\b[^.;:]*\W*\Z", re.IGNORECASE)
_LONGEST = 400  # characters of an answer, as in a box


def decision(value: Any) -> str | None:
    """``True``, ``False`` or ``Unknown`` as a boxed value means it, None if that is not clear.

    "The statement is true" counts; "not true" is False, never True.
    """
    if isinstance(value, str) and len(value) <= _LONGEST:
        value = _unwrapped(value)
        if (choice := label(value, LABELS)) is not None:
            return choice
        if before := _SUBJECT.match(value):
            value = value[before.end() :]
        value = _TAIL.sub("", value, count=1)
    return label(value, LABELS)


_COMMAND = re.compile(r"\\(?:(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|sf|tt|it)|emph|bf|rm|quad)(?![A-Za-z])|[,;! ])")


def _unwrapped(value: str) -> str:
    """A boxed value without LaTeX commands for type and space, and without their braces; single blanks."""
    return " ".join((re.sub(r"[{}~]", " ", _COMMAND.sub(" ", value)) if "\\" in value else value).split())


def given_sentences(parsed: list[dict[str, Any]]) -> list[Sentence]:
    """Sentences as a submitter parsed them (schemas/nodes.schema.json)."""

    def nodes(sentence: dict[str, Any]) -> Iterator[reasoning.Node]:
        for node in sentence["nodes"]:
            subject, _, first, *more = node["statement"].split(" ")
            stated = informative(statement(subject, [first, *more[1::2]], more[0] if more else SINGLE))
            if stated is not None:
                yield reasoning.Node(stated, node["type"] == "planning")

    return [Sentence(each["text"], each["type"] == "reflection", tuple(nodes(each))) for each in parsed]


_STEP = itemgetter("statement", "golden_depth", "closure_depth")


def gold_of(row: dict[str, Any]) -> Gold:
    """What a row's responses are measured against (cached by its premises and golden solution)."""
    return _gold(tuple(row["premises"]), tuple(map(_STEP, row["golden"])), row["conclusion"], row["level"])


@lru_cache(maxsize=16)
def _gold(premises: tuple[str, ...], golden: tuple[tuple[str, int, int], ...], conclusion: str, level: int) -> Gold:
    """The oracle is spared what a sound release says itself: premises, golden solution, and what does not follow."""
    given = [read(text) for text in premises]
    verdicts = {} if golden else {read(conclusion): Judged(HALLUCINATION)}
    known = dict(zip(premises, given, strict=True))
    verdicts |= {known.get(text) or read(text): Judged(DERIVED, layer, depth) for text, layer, depth in golden}
    layers = {statement: verdict.depth or 0 for statement, verdict in verdicts.items() if golden}
    verdicts |= dict.fromkeys(given, Judged(PREMISE, 0, 0))
    return Gold(Deduction(given, layers, level), frozenset(given), layers, level, verdicts)


# ---- What the rest of rb_verify asks of a dataset's scorer -------------------------------------------------------

cluster, summary, marks = reefbench_report.cluster, reefbench_report.summary, reefbench_report.marks


def gold(row: dict[str, Any]) -> str:
    """The gold label, whose balance the manifest tells."""
    return str(row["answer"])


def group(row: dict[str, Any]) -> str:
    """The breakdown of reports: layers of the golden solution."""
    return str(row["level"])


def perfect(row: dict[str, Any]) -> str:
    """The golden solution as prose, in a style that the row's id picks, and the answer."""
    return solution(row, list(STYLES)[hashlib.sha256(row["id"].encode()).digest()[0] % len(STYLES)])


def attacks(rows: list[dict[str, Any]]) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Submissions that need no reasoning; what they score is shown beside every score.

    ``lone_subject`` answers Unknown exactly if some name other than the conclusion's subject is the subject of several
    premises and never in a predicate: contrast rows have one more often.
    """

    def counted(row: dict[str, Any]) -> str:
        premises = [read(text) for text in row["premises"]]
        known = {name for premise in premises for name in premise.predicate.parts} | {read(row["conclusion"]).subject}
        lone = Counter(premise.subject for premise in premises if premise.subject not in known)
        return UNKNOWN if max(lone.values(), default=0) > 1 else TRUE

    return {
        "constant_true": lambda row: f"\\boxed{{{TRUE}}}",
        "constant_false": lambda row: f"\\boxed{{{FALSE}}}",
        "constant_unknown": lambda row: f"\\boxed{{{UNKNOWN}}}",
        "parroted_conclusion": lambda row: f"{row['conclusion']}.\n\\boxed{{{TRUE}}}",
        "copied_premises": lambda row: "".join(f"{premise}.\n" for premise in row["premises"]) + f"\\boxed{{{TRUE}}}",
        "lone_subject": lambda row: f"\\boxed{{{counted(row)}}}",
    }


def tables(report: dict[str, Any]) -> list[Table]:
    """The tables of a report that ReEfBench alone has."""
    return reefbench_report.tables(report["reefbench"])


def words(row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
    """The question, the answer, and where the response looks back."""
    said = [f"conclusion: {row['conclusion']}; gold answer {row['answer']}, level {row['level']}"]
    said.append(f"answer given: {detail.get('answer')}")
    if places := detail.get("reflections"):
        said.append(f"sentences that look back: {', '.join(map(str, places))}")
    return said


def steps(row: dict[str, Any], detail: dict[str, Any]) -> Table:
    """Every statement of the response with what the premises say of it, then what it lacks of the golden solution."""
    golden = {step["statement"]: step for step in row["golden"]}
    lines = []
    for node in detail.get("nodes", ()):
        tags = [node["kind"], *(tag for tag in ("planning", "new", "supported") if node[tag])]
        tags += [_depths(node["depth"], node["closure_depth"])] if node["depth"] is not None else []
        lines.append(
            [str(node["sentence"]), node["statement"], ", ".join(tags), "yes" if node["statement"] in golden else "no"]
        )
    asserted = {node["statement"] for node in detail.get("nodes", ()) if not node["planning"]}
    for text, step in golden.items():
        if text not in asserted:
            lines.append(["none", text, f"not asserted, {_depths(step['golden_depth'], step['closure_depth'])}", "yes"])
    return Table("Statements", ["sentence", "statement", "verdict", "golden"], lines)


def _depths(layer: int, closure: int) -> str:
    return f"layer {layer} (closure depth {closure})"
