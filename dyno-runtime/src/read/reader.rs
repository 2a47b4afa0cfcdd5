//! One request of a query or scan, and whose of what it returns is.

use super::cursor::Place;
use super::cursor_scope::asked;
use super::query::{
    KeyValue, ReadCommand, ReadOptions, Returns, Source, check_limit, check_segment, partition_key, refuse_key_names,
    refuse_names_not_held, windows,
};
use super::read_level::Level;
use super::view::{Whose, attributes_of_readers, see};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal};
use crate::error::{Error, descriptor};
use crate::exchange::{Repository, Request};
use crate::expression::{Node, Operator, Placeholders, check_length, render_projection};
use crate::key::{Asked, Part, Window, check_condition, key_names};
use crate::rule;
use crate::schema::names::INTENT;
use crate::schema::{EntityType, Index, KeyAttribute, KeyForm, Schema, Segment};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, Select};

impl ReadCommand {
    /// The request for the first page.
    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let context = self.context();
        let prepared = Reader::new(self.clone(), repository, &table).and_then(|(reader, after)| {
            let limit = reader.options.limit;
            reader.input(repository.client(), table, repository.now(), limit, after)
        });
        match prepared {
            Ok(Input::Query(query)) => Ok(Request::Query(query.as_input().clone())),
            Ok(Input::Scan(scan)) => Ok(Request::Scan(scan.as_input().clone())),
            Err(error) => Err(error.with_context(|| context)),
        }
    }
}

/// A [`ReadCommand`] whose parts have been found good.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) schema: &'static Schema,
    pub(super) index: Option<&'static Index>,
    pub(super) target: Target,
    pub(super) filter: Option<Node>,
    pub(super) options: ReadOptions,
    pub(super) asked: Asked,
}

