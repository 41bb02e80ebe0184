//! Whether a file may be edited now. A run's own classes of files decide what a file is.

use std::collections::BTreeSet;
use std::fmt;

use super::{Claim, LastRun, Session};
use crate::event::{EditGround, PassFail, Switch};
use crate::globs::Globs;
use crate::harmless::{self, shell_word};
use crate::path::RelPath;
use crate::policy::tooling::is_editors;
use crate::policy::{self, BadGlob, FileClass, Permission, Policy};
use crate::role::Role;
use crate::test::TestId;

/// What files are.
#[derive(Clone, Debug)]
pub struct Rules {
    policy: Policy,
    free: Globs,
    /// Of refactor mode; `None` while it is off.
    refactor: Option<Globs>,
    /// `tdd.yaml` and `.tdd` lie there.
    project: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    Allowed(EditGround, Vec<TestId>),
    Refused(Refusal),
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No test is red.
    NoRed { path: RelPath },
    /// A test is red, and no claim names it and this file.
    NoClaim { path: RelPath, red: TestId },
    /// The only red test is red for a reason that no code can answer.
    NotCounted { path: RelPath, red: TestId, kind: String },
    /// A claim names a test of this file.
    Protected { path: RelPath, by: TestId },
    /// Tests that stand among the code of a claimed file are not as they were at the claim.
    Weakened { path: RelPath, by: TestId, part: String },
    /// It decides how tests run: for refactor mode alone.
    Gate { path: RelPath },
    /// This part of it does.
    Part { path: RelPath, part: String },
    /// What holds the gate itself: for a person alone.
    Guarded { path: RelPath },
    /// It has become a link to what is not compared.
    Link { path: RelPath },
    /// A test failed the end of two turns.
    Halted { test: TestId },
    /// A run of `tdd` is at work in this tree.
    Run { path: RelPath },
}

/// A file as a command takes it: one whose name begins as an option's does is no option.
fn file_word(path: &RelPath) -> String {
    let path = path.as_str();
    if path.starts_with('-') { shell_word(&format!("./{path}")) } else { shell_word(path) }
}

/// Short, and always the same for the same cause: it stays in a prompt's cache.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &RelPath| harmless::line(path.as_str());
        match self {
            Self::NoRed { path } => write!(
                f,
                "tdd: {} refused: no red test. Write a failing test, then: tdd gate test ID; tdd gate claim ID {}. For a \
                 move or a format: tdd gate refactor on --why TEXT",
                shown(path),
                file_word(path)
            ),
            Self::NoClaim { path, red } => write!(
                f,
                "tdd: {} refused: no claim. Next: tdd gate claim {} {}",
                shown(path),
                shell_word(&red.0),
                file_word(path)
            ),
            Self::NotCounted { path, red, kind } => write!(
                f,
                "tdd: {} refused: {red} is red by {kind}, which no code answers. Mend the test, then: tdd gate test",
                shown(path)
            ),
            Self::Protected { path, by } => write!(
                f,
                "tdd: {} refused: it is protected until {by} is green. Edit production code only",
                shown(path)
            ),
            Self::Weakened { path, by, part } => write!(
                f,
                "tdd: {} refused: it changes {}, and the tests in it are protected until {by} is green. Edit the code \
                 beside them",
                shown(path),
                harmless::line(part)
            ),
            Self::Gate { path } => settles(f, &shown(path), "it decides"),
            Self::Part { path, part } => {
                settles(f, &shown(path), &format!("{} in it may decide", harmless::line(part)))
            }
            Self::Guarded { path } => {
                write!(f, "tdd: {} refused: it holds the gate; only a person edits it", shown(path))
            }
            Self::Link { path } => write!(
                f,
                "tdd: {} refused: it is a link to what nobody compares. Keep it a file, or link to one that git sees",
                shown(path)
            ),
            Self::Halted { test } => write!(
                f,
                "tdd: refused: {test} failed two turns. Stop and tell the person; `tdd gate status` shows it"
            ),
            Self::Run { path } => {
                write!(
                    f,
                    "tdd: {} refused: a run of tdd is at work in this tree. Wait for its end",
                    shown(path)
                )
            }
        }
    }
}

fn settles(f: &mut fmt::Formatter<'_>, path: &str, what: &str) -> fmt::Result {
    write!(
        f,
        "tdd: {path} refused: {what} how tests run. If that is the task: tdd gate refactor on --why TEXT"
    )
}

