"""The experiments on 2-SAT formulas (2-SAT paper, sections 5.1 to 5.4): sweeps, perturbations, repeated patterns.

The formula is the unit of every test: its verbalisations, and their samples, are averaged to one number first. Each
experiment is computed from what is there of its rows, and is empty where nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, TypeVar

from rb_verify import significance, stats
from rb_verify.significance import Test
from rb_verify.tally import ACCURACY, SCORE, Entry

Row = dict[str, Any]
Levels = dict[float, list[Entry]]
Labelled = tuple[dict[str, Any], Test]
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

PARAMETERS: dict[str, tuple[str, ...]] = {
    "ImplicationCycle": ("split",),
    "EquivalenceCore": ("ratio",),
    "Backbone": ("beta", "density", "polarity"),
    "MonoBridge": ("density", "positive", "position"),
}
FAMILIES = tuple(PARAMETERS)
CENTRE = 0.5
GRIDS = {"seven": (0, 0.2, 0.333333, 0.5, 0.666667, 0.8, 1), "three": (0.2, 0.5, 0.8)}
POOLED = "three, all sizes"
PERTURBATIONS = ("shuffled", "renamed", "swapped", "fillers", "copies")
REPEATS = {  # condition: its form and its shuffled form, as ``_form`` names them
    "50": ((50, "none"), (50, "shuffled")),
    "50x2 grouped": ((50, "2-grouped"), (50, "2-grouped-shuffled")),
    "50x2 interleaved": ((50, "2-interleaved"), (50, "2-interleaved-shuffled")),
    "100": ((100, "none"), (100, "shuffled")),
}
SIZE_PAIRS = [("50", other) for other in ("50x2 grouped", "50x2 interleaved", "100")]
SIZE_PAIRS += [("100", other) for other in ("50x2 grouped", "50x2 interleaved")]


# ---- What the experiments share ---------------------------------------------------------------------------------


def cluster(row: Row) -> str:
    """The unit that intervals resample: whatever was made of one unperturbed formula stands or falls together."""
    return str(row["base_id"])


def centred(row: Row) -> bool:
    """Whether every parameter of the row's formula is at .5."""
    return not _off_centre(row)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by key, in the order in which they come."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def mean_scores(entries: Iterable[Entry], key: Callable[[Row], Key]) -> dict[Key, float]:
    """The mean score of the responses of each key. Equal means are equal floats: a sum of integers is divided once."""
    sums: dict[Key, list[int]] = {}
    for entry in entries:
        total = sums.setdefault(key(entry.row), [0, 0])
        total[0] += entry.count * entry.outcome.score
        total[1] += entry.count
    return {name: right / n for name, (right, n) in sums.items()}


def summable(value: float) -> float:
    """A value to the nearest 2**-30, so that its sums are exact in any order, and opposite differences cancel."""
    return round(value * 2**30) / 2**30


def _off_centre(row: Row) -> list[str]:
    return [name for name in PARAMETERS[row["family"]] if row["params"][name] != CENTRE]


def _unperturbed(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.row["perturbation"] == "none"]


def _mean(values: Sequence[float]) -> float:
    return round(fsum(values) / len(values), 6)


def _corrected(found: Sequence[Labelled], ablation: str) -> list[dict[str, Any]]:
    """Labels with their tests, Benjamini-Hochberg applied within each value of the label ``ablation``."""
    records = []
    for some in grouped(found, lambda pair: str(pair[0][ablation])).values():
        tests = significance.adjusted([test for _, test in some])
        records += [labels | {"test": test.as_dict()} for (labels, _), test in zip(some, tests, strict=True)]
    return records


# ---- Section 5.1: one parameter at a time -----------------------------------------------------------------------


