"""What the pages of docs/ state as facts, held against code, manifests, rows and commands."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from commands import freeze, rb_verify
from conftest import REPO
from hub_server import environment, serve
from rb_build.reefbench.names import names
from rb_build.streams import Stream
from rb_build.tracebench.difficulty import WEIGHTS, Model, Tier, events_for
from rb_build.tracebench.graphs import enumerate_smallest, signature
from rb_build.twosat.families import MIDDLE, backbone_size, generate
from rb_verify import console, ledger, predictions, sources, stories, submission, tracebench, twosat, witness
from rb_verify.allen import SYMBOLS, composition_table
from rb_verify.evaluation import evaluate
from rb_verify.formats import parse_unit
from rb_verify.reefbench_report import CATEGORIES as REEF_CATEGORIES
from rb_verify.release import Release, load
from rb_verify.report import HARMLESS
from rb_verify.schemes import SCHEMES, entities, sentence
from rb_verify.themes import entities as characters
from rb_verify.trace import judge_steps, network
from rb_verify.twosat_ablations import PARAMETERS
from rb_verify.unparsed import STRUCTURAL_FAILURES
from rb_verify.verdict import STATUSES, Prediction
from small_recipe import small

DOCS = REPO / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
TEXT = {name: (DOCS / name).read_text("utf-8") for name in PAGES}
MANIFESTS = {
    name: json.loads((REPO / "releases" / name / "1.0.0" / "manifest.json").read_bytes())
    for name in ("reefbench", "tracebench", "twosat")
}
Table = list[list[str]]


def table(page: str, *head: str) -> Table:
    """The rows of the one table of a page whose first column names are ``head``."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", TEXT[page], re.MULTILINE):
        lines = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in block.splitlines()]
        rows = [[cell.strip().replace(r"\|", "|") for cell in line] for line in lines]
        if tuple(rows[0][: len(head)]) == head:
            assert all(len(row) == len(rows[0]) for row in rows), f"{page}: a row of table {head} has too many cells or too few"
            found.append(rows[2:])
    assert len(found) == 1, f"{page} has {len(found)} tables that begin with {head}"
    return found[0]


def named(rows: Table) -> list[str]:
    """What the first column names, one or several a row."""
    return [name for row in rows for name in row[0].split(", ")]


def schema(name: str) -> dict[str, Any]:
    """A schema."""
    return dict(json.loads((REPO / "schemas" / f"{name}.schema.json").read_bytes()))


# ---- All pages ---------------------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Every link to a file of the repository, and to a heading in it."""
    for link in re.findall(r"\]\(([^)\s]+)\)", TEXT[page]):
        if not link.startswith(("http:", "https:")):
            name, _, anchor = link.partition("#")
            target = (DOCS / name).resolve() if name else DOCS / page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text("utf-8")), link


def test_the_index_has_every_page() -> None:
    """docs/README.md names all others, once."""
    linked = re.findall(r"\]\(([a-z-]+\.md)\)", TEXT["README.md"])
    assert sorted(linked) == [page for page in PAGES if page != "README.md"]


@pytest.mark.parametrize("dataset", ["reefbench", "stories", "tracebench", "twosat"])
def test_every_field_of_a_row_is_explained(dataset: str) -> None:
    """The table of fields has exactly the schema's; that of stories what the 2-SAT families have not."""
    told = set(named(table(f"{dataset}.md", "field")))
    fields = set(schema(dataset)["properties"])
    if dataset == "stories":
        assert told == fields - set(schema("twosat")["properties"]) | {"scheme", "entities"}
    else:
        assert told == fields


COLUMNS = {
    "tracebench": [
        ("default", ("score", "true_reasoning", "accuracy")),
        ("deep", ("score", "true_reasoning", "accuracy")),
    ],
    "twosat": [("main", ("score", "accuracy", "witness")), ("twins", ("score", "accuracy", "witness"))],
    "reefbench": [("default", ("score", "accuracy", "main_accuracy", "contrast_accuracy"))],
}


@pytest.mark.parametrize("dataset", COLUMNS)
def test_attacks_score_what_is_said(dataset: str) -> None:
    """Every attack of the manifest, in each config and column shown."""
    baselines = MANIFESTS[dataset]["baselines"]
    shown = {row[0]: row[1:] for row in table(f"{dataset}.md", "attack")}
    assert shown == {
        attack: [f"{100 * baselines[config][attack][column]:.2f}" for config, columns in COLUMNS[dataset] for column in columns]
        for attack in baselines[COLUMNS[dataset][0][0]]
    }


