//! Plain lines for a stderr that is no terminal.
