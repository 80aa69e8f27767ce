"""How Sphinx builds the pages: `make docs`. What Sphinx lacks is in sphinx_topofs.py.

Why these tools (compared on 2026-11-19, when Material for MkDocs had gone into maintenance):

- Sphinx checks every link between pages, sections and docstrings, and `make docs` makes warnings
  errors. MyST keeps the pages Markdown, so they can be read without a build. numpydoc and
  sphinx-gallery are what scikit-learn and its relatives use.
- Two themes were tried with all pages, pydata-sphinx-theme and furo. Both take about 15 s of
  processor time (Material took 3 s) and 20 MB, have a dark mode, work on a phone and without a
  network, and use Sphinx's search. pydata-sphinx-theme searches as one types, can switch between
  versions, and is maintained by a group; numpy, pandas and scikit-learn use it. So it was chosen.
- Examples do not run here: the gallery shows outputs that the tests check.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs"), str(ROOT / "src"), str(ROOT / "study" / "src")]

import topofs  # noqa: E402

project = "topofs"
author = "The topofs developers"
copyright = author  # noqa: A001
version = release = topofs.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinx_topofs",
]

myst_heading_anchors = 4
default_role = "literal"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc says the types
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True, "inherited-members": True}
# Optional packages, which the build does without.
autodoc_mock_imports = [
    *("anndata", "array_api_compat", "baycomp", "cupy", "dask", "distributed", "h5py"),
    *("joblib", "matplotlib", "networkx", "pandas", "polars", "pooch", "rich", "rustworkx"),
    *("scikit_posthocs", "statsmodels", "torch", "typer"),
]
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "plot_gallery": False,  # nothing runs
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

copybutton_exclude = ".linenos, .gp, .go"  # commands alone, without prompts and output

html_theme = "pydata_sphinx_theme"
html_title = "topofs"
html_static_path = ["_static"]
html_css_files = ["topofs.css"]
html_math_renderer = "mathml"  # of sphinx_topofs.py: no script, no other host
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's machine
html_sidebars = {"**": ["sidebar-nav-bs"], "index": [], "tutorial/index": []}
html_theme_options = {
    "footer_start": [],
    "footer_end": [],
    "navigation_with_keys": False,
    "search_as_you_type": True,
    "secondary_sidebar_items": ["page-toc"],
}
toc_object_entries_show_parents = "hide"