# ---- docs/tracebench.md ------------------------------------------------------------------------------------------

MODEL = Model(alpha=1.75, sigma=0.5, slack=1, swaps=100, relations=SYMBOLS)


def test_weights_are_the_builders() -> None:
    """Equation 1's weights, of all 13 relations."""
    rows = table("tracebench.md", "relations")
    assert {symbol: float(weight) for names, weight in rows for symbol in names.split(", ")} == {
        symbol: tenths / 10 for symbol, tenths in WEIGHTS.items()
    }


def test_tiers_are_those_of_the_release() -> None:
    """Each tier of the recipe but those of dev, with what the manifest notes of it, and the formula for events."""
    recipe = json.loads((REPO / "releases" / "tracebench" / "1.0.0" / "recipe.json").read_bytes())["params"]
    expected = []
    for given in recipe["tiers"]:
        tier = Tier(**given)
        notes = MANIFESTS["tracebench"]["structures"][tier.key]
        assert notes["nodes"] == events_for(tier.difficulty, MODEL)
        values = (tier.key, notes["nodes"], len(notes["signatures"]), tier.questions, tier.density, tier.tolerance)
        values += (tier.min_proof, notes["mean_facts"], notes["mean_difficulty"], notes["attempts"])
        expected += [list(map(str, values))] if tier.config != "dev" else []
    assert table("tracebench.md", "tier", "events") == expected
    balance = MANIFESTS["tracebench"]["balance"]
    assert (balance["default"], balance["deep"]) == ({"NO": 620, "YES": 580}, {"NO": 500, "YES": 500})
    assert "580 of 620 in `default`, 500 of 500 in `deep`" not in TEXT["tracebench.md"], "YES are no part of NO"


def test_proof_lengths_are_those_of_the_rows(release: Path) -> None:
    """Rows by length of their shortest proof, and the share of facts that follow from others."""
    expected = []
    for name in ("d010", "d045", "d080", "d115", "d150", "d185", "deep"):
        rows = load(release, name).rows
        lengths = Counter(min(row["proof_length"], 4) for row in rows)
        share = 100 * sum(row["redundant_facts"] for row in rows) / sum(len(row["facts"]) for row in rows)
        expected.append([name, *(str(lengths[length]) for length in (1, 2, 3, 4)), f"{share:.1f}"])
    assert table("tracebench.md", "tier", "1 step") == expected


def test_small_numbers_of_tracebench() -> None:
    """The composition table's entries, and how many networks of three events there are at which tolerance."""
    assert sum(cell.bit_count() for row in composition_table() for cell in row) == 409

    def networks(tolerance: float) -> int:
        return len(enumerate_smallest(MODEL, Tier("d010", 10, 0.5, tolerance, 40, 200)))

    assert [networks(1e9), networks(0.1), networks(0.25)] == [49, 17, 40]
    ways = [((0, r, 1), fact) for r in SYMBOLS for s in SYMBOLS for fact in ((1, s, 2), (2, s, 1), (0, s, 2), (2, s, 0))]
    assert len({signature(3, edges) for edges in ways}) == 91
    for said in ("409 entries", "91 networks", "49 of which", "17 of these", "exactly 40"):
        assert said in " ".join(TEXT["tracebench.md"].split())


def test_verdicts_of_tracebench_are_all_named() -> None:
    """Statuses, categories and failures: those that the scorer has, and no others."""
    categories = table("tracebench.md", "answer", "trace valid")
    assert {cell for row in categories for cell in row[1:]} == set(tracebench.CATEGORIES)
    assert tuple(named(table("tracebench.md", "status"))) == STATUSES
    failures = named(table("tracebench.md", "failure"))
    assert sorted(failures) == sorted([*tracebench.LOGICAL_FAILURES, *STRUCTURAL_FAILURES])
    facts = [{"from": u, "relation": "O", "to": v} for u, v in ("AB", "BC")]
    steps = ["A B|M|O C", "A -> B: O", "A|B", "A any C", "X before C", "A B|M|O|D C", "C before A"]
    judged = [step.verdict for step in judge_steps(network({"events": list("ABC"), "facts": facts}), steps)]
    assert judged == ["exact", "exact", "malformed", "unknown_relation", "unknown_event", "weaker", "wrong"]
    assert set(named(table("tracebench.md", "verdict"))) == set(judged)


