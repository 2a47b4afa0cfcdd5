//! The evaluation of an item that was read: which entity owns it, which shape it has, and whether it counts as existing.
//!
//! `see` is the only place that evaluates the items of reads and of streams. It returns facts, and each caller decides what
//! follows from them. Two others evaluate items as well. Decoding can be given any item, so it refuses an entity mark or a
//! shape that it cannot decode. The rules evaluate the items of refusals by `rule::state`, which `see` calls, too.

use crate::attribute::Peek;
use crate::attribute::time::EpochMillis;
use crate::key::matches_templates;
use crate::rule;
use crate::rule::State;
use crate::schema::Schema;
use std::cmp::Ordering;

/// The evaluation of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemView {
    pub(crate) owner: Owner,
    pub(crate) shape: Shape,
    pub(crate) state: State,
}

/// The owner of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The entity with this index owns the item, by its key, and by its entity mark if it has one.
    Entity(usize),
    /// No entity: the row is a revision, in a table that the history shares with the items.
    Revision,
    /// None of the entities.
    Nobody,
}

/// The shape in which an item is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Current,
    /// The shape of this earlier schema version.
    Older(u32),
    /// The shape of this later schema version, which this program does not know.
    Newer(u32),
    /// Unknown, because the attribute of the schema version has this value instead.
    Wrong(String),
}

