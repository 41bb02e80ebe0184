//! Work trees of the same repository inside the one of a run, as sessions of agents have them in `.claude/worktrees`:
//! other people's, at both levels. What a child makes look like one is its own all the same.

use super::isolation::has_bwrap;
use super::meanwhile::meanwhile;
use super::sandbox::Sandbox;
use super::stops::{self, HONEST_CHECK, project};

const LEVELS: [&str; 2] = ["audit", "enforce"];

fn levels() -> impl Iterator<Item = &'static str> {
    LEVELS.into_iter().filter(|level| *level == "audit" || has_bwrap())
}

const WAITING: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; echo up >../up; read line <../go; block src.txt;;
*) block '';;
esac
";

fn edit(sandbox: &Sandbox, folder: &str) {
    for path in ["src.txt", "tests/new.sh", "tdd.yaml", "specs/frs/STE-1.md", ".claude/settings.json"] {
        sandbox.write(&format!("{folder}/{path}"), "theirs\n");
    }
}

#[test]
fn ac_tdd_9_86_another_work_tree_inside_this_one_is_no_part_of_the_run() {
    left_to_the_night!();
    for level in levels() {
        for (folder, ignored, before) in [
            (".claude/worktrees/x", true, false),
            (".claude/worktrees/x", true, true),
            ("side", false, false),
            ("side", false, true),
        ] {
            let sandbox = project(WAITING, HONEST_CHECK, "");
            let what = format!("{level} {folder} {before}");
            if ignored {
                sandbox.write(".gitignore", ".claude/worktrees/\n");
                sandbox.commit();
            }
            let add = || sandbox.git(&["worktree", "add", "-q", "-b", "theirs", folder]);
            if before {
                add();
            }
            let ran = meanwhile(level, &sandbox, || {
                if !before {
                    add();
                }
                edit(&sandbox, folder);
            });
            let ran = ran.expect(0);
            assert_eq!(sandbox.forks(), 3, "{what}: no attempt failed: {}", ran.stderr);
            assert!(
                !format!("{}{}", ran.stdout, ran.stderr).contains(&format!("{folder}/")),
                "{what}: {}",
                ran.stderr
            );
            assert!(ran.stdout.contains("changed: 2 files"), "{what}: {}", ran.stdout);
            let changed = sandbox.git(&["-C", folder, "status", "--short", "-uall"]);
            assert_eq!(changed.lines().count(), 5, "{what}: {changed}");
            sandbox.tdd(&["undo"]).expect(0);
            assert_eq!(sandbox.git(&["-C", folder, "status", "--short", "-uall"]), changed, "{what}");
            sandbox.git(&["worktree", "remove", "--force", folder]);
        }
    }
}

/// The twins: a role that makes a folder look like one, by a `.git` that leads to another one's entry, or at the
/// place of one that is gone.
#[test]
fn what_a_role_makes_look_like_a_work_tree_is_its_own_work() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let fakes = [
        "mkdir fake; cp theirs/.git fake/.git 2>/dev/null || echo \"gitdir: $PWD/.git/worktrees/theirs\" >fake/.git; echo x >fake/tdd.yaml",
        "mkdir gone; echo \"gitdir: $PWD/.git/worktrees/gone\" >gone/.git; echo x >gone/tdd.yaml",
    ];
    for fake in fakes {
        let agent = WAITING.replace("echo up >../up; read line <../go;", &format!("{fake};"));
        let sandbox = project(&agent, HONEST_CHECK, "");
        sandbox.git(&["worktree", "add", "-q", "-b", "theirs", "theirs"]);
        sandbox.git(&["worktree", "add", "-q", "-b", "gone", "gone"]);
        std::fs::remove_dir_all(sandbox.path("gone")).unwrap();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let ran =
            super::sandbox::Ran::of(&command.arg("STE-1").env("TDD_SANDBOX", "enforce").output().unwrap());
        ran.expect(1).says(&["this role may not change", "/tdd.yaml"]);
    }
}

/// In `enforce` no role reads another session's work or requirements, nor writes there; commands of the project's
/// may read it.
#[test]
fn no_role_reaches_another_work_tree() {
    if !has_bwrap() {
        return;
    }
    let agent = WAITING.replace(
        "echo up >../up; read line <../go;",
        "ls -A theirs >../seen; echo x 2>/dev/null >theirs/src.txt && echo wrote >>../seen;",
    );
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.git(&["worktree", "add", "-q", "-b", "theirs", "theirs"]);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    super::sandbox::Ran::of(&command.arg("STE-1").env("TDD_SANDBOX", "enforce").output().unwrap()).expect(0);
    assert_eq!(std::fs::read_to_string(stops::beside(&sandbox, "seen")).unwrap(), "");
    assert_eq!(sandbox.read("theirs/src.txt"), "one\n");
}