# ---- docs/twosat.md, docs/stories.md -----------------------------------------------------------------------------


def test_sizes_are_what_the_formulas_give() -> None:
    """Clauses, variables and what is planted, of formulas as they are drawn."""
    for family, asked, clauses, variables, planted in table("twosat.md", "family", "c"):
        middle = dict.fromkeys(PARAMETERS[family], MIDDLE)
        formula = generate(Stream(f"docs/{family}/{asked}"), family, int(asked), middle, 0, 10)
        found = {"k": formula.twist, "f": len(formula.free), "B": len(formula.backbone)}
        found["P"] = len({v for clause in formula.clauses if clause.role == "monotone" for v in clause.literals if v > 0})
        name, _, value = planted.partition(" = ")
        assert (str(len(formula.clauses)), str(formula.variables), str(found[name])) == (clauses, variables, value), family
    assert [backbone_size(75, MIDDLE, Fraction(density)) for density in (0, 1)] == [30, 11]
    assert "from 30 at density 0 to 11 at density 1" in " ".join(TEXT["twosat.md"].split())


def test_configs_of_twosat_have_as_many_rows() -> None:
    """Test rows of each config, those of dev, and all there are."""
    manifest = MANIFESTS["twosat"]
    rows = {name: entry["rows"] for name, entry in manifest["files"].items() if "rows" in entry}
    assert {row[0]: int(row[1]) for row in table("twosat.md", "config", "rows")} == {
        config: sum(rows[file] for file in splits["test"]) for config, splits in manifest["configs"].items()
    }
    assert f"there are {sum(rows.values()):,} in all" in TEXT["twosat.md"]
    assert f"`default`: {rows['data/dev.jsonl']} rows" in TEXT["twosat.md"]


def test_schemes_say_what_is_shown() -> None:
    """Values and a clause of each scheme."""
    expected = []
    for scheme in SCHEMES.values():
        people = entities(scheme.name, 2)
        expected.append([scheme.name, scheme.true, scheme.false, sentence(scheme, people, [1, -2])])
    assert [[row[0], *row[2:]] for row in table("twosat.md", "scheme")] == expected


def test_categories_and_witnesses_of_twosat(shelf: dict[str, Release]) -> None:
    """All names, and the score of each category by the scorer itself."""
    told = {row[0]: int(row[2]) for row in table("twosat.md", "category")}
    assert tuple(told) == twosat.CATEGORIES
    rows = shelf["twosat"].rows
    for row in rows:
        for answer in [twosat.perfect(row), "no idea", *(attack(row) for attack in twosat.attacks(rows).values())]:
            verdict = twosat.judge(row, Prediction(row["id"], answer))
            assert verdict.score == told.pop(verdict.category, verdict.score)
    assert not told, "a category never came up"
    words = {witness.VALID, witness.ABSENT, witness.UNREADABLE, witness.PARTIAL, witness.VIOLATED}
    assert set(named(table("twosat.md", "witness"))) == words


def test_entities_of_a_story() -> None:
    """The first three of a theme, and how many there are."""
    rows = table("stories.md", "variable")
    assert [row[1:] for row in rows] == [list(entity) for entity in characters("detective", 3)]
    assert len(set(characters("detective", 400))) == 400
    assert f"`{stories.PARSER}` in signatures" in " ".join(TEXT["stories.md"].split())


# ---- docs/reefbench.md -------------------------------------------------------------------------------------------


def test_verdicts_of_reefbench_are_all_named() -> None:
    """The categories, and how many names there are."""
    assert tuple(named(table("reefbench.md", "category"))) == REEF_CATEGORIES
    assert f"{len(names()):,} are left" in " ".join(TEXT["reefbench.md"].split())


