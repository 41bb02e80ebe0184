"""The command line, and what is printed at the end."""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import go, javascript, play, python, row, rust
from .synthetic import synthetic

ROOT = Path(__file__).resolve().parents[3]
LANGUAGES = (python, javascript, rust, go)
# A nightly run without these is none.
LEAST, LEAST_EACH = 15, 3


def arguments():
    parser = argparse.ArgumentParser(description="Plays scripted agents through `tdd` on well-known repositories.")
    parser.add_argument("--only", default="", help="names, parted by commas")
    parser.add_argument("--work", type=Path, help="the work folder; a temporary one if not given")
    parser.add_argument("--downloads", type=Path, help="where sources are kept; in the work folder if not given")
    parser.add_argument("--keep", action="store_true", help="leave the work folder")
    parser.add_argument("--tdd", type=Path, help="the program; built in release mode if not given")
    parser.add_argument("--jobs", type=int, default=1, help="repositories at a time; figures want one")
    parser.add_argument("--table", type=Path, help="write the tables to FILE.md and FILE.tsv")
    parser.add_argument("--list", action="store_true", help="print the names and what each stands for")
    return parser.parse_args()


def chosen(names):
    entries = [entry for language in LANGUAGES for entry in language.REPOSITORIES]
    if not names:
        return entries
    known = {entry.name for entry in entries} | {"synthetic"}
    for name in names:
        if name not in known:
            sys.exit(f"real-repositories: no repository is called {name}; known: {', '.join(sorted(known))}")
    return [entry for entry in entries if entry.name in names]


def built():
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "tdd"


def play_all(entries, options, work):
    downloads = options.downloads or work / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    tdd = str((options.tdd or built()).resolve())
    printing = threading.Lock()

    def one(entry):
        began = time.monotonic()

        def say(what):
            with printing:
                print(f"[{time.monotonic() - began:6.1f} s] {entry.name}: {what}", file=sys.stderr, flush=True)

        found = play.repository(entry, work, downloads.resolve(), tdd, say)
        say(found.verdict)
        return found

    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        rows = list(pool.map(one, entries))
    return rows, tdd


def missing(rows, everything):
    """What a whole run lacks to be one."""
    there = [found for found in rows if not found.unavailable]
    if not everything:
        return []
    lacks = [f"only {len(there)} repositories were to be had, {LEAST} are needed"] if len(there) < LEAST else []
    for language in ("python", "javascript", "rust", "go"):
        number = sum(found.language == language for found in there)
        if number < LEAST_EACH:
            lacks.append(f"only {number} of {language} were to be had, {LEAST_EACH} are needed")
    return lacks


def main():
    options = arguments()
    names = [name for name in options.only.split(",") if name]
    entries = chosen(names)
    if options.list:
        for entry in entries:
            print(f"{entry.name:20} {entry.language:12} {entry.stands_for}")
        return 0
    work = (options.work or Path(tempfile.mkdtemp(prefix="real-repositories-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        rows, tdd = play_all(entries, options, work)
        wrong = [f"{found.name}: {each}" for found in rows for each in found.wrong]
        wrong += missing(rows, not names)
        if not names or "synthetic" in names:
            line, failed = synthetic(work, tdd)
            print(line)
            wrong += failed
    finally:
        if not options.keep and not options.work:
            shutil.rmtree(work, ignore_errors=True)
    print(row.markdown(rows))
    (options.table or work / "table").parent.mkdir(parents=True, exist_ok=True)
    if options.table or options.keep or options.work:
        base = options.table or work / "table"
        base.with_suffix(".md").write_text(row.markdown(rows))
        base.with_suffix(".tsv").write_text(row.tsv(rows))
    for each in wrong:
        print(f"not as expected: {each}", file=sys.stderr)
    return 1 if wrong else 0
