//! The summary of a run that went through.

use tdd::text::summary::json::summary;
use tdd::text::summary::{SummaryFacts, commit_paths, text};
use tdd_core::commands::RunnerKind;
use tdd_core::criterion::Verify;
use tdd_core::finding::{ChangeKind, ClassedChange, Findings, RedKind};
use tdd_core::halt::Ending;
use tdd_core::policy::FileClass;
use tdd_core::role::Key;
use tdd_core::test::TestId;

use crate::sample::{Play, Story, criterion, green, measured, path, red, started, well};

fn facts() -> SummaryFacts {
    let change = |file, kind, class| ClassedChange { path: path(file), kind, class };
    SummaryFacts {
        run_dir: ".tdd/runs/x".to_owned(),
        changed: vec![
            change("src/the lib.rs", ChangeKind::Modified, FileClass::Source),
            change("target/debug/x", ChangeKind::Added, FileClass::ByProduct),
            change("tests/ac_ste_1_1.rs", ChangeKind::Added, FileClass::Test),
        ],
        isolation: "audit".to_owned(),
        ..SummaryFacts::default()
    }
}

/// RED of the first criterion was a missing symbol; the second was green when its turn came.
fn story() -> Story {
    let mut story = Story::of(started());
    story.go(|attempt| match &attempt.key {
        Key::TestWriter => {
            Play { measured: Some(measured(Findings::Red(red(RedKind::Missing)))), ..well(attempt) }
        }
        Key::Implementer(id) if id.number() == 2 => {
            let mut findings = green(2);
            findings.early_green = true;
            Play { measured: Some(measured(Findings::Green(findings))), ..well(attempt) }
        }
        Key::Implementer(_) | Key::Refactorer => well(attempt),
    });
    story
}

#[test]
fn the_matrix_says_what_was_seen_red_and_what_is_green() {
    let story = story();
    let facts = SummaryFacts { early_green: story.state.early_green.clone(), ..facts() };
    assert_eq!(facts.early_green, [criterion(2)]);
    let page = text(&story.state, Ending::Verified, &facts);
    let row = |id: &str| page.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(
        row("AC-STE-1.1").ends_with("missing (1 test)    green; seen failing: no (symbol missing)"),
        "{page}"
    );
    assert!(row("AC-STE-1.2").ends_with("assertion (1 test)  green, early"), "{page}");
    assert!(page.contains("evidence: seen failing: no (symbol missing) for 1 criterion"), "{page}");
    assert!(page.contains("attempts: 4, none failed"), "{page}");
    assert!(page.contains("isolation: audit"), "{page}");
}

#[test]
fn a_file_with_a_secret_in_its_name_is_in_no_command() {
    let facts = SummaryFacts { unnamed: [path("tests/ac_ste_1_1.rs")].into(), ..facts() };
    let page = text(&story().state, Ending::Verified, &facts);
    assert!(page.contains("git add -- ':/src/the lib.rs' && git commit"), "{page}");
    assert!(page.contains("leaves out 1 file, for a secret in the name"), "{page}");
    let all = SummaryFacts { unnamed: facts.changed.iter().map(|one| one.path.clone()).collect(), ..facts };
    let page = text(&story().state, Ending::Verified, &all);
    assert!(page.contains("  git status\nthat leaves out 2 files"), "{page}");
}

#[test]
fn tests_that_were_red_before_are_named_as_left_out() {
    let mut story = story();
    assert!(!text(&story.state, Ending::Verified, &facts()).contains("left out"));
    let test = &mut story.state.baseline.as_mut().unwrap().test;
    test.reds.push(TestId("old::one".to_owned()));
    story.state.run.commands.test = "env TZ=UTC cargo test".to_owned();
    let page = text(&story.state, Ending::Verified, &facts());
    let want = "evidence: 1 test was red before anything was done, and is still left out: old::one; `env TZ=UTC cargo test` as \
                a whole may be red";
    assert!(page.contains(want), "{page}");
    story.state.baseline.as_mut().unwrap().test.flaky.push(TestId("old::two".to_owned()));
    let page = text(&story.state, Ending::Verified, &facts());
    assert!(page.contains("2 tests were red before anything was done"), "{page}");
}

#[test]
fn a_commit_is_proposed_with_every_changed_file_and_no_by_product() {
    let page = text(&story().state, Ending::Verified, &facts());
    let want = "git add -- ':/src/the lib.rs' :/tests/ac_ste_1_1.rs && git commit -m 'STE-1: Things that work' -- ':/src/the lib.rs' :/tests/ac_ste_1_1.rs";
    assert!(page.contains(want), "{page}");
    assert!(!page.contains("target/debug"), "{page}");
    let unchanged = SummaryFacts { changed: Vec::new(), ..facts() };
    assert!(!text(&story().state, Ending::Verified, &unchanged).contains("git "), "nothing to commit");
}