@pytest.mark.slow
def test_levels_are_those_of_the_rows(reefbench_rows: dict[str, list[dict[str, Any]]]) -> None:
    """Premises of golden solutions, B*, and closure depths of conclusions, by level."""
    expected = []
    for level in range(3, 12):
        rows = reefbench_rows[f"main{level:02d}"]
        premises = [row["premise_count"] - len(row["distractors"]) for row in rows]
        depths = [row["golden"][-1]["closure_depth"] for row in rows]
        means = [sum(some) / len(rows) for some in (premises, [row["minimal_breadth"] for row in rows], depths)]
        mean, breadth, depth = (f"{value:.2f}" for value in means)
        values = (level, len(rows), min(premises), mean, max(premises), breadth, depth, depths.count(level))
        expected.append(list(map(str, values)))
    assert table("reefbench.md", "level", "pairs") == expected


# ---- docs/formats.md ---------------------------------------------------------------------------------------------

EXAMPLES = dict(re.findall(r"<!-- example: ([\w-]+) -->\n```json\n(.*)\n```", TEXT["formats.md"]))
ROW = "tracebench-1-0-0-d045-g03-q2"
READ: dict[str, list[Prediction]] = {
    "plain": [Prediction(ROW, "...", "...", "stop", 0, tokens=412)],
    "lm-eval": [Prediction(ROW, "..."), Prediction(ROW, "...", sample=1)],
    "inspect": [Prediction(ROW, "...", "...", "stop", 0, tokens=412)],
    "openai-chat": [Prediction(ROW, "...", "...", "stop", 0, tokens=412)],
    "openai-completions": [Prediction(ROW, "...", None, "length", 1)],
    "openai-responses": [Prediction(ROW, "...", "...", "completed", 0, tokens=412)],
    "anthropic": [Prediction(ROW, "...", "...", "end_turn", 0, tokens=412)],
}


def test_every_format_has_an_example() -> None:
    """No example is left out below."""
    assert EXAMPLES.keys() == READ.keys()


@pytest.mark.parametrize("name", READ)
def test_examples_are_read_as_said(name: str) -> None:
    """Response, thinking, end, tokens and sample of each example."""
    assert parse_unit(1, EXAMPLES[name].encode()) == READ[name]


def test_keys_of_a_prediction() -> None:
    """The keys that are read, and that a wrong value of each makes a bad line where the page says so."""
    rows = table("formats.md", "key")
    assert tuple(row[0] for row in rows) == predictions.KEYS
    good: dict[str, Any] = {"id": ROW, "response": "..."}
    nodes = [{"text": "", "type": "normal", "nodes": []}]
    for key, _, bad in rows:
        more = {"nodes": nodes} if key == "parser" else {}
        (found,) = parse_unit(1, json.dumps(good | more | {key: 3.5}).encode())
        assert isinstance(found, Prediction) == (bad == "no"), key


def test_bounds_are_those_of_the_readers() -> None:
    """Bytes of a line or sample, and of a description."""
    said = " ".join(TEXT["formats.md"].split())
    assert f"more than 2^{sources.MAX_UNIT.bit_length() - 1} bytes" in said
    assert f"More than {submission.MAX_BYTES:,} bytes" in said
    assert f"More than {ledger.MAX_PROBLEMS:,} lines that cannot be scored" in said


# What a response says, and what is read of it, by dataset; the pages tell each.
SAID = [
    ("tracebench", '{"final_answer": "Yes, A is before D."}', "YES"),
    ("tracebench", '{"Final Answer": "not sure"}', "Unsure"),
    ("tracebench", '{"final_answer": "YES or NO"}', None),
    ("tracebench", '<think>{"final_answer": "YES"}</think>Final answer: NO', "NO"),
    ("tracebench", 'I am done: {"final_answer": "NO"}</think>{"final_answer": "YES"}', "YES"),
    ("tracebench", '{"final_answer": "NO"} {"answer": "YES"}', "NO"),
    ("tracebench", '<think>so it holds {"final_answer": "YES"}', "YES"),
    ("tracebench", '{"final_answer": "YES", "final_answer": "NO"}', None),
    ("tracebench", '{"final_answer": "YES"', None),
    ("tracebench", "{'final_answer': 'YES',}  // done", "YES"),
    ("tracebench", "The answer must be YES, I think", None),
    ("twosat", '{"satisfiable": "the formula is satisfiable", "assignment": {}}', "SAT"),
    ("twosat", '{"status": "unsat"} {"satisfiable": 1}', "SAT"),
    ("twosat", "Final answer: not satisfiable", "UNSAT"),
    ("reefbench", r"\boxed{True} and again \boxed{\text{unknown}}", "Unknown"),
    ("reefbench", r"\boxed{not true}", "False"),
    ("reefbench", r"\boxed{True} or \boxed{", None),
]


