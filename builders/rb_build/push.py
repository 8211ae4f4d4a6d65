"""Publish a release on the Hub.

A release is one commit and a tag on it. The tag is made last, after the commit has been compared with the release, so that
wherever a push is interrupted no tag points at part of a release; the same push again finishes it. A tag that is there
never changes: of its files only the card and the Croissant metadata may be mended, by a later commit on main.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rb_build import release
from rb_build.card import BLIND
from rb_build.folder import digest_of
from rb_build.frozen import order
from rb_build.recipe import Map
from rb_build.release import MANIFEST
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.files import read
from rb_verify.hub import ITS_OWN, KIND, LOG_IN, asking, download, repository, tag
from rb_verify.release import read_file, read_manifest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

BRANCH = "main"


@dataclass(frozen=True)
class Repository:
    """A repository as the Hub tells of it.

    ``head``: the commit of main. ``tree``: the files there, to their ids on the Hub. ``tags``: tag to its commit.
    """

    head: str | None
    tree: dict[str, str]
    tags: dict[str, str]
    private: bool


@dataclass(frozen=True)
class Changes:
    """What makes a commit the release: ``written`` files, that are missing or differ, and ``deleted`` ones."""

    written: list[str]
    deleted: list[str]

    def __bool__(self) -> bool:
        return bool(self.written or self.deleted)

    def __str__(self) -> str:
        return f"{len(self.written)} files written, {len(self.deleted)} deleted"


def push(folder: Path, org: str, *, private: bool, create_pr: bool, dry_run: bool, run: Map) -> list[str]:
    """Publish the release in a folder as ORG/NAME at tag v + version. Returns what was done, a line each.

    ``org``: an organisation or user. ``private``: create the repository private, and refuse one that is public.
    ``create_pr``: open a pull request instead of committing to main; the tag is left to a push after it is merged.
    ``dry_run``: write nothing, and say what would be done. ``run``: an ordered map, for checking the release.
    Raises ReleaseMismatch if the folder, or what the Hub then holds, is not the release; UnusableInput if the Hub, or what
    it holds already, does not let it be published.
    """
    from huggingface_hub import HfApi

    manifest = read_manifest(folder)
    if faults := release.check(folder, run):
        raise ReleaseMismatch(f"{faults[0]} (faults in all: {len(faults)}; nothing was pushed)")
    files = {path: read_file(folder, manifest, path) for path in manifest["files"]}
    files |= {path: read(folder / path) for path in (*release.DOCUMENTS, MANIFEST)}
    if json.loads(files[MANIFEST]) != manifest:
        raise ReleaseMismatch(f"{folder / MANIFEST}: was changed meanwhile, and nothing was pushed; run it again")
    repo, name = repository(org, manifest["dataset"], manifest["version"]), tag(manifest["version"])
    with asking(repo):
        api = HfApi()  # finds the token by itself
        there = _look(api, repo)
        lines = []
        if there is None:
            lines.append(f"{repo}: {'would be created' if dry_run else 'created'}, {'private' if private else 'public'}")
            there = Repository(None, {}, {}, private) if dry_run else _create(api, repo, private)
        if private and not there.private:
            raise UnusableInput(f"{repo}: is public already; push without --private, or make it private on the Hub first")
        if name in there.tags:
            return lines + _mend(api, repo, name, there, files, create_pr, dry_run)
        return lines + _publish(api, repo, name, there, files, create_pr, dry_run)


def _look(api: HfApi, repo: str) -> Repository | None:
    """The repository as it is; None if there is none that this token may see."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        private = bool(api.repo_info(repo, repo_type=KIND).private)
        refs = api.list_repo_refs(repo, repo_type=KIND)
    except RepositoryNotFoundError:
        return None
    head = next((branch.target_commit for branch in refs.branches if branch.name == BRANCH), None)
    tags = {each.name: each.target_commit for each in refs.tags}
    return Repository(head, _tree(api, repo, head) if head else {}, tags, private)


def _create(api: HfApi, repo: str, private: bool) -> Repository:
    api.create_repo(repo, repo_type=KIND, private=private, exist_ok=True)
    there = _look(api, repo)
    if there is None:
        raise UnusableInput(f"{repo}: is there, but cannot be read; {LOG_IN}")
    return there


def _tree(api: HfApi, repo: str, revision: str) -> dict[str, str]:
    """The files of a revision, path to id: SHA-256 of what the Hub keeps as large files, git's blob id of all others."""
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repo, recursive=True, revision=revision, repo_type=KIND)
    return {each.path: each.lfs.sha256 if each.lfs else each.blob_id for each in entries if isinstance(each, RepoFile)}


def _changes(tree: dict[str, str], files: dict[str, bytes]) -> Changes:
    """What turns a tree into exactly these files."""

    def ids(data: bytes) -> tuple[str, str]:
        return hashlib.sha1(b"blob %d\x00" % len(data) + data).hexdigest(), canonical.digest(data)

    written = [path for path, data in sorted(files.items()) if tree.get(path) not in ids(data)]
    return Changes(written, sorted(tree.keys() - files.keys() - ITS_OWN))


