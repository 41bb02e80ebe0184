//! pytest in several versions, and tests that share a name.

use super::super::battery;
use super::*;

/// Interpreters with pytest: the one on the path, and one with an older version.
pub(super) fn with_pytest() -> Vec<String> {
    let mut pythons = Vec::new();
    if has_pytest() {
        pythons.push("python3".to_owned());
    }
    if let Ok(bin) = std::env::var("TDD_TEST_PYTEST_OLD") {
        pythons.push(format!("{bin}/python3"));
    } else {
        assert!(std::env::var_os("CI").is_none(), "no TDD_TEST_PYTEST_OLD");
        println!("skipped: no TDD_TEST_PYTEST_OLD, so one version of pytest only");
    }
    pythons
}

fn with_canary(lab: &Lab, order: TestOrder) -> TestRun {
    let canary = CanaryWish::Beside(paths(&["tests/sub/test_ac_1.py"]));
    lab.order(&TestOrder { canary, ..order }).unwrap()
}

#[test]
fn pytest_plants_its_canary_whatever_the_call_names() {
    left_to_the_night!();
    for python in with_pytest() {
        let mut lab = pytest_lab_of(&python);
        lab.write(
            "tests/sub/conftest.py",
            "import pytest, shop.core\n@pytest.fixture(autouse=True)\ndef near():\n    shop.core.near = True\n",
        );
        lab.write("tests/sub/test_ac_1.py", "from shop import core\ndef test_a():\n    assert core.near\n");
        lab.write("other.ini", "[pytest]\ntestpaths = tests\n");
        let both = ["tests/sub/test_ac_1.py::test_a=ok", "tests/test_base.py::test_base=ok"];
        let calls = [
            ("", &both[..]),
            ("tests", &both),
            ("tests/test_base.py tests/sub/test_ac_1.py", &both),
            ("tests/test_base.py tests/sub/test_ac_1.py::test_a", &both),
            ("--import-mode=importlib tests", &both),
            ("--import-mode=append", &both),
            ("-c other.ini --rootdir .", &both),
            ("-k test_a", &both[..1]),
            ("-o python_files=check_*.py tests/sub/test_ac_1.py", &both[..1]),
            ("-o norecursedirs=sub tests/sub", &both[..1]),
        ];
        for (args, want) in battery::part(calls, 4) {
            lab.test = format!("{python} -m pytest -q {args}");
            let run = with_canary(&lab, TestOrder::default());
            assert_eq!(words(&run), want, "{python} {args}\n{}", run.output);
            assert_eq!((evidence(&run), run.canary), (Ok(()), Canary::SeenFailing), "{args}\n{}", run.output);
            assert!(!run.output.contains("test_q"), "{}", run.output);
        }
        // Some versions forget the folder. What the person's own call collects is what counts.
        lab.test = format!("{python} -m pytest -q tests tests/sub");
        let run = with_canary(&lab, TestOrder::default());
        assert_eq!((words(&run), run.canary), (words(&lab.run()), Canary::SeenFailing), "{}", run.output);
        let chosen = TestOrder { only_files: paths(&["tests/sub/test_ac_1.py"]), ..TestOrder::default() };
        let left =
            TestOrder { without: Without::files(paths(&["tests/test_base.py"])), ..TestOrder::default() };
        for order in [chosen, left] {
            let run = with_canary(&lab, order);
            assert_eq!((words(&run), run.canary), (vec![both[0].to_owned()], Canary::SeenFailing));
        }
    }
}

#[test]
fn a_canary_that_pytest_can_t_set_up_is_told_as_that() {
    left_to_the_night!();
    for python in with_pytest() {
        let lab = pytest_lab_of(&python);
        lab.write("tests/sub/test_ac_1.py", "def test_a():\n    pass\n");
        lab.write("conftest.py", "import pytest\nTABLE = {'test_ac_1', 'test_base'}\n@pytest.fixture(autouse=True)\ndef known(request):\n    assert request.module.__name__ in TABLE\n");
        let run = with_canary(&lab, TestOrder::default());
        assert_eq!(run.canary, Canary::Errored, "{}", run.output);
        let told = ["tests/sub/test_ac_1.py::test_a=ok", "tests/test_base.py::test_base=ok"];
        assert_eq!(words(&run), told, "{}", run.output);
    }
}

