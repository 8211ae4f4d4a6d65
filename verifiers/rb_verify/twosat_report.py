"""The part of a report that 2-SAT alone has: the 2-SAT paper's tables and figures, and what goes beyond them.

Here are the rates (Tables 1, 4 and 5, Figure 8), the satisfiable twins, robustness row by row and the certificates;
``twosat_ablations`` has the experiments with tests of significance (sections 5.1 to 5.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rb_verify import stats
from rb_verify.schemes import SCHEMES
from rb_verify.tally import ACCURACY, SCORE, Column, Entry, Table, measure, number, of_category, percent, rate_row, share
from rb_verify.themes import THEMES
from rb_verify.twosat_ablations import FAMILIES, centred, cluster, grouped, paired, repeats, summable, sweep_tests, sweeps
from rb_verify.verdict import CORRECT

VALID_WITNESS = "valid_witness"
UNSAT_DECIDED = "unsat_decided"
INVALID_WITNESS = "invalid_witness"
FALSE_SAT = "false_sat"
FALSE_UNSAT = "false_unsat"
PARSE_FAILURE = "parse_failure"
CATEGORIES: tuple[str, ...] = (VALID_WITNESS, UNSAT_DECIDED, INVALID_WITNESS, FALSE_SAT, FALSE_UNSAT, PARSE_FAILURE)

# What a verdict counts beyond its category: flags of the response.
MEASURES: tuple[str, ...] = ("truncated", "certificate_given", "certificate_valid")


def is_satisfiable(row: dict[str, Any]) -> bool:
    """The gold decision."""
    return bool(row["satisfiable"])


WITNESS = Column("witness", of_category(VALID_WITNESS), is_satisfiable)
SAT_ON_UNSAT = Column("sat_on_unsat", of_category(FALSE_SAT), lambda row: not is_satisfiable(row))
PARSE_FAILURES = Column("parse_failure", of_category(PARSE_FAILURE))
TRUNCATED = Column("truncated", measure(MEASURES, "truncated"))
CERTIFICATE_GIVEN, CERTIFICATE_VALID = measure(MEASURES, "certificate_given"), measure(MEASURES, "certificate_valid")


def summary(entries: Sequence[Entry]) -> dict[str, Any]:
    """The part as JSON values. An analysis none of whose rows are among the entries is an empty list or dict."""
    pairs = _row_pairs(entries)
    return {
        "cells": cells(entries),
        "schemes": schemes(entries),
        "sweeps": sweeps(entries),
        "sweep_tests": sweep_tests(entries),
        "paired": paired(entries),
        "repeats": repeats(entries),
        "twins": twins(entries, pairs),
        "robustness": robustness(pairs),
        "certificates": certificates(entries),
    }


def cells(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Every family and number of clauses, all parameters at .5 (Table 1, with Tables 4 and 5 beside it)."""
    plain = (e for e in entries if e.row["perturbation"] == "none" and centred(e.row))
    groups = grouped(plain, lambda e: (FAMILIES.index(e.row["family"]), int(e.row["params"]["clauses"])))
    columns = {"sat": ACCURACY, **{column.name: column for column in (WITNESS, TRUNCATED, PARSE_FAILURES, SAT_ON_UNSAT)}}
    return [
        {
            "family": FAMILIES[family],
            "clauses": clauses,
            **{name: column.rate(groups[family, clauses], cluster) for name, column in columns.items()},
        }
        for family, clauses in sorted(groups)
    ]


