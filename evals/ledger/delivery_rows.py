"""I-7, I-7b and I-8: what becomes of an advisor's session that is compacted, fails, or is sent everything again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backslide.evals.ledger.failing import failing_at
from backslide.evals.ledger.measures import (
    identity_share,
    resent_share,
    shrink_at_compaction,
    stacking,
)
from backslide.evals.ledger.model import LedgerRow, worse
from backslide.evals.ledger.script import ScriptDrive, drive_script
from backslide.evals.ledger.seed import seed_value
from backslide.evals.ledger.setup import AdvisorSetup
from backslide.harness.advisor import AdvisorConfig
from backslide.scenarios import Scenario

COMPACT_ABOVE = 8_000
"""Tokens from which the advisor's session is compacted in I-7; small, as the scenario is."""
FAILING = (2, 3)
"""The calls that fail in I-7b: two in a row, as in the original."""

REBASE_SCALES = (6.0, 2.0)
"""Scales of noise and of windows in I-8: a session that is long for its window, and compacted more than once."""
STACKING_SKIPS = (1, 2)
"""Consultations of the long scenario that stacking leaves out: the first delivery is to be as long as the next."""

MIRROR = AdvisorConfig(delivery="mirror")


def identity_row(scenario: Scenario) -> LedgerRow:
    """Return I-7: the executor's summary template applied to the advisor's own session."""
    off = AdvisorSetup(MIRROR, compact_above=COMPACT_ABOVE)
    on = AdvisorSetup(MIRROR.with_changes(compaction="on"), compact_above=COMPACT_ABOVE)
    defective, repaired = drive_script(scenario, on), drive_script(scenario, off)
    bad, good = identity_share(defective.replies), identity_share(repaired.replies)
    return LedgerRow(
        id="I-7",
        defect="compaction turns the advisor into the executor",
        variant="advisor-compaction: on, delivery: mirror",
        repaired="advisor-compaction: off, delivery: mirror",
        measure="share of replies with inverted identity",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-7"),
        scenario=scenario.id,
        caught=worse(bad, good),
        figures={
            "replies": len(defective.replies),
            "compactions_of_the_advisor": sum(status.compactions for status in defective.rig.advisor.status()),
        },
    )


def resend_row(scenario: Scenario) -> LedgerRow:
    """Return I-7b: a failed delivery stays in the session and is sent again with the next one."""

    def drive(policy: Any) -> ScriptDrive:
        config = MIRROR.with_changes(failed_delivery=policy)
        return drive_script(scenario, AdvisorSetup(config, wrap=failing_at(*FAILING)))

    defective, repaired = drive("resend"), drive("repair")
    bad, good = resent_share(_bodies(defective)), resent_share(_bodies(repaired))
    return LedgerRow(
        id="I-7b",
        defect="a failed delivery is sent again beside its successor",
        variant="failed-delivery: resend, delivery: mirror",
        repaired="failed-delivery: repair, delivery: mirror",
        measure="common prefix of successive deliveries in one request",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-7b"),
        scenario=scenario.id,
        caught=worse(bad, good),
        figures={
            "request_bytes_with_defect": _sizes(defective),
            "request_bytes_repaired": _sizes(repaired),
            "failed_calls_in_status": sum(status.failed for status in defective.rig.advisor.status()),
        },
    )


def rebase_row(scenario: Scenario, long: Scenario) -> LedgerRow:
    """Return I-8: a rebase renders what a summary has replaced, and stacks on the deliveries before it.

    Stacking is measured on the `long` scenario, where deliveries dwarf the advisor's replies as they did originally.
    """

    def drive(scales: tuple[float, float], **config: Any) -> ScriptDrive:
        setup = AdvisorSetup(MIRROR.with_changes(**config))
        return drive_script(scenario, setup, scale=scales[0], windows=scales[1])

    raw, resolved = (drive(REBASE_SCALES, mirror_source=source) for source in ("raw-branch", "context-entries"))
    # Few compactions here, so that rebases without one stand out.
    usual, shrinking = (drive((1.0, 1.0), watermark_walk=walk) for walk in ("raw-branch", "context-entries"))
    listed = drive((1.0, 1.0), mirror_state="id-list")
    bad, good = shrink_at_compaction(raw.consulted), shrink_at_compaction(resolved.consulted)
    noise, windows = REBASE_SCALES
    stacked = drive_script(
        long,
        AdvisorSetup(MIRROR.with_changes(mirror_source="raw-branch")),
        scale=noise,
        windows=windows,
        skipping=STACKING_SKIPS,
    )
    factor, explained = stacking(stacked.consulted)
    return LedgerRow(
        id="I-8",
        defect="a rebase does not shrink at a compaction, and stacks",
        variant="mirror-source: raw-branch, delivery: mirror",
        repaired="mirror-source: context-entries, delivery: mirror",
        measure="shrink of a rebase against the raw branch",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-8"),
        scenario=scenario.id,
        # To shrink is good: the defective side is the one that shrinks less.
        caught=worse(good, bad),
        figures={
            "rebase_chars_with_defect": _largest_rebase(raw),
            "rebase_chars_repaired": _largest_rebase(resolved),
            "stacking_factor": factor,
            "payload_explained_by_stacked_deliveries": explained,
            "rebases_watermark_on_raw_branch": rebases(usual),
            "rebases_watermark_on_context": rebases(shrinking),
            "state_bytes_watermark": _states(usual),
            "state_bytes_id_list": _states(listed),
        },
    )


def rebases(drive: ScriptDrive) -> int:
    """Return how many deliveries of a drive were rebases."""
    return sum(call.result.delivery is not None and call.result.delivery.kind == "rebase" for call in drive.consulted)


def _largest_rebase(drive: ScriptDrive) -> int | None:
    deliveries = [call.result.delivery for call in drive.consulted if call.result.delivery is not None]
    return max((len(delivery.text) for delivery in deliveries if delivery.kind == "rebase"), default=None)


def _states(drive: ScriptDrive) -> list[int]:
    return [call.state for call in drive.consulted if call.state is not None]


def _bodies(drive: ScriptDrive) -> Sequence[Sequence[dict[str, Any]]]:
    return [exchange.request.messages for call in drive.consulted for exchange in call.exchanges]


def _sizes(drive: ScriptDrive) -> list[int]:
    return [exchange.request.measure.bytes for call in drive.consulted for exchange in call.exchanges]
