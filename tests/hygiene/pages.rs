//! The pages of the guide name only what there is: pages, headings, files, tests. And the code of each is compiled.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All pages: where each is, and its text.
fn pages() -> Vec<(PathBuf, String)> {
    let root = root();
    let mut files: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tests/README.md"].map(|name| root.join(name)).into();
    let docs = fs::read_dir(root.join("docs")).expect("the pages");
    files.extend(docs.map(|entry| entry.expect("a page").path()));
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("a page");
        (file, text)
    };
    files.into_iter().map(read).collect()
}

/// The links of a page, without its blocks of code: what each says, and where it leads.
fn links(page: &str) -> Vec<(&str, &str)> {
    let prose = page.split("```").step_by(2);
    let inline = prose.flat_map(|text| {
        text.split("](").zip(text.split("](").skip(1)).filter_map(|(before, behind)| {
            let (_, said) = before.rsplit_once('[')?;
            Some((said, behind.split_once(')')?.0))
        })
    });
    inline.chain(definitions(page)).collect()
}

/// The names of links that a page defines, `[name]: target`, and where they lead.
fn definitions(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
}

/// The names that the links of a page have, `[said][name]`.
fn names(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|text| text.split("][").skip(1).filter_map(|behind| Some(behind.split_once(']')?.0)))
}

/// What a heading is called in a link: its letters and digits in lower case, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|char| char.is_alphanumeric() || "-_ ".contains(*char));
    kept.map(|char| if char == ' ' { '-' } else { char.to_ascii_lowercase() }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        for (said, link) in links(&text).into_iter().filter(|(_, link)| !link.starts_with("https://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            let is_there = heading.is_empty()
                || fs::read_to_string(&target).is_ok_and(|text| {
                    text.lines().any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading)
                });
            if !target.exists() || !is_there {
                broken.push(format!("{}: [{said}]({link})", page.display()));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_link_by_a_name_has_a_definition() {
    for (page, text) in pages() {
        for name in names(&text) {
            assert!(definitions(&text).any(|(defined, _)| defined == name), "{}: {name}", page.display());
        }
    }
}

/// Where rustdoc shows a page of the guide, other pages are modules, and a file that it names would not be found.
#[test]
fn every_link_of_the_guide_leads_to_a_module_in_rustdoc() {
    let (guide, modules) =
        (include_str!("../../dyno-runtime/src/guide.rs"), include_str!("../../dyno-runtime/src/links.md"));
    let shown = |page: &Path| guide.contains(&format!("\"../docs/{}\"", page.file_name().expect("a name").display()));
    for (page, text) in pages().iter().filter(|(page, _)| shown(page)) {
        for (said, target) in links(text).into_iter().filter(|(_, target)| !target.starts_with("https://")) {
            let defined = modules.lines().any(|line| line.starts_with(&format!("[{target}]: ")));
            assert!(said == target && defined, "{}: [{said}] leads to {target}", page.display());
        }
    }
}

/// A link to a file of tests says which test: it reads `behaviour::retries::a_test`, and leads to the file.
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
            if !is_of || !code.contains(&format!("fn {test}(")) {
                missing.push(format!("{}: {said} in {file}", page.display()));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(named > 50, "the guarantees name their tests: {named}");
}

#[test]
fn the_code_of_every_page_is_compiled() {
    let compiled = include_str!("../src/pages.rs");
    for (page, text) in pages().iter().filter(|(_, text)| text.contains("```rust")) {
        let name = page.file_name().expect("a name").to_string_lossy();
        assert!(compiled.contains(&format!("/{name}\"")), "{name} is not in tests/src/pages.rs: {}", text.len());
    }
}
