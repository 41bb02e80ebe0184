//! cargo: workspaces, targets of every kind, builds that are shared, namesakes.

use std::path::PathBuf;
use std::process::Command;

use tdd_core::audience::News;
use tdd_core::commands::{RunnerKind, Suite};
use tdd_core::evidence::evidence;
use tdd_core::ports::{Recalled, TestOrder, Tests};
use tdd_core::test::TestRun;
use tdd_runners::runner::ProjectTests;

use super::{Lab, Runs, check, has, paths, words};

/// A root that is a program, and two libraries below it with tests of equal names.
fn workspace(test: &str) -> Lab {
    let lab = Lab::new(RunnerKind::Cargo, test);
    lab.write("Cargo.toml", &format!("{}\n[workspace]\nmembers = [\"one\", \"two\"]\n", head("shop")));
    lab.write("src/main.rs", "fn main() {}\n#[test] fn root() {}\n");
    for name in ["one", "two"] {
        lab.write(&format!("{name}/Cargo.toml"), &head(name));
        lab.write(
            &format!("{name}/src/lib.rs"),
            &format!("/// ```\n/// assert_eq!({name}::n(), 1);\n/// ```\npub fn n() -> i32 {{ 1 }}\n"),
        );
        lab.write(&format!("{name}/tests/it.rs"), "#[test] fn t() {}\n");
    }
    lab
}

fn head(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
}

const WHOLE: [&str; 5] = [
    "one/src/lib.rs::doctest of n #1=ok",
    "one/tests/it.rs::t=ok",
    "src/main.rs::root=ok",
    "two/src/lib.rs::doctest of n #1=ok",
    "two/tests/it.rs::t=ok",
];
const ROOT: [&str; 1] = ["src/main.rs::root=ok"];

/// A run, and what was said meanwhile.
fn heard(tests: &mut ProjectTests) -> (TestRun, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut notes = Vec::new();
    let mut hear = |news| {
        if let News::Note(note) = news {
            notes.push(note);
        }
    };
    let run = runtime.block_on(tests.run(&TestOrder::default(), &mut hear)).unwrap();
    (run, notes)
}

#[test]
fn a_bare_command_takes_the_members_that_it_would_leave_out() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline");
    let mut tests = lab.tests().unwrap();
    let (run, notes) = heard(&mut tests);
    check(&run, &WHOLE);
    assert_eq!(run.command, "cargo test --workspace --offline");
    assert!(notes.len() == 1 && notes[0].contains("has 2 more members"), "{notes:?}");
    assert_eq!(tests.selection(Suite::Test, &[]), "cargo test --workspace --offline");
    assert_eq!(tests.everything(), "cargo test --workspace --no-fail-fast --offline");
    let (again, notes) = heard(&mut tests);
    check(&again, &WHOLE);
    assert_eq!(notes, [""; 0], "it is said once");
}

#[test]
fn a_command_that_says_its_packages_is_taken_at_its_word() {
    left_to_the_night!();
    let [one_doc, one_it, ..] = WHOLE;
    for (test, want) in [
        ("cargo test --offline -p shop", &ROOT[..]),
        ("cargo test --offline -p one", &[one_doc, one_it]),
        ("cargo test --offline --workspace --exclude two", &[one_doc, one_it, ROOT[0]]),
        ("cargo test --offline --manifest-path two/Cargo.toml --lib", &[]),
        ("cargo test --offline --bin shop", &ROOT),
    ] {
        let lab = workspace(test);
        let (run, notes) = heard(&mut lab.tests().unwrap());
        check(&run, want);
        assert_eq!((run.command.as_str(), notes), (test, vec![]));
    }
    let lab = workspace("cargo test --offline");
    lab.write(
        "Cargo.toml",
        &format!("{}\n[workspace]\nmembers = [\"one\", \"two\"]\ndefault-members = [\".\"]\n", head("shop")),
    );
    check(&lab.run(), &ROOT);
    let mut lab = workspace("cargo test --offline");
    lab.below = "one".to_owned();
    check(&lab.run(), &["src/lib.rs::doctest of n #1=ok", "tests/it.rs::t=ok"]);
}

