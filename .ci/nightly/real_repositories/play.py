"""Plays one repository: the plain suite, the checkup, the honest agent, those that cheat, the fixer."""

import itertools
import json
import re
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

from . import counts, journal, measured, scripted
from .repository import git, make, reset
from .row import Row
from .sources import Unavailable

# Bounds of the figures: whole suites for three criteria, processor time against plain runs.
MOST_WHOLE = 6
MOST_RATIO = 1.5
# What a checkup looks at that this script decides about; the rest is the machine's.
SUBJECTS = ("git", "settings", "test", "gate", "requirements")
MOST_WORDS = 240


@dataclass
class Stage:
    """Where things are while a repository is played: `top` is the repository's root, `root` the project's."""

    repository: object
    top: Path
    root: Path
    logs: Path
    tdd: str
    row: Row

    def run(self, name, argv, seconds=None):
        limit = seconds or self.repository.minutes * 60
        done = measured.run(argv, self.root, self.repository.env(self.root), self.logs / f"{name}.log", limit)
        if done.late:
            self.wrong(f"{name} took more than {limit / 60:.0f} minutes")
        return done

    def wrong(self, what):
        self.row.wrong.append(what)

    def play(self, name, entries, verb=("run", "REAL-1", "--new"), more=()):
        cassette = self.logs / f"{name}.json"
        scripted.write(entries, cassette)
        return self.run(name, [self.tdd, *verb, "--cassette", str(cassette), *more])


def repository(entry, work, downloads, tdd, say):
    row = Row(entry.name, entry.language, entry.stands_for)
    top, logs = work / entry.name, work / "logs" / entry.name
    logs.mkdir(parents=True, exist_ok=True)
    stage = Stage(entry, top, entry.project(top), logs, tdd, row)
    try:
        say("brings it")
        make(entry, downloads, top)
        say("runs its suite")
        plain(stage)
        say("tdd doctor")
        healthy = doctor(stage)
        say("tdd run, honest")
        served = honest(stage, healthy)
        if served and entry.cheats:
            cheats(stage, say)
        if served and entry.fault:
            say("tdd fix")
            fix(stage)
    except Unavailable as trouble:
        row.unavailable = str(trouble)
    except (RuntimeError, ValueError, OSError, KeyError) as trouble:
        stage.wrong(f"the script met {type(trouble).__name__}: {trouble}")
    return row


def plain(stage):
    """The runner's own count, from its own output; then what one run costs after an edit, caches warm."""
    entry, row = stage.repository, stage.row
    first = stage.run("plain-count", ["sh", "-c", entry.count or entry.plain])
    row.own_count = counts.read(entry.runner, first.output) or "-"
    code = stage.root / entry.code
    before = code.read_bytes()
    # Nothing but a compiler's work: a comment that no cache has seen.
    mark = "#" if entry.language == "python" else "//"
    code.write_bytes(before + f"\n{mark} {time.time_ns()}\n".encode())
    try:
        warm = stage.run("plain", ["sh", "-c", entry.plain])
    finally:
        code.write_bytes(before)
    row.plain_cpu, row.plain_wall = warm.processor, warm.wall


def checkup(stage, name):
    """What the checkup finds in the way of a run, of what this script decides about."""
    done = stage.run(name, [stage.tdd, "doctor", "--json"])
    if done.code not in (0, 1):
        stage.wrong(f"doctor ended with {done.code}")
    problems = []
    for line in done.output.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        let_through = told.get("subject") == "gate" and "--allow-red-gate" in stage.repository.options
        if told.get("grade") == "problem" and told.get("subject") in SUBJECTS and not let_through:
            problems.append(told)
    return problems


def doctor(stage):
    """Whether nothing is in the way; a setting that is proposed for the test command is taken at its word."""
    problems = checkup(stage, "doctor")
    setting = next((found for told in problems if (found := proposal(told["next"]))), None)
    if stage.repository.proposed and setting is None:
        stage.wrong("doctor proposes no setting")
    elif stage.repository.proposed:
        (stage.root / "tdd.yaml").write_text(setting)
        git(stage.top, "add", "--all")
        git(stage.top, "commit", "--quiet", "--message", "What was proposed")
        problems = checkup(stage, "doctor-again")
        stage.row.doctor = "proposes a setting; "
    else:
        stage.row.doctor = ""
    stage.row.doctor += "; ".join(f"{told['subject']}: {told['what']}" for told in problems) or "ok"
    return not problems


def proposal(advice):
    """The lines for tdd.yaml in what is advised: the first alternative, whole."""
    lines = advice.splitlines()
    begin = next((number for number, line in enumerate(lines) if line.strip().startswith("test:")), None)
    if begin is None:
        return None
    setting = list(itertools.takewhile(lambda line: not line.startswith("Or"), lines[begin:]))
    return textwrap.dedent("\n".join(setting)) + "\n"


