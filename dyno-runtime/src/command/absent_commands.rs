//! Methods that a command lacks although other types have them, under the same names: see `entity::absent`.

use super::batch_write::BatchWrite;
use super::delete::Delete;
use super::get::Get;
use super::get_by_unique::GetByUnique;
use super::interactive::Tx;
use super::modify::Modify;
use super::modify_each_command::ModifyEach;
use super::put::{Create, Put, Replace, Undelete};
use super::read::{ParallelScan, Query, Scan};
use super::transaction::Transaction;
use super::update::{ChecksVersion, Update, VersionedUpdate};
use crate::entity::{Entity, Tombstoned, absent};

absent! {
    WriteFilter: "a write has no `filter`", "say `.condition(…)`: it decides whether the write is applied";
    AlwaysConsistent: "a read by a unique value is consistent", "leave `consistent` out";
    ReadCondition: "a read has no `condition`", "say `.filter(…)`: it decides which items are returned";
    GetFilter: "a get has no condition and no filter", "look at the item that it returns",
        "one item is read by its key, and paid for whatever it holds";
    PutUpsert: "a put needs no `upsert`", "leave it out: a put writes the item whether one exists or not";
    IfNotExists: "a put has no such method", "say `create` in the place of `put`: it writes where no live item is";
    IfExists: "a put has no such method", "say `replace` in the place of `put`: it writes over a live item";
    PutVersion: "a put takes its version from the entity", "leave it out: the entity's `#[version]` field is what the put expects",
        "load the entity, change it, and `put` it";
    DeleteVersion: "a delete takes its version as an argument", "say `E::delete(key, loaded.version)`, of an entity with a version";
    ReturnNew: "only an update returns the item as it is then", "leave it out: the entity at hand is what was written",
        "of an entity with a version, `send` returns the version that was stored";
    DeleteReturnNew: "a delete has no new item to return", "say `.return_old()`, for the item that was there";
    OnlyUpdates: "only an update takes an idempotency key", "leave it out, or make it an `update`",
        "a `create` that is sent again is refused, since the item exists; a `put` writes the same again";
    OverNothing: "this write supersedes no live item", "leave `over` out, or say `put` or `replace`",
        "`over` expects the very item that was loaded; `create` and `undelete` expect that no live item is there";
    SetWhere: "a change is made of a field", "say `.with(E::fields().name.set(value))`";
    QueryLoaded: "only `get` and `batch_get` return what was loaded", "leave it out, or `get` the item that is to be written";
    ReadAll: "a read has no such method", "say `.stream(&repository).try_collect().await?` for all items; `.send(&repository)` reads a page";
    QueryIndex: "an index is queried by a function of its own", "say `E::by_owner(…)`, by the index's name";
    QueryModify: "only a scan has `modify_each`", "query the keys, and `modify` each item",
        "or `E::scan().filter(…).modify_each(…)`, which reads the whole table";
    SortStartsWith: "a query has no such method", "say `.sort_begins_with(…)`";
    Reversed: "a query has no such method", "say `.descending()`";
    ParallelSend: "a scan of several segments has no pages", "say `.stream(&repository)`, or `.modify_each(…)`";
    BeforeParallel: "`parallel` comes last", "say what to read before `parallel`: `E::scan().filter(…).parallel(4)`";
    BeforeEach: "`modify_each` comes after all that says what to read", "say it before `modify_each`: `E::scan().filter(…).modify_each(…)`";
    ModifyReturns: "a modify has no such method", "leave it out: `send` returns the entity as it was stored",
        "the closure sees the item as it was, and can keep what is wanted of it";
    ModifyCondition: "a modify has no condition", "decide in the closure: an error that it returns ends the command, and nothing is written";
    TransactionGet: "a transaction of commands reads nothing", "say `TransactGet::new(…)`, or read in the closure of `Transaction::interactive(|tx| …)`";
    TransactionAdd: "a transaction takes each kind of action by its own method", "say `.put(…)`, `.update(…)`, `.delete(…)` or `.check(…)`";
    PutsGoIntoPut: "a transaction takes a `{Self}` by `put`", "say `.put(entity.create())`, `.put(entity.replace())`, `.put(entity.undelete())`";
    ChecksGoIntoCheck: "a transaction takes a check by `check`", "say `.check(E::check(key).condition(…))`";
    TxScan: "a transaction does not scan", "`query` partitions, or `batch_get` by keys",
        "whatever a transaction reads must stay as it is until it is applied: of a whole table, that would keep every writer out";
    TxModify: "a transaction has no `modify`", "`get` the item, change it, and `put` it by the transaction",
        "the closure runs again where another writer was faster";
    BatchPut: "a batch takes writes by `add` and `add_all`", "say `.add(entity.put())`, `.add(E::delete(key))`, or `.add_all(…)`";
}

