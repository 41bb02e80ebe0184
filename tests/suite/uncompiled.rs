//! Tests of Rust inside sources that do not compile before what their criterion adds is there.

use serde_json::{Value, json};

use super::battery;
use super::sandbox::{Ran, Sandbox};

const SUM: &str = "pub fn sum(all: &[u32]) -> u32 {\n    all.iter().sum()\n}\n";
const MEAN: &str = "\nfn mean(all: &[u32]) -> u32 {\n    sum(all) / all.len() as u32\n}\n";
const MOST: &str = "\nfn most(all: &[u32]) -> u32 {\n    all.iter().copied().max().unwrap_or(0)\n}\n";
const MAIN: &str = "\nfn main() {\n    println!(\"{}\", sum(&[1, 2]));\n}\n";
const OLD: &str = "    #[test]\n    fn sums() {\n        assert_eq!(sum(&[1, 2]), 3);\n    }\n";
const MEANS: &str = "\n    #[test]\n    fn means() {\n        assert_eq!(mean(&[1, 3]), 2);\n    }\n";
const MOSTS: &str = "\n    #[test]\n    fn mosts() {\n        assert_eq!(most(&[1, 3]), 3);\n    }\n";

/// A program of one file, none of whose functions a file of tests could call.
fn program(code: &[&str], uses: &str, tests: &[&str]) -> String {
    let (code, tests) = (code.concat(), tests.concat());
    format!("{SUM}{code}{MAIN}\n#[cfg(test)]\nmod tests {{\n    use super::{uses};\n\n{tests}}}\n")
}

fn project(name: &str, root: (&str, &str), criteria: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let lock = format!("version = 4\n\n[[package]]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
    for (path, text) in [("Cargo.toml", &*manifest), ("Cargo.lock", &*lock), (".gitignore", "target\n"), root]
    {
        sandbox.write(path, text);
    }
    sandbox.write("tdd.yaml", "test: cargo test --offline\nbudgets: { semantic: 1, format: 0 }\n");
    let list = (1..)
        .zip(criteria)
        .fold(String::new(), |list, (at, text)| list + &format!("- AC-STE-1.{at}: {text}\n"));
    sandbox.write("specs/frs/STE-1.md", &format!("# Mean\n\n## Acceptance Criteria\n\n{list}"));
    sandbox.git(&["init", "-q"]);
    sandbox.commit();
    sandbox
}

fn role(name: &str, file: &str, text: &str) -> Value {
    json!({ "role": name, "write": { file: text }, "say": { "status": "ok", "files": [file] } })
}

/// Roles that write `src/main.rs` for two criteria: `tests` is what the block says of its tests.
fn two(before: &str, all: [&str; 3], tests: &Value, proof: &str) -> Ran {
    let criteria = ["`mean` gives the mean.", "`most` gives the most."];
    let sandbox = project("cart", ("src/main.rs", &program(&[], before, &[OLD])), &criteria);
    let [red, one, both] = all;
    let mut writer = role("test-writer", "src/main.rs", red);
    writer["say"]["tests"] = tests.clone();
    let mut calls = vec![writer];
    for (at, text) in [(1, one), (2, both)] {
        let mut call = role("implementer", "src/main.rs", text);
        call["criterion"] = json!(format!("AC-STE-1.{at}"));
        calls.push(call);
    }
    calls.push(json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } }));
    sandbox.scripted(&json!(calls), &["--proof", proof])
}

#[test]
fn ac_tdd_8_105_tests_inside_a_source_are_red_for_what_is_missing_one_by_one() {
    left_to_the_night!();
    let listed =
        json!({ "AC-STE-1.1": ["src/main.rs::tests::means"], "AC-STE-1.2": ["src/main.rs::tests::mosts"] });
    // Imports by name are missing, too.
    for (before, uses) in [("*", "*"), ("sum", "{mean, most, sum}")] {
        let tests = [OLD, MEANS, MOSTS];
        let red = program(&[], uses, &tests);
        let (one, both) = (program(&[MEAN], uses, &tests), program(&[MEAN, MOST], uses, &tests));
        let ran = two(before, [&red, &one, &both], &listed, if uses == "*" { "full" } else { "off" });
        ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)", "AC-STE-1.2  missing (1 test)"]);
    }
}

