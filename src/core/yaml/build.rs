//! From the parser's events to a [`Document`].

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Tag};
use hashbrown::HashMap;

use super::key::Key;
use super::scalar::{self, Problem, Scalar};
use super::syntax;
use super::tree::{Data, Document, Links, Node, NodeId, Text};
use super::{NodeRef, Schema};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};

/// The largest file that is read.
pub const MAX_FILE_BYTES: usize = 64 * 1024 * 1024;
/// How many nodes all aliases and merges of a file may stand for.
const MAX_EXPANDED_NODES: u64 = 4_000_000;
/// How deep lists and mappings may nest.
const MAX_DEPTH: usize = 200;
/// Mappings up to this size find repeated keys by comparing all pairs, which is faster there than hashing.
const SMALL_MAPPING: usize = 16;

/// Reads one YAML document. `None` when it is refused; the reasons, and warnings of a document that is taken, go to
/// `found`. A file without content is a document without root.
pub fn parse(source: &Arc<Source>, schema: Schema, found: &mut Diagnostics) -> Option<Document> {
    let text = source.text();
    if text.len() > MAX_FILE_BYTES {
        let size = text.len().div_ceil(1024 * 1024);
        found.push(
            Diagnostic::error(
                Code::FileTooLarge,
                format!("the file has {size} MiB, more than the 64 MiB that are read"),
            )
            .in_file(source.name())
            .help("split it into several files"),
        );
        return None;
    }
    if let Some(refused) = forbidden_character(source) {
        found.push(refused);
        return None;
    }
    let errors_before = found.error_count();
    let mut builder = Builder::new(source, schema, found);
    builder.run();
    let document = builder.finish();
    (found.error_count() == errors_before).then_some(document)
}

/// YAML forbids most control characters, and so does PyYAML, even in comments.
fn forbidden_character(source: &Arc<Source>) -> Option<Diagnostic> {
    let bytes = source.text().as_bytes();
    let mut at = 0;
    while let Some(found) = next_suspicious(&bytes[at..]) {
        at += found;
        let character = source.text()[at..].chars().next()?;
        let forbidden = match character {
            '\u{85}' => false,
            '\u{fffe}' | '\u{ffff}' => true,
            c => c.is_control(),
        };
        if forbidden {
            let code = u32::from(character);
            return Some(
                Diagnostic::error(Code::NotUtf8, format!("the character U+{code:04X} is not allowed in YAML"))
                    .at(source, at..at + character.len_utf8())
                    .help(format!("remove it, or write it as an escape in double quotes: \"\\u{code:04x}\"")),
            );
        }
        at += character.len_utf8();
    }
    None
}

/// The first byte that may begin a forbidden character. Whole blocks are looked at without an early exit, so that the
/// compiler can compare many bytes at once.
fn next_suspicious(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 128;
    let is_suspicious =
        |b: u8| ((b < 0x20) & (b != b'\t') & (b != b'\n') & (b != b'\r')) | (b == 0x7f) | (b == 0xc2) | (b == 0xef);
    let blocks = bytes.chunks(BLOCK).enumerate();
    let mut dirty = blocks.filter(|(_, block)| block.iter().fold(false, |any, &b| any | is_suspicious(b)));
    let (index, block) = dirty.next()?;
    block.iter().position(|&b| is_suspicious(b)).map(|offset| index * BLOCK + offset)
}

struct Builder<'a> {
    document: Document,
    found: &'a mut Diagnostics,
    /// Collections that are not closed yet, innermost last.
    open: Vec<Open>,
    /// Children of the open collections, all in one stack.
    pending: Vec<NodeId>,
    /// By anchor id: the node and how many nodes it stands for.
    anchored: Vec<Option<(NodeId, u64)>>,
    anchor_names: HashMap<String, Range<usize>>,
    expanded: u64,
    documents: usize,
    /// Whether tabs still have to be looked for, and from where on.
    has_tabs: bool,
    tabs_checked: usize,
    stopped: bool,
}

