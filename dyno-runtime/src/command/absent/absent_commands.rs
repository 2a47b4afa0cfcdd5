//! Methods that a command lacks although other types have them, under the same names: see `entity::absent`.

use crate::command::many::batch_write::BatchWrite;
#[cfg(feature = "bulk")]
use crate::command::many::each_commands::{DeleteEach, ModifyEach};
use crate::command::read::get::Get;
use crate::command::read::get_by_unique::GetByUnique;
use crate::command::read::index::IndexQuery;
use crate::command::read::query_and_scan::{ParallelScan, Query, Scan};
#[cfg(feature = "vectors")]
use crate::command::read::search::Search;
use crate::command::transaction::Transaction;
#[cfg(feature = "transactions")]
use crate::command::transaction::interactive::{Interactive, Tx};
use crate::command::write::delete::Delete;
use crate::command::write::modify::Modify;
use crate::command::write::put::{Create, Put, Replace, Undelete};
use crate::command::write::update::{ChecksVersion, Update, VersionedUpdate};
#[cfg(feature = "vectors")]
use crate::entity::VectorIndex;
use crate::entity::{Entity, Index, Outcome, Tombstoned, absent};
use crate::error::Error;

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
    ReadHydrate: "a read of the table returns whole items", "leave it out";
    QueryIndex: "an index is queried by a function of its own", "say `E::by_owner(…)`, by the index's name";
    QueryTake: "a query has no such method", "say `.limit(…)`";
    QueryKeys: "the key is no condition", "give the partition to `query(…)`, and ask for the sort key by `.sort_eq(…)`, `.sort_ge(…)` and the like";
    SortStartsWith: "a query has no such method", "say `.sort_begins_with(…)`";
    Reversed: "a query has no such method", "say `.descending()`";
    ParallelSend: "a scan of several segments has no pages", "say `.stream(&repository)`, or `.modify_each(…)`";
    BeforeParallel: "`parallel` comes last", "say what to read before `parallel`: `E::scan().filter(…).parallel(4)`";
    ModifyReturns: "a modify has no such method", "leave it out: `send` returns the entity as it was stored",
        "the closure sees the item as it was, and can keep what is wanted of it";
    ModifyCondition: "a modify has no condition", "decide in the closure: an error that it returns ends the command, and nothing is written";
    UniqueProject: "a read by a unique value returns the whole item", "leave `project` out",
        "DynamoDB charges the whole item for a projection, too";
    UniqueHedge: "a read by a unique value has no `hedge`", "leave it out, or hedge all reads: `repository.hedged(…)`";
    UniqueRequests: "a read by a unique value sends two requests, of which the first answer decides the second", "only `.send(&repository)` sends them";
    UniqueOne: "a read by a unique value returns one item", "say `.send(&repository)`";
    UniqueCommitted: "a read by a unique value has no such method", "leave it out: it reads what is committed";
    TransactionGet: "a transaction of commands reads nothing", "say `TransactGet::new(…)`, or read in the closure of `Transaction::interactive(|tx| …)`";
    TransactionSend: "a transaction has no such method", "say `.send(&repository)`";
    TransactionToken: "a transaction has no such method", "say `.token(…)`: a transaction with the same token is applied once";
    TransactionCondition: "each action has its own condition", "say it of the action: `.put(entity.put().condition(…))`",
        "of an item that the transaction does not write: `.check(E::check(key).condition(…))`";
    TransactionReturns: "a transaction returns no items", "leave it out, and read before with `TransactGet`, or after with `get`";
    TransactionModify: "a transaction of commands has no `modify`", "say `Transaction::interactive(|tx| …)`: `get`, change and `put` in the closure",
        "of an entity without `#[transactional]`: `update` with a condition, or `put` of what was loaded";
    TransactionAttempts: "a transaction of commands is sent once", "leave it out: the SDK's retries send the same request",
        "only the closure of `Transaction::interactive` runs again";
    TransactionAll: "a transaction takes several actions at once by the same method", "say `.put([…])`, or `.put(vec)`";
    DeletesGoIntoDelete: "a transaction takes a purge by `delete`", "say `.delete(E::delete(key))`, `.delete(E::purge(&tombstone))`";
    TransactionAdd: "a transaction takes each kind of action by its own method", "say `.put(…)`, `.update(…)`, `.delete(…)` or `.check(…)`";
    PutsGoIntoPut: "a transaction takes these writes by `put`", "say `.put(entity.create())`, `.put(entity.replace())`, `.put(entity.undelete())`";
    ChecksGoIntoCheck: "a transaction takes a check by `check`", "say `.check(E::check(key).condition(…))`";
    TxScan: "a transaction does not scan", "`query` partitions, or `batch_get` by keys",
        "all that a transaction reads must stay unchanged until it is applied: for a whole table, that would block every writer";
    TxModify: "a transaction has no `modify`", "`get` the item, change it, and `put` it by the transaction",
        "the closure runs again if another writer was faster";
    TxCommit: "the closure's result commits the transaction", "leave it out, and return `Ok(…)`";
    TxAbort: "the closure's error ends the transaction", "say `return Err(…)`: then nothing is written";
    TxSend: "a transaction's handle takes commands, and is not sent", "say `tx.get(…).await?`, `tx.put(…)`, `tx.update(…)`";
    TxSearch: "a transaction does not search", "search before the transaction, and `get` in it the items that were found",
        "all that a transaction reads must stay unchanged until it is applied, and an index can be older than its items";
    TxUnique: "a transaction does not read by a unique value", "read it before the transaction, and `get` in it the item that was found, by its key",
        "a write that claims a unique value is refused if another item has it: no read is needed";
    TxBatch: "a transaction holds writes back one by one", "say `tx.put(…)` and `tx.delete(…)`; both take a `Vec`, too";
    InteractiveKey: "a transaction with a closure has no such method", "say `.request_id(…)`: of a request that is served twice, the transaction is applied once";
    InteractiveHedge: "a transaction with a closure has no `hedge`", "leave it out, or hedge all reads: `repository.hedged(…)`";
    RefusalIsNoError: "a refusal is no error: `send` returns it in the `Outcome`", "ask the outcome: `outcome.refusal()`",
        "`.applied()?` makes an error of a refusal, which has it: `error.refusal::<E>()`, of a transaction `error.transaction_refusal()`";
    AbsentIsNoError: "a missing item is no error", "a read returns `None`; a write that needs the item is refused: `outcome.refusal()`";
    ErrorRetry: "an error has no such method", "ask `may_be_applied`, and the `kind`: the SDK has sent the request again by itself",
        "a refusal never passes by being sent again; `ErrorKind` says what each kind calls for";
    ErrorCode: "an error has no such method", "say `.kind()`; the SDK's error, with DynamoDB's code, is the `source()`";
    OutcomeIsNoResult: "an `Outcome` is no `Result`", "say `.applied()?`, or match `Outcome::Applied(…)` and `Outcome::Refused(…)`";
    OutcomeRefusal: "an `Outcome` has a refusal, which has the reasons", "ask the refusal: `outcome.refusal().is_some_and(|refusal| refusal.is_missing())`";
    FunctionQuery: "`{Self}` has no sort key, so each partition has one item", "say `get`",
        "help: mark a field with `#[sort_key]`, or write `#[sort_key(name = \"SK\", template = \"…{{field}}…\")]` on the struct";
    EmbedOfNothing: "the vector of `{Self}` is not made of anything", "say `update`, and `set` the vector",
        "help: name the fields that the vector is made of: `of(title)` in the `#[index(…)]`; then `embed` stores it if the item still has them";
    EmbedRequired: "the vector of `{Self}` is written with the item", "say `put` with the vector, or set the fields and the vector together",
        "help: make the field an `Option`, so that an item can wait for its vector";
    BatchPut: "a batch takes writes by `add` and `add_all`", "say `.add(entity.put())`, `.add(E::delete(key))`, or `.add_all(…)`";
}

