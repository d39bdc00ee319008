//! The rules of expansion, selection and changes, on small files.

use super::*;
use crate::core::diag::{Diagnostics, Source};
use crate::core::yaml::{Document, Schema, parse};

fn document(yaml: &str) -> Document {
    parse(&Source::new("r.yaml", yaml), Schema::V11, &mut Diagnostics::new()).unwrap()
}

fn json(tree: &Tree<'_>) -> String {
    let mut out = Vec::new();
    write_json(&mut out, tree, None).unwrap();
    String::from_utf8(out).unwrap()
}

/// What a selector gives: a recipe, or `selector=recipe` of several.
fn resolve(yaml: &str, selector: &str) -> Vec<String> {
    let document = document(yaml);
    let file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    match file.select(Some(selector)).unwrap() {
        Selection::One(variant) => vec![json(variant.recipe.as_ref().unwrap())],
        Selection::Many(variants) => variants
            .iter()
            .map(|v| match &v.recipe {
                Ok(recipe) => format!("{}={}", v.selector.as_deref().unwrap(), json(recipe)),
                Err(diagnostic) => format!("{}: {}", v.selector.as_deref().unwrap(), diagnostic.message),
            })
            .collect(),
    }
}

fn refusal(yaml: &str, selector: &str) -> String {
    let document = document(yaml);
    let file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    file.select(Some(selector)).unwrap_err().message
}

fn changed(yaml: &str, sets: &[&str], unsets: &[&str]) -> Result<String, String> {
    let messages =
        |found: Diagnostics| found.as_slice().iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ");
    let document = document(yaml);
    let file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    let overrides = Overrides::parse(sets.iter().copied(), unsets.iter().copied()).map_err(messages)?;
    file.overridden(&overrides).map(|file| json(file.root())).map_err(messages)
}

