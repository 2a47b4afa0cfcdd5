//! The reasons why a write was refused, from all rules, for people and for programs.

use super::HolderKey;
use crate::attribute::format_of;
use crate::error::foreign_text::value;
use std::fmt;

/// One reason of a [`Refusal`](crate::Refusal).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The ratchet: the item holds a newer token. The write may nevertheless have been applied before: if the answer to an
    /// attempt was lost, the attempt may have been applied, and then superseded.
    Stale {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// The item holds the same token, and a second write with it is refused, because the ratchet is strict or because the
        /// item is the tombstone of a delete with this token. Perhaps this very write has arrived twice.
        tie: bool,
    },
    /// The ratchet: the item holds a token from the future, beyond `max_ahead_secs`, so it refuses all writers until then. The
    /// clock or the unit of some writer was wrong.
    Ahead {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// How many seconds the token is ahead of the clock.
        seconds: i64,
    },
    /// The fence: a write with a greater number has been applied to the item. So this writer has lost the lock to a later
    /// holder, or the write is not fenced and carries an older number. The write may nevertheless have been applied before: if
    /// the answer to an attempt was lost, the attempt may have been applied before the write with the greater number.
    Fenced {
        /// The fence's attribute.
        attribute: &'static str,
        /// The write's number.
        fence: u64,
        /// The stored number.
        found: u64,
    },
    /// An immutable attribute: the item has another value, or the write would remove it. The values are compared as they are stored.
    Immutable {
        /// The attribute's name.
        attribute: &'static str,
    },
    /// The ratchet or the fence: the item holds a token of another type. No comparison with it is ever true, so the item is
    /// frozen.
    Corrupt {
        /// The attribute with the wrong type.
        attribute: &'static str,
        /// DynamoDB's name of the declared type.
        expected: &'static str,
        /// DynamoDB's name of the stored type.
        found: &'static str,
    },
    /// The ratchet: the stored token is a time in another text format than the type's own, with other digits or an offset, so the
    /// two do not sort together. Declare the format that all writers use with `#[attribute(format = "…")]`, or convert the rows:
    /// `modify_each(|_| {})` stores each token in the type's own format.
    Misspelled {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// An example of the declared format, with a `9` for each digit.
        expected: &'static str,
        /// The stored format, shown the same way; `None` if the text is not a time.
        found: Option<String>,
    },
    /// The version: the item is not at the version that the writer expects, but at a later or an earlier one.
    Conflict {
        /// The version that the write expected; 0 stands for an item without one.
        expected: u64,
        /// The version that is stored; `None` if there is no item.
        found: Option<u64>,
    },
    /// The put has version 0, which creates an item, but the stored item has no version yet: it is older than the versions, or
    /// its writer does not count them. `modify` changes such an item. A `replace` of version 0 writes over it, unless another
    /// writer has counted since. A put [over the loaded item](crate::command::Put::over) passes if the row is still as it was
    /// loaded. `modify_each(|_| {})` of a scan gives each such row a version. This reason comes together with
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
    /// The history already holds another revision of this number, so it is ahead of the table, for example after a restore of the
    /// table alone. Restore both, or give the item a number after the newest revision with [`Repair`](crate::command::Repair).
    Recorded {
        /// The revision's number.
        version: u64,
    },
    /// The history does not have the revision to roll back to, or the revision is a deletion.
    NoRevision {
        /// The requested number.
        version: u64,
    },
    /// The idempotency key: an update with it has already been made. Perhaps this very update has arrived twice.
    Duplicate,
    /// The idempotency key: the item holds keys so far ahead of this writer's clock that the writer must not change them. Some
    /// clock is off by more than `max_skew_secs`, or the request was in flight for that long.
    Behind {
        /// About how many seconds the clock is behind.
        seconds: i64,
    },
    /// A unique value: another live item has it.
    Taken {
        /// The name of the constraint.
        constraint: &'static str,
        /// The key of the item that has the value.
        holder: HolderKey,
    },
    /// A unique value: its guard names an item of another entity of the table. Both entities have a unique value of this name, so each
    /// would take the guards of the other: give one of them another name, `#[unique(name = "…")]`. A
    /// [`#[derive(Entities)]`](derive@crate::Entities) enum of both compares the names when it is compiled.
    TakenByOtherEntity {
        /// The name of the constraint.
        constraint: &'static str,
        /// The key of the other entity's item.
        holder: HolderKey,
    },
    /// A change: no value is stored here, although the change, or a change of a part of it, needs one.
    Absent {
        /// The place of the change.
        path: String,
    },
    /// A change: the number would no longer fit its type.
    OutOfRange {
        /// The place of the number.
        path: String,
    },
    /// A change: the list already contains the element.
    Contained {
        /// The place of the list.
        path: String,
    },
    /// A change: the list does not contain the element.
    NotContained {
        /// The place of the list.
        path: String,
    },
    /// A change: the element at this index is not the expected one, or the list has no such index.
    OtherElement {
        /// The place of the element.
        path: String,
    },
    /// An embedding: the item no longer has the value that the vector was made of. The vector of the present value comes from
    /// whoever embeds that, so [`accept_stale`](crate::Outcome::accept_stale) takes this as old news.
    OtherText {
        /// The attribute with another value.
        attribute: &'static str,
    },
    /// A change: NULL is stored here. If NULL counts as absent here, the change was made for a stored value, or it was made for
    /// NULL and a value is stored. A single write makes such a change anew, so it has this reason only together with others. If
    /// a number is required here, another program has stored NULL: set the number.
    Null {
        /// The place of the NULL.
        path: String,
    },
    /// A change of a part of an attribute that is still stored under an older name: write the whole item once, or run
    /// `modify_each`.
    Renamed {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias under which it is stored.
        found: &'static str,
    },
    /// The item holds two different values under two names of an attribute that the write reads or changes, because a program
    /// that knows only one of the names has written it. Nothing shows which value is the later one. Set the attribute, or put the
    /// item: either leaves one value. Two equal values are no reason.
    TwoValues {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias of the other value.
        found: &'static str,
    },
    /// The row has an older schema version. An update would leave it in that shape, and a put cannot tell whether it has another value
    /// for an immutable attribute: `modify` the item, or bring all rows up to date with `modify_each`. An entity without immutable
    /// attributes can put the item, too.
    Outdated {
        /// The row's schema version.
        found: u32,
        /// The entity's schema version.
        current: u32,
    },
    /// The row has a schema version that this program does not know: a newer program has written it.
    Newer {
        /// The row's schema version.
        found: u32,
        /// The entity's schema version.
        current: u32,
    },
    /// The item at this key is marked as another entity's: see `type_name` of [`derive@crate::Entity`].
    OtherEntity {
        /// The mark that the item has; if it is not a text, DynamoDB's name of its type.
        found: String,
    },
    /// There is no item.
    Missing,
    /// There is already a live item.
    Exists,
    /// The item is deleted: there is a tombstone.
    Deleted,
    /// The item's TTL has passed, although DynamoDB has not removed it yet.
    Expired,
    /// The item to undelete is live.
    NotDeleted,
    /// The row is no longer as it was read: the tombstone to purge, or the item to rewrite or to write `over`.
    Changed,
    /// The condition given with the command did not hold. Reported only if no rule of the entity refused.
    Condition,
    /// The item that DynamoDB returned gives no reason, or DynamoDB returned no item although one must exist.
    Unexplained,
}

