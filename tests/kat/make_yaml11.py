"""Writes yaml11.json: documents, and what PyYAML's safe_load makes of them. Run by hand; the result is committed."""

import datetime
import json
import math
import pathlib

import yaml

SCALARS = """
yes no on off Yes NO On OFF true TRUE False y n Y N t f none None null Null NULL ~ nul
0 -0 +0 7 007 0755 0o755 08 -08 0x1F 0X1F -0xff 0x_ 0b101 0b_ 0b12 1_000 1__0 _1 1_ 0_ +8 -8 2_063_837
1:30 -1:30 1:60 190:20:30 0:30 1:30.5 1:2:3.25 1e3 1E3 1e-1 1e+3 1.0e3 1.0e+3 1.0E-3 1. 1.5 -1.5 +1.5 .5 -.5 +.5 ._5 .
1.10 1.2.3 1_0.5_0 .inf -.inf +.INF .Inf .nan .NaN +.nan .NAN .5e+2 1.e+2 685_230.15 9007199254740993 18446744073709551617
-170141183460469231731687303715884105728 0xffffffffffffffffff
2026-11-30 2026-1-2 2026-02-31 2026-11-30T01:02:03Z 2026-11-30t1:02:03.5-05:30 2026-11-30T25:00:00Z 0001-01-01 10000-01-01
= << <<: - -- --- ... ? ?a :a a:b a#b http://x/y 12:34:56 v1.2 0.8.1.post1 1-2 1+2 1,000 12e03 0e0 00 0.0 -0.0 1e400 1.0e+400
"""

DOCUMENTS = [
    "a: &x {p: 1}\nb: *x\n",
    "base: &b {tp: 8, ep: 1}\nk: {<<: *b, ep: 4, conc: 2}\n",
    "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nk:\n  z: 3\n  <<: [*a, *b]\n  w: 4\n",
    "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nk: {<<: *b, z: 3}\n",
    "k: {a: 1, b: 2, a: 3}\n",
    "k:\n  a: 1\n  b: 2\n  a: 3\nk2: 1\nk: 9\n",
    "{1: a, true: b, 1.0: c}\n",
    "{off: 1, no: 2}\n",
    "? a\n: 1\n? b\n",
    "k: {<<: {a: 1}, <<: {b: 2}, c: 3}\n",
    "'<<': {a: 1}\n",
    "- plain text\n  over lines\n- 'single ''quoted'''\n- \"d\\u00e9j\\xe0 \\n \\\n  x\"\n",
    "k: |\n  a\n   b\n\n  c\nj: >-\n  a\n  b\n\n  c\nl: |+\n  a\n\n",
    "k: |\n  no line feed",
    "\ufeffk: v\n",
    "k: v\r\nl:\r\n- 1\r\n- 2\r\n",
    "k: [a, b, ]\nm: {a: 1, }\n",
    "k: !!str 5\nl: !!int '7'\nm: !!float 3\nn: ! 5\no: ! '5'\np: !!bool yes\nq: !!null ''\n",
    "k: !!set {a, b}\n",
    "k: *nope\n",
    "k: [*]\n",
    "k: !mine 5\n",
    "k: !!python/name:os.system x\n",
    "a: 1\n---\nb: 2\n",
    "a: 1\n...\n",
    "---\na: 1\n",
    "%YAML 1.1\n---\na: 1\n",
    "k:\n\t- 1\n",
    "k:\n  - 1\n\t- 2\n",
    "k:\tv\n",
    "k: v\t# comment\n",
    "k: a: b\n",
    "k: 'unclosed\n",
    "k: [1, 2\n",
    "[a]: 1\n",
    "? [a]\n: 1\n",
    "k: @x\n",
    "k: `x`\n",
    "k: %x\n",
    "a: 1\n b: 2\n",
    "a:\n- 1\nb:\n  - 2\n",
    "é: ü # ñ\nΩ: 😀\n",
    "",
    "# only a comment\n",
    "x\n",
    "- - 1\n  - 2\n-\n  - 3\n",
    "k: {a: [1, {b: c}], 'd e': f}\n",
    "k: \"a\tb\"\n",
    "k: 'a\x07b'\n",
    "k: a\x7fb\n",
    "a: &a [1]\nb: [*a, *a]\nc: &a 2\nd: *a\n",
    "k: {a: , b: ~}\n",
    "k: {a, b: 1}\n",
    "k: [a: 1, b]\n",
    "<<: {a: 1}\nb: 2\n",
    "k: {<<: 5}\n",
    "k: {<<: [5]}\n",
    "k: {<<: [{a: 1, b: 1}, {a: 2, c: 2}], d: 3}\n",
    "k: {<<: []}\n",
    "k: {=: 1}\n",
    "k: -\n",
    "k: - 1\n",
    "key with spaces: value with spaces\n",
    "k: 'it''s'\n",
    "k: a\n  b\n",
    "k: >\n\n  a\n\n\n  b\n",
    "k: |2\n    a\n   b\n",
    "'a': 1\n\"b\": 2\n",
    "{\"a\":1}\n",
    "{a:1}\n",
    "[a,b,c]\n",
    "k: &a\nj: *a\n",
    "- &a a\n- !!str &b b\n- &c !!str c\n",
]


def plain(value):
    if isinstance(value, float):
        if math.isnan(value):
            return {"float": "nan"}
        return {"float": repr(value)}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"date": True}
    if isinstance(value, dict):
        return {"map": [[plain(k), plain(v)] for k, v in value.items()]}
    if isinstance(value, set):
        return {"map": [[plain(k), None] for k in sorted(value)]}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def case(text):
    try:
        return {"yaml": text, "value": plain(yaml.safe_load(text))}
    except Exception:  # any refusal, a crash of the constructor included
        return {"yaml": text, "refused": True}


def main():
    cases = [case(text) for text in DOCUMENTS]
    for word in SCALARS.split():
        cases += [case(f"k: {word}\n"), case(f"k: [{word}]\n"), case(f"k: '{word}'\n"), case(f"{word}: v\n")]
    target = pathlib.Path(__file__).with_name("yaml11.json")
    with open(target, "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
    print(f"{len(cases)} cases by PyYAML {yaml.__version__}")


main()