#[test]
fn ac_tdd_8_105_what_waits_is_no_cover_for_others() {
    left_to_the_night!();
    let listed =
        json!({ "AC-STE-1.1": ["src/main.rs::tests::means"], "AC-STE-1.2": ["src/main.rs::tests::mosts"] });
    let run = |tests: [&str; 3]| {
        let red = program(&[], "*", &tests);
        let (one, both) = (program(&[MEAN], "*", &tests), program(&[MEAN, MOST], "*", &tests));
        two("*", [&red, &one, &both], &listed, "off").expect(1)
    };
    // A test that asks nothing of what is missing, one that does not compile for a slip of its own, and an old one.
    let hollow = MOSTS.replace("most(&[1, 3]), 3", "sum(&[1, 3]), 4");
    run([OLD, MEANS, &hollow]).says(&["src/main.rs::tests::mosts passes before any code was written"]);
    let slip = MOSTS.replace("let ", "").replace("most(&[1, 3]), 3", "most(&[1, 3]), three + ");
    run([OLD, MEANS, &slip]).says(&["halted in RED"]);
    let weaker = OLD.replace("sum(&[1, 2]), 3", "sum(&[]), 0");
    run([&weaker, MEANS, MOSTS]).says(&["is not named in `supersedes:`", "src/main.rs::tests::sums"]);
}

#[test]
fn ac_tdd_8_105_a_signature_that_tests_inside_call_changes_with_a_later_criterion() {
    let code = |format: &str, more: &str| format!("{format}{more}\n#[cfg(test)]\nmod tests;\n");
    let old = "pub fn price(cents: u32) -> String {\n    format!(\"{cents} ct\")\n}\n";
    let new = "pub fn price(cents: u32, unit: &str) -> String {\n    format!(\"{cents} {unit}\")\n}\n";
    let free = "\npub fn free() -> String {\n    \"free\".to_owned()\n}\n";
    let criteria = ["`free` is free.", "`price` takes the unit."];
    let sandbox = project("cart", ("src/lib.rs", &code(old, "")), &criteria);
    let tests = |price: &str, more: &str| {
        format!("use super::*;\n\n#[test]\nfn prices() {{\n    assert_eq!({price});\n}}\n{more}")
    };
    sandbox.write("src/tests.rs", &tests("price(3), \"3 ct\"", ""));
    sandbox.commit();
    let frees = "\n#[test]\nfn ac_ste_1_1_is_free() {\n    assert_eq!(free(), \"free\");\n}\n";
    let mut writer = role("test-writer", "src/tests.rs", &tests("price(3, \"EUR\"), \"3 EUR\"", frees));
    // The new one says by its name whose it is.
    writer["say"]["supersedes"] = json!({ "AC-STE-1.2": ["src/tests.rs::prices"] });
    let mut one = role("implementer", "src/lib.rs", &code(old, free));
    one["criterion"] = json!("AC-STE-1.1");
    let mut two = role("implementer", "src/lib.rs", &code(new, free));
    two["criterion"] = json!("AC-STE-1.2");
    let last = json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } });
    let ran = sandbox.scripted(&json!([writer, one, two, last]), &battery::proof("full"));
    ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)", "AC-STE-1.2  missing (1 test)"]);
}

#[test]
fn ac_tdd_8_116_a_path_that_begins_with_a_module_of_the_crate_is_its_own() {
    left_to_the_night!();
    let root = "mod parts;\n\nfn main() {\n    println!(\"{}\", parts::sum(&[1, 2]));\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    \
                #[test]\n    fn sums() {\n        assert_eq!(parts::sum(&[1, 2]), 3);\n    }\n}\n";
    for (call, more) in [
        ("parts::mean(&[1, 3])", "\npub fn mean(all: &[u32]) -> u32 {\n    sum(all) / all.len() as u32\n}\n"),
        (
            "parts::Mean::of(&[1, 3])",
            "\npub struct Mean;\n\nimpl Mean {\n    pub fn of(all: &[u32]) -> u32 {\n        sum(all) / all.len() as u32\n    }\n}\n",
        ),
    ] {
        let sandbox = project("cart", ("src/main.rs", root), &["`mean` gives the mean."]);
        sandbox.write("src/parts.rs", SUM);
        sandbox.commit();
        let new = format!(
            "\n    #[test]\n    fn ac_ste_1_1_means() {{\n        assert_eq!({call}, 2);\n    }}\n}}\n"
        );
        let red = format!("{}{new}", root.strip_suffix("}\n").unwrap());
        let calls = json!([
            role("test-writer", "src/main.rs", &red),
            role("implementer", "src/parts.rs", &format!("{SUM}{more}")),
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &["--proof", "off"]).expect(0).says_on_stdout(&["missing (1 test)"]);
    }
}

#[test]
fn ac_tdd_8_118_tests_inside_sources_stay_for_a_retry_like_files_of_tests() {
    left_to_the_night!();
    let criteria = ["`mean` gives the mean.", "`most` gives the most."];
    let sandbox = project("cart", ("src/main.rs", &program(&[], "*", &[OLD])), &criteria);
    sandbox.write("tdd.yaml", "test: cargo test --offline\nbudgets: { semantic: 2, format: 0 }\n");
    sandbox.commit();
    let writer = |number: u32, script: &str, tests: Value| {
        let mut writer = json!({ "role": "test-writer", "number": number, "run": ["sh", "-c", script] });
        writer["say"] = json!({ "status": "ok", "files": ["src/main.rs"], "tests": tests });
        writer
    };
    let both =
        json!({ "AC-STE-1.1": ["src/main.rs::tests::means"], "AC-STE-1.2": ["src/main.rs::tests::mosts"] });
    let add = |test: &str| {
        let test = test.replace('\n', "\\n");
        format!("sed -i '$d' src/main.rs; printf '{test}}}\\n' >> src/main.rs")
    };
    let green = |code: &[&str]| program(code, "*", &[OLD, MEANS, MOSTS]);
    let mut calls = vec![writer(1, &add(MEANS), json!({})), writer(2, &add(MOSTS), both)];
    for (at, text) in [(1, green(&[MEAN])), (2, green(&[MEAN, MOST]))] {
        let mut call = role("implementer", "src/main.rs", &text);
        call["criterion"] = json!(format!("AC-STE-1.{at}"));
        calls.push(call);
    }
    calls.push(json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } }));
    let ran = sandbox.scripted(&json!(calls), &["--proof", "off"]);
    ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)", "AC-STE-1.2  missing (1 test)"]);
}

