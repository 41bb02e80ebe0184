//! What was taken out of the tree, or put back, and may be a person's is told wherever a run is told (contract
//! section 11); what tests make again and again is not.

use std::process::Stdio;

use serde_json::Value;

use super::isolation::has_bwrap;
use super::meanwhile::meanwhile;
use super::sandbox::{Ran, Sandbox};
use super::stops::{self, HONEST_AGENT, HONEST_CHECK, hear, listen, project};

const LEVELS: [&str; 2] = ["audit", "enforce"];
const TOLD: &str = "may be somebody else's: ";

fn levels() -> impl Iterator<Item = &'static str> {
    LEVELS.into_iter().filter(|level| *level == "audit" || has_bwrap())
}

/// A project with files of a person's, whose tests wait once, as soon as the code is there.
fn waiting(agent: &str, more: &str) -> Sandbox {
    let check = format!(
        "test -e ../once || {{ grep -q '^t' src.txt && {{ : >../once; echo up >../up; read line <../go; }}; }}\n\
         {HONEST_CHECK}"
    );
    let sandbox = project(agent, &check, more);
    for (path, text) in [("notes.txt", "notes\n"), ("gone.txt", "gone\n"), ("tests/base.sh", "true\n")] {
        sandbox.write(path, text);
    }
    sandbox.commit();
    sandbox
}

fn at(sandbox: &Sandbox, level: &str, words: &[&str]) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&command.args(words).env("TDD_SANDBOX", level).output().unwrap())
}

/// Two files edited or made, and one removed.
fn works(sandbox: &Sandbox) {
    sandbox.write("notes.txt", "mine\n");
    sandbox.write("mine.txt", "mine\n");
    std::fs::remove_file(sandbox.path("gone.txt")).unwrap();
}

/// The files that a line or an object names, and the tree that holds them.
fn told_of(text: &str) -> (Vec<String>, String) {
    let line = text.lines().find_map(|line| line.split_once(TOLD)).unwrap_or_else(|| panic!("{text}")).1;
    let (files, kept) = line.split_once("; kept as ").unwrap();
    let mut files: Vec<String> = files.split(", ").map(str::to_owned).collect();
    files.sort();
    (files, kept.split(':').next().unwrap().to_owned())
}

