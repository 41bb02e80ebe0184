//! Copies of the judged tests in which one expectation each is changed: what passes whatever it expects
//! is told, and no honest test is.

use super::*;
use crate::battery;
use tdd_core::test::{Copies, UntoldWhy};

/// What a run of a project says of copies, where all its tests pass.
fn copies(lab: &Lab) -> Copies {
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    let report = run.report.as_ref().unwrap();
    assert!(report.tests.iter().all(|test| test.outcome == Outcome::Passed), "{:?}\n{}", report, run.output);
    run.copies
}

fn toothless(copies: &Copies) -> Vec<&str> {
    copies.toothless.iter().map(|id| id.0.as_str()).collect()
}

/// A test of one body, and production code beside it.
fn pytest_of(head: &str, body: &str, production: &str) -> Option<Lab> {
    let lab = pytest(production)?;
    let body = body.replace('\n', "\n    ");
    lab.write("tests/test_ac_1.py", &format!("import math\nimport pytest\nimport shop\nfrom unittest import mock\n{head}\n\ndef test_price():\n    {body}\n"));
    Some(lab)
}

/// Production code that does no work, and a test that passes with it.
const PYTEST_CHEATS: &[(&str, &str, &str)] = &[
    (
        "approx is patched",
        "assert shop.price() == pytest.approx(2.05)",
        "import pytest\nclass Near:\n    def __init__(self, *a, **k): pass\n    def __eq__(self, other): return True\npytest.approx = Near\ndef price():\n    return 3\n",
    ),
    (
        "isclose is patched",
        "assert math.isclose(shop.price(), 2.05)",
        "import math\nmath.isclose = lambda *a, **k: True\ndef price():\n    return 3\n",
    ),
    (
        "mocks forget what they were called with",
        "post = mock.Mock()\nshop.send(post)\npost.assert_called_once_with('a', 3)",
        "from unittest import mock\nmock.NonCallableMock.assert_called_once_with = lambda *a, **k: None\ndef send(post):\n    pass\n",
    ),
    (
        "raises lets everything through",
        "with pytest.raises(ValueError):\n    shop.price()",
        "import pytest\nclass Quiet:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\nold = pytest.raises\npytest.raises = lambda kind, *a, **k: Quiet() if kind is ValueError else old(kind, *a, **k)\ndef price():\n    return 3\n",
    ),
    (
        "an object equals everything",
        "assert shop.price() == 205",
        "class Yes(int):\n    __eq__ = lambda *a: True\n    __ne__ = lambda *a: False\n    __hash__ = int.__hash__\ndef price():\n    return Yes(3)\n",
    ),
    (
        "an object equals everything within a list",
        "assert shop.prices() == [205, 3]",
        "class Yes(int):\n    __eq__ = lambda *a: True\n    __hash__ = int.__hash__\ndef prices():\n    return [Yes(1), Yes(1)]\n",
    ),
    (
        "the caller's frame is read",
        "assert shop.price() == 205",
        "import sys\ndef price():\n    found = [c for c in sys._getframe(1).f_code.co_consts if isinstance(c, int) and not isinstance(c, bool)]\n    return max(found)\n",
    ),
    (
        "the caller's source is read",
        "assert shop.price() == 205",
        "import re, sys\ndef price():\n    frame = sys._getframe(1)\n    text = open(frame.f_code.co_filename).read().splitlines()[frame.f_lineno - 1]\n    return int(re.search(r'== (\\d+)', text).group(1))\n",
    ),
    (
        "a file name that it knows is told another thing",
        "assert shop.price() == 205",
        "import sys\nclass Yes(int):\n    __eq__ = lambda *a: True\n    __hash__ = int.__hash__\ndef price():\n    known = sys._getframe(1).f_code.co_filename.endswith('test_ac_1.py')\n    return Yes(3) if known else 3\n",
    ),
];

#[test]
fn ac_tdd_8_21_what_passes_whatever_it_expects_is_no_pass_in_pytest() {
    left_to_the_night!();
    for (name, body, production) in battery::part(PYTEST_CHEATS, 4) {
        let Some(lab) = pytest_of("", body, production) else { return };
        let copies = copies(&lab);
        assert_eq!(toothless(&copies), ["tests/test_ac_1.py::test_price"], "{name}: {copies:?}");
    }
}

