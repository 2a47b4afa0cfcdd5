//! Each kind of entity, with each of its commands that can be refused, sent alone and as an action of a native transaction.

use super::{Command, Other, Play, Purged, Stranger, TEXT, command, play_all};
use dyno::{Entity, EpochSeconds, Transaction};
use dyno_tests::NOW;

/// The text that other processes store.
const THEIRS: &str = "theirs";

/// The items of a transaction.
const PAIR: &[&str] = &["1", "2"];

/// A small number: a version, a token or a fence, which may be the stored one.
fn any() -> u64 {
    fastrand::u64(0..5)
}

/// A time up to one minute ago, or within the next 15 minutes.
fn soon() -> EpochSeconds {
    EpochSeconds::new(NOW / 1000 + fastrand::i64(-60..900))
}

type Action = fn(Transaction, &'static str) -> Transaction;

/// Kinds of entities. `mine`: commands that can be refused, sent alone and as an action of a transaction. `alone`: commands
/// that are only sent alone. `others`: further writes of other processes.
macro_rules! kinds {
    ($($kind:ident $is_named:literal $(#[$attribute:meta])* { $($(#[$rule:meta])* $field:ident: $type:ty = $value:expr),* }
        mine |$id:ident, $text:ident| { $($method:ident $action:expr;)* }
        alone { $($alone:expr;)* }
        others { $($other:expr;)* })*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "things")]
            $(#[$attribute])*
            struct Thing {
                #[partition_key]
                id: String,
                text: String,
                count: u64,
                #[attribute(default)]
                list: Vec<String>,
                $($(#[$rule])* $field: $type,)*
            }

            #[allow(dead_code, reason = "some kinds have no puts")]
            fn thing(id: &str, text: &str) -> Thing {
                Thing { id: id.to_owned(), text: text.to_owned(), count: any(), list: Vec::new(), $($field: $value,)* }
            }

            fn alone() -> Command {
                let mut commands: Vec<fn() -> Command> = vec![$(|| {
                    let ($id, $text) = ("1", TEXT);
                    let _not_each_needs_both = ($id, $text);
                    command!($action)
                },)*];
                commands.extend::<Vec<fn() -> Command>>(vec![$(|| {
                    let ($id, $text) = ("1", TEXT);
                    let _not_each_needs_both = ($id, $text);
                    // Each send makes a new command, which is another write.
                    Box::new(move |repository| {
                        Box::pin(async move { $alone.send(&repository).await.map(crate::attribution::Answer::told) })
                    })
                },)*]);
                fastrand::choice(&commands).expect("a command")()
            }

            /// A transaction of two random commands, each on its own item.
            fn together() -> Command {
                let actions: [Action; _] = [$(|transaction, $id| {
                    let $text = TEXT;
                    let _not_each_needs_it = $text;
                    transaction.$method($action)
                },)*];
                let any = || *fastrand::choice(&actions).expect("an action");
                command!(PAIR.iter().fold(Transaction::new(), |transaction, id| any()(transaction, id)))
            }

            fn others() -> Vec<Other> {
                vec![$(|repository, $id| Box::pin(async move {
                    let $text = THEIRS;
                    let _not_each_needs_it = $text;
                    let _whatever = $action.send(&repository).await;
                }),)* $(|repository, $id| Box::pin(async move {
                    let $text = THEIRS;
                    let _not_each_needs_it = $text;
                    let _whatever = $other.send(&repository).await;
                }),)*]
            }

            #[test]
            fn a_refused_single_write_is_never_applied() {
                let play = || Play { command: alone(), is_named: $is_named, is_apart: false, others: others(), ids: &["1"] };
                play_all::<Thing>(concat!(stringify!($kind), " alone"), play);
            }

            #[test]
            fn a_refused_native_transaction_is_never_applied() {
                let play = || Play { command: together(), is_named: true, is_apart: false, others: others(), ids: PAIR };
                play_all::<Thing>(concat!(stringify!($kind), " together"), play);
            }
        }
    )*};
}

/// A change of the text.
macro_rules! set {
    ($text:ident) => {
        Thing::fields().text.set($text)
    };
}

kinds! {
    plain false {}
    mine |id, text| {
        put thing(id, text).create();
        put thing(id, text).replace();
        put thing(id, text).put().condition(Thing::fields().count.le(any()));
        update Thing::update(id).with(set!(text));
        update Thing::update(id).with([set!(text), Thing::fields().count.add(1)]);
        update Thing::update(id).with([set!(text), Thing::fields().count.decrement(3)]);
        update Thing::update(id).with([set!(text), Thing::fields().list.push_unique("a")]);
        update Thing::update(id).with([set!(text), Thing::fields().list.remove_value("a")]);
        update Thing::update(id).with(set!(text)).condition(Thing::fields().count.eq(any()));
        delete Thing::delete(id).condition(Thing::fields().count.ge(any()));
    }
    alone {}
    others { thing(id, text).put(); Thing::delete(id); Thing::update(id).with(Thing::fields().list.push("a")); }

    expiring false { #[ttl] expires: EpochSeconds = soon() }
    mine |id, text| {
        put thing(id, text).create();
        put thing(id, text).replace();
        update Thing::update(id).with([set!(text), Thing::fields().expires.set(soon())]);
        delete Thing::delete(id).condition(Thing::fields().count.ge(any()));
    }
    alone {}
    others { thing(id, text).put(); Thing::delete(id); }

    ratcheted false #[tombstone(ttl_days = 7)] { #[ratchet] at: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).replace();
        put thing(id, text).undelete();
        delete Thing::delete(id, any());
    }
    alone {}
    others {}

    ratcheted_and_expiring false #[tombstone(ttl_days = 7)] { #[ratchet(strict)] at: u64 = any(), #[ttl] expires: EpochSeconds = soon() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).undelete();
        delete Thing::delete(id, any());
    }
    alone {}
    others {}

    in_groups false #[tombstone(ttl_days = 7)] {
        #[ratchet(guards(text))] at: u64 = any(), #[ratchet(strict, guards(count, list))] seen: u64 = any()
    }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        update Thing::update(id).at(any()).text(text);
        delete Thing::delete(id, any(), any());
    }
    alone {}
    others {}

    fenced false #[tombstone(ttl_days = 7)] { #[fence] epoch: u64 = any() }
    mine |id, text| {
        put thing(id, text).put().fenced(any());
        put thing(id, text).create();
        update Thing::update(id).with(set!(text)).fenced(any());
        delete Thing::delete(id).fenced(any());
    }
    alone {}
    others {}

    versioned true #[tombstone(ttl_days = 7)] { #[version] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).replace();
        put thing(id, text).undelete();
        put thing(id, text).put().condition(Thing::fields().count.le(any()));
        update Thing::update(id).version(any()).with(set!(text));
        update Thing::update(id).version(any()).with([set!(text), Thing::fields().list.remove_value("a")]);
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::update(id).unchecked().with(Thing::fields().list.push("a")); Thing::modify(id, |thing: &mut Thing| thing.count += 1); }

    unchecked false #[tombstone(ttl_days = 7)] { #[version] version: u64 = any() }
    mine |id, text| {
        update Thing::update(id).unchecked().with(set!(text));
        update Thing::update(id).unchecked().with([set!(text), Thing::fields().count.decrement(3)]);
        update Thing::update(id).unchecked().with([set!(text), Thing::fields().list.push_unique("a")]);
    }
    alone {
        Thing::modify(id, move |thing: &mut Thing| text.clone_into(&mut thing.text));
    }
    others { thing(id, text).create(); thing(id, text).put(); Thing::delete(id, any()); }

    versioned_without_tombstone true { #[version] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).replace();
        update Thing::update(id).version(any()).with(set!(text));
        delete Thing::delete(id, any());
    }
    alone {}
    others {}

    without_a_write_id true #[tombstone(ttl_days = 7)] { #[version(write_id = false)] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        update Thing::update(id).version(any()).with(set!(text));
        delete Thing::delete(id, any());
    }
    alone {}
    others {}

    versioned_and_expiring true #[tombstone(ttl_days = 7)] { #[version] version: u64 = any(), #[ttl] expires: EpochSeconds = soon() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        update Thing::update(id).version(any()).with(set!(text));
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::update(id).unchecked().with(Thing::fields().expires.set(soon())); }

    with_atomic_history true #[tombstone(ttl_days = 7)] #[history_table] { #[version] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).undelete();
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::modify(id, |thing: &mut Thing| thing.count += 1); Thing::rollback(id, any()); Purged(id); }

    with_ordered_history true #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered")] { #[version] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        put thing(id, text).undelete();
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::modify(id, |thing: &mut Thing| thing.count += 1); Thing::rollback(id, any()); Purged(id); }

    with_a_history_alone true #[history_table] { #[version] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::modify(id, |thing: &mut Thing| thing.count += 1); }

    with_a_history_and_no_write_id true #[tombstone(ttl_days = 7)] #[history_table] { #[version(write_id = false)] version: u64 = any() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::modify(id, |thing: &mut Thing| thing.count += 1); Purged(id); }

    with_a_history_and_expiring true #[tombstone(ttl_days = 7)] #[history_table] { #[version] version: u64 = any(), #[ttl] expires: EpochSeconds = soon() }
    mine |id, text| {
        put thing(id, text).put();
        put thing(id, text).create();
        delete Thing::delete(id, any());
    }
    alone {}
    others { Thing::modify(id, |thing: &mut Thing| thing.expires = soon()); Stranger(id); Purged(id); }

    keyed_by_time false #[idempotency(window_secs = 3600, max_skew_secs = 900)] {}
    mine |id, text| {
        put thing(id, text).create();
        update Thing::update(id).with([set!(text), Thing::fields().count.add(1)]).idempotency_key(any().to_string());
        update Thing::update(id).with(set!(text)).condition(Thing::fields().count.ge(any())).idempotency_key(any().to_string());
    }
    alone {}
    others { Thing::delete(id); }

    keyed_by_count false #[idempotency(keys = 2)] {}
    mine |id, text| {
        put thing(id, text).create();
        update Thing::update(id).with([set!(text), Thing::fields().count.add(1)]).idempotency_key(any().to_string());
        update Thing::update(id).with(set!(text)).condition(Thing::fields().count.ge(any())).idempotency_key(any().to_string());
    }
    alone {}
    others { Thing::delete(id); }

    keyed_in_rows false #[idempotency(store = "row", window_secs = 3600)] {}
    mine |id, text| {
        put thing(id, text).create();
        put thing(id, text).replace();
        update Thing::update(id).with([set!(text), Thing::fields().count.add(1)]).idempotency_key(any().to_string());
        update Thing::update(id).with(set!(text)).condition(Thing::fields().count.ge(any())).idempotency_key(any().to_string());
    }
    alone {}
    others { Thing::delete(id); }
}
