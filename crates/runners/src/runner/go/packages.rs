//! `go list -json`: which files make which package.
//!
//! ```text
//! stream  = { package }                 objects one after the other, without a separator
//! package = {"Dir", "ImportPath", "Name", "Module": {"Path"}, "GoFiles": [..], "CgoFiles": [..],
//!            "IgnoredGoFiles": [..], "TestGoFiles": [..], "XTestGoFiles": [..],
//!            "EmbedPatterns": [..], "TestEmbedPatterns": [..], "XTestEmbedPatterns": [..]}
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use globset::GlobBuilder;
use serde::Deserialize;

use super::declared;
use crate::runner::place::Place;
use tdd_child::regular_file;
use tdd_core::path::RelPath;

/// A package with the test files that go would build into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) import: String,
    pub(super) name: String,
    pub(super) dir: String,
    pub(super) module: String,
    /// No file but those of tests lies there.
    pub(super) has_only_tests: bool,
    /// Test file to the names that it declares.
    pub(super) tests: BTreeMap<RelPath, Vec<String>>,
    /// What `//go:embed` asks for, below its folder.
    pub(super) embedded: Vec<String>,
}

impl Package {
    /// All declared names with the files that declare them: a package and its external test package
    /// may have one in common.
    pub(super) fn files_of(&self, test: &str) -> Vec<&RelPath> {
        let top = test.split('/').next().unwrap_or(test);
        let declares = |names: &Vec<String>| names.iter().any(|name| name == top);
        self.tests.iter().filter(|(_, names)| declares(names)).map(|(file, _)| file).collect()
    }

    /// Whether a file would be embedded into it: the file itself, or a folder above it.
    pub(super) fn embeds(&self, file: &Path) -> bool {
        let Ok(below) = file.strip_prefix(&self.dir) else { return false };
        let fits = |pattern: &String| {
            let pattern = pattern.strip_prefix("all:").unwrap_or(pattern);
            let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
            glob.is_ok_and(|glob| {
                let glob = glob.compile_matcher();
                pattern == "." || below.ancestors().any(|part| glob.is_match(part))
            })
        };
        self.embedded.iter().any(fits)
    }

    pub(super) fn without(&self, removed: &BTreeSet<RelPath>) -> Self {
        let mut fewer = self.clone();
        fewer.tests.retain(|file, _| !removed.contains(file));
        fewer
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Listed {
    dir: String,
    import_path: String,
    name: String,
    module: Option<Module>,
    go_files: Option<Vec<String>>,
    cgo_files: Option<Vec<String>>,
    ignored_go_files: Option<Vec<String>>,
    test_go_files: Option<Vec<String>>,
    #[serde(rename = "XTestGoFiles")]
    x_test_go_files: Option<Vec<String>>,
    embed_patterns: Option<Vec<String>>,
    test_embed_patterns: Option<Vec<String>>,
    #[serde(rename = "XTestEmbedPatterns")]
    x_test_embed_patterns: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Module {
    path: String,
}

/// Reads the stream; what is no package ends it.
pub(super) fn parse(bytes: &[u8], place: &Place) -> Vec<Package> {
    let stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Listed>();
    stream.map_while(Result::ok).map(|listed| package(listed, place)).collect()
}

fn package(listed: Listed, place: &Place) -> Package {
    let mut code =
        [&listed.go_files, &listed.cgo_files, &listed.ignored_go_files].into_iter().flatten().flatten();
    let has_only_tests = code.next().is_none();
    let names = [listed.test_go_files, listed.x_test_go_files].into_iter().flatten().flatten();
    let files = names.filter_map(|name| place.in_repository(&format!("{}/{name}", listed.dir)));
    let tests = files.map(|file| {
        let source = regular_file::read(place.absolute(&file)).unwrap_or_default();
        let names = declared::names(&String::from_utf8_lossy(&source));
        (file, names)
    });
    let embedded = [listed.embed_patterns, listed.test_embed_patterns, listed.x_test_embed_patterns];
    Package {
        embedded: embedded.into_iter().flatten().flatten().collect(),
        tests: tests.collect(),
        has_only_tests,
        import: listed.import_path,
        name: listed.name,
        dir: listed.dir,
        module: listed.module.map(|module| module.path).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_172_a_canary_that_a_package_would_embed_is_known() {
        let embeds = |pattern: &str, file: &str| {
            let embedded = vec![pattern.to_owned()];
            Package { dir: "/p".to_owned(), embedded, ..Package::default() }.embeds(Path::new(file))
        };
        for pattern in ["*", "*.go", "all:*", ".", "z*_test.go", "z1_test.go"] {
            assert!(embeds(pattern, "/p/z1_test.go"), "{pattern}");
        }
        for pattern in ["*.txt", "sub", "sub/*", "[", "rate.txt"] {
            assert!(!embeds(pattern, "/p/z1_test.go"), "{pattern}");
        }
        assert!(embeds("sub", "/p/sub/z1_test.go") && embeds("sub/*.go", "/p/sub/z1_test.go"));
        assert!(!embeds("*.go", "/p/sub/z1_test.go") && !embeds("*", "/q/z1_test.go"));
        let listed: Vec<Listed> = serde_json::Deserializer::from_str(
            r#"{"Dir": "/p", "EmbedPatterns": ["*"], "XTestEmbedPatterns": ["y"]}"#,
        )
        .into_iter()
        .map_while(Result::ok)
        .collect();
        assert_eq!(listed[0].embed_patterns, Some(vec!["*".to_owned()]));
        assert_eq!(listed[0].x_test_embed_patterns, Some(vec!["y".to_owned()]));
    }
}
