"""Check a submission folder as the maintainer of a leaderboard does: everything it claims is computed again.

A submission claims what ``rb-verify DIR --json DIR/report.json`` wrote. Here its files are scored once more, and each
claimed report must come out the same: signature, scores, counts, every number. Only results of significance tests may
differ, which depend on the version of SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify.errors import UnusableInput
from rb_verify.evaluation import Options, evaluate_all
from rb_verify.files import state
from rb_verify.report import HARMLESS, Report, differing
from rb_verify.submission import claimed, read_folder

_TESTS = frozenset({"test"})  # what SciPy computes
_SHOWN = 5


class Check(NamedTuple):
    """One thing that was checked: ``what``, and in words what was found."""

    what: str
    passed: bool
    found: str


def check(
    folder: Path, release: str | None = None, executor: Executor | None = None, progress: Callable[[int], None] | None = None
) -> tuple[list[Check], list[Report]]:
    """What a submission folder claims, against what comes out; and the reports that came out.

    ``release``: as for ``evaluate_all``; ``executor``: who judges, None for this process. Raises ReleaseMismatch, and
    UnusableInput where a release is not found.
    """
    try:
        said, files = read_folder(folder)
        claims = claimed(folder)
    except UnusableInput as error:
        return [Check("schema", False, str(error))], []
    checks = [Check("schema", True, f"submission of {said['model']}, {len(files)} files, {len(claims)} claimed reports")]
    if not claims:
        checks.append(Check("claims", False, f"no report.json; run rb-verify {folder} --json {folder / 'report.json'}"))
    reports: list[Report] = []
    seen: set[str] = set()
    before = list(map(state, files))
    for config, options, mine in _rounds(claims):
        asked = Options(config, scorer=options, submission=said, executor=executor)
        found = {report.data["dataset"]: report for report in evaluate_all(files, release, asked, progress=progress)}
        seen |= found.keys()
        for dataset, claim in sorted(mine.items()):
            if report := found.get(dataset):
                reports.append(report)
                checks += _checks(f"{dataset} {config}", claim, report)
            else:
                checks.append(Check(f"{dataset} {config}", False, "is claimed, but no file has rows of it; add the file"))
    if list(map(state, files)) != before:  # each file is read once in a round, and rounds must be of the same bytes
        raise UnusableInput(f"{folder}: its files were written or replaced meanwhile; let nothing write there, and run again")
    for dataset in sorted(seen - {claim["dataset"] for claim in claims}):
        checks.append(Check(dataset, False, "has rows here, but no score of them is claimed; write report.json again"))
    return checks, reports


def _rounds(claims: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, str], dict[str, Mapping[str, Any]]]]:
    """The rounds of scoring that claims ask for, as few as can be: config, options, and one claim each by dataset."""
    rounds: list[tuple[str, dict[str, str], dict[str, Mapping[str, Any]]]] = []
    for claim in claims:
        for config, options, mine in rounds:
            agree = all(options.get(name, value) == value for name, value in claim["options"].items())
            if config == claim["config"] and agree and claim["dataset"] not in mine:
                options |= claim["options"]
                mine[claim["dataset"]] = claim
                break
        else:
            rounds.append((claim["config"], dict(claim["options"]), {claim["dataset"]: claim}))
    return rounds


def _checks(name: str, claim: Mapping[str, Any], report: Report) -> Iterator[Check]:
    """Completeness, signature and scores of one claimed report."""
    data = report.data
    wrong = [problem for problem in data["problems"] if problem["kind"] not in HARMLESS]
    found = f"{data['n']} scored, none missing" if report.complete else f"{len(wrong)} problems, first {_told(wrong[0])}"
    yield Check(f"{name}: completeness", report.complete and not claim["partial"], found)
    parts = [f"{part}:{ours} claimed, {theirs} here" for part, ours, theirs in differing(claim["signature"], report.signature)]
    yield Check(f"{name}: signature", claim["signature"] == report.signature, "; ".join(parts) or report.signature)
    unlike = list(_differences(claim, data, ""))
    shown = "; ".join(unlike[:_SHOWN]) + (f"; {len(unlike)} differ in all" if len(unlike) > _SHOWN else "")
    yield Check(f"{name}: scores", not unlike, shown or f"score {data['score']}, as claimed")


def _told(problem: Mapping[str, Any]) -> str:
    place = "" if problem["line"] is None else f" at line {problem['line']}"
    file = "" if problem["file"] is None else f" of {problem['file']}"
    return f"{problem['kind']}{place}{file}: {problem['id'] or ''} {problem['message']}"


def _differences(claim: Any, value: Any, path: str) -> Iterator[str]:
    """Each place where a claim is not what was computed."""
    if isinstance(claim, dict) and isinstance(value, dict):
        for key in sorted(claim.keys() | value.keys()):
            if key not in _TESTS:
                yield from _differences(claim.get(key), value.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(claim, list) and isinstance(value, list) and len(claim) == len(value):
        for i, (one, two) in enumerate(zip(claim, value, strict=True)):
            yield from _differences(one, two, f"{path}[{i}]")
    elif not _equal(claim, value):
        yield f"{path} is claimed as {_short(claim)}, computed {_short(value)}"


def _equal(a: Any, b: Any) -> bool:
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (a, b))
    return isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) if numbers else type(a) is type(b) and a == b


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
