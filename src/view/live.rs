//! A live display for a terminal.
