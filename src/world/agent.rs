//! The generic agent adapter.
