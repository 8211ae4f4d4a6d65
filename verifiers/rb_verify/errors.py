"""What goes wrong, said in one sentence that names the place and the cure; never shown as a traceback."""

from __future__ import annotations


class UnusableInput(Exception):
    """Input or arguments that nothing can be done with; exit code 2."""


class NoSuchConfig(UnusableInput):
    """A config that a release does not have, or that has nothing to score."""


class ReleaseMismatch(Exception):
    """A release that is not what its manifest says; exit code 3. The message names the file and both digests."""
