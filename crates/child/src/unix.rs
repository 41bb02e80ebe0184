//! The only unsafe code: what neither std nor rustix offers safely.
//!
//! Each function is a thin cover around one system call; what to do with it is decided elsewhere.
#![expect(unsafe_code, reason = "this is the one place for it")]

pub mod proc_table;

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

/// From now on, orphaned descendants become children of this process, so that they can be
/// found and ended. Doing it twice is fine. Elsewhere than on Linux it does nothing.
pub fn become_subreaper() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Has the system send SIGKILL to this process when the thread that forked it ends. Elsewhere
/// than on Linux it does nothing.
pub fn die_with_parent() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

/// A second descriptor, closed on exec, for what `raw` refers to. `owner` is whoever keeps `raw`
/// open; it is borrowed so that it can't close it meanwhile.
pub fn duplicate<T: ?Sized>(owner: &T, raw: impl FnOnce(&T) -> Option<RawFd>) -> io::Result<OwnedFd> {
    let raw = raw(owner).filter(|raw| *raw >= 0).ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `raw` is no -1, and its owner is borrowed until the end of this function, so it
    // stays open while it is used.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    borrowed.try_clone_to_owned()
}

/// Marks every descriptor above stderr to be closed on exec, whoever opened it.
pub fn close_descriptors_on_exec() -> io::Result<()> {
    let list = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    for entry in std::fs::read_dir(list)? {
        let Some(raw) = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok()) else {
            continue;
        };
        if raw <= 2 {
            continue;
        }
        // SAFETY: `raw` is no -1. The descriptor was open a moment ago and is used for fcntl only,
        // which answers EBADF if it is not any more; nobody's ownership is touched.
        let descriptor = unsafe { BorrowedFd::borrow_raw(raw) };
        if let Ok(flags) = fcntl_getfd(descriptor) {
            fcntl_setfd(descriptor, flags | FdFlags::CLOEXEC)?;
        }
    }
    Ok(())
}

/// Whether this process was started with a signal ignored, as `nohup` does with SIGHUP.
pub fn is_ignored(signal: i32) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action sigaction only writes the present one to `now`, which is valid
    // also if it fails and leaves it all zero.
    let now = unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    now.sa_sigaction == libc::SIG_IGN
}

/// Where [`note_signal`] writes; -1 until then.
static NOTED: AtomicI32 = AtomicI32::new(-1);

