//! The arguments of a `cargo test`: what they choose, what is kept for our own calls.

use std::path::Path;

/// A person's arguments, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Features, packages, profile, manifest: what makes it the same build.
    pub(super) shared: Vec<String>,
    /// The person's own target directory: for what is shown, never for our builds.
    pub(super) target_dir: Vec<String>,
    /// Which targets: `lib`, `bins`, `tests`, `examples`, `benches`, `doc`; empty means all.
    kinds: Vec<String>,
    /// `--test a`, `--bin b`: kind and name.
    named: Vec<(String, String)>,
    /// For the test binaries, after `--`, and name filters before it.
    harness: Vec<String>,
    has_profile: bool,
}

const VALUED: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "--features",
    "-F",
    "--target",
    "--manifest-path",
    "--profile",
    "-j",
    "--jobs",
    "--config",
    "-Z",
    "--lockfile-path",
];
/// Takes all members of a workspace.
pub(super) const WORKSPACE: &str = "--workspace";
/// What says where the workspace is and how it is read.
const OF_WORKSPACE: &[&str] =
    &["--manifest-path", "--config", "--offline", "--locked", "--frozen", "--lockfile-path", "-Z"];
const DROPPED: &[&str] =
    &["--no-fail-fast", "-q", "--quiet", "-v", "-vv", "--verbose", "--no-run", "--keep-going", "--timings"];
const DROPPED_VALUED: &[&str] = &["--message-format", "--color"];
const KINDS: &[&str] = &["--lib", "--bins", "--tests", "--examples", "--benches", "--doc", "--all-targets"];
const NAMED: &[&str] = &["--test", "--bin", "--example", "--verification"];
/// Of the test binaries' own arguments: they change what is printed, so they would hide results.
const HARNESS_DROPPED: &[&str] = &["--nocapture", "--no-capture", "--show-output", "-q", "--quiet"];
const HARNESS_DROPPED_VALUED: &[&str] = &["--format", "--color", "--logfile", "-Z"];

impl Options {
    pub(super) fn read(args: &[String]) -> Self {
        let mut options = Self::default();
        let split = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
        let mut before = args[..split].iter();
        while let Some(arg) = before.next() {
            let (name, inline) = arg.split_once('=').map_or((arg.as_str(), None), |(n, v)| (n, Some(v)));
            if KINDS.contains(&name) {
                options.kinds.push(name.trim_start_matches("--").to_owned());
            } else if NAMED.contains(&name) {
                let value = inline.map(str::to_owned).or_else(|| before.next().cloned());
                options.named.extend(value.map(|value| (name.trim_start_matches("--").to_owned(), value)));
            } else if DROPPED_VALUED.contains(&name) {
                if inline.is_none() {
                    before.next();
                }
            } else if DROPPED.contains(&name) {
            } else if name == "--target-dir" {
                options.target_dir.push(arg.clone());
                if inline.is_none() {
                    options.target_dir.extend(before.next().cloned());
                }
            } else if VALUED.contains(&name) {
                options.has_profile |= name == "--profile";
                options.shared.push(arg.clone());
                if inline.is_none() {
                    options.shared.extend(before.next().cloned());
                }
            } else if arg.starts_with('-') {
                options.has_profile |= arg == "--release" || arg == "-r";
                options.shared.push(arg.clone());
            } else {
                options.harness.push(arg.clone());
            }
        }
        let mut after = args[split..].iter().skip(1);
        while let Some(arg) = after.next() {
            let (name, inline) = arg.split_once('=').map_or((arg.as_str(), None), |(n, v)| (n, Some(v)));
            if HARNESS_DROPPED_VALUED.contains(&name) {
                if inline.is_none() {
                    after.next();
                }
            } else if !HARNESS_DROPPED.contains(&name) {
                options.harness.push(arg.clone());
            }
        }
        options
    }

    /// Whether the command itself says which packages are taken.
    pub(super) fn names_packages(&self) -> bool {
        let plain = ["--package", "--exclude", "--workspace", "--all", "--manifest-path"];
        let names = |arg: &String| {
            let name = arg.split('=').next().unwrap_or_default();
            plain.contains(&name) || (name.starts_with("-p") && !name.starts_with("--"))
        };
        self.shared.iter().any(names)
    }

    /// Whether it names targets one by one.
    pub(super) fn names_targets(&self) -> bool {
        !self.named.is_empty()
    }

    /// Whether it says `-p`.
    pub(super) fn says_packages(&self) -> bool {
        let says =
            |arg: &String| arg.starts_with("--package") || (arg.starts_with("-p") && !arg.starts_with("--"));
        self.shared.iter().any(says)
    }

    /// From now on all packages of the workspace are taken.
    pub(super) fn take_workspace(&mut self) {
        self.leave_workspace();
        self.shared.insert(0, WORKSPACE.to_owned());
    }

    /// And no more so.
    pub(super) fn leave_workspace(&mut self) {
        self.shared.retain(|arg| arg != WORKSPACE);
    }

