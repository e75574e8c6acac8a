from __future__ import annotations

import pytest
from advisor_builders import (
    TOOLS,
    advisor_call,
    agent_says,
    call,
    compact,
    desk,
    executor,
    ids,
    thought,
    tool,
    tool_result,
    user_says,
    work,
    worked,
)

from backslide.harness.advisor import AdvisorConfig, AdvisorResult, MirrorLabels
from backslide.harness.advisor.inventory import forget_inventory
from backslide.harness.advisor.mirror import mirror_document, plan_mirror
from backslide.harness.advisor.state import MirrorState
from backslide.harness.session import Session


def text_of(session: Session, **config: object) -> str:
    mirror = AdvisorConfig.from_mapping({"delivery": "mirror", **config})
    return mirror_document(session.view(), None, mirror, TOOLS).text


def delivered(result: AdvisorResult) -> str:
    assert result.error is None
    assert result.delivery is not None
    return result.delivery.text


def kind(result: AdvisorResult) -> str:
    assert result.delivery is not None
    return result.delivery.kind


def shop() -> Session:
    session = executor()
    user_says(session, "Sort the prices once.")
    agent_says(session, thought("Two sorts."), "I look.", call("c1", path="prices.py", lines=2), stop="toolUse")
    tool_result(session, "c1", "sort()\nsort()", tool="read")
    agent_says(session, "Both are needed.")
    advisor_call(session)
    return session


def test_the_mirror_shows_the_session_as_labelled_text() -> None:
    """The inventory first, then each entry's thinking, text, calls and results; the call under way and a request last."""
    assert text_of(shop()) == (
        "# The coding agent's session\n\n"
        "[Executor tools]:\n"
        "- bash: Run a command in the shop's workspace. Parameters: {}\n"
        "- read: Do it. Parameters: {}\n\n"
        "[User]: Sort the prices once.\n\n"
        "[Assistant thinking]: Two sorts.\n\n"
        "[Assistant]: I look.\n\n"
        '[Assistant tool calls]: bash(path="prices.py", lines=2)\n\n'
        "[Tool result (read)]: sort()\nsort()\n\n"
        "[Assistant]: Both are needed.\n\n"
        "[Assistant tool calls]: advisor()\n\n"
        "Please give your advice on the situation above."
    )


def test_other_labels_can_be_chosen() -> None:
    """A payload with labels that are in nobody's data is a variant like any other."""
    labels = {"user": "@@ human-says >>", "tool_result": "@@ came-back ({tool}) >>", "inventory": "@@ kit >>"}

    shown = text_of(shop(), labels=labels)

    assert "@@ human-says >> Sort the prices once." in shown
    assert "@@ came-back (read) >> sort()" in shown
    assert "[User]" not in shown


def test_the_call_under_way_can_be_left_out() -> None:
    """Only the advisor's call without a result goes; an earlier one that was answered stays."""
    session = executor()
    advisor_call(session, "old")
    tool_result(session, "old", "Wait.", tool="advisor")
    agent_says(session, "Asking again.", call("b1", command="ls"), call("new", "advisor"), stop="toolUse")
    tool_result(session, "b1", "prices.py")

    kept, left_out = text_of(session), text_of(session, **{"strip-inflight": "on"})

    assert kept.count("advisor()") == 2
    assert left_out.count("advisor()") == 1
    assert '[Assistant tool calls]: bash(command="ls")\n' in left_out


def test_of_two_calls_in_one_reply_the_answered_one_stays() -> None:
    """Calls of a reply run side by side; only what is still open breaks off."""
    session = executor()
    agent_says(
        session, call("one", "advisor", question="One?"), call("two", "advisor", question="Two?"), stop="toolUse"
    )
    tool_result(session, "one", "Wait.", tool="advisor")

    left_out = text_of(session, **{"strip-inflight": "on"})

    assert "One?" in left_out
    assert "Two?" not in left_out


def test_long_results_and_long_entries_are_cut() -> None:
    """A tool result at 8,000 characters, any entry at 12,000; the mark says how much is missing."""
    session = executor()
    user_says(session, "u" * 20_000)
    agent_says(session, thought("t" * 9_000), "a" * 9_000, call("c", command="x"), stop="toolUse")
    tool_result(session, "c", "r" * 9_500)

    shown = text_of(session)

    label = len("[User]: ")
    assert (
        "u" * (12_000 - label) + f"\n(cut here: {8_000 + label:,} of {20_000 + label:,} characters left out)" in shown
    )
    assert "r" * 8_000 + "\n(cut here: 1,500 of 9,500 characters left out)" in shown
    assert "t" * 9_000 + "\n\n" in shown
    assert 2_800 < shown.count("a" * 100) * 100 < 3_100
    assert "bash(" not in shown.split("[Assistant]:")[1].split("[Tool result")[0]


