//! Tests that a block calls as their runner prints them, without their file (`TestTotal`, `till::tests::adds`): where one
//! test alone is called so, it is that.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::claim::Claim;
use tdd_core::finding::ChangeKind;
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, Tests, World};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::Work;

/// A test by what a runner prints of it, and by its id.
type Printed = (String, String);

impl<W: World> Drive<'_, W> {
    /// The claim with ids in the place of such names. What could be two tests stays as it was written.
    pub(super) fn spelt_in_full(&mut self, claim: Claim, work: &Work) -> Result<Claim, Trouble> {
        let listed = || claim.tests.values().chain(claim.supersedes.values()).flatten();
        if !listed().any(|name| is_printed(name)) {
            return Ok(claim);
        }
        let known = self.known_tests().into_iter().filter_map(printed).collect();
        let new = self.new_tests(work)?;
        let mut claim = claim;
        for name in claim.tests.values_mut().chain(claim.supersedes.values_mut()).flatten() {
            if is_printed(name)
                && let Some(id) = the_one(name, &known).or_else(|| the_one(name, &new))
            {
                id.clone_into(name);
            }
        }
        Ok(claim)
    }

    /// Those that stand in new and changed files.
    fn new_tests(&mut self, work: &Work) -> Result<BTreeSet<Printed>, Trouble> {
        let mut new = BTreeSet::new();
        for change in work.changed.iter().filter(|change| change.kind != ChangeKind::Deleted) {
            let is_rust = Language::of(change.path.extension()) == Some(Language::Rust);
            if change.class != FileClass::Test && !is_rust {
                continue;
            }
            let Some(text) = self.ports.checkpoints.read(&work.after, &change.path)? else { continue };
            if is_rust {
                let path = mapping::in_project(&change.path, &self.state.run.project);
                let source = String::from_utf8_lossy(&text);
                let names = tdd_source::declared(Language::Rust, &source).into_iter();
                new.extend(names.map(|name| (in_its_module(&change.path, &name), format!("{path}::{name}"))));
            } else {
                let declared = self.ports.tests.declared(&change.path, &text);
                new.extend(declared.iter().filter_map(printed));
            }
        }
        Ok(new)
    }
}

fn printed(id: &TestId) -> Option<Printed> {
    let (_, name) = id.0.split_once("::")?;
    Some((name.to_owned(), id.0.clone()))
}

/// Whether a name in a block says no file: what stands first in an id has a folder or an extension.
fn is_printed(name: &str) -> bool {
    let first = name.split("::").next().unwrap_or(name);
    !first.contains(['/', '.'])
}

/// `src/till.rs`, `tests::adds`  =>  `till::tests::adds`; of a target of tests no module is told.
fn in_its_module(path: &RelPath, name: &str) -> String {
    let Some((_, inside)) = path.as_str().rsplit_once("src/") else { return name.to_owned() };
    let module = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    if matches!(module, "lib" | "main") {
        return name.to_owned();
    }
    format!("{}::{name}", module.replace('/', "::"))
}

fn the_one<'p>(name: &str, all: &'p BTreeSet<Printed>) -> Option<&'p str> {
    let mut so = all.iter().filter(|(printed, _)| printed == name);
    match (so.next(), so.next()) {
        (Some((_, id)), None) => Some(id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_167_what_a_runner_prints_is_the_one_test_that_is_called_so() {
        let ids =
            ["a_test.go::TestA", "b/b_test.go::TestB", "c/c_test.go::TestB", "src/lib.rs::till::tests::adds"];
        let all: BTreeSet<Printed> = ids.iter().filter_map(|id| printed(&TestId((*id).to_owned()))).collect();
        assert_eq!(the_one("TestA", &all), Some(ids[0]));
        assert_eq!(the_one("till::tests::adds", &all), Some(ids[3]));
        assert_eq!(the_one("TestB", &all), None, "it may be either");
        assert_eq!(the_one("TestC", &all), None);
        assert!(is_printed("TestA") && is_printed("till::tests::adds"));
        assert!(!is_printed("a_test.go::TestA") && !is_printed("tests/a.rs") && !is_printed("test_a.py"));
        for (path, name) in
            [("src/lib.rs", "tests::a"), ("tests/it.rs", "tests::a"), ("src/till.rs", "till::tests::a")]
        {
            assert_eq!(in_its_module(&RelPath::new(path).unwrap(), "tests::a"), name);
        }
    }
}
