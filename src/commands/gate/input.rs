//! What a hook or a tool is given on stdin, bounded in size and in time: who holds the pipe open would hold the agent.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

/// What an agent writes of one call of a tool, file contents included.
const LARGEST: u64 = 16 << 20;
/// An agent writes its call at once, and gives a hook a minute at least.
const LONGEST: Duration = Duration::from_secs(30);

/// All of stdin, or why it can't be read.
pub(super) fn read() -> Result<Vec<u8>, String> {
    read_within(std::io::stdin(), LONGEST)
}

fn read_within(input: impl Read + Send + 'static, longest: Duration) -> Result<Vec<u8>, String> {
    let (send, whole) = mpsc::channel();
    // Nobody waits for it where the input does not end; it ends with the process.
    let reading = std::thread::Builder::new().name("tdd-stdin".to_owned()).spawn(move || {
        let mut bytes = Vec::new();
        let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
        let _ = send.send(read.map(|_| bytes));
    });
    if let Err(error) = reading {
        return Err(format!("no thread can be started: {error}"));
    }
    let bytes = match whole.recv_timeout(longest) {
        Ok(read) => read.map_err(|error| error.to_string())?,
        Err(_) => return Err(format!("its input did not end within {} s", longest.as_secs())),
    };
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it has more than {} MiB", LARGEST >> 20));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_that_does_not_end_is_waited_for_no_longer_than_said() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"{ \"half\":").unwrap();
        let said = read_within(reader, Duration::ZERO);
        assert_eq!(said, Err("its input did not end within 0 s".to_owned()));
        drop(writer);
    }

    #[test]
    fn input_is_read_to_its_end_and_no_further_than_the_bound() {
        let longest = Duration::from_mins(1);
        assert_eq!(read_within(&b"{}"[..], longest), Ok(b"{}".to_vec()));
        let huge = std::io::repeat(b' ');
        assert_eq!(read_within(huge, longest), Err("it has more than 16 MiB".to_owned()));
    }
}
