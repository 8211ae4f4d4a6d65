"""The version of rb-verify, as reports name it."""

__version__ = "1.0.0"
