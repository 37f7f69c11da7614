# SPDX-License-Identifier: Apache-2.0
"""The site: mkdocs over a copy of the repository's pages in which links to sources lead to pages that show them."""

import re
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
OTHERS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "rtl/README.md", "tb/workloads/README.md"]
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".cu": "cuda", ".sv": "systemverilog", ".yaml": "yaml", ".py": "python"}
PICTURES = {".svg", ".png"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")


class Failed(Exception):
    """Something that keeps the site from being what it should."""


def pages():
    return [ROOT / name for name in OTHERS] + sorted((ROOT / "docs").glob("*.md"))


def outside_code(text, change):
    """Lets `change` have what is not between fences."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def table_row(match):
    """A | within code of a table is written \\| for GitHub; here it stands for itself."""
    return re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), match[0])


def plain(text):
    """What mkdocs reads otherwise than GitHub does."""
    text = re.sub(r"^<!-- .* -->\n", "", text, flags=re.M)
    text = re.sub(r"^\|.*$", table_row, text, flags=re.M)
    text = re.sub(r"^(?![-*\d|>#\s])(.+)\n(?=(?:- |1\. ))", r"\1\n\n", text, flags=re.M)
    return re.sub(r"^(?![|\s])(.+)\n(?=\|)", r"\1\n\n", text, flags=re.M)


class Staging:
    """The copy that mkdocs reads."""

    def __init__(self, folder):
        self.folder = folder

    def add_all(self):
        for page in pages():
            text = outside_code(page.read_text(), lambda part: self.relinked(plain(part), page))
            self.put(page.relative_to(ROOT), text.replace("\n```console\n", "\n```text\n"))  # tables are no shell
        for asset in ("style.css", "search.js"):
            self.put(Path("assets") / asset, (HERE / asset).read_text())

    def put(self, name, text):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def relinked(self, text, page):
        return LINK.sub(lambda m: m[1] + self.target(m[2], page) + m[3], text)

    def target(self, link, page):
        path, hash_mark, fragment = link.partition("#")
        if not path or "://" in path:
            return link
        file = (page.parent / path).resolve()
        name = file.relative_to(ROOT)
        if not file.is_file():
            raise Failed(f"{page.relative_to(ROOT)}: {link}: no such file")
        if file.suffix in PICTURES:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, self.folder / name)
            return link
        if file.suffix == ".md":
            if file not in pages():
                raise Failed(f"{page.relative_to(ROOT)}: {link}: this page is not in the site")
            return link
        self.put(f"{name}.md", f"# {name}\n\n```{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}```\n")
        return f"{path}.md{hash_mark}{fragment}"


class Page(HTMLParser):
    """What a built page has for links to lead to, and where its own lead."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.names.update(found[key] for key in ("id", "name") if found.get(key))
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def broken_links(site):
    """A line for each link of a page that leads nowhere or away from the disk."""
    built = {path: Page(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}
    for path, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link}: no such file"
            elif parts.fragment and target in built and unquote(parts.fragment) not in built[target].names:
                yield f"{path.relative_to(site)}: {link}: no such heading"


def not_in_navigation():
    listed = (HERE / "mkdocs.yml").read_text()
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        if not re.search(rf": {re.escape(name)}$", listed, re.M):
            yield f"{name}: put this page into `nav` of scripts/pages/mkdocs.yml"


def index_for_disk(site):
    """Pages from disk may not fetch the search index; they may load it as a script."""
    index = (site / "search" / "search_index.json").read_text()
    (site / "search" / "search_index.js").write_text(f"var __search = {{ index: Promise.resolve({index}) }};\n")


def build(site):
    problems = list(not_in_navigation())
    if problems:
        raise Failed("\n".join(problems))
    if shutil.which("mkdocs") is None:
        raise Failed("mkdocs is missing: apt-get install mkdocs mkdocs-material")
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "pages"
        Staging(staged).add_all()
        shutil.copytree(HERE / "theme", Path(folder) / "theme")
        shutil.copyfile(HERE / "mkdocs.yml", Path(folder) / "mkdocs.yml")
        ran = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "--site-dir", site], cwd=folder)
    if ran.returncode != 0:
        raise Failed("mkdocs build --strict fails")
    index_for_disk(site)
    problems = list(broken_links(site))
    if problems:
        raise Failed("\n".join(problems))
    print(f"{site}/index.html")
    return 0
