//! Every expression that the commands can emit runs on the engine. A request contains exactly the names and values that its
//! expressions use, and the same command always has the same expressions.

/// Makes a command's request twice, which must be the same, and checks it.
macro_rules! check {
    ($repository:expr, $($command:expr),+ $(,)?) => {$({
        // The request is made in a frame of its own, and its check is on the heap, because one test has many of them.
        let make = || {
            let command = $command;
            let request = command.request($repository).expect("a request");
            let again = command.clone().request($repository).expect("a request");
            assert_eq!(request.to_string(), again.to_string());
            request
        };
        boxed($repository, make).await;
    })+};
}

mod commands;
mod condition_evaluation;
mod conditions;
mod drawn;
mod evaluation;

pub(crate) use evaluation::canonical_item;

use dyno::{Entity, Repository, Request};
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Plain {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    note: Option<String>,
    #[attribute(rename = "a.b")]
    dotted: u32,
    tags: BTreeSet<String>,
    list: Vec<String>,
}

/// The placeholders in texts: `#` or `:`, and the name that follows.
fn placeholders(texts: &[Option<&str>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts.iter().flatten() {
        for (start, sigil) in text.match_indices(['#', ':']) {
            let rest = &text[start + 1..];
            let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
            found.insert(format!("{sigil}{}", &rest[..end.unwrap_or(rest.len())]));
        }
    }
    found
}

/// Checks that the request contains exactly the names and values that its expressions use, and that DynamoDB accepts it.
async fn check(repository: &Repository, request: Request) {
    macro_rules! check {
        ($builder:ident: $($expression:ident)*) => {{
            let used = placeholders(&[$($builder.$expression().as_deref()),*]);
            let names = $builder.get_expression_attribute_names().iter().flatten().map(|(name, _)| name.clone());
            let values = $builder.get_expression_attribute_values().iter().flatten().map(|(name, _)| name.clone());
            assert_eq!(names.chain(values).collect::<BTreeSet<_>>(), used, "{:?}", $builder);
            $builder.send_with(repository.client()).await.map(drop).map_err(|error| {
                let error = error.into_service_error();
                (error.meta().code() == Some("ConditionalCheckFailedException"), format!("{error:?}"))
            })
        }};
    }
    let text = request.to_string();
    let sent = match request {
        Request::Put(put) => check!(put: get_condition_expression),
        Request::Update(update) => check!(update: get_update_expression get_condition_expression),
        Request::Delete(delete) => check!(delete: get_condition_expression),
        Request::Query(query) => check!(query: get_key_condition_expression get_filter_expression),
        Request::Scan(scan) => check!(scan: get_filter_expression),
        other => panic!("{other:?}"),
    };
    if let Err((refused_by_condition, error)) = sent {
        assert!(refused_by_condition, "{text}\n{error}");
    }
}

/// Makes a request in a frame of its own, and returns its check on the heap.
fn boxed(repository: &Repository, make: impl FnOnce() -> Request) -> BoxFuture<'_, ()> {
    Box::pin(check(repository, make()))
}
