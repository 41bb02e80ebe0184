//! `tdd.yaml`: what a person may set (contract section 5).
