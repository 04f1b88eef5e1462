"""Makes HTML pages of the project's Markdown files and checks every link between them.

Usage: site.py FOLDER. Prints what is broken and exits with 1 then.
"""

import html
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

output = Path(sys.argv[1])
root = Path.cwd()
formatter = HtmlFormatter(nowrap=True)

STYLE = """
:root { --ink: #1c1e21; --quiet: #5b6470; --paper: #ffffff; --line: #dfe3e8; --shade: #f5f6f8;
  --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --quiet: #a2abb6; --paper: #15181c;
  --line: #343a42; --shade: #1e2227; --link: #8bbcf5; } }
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif }
a { color: var(--link) }
.skip { position: absolute; left: -100vw } .skip:focus { left: 1rem; top: 1rem }
.frame { display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 3rem; max-width: 68rem;
  margin: 0 auto; padding: 2rem 1.25rem 5rem }
nav { font-size: .9rem } nav h2 { font-size: .8rem; color: var(--quiet); margin: 1.4rem 0 .3rem;
  letter-spacing: .04em } nav ul { list-style: none; margin: 0; padding: 0 } nav li { margin: .2rem 0 }
nav a { text-decoration: none } nav a:hover { text-decoration: underline }
nav a[aria-current] { color: var(--ink); font-weight: 600 }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 1rem } h2 { margin-top: 2.4rem }
h1, h2, h3 { text-wrap: balance }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem;
  overflow-x: auto; font-size: .85rem; line-height: 1.5 }
code { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: .88em }
:not(pre) > code { background: var(--shade); padding: .1em .3em; border-radius: 4px }
.table { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border-bottom: 1px solid var(--line) }
th { color: var(--quiet); font-weight: 600 }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet) }
img { max-width: 100% } .k, .kd, .kc { color: #8a3ea8 } .s, .s1, .s2 { color: #a33b20 }
.c, .c1, .cm { color: var(--quiet); font-style: italic }
@media (prefers-color-scheme: dark) { .k, .kd, .kc { color: #d3a4e8 } .s, .s1, .s2 { color: #f0a58f } }
@media (max-width: 48rem) { .frame { grid-template-columns: minmax(0, 1fr); gap: 1rem }
  nav { order: 2; border-top: 1px solid var(--line) } }
"""


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        capture_output=True, text=True, check=True,
    ).stdout.split("\n")
    return sorted(
        name for name in listed
        if name and (name.startswith("docs/") or "/" not in name) and Path(name).exists()
    )


def page_of(name):
    """Where a Markdown file's page lies in the site."""
    folder, file = posixpath.split(name)
    if file.startswith("README"):
        file = "index" + file[len("README"):]
    return posixpath.join(folder, file[:-3] + ".html")


def slug(text, taken):
    """An anchor as the usual forges make it: lower case, hyphens, nothing else but letters."""
    base = re.sub(r"[^\w\- ]", "", text.lower(), flags=re.UNICODE).strip().replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    taken.add(anchor)
    return anchor


class Page:
    def __init__(self, name):
        self.name = name
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self.tokens = self.markdown.parse(Path(name).read_text(encoding="utf-8"))
        self.anchors = set()
        self.title = name
        self.links = []
        for index, token in enumerate(self.tokens):
            if token.type == "heading_open":
                text = "".join(
                    part.content for part in self.tokens[index + 1].children
                    if part.type in ("text", "code_inline")
                )
                token.attrSet("id", slug(text, self.anchors))
                if token.tag == "h1":
                    self.title = text
            for part in token.children or []:
                for attribute in ("href", "src"):
                    if part.attrGet(attribute):
                        self.links.append((part, attribute))

    def resolve(self, pages):
        """Turns links into those of the site; returns what leads nowhere."""
        broken = []
        here = posixpath.dirname(self.name)
        for part, attribute in self.links:
            link = part.attrGet(attribute)
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(here, path)) if path else self.name
            if (root / target).is_dir() and target + "/README.md" in pages:
                target += "/README.md"
            if target in pages:
                if anchor and anchor not in pages[target].anchors:
                    broken.append(f"{self.name}: {link}: no such heading in {target}")
                new = posixpath.relpath(page_of(target), posixpath.dirname(page_of(self.name)) or ".")
                part.attrSet(attribute, new + ("#" + anchor if anchor else ""))
            elif (root / target).is_file() and attribute == "src":
                copy = output / target
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes((root / target).read_bytes())
            elif (root / target).exists():
                # A source file: the site has no page of it, the text stays.
                self.unlink(part)
            else:
                broken.append(f"{self.name}: {link}: nothing at {target}")
        return broken

    @staticmethod
    def unlink(part):
        part.attrs = {}

    def body(self):
        def fence(tokens, index, options, environment):
            token = tokens[index]
            try:
                lexer = get_lexer_by_name(token.info.strip() or "text")
            except ClassNotFound:
                lexer = get_lexer_by_name("text")
            return f'<pre tabindex="0"><code>{highlight(token.content, lexer, formatter)}</code></pre>\n'

        self.markdown.renderer.rules["fence"] = fence
        text = self.markdown.renderer.render(self.tokens, self.markdown.options, {})
        text = text.replace("<table>", '<div class="table"><table>')
        return text.replace("</table>", "</table></div>")


