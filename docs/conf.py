"""Settings of Sphinx for `make site`: the pages of this folder as a site, with warnings as errors."""

from __future__ import annotations

project = "shipmoor-hooks"
author = "The shipmoor-hooks maintainers"
copyright = "The shipmoor-hooks maintainers"  # noqa: A001 # the name that Sphinx reads
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# Links to files of the repository that are no pages (a schema, an example, a folder) are checked by tests/test_docs.py.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
html_theme = "furo"
html_title = "shipmoor-hooks"
html_copy_source = False
html_show_sphinx = False
