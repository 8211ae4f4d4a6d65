"""``python -m rb_build`` is the command rb-build."""

from rb_build.cli import main

main()
