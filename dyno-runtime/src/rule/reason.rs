//! Why a write was refused: the reasons of all rules, for people and for programs.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, format_of};
use crate::error::Context;
use crate::error::shown::value;
use std::fmt;

/// One reason of a [`Refusal`](crate::Refusal).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The ratchet: the item holds a newer token. That says nothing of whether this write was there before: an attempt whose
    /// answer was lost may have been applied, and superseded since.
    Stale {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// The item holds this very token, and a second write with it is not let in: the ratchet is strict, or
        /// the item was deleted by it. It may be this write itself, come twice.
        tie: bool,
    },
    /// The ratchet: the item holds a token from the future, beyond `max_ahead_secs`, and so refuses all writers
    /// until then. Someone's clock or unit was wrong.
    Ahead {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// How far ahead of the clock it is.
        seconds: i64,
    },
    /// The fence: one with a greater number has written the item, so the lock of this write was lost, and is another one's; or
    /// the write is not fenced, and carries an older number. It says nothing of whether this write was there before: an attempt
    /// whose answer was lost may have been applied, before the greater one came.
    Fenced {
        /// The fence's attribute.
        attribute: &'static str,
        /// The write's number.
        fence: u64,
        /// The one that is stored.
        found: u64,
    },
    /// The ratchet or the fence: the item holds a token of another type, so that no comparison ever holds: it is frozen.
    Corrupt {
        /// The attribute with the wrong type.
        attribute: &'static str,
        /// DynamoDB's name of the declared type.
        expected: &'static str,
        /// DynamoDB's name of the stored type.
        found: &'static str,
    },
    /// The ratchet: the stored token is a time in another form of text, which does not sort with the type's own: with other
    /// digits, or an offset. Declare the form that all writers have with `#[attribute(format = "…")]`, or bring the rows
    /// over: `modify_each(|_| {})` stores each token in the type's own form.
    Misspelled {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// What the declared form is like, with a `9` for each digit.
        expected: &'static str,
        /// What is stored, in the same way; `None` if that is no time.
        found: Option<String>,
    },
    /// The version: the item is no longer, or not yet, as the writer knew it.
    Conflict {
        /// The version that the write expected; 0 stands for an item without one.
        expected: u64,
        /// The version that is stored; `None` if there is no item.
        found: Option<u64>,
    },
    /// The put is of version 0, which makes a new item, and the item that is there has no version yet: it is from before
    /// there were versions, or of a writer that does not count. `modify` changes it. A `replace` of version 0 writes over it,
    /// unless another writer has counted since. A put [over what was loaded](crate::command::Put::over) passes if the row is
    /// still what was loaded. `modify_each(|_| {})` of a scan gives each such row a version. It stands beside
    /// [`Exists`](Self::Exists).
    Uncounted {
        /// The version's attribute.
        attribute: &'static str,
    },
    /// The version is the last one that its type can hold.
    Overflow {
        /// The version's attribute.
        attribute: &'static str,
    },
    /// The history holds another revision of this number already, so it is ahead of the table, as after a restore of the
    /// table alone. Restore both, or go on: [`Repair`](crate::command::Repair) gives the item a number behind the newest revision.
    Recorded {
        /// The revision's number.
        version: u64,
    },
    /// The history has no such revision to go back to, or it is a deletion.
    NoRevision {
        /// The number that was asked for.
        version: u64,
    },
    /// The idempotency key: an update with it has been made already. It may be this one, come twice.
    Duplicate,
    /// The idempotency key: the item holds keys from so far ahead of this writer's clock that it must not touch them. Some
    /// clock is off by more than `max_skew_secs`, or the request was under way for that long.
    Behind {
        /// About how far.
        seconds: i64,
    },
    /// A change: there is nothing here to be changed, or to be changed within.
    Absent {
        /// Where.
        path: String,
    },
    /// A change: the number would not fit its type any more.
    OutOfRange {
        /// Where.
        path: String,
    },
    /// A change: the list contains the element already.
    Contained {
        /// Where the list is.
        path: String,
    },
    /// A change: the list does not contain the element.
    NotContained {
        /// Where the list is.
        path: String,
    },
    /// A change: here is another element than was expected, or none.
    OtherElement {
        /// Where.
        path: String,
    },
    /// A change: NULL is here. Where it counts as absent, the change was not made for that, or the other way round; a single
    /// write then makes it anew, so there it is seen beside other reasons only. Where a number must be, another writer has
    /// stored it: set the number.
    Null {
        /// Where.
        path: String,
    },
    /// A change of a part of an attribute, which is still stored under an older name: write the whole item once, or
    /// `modify_each` of them.
    Renamed {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias that it was found under.
        found: &'static str,
    },
    /// An attribute that the write looks at or changes is stored under two of its names, with two values, as a program
    /// leaves it that knows only one of the names: which of them is the later one, nothing says. Set it, or put the item:
    /// that leaves one.
    TwoValues {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias under which the other value is.
        found: &'static str,
    },
    /// The row is of an older schema version, in whose shape the update would leave it: `modify` or put the item, or bring
    /// all rows up to date with `modify_each`.
    Outdated {
        /// The row's schema version.
        found: u32,
        /// The entity's.
        current: u32,
    },
    /// The row is of a schema version that this program does not know: a newer one has written it.
    Newer {
        /// The row's schema version.
        found: u32,
        /// The entity's.
        current: u32,
    },
    /// The item at this key is marked as another entity's: see `type_name` of [`derive@crate::Entity`].
    OtherEntity {
        /// The mark that it has; DynamoDB's name of its type, where that is no text.
        found: String,
    },
    /// There is no item.
    Missing,
    /// There is a live item already.
    Exists,
    /// The item is deleted: a tombstone is there.
    Deleted,
    /// The item's TTL has passed, though DynamoDB has not removed it yet.
    Expired,
    /// The item to undelete is live.
    NotDeleted,
    /// What is there is no longer what was read: the tombstone that was to be purged, or the item that was to be rewritten or
    /// written `over`.
    Changed,
    /// The condition given with the command did not hold. Named only where no rule of the entity refused.
    Condition,
    /// The item that DynamoDB returned gives no reason, or it returned none where one must have been.
    Unexplained,
}

