"""What the end-to-end suites share: the command line, running cases, and the line that ends a run."""

import argparse
import fnmatch
import os
import shutil
import sys
import tempfile
import time
import traceback
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_BINARY = ROOT / "target/release/srtx-gh"


class Case(unittest.TestCase):
    """A case with a folder of its own, below the one of the suite."""

    # Whole logs are compared: what differs is better said in words than shown as a difference of thousands of lines.
    maxDiff = 2000
    suite_folder = None
    binary = None

    def setUp(self):
        self.folder = self.suite_folder / self._testMethodName
        self.folder.mkdir(parents=True)


class Result(unittest.TestResult):
    """Prints each case as it ends."""

    def __init__(self):
        super().__init__()
        self.passed = 0
        self.failed = 0
        self.started = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def line(self, word, test, more=""):
        seconds = time.monotonic() - self.started
        print(f"{word:4}  {name_of(test)}  ({seconds:.1f} s){more}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1
        self.line("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        # What CI does not run nobody runs: there a skip is a failure.
        if os.environ.get("CI") == "true":
            self.failed += 1
            self.line("FAIL", test, f"\n      skipped in CI: {reason}")
        else:
            self.line("skip", test, f"  {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed += 1
        self.line("FAIL", test, "\n" + reason(test, err))

    def addError(self, test, err):
        super().addError(test, err)
        self.failed += 1
        self.line("FAIL", test, "\n" + reason(test, err))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed += 1
            self.line("FAIL", subtest, "\n" + reason(test, err))


def reason(test, err):
    """The message and where in the suites it came up, without the frames of unittest."""
    frames = [frame for frame in traceback.extract_tb(err[2]) if "unittest" not in frame.filename]
    places = "".join(f"      {Path(frame.filename).name}:{frame.lineno}: {frame.line}\n" for frame in frames)
    return places + "      " + "".join(traceback.format_exception_only(*err[:2])).replace("\n", "\n      ").rstrip()


def name_of(test):
    # A part of a case is a subTest, whose id has its parameters behind the name.
    return test.id().removeprefix("__main__.")


def main(about, needs_binary=True):
    """Runs the cases of the calling module."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--bin", type=Path, default=DEFAULT_BINARY, help="the srtx-gh to test")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases whose name matches")
    parser.add_argument("--keep", action="store_true", help="leave the temp folder there")
    options = parser.parse_args()
    Case.binary = options.bin.resolve()
    if needs_binary and not os.access(Case.binary, os.X_OK):
        parser.error(f"there is no binary {options.bin}: cargo build --release, or give --bin")
    Case.suite_folder = Path(tempfile.mkdtemp(prefix="srtx-e2e-"))
    result = Result()
    try:
        cases = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        for case in flat(cases):
            if fnmatch.fnmatchcase(case._testMethodName, f"*{options.only}*"):
                case.run(result)
    finally:
        if options.keep:
            print(f"kept {Case.suite_folder}")
        else:
            make_writable(Case.suite_folder)
            shutil.rmtree(Case.suite_folder)
    print(f"{result.passed} passed, {result.failed} failed")
    sys.exit(1 if result.failed or not result.passed else 0)


def flat(cases):
    for case in cases:
        if isinstance(case, unittest.TestSuite):
            yield from flat(case)
        else:
            yield case


def make_writable(folder):
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def clean_environment(**more):
    """An environment in which nothing of this machine's runner, user or network is left."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return kept | {key: str(value) for key, value in more.items()}
