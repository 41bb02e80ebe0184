//! The journal on disk (contract section 11).
