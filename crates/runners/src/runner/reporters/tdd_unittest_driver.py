"""Runs unittest for tdd and tells it what happened: one JSON object a line, into a file of its own.

Run as a script, so that a folder named `unittest` in the project can't take the place of the
real one; the project comes on the path only after the import.
"""

import argparse
import importlib.util
import json
import os
import sys
import time
import unittest
import unittest.case

_project = os.getcwd()
# Where Python looks for modules by what is installed and by its environment.
_first_path = [path for path in sys.path[1:] if path]
_shared = {"__name__": "tdd_import_roots"}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tdd_import_roots.py"), encoding="utf-8") as _shared_file:
    exec(_shared_file.read(), _shared)
sys.path[0] = _project
_dump = json.dumps
_order = json.loads(os.environ.pop("TDD_ORDER", "{}"))
# Of the project, which is imported from here on, and in all that it starts, nothing compiled is read that
# lies beside its source.
if _order.get("compiled"):
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = _order["compiled"]
_left_out = frozenset(_order.get("leave_out", ()))
_only_files = frozenset(_order.get("only_files", ()))
# These, and those that the chosen ids begin with.
_chosen_files = frozenset(_order.get("chosen_files", ()))
_only_ids = frozenset(tuple(pair) for pair in _order.get("only_ids", ()))
_canary = _order.get("canary")
# Copies of judged tests, in which one expectation each may be another one; no discovery finds them.
_copies = _order.get("copies", ())
_own_files = frozenset(own["file"] for own in _copies)
_began = time.monotonic()
# Seconds that copies may take, or a part of what the run has taken before them.
_COPIES_LEAST, _COPIES_PART = 1.0, 0.1
_out = open(os.environ.pop("TDD_REPORT"), "x", encoding="utf-8")


def _write(**fields):
    _out.write(_dump(fields) + "\n")
    _out.flush()


def _chain(error):
    errors = []
    while error is not None and len(errors) < 6:
        kind = type(error)
        at = None
        frame = error.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code.co_filename
            parts = code.replace("\\", "/").split("/")
            if not code.startswith("<") and code != __file__ and not {"unittest", "importlib"} & set(parts):
                at = code
            frame = frame.tb_next
        name = getattr(error, "name", None)
        file = getattr(error, "filename", None)
        errors.append({
            "class": kind.__name__,
            "bases": [base.__name__ for base in kind.__mro__[1:]],
            "module": str(kind.__module__),
            "message": str(error)[:2000],
            "name": name if isinstance(name, str) else None,
            "file": file if isinstance(file, str) else None,
            "at": at,
        })
        error = error.__cause__ or error.__context__
    return errors


def _file_of(name):
    """The file that a dotted module name would be loaded from, whether it loads or not."""
    for root in sys.path:
        base = os.path.join(root or _project, *name.split("."))
        for path in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return os.path.realpath(path)
    return None


def _where(test):
    """The file and the name of a test, as tdd builds its id from. Two tests may have one."""
    method = getattr(test, "_testMethodName", None)
    doctest = getattr(test, "_dt_test", None)
    function = getattr(test, "_testFunc", None)
    if doctest is not None:
        # All of them are of one class; its id tells the object whose examples it runs.
        return _source(getattr(doctest, "filename", None)), test.id()
    if function is not None:
        return _source(getattr(getattr(function, "__code__", None), "co_filename", None)), test.id()
    module = sys.modules.get(type(test).__module__)
    file = getattr(module, "__file__", None)
    if file is None or method is None or type(test).__module__.startswith("unittest."):
        return None, test.id()
    return os.path.realpath(file), type(test).__qualname__ + "." + method


def _source(file):
    return os.path.realpath(file) if isinstance(file, str) and os.path.isfile(file) else None


class _Loader(unittest.TestLoader):
    """Leaves files out of discovery, and remembers why a module did not load."""

    def __init__(self, files=frozenset(), heard=frozenset()):
        super().__init__()
        # If there are any, nothing else is loaded, or nothing else is told of.
        self.files = files
        self.heard = heard
        self.told = set()
        self.failed = False

    def _match_path(self, path, full_path, pattern):
        real = os.path.realpath(full_path)
        if real in _left_out or real in _own_files or (self.files and real not in self.files):
            return False
        return super()._match_path(path, full_path, pattern)

    def _get_module_from_name(self, name):
        try:
            return super()._get_module_from_name(name)
        except BaseException as error:
            self.tell(_file_of(name) or name, error)
            raise

    def tell(self, file, error):
        if file not in self.told and (not self.heard or file in self.heard):
            skipped = isinstance(error, unittest.SkipTest)
            self.told.add(file)
            self.failed = self.failed or not skipped
            _write(ev="load", file=file, skipped=skipped, errors=_chain(error))


