#!/usr/bin/env python3
"""actions/install.sh against a server on the loopback interface, in a copy with digests of the test.

    python3 tests/e2e/install/run.py [--only PATTERN] [--keep]

Needs bash, curl, wget and tar.
"""

import hashlib
import http.server
import io
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import common
from steps import outputs_in

LINUX = "x86_64-unknown-linux-musl"
PLATFORMS = {
    ("Linux", "X64"): LINUX,
    ("Linux", "ARM64"): "aarch64-unknown-linux-musl",
    ("macOS", "X64"): "x86_64-apple-darwin",
    ("macOS", "ARM64"): "aarch64-apple-darwin",
    ("Windows", "X64"): "x86_64-pc-windows-msvc",
}
# What the script may call. A runner without one of them is a folder without that link.
TOOLS = (
    "bash cat chmod curl cut dirname env find gzip head mkdir mktemp mv rm sed sha256sum sort tar uname wget"
).split()
RELEASED = b'#!/bin/sh\necho "srtx-gh of the release"\n'
FAKE_CARGO = """#!/bin/sh
# Stands for cargo: writes down how it was called, and builds what a case asks for.
echo "$PWD|${CARGO_BUILD_TARGET:-}|$*" >>"$CARGO_CALLS"
[ -z "$CARGO_FAILS" ] || { echo "error: it does not compile" >&2; exit 101; }
while [ $# -gt 1 ]; do [ "$1" = --target-dir ] && target=$2; shift; done
mkdir -p "$target/release"
printf '#!/bin/sh\\necho "srtx-gh of the sources"\\n' >"$target/release/srtx-gh"
cp "$target/release/srtx-gh" "$target/release/srtx-gh.exe"
"""


class Server(http.server.ThreadingHTTPServer):
    """Serves what a case put there, and remembers who asked for what."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked, self.cut = {}, [], False
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/assets"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, self.headers["User-Agent"].split("/")[0]))
        body = self.server.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.server.cut else body)

    def log_message(self, *_):
        pass


def archive(files):
    """A .tar.gz as the release makes it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


