//! What a scripted agent does (`fixtures/cassettes`).
