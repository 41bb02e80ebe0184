//! What is printed after a run that went through (contract section 13).
