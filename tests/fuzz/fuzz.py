"""Search for inputs that break a target, guided by coverage: ``python tests/fuzz/fuzz.py TARGET [options of libFuzzer]``.

``--all --seconds N`` gives every target N seconds. ``--minimise FOLDER`` adds to tests/corpus/TARGET what in FOLDER runs code
that the inputs there do not. Needs atheris (extra fuzz), but for ``--minimise``. New inputs are kept in ``--keep``
FOLDER/TARGET, else nowhere; what breaks a target is written as TARGET-crash-DIGEST or TARGET-timeout-DIGEST in the folder
where the command runs, and the exit code is then not 0.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve()
sys.path[0] = str(HERE.parents[1])  # the tests; fuzz is then the folder, not this file
LONGEST, SLOWEST, MEMORY = 4096, 20, 2048  # bytes of an input, seconds, megabytes


def main() -> int:
    """Run as the arguments say; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?")
    parser.add_argument("--all", action="store_true", help="every target, one after the other")
    parser.add_argument("--seconds", type=int, default=0, help="of each target; 0: without end")
    parser.add_argument("--keep", type=Path, help="a folder of new inputs")
    parser.add_argument("--minimise", type=Path, help="a folder of inputs to choose from")
    known, more = parser.parse_known_args()
    if known.minimise:
        return _minimise(known.target, known.minimise)
    if known.all:
        from fuzz.targets import TARGETS

        keep = ["--keep", str(known.keep)] if known.keep else []
        seconds = ["--seconds", str(known.seconds or 10)]
        codes = [subprocess.run([sys.executable, str(HERE), name, *keep, *seconds, *more]).returncode for name in TARGETS]
        return max(map(abs, codes))
    return _fuzz(known.target, known.seconds, known.keep, more)


def _fuzz(name: str, seconds: int, keep: Path | None, more: list[str]) -> int:
    """Fuzz one target. libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["rb_verify", "rb_build"]):
        from fuzz.targets import CORPUS, TARGETS
    target = TARGETS[name]
    with contextlib.ExitStack() as stack:
        found = Path(stack.enter_context(tempfile.TemporaryDirectory())) if keep is None else keep / name
        found.mkdir(parents=True, exist_ok=True)
        options = [f"-max_len={LONGEST}", f"-timeout={SLOWEST}", f"-rss_limit_mb={MEMORY}", "-print_final_stats=1"]
        options += [f"-max_total_time={seconds}", f"-artifact_prefix={name}-", f"-dict={HERE.with_name('words.dict')}", *more]
        print(f"== {name}", file=sys.stderr, flush=True)
        atheris.Setup([sys.argv[0], *options, str(found), str(CORPUS / name)], target)
        atheris.Fuzz()
    return 0


def _minimise(name: str, folder: Path) -> int:
    """Keep the smallest inputs that run a line after a line which none before them did."""
    from fuzz.targets import CORPUS, TARGETS, inputs

    seen: set[tuple[str, int, int]] = set()
    for path in inputs(name):
        seen |= _edges(TARGETS[name], path.read_bytes())
    for path in sorted(folder.glob("*"), key=lambda path: (path.stat().st_size, path.name)):
        data = path.read_bytes()
        new = _edges(TARGETS[name], data) - seen
        if new:
            seen |= new
            (CORPUS / name).mkdir(parents=True, exist_ok=True)
            (CORPUS / name / f"found-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)
    print(f"{name}: {len(inputs(name))} inputs, {len(seen)} edges")
    return 0


def _edges(target: Any, data: bytes) -> set[tuple[str, int, int]]:
    """What a target runs on an input: pairs of lines, one after the other, of the two packages."""
    edges: set[tuple[str, int, int]] = set()

    def of_frame(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if "/rb_verify/" not in name and "/rb_build/" not in name:
            return None
        before = frame.f_lineno

        def of_line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            edges.add((name, before, frame.f_lineno))
            before = frame.f_lineno
            return of_line

        return of_line

    target(data)  # once without, so that caches are full whoever comes first
    sys.settrace(of_frame)
    try:
        target(data)
    finally:
        sys.settrace(None)
    return edges


if __name__ == "__main__":
    sys.exit(main())