#[test]
fn members_that_never_built_are_left_as_the_command_leaves_them() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline");
    lab.write("two/src/lib.rs", "compile_error!(\"for another machine\");\n");
    let mut tests = lab.tests().unwrap();
    let (run, notes) = heard(&mut tests);
    check(&run, &ROOT);
    assert!(notes.len() == 2 && notes[1].ends_with("do not build here: two"), "{notes:?}");
    // Whoever goes on with a run takes what its first process took, whatever builds by now.
    lab.write("two/src/lib.rs", "pub fn n() -> i32 { 1 }\n");
    for (command, want) in
        [("cargo test --offline", &ROOT[..]), ("cargo test --workspace --offline", &WHOLE[..3])]
    {
        let mut tests = lab.tests().unwrap();
        tests.recall(&Recalled { command: Some(command.to_owned()), ..Recalled::default() });
        let (run, notes) = heard(&mut tests);
        assert_eq!(
            (&words(&run)[..want.len()], notes),
            (&want.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()[..], vec![])
        );
    }
    // A member that breaks later is a finding.
    let lab = workspace("cargo test --offline");
    let mut tests = lab.tests().unwrap();
    check(&heard(&mut tests).0, &WHOLE);
    lab.write("two/src/lib.rs", "pub fn n() -> i32 { \"1\" }\n");
    assert!(heard(&mut tests).0.report.unwrap().project_broken.is_some());
}

#[test]
fn a_members_tests_are_named_by_their_package_and_run_alone() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline --features x");
    let tests = lab.tests().unwrap();
    for (files, want) in [
        (&["one/tests/it.rs"][..], "-p one --test it"),
        (&["one/tests/it.rs", "two/tests/ac.rs"], "-p one -p two --test ac --test it"),
        (&["tests/own.rs"], "--test own"),
        (&["tests/own.rs", "two/tests/ac.rs"], "-p two -p shop --test ac --test own"),
    ] {
        let want = format!("cargo test --offline --features x {want}");
        assert_eq!(tests.selection(Suite::Test, &paths(files)), want);
    }
    let lab = workspace("cargo test --offline");
    lab.write("two/tests/it.rs", "#[test] fn t() { assert_eq!(two::n(), 2) }\n");
    check(&lab.only(&["one/tests/it.rs"]), &["one/tests/it.rs::t=ok"]);
    check(&lab.ids(&["two/tests/it.rs::t"]), &["two/tests/it.rs::t=assertion"]);
    assert!(!lab.without(&["two/tests/it.rs"]).report.unwrap().is_red());
}

#[test]
fn doctests_are_looked_for_where_the_manifest_lets_them() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline -p one");
    lab.write("one/Cargo.toml", &format!("{}[lib]\ndoctest = false\n", head("one")));
    check(&lab.run(), &WHOLE[1..2]);
    // rustdoc names the file that takes the text in.
    let lab = workspace("cargo test --offline -p two");
    lab.write("two/src/lib.rs", "#![doc = include_str!(\"../README.md\")]\npub fn n() -> i32 { 1 }\n");
    lab.write("two/README.md", "# Two\n```\nassert_eq!(two::n(), 1);\n```\n");
    check(&lab.run(), &["two/src/lib.rs::doctest of the module #1=ok", "two/tests/it.rs::t=ok"]);
}

#[test]
fn targets_of_every_kind_are_run_as_cargo_runs_them() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline -p one");
    lab.write(
        "one/Cargo.toml",
        &format!(
            "{}[[test]]\nname = \"own\"\npath = \"tests/own.rs\"\nharness = false\n\
             [[test]]\nname = \"lists\"\npath = \"tests/lists.rs\"\nharness = false\n\
             [[test]]\nname = \"elsewhere\"\npath = \"checks/far.rs\"\n\
             [[example]]\nname = \"tried\"\npath = \"examples/tried.rs\"\ntest = true\n\
             [[bench]]\nname = \"speed\"\npath = \"benches/speed.rs\"\ntest = true\n",
            head("one")
        ),
    );
    lab.write("one/tests/own.rs", "fn main() { println!(\"all is well\"); }\n");
    // Knows how to list, and nothing else of what rustc's harness knows.
    lab.write(
        "one/tests/lists.rs",
        "fn main() { let a: Vec<String> = std::env::args().skip(1).collect();\n\
         if a.iter().any(|a| a == \"--list\") { println!(\"x: test\"); }\n\
         else if !a.is_empty() { eprintln!(\"unexpected argument\"); std::process::exit(2); } }\n",
    );
    lab.write("one/checks/far.rs", "#[test] fn far() {}\n");
    lab.write("one/examples/tried.rs", "fn main() {}\n#[test] fn tried() {}\n");
    lab.write("one/examples/plain.rs", "fn main() {}\n#[test] fn never() {}\n");
    lab.write("one/benches/speed.rs", "#[test] fn quick() {}\n");
    check(
        &lab.run(),
        &[
            "one/benches/speed.rs::quick=ok",
            "one/checks/far.rs::far=ok",
            "one/examples/tried.rs::tried=ok",
            "one/src/lib.rs::doctest of n #1=ok",
            "one/tests/it.rs::t=ok",
            "one/tests/lists.rs::harness=ok",
            "one/tests/own.rs::harness=ok",
        ],
    );
    let tests = lab.tests().unwrap();
    let selection = tests.selection(Suite::Test, &paths(&["one/checks/far.rs"]));
    assert_eq!(selection, "cargo test --offline -p one --test elsewhere");
}