#[derive(Debug)]
pub(super) enum Target {
    Query {
        /// The attributes of the partition key.
        partition: Vec<KeyValue>,
        /// What is asked of those of the sort key.
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
    /// With the key behind which it starts, if it does not start at the beginning.
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
                "an index holds nothing of what is not committed: leave `uncommitted` out, or read the table",
            ));
        }
        let path = schema.path(index);
        let target = match command.source {
            Source::Query { partition, sort, descending, .. } => {
                refuse_key_names(path, filter.as_ref())?;
                let partition: Vec<Part> = partition?.into_iter().map(Part).collect();
                // Without conditions, the entity's own template is none: the others' items are wanted, too.
                let all = options.shared.is_some() && sort.is_empty();
                let windows = if all { Vec::new() } else { windows(path, &partition, sort)? };
                Target::Query { partition: partition_key(path, &partition)?, windows, descending }
            }
            Source::Scan { segment, .. } => Target::Scan { segment: check_segment(segment)? },
        };
        let schemas = options.shared.map_or(std::slice::from_ref(&schema), |shared| shared.schemas);
        // An index holds no intent that could tell what becomes of it.
        if index.is_some() || !schemas.iter().any(|schema| options.level.looks(schema)) {
            options.level = options.level.stored();
        }
        let asked = asked(schema, table, index, &target, filter.as_ref(), options);
        let filter = filter.map(|filter| rule::alias::seen(schema, filter));
        let reader = Self { schema, index, target, filter, options, asked };
        let after = command.after.map(|cursor| reader.start_key(cursor.open(asked, repository.seal())?)).transpose()?;
        Ok((reader, after))
    }

    /// The key of a place, unless DynamoDB cannot start behind it.
    pub(super) fn start_key(&self, place: Place) -> Result<Item, Error> {
        let key = place.into_item();
        let (schema, index) = (self.schema, self.index);
        let is_typed = |attribute: &KeyAttribute| {
            let found = key.get(attribute.name).map(descriptor);
            found == Some(attribute.key_type.as_str())
        };
        let mut keys = schema.keys().chain(index.into_iter().flat_map(Index::keys));
        if key.len() != key_names(schema, index).count() || !keys.all(is_typed) || !self.is_within(&key) {
            return Err(Error::invalid(
                "the cursor or checkpoint holds no key that this query or scan can go on behind",
            ));
        }
        Ok(key)
    }

    /// The request for a page behind the key `after`, of at most `limit` items before the filter.
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
        /// Sets what both inputs have in common.
        macro_rules! input {
            ($input:expr, $filter:expr) => {{
                let filter: Option<Node> = $filter;
                filter.as_ref().map_or(Ok(()), check_condition)?;
                let filter = filter.map(|filter| filter.render(&mut placeholders));
                filter.as_deref().map_or(Ok(()), check_length)?;
                let projection = self.projection(&mut placeholders);
                placeholders.check()?;
                $input
                    .table_name(table)
                    .set_index_name(self.index.map(|index| index.name.to_owned()))
                    .set_filter_expression(filter)
                    .set_projection_expression(projection)
                    .set_expression_attribute_names(placeholders.names())
                    .set_expression_attribute_values(placeholders.into_values())
                    .set_select(self.is_counted_there().then_some(Select::Count))
                    .set_limit(limit)
                    .set_exclusive_start_key(after)
                    .set_consistent_read(self.options.level.consistency().flag())
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
            }};
        }
        match &self.target {
            Target::Query { partition, windows, descending } => {
                let mut keys: Vec<Node> =
                    partition.iter().map(|(name, value)| Node::compare(*name, Operator::Eq, value)).collect();
                keys.extend(windows.iter().filter_map(|(name, window)| window.condition(name)));
                let keys = Node::all(keys).map(|keys| keys.render(&mut placeholders));
                Ok(Input::Query(
                    input!(client.query(), self.sent_filter(now, Vec::new()))
                        .set_key_condition_expression(keys)
                        .set_scan_index_forward(descending.then_some(false)),
                ))
            }
            Target::Scan { segment } => {
                let keys = template_conditions(self.schema);
                Ok(Input::Scan(
                    input!(client.scan(), self.sent_filter(now, keys))
                        .set_segment(segment.and_then(|(segment, _)| i32::try_from(segment).ok()))
                        .set_total_segments(segment.and_then(|(_, of)| i32::try_from(of).ok())),
                ))
            }
        }
    }

    /// What DynamoDB filters by. What becomes of an item that a transaction holds, it does not know: that comes through.
    fn sent_filter(&self, now: EpochMillis, terms: Vec<Node>) -> Option<Node> {
        if self.options.returns == Returns::Rows {
            return None;
        }
        let filter = self.filter(now, terms);
        if self.options.level.resolves() { filter.map(|filter| filter.or(Node::Exists(INTENT.into()))) } else { filter }
    }

    /// Live items only, and what the caller filters by.
    pub(super) fn filter(&self, now: EpochMillis, mut terms: Vec<Node>) -> Option<Node> {
        if self.options.shared.is_some() {
            // Each entity has rules of its own: `wants` decides.
            return self.filter.clone();
        }
        if self.options.include_dead {
            terms.extend(rule::no_placeholder(self.schema));
        } else {
            let dead = rule::dead(self.schema, now);
            // The filter of a query cannot name a key attribute: `wants` decides.
            terms.extend(dead.filter(|dead| !self.names_key(dead)).map(Node::not));
        }
        terms.extend(self.schema.history.as_ref().and_then(|history| history.not_a_revision(self.schema)));
        terms.extend(self.schema.entity_type.as_ref().map(EntityType::node));
        terms.extend(self.filter.clone());
        Node::all(terms)
    }

    pub(super) fn names_key(&self, node: &Node) -> bool {
        let path = self.schema.path(self.index);
        matches!(self.target, Target::Query { .. }) && path.keys().any(|key| node.names().contains(&key.name))
    }

    /// Whether DynamoDB counts: where nothing that comes through the filter is dropped here.
    pub(super) fn is_counted_there(&self) -> bool {
        // Whether an item is dead, a key can tell.
        let flag = self.schema.tombstone.iter().map(|tombstone| tombstone.deleted);
        let mut of_death = flag.chain(self.schema.ttl.iter().map(|ttl| ttl.attribute));
        let path = self.schema.path(self.index);
        let is_key = |name| path.keys().any(|key| key.name == name);
        self.options.returns == Returns::Count
            && !self.options.level.resolves()
            && self.options.shared.is_none()
            && !self.compares_keys()
            && (self.options.include_dead || !of_death.any(is_key))
    }

    /// Whether items are dropped here because of their keys, which DynamoDB compares less closely.
    fn compares_keys(&self) -> bool {
        self.windows().iter().any(|(_, window)| window.is_narrower())
            || self.schema.keys().any(|key| matches!(key.form, KeyForm::Template(_)))
    }

    /// The attributes to read: those that were asked for, and those that tell where the item is and whether it is live.
    pub(super) fn projection(&self, placeholders: &mut Placeholders) -> Option<String> {
        let names = self.projected().filter(|_| !self.is_counted_there())?;
        // Of an item that is held, the filter is decided here.
        let looked_at = self.filter.iter().flat_map(Node::names).chain([INTENT]).map(str::to_owned);
        Some(render_projection(
            names.map(str::to_owned).chain(looked_at.filter(|_| self.options.level.resolves())),
            placeholders,
        ))
    }

    /// The attributes of what is returned, unless it is all of them.
    pub(super) fn projected(&self) -> Option<impl Iterator<Item = &'static str>> {
        let names = rule::alias::names(self.schema, self.options.projection?);
        Some(names.chain(key_names(self.schema, self.index)).chain(attributes_of_readers(self.schema)))
    }

    /// Whether an item that came through since a transaction holds it comes through the filter as well.
    pub(super) fn passes(&self, now: EpochMillis, item: &Item) -> bool {
        self.filter(now, Vec::new()).is_none_or(|filter| filter.holds(item))
    }

    /// Whether a page returns an item that came through the filter.
    pub(super) fn returns(&self, now: EpochMillis, item: &Item) -> bool {
        if self.options.returns == Returns::Rows {
            self.is_in_windows(item) && see(&[self.schema], now, item).whose == Whose::Entity(0)
        } else {
            self.wants(now, item)
        }
    }

    /// Whether a row is one of those that are asked for, so far as its key tells.
    pub(super) fn covers(&self, key: &Item) -> bool {
        self.is_within(key) && self.is_in_windows(key)
    }

    /// Whether a key is between the ends of what is asked.
    fn is_within(&self, key: &Item) -> bool {
        let Target::Query { partition, windows, .. } = &self.target else { return true };
        let is_here = |(name, value): &KeyValue| key.get(*name).is_some_and(|there| equal(there, value));
        let reaches = |(name, window): &(&str, Window)| key.get(*name).is_some_and(|there| window.reaches(there));
        partition.iter().all(is_here) && windows.iter().all(reaches)
    }

    fn is_in_windows(&self, item: &Item) -> bool {
        self.windows().iter().all(|(name, window)| window.contains(name, item))
    }

    fn windows(&self) -> &[(&'static str, Window)] {
        match &self.target {
            Target::Query { windows, .. } => windows,
            Target::Scan { .. } => &[],
        }
    }

    fn schemas(&self) -> &[&'static Schema] {
        self.options.shared.map_or(std::slice::from_ref(&self.schema), |shared| shared.schemas)
    }

    /// Whether an item that came through the filter is the caller's.
    pub(super) fn wants(&self, now: EpochMillis, item: &Item) -> bool {
        let seen = see(self.schemas(), now, item);
        self.is_in_windows(item)
            && match seen.whose {
                Whose::Entity(_) => seen.state.is_wanted(self.options.include_dead),
                Whose::Revision => false,
                Whose::Nobody => self.options.shared.is_some_and(|shared| !shared.skip_unknown),
            }
    }

    /// Of which entity it is, if it is the caller's to look at what a transaction keeps in it.
    pub(super) fn whose(&self, now: EpochMillis, item: &Item) -> Option<&'static Schema> {
        let Whose::Entity(entity) = see(self.schemas(), now, item).whose else { return None };
        self.schemas().get(entity).copied().filter(|schema| self.options.level.looks(schema))
    }

    /// No item can be the caller's.
    pub(super) fn is_empty(&self) -> bool {
        self.windows().iter().any(|(_, window)| window.is_empty())
    }

    /// Whether DynamoDB may read items that are not returned.
    pub(super) fn drops_items(&self) -> bool {
        self.filter.is_some()
            || self.options.shared.is_some()
            || !self.options.include_dead && (self.schema.tombstone.is_some() || self.schema.ttl.is_some())
            || self.schema.is_transactional
            || self.schema.history.as_ref().is_some_and(|history| history.not_a_revision(self.schema).is_some())
            || self.schema.entity_type.is_some()
            || self.compares_keys()
    }
}

/// What the templates say of every key of the entity: to pass over the items of others in its table.
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
