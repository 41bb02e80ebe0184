//! What every runner's adapter does.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use super::place::Place;
use super::scope::Scope;
use super::verification::{Measured, Verification};
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Isolation, Observer, Recalled};
use tdd_core::trouble::Trouble;

/// A verification under way.
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<Measured, Trouble>> + 'a>>;

/// One project's tests, run by one runner.
pub(super) trait Adapter: Debug {
    /// Runs what the scope chooses.
    fn run<'a>(
        &'a mut self,
        at: (&'a Place, &'a Scope),
        wish: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a>;

    /// The command that runs these files, for a person to type.
    fn selection(&self, place: &Place, files: &[RelPath]) -> String;

    /// Whether a file that does not load hides others.
    fn isolation(&self) -> Isolation {
        Isolation::PerFile
    }

    /// Whether it can run a file's tests without all others.
    fn can_choose(&self) -> bool {
        true
    }

    /// Why it would never run what is declared by this name (`Class::test`), though it looks like a test.
    fn never_runs(&self, _name: &str, _source: &str) -> Option<&'static str> {
        None
    }

    /// What an earlier process of the run knew.
    fn recall(&mut self, _recalled: &Recalled, _place: &Place) {}

    /// The command for all tests, where it is wider than the person's own.
    fn whole(&self) -> Option<String> {
        None
    }

    /// The command that runs all tests and goes on where some can't be loaded, where a flag says so.
    fn everything(&self, _place: &Place) -> Option<String> {
        None
    }
}
