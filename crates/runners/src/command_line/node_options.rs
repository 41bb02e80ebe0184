//! What `node` takes with a value, for whoever reads its command line.

/// `node` options that take a value of their own.
pub const NODE_WITH_VALUE: &[&str] = &[
    "--import",
    "--require",
    "-r",
    "--loader",
    "--experimental-loader",
    "--conditions",
    "-C",
    "--env-file",
    "--env-file-if-exists",
    "--experimental-config-file",
    "--tsconfig",
    "--test-name-pattern",
    "--test-skip-pattern",
    "--test-concurrency",
    "--test-timeout",
    "--test-shard",
    "--max-old-space-size",
    "--disable-warning",
];

/// The same, of where a run is told.
pub const NODE_REPORTERS: &[&str] = &["--test-reporter", "--test-reporter-destination"];
