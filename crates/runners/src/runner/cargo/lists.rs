//! Asks test binaries which tests they hold.
//!
//! Each command starts a sandbox of its own, which costs more than most lists; so the binaries of one
//! package are asked by one command. What one of them could do to another's list, it could do only
//! to have a test missed, and a test that is missed is missed by whoever compares.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::targets::Binary;
use super::{Cargo, Trial};
use crate::command_line::quote;
use crate::runner::verification::{Step, Verification, read_capped};
use crate::test_report::{REPORT_CAP, libtest};
use tdd_core::trouble::Trouble;

/// Binaries that one command asks: an argument has room for 128 KiB.
const AT_ONCE: usize = 100;

/// The lists by the binaries' paths; a binary that gives none is not among them.
pub(super) type Lists = BTreeMap<PathBuf, Vec<String>>;

impl Cargo {
    pub(super) async fn lists(
        &self,
        binaries: &[&Binary],
        trial: &Trial<'_>,
        verification: &mut Verification,
    ) -> Result<Lists, Trouble> {
        // What differs in their environment differs between packages.
        let mut groups: BTreeMap<(&str, bool), Vec<&Binary>> = BTreeMap::new();
        for binary in binaries {
            groups.entry((&binary.package_id, binary.is_proc_macro)).or_default().push(binary);
        }
        let mut lists = Lists::new();
        for group in groups.values().flat_map(|group| group.chunks(AT_ONCE)) {
            let Some(first) = group.first() else { continue };
            let out = verification.fresh("lists");
            let script = self.script(group, &out);
            let argv = ["sh".into(), "-c".into(), script.into()].to_vec();
            verification.run(Step { argv, ..trial.environment.step(first) }).await?;
            for (index, binary) in group.iter().enumerate() {
                let [list, exit] = paths(&out, index).map(|path| read_capped(&path, REPORT_CAP));
                let is_well = matches!(exit, Ok(Some(exit)) if exit == b"0\n");
                let names = list.ok().flatten().filter(|_| is_well).and_then(|list| libtest::listed(&list));
                lists.extend(names.map(|names| (binary.executable.clone(), names)));
            }
        }
        Ok(lists)
    }

    /// A list that does not end is cut by the size of its file.
    fn script(&self, group: &[&Binary], out: &Path) -> String {
        let mut script = "ulimit -f 400000\n".to_owned();
        for (index, binary) in group.iter().enumerate() {
            let [list, exit] = paths(out, index).map(|path| quote(&path.to_string_lossy()));
            let args: Vec<String> = self.options.list_args().iter().map(|arg| quote(arg)).collect();
            let executable = quote(&binary.executable.to_string_lossy());
            let _ = writeln!(script, "{executable} {} > {list}; echo $? > {exit}", args.join(" "));
        }
        script
    }
}

fn paths(out: &Path, index: usize) -> [PathBuf; 2] {
    ["list", "exit"].map(|kind| out.with_extension(format!("{index}.{kind}")))
}
