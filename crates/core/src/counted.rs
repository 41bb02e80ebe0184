//! Numbers with what they count.

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What follows a list on one line that `left` names are missing of: ` and 3 more`, or nothing.
pub fn and_more(left: usize) -> String {
    if left == 0 { String::new() } else { format!(" and {left} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_out_is_counted() {
        assert_eq!([0, 1, 12].map(and_more), ["", " and 1 more", " and 12 more"]);
    }

    #[test]
    fn one_is_no_plural() {
        let told = [0, 1, 2].map(|count| counted(count, "file"));
        assert_eq!(told, ["0 files", "1 file", "2 files"]);
    }
}
