"""An agent on files and histories that have gone through something."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from rig import Rig, filler, make_rig, said, text

from backslide.harness.compaction.strategies.base import CompactionError
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.session import Session

SIZES: dict[str, Any] = {"keep_turns": 1, "control": "robust"}


def worked(path: Path, turns: int = 3, **options: Any) -> Rig:
    rig = make_rig(path=path, **{**SIZES, **options})
    for number in range(turns):
        rig.turn(f"turn {number}: {filler(40, f'u{number}x')}", said(f"reply {number}"))
    return rig


class Silent:
    """A summarizer that never answers."""

    name = "test:silent"
    simulated = True

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError(request)


# ---------------------------------------------------------------- killed while summarizing


def test_a_process_that_dies_while_summarizing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """What is left is the file alone; the next process goes on from it, and compacts then."""
    path = tmp_path / "s.jsonl"
    rig = worked(path)

    async def die() -> bytes:
        """Take the process away at the moment when the summarizer is asked."""
        silent = Silent()
        rig.agent.gateway = Gateway({"executor": rig.executor, "summarizer": silent})
        rig.executor.replies = [Reply([text("ok")], "stop", metered_usage(3500, 5))]
        work = asyncio.ensure_future(rig.agent.prompt("big one"))
        await silent.asked.wait()
        before = path.read_bytes()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return before

    before = asyncio.run(die())
    assert path.read_bytes() == before

    next_one = make_rig(session=Session.open(path), **SIZES, summaries=[said("the hand-over")])
    last = next_one.turn("go on", said("here I am"))
    assert last is not None
    assert last["content"] == [text("here I am")]
    assert next_one.names()[:2] == ["CompactionStart", "CompactionEnd"]
    assert path.read_bytes().startswith(before)
    assert "the hand-over" in next_one.sent()[1]


# ---------------------------------------------------------------- odd trees


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_newest_rows_that_point_at_a_missing_parent(tmp_path: Path) -> None:
    """The row between was lost. It is reported, nothing is rewritten, the context starts at the break and can be sent."""
    path = tmp_path / "s.jsonl"
    rig = worked(path)
    rig.tools.results = {"c": "listed"}
    rig.turn("look", Reply([{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}], "toolUse"), said("seen"))
    rig.session.close()
    lines = path.read_text().splitlines(keepends=True)
    lost = next(at for at, line in enumerate(lines) if '"toolCall"' in line)
    path.write_text("".join(lines[:lost] + lines[lost + 1 :]))
    before = path.read_bytes()

    session = Session.open(path)
    assert [problem.kind for problem in session.problems] == ["dangling-parent"]
    resumed = make_rig(session=session, **SIZES)
    assert resumed.turn("go on", said("fine")) is not None
    assert resumed.sent()[1:] == ["assistant: seen", "user: go on"]
    assert path.read_bytes().startswith(before)

    # What came before the break is in the file still, one move away.
    reply = next(entry for entry in session.entries if entry.get("message", {}).get("content") == [text("reply 2")])
    asyncio.run(resumed.agent.navigate(reply["id"]))
    resumed.turn("and before?", said("all there"))
    assert "assistant: reply 0" in resumed.sent()


def test_two_compaction_rows_under_one_parent(tmp_path: Path) -> None:
    """Two processes compacted the same session. The newest row's branch counts, its summary alone is sent."""
    path = tmp_path / "s.jsonl"
    rig = worked(path, summaries=[said("the first summary")])
    assert rig.compact() is True
    rig.session.close()
    written = rows(path)
    twin = {**written[-1], "id": "feedbeef", "summary": "the second summary"}
    path.write_text(path.read_text() + json.dumps(twin) + "\n")

    session = Session.open(path)
    resumed = make_rig(session=session, **SIZES)
    resumed.turn("go on", said("fine"))

    sent = "\n".join(resumed.sent())
    assert ("the second summary" in sent, "the first summary" in sent) == (True, False)
    assert [entry["type"] for entry in session.branch()].count("compaction") == 1
    usage = resumed.agent.session_usage()
    assert usage.compactions.total == 2 * sum(twin["usage"][key] for key in ("input", "output"))


# ---------------------------------------------------------------- limit plus one


def full_to_the_limit(strategy: str, control: str) -> Rig:
    """A history of exactly one token more than the window that executor and summarizer share."""
    rig = make_rig(strategy, control=control, window=100_000, keep_tokens=50, keep_turns=1)
    for number in range(4):
        rig.turn(filler(1200, f"t{number}x"), said("ok"))
    rig.turn(filler(60, "last"), said("ok"))
    window = rig.agent.payloads.request(
        rig.agent.messages, role="executor", cause="turn", model=rig.agent.model, tools=[]
    ).measure.tokens
    full = make_rig(strategy, control=control, window=window - 1, session=rig.session, keep_tokens=50, keep_turns=1)
    full.tools.definitions = []
    full.summarizer.replies = [said("the hand-over")] * 9
    return full


def test_a_history_at_the_limit_plus_one_with_a_summarizer_of_the_same_window() -> None:
    """Pi asks for all at once, which does not fit; the hand-over is written in pieces that do."""
    pi = full_to_the_limit("pi-0.83", "pi-0.83")
    with pytest.raises(CompactionError, match="maximum context length"):
        pi.compact()

    robust = full_to_the_limit("handoff", "robust")
    assert robust.compact() is True
    assert len(robust.summarizer.requests) > 1
    window = robust.agent.model.context_window
    assert all(request.measure.tokens + request.max_tokens <= window for request in robust.summarizer.requests)
    last = robust.turn("go on", said("fits"))
    assert last is not None
    assert last["stopReason"] == "stop"
