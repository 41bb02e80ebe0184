"""Tells tdd what pytest did: one JSON object a line, into a file of its own.

Loaded by `-p`. It also leaves out test files and picks tests, because command line arguments
would change pytest's root folder and with it the ids.
"""

import json
import os
import pathlib
import sys
import time
import types
import unittest.case

import pytest

# The hooks below have arguments that older ones do not know. What is said here is looked for by name.
if getattr(pytest, "version_tuple", (0,)) < (7,):
    raise pytest.UsageError("tdd reads pytest 7.0 and newer, and this is pytest " + pytest.__version__)

# Raised within a test of unittest it ends the test as a success; the driver of unittest says more.
unittest.case._ShouldStop = ()

# Where Python looks for modules by what is installed and by its environment: neither the current folder
# nor what pytest adds for tests is among it yet.
_own_folder = os.path.dirname(os.path.abspath(__file__))
_first_path = [path for path in sys.path if path and path != _own_folder]
_shared = {"__name__": "tdd_import_roots"}
with open(os.path.join(_own_folder, "tdd_import_roots.py"), encoding="utf-8") as _shared_file:
    exec(_shared_file.read(), _shared)

# `python -m pytest` puts the current folder first on the path. We had that put off until pytest and
# its own plugins were imported, so that nothing in the project can take their place; the rest of
# the run, and what it starts, must not notice.
if os.environ.pop("TDD_LATE_CWD", None):
    os.environ.pop("PYTHONSAFEPATH", None)
    sys.path.insert(0, os.getcwd())

# Nothing in the environment tells tests which of them are copies, or where the report is.
_order = json.loads(os.environ.pop("TDD_ORDER", "{}"))
_report = os.environ.pop("TDD_REPORT", None)
# Of the project, which is imported from here on, and in all that it starts, nothing compiled is read that
# lies beside its source.
if _order.get("compiled"):
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = _order["compiled"]
_left_out = frozenset(_order.get("leave_out", ()))
_only_files = frozenset(_order.get("only_files", ()))
_only_ids = frozenset(tuple(pair) for pair in _order.get("only_ids", ()))
_canary = _order.get("canary")
# Copies of judged tests, in which one expectation each may be another one.
_copies = _order.get("copies", ())
_own_files = frozenset(own["file"] for own in [*_copies, _canary] if own)
_own_items = {}
_own_names = set()
_began = [time.monotonic()]
# Seconds that copies may take, or a part of what the run has taken before them.
_COPIES_LEAST, _COPIES_PART = 1.0, 0.1
_copies_until = [None]
_out = None
# By the test itself: two tests may have one name.
_results = {}
_places = {}
_told = [0]
_dump = json.dumps


def _write(**fields):
    if _out is not None:
        _out.write(_dump(fields) + "\n")
        _out.flush()


def _chain(error):
    errors = []
    while error is not None and len(errors) < 6:
        kind = type(error)
        at = None
        frame = error.__traceback__
        while frame is not None:
            name = frame.tb_frame.f_code.co_filename
            parts = name.replace("\\", "/").split("/")
            if not name.startswith("<") and "_pytest" not in parts and "importlib" not in parts and "pluggy" not in parts:
                at = name
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


def _tell_loaded(config):
    # What pytest itself has loaded, whoever named it: its configuration, and where its plugins come from.
    files = {getattr(config, "inipath", None)}
    for plugin in config.pluginmanager.get_plugins():
        owner = plugin if isinstance(plugin, (types.ModuleType, type)) else type(plugin)
        module = owner if isinstance(owner, types.ModuleType) else sys.modules.get(owner.__module__)
        files.add(getattr(module, "__file__", None))
    files = sorted(str(file) for file in files if isinstance(file, (str, os.PathLike)))
    _write(ev="loaded", files=files, roots=_shared["roots"](_first_path), hiding=_shared["hiding"]())


def _where(item):
    path = getattr(item, "path", None) or getattr(item, "fspath", None)
    name = item.nodeid.split("::", 1)[1] if "::" in item.nodeid else item.nodeid
    return (str(path) if path is not None else None), name


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    global _out
    # What a worker process of xdist sees has no exception objects, so tests run in this process;
    # stopping at the first failure would hide the other tests.
    option = config.option
    if getattr(option, "numprocesses", None):
        option.numprocesses = None
    if getattr(option, "dist", "no") != "no":
        option.dist = "no"
    if getattr(option, "tx", None):
        option.tx = []
    if getattr(option, "maxfail", 0):
        option.maxfail = 0
    if _report and _out is None:
        _out = open(_report, "x", encoding="utf-8")
        _write(ev="start", v=1)


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path):
    # The canary is collected apart: as one more argument beside a folder that holds it, some versions
    # would collect it alone.
    path = os.path.realpath(collection_path)
    return True if path in _left_out or path in _own_files else None


def pytest_itemcollected(item):
    # Namesakes are told apart by this order, which no plugin has changed yet.
    _places.setdefault(item, len(_places))


def _folder_of(session, items, folder):
    """The collector of this folder, as it was made for the tests that lie there."""
    modules = dict.fromkeys(item.getparent(pytest.Module) for item in items)
    for module in modules:
        if module is not None and os.path.realpath(os.path.dirname(str(module.path))) == folder:
            return module.parent
    return session


