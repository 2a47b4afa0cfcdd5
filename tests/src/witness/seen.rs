//! Classifies a request and its answer by their effect on intents and lanes.

use crate::lanes::LANES;
use serde_json::Value;

/// An effect of a request, or an intent that the request found.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    /// An intent was placed.
    Placed {
        lane: String,
        number: u64,
        /// The nonce of its attempt, which identifies the attempt.
        name: String,
        is_new: bool,
    },
    Committed {
        name: String,
    },
    Voided {
        lane: String,
        number: u64,
    },
    /// An intent was applied or removed.
    Ended {
        name: String,
    },
    Made,
    Adopted,
    Native,
    MetByWrite,
    MetByNative,
    MetByIntent,
    MetByRead,
}

/// Returns the effects of a request that was answered with this status. `has_met` says whether the answer has an item with
/// an intent.
pub(super) fn seen(operation: &str, body: &Value, status: u16, has_met: bool) -> Vec<Seen> {
    if body["TableName"] == LANES {
        return if status == 200 { of_lane(operation, body).into_iter().collect() } else { Vec::new() };
    }
    let is_write = matches!(operation, "PutItem" | "UpdateItem" | "DeleteItem");
    let seen = match (operation, status) {
        ("TransactWriteItems", 200) => Some(Seen::Native),
        ("TransactWriteItems", _) => has_met.then_some(Seen::MetByNative),
        ("GetItem" | "BatchGetItem" | "TransactGetItems", 200) => has_met.then_some(Seen::MetByRead),
        _ if !is_write => None,
        (_, 200) => return of_row(body),
        _ if !has_met => None,
        _ if placed(body).is_some() => Some(Seen::MetByIntent),
        _ => ended(body).is_none().then_some(Seen::MetByWrite),
    };
    seen.into_iter().collect()
}

/// Returns the effects of a write of a row. An intent that replaces a claim also ends the claim.
fn of_row(body: &Value) -> Vec<Seen> {
    ended(body).map(|name| Seen::Ended { name }).into_iter().chain(placed(body)).collect()
}

/// Returns the effect of a write on the head of a lane.
fn of_lane(operation: &str, body: &Value) -> Option<Seen> {
    let part = body["Key"]["part"]["S"].as_str().or_else(|| body["Item"]["part"]["S"].as_str());
    match operation {
        "PutItem" => (part == Some("#")).then_some(Seen::Made),
        "UpdateItem" => {
            let lane = body["Key"]["lane"]["S"].as_str()?.to_owned();
            let set = |name: &str| assigned(body, name);
            let number = |name: &str| set(name)?["N"].as_str()?.parse::<u64>().ok();
            match (set("try"), set("owner"), number("void")) {
                (Some(name), ..) => Some(Seen::Committed { name: name["S"].as_str()?.to_owned() }),
                (_, Some(_), _) => Some(Seen::Adopted),
                (.., Some(number)) => Some(Seen::Voided { lane, number }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The intent that a write places.
fn placed(body: &Value) -> Option<Seen> {
    let intent = body["Item"].get("_x").or_else(|| assigned(body, "_x"))?;
    let id = intent["M"]["id"]["S"].as_str()?;
    let mut parts = id.split('/');
    let (lane, number) = (parts.next()?.to_owned(), parts.nth(1)?.parse().ok()?);
    Some(Seen::Placed { lane, number, name: parts.next()?.to_owned(), is_new: intent["M"].get("new").is_some() })
}

/// The nonce of the attempt whose intent a write requires, to apply or remove the intent.
fn ended(body: &Value) -> Option<String> {
    let condition = body["ConditionExpression"].as_str()?;
    let names = body["ExpressionAttributeNames"].as_object()?;
    let is_intent = names.values().any(|name| name == "_x") && condition.contains('.');
    let values = body["ExpressionAttributeValues"].as_object().filter(|_| is_intent)?;
    let demanded = values.iter().filter(|(placeholder, _)| condition.contains(placeholder.as_str()));
    let mut ids = demanded.filter_map(|(_, value)| value["S"].as_str()).filter(|id| id.split('/').count() == 4);
    ids.find_map(|id| id.rsplit('/').next()).map(str::to_owned)
}

/// The value that an update sets a whole attribute to.
fn assigned<'a>(body: &'a Value, attribute: &str) -> Option<&'a Value> {
    let names = body["ExpressionAttributeNames"].as_object()?;
    let name = names.iter().find(|(_, name)| *name == attribute).map(|(placeholder, _)| placeholder.as_str());
    let update = body["UpdateExpression"].as_str()?;
    let set = update.strip_prefix("SET ")?.split(" REMOVE ").next()?;
    let value = set.split(", ").find_map(|one| {
        let (path, value) = one.split_once(" = ")?;
        (path == name.unwrap_or(attribute)).then_some(value)
    })?;
    body["ExpressionAttributeValues"].get(value)
}

/// The body without the members that nearly all requests have.
pub(super) fn short(body: &Value) -> String {
    let mut body = body.clone();
    if let Some(parts) = body.as_object_mut() {
        for name in ["ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure", "ReturnValues"] {
            parts.remove(name);
        }
    }
    body.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn requests_are_classified_by_their_effect_on_intents_and_lanes() {
        let id = json!({ "S": "3/b/7/n" });
        let names = json!({ "#x": "_x", "#i": "id" });
        let place = json!({
            "TableName": "t", "UpdateExpression": "SET #x = :x", "ConditionExpression": "attribute_not_exists(#x)",
            "ExpressionAttributeNames": names, "ExpressionAttributeValues": { ":x": { "M": { "id": id } } },
        });
        let placed = || Seen::Placed { lane: "3".to_owned(), number: 7, name: "n".to_owned(), is_new: false };
        assert_eq!(seen("UpdateItem", &place, 200, false), [placed()]);
        assert_eq!(seen("UpdateItem", &place, 400, true), [Seen::MetByIntent]);
        let remove = json!({
            "TableName": "t", "UpdateExpression": "REMOVE #x", "ConditionExpression": "#x.#i = :i",
            "ExpressionAttributeNames": names, "ExpressionAttributeValues": { ":i": id },
        });
        assert_eq!(seen("UpdateItem", &remove, 200, false), [Seen::Ended { name: "n".to_owned() }]);
        assert_eq!(seen("UpdateItem", &remove, 400, true), []);
        let write = json!({ "TableName": "t", "ConditionExpression": "attribute_not_exists(#x)" });
        assert_eq!(seen("PutItem", &write, 400, true), [Seen::MetByWrite]);
        let commit = json!({
            "TableName": LANES, "Key": { "lane": { "S": "3" }, "part": { "S": "#" } },
            "UpdateExpression": "SET committed = :c, #t = :t REMOVE pages", "ExpressionAttributeNames": { "#t": "try" },
            "ExpressionAttributeValues": { ":c": { "N": "7" }, ":t": { "S": "n" } },
        });
        assert_eq!(seen("UpdateItem", &commit, 200, false), [Seen::Committed { name: "n".to_owned() }]);
    }
}
