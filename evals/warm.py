"""What every worker needs, loaded once in the process that workers are forked from: the drive and the token ranks."""

from __future__ import annotations

from backslide.evals.unit import drive
from backslide.harness.payload.tokens import encoding

LOADED = (drive, encoding())
"""Loading this module is the point; processes forked from here find these ready."""
