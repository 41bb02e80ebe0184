//! Carries out one effect after the other until there is none.
