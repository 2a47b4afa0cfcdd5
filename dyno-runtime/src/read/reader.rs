//! The requests of a query or scan, and which of the rows that DynamoDB returns belong to the result.

use super::cursor::Place;
use super::cursor_scope::asked;
use super::entity_set::as_seen;
use super::query::{
    KeyValue, ReadCommand, ReadOptions, Returns, Source, check_limit, check_segment, partition_key,
    refuse_inconsistent_index, refuse_key_names, refuse_names_not_held, windows,
};
use super::read_level::{Level, is_held};
use super::view::{Owner, attributes_of_readers, see};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek, equal};
use crate::error::{Error, descriptor};
use crate::exchange::{Repository, Request, set_some};
use crate::expression::{Node, Operator, Placeholders, render_projection};
use crate::key::{Asked, Part, Window, check_condition, key_names};
use crate::rule;
use crate::schema::names::INTENT;
use crate::schema::{EntityType, Index, KeyAttribute, KeyForm, Schema, Segment};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, Select};
use std::ptr;

impl ReadCommand {
    /// Returns the request for the first page.
    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let context = self.context();
        let prepared = Reader::new(self.clone(), repository, &table).and_then(|(reader, after)| {
            let limit = reader.options.limit;
            reader.input(repository.sender(), table, repository.now(), limit, after)
        });
        match prepared {
            Ok(Input::Query(query)) => Ok(Request::Query(query.as_input().clone())),
            Ok(Input::Scan(scan)) => Ok(Request::Scan(scan.as_input().clone())),
            Err(error) => Err(error.with_context(|| context)),
        }
    }
}

/// A [`ReadCommand`] that has passed all checks.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) schema: &'static Schema,
    pub(super) index: Option<&'static Index>,
    pub(super) target: Target,
    pub(super) filter: Option<Node>,
    /// The filter as each entity sees it, if they see it differently.
    forms: Vec<Node>,
    pub(super) options: ReadOptions,
    pub(super) asked: Asked,
}

#[derive(Debug)]
pub(super) enum Target {
    Query {
        /// The attributes of the partition key, and their values.
        partition: Vec<KeyValue>,
        /// The windows of values for the attributes of the sort key.
        windows: Vec<(&'static str, Window)>,
        descending: bool,
    },
    Scan {
        segment: Option<(u32, u32)>,
    },
}

pub(super) enum Input {
    Query(QueryFluentBuilder),
    Scan(ScanFluentBuilder),
}

impl Reader {
    /// Checks a command. Returns the key behind which it starts as well, if it has a cursor.
    pub(super) fn new(
        command: ReadCommand,
        repository: &Repository,
        table: &str,
    ) -> Result<(Self, Option<Item>), Error> {
        let (schema, index, mut options) = (command.schema, command.index(), command.options);
        check_limit(options.limit)?;
        let filter = command.filter.transpose()?;
        refuse_names_not_held(schema, index, filter.as_ref())?;
        if index.is_some() && matches!(options.level, Level::Uncommitted(_)) {
            return Err(Error::invalid(
                "an index holds no uncommitted changes: leave `uncommitted` out, or read the table",
            ));
        }
        let schemas = options.entities.map_or(std::slice::from_ref(&schema), |entities| entities.schemas);
        refuse_inconsistent_index(index, options.level, schemas)?;
        options.entities.map_or(Ok(()), |entities| entities.check_table(repository, table))?;
        let path = schema.path(index);
        let target = match command.source {
            Source::Query { partition, sort, descending, .. } => {
                refuse_key_names(path, filter.as_ref())?;
                let partition: Vec<Part> = partition?.into_iter().map(Part).collect();
                // A query for several entities without a condition on the sort key reads the whole partition, so the template
                // of the query's own entity must not restrict it.
                let all = options.entities.is_some() && sort.is_empty();
                let windows = if all { Vec::new() } else { windows(path, &partition, sort)? };
                Target::Query { partition: partition_key(path, &partition)?, windows, descending }
            }
            Source::Scan { segment, .. } => Target::Scan { segment: check_segment(segment)? },
        };
        // The items of an index have no intents.
        if index.is_some() || !schemas.iter().any(|schema| options.level.resolves_in(schema)) {
            options.level = options.level.stored();
        }
        let asked = asked(schema, table, index, &target, filter.as_ref(), options);
        let (filter, forms) = filter.map(|filter| as_seen(schemas, &filter)).unwrap_or_default();
        let reader = Self { schema, index, target, filter, forms, options, asked };
        let after = command.after.map(|cursor| reader.start_key(cursor.open(asked, repository.seal())?)).transpose()?;
        Ok((reader, after))
    }

