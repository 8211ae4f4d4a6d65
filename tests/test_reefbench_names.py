"""ReEfBench's invented names."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from rb_build.reefbench.names import names
from rb_build.streams import Stream

PUS_WORDS = re.findall(
    "[a-z]+",
    """
    apus campus canopus carapus carpus chrysippus cippus colpus contopus copus corpus cystopus dasypus dipus esopus
    euripus gaupus grampus gumpus hallopus hippocampus hippus hypopus lagopus lepus lupus lycopus macropus melampus
    metacarpus micropus mopus moropus mucopus napus nettapus octopus oedipus olympus opus palpus pappus peropus
    philippus platypus polypus porpus priapus propus pteropus pus pygopus pyropus rhizopus rumpus scalopus scapus
    scirpus scopus seropus wampus xenopus zapus
    """,
)
WORDS = re.findall(
    "[a-z]+",
    """
    back balk balm band bang bank barb bard bark barn bash bath bell belt bend bird bold bolt bond book born both buck
    bulb bulk bull bump bunk burn bush calf call calm camp card care carp cart cash cast cold comb cord cork corn cost
    curb curl damp dark darn dash deck desk dish dock doll dump dusk dust fact fall farm fast felt fern film find fish
    fist fold folk fond ford fork form fund gang gift girl gold golf gust half hall hand hang hard harm harp hawk help
    herb herd hill hint hold horn host hulk hunt hurt jack jazz jerk jump junk just kick kill kind king kiss lamb lamp
    land last left lend lens lift limb limp link lock long lord lost luck lump lung mask mast melt mend milk mill mind
    mint mist monk moth must neck nest numb palm park part past path pick pill pink pond post pump push rank rent rest
    rich ring rock rust sack salt sand sang self send shop sick silk sing sink sock soft song sort such tank task tell
    tent test text thin tick told turf turn vast vent verb vest wall wand want ward warm wash wasp weld west wild wind
    wing wish wolf word work worm yard
    """,
)


def distance(one: str, other: str) -> int:
    """Levenshtein's: the least number of letters to insert, drop or change."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def test_distance_is_levenshteins() -> None:
    """The distance used here gives the known values."""
    assert [distance(*pair) for pair in (("kitten", "sitting"), ("abc", "abc"), ("abcd", "bcde"), ("", "ab"))] == [3, 0, 2, 2]


def test_names_have_one_form() -> None:
    """At least 777 different names of seven lower-case letters that end in "pus", in ascending order."""
    assert len(names()) >= 777
    assert list(names()) == sorted(set(names()))
    assert all(re.fullmatch("[a-z]{4}pus", name) for name in names())


def test_no_name_is_an_english_word() -> None:
    """No name is an English word in "pus", and none is a common English word with "pus" behind it."""
    assert not set(names()) & set(PUS_WORDS)
    assert not set(names()) & {f"{word}pus" for word in WORDS}


def test_no_two_names_are_alike() -> None:
    """Any two names differ in two letters or more: no name with one place blanked is that of another."""
    blanked = Counter(name[:place] + "?" + name[place + 1 :] for name in names() for place in range(7))
    assert set(blanked.values()) == {1}
    some = Stream("test/names").sample(names(), 120)
    assert all(distance(a, b) >= 2 for i, a in enumerate(some) for b in some[:i])


def test_no_two_names_of_a_row_are_alike(reef_files: dict[str, list[dict[str, Any]]]) -> None:
    """The names of a row are the builder's, so that any two differ in two letters."""
    for rows in reef_files.values():
        for row in rows:
            assert set(row["vocabulary"]) <= set(names())
            assert all(distance(a, b) >= 2 for i, a in enumerate(row["vocabulary"]) for b in row["vocabulary"][:i])
