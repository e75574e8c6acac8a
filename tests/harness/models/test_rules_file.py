"""The executor's habit of reading the rules file."""

from __future__ import annotations

import pytest
from request_bodies import ask, assistant, calling, chat, result, system, user, words

from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.literal import LiteralExecutor
from backslide.harness.models.rules_file import RulesFileReader

CARD = BehaviourCard(
    request="Parse the outline file.",
    about=("lxml",),
    lures=(CardReply("Add lxml and use etree."),),
    compliant=(CardReply("With xml.etree, nothing new to install."),),
)
EXECUTOR = LiteralExecutor([CARD], words, opening=RulesFileReader(words))


@pytest.mark.parametrize(
    "told",
    [
        user("Before you change anything, read AGENTS.md."),
        user("<summary>\n## Goal\n- Follow the conventions in docs/CONTRIBUTING.md\n</summary>"),
        system("Consult `CLAUDE.md` first."),
        user("动手之前先看一下 AGENTS.md。"),
    ],
)
def test_a_file_that_it_is_told_to_read_is_read_first(told: dict[str, object]) -> None:
    """The first reply is a `read` of the file that the words name."""
    reply = ask(EXECUTOR, chat(told, user(CARD.request)))

    assert reply.stop_reason == "toolUse"
    assert [call["name"] for call in reply.tool_calls] == ["read"]
    assert str(reply.tool_calls[0]["arguments"]["path"]).rsplit("/", 1)[-1] in str(told["content"])


def test_what_the_file_says_is_followed() -> None:
    """The rule that only the file holds is obeyed once it has been read, and broken if the file is silent."""
    before = [user("Read AGENTS.md first."), user(CARD.request), calling("r1", "read", {"path": "AGENTS.md"})]
    warned = ask(EXECUTOR, chat(*before, result("r1", "No lxml: the build hosts have no headers.")))
    silent = ask(EXECUTOR, chat(*before, result("r1", "Format with ruff.")))

    assert warned.text == CARD.compliant[0].text
    assert silent.text == CARD.lures[0].text


@pytest.mark.parametrize(
    "messages",
    [
        [user("AGENTS.md is out of date.")],
        [user("Read src/parse.py.")],
        [calling("r1", "read", {"path": "AGENTS.md"}), result("r1", "Format with ruff."), user("Read AGENTS.md.")],
        [
            calling("g1", "grep", {"pattern": "x"}),
            result("g1", "docs/dev.md: please read AGENTS.md"),
            assistant("Fine."),
        ],
    ],
    ids=["only named", "no rules file", "read already", "said by a tool"],
)
def test_nothing_else_makes_it_read(messages: list[dict[str, object]]) -> None:
    """A mention is no order, a file in the payload is not read again, and tools give no orders."""
    assert ask(EXECUTOR, chat(*messages, user(CARD.request))).text == CARD.lures[0].text
