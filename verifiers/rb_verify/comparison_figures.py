"""The figures of a board: scores, then the dataset's own comparisons as the papers draw them.

ReEfBench's modes have the paper's marks: triangles for long chains of thought, circles for short ones, stars for
centroids (Figure 3); models that do not say their mode are squares. A figure's numbers are the table that it draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from rb_verify import comparisons, plots
from rb_verify.archetypes import COMPONENTS, CORNERS
from rb_verify.pages import INK, SERIES, Figure, draw, visible
from rb_verify.tally import Table

MARKS = {"long": "^", "reasoning": "^", "short": "o", "instruct": "o", None: "s"}
_LINES = ("-", "--", ":", "-.")
_MODE_LINES = {"^": ("-", "-."), "o": ("--", ":"), "s": ("-", "-.")}
_LONGEST = 34  # characters of a name in a figure; the tables have it whole


def figures(board: Mapping[str, Any]) -> list[Figure]:
    """The figures of a board of ``compare.compare``. Raises UnusableInput where matplotlib is not installed."""
    own: dict[str, Callable[..., list[Figure]]] = {
        "reefbench": _reefbench,
        "stories": _twosat,
        "tracebench": _tracebench,
        "twosat": _twosat,
    }
    by_title = {table.title: table for table in comparisons.tables(board)}
    draw_own = own.get(board["dataset"])
    return [_scores(board), *(draw_own(board["comparison"][board["dataset"]], by_title) if draw_own else [])]


def _short(name: str) -> str:
    name = visible(" ".join(name.split()))
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _style(place: int) -> dict[str, Any]:
    """The colour and line of the model at a place: eight colours, then the same with other lines."""
    return {"color": SERIES[place % len(SERIES)], "linestyle": _LINES[place // len(SERIES) % len(_LINES)]}


def _mode_styles(models: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The style of each entrant: a colour for each model, and a line and a mark for its mode."""
    bases = list(dict.fromkeys(each["model"] for each in models.values()))
    styles = {}
    for name, each in models.items():
        place, mark = bases.index(each["model"]), MARKS[each["mode"]]
        line = _MODE_LINES[mark][place // len(SERIES) % 2]
        styles[name] = {"color": SERIES[place % len(SERIES)], "linestyle": line, "marker": mark}
    return styles


def _legend(canvas: Any, handles: Sequence[Any], columns: int = 2) -> None:
    canvas.legend(handles=handles, loc="outside lower center", ncols=columns)


def _below(entries: int, columns: int = 2) -> float:
    """Inches that a legend of so many entries takes."""
    return 0.2 * ceil(entries / columns) + 0.1


def _scores(board: Mapping[str, Any]) -> Figure:
    """Every model's score with its interval, the highest at the top, and the best of the baselines."""
    models = board["models"]
    attacks = {each["name"]: each["values"]["score"] for each in board["baselines"] if "score" in each["values"]}
    best = max(attacks, key=lambda name: (attacks[name], name)) if attacks else None

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        plots.dots(axes, [_short(model["name"]) for model in models], {"score": [model["rates"]["score"] for model in models]})
        if best is not None:
            axes.axvline(100 * attacks[best], color=SERIES[7], linestyle="--")
        plots.percents(axes, across=False)
        axes.set_xlabel(f"score ({board['headline']}), %")

    note = "" if best is None else f"Dashed: the best that needs no reasoning, {best}."
    return draw("Score with its 95 % interval", plot, size=(5.2, 1.2 + 0.24 * len(models)), note=note)


# ---- TRACE --------------------------------------------------------------------------------------------------------


def _tracebench(own: Mapping[str, Any], tables: Mapping[str, Table]) -> list[Figure]:
    numbers = tables["True reasoning by target difficulty, % (Figure 2)"]

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        handles = []
        for place, (name, each) in enumerate(own["models"].items()):
            label = f"{_short(name)} (r {comparisons.shown_r(each['pearson_r'])})"
            handles += axes.plot(own["levels"], _percents(each["true_reasoning"]), marker="o", label=label, **_style(place))
        if len(own["models"]) > 1:
            average = _percents(own["average"]["true_reasoning"])
            label = f"average (r {comparisons.shown_r(own['average']['pearson_r'])})"
            handles += axes.plot(own["levels"], average, color=INK, linestyle="--", linewidth=2.5, label=label)
        axes.set_xticks(own["levels"])
        axes.set_ylim(-3, 103)
        axes.set_xlabel("target difficulty")
        axes.set_ylabel("true reasoning, %")
        _legend(canvas, handles, columns=1)

    size = (5.2, 3.2 + _below(len(own["models"]) + 1, columns=1))
    return [draw("True reasoning by target difficulty", plot, size=size, note="As Figure 2 of the paper.", numbers=numbers)]


def _percents(values: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else 100 * value for value in values]


# ---- 2-SAT --------------------------------------------------------------------------------------------------------


def _twosat(own: Mapping[str, Any], tables: Mapping[str, Table]) -> list[Figure]:
    shown = []
    if own["schemes"]:
        numbers = next(table for title, table in tables.items() if title.startswith("Decisions right by scheme"))
        shown.append(_schemes(own["schemes"], numbers))
    if own["cells"]:
        shown.append(_heat(own["cells"], tables["Decisions right by family and number of clauses, % (Table 1)"]))
    return shown


def _schemes(schemes: Sequence[Mapping[str, Any]], numbers: Table) -> Figure:
    names = list(schemes[0]["sat"])

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        handles = []
        for place, name in enumerate(names):
            values = _percents([each["sat"][name]["value"] for each in schemes])
            handles += axes.plot(range(len(schemes)), values, marker="o", label=_short(name), **_style(place))
        turn = {"rotation": 30, "ha": "right"} if len(schemes) > 8 else {}  # all templates and themes do not fit side by side
        axes.set_xticks(range(len(schemes)), [_short(each["scheme"]) for each in schemes], **turn)
        axes.set_ylim(-3, 103)
        axes.set_ylabel("decisions right, %")
        _legend(canvas, handles)

    size = (5.2, 3.0 + _below(len(names)))
    told = any(each["kind"] == "story" for each in schemes)
    note = f"As {'Figures 8 and 9' if told else 'Figure 8'} of the paper."
    return draw("Decisions by scheme", plot, size=size, note=note, numbers=numbers)


def _heat(cells: Sequence[Mapping[str, Any]], numbers: Table) -> Figure:
    names = list(cells[0]["sat"])

    def plot(canvas: Any) -> None:
        panels = canvas.subplots(len(names), squeeze=False)
        for (axes,), name in zip(panels, names, strict=True):
            plots.heat(axes, {(cell["family"], cell["clauses"]): cell["sat"][name]["value"] for cell in cells})
            axes.set_title(_short(name), fontsize=9.5, loc="left")
        panels[-1][0].set_xlabel("clauses")

    size = (5.2, 0.5 + (0.7 + 0.2 * len({cell["family"] for cell in cells})) * len(names))
    note = "Per cent right; the stronger the colour, the more. A panel a model, the parameters at .5."
    return draw("Decisions by family and size", plot, size=size, note=note, numbers=numbers)


# ---- ReEfBench ----------------------------------------------------------------------------------------------------


def _reefbench(own: Mapping[str, Any], tables: Mapping[str, Table]) -> list[Figure]:
    shown = []
    if own["plane"]:
        numbers = next(table for title, table in tables.items() if title.startswith("Six scores"))
        shown += [_plane(own, numbers), _six(own["plane"], numbers)]
    if any(each["levels"] for each in own["models"].values()):
        shown.append(_trajectories(own["models"]))
        shown += [
            _by_level(own["models"], metric, tables[f"By level: {title}"]) for metric, title in comparisons.BY_LEVEL.items()
        ]
    return shown


def _plane(own: Mapping[str, Any], numbers: Table) -> Figure:
    plane = own["plane"]

    def plot(canvas: Any) -> None:
        from matplotlib.lines import Line2D

        axes = canvas.subplots()
        for place, (name, each) in enumerate(plane["models"].items(), 1):
            colour = SERIES[list(CORNERS).index(each["archetype"])]
            at = each["scores"]["logical_depth"], each["scores"]["cost"]
            size = 5 + 5 * each["confidence"]
            axes.plot(
                *at, marker=MARKS[own["models"][name]["mode"]], color=colour, markersize=size, linestyle="none", alpha=0.8
            )
            axes.annotate(str(place), at, xytext=(6, 4), textcoords="offset points", fontsize=8)
        for archetype, at in plane["centroids"].items():
            axes.plot(*at, marker="*", color=SERIES[list(CORNERS).index(archetype)], markersize=14, linestyle="none")
        axes.set_xlim(-0.05, 1.08)
        axes.set_ylim(-0.05, 1.08)
        axes.set_xlabel("logical depth")
        axes.set_ylabel("cost")
        handles = [
            Line2D([], [], color=SERIES[place], marker="*", linestyle="none", label=archetype.replace("_", " "))
            for place, archetype in enumerate(CORNERS)
        ]
        _legend(canvas, handles)

    note = (
        "Numbers are those of the table. Triangles: long or reasoning, circles: short or instruct, squares: mode not said,"
        " stars: centroids. The larger, the more typical. As Figure 3 of the paper; relative to the models here."
    )
    title = f"Logical depth and cost at level {plane['level']}"
    return draw(title, plot, size=(5.2, 4.6), note=note, numbers=numbers)


def _six(plane: Mapping[str, Any], numbers: Table) -> Figure:
    models = list(plane["models"].values())

    def plot(canvas: Any) -> None:
        panels = canvas.subplots(2, 3, sharex=True, sharey=True)
        for axes, score in zip(panels.flat, COMPONENTS, strict=True):
            colours = [SERIES[list(CORNERS).index(each["archetype"])] for each in models]
            axes.barh(range(1, len(models) + 1), [each["scores"][score] for each in models], color=colours)
            axes.set_title(score.replace("_", " "), fontsize=9.5)
            axes.set_yticks(range(1, len(models) + 1))
            axes.set_ylim(len(models) + 0.6, 0.4)
            axes.set_xlim(0, 1)
            axes.set_xticks([0, 0.5, 1])

    size = (5.2, 1.6 + 0.36 * len(models))
    note = "Bars are numbered as the models of the table, in the colours of their archetypes."
    return draw("Six scores", plot, size=size, note=note, numbers=numbers)


def _trajectories(models: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Depth against cost from level to level; modes of one model have one colour."""

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        handles = []
        for name, style in _mode_styles(models).items():
            tokens = [at["tokens"] for at in models[name]["levels"]]
            depth = [at["max_depth"] for at in models[name]["levels"]]
            handles += axes.plot(tokens, depth, markersize=4, label=_short(name), **style)
            axes.plot(tokens[-1:], depth[-1:], markersize=9, **style)
        axes.set_xlabel("tokens")
        axes.set_ylabel("logical depth, layers")
        _legend(canvas, handles)

    rows = [
        [name, str(at["level"]), f"{at['tokens']:.4g}", f"{at['max_depth']:.4g}"]
        for name, each in models.items()
        for at in each["levels"]
    ]
    numbers = Table("Trajectories: tokens and logical depth by level", ["model", "level", "tokens", "logical depth"], rows)
    note = "From level to level; the large mark is the hardest level. Triangles: long or reasoning; circles: short or instruct."
    return draw("Trajectories", plot, size=(5.2, 3.6 + _below(len(models))), note=note, numbers=numbers)


def _by_level(models: Mapping[str, Mapping[str, Any]], metric: str, numbers: Table) -> Figure:
    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        handles = []
        for name, style in _mode_styles(models).items():
            levels, values = zip(*((at["level"], at[metric]) for at in models[name]["levels"]), strict=True)
            handles += axes.plot(levels, values, markersize=5, label=_short(name), **style)
        axes.set_xticks(sorted({at["level"] for each in models.values() for at in each["levels"]}))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("level")
        axes.set_ylabel(comparisons.BY_LEVEL[metric])
        _legend(canvas, handles)

    title = f"{comparisons.BY_LEVEL[metric].capitalize()} by level"
    return draw(title, plot, size=(5.2, 2.8 + _below(len(models))), numbers=numbers)
