//! Random bytes from the operating system, for unique names and for nonces. With the feature `local`, a thread can take them from a
//! seed, so that a test is repeatable.

use crate::Error;
use crate::error::ErrorKind;

/// Returns `BYTES` random bytes.
pub(crate) fn bytes<const BYTES: usize>() -> Result<[u8; BYTES], Error> {
    let mut bytes = [0; BYTES];
    #[cfg(feature = "local")]
    if seeded::fill(&mut bytes) {
        return Ok(bytes);
    }
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Service, format!("the system gave no random bits: {error}")))?;
    Ok(bytes)
}

/// The length of a unique name.
#[cfg(feature = "inspection")]
pub(crate) const UNIQUE_NAME_BYTES: usize = 17;

/// Returns a unique name of 96 random bits. It starts with `-`, and no lane's name does, so it differs from every transaction id.
pub(crate) fn unique_name() -> Result<String, Error> {
    Ok(format!("-{}", text::<12>()?))
}

/// Returns `BYTES` random bytes as text.
pub(crate) fn text<const BYTES: usize>() -> Result<String, Error> {
    Ok(aws_smithy_types::base64::encode(bytes::<BYTES>()?))
}

#[cfg(feature = "local")]
pub(crate) mod seeded {
    use fastrand::Rng;
    use std::cell::RefCell;

    thread_local! {
        static SEEDED: RefCell<Option<Rng>> = const { RefCell::new(None) };
    }

    /// Takes this thread's random bytes from this seed from now on; from the system again, if it is `None`.
    pub(crate) fn seed(seed: Option<u64>) {
        SEEDED.set(seed.map(Rng::with_seed));
    }

    pub(in crate::exchange) fn fill(bytes: &mut [u8]) -> bool {
        SEEDED.with_borrow_mut(|random| random.as_mut().map(|random| random.fill(bytes)).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_name_has_its_length() {
        assert_eq!(unique_name().expect("random bits").len(), UNIQUE_NAME_BYTES);
    }
}
