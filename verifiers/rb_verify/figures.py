"""The figures of one report: what the three papers draw of a model, as far as the report has the data.

Each figure carries the numbers that it draws as a table. What has no data is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rb_verify import pages, plots, reefbench_figures, twosat_figures
from rb_verify.datasets import SCORERS
from rb_verify.pages import INK, SERIES, Figure
from rb_verify.plots import Rate
from rb_verify.report import Report
from rb_verify.tally import Table, number, percent
from rb_verify.verdict import MISSING

MOST_GROUPS = 40  # more cannot be read in one figure: of 2-SAT's sweeps, families are drawn instead


def figures(report: Report) -> list[Figure]:
    """All figures of a report. Raises UnusableInput where matplotlib is not installed."""
    data = report.data
    own: dict[str, Callable[[dict[str, Any]], list[Figure | None]]] = {
        "tracebench": _tracebench,
        "stories": twosat_figures.figures,
        "twosat": twosat_figures.figures,
        "reefbench": reefbench_figures.figures,
    }
    draw_own = own.get(data["dataset"])
    found = [_by_group(data), _outcomes(data), *(draw_own(data) if draw_own else []), _over_samples(data)]
    return [figure for figure in found if figure is not None]


# ---- Of every dataset -------------------------------------------------------------------------------------------


def _by_group(data: dict[str, Any]) -> Figure | None:
    """The dataset's columns by group, with the best constant answer as lines."""
    scorer = SCORERS[data["dataset"]]
    names = [column.name for column in scorer.COLUMNS]
    groups = [group for group in data["breakdown"] if group["accuracy"]["n"]]
    if not 0 < len(groups) <= MOST_GROUPS:
        return None
    labels = [group["group"] for group in groups]
    series = {plots.spaced(name): [group[name] for group in groups] for name in names}
    lines = {name: _best(data["baselines"], name, constant=True) for name in ("score", "accuracy")}

    def plot(canvas: Any) -> None:
        across = plots.are_levels(labels)
        axes = canvas.subplots()
        (plots.points if across else plots.dots)(axes, labels, series)
        for colour, found in zip(SERIES, lines.values(), strict=False):
            if found is not None:
                (axes.axhline if across else axes.axvline)(100 * found[1], color=colour, linestyle="--", linewidth=1)
        axes.set_xlabel(scorer.GROUPED if across else "%")
        plots.percents(axes, across)
        plots.legend(canvas, len(series))

    said = [f"{name}: {100 * found[1]:.1f} % ({found[0]})" for name, found in lines.items() if found is not None]
    best = _best(data["baselines"], "score", constant=False)
    note = f"Marks with 95 % intervals, by {scorer.GROUPED}."
    if said:
        note += f" Dashed: the best constant answer over all groups, {'; '.join(said)}."
    if best is not None:
        note += f" The best score of all that need no reasoning is {100 * best[1]:.1f} % ({best[0]})."
    return pages.draw(
        f"Score by {scorer.GROUPED}", plot, plots.size_for(labels), note, plots.numbers_of(scorer.GROUPED, labels, series)
    )


def _best(baselines: Mapping[str, Mapping[str, float]], name: str, constant: bool) -> tuple[str, float] | None:
    """The baseline with the highest value, and the value; with ``constant``, of those that always answer alike."""

    def is_constant(attack: str) -> bool:
        return attack.startswith(("constant_", "all_")) and attack != "constant_by_family"

    some = [(values[name], attack) for attack, values in sorted(baselines.items()) if is_constant(attack) or not constant]
    value, attack = max(some, key=lambda pair: pair[0], default=(0.0, ""))
    return (attack, value) if some else None


def _outcomes(data: dict[str, Any]) -> Figure | None:
    """Stacked categories by group (the TRACE paper's Figure 3), missing rows included."""
    scorer = SCORERS[data["dataset"]]
    groups = [group for group in data["breakdown"] if group["accuracy"]["n"]]
    if not groups:
        return None
    names = (*scorer.CATEGORIES, MISSING)
    grouped, shares = scorer.GROUPED, {group["group"]: group["categories"] for group in groups}
    if len(groups) > MOST_GROUPS:
        grouped, shares = "first word of the group", _merged(groups, names)
    labels = list(shares)
    series = {plots.spaced(name): [shares[label][name] for label in labels] for name in names}
    drawn = {name: rates for name, rates in series.items() if any(rate["value"] for rate in rates)}

    def plot(canvas: Any) -> None:
        across = plots.are_levels(labels)
        axes = canvas.subplots()
        places, base = range(len(labels)), [0.0] * len(labels)
        for name, rates in drawn.items():
            place = list(series).index(name)
            values = [100 * (rate["value"] or 0) for rate in rates]
            look: dict[str, Any] = {"color": SERIES[place], "hatch": plots.HATCHES[place], "edgecolor": INK, "linewidth": 0.4}
            if across:
                axes.bar(places, values, bottom=base, label=name, width=0.75, **look)
            else:
                axes.barh(places, values, left=base, label=name, height=0.75, **look)
            base = [a + b for a, b in zip(base, values, strict=True)]
        plots.name_places(axes, labels, across)
        axes.set_xlabel(grouped if across else "%")
        plots.percents(axes, across)
        plots.legend(canvas, len(drawn))

    note = "Every row is in one category, so a bar is 100 %. Rows without an answer are failures too."
    numbers = Table(
        f"Categories by {grouped}, %", [grouped, *series], [[n, *map(percent, r)] for n, *r in plots.by_label(labels, series)]
    )
    return pages.draw(f"Outcomes by {grouped}", plot, plots.size_for(labels), note, numbers)


