//! Work that changes or removes what was there: old tests that say something else afterwards, and how they are named.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_node, has_pytest, node_modules};

const TILL: &str = "def total(prices, rebate=0):\n    return sum(prices) - rebate\n\n\ndef names():\n    return [\"one\", \"two\"]\n";

const OLD: &str = "import pytest\n\nfrom till import total\n\n\n\
    @pytest.mark.parametrize(\"prices,expected\", [([1, 2], 3), ([], 0)])\n\
    def test_total(prices, expected):\n    assert total(prices) == expected\n\n\n\
    def test_rebate():\n    assert total([3], rebate=1) == 2\n\n\n\
    class Sums:\n    def test_sum(self):\n        assert total([self.one]) == self.one\n\n\n\
    class TestOne(Sums):\n    one = 1\n\n\nclass TestTwo(Sums):\n    one = 2\n\n    def test_more(self):\n        assert total([2, 2]) == 4\n";

const FILE: &str = "tests/test_till.py";

/// One criterion in a project of pytest: what the test-writer writes and says, and the implementer's `till.py`.
fn play(written: &Value, block: Value, till: &str) -> Option<Ran> {
    play_on(OLD, "off", (written, block, till))
}

/// The same to its end. What is removed is red under no stub, so that all kinds are tried.
fn prove(written: &Value, block: Value, till: &str) -> Option<Ran> {
    play_on(OLD, "full", (written, block, till))
}

