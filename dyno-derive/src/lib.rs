//! The derive macros of dyno. Use them through the crate `dyno-runtime`, which re-exports them as
//! `dyno::Entity` and `dyno::Document` and has the traits that they implement.
//!
//! Here are the entry points and the attribute reference. The stages of a derive are named in `derive`, in their order. The
//! rooms, of which each one knows those before it, and no other:
//!
//! 1. `given`: values with their places, then `diag`: what is wrong, collected
//! 2. `attr`: what was written
//! 3. `model`: what it means, as data
//! 4. `lower`: from `attr` to `model`; the only one that sees both
//! 5. `check`: what cannot be said together; sees `model` and `diag` alone
//! 6. `expand`: from `model` to code; sees nothing else, and cannot fail
//! 7. `derive`: the pipeline

mod attr;
mod check;
mod derive;
mod diag;
mod expand;
mod given;
mod lower;
mod model;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Derives an entity: a struct with named fields whose values are items of a DynamoDB table. Generates the typed
/// commands, a handle for each stored attribute (`fields()`), and the trait `Entity`.
///
/// All mistakes of a struct are reported in one compile. Types of key fields are `Clone`, and as public as the entity.
///
/// # On the struct
///
/// | Attribute | Meaning |
/// |---|---|
/// | `#[entity(table = "ratings")]` | The table's name, which a repository can prefix or replace. Without it the repository must name the table. |
/// | `#[entity(rename_all = "PascalCase")]` | Stored names follow this case: `lowercase`, `UPPERCASE`, `PascalCase`, `camelCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `SCREAMING-KEBAB-CASE`. Names in `name`, `deleted`, `ttl` and `rename` are as they are written. |
/// | `#[entity(type_name = "order", type_attribute = "_type")]` | Items are marked as this entity's, for tables that several share: the struct's name in `_type`, if only one of the two is said. Reads pass over items with another mark. A write that has a condition refuses an item with another mark: every update and check, and a put or delete with a rule or a condition of yours. A plain `put` replaces what is at its key and a plain `delete` removes it, whatever its mark; they can go in a batch. An item without a mark is known by its key. |
/// | `#[entity(crate = "::path")]` | Where the runtime crate is, if not at `::dyno`. An absolute path. |
/// | `#[entity(schema_version = 2, upgrade = "path::to::it")]` | Rows say which schema version they are of, and older ones go through `fn(item: &mut Item, from: u32) -> Result<(), impl Display>` before they are decoded. Those that say none are of version 1, which needs no `upgrade`. |
/// | `#[entity(schema_attribute = "_v")]` | Where they say it. |
/// | `#[partition_key(name = "PK", template = "User#{user_id}")]` | The partition key is text with fields in it, stored under this name. |
/// | `#[sort_key(name = "SK", template = "Movie#{movie_id}")]` | The same for the sort key. |
/// | `#[tombstone(ttl_days = 7)]` | `delete` leaves a row for so long, and reads pass it over. It keeps older writes out only with a `#[ratchet]` or a `#[version]`: without either, nothing tells which write is older, and a `put` that arrives late brings the item back. |
/// | `#[tombstone(deleted = "Deleted", ttl = "TTL")]` | The stored names of its flag and its time to live; else `deleted` and `ttl`, in the case of `rename_all`. |
/// | `#[tombstone(mark = false)]` | Tombstones go without the mark of `type_name`, so that programs that list items by it do not list them. |
/// | `#[history_table]` | Every version is kept as a revision, in a table of its own. Needs a `#[version]`. |
/// | `#[history_table(mode = "ordered")]` | A revision is written before the write that supersedes it: two plain writes, where the default, `"atomic"`, is one transaction at twice their price. (A create is one here, too, so that no number is given twice.) Needs a tombstone, and no `#[ttl]`. |
/// | `#[history_table(layout = "same_table")]` | Revisions are kept in the entity's own table, under sort keys of their own that begin with `_rev\|`. The default is `"second_table"`. |
/// | `#[idempotency]` | An update with an `idempotency_key` is made once: the item remembers the key, for a window of time. Then `put` and `replace`, which would forget it, do not exist. For entities with updates: no whole-item ratchet, no history. |
/// | `#[idempotency(window_secs = 300, max_skew_secs = 300)]` | For how long, at least, while the difference of any two writers' clocks and the time that a request is under way are together at most the skew; no request is sent later than that. The default is 300, and as much skew. Keys are forgotten earlier where these are changed. |
/// | `#[idempotency(keys = 1000)]` | Not a window of time: the last so many keys. In a burst it forgets early. Lowered, it does not shorten the lists that are longer. |
/// | `#[idempotency(store = "row", table = "…")]` | Keys in rows of a table of their own, the entity's with `-idempotency` behind it: for windows that one item cannot hold. A transaction for each update, at twice the price. Not with a version. |
/// | `#[idempotency(max_rps = 10, body_bytes = 1024)]` | How many updates a second one item is to carry, and the bytes of the rest of it: what cannot work does not compile. See the runtime's module `capacity`. |
/// | `#[idempotency(key_bytes = 16, raw, attribute = "_k")]` | How much of a key's SHA-256 is kept; with `raw`, the key itself is, of up to so many bytes. The name of the list, and what the sets' names begin with. |
/// | `#[index(name = "by_status", partition = status, sort = placed)]` | A global secondary index, and a function of its name that queries it (`query = by_…` for another). Without `sort`, its items are in no order. An optional field makes it sparse: only items that have it are in the index. |
/// | `#[index(name = "by_round", partition(tournament, region), sort(round, table))]` | Up to four fields on each side: all of the partition key are asked for, those of the sort key from the left. |
/// | `#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"))]` | A key that is a template, stored under this name. An update that sets one of its fields rewrites it in the same request; fields that stand in keys together are set together. A `name` without a template is that of an attribute of the table's key. Rows from before there was the key get it when they are written again, as by `scan().modify_each(\|_\| {})`. |
/// | `#[index(name = "by_total", local, sort = total)]` | A local index: the table's partition key, in another order. It can be read consistently. |
/// | `#[index(name = "by_status", …, projection(total, courier))]`, `projection = "keys"` | What it holds besides the keys; all of the item if nothing is said. Then its queries read a [`Projection`]. The flag of a tombstone and a TTL come along. |
/// | `#[history_table(name = "…", ttl_days = 365)]` | The history table's name, else the table's with `-history` behind it; for how long revisions are kept from when they are written, else for ever. Entities of different tables have different ones. |
///
/// # On a field
///
/// | Attribute | Meaning |
/// |---|---|
/// | `#[partition_key]`, `#[sort_key]` | The field is that key: a string, a number or bytes. |
/// | `#[ratchet]` | The field is a token that orders writes: one that is older than what is stored is refused. An item without a token lets every write pass. Where there are such rows, from before there was the ratchet, `#[attribute(default)]` or `default = "path"` says what they are read as; else they cannot be read. |
/// | `#[ratchet(strict)]` | An equal token is refused, too. |
/// | `#[ratchet(tiebreak = "field")]` | Between equal tokens this field decides, so that every order of arrival ends alike. |
/// | `#[ratchet(max_ahead_secs = 300)]` | A token that is further ahead of the clock is refused before the request: it would lock every other writer out until then. |
/// | `#[ratchet(guards(rating, comment))]` | The token is for these fields only. Then `update` exists, group by group, and every stored field belongs to a group. A put must pass every group's ratchet. |
/// | `#[ttl]` | When the item expires: an `EpochSeconds`, or an `Option` of it. From then on it counts as absent, and DynamoDB removes it some time later. With a tombstone, which is stored there, too, it is no ratchet's token or tiebreak. |
/// | `#[version]` | The field counts the writes of the item: 0 before it is stored. A write expects the version that was loaded, and is refused if another writer has been there since. A `put` of version 0 makes a new item; one that is there, from before there were versions, is written over by `replace`. An unsigned integer of up to 64 bits. Where neither a tombstone nor a history outlives a deletion, numbers [begin again](#where-versions-begin-again), and a number alone does not tell an item from another one. |
/// | `#[version(write_id = "…")]`, `write_id = false` | Where each write leaves its name, 17 bytes, by which it knows itself after a lost answer; else `_w`. Without it, such a write ends in `OutcomeUnknown`. |
/// | `#[attribute(rename = "…")]` | The stored name. |
/// | `#[attribute(alias = "…")]` | An older stored name, under which the value may still be; it can be given several times. |
/// | `#[attribute(default)]`, `default = "path"` | What the field is where the item lacks the attribute, or has NULL there: the type's `Default`, or what the function returns. |
/// | `#[attribute(skip)]` | Not stored: it is read as the type's `Default`. |
/// | `#[attribute(serde)]` | Stored by the type's `serde` implementation. Needs the feature `serde`. |
/// | `#[attribute(with = "module")]` | Stored by `module::encode(&T) -> Result<AttributeValue, impl Display>` and `module::decode(AttributeValue) -> Result<T, impl Display>`. An `Option<T>` is absent for `None`, and the functions see the `T`. |
/// | `#[attribute(format = "millis")]` | A time that is stored as text, in the form of another writer: see [below](#times-as-text). |
/// | `#[attribute(stored)]` | A field of a key template is stored as an attribute, too, and read from it; else it is read back from the key. Where the two differ, as under keys that another program has made lower case, the item is a decode error. |
/// | `#[attribute(rest)]` | The field, a `dyno::Item`, holds the attributes that no other field is stored in, by their names, and a put writes them back. Not what the rules keep in the item: the key, the flag and the TTL of a tombstone, a write id, idempotency keys, keys of indexes that are templates, names that are an `alias`. One of those in it, or the name of a field, is an error of the write. It has no handle in `fields()`. |
///
/// # Where versions begin again
///
/// After a deletion that leaves neither a tombstone nor a history, the next item of the same key begins with version 1. So it
/// does where DynamoDB has removed the item by its `#[ttl]`, and where the tombstone has been purged or its `ttl_days` have
/// passed. Another item can then have the version that a program has loaded:
///
/// | What is sent | What can happen |
/// |---|---|
/// | a write that says a number: `delete(key, version)`, `update(key).version(version)`, `put` or `replace` of an entity that has its version | If the item was deleted and created anew, and the new item has come to that version, the write is applied to the new item. A request can also come twice: the SDK sends it again after a lost answer, a program sends a clone of the command, the network delivers a copy late. Then one write can be applied to both items, the old and the new; and one that was refused can be applied to the new item later. |
/// | a `create`, or a `put` of version 0 | If the item is deleted again, a second copy of the request makes it once more. That is so even after a refusal, if the item that refused it is deleted before the copy arrives. |
/// | any of them, whose answer was lost and which is refused then | It ends in `OutcomeUnknown`: nothing tells whether it was applied. |
///
/// Two things prevent the first:
///
/// - `#[history_table]`, or a `#[tombstone]` without a `#[ttl]` field, as long as the tombstone is there: numbers go on behind
///   the deletion. This prevents the others, too.
/// - The loaded item itself. `modify` and `modify_each` write to no item but the one that they have loaded. So does a write
///   with `over`: `get(key).loaded()` returns the item with the entity, and
///   `delete(key, loaded.entity.version).over(&loaded)`, `update(key).over(&loaded)`, `put().over(&loaded)` and
///   `replace().over(&loaded)` demand its write id. That costs no request. It needs the write id: with `write_id = false`
///   there is only the number. And a write that itself comes twice leaves the same write id twice.
///
/// # Key templates
///
/// A template is text with fields in braces; `{{` and `}}` are braces. A key tells where each value ends: two holes
/// never touch, and a value in which the text behind its hole occurs is refused when it is written. `{number:020}` pads
/// an unsigned integer with zeros to so many digits, so that text sorts as the numbers do; without a width, a query
/// cannot ask for a range of numbers.
///
/// Entities can share a table: reads pass over items whose keys do not match the templates. For that the templates must
/// tell the entities apart: to `Movie#{movie}`, the key `Movie#A#Review#3` is a movie named `A#Review#3`.
///
/// # Times as text
///
/// An instant of `chrono`, `jiff` or `time` is stored as `2024-07-23T21:11:00.120000000Z`: always nine digits, in UTC, so that
/// texts sort as times do. Any RFC 3339 text is read. What is asked for, and what orders writes, must be spelled as all
/// writers spell it:
///
/// | `format` | As | Who writes it |
/// |---|---|---|
/// | `"seconds"` | `2024-07-23T21:11:00Z` | |
/// | `"millis"` | `2024-07-23T21:11:00.120Z` | JavaScript, `toISOString` |
/// | `"micros"` | `2024-07-23T21:11:00.120000Z` | |
/// | `"nanos"` | `2024-07-23T21:11:00.120000000Z` | the types without a `format` |
/// | `"python"` | `2024-07-23T21:11:00.120000+00:00`, or `2024-07-23T21:11:00+00:00` | Python, `isoformat` of a time in UTC |
/// | `"java"` | with no, 3, 6 or 9 digits, as few as it takes | Java, `Instant`; it does not sort: there is equality alone, and no ratchet |
///
/// A time that is finer than its form is refused when it is written: round it. A key is stored as its type says: there, and
/// in lists and sets, it is a `TextTime<jiff::Timestamp, form::Millis>`.
///
/// A ratchet lets no write pass over a token in another form, of which the bytes say nothing of time: with other digits, or an
/// offset. It is refused with `Reason::Misspelled`, which names the `format` that the stored text has.
/// `X::scan().modify_each(|_| {})` stores each such token in the declared form; so it does with what an `upgrade` makes of a
/// token of another type.
///
/// # Older rows
///
/// An attribute that has got another name keeps the older one as an `alias`. Reads find the value under either, and so do
/// conditions and filters. A put leaves the older name behind, and a change moves the value: `SET`, `REMOVE`, counting and
/// `list_append` take it from where it is, in the same request. A change of a part (a set's element, a list's by index, a
/// member) cannot, and is refused with `Reason::Renamed` until the item has been written once. What a rule or a key
/// compares has one name, and no alias. Two values under the names of one attribute are no value: a program that knows one
/// of the names only has updated the row since. Reads say so, and what goes by the value (a count, a condition) is refused
/// with `Reason::TwoValues`; what sets it leaves one.
///
/// Rows from before there was a ratchet have no token, which is the lowest: any write passes. With a `default` on the
/// ratchet's field they can be read, and `X::scan().modify_each(|_| {})` stores the token that they are read with.
///
/// A change of shape that is more than that is a new `schema_version`. Its `upgrade` is given the row as it is stored, and
/// may change all of it but the key; it runs on every read until the row is written. Rules, conditions and filters see the
/// row as it is stored: what they look at keeps its name and meaning. An update of an older row is refused with
/// `Reason::Outdated`, since it would mix two shapes. A row of a version that the program does not know is an error, and
/// updates, `replace` and all other puts with a condition are refused with `Reason::Newer`. A plain put has no condition, and
/// writes its own shape.
///
/// # The order of a rollout
///
/// While a release is rolled out, programs of two generations write to one table. In this order nothing is lost. Each step
/// begins when no program from before the last one is running:
///
/// | What is new | First | Then | In the end | Otherwise |
/// |---|---|---|---|---|
/// | an attribute's name, from `name` to `title` | the field as it was, with the new name as alias: `#[attribute(rename = "name", alias = "title")]` reads both names, and writes the older one | the new name, with the older one as alias: `#[attribute(rename = "title", alias = "name")]` | `modify_each`; then the alias can go, unless a history has older revisions | A program that knows `name` only finds nothing in a row that has a `title`: for a required field, that is an error; an optional one is `None`, and a put drops the title. What it updates is under both names: `Reason::TwoValues`. |
/// | a shape | `schema_version = 1`, where rows have had none | `schema_version = 2` and its `upgrade`; the older programs refuse what the newer ones have written, from the first row on | `modify_each` | A program that numbers no versions updates a newer row in the older shape, which nothing tells. |
/// | a templated key of an index | the index, which nobody queries yet; `create_table` makes it | `modify_each`: rows that older programs have written lack the key, or have that of an earlier value | the queries | A query misses rows, and finds others under a key that they had. |
/// | a mark, by `type_name` | the mark: a row without one is known by its key, so either generation reads and writes the rows of both | `modify_each`, where other programs go by the mark | | The mark is for good: rows with another one are passed over. |
///
/// A rename can also go in one step, as a shape: `schema_version = 2` with the alias. An attribute that only the newer program
/// knows is kept by an older one's updates and `modify`, and dropped by its puts, unless it holds the rest.
///
/// # What is generated
///
/// | Function | Where | Request |
/// |---|---|---|
/// | `get`, `query`, `scan` | always; `query` with a sort key | `GetItem`, `Query`, `Scan` |
/// | `batch_get` | always | a `BatchGetItem` for every 100 keys |
/// | `put`, `create`, `replace` | always; only `create` where the item holds idempotency keys | `PutItem` |
/// | `update` | unless a ratchet guards the whole item | `UpdateItem` |
/// | `delete` | unless ratcheted without a tombstone | `DeleteItem`, or the `PutItem` of a tombstone |
/// | `undelete`, `purge` | with a tombstone | `PutItem`, `DeleteItem` |
/// | `modify` | with a version | `GetItem`, then the write of a put; again after a conflict |
/// | `revisions`, `revision` | with a history | `GetItem` and `Query`; one or two `GetItem` |
/// | `rollback` | with a history | those of `revision`, then `GetItem` and the write of a put |
/// | `repair` | with a history | `GetItem` and `Query`; a `TransactWriteItems`, where the history refuses all writes |
/// | one for each index | with `#[index]`; and a type for it, as `OrderByStatus` | `Query` |
/// | `fields`, `key` | always | none |
///
/// What the struct and its fields allow or expect of lints is allowed in what is generated, and the handle of a deprecated
/// field is deprecated.
///
/// `fields()` returns the struct `…Fields`, with a handle for each stored attribute. With `guards`, `update` is a
/// `…Update`, which goes on with the ratchet's name and its token, and then with each guarded field, in the order of
/// `guards`.
///
/// An entity without rules for its writes (no ratchet, version, tombstone, history or idempotency) is `Batchable`: its `put`
/// and `delete` can go into a `BatchWrite`.
///
/// The documentation of each generated function, as your editor shows it, has its condition.
#[proc_macro_derive(
    Entity,
    attributes(
        entity,
        partition_key,
        sort_key,
        attribute,
        ratchet,
        tombstone,
        ttl,
        version,
        history_table,
        idempotency,
        index
    )
)]
pub fn derive_entity(input: TokenStream) -> TokenStream {
    derive::ENTITY.run(input.into()).into()
}

