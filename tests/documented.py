"""The commands that README and docs/ tell people to run, as they are written there."""

from __future__ import annotations

from typing import NamedTuple

from conftest import REPO

PAGES = [
    "README.md",
    *sorted(str(path.relative_to(REPO)) for top in ("docs", "benchmarks", "examples") for path in (REPO / top).rglob("*.md")),
]


class Command(NamedTuple):
    """A command. ``line``: where it begins on its page."""

    page: str
    line: int
    text: str


def commands(page: str) -> list[Command]:
    """The commands of a page's ``sh`` blocks in order, comments left out and continued lines joined."""
    found: list[Command] = []
    inside, begun, text = False, 0, ""
    for number, line in enumerate((REPO / page).read_text("utf-8").splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```sh"
            continue
        if not inside:
            continue
        said = line.partition("  #")[0].partition(" # ")[0].strip()
        begun, text = (begun, f"{text} {said}") if text else (number, said)
        if text.endswith("\\"):
            text = text.removesuffix("\\").rstrip()
            continue
        if text and not text.startswith("#"):
            found.append(Command(page, begun, text))
        text = ""
    return found