fn told_to_a_machine(text: &str) -> (Vec<String>, String) {
    let value: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let one = &value["set_aside"].as_array().unwrap_or_else(|| panic!("{text}"))[0];
    let files = one["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned());
    let mut files: Vec<String> = files.collect();
    files.sort();
    (files, one["kept"].as_str().unwrap().to_owned())
}

#[test]
fn ac_tdd_9_47_what_was_put_back_while_tests_ran_is_told_wherever_the_run_is_told() {
    left_to_the_night!();
    let bad = HONEST_AGENT.replace("echo two >>src.txt", "echo three >>src.txt");
    for level in levels() {
        for (agent, code) in [(HONEST_AGENT, 0), (bad.as_str(), 1)] {
            let sandbox = waiting(agent, "budgets: { semantic: 1 }\n");
            let ran = meanwhile(level, &sandbox, || works(&sandbox)).expect(code);
            assert_eq!(sandbox.read("notes.txt"), "notes\n");
            assert!(sandbox.path("gone.txt").exists() && !sandbox.path("mine.txt").exists());
            let (files, kept) = told_of(&ran.stdout);
            assert_eq!(files, ["gone.txt", "mine.txt", "notes.txt"], "{level}: {}", ran.stdout);
            assert_eq!(sandbox.git(&["show", &format!("{kept}:mine.txt")]), "mine");
            assert_eq!(told_of(&sandbox.tdd(&["status"]).expect(0).stdout), (files.clone(), kept.clone()));
            assert_eq!(told_of(&sandbox.tdd(&["wait"]).expect(code).stdout), (files.clone(), kept.clone()));
            for words in [["status", "--json"], ["wait", "--json"]] {
                assert_eq!(told_to_a_machine(&sandbox.tdd(&words).stdout), (files.clone(), kept.clone()));
            }
        }
    }
}

/// What a role may not change is put back in `audit`, where nobody can tell who wrote it.
#[test]
fn what_is_put_back_as_a_roles_forbidden_work_is_told_too() {
    let sandbox = project(
        &HONEST_AGENT.replace("echo two >>src.txt", "echo two >>src.txt; echo '# x' >>tests/ac_ste_1_1.sh"),
        HONEST_CHECK,
        "budgets: { semantic: 1 }\n",
    );
    let ran = at(&sandbox, "audit", &["STE-1", "--json=summary"]).expect(1);
    let (files, kept) = told_to_a_machine(&ran.stdout);
    assert_eq!(files, ["tests/ac_ste_1_1.sh"]);
    assert!(sandbox.git(&["show", &format!("{kept}:{}", files[0])]).ends_with("# x"));
}

/// The honest twins: a run that nobody interfered with, with tests that leave a file after each run, new or not.
#[test]
fn nothing_is_told_of_what_tests_leave_again_and_again() {
    left_to_the_night!();
    for leaves in ["echo x >cache.txt", "echo x >>notes.txt", ":"] {
        for level in levels() {
            let check = format!("{leaves}; {HONEST_CHECK}");
            let sandbox = project(HONEST_AGENT, &check, "");
            sandbox.write("notes.txt", "notes\n");
            sandbox.commit();
            let later = check.replace(leaves, &format!("test ! -e tests/ac_ste_1_1.sh || {{ {leaves}; }}"));
            // Tests that leave a file from RED on: at the baseline nobody could see it.
            let is_new = leaves.contains("cache");
            if is_new {
                std::fs::write(stops::beside(&sandbox, "check.sh"), later).unwrap();
            }
            let ran = at(&sandbox, level, &["STE-1"]).expect(0);
            assert!(!ran.stdout.contains(TOLD), "{level}, {leaves}: {}", ran.stdout);
            let status = sandbox.tdd(&["status"]).expect(0);
            assert!(!status.stdout.contains(TOLD), "{}", status.stdout);
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert!(!cleaned.stderr.contains("left alone"), "{leaves}: {}", cleaned.stderr);
        }
    }
}

/// Whoever edits a protected file while tests run has edited no other file of the role's.
#[test]
fn ac_tdd_9_48_a_protected_file_that_is_edited_while_tests_run_makes_no_other_file_a_roles() {
    left_to_the_night!();
    for level in levels() {
        for protected in [false, true] {
            let sandbox = waiting(HONEST_AGENT, "");
            let ran = meanwhile(level, &sandbox, || {
                works(&sandbox);
                if protected {
                    sandbox.write("tests/base.sh", "true # mine\n");
                }
            });
            let is_pause = protected && level == "enforce";
            let ran = ran.expect(if is_pause { 3 } else { 0 });
            assert_eq!(sandbox.read("notes.txt"), "notes\n", "{level}");
            assert!(sandbox.path("gone.txt").exists() && !sandbox.path("mine.txt").exists());
            let told = if is_pause { &ran.stderr } else { &ran.stdout };
            let lines: Vec<&str> =
                told.lines().filter_map(|line| line.split_once(TOLD)).map(|(_, n)| n).collect();
            let is_told = |path: &str| lines.iter().any(|line| line.contains(path));
            assert!(["notes.txt", "mine.txt", "gone.txt"].into_iter().all(is_told), "{level}: {told}");
            assert_eq!(is_told("tests/base.sh"), protected && !is_pause, "{level}: {told}");
            if is_pause {
                ran.says(&["tests/base.sh: read-only", "also changed while tests ran"]);
                assert_eq!(sandbox.read("tests/base.sh"), "true # mine\n", "that one stays");
                sandbox.write("tests/base.sh", "true\n");
                at(&sandbox, level, &["resume"]).expect(0);
            }
            let changed = sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
            assert_eq!(changed.trim_start(), "M src.txt\n?? tests/ac_ste_1_1.sh", "{level}");
            let undone = sandbox.tdd(&["undo"]).expect(0).stdout;
            assert!(!undone.contains("notes.txt") && !undone.contains("mine.txt"), "{undone}");
            sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "--discard-commits"]);
        }
    }
}

