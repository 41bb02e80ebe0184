//! A child on a pseudo-terminal.
