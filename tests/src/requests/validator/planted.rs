//! Requests with one fault each, which the validator finds, and valid ones, in which it finds none.

use super::{Tables, faults};
use serde_json::{Map, Value, json};

/// A table with a global index of some attributes and a local index of the keys.
fn tables() -> Tables {
    let keys = |partition: &str, sort: &str| json!([{ "AttributeName": partition, "KeyType": "HASH" }, { "AttributeName": sort, "KeyType": "RANGE" }]);
    let mut tables = Tables::default();
    let create = json!({
        "TableName": "visits",
        "KeySchema": keys("city", "at"),
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_name",
            "KeySchema": keys("name", "at"),
            "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"] },
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": "by_age",
            "KeySchema": keys("city", "age"),
            "Projection": { "ProjectionType": "KEYS_ONLY" },
        }],
    });
    tables.note("CreateTable", &create);
    tables
}

/// The names `#city` and its kin, and the values `:a` to `:f`: of these, the ones that occur in the members.
fn request(members: &[(&str, &str)]) -> Value {
    let all = members.iter().map(|(_, text)| *text).collect::<Vec<_>>().join(" ");
    let mut body: Map<_, _> = members.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
    let names = ["city", "at", "name", "age", "note", "likes"].map(|name| (format!("#{name}"), json!(name)));
    let values = [
        (":a", json!({ "S": "a" })),
        (":b", json!({ "S": "b" })),
        (":n", json!({ "N": "10" })),
        (":m", json!({ "N": "9" })),
        (":l", json!({ "L": [] })),
        (":t", json!({ "BOOL": true })),
    ];
    let values = values.map(|(name, value)| (name.to_owned(), value));
    for (member, given) in [(super::NAMES, Map::from_iter(names)), (super::VALUES, Map::from_iter(values))] {
        let given: Map<_, _> = given.into_iter().filter(|(name, _)| all.contains(name.as_str())).collect();
        if !given.is_empty() {
            body.insert(member.to_owned(), Value::Object(given));
        }
    }
    body.entry("TableName").or_insert(json!("visits"));
    Value::Object(body)
}

fn found(operation: &str, members: &[(&str, &str)]) -> Vec<String> {
    faults(&tables(), operation, &request(members))
}

#[test]
fn each_planted_fault_of_a_condition_is_found() {
    for (condition, fault) in [
        ("((#note = :a))", "redundant parentheses"),
        ("#note = :a AND ((#age = :n OR #age = :m))", "redundant parentheses"),
        ("NOT ((attribute_exists(#note)))", "redundant parentheses"),
        ("#note = :other", "value used in expression is not defined: :other"),
        ("#other = :a", "name used is not defined: #other"),
        ("#note = #note", "must be distinct"),
        ("contains(#note, #note)", "must be distinct"),
        ("#age BETWEEN :n AND :m", "upper bound to be at least the lower one: 10, 9"),
        ("#note BETWEEN :b AND :a", "upper bound to be at least the lower one: b, a"),
        ("#note BETWEEN :a AND :n", "same data type"),
        ("#note < :t", "operand type: BOOL"),
        ("begins_with(#age, :n)", "operand type: N"),
        ("attribute_type(#note, :a)", "Invalid attribute type name"),
        ("attribute_present(#note)", "Invalid function name"),
        ("#note = :a AND", "Syntax error"),
        ("(#note = :a", "Syntax error"),
        ("#note = :a #age = :n", "Syntax error; token: #age"),
        ("NOT", "Syntax error"),
        ("", "Syntax error"),
    ] {
        for member in ["ConditionExpression", "FilterExpression"] {
            let found = found("Scan", &[(member, condition)]);
            assert!(matches!(&found[..], [found] if found.contains(fault)), "{condition}: {found:?}");
        }
    }
    let many = |of: &str, with: &str, times| vec![of; times].join(with);
    for (condition, fault) in [
        (many("#note = :a", " OR ", 151), "too many operators: 301"),
        (format!("#note IN ({})", many(":a", ", ", 101)), "Too many operands of IN: 101"),
        (format!("attribute_exists({})", many("#note", ".", 33)), "too many nesting elements: 33"),
        (many("attribute_exists(#note)", " OR ", 160), "exceeded the maximum allowed size"),
    ] {
        let found = found("Scan", &[("FilterExpression", &condition)]);
        assert!(matches!(&found[..], [found] if found.contains(fault)), "{fault}: {found:?}");
    }
}

#[test]
fn each_planted_fault_of_an_update_is_found() {
    for (update, fault) in [
        ("SET #note.#name = :a, #note = :b", "paths overlap"),
        ("SET #note = :a REMOVE #note", "paths overlap"),
        ("SET #note.#name = :a, #note[0] = :b", "paths conflict"),
        ("SET #note = :a SET #age = :n", "section can only be used once"),
        ("SET #city = :a", "Cannot update attribute city"),
        ("REMOVE #at", "Cannot update attribute at"),
        ("SET #age = #age + :a", "operand type: S"),
        ("SET #note = list_append(#note, :a)", "operand type: S"),
        ("ADD #note :a", "operand type: S"),
        ("DELETE #note :n", "operand type: N"),
        ("SET #note = if_not_exists(:a, :b)", "Invalid function or operands: if_not_exists"),
        ("SET #note", "Syntax error"),
        ("DELETE #note[0]", "Syntax error"),
        ("", "can not be empty"),
    ] {
        let of_update = found("UpdateItem", &[("UpdateExpression", update)]);
        let transaction = json!({ "TransactItems": [{ "Update": request(&[("UpdateExpression", update)]) }] });
        for found in [of_update, faults(&tables(), "TransactWriteItems", &transaction)] {
            assert!(matches!(&found[..], [found] if found.contains(fault)), "{update}: {found:?}");
        }
    }
}

