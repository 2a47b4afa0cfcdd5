//! The pages of the guide name only pages, headings, files and tests that exist, and the code of each page is compiled.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the project.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the path and the text of each page.
fn pages() -> Vec<(PathBuf, String)> {
    let root = root();
    let at_the_root = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"];
    let names = at_the_root.into_iter().chain(["examples/README.md", "tests/README.md"]);
    let mut files: Vec<PathBuf> = names.map(|name| root.join(name)).collect();
    let is_page = |file: &PathBuf| file.extension().is_some_and(|end| end == "md");
    for folder in ["docs", "docs/internals"] {
        let pages = fs::read_dir(root.join(folder)).expect("the pages");
        files.extend(pages.map(|entry| entry.expect("a page").path()).filter(is_page));
    }
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("a page");
        (file, text)
    };
    let reference = parts_of_the_reference().into_iter().map(|(_, text)| text).collect();
    files.into_iter().map(read).chain([(root.join(REFERENCE), reference)]).collect()
}

/// The page of the derive, a folder of parts.
const REFERENCE: &str = "dyno-derive/src/reference";

/// Returns the name and the text of each part of the derive's page.
fn parts_of_the_reference() -> Vec<(String, String)> {
    let files = fs::read_dir(root().join(REFERENCE)).expect("the parts").map(|entry| entry.expect("a part").path());
    files
        .map(|file| {
            (file.file_name().expect("a name").display().to_string(), fs::read_to_string(file).expect("a part"))
        })
        .collect()
}

/// Returns the text and the target of each link of a page, without those in blocks of code.
pub(super) fn links(page: &str) -> Vec<(&str, &str)> {
    let prose = page.split("```").step_by(2);
    let inline = prose.flat_map(|text| {
        text.split("](").zip(text.split("](").skip(1)).filter_map(|(before, behind)| {
            let (_, said) = before.rsplit_once('[')?;
            Some((said, behind.split_once(')')?.0))
        })
    });
    inline.chain(definitions(page)).collect()
}

/// Returns the name and the target of each link that a page defines, as `[name]: target`.
fn definitions(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
}

/// Returns the names that the links of a page use, as `[said][name]`.
fn names(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|text| text.split("][").skip(1).filter_map(|behind| Some(behind.split_once(']')?.0)))
}

/// Returns the name of a heading in links: its letters and digits in lower case, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|char| char.is_alphanumeric() || "-_ ".contains(*char));
    kept.map(|char| if char == ' ' { '-' } else { char.to_ascii_lowercase() }).collect()
}

fn has_heading(page: &str, heading: &str) -> bool {
    let mut lines = page.split("```").step_by(2).flat_map(str::lines);
    lines.any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading)
}

