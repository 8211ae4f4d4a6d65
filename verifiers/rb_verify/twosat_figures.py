"""The figures of one report that 2-SAT alone has: cells, schemes, sweeps and robustness (2-SAT paper, section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rb_verify import pages, plots
from rb_verify.pages import INK, Figure
from rb_verify.tally import Table
from rb_verify.themes import THEMES


def figures(data: dict[str, Any]) -> list[Figure | None]:
    """The figures of a report's data, None for what has none."""
    own = data[data["dataset"]]
    return [_cells(data), _schemes(own["schemes"]), _sweeps(own["sweeps"]), _robustness(own["robustness"])]


def _cells(data: dict[str, Any]) -> Figure | None:
    """Heat maps of family by number of clauses, all parameters at .5 (2-SAT paper, Table 1)."""
    scores = {group["group"]: group["score"] for group in data["breakdown"]}
    cells = {
        (cell["family"], cell["clauses"]): {
            "decision (Sat.)": cell["sat"],
            "witness (Wit.)": cell["witness"],
            "score": scores.get(f"{cell['family']} {cell['clauses']}", {"value": None, "n": 0, "interval": None}),
        }
        for cell in data[data["dataset"]]["cells"]
    }
    if len(cells) < 2:
        return None
    names = ("decision (Sat.)", "witness (Wit.)", "score")

    def plot(canvas: Any) -> None:
        for axes, name in zip(canvas.subplots(len(names), sharex=True), names, strict=True):
            plots.heat(axes, {cell: rates[name]["value"] for cell, rates in cells.items()})
            axes.set_title(name)
        axes.set_xlabel("clauses")

    note = "Per cent in each cell, stronger blue is more; unsatisfiable rows have no witness. Empty places are no cells."
    labels = [f"{family} {size}" for family, size in cells]
    series = {name: [rates[name] for rates in cells.values()] for name in names}
    numbers = plots.numbers_of("family and clauses", labels, series)
    return pages.draw(
        "Family by size, all parameters at .5", plot, (5.2, 1 + 0.9 * len({family for family, _ in cells})), note, numbers
    )


def _schemes(records: Sequence[Mapping[str, Any]]) -> Figure | None:
    if not records:
        return None
    labels = [record["scheme"] for record in records]
    keys = {"decision (Sat.)": "sat", "witness (Wit.)": "witness", "score": "score"}
    series = {name: [record[key] for record in records] for name, key in keys.items()}

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        plots.dots(axes, labels, series)
        axes.set_xlabel("%")
        plots.percents(axes, False)
        plots.legend(canvas, 3)

    source = "Figures 8 and 9" if THEMES.keys() & set(labels) else "Figure 8"
    note = f"The same formulas in each wording (2-SAT paper, {source}), with 95 % intervals."
    return pages.draw("Schemes of wording", plot, plots.size_for(labels), note, plots.numbers_of("scheme", labels, series))


def _sweeps(records: Sequence[Mapping[str, Any]]) -> Figure | None:
    """A panel for each family and parameter, a line for each size."""
    if not records:
        return None
    panels: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        panels.setdefault((record["family"], record["parameter"]), []).append(record)
    sizes = sorted({record["clauses"] for record in records})
    rows = -(-len(panels) // 2)

    def plot(canvas: Any) -> None:
        grid = canvas.subplots(rows, 2, squeeze=False, sharey=True).ravel()
        for axes, ((family, parameter), some) in zip(grid, panels.items(), strict=False):
            for record in some:
                levels = [at for at in record["levels"] if at["score"]["value"] is not None]
                place = sizes.index(record["clauses"])
                xs, rates = [at["level"] for at in levels], [at["score"] for at in levels]
                plots.errors(axes, xs, rates, place, str(record["clauses"]))
            axes.set(title=f"{family}: {parameter}", xlim=(-0.05, 1.05))
            axes.title.set_fontsize(8.5)
            plots.percents(axes, True)
        for axes in grid[len(panels) :]:
            axes.remove()
        plots.legend(canvas, len(sizes), "clauses")

    note = "Score by the level of one parameter, the others at .5; a line for each number of clauses, with 95 % intervals."
    body = [
        [f"{record['family']} {record['parameter']}", str(record["clauses"]), f"{at['level']:.2g}", *plots.told(at["score"])]
        for record in records
        for at in record["levels"]
    ]
    numbers = Table("Score by level, %", ["family and parameter", "clauses", "level", "score", plots.INTERVAL], body)
    return pages.draw("Sweeps of one parameter", plot, (5.2, 0.8 + 1.9 * rows), note, numbers)


def _robustness(records: Sequence[Mapping[str, Any]]) -> Figure | None:
    if not records:
        return None
    labels = [f"{record['perturbation']} {record['variant']}".strip() for record in records]
    series = {"drop of score": [record["drop"] for record in records]}

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        plots.dots(axes, labels, series)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlabel("drop of score, points")

    note = "Base minus perturbed row in the same words, with 95 % intervals; right of zero the perturbation costs score."
    return pages.draw("Robustness", plot, plots.size_for(labels), note, plots.numbers_of("perturbation", labels, series))
