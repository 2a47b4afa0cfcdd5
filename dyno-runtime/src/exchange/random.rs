//! Random bytes from the operating system, for unique names and for nonces.

use crate::Error;
use crate::error::ErrorKind;

/// Returns `BYTES` random bytes.
pub(crate) fn bytes<const BYTES: usize>() -> Result<[u8; BYTES], Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Service, format!("the system gave no random bits: {error}")))?;
    Ok(bytes)
}

/// The length of a unique name.
pub(crate) const UNIQUE_NAME_BYTES: usize = 17;

/// Returns a unique name of 96 random bits. It starts with `-`, and no lane's name does, so it differs from every transaction id.
pub(crate) fn unique_name() -> Result<String, Error> {
    Ok(format!("-{}", text::<12>()?))
}

/// Returns `BYTES` random bytes as text.
pub(crate) fn text<const BYTES: usize>() -> Result<String, Error> {
    Ok(aws_smithy_types::base64::encode(bytes::<BYTES>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_name_has_its_length() {
        assert_eq!(unique_name().expect("random bits").len(), UNIQUE_NAME_BYTES);
    }
}
