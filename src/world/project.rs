//! Finds the repository, the project and its requirements (contract sections 2 and 3).
