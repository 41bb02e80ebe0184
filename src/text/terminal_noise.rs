//! Terminal noise. (Placeholder of the branch `agents`.)

/// The text without escape codes and carriage returns.
pub fn clean(bytes: &[u8]) -> String {
    let bytes = anstream::adapter::strip_bytes(bytes).into_vec();
    String::from_utf8_lossy(&bytes).replace('\r', "")
}