/// Writes what a person does meanwhile, as if they had saved just while the role was at work.
fn agent_beside_a_person(role: &str, claims: &str) -> String {
    let (of_role, block) = match role {
        "test-writer" => ("mkdir -p tests;", "block tests/ac_ste_1_1.sh"),
        _ => ("echo two >>src.txt;", "block src.txt"),
    };
    let theirs = "echo mine >notes.txt; echo mine >mine.txt;";
    HONEST_AGENT.replace(of_role, &format!("{of_role} {theirs}")).replace(block, claims)
}

/// What a person writes while a role works can't be told from the role's own, but for that its block does not
/// name it. The honest twin names all that it has written.
#[test]
fn ac_tdd_9_49_a_file_that_no_block_names_is_cleaned_after_an_undo_with_a_word_alone() {
    left_to_the_night!();
    for level in levels() {
        for (claims, is_held) in [("block src.txt", true), ("block src.txt,notes.txt,mine.txt", false)] {
            for undone in [false, true] {
                let sandbox = waiting(&agent_beside_a_person("implementer", claims), "");
                std::fs::write(stops::beside(&sandbox, "once"), "").unwrap();
                at(&sandbox, level, &["STE-1"]).expect(0);
                if undone {
                    // What may be a person's is asked about first.
                    let ran = sandbox.tdd(&["undo"]).expect(if is_held { 2 } else { 0 });
                    if is_held {
                        ran.says(&["mine.txt", "notes.txt"]);
                        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
                    }
                }
                let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
                let is_asked = ran.stderr.contains("left alone");
                assert_eq!(is_asked, is_held && undone, "{level}, {claims}: {}", ran.stderr);
                if is_asked {
                    let show =
                        ran.stderr.split("keep one: git show ").nth(1).unwrap().split(" >").next().unwrap();
                    assert_eq!(sandbox.git(&["show", show]), "mine");
                    let ran = ran.says(&["2 versions", "notes.txt", "mine.txt"]);
                    assert!(!ran.stderr.contains("src.txt\n"), "that is the role's: {}", ran.stderr);
                    sandbox.tdd(&["clean", "--all", "--discard-commits"]).expect(0);
                    assert_eq!(sandbox.git(&["for-each-ref", "refs/tdd"]), "");
                }
            }
        }
    }
}

const UNNAMED: &str = "left by a role that names nothing of it, or written by somebody meanwhile: ";

/// A role that ends without a block names nothing: its failed work may hold a person's, and goes with a word alone.
#[test]
fn ac_tdd_9_50_what_is_left_by_a_role_that_names_nothing_is_held_and_not_called_somebody_elses() {
    left_to_the_night!();
    for (claims, is_held) in [("echo done", true), ("block src.txt,notes.txt,mine.txt", false)] {
        let agent = agent_beside_a_person("implementer", claims).replace("echo two", "echo three");
        let sandbox = waiting(&agent, "budgets: { semantic: 1, format: 0 }\n");
        std::fs::write(stops::beside(&sandbox, "once"), "").unwrap();
        let ran = at(&sandbox, "audit", &["STE-1"]).expect(1);
        assert!(!ran.stdout.contains(TOLD), "{}", ran.stdout);
        assert_eq!(ran.stdout.contains(UNNAMED), is_held, "{}", ran.stdout);
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(cleaned.stderr.contains("left alone"), is_held, "{}", cleaned.stderr);
    }
}

/// Repositories inside the work tree: a submodule and one that `.gitmodules` does not name.
const INNER: &str = "export GIT_AUTHOR_NAME=p GIT_AUTHOR_EMAIL=p@p GIT_COMMITTER_NAME=p GIT_COMMITTER_EMAIL=p@p
for it in ../sub nest; do git init -q $it; echo ours >$it/f; git -C $it add f; git -C $it commit -qm f; done
git -c protocol.file.allow=always submodule --quiet add ../sub sub; git add nest 2>/dev/null; git commit -qm inner";

fn sh(sandbox: &Sandbox, script: &str) -> String {
    let mut command = sandbox.command("sh");
    Ran::of(&command.args(["-ec", script]).output().unwrap()).expect(0).stdout
}

