"""One record for each decision, without a word of what was asked: docs/audit.md."""
