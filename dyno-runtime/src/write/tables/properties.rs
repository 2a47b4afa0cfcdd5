//! What holds for all combinations, whatever the tables say.

use super::commands::{ENTITIES, Named, commands};
use super::repository;
use super::rows::{By, by, item, text};
use super::schemas::{MARKED_AND_KEYED, NARROW, NARROW_ORDERED, ORDERED_AND_TOMBSTONE, PLAIN, VERSION_AND_TOMBSTONE};
use super::table::{self, ALONE};
use super::walk::{Case, Composed, Question, Walk};
use crate::attribute::Item;
use crate::key::item_size;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision, Reason, Verb};
use crate::schema::Schema;
use crate::write::compose::{Given, compose};
use crate::write::verdict::verdict;
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Again, Denial, Ended, Knowledge, Next, Part, Read, Row, Setting, Side, Tried};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// More steps than a write takes where nobody else writes.
const STEPS: usize = 12;

/// All that is composed of a command, alone and in a transaction, from nothing or after a refusal.
fn composed(case: &Case<'_>) -> Vec<Composed> {
    let all = RefCell::default();
    for setting in [&ALONE, &Setting::Together] {
        if matches!((setting, case.command.verb), (Setting::Alone(_), Verb::Check { .. })) {
            continue;
        }
        let fresh = Tried::default();
        Walk { case, setting, tried: &fresh, composed: &all }.walk(Question::Compose, &Knowledge::default());
        let first = first(&all.borrow());
        table::sections(case, first, setting, &all);
    }
    let mut seen = HashSet::new();
    let mut all = all.into_inner();
    all.retain(|(part, _)| seen.insert(format!("{:?} {:?} {:?}", part.write.expected, part.front, part.write.phase)));
    all
}

fn first(composed: &[Composed]) -> Option<Expected> {
    composed.first().and_then(|(part, _)| part.write.expected)
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
        for (part, _) in composed(&Case::new(&command, &repository)) {
            let Some(expected) = part.write.expected else { continue };
            sent += 1;
            assert!(version.check(expected).is_ok(), "{name}: {expected:?}");
            assert!(part.write.next().is_none_or(|next| next <= version.max), "{name}: {expected:?}");
        }
    }
    assert!(sent > 0);
}

/// The rules say why a write is refused if, and only if, their condition refuses it: else the refusal could not be explained, or
/// one is said that there is not.
#[test]
fn a_refusal_has_reasons_exactly_if_its_condition_fails() {
    let repository = repository();
    for (name, command) in every(ENTITIES.map(|(_, schema)| schema)) {
        let case = Case::new(&command, &repository);
        for (part, _) in composed(&case) {
            let write = &part.write;
            // What has none is not refused.
            let Some(condition) = rule::condition(write, None) else { continue };
            let numbers = write.expected.and_then(|expected| expected.base().zip(expected.next())).unwrap_or((3, 4));
            for (row, item) in case.rows(numbers) {
                let there = item.clone().unwrap_or_default();
                let passes = condition.holds(&there);
                let reasons = rule::reasons(write, item.as_ref());
                let phase = write.schema.idempotency.as_ref().and_then(|keys| keys.other_phase(write, item.as_ref()));
                // A transaction is no reason: it is waited for.
                let is_held = rule::is_held(write.schema, item.as_ref());
                let is_alike = passes == (reasons.is_empty() && phase.is_none() && !is_held);
                // Those of a purge are asked for only where it was refused; a create goes on with the numbers of what is dead.
                let goes_on = rule::number_on(write, item.as_ref()).is_some();
                let is_alike = is_alike || passes && name == "purge" || !passes && goes_on;
                // Of a text that is long enough, DynamoDB itself refuses to replace an element.
                let is_alike = is_alike || row == "its keys a text" && write.phase == Phase::Replacing;
                assert!(is_alike, "{name} | {row}: the condition holds: {passes}, and the reasons are {reasons:?}");
            }
        }
    }
}

/// A refusal that the item does not explain is the caller's condition's, or nobody's.
#[test]
fn an_unexplained_refusal_is_not_attributed_to_the_caller_s_condition() {
    let repository = repository();
    let said = |name: &str| {
        let (_, command) = commands(&PLAIN).into_iter().find(|(found, _)| *found == name).expect("a command");
        let case = Case::new(&command, &repository);
        let (part, known) = composed(&case).remove(0);
        let there = Denial::by(Some(item(&PLAIN, 4)));
        match verdict(&part, &there, &case.frame(&known, &Tried::default(), &ALONE)) {
            Next::Done(Ended::Refused { reasons, .. }) => reasons,
            next => panic!("{next:?}"),
        }
    };
    assert_eq!(said("update"), [Reason::Unexplained]);
    assert_eq!(said("put if n is 3"), [Reason::Condition]);
}

