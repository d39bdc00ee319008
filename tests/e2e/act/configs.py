"""Synthetic master configs. JSON is YAML, so values of any kind need no quoting rules of ours.

Indented: every entry gets a line of its own, which the annotations of a wrong entry must name.
"""

import json

RUNNERS = {
    "labels": {
        "h200": ["h200-dgxc_00", "h200-dgxc_01"],
        "gb200": ["gb200-nv_00"],
        "cluster:b200-dgxc": ["b200-dgxc_00", "b200-dgxc_01"],
        "cluster:gb200-nv": ["gb200-nv_00"],
    },
    "clusters": {
        "b200-dgxc": {"gpus-per-node": 8, "available-cpu-dram-mib": 3095781, "arch": "x86_64"},
        "gb200-nv": {"gpus-per-node": 4, "available-cpu-dram-mib": 860160, "arch": "aarch64"},
    },
}
LABELS = list(RUNNERS["labels"])


def text(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def config(prefix, runner, framework, multinode, scenarios, **other):
    fields = {
        "image": f"registry.example/{prefix}:1.0",
        "model": f"example/{prefix}",
        "model-prefix": prefix,
        "runner": runner,
        "precision": "fp8",
        "framework": framework,
        "multinode": multinode,
        "scenarios": scenarios,
    }
    if multinode:
        fields |= {"disagg": True, "router": {"name": "dynamo-router", "version": "1.3.1"}, "kv-p2p-transfer": "nixl"}
    return fields | other


def fixed(lengths, entries):
    return {"fixed-seq-len": [{"isl": lengths[0], "osl": lengths[1], "search-space": entries}]}


def agentic(entries):
    return {"agentic-coding": [{"search-space": entries, "dram-utilization": 0.5}]}


def single(prefix, lengths, concurrencies, runner="h200", **other):
    """Single-node jobs, one a concurrency. Those of 1k1k are never marked for evaluation."""
    entry = {"tp": 8, "conc-list": concurrencies, "srt-recipe": f"recipes/{prefix}/sglang/{runner}-fp8/8k1k.yaml"}
    return config(prefix, runner, "sglang", False, fixed(lengths, [entry]), **other)


def worker(number, tp, **other):
    return {"num-worker": number, "tp": tp, "ep": tp, "dp-attn": False} | other


def several(prefix, lengths, concurrency_lists, runner="gb200"):
    """Multi-node jobs, one a list of concurrencies."""
    entries = []
    for number, concurrencies in enumerate(concurrency_lists, start=1):
        settings = [f"CONFIG_FILE=recipes/{prefix}/vllm/gb200-fp8/8k1k.yaml:override_{number}"]
        prefill = worker(number, 4, **{"additional-settings": settings})
        entries.append({"conc-list": concurrencies, "prefill": prefill, "decode": worker(1, 8)})
    return config(prefix, runner, "dynamo-vllm", True, fixed(lengths, entries))


def agents(prefix, concurrencies, runner="cluster:b200-dgxc", **other):
    """Agentic jobs on one node, with the cache in host memory and without."""
    plain = {"tp": 8, "kv-offloading": "none", "conc-list": concurrencies}
    dram = {"tp": 4, "kv-offloading": "dram", "kv-offload-backend": {"name": "lmcache", "version": "1.0"}}
    return config(prefix, runner, "vllm", False, agentic([plain, dram | {"conc-list": concurrencies}]), **other)


def agent_teams(prefix, concurrency_lists, runner="cluster:gb200-nv", **other):
    """Agentic jobs on several nodes."""
    entries = []
    for number, concurrencies in enumerate(concurrency_lists, start=1):
        settings = [f"CONFIG_FILE=recipes/{prefix}/vllm/gb200-fp8/agentic.yaml:override_{number}"]
        prefill = worker(number, 4, **{"additional-settings": settings})
        entries.append({"conc-list": concurrencies, "prefill": prefill, "decode": worker(1, 8)})
    return config(prefix, runner, "dynamo-vllm", True, agentic(entries), **other)


def mixed(size, count):
    """A master of exactly `size` points over all lanes. `count` says how many points a master makes."""
    master = {}
    for number in range(size // 60):
        master[f"m{number}-fp8-h200-sglang"] = single(f"m{number}", (8192, 1024), list(range(1, 25)))
        if number % 3 == 0:
            master[f"m{number}-fp8-gb200-dynamo-vllm"] = several(
                f"m{number}", (8192, 1024), [[8, 16, 24], [32, 40], [64]]
            )
        # Models with a suite of their vendor get an evaluation as a job of its own.
        if number % 3 == 1:
            entry = agents("minimaxm3", [1, 2, 4, 8, 16], model=f"example/agent-{number}")
            master[f"minimaxm3-{number}-fp8-b200-vllm-agentic"] = entry
        if number % 3 == 2:
            entry = agent_teams("kimik3", [[8, 16], [32, 64]], model=f"example/team-{number}")
            master[f"kimik3-{number}-fp8-gb200-dynamo-vllm-agentic"] = entry
    missing = size - count(master)
    assert missing > 0, missing
    master["fill-fp8-h200-sglang"] = single("fill", (1024, 1024), list(range(1, missing + 1)))
    return master
