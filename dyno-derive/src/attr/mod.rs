//! The attributes that the user wrote, parsed with their spans but not interpreted. `lower` gives them their meaning.
//!
//! Each word is declared once, in a `words!` of `container`, `field`, `index` or `lists`. `words` reads such declarations,
//! and `entry` reads values.

mod container;
mod entry;
mod field;
pub(crate) mod foreign;
mod index;
mod lists;
mod words;

pub(crate) use container::{
    ContainerAttrs, DocumentAttrs, EntityAttr, HistoryAttr, IdempotencyAttr, KeyAttr, TombstoneAttr, UniqueAttr,
};
pub(crate) use entry::CratePath;
pub(crate) use field::{
    DefaultAttr, FieldAttrs, KeyMark, MemberAttrs, RatchetAttr, VariantAttrs, VersionAttr, WriteIdAttr,
};
pub(crate) use index::{IndexAttr, ProjectedAttr, SideAttr};
pub(crate) use lists::{AggregateAttrs, EntitiesAttrs, ListedAttrs, ProjectedFieldAttrs, ProjectionAttrs};
pub(crate) use words::{Slot, Words, read_attributes};
