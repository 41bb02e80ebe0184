//! Protected files: manifest, check and restore (contract sections 7 and 12).
