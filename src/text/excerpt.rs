//! Head and tail of a long output, with a marker between.
