from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from request_bodies import ask, assistant, calling, chat, result, system, user, words

from backslide.harness import models
from backslide.harness.errors import InputError
from backslide.harness.models.advisor import ContinuationProneAdvisor
from backslide.harness.models.protocol import Reply, Request

BRIEF = """# A request

## Question
Should the importer keep its rows in {one} or in {two}?

## Options
1. Keep the rows in {one}
2. Write the rows to {two}

## Evidence
- {evidence}
- the import takes 40 s

## Reply
Reply with guidance only."""

BRACKETS = ("[User]: ", "[Assistant thinking]: ", "[Assistant]: ", "[Assistant tool calls]: ", "[Tool result (bash)]: ")
UNCOMMON = (
    "@@ human-says >> ",
    "@@ agent-mulls >> ",
    "@@ agent-says >> ",
    "@@ agent-does >> ",
    "@@ came-back (bash) >> ",
)
TAGS = ("<person>", "<notes>", "<worker>", "<does>", "<got>")
CHINESE = ("用户：", "助手思考：", "助手：", "工具调用：", "工具结果：")
STYLES = {"brackets": BRACKETS, "uncommon": UNCOMMON, "tags": TAGS, "chinese": CHINESE}


def transcript(labels: tuple[str, ...], turns: int = 6, pending: bool = True, ending: str = "Please advise.") -> str:
    asks, thinks, says, does, got = labels
    blocks = []
    for turn in range(turns):
        blocks += [
            f"{asks}Make orders/part{turn}.py faster.",
            f"{thinks}Part {turn} sorts its rows twice.",
            f'{does}bash(command="pytest -q tests/test_part{turn}.py")',
            f"{got}orders/part{turn}.py:{turn + 3}: slow\n{turn + 20} passed, 1 failed",
            f"{says}Part {turn} takes {turn * 3 + 50} ms now.",
        ]
    blocks += [f"{asks}What next?", *([f"{does}advisor()"] if pending else [])]
    return "\n\n".join([*blocks, ending])


def answer(*messages: dict[str, object], **options: object) -> str:
    return reply(chat(system("You advise."), *messages, role="advisor"), **options).text


def reply(request: Request, seed: int = 0, noise: float = 0.0) -> Reply:
    return ask(ContinuationProneAdvisor(words, seed, noise), request)