/// The pause, the undo and the clean all hold what changed there for somebody's; the twin changes nothing there.
#[test]
fn ac_tdd_9_52_what_changes_in_repositories_inside_the_tree_is_no_runs_to_pause_undo_and_clean() {
    left_to_the_night!();
    for edited in [true, false] {
        let theirs = "echo mine >nest/f; echo mine >nest/new; echo mine >sub/f;";
        let theirs = if edited { theirs } else { "" };
        let agent = HONEST_AGENT.replace("echo two >>src.txt;", &format!("echo two >>src.txt; {theirs}"));
        let sandbox = project(&agent, HONEST_CHECK, "");
        sh(&sandbox, INNER);
        let ran = at(&sandbox, "audit", &["STE-1"]).expect(if edited { 3 } else { 0 });
        if !edited {
            sandbox.tdd(&["undo"]).expect(0);
            let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert!(!ran.stderr.contains("left alone"), "{}", ran.stderr);
            continue;
        }
        let ran =
            ran.says(&["submodules nest, sub changed", "nothing was put back there", "git -C sub stash -u"]);
        let refused = sandbox.tdd(&["undo"]).expect(2);
        let refused = refused.says(&["3 files would be overwritten", "nest/f", "nest/new", "sub/f"]);
        assert!(!refused.stderr.contains("src.txt"), "that is the role's: {}", refused.stderr);
        assert_eq!(sandbox.read("nest/new") + &sandbox.read("sub/f"), "mine\nmine\n");
        // What the pause advises works for both.
        let advice =
            ran.stderr.lines().filter_map(|line| line.split_once("put it back:")).map(|(_, said)| said);
        let advice: Vec<&str> = advice.collect();
        let name =
            "export GIT_AUTHOR_NAME=p GIT_AUTHOR_EMAIL=p@p GIT_COMMITTER_NAME=p GIT_COMMITTER_EMAIL=p@p;";
        assert_eq!(advice.len(), 2, "{}", ran.stderr);
        sh(&sandbox, &format!("{name} {}", advice.join(";")));
        assert_eq!(sandbox.read("nest/f") + &sandbox.read("sub/f"), "ours\nours\n");
        let agent = format!("role=$1\n{}{HONEST_AGENT}", stops::BLOCK);
        std::fs::write(stops::beside(&sandbox, "agent.sh"), agent).unwrap();
        at(&sandbox, "audit", &["resume"]).expect(0);
        sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "/theirs-", "--discard-commits"]);
    }
}

/// A link's version is where it leads.
#[test]
fn a_link_that_the_tree_holds_just_so_is_held_by_no_run_alone() {
    left_to_the_night!();
    for is_there in [true, false] {
        let agent = HONEST_AGENT.replace("echo two >>src.txt;", "echo two >>src.txt; ln -s src.txt link;");
        let sandbox = project(&agent, HONEST_CHECK, "");
        at(&sandbox, "audit", &["STE-1"]).expect(0);
        if !is_there {
            std::fs::remove_file(sandbox.path("link")).unwrap();
        }
        let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(ran.stderr.contains("left alone"), !is_there, "{}", ran.stderr);
    }
}

/// Whoever looks first after a kill knows, too, that no child could have written to a protected file.
#[test]
fn a_protected_file_that_is_edited_after_a_kill_pauses_the_run_that_goes_on() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    for edited in [true, false] {
        let agent = HONEST_AGENT.replace(
            "echo two >>src.txt;",
            "echo two >>src.txt; test -e ../once || { : >../once; echo up >../up; read line <../go; };",
        );
        let sandbox = project(&agent, HONEST_CHECK, "");
        let mut up = listen(&sandbox, "up");
        let _go = listen(&sandbox, "go");
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.arg("STE-1").env("TDD_SANDBOX", "enforce").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        assert_eq!(hear(&mut up), "up");
        child.kill().unwrap();
        child.wait().unwrap();
        let was = sandbox.read("tests/ac_ste_1_1.sh");
        if edited {
            sandbox.write("tests/ac_ste_1_1.sh", "mine\n");
            let ran = at(&sandbox, "enforce", &["resume"]).expect(3);
            ran.says(&["by somebody else", "tests/ac_ste_1_1.sh: read-only", "nothing was put back"]);
            assert_eq!(sandbox.read("tests/ac_ste_1_1.sh"), "mine\n");
            // Nor does an undo take for the run's what came since the kill.
            let notes = sandbox.path("notes.txt");
            assert!(!notes.exists());
            std::fs::write(&notes, "mine\n").unwrap();
            at(&sandbox, "enforce", &["resume"]).expect(3);
            let undo = sandbox.tdd(&["undo"]).expect(2);
            undo.says(&[
                "tests/ac_ste_1_1.sh",
                "notes.txt",
                "by somebody else, or by a child that was cut off",
            ]);
            std::fs::remove_file(&notes).unwrap();
            sandbox.write("tests/ac_ste_1_1.sh", &was);
        }
        at(&sandbox, "enforce", &["resume"]).expect(0);
    }
}