absent! {
    [E: Entity, T] Get<E, T> { GetFilter: condition(X) filter(X); }
    [E: Entity, T] GetByUnique<E, T> {
        AlwaysConsistent: consistent(); GetFilter: condition(X) filter(X); UniqueHedge: hedge(X);
        UniqueRequests: request(X); UniqueOne: stream(X) all(X); UniqueCommitted: uncommitted();
    }
    [E: Entity, O] Put<E, O> {
        WriteFilter: filter(X); PutUpsert: upsert(); IfNotExists: if_not_exists(); IfExists: if_exists();
        PutVersion: version(X) unchecked(); ReturnNew: return_new(); OnlyUpdates: idempotency_key(X);
    }
    [E: Entity, O] Create<E, O> {
        WriteFilter: filter(X); OverNothing: over(X); ReturnNew: return_new(); OnlyUpdates: idempotency_key(X);
    }
    [E: Entity, O] Replace<E, O> {
        WriteFilter: filter(X); PutVersion: version(X) unchecked(); ReturnNew: return_new();
        OnlyUpdates: idempotency_key(X);
    }
    [E: Tombstoned, O] Undelete<E, O> { WriteFilter: filter(X); OverNothing: over(X); ReturnNew: return_new(); }
    [E: Entity, O] Delete<E, O> {
        WriteFilter: filter(X); DeleteVersion: version(X) unchecked(); DeleteReturnNew: return_new();
        OnlyUpdates: idempotency_key(X);
    }
    [E: Entity, O] Update<E, O> { WriteFilter: filter(X); SetWhere: set(X) add(X) remove(X); }
    [E: Entity, T] Query<E, T> {
        ReadCondition: condition(X); QueryLoaded: loaded(); ReadAll: all(X); QueryIndex: index(X);
        SortStartsWith: sort_starts_with(X); Reversed: reverse() rev(); QueryTake: take(X);
        QueryKeys: key_condition(X); ReadHydrate: hydrate();
    }
    [I: Index, T, S] IndexQuery<I, T, S> {
        ReadCondition: condition(X); QueryLoaded: loaded(); ReadAll: all(X);
        Reversed: reverse() rev(); QueryTake: take(X);
    }
    [E: Entity, T] Scan<E, T> { ReadCondition: condition(X); QueryLoaded: loaded(); ReadAll: all(X); ReadHydrate: hydrate(); }
    [E: Entity, T] ParallelScan<E, T> { ParallelSend: send(X); BeforeParallel: limit(X) filter(X); }
    [E: Entity, F] Modify<E, F> { ModifyReturns: return_old() return_new(); ModifyCondition: condition(X); }
    [] Transaction {
        PutsGoIntoPut: create(X) replace(X) undelete(X); DeletesGoIntoDelete: purge(X);
        TransactionGet: get(X) query(X) batch_get(X) scan(X); TransactionAdd: add(X); ChecksGoIntoCheck: condition_check(X);
        TransactionCondition: condition(X); TransactionSend: commit(X) execute(X);
        TransactionToken: idempotency_key(X) request_id(X); TransactionReturns: return_old() return_new();
        TransactionModify: modify(X); TransactionAttempts: attempts(X);
        TransactionAll: put_all(X) update_all(X) delete_all(X);
    }
    [] BatchWrite { BatchPut: put(X) put_all(X) delete(X) delete_all(X); }
    [] Error {
        RefusalIsNoError: is_refusal() reasons() current() is_stale() is_duplicate() is_taken() is_fenced() is_conflict()
            is_expired() is_condition() is_missing() is_existing() is_deleted() is_superseded() is_contained()
            is_already_exists() is_condition_failed() is_conditional_check_failed() is_version_mismatch() accept_stale()
            accept_duplicate() accept_contained();
        AbsentIsNoError: is_not_found(); ErrorRetry: is_retryable() is_transient(); ErrorCode: code();
    }
    [E, T] Outcome<E, T> {
        OutcomeIsNoResult: is_ok() is_err() ok() err() unwrap() expect(X);
        OutcomeRefusal: reasons() current() is_stale() is_duplicate() is_taken() is_fenced() is_conflict() is_expired()
            is_condition() is_missing() is_existing() is_deleted() is_refused();
    }
    [E: Entity] VersionedUpdate<E> {
        ChecksVersion: with(X) condition(X) upsert() idempotency_key(X) hedge(X) return_old() return_new() request(X)
            send(X);
    }
}

