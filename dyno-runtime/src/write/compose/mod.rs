//! Composes a write: computes its request from what is known, or the read or the put that must come first. Sends nothing.

mod companion_revision;
mod next_version;
mod tailor_changes;

use super::verdict;
use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use super::write_steps::{
    Companion, ComposedWrite, Conclusion, Judgement, Next, Read, Retry, RevisionPut, SendAs, StepInput,
};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::RowWrite;
use crate::expression::check_operators;
use crate::key::{PARTITION_KEY_BYTES, check_key, key_of};
use crate::rule;
use crate::rule::{Expected, Moot, Phase, Reason};
use crate::schema::names;
use crate::write::rows_to_send::Rows;
use crate::write::unique_values::ClaimRows;
use aws_sdk_dynamodb::types::ReturnValue;
use std::ops::Deref;

pub(crate) use tailor_changes::{depends_on_item, is_mismatch, needs_item, tailor};

/// A command to compose.
///
/// A request takes the item of a put by value. Copying the item first would add 3.4 % to the instructions of a `put` without a
/// version (`cargo bench -p dyno-tests --bench instructions`), so a command that is composed only once gives its item away.
pub(crate) enum Composable<'a> {
    /// The command may be composed again, so its content is copied.
    Repeatedly(&'a WriteCommand),
    /// The command is composed once: its content moves into the request. The rest still identifies the write in errors.
    Once(&'a mut WriteCommand),
}

impl<'a> Composable<'a> {
    /// Decides whether a command may be composed again: after a denial it is, if it has a version, an idempotency key or unique
    /// values, or depends on the item; and an action of a transaction is, if the denial of another action asks for it.
    pub(crate) fn new(command: &'a mut WriteCommand, send_as: &SendAs) -> Self {
        let is_final = matches!(send_as, SendAs::Single(_))
            && command.versioned.is_none()
            && !command.has_dedup_key()
            && command.schema.unique.is_empty()
            && !depends_on_item(command);
        if is_final { Self::Once(command) } else { Self::Repeatedly(command) }
    }

    fn prepare(&mut self, terms: Terms) -> Result<(RowWrite, rule::Write), Error> {
        match self {
            Self::Repeatedly(command) => command.clone().prepare(terms),
            Self::Once(command) => command.prepare(terms),
        }
    }
}

impl Deref for Composable<'_> {
    type Target = WriteCommand;

    fn deref(&self) -> &WriteCommand {
        match self {
            Self::Repeatedly(command) => command,
            Self::Once(command) => command,
        }
    }
}

/// The reason why there is no request yet.
enum Instead {
    /// This row is put first.
    PutRevision(RevisionPut),
    /// Something is read first, or the write is composed anew, or has ended.
    Judged(Judgement),
    Error(Error),
}

