//! The search of a vector index: `SearchVectors`.
//!
//! DynamoDB compares the partition and the filters by equality, and nothing else. So dyno drops expired items and rows of other
//! entities from what it returns. A tombstone has no vector, and is in no vector index.

use super::view::{Owner, attributes_of_readers, see};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, RawItem};
use crate::error::{Context, EncodeError, Error};
use crate::exchange::{About, Repository, Request, read, set_some};
use crate::expression::{Node, Operator, Placeholders, render_projection};
use crate::key::{PARTITION_KEY_BYTES, check_key, check_value, error_context};
use crate::rule::alias;
use crate::schema::{KeyAttribute, Metric, Projected, Schema, StoredAttribute, VectorIndex};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::search_vectors::builders::SearchVectorsFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, SearchResultItem};
use std::time::Duration;

/// The number of results, if the command does not say it.
const DEFAULT_TOP: usize = 10;

/// The most results of a search. (API reference, `SearchVectors`: `TopK`.)
const MOST_TOP: usize = 100;

/// A search, without its types.
#[derive(Clone, Debug)]
pub(crate) struct SearchCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) index: &'static VectorIndex,
    /// The vector, as a list of numbers.
    pub(crate) vector: Result<AttributeValue, EncodeError>,
    /// The partition and the filters, and their values.
    pub(crate) equal: Vec<(&'static KeyAttribute, Result<AttributeValue, EncodeError>)>,
    pub(crate) top: usize,
    pub(crate) within: Option<f64>,
    /// The attributes to read; all of the entity's if it is `None`.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The delay of the hedge, if it is not that of the repository.
    pub(crate) hedge: Option<Duration>,
}

/// The results of a search, the closest first.
pub(crate) struct Closest {
    pub(crate) items: Vec<(RawItem, f64)>,
    /// How many rows were passed over.
    pub(crate) dropped: usize,
}

impl SearchCommand {
    /// Makes the search for the items that are closest to a vector.
    pub(crate) fn new(
        schema: &'static Schema,
        index: &'static VectorIndex,
        vector: Result<AttributeValue, EncodeError>,
    ) -> Self {
        let (equal, within, projection, hedge) = (Vec::new(), None, None, None);
        Self { schema, index, vector, equal, top: DEFAULT_TOP, within, projection, hedge }
    }

    /// Returns the context of its errors.
    fn context(&self) -> Context {
        error_context("search", self.schema, None)
    }

    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let search = self.clone().prepare(repository.sender(), table);
        let request = search.map(|search| Request::Search(search.as_input().clone()));
        request.map_err(|error| error.with_context(|| self.context()))
    }

    pub(crate) async fn send(self, repository: &Repository, table: String) -> Result<Closest, Error> {
        let (schema, index, within, hedge) = (self.schema, self.index, self.within, self.hedge);
        let context = self.context();
        let search = self.prepare(repository.sender(), table.clone());
        let sent = async {
            let about = About::new("search", schema.entity, &table).of_index(Some(index.name));
            read(repository, about, search?, hedge).await
        };
        let results = sent.await.map_err(|error| error.with_context(|| context))?;
        Ok(found(schema, index, within, repository.now(), results))
    }

    fn prepare(self, client: &Client, table: String) -> Result<SearchVectorsFluentBuilder, Error> {
        if self.top == 0 || self.top > MOST_TOP {
            return Err(Error::invalid(format!(
                "a search returns 1 to {MOST_TOP} items, and this one asks for {}: give `top` such a number",
                self.top
            )));
        }
        if self.within.is_some_and(f64::is_nan) {
            return Err(Error::invalid("`within` takes a number, and NaN is not one"));
        }
        let mut placeholders = Placeholders::default();
        let condition = condition(self.index, &self.equal)?;
        let mut condition = condition.map(|condition| condition.render(&mut placeholders));
        let mut projection = self.projection(&mut placeholders);
        placeholders.fit([condition.as_mut(), Some(&mut projection)])?;
        let vector = match self.vector.map_err(|error| error.at_name(self.index.vector.name))? {
            AttributeValue::L(vector) => vector,
            other => vec![other],
        };
        let (names, values) = placeholders.into_parts();
        let mut search = client
            .search_vectors()
            .table_name(table)
            .index_name(self.index.name)
            .set_search_vector(Some(vector))
            .top_k(i32::try_from(self.top).unwrap_or(i32::MAX))
            .projection_expression(projection)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        set_some!(search, set_search_condition_expression: condition);
        set_some!(search, set_expression_attribute_names: names);
        set_some!(search, set_expression_attribute_values: values);
        Ok(search)
    }

    /// Renders the attributes to read: the requested ones, the key, and those that `see` evaluates, as far as the index holds them.
    /// Without a projection, these are all that the entity declares, because DynamoDB leaves the vector out unless it is named.
    fn projection(&self, placeholders: &mut Placeholders) -> String {
        let (schema, held) = (self.schema, self.index.projection);
        let is_held = |name: &&str| match held {
            Projected::All => true,
            Projected::Only(names) => names.contains(name),
        };
        let keys = schema.keys().map(|key| key.name);
        let further = keys.chain(attributes_of_readers(schema).filter(is_held));
        match self.projection {
            Some(names) => render_projection(alias::names(schema, names).chain(further), placeholders),
            None => {
                let declared = schema.attributes.iter().flat_map(StoredAttribute::names);
                render_projection(declared.chain(further), placeholders)
            }
        }
    }
}

/// Returns the condition of the partition and the filters. DynamoDB takes one comparison of each attribute.
fn condition(
    index: &VectorIndex,
    equal: &[(&'static KeyAttribute, Result<AttributeValue, EncodeError>)],
) -> Result<Option<Node>, Error> {
    let mut terms: Vec<Node> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for (attribute, value) in equal {
        let name = attribute.name;
        if named.contains(&name) {
            return Err(Error::invalid(format!("the search asks for `{name}` twice: leave one of them out")));
        }
        named.push(name);
        let value = value.as_ref().map_err(|error| error.clone().at_name(name))?;
        if index.partition.iter().any(|partition| partition.name == name) {
            check_key(value, PARTITION_KEY_BYTES).map_err(|error| error.at_name(name))?;
        } else {
            check_value(value, 0).map_err(|error| error.at_name(name))?;
        }
        terms.push(Node::compare(name, Operator::Eq, value));
    }
    Ok(Node::all(terms))
}

/// Returns the results that are live items of the entity and close enough.
fn found(
    schema: &'static Schema,
    index: &VectorIndex,
    within: Option<f64>,
    now: EpochMillis,
    results: Vec<SearchResultItem>,
) -> Closest {
    let mut found = Closest { items: Vec::with_capacity(results.len()), dropped: 0 };
    for result in results {
        let SearchResultItem { item, score, .. } = result;
        if within.is_some_and(|limit| !is_within(index.metric, score, limit)) {
            continue;
        }
        let item: Item = item.unwrap_or_default();
        let seen = see(&[schema], now, &item);
        if seen.owner == Owner::Entity(0) && seen.state.is_live() {
            found.items.push((item.into(), score));
        } else {
            found.dropped += 1;
        }
    }
    found
}

/// Returns `true` if a score is at most as far as this limit.
fn is_within(metric: Metric, score: f64, limit: f64) -> bool {
    match metric {
        Metric::Cosine | Metric::Euclidean => score <= limit,
        Metric::DotProduct => score >= limit,
    }
}
