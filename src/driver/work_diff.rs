//! What two snapshots tell of the work between them: which files, of which class, and which of
//! them a role may not change. Asked by the cycle and by `tdd fix` alike; judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange, Notice, TestAware, TestAwareKind};
use tdd_core::guard::{self, Guard};
use tdd_core::harmless::typed_word;
use tdd_core::path::RelPath;
use tdd_core::policy::{self, FileClass, Learned, Permission, Policy};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_runners::lock_file;
use tdd_source::{Additions, Language, TestAwareSign};
use tdd_spec::mixed_file;

use super::setup::Setup;
use super::whose::is_of_a_canary;
use tdd_core::ports::Checkpoints;

/// A tree before and a tree after.
pub(super) type Between<'c> = (&'c CheckpointId, &'c CheckpointId);

/// Snapshots, and the rules by which they are read.
pub(super) struct WorkDiff<'a, C: Checkpoints> {
    pub(super) checkpoints: &'a mut C,
    pub(super) setup: &'a Setup,
    pub(super) policy: &'a Policy,
    /// What somebody else's program writes all the time.
    pub(super) still_written: &'a BTreeSet<RelPath>,
}

/// The changed sources of one language, as they were and as they are.
#[derive(Default)]
struct Sources {
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

/// What changed production code says of an attempt.
#[derive(Default)]
pub(super) struct Production {
    /// Sources in which a unit was changed or removed, or one was added that only the test-writer
    /// may write.
    pub(super) weakened: Vec<RelPath>,
    pub(super) test_aware: Vec<TestAware>,
    pub(super) notices: Vec<Notice>,
}

/// Remarks on one attempt.
pub(super) const MOST_REMARKS: usize = 32;

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// The differences with their classes, less by-products and what somebody else's program writes all the time.
    pub(super) fn differences(
        &mut self,
        from: &CheckpointId,
        to: &CheckpointId,
    ) -> Result<Vec<ClassedChange>, Trouble> {
        let changes = self.checkpoints.diff(from, to)?;
        let classed = changes.into_iter().map(|change| {
            let class = self.policy.classify(&change.path);
            ClassedChange { path: change.path, kind: change.kind, class }
        });
        let is_of_the_run = |change: &ClassedChange| {
            change.class != FileClass::ByProduct && !self.still_written.contains(&change.path)
        };
        Ok(classed.filter(is_of_the_run).collect())
    }

    /// Puts back what runs of ours left in the tree between these two; says what that was.
    pub(super) fn put_back_what_is_left(
        &mut self,
        (measured, now): Between<'_>,
        by: &str,
    ) -> Result<Option<Event>, Trouble> {
        let left: Vec<RelPath> =
            self.differences(measured, now)?.into_iter().map(|change| change.path).collect();
        if left.is_empty() || !guard::stands(Guard::LeftByRun) {
            return Ok(None);
        }
        self.checkpoints.restore(measured, &left)?;
        Ok(Some(put_back_line(by, &left, now)))
    }

    /// Brings all of the tree back, which is `now`, but for a person's next requirements and what somebody else's
    /// program writes all the time.
    pub(super) fn go_back(&mut self, to: &CheckpointId, now: &CheckpointId) -> Result<(), Trouble> {
        self.go_back_but(to, now, &[])
    }

    /// The same, but for these files, too.
    pub(super) fn go_back_but(
        &mut self,
        to: &CheckpointId,
        now: &CheckpointId,
        but: &[RelPath],
    ) -> Result<(), Trouble> {
        let changes = self.checkpoints.diff(to, now)?.into_iter().map(|change| change.path);
        let is_theirs = |path: &RelPath| {
            self.policy.is_next_requirement(path) || self.still_written.contains(path) || but.contains(path)
        };
        let spared: Vec<RelPath> = changes.filter(is_theirs).collect();
        self.checkpoints.restore_all_but(to, &spared)
    }

