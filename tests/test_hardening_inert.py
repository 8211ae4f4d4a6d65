"""Nothing of a submission or a release is executed, evaluated or unpickled: no code of ours could, and none is seen to."""

from __future__ import annotations

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REPO
from rb_verify import canonical
from rb_verify.release import Release, read_manifest
from shelf import answers, put, shelve

SOURCES = sorted([*(REPO / "verifiers" / "rb_verify").rglob("*.py"), *(REPO / "builders" / "rb_build").rglob("*.py")])
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "literal_eval",
    "system",
    "popen",
    "unsafe_load",
    "full_load",
    "load_module",
}
FORBIDDEN_MODULES = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "runpy",
    "subprocess",
    "code",
    "ctypes",
}


IMPORTERS = {  # who imports modules by name, and whose names these are
    "builders/rb_build/datasets.py": "of the datasets that rb_verify.datasets names",
    "builders/rb_build/export.py": "pyarrow and pandas",
    "verifiers/rb_verify/__init__.py": "of the public names, in a table of its own",
    "verifiers/rb_verify/datasets.py": "of the datasets, in a table of its own",
    "verifiers/rb_verify/executors.py": "of the packages that callers name",
    "verifiers/rb_verify/sources.py": "zstd and zipfile",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPO)))
def test_no_source_could(path: Path) -> None:
    """No call that runs text, and no module that unpickles or starts programs. ``re.compile`` is another thing."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name.partition(".")[0] for alias in node.names} & FORBIDDEN_MODULES
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] not in FORBIDDEN_MODULES
        if isinstance(node, ast.Call):
            whose = node.func.value if isinstance(node.func, ast.Attribute) else None
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if not (isinstance(whose, ast.Name) and whose.id in ("re", "regex")):
                assert name not in FORBIDDEN_CALLS, node.lineno


def test_who_imports_by_name() -> None:
    """Modules are imported by name in these places alone, none of which has the name from a file."""
    assert {str(path.relative_to(REPO)) for path in SOURCES if "import_module(" in path.read_text("utf-8")} == IMPORTERS.keys()


def test_yaml_is_read_by_safe_loaders() -> None:
    """``yaml.load`` is called with a loader of ours alone, which begins with the safe one."""
    nodes = [node for path in SOURCES for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    loads = [ast.unparse(node) for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "yaml.load"]
    bases = [ast.unparse(node.bases[0]) for node in nodes if isinstance(node, ast.ClassDef) and node.name.endswith("Loader")]
    assert [load.rpartition(", ")[2] for load in loads] == ["Loader)"]
    assert bases == ["yaml.SafeLoader"]


WATCHED = """
import builtins, json, os, sys
from rb_verify import console
seen = []
begun = False

def hook(event, arguments):
    if not begun:
        return
    if event in ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "socket.connect", "pickle.find_class"):
        seen.append([event, repr(arguments)[:200]])
    if event in ("compile", "exec", "import", "marshal.loads"):
        seen.append([event, repr(arguments)[:200]])

sys.addaudithook(hook)
from rb_verify import cli  # and all that a report needs, so that only the work itself is watched
from rb_verify import evaluation, pages, render, report, schema, submission, submit_check
from rb_verify.evaluation import evaluate_all, Options
from rb_verify.errors import UnusableInput, ReleaseMismatch
for file in submission.read_folder(__import__("pathlib").Path(sys.argv[1])).files:  # imports what is imported late
    evaluate_all([str(file)])[0].to_json()
begun = True
for path in sys.argv[2:]:
    try:
        files = submission.read_folder(__import__("pathlib").Path(path)).files if os.path.isdir(path) else [path]
        for each in evaluate_all([str(file) for file in files], None, Options(partial=True)):
            each.to_json()
    except (UnusableInput, ReleaseMismatch) as error:
        str(error)
begun = False
print(json.dumps(seen))
"""


class Bomb:
    """What runs a program where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def test_nothing_is_seen_to_run(tmp_path: Path) -> None:
    """Hostile submissions are scored under an audit hook: no program, no connection, no code that is not ours."""
    shelf: dict[str, Release] = shelve(tmp_path)
    mark = tmp_path / "mark"
    said = answers(shelf["tracebench"])
    code = f"__import__('os').system('touch {mark}')"
    payload = pickle.dumps(Bomb(mark))
    (tmp_path / "bytes.jsonl").write_bytes(payload)
    hostile = [
        {**said[0], "response": code},
        {**said[1], "response": f"{{'final_answer': {code}}}"},
        {**said[2], "response": f"{{{{{code}}}}}"},
        {**said[3], "response": payload.hex()},
        {**said[5], "response": "YES", "__reduce__": code, "py/object": "os.system"},
        {**said[6], "response": f'{{"final_answer": "YES", "reasoning": [{{"__class__": "{code}"}}]}}'},
    ]
    put(tmp_path / "hostile.jsonl", *hostile)
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder / "p.jsonl", *said)
    (folder / "submission.yaml").write_text(f"model: !!python/object/apply:os.system ['touch {mark}']\n")
    good = tmp_path / "good"
    good.mkdir()
    (good / "submission.yaml").write_text("model: m\n")
    put(good / "p.jsonl", *said)
    command = [sys.executable, "-c", WATCHED, *map(str, (good, tmp_path / "bytes.jsonl", tmp_path / "hostile.jsonl", folder))]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []
    assert not mark.exists()


@pytest.mark.parametrize("dataset", ["hostile", "os", "__init__"])
def test_a_release_runs_nothing(dataset: str, shelf: dict[str, Release], tmp_path: Path) -> None:
    """A manifest that has a module's name for its dataset is refused: nothing is looked up by its words."""
    place = shelf["twosat"].path
    manifest = read_manifest(place) | {"dataset": dataset}
    manifest["manifest_sha256"] = canonical.manifest_digest(manifest)
    shutil.copytree(place, tmp_path / "release")
    (tmp_path / "release" / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "hostile.py").write_text("open('owned', 'w').close()")
    put(tmp_path / "p", {"id": f"{dataset}-1-0-0-x", "response": "x"})
    command = [sys.executable, "-m", "rb_verify", "p", "--release", "release"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode in (2, 3)
    assert run.stderr.startswith("rb-verify: release")
    assert not (tmp_path / "owned").exists()
