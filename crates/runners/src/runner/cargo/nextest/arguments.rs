//! The arguments of a `cargo nextest run`, sorted: what builds, what chooses, what is kept.

/// A person's arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// As `cargo test` would have them: targets, packages, features, profile.
    pub(super) build: Vec<String>,
    /// For each call of nextest: its profile, its threads, where the manifest is.
    pub(super) kept: Vec<String>,
    /// Choose tests together with expressions: names, `--run-ignored`, `--partition`, what stands
    /// behind `--`.
    pub(super) filters: Vec<String>,
    pub(super) tail: Vec<String>,
    /// `-E`: the union of all of them.
    pub(super) expressions: Vec<String>,
    pub(super) profile: Option<String>,
    pub(super) config_file: Option<String>,
}

const BUILD_VALUED: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "-F",
    "--features",
    "--target",
    "--config",
    "-Z",
    "--target-dir",
    "--bin",
    "--example",
    "--test",
    "--verification",
];
const BUILD: &[&str] = &[
    "--workspace",
    "--all",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--benches",
    "--all-targets",
    "--all-features",
    "--no-default-features",
    "-r",
    "--release",
    "--frozen",
    "--locked",
    "--offline",
    "--ignore-rust-version",
];
const KEPT_VALUED: &[&str] = &["-j", "--test-threads", "--jobs", "--tool-config-file", "--user-config-file"];
const FILTER_VALUED: &[&str] = &["--run-ignored", "--partition", "--platform-filter"];
/// What only shows, and what could hide a result or take it twice.
const DROPPED_VALUED: &[&str] = &[
    "--retries",
    "--flaky-result",
    "--max-fail",
    "--no-tests",
    "--stress-count",
    "--stress-duration",
    "--failure-output",
    "--success-output",
    "--status-level",
    "--final-status-level",
    "--show-progress",
    "--message-format",
    "--message-format-version",
    "--cargo-message-format",
    "--color",
];

impl Arguments {
    pub(super) fn read(args: &[String]) -> Self {
        let mut read = Self::default();
        let split = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
        let mut before = args[..split].iter();
        while let Some(arg) = before.next() {
            let (name, inline) = match arg.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name, Some(value.to_owned())),
                Some(_) | None => (arg.as_str(), None),
            };
            let mut value = || inline.clone().or_else(|| before.next().cloned()).unwrap_or_default();
            match name {
                "-E" | "--filterset" | "--filter-expr" => read.expressions.push(value()),
                "-P" | "--profile" => read.profile = Some(value()),
                "--config-file" => read.config_file = Some(value()),
                "--cargo-profile" => read.build.extend(["--profile".to_owned(), value()]),
                "--build-jobs" => read.build.extend(["--jobs".to_owned(), value()]),
                "--manifest-path" => {
                    let both = ["--manifest-path".to_owned(), value()];
                    read.build.extend(both.clone());
                    read.kept.extend(both);
                }
                name if BUILD_VALUED.contains(&name) => read.build.extend([name.to_owned(), value()]),
                name if KEPT_VALUED.contains(&name) => read.kept.extend([name.to_owned(), value()]),
                name if FILTER_VALUED.contains(&name) => read.filters.extend([name.to_owned(), value()]),
                name if DROPPED_VALUED.contains(&name) => drop(value()),
                name if BUILD.contains(&name) => read.build.push(name.to_owned()),
                name if name.starts_with('-') => {}
                name => read.filters.push(name.to_owned()),
            }
        }
        let uncaptured = ["--nocapture", "--no-capture"];
        let tail = args[split..].iter().skip(1).filter(|arg| !uncaptured.contains(&arg.as_str()));
        read.tail = tail.cloned().collect();
        read
    }

    /// The person's choice, narrowed to the union of these expressions if there are any: names and
    /// `--run-ignored` narrow by themselves.
    pub(super) fn narrowed(&self, chosen: &[String]) -> Vec<String> {
        let own: Vec<String> = self.expressions.iter().map(|one| format!("({one})")).collect();
        let expressions = match (own.is_empty(), chosen.is_empty()) {
            (true, _) => chosen.to_vec(),
            (false, true) => own,
            (false, false) => {
                let own = own.join(" | ");
                chosen.iter().map(|chosen| format!("({own}) & ({chosen})")).collect()
            }
        };
        let mut args = self.filters.clone();
        args.extend(expressions.into_iter().flat_map(|expression| ["-E".to_owned(), expression]));
        if !self.tail.is_empty() {
            args.push("--".to_owned());
            args.extend(self.tail.iter().cloned());
        }
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Arguments {
        Arguments::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_builds_is_told_from_what_chooses_and_what_hides_goes() {
        let read = read(&[
            "--workspace",
            "--cargo-profile=ci",
            "-P",
            "slow",
            "-j",
            "2",
            "--retries",
            "3",
            "--fail-fast",
            "--no-capture",
            "--run-ignored=all",
            "name",
            "-E",
            "test(a)",
            "--",
            "--nocapture",
            "--skip",
            "b",
        ]);
        assert_eq!(read.build.join(" "), "--workspace --profile ci");
        assert_eq!(read.kept.join(" "), "-j 2");
        assert_eq!(read.profile.as_deref(), Some("slow"));
        assert_eq!(read.narrowed(&[]).join(" "), "--run-ignored all name -E (test(a)) -- --skip b");
        assert_eq!(
            read.narrowed(&["x | y".to_owned()]).join(" "),
            "--run-ignored all name -E ((test(a))) & (x | y) -- --skip b"
        );
    }

    #[test]
    fn without_a_choice_there_is_no_expression() {
        assert!(read(&["--offline", "--profile", "ci"]).narrowed(&[]).is_empty());
        assert_eq!(read(&[]).narrowed(&["x".to_owned()]), ["-E", "x"]);
    }
}
