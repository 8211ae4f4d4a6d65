"""Allen's interval algebra: the 13 basic relations, their converses and their composition.

Definitions: TRACE paper, section 2.3 and Table 2 (after Allen 1983). A set of relations is a 13-bit mask,
bit ``i`` standing for ``SYMBOLS[i]``. Composition is not typed in: it is derived from the endpoint oracle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

SYMBOLS = ("B", "BI", "M", "MI", "O", "OI", "S", "SI", "D", "DI", "F", "FI", "E")
NAMES = {
    "B": "before",
    "BI": "after",
    "M": "meets",
    "MI": "met-by",
    "O": "overlaps",
    "OI": "overlapped-by",
    "S": "starts",
    "SI": "started-by",
    "D": "during",
    "DI": "contains",
    "F": "finishes",
    "FI": "finished-by",
    "E": "equals",
}
INDEX = {symbol: i for i, symbol in enumerate(SYMBOLS)}
UNIVERSAL = (1 << len(SYMBOLS)) - 1
EQUALS = 1 << INDEX["E"]

# Signs of (Xs - Ys, Xs - Ye, Xe - Ys, Xe - Ye) under each relation that is not an inverse (Table 2).
_BASE_SIGNS = {
    "B": (-1, -1, -1, -1),
    "M": (-1, -1, 0, -1),
    "O": (-1, -1, 1, -1),
    "S": (0, -1, 1, -1),
    "D": (1, -1, 1, -1),
    "F": (1, -1, 1, 0),
    "E": (0, -1, 1, 0),
}


def converse(symbol: str) -> str:
    """The relation of (y, x) when ``symbol`` is that of (x, y): B and BI, M and MI, ...; E is its own."""
    return "E" if symbol == "E" else symbol[0] if symbol.endswith("I") else symbol + "I"


def _signs(symbol: str) -> tuple[int, int, int, int]:
    if symbol in _BASE_SIGNS:
        return _BASE_SIGNS[symbol]
    a, b, c, d = _BASE_SIGNS[converse(symbol)]
    return -a, -c, -b, -d


SIGNS = {symbol: _signs(symbol) for symbol in SYMBOLS}
_BY_SIGNS = {signs: symbol for symbol, signs in SIGNS.items()}


def relation_of(x: tuple[int, int], y: tuple[int, int]) -> str:
    """The one relation that holds between two intervals given as (start, end), start < end.

    Raises ValueError if an interval has no length: Allen's intervals do (section 2.3).
    """
    if not (x[0] < x[1] and y[0] < y[1]):
        raise ValueError(f"an interval must start before it ends: {x}, {y}")
    a, b, c, d = ((p > q) - (p < q) for p in x for q in y)
    return _BY_SIGNS[a, b, c, d]


def mask_of(symbols: Iterable[str]) -> int:
    """The mask of a set of relation symbols."""
    mask = 0
    for symbol in symbols:
        mask |= 1 << INDEX[symbol]
    return mask


def symbols_of(mask: int) -> list[str]:
    """The symbols in a mask, in the fixed order of ``SYMBOLS``."""
    return list(_symbols(mask))


@lru_cache(maxsize=1 << 13)
def _symbols(mask: int) -> tuple[str, ...]:
    return tuple(symbol for i, symbol in enumerate(SYMBOLS) if mask >> i & 1)


@lru_cache(maxsize=1 << 13)
def converse_mask(mask: int) -> int:
    """The mask of the converses of every relation in ``mask``."""
    return mask_of(converse(symbol) for symbol in symbols_of(mask))


@lru_cache(maxsize=1)
def composition_table() -> tuple[tuple[int, ...], ...]:
    """``table[r][s]``: the mask of what X may be to Z when X r Y and Y s Z. 13 x 13, 409 entries in all."""
    from rb_verify.closure import Closure

    def cell(r: str, s: str) -> int:
        triangle = Closure("XYZ", [("X", r, "Y"), ("Y", s, "Z")])
        return triangle.mask(0, 2)

    return tuple(tuple(cell(r, s) for s in SYMBOLS) for r in SYMBOLS)


@lru_cache(maxsize=1 << 16)
def compose(first: int, second: int) -> int:
    """The composition of two sets of relations: the union over their members (section 2.3)."""
    table, result = composition_table(), 0
    for r in range(13):
        if first >> r & 1:
            for s in range(13):
                if second >> s & 1:
                    result |= table[r][s]
    return result


def _spelling(text: str) -> str:
    return re.sub(r"[\s_-]+", "-", text.strip()).casefold()


_SPELLED = {_spelling(s): 1 << i for i, s in enumerate(SYMBOLS)} | {
    _spelling(name): 1 << INDEX[symbol] for symbol, name in NAMES.items()
}
_SEPARATOR = re.compile(r"[|,;/∨∪]|(?<=\s)or(?=\s)", re.IGNORECASE)


def parse_relations(text: str) -> int | None:
    """The mask that a text names, or None if it names anything else.

    Only the prompt's 13 names and 13 symbols count, in any case, with hyphen, underscore or space. A set is
    written with ``|``, ``,``, ``;``, ``/`` or the word "or", braces allowed: ``B|M``, ``{before, meets}``,
    ``is before or meets``. ``<``, ``=``, ``precedes`` and ``any`` do NOT count (the paper, section 4.5.1, calls
    them hallucinated relations).
    """
    return _parsed(text) if len(text) <= 400 else None  # all 13 names with separators take fewer than 200


@lru_cache(maxsize=4096)  # submissions repeat a few spellings many times
def _parsed(text: str) -> int | None:
    text = text.strip().strip("{}[]()").strip()
    if text[:3].casefold() == "is ":
        text = text[3:]
    mask = 0
    for part in _SEPARATOR.split(text):
        bit = _SPELLED.get(_spelling(part))
        if bit is None:
            return None
        mask |= bit
    return mask
