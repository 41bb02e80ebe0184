//! What a panic comes to: the program ends at once with an internal error (contract section 2), and says so.
//!
//! Nothing is unwound, whatever the program was built for: a release is built without what unwinding takes. What a run
//! has at work then is ended and put right as after a SIGKILL: by its session's leader, and by the next command.
//! Whoever has to put something back before the message, a terminal that is raw, does it in a hook of its own that calls
//! the one before it.

use std::panic;

use crate::exit::Exit;
use crate::view::print;

const ADVICE: &str = "tdd: a bug in tdd ended it: the panic above\n\
    next: nothing that was written down is lost: `tdd status` tells of a run, `tdd resume` goes on with it. Please \
    report the bug with the lines above, and with `tdd log` if a run was at work";

/// From now on a panic ends the program with its message and what to do.
pub fn ends_the_program() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        before(info);
        print::message(ADVICE);
        end(Exit::Internal.code());
    }));
}

/// From now on a panic ends the program by this answer, its exit code, and by no word of its own.
pub fn is_answered_by(answer: impl Fn() -> u8 + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |_| end(answer())));
}

#[expect(clippy::disallowed_methods, reason = "after a bug nothing of ours is asked any more")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::process::Command;

    use super::*;

    /// The test itself, in a process of its own: there it is the bug.
    #[expect(clippy::disallowed_methods, reason = "a test starts itself")]
    pub(crate) fn of_its_own(test: &str) -> Option<(i32, String)> {
        if std::env::var_os("TDD_TEST_BUG").is_some() {
            return None;
        }
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env("TDD_TEST_BUG", "1")
            .output()
            .unwrap();
        Some((ran.status.code().unwrap(), String::from_utf8(ran.stderr).unwrap()))
    }

    #[test]
    fn ac_tdd_6_48_a_bug_ends_the_program_with_70_and_says_what_to_do() {
        let Some((code, said)) =
            of_its_own("bug::tests::ac_tdd_6_48_a_bug_ends_the_program_with_70_and_says_what_to_do")
        else {
            ends_the_program();
            // In a thread, too: nobody waits for one that is gone.
            let _ = std::thread::Builder::new()
                .spawn(|| panic!("as a slice out of its bounds does"))
                .unwrap()
                .join();
            unreachable!("the program has ended");
        };
        assert_eq!(code, 70, "{said}");
        assert!(said.contains("as a slice out of its bounds does"), "{said}");
        assert!(said.contains("a bug in tdd") && said.contains("report"), "{said}");
        assert!(!said.contains("the program has ended"), "{said}");
    }
}
