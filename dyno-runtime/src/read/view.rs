//! What is seen of an item that comes in: whose it is, of which shape, and whether it counts as there.
//!
//! `see` is the one place where that is judged, of what reads return and of what streams bring. It says facts; what follows
//! of them, each exit decides. Beside it, decoding refuses a mark and a shape that it cannot read, since it can be given any
//! item; and the rules, which read refusals, ask `rule::state`, as it does.

use crate::attribute::Peek;
use crate::attribute::time::EpochMillis;
use crate::key::matches_templates;
use crate::rule;
use crate::rule::State;
use crate::schema::Schema;
use std::cmp::Ordering;

/// What is seen of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) whose: Whose,
    pub(crate) shape: Shape,
    pub(crate) state: State,
}

/// Whose an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// That of one of the entities: by its key, and by its mark if it has one.
    Entity(usize),
    /// No one's: it is a revision, in a table that they share with items.
    Revision,
    Nobody,
}

/// In which shape an item is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Current,
    /// That of this schema version, before the entity's.
    Older(u32),
    /// That of this schema version, which the entity does not know yet.
    Newer(u32),
    /// Unknown: what stands where the schema version should be.
    Wrong(String),
}

/// Sees an item that is read as one of these entities. Shape and state are by the rules of the entity whose it is; where it
/// is none's, by those of the first.
pub(crate) fn see(schemas: &[&'static Schema], now: EpochMillis, item: &dyn Peek) -> Seen {
    let whose = whose(schemas, item);
    let schema = match whose {
        Whose::Entity(entity) => schemas.get(entity),
        Whose::Revision | Whose::Nobody => schemas.first(),
    };
    Seen {
        whose,
        shape: schema.map_or(Shape::Current, |schema| shape(schema, item)),
        state: schema.map_or(State::Live, |schema| rule::state(schema, now, item)),
    }
}

/// The attributes that `see` looks at, besides those of the key: a projection brings them along, and so a part is seen as
/// the whole is.
pub(crate) fn attributes_of_readers(schema: &'static Schema) -> impl Iterator<Item = &'static str> {
    let mark = schema.entity_type.iter().map(|entity_type| entity_type.attribute);
    let version = schema.schema_version.iter().map(|version| version.attribute);
    let tombstone = schema.tombstone.iter().map(|tombstone| tombstone.deleted);
    mark.chain(version).chain(tombstone).chain(schema.ttl.iter().map(|ttl| ttl.attribute))
}

fn whose(schemas: &[&'static Schema], item: &dyn Peek) -> Whose {
    let is_revision = |schema: &&Schema| {
        let history = schema.history.as_ref();
        history.is_some_and(|history| history.is_revision(schema, item))
    };
    let is_own = |schema: &&Schema| {
        let mark = schema.entity_type.as_ref();
        mark.is_none_or(|mark| mark.may_mark(item)) && matches_templates(schema, item)
    };
    if schemas.iter().any(is_revision) {
        return Whose::Revision;
    }
    schemas.iter().position(is_own).map_or(Whose::Nobody, Whose::Entity)
}

/// In which shape an item of an entity is: what `see` says of it, for decoding, which knows the entity.
pub(super) fn shape(schema: &Schema, item: &dyn Peek) -> Shape {
    let Some(version) = &schema.schema_version else { return Shape::Current };
    match version.of(item) {
        Ok(found) => match found.cmp(&version.current) {
            Ordering::Less => Shape::Older(found),
            Ordering::Equal => Shape::Current,
            Ordering::Greater => Shape::Newer(found),
        },
        Err(found) => Shape::Wrong(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Characters, Item, Scalar};
    use crate::schema::{
        EntityType, History, KeyAttribute, KeyForm, Layout, Mode, SchemaVersion, Segment, Tombstone, Ttl,
    };
    use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};
    use std::cell::RefCell;

    const HOLE: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Any };

    const PLAIN: Schema = Schema {
        entity: "Plain",
        partition: KeyAttribute { name: "PK", key_type: ScalarAttributeType::S, form: KeyForm::Field(0) },
        sort: Some(KeyAttribute { name: "SK", key_type: ScalarAttributeType::S, form: KeyForm::Field(1) }),
        key_fields: &["id", "line"],
        ..Schema::PLAIN
    };

    /// With all that is looked at, in a table that it shares with its revisions.
    const ORDER: &Schema = &Schema {
        entity: "Order",
        partition: KeyAttribute { form: KeyForm::Template(&[Segment::Literal("Order#"), HOLE]), ..PLAIN.partition },
        entity_type: Some(EntityType { attribute: "_t", name: "Order" }),
        schema_version: Some(SchemaVersion { attribute: "_v", current: 3, upgrade: None }),
        tombstone: Some(Tombstone { deleted: "deleted", ttl: "ttl", ttl_days: 7, mark: true }),
        ttl: Some(Ttl { attribute: "ttl" }),
        history: Some(History { mode: Mode::Atomic, layout: Layout::SameTable, ttl_days: None }),
        ..PLAIN
    };

    /// Of the same table, with other rules.
    const INVOICE: &Schema = &Schema {
        entity: "Invoice",
        partition: KeyAttribute { form: KeyForm::Template(&[Segment::Literal("Invoice#"), HOLE]), ..PLAIN.partition },
        tombstone: Some(Tombstone { deleted: "void", ttl: "ttl", ttl_days: 7, mark: false }),
        ..PLAIN
    };

    const NOW: EpochMillis = EpochMillis::new(1_000_999);

    fn s(text: &str) -> AttributeValue {
        AttributeValue::S(text.to_owned())
    }

    fn n(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    /// An order of today's shape, with these attributes over its own.
    fn order<const N: usize>(over: [(&str, AttributeValue); N]) -> Item {
        let own = [("PK", s("Order#1")), ("SK", s("a")), ("_t", s("Order")), ("_v", n("3")), ("total", n("5"))];
        own.into_iter().chain(over).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn without(name: &str) -> Item {
        let mut order = order([]);
        order.remove(name);
        order
    }

    /// An item that remembers what was looked at.
    struct Looked<'a> {
        item: &'a Item,
        names: RefCell<Vec<String>>,
    }

    impl Peek for Looked<'_> {
        fn peek(&self, name: &str) -> Option<Scalar<'_>> {
            self.names.borrow_mut().push(name.to_owned());
            self.item.peek(name)
        }

        fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>> {
            self.names.borrow_mut().push(name.to_owned());
            self.item.peek_in(name, member)
        }
    }

    /// Sees the item, and what a projection would have of it: that is all that was looked at, and seen alike.
    fn seen(schemas: &[&'static Schema], now: EpochMillis, item: &Item) -> Seen {
        let of_readers = schemas.iter().flat_map(|schema| attributes_of_readers(schema));
        let names: Vec<&str> = of_readers.chain(["PK", "SK"]).collect();
        let looked = Looked { item, names: RefCell::default() };
        let seen = see(schemas, now, &looked);
        assert!(looked.names.borrow().iter().all(|name| names.contains(&&**name)), "{:?}", looked.names);
        let mut part = item.clone();
        part.retain(|name, _| names.contains(&&**name));
        assert_eq!(see(schemas, now, &part), seen, "a part of {item:?}");
        seen
    }

    #[test]
    fn an_item_is_classified_by_the_rules_of_its_entity() {
        const OWN: Whose = Whose::Entity(0);
        let wrong = |found: &str| Shape::Wrong(found.to_owned());
        let flag = |value| order([("deleted", value)]);
        let at = |ttl: &str| order([("ttl", n(ttl))]);
        let of_shape = |version| order([("_v", version)]);
        let late = order([("deleted", AttributeValue::Bool(true)), ("ttl", n("1"))]);
        for (item, whose, shape, state) in [
            (order([]), OWN, Shape::Current, State::Live),
            // Tombstones.
            (flag(AttributeValue::Bool(true)), OWN, Shape::Current, State::Deleted),
            (late, OWN, Shape::Current, State::Deleted),
            (flag(AttributeValue::Bool(false)), OWN, Shape::Current, State::Live),
            (flag(s("true")), OWN, Shape::Current, State::Live),
            // Times to live, in seconds.
            (at("1"), OWN, Shape::Current, State::Expired),
            (at("1000"), OWN, Shape::Current, State::Expired),
            (at("1E3"), OWN, Shape::Current, State::Expired),
            (at("1001"), OWN, Shape::Current, State::Live),
            (at("0"), OWN, Shape::Current, State::Live),
            (at("-1"), OWN, Shape::Current, State::Live),
            (order([("ttl", s("1"))]), OWN, Shape::Current, State::Live),
            // Marks.
            (without("_t"), OWN, Shape::Current, State::Live),
            (order([("_t", s("Invoice"))]), Whose::Nobody, Shape::Current, State::Live),
            (order([("_t", AttributeValue::Bool(true))]), Whose::Nobody, Shape::Current, State::Live),
            // Schema versions: of a row that is held, too.
            (without("_v"), OWN, Shape::Older(1), State::Live),
            (of_shape(n("2")), OWN, Shape::Older(2), State::Live),
            (of_shape(n("-2")), OWN, Shape::Older(2), State::Live),
            (of_shape(n("3.0")), OWN, Shape::Current, State::Live),
            (of_shape(n("4")), OWN, Shape::Newer(4), State::Live),
            (of_shape(n("0")), OWN, wrong("0"), State::Live),
            (of_shape(n("2.5")), OWN, wrong("2.5"), State::Live),
            (of_shape(s("3")), OWN, wrong("S"), State::Live),
            (of_shape(AttributeValue::L(Vec::new())), OWN, wrong("L"), State::Live),
            // Keys.
            (order([("PK", s("Invoice#1"))]), Whose::Nobody, Shape::Current, State::Live),
            (order([("PK", s("Order#"))]), Whose::Nobody, Shape::Current, State::Live),
            (order([("PK", n("1"))]), Whose::Nobody, Shape::Current, State::Live),
            (order([("SK", s("_rev|a|00000000000000000001"))]), Whose::Revision, Shape::Current, State::Live),
            (order([("SK", s("_rev"))]), OWN, Shape::Current, State::Live),
        ] {
            assert_eq!(seen(&[ORDER], NOW, &item), Seen { whose, shape, state }, "{item:?}");
        }
        // Nothing has expired where the clock shows 1970.
        assert_eq!(seen(&[ORDER], EpochMillis::new(999), &at("1")).state, State::Live);
    }

    #[test]
    fn without_rules_every_item_is_live_and_belongs_to_the_entity() {
        const SINGLE: &Schema = &PLAIN;
        for item in [
            order([("_t", s("Invoice")), ("_v", n("9")), ("deleted", AttributeValue::Bool(true)), ("ttl", n("1"))]),
            order([("PK", n("1")), ("SK", s("_rev|a|00000000000000000001"))]),
        ] {
            let expected = Seen { whose: Whose::Entity(0), shape: Shape::Current, state: State::Live };
            assert_eq!(seen(&[SINGLE], NOW, &item), expected);
        }
        assert_eq!(attributes_of_readers(SINGLE).count(), 0);
    }

    /// A history in a table of its own has no rows among the items.
    #[test]
    fn only_a_history_in_the_same_table_has_revisions_among_the_items() {
        const APART: &Schema = &Schema {
            history: Some(History { mode: Mode::Atomic, layout: Layout::Table(None), ttl_days: None }),
            ..PLAIN
        };
        let item = order([("SK", s("_rev|a|00000000000000000001"))]);
        assert_eq!(seen(&[APART], NOW, &item).whose, Whose::Entity(0));
        // A revision is that of any of the entities.
        assert_eq!(seen(&[INVOICE, ORDER], NOW, &item).whose, Whose::Revision);
        assert_eq!(seen(&[INVOICE], NOW, &item).whose, Whose::Nobody);
    }

    #[test]
    fn among_several_entities_each_item_is_classified_by_its_own_rules() {
        let both: [&'static Schema; 2] = [ORDER, INVOICE];
        let invoice = [("PK", s("Invoice#1")), ("_v", n("9"))];
        let [deleted, void] = ["deleted", "void"].map(|flag| (flag, AttributeValue::Bool(true)));
        let of_invoice = |state| Seen { whose: Whose::Entity(1), shape: Shape::Current, state };
        let [number, other] = invoice.clone();
        assert_eq!(seen(&both, NOW, &order([number, other, deleted.clone()])), of_invoice(State::Live));
        let [number, other] = invoice;
        assert_eq!(seen(&both, NOW, &order([number, other, void.clone()])), of_invoice(State::Deleted));
        assert_eq!(seen(&both, NOW, &order([void])).state, State::Live);
        // What is no one's is seen as the first.
        let nobody = order([("PK", s("Parcel#1")), ("_v", n("2")), deleted]);
        let as_order = Seen { whose: Whose::Nobody, shape: Shape::Older(2), state: State::Deleted };
        assert_eq!(seen(&both, NOW, &nobody), as_order);
        let expected = Seen { whose: Whose::Nobody, shape: Shape::Current, state: State::Live };
        assert_eq!(see(&[], NOW, &nobody), expected);
    }
}