/// Derives a projection: a struct with some fields of an entity, by their names and types, to be read without the others.
/// The trait of the same name has an example.
///
/// A name that the entity does not have, and another type than the field's, do not compile. What tells whether an item is
/// live comes along. DynamoDB reads, and charges for, whole items all the same (of an index: whole items of the index).
///
/// # Attributes
///
/// | Attribute | Meaning |
/// |---|---|
/// | `#[projection(of = Order)]` | The entity. |
/// | `#[projection(index = OrderByStatus)]` | It is read from this index, too, which holds only some attributes: that these are among them is checked. May be repeated. |
/// | `#[projection(crate = "::path")]` | As for an entity. |
#[proc_macro_derive(Projection, attributes(projection))]
pub fn derive_projection(input: TokenStream) -> TokenStream {
    derive::PROJECTION.run(input.into()).into()
}

/// Derives a list of the entities that share a table: an enum with a variant for each, and perhaps one for other items.
///
/// A query of any of them reads the items of all: `Customer::query("ada").entities::<Row>()`. What an item is, its mark
/// says (`type_name`), or its key does.
///
/// Two entities that could have the same key do not compile. Templates are told apart by text before the first hole or
/// behind the last one (`Profile`, `Order#{id}`), by digits (`Order#{number}` ends where `Order#{number}#Item#{item}` goes
/// on), or by what follows a hole (`Order#{id}#` is no `Order#{id}#Item#{item}`: no value contains what follows its hole).
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[entities(unknown)]` | a variant of an `Item` | Items of none of the entities; else they are an error, or passed over. |
/// | `#[entities(crate = "::path")]` | the enum | As for an entity. |
#[proc_macro_derive(Entities, attributes(entities))]
pub fn derive_entities(input: TokenStream) -> TokenStream {
    derive::ENTITIES.run(input.into()).into()
}

