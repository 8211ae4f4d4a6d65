"""Pseudo-words for ReEfBench: seven letters that end in "pus", none an English word, no two alike.

A stem is consonant, vowel, consonant, consonant. The last consonant is fixed by the others, so that two stems differ in
at least two places: one slip of the pen never turns a name into another. Stems do not end as English words do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

ENDING = "pus"
_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "aeiou"
# Pairs of consonants that end English words ("bird", "fish", "tank"): a stem that ended so could be one.
_ENGLISH = re.compile(
    "b[bs]|c[hkt]|d[ds]|f[fst]|g[ghns]|ht|ks|l[dfklmnpstv]|m[bmnps]|n[cdgknstz]|p[hpst]|r[bcdfgklmnprstvz]|s[chkmpst]|t[hstz]|"
    "w[dklns]|zz"
)
# Beginnings that a reader would stumble over.
_UNWELCOME = re.compile(
    "but|coc|cok|cum|cun|dic|dik|fag|fat|fuc|fuk|gas|god|gok|hel|hit|hom|jap|jew|jiz|kik|kil|kok|kun|lus|mor|mur|naz|neg|nig|nip|"
    "nud|pak|pis|poc|pus|rap|sad|sex|sod|suc|suk|tit|vag|wog|wop"
)


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """All names there are, in ascending order; any two differ in at least two of seven letters."""
    found = []
    for first, vowel, third in product(range(len(_CONSONANTS)), range(len(_VOWELS)), range(len(_CONSONANTS))):
        last = -(first + vowel + third) % len(_CONSONANTS)
        stem = _CONSONANTS[first] + _VOWELS[vowel] + _CONSONANTS[third] + _CONSONANTS[last]
        if not _UNWELCOME.match(stem) and not _ENGLISH.match(stem, 2):
            found.append(stem + ENDING)
    return tuple(found)