@pytest.mark.parametrize(("dataset", "said", "answer"), SAID, ids=[f"{n}-{case[0]}" for n, case in enumerate(SAID)])
def test_answers_are_read_as_said(dataset: str, said: str, answer: str | None, shelf: dict[str, Release]) -> None:
    """Where an answer is looked for, what is repaired, and what is none."""
    release = shelf[dataset]
    row = release.rows[0]
    assert release.scorer.judge(row, Prediction(row["id"], said)).outcome.answer == answer


def test_what_becomes_of_lines() -> None:
    """Every kind of problem, and which of them end with 1."""
    rows = {row[0]: row[3] for row in table("formats.md", "kind")}
    kinds = schema("report")["properties"]["problems"]["items"]["properties"]["kind"]["enum"]
    assert rows == {kind: "0" if kind in HARMLESS else "1" for kind in rows}
    assert sorted(rows) == sorted(kinds)


def test_entries_of_manifest_and_report() -> None:
    """Those of the schemas, of splits too, and no others; ReEfBench's own part aside."""
    assert set(named(table("formats.md", "entry of the manifest"))) == set(schema("manifest")["properties"])
    assert set(named(table("formats.md", "entry of split.json"))) == set(schema("split")["properties"])
    told = set(named(table("formats.md", "entry of a report")))
    assert told == set(schema("report")["properties"]) - {"reefbench"} | {"the dataset's own name"}


def test_a_stranger_can_compute_the_digests(shelf: dict[str, Release], tmp_path: Path) -> None:
    """The program on the page prints the content digest of every dataset's release, and fails on a changed one."""
    (program,) = re.findall(r"<!-- digests -->\n```python\n(.*?)```", TEXT["formats.md"], re.DOTALL)
    (tmp_path / "digests.py").write_text(program)

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "digests.py", folder], cwd=tmp_path, capture_output=True, text=True)

    for loaded in shelf.values():
        assert run(loaded.path).stdout == loaded.manifest["content_digest"] + "\n"
    changed = Path(shutil.copytree(loaded.path, tmp_path / "changed"))
    for name, old, new in (("manifest.json", '"released"', '"releaseD"'), ("recipe.json", '"seed"', '"seeD"')):
        text = (changed / name).read_text("utf-8")
        (changed / name).write_text(text.replace(old, new), "utf-8")
        assert run(changed).returncode == 1
        (changed / name).write_text(text, "utf-8")
    assert run(changed).returncode == 0


def test_ids_are_as_said(release: Path) -> None:
    """At most 64 letters, digits and hyphens."""
    rows = load(release).rows
    assert all(re.fullmatch(r"[A-Za-z0-9-]{1,64}", row["id"]) and row["id"].startswith("tracebench-1-0-0-") for row in rows)


# ---- docs/exit-codes.md ------------------------------------------------------------------------------------------

