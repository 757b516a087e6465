#!/usr/bin/env bash
# Writes the fixture of this case into the empty workspace, and nothing else.
set -euo pipefail
project=work/mailer
mkdir -p "$project"
cat > "$project/review.md" <<'DOC'
---
type: trekreview
review_version: "1.0"
---

# Review of the importer

### Finding 708269ae0043898dacb34d811f4db9a4661226b7 (MAJOR)

The loop that retries has no upper bound.
DOC
