"""The receipts of a study: freezes, gates, runs and corrections in one append-only chain (docs/receipts.md)."""