#[test]
fn ac_tdd_8_120_tests_of_a_module_that_is_led_to_another_file_are_told_too() {
    let root = "pub fn sum(all: &[u32]) -> u32 {\n    all.iter().sum()\n}\n\n#[cfg(test)]\n#[path = \"sum_tests.rs\"]\nmod tests;\n";
    let old = "use super::*;\n\n#[test]\nfn sums() {\n    assert_eq!(sum(&[1, 2]), 3);\n}\n";
    let new = format!("{old}\n#[test]\nfn ac_ste_1_1_means() {{\n    assert_eq!(mean(&[1, 3]), 2);\n}}\n");
    let all = [json!({}), json!({ "AC-STE-1.1": ["src/lib.rs::tests::ac_ste_1_1_means"] })];
    for listed in battery::part(all, 1) {
        let sandbox = project("cart", ("src/lib.rs", root), &["`mean` gives the mean."]);
        sandbox.write("src/sum_tests.rs", old);
        sandbox.commit();
        let mut writer = role("test-writer", "src/sum_tests.rs", &new);
        writer["say"]["tests"] = listed;
        let mut done = role("implementer", "src/lib.rs", &format!("{MEAN}{root}"));
        done["criterion"] = json!("AC-STE-1.1");
        let refactorer = json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } });
        let ran = sandbox.scripted(&json!([writer, done, refactorer]), &battery::proof("full"));
        ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)"]);
    }
}

#[test]
fn ac_tdd_8_127_a_module_of_a_target_of_tests_is_told_apart_from_the_others() {
    left_to_the_night!();
    let sandbox = project("cart", ("src/lib.rs", SUM), &["`mean` gives the mean.", "`most` gives the most."]);
    sandbox.write("tests/it/main.rs", "mod old;\n");
    sandbox.write("tests/it/old.rs", "#[test]\nfn sums() {\n    assert_eq!(cart::sum(&[1, 2]), 3);\n}\n");
    sandbox.commit();
    let module = |name: &str, call: &str, want: u8| {
        format!("use cart::{name};\n\n#[test]\nfn gives() {{\n    assert_eq!({name}({call}), {want});\n}}\n")
    };
    let mut writer = role("test-writer", "tests/it/main.rs", "mod ac_ste_1_1;\nmod ac_ste_1_2;\nmod old;\n");
    writer["say"]["files"] = json!(["tests/it/main.rs", "tests/it/ac_ste_1_1.rs", "tests/it/ac_ste_1_2.rs"]);
    writer["write"]["tests/it/ac_ste_1_1.rs"] = json!(module("mean", "&[1, 3]", 2));
    writer["write"]["tests/it/ac_ste_1_2.rs"] = json!(module("most", "&[1, 3]", 3));
    let (one, both) = (
        format!("{SUM}pub {}", MEAN.trim_start()),
        [MEAN, MOST].map(|code| format!("pub {}", code.trim_start())).concat(),
    );
    let mut calls = vec![writer];
    for (at, text) in [(1, one), (2, format!("{SUM}{both}"))] {
        let mut call = role("implementer", "src/lib.rs", &text);
        call["criterion"] = json!(format!("AC-STE-1.{at}"));
        calls.push(call);
    }
    calls.push(json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } }));
    let ran = sandbox.scripted(&json!(calls), &["--proof", "full"]);
    ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)", "AC-STE-1.2  missing (1 test)"]);
}
