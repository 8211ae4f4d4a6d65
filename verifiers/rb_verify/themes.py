"""The themes of stories: entities for variables, and what is said of each (2-SAT paper, section 4, the LLM verbalizer).

An entity is a character or an object with a description of its own for true and for false, such as innocent and guilty.
It depends on the theme and the variable's number alone. Names are a qualifier and a thing, in the order of a Latin
square, so that entities whose numbers are near differ in both; no name holds another, whatever the case or spacing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

KIND = "character or object"


class Entity(NamedTuple):
    """What a variable is in a story. ``true``, ``false``: what it is where the variable is true or false."""

    name: str
    true: str
    false: str


@dataclass(frozen=True)
class Theme:
    """A theme. ``genre``, ``setting``: of its stories, in a few words; ``qualifiers``: first words of names; ``things``: last
    words of names, each with the words for true and false, as in ``butler innocent guilty``."""

    name: str
    genre: str
    setting: str
    qualifiers: str
    things: tuple[str, ...]


THEMES: dict[str, Theme] = {
    theme.name: theme
    for theme in (
        Theme(
            name="spy",
            genre="spy thriller",
            setting="a web of agents, secrets and double lives during a cold war",
            qualifiers=(
                "Vienna Lisbon Cairo Berlin Prague Athens Istanbul Geneva Oslo Tangier "
                "Warsaw Havana Bombay Dublin Zagreb Helsinki Beirut Madrid Saigon Trieste"
            ),
            things=(
                "courier loyal treacherous",
                "dossier authentic forged",
                "handler honest deceitful",
                "transmitter working broken",
                "codebreaker free captured",
                "cipher secure cracked",
                "informant truthful lying",
                "microfilm intact destroyed",
                "pilot alive dead",
                "passport valid expired",
                "envoy trusted suspected",
                "briefcase full empty",
                "saboteur busy idle",
                "safehouse secret exposed",
                "translator safe endangered",
                "satellite active dormant",
                "diplomat present absent",
                "antidote pure tainted",
                "sniper awake asleep",
                "embassy guarded deserted",
            ),
        ),
        Theme(
            name="heist",
            genre="heist caper",
            setting="a crew, its rivals and a job that has been planned to the last minute",
            qualifiers=(
                "Amber Cobalt Crimson Emerald Indigo Ivory Jade Maroon Ochre Pearl "
                "Quartz Russet Saffron Scarlet Silver Topaz Umber Velvet Walnut Zircon"
            ),
            things=(
                "safecracker ready late",
                "vault open sealed",
                "lookout alert dozing",
                "alarm silenced ringing",
                "driver sober drunk",
                "diamond real fake",
                "hacker connected blocked",
                "camera blind recording",
                "banker bribed loyal",
                "tunnel finished collapsed",
                "forger precise sloppy",
                "keycard found lost",
                "acrobat fit injured",
                "blueprint accurate outdated",
                "watchman asleep vigilant",
                "painting original copied",
                "curator friendly hostile",
                "elevator running stuck",
                "mastermind calm nervous",
                "corridor clear obstructed",
            ),
        ),
        Theme(
            name="detective",
            genre="detective story",
            setting="a mystery among old families and their houses, with clues to be found",
            qualifiers=(
                "Ashford Blackwood Carlisle Dunmore Everly Fairfax Grantham Holloway Kensing Langley "
                "Mortimer Netherby Oakhurst Pemberton Ravenscroft Stanhope Thornbury Upton Wexley Yardley"
            ),
            things=(
                "butler innocent guilty",
                "dagger clean bloodstained",
                "gardener truthful lying",
                "letter genuine forged",
                "heiress rich bankrupt",
                "clock right wrong",
                "colonel brave cowardly",
                "revolver loaded empty",
                "doctor competent bungling",
                "portrait hanging stolen",
                "governess kind cruel",
                "necklace precious fake",
                "chauffeur sober drunk",
                "window shut open",
                "lawyer honest corrupt",
                "teacup safe poisoned",
                "cook cheerful furious",
                "ledger accurate falsified",
                "violinist alive dead",
                "testament valid revoked",
            ),
        ),
    )
}


@lru_cache(maxsize=1024)
def entities(theme: str, n: int) -> tuple[Entity, ...]:
    """What variables 1 to ``n`` are in a theme. Raises ValueError where it has too few."""
    qualifiers, things = THEMES[theme].qualifiers.split(), THEMES[theme].things
    most = len(qualifiers) * len(things)
    if n > most:
        raise ValueError(f"theme {theme} names at most {most} variables, not {n}")
    found = []
    for place in range(n):
        turn, column = divmod(place, len(qualifiers))
        thing, true, false = things[(column + turn) % len(things)].split()
        found.append(Entity(f"the {qualifiers[column]} {thing}", true, false))
    return tuple(found)


def statement(told: Sequence[Entity], literal: int) -> str:
    """A literal in words: ``the Ashford butler is innocent``. ``told[i]``: what variable i + 1 is."""
    entity = told[abs(literal) - 1]
    return f"{entity.name} is {entity.true if literal > 0 else entity.false}"


def sentence(told: Sequence[Entity], clause: Sequence[int]) -> str:
    """A clause of one or two literals as one plain sentence: what stands in a story where the teller failed."""
    first, *others = (statement(told, literal) for literal in clause)
    if not others:
        return f"{first[0].upper()}{first[1:]}."
    return f"Either {first}, or {others[0]} (or both)."
