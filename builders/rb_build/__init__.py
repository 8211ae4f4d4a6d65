"""rb_build: seeded builders of frozen reasoning benchmarks. A recipe and a seed determine every byte of a release."""

__version__ = "1.0.0"
