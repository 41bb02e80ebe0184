//! The models that a run's settings ask for.

/// No model is asked for.
pub(super) fn are_none(models: &[Option<String>; 3]) -> bool {
    models.iter().all(Option::is_none)
}
