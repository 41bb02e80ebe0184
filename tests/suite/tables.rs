//! Tests that are made of rows: a new row, one that says something else, one that goes elsewhere, and data beside.

use serde_json::{Value, json};

use super::battery;
use super::sandbox::{Ran, Sandbox, has_go, has_pytest, node_modules};

type Written<'a> = &'a [(&'a str, &'a str)];

/// A project, and what becomes of it by an honest implementer.
struct Project {
    files: Written<'static>,
    command: &'static str,
    code: (&'static str, &'static str),
    /// The part of it that changes no other row.
    of_five: &'static str,
}

const ROMAN: &str = "import pytest\n\nimport roman\n\n\n\
    @pytest.mark.parametrize(\"n, expected\", [(1, \"I\"), (3, \"III\"), (5, \"IIIII\")])\n\
    def test_roman(n, expected):\n    assert roman.roman(n) == expected\n";
const PYTEST: Project = Project {
    files: &[
        (".gitignore", "__pycache__/\n"),
        ("conftest.py", ""),
        ("roman.py", "def roman(n):\n    return \"I\" * n\n"),
        ("tests/test_roman.py", ROMAN),
    ],
    command: "python3 -m pytest -q",
    code: ("roman.py", "def roman(n):\n    return {4: \"IV\", 5: \"V\"}.get(n, \"I\" * n)\n"),
    of_five: ", 5: \"V\"",
};

const GO_ROMAN: &str = "package roman\n\nimport \"testing\"\n\nfunc TestRoman(t *testing.T) {\n\ttests := []struct {\n\t\tname string\n\t\tn    int\n\t\twant string\n\t}{\n\
    \t\t{\"one\", 1, \"I\"},\n\t\t{\"five\", 5, \"IIIII\"},\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\
    \t\t\tif got := Roman(tt.n); got != tt.want {\n\t\t\t\tt.Errorf(\"Roman(%d) = %s, want %s\", tt.n, got, tt.want)\n\t\t\t}\n\t\t})\n\t}\n}\n";
const GO: Project = Project {
    files: &[
        ("go.mod", "module example.com/roman\n\ngo 1.19\n"),
        (
            "roman.go",
            "package roman\n\nimport \"strings\"\n\nfunc Roman(n int) string { return strings.Repeat(\"I\", n) }\n",
        ),
        ("roman_test.go", GO_ROMAN),
    ],
    command: "go test ./...",
    code: (
        "roman.go",
        "package roman\n\nimport \"strings\"\n\nfunc Roman(n int) string {\n\tswitch n {\n\tcase 4:\n\t\treturn \"IV\"\n\tcase 5:\n\t\treturn \"V\"\n\t}\n\treturn strings.Repeat(\"I\", n)\n}\n",
    ),
    of_five: "\tcase 5:\n\t\treturn \"V\"\n",
};

const VITEST_ROMAN: &str = "import { expect, test } from 'vitest';\nimport { roman } from '../src/roman.js';\n\n\
    test.each([\n  [1, 'I'],\n  [5, 'IIIII'],\n])('roman(%i) is %s', (n, want) => {\n  expect(roman(n)).toBe(want);\n});\n";
const VITEST: Project = Project {
    files: &[
        (".gitignore", "node_modules\n"),
        ("package.json", "{ \"name\": \"roman\", \"type\": \"module\" }\n"),
        ("src/roman.js", "export const roman = (n) => 'I'.repeat(n);\n"),
        ("test/roman.test.js", VITEST_ROMAN),
    ],
    command: "npx vitest run",
    code: ("src/roman.js", "export const roman = (n) => ({ 4: 'IV', 5: 'V' })[n] ?? 'I'.repeat(n);\n"),
    of_five: ", 5: 'V'",
};

