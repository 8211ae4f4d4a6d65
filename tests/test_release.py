"""Freezing, building, checking: what is frozen never changes, and every fault is named."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import freeze, rb_build
from conftest import REPO
from rb_build import folder
from rb_build import recipe as recipes
from rb_build import release as releases
from rb_build.errors import UnusableRecipe
from rb_build.release import Compiled, check, compile_release, first_difference
from rb_build.streams import Stream
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.release import _row_id, load, locate, read_manifest
from rb_verify.schema import violations
from small_recipe import small


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder in which the small recipe has been frozen as releases/tracebench/0.1.0."""
    root = tmp_path_factory.mktemp("frozen")
    freeze(small(), root)
    return root


@pytest.fixture
def copy(frozen: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be damaged."""
    return Path(shutil.copytree(frozen, tmp_path / "copy"))


PLACE = Path("releases/tracebench/0.1.0")


def test_freeze_build_check_gold(copy: Path) -> None:
    """A frozen recipe builds again to the same bytes, checks sound, and its gold submission is perfect."""
    before = {p.name: p.read_bytes() for p in (copy / PLACE).rglob("*") if p.is_file()}
    shutil.rmtree(copy / PLACE / "data")
    run = rb_build("build", "tracebench@0.1.0", "--workers", "1", cwd=copy)
    assert run.returncode == 0, run.stderr
    assert {p.name: p.read_bytes() for p in (copy / PLACE).rglob("*") if p.is_file()} == before
    assert rb_build("check", PLACE, cwd=copy).stdout.endswith("every checksum, schema and gold label holds\n")
    (copy / "gold.jsonl").write_text(rb_build("gold", PLACE, cwd=copy).stdout)
    verify = [sys.executable, "-m", "rb_verify", "gold.jsonl"]
    scored = subprocess.run(verify, cwd=copy, capture_output=True, text=True, check=False)
    assert scored.returncode == 0, scored.stderr
    assert "75 scored (75 correct" in scored.stdout


def test_freezing_refuses_to_overwrite(copy: Path) -> None:
    """What is frozen stays as it is, also under another recipe of the same name and version."""
    (copy / "other.json").write_text(json.dumps(small(seed="other")))
    before = (copy / PLACE / "manifest.json").read_bytes()
    run = rb_build("freeze", "other.json", cwd=copy)
    assert run.returncode == 2
    assert "is frozen already; give the recipe a new version" in run.stderr
    assert (copy / PLACE / "manifest.json").read_bytes() == before


def test_drift_names_the_first_row(compiled: Compiled, copy: Path) -> None:
    """A rebuilt release that differs is refused; the file and its first differing row are named, nothing is written."""
    recipe = json.loads((copy / PLACE / "recipe.json").read_bytes())
    recipe["seed"] = "drifted"
    (copy / PLACE / "recipe.json").write_text(json.dumps(recipe))
    before = (copy / PLACE / "data" / "d045.jsonl").read_bytes()
    run = rb_build("build", "tracebench@0.1.0", cwd=copy)
    assert run.returncode == 3
    assert "data/d010.jsonl: row 1 (tracebench-0-1-0-d010-g00-q0) is the first that differs" in run.stderr
    assert (copy / PLACE / "data" / "d045.jsonl").read_bytes() == before
    frozen_manifest = json.loads(canonical.dumps(compiled.manifest))
    entry = frozen_manifest["files"]["data/d080.jsonl"]
    entry["row_digests"] = entry["row_digests"][: 8 * 16] + "00000000" + entry["row_digests"][8 * 17 :]
    difference = first_difference(frozen_manifest, compiled)
    assert difference is not None
    assert difference.startswith("data/d080.jsonl: row 17 (tracebench-1-0-0-d080-g03-q1) is the first")
    frozen_manifest = json.loads(canonical.dumps(compiled.manifest)) | {"released": "2020-01-01"}
    assert first_difference(frozen_manifest, compiled) == "manifest.json: entry 'released' differs from the frozen one"


def test_one_changed_bit_is_found(frozen: Path, tmp_path: Path) -> None:
    """Flip one bit in each file of a release, one by one: check names the file each time, and nothing scores on it."""
    sound = frozen / PLACE
    listed = {path.relative_to(sound).as_posix() for path in sound.rglob("*") if path.is_file()}
    assert listed == {
        *(f"data/{name}.jsonl" for name in ("d010", "d045", "d080", "d115", "deep", "dev")),
        *(f"schemas/{name}.schema.json" for name in ("prediction", "tracebench")),
        *("README.md", "croissant.json", "manifest.json", "recipe.json"),
    }
    for number, name in enumerate(sorted(listed)):
        copy = Path(shutil.copytree(sound, tmp_path / str(number)))
        data = bytearray((copy / name).read_bytes())
        place = number * 997 % len(data)
        data[place] ^= 1 << number % 8
        (copy / name).write_bytes(data)
        assert len(faults := _faults(copy)) == 1, name
        assert name in faults[0]
        if name not in ("README.md", "croissant.json"):
            with pytest.raises(ReleaseMismatch, match=name):
                load(copy)


def _faults(folder: Path) -> list[str]:
    """What check says, whether it goes on or not."""
    try:
        return check(folder)
    except ReleaseMismatch as error:
        return [str(error)]


def test_a_changed_release_ends_in_three(copy: Path) -> None:
    """The command says so with exit code 3, and in words."""
    path = copy / PLACE / "croissant.json"
    path.write_bytes(path.read_bytes().replace(b"1.0.0", b"1.0.1", 1).replace(b"0.1.0", b"0.1.1", 1))
    run = rb_build("check", PLACE, cwd=copy)
    assert run.returncode == 3
    assert "croissant.json: is not what the manifest gives" in run.stdout
    assert run.stderr == f"rb-build: {PLACE}: faults: 1; build or download the release again\n"


def test_missing_and_extra_files_are_found(copy: Path) -> None:
    """A missing data file and one that the manifest does not list are faults."""
    (copy / PLACE / "data" / "d999.jsonl").write_text("{}\n")
    assert any("d999.jsonl: is not in the manifest" in fault for fault in check(copy / PLACE))
    (copy / PLACE / "data" / "d080.jsonl").unlink()
    assert any("d080.jsonl: is missing" in fault for fault in check(copy / PLACE))


def remade(place: Path, name: str, change: Any) -> None:
    """Change a data file's first row and make manifest and checksums fit again, as a forger would."""
    path = place / "data" / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(rows[0])
    recipe = recipes.read(place / "recipe.json")
    manifest = json.loads((place / "manifest.json").read_bytes())
    all_rows = {
        p: [json.loads(line) for line in (place / p).read_bytes().splitlines()] for p in manifest["files"] if p[:4] == "data"
    }
    all_rows[f"data/{name}.jsonl"] = rows
    files = {p: (place / p).read_bytes() for p in manifest["files"]} | {f"data/{name}.jsonl": canonical.lines(rows)}
    with pytest.MonkeyPatch.context() as patch:
        if name == "d080":  # its row cannot be scored at all, so neither can the attacks
            patch.setattr(releases, "baselines", lambda dataset, tested, run: manifest["baselines"])
        new = releases.manifest(recipe, files, all_rows, manifest["structures"])
    folder.write(place, files | releases.documents(new, recipe) | {"manifest.json": canonical.pretty(new)})


def flip(row: dict[str, Any]) -> None:
    """Turn a row's answer."""
    row["answer"] = "NO" if row["answer"] == "YES" else "YES"


FORGERIES: list[tuple[str, Any, str]] = [
    ("answer", flip, "answer does not fit gold_relation"),
    ("gold", lambda row: row.update(gold_relation="E"), "gold_relation is not the closure's"),
    ("difficulty", lambda row: row.update(achieved_difficulty=44.0), "achieved_difficulty is not equation 1"),
    ("signature", lambda row: row.update(signature="0" * 64), "signature is not the graph's"),
    ("prompt", lambda row: row.update(prompt=row["prompt"].replace("# Facts", "# facts")), "prompt is not that of its facts"),
    ("proof", lambda row: row["proof"][0].update(set=["B", "M"]), "proof step 1 does not follow"),
    ("canary", lambda row: row.update(canary="gone"), "canary is not the recipe's"),
    ("redundant", lambda row: row.update(redundant_facts=99), "redundant_facts is wrong"),
    ("level", lambda row: row.update(level=46), "level 46 is none of its file's tiers"),
    ("id", lambda row: row.update(id=row["id"] + "x"), "id is not in its graph"),
    ("schema", lambda row: row.update(extra=1), "Additional properties"),
    ("type", lambda row: row.update(level="45"), "is not of type 'integer'"),
]


@pytest.mark.parametrize(("name", "change", "said"), FORGERIES, ids=[name for name, _, _ in FORGERIES])
def test_forged_rows_are_found(copy: Path, name: str, change: Any, said: str) -> None:
    """A forged row is found although every checksum fits: gold is proved again from the facts, by the oracle."""
    remade(copy / PLACE, "d045", change)
    read_manifest(copy / PLACE)
    faults = check(copy / PLACE)
    assert any(said in fault for fault in faults), faults
    assert all("d045" in fault for fault in faults), "only the forged row is at fault"


def test_a_contradictory_row_is_an_internal_error(copy: Path) -> None:
    """Facts that contradict each other are a fault to check; scored all the same, they end in exit code 3, no verdict."""
    gold = rb_build("gold", PLACE, cwd=copy).stdout
    remade(copy / PLACE, "d080", lambda row: row["facts"].append({"from": "A", "relation": "B", "to": "A"}))
    assert any("do not make a consistent network" in fault for fault in check(copy / PLACE))
    verify = [sys.executable, "-m", "rb_verify", "-", "--release", PLACE]
    run = subprocess.run(verify, cwd=copy, input=gold, capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert run.stdout == ""
    assert "internal error: ValueError" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_longer_proof_is_a_fault(copy: Path) -> None:
    """A proof that holds but is not a shortest one is found."""

    def lengthen(row: dict[str, Any]) -> None:
        fact = row["facts"][0]
        third = next(f for f in row["facts"][1:] if {f["from"], f["to"]} & {fact["from"], fact["to"]})
        ends = sorted({f for s in (fact, third) for f in (s["from"], s["to"])})
        shared = next(e for e in ends if e in (fact["from"], fact["to"]) and e in (third["from"], third["to"]))
        u, v = (e for e in ends if e != shared)
        from rb_verify.closure import Closure

        closure = Closure(row["events"], ((f["from"], f["relation"], f["to"]) for f in row["facts"]))
        step = {"from": u, "to": v, "set": sorted(closure.relations(u, v)), "via": [shared]}
        row["proof"].insert(0, step)
        row["proof_length"] += 1

    remade(copy / PLACE, "d045", lengthen)
    assert any("a shorter proof exists" in fault or "does not follow" in fault for fault in check(copy / PLACE))


def test_any_recipe_can_be_built(frozen: Path, tmp_path: Path) -> None:
    """User-set difficulty, density and relations build into --out; without --out, or over other files, they are refused."""
    recipe = small(version="0.2.0", configs={"default": {"test": ["d062"]}})
    recipe["params"] = recipe["params"] | {
        "relations": ["B", "BI", "M", "MI", "D", "DI"],
        "tiers": [
            {"config": "d062", "difficulty": 62, "density": 0.3, "tolerance": 0.1, "graphs": 3, "questions": 12, "min_proof": 1}
        ],
    }
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(recipe))
    assert "name one with --out" in rb_build("build", path, cwd=tmp_path).stderr
    run = rb_build("build", path, "--out", "made", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    rows = load(tmp_path / "made").rows
    assert len(rows) == 12
    assert {f["relation"] for row in rows for f in row["facts"]} <= set(recipe["params"]["relations"])
    assert all(abs(row["achieved_difficulty"] / 62 - 1) <= 0.1 for row in rows)
    assert check(tmp_path / "made") == []
    assert rb_build("build", path, "--out", "made", cwd=tmp_path).returncode == 0
    other = rb_build("build", frozen / PLACE / "recipe.json", "--out", "made", cwd=tmp_path)
    assert other.returncode == 2
    assert "exists and is not this release" in other.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "1.0"}, "$.version: '1.0' does not match"),
        ({"seed": ""}, "$.seed"),
        ({"dataset": "nonesuch"}, "no dataset 'nonesuch' is known"),
        ({"surprise": 1}, "'surprise' was unexpected"),
        ({"configs": {"default": {"test": ["d010"]}}}, "configs and tiers name different files"),
        ({"configs": {"deep": {"test": ["deep"]}}}, "'default' is a required property"),
        ({"configs": {"default": {"dev": ["dev"]}}}, "$.configs.default: 'test' is a required property"),
        ({"params": {}}, "params: $: 'alpha' is a required property"),
    ],
)
def test_bad_recipes_are_refused_in_words(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    """A recipe that cannot be used is refused with exit code 2 and a sentence that names the place."""
    (tmp_path / "r.json").write_text(json.dumps(small(**change)))
    run = rb_build("build", "r.json", "--out", "x", cwd=tmp_path)
    assert (run.returncode, said in run.stderr) == (2, True), run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert not (tmp_path / "x").exists()


def test_an_exhausted_pool_is_said(tmp_path: Path) -> None:
    """Asking for more graphs of 3 events than exist says how many there are."""
    recipe = small()
    recipe["params"]["tiers"][0]["graphs"] = 41
    recipe["params"]["tiers"][0]["questions"] = 41
    with pytest.raises(UnusableRecipe, match="d010: only 40 graphs of 3 events exist"):
        compile_release(recipes.parse(recipe, "small"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["build", "tracebench@9.9.9"], 2, "is frozen neither in"),
        (["build", "Trace@1"], 2, "is no NAME@VERSION"),
        (["build", "nowhere.json", "--out", "x"], 2, "nowhere.json: cannot be read"),
        (["check", "nowhere"], 2, "no manifest.json there"),
        (["gold", "nowhere"], 2, "no manifest.json there"),
        (["gold", str(PLACE), "--config", "d999"], 2, "choose one of"),
        (["freeze", "nowhere.json"], 2, "cannot be read"),
    ],
)
def test_bad_arguments(frozen: Path, arguments: list[str], code: int, said: str) -> None:
    """Wrong arguments end in one sentence and a documented code."""
    run = rb_build(*arguments, cwd=frozen)
    assert (run.returncode, said in run.stderr) == (code, True), run.stderr
    assert "Traceback" not in run.stderr


