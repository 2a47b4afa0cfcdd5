//! The rules of an entity, with every default filled in. `check` checks them against each other.

use super::field::FieldInput;
use super::value::{at_least, chosen, find_field, literal, required, word, word_or};
use crate::attr::{
    EntityAttr, HistoryAttr, IdempotencyAttr, RatchetAttr, Slot, TombstoneAttr, VersionAttr, Words as _, WriteIdAttr,
};
use crate::diag::{Diagnostics, Problem};
use crate::given::{Given, Word};
use crate::model::{
    Case, EntityType, History, Idempotency, KeyStore, Layout, Mode, Ratchet, SchemaVersion, Tombstone, Version,
};
use syn::ext::IdentExt as _;
use syn::{Ident, LitInt, LitStr};

/// The default names of the attributes that store an item's entity, its schema version, its write id and its idempotency
/// keys.
const TYPE_ATTRIBUTE: &str = "_type";
const SCHEMA_ATTRIBUTE: &str = "_v";
const WRITE_ID: &str = "_w";
const KEYS_ATTRIBUTE: &str = "_k";

/// Returns the mark of an entity's items. Either `type_name` or `type_attribute` suffices to declare it.
pub(super) fn entity_type(attrs: &EntityAttr, ident: &Ident) -> Option<EntityType> {
    let span = word(&attrs.type_attribute).or_else(|| word(&attrs.type_name))?.span;
    Some(EntityType {
        attribute: word_or(&attrs.type_attribute, || TYPE_ATTRIBUTE.to_owned(), span),
        name: word_or(&attrs.type_name, || ident.unraw().to_string(), span),
    })
}

pub(super) fn schema_version(attrs: &EntityAttr, diag: &mut Diagnostics) -> Option<SchemaVersion> {
    let current = attrs.schema_version.get()?;
    Some(SchemaVersion {
        current: at_least(&current.value, "schema_version", 1, 1, diag),
        attribute: word_or(&attrs.schema_attribute, || SCHEMA_ATTRIBUTE.to_owned(), current.span),
        upgrade: attrs.upgrade.get().cloned(),
        mistaken: attrs.mistaken,
    })
}

pub(super) fn ratchets(fields: &[FieldInput], diag: &mut Diagnostics) -> Vec<Ratchet> {
    let marked = fields.iter().enumerate();
    let marked = marked.filter_map(|(index, field)| Some((index, field.attrs.ratchet.get()?)));
    marked.map(|(index, attr)| ratchet(index, attr, fields, diag)).collect()
}

fn ratchet(index: usize, attr: &Given<RatchetAttr>, fields: &[FieldInput], diag: &mut Diagnostics) -> Ratchet {
    let tiebreak = word(&attr.tiebreak).and_then(|name| {
        let field = find_field(fields, &name, name.span, "`tiebreak`", diag)?;
        Some(Given::new(field, name.span))
    });
    let guards = attr.guards.get().map(|guards| {
        if guards.value.is_empty() {
            diag.push(Problem::new(guards.span, "`guards` names no field").help("write `guards(field, …)`"));
        }
        let guards = guards.value.iter().filter_map(|guard| {
            let field = find_field(fields, &guard.unraw().to_string(), guard.span(), "`guards`", diag)?;
            Some(Given::new(field, guard.span()))
        });
        guards.collect()
    });
    let max_ahead_secs = attr.max_ahead_secs.get().and_then(|secs| {
        let parsed = secs.value.base10_parse::<u32>();
        let problem = || Problem::new(secs.value.span(), "`max_ahead_secs` is a whole number of seconds");
        parsed.map_err(|_| diag.push(problem().help("write `max_ahead_secs = 300`"))).ok()
    });
    Ratchet {
        field: index,
        strict: attr.strict.is_set(),
        tiebreak,
        max_ahead_secs,
        guards: guards.unwrap_or_default(),
        span: attr.span,
        said: attr.said(),
    }
}

/// Lowers a tombstone. `ttl` is the attribute of the entity's own expiry, if it has one.
pub(super) fn tombstone(
    attr: &Given<TombstoneAttr>,
    ttl: Option<&Word>,
    case: Case,
    diag: &mut Diagnostics,
) -> Tombstone {
    let named = |slot: &Slot<LitStr>, default: &str| word_or(slot, || case.field(default), attr.span);
    let days = if attr.mistaken {
        attr.ttl_days.get().map(|days| &days.value)
    } else {
        required(&attr.ttl_days, "ttl_days", "tombstone", attr.span, "7", diag)
    };
    Tombstone {
        ttl_days: days.map_or(1, |days| ttl_days(days, diag)),
        mark: attr
            .mark
            .get()
            .map_or_else(|| Given::new(true, attr.span), |mark| Given::new(mark.value.value, mark.value.span())),
        deleted: named(&attr.deleted, "deleted"),
        // A table has one TTL attribute, so the entity's own expiry and its tombstones share it.
        ttl: match ttl {
            Some(own) if !attr.ttl.is_set() => own.clone(),
            _ => named(&attr.ttl, "ttl"),
        },
        said: attr.said(),
    }
}

