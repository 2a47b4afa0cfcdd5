//! Tables from schemas: `create_table`.
//!
//! Making a table takes several requests, and any of them may be the last. So `create_table` does what is missing:
//! run again, it finishes what an earlier run began.

use crate::error::{Context, ErrorKind};
use crate::schema::Schema;
use crate::{Entity, Error, Repository};
use aws_sdk_dynamodb::client::Waiters as _;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, TableDescription, TimeToLiveSpecification,
    TimeToLiveStatus,
};
use std::time::Duration;

/// How long a new table may take to become active; it is a matter of seconds.
const WAIT: Duration = Duration::from_mins(5);

impl Repository {
    /// Creates `E`'s table, billed on demand, waits until it is active, and turns TTL on where the entity has it.
    ///
    /// A table that is there already must have the same key; what it lacks is added. Costs nothing but requests:
    /// `CreateTable`, `DescribeTable` until it is active, and with TTL `DescribeTimeToLive` and `UpdateTimeToLive`.
    ///
    /// # Errors
    /// [`ErrorKind::TableDiffers`] if the table that is there is another one, or those of the service.
    pub async fn create_table<E: Entity>(&self) -> Result<(), Error> {
        let schema = E::SCHEMA;
        let table = self.table_name::<E>()?;
        let created = async {
            self.create(schema, &table).await?;
            self.wait_until_active(&table).await?;
            self.turn_ttl_on(schema, &table).await
        };
        created.await.map_err(|error: Error| {
            error.with_context(|| Context { operation: "create_table", entity: schema.entity, key: None })
        })
    }

    async fn create(&self, schema: &Schema, table: &str) -> Result<(), Error> {
        let create = self
            .client()
            .create_table()
            .table_name(table)
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(key_schema(schema)?))
            .set_attribute_definitions(Some(attribute_definitions(schema)?));
        match create.send().await {
            Ok(_) => Ok(()),
            Err(error) if is_in_use(&error) => {
                let described = self.client().describe_table().table_name(table).send().await;
                let described = described.map_err(Error::sdk)?;
                check_same(schema, table, described.table())
            }
            Err(error) => Err(Error::sdk(error)),
        }
    }

    async fn wait_until_active(&self, table: &str) -> Result<(), Error> {
        let active = self.client().wait_until_table_exists().table_name(table).wait(WAIT);
        match active.await {
            Ok(_) => Ok(()),
            Err(error) => {
                Err(Error::new(ErrorKind::Service, format!("the table `{table}` did not become active: {error}")))
            }
        }
    }

    async fn turn_ttl_on(&self, schema: &Schema, table: &str) -> Result<(), Error> {
        let Some(ttl) = &schema.ttl else {
            return Ok(());
        };
        let described = self.client().describe_time_to_live().table_name(table).send().await;
        let described = described.map_err(Error::sdk)?;
        if let Some(on) = described.time_to_live_description()
            && matches!(on.time_to_live_status(), Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling))
        {
            return match on.attribute_name() {
                Some(name) if name == ttl.attribute => Ok(()),
                name => Err(Error::new(
                    ErrorKind::TableDiffers,
                    format!(
                        "the TTL attribute of the table `{table}` is `{}`, not `{}`: a table has only one",
                        name.unwrap_or_default(),
                        ttl.attribute
                    ),
                )),
            };
        }
        let specification = TimeToLiveSpecification::builder()
            .enabled(true)
            .attribute_name(ttl.attribute)
            .build()
            .map_err(build_error)?;
        let update = self.client().update_time_to_live().table_name(table).time_to_live_specification(specification);
        update.send().await.map(drop).map_err(Error::sdk)
    }
}

fn is_in_use<R>(error: &SdkError<CreateTableError, R>) -> bool {
    matches!(error.as_service_error(), Some(CreateTableError::ResourceInUseException(_)))
}

fn build_error(error: impl std::fmt::Display) -> Error {
    Error::invalid(error.to_string())
}

fn key_schema(schema: &Schema) -> Result<Vec<KeySchemaElement>, Error> {
    let keys = schema.keys().zip([KeyType::Hash, KeyType::Range]);
    keys.map(|(key, key_type)| {
        let element = KeySchemaElement::builder().attribute_name(key.name).key_type(key_type);
        element.build().map_err(build_error)
    })
    .collect()
}

fn attribute_definitions(schema: &Schema) -> Result<Vec<AttributeDefinition>, Error> {
    let keys = schema.keys();
    keys.map(|key| {
        let definition = AttributeDefinition::builder().attribute_name(key.name).attribute_type(key.key_type.clone());
        definition.build().map_err(build_error)
    })
    .collect()
}

/// The table that is there must have the entity's key.
fn check_same(schema: &Schema, table: &str, there: Option<&TableDescription>) -> Result<(), Error> {
    let Some(there) = there else { return Ok(()) };
    let types_agree =
        attribute_definitions(schema)?.iter().all(|wanted| there.attribute_definitions().contains(wanted));
    if there.key_schema() == key_schema(schema)? && types_agree {
        return Ok(());
    }
    let wanted: Vec<_> = schema.keys().map(|key| format!("{} ({})", key.name, key.key_type)).collect();
    let found: Vec<_> = there.key_schema().iter().map(KeySchemaElement::attribute_name).collect();
    Err(Error::new(
        ErrorKind::TableDiffers,
        format!(
            "the table `{table}` exists with the key {}, but the entity's is {}",
            found.join(", "),
            wanted.join(", ")
        ),
    ))
}
