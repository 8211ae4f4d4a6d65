"""Build swaps: games of every level of a recipe, and the proof of each row by the oracle.

The worked example of docs/adding.md. A level is one independent unit of work: its games have one number of swaps, so no
structure comes in two levels. The structure of a game is its swaps up to renaming of the people.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import permutations
from typing import Any

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Built, Map, Recipe
from rb_build.streams import Stream
from rb_build.structures import fill, fresh_notes, measured
from rb_verify import canonical
from rb_verify.swaps import NAMES, holders

Swaps = tuple[tuple[int, int], ...]

_QUESTIONS = 2  # of a game, each about another start

_PROMPT = """\
{people} play a game. At the start {start} has a coin; the others have none. Then pairs of them swap whatever they have, in \
this order:
{swaps}

Who has the coin in the end? Think as long as you need; do not use code. Then answer with one JSON object and nothing else. \
Its form is
{{"holders": ["...", "..."], "answer": "..."}}
- "holders" names who has the coin after each swap, one name a swap, {n} in all.
- "answer" is the name of who has it in the end.
"""


def build(recipe: Recipe, run: Map) -> Built:
    """All rows of a recipe, by file, which is a level's. ``run``: an ordered map. Raises UnusableRecipe."""
    levels = recipe.params["levels"]
    if unwanted := {_key(level) for level in levels} ^ recipe.files:
        raise UnusableRecipe(f"configs and levels name different files ({', '.join(sorted(unwanted))}); make them agree")
    made = zip(levels, run(partial(_level, recipe), levels), strict=True)
    found = {_key(level): part for level, part in made}
    return Built({key: rows for key, (rows, _) in found.items()}, {key: notes for key, (_, notes) in found.items()})


def _key(level: int) -> str:
    """What files and ids call a level."""
    return f"s{level:02d}"


def _level(recipe: Recipe, level: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows of a level, and what is noted of its structures. Each game has its own stream."""
    key, people = _key(level), recipe.params["people"]
    path = f"{recipe.dataset}/{recipe.version}/{recipe.seed}/{key}"
    draws = [partial(_draw, Stream(f"{path}/{game}"), people, level) for game in range(recipe.params["games"])]
    made, rejected = fill(key, draws, recipe.taken)
    signatures = [signature for _, signature in made]
    pool = partial(measured, partial(_draw, Stream(f"{path}/pool"), people, level), recipe.taken)
    notes = {"signatures": signatures} | fresh_notes(recipe, signatures, rejected, pool)
    rows = [row for game, (swaps, name) in enumerate(made) for row in _rows(recipe, f"{path}/{game}", key, game, swaps, name)]
    return rows, notes


def _draw(stream: Stream, people: int, level: int) -> tuple[Swaps, str]:
    """Swaps, no two alike in a row, and their signature."""
    pairs = [(a, b) for a in range(people) for b in range(a)]
    drawn: list[tuple[int, int]] = []
    for _ in range(level):
        drawn.append(stream.choice([pair for pair in pairs if pair not in drawn[-1:]]))
    return tuple(drawn), signature(people, drawn)


def signature(people: int, swaps: Iterable[tuple[int, int]]) -> str:
    """The digest of a structure: the least form of its swaps over all renamings."""
    some = list(swaps)
    forms = ([sorted((to[a], to[b])) for a, b in some] for to in permutations(range(people)))
    return canonical.digest(canonical.dumps([people, min(forms)]).encode())


def _rows(recipe: Recipe, path: str, key: str, game: int, swaps: Swaps, name: str) -> list[dict[str, Any]]:
    """The rows of a game. All that is held moves, and the coin is where its starter's things end."""
    stream = Stream(f"{path}/rows")
    people = stream.sample(NAMES, recipe.params["people"])
    told = [stream.shuffled([people[a], people[b]]) for a, b in swaps]
    rows = []
    for number, start in enumerate(stream.sample(people, _QUESTIONS)):
        things = list(people)  # things[i]: whose thing person i has
        trace = []
        for a, b in swaps:
            things[a], things[b] = things[b], things[a]
            trace.append(people[things.index(start)])
        rows.append(
            {
                "answer": trace[-1],
                "canary": recipe.canary,
                "game": f"{recipe.prefix}-{key}-g{game:03d}",
                "holders": trace,
                "id": f"{recipe.prefix}-{key}-g{game:03d}-q{number}",
                "level": len(swaps),
                "people": people,
                "prompt": prompt(people, start, told),
                "signature": name,
                "start": start,
                "swaps": told,
            }
        )
    return rows


def prompt(people: list[str], start: str, swaps: list[list[str]]) -> str:
    """What the model is given."""
    lines = "\n".join(f"{place}. {a} and {b} swap." for place, (a, b) in enumerate(swaps, 1))
    named = f"{', '.join(people[:-1])} and {people[-1]}"
    return _PROMPT.format(people=named, start=start, swaps=lines, n=len(swaps))


def prove(recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Prove every gold label of a file's rows again, by the oracle of ``rb_verify``; what is wrong, a line each."""
    return [f"{row['id']}: {fault}" for row in rows for fault in _faults(recipe, file, row)]


def _faults(recipe: Recipe, file: str, row: dict[str, Any]) -> list[str]:
    people = row["people"]
    named = {row["start"], *(name for pair in row["swaps"] for name in pair)}
    if not named <= set(people) or any(a == b for a, b in row["swaps"]):
        return ["its swaps are not of two of its people"]
    truth = holders(row["start"], row["swaps"])
    places = [(people.index(a), people.index(b)) for a, b in row["swaps"]]
    checks = {
        "holders are not the oracle's": row["holders"] != truth,
        "answer is not the last holder": row["answer"] != truth[-1],
        "level is not the number of swaps, or not its file's": row["level"] != len(places) or file != _key(row["level"]),
        "people are not as many as the recipe has": len(people) != recipe.params["people"],
        "signature is not the game's": row["signature"] != signature(len(people), places),
        "prompt is not that of its swaps": row["prompt"] != prompt(people, row["start"], row["swaps"]),
        "canary is not the recipe's": row["canary"] != recipe.canary,
        "id is not of this release, level and game": row["id"][:-3] != row["game"]
        or not row["game"].startswith(f"{recipe.prefix}-{file}-g"),
    }
    return [fault for fault, present in checks.items() if present]
