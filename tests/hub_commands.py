"""Run rb-build against a loopback Hub, and small releases to run it on.

A process that has imported everything forks for each command, which then takes a fraction of a second instead of three.
Each command is a process all the same: it ends with an exit code, and can be killed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_server import BORN_WITH, Hub, environment
from rb_build import recipe as recipes
from rb_build.release import compile_release, write
from small_recipe import small

_PROGRAM = """
import json, os, sys
import huggingface_hub.hf_api, huggingface_hub._snapshot_download, jinja2, jsonschema, yaml
import rb_build.card, rb_build.cli, rb_build.audit, rb_build.croissant, rb_build.push
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        os.environ.update(asked["environment"])
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["rb-build", *asked["arguments"]]
        rb_build.cli.main()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Result:
    """How a command ended. ``code``: as subprocess has it, so negative where a signal killed it."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Commands:
    """Runs commands, one at a time. ``home``: the folder of their outputs and of the client's cache."""

    process: subprocess.Popen[str]
    home: Path

    def start(self, *arguments: str, **extra: str) -> int:
        """Start a command and return its process id; ``end`` must follow. ``extra``: more of its environment."""
        outputs = {name: str(self.home / name) for name in ("stdout", "stderr")}
        asked = {"arguments": [*arguments, "--workers", "1"], "environment": extra, **outputs}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return int(self._line())

    def end(self) -> Result:
        """How the command that was started last ends."""
        code = int(self._line())
        return Result(code, *((self.home / name).read_text() for name in ("stdout", "stderr")))

    def __call__(self, *arguments: str, **extra: str) -> Result:
        """Run a command."""
        self.start(*arguments, **extra)
        return self.end()

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline()


@contextmanager
def commands(url: str, home: Path, **extra: str) -> Iterator[Commands]:
    """Commands that have the Hub at ``url`` as theirs. ``extra``: more of their environment."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        cwd=home,
        env=environment(url, home, **extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Commands(process, home)
        process.terminate()


def recipe(version: str, seed: str = "small", **changed: Any) -> dict[str, Any]:
    """A TRACEBench recipe of one level, as JSON. ``changed``: entries to replace."""
    whole = small()
    params = whole["params"] | {"tiers": whole["params"]["tiers"][:1]}
    return small(version=version, seed=seed, configs={"default": {"test": ["d010"]}}, params=params) | changed


def build(folder: Path, data: dict[str, Any]) -> dict[str, bytes]:
    """Build a recipe into a new folder. Returns its files."""
    parsed = recipes.parse(data, "a test's recipe")
    write(folder, parsed, compile_release(parsed))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def held(hub: Hub, repo: str, revision: str) -> dict[str, bytes]:
    """The files of a revision without those that a repository is born with."""
    return {path: data for path, data in hub.resolve(repo, revision)[1].items() if path not in BORN_WITH}


def refusal(result: Result, code: int) -> str:
    """The one sentence on stderr of a command that ended with ``code``."""
    assert result.code == code, result
    assert result.stderr.startswith("rb-build: "), result
    assert result.stderr.count("\n") == 1, result
    return result.stderr
