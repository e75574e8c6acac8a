"""Summaries that are none: Pi puts them in the place of the history, the robust profile refuses them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig import Rig, body_text, call, filler, make_rig, said, text

from backslide.harness.compaction.prompt_file import load_prompt
from backslide.harness.compaction.strategies.base import (
    Ask,
    Compacted,
    CompactionError,
    NothingToCompactError,
    Plan,
    StrategyContext,
    SummaryRequest,
)
from backslide.harness.compaction.strategies.trim import TrimStrategy
from backslide.harness.control.events import CompactionSkipped
from backslide.harness.control.quotes import unverified_quotes
from backslide.harness.control.refusal import SummaryRefusedError, check_size, is_tool_call, refused_for
from backslide.harness.models.protocol import Reply, Request, metered_usage

INSTRUCTION = load_prompt("pi").first


def echo(request: Request) -> Reply:
    """All that the summarizer was shown."""
    return said(body_text(request.messages[1]))


def record(request: Request) -> Reply:
    """The record alone, without the instruction."""
    return said(body_text(request.messages[1]).split("</conversation>")[0].removeprefix("<conversation>\n"))


NO_SUMMARIES: list[tuple[str, Any]] = [
    ("empty", said(" \n")),
    ("truncated", Reply([text("## Goal\nThe first half of a sen")], "length")),
    ("tool-call", Reply([text("Let me look."), call("c1")], "toolUse")),
    ("tool-call", said('<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>')),
    ("tool-call", said('```json\n{"name": "read", "arguments": {"path": "a.py"}}\n```')),
    ("echo", echo),
    ("echo", said(f"Here it is.\n\n{INSTRUCTION}")),
    ("transcript", record),
    ("transcript", said("[User]: thanks, go on\n\n[Assistant]: I have changed the parser.")),
    ("transcript", said("## Goal\nThe parser.\n\nUser: go on\nAssistant: I have changed the parser.")),
    ("not-shrinking", said(filler(900, "more"))),
]


def over_the_threshold(control: str, *summaries: Any, **options: Any) -> Rig:
    """Three ordinary turns and one whose provider reports 3,500 of 4,000 tokens, by Pi's strategy."""
    rig = make_rig("pi-0.83", control=control, keep_tokens=40, summaries=summaries, **options)
    for number in range(3):
        rig.turn(f"turn {number}: {filler(40, f'u{number}x')}", said(f"reply {number}"))
    rig.turn("big one", Reply([text(filler(120, "k"))], "stop", metered_usage(3500, 5)))
    return rig


@pytest.mark.parametrize(("fault", "summary"), NO_SUMMARIES)
def test_what_is_no_summary_is_refused_and_the_history_kept(fault: str, summary: Any) -> None:
    """Pi compacts with it; the robust profile says why it does not, and nothing has changed."""
    pi = over_the_threshold("pi-0.83", summary, summary)
    assert len(pi.summaries()) == 1
    assert pi.agent.messages[0]["role"] == "compactionSummary"

    robust = over_the_threshold("robust", summary, summary)
    (end,) = robust.compactions()
    assert (end.failure, robust.summaries()) == (fault, [])
    assert end.error
    assert robust.agent.messages == robust.session.context().messages
    assert len(robust.agent.messages) == 8


@pytest.mark.parametrize(("fault", "summary"), NO_SUMMARIES)
def test_the_next_attempt_may_be_better(fault: str, summary: Any) -> None:
    """The next prompt tries again, and goes on with the good summary."""
    rig = over_the_threshold("robust", summary, *[said("the hand-over")] * 4)
    rig.turn("go on", said("fine"))

    assert [end.failure for end in rig.compactions()] == [fault, None]
    assert "the hand-over" in rig.sent()[1]


def test_a_summarizer_that_has_answered_well_is_asked_once_more() -> None:
    """Its second reply of a compaction is empty; what the first one wrote is not thrown away for that."""
    rig = make_rig(control="robust", keep_turns=1, summarizer_window=1600, window=9000, summary_tokens=100)
    for number in range(4):
        rig.turn(f"turn {number}: {filler(500, f'u{number}x')}", said("ok"))
    rig.summarizer.replies = [said("part one"), said(""), said("part one and two"), *[said("all parts")] * 9]
    assert rig.compact() is True
    assert "part one" in rig.summarizer.texts()[2]

    rig.summarizer.requests.clear()
    rig.summarizer.replies = [said("part one"), said(""), said("")]
    for number in range(4):
        rig.turn(f"turn {number}: {filler(500, f'v{number}x')}", said("ok"))
    with pytest.raises(CompactionError, match="answered nothing"):
        rig.compact()
    assert len(rig.summarizer.requests) == 3


@pytest.mark.parametrize(
    "summary",
    [
        "## Rejected paths\n- No mutex: `[Assistant]: x` is how the record shows replies.",
        "The user said: go on. The assistant agreed.",
        'A call of bash({"command": "ls"}) failed.',
        "- User: senior engineer, wants small changes",
        '{"goal": "ship the parser", "rejected": ["a mutex"]}',
        "[]",
        "(nothing of note)",
    ],
)
def test_an_unusual_summary_is_a_summary(summary: str) -> None:
    """What only looks like a transcript or a call is taken."""
    request = SummaryRequest(
        "You summarize.", ("<conversation>\n[User]: hi\n</conversation>\n\n", INSTRUCTION), 9, "initial"
    )

    assert refused_for(request, said(summary)) is None


def test_a_short_instruction_may_be_repeated_but_not_all_of_the_request() -> None:
    """A request of few words, such as a prompt author's own, is an echo only as a whole."""
    request = SummaryRequest("s", ("<conversation>\n[User]: hi\n</conversation>", "Sum it up."), 9, "initial")

    assert refused_for(request, said("Sum it up. He said hi.")) is None
    whole = refused_for(request, said(f"Here:\n\n{request.text}"))
    assert whole is not None
    assert whole.fault == "echo"


