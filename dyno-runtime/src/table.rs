//! Tables from schemas: `create_table`.
//!
//! Making a table takes several requests, and any of them may be the last. So `create_table` does what is missing:
//! run again, it finishes what an earlier run began.

use crate::core::Tables;
use crate::error::{Context, ErrorKind};
use crate::rule::{History, KEY_TABLE_KEYS, KEY_TABLE_TTL, Layout};
use crate::schema::{Index, Projected, Schema};
use crate::{Entities, Entity, Error, Repository};
use aws_sdk_dynamodb::client::Waiters as _;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, LocalSecondaryIndex, Projection,
    ProjectionType, ScalarAttributeType, TableDescription, TimeToLiveSpecification, TimeToLiveStatus,
};
use std::time::Duration;

/// How long a new table may take to become active; it is a matter of seconds.
const WAIT: Duration = Duration::from_mins(5);

impl Repository {
    /// Creates `E`'s table, billed on demand, waits until it is active, and turns TTL on where the entity has it; and the
    /// tables of its history and of its idempotency keys, where these are its own.
    ///
    /// A table that is there already must have the same key; what it lacks is added. Costs nothing but requests:
    /// `CreateTable`, `DescribeTable` until it is active, and with TTL `DescribeTimeToLive` and `UpdateTimeToLive`.
    ///
    /// # Errors
    /// [`ErrorKind::TableDiffers`] if the table that is there is another one, or those of the service.
    pub async fn create_table<E: Entity>(&self) -> Result<(), Error> {
        self.create_all(E::SCHEMA.entity, plan(E::SCHEMA, self.tables::<E>()?)).await
    }

