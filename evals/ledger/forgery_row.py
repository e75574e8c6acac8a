"""I-9: a mirror of the transcript makes the advisor write more of it; a brief does not."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from backslide.evals.ledger.measures import claimed_commits, forged_share, forgeries
from backslide.evals.ledger.model import LedgerRow, worse
from backslide.evals.ledger.payload import payload_risk
from backslide.evals.ledger.script import Consulted, ScriptDrive, drive_script
from backslide.evals.ledger.seed import seed_value
from backslide.evals.ledger.setup import AdvisorSetup, text_of
from backslide.harness.advisor import AdvisorConfig, MirrorLabels
from backslide.scenarios import Scenario

FOREIGN = MirrorLabels(
    inventory="~~ gear ~~",
    summary="~~ digest ~~",
    user="~~ captain ~~",
    thinking="~~ rumination ~~",
    assistant="~~ mate ~~",
    tool_calls="~~ orders ~~",
    tool_result="~~ log of ({tool}) ~~",
)
"""Labels of a transcript that are in nobody's marker data."""


def forgery_row(scenario: Scenario, scale: float, windows: float) -> LedgerRow:
    """Return I-9, with the payload risk of a mirror under usual and under foreign labels, and of a brief."""

    def drive(**config: Any) -> ScriptDrive:
        return drive_script(scenario, AdvisorSetup(AdvisorConfig(**config)), scale=scale, windows=windows)

    mirror, brief = drive(delivery="mirror"), drive(delivery="brief")
    stripped, foreign = drive(delivery="mirror", strip_inflight="on"), drive(delivery="mirror", labels=FOREIGN)
    bad, good = forged_share(mirror.replies), forged_share(brief.replies)
    verdicts = forgeries(mirror.replies)
    markers: Counter[str] = Counter()
    for verdict in verdicts:
        markers.update(verdict.markers)
    claimed, false = _claims(scenario, mirror.replies)
    return LedgerRow(
        id="I-9",
        defect="the advisor writes the executor's transcript",
        variant="delivery: mirror",
        repaired="delivery: brief",
        measure="forged share of the replies' characters",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-9"),
        scenario=scenario.id,
        caught=worse(bad, good),
        figures={
            "forged_replies_with_defect": mean(float(verdict.forged) for verdict in verdicts) if verdicts else None,
            "markers": dict(markers.most_common()),
            "commits_claimed": claimed,
            "commits_claimed_that_do_not_exist": false,
            "forged_share_without_the_pending_call": forged_share(stripped.replies),
            "mirror_chars": max((call.full_chars for call in mirror.consulted), default=None),
            "mirror_to_brief": mirror_to_brief(brief.consulted),
            "composition_of_a_mirror": composition(mirror.consulted),
            "risky_payloads_mirror": risky_share(mirror),
            "risky_payloads_without_the_pending_call": risky_share(stripped),
            "risky_payloads_foreign_labels": risky_share(foreign),
            "risky_payloads_brief": risky_share(brief),
            "forged_share_foreign_labels": forged_share(foreign.replies),
        },
    )


def risky_share(drive: ScriptDrive) -> float | None:
    """Return the share of requests whose last message invites to be continued."""
    risks = [
        float(payload_risk(text_of(exchange.request.messages[-1])).risky)
        for call in drive.consulted
        for exchange in call.exchanges
    ]
    return mean(risks) if risks else None


def mirror_to_brief(consulted: Sequence[Consulted]) -> float | None:
    """Return the characters of a whole mirror over those of the brief, at the consultation with the largest mirror."""
    by_size = sorted(consulted, key=lambda call: call.full_chars)
    delivery = by_size[-1].result.delivery if by_size else None
    return by_size[-1].full_chars / len(delivery.text) if delivery is not None and delivery.text else None


def composition(consulted: Sequence[Consulted]) -> dict[str, float]:
    """Return the shares of characters by origin over all deliveries of a drive, largest first."""
    total: Counter[str] = Counter()
    for call in consulted:
        if call.result.delivery is not None:
            total.update(call.result.delivery.characters)
    whole = total.total()
    return {origin: size / whole for origin, size in total.most_common()}


def _claims(scenario: Scenario, replies: Sequence[str]) -> tuple[int, int]:
    from backslide.scenarios.repository import build_repository

    with tempfile.TemporaryDirectory(prefix="backslide-") as folder:
        repository = build_repository(scenario, Path(folder) / "workspace")
        return claimed_commits(replies, repository.path)