    /// Returns the key of a place; an error if DynamoDB cannot start behind it.
    pub(super) fn start_key(&self, place: Place) -> Result<Item, Error> {
        self.key(place, self.index)
    }

    /// Returns the key of an item of the table; an error if no item of the query or scan can have it.
    #[cfg(feature = "bulk")]
    pub(super) fn table_key(&self, place: Place) -> Result<Item, Error> {
        self.key(place, None)
    }

    fn key(&self, place: Place, index: Option<&'static Index>) -> Result<Item, Error> {
        let key = place.into_item();
        let schema = self.schema;
        let is_typed = |attribute: &KeyAttribute| {
            let found = key.get(attribute.name).map(descriptor);
            found == Some(attribute.key_type.as_str())
        };
        let mut keys = schema.keys().chain(index.into_iter().flat_map(Index::keys));
        // The key of the table alone does not say where in an index the item is.
        let is_within = index.is_none() && self.index.is_some() || self.is_within(&key);
        if key.len() != key_names(schema, index).count() || !keys.all(is_typed) || !is_within {
            return Err(Error::invalid(
                "the cursor or checkpoint holds no key after which this query or scan could continue: start from the beginning",
            ));
        }
        Ok(key)
    }

    /// Returns the name of the operation.
    pub(super) fn operation(&self) -> &'static str {
        if matches!(self.target, Target::Scan { .. }) { "Scan" } else { "Query" }
    }

    /// Returns the request for the page behind the key `after`, with at most `limit` items before the filter.
    pub(super) fn input(
        &self,
        client: &Client,
        table: String,
        now: EpochMillis,
        limit: Option<usize>,
        after: Option<Item>,
    ) -> Result<Input, Error> {
        let mut placeholders = Placeholders::default();
        let limit = limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
        /// Sets the parts that both kinds of requests have.
        macro_rules! input {
            ($input:expr, $keys:expr, $filter:expr) => {{
                let filter: Option<Node> = $filter;
                filter.as_ref().map_or(Ok(()), check_condition)?;
                let mut filter = filter.map(|filter| filter.render(&mut placeholders));
                let mut projection = self.projection(&mut placeholders);
                placeholders.fit([$keys, filter.as_mut(), projection.as_mut()])?;
                let (names, values) = placeholders.into_parts();
                let mut input = $input.table_name(table).return_consumed_capacity(ReturnConsumedCapacity::Total);
                set_some!(input, set_index_name: self.index.map(|index| index.name.to_owned()));
                set_some!(input, set_filter_expression: filter);
                set_some!(input, set_projection_expression: projection);
                set_some!(input, set_expression_attribute_names: names);
                set_some!(input, set_expression_attribute_values: values);
                set_some!(input, set_select: self.is_counted_by_dynamodb().then_some(Select::Count));
                set_some!(input, set_limit: limit);
                set_some!(input, set_exclusive_start_key: after);
                set_some!(input, set_consistent_read: self.options.level.consistency().flag());
                input
            }};
        }
        // The key condition, the filter and the projection share their placeholders.
        match &self.target {
            Target::Query { partition, windows, descending } => {
                let mut keys: Vec<Node> =
                    partition.iter().map(|(name, value)| Node::compare(*name, Operator::Eq, value)).collect();
                keys.extend(windows.iter().filter_map(|(name, window)| window.condition(name)));
                let mut keys = Node::all(keys).map(|keys| keys.render(&mut placeholders));
                let mut query = input!(client.query(), keys.as_mut(), self.sent_filter(now, Vec::new()));
                set_some!(query, set_key_condition_expression: keys);
                set_some!(query, set_scan_index_forward: descending.then_some(false));
                Ok(Input::Query(query))
            }
            Target::Scan { segment } => {
                let keys = template_conditions(self.schema);
                let mut scan = input!(client.scan(), None, self.sent_filter(now, keys));
                set_some!(scan, set_segment: segment.and_then(|(segment, _)| i32::try_from(segment).ok()));
                set_some!(scan, set_total_segments: segment.and_then(|(_, of)| i32::try_from(of).ok()));
                Ok(Input::Scan(scan))
            }
        }
    }

