//! What nobody can guess.

use tdd_core::trouble::Trouble;

/// Random bytes of the system's.
pub fn bytes<const COUNT: usize>() -> Result<[u8; COUNT], Trouble> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|error| {
        Trouble::environment("the system gives no random bytes")
            .because(error.to_string())
            .advise("see whether `head -c 8 /dev/urandom` works here")
    })?;
    Ok(bytes)
}