def _publish(
    api: HfApi, repo: str, name: str, there: Repository, files: dict[str, bytes], create_pr: bool, dry_run: bool
) -> list[str]:
    """Commit the release to main, unless a push before has done so, and tag the commit."""
    changes, commit = _changes(there.tree, files), there.head
    if changes or commit is None:
        _refuse_others(api, repo, there, json.loads(files[MANIFEST]))
        if dry_run:
            last = "would leave the tag to a push after the merge" if create_pr else f"would tag that commit {name}"
            place = "in a pull request" if create_pr else "to main"
            deleted = [f"{repo}: would delete {path}" for path in changes.deleted]
            return [f"{repo}: would commit {place}: {changes}", *deleted, f"{repo}: {last}"]
        commit, request = _commit(api, repo, f"Release {name}", there.head, changes, files, create_pr)
        if request:
            return [f"{repo}: pull request {request} ({changes}); once it is merged, push again to tag it {name}"]
    if dry_run:
        return [f"{repo}: main is this release already; would tag {commit} {name}"]
    if wrong := _changes(_tree(api, repo, commit), files):
        first = (wrong.written + wrong.deleted)[0]
        raise ReleaseMismatch(f"{repo}: {first} at commit {commit} is not the release's; no tag was made; run it again")
    api.create_tag(repo, tag=name, revision=commit, repo_type=KIND)
    _compare(api, repo, name, commit, files)
    return [f"{repo}@{name}: published as commit {commit} ({changes}); downloaded, every checksum holds"]


def _mend(
    api: HfApi, repo: str, name: str, there: Repository, files: dict[str, bytes], create_pr: bool, dry_run: bool
) -> list[str]:
    """Leave a tag as it is: refuse another release under it, and mend card and Croissant metadata on main alone."""
    commit = there.tags[name]
    differing = _changes(_tree(api, repo, commit), files)
    if others := [path for path in differing.written + differing.deleted if path not in release.DOCUMENTS]:
        raise UnusableInput(
            f"{repo}@{name}: is published already with another {others[0]} (commit {commit}), and a published tag never "
            "changes; give the release a new version"
        )
    _compare(api, repo, name, commit, {path: data for path, data in files.items() if path not in differing.written})
    whole = f"{repo}@{name}: is published already as commit {commit}; downloaded, every checksum holds"
    if not differing.written:
        return [f"{whole}; nothing to do"]
    mended = " and ".join(differing.written)
    changes = _changes(there.tree, files)
    if MANIFEST in changes.written:
        return [f"{whole}; {mended} cannot be mended, as main holds another version"]
    if not changes or there.head is None:
        return [f"{whole}; {mended} is mended on main already; the tag stays"]
    if dry_run:
        return [f"{whole}; would mend {mended} on main; the tag stays"]
    made, request = _commit(api, repo, f"Mend {mended} of {name}", there.head, changes, files, create_pr)
    if request:
        return [f"{whole}; pull request {request} mends {mended} on main; the tag stays"]
    _compare(api, repo, made, made, files)
    return [f"{whole}; commit {made} mends {mended} on main; the tag stays"]


def _refuse_others(api: HfApi, repo: str, there: Repository, manifest: dict[str, Any]) -> None:
    """Never replace on main a newer version, or what is no release of this dataset."""
    if not there.tree.keys() - {*ITS_OWN, *release.DOCUMENTS}:
        return
    data = b"{}"
    if MANIFEST in there.tree:
        with tempfile.TemporaryDirectory() as cache:
            place = api.hf_hub_download(repo, MANIFEST, revision=there.head, repo_type=KIND, cache_dir=cache)
            data = read(Path(place))
    try:
        held = json.loads(data)
        same = held["dataset"] == manifest["dataset"]
        newer = same and _order(held["version"]) > _order(manifest["version"])
    except (ValueError, KeyError, TypeError, RecursionError):
        same = newer = False
    if not same:
        raise UnusableInput(
            f"{repo}: main holds files that are no release of {manifest['dataset']}; delete them, or push elsewhere"
        )
    if newer:
        raise UnusableInput(
            f"{repo}: main holds {held['version']}, which is newer than {manifest['version']}; give the release a new version"
        )


def _order(version: str) -> tuple[Any, bool]:
    """By what versions in one repository are compared: a blind split is older than the same one with its gold."""
    return order(version), not version.endswith(BLIND)


def _commit(
    api: HfApi, repo: str, message: str, parent: str | None, changes: Changes, files: dict[str, bytes], create_pr: bool
) -> tuple[str, str | None]:
    """Make one commit, on main as it was read or not at all. Returns its id, and the address of the pull request if any."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    operations: list[Any] = [CommitOperationAdd(path, files[path]) for path in changes.written]
    operations += [CommitOperationDelete(path, is_folder=False) for path in changes.deleted]
    made = api.create_commit(
        repo, operations, commit_message=message, repo_type=KIND, parent_commit=parent, create_pr=create_pr
    )
    return made.oid, made.pr_url


def _compare(api: HfApi, repo: str, revision: str, commit: str, files: dict[str, bytes]) -> None:
    """Download a revision into an empty cache and compare each file. Raises ReleaseMismatch, naming the first that differs."""
    with tempfile.TemporaryDirectory() as cache:
        folder = download(repo, revision, cache)
        if folder.name != commit:
            raise ReleaseMismatch(f"{repo}@{revision}: is at commit {folder.name}, not {commit}; somebody moved it; audit it")
        for path, data in files.items():
            there, here = digest_of(folder / path), canonical.digest(data)
            if there != here:
                raise ReleaseMismatch(f"{repo}@{revision}: {path}: sha256 is {there} on the Hub, {here} here; do not use it")