/// What the row of its key says of an update holds whatever has been put in the place of its item.
#[test]
fn a_stored_key_row_is_a_duplicate_despite_another_entity_s_item() {
    let (repository, schema) = (repository(), &MARKED_AND_KEYED);
    let (_, update) = commands(schema).into_iter().find(|(name, _)| *name == "update").expect("an update");
    let case = Case::new(&update, &repository);
    let (part, known) = composed(&case).remove(0);
    let item = item(schema, 3).into_iter().chain([("type".to_owned(), text("Other"))]).collect();
    for is_known in [false, true] {
        let denial = Denial { item: Some(Some(Item::clone(&item))), row: is_known.then(|| Some(Item::new())) };
        let next = verdict(&part, &denial, &case.frame(&known, &Tried::default(), &ALONE));
        let Next::Done(Ended::Refused { reasons, .. }) = next else { panic!("{next:?}") };
        assert!(matches!(reasons[0], Reason::OtherEntity { .. }), "{reasons:?}");
        assert_eq!(reasons[1..], if is_known { vec![Reason::Duplicate] } else { Vec::new() });
    }
}

/// With a history, no number is given twice: an item of the version that was loaded says that nothing was written since, whoever
/// made it. Without one, it may be another item, of numbers that have begun again.
#[test]
fn only_with_a_history_does_the_loaded_version_identify_its_item() {
    let repository = repository();
    let is_told = |schema, name: &str| {
        let (_, command) = commands(schema).into_iter().find(|(found, _)| *found == name).expect("a command");
        let case = Case::new(&command, &repository);
        let (part, known) = composed(&case).into_iter().find(|(part, _)| part.loaded.is_some()).expect("loaded");
        let tried = Tried { is_open: true, reached: vec![Expected::Loaded(3)] };
        let another = Denial::by(Some(by(schema, 3, By::Another)));
        match verdict(&part, &another, &case.frame(&known, &tried, &ALONE)) {
            Next::Done(Ended::Refused { .. }) => true,
            Next::Done(Ended::Unknown) => false,
            next => panic!("{next:?}"),
        }
    };
    assert!(is_told(&ORDERED_AND_TOMBSTONE, "modify of 3"));
    assert!(!is_told(&VERSION_AND_TOMBSTONE, "put of 3 over what was loaded"));
}

/// What was there, or was not, is asked anew after each request; only what is in a history stays there.
#[test]
fn a_sent_request_discards_earlier_reads() {
    let revision = RawRevision { version: 1, deleted: false, image: Item::new() };
    let mut known = Knowledge {
        item: Some(None),
        newest: Some(None),
        key_row: Some(false),
        is_taken: true,
        rows: BTreeMap::from([(1, Some(Row { revision, is_fresh: true })), (2, None)]),
        ..Knowledge::default()
    };
    known.fade();
    assert!(known.item.is_none() && known.newest.is_none() && known.key_row.is_none() && !known.is_taken);
    assert!(known.rows.into_keys().eq([1]));
}

/// What is in the tables, and stays there.
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
            Read::Newest => (known.newest, known.item) = (Some(self.newest()), None),
            Read::Ahead => known.newest = Some(self.newest()),
            Read::Revision(number) => {
                let row = self.rows.get(&number).map(|revision| Row { revision: revision.clone(), is_fresh: false });
                known.rows.insert(number, row);
            }
            Read::KeyRow => known.key_row = Some(false),
        }
    }

    fn put(&mut self, Side { revision, is_there }: Side, known: &mut Knowledge) {
        let number = revision.version;
        let there = self.rows.get(&number).filter(|_| !is_there).cloned();
        let row = Row { is_fresh: there.is_none(), revision: there.unwrap_or_else(|| revision.clone()) };
        self.rows.entry(number).or_insert(revision);
        known.rows.insert(number, Some(row));
    }

    /// What the write comes to: what is sent of it, or how it ends.
    fn compose(&mut self, case: &Case<'_>, tried: &Tried, known: &mut Knowledge) -> Next {
        for _ in 0..STEPS {
            let next = compose(Given::Lent(case.command), &case.frame(known, tried, &ALONE)).expect("a step");
            match next {
                Next::Read(read) => self.read(read, known),
                Next::First(side) => self.put(side, known),
                Next::Again(again) => self.follow(again, known),
                next => return next,
            }
        }
        panic!("there is no end to it");
    }

    /// Where a transaction holds the item, it lets go of it, and nothing has come of it.
    fn follow(&mut self, again: Again, known: &mut Knowledge) {
        if matches!(again, Again::Held(_)) {
            self.item = rule::committed(self.schema, self.item.take());
        }
        known.follow(again);
    }

    fn judge(&self, case: &Case<'_>, part: &Part, denial: &Denial, tried: &Tried, known: &mut Knowledge) -> Next {
        for _ in 0..STEPS {
            match verdict(part, denial, &case.frame(known, tried, &ALONE)) {
                Next::Read(read) => self.read(read, known),
                next => return next,
            }
        }
        panic!("there is no end to it");
    }
}

