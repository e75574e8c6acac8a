from __future__ import annotations

import pytest

from backslide.evals.scorers.advisor.payload_risk import payload_risk, shares

BRIEF = (
    "# Question\n\nWhich of the two cursors should the export use?\n\n# Evidence\n\n- rows 1,204 of 90,311 were seen twice\n\n"
    "Reply with your guidance only: a plan, a correction or a stop signal."
)


def mirror(*, end: str = "[Assistant tool calls]: advisor()\n\n") -> str:
    """A transcript under the historical labels, ending as the ledger saw it."""
    turn = (
        "[User]: page the export\n\n[Assistant thinking]: The cursor is an offset, so rows move under it.\n\n"
        '[Assistant]: I look at the query.\n\n[Assistant tool calls]: read(path="api/export.py")\n\n'
        "[Tool result (read)]: " + "SELECT * FROM orders OFFSET 50\n" * 6 + "\n"
    )
    return (
        "[Executor tools]:\nread: reads a file\nbash: runs a command\n\n"
        + turn * 3
        + end
        + "Please advise on the situation above."
    )


def test_a_brief_ends_on_an_instruction_and_holds_no_transcript() -> None:
    """The repaired payload is one document, and nothing in it is pending."""
    risk = payload_risk(BRIEF)

    assert (risk.ends_on_instruction, risk.ends_on_pending_action, risk.risky) == (True, False, False)
    assert risk.transcript_share == 0
    assert risk.composition == {"prose": len(BRIEF)}


def test_a_mirror_ends_on_a_pending_action_and_is_mostly_transcript() -> None:
    """A polite request after the open call does not close it."""
    risk = payload_risk(mirror())

    assert (risk.ends_on_pending_action, risk.risky) == (True, True)
    assert risk.transcript_share > 0.9
    assert set(risk.composition) == {"prose", "tools", "user", "thinking", "assistant", "tool_calls", "tool_results"}
    assert risk.composition["tool_results"] > risk.composition["user"]
    assert sum(risk.composition.values()) == risk.length


def test_without_the_call_in_flight_nothing_is_pending() -> None:
    """The second layer of the ledger's repair: what is left is still a transcript."""
    risk = payload_risk(mirror(end=""))

    assert (risk.ends_on_pending_action, risk.risky) == (False, True)


@pytest.mark.parametrize(
    "labels",
    [
        ("§ask ", "§says ", "§does ", "§sees "),
        ("@user> ", "@coder> ", "@coder.run> ", "@box> "),
        ("<<ask>> ", "<<say>> ", "<<act>> ", "<<see>> "),
    ],
)
def test_labels_that_no_list_knows_show_as_well(labels: tuple[str, str, str, str]) -> None:
    """Form and content give a transcript away; the pending call too."""
    ask, say, act, see = labels
    turn = f"{ask}page the export\n\n{say}I look at the query.\n\n{act}cat api/export.py\n\n{see}SELECT 50 rows, exit 0\n\n"
    risk = payload_risk(turn * 3 + f'{act}advisor("export")\n\nPlease advise.')

    assert risk.ends_on_pending_action
    assert risk.transcript_share > 0.8


def test_labels_can_be_given() -> None:
    """Labels without any sign are found when they are named."""
    text = "Ask: page the export\nSee: fifty rows\nAsk: and the header?\nSee: none\n"

    assert payload_risk(text).transcript_share == 0
    assert payload_risk(text, labels=("Ask:", "See:")).transcript_share == 1


@pytest.mark.parametrize(
    ("text", "instructs"),
    [
        ("Question: A or B?\n\nAnswer with guidance only.", True),
        ("问题：选甲还是选乙？\n\n请只回复指导意见。", True),
        ("Question: A or B?\n\nThe table has 3 rows.", False),
        ("", False),
    ],
)
def test_endings(text: str, instructs: bool) -> None:
    """The last paragraph tells what to answer, or does not."""
    assert payload_risk(text).ends_on_instruction == instructs


def test_shares_add_up() -> None:
    """Amounts by origin become shares; nothing is divided by zero."""
    assert shares({"user": 1, "thinking": 3}) == {"user": 0.25, "thinking": 0.75}
    assert shares({"user": 0}) == {"user": 0.0}
    assert payload_risk("").transcript_share == 0
