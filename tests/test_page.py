"""The page of a report, as bytes: what is in it, what is left out, and that no text of a submission is more than text."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from page_cases import FORMULAS, HOSTILE, MODEL, SHOWN, section
from rb_verify import pages, render, score
from rb_verify.datasets import SCORERS
from rb_verify.errors import UnusableInput
from rb_verify.figures import figures
from rb_verify.page import LONGEST, Drill, Section, page, pick
from rb_verify.page import SHOWN as FIRST
from rb_verify.pages import Figure
from rb_verify.release import Release
from rb_verify.report import Report, tables
from rb_verify.tally import Table, in_words, percent
from shelf import DATASETS, shelve


class Read(HTMLParser):
    """What a browser would make of a page: elements with their attributes, and the texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self._script = True

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a script."""
        self._script = self._script and tag != "script"

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self._script:
            self.scripts[-1] += data
        else:
            self.texts.append(data)

    def islands(self) -> list[dict[str, Any]]:
        """The data of the rows, a section each."""
        return [json.loads(text) for text in self.scripts[:-1]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """The small releases."""
    return shelve(tmp_path_factory.mktemp("shelf"), FORMULAS)


@pytest.fixture(scope="module")
def sections(shelf: dict[str, Release], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Section]:
    """A section of each dataset."""
    folder = tmp_path_factory.mktemp("said")
    return {name: section(folder, shelf[name]) for name in DATASETS}


@pytest.fixture(scope="module")
def drawn(sections: dict[str, Section]) -> dict[str, list[Figure]]:
    """The figures of each dataset."""
    return {name: figures(each.report) for name, each in sections.items()}


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without their figures, which take longest."""
    monkeypatch.setattr("rb_verify.page.figures", lambda report: [])


@pytest.fixture(scope="module")
def whole(sections: dict[str, Section]) -> str:
    """The page of all three datasets."""
    return page(list(sections.values()))


# ---- Which rows -------------------------------------------------------------------------------------------------


def detail(place: int, kind: str) -> dict[str, Any]:
    """A detail of a row in the group ``kind``."""
    return {"id": f"{kind}{place}", "status": "correct", "category": "c"}


def test_pick_takes_turns() -> None:
    """Each group gives its next row in turn, in the order in which groups appear; rows stay in order."""
    kinds = "aaaaabccda"
    details = [detail(place, kind) for place, kind in enumerate(kinds)]
    rows: dict[str, dict[str, Any]] = {each["id"]: {"group": each["id"][0]} for each in details}

    def picked(limit: int) -> list[str]:
        return [drill.detail["id"] for drill in pick(iter(details), rows, lambda row: str(row["group"]), limit)]

    assert picked(0) == []
    assert picked(3) == ["a0", "b5", "c6"]
    assert picked(4) == ["a0", "b5", "c6", "d8"]
    assert picked(7) == ["a0", "a1", "a2", "b5", "c6", "c7", "d8"]
    assert picked(10) == picked(11) == [each["id"] for each in details]


def test_pick_is_a_round_robin_in_little_memory() -> None:
    """On random kinds it gives what the plain round robin gives, and never holds more than its limit."""
    draw = random.Random(5)
    kinds = [draw.choice("aaaabbbcde") for _ in range(500)]
    alive = most = 0

    class Counted(dict[str, Any]):
        def __init__(self, given: dict[str, Any]) -> None:
            nonlocal alive, most
            super().__init__(given)
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    rows: dict[str, dict[str, Any]] = {f"{kind}{place}": {"group": kind} for place, kind in enumerate(kinds)}
    for limit in (1, 4, 5, 37, 200):
        queues = {kind: [p for p, k in enumerate(kinds) if k == kind] for kind in dict.fromkeys(kinds)}
        turns = [queue[turn] for turn in range(500) for queue in queues.values() if turn < len(queue)]
        most = 0
        details = (Counted(detail(place, kind)) for place, kind in enumerate(kinds))
        found = pick(details, rows, lambda row: str(row["group"]), limit)
        assert [int(drill.detail["id"][1:]) for drill in found] == sorted(turns[:limit])
        assert most <= limit + 2
        del found