/// A write that was applied, and whose answer was lost, is neither called refused nor made once more with other numbers, whatever
/// has happened since: its history remembers it.
#[test]
fn a_write_recorded_in_its_history_is_not_repeated() {
    let repository = repository();
    let mut judged = 0;
    for (name, command) in every(ENTITIES.map(|(_, schema)| schema)) {
        let case = Case::new(&command, &repository);
        if !case.is_remembered() {
            continue;
        }
        let all = composed(&case);
        for (part, known) in &all {
            for (which, tried) in table::tried(&command, first(&all), part.write.expected) {
                // An earlier number was asked for before this one was sent.
                let numbers = tried.reached.iter().filter_map(|reached| reached.next());
                for number in numbers.filter(|number| tried.is_open && Some(*number) >= part.write.next()) {
                    judged += applied_as(number, &case, (part, known), &tried, &format!("{name} | {which}"));
                }
            }
        }
    }
    assert!(judged > 0);
}

/// How many refusals there are, where an attempt was applied as this number.
fn applied_as(number: u64, case: &Case<'_>, (part, known): (&Part, &Knowledge), tried: &Tried, which: &str) -> usize {
    let (denials, _) = table::denials(case, part);
    let denials = denials.into_iter().filter(|(_, denial)| denial.row.is_none() && case.is_since(number, denial));
    let mut judged = 0;
    for (denied, denial) in denials {
        let mut world = World {
            schema: case.command.schema,
            item: denial.item.clone().flatten(),
            rows: (1..=number + 2).map(|version| (version, case.revision(version, version == number))).collect(),
        };
        // It was composed in another world.
        let mut known = Knowledge { rows: BTreeMap::new(), ..known.clone() };
        let judged_now = match world.judge(case, part, &denial, tried, &mut known) {
            Next::Again(again) => {
                world.follow(again, &mut known);
                world.compose(case, tried, &mut known)
            }
            next => next,
        };
        // And the next attempt, which a clone makes.
        let next_attempt = world.compose(case, tried, &mut Knowledge::default());
        judged += 1;
        for next in [judged_now, next_attempt] {
            let is_refused = matches!(next, Next::Done(Ended::Refused { .. }));
            assert!(!is_refused, "{which} | {denied}, where {number} is its own: {next:?}");
            // What was sent already, its number refuses.
            let Next::Send(part, _) = next else { continue };
            let next = part.write.next();
            let is_tried = tried.reached.iter().any(|reached| reached.next() == next);
            assert!(
                is_tried,
                "{which} | {:?} | {denied}, where {number} is its own: sent as {next:?}",
                part.write.expected
            );
        }
    }
    judged
}

impl Case<'_> {
    fn is_remembered(&self) -> bool {
        self.own.is_some() && self.command.schema.history.is_some() && self.command.verb != Verb::Purge
    }

    /// Whether this can be there after an attempt was applied as this number: nothing, something later, or what a program has
    /// put that does not count.
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

/// DynamoDB removes revisions by their TTL, and with them what the history remembers.
#[test]
fn the_item_is_read_before_the_outcome_is_reported_as_unknown() {
    let (repository, schema) = (repository(), &ORDERED_AND_TOMBSTONE);
    let (_, create) = commands(schema).into_iter().find(|(name, _)| *name == "create").expect("a create");
    let case = Case::new(&create, &repository);
    let tried = Tried { is_open: true, reached: vec![Expected::New(5), Expected::Dead(8)] };
    let asked_anew = || Knowledge { is_taken: true, ..Knowledge::default() };
    let mut gone = World { schema, item: None, rows: BTreeMap::new() };
    let next = gone.compose(&case, &tried, &mut asked_anew());
    assert!(matches!(next, Next::Done(Ended::Unknown)));
    let mut earlier = World { schema, item: Some(by(schema, 3, By::Other)), rows: BTreeMap::new() };
    let next = earlier.compose(&case, &tried, &mut asked_anew());
    assert!(matches!(next, Next::Send(..)));
}

/// An item that its history could not take could never be changed or deleted.
#[test]
fn an_item_too_large_for_its_history_is_not_sent() {
    let (repository, schema) = (repository(), &ORDERED_AND_TOMBSTONE);
    let (_, mut put) = commands(schema).into_iter().find(|(name, _)| *name == "put of 3").expect("a put");
    let most = 400 * 1024;
    let mut item = put.item.expect("an item");
    // And the name that the write leaves.
    let rest = item_size(&item) + 24;
    item.insert("n".to_owned(), text(&"x".repeat(most - rest)));
    put.item = Ok(item);
    let case = Case::new(&put, &repository);
    let (known, tried) = (Knowledge::default(), Tried::default());
    let error = compose(Given::Lent(&put), &case.frame(&known, &tried, &ALONE)).expect_err("too large");
    assert!(error.to_string().contains("the revision in the history"), "{error}");
}
