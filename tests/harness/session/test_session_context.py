from __future__ import annotations

import math
from typing import Any

from session_builders import START_MS, assistant, ids_of, new_session, user

from backslide.harness.session import Branch, entry_messages


def compact(session: Any, first_kept: str, summary: str = "S") -> str:
    entry_id: str = session.append_compaction(summary=summary, first_kept_entry_id=first_kept, tokens_before=9)
    return entry_id


def roles(session: Any) -> list[str]:
    return [message["role"] for message in session.context().messages]


def four_messages() -> Any:
    session = new_session()
    for message in (user("a"), assistant("b"), user("c"), assistant("d")):
        session.append_message(message)
    return session


def test_a_compaction_stands_for_what_it_dropped() -> None:
    """The context is the summary, then the kept entries, then what came after."""
    session = four_messages()
    compact(session, "e2")
    session.append_message(user("e"))

    assert ids_of(session.context_entries()) == ["e4", "e2", "e3", "e5"]
    assert roles(session) == ["compactionSummary", "user", "assistant", "user"]


def test_only_the_last_compaction_counts_and_an_older_one_in_its_kept_range_stays() -> None:
    """The older summary is then a message among the kept ones."""
    session = four_messages()
    old = compact(session, "e2", "old")
    session.append_message(user("e"))
    new = compact(session, "e3", "new")

    assert [new, "e3", old, "e5"] == ids_of(session.context_entries())
    assert [m["summary"] for m in session.context().messages if "summary" in m] == ["new", "old"]


def test_a_kept_entry_that_is_not_before_the_compaction_keeps_nothing() -> None:
    """Neither a missing one nor one of another branch."""
    for first_kept in ("gone", "e9"):
        session = four_messages()
        compact(session, first_kept)

        assert ids_of(session.context_entries()) == ["e4"]


def test_thinking_level_and_model_come_from_the_whole_path() -> None:
    """Also from before the compaction, and the model also from a failed reply."""
    session = new_session()
    session.append_thinking_level_change("high")
    session.append_model_change("acme", "a-2")
    session.append_message(user())
    assert session.context().model == {"provider": "acme", "modelId": "a-2"}
    session.append_message(assistant("x", stopReason="error", model="a-9"))
    last = session.append_message(user("more"))
    compact(session, last)

    context = session.context()
    assert (context.thinking_level, context.model) == ("high", {"provider": "acme", "modelId": "a-9"})


def test_an_empty_session_has_defaults() -> None:
    """No messages, thinking off, no model."""
    context = new_session().context()

    assert (context.messages, context.thinking_level, context.model) == ([], "off", None)


def test_moving_back_resolves_model_and_thinking_there() -> None:
    """What happened on the branch that was left does not count."""
    session = new_session()
    first = session.append_message(user())
    session.append_thinking_level_change("high")
    session.append_model_change("acme", "a-2")
    session.move_to(first)

    assert (session.context().thinking_level, session.context().model) == ("off", None)


def test_missing_content_becomes_empty_where_models_expect_blocks() -> None:
    """For user, assistant, toolResult and custom_message; a bash run is left as it is."""
    stamp = "2023-11-14T22:13:20.000Z"

    def entry(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "id": "x", "timestamp": stamp, **more}

    for role in ("user", "assistant", "toolResult"):
        assert [{"role": role, "content": []}] == entry_messages(entry("message", message={"role": role}))
    bash = {"role": "bashExecution", "content": None}
    assert [bash] == entry_messages(entry("message", message=bash))
    assert [m["content"] for m in entry_messages(entry("custom_message", customType="n", content=None))] == [[]]


def test_entries_without_a_message_contribute_nothing() -> None:
    """Labels, names, changes, state, unknown types, an empty branch summary, a message that is no object."""
    silent: list[dict[str, Any]] = [{"type": kind} for kind in ("label", "session_info", "custom", "weird")]
    silent += [
        {"type": "branch_summary", "summary": ""},
        {"type": "message", "message": "text"},
        {"type": "message"},
        {},
    ]

    assert [message for entry in silent for message in entry_messages(entry)] == []


def test_made_messages_carry_the_time_of_their_entry() -> None:
    """In milliseconds; NaN if the entry's timestamp is no time."""
    session = four_messages()
    session.append_branch_summary("e1", summary="left")
    assert session.context().messages[-1]["timestamp"] == START_MS + 5

    odd = entry_messages({"type": "compaction", "summary": "S", "timestamp": "yesterday"})
    assert math.isnan(odd[0]["timestamp"])


def test_equal_contexts_hold_identical_messages() -> None:
    """So that what was computed for a message can be kept by its identity."""
    session = four_messages()
    compact(session, "e2")
    first = session.context().messages
    session.append_message(user("later"))
    second = session.context().messages

    assert [id(message) for message in first] == [id(message) for message in second[:-1]]


def test_appending_extends_the_context_without_walking_the_branch_again(monkeypatch: Any) -> None:
    """An append and a context after a compaction touch none of the entries before the kept ones."""
    session = four_messages()
    compact(session, "e3")
    touched: list[Any] = []
    original = Branch.messages_of

    def noting(self: Branch, entry: dict[str, Any]) -> list[dict[str, Any]]:
        touched.append(entry.get("id"))
        return original(self, entry)

    monkeypatch.setattr(Branch, "messages_of", noting)
    session.append_message(user("e"))
    session.context()

    assert touched == ["e4", "e3", "e5"]