absent! {
    [E: Entity, T] Get<E, T>, E { condition(X): GetFilter; filter(X): GetFilter; }
    [E: Entity, T] GetByUnique<E, T>, E { consistent(): AlwaysConsistent; condition(X): GetFilter; filter(X): GetFilter; }
    [E: Entity, O] Put<E, O>, E {
        filter(X): WriteFilter; upsert(): PutUpsert; if_not_exists(): IfNotExists; if_exists(): IfExists;
        version(X): PutVersion; unchecked(): PutVersion; return_new(): ReturnNew; idempotency_key(X): OnlyUpdates;
    }
    [E: Entity, O] Create<E, O>, E {
        filter(X): WriteFilter; over(X): OverNothing; return_new(): ReturnNew; idempotency_key(X): OnlyUpdates;
    }
    [E: Entity, O] Replace<E, O>, E {
        filter(X): WriteFilter; version(X): PutVersion; unchecked(): PutVersion; return_new(): ReturnNew;
        idempotency_key(X): OnlyUpdates;
    }
    [E: Tombstoned, O] Undelete<E, O>, E { filter(X): WriteFilter; over(X): OverNothing; return_new(): ReturnNew; }
    [E: Entity, O] Delete<E, O>, E {
        filter(X): WriteFilter; version(X): DeleteVersion; unchecked(): DeleteVersion; return_new(): DeleteReturnNew;
        idempotency_key(X): OnlyUpdates;
    }
    [E: Entity, O] Update<E, O>, E {
        filter(X): WriteFilter; set(X): SetWhere; add(X): SetWhere; remove(X): SetWhere;
    }
    [E: Entity, T] Query<E, T>, E {
        condition(X): ReadCondition; loaded(): QueryLoaded; all(X): ReadAll; index(X): QueryIndex;
        modify_each(X): QueryModify; sort_starts_with(X): SortStartsWith; reverse(): Reversed; rev(): Reversed;
    }
    [E: Entity, T] Scan<E, T>, E { condition(X): ReadCondition; loaded(): QueryLoaded; all(X): ReadAll; }
    [E: Entity, T] ParallelScan<E, T>, E { send(X): ParallelSend; filter(X): BeforeParallel; limit(X): BeforeParallel; }
    [E: Entity, F] Modify<E, F>, E { return_old(): ModifyReturns; return_new(): ModifyReturns; condition(X): ModifyCondition; }
    [E: Entity, F, P] ModifyEach<E, F, P>, E { filter(X): BeforeEach; limit(X): BeforeEach; }
    [] Transaction, X {
        get(X): TransactionGet; add(X): TransactionAdd; create(X): PutsGoIntoPut; replace(X): PutsGoIntoPut;
        condition_check(X): ChecksGoIntoCheck;
    }
    [] BatchWrite, X { put(X): BatchPut; put_all(X): BatchPut; delete(X): BatchPut; delete_all(X): BatchPut; }
    [] Tx, X {
        create(X): PutsGoIntoPut; replace(X): PutsGoIntoPut; add(X): TransactionAdd; scan(X): TxScan; modify(X): TxModify;
        condition_check(X): ChecksGoIntoCheck;
    }
    [E: Entity] VersionedUpdate<E>, E {
        with(X): ChecksVersion; condition(X): ChecksVersion; upsert(): ChecksVersion; idempotency_key(X): ChecksVersion;
        hedge(X): ChecksVersion; return_old(): ChecksVersion; return_new(): ChecksVersion; request(X): ChecksVersion;
        send(X): ChecksVersion;
    }
}