#[test]
fn a_package_is_named_by_its_module_for_pytest() {
    left_to_the_night!();
    for python in with_pytest() {
        let mut lab = pytest_lab_of(&python);
        lab.write("shop/tests/__init__.py", "").write("shop/tests/test_in.py", "def test_in(): pass\n");
        lab.test = format!("{python} -m pytest -q --pyargs shop.tests");
        check(&lab.run(), &["shop/tests/test_in.py::test_in=ok"]);
        check(&lab.only(&["tests/test_base.py"]), &["tests/test_base.py::test_base=ok"]);
        let selection = lab.tests().unwrap().selection(Suite::Test, &paths(&["tests/test_base.py"]));
        assert_eq!(selection, format!("{python} -m pytest -q --pyargs tests/test_base.py"));
    }
}

/// What a role is told to run: pytest itself runs no test at all where one file does not load.
#[test]
fn the_command_for_all_tests_goes_on_where_one_file_does_not_load() {
    left_to_the_night!();
    for python in with_pytest() {
        let mut lab = pytest_lab_of(&python);
        lab.write("tests/test_broken.py", "import nothing_of_that_name\n");
        lab.test = format!("{python} -m pytest -v -x tests");
        let everything = lab.tests().unwrap().everything();
        assert_eq!(everything, format!("{python} -m pytest -v --continue-on-collection-errors tests"));
        let passed = |line: &str| {
            let mut shell = std::process::Command::new("sh");
            let said = shell.args(["-c", line]).current_dir(lab.project()).output().unwrap();
            String::from_utf8_lossy(&said.stdout).contains("test_base.py::test_base PASSED")
        };
        assert_eq!((passed(&everything), passed(&lab.test)), (true, false), "{python}");
    }
}

const DOCUMENTED: &str = "def one():\n    '''\n    >>> one()\n    1\n    '''\n    return 1\ndef two():\n    '''\n    >>> two()\n    2\n    '''\n    return 2\n";

#[test]
fn pytest_loses_no_namesake_and_no_doctest() {
    left_to_the_night!();
    for python in with_pytest() {
        let mut lab = pytest_lab_of(&python);
        lab.test = format!("{python} -m pytest -q --doctest-modules tests shop");
        lab.write("shop/core.py", &DOCUMENTED.replace("return 2", "return 3"));
        let all = [
            "shop/core.py::shop.core.one=ok",
            "shop/core.py::shop.core.two=error",
            "tests/test_base.py::test_base=ok",
        ];
        check(&lab.run(), &all);
        check(&lab.ids(&["shop/core.py::shop.core.two"]), &all[1..2]);
        lab.write(
            "conftest.py",
            "def pytest_itemcollected(item):\n    if item.name.startswith('test_p'):\n        item._nodeid = item.nodeid.split('[')[0]\n",
        );
        lab.write(
            "tests/test_sub.py",
            "import pytest, unittest\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_p(n):\n    assert n == 2\n\
             class T(unittest.TestCase):\n    def test_t(self):\n        for i in (1, 2):\n            with self.subTest(i=i):\n                self.assertEqual(i, 1)\n",
        );
        let run = lab.only(&["tests/test_sub.py"]);
        let id = "tests/test_sub.py::test_p";
        let named = [
            "tests/test_sub.py::T::test_t=assertion".to_owned(),
            format!("{id} #2=ok"),
            format!("{id} #3=assertion"),
            format!("{id}=assertion"),
        ];
        assert_eq!((words(&run), evidence(&run)), (named.to_vec(), Ok(())), "{}", run.output);
        assert_eq!(words(&lab.ids(&[id])), named[1..], "a name is all of its tests");
    }
}

#[test]
fn pytest_that_runs_another_number_than_it_collected_is_no_evidence() {
    left_to_the_night!();
    for python in with_pytest() {
        let lab = pytest_lab_of(&python);
        lab.write("tests/test_more.py", "def test_more(): pass\n");
        assert_eq!(evidence(&lab.run()), Ok(()));
        lab.write(
            "conftest.py",
            "def pytest_collection_finish(session):\n    session.items = session.items[:1]\n",
        );
        let why = evidence(&lab.run()).unwrap_err();
        assert_eq!(why, "the runner counts 2 tests of its own, and 1 of them were told to tdd", "{python}");
    }
}

#[test]
fn a_pytest_that_is_too_old_is_a_trouble_with_its_version() {
    let lab = python_lab(RunnerKind::Pytest, "sh fake/pytest");
    let says = |words: &str| lab.write("fake/pytest", &format!("echo 'ERROR: {words}' >&2\nexit 4\n"));
    says("tdd reads pytest 7.0 and newer, and this is pytest 6.2.5");
    let trouble = lab.order(&TestOrder::default()).unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Environment);
    assert!(trouble.to_string().contains("and this is pytest 6.2.5\n"), "{trouble}");
    says("no such option");
    assert!(lab.run().report.is_none(), "another usage error is no such thing");
}