def sweeps(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The score at each level of a parameter, the others at .5, for each family, parameter and number of clauses."""
    return [
        {
            "family": family,
            "parameter": parameter,
            "clauses": clauses,
            "levels": [
                {"level": level, "score": SCORE.rate(some, cluster), "sat": ACCURACY.rate(some, cluster)}
                for level, some in sorted(levels.items())
            ],
        }
        for (family, parameter, clauses), levels in _sweeps(entries).items()
    ]


def sweep_tests(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Friedman's test over the levels of each sweep (the paper's Table 6), on each grid whose levels are all there.

    A block is a formula index, and in the test over all sizes a formula index at one size; blocks that lack a level are
    left out. ``clauses`` is None where all sizes are tested together.
    """
    found: list[Labelled] = []
    for grid, levels in GRIDS.items():
        for (family, parameter, clauses), sweep in _sweeps(entries).items():
            if sweep.keys() >= set(levels):
                labels = {"grid": grid, "family": family, "parameter": parameter, "clauses": clauses}
                found.append((labels, significance.friedman(_blocks(sweep, levels))))
    whole = [item for item in _sweeps(entries).items() if item[1].keys() >= set(GRIDS["three"])]
    for (family, parameter), sizes in grouped(whole, lambda item: item[0][:2]).items():
        labels = {"grid": POOLED, "family": family, "parameter": parameter, "clauses": None}
        blocks = [block for _, sweep in sizes for block in _blocks(sweep, GRIDS["three"])]
        found.append((labels, significance.friedman(blocks)))
    return _corrected(found, "grid")


def _sweeps(entries: Sequence[Entry]) -> dict[tuple[str, str, int], Levels]:
    """Entries by (family, parameter, clauses) and level. Formulas at .5 belong to the sweeps of all their parameters."""
    found: dict[tuple[str, str, int], Levels] = {}
    for entry in _unperturbed(entries):
        family, params, moved = entry.row["family"], entry.row["params"], _off_centre(entry.row)
        for parameter in (moved or PARAMETERS[family]) if len(moved) <= 1 else ():
            sweep = found.setdefault((family, parameter, params["clauses"]), {})
            sweep.setdefault(params[parameter], []).append(entry)

    def place(key: tuple[str, str, int]) -> tuple[int, int, int]:
        family, parameter, clauses = key
        return FAMILIES.index(family), PARAMETERS[family].index(parameter), clauses

    return {key: found[key] for key in sorted(found, key=place) if len(found[key]) > 1}


def _blocks(sweep: Levels, levels: Sequence[float]) -> list[list[float]]:
    """The scores of each formula index at these levels, of the indices that have all of them."""
    scores = [mean_scores(sweep[level], lambda row: int(row["block"])) for level in levels]
    complete = set(scores[0]).intersection(*scores[1:])
    return [[at_level[block] for at_level in scores] for block in sorted(complete)]


# ---- Sections 5.2 and 5.3: a formula and what was made of it ----------------------------------------------------


def paired(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Perturbed formulas against unperturbed ones, for each perturbation, variant and family, all sizes together.

    Each is compared with the formula that it was made from; with fillers, that is the paper's fixed core, and its
    matched total is the formula of as many clauses as core and fillers have, else of the same setting and index. The
    difference, perturbed minus base, has an interval, and the paired t test says whether it is none.
    """
    bases = mean_scores(_unperturbed(entries), lambda row: str(row["formula"]))
    settings = mean_scores(_unperturbed(entries), _setting)
    perturbed = [entry for entry in entries if entry.row["perturbation"] in PERTURBATIONS]
    groups = grouped(perturbed, lambda e: (e.row["perturbation"], e.row["variant"], e.row["family"]))
    found: list[Labelled] = []
    for perturbation, variant, family in sorted(
        groups, key=lambda key: (PERTURBATIONS.index(key[0]), key[1], FAMILIES.index(key[2]))
    ):
        labels = {"perturbation": perturbation, "variant": variant, "family": family}
        fillers = int(variant.partition("-")[0]) if perturbation == "fillers" else 0

        def place(row: Row, added: int = fillers) -> tuple[str, str, Hashable]:
            return row["formula"], cluster(row), _setting(row, added)

        scores = mean_scores(groups[perturbation, variant, family], place).items()
        own = [(base, bases[base], score) for (_, base, _), score in scores if base in bases]
        found += _compared(labels | {"comparison": "fixed core" if fillers else "base"}, own)
        if fillers:
            total = [(base, settings[larger], score) for (_, base, larger), score in scores if larger in settings]
            found += _compared(labels | {"comparison": "matched total"}, total)
    return _corrected(found, "perturbation")


def _setting(row: Row, added: int = 0) -> Hashable:
    """What tells an unperturbed formula from others: family, number of clauses, levels and index."""
    params = row["params"]
    levels = tuple(params[name] for name in PARAMETERS[row["family"]])
    return row["family"], params["clauses"] + added, levels, row["block"]


def _compared(labels: dict[str, Any], pairs: Sequence[tuple[str, float, float]]) -> list[Labelled]:
    """One comparison, or none where there are no pairs of (cluster, base score, perturbed score)."""
    if not pairs:
        return []
    means = {
        "pairs": len(pairs),
        "base": _mean([base for _, base, _ in pairs]),
        "perturbed": _mean([score for _, _, score in pairs]),
        "difference": stats.rate((name, summable(score - base), 1) for name, base, score in pairs),
    }
    return [(labels | means, significance.paired_t([(score, base) for _, base, score in pairs]))]


# ---- Section 5.4: the same clauses again, or other ones ---------------------------------------------------------


def repeats(entries: Sequence[Entry]) -> dict[str, Any]:
    """50 clauses, the same twice over, and 100 others, each in its own order and shuffled; Backbone, all levels at .5.

    Sizes are compared by independent t tests, orders by paired ones, base formula by base formula; each kind is
    corrected by itself. Empty unless copies from the config ``repeats`` are there.
    """
    forms = grouped((e for e in entries if e.row["family"] == "Backbone" and centred(e.row)), lambda e: _form(e.row))
    if not any(_own(forms.get(form, ())) for form in ((50, "2-grouped"), (50, "2-interleaved"))):
        return {}
    some = {name: tuple(_chosen(forms, form) for form in pair) for name, pair in REPEATS.items()}
    means = {name: tuple(mean_scores(chosen, cluster) for chosen in pair) for name, pair in some.items()}
    sizes: list[Labelled] = []
    orders: list[Labelled] = []
    for a, b in SIZE_PAIRS:
        test = significance.independent_t(list(means[a][0].values()), list(means[b][0].values()))
        sizes.append(({"kind": "size", "a": a, "b": b}, test))
    for name, (plain, shuffled) in means.items():
        pairs = [(shuffled[base], plain[base]) for base in plain if base in shuffled]
        orders.append(({"kind": "order", "a": f"{name} shuffled", "b": name}, significance.paired_t(pairs)))
    return {
        "conditions": [
            {"condition": name, "score": SCORE.rate(plain, cluster), "shuffled": SCORE.rate(shuffled, cluster)}
            for name, (plain, shuffled) in some.items()
        ],
        "tests": _corrected(sizes + orders, "kind"),
    }


def _form(row: Row) -> tuple[int, str]:
    perturbation = row["perturbation"]
    return row["params"]["clauses"], row["variant"] if perturbation == "copies" else perturbation


def _own(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.row["config"] == "repeats"]


def _chosen(forms: Mapping[tuple[int, str], list[Entry]], form: tuple[int, str]) -> list[Entry]:
    """The experiment's own entries of a form; formulas that were not copied may stand in another config only."""
    entries = forms.get(form, [])
    copies = form[1] not in ("none", "shuffled")
    return _own(entries) or ([] if copies else entries)
