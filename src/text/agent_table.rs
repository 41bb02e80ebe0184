//! An agent as a table: how to start it and where its words are found.
