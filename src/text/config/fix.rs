//! The table `fix:` of `tdd.yaml`, and the key `code` that says what somebody writes.

use tdd_core::fix::Writes;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::Table;

/// What is set for `tdd fix`; what was left out is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixSetting {
    /// Shell commands, in the order in which they run.
    pub checks: Vec<String>,
    /// 0 to [`MOST_RETRIES`].
    pub max_retries: Option<u8>,
    /// Of one type check, in milliseconds.
    pub type_deadline_ms: Option<u64>,
    /// Of one run of tests or of another command, in milliseconds.
    pub test_deadline_ms: Option<u64>,
}

/// More rounds than anybody waits for.
pub const MOST_RETRIES: u8 = 20;

pub(super) fn read(top: &Table<'_>) -> Result<FixSetting, Trouble> {
    let Some(table) = top.table("fix")? else { return Ok(FixSetting::default()) };
    table.only(&["checks", "max_retries", "type_deadline", "test_deadline"])?;
    let checks = table.words("checks")?;
    if checks.iter().any(|check| check.contains('\0')) {
        return Err(table.wrong("checks", "it holds a NUL character", "Write plain shell commands."));
    }
    Ok(FixSetting {
        checks,
        max_retries: table.number("max_retries", 0..=MOST_RETRIES)?,
        type_deadline_ms: table.duration("type_deadline")?,
        test_deadline_ms: table.duration("test_deadline")?,
    })
}

pub(super) fn code(setting: &Table<'_>) -> Result<Writes, Trouble> {
    Ok(Writes::from(setting.flag("code")?.unwrap_or(true)))
}