def schemes(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Every template and every theme of stories, over all entries (Figures 8 and 9)."""
    groups = grouped(entries, lambda e: str(e.row["scheme"]))
    return [
        {
            "scheme": scheme,
            "sat": ACCURACY.rate(groups[scheme], cluster),
            "witness": WITNESS.rate(groups[scheme], cluster),
            "score": SCORE.rate(groups[scheme], cluster),
        }
        for scheme in (*SCHEMES, *THEMES)
        if scheme in groups
    ]


def certificates(entries: Sequence[Entry]) -> dict[str, Any]:
    """How often a contradiction was shown on UNSAT rows, and how often a shown one is one."""
    unsat = [entry for entry in entries if not is_satisfiable(entry.row)]
    if not unsat:
        return {}
    return {
        "given": share(unsat, cluster, CERTIFICATE_GIVEN),
        "valid_of_given": share(unsat, cluster, CERTIFICATE_VALID, CERTIFICATE_GIVEN),
    }


# ---- Row against row: the same scheme, base and perturbed -------------------------------------------------------


class _Told(NamedTuple):
    """What was told of a row, over its samples: mean score, share of right decisions, share of each status."""

    score: float
    right: float
    statuses: frozenset[tuple[str, float]]


class _Pair(NamedTuple):
    cluster: str
    base: _Told
    perturbed: _Told


def _told(entries: Iterable[Entry]) -> _Told:
    statuses: Counter[str] = Counter()
    score = 0
    for entry in entries:
        statuses[entry.outcome.status] += entry.count
        score += entry.count * entry.outcome.score
    n = sum(statuses.values())
    return _Told(score / n, statuses[CORRECT] / n, frozenset((status, k / n) for status, k in statuses.items()))


def _row_pairs(entries: Sequence[Entry]) -> dict[tuple[str, str], list[_Pair]]:
    """Perturbed rows with the base row in the same words, where both are there, by (perturbation, variant)."""
    told = {key: _told(some) for key, some in grouped(entries, lambda e: (e.row["formula"], e.row["scheme"])).items()}
    perturbed = {(e.row["formula"], e.row["scheme"]): e.row for e in entries if e.row["perturbation"] != "none"}
    pairs: dict[tuple[str, str], list[_Pair]] = {}
    for key, row in perturbed.items():
        base = told.get((row["base_id"], row["scheme"]))
        if base is not None:
            pairs.setdefault((row["perturbation"], row["variant"]), []).append(_Pair(cluster(row), base, told[key]))
    return pairs


def robustness(pairs: dict[tuple[str, str], list[_Pair]]) -> list[dict[str, Any]]:
    """Every perturbation but the twins, the one that costs most first.

    ``consistency``: pairs with equal scores; ``same_decision``: pairs with equal statuses; ``drop``: the base's score
    minus the perturbed row's.
    """
    found: list[dict[str, Any]] = [
        {
            "perturbation": perturbation,
            "variant": variant,
            "pairs": len(some),
            "consistency": stats.rate((p.cluster, p.base.score == p.perturbed.score, 1) for p in some),
            "same_decision": stats.rate((p.cluster, p.base.statuses == p.perturbed.statuses, 1) for p in some),
            "drop": stats.rate((p.cluster, summable(p.base.score - p.perturbed.score), 1) for p in some),
        }
        for (perturbation, variant), some in sorted(pairs.items())
        if perturbation != "twin"
    ]
    return sorted(found, key=lambda record: -record["drop"]["value"])


def twins(entries: Sequence[Entry], pairs: dict[tuple[str, str], list[_Pair]]) -> dict[str, Any]:
    """UNSAT cycles against their satisfiable twins, which answering SAT or UNSAT throughout cannot both get right.

    ``both``: of the pairs in the same words, those with both decisions right; with several samples, the chance that
    two drawn at random are.
    """
    twin_entries = [entry for entry in entries if entry.row["perturbation"] == "twin"]
    if not twin_entries:
        return {}
    bases = {entry.row["base_id"] for entry in twin_entries}
    some = [pair for (perturbation, _), found in pairs.items() if perturbation == "twin" for pair in found]
    return {
        "cycles": ACCURACY.rate([entry for entry in entries if entry.row["formula"] in bases], cluster),
        "twins": ACCURACY.rate(twin_entries, cluster),
        "witness": WITNESS.rate(twin_entries, cluster),
        "both": stats.rate((p.cluster, summable(p.base.right * p.perturbed.right), 1) for p in some),
    }


# ---- Tables -----------------------------------------------------------------------------------------------------


def tables(part: dict[str, Any]) -> list[Table]:
    """The part (``summary``) as tables; what is empty has none."""
    shown = [
        _cells_table(part["cells"]),
        _schemes_table(part["schemes"]),
        _sweeps_table(part["sweeps"]),
        _sweep_tests_table(part["sweep_tests"]),
        _paired_table(part["paired"]),
        *_repeats_tables(part["repeats"]),
        _twins_table(part["twins"]),
        _robustness_table(part["robustness"]),
        _certificates_table(part["certificates"]),
    ]
    return [table for table in shown if table.rows]


def _cells_table(records: list[dict[str, Any]]) -> Table:
    names = ("sat", "witness", "truncated", "parse_failure", "sat_on_unsat")
    return Table(
        "Decisions and witnesses by family and size, all parameters at .5, % (Tables 1, 4 and 5)",
        ["family", "|C|", "Sat.", "Wit.", "truncated", "unparsed", "SAT on UNSAT"],
        [[r["family"], str(r["clauses"]), *(percent(r[name]) for name in names)] for r in records],
    )


def _schemes_table(records: list[dict[str, Any]]) -> Table:
    themes = any(record["scheme"] in THEMES for record in records)
    return Table(
        "Schemes and themes of stories, % (Figures 8 and 9)" if themes else "Schemes, % (Figure 8)",
        ["scheme", "Sat.", "Wit.", "score", "95 % interval"],
        [[r["scheme"], *map(percent, (r["sat"], r["witness"], r["score"])), number(r["score"]["interval"])] for r in records],
    )


def _sweeps_table(records: list[dict[str, Any]]) -> Table:
    levels = sorted({at["level"] for r in records for at in r["levels"]})
    rows = []
    for r in records:
        scores = {at["level"]: percent(at["score"]) for at in r["levels"]}
        rows.append([r["family"], r["parameter"], str(r["clauses"]), *(scores.get(level, "-") for level in levels)])
    return Table(
        "Score by level of one parameter, the others at .5, %",
        ["family", "parameter", "|C|", *(f"{level:.2g}" for level in levels)],
        rows,
    )


def _sweep_tests_table(records: list[dict[str, Any]]) -> Table:
    return Table(
        "Does the level matter? Friedman's test (Table 6)",
        ["grid", "family", "parameter", "|C|", "blocks", "statistic", "p", "q"],
        [[r["grid"], r["family"], r["parameter"], str(r["clauses"] or "all"), *_tested(r["test"])] for r in records],
    )


def _paired_table(records: list[dict[str, Any]]) -> Table:
    return Table(
        "Perturbed formulas against unperturbed ones, score in % and paired t test",
        [
            *("perturbation", "variant", "family", "against", "base", "perturbed"),
            *("difference", "95 % interval", "pairs", "t", "p", "q"),
        ],
        [
            [
                *(r[name] for name in ("perturbation", "variant", "family", "comparison")),
                *(f"{100 * r[name]:.2f}" for name in ("base", "perturbed")),
                percent(r["difference"]),
                number(r["difference"]["interval"]),
                *_tested(r["test"]),
            ]
            for r in records
        ],
    )


def _repeats_tables(repeated: dict[str, Any]) -> list[Table]:
    return [
        Table(
            "Repeated patterns: Backbone, all parameters at .5, score in % (Figure 7)",
            ["condition", "score", "95 % interval", "shuffled", "95 % interval"],
            [
                [c["condition"], *(text for r in (c["score"], c["shuffled"]) for text in (percent(r), number(r["interval"])))]
                for c in repeated.get("conditions", ())
            ],
        ),
        Table(
            "Repeated patterns: independent t tests of size, paired t tests of order",
            ["kind", "first", "second", "n", "t", "p", "q"],
            [[t["kind"], t["a"], t["b"], *_tested(t["test"])] for t in repeated.get("tests", ())],
        ),
    ]


def _twins_table(twin: dict[str, Any]) -> Table:
    names = {
        "cycles": "decision right, UNSAT cycles",
        "twins": "decision right, SAT twins",
        "witness": "valid witness, SAT twins",
        "both": "both decisions right",
    }
    return Table("Cycles and their satisfiable twins, %", _RATE, [rate_row(names[name], rate) for name, rate in twin.items()])


def _robustness_table(records: list[dict[str, Any]]) -> Table:
    return Table(
        "Robustness, row by row, %: the largest drop of score first",
        ["perturbation", "variant", "drop", "95 % interval", "same score", "same decision", "pairs"],
        [
            [
                r["perturbation"],
                r["variant"],
                percent(r["drop"]),
                number(r["drop"]["interval"]),
                percent(r["consistency"]),
                percent(r["same_decision"]),
                str(r["pairs"]),
            ]
            for r in records
        ],
    )


def _certificates_table(shown: dict[str, Any]) -> Table:
    names = {"given": "given, of UNSAT rows", "valid_of_given": "valid, of those given"}
    return Table("Certificates of unsatisfiability, %", _RATE, [rate_row(names[name], rate) for name, rate in shown.items()])


_RATE = ["measure", "%", "95 % interval", "of"]


def _tested(test: dict[str, Any]) -> list[str]:
    """A test's n, statistic, p and q, or why there are none."""
    if test["p"] is None:
        return [str(test["n"]), "-", f"not testable: {test['reason']}", "-"]
    return [str(test["n"]), *(f"{test[name]:.3g}" for name in ("statistic", "p", "q"))]
