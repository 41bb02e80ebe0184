//! Reports of test runners, one file per format.
