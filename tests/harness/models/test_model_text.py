from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.models.text import fold, sentences, statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It took 3.5 s. We stop.", ["It took 3.5 s.", "We stop."]),
        ("See src/lib.rs for it, e.g. the cache.", ["See src/lib.rs for it, e.g. the cache."]),
        ("太慢了。换一个！行吗？好", ["太慢了。", "换一个！", "行吗？", "好"]),
        ("用 v2。Then we ship.", ["用 v2。", "Then we ship."]),
        ("Waiting... done", ["Waiting... done"]),
    ],
)
def test_sentences_end_where_a_reader_stops(text: str, expected: list[str]) -> None:
    """Figures, file names and abbreviations do not end a sentence; Chinese stops need no space."""
    assert sentences(text) == expected


def test_bullets_stand_under_heading_and_lead_in() -> None:
    """A bullet knows its headings, the line that announced the list, and its parent bullet."""
    found = statements("# Notes\n\nWe tried these:\n- redis\n  over the LAN\n  - with TLS\n\n# Next\n- ship")

    titles = {known.text: known.titles for known in found if known.kind == "bullet"}
    assert titles == {
        "redis over the LAN": ("Notes", "We tried these:"),
        "with TLS": ("Notes", "We tried these:", "redis over the LAN"),
        "ship": ("Next",),
    }


def test_wrapped_lines_are_one_sentence() -> None:
    """A hard line break inside a paragraph does not cut a statement in two, in either language."""
    assert [known.text for known in statements("We keep one\nwriter only.")] == ["We keep one writer only."]
    assert [known.text for known in statements("只保留一个\n写线程。")] == ["只保留一个写线程。"]


def test_code_is_read_for_its_comments_only() -> None:
    """In a fence and in tool output, code is marked as code and its comments are statements."""
    fenced = statements("```rust\nlet a = b(); // keep this pure\n```")
    output = statements("src/a.rs:7:    // no allocation here\nsrc/a.rs:8:    let a = b();", log=True)

    assert [(known.text, known.kind) for known in fenced] == [("keep this pure", "comment")]
    assert [(known.text, known.kind) for known in output] == [
        ("no allocation here", "comment"),
        ("let a = b();", "code"),
    ]


def test_folding_hears_through_typography() -> None:
    """Width, case, emphasis, curly quotes and invisible characters make no difference."""
    assert fold("Ｄon’t  use **`Redis`**\u200b！") == "don't use redis!"


@given(st.text(max_size=400), st.booleans())
@settings(deadline=None, max_examples=80)
def test_any_text_can_be_split(text: str, log: bool) -> None:
    """No text breaks the splitter, and no statement is empty."""
    assert all(known.text.strip() for known in statements(text, log))