@pytest.mark.usefixtures("undrawn")
def test_rows_are_cut_and_chosen_aloud(shelf: dict[str, Release], tmp_path: Path) -> None:
    """A page of fewer rows than were scored says how many of how many; texts beyond the limit are cut, and said to be."""
    some = section(tmp_path, shelf["tracebench"], limit=7)
    (island,) = Read(page([some])).islands()
    n = some.report.data["n"]
    assert len(island["rows"]) == 7 < n
    assert island["of"].startswith(f"7 of {n} scored rows are in this page, in turn of every level, status and category")
    third = island["rows"][2]
    texts = dict(third["texts"])
    assert texts["Thinking, apart"].endswith(
        f"\n[cut here: {len('thought ' * 4000) - LONGEST} more characters are not in this page]"
    )
    assert len(texts["Thinking, apart"]) < LONGEST + 100
    assert texts["Response"].endswith("\nand so on")
    assert "\\u000d" not in texts["Response"], "the ends of lines are no control characters"


# ---- What the page holds ----------------------------------------------------------------------------------------


FIGURES = {
    "tracebench": ["Score by level", "Outcomes by level", "True reasoning", "By proof length"],
    "twosat": [
        *("Score by family and clauses", "Outcomes by family and clauses", "Family by size, all parameters at .5"),
        *("Schemes of wording", "Sweeps of one parameter", "Robustness"),
    ],
    "reefbench": [
        *("Score by level", "Outcomes by level", "Depth against cost", "Components of the six scores"),
        *("Trajectory over levels", "Exploration and hallucination by level"),
    ],
}


@pytest.mark.parametrize("name", DATASETS)
def test_figures(drawn: dict[str, list[Figure]], name: str) -> None:
    """Each dataset has its figures, drawn in the page's own colours and without pictures, with their numbers beside them."""
    found = drawn[name]
    assert [figure.title for figure in found] == FIGURES[name]
    for figure in found:
        assert figure.svg.startswith("<svg")
        assert "<image" not in figure.svg
        assert "#0102" not in figure.svg
        assert "var(--s" in figure.svg
        assert figure.note.endswith(".")
        assert figure.numbers is not None
        assert figure.numbers.rows
        assert all(len(row) == len(figure.numbers.columns) for row in figure.numbers.rows)


def test_numbers_of_figures_are_the_reports(sections: dict[str, Section], drawn: dict[str, list[Figure]]) -> None:
    """What a figure draws is what the report says: scores by group, categories, the slope, the heat map's cells."""
    data = sections["tracebench"].report.data
    by_group, outcomes, true, lengths = drawn["tracebench"]
    assert by_group.numbers is not None
    assert [row[:2] for row in by_group.numbers.rows] == [[g["group"], percent(g["score"])] for g in data["breakdown"]]
    best = max(value["accuracy"] for name, value in data["baselines"].items() if name.startswith("constant_"))
    assert f"accuracy: {100 * best:.1f} % (constant_" in by_group.note
    assert outcomes.numbers is not None
    assert [sum(map(float, row[1:])) for row in outcomes.numbers.rows] == pytest.approx([100] * 4, abs=0.05)
    r = data["tracebench"]["correlation"]["pearson_r"]
    assert f"{r:.2f}" in true.note
    assert lengths.numbers is not None
    assert [row[0] for row in lengths.numbers.rows] == list(data["tracebench"]["by_proof_length"])
    heat = drawn["twosat"][2].numbers
    assert heat is not None
    cells = sections["twosat"].report.data["twosat"]["cells"]
    assert [row[:2] for row in heat.rows] == [[f"{c['family']} {c['clauses']}", percent(c["sat"])] for c in cells]


def test_no_data_no_figure(shelf: dict[str, Release], sections: dict[str, Section], tmp_path: Path) -> None:
    """Without responses there is no process to draw; several samples have a figure, one sample has none."""
    one = sections["reefbench"].report
    silent = {"levels": [], "hardest": None, "trajectory": {"kind": "undetermined"}}
    empty = replace(one, data={**one.data, "reefbench": {**one.data["reefbench"], **silent}})
    assert [figure.title for figure in figures(empty)] == ["Score by level", "Outcomes by level"]
    nothing = replace(one, data={**empty.data, "breakdown": []})
    assert figures(nothing) == []
    several = section(tmp_path, shelf["tracebench"], samples=3).report
    last = figures(several)[-1]
    assert last.title == "Several samples a row"
    assert last.numbers is not None
    assert [row[0] for row in last.numbers.rows] == ["pass@1", "pass@2", "pass@3", "majority vote"]


