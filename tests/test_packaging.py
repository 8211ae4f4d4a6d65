"""The two packages as users get them: wheels built from sdists, in clean environments, run far from any checkout."""

from __future__ import annotations

import ast
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rb_verify import canonical, tracebench

REPO = Path(__file__).resolve().parents[1]
VERIFIERS = REPO / "verifiers"
HEAVY = {"datasets", "pyarrow", "pandas", "huggingface-hub", "networkx"}


def run(*command: str | Path, cwd: Path, given: str | None = None) -> str:
    """The standard output of a command that must succeed. ``given``: its standard input."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RB_", "PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run([*map(str, command)], cwd=cwd, env=kept, input=given, capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


BIN = "Scripts" if os.name == "nt" else "bin"


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


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python, outside all that is tested, that has pip and build."""
    folder = tmp_path_factory.mktemp("tools")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / BIN / "python"
    run(python, "-m", "pip", "install", "--quiet", "build", cwd=folder)
    return python


def wheel(tools: Path, source: Path, folder: Path) -> Path:
    """Build the sdist of a project into ``folder``, and its wheel from that sdist alone; the wheel's path."""
    run(tools, "-m", "build", "--outdir", folder, source, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def verify_wheel(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of rb-verify."""
    return wheel(tools, VERIFIERS, tmp_path_factory.mktemp("rb-verify"))


@pytest.fixture(scope="module")
def verifier(tools: Path, verify_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with rb-verify alone."""
    environment = Environment(tmp_path_factory.mktemp("verifier") / "venv", tools)
    environment.install(verify_wheel)
    return environment


@pytest.fixture(scope="module")
def builder(tools: Path, verify_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with rb-build, and no extra."""
    folder = tmp_path_factory.mktemp("builder")
    environment = Environment(folder / "venv", tools)
    environment.install(wheel(tools, REPO, folder), verify_wheel)
    return environment


@pytest.mark.slow
def test_verifier_installs_small(verifier: Environment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """rb-verify installs without any library for data sets, and without networkx; its size and cold start are shown."""
    packages = verifier.packages()
    assert "rb-verify" in packages
    assert not packages & HEAVY
    starts = []
    for _ in range(5):
        began = time.perf_counter()
        assert run(verifier.command("rb-verify"), "--version", cwd=tmp_path).startswith("rb-verify 1.")
        starts.append(time.perf_counter() - began)
    with capsys.disabled():
        print(
            f"\nrb-verify alone: {len(packages)} packages, {verifier.megabytes():.1f} MB of site-packages, "
            f"--version in {statistics.median(starts):.2f} s (median of 5)"
        )


@pytest.mark.slow
def test_verifier_scores_outside_a_checkout(verifier: Environment, release: Path, row: dict[str, Any], tmp_path: Path) -> None:
    """The installed rb-verify scores a prediction, as a command and as a library, from a folder that has nothing else."""
    (tmp_path / "one.jsonl").write_bytes(canonical.lines([{"id": row["id"], "response": tracebench.perfect(row)}]))
    options = ("--release", release, "--partial", "--format", "json")
    report = json.loads(run(verifier.command("rb-verify"), "one.jsonl", *options, cwd=tmp_path))
    assert (report["score"], report["n"]) == (1.0, 1)
    program = (
        "import sys, rb_verify\n"
        "print(rb_verify.__file__, rb_verify.evaluate('one.jsonl', sys.argv[1], partial=True).score, sep='\\n')"
    )
    where, score = run(verifier.command("python"), "-c", program, release, cwd=tmp_path).splitlines()
    assert Path(where).is_relative_to(verifier.path)
    assert score == "1.0"


@pytest.mark.slow
def test_builder_rebuilds_outside_a_checkout(builder: Environment, release: Path, tmp_path: Path) -> None:
    """The installed rb-build makes the frozen release from what is in its wheel, makes it again in place, and checks it."""
    rb_build, built = builder.command("rb-build"), tmp_path / "built"
    for _ in range(2):
        run(rb_build, "build", "tracebench@1.0.0", "--out", built, cwd=tmp_path)
        assert contents(built) == contents(release)
    assert "sound" in run(rb_build, "check", built, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["built"]
    gold = run(rb_build, "gold", built, cwd=tmp_path)
    report = json.loads(
        run(builder.command("rb-verify"), "-", "--release", built, "--format", "json", cwd=tmp_path, given=gold)
    )
    assert (report["score"], report["n"]) == (1.0, 1200)


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_packaged_schemas_are_the_projects() -> None:
    """The schemas inside rb-verify are those of schemas/, byte for byte."""
    packaged = contents(VERIFIERS / "rb_verify" / "schemas")
    assert packaged
    assert packaged.items() <= contents(REPO / "schemas").items()


def test_verifier_never_imports_the_builder() -> None:
    """No module of rb-verify imports rb_build, so a verdict cannot depend on how a row was made."""
    sources = sorted((VERIFIERS / "rb_verify").rglob("*.py"))
    assert sources
    for source in sources:
        for node in ast.walk(ast.parse(source.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.partition(".")[0] == "rb_build"], source


def test_command_starts_light(tmp_path: Path) -> None:
    """Importing the command brings in none of the libraries that only some runs need."""
    late = ["jsonschema", "rich", "networkx", "huggingface_hub"]
    program = f"import sys, rb_verify.cli; print([name for name in {late} if name in sys.modules])"
    assert run(sys.executable, "-c", program, cwd=tmp_path).strip() == "[]"
