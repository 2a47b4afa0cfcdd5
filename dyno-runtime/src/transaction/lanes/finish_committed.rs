//! Finishes the committed attempt of a lane: rolls forward each participant that still has its intent.
//!
//! Before that, the lane must not commit another attempt (M19), because the intents of this attempt would then look aborted.

use crate::attribute::Item;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Consistency, ItemRef, KEYS, Repository, boxed_stream, read_rows};
use crate::transaction::record::{
    ListedIn, Participants, TransactionId, TransactionRecord, Unfinished, has_intent_of, lane, page_key,
    read_participants, record_key,
};
use crate::transaction::resolve::{Resolution, roll_forward_item};
use futures_util::stream::StreamExt as _;
use std::collections::BTreeMap;

/// The number of intents that are rolled forward at once.
const APPLIES: usize = 16;

/// An item or a lane, and the result of resolving its intents.
pub(crate) type Outcome = (ItemRef, Result<Resolution, Error>);

/// Rolls forward the intents that are left of the lane's committed attempt. If no outcome is an error, the attempt is finished.
/// If the list of participants cannot be read completely, the first outcome is an error of the lane.
pub(crate) async fn finish(
    repository: &Repository,
    caller: Caller<'_>,
    record: &TransactionRecord,
) -> Result<Vec<Outcome>, Error> {
    let Some(Unfinished { number, listed_in }) = &record.unfinished else { return Ok(Vec::new()) };
    let (participants, unread) = match listed_in {
        _ if *number != record.committed.number => (Participants::new(), Some(unreadable(record))),
        ListedIn::LaneRow(participants) => (participants.clone(), None),
        ListedIn::Pages(count) => {
            let (pages, mut unread) = read_pages(repository, caller, record, *count).await?;
            let mut participants = Participants::new();
            for page in &pages {
                match page.get(lane::PARTICIPANTS).and_then(read_participants) {
                    Some(listed) => participants.extend(listed),
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

/// Reads the existing pages of the committed attempt. Also returns an error if some pages are missing, because the participants
/// that they list may still have their intents (M20).
async fn read_pages(
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
    let found = read_rows(repository, caller, &table, &keys, Consistency::Consistent).await?;
    let pages: Vec<Item> = found.into_iter().flatten().collect();
    let missing = (pages.len() < count).then(|| page_missing(record));
    Ok((pages, missing))
}

/// More pages than any transaction needs: they would hold 350 MB of keys.
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
            match read_rows(repository, caller, &table, keys, Consistency::Consistent).await {
                // A table that does not exist now can be restored, with its intents.
                Err(error) => outcomes.extend(places.map(|at| (at, Err(error.share())))),
                Ok(found) => {
                    let held = places.zip(found).filter_map(|(at, item)| Some((at, item?)));
                    let held = held.filter(|(_, item)| has_intent_of(Some(item), transaction_id));
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
    let message = format!(
        "the lane `{}` lists the items of a committed transaction in pages that no longer exist: run a `Sweep` over every table of its writers, and then recreate the lane by hand",
        value(&record.lane)
    );
    Error::new(ErrorKind::LaneMissing, message)
}

fn unreadable(record: &TransactionRecord) -> Error {
    let message = format!(
        "the lane `{}` has a list of a transaction's items that cannot be read, so dyno leaves the lane unchanged: find the program that wrote it",
        value(&record.lane)
    );
    Error::new(ErrorKind::Decode, message)
}
