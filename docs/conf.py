"""Sphinx settings of the documentation site; ``script/docs`` builds it into ``out/docs``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from gossamer import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
gc.set_threshold(100_000, 50, 100)  # pages are large trees, which live until they are written

project = "Gossamer"
author = "The Gossamer developers"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",  # Markdown pages, and tutorials that are executed as notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",  # cards and tabs
    "sphinx_copybutton",
    "site_structure",
    "generated_reference",
]
highlight_language = "text"  # of blocks without a language: output
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_*", "**/.ipynb_checkpoints"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "out" / "docs-notebooks")
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 90

html_theme = "pydata_sphinx_theme"
html_title = "Gossamer"
html_static_path = ["_static"]
html_css_files = ["gossamer.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_theme_options = {
    "logo": {"text": "Gossamer"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "getting-started/index": ["sidebar-nav-bs"]}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
