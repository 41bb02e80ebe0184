//! What the person meant: flags, `tdd.yaml` and environment, validated.