#[doc(hidden)]
#[allow(missing_docs, reason = "the method does not exist")]
impl<E: Entity, T> GetByUnique<E, T> {
    pub fn project<P>(&mut self) -> Self
    where
        for<'__absent> Self: UniqueProject,
    {
        <Self as UniqueProject>::none()
    }
}

#[cfg(feature = "transactions")]
absent! {
    [] Tx {
        PutsGoIntoPut: create(X) replace(X) undelete(X); DeletesGoIntoDelete: purge(X); TransactionAdd: add(X);
        TxScan: scan(X); TxModify: modify(X); ChecksGoIntoCheck: condition_check(X); TransactionCondition: condition(X);
        TxCommit: commit(); TxAbort: rollback() abort() cancel(); TxSend: send(X); TxSearch: search(X);
        TxUnique: get_by_unique(X); TxBatch: put_all(X) delete_all(X) batch_write(X);
    }
    [F, T, C] Interactive<F, T, C> {
        InteractiveKey: idempotency_key(X) token(X); InteractiveHedge: hedge(X); TransactionSend: commit(X) execute(X);
    }
}

#[cfg(feature = "bulk")]
absent! {
    BeforeEach: "`modify_each` and `delete_each` come after all that says what to read", "say it before them: `E::scan().filter(…).modify_each(…)`";
}

