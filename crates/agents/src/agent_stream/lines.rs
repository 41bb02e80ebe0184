//! Bytes, cut anywhere, into the JSON values of their lines.

use serde_json::Value;

/// The longest line that is read: 16 MiB. A longer one is passed over.
pub const MAX_LINE: usize = 16 << 20;

/// Parts of a line's value; more of them would take a hundred times the line's own memory.
const MAX_PARTS: usize = 1 << 18;

/// How far into a line its first `{` may stand: escape codes of a terminal, no more.
const MAX_NOISE: usize = 256;

/// The line that is being put together.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Keeping,
    /// The line is too long: nothing of it counts.
    PassingOver,
}

impl Lines {
    pub(super) fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(&Value)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (part, after) = rest.split_at(end);
            self.append(part);
            self.finish(each);
            rest = after.get(1..).unwrap_or(&[]);
        }
        self.append(rest);
    }

    /// Reads the line as it is: a killed child ends no line.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(&Value)) {
        if self.state == State::Keeping
            && opens(&self.line)
            && let Some(value) = parse(&self.line)
        {
            each(&value);
        }
        self.line.clear();
        self.line.shrink_to(64 << 10);
        self.state = State::Keeping;
    }

    fn append(&mut self, part: &[u8]) {
        if self.state == State::PassingOver {
            return;
        }
        if self.line.len() + part.len() > MAX_LINE {
            self.line = Vec::new();
            self.state = State::PassingOver;
            return;
        }
        self.line.extend_from_slice(part);
    }
}

/// Whether an object begins on this line, behind no more than noise.
pub(super) fn opens(line: &[u8]) -> bool {
    start(line).is_some()
}

/// The object that begins on this line. What follows it is passed over.
pub(super) fn parse(line: &[u8]) -> Option<Value> {
    let object = line.get(start(line)?..)?;
    // A line has no more parts than bytes, so short ones need not be counted.
    if object.len() > MAX_PARTS && parts(object) > MAX_PARTS {
        return None;
    }
    serde_json::Deserializer::from_slice(object).into_iter::<Value>().next()?.ok()
}

/// How many values it holds, about: what separates or opens them outside of texts.
fn parts(json: &[u8]) -> usize {
    let mut count = 0;
    let mut in_text = false;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                bytes.next();
            }
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

fn start(line: &[u8]) -> Option<usize> {
    let head = line.get(..MAX_NOISE.min(line.len()))?;
    let head = head.split(|byte| *byte == b'\n').next()?;
    let at = head.iter().position(|byte| *byte == b'{')?;
    // Words before a brace are prose, not noise; noise is short and begins with an escape.
    let is_noise = head.get(..at)?.iter().all(u8::is_ascii_whitespace)
        || head
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .is_some_and(|byte| *byte < b' ' || *byte >= 0x80);
    is_noise.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, &mut |value| found.push(value.to_string()));
        }
        lines.finish(&mut |value| found.push(value.to_string()));
        found
    }

    #[test]
    fn lines_are_put_together_and_noise_is_passed_over() {
        for (chunks, want) in [
            (vec![&b"{\"a\":1}\n{\"b\":2}\n"[..]], vec!["{\"a\":1}", "{\"b\":2}"]),
            (vec![&b"{\"a\""[..], b":1}\r", b"\n{\"b\":2}"], vec!["{\"a\":1}", "{\"b\":2}"]),
            (vec![&b"\x1b[?25l{\"a\":1}\x1b[0m\r\n"[..]], vec!["{\"a\":1}"]),
            (vec!["\u{feff}{\"a\":1}\n".as_bytes()], vec!["{\"a\":1}"]),
            (vec![&b"warning: {\"a\":1}\nnot json\n[1]\n{\"a\":\n\n"[..]], vec![]),
            (vec![&b"{\"a\":\xff}\n{\"b\":2}\n"[..]], vec!["{\"b\":2}"]),
        ] {
            assert_eq!(read(&chunks), want, "{chunks:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_the_next_one_is_read() {
        let mut endless = vec![b'x'; MAX_LINE];
        endless.splice(0..0, *b"{\"a\":\"");
        let deep = "{\"a\":".repeat(10_000);
        let crowded = format!("{{\"a\":[0{}]}}", ",0".repeat(MAX_PARTS));
        let wordy = format!("{{\"a\":\"{}\"}}", ",\\\"[".repeat(MAX_PARTS));
        let chunks: [&[u8]; 6] =
            [&endless, b"\"}\n{\"b\":2}\n", deep.as_bytes(), b"\n{\"c\":3}\n", crowded.as_bytes(), b"\n"];
        assert_eq!(read(&chunks), ["{\"b\":2}", "{\"c\":3}"]);
        assert_eq!(read(&[wordy.as_bytes()]).len(), 1, "what stands in a text does not count");
    }
}