def _merged(groups: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Shares of categories by the first word of the groups' names."""
    sums: dict[str, list[float]] = {}
    for group in groups:
        counts = sums.setdefault(group["group"].split(" ")[0], [0.0] * (len(names) + 1))
        n = group["accuracy"]["n"]
        for place, name in enumerate(names):
            counts[place] += n * (group["categories"][name]["value"] or 0)
        counts[-1] += n
    return {
        first: {name: {"value": count / total, "n": total} for name, count in zip(names, counts, strict=True)}
        for first, (*counts, total) in sums.items()
    }


def _over_samples(data: dict[str, Any]) -> Figure | None:
    """pass@k, with the majority vote beside it."""
    found = data.get("over_samples")
    if not found:
        return None
    passed = [at for at in found["pass"] if at["value"] is not None]
    vote = found["majority"]
    if not passed:
        return None

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        ks = [at["k"] for at in passed]
        plots.errors(axes, ks, passed, 0, "pass@k of the score")
        if vote["value"] is not None:
            axes.axhline(100 * vote["value"], color=SERIES[1], linestyle="--", label="accuracy of the majority vote")
            axes.axhspan(*(100 * end for end in vote["interval"]), color=SERIES[1], alpha=0.15, linewidth=0)
        axes.set_xscale("log", base=2)
        axes.set_xticks(ks, map(str, ks))
        axes.minorticks_off()
        axes.set_xlabel("k")
        plots.percents(axes, True)
        plots.legend(canvas, 2)

    note = "The chance that at least one of k samples scores, with 95 % intervals; pass@1 is one sample's score."
    rows = [[f"pass@{at['k']}", percent(at), number(at["interval"])] for at in passed]
    rows.append(["majority vote", percent(vote), number(vote["interval"])])
    return pages.draw(
        "Several samples a row", plot, note=note, numbers=Table("Samples, %", ["measure", "%", plots.INTERVAL], rows)
    )


# ---- TRACEBench -------------------------------------------------------------------------------------------------


def _tracebench(data: dict[str, Any]) -> list[Figure | None]:
    return [_correlation(data), _by_proof_length(data["tracebench"]["by_proof_length"])]


def _correlation(data: dict[str, Any]) -> Figure | None:
    """True reasoning against difficulty, with the line of least squares (TRACE paper, section 4.2)."""
    rates = {int(g["group"]): g["true_reasoning"] for g in data["breakdown"] if g["true_reasoning"]["n"]}
    if len(rates) < 2:
        return None
    r = data["tracebench"]["correlation"]["pearson_r"]
    values = {level: 100 * rate["value"] for level, rate in rates.items()}
    slope, intercept = _least_squares(list(values.items()))

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        plots.errors(axes, list(rates), list(rates.values()), 2, "true reasoning", line="")
        ends = [min(rates), max(rates)]
        axes.plot(ends, [intercept + slope * x for x in ends], color=INK, linestyle=":", label="least squares")
        axes.set_xticks(list(rates))
        axes.set_xlabel("target difficulty")
        plots.percents(axes, True)
        plots.legend(canvas, 2)

    said = "r is not testable here" if r is None else f"Pearson's r of difficulty and true reasoning is {r:.2f}"
    note = f"{said}; a step of 10 in difficulty changes true reasoning by {round(10 * slope, 1) + 0.0:+.1f} points."
    series = {"true reasoning": list(rates.values())}
    return pages.draw("True reasoning", plot, note=note, numbers=plots.numbers_of("difficulty", list(map(str, rates)), series))


def _least_squares(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """(slope, intercept)."""
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    return slope, y - slope * x


def _by_proof_length(lengths: Mapping[str, Mapping[str, Rate]]) -> Figure | None:
    if not lengths:
        return None
    series = {name: [rates[name] for rates in lengths.values()] for name in ("accuracy", "score")}

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        plots.bars(axes, list(lengths), series)
        axes.set_xlabel("steps of the gold proof")
        plots.percents(axes, True)
        plots.legend(canvas, 2)

    note = "Bars with 95 % intervals. Longer gold proofs compose more facts; those of one step are nearest to the question."
    return pages.draw("By proof length", plot, note=note, numbers=plots.numbers_of("steps", list(lengths), series))