def test_too_many_groups_are_joined(sections: dict[str, Section]) -> None:
    """Of more groups than can be read the first words stand together, weighted by their rows, and nothing is drawn twice."""
    one = sections["twosat"].report
    names = (*SCORERS["twosat"].CATEGORIES, "missing")

    def group(name: str, n: int, category: str) -> dict[str, Any]:
        rates = {each: {"value": float(each == category), "n": n, "interval": None} for each in names}
        return {
            "group": name,
            "accuracy": {"value": 1.0, "n": n, "interval": None},
            "score": rates[names[0]],
            "categories": rates,
        }

    groups = [group(f"Backbone {i}", 3, "false_sat") for i in range(40)] + [group("Backbone x", 40, "missing")]
    found = figures(replace(one, data={**one.data, "breakdown": [*groups, group("MonoBridge 1", 5, "false_unsat")]}))
    assert found[0].title == "Outcomes by first word of the group"
    assert found[0].numbers is not None
    backbone, bridge = (dict(zip(("group", *names), row, strict=True)) for row in found[0].numbers.rows)
    assert (backbone["group"], backbone["false_sat"], backbone["missing"]) == ("Backbone", "75.00", "25.00")
    assert (bridge["group"], bridge["false_unsat"], bridge["missing"]) == ("MonoBridge", "100.00", "0.00")


def test_page_says_the_report(sections: dict[str, Section], whole: str) -> None:
    """Title, signatures, scores, counts and every table of the report are in the page."""
    text = "\n".join(Read(whole).texts)
    for each in sections.values():
        data = each.report.data
        assert each.report.signature in text
        assert f"{100 * data['score']:.2f} %" in text
        assert render.verdict_line(each.report) in text
        for shown in tables(each.report):
            assert shown.title in text
            for cell in shown.rows[-1]:
                assert pages.visible(cell) in text
    assert "self-reported; the gold of this release is public" in text


@pytest.mark.usefixtures("undrawn")
def test_problems_are_counted_and_the_first_shown(sections: dict[str, Section]) -> None:
    """Of each kind of problem the first hundred are shown, and all are counted."""
    one = sections["tracebench"].report
    problem = one.data["problems"][0]
    many = [problem | {"kind": kind, "message": f"{kind} {i}."} for kind in ("bad_line", "repeated") for i in range(250)]
    text = "\n".join(Read(page([Section(replace(one, data={**one.data, "problems": many}), [])])).texts)
    for kind in ("bad_line", "repeated"):
        assert f"{kind}: 250" in text
        assert f"{kind} {FIRST - 1}." in text
        assert f"{kind} {FIRST}." not in text
        assert f"The first {FIRST} of 250: {kind}" in text
    assert text.count("(harmless)") == 1


