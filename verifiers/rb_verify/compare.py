"""Boards from reports: who stands where, by the headline score, over all and by group (schemas/board.schema.json).

Pure: fields of comparable reports in, plain JSON data out. What only one dataset compares is in ``comparisons``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from rb_verify import comparisons, paired, stats
from rb_verify.comparable import Entrant, Field, clusters_of, comparable
from rb_verify.datasets import SCORERS
from rb_verify.report import HARMLESS
from rb_verify.schema import violations
from rb_verify.version import __version__

OVERALL = "all"  # the level that is no level


def compare(
    fields: Iterable[Field], references: Sequence[Mapping[str, Any]] = (), advance: Callable[[int], None] = lambda number: None
) -> dict[str, Any]:
    """All boards, and the published results to show apart.

    ``advance``: called with the number of groups just ranked. Raises AssertionError if the parts do not add up.
    """
    data = {
        "verifier": __version__,
        "resamples": stats.RESAMPLES,
        "level": stats.LEVEL,
        "boards": [_board(field, advance) for field in fields],
        "references": [dict(reference) for reference in references],
    }
    _check(data)
    return data


def _board(field: Field, advance: Callable[[int], None]) -> dict[str, Any]:
    scorer = SCORERS[field.dataset]
    first = field.entrants[0].report
    columns = [column.name for column in scorer.COLUMNS]
    groups = [group["group"] for group in first["breakdown"]]
    resampled = paired.resampled({entrant.name: clusters_of(entrant.report) for entrant in field.entrants})
    overall = paired.places(resampled)
    advance(1)
    by_group = {}
    for group in groups:
        of_group = {entrant.name: clusters_of(entrant.report, group) for entrant in field.entrants}
        by_group[group] = paired.places(paired.resampled(of_group))
        advance(1)
    entrants = {entrant.name: entrant for entrant in field.entrants}
    return {
        "dataset": field.dataset,
        "version": field.version,
        "config": field.config,
        "signature": comparable(first["signature"]),
        "headline": scorer.HEADLINE,
        "columns": columns,
        "grouped": scorer.GROUPED,
        "groups": groups,
        "clusters": len(clusters_of(first)),
        "models": [_model(entrants[name], columns, overall, by_group) for name in overall],
        "baselines": [
            {"kind": "baseline", "name": name, "values": {column: values[column] for column in columns if column in values}}
            for name, values in sorted(first["baselines"].items())
        ],
        "comparison": comparisons.compare(field._replace(entrants=[entrants[name] for name in overall]), resampled),
    }


def _model(
    entrant: Entrant,
    columns: Sequence[str],
    overall: Mapping[str, paired.Place],
    by_group: Mapping[str, Mapping[str, paired.Place]],
) -> dict[str, Any]:
    report = entrant.report
    harmful = Counter(problem["kind"] for problem in report["problems"] if problem["kind"] not in HARMLESS)
    rates = {group["group"]: group for group in report["breakdown"]}
    return {
        "kind": "model",
        "name": entrant.name,
        "file": PurePath(entrant.file).name,
        "submission": entrant.submission,
        "standing": report["standing"],
        "n": report["n"],
        "counts": report["counts"],
        "incomplete": dict(sorted(harmful.items())),
        "over_samples": report.get("over_samples"),
        **_placed(report["rates"], columns, overall.get(entrant.name)),
        "groups": {name: _placed(rates[name], columns, places.get(entrant.name)) for name, places in by_group.items()},
    }


def _placed(rates: Mapping[str, Any], columns: Sequence[str], place: paired.Place | None) -> dict[str, Any]:
    return {
        "rank": None if place is None else place.rank,
        "to_best": None if place is None else {"value": place.to_best.value, "interval": list(place.to_best.interval)},
        "rates": {column: rates[column] for column in columns},
    }


def _check(data: dict[str, Any]) -> None:
    """The invariants of boards, asserted before anyone sees them."""
    broken = violations(data, "board")
    assert not broken, f"the boards break their own schema: {broken[:3]}"
    for board in data["boards"]:
        models = board["models"]
        assert len({model["name"] for model in models}) == len(models), "two models of a board have one name"
        scores = [model["rates"]["score"]["value"] for model in models]
        assert all(a >= b - 1e-6 for a, b in pairwise(scores)), "models are out of order"
        for group in (None, *board["groups"]):
            some = [model if group is None else model["groups"][group] for model in models]
            ranked = [each for each in some if each["rank"] is not None]
            assert not ranked or min(each["rank"] for each in ranked) == 1, "nobody is first"
            for each in ranked:
                low, high = each["to_best"]["interval"]
                assert each["rank"] <= len(ranked)
                assert low <= high
                assert each["to_best"]["value"] <= 0, "someone is better than the best"
