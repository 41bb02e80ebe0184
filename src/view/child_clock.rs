//! How long a child has been at work, in words.

use std::time::Duration;

/// A silence that is worth a word.
const SILENT: Duration = Duration::from_secs(10);

/// What time is held against.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// The child's deadline, while there is a child.
    pub(super) wall: Option<Duration>,
    pub(super) idle: Duration,
    pub(super) silent: Duration,
}

impl Clock {
    pub(super) fn words(self, elapsed: Duration) -> String {
        let Some(wall) = self.wall else { return minutes(elapsed) };
        let silent = if self.silent < SILENT {
            String::new()
        } else {
            format!(", silent for {} of {}", minutes(self.silent), minutes(self.idle))
        };
        format!("{} of {}{silent}", minutes(elapsed), minutes(wall))
    }
}

/// `4:05`, or `1:04:05`.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}
