"""``python -m rb_verify`` is the command rb-verify."""

from rb_verify.cli import main

main()