impl Project {
    /// A run whose test-writer writes these, and says which tests are the criterion's and which it supersedes.
    fn run(&self, written: Written<'_>, tests: &[&str], supersedes: &[&str]) -> Ran {
        let sandbox = Sandbox::with(self.files);
        if self.command.starts_with("npx") {
            std::os::unix::fs::symlink(node_modules("vitest").unwrap(), sandbox.path("node_modules"))
                .unwrap();
        }
        let settings = format!("test: {}\nbudgets: {{ semantic: 1, format: 0 }}\n", self.command);
        sandbox.write("tdd.yaml", &settings);
        let criterion = "- AC-STE-1.1: roman(4) is IV, roman(5) is V.\n";
        sandbox.write("specs/frs/STE-1.md", &format!("# Four\n\n## Acceptance Criteria\n\n{criterion}"));
        sandbox.commit();
        let write = |written: Written<'_>| -> Value {
            written
                .iter()
                .map(|(name, text)| ((*name).to_owned(), json!(text)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let names: Vec<&str> = written.iter().map(|(name, _)| *name).collect();
        let mut say = json!({ "status": "ok", "files": names });
        for (key, ids) in [("tests", tests), ("supersedes", supersedes)] {
            if !ids.is_empty() {
                say[key] = json!({ "AC-STE-1.1": ids });
            }
        }
        let of_five = if supersedes.is_empty() { self.of_five } else { "" };
        let code = (self.code.0, &*self.code.1.replacen(of_five, "", 1));
        let calls = json!([
            { "role": "test-writer", "write": write(written), "say": say },
            { "role": "implementer", "write": write(&[code]), "say": { "status": "ok", "files": [code.0] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        let cassette = sandbox.beside("cassette.json");
        std::fs::write(&cassette, calls.to_string()).unwrap();
        let words = ["STE-1", "--agent", "scripted", "--no-review", "--cassette", cassette.to_str().unwrap()];
        sandbox.tdd(&[&words[..], &["--sandbox", "audit", "--proof", "quick"]].concat())
    }

    /// The same where the test-writer changes one file so.
    fn changing(&self, (from, to): (&str, &str), tests: &[&str], supersedes: &[&str]) -> Ran {
        let (file, text) = self.files.last().unwrap();
        assert!(text.contains(from));
        self.run(&[(file, &text.replacen(from, to, 1))], tests, supersedes)
    }
}

const OF_FIVE: &str = "tests/test_roman.py::test_roman[5-IIIII]";
const NEW_FIVE: &str = "tests/test_roman.py::test_roman[5-V]";

#[test]
fn ac_tdd_8_94_a_new_row_is_a_test_of_the_criterion_and_makes_no_other_row_another_test() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let four = "tests/test_roman.py::test_roman[4-IV]";
    let added = ("(3, \"III\"), ", "(3, \"III\"), (4, \"IV\"), ");
    PYTEST.changing(added, &[four], &[]).expect(0);
    // By the function's own name, and laid out by a formatter.
    let laid_out = ROMAN.replace(
        "\"n, expected\", [(1, \"I\"), (3, \"III\"), (5, \"IIIII\")]",
        "\n    \"n, expected\",\n    [\n        (1, \"I\"),\n        (3, \"III\"),\n        (4, \"IV\"),\n        (5, \"IIIII\"),\n    ],\n",
    );
    PYTEST.run(&[("tests/test_roman.py", &laid_out)], &["tests/test_roman.py::test_roman"], &[]).expect(0);
    // Twin: the test itself says less now.
    let weak = ROMAN.replace(added.0, added.1).replace("== expected", "in (expected, 0)");
    PYTEST
        .run(&[("tests/test_roman.py", &weak)], &[four], &[])
        .expect(1)
        .says(&["is not named in `supersedes:`"]);
}

#[test]
fn ac_tdd_8_94_a_row_before_others_only_gives_them_other_names() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let files = [
        PYTEST.files[0],
        PYTEST.files[1],
        ("roman.py", "def roman(marks):\n    return \"I\" * len(marks)\n"),
        (
            "tests/test_roman.py",
            "import pytest\n\nimport roman\n\n\n@pytest.mark.parametrize(\"marks, want\", [([1], \"I\"), ([1, 1], \"II\")])\ndef test_roman(marks, want):\n    assert roman.roman(marks) == want\n",
        ),
    ];
    let code =
        ("roman.py", "def roman(marks):\n    return \"IV\" if len(marks) == 4 else \"I\" * len(marks)\n");
    let project = Project { files: Vec::leak(files.to_vec()), code, ..PYTEST };
    let tests = ["tests/test_roman.py::test_roman[marks0-IV]"];
    project.changing(("[([1], ", "[([1, 1, 1, 1], \"IV\"), ([1], "), &tests, &[]).expect(0);
    // Twin: one of them is gone.
    let ran = project.changing(("[([1], \"I\"), ", "[([1, 1, 1, 1], \"IV\"), "), &tests, &[]);
    ran.expect(1).says(&["is not named in `supersedes:`"]);
}

#[test]
fn ac_tdd_8_95_a_row_is_superseded_by_its_id_by_its_function_or_beside_all_others() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let all = [OF_FIVE, "tests/test_roman.py::test_roman[1-I]", "tests/test_roman.py::test_roman[3-III]"];
    for supersedes in battery::part([&[OF_FIVE][..], &["tests/test_roman.py::test_roman"], &all], 1) {
        PYTEST.changing(("(5, \"IIIII\")", "(5, \"V\")"), &[NEW_FIVE], supersedes).expect(0);
    }
    // It is moved to the criterion's own file.
    let own = "import roman\n\n\ndef test_five():\n    assert roman.roman(5) == \"V\"\n";
    let without = ROMAN.replace(", (5, \"IIIII\")", "");
    let moved = [("tests/test_ac_ste_1_1.py", own), ("tests/test_roman.py", without.as_str())];
    PYTEST.run(&moved, &[], &[OF_FIVE]).expect(0);
    // Twins: more rows than are named; a row that is only taken away; one that is not changed.
    let more = ROMAN.replace("(3, \"III\")", "(3, \"IIV\")").replace("(5, \"IIIII\")", "(5, \"V\")");
    let ran = PYTEST.run(&[("tests/test_roman.py", &more)], &["tests/test_roman.py::test_roman"], &[OF_FIVE]);
    ran.expect(1).says(&["is not named in `supersedes:`", "test_roman[3-III]"]);
    left_to_the_night!();
    PYTEST.run(&moved, &[], &[]).expect(1).says(&["is not named in `supersedes:`"]);
    let two = ROMAN.replace("(3, \"III\"), (5, \"IIIII\")", "(1, \"I\")");
    let gone = [("tests/test_ac_ste_1_1.py", own), ("tests/test_roman.py", two.as_str())];
    let named = [OF_FIVE, "tests/test_roman.py::test_roman[3-III]"];
    PYTEST.run(&gone, &[], &named).expect(1).says(&["a superseded test must be changed and red"]);
}

#[test]
fn ac_tdd_8_94_rows_of_go_are_tests_below_the_one_that_holds_them() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let four = "roman_test.go::TestRoman/four";
    let added = ("\t\t{\"five\"", "\t\t{\"four\", 4, \"IV\"},\n\t\t{\"five\"");
    GO.changing(added, &[four], &[]).expect(0);
    let five = ("5, \"IIIII\"", "5, \"V\"");
    for supersedes in
        battery::part([&["roman_test.go::TestRoman/five"][..], &["roman_test.go::TestRoman"]], 1)
    {
        GO.changing(five, &[], supersedes).expect(0);
    }
    left_to_the_night!();
    // Twins: what holds the rows looks at something besides, and that is broken; a row is another one and nobody says so.
    let beside =
        GO_ROMAN.replace("\t}\n}\n", "\t}\n\tif Roman(2) != \"II\" {\n\t\tt.Error(\"two\")\n\t}\n}\n");
    let files = [&GO.files[..2], &[("roman_test.go", &*String::leak(beside))]].concat();
    let code = (
        "roman.go",
        &*String::leak(GO.code.1.replacen("case 4:", "case 2:\n\t\treturn \"2\"\n\tcase 4:", 1)),
    );
    let project = Project { files: Vec::leak(files), code, command: "go test ./...\ngate: \"true\"", ..GO };
    let ran = project.changing(added, &[four], &[]);
    ran.expect(1).says(&["roman_test.go::TestRoman"]);
    GO.changing(five, &["roman_test.go::TestRoman/five"], &[]).expect(1).says(&["supersedes"]);
}

#[test]
fn ac_tdd_8_95_rows_of_vitest_are_superseded_by_what_they_are_called() {
    left_to_the_night!();
    if node_modules("vitest").is_none() {
        return;
    }
    let five = ("[5, 'IIIII']", "[5, 'V']");
    let tests = ["test/roman.test.js::roman(5) is V"];
    VITEST.changing(five, &tests, &["test/roman.test.js::roman(5) is IIIII"]).expect(0);
    VITEST.changing(five, &tests, &[]).expect(1).says(&["is not named in `supersedes:`"]);
}

#[test]
fn ac_tdd_8_96_a_test_that_data_makes_is_the_criterions_where_it_is_listed() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let by_data = "import json\nimport pathlib\n\nimport pytest\n\nimport roman\n\nCASES = json.loads((pathlib.Path(__file__).parent / \"cases.json\").read_text())\n\n\n@pytest.mark.parametrize(\"n\", CASES)\ndef test_case(n):\n    assert roman.roman(int(n)) == CASES[n]\n";
    let files = [
        &PYTEST.files[..3],
        &[("tests/test_cases.py", by_data), ("tests/cases.json", "{\"1\": \"I\", \"3\": \"III\"}\n")],
    ];
    let project = Project { files: Vec::leak(files.concat()), ..PYTEST };
    let four = ("\"III\"", "\"III\", \"4\": \"IV\"");
    project.changing(four, &["tests/test_cases.py::test_case[4]"], &[]).expect(0);
    // Twins: nobody lists it; a test that was there is no new one.
    project.changing(four, &[], &[]).expect(1).says(&["belongs to no criterion"]);
    let ran = project.changing(("\"III\"", "\"IIV\""), &["tests/test_cases.py::test_case[3]"], &[]);
    ran.expect(1).says(&["test_case[3]"]);
}

#[test]
fn ac_tdd_8_96_golden_files_of_go_make_tests_below_one() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let golden = "package roman\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n\t\"strconv\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestGolden(t *testing.T) {\n\tfiles, _ := filepath.Glob(\"testdata/*.golden\")\n\tfor _, file := range files {\n\t\tname := strings.TrimSuffix(filepath.Base(file), \".golden\")\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tn, _ := strconv.Atoi(name)\n\t\t\twant, _ := os.ReadFile(file)\n\t\t\tif got := Roman(n); got != strings.TrimSpace(string(want)) {\n\t\t\t\tt.Errorf(\"Roman(%d) = %s, want %s\", n, got, want)\n\t\t\t}\n\t\t})\n\t}\n}\n";
    let files = [&GO.files[..2], &[("golden_test.go", golden), ("testdata/3.golden", "III\n")]];
    let project = Project { files: Vec::leak(files.concat()), ..GO };
    project.run(&[("testdata/4.golden", "IV\n")], &["golden_test.go::TestGolden/4"], &[]).expect(0);
}

