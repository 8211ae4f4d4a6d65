"""What docs/models.md says, command by command as it is written there, against a scripted model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conftest import REPO
from llm_server import Said, llm_server
from parsing_model import as_rules
from rb_verify.release import load
from scripted_teller import Teller
from shelf import DATASETS, shelve

TEXT = (REPO / "docs" / "models.md").read_text("utf-8")
COMMANDS = [
    line.partition("  #")[0].strip() for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()
]
KEY = "sk-of-the-models-page"


@cache
def right(release: Path) -> dict[str, str]:
    """Prompt to the right response, of all rows of a release."""
    loaded = load(release, "paired" if release.name == "stories" else "default")
    return {row["prompt"]: loaded.scorer.perfect(row) for row in loaded.rows}


class Model:
    """Answers every prompt rightly, reads sentences as the rules do, and tells stories well, the third clue but at the second
    attempt. ``folder``: where the releases are."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.teller = folder, Teller({(None, 3): ["flipped", "good"]})

    def __call__(self, request: dict[str, Any]) -> Said | str | dict[str, Any]:
        """The reply to a request."""
        first, *others = request["messages"]
        if first["role"] == "system":
            return as_rules(request)
        if not others and "response_format" not in request:
            for release in (*(self.folder / "releases" / name / "0.1.0" for name in DATASETS), self.folder / "stories"):
                if release.exists() and (said := right(release).get(first["content"])):
                    return said
        return self.teller(request)


@pytest.mark.slow
def test_the_page_as_it_is_written(tmp_path: Path) -> None:
    """Ask, score; parse, score, compare, measure; tell, check, build again, ask, score: each does what the page says."""
    shelve(tmp_path)
    (tmp_path / "mymodel").mkdir()
    (tmp_path / "mymodel" / "submission.yaml").write_text("model: scripted\n")
    said: dict[str, subprocess.CompletedProcess[str]] = {}
    with llm_server(Model(tmp_path), [None, "429", "500", "cut", "close", "broken"]) as server:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RB_")}
        surroundings = kept | {"PATH": path, "OPENAI_BASE_URL": server.base_url, "RB_MODEL": "m", "OPENAI_API_KEY": KEY}
        for command in COMMANDS:
            if not command.startswith("pip install"):
                small = command.replace("1.0.0", "0.1.0")
                run = subprocess.run(["bash", "-c", small], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
                assert run.returncode == 0, (command, run.stderr)
                said[command] = run
    assert len(said) == 15
    assert {name.removesuffix(".jsonl") for name in os.listdir(tmp_path / "mymodel")} >= {"tracebench", "twosat"}
    assert "20 asked, 0 there already, 0 failed" in said["rb-run tracebench@1.0.0 --limit 20 --out trial.jsonl"].stderr
    assert "75 asked, 75 there already" in said["rb-run tracebench@1.0.0 --out mymodel/tracebench.jsonl --samples 2"].stderr
    assert "150 scored (150 correct" in said["rb-verify mymodel --json mymodel.json"].stdout
    assert "|nodes:llm-1@m\n" in said["rb-verify parsed.jsonl"].stdout
    assert " 0 (0.00 %) left to the rules" in said["rb-parse run responses.jsonl --out parsed.jsonl"].stderr
    told = next(run for command, run in said.items() if command.startswith("rb-build stories"))
    assert "fallback sentences 0.0 % (the paper: 3.3 %)" in told.stdout
    again, first = ((tmp_path / name / "manifest.json").read_bytes() for name in ("again", "stories"))
    assert again == first
    assert re.search(r"\bscore +│ 100\.00\b", said["rb-verify answers.jsonl --release stories --config paired"].stdout)
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [data for data in written if KEY.encode() in data]
    assert not [run for run in said.values() if KEY in run.stdout + run.stderr]
