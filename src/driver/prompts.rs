//! What each role is told.