/// Evaluates an item that may belong to one of these entities. The rules of its owner decide shape and state; if it has no
/// owner, the rules of the first entity.
pub(crate) fn see(schemas: &[&'static Schema], now: EpochMillis, item: &dyn Peek) -> ItemView {
    let owner = owner(schemas, item);
    let schema = match owner {
        Owner::Entity(entity) => schemas.get(entity),
        Owner::Revision | Owner::Nobody => schemas.first(),
    };
    ItemView {
        owner,
        shape: schema.map_or(Shape::Current, |schema| shape(schema, item)),
        state: schema.map_or(State::Live, |schema| rule::state(schema, now, item)),
    }
}

/// Returns the attributes that `see` evaluates, besides those of the key. Each projection includes them, so that `see`
/// evaluates a part of an item as it would the whole.
pub(crate) fn attributes_of_readers(schema: &'static Schema) -> impl Iterator<Item = &'static str> {
    let mark = schema.entity_type.iter().map(|entity_type| entity_type.attribute);
    let version = schema.schema_version.iter().map(|version| version.attribute);
    let tombstone = schema.tombstone.iter().map(|tombstone| tombstone.deleted);
    mark.chain(version).chain(tombstone).chain(schema.ttl.iter().map(|ttl| ttl.attribute))
}

fn owner(schemas: &[&'static Schema], item: &dyn Peek) -> Owner {
    let is_revision = |schema: &&Schema| {
        let history = schema.history.as_ref();
        history.is_some_and(|history| history.is_revision(schema, item))
    };
    let is_own = |schema: &&Schema| {
        let mark = schema.entity_type.as_ref();
        mark.is_none_or(|mark| mark.may_mark(item)) && matches_templates(schema, item)
    };
    if schemas.iter().any(is_revision) {
        return Owner::Revision;
    }
    schemas.iter().position(is_own).map_or(Owner::Nobody, Owner::Entity)
}

/// Returns the shape of an item of this entity. `see` calls it, and decoding, which already knows the entity.
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

    /// An entity with everything that `see` evaluates, in a table that it shares with its revisions.
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

    /// An entity of the same table, with other rules.
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

    /// Returns an order of the current shape, with these attributes instead of its own.
    fn order<const N: usize>(over: [(&str, AttributeValue); N]) -> Item {
        let own = [("PK", s("Order#1")), ("SK", s("a")), ("_t", s("Order")), ("_v", n("3")), ("total", n("5"))];
        own.into_iter().chain(over).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn without(name: &str) -> Item {
        let mut order = order([]);
        order.remove(name);
        order
    }

    /// An item that records which attributes were evaluated.
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

    /// Evaluates the item. Checks that `see` uses only attributes that a projection includes, and that the projected part is
    /// evaluated the same way.
    fn seen(schemas: &[&'static Schema], now: EpochMillis, item: &Item) -> ItemView {
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
        const OWN: Owner = Owner::Entity(0);
        let wrong = |found: &str| Shape::Wrong(found.to_owned());
        let flag = |value| order([("deleted", value)]);
        let at = |ttl: &str| order([("ttl", n(ttl))]);
        let of_shape = |version| order([("_v", version)]);
        let late = order([("deleted", AttributeValue::Bool(true)), ("ttl", n("1"))]);
        for (item, owner, shape, state) in [
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
            // Entity marks.
            (without("_t"), OWN, Shape::Current, State::Live),
            (order([("_t", s("Invoice"))]), Owner::Nobody, Shape::Current, State::Live),
            (order([("_t", AttributeValue::Bool(true))]), Owner::Nobody, Shape::Current, State::Live),
            // Schema versions, also the negated one of a row that is held for its upgrade.
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
            (order([("PK", s("Invoice#1"))]), Owner::Nobody, Shape::Current, State::Live),
            (order([("PK", s("Order#"))]), Owner::Nobody, Shape::Current, State::Live),
            (order([("PK", n("1"))]), Owner::Nobody, Shape::Current, State::Live),
            (order([("SK", s("_rev|a|00000000000000000001"))]), Owner::Revision, Shape::Current, State::Live),
            (order([("SK", s("_rev"))]), OWN, Shape::Current, State::Live),
        ] {
            assert_eq!(seen(&[ORDER], NOW, &item), ItemView { owner, shape, state }, "{item:?}");
        }
        // If the clock shows 1970, nothing has expired.
        assert_eq!(seen(&[ORDER], EpochMillis::new(999), &at("1")).state, State::Live);
    }

    #[test]
    fn without_rules_every_item_is_live_and_belongs_to_the_entity() {
        const SINGLE: &Schema = &PLAIN;
        for item in [
            order([("_t", s("Invoice")), ("_v", n("9")), ("deleted", AttributeValue::Bool(true)), ("ttl", n("1"))]),
            order([("PK", n("1")), ("SK", s("_rev|a|00000000000000000001"))]),
        ] {
            let expected = ItemView { owner: Owner::Entity(0), shape: Shape::Current, state: State::Live };
            assert_eq!(seen(&[SINGLE], NOW, &item), expected);
        }
        assert_eq!(attributes_of_readers(SINGLE).count(), 0);
    }

    /// A history in a table of its own has no rows between the items.
    #[test]
    fn only_a_history_in_the_same_table_has_revisions_among_the_items() {
        const APART: &Schema = &Schema {
            history: Some(History { mode: Mode::Atomic, layout: Layout::Table(None), ttl_days: None }),
            ..PLAIN
        };
        let item = order([("SK", s("_rev|a|00000000000000000001"))]);
        assert_eq!(seen(&[APART], NOW, &item).owner, Owner::Entity(0));
        // The row can be a revision of any of the entities.
        assert_eq!(seen(&[INVOICE, ORDER], NOW, &item).owner, Owner::Revision);
        assert_eq!(seen(&[INVOICE], NOW, &item).owner, Owner::Nobody);
    }

    #[test]
    fn among_several_entities_each_item_is_classified_by_its_own_rules() {
        let both: [&'static Schema; 2] = [ORDER, INVOICE];
        let invoice = [("PK", s("Invoice#1")), ("_v", n("9"))];
        let [deleted, void] = ["deleted", "void"].map(|flag| (flag, AttributeValue::Bool(true)));
        let of_invoice = |state| ItemView { owner: Owner::Entity(1), shape: Shape::Current, state };
        let [number, other] = invoice.clone();
        assert_eq!(seen(&both, NOW, &order([number, other, deleted.clone()])), of_invoice(State::Live));
        let [number, other] = invoice;
        assert_eq!(seen(&both, NOW, &order([number, other, void.clone()])), of_invoice(State::Deleted));
        assert_eq!(seen(&both, NOW, &order([void])).state, State::Live);
        // An item without an owner is evaluated by the rules of the first entity.
        let nobody = order([("PK", s("Parcel#1")), ("_v", n("2")), deleted]);
        let as_order = ItemView { owner: Owner::Nobody, shape: Shape::Older(2), state: State::Deleted };
        assert_eq!(seen(&both, NOW, &nobody), as_order);
        let expected = ItemView { owner: Owner::Nobody, shape: Shape::Current, state: State::Live };
        assert_eq!(see(&[], NOW, &nobody), expected);
    }
}
