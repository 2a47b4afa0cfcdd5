//! Query and Scan: page by page, until a limit of live items is met or there are no more.
//!
//! DynamoDB's own Limit counts items before the filter, so tombstones and expired items would use it up. Here the
//! limit counts what the caller gets, and reading goes on until it is met. A cursor is the key of the last item
//! returned, so a page may be read further than it is handed out.

use super::cursor::{Cursor, Place};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, KeyPart, equal};
use crate::error::{Context, EncodeError, Error, descriptor};
use crate::exchange::{About, Repository, Request, read};
use crate::expression::{Node, Operator, Placeholders, check_length, render_projection};
use crate::key::{
    Asked, Fingerprint, PARTITION_KEY_BYTES, Part, SortTerm, Window, check_condition, check_key, is_of, key_names,
    key_value,
};
use crate::rule;
use crate::schema::{AccessPath, EntityType, Index, KeyAttribute, KeyForm, Projected, Schema, Segment};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, Select};
use futures_util::stream;
use futures_util::stream::{BoxStream, TryStreamExt as _};

/// A query or scan, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ReadCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) source: Source,
    pub(crate) filter: Option<Result<Node, EncodeError>>,
    pub(crate) limit: Option<usize>,
    pub(crate) after: Option<Cursor>,
    pub(crate) consistent: bool,
    /// Whether items that count as absent are to be returned too.
    pub(crate) include_dead: bool,
    /// The attributes to read, unless it is all of them.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The entities of which items are wanted, unless it is the schema's alone.
    pub(crate) shared: Option<Shared>,
    /// Whether it is only asked how many there are.
    pub(crate) counting: bool,
}

/// The entities of which the items of a partition are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub(crate) schemas: &'static [&'static Schema],
    /// Whether items of no one are passed over.
    pub(crate) skip_unknown: bool,
}

/// Where a [`ReadCommand`] reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Query {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// The values of the partition key's fields.
        partition: Result<Vec<AttributeValue>, EncodeError>,
        /// What is asked of the sort key: of which of its attributes, and what.
        sort: Vec<(usize, SortTerm)>,
        descending: bool,
    },
    Scan {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// This segment of so many.
        segment: Option<(u32, u32)>,
    },
}

/// Items of one page, and where to go on.
#[derive(Debug)]
pub(crate) struct RawPage {
    pub(crate) items: Vec<Item>,
    pub(crate) cursor: Option<Cursor>,
}

/// The name of a key attribute, and its value.
pub(super) type KeyValue = (&'static str, AttributeValue);

/// The most items that one request asks for when it has to ask again: a page ends at 1 MB anyway.
const MOST_PER_REQUEST: usize = 1000;

impl ReadCommand {
    pub(crate) fn new(schema: &'static Schema, source: Source) -> Self {
        Self {
            schema,
            source,
            filter: None,
            limit: None,
            after: None,
            consistent: false,
            include_dead: false,
            projection: None,
            shared: None,
            counting: false,
        }
    }

    /// The index that it reads, if it does.
    pub(crate) fn index(&self) -> Option<&'static Index> {
        match self.source {
            Source::Query { index, .. } | Source::Scan { index, .. } => index,
        }
    }

    /// Adds a filter to those that are there already.
    pub(crate) fn and(&mut self, filter: Result<Node, EncodeError>) {
        self.filter = Some(Node::join(self.filter.take(), filter));
    }

    /// The request for the first page.
    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let context = self.context();
        let prepared = Reader::new(self.clone(), repository, &table).and_then(|reader| {
            let limit = reader.limit;
            reader.input(repository.client(), table, repository.now(), limit, reader.after.clone())
        });
        match prepared {
            Ok(Input::Query(query)) => Ok(Request::Query(query.as_input().clone())),
            Ok(Input::Scan(scan)) => Ok(Request::Scan(scan.as_input().clone())),
            Err(error) => Err(error.with_context(|| context)),
        }
    }

    fn operation(&self) -> &'static str {
        match self.source {
            Source::Query { .. } => "query",
            Source::Scan { .. } => "scan",
        }
    }

    pub(crate) fn context(&self) -> Context {
        Context { operation: self.operation(), entity: self.schema.entity, key: None }
    }
}