@given(words=st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_looked_at(words: str) -> None:
    """Whatever a model writes; and what is embedded in a sentence is no bare call."""
    request = SummaryRequest("s", ("x" * 200,), 9, "initial")
    refused_for(request, said(words))
    assert not is_tool_call("Note: " + words)
    assert is_tool_call(json.dumps({"name": words, "arguments": {}}))


@pytest.mark.parametrize(
    ("replaced", "summary", "refused"), [(500, 499, False), (500, 500, True), (10, 64, False), (10, 65, True)]
)
def test_a_summary_must_be_smaller_than_what_it_replaces(replaced: int, summary: int, refused: bool) -> None:
    """A few words always do."""
    if refused:
        with pytest.raises(SummaryRefusedError, match="no smaller"):
            check_size(replaced, summary)
    else:
        check_size(replaced, summary)


# ---------------------------------------------------------------- by hand


def test_by_hand_a_refusal_is_raised() -> None:
    """The user asked for it, so he is told; Pi compacts with nothing."""
    rig = over_the_threshold("robust", said(""), said(""))
    with pytest.raises(CompactionError, match="the summarizer answered nothing"):
        rig.compact()
    assert rig.summaries() == []


class Undecided(TrimStrategy):
    """Plans, and then leaves all as it is."""

    async def compact(self, plan: Plan, context: StrategyContext, ask: Ask) -> Compacted:
        raise NothingToCompactError("all of it is of use")


def test_nothing_to_compact_is_no_failure() -> None:
    """It ends with an event of its own, no error; by hand it reports that nothing was compacted."""
    rig = make_rig(Undecided(), control="robust", keep_turns=1)
    rig.turn(filler(300), said("ok"))
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))
    assert rig.names()[-4:] == ["AgentEnd", "CompactionStart", "CompactionSkipped", "AgentSettled"]

    assert rig.compact() is False
    assert rig.compactions() == []
    skipped = [event for event in rig.events if isinstance(event, CompactionSkipped)]
    assert [(event.reason, event.why) for event in skipped] == [
        ("threshold", "all of it is of use"),
        ("manual", "all of it is of use"),
    ]


# ---------------------------------------------------------------- its own prompt


@pytest.mark.parametrize("strategy", ["handoff", "pi-0.83"])
def test_a_compactions_own_prompt_is_never_wrapped_again(strategy: str) -> None:
    """After three compactions each request has one record, one previous summary and one instruction; none is kept."""
    rig = make_rig(strategy, control="robust", keep_turns=1, keep_tokens=60)
    instructions = [load_prompt("pi" if strategy == "pi-0.83" else strategy).update.strip()]
    for cycle in range(3):
        for number in range(3):
            rig.turn(f"{cycle}-{number}: {filler(60, f'c{cycle}n{number}x')}", said(filler(60, f"r{cycle}{number}x")))
        rig.summarizer.replies = [said(f"summary {cycle}"), said(f"prefix {cycle}")]
        assert rig.compact() is True

    for request in rig.summarizer.texts():
        assert request.count("<conversation>") == 1
        assert request.count("<previous-summary>") <= 1
        assert sum(request.count(words) for words in instructions) <= 1
    assert instructions[0] in rig.summarizer.texts()[-1] or strategy == "pi-0.83"
    stored = json.dumps(rig.session.entries, ensure_ascii=False)
    assert "<conversation>" not in stored
    assert not any(words.splitlines()[0] in stored for words in instructions)


# ---------------------------------------------------------------- words nobody said


QUOTING = "## Rejected paths\n- [User]: never use a mutex in this code base\n- The user said “do not touch   the BILLING folder”."


def test_words_that_no_user_wrote_are_told() -> None:
    """Event and entry name them; the summary itself stays as it was written, and so it does with Pi, which says nothing."""
    rig = make_rig(control="robust", keep_turns=1, summaries=[said(QUOTING)])
    rig.turn(f"Do not touch the billing folder. {filler(200)}", said("ok"))
    rig.turn("big one", Reply([text("ok")], "stop", metered_usage(3500, 5)))

    (end,) = rig.compactions()
    assert end.unverified_quotes == ("never use a mutex in this code base",)
    (entry,) = [entry for entry in rig.session.entries if entry["type"] == "compaction"]
    assert entry["details"]["unverifiedQuotes"] == ["never use a mutex in this code base"]
    assert entry["summary"] == QUOTING

    pi = over_the_threshold("pi-0.83", said(QUOTING), said("prefix"))
    assert pi.compactions()[0].unverified_quotes == ()


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("[User]: no pickle, please", []),
        ("> [User]: NO PICKLE — please!", []),
        ('The user said "no … files", twice.', []),
        ('The user said "no pickle whatever happens".', ["no pickle whatever happens"]),
        ("the user's words: «no pickle in any file»", ["no pickle in any file"]),
        ("用户说：「不要使用全局互斥锁，任何情况下都不要」", ["不要使用全局互斥锁，任何情况下都不要"]),
        ("用户明确说“缓存必须放在磁盘上”。", []),
        ("[User]: nope", []),
        ('A file called "never use a mutex in here".', []),
        ("The user wants no mutex in this code base.", []),
    ],
)
def test_which_words_count_as_the_users(summary: str, found: list[str]) -> None:
    """A labelled line or a quotation after the user's name; a paraphrase and a name are none, a few letters too short."""
    spoken = ["Rule: no pickle, please; it breaks the files.", "缓存必须放在磁盘上，不要放内存。"]

    assert list(unverified_quotes(summary, spoken)) == found
