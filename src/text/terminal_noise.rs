//! Removes what a terminal adds to a text: escapes, carriage returns, padding.
