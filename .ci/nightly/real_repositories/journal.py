"""What a run's own journal tells of it."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from . import counts

# Runs that are made of a part of the tests on purpose, as their logs are named.
PARTS = re.compile(r"for-the-(?:retry|prompt)|alone")


@dataclass
class Story:
    """A run as its journal and its logs tell it."""

    collected: int | None = None
    greens: int = 0
    reds: list = field(default_factory=list)
    skipped: int = 0
    whole: int = 0
    # Those of the whole runs that are the gate's, which may be another command.
    gate: int = 0
    narrowed: int = 0
    ending: str = "none"
    modes: list = field(default_factory=list)
    labels: list = field(default_factory=list)


def newest(root):
    """The folder of the newest run, of the repository or of a project in it."""
    found = [*root.glob(".tdd/runs/*/events.jsonl"), *root.glob("packages/*/.tdd/runs/*/events.jsonl")]
    runs = sorted(found, key=lambda file: file.stat().st_mtime)
    return runs[-1].parent if runs else None


def events(folder):
    for line in (folder / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        if "file" in event and len(event) == 6:
            event.update(json.loads((folder / "files" / event["file"]).read_text()))
        yield event


def is_whole(log: Path, runner, baseline):
    """By the number of tests that the log tells; where it tells none, by its name."""
    text = log.read_text(errors="replace")
    told = counts.read(runner, text) or counts.read("tap", text)
    if told is not None and baseline:
        return told >= 0.9 * baseline
    return PARTS.search(log.name) is None


def read(root, runner):
    """The newest run of a repository."""
    story, folder = Story(), newest(root)
    if folder is None:
        return story
    for event in events(folder):
        if event["type"] == "baseline_measured":
            test = event["test"]
            story.collected, story.skipped = test["collected"], test["skipped"]
            story.greens, story.reds = len(test["greens"]), test["reds"]
        elif event["type"] in ("finished", "halted", "paused"):
            story.ending = event["type"]
        elif event["type"] == "attempt_judged":
            story.modes.append(event.get("mode"))
    for log in sorted((folder / "tests").glob("*.log")):
        story.labels.append(log.stem)
        if is_whole(log, runner, story.collected):
            story.whole += 1
            story.gate += "gate" in log.name
        else:
            story.narrowed += 1
    return story
