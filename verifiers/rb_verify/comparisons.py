"""What the models of one board tell when compared: by what is said of them, in pairs, and by the dataset's own analyses.

The analyses are the papers': true reasoning by level with its average and Pearson's r (TRACE, Figure 2); accuracy by
scheme, and by family and size (2-SAT, Figure 8 and Table 1; Figure 9 where there are stories); the archetypes of the
depth-cost plane, modes, trajectories and reflection by level (ReEfBench, Figures 3 to 5, Tables 2, 3 and 13). Plain JSON
data; ``tables`` shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations
from statistics import fmean
from typing import Any

from rb_verify import archetypes, modes, paired, stats
from rb_verify.archetypes import CORNERS, Placed
from rb_verify.comparable import PROCESS_MARKS, Entrant, Field
from rb_verify.errors import UnusableInput
from rb_verify.report import differing
from rb_verify.schemes import SCHEMES
from rb_verify.tally import Table, number, percent

SAID = ("source", "mode", "training", "data", "parameters", "developer", "teacher")  # what a submission says of its model
CONTRASTS = (("long", "short"), ("reasoning", "instruct"))  # modes that are compared
# ReEfBench, Figures 5 and 10, by level. The paper does not define the quality of reflection; Table 9's reflection
# efficiency, the depth gained after a reflection, is the measure of it here, as valid planning is of planning.
BY_LEVEL = {
    "max_depth": "logical depth",
    "reflection_ratio": "reflection ratio",
    "reflection_efficiency": "reflection quality (depth gained)",
    "planning_nodes": "planning nodes",
    "valid_planning": "planning quality (share valid)",
    "tokens": "tokens",
}


def compare(field: Field, resampled: Mapping[str, paired.Resampled]) -> dict[str, Any]:
    """The comparisons of a board, models in the order of the entrants. ``resampled``: their headline scores, by name."""
    own: dict[str, Callable[[Sequence[Entrant]], dict[str, Any]]] = {
        "stories": _twosat,
        "tracebench": _tracebench,
        "twosat": _twosat,
        "reefbench": _reefbench,
    }
    return {
        "said": [_by_said(field.entrants, what) for what in SAID if len(_values(field.entrants, what)) > 1],
        "pairs": _pairs(field.entrants, resampled),
        field.dataset: own[field.dataset](field.entrants) if field.dataset in own else {},
    }


# ---- By what is said of the models --------------------------------------------------------------------------------


def _values(entrants: Sequence[Entrant], what: str) -> list[str]:
    return sorted({entrant.submission[what] for entrant in entrants if what in entrant.submission})


def _by_said(entrants: Sequence[Entrant], what: str) -> dict[str, Any]:
    """The mean score of the models of which each value is said."""
    values = []
    for value in _values(entrants, what):
        scores = [entrant.report["score"] for entrant in entrants if entrant.submission.get(what) == value]
        values.append({"value": value, "models": len(scores), "mean": round(fmean(scores), 6), "best": max(scores)})
    return {"said": what, "values": values}


def _pairs(entrants: Sequence[Entrant], resampled: Mapping[str, paired.Resampled]) -> list[dict[str, Any]]:
    """Modes of one model, and students with their teachers: how much higher the first scores, resampled together."""

    def pair(kind: str, a: Entrant, b: Entrant) -> dict[str, Any]:
        found = paired.difference(resampled[a.name], resampled[b.name])
        difference = {"value": found.value, "interval": list(found.interval)}
        return {"kind": kind, "first": a.name, "second": b.name, "difference": difference}

    found = [pair(f"{a} against {b}", first, second) for a, b, first, second in _mode_pairs(entrants)]
    for student, teacher in permutations(entrants, 2):
        if student.submission.get("teacher") is not None and student.submission["teacher"] == teacher.submission.get("model"):
            found.append(pair("student against teacher", student, teacher))
    return found


def _mode_pairs(entrants: Sequence[Entrant]) -> list[tuple[str, str, Entrant, Entrant]]:
    """(mode, other mode, entrant, entrant) of the models that were run in both."""
    return [
        (mode, other, a, b)
        for mode, other in CONTRASTS
        for a, b in permutations(entrants, 2)
        if a.submission.get("mode") == mode
        and b.submission.get("mode") == other
        and a.submission["model"] == b.submission["model"]
    ]


# ---- TRACE --------------------------------------------------------------------------------------------------------


def _tracebench(entrants: Sequence[Entrant]) -> dict[str, Any]:
    """True reasoning by level: of each model, with its r, and their average (Figure 2)."""
    found = {entrant.name: entrant.report["tracebench"]["correlation"] for entrant in entrants}
    levels = next(iter(found.values()))["levels"]
    columns = zip(*(each["true_reasoning"] for each in found.values()), strict=True)
    average = [round(fmean(values), 6) if None not in values else None for values in columns]
    return {
        "levels": levels,
        "models": {
            name: {"true_reasoning": each["true_reasoning"], "pearson_r": each["pearson_r"]} for name, each in found.items()
        },
        "average": {"true_reasoning": average, "pearson_r": stats.pearson(levels, average)},
    }


# ---- 2-SAT --------------------------------------------------------------------------------------------------------


def _twosat(entrants: Sequence[Entrant]) -> dict[str, Any]:
    """Decisions by scheme (Figures 8 and 9), and by family and size (Table 1), a value for each model."""
    schemes: dict[str, dict[str, Any]] = {}
    cells: dict[tuple[str, int], dict[str, Any]] = {}
    for entrant in entrants:
        own = entrant.report[entrant.report["dataset"]]
        for each in own["schemes"]:
            schemes.setdefault(each["scheme"], {})[entrant.name] = each["sat"]
        for each in own["cells"]:
            cells.setdefault((each["family"], each["clauses"]), {})[entrant.name] = each["sat"]
    return {
        "schemes": [{"scheme": name, "kind": _kind(name), "sat": rates} for name, rates in schemes.items()],
        "cells": [{"family": family, "clauses": clauses, "sat": rates} for (family, clauses), rates in cells.items()],
    }


def _kind(scheme: str) -> str:
    """Whether a scheme is one of the paper's templates, or else a theme of stories."""
    return "template" if scheme in SCHEMES else "story"


