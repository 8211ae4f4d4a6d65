"""Score TRACEBench: the answer, and every step of the trace against the closure (TRACE paper, section 3.4).

A step is valid iff the relations it names are exactly those that the facts leave possible (equation 14). Answer and
trace together give the paper's four categories; a response without a recoverable answer is a parse failure. The
headline goes further than the paper's true reasoning, which a copied premise and a lucky answer would earn: a
*grounded* response is right, has only exact steps, states the asked pair, and each of its steps follows from the facts
and the steps before it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rb_verify import stats
from rb_verify.allen import NAMES, symbols_of
from rb_verify.answers import Labels, examples, extract, label
from rb_verify.objects import shown
from rb_verify.tally import (
    ACCURACY,
    SCORE,
    Column,
    Entry,
    Table,
    measure,
    number,
    of_category,
    percent,
    rate_row,
    share,
)
from rb_verify.thinking import split
from rb_verify.trace import Network, Step, judge_steps, network, step_evidence
from rb_verify.unparsed import STRUCTURAL_FAILURES, TRUNCATED, structural_failure
from rb_verify.verdict import CORRECT, INCORRECT, MISSING, UNPARSED, Outcome, Prediction, Verdict

PARSER = "json-3"  # named in the signature; a change of any verdict on any text is a new name
HEADLINE = "grounded"  # what the score is the share of
KEYS = ("finalanswer", "answer")
LABELS = Labels(
    {
        "YES": ("yes", "true"),
        "NO": ("no", "false"),
        "Unsure": ("unsure", "unknown", "uncertain", "undetermined", "not sure", "cannot be determined"),
    },
    leading=("yes", "no", "unsure", "unknown"),
)

TRUE_REASONING = "true_reasoning"
SPURIOUS = "spurious_guessing"
MISALIGNED = "answer_misalignment"
COMPLETE_FAILURE = "complete_failure"
PARSE_FAILURE = "parse_failure"
CATEGORIES: tuple[str, ...] = (TRUE_REASONING, SPURIOUS, MISALIGNED, COMPLETE_FAILURE, PARSE_FAILURE)
LOGICAL_FAILURES = ("direct_inference_error", "reasoning_stagnation", "hallucination")

# What a verdict counts beyond its category: flags of the response, then numbers of its steps.
STEP_MEASURES = ("exact_steps", "weaker_steps", "supported_steps", "restated_steps")
MEASURES: tuple[str, ...] = ("goal_reached", "steps", *STEP_MEASURES)
MEANS: frozenset[int] = frozenset()  # few outcomes differ, so all are kept
COLUMNS: tuple[Column, ...] = (SCORE, ACCURACY, Column(TRUE_REASONING, of_category(TRUE_REASONING)))
OPTIONS: dict[str, tuple[str, ...]] = {}
GROUPED = "level"
LONG = 4  # steps: reports put longer gold proofs together with these


def judge(row: dict[str, Any], prediction: Prediction) -> Verdict:
    """The verdict on one prediction. ``row``: a row of the release (schemas/tracebench.schema.json)."""
    if prediction.error:
        return Verdict(prediction.id, prediction.sample, MISSING_OUTCOME, {"note": "the API reported an error"})
    response, truncated = prediction.response or "", prediction.finish_reason in TRUNCATED
    prompt = row.get("prompt", "")
    answer = extract(split(response, prompt), KEYS, truncated, examples(prompt, KEYS))
    choice = label(answer.value, LABELS)
    if choice is None:
        failure = structural_failure(prediction, answer)
        note = answer.note or f"the answer is not YES, NO or Unsure: {shown(answer.value, 80)}"
        outcome = UNPARSED_OUTCOME._replace(failure=failure)
        return Verdict(prediction.id, prediction.sample, outcome, {"answer": None, "note": note, "steps": []})
    net = network(row)
    steps = judge_steps(net, answer.object.get("reasoning") if answer.object is not None else None)
    goal = net.names[row["question"]["from"]], net.names[row["question"]["to"]]
    outcome = _outcome(net, steps, goal, right=choice == row["answer"])._replace(answer=choice)
    evidence = {"answer": choice, "note": answer.note, "steps": [step_evidence(net, step) for step in steps]}
    return Verdict(prediction.id, prediction.sample, outcome, evidence)


_NOTHING = (0.0,) * len(MEASURES)
MISSING_OUTCOME = Outcome(MISSING, MISSING, 0, None, _NOTHING)
UNPARSED_OUTCOME = Outcome(UNPARSED, PARSE_FAILURE, 0, "format_non_compliance", _NOTHING)


def _outcome(net: Network, steps: list[Step], goal: tuple[int, int], right: bool) -> Outcome:
    verdicts = [step.verdict for step in steps]
    exact = verdicts.count("exact")
    supported = sum([step.supported for step in steps])
    valid = bool(steps) and exact == len(steps)
    reached = any(step.verdict == "exact" and step.pair in (goal, goal[::-1]) for step in steps)
    category = ((COMPLETE_FAILURE, MISALIGNED), (SPURIOUS, TRUE_REASONING))[right][valid]
    measures = (
        float(reached),
        float(len(steps)),
        float(exact),
        float(verdicts.count("weaker")),
        float(supported),
        float(sum([step.restated for step in steps])),
    )
    grounded = right and valid and reached and supported == len(steps)
    failure = None if category == TRUE_REASONING else _logical_failure(net, steps)
    return Outcome(CORRECT if right else INCORRECT, category, int(grounded), failure, measures)


def _logical_failure(net: Network, steps: list[Step]) -> str:
    """The paper's section 4.5.1, as a rule: hallucination, else stagnation, else a direct inference error."""
    if any(step.verdict in ("unknown_event", "unknown_relation") for step in steps):
        return "hallucination"
    if not any(step.pair and step.pair not in net.pairs and step.pair[0] != step.pair[1] for step in steps):
        return "reasoning_stagnation"
    return "direct_inference_error"


