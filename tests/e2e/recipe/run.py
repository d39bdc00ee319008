#!/usr/bin/env python3
"""Recipes against PyYAML and merge rules written once more.

  run.py --bin target/release/srtx-gh [DIR...]

Each DIR holds flat recipes, as `*.yaml`; without one, a few are made up. For each, `recipe consolidate` makes one file,
and what this script expands from it, read by PyYAML, must be what each flat file is, by value and type. So must what
`recipe resolve --format yaml` prints. A folder whose name begins with one of SIZES must not come out larger.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

# Bytes of one base of all common values, with what each file adds.
SIZES = {"kimi-k3": 112278, "dsv4-vllm": 76308, "qwen35-gb300": 59535, "minimax-m3": 15257}

MADE_UP = {
    "a.yaml": "name: a\nmodel: {path: p, precision: fp8}\nwords: {'yes': 'no', on_: off, t: '4:00:00', o: 010, d: 2026-08-21}\n",
    "b.yaml": "# nameless\nmodel: {path: p, precision: fp4}\nwords: {}\nnothing: ~\nlist: [1, {x: ~}]\n",
    "c.yaml": "name: c\nmodel: {path: q}\ntext: |\n  # no comment\n  two: lines\nbig: 123456789012345678901\nf: 1.0e+3\n",
}


def merge(base, over):
    """What srt-slurm makes of a base and a section."""
    out = dict(base)
    for key, value in over.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out


def expand(bundle, section):
    over = bundle[section]
    out = merge(bundle["base"], over)
    if "name" not in over:
        out["name"] = f"{bundle['base'].get('name', 'unnamed')}_{section.removeprefix('override_')}"
    return out


def typed(value):
    """A value in which 1, 1.0 and true differ, and the order of keys does not count."""
    if isinstance(value, dict):
        return ("map", sorted(((typed(k), typed(v)) for k, v in value.items()), key=repr))
    if isinstance(value, list):
        return ("list", [typed(v) for v in value])
    return (type(value).__name__, repr(value))


def run(binary, *args):
    done = subprocess.run([binary, *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, args))} exits {done.returncode}:\n{done.stderr}")
    return done.stdout


def check(binary, folder, flat, scratch):
    bundle, names = scratch / "bundle.yaml", scratch / "map.json"
    run(binary, "recipe", "consolidate", *flat, "--out", bundle, "--write-map", names)
    expanded = yaml.safe_load(bundle.read_text())
    wrong = []
    for file, section in json.loads(names.read_text()).items():
        original = typed(yaml.safe_load(Path(file).read_text()))
        if typed(expand(expanded, section)) != original:
            wrong.append(f"{file}: PyYAML expands {section} to something else")
        if typed(yaml.safe_load(run(binary, "recipe", "resolve", f"{bundle}:{section}", "--format", "yaml"))) != original:
            wrong.append(f"{file}: {section} resolves to something else")
    verdict = json.loads(run(binary, "recipe", "verify", bundle, "--against", *flat, "--format", "json"))
    if verdict["verified"] != len(flat):
        wrong.append(f"verify finds {verdict}")
    before, after = sum(f.stat().st_size for f in flat), bundle.stat().st_size
    limit = next((size for name, size in SIZES.items() if folder.startswith(name)), None)
    print(f"{folder}: {len(flat)} files, {before} bytes before, {after} after" + (f", at most {limit}" if limit else ""))
    if limit and after > limit:
        wrong.append(f"{after} bytes, and {limit} would do")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("folders", nargs="*", type=Path)
    args = parser.parse_args()
    binary = str(Path(args.bin).resolve())
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        made_up = scratch / "made-up"
        made_up.mkdir()
        for name, text in MADE_UP.items():
            (made_up / name).write_text(text)
        for folder in [made_up, *args.folders]:
            files = sorted(folder.glob("*.yaml"))
            flat = [file for file in files if "base" not in yaml.safe_load(file.read_text())]
            wrong += [f"{folder.name}: {what}" for what in check(binary, folder.name, flat, scratch)]
    print("\n".join(wrong) or "all the same")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