    /// Those of the shared arguments that decide what the workspace is.
    pub(super) fn of_workspace(&self) -> Vec<String> {
        let mut kept = Vec::new();
        let mut args = self.shared.iter();
        while let Some(arg) = args.next() {
            let (name, inline) = arg.split_once('=').map_or((arg.as_str(), None), |(n, v)| (n, Some(v)));
            let valued = VALUED.contains(&name) && inline.is_none();
            let value = if valued { args.next() } else { None };
            if OF_WORKSPACE.contains(&name) {
                kept.push(arg.clone());
                kept.extend(value.cloned());
            }
        }
        kept
    }

    /// The shared arguments less those that choose packages.
    pub(super) fn of_any_package(&self) -> Vec<String> {
        let mut kept = Vec::new();
        let mut args = self.shared.iter();
        while let Some(arg) = args.next() {
            match arg.split('=').next().unwrap_or_default() {
                WORKSPACE | "--all" => {}
                "--exclude" if arg.contains('=') => {}
                "--exclude" => drop(args.next()),
                _ => kept.push(arg.clone()),
            }
        }
        kept
    }

    /// Where the person's own command builds, if it says so.
    pub(super) fn own_target_dir(&self) -> Option<&str> {
        let [.., last] = self.target_dir.as_slice() else { return None };
        Some(last.strip_prefix("--target-dir=").unwrap_or(last))
    }

    /// The folder of a build's output: `debug`, `release`, or the profile's own name.
    pub(super) fn profile_folder(&self) -> String {
        let mut args = self.shared.iter();
        let mut folder = "debug";
        while let Some(arg) = args.next() {
            let profile = match arg.as_str() {
                "--release" | "-r" => Some("release"),
                "--profile" => args.next().map(String::as_str),
                other => other.strip_prefix("--profile="),
            };
            folder = profile.unwrap_or(folder);
        }
        match folder {
            "dev" | "test" => "debug".to_owned(),
            "verification" => "release".to_owned(),
            own => own.to_owned(),
        }
    }

    /// `build` with the profile of `cargo test`, into a directory of our own.
    /// Of examples that are no tests, which the command builds as well, only where all tests are asked for.
    pub(super) fn build_args(&self, with_lib: WithLib, examples: Examples, target_dir: &Path) -> Vec<String> {
        let mut args = vec!["build".to_owned()];
        args.extend(into(target_dir));
        if !self.has_profile {
            args.extend(["--profile".to_owned(), "test".to_owned()]);
        }
        args.extend(self.shared.iter().cloned());
        // The library as others see it tells a broken library from broken unit tests in it.
        args.extend((with_lib == WithLib::Yes).then(|| "--lib".to_owned()));
        for arg in ["--bins", "--tests", "--keep-going", "--color=never", "--message-format=json"] {
            args.push(arg.to_owned());
        }
        if self.names_kind("examples") || (self.wants("examples") && examples == Examples::Built) {
            args.push("--examples".to_owned());
        }
        args
    }

    pub(super) fn doctest_args(&self, target_dir: &Path) -> Vec<String> {
        let mut args = into(target_dir).to_vec();
        args.extend(self.shared.iter().cloned());
        args.extend(["--doc".to_owned(), "--no-fail-fast".to_owned(), "--color=never".to_owned()]);
        args.push("--".to_owned());
        args.extend(self.harness.iter().cloned());
        args
    }

    pub(super) fn list_args(&self) -> Vec<String> {
        let mut args = self.harness.clone();
        args.extend(["--list".to_owned(), "--format".to_owned(), "terse".to_owned()]);
        args
    }

    /// `exact`: only these names, instead of the person's own filters.
    pub(super) fn run_args(&self, exact: Option<&[String]>, log: Option<&Path>, order: Order) -> Vec<String> {
        let mut args = match exact {
            Some(names) => {
                let mut args = self.unfiltered();
                args.push("--exact".to_owned());
                args.extend(names.iter().cloned());
                args
            }
            None => self.harness.clone(),
        };
        args.extend(["--color".to_owned(), "never".to_owned()]);
        let says_threads = self.harness.iter().any(|arg| arg.starts_with("--test-threads"));
        args.extend((order == Order::OneByOne && !says_threads).then(|| "--test-threads=1".to_owned()));
        if let Some(log) = log {
            args.extend(["--logfile".to_owned(), log.to_string_lossy().into_owned()]);
        }
        args
    }

    /// For a canary: no filter of the person's is about it, and its own test comes last.
    pub(super) fn canary_args() -> Vec<String> {
        ["--test-threads=1", "--color", "never"].map(str::to_owned).to_vec()
    }

    /// The harness arguments without names and `--skip`.
    fn unfiltered(&self) -> Vec<String> {
        let mut kept = Vec::new();
        let mut args = self.harness.iter();
        while let Some(arg) = args.next() {
            if arg == "--skip" {
                args.next();
            } else if arg == "--test-threads" || arg == "--shuffle-seed" {
                kept.push(arg.clone());
                kept.extend(args.next().cloned());
            } else if arg.starts_with('-') && arg != "--exact" && !arg.starts_with("--skip=") {
                kept.push(arg.clone());
            }
        }
        kept
    }

