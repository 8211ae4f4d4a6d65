"""Letters that stand for invented names in tests of reading, so that their tables are short."""

from __future__ import annotations

import re

NAMES = {"x": "babkpus", "y": "jimrpus", "A": "dalmpus", "B": "fentpus", "C": "gorzpus", "D": "hilkpus"}
VOCABULARY = tuple(NAMES.values())


def named(text: str) -> str:
    """The text with the names for the letters."""
    return re.sub(r"(?<![\w\\])[xyABCD](?!\w)", lambda match: NAMES[match[0]], text)
