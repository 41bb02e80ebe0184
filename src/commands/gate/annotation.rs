//! What a test is called: by its runner, or by a comment above it.

use std::collections::HashMap;

use super::ran::Wanted;
use crate::world::project::Place;
use tdd_child::regular_file;
use tdd_core::event::TestIdSource;
use tdd_core::path::RelPath;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// A source that is read.
const LARGEST: u64 = 2 << 20;

/// The annotations of files, each read once.
pub(super) struct Names<'p> {
    place: &'p Place,
    read: HashMap<RelPath, Vec<(String, String)>>,
}

impl<'p> Names<'p> {
    pub(super) fn new(place: &'p Place) -> Self {
        Self { place, read: HashMap::new() }
    }

    fn of(&mut self, file: &RelPath) -> &[(String, String)] {
        let place = self.place;
        self.read.entry(file.clone()).or_insert_with(|| {
            let Some(language) = Language::of(file.extension()) else { return Vec::new() };
            let bytes =
                regular_file::head(&place.repository.join(file.as_str()), LARGEST).unwrap_or_default();
            tdd_source::annotated(language, &String::from_utf8_lossy(&bytes))
        })
    }

    /// A test by its runner's name: its slug is its id if it has one.
    pub(super) fn wanted(&mut self, native: &TestId, file: Option<RelPath>) -> Wanted {
        let file = file.or_else(|| self.file_of(native));
        let name = native.0.split_once("::").map_or("", |(_, name)| name).to_owned();
        let slug = file.as_ref().and_then(|file| {
            let fits = |(known, _): &&(String, String)| spelt(known) == spelt(&name);
            self.of(file).iter().find(fits).map(|(_, slug)| slug.clone())
        });
        let (id, source) = match slug {
            Some(slug) => (TestId(slug), TestIdSource::Annotation),
            None => (native.clone(), TestIdSource::Native),
        };
        Wanted { id, native: native.clone(), source, file }
    }

    /// The test with this slug in one of these files. A trouble if there are two.
    pub(super) fn by_slug(&mut self, slug: &str, files: &[RelPath]) -> Result<Option<Wanted>, Trouble> {
        let mut found: Vec<Wanted> = Vec::new();
        for file in files {
            let names: Vec<String> =
                self.of(file).iter().filter(|(_, own)| own == slug).map(|(name, _)| name.clone()).collect();
            let project = self.place.project_in_repository();
            let path = tdd_core::mapping::in_project(file, &project);
            found.extend(names.into_iter().map(|name| Wanted {
                id: TestId(slug.to_owned()),
                native: TestId(format!("{path}::{name}")),
                source: TestIdSource::Annotation,
                file: Some(file.clone()),
            }));
        }
        match found.as_slice() {
            [first, second, ..] => Err(Trouble::user(format!("two tests are called {slug}"))
                .because(format!("{} and {}", first.native, second.native))
                .advise("give one of them another `@tdd-test-id:`")),
            _ => Ok(found.pop()),
        }
    }

    pub(super) fn file_of(&self, id: &TestId) -> Option<RelPath> {
        let project = self.place.project_in_repository();
        RelPath::new(format!("{project}/{}", id.file()).trim_start_matches('/'))
    }
}

/// pytest joins class and name by `::`, unittest by `.`.
fn spelt(name: &str) -> String {
    name.split('[').next().unwrap_or(name).replace("::", ".")
}