#[test]
fn sections_merge_into_the_base() {
    let yaml =
        "base: {name: n, a: {x: 1, y: 2}, l: [1]}\noverride_v: {a: {x: null, z: 3}, l: [2, 3], new: {k: null}}\n";
    assert_eq!(resolve(yaml, "override_v"), [r#"{"name":"n_v","a":{"y":2,"z":3},"l":[2,3],"new":{"k":null}}"#]);
    assert_eq!(resolve(yaml, "base"), [r#"{"name":"n","a":{"x":1,"y":2},"l":[1]}"#]);
}

#[test]
fn variants_come_in_the_order_of_submission() {
    let yaml = "base: {name: n}\nzip_override_a: {k: [1, 2]}\noverride_b: {}\noverride_B: {name: ~}\n";
    let all = [
        "override_B={}",
        r#"override_b={"name":"n_b"}"#,
        r#"zip_override_a[0]={"name":"n_a_0","k":1}"#,
        r#"zip_override_a[1]={"name":"n_a_1","k":2}"#,
    ];
    assert_eq!(resolve(yaml, ""), all);
    assert_eq!(resolve(yaml, "*"), all);
    assert_eq!(resolve(yaml, "zip_override_a"), all[2..]);
    assert_eq!(resolve(yaml, "*_[a-c]"), all[1..]);
    assert_eq!(resolve(yaml, "zip_override_a[01]"), [r#"{"name":"n_a_1","k":2}"#]);
}

#[test]
fn groups_walk_their_lists_side_by_side() {
    let yaml = "base: {name: n, a: 0}\nzip_override_z: {a: [1, null], m: {b: [[7, 8]]}, s: x, name: [p, q]}\n";
    assert_eq!(
        resolve(yaml, "zip_override_z"),
        [
            r#"zip_override_z[0]={"name":"p","a":1,"m":{"b":[7,8]},"s":"x"}"#,
            r#"zip_override_z[1]={"name":"q","m":{"b":[7,8]},"s":"x"}"#
        ]
    );
}

#[test]
fn a_malformed_section_leaves_the_others_alone() {
    let yaml = "base: {name: n}\noverride_a: 3\noverride_b: {}\nzip_override_c: {k: 1}\nzip_override_d: {k: []}\n\
                zip_override_e: {k: [1, 2], m: {l: [1, 2, 3]}}\n";
    assert_eq!(
        resolve(yaml, ""),
        [
            "override_a: `override_a` is an integer, expected a mapping of what it changes",
            r#"override_b={"name":"n_b"}"#,
            "zip_override_c: `zip_override_c` holds no list, so it makes no variants",
            "zip_override_d: the list `k` of `zip_override_d` is empty, so it makes no variants",
            "zip_override_e: `m.l` has 3 items and `k` has 2, expected one length",
        ]
    );
}

#[test]
fn selectors_that_pick_nothing() {
    let yaml = "schema: 2\nbase: {name: n}\noverride_a: {}\nzip_override_z: {k: [1, 2]}\nzip_override_y.5: {k: [1]}\n";
    assert_eq!(refusal(yaml, "override_b"), "r.yaml has no `override_b`");
    assert_eq!(refusal(yaml, "override_a[0]"), "r.yaml has no `override_a[0]`");
    assert_eq!(refusal(yaml, "schema"), "`schema` is a key of the file and no variant");
    assert_eq!(refusal(yaml, "zip_override_z[2]"), "`zip_override_z` makes 2 variants, so there is no [2]");
    assert_eq!(refusal(yaml, "zip_override_z[-1]"), "r.yaml has no `zip_override_z[-1]`");
    assert_eq!(refusal(yaml, "zip_override_y.5[0]"), "r.yaml has no `zip_override_y.5[0]`");
    assert_eq!(refusal(yaml, "override_["), "r.yaml has no `override_[`");
    assert_eq!(refusal(yaml, "*nothing"), "no variant of r.yaml fits `*nothing`");
    assert!(refusal("name: n\n", "base").contains("without `base`"));
}

#[test]
fn a_schema_beside_the_base_goes_into_each_recipe() {
    let yaml = "schema: 2\nbase: {name: n}\noverride_a: {schema: ~}\noverride_b: {schema: 3}\n";
    assert_eq!(resolve(yaml, "base"), [r#"{"name":"n","schema":2}"#]);
    assert_eq!(resolve(yaml, "override_a"), [r#"{"name":"n_a","schema":2}"#]);
    assert_eq!(resolve(yaml, "override_b"), [r#"{"name":"n_b","schema":3}"#]);
}

#[test]
fn values_keep_their_places() {
    let document = document("base:\n  a: {x: 1}\noverride_v:\n  a:\n    y: 2\n");
    let file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    let variants = file.variants();
    let recipe = variants[0].recipe.as_ref().unwrap();
    let line = |path: &[&str]| {
        let (source, span) = recipe.at(path).unwrap().place().unwrap();
        source.position(span.start).line
    };
    assert_eq!((line(&["a", "x"]), line(&["a", "y"])), (2, 5));
    assert!(recipe.get("name").unwrap().place().is_none(), "computed");
}

#[test]
fn python_keys_and_dates() {
    let yaml = "base: {name: 1.5, m: {1: a, true: b, ~: c, 2026-8-1 1:02:03: d}}\noverride_v: {m: {1.0: z}}\n";
    assert_eq!(resolve(yaml, "override_v"), [r#"{"name":"1.5_v","m":{"1":"z","null":"c","2026-08-01T01:02:03":"d"}}"#]);
}

#[test]
fn files_that_are_no_recipe() {
    for yaml in ["", "# nothing\n", "[1]\n", "text\n", "base: ~\n", "base: []\n", "base: {}\n1: x\n"] {
        let document = document(yaml);
        let mut found = Diagnostics::new();
        assert!(RecipeFile::read(&document, &mut found).is_none(), "{yaml}");
        assert!(found.has_errors(), "{yaml}");
    }
}

#[test]
fn sets_and_unsets_in_a_flat_file() {
    let flat = "{a: {b: 1, l: [1, 2]}, s: x}";
    assert_eq!(
        changed(flat, &["a.b=yes", "a.l[1]=[3]", "n.m= 1:30"], &["s"]).unwrap(),
        r#"{"a":{"b":true,"l":[1,[3]]},"n":{"m":90}}"#
    );
    assert_eq!(
        changed(flat, &["a.l[0]=2026-08-21", "s=[2026-08-21]"], &[]).unwrap(),
        r#"{"a":{"b":1,"l":["2026-08-21",2]},"s":["2026-08-21"]}"#
    );
    assert_eq!(changed(flat, &[], &["a.l[0]", "a.l[7]", "a.b.c", "z.y"]).unwrap(), r#"{"a":{"b":1,"l":[2]},"s":"x"}"#);
    assert_eq!(
        changed(flat, &["s.t=1"], &[]).unwrap_err(),
        "--set s.t=1: `s` is a text, expected a mapping".replace("=1:", ":")
    );
    assert_eq!(changed(flat, &["a.l[2]=1"], &[]).unwrap_err(), "--set a.l[2]: the list `a.l` has 2 items");
    assert_eq!(
        changed(flat, &["a.b[0]=1", "q[0]=1"], &[]).unwrap_err(),
        "--set a.b[0]: `a.b` is an integer, expected a list; --set q[0]: `q` is not there, expected a list"
    );
    assert_eq!(
        changed(flat, &["a.b", "=1"], &["a..b"]).unwrap_err(),
        "--set a.b has no `=`; --set =1: a segment is empty; --unset a..b: a segment is empty"
    );
}

#[test]
fn sets_go_into_every_section() {
    let yaml = "{schema: 2, base: {a: {b: 1}}, override_x: {}, zip_override_z: {a: {b: [1, 2]}}, other: {a: 1}}";
    assert_eq!(
        changed(yaml, &["a.b=[5]"], &[]).unwrap(),
        r#"{"schema":2,"base":{"a":{"b":[5]}},"override_x":{"a":{"b":[5]}},"zip_override_z":{"a":{"b":[[5]]}},"other":{"a":1}}"#
    );
    assert_eq!(
        changed(yaml, &[], &["a.b"]).unwrap(),
        r#"{"schema":2,"base":{"a":{}},"override_x":{},"zip_override_z":{"a":{}},"other":{"a":1}}"#
    );
}

#[test]
fn small_files_do_not_become_large() {
    let list = "1,".repeat(20_000);
    let many = format!("base: {{}}\nzip_override_z: {{a: [{list}]}}\n");
    assert!(resolve(&many, "")[0].contains("at most 10000"), "{:?}", resolve(&many, "")[0]);
    let keys: String = (0..5_000).map(|i| format!("k{i}: [1],")).collect();
    let wide = format!("base: {{}}\nzip_override_z: {{a: [{}], {keys}}}\n", "1,".repeat(9_000));
    assert!(resolve(&wide, "")[0].contains("more than 1000000 values"), "{:?}", resolve(&wide, "")[0]);
    let mut bomb = String::from("a0: &a0 {k: 1}\n");
    for level in 1..12 {
        let aliases = (0..3).map(|i| format!("k{i}: *a{}", level - 1)).collect::<Vec<_>>().join(", ");
        bomb.push_str(&format!("a{level}: &a{level} {{{aliases}}}\n"));
    }
    let sections: String = (0..40).map(|i| format!("override_{i}: {{}}\n")).collect();
    let bomb = format!("base:\n  {}\n{sections}", bomb.trim_end().replace('\n', "\n  "));
    assert!(refusal(&bomb, "").contains("more than 10000000 values"));
}
