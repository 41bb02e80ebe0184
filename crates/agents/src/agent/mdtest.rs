//! The Markdown test of a criterion, in the isolation of its run.
//!
//! A copy of the test lies in a folder of its own outside the repository, with its log beside it: what
//! a role may not see is masked for the tester too, and nothing of it comes into the tree.
#![expect(clippy::disallowed_methods, reason = "the test and its log lie on the disk")]

use std::fs;
use std::path::Path;

use super::TableAgents;
use super::exchange::{make_folder, unwritable};
use crate::mdtest::discovery::Test;
use crate::mdtest::{News, Suite};
use tdd_child::regular_file;
use tdd_core::audience;
use tdd_core::ports::{MdtestOrder, MdtestReport, Observer};
use tdd_core::trouble::Trouble;
use tdd_spec::mdtest::SUFFIX;

/// Bytes of a log that are kept with the run.
const MOST: u64 = 1 << 20;

impl TableAgents {
    pub(super) async fn carry_out(
        &self,
        order: &MdtestOrder,
        observer: Observer<'_>,
    ) -> Result<MdtestReport, Trouble> {
        let root = &self.setup.exchange_root;
        let folder = make_folder(root)
            .and_then(|()| tempfile::Builder::new().prefix("mdtest-").tempdir_in(root))
            .map_err(|error| unwritable(root, &error))?;
        let path = folder.path().join(format!("{}{SUFFIX}", order.criterion.slug()));
        fs::write(&path, &order.text).map_err(|error| unwritable(&path, &error))?;
        let suite = Suite {
            tests: vec![Test { name: order.test.clone(), path, obstacle: None, print: None }],
            tasks: self.tasks(folder.path().to_owned()),
            limits: order.limits,
            raw: self.setup.logs.join("mdtest"),
            jobs: 1,
        };
        let mut tell = |news| match news {
            News::Note(text) => observer(audience::News::Note(text)),
            News::Began { .. } | News::Ended { .. } => {}
        };
        let (results, trouble) = suite.run(&mut tell).await;
        match (results.outcomes.into_iter().next(), trouble) {
            (_, Some(trouble)) => Err(trouble),
            (None, None) => Err(Trouble::internal("a Markdown test had no outcome")),
            (Some(outcome), None) => Ok(MdtestReport {
                status: outcome.status,
                voice: outcome.voice,
                reason: outcome.reason,
                log: read(Path::new(&outcome.log)),
            }),
        }
    }
}

/// A regular file's head; whatever else is in its place was told by the outcome.
fn read(log: &Path) -> Option<Vec<u8>> {
    regular_file::head_of(regular_file::open(log).ok()?, MOST).ok()
}
