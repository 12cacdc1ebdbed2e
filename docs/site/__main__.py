"""Build the site: gather pages, let Sphinx write HTML, check every link. `make docs` calls this."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from .links import broken_links
from .pages import all_pages

ROOT = Path(__file__).parents[2]
PAGES, SITE = ROOT / "build" / "pages", ROOT / "build" / "site"


def main() -> int:
    """Build everything anew; return 0 if nothing was wrong."""
    from sphinx.cmd.build import main as sphinx  # of the docs extra

    start = time.perf_counter()
    for folder in (PAGES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    pages = all_pages(ROOT)
    for name, content in pages.items():
        path = PAGES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    gathered = time.perf_counter()
    options = ["-q", "-j", "auto", "-W", "--keep-going", "-b", "html", "-c", str(ROOT / "docs")]
    status = sphinx([*options, "-d", str(PAGES / ".doctrees"), str(PAGES), str(SITE)])
    complaints = [] if status == 2 else broken_links(SITE)  # 2: it stopped half-way
    print(*complaints, sep="\n", file=sys.stderr, end="\n" * bool(complaints))
    done = time.perf_counter()
    print(
        f"{SITE / 'index.html'}: {gathered - start:.0f} s for pages and pictures,"
        f" {done - gathered:.0f} s for HTML"
    )
    return status or bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