struct Open {
    node: NodeId,
    first_pending: usize,
    weight: u64,
    anchor: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &Arc<Source>, schema: Schema, found: &'a mut Diagnostics) -> Self {
        // Real configs have a node every 12 bytes or so; one reallocation less for each power of two.
        let nodes = source.text().len() / 12;
        Self {
            document: Document {
                source: Arc::clone(source),
                schema,
                nodes: Vec::with_capacity(nodes),
                links: Vec::with_capacity(nodes),
                owned_texts: Vec::new(),
                anchors: Vec::new(),
                special_collections: Vec::new(),
                root: None,
            },
            found,
            open: Vec::new(),
            pending: Vec::new(),
            anchored: Vec::new(),
            anchor_names: HashMap::new(),
            expanded: 0,
            documents: 0,
            has_tabs: schema == Schema::V11 && memchr::memchr(b'\t', source.text().as_bytes()).is_some(),
            tabs_checked: 0,
            stopped: false,
        }
    }

    fn finish(self) -> Document {
        self.document
    }

    fn run(&mut self) {
        let source = Arc::clone(&self.document.source);
        let options = granit_parser::options! {
            emit_anchor_events: true,
            emit_comments: self.has_tabs,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
            block_scalar_eof_without_line_feed: self.document.schema == Schema::V11,
        };
        let mut parser = Parser::new_from_str_with_options(source.text(), options);
        while let Some(next) = parser.next_event() {
            match next {
                Ok((event, span)) => {
                    let bytes = span.byte_range().unwrap_or(0..0);
                    self.event(event, bytes, source.text());
                }
                Err(error) => {
                    self.syntax_error(&error);
                    return;
                }
            }
            if self.stopped {
                return;
            }
        }
    }

    fn event(&mut self, event: Event<'_>, bytes: Range<usize>, text: &str) {
        match event {
            Event::DocumentStart(..) => self.start_document(&bytes),
            Event::Comment(..) => self.check_tabs(bytes.start, bytes.end),
            Event::Scalar(value, style, anchor, tag) => {
                self.check_tabs(bytes.start, if style == ScalarStyle::Plain { bytes.start } else { bytes.end });
                let shown = match style {
                    // Its event ends where the next token starts.
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        bytes.start..bytes.start + text[bytes.clone()].trim_end().len()
                    }
                    _ => bytes.clone(),
                };
                let node = self.scalar(&value, style, tag.as_deref(), &shown, text);
                self.anchor(anchor, node, 1);
                self.attach(node, 1);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_collection_tag(tag.as_deref(), &["seq", "omap", "pairs"], &bytes);
                self.open(anchor, Data::Sequence { items: NONE }, &bytes);
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_collection_tag(tag.as_deref(), &["map", "set"], &bytes);
                self.open(anchor, Data::Mapping { written: NONE, effective: NONE }, &bytes);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&bytes),
            Event::Alias(id) => self.alias(id, &bytes),
            Event::Anchor(id, name) => self.name_anchor(id, &name, &bytes),
            Event::StreamEnd => self.check_tabs(text.len(), text.len()),
            _ => {}
        }
    }

    /// PyYAML takes a tab in quotes, block scalars and comments only. Looks at what lies between the last of these and
    /// `until`, and goes on at `resume`.
    fn check_tabs(&mut self, until: usize, resume: usize) {
        if !self.has_tabs {
            return;
        }
        let text = self.document.source.text();
        let gap = text.get(self.tabs_checked..until).unwrap_or_default();
        if let Some(at) = gap.find('\t') {
            let at = self.tabs_checked + at;
            self.refuse(
                Diagnostic::error(Code::YamlSyntax, "a tab stands outside of quotes and comments")
                    .at(&self.document.source, at..at + 1)
                    .help("indent and separate with spaces: YAML 1.1 readers refuse the tab"),
            );
            self.has_tabs = false;
        }
        self.tabs_checked = self.tabs_checked.max(resume);
    }

    fn name_anchor(&mut self, id: usize, name: &str, bytes: &Range<usize>) {
        let Some(Some((node, _))) = self.anchored.get(id).copied() else { return };
        self.document.anchors.push((node, narrow(bytes.start)..narrow(bytes.end)));
        if self.document.schema == Schema::Core12 {
            return;
        }
        if let Some(first) = self.anchor_names.insert(name.to_owned(), bytes.clone()) {
            self.refuse(
                Diagnostic::error(Code::YamlSyntax, format!("the anchor `{name}` is defined twice"))
                    .labelled(&self.document.source, bytes.clone(), "again")
                    .related(&self.document.source, first, "first")
                    .help("rename one of the two: YAML 1.1 readers refuse a repeated anchor"),
            );
        }
    }

    fn start_document(&mut self, bytes: &Range<usize>) {
        self.documents += 1;
        if self.documents > 1 {
            self.refuse(
                Diagnostic::error(Code::YamlSyntax, "a second document starts here, expected one document")
                    .at(&self.document.source, bytes.clone())
                    .help("remove `---`, or move what follows to a file of its own"),
            );
            self.stopped = true;
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        bytes: &Range<usize>,
        source: &str,
    ) -> NodeId {
        let plain = style == ScalarStyle::Plain;
        let tag = tag.map(full_tag);
        let is_key = self.expects_key();
        let resolved = match scalar::resolve(self.document.schema, value, plain, tag.as_deref()) {
            Ok(Scalar::Merge) if !is_key => Err(Problem::Special),
            Err(Problem::Special) if is_key => Ok(Scalar::Str),
            other => other,
        };
        let resolved = resolved.unwrap_or_else(|problem| {
            self.refuse_value(&problem, value, tag.as_deref(), bytes);
            Scalar::Str
        });
        let text = text_place(value, source).unwrap_or_else(|| {
            self.document.owned_texts.push(value.into());
            Text::Owned(narrow(self.document.owned_texts.len() - 1))
        });
        self.push(bytes, Data::Scalar { text, plain, value: resolved })
    }

    /// Whether the next node is the key of a mapping.
    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| {
            let is_mapping = matches!(self.document.nodes[open.node as usize].data, Data::Mapping { .. });
            is_mapping && (self.pending.len() - open.first_pending).is_multiple_of(2)
        })
    }

    fn refuse_value(&mut self, problem: &Problem, value: &str, tag: Option<&str>, bytes: &Range<usize>) {
        let source = Arc::clone(&self.document.source);
        let diagnostic = match (problem, tag) {
            (Problem::NoSuch(what), Some(_)) => {
                Diagnostic::error(Code::YamlValue, format!("`{value}` is tagged as a{} {what} and is none", an(what)))
                    .help("correct the value, or remove the tag")
            }
            (Problem::NoSuch(what), None) => Diagnostic::error(
                Code::YamlValue,
                format!("`{value}` has the form of a{} {what} and is none", an(what)),
            )
            .help(format!("correct it, or quote it if it is text: \"{value}\"")),
            (Problem::UnknownTag, tag) => {
                let tag = shown_tag(tag.unwrap_or_default());
                let diagnostic = Diagnostic::error(Code::YamlValue, format!("unknown tag `{tag}`"))
                    .at(&source, tag_site(source.text(), bytes))
                    .help("remove the tag, or quote the text that starts with `!`");
                self.refuse_here(diagnostic);
                return;
            }
            (Problem::Special, _) => {
                Diagnostic::error(Code::YamlValue, format!("`{value}` alone has a special meaning in YAML 1.1"))
                    .help(format!("quote it: \"{value}\""))
            }
        };
        self.refuse_here(diagnostic.at(&source, bytes.clone()));
    }

    fn check_collection_tag(&mut self, tag: Option<&Tag>, known: &[&str], bytes: &Range<usize>) {
        let Some(tag) = tag.map(full_tag) else { return };
        let standard = tag.strip_prefix("tag:yaml.org,2002:");
        if tag != "!" && !standard.is_some_and(|name| known.contains(&name)) {
            self.refuse_value(&Problem::UnknownTag, "", Some(&tag), bytes);
        } else if standard.is_some_and(|name| !matches!(name, "seq" | "map")) {
            self.document.special_collections.push(narrow(bytes.start)..narrow(bytes.end));
        }
    }

    fn open(&mut self, anchor: usize, data: Data, bytes: &Range<usize>) {
        let node = self.push(bytes, data);
        self.anchor(anchor, node, 0);
        self.open.push(Open { node, first_pending: self.pending.len(), weight: 1, anchor });
    }

    fn close(&mut self, bytes: &Range<usize>) {
        let Some(open) = self.open.pop() else { return };
        let children =
            Links { first: narrow(self.document.links.len()), len: narrow(self.pending.len() - open.first_pending) };
        self.document.links.extend(self.pending.drain(open.first_pending..));
        // The end event of a block collection stands where the next token starts; its last child says where it ends.
        let last = self.document.links[children.first as usize..].last();
        let last_end = last.map_or(0, |&id| self.document.nodes[id as usize].end);
        let node = &mut self.document.nodes[open.node as usize];
        let closing = if bytes.end > bytes.start { narrow(bytes.end) } else { last_end };
        node.end = node.end.max(closing);
        if let Data::Sequence { items } = &mut node.data {
            *items = children;
        } else {
            let effective = self.effective_entries(children);
            self.document.nodes[open.node as usize].data = Data::Mapping { written: children, effective };
        }
        self.anchor(open.anchor, open.node, open.weight);
        self.attach(open.node, open.weight);
    }

    fn alias(&mut self, id: usize, bytes: &Range<usize>) {
        let Some(Some((target, weight))) = self.anchored.get(id).copied() else { return };
        if weight == 0 {
            self.refuse_here(
                Diagnostic::error(Code::YamlValue, "the alias stands inside the value that it refers to")
                    .at(&self.document.source, bytes.clone())
                    .help("a value cannot contain itself: write the part that is meant"),
            );
            self.stopped = true;
            return;
        }
        let node = self.push(bytes, Data::Alias { target });
        self.attach(node, weight);
        self.expand(weight, bytes);
    }

    /// Counts nodes that exist only through an alias or a merge.
    fn expand(&mut self, weight: u64, bytes: &Range<usize>) {
        self.expanded = self.expanded.saturating_add(weight);
        if self.expanded > MAX_EXPANDED_NODES && !self.stopped {
            let message = format!("the aliases up to here stand for more than {MAX_EXPANDED_NODES} values");
            self.refuse(
                Diagnostic::error(Code::YamlLimit, message)
                    .at(&self.document.source, bytes.clone())
                    .help("refer to the repeated part less often"),
            );
            self.stopped = true;
        }
    }

    fn push(&mut self, bytes: &Range<usize>, data: Data) -> NodeId {
        self.document.nodes.push(Node { start: narrow(bytes.start), end: narrow(bytes.end), data });
        narrow(self.document.nodes.len() - 1)
    }

    /// Remembers an anchored node. A weight of 0 says that it is still open.
    fn anchor(&mut self, id: usize, node: NodeId, weight: u64) {
        if id == 0 {
            return;
        }
        if self.anchored.len() <= id {
            self.anchored.resize(id + 1, None);
        }
        self.anchored[id] = Some((node, weight));
    }

    /// Hands a finished node to the collection that holds it, or makes it the root.
    fn attach(&mut self, node: NodeId, weight: u64) {
        match self.open.last_mut() {
            Some(open) => {
                open.weight = open.weight.saturating_add(weight);
                self.pending.push(node);
            }
            None => self.document.root = Some(node),
        }
    }

    /// Merges resolved and repeated keys joined. The run itself where there are neither, which is nearly always.
    fn effective_entries(&mut self, written: Links) -> Links {
        let run = written.first as usize..(written.first + written.len) as usize;
        let mut special = Special::default();
        {
            let pairs = &self.document.links[run.clone()];
            special.look(&self.document, pairs);
        }
        for (first, again) in &special.repeated {
            self.report_repeated(*first, *again);
        }
        for key in &special.unhashable {
            let span = self.document.node(*key).site();
            self.refuse_here(
                Diagnostic::error(Code::YamlValue, "a list or a mapping cannot be a key")
                    .at(&self.document.source, span)
                    .help("quote the text if it is one: a `{` or `[` without quotes starts a mapping or a list"),
            );
        }
        let is_plain = !special.has_merge && special.repeated.is_empty();
        if self.document.schema == Schema::Core12 || is_plain {
            return written;
        }
        self.flatten(run)
    }

    fn report_repeated(&mut self, first: NodeId, again: NodeId) {
        let (first, again) = (self.document.node(first), self.document.node(again));
        let name = again.scalar_text().unwrap_or_default();
        let line = self.document.source.position(first.site().start).line;
        let message = format!("the key `{name}` stands here again, first on line {line}");
        let (diagnostic, help) = match self.document.schema {
            Schema::V11 => {
                (Diagnostic::warning(Code::DuplicateKey, message), "the last value wins; remove one of the two")
            }
            Schema::Core12 => (Diagnostic::error(Code::DuplicateKey, message), "remove one of the two"),
        };
        let mut path = self.path();
        push_key(&mut path, again);
        let diagnostic = diagnostic
            .path(path)
            .labelled(&self.document.source, again.site(), "again")
            .related(&self.document.source, first.site(), "first")
            .help(help);
        self.found.push(diagnostic);
    }

    /// The entries of a mapping with merges or repeated keys: merged entries first, then its own; of equal keys the
    /// last value at the place of the first.
    fn flatten(&mut self, run: Range<usize>) -> Links {
        let mut merged: Vec<(NodeId, NodeId)> = Vec::new();
        let mut own: Vec<(NodeId, NodeId)> = Vec::new();
        for pair in self.document.links[run].to_vec().chunks_exact(2) {
            let (key, value) = (pair[0], pair[1]);
            if is_merge(self.document.node(key)) {
                self.merge_value(value, &mut merged);
            } else {
                own.push((key, value));
            }
        }
        merged.append(&mut own);
        let entries = last_of_equal_keys(&self.document, merged);
        let links = Links { first: narrow(self.document.links.len()), len: narrow(entries.len() * 2) };
        self.document.links.extend(entries.into_iter().flat_map(|(key, value)| [key, value]));
        links
    }

    fn merge_value(&mut self, value: NodeId, merged: &mut Vec<(NodeId, NodeId)>) {
        let target = self.document.node(value).target();
        let sources: Vec<NodeId> = match &target.raw().data {
            Data::Mapping { .. } => vec![value],
            // Of several mappings the first wins, and a later assignment overwrites: so the last goes first.
            Data::Sequence { items } => {
                let run = items.first as usize..(items.first + items.len) as usize;
                self.document.links[run].iter().rev().copied().collect()
            }
            _ => {
                self.refuse_merge(value);
                return;
            }
        };
        for source in sources {
            let Data::Mapping { effective, .. } = self.document.node(source).target().raw().data else {
                self.refuse_merge(source);
                continue;
            };
            let run = effective.first as usize..(effective.first + effective.len) as usize;
            merged.extend(self.document.links[run].chunks_exact(2).map(|pair| (pair[0], pair[1])));
            let site = self.document.node(source).site();
            self.expand(u64::from(effective.len), &site);
        }
    }

    fn refuse_merge(&mut self, value: NodeId) {
        let node = self.document.node(value);
        let message = format!("`<<` merges a mapping or a list of mappings, found {}", node.type_name());
        let help = match node.as_str().filter(|text| self.anchor_names.contains_key(*text)) {
            Some(name) => format!("write the alias: `<<: *{name}`"),
            None => "give the alias of a mapping, `<<: *name`; quote the key if `<<` is meant as text".to_owned(),
        };
        let diagnostic = Diagnostic::error(Code::MergeKey, message).at(&self.document.source, node.site()).help(help);
        self.refuse_here(diagnostic);
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let source = Arc::clone(&self.document.source);
        let at = error.marker().byte_offset().unwrap_or(source.text().len());
        let at = crate::core::diag::floor_char_boundary(source.text(), at);
        if *error.kind() == ErrorKind::RecursionLimitExceeded {
            let message = format!("lists and mappings nest deeper than {MAX_DEPTH} levels");
            self.refuse(
                Diagnostic::error(Code::YamlLimit, message)
                    .at(&source, at..at)
                    .help("no file needs so many levels: look for brackets that are never closed"),
            );
            return;
        }
        let bracket = self.open_bracket();
        let explained = syntax::explain(error.kind(), source.text(), at, bracket.is_some());
        let mut diagnostic =
            Diagnostic::error(Code::YamlSyntax, explained.message).at(&source, explained.at).help(explained.help);
        if let Some(bracket) = bracket.filter(|_| explained.concerns_bracket) {
            diagnostic = diagnostic.related(&source, bracket, "opened here");
        }
        self.refuse(diagnostic);
    }

    /// The innermost bracket that is not closed yet.
    fn open_bracket(&self) -> Option<Range<usize>> {
        let open = self.open.last()?;
        let start = self.document.nodes[open.node as usize].start as usize;
        self.document.source.text()[start..].starts_with(['{', '[']).then_some(start..start + 1)
    }

    /// The dotted path of the value that is being built. Nothing at the root.
    fn path(&self) -> String {
        let mut path = String::new();
        let ends = self.open.iter().skip(1).map(|inner| inner.first_pending).chain([self.pending.len()]);
        for (open, end) in self.open.iter().zip(ends) {
            let children = &self.pending[open.first_pending..end];
            if matches!(self.document.nodes[open.node as usize].data, Data::Sequence { .. }) {
                let _ = write!(path, "[{}]", children.len());
            } else if let Some(key) = children.last().filter(|_| children.len() % 2 == 1) {
                push_key(&mut path, self.document.node(*key));
            }
        }
        path
    }

    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Refuses the value that is being built.
    fn refuse_here(&mut self, diagnostic: Diagnostic) {
        let path = self.path();
        self.found.push(if path.is_empty() { diagnostic } else { diagnostic.path(path) });
    }
}

