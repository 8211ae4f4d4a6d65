"""The six schemes: their sentence patterns are the paper's, every text gives its clauses back, names never collide."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_build.twosat.prompt import prompt
from rb_verify.answers import examples
from rb_verify.objects import normal_key
from rb_verify.schemes import SCHEMES, entities, parse, sentence, statement, verbalise
from rb_verify.twosat import KEYS

# The paper's appendix G: the pattern of (first or not second) in each scheme, and Table 2's values.
PATTERNS = {
    "logic": ("Either A is true or B is false (or both).", "true", "false"),
    "letter": ("Either A has the letter or B doesn't have the letter (or both).", "has", "doesn't have"),
    "team": ("Either A is on the Red team or B is on the Blue team.", "Red", "Blue"),
    "social": ("A attends or B doesn't attend (or both).", "attends", "doesn't attend"),
    "room": ("A is lit or B is dark (or both).", "lit", "dark"),
    "door": ("A is open or B is closed (or both).", "open", "closed"),
}
formulas = st.lists(
    st.lists(st.integers(1, 400).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1, max_size=2), min_size=1, max_size=12
)


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_the_papers(name: str) -> None:
    """Each clause is one sentence of the paper's pattern, with its values; a unit clause is one plain statement."""
    pattern, true, false = PATTERNS[name]
    scheme, names = SCHEMES[name], entities(name, 2)
    expected = pattern.replace("A ", f"{names[0]} ", 1)
    expected = re.sub(r"\bor B ", f"or {names[1]} ", expected)
    assert sentence(scheme, names, [1, -2]) == expected
    assert (scheme.true, scheme.false) == (true, false)
    assert sentence(scheme, names, [-2]) == f"{names[1]} {scheme.fails}."
    assert SCHEMES.keys() == PATTERNS.keys()


def test_example_of_the_paper() -> None:
    """The paper's own example of the logic scheme: (not A or B) and (A or not C)."""
    scheme, names = SCHEMES["logic"], entities("logic", 3)
    assert [sentence(scheme, names, clause) for clause in ([-1, 2], [1, -3])] == [
        "Either A is false or B is true (or both).",
        "Either A is true or C is false (or both).",
    ]


@pytest.mark.parametrize("name", SCHEMES)
def test_names_never_collide(name: str) -> None:
    """400 names, and 3,000 of people, are different whatever their case and spacing, and fit in their sentences."""
    n = 3000 if SCHEMES[name].kind == "person" else 400
    names = entities(name, n)
    assert len({normal_key(each) for each in names}) == len(set(names)) == n
    assert entities(name, 400)[:7] == entities(name, 7)
    spoken = {
        word for s in SCHEMES.values() for text in (s.holds, s.fails, "either or both") for word in text.casefold().split()
    }
    assert spoken.isdisjoint(each.casefold() for each in names)
    assert not any(" or " in f" {each.casefold()} " for each in names)


def test_names_can_run_out() -> None:
    """More variables than names is refused, not repeated."""
    with pytest.raises(ValueError, match="scheme logic names at most"):
        entities("logic", 1000)
    assert len(entities("room", 5000)) == 5000


def test_names_of_the_paper() -> None:
    """Letters A, B, ..., Z, AA, AB, ... without those that are English words; rooms and doors by number."""
    letters = entities("logic", 60)
    assert letters[:3] == ("A", "B", "C")
    assert letters[25:28] == ("Z", "AA", "AB")
    assert "AN" not in letters
    assert "AS" not in letters
    assert entities("room", 2) == ("room 1", "room 2")
    assert entities("door", 12)[-1] == "door 12"


@pytest.mark.parametrize("name", SCHEMES)
@given(clauses=formulas)
def test_texts_give_their_clauses_back(name: str, clauses: list[list[int]]) -> None:
    """Parsing a text, or a whole prompt, gives the clauses in order, unit clauses and repeated literals too."""
    scheme, names = SCHEMES[name], entities(name, 400)
    assert parse(scheme, names, verbalise(scheme, names, clauses)) == clauses
    assert parse(scheme, names, prompt(scheme, names, clauses)) == clauses


def test_texts_are_different() -> None:
    """No two different small formulas have one text."""
    literals = (1, -1, 2, -2)
    clauses = [[i] for i in literals] + [[i, j] for i in literals for j in literals]
    for scheme in SCHEMES.values():
        texts = {verbalise(scheme, entities(scheme.name, 2), pair) for pair in combinations(clauses, 2)}
        assert len(texts) == len(list(combinations(clauses, 2)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("is true", "is truthful", 1), "not a statement"),
        (lambda text: text.replace("Either A", "Either QQ", 1), "not a statement"),
        (lambda text: text.replace(" (or both)", "", 1), "not a sentence"),
        (lambda text: text.replace("These", "Those", 1), "not a text"),
        (lambda text: text.replace("\n\n", "\n"), "not a text"),
    ],
)
def test_other_texts_are_refused(change: Callable[[str], str], said: str) -> None:
    """A changed text is no text of the scheme."""
    scheme, names = SCHEMES["logic"], entities("logic", 3)
    text = verbalise(scheme, names, [[1, 2], [-3]])
    with pytest.raises(ValueError, match=said):
        parse(scheme, names, change(text))


@pytest.mark.parametrize("name", SCHEMES)
def test_prompt(name: str) -> None:
    """The prompt names the values and the number of entities, and shows one example that can be no row's answer."""
    scheme, names = SCHEMES[name], entities(name, 5)
    text = prompt(scheme, names, [[1, 2], [-3, 4], [5]])
    assert f'"{scheme.true}" or "{scheme.false}"' in text
    assert f"each {scheme.kind} named above, all 5 of them" in text
    (example,) = examples(text, KEYS)
    assert list(example["assignment"].values()) == [scheme.true, scheme.false, scheme.true, "..."]
    assert statement(scheme, names, -5) == f"{names[4]} {scheme.fails}"