/// Of an undone run nothing is left to take back, and what came since is nobody's leftover.
#[test]
fn an_undo_of_an_undone_run_says_so_where_files_were_changed_since() {
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    at(&sandbox, "audit", &["STE-1"]).expect(0);
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&["nothing to undo"]);
    sandbox.write("mine.txt", "mine\n");
    sandbox.tdd(&["undo"]).expect(2).says(&["the run is undone already, and 1 file", "mine.txt"]);
    assert_eq!(sandbox.read("mine.txt"), "mine\n");
}

/// No commit of the outer repository knows them, so that nobody else could tell what was a person's.
#[test]
fn ac_tdd_9_58_what_no_role_names_in_a_repository_inside_the_tree_is_not_undone_unasked() {
    for named in [false, true] {
        let files = if named { "src.txt,nest/f" } else { "src.txt" };
        let agent = HONEST_AGENT.replace(
            "echo two >>src.txt; block src.txt",
            &format!("echo two >>src.txt; echo mine >nest/f; block {files}"),
        );
        let sandbox = project(&agent, HONEST_CHECK, "");
        sh(
            &sandbox,
            "git init -q nest; cd nest; echo ours >f; git add f; git -c user.name=p -c user.email=p@p commit -qm f",
        );
        at(&sandbox, "audit", &["STE-1"]).expect(0);
        let ran = sandbox.tdd(&["undo"]).expect(if named { 0 } else { 2 });
        assert_eq!(ran.stderr.contains("nest/f"), !named, "{}", ran.stderr);
        assert!(!ran.stderr.contains("src.txt"), "{}", ran.stderr);
        assert_eq!(sandbox.read("nest/f"), if named { "ours\n" } else { "mine\n" });
    }
}

/// A role runs in the project's folder, and may name a folder for what it made in it.
#[test]
fn ac_tdd_9_59_a_block_means_files_from_the_projects_folder_and_folders_whole() {
    left_to_the_night!();
    for (files, is_asked) in [
        ("src.txt,made/a", false),
        ("src.txt,made", false),
        ("pro/src.txt,pro/made/a", false),
        ("src.txt", true),
    ] {
        let work = format!("echo two >>src.txt; mkdir -p made; echo a >made/a; block {files}");
        let agent = HONEST_AGENT.replace("echo two >>src.txt; block src.txt", &work);
        let sandbox = project(&agent, HONEST_CHECK, "");
        sh(&sandbox, "mkdir pro; git mv tdd.yaml src.txt specs pro; cp ../agent.sh ../check.sh .");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        let tdd = |words: &[&str]| {
            let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
            Ran::of(&command.args(words).current_dir(sandbox.path("pro")).output().unwrap()).expect(0)
        };
        let ran = tdd(&["STE-1", "--sandbox", "audit"]);
        assert!(!ran.stdout.contains("no snapshot holds it"), "{files}: {}", ran.stdout);
        tdd(&["undo", "--discard-changes"]);
        let cleaned = tdd(&["clean", "--all"]);
        assert_eq!(cleaned.stderr.contains("pro/made/a"), is_asked, "{files}: {}", cleaned.stderr);
        assert!(!cleaned.stderr.contains("src.txt"), "{files}: {}", cleaned.stderr);
    }
}
