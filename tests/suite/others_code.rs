//! Criteria whose tests look at other criteria's code alone: told as not verified, in each language that is stubbed.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_pytest};

/// A project of one language, and what is written in it.
struct Shop<'a> {
    files: &'a [(&'a str, &'a str)],
    command: &'a str,
    source: &'a str,
    /// The code before, after the first and after the second criterion.
    code: [String; 3],
    /// Where the tests of the criteria stand, and the first one's.
    tests: [&'a str; 2],
    first: &'a str,
}

impl Shop<'_> {
    fn play(&self, second: &str) -> Ran {
        let sandbox = Sandbox::with(self.files);
        sandbox.write(self.source, &self.code[0]);
        sandbox
            .write("tdd.yaml", &format!("test: {}\nbudgets: {{ semantic: 1, format: 0 }}\n", self.command));
        sandbox.write(
            "specs/frs/STE-1.md",
            "# More\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is two.\n- AC-STE-1.2: there is three.\n",
        );
        sandbox.commit();
        let implementer = |criterion: &str, text: &str| -> Value {
            json!({ "role": "implementer", "criterion": criterion, "write": { self.source: text },
                    "say": { "status": "ok", "files": [self.source] } })
        };
        let calls = json!([
            { "role": "test-writer", "write": { self.tests[0]: self.first, self.tests[1]: second },
              "say": { "status": "ok", "files": self.tests } },
            implementer("AC-STE-1.1", &self.code[1]),
            implementer("AC-STE-1.2", &self.code[2]),
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &["--proof", "full"])
    }

    #[track_caller]
    fn is_not_verified(&self, second: &str) {
        self.play(second).expect(4).says_on_stdout(&[
            "not verified: AC-STE-1.2, seen failing in other code alone: its tests pass with all that was written for it",
            "proof: in a fresh checkout, seen failing on code that does nothing: 1 of 2",
        ]);
    }

    #[track_caller]
    fn is_verified(&self, second: &str) {
        self.play(second)
            .expect(0)
            .says_on_stdout(&["proof: in a fresh checkout, seen failing on code that does nothing: 2 of 2"]);
    }

    fn with_last(self, last: &str) -> Self {
        let [zero, one, _] = self.code;
        let two = format!("{one}{last}");
        Self { code: [zero, one, two], ..self }
    }
}

fn steps(zero: &str, two: &str, three: &str) -> [String; 3] {
    [zero.to_owned(), format!("{zero}{two}"), format!("{zero}{two}{three}")]
}

fn python<'a>() -> Shop<'a> {
    Shop {
        files: &[
            (".gitignore", "__pycache__/\n"),
            ("conftest.py", ""),
            ("tests/test_shop.py", "import shop\n\n\ndef test_one():\n    assert shop.one() == 1\n"),
        ],
        command: "python3 -m pytest -q",
        source: "shop.py",
        code: steps(
            "def one():\n    return 1\n",
            "\n\ndef two():\n    return 2\n",
            "\n\ndef three():\n    return 7\n",
        ),
        tests: ["tests/test_ac_ste_1_1.py", "tests/test_ac_ste_1_2.py"],
        first: "import shop\n\n\ndef test_two():\n    assert shop.two() == 2\n",
    }
}

const PYTHON_CHEAT: &str =
    "import shop\n\n\ndef test_three():\n    assert shop.three\n    assert shop.two() == 2\n";

#[test]
fn ac_tdd_8_147_a_test_that_looks_at_another_criterions_code_alone_is_not_verified() {
    if has_pytest() {
        python().is_not_verified(PYTHON_CHEAT);
    }
}

#[test]
fn ac_tdd_8_147_what_calls_the_others_code_first_or_is_another_name_for_it_is_verified() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let both =
        "import shop\n\n\ndef test_three():\n    assert shop.two() == 2\n    assert shop.three() == 7\n";
    python().is_verified(both);
    let calls = "import shop\n\n\ndef test_three():\n    assert shop.three() == 3\n";
    python().with_last("\n\ndef three():\n    return two() + 1\n").is_verified(calls);
    // No body of its own: nobody can say what its tests look at.
    let named = "import shop\n\n\ndef test_three():\n    assert shop.three() == 2\n";
    python().with_last("\n\nthree = two\n").is_verified(named);
    // It takes something more than before, and has no body that is new.
    let more = "import shop\n\n\ndef test_three():\n    assert shop.two(more=True) == 2\n";
    let python = python();
    let [zero, two, _] = python.code.clone();
    let code = [zero, two.clone(), two.replace("def two()", "def two(more=False)")];
    Shop { code, ..python }.is_verified(more);
}

#[test]
fn ac_tdd_8_147_so_it_is_in_node_go_and_rust() {
    left_to_the_night!();
    let node = Shop {
        files: &[
            ("package.json", "{ \"type\": \"module\" }\n"),
            (
                "test/old.test.js",
                "import test from 'node:test';\nimport assert from 'node:assert';\nimport { one } from '../src/shop.js';\n\n\
                 test('old', () => assert.equal(one(), 1));\n",
            ),
        ],
        command: "node --test",
        source: "src/shop.js",
        code: steps(
            "export const one = () => 1;\n",
            "export const two = () => 2;\n",
            "export const three = () => 7;\n",
        ),
        tests: ["test/ac-ste-1-1.test.js", "test/ac-ste-1-2.test.js"],
        first: "import test from 'node:test';\nimport assert from 'node:assert';\nimport * as shop from '../src/shop.js';\n\n\
                test('two', () => assert.equal(shop.two(), 2));\n",
    };
    let second = node.first.replace("test('two', () =>", "test('three', () => { assert.ok(shop.three);");
    let second = second.replace("2));", "2); });");
    node.is_not_verified(&second);
    node.is_verified(&second.replace("assert.ok(shop.three)", "assert.equal(shop.three(), 7)"));

    let go = Shop {
        files: &[
            ("go.mod", "module shop\n\ngo 1.21\n"),
            (
                "old_test.go",
                "package shop\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(One())\n\t}\n}\n",
            ),
        ],
        command: "go test ./...",
        source: "shop.go",
        code: steps(
            "package shop\n\nfunc One() int { return 1 }\n",
            "\nfunc Two() int { return 2 }\n",
            "\nfunc Three() int { return 7 }\n",
        ),
        tests: ["ac_ste_1_1_test.go", "ac_ste_1_2_test.go"],
        first: "package shop\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n",
    };
    let second = go.first.replace("TestTwo(t *testing.T) {", "TestThree(t *testing.T) {\n\t_ = Three");
    go.is_not_verified(&second);
    go.is_verified(&second.replace("\t_ = Three", "\tif Three() != 7 {\n\t\tt.Fatal(Three())\n\t}"));

    let rust = Shop {
        files: &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            (".gitignore", "target/\n"),
            ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
            ("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n"),
        ],
        command: "cargo test",
        source: "src/lib.rs",
        code: steps(
            "pub fn one() -> i32 {\n    1\n}\n",
            "\npub fn two() -> i32 {\n    2\n}\n",
            "\npub fn three() -> i32 {\n    7\n}\n",
        ),
        tests: ["tests/ac_ste_1_1.rs", "tests/ac_ste_1_2.rs"],
        first: "#[test]\nfn two() {\n    assert_eq!(shop::two(), 2);\n}\n",
    };
    let second = rust.first.replace("fn two() {", "fn three() {\n    let _: fn() -> i32 = shop::three;");
    rust.is_not_verified(&second);
    rust.is_verified(&second.replace("let _: fn() -> i32 = shop::three;", "assert_eq!(shop::three(), 7);"));
}
