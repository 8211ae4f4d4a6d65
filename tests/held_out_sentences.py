"""Hand-labelled sentences held out of the tuning of the parser: whole attempts at small ReEfBench problems.

Data of the package (verifiers/rb_verify/labelled), in the form of ``labelled_sentences``. The parser was never tuned on these
sentences, so agreement with them is the fairest estimate of the three sets.
"""

from __future__ import annotations

from labelled_sentences import entries

HELD_OUT = entries("held_out")
