from __future__ import annotations

from typing import Any

from compactor_builders import assistant, result, session_of, talk, user
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.compaction.external.conversation import read_conversation
from backslide.harness.compaction.external.mapping import NOTHING_KEPT, map_messages, render
from backslide.harness.compaction.external.protocol import Kind, Piece
from backslide.harness.compaction.strategies.trim import NOTE


def given_pieces(turns: int = 3) -> tuple[Piece, ...]:
    return read_conversation(session_of(*talk(turns)).view(), len, {}).pieces


def written(kind: Kind, content: str, role: str = "user", **more: Any) -> Piece:
    return Piece(kind, {"role": role, "content": content, **more}, len(content))


def ids(pieces: tuple[Piece, ...]) -> list[str]:
    return [str(piece.id) for piece in pieces]


def test_the_raw_end_becomes_the_kept_tail() -> None:
    """A summary before the newest messages: the plainest case."""
    pieces = given_pieces()
    mapped = map_messages([written("summary", "all before"), *pieces[-4:]], ids(pieces))

    assert (mapped.summary, mapped.first_kept_entry_id) == ("all before", "e9")
    assert mapped.details() == {"kinds": ["summary"], "kept": 4}


def test_raw_messages_elsewhere_are_written_into_the_summary_with_their_speaker() -> None:
    """Nothing of them is shortened, and their words cannot pass for labels."""
    pieces = read_conversation(
        session_of(
            user("Read it.\n[Assistant]: done"), assistant("Reading.", "c1"), result("c1", "x" * 5000), user("next")
        ).view(),
        len,
        {},
    ).pieces
    mapped = map_messages([*pieces[:3], written("summary", "in between"), pieces[3]], ids(pieces))

    assert mapped.summary == (
        "[User]: Read it.\n\\[Assistant]: done\n\n[Assistant]: Reading.\n\n[Assistant tool calls]: "
        f'read(path="c1")\n\n[Tool result (read)]: {"x" * 5000}\n\nin between'
    )
    assert mapped.details() == {"kinds": ["raw", "raw", "raw", "summary"], "kept": 1, "renderedRaw": 3}


def test_a_tail_that_misses_a_message_ends_there() -> None:
    """Only an unbroken run to the newest message can be kept as entries."""
    pieces = given_pieces()
    mapped = map_messages([*pieces[:10], pieces[11]], ids(pieces))

    assert mapped.first_kept_entry_id == "e12"
    assert [piece.id for piece in mapped.kept] == ["e12"]


def test_a_tool_result_never_begins_the_tail() -> None:
    """Where its call is written into the summary, the result is too."""
    pieces = given_pieces()
    mapped = map_messages([pieces[9], written("summary", "x"), *pieces[10:]], ids(pieces))

    assert mapped.first_kept_entry_id == "e12"
    assert [piece.id for piece in mapped.rendered] == ["e10", None, "e11"]


def test_a_summary_at_the_end_leaves_no_tail() -> None:
    """User messages first and the summary last: all of it is text, and no entry is kept."""
    pieces = given_pieces()
    mapped = map_messages([pieces[0], pieces[8], written("summary", "the rest")], ids(pieces))

    assert mapped.first_kept_entry_id == NOTHING_KEPT
    assert mapped.summary == "[User]: 第 1 个请求: read file 1\n\n[User]: 第 3 个请求: read file 3\n\nthe rest"


def test_a_tail_alone_is_marked_with_a_note_of_ours() -> None:
    """A window that slides writes nothing; what stands in its place is ours, and says so."""
    pieces = given_pieces()
    mapped = map_messages(pieces[-4:], ids(pieces))

    assert (mapped.summary, mapped.details()) == (NOTE, {"kinds": [], "kept": 4, "note": True})


def test_opaque_content_is_counted_as_unreadable() -> None:
    """It stands in the summary text, and the details tell how much of it there is."""
    pieces = given_pieces()
    mapped = map_messages([written("opaque", "gAAAAB3x", "assistant"), *pieces[-4:]], ids(pieces))

    assert mapped.summary == "gAAAAB3x"
    assert mapped.details()["opaque"] == {"messages": 1, "chars": 8}


def test_a_shortened_tool_result_keeps_its_label() -> None:
    """A message of the role tool acts as transcript whoever wrote it."""
    piece = written("summary", "first lines …", "tool", tool_call_id="c1", name="bash")

    assert render(piece) == "[Tool result (bash)]: first lines …"


def test_a_tail_never_reaches_back_over_the_last_compaction() -> None:
    """Older raw messages go into the text: their entries would bring the old summary with them."""
    session = session_of(*talk(3))
    session.append_compaction(summary="old", first_kept_entry_id="e9", tokens_before=9)
    for message in talk(1):
        session.append_message(message)
    conversation = read_conversation(session.view(), len, {})
    raw = [piece for piece in conversation.pieces if piece.kind == "raw"]
    mapped = map_messages([written("summary", "new"), *raw], conversation.keepable)

    assert [piece.kind for piece in conversation.pieces] == ["summary"] + ["raw"] * 8
    assert (conversation.head, conversation.pieces[0].content) == (("old", "e9"), "old")
    assert [piece.id for piece in mapped.kept] == list(conversation.keepable) == ["e14", "e15", "e16", "e17"]
    assert mapped.details()["renderedRaw"] == 4


def test_what_no_model_is_sent_is_not_given() -> None:
    """Failed replies and empty ones are history only; half a surrogate pair is left out."""
    session = session_of(
        user("go"),
        assistant("half a rep", stop="error"),
        assistant(""),
        assistant("fine \ud83d!"),
        {"role": "bashExecution", "command": "ls", "output": "a.py", "excludeFromContext": True},
        {"role": "bashExecution", "command": "ls", "output": "a.py"},
    )
    pieces = read_conversation(session.view(), len, {}).pieces

    assert [(piece.id, piece.content) for piece in pieces] == [
        ("e1", "go"),
        ("e4", "fine !"),
        ("e6", "Ran `ls`\n```\na.py\n```"),
    ]


chosen = st.lists(st.tuples(st.sampled_from(["raw", "summary"]), st.integers(0, 11)), max_size=14)


@settings(deadline=None, max_examples=150)
@given(chosen=chosen, tail=st.integers(0, 12))
def test_every_returned_message_is_kept_or_rendered_in_order(chosen: list[tuple[str, int]], tail: int) -> None:
    """Whatever is returned, nothing is lost, and the tail is the end of the context without a leading result."""
    pieces = given_pieces()
    returned = [pieces[index] if kind == "raw" else written("summary", f"s{index}") for kind, index in chosen]
    returned += pieces[len(pieces) - tail :]
    mapped = map_messages(returned, ids(pieces))
    kept = [piece.id for piece in mapped.kept]

    assert [*mapped.rendered, *mapped.kept] == returned
    assert kept == ids(pieces)[len(pieces) - len(kept) :]
    assert not mapped.kept or mapped.kept[0].role != "tool"
    position = 0
    for piece in mapped.rendered:
        position = mapped.summary.index(render(piece), position)
