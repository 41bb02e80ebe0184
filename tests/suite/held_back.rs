//! Files of tests that were there, and that do not load before what one criterion adds is there.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_go, has_pytest};

type Written<'a> = &'a [(&'a str, &'a str)];

/// A project, the tests of two criteria (those of the second lie in a file that was there), and code for each.
struct Project {
    files: Written<'static>,
    command: &'static str,
    first: (&'static str, &'static str),
    second: (&'static str, &'static str),
    /// The second criterion's, by ids.
    own: Value,
    supersedes: Value,
    code: [(&'static str, &'static str); 2],
    /// What breaks a test that was there, in the second one's file.
    breaks: (&'static str, &'static str),
    broken: &'static str,
}

fn python() -> Project {
    Project {
        files: &[
            (".gitignore", "__pycache__/\n"),
            ("conftest.py", ""),
            ("shop.py", "def one():\n    return 1\n"),
            ("tests/test_shop.py", "from shop import one\n\n\ndef test_one():\n    assert one() == 1\n"),
        ],
        command: "python3 -m pytest -q",
        first: ("tests/test_ac_ste_1_1.py", "import shop\n\n\ndef test_two():\n    assert shop.two() == 2\n"),
        second: (
            "tests/test_shop.py",
            "from shop import one, three\n\n\ndef test_one():\n    assert one() == 1\n\n\ndef test_three():\n    assert three() == 3\n",
        ),
        own: json!({ "AC-STE-1.2": ["tests/test_shop.py::test_three"] }),
        supersedes: json!({}),
        code: [
            ("shop.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n"),
            (
                "shop.py",
                "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n",
            ),
        ],
        breaks: ("return 1", "return 7"),
        broken: "tests/test_shop.py::test_one",
    }
}

/// A signature that changes: the file of the old tests does not compile before.
fn go() -> Project {
    const OLD: &str = "package shop\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(One())\n\t}\n}\n\n\
                       func TestThree(t *testing.T) {\n\tif Three(CALL) != 3 {\n\t\tt.Fatal(\"three\")\n\t}\n}\n";
    const CODE: &str = "package shop\n\nfunc One() int { return 1 }\n\nfunc Three(TAKES) int { return 3 }\n";
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    Project {
        files: Vec::leak(vec![
            ("go.mod", "module example.com/shop\n\ngo 1.19\n"),
            ("shop.go", leak(CODE.replace("TAKES", ""))),
            ("shop_test.go", leak(OLD.replace("CALL", ""))),
        ]),
        command: "go test ./...",
        first: (
            "ac_ste_1_1_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n",
        ),
        second: ("shop_test.go", leak(OLD.replace("CALL", "1"))),
        own: json!({}),
        supersedes: json!({ "AC-STE-1.2": ["shop_test.go::TestThree"] }),
        code: [
            ("shop.go", leak(CODE.replace("TAKES", "") + "\nfunc Two() int { return 2 }\n")),
            ("shop.go", leak(CODE.replace("TAKES", "n int") + "\nfunc Two() int { return 2 }\n")),
        ],
        breaks: ("return 1", "return 7"),
        broken: "shop_test.go::TestOne",
    }
}