#[test]
fn the_proposed_commit_takes_the_run_s_paths_alone_however_many_and_names_the_id_once() {
    let change = |name: String| ClassedChange { path: path(&name), ..facts().changed[0].clone() };
    let patterned = SummaryFacts { changed: vec![change("src/a[1].rs".to_owned())], ..facts() };
    let page = text(&story().state, Ending::Verified, &patterned);
    assert!(page.contains("git add -- ':(top,literal)src/a[1].rs' && "), "{page}");
    assert_eq!(commit_paths(&patterned), None);
    let many = SummaryFacts { changed: (0..41).map(|n| change(format!("src/m{n}.rs"))).collect(), ..facts() };
    let page = text(&story().state, Ending::Verified, &many);
    let listed = commit_paths(&many).unwrap();
    assert_eq!(listed.split_terminator('\0').count(), 41);
    let these = format!("--pathspec-file-nul --pathspec-from-file={}/commit-paths", facts().run_dir);
    let want = format!("git add {these} && git commit -m 'STE-1: Things that work' {these}");
    assert!(page.contains(&want) && !page.contains(" -A"), "{page}");
    for (title, want) in [
        ("STE-1: Things", "'STE-1: Things'"),
        ("ste-1 \u{2014} Things", "'STE-1: Things'"),
        ("STE-1", "STE-1 --"),
        ("STE-12 comes later", "'STE-1: STE-12 comes later'"),
    ] {
        let mut run = started();
        run.requirement.title = Some(title.to_owned());
        let mut story = Story::of(run);
        story.go(well);
        let page = text(&story.state, Ending::Verified, &facts());
        assert!(page.contains(&format!("git commit -m {want}")), "{title}: {page}");
    }
}

#[test]
fn what_lies_in_a_repository_of_its_own_is_left_out_of_the_command_and_said() {
    let facts = SummaryFacts { inner_repositories: vec![path("src")], ..facts() };
    let page = text(&story().state, Ending::Verified, &facts);
    assert!(page.contains("look at: src is a repository of its own"), "{page}");
    assert!(page.contains("git add -- :/tests/ac_ste_1_1.rs && "), "{page}");
}

#[test]
fn what_is_not_verified_is_listed_with_its_reason() {
    let mut run = started();
    run.requirement.criteria[1].verify = Verify::Manual;
    run.commands.runner = RunnerKind::ExitCode;
    let mut story = Story::of(run);
    story.go(|attempt| {
        let mut one = red(RedKind::Assertion);
        one.criteria.truncate(1);
        match attempt.key {
            Key::TestWriter => Play { measured: Some(measured(Findings::Red(one))), ..well(attempt) },
            Key::Implementer(_) | Key::Refactorer => well(attempt),
        }
    });
    let page = text(&story.state, Ending::PartlyUnverified, &facts());
    assert!(page.contains("not verified: AC-STE-1.2, it is for the operator"), "{page}");
    assert!(page.contains("evidence: exit code only"), "{page}");
    let value = serde_json::to_value(summary(&story.state, Ending::PartlyUnverified, &facts())).unwrap();
    assert_eq!(value["not_verified"][0]["criterion"], "AC-STE-1.2");
    assert_eq!(value["criteria"][0]["green"], "green");
    assert_eq!(value["ending"], "partly-unverified");
}

/// What git takes for magic at the head of a pathspec is a name all the same.
#[test]
fn the_proposed_commit_takes_files_of_any_name() {
    left_to_the_night!();
    use super::stops::{HONEST_AGENT, HONEST_CHECK, project};
    const NAMES: [&str; 12] =
        ["_x", "#x", "@x", "-x", "!x", "~x", "%x", "^x", "(top)x", ":x", ".x", "\u{e9}x"];
    let writes = format!("for name in '{}'; do echo x >\"./$name\"; done; ", NAMES.join("' '"));
    let agent = HONEST_AGENT.replace("echo two >>src.txt;", &format!("echo two >>src.txt; {writes}"));
    let sandbox = project(&agent, HONEST_CHECK, "");
    let said = sandbox.tdd(&["STE-1"]).expect(0).stdout;
    let command = said.lines().find(|line| line.trim().starts_with("git add ")).unwrap();
    let mut sh = sandbox.command("sh");
    let sh = sh.args(["-c", command]).env("GIT_AUTHOR_NAME", "p").env("GIT_AUTHOR_EMAIL", "p@p");
    let ran = sh.env("GIT_COMMITTER_NAME", "p").env("GIT_COMMITTER_EMAIL", "p@p").output().unwrap();
    super::sandbox::Ran::of(&ran).expect(0);
    let held = sandbox.git(&["ls-tree", "-z", "--name-only", "HEAD"]);
    for name in NAMES {
        assert!(held.split('\0').any(|one| one == name), "{name}: {command}\n{held}");
    }
}