# ---- ReEfBench ----------------------------------------------------------------------------------------------------


def _reefbench(entrants: Sequence[Entrant]) -> dict[str, Any]:
    """The plane of depth and cost, process by level, trajectories, and what a longer mode gains."""
    measured = [entrant for entrant in entrants if entrant.report["reefbench"]["levels"]]
    plane, reason = _plane(measured)
    return {
        "plane": plane,
        "no_plane": reason,
        "models": {
            entrant.name: {
                "model": entrant.submission.get("model", entrant.name),
                "mode": entrant.submission.get("mode"),
                "trajectory": entrant.report["reefbench"]["trajectory"]["kind"],
                "levels": [
                    {"level": each["level"], **{name: each["metrics"][name] for name in BY_LEVEL}}
                    for each in entrant.report["reefbench"]["levels"]
                ],
            }
            for entrant in measured
        },
        "modes": [
            {"first": a.name, "second": b.name, **modes.delta(_mode(a), _mode(b))._asdict()}
            for _, _, a, b in _mode_pairs(measured)
            if not _process_differs([a, b])
        ],
    }


def _mode(entrant: Entrant) -> modes.Mode:
    levels = entrant.report["reefbench"]["levels"]
    return modes.average([(each["level"], each["metrics"]["tokens"], each["metrics"]["max_depth"]) for each in levels])


