//! Markdown tests: the names of their logs, the prompt, the log's front matter, the JUnit report.
//!
//! ```text
//! test   = PATH "/" STEM ".test.md"
//! log    = PATH "/" STEM ".logs/" TIMESTAMP [ "-" N ] ".log.md"        N from 1
//! ```

pub mod junit;
pub mod log;
pub mod prompt;

/// What the names of tests end in.
pub const SUFFIX: &str = ".test.md";

/// The folder of a test's logs, beside the test: `checkout.test.md` has `checkout.logs`.
pub fn log_folder(file_name: &str) -> String {
    format!("{}.logs", file_name.strip_suffix(SUFFIX).unwrap_or(file_name))
}

/// The names that a log may have, best first: whoever finds one taken takes the next.
pub fn log_names(timestamp: &str) -> impl Iterator<Item = String> {
    let first = format!("{timestamp}.log.md");
    let next = (1..).map({
        let timestamp = timestamp.to_owned();
        move |number: u32| format!("{timestamp}-{number}.log.md")
    });
    std::iter::once(first).chain(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_s_logs_lie_beside_it() {
        for (name, want) in
            [("checkout.test.md", "checkout.logs"), ("a.b.test.md", "a.b.logs"), (".test.md", ".logs")]
        {
            assert_eq!(log_folder(name), want);
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let names: Vec<String> = log_names("2026-02-11T08-30-00Z").take(3).collect();
        let want =
            ["2026-02-11T08-30-00Z.log.md", "2026-02-11T08-30-00Z-1.log.md", "2026-02-11T08-30-00Z-2.log.md"];
        assert_eq!(names, want);
    }
}