/// A [`ReadCommand`] whose parts have been found good.
#[derive(Debug)]
struct Reader {
    schema: &'static Schema,
    index: Option<&'static Index>,
    target: Target,
    filter: Option<Node>,
    limit: Option<usize>,
    after: Option<Item>,
    consistent: bool,
    include_dead: bool,
    projection: Option<&'static [&'static str]>,
    shared: Option<Shared>,
    counting: bool,
    asked: Asked,
}

#[derive(Debug)]
enum Target {
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

enum Input {
    Query(QueryFluentBuilder),
    Scan(ScanFluentBuilder),
}

impl Reader {
    fn new(command: ReadCommand, repository: &Repository, table: &str) -> Result<Self, Error> {
        let schema = command.schema;
        if command.limit == Some(0) {
            return Err(Error::invalid("a limit of 0 returns nothing: give at least 1, or no limit"));
        }
        let index = command.index();
        let filter = command.filter.transpose()?;
        refuse_names_not_held(schema, index, filter.as_ref())?;
        let path = schema.path(index);
        let target = match command.source {
            Source::Query { partition, sort, descending, .. } => {
                refuse_key_names(path, filter.as_ref())?;
                let partition: Vec<Part> = partition?.into_iter().map(Part).collect();
                // Without conditions, the entity's own template is none: the others' items are wanted, too.
                let all = command.shared.is_some() && sort.is_empty();
                let windows = if all { Vec::new() } else { windows(path, &partition, sort)? };
                Target::Query { partition: partition_key(path, &partition)?, windows, descending }
            }
            Source::Scan { segment, .. } => Target::Scan { segment: check_segment(segment)? },
        };
        let (include_dead, shared) = (command.include_dead, command.shared);
        let asked = asked(schema, table, index, &target, filter.as_ref(), include_dead, shared);
        let mut reader = Self {
            schema,
            index,
            after: None,
            target,
            filter,
            limit: command.limit,
            consistent: command.consistent,
            include_dead,
            projection: command.projection,
            counting: command.counting,
            shared,
            asked,
        };
        if let Some(cursor) = command.after {
            reader.start_behind(cursor.open(asked, repository.seal())?)?;
        }
        Ok(reader)
    }

    /// Starts behind a key.
    fn start_behind(&mut self, place: Place) -> Result<(), Error> {
        let key = place.into_item();
        self.check_key(&key)?;
        self.after = Some(key);
        Ok(())
    }

    /// Refuses a key that DynamoDB cannot start behind.
    fn check_key(&self, key: &Item) -> Result<(), Error> {
        let (schema, index) = (self.schema, self.index);
        let is_typed = |attribute: &KeyAttribute| {
            let found = key.get(attribute.name).map(descriptor);
            found == Some(attribute.key_type.as_str())
        };
        let mut keys = schema.keys().chain(index.into_iter().flat_map(Index::keys));
        let is_within = || match &self.target {
            Target::Scan { .. } => true,
            Target::Query { partition, windows, .. } => {
                let is_here = |(name, value): &KeyValue| key.get(*name).is_some_and(|there| equal(there, value));
                let reaches =
                    |(name, window): &(&str, Window)| key.get(*name).is_some_and(|there| window.reaches(there));
                partition.iter().all(is_here) && windows.iter().all(reaches)
            }
        };
        if key.len() != key_names(schema, index).count() || !keys.all(is_typed) || !is_within() {
            return Err(Error::invalid(
                "the cursor or checkpoint holds no key that this query or scan can go on behind",
            ));
        }
        Ok(())
    }

