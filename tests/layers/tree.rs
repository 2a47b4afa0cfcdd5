//! The files of a library, and the items of other files that each of them names: in `use` declarations, and in paths in code,
//! types and macros. Names are followed through re-exports to the file that defines them. Tests are left out.
//!
//! A method call on a value is no arrow: it names no file, and the arrow to the type of the value is found elsewhere.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Stmt, UseTree, Visibility};

/// One file names an item that another file defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrow {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) item: String,
    /// Whether the file only re-exports the item.
    pub(crate) is_reexport: bool,
}

/// The sources of a library, by their paths from its `src`.
pub(crate) type Sources = BTreeMap<String, String>;

/// Reads every source below a folder.
pub(crate) fn read(folder: &Path) -> Sources {
    let mut sources = Sources::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("the folder can be read") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).expect("it is below the folder");
                let name = name.to_str().expect("names of files are text").replace('\\', "/");
                sources.insert(name, std::fs::read_to_string(&path).expect("sources are text"));
            }
        }
    }
    sources
}

/// The files of a library without its tests, and every arrow between two of them, once each.
pub(crate) struct Graph {
    pub(crate) files: BTreeSet<String>,
    pub(crate) arrows: Vec<Arrow>,
}

pub(crate) fn graph(sources: &Sources) -> Graph {
    let mut tree = Tree { sources, modules: Vec::new(), uses: Vec::new(), module: 0, tests: BTreeSet::new() };
    tree.add_file("lib.rs", None);
    let files: BTreeSet<String> = tree.modules.iter().map(|module| module.file.clone()).collect();
    for file in sources.keys() {
        assert!(files.contains(file) || tree.tests.contains(file), "no `mod` declares {file}");
    }
    let mut arrows = BTreeSet::new();
    for used in &tree.uses {
        let from = &tree.modules[used.module].file;
        for (to, item) in tree.resolve(used.module, &used.path, 0) {
            if *from != to {
                arrows.insert(Arrow { from: from.clone(), to, item, is_reexport: used.is_reexport });
            }
        }
    }
    Graph { files, arrows: arrows.into_iter().collect() }
}

/// A module: a file, or a part of one.
struct Module {
    file: String,
    parent: Option<usize>,
    names: HashMap<String, Vec<Target>>,
    globs: Vec<Vec<String>>,
}

#[derive(Clone)]
enum Target {
    Module(usize),
    /// An item that is defined here.
    Item,
    /// A name that is imported by this path.
    Import(Vec<String>),
}

/// A path, and the module in which it occurs.
struct Used {
    module: usize,
    path: Vec<String>,
    is_reexport: bool,
}

struct Tree<'a> {
    sources: &'a Sources,
    modules: Vec<Module>,
    uses: Vec<Used>,
    /// The module that is being read.
    module: usize,
    /// Files of tests.
    tests: BTreeSet<String>,
}