impl From<Error> for Instead {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Returns the next step of a write that is to be sent: its request, or what must be read or put first.
pub(crate) fn compose(command: Composable<'_>, input: &StepInput<'_>) -> Result<Next, Error> {
    match compose_request(command, input) {
        Ok((composed, rows)) => Ok(Next::Send(Box::new(composed), Box::new(rows))),
        Err(Instead::PutRevision(put)) => Ok(Next::PutRevision(put)),
        Err(Instead::Judged(judgement)) => Ok(Next::Judged(judgement)),
        Err(Instead::Error(error)) => Err(error),
    }
}

fn compose_request(command: Composable<'_>, input: &StepInput<'_>) -> Result<(ComposedWrite, Rows), Instead> {
    if !depends_on_item(&command) {
        return with_companion(command, Vec::new(), input);
    }
    check_operators(&command.update.changes)?;
    if needs_item(&command) && input.known.item.is_none() {
        return Err(Instead::Judged(Judgement::Read(Read::Item)));
    }
    let tailored = tailor(&command, input.known.item());
    if !tailored.missing.is_empty() {
        return Err(Instead::Judged(refuse_unsent(&tailored.command, tailored.missing, input)?));
    }
    with_companion(Composable::Repeatedly(&tailored.command), tailored.paths, input)
}

/// Returns the request of a write that fits every item, or was tailored to one, together with the row of its history or of its
/// idempotency key.
fn with_companion(
    mut command: Composable<'_>,
    tailored_paths: Vec<String>,
    input: &StepInput<'_>,
) -> Result<(ComposedWrite, Rows), Instead> {
    let expected = next_version::expected(&command, input)?;
    let terms = terms(input, expected, input.known.phase);
    let keys = input.tables.keys.as_ref().filter(|_| command.has_dedup_key());
    if keys.is_some() && terms.returns.is_some() {
        return Err(Instead::Error(Error::invalid(
            "an update whose idempotency key has a row of its own is a transaction, which returns no item: `get` it",
        )));
    }
    let (main, mut composed) = prepare(&mut command, tailored_paths, terms)?;
    let companion = match (input.history.filter(|_| command.is_write()), keys) {
        (Some(table), _) => companion_revision::companion(&command, &main, &composed, input, table)?,
        (None, Some(keys)) => key_row(&command, &composed, keys, input)?,
        (None, None) => None,
    };
    let companion = companion.map(|(kind, row)| {
        composed.companion = Some(kind);
        row
    });
    let claims = claim_rows(&composed, &main, input)?;
    let rows = Rows::new(companion, main).with_claims(claims);
    Ok((composed, rows))
}

/// Returns the rows by which the write claims its unique values.
fn claim_rows(composed: &ComposedWrite, main: &RowWrite, input: &StepInput<'_>) -> Result<ClaimRows, Error> {
    let claims = &composed.write.claims;
    let Some(guards) = input.tables.guards.as_deref().filter(|_| !claims.is_empty()) else {
        return Ok(ClaimRows::default());
    };
    if main.returns.is_some() {
        return Err(Error::invalid(
            "a write that stores a unique value is a transaction, which returns no item and no version: `get` the item, or say which version the update changes",
        ));
    }
    let claimant = key_of(input.schema, main.item_or_key());
    Ok(ClaimRows::new(input.schema, claims, &claimant, [&input.tables.main, guards], &input.known.holders))
}

fn terms(input: &StepInput<'_>, expected: Option<Expected>, phase: Phase) -> Terms {
    let returns = match (input.send_as, expected) {
        (SendAs::Action, _) => None,
        // Only DynamoDB knows the version that an unchecked write stores. Returning it costs nothing.
        (SendAs::Single(None), Some(Expected::Unchecked)) => Some(ReturnValue::UpdatedNew),
        (SendAs::Single(returns), _) => returns.clone(),
    };
    Terms { table: input.tables.main.clone(), now: input.now, returns, expected, phase }
}

/// Returns the put of the idempotency key's row, which requires that the row does not exist.
fn key_row(
    command: &WriteCommand,
    composed: &ComposedWrite,
    keys: &str,
    input: &StepInput<'_>,
) -> Result<Option<(Companion, RowWrite)>, Error> {
    let Some(id) = &composed.write.dedup.key else { return Ok(None) };
    let row = rule::key_row(input.schema, id, &input.tables.main, &command.key()?, input.now)?;
    if let Some(id) = row.get(names::KEY) {
        check_key(id, PARTITION_KEY_BYTES).map_err(|error| Error::from(error).of("the row of the idempotency key"))?;
    }
    Ok(Some((Companion::DedupKey, RowWrite::put_new(keys, row, names::KEY))))
}

/// Returns the request of the write alone, and what its verdict needs.
fn prepare(
    command: &mut Composable<'_>,
    tailored_paths: Vec<String>,
    terms: Terms,
) -> Result<(RowWrite, ComposedWrite), Error> {
    let (is_conditional, repeat) = (command.condition.is_some(), command.repeat());
    let loaded_identity = command.loaded_identity();
    let (main, write) = command.prepare(terms)?;
    Ok((
        main,
        ComposedWrite {
            write,
            is_conditional,
            tailored_paths,
            companion: None,
            beside: Vec::new(),
            loaded_identity,
            repeat,
        },
    ))
}

/// Returns the end of a write that cannot be sent, because the item lacks the list element that it removes: the refusal with the
/// reasons of all rules, as if DynamoDB had denied the request.
fn refuse_unsent(command: &WriteCommand, missing: Vec<Reason>, input: &StepInput<'_>) -> Result<Judgement, Error> {
    let expected = command.expected()?;
    let mut write = command.rule_write(input.now, expected, Phase::default())?;
    if input.tables.keys.is_some() && write.dedup.key.is_some() {
        let Some(has_row) = input.known.key_row else { return Ok(Judgement::Read(Read::KeyRow)) };
        write.dedup.has_row = has_row;
    }
    let item = input.known.item();
    // An earlier attempt, of this command or of a clone, may have removed the element.
    if item.is_some_and(|item| rule::is_own(&write, item)) {
        let version = verdict::own_version(&write, item, input);
        return Ok(Judgement::End(Conclusion::Applied { version, item: item.cloned() }));
    }
    let mut reasons = rule::reasons(&write, item);
    if rule::is_awaited(write.schema, item, &reasons) {
        return Ok(Judgement::Retry(Retry::locked(item)));
    }
    if input.attempts.may_be_applied && expected != Some(Expected::Unchecked) {
        return Ok(Judgement::End(Conclusion::InDoubt));
    }
    // A missing element is a reason of its own only in a live item of this entity: a row that does not exist, or belongs to
    // another entity, is refused as such.
    let is_other = rule::other_entity(write.schema, item).is_some();
    let is_live = |item: &Item| rule::state(write.schema, input.now, item).is_live();
    if reasons.is_empty() || !is_other && item.is_some_and(is_live) {
        reasons.extend(missing);
    }
    Ok(verdict::refused(&write, reasons, Moot::default(), item))
}
