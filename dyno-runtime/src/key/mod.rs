//! Conversion between fields and keys: templates, index keys, windows of sort keys, and DynamoDB's limits on keys and items.

mod index_key;
mod item_and_key_limits;
mod key_equality;
mod query_fingerprint;
mod template;
mod window;

pub(crate) use index_key::{add_index_key_changes, check_index_keys, defaults_in_keys, insert_index_keys};
pub(crate) use item_and_key_limits::{
    PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_bytes, check_certain_size, check_condition, check_item, check_key,
    check_keys, check_size, check_value, item_size,
};
pub(crate) use key_equality::{Identity, distinct, identity_text};
pub(crate) use query_fingerprint::{Asked, Fingerprint};
pub(crate) use template::{
    Part, build_key, check_field, error_context, field_text, key_copies, key_names, key_of, key_text, key_value,
    matches_templates,
};
pub use template::{check_templates, insert_templates};
pub(crate) use window::{SortTerm, Window};
