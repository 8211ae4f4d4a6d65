"""What docs/submit.md says, command by command as it is written there, against a loopback Hub."""

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

TEXT = (REPO / "docs" / "submit.md").read_text("utf-8")
COMMANDS = [
    line.partition("  #")[0].strip() for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()
]
(DESCRIPTION,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


def submit(folder: Path, predictions: bytes) -> None:
    """A submission folder, described as the page does."""
    folder.mkdir()
    (folder / "submission.yaml").write_text(DESCRIPTION)
    (folder / "tracebench.jsonl").write_bytes(predictions)


def public(folder: Path) -> bytes:
    """A submission to the public release: perfect, but for its first row."""
    first, *rows = load(folder / "releases" / "tracebench" / "0.1.0").rows
    said = [{"id": row["id"], "response": tracebench.perfect(row)} for row in rows]
    return canonical.lines([{"id": first["id"], "response": ""}, *said])


def answered(folder: Path) -> bytes:
    """A submission: every row of the blind split, answered by who knows the gold."""
    gold = {row["prompt"]: row for row in load(folder / "secret").rows}
    asked = [json.loads(line) for line in (folder / "blind" / "data" / "test.jsonl").open("rb")]
    return canonical.lines({"id": row["id"], "response": tracebench.perfect(gold[row["prompt"]])} for row in asked)


@pytest.mark.slow
def test_the_cycle_as_it_is_written(tmp_path: Path) -> None:
    """Submit, check, compare; commit, publish blind, answer, reveal, score: each command does what the page says, with a
    small recipe's names."""
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
            if command.startswith("rb-verify mymodel"):
                submit(tmp_path / "mymodel", public(tmp_path))
            if command.startswith("rb-verify submission"):
                submit(tmp_path / "submission", answered(tmp_path))
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
    assert len(COMMANDS) == 15
    assert said["rb-verify --submit-check mymodel --json reports/mymodel.json"].count("ok ") == 4
    boards = [json.loads((tmp_path / name / "board.json").read_bytes())["boards"][0] for name in ("board", "revealed-board")]
    assert [board["models"][0]["rates"]["score"]["value"] for board in boards] == [pytest.approx(74 / 75, abs=1e-6), 1]
    assert boards[1]["models"][0]["submission"]["organisation"] == "Example Lab"
    digest = names["sha256:..."].removeprefix("sha256:")
    assert said["sha256sum revealed/recipe.json"].split()[0] == digest
    assert "75 scored (75 correct" in said["rb-verify submission --release revealed --json submission.json"]
    requests = (tmp_path / "requests" / "default-test.jsonl").read_bytes().splitlines()
    blind = (tmp_path / "blind" / "data" / "test.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["custom_id"] for line in requests] == [json.loads(line)["id"] for line in blind]