    /// Returns the filter for DynamoDB. If held items are resolved, here or by the caller, all of them pass this filter, because their
    /// resolved version is filtered later.
    fn sent_filter(&self, now: EpochMillis, terms: Vec<Node>) -> Option<Node> {
        if self.options.returns == Returns::Rows {
            return None;
        }
        let filter = self.filter(now, terms);
        let are_resolved = self.options.level.resolves() || self.options.returns == Returns::ItemsAndHeld;
        if are_resolved { filter.map(|filter| filter.or(Node::Exists(INTENT.into()))) } else { filter }
    }

    /// Returns the filter for live items of the entity that meet the command's filter.
    pub(super) fn filter(&self, now: EpochMillis, mut terms: Vec<Node>) -> Option<Node> {
        if self.options.entities.is_some() {
            // Each entity has its own rules, so `belongs` decides which items are live.
            return self.filter.clone();
        }
        if self.options.include_dead {
            terms.extend(rule::no_placeholder(self.schema));
        } else {
            let dead = rule::dead(self.schema, now);
            // A query's filter cannot name a key attribute. If one decides whether an item is live, `belongs` checks it.
            terms.extend(dead.filter(|dead| !self.names_key(dead)).map(Node::not));
        }
        terms.extend(self.schema.history.as_ref().and_then(|history| history.not_a_revision(self.schema)));
        terms.extend(self.schema.entity_type.as_ref().map(EntityType::node));
        terms.extend(self.filter.clone());
        Node::all(terms)
    }

    /// Returns `true` if a condition names an attribute of the key by which a query reads.
    fn names_key(&self, node: &Node) -> bool {
        let path = self.schema.path(self.index);
        matches!(self.target, Target::Query { .. }) && path.keys().any(|key| node.names().contains(&key.name))
    }

    /// Returns `true` if DynamoDB can count the items, because dyno drops none that pass the filter.
    pub(super) fn is_counted_by_dynamodb(&self) -> bool {
        // The flag of a tombstone or the TTL can be a key attribute, which the filter of a query cannot name.
        let flag = self.schema.tombstone.iter().map(|tombstone| tombstone.deleted);
        let mut dead_by = flag.chain(self.schema.ttl.iter().map(|ttl| ttl.attribute));
        let path = self.schema.path(self.index);
        let is_key = |name| path.keys().any(|key| key.name == name);
        self.options.returns == Returns::Count
            && !self.options.level.resolves()
            && self.options.entities.is_none()
            && !self.compares_keys()
            && (self.options.include_dead || !dead_by.any(is_key))
    }

    /// Returns `true` if dyno drops items because of their keys: DynamoDB cannot check templates, nor every window.
    fn compares_keys(&self) -> bool {
        self.windows().iter().any(|(_, window)| window.is_narrower())
            || self.schema.keys().any(|key| matches!(key.form, KeyForm::Template(_)))
    }

    /// Renders the projection: the requested attributes, the key, and the attributes that `see` evaluates. If held items are
    /// resolved, also the intent and the attributes of the filter, which dyno then applies itself.
    pub(super) fn projection(&self, placeholders: &mut Placeholders) -> Option<String> {
        let names = self.projected().filter(|_| !self.is_counted_by_dynamodb())?;
        let looked_at = self.filter.iter().flat_map(Node::names).chain([INTENT]).map(str::to_owned);
        Some(render_projection(
            names.map(str::to_owned).chain(looked_at.filter(|_| self.options.level.resolves())),
            placeholders,
        ))
    }

