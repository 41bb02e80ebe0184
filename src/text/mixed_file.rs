//! Which keys of a mixed file differ (contract section 1).