def test_an_unwritable_place_is_said(tmp_path: Path) -> None:
    """A folder that cannot be written is named, and nothing is left behind."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UnusableRecipe, match="cannot be written"):
        folder.write(tmp_path / "file" / "x", {"a": b"1"})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]


def killed(arguments: list[str], delay: float, cwd: Path) -> None:
    """Start rb-build and kill it after some seconds, if it has not ended."""
    with (cwd / "output").open("wb") as output:
        command = [sys.executable, "-m", "rb_build", *arguments, "--workers", "1"]
        process = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=output)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()


MOMENTS = [round(0.25 + 1.25 * Stream(f"test/killed/{number}").below(1000) / 1000, 3) for number in range(10)]


@pytest.mark.slow
def test_a_killed_freeze_leaves_no_release(tmp_path: Path) -> None:
    """Kill freeze at random moments: what stands under the release's name is whole and sound, or there is nothing."""
    for number, delay in enumerate(MOMENTS):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "small.json").write_text(json.dumps(small()))
        killed(["freeze", "small.json"], delay, tmp_path / str(number))
        if (tmp_path / str(number) / PLACE).exists():
            assert check(tmp_path / str(number) / PLACE) == []
    run = rb_build("freeze", "small.json", cwd=tmp_path / "0")
    assert run.returncode == (2 if "is frozen already" in run.stderr else 0)
    assert check(tmp_path / "0" / PLACE) == []


