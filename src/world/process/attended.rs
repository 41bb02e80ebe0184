//! A started child with all that is needed to attend it: the same for terminal, pipe and file.

use crate::driver::session::{Child, Happening};

/// A child that was started by us, on a terminal, a pipe or a file.
#[derive(Debug)]
pub struct Attended {}

impl Child for Attended {
    async fn next(&mut self) -> Happening {
        std::future::pending().await
    }
    fn interrupt(&mut self) {}
    fn terminate(&mut self) {}
    fn kill(&mut self) {}
    fn sweep(&mut self) -> usize {
        0
    }
}