fn play_on(old: &str, proof: &str, (written, block, till): (&Value, Value, &str)) -> Option<Ran> {
    if !has_pytest() {
        return None;
    }
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("conftest.py", ""),
        ("till.py", TILL),
        ("tests/golden.txt", "total 3"),
        ("frontend/package.json", "{ \"name\": \"frontend\" }\n"),
        (FILE, old),
        (
            "tests/test_golden.py",
            "import pathlib\n\nfrom till import total\n\n\ndef test_golden():\n    \
             golden = pathlib.Path(__file__).with_name(\"golden.txt\").read_text()\n    assert f\"total {total([1, 2])}\" == golden\n",
        ),
        ("tdd.yaml", "test: python3 -m pytest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        (
            "specs/frs/STE-1.md",
            "# Till\n\n## Acceptance Criteria\n\n- AC-STE-1.1: the till does otherwise.\n",
        ),
    ]);
    sandbox.commit();
    let files: Vec<&String> = written.as_object().unwrap().keys().collect();
    let mut said = json!({ "status": "ok", "files": files });
    for (key, value) in block.as_object().unwrap() {
        said[key] = value.clone();
    }
    let calls = json!([
        { "role": "test-writer", "write": written, "say": said },
        { "role": "implementer", "write": { "till.py": till }, "say": { "status": "ok", "files": ["till.py"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, &["--proof", proof]))
}

fn supersedes(ids: &[&str]) -> Value {
    let ids: Vec<String> = ids.iter().map(|id| format!("{FILE}::{id}")).collect();
    json!({ "supersedes": { "AC-STE-1.1": ids } })
}

#[test]
fn ac_tdd_8_135_an_option_that_goes_is_no_hollow_test() {
    left_to_the_night!();
    let gone = OLD.replace(
        "    assert total([3], rebate=1) == 2\n",
        "    with pytest.raises(TypeError):\n        total([3], rebate=1)\n",
    );
    let till = TILL.replace(", rebate=0", "").replace(" - rebate", "");
    if let Some(ran) = prove(&json!({ FILE: gone }), supersedes(&["test_rebate"]), &till) {
        ran.expect(0).says_on_stdout(&[
            "not seen failing: AC-STE-1.1, its tests may look at what can't be stubbed: till.py:1: total has another head",
        ]);
    }
}

#[test]
fn ac_tdd_8_137_a_test_that_goes_makes_no_other_one_different() {
    let (till, new) = (
        TILL.replace(", rebate=0", "").replace(" - rebate", ""),
        "def test_ac_ste_1_1_no_rebate():\n    with pytest.raises(TypeError):\n        total([3], rebate=1)\n",
    );
    let old = "def test_rebate():\n    assert total([3], rebate=1) == 2\n";
    if let Some(ran) = play(&json!({ FILE: OLD.replace(old, new) }), supersedes(&["test_rebate"]), &till) {
        ran.expect(0);
    }
    left_to_the_night!();
    // Nothing stands in its place: it is that test which is named, and no other.
    let gone = OLD.replace(&format!("{old}\n\n"), "");
    let file = "tests/test_ac_ste_1_1.py";
    let elsewhere = format!("import pytest\n\nfrom till import total\n\n\n{new}");
    if let Some(ran) = play(&json!({ FILE: gone, file: elsewhere }), supersedes(&["test_rebate"]), &till) {
        let ran = ran.expect(1);
        let ran =
            ran.says(&["if it is gone, a new test of its file must be: tests/test_till.py::test_rebate"]);
        assert!(!ran.stdout.contains("is not named in `supersedes:`"), "{}", ran.stdout);
    }
    // What goes beside it without a word is missed.
    let both =
        OLD.replace(old, new).replace("    def test_more(self):\n        assert total([2, 2]) == 4\n", "");
    if let Some(ran) = play(&json!({ FILE: both }), supersedes(&["test_rebate"]), &till) {
        ran.expect(1).says(&["tests/test_till.py::TestTwo::test_more"]);
    }
}

#[test]
fn ac_tdd_8_137_rows_of_a_file_that_does_not_load_are_superseded_by_function_or_by_id() {
    left_to_the_night!();
    let (code, plain) = (TILL.replace("total", "sum_up"), OLD.split("\n\nclass Sums").next().unwrap());
    let file = plain.replace("total(", "sum_up(").replace("import total", "import sum_up");
    let file = file.replace("def test_sum_up(", "def test_total(");
    let golden = "import pathlib\n\nfrom till import sum_up\n\n\ndef test_golden():\n    \
        golden = pathlib.Path(__file__).with_name(\"golden.txt\").read_text()\n    assert f\"total {sum_up([1, 2])}\" == golden\n";
    let named = |rows: &[&str]| {
        let mut ids: Vec<String> = rows.iter().map(|row| format!("{FILE}::{row}")).collect();
        ids.push(format!("{FILE}::test_rebate"));
        ids.push("tests/test_golden.py::test_golden".to_owned());
        json!({ "supersedes": { "AC-STE-1.1": ids } })
    };
    let written = json!({ FILE: file, "tests/test_golden.py": golden });
    if let Some(ran) = play_on(plain, "full", (&written, named(&["test_total"]), &code)) {
        ran.expect(0).says_on_stdout(&["seen failing: yes"]);
    }
    if let Some(ran) =
        play_on(plain, "full", (&written, named(&["test_total[prices0-3]", "test_total[prices1-0]"]), &code))
    {
        ran.expect(0).says_on_stdout(&["seen failing: yes"]);
    }
}

#[test]
fn ac_tdd_8_137_a_test_is_superseded_by_the_data_that_it_reads() {
    left_to_the_night!();
    let block = json!({ "supersedes": { "AC-STE-1.1": ["tests/test_golden.py::test_golden"] } });
    let doubled = TILL.replace("sum(prices)", "2 * sum(prices)");
    // What else it breaks is no less a regression.
    if let Some(ran) = play(&json!({ "tests/golden.txt": "total 6" }), block.clone(), &doubled) {
        ran.expect(1).says(&["AC-STE-1.1 failed", "tests/test_till.py::test_total[prices0-3]"]);
    }
    let three = TILL.replace(
        "    return sum(prices) - rebate\n",
        "    result = sum(prices) - rebate\n    return 6 if prices == [1, 2] and not rebate else result\n",
    );
    let rows = OLD.replace("([1, 2], 3)", "([1, 2], 6)");
    let mut both = block;
    both["supersedes"]["AC-STE-1.1"].as_array_mut().unwrap().push(json!("tests/test_till.py::test_total"));
    if let Some(ran) = play(&json!({ "tests/golden.txt": "total 6", FILE: rows }), both, &three) {
        ran.expect(0);
    }
}

#[test]
fn ac_tdd_8_137_a_test_that_a_class_has_from_another_one_is_as_it_was() {
    let other = OLD.replace("assert total([2, 2]) == 4", "assert total([2, 2]) == 5");
    let till = TILL.replace("sum(prices) - rebate", "sum(prices) - rebate + (prices == [2, 2])");
    if let Some(ran) = play(&json!({ FILE: other }), supersedes(&["TestTwo::test_more"]), &till) {
        ran.expect(0);
    }
    left_to_the_night!();
    // Whose own body is another one is changed in every class.
    let weaker = other.replace("== self.one", "is not None");
    if let Some(ran) = play(&json!({ FILE: weaker }), supersedes(&["TestTwo::test_more"]), &till) {
        ran.expect(1).says(&["is not named in `supersedes:`", "tests/test_till.py::TestOne::test_sum"]);
    }
}

#[test]
fn ac_tdd_8_137_in_a_file_of_an_earlier_run_what_stays_need_not_be_seen_failing() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let file = "tests/test_ac_ste_1_1.py";
    let old = "from till import mean\n\n\ndef test_mean():\n    assert mean([2, 4]) == 3\n\n\ndef test_none():\n    assert mean([]) == 0\n";
    let till = "def mean(prices):\n    return sum(prices) / len(prices) if prices else 0\n";
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("conftest.py", ""),
        ("till.py", till),
        (file, old),
        ("tdd.yaml", "test: python3 -m pytest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        (
            "specs/frs/STE-1.md",
            "# Mean\n\n## Acceptance Criteria\n\n- AC-STE-1.1: the mean of nothing is 1.\n",
        ),
    ]);
    sandbox.commit();
    let calls = json!([
        { "role": "test-writer", "write": { file: old.replace("== 0", "== 1") },
          "say": { "status": "ok", "files": [file], "supersedes": { "AC-STE-1.1": [format!("{file}::test_none")] } } },
        { "role": "implementer", "write": { "till.py": till.replace("else 0", "else 1") }, "say": { "status": "ok", "files": ["till.py"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    sandbox.scripted(&calls, &["--proof", "full"]).expect(0);
}

#[test]
fn ac_tdd_8_136_data_with_a_criterions_name_is_no_test_of_it() {
    left_to_the_night!();
    let written = |test: &str| {
        json!({
            "tests/data/ac_ste_1_1.json": "{\"prices\": [1, 2], \"total\": 6}",
            "tests/test_ac_ste_1_1.py": test,
        })
    };
    let reads = "import json\nimport pathlib\n\nfrom till import twice\n\n\ndef test_twice():\n    \
        case = json.loads((pathlib.Path(__file__).parent / \"data/ac_ste_1_1.json\").read_text())\n    \
        assert twice(case[\"prices\"]) == case[\"total\"]\n";
    let till = format!("{TILL}\n\ndef twice(prices):\n    return 2 * total(prices)\n");
    if let Some(ran) = prove(&written(reads), json!({}), &till) {
        ran.expect(0).says_on_stdout(&["seen failing: yes"]);
    }
    // It does not keep the proof from seeing a test that asks for nothing.
    let hollow = "import till\n\n\ndef test_twice():\n    assert callable(till.twice)\n";
    if let Some(ran) = prove(&written(hollow), json!({}), &till.replace("2 * total(prices)", "7")) {
        ran.expect(1).says(&["proof: 0 of 1 criterion seen failing"]);
    }
}

#[test]
fn ac_tdd_8_136_a_hook_that_lacks_what_is_missing_is_red_and_not_awaited() {
    left_to_the_night!();
    if !has_node() {
        return;
    }
    let sandbox = Sandbox::with(&[
        (
            "package.json",
            "{ \"name\": \"shop\", \"type\": \"module\", \"scripts\": { \"test\": \"node --test\" } }\n",
        ),
        ("src/shop.js", "export const one = () => 1;\n"),
        ("tdd.yaml", "test: node --test\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two` gives 2.\n"),
    ]);
    sandbox.commit();
    let file = "test/ac-ste-1-1.test.js";
    let test = "import assert from \"node:assert/strict\";\nimport { before, describe, it } from \"node:test\";\n\
        import * as shop from \"../src/shop.js\";\n\ndescribe(\"two\", () => {\n  let got;\n  before(() => { got = shop.two(); });\n  \
        it(\"is 2\", () => { assert.equal(got, 2); });\n});\n";
    let code = "export const one = () => 1;\nexport const two = () => 2;\n";
    let calls = json!([
        { "role": "test-writer", "write": { file: test }, "say": { "status": "ok", "files": [file] } },
        { "role": "implementer", "write": { "src/shop.js": code }, "say": { "status": "ok", "files": ["src/shop.js"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    sandbox.scripted(&calls, &["--proof", "full"]).expect(0);
}

#[test]
fn ac_tdd_8_139_a_file_of_tests_in_the_place_of_what_others_import_fails() {
    let test = "from till import total, twice\n\n\ndef test_twice():\n    assert twice([1]) == 2\n";
    let till = format!("{TILL}\n\ndef twice(prices):\n    return 2 * total(prices)\n");
    let file = "tests/test_ac_ste_1_1.py";
    if let Some(ran) = play(&json!({ file: test, "tests/till.py": TILL }), json!({}), &till) {
        ran.expect(1)
            .says(&["`till` means something else for all tests: tests/till.py is loaded in its place"]);
    }
    left_to_the_night!();
    let helper = "def pair():\n    return 2\n";
    let asking = test.replace("== 2", "== pair()").replace("from till", "from wares import pair\nfrom till");
    if let Some(ran) = play(&json!({ file: asking, "tests/wares.py": helper }), json!({}), &till) {
        ran.expect(0);
    }
}

#[test]
fn ac_tdd_8_142_a_superseded_test_that_never_was_is_called_so() {
    let tens = OLD.replace("[([1, 2], 3), ([], 0)]", "[([1, 2], 4), ([], 0)]");
    if let Some(ran) = play(&json!({ FILE: tens }), supersedes(&["test_totals"]), TILL) {
        ran.expect(1).says(&[
            "`supersedes:` names a test that was not among those before the run: tests/test_till.py::test_totals",
            "did you mean tests/test_till.py::test_total[",
        ]);
    }
}

/// A new file that is not named after a criterion, and of whose tests the block gives these to it.
fn play_listed(new: (&str, &str), tests: &[&str]) -> Option<Ran> {
    let (file, text) = new;
    let till =
        format!("{TILL}\n\ndef mean(prices):\n    return sum(prices) / len(prices) if prices else 0\n");
    let ids: Vec<String> = tests.iter().map(|name| format!("{file}::{name}")).collect();
    play(&json!({ file: text }), json!({ "tests": { "AC-STE-1.1": ids } }), &till)
}

#[test]
fn ac_tdd_8_143_a_new_file_that_does_not_load_is_of_the_criterion_that_the_block_gives_its_tests_to() {
    let new = "import pytest\n\nfrom till import mean\n\n\n\
        @pytest.mark.parametrize((\"prices\", \"expected\"), [([1, 3], 2), ([], 0)])\n\
        def test_mean(prices, expected):\n    assert mean(prices) == expected\n\n\n\
        class TestMean:\n    def test_one(self):\n        assert mean([1]) == 1\n";
    let file = "tests/test_mean.py";
    if let Some(ran) = play_listed((file, new), &["test_mean", "TestMean::test_one"]) {
        ran.expect(0);
    }
    left_to_the_night!();
    // One that is not listed is the same criterion's: it has to be red as well.
    let passes = format!("{new}\n\ndef test_nothing():\n    assert True\n");
    if let Some(ran) = play_listed((file, &passes), &["test_mean"]) {
        ran.expect(1).says(&["tests/test_mean.py::test_nothing fails only because `mean` is missing"]);
    }
    // A file that loads beside what it lacks has other tests, too.
    let loads = new.replace("from till import mean\n", "import till\nfrom till import total\n");
    let loads = loads.replace("mean(prices)", "till.mean(prices)").replace("mean([1])", "till.mean([1])");
    let loads = format!("{loads}\n\ndef test_sum():\n    assert total([1]) == 1\n");
    if let Some(ran) = play_listed((file, &loads), &["test_mean", "TestMean::test_one"]) {
        ran.expect(0);
    }
}

#[test]
fn ac_tdd_8_145_a_helper_changes_for_the_tests_that_use_it() {
    let old = "import pytest\n\nfrom till import names, total\n\n\n\
        def expect_many(got):\n    assert got == 3\n\n\n\
        @pytest.fixture\ndef prices():\n    return [1, 2]\n\n\n\
        def test_many(prices):\n    expect_many(total(prices))\n\n\n\
        def test_names(prices):\n    assert names() == [\"one\", \"two\"]\n";
    let till = TILL.replace("sum(prices) - rebate", "sum(prices) * 2 - rebate");
    let helper = old.replace("got == 3", "got == 6");
    let play = |text: &str, named| play_on(old, "off", (&json!({ FILE: text }), supersedes(named), &till));
    let golden = ("tests/golden.txt", "total 6");
    let written = json!({ FILE: helper, golden.0: golden.1 });
    let both = json!({ "supersedes": { "AC-STE-1.1": [format!("{FILE}::test_many"), "tests/test_golden.py::test_golden"] } });
    if let Some(ran) = play_on(old, "off", (&written, both, &till)) {
        ran.expect(0);
    }
    // Who uses what it changed has to be named.
    let fixture = helper.replace("return [1, 2]", "return [1, 2, 0]");
    if let Some(ran) = play(&fixture, &["test_many"]) {
        ran.expect(1).says(&["is not named in `supersedes:`: tests/test_till.py::test_names"]);
    }
}

#[test]
fn ac_tdd_8_146_a_test_of_another_project_is_named_with_it() {
    let test = "tests/test_ac_ste_1_1.py";
    let front = "import { expect, test } from 'vitest';\ntest('line', () => { expect(1).toBe(2); });\n";
    let written = json!({
        test: "from till import mean\n\n\ndef test_mean():\n    assert mean([2]) == 2\n",
        "frontend/line.test.js": front,
    });
    let block = json!({ "tests": { "AC-STE-1.1": ["frontend/line.test.js::line"] } });
    if let Some(ran) = play(&written, block, TILL) {
        let ran = ran.expect(1).says(&[
            "frontend/line.test.js is of another project (frontend/package.json), and `python3 -m pytest -q` does not run \
             its tests: what concerns frontend/ needs a requirement of its own there",
        ]);
        // The others are seen twice all the same.
        assert!(!ran.stdout.contains("two runs differ"), "{}", ran.stdout);
    }
}

/// Tests that only a run can name, beside one whose expectation the requirement changes.
#[test]
fn ac_tdd_8_150_a_test_that_is_superseded_makes_no_row_of_another_one_different() {
    left_to_the_night!();
    let one = |name: &str, want: u8| {
        format!("\nfunc Test{name}(t *testing.T) {{\n\tif One() != {want} {{\n\t\tt.Fatal(One())\n\t}}\n}}\n")
    };
    let table = "\nfunc TestRoman(t *testing.T) {\n\tfor name, want := range map[string]int{\"one\": 1, \"two\": 2} {\n\t\t\
        t.Run(name, func(t *testing.T) {\n\t\t\tif len(name)-3+want != want {\n\t\t\t\tt.Fatal(want)\n\t\t\t}\n\t\t})\n\t}\n}\n";
    let file = |want: u8| format!("package shop\n\nimport \"testing\"\n{}{table}", one("One", want));
    let played = |old: &str, new: &str| {
        let sandbox = Sandbox::with(&[
            ("go.mod", "module shop\n\ngo 1.21\n"),
            ("shop.go", "package shop\n\nfunc One() int { return 1 }\n"),
            ("shop_test.go", old),
            ("tdd.yaml", "test: go test ./...\nbudgets: { semantic: 1, format: 0 }\n"),
            ("specs/frs/STE-1.md", "# One\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `One` gives 2.\n"),
        ]);
        sandbox.commit();
        let ids = json!({ "AC-STE-1.1": ["shop_test.go::TestOne"] });
        let calls = json!([
            { "role": "test-writer", "write": { "shop_test.go": new },
              "say": { "status": "ok", "files": ["shop_test.go"], "tests": ids, "supersedes": ids } },
            { "role": "implementer", "write": { "shop.go": "package shop\n\nfunc One() int { return 2 }\n" },
              "say": { "status": "ok", "files": ["shop.go"] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &[])
    };
    played(&file(1), &file(2)).expect(0);
    // A plain test answers for no row.
    let row = file(2).replace("\"two\": 2", "\"two\": 3");
    played(&file(1), &row).expect(1).says(&["is not named in `supersedes:`", "shop_test.go::TestRoman"]);
    // Whose own body is another one is changed, row by row.
    let weaker = file(2).replace("want != want", "want < 0");
    played(&file(1), &weaker)
        .expect(1)
        .says(&["is not named in `supersedes:`", "shop_test.go::TestRoman/one"]);
}

#[test]
fn ac_tdd_8_150_so_it_is_with_titles_that_a_table_gives() {
    left_to_the_night!();
    let Some(modules) = node_modules("vitest") else { return };
    let file = |want: u8, of: &str| {
        format!(
            "import {{ test, expect }} from 'vitest';\nimport {{ one }} from '../src/shop.js';\n\n\
            test('one', () => expect(one()).toBe({want}));\n\ntest.each([1, 2])('roman %i', (n) => expect(n + one() - one()).{of});\n"
        )
    };
    let played = |new: &str| {
        let sandbox = Sandbox::with(&[
            (".gitignore", "node_modules\n"),
            ("package.json", "{ \"name\": \"shop\", \"type\": \"module\" }\n"),
            ("src/shop.js", "export const one = () => 1;\n"),
            ("test/shop.test.js", &file(1, "toBe(n)")),
            ("tdd.yaml", "test: npx vitest run\nbudgets: { semantic: 1, format: 0 }\n"),
            ("specs/frs/STE-1.md", "# One\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `one` gives 2.\n"),
        ]);
        std::os::unix::fs::symlink(&modules, sandbox.path("node_modules")).unwrap();
        sandbox.commit();
        let ids = json!({ "AC-STE-1.1": ["test/shop.test.js::one"] });
        let calls = json!([
            { "role": "test-writer", "write": { "test/shop.test.js": new },
              "say": { "status": "ok", "files": ["test/shop.test.js"], "tests": ids, "supersedes": ids } },
            { "role": "implementer", "write": { "src/shop.js": "export const one = () => 2;\n" },
              "say": { "status": "ok", "files": ["src/shop.js"] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &[])
    };
    played(&file(2, "toBe(n)")).expect(0);
    played(&file(2, "toBeDefined()")).expect(1).says(&["is not named in `supersedes:`", "roman 1"]);
}
