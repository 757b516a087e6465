#!/usr/bin/env bash
# Writes the fixture of this case into the empty workspace, and nothing else.
set -euo pipefail
project=work/search
mkdir -p "$project"
cat > "$project/review.md" <<'DOC'
---
type: trekreview
review_version: "1.0"
---

# Review of the importer

### Finding F-001 (MAJOR)

The loop that retries has no upper bound.
DOC