TRIED = [(row[0].strip("`"), int(row[1]), row[2]) for row in table("exit-codes.md", "command", "code", "says")]
MODULES = {
    "rb-verify": "rb_verify.cli",
    "rb-build": "rb_build.cli",
    "rb-compare": "rb_verify.compare_cli",
    "rb-run": "rb_verify.run_cli",
    "rb-parse": "rb_verify.parse_cli",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the page describes."""
    root = tmp_path_factory.mktemp("tried")
    freeze(small(), root)
    frozen = root / "releases" / "tracebench" / "0.1.0"
    release = load(frozen)
    lines = [{"id": row["id"], "response": tracebench.perfect(row)} for row in release.rows]
    first = lines[0]
    written: dict[str, list[dict[str, Any]]] = {
        "gold": lines,
        "half": lines[: len(lines) // 2],
        "unknown-id": [*lines, first | {"id": "tracebench-0-1-0-none"}],
        "twice": [*lines, first | {"response": "other"}],
        "repeated": [*lines, first],
        "other-config": [*lines, {"id": load(frozen, "deep").rows[0]["id"], "response": "..."}],
        "error": [{"id": first["id"], "error": "time-out"}, *lines[1:]],
        "nothing": [],
    }
    for name, some in written.items():
        (root / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in some))
    (root / "bad-line.jsonl").write_text((root / "gold.jsonl").read_text() + "{\n")
    changed = Path(shutil.copytree(frozen, root / "changed")) / "data" / "d010.jsonl"
    changed.write_bytes(changed.read_bytes().replace(b'"answer":"YES"', b'"answer":"NO"', 1))
    (root / "submission").mkdir()
    (root / "submission" / "submission.yaml").write_text("model: example\n")
    shutil.copy(root / "gold.jsonl", root / "submission")
    (root / "partial.json").write_text(evaluate(root / "half.jsonl", frozen, partial=True).to_json())
    return root


@pytest.mark.parametrize(("command", "code", "says"), TRIED, ids=[command for command, *_ in TRIED])
def test_commands_end_as_said(
    command: str,
    code: int,
    says: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code, and what is said. In this process, so that a test is short."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("RB_RELEASES", "RB_ORG", "RB_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    program, *arguments = shlex.split(command)
    with pytest.raises(SystemExit) as ended:
        import_module(MODULES[program]).app(arguments, prog_name=program)
    said = capsys.readouterr()
    assert (ended.value.code or 0) == code, said.err
    assert says in " ".join((said.out + said.err).split())
    if code in (2, 3):
        assert said.err.startswith(f"{program}: ")
        assert len(said.err.splitlines()) == 1
        assert "Traceback" not in said.err


def test_signals_and_pipes_have_the_codes_said(place: Path) -> None:
    """The table of codes is complete; a reader that goes away is 141, and nothing is complained of."""
    told = {int(row[0]) for row in table("exit-codes.md", "code", "meaning", "commands")}
    known = {console.INCOMPLETE, console.UNUSABLE, console.UNSOUND, console.CLOSED}
    assert told == {0} | known | {128 + number for number in console.SIGNALS}
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "rb_verify", "gold.jsonl"]
    run = subprocess.run(command, cwd=place, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (run.returncode, run.stderr) == (console.CLOSED, "")


@pytest.mark.parametrize("program", MODULES)
def test_unknown_options_are_answered_with_the_usage(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2."""
    with pytest.raises(SystemExit) as ended:
        import_module(MODULES[program]).app(["--no-such-option"], prog_name=program)
    assert ended.value.code == console.UNUSABLE
    assert f"Usage: {program}" in capsys.readouterr().err


def test_every_command_has_its_codes() -> None:
    """The table of rb-build has every one of its commands."""
    app = import_module("rb_build.cli").app
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert set(named(table("exit-codes.md", "command", "0"))) == known


# ---- docs/releasing.md -------------------------------------------------------------------------------------------

STEPS = [line for block in re.findall(r"```sh\n(.*?)```", TEXT["releasing.md"], re.DOTALL) for line in block.splitlines()]


@pytest.mark.slow
def test_a_release_is_cut_as_it_is_written(tmp_path: Path) -> None:
    """Each command of the page in its order, with a small recipe and a loopback Hub."""
    freeze(small(), tmp_path)
    (tmp_path / "recipe.json").unlink()
    git = {f"GIT_{who}_{what}": "nobody@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text((REPO / ".gitignore").read_text())
    said: dict[str, str] = {}
    with serve({}) as hub:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        surroundings = environment(hub.url, tmp_path / "home") | git | {"PATH": path}
        for written in STEPS:
            command = written.replace("1.1.0", "0.2.0").replace("1.0.0", "0.1.0").replace("ORG", "org")
            run = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
            assert run.returncode == 0, (command, run.stderr)
            said[written] = said.get(written, "") + run.stdout
        assert hub.refs["org/tracebench"].keys() == {"main", "v0.2.0"}
    kept = subprocess.run(["git", "ls-files"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert kept == [f"releases/tracebench/0.2.0/{name}.json" for name in ("manifest", "recipe")]
    assert json.loads((tmp_path / "recipe.json").read_bytes())["released"] == "2027-01-31"
    assert "100.00" in said["rb-verify gold.jsonl"]
    assert "every checksum holds; nothing to do" in said["rb-build push releases/tracebench/1.1.0 --org ORG"]
    again = rb_verify("gold.jsonl", "--format", "json", cwd=tmp_path)
    assert json.loads(again.stdout)["version"] == "0.2.0"
