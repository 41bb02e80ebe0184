//! Masks secrets (contract section 11).
