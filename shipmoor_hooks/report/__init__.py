"""`report`: a page to look at, its text in a terminal, and the same as JSON and Markdown (design, section 7)."""