#[test]
fn a_file_of_tests_that_no_target_names_is_told() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline -p one");
    let named = |more: &str| {
        let head = head("one").replace("edition", "autotests = false\nedition");
        lab.write(
            "one/Cargo.toml",
            &format!("{head}[[test]]\nname = \"it\"\npath = \"tests/it.rs\"\n{more}"),
        );
    };
    named("");
    lab.write("one/tests/old.rs", "#[test] fn never_was() {}\n");
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &WHOLE[..2]);
    lab.write("one/tests/ac_1.rs", "#[test] fn a() {}\n");
    lab.write("one/tests/data.rs", "pub const N: i32 = 1;\n");
    let run = runs.next();
    check(&run, &["one/src/lib.rs::doctest of n #1=ok", "one/tests/ac_1.rs!load", "one/tests/it.rs::t=ok"]);
    assert!(run.output.contains("name it in a [[test]] table"), "{}", run.output);
    named("[[test]]\nname = \"ac_1\"\npath = \"tests/ac_1.rs\"\n");
    check(&runs.next(), &[WHOLE[0], "one/tests/ac_1.rs::a=ok", WHOLE[1]]);
}

#[test]
fn generated_names_are_counted_each() {
    left_to_the_night!();
    let lab = workspace("cargo test --offline -p one --test it");
    lab.write(
        "one/tests/it.rs",
        "macro_rules! table { ($($name:ident: $n:expr),*) => { $(#[test] fn $name() { assert!($n > 0) })* } }\n\
         table!(one: 1, two: 0, r#type: 3);\nmod deep { #[test] fn one() {} }\n",
    );
    let run = lab.run();
    let [deep, one, raw, two] = ["deep::one=ok", "one=ok", "r#type=ok", "two=assertion"];
    check(
        &run,
        &[deep, one, raw, two].map(|id| format!("one/tests/it.rs::{id}")).each_ref().map(String::as_str),
    );
    check(&lab.ids(&["one/tests/it.rs::r#type"]), &["one/tests/it.rs::r#type=ok"]);
}

#[test]
fn nextest_takes_the_whole_workspace_too() {
    left_to_the_night!();
    if !has("cargo", &["nextest", "--version"]) {
        return;
    }
    let mut lab = workspace("cargo nextest run --offline");
    lab.kind = RunnerKind::Nextest;
    let (run, notes) = heard(&mut lab.tests().unwrap());
    check(&run, &["one/tests/it.rs::t=ok", "src/main.rs::root=ok", "two/tests/it.rs::t=ok"]);
    assert_eq!((run.command.as_str(), notes.len()), ("cargo nextest run --workspace --offline", 1));
}

/// A project with a package of a registry, whose build script counts how often it is built.
fn with_dependency() -> (Lab, PathBuf) {
    let lab = Lab::new(RunnerKind::Cargo, "cargo test --offline");
    let count = lab.root.path().join("built");
    lab.write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n",
    );
    lab.write("Cargo.toml", &format!("{}[dependencies]\ndep = \"1\"\n", head("shop")));
    lab.write("src/lib.rs", "pub fn one() -> i32 { dep::one() }\n");
    lab.write("tests/base.rs", "#[test] fn base() { assert_eq!(shop::one(), 1); }\n");
    lab.write("vendor/dep/Cargo.toml", &head("dep").replace("0.1.0", "1.0.0"));
    lab.write("vendor/dep/.cargo-checksum.json", "{\"files\":{},\"package\":\"00\"}");
    lab.write("vendor/dep/src/lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/one.rs\"));\n");
    lab.write(
        "vendor/dep/build.rs",
        &format!(
            "use std::io::Write;\nfn main() {{\nlet out = std::env::var(\"OUT_DIR\").unwrap();\n\
             std::fs::write(format!(\"{{out}}/one.rs\"), \"pub fn one() -> i32 {{ 1 }}\").unwrap();\n\
             let file = std::fs::OpenOptions::new().create(true).append(true).open({:?});\n\
             file.unwrap().write_all(b\"x\").unwrap();\nprintln!(\"cargo:rerun-if-changed=build.rs\");\n}}\n",
            count.to_string_lossy()
        ),
    );
    (lab, count)
}

fn build_as_a_person(lab: &Lab) {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--no-run", "--offline", "-q"]).current_dir(lab.project());
    assert!(cargo.env_remove("CARGO_TARGET_DIR").status().unwrap().success());
}

