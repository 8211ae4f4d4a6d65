"""Run the commands as users do: in processes of their own, in a folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

Run = subprocess.CompletedProcess[str]


def rb_build(*arguments: str | Path, cwd: Path, **environment: str) -> Run:
    """Run the command rb-build in a folder."""
    return _run("rb_build", arguments, cwd, environment)


def rb_verify(*arguments: str | Path, cwd: Path, **environment: str) -> Run:
    """Run the command rb-verify in a folder."""
    return _run("rb_verify", arguments, cwd, environment)


def rb_compare(*arguments: str | Path, cwd: Path, **environment: str) -> Run:
    """Run the command rb-compare in a folder."""
    return _run("rb_verify.compare_cli", arguments, cwd, environment)


def rb_run(*arguments: str | Path, cwd: Path, **environment: str) -> Run:
    """Run the command rb-run in a folder."""
    return _run("rb_verify.run_cli", arguments, cwd, environment)


def rb_parse(*arguments: str | Path, cwd: Path, **environment: str) -> Run:
    """Run the command rb-parse in a folder."""
    return _run("rb_verify.parse_cli", arguments, cwd, environment)


def freeze(recipe: dict[str, Any], cwd: Path) -> None:
    """Freeze a recipe as releases/NAME/VERSION in a folder."""
    (cwd / "recipe.json").write_text(json.dumps(recipe))
    run = rb_build("freeze", "recipe.json", cwd=cwd)
    assert run.returncode == 0, run.stderr


def _run(module: str, arguments: tuple[str | Path, ...], cwd: Path, environment: dict[str, str]) -> Run:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=os.environ | environment, check=False)
