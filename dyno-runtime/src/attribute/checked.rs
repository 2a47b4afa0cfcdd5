//! The types of fields that keys and rules use, as generated code names them.
//!
//! Generated code names such a type in several items. If the type lacks a trait, each item would report it. So generated code
//! names the type by one of these aliases, which finds the type by way of its `Kind`. A type without the trait has no kind:
//! then the compiler reports the missing trait, and nothing more about what the alias stands for. The report is the same in
//! each item, and the compiler prints equal reports once.

use super::kind::Kind;
use super::{Attribute, FenceNumber, RatchetToken, Value, VersionNumber, WriteTime};

/// The type `T`, if it can be a field.
pub type Checked<T> = <<T as Attribute>::Kind as Kind>::Of<T>;

/// The type `T`, if it is a value. (It is the same as [`Checked`], without the detour over the trait for fields.)
type CheckedValue<T> = <<T as Value>::Kind as Kind>::Of<T>;

macro_rules! roles {
    ($($(#[$doc:meta])* $alias:ident, $role:ident: $bound:ident $(or $option:ident)?;)*) => {$(
        /// The types of such fields.
        pub trait $role {
            /// The type itself.
            type Itself;
        }

        impl<T: $bound> $role for T {
            type Itself = CheckedValue<T>;
        }

        $(
            impl<T: $bound> $role for $option<T> {
                type Itself = $option<CheckedValue<T>>;
            }
        )?

        $(#[$doc])*
        pub type $alias<T> = <T as $role>::Itself;
    )*};
}

roles! {
    /// The type `T`, if it can be that of a fence.
    CheckedFence, FenceField: FenceNumber;
    /// The type `T`, if it can be that of a ratchet's token.
    CheckedToken, TokenField: RatchetToken;
    /// The type `T`, if it can be that of the time of a write.
    CheckedTime, TimeField: WriteTime or Option;
}

/// The type `T`, if it can be that of a version.
pub type CheckedVersion<T> = <T as VersionNumber>::Of<T>;
