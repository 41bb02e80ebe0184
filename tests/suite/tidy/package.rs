//! What a registry is handed is what the program is built of.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::source::Source;
use super::{caught, files, none, packages, root, sample, sources};

/// The files of a package as cargo would hand them out, with their paths from its folder.
fn listed(folder: &str) -> BTreeSet<String> {
    let manifest = root().join(folder).join("Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--list", "--allow-dirty", "--offline", "--manifest-path"]).arg(manifest);
    let output = cargo.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A path without the names that only lead back.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            assert!(straight.pop(), "{} leads out of the repository", path.display());
        } else {
            straight.push(part);
        }
    }
    straight
}

/// What sources embed that the package of this folder does not hold.
fn embedded_from_elsewhere(folder: &str, listed: &BTreeSet<String>, sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let all =
            ["include_str", "include_bytes"].into_iter().flat_map(|name| source.find(&[name, "!", "("]));
        for at in all {
            let named = source.word(at + 3).trim_matches('"');
            let file = straight(&Path::new(&source.path).parent().unwrap().join(named));
            let inside = file.strip_prefix(folder).ok().and_then(Path::to_str);
            if !inside.is_some_and(|inside| listed.contains(inside)) {
                complaints.push(format!("{}: {} is not in its package", source.path, file.display()));
            }
        }
    }
    complaints
}

#[test]
fn ac_tdd_6_32_a_package_holds_all_that_its_code_embeds() {
    let mut count = 0;
    for (folder, _) in packages() {
        let listed = listed(&folder);
        let sources = sources(&format!("{folder}src/"));
        none(&embedded_from_elsewhere(&folder, &listed, &sources));
        count += sources.iter().map(|source| source.find(&["include_str", "!"]).len()).sum::<usize>();
        let kept = files().into_iter().filter(|(path, _)| path.starts_with(&format!("{folder}src/")));
        let inside = kept.map(|(path, _)| path[folder.len()..].to_owned());
        let missing: Vec<String> = inside.filter(|path| !listed.contains(path)).collect();
        none(&missing);
    }
    assert!(count > 20, "{count}");
    let listed = BTreeSet::from(["src/a/b.txt".to_owned()]);
    for (text, count) in [
        ("const A: &str = include_str!(\"../b.txt\");", 1),
        ("const A: &[u8] = include_bytes!(\"../../../other/src/a/b.txt\");", 1),
        (
            "const A: &str = include_str!(\"b.txt\");\n#[cfg(test)]\nmod tests { const B: &str = include_str!(\"c\"); }",
            0,
        ),
    ] {
        caught(&embedded_from_elsewhere("crates/x/", &listed, &sample("crates/x/src/a/c.rs", text)), count);
    }
}

/// A registry takes no path: each crate of the workspace is named with the version that it has.
#[test]
fn ac_tdd_6_32_each_crate_is_named_with_its_version() {
    let manifest: toml::Table =
        toml::from_str(&std::fs::read_to_string(root().join("Cargo.toml")).unwrap()).unwrap();
    let workspace = &manifest["workspace"];
    let version = &workspace["package"]["version"];
    let ours =
        workspace["dependencies"].as_table().unwrap().iter().filter(|(_, how)| how.get("path").is_some());
    let versions: Vec<_> = ours.map(|(name, how)| (name, how.get("version"))).collect();
    assert_eq!(versions.len(), packages().len() - 1);
    assert!(versions.iter().all(|(_, of)| *of == Some(version)), "{versions:?}");
}
