//! Which model each role asks for, if any is asked for.

/// No model is asked for.
pub(super) fn are_none(models: &[Option<String>; 3]) -> bool {
    models.iter().all(Option::is_none)
}
