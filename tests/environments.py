"""Virtual environments of their own for tests of what users install, and the commands that run in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

BIN = "Scripts" if os.name == "nt" else "bin"


def run(*command: str | Path, cwd: Path, given: str | None = None, env: Mapping[str, str] = os.environ) -> str:
    """The standard output of a command that must succeed. ``given``: its standard input. ``env``: as for ``end``."""
    result = end(*command, cwd=cwd, given=given, env=env)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def end(
    *command: str | Path, cwd: Path, given: str | None = None, env: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    """How a command ends. ``env``: its environment, of which what could lead it to this checkout is left out."""
    kept = {name: value for name, value in env.items() if not name.startswith(("RB_", "PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run([*map(str, command)], cwd=cwd, env=kept, input=given, capture_output=True, text=True)


def python_with(package: str, folder: Path) -> Path:
    """A Python that has pip and a package, in a new virtual environment below ``folder``. ``package``: as pip takes it."""
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / BIN / "python"
    run(python, "-m", "pip", "install", "--quiet", package, cwd=folder)
    return python


class Environment:
    """A virtual environment that has nothing in it, not even pip, but what was installed into it."""

    def __init__(self, path: Path, pip: Path) -> None:
        """Make it in the new folder ``path``. ``pip``: a Python that has pip, which serves this one too."""
        run(sys.executable, "-m", "venv", "--without-pip", path, cwd=path.parent)
        self.path = path
        self._pip = (pip, "-m", "pip", "--python", self.command("python"))

    def command(self, name: str) -> Path:
        """The path of an installed command."""
        return self.path / BIN / name

    def install(self, *what: str | Path) -> None:
        """Install with pip."""
        run(*self._pip, "install", "--quiet", *what, cwd=self.path)

    def packages(self) -> set[str]:
        """The names of all that is installed."""
        listed = json.loads(run(*self._pip, "list", "--format=json", cwd=self.path))
        return {entry["name"].lower().replace("_", "-") for entry in listed}

    def megabytes(self) -> float:
        """The size of everything in site-packages, compiled modules too."""
        site = run(self.command("python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=self.path)
        return sum(path.stat().st_size for path in Path(site.strip()).rglob("*") if path.is_file()) / 1e6