#[test]
fn ac_tdd_8_94_a_row_in_a_file_of_others_is_judged_beside_a_canary() {
    if !has_pytest() {
        return;
    }
    // Whatever a test compares with is what this gives.
    let equal = "class Any(str):\n    def __eq__(self, other):\n        return True\n\n    def __ne__(self, other):\n        return False\n\n    __hash__ = str.__hash__\n\n\ndef roman(n):\n    return Any(\"I\" * n)\n";
    let project = Project { code: ("roman.py", equal), of_five: "", ..PYTEST };
    let added = ("(3, \"III\"), ", "(3, \"III\"), (4, \"IV\"), ");
    let ran = project.changing(added, &["tests/test_roman.py::test_roman"], &[]);
    ran.expect(1).says(&["test_roman[4-IV]"]);
    left_to_the_night!();
    // Twin: another test of the file passes whatever it expects, and was there before.
    let lenient = format!(
        "{ROMAN}\n\ndef test_old():\n    try:\n        assert roman.roman(1) == \"I\"\n    except AssertionError:\n        pass\n"
    );
    let files = [&PYTEST.files[..3], &[("tests/test_roman.py", lenient.as_str())]].concat();
    let files: Vec<(&str, &str)> =
        files.into_iter().map(|(name, text)| (name, &*String::leak(text.to_owned()))).collect();
    let project = Project { files: Vec::leak(files), ..PYTEST };
    project.changing(added, &["tests/test_roman.py::test_roman"], &[]).expect(0);
}
