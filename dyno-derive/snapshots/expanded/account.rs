const _: () = {
    ::dyno::__transactional!();
};
#[automatically_derived]
impl ::dyno::Entity for Account {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = AccountFields;
    type Tokens = ();
    type Version = u64;
    type PutOutput = ::dyno::Outcome<Self, u64>;
    type DeleteOutput = ::dyno::Outcome<Self, u64>;
    const FIELDS: Self::Fields = AccountFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        balance: ::dyno::__private::attribute::<u64, _, _>("balance"),
        version: ::dyno::__private::attribute::<u64, _, _>("version")
            .__or(<u64 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Account",
        table: ::core::option::Option::Some("accounts"),
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
            Self::FIELDS.balance.__stored("balance"),
            Self::FIELDS.version.__stored("version"),
        ],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
        }),
        version: ::core::option::Option::Some(
            ::dyno::__private::version::<u64>("version"),
        ),
        write_id: ::core::option::Option::Some(::dyno::__private::WriteId {
            attribute: "_w",
        }),
        is_transactional: true,
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
        fields.balance.__codec.put(&mut item, &self.balance)?;
        fields.version.__codec.put(&mut item, &self.version)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            balance: fields.balance.__codec.take(item)?,
            version: fields.version.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Account {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Account {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Account {}
#[automatically_derived]
impl ::dyno::bound::Transactional for Account {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Account {}
#[automatically_derived]
impl ::dyno::bound::Versioned for Account {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Account {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Account {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Account {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Account {}
/// A handle for each stored attribute of [`Account`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct AccountFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Account, String, ::dyno::field::access::Key>,
    /// The attribute `balance`.
    pub balance: ::dyno::Field<Account, u64>,
    /// The version `version`, which dyno counts.
    pub version: ::dyno::Field<Account, u64, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Account {
    /// Returns a handle for each stored attribute of `Account`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> AccountFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Account`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Account` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Account` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Account::check(id))`. A tombstone counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND attribute_not_exists(#_x)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored) or `Deleted` (a tombstone is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Account` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item, or only a tombstone. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
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
    /// Reads each `Account` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Account` if its `version` is still the stored one, or, at 0, if none is stored.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND attribute_not_exists(#_x)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// If the version is 0, the condition is:
    /// `attribute_not_exists(#id) AND attribute_not_exists(#_x)`
    ///
    /// If the version is 0 and a tombstone or an expired item is stored, the write is sent once more, over it. The compared version is then that of the stored row:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #version = :version AND attribute_not_exists(#_x)`
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
    /// Creates the `Account` if no live one is stored.
    ///
    /// A tombstone counts as no item. Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#id) AND attribute_not_exists(#_x)`
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// If a tombstone or an expired item is stored, the write is sent once more, over it. `:version` is then its version, in the condition:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #version = :version AND attribute_not_exists(#_x)`
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
    /// Replaces the live `Account` if its `version` is still the stored one.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND attribute_not_exists(#_x)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Conflict` (another `version` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Account` over its tombstone, if the tombstone has the same `version`.
    ///
    /// First give it the `version` of the tombstone, which is the next after that of the deleted item. `get(…).include_deleted()` returns the tombstone. Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `#version = :version AND #deleted = :deleted AND attribute_not_exists(#_x)`
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`) or `Conflict` (another `version` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes attributes of the live `Account` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Account::update(id).version(version).with(Account::fields().balance.set(balance))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND attribute_not_exists(#_x)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// With `.unchecked()` in place of `.version(…)`, the update accepts any stored version, and increments it. Its condition only refuses what is no version, or the last one:
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#version) OR #version BETWEEN :version AND :version_2) AND attribute_not_exists(#_x)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Conflict` (another `version` is stored). `Reason` lists rarer reasons.
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
    /// Deletes the `Account` with this `id`, if it still has this `version`.
    ///
    /// Call it as `Account::delete(id, version)`. Leaves a tombstone for 7 days, which refuses older writes that arrive late.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND attribute_not_exists(#_x)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// `_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Deleted` (it is deleted already) or `Conflict` (another `version` is stored, or no item). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
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
    /// Not available, because a late request of a transaction could then bring the item back.
    ///
    /// DynamoDB removes the tombstone by its TTL.
    #[inline]
    pub fn purge<__Command>(tombstone: &::dyno::Tombstone<Self>) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Purgeable,
    {
        let _: ::dyno::command::Purge<Self> = ::dyno::command::Purge::new(tombstone);
        ::dyno::__private::absent()
    }
    /// Loads the live `Account` with this `id`, runs the closure on it, and writes it back.
    ///
    /// Call it as `Account::modify(id, |item| { … })`. Attributes that the closure does not change stay as they are stored, also undeclared ones. If another writer changes the item in between, the closure runs again on the new item, up to 10 times in all (`.attempts(…)`); after that, `send` returns an error whose `is_contended()` is true.
    ///
    /// Sends one `GetItem`, and an `UpdateItem` of the changed attributes for each attempt. The write is applied only if the item still has the `version` and the attributes that were loaded. The second attempt takes the item from the first refusal, and each later one reads it again. Items of a client-side transaction are waited for, as with `put`.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored) or `Deleted` (a tombstone is stored). `Reason` lists rarer reasons.
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
impl Account
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Account
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