    /// Returns the attributes of a returned item, unless it is whole.
    pub(super) fn projected(&self) -> Option<impl Iterator<Item = &'static str>> {
        let names = rule::alias::names(self.schema, self.options.projection?);
        Some(names.chain(key_names(self.schema, self.index)).chain(attributes_of_readers(self.schema)))
    }

    /// Returns `true` if the resolved version of a held item passes the filter.
    pub(super) fn passes_filter(&self, now: EpochMillis, item: &Item) -> bool {
        self.filter(now, Vec::new()).is_none_or(|filter| filter.holds(item))
    }

    /// Returns `true` if the entities see the filter differently, so that dyno applies it again.
    pub(super) fn filters_again(&self) -> bool {
        !self.forms.is_empty()
    }

    /// Returns `true` if an item meets the filter as its own entity sees it. An item of no entity meets it as the entity of the query
    /// sees it.
    pub(super) fn meets_own_filter(&self, now: EpochMillis, item: &Item) -> bool {
        let entity = match see(self.schemas(), now, item).owner {
            Owner::Entity(entity) => Some(entity),
            Owner::Revision | Owner::Nobody => self.schemas().iter().position(|schema| ptr::eq(*schema, self.schema)),
        };
        entity.and_then(|entity| self.forms.get(entity)).is_none_or(|form| form.holds(item))
    }

    /// Returns `true` if a page returns an item that passed the filter.
    pub(super) fn is_returned(&self, now: EpochMillis, item: &dyn Peek) -> bool {
        let is_row = || self.is_in_windows(item) && see(&[self.schema], now, item).owner == Owner::Entity(0);
        match self.options.returns {
            Returns::Rows => is_row(),
            Returns::ItemsAndHeld if is_held(item) => is_row(),
            _ => self.belongs(now, item),
        }
    }

    /// Returns `true` if the query or scan includes the row with this key.
    #[cfg(feature = "transactions")]
    pub(super) fn covers(&self, key: &Item) -> bool {
        self.is_within(key) && self.is_in_windows(key)
    }

    /// Returns `true` if a key is in the partition and within the bounds of the sort key.
    pub(super) fn is_within(&self, key: &Item) -> bool {
        let Target::Query { partition, windows, .. } = &self.target else { return true };
        let is_here = |(name, value): &KeyValue| key.get(*name).is_some_and(|there| equal(there, value));
        let reaches = |(name, window): &(&str, Window)| key.get(*name).is_some_and(|there| window.reaches(there));
        partition.iter().all(is_here) && windows.iter().all(reaches)
    }

    fn is_in_windows(&self, item: &dyn Peek) -> bool {
        self.windows().iter().all(|(name, window)| window.contains(name, item))
    }

    fn windows(&self) -> &[(&'static str, Window)] {
        match &self.target {
            Target::Query { windows, .. } => windows,
            Target::Scan { .. } => &[],
        }
    }

    fn schemas(&self) -> &[&'static Schema] {
        self.options.entities.map_or(std::slice::from_ref(&self.schema), |entities| entities.schemas)
    }

    /// Returns `true` if an item that passed the filter belongs to the result: by its key, its entity and its state.
    pub(super) fn belongs(&self, now: EpochMillis, item: &dyn Peek) -> bool {
        let seen = see(self.schemas(), now, item);
        self.is_in_windows(item)
            && match seen.owner {
                Owner::Entity(_) => seen.state.is_wanted(self.options.include_dead),
                Owner::Revision => false,
                Owner::Nobody => self.options.entities.is_some_and(|entities| !entities.skip_unknown),
            }
    }

    /// Returns the schema of an item's entity, if the command resolves intents in items of that entity.
    pub(super) fn resolvable(&self, now: EpochMillis, item: &Item) -> Option<&'static Schema> {
        let Owner::Entity(entity) = see(self.schemas(), now, item).owner else { return None };
        self.schemas().get(entity).copied().filter(|schema| self.options.level.resolves_in(schema))
    }

    /// Returns `true` if no item can meet the conditions on the sort key.
    pub(super) fn is_empty(&self) -> bool {
        self.windows().iter().any(|(_, window)| window.is_empty())
    }

    /// Returns `true` if DynamoDB may read items that are not returned.
    pub(super) fn may_drop_items(&self) -> bool {
        self.filter.is_some()
            || self.options.entities.is_some()
            || !self.options.include_dead && (self.schema.tombstone.is_some() || self.schema.ttl.is_some())
            || self.schema.is_transactional
            || self.schema.history.as_ref().is_some_and(|history| history.not_a_revision(self.schema).is_some())
            || self.schema.entity_type.is_some()
            || self.compares_keys()
    }
}

/// Returns the conditions that the templates imply for every key of the entity. They skip items of other entities in the table.
fn template_conditions(schema: &Schema) -> Vec<Node> {
    let condition = |key: &KeyAttribute| match key.form {
        KeyForm::Template([Segment::Literal(literal)]) => {
            Some(Node::compare(key.name, Operator::Eq, &AttributeValue::S((*literal).to_owned())))
        }
        KeyForm::Template([Segment::Literal(literal), ..]) => {
            Some(Node::BeginsWith(key.name.into(), AttributeValue::S((*literal).to_owned())))
        }
        _ => None,
    };
    schema.keys().filter_map(condition).collect()
}
