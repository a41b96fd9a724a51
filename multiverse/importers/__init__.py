"""Logs of other harnesses as studies: one module a format, and one table of them."""

from multiverse.importers.exporting import export_study
from multiverse.importers.formats import FORMATS, detect
from multiverse.importers.importing import Imported, import_declared, import_log
from multiverse.importers.reconciliation import reconciled_words

__all__ = ["FORMATS", "Imported", "detect", "export_study", "import_declared", "import_log", "reconciled_words"]
