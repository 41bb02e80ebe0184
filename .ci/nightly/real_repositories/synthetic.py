"""A suite of 20,000 tests, to see what `tdd` itself keeps in memory."""

from . import journal, measured, scripted
from .repository import Repository, make, reset

TESTS, FILES = 20_000, 20
MOST_MIB = 100
# It prints TAP as a runner would, one point a test, and takes no time.
RUNNER = """import glob, importlib.util, sys

names = sys.argv[1:] or sorted(glob.glob("checks/*.py"))
number = red = 0
for name in names:
    spec = importlib.util.spec_from_file_location("checked", name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [(title, check) for title, check in vars(module).items() if title.startswith("test_")]
    found += list(getattr(module, "TABLE", {}).items())
    for title, check in found:
        number += 1
        try:
            check()
            print(f"ok {number} - {name} {title}")
        except Exception as trouble:
            red += 1
            print(f"not ok {number} - {name} {title}\\n  ---\\n  message: {trouble!r}\\n  ...")
print(f"1..{number}")
print(f"# tests {number}")
sys.exit(1 if red else 0)
"""
CHECKS = """def same(number):
    def check():
        assert number == number
    return check


TABLE = {f"a fairly long name of the test with the number {number} of this file": same(number) for number in range(%d)}
"""


def entry():
    files = {f"checks/many_{number:02}.py": CHECKS % (TESTS // FILES) for number in range(FILES)}
    files["run_checks.py"] = RUNNER
    files["helpers.py"] = "# Small helpers.\n"
    runner = "{ kind: tap, all: python3 run_checks.py, select: 'python3 run_checks.py {files}' }"
    return Repository(
        name="synthetic",
        language="python",
        stands_for="20,000 tests",
        sources=(),
        files=files,
        runner="tap",
        flavour="pytest",
        plain="python3 run_checks.py",
        config=f"test: python3 run_checks.py\nrunner: {runner}\ntest_files: ['checks/**']\n",
        code="helpers.py",
        tests="checks/ac_real_1_{n}.py",
        imports="def {name}(*words):\n    import helpers\n\n    return helpers.{name}(*words)",
    )


def synthetic(work, tdd):
    """A line for the summary, and what is not as expected."""
    suite, root = entry(), work / "synthetic"
    make(suite, work, root)
    reset(root)
    cassette, log = work / "synthetic.json", work / "synthetic.log"
    scripted.write(scripted.honest(suite, root), cassette)
    argv = [tdd, "run", "REAL-1", "--new", "--cassette", str(cassette)]
    done = measured.run(argv, root, suite.env(root), log, suite.minutes * 60)
    story = journal.read(root, suite.runner)
    line = (
        f"memory of tdd with {story.collected} tests: {done.peak_mib:.0f} MiB (bound {MOST_MIB}), "
        f"{done.wall:.1f} s, exit {done.code}"
    )
    failed = []
    if done.code != 0 or (story.collected or 0) < TESTS:
        failed.append(f"synthetic: exit {done.code}, {story.collected} tests at the baseline")
    if done.peak_mib > MOST_MIB:
        failed.append(f"synthetic: tdd took {done.peak_mib:.0f} MiB")
    return line, failed
