# SPDX-License-Identifier: Apache-2.0
"""The prose of pages: short sentences, short lines, and no acronym that nobody spells out.

Sentences are found and counted by textlint, which npm brings into the build folder by package-lock.json. Code, tables,
comments and what stands between `<!-- x -->` and `<!-- end of x -->` are not prose. What a page may do all the same is
in prose_exceptions.txt.
"""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import site_pages

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
EXCEPTIONS = HERE / "prose_exceptions.txt"
GLOSSARY = ROOT / "docs" / "glossary.md"
MOST_WORDS = 30
WIDEST_LINE = 110
MOST_EXCEPTIONS = 20
NOT_READ = ["CHANGELOG.md", "docs/commands.md", "docs/cuda-support.md"]  # the last two are made by programs as a whole
PACKAGES = ["package.json", "package-lock.json"]
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.M | re.S)
GENERATED = re.compile(r"^<!-- (?!end of)((?!-->).)*-->\n((?!^<!-- ).*\n)*<!-- end of .*-->$", re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
TABLE_ROW = re.compile(r"^ *\|.*$", re.M)
CODE = re.compile(r"(?<!`)(`+)(?!`)((?!\n *\n).)+?(?<!`)\1(?!`)", re.S)
TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")
POINT = re.compile(r"(?<=\w)\.(?=\w)|(?<=\bFig)\.|(?<=\b[ei]\.[eg])\.")
SIGN = re.compile(r" (?=[%×=+±/–—≥≤≪](?:[\s,.;:)]))")
ACRONYM = re.compile(r"(?<![\w§])([A-Z]{2,6}[0-9]*)s?(?!\w|\.md)")
WRAP = re.compile(r"(?<=[^\n])\n(?= *(?![-*+>#] |\d+[.)] |\n)\S)")
ROMAN = re.compile(r"[IVX]+")


class Failed(Exception):
    """Something that keeps pages from being read."""


def emptied(pattern, text):
    """`text` without what matches, on the same lines."""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)


def prose(text):
    for pattern in (GENERATED, FENCE, COMMENT, TABLE_ROW):
        text = emptied(pattern, text)
    return text


def for_the_rule(text):
    """The text, character by character, without what the rule takes for ends of sentences (ends of lines in a paragraph,
    points in numbers) or for words (signs)."""
    joined = re.sub(r"^(?!#).*\S.*(?:\n.*\S.*)*", lambda block: WRAP.sub(" ", block[0]), text, flags=re.M)
    return SIGN.sub("·", POINT.sub("·", joined))


def wide_lines(text):
    """(line, start, what) of each line that is too wide; targets of links cannot be wrapped and do not count."""
    for number, line in enumerate(text.split("\n"), 1):
        width = len(TARGET.sub("]", line))
        if width > WIDEST_LINE and not line.startswith("#"):
            yield number, line.strip(), f"{width} columns, {WIDEST_LINE} are allowed: {line.strip()[:60]} …"


def spelt_out(acronym, text):
    """Is it in brackets behind words that have its letters, or such words in brackets behind it?"""
    letters = [re.escape(letter) for letter in acronym if letter.isalpha()]
    words = rf"(?i:\b{'[^().;:]*?'.join(letters)}[^().;:]*?)"
    name = rf"{acronym}s?"
    return re.search(rf"{words}\({name}\b|(?<!\w){name} \({words}", text) is not None


def unknown_acronyms(text, known):
    plain = re.sub(r"\s", " ", TARGET.sub("]", CODE.sub("code", text)))
    seen = set()
    for number, line in enumerate(emptied(TARGET, emptied(CODE, text)).split("\n"), 1):
        for acronym in ACRONYM.findall(line):
            if acronym in seen or acronym in known or ROMAN.fullmatch(acronym):
                continue
            seen.add(acronym)
            if not spelt_out(acronym, plain):
                yield number, acronym, f"{acronym} is spelt out neither here nor in docs/glossary.md"


def listed_acronyms():
    """What the glossary has in bold, or in the first cell of a row."""
    if not GLOSSARY.exists():
        return set()
    terms = re.findall(r"\*\*(.+?)\*\*|^\|([^|]*)\|", GLOSSARY.read_text(), re.M)
    return {acronym for pair in terms for term in pair for acronym in ACRONYM.findall(term)}


