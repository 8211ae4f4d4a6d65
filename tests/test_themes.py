"""The themes of stories: 400 names each that never collide or hold one another, words without negation, plain sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rb_verify.objects import normal_key
from rb_verify.themes import THEMES, Entity, entities, sentence, statement

MOST = 400  # variables that 200 clauses can have
NEGATIVE = re.compile(r"(not?|never|un|dis|ir|il|im|non|mis)\w*|\w*(less|n't)")
SPOKEN = ["the", "is", "or", "and", "either", "both", "true", "false", "yes", "no", "not", "t", "f", "y", "n", "0", "1"]
clauses = st.lists(st.integers(1, MOST).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1, max_size=2)


def test_themes_of_the_paper() -> None:
    """Spy, heist and detective, in the paper's order."""
    assert tuple(THEMES) == ("spy", "heist", "detective")
    assert all(theme.name == name for name, theme in THEMES.items())


@pytest.mark.parametrize("theme", THEMES)
def test_names(theme: str) -> None:
    """400 names; with or without the article none collides with or holds another, whatever the case and spacing."""
    names = [entity.name for entity in entities(theme, MOST)]
    assert all(re.fullmatch(r"the [A-Z][a-z]+ [a-z]+", name) for name in names)
    short = [normal_key(name.removeprefix("the ")) for name in names]
    assert len(set(short)) == MOST
    text = " ".join(short)
    assert all(text.count(name) == 1 for name in short)
    assert entities(theme, MOST)[:7] == entities(theme, 7)
    with pytest.raises(ValueError, match=f"theme {theme} names at most {MOST} variables, not {MOST + 1}"):
        entities(theme, MOST + 1)


@pytest.mark.parametrize("theme", THEMES)
def test_names_that_are_near_differ_in_both_words(theme: str) -> None:
    """Of any 19 names in a row no two share a qualifier or a thing."""
    parts = [entity.name.split()[1:] for entity in entities(theme, MOST)]
    for place in range(MOST - 19):
        assert [len({part[i] for part in parts[place : place + 19]}) for i in (0, 1)] == [19, 19]


@pytest.mark.parametrize("theme", THEMES)
def test_words(theme: str) -> None:
    """Each thing has two short words of its own, neither a negation, nor inside the other, nor a value of all problems."""
    pairs = {entity.name.split()[2]: entity[1:] for entity in entities(theme, MOST)}
    assert len(pairs) == len(set(pairs.values())) == 20
    for true, false in pairs.values():
        assert true not in false
        assert false not in true
        for word in (true, false):
            assert re.fullmatch(r"[a-z]{3,12}", word)
            assert not NEGATIVE.fullmatch(word)
            assert word not in SPOKEN
    assert {entity.name.split()[2]: entity[1:] for entity in entities(theme, 20)} == pairs


def test_sentences() -> None:
    """The fallback sentence is the paper's pattern; a clause of one literal is a plain statement."""
    told = entities("detective", 3)
    assert told[0] == Entity("the Ashford butler", "innocent", "guilty")
    assert statement(told, -1) == "the Ashford butler is guilty"
    expected = "Either the Blackwood dagger is bloodstained, or the Ashford butler is innocent (or both)."
    assert sentence(told, [-2, 1]) == expected
    assert sentence(told, [3]) == "The Carlisle gardener is truthful."


def _literals(theme: str, text: str) -> list[int]:
    """The literals that a text states, each in its place: found by looking for every statement there can be."""
    told = entities(theme, MOST)
    found = [
        (text.casefold().index(said), literal)
        for variable in range(1, MOST + 1)
        for literal in (variable, -variable)
        if (said := statement(told, literal).casefold()) in text.casefold()
    ]
    return [literal for _, literal in sorted(found)]


@settings(derandomize=True)
@given(theme=st.sampled_from(sorted(THEMES)), clause=clauses)
def test_a_sentence_states_its_literals_and_no_others(theme: str, clause: list[int]) -> None:
    """Of all 800 statements a sentence holds those of its clause, in order."""
    text = sentence(entities(theme, MOST), clause)
    assert _literals(theme, text) == list(dict.fromkeys(clause))
    assert text[0].isupper()
    assert text.endswith(".")