    /// The request for a page behind the key `after`, of at most `limit` items before the filter.
    fn input(
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
                    .set_filter_expression(filter)
                    .set_projection_expression(projection)
                    .set_expression_attribute_names(placeholders.names())
                    .set_expression_attribute_values(placeholders.into_values())
                    .set_select(self.is_counted_there().then_some(Select::Count))
                    .set_limit(limit)
                    .set_exclusive_start_key(after)
                    .set_consistent_read(self.consistent.then_some(true))
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
                    input!(client.query(), self.filter(now, Vec::new()))
                        .set_index_name(self.index.map(|index| index.name.to_owned()))
                        .set_key_condition_expression(keys)
                        .set_scan_index_forward(descending.then_some(false)),
                ))
            }
            Target::Scan { segment } => {
                let keys = template_conditions(self.schema);
                Ok(Input::Scan(
                    input!(client.scan(), self.filter(now, keys))
                        .set_index_name(self.index.map(|index| index.name.to_owned()))
                        .set_segment(segment.and_then(|(segment, _)| i32::try_from(segment).ok()))
                        .set_total_segments(segment.and_then(|(_, of)| i32::try_from(of).ok())),
                ))
            }
        }
    }

    /// Live items only, and what the caller filters by.
    fn filter(&self, now: EpochMillis, mut terms: Vec<Node>) -> Option<Node> {
        if self.shared.is_some() {
            // Each entity has rules of its own: `wants` decides.
            return self.filter.clone().map(|filter| rule::alias::seen(self.schema, filter));
        }
        if !self.include_dead {
            let dead = rule::dead(self.schema, now);
            // The filter of a query cannot name a key attribute: `wants` decides.
            terms.extend(dead.filter(|dead| !self.names_key(dead)).map(Node::not));
        }
        terms.extend(self.schema.history.as_ref().and_then(|history| history.not_a_revision(self.schema)));
        terms.extend(self.schema.entity_type.as_ref().map(EntityType::node));
        terms.extend(self.filter.clone().map(|filter| rule::alias::seen(self.schema, filter)));
        Node::all(terms)
    }

    fn names_key(&self, node: &Node) -> bool {
        let path = self.schema.path(self.index);
        matches!(self.target, Target::Query { .. }) && path.keys().any(|key| node.names().contains(&key.name))
    }

    /// Whether DynamoDB counts: where nothing that comes through the filter is dropped here.
    fn is_counted_there(&self) -> bool {
        let is_narrower = match &self.target {
            Target::Query { windows, .. } => windows.iter().any(|(_, window)| window.is_narrower()),
            Target::Scan { .. } => false,
        };
        let is_template = |key: &KeyAttribute| matches!(key.form, KeyForm::Template(_));
        // Whether an item is dead, a key can tell.
        let flag = self.schema.tombstone.iter().map(|tombstone| tombstone.deleted);
        let mut of_death = flag.chain(self.schema.ttl.iter().map(|ttl| ttl.attribute));
        let path = self.schema.path(self.index);
        let is_key = |name| path.keys().any(|key| key.name == name);
        self.counting
            && self.shared.is_none()
            && !is_narrower
            && !self.schema.keys().any(is_template)
            && (self.include_dead || !of_death.any(is_key))
    }

    /// The attributes to read: those that were asked for, and those that tell where the item is and whether it is live.
    fn projection(&self, placeholders: &mut Placeholders) -> Option<String> {
        let names = self.projection.filter(|_| !self.is_counted_there())?;
        let names = rule::alias::names(self.schema, names);
        let names = names.chain(key_names(self.schema, self.index)).chain(rule::attributes_of_readers(self.schema));
        Some(render_projection(names, placeholders))
    }

    /// Whether an item that came through the filter is the caller's.
    fn wants(&self, now: EpochMillis, item: &Item) -> bool {
        let in_windows = match &self.target {
            Target::Query { windows, .. } => windows.iter().all(|(name, window)| window.contains(name, item)),
            Target::Scan { .. } => true,
        };
        if let Some(shared) = self.shared {
            let owner = owner(shared.schemas, item).map(|owner| shared.schemas[owner]);
            return in_windows
                && !is_revision(shared.schemas, item)
                && owner.map_or(!shared.skip_unknown, |schema| rule::is_dead(schema, now, item).is_none());
        }
        in_windows && is_of(self.schema, item) && (self.include_dead || rule::is_dead(self.schema, now, item).is_none())
    }

    /// No item can be the caller's.
    fn is_empty(&self) -> bool {
        matches!(&self.target, Target::Query { windows, .. } if windows.iter().any(|(_, window)| window.is_empty()))
    }

    /// Whether DynamoDB may read items that are not returned.
    fn drops_items(&self) -> bool {
        self.filter.is_some()
            || self.shared.is_some()
            || !self.include_dead && (self.schema.tombstone.is_some() || self.schema.ttl.is_some())
            || self.schema.history.as_ref().is_some_and(|history| history.not_a_revision(self.schema).is_some())
            || self.schema.entity_type.is_some()
            || matches!(&self.target, Target::Query { windows, .. } if windows.iter().any(|(_, window)| window.is_narrower()))
            || self.schema.keys().any(|key| matches!(key.form, KeyForm::Template(_)))
    }
}

