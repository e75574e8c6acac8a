"""Which control plane an agent has: Pi's to the letter, or the one that repairs it."""

from __future__ import annotations

from typing import Literal

ControlProfile = Literal["pi-0.83", "robust"]
"""`pi-0.83` reproduces Pi 0.83.0, defects included; `robust` shares the machinery and differs where it is said.

Each difference, why it is there and the test that measures it: ``PROFILES.md`` beside this file.
"""

CONTROL_PROFILES: tuple[ControlProfile, ...] = ("pi-0.83", "robust")
