"""Repositories in Python."""

from .repository import Cheats, Edit, Repository
from .sources import Pypi

VENV = "python3 -m venv .venv"
PIP = "python3 -m pip install --quiet --disable-pip-version-check"

REPOSITORIES = (
    Repository(
        name="click",
        language="python",
        stands_for="a pytest 8 suite",
        sources=(("", Pypi("click", "8.1.7")),),
        install=(VENV, f"{PIP} pytest==8.3.5", f"{PIP} --editable ."),
        runner="pytest",
        plain="pytest",
        code="src/click/utils.py",
        tests="tests/test_ac_real_1_{n}.py",
        imports="from click.utils import {name}",
        cheats=Cheats(
            weaken=Edit("tests/test_utils.py", 'assert f.getvalue() == "hello\\n"', "assert f.getvalue()"),
            delete="tests/test_compat.py",
            breaks=Edit("src/click/utils.py", "return str(value)", "return repr(value)"),
        ),
        fault=Edit("src/click/utils.py", 'words = help.split()', 'words = help.split("!")'),
    ),
    Repository(
        name="flask",
        language="python",
        stands_for="pytest, with settings that make warnings errors",
        sources=(("", Pypi("flask", "3.0.3")),),
        install=(VENV, f"{PIP} pytest==8.2.2 werkzeug==3.0.3", f"{PIP} --editable ."),
        runner="pytest",
        plain="python -m pytest -q",
        test="python -m pytest -q",
        code="src/flask/helpers.py",
        tests="tests/test_ac_real_1_{n}.py",
        imports="from flask.helpers import {name}",
    ),
    Repository(
        name="tomlkit",
        language="python",
        stands_for="a suite that writes below its tests",
        sources=(("", Pypi("tomlkit", "0.13.2")),),
        install=(VENV, f"{PIP} pytest==7.4.4 PyYAML==6.0.2", f"{PIP} --editable ."),
        runner="pytest",
        plain="pytest -q tests",
        test="pytest -q tests",
        code="tomlkit/_utils.py",
        tests="tests/test_ac_real_1_{n}.py",
        imports="from tomlkit._utils import {name}",
    ),
    Repository(
        name="packaging",
        language="python",
        stands_for="tens of thousands of tests by tables",
        sources=(("", Pypi("packaging", "24.2")),),
        install=(VENV, f"{PIP} pytest==9.0.3 pretend==1.0.9", f"{PIP} --editable ."),
        runner="pytest",
        plain="pytest",
        code="src/packaging/utils.py",
        tests="tests/test_ac_real_1_{n}.py",
        imports="from packaging.utils import {name}",
    ),
    Repository(
        name="more-itertools",
        language="python",
        stands_for="unittest with doctests by load_tests",
        sources=(("", Pypi("more-itertools", "10.5.0")),),
        install=(VENV, f"{PIP} --editable ."),
        runner="unittest",
        plain="python3 -m unittest",
        test="python3 -m unittest",
        code="more_itertools/recipes.py",
        tests="tests/test_ac_real_1_{n}.py",
        imports="from more_itertools.recipes import {name}",
        fault=Edit("more_itertools/recipes.py", "return list(islice(iterable, n))", "return list(islice(iterable, n + 1))"),
    ),
)
