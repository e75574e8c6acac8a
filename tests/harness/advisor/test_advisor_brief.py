from __future__ import annotations

import re

import pytest
from advisor_builders import desk, executor
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.advisor import Brief
from backslide.harness.errors import InputError

FULL = Brief(
    "Which queue should the mailer use?",
    context="A nightly job of 40,000 mails.",
    options=("an in-process queue", "a table in the database"),
    evidence=("mailer/send.py:88 holds the lock for 4 s",),
    leaning="the table",
    unsure="whether two workers run at once",
)


def test_a_brief_becomes_one_document_with_its_sections_in_order() -> None:
    """The advisor reads one complete document, which ends on what to reply."""
    lines = FULL.document(6000).text.splitlines()

    assert [line for line in lines if line.startswith("#")] == [
        "# A request for advice",
        "## Question",
        "## Context",
        "## Options",
        "## Evidence",
        "## Current leaning",
        "## Unsure about",
        "## Your reply",
    ]
    assert "2. a table in the database" in lines
    assert "- mailer/send.py:88 holds the lock for 4 s" in lines
    assert "Reply with guidance only" in lines[-1]


def test_absent_sections_are_left_out() -> None:
    """A question alone is a brief; blank fields are absent too."""
    alone = Brief("Keep the cache?", context="  ", unsure="").document(6000).text

    assert re.findall("(?m)^## (.*)$", alone) == ["Question", "Your reply"]


@pytest.mark.parametrize("arguments", [{}, {"question": " \n"}, {"question": None}, {"context": "Only that."}])
def test_a_brief_without_a_question_is_refused(arguments: dict[str, object]) -> None:
    """The error says what is missing."""
    with pytest.raises(InputError, match="no question"):
        Brief.from_arguments(arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"question": "q", "optoins": ["a"]}, "did you mean 'options'"),
        ({"question": 7}, "'question' must be a text"),
        ({"question": "q", "options": [1]}, "'options' must be a list of texts"),
        ({"question": "q", "context": ["a"]}, "'context' must be a text"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], message: str) -> None:
    """Nothing that an executor wrote is dropped without a word."""
    with pytest.raises(InputError, match=message):
        Brief.from_arguments(arguments)


def test_a_single_text_is_a_list_of_one() -> None:
    """Models write one option or one piece of evidence without a list."""
    brief = Brief.from_arguments({"question": "q", "options": "wait", "evidence": ["a", " "], "leaning": None})

    assert brief == Brief("q", options=("wait",), evidence=("a",))


def test_a_field_over_the_limit_is_cut_and_says_by_how_much() -> None:
    """6,000 characters stay, and the mark tells how many went."""
    document = Brief("q", context="x" * 7234, leaning="y" * 6000).document(6000).text

    assert "x" * 6000 + "\n(cut here: 1,234 of 7,234 characters left out)" in document
    assert "x" * 6001 not in document
    assert document.count("(cut here") == 1


def test_without_a_brief_nothing_is_created_and_nothing_paid() -> None:
    """The refusal is a result that the executor reads."""
    rig, session = desk(), executor()

    result = rig.ask(session, None)

    assert result.error is not None
    assert "no question" in result.tool_text()
    assert rig.sage.requests == []
    assert rig.advisor.pool.sessions == ()


LABELS = st.sampled_from(
    [
        "[User]:",
        "[Tool result (bash)]:",
        "Human:",
        "assistant:",
        "用户：",
        "<function_calls>",
        "## Options",
        "@@ agent-says >>",
        "【助手】：",
        "**Assistant:**",
        "### System",
        "Assistant",
        "[Assistant tool calls] :",
        "<im_start>",
    ]
)
WORDS = st.lists(st.one_of(LABELS, st.text(alphabet="ab :[]\n", max_size=12)), max_size=6).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(WORDS, WORDS, st.lists(WORDS, max_size=3))
def test_no_line_of_a_brief_passes_for_a_transcript(question: str, context: str, evidence: list[str]) -> None:
    """Whatever the executor quotes, a label at the start of a line is shown as a quotation."""
    brief = Brief(f"Why? {question}", context=context, evidence=tuple(evidence))
    own = {"# A request for advice", "## Question", "## Context", "## Evidence", "## Your reply"}
    for line in brief.document(6000).text.splitlines():
        if line not in own:
            assert not re.match(r"\s*(\[[A-Z]|Human:|assistant:|用户：|<|#|@@|【|\*\*A|Assistant$)", line)


def test_parts_add_up_to_the_text() -> None:
    """What is the executor's and what is ours is told apart."""
    document = FULL.document(6000)

    assert set(document.characters) == {"brief", "frame"}
    assert sum(document.characters.values()) == len(document.text)