/// What is asked, and of which table: what of it decides where a reading goes on.
fn asked(
    schema: &Schema,
    table: &str,
    index: Option<&Index>,
    target: &Target,
    filter: Option<&Node>,
    include_dead: bool,
    shared: Option<Shared>,
) -> Asked {
    let mut asked = Fingerprint::new();
    asked.text(schema.entity);
    asked.text(table);
    asked.optional(index, |asked, index| asked.text(index.name));
    match target {
        Target::Query { partition, windows, descending } => {
            asked.number(1 + u64::from(*descending));
            asked.number(partition.len() as u64);
            for (name, value) in partition {
                asked.text(name);
                asked.value(value);
            }
            asked.number(windows.len() as u64);
            for (name, window) in windows {
                asked.text(name);
                window.write(&mut asked);
            }
        }
        Target::Scan { segment } => {
            asked.number(0);
            asked.optional(*segment, |asked, (segment, of)| {
                asked.number(u64::from(segment));
                asked.number(u64::from(of));
            });
        }
    }
    asked.optional(filter, Fingerprint::node);
    asked.number(u64::from(include_dead));
    asked.optional(shared, |asked, shared| {
        asked.number(u64::from(shared.skip_unknown));
        asked.number(shared.schemas.len() as u64);
        shared.schemas.iter().for_each(|schema| asked.text(schema.entity));
    });
    asked.finish()
}

/// The entity whose item it is.
pub(crate) fn owner(schemas: &'static [&'static Schema], item: &Item) -> Option<usize> {
    schemas.iter().position(|schema| is_of(schema, item))
}

/// Whether it is a revision of one of these entities.
fn is_revision(schemas: &'static [&'static Schema], item: &Item) -> bool {
    let mut histories = schemas.iter().filter_map(|schema| schema.history.as_ref());
    histories.any(|history| history.is_revision(item))
}

/// The attributes of a partition key whose fields are known.
fn partition_key(path: AccessPath, parts: &[Part]) -> Result<Vec<KeyValue>, Error> {
    let parts: Vec<&dyn KeyPart> = parts.iter().map(|part| part as &dyn KeyPart).collect();
    let keys = path.partition.iter().map(|key| {
        let value = key_value(path.fields, key, &parts)?;
        check_key(&value, PARTITION_KEY_BYTES).map_err(|error| error.at_name(key.name))?;
        Ok((key.name, value))
    });
    keys.collect()
}

/// What is asked of each attribute of a sort key.
fn windows(
    path: AccessPath,
    partition: &[Part],
    mut terms: Vec<(usize, SortTerm)>,
) -> Result<Vec<(&'static str, Window)>, Error> {
    let windows = path.sort.iter().enumerate().map(|(index, key)| {
        let of_this = terms.extract_if(.., |(attribute, _)| *attribute == index).map(|(_, term)| term).collect();
        Ok((key.name, Window::new(path.fields, key, partition, of_this)?))
    });
    windows.collect()
}

