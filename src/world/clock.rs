//! The system's clocks.
