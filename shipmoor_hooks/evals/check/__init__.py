"""`eval check`: what the structure of an eval suite says without a model (design, section 8)."""