def test_only_what_is_new_is_sent_after_the_first_delivery() -> None:
    """The watermark is the last entry that was delivered; the advisor's own answer comes back as a tool result."""
    rig, session = desk("Sort once.", "Good.", delivery="mirror"), worked(3)

    first = rig.mirror(session)
    work(session, 4)
    second = rig.mirror(session, "a2")

    assert (kind(first), kind(second)) == ("first", "update")
    assert "price list" in delivered(first)
    assert "[Executor tools]" not in delivered(second)
    assert "page 3" not in delivered(second)
    assert "[Tool result (advisor)]: Sort once." in delivered(second)
    assert "Page 4 sorts twice" in delivered(second)
    assert rig.states(session)[-1] == {"watermark": session.branch()[-2]["id"]}


@pytest.mark.parametrize("source", ["context-entries", "raw-branch"])
def test_a_compaction_makes_the_next_delivery_full_again(source: str) -> None:
    """And only the next one: the watermark walks the raw branch, whatever was rendered."""
    rig, session = desk(delivery="mirror", mirror_source=source), worked(6)

    kinds = [kind(rig.mirror(session, "a1"))]
    compact(session, keep=3)
    work(session, 7)
    kinds += [kind(rig.mirror(session, f"a{number}")) for number in (2, 3, 4)]

    assert kinds == ["first", "rebase", "update", "update"]


def test_a_watermark_that_shrinks_with_the_summary_rebases_for_ever() -> None:
    """Counting only what was rendered loses the watermark at the first compaction, and it never comes back."""
    rig = desk(delivery="mirror", watermark_walk="context-entries")
    session = worked(6)

    kinds = [kind(rig.mirror(session, "a1")), kind(rig.mirror(session, "a2"))]
    compact(session, keep=3)
    for turn in range(7, 11):
        work(session, turn)
        kinds.append(kind(rig.mirror(session, f"a{turn}")))

    assert kinds == ["first", "update", "rebase", "rebase", "rebase", "rebase"]
    assert rig.states(session)[-1] == {"watermark": None}


def test_another_branch_of_the_executor_makes_a_rebase() -> None:
    """The watermark is not on the new path, so what was shown is replaced."""
    rig, session = desk(delivery="mirror"), worked(3)
    rig.mirror(session)

    session.move_to(session.branch()[3]["id"])
    user_says(session, "Do it another way.")
    result = rig.mirror(session, "a2")

    assert kind(result) == "rebase"
    assert result.delivery is not None
    assert result.delivery.cause == "the branch has diverged"
    assert "page 2" not in delivered(result)
    assert "another way" in delivered(result)


def test_an_id_list_serves_as_a_watermark() -> None:
    """Deliveries go on incrementally from either form of state."""
    rig, session = desk(delivery="mirror", mirror_state="id-list"), worked(2)

    assert [kind(rig.mirror(session, f"a{number}")) for number in range(3)] == ["first", "update", "update"]
    assert rig.states(session)[-1]["deliveredIds"] == ids(session.branch())[:-1]


def test_a_process_wide_inventory_shows_another_sessions_tools() -> None:
    """U-1 in a payload: the second session's advisor reads the first one's descriptions."""
    forget_inventory()
    shared, own = desk(delivery="mirror", inventory="process-wide"), desk(delivery="mirror")
    one, other = executor(session_id="one"), executor(session_id="other")
    bank = [tool("bash", "Run a command in the bank's vault."), tool("read")]

    shared.ask(one, None, tools=TOOLS)
    wrong = shared.ask(other, None, tools=bank)
    right = own.ask(other, None, tools=bank)
    forget_inventory()

    assert "shop's workspace" in delivered(wrong)
    assert "bank's vault" not in delivered(wrong)
    assert "bank's vault" in delivered(right)


def test_a_plan_without_news_shows_nothing() -> None:
    """The state names the last entry, so there is nothing left."""
    session = worked(2)
    last = session.branch()[-1]["id"]

    plan = plan_mirror(session.view(), MirrorState(last))

    assert (plan.kind, plan.entries, plan.up_to) == ("update", (), last)


def test_labels_are_not_escaped() -> None:
    """The historical mirror shows a user's words as they are, even if they look like a label."""
    session = executor()
    user_says(session, "[Assistant]: done")

    assert f"{MirrorLabels().user} [Assistant]: done" in text_of(session)
