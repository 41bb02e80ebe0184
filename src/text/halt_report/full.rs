//! The report in full, in the order of section 10 of the contract.

use super::page::Page;
use super::{LINE_WIDTH, RAW_LINES, Report, next_steps, over};
use crate::text::summary::{held_out, left_in_git, set_aside};
use crate::text::usage_words;
use tdd_core::claim::Claim;
use tdd_core::finding::{Change, ChangeKind, CriterionRed, RunRef, VacuousAssertion};
use tdd_core::harmless;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::path::RelPath;
use tdd_core::state::Progress;
use tdd_core::tool_folder::is_installed;

impl Report<'_> {
    pub(super) fn text(&self) -> String {
        let mut page = Page::default();
        page.line(&self.headline());
        page.line("");
        self.who(&mut page);
        page.line("");
        self.said(&mut page);
        page.line("");
        self.ran(&mut page);
        page.line("");
        let changed = self.facts.changed.iter().map(change_line).collect::<Vec<_>>();
        page.list("changed since the last good checkpoint", &changed);
        self.touched(&mut page);
        left_in_git(&self.state.facts.left_in_git).for_each(|line| page.line(&line));
        set_aside(&self.state.facts).for_each(|line| page.line(&line));
        for line in held_out::in_a_halt(self.state) {
            page.line(&line);
        }
        if let Some(line) = held_out::of_second_writer(self.state) {
            page.line(&line);
        }
        let quoted =
            |it: &VacuousAssertion| format!("{}: {}", harmless::line(&it.test.0), harmless::line(&it.what));
        let vacuous: Vec<String> = self.vacuous().map(quoted).collect();
        // Known from the RED that was kept: of one that was not, an empty list would say too much.
        if !vacuous.is_empty() {
            page.list("assertions that hold whatever the code does, or hardly look", &vacuous);
        }
        for line in usage_words::lines(self.state) {
            page.line(&line);
        }
        self.places(&mut page);
        page.line("");
        for line in self.state_of_work() {
            page.line(&line);
        }
        page.line("what can be done next:");
        for step in &self.next {
            page.words("  # ", &step.what);
            page.command("  ", &step.command);
        }
        page.line("");
        self.close(&mut page);
        page.into_text()
    }

    /// What is left on a screen when all else has scrolled away.
    fn close(&self, page: &mut Page) {
        page.line(&format!("cause: {}", self.cause_line()));
        if let Some(place) = &self.cause.place {
            page.line(&self.look_at(place));
        }
        if let Some(fence) = over::fence(self.state, self.halt, self.facts) {
            page.words("sandbox: ", &fence);
        }
        if let Some(step) = self.recommended() {
            page.words("recommended: ", &step.what);
            page.command("  ", &step.command);
        }
    }

    fn touched(&self, page: &mut Page) {
        let (installed, put_back): (Vec<_>, Vec<_>) =
            self.facts.touched.iter().partition(|path| is_installed(path));
        let shown = |paths: Vec<&RelPath>| {
            paths.into_iter().map(|path| harmless::line(path.as_str())).collect::<Vec<_>>()
        };
        page.list("protected files touched (put back)", &shown(put_back));
        if !installed.is_empty() {
            page.list(
                "installed files that are not as they were (no copy of them is kept)",
                &shown(installed),
            );
        }
    }

    fn who(&self, page: &mut Page) {
        let (mode, description, reasons) = self.failure();
        page.line(&match mode {
            Some(mode) => format!("failure mode: {mode}, {description}"),
            None => description,
        });
        // What the first line and the last one say is not said a third time.
        let cause = self.cause_line();
        let says = |reason: &String| {
            let words = reason.strip_prefix("no-block: the agent ended").unwrap_or(reason);
            cause.contains(words)
        };
        page.bullets(&reasons.into_iter().filter(|reason| !says(reason)).collect::<Vec<_>>());
        page.line(&format!("role: {}", self.halt.key.role()));
        if let Some(id) = self.halt.key.criterion() {
            page.line(&format!("criterion: {id}"));
        }
        page.line(&self.attempts_line());
        self.pace().iter().for_each(|line| page.line(line));
        self.sameness().iter().for_each(|line| page.line(line));
    }

    fn said(&self, page: &mut Page) {
        if let Some(claim) = self.claim() {
            page.line("last tdd-result block (a claim, not a finding):");
            page.quote(&block(claim));
        } else {
            page.line(&format!("no tdd-result block; {}; its last output:", self.end()));
            let raw = harmless::tail(&self.facts.raw_tail, RAW_LINES, LINE_WIDTH);
            page.quote(&if raw.is_empty() { vec!["(nothing)".to_owned()] } else { raw });
        }
        if let Some(log) = self.log() {
            page.line(&format!("all that it printed: {}", harmless::line(log)));
        }
    }

    fn ran(&self, page: &mut Page) {
        let Some(run) = self.run() else {
            page.line("command: none was run for the last attempt, because there was nothing to measure");
            return;
        };
        page.line(&format!("command: {}", harmless::line(&run.command)));
        if let Some(later) = self.left_out(run) {
            page.words("  ", &later);
        }
        let ran_none = self.ran_no_test();
        let passed =
            if run.exit.is_success() && !ran_none { " (it passed; what failed stands above)" } else { "" };
        page.line(&format!("exit status: {}, after {}{passed}", run.exit, seconds(run.duration_ms)));
        let (range, lines) = self.evidence(run);
        page.line(&if lines.is_empty() {
            "it printed nothing".to_owned()
        } else {
            format!("what it printed, lines {} to {}:", range.start + 1, range.end)
        });
        page.quote(&lines);
        page.line(&format!("all of it: {}", harmless::line(&run.log)));
    }

    /// Whether there was no test of the work's that could have passed.
    fn ran_no_test(&self) -> bool {
        let Verdict::Failed(fault) = &self.halt.verdict else { return false };
        let is_none = |reason: &Reason| matches!(reason, Reason::NoCandidate(_) | Reason::NothingRan(_));
        fault.reasons.iter().any(is_none)
    }

    /// Whose tests took no part in a run that its command alone does not tell.
    fn left_out(&self, run: &RunRef) -> Option<String> {
        let own = self.halt.key.criterion()?;
        let red = self.state.red.as_ref()?;
        let is_selected = |criterion: &CriterionRed| {
            criterion.files.iter().any(|file| run.command.contains(file.file_name()))
        };
        if red.criteria.iter().any(|criterion| criterion.id == *own && is_selected(criterion)) {
            return None;
        }
        let is_accepted = |id: &_| self.state.progress.get(id) == Some(&Progress::Accepted);
        let criteria = red.criteria.iter();
        let criteria = criteria.filter(|one| !self.state.is_reached(&one.id) && !is_accepted(&one.id));
        let later: Vec<String> = criteria
            .filter(|criterion| !criterion.files.is_empty() && criterion.id != *own)
            .map(|criterion| criterion.id.to_string())
            .collect();
        if later.is_empty() {
            return None;
        }
        Some(format!(
            "run without the tests of criteria that come later: {}; by itself the command runs them, too",
            later.join(", ")
        ))
    }

    fn places(&self, page: &mut Page) {
        page.line(&format!("run folder (journal, logs): {}", harmless::line(&self.facts.run_dir)));
        page.line("checkpoints (git commits outside your branch):");
        for (name, checkpoint) in self.checkpoints() {
            page.line(&format!("  {name}: {}", checkpoint.map_or("none", next_steps::brief)));
        }
        if let Some(work) = self.unclaimed() {
            let what = if work.is_measured() { "that measures as passed" } else { "that was not measured" };
            page.line(&format!("  work {what}, without a valid block: {}", next_steps::brief(&work.tree)));
        }
    }
}

/// The claim as the block that it was read from, without what a terminal can't bear.
fn block(claim: &Claim) -> Vec<String> {
    let yaml = serde_yaml::to_string(claim).unwrap_or_else(|error| format!("unprintable: {error}"));
    let cut = |line: &str| harmless::short(line, LINE_WIDTH);
    let mut lines: Vec<String> = harmless::lines(&yaml).lines().take(2 * RAW_LINES).map(cut).collect();
    lines.insert(0, "```tdd-result".to_owned());
    lines.push("```".to_owned());
    lines
}

fn change_line(change: &Change) -> String {
    let how = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Retyped => "retyped",
        ChangeKind::Submodule => "submodule",
    };
    format!("{how} {}", harmless::line(change.path.as_str()))
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
