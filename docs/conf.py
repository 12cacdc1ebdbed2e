"""How Sphinx builds the site; `python -m docs.site` gathers the pages and calls it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.site import mathml
from docs.site.reference import is_skipped, link_pages
from driftwise import __version__

project = "driftwise"
author = "The driftwise developers"
release = version = __version__
extensions = ["myst_parser", "numpydoc", "sphinx_copybutton"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

default_role = "py:obj"
smartquotes = False  # options begin with two hyphens, which are not a dash
add_module_names = False
maximum_signature_line_length = 90
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "driftwise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = html_copy_source = html_show_sourcelink = False
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_domain_indices = False  # of modules: reference/index.md has them
html_show_search_summary = False  # it would be fetched page by page, which files forbid
html_math_renderer = "mathml"
pygments_style, pygments_dark_style = "default", "native"


def setup(app: Any) -> None:
    """Add what Sphinx does not bring."""
    mathml.add_to(app)
    app.connect("autodoc-skip-member", is_skipped)
    app.connect("autodoc-process-docstring", link_pages)
