"""The figures of one report that ReEfBench alone has: depth against cost, and the process over levels (ReEfBench paper,
sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rb_verify import pages, plots
from rb_verify.archetypes import COMPONENTS, CORNERS
from rb_verify.pages import INK, RULE, SERIES, Figure
from rb_verify.tally import Table


def figures(data: dict[str, Any]) -> list[Figure | None]:
    """The figures of a report's data, None for what has none."""
    own = data["reefbench"]
    levels = own["levels"]
    if not levels:
        return []
    found = [_plane(own), _radar(own["hardest"])]
    return [*found, *(_trajectory(own), _reflection(levels), _exploration(levels))] if len(levels) > 1 else [*found]


def _plane(own: dict[str, Any]) -> Figure:
    """The plane of logical depth and cost (ReEfBench paper, Table 11), with this model's own way through the levels."""
    path = [(at["level"], at["metrics"]["tokens"], min(1.0, at["metrics"]["max_depth"] / at["level"])) for at in own["levels"]]
    level, tokens, depth = path[-1]
    most = 1.15 * max(cost for _, cost, _ in path) or 1.0

    def plot(canvas: Any) -> None:
        axes = canvas.subplots()
        axes.plot([cost for _, cost, _ in path], [at for _, _, at in path], color=SERIES[0], marker=".", linewidth=1)
        axes.plot([tokens], [depth], marker="*", markersize=15, color=SERIES[1], linestyle="")
        axes.annotate(f"level {level}", (tokens, depth), xytext=(0, 9), textcoords="offset points", ha="center", fontsize=8.5)
        for name, (high, costly) in CORNERS.items():
            where = {"ha": "right" if costly else "left", "va": "top" if high else "bottom"}
            axes.text(0.98 if costly else 0.02, 0.98 if high else 0.02, plots.spaced(name), **where, transform=axes.transAxes)
        axes.set(xlim=(0, most), ylim=(-0.12, 1.2), xlabel="cost: tokens a response", ylabel="logical depth, of the level")
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])

    note = (
        f"The star is the hardest level, {level}: depth {depth:.2f} at {tokens:.0f} tokens; the line comes from easier levels. "
        "Corners are the archetypes' (Table 11). Cost has no scale of its own: archetypes need four models or more, "
        "which rb-compare places."
    )
    rows = [[str(level), f"{depth:.3f}", f"{cost:.1f}"] for level, cost, depth in path]
    numbers = Table("Depth and cost by level", ["level", "logical depth", "tokens"], rows)
    return pages.draw("Depth against cost", plot, note=note, numbers=numbers)


_SHARES = ("effective_span", "valid_planning", "sentence_duplication", "node_duplication")  # components from 0 to 1


def _radar(hardest: dict[str, Any]) -> Figure:
    """Those components of the six scores that are shares; the others mean nothing without other models."""
    parts = {part: value for some in hardest["components"].values() for part, value in some.items()}
    spokes = {"logical depth": hardest["logical_depth"], **{plots.spaced(name): parts[name] for name in _SHARES}}
    raw = ", ".join(f"{plots.spaced(name)} {value:.4g}" for name, value in parts.items() if name not in _SHARES)

    def plot(canvas: Any) -> None:
        from math import tau

        axes = canvas.add_subplot(projection="polar")
        angles = [tau * place / len(spokes) for place in range(len(spokes) + 1)]
        values = [*spokes.values(), next(iter(spokes.values()))]
        axes.set_theta_zero_location("N")
        axes.plot(angles, values, color=SERIES[0], marker="o")
        axes.fill(angles, values, color=SERIES[0], alpha=0.2)
        axes.set_xticks(angles[:-1], spokes)
        axes.tick_params(axis="x", pad=9)
        axes.set_ylim(0, 1)
        axes.set_yticks([0.25, 0.5, 0.75, 1], ["", ".5", "", "1"])
        axes.spines["polar"].set_color(RULE)

    note = (
        f"Means at level {hardest['level']} of those components that are shares; duplication is better low. The others "
        f"have no greatest value of their own: {raw}. "
        "rb-compare divides each by its maximum over the models."
    )
    scores = {part: score for score, some in COMPONENTS.items() for part in some}
    rows = [[plots.spaced(name), plots.spaced(scores[name]), f"{value:.4g}"] for name, value in parts.items()]
    numbers = Table("Components of the six scores, raw", ["component", "of the score", "mean"], rows)
    return pages.draw("Components of the six scores", plot, (5.2, 3.8), note, numbers)