def _collect_own(session, items, own):
    """Whatever the call chooses, and without a change of the root folder."""
    path = pathlib.Path(own["file"])
    parts = path.with_suffix("").parts
    # Its assertions are rewritten even if its name is not that of a test file.
    pytest.register_assert_rewrite(*(".".join(parts[at:]) for at in range(1, len(parts))))
    parent = _folder_of(session, items, str(path.parent))
    hook = session.gethookproxy(path)
    module = hook.pytest_pycollect_makemodule(module_path=path, parent=parent)
    # What it imports may hold tests of others.
    found = {_where(item)[1]: item for item in session.genitems(module)}
    if own is not _canary:
        wanted = frozenset(own["tests"])
        return [item for name, item in found.items() if name.split("[")[0] in wanted]
    for name in own["tests"] if found else ():
        if name not in found and hasattr(module.obj, name):
            # Functions may have to be named in another way here.
            found[name] = pytest.Function.from_parent(module, name=name)
    return [found[name] for name in own["tests"] if name in found]


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    # The canary is nothing that a filter or an order of the person's is about. It runs last, when
    # all that the judged tests do was done.
    collected = list(items)
    yield
    _pick(config, items)
    if _copies:
        config.pluginmanager.register(_InTime())
    for own in [*_copies, _canary]:
        if own:
            more = _collect_own(session, collected, own)
            _own_items.update((item, own) for item in more)
            _own_names.update(item.nodeid for item in more)
            items.extend(more)


class _InTime:
    """Copies take no more time than they are worth: later ones are passed over."""

    @staticmethod
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        own = _own_items.get(item)
        if own is None or own is _canary:
            return None
        now = time.monotonic()
        if _copies_until[0] is None:
            _copies_until[0] = now + max(_COPIES_LEAST, _COPIES_PART * (now - _began[0]))
        if now <= _copies_until[0]:
            return None
        _results[item] = {"outcome": "skip", "phase": "", "errors": [], "ms": 0.0}
        # The one before it has left set up what this one would have shared with it, and the next one may not.
        try:
            item.session._setupstate.teardown_exact(nextitem)
        except Exception:
            pass
        return True


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    # It is no news to the person that it failed.
    if report.nodeid in _own_names:
        return "", "", ""
    return None


# Hook wrappers are of the older kind, which every version knows.
@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    outcome = yield
    report = outcome.get_result()
    if report.outcome != "passed":
        info = getattr(getattr(report, "call", None), "excinfo", None)
        path = getattr(collector, "path", None)
        if path is not None and not (report.outcome == "skipped" and os.path.isdir(path)):
            _write(ev="load", file=str(path), skipped=report.outcome == "skipped",
                   errors=_chain(info.value) if info else [], output=str(report.longrepr)[:4000])


def _pick(config, items):
    if not _only_ids:
        return
    kept, dropped = [], []
    for item in items:
        path, name = _where(item)
        path = os.path.realpath(path) if path else None
        # Who asks for a function asks for all its rows.
        function = name.partition("[")[0] if name.endswith("]") else name
        wanted = path in _only_files or (path, name) in _only_ids or (path, function) in _only_ids
        (kept if wanted else dropped).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_collection_finish(session):
    items = sorted(session.items, key=lambda item: _places.get(item, len(_places)))
    tests = []
    for at, item in enumerate(items):
        _places[item] = at
        path, name = _where(item)
        tests.append({"file": path, "name": name})
    _write(ev="collected", tests=tests)
    _tell_loaded(session.config)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    # Read before any other hook can rewrite it: a report that says more good than the raised
    # exception is not believed.
    raised = call.excinfo.value if call.excinfo else None
    result = yield
    report = result.get_result()
    state = _results.setdefault(item, {"outcome": "pass", "phase": "", "errors": [], "ms": 0.0})
    state["ms"] += 1000.0 * float(getattr(call, "duration", 0.0))
    expected = hasattr(report, "wasxfail")
    skipped = raised is not None and type(raised).__name__ == "Skipped"
    failed = report.outcome == "failed" or (raised is not None and not skipped and not expected)
    if state["outcome"] == "fail":
        return
    if failed:
        errors = _chain(raised)
        if not errors:
            errors = [{"class": "Failed", "bases": [], "module": "pytest", "message": str(report.longrepr)[:2000]}]
        state.update(outcome="fail", phase=call.when, errors=errors)
    elif skipped or expected or report.outcome == "skipped":
        state["outcome"] = "skip"
    elif call.when == "call":
        # Subtests are told as calls too, before the test that holds them: its own word is the last.
        state["outcome"] = "pass"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    yield
    # A test's word counts once its teardown is over.
    state = _results.pop(item, None)
    if state is not None:
        path, name = _where(item)
        _told[0] += 1
        _write(ev="test", file=path, name=name, at=_places.get(item), **state)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    _tell_loaded(session.config)
    _write(ev="end", status=int(exitstatus), tests=_told[0], own=session.testscollected)
    if _out is not None and _order.get("keeper"):
        with open(_order["keeper"], encoding="utf-8") as keeper:
            exec(keeper.read(), {"__name__": "tdd_keep_compiled"})