    /// Creates the table that the entities in `C` share, with the indexes of all of them; else as
    /// [`create_table`](Self::create_table) does.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_shared_table<C: Entities>(&self) -> Result<(), Error> {
        let tables = C::__tables(self)?;
        let plans = C::SCHEMAS.iter().zip(tables).flat_map(|(schema, tables)| plan(schema, tables));
        let entity = C::SCHEMAS.first().map_or("", |schema| schema.entity);
        self.create_all(entity, plans.fold(Vec::new(), merge)).await
    }

    async fn create_all(&self, entity: &'static str, tables: Vec<Plan>) -> Result<(), Error> {
        for table in tables {
            let created = async {
                self.create(&table).await?;
                self.wait_until_active(&table.name).await?;
                self.turn_ttl_on(&table).await
            };
            created.await.map_err(|error: Error| {
                error.with_context(|| Context { operation: "create_table", entity, key: None })
            })?;
        }
        Ok(())
    }

    async fn create(&self, table: &Plan) -> Result<(), Error> {
        let create = self
            .client()
            .create_table()
            .table_name(&table.name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(table.key_schema()?))
            .set_attribute_definitions(Some(table.attribute_definitions()?))
            .set_global_secondary_indexes(table.global_indexes()?)
            .set_local_secondary_indexes(table.local_indexes()?);
        match create.send().await {
            Ok(_) => Ok(()),
            Err(error) if is_in_use(&error) => {
                let described = self.client().describe_table().table_name(&table.name).send().await;
                let described = described.map_err(Error::sdk)?;
                table.check_same(described.table())
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

    async fn turn_ttl_on(&self, table: &Plan) -> Result<(), Error> {
        let Some(ttl) = table.ttl else {
            return Ok(());
        };
        let described = self.client().describe_time_to_live().table_name(&table.name).send().await;
        let described = described.map_err(Error::sdk)?;
        if let Some(on) = described.time_to_live_description()
            && matches!(on.time_to_live_status(), Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling))
        {
            return match on.attribute_name() {
                Some(name) if name == ttl => Ok(()),
                name => Err(Error::new(
                    ErrorKind::TableDiffers,
                    format!(
                        "the TTL attribute of the table `{}` is `{}`, not `{ttl}`: a table has only one",
                        table.name,
                        name.unwrap_or_default(),
                    ),
                )),
            };
        }
        let specification =
            TimeToLiveSpecification::builder().enabled(true).attribute_name(ttl).build().map_err(build_error)?;
        let update = self.client().update_time_to_live().table_name(&table.name);
        update.time_to_live_specification(specification).send().await.map(drop).map_err(Error::sdk)
    }
}

/// A table as it is to be.
struct Plan {
    name: String,
    keys: Vec<(&'static str, ScalarAttributeType)>,
    ttl: Option<&'static str>,
    indexes: Vec<IndexPlan>,
}

/// An index as it is to be: what several entities keep in it, together.
struct IndexPlan {
    index: &'static Index,
    /// What it holds besides the keys; `None` for whole items.
    projected: Option<Vec<&'static str>>,
}

/// Adds a table, or what one more entity makes of a table that is there.
fn merge(mut plans: Vec<Plan>, plan: Plan) -> Vec<Plan> {
    let Some(known) = plans.iter_mut().find(|known| known.name == plan.name) else {
        plans.push(plan);
        return plans;
    };
    known.ttl = known.ttl.or(plan.ttl);
    for more in plan.indexes {
        match known.indexes.iter_mut().find(|index| index.index.name == more.index.name) {
            None => known.indexes.push(more),
            Some(index) => {
                index.projected = index.projected.take().zip(more.projected).map(|(mut names, more)| {
                    names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
                    names
                });
            }
        }
    }
    plans
}

/// The tables of an entity: its own, its history's, and its idempotency keys'.
fn plan(schema: &'static Schema, tables: Tables) -> Vec<Plan> {
    let keys = schema.keys().map(|key| (key.name, key.key_type.clone())).collect();
    let history = schema.history.as_ref();
    let revisions_ttl = history.and_then(|history| history.ttl_days.map(|_| history.ttl(schema)));
    let shares = history.is_some_and(|history| history.layout == Layout::SameTable);
    let ttl = schema.ttl.as_ref().map(|ttl| ttl.attribute);
    let ttl = ttl.or(revisions_ttl.filter(|_| shares));
    let indexes = schema.indexes.iter().map(|index| IndexPlan {
        index,
        projected: match index.projection {
            Projected::All => None,
            Projected::Only(names) => Some(names.to_vec()),
        },
    });
    let main = Plan { name: tables.main, keys, ttl, indexes: indexes.collect() };
    let history = tables.history.filter(|_| !shares).map(|name| Plan {
        name,
        keys: History::KEYS.to_vec(),
        ttl: revisions_ttl,
        indexes: Vec::new(),
    });
    let keys = tables.keys.map(|name| Plan {
        name,
        keys: KEY_TABLE_KEYS.to_vec(),
        ttl: Some(KEY_TABLE_TTL),
        indexes: Vec::new(),
    });
    std::iter::once(main).chain(history).chain(keys).collect()
}

fn is_in_use<R>(error: &SdkError<CreateTableError, R>) -> bool {
    matches!(error.as_service_error(), Some(CreateTableError::ResourceInUseException(_)))
}

fn build_error(error: impl std::fmt::Display) -> Error {
    Error::invalid(error.to_string())
}

fn key_element(name: &str, key_type: KeyType) -> Result<KeySchemaElement, Error> {
    KeySchemaElement::builder().attribute_name(name).key_type(key_type).build().map_err(build_error)
}

fn index_key(index: &Index) -> Result<Vec<KeySchemaElement>, Error> {
    let partition = index.partition.iter().map(|key| key_element(key.name, KeyType::Hash));
    partition.chain(index.sort.iter().map(|key| key_element(key.name, KeyType::Range))).collect()
}

impl IndexPlan {
    fn projection(&self) -> Projection {
        let projection = Projection::builder();
        match self.projected.as_deref() {
            None => projection.projection_type(ProjectionType::All),
            Some([]) => projection.projection_type(ProjectionType::KeysOnly),
            Some(names) => projection
                .projection_type(ProjectionType::Include)
                .set_non_key_attributes(Some(names.iter().map(|name| (*name).to_owned()).collect())),
        }
        .build()
    }
}

/// DynamoDB takes no empty list.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

impl Plan {
    fn key_schema(&self) -> Result<Vec<KeySchemaElement>, Error> {
        let keys = self.keys.iter().zip([KeyType::Hash, KeyType::Range]);
        keys.map(|((name, _), key_type)| key_element(name, key_type)).collect()
    }

    /// The types of all attributes that stand in a key, each once.
    fn attribute_definitions(&self) -> Result<Vec<AttributeDefinition>, Error> {
        let of_indexes =
            self.indexes.iter().flat_map(|plan| plan.index.keys()).map(|key| (key.name, key.key_type.clone()));
        let mut definitions: Vec<AttributeDefinition> = Vec::new();
        for (name, key_type) in self.keys.iter().cloned().chain(of_indexes) {
            if !definitions.iter().any(|definition| definition.attribute_name() == name) {
                let definition = AttributeDefinition::builder().attribute_name(name).attribute_type(key_type);
                definitions.push(definition.build().map_err(build_error)?);
            }
        }
        Ok(definitions)
    }

    fn global_indexes(&self) -> Result<Option<Vec<GlobalSecondaryIndex>>, Error> {
        let indexes = self.indexes.iter().filter(|plan| !plan.index.is_local).map(|plan| {
            let global = GlobalSecondaryIndex::builder().index_name(plan.index.name).projection(plan.projection());
            global.set_key_schema(Some(index_key(plan.index)?)).build().map_err(build_error)
        });
        Ok(some(indexes.collect::<Result<_, _>>()?))
    }

    fn local_indexes(&self) -> Result<Option<Vec<LocalSecondaryIndex>>, Error> {
        let indexes = self.indexes.iter().filter(|plan| plan.index.is_local).map(|plan| {
            let local = LocalSecondaryIndex::builder().index_name(plan.index.name).projection(plan.projection());
            local.set_key_schema(Some(index_key(plan.index)?)).build().map_err(build_error)
        });
        Ok(some(indexes.collect::<Result<_, _>>()?))
    }

    /// The table that is there must have this key.
    fn check_same(&self, there: Option<&TableDescription>) -> Result<(), Error> {
        let Some(there) = there else { return Ok(()) };
        let types_agree =
            self.attribute_definitions()?.iter().all(|wanted| there.attribute_definitions().contains(wanted));
        if there.key_schema() == self.key_schema()? && types_agree {
            return Ok(());
        }
        let wanted: Vec<_> = self.keys.iter().map(|(name, key_type)| format!("{name} ({key_type})")).collect();
        let found: Vec<_> = there.key_schema().iter().map(KeySchemaElement::attribute_name).collect();
        Err(Error::new(
            ErrorKind::TableDiffers,
            format!(
                "the table `{}` exists with the key {}, but the entity's is {}",
                self.name,
                found.join(", "),
                wanted.join(", ")
            ),
        ))
    }
}