def complaint(said):
    """npm's first line that says why: "npm ERR! …" of old ones, "npm error …" of new ones."""
    lines = re.findall(r"^npm (?:ERR!|error) (.*)$", said, re.M)
    return next((line for line in lines if not line.startswith(("code ", "errno ", "syscall "))), "it ends without a word")


def packages(build):
    """The folder of what npm brings, once for a package-lock.json. No package runs a script."""
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PACKAGES)).hexdigest()
    kept = build / f"prose-{digest[:16]}"
    for program in ("npm", "node"):
        if shutil.which(program) is None:
            raise Failed(f"{program} is missing: scripts/setup report installs it")
    if kept.is_dir():
        return kept
    build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as folder:
        made = Path(folder) / "made"
        made.mkdir()
        for name in PACKAGES:
            shutil.copyfile(HERE / name, made / name)
        ran = subprocess.run(["npm", "ci", "--prefix", made, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"npm cannot bring textlint, which takes a network once: {complaint(ran.stderr)}")
        try:
            made.rename(kept)
        except OSError:  # another process was faster
            if not kept.is_dir():
                raise
    return kept


def long_sentences(texts, build):
    """(page, line, start, what) of the sentences of all pages."""
    kept = packages(build)
    with tempfile.TemporaryDirectory() as folder:
        staged = {}
        for number, (page, text) in enumerate(texts.items()):
            place = Path(folder) / f"{number}.md"
            place.write_text(for_the_rule(text))
            staged[str(place)] = page
        rules = Path(folder) / "rules.json"
        rules.write_text(json.dumps({"rules": {"en-max-word-count": {"max": MOST_WORDS}}}))
        ran = subprocess.run(["node", kept / "node_modules/textlint/bin/textlint.js", "--config", rules, "--format", "json",
                              *staged], cwd=kept, capture_output=True, text=True)
    try:
        said = json.loads(ran.stdout)
    except ValueError:
        raise Failed(f"textlint fails: {(ran.stderr.strip() or ran.stdout.strip() or 'no word')} (remove {kept})") from None
    for file in said:
        page = staged[file["filePath"]]
        for message in file["messages"]:
            before, after = (texts[page][part] for part in (slice(message["range"][0]), slice(message["range"][0], None)))
            start = " ".join(after[:300].split()).lstrip("*_")
            yield page, before.count("\n") + 1, start, f"a sentence of more than {MOST_WORDS} words: {start[:60]} …"


def exceptions():
    """(page, start, reason) of each line 'page | start | reason'."""
    for line in EXCEPTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            yield tuple(part.strip() for part in f"{line}||".split("|")[:3])


def name_of(page):
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else str(page)


def findings(pages, build):
    """(page, line, start, what) of all that is not as it should be, by page and line."""
    texts = {page: prose(page.read_text()) for page in pages}
    found = list(long_sentences(texts, build))
    known = listed_acronyms()
    for page, text in texts.items():
        found += [(page, *one) for one in (*wide_lines(text), *unknown_acronyms(text, known))]
    return sorted(found, key=lambda one: (name_of(one[0]), one[1]))


def lines_of(pages, build):
    """What to print: findings without an exception, then exceptions that are none."""
    excused = list(exceptions())
    used = set()
    for page, line, start, what in findings(pages, build):
        by = [one for one in excused if one[0] == name_of(page) and one[1] and start.startswith(one[1])]
        used.update(by)
        if not by:
            yield f"{name_of(page)}:{line}: {what}"
    where = EXCEPTIONS.relative_to(ROOT).as_posix()
    if len(excused) > MOST_EXCEPTIONS:
        yield f"{where}: {len(excused)} exceptions, {MOST_EXCEPTIONS} are allowed"
    for page, start, reason in excused:
        if not reason:
            yield f"{where}: {page} | {start}: no reason"
        if ROOT / page in pages and (page, start, reason) not in used:
            yield f"{where}: {page} | {start}: excuses nothing any more: take it off the list"


def all_pages():
    return [page for page in site_pages.pages() if name_of(page) not in NOT_READ]


def check(asked, build):
    pages = [page.resolve() for page in asked] or all_pages()
    missing = [name_of(page) for page in pages if not page.is_file()]
    if missing:
        raise Failed(f"{missing[0]}: no such page")
    problems = list(lines_of(pages, build))
    for problem in problems:
        print(problem)
    return 1 if problems else 0