fn times(count: &PathBuf) -> usize {
    std::fs::read(count).map_or(0, |bytes| bytes.len())
}

#[test]
fn what_a_person_has_built_of_dependencies_is_not_built_again() {
    left_to_the_night!();
    let (lab, count) = with_dependency();
    build_as_a_person(&lab);
    assert_eq!(times(&count), 1);
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &["tests/base.rs::base=ok"]);
    assert_eq!(times(&count), 1, "cargo takes the copies for fresh");
    lab.write("src/lib.rs", "pub fn one() -> i32 { dep::one() + 1 }\n");
    check(&runs.next(), &["tests/base.rs::base=assertion"]);
    assert_eq!(times(&count), 1);
    // Whoever wrote to our builds has had the time to write to the person's.
    let ours = runs.targets();
    std::fs::write(ours[0].join("debug/deps/forged"), "x").unwrap();
    check(&runs.next(), &["tests/base.rs::base=assertion"]);
    assert_eq!(times(&count), 2, "nothing is taken over a second time");
}

#[test]
fn who_goes_on_with_a_run_takes_no_build_over() {
    left_to_the_night!();
    let (lab, count) = with_dependency();
    build_as_a_person(&lab);
    let mut runs = Runs::new(&lab);
    runs.tests.recall(&Recalled { command: Some("cargo test --offline".to_owned()), ..Recalled::default() });
    check(&runs.next(), &["tests/base.rs::base=ok"]);
    assert_eq!(times(&count), 2, "roles have run since");
}

#[test]
fn without_a_build_of_the_persons_all_is_built_and_told_apart_from_the_tests() {
    let (lab, count) = with_dependency();
    let run = lab.run();
    check(&run, &["tests/base.rs::base=ok"]);
    assert_eq!(times(&count), 1);
    assert!(run.build_ms > 0);
    assert_eq!(evidence(&run), Ok(()));
}

#[test]
fn tests_have_the_environment_that_the_person_has() {
    let lab = workspace("cargo test --offline -p one --test it");
    let names = ["CARGO_TERM_COLOR", "CARGO_TERM_QUIET", "RUST_BACKTRACE"];
    let asserts = names.map(|name| format!("assert_eq!(std::env::var({name:?}).ok(), {});\n", own(name)));
    lab.write("one/tests/it.rs", &format!("#[test] fn t() {{\n{}}}\n", asserts.concat()));
    check(&lab.run(), &["one/tests/it.rs::t=ok"]);
}

/// A variable of this process, as an expression.
fn own(name: &str) -> String {
    std::env::var(name).map_or("None".to_owned(), |value| format!("Some({value:?}.to_owned())"))
}

#[test]
fn ac_tdd_8_58_a_tree_and_its_checkout_are_each_built_from_their_own_files_and_none_is_touched() {
    left_to_the_night!();
    let (lab, _) = with_dependency();
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &["tests/base.rs::base=ok"]);
    let times_of = |file: &str| lab.project().join(file).metadata().unwrap().modified().unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(24 * 365);
    let files = ["src/lib.rs", "tests/base.rs"];
    for file in files {
        std::fs::File::open(lab.project().join(file)).unwrap().set_modified(old).unwrap();
    }
    check(&runs.next(), &["tests/base.rs::base=ok"]);
    let before = files.map(times_of);
    let checkout = lab.root.path().join("checkout");
    let copied = Command::new("cp").arg("-a").arg(lab.project()).arg(&checkout).status().unwrap();
    assert!(copied.success());
    let test = checkout.join("tests/base.rs");
    std::fs::write(&test, "#[test]\nfn base() { panic!(\"of the checkout\"); }\n").unwrap();
    std::fs::File::open(&test).unwrap().set_modified(old).unwrap();
    for _ in 0..2 {
        runs.tests.work_in(Some((&checkout, &[])));
        check(&runs.next(), &["tests/base.rs::base=error"]);
        runs.tests.work_in(None);
        check(&runs.next(), &["tests/base.rs::base=ok"]);
    }
    assert_eq!(files.map(times_of), before, "whoever watches the tree sees no change");
}

#[test]
fn a_helper_of_a_target_does_not_load_for_its_tests_and_a_module_with_tests_for_itself() {
    let (lab, _) = with_dependency();
    lab.write("tests/base.rs", "mod common;\nmod more;\n#[test] fn base() { common::two(); }\n");
    lab.write("tests/common/mod.rs", "pub fn two() { assert_eq!(shop::two(), 2); }\n");
    lab.write("tests/more/mod.rs", "#[test] fn more() { assert_eq!(shop::three(), 3); }\n");
    check(&lab.run(), &["tests/base.rs!missing", "tests/more/mod.rs!missing"]);
}
