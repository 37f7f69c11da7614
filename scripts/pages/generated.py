# SPDX-License-Identifier: Apache-2.0
"""The parts of docs/ that come from the code.

A page says itself what stands between two lines of it:

  <!-- written by scripts/docs: warpfold list statistics --markdown -->
  …
  <!-- end of what is written -->

or `file PATH`, for a file as it is, or `studies`, for a table of those in configs/studies.

Pages that come from the code as a whole are docs/cuda-support.md (scripts/cuda-support) and docs/commands.md. The
picture docs/architecture.svg is drawn by scripts/architecture-picture, where there is graphviz; a unit test holds it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
COMMANDS = DOCS / "commands.md"
SUPPORT = [sys.executable, ROOT / "scripts" / "cuda-support"]
BLOCK = re.compile(r"(<!-- written by scripts/docs: ((?:warpfold|file|studies)[^\n]*) -->\n)(.*?)(<!-- end of what is written -->\n)", re.S)
LANGUAGES = {".py": "python", ".yaml": "yaml", ".cu": "cuda"}


class Failed(Exception):
    """A command that should have said what a page says."""


def output_of(build, words):
    command = [build / "bin" / words[0], *words[1:]]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise Failed(f"{' '.join(words)}: {ran.stderr.strip() or 'fails'}")
    return ran.stdout


def studies():
    lines = ["| Study | |", "|---|---|"]
    for path in sorted((ROOT / "configs" / "studies").glob("*.yaml")):
        title = re.search(r"^title: (.*)$", path.read_text(), re.M)[1].strip('"')
        lines.append(f"| `{path.stem}` | {title} |")
    return "\n".join(lines)


def content(build, words):
    if words[0] == "studies":
        return studies()
    if words[0] == "file":
        return f"```{LANGUAGES[Path(words[1]).suffix]}\n{(ROOT / words[1]).read_text()}```"
    return output_of(build, words).rstrip("\n")


def filled(text, build):
    """A page's text with its blocks as the code has them."""
    return BLOCK.sub(lambda m: f"{m[1]}{content(build, m[2].split())}\n{m[4]}", text)


def subcommands(text):
    """The names that a command's help lists."""
    _, _, listed = text.partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z][\w-]*)", listed, re.M)


def sections(build, words):
    """(command, its help) of a command and those below it."""
    text = output_of(build, [*words, "--help"]).strip("\n")
    yield " ".join(words), text
    for name in subcommands(text):
        yield from sections(build, [*words, name])


def commands_page(build):
    parts = ["# Commands\n\nWritten by `scripts/docs` from what each command says with `--help`; a test holds it to that.\n"]
    for program in ("warpfold", "warpfold-cc"):
        for name, text in sections(build, [program]):
            parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def pages(build):
    """(page, its text as it is to be)"""
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text()
        if BLOCK.search(text):
            yield page, filled(text, build)
    yield COMMANDS, commands_page(build)


def support_page_is_stale(build):
    check = subprocess.run([*SUPPORT, "--build", build, "--check"], capture_output=True, text=True)
    if check.returncode != 0 and "Traceback" in check.stderr:
        raise Failed(f"scripts/cuda-support: {check.stderr.splitlines()[-1]}")
    return check.returncode != 0


def stale(build):
    """Pages that say something else than the code."""
    found = [page for page, text in pages(build) if not page.exists() or page.read_text() != text]
    return found + ([DOCS / "cuda-support.md"] if support_page_is_stale(build) else [])


def write(build):
    """The pages that have changed."""
    changed = stale(build)
    for page, text in list(pages(build)):
        page.write_text(text)
    subprocess.run([*SUPPORT, "--build", build], check=True)
    if shutil.which("dot") is not None:
        subprocess.run([ROOT / "scripts" / "architecture-picture", build], check=True)
    return changed
