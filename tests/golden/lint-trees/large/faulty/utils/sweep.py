"""Expands the master configs into the rows of a sweep.

    python3 utils/sweep.py generate full-sweep  --config-files F... [filters]
    python3 utils/sweep.py generate test-config --config-files F... --config-keys K... [filters]

Writes one JSON list to standard output.
"""

import argparse
import fnmatch
import json
import sys

import yaml

SEQ_LENS = {"1k1k": (1024, 1024), "8k1k": (8192, 1024)}
MIN_EVAL_CONC = 16


def load_configs(paths):
    merged = {}
    for path in paths:
        with open(path) as handle:
            for key, config in yaml.safe_load(handle).items():
                if key in merged:
                    raise ValueError(f"{key} is in more than one file")
                merged[key] = config
    return merged


def ladder(entry):
    if entry.get("conc-list"):
        return list(entry["conc-list"])
    values, value, end = [], entry["conc-start"], entry["conc-end"]
    while value < end:
        values.append(value)
        value *= 2
    return values + [end]


def worker(raw):
    return {**raw, **{name: raw.get(name, 1) for name in ("pp", "dcp-size", "pcp-size")}}


def nodes(role, gpus):
    for setting in role.get("additional-settings", []):
        name, _, value = setting.partition("=")
        if name.endswith("_NODES"):
            return int(value)
    total = role["num-worker"] * role["tp"] * role["pp"] * role["pcp-size"]
    return -(-total // gpus)


def hardware(config, clusters):
    name = config["runner"].removeprefix("cluster:")
    family = name.split("-")[0]
    if name in clusters:
        return clusters[name]
    return next(facts for key, facts in clusters.items() if key.split("-")[0] == family)


def dram_budget(entry, utilization, facts):
    if entry.get("kv-offloading") != "dram":
        return 0
    share = entry["tp"] / facts["gpus-per-node"]
    return int(facts["available-cpu-dram-mib"] * 1048576 * utilization * share / 1e9)


def components(config, entry):
    found = {}
    for name in ("router", "kv-p2p-transfer"):
        value = entry.get(name, config.get(name))
        if value is not None:
            found[name] = value
    return found


def head(config):
    return {name: config[name] for name in ("image", "model", "model-prefix", "precision", "framework", "runner")}


def parallel(entry):
    return {
        "tp": entry["tp"],
        "pp": entry.get("pp", 1),
        "dcp-size": entry.get("dcp-size", 1),
        "pcp-size": entry.get("pcp-size", 1),
        "ep": entry.get("ep", 1),
        "dp-attn": entry.get("dp-attn", False),
        "spec-decoding": entry.get("spec-decoding", "none"),
    }


def multi_part(config, entry, gpus):
    prefill, decode = worker(entry["prefill"]), worker(entry["decode"])
    return {
        "spec-decoding": entry.get("spec-decoding", "none"),
        "prefill": prefill,
        "decode": decode,
        "disagg": config.get("disagg", False),
        "node-count": nodes(prefill, gpus) + nodes(decode, gpus),
    }


def fixed_rows(config, item, gpus, args):
    lengths = (item["isl"], item["osl"])
    if args.seq_lens and lengths not in [SEQ_LENS[name] for name in args.seq_lens]:
        return
    name = next((key for key, value in SEQ_LENS.items() if value == lengths), f"{lengths[0]}_{lengths[1]}")
    base = {
        **head(config),
        "isl": lengths[0],
        "osl": lengths[1],
        "max-model-len": sum(lengths) + 256,
        "exp-name": f"{config['model-prefix']}_{name}",
        "run-eval": False,
    }
    for entry in item["search-space"]:
        concs = [c for c in ladder(entry) if not args.max_conc or c <= args.max_conc]
        if args.conc:
            concs = [c for c in concs if c in args.conc]
        if not concs:
            continue
        if config["multinode"]:
            yield {**base, **multi_part(config, entry, gpus), "conc": concs, **components(config, entry)}
        else:
            for conc in concs:
                yield {**base, **parallel(entry), "conc": conc, "disagg": False, **components(config, entry)}


def agentic_rows(config, item, facts, args):
    base = {**head(config), "scenario-type": "agentic-coding", "duration": 3600, "run-eval": False}
    for entry in item["search-space"]:
        budget = dram_budget(entry, item.get("dram-utilization", 0), facts)
        for conc in ladder(entry):
            if (args.max_conc and conc > args.max_conc) or (args.conc and conc not in args.conc):
                continue
            row = {**base, "kv-offloading": entry.get("kv-offloading", "none"), "total-cpu-dram-gb": budget}
            if config["multinode"]:
                row.update(multi_part(config, entry, facts["gpus-per-node"]), conc=[conc])
            else:
                row.update(parallel(entry), conc=conc)
                if entry.get("kv-offload-backend"):
                    row["kv-offload-backend"] = entry["kv-offload-backend"]
            row["exp-name"] = f"{config['model-prefix']}_conc{conc}_kv{row['kv-offloading']}"
            yield {**row, **components(config, entry)}


def mark_evals(rows):
    """The highest concurrency of every deployment is evaluated, too."""
    best = {}
    for row in rows:
        conc = max(row["conc"]) if isinstance(row["conc"], list) else row["conc"]
        if row.get("isl") == 1024 or conc < MIN_EVAL_CONC:
            continue
        key = (row["model"], row["runner"], row["framework"], row["precision"], row["spec-decoding"], "prefill" in row)
        if key not in best or conc > best[key][0]:
            best[key] = (conc, row)
    for conc, row in best.values():
        row.update({"run-eval": True, "eval-framework": "lm-eval", "eval-suite": ""})
        if "prefill" in row:
            row["eval-conc"] = conc


def trim(rows):
    seen, kept = set(), []
    for row in sorted(rows, key=lambda r: r["conc"][0] if isinstance(r["conc"], list) else r["conc"]):
        key = json.dumps({k: v for k, v in row.items() if k not in ("conc", "exp-name", "run-eval")}, sort_keys=True)
        if key not in seen:
            seen.add(key)
            kept.append(row)
    return kept


def wanted(key, config, args):
    if args.command == "test-config" and not any(fnmatch.fnmatchcase(key, p) for p in args.config_keys):
        return False
    if args.model_prefix and not any(key.startswith(p) for p in args.model_prefix):
        return False
    if args.precision and config["precision"] not in args.precision:
        return False
    return not (args.single_node and config["multinode"])


def generate(args):
    with open(args.runner_config) as handle:
        clusters = yaml.safe_load(handle)["clusters"]
    rows = []
    for key, config in load_configs(args.config_files).items():
        if not wanted(key, config, args):
            continue
        facts = hardware(config, clusters)
        scenarios = config["scenarios"]
        for item in scenarios.get("fixed-seq-len", []):
            rows.extend(fixed_rows(config, item, facts["gpus-per-node"], args))
        for item in scenarios.get("agentic-coding", []):
            rows.extend(agentic_rows(config, item, facts, args))
    mark_evals(rows)
    return trim(rows) if args.trim_conc else rows


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    commands = verbs.add_parser("generate").add_subparsers(dest="command", required=True)
    for name in ("full-sweep", "test-config"):
        command = commands.add_parser(name)
        command.add_argument("--config-files", nargs="+", required=True)
        command.add_argument("--runner-config", default="configs/runners.yaml")
        command.add_argument("--config-keys", nargs="+", required=name == "test-config", default=[])
        command.add_argument("--model-prefix", nargs="+", default=[])
        command.add_argument("--precision", nargs="+", default=[])
        command.add_argument("--seq-lens", nargs="+", choices=SEQ_LENS, default=[])
        command.add_argument("--conc", nargs="+", type=int, default=[])
        command.add_argument("--max-conc", type=int, default=0)
        command.add_argument("--single-node", action="store_true")
        command.add_argument("--trim-conc", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    json.dump(generate(parse(sys.argv[1:])), sys.stdout)
    sys.stdout.write("\n")
