//! Numbers with what they count.

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let told = [0, 1, 2].map(|count| counted(count, "file"));
        assert_eq!(told, ["0 files", "1 file", "2 files"]);
    }
}
