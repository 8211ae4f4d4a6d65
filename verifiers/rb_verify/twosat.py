"""Score the 2-SAT families: the decision, and the witness that proves it (2-SAT paper, section 5).

Two columns, as in the paper: the decision (Sat.), over all rows, and the witness (Wit.), over satisfiable ones. The
headline is *solved*: an unsatisfiable formula decided, or a satisfiable one decided with a witness that gives every
variable a value and satisfies every clause. A certificate of unsatisfiability is checked where one is given.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from rb_verify import twosat_ablations, twosat_report
from rb_verify.answers import Labels, examples, extract, label
from rb_verify.objects import shown
from rb_verify.schemes import SCHEMES
from rb_verify.tally import ACCURACY, SCORE, Column, Entry, Table
from rb_verify.thinking import split
from rb_verify.twocnf import solve
from rb_verify.twosat_report import (
    FALSE_SAT,
    FALSE_UNSAT,
    INVALID_WITNESS,
    PARSE_FAILURE,
    UNSAT_DECIDED,
    VALID_WITNESS,
    WITNESS,
    is_satisfiable,
)
from rb_verify.unparsed import FORMAT, TRUNCATED, structural_failure
from rb_verify.verdict import CORRECT, INCORRECT, MISSING, UNPARSED, Outcome, Prediction, Verdict
from rb_verify.witness import ABSENT, VALID, Checked, Problem, Worded, check_certificate, check_witness

PARSER = "json-3"  # named in the signature; a change of any verdict on any text is a new name
HEADLINE = "solved"  # what the score is the share of
KEYS = ("satisfiable", "issatisfiable", "sat", "status", "finalanswer", "answer")
ASSIGNMENT_KEYS = ("assignment", "witness", "model", "solution", "assignments")
SAT, UNSAT = "SAT", "UNSAT"
LABELS = Labels(
    {SAT: ("true", "yes", "sat", "satisfiable", "1"), UNSAT: ("false", "no", "unsat", "unsatisfiable", "not satisfiable", "0")},
    leading=("yes", "no", "sat", "unsat", "satisfiable", "unsatisfiable", "not satisfiable"),
)

CATEGORIES: tuple[str, ...] = twosat_report.CATEGORIES
MEASURES: tuple[str, ...] = twosat_report.MEASURES
MEANS: frozenset[int] = frozenset()  # few outcomes differ, so all are kept
COLUMNS: tuple[Column, ...] = (SCORE, ACCURACY, WITNESS)
OPTIONS: dict[str, tuple[str, ...]] = {}
GROUPED = "family and clauses"

MISSING_OUTCOME = Outcome(MISSING, MISSING, 0, None, (0.0, 0.0, 0.0))
UNPARSED_OUTCOME = Outcome(UNPARSED, PARSE_FAILURE, 0, FORMAT, (0.0, 0.0, 0.0))


def problem(row: dict[str, Any]) -> Worded:
    """The formula of a row as answers are checked against it."""
    return Problem(SCHEMES[row["scheme"]], tuple(row["entities"]), row["clauses"])


Read = Callable[[dict[str, Any]], Worded]
"""Reads the formula of a row; ``problem`` here, and another one for rows that are worded otherwise."""


def judge(row: dict[str, Any], prediction: Prediction, read: Read = problem) -> Verdict:
    """The verdict on one prediction. ``row``: a row of the release (schemas/twosat.schema.json)."""
    if prediction.error:
        return Verdict(prediction.id, prediction.sample, MISSING_OUTCOME, {"note": "the API reported an error"})
    prompt, truncated = row.get("prompt", ""), prediction.finish_reason in TRUNCATED
    answer = extract(split(prediction.response or "", prompt), KEYS, truncated, examples(prompt, KEYS))
    choice = decision(answer.value)
    if choice is None:
        mode = structural_failure(prediction, answer, numbered=True)
        note = answer.note or f"the answer is neither satisfiable nor unsatisfiable: {shown(answer.value)}"
        outcome = UNPARSED_OUTCOME._replace(failure=mode, measures=(float(truncated or mode != FORMAT), 0.0, 0.0))
        return Verdict(prediction.id, prediction.sample, outcome, {"answer": None, "note": note})
    formula = read(row)
    given: dict[str, Any] = answer.object or {}
    witness = certificate = Checked(ABSENT)
    if choice == SAT:
        witness = check_witness(formula, next((given[key] for key in ASSIGNMENT_KEYS if given.get(key) is not None), None))
    else:
        certificate = check_certificate(formula, given.get("certificate"))
    category, failure = _category(is_satisfiable(row), choice, witness)
    right = is_satisfiable(row) == (choice == SAT)
    outcome = Outcome(
        CORRECT if right else INCORRECT,
        category,
        int(category in (VALID_WITNESS, UNSAT_DECIDED)),
        failure,
        (float(truncated), float(certificate.verdict != ABSENT), float(certificate.verdict == VALID)),
        choice,
    )
    evidence: dict[str, Any] = {"answer": choice, "note": answer.note}
    evidence |= {"witness": _evidence(witness)} if choice == SAT else {"certificate": _evidence(certificate)}
    return Verdict(prediction.id, prediction.sample, outcome, evidence)


def _category(satisfiable: bool, choice: str, witness: Checked) -> tuple[str, str | None]:
    """The category of a decision, and in what it fails."""
    if choice == UNSAT:
        return (FALSE_UNSAT, FALSE_UNSAT) if satisfiable else (UNSAT_DECIDED, None)
    if not satisfiable:
        return FALSE_SAT, FALSE_SAT
    return (VALID_WITNESS, None) if witness.verdict == VALID else (INVALID_WITNESS, f"witness_{witness.verdict}")


def _evidence(checked: Checked) -> dict[str, Any]:
    return {"verdict": checked.verdict, "note": checked.note, "clause": checked.clause}


_SUBJECT = re.compile(r"\W*(?:the|this|that|it|these|those|all)\b[^.,;:\n]{0,50}?\b(?:is|are)\s+", re.IGNORECASE)

_NAMED = re.compile(r"\W*(?:is[ _]?)?satisfiable\W{0,4}[:=]\W*(?=(?:true|false|yes|no|[01])\b)", re.IGNORECASE)


def decision(value: Any) -> str | None:
    """``SAT`` or ``UNSAT`` as a value means it, None if that is not clear. "The formula is satisfiable" counts, and
    "satisfiable: false" is not "satisfiable"."""
    if isinstance(value, str) and (before := _SUBJECT.match(value) or _NAMED.match(value)):
        value = value[before.end() :]
    return label(value, LABELS)


# ---- What the rest of rb_verify asks of a dataset's scorer -------------------------------------------------------

cluster, summary = twosat_ablations.cluster, twosat_report.summary


def gold(row: dict[str, Any]) -> str:
    """The gold label, whose balance the manifest tells."""
    return SAT if is_satisfiable(row) else UNSAT


def group(row: dict[str, Any]) -> str:
    """The breakdown of reports: family, number of clauses, what is not at .5, and the perturbation."""
    levels = [f"{k} {v:.2f}" for k, v in sorted(row["params"].items()) if k != "clauses" and v not in (None, 0.5)]
    perturbed = [] if row["perturbation"] == "none" else [f"{row['perturbation']} {row['variant']}".strip()]
    return ", ".join([f"{row['family']} {row['params']['clauses']}", *levels, *perturbed])


def respond(
    row: dict[str, Any],
    values: Sequence[bool] | None,
    certificate: Sequence[Sequence[int]] | None = None,
    read: Read = problem,
) -> str:
    """A response in the form that the prompt asks for. ``values``: of variables 1, 2, ...; None for unsatisfiable."""
    formula = read(row)
    said: dict[str, Any] = {"satisfiable": values is not None, "assignment": None}
    if values is not None:
        literals = [v if value else -v for v, value in enumerate(values, 1)]
        said["assignment"] = {name: formula.word(i) for name, i in zip(formula.names, literals, strict=True)}
    if certificate is not None:
        said["certificate"] = [[f"{formula.names[abs(i) - 1]}={formula.word(i)}" for i in chain] for chain in certificate]
    return json.dumps(said, ensure_ascii=False)


def perfect(row: dict[str, Any], read: Read = problem) -> str:
    """The response that gives a witness, or a certificate that there is none."""
    solution = solve(row["variables"], row["clauses"])
    return respond(row, solution.witness, solution.certificate, read)


def majority(row: dict[str, Any]) -> list[bool]:
    """Each variable as most of its literals have it; true where as many have it so as not."""
    balance = [0] * (row["variables"] + 1)
    for clause in row["clauses"]:
        for literal in clause:
            balance[abs(literal)] += 1 if literal > 0 else -1
    return [count >= 0 for count in balance[1:]]


def attacks(rows: list[dict[str, Any]], read: Read = problem) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Submissions that need no reasoning; what they score is shown beside every score.

    ``constant_by_family`` reads the decision off the family and guesses the witness by majority. ``random`` tosses a
    coin for the decision and for every variable.
    """

    def said(row: dict[str, Any], values: Sequence[bool] | None) -> str:
        return respond(row, values, read=read)

    def tossed(row: dict[str, Any]) -> str:
        toss = random.Random(int.from_bytes(hashlib.sha256(row["id"].encode()).digest(), "big")).random
        return said(row, [toss() < 0.5 for _ in row["entities"]] if toss() < 0.5 else None)

    return {
        "all_true_sat": lambda row: said(row, [True] * row["variables"]),
        "all_false_sat": lambda row: said(row, [False] * row["variables"]),
        "majority_sat": lambda row: said(row, majority(row)),
        "constant_unsat": lambda row: said(row, None),
        "constant_by_family": lambda row: said(row, None if row["family"] == "ImplicationCycle" else majority(row)),
        "random": tossed,
    }


