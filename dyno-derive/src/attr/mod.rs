//! What the user wrote, with its spans: attributes parsed, nothing decided. `model` says what it means.

mod entities;
mod entity;
mod field;
mod index;
mod keyword;
mod projection;
mod slot;

pub(crate) use entities::{EntitiesAttrs, EntitiesVariantAttrs};
pub(crate) use entity::{ContainerAttrs, HistoryAttr, IdempotencyAttr, KeyAttr, TombstoneAttr};
pub(crate) use field::{DefaultAttr, FieldAttrs, RatchetAttr, VariantAttrs, WriteIdAttr};
pub(crate) use index::{IndexAttr, ProjectionAttr, SideAttr};
pub(crate) use projection::ProjectionAttrs;
pub(crate) use slot::{Slot, Spanned};
