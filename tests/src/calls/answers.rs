//! The responses that the benches get instead of those of an engine. Each request succeeds.

use bytes::Bytes;

const CAPACITY: &str = r#""ConsumedCapacity":{"TableName":"customers","CapacityUnits":1.0}"#;
/// The sample customer.
const CUSTOMER: &str = r#"{"id":{"S":"c-8f14e45f-ceea"},"name":{"S":"Ada Lovelace"},"email":{"S":"ada@example.com"},"note":{"S":"prefers mail"},"age":{"N":"36"},"visits":{"N":"1284337"},"balance":{"N":"-12995"},"score":{"N":"4.75"},"active":{"BOOL":true},"tags":{"L":[{"S":"early"},{"S":"analytical"}]}}"#;
/// The attributes of a customer with a version.
const VERSION: &str = r#""version":{"N":"7"},"_w":{"S":"-8fJ3kQmZx0aBcDeF"},"#;
/// The attributes of an account without its id.
const ACCOUNT: &str = r#""balance":{"N":"1000"},"version":{"N":"7"},"_w":{"S":"-8fJ3kQmZx0aBcDeF"}"#;
const FOUND: &str = r#"{"Item":{"id":{"S":"c-8f14e45f-ceea"},"name":{"S":"Ada Lovelace"}},"Score":0.25}"#;

/// The bodies of the responses. They are not copied, just as bodies from a connection are not copied.
#[derive(Clone, Debug)]
pub struct Answers {
    page_of_1: Bytes,
    page_of_100: Bytes,
    customer: Bytes,
    /// The accounts 1 and 2.
    accounts: [Bytes; 2],
    found: Bytes,
    written: Bytes,
    committed: Bytes,
}

impl Answers {
    /// Makes the bodies.
    #[must_use]
    pub fn new() -> Self {
        let page = |count: usize| {
            let items = vec![CUSTOMER; count].join(",");
            Bytes::from(format!(r#"{{"Count":{count},"ScannedCount":{count},"Items":[{items}],{CAPACITY}}}"#))
        };
        let found = [FOUND; 10].join(",");
        let capacity = r#"{"TableName":"customers","CapacityUnits":4.0}"#;
        Self {
            page_of_1: page(1),
            page_of_100: page(100),
            customer: format!(r#"{{"Item":{{{VERSION}{},{CAPACITY}}}"#, &CUSTOMER[1..]).into(),
            accounts: [1, 2].map(|id| format!(r#"{{"Item":{{"id":{{"N":"{id}"}},{ACCOUNT}}},{CAPACITY}}}"#).into()),
            found: format!(
                r#"{{"SearchResults":[{found}],"ConsumedCapacity":{{"VectorSearchRequestBytes":10240.0}}}}"#
            )
            .into(),
            written: format!("{{{CAPACITY}}}").into(),
            committed: format!(r#"{{"ConsumedCapacity":[{capacity}]}}"#).into(),
        }
    }

    /// Returns the body of the response to a request with this body. `operation` is the end of the header `x-amz-target`.
    #[must_use]
    pub fn to(&self, operation: &str, request: &[u8]) -> Bytes {
        let has = |text: &str| request.windows(text.len()).any(|part| part == text.as_bytes());
        let body = match operation {
            "Query" if has(r#""Limit":1"#) => &self.page_of_1,
            "Query" | "Scan" => &self.page_of_100,
            "GetItem" if has(r#""accounts""#) => &self.accounts[usize::from(has(r#"{"N":"2"}"#))],
            "GetItem" => &self.customer,
            "SearchVectors" => &self.found,
            "PutItem" | "UpdateItem" | "DeleteItem" => &self.written,
            "TransactWriteItems" => &self.committed,
            _ => return Bytes::from_static(b"{}"),
        };
        body.clone()
    }
}

impl Default for Answers {
    fn default() -> Self {
        Self::new()
    }
}
