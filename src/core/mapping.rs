//! Which tests belong to which criterion (contract section 6).
