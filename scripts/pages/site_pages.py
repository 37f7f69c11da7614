# SPDX-License-Identifier: Apache-2.0
"""The site: mkdocs over a copy of the repository's pages in which links to sources lead to pages that show them.

Its tabs are by purpose: to learn (Tutorial), to get something done (How-to), to look something up (Reference), to
understand (Explanation). Every page but the first is in one of them.
"""

import json
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
HOME = "README.md"
TABS = {
    "Tutorial": {
        "docs/tutorial.md": "A question and its answer",
        "docs/area-example.md": "Performance per area",
    },
    "How-to": {
        "docs/installing.md": "Install",
        "docs/cuda.md": "Compile and run CUDA programs",
        "docs/profiling.md": "Find where a program diverges",
        "docs/explain.md": "Explain a difference",
        "docs/tracing.md": "See what happens when",
        "docs/checking.md": "Check a program's memory accesses",
        "docs/sampling.md": "Time a part of a long program",
        "docs/token-stack.md": "Predict the cost of loops",
        "docs/python.md": "Use it from Python",
        "docs/editors.md": "Complete and check files in an editor",
        "docs/studies.md": "Run studies",
        "docs/reports.md": "Read and send reports",
        "docs/gallery.md": "Pictures, and how to make them",
        "docs/originals.md": "Run the papers' own programs",
        "docs/area.md": "Cost area, time and energy",
        "docs/correlate.md": "Hold the model to a GPU",
        "docs/add-a-mechanism.md": "Add a mechanism",
        "docs/co-simulation.md": "Put RTL into the machine",
        "docs/embedding.md": "Put the GPU into a platform",
        "docs/plug-ins.md": "Bring a mechanism or a memory as a plug-in",
        "docs/measuring.md": "Measure the simulator",
        "CONTRIBUTING.md": "Contribute",
    },
    "Reference": {
        "docs/running.md": "Running programs",
        "docs/commands.md": "Commands",
        "docs/configuration.md": "Machine parameters",
        "docs/from-gpgpu-sim.md": "From GPGPU-Sim's parameters",
        "docs/machines.md": "Machines",
        "docs/mechanisms.md": "Mechanisms and their parameters",
        "docs/warp-synchronous.md": "Warp-synchronous code",
        "docs/statistics.md": "Statistics",
        "docs/tables.md": "Tables for programs",
        "docs/study-files.md": "Study files",
        "docs/launch-files.md": "Launch files",
        "docs/study-store.md": "The store of studies",
        "tb/workloads/README.md": "Bundled workloads",
        "docs/cuda-support.md": "What of CUDA there is",
        "docs/cuda-libraries.md": "CUDA's headers and libraries",
        "docs/runtime.md": "The CUDA run time",
        "docs/textures.md": "Textures and surfaces",
        "rtl/README.md": "RTL blocks",
        "docs/glossary.md": "Glossary",
        "CHANGELOG.md": "What has changed",
    },
    "Explanation": {
        "docs/architecture.md": "How the model is built",
        "docs/mechanism-decisions.md": "Where the papers are silent",
        "docs/registers.md": "Registers and occupancy",
        "docs/cuda-code.md": "Compiled code beside other compilers'",
        "docs/area-model.md": "The model behind area, time and energy",
        "docs/intra-warp.md": "Intra-warp compaction",
        "docs/likely-convergence.md": "Likely convergence",
        "docs/paper-comparison.md": "Beside the papers' figures",
        "docs/paper-tbc.md": "Thread block compaction's figures",
        "docs/paper-tstbc.md": "Two-stage synchronisation's figures",
        "docs/paper-harp.md": "HARP's figures",
        "docs/paper-divergence-cost.md": "Figures of the cost of divergence",
        "docs/paper-intra-warp.md": "Intra-warp compaction's figures",
        "docs/headlines.md": "The papers' claims, counted",
        "docs/all-mechanisms.md": "Every mechanism, side by side",
        "docs/silicon.md": "Beside a chip",
        "docs/testing.md": "How it is tested",
        "docs/fuzzing.md": "Generated programs and damaged input",
    },
}
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


def misplaced():
    """A line for each page that is not in one tab, and for each entry of TABS that is no page."""
    placed = [HOME, *(page for tab in TABS.values() for page in tab)]
    names = [page.relative_to(ROOT).as_posix() for page in pages()]
    for name in names:
        if name not in placed:
            yield (f"{name} is in no tab of the site: give it a line in TABS of scripts/pages/site_pages.py, under "
                   + ", ".join(TABS))
    for name in sorted(set(placed)):
        if name not in names:
            yield f"{name} is in TABS of scripts/pages/site_pages.py, and there is no such page"
        if placed.count(name) > 1:
            yield f"{name} is in more than one tab of scripts/pages/site_pages.py"


def settings():
    """mkdocs.yml with the tabs, in JSON, which is YAML."""
    tabs = [{tab: [{title: page} for page, title in listed.items()]} for tab, listed in TABS.items()]
    return f"{(HERE / 'mkdocs.yml').read_text()}nav: {json.dumps([{'Home': HOME}, *tabs])}\n"


def index_for_disk(site):
    """Pages from disk may not fetch the search index; they may load it as a script."""
    index = (site / "search" / "search_index.json").read_text()
    (site / "search" / "search_index.js").write_text(f"var __search = {{ index: Promise.resolve({index}) }};\n")


def build(site):
    problems = list(misplaced())
    if problems:
        raise Failed("\n".join(problems))
    if shutil.which("mkdocs") is None:
        raise Failed("mkdocs is missing: apt-get install mkdocs mkdocs-material")
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "pages"
        Staging(staged).add_all()
        shutil.copytree(HERE / "theme", Path(folder) / "theme")
        (Path(folder) / "mkdocs.yml").write_text(settings())
        ran = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "--site-dir", site], cwd=folder)
    if ran.returncode != 0:
        raise Failed("mkdocs build --strict fails")
    index_for_disk(site)
    problems = list(broken_links(site))
    if problems:
        raise Failed("\n".join(problems))
    print(f"{site}/index.html")
    return 0
