"""The prompt of a formula told as a story: the story, then what is asked for (2-SAT paper, appendix G.2, in our own words)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rb_verify.themes import KIND, Entity

_TEMPLATE = """\
{introduction}

{clues}

Each numbered clue says of two things that at least one of them is so; both may be. A clue about one thing says that it is \
so. Nothing else in the story restricts what is so. These are all the characters and objects, and what each of them may be:
{entities}

Is there a way to choose one of the two for each of them so that every clue is right? Think as long as you need; do not use \
code or a solver. Then answer with one JSON object and nothing else. Its form is
{example}
- "satisfiable" is true if all the clues can be right together, false if they cannot.
- If they can, "assignment" gives each {kind} listed above, all {n} of them, one of its two words.
- If they cannot, "assignment" is null. You may then add "certificate": two lists of items written NAME=WORD, in each of \
which every item forces the next by one of the clues; the first list goes from some item to its opposite, the second back.
"""


def prompt(introduction: str, paragraphs: Sequence[str], told: Sequence[Entity]) -> str:
    """The prompt for a story. ``told[i]``: what variable i + 1 is."""
    values = [entity.true if place != 1 else entity.false for place, entity in enumerate(told[:3])]
    # The last member keeps the example from being anyone's answer: a response that repeats it has given none.
    shown = {entity.name: value for entity, value in zip(told, values, strict=False)} | {"...": "..."}
    return _TEMPLATE.format(
        introduction=introduction,
        clues="\n".join(f"{number}. {paragraph}" for number, paragraph in enumerate(paragraphs, 1)),
        entities="\n".join(f"- {entity.name}: {entity.true} or {entity.false}" for entity in told),
        example=json.dumps({"satisfiable": True, "assignment": shown}, ensure_ascii=False),
        kind=KIND,
        n=len(told),
    )
