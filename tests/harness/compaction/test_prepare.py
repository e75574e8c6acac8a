from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from backslide.harness.compaction.branch_summary import collect_left_branch, navigate, prepare_branch
from backslide.harness.compaction.pi import combine_usage, compact_pi
from backslide.harness.compaction.prepare import Preparation, prepare_compaction
from backslide.harness.compaction.prompt_file import Prompt
from backslide.harness.compaction.strategies.base import CompactionError, SummaryRequest
from backslide.harness.errors import InputError
from backslide.harness.models.protocol import Reply
from backslide.harness.session import Session
from backslide.harness.settings import CompactionSettings

PROMPT = Prompt("p", None, "SYSTEM", "FIRST", "UPDATE", "PREFIX", "BRANCH", "")
KEEP_2 = CompactionSettings(reserve_tokens=100, keep_recent_tokens=2)


class Summarizer:
    """Answers with its texts in turn and keeps the requests."""

    def __init__(self, *texts: str, stop: Any = "stop") -> None:
        self.requests: list[SummaryRequest] = []
        self._texts = itertools.cycle(texts or ("summary",))
        self._stop = stop

    async def __call__(self, request: SummaryRequest) -> Reply:
        self.requests.append(request)
        cost = {"input": 1, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 1}
        counts = {"input": 10, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 11}
        return Reply([{"type": "text", "text": next(self._texts)}], self._stop, {**counts, "cost": cost}, "it broke")


def session_of(*texts: str) -> Session:
    """Messages of four characters or more: `>` starts a user message, everything else is a reply."""
    ids = (f"e{number}" for number in itertools.count())
    session = Session.create(None, cwd="/", ids=lambda: next(ids))
    say(session, *texts)
    return session


def say(session: Session, *texts: str) -> None:
    for text in texts:
        if text.startswith(">"):
            session.append_message({"role": "user", "content": text})
        else:
            session.append_message({"role": "assistant", "content": [{"type": "text", "text": text}]})


def prepared(session: Session, settings: CompactionSettings = KEEP_2) -> Preparation:
    preparation = prepare_compaction(session.view(), settings)
    assert preparation is not None
    return preparation


def compact(session: Session, ask: Summarizer, settings: CompactionSettings = KEEP_2) -> None:
    """Compact for real and append the result."""
    result = asyncio.run(compact_pi(prepared(session, settings), ask, prompt=PROMPT, max_output=0))
    session.append_compaction(
        summary=result.summary,
        first_kept_entry_id=result.first_kept_entry_id,
        tokens_before=result.tokens_before,
        details=result.details,
        usage=result.usage,
    )


def test_a_clean_cut_asks_once_for_the_history() -> None:
    """With the system text, the tagged conversation and the first instruction; 80 % of the reserve."""
    ask = Summarizer("S")
    result = asyncio.run(
        compact_pi(prepared(session_of(">one", "two.", ">thr", "four")), ask, prompt=PROMPT, max_output=0)
    )

    assert [(r.kind, r.system, r.max_tokens) for r in ask.requests] == [("initial", "SYSTEM", 80)]
    assert ask.requests[0].text == "<conversation>\n[User]: >one\n\n[Assistant]: two.\n</conversation>\n\nFIRST"
    assert (result.summary, result.first_kept_entry_id) == ("S", "e2")


def test_a_split_turn_asks_for_its_first_part_too() -> None:
    """History, rule, heading, prefix; the second request gets half of the reserve and no wishes."""
    preparation = prepared(session_of(">one", "two.", ">thr", "four", "five", "six."))
    ask = Summarizer("H", "P")
    result = asyncio.run(compact_pi(preparation, ask, prompt=PROMPT, max_output=60, instructions="the tests"))

    assert [(request.kind, request.max_tokens) for request in ask.requests] == [("initial", 60), ("prefix", 50)]
    assert ask.requests[0].text.endswith("FIRST\n\nAdditional focus: the tests")
    assert ask.requests[1].text.endswith("[Assistant]: four\n</conversation>\n\nPREFIX")
    assert result.summary == "H\n\n---\n\n**Turn Context (split turn):**\n\nP"
    assert result.usage is not None
    assert (result.usage["totalTokens"], result.usage["cost"]["total"]) == (22, 2)


def test_the_next_compaction_updates_the_previous_summary() -> None:
    """Its whole text goes in, and the range starts at what was kept."""
    session = session_of(">one", "two.", ">thr", "four")
    compact(session, Summarizer("OLD"))
    say(session, ">fiv", "six.")
    ask = Summarizer("NEW")
    compact(session, ask)

    assert [request.kind for request in ask.requests] == ["update"]
    assert (
        "[User]: >thr\n\n[Assistant]: four\n</conversation>\n\n<previous-summary>\nOLD\n</previous-summary>\n\nUPDATE"
        in (ask.requests[0].text)
    )


def test_an_empty_summary_is_forgotten() -> None:
    """It is accepted, and the next compaction starts over with the first instruction."""
    session = session_of(">one", "two.", ">thr", "four")
    compact(session, Summarizer(""))
    say(session, ">fiv", "six.")
    ask = Summarizer("NEW")
    compact(session, ask)

    assert [request.kind for request in ask.requests] == ["initial"]


def test_a_second_compaction_inside_the_kept_turn_loses_the_previous_summary() -> None:
    """Pi's loss, reproduced: it is in no request and not in the result."""
    session = session_of(">one", "two.", ">thr", "four")
    compact(session, Summarizer("NEVER A GLOBAL MUTEX"))
    say(session, "five", "six.", "sevn")
    preparation = prepared(session)
    ask = Summarizer("P")
    result = asyncio.run(compact_pi(preparation, ask, prompt=PROMPT, max_output=0))

    assert preparation.previous_summary == "NEVER A GLOBAL MUTEX"
    assert [request.kind for request in ask.requests] == ["prefix"]
    assert "MUTEX" not in ask.requests[0].text + result.summary
    assert result.summary.startswith("No prior history.\n\n---")