#[test]
fn each_planted_fault_of_a_query_is_found() {
    let by_name = ("IndexName", "by_name");
    let by_age = ("IndexName", "by_age");
    let key = ("KeyConditionExpression", "#name = :a");
    for (members, fault) in [
        (vec![("KeyConditionExpression", "#at = :n")], "missed key schema element: city"),
        (vec![("KeyConditionExpression", "#city < :a")], "missed key schema element: city"),
        (vec![("KeyConditionExpression", "#city = :a OR #city = :b")], "OR or NOT"),
        (vec![("KeyConditionExpression", "#city = :a AND #city = :b")], "one condition per key"),
        (vec![("KeyConditionExpression", "#city = :a AND #at <> :n")], "Invalid operator"),
        (vec![("KeyConditionExpression", "#city = :a AND #note = :b")], "before note"),
        (vec![key, by_name, ("FilterExpression", "#name = :b")], "non-primary key attributes: name"),
        (vec![key, by_name, ("FilterExpression", "#age = :n")], "does not project the filter attribute age"),
        (vec![key, by_name, ("ProjectionExpression", "#likes")], "does not project likes"),
        (
            vec![by_age, ("KeyConditionExpression", "#city = :a"), ("FilterExpression", "#note = :a")],
            "filter attribute note",
        ),
        (vec![key, by_name, ("ProjectionExpression", "#note, #note.#age")], "paths overlap"),
    ] {
        let found = found("Query", &members);
        assert!(matches!(&found[..], [found] if found.contains(fault)), "{members:?}: {found:?}");
    }
}

#[test]
fn each_planted_fault_of_placeholders_is_found() {
    let with = |members: &[(&str, &str)], name: &str, value: Value| {
        let mut request = request(members);
        request[name] = value;
        faults(&tables(), "PutItem", &request)
    };
    let bare = ("ConditionExpression", "attribute_exists(note)");
    for (found, fault) in [
        (with(&[bare], super::NAMES, json!({})), "ExpressionAttributeNames must not be empty"),
        (with(&[bare], super::VALUES, json!({})), "ExpressionAttributeValues must not be empty"),
        (with(&[bare], super::NAMES, json!({ "#x": "x" })), "unused in expressions: keys: {#x}"),
        (with(&[bare], super::VALUES, json!({ ":x": { "N": "1" } })), "unused in expressions: keys: {:x}"),
    ] {
        assert!(matches!(&found[..], [found] if found.contains(fault)), "{found:?}");
    }
    let without = with(&[], super::NAMES, json!({ "#x": "x" }));
    assert!(without.iter().any(|fault| fault.contains("only be specified when using expressions")), "{without:?}");
    let batch = json!({ "RequestItems": { "visits": request(&[("ProjectionExpression", "#city, #city")]) } });
    assert_eq!(faults(&tables(), "BatchGetItem", &batch).len(), 1);
}

#[test]
fn valid_requests_have_no_fault() {
    let by_name = ("IndexName", "by_name");
    for members in [
        vec![("ConditionExpression", "(#note = :a)")],
        vec![("ConditionExpression", "(#note = :a OR NOT (#age > :n)) AND (NOT NOT attribute_not_exists(#likes))")],
        vec![("ConditionExpression", "size(#note) >= :n AND #note IN (:a, :b) and #age between :m and :n")],
        vec![(
            "ConditionExpression",
            "attribute_exists(#note[0].#name) AND NOT contains(#note, :a) AND #age <> #likes",
        )],
        vec![(
            "UpdateExpression",
            "SET #note[0] = :a, #note[1] = :b, #age = if_not_exists(#age, :n) + :m REMOVE #likes",
        )],
        vec![("UpdateExpression", "SET #note = list_append(if_not_exists(#note, :l), :l) ADD #age :n")],
        vec![("KeyConditionExpression", "#city = :a AND #at BETWEEN :m AND :n"), ("FilterExpression", "#age = :n")],
        vec![
            by_name,
            ("KeyConditionExpression", "(#name = :a) AND begins_with(#at, :b)"),
            ("FilterExpression", "#city = :a"),
        ],
        vec![by_name, ("KeyConditionExpression", "#name = :a"), ("ProjectionExpression", "#note.#age, #city")],
        vec![("IndexName", "by_age"), ("KeyConditionExpression", "#city = :a"), ("ProjectionExpression", "#likes")],
        vec![("TableName", "unknown"), ("UpdateExpression", "SET #city = :a")],
        vec![],
    ] {
        assert_eq!(found("Query", &members), Vec::<String>::new(), "{members:?}");
    }
}