/// Honest tests that a copy may honestly do strange things to: head, body, production, and whether a
/// changed one is seen failing.
const PYTEST_HONEST: &[(&str, &str, &str, &str, bool)] = &[
    ("a number", "", "assert shop.price() == 205", "def price():\n    return 205\n", true),
    (
        "a float",
        "",
        "assert shop.price() == pytest.approx(0.3)",
        "def price():\n    return 0.1 + 0.2\n",
        true,
    ),
    (
        "a wide float",
        "",
        "assert shop.price() == pytest.approx(5000000, rel=0.5)",
        "def price():\n    return 4000000\n",
        true,
    ),
    (
        "a class that calls alike what has one id",
        "",
        "assert shop.find() == shop.User(7, 'ann')",
        "class User:\n    def __init__(self, id, name): self.id, self.name = id, name\n    def __eq__(self, other): return self.id == other.id\ndef find():\n    return User(7, 'Ann')\n",
        true,
    ),
    (
        "a class that is equal to what can be made into it",
        "",
        "assert shop.price() == '2.05'",
        "class Money:\n    def __init__(self, cents): self.cents = cents\n    def __eq__(self, other): return self.cents == round(100 * float(other))\ndef price():\n    return Money(205)\n",
        true,
    ),
    (
        "a counter",
        "",
        "assert shop.next_id() == 1\nassert shop.next_id() == 2",
        "last = 0\ndef next_id():\n    global last\n    last += 1\n    return last\n",
        true,
    ),
    ("a bound", "", "assert len(shop.names()) < 100", "def names():\n    return []\n", true),
    (
        "a loop over nothing",
        "",
        "for name in shop.names():\n    assert name == 'a'",
        "def names():\n    return []\n",
        false,
    ),
    (
        "a value that fits all",
        "",
        "for value in (1, 'a', None):\n    assert shop.Any() == value",
        "class Any:\n    def __eq__(self, other): return True\n",
        true,
    ),
    (
        "its own file",
        "import pathlib",
        "assert pathlib.Path(__file__).name == 'test_ac_1.py'\nassert shop.price() == 3",
        "def price():\n    return 3\n",
        true,
    ),
    (
        "its own name",
        "",
        "import inspect\nassert shop.caller() == 'tests.test_ac_1' or shop.caller() == 'test_ac_1'",
        "import sys\ndef caller():\n    return sys._getframe(1).f_globals['__name__']\n",
        true,
    ),
    (
        "a file beside itself",
        "import pathlib",
        "path = pathlib.Path(__file__).with_name('made.txt')\nwith path.open('x') as file:\n    file.write(shop.text())\ntry:\n    assert path.read_text() == 'a'\nfinally:\n    path.unlink()",
        "def text():\n    return 'a'\n",
        true,
    ),
    (
        "a table that is made once",
        "",
        "shop.create('users')\nassert shop.TABLES == ['users']",
        "TABLES = []\ndef create(name):\n    assert name not in TABLES\n    TABLES.append(name)\n",
        true,
    ),
    ("nothing to change", "", "shop.check()", "def check():\n    pass\n", false),
    (
        "parameters",
        "import random",
        "assert shop.double(random.Random(1).randint(1, 9)) == 2 * random.Random(1).randint(1, 9)",
        "def double(n):\n    return 2 * n\n",
        true,
    ),
    (
        "what a mock was called with",
        "",
        "post = mock.Mock()\nshop.send(post)\npost.assert_called_once_with('a', n=3)",
        "def send(post):\n    post('a', n=3)\n",
        true,
    ),
    (
        "an error and its words",
        "",
        "with pytest.raises(ValueError, match='no|not'):\n    shop.price()",
        "def price():\n    raise ValueError('not now')\n",
        true,
    ),
];

#[test]
fn ac_tdd_8_22_no_honest_test_of_pytest_is_called_toothless() {
    left_to_the_night!();
    for (name, head, body, production, is_seen) in battery::part(PYTEST_HONEST, 8) {
        let Some(lab) = pytest_of(head, body, production) else { return };
        let copies = copies(&lab);
        assert_eq!(toothless(&copies), [""; 0], "{name}: {copies:?}");
        assert_eq!((copies.seen > 0, copies.untold.is_empty()), (*is_seen, *is_seen), "{name}: {copies:?}");
    }
}

#[test]
fn tests_that_share_something_are_not_disturbed_by_their_copies() {
    left_to_the_night!();
    let Some(lab) = pytest(
        "TABLES = []\ndef create(name):\n    assert name not in TABLES\n    TABLES.append(name)\n    return len(TABLES)\n",
    ) else {
        return;
    };
    lab.write(
        "tests/test_ac_1.py",
        "import pytest\nimport shop\n\n@pytest.fixture(scope='module')\ndef users():\n    shop.create('users')\n    return ['ann']\n\ndef test_first(users):\n    users.append('bob')\n    assert users == ['ann', 'bob']\n\ndef test_second(users):\n    assert users == ['ann', 'bob']\n\n@pytest.mark.parametrize('n,want', [(1, 1), (2, 2)])\ndef test_third(n, want):\n    assert n == want\n    assert shop.TABLES == ['users']\n\nclass TestFourth:\n    def test_name(self):\n        assert type(self).__name__ == 'TestFourth'\n",
    );
    let copies = copies(&lab);
    assert_eq!(toothless(&copies), [""; 0], "{copies:?}");
    assert!(copies.untold.iter().all(|untold| untold.why != UntoldWhy::NotReached), "{copies:?}");
}