def last_words(output):
    """Why the program ended as it did, for the table."""
    lines = output.splitlines()
    failed = next((number for number, line in enumerate(lines) if line.startswith("failure mode:")), None)
    if failed is None:
        told = [line for line in lines if line.startswith("tdd")] or lines[-1:]
        return " ".join(told)[:MOST_WORDS]
    reasons = [line.strip() for line in lines[failed + 1 : failed + 4] if line.startswith("  - ")]
    return " ".join([lines[failed].split(",")[0].removeprefix("failure "), *reasons])[:MOST_WORDS]


def honest(stage, healthy):
    """Whether the honest agent was served to the end."""
    entry, row = stage.repository, stage.row
    reset(stage.top)
    done = stage.play("honest", scripted.honest(entry, stage.root), more=entry.options)
    row.honest, row.memory = done.code, done.peak_mib
    story = journal.read(stage.top, entry.runner)
    if entry.refused:
        row.honest = f"refused ({done.code})"
        if done.code != 2 or entry.refused not in done.output:
            stage.wrong(f"should be refused with {entry.refused!r}: {last_words(done.output)}")
        if healthy:
            stage.wrong("doctor saw nothing in the way of a run that was refused")
        return False
    if healthy == (done.code == 2):
        stage.wrong("doctor and run disagree")
    if done.code != 0:
        stage.wrong(f"honest: {last_words(done.output)}")
    figures(stage, done, story)
    return done.code == 0


def figures(stage, done, story):
    entry, row = stage.repository, stage.row
    row.baseline = story.collected if story.collected is not None else "-"
    row.red, row.whole, row.narrowed = len(story.reds), story.whole, story.narrowed
    row.run_cpu, row.run_wall = done.processor, done.wall
    if story.collected is not None and row.own_count != "-":
        if story.collected != row.own_count + entry.count_differs:
            stage.wrong(f"{story.collected} tests at the baseline, {row.own_count} by the runner")
    if done.code != 0:
        return
    told = re.search(r"whole runs of the suite: (\d+), narrowed: (\d+)", done.output)
    if "of the gate: " in done.output:
        story.whole -= story.gate
    if told:
        # A log may hold the last of several runs, so there may be fewer of them, and never more.
        if int(told[1]) < story.whole:
            stage.wrong(f"the summary tells {told[1]} whole runs, the logs {story.whole}")
        story.whole, story.narrowed = max(story.whole, int(told[1])), int(told[2])
        row.whole, row.narrowed = story.whole, story.narrowed
    if story.whole > MOST_WHOLE + entry.baselines - 1:
        stage.wrong(f"{story.whole} whole runs")
    row.ratio = ratio(done, story, row)
    if entry.ratio:
        # The caches that a first run has filled are warm for the second.
        reset(stage.top)
        warm = stage.play("honest-warm", scripted.honest(entry, stage.root), more=entry.options)
        row.ratio = f"{row.ratio} cold, {ratio(warm, story, row)} warm"
        of_all = warm.processor / max((story.whole + story.narrowed) * row.plain_cpu, 0.01)
        if of_all > MOST_RATIO:
            stage.wrong(f"processor time of a warm run is {of_all:.2f} of as many plain runs")


def ratio(done, story, row):
    """Processor time against as many plain runs as there were whole ones; then as there were runs at all: what
    each implementer is shown of its own red tests comes from a narrowed run."""
    whole = done.processor / max(story.whole * row.plain_cpu, 0.01)
    every = done.processor / max((story.whole + story.narrowed) * row.plain_cpu, 0.01)
    return f"{whole:.2f} ({every:.2f})"


def cheats(stage, say):
    ends = []
    for how in ("weaken", "delete", "break"):
        say(f"tdd run, an agent that cheats: {how}")
        reset(stage.top)
        entries = scripted.cheating(stage.repository, stage.root, how)
        done = stage.play(f"cheat-{how}", entries, more=stage.repository.options)
        ends.append(f"{how} {done.code}")
        if done.code != 1:
            stage.wrong(f"{how} should halt the run: {last_words(done.output)}")
    stage.row.cheats = ", ".join(ends)


def fix(stage):
    """A fault is put in, and a fixer that takes it back."""
    entry = stage.repository
    reset(stage.top)
    fault = entry.fault.content(stage.root)
    entries = scripted.fixing(entry, stage.root)
    (stage.root / entry.fault.path).write_text(fault)
    check = ["--check", entry.test or entry.plain, "--test-deadline", "10m"]
    done = stage.play("fix", entries, verb=("fix",), more=check)
    stage.row.fix = done.code
    folder = journal.newest(stage.top)
    forks = sum(event["type"] == "attempt_started" for event in journal.events(folder)) if folder else 0
    if done.code != 0:
        stage.wrong(f"fix: {last_words(done.output)}")
    elif forks != 1:
        stage.wrong(f"fix asked its agent {forks} times")
