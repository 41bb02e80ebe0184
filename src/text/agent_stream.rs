//! What agents print in their structured output.
