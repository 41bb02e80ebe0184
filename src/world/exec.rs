//! `tdd __exec`: checks, prepares and execs, so that a failure to start is a real error.
