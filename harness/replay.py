"""Plays a scripted agent run through the control plane, without a network and without waiting.

A debugger of retry and compaction policies: what happened in which order, what was asked of the models, what is in the
file. The shape of the result is that of the expected files in ``tests/data/pi/scenarios``.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from backslide.harness.compaction.strategies import make_strategy
from backslide.harness.control.abort import wait_for_nothing
from backslide.harness.control.agent import Agent
from backslide.harness.control.events import Event
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.replies import BashRun
from backslide.harness.errors import BackslideError, InputError
from backslide.harness.models.gateway import Gateway
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.replay_models import ProbeTool, QuarterCounter, ReplaySender, Script
from backslide.harness.replay_script import Injection, ReplayScript, Step
from backslide.harness.replay_trace import NAMES, UNSHOWN, entry_row, event_row, state_row
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo

START_MS = 1_767_225_600_000
"""Where the clock starts (2026-01-01T00:00:00Z); each reading is a millisecond later, so times never tie."""
SYSTEM_PROMPT = "You are a coding agent."


def replay(script: ReplayScript, control: ControlProfile = "pi-0.83") -> dict[str, Any]:
    """Return ``{trace, requests, entries, linesOnDisk}`` of a run."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_Replay(script, control, Path(folder) / "session.jsonl").play())


class _Replay:
    """One run under way."""

    def __init__(self, script: ReplayScript, control: ControlProfile, path: Path) -> None:
        self._script = script
        self._models = Script(script)
        self._path = path
        clock, ids = itertools.count(START_MS), itertools.count(1)
        self._session = Session.create(
            path, cwd="/replay", ids=lambda: f"{next(ids):08x}", now=lambda: next(clock), fsync="never"
        )
        self._session.append_model_change(script.model.provider, script.model.id)
        self._level = self._level_of(script.model)
        self._session.append_thinking_level_change(self._level)
        backend = self._models.backend
        self._agent = Agent(
            session=self._session,
            gateway=Gateway({"executor": backend, "summarizer": backend}),
            payloads=PayloadBuilder(QuarterCounter(), SYSTEM_PROMPT),
            model=script.model,
            tools=ProbeTool(),
            strategy=make_strategy("pi-0.83"),
            settings=script.settings,
            control=control,
            wait=wait_for_nothing,
            now=lambda: next(clock),
            sender=lambda agent: ReplaySender(agent, self._models),
        )
        self._agent.subscribe(self._hear)
        self._rows: list[list[Any]] = []
        self._heard: Counter[str] = Counter()
        self._injections: tuple[Injection, ...] = ()

    async def play(self) -> dict[str, Any]:
        trace = [await self._step(step) for step in self._script.steps]
        self._session.close()
        return {
            "trace": trace,
            "requests": self._models.requests,
            "entries": [entry_row(entry, self._session) for entry in self._session.entries],
            "linesOnDisk": self._path.read_bytes().count(b"\n") if self._path.exists() else 0,
        }

    async def _step(self, step: Step) -> dict[str, Any]:
        self._rows, self._heard, self._injections = [], Counter(), step.injections
        self._models.focus = step.fields.get("instructions")
        row: dict[str, Any] = {"step": step.do}
        try:
            row |= await self._do(step)
        except BackslideError as error:
            row["error"] = error.what if isinstance(error, InputError) else str(error)
        agent = self._agent
        row["events"] = self._rows
        row["after"] = state_row(self._session, agent.messages, agent.model, agent.retry_attempt)
        return row

    async def _do(self, step: Step) -> dict[str, Any]:
        """Do one step and return what its row holds besides events and state."""
        agent, fields = self._agent, step.fields
        match step.do:
            case "prompt":
                await agent.prompt(fields["text"])
            case "compact":
                await agent.compact(fields.get("instructions"))
            case "navigate":
                return {"editorText": await self._navigate(step)}
            case "bash":
                exclude = bool(fields.get("exclude"))
                agent.record_bash(BashRun(fields["command"], fields["output"], fields.get("exitCode"), exclude=exclude))
            case "custom":
                await agent.send_custom("note", fields["text"], trigger=bool(fields.get("trigger")))
            case "switchModel":
                self._switch(self._script.model if fields["to"] == 1 else self._script.second_model)
            case "setAutoCompaction":
                agent.set_auto_compaction(bool(fields.get("on")))
            case "setAutoRetry":
                agent.set_auto_retry(bool(fields.get("on")))
        return {}

    async def _navigate(self, step: Step) -> str | None:
        entries, at = self._session.entries, int(step.fields["entry"])
        if not 0 <= at < len(entries):
            raise InputError("Entry undefined not found")
        move = await self._agent.navigate(
            entries[at]["id"], summarize=bool(step.fields.get("summarize")), label=step.fields.get("label")
        )
        return move.editor_text

    def _switch(self, model: ModelInfo) -> None:
        wanted = self._level if self._agent.model.reasoning else self._script.settings.thinking_level
        self._agent.set_model(model)
        level = wanted if model.reasoning else "off"
        if level != self._level:
            self._level = level
            self._session.append_thinking_level_change(level)

    def _level_of(self, model: ModelInfo) -> str:
        return self._script.settings.thinking_level if model.reasoning else "off"

    def _hear(self, event: Event) -> None:
        """Note an event and make the calls that are due at it."""
        name = NAMES[type(event)]
        if name not in UNSHOWN:
            self._rows.append(event_row(event, self._session))
        self._heard[name] += 1
        for injection in self._injections:
            if injection.on == name and injection.nth == self._heard[name]:
                self._inject(injection)

    def _inject(self, injection: Injection) -> None:
        agent = self._agent
        if injection.call == "steer":
            agent.steer(injection.text)
        elif injection.call == "followUp":
            agent.follow_up(injection.text)
        else:
            action = {
                "abort": agent.abort,
                "abortRetry": agent.abort_retry,
                "abortCompaction": agent.abort_compaction,
            }[injection.call]
            if injection.sync:
                action()
            else:
                agent.soon(action)