/// DynamoDB takes no key attribute in a query's filter: no attribute of the key that the query goes by.
fn refuse_key_names(path: AccessPath, filter: Option<&Node>) -> Result<(), Error> {
    let names = filter.map(Node::names).unwrap_or_default();
    match names.into_iter().find(|name| path.keys().any(|key| key.name == *name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "`{name}` is a key attribute, which the filter of a query cannot name: use the query's `sort_…` methods"
        ))),
    }
}

/// An index knows nothing of what it does not hold: a filter would take it to be absent in every item.
fn refuse_names_not_held(
    schema: &'static Schema,
    index: Option<&'static Index>,
    filter: Option<&Node>,
) -> Result<(), Error> {
    let Some(Index { name: of, projection: Projected::Only(held), .. }) = index else { return Ok(()) };
    let is_held = |name: &&str| held.contains(name) || key_names(schema, index).any(|key| key == *name);
    match filter.map(Node::names).unwrap_or_default().into_iter().find(|name| !is_held(name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "the index `{of}` does not hold `{name}`, so a filter takes it to be absent: name it in the index's `projection(…)`, or filter what was read"
        ))),
    }
}

/// API reference, Scan: `TotalSegments` is 1 to 1,000,000.
pub(crate) const SEGMENTS: u32 = 1_000_000;

pub(crate) fn check_segment(segment: Option<(u32, u32)>) -> Result<Option<(u32, u32)>, Error> {
    match segment {
        Some((segment, of)) if segment >= of || of > SEGMENTS => Err(Error::invalid(format!(
            "there is no segment {segment} of {of}: segments count from 0, and there are at most {SEGMENTS}"
        ))),
        segment => Ok(segment),
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

/// A reading under way, page by page.
pub(crate) trait Paged: Sized + Send + 'static {
    type Row: Send + 'static;

    /// The rows of the next page, perhaps none; `None` when there are no more.
    fn next_page(&mut self) -> impl Future<Output = Result<Option<Vec<Self::Row>>, Error>> + Send;
}

/// The rows of all pages, one by one. An error ends it.
pub(crate) fn rows<P: Paged>(pages: Result<P, Error>) -> BoxStream<'static, Result<P::Row, Error>> {
    match pages {
        Ok(pages) => {
            let pages = stream::try_unfold(pages, async |mut pages: P| {
                let rows = pages.next_page().await?;
                Ok::<_, Error>(rows.map(|rows| (stream::iter(rows.into_iter().map(Ok)), pages)))
            });
            Box::pin(pages.try_flatten())
        }
        Err(error) => Box::pin(stream::once(async { Err(error) })),
    }
}

impl Paged for Pages {
    type Row = Item;

    async fn next_page(&mut self) -> Result<Option<Vec<Item>>, Error> {
        self.next().await
    }
}

/// A query or scan under way.
pub(crate) struct Pages {
    repository: Repository,
    table: String,
    operation: &'static str,
    reader: Reader,
    /// How many more items the caller wants.
    wanted: Option<usize>,
    /// How many items to ask DynamoDB for.
    ask: Option<usize>,
    after: Option<Item>,
    finished: bool,
    /// How many items DynamoDB has counted instead of returning them.
    counted: u64,
}

impl Pages {
    pub(crate) fn new(repository: Repository, table: String, command: ReadCommand) -> Result<Self, Error> {
        let operation = command.operation();
        let context = command.context();
        let mut reader = Reader::new(command, &repository, &table).map_err(|error| error.with_context(|| context))?;
        Ok(Self {
            repository,
            table,
            operation,
            wanted: reader.limit,
            ask: reader.limit,
            // Of an empty query, there is nothing behind a cursor either.
            after: reader.after.take().filter(|_| !reader.is_empty()),
            finished: reader.is_empty(),
            counted: 0,
            reader,
        })
    }

