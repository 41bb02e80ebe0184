//! The hand-off block (contract section 8).
