//! The registry of diagnostic codes. A code is never reused and never changes its meaning.

macro_rules! codes {
    ($( $name:ident = $number:literal, $title:literal, $explanation:literal; )*) => {
        /// What kind of finding it is. `srtx-gh explain CODE` prints its explanation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $( #[doc = $title] $name = $number, )*
        }

        /// Every code, by number.
        pub const ALL: &[Code] = &[ $( Code::$name, )* ];

        impl Code {
            /// A few words that name the kind of finding.
            pub fn title(self) -> &'static str {
                match self { $( Self::$name => $title, )* }
            }

            /// What it means and how to fix it, in plain sentences.
            pub fn explanation(self) -> &'static str {
                match self { $( Self::$name => $explanation, )* }
            }
        }
    };
}

impl Code {
    /// The code as it is printed: `SRTX0104`.
    pub fn name(self) -> String {
        format!("SRTX{:04}", self as u16)
    }

    /// The code with this name; the prefix may be left out and its case does not matter.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        let digits = match name.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case("SRTX") => &name[4..],
            _ => name,
        };
        let number: u16 = digits.parse().ok()?;
        ALL.iter().copied().find(|&code| code as u16 == number)
    }
}

codes! {
    Usage = 1, "wrong command line",
        "The command line does not fit the command: an unknown or ambiguous option, a missing or malformed value, or options \
         that exclude each other. Nothing was read or written. Run the command with --help for its options and examples.";
    OutputFailed = 2, "output could not be written",
        "Standard output or a file could not be written, for example because the disk is full or a folder is missing. Files \
         are written beside their place and then renamed, so nothing half-written is left behind.";

    FileUnreadable = 101, "file cannot be read",
        "A file that was named, or a default such as configs/runners.yaml, does not exist or cannot be opened. Paths are \
         relative to the working directory: check the directory, the spelling and the permissions.";
    NotUtf8 = 102, "not UTF-8",
        "The file is not UTF-8 text, or holds characters that YAML forbids, such as NUL or other control characters. Save it \
         as UTF-8 (a byte order mark is fine) and write control characters as escapes in double quotes.";
    FileTooLarge = 103, "file too large",
        "One file may have 64 MiB. A configuration of that size is almost certainly a wrong path. Split it into several files \
         if it is meant.";
    YamlSyntax = 104, "not valid YAML",
        "The text is not YAML. Common causes: a tab in the indentation, a bare `*` in a list (quote it), a colon followed by a \
         blank inside an unquoted text (quote it), a bracket that is never closed, an alias without its anchor, or a second \
         document after `---`.";
    YamlLimit = 105, "document too deep or too large when expanded",
        "Aliases and nesting are bounded so that a small file cannot become gigabytes in memory. The place is where the bound \
         was crossed. Write the repeated part less often, or nest less.";
    DuplicateKey = 106, "key repeated in one mapping",
        "A mapping holds the same key twice. In configs and recipes (YAML 1.1) the last value wins, at the place of the first, \
         which is rarely meant, so it is a warning; in workflows and actions GitHub refuses the file, so it is an error. \
         Remove one of the two.";
    YamlValue = 107, "value that YAML cannot construct",
        "An unknown or wrong tag, a date such as 2026-02-31, a number such as `0b_`, or a mapping used as a key. Quote the \
         value if it is text, and remove the tag.";
    MergeKey = 108, "merge key without a mapping",
        "`<<` merges a mapping or a list of mappings, usually through an alias. Quote the key if `<<` is meant as text.";

    UnknownKey = 201, "unknown key",
        "The schema has no such key here, and nothing would ever read it. Check the spelling (the nearest known key is \
         suggested) and the level at which it stands.";
    MissingField = 202, "required key missing",
        "A key that this mapping must have is absent. `srtx-gh docs` writes JSON schemas to configs/schema; an editor that \
         uses them shows required keys while you type.";
    WrongType = 203, "wrong type",
        "The value has another type than the key takes. Remember the rules of YAML 1.1: unquoted yes, no, on and off are \
         booleans, 1.10 is a number, 2026-11-30 is a date and 1:30 is 90. Quote a text that looks like one of them, and do \
         not quote a number.";
    OutOfRange = 204, "value out of range",
        "The value has the right type but not an allowed size, for example a size of zero or a fraction above 1.";
    UnknownValue = 205, "value is not one of the choices",
        "The key takes one of a few words and this is none of them. The message lists them.";
    SpelledTwice = 206, "both spellings of one key",
        "A key stands there with hyphens and with underscores. Keep the one with hyphens: it is the one that is read.";
    IgnoredSpelling = 207, "underscore spelling is ignored",
        "Validation accepts a key in its underscore spelling, but the generator reads only the hyphenated one: the value has \
         no effect, or the default is used instead. Write the key with hyphens.";
    QuotedNumber = 208, "number in quotes",
        "A number in quotes passes validation and then travels as text: it prints with quotes and fails as soon as something \
         is computed with it. Remove the quotes.";
    NotAMapping = 209, "not a mapping",
        "The file, or a part of it, must be a mapping of keys to values. An empty file, a list or a plain text is none.";
    WildcardKey = 210, "wildcard in a config key",
        "Config keys are selected by patterns in which `*` is special, so no key may hold it. Rename the key.";
    KeyInTwoFiles = 211, "config key in two files",
        "The master config files are merged, and one key may stand in only one of them. Rename one of the two, or do not \
         pass the same file twice.";
    NonTextKey = 212, "key is not text",
        "Keys must be text. Unquoted numbers, dates and words such as on and no are not text in YAML 1.1. Quote the key.";

    ConcurrencyChoice = 220, "concurrency given twice or not at all",
        "An entry gives its concurrencies either as a non-empty conc-list or as conc-start and conc-end, never both, and one \
         of them is needed.";
    ConcurrencyValues = 221, "concurrency out of range",
        "Concurrencies must be greater than 0, and conc-start must not be greater than conc-end.";
    DcpDividesTp = 222, "dcp-size does not divide tp",
        "Decode context parallelism splits the tensor parallel group, so tp must be a multiple of dcp-size.";
    HardwarePair = 223, "hardware on one worker only",
        "A disaggregated entry names the hardware of both workers (prefill and decode) or of neither.";
    OffloadBackend = 224, "KV offloading and backend do not agree",
        "kv-offloading: dram needs a kv-offload-backend; kv-offloading: none, or none at all, must not have one.";
    EntryTopology = 225, "topology of the entry",
        "An agentic entry is single-node (tp, with kv-offloading) or multi-node (prefill and decode, or worker), and the \
         sizes of the other kind must not be written.";
    DeclaredTwice = 226, "component declared at both levels",
        "router and kv-p2p-transfer may stand at the top of a config or in its search-space entries, not in both.";
    TransferMissing = 227, "disaggregation without kv-p2p-transfer",
        "A disaggregated config moves KV caches between workers, so it must name kv-p2p-transfer at the top or in every \
         search-space entry.";
    TransferSingleNode = 228, "kv-p2p-transfer on a single node",
        "KV caches are transferred between the workers of multi-node configs only. Remove it, or set multinode: true.";
    AgenticRunner = 229, "agentic scenario without a cluster runner",
        "Agentic scenarios need a runner label that names one cluster, because the DRAM budget depends on its nodes. Use a \
         label that starts with `cluster:`.";
    NoScenario = 230, "no scenario",
        "A config needs at least one non-empty list of fixed-seq-len or agentic-coding scenarios.";
    DramUtilizationMissing = 231, "dram-utilization missing",
        "An agentic scenario with an entry that offloads KV caches to DRAM must say which share of the memory it may use.";
    AttnDpSize = 232, "attn-dp-size does not fit",
        "attn-dp-size must divide tp, and is greater than 1 exactly when dp-attn is true.";
    AggregateShape = 233, "aggregate and disaggregated shapes mixed",
        "A multi-node config with disagg: false gives `worker` and `num-nodes` in every entry; one with disagg: true gives \
         `prefill` and `decode` and neither of the two. Single-node configs give none of them.";
    RequirePower = 234, "require-power on another length",
        "Power is measured for isl 8192 and osl 1024 only.";
    ClusterLabels = 235, "clusters and labels do not agree",
        "Every cluster in `clusters` needs a label `cluster:<name>`, and every such label a cluster.";
    RunnerInTwoClusters = 236, "runner in two clusters",
        "A runner belongs to one cluster: its host memory and GPUs would otherwise be ambiguous.";
    UnlistedRunner = 237, "runner that no label lists",
        "The config names a runner that is no label of the runner file. Jobs for it wait for ever on GitHub, it cannot be \
         selected with --runner-type, and no hardware facts are known. Add the label, or correct the name.";

    UnknownRunnerType = 301, "unknown --runner-type",
        "--runner-type takes labels of the runner file only.";
    UnknownConfigKey = 302, "no such config key",
        "--config-keys names a key, or a pattern, that no master config holds.";
    WrongNodeKind = 303, "scenario of the wrong node kind",
        "A multi-node config holds an entry that describes a single node, or the other way round. Such an entry can never \
         run. Set `multinode` to what the entry is, or change the entry.";
    NumberNeeded = 304, "text where a number is computed with",
        "The value passed validation because it looks like a number, but the matrix computes with it (lengths, a ladder of \
         concurrencies, an eval threshold, a DRAM share, a filter). Remove the quotes.";
    HardwareUnknown = 305, "no hardware facts for the runner",
        "A DRAM budget, or a node count, needs the memory and the GPUs per node of the config's runner label, and the runner \
         file has no such record.";
    NodeShare = 306, "topology does not fit the node",
        "The share of a node's memory follows from the GPUs in use: a single-node topology must fit one node, and a prefill \
         worker must divide a node evenly or fill whole nodes.";
    KeyNotRead = 307, "required key in a spelling that is not read",
        "The key passes validation in its underscore spelling, but the generator looks for the hyphenated one and finds \
         nothing. Write it with hyphens.";
    NodeCount = 308, "node count",
        "PREFILL_NODES and DECODE_NODES are positive integers and given once, and CONFIG_FILE names one recipe: the number \
         of nodes of a multi-node point follows from them.";
    InvalidRow = 309, "row that the consumers refuse",
        "The generated row breaks a rule of the jobs that read it, for example a disaggregated row without kv-p2p-transfer \
         because the entry hides the top-level one with null.";
    IdenticalRows = 310, "identical rows",
        "Two search-space entries produce the same job, which would run twice and publish two equal points. `--points` keeps \
         one. Remove one of the entries.";
    KeyCollision = 311, "one key for different rows",
        "Two rows are the same point by identity (config key, scenario, lengths, topology, concurrency, speculation, offload, \
         eval kind, runner label) but differ in content. Results could not be told apart. Make them differ in one of these, \
         or move one to a config of its own.";
    ShardInvalid = 312, "no such shard",
        "--shard takes one of the numbers that the plan emitted as `shards`.";
    DigestMismatch = 313, "the plan changed",
        "A shard regenerates its points from the checkout and compares the digest of the whole plan. It differs from the one \
         that the plan job saw, so configs, runners, flags or the version of srtx-gh differ between the two jobs. Check that \
         both check out the same commit and pass the same flags.";

    LimitExceeded = 401, "limit of the platform exceeded",
        "GitHub refuses or silently drops what exceeds its limits, so nothing was written. The message gives the size, the \
         limit and what contributes most.";
    OutputName = 402, "name of an output or variable refused",
        "GitHub's runner refuses, or this tool refuses for your safety, names with line breaks, `=`, `<<` or other \
         characters outside letters, digits, `_` and `-`, and variables that would change how later steps run.";
    OutputFile = 403, "runner file missing or not writable",
        "GITHUB_OUTPUT (or GITHUB_ENV, GITHUB_STEP_SUMMARY, GITHUB_STATE) is not set or cannot be written. Outside a runner, \
         leave out --emit, or set the variable to the path of a file.";
    SecretInOutput = 404, "a secret in what would be written",
        "A value of the environment that looks like a secret occurs in what would be written. GitHub would drop the output \
         without failing the job, and a public log would show it. Remove the secret from the configs.";
    BadInput = 405, "malformed action input",
        "An input of the action is empty, is the word `Array` (a list was interpolated into a text: use toJson), is encoded \
         twice, or is not UTF-8.";
    EnvironmentTooLarge = 406, "environment value too large",
        "The kernel refuses a single environment value or argument above 128 KiB. Pass the value in a file, or regenerate it \
         where it is needed.";

    ExpressionSyntax = 501, "not a valid expression",
        "What stands between `${{` and `}}` cannot be read, or such a part is not closed. Texts stand in single quotes, a quote \
         inside one is doubled, `&&`, `||`, `!` and the comparisons are the only operators, and there are no literals for \
         arrays and objects: use fromJSON('[...]').";
    ExpressionName = 502, "no such context or function",
        "The expression names a context or a function that does not exist, or not at this place: `matrix` and `env` do not \
         exist in the condition of a job, the status functions exist in conditions only, hashFiles in steps only.";
    ExpressionLimit = 503, "limit of expressions exceeded",
        "GitHub refuses expressions of more than 21,000 characters, deeper than 50 levels, or with values above 10 MiB. A text \
         with `${{ }}` parts counts as one expression. Pass large data in files, artifacts or variables.";
    ExpressionValue = 504, "expression fails on its values",
        "The expression is well formed, and a function refuses what it is given: fromJSON something that is no JSON (often \
         the empty text, or the word `Array` that a list becomes inside a text), format a malformed text, case a predicate \
         that is no boolean.";
    ExpressionInput = 505, "contexts or cases are malformed",
        "Contexts are a JSON object whose keys are the named values. A file of cases is an object: either of groups, each a list of \
         {\"expr\", \"contexts\"}, or {\"contexts\", \"cases\": [{\"expression\"} or {\"template\"}]}.";

    WorkflowShape = 601, "not the shape of a workflow",
        "The file is no GitHub workflow, or a part of it has a kind that GitHub refuses: jobs, steps, triggers and inputs \
         are mappings and lists of known form. GitHub rejects the whole file then.";
    WorkflowNeeds = 602, "needs that cannot be met",
        "A job needs one that does not exist, or jobs need each other in a circle. GitHub rejects the whole file then.";
    WorkflowMatrix = 603, "matrix that GitHub refuses",
        "A matrix vector is empty or no list, a matrix has no vector, an include or exclude entry is malformed, or there are \
         more than 256 legs. Guard an empty list with the job's `if`, and cut a long one into shards.";
    WorkflowValue = 604, "value of a kind that GitHub refuses",
        "An expression gives a list or an object where a text is expected (use toJson), or a value of another type than the \
         input takes. GitHub fails the job before any step runs.";
    WorkflowInput = 605, "input undeclared or missing",
        "A call passes an input that the called workflow does not declare, or leaves out one that is required. GitHub \
         rejects the call.";
    WorkflowCall = 606, "called workflow cannot be used",
        "A reusable workflow is missing, is not meant to be called, calls itself, or is nested too deeply.";
    WorkflowExpression = 607, "expression that fails",
        "An expression is malformed or cannot be evaluated, for example fromJSON of an empty text. GitHub fails the job, or \
         rejects the file.";
    WorkflowEvent = 608, "workflow that the event does not start",
        "The workflow has no trigger for the event, or its filters leave this one out. Nothing would run.";
    WorkflowOutput = 609, "output over its budget",
        "The outputs of a job exceed what GitHub passes on. It fails the job late, or drops them.";

    NoRepository = 801, "not in a git repository",
        "The files of a revision are read from the git repository of the working directory, and there is none, or git does \
         not trust it because it belongs to another user. Run the command in a clone.";
    UnknownRevision = 802, "unknown revision",
        "The word names no commit of this repository: no branch, no tag, no commit identifier and nothing that leads from one \
         to a commit, such as HEAD~1. The nearest branch or tag is suggested.";
    ShallowClone = 803, "not in this shallow clone",
        "The clone has only the last commits, and the revision, or the commit that two revisions have in common, is older or on \
         another branch. Fetch more with the command that stands in the help; actions/checkout does so with `fetch-depth: 0`.";
    NoBase = 804, "nothing to compare with",
        "Without a base, `diff` compares with the last commit in common with the default branch: origin/HEAD, origin/main, \
         origin/master, main or master. There is no such branch, or nothing in common with it. Name the base.";
    GitUnavailable = 805, "git cannot be used",
        "git is not installed, failed, or did not answer within 20 seconds. It reads the files of a revision; no other program \
         is needed.";
    DiffRefused = 806, "change refused",
        "--fail-on names a kind of change that was found: points that were added, removed or changed. The report is printed all \
         the same. Leave out --fail-on, or that kind, when the change is meant.";
    NotAtRevision = 807, "file missing on one side",
        "A config file exists on one side of the comparison only, also under another name, or one side has no config files at \
         all. What the other side makes of it counts as added or removed.";

    RecipeSelector = 901, "selector that picks nothing",
        "What stands behind the `:` of a recipe path names no variant of the file: an unknown section, an index out of range, a \
         pattern without a match, or any selector on a flat file. `srtx-gh recipe list FILE` shows what there is.";
    RecipeSection = 902, "malformed section of a recipe",
        "`base` and every section that changes it are mappings, and the keys beside them are texts.";
    RecipeGroup = 903, "group of variants that makes none",
        "The lists of a `zip_override_*` section are walked side by side: they all have the same length, or one item. To set a \
         list as the value, nest it once more: [[1, 2]].";
    RecipeTooLarge = 904, "recipe too large when expanded",
        "The variants of one file are bounded, so that a small file cannot become gigabytes. Split groups over several files, or \
         select fewer variants.";
    RecipeOverride = 905, "--set or --unset does not fit",
        "A path is segments between dots, each with any number of [N] behind it; a segment in quotes may hold dots. It must not \
         lead through a value that is no mapping, nor to an item that a list does not have. --set needs a `=`.";
    RecipeNumber = 906, "number that JSON cannot hold",
        "NaN and infinities are no JSON and are printed as null. Print YAML, or correct the value.";
    RecipeWithoutVariants = 907, "base without variants",
        "The file has `base` and no section that makes a variant of it, so nothing is selected unless `base` itself is. Add an \
         `override_*` section, or move the content of `base` to the top.";

    RecipeUnknownKey = 910, "key that srtctl does not know",
        "srtctl refuses a recipe with a key that its schema does not have, at any level. Check the spelling (the nearest key is \
         suggested), the level, and the schema: --schema 1 is the pinned srtctl, 2 the later one.";
    RecipeMissingKey = 911, "required key of a recipe missing",
        "srtctl needs this key. In a file with `base` it may stand in the base or in the section.";
    RecipeType = 912, "wrong type in a recipe",
        "srtctl converts little: a number or a boolean is no text. Remember YAML 1.1: 4:00:00 is a number, 010 is 8, yes and on \
         are booleans. Put quotes around texts that look like something else.";
    RecipeValue = 913, "value that a recipe cannot have",
        "The key takes one of a few words. The message or the help lists them.";
    RecipeOldTelemetry = 914, "telemetry key of another version",
        "`provider` was dropped; `telemetry.default_frequency`, a period in seconds, became `collect_interval_ms`, and so did the \
         tachometer's, a rate in Hz. `srtx-gh recipe validate --fix` rewrites them.";
    RecipeOldKey = 915, "key of another schema",
        "The key belongs to the other version of recipes, and its value to another place there. The help names it.";
    RecipeJoinTimeout = 916, "join timeout too short",
        "collector_join_timeout_seconds must be more than two cycles of the collector, 2 * (2 * request_timeout_seconds + 1). \
         Without the key srtctl takes two seconds more than that.";
    RecipePowerBlocked = 917, "power telemetry beside dedicated etcd and NATS",
        "srtctl cannot attribute power when etcd and NATS have a node of their own. This is a choice of topology, so it is \
         reported and never fixed.";
    RecipeRule = 918, "recipe that breaks a rule of srtctl",
        "Each value is fine, and together they are refused: roles and counts, frontends and engines, exporters and folders.";

    RecipeNotFlat = 930, "file that is no flat recipe",
        "Only flat recipes, one a file, are consolidated and compared. A file with `base` is a bundle already.";
    RecipeNotRepresentable = 931, "recipe that no section can represent",
        "Consolidation refuses rather than guesses: a name written as null (null removes a key), keys that are no texts, binary \
         data, sets and other tagged collections, or values that are not read back as they were written.";
    RecipeKeyCollision = 932, "two files with one section",
        "The section of a file is named after its stem, in lower case with `_` for everything but letters and digits. Two of the \
         files get the same name.";
    RecipeDifference = 933, "variant that is not what the file was",
        "The variant resolves to another value than the file holds at this path. Types count, the order of keys does not. The \
         second place is the file's.";
    RecipeNoSection = 934, "file without a section",
        "The bundle has no variant for the file. The section is named after the file's stem; --map names another one.";
    RecipeMap = 935, "malformed map of selectors",
        "--map takes a JSON object of files and selectors, as `recipe consolidate --write-map` writes it.";
    RecipeReference = 936, "reference to a recipe that does not hold",
        "A master config names a selector that the bundle does not have, or a path that cannot be rewritten: the bundle must lie \
         below the same folder as the files it replaces.";
    RecipeUnused = 937, "variant that no config references",
        "No master config that was given names this variant of the bundle. Remove it, or reference it.";
    RecipeOrder = 938, "sections that are not sorted, or keys in another order",
        "Variants are submitted in sorted order, whatever their order in the file; sort the sections so that people see the same. \
         The order of keys in a recipe has no meaning to srtctl.";
    RecipeDuplicate = 939, "two variants with the same values",
        "Two variants differ in their names only, so one benchmark would run twice.";
    RecipeRefusedBySrtctl = 940, "variants that srtctl refuses",
        "Some variants do not pass the schema. They may be identical to the files they replace and still not load. `srtx-gh recipe \
         validate` lists what is wrong.";
    RecipeConsolidated = 941, "what was consolidated or rewritten",
        "Not a fault: how many recipes became sections of which file, and its size before and after, or how many references were \
         rewritten.";
    RecipeMended = 942, "what was mended",
        "Not a fault: how many places of a recipe `--fix` changed. What it could not mend is reported beside it.";

    RuntimeInput = 951, "variable that a launch needs is missing or wrong",
        "A bound variant gets values from the environment of its point: the name of the result, the switches for evaluations, \
         the options of srun. One of them is missing, empty or malformed. Launch from the point, which carries all of them, \
         or set the variable that is named.";
    NotBound = 952, "no variant of the recipe fits the point",
        "A point runs natively on exactly one variant of its recipe, one that agrees in engine, model, image, precision, \
         topology, speculation, concurrency and offload. None does. For each variant the first value that differs is shown: \
         correct the config or the recipe, whichever is wrong.";
    BoundTwice = 953, "several variants of the recipe fit the point",
        "More than one variant agrees with the point in everything that is compared, so which server would be measured is \
         not decided. Remove one, make them differ in concurrency or offload, or name one by its selector.";
    BadSubmission = 954, "answer of a submission that cannot be read",
        "The submit command answers with one JSON object that names the Slurm job and its output folder. Anything else, prose \
         included, is refused rather than guessed at: a wrong job id would be followed, or cancelled, in place of ours.";
    NoAcceptance = 955, "no golden acceptance for a draft",
        "A throughput run that drafts tokens forces the acceptance length that was measured for its model, from the curve of \
         the model and the draft method, at the number of tokens that are drafted. The curve, the number or the method is \
         missing or malformed. Measure the curve first: a run with any other acceptance cannot be compared.";
    TooFewNative = 956, "fewer points native than asked for",
        "--fail-under names the least share of points that must run natively. The table says for each config why its points \
         do not: port them, or lower the number.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascending() {
        assert!(ALL.windows(2).all(|pair| (pair[0] as u16) < (pair[1] as u16)));
    }

    #[test]
    fn a_code_is_found_by_its_name_in_any_usual_spelling() {
        assert_eq!(Code::from_name("SRTX0104"), Some(Code::YamlSyntax));
        assert_eq!(Code::from_name("srtx104"), Some(Code::YamlSyntax));
        assert_eq!(Code::from_name("104"), Some(Code::YamlSyntax));
        assert_eq!(Code::from_name("SRTX9999"), None);
        assert_eq!(Code::from_name("é"), None);
    }

    #[test]
    fn every_explanation_is_sentences() {
        for code in ALL {
            assert!(code.explanation().ends_with('.'), "{code:?}");
            assert!(!code.title().ends_with('.'), "{code:?}");
        }
    }
}
