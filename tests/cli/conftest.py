"""The record builders of tests/evals serve the commands too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "evals"))
