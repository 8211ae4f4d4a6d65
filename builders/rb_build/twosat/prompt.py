"""The prompt of a 2-SAT row: the formula in words, then what is asked for (2-SAT paper, appendix G, in our own words)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rb_verify.schemes import Scheme, verbalise

_TEMPLATE = """\
{problem}

Every "or" is inclusive: both parts may hold. Think as long as you need; do not use code or a solver. Then answer with \
one JSON object and nothing else. Its form is
{example}
- "satisfiable" is true if all the lines above can hold together, false if they cannot.
- If they can, "assignment" gives each {kind} named above, all {n} of them, one value: "{true}" or "{false}".
- If they cannot, "assignment" is null. You may then add "certificate": two lists of items written NAME=VALUE, in each of \
which every item forces the next by one of the lines; the first list goes from some item to its opposite, the second back.
"""


def prompt(scheme: Scheme, names: Sequence[str], clauses: Iterable[Sequence[int]]) -> str:
    """The prompt for a formula. ``names[i]``: the entity of variable i + 1."""
    values = [scheme.true, scheme.false, scheme.true]
    # The last member keeps the example from being anyone's answer: a response that repeats it has given none.
    shown = dict(zip(names[:3], values, strict=False)) | {"...": "..."}
    example = json.dumps({"satisfiable": True, "assignment": shown}, ensure_ascii=False)
    return _TEMPLATE.format(
        problem=verbalise(scheme, names, clauses),
        example=example,
        kind=scheme.kind,
        n=len(names),
        true=scheme.true,
        false=scheme.false,
    )
