"""What goes wrong while building, said to the user in one sentence."""

from __future__ import annotations

from rb_verify.errors import ReleaseMismatch, UnusableInput


class UnusableRecipe(UnusableInput):
    """A recipe, folder or argument that cannot be used; exit code 2."""


class Drift(ReleaseMismatch):
    """A rebuilt release differs from its frozen manifest; exit code 3. The message names the first difference."""