@pytest.mark.slow
def test_a_killed_build_leaves_no_release_that_is_not_whole(frozen: Path, tmp_path: Path) -> None:
    """Kill build over a damaged folder at random moments: it checks sound only when every file is whole; and build mends it."""
    for number, delay in enumerate(MOMENTS):
        copy = Path(shutil.copytree(frozen, tmp_path / str(number)))
        for path in (copy / PLACE / "data").iterdir():
            path.write_bytes(path.read_bytes()[:-100])
        killed(["build", "tracebench@0.1.0"], delay, copy)
        assert (_faults(copy / PLACE) == []) == (contents(copy / PLACE) == contents(frozen / PLACE))
    run = rb_build("build", "tracebench@0.1.0", cwd=tmp_path / "0")
    assert run.returncode == 0, run.stderr
    assert contents(tmp_path / "0" / PLACE) == contents(frozen / PLACE)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder that are not hidden: those of an unfinished write are."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


def test_locate(frozen: Path, release: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Releases are found in $RB_RELEASES, then in ./releases; else one sentence names every place and the cure."""
    monkeypatch.chdir(frozen)
    monkeypatch.delenv("RB_ORG", raising=False)
    monkeypatch.delenv("RB_RELEASES", raising=False)
    assert locate(None, ("tracebench", "0.1.0")) == PLACE
    monkeypatch.setenv("RB_RELEASES", str(release.parents[1]))
    assert locate(None, ("tracebench", "1.0.0")) == release
    with pytest.raises(UnusableInput, match=r"run rb-build build tracebench@3.0.0, or .* --release DIR, or .* \$RB_ORG"):
        locate(None, ("tracebench", "3.0.0"))
    with pytest.raises(UnusableInput, match="no prediction's id names a release"):
        locate(None, None)
    with pytest.raises(UnusableInput, match="no such release folder"):
        locate("./nowhere", None)


def test_schemas_are_schemas_and_manifests_fit(release: Path) -> None:
    """Every published schema is valid, and the frozen manifest and recipe fit theirs."""
    from jsonschema import Draft202012Validator

    for path in (REPO / "schemas").glob("*.json"):
        Draft202012Validator.check_schema(json.loads(path.read_bytes()))
    assert not violations(json.loads((release / "manifest.json").read_bytes()), "manifest")
    climbing = json.loads((release / "manifest.json").read_bytes())
    climbing["files"]["../../secret"] = climbing["files"].pop("data/d010.jsonl")
    assert violations(climbing, "manifest")


def test_canary_is_everywhere(release: Path) -> None:
    """The canary is in every row of every file, in the card and in the manifest."""
    canary = json.loads((release / "manifest.json").read_bytes())["canary"]
    for path in (release / "data").glob("*.jsonl"):
        assert all(json.loads(line)["canary"] == canary for line in path.read_bytes().splitlines())
    assert canary in (release / "README.md").read_text("utf-8")


_TEXTS = st.text(max_size=4) | st.sampled_from(["id", ',"id":"', '"id":', '","id":"x"', "\\", '"', "{"])
_VALUES = st.recursive(
    _TEXTS | st.just(7), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=4), _TEXTS, st.booleans(), st.booleans())
def test_the_id_of_a_row_is_that_of_its_json(others: dict[str, Any], name: str, first: bool, canonically: bool) -> None:
    """Wherever it stands, and whatever else is called so."""
    row = {"id": name} | others | {"id": name} if first else {key: others[key] for key in others if key != "id"} | {"id": name}
    line = canonical.dumps(row) if canonically else json.dumps(row)
    assert _row_id(line.encode()) == json.loads(line)["id"] == name
