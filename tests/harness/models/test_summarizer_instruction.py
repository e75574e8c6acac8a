from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.models.instruction import read_instruction


def asked(prompt: str, system: str = "") -> list[str]:
    return [section.heading for section in read_instruction(prompt, system).sections]


@pytest.mark.parametrize(
    ("prompt", "headings"),
    [
        ("Write:\n## Goal\nOne line.\n## Dead ends\nWith reasons.", ["## Goal", "## Dead ends"]),
        ("**Goal**\nx\n**Open work**\ny", ["**Goal**", "**Open work**"]),
        ("[目标 Goal]\n- 一句话\n[下一步 Next]\n- 待办", ["[目标 Goal]", "[下一步 Next]"]),
        ("1. **Goal**: what for\n2. **Walls**: what failed", ["## Goal", "## Walls"]),
        ("1. Goal: a\n2. Rules: b\n3. Dead ends: c\n4. Next: d", ["## Goal", "## Rules", "## Dead ends", "## Next"]),
        ("Use the sections: Goal, Ruled out, Next steps.", ["## Goal", "## Ruled out", "## Next steps"]),
        ("# Task\nHand over.\n# Format\n```\n## Aim {one line}\n## Open\n```\nBe brief.", ["## Aim", "## Open"]),
        ("# Role\nYou hand over.\n## Goal\nx\n## State\ny\n# Rules\nNever invent.", ["## Goal", "## State"]),
        ("Please summarize the conversation and keep the important information.", []),
        ("请总结以上对话的主要内容，保留重要信息。", []),
    ],
)
def test_sections_are_found_however_they_are_written(prompt: str, headings: list[str]) -> None:
    """Headings, bold lines, brackets, lists, templates; a prompt's own headings are not sections."""
    assert asked(prompt) == headings


def test_the_user_message_outranks_the_system_prompt() -> None:
    """Sections may stand in either; those nearest to the conversation count."""
    assert asked("Write it now.", "## Goal\n## State") == ["## Goal", "## State"]
    assert asked("## Aim\n## Rest", "## Goal\n## State") == ["## Aim", "## Rest"]


@pytest.mark.parametrize(
    "title",
    [
        "Rejected paths",
        "Dead ends",
        "What must not be done",
        "Ruled out",
        "Negative constraints",
        "Off limits",
        "已放弃的方案",
        "不能做什么",
    ],
)
def test_a_section_for_rejections_is_known_by_its_words(title: str) -> None:
    """Paraphrases in two languages name the same purpose."""
    section = read_instruction(f"## Goal\nx\n## {title}\ny").sections[1]

    assert section.purposes == {"rejected": 1.0}


def test_a_description_can_ask_for_rejections() -> None:
    """A mixed section takes them if its description says so, and a section without such words does not."""
    mixed = read_instruction("## Goal\n## Decisions\nWhat holds, and paths that were abandoned.").sections[1]
    plain = read_instruction("## Goal\n## Decisions\nWhat holds; never shorten it, do not invent.").sections[1]

    assert set(mixed.purposes) == {"decisions", "rejected"}
    assert set(plain.purposes) == {"decisions"}


def test_a_wish_outside_of_the_sections_finds_the_nearest_one() -> None:
    """Rejections asked for in the introduction go where decisions go."""
    sections = read_instruction("Keep every approach that was rejected.\n## Goal\n## Decisions\n## State").sections

    assert [section.purposes.get("rejected") for section in sections] == [None, 0.9, None]


@pytest.mark.parametrize(
    "prompt",
    [
        "Only positive facts.",
        "Do not list what was rejected.",
        "Don't mention approaches that failed.",
        "Leave out what was not done.",
        "Omit dead ends.",
        "不要列出被否决的方案。",
        "只写已完成的事实。",
    ],
)
def test_prompts_that_discourage_negatives_are_understood(prompt: str) -> None:
    """Such a wish is not a wish for rejections."""
    instruction = read_instruction(prompt)

    assert instruction.no_negatives
    assert "rejected" not in instruction.wants


@pytest.mark.parametrize(
    "prompt",
    ["Never drop a rejected path.", "Do not shorten dead ends.", "List what was rejected.", "不要遗漏被否决的方案。"],
)
def test_prompts_that_protect_rejections_do_not_discourage_them(prompt: str) -> None:
    """A negation in front of losing is a wish to keep."""
    assert not read_instruction(prompt).no_negatives


def test_limits_are_read() -> None:
    """Length limits on the whole and on a section."""
    instruction = read_instruction("At most 120 words.\n## Goal\nOne sentence.\n## Next\nNo more than three bullets.")

    assert instruction.most_words == 120
    assert [section.most for section in instruction.sections] == [None, 3]
    assert read_instruction("总结，不超过200字。").most_characters == 200


@given(st.text(alphabet="#*[]`<>{}\n:- .,aGoal禁止下一步12", max_size=300))
@settings(deadline=None, max_examples=80)
def test_any_prompt_can_be_read(prompt: str) -> None:
    """No prompt breaks the reader, and every section has a purpose."""
    assert all(section.purposes for section in read_instruction(prompt, prompt).sections)
