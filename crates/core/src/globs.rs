//! Globs of one kind, asked about a few paths by a short process, or about every file of a tree by a long one.
//!
//! To compile them all takes milliseconds, which is more than all else that a hook does. So for the first questions
//! a glob is compiled only where the path holds all that it says letter by letter; who asks on has them compiled as
//! one set. Both ways answer by `globset`.

use std::cell::{Cell, OnceCell};

use globset::{Glob, GlobSet, GlobSetBuilder};

/// A glob of the settings that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGlob {
    pub glob: String,
    pub why: String,
}

/// Questions after which the whole set costs less.
const FEW: u32 = 200;
/// A longer glob is compiled at once, so that one that is too large for it is told where it is read.
const LONGEST: usize = 200;

/// A path fits if any of them does.
#[derive(Clone, Debug)]
pub struct Globs {
    plain: Vec<Plain>,
    /// Those with classes, alternatives or escapes, which may be wrong.
    others: GlobSet,
    questions: Cell<u32>,
    all: OnceCell<GlobSet>,
}

/// A glob of letters, `*`, `?` and `/` alone: every such text is one.
#[derive(Clone, Debug)]
struct Plain {
    glob: String,
    compiled: OnceCell<GlobSet>,
}

impl Globs {
    pub fn of<'a>(globs: impl IntoIterator<Item = &'a String>) -> Result<Self, BadGlob> {
        let (plain, others): (Vec<&String>, Vec<&String>) = globs
            .into_iter()
            .partition(|glob| glob.len() <= LONGEST && !glob.contains(['[', ']', '{', '}', '\\']));
        let plain = plain.into_iter().map(|glob| Plain { glob: glob.clone(), compiled: OnceCell::new() });
        Ok(Self {
            plain: plain.collect(),
            others: compiled(others)?,
            questions: Cell::new(0),
            all: OnceCell::new(),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.others.is_empty()
    }

    pub fn is_match(&self, path: &str) -> bool {
        if self.others.is_match(path) {
            return true;
        }
        if self.questions.get() < FEW {
            self.questions.set(self.questions.get() + 1);
            return self.plain.iter().any(|plain| plain.is_match(path));
        }
        self.all.get_or_init(|| sure(self.plain.iter().map(|plain| &plain.glob))).is_match(path)
    }
}

impl Plain {
    fn is_match(&self, path: &str) -> bool {
        holds(path, &self.glob) && self.compiled.get_or_init(|| sure([&self.glob])).is_match(path)
    }
}

/// Whether the path has all that stands in the glob between its stars, question marks and slashes, in that order:
/// no path without it fits.
fn holds(path: &str, glob: &str) -> bool {
    let mut rest = path;
    glob.split(['*', '?', '/']).filter(|said| !said.is_empty()).all(|said| match rest.find(said) {
        Some(at) => {
            rest = &rest[at + said.len()..];
            true
        }
        None => false,
    })
}

fn compiled<'a>(globs: impl IntoIterator<Item = &'a String>) -> Result<GlobSet, BadGlob> {
    let bad =
        |glob: &str, error: &globset::Error| BadGlob { glob: glob.to_owned(), why: error.kind().to_string() };
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(Glob::new(glob).map_err(|error| bad(glob, &error))?);
    }
    builder.build().map_err(|error| bad("", &error))
}

/// Of plain ones, which can't be wrong; if one were, a hook that stops here lets nothing pass.
fn sure<'a>(globs: impl IntoIterator<Item = &'a String>) -> GlobSet {
    compiled(globs).unwrap_or_else(|bad| unreachable!("{} is plain: {}", bad.glob, bad.why))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % count
        }

        fn text(&mut self, parts: &[&str], most: usize) -> String {
            let count = self.below(most) + 1;
            (0..count).map(|_| parts[self.below(parts.len())]).collect()
        }
    }

    #[test]
    fn one_by_one_and_as_one_set_globs_answer_as_globset_does() {
        const GLOBS: [&str; 20] = [
            "**/", "/**", "/**/", "*", "**", "?", "/", "a", "b", "ab", ".py", "test_", ".", "src", "ü",
            "[ab]", "{a,b}", "\\*", "-", "[!a]",
        ];
        const PATHS: [&str; 13] =
            ["a", "b", "ab", "/", ".py", "test_", ".", "src", "ü", "*", "-", "src/", "/x"];
        let (mut dice, mut fitting) = (Dice(18), 0);
        for _ in 0..6_000 {
            let globs: Vec<String> = (0..=dice.below(3)).map(|_| dice.text(&GLOBS, 5)).collect();
            let of_globset = compiled(&globs).unwrap();
            let few = Globs::of(&globs).unwrap();
            let many = few.clone();
            many.questions.set(FEW);
            for _ in 0..12 {
                let path = dice.text(&PATHS, 6);
                let want = of_globset.is_match(&path);
                fitting += usize::from(want);
                assert_eq!(few.is_match(&path), want, "{globs:?} {path:?}");
                assert_eq!(many.is_match(&path), want, "{globs:?} {path:?}, as one set");
            }
        }
        assert!((5_000..60_000).contains(&fitting), "{fitting} paths of 72,000 fit");
    }

    #[test]
    fn a_path_that_lacks_what_a_glob_says_has_nothing_compiled() {
        let globs: Vec<String> = ["**/__pycache__/**", "**/*.snap.new", "tests/**"].map(str::to_owned).into();
        let globs = Globs::of(&globs).unwrap();
        assert!(!globs.is_match("src/shop.py") && globs.is_match("tests/test_a.py"));
        let compiled: Vec<bool> = globs.plain.iter().map(|plain| plain.compiled.get().is_some()).collect();
        assert_eq!(compiled, [false, false, true]);
    }

    #[test]
    fn what_is_no_glob_is_told_and_one_too_large_too() {
        for (glob, why) in [("a[", "unclosed"), ("{a", "alternate"), ("a\\", "dangling")] {
            let bad = Globs::of(&[glob.to_owned()]).unwrap_err();
            assert_eq!(bad.glob, glob);
            assert!(bad.why.contains(why), "{}", bad.why);
        }
        let long = "?".repeat(LONGEST + 1);
        let globs = Globs::of([&long]).unwrap();
        assert!(globs.plain.is_empty() && globs.is_match(&"a".repeat(LONGEST + 1)));
    }
}
