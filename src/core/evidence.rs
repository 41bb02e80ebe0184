//! Whether a run is evidence at all (contract section 7).
