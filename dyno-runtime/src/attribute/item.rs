//! An item as the SDK has it.

use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

/// An item as DynamoDB stores it: a map from attribute names to values.
pub type Item = HashMap<String, AttributeValue>;
