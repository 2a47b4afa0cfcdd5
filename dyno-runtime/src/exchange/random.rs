//! Random bits of the system's: for names that no other process takes, and for nonces.

use crate::Error;
use crate::error::ErrorKind;

/// As many random bytes.
pub(crate) fn bytes<const BYTES: usize>() -> Result<[u8; BYTES], Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Service, format!("the system gave no random bits: {error}")))?;
    Ok(bytes)
}

/// A name that nothing else has: 96 random bits. `-` stands where a transaction's identity has its lane.
pub(crate) fn name() -> Result<String, Error> {
    Ok(format!("-{}", text::<12>()?))
}

/// As many random bytes, as text.
pub(crate) fn text<const BYTES: usize>() -> Result<String, Error> {
    Ok(aws_smithy_types::base64::encode(bytes::<BYTES>()?))
}
