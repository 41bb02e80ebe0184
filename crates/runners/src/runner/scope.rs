//! Which tests take part in a run.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::copies::Plan;
use super::place::Place;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, TestOrder};
use tdd_core::test::TestId;
use tdd_source::Language;

/// What a runner calls a test: namesakes run together. A name may end like a numbered one and be
/// whole, so both are chosen.
fn named(id: &TestId) -> BTreeSet<TestId> {
    [id.clone(), TestId(id.shared().to_owned())].into()
}

/// Those of the files that a runner can be given: what lies beside tests and is named like them (a snapshot, say) is none,
/// unless all are of a language that nobody here reads.
pub(super) fn runnable(files: &[RelPath]) -> Vec<RelPath> {
    let is_source = |file: &&RelPath| Language::of(file.extension()).is_some();
    let sources: Vec<RelPath> = files.iter().filter(is_source).cloned().collect();
    if sources.is_empty() { files.to_vec() } else { sources }
}

/// An order, made ready for asking.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) leave_out: BTreeSet<RelPath>,
    pub(super) only_files: BTreeSet<RelPath>,
    pub(super) only_ids: BTreeSet<TestId>,
    /// Files to be asked for one by one where the runner does not say which file a test is of.
    pub(super) told_apart: Vec<RelPath>,
    /// The files that a canary is to be like; `None` if the run carries none.
    pub(super) judged: Option<Vec<RelPath>>,
    /// The copies of them that it carries too.
    pub(super) plan: Rc<Plan>,
    /// Files of ours: they take part whatever is chosen.
    own: BTreeSet<RelPath>,
    /// The files that the ids begin with.
    id_files: BTreeSet<RelPath>,
}

impl Scope {
    pub(super) fn new(order: &TestOrder, place: &Place) -> Self {
        let id_files = order.only_ids.iter().filter_map(|id| place.file_of_id(id)).map(|(file, _)| file);
        Self {
            leave_out: order.without.files.iter().cloned().collect(),
            only_files: order.only_files.iter().cloned().collect(),
            id_files: id_files.collect(),
            only_ids: order.only_ids.iter().flat_map(named).collect(),
            told_apart: order.told_apart.clone(),
            judged: match &order.canary {
                CanaryWish::None => None,
                CanaryWish::Beside(files) => Some(files.clone()),
            },
            plan: Rc::default(),
            own: BTreeSet::new(),
        }
    }

    /// The same with these files' tests.
    pub(super) fn with_own<'f>(&self, files: impl IntoIterator<Item = &'f RelPath>) -> Self {
        Self { own: files.into_iter().cloned().collect(), ..self.clone() }
    }

    fn is_own(&self, file: &RelPath) -> bool {
        self.own.contains(file)
    }

    /// Nothing is chosen and nothing is left out.
    pub(super) fn is_all(&self) -> bool {
        self.leave_out.is_empty() && self.is_unchosen()
    }

    /// No file and no id is chosen.
    pub(super) fn is_unchosen(&self) -> bool {
        self.only_files.is_empty() && self.only_ids.is_empty()
    }

    pub(super) fn takes(&self, file: &RelPath, id: &TestId) -> bool {
        // Who chooses a function chooses all its cases.
        let is_case = || id.made_from().any(|from| self.only_ids.contains(&TestId(from.to_owned())));
        let chosen = self.is_unchosen()
            || self.only_files.contains(file)
            || self.only_ids.contains(id)
            || !self.only_ids.is_empty() && is_case();
        self.is_own(file) || (chosen && !self.leave_out.contains(file))
    }

    /// Whether a file as a whole may hold tests that take part.
    pub(super) fn takes_file(&self, file: &RelPath) -> bool {
        let chosen = self.is_unchosen() || self.only_files.contains(file) || self.id_files.contains(file);
        self.is_own(file) || (chosen && !self.leave_out.contains(file))
    }

    /// The same for a target whose root file this is: a chosen file may be a module of it.
    pub(super) fn takes_target(&self, root: &RelPath) -> bool {
        let path = root.as_str();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let holds_modules = matches!(root.file_name(), "main.rs" | "lib.rs") || !path.contains("tests/");
        let by_module = holds_modules && self.only_files.iter().any(|file| file.is_within(folder));
        self.is_own(root) || ((self.takes_file(root) || by_module) && !self.leave_out.contains(root))
    }

    /// All files that are chosen, by themselves or through an id, less those left out.
    pub(super) fn chosen_files(&self) -> Vec<RelPath> {
        let chosen: BTreeSet<&RelPath> = self.only_files.iter().chain(&self.id_files).collect();
        chosen.into_iter().filter(|file| !self.leave_out.contains(*file)).cloned().collect()
    }
}
