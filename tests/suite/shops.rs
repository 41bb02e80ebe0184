//! Small projects with two criteria, one for each language.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox};

/// A project of one language, and what is written in it.
pub(super) struct Shop<'a> {
    pub(super) files: &'a [(&'a str, &'a str)],
    pub(super) command: &'a str,
    pub(super) source: &'a str,
    /// The code before, after the first and after the second criterion.
    pub(super) code: [String; 3],
    /// Where the tests of the criteria stand, and the first one's.
    pub(super) tests: [&'a str; 2],
    pub(super) first: &'a str,
}

impl Shop<'_> {
    /// Both criteria's tests in their own files.
    pub(super) fn play(&self, second: &str) -> Ran {
        let written = [(self.tests[0], self.first), (self.tests[1], second)];
        self.play_with(&written, &json!({}), &["--proof", "full"])
    }

    /// What the test-writer writes, and says besides its files.
    pub(super) fn play_with(&self, written: &[(&str, &str)], block: &Value, more: &[&str]) -> Ran {
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
        let files: Vec<&str> = written.iter().map(|(file, _)| *file).collect();
        let mut said = json!({ "status": "ok", "files": files });
        for (key, value) in block.as_object().unwrap() {
            said[key] = value.clone();
        }
        let written: serde_json::Map<String, Value> =
            written.iter().map(|(file, text)| ((*file).to_owned(), json!(text))).collect();
        let calls = json!([
            { "role": "test-writer", "write": written, "say": said },
            implementer("AC-STE-1.1", &self.code[1]),
            implementer("AC-STE-1.2", &self.code[2]),
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, more)
    }
}

pub(super) fn steps(zero: &str, two: &str, three: &str) -> [String; 3] {
    [zero.to_owned(), format!("{zero}{two}"), format!("{zero}{two}{three}")]
}

pub(super) fn python<'a>() -> Shop<'a> {
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

pub(super) fn node<'a>() -> Shop<'a> {
    Shop {
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
    }
}

pub(super) fn go<'a>() -> Shop<'a> {
    Shop {
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
    }
}

pub(super) fn rust<'a>() -> Shop<'a> {
    Shop {
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
    }
}
