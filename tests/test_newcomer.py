"""The README's path for newcomers, command by command in a fresh copy and a fresh environment, up to the open page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from browser import chromium, visit
from conftest import REPO

pytestmark = pytest.mark.browser


def copied(folder: Path) -> Path:
    """The project as a clone has it: what git knows, or would if all were added."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=REPO, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPO / name, folder / name)
    return folder


def test_from_nothing_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Install, build, load rows, run the scripted model, verify, open: each command works as it is written."""
    text = (REPO / "README.md").read_text("utf-8")
    (block,) = re.findall(r"<!-- newcomer -->\n```sh\n(.*?)```", text, re.DOTALL)
    clone = copied(tmp_path / "clone")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RB_", "PYTHON", "VIRTUAL_ENV"))}
    took = {}
    for command in filter(None, block.splitlines()):
        begun = time.monotonic()
        run = subprocess.run(["bash", "-c", command], cwd=clone, env=kept, capture_output=True, text=True)
        took[command] = time.monotonic() - begun
        assert run.returncode == 0, (command, run.stderr)
    with capsys.disabled():
        print(
            "\nnewcomer:",
            ", ".join(f"{seconds:.0f} s {command.split()[0].split('/')[-1]}" for command, seconds in took.items()),
        )
    assert "1200 scored (580 correct, 620 incorrect, 0 unparsed, 0 missing); complete" in run.stdout
    with chromium() as browser, visit(browser, clone / "report.html") as seen:
        assert "tracebench 1.0.0" in seen.page.inner_text("body")
        assert seen.blank() == []
    assert seen.oddities == []