fn unittest_lab() -> Lab {
    let lab = python_lab(RunnerKind::Unittest, "python3 -m unittest");
    lab.write("shop/core.py", DOCUMENTED).write("tests/__init__.py", "");
    lab
}

#[test]
fn unittest_loses_no_doctest() {
    left_to_the_night!();
    if !has("python3", &["--version"]) {
        return;
    }
    let mut lab = unittest_lab();
    let load = "import doctest\ndef load_tests(loader, tests, ignore):\n    tests.addTests(doctest.DocTestSuite(core))\n    return tests\n";
    lab.write("tests/test_doc.py", &format!("{CASE}    def test_a(self):\n        pass\n{load}"));
    for test in ["python3 -m unittest", "python3 -m unittest tests.test_doc"] {
        lab.test = test.to_owned();
        for (source, two) in [
            (DOCUMENTED.to_owned(), "shop/core.py::shop.core.two=ok"),
            (DOCUMENTED.replace("return 2", "return 3"), "shop/core.py::shop.core.two=assertion"),
        ] {
            lab.write("shop/core.py", &source);
            let (one, plain) = ("shop/core.py::shop.core.one=ok", "tests/test_doc.py::T.test_a=ok");
            let run = lab.run();
            check(&run, &[one, two, plain]);
            assert_eq!(run.exit, Exit::Code(i32::from(two.ends_with("assertion"))));
            // It is made by another file than the one that its id begins with.
            check(&lab.ids(&["shop/core.py::shop.core.two"]), &[two]);
            check(&lab.ids(&["shop/core.py::shop.core.one", "tests/test_doc.py::T.test_a"]), &[one, plain]);
        }
    }
}

#[test]
fn unittest_runs_every_test_of_one_name_and_tells_what_load_tests_raised() {
    if !has("python3", &["--version"]) {
        return;
    }
    let lab = unittest_lab();
    let body = "    def test_n(self):\n        self.assertLess(self.n, 3)\n        with self.subTest():\n            self.skipTest('a part')\n";
    // The last one is in the suite twice.
    let load = "def load_tests(loader, tests, ignore):\n    suite = unittest.TestSuite()\n    for n in (1, 2, 3):\n        test = T('test_n')\n        test.n = n\n        suite.addTest(test)\n    suite.addTest(test)\n    return suite\n";
    lab.write("tests/test_many.py", &format!("{CASE}{body}{load}"));
    let id = "tests/test_many.py::T.test_n";
    let want = [
        format!("{id} #2=ok"),
        format!("{id} #3=assertion"),
        format!("{id} #4=assertion"),
        format!("{id}=ok"),
    ];
    let run = lab.run();
    assert_eq!((words(&run), evidence(&run)), (want.to_vec(), Ok(())), "{}", run.output);
    assert_eq!(words(&lab.ids(&[id])), want, "a name is all of its tests");
    let raises = "def load_tests(loader, tests, ignore):\n    raise KeyError(1)\n";
    lab.write("tests/test_many.py", &format!("{CASE}    def test_k(self):\n        pass\n{raises}"));
    check(&lab.run(), &["tests/test_many.py!load"]);
}

#[test]
fn unittest_that_counts_other_tests_than_it_yields_is_no_evidence() {
    if !has("python3", &["--version"]) {
        return;
    }
    let lab = unittest_lab();
    let suite = "class S(unittest.TestSuite):\n    def countTestCases(self):\n        return 5\ndef load_tests(loader, tests, ignore):\n    return S([T('test_a')])\n";
    lab.write("tests/test_s.py", &format!("{CASE}    def test_a(self):\n        pass\n{suite}"));
    let why = evidence(&lab.run()).unwrap_err();
    assert_eq!(why, "the runner counts 5 tests of its own, and 1 of them were told to tdd");
}

#[test]
fn ac_tdd_8_92_pytest_tells_what_it_has_loaded_beside_tests() {
    left_to_the_night!();
    for python in with_pytest() {
        let lab = pytest_lab_of(&python);
        lab.write("odd.ini", "[pytest]\naddopts = -p near\npythonpath = .\n");
        lab.write("near.py", "class Near:\n    pass\n\n\ndef pytest_configure(config):\n    config.pluginmanager.register(Near())\n");
        lab.write("tests/conftest.py", "import shop.core\n");
        let lab = Lab { test: format!("{python} -m pytest -q -c odd.ini --rootdir ."), ..lab };
        let loaded = lab.run().report.unwrap().loaded;
        assert_eq!(
            loaded,
            paths(&["near.py", "odd.ini", "tests/conftest.py"]).into_iter().collect(),
            "{python}"
        );
    }
}
