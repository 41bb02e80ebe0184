//! Fifty real requirements must give exactly the criteria that a person finds in them.
#![expect(clippy::disallowed_methods, reason = "the corpus lies outside the project")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use tdd_spec::requirement::{self, RequirementError};

/// The corpus lies beside the project, or where `TDD_CORPUS` says.
fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let named = std::env::var_os("TDD_CORPUS").map(PathBuf::from);
    [Some(beside), named].into_iter().flatten().find(|folder| folder.join("criteria.json").is_file())
}

#[test]
fn every_file_gives_its_criteria() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus");
        return;
    };
    let wanted = std::fs::read_to_string(corpus.join("criteria.json")).unwrap();
    let wanted: BTreeMap<String, Vec<String>> = serde_json::from_str(&wanted).unwrap();
    assert_eq!(wanted.len(), 50);
    for (name, ids) in wanted {
        let bytes = std::fs::read(corpus.join("frs").join(&name)).unwrap();
        match requirement::read(&bytes, name.trim_end_matches(".md")) {
            Ok(parsed) => {
                let got: Vec<String> = parsed.criteria.iter().map(|it| it.id.to_string()).collect();
                assert_eq!(got, ids, "{name}");
                assert!(parsed.criteria.iter().all(|it| !it.text.is_empty()), "{name}");
                assert!(parsed.title.is_some(), "{name}");
            }
            Err(RequirementError::NoCriterion { section, stray }) => {
                assert!(ids.is_empty(), "{name}");
                assert_eq!((section, stray.len()), (41, 10), "{name}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
