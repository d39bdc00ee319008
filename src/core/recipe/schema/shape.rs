//! How a key of a recipe is described.

/// What values a key takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A text.
    Text,
    /// A text of which some words mean something; any other passes, with a warning.
    Known(&'static [&'static str]),
    /// One of a few words.
    Word(&'static [&'static str]),
    /// An integer, a number whose fraction is cut, or a text that is an integer.
    Integer,
    /// A finite number, or a text that is one.
    Number,
    /// A truth value, 0, 1, or a usual word.
    Boolean,
    /// A truth value and nothing else.
    StrictBoolean,
    /// A mapping of texts.
    TextMap,
    /// A mapping of anything.
    FreeMap,
    /// A list.
    List(&'static Self),
    /// A mapping with known keys.
    Block(&'static Fields),
    /// A mapping with these keys, each with a block.
    BlockMap(&'static [&'static str], &'static Fields),
    /// A mapping whose known keys depend on its `type`.
    Typed(&'static Alternatives),
    /// The same, or its `type` as a text.
    Engine(&'static Alternatives),
    /// The first that fits.
    Either(&'static [Self]),
    /// Parameters of a sweep.
    Sweep,
    /// The integer 2.
    SchemaTwo,
    /// An integer of 1 or more, or `colocate`.
    RoleNodes,
}

/// The keys of a mapping.
#[derive(Debug)]
pub(super) struct Fields(pub(super) &'static [Field]);

/// A key.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
    pub(super) is_nullable: bool,
    /// Whether only later versions than the one described know it.
    pub(super) is_later: bool,
}

/// The keys of a mapping, by the value of `type`.
#[derive(Debug)]
pub(super) struct Alternatives {
    /// The type of a mapping without one.
    pub(super) default: &'static str,
    pub(super) of: &'static [(&'static str, &'static Fields)],
}

/// A key that may be left out, but not be null.
pub(super) const fn field(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false, is_nullable: false, is_later: false }
}

impl Field {
    pub(super) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    pub(super) const fn nullable(mut self) -> Self {
        self.is_nullable = true;
        self
    }

    pub(super) const fn later(mut self) -> Self {
        self.is_later = true;
        self
    }
}

impl Fields {
    pub(super) fn find(&self, name: &str) -> Option<&'static Field> {
        self.0.iter().find(|field| field.name == name)
    }

    /// The names of the keys that are known.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(|field| !field.is_later).map(|field| field.name)
    }
}

impl Alternatives {
    pub(super) fn find(&self, name: &str) -> Option<&'static Fields> {
        self.of.iter().find(|(known, _)| *known == name).map(|(_, fields)| *fields)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.of.iter().map(|(name, _)| *name)
    }
}