@pytest.mark.parametrize("labels", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("pending", [True, False])
def test_a_transcript_is_continued_in_its_own_format(labels: tuple[str, ...], pending: bool) -> None:
    """Whatever its labels are: they are learned from the payload."""
    text = answer(user(transcript(labels, pending=pending)))
    lines = [line for line in text.splitlines() if line.startswith(tuple(label[:-6] or label for label in labels))]
    kinds = {next(label for label in labels if line.startswith(label.split("(")[0].rstrip())) for line in lines}

    assert len(lines) >= 4
    assert len(kinds) >= 3
    assert not text.startswith(labels)


def test_a_pending_call_is_answered_first() -> None:
    """The first thing it forges is the result of the call that was under way."""
    text = answer(user(transcript(BRACKETS)))
    forged = [line for line in text.splitlines() if line.startswith("[")]

    assert forged[0].startswith("[Tool result (advisor)]: ")


def test_what_it_invents_is_nowhere_in_the_payload() -> None:
    """Commit ids, sizes and counts of tests are plausible and false."""
    for turns in range(6, 14):
        payload = transcript(BRACKETS, turns=turns)
        text = answer(user(payload))
        commits = re.findall(r"pushed as ([0-9a-f]{7})\b|\[main ([0-9a-f]{7})\]", text)
        sizes = re.findall(r"is ([\d,]+) bytes", text)
        tests = re.findall(r"(\d+) tests pass", text)

        assert commits or sizes
        for invented in [one or other for one, other in commits] + sizes + tests:
            assert invented not in payload


def test_outputs_are_varied_and_not_copied() -> None:
    """A result of a repeated run has other figures than any in the payload."""
    payload = transcript(BRACKETS, turns=10)
    text = answer(user(payload))
    counts = re.findall(r"(\d+) passed", text.split("[Tool result (bash)]:", 1)[1])

    assert counts
    assert not set(counts) & set(re.findall(r"(\d+) passed", payload))


def test_a_document_with_a_quoted_exchange_is_answered() -> None:
    """Labels that come back in a small part of a long text do not make it a transcript."""
    quoted = "[User]: a\n\n[Assistant]: b\n\n[User]: c\n\n[Assistant]: d"
    prose = "The importer keeps its rows in memory and the nightly job has twice the rows of last year. " * 20

    text = answer(user(f"{prose}\n\n{quoted}\n\n## What I ask\n{prose}\nShould it write them to disk?"))

    assert "[User]" not in text
    assert "Should it write them to disk" in text


def test_a_complete_document_is_answered() -> None:
    """Advice in the document's own words, no label and no action of its own."""
    text = answer(user(BRIEF.format(one="memory", two="sqlite", evidence="a sqlite write failed with exit code 1")))

    assert text.startswith("Go with this: Keep the rows in memory.")
    assert "Write the rows to sqlite" in text
    assert not re.search(r"(?m)^[\[<@#]|\bI (?:ran|have|committed|changed)\b", text)


def test_the_advice_follows_the_evidence() -> None:
    """The same options with the trouble on the other side give the other advice."""
    one = answer(user(BRIEF.format(one="memory", two="sqlite", evidence="sqlite writes failed twice")))
    other = answer(user(BRIEF.format(one="memory", two="sqlite", evidence="memory was exhausted at 12 GB")))

    assert "Go with this: Keep the rows in memory" in one
    assert "Go with this: Write the rows to sqlite" in other


def test_a_brief_that_quotes_a_log_is_still_a_brief() -> None:
    """Two quoted lines do not make a transcript of a document."""
    quoted = BRIEF.format(one="a", two="b", evidence='the log says "[Assistant]: done" and "[User]: no"')

    assert "[Tool result" not in answer(user(quoted))


def test_chinese_documents_get_chinese_advice() -> None:
    """In the document's language and words."""
    text = answer(
        user(
            "# 请求\n\n## 问题\n缓存放在哪里？\n\n## 选项\n1. 放在内存\n2. 放在数据库\n\n## 证据\n- 数据库写入失败两次"
        )
    )

    assert "建议采用：放在内存" in text
    assert "数据库写入失败两次" in text


def test_a_conversation_in_messages_is_advised_on() -> None:
    """The stateless side call has no labelled text, so there is nothing to continue."""
    text = answer(
        user("Make orders/part1.py faster."),
        calling("c1", "bash", {"command": "pytest"}),
        result("c1", "3 passed, 1 failed"),
        assistant("Part 1 takes 80 ms now."),
        user("Please give your advice on the situation above."),
    )

    assert "Make orders/part1.py faster" in text
    assert "[" not in text


SUMMARY = """The conversation history before this point was compacted into the following summary:

<summary>
## Goal
- Publish the importer.

## Progress
### Done
- Published importer 2.1.
- Ran pytest (40 passed).

## Next Steps
- Announce the release.
</summary>"""


def test_a_summary_of_work_gives_it_that_identity() -> None:
    """It lists the milestones as its own and asks its reader for direction."""
    text = answer(user(SUMMARY), user(transcript(BRACKETS)))

    assert "I would like your direction" in text
    assert "1. Published importer 2.1" in text
    assert "Publish the importer" in text
    assert "Announce the release" in text
    assert "[Tool result" not in text


@pytest.mark.parametrize(
    "summary",
    [
        SUMMARY.replace("## Next Steps", "## Advice given so far"),
        SUMMARY.replace("## Goal", "## Notes"),
        SUMMARY.replace("- Published importer 2.1.\n- Ran pytest (40 passed).", "- none").replace(
            "- Announce", "- none"
        ),
        "Some earlier words without a summary.",
    ],
    ids=["of advice", "without goal", "without progress", "no summary"],
)
def test_other_summaries_leave_it_an_advisor(summary: str) -> None:
    """Only a place for a goal, and progress, make an identity."""
    assert "direction" not in answer(user(summary), user(BRIEF.format(one="a", two="b", evidence="c 1")))


def test_a_summary_in_somebody_elses_conversation_gives_no_identity() -> None:
    """An advisor has no tools: a context with tool calls is not its own."""
    text = answer(user(SUMMARY), calling("c1", "bash", {}), result("c1", "ok"), user("Please advise."))

    assert "direction" not in text


def test_the_same_payload_gets_the_same_reply() -> None:
    """Replies depend on the body and the seed."""
    request = chat(user(transcript(BRACKETS)), role="advisor")

    assert reply(request).text == reply(request).text
    assert reply(request).text != reply(request, seed=1).text


def test_noise_resists_now_and_then() -> None:
    """With full noise it never continues, without it always; in between, sometimes, by the seed."""
    request = chat(user(transcript(BRACKETS)), role="advisor")
    forged = [("[Tool result" in reply(request, seed, 0.5).text) for seed in range(30)]

    assert "[Tool result" not in reply(request, noise=1.0).text
    assert 5 < sum(forged) < 25


def test_the_output_limit_is_kept() -> None:
    """The continuation ends where the budget does."""
    text = reply(chat(user(transcript(BRACKETS)), role="advisor", max_tokens=140)).text

    assert words(text) <= 140
    assert "[Tool result (advisor)]" in text
    assert len(text) < len(reply(chat(user(transcript(BRACKETS)), role="advisor")).text)


def test_more_effort_gives_more_advice() -> None:
    """The effort in the body is what a caller pays for."""
    document = BRIEF.format(one="memory", two="sqlite", evidence="sqlite writes failed twice")
    request = chat(user(document), role="advisor")
    low, high = (
        Request(
            "advisor", "advisor", request.body[:-1] + b',"reasoning_effort":"%b"}' % effort, request.measure, 0, 16_000
        )
        for effort in (b"low", b"high")
    )

    assert len(reply(low).text) < len(reply(high).text)


def test_a_payload_over_the_window_is_refused() -> None:
    """As every backend refuses it."""
    assert reply(chat(user("x"), tokens=20_000)).stop_reason == "error"


def test_usage_is_metered() -> None:
    """Input as measured, output as counted, no cost."""
    answered = reply(chat(user("Keep it?"), role="advisor", tokens=77))

    assert answered.usage["input"] == 77
    assert answered.usage["output"] == words(answered.text)


@pytest.mark.parametrize("document", ["", "   ", "[", "\n\n\n", "a" * 5000, "[x]: y", "<a>\n<b>\n<a>\n<b>"])
def test_any_document_gets_an_answer(document: str) -> None:
    """There is always something to say."""
    assert answer(user(document)).strip()


def test_noise_must_be_a_share() -> None:
    """An argument out of range is named."""
    with pytest.raises(InputError, match="noise"):
        ContinuationProneAdvisor(words, noise=2)


def test_it_opens_no_file_and_names_no_label() -> None:
    """What it knows of transcripts it learns from the payload."""
    folder = Path(models.__file__).parent
    for path in folder.glob("advisor*.py"):
        source = path.read_text(encoding="utf-8")
        names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}

        assert not names & {"open", "Path", "files", "__import__"}, path.name
        assert not re.search(r"Tool result|\[Assistant|\[User|Human:|function_calls|im_start", source), path.name
