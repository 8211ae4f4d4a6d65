"""What comes with predictions: the description of the model, and submission folders.

A submission folder holds ``submission.yaml`` (or ``.yml``, ``.json``; schemas/submission.schema.json), ``report.json`` and
other ``report*.json`` where scores are claimed, and predictions in files of any names and formats. All of it is written by
strangers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from rb_verify.errors import UnusableInput
from rb_verify.files import TooLarge, read
from rb_verify.predictions import DECODER, is_encodable, unique
from rb_verify.schema import violations

NAMES = ("submission.yaml", "submission.yml", "submission.json")
REPORTS = "report*.json"  # of reports, one or an array of them
MAX_BYTES = 2**16  # of a description
MAX_REPORT_BYTES = 2**26
_BESIDE = ("README", "LICENSE")  # beginnings of names of files that are no predictions
_ABOUT = ".about.json"  # ending of what rb-run writes beside its predictions


class Folder(NamedTuple):
    """A submission folder. ``said``: of its model; ``files``: its predictions, by name."""

    said: dict[str, Any]
    files: list[Path]


def read_submission(path: Path) -> dict[str, Any]:
    """What a submission says of its model: a YAML file, by its name, or else a JSON file. Raises UnusableInput."""
    data = _bytes(path, MAX_BYTES)
    is_yaml = path.suffix.lower() in (".yaml", ".yml")
    try:
        said = yaml_values(data.decode()) if is_yaml else DECODER.decode(data.decode())
        plain = json.dumps(said, allow_nan=False, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        kind, example = ("YAML", "model: NAME") if is_yaml else ("JSON", '{"model": "NAME"}')
        raise UnusableInput(f"{path}: is not {kind} ({reason}); write an object such as {example}") from None
    if broken := violations(said, "submission"):
        raise UnusableInput(f"{path}: {broken[0]}; correct it there")
    if not is_encodable(plain):
        raise UnusableInput(f"{path}: has a lone surrogate; replace it")
    return dict(said)


def read_folder(path: Path) -> Folder:
    """A submission folder. Raises UnusableInput.

    Every file directly in it is predictions, but for the description, ``report*.json``, ``README*``, ``LICENSE*``,
    ``*.about.json`` and hidden files. A sub-folder or a link is refused rather than passed over.
    """
    try:
        entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}); name a submission folder") from None
    for entry in entries:
        if entry.is_symlink() or not entry.is_file():
            raise UnusableInput(f"{entry}: is no regular file; put all predictions directly in the submission folder")
    described = [entry for entry in entries if entry.name in NAMES]
    if len(described) != 1:
        found = " and ".join(entry.name for entry in described) or "no description of the model"
        raise UnusableInput(f"{path}: holds {found}; write one {NAMES[0]} with at least model: NAME")
    besides = {
        entry
        for entry in entries
        if entry.match(REPORTS) or entry.name.upper().startswith(_BESIDE) or entry.name.endswith(_ABOUT)
    }
    files = [entry for entry in entries if entry not in besides and entry not in described]
    if not files:
        raise UnusableInput(f"{path}: holds no predictions; put a predictions file for each dataset beside {described[0].name}")
    return Folder(read_submission(described[0]), files)


def claimed(folder: Path) -> list[dict[str, Any]]:
    """The reports that a folder claims, in the order of its files; none without a file. Raises UnusableInput."""
    return [report for path in sorted(folder.glob(REPORTS)) for report in read_reports(path)]


def read_reports(path: Path) -> list[dict[str, Any]]:
    """The reports in a file of ``rb-verify --json``, one or an array of them, at least one. Raises UnusableInput."""
    try:
        value = json.loads(_bytes(path, MAX_REPORT_BYTES), object_pairs_hook=unique, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UnusableInput(f"{path}: is not JSON ({reason}); name a report that rb-verify --json wrote") from None
    reports = value if isinstance(value, list) and value else [value]
    for number, report in enumerate(reports, 1):
        if broken := violations(report, "report"):
            place = f"report {number} of {len(reports)} " if len(reports) > 1 else ""
            raise UnusableInput(f"{path}: {place}is no report of this version ({broken[0]}); write it with rb-verify --json")
    return reports


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _bytes(path: Path, most: int) -> bytes:
    """A file's bytes. Raises UnusableInput if it cannot be read or has more than ``most``."""
    try:
        return read(path, most)
    except TooLarge as error:
        raise UnusableInput(f"{path}: is {error.strerror}; leave something out") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnusableInput(f"{path}: cannot be read ({reason}); name a file that can be") from None


def yaml_values(text: str) -> Any:
    """YAML of a stranger as JSON values. Raises ValueError.

    Dates stay as they are written; an alias or a key given twice is refused.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise ValueError("aliases are not read; write the value out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            seen: set[str] = set()
            for key in keys:
                if not isinstance(key, str):
                    raise ValueError(f"key {key!r} is no text; put it in quotes")
                if key in seen:
                    raise ValueError(f"key {key[:60]!r} occurs twice in one mapping; keep one")
                seen.add(key)
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
