//! The arguments of each runner: which are options, which are paths, and which would keep a run from
//! telling what came of every test.

/// What the words of one runner mean.
pub(super) struct Words<'a> {
    /// Options that take the next word, unless it is behind a `=`.
    valued: &'a [&'a str],
    /// Options that go, and those that go with their value.
    dropped: &'a [&'a str],
    dropped_valued: &'a [&'a str],
}

/// Words as they are written, joined by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    pub(super) options: String,
    pub(super) paths: String,
    /// From `--` on.
    pub(super) behind: String,
}

impl Sorted {
    pub(super) fn option_words(&self) -> Vec<&str> {
        crate::command_line::parts::written(&self.options)
    }
}

pub(super) fn sorted(args: &[&str], words: &Words<'_>) -> Sorted {
    let (mut options, mut paths) = (Vec::new(), Vec::new());
    let end = args.iter().position(|word| *word == "--").unwrap_or(args.len());
    let mut own = args[..end].iter().copied();
    while let Some(word) = own.next() {
        let (name, has_value) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        let glued = |list: &[&str]| {
            list.iter().any(|one| {
                one.len() == 2 && word.len() > 2 && word.starts_with(one) && !word.starts_with("--")
            })
        };
        if words.dropped.contains(&name) || glued(words.dropped_valued) {
        } else if words.dropped_valued.contains(&name) {
            if !has_value {
                own.next();
            }
        } else if !word.starts_with('-') {
            paths.push(word);
        } else {
            options.push(word);
            if words.valued.contains(&name) && !has_value {
                options.extend(own.next());
            }
        }
    }
    Sorted { options: options.join(" "), paths: paths.join(" "), behind: args[end..].join(" ") }
}

pub(super) const MOCHA: Words<'_> = Words {
    valued: &[
        "-r",
        "--require",
        "-t",
        "--timeout",
        "--timeouts",
        "-s",
        "--slow",
        "-u",
        "--ui",
        "--config",
        "--package",
        "--file",
        "--ignore",
        "--exclude",
        "-g",
        "--grep",
        "-f",
        "--fgrep",
        "--extension",
        "-j",
        "--jobs",
        "--retries",
        "-n",
        "--node-option",
        "--import",
        "--loader",
        "--globals",
        "--spec",
        "--opts",
        "--compilers",
    ],
    // Colours are what tests may see, and the report has none.
    dropped: &["-w", "--watch", "-b", "--bail", "--dry-run"],
    dropped_valued: &[
        "-R",
        "--reporter",
        "-O",
        "--reporter-option",
        "--reporter-options",
        "--watch-files",
        "--watch-ignore",
    ],
};

pub(super) const TAP: Words<'_> = Words {
    valued: &[
        "-j",
        "--jobs",
        "-t",
        "--timeout",
        "--plugin",
        "--node-arg",
        "--test-arg",
        "--test-env",
        "--include",
        "--exclude",
        "-g",
        "--grep",
        "--before",
        "--after",
        "-a",
        "-i",
    ],
    dropped: &[
        "-w",
        "--watch",
        "-b",
        "--bail",
        "--coverage",
        "--cov",
        "--no-coverage",
        "--no-cov",
        "--disable-coverage",
        "--100",
        "--check-coverage",
        "--no-check-coverage",
        "--allow-incomplete-coverage",
        "--allow-empty-coverage",
        "--show-full-coverage",
        "-c",
        "-C",
        "--color",
        "--no-color",
        "--changed",
        "--browser",
        "--no-browser",
    ],
    dropped_valued: &[
        "-R",
        "--reporter",
        "--reporter-file",
        "--reporter-arg",
        "--coverage-report",
        "--branches",
        "--lines",
        "--functions",
        "--statements",
        "--save",
        "-s",
        "--output-file",
        "-o",
        "--coverage-map",
    ],
};

pub(super) const AVA: Words<'_> = Words {
    valued: &[
        "-m",
        "--match",
        "-T",
        "--timeout",
        "-c",
        "--concurrency",
        "--config",
        "--node-arguments",
        "-N",
    ],
    dropped: &[
        "-w",
        "--watch",
        "-t",
        "--tap",
        "-v",
        "--verbose",
        "--fail-fast",
        "--color",
        "--no-color",
        "-u",
        "--update-snapshots",
    ],
    dropped_valued: &[],
};

pub(super) const TAPE: Words<'_> = Words {
    valued: &["-r", "--require", "-i", "--ignore", "--ignore-pattern"],
    dropped: &[],
    dropped_valued: &[],
};

pub(super) const BATS: Words<'_> = Words {
    valued: &["-f", "--filter", "-j", "--jobs", "--filter-tags", "--code-quote-style"],
    dropped: &["-t", "--tap", "-p", "--pretty", "-T", "--timing"],
    dropped_valued: &["-F", "--formatter", "--report-formatter", "-o", "--output"],
};

pub(super) const DENO: Words<'_> = Words {
    valued: &[
        "-c",
        "--config",
        "--import-map",
        "--filter",
        "--location",
        "--seed",
        "--cert",
        "-L",
        "--log-level",
    ],
    dropped: &["--watch", "--fail-fast", "--failfast", "--junit-path", "--coverage", "--no-run", "--clean"],
    dropped_valued: &["--reporter"],
};

pub(super) const PHPUNIT: Words<'_> = Words {
    valued: &[
        "-c",
        "--configuration",
        "--bootstrap",
        "--testsuite",
        "--exclude-testsuite",
        "--filter",
        "--group",
        "--exclude-group",
        "--cache-result-file",
        "--include-path",
        "-d",
        "--order-by",
        "--random-order-seed",
        "--test-suffix",
        "--cache-directory",
    ],
    dropped: &[
        "--stop-on-failure",
        "--stop-on-error",
        "--stop-on-defect",
        "--stop-on-warning",
        "--stop-on-risky",
        "--stop-on-skipped",
        "--stop-on-incomplete",
        "--coverage-text",
        "--coverage-html",
        "--coverage-clover",
        "--coverage-xml",
        "--testdox",
        "--teamcity",
    ],
    dropped_valued: &[
        "--log-junit",
        "--log-teamcity",
        "--coverage-cobertura",
        "--coverage-crap4j",
        "--coverage-php",
        "--printer",
    ],
};

pub(super) const PHPUNIT_SUITES: Words<'_> =
    Words { valued: PHPUNIT.valued, dropped: &[], dropped_valued: &["--testsuite", "--exclude-testsuite"] };

pub(super) const RSPEC: Words<'_> = Words {
    valued: &[
        "-I",
        "-r",
        "--require",
        "-O",
        "--options",
        "--order",
        "--seed",
        "-e",
        "--example",
        "-t",
        "--tag",
        "-P",
        "--pattern",
        "--exclude-pattern",
        "-E",
        "--example-matches",
        "--default-path",
        "--failure-exit-code",
    ],
    dropped: &[
        "--fail-fast",
        "--no-fail-fast",
        "--only-failures",
        "-n",
        "--next-failure",
        "--color",
        "--no-color",
        "-c",
        "--dry-run",
    ],
    dropped_valued: &["-f", "--format", "-o", "--out"],
};