def _plane(entrants: Sequence[Entrant]) -> tuple[dict[str, Any] | None, str | None]:
    """Archetypes and centroids (Tables 2, 11 and 13), or why there are none."""
    if differing := _process_differs(entrants):
        return None, f"No depth-cost plane: {differing}, so costs and depths mean different things; score all models alike."
    try:
        placed = archetypes.compare({entrant.name: entrant.report for entrant in entrants})
    except UnusableInput as error:
        return None, f"No depth-cost plane: {error}."
    means = archetypes.weighted_means(
        {name: each["scores"] for name, each in placed.items()},
        {name: Placed(each["archetype"], each["confidence"]) for name, each in placed.items()},
    )
    points = {name: (each["scores"]["logical_depth"], each["scores"]["cost"]) for name, each in placed.items()}
    members = {name: [points[m] for m, each in placed.items() if each["archetype"] == name] for name in CORNERS}
    return {
        "level": entrants[0].report["reefbench"]["hardest"]["level"],
        "models": placed,
        "centroids": {name: [round(fmean(values), 6) for values in zip(*some, strict=True)] for name, some in members.items()},
        "archetypes": means,
    }, None


def _process_differs(entrants: Sequence[Entrant]) -> str | None:
    """In which of the marks that concern the process the entrants differ, in words; None in none."""
    for a, b in combinations(entrants, 2):
        for mark, ours, theirs in differing(a.report["signature"], b.report["signature"]):
            if mark in PROCESS_MARKS:
                return f"{mark} are {ours} for {a.name} and {theirs} for {b.name}"
    return None


# ---- Tables -------------------------------------------------------------------------------------------------------


def tables(board: Mapping[str, Any]) -> list[Table]:
    """The comparisons of a board as tables; what is empty has none. ``board``: one of ``compare.compare``."""
    found = board["comparison"]
    own: dict[str, Callable[[Mapping[str, Any]], list[Table]]] = {
        "stories": _twosat_tables,
        "tracebench": _tracebench_tables,
        "twosat": _twosat_tables,
        "reefbench": _reefbench_tables,
    }
    shown = [
        *(
            Table(
                f"Score by {by['said']}, %",
                [by["said"], "models", "mean", "best"],
                [[v["value"], str(v["models"]), *(f"{100 * v[name]:.2f}" for name in ("mean", "best"))] for v in by["values"]],
            )
            for by in found["said"]
        ),
        Table(
            "Pairs: how much higher the first scores, in points",
            ["first", "second", "compared", "difference", "95 % interval"],
            [
                [p["first"], p["second"], p["kind"], percent(p["difference"]), number(p["difference"]["interval"])]
                for p in found["pairs"]
            ],
        ),
        _samples_table(board),
        *(own[board["dataset"]](found[board["dataset"]]) if board["dataset"] in own else []),
    ]
    return [table for table in shown if table.rows]


def notes(board: Mapping[str, Any]) -> list[str]:
    """What a board cannot show, and why, in sentences."""
    found = board["comparison"]
    if board["dataset"] == "reefbench" and found["reefbench"]["no_plane"]:
        return [found["reefbench"]["no_plane"]]
    if board["dataset"] not in ("stories", "twosat"):
        return []
    match {each["kind"] for each in found[board["dataset"]]["schemes"]}:
        case kinds if "story" not in kinds:
            told, needed = "templates", "reports on rows told as stories"
        case kinds if "template" not in kinds:
            told, needed = "stories", "reports on rows of both, as of config paired"
        case _:
            return []
    return [f"All texts here are {told}; templates against stories (Figures 8 and 9) need {needed}."]


def _samples_table(board: Mapping[str, Any]) -> Table:
    """Pass@k and the majority's vote, where there are several samples a row."""
    sampled = [model for model in board["models"] if model["over_samples"]]
    ks = sorted({each["k"] for model in sampled for each in model["over_samples"]["pass"]})
    rows = []
    for model in sampled:
        of_k = {each["k"]: each for each in model["over_samples"]["pass"]}
        majority = model["over_samples"]["majority"]
        rows.append([model["name"], *(percent(of_k[k]) if k in of_k else "-" for k in ks), percent(majority)])
    return Table("Over samples, %", ["model", *(f"pass@{k}" for k in ks), "majority's accuracy"], rows)