GROUPS = [
    ("Start", "开始", lambda name: "/" not in name),
    ("Guides", "指南", lambda name: name.startswith(("docs/guide/", "docs/operators/", "docs/testers/"))),
    ("When something is wrong", "出现问题时", lambda name: name.startswith("docs/symptoms/")),
    ("The linter", "检查器", lambda name: name.startswith("docs/lint/")),
    ("Reference", "参考", lambda name: re.fullmatch(r"docs/[^/]+\.md", name)),
    ("Decisions", "决定", lambda name: name == "docs/decisions/README.md"),
]


def is_chinese(name):
    return name.endswith(".zh-Hans.md")


def navigation(page, pages):
    here = posixpath.dirname(page_of(page.name)) or "."
    chinese = is_chinese(page.name)
    parts = []
    for english, translated, belongs in GROUPS:
        rows = []
        for name in pages:
            if not belongs(name) or (is_chinese(name) != chinese and twin(name) in pages):
                continue
            mark = ' aria-current="page"' if name == page.name else ""
            link = posixpath.relpath(page_of(name), here)
            rows.append(f'<li><a href="{link}"{mark}>{html.escape(pages[name].title)}</a></li>')
        if rows:
            parts.append(f"<h2>{translated if chinese else english}</h2><ul>{''.join(rows)}</ul>")
    modules = sorted(path.name for path in (output / "api").glob("*") if path.is_dir())
    if modules:
        rows = [
            f'<li><a href="{posixpath.relpath("api/" + name + "/documentation/" + name.lower() + "/", here)}">'
            f"{name}</a></li>" for name in modules
        ]
        parts.append(f"<h2>API</h2><ul>{''.join(rows)}</ul>")
    return "".join(parts)


def twin(name):
    """The same page in the other language."""
    if is_chinese(name):
        return name[: -len(".zh-Hans.md")] + ".md"
    return name[: -len(".md")] + ".zh-Hans.md"


def write(page, pages):
    chinese = is_chinese(page.name)
    target = output / page_of(page.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    here = posixpath.dirname(page_of(page.name)) or "."
    skip, contents = ("跳到正文", "目录") if chinese else ("Skip to the text", "Contents")
    target.write_text(
        f'<!doctype html>\n<html lang="{"zh-Hans" if chinese else "en"}">\n<head>\n'
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(page.title)} – IAPKit</title>\n"
        f'<link rel="stylesheet" href="{posixpath.relpath("style.css", here)}">\n</head>\n<body>\n'
        f'<a class="skip" href="#text">{skip}</a>\n<div class="frame">\n'
        f'<nav aria-label="{contents}">{navigation(page, pages)}</nav>\n'
        f'<main id="text">\n{page.body()}</main>\n</div>\n</body>\n</html>\n',
        encoding="utf-8",
    )


pages = {name: Page(name) for name in sources()}
broken = [line for page in pages.values() for line in page.resolve(pages)]
for page in pages.values():
    write(page, pages)
(output / "style.css").write_text(STYLE.strip() + "\n", encoding="utf-8")
for line in broken:
    print(line)
print(f"site: {len(pages)} pages in {output}, {len(broken)} broken links")
sys.exit(1 if broken else 0)
