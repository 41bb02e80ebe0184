"""The requirement, and the cassettes of the scripted agent: an honest one, three that cheat, a fixer."""

import json

from .languages import FLAVOURS

CRITERIA = (
    "`{0}(number)` is half of the number, rounded down: 205 for 410, 3 for 7.",
    "`{1}(number, low, high)` is the nearest number within the bounds: 12 for 17 between 1 and 12.",
    "`{2}(text)` looks at how each word of the text begins, as the test shows.",
)


def flavour(repository):
    return FLAVOURS[repository.flavour or repository.runner]


def requirement(repository):
    names = flavour(repository).names
    lines = ["---", "id: REAL-1", "title: Small helpers", "---", "", "# Small helpers", "", "## Acceptance Criteria", ""]
    lines += [f"- AC-REAL-1.{n}: {text.format(*names)}" for n, text in enumerate(CRITERIA, 1)]
    return "\n".join(lines) + "\n"


def tests(repository):
    """Path and text of each criterion's test file."""
    own = flavour(repository)
    return {
        repository.criterion_file(n): test.format(imports=repository.imports.format(name=own.names[n - 1]))
        for n, test in enumerate(own.tests, 1)
    }


def say(repository, files):
    return {"status": "ok", "files": files, "command": repository.test or repository.plain, "output_excerpt": "as it should be"}


def honest(repository, root):
    """A test-writer, three implementers and a refactorer that do what they are asked."""
    own = flavour(repository)
    before = (root / repository.code).read_text()
    written = tests(repository)
    entries = [{"role": "test-writer", "write": written, "say": say(repository, list(written))}]
    for number, text in enumerate(own.functions, 1):
        entries.append(
            {
                "role": "implementer",
                "criterion": f"AC-REAL-1.{number}",
                "append": {repository.code: text},
                "say": say(repository, [repository.code]),
            }
        )
    tidy = before + own.functions[0] + own.functions[1] + own.tidied
    refactorer = {"role": "refactorer", "write": {repository.code: tidy}, "say": say(repository, [repository.code])}
    return entries + [refactorer]


def cheating(repository, root, how):
    """The honest one, whose first implementer also does something that it may not."""
    entries = honest(repository, root)
    cheats, implementer = repository.cheats, entries[1]
    # A retry finds the code in place; it must not be written twice.
    appended = implementer.pop("append")[repository.code]
    written = {repository.code: (root / repository.code).read_text() + appended}
    if how == "weaken":
        written[cheats.weaken.path] = cheats.weaken.content(root)
    elif how == "delete":
        implementer["delete"] = [cheats.delete]
    elif cheats.breaks.path == repository.code:
        written[repository.code] = cheats.breaks.content(root) + appended
    else:
        written[cheats.breaks.path] = cheats.breaks.content(root)
    implementer["write"] = written
    return entries


def fixing(repository, root):
    """A fixer that takes a fault back."""
    path = repository.fault.path
    return [{"role": "fixer", "write": {path: (root / path).read_text()}, "say": say(repository, [path])}]


def write(entries, path):
    """JSON is YAML, too."""
    path.write_text(json.dumps(entries, indent=1))
