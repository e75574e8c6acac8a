from __future__ import annotations

from pathlib import Path

import pytest
from compactor_builders import module, program

from backslide.harness.compaction.external import CheckResult, Limits, check_compactor
from backslide.harness.compaction.external.check_script import TURNS, PerfectSummarizer, turn_messages, user_sentence

QUICK = Limits(compact_seconds=20, exit_seconds=10)
NAMES = [
    "found", "version", "messages", "ids", "time", "raw", "tool results", "last user", "shrinks", "determinism",
    "empty session", "huge message", "summarizer error", "cancellation", "bye", "rejection survives",
]  # fmt: skip
SUMMARY_OF_NEWEST = """
held = []
def compact(messages, model):
    if len(messages) < 8:
        return messages
    start = max(i for i, m in enumerate(messages) if m["role"] == "user")
    text = model.complete([*messages[:start][-4:], {"role": "user", "content": "Sum up."}]).text
    return [{"kind": "summary", "role": "user", "content": text}, *messages[start:]]
"""


def verdicts(spec: str, limits: Limits = QUICK) -> dict[str, CheckResult]:
    return {result.name: result for result in check_compactor(spec, limits)}


def failed(spec: str, limits: Limits = QUICK) -> dict[str, str]:
    return {name: result.detail for name, result in verdicts(spec, limits).items() if not result.ok}


def test_the_script_has_what_a_compactor_must_bear() -> None:
    """Forty turns of tool calls, some in Chinese, with far more output than talk."""
    texts = [str(message) for turn in range(1, TURNS + 1) for message in turn_messages(turn)]

    assert sum("导入器" in user_sentence(turn) for turn in range(1, TURNS + 1)) == 10
    assert sum(len(text) for text in texts) > 20 * sum(len(user_sentence(turn)) for turn in range(1, TURNS + 1)) / 2


def test_an_honest_program_passes_every_rule(tmp_path: Path) -> None:
    """All checks are made, and all hold."""
    found = verdicts(
        program(
            tmp_path,
            compact="""
            users = [i for i, x in enumerate(held) if x["role"] == "user"]
            start = users[-1] if users else 0
            if start < 2:
                answer([], "no-op")
                continue
            reply = complete([*held[:start], {"role": "user", "content": "Sum up."}])
            if "error" in reply:
                send({"type": "error", "id": m["id"], "message": reply["error"]})
                continue
            held = [{"kind": "summary", "role": "user", "content": reply["text"]}, *held[start:]]
            answer(held)
            """,
        )
    )

    assert list(found) == NAMES
    assert {name: result.detail for name, result in found.items() if not result.ok} == {}
    assert found["summarizer error"].detail == "reported an error, and worked again afterwards"


def test_a_lossy_compactor_conforms_but_is_told(tmp_path: Path) -> None:
    """To lose a rejection breaks no rule of the protocol; the check says it all the same."""
    found = verdicts(module(tmp_path, SUMMARY_OF_NEWEST))
    lost = [result for result in found.values() if not result.ok]

    assert [(result.name, result.required) for result in lost] == [("rejection survives", False)]
    assert "lost after compaction 1 and lost after compaction 2" in lost[0].detail


@pytest.mark.parametrize(
    ("code", "rule", "words"),
    [
        ("def compact(messages, model): return messages\n", "shrinks", "left the conversation as it is"),
        ("def compact(messages, model): return messages[-1:]\n", "last user", "dropped the last user message"),
        ("def compact(messages, model): return messages[-6:]\n", "tool results", "without its call"),
        ("def compact(messages, model): return {}\n", "messages", "status must be"),
        ("def compact(messages, model): return [{'kind': 'raw', 'id': 'x'}]\n", "raw", "with the id x was given"),
        (
            "def compact(messages, model):\n"
            "    return [{'kind': 'placeholder', 'role': 'user', 'content': 'x' * 99999}, *messages]\n",
            "shrinks",
            "larger than before",
        ),
    ],
)
def test_a_broken_rule_is_named_and_later_ones_are_not_reached(
    tmp_path: Path, code: str, rule: str, words: str
) -> None:
    """The rule that ended the main run fails with the reason; its stage's others do not count as held."""
    found = failed(module(tmp_path, code))

    assert words in found.pop(rule)
    assert {detail for name, detail in found.items() if name in NAMES[5:9]} <= {"not reached"}


def test_an_unsteady_compactor_is_found_out(tmp_path: Path) -> None:
    """Equal conversations must give equal requests and results."""
    code = "import os\n" + SUMMARY_OF_NEWEST.replace('"Sum up."', 'f"Sum up, number {os.urandom(8).hex()}."')

    assert "two equal runs differ" in failed(module(tmp_path, code))["determinism"]


@pytest.mark.parametrize(
    ("steps", "rule", "words"),
    [
        ({"hello": "send({'type': 'hello', 'version': 7})"}, "version", "speaks version 7"),
        ({"compact": "answer([], 'no-op') if not held else sys.exit(1)"}, "messages", "exited with status 1"),
        ({"extend": "send({'type': 'extended', 'id': 0})"}, "ids", "under the id 0"),
    ],
)
def test_a_program_that_fails_is_judged_by_what_it_did(
    tmp_path: Path, steps: dict[str, str], rule: str, words: str
) -> None:
    """Version, form and ids are rules of their own."""
    assert words in failed(program(tmp_path, **steps))[rule]


def test_mishaps_are_told_apart(tmp_path: Path) -> None:
    """A compactor that is good in fair weather fails where it breaks."""
    code = SUMMARY_OF_NEWEST.replace("if len(messages) < 8:", "if messages[0] and len(messages) < 8:").replace(
        "text = model", "text = 'x' if model.window == 0 else model"
    )
    found = failed(module(tmp_path, code))

    assert "IndexError: list index out of range" in found["empty session"]
    assert set(found) == {"empty session", "rejection survives"}


def test_a_program_that_stays_after_bye_is_told(tmp_path: Path) -> None:
    """It is ended all the same."""
    found = failed(program(tmp_path, bye="time.sleep(600)"), Limits(exit_seconds=0.2))

    assert "did not end within 0.2 s of bye" in found["bye"]


def test_a_compactor_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """Nothing else is tried."""
    (result,) = check_compactor(f"{tmp_path}/none.py:Class")

    assert (result.name, result.ok) == ("found", False)
    assert "there is no such file" in result.detail


def test_the_perfect_summarizer_repeats_what_it_is_shown_and_nothing_else() -> None:
    """It cannot know a sentence that was not in its request."""
    import asyncio

    from backslide.harness.compaction.strategies.base import SummaryRequest

    shown = f"{user_sentence(8)} and {user_sentence(6)}"
    reply = asyncio.run(PerfectSummarizer()(SummaryRequest("", (shown,), 100, "initial")))

    assert reply.text.splitlines() == [user_sentence(6), user_sentence(8)]
