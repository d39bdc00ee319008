"""Checks that relative links in Markdown files lead somewhere."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def files(names):
    for name in names:
        path = pathlib.Path(name)
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def main():
    bad = 0
    for path in files(sys.argv[1:]):
        for target in LINK.findall(path.read_text()):
            if not (path.parent / target).exists():
                print(f"{path}: {target}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
