//! A write gives up if other writers keep changing the item. These tests make the answers, so that they change at each
//! request.

use super::{Draft, draft};
use dyno::ErrorKind;
use dyno_tests::{is_remote, world};

/// A revision of another writer that is not a deletion.
fn revision(version: u32) -> String {
    format!(
        r#"{{"_key":{{"S":"AQI="}},"_version":{{"N":"{version}"}},"_image":{{"M":{{"id":{{"B":"AQI="}},
            "text":{{"S":"theirs"}},"version":{{"N":"{version}"}},"_w":{{"S":"their-{version}"}}}}}}}}"#
    )
}

/// The item does not exist. Each time the create tries to record the deletion after the newest revision, that number is taken.
/// The newest revision is a new one each time, or stays the same.
#[tokio::test]
async fn a_create_after_a_history_that_keeps_changing_fails_as_contended() {
    if is_remote() {
        return;
    }
    for (growing, requests) in [(true, 14), (false, 17)] {
        let world = world::<Draft>().await;
        for round in 0..20 {
            let newest = if growing { 5 + 2 * round } else { 5 };
            let revisions = format!(r#"{{"Items":[{}],"Count":1,"ScannedCount":1}}"#, revision(newest));
            world.faults.answer("Query", 200, &revisions);
            world.faults.answer("GetItem", 200, "{}");
            let taken = format!(
                r#"{{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"taken",
                    "Item":{}}}"#,
                revision(newest + 1)
            );
            world.faults.answer("PutItem", 400, &taken);
        }
        let repository = world.repository.metered();
        let error = draft("mine", 0).create().send(&repository).await.expect_err("given up");
        assert_eq!(error.kind(), ErrorKind::Contended, "{error:?}");
        assert!(
            error.to_string().contains(
                "other writers kept creating and deleting the item, and nothing was applied: send it again later"
            ),
            "{error}"
        );
        assert!(!error.may_be_applied());
        assert_eq!(repository.usage().requests, requests, "growing: {growing}");
    }
}