# ---- What the rest of rb_verify asks of a dataset's scorer -------------------------------------------------------


def cluster(row: dict[str, Any]) -> str:
    """Rows of one graph share their facts, so they are resampled together."""
    return str(row["graph"])


def gold(row: dict[str, Any]) -> str:
    """The gold label, whose balance the manifest tells."""
    return str(row["answer"])


def group(row: dict[str, Any]) -> str:
    """The breakdown of reports: the target difficulty."""
    return str(row["level"])


def respond(steps: Iterable[tuple[str, str, str]], answer: str) -> str:
    """A response in the form that the prompt asks for. ``steps``: (from, relation, to)."""
    reasoning = [{"from": u, "relation": relation, "to": v} for u, relation, v in steps]
    return json.dumps({"reasoning": reasoning, "final_answer": answer}, ensure_ascii=False)


def perfect(row: dict[str, Any]) -> str:
    """The response that gives a row's gold proof and answer."""
    return respond(((s["from"], "|".join(s["set"]), s["to"]) for s in row["proof"]), row["answer"])


def attacks(rows: list[dict[str, Any]]) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Submissions that need no reasoning; what they score is shown beside every score.

    ``relation_only`` answers by the asked relation alone: as the majority of the level's rows that ask it, those of
    the row's own graph left out, so that it cannot learn a row by heart.
    """
    votes: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        vote = 1 if row["answer"] == "YES" else -1
        votes[row["level"], row["question"]["relation"]] += vote
        votes[row["level"], row["question"]["relation"], row["graph"]] += vote

    def majority(row: dict[str, Any]) -> str:
        key = row["level"], row["question"]["relation"]
        return "YES" if votes[key] - votes[(*key, row["graph"])] > 0 else "NO"

    def triple(statement: dict[str, str]) -> tuple[str, str, str]:
        return statement["from"], statement["relation"], statement["to"]

    return {
        "constant_yes": lambda row: respond([], "YES"),
        "constant_no": lambda row: respond([], "NO"),
        "constant_unsure": lambda row: respond([], "Unsure"),
        "copied_premise_yes": lambda row: respond([triple(row["facts"][0])], "YES"),
        "copied_premise_no": lambda row: respond([triple(row["facts"][0])], "NO"),
        "parroted_question_yes": lambda row: respond([triple(row["question"])], "YES"),
        "parroted_question_no": lambda row: respond([triple(row["question"])], "NO"),
        "relation_only": lambda row: respond([], majority(row)),
    }


def summary(entries: Sequence[Entry]) -> dict[str, Any]:
    """The parts of a report that TRACE alone has: the paper's tables 5 and 6, r, and what goes beyond the paper."""
    levels = sorted({entry.row["level"] for entry in entries})
    means = [
        share([e for e in entries if e.row["level"] == level], cluster, of_category(TRUE_REASONING))["value"]
        for level in levels
    ]
    logical = [e for e in entries if e.outcome.status in (CORRECT, INCORRECT) and e.outcome.category != TRUE_REASONING]
    structural = [e for e in entries if e.outcome.status == UNPARSED]
    lengths = sorted({min(entry.row["proof_length"], LONG) for entry in entries})
    return {
        "correlation": {"levels": levels, "true_reasoning": means, "pearson_r": stats.pearson(levels, means)},
        "logical_failures": {mode: _failed(logical, mode) for mode in LOGICAL_FAILURES},
        "structural_failures": {mode: _failed(structural, mode) for mode in STRUCTURAL_FAILURES},
        "goal_reached": share(entries, cluster, measure(MEASURES, "goal_reached")),
        "steps": {name: share(entries, cluster, measure(MEASURES, name), measure(MEASURES, "steps")) for name in STEP_MEASURES},
        "by_proof_length": {
            f"{length}{'+' if length == LONG else ''}": {
                "accuracy": share(some, cluster, lambda o: o.status == CORRECT),
                "score": share(some, cluster, lambda o: o.score),
            }
            for length in lengths
            if (some := [e for e in entries if min(e.row["proof_length"], LONG) == length])
        },
    }


