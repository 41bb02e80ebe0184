//! The processes of the system, read from `/proc`.
//!
//! Grammar of `/proc/PID/stat`, fields separated by blanks:
//!
//! ```text
//! pid (comm) state ppid pgrp session … starttime(22nd) …
//! ```
//!
//! `comm` is chosen by the process and may hold blanks, brackets and line ends, so it ends at the
//! *last* closing bracket of the line; no field after it can hold one.
#![cfg_attr(
    target_os = "linux",
    expect(clippy::disallowed_methods, reason = "the table of processes is read from /proc")
)]

/// One process as it was when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub pid: i32,
    /// Clock ticks after boot; with `pid` it names a process for good, though pids are reused.
    pub started: u64,
    pub life: Life,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Life {
    Alive,
    /// Ended, but not yet waited for.
    Zombie,
}

/// Some fifty numbers and a name of at most 64 bytes.
#[cfg(target_os = "linux")]
const LONGEST_STAT: usize = 2048;

/// All processes that can be seen. Empty where there is no `/proc`.
#[cfg(target_os = "linux")]
pub fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(process)
        .collect()
}

/// One process, if it is there.
#[cfg(target_os = "linux")]
pub fn process(pid: i32) -> Option<Process> {
    use std::io::Read;
    // All processes are looked at after each child, so their lines are read by one call each.
    let mut line = [0_u8; LONGEST_STAT];
    let length = std::fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut line).ok()?;
    parse_stat(&line[..length])
}

/// The children of this process, adopted ones included: much faster than looking at all processes,
/// and empty on a kernel that does not tell them.
#[cfg(target_os = "linux")]
pub fn our_children() -> Vec<Process> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists =
        threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let pids = |list: String| -> Vec<i32> {
        list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    };
    lists.flat_map(pids).filter_map(process).collect()
}

/// Whether a process was started with `NAME=VALUE` in its environment. Not known counts as no.
#[cfg(target_os = "linux")]
pub fn has_variable(pid: i32, assignment: &[u8]) -> bool {
    has_assignment(pid, |one| one == assignment)
}

/// Whether a process was started with a variable whose assignment begins like this.
#[cfg(target_os = "linux")]
pub fn has_variable_like(pid: i32, beginning: &[u8]) -> bool {
    has_assignment(pid, |one| one.starts_with(beginning))
}

/// Whether a process has no environment at all, as in the midst of an exec. Not known counts as no.
#[cfg(target_os = "linux")]
pub fn has_no_environment(pid: i32) -> bool {
    std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| environ.is_empty())
}

#[cfg(target_os = "linux")]
fn has_assignment(pid: i32, fits: impl Fn(&[u8]) -> bool) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(fits))
}

/// Where a process works; `None` also if it may not be known.
#[cfg(target_os = "linux")]
pub fn working_directory(pid: i32) -> Option<std::path::PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The name of a process, chosen by itself: at most 15 bytes of anything.
#[cfg(target_os = "linux")]
pub fn name(pid: i32) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/comm")).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// What a process says that it was called as: its arguments joined by blanks, at most 4 KiB of them.
/// Empty once it is ending.
#[cfg(target_os = "linux")]
pub fn command_line(pid: i32) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(format!("/proc/{pid}/cmdline")).ok()?;
    file.take(4096).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ").trim().to_owned();
    Some(text)
}

/// The program that a process runs, as the system says it; `None` also once it is ending.
#[cfg(target_os = "linux")]
pub fn executable(pid: i32) -> Option<std::path::PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// In which life of which system our process ids are valid: the boot, and the namespace of
/// processes (a container counts its own). `None` where that can't be told.
#[cfg(target_os = "linux")]
pub fn boot() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

#[cfg(not(target_os = "linux"))]
pub fn processes() -> Vec<Process> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub fn our_children() -> Vec<Process> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub fn process(_pid: i32) -> Option<Process> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn has_variable(_pid: i32, _assignment: &[u8]) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn has_variable_like(_pid: i32, _beginning: &[u8]) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn has_no_environment(_pid: i32) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn working_directory(_pid: i32) -> Option<std::path::PathBuf> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn name(_pid: i32) -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn command_line(_pid: i32) -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn executable(_pid: i32) -> Option<std::path::PathBuf> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn boot() -> Option<String> {
    None
}

/// All processes of `table` that descend from `roots`, the roots themselves included.
pub fn with_descendants(table: &[Process], roots: Vec<Process>) -> Vec<Process> {
    let mut found = roots;
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = table.iter().filter(|one| one.parent == parent.pid);
        let new: Vec<Process> = children.filter(|one| !found.contains(one)).copied().collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// Living descendants of a process, itself not included.
pub fn descendants(pid: i32) -> Vec<Process> {
    let table = processes();
    let children = table.iter().filter(|one| one.parent == pid).copied().collect();
    let mut found = with_descendants(&table, children);
    found.retain(|one| one.life == Life::Alive && one.pid != pid);
    found
}

fn parse_stat(stat: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(stat);
    let (pid, _) = text.split_once(' ')?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<i32>().ok();
    let life = match *fields.first()? {
        "Z" | "X" | "x" => Life::Zombie,
        _ => Life::Alive,
    };
    Some(Process {
        pid: pid.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        life,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 4321 3000000 225 18446744073709551615";

    #[test]
    fn a_name_can_hold_anything() {
        for name in ["sh", "a b", ") Z 1 1 1", "((", "x\n7 (y) Z 9 9 9"] {
            let line = format!("12 ({name}) S 3 4 5 {TAIL}\n");
            let want = Process { pid: 12, started: 4321, life: Life::Alive, parent: 3, group: 4, session: 5 };
            assert_eq!(parse_stat(line.as_bytes()), Some(want), "{name:?}");
        }
    }

    #[test]
    fn what_is_no_stat_line_is_no_process() {
        for line in ["", "12", "12 (sh", "12 (sh) S", "12 (sh) S 3 4 5", "x (sh) S 3 4 5 0"] {
            assert_eq!(parse_stat(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn descendants_are_found_through_any_order_and_a_loop_ends() {
        let one = |pid, parent| Process { pid, started: 1, life: Life::Alive, parent, group: 0, session: 0 };
        let table = [one(9, 8), one(8, 7), one(7, 1), one(5, 1), one(6, 4), one(4, 6)];
        let pids = |root: Process| {
            let mut pids: Vec<i32> = with_descendants(&table, vec![root]).iter().map(|p| p.pid).collect();
            pids.sort_unstable();
            pids
        };
        assert_eq!(pids(table[2]), [7, 8, 9]);
        assert_eq!(pids(table[3]), [5]);
        assert_eq!(pids(table[4]), [4, 6]);
    }
}
