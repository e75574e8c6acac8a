"""Summarizer prompts from Markdown files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backslide.harness.compaction.prompt_file import (
    BRANCH_TEXT,
    DEFAULT_SYSTEM,
    PREFIX_TEXT,
    UPDATE_LEAD,
    Prompt,
    builtin_prompts,
    load_prompt,
    parse_prompt,
)
from backslide.harness.compaction.strategies import STRATEGIES
from backslide.harness.errors import InputError

WHOLE = """---
name: Mine
strategy: "naive"
---

# System
You are terse.

# First
Write it down.

## Rejected paths
What was ruled out.

# Update
Bring it up to date.

# Turn prefix
The first part.

# Branch
What was found.
"""


def parsed(content: str) -> Prompt:
    return parse_prompt(content, name="file", where="p.md")


def line_of(content: str) -> str:
    with pytest.raises(InputError) as caught:
        parsed(content)
    assert "\n" not in caught.value.line()
    return caught.value.line()


def test_a_prompt_in_parts() -> None:
    """Front matter, five parts, and sections of the instruction inside them."""
    prompt = parsed(WHOLE)

    assert (prompt.name, prompt.strategy, prompt.system) == ("Mine", "naive", "You are terse.")
    assert prompt.first == "Write it down.\n\n## Rejected paths\nWhat was ruled out."
    assert (prompt.update, prompt.prefix, prompt.branch) == (
        "Bring it up to date.",
        "The first part.",
        "What was found.",
    )


def test_a_file_without_parts_is_one_instruction() -> None:
    """Used for first summaries and, with a lead, for updates; the rest has defaults."""
    prompt = parsed("Summarize.\n\n# Goal\nWhat for?\n")

    assert prompt.first == "Summarize.\n\n# Goal\nWhat for?"
    assert prompt.update == UPDATE_LEAD + prompt.first
    assert (prompt.system, prompt.prefix, prompt.branch) == (DEFAULT_SYSTEM, PREFIX_TEXT, BRANCH_TEXT)
    assert (prompt.name, prompt.strategy) == ("file", None)


def test_headings_of_the_instruction_stay_in_it() -> None:
    """A level-1 heading that is no part is text of the part it stands in."""
    prompt = parsed("# First\nWrite:\n\n# Goal\nWhat for?\n\n# UPDATE  \nAgain.")

    assert prompt.first == "Write:\n\n# Goal\nWhat for?"
    assert prompt.update == "Again."


@pytest.mark.parametrize("content", [WHOLE.replace("\n", "\r\n"), "\ufeff" + WHOLE], ids=["CRLF", "BOM"])
def test_line_ends_and_byte_order_marks_make_no_difference(content: str, tmp_path: Path) -> None:
    """The same prompt, the same hash, from text and from a file."""
    (tmp_path / "p.md").write_bytes(content.encode())

    assert parsed(content) == parsed(WHOLE)
    assert load_prompt(tmp_path / "p.md").sha256 == parsed(WHOLE).sha256


def test_the_hash_is_of_the_words() -> None:
    """Another word, another hash."""
    assert parsed(WHOLE).sha256 != parsed(WHOLE.replace("terse", "brief")).sha256


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "p.md: prompt file is empty; write the summarizer's instruction into it"),
        (" \n\t\n", "p.md: prompt file is empty; write the summarizer's instruction into it"),
        ("---\nname: x\n---\n\n", "p.md: prompt file is empty; write the summarizer's instruction into it"),
        ("# System\nonly", "p.md: prompt has no instruction under '# First'; write the instruction for a first summary there"),
        ("# First\n\n# Update\nx", "p.md: prompt has no instruction under '# First'; write the instruction for a first summary there"),
        ("---\nname: x\nx", "p.md:3: unknown front matter 'x'; known are name, strategy, shape, since"),
        ("---\nname: x\n", "p.md: front matter has no closing '---'; close it with a line '---'"),
        ("---\nname: x\nstratgy: naive\n---\nx", "p.md:3: unknown front matter 'stratgy'; did you mean 'strategy'?"),
        ("You are kind.\n\n# First\nx", "p.md:1: text before the first part of the prompt: 'You are kind.'; move it under '# System' or '# First'"),
        ("---\nname: x\n---\n\n# Sytem\nx\n# First\nx", "p.md:5: text before the first part of the prompt: '# Sytem'; did you mean '# System'?"),
        ("# First\na\n# First\nb", "p.md:3: a second '# First'; join the two parts"),
    ],
)  # fmt: skip
def test_malformed_prompts(content: str, line: str) -> None:
    """One line: where, what, how to mend."""
    assert line_of(content) == line


def test_files_that_are_no_prompts(tmp_path: Path) -> None:
    """Missing, a folder, a pipe, binary, too large, an impossible name."""
    (tmp_path / "binary.md").write_bytes(b"abc\xff\xfe")
    (tmp_path / "large.md").write_bytes(b"x" * (256 * 1024 + 1))
    os.mkfifo(tmp_path / "pipe.md")
    expected = {
        tmp_path / "missing.md": "cannot read the prompt file (No such file or directory); check the path",
        tmp_path: "is a directory, expected a Markdown file; name the prompt file itself",
        tmp_path / "binary.md": "not UTF-8 at byte 3; save the prompt as UTF-8 text",
        tmp_path / "large.md": "prompt file is larger than 256 KiB; shorten it",
        tmp_path / "pipe.md": "is no regular file; name a Markdown file",
        tmp_path / "a\0b": "cannot read the prompt file (embedded null byte); check the path",
    }
    for path, line in expected.items():
        with pytest.raises(InputError) as caught:
            load_prompt(path)
        assert caught.value.line() == f"{path}: {line}"


def test_a_misspelt_built_in_prompt() -> None:
    """The nearest one is named."""
    with pytest.raises(InputError, match="did you mean the built-in prompt 'handoff'"):
        load_prompt("handof")


def test_the_built_in_prompts() -> None:
    """Every strategy with a summarizer has one; its sections are visible in it; rejections have a place of their own."""
    assert builtin_prompts() == ["handoff", "naive", "pi"]
    for strategy, name in STRATEGIES.items():
        if name is not None:
            prompt = load_prompt(name)
            assert (prompt.name, prompt.strategy) == (name, strategy)
            assert prompt.system
            assert prompt.first
            assert prompt.update

    handoff = load_prompt("handoff")
    for part in (handoff.first, handoff.update):
        for section in ("Goal", "Decisions", "Rejected paths", "Lifted or replaced rules", "State", "Next steps"):
            assert f"## {section}\n" in part
    assert "reject" not in load_prompt("naive").first.lower()
