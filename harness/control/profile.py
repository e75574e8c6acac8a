"""Which control plane an agent has: Pi's to the letter, or the one that repairs it."""

from __future__ import annotations

from typing import Literal

ControlProfile = Literal["pi-0.83", "robust"]
"""`pi-0.83` reproduces Pi 0.83.0, defects included; `robust` shares the machinery and differs where it is said.

The differences of `robust` so far:

- a context whose last reply reports no usage is metered instead of left alone;
- a reply that overflowed leaves the context before it is asked for again, whatever its stop reason, so that a length
  stop does not end the prompt with an error; failed replies at the end of a rebuilt context leave it as well;
- an abort made inside the event that announces a wait or a compaction is heard;
- a summarizer's overflow is not asked for again;
- there are retries only if the agent is given a `RetryPolicy`;
- compacting by hand where there is nothing to compact tells nobody and returns False;
- the output limit of a request is not lowered by Pi's margin.
"""

CONTROL_PROFILES: tuple[ControlProfile, ...] = ("pi-0.83", "robust")
