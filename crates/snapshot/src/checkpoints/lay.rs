//! A snapshot laid out in a folder of ours.

use std::path::Path;

use super::edit::{Permissions, Tree};
use super::git::Git;
use super::listing::{Batch, Listed};
use super::private::disk;
use tdd_core::trouble::Trouble;

/// The longest target of a link.
const LONGEST_LINK: u64 = 64 << 10;

/// Writes all files into `to`. Submodules are left out: no snapshot holds their files.
pub(super) fn lay(git: &Git, files: &[Listed], to: &Path) -> Result<(), Trouble> {
    let tree = Tree::open(to).map_err(|error| disk(to, &error))?;
    let files: Vec<&Listed> = files.iter().filter(|file| file.mode != "160000").collect();
    let mut batch = Batch::start(git, files.iter().map(|file| file.object.clone()).collect())?;
    for file in files {
        let done = if file.mode == "120000" {
            let target = batch.bytes(&file.object, LONGEST_LINK)?;
            tree.put_link(&file.path, &target)
        } else {
            let permissions =
                if file.mode == "100755" { Permissions::Executable } else { Permissions::Plain };
            let mut read = Ok(());
            let put = tree.put_file(&file.path, permissions, |out| {
                read = batch.copy(&file.object, out);
                Ok(())
            });
            read?;
            put
        };
        done.map_err(|error| disk(to, &error))?;
    }
    Ok(())
}
