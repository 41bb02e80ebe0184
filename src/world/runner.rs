//! Test runners, one file each.
