//! One more test for each judged package, that must fail.
//!
//! It is a file that only an overlay knows, so nothing of it is ever in the tree. It is built into
//! the binary that runs the judged tests, so it sees all that they see. It is of the package's external
//! test package: a file of the package's own would have all of it compiled anew for each new name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::declared;
use super::packages::Package;
use crate::runner::place::Place;
use crate::runner::verification::{Verification, disk};
use crate::test_report::go_test::{Ran, Word};
use tdd_child::regular_file;
use tdd_core::ports::CanaryWish;
use tdd_core::test::Canary;
use tdd_core::trouble::Trouble;

/// The canaries of one run.
#[derive(Debug, Default)]
pub(super) struct Birds {
    /// The function's name, and what its message holds.
    token: String,
    asked: bool,
    /// Folder of a package to the file that lies there, and the file with its text.
    planted: BTreeMap<String, (PathBuf, PathBuf)>,
    /// Import paths to what was seen of it there.
    heard: BTreeMap<String, Canary>,
}

impl Birds {
    /// Lays one beside the judged files of each package.
    pub(super) fn hatch(
        wish: &CanaryWish,
        packages: &[Package],
        place: &Place,
        verification: &Verification,
    ) -> Result<Self, Trouble> {
        let CanaryWish::Beside(files) = wish else { return Ok(Self::default()) };
        // The folder's name is random, so nobody can know this before.
        let secret = verification.fresh("canary").to_string_lossy().into_owned();
        let token = blake3::hash(secret.as_bytes()).to_hex()[..20].to_owned();
        let mut birds = Self { token, asked: true, ..Self::default() };
        for file in files {
            let Some(package) = packages.iter().find(|package| package.tests.contains_key(file)) else {
                continue;
            };
            let source = regular_file::read(place.absolute(file)).unwrap_or_default();
            let Some(name) = declared::package(&String::from_utf8_lossy(&source)) else { continue };
            if birds.planted.contains_key(&package.dir) {
                continue;
            }
            let path = PathBuf::from(&package.dir).join(format!("z{}_test.go", birds.token));
            // go opens what it embeds where it lies, and there it does not.
            if packages.iter().any(|other| other.embeds(&path)) {
                continue;
            }
            let text = verification.fresh(&format!("canary-{}.go", birds.planted.len()));
            let name = format!("{}_test", name.strip_suffix("_test").unwrap_or(&name));
            let body = format!(
                "package {name}\n\nimport \"testing\"\n\nfunc {}(t *testing.T) {{\n\tt.Fatal(\"{}\")\n}}\n",
                birds.test(),
                birds.token
            );
            regular_file::write(&text, body).map_err(|error| disk(&text, &error))?;
            birds.planted.insert(package.dir.clone(), (path, text));
            birds.heard.insert(package.import.clone(), Canary::NotRun);
        }
        Ok(birds)
    }

    /// The name of the test.
    pub(super) fn test(&self) -> String {
        format!("Test{}", self.token.to_uppercase())
    }

    pub(super) fn plants_in(&self, dir: &str) -> bool {
        self.planted.contains_key(dir)
    }

    pub(super) fn plants_any(&self) -> bool {
        !self.planted.is_empty()
    }

    /// What was printed, without the canary's own lines: nobody has to look for a test that is not
    /// there.
    pub(super) fn silenced(&self, plain: &str) -> String {
        if !self.asked {
            return plain.to_owned();
        }
        let test = self.test();
        let kept = plain.lines().filter(|line| !line.contains(&test) && !line.contains(&self.token));
        kept.collect::<Vec<_>>().join("\n")
    }

    /// For the overlay: where each seems to lie, and where its text is.
    pub(super) fn files(&self) -> impl Iterator<Item = (PathBuf, String)> + '_ {
        self.planted.values().map(|(path, text)| (path.clone(), text.to_string_lossy().into_owned()))
    }

    /// Whether a test is one of them.
    pub(super) fn is_own(&self, test: &str) -> bool {
        self.asked && test == self.test()
    }

    /// Takes note of what became of one. Whether it was one at all.
    pub(super) fn hear(&mut self, import: &str, test: &str, ran: &Ran) -> bool {
        if !self.is_own(test) {
            return false;
        }
        let failed = ran.word == Some(Word::Fail) && ran.output.contains(&self.token);
        let heard = if failed { Canary::SeenFailing } else { Canary::Passed };
        self.heard.insert(import.to_owned(), heard);
        true
    }

    /// What became of all of them: the worst word counts.
    pub(super) fn seen(&self) -> Canary {
        if !self.asked {
            return Canary::NotAsked;
        }
        let worst = self.heard.values().max().copied();
        worst.unwrap_or(Canary::Unsupported)
    }
}
