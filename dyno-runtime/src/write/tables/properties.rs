//! Properties of all combinations of entities, commands and rows, independent of the tables.

use super::commands::{ENTITIES, Named, commands};
use super::repository;
use super::rows::{By, by, item, text};
use super::schemas::{MARKED_AND_KEYED, NARROW, NARROW_ORDERED, ORDERED_AND_TOMBSTONE, PLAIN, VERSION_AND_TOMBSTONE};
use super::table::{self, ALONE};
use super::walk::{Case, Composition, Question, Walk};
use crate::attribute::Item;
use crate::key::item_size;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision, Reason, Verb};
use crate::schema::Schema;
use crate::write::compose::{Composable, compose};
use crate::write::verdict::verdict;
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{
    ComposedWrite, Conclusion, Denial, HistoryRow, Judgement, Knowledge, Next, OtherAttempts, Read, Retry, RevisionPut,
    SendAs,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A limit that no write reaches while no other writer writes.
const STEPS: usize = 12;

/// Returns every request of a command, as a single write and as an action of a transaction, at first and after each denial.
fn compositions(case: &Case<'_>) -> Vec<Composition> {
    let all = RefCell::default();
    for send_as in [&ALONE, &SendAs::Action] {
        if matches!((send_as, case.command.verb), (SendAs::Single(_), Verb::Check { .. })) {
            continue;
        }
        let fresh = OtherAttempts::default();
        Walk { case, send_as, attempts: &fresh, compositions: &all }.walk(Question::Compose, &Knowledge::default());
        let first = first(&all.borrow());
        table::sections(case, first, send_as, &all);
    }
    let mut seen = HashSet::new();
    let mut all = all.into_inner();
    all.retain(|(composed, _)| {
        seen.insert(format!("{:?} {:?} {:?}", composed.write.expected, composed.companion, composed.write.dedup.phase))
    });
    all
}

fn first(compositions: &[Composition]) -> Option<Expected> {
    compositions.first().and_then(|(composed, _)| composed.write.expected)
}

fn every(schemas: impl IntoIterator<Item = &'static Schema>) -> impl Iterator<Item = Named> {
    schemas.into_iter().flat_map(commands)
}

#[test]
fn no_version_beyond_the_range_of_its_type_is_sent() {
    let repository = repository();
    let mut sent = 0;
    for (name, command) in every([&NARROW, &NARROW_ORDERED]) {
        let version = command.schema.version.as_ref().expect("a version");
        for (composed, _) in compositions(&Case::new(&command, &repository)) {
            let Some(expected) = composed.write.expected else { continue };
            sent += 1;
            assert!(version.check(expected).is_ok(), "{name}: {expected:?}");
            assert!(composed.write.next().is_none_or(|next| next <= version.max), "{name}: {expected:?}");
        }
    }
    assert!(sent > 0);
}

/// The rules give a reason exactly if their condition fails. Otherwise a refusal would be unexplained, or a write that passes
/// would be reported as refused.
#[test]
fn a_refusal_has_reasons_exactly_if_its_condition_fails() {
    let repository = repository();
    for (name, command) in every(ENTITIES.map(|(_, schema)| schema)) {
        let case = Case::new(&command, &repository);
        for (composed, _) in compositions(&case) {
            let write = &composed.write;
            // A write without a condition is never refused.
            let Some(condition) = rule::condition(write, None) else { continue };
            let numbers = write.expected.and_then(|expected| expected.base().zip(expected.next())).unwrap_or((3, 4));
            for (row, item) in case.rows(numbers) {
                let there = item.clone().unwrap_or_default();
                let passes = condition.holds(&there);
                let reasons = rule::reasons(write, item.as_ref());
                let phase = write.schema.idempotency.as_ref().and_then(|keys| keys.other_phase(write, item.as_ref()));
                // An intent is no reason, because the write waits for its transaction.
                let is_held = rule::is_held(write.schema, item.as_ref());
                let is_alike = passes == (reasons.is_empty() && phase.is_none() && !is_held);
                // The reasons of a purge assume a denial; and a create that meets a dead item is sent again with its numbers.
                let is_renumbered = rule::number_on(write, item.as_ref()).is_some();
                let is_alike = is_alike || passes && name == "purge" || !passes && is_renumbered;
                // DynamoDB itself refuses to replace an element of a text, whatever the condition.
                let is_alike = is_alike || row == "its keys a text" && write.dedup.phase == Phase::Replacing;
                assert!(is_alike, "{name} | {row}: the condition holds: {passes}, and the reasons are {reasons:?}");
            }
        }
    }
}

/// Only a write with a condition of the caller attributes an unexplained refusal to it.
#[test]
fn an_unexplained_refusal_is_not_attributed_to_the_caller_s_condition() {
    let repository = repository();
    let reasons_of = |name: &str| {
        let (_, command) = commands(&PLAIN).into_iter().find(|(found, _)| *found == name).expect("a command");
        let case = Case::new(&command, &repository);
        let (composed, known) = compositions(&case).remove(0);
        let denial = Denial::of_item(Some(item(&PLAIN, 4)));
        match verdict(&composed, &denial, &case.input(&known, &OtherAttempts::default(), &ALONE)) {
            Judgement::End(Conclusion::Refused { reasons, .. }) => reasons,
            next => panic!("{next:?}"),
        }
    };
    assert_eq!(reasons_of("update"), [Reason::Unexplained]);
    assert_eq!(reasons_of("put if n is 3"), [Reason::Condition]);
}

/// The row of its key proves that an update was made, also after another entity's item has taken the key of the item.
#[test]
fn a_stored_key_row_is_a_duplicate_despite_another_entity_s_item() {
    let (repository, schema) = (repository(), &MARKED_AND_KEYED);
    let (_, update) = commands(schema).into_iter().find(|(name, _)| *name == "update").expect("an update");
    let case = Case::new(&update, &repository);
    let (composed, known) = compositions(&case).remove(0);
    let item = item(schema, 3).into_iter().chain([("type".to_owned(), text("Other"))]).collect();
    for is_known in [false, true] {
        let denial = Denial {
            item: Some(Some(Item::clone(&item))),
            companion: is_known.then(|| Some(Item::new())),
            ..Denial::default()
        };
        let next = verdict(&composed, &denial, &case.input(&known, &OtherAttempts::default(), &ALONE));
        let Judgement::End(Conclusion::Refused { reasons, .. }) = next else { panic!("{next:?}") };
        assert!(matches!(reasons[0], Reason::OtherEntity { .. }), "{reasons:?}");
        assert_eq!(reasons[1..], if is_known { vec![Reason::Duplicate] } else { Vec::new() });
    }
}

/// With a history, each number is given once. So an item of the loaded version proves that no program has applied a
/// write since the load. Without a history, the numbers may have begun again, and it may be another item.
#[test]
fn only_with_a_history_does_the_loaded_version_identify_its_item() {
    let repository = repository();
    let is_decided = |schema, name: &str| {
        let (_, command) = commands(schema).into_iter().find(|(found, _)| *found == name).expect("a command");
        let case = Case::new(&command, &repository);
        let (composed, known) =
            compositions(&case).into_iter().find(|(composed, _)| composed.loaded_identity.is_some()).expect("loaded");
        let attempts = OtherAttempts { may_be_applied: true, expectations: vec![Expected::Loaded(3)] };
        let another = Denial::of_item(Some(by(schema, 3, By::Another)));
        match verdict(&composed, &another, &case.input(&known, &attempts, &ALONE)) {
            Judgement::End(Conclusion::Refused { .. }) => true,
            Judgement::End(Conclusion::InDoubt) => false,
            next => panic!("{next:?}"),
        }
    };
    assert!(is_decided(&ORDERED_AND_TOMBSTONE, "modify of 3"));
    assert!(!is_decided(&VERSION_AND_TOMBSTONE, "put of 3 over what was loaded"));
}

/// Only existing rows of a history never change.
#[test]
fn a_sent_request_discards_earlier_reads() {
    let revision = RawRevision { version: 1, deleted: false, image: Item::new() };
    let mut known = Knowledge {
        item: Some(None),
        newest: Some(None),
        key_row: Some(false),
        is_number_taken: true,
        revisions: HashMap::from([(1, Some(HistoryRow { revision, is_fresh: true })), (2, None)]),
        ..Knowledge::default()
    };
    known.discard_reads();
    assert!(known.item.is_none() && known.newest.is_none() && known.key_row.is_none() && !known.is_number_taken);
    assert!(known.revisions.into_keys().eq([1]));
}

/// The content of the tables.
struct World {
    schema: &'static Schema,
    item: Option<Item>,
    rows: BTreeMap<u64, RawRevision>,
}

impl World {
    fn newest(&self) -> Option<RawRevision> {
        self.rows.last_key_value().map(|(_, revision)| revision.clone())
    }

    fn read(&self, read: Read, known: &mut Knowledge) {
        match read {
            Read::Item => known.item = Some(self.item.clone()),
            Read::NewestBeforeItem => (known.newest, known.item) = (Some(self.newest()), None),
            Read::NewestAfterItem => known.newest = Some(self.newest()),
            Read::Revision(number) => {
                let row =
                    self.rows.get(&number).map(|revision| HistoryRow { revision: revision.clone(), is_fresh: false });
                known.revisions.insert(number, row);
            }
            Read::KeyRow => known.key_row = Some(false),
        }
    }

    fn put(&mut self, RevisionPut { revision, is_stored }: RevisionPut, known: &mut Knowledge) {
        let number = revision.version;
        let stored = self.rows.get(&number).filter(|_| !is_stored).cloned();
        let row = HistoryRow { is_fresh: stored.is_none(), revision: stored.unwrap_or_else(|| revision.clone()) };
        self.rows.entry(number).or_insert(revision);
        known.revisions.insert(number, Some(row));
    }

    /// Takes the steps of the write up to its request or its end.
    fn compose(&mut self, case: &Case<'_>, attempts: &OtherAttempts, known: &mut Knowledge) -> Next {
        for _ in 0..STEPS {
            let next =
                compose(Composable::Repeatedly(case.command), &case.input(known, attempts, &ALONE)).expect("a step");
            match next {
                Next::Judged(Judgement::Read(read)) => self.read(read, known),
                Next::PutRevision(put) => self.put(put, known),
                Next::Judged(Judgement::Retry(retry)) => self.apply(retry, known),
                next => return next,
            }
        }
        panic!("there is no end to it");
    }

    /// Prepares the next request. A transaction that holds the item is rolled back.
    fn apply(&mut self, retry: Retry, known: &mut Knowledge) {
        if matches!(retry, Retry::Locked(_)) {
            self.item = rule::committed(self.schema, self.item.take());
        }
        known.apply(retry);
    }

    fn judge(
        &self,
        case: &Case<'_>,
        composed: &ComposedWrite,
        denial: &Denial,
        attempts: &OtherAttempts,
        known: &mut Knowledge,
    ) -> Judgement {
        for _ in 0..STEPS {
            match verdict(composed, denial, &case.input(known, attempts, &ALONE)) {
                Judgement::Read(read) => self.read(read, known),
                next => return next,
            }
        }
        panic!("there is no end to it");
    }
}

/// The history proves that a write was applied, although its answer was lost. So the write is neither reported as refused nor
/// sent with another number, whatever other writers have written since.
#[test]
fn a_write_recorded_in_its_history_is_not_repeated() {
    let repository = repository();
    let mut judged = 0;
    for (name, command) in every(ENTITIES.map(|(_, schema)| schema)) {
        let case = Case::new(&command, &repository);
        if !case.is_remembered() {
            continue;
        }
        let all = compositions(&case);
        for (composed, known) in &all {
            for (which, attempts) in table::other_attempts(&command, first(&all), composed.write.expected) {
                // The write of an earlier number was evaluated before this number was tried.
                let numbers = attempts.expectations.iter().filter_map(|expected| expected.next());
                for number in numbers.filter(|number| attempts.may_be_applied && Some(*number) >= composed.write.next())
                {
                    judged += applied_as(number, &case, (composed, known), &attempts, &format!("{name} | {which}"));
                }
            }
        }
    }
    assert!(judged > 0);
}

/// Checks the denials after an attempt was applied with this number. Returns how many there are.
fn applied_as(
    number: u64,
    case: &Case<'_>,
    (composed, known): (&ComposedWrite, &Knowledge),
    attempts: &OtherAttempts,
    which: &str,
) -> usize {
    let (denials, _) = table::denials(case, composed);
    let denials = denials.into_iter().filter(|(_, denial)| denial.companion.is_none() && case.is_since(number, denial));
    let mut judged = 0;
    for (denied, denial) in denials {
        let mut world = World {
            schema: case.command.schema,
            item: denial.item.clone().flatten(),
            rows: (1..=number + 2).map(|version| (version, case.revision(version, version == number))).collect(),
        };
        // The request was composed before these rows were stored.
        let mut known = Knowledge { revisions: HashMap::new(), ..known.clone() };
        let judged_now = match world.judge(case, composed, &denial, attempts, &mut known) {
            Judgement::Retry(retry) => {
                world.apply(retry, &mut known);
                world.compose(case, attempts, &mut known)
            }
            judgement => Next::Judged(judgement),
        };
        // A clone composes its own attempt.
        let next_attempt = world.compose(case, attempts, &mut Knowledge::default());
        judged += 1;
        for next in [judged_now, next_attempt] {
            let is_refused = matches!(next, Next::Judged(Judgement::End(Conclusion::Refused { .. })));
            assert!(!is_refused, "{which} | {denied}, where {number} is its own: {next:?}");
            // A request with a number that was tried already is harmless, because the number refuses it.
            let Next::Send(composed, _) = next else { continue };
            let next = composed.write.next();
            let is_tried = attempts.expectations.iter().any(|expected| expected.next() == next);
            assert!(
                is_tried,
                "{which} | {:?} | {denied}, where {number} is its own: sent as {next:?}",
                composed.write.expected
            );
        }
    }
    judged
}

impl Case<'_> {
    fn is_remembered(&self) -> bool {
        self.own.is_some() && self.command.schema.history.is_some() && self.command.verb != Verb::Purge
    }

    /// Returns `true` if the item of this denial can be stored after an attempt was applied with this number: no item, one of a
    /// later version, or one of a program that does not count versions.
    fn is_since(&self, number: u64, denial: &Denial) -> bool {
        let Some(Some(item)) = &denial.item else { return true };
        let WriteCommand { schema, .. } = self.command;
        let version = schema.version.as_ref().and_then(|version| version.of(item));
        let is_named = item.contains_key("w");
        version.is_none_or(|version| version == 0 || version > number || version == number && !is_named)
    }

    fn revision(&self, version: u64, is_own: bool) -> RawRevision {
        let whose = self.own.as_deref().filter(|_| is_own).map_or(By::Other, By::Own);
        let image = by(self.command.schema, version, whose);
        RawRevision { version, deleted: is_own && self.command.verb == Verb::Delete, image }
    }
}