def _load_named(loader, names):
    suite = unittest.TestSuite()
    for name in names:
        path = os.path.realpath(name)
        if name.endswith(".py") and os.path.isfile(path):
            name = os.path.relpath(path, _project)[:-3].replace(os.sep, ".")
        try:
            suite.addTest(loader.loadTestsFromName(name))
        except BaseException as error:
            loader.tell(_file_of(name) or name, error)
            continue
        if loader.errors:
            loader.errors.clear()
            _find_failure(loader, name)
    return suite


def _find_failure(loader, name):
    """unittest turned an error into a test of its own; import again to get the error itself."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        file = _file_of(module)
        if file is None:
            continue
        if module in sys.modules:
            error = AttributeError("%r has no test %r" % (module, name))
        else:
            try:
                __import__(module)
                continue
            except BaseException as caught:
                error = caught
        loader.tell(file, error)
        return
    loader.tell(name, ImportError("no module or test is named %r" % name))


def _tests(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from _tests(part)
        else:
            yield part


def _wanted(loader, tests):
    for test in tests:
        kind = type(test).__name__
        if kind == "_FailedTest":
            # A module that did not load was told when it was imported; one whose `load_tests` failed was not.
            name = test._testMethodName
            if name in sys.modules:
                loader.tell(_file_of(name) or name, getattr(test, "_exception", None))
        if kind in ("_FailedTest", "ModuleSkipped"):
            continue
        where = _where(test)
        chosen = not _chosen_files and not _only_ids or where[0] in _only_files or where in _only_ids
        if chosen and where[0] not in _left_out:
            yield test


# Raised within a test it ends the test as a success. It is meant for a failed subtest where the first
# failure stops everything, which never is so here. Nothing is an instance of an empty tuple, so who
# raises it raises an error.
unittest.case._ShouldStop = ()


class _Result(unittest.TextTestResult):
    def __init__(self, *args):
        super().__init__(*args)
        # By the test itself, because two may have one name; and one may be in a suite twice.
        self.words = {}
        self.word = None
        self.around = {}
        self.began = None
        self.unstarted = 0

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        # Some versions start no test that is skipped, and stop it all the same.
        self.unstarted += self.began is None
        word = self.word or {"outcome": "pass", "phase": "call", "errors": []}
        word["ms"] = 0.0 if self.began is None else 1000.0 * (time.monotonic() - self.began)
        self.words.setdefault(id(test), []).append(word)
        self.word = self.began = None

    def _say(self, test, outcome, error=None):
        if not isinstance(test, unittest.TestCase):
            # An error holder of setUpClass, setUpModule or their ends: `setUpClass (module.Class)`.
            inside = test.id().rpartition("(")[2].rstrip(")")
            self.around[inside] = (outcome, _chain(error))
            return
        if self.word is None or self.word["outcome"] != "fail":
            self.word = {"outcome": outcome, "phase": "call", "errors": _chain(error)}

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say(test, "fail", err[1])

    def addError(self, test, err):
        super().addError(test, err)
        self._say(test, "fail", err[1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        # What a part of a test skips is no word about the whole.
        if not hasattr(test, "test_case"):
            self._say(test, "skip")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._say(test, "skip")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._say(test, "fail", AssertionError("unexpected success"))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._say(test, "fail", err[1])


def _report(result, tests):
    """One line for each collected test; what its class's or module's setUp said counts for it."""
    told = 0
    for at, test in enumerate(tests):
        file, name = _where(test)
        words = result.words.get(id(test))
        word = words.pop(0) if words else None
        kind = type(test)
        around = result.around.get(kind.__module__ + "." + kind.__qualname__) or result.around.get(kind.__module__)
        if around is not None and (word is None or word["outcome"] == "pass"):
            result.unstarted += word is None
            word = {"outcome": around[0], "phase": "setup", "errors": around[1]}
        if word is not None:
            told += 1
            _write(ev="test", file=file, name=name, at=at, **word)
    return told


def _arguments(words):
    """What unittest's own command line takes, as far as it says which tests to run."""
    parser = argparse.ArgumentParser(prog="python -m unittest", add_help=False, allow_abbrev=False)
    parser.add_argument("-k", dest="patterns", action="append", default=[])
    parser.add_argument("places", nargs="*")
    parser.set_defaults(start=None, pattern="test*.py", top=None, discovers=words[:1] == ["discover"])
    if words[:1] == ["discover"]:
        words = words[1:]
        parser.add_argument("-s", "--start-directory", dest="start")
        parser.add_argument("-p", "--pattern", dest="pattern", default="test*.py")
        parser.add_argument("-t", "--top-level-directory", dest="top")
    return parser.parse_known_args(words)[0]


