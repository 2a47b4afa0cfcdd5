//! Sealed cursors. Only a program that has the key can read or change the key attributes in a sealed cursor. (The cipher is
//! XChaCha20-Poly1305. Its nonces of 24 random bytes never repeat in practice.)

#[cfg(not(feature = "sealed-cursors"))]
mod none {
    use crate::error::Error;
    use crate::key::Asked;

    /// A type without values, because no cursor is sealed without the feature.
    #[derive(Clone)]
    pub(crate) enum Seal {}

    impl Seal {
        pub(crate) fn seal(&self, _: Asked, _: &[u8]) -> Result<Vec<u8>, Error> {
            match *self {}
        }

        pub(crate) fn open(&self, _: Asked, _: &[u8]) -> Option<Vec<u8>> {
            match *self {}
        }
    }
}

#[cfg(not(feature = "sealed-cursors"))]
pub(crate) use none::Seal;

#[cfg(feature = "sealed-cursors")]
pub(crate) use keyed::Seal;

#[cfg(feature = "sealed-cursors")]
mod keyed {
    use crate::error::{Error, ErrorKind};
    use crate::exchange::repository::random;
    use crate::key::Asked;
    use chacha20poly1305::aead::{Aead as _, Payload};
    use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};

    const NONCE_BYTES: usize = 24;

    /// A key that seals and opens cursors.
    #[derive(Clone)]
    pub(crate) struct Seal(XChaCha20Poly1305);

    impl Seal {
        pub(crate) fn new(key: [u8; 32]) -> Self {
            Self(XChaCha20Poly1305::new(&key.into()))
        }

        /// Returns the nonce, followed by the sealed text. It can be opened only for the same query or scan.
        pub(crate) fn seal(&self, asked: Asked, text: &[u8]) -> Result<Vec<u8>, Error> {
            let nonce = random::bytes::<NONCE_BYTES>()?;
            let payload = Payload { msg: text, aad: asked.bytes() };
            let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
            let sealed = sealed.map_err(|_| Error::new(ErrorKind::Service, "the cursor could not be sealed"))?;
            Ok([&nonce[..], &sealed].concat())
        }

        /// Returns the text, if this key sealed it for the same query or scan.
        pub(crate) fn open(&self, asked: Asked, sealed: &[u8]) -> Option<Vec<u8>> {
            let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
            self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: asked.bytes() }).ok()
        }
    }
}