    /// Those of the changes that the role may not make. A trouble of the environment where a submodule is among
    /// them: nobody watches its git folder, so what is done there can't be judged.
    pub(super) fn forbidden(
        &mut self,
        role: Role,
        between: Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Vec<RelPath>, Trouble> {
        let mut forbidden = Vec::new();
        let modules = submodules(changed);
        if !modules.is_empty() {
            return Err(changed_submodules(role, &modules, between.1));
        }
        for change in changed {
            let may = match (change.kind, policy::permission(role, change.class)) {
                (_, Permission::Allowed) => true,
                (_, Permission::Forbidden)
                    if role == Role::TestWriter && change.class == FileClass::Source =>
                {
                    self.changes_only_units(between, change)?
                }
                (_, Permission::Forbidden) => false,
                (_, Permission::ByEntry) => self.keeps_entries(between, &change.path)?,
                (_, Permission::ByKey) => self.may_change_keys(role, between, &change.path)?,
            };
            if !may {
                forbidden.push(change.path.clone());
            }
        }
        Ok(forbidden)
    }

    fn may_change_keys(
        &mut self,
        role: Role,
        (base, after): Between<'_>,
        path: &RelPath,
    ) -> Result<bool, Trouble> {
        if !guard::stands(Guard::MixedKeys) {
            return Ok(true);
        }
        let old = self.checkpoints.read(base, path)?;
        let new = self.checkpoints.read(after, path)?;
        let name = path.file_name();
        if mixed_file::takes_a_dependencys_name(name, old.as_deref(), new.as_deref()) {
            return Ok(false);
        }
        let keys = mixed_file::changed_keys(name, old.as_deref(), new.as_deref());
        Ok(keys.is_ok_and(|keys| keys.iter().all(|change| mixed_file::may_change(role, name, change))))
    }

    fn keeps_entries(&mut self, (base, after): Between<'_>, path: &RelPath) -> Result<bool, Trouble> {
        let old = self.checkpoints.read(base, path)?;
        let new = self.checkpoints.read(after, path)?;
        let lost = lock_file::lost_entries(path.file_name(), old.as_deref(), new.as_deref());
        Ok(lost.is_ok_and(|lost| lost.is_empty()))
    }

    /// Whether a source differs by units alone; tests that were there may be others than they were, which is a
    /// matter of what the test-writer supersedes. One that its grammar can't read may hold anything.
    pub(super) fn changes_only_units(
        &mut self,
        (base, after): Between<'_>,
        change: &ClassedChange,
    ) -> Result<bool, Trouble> {
        let language = Language::of(change.path.extension());
        let (Some(language), ChangeKind::Added | ChangeKind::Modified) = (language, change.kind) else {
            return Ok(false);
        };
        let old = self.source(base, &change.path)?.unwrap_or_default();
        let Some(new) = self.source(after, &change.path)? else { return Ok(false) };
        let holds = |source: &str| tdd_source::has_units(language, source) == Ok(true);
        // The last example of a documentation, or the last test, may be one that is superseded.
        let holds_any = holds(&new) || holds(&old);
        let added = tdd_source::additions(language, &old, &new);
        let is_within = || tdd_source::changes_tests_alone(language, &old, &new) == Ok(true);
        Ok(holds_any && (added == Ok(Additions::OnlyUnits) || is_within()))
    }

    /// What the changed sources say of the work between two trees.
    pub(super) fn production(
        &mut self,
        (base, after): Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Production, Trouble> {
        let mut languages: BTreeMap<Language, Sources> = BTreeMap::new();
        for change in changed.iter().filter(|change| change.class == FileClass::Source) {
            let Some(language) = Language::of(change.path.extension()) else { continue };
            let sources = languages.entry(language).or_default();
            let path = change.path.to_string();
            sources.before.extend(self.source(base, &change.path)?.map(|text| (path.clone(), text)));
            sources.after.extend(self.source(after, &change.path)?.map(|text| (path, text)));
        }
        let mut production = Production::default();
        for (language, sources) in languages {
            production.read(language, &sources);
        }
        production.test_aware.extend(self.needing_tests((base, after), changed)?);
        production.notices.extend(self.needing_development((base, after), changed)?);
        let notices = production.notices.into_iter().take(MOST_REMARKS);
        production.notices = notices.map(|notice| self.masked(notice)).collect();
        Ok(production)
    }

    fn masked(&self, notice: Notice) -> Notice {
        match notice {
            Notice::LooksForTests { path, what } => {
                Notice::LooksForTests { path, what: (self.setup.mask)(&what) }
            }
            Notice::EndsProcess { path, what } => {
                Notice::EndsProcess { path, what: (self.setup.mask)(&what) }
            }
            Notice::Reassigns { .. }
            | Notice::ForDevelopment { .. }
            | Notice::RemovedName { .. }
            | Notice::NewName { .. }
            | Notice::ChangedExample(_)
            | Notice::SkipsItself(_)
            | Notice::UnchangedForGate(_)
            | Notice::Unseen(_) => notice,
        }
    }

    /// A file of a snapshot as text; what is not UTF-8 in it is replaced.
    pub(super) fn source(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<String>, Trouble> {
        let bytes = self.checkpoints.read(at, path)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// What the project tells of itself: between the two trees nothing ran but its own commands.
    pub(super) fn learned(
        &mut self,
        (zero, start): Between<'_>,
        (reported, loaded): (BTreeSet<RelPath>, &BTreeSet<RelPath>),
        theirs: &BTreeSet<RelPath>,
    ) -> Result<Learned, Trouble> {
        let mut learned = Learned { requirements: Some(BTreeSet::new()), ..Learned::default() };
        learned.by_products.extend(self.setup.reports.iter().cloned());
        for path in self.checkpoints.files(zero)? {
            if self.policy.is_requirement(&path) {
                learned.requirements.get_or_insert_default().insert(path.clone());
            }
            if self.policy.looks_like_by_product(&path) {
                learned.kept.insert(path);
            }
        }
        // No child has run yet: what differs was left by the project's own commands. Tests and
        // gate files stay protected all the same.
        for change in self.checkpoints.diff(zero, start)?.into_iter().filter(|c| !theirs.contains(&c.path)) {
            match self.policy.classify(&change.path) {
                FileClass::Source | FileClass::Lock | FileClass::ByProduct => {
                    learned.by_products.insert(change.path);
                }
                FileClass::Test | FileClass::Gate | FileClass::Mixed => {}
            }
        }
        for path in reported {
            if self.policy.classify(&path) == FileClass::Source && self.holds_tests(zero, &path)? {
                learned.tests.insert(path);
            }
        }
        learned.support = self.support(start, &learned, loaded)?;
        Ok(learned)
    }

    /// Whether a file is a test file by what it holds.
    fn holds_tests(&mut self, zero: &CheckpointId, path: &RelPath) -> Result<bool, Trouble> {
        let source = self.source(zero, path)?.unwrap_or_default();
        Ok(Language::of(path.extension()).is_some_and(|it| tdd_source::holds_plain_tests(it, &source)))
    }

    /// Files that hold tests by their name, but are sources to the rules, in a language without a
    /// grammar: nobody can tell what of them is a test (contract section 7).
    pub(super) fn unprotected_tests(&mut self, zero: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
        let mut named = self.checkpoints.files(zero)?;
        named.retain(|path| {
            let is_source = self.policy.classify(path) == FileClass::Source;
            is_source && Language::of(path.extension()).is_none() && policy::names_a_test(path)
        });
        // A picture is called so, too.
        let mut texts = Vec::new();
        for path in named {
            let bytes = self.checkpoints.read(zero, &path)?;
            texts.extend(bytes.is_some_and(|bytes| !bytes.contains(&0)).then_some(path));
        }
        Ok(texts)
    }
}

/// For the journal: what was put back after tests ran.
pub(super) fn put_back_line(by: &str, left: &[RelPath], now: &CheckpointId) -> Event {
    let others = left.iter().filter(|path| !is_of_a_canary(path));
    let mut what: Vec<String> = others.map(|path| format!("{by} changed {path}; put back")).collect();
    if what.is_empty() {
        return Event::Restored { what };
    }
    // It may have been a person: nobody can tell who wrote while tests ran.
    what.push(format!("what lay there then is kept as {now}: git restore --source={now} -- :/FILE"));
    Event::Restored { what }
}

impl Production {
    fn read(&mut self, language: Language, sources: &Sources) {
        let (before, after) = (borrowed(&sources.before), borrowed(&sources.after));
        let units = tdd_source::changed_units(language, &before, &after);
        self.weakened.extend(units.into_iter().filter_map(|(path, _)| RelPath::new(&path)));
        for (path, sign, what) in tdd_source::new_test_aware(language, &before, &after) {
            let Some(path) = RelPath::new(&path) else { continue };
            match sign {
                TestAwareSign::UnderTest => {
                    self.test_aware.push(TestAware { path, kind: TestAwareKind::UnderTest });
                }
                TestAwareSign::Shadow => {
                    self.test_aware.push(TestAware { path, kind: TestAwareKind::Shadow });
                }
                // A line of its own says what it asks; a criterion may be about just that.
                TestAwareSign::Asks => {
                    self.notices.push(Notice::LooksForTests { path: path.clone(), what });
                    self.test_aware.push(TestAware { path, kind: TestAwareKind::Asks });
                }
                TestAwareSign::Looks => self.notices.push(Notice::LooksForTests { path, what }),
                TestAwareSign::Ends => self.notices.push(Notice::EndsProcess { path, what }),
            }
        }
        self.weakened.sort();
        self.weakened.dedup();
        self.test_aware.sort();
        self.test_aware.dedup();
    }
}

pub(super) fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Those of the changes that are in repositories inside the work tree.
pub(super) fn submodules(changed: &[ClassedChange]) -> Vec<&RelPath> {
    let inner = changed.iter().filter(|change| change.kind == ChangeKind::Submodule);
    inner.map(|change| &change.path).collect()
}

fn changed_submodules(role: Role, modules: &[&RelPath], kept: &CheckpointId) -> Trouble {
    let mut next = Vec::new();
    for module in modules {
        let folder = typed_word(module.as_str());
        next.push(format!(
            "look:         git -C {folder} status\n\
             put it back:  git -C {folder} stash -u\n\
             if it has another commit by now:  git -C {folder} checkout $(git rev-parse :{folder})"
        ));
    }
    let (word, named) = (if modules.len() == 1 { "submodule" } else { "submodules" }, listed(modules));
    Trouble::environment(format!("the {word} {named} changed while the {role} was at work"))
        .because(
            "a repository inside the work tree has a git folder of its own that nobody watches, so that what was \
             done there can be judged as nobody's work",
        )
        .advise(format!(
            "nothing was put back there, and its files are kept as {kept}\n{}\n\
             then go on:   tdd resume\n\
             a task that needs such a change is begun with it made by hand",
            next.join("\n")
        ))
}

fn listed(modules: &[&RelPath]) -> String {
    modules.iter().map(|module| module.as_str()).collect::<Vec<_>>().join(", ")
}