class Install(common.Case):
    def setUp(self):
        super().setUp()
        # Blanks, quotes and more in every path: what is not quoted breaks in all cases.
        self.stage = self.folder / "a b 'c' $d é"
        self.repository = self.stage / "srtx"
        (self.repository / "src").mkdir(parents=True)
        shutil.copytree(common.ROOT / "actions", self.repository / "actions")
        for name in ("Cargo.toml", "Cargo.lock"):
            shutil.copy(common.ROOT / name, self.repository / name)
        (self.repository / "src/main.rs").write_text("fn main() {}\n")
        self.work = self.stage / "work"
        self.cache, self.temp, self.calls = self.stage / "tool cache", self.stage / "temp", self.stage / "calls"
        for folder in (self.work, self.temp):
            folder.mkdir()
        [line] = [line for line in (common.ROOT / "Cargo.toml").read_text().split("\n") if line.startswith("version =")]
        self.version = line.split('"')[1]
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def asset(self, target=LINUX):
        return f"srtx-gh-{self.version}-{target}.tar.gz"

    def release(self, content=None, target=LINUX, served=None, files=None):
        """Puts an asset on the server and its digest into the copy."""
        content = content if content is not None else archive(files or {"srtx-gh": RELEASED})
        name = self.asset(target)
        with (self.repository / "actions/release.sha256").open("a") as digests:
            digests.write(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        self.server.files[f"/assets/{name}"] = content if served is None else served

    def tools(self, without=(), cargo=False):
        """A folder with all the commands that this runner has."""
        folder = self.stage / f"tools without {' '.join(without)}{' with cargo' if cargo else ''}"
        if folder.exists():
            return folder
        folder.mkdir()
        for tool in TOOLS:
            path = shutil.which(tool)
            if path is None:
                self.skipTest(f"{tool} is not installed")
            if tool not in without:
                (folder / tool).symlink_to(path)
        for tool in ("cp", "sleep"):
            (folder / tool).symlink_to(shutil.which(tool))
        if cargo:
            (folder / "cargo").write_text(FAKE_CARGO)
            (folder / "cargo").chmod(0o755)
        return folder

    def start(self, number=0, system="Linux", machine="X64", without=(), cargo=False, user=None, **env):
        out, path = self.temp / f"output-{number}", self.temp / f"path-{number}"
        for file in (out, path):
            file.write_text("")
            if user is not None:
                os.chown(file, user, user)
        env = {
            "PATH": self.tools(without, cargo),
            "RUNNER_OS": system,
            "RUNNER_ARCH": machine,
            "RUNNER_TOOL_CACHE": self.cache,
            "RUNNER_TEMP": self.temp,
            "GITHUB_OUTPUT": out,
            "GITHUB_PATH": path,
            "CARGO_CALLS": self.calls,
            "CARGO_FAILS": "",
            "SRTX_MIRROR_URL": self.server.url,
            "SRTX_BINARY_PATH": "",
        } | env
        process = subprocess.Popen(
            ["bash", self.repository / "actions/install.sh"],
            cwd=self.work,
            env={name: str(value) for name, value in env.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            user=user,
            group=user,
        )
        return process, out

    def install(self, **how):
        """Runs it: exit code, what it said, the path that it gave."""
        process, out = self.start(**how)
        said = process.communicate(timeout=120)[0].decode()
        return process.returncode, said, outputs_in(out.read_text()).get("path")

    def installed(self, how, prints, **options):
        """A good install: found in that way, and the binary is the right one."""
        code, said, path = self.install(**options)
        self.assertEqual(code, 0, said)
        self.assertTrue(said.endswith(f"srtx-gh: {path} ({how})\n"), said)
        self.assertTrue(os.path.isabs(path), path)
        ran = subprocess.run([path], capture_output=True, check=True)
        self.assertEqual(ran.stdout.decode(), f"srtx-gh of the {prints}\n")
        self.check_tidy()
        return said, Path(path)

    def refused(self, *parts, **options):
        """A failed install: one annotation that says all of these, no output, nothing left behind."""
        code, said, path = self.install(**options)
        self.assertEqual((code, path), (1, None), said)
        errors = [line for line in said.split("\n") if line.startswith("::error ")]
        self.assertEqual(len(errors), 1, said)
        for part in parts:
            self.assertIn(part, errors[0])
        self.check_tidy()
        return said

    def check_tidy(self):
        """Whatever was unpacked or built on the way is gone."""
        left = [path for root in (self.cache, self.temp) for path in root.rglob("install.*")]
        self.assertEqual(left, [])

    def cargo_calls(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    # -- binary-path

    def test_binary_path(self):
        binary = self.work / "my srtx-gh"
        binary.write_bytes(RELEASED)
        binary.chmod(0o755)
        for given in (binary, "my srtx-gh", "./my srtx-gh", "../work/my srtx-gh"):
            with self.subTest(str(given)):
                _, path = self.installed("binary-path", "release", SRTX_BINARY_PATH=given)
                self.assertTrue(path.samefile(binary))
        self.assertEqual(self.server.asked, [])

    def test_a_binary_path_that_is_none(self):
        (self.work / "text").write_text("")
        (self.work / "text").chmod(0o644)
        (self.work / "folder").mkdir()
        for given, part in (
            ("nowhere", "nowhere, which is no file"),
            ("folder", "folder, which is no file"),
            ("text", "text, which is not executable: chmod +x it"),
            ("100%\n::error::x", "100%25%0A::error::x, which has a line break in it"),
            ("a\r::error::x", "a%0D::error::x"),
        ):
            with self.subTest(given):
                said = self.refused(part, SRTX_BINARY_PATH=given)
                self.assertEqual(len(said.splitlines()), 1, said)

    def test_blank_inputs_are_absent(self):
        self.release()
        for blank in ("", "  ", "\n", "\t "):
            self.installed("release" if blank == "" else "tool cache", "release", SRTX_BINARY_PATH=blank)
        # The way to the releases themselves is closed.
        closed = {"RUNNER_TOOL_CACHE": self.temp / "new", "https_proxy": "http://127.0.0.1:9"}
        code, said, _ = self.install(SRTX_MIRROR_URL=" ", **closed)
        self.assertEqual(code, 1)
        self.assertIn(f"https://github.com/org/srtx/releases/download/v{self.version}", said)

    # -- the release and the tool cache

    def test_a_release_and_then_the_tool_cache(self):
        self.release()
        said, path = self.installed("release", "release", SRTX_ADD_TO_PATH="true")
        self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual((self.temp / "path-0").read_text(), f"{path.parent}\n")
        self.assertTrue(path.is_relative_to(self.cache))
        self.assertEqual(self.server.asked, [(f"/assets/{self.asset()}", "curl")])

        _, again = self.installed("tool cache", "release")
        self.assertEqual((again, len(self.server.asked)), (path, 1))
        self.assertEqual((self.temp / "path-0").read_text(), "")

        # Another digest is another binary: a tool cache that outlives a release never hands out the old one.
        (self.repository / "actions/release.sha256").write_text("")
        self.release(archive({"srtx-gh": RELEASED.replace(b"release", b"next release")}))
        _, other = self.installed("release", "next release")
        self.assertNotEqual(other, path)

    def test_a_mirror_with_a_slash_at_its_end(self):
        self.release()
        self.installed("release", "release", SRTX_MIRROR_URL=self.server.url + "/")

    def test_every_platform_gets_its_own_asset(self):
        for (system, machine), target in PLATFORMS.items():
            with self.subTest(f"{system} {machine}"):
                suffix = ".exe" if system == "Windows" else ""
                prints = f"#!/bin/sh\necho 'srtx-gh of the {target}'\n".encode()
                self.release(target=target, files={f"srtx-gh{suffix}": prints})
                _, path = self.installed("release", target, system=system, machine=machine)
                self.assertEqual(path.name, f"srtx-gh{suffix}")
                self.assertEqual(self.server.asked[-1][0], f"/assets/{self.asset(target)}")

    def test_the_system_itself_tells_what_the_runner_does_not(self):
        if os.uname().machine != "x86_64" or os.uname().sysname != "Linux":
            self.skipTest("the release of the case is for Linux on x86_64")
        self.release()
        self.installed("release", "release", RUNNER_OS=None, RUNNER_ARCH=None, RUNNER_TOOL_CACHE=None)

    def test_bytes_that_were_not_released(self):
        """Never built instead: somebody put them there."""
        self.release(served=archive({"srtx-gh": b"#!/bin/sh\necho evil\n"}))
        said = self.refused("it is not the file that was released", "expected", cargo=True)
        self.assertNotIn("building", said)
        self.assertEqual(self.cargo_calls(), [])
        self.assertEqual(list(self.cache.rglob("srtx-gh*/*")), [])

    def test_half_an_asset(self):
        """A server that says it is whole lies; a connection that breaks is a missing asset."""
        content = archive({"srtx-gh": RELEASED})
        self.release(content, served=content[: len(content) // 2])
        self.refused("it is not the file that was released", cargo=True)
        self.assertEqual(self.cargo_calls(), [])

        self.server.cut = True
        for without in ((), ("curl",)):
            with self.subTest(without=without):
                self.refused("could not be fetched", without=without)

    def test_an_archive_without_the_binary(self):
        self.release(files={"README.md": b"nothing else"})
        self.refused("holds no srtx-gh", cargo=True)

    # -- without a release

    def test_a_missing_asset_is_built(self):
        self.release()
        self.server.files.clear()
        said, path = self.installed("built from source", "sources", cargo=True, CARGO_BUILD_TARGET="wasm32-wasip1")
        self.assertIn("::warning title=srtx install::", said)
        self.assertIn("could not be fetched", said)
        [call] = self.cargo_calls()
        self.assertTrue(call.startswith(f"{self.repository}||build --release --locked --bin srtx-gh "), call)

        _, again = self.installed("tool cache", "sources", cargo=True)
        self.assertEqual((again, len(self.cargo_calls())), (path, 1))

        (self.repository / "src/main.rs").write_text("fn main() { }\n")
        _, other = self.installed("built from source", "sources", cargo=True)
        self.assertNotEqual(other, path)
        # A file with another name is another program.
        (self.repository / "src/main.rs").rename(self.repository / "src/lib.rs")
        _, third = self.installed("built from source", "sources", cargo=True)
        self.assertNotIn(third, (path, other))

    def test_a_missing_asset_and_no_cargo(self):
        self.release()
        self.server.files.clear()
        self.refused(self.asset(), self.server.url, "no cargo to build it: give binary-path or mirror-url")

    def test_a_server_that_is_not_there(self):
        self.release()
        self.refused("could not be fetched from http://127.0.0.1:9", SRTX_MIRROR_URL="http://127.0.0.1:9")

    def test_a_commit_without_a_release_is_built(self):
        said, _ = self.installed("built from source", "sources", cargo=True)
        self.assertNotIn("::warning", said)
        self.assertEqual(self.server.asked, [])

    def test_sources_that_do_not_compile(self):
        said = self.refused("cargo could not build it", cargo=True, CARGO_FAILS="1")
        self.assertIn("error: it does not compile", said)
        self.assertLess(said.index("::group::"), said.index("::endgroup::"))

    # -- runners that lack something

    def test_wget_where_there_is_no_curl(self):
        self.release()
        self.installed("release", "release", without=("curl",))
        self.assertEqual([agent for _, agent in self.server.asked], ["Wget"])

    def test_neither_curl_nor_wget(self):
        self.release()
        said = self.refused("could not be fetched", "no cargo", without=("curl", "wget"))
        self.assertIn("neither curl nor wget", said)
        self.installed("built from source", "sources", without=("curl", "wget"), cargo=True)

    def test_shasum_where_there_is_no_sha256sum(self):
        self.release()
        tools = self.tools(("sha256sum",))
        self.refused("neither sha256sum nor shasum", without=("sha256sum",))
        # As on macOS.
        (tools / "shasum").write_text(f'#!/bin/sh\n[ "$*" = "-a 256" ] && exec {shutil.which("sha256sum")}\n')
        (tools / "shasum").chmod(0o755)
        self.installed("release", "release", without=("sha256sum",))

    def test_an_unknown_architecture(self):
        for system, machine in ("Linux", "RISCV64"), ("Windows", "ARM64"), ("Plan9", "X64"):
            with self.subTest(f"{system} {machine}"):
                self.release()
                message = f"no release of srtx {self.version} for {system} {machine}"
                self.refused(message, system=system, machine=machine)
        self.installed("built from source", "sources", system="Linux", machine="RISCV64", cargo=True)
        self.assertEqual(self.server.asked, [])

    def test_a_tool_cache_that_cannot_be_written(self):
        self.release()
        # A file in its place stops root too.
        blocked = self.stage / "file"
        blocked.write_text("")
        _, path = self.installed("release", "release", RUNNER_TOOL_CACHE=blocked / "cache")
        self.assertTrue(path.is_relative_to(self.temp))
        self.refused(
            "neither", "can be written", RUNNER_TOOL_CACHE=blocked / "cache", RUNNER_TEMP=blocked / "temp"
        )

    def test_a_tool_cache_that_may_only_be_read(self):
        user = os.getuid()
        if user == 0:
            user = 65534
            self.open_to_others()
            os.chown(self.temp, user, user)
        self.release()
        self.cache.mkdir()
        self.cache.chmod(0o555)
        _, path = self.installed("release", "release", user=user)
        self.assertTrue(path.is_relative_to(self.temp))
        # What is in it already is used from there.
        self.cache.chmod(0o755)
        _, kept = self.installed("release", "release")
        for folder in (self.cache, *(path for path in self.cache.rglob("*") if path.is_dir())):
            folder.chmod(0o555)
        shutil.rmtree(self.temp / "srtx-tool-cache")
        _, path = self.installed("tool cache", "release", user=user)
        self.assertEqual(path, kept)

    def open_to_others(self):
        """Lets another user into the folder of the case."""
        for folder in (self.stage, *self.stage.parents):
            if folder.is_relative_to(self.suite_folder):
                folder.chmod(0o755)

    def test_two_installs_at_once(self):
        self.release()
        running = [self.start(number) for number in range(6)]
        paths = set()
        for process, out in running:
            said = process.communicate(timeout=120)[0].decode()
            self.assertEqual(process.returncode, 0, said)
            paths.add(outputs_in(out.read_text())["path"])
        self.assertEqual(len(paths), 1)
        [path] = paths
        self.assertEqual(Path(path).read_bytes(), RELEASED)
        self.check_tidy()
        self.assertEqual([file for file in self.cache.rglob("*") if file.is_file()], [Path(path)])

    def test_it_runs_in_an_action_only(self):
        self.release()
        code, said, _ = self.install(GITHUB_OUTPUT=None)
        self.assertNotEqual(code, 0)
        self.assertIn("GITHUB_OUTPUT: is not set, run this from an action", said)


if __name__ == "__main__":
    common.main(__doc__, needs_binary=False)
