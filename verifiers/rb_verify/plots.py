"""How figures of a report draw rates: as points above levels, as bars, or as dots beside names, with their intervals.

Every function takes matplotlib's axes or figure as they are; colours are the page's (``pages``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rb_verify.pages import INK, SERIES
from rb_verify.tally import Table, number, percent

Rate = Mapping[str, Any]
Series = Mapping[str, Sequence[Rate]]

MARKERS = "osD^vP*X<"  # one more than colours, so that more series differ
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "")
INTERVAL = "95 % interval"


def spaced(name: str) -> str:
    """A name of a report as words."""
    return name.replace("_", " ")


def told(rate: Rate) -> tuple[str, str]:
    """A rate in per cent, and its interval."""
    return percent(dict(rate)), number(rate["interval"])


def by_label(labels: Sequence[str], series: Series) -> list[tuple[Any, ...]]:
    """(label, a rate of each series)."""
    return list(zip(labels, *series.values(), strict=True))


def numbers_of(grouped: str, labels: Sequence[str], series: Series) -> Table:
    """Series of rates as a table, with their intervals."""
    columns = [grouped, *(text for name in series for text in (name, INTERVAL))]
    rows = [[label, *(text for rate in rates for text in told(rate))] for label, *rates in by_label(labels, series)]
    return Table(f"By {grouped}, %", columns, rows)


def are_levels(labels: Sequence[str]) -> bool:
    """Whether groups are levels, several of them, which stand along an axis; names stand one below the other."""
    return len(labels) > 1 and all(label.isdigit() for label in labels)


def size_for(labels: Sequence[str]) -> tuple[float, float]:
    """The size, in inches, of a figure of ``points`` above levels or ``dots`` beside names."""
    return (5.2, 3.4) if are_levels(labels) else (5.2, 1.2 + 0.24 * len(labels))


def errors(axes: Any, xs: Sequence[float], rates: Sequence[Rate], place: int, label: str, line: str = "-") -> None:
    """Points with intervals above ``xs``. ``place``: of the series, for its look."""
    values, below, above = _ends(rates)
    look = {"color": SERIES[place % len(SERIES)], "marker": MARKERS[place % len(MARKERS)], "linestyle": line}
    axes.errorbar(xs, values, yerr=[below, above], capsize=2, markersize=4.5, linewidth=1.2, label=label, **look)


def _ends(rates: Sequence[Rate]) -> tuple[list[float], list[float], list[float]]:
    """Values in per cent, and how far their intervals reach below and above."""
    values = [100 * rate["value"] for rate in rates]
    ends = [[100 * end for end in rate["interval"]] for rate in rates]
    below = [max(0.0, value - low) for value, (low, _) in zip(values, ends, strict=True)]
    above = [max(0.0, high - value) for value, (_, high) in zip(values, ends, strict=True)]
    return values, below, above


def points(axes: Any, labels: Sequence[str], series: Series) -> None:
    """Series above numbers, a little apart, so that intervals do not hide each other."""
    xs = [int(label) for label in labels]
    apart = 0.012 * (max(xs) - min(xs))
    for place, (name, rates) in enumerate(series.items()):
        some = [(x, rate) for x, rate in zip(xs, rates, strict=True) if rate["value"] is not None]
        moved = [x + apart * (place - (len(series) - 1) / 2) for x, _ in some]
        errors(axes, moved, [rate for _, rate in some], place, name)
    axes.set_xticks(xs)


def bars(axes: Any, labels: Sequence[str], series: Series) -> None:
    """Series as bars side by side above names."""
    width = 0.8 / len(series)
    for place, (name, rates) in enumerate(series.items()):
        values, below, above = _ends(rates)
        xs = [x + width * (place - (len(series) - 1) / 2) for x in range(len(labels))]
        look = {"color": SERIES[place], "hatch": HATCHES[place], "edgecolor": INK, "linewidth": 0.4, "ecolor": INK}
        axes.bar(xs, values, width, yerr=[below, above], capsize=2, label=name, **look)
    axes.set_xticks(range(len(labels)), labels)


def dots(axes: Any, labels: Sequence[str], series: Series) -> None:
    """Series beside names, one row a name."""
    for place, (name, rates) in enumerate(series.items()):
        shift = 0.2 * (place - (len(series) - 1) / 2)
        some = [(y + shift, rate) for y, rate in enumerate(rates) if rate["value"] is not None]
        values, left, right = _ends([rate for _, rate in some])
        look = {"color": SERIES[place], "marker": MARKERS[place], "linestyle": "", "markersize": 4}
        axes.errorbar(values, [y for y, _ in some], xerr=[left, right], linewidth=1, label=name, **look)
    name_places(axes, labels, across=False)


def heat(axes: Any, values: Mapping[tuple[str, int], float | None]) -> None:
    """A heat map of shares by (row, column), each with its per cent; the stronger the colour, the more."""
    from matplotlib.patches import Rectangle

    rows = list(dict.fromkeys(row for row, _ in values))
    columns = sorted({column for _, column in values})
    for (row, column), value in values.items():
        if value is not None:  # not so strong that the number cannot be read
            x, y, strength = columns.index(column), rows.index(row), 0.08 + 0.6 * value
            axes.add_patch(Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, facecolor=SERIES[0], alpha=strength, linewidth=0))
            axes.text(x, y, f"{100 * value:.0f}", ha="center", va="center", fontsize=8.5)
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks(range(len(columns)), map(str, columns))
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def name_places(axes: Any, labels: Sequence[str], across: bool) -> None:
    """Names at the places 0, 1, ... of the axis ``across`` the figure, or down it, the first on top."""
    if across:
        axes.set_xticks(range(len(labels)), labels)
    else:
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)


def percents(axes: Any, across: bool) -> None:
    """An axis from 0 to 100 %: up, where groups stand ``across``, or across."""
    (axes.set_ylim if across else axes.set_xlim)(-3, 103)
    if across:
        axes.set_ylabel("%")


def legend(canvas: Any, columns: int, title: str | None = None) -> None:
    """One legend below all panels, each name once."""
    handles, labels = [], []
    for axes in canvas.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    canvas.legend(handles, labels, loc="outside lower center", ncols=min(columns, 3), title=title)