#[cfg(feature = "bulk")]
absent! {
    [E: Entity, F, P] ModifyEach<E, F, P> { BeforeEach: limit(X) filter(X); }
    [E: Entity, F, P] DeleteEach<E, F, P> { BeforeEach: limit(X) filter(X); }
}

#[cfg(feature = "vectors")]
absent! {
    SearchTop: "a search has no such method", "say `.top(…)`, from 1 to 100";
    SearchPages: "a search has no pages", "say `.send(&repository)`: it returns the closest items, at most 100",
        "DynamoDB's `SearchVectors` returns no more than the closest items, and no cursor";
    SearchOrder: "a search has one order: the closest items come first", "leave it out, or sort the items that it returns";
    SearchConsistent: "a search is never consistent", "leave `consistent` out, and `get` the items that it finds",
        "DynamoDB writes to the index after it has answered the write";
    SearchCondition: "a search has no such method", "say `.filter(…)` with a filter that the index declares: `.filter(ArticleSimilar::brand(\"x\"))`",
        "help: declare it as `filter(brand)` in the `#[index(…)]`; anything else is asked of the items that the search returns";
    SearchDeleted: "a search finds live items only", "leave it out: a deleted item has no vector";
    SearchLoaded: "a search does not return what was loaded", "leave `loaded` out, and `get` the item that is to be written",
        "the index can be older than the item";
    SearchScore: "a search has no such method", "say `.within(…)`: the metric decides whether a lower or a higher score is closer";
}

#[cfg(feature = "vectors")]
absent! {
    [I: VectorIndex, T] Search<I, T> {
        SearchTop: limit(X) take(X); SearchPages: stream(X) start_at(X) count(X) all(X); SearchOrder: descending();
        SearchConsistent: consistent(); SearchCondition: condition(X) sort_eq(X); SearchDeleted: include_deleted();
        SearchLoaded: loaded(); SearchScore: min_score(X) max_distance(X);
    }
}
