from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.models.advisor_labels import read_transcript

LINES = ("Do it.", 'run(command="make")', "3 passed", "It is done.")


def made(labels: tuple[str, str, str, str], gap: str = "\n\n", turns: int = 3) -> str:
    return gap.join(f"{label}{line}" for _ in range(turns) for label, line in zip(labels, LINES, strict=True))


@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        (("[U]: ", "[C]: ", "[R (run)]: ", "[A]: "), ["[U]:", "[C]:", "[R (*)]:", "[A]:"]),
        (("Human: ", "Call: ", "Result (run): ", "AI: "), ["Human:", "Call:", "Result (*):", "AI:"]),
        (("## Ask\n", "## Call\n", "## Out\n", "## Say\n"), ["## Ask", "## Call", "## Out", "## Say"]),
        (("问：", "调：", "得：", "答："), ["问：", "调：", "得：", "答："]),
        (("== q == ", "== c == ", "== r == ", "== a == "), ["== q ==", "== c ==", "== r ==", "== a =="]),
    ],
)
@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_labels_of_any_shape_are_learned(labels: tuple[str, str, str, str], keys: list[str], gap: str) -> None:
    """With blank lines between the blocks or without; what varies in a label is not part of it."""
    transcript = read_transcript(made(labels, gap))

    assert transcript is not None
    assert [block.key for block in transcript.blocks[:4]] == keys
    assert transcript.share > 0.9
    assert transcript.call_keys == {keys[1]}
    assert transcript.output_keys == {keys[2]}
    assert transcript.opener == keys[0]


@pytest.mark.parametrize(
    "text",
    [
        "A paragraph.\n\nAnother one: with a colon.\n\nAnd a third.",
        "## Question\nWhich?\n\n## Context\nA job.\n\n## Evidence\n- a\n\n## Reply\nBriefly.",
        "1. first\n2. second\n3. third",
        "",
    ],
)
def test_ordinary_documents_have_no_labels(text: str) -> None:
    """Headings that come once, lists and prose are no transcript."""
    assert read_transcript(text) is None


def test_a_short_text_that_breaks_off_at_a_call_is_a_transcript() -> None:
    """Each label once is enough if the end is a call."""
    transcript = read_transcript("[U]: Do it.\n\n[C]: advisor()\n\nPlease advise.")

    assert transcript is not None
    assert transcript.pending
    assert transcript.blocks[-1].text == "advisor()"


def test_a_finished_transcript_is_not_pending() -> None:
    """It ends on a result or a statement."""
    transcript = read_transcript(made(("[U]: ", "[C]: ", "[R]: ", "[A]: ")))

    assert transcript is not None
    assert not transcript.pending


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """The share is a share, and blocks lie in the text in order."""
    transcript = read_transcript(text)

    if transcript is not None:
        assert 0 <= transcript.share <= 1
        starts = [block.start for block in transcript.blocks]
        assert starts == sorted(starts)
        assert all(text.startswith(block.label, block.start) for block in transcript.blocks)
