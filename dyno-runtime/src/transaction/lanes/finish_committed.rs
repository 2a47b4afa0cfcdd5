//! Completes what a lane has committed: rolls forward each participant that still has its intent.
//!
//! Only then may the lane go on to another attempt (M19): after the next commit, an intent of this attempt would look aborted.

use crate::attribute::Item;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, ItemRef, Repository, boxed_stream};
use crate::transaction::record::{
    Named, Participants, TransactionId, TransactionRecord, Unfinished, is_of, lane, page_key, participants_of,
    record_key,
};
use crate::transaction::resolve::{Consistency, KEYS, Resolution, roll_forward_item, rows};
use futures_util::stream::StreamExt as _;
use std::collections::BTreeMap;

/// The number of intents that are rolled forward at once.
const APPLIES: usize = 16;

/// An item or a lane, and what became of its intents.
pub(crate) type Outcome = (ItemRef, Result<Resolution, Error>);

/// Rolls forward what is left of the lane's committed attempt. The attempt is finished if no outcome is an error. If the list of
/// participants is not known completely, the first outcome is the error of the lane.
pub(crate) async fn finish(
    repository: &Repository,
    caller: Caller<'_>,
    record: &TransactionRecord,
) -> Result<Vec<Outcome>, Error> {
    let Some(Unfinished { of, named }) = &record.unfinished else { return Ok(Vec::new()) };
    let (participants, unread) = match named {
        _ if *of != record.committed.number => (Participants::new(), Some(unreadable(record))),
        Named::Inline(participants) => (participants.clone(), None),
        Named::Pages(count) => {
            let (pages, mut unread) = pages(repository, caller, record, *count).await?;
            let mut participants = Participants::new();
            for page in &pages {
                match page.get(lane::PARTICIPANTS).and_then(participants_of) {
                    Some(named) => participants.extend(named),
                    None => unread = Some(unreadable(record)),
                }
            }
            (participants, unread)
        }
    };
    let lane = ItemRef { table: repository.lane_table()?, key: record_key(&record.lane) };
    let mut outcomes: Vec<Outcome> = unread.into_iter().map(|error| (lane.clone(), Err(error))).collect();
    roll_forward_all(repository, caller, &record.committed_id(), participants, &mut outcomes).await;
    Ok(outcomes)
}

/// Reads the pages of the committed attempt that exist. Returns an error, too, if some are missing: any participant that those list
/// may be left (M20).
async fn pages(
    repository: &Repository,
    caller: Caller<'_>,
    record: &TransactionRecord,
    count: u64,
) -> Result<(Vec<Item>, Option<Error>), Error> {
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= MOST_PAGES) else {
        return Ok((Vec::new(), Some(unreadable(record))));
    };
    let (table, transaction_id) = (repository.lane_table()?, record.committed_id());
    let keys: Vec<Item> = (0..count).map(|at| page_key(&transaction_id, at)).collect();
    let found = rows(repository, caller, &table, &keys, Consistency::Consistent).await?;
    let pages: Vec<Item> = found.into_iter().flatten().collect();
    let missing = (pages.len() < count).then(|| page_missing(record));
    Ok((pages, missing))
}

/// More pages than any transaction has: 350 MB of keys.
const MOST_PAGES: usize = 1000;

/// Rolls forward those of these items that still have an intent of the committed attempt.
async fn roll_forward_all(
    repository: &Repository,
    caller: Caller<'_>,
    transaction_id: &TransactionId,
    participants: Participants,
    outcomes: &mut Vec<Outcome>,
) {
    let mut tables: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for ItemRef { table, key } in participants {
        tables.entry(table).or_default().push(key);
    }
    for (table, keys) in tables {
        for keys in keys.chunks(KEYS) {
            let places = keys.iter().map(|key| ItemRef { table: table.clone(), key: key.clone() });
            match rows(repository, caller, &table, keys, Consistency::Consistent).await {
                // A table that does not exist now can be restored, with its intents.
                Err(error) => outcomes.extend(places.map(|at| (at, Err(error.share())))),
                Ok(found) => {
                    let held = places.zip(found).filter_map(|(at, item)| Some((at, item?)));
                    let held = held.filter(|(_, item)| is_of(Some(item), transaction_id));
                    let rolled = boxed_stream(held.map(|(at, item)| async move {
                        let rolled = roll_forward_item(repository, caller, &at, item, None).await;
                        (at, rolled.map(Resolution::without_items))
                    }));
                    outcomes.extend(rolled.buffered(APPLIES).collect::<Vec<_>>().await);
                }
            }
        }
    }
}

fn page_missing(record: &TransactionRecord) -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        format!(
            "the lane `{}` names the items of a transaction in pages which are not there any more: sweep every table that its writers have, and then make the lane anew by hand",
            value(&record.lane)
        ),
    )
}

fn unreadable(record: &TransactionRecord) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "what the lane `{}` names as the items of a transaction cannot be read, so that it is left as it is: look at who has written it",
            value(&record.lane)
        ),
    )
}
