//! Lines that are made to fit so many columns.

use unicode_width::UnicodeWidthChar as _;

/// Prose in rows of so many columns, broken between words where there are any.
pub(super) fn folded(text: &str, cols: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    // What a line begins with stays before its first word.
    let indent: String = text.chars().take_while(|one| *one == ' ').collect();
    let mut row = indent;
    for word in text.split_whitespace() {
        let is_first = row.trim().is_empty();
        let more = if is_first { word.to_owned() } else { format!(" {word}") };
        if !is_first && width(&row) + width(&more) > cols {
            rows.push(std::mem::replace(&mut row, word.to_owned()));
        } else {
            row.push_str(&more);
        }
        let mut parts = wrapped(&row, cols);
        row = parts.pop().unwrap_or_default();
        rows.extend(parts);
    }
    rows.push(row);
    rows
}

/// The first of these rows, with a sign where some were left out.
pub(super) fn shortened(mut rows: Vec<String>, most: usize) -> Vec<String> {
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            // One column less, so that the sign has room.
            last.pop();
            last.push('…');
        }
    }
    rows
}

/// As much of a line as fits into so many columns, with a sign where it was cut.
pub(super) fn cut(line: &str, cols: usize) -> String {
    if width(line) <= cols {
        return line.to_owned();
    }
    let first = wrapped(line, cols.saturating_sub(1)).into_iter().next().unwrap_or_default();
    format!("{first}…")
}

fn width(text: &str) -> usize {
    text.chars().map(|one| one.width().unwrap_or(0)).sum()
}

/// A line in rows of so many columns; one that is too long is broken between words, or where it is full.
pub(super) fn wrapped(line: &str, cols: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut row, mut used) = (String::new(), 0);
    for one in line.chars() {
        let text = if one == '\t' { "    ".to_owned() } else { one.to_string() };
        let more = width(&text);
        if used + more > cols && used > 0 {
            // The words that fit; of a row with one long word at its end all that fits.
            let at = row.rfind(' ').filter(|at| one != ' ' && width(&row[..*at]) * 2 > cols);
            let rest = at.map(|at| row.split_off(at + 1)).unwrap_or_default();
            rows.push(std::mem::replace(&mut row, rest));
            used = width(&row);
            if one == ' ' {
                continue;
            }
        }
        used += more;
        row.push_str(&text);
    }
    rows.push(row);
    rows
}

/// A line in rows whose first begins where its text does: behind its number or key.
pub(super) fn hung(line: &str, cols: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let gap = rest.find("  ").map_or(0, |at| rest.len() - rest[at..].trim_start_matches(' ').len());
    let room = cols.saturating_sub(indent + gap).max(1);
    let (sign, text) = line.split_at(indent + gap);
    let rows = wrapped(text, room).into_iter().enumerate();
    rows.map(
        |(at, row)| {
            if at == 0 { format!("{sign}{row}") } else { format!("{}{row}", " ".repeat(indent + gap)) }
        },
    )
    .collect()
}

/// A line with less of what only fills it, where it is too long: rules at its ends, gaps in its middle. The same
/// line where that is not enough.
pub(super) fn squeezed(line: &str, cols: usize) -> String {
    const FILLS: [char; 6] = ['=', '_', '-', '*', '─', '━'];
    /// What stays of a rule.
    const LEAST: usize = 3;
    let over = width(line).saturating_sub(cols);
    if over == 0 {
        return line.to_owned();
    }
    let run = |of: &mut dyn Iterator<Item = char>| {
        let mut of = of.peekable();
        let first = of.peek().copied().filter(|first| FILLS.contains(first));
        first.map_or(0, |first| of.take_while(|one| *one == first).count()).saturating_sub(LEAST)
    };
    let (left, right) = (run(&mut line.chars()), run(&mut line.chars().rev()));
    let count = line.chars().count();
    let of_right = right.min(over.div_ceil(2).max(over.saturating_sub(left)));
    let of_left = left.min(over - of_right);
    let kept: String = line.chars().skip(of_left).take(count.saturating_sub(of_left + of_right)).collect();
    // The longest gap behind the first word.
    let start = kept.len() - kept.trim_start().len();
    let gaps = kept[start..].split(|one: char| one != ' ').map(str::len);
    let Some(longest) = gaps.max().filter(|gap| *gap > 2 && width(&kept) > cols) else {
        return if width(&kept) <= cols { kept } else { line.to_owned() };
    };
    let less = longest.saturating_sub(width(&kept) - cols).max(2);
    let shorter = kept[start..].replacen(&" ".repeat(longest), &" ".repeat(less), 1);
    let shorter = format!("{}{shorter}", &kept[..start]);
    if width(&shorter) <= cols { shorter } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_fills_a_line_gives_way_and_nothing_else() {
        let filled = format!("{} FAILURES {}", "=".repeat(35), "=".repeat(35));
        let want = format!("{} FAILURES {}", "=".repeat(25), "=".repeat(25));
        assert_eq!(squeezed(&filled, 60), want);
        assert_eq!(squeezed(&"=".repeat(80), 60), "=".repeat(60));
        let progress = format!("F.{}[100%]", " ".repeat(72));
        assert_eq!(squeezed(&progress, 60), format!("F.{}[100%]", " ".repeat(52)));
        for whole in ["short", "    indented code that is longer than the line", &"x".repeat(80)] {
            assert_eq!(squeezed(whole, 20), whole);
        }
    }

    #[test]
    fn a_long_line_is_broken_between_words() {
        let rows = |line| wrapped(line, 12);
        assert_eq!(rows("rounded down to cents"), ["rounded down", "to cents"]);
        assert_eq!(rows("a word-that-is-long"), ["a word-that-", "is-long"]);
        assert_eq!(wrapped("rounded down to cents", 14), ["rounded down ", "to cents"]);
        assert_eq!(rows(""), [""]);
        assert_eq!(hung("  1   go on after an edit", 18), ["  1   go on after ", "      an edit"]);
    }
}
