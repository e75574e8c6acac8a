"""Whatever happens to an agent, in whatever order: its requests are sound, and its file tells the same story."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig import COUNTER, Rig, call, calling, failed, filler, make_rig, overflowed, said, text
from tool_pairs import assert_paired

from backslide.harness.compaction.strategies.base import CompactionError
from backslide.harness.control.errors import CannotContinueError
from backslide.harness.control.profile import ControlProfile
from backslide.harness.control.replies import BashRun
from backslide.harness.control.retry import ExponentialBackoff
from backslide.harness.control.tools import ToolResult
from backslide.harness.control.usage import session_usage
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.session import Session
from backslide.harness.settings import ModelInfo

SIZES: dict[str, Any] = {"window": 1600, "reserve": 400, "keep_tokens": 250, "keep_turns": 2}
NAMES = (
    "say",
    "say",
    "tools",
    "tools",
    "retry",
    "fail",
    "overflow",
    "length",
    "silent overflow",
    "steer",
    "follow up",
    "abort request",
    "abort tools",
    "compact",
    "navigate",
    "navigate with summary",
    "label",
    "model",
    "bash",
    "custom",
    "reopen",
)
steps = st.tuples(
    st.sampled_from(NAMES), st.integers(0, 30), st.sampled_from(["good", "good", "error", "empty", "passing", "abort"])
)

Answer = Reply | Callable[[Request], Reply]


class Drive:
    """An agent to which things happen, each under a number that no other has."""

    def __init__(self, path: Path, control: ControlProfile) -> None:
        self.path = path
        self.control: ControlProfile = control
        self.number = 0
        self.models = 0
        self.rig = self._rig(Session.create(path, cwd="/w", fsync="never"))
        self.rig.clock.now += 10

    def _rig(self, session: Session) -> Rig:
        rig = make_rig(session=session, control=self.control, retry_policy=ExponentialBackoff(), **SIZES)
        session._now = rig.clock
        return rig

    def step(self, name: str, size: int, summaries: str) -> None:
        """Let one thing happen."""
        self.number += 1
        rig, words = self.rig, filler(size * 10, f"w{self.number}x")
        rig.executor.replies.clear()
        rig.executor.requests.clear()
        rig.summarizer.replies = self._summaries(summaries)
        # Errors that an agent tells its caller of; whatever they are, the invariants hold after them.
        with suppress(CompactionError, CannotContinueError):
            if (answers := self._answers(name, words)) is not None:
                rig.turn(f"{name} {self.number} {words}", *answers)
            else:
                self._happen(name, size, words)

    def _summaries(self, kind: str) -> list[Answer]:
        def abort(_request: Request) -> Reply:
            self.rig.agent.abort_compaction()
            self.rig.agent.abort_branch_summary()
            return said("too late")

        good: Answer = said(f"Summary {self.number}.")
        first: dict[str, list[Answer]] = {
            "good": [],
            "error": [failed("401 no such key")],
            "empty": [said(" ")],
            "passing": [failed("503 overloaded")],
            "abort": [abort],
        }
        return [*first[kind], *[good] * 12]

    def _answers(self, name: str, words: str) -> list[Answer] | None:
        """What the model answers to a prompt, None if what happens is no prompt."""
        own = [call(f"c{self.number}-{index}") for index in range(3)]
        agent, tools = self.rig.agent, self.rig.tools
        tools.results |= {own[0]["id"]: words, own[1]["id"]: ToolResult("no such file", is_error=True)}
        after = said(f"answer {self.number}")

        def queued(queue: Callable[[str], None]) -> Answer:
            def answer(_request: Request) -> Reply:
                queue(f"by the way {self.number}")
                return calling(*own[:2])

            return answer

        def aborting(reply: Reply) -> Answer:
            def answer(_request: Request) -> Reply:
                agent.abort()
                return reply

            return answer

        too_long = Reply([text("long")], "stop", metered_usage(SIZES["window"] + 1, 5))
        cut_off = Reply([text("half"), *own[:2]], "length")
        nothing_left = Reply([], "length", metered_usage(SIZES["window"], 0))
        answers: dict[str, list[Answer]] = {
            "say": [after],
            "tools": [calling(*own, words="Looking."), calling(call(f"d{self.number}")), after],
            "retry": [failed("503 overloaded"), failed("overloaded", "half a th"), after],
            "fail": [failed("401 no such key", "half a th")],
            "overflow": [calling(*own[:1]), overflowed(), after],
            "length": [cut_off, after],
            "silent overflow": [too_long if self.number % 2 else nothing_left, after],
            "steer": [queued(agent.steer), after, after],
            "follow up": [queued(agent.follow_up), after, after],
            "abort request": [aborting(calling(*own))],
            "abort tools": [calling(*own[:1]), aborting(calling(*own[1:])), after],
        }
        return answers.get(name)

    def _happen(self, name: str, size: int, words: str) -> None:
        rig = self.rig
        entries = rig.session.entries
        named = entries[size % len(entries)]["id"] if entries else None
        if name == "compact":
            rig.compact()
        elif name == "model":
            self.models += 1
            rig.agent.set_model(ModelInfo("backslide", f"m{self.models}", SIZES["window"], 500))
        elif name == "bash":
            rig.agent.record_bash(BashRun("ls", words, exclude=size % 2 == 0))
        elif name == "custom":
            asyncio.run(rig.agent.send_custom("note", words, trigger=size % 2 == 0))
        elif name == "reopen" and self.path.exists():
            model = rig.agent.model
            rig.session.close()
            self.rig = self._rig(Session.open(self.path, fsync="never"))
            self.rig.clock.now = rig.clock.now
            self.rig.agent.model = model
            self.rig.agent.payloads.set_model(model)
        elif named is not None and name == "label":
            rig.session.append_label(named, f"label {self.number}")
        elif named is not None and name.startswith("navigate"):
            asyncio.run(rig.agent.navigate(named, summarize=name.endswith("summary"), label=words[:5] or None))

    # ------------------------------------------------------------------ what must hold

    def body(self, messages: list[dict[str, Any]]) -> bytes:
        """The request that a context makes, built by somebody who has seen none before."""
        builder = PayloadBuilder(COUNTER, "You are a coding agent.")
        model = self.rig.agent.model
        return builder.request(list(messages), role="executor", cause="turn", model=model, tools=[]).body

    def check(self) -> None:
        """Requests have calls and results in pairs; the file read anew gives entries, context, request and sums."""
        rig = self.rig
        for request in rig.executor.requests:
            assert_paired(request.messages)
        assert not rig.agent.at_work
        used = rig.agent.session_usage()
        parts = [*used.by_model.values(), used.tools, used.compactions, used.branch_summaries]
        assert used.total.total == sum(part.total for part in parts)
        if not self.path.exists():
            assert not rig.session.has_assistant
            return
        again = Session.open(self.path)
        assert again.problems == []
        assert again.entries == rig.session.entries
        # Where the agent stands is not in the file until it goes on.
        again.move_to(rig.session.leaf_id)
        assert again.context() == rig.session.context()
        assert self.body(again.context().messages) == self.body(rig.agent.messages)
        assert session_usage(again.entries) == used


@pytest.mark.parametrize("control", ["robust", "pi-0.83"])
@settings(deadline=None, max_examples=60)
@given(happenings=st.lists(steps, max_size=14))
def test_the_file_tells_what_the_agent_knows(control: ControlProfile, happenings: list[tuple[str, int, str]]) -> None:
    """Prompts, tools, queues, failures, overflows, aborts, compactions that fail or work, moves in the tree."""
    with tempfile.TemporaryDirectory() as folder:
        drive = Drive(Path(folder) / "s.jsonl", control)
        for happening in happenings:
            drive.step(*happening)
            drive.check()
        drive.rig.session.close()
