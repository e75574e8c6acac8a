"""Drives an advisor scenario: scripted turns through the control plane, consultations answered by the advisor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backslide.evals.ledger.setup import AdvisorSetup, Rig, make_rig
from backslide.evals.unit import scripted_replies
from backslide.evals.workspace import ScriptToolbox, WorkspaceFiles
from backslide.harness.advisor import AdvisorConfig, AdvisorResult
from backslide.harness.advisor.mirror import mirror_document
from backslide.harness.control.tools import ToolResult
from backslide.harness.models.gateway import Exchange
from backslide.harness.models.script import ScriptedReply, ScriptModel
from backslide.harness.payload.tokens import shared_counter
from backslide.scenarios import Scenario
from backslide.scenarios.model import AssistantStep
from backslide.scenarios.render import RenderedTurn, render

ADVISOR = "advisor"
REFUSED = "The advisor is not available now."


@dataclass(frozen=True)
class Consulted:
    """One consultation: what came of it, the requests that it took, and where the executor's session stood.

    `full_chars` and `raw_chars` are the characters of a whole mirror at this moment, of the resolved context and of the
    raw branch; `state` is the stored bytes of the mirror's state after it (None without one), `tool_text` what the
    executor read.
    """

    result: AdvisorResult
    exchanges: tuple[Exchange, ...]
    tool_text: str
    compactions: int
    full_chars: int
    raw_chars: int
    state: int | None = None


@dataclass(frozen=True)
class ScriptDrive:
    """What came of a drive, in order; `user_words` is everything the user said."""

    rig: Rig
    consulted: tuple[Consulted, ...]
    user_words: tuple[str, ...] = ()

    @property
    def replies(self) -> list[str]:
        """Return the advisor's completed replies."""
        return [call.result.text for call in self.consulted if call.result.completed]


def drive_script(
    scenario: Scenario,
    setup: AdvisorSetup,
    *,
    scale: float = 1.0,
    windows: float | None = None,
    skipping: Collection[int] = (),
    tools: Sequence[dict[str, Any]] | None = None,
) -> ScriptDrive:
    """Drive a scenario's turns under an advisor; `scale` raises noise and windows together.

    `windows` is the scale of the windows alone, for sessions that are long for their window. The host refuses
    consultations whose numbers are in `skipping`. `tools` are the executor's definitions besides the advisor, if not
    the usual ones.
    """
    return asyncio.run(_Drive(scenario, setup, (scale, windows or scale), frozenset(skipping), tools).run())


def until_consulted(scenario: Scenario, times: int = 1) -> Scenario:
    """Return the scenario up to the turn of its `times`-th consultation."""
    seen = 0
    for index, turn in enumerate(scenario.turns):
        steps = [step for step in turn.steps if isinstance(step, AssistantStep)]
        seen += sum(call.tool == ADVISOR for step in steps for call in step.calls)
        if seen >= times:
            return scenario.model_copy(update={"turns": scenario.turns[: index + 1]})
    return scenario


class _Drive:
    def __init__(
        self,
        scenario: Scenario,
        setup: AdvisorSetup,
        scales: tuple[float, float],
        skipping: frozenset[int],
        tools: Sequence[dict[str, Any]] | None,
    ) -> None:
        self.scenario = scenario
        self.scale, windows = scales
        self.skipping = skipping
        self.asked = 0
        self.script = ScriptModel(shared_counter("meter").count)
        self.inner = ScriptToolbox(WorkspaceFiles.of(scenario))
        if tools is not None:
            self.inner.definitions = list(tools)
        self.rig = make_rig(scenario, setup, self.script, self.inner, scale=windows)
        self.config = setup.config
        self.consulted: list[Consulted] = []

    async def run(self) -> ScriptDrive:
        said: list[str] = []
        original = self.rig.tools.run

        async def watched(call: dict[str, Any]) -> ToolResult:
            if call.get("name") == ADVISOR:
                self.asked += 1
                if self.asked in self.skipping:
                    return ToolResult(REFUSED, is_error=True)
            result = await original(call)
            if call.get("name") == ADVISOR:
                self._note(result)
            return result

        # The agent calls its toolbox; what a consultation came to is noted at the moment it comes back.
        self.rig.agent.tools = _Watched(self.rig.tools.definitions, watched)
        with self.rig.session:
            for turn in render(self.scenario, self.scale).turns:
                said.append(turn.user)
                self.script.feed(live_replies(turn, self.config))
                self.inner.load(
                    {
                        step.call_id: ToolResult(step.text, step.error)
                        for step in turn.steps
                        if not isinstance(step, AssistantStep) and step.tool != ADVISOR
                    }
                )
                await self.rig.agent.prompt(turn.user)
                # A turn that a fault has cut short must not lend its replies to the next one.
                self.script.clear()
        return ScriptDrive(self.rig, tuple(self.consulted), tuple(said))

    def _note(self, result: ToolResult) -> None:
        rig = self.rig
        if len(rig.tools.results) <= len(self.consulted):
            return
        known = sum(len(call.exchanges) for call in self.consulted)
        view = rig.session.view()
        context, raw = (
            mirror_document(view, None, self.config.with_changes(mirror_source=source), rig.tools.definitions)
            for source in ("context-entries", "raw-branch")
        )
        states = []
        if rig.tools.results[-1].session_id is not None:
            states = [entry for entry in rig.own.entries if entry.get("customType") == "mirror-state"]
        self.consulted.append(
            Consulted(
                rig.tools.results[-1],
                tuple(rig.advised[known:]),
                result.text,
                sum(entry.get("type") == "compaction" for entry in rig.session.branch()),
                len(context.text),
                len(raw.text),
                state_bytes(states[-1]["data"]) if states else None,
            )
        )


class _Watched:
    """A toolbox whose calls are looked at as they come back."""

    def __init__(
        self, definitions: list[dict[str, Any]], run: Callable[[dict[str, Any]], Awaitable[ToolResult]]
    ) -> None:
        self._definitions = definitions
        self._run = run

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Return the tool definitions."""
        return self._definitions

    async def run(self, call: dict[str, Any]) -> ToolResult:
        """Run one call."""
        return await self._run(call)


def live_replies(turn: RenderedTurn, config: AdvisorConfig) -> list[ScriptedReply]:
    """Return a turn's scripted replies; where the host writes the payload, a consultation has no arguments."""
    replies = list(scripted_replies(turn))
    if config.delivery == "brief":
        return replies
    return [
        ScriptedReply([_bare(block) for block in reply.content], reply.stop_reason, reply.error_message)
        for reply in replies
    ]


def _bare(block: Mapping[str, Any]) -> dict[str, Any]:
    if block.get("type") == "toolCall" and block.get("name") == ADVISOR:
        return {**block, "arguments": {}}
    return dict(block)


def state_bytes(data: Any) -> int:
    """Return the bytes of a mirror's state as it is stored."""
    return len(json.dumps(data, separators=(",", ":")).encode())