/// From now on each arrival of one of these signals is one byte, its number, in `to`, and nothing else.
/// A pipe that is full has signals enough to tell.
pub fn note_signals(signals: &[i32], to: OwnedFd) -> io::Result<()> {
    rustix::io::ioctl_fionbio(&to, true)?;
    // Open for as long as the program runs: a signal may come at any time.
    NOTED.store(to.into_raw_fd(), Ordering::Release);
    for signal in signals {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: all zero is a sound sigaction without flags and mask; `note_signal` does nothing but
        // what a handler may, and is there for as long as the program is.
        let set = unsafe {
            let action = action.assume_init_mut();
            action.sa_sigaction = note_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(*signal, action, std::ptr::null_mut())
        };
        if set != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

extern "C" fn note_signal(signal: libc::c_int) {
    let number = u8::try_from(signal).unwrap_or_default();
    // SAFETY: write is one of the calls that a handler may make; the descriptor is never closed, and the
    // byte lives until the call is over. What it says of an error must not be seen by whom it interrupts.
    unsafe {
        let errno = errno_place();
        let kept = *errno;
        libc::write(NOTED.load(Ordering::Acquire), (&raw const number).cast(), 1);
        *errno = kept;
    }
}

/// Where this thread's `errno` is.
fn errno_place() -> *mut libc::c_int {
    // SAFETY: it only gives an address.
    #[cfg(any(target_os = "linux", target_os = "emscripten"))]
    return unsafe { libc::__errno_location() };
    // SAFETY: it only gives an address.
    #[cfg(not(any(target_os = "linux", target_os = "emscripten")))]
    return unsafe { libc::__error() };
}

/// What Ctrl-Z does where the terminal leaves keys to us. Whoever listens to signals acts on it.
pub fn suspend() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
}

/// Stops this process as SIGTSTP does by itself, and returns when it was continued. Does nothing if
/// nobody could continue it: the system overlooks SIGTSTP for an orphaned process group.
pub fn stop_ourselves() {
    let mut ours = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: `ours` is valid to be written to, and is read only after sigaction has succeeded and
    // so filled it in. SIG_DFL installs no code; raise signals this thread alone, so that it has
    // taken effect before our handler is put back.
    unsafe {
        if libc::sigaction(libc::SIGTSTP, std::ptr::null(), ours.as_mut_ptr()) == 0 {
            libc::signal(libc::SIGTSTP, libc::SIG_DFL);
            libc::raise(libc::SIGTSTP);
            libc::sigaction(libc::SIGTSTP, ours.as_ptr(), std::ptr::null_mut());
        }
    }
}

/// Gives every signal its default disposition and unblocks all: a parent that ignores SIGINT
/// (a background job of a shell) or SIGPIPE (every Rust program) must not hand that on.
pub fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL installs no code. Numbers that don't exist, and SIGKILL and SIGSTOP,
        // are answered with an error that changes nothing.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: the set is initialised by sigemptyset before sigprocmask reads it, and no old
    // set is asked for. The caller is the shim, which has one thread.
    unsafe {
        let mut none = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
}

/// Ignores these signals from now on, and in programs that this process starts.
pub fn ignore_signals(signals: &[i32]) {
    for signal in signals {
        // SAFETY: SIG_IGN installs no code; a number that does not exist is answered with an error.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

/// From now on these signals end this process or stop it as they do any; one that is ignored stays so.
pub fn give_back_signals(signals: &[i32]) {
    for signal in signals.iter().filter(|signal| !is_ignored(**signal)) {
        // SAFETY: SIG_DFL installs no code; a number that does not exist is answered with an error.
        unsafe { libc::signal(*signal, libc::SIG_DFL) };
    }
}

/// Ends this process as a signal does that nobody handles; returns if the signal does not end one.
pub fn end_by(signal: i32) {
    // SAFETY: SIG_DFL installs no code, and the signal is raised in a process that ends by it.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Which side of a fork this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forked {
    Child,
    Parent(rustix::process::Pid),
}

/// Forks this process. The caller is a shim that has one thread.
pub fn fork() -> io::Result<Forked> {
    // SAFETY: with one thread no lock can be held by a thread that the child does not have.
    let pid = unsafe { libc::fork() };
    match (pid, rustix::process::Pid::from_raw(pid)) {
        (0, _) => Ok(Forked::Child),
        (_, Some(child)) if pid > 0 => Ok(Forked::Parent(child)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes over a descriptor that this process was started with, by its number.
pub fn inherited(raw: RawFd) -> io::Result<OwnedFd> {
    if raw <= 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: `raw` is no -1; that it is open is found out by the first use, which changes nothing.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    fcntl_setfd(borrowed, FdFlags::CLOEXEC)?;
    // SAFETY: it is open, and nothing else in this process knows of it: it was handed over by
    // number, and this is the one place that takes it.
    Ok(unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(raw) })
}

/// Replaces this process by `program` with its environment. Returns only if that fails. Other than
/// std's `exec` it does not fall back to a shell for a file of unknown format.
pub fn exec(program: &Path, argv: &[OsString]) -> io::Error {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::from);
    let program = match text(program.as_os_str().as_bytes()) {
        Ok(program) => program,
        Err(error) => return error,
    };
    let argv = match argv.iter().map(|one| text(one.as_bytes())).collect::<io::Result<Vec<_>>>() {
        Ok(argv) => argv,
        Err(error) => return error,
    };
    let mut pointers: Vec<*const libc::c_char> = argv.iter().map(|one| one.as_ptr()).collect();
    pointers.push(std::ptr::null());
    // SAFETY: program and arguments are NUL-terminated and live until the end of this function,
    // and the list of pointers ends with a null pointer.
    unsafe { libc::execv(program.as_ptr(), pointers.as_ptr()) };
    io::Error::last_os_error()
}