def _failed(entries: Sequence[Entry], mode: str) -> dict[str, Any]:
    return share(entries, cluster, lambda outcome: outcome.failure == mode)


def marks(entries: Sequence[Entry]) -> dict[str, str]:
    """Nothing: text alone is judged, always in the same way."""
    return {}


def tables(report: dict[str, Any]) -> list[Table]:
    """The tables of a report that TRACE alone has."""
    own = report["tracebench"]
    groups = report["breakdown"]
    categories = Table(
        "Outcomes by target difficulty, % of all rows (Figure 3; spurious guessing is Table 4)",
        ["category", *(f"D-{group['group']}" for group in groups), "all"],
        [
            [name, *(percent(g["categories"][name]) for g in groups), percent(report["rates"][name])]
            for name in (*CATEGORIES, MISSING)
        ],
    )
    r = own["correlation"]["pearson_r"]
    shares = Table(
        "Failure modes, % of the rows that failed so (Tables 5 and 6)",
        ["mode", "share", "95 % interval", "of"],
        [rate_row(mode, rate) for kind in ("logical_failures", "structural_failures") for mode, rate in own[kind].items()],
    )
    beyond = Table(
        "Beyond the paper",
        ["measure", "value", "95 % interval", "of"],
        [
            ["r of difficulty and true reasoning", "not testable" if r is None else f"{r:.2f}", "", str(len(groups))],
            [
                "goal reached",
                percent(own["goal_reached"]),
                number(own["goal_reached"]["interval"]),
                f"{own['goal_reached']['n']} rows",
            ],
            *(
                [name.replace("_", " "), percent(rate), number(rate["interval"]), f"{int(rate['n'])} steps"]
                for name, rate in own["steps"].items()
            ),
            *(
                [
                    f"{key}, gold proof of {length}",
                    percent(rates[key]),
                    number(rates[key]["interval"]),
                    f"{rates[key]['n']} rows",
                ]
                for length, rates in own["by_proof_length"].items()
                for key in ("accuracy", "score")
            ),
        ],
    )
    return [categories, shares, beyond]


def words(row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
    """The question with its proof, and the answer."""
    question, net = row["question"], network(row)
    asked = net.closure[net.names[question["from"]] * net.n + net.names[question["to"]]]
    proof = ", ".join(f"{step['from']} {'|'.join(step['set'])} {step['to']}" for step in row["proof"])
    return [
        f"question: {question['from']} {question['relation']} {question['to']}? gold answer {row['answer']}",
        f"answer given: {detail.get('answer')}",
        f"from {question['from']} to {question['to']} the facts leave {_left(symbols_of(asked))}; a proof: {proof}",
    ]


def _left(symbols: Sequence[str]) -> str:
    """Relations by their symbols; a few by their names too."""
    named = f" ({' or '.join(NAMES[symbol] for symbol in symbols)})" if 0 < len(symbols) <= 3 else ""
    return "|".join(symbols) + named


def steps(row: dict[str, Any], detail: dict[str, Any]) -> Table:
    """Each step with its verdict and what the facts leave possible of its pair."""
    lines = []
    for place, step in enumerate(detail.get("steps", ()), 1):
        tags = [step["verdict"], *(tag for tag in ("supported", "restated") if step.get(tag))]
        lines.append([str(place), step["claim"], ", ".join(tags), _left(step.get("closure", ()))])
    return Table("Steps", ["step", "claim", "verdict", "the facts leave"], lines)
