//! From an attempt that returned to findings: diff, protect, run, compare.
