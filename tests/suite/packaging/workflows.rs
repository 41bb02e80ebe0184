//! The workflows, as far as they can be held without their runner.

use std::collections::BTreeSet;

use serde_yaml::Value;

use super::super::sandbox::Sandbox;
use super::{TARGETS, checked_shell, root, text, yaml};

fn strings<'a>(of: &'a Value, key: &str, found: &mut Vec<&'a str>) {
    if let Some(map) = of.as_mapping() {
        for (name, value) in map {
            if name.as_str() == Some(key) {
                found.extend(value.as_str());
            }
            strings(value, key, found);
        }
    }
    for value in of.as_sequence().into_iter().flatten() {
        strings(value, key, found);
    }
}

fn all<'a>(of: &'a Value, key: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    strings(of, key, &mut found);
    found
}

fn complaints(workflow: &str) -> Vec<String> {
    let read = yaml(workflow);
    let mut found = Vec::new();
    for uses in all(&read, "uses") {
        let version = uses.split_once('@').map(|(_, version)| version.trim_start_matches('v'));
        let is_pinned = version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()));
        if !is_pinned && !uses.starts_with("./.github/workflows/") {
            found.push(format!("{uses} is no version"));
        }
    }
    found.extend(
        all(&read, "run")
            .into_iter()
            .filter(|run| run.contains("${{"))
            .map(|run| format!("an expression: {run}")),
    );
    if read["permissions"].as_mapping().is_none_or(|map| map.values().any(|of| of.as_str() != Some("read"))) {
        found.push("it may more than read".to_owned());
    }
    found
}

#[test]
fn ac_tdd_6_34_the_workflows_pin_what_they_use_and_run_what_is_here() {
    let sandbox = Sandbox::empty();
    for name in ["ci", "release"] {
        let workflow = text(&format!(".github/workflows/{name}.yml"));
        assert_eq!(complaints(&workflow), [""; 0]);
        let read = yaml(&workflow);
        for run in all(&read, "run") {
            checked_shell(&sandbox, "bash", run);
            let words = run.split(|c: char| c.is_whitespace() || "\"()$".contains(c));
            for word in words.filter(|word| word.starts_with("packaging/") || word.starts_with(".ci/")) {
                assert!(root().join(word).is_file(), "{name}: {word}");
            }
        }
        for (from, to) in [
            ("checkout@v4", "checkout@main"),
            ("contents: read", "contents: write"),
            ("run: |\n", "run: |\n          echo ${{ github.ref_name }}\n"),
        ] {
            let bad = workflow.replacen(from, to, 1);
            assert!(bad != workflow && !complaints(&bad).is_empty(), "{name}: {from}");
        }
    }
}

#[test]
fn ac_tdd_6_34_what_is_released_is_one_list() {
    let read = yaml(&text(".github/workflows/release.yml"));
    let include = read["jobs"]["build"]["strategy"]["matrix"]["include"].as_sequence().unwrap();
    let built: BTreeSet<&str> = include.iter().map(|entry| entry["target"].as_str().unwrap()).collect();
    assert_eq!(built, BTreeSet::from(TARGETS));
    let deny: toml::Table = toml::from_str(&text("deny.toml")).unwrap();
    let held = deny["graph"]["targets"].as_array().unwrap().iter().map(|target| target.as_str().unwrap());
    assert_eq!(held.collect::<BTreeSet<_>>(), built);
    let updates = yaml(&text(".github/dependabot.yml"));
    assert_eq!(all(&updates, "package-ecosystem"), ["cargo", "github-actions"]);
}

/// The oldest Rust that is promised is the one that is asked for wherever one is named.
#[test]
fn ac_tdd_6_34_the_oldest_rust_is_said_once() {
    let manifest: toml::Table = toml::from_str(&text("Cargo.toml")).unwrap();
    let oldest = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    for (path, words) in [
        (".ci/run", format!("Install Rust {oldest} or newer")),
        ("README.md", format!("Rust {oldest}")),
        ("docs/src/install.md", format!("Rust {oldest}")),
    ] {
        assert!(text(path).contains(&words), "{path}: {words}");
    }
}