fn ttl_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(0) => diag.push(
            Problem::new(days.span(), "a tombstone that is kept for 0 days protects nothing")
                .help("keep it for longer than any older write can be under way: `ttl_days = 7`"),
        ),
        Ok(days) => return days,
        Err(_) => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1").help("write `ttl_days = 7`"),
        ),
    }
    1
}

pub(super) fn version(fields: &[FieldInput], diag: &mut Diagnostics) -> Option<Version> {
    let (field, attr) =
        fields.iter().enumerate().find_map(|(index, field)| Some((index, field.attrs.version.get()?)))?;
    Some(Version { field, write_id: write_id(attr, diag), said: attr.said() })
}

fn write_id(attr: &Given<VersionAttr>, diag: &mut Diagnostics) -> Option<Word> {
    match attr.write_id.get().map(|write_id| &write_id.value) {
        None => Some(Given::new(WRITE_ID.to_owned(), attr.span)),
        Some(WriteIdAttr::Named(name)) => Some(literal(name)),
        Some(WriteIdAttr::Switch(switch)) => {
            if switch.value {
                diag.push(
                    Problem::new(switch.span(), "a write id is there unless it is turned off")
                        .help("remove this, or give its name: `write_id = \"_w\"`"),
                );
            }
            None
        }
    }
}

pub(super) fn history(attr: &Given<HistoryAttr>, diag: &mut Diagnostics) -> History {
    let layouts = [("second_table", Layout::SecondTable), ("same_table", Layout::SameTable)];
    History {
        mode: chosen(&attr.mode, "mode", &[("atomic", Mode::Atomic), ("ordered", Mode::Ordered)], attr.span, diag),
        layout: chosen(&attr.layout, "layout", &layouts, attr.span, diag),
        name: word(&attr.name),
        ttl_days: attr.ttl_days.get().map(|days| history_days(&days.value, diag)),
        span: attr.span,
        said: attr.said(),
    }
}

/// Returns how many days a revision is kept.
fn history_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(days) if days > 0 => return days,
        _ => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1")
                .help("write `ttl_days = 365`, or leave it out to keep every revision"),
        ),
    }
    1
}

/// The most sets that a window of time can need: see the runtime's `capacity`.
const SETS: usize = 26;

pub(super) fn idempotency(attr: &Given<IdempotencyAttr>, diag: &mut Diagnostics) -> Idempotency {
    let mut number = |slot: &Slot<LitInt>, name: &str, default: u32, least: u32| {
        slot.get().map_or(Given::new(default, attr.span), |given| at_least(&given.value, name, least, default, diag))
    };
    let window_secs = number(&attr.window_secs, "window_secs", 300, 1).value;
    let max_skew_secs = number(&attr.max_skew_secs, "max_skew_secs", window_secs, 1);
    let keys = number(&attr.keys, "keys", 1000, 1);
    let key_bytes = number(&attr.key_bytes, "key_bytes", 16, 1);
    let body_bytes = number(&attr.body_bytes, "body_bytes", 1024, 0).value;
    let max_rps = attr.max_rps.is_set().then(|| number(&attr.max_rps, "max_rps", 1, 1).value);
    let attribute = word_or(&attr.attribute, || KEYS_ATTRIBUTE.to_owned(), attr.span);
    let is_row = chosen(&attr.store, "store", &[("item", false), ("row", true)], attr.span, diag);
    let store = match (is_row.value, attr.keys.is_set()) {
        (true, _) => {
            let keep_secs = window_secs.saturating_add(max_skew_secs.value);
            KeyStore::Row { table: word(&attr.table), keep_secs }
        }
        (false, true) => KeyStore::Count { keys, attribute },
        (false, false) => {
            let attributes = (0..SETS).map(|set| Given::new(format!("{attribute}{set}"), attribute.span)).collect();
            KeyStore::Time { window_secs, max_skew_secs, attributes }
        }
    };
    Idempotency {
        store: Given::new(store, is_row.span),
        raw: attr.raw.is_set(),
        key_bytes,
        body_bytes,
        max_rps,
        span: attr.span,
        said: attr.said(),
    }
}