impl Tree<'_> {
    fn add_file(&mut self, file: &str, parent: Option<usize>) -> usize {
        let text = &self.sources[file];
        let content = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        self.add_module(file, parent, &content.items)
    }

    fn add_module(&mut self, file: &str, parent: Option<usize>, items: &[Item]) -> usize {
        let outer = self.module;
        self.module = self.modules.len();
        let module = self.module;
        self.modules.push(Module { file: file.to_owned(), parent, names: HashMap::new(), globs: Vec::new() });
        for item in items {
            self.visit_item(item);
        }
        self.module = outer;
        module
    }

    /// Returns the file of a module that `file` declares.
    fn file_of(&self, file: &str, item: &ItemMod) -> String {
        let folder = folder_of(file);
        let candidates = [format!("{folder}{}.rs", item.ident), format!("{folder}{}/mod.rs", item.ident)];
        let found = candidates.into_iter().find(|candidate| self.sources.contains_key(candidate));
        found.unwrap_or_else(|| panic!("{file}: `mod {}` has no file", item.ident))
    }

    /// Adds a file of tests, and the files of the modules that it declares.
    fn add_tests(&mut self, file: String) {
        let content = syn::parse_file(&self.sources[&file]).unwrap_or_else(|error| panic!("{file}: {error}"));
        for item in &content.items {
            if let Item::Mod(item) = item
                && item.content.is_none()
            {
                self.add_tests(self.file_of(&file, item));
            }
        }
        self.tests.insert(file);
    }

    fn name(&mut self, name: &syn::Ident, target: Target) {
        self.modules[self.module].names.entry(name.to_string()).or_default().push(target);
    }

    /// Adds the names that a tree of `use` imports, and their paths.
    fn add_use(&mut self, tree: &UseTree, mut path: Vec<String>, is_reexport: bool) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.add_use(&inner.tree, path, is_reexport);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, path.clone(), is_reexport);
                }
            }
            UseTree::Glob(_) => self.modules[self.module].globs.push(path),
            UseTree::Name(name) if name.ident == "self" => {
                let last = syn::Ident::new(path.last().expect("`self` is of a path"), name.ident.span());
                self.add_import(&last, path, is_reexport);
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.add_import(&name.ident, path, is_reexport);
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                self.add_import(&rename.rename, path, is_reexport);
            }
        }
    }

    fn add_import(&mut self, name: &syn::Ident, path: Vec<String>, is_reexport: bool) {
        self.name(name, Target::Import(path.clone()));
        self.uses.push(Used { module: self.module, path, is_reexport });
    }

    fn add_path(&mut self, path: Vec<String>) {
        self.uses.push(Used { module: self.module, path, is_reexport: false });
    }

    /// Adds the paths among the tokens of a macro.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colons = |at: usize| matches!(&tokens[at..], [TokenTree::Punct(a), TokenTree::Punct(b), ..] if a.as_char() == ':' && b.as_char() == ':');
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    // A path after `::` belongs to another crate or to a type.
                    let is_behind = at >= 2 && is_colons(at - 2);
                    let mut path = vec![first.to_string()];
                    while is_colons(at + 1)
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    if !is_behind {
                        self.add_path(path);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Returns the files that define the item of a path, with the item's name there.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Vec<(String, String)> {
        // The limit stops at a name that is imported from itself, which no file defines.
        if depth > 32 {
            return Vec::new();
        }
        let (mut module, mut rest) = (from, path);
        loop {
            let next = match rest.first().map(String::as_str) {
                Some("crate") => Some(0),
                Some("self") => Some(module),
                Some("super") => self.modules[module].parent,
                _ => break,
            };
            let Some(next) = next else { return Vec::new() };
            (module, rest) = (next, &rest[1..]);
        }
        let Some((name, rest)) = rest.split_first() else { return Vec::new() };
        let here = &self.modules[module];
        let mut found = Vec::new();
        for target in here.names.get(name).into_iter().flatten() {
            match target {
                Target::Module(_) if rest.is_empty() => {}
                Target::Module(inner) => found.extend(self.resolve_in(*inner, rest, depth + 1)),
                Target::Item => found.push((here.file.clone(), name.clone())),
                Target::Import(import) => found.extend(self.resolve(module, &[import, rest].concat(), depth + 1)),
            }
        }
        if found.is_empty() && !here.names.contains_key(name) {
            for glob in &here.globs {
                let path: Vec<String> =
                    glob.iter().chain(path.iter().skip(path.len() - rest.len() - 1)).cloned().collect();
                found.extend(self.resolve(module, &path, depth + 1));
            }
        }
        found
    }

    /// Like [`resolve`](Self::resolve), for a path that begins in this very module.
    fn resolve_in(&self, module: usize, path: &[String], depth: usize) -> Vec<(String, String)> {
        let path: Vec<String> = std::iter::once("self".to_owned()).chain(path.iter().cloned()).collect();
        self.resolve(module, &path, depth)
    }
}

impl<'ast> Visit<'ast> for Tree<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::ExternCrate(item) => (&item.attrs, None),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Mod(item) => (&item.attrs, None),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => (&item.attrs, None),
            _ => panic!("an item of a kind that is not known"),
        };
        if is_of_tests(attributes) {
            if let Item::Mod(item) = item
                && item.content.is_none()
            {
                let file = self.file_of(&self.modules[self.module].file, item);
                self.add_tests(file);
            }
            return;
        }
        if let Some(name) = name {
            self.name(name, Target::Item);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let file = self.modules[self.module].file.clone();
        let module = match &item.content {
            Some((_, items)) => self.add_module(&file, Some(self.module), items),
            None => self.add_file(&self.file_of(&file, item), Some(self.module)),
        };
        self.name(&item.ident, Target::Module(module));
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.add_use(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !matches!(item, ImplItem::Fn(item) if is_of_tests(&item.attrs)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !matches!(statement, Stmt::Local(local) if is_of_tests(&local.attrs)) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.add_path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.visit_path(&invocation.path);
        self.add_tokens(invocation.tokens.clone());
    }

    /// Skips attributes and documentation.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    /// Skips visibilities: `pub(in …)` names a module, but no item in it.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

/// Returns the folder of the modules that a file declares.
fn folder_of(file: &str) -> String {
    match file.rsplit_once('/') {
        _ if file == "lib.rs" => String::new(),
        Some((folder, "mod.rs")) => format!("{folder}/"),
        _ => format!("{}/", file.trim_end_matches(".rs")),
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}
