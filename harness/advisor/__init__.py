"""The advisor: a second model in a session of its own, without tools, which an executor may consult.

The default is a brief that the executor writes, one persistent session per executor session, no automatic compaction,
and errors as results. Each defect of the historical advisor is a variant of `AdvisorConfig`.
"""

from __future__ import annotations

from backslide.harness.advisor.advisor import Advisor
from backslide.harness.advisor.brief import Brief
from backslide.harness.advisor.choice import Choice
from backslide.harness.advisor.compaction import AdvisorCompaction
from backslide.harness.advisor.config import AdvisorConfig
from backslide.harness.advisor.envelope import AdvisorResult, DeliveryInfo
from backslide.harness.advisor.guideline_file import Guidelines, builtin_guidelines, load_guidelines
from backslide.harness.advisor.labels import MirrorLabels
from backslide.harness.advisor.pool import AdvisorPool, advisor_path, advisor_session_id
from backslide.harness.advisor.status import AdvisorStatus
from backslide.harness.advisor.toolbox import AdvisorToolbox, advisor_tool

__all__ = [
    "Advisor",
    "AdvisorCompaction",
    "AdvisorConfig",
    "AdvisorPool",
    "AdvisorResult",
    "AdvisorStatus",
    "AdvisorToolbox",
    "Brief",
    "Choice",
    "DeliveryInfo",
    "Guidelines",
    "MirrorLabels",
    "advisor_path",
    "advisor_session_id",
    "advisor_tool",
    "builtin_guidelines",
    "load_guidelines",
]
