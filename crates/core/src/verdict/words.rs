//! Reasons whose words take more than a line.

use std::fmt;

use crate::criterion::CriterionId;
use crate::path::RelPath;
use crate::test::TestId;
use crate::tool_folder::{ignoring, is_installed};

pub(super) fn forbidden(path: &RelPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "this role may not change: {path}")?;
    ignoring(path).map_or(Ok(()), |line| {
        write!(f, "; an installation leaves it, and git does not ignore it (`{line}` in .gitignore)")
    })
}

pub(super) fn touched(path: &RelPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_installed(path) {
        write!(
            f,
            "an installed file is not as it was: {path}; it has to be installed anew, with the same bytes, or removed \
             where it came into a package that was there"
        )
    } else {
        write!(f, "a protected file was changed: {path}")
    }
}

pub(super) fn loaded(path: &RelPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let why = "the test runner has come to load this file by itself, and nothing else of the project uses it";
    write!(f, "{why}: {path}")
}

pub(super) fn inline_test(path: &RelPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let why = "a test inside this source was added, changed or removed, or looks at something else now";
    write!(f, "{why}: {path}; put the test code as it was, and what it looks at where others get it")
}

pub(super) fn no_candidate(id: &CriterionId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "no new or changed test belongs to {id}: name its file, or each test, with {}, or list its tests under \
         `tests:` in the block as the runner calls them, `{id}: [path/of/file::name]`",
        id.slug()
    )
}

pub(super) fn unowned(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "a new test is red and belongs to no criterion of this run: {id}; name its file after one, or list it under \
         `tests:` in the block"
    )
}

pub(super) fn not_superseded(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "a superseded test must be changed and red (one that passes may differ in numbers and texts alone), or, if it \
         is gone, a new test of its file must be: {id}"
    )
}

pub(super) fn toothless(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "a copy of this test that expects something else passes too, so its pass says nothing of the code: {id}"
    )
}

pub(super) fn outside(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "passes in the work tree, and in a checkout of the commit only with what git ignores: {id}")
}

pub(super) const GATE_OUTSIDE: &str = "the gate command is green in the work tree, and red in a fresh checkout of \
    the work, where it was green before the run: what it rests on here (a tool's cache, a file that git ignores) is in \
    no commit";

pub(super) fn given_back(test: &TestId, file: &RelPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "passes with {file} as it lies here, and not as git gives it back to whoever clones the commit (ends of lines \
         are as `.gitattributes` says, which a role may change where the requirement has `allow_config: \
         [.gitattributes]`; a mode is seen with `git config core.fileMode true`): {test}"
    )
}

pub(super) fn moved_for_nothing(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "an existing test was given another example, though it passes with its own, too; put it back as it was: {id}"
    )
}

pub(super) fn moved_toothless(id: &TestId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "an existing test was given an example with which it passes whatever it expects, and with its own it did not: \
         {id}"
    )
}

/// `place`: the file and the line of the part of the change that no new test asks for.
pub(super) fn moved_unasked(
    test: &TestId,
    place: (&RelPath, usize),
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let (file, line) = place;
    write!(
        f,
        "an existing test was given another example, though no new test asks for what broke its own: with \
         {file}:{line} as it was, it passes with its own, and so do all new tests; test what must hold for the old \
         example now, or put it back: {test}"
    )
}

pub(super) fn hollow(id: &CriterionId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "the tests of {id} pass whatever the code does: each body that was written can be replaced by \
         `not implemented` or an empty value, and none of them fails; let one expect what the code returns or changes"
    )
}

pub(super) fn held_out(id: &CriterionId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "tests of {id} that are held out are not green: do what it says, not what the tests show")
}
