"""Structures that come once: drawing until one is new, and what a fresh split says of those that it may not have.

A structure is known by its signature. A fresh split's recipe excludes all structures of published releases. Where a unit
(a tier or cell) has no others, the excluded ones are drawn after all, and noted; a recipe that forbids overlap is refused
then, with figures for every such unit at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Overlap, Recipe

T = TypeVar("T")
Draw = Callable[[], tuple[T, str] | None]
"""Draws a thing and the signature of its structure; None where the draw came to nothing."""

TRIES = 200  # draws without a new structure after which a pool counts as used up
GLANCE, SURVEY = 64, 500  # draws that measure a pool: if the first few are all different, it counts as open


def fill(unit: str, draws: Iterable[Draw[T]], taken: Collection[str]) -> tuple[list[tuple[T, str]], int]:
    """From each of ``draws`` a thing with its signature, and how many draws were rejected.

    Each draw is repeated until its structure is neither in ``taken`` nor that of an earlier thing. If ``TRIES`` give none,
    the best of them is had: one that came before rather than one that is taken. Raises UnusableRecipe, naming the unit, if
    they all came to nothing.
    """
    made: list[tuple[T, str]] = []
    seen: set[str] = set()
    rejected = 0
    for draw in draws:
        best: tuple[tuple[bool, bool], tuple[T, str]] | None = None
        for _ in range(TRIES):
            drawn = draw()
            if drawn is None:
                continue
            rank = drawn[1] in taken, drawn[1] in seen
            if best is None or rank < best[0]:
                best = rank, drawn
            if not any(rank):
                break
            rejected += 1
        if best is None:
            raise UnusableRecipe(f"{unit}: {TRIES} draws came to nothing; leave it out of the recipe")
        made.append(best[1])
        seen.add(best[1][1])
    return made, rejected


def measured(draw: Draw[Any], taken: Collection[str]) -> dict[str, int | None]:
    """How large the pool is that ``draw`` draws from, where that is small: at least ``pool`` structures, of which
    ``excluded`` are in ``taken``, as ``drawn`` draws gave them. None where the pool is open."""
    found: set[str] = set()
    for number in range(SURVEY):
        if number == len(found) == GLANCE:
            return {"drawn": GLANCE, "excluded": None, "pool": None}
        if (drawn := draw()) is not None:
            found.add(drawn[1])
    return {"drawn": SURVEY, "excluded": len(found & set(taken)), "pool": len(found)}


def fresh_notes(
    recipe: Recipe, signatures: list[str], rejected: int, pool: Callable[[], dict[str, int | None]]
) -> dict[str, Any]:
    """What the manifest says of a unit of a fresh split, beside its signatures; nothing of one that excludes nothing.

    ``overlap``: the excluded structures that the unit has all the same; ``pool``: measures the unit's pool.
    """
    if not recipe.excluded:
        return {}
    return {"overlap": sorted(recipe.taken.intersection(signatures)), "rejected": rejected} | pool()


def refuse_overlap(recipe: Recipe, notes: dict[str, dict[str, Any]]) -> None:
    """Raise UnusableRecipe if a fresh split may not overlap but does, with figures for each unit. ``notes``: by unit."""
    short = [
        f"{unit} ({noted['excluded']} of {noted['pool']} structures found are excluded)"
        if noted["pool"] is not None
        else f"{unit} ({noted['rejected']} draws rejected)"
        for unit, noted in notes.items()
        if noted.get("overlap")
    ]
    if short and recipe.overlap == Overlap.forbid:
        raise UnusableRecipe(
            f"{recipe.dataset}@{recipe.version}: too few structures are left in {', '.join(short)}; leave that out of the "
            "recipe, or have new instances of excluded structures by --overlap instance"
        )


def overlap_faults(recipe: Recipe, notes: dict[str, dict[str, Any]], rows: Iterable[dict[str, Any]]) -> list[str]:
    """What is wrong with what a fresh split's ``notes`` say of its overlap, going by the signatures of its ``rows``."""
    found = {row["signature"]: row["id"] for row in rows if row["signature"] in recipe.taken}
    allowed = {signature for noted in notes.values() for signature in noted.get("overlap", ())}
    if recipe.overlap == Overlap.forbid:
        allowed = set()
    return [
        f"row {found[name]} has the excluded structure {name}, untold or forbidden" for name in sorted(found.keys() - allowed)
    ]
