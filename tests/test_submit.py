"""The cycle of docs/submit.md, command by command as it is written there, against a loopback Hub."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import freeze
from conftest import REPO
from hub_server import environment, serve
from rb_verify import canonical, tracebench
from rb_verify.release import load
from small_recipe import small

COMMANDS = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", (REPO / "docs" / "submit.md").read_text("utf-8"), re.DOTALL)
    for line in block.splitlines()
]


def answered(folder: Path) -> bytes:
    """A submission: every row of the blind split, answered by who knows the gold."""
    gold = {row["prompt"]: row for row in load(folder / "secret").rows}
    asked = [json.loads(line) for line in (folder / "blind" / "data" / "test.jsonl").open("rb")]
    return canonical.lines({"id": row["id"], "response": tracebench.perfect(gold[row["prompt"]])} for row in asked)


@pytest.mark.slow
def test_the_cycle_as_it_is_written(tmp_path: Path) -> None:
    """Commit, publish blind, answer, reveal, score: each command does what the page says, with a small recipe's names."""
    freeze(small(), tmp_path)
    names = {"commit tracebench ": "commit tracebench@0.1.0 ", "ORG": "org", "MODEL": "m", "1.0.0": "0.1.0"}
    said = {}
    with serve({}) as hub:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        surroundings = environment(hub.url, tmp_path / "home") | {"PATH": path}
        for written in COMMANDS:
            command = written
            for old, new in names.items():
                command = command.replace(old, new)
            if command.startswith("rb-verify"):
                (tmp_path / "predictions.jsonl").write_bytes(answered(tmp_path))
            run = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
            assert run.returncode == 0, (command, run.stderr)
            said[written.split(" ORG/")[0]] = run.stdout
            if written.startswith("rb-build commit"):
                match = re.fullmatch(r"tracebench@0\.1\.0-(f[0-9a-f]{8}) sha256:([0-9a-f]{64})\n", run.stdout)
                assert match
                names |= {"f1a2b3c4d": match[1], "sha256:...": f"sha256:{match[2]}"}
        assert hub.refs[f"org/tracebench-{names['f1a2b3c4d']}"].keys() == {
            "main",
            f"v0.1.0-{names['f1a2b3c4d']}",
            f"v0.1.0-{names['f1a2b3c4d']}-blind",
        }
    assert len(COMMANDS) == 10
    digest = names["sha256:..."].removeprefix("sha256:")
    assert said["sha256sum revealed/recipe.json"].split()[0] == digest
    assert "75 scored (75 correct" in said["rb-verify predictions.jsonl --release revealed"]
    requests = (tmp_path / "requests" / "default-test.jsonl").read_bytes().splitlines()
    blind = (tmp_path / "blind" / "data" / "test.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["custom_id"] for line in requests] == [json.loads(line)["id"] for line in blind]
