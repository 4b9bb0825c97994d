//! Imports between the files of a crate, read from the paths in its code.
//!
//! A file uses another if a path outside of its tests leads there: in a `use`, an expression, a
//! type, an attribute or the arguments of a macro. A re-export is followed to the file that has the
//! item. The declaration `mod child;` alone is no use, nor is a path that begins with `::`, which names a
//! crate.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Macro, Meta, UseTree, Visibility};

/// Module path below the root of the crate, such as `["formats", "a2a"]`; the root itself is empty.
type Module = Vec<String>;

/// The files of one crate and the paths in them.
#[derive(Debug)]
pub(crate) struct Imports {
    files: BTreeMap<Module, File>,
}

/// One source file.
#[derive(Debug, Default)]
struct File {
    /// Paths in the code, each with its segments.
    paths: Vec<Vec<String>>,
    /// Imported name to the path that it stands for.
    imported: BTreeMap<String, Vec<String>>,
    /// Modules all of whose items are re-exported.
    globs: Vec<Vec<String>>,
    /// Names of the items that are defined here.
    defined: BTreeSet<String>,
    /// Modules that exist in tests only.
    tests: BTreeSet<String>,
}

impl Imports {
    /// Reads every file of the library in a source directory.
    pub(crate) fn of(directory: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut directories = vec![(directory.to_path_buf(), Module::new())];
        while let Some((directory, module)) = directories.pop() {
            for entry in std::fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let mut child = module.clone();
                child.push(name.clone());
                if path.is_dir() {
                    directories.push((path, child));
                } else if path.extension().is_some_and(|it| it == "rs") && name != "main" {
                    let is_root = module.is_empty() && name == "lib";
                    let text = std::fs::read_to_string(&path).unwrap();
                    let parsed = syn::parse_file(&text).expect("the file compiles");
                    let mut file = File::default();
                    file.visit_file(&parsed);
                    files.insert(if is_root { Module::new() } else { child }, file);
                }
            }
        }
        let tests: BTreeSet<Module> = files
            .iter()
            .flat_map(|(module, file): (&Module, &File)| {
                let below = |name: &String| module.iter().chain([name]).cloned().collect();
                file.tests.iter().map(below).collect::<Vec<Module>>()
            })
            .collect();
        files.retain(|module, _| (1..=module.len()).all(|end| !tests.contains(&module[..end])));
        Self { files }
    }

    /// Returns, for each file, the files that it uses.
    pub(crate) fn files(&self) -> BTreeMap<&[String], BTreeSet<&[String]>> {
        let uses = |(module, file): (&'_ Module, &File)| {
            let all = file.paths.iter().chain(file.imported.values());
            let all = all.chain(&file.globs);
            let found = all.filter_map(|path| self.target(module, path, 0));
            found.filter(|found| found != module).collect::<Vec<_>>()
        };
        let known = |module: Module| &**self.files.get_key_value(&module).unwrap().0;
        self.files
            .iter()
            .map(|it| (&**it.0, uses(it).into_iter().map(known).collect()))
            .collect()
    }

    /// Returns, for each module directly below another (empty for the root of the crate), the others
    /// there that its files use.
    pub(crate) fn modules(&self, below: &[&str]) -> BTreeMap<&str, BTreeSet<&str>> {
        let child = |module| child(module, below);
        let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (module, used) in self.files() {
            let Some(from) = child(module) else { continue };
            let others = used.into_iter().filter_map(child);
            let others = others.filter(|to| *to != from);
            uses.entry(from).or_default().extend(others);
        }
        uses
    }

    /// Returns the circles of the files below a module, largest first: files each of which leads to
    /// every other of its circle.
    pub(crate) fn circles(&self, below: &[&str]) -> Vec<Vec<String>> {
        let mut uses = self.files();
        uses.retain(|module, _| is_below(module, below));
        let reached = |from: &[String]| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from];
            while let Some(next) = open.pop() {
                for used in uses.get(next).into_iter().flatten() {
                    if uses.contains_key(used) && seen.insert(*used) {
                        open.push(used);
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<_, _> = uses
            .keys()
            .map(|module| (*module, reached(module)))
            .collect();
        let mut circles = BTreeSet::new();
        for (module, seen) in &reached {
            let circle = seen.iter().filter(|other| reached[*other].contains(module));
            let circle: Vec<String> = circle.map(|other| other.join("::")).collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        let mut circles: Vec<_> = circles.into_iter().collect();
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// Returns the file to which a path leads that stands in `module`.
    fn target(&self, module: &[String], path: &[String], depth: usize) -> Option<Module> {
        if depth > 8 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let mut at = module.to_vec();
        let mut rest = rest;
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                at.pop();
                while let Some(("super", more)) =
                    rest.split_first().map(|(it, more)| (it.as_str(), more))
                {
                    at.pop();
                    rest = more;
                }
            }
            name => {
                at.push(name.to_owned());
                if !self.files.contains_key(&at) {
                    at.pop();
                    let imported = self.files.get(module)?.imported.get(name)?;
                    if imported.first() == Some(first) {
                        return None; // A crate, or a module of the same name.
                    }
                    let whole: Vec<_> = imported.iter().chain(rest).cloned().collect();
                    return self.target(module, &whole, depth + 1);
                }
            }
        }
        while let Some((name, more)) = rest.split_first() {
            at.push(name.clone());
            if !self.files.contains_key(&at) {
                at.pop();
                return self.item(at, name, rest, depth);
            }
            rest = more;
        }
        Some(at)
    }

    /// Returns the file that has the item to which `rest` leads from the file `at`.
    fn item(&self, at: Module, name: &String, rest: &[String], depth: usize) -> Option<Module> {
        let file = self.files.get(&at)?;
        if file.defined.contains(name) {
            return Some(at);
        }
        if let Some(imported) = file.imported.get(name) {
            let whole: Vec<_> = imported.iter().chain(&rest[1..]).cloned().collect();
            return self.target(&at, &whole, depth + 1);
        }
        let globs = file
            .globs
            .iter()
            .filter_map(|glob| self.target(&at, glob, depth + 1));
        let mut having = globs.filter(|it| self.files[it].defined.contains(name));
        having.next().or(Some(at))
    }
}

/// Reports whether a module is another or is below it.
fn is_below(module: &[String], other: &[&str]) -> bool {
    module.len() >= other.len() && module.iter().zip(other).all(|(a, b)| a == b)
}

/// Returns the name of the module directly below another that a module is or is below.
fn child<'a>(module: &'a [String], below: &[&str]) -> Option<&'a str> {
    let name = module.get(below.len()).filter(|_| is_below(module, below));
    name.map(String::as_str)
}