def test_a_failed_summary_is_an_error_and_changes_nothing() -> None:
    """Its reason is told; a reply cut off at its length is accepted."""
    session = session_of(">one", "two.", ">thr", "four")
    with pytest.raises(CompactionError, match="it broke"):
        compact(session, Summarizer(stop="error"))
    assert len(session.entries) == 4

    compact(session, Summarizer("cut o", stop="length"))
    assert session.entries[-1]["summary"] == "cut o"


def test_there_is_nothing_to_prepare_right_after_a_compaction_or_in_a_short_session() -> None:
    """Nor in an empty one."""
    session = session_of(">one", "two.", ">thr", "four")
    compact(session, Summarizer())

    assert prepare_compaction(session.view(), KEEP_2) is None
    assert prepare_compaction(session_of(">one", "two.").view(), KEEP_2) is None
    assert prepare_compaction([], KEEP_2) is None


def test_failed_replies_are_summarized_too() -> None:
    """Their partial text goes to the summarizer."""
    session = session_of(">one")
    session.append_message({"role": "assistant", "content": [{"type": "text", "text": "half"}], "stopReason": "error"})
    say(session, ">thr", "four")

    assert [message["role"] for message in prepared(session).history] == ["user", "assistant"]


def test_files_of_kept_messages_are_not_listed() -> None:
    """Those of the summarized ones and of the previous summary are."""
    session = session_of(">one")
    calls = [{"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": path}} for path in ("old", "kept")]
    session.append_message({"role": "assistant", "content": calls[:1]})
    session.append_message({"role": "user", "content": ">thr"})
    session.append_message({"role": "assistant", "content": calls[1:]})

    compact(session, Summarizer("S"))

    assert session.entries[-1]["details"] == {"readFiles": [], "modifiedFiles": ["old"]}
    assert session.entries[-1]["summary"].endswith("<modified-files>\nold\n</modified-files>")


def test_usages_add_up_with_their_optional_counts() -> None:
    """A count that one of them lacks is 0 there; one usage stays as it is."""
    cost = {"input": 0.1, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.1}
    one = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3, "cost": cost}

    total = combine_usage([one, {**one, "reasoning": 5}])

    assert total is not None
    assert (total["input"], total["reasoning"], total["cost"]["total"]) == (2, 5, 0.2)
    assert combine_usage([one]) is one
    assert combine_usage([]) is None


def branched() -> Session:
    """e0 e1, then e2 … e5 on the branch that the leaf is on, and e6 beside it."""
    session = session_of(">one", "two.", ">thr", "four", ">fiv", "six.")
    session.move_to("e1")
    say(session, ">alt")
    session.move_to("e5")
    return session


def test_what_is_left_lies_between_the_leaf_and_the_common_ancestor() -> None:
    """The ancestor itself may be the target; without a leaf nothing is left."""
    session = branched()

    left = collect_left_branch(session, "e5", "e6")
    assert ([entry["id"] for entry in left.entries], left.common_ancestor_id) == (["e2", "e3", "e4", "e5"], "e1")
    inside = collect_left_branch(session, "e5", "e3")
    assert ([entry["id"] for entry in inside.entries], inside.common_ancestor_id) == (["e4", "e5"], "e3")
    assert (collect_left_branch(session, None, "e3").entries, None) == ((), None)


def test_the_newest_messages_that_fit_are_summarized() -> None:
    """A summary that does not fit is taken while less than nine tenths are used; no budget means no limit."""
    session = session_of(">one", "two.")
    session.append_compaction(summary="x" * 400, first_kept_entry_id="e1", tokens_before=1)
    say(session, ">thr", "four")
    entries = session.entries

    assert [entry["id"] for entry in prepare_branch(entries, 2).entries] == ["e3", "e4"]
    assert [entry["id"] for entry in prepare_branch(entries, 3).entries] == ["e2", "e3", "e4"]
    assert len(prepare_branch(entries, 0).entries) == 5


def test_navigating_with_a_summary_leaves_it_at_the_new_position() -> None:
    """A user message is written anew, so the session stands before it; the label goes on the summary."""
    session = branched()
    ask = Summarizer("left")

    end = asyncio.run(navigate(session, "e6", ask=ask, prompt=PROMPT, label="back"))

    assert (end.editor_text, end.leaf_id) == (">alt", "e1")
    summary, label = session.entries[-2:]
    assert (summary["type"], summary["parentId"], summary["fromId"]) == ("branch_summary", "e1", "e1")
    assert summary["summary"].endswith("Summary of that exploration:\n\nleft")
    assert summary["id"] == label["targetId"]
    assert ask.requests[0].kind == "branch"


def test_navigating_without_a_summary_only_moves() -> None:
    """To the entry itself, or before the first message; the leaf itself is no move."""
    session = branched()
    asyncio.run(navigate(session, "e3"))
    assert session.leaf_id == "e3"
    asyncio.run(navigate(session, "e0"))
    assert session.leaf_id is None
    assert len(session.entries) == 7
    with pytest.raises(InputError, match="no entry zz"):
        asyncio.run(navigate(session, "zz"))


def test_a_failed_branch_summary_leaves_the_session_where_it_was() -> None:
    """Nothing is appended."""
    session = branched()
    with pytest.raises(CompactionError, match="it broke"):
        asyncio.run(navigate(session, "e6", ask=Summarizer(stop="aborted"), prompt=PROMPT))

    assert (session.leaf_id, len(session.entries)) == ("e5", 7)
