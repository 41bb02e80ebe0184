//! One orchestrator per work tree.