/// Writes a reason as `derive(Debug)` does, but each value cut as [`value`] cuts it.
macro_rules! debug {
    ($reason:expr, $f:expr; $($variant:ident { $($field:ident),* })*) => {
        match $reason {$(
            Self::$variant { $($field),* } => {
                let mut shown = $f.debug_struct(stringify!($variant));
                $(shown.field(stringify!($field), &format_args!("{}", value(&format!("{:?}", $field))));)*
                shown.finish()
            }
        )*}
    };
}

/// A path and a mark have what others have stored, of any length.
impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug! { self, f;
            Stale { attribute, tie }
            Ahead { attribute, seconds }
            Fenced { attribute, fence, found }
            Corrupt { attribute, expected, found }
            Misspelled { attribute, expected, found }
            Conflict { expected, found }
            Uncounted { attribute }
            Overflow { attribute }
            Recorded { version }
            NoRevision { version }
            Duplicate {}
            Behind { seconds }
            Absent { path }
            OutOfRange { path }
            Contained { path }
            NotContained { path }
            OtherElement { path }
            Null { path }
            Renamed { attribute, found }
            TwoValues { attribute, found }
            Outdated { found, current }
            Newer { found, current }
            OtherEntity { found }
            Missing {}
            Exists {}
            Deleted {}
            Expired {}
            NotDeleted {}
            Changed {}
            Condition {}
            Unexplained {}
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { attribute, tie: false } => write!(f, "stale: the stored `{attribute}` is newer"),
            Self::Stale { attribute, tie: true } => write!(f, "stale: `{attribute}` is stored already"),
            Self::Ahead { attribute, seconds } => {
                write!(f, "the stored `{attribute}` is {seconds} seconds ahead of the clock")
            }
            Self::Fenced { attribute, fence, found } => {
                write!(f, "fenced: the stored `{attribute}` is {found}, of a later holder than {fence}")
            }
            Self::Corrupt { attribute, expected, found } => {
                write!(f, "corrupt: the stored `{attribute}` is {found}, not {expected}, and refuses every write")
            }
            Self::Misspelled { attribute, expected, found } => {
                write!(f, "the stored `{attribute}` is ")?;
                let found = found.as_deref();
                match found {
                    Some(found) => write!(f, "a time as `{found}`")?,
                    None => f.write_str("a text that is no time")?,
                }
                write!(f, ", not as `{expected}`, so it is in no order with it: ")?;
                if let Some(format) = found.and_then(format_of) {
                    write!(f, "declare the form that others write with `#[attribute(format = \"{format}\")]`, or ")?;
                }
                f.write_str("bring the rows over with `modify_each`")
            }
            Self::Conflict { expected, found: Some(found) } => {
                write!(f, "conflict: expected version {expected}, found {found}")
            }
            Self::Conflict { expected, found: None } => {
                write!(f, "conflict: expected version {expected}, found no item")
            }
            Self::Uncounted { attribute } => {
                write!(
                    f,
                    "it has no `{attribute}` yet, and a put of version 0 makes a new item: `modify` changes it, `replace` writes over it, and `modify_each(|_| {{}})` of a scan gives each such row a version"
                )
            }
            Self::Overflow { attribute } => write!(f, "`{attribute}` is the last version that its type can hold"),
            Self::Recorded { version } => {
                write!(
                    f,
                    "the history holds another revision {version}: it is ahead of the table, as after a restore of the table alone: restore both, or let `repair` give the item a number behind the newest revision"
                )
            }
            Self::NoRevision { version } => write!(f, "there is no revision {version} to go back to"),
            Self::Duplicate => f.write_str("duplicate: an update with this idempotency key has been made already"),
            Self::Behind { seconds } => {
                write!(
                    f,
                    "the clock is some {seconds} seconds behind another writer's, which is more than `max_skew_secs`"
                )
            }
            Self::Absent { path } => write!(f, "there is no `{}` to be changed", value(path)),
            Self::OutOfRange { path } => write!(f, "`{}` would not fit its type any more", value(path)),
            Self::Contained { path } => write!(f, "`{}` contains the element already", value(path)),
            Self::NotContained { path } => write!(f, "`{}` does not contain the element", value(path)),
            Self::OtherElement { path } => write!(f, "`{}` is not the expected element", value(path)),
            Self::Null { path } => write!(f, "`{}` is NULL, or was when it was looked at", value(path)),
            Self::Renamed { attribute, found } => {
                write!(
                    f,
                    "`{attribute}` is still stored as `{found}`, and a part of it cannot be moved: write the item once"
                )
            }
            Self::TwoValues { attribute, found } => {
                write!(
                    f,
                    "`{attribute}` has another value under its alias `{found}`, where a program has written it that knows one of the names only: set `{attribute}`, or put the item"
                )
            }
            Self::Outdated { found, current } => {
                write!(
                    f,
                    "the row is of schema version {found}, not {current}: `modify` or put it, or update all rows first"
                )
            }
            Self::Newer { found, current } => {
                write!(
                    f,
                    "the row is of schema version {found}, and this program knows up to {current}: deploy the newer one"
                )
            }
            Self::OtherEntity { found } => {
                write!(f, "the item is another entity's: it is marked \"{}\"", value(found))
            }
            Self::Missing => f.write_str("there is no item"),
            Self::Exists => f.write_str("there is an item already"),
            Self::Deleted => f.write_str("the item is deleted"),
            Self::Expired => f.write_str("the item has expired"),
            Self::NotDeleted => f.write_str("the item is not deleted"),
            Self::Changed => f.write_str("what is there is not what was read any more"),
            Self::Condition => f.write_str("the given condition does not hold"),
            Self::Unexplained => f.write_str("DynamoDB returned no item that explains it"),
        }
    }
}

