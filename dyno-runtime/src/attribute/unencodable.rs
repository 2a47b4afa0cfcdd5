//! Values that can be read and not written, such as a time that is finer than the format of its field.
//!
//! If an entity is compared with what was read, each such value is encoded as a *stand-in*, a text that says which value it stands for.
//! So it is compared like any other value, at any depth. No stand-in is written: the stored value takes its place, or the write ends in
//! the error of the value.

use super::Item;
use crate::error::{EncodeError, Step};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cell::Cell;

thread_local! {
    /// Whether any stand-in was made, while `with_stand_ins` runs.
    static ANY: Cell<Option<bool>> = const { Cell::new(None) };
}

/// The beginning of each stand-in. No program stores it.
const MARK: &str = "\0a value that dyno cannot store\0";

/// An entity, encoded with stand-ins.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    pub(crate) item: Item,
    /// Whether the item has a stand-in.
    pub(crate) has_stand_in: bool,
}

/// Ends `with_stand_ins`, also if the encoder panics.
struct Scope;

impl Drop for Scope {
    fn drop(&mut self) {
        ANY.set(None);
    }
}

/// Encodes an item, with a stand-in for each value that cannot be encoded.
pub(crate) fn with_stand_ins(encode: impl FnOnce() -> Result<Item, EncodeError>) -> Result<Encoded, EncodeError> {
    ANY.set(Some(false));
    let _scope = Scope;
    let item = encode()?;
    Ok(Encoded { item, has_stand_in: ANY.get() == Some(true) })
}

/// Returns the text of the stand-in for a value that cannot be encoded. Returns the error if the item is encoded to be written.
#[cold]
pub(crate) fn stand_in_text(error: EncodeError) -> Result<String, EncodeError> {
    if ANY.get().is_none() {
        return Err(error);
    }
    ANY.set(Some(true));
    Ok(format!("{MARK}{}\0{error}", error.value()))
}

/// Returns the stand-in itself.
#[cold]
pub(crate) fn stand_in(error: EncodeError) -> Result<AttributeValue, EncodeError> {
    stand_in_text(error).map(AttributeValue::S)
}

/// Returns `true` if a value is or contains a stand-in.
pub(crate) fn has_stand_in(value: &AttributeValue) -> bool {
    check_stored(value).is_err()
}

/// Returns the error of a value that an item has a stand-in for, if there is one: of the attribute that comes first.
pub(crate) fn check_stand_ins(item: &Item) -> Result<(), EncodeError> {
    sorted::entries(item).try_for_each(|(name, value)| {
        check_text(name)?;
        check_stored(value).map_err(|error| error.at_name(name.clone()))
    })
}

fn check_stored(value: &AttributeValue) -> Result<(), EncodeError> {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => check_text(text),
        AttributeValue::B(bytes) => check_bytes(bytes.as_ref()),
        AttributeValue::Ss(texts) | AttributeValue::Ns(texts) => texts.iter().try_for_each(|text| check_text(text)),
        AttributeValue::Bs(blobs) => blobs.iter().try_for_each(|bytes| check_bytes(bytes.as_ref())),
        AttributeValue::M(members) => check_stand_ins(members),
        AttributeValue::L(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| check_stored(element).map_err(|error| error.at(Step::Index(index)))),
        _ => Ok(()),
    }
}

fn check_bytes(bytes: &[u8]) -> Result<(), EncodeError> {
    std::str::from_utf8(bytes).map_or(Ok(()), check_text)
}

fn check_text(text: &str) -> Result<(), EncodeError> {
    if !text.contains(MARK) {
        return Ok(());
    }
    let error = text.rsplit('\0').next().unwrap_or_default();
    Err(match error.strip_prefix('`').and_then(|error| error.split_once("`: ")) {
        Some((path, problem)) => EncodeError::new(problem.to_owned()).at_name(path.to_owned()),
        None => EncodeError::new(error.to_owned()),
    })
}