impl File {
    fn import(&mut self, tree: &UseTree, before: &[String], is_exported: bool) {
        let joined = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        let (name, path) = match tree {
            UseTree::Path(path) => {
                return self.import(&path.tree, &joined(path.ident.to_string()), is_exported);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|tree| self.import(tree, before, is_exported));
            }
            UseTree::Glob(_) => {
                return if is_exported {
                    self.globs.push(before.to_vec());
                } else {
                    self.paths.push(before.to_vec());
                };
            }
            UseTree::Name(it) if it.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.to_vec())
            }
            UseTree::Name(it) => (it.ident.to_string(), joined(it.ident.to_string())),
            UseTree::Rename(it) => (it.rename.to_string(), joined(it.ident.to_string())),
        };
        self.imported.insert(name, path);
    }
}

/// Collects the paths in the arguments of a macro, which is not parsed.
fn paths_in(tokens: TokenStream, paths: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut is_joined = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_joined || path.is_empty() => {
                path.push(name.to_string());
                is_joined = false;
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => {
                is_joined = true;
                continue;
            }
            TokenTree::Ident(name) => {
                paths.push(std::mem::take(&mut path));
                path.push(name.to_string());
            }
            TokenTree::Group(group) => {
                paths.push(std::mem::take(&mut path));
                paths_in(group.stream(), paths);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => paths.push(std::mem::take(&mut path)),
        }
        is_joined = false;
    }
    paths.push(path);
    paths.retain(|path| path.len() > 1);
}

/// Reports whether an item exists in tests only.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(path) => path.is_ident("test"),
        Meta::NameValue(_) => false,
    })
}

impl<'ast> Visit<'ast> for File {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Const(it) => (&it.attrs, Some(&it.ident)),
            Item::Enum(it) => (&it.attrs, Some(&it.ident)),
            Item::Fn(it) => (&it.attrs, Some(&it.sig.ident)),
            Item::Impl(it) => (&it.attrs, None),
            Item::Macro(it) => (&it.attrs, it.ident.as_ref()),
            Item::Mod(it) => {
                if is_of_tests(&it.attrs) {
                    self.tests.insert(it.ident.to_string());
                }
                return;
            }
            Item::Static(it) => (&it.attrs, Some(&it.ident)),
            Item::Struct(it) => (&it.attrs, Some(&it.ident)),
            Item::Trait(it) => (&it.attrs, Some(&it.ident)),
            Item::Type(it) => (&it.attrs, Some(&it.ident)),
            Item::Use(it) => {
                if !is_of_tests(&it.attrs) && it.leading_colon.is_none() {
                    let is_exported = !matches!(it.vis, Visibility::Inherited);
                    self.import(&it.tree, &[], is_exported);
                }
                return;
            }
            _ => return,
        };
        if !is_of_tests(attributes) {
            self.defined.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    /// Skips `pub(crate)` and the like, which name a module without using it.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        if path.leading_colon.is_none() {
            self.paths.push(segments.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        paths_in(called.tokens.clone(), &mut self.paths);
        visit::visit_macro(self, called);
    }
}
