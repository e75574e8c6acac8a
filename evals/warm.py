"""What every worker needs, loaded once in the process that workers are forked from: the drive and the token ranks."""

from __future__ import annotations

import backslide.evals.unit  # noqa: F401 - imported for its effect on the processes forked from here
from backslide.harness.payload.tokens import encoding

encoding()
