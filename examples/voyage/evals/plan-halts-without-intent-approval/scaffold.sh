#!/usr/bin/env bash
# Writes the fixture of this case into the empty workspace, and nothing else.
set -euo pipefail
project=work/billing
mkdir -p "$project"
cat > "$project/brief.md" <<'DOC'
---
brief_version: "2.1"
phase_signals: [explore, plan]
---

# Importer

## Intent

Move the importer to the new store while it keeps serving.

## Scope

One table.
DOC
