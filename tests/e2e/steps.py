"""Reads the steps of our own action.yml files and workflows.

Not YAML in general: the block style that our files are written in, and a refusal of what it does not know.
"""

import re
import subprocess

KEY = re.compile(r"^(?P<indent> *)(?P<dash>- +)?(?P<key>[A-Za-z_][\w-]*):(?: +(?P<value>.*))?$")
BLOCK = re.compile(r"^[|>][+-]?$")
EXPRESSION = re.compile(r"\$\{\{ *(.+?) *\}\}")


class Script:
    """A `run:` block: where it starts, its text, the `env:` and `shell:` beside it."""

    def __init__(self, line, text, env, shell, step):
        self.line, self.text, self.env, self.shell, self.step = line, text, env, shell, step


def lines_of(text):
    """Number, indent, dash, key and value of each line that has a key; texts of blocks are values, comments nothing."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = re.sub(r" +#.*$", "", lines[number]) if "#" in lines[number] else lines[number]
        found = KEY.match(line)
        number += 1
        if not found:
            continue
        indent = len(found["indent"]) + len(found["dash"] or "")
        value = found["value"] or ""
        start = number
        if BLOCK.match(value):
            block = []
            while number < len(lines) and (not lines[number].strip() or indent_of(lines[number]) > indent):
                block.append(lines[number])
                number += 1
            depth = min((indent_of(line) for line in block if line.strip()), default=0)
            value = "\n".join(line[depth:] for line in block).rstrip("\n") + "\n"
        else:
            value = scalar(value)
        yield start, indent, bool(found["dash"]), found["key"], value


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def scalar(text):
    """A plain or quoted scalar of one line."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def scripts(text):
    """All `run:` blocks of an action or a workflow."""
    if re.search(r"[{,] *run:", text):
        raise ValueError("a step in flow style: write it as a block")
    keys = list(lines_of(text))
    found = []
    for at, (line, indent, dash, key, value) in enumerate(keys):
        if key != "run":
            continue
        # A step reaches from its dash to the next one, or to a key that is less indented.
        first = at
        while not keys[first][2] and first > 0:
            first -= 1
        last = at + 1
        while last < len(keys) and not (keys[last][2] and keys[last][1] == indent) and keys[last][1] >= indent:
            last += 1
        step = {name: given for _, depth, _, name, given in keys[first:last] if depth == indent}
        env, inside = {}, False
        for _, depth, _, name, given in keys[first:last]:
            if depth == indent:
                inside = name == "env"
            elif inside and depth > indent:
                env[name] = given
        found.append(Script(line, value, env, step.get("shell", "bash"), step))
    if len(found) != len(re.findall(r"^ *(?:- +)?run:", text, re.MULTILINE)):
        raise ValueError("a run: that was not read")
    return found


def inputs(text):
    """The declared inputs of an action, and their defaults."""
    found, inside, name = {}, False, None
    for _, indent, _, key, value in lines_of(text):
        if indent == 0:
            inside = key == "inputs"
        elif inside and indent == 2:
            name = key
            found[name] = ""
        elif inside and indent == 4 and key == "default":
            found[name] = value
    return found


def outputs_in(text):
    """What a runner reads from an output file that we wrote."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        if "<<" in line and ("=" not in line or line.index("<<") < line.index("=")):
            name, delimiter = line.split("<<", 1)
            block = []
            for part in lines:
                if part == delimiter:
                    break
                block.append(part)
            found[name] = "\n".join(block)
        elif line:
            name, value = line.split("=", 1)
            found[name] = value
    return found


def run_action(folder, given, env, home, cwd):
    """Runs the steps of a composite action as a runner does, with nothing but what its `env:` maps.

    `given` are inputs as bytes. Returns the finished process of the last step that ran, and the outputs of every step.
    """
    text = (folder / "action.yml").read_text()
    declared = {name: default.encode() for name, default in inputs(text).items()}
    assert not set(given) - set(declared), set(given) - set(declared)
    values = declared | given
    outputs, process = {}, None
    for number, script in enumerate(scripts(text)):
        name = script.step.get("id", str(number))

        def value_of(expression):
            words = expression.split(".")
            if words[0] == "inputs":
                return values[words[1]]
            if words[:1] == ["steps"] and words[2] == "outputs":
                return outputs[words[1]].get(words[3], "").encode()
            raise ValueError(expression)

        condition = script.step.get("if")
        if condition:
            [name_of_input] = re.findall(r"^\$\{\{ inputs\.([\w-]+) != '' \}\}$", condition)
            if not values[name_of_input]:
                continue
        files = {}
        for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV"):
            files[variable] = home / f"{variable}-{number}"
            files[variable].write_text("")
        step_env = {}
        for variable, value in script.env.items():
            parts = EXPRESSION.split(value)
            # Every second part is an expression.
            step_env[variable] = b"".join(value_of(p) if at % 2 else p.encode() for at, p in enumerate(parts))
        (home / "step.sh").write_text(script.text)
        process = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", home / "step.sh"],
            cwd=cwd,
            env=env | {"GITHUB_ACTION_PATH": str(folder), "GITHUB_ACTIONS": "true"} | files | step_env,
            capture_output=True,
        )
        outputs[name] = outputs_in(files["GITHUB_OUTPUT"].read_text())
        if process.returncode:
            break
    return process, outputs