/// A refusal, before it is known of which entity.
#[derive(Clone)]
pub struct Refused {
    pub(crate) reasons: Vec<Reason>,
    pub(crate) moot: Moot,
    pub(crate) item: Option<Item>,
    pub(crate) now: EpochMillis,
    pub(crate) context: Context,
    /// Whether an earlier attempt may have been applied, which nothing tells: asked of a rewrite without a name.
    pub(crate) in_doubt: bool,
}

/// Whether a write that was refused need not be made any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moot {
    /// It is old news.
    pub(crate) superseded: bool,
    /// Each element that it was to put into a list that lacks it is there, and nothing else is against it.
    pub(crate) contained: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_that_of_the_derive_but_for_long_texts() {
        for (reason, expected) in [
            (Reason::Missing, "Missing"),
            (Reason::Stale { attribute: "at", tie: true }, "Stale { attribute: \"at\", tie: true }"),
            (Reason::Conflict { expected: 1, found: Some(2) }, "Conflict { expected: 1, found: Some(2) }"),
            (Reason::Absent { path: "a.b".to_owned() }, "Absent { path: \"a.b\" }"),
        ] {
            assert_eq!(format!("{reason:?}"), expected);
        }
        let path = format!("a.{}", "x".repeat(70_000));
        for reason in [Reason::Absent { path: path.clone() }, Reason::OtherEntity { found: path }] {
            let debug = format!("{reason:?}");
            assert!(debug.len() < 200 && debug.ends_with("… (70004 bytes) }"), "{debug}");
        }
    }
}
