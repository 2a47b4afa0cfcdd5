//! Records as a Lambda function receives them: the types of `aws_lambda_events`, whose images are `serde_dynamo`'s.

use super::{Event, Record};
use crate::error::Error;
use aws_lambda_events::event::dynamodb::EventRecord;

impl TryFrom<EventRecord> for Record {
    type Error = Error;

    /// # Errors
    /// The record has an unknown event name.
    fn try_from(record: EventRecord) -> Result<Self, Error> {
        let body = record.change;
        // This crate represents a missing image by an empty one. No real item is empty, because it has its key.
        let image = |image: serde_dynamo::Item| Some(image).filter(|image| !image.is_empty()).map(Into::into);
        let mut this = Self::new(Event::named(&record.event_name)?, body.keys.into());
        this.old = image(body.old_image);
        this.new = image(body.new_image);
        this.sequence_number = body.sequence_number;
        let this = this.with_view(body.stream_view_type.map(|view| view.to_string()));
        let this = this.with_stream_arn(record.event_source_arn.as_deref());
        Ok(match record.user_identity {
            Some(identity) => this.with_identity(&identity.type_, &identity.principal_id),
            None => this,
        })
    }
}