def _trajectory(own: dict[str, Any]) -> Figure:
    """Cost and depth over levels, and the kind of it (section 4.4)."""
    found = own["trajectory"]
    note = f"This trajectory is {plots.spaced(found['kind'])}."
    if found["depth_slope"] is not None:
        note += (
            f" Over the harder half, depth grows {found['depth_slope']:.2f} layers a level, and cost {found['cost_slope']:.2f} "
            f"times as fast as the level; at the hardest level {100 * found['depth_kept']:.0f} % of the best depth is kept."
        )
    drawn = {"depth, layers": ("max_depth",), "tokens": ("tokens",)}
    return _panels("Trajectory over levels", own["levels"], drawn, note, diagonal="depth, layers")


def _reflection(levels: Sequence[Mapping[str, Any]]) -> Figure | None:
    """How much a model looks back, and what comes of it (sections 4.5 and appendix B.2)."""
    some = []
    for at in levels:
        looks = at["metrics"]["reflection_sentences"]
        kinds = ("reflections_with_new_node", "reflections_with_deeper_node", "reflections_with_new_hallucination")
        shares = {_FOLLOWED[kind]: at["metrics"][kind] / looks if looks else None for kind in kinds}
        some.append({"level": at["level"], "metrics": {"reflection_ratio": at["metrics"]["reflection_ratio"], **shares}})
    if not any(at["metrics"]["reflection_ratio"] for at in some):
        return None
    drawn = {"share of sentences": ("reflection_ratio",), "share of reflections": tuple(_FOLLOWED.values())}
    note = "Left: how many sentences look back. Right: after how many of them, within five sentences, each of these comes."
    return _panels("Reflection by level", some, drawn, note)


_FOLLOWED = {
    "reflections_with_new_node": "new correct node",
    "reflections_with_deeper_node": "deeper node",
    "reflections_with_new_hallucination": "new hallucination",
}


def _exploration(levels: Sequence[Mapping[str, Any]]) -> Figure:
    drawn = {"statements": ("explored_nodes", "hallucination_nodes"), "share": ("exploration_precision", "incorrect_ratio")}
    note = (
        "Left: different correct statements asserted, and assertions of what does not follow. Right: the share of the explored "
        "that is golden, and the share of assertions that are hallucinations."
    )
    return _panels("Exploration and hallucination by level", levels, drawn, note)


def _panels(
    title: str,
    levels: Sequence[Mapping[str, Any]],
    drawn: Mapping[str, Sequence[str]],
    note: str,
    diagonal: str | None = None,
) -> Figure:
    """Two panels over levels. ``drawn``: label of a panel's axis to the metrics in it; ``diagonal``: the panel in which the
    level itself is drawn too."""
    xs = [at["level"] for at in levels]
    names = [name for some in drawn.values() for name in some]

    def plot(canvas: Any) -> None:
        for axes, (label, some) in zip(canvas.subplots(1, len(drawn)), drawn.items(), strict=True):
            if label == diagonal:
                axes.plot(xs, xs, color=INK, linestyle=":", linewidth=1, label="level")
            for name in some:
                place = names.index(name)
                points = [(at["level"], at["metrics"][name]) for at in levels if at["metrics"][name] is not None]
                look = {"color": SERIES[place], "marker": plots.MARKERS[place], "markersize": 4, "label": plots.spaced(name)}
                axes.plot(*zip(*points, strict=True), **look)
            axes.set(xlabel="level", title=label)
            axes.title.set_fontsize(9)
            axes.set_ylim(bottom=0)
            axes.set_xticks(xs)
            axes.tick_params(labelsize=8)
        plots.legend(canvas, 2)

    def told(value: float | None) -> str:
        return "-" if value is None else f"{value:.4g}"

    rows = [[str(at["level"]), *(told(at["metrics"][name]) for name in names)] for at in levels]
    return pages.draw(title, plot, note=note, numbers=Table(f"{title}, means", ["level", *map(plots.spaced, names)], rows))
