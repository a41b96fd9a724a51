"""The report of one audit: a page, a text, figures."""