def marks(entries: Sequence[Entry]) -> dict[str, str]:
    """Nothing: text alone is judged, always in the same way."""
    return {}


def tables(report: dict[str, Any]) -> list[Table]:
    """The tables of a report that 2-SAT alone has."""
    return twosat_report.tables(report["twosat"])


def words(row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
    """The formula, and the decision."""
    return [
        f"formula: {group(row)}, {len(row['clauses'])} clauses, {row['variables']} variables, scheme {row['scheme']}",
        f"decision given: {detail.get('answer')}; gold {gold(row)}",
    ]


def steps(row: dict[str, Any], detail: dict[str, Any], read: Read = problem) -> Table:
    """The decision, and the witness or certificate that was given or should have been, beside the solver's."""
    formula, solution, choice = read(row), solve(row["variables"], row["clauses"]), detail.get("answer")
    literals: list[list[int]] = []
    if solution.witness is not None:
        literals = [[v if value else -v for v, value in enumerate(solution.witness, 1)]]
    elif solution.certificate is not None:
        literals = [list(chain) for chain in solution.certificate]
    told = [list(map(formula.statement, some)) for some in literals]
    shown_by = {"witness": "there is none", "certificate": "there is none"}
    if solution.satisfiable:
        shown_by["witness"] = "; ".join(told[0])
    else:
        shown_by["certificate"] = "; ".join(f"if {' then '.join(chain)}" for chain in told)
    lines = [["decision", choice or "none", detail["status"], gold(row)]]
    for part, truth in shown_by.items():
        checked = detail.get(part)
        if checked or (part == "witness") == solution.satisfiable:
            lines.append([part, "given" if checked else "none", _judged(checked), truth])
    return Table("Decision and proof", ["part", "given", "verdict", "by the solver"], lines)


def _judged(checked: dict[str, Any] | None) -> str:
    """What is said of a witness or certificate, with the clause that fails."""
    if not checked:
        return "absent"
    place = "" if checked["clause"] is None else f" clause {checked['clause'] + 1}"
    return f"{checked['verdict']}{place}{': ' * bool(checked['note'])}{checked['note']}"
