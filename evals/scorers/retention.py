"""The retention scorer's face: presence in a payload, retention in free text, stale rules."""

from __future__ import annotations

from backslide.evals.scorers.freetext import RetentionVerdict, score_retention
from backslide.evals.scorers.presence import PayloadText, Presence, PresenceClass, Where, presence
from backslide.evals.scorers.stale import StaleVerdict, stale
from backslide.evals.scorers.values import Retention

__all__ = [
    "PayloadText",
    "Presence",
    "PresenceClass",
    "Retention",
    "RetentionVerdict",
    "StaleVerdict",
    "Where",
    "presence",
    "score_retention",
    "stale",
]
