//! `cargo metadata --no-deps`: the packages of a workspace, their targets, and where builds lie.
//!
//! ```text
//! document = {packages, workspace_members, workspace_default_members, workspace_root,
//!             target_directory, build_directory}
//! package  = {id, name, version, manifest_path, targets}
//! target   = {name, kind, src_path, doctest}
//! ```

use serde::Deserialize;

/// A workspace, as cargo sees it from the folder of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Workspace {
    /// Its members alone: dependencies are not asked for.
    pub packages: Vec<Package>,
    /// Ids of the packages that a command takes which names none; older cargos do not tell.
    #[serde(default, rename = "workspace_default_members")]
    pub defaults: Vec<String>,
    #[serde(rename = "workspace_root")]
    pub root: String,
    #[serde(rename = "target_directory")]
    pub target_dir: String,
    /// Where newer cargos keep what a build leaves between its steps, if it is another place.
    #[serde(default, rename = "build_directory")]
    pub build_dir: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub manifest_path: String,
    pub targets: Vec<Target>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
    pub src_path: String,
    /// Whether `cargo test` looks for tests in its documentation.
    #[serde(default)]
    pub doctest: bool,
}

impl Target {
    /// A library of any sort: what `--lib` builds.
    pub fn is_lib(&self) -> bool {
        let other = ["bin", "example", "test", "verification", "custom-build"];
        !self.kind.iter().any(|kind| other.contains(&kind.as_str()))
    }
}

impl Package {
    pub fn lib(&self) -> Option<&Target> {
        self.targets.iter().find(|target| target.is_lib())
    }
}

/// Reads the document; `None` if it is none.
pub fn parse(bytes: &[u8]) -> Option<Workspace> {
    serde_json::from_slice(bytes).ok()
}

impl Workspace {
    /// The packages that arguments like these choose: `-p`, `--package`, `--workspace`, `--all`,
    /// `--exclude`. A word that is no name of a member chooses all, so that none is missed.
    pub fn chosen(&self, args: &[String]) -> Vec<&Package> {
        let all = args.iter().any(|arg| arg == "--workspace" || arg == "--all");
        let names = values(args, &["-p", "--package"]);
        let excluded = values(args, &["--exclude"]);
        let is = |package: &Package, word: &str| matches_name(word, package);
        if !all && !names.is_empty() {
            let known = |word: &&str| self.packages.iter().any(|package| is(package, word));
            let knows_all = names.iter().all(known);
            let taken = |package: &&Package| !knows_all || names.iter().any(|word| is(package, word));
            return self.packages.iter().filter(taken).collect();
        }
        let default = |package: &Package| self.defaults.is_empty() || self.defaults.contains(&package.id);
        let taken =
            |package: &&Package| (all || default(package)) && !excluded.iter().any(|word| is(package, word));
        self.packages.iter().filter(taken).collect()
    }
}

fn values<'a>(args: &'a [String], options: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, inline) = arg.split_once('=').map_or((arg.as_str(), None), |(n, v)| (n, Some(v)));
        if options.contains(&name) {
            found.extend(inline.or_else(|| args.next().map(String::as_str)));
        } else if let Some(rest) =
            arg.strip_prefix("-p").filter(|rest| options.contains(&"-p") && !rest.is_empty())
        {
            found.push(rest);
        }
    }
    found
}

/// `shop`, `shop@0.1.0`, `shop:0.1.0`, `shop-*`, or a package's id.
fn matches_name(word: &str, package: &Package) -> bool {
    let name = word.split(['@', ':']).next().unwrap_or(word);
    let glob = || globset::Glob::new(name).is_ok_and(|glob| glob.compile_matcher().is_match(&package.name));
    word == package.id || name == package.name || glob()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        let package = |name: &str| {
            format!(
                r#"{{"id":"path+file:///w/{name}#0.1.0","name":"{name}","version":"0.1.0",
                "manifest_path":"/w/{name}/Cargo.toml","targets":[
                {{"name":"{name}","kind":["lib"],"src_path":"/w/{name}/src/lib.rs","doctest":true}},
                {{"name":"it","kind":["test"],"src_path":"/w/{name}/tests/it.rs","doctest":false}}]}}"#
            )
        };
        let text = format!(
            r#"{{"packages":[{},{},{}],"workspace_default_members":["path+file:///w/root#0.1.0"],
            "workspace_root":"/w","target_directory":"/w/target"}}"#,
            package("root"),
            package("grep-a"),
            package("grep-b")
        );
        parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn packages_are_chosen_as_the_arguments_say() {
        for (args, want) in [
            ("", "root"),
            ("--release", "root"),
            ("--workspace", "root grep-a grep-b"),
            ("--all --exclude grep-a", "root grep-b"),
            ("--workspace --exclude=grep-*", "root"),
            ("-p grep-b", "grep-b"),
            ("-pgrep-b --package=root@0.1.0", "root grep-b"),
            ("-p grep-*", "grep-a grep-b"),
            ("-p path+file:///w/root#0.1.0", "root"),
            ("-p elsewhere", "root grep-a grep-b"),
        ] {
            let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
            let workspace = workspace();
            let names: Vec<&str> =
                workspace.chosen(&args).iter().map(|package| package.name.as_str()).collect();
            assert_eq!(names.join(" "), want, "{args:?}");
        }
    }

    #[test]
    fn a_library_is_known_by_what_it_is_not() {
        let lib = |kind: &str| {
            let kind = vec![kind.to_owned()];
            Target { name: "x".into(), kind, src_path: "/x".into(), doctest: false }.is_lib()
        };
        assert!(["lib", "rlib", "proc-macro", "cdylib"].into_iter().all(lib));
        assert!(!["bin", "test", "custom-build", "example", "verification"].into_iter().any(lib));
        assert_eq!(parse(b"error: no manifest"), None);
    }
}