def _tracebench_tables(own: Mapping[str, Any]) -> list[Table]:
    rows = {**own["models"], "average": own["average"]} if len(own["models"]) > 1 else own["models"]
    return [
        Table(
            "True reasoning by target difficulty, % (Figure 2)",
            ["model", *(f"D-{level}" for level in own["levels"]), "r"],
            [
                [name, *("-" if v is None else f"{100 * v:.2f}" for v in each["true_reasoning"]), shown_r(each["pearson_r"])]
                for name, each in rows.items()
            ],
        )
    ]


def shown_r(value: float | None) -> str:
    """Pearson's r with two decimals, or that it cannot be tested."""
    return "not testable" if value is None else f"{value:.2f}"


def _twosat_tables(own: Mapping[str, Any]) -> list[Table]:
    schemes, cells = own["schemes"], own["cells"]
    names = list(schemes[0]["sat"]) if schemes else []
    kinds = {each["kind"] for each in schemes}
    shown = [
        Table(
            f"Decisions right by scheme, % ({'Figures 8 and 9' if 'story' in kinds else 'Figure 8'})",
            ["model", *(each["scheme"] for each in schemes)],
            [[name, *(percent(each["sat"][name]) for each in schemes)] for name in names],
        ),
        Table(
            "Decisions right by family and number of clauses, % (Table 1)",
            ["family", "|C|", *names],
            [[each["family"], str(each["clauses"]), *(percent(each["sat"][name]) for name in names)] for each in cells],
        ),
    ]
    if len(kinds) > 1:
        shown.append(_stories_table(schemes, names))
    return shown


def _stories_table(schemes: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table:
    """Each theme against the mean of the templates."""
    themes = [each for each in schemes if each["kind"] == "story"]
    rows = []
    for name in names:
        known = [each["sat"][name]["value"] for each in schemes if each["kind"] == "template"]
        template = {"value": None if None in known else fmean(known)}
        rows.append([name, percent(template), *(percent(each["sat"][name]) for each in themes)])
    return Table(
        "Template against story, decisions right, % (Figures 8 and 9)",
        ["model", "templates", *(t["scheme"] for t in themes)],
        rows,
    )


def _reefbench_tables(own: Mapping[str, Any]) -> list[Table]:
    shown = []
    if plane := own["plane"]:
        columns = list(archetypes.COMPONENTS)
        title = f"Six scores at level {plane['level']} and archetypes, relative to the models here (Tables 2 and 13)"
        rows = [
            [
                str(place),
                name,
                each["archetype"].replace("_", " "),
                f"{each['confidence']:.2f}",
                *(f"{each['scores'][c]:.2f}" for c in columns),
            ]
            for place, (name, each) in enumerate(plane["models"].items(), 1)
        ]
        means = [
            ["", f"mean of {name.replace('_', ' ')}", "", "", *(f"{plane['archetypes'][name][c]:.2f}" for c in columns)]
            for name in CORNERS
            if name in plane["archetypes"]
        ]
        heads = ["no.", "model", "archetype", "confidence", *(column.replace("_", " ") for column in columns)]
        shown.append(Table(title, heads, [*rows, *means]))
    shown.append(
        Table(
            "What the longer mode gains, means over levels, % (Tables 3 and 12)",
            ["model", "against", "depth", "tokens"],
            [[m["first"], m["second"], *map(_gain, (m["depth"], m["tokens"]))] for m in own["modes"]],
        )
    )
    shown.append(
        Table(
            "Trajectories over levels (section 4.4)",
            ["model", "trajectory"],
            [[name, each["trajectory"].replace("_", " ")] for name, each in own["models"].items()],
        )
    )
    levels = sorted({at["level"] for each in own["models"].values() for at in each["levels"]})
    for metric, title in BY_LEVEL.items():
        of_model = {name: {at["level"]: at[metric] for at in each["levels"]} for name, each in own["models"].items()}
        rows = [[name, *(f"{of[level]:.4g}" if level in of else "-" for level in levels)] for name, of in of_model.items()]
        shown.append(Table(f"By level: {title}", ["model", *(f"level {level}" for level in levels)], rows))
    return shown


def _gain(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"