/// Derives an aggregate: a struct of all items in a partition of a table that several entities share. A field is an entity,
/// of which there is one, an `Option` of it, or a `Vec` of all of them, in the order of their sort keys.
///
/// A query of any of them reads it: `Customer::query("ada").aggregate::<Account>()`. The entities are checked as those of
/// [`Entities`](macro@Entities) are. `#[aggregate(crate = "::path")]` is as for an entity.
#[proc_macro_derive(Aggregate, attributes(aggregate))]
pub fn derive_aggregate(input: TokenStream) -> TokenStream {
    derive::AGGREGATE.run(input.into()).into()
}

/// Derives a document: a struct or enum that is a value inside an item.
///
/// | Type | Stored as |
/// |---|---|
/// | a struct with named fields | M, a member for each field |
/// | a struct of one field without a name | as its field; it can be a key where the field can |
/// | an enum | a variant without fields: S, its name. Any other: M of its name, with the field or a map of the fields |
/// | an enum with a `tag` | M with the variant's name under the tag, next to its fields |
///
/// A struct with named fields has a handle for each member, wherever it is part of an entity: `fields.address.fields().city`.
///
/// # Attributes
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[document(rename_all = "camelCase")]` | the type | The case of the stored names: a struct's fields, an enum's variants. |
/// | `#[document(tag = "type")]` | an enum | Where the variant's name is stored. |
/// | `#[document(order = "declared")]` | an enum without fields | The stored names sort as the variants are declared, which is checked. Then there are `<`, ranges and sort keys between two variants, which DynamoDB would else answer by the alphabet: without it they do not compile, and there are equality, `is_in` and keys. |
/// | `#[document(crate = "::path")]` | the type | As for an entity. |
/// | `#[attribute(rename = "…")]` | a field, a variant | The stored name. |
/// | `#[attribute(default)]`, `skip`, `serde`, `with = "…"`, `format = "…"` | a field | As for an entity. |
/// | `#[attribute(rest)]` | a field | The field, a `dyno::Item`, holds the members that no other field is stored in, and they are written back. |
#[proc_macro_derive(Document, attributes(document, attribute))]
pub fn derive_document(input: TokenStream) -> TokenStream {
    derive::DOCUMENT.run(input.into()).into()
}
