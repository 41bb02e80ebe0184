//! Whether a test file may skip tests of its own accord.

/// Words by which runners are told to leave a test out, or to expect it to fail. Their parts count too
/// (`importorskip`, `skipIf`): who is not sure whose skip it is blames nobody.
const WORDS: [&str; 7] = ["skip", "xfail", "todo", "ignore", "only", "pending", "expectedfailure"];

/// Whether a source speaks of skipping anywhere, a comment included.
pub fn speaks_of_skipping(source: &str) -> bool {
    let lower = source.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_may_skip_by_itself_is_known() {
        for (source, want) in [
            ("def test_a():\n    assert f()\n", false),
            ("np = pytest.importorskip('numpy')\n", true),
            ("@unittest.skipIf(WINDOWS, 'no')\n", true),
            ("@unittest.expectedFailure\n", true),
            ("it.todo('later')", true),
            ("", false),
        ] {
            assert_eq!(speaks_of_skipping(source), want, "{source}");
        }
    }
}
