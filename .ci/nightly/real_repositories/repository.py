"""What one entry of the tables says, and the repository made of it."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .scripted import requirement
from .sources import Unavailable

# Left to the person of a run, and to the machine: what would change what tests do.
UNWANTED = ("CI", "NO_COLOR", "FORCE_COLOR", "CARGO_TARGET_DIR", "GOFLAGS", "NODE_OPTIONS", "PYTEST_ADDOPTS", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Edit:
    """One text of one file and what it becomes; without a text the whole file goes."""

    path: str
    old: str = ""
    new: str = ""

    def content(self, root):
        before = (root / self.path).read_text()
        if before.count(self.old) < 1:
            raise ValueError(f"{self.path} holds no {self.old!r}")
        return before.replace(self.old, self.new, 1)


@dataclass(frozen=True)
class Cheats:
    """Three ways not to be honest, in words of this repository."""

    weaken: Edit
    delete: str
    breaks: Edit


@dataclass(frozen=True)
class Repository:
    """An entry of the tables."""

    name: str
    language: str
    stands_for: str
    sources: tuple
    # What reads its counts; `flavour` says how its tests are written, if that is not told by it.
    runner: str
    # The suite as its authors run it; the same for `tdd` where it says no `test`.
    plain: str
    # Production code that functions are added to, and the test files: `{n}` is the criterion's number.
    code: str
    tests: str
    # How a test imports what it needs: `{name}` is the function.
    imports: str = ""
    # Where the project lies in its repository; what follows is relative to it.
    folder: str = ""
    flavour: str = ""
    install: tuple = ()
    files: dict = field(default_factory=dict)
    ignored: tuple = ()
    test: str = ""
    count: str = ""
    config: str = ""
    # Whether it runs by the setting that `tdd doctor` proposes, as it stands.
    proposed: bool = False
    cheats: Cheats | None = None
    fault: Edit | None = None
    # What a run is refused with before the first fork, where it can't be served.
    refused: str = ""
    # Whether its processor time is held against the bound.
    ratio: bool = False
    # A note that explains why counts differ, where they rightly do: `tdd` minus runner.
    count_differs: int = 0
    # How often the suite is run before anybody forks: twice where it has reds, to know the flaky ones, and
    # once more where reds come of read-only files that it writes.
    baselines: int = 1
    minutes: int = 15
    # What a person adds to the command line, where a run is refused without it for a reason of the project's own.
    options: tuple = ()

    def env(self, root):
        env = {key: value for key, value in os.environ.items() if key not in UNWANTED}
        if self.language == "python":
            env["VIRTUAL_ENV"] = str(root / ".venv")
            env["PATH"] = f"{root / '.venv' / 'bin'}:{env['PATH']}"
        if self.language == "go":
            env.update(GOFLAGS="", GOPROXY="off", GOTOOLCHAIN="local")
        return env

    def project(self, root):
        return root / self.folder

    def criterion_file(self, number):
        return self.tests.format(n=number)


IGNORED = (".venv/", "node_modules/", "target/", "__pycache__/", "*.egg-info/", ".pytest_cache/", "coverage/")


def git(root, *words):
    identity = ["-c", "user.name=nightly", "-c", "user.email=nightly@localhost", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=root, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def make(repository, downloads, root):
    """Brings the sources, installs what they need, and makes a repository of them."""
    if (root / ".git" / "refs" / "tags" / "made").exists():
        git(root, "checkout", "--quiet", "--force", "-B", "main", "made")
        reset(root)
        return
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for where, source in repository.sources:
        into = root / where if where else root
        into.mkdir(parents=True, exist_ok=True)
        source.bring(downloads, into)
    project = repository.project(root)
    for path, content in repository.files.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    env = repository.env(project)
    for command in repository.install:
        install(command, project, env)
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / ".git" / "info" / "exclude").write_text("\n".join((*IGNORED, *repository.ignored)) + "\n")
    (project / "specs" / "frs").mkdir(parents=True, exist_ok=True)
    (project / "specs" / "frs" / "REAL-1.md").write_text(requirement(repository))
    setting = repository.config or (f"test: {json.dumps(repository.test)}\n" if repository.test else "")
    if setting:
        (project / "tdd.yaml").write_text(setting)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "The published sources")
    git(root, "tag", "made")


def install(command, root, env):
    try:
        done = subprocess.run(
            ["sh", "-c", command], cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=900,
        )
    except subprocess.TimeoutExpired as trouble:
        raise Unavailable(f"`{command}` took more than 15 minutes") from trouble
    if done.returncode != 0:
        told = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Unavailable(f"`{command}`: {' | '.join(told)}")


def reset(root):
    """The repository as it was made: no run of before, no work of a role."""
    git(root, "reset", "--quiet", "--hard", "main")
    git(root, "clean", "--quiet", "-ffd")
    for runs in (root, *root.glob("packages/*")):
        shutil.rmtree(runs / ".tdd", ignore_errors=True)

