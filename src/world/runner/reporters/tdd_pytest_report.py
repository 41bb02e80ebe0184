"""Tells tdd what pytest did: one JSON object a line, into a file of its own.

Loaded by `-p`. It also leaves out test files and picks tests, because command line arguments
would change pytest's root folder and with it the ids.
"""

import json
import os
import sys
import unittest.case

import pytest

# Raised within a test of unittest it ends the test as a success; the driver of unittest says more.
unittest.case._ShouldStop = ()

# `python -m pytest` puts the current folder first on the path. We had that put off until pytest and
# its own plugins were imported, so that nothing in the project can take their place; the rest of
# the run, and what it starts, must not notice.
if os.environ.pop("TDD_LATE_CWD", None):
    os.environ.pop("PYTHONSAFEPATH", None)
    sys.path.insert(0, os.getcwd())

_order = json.loads(os.environ.get("TDD_ORDER", "{}"))
_left_out = frozenset(_order.get("leave_out", ()))
_only_ids = frozenset(tuple(pair) for pair in _order.get("only_ids", ()))
_canary = _order.get("canary") or {"file": None, "tests": []}
_canary_items = []
_out = None
_results = {}
_count = [0]
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
    path = os.environ.get("TDD_REPORT")
    if path and _out is None:
        _out = open(path, "x", encoding="utf-8")
        _write(ev="start", v=1)


def pytest_ignore_collect(collection_path):
    if os.path.realpath(collection_path) in _left_out:
        return True
    return None


def pytest_configure(config):
    # Collected whatever the call chooses, and without a change of the root folder.
    if _canary["file"]:
        config.args.append(_canary["file"])


def _is_canary(item):
    path = getattr(item, "path", None) or getattr(item, "fspath", None)
    return _canary["file"] is not None and path is not None and os.path.realpath(path) == _canary["file"]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    # The canary is nothing that a filter or an order of the person's is about. It runs last, when
    # all that the judged tests do was done.
    own = {}
    for item in items:
        # What it imports may hold tests of others.
        if _is_canary(item) and _where(item)[1] in _canary["tests"]:
            own.setdefault(_where(item)[1], item)
    items[:] = [item for item in items if not _is_canary(item)]
    yield
    _pick(config, items)
    module = next(iter(own.values())).getparent(pytest.Module) if own else None
    for name in _canary["tests"]:
        if name not in own and module is not None and hasattr(module.obj, name):
            # Functions may have to be named in another way here.
            own[name] = pytest.Function.from_parent(module, name=name)
    _canary_items[:] = own.values()
    items.extend(_canary_items)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    # It is no news to the person that it failed.
    if any(item.nodeid == report.nodeid for item in _canary_items):
        return "", "", ""
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if report.outcome != "passed":
        info = getattr(getattr(report, "call", None), "excinfo", None)
        path = getattr(collector, "path", None)
        if path is not None and not (report.outcome == "skipped" and os.path.isdir(path)):
            _write(ev="load", file=str(path), skipped=report.outcome == "skipped",
                   errors=_chain(info.value) if info else [], output=str(report.longrepr)[:4000])
    return report


def _pick(config, items):
    if not _only_ids:
        return
    kept, dropped = [], []
    for item in items:
        path, name = _where(item)
        wanted = (os.path.realpath(path) if path else None, name) in _only_ids
        (kept if wanted else dropped).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_collection_finish(session):
    tests = []
    for item in session.items:
        path, name = _where(item)
        tests.append({"file": path, "name": name})
    _write(ev="collected", tests=tests)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    # Read before any other hook can rewrite it: a report that says more good than the raised
    # exception is not believed.
    raised = call.excinfo.value if call.excinfo else None
    report = yield
    state = _results.setdefault(item.nodeid, {"outcome": "pass", "phase": "", "errors": [], "ms": 0.0})
    state["ms"] += 1000.0 * float(getattr(call, "duration", 0.0))
    expected = hasattr(report, "wasxfail")
    skipped = raised is not None and type(raised).__name__ == "Skipped"
    failed = report.outcome == "failed" or (raised is not None and not skipped and not expected)
    if failed and state["outcome"] != "fail":
        errors = _chain(raised)
        if not errors:
            errors = [{"class": "Failed", "bases": [], "module": "pytest", "message": str(report.longrepr)[:2000]}]
        state.update(outcome="fail", phase=call.when, errors=errors)
    elif state["outcome"] == "pass" and (skipped or expected or report.outcome == "skipped"):
        state["outcome"] = "skip"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    # A test's word counts once its teardown is over.
    result = yield
    state = _results.pop(item.nodeid, None)
    if state is not None:
        path, name = _where(item)
        _count[0] += 1
        _write(ev="test", file=path, name=name, **state)
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    _write(ev="end", status=int(exitstatus), tests=_count[0])
