//! An export is compared with a file.

use super::{Account, repository};
use dyno::model::{Export, Model};
use std::error::Error;
use std::path::PathBuf;
use std::{env, fs, process};

fn export() -> Export {
    Model::new(&repository()).table::<Account>().policy("arn:aws:dynamodb:*:*:table/").expect("a policy")
}

/// A file in a folder of its own.
fn file(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("dyno-model-{}-{name}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder.join("policy.json")
}

#[test]
fn a_file_with_the_same_lines_is_the_same() {
    let file = file("same");
    fs::write(&file, export().as_str()).expect("written");
    export().same_as(&file).expect("the same");
    fs::write(&file, export().to_string().replace('\n', "\r\n")).expect("written");
    export().same_as(&file).expect("the same but for its line ends");
}

#[test]
fn the_first_line_that_differs_is_reported() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return; // Files are written then, and not compared.
    }
    let file = file("different");
    fs::write(&file, export().as_str().replace("Allow", "Deny")).expect("written");
    let message = export().same_as(&file).expect_err("a difference").to_string();
    let name = file.display();
    assert_eq!(
        message,
        format!(
            "`{name}` differs from the entities at line 16: found `      \"Effect\": \"Deny\",`, expected `      \"Effect\": \"Allow\",`; with UPDATE_EXPECT=1 in its environment, the test writes the file"
        )
    );
    let export = export();
    let lines: Vec<_> = export.as_str().lines().take(3).collect();
    fs::write(&file, lines.join("\n")).expect("written");
    let error = export.same_as(&file).expect_err("a difference");
    assert!(
        error.to_string().contains("at line 4: found the end of the file, expected `      \"Action\": [`;"),
        "{error}"
    );
    assert!(error.source().is_none());
    // A test that unwraps the error shows the message.
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn a_file_that_does_not_exist_is_an_error() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return; // Files are written then, and not compared.
    }
    let file = file("missing");
    let error = export().same_as(file.join("nowhere")).expect_err("an error");
    assert!(
        error
            .to_string()
            .ends_with("nowhere` cannot be read; with UPDATE_EXPECT=1 in its environment, the test writes the file"),
        "{error}"
    );
    let source = error.source().expect("a source").to_string();
    // A test that unwraps the error shows the source, too.
    assert_eq!(format!("{error:?}"), format!("{error}: {source}"));
}