def test_same_report_same_bytes(sections: dict[str, Section], whole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same reports give the same page, whatever matplotlib is configured to."""
    monkeypatch.setitem(mpl.rcParams, "xtick.major.size", 31.0)
    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "path")
    again = page(list(sections.values()))
    assert again == whole
    assert mpl.rcParams["xtick.major.size"] == 31.0


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_missing_library_is_named(sections: dict[str, Section], monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """Where a library is missing, one sentence says how to install it."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UnusableInput, match=re.escape("pip install 'rb-verify[report]'")):
        page([sections["tracebench"]])


# ---- Text is text -----------------------------------------------------------------------------------------------


def test_hostile_text_is_text(sections: dict[str, Section], whole: str) -> None:
    """No text of a submission makes an element, an attribute or a script; control and direction signs are shown as codes."""
    read = Read(whole)
    names = {name for name, _ in read.elements}
    assert not names & {"img", "iframe", "object", "embed", "link", "base", "form", "b"}
    assert not [key for _, attributes in read.elements for key in attributes if key.startswith("on")]
    scripts = [attributes for name, attributes in read.elements if name == "script"]
    assert [script.get("type") for script in scripts] == ["application/json"] * 3 + [None]
    assert not [
        value for _, some in read.elements for key, value in some.items() if key in ("href", "src") and value[:1] != "#"
    ]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", whole)
    told = "\n".join(read.texts)
    assert f"M {SHOWN}" in told  # the model
    assert f"{SHOWN} {SHOWN}" in told  # a setting
    for island, each in zip(read.islands(), sections.values(), strict=True):
        hostile = next(row for row in island["rows"] if ["Thinking, apart", SHOWN] in row["texts"])
        assert dict(hostile["texts"])["Response"].startswith(SHOWN)
        assert f"finish_reason: {SHOWN}" in hostile["words"]
        assert {problem["kind"] for problem in each.report.data["problems"]} == {"unknown_id", "bad_line", "missing"}
    assert told.count(SHOWN) > 6  # unknown ids among the problems too


def test_policy_allows_the_pages_own_script_alone(whole: str) -> None:
    """The content security policy loads nothing and runs the one script whose digest it names."""
    read = Read(whole)
    (policy,) = [some["content"] or "" for _, some in read.elements if some.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(read.scripts[-1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';" in policy
    assert "innerHTML" not in read.scripts[-1]
    ids = [some["id"] for name, some in read.elements if "id" in some]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "sign", ["\x00", "\r", "\x85", "\xad", "\u200d", "\u2028", "\u202e", "\u2066", "\ufeff", "\ud800", "\U000e0041"]
)
def test_hidden_signs_are_made_visible(sign: str) -> None:
    """What has no width, turns the direction or cannot be written as UTF-8 is shown by its code; other text is left alone."""
    assert pages.visible(f"a{sign}b") == f"a\\u{ord(sign):04x}b"
    assert pages.visible("a\tb\nc é 中 🙂 ع") == "a\tb\nc é 中 🙂 ع"
    assert json.loads(pages.island({"k": [f"a{sign}b<"]})) == {"k": [f"a\\u{ord(sign):04x}b<"]}
    assert "<" not in pages.island(["</script>"])


def test_names_in_figures_are_text() -> None:
    """A name that would be mathematics or markup is drawn as it is, in any script, without a warning."""
    name = "$x^2$ <b>&amp; 中"
    figure = pages.draw("t", lambda canvas: canvas.subplots().set_title(name))
    assert "$x^2$ &lt;b&gt;&amp;amp; 中" in figure.svg


# ---- Single rows ------------------------------------------------------------------------------------------------


def verdict(release: Release, row: dict[str, Any], response: str) -> dict[str, Any]:
    """The details of a response."""
    return score(row, response).as_dict()


def test_names_that_look_like_a_figures_own() -> None:
    """A name that is a colour or an id as figures use them is drawn as it is."""
    names = [pages.INK, 'id="x"', 'url(#a) href="#b']
    drawn = pages.draw("names", lambda canvas: canvas.subplots().set(xlabel=names[0], ylabel=names[1], title=names[2]))
    texts = Read(drawn.svg)
    assert set(names) <= set(texts.texts)
    assert "var(--ink)" in drawn.svg


def test_steps_of_tracebench(shelf: dict[str, Release]) -> None:
    """Each step stands beside what the facts leave; a step of a stranger has no truth."""
    release = shelf["tracebench"]
    row = next(row for row in release.rows if row["answer"] == "YES" and row["proof_length"] == 1)
    ((u, v, truth),) = [(step["from"], step["to"], step["set"]) for step in row["proof"]]
    wrong = next(symbol for symbol in ("B", "D") if symbol not in truth)
    said = [{"from": u, "relation": wrong, "to": v}, {"from": "Nobody", "relation": "B", "to": v}]
    found = verdict(release, row, json.dumps({"reasoning": said, "final_answer": "YES"}))
    first, second = SCORERS["tracebench"].steps(row, found).rows
    assert first[:3] == ["1", f"{u} {wrong} {v}", "wrong"]
    assert first[3].split(" ")[0] == "|".join(truth)
    assert second == ["2", f"Nobody B {v}", "unknown_event", ""]
    question = f"from {row['question']['from']} to {row['question']['to']} the facts leave {row['gold_relation']} ("
    assert any(line.startswith(question) and f"{u} {'|'.join(truth)} {v}" in line for line in render_words(release, row, found))


def render_words(release: Release, row: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """What --explain prints, which holds all that the page says."""
    printed = render.explain(release.dataset, row, found).splitlines()
    scorer = SCORERS[release.dataset]
    for line in [*scorer.words(row, found), *in_words(scorer.steps(row, found))]:
        assert line in printed
    return printed


def test_steps_of_twosat(shelf: dict[str, Release]) -> None:
    """A violated clause is said in words, and the solver's own witness or certificate stands beside and is valid."""
    release = shelf["twosat"]
    scorer = SCORERS["twosat"]
    sat = next(row for row in release.rows if row["family"] == "Backbone")
    unsat = next(row for row in release.rows if not row["satisfiable"])
    values = next(v for v in ([True] * sat["variables"], [False] * sat["variables"]) if score(sat, respond(sat, v)).score == 0)
    found = verdict(release, sat, respond(sat, values))
    decision, witness = scorer.steps(sat, found).rows
    assert decision == ["decision", "SAT", "correct", "SAT"]
    assert witness[:2] == ["witness", "given"]
    clause = found["witness"]["clause"]
    assert witness[2] == f"violated clause {clause + 1}: {found['witness']['note']}"
    assert found["witness"]["note"] in sat["prompt"]
    again = score(sat, json.dumps({"satisfiable": True, "assignment": witness[3].split("; ")}))
    assert again.category == "valid_witness"
    render_words(release, sat, found)
    found = verdict(release, unsat, respond(unsat, [True] * unsat["variables"]))
    decision, claimed, certificate = scorer.steps(unsat, found).rows
    assert decision == ["decision", "SAT", "incorrect", "UNSAT"]
    assert (claimed[0], claimed[3]) == ("witness", "there is none")
    assert certificate[:3] == ["certificate", "none", "absent"]
    chains = [chain.removeprefix("if ").split(" then ") for chain in certificate[3].split("; ")]
    shown = score(unsat, json.dumps({"satisfiable": False, "certificate": chains}))
    assert shown.evidence["certificate"]["verdict"] == "valid"


def respond(row: dict[str, Any], values: list[bool]) -> str:
    """A response that calls a row satisfiable with these values."""
    assignment = dict(zip(row["entities"], values, strict=True))
    return json.dumps({"satisfiable": True, "assignment": assignment})


def test_steps_of_reefbench(shelf: dict[str, Release]) -> None:
    """Each statement has its verdict and whether it is golden; what is lacking of the golden solution follows."""
    release = shelf["reefbench"]
    row = next(row for row in release.rows if row["config"] == "main")
    given, conclusion = row["golden"][0]["statement"], row["conclusion"]
    made_up = f"{conclusion.split()[2]} is {conclusion.split()[0]}"
    found = verdict(release, row, f"{given}. So {made_up}. \\boxed{{True}}")
    lines = SCORERS["reefbench"].steps(row, found).rows
    assert lines[0] == ["1", given, "premise, new, layer 0 (closure depth 0)", "yes"]
    assert lines[1] == ["2", made_up, "hallucination, new", "no"]
    lacking = [step for step in row["golden"] if step["statement"] != given]
    assert lines[2:] == [
        ["none", s["statement"], f"not asserted, layer {s['golden_depth']} (closure depth {s['closure_depth']})", "yes"]
        for s in lacking
    ]
    render_words(release, row, found)


@pytest.mark.parametrize("name", DATASETS)
def test_page_and_explain_say_the_same(sections: dict[str, Section], whole: str, name: str) -> None:
    """What the page says of a row, --explain prints: the words, and a line for each step."""
    island = Read(whole).islands()[DATASETS.index(name)]
    assert len(island["rows"]) == len(sections[name].shown)
    for row, drill in list(zip(island["rows"], sections[name].shown, strict=True))[:40]:
        printed = render.explain(name, drill.row, drill.detail)
        steps = Table(row["steps"]["title"], row["steps"]["columns"], row["steps"]["rows"])
        for line in in_words(steps):
            assert line in printed.splitlines()
        assert dict(row["texts"])["Prompt"] == drill.row["prompt"]
        assert (row["status"], row["group"]) == (drill.detail["status"], SCORERS[name].group(drill.row))


@pytest.mark.usefixtures("undrawn")
def test_a_submission_without_a_name_has_a_page(sections: dict[str, Section]) -> None:
    """A report without a word on its model, and without rows to look into, is a page too."""
    one: Report = sections["tracebench"].report
    assert HOSTILE in MODEL["model"]
    text = page([Section(replace(one, data={**one.data, "submission": {}}), [])])
    assert "<title>A submission without a name: tracebench 0.1.0, config default</title>" in text
    assert f'"of":"0 of {one.data["n"]} scored rows' in text


@pytest.mark.usefixtures("undrawn")
def test_thinking_stands_apart_from_the_response(sections: dict[str, Section]) -> None:
    """Thinking inside a response has a text of its own; a response without any is shown whole."""
    section = sections["tracebench"]
    row = section.shown[0].row
    for response, texts in (
        ("<think>So <b>it</b> goes</think>\nYES", {"Thinking": "So <b>it</b> goes", "Response without its thinking": "YES"}),
        ("<think>cut", {"Thinking": "cut", "Response without its thinking": ""}),
        ("plain", {"Response": "plain"}),
    ):
        detail = verdict(section.report.release, row, response) | {"response": response, "reasoning": None}
        (shown,) = Read(page([section._replace(shown=[Drill(row, detail)])])).islands()[0]["rows"]
        assert dict(shown["texts"]) == {"Prompt": row["prompt"]} | texts


def test_a_page_is_refused_before_anything_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its libraries the page is refused at once, in words."""
    pages.require()
    monkeypatch.setattr(pages, "find_spec", lambda name: None)
    with pytest.raises(UnusableInput, match=r"pip install 'rb-verify\[report\]'"):
        pages.require()
