//! Head and tail of a long output, with a marker between.
//!
//! ```text
//! excerpt = text                       when it fits
//!         | head marker tail           else
//! marker  = "\n[tdd: N bytes on M lines left out]\n"
//! ```
//!
//! Head and tail share the room evenly: runners print the first failure at the top and the
//! summary at the bottom, and both are wanted.

/// The first and the last part of `text`, at most `max_bytes` together with a marker line that
/// says how much was left out. Cuts at line ends where one is near, never inside a character.
pub fn head_and_tail(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    // The marker's own length depends on the count that it names; the longest one is reserved.
    let reserved = marker(text.len(), text.len()).len();
    let room = max_bytes.saturating_sub(reserved);
    if room == 0 {
        return text[..floor(text, max_bytes)].to_owned();
    }
    let head = head_part(text, room / 2);
    let tail = tail_part(&text[head.len()..], room - room / 2);
    let left_out = &text[head.len()..text.len() - tail.len()];
    let lines = left_out.lines().count();
    format!("{}{}{tail}", head.strip_suffix('\n').unwrap_or(head), marker(left_out.len(), lines))
}

/// The first part of `text`, at most `max_bytes`, never cut inside a character.
pub fn head(text: &str, max_bytes: usize) -> &str {
    &text[..floor(text, max_bytes)]
}

/// The line of `lines` that the first of `anchors` is about which any line holds. Other tests may have said the
/// same words, so of several lines it is the one that is nearest to the last of the anchors: the place of
/// the failure, or else the name of its test.
pub fn focus(lines: &[String], anchors: &[String]) -> Option<usize> {
    let of = |anchor: &String| -> Vec<usize> {
        let holds = |line: &String| line.contains(anchor.as_str());
        lines.iter().enumerate().filter(|(_, line)| holds(line)).map(|(at, _)| at).collect()
    };
    let mut all = anchors.iter().map(of).filter(|found| !found.is_empty());
    let said = all.next()?;
    let Some(near) = all.next_back() else { return said.first().copied() };
    let how_far = |at: &usize| near.iter().map(|near| at.abs_diff(*near)).min();
    said.iter().copied().min_by_key(how_far)
}

/// Which `count` lines of `lines` to show: around the one in [`focus`], three quarters of them before it, since
/// what led there stands above; else the last.
pub fn around(lines: &[String], anchors: &[String], count: usize) -> std::ops::Range<usize> {
    let found = focus(lines, anchors);
    let last = lines.len().saturating_sub(count);
    let from = found.map_or(last, |at| at.saturating_sub(count * 3 / 4).min(last));
    from..(from + count).min(lines.len())
}

fn marker(bytes: usize, lines: usize) -> String {
    format!("\n[tdd: {bytes} bytes on {lines} lines left out]\n")
}

/// At most `max` bytes from the start, up to a line's end if that costs at most a quarter.
fn head_part(text: &str, max: usize) -> &str {
    let cut = floor(text, max);
    match text[..cut].rfind('\n') {
        Some(at) if at + 1 >= cut - cut / 4 => &text[..=at],
        _ => &text[..cut],
    }
}

/// At most `max` bytes from the end, from a line's start if that costs at most a quarter.
fn tail_part(text: &str, max: usize) -> &str {
    let mut cut = text.len().saturating_sub(max);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    let tail = &text[cut..];
    match tail.find('\n') {
        Some(at) if at < tail.len() / 4 => &tail[at + 1..],
        _ => tail,
    }
}

/// The greatest character boundary that is not above `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut cut = at.min(text.len());
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        assert_eq!(head_and_tail("", 0), "");
        assert_eq!(head_and_tail("a\nb\n", 4), "a\nb\n");
    }

    #[test]
    fn a_long_text_keeps_both_ends_and_says_what_is_missing() {
        let text = (0..1000).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n") + "\n";
        let excerpt = head_and_tail(&text, 400);
        assert!(excerpt.len() <= 400, "{}", excerpt.len());
        assert!(excerpt.starts_with("line 0\n"), "{excerpt}");
        assert!(excerpt.ends_with("line 999\n"), "{excerpt}");
        let marker = excerpt.lines().find(|line| line.starts_with("[tdd: ")).unwrap();
        let kept = excerpt.lines().count() - 1;
        assert!(marker.contains(&format!("on {} lines left out", 1000 - kept)), "{marker} {kept}");
    }

    /// Rust says the same words of every test: where it says them is what tells tests apart.
    #[test]
    fn of_the_same_words_those_of_the_test_s_own_place_count() {
        let lines = [
            "test ac_1_3 ... FAILED",
            "thread 'ac_1_3' panicked at tests/ac_1_3.rs:4:5:",
            "assertion `left == right` failed",
            "",
            "thread 'ac_1_2' panicked at tests/ac_1_2.rs:10:5:",
            "assertion `left == right` failed",
            "  left: 1",
        ]
        .map(str::to_owned);
        let said = "assertion `left == right` failed";
        let of =
            |anchors: &[&str]| focus(&lines, &anchors.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&[said, "ac_1_2", "tests/ac_1_2.rs:10"]), Some(5));
        assert_eq!(of(&[said, "ac_1_3", "tests/ac_1_3.rs:4"]), Some(2));
        assert_eq!(of(&[said, "ac_1_2"]), Some(5), "no place is known");
        assert_eq!(of(&[said]), Some(2));
        assert_eq!(of(&["never said", "ac_1_2"]), Some(4));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn no_bound_cuts_a_character_or_is_passed() {
        let text = "äöü€🦀\n".repeat(50);
        for max in 0..300 {
            let excerpt = head_and_tail(&text, max);
            assert!(excerpt.len() <= max, "{max}: {}", excerpt.len());
        }
    }
}