/// DynamoDB removes revisions by their TTL, and then the history proves nothing.
#[test]
fn the_item_is_read_before_the_outcome_is_reported_as_unknown() {
    let (repository, schema) = (repository(), &ORDERED_AND_TOMBSTONE);
    let (_, create) = commands(schema).into_iter().find(|(name, _)| *name == "create").expect("a create");
    let case = Case::new(&create, &repository);
    let attempts = OtherAttempts { may_be_applied: true, expectations: vec![Expected::New(5), Expected::Dead(8)] };
    let after_taken_number = || Knowledge { is_number_taken: true, ..Knowledge::default() };
    let mut without_item = World { schema, item: None, rows: BTreeMap::new() };
    let next = without_item.compose(&case, &attempts, &mut after_taken_number());
    assert!(matches!(next, Next::Judged(Judgement::End(Conclusion::InDoubt))));
    let mut earlier = World { schema, item: Some(by(schema, 3, By::Other)), rows: BTreeMap::new() };
    let next = earlier.compose(&case, &attempts, &mut after_taken_number());
    assert!(matches!(next, Next::Send(..)));
}

/// An item that does not fit into its history could never be changed or deleted.
#[test]
fn an_item_too_large_for_its_history_is_not_sent() {
    let (repository, schema) = (repository(), &ORDERED_AND_TOMBSTONE);
    let (_, mut put) = commands(schema).into_iter().find(|(name, _)| *name == "put of 3").expect("a put");
    let most = 400 * 1024;
    let mut item = put.item.expect("an item");
    // The write adds its write id.
    let rest = item_size(&item) + 24;
    item.insert("n".to_owned(), text(&"x".repeat(most - rest)));
    put.item = Ok(item);
    let case = Case::new(&put, &repository);
    let (known, attempts) = (Knowledge::default(), OtherAttempts::default());
    let error = compose(Composable::Repeatedly(&put), &case.input(&known, &attempts, &ALONE)).expect_err("too large");
    assert!(error.to_string().contains("the revision in the history"), "{error}");
}
