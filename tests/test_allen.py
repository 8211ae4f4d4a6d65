"""The algebra: table constants, laws, endpoints, and which spellings of relations count."""

from __future__ import annotations

from itertools import combinations, product

import pytest

import path_consistency
from rb_verify.allen import (
    EQUALS,
    INDEX,
    NAMES,
    SYMBOLS,
    UNIVERSAL,
    compose,
    composition_table,
    converse,
    converse_mask,
    mask_of,
    parse_relations,
    relation_of,
    symbols_of,
)

CELLS = list(product(range(13), repeat=2))


def test_table_constants() -> None:
    """The composition table has 169 cells, 409 entries and 97 singletons."""
    cells = [composition_table()[r][s] for r, s in CELLS]
    assert len(cells) == 169
    assert sum(cell.bit_count() for cell in cells) == 409
    assert sum(cell.bit_count() == 1 for cell in cells) == 97


def test_table_equals_enumeration() -> None:
    """Every cell is what enumeration over integer intervals gives; none is left to a default."""
    assert path_consistency.SYMBOLS == SYMBOLS
    assert {(r, s): composition_table()[r][s] for r, s in CELLS} == path_consistency.table()


def test_laws() -> None:
    """Identity, and converse(r o s) = converse(s) o converse(r), hold in all 169 cells."""
    for r, s in CELLS:
        one, two = 1 << r, 1 << s
        assert compose(EQUALS, one) == compose(one, EQUALS) == one
        assert converse_mask(compose(one, two)) == compose(converse_mask(two), converse_mask(one))
    assert all(converse(converse(symbol)) == symbol for symbol in SYMBOLS)


def test_published_cell_of_contains_and_during() -> None:
    """DI o D has nine entries: a published axiom that listed five was wrong."""
    cell = compose(mask_of(["DI"]), mask_of(["D"]))
    assert symbols_of(cell) == ["O", "OI", "S", "SI", "D", "DI", "F", "FI", "E"]


def test_endpoints_are_total_and_exclusive() -> None:
    """Every two intervals over 0..4 have exactly one relation, and its converse the other way."""
    for x, y in product(combinations(range(5), 2), repeat=2):
        assert relation_of(x, y) == path_consistency.holds(x, y)
        assert relation_of(y, x) == converse(relation_of(x, y))


def test_meets_is_not_overlaps() -> None:
    """Touching endpoints meet; overlapping has a direction; an interval without length is refused."""
    assert relation_of((0, 2), (2, 3)) == "M"
    assert (relation_of((0, 2), (1, 3)), relation_of((1, 3), (0, 2))) == ("O", "OI")
    with pytest.raises(ValueError, match="must start before it ends"):
        relation_of((1, 1), (0, 2))


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("B|M", "B M"),
        ("before or meets", "B M"),
        ("{before, meets}", "B M"),
        ("before/meets", "B M"),
        ("B, M", "B M"),
        ("{b,m}", "B M"),
        ("b", "B"),
        ("BI", "BI"),
        ("bi", "BI"),
        ("Met By", "MI"),
        ("met_by", "MI"),
        ("MET-BY", "MI"),
        ("is overlapped-by", "OI"),
        (" equals ", "E"),
        ("[S, SI, E]", "S SI E"),
        ("|".join(SYMBOLS), " ".join(SYMBOLS)),
        ("<", None),
        ("=", None),
        ("==", None),
        ("less_than", None),
        ("precedes", None),
        ("cannot overlap", None),
        ("eq", None),
        ("any", None),
        ("unknown", None),
        ("B|<", None),
        ("", None),
        ("B|", None),
        ("before and meets", None),
        ("before" * 500, None),
    ],
)
def test_spellings(text: str, symbols: str | None) -> None:
    """Only the prompt's names and symbols count, alone or in a set; anything else is no relation."""
    assert parse_relations(text) == (None if symbols is None else mask_of(symbols.split()))


def test_every_name_and_symbol_is_read() -> None:
    """Each of the 13 names and symbols means its own relation."""
    for symbol, name in NAMES.items():
        assert parse_relations(name) == parse_relations(symbol) == 1 << INDEX[symbol]
    assert mask_of(SYMBOLS) == UNIVERSAL
