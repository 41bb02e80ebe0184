//! One JSON object a line.
