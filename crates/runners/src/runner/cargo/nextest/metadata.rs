//! What a build has made, as `cargo nextest` wants to be told it (`--binaries-metadata`).
//!
//! With it nextest builds nothing: it runs the binaries that came out of a build in which the test
//! targets that do not compile did not keep the others.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::runner::cargo::targets::Binary;
use crate::test_report::cargo_build::Build;

/// The document; paths of scripts and programs are relative to the target directory there.
pub(super) fn of(build: &Build, binaries: &[&Binary], target_dir: &Path) -> String {
    let relative = |path: &str| {
        let path = Path::new(path);
        path.strip_prefix(target_dir).unwrap_or(path).to_string_lossy().into_owned()
    };
    let mut programs: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for artifact in build.artifacts.iter().filter(|artifact| !artifact.test && artifact.target.is("bin")) {
        if let Some(path) = &artifact.executable {
            let program = json!({ "name": artifact.target.name, "kind": "bin-exe", "path": relative(path) });
            programs.entry(&artifact.package_id).or_default().push(program);
        }
    }
    let out_dirs: BTreeMap<&str, String> = build
        .scripts
        .iter()
        .filter(|script| !script.out_dir.is_empty())
        .map(|script| (script.package_id.as_str(), relative(&script.out_dir)))
        .collect();
    let linked: Vec<String> = build
        .scripts
        .iter()
        .flat_map(|script| &script.linked_paths)
        .map(|path| path.rsplit('=').next().unwrap_or(path))
        .filter(|path| Path::new(path).starts_with(target_dir))
        .map(relative)
        .collect();
    let entries: serde_json::Map<String, Value> =
        binaries.iter().map(|binary| (binary.nextest_id(), entry(binary))).collect();
    let folders: Vec<String> =
        binaries.iter().filter_map(|binary| Some(relative(profile_folder(binary)?.to_str()?))).collect();
    json!({
        "rust-build-meta": {
            "target-directory": target_dir.to_string_lossy(),
            "base-output-directories": folders.first().map_or(vec![], |folder| vec![folder]),
            "non-test-binaries": programs,
            "build-script-out-dirs": out_dirs,
            "linked-paths": linked,
            "target-platforms": [],
            "target-platform": null,
        },
        "rust-binaries": entries,
    })
    .to_string()
}

fn entry(binary: &Binary) -> Value {
    json!({
        "binary-id": binary.nextest_id(),
        "binary-name": binary.name,
        "package-id": binary.package_id,
        "kind": binary.kind,
        "binary-path": binary.executable.to_string_lossy(),
        "build-platform": if binary.is_proc_macro { "host" } else { "target" },
    })
}

/// `…/debug` of `…/debug/deps/shop-0123`.
fn profile_folder(binary: &Binary) -> Option<&Path> {
    binary.executable.parent()?.parent()
}
