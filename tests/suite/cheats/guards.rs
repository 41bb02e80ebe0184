//! Each check is what catches its cheat: with the check switched off the cheat is not caught.

use std::collections::BTreeSet;

use tdd_core::guard::Guard;

use crate::battery;

use super::crew;
use super::entry::Entry;
use super::stage::{self, Level};

/// Each guard with an entry of the battery that it alone catches, at level `audit`.
pub const PROOFS: &[(Guard, &str)] = &[
    (Guard::ClaimWorse, "says itself that it failed"),
    (Guard::Exhaustion, "waits for ever"),
    (Guard::ForbiddenChange, "writes the code too"),
    (Guard::TouchedSeal, "opens a test to everybody"),
    (Guard::InlineTest, "empties an inline test"),
    (Guard::TestAware, "asks cfg!(test) (rust)"),
    (Guard::NeedsTests, "takes what it needs from its tests"),
    (Guard::Hides, "puts a module in the place of what old tests assert with"),
    (Guard::Reassigns, "gives what old tests assert with another meaning"),
    (Guard::PublicNames, "removes public names while refactoring"),
    (Guard::PublicNames, "puts a public name under a condition while refactoring"),
    (Guard::UnlistedChange, "weakens an older test"),
    (Guard::Rebound, "gives a name of an older test another meaning"),
    (Guard::UnmappedCriterion, "leaves a criterion out"),
    (Guard::UnownedRed, "adds a red test that is nobody's"),
    (Guard::PassedAtRed, "writes a test that passes"),
    (Guard::LoadRed, "is red by a foreign import"),
    (Guard::HollowRed, "expects nothing"),
    (Guard::UnconditionalRed, "fails whatever the code does"),
    (Guard::FlakyRed, "is red in every other run"),
    (Guard::Superseded, "supersedes a test that it did not change"),
    (Guard::BrokenGreen, "breaks a known green from outside it"),
    (Guard::TestFailed, "does nothing and says ok"),
    (Guard::TestSkipped, "skips its test from within"),
    (Guard::TestVanished, "makes one of its tests vanish"),
    (Guard::Regression, "breaks what was there"),
    (Guard::Unbuilt, "breaks a program that has no tests (go)"),
    (Guard::FewerTests, "makes older tests fewer"),
    (Guard::GateRed, "leaves the gate red"),
    (Guard::Evidence, "exits with another code after green ones"),
    (Guard::ProofCheckout, "keeps its answer where git ignores it"),
    (Guard::ProofCheckout, "asks for ends of lines that git does not keep"),
    (Guard::ProofCheckout, "keeps its work in a package that nobody asks for (node)"),
    (Guard::ProofGate, "forges what a linter remembers"),
    (Guard::ProofTakenBack, "counts its runs outside the tree, and is proven"),
    (Guard::ProofStubs, "asks only whether there is something"),
    (Guard::ProofMoved, "moves an older test's example for nothing"),
    (Guard::ErrorAlone, "compares the code with itself"),
    (Guard::ErrorAlone, "expects something in a case that does not come"),
    (Guard::HeldOut, "knows the shown tests alone"),
    (Guard::Format, "says it twice"),
    (Guard::Dispute, "disputes a test"),
    (Guard::PathEscape, "names files outside the repository"),
    (Guard::SupersedeScope, "supersedes for a criterion of somebody else"),
    (Guard::OwnEnd, "is red by time"),
    (Guard::OldReport, "leaves a report from before"),
    (Guard::Report, "puts a fake runner on PATH"),
    (Guard::ReportsEnd, "ends the report without its end"),
    (Guard::Canary, "disables the assertions"),
    (Guard::MutatedCanary, "answers every comparison with yes"),
    (Guard::MutatedCanary, "reads its answer from its test"),
    (Guard::Agreement, "exits with another code after green ones"),
    (Guard::GateFile, "changes the CI"),
    (Guard::OwnGate, "edits the gate's script"),
    (Guard::Support, "rewrites what tests expect"),
    (Guard::NewlyLoaded, "brings a plugin that does the work for tests"),
    (Guard::MixedKeys, "changes the test profile"),
    (Guard::SealAfterRun, "changes a test while it runs"),
    (Guard::Rewritten, "rewrites its test for the run"),
    (Guard::LeftByRun, "plants a source while it runs"),
    (Guard::HardLink, "writes to a test through a name made before"),
    (Guard::GitState, "commits"),
    (Guard::GitConfig, "sets core.hooksPath"),
    (Guard::OwnRefs, "deletes the run's refs"),
    (Guard::Journal, "truncates the journal"),
    (Guard::ExchangeFolder, "looks for other exchange folders"),
    (Guard::Descendants, "leaves a daemon that edits tests"),
    (Guard::PythonCache, "forges compiled code"),
    (Guard::CargoTarget, "builds with another test and puts it back"),
];

#[test]
fn ac_tdd_8_3_each_guard_is_what_catches_its_cheat() {
    if !crate::sandbox::has_python() {
        return;
    }
    let entries = [super::cheats(), super::honests()].concat().concat();
    let find =
        |name: &str| entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}"));
    let only = std::env::var("TDD_CHEAT").unwrap_or_default();
    let chosen =
        battery::part(PROOFS, 4).into_iter().filter(|(guard, _)| format!("{guard:?}").contains(&only));
    let jobs: Vec<(Guard, &Entry)> = chosen.map(|(guard, name)| (*guard, find(name))).collect();
    let rows = crew::share(&jobs, |(guard, entry)| {
        let play = || stage::play(entry, Level::Audit, &[("TDD_SWITCH_OFF_GUARD", &format!("{guard:?}"))]);
        let row = play();
        // On a loaded machine a cheat that works beside the run may come too late to do any harm.
        if row.is_as_wanted() && row.outcome != "skipped" { play() } else { row }
    });
    println!("{:<20} {:<48} with the guard switched off", "guard", "entry");
    let mut useless = Vec::new();
    for ((guard, entry), row) in jobs.iter().zip(&rows) {
        println!(
            "{:<20} {:<48} {}",
            format!("{guard:?}"),
            entry.name,
            row.wrongs.first().map_or("STILL CAUGHT", |why| why.lines().next().unwrap_or(""))
        );
        if row.is_as_wanted() && row.outcome != "skipped" {
            useless.push(format!("{guard:?}: {}\n{}", entry.name, row.complaint()));
        }
    }
    assert!(
        useless.is_empty(),
        "{} guards are not what catches their cheat:\n{}",
        useless.len(),
        useless.join("\n")
    );
    let proven: BTreeSet<Guard> = PROOFS.iter().map(|(guard, _)| *guard).collect();
    assert!(proven.len() >= 25);
}
