//! Attributes that can be read and not written, such as a time that is finer than the format of its field. If an item is compared with
//! a changed one, they are left out of its encoded form, so that the other attributes can be compared.

use std::cell::RefCell;

thread_local! {
    /// The names of the attributes that were left out, while `leaving_out` runs.
    static LEFT_OUT: RefCell<Option<Vec<&'static str>>> = const { RefCell::new(None) };
}

/// Ends `leaving_out`, also if the encoder panics.
struct Scope;

impl Drop for Scope {
    fn drop(&mut self) {
        LEFT_OUT.with_borrow_mut(|names| *names = None);
    }
}

/// Encodes an item without the attributes that cannot be encoded, and returns their names.
pub(crate) fn leaving_out<T>(encode: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    LEFT_OUT.with_borrow_mut(|names| *names = Some(Vec::new()));
    let scope = Scope;
    let encoded = encode();
    let names = LEFT_OUT.with_borrow_mut(Option::take).unwrap_or_default();
    drop(scope);
    (encoded, names)
}

/// Returns true if the encoder may go on without this attribute, which cannot be encoded.
#[cold]
pub(crate) fn is_left_out(name: &'static str) -> bool {
    LEFT_OUT.with_borrow_mut(|names| names.as_mut().map(|names| names.push(name)).is_some())
}
