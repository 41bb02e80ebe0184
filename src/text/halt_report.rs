//! The halt report, as text and as JSON (contract section 10).
