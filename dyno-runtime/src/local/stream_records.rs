//! The records of the embedded engine's streams, for tests of a consumer.

use super::engine::{Engine, service_error};
use crate::attribute::Item;
use crate::error::Error;
use crate::stream::{Event, Record};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::actions::describe_stream::DescribeStreamRequest;
use dynoxide::actions::get_records::{self, GetRecordsRequest};
use dynoxide::actions::get_shard_iterator::GetShardIteratorRequest;
use dynoxide::actions::list_streams::ListStreamsRequest;
use dynoxide::types;

impl Engine {
    /// Returns the records of a table's stream, from the first change after the stream was enabled to the last one. In production,
    /// a consumer may read a record twice, and a stream keeps a record for a day. To test what your consumer does then, repeat
    /// records, and leave some out.
    ///
    /// ```
    /// use dyno::aws_sdk_dynamodb::types::StreamViewType;
    /// use dyno::local::Engine;
    /// use dyno::{Entity, Repository, TableOptions, stream::Changed};
    ///
    /// #[derive(Entity, Debug, PartialEq)]
    /// #[entity(table = "users")]
    /// struct User { #[partition_key] id: u64, name: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), dyno::Error> {
    /// let engine = Engine::in_memory()?;
    /// let repository = Repository::new(engine.client());
    /// let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
    /// repository.create_table_with::<User>(&options).await?;
    /// User { id: 1, name: "Ada".into() }.put().send(&repository).await?;
    ///
    /// let records = engine.stream_records("users")?;
    /// let change = records[0].change::<User>()?;
    /// assert_eq!(change, Some(Changed::Created { new: User { id: 1, name: "Ada".into() } }));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// There is no such table, or it has no stream.
    pub fn stream_records(&self, table: &str) -> Result<Vec<Record>, Error> {
        let db = self.database();
        let request = ListStreamsRequest { table_name: Some(table.to_owned()), ..ListStreamsRequest::default() };
        let streams = db.list_streams(request).map_err(service_error)?.streams;
        // A stream that was disabled and enabled again is a new one.
        let Some(stream) = streams.into_iter().max_by(|one, other| one.stream_label.cmp(&other.stream_label)) else {
            let advice = "create the table with `TableOptions::default().stream(…)`";
            return Err(Error::invalid(format!("the embedded engine has no stream of the table `{table}`: {advice}")));
        };
        let stream_arn = stream.stream_arn;
        let request = DescribeStreamRequest { stream_arn: stream_arn.clone(), ..DescribeStreamRequest::default() };
        let shards = db.describe_stream(request).map_err(service_error)?.stream_description.shards;
        let mut records = Vec::new();
        for shard in shards {
            let request = GetShardIteratorRequest {
                stream_arn: stream_arn.clone(),
                shard_id: shard.shard_id,
                shard_iterator_type: "TRIM_HORIZON".to_owned(),
                sequence_number: None,
            };
            let mut iterator = db.get_shard_iterator(request).map_err(service_error)?.shard_iterator;
            while let Some(shard_iterator) = iterator {
                let page = db.get_records(GetRecordsRequest { shard_iterator, limit: None }).map_err(service_error)?;
                // An open shard always has a next place.
                iterator = page.next_shard_iterator.filter(|_| !page.records.is_empty());
                for record in page.records {
                    records.push(of_engine(record)?.with_stream_arn(Some(&stream_arn)));
                }
            }
        }
        Ok(records)
    }
}

fn of_engine(record: get_records::Record) -> Result<Record, Error> {
    let body = record.dynamodb;
    let mut this = Record::new(Event::named(&record.event_name)?, item(body.keys));
    this = this.with_sequence_number(body.sequence_number).with_view(Some(body.stream_view_type));
    if let Some(image) = body.old_image {
        this = this.with_old_image(item(image));
    }
    if let Some(image) = body.new_image {
        this = this.with_new_image(item(image));
    }
    Ok(match record.user_identity {
        Some(identity) => this.with_identity(&identity.identity_type, &identity.principal_id),
        None => this,
    })
}

fn item(item: types::Item) -> Item {
    item.into_iter().map(|(name, value)| (name, attribute(value))).collect()
}

fn attribute(value: types::AttributeValue) -> AttributeValue {
    match value {
        types::AttributeValue::S(text) => AttributeValue::S(text),
        types::AttributeValue::N(number) => AttributeValue::N(number),
        types::AttributeValue::B(bytes) => AttributeValue::B(Blob::new(bytes)),
        types::AttributeValue::BOOL(is) => AttributeValue::Bool(is),
        types::AttributeValue::NULL(is) => AttributeValue::Null(is),
        types::AttributeValue::SS(texts) => AttributeValue::Ss(texts),
        types::AttributeValue::NS(numbers) => AttributeValue::Ns(numbers),
        types::AttributeValue::BS(all) => AttributeValue::Bs(all.into_iter().map(Blob::new).collect()),
        types::AttributeValue::L(values) => AttributeValue::L(values.into_iter().map(attribute).collect()),
        types::AttributeValue::M(values) => AttributeValue::M(item(values)),
    }
}
