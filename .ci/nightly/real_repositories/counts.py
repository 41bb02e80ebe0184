"""How many tests a runner says that it ran, read from what it prints; each reader gives all but what failed
to load: passed, failed and skipped together."""

import json
import re

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def words(text, pattern):
    return [int(number) for number in re.findall(pattern, text)]


def pytest(text):
    """The last line: `2 failed, 490 passed, 3 skipped in 3.1s`."""
    lines = [line for line in text.splitlines() if re.search(r"\d+ \w+.* in [\d.]+s", line)]
    if not lines:
        return None
    kinds = r"(\d+) (?:passed|failed|skipped|xfailed|xpassed|error)"
    return sum(words(lines[-1], kinds))


def unittest(text):
    found = words(text, r"(?m)^Ran (\d+) tests? in")
    return found[-1] if found else None


def mocha(text):
    kinds = [words(text, rf"(?m)^\s+(\d+) {kind}") for kind in ("passing", "failing", "pending")]
    return sum(found[-1] for found in kinds if found) if kinds[0] else None


def jest(text):
    found = words(text, r"(?m)^Tests:.* (\d+) total")
    return found[-1] if found else None


def vitest(text):
    found = words(text, r"(?m)^\s*Tests  .*\((\d+)\)")
    return found[-1] if found else None


def tap(text):
    """The runner's last line of its own: `# tests 12` of tape and node, `# { total: 12, … }` of tap."""
    found = words(text, r"(?m)^[#ℹ]\s+(?:tests|\{ total:) (\d+)")
    return found[-1] if found else None


def cargo(text):
    """The sum over all binaries and doctests."""
    lines = re.findall(r"(?m)^test result: .*", text)
    kinds = r"(\d+) (?:passed|failed|ignored)"
    return sum(sum(words(line, kinds)) for line in lines) if lines else None


def go(text):
    """The tests, examples and subtests that `go test -json` ended."""
    ended = set()
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("Test") and event.get("Action") in ("pass", "fail", "skip"):
            ended.add((event.get("Package"), event["Test"]))
    return len(ended) or None


READERS = {
    "pytest": pytest,
    "unittest": unittest,
    "mocha": mocha,
    "jest": jest,
    "vitest": vitest,
    "tap": tap,
    "cargo": cargo,
    "go": go,
}


def read(runner, text):
    """The runner's own count in this output; none if it tells none."""
    return READERS[runner](ANSI.sub("", text))