impl Rules {
    /// `project` is relative to the repository.
    pub fn of(policy: Policy, session: &Session) -> Result<Self, BadGlob> {
        let refactor = session.refactor.as_ref().map(|refactor| Globs::of(&refactor.files)).transpose()?;
        let free = Globs::of(&session.started.free)?;
        Ok(Self { policy, free, refactor, project: session.started.project.clone() })
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether changes of this file are of no interest to anybody.
    pub fn is_free(&self, path: &RelPath) -> bool {
        !self.is_guarded(path)
            && (self.free.is_match(path.as_str())
                || policy::is_document(path, &self.policy.effective().specs_dir)
                || is_editors(path)
                || self.policy.classify(path) == FileClass::ByProduct)
    }

    /// What decides whether there is a gate at all: its settings, its journal, and what agents read of hooks.
    pub fn is_guarded(&self, path: &RelPath) -> bool {
        let own = path.as_str().strip_prefix(self.project.as_str()).map(|rest| rest.trim_start_matches('/'));
        let is_ours = own.is_some_and(|own| own == "tdd.yaml" || own.starts_with(".tdd/"));
        let parts: Vec<&str> = path.as_str().split('/').collect();
        let in_folder = parts.iter().rev().skip(1).any(|part| HOLDS_HOOKS.contains(part));
        let is_file = HOLD_HOOKS.iter().any(|file| path.as_str().ends_with(file));
        is_ours || in_folder || is_file || parts.first() == Some(&".tdd")
    }
}

/// Folders in which agents look for hooks, settings and plugins; `.git` holds hooks of its own.
const HOLDS_HOOKS: [&str; 7] = [".git", ".claude", ".codex", ".gemini", ".opencode", ".pi", ".cursor"];
const HOLD_HOOKS: [&str; 4] = [".github/hooks/tdd.json", "opencode.json", "opencode.jsonc", ".mcp.json"];

impl Session {
    /// Whether this file may be edited now.
    pub fn may_edit(&self, rules: &Rules, path: &RelPath) -> Permit {
        if self.switch == Switch::Off {
            return Permit::Allowed(EditGround::Ungated, Vec::new());
        }
        if rules.is_guarded(path) {
            return Permit::Refused(Refusal::Guarded { path: path.clone() });
        }
        if rules.is_free(path) {
            return Permit::Allowed(EditGround::Free, Vec::new());
        }
        if let Some(test) = self.halted().first() {
            return Permit::Refused(Refusal::Halted { test: (*test).clone() });
        }
        let class = rules.policy.classify(path);
        if let Some(by) = self.protecting(path, class) {
            return Permit::Refused(Refusal::Protected { path: path.clone(), by });
        }
        if rules.refactor.as_ref().is_some_and(|files| files.is_empty() || files.is_match(path.as_str())) {
            return Permit::Allowed(EditGround::Refactor, Vec::new());
        }
        match class {
            FileClass::ByProduct => Permit::Allowed(EditGround::Free, Vec::new()),
            FileClass::Test => Permit::Allowed(EditGround::Test, Vec::new()),
            FileClass::Gate => Permit::Refused(Refusal::Gate { path: path.clone() }),
            FileClass::Source | FileClass::Mixed | FileClass::Lock => self.by_claim(path),
        }
    }

    /// A claimed red test protects its own file, and what tests share, until it is green.
    fn protecting(&self, path: &RelPath, class: FileClass) -> Option<TestId> {
        if class != FileClass::Test {
            return None;
        }
        let open: Vec<&Claim> = self.claims.iter().filter(|claim| self.is_red(&claim.test_id)).collect();
        let own = |claim: &&&Claim| self.test_file(&claim.test_id).as_ref() == Some(path);
        let by = open.iter().find(own).or_else(|| {
            // A helper or a fixture may belong to any test; another file of tests belongs to its own.
            open.first().filter(|_| !policy::names_a_test(path))
        });
        by.map(|claim| claim.test_id.clone())
    }

    /// The claims that protect the tests which stand among the code of this file.
    pub fn protecting_within(&self, path: &RelPath) -> Vec<&Claim> {
        let is_about = |claim: &&Claim| {
            claim.edit_target == *path || self.test_file(&claim.test_id).as_ref() == Some(path)
        };
        self.claims.iter().filter(is_about).filter(|claim| self.is_red(&claim.test_id)).collect()
    }

    fn is_red(&self, id: &TestId) -> bool {
        self.tests.get(id).is_some_and(|last| last.status == PassFail::Fail)
    }

    /// The file that a test's id begins with, relative to the repository.
    pub fn test_file(&self, id: &TestId) -> Option<RelPath> {
        let told = self.tests.get(id).and_then(|last| last.file.clone());
        told.or_else(|| {
            RelPath::new(format!("{}/{}", self.started.project, id.file()).trim_start_matches('/'))
        })
    }

    fn by_claim(&self, path: &RelPath) -> Permit {
        let standing = self.claims.iter().filter(|claim| claim.edit_target == *path && self.stands(claim));
        let ids: BTreeSet<TestId> = standing.map(|claim| claim.test_id.clone()).collect();
        if !ids.is_empty() {
            return Permit::Allowed(EditGround::Claim, ids.into_iter().collect());
        }
        let mut reds = self.tests.iter().filter(|(_, last)| last.status == PassFail::Fail);
        let first = reds.clone().next();
        let path = path.clone();
        Permit::Refused(match (reds.find(|(_, last)| last.is_counted_red()), first) {
            (Some((red, _)), _) => Refusal::NoClaim { path, red: red.clone() },
            (None, Some((red, last))) => Refusal::NotCounted { path, red: red.clone(), kind: kind(last) },
            (None, None) => Refusal::NoRed { path },
        })
    }
}

fn kind(last: &LastRun) -> String {
    last.kind.map_or_else(|| "no test".to_owned(), |kind| format!("{kind:?}").to_lowercase())
}

/// While a run of `tdd` holds the work tree: its policy decides, for the role that is at work.
pub fn in_run(policy: &Policy, role: Option<Role>, path: &RelPath) -> Permit {
    if policy.classify(path) == FileClass::ByProduct {
        return Permit::Allowed(EditGround::Free, Vec::new());
    }
    match role.map(|role| policy::permission(role, policy.classify(path))) {
        Some(Permission::Allowed) => Permit::Allowed(EditGround::Ungated, Vec::new()),
        Some(Permission::ByKey | Permission::ByEntry | Permission::Forbidden) | None => {
            Permit::Refused(Refusal::Run { path: path.clone() })
        }
    }
}