    /// The items of the next request, perhaps none; `None` when there are no more.
    async fn next(&mut self) -> Result<Option<Vec<Item>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let read = self.read().await;
        self.finished |= read.is_err();
        let (mut items, reached) = read.map_err(|error| {
            error.with_context(|| Context { operation: self.operation, entity: self.reader.schema.entity, key: None })
        })?;
        let now = self.repository.now();
        items.retain(|item| self.reader.wants(now, item));
        self.advance(&mut items, reached);
        Ok(Some(items))
    }

    /// Moves on behind what was read, or behind what is handed out where that is less.
    fn advance(&mut self, items: &mut Vec<Item>, reached: Option<Item>) {
        self.after = reached;
        self.finished = self.after.is_none();
        let Some(wanted) = self.wanted else { return };
        if items.len() > wanted {
            items.truncate(wanted);
            self.after = items.last().map(|item| self.place(item).into_item());
        }
        let wanted = wanted - items.len();
        self.finished |= wanted == 0;
        self.wanted = Some(wanted);
        self.ask = if self.reader.drops_items() {
            // Twice as many each time: a long run of tombstones takes few requests, and few items too many.
            self.ask.map(|ask| ask.saturating_mul(2).min(MOST_PER_REQUEST).max(wanted))
        } else {
            Some(wanted)
        };
    }

    /// Behind this item.
    fn place(&self, item: &Item) -> Place {
        Place::behind(self.reader.schema, self.reader.index, item)
    }

    /// Behind what has been read.
    pub(crate) fn reached(&self) -> Option<Place> {
        self.after.clone().map(Place::reached)
    }

    /// What is asked.
    pub(crate) fn asked(&self) -> Asked {
        self.reader.asked
    }

    /// Refuses a place that is none of what it reads.
    pub(crate) fn check_place(&self, place: &Place) -> Result<(), Error> {
        self.reader.check_key(&place.clone().into_item())
    }

    /// Goes on behind a place that an earlier run has reached.
    pub(crate) fn start_behind(&mut self, place: Place) -> Result<(), Error> {
        self.reader.start_behind(place)?;
        self.after = self.reader.after.take();
        Ok(())
    }

    /// How many items there are.
    pub(crate) async fn count(mut self) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(items) = self.next().await? {
            count += items.len() as u64;
        }
        Ok(count + self.counted)
    }

    /// All up to the limit, or one request's items if there is none.
    pub(crate) async fn page(mut self) -> Result<RawPage, Error> {
        let is_sealed = self.repository.seal().is_some();
        let mut items = Vec::new();
        while let Some(more) = self.next().await? {
            items.extend(more);
            // The key of an item that was passed over is nobody's business: behind none, a cursor must be sealed.
            if self.wanted.is_none() && (is_sealed || !items.is_empty()) {
                break;
            }
        }
        let place = match (&self.after, items.last()) {
            (None, _) => None,
            (Some(_), Some(last)) if !is_sealed => Some(self.place(last)),
            (Some(reached), _) => Some(Place::reached(reached.clone())),
        };
        let cursor = place.map(|place| Cursor::new(self.asked(), place, self.repository.seal()));
        Ok(RawPage { items, cursor: cursor.transpose()? })
    }

    async fn read(&mut self) -> Result<(Vec<Item>, Option<Item>), Error> {
        let (client, now) = (self.repository.client(), self.repository.now());
        let input = self.reader.input(client, self.table.clone(), now, self.ask, self.after.take())?;
        let about = About::new(self.operation, self.reader.schema.entity, &self.table);
        let (items, reached, count) = match input {
            Input::Query(query) => {
                let output = read(&self.repository, about, query).await?;
                (output.items, output.last_evaluated_key, output.count)
            }
            Input::Scan(scan) => {
                let output = read(&self.repository, about, scan).await?;
                (output.items, output.last_evaluated_key, output.count)
            }
        };
        if self.reader.is_counted_there() {
            self.counted += u64::try_from(count).unwrap_or_default();
        }
        Ok((items.unwrap_or_default(), reached))
    }
}
