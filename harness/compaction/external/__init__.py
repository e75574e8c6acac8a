"""Other people's compactors: Python files and programs that speak JSON lines, as compaction strategies."""

from __future__ import annotations

from backslide.harness.compaction.external.check import check_compactor, run_checks
from backslide.harness.compaction.external.check_rules import CheckResult
from backslide.harness.compaction.external.errors import (
    CompactorError,
    Fault,
    NothingToCompactError,
    SummarizerError,
)
from backslide.harness.compaction.external.loader import load_compactor
from backslide.harness.compaction.external.protocol import (
    PROTOCOL_VERSION,
    Compactor,
    CompactorSession,
    Completion,
    Exchange,
    Keep,
    Kind,
    Limits,
    Model,
    Piece,
    Record,
    Status,
)
from backslide.harness.compaction.external.strategy import ExternalStrategy, external_strategy

__all__ = [
    "PROTOCOL_VERSION",
    "CheckResult",
    "Compactor",
    "CompactorError",
    "CompactorSession",
    "Completion",
    "Exchange",
    "ExternalStrategy",
    "Fault",
    "Keep",
    "Kind",
    "Limits",
    "Model",
    "NothingToCompactError",
    "Piece",
    "Record",
    "Status",
    "SummarizerError",
    "check_compactor",
    "external_strategy",
    "load_compactor",
    "run_checks",
]
