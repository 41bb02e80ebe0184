//! Snapshots of the work tree as git objects (contract section 7).