impl fmt::Display for Reason {
    // One line for each reason, however long, so that they can be read as a table.
    #[rustfmt::skip]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { attribute, tie: false } => write!(f, "stale: the stored `{attribute}` is newer than the write's"),
            Self::Stale { attribute, tie: true } => write!(f, "stale: the item already stores this `{attribute}`"),
            Self::Ahead { attribute, seconds } => write!(f, "the stored `{attribute}` is {seconds} seconds ahead of the clock, and refuses writes until then: correct `{attribute}` in the item with the SDK, and check the clock and the time unit of the program that wrote it"),
            Self::Fenced { attribute, fence, found } => write!(f, "fenced: the stored `{attribute}` is {found}, and the write's is {fence}: a later holder of the lock has written the item"),
            Self::Immutable { attribute } => write!(f, "`{attribute}` is immutable, and the stored value differs from the write's"),
            Self::Corrupt { attribute, expected, found } => write!(f, "corrupt: the stored `{attribute}` is {found}, not {expected}, and refuses every write: repair the item"),
            Self::Misspelled { attribute, expected, found } => misspelled(f, attribute, expected, found.as_deref()),
            Self::Conflict { expected, found: Some(found) } => write!(f, "conflict: expected version {expected}, found {found}"),
            Self::Conflict { expected, found: None } => write!(f, "conflict: expected version {expected}, found no item"),
            Self::Uncounted { attribute } => write!(f, "the stored item has no `{attribute}` yet, and a put of version 0 only creates items: `modify` or `replace` it, or give all such rows a version with `modify_each(|_| {{}})` of a scan"),
            Self::Overflow { attribute } => write!(f, "`{attribute}` is the last version that its type can hold"),
            Self::Recorded { version } => write!(f, "the history already has another revision {version}, as after a restore of the table without its history: restore both, or let `repair` give the item a version after the newest revision"),
            Self::NoRevision { version } => write!(f, "the history has no revision {version} to roll back to"),
            Self::Duplicate => f.write_str("duplicate: an update with this idempotency key was applied before"),
            Self::Behind { seconds } => write!(f, "this clock is about {seconds} seconds behind another writer's, which is more than `max_skew_secs`: synchronize the clocks"),
            Self::Taken { constraint, holder } => write!(f, "the unique value `{constraint}` is taken by the item with {holder}"),
            Self::TakenByOtherEntity { constraint, holder } => write!(f, "the unique value `{constraint}` is taken by an item of another entity, {holder}: both entities have a unique value of this name, so their guards mix: give one of them another name, `#[unique(name = \"…\")]`"),
            Self::Absent { path } => write!(f, "the item has no `{}`, which the change needs", value(path)),
            Self::OutOfRange { path } => write!(f, "the new `{}` would not fit its type", value(path)),
            Self::Contained { path } => write!(f, "`{}` already contains the element that the update would add", value(path)),
            Self::NotContained { path } => write!(f, "`{}` does not contain the element that the update would remove", value(path)),
            Self::OtherElement { path } => write!(f, "`{}` is not the element that the change expects", value(path)),
            Self::OtherText { attribute } => write!(f, "the stored `{attribute}` has changed since the vector was computed from it: compute a new vector"),
            Self::Null { path } => write!(f, "`{}` is NULL, or was when the change was prepared: set a value, or send the change again", value(path)),
            Self::Renamed { attribute, found } => write!(f, "`{attribute}` is still stored under its alias `{found}`, so a part of it cannot be changed: write the whole item once"),
            Self::TwoValues { attribute, found } => write!(f, "`{attribute}` has another value under its alias `{found}`, because a program that knows only one of the names wrote it: set `{attribute}`, or put the item"),
            Self::Outdated { found, current } => write!(f, "the row has schema version {found}, and this program writes {current}: `modify` it, or bring all rows up to date with `modify_each`"),
            Self::Newer { found, current } => write!(f, "the row has schema version {found}, and this program knows versions up to {current}: deploy the newer program"),
            Self::OtherEntity { found } => write!(f, "the key holds an item of another entity, marked \"{}\"", value(found)),
            Self::Missing => f.write_str("there is no item at this key"),
            Self::Exists => f.write_str("a live item already exists at this key"),
            Self::Deleted => f.write_str("the item is deleted"),
            Self::Expired => f.write_str("the item has expired by its TTL"),
            Self::NotDeleted => f.write_str("the item is live, not deleted"),
            Self::Changed => f.write_str("the item has changed since it was read"),
            Self::Condition => f.write_str("the command's condition does not hold"),
            Self::Unexplained => f.write_str("DynamoDB refused the write, and the item that it returned does not show why"),
        }
    }
}

/// Writes the text of [`Reason::Misspelled`].
fn misspelled(f: &mut fmt::Formatter<'_>, attribute: &str, expected: &str, found: Option<&str>) -> fmt::Result {
    write!(f, "the stored `{attribute}` is ")?;
    match found {
        Some(found) => write!(f, "a time like `{found}`")?,
        None => f.write_str("a text that is not a time")?,
    }
    write!(f, ", not like `{expected}`, and the two do not sort together: ")?;
    if let Some(format) = found.and_then(format_of) {
        write!(f, "declare the stored format with `#[attribute(format = \"{format}\")]`, or ")?;
    }
    f.write_str("convert the rows with `modify_each`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_equals_the_derived_one_except_for_long_texts() {
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