#[test]
fn every_relative_link_has_a_target() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        for (said, link) in links(&text).into_iter().filter(|(_, link)| !link.starts_with("https://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            let text = if file.is_empty() { Ok(text.clone()) } else { fs::read_to_string(&target) };
            let is_there = heading.is_empty() || text.is_ok_and(|text| has_heading(&text, heading));
            if !target.exists() || !is_there {
                broken.push(format!("{}: [{said}]({link})", page.display()));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_reference_link_has_a_definition() {
    for (page, text) in pages() {
        for name in names(&text) {
            assert!(definitions(&text).any(|(defined, _)| defined == name), "{}: {name}", page.display());
        }
    }
}

/// The modules of the guide in rustdoc.
const GUIDE: &str = include_str!("../../dyno-runtime/src/guide.rs");

fn is_in_the_guide(page: &Path) -> bool {
    page.strip_prefix(root()).is_ok_and(|page| GUIDE.contains(&format!("\"../{}\"", page.display())))
}

/// Pages for users are in `docs` and in the guide, pages for maintainers in `docs/internals` and not in the guide.
#[test]
fn every_page_for_users_is_in_the_guide() {
    let is_for_users = |page: &Path| page.parent().is_some_and(|folder| folder.ends_with("docs"));
    for (page, _) in pages() {
        assert_eq!(is_in_the_guide(&page), is_for_users(&page), "{}", page.display());
    }
}

/// A reader who asks what a page's subject costs, and where it ends, finds it in the page's last section. (The tutorial ends with
/// the way to the other pages.)
#[test]
fn every_page_of_the_guide_ends_with_limits() {
    for (page, text) in pages().iter().filter(|(page, _)| is_in_the_guide(page) && !page.ends_with("tutorial.md")) {
        let prose = text.split("```").step_by(2).flat_map(str::lines);
        let last = prose.filter_map(|line| line.strip_prefix("## ")).last().unwrap_or_default();
        assert!(last.to_lowercase().contains("limits"), "{}: its last section is `{last}`", page.display());
    }
}

/// In rustdoc, each page of the guide is a module, and a link to a file would be broken. So each link leads to an item.
#[test]
fn every_link_of_the_guide_leads_to_an_item_in_rustdoc() {
    for (page, text) in pages().iter().filter(|(page, _)| is_in_the_guide(page)) {
        let named: Vec<(&str, &str)> = definitions(text).collect();
        for link in links(text).iter().filter(|(_, target)| !target.starts_with("https://")) {
            if let Some(picture) = link.1.strip_suffix(".svg") {
                // The link to a picture is defined as data, in a file of its own.
                let definition = format!("\"../docs/{picture}.md\" \"../docs/");
                assert!(GUIDE.contains(&definition), "{}: {link:?}", page.display());
                continue;
            }
            assert!(named.contains(link) && item(link.0).is_some(), "{}: {link:?}", page.display());
        }
    }
}

/// A link to a file of tests names the test: its text is `behaviour::retries::a_test`, and its target is the file.
#[test]
fn every_test_that_a_page_names_exists() {
    let (mut named, mut missing) = (0, Vec::new());
    for (page, text) in pages() {
        for (said, file) in links(&text) {
            let Some((module, test)) = said.trim_matches('`').rsplit_once("::") else { continue };
            if Path::new(file).extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            named += 1;
            let path = module.replace("::", "/");
            let is_of =
                [format!("tests/{path}.rs"), format!("tests/{path}/mod.rs")].iter().any(|end| file.ends_with(end));
            let code = fs::read_to_string(page.parent().expect("a folder").join(file)).unwrap_or_default();
            // A test that a macro makes is a line of the macro's table.
            let is_there = code.contains(&format!("fn {test}(")) || code.contains(&format!("\n    {test}: "));
            if !is_of || !is_there {
                missing.push(format!("{}: {said} in {file}", page.display()));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(named > 50, "the guarantees name their tests: {named}");
}

/// The front page of the library in rustdoc.
const FRONT: &str = include_str!("../../dyno-runtime/src/lib.rs");

#[test]
fn the_front_page_lists_every_page_of_the_guide() {
    let pages = GUIDE.lines().filter_map(|line| line.trim().split_once(" \"../docs/"));
    let missing: Vec<_> = pages.filter(|(page, _)| !FRONT.contains(&format!("](guide::{page}) |"))).collect();
    assert_eq!(missing, []);
}

/// Returns the part of a dependency's version that a program must match: `3`, or `0.4`.
fn compatible_version(name: &str) -> String {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let line = workspace.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).expect("a dependency");
    let version = line.split('"').nth(1).expect("a version");
    let numbers: Vec<&str> = version.split('.').collect();
    numbers[..if numbers[0] == "0" { 2 } else { 1 }].join(".")
}

#[test]
fn the_feature_list_names_the_version_of_each_optional_crate() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a page").replace('\n', " ");
    for name in ["chrono", "jiff", "rust_decimal", "time", "ulid", "url", "uuid"] {
        let named = format!("`{name}` {}", compatible_version(name));
        let row = FRONT.lines().find(|line| line.starts_with(&format!("//! | `{name}` |"))).unwrap_or_default();
        assert!(row.contains(&named), "lib.rs: {named}: {row}");
        assert!(row.contains(&format!("`dyno::{name}`")) && FRONT.contains(&format!("pub use ::{name};")), "{name}");
        assert!(readme.contains(&named), "README.md: {named}");
    }
    for name in ["aws-sdk-dynamodbstreams", "aws_lambda_events"] {
        let named = format!("`{name}` {}", compatible_version(name));
        assert!(FRONT.contains(&named), "lib.rs: {named}");
    }
}

/// Returns the item that `name` links to in rustdoc's pages of the library.
fn item(name: &str) -> Option<&'static str> {
    definitions(include_str!("../../dyno-runtime/src/links.md"))
        .find_map(|(other, item)| (other == name).then_some(item))
}

#[test]
fn every_heading_that_rustdoc_links_to_exists() {
    let reference = parts_of_the_reference();
    for (name, item) in definitions(include_str!("../../dyno-runtime/src/links.md")) {
        let Some((item, heading)) = item.split_once('#').filter(|_| !item.starts_with("https://")) else { continue };
        let has_it = match name.split_once('#') {
            Some((file, _)) => {
                has_heading(&fs::read_to_string(root().join("docs").join(file)).expect("a page"), heading)
            }
            None if item == "derive@crate::Entity" => reference.iter().any(|(_, text)| has_heading(text, heading)),
            None => false,
        };
        assert!(has_it, "{name}: {item}#{heading}");
    }
}

/// Two crates show the page of the derive. One of them has the items that the page links to, and rustdoc checks these links.
/// The other crate has the addresses of the items.
#[test]
fn every_link_of_the_reference_has_the_same_target_in_both_crates() {
    for (name, address) in definitions(include_str!("../../dyno-derive/src/reference/links.md")) {
        let item = item(name).unwrap_or_else(|| panic!("{name} is not in dyno-runtime/src/links.md"));
        let path = item.rsplit_once('@').map_or(item, |(_, path)| path).trim_start_matches("crate::");
        let is_same = path.split(['#', ':']).all(|part| address.contains(part));
        assert!(
            is_same && address.starts_with("https://docs.rs/dyno-runtime/latest/dyno/"),
            "{name}: {item}, {address}"
        );
    }
}

/// The number of columns of code on a page of rustdoc, in a window of 1280 pixels.
const COLUMNS: usize = 96;

/// Returns the text of a source's doc comments.
fn comments(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    let comments = lines.filter_map(|line| line.strip_prefix("///").or_else(|| line.strip_prefix("//!")));
    comments.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect()
}

/// Returns all files in a folder and below it, with their sources.
pub(super) fn sources_in(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(folder).expect("sources").map(|entry| entry.expect("a source").path());
    let sources = |file: PathBuf| match fs::read_to_string(&file) {
        Ok(source) => vec![(file, source)],
        Err(_) => sources_in(&file),
    };
    files.flat_map(sources).collect()
}

#[test]
fn no_line_of_code_is_wider_than_the_page() {
    let mut texts = pages();
    texts.retain(|(page, _)| page.ends_with(REFERENCE) || page.parent().is_some_and(|folder| folder.ends_with("docs")));
    let sources = ["dyno-runtime/src", "dyno-derive/src"].iter().flat_map(|folder| sources_in(&root().join(folder)));
    texts.extend(sources.map(|(file, source)| (file, comments(&source))));
    let mut wide = Vec::new();
    for (file, text) in &texts {
        let code = text.split("```").skip(1).step_by(2).flat_map(str::lines);
        let shown = code.filter(|line| !line.starts_with("# ") && line.chars().count() > COLUMNS);
        wide.extend(shown.map(|line| format!("{}: {line}", file.display())));
    }
    assert_eq!(wide, Vec::<String>::new());
}

#[test]
fn the_code_of_every_page_is_compiled() {
    let compiled = include_str!("../src/pages.rs");
    let path = |page: &Path| page.strip_prefix(root()).expect("it is of the project").display().to_string();
    let pages = pages().into_iter().filter(|(page, _)| !page.is_dir()).map(|(page, text)| (path(&page), text));
    let parts = parts_of_the_reference().into_iter();
    let parts = parts.map(|(name, text)| (path(&root().join(REFERENCE).join(name)), text));
    for (path, _) in pages.chain(parts).filter(|(_, text)| text.contains("```rust")) {
        assert!(compiled.contains(&format!("\"../../{path}\"")), "{path} is not in tests/src/pages.rs");
    }
}