    fn names_kind(&self, kind: &str) -> bool {
        self.kinds.iter().any(|named| named == kind || named == "all-targets")
    }

    fn wants(&self, kind: &str) -> bool {
        (self.kinds.is_empty() && self.named.is_empty()) || self.names_kind(kind)
    }

    /// Whether the person's command would run this target's tests.
    pub(super) fn takes(&self, kind: &str, name: &str) -> bool {
        let plural = match kind {
            "test" => "tests",
            "bin" => "bins",
            "example" => "examples",
            "verification" => "benches",
            _ => "lib",
        };
        let named = self.named.iter().any(|(own, value)| own == kind && value == name);
        named || self.wants(plural) || self.names_kind("tests")
    }

    pub(super) fn wants_doctests(&self) -> bool {
        self.wants("doc") && !self.names_kind("all-targets")
    }
}

/// On the command line it is stronger than what the environment or a project's configuration says.
fn into(target_dir: &Path) -> [String; 2] {
    ["--target-dir".to_owned(), target_dir.to_string_lossy().into_owned()]
}

/// In which order a binary runs its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    AsSaid,
    OneByOne,
}

/// Whether examples are built that hold no tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Examples {
    Built,
    LeftOut,
}

/// Whether the package has a library to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WithLib {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Options {
        Options::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_makes_the_build_is_kept_and_what_hides_results_is_not() {
        let options = read(
            "--workspace --features x --target-dir t -q --no-fail-fast --message-format json foo -- --nocapture --test-threads=1",
        );
        assert_eq!(options.shared.join(" "), "--workspace --features x");
        assert_eq!(options.target_dir.join(" "), "--target-dir t");
        assert_eq!(options.own_target_dir(), Some("t"));
        assert_eq!(read("--target-dir=u/v").own_target_dir(), Some("u/v"));
        assert_eq!(options.harness.join(" "), "foo --test-threads=1");
        assert!(options.wants_doctests());
        assert_eq!(
            options.build_args(WithLib::No, Examples::LeftOut, Path::new("/w")).join(" "),
            "build --target-dir /w --profile test --workspace --features x --bins --tests --keep-going --color=never --message-format=json"
        );
    }

    #[test]
    fn targets_are_taken_as_the_command_says() {
        for (args, kind, name, want) in [
            ("", "test", "a", true),
            ("", "lib", "shop", true),
            ("--lib", "test", "a", false),
            ("--lib", "lib", "shop", true),
            ("--test a", "test", "a", true),
            ("--test=a", "test", "b", false),
            ("--test a", "lib", "shop", false),
            ("--tests", "lib", "shop", true),
            ("--all-targets", "test", "a", true),
            ("--doc", "test", "a", false),
        ] {
            assert_eq!(read(args).takes(kind, name), want, "{args} {kind} {name}");
        }
        assert!(!read("--test a").wants_doctests());
        assert!(!read("--all-targets").wants_doctests());
    }

    #[test]
    fn packages_and_workspace_are_told_apart_from_the_rest() {
        for (args, names, of_workspace, of_any, folder) in [
            ("", false, "", "", "debug"),
            ("--workspace --release", true, "", "--release", "release"),
            ("-pshop --offline", true, "--offline", "-pshop --offline", "debug"),
            ("--all --exclude a --exclude=b --locked", true, "--locked", "--locked", "debug"),
            ("--config a=b --profile fast", false, "--config a=b", "--config a=b --profile fast", "fast"),
            (
                "--manifest-path=x/Cargo.toml",
                true,
                "--manifest-path=x/Cargo.toml",
                "--manifest-path=x/Cargo.toml",
                "debug",
            ),
            ("--features offline --profile=dev", false, "", "--features offline --profile=dev", "debug"),
        ] {
            let options = read(args);
            assert_eq!(options.names_packages(), names, "{args}");
            assert_eq!(options.of_workspace().join(" "), of_workspace, "{args}");
            assert_eq!(options.of_any_package().join(" "), of_any, "{args}");
            assert_eq!(options.profile_folder(), folder, "{args}");
        }
        let mut options = read("--offline");
        options.take_workspace();
        assert_eq!(options.shared.join(" "), "--workspace --offline");
        options.leave_workspace();
        assert_eq!(options.shared.join(" "), "--offline");
    }

    #[test]
    fn exact_names_replace_the_persons_own_filters() {
        let options = read("foo -- --test-threads 1 --skip bar --include-ignored");
        let args = options.run_args(Some(&["m::a".to_owned()]), Some(Path::new("/l")), Order::OneByOne);
        assert_eq!(
            args.join(" "),
            "--test-threads 1 --include-ignored --exact m::a --color never --logfile /l"
        );
    }
}
