"""The historical delivery: the executor's conversation as labelled text, incremental after a watermark.

It is full at first and again (a rebase) after a compaction or a divergence of the executor's branch. It ends on the
executor's call that is under way, unless that is left out, and a polite request. Kept because its defects are to be
measured: I-8 (a rebase grows at a compaction and stacks on the earlier delivery) and I-9 (it invites continuation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backslide.harness.advisor.config import AdvisorConfig, MirrorSource, WatermarkWalk
from backslide.harness.advisor.document import Document, Kind, Part
from backslide.harness.advisor.inventory import Definition, inventory_text, process_wide_inventory
from backslide.harness.advisor.state import MirrorState
from backslide.harness.advisor.transcript import open_advisor_calls, render_entries
from backslide.harness.session import Branch, Entry

FIRST_LEAD = "# The coding agent's session\n\n"
UPDATE_LEAD = "# The coding agent's session since then\n\n"
REBASE_LEAD = "# The coding agent's session, rewritten\nIt replaces everything you were shown of it before.\n\n"
REQUEST = "Please give your advice on the situation above."


@dataclass(frozen=True)
class MirrorPlan:
    """What the next delivery shows.

    `entries` are rendered; with a successful delivery everything up to `up_to` counts as delivered, and `covered` are
    the ids that an id list would hold. `up_to` is None where the watermark got lost.
    """

    kind: Kind
    cause: str
    entries: tuple[Entry, ...]
    up_to: str | None
    covered: tuple[str, ...]


def plan_mirror(
    branch: Branch,
    state: MirrorState | None,
    *,
    source: MirrorSource = "context-entries",
    walk: WatermarkWalk = "raw-branch",
) -> MirrorPlan:
    """Decide between an update and a full delivery; `state` is None before the first one.

    The watermark walks the raw branch, whatever a full delivery renders: what a summary replaced counts as delivered
    with it, and the id must be found on the path again. With `walk` on the resolved context it only counts what was
    rendered, so it shrinks to nothing at the first compaction.
    """
    raw = branch.entries
    resolved = branch.context_entries() if source == "context-entries" else raw
    cause = _cause_to_rebase(branch, state)
    if state is None or cause:
        kind: Kind = "first" if state is None else "rebase"
        rendered: Sequence[Entry] = resolved
    else:
        kind = "update"
        start = branch.position(state.watermark)
        rendered = raw[(-1 if start is None else start) + 1 :]
    covered = _ids(raw)
    if walk == "context-entries":
        covered = _leading_run(raw, {id(entry) for entry in branch.context_entries()})
    return MirrorPlan(kind, cause, tuple(rendered), covered[-1] if covered else None, tuple(covered))


def _cause_to_rebase(branch: Branch, state: MirrorState | None) -> str:
    if state is None:
        return ""
    if state.watermark is None:
        return "the watermark is missing"
    position = branch.position(state.watermark)
    if position is None:
        return "the branch has diverged"
    if branch.compactions and branch.compactions[-1] > position:
        return "the executor's session was compacted"
    return ""


def _leading_run(raw: Sequence[Entry], shown: set[int]) -> list[str]:
    """Return the ids from the root as far as every entry was rendered."""
    run = []
    for entry in raw:
        if id(entry) not in shown:
            break
        run.append(entry)
    return _ids(run)


def _ids(entries: Sequence[Entry]) -> list[str]:
    return [entry["id"] for entry in entries if isinstance(entry.get("id"), str)]


def mirror_document(
    branch: Branch, state: MirrorState | None, config: AdvisorConfig, tools: Sequence[Definition]
) -> Document:
    """Return the next delivery for an executor's branch."""
    plan = plan_mirror(branch, state, source=config.mirror_source, walk=config.watermark_walk)
    parts = [Part("frame", {"first": FIRST_LEAD, "update": UPDATE_LEAD}.get(plan.kind, REBASE_LEAD))]
    if plan.kind != "update":
        parts += inventory_parts(config, tools)
    hidden: frozenset[Any] = open_advisor_calls(branch.entries) if config.strip_inflight == "on" else frozenset()
    parts += render_entries(
        plan.entries,
        config.labels,
        entry_limit=config.entry_limit,
        result_limit=config.result_limit,
        leave_out=hidden,
    )
    parts.append(Part("frame", REQUEST))
    return Document(plan.kind, tuple(parts), plan.up_to, plan.covered, plan.cause)


def inventory_parts(config: AdvisorConfig, tools: Sequence[Definition]) -> list[Part]:
    """Return the executor's tools as a labelled block; nothing for an executor without tools."""
    if not tools:
        return []
    text = process_wide_inventory(tools) if config.inventory == "process-wide" else inventory_text(tools)
    return [Part("tools", f"{config.labels.inventory}\n{text}\n\n")]
