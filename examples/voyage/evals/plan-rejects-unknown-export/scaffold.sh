#!/usr/bin/env bash
# Writes the fixture of this case into the empty workspace, and nothing else.
set -euo pipefail
project=work/importer
mkdir -p "$project"
cat > "$project/brief.md" <<'DOC'
---
brief_version: "2.1"
intent_approved_hash: a08aa7c799e4d0a151884b603286d8f54cc20c6c4f63493fd227dd1d128ac0c5
phase_signals: [explore, plan]
---

# Importer

## Intent

Move the importer to the new store while it keeps serving.

## Scope

One table.
DOC