const NONE: Links = Links { first: 0, len: 0 };

/// What makes a mapping more than its written entries.
#[derive(Default)]
struct Special {
    has_merge: bool,
    repeated: Vec<(NodeId, NodeId)>,
    unhashable: Vec<NodeId>,
}

impl Special {
    fn look(&mut self, document: &Document, pairs: &[NodeId]) {
        let keys = pairs.iter().step_by(2).copied();
        let mut named: Vec<(NodeId, Key<'_>)> = Vec::with_capacity(pairs.len() / 2);
        for id in keys {
            let node = document.node(id);
            if document.schema == Schema::V11 && is_merge(node) {
                self.has_merge = true;
            } else if let Some(key) = Key::of(node) {
                named.push((id, key));
            } else {
                self.unhashable.push(id);
            }
        }
        if named.len() <= SMALL_MAPPING {
            for (index, (again, key)) in named.iter().enumerate() {
                if let Some((first, _)) = named[..index].iter().find(|(_, earlier)| earlier == key) {
                    self.repeated.push((*first, *again));
                }
            }
            return;
        }
        let mut seen: HashMap<&Key<'_>, NodeId> = HashMap::with_capacity(named.len());
        for (id, key) in &named {
            let first = *seen.entry(key).or_insert(*id);
            if first != *id {
                self.repeated.push((first, *id));
            }
        }
    }
}

/// Of equal keys the last entry, at the place of the first.
fn last_of_equal_keys(document: &Document, entries: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
    let mut places: HashMap<Key<'_>, usize> = HashMap::with_capacity(entries.len());
    let mut kept: Vec<(NodeId, NodeId)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let Some(name) = Key::of(document.node(key)) else { continue };
        let place = *places.entry(name).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(entry) => entry.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

fn is_merge(node: NodeRef<'_>) -> bool {
    !node.is_alias() && node.scalar() == Some(&Scalar::Merge)
}

fn push_key(path: &mut String, key: NodeRef<'_>) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key.scalar_text().unwrap_or_default());
}

/// A file has at most [`MAX_FILE_BYTES`] bytes and so fewer nodes than that; merged links are bounded too.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Where a borrowed scalar stands in the source; `None` if it had to be built.
fn text_place(value: &str, source: &str) -> Option<Text> {
    let start = (value.as_ptr() as usize).checked_sub(source.as_ptr() as usize)?;
    let end = start.checked_add(value.len())?;
    (source.get(start..end) == Some(value)).then(|| Text::Source { start: narrow(start), end: narrow(end) })
}

/// `n` where the article needs it.
fn an(noun: &str) -> &'static str {
    if noun.starts_with('i') { "n" } else { "" }
}

/// Where the tag of a value stands: before it, perhaps with an anchor between them.
fn tag_site(text: &str, value: &Range<usize>) -> Range<usize> {
    let before = text[..value.start].trim_end();
    let words = before.char_indices().rev().filter(|(_, c)| *c == '!').map(|(at, _)| at);
    let from = words.take_while(|at| !text[*at..before.len()].contains('\n')).last();
    match from {
        Some(from) => {
            let len = text[from..before.len()].find(char::is_whitespace).unwrap_or(before.len() - from);
            from..from + len
        }
        None => value.clone(),
    }
}

fn full_tag(tag: &Tag) -> String {
    format!("{}{}", tag.handle(), tag.suffix())
}

fn shown_tag(tag: &str) -> String {
    match tag.strip_prefix("tag:yaml.org,2002:") {
        Some(name) => format!("!!{name}"),
        None => tag.to_owned(),
    }
}