impl Project {
    /// A run in which the implementers write these.
    fn run(&self, second: &str, code: [&str; 2]) -> Ran {
        let sandbox = Sandbox::with(self.files);
        let settings = format!("test: {}\nbudgets: {{ semantic: 1, format: 0 }}\n", self.command);
        sandbox.write("tdd.yaml", &settings);
        let criteria = "- AC-STE-1.1: there is two.\n- AC-STE-1.2: three is another.\n";
        sandbox.write("specs/frs/STE-1.md", &format!("# More\n\n## Acceptance Criteria\n\n{criteria}"));
        sandbox.commit();
        let mut tests = json!({ "status": "ok", "files": [self.first.0, self.second.0] });
        for (key, ids) in [("tests", &self.own), ("supersedes", &self.supersedes)] {
            if ids.as_object().is_some_and(|ids| !ids.is_empty()) {
                tests[key] = ids.clone();
            }
        }
        let file = self.code[0].0;
        let calls = json!([
            { "role": "test-writer", "write": { self.first.0: self.first.1, self.second.0: second }, "say": tests },
            { "role": "implementer", "criterion": "AC-STE-1.1", "write": { file: code[0] }, "say": { "status": "ok", "files": [file] } },
            { "role": "implementer", "criterion": "AC-STE-1.2", "write": { file: code[1] }, "say": { "status": "ok", "files": [file] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &["--proof", "off"])
    }

    fn waits_for_its_criterion(&self) {
        let honest = [self.code[0].1, self.code[1].1];
        self.run(self.second.1, honest).expect(0);
        // Whoever breaks a test that waits is told so when it takes part again.
        let breaks = |code: &str| code.replacen(self.breaks.0, self.breaks.1, 1);
        let broken = [breaks(self.code[0].1), breaks(self.code[1].1)];
        for code in [[honest[0], &broken[1]], [&broken[0], &broken[1]]] {
            let ran = self.run(self.second.1, code).expect(1);
            ran.says(&["AC-STE-1.2", self.broken]);
        }
    }
}

#[test]
fn ac_tdd_8_100_a_file_that_imports_what_is_not_there_waits_for_its_criterion() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let python = python();
    python.waits_for_its_criterion();
    // Its other tests are what they were, or are named.
    let other = python.second.1.replace("one() == 1", "one() > 0");
    let honest = [python.code[0].1, python.code[1].1];
    python.run(&other, honest).expect(1).says(&["is not named in `supersedes:`"]);
    // That the file does not load is no red of a test that asks nothing of what is missing, or that was there as it is.
    let named = Project { supersedes: json!({ "AC-STE-1.2": ["tests/test_shop.py::test_one"] }), ..python };
    named.run(&other, honest).expect(1).says(&["tests/test_shop.py::test_one"]);
    let own = json!({ "AC-STE-1.2": ["tests/test_shop.py::test_one"] });
    let old = Project { own, supersedes: json!({}), ..named };
    old.run(old.second.1, honest).expect(1);
}

#[test]
fn ac_tdd_8_100_a_signature_that_changes_goes_through_in_go() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let go = go();
    go.waits_for_its_criterion();
    // Another test that is named beside it, and asks nothing of what changed: it is weaker, or gone.
    let honest = [go.code[0].1, go.code[1].1];
    let supersedes = json!({ "AC-STE-1.2": ["shop_test.go::TestThree", "shop_test.go::TestOne"] });
    let named = Project { supersedes, ..go };
    let weak = named.second.1.replace("One() != 1", "One() < 0");
    let gone = named.second.1.replace("TestOne(", "testOne(");
    for second in [weak, gone] {
        named.run(&second, honest).expect(1).says(&["shop_test.go::TestOne"]);
    }
}

/// New tests that the block lists, of what is not there yet: in a file that was there, and in one that is called after
/// nothing.
#[test]
fn ac_tdd_8_143_new_tests_that_a_block_lists_are_found_where_their_package_of_go_does_not_compile() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let go = go();
    let old = go.files[2].1;
    let test = |name: &str| {
        format!(
            "\nfunc Test{name}(t *testing.T) {{\n\tif {name}() != 4 {{\n\t\tt.Fatal({name}())\n\t}}\n}}\n"
        )
    };
    let new = format!("package shop\n\nimport \"testing\"\n{}", test("Four"));
    let code = go.code[0].1.to_owned();
    let done = format!("{code}\nfunc Four() int {{ return 4 }}\n");
    for (file, second) in [("shop_test.go", format!("{old}{}", test("Four"))), ("four_test.go", new)] {
        let own = json!({ "AC-STE-1.2": [format!("{file}::TestFour")] });
        let listed = Project { second: (file, ""), own, supersedes: json!({}), ..go };
        listed.run(&second, [&code, &done]).expect(0);
    }
}
