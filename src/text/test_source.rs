//! Names and bodies of tests, read from their source without running it.
