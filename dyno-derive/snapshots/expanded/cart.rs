#[automatically_derived]
impl ::dyno::Entity for Cart {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = CartFields;
    type Tokens = ();
    type Version = u64;
    type PutOutput = ::dyno::Outcome<Self, u64>;
    type DeleteOutput = ::dyno::Outcome<Self, u64>;
    const FIELDS: Self::Fields = CartFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        lines: ::dyno::__private::attribute::<Vec<String>, _, _>("lines"),
        version: ::dyno::__private::attribute::<u64, _, _>("version")
            .__or(<u64 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Cart",
        table: ::core::option::Option::Some("carts"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        key_fields: &["id"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        attributes: &[
            Self::FIELDS.lines.__stored("lines"),
            Self::FIELDS.version.__stored("version"),
        ],
        version: ::core::option::Option::Some(
            ::dyno::__private::version::<u64>("version"),
        ),
        write_id: ::core::option::Option::Some(::dyno::__private::WriteId {
            attribute: "_w",
        }),
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        ::core::clone::Clone::clone(&self.id)
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(3usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.lines.__codec.put(&mut item, &self.lines)?;
        fields.version.__codec.put(&mut item, &self.version)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            lines: fields.lines.__codec.take(item)?,
            version: fields.version.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Cart {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Cart {}
#[automatically_derived]
impl ::dyno::bound::Versioned for Cart {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Cart {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Cart {}
/// A handle for each stored attribute of [`Cart`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct CartFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Cart, String, ::dyno::field::access::Key>,
    /// The attribute `lines`.
    pub lines: ::dyno::Field<Cart, Vec<String>>,
    /// The version `version`, which dyno counts.
    pub version: ::dyno::Field<Cart, u64, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Cart {
    /// Returns a handle for each stored attribute of `Cart`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> CartFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Cart`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Cart` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the `Cart` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Cart::check(id))`.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id)`
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Cart` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
    #[inline]
    pub fn batch_get(
        keys: impl ::core::iter::IntoIterator<
            Item = impl ::dyno::value::IntoField<String>,
        >,
    ) -> ::dyno::command::BatchGet<Self> {
        ::dyno::command::BatchGet::new(
            ::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |id| ::dyno::value::IntoField::into_field(id),
            ),
        )
    }
    /// Reads each `Cart` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Cart` if its `version` is still the stored one, or, at 0, if none is stored.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `#version = :version`
    ///
    /// If the version is 0, the condition is:
    /// `attribute_not_exists(#id)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Conflict` (another `version` is stored, or no item). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Cart` if none is stored.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#id)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the `Cart` if its `version` is still the stored one.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND #version = :version`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored) or `Conflict` (another `version` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the `Cart` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Cart::update(id).version(version).with(Cart::fields().lines.set(lines))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND #version = :version`
    ///
    /// With `.unchecked()` in place of `.version(…)`, the update accepts any stored version, and increments it. Its condition only refuses what is no version, or the last one:
    /// `attribute_exists(#id) AND (attribute_not_exists(#version) OR #version BETWEEN :version AND :version_2)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored) or `Conflict` (another `version` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide. With `.unchecked()`, `send` cannot find out, and returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::VersionedUpdate<Self> {
        ::dyno::command::VersionedUpdate::__of(
            ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id)),
        )
    }
    /// Deletes the `Cart` with this `id`, if it still has this `version`.
    ///
    /// Call it as `Cart::delete(id, version)`.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `#version = :version`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Conflict` (another `version` is stored, or no item). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost and the item is gone, nothing shows who deleted it: the error is `OutcomeUnknown`.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        version: impl ::dyno::value::IntoField<u64>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (),
            ::dyno::value::IntoField::into_field(version),
        )
    }
    /// Loads the `Cart` with this `id`, runs the closure on it, and writes it back.
    ///
    /// Call it as `Cart::modify(id, |item| { … })`. Attributes that the closure does not change stay as they are stored, also undeclared ones. If another writer changes the item in between, the closure runs again on the new item, up to 10 times in all (`.attempts(…)`); after that, `send` returns an error whose `is_contended()` is true.
    ///
    /// Sends one `GetItem`, and an `UpdateItem` of the changed attributes for each attempt. The write is applied only if the item still has the `version` and the attributes that were loaded. The second attempt takes the item from the first refusal, and each later one reads it again.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost and the item no longer shows whether the write was applied, the error is `OutcomeUnknown`: load the item and decide, because a second call can make the change twice.
    ///
    /// Costs 1 read unit per 4 KB of the item and 1 write unit per KB of the item, and each further attempt up to as much again.
    #[inline]
    pub fn modify<__Edit, __EditResult>(
        id: impl ::dyno::value::IntoField<String>,
        __edit: __Edit,
    ) -> ::dyno::command::Modify<Self, __Edit>
    where
        __Edit: ::core::ops::FnMut(&mut Self) -> __EditResult + ::core::marker::Send,
        __EditResult: ::dyno::command::EditResult,
    {
        ::dyno::command::Modify::new(::dyno::value::IntoField::into_field(id), __edit)
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
