//! One line of the journal (contract section 11).