def _load_canary():
    """By its path, whatever the call chooses."""
    if _canary is None:
        return []
    name = os.path.basename(_canary["file"])[:-3]
    spec = importlib.util.spec_from_file_location(name, _canary["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    # What it imports may hold tests of others.
    tests = _tests(unittest.defaultTestLoader.loadTestsFromModule(module))
    return [test for test in tests if type(test).__module__ == name]


def _package_of(folder):
    """The package that modules of this folder were loaded as parts of."""
    for module in list(sys.modules.values()):
        file, package = getattr(module, "__file__", None), getattr(module, "__package__", None)
        if package and isinstance(file, str) and os.path.realpath(os.path.dirname(file)) == folder:
            return package + "."
    return ""


def _load_copies():
    """As modules beside the judged ones; one that does not load is told by nobody."""
    found = []
    for own in _copies:
        name = _package_of(os.path.dirname(own["file"])) + os.path.basename(own["file"])[:-3]
        spec = importlib.util.spec_from_file_location(name, own["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
            tests = list(_tests(unittest.defaultTestLoader.loadTestsFromModule(module)))
        except BaseException:
            continue
        wanted = frozenset(test.replace("::", ".") for test in own["tests"])
        found += [test for test in tests if type(test).__module__ == name and _where(test)[1] in wanted]
    return found


def _run_copies(result, tests):
    """While there is time; later ones are passed over."""
    now = time.monotonic()
    until = now + max(_COPIES_LEAST, _COPIES_PART * (now - _began))
    for test in tests:
        if time.monotonic() > until:
            word = {"outcome": "skip", "phase": "", "errors": [], "ms": 0.0}
            result.words.setdefault(id(test), []).append(word)
            result.unstarted += 1
        else:
            _run_canary(result, [test])


def _run_canary(result, tests):
    """With the same means as all others, but without a word to the person."""
    stream, failures, errors = result.stream, list(result.failures), list(result.errors)
    shown = result.showAll, result.dots
    with open(os.devnull, "w") as nowhere:
        result.stream = unittest.runner._WritelnDecorator(nowhere)
        unittest.TestSuite(tests).run(result)
    failed = not result.wasSuccessful()
    result.stream, result.failures[:], result.errors[:] = stream, failures, errors
    result.showAll, result.dots = shown
    return failed


def _load(loader, found):
    if found.patterns:
        loader.testNamePatterns = [word if "*" in word else "*%s*" % word for word in found.patterns]
    if not found.discovers and found.places:
        return _load_named(loader, found.places)
    places = dict(enumerate(found.places))
    return loader.discover(
        found.start or places.get(0, "."), places.get(1, found.pattern), found.top or places.get(2)
    )


def _collect():
    """The loader, the tests, and how many the loader itself counts of them."""
    loader = _Loader(_chosen_files)
    suite = _load(loader, _arguments(sys.argv[1:]))
    parts = list(_tests(suite))
    tests = list(_wanted(loader, parts))
    if not _only_ids <= {_where(test) for test in tests}:
        # Another module's `load_tests` may make it, as those of doctests do.
        wide = _Loader(heard=_chosen_files)
        wide.told, wide.failed = loader.told, loader.failed
        loader, suite = wide, _load(wide, _arguments(_order["call"]))
        parts = list(_tests(suite))
        tests = list(_wanted(loader, parts))
    return loader, tests, suite.countTestCases() - len(parts) + len(tests)


def main():
    _write(ev="start", v=1)
    loader, tests, own = _collect()
    canary = _load_canary()
    copies = _load_copies()
    collected = []
    for test in tests + copies + canary:
        file, name = _where(test)
        collected.append({"file": file, "name": name})
    _write(ev="collected", tests=collected)
    _write(ev="loaded", files=[], roots=_shared["roots"](_first_path), hiding=_shared["hiding"]())
    stream = unittest.runner._WritelnDecorator(sys.stderr)
    result = _Result(stream, True, 2)
    result.startTestRun()
    try:
        unittest.TestSuite(tests).run(result)
        _run_copies(result, copies)
        # Last, when all that the judged tests do was done.
        red = _run_canary(result, canary) if canary else False
    finally:
        result.stopTestRun()
    result.printErrors()
    told = _report(result, tests + copies + canary)
    own, ran = own + len(copies) + len(canary), result.testsRun + result.unstarted
    status = 0 if result.wasSuccessful() and not loader.failed and not red else 1
    _write(ev="end", status=status, tests=told, own=own if own != told else ran)
    _out.close()
    if _order.get("keeper"):
        with open(_order["keeper"], encoding="utf-8") as keeper:
            exec(keeper.read(), {"__name__": "tdd_keep_compiled"})
    return status


if __name__ == "__main__":
    sys.exit(main())
