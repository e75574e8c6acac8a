from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_session import REJECTION, long_session
from request_bodies import ask, assistant, calling, chat, result, system, user, words

from backslide.harness.errors import InputError
from backslide.harness.models.extractive_summarizer import ExtractiveSummarizer
from backslide.harness.models.protocol import Request
from backslide.harness.models.section_summarizer import SectionSummarizer

PLAIN = "Please summarize the main content of the conversation above. Keep the important information."
SECTIONED = """Write the hand-over with these sections.

## Goal
What the session is for.

## Decisions
What was adopted.

## Rejected paths
Every approach that was ruled out, with its reason.

## Lifted rules
Rules that no longer hold.

## State
Files changed, tests that pass.

## Next steps
Open work.
"""
TALK = """[User]: Our goal is an importer for bank statements that reads a month in one second.

[Assistant tool calls]: grep(pattern="parse(", path="bank"); read(path="bank/parse.py")

[Tool result]: bank/parse.py:3:def parse(row):

[Tool result]: def parse(row):
    return row.split(";")

[Assistant]: The parser splits every row by hand. An ORM could load the rows, I tried SQLAlchemy.

[Assistant tool calls]: bash(command="pytest -q")

[Tool result]: 12 passed in 1.1s

[Assistant]: With SQLAlchemy a month takes 14 s.

[User]: SQLAlchemy is ruled out then, 14 s is too slow. We decided on COPY with plain SQL files.

[Assistant tool calls]: edit(path="bank/load.py", oldText="a", newText="b"); bash(command="pytest -q")

[Tool result]: Edited bank/load.py

[Tool result]: 15 passed in 1.3s

[Assistant]: I replaced the loader with COPY and all tests pass now.

[User]: Next, add the csv dialect of the second bank."""


def body(
    prompt: str, talk: str = TALK, *, limit: int = 400, previous: str = "", about: str = "You summarize."
) -> Request:
    """Build a summarizer's request as a compaction sends it."""
    earlier = f"\n\n<previous-summary>\n{previous}\n</previous-summary>" if previous else ""
    text = f"<conversation>\n{talk}\n</conversation>{earlier}\n\n{prompt}"
    return chat(system(about), user(text), role="summarizer", max_tokens=limit)


def summary(
    prompt: str, talk: str = TALK, *, limit: int = 400, previous: str = "", seed: int = 0, noise: float = 0.0
) -> str:
    model = SectionSummarizer(words, seed, noise)
    return ask(model, body(prompt, talk, limit=limit, previous=previous)).text


def under(text: str, heading: str) -> list[str]:
    """Return the bullets under a heading."""
    lines = text.partition(f"{heading}\n")[2].partition("\n\n")[0].splitlines()
    return [line.removeprefix("- ") for line in lines if line not in {"- none", "- 无"}]


def test_the_prompt_s_sections_are_filled_in_its_order() -> None:
    """Each kind of sentence finds its section; headings are the prompt's."""
    text = summary(SECTIONED)

    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [line for line in SECTIONED.splitlines() if line.startswith("## ")]
    assert any("importer for bank statements" in line for line in under(text, "## Goal"))
    assert any("COPY with plain SQL" in line for line in under(text, "## Decisions"))
    assert under(text, "## Rejected paths") == ["SQLAlchemy is ruled out then, 14 s is too slow."]
    assert under(text, "## Lifted rules") == []
    assert any("bank/load.py" in line for line in under(text, "## State"))
    assert any("15 passed" in line for line in under(text, "## State"))
    assert any("second bank" in line for line in under(text, "## Next steps"))


@pytest.mark.parametrize("title", ["Dead ends", "What not to do", "Ruled out, and why", "已放弃的路径"])
def test_a_paraphrased_section_gets_the_same_rejection(title: str) -> None:
    """No prompt is special: what counts is what its words ask for."""
    text = summary(SECTIONED.replace("Rejected paths", title).replace("Every approach that was ruled out", "List them"))

    assert under(text, f"## {title}") == ["SQLAlchemy is ruled out then, 14 s is too slow."]


def test_a_chinese_prompt_and_conversation() -> None:
    """Sections in brackets, Chinese cues, Chinese activity reports."""
    talk = "[用户]：目标是导入银行流水。\n\n[助手]：试了 ORM，一个月要 14 秒。\n\n[用户]：ORM 这条路否决，太慢。以后一律用 COPY。"
    prompt = "[目标]\n- 一句话\n[决策]\n- 已确定的约定\n[已放弃的路径]\n- 附原因\n[下一步]\n- 待办"
    text = summary(prompt, talk)

    assert under(text, "[已放弃的路径]") == ["ORM 这条路否决，太慢。"]
    assert "以后一律用 COPY。" in under(text, "[决策]")


def test_a_verdict_by_pronoun_is_kept_with_what_it_is_about() -> None:
    """A bare "That is out." would tell the next reader nothing."""
    talk = "[User]: We measured the ORM at 14 s. That is out.\n\n[Assistant]: Fine."

    assert under(summary(SECTIONED, talk), "## Rejected paths") == ["We measured the ORM at 14 s. That is out."]


def test_previous_bullets_stay_in_their_section() -> None:
    """An update keeps what the earlier summary held, before it adds."""
    previous = (
        "## Rejected paths\n- SQLAlchemy around the loader (14 s a month)\n\n## State\n- bank/load.py loads with COPY"
    )
    text = summary(SECTIONED, "[User]: Now the dialects.\n\n[Assistant]: Added two dialects.", previous=previous)

    assert "SQLAlchemy around the loader (14 s a month)" in under(text, "## Rejected paths")
    assert "bank/load.py loads with COPY" in under(text, "## State")


def test_a_lifted_rule_moves_out_of_the_rejections() -> None:
    """The lifting sentence is quoted in its own section, and the old rule is gone."""
    previous = "## Rejected paths\n- SQLAlchemy is ruled out, 14 s is too slow.\n- threads in the loader"
    talk = "[User]: The driver was fixed, SQLAlchemy is allowed again.\n\n[Assistant]: Good."
    text = summary(SECTIONED, talk, previous=previous)

    assert under(text, "## Rejected paths") == ["threads in the loader"]
    assert under(text, "## Lifted rules") == ["The driver was fixed, SQLAlchemy is allowed again."]


def test_a_ban_after_the_lift_stands() -> None:
    """Order decides: the later rejection is kept, the lift between is not."""
    talk = "[User]: SQLAlchemy is ruled out.\n\n[User]: SQLAlchemy is allowed again.\n\n[User]: Do not use SQLAlchemy after all, it leaks."
    text = summary(SECTIONED, talk)

    assert any("leaks" in line for line in under(text, "## Rejected paths"))
    assert under(text, "## Lifted rules") == []


def test_without_a_section_the_prose_reports_what_was_done() -> None:
    """A chat summary spends its words on looked-at files and tests first."""
    text = summary(PLAIN, limit=60)

    assert "Searched bank for parse(." in text
    assert "pytest -q (12 passed)" in text
    assert "##" not in text


def test_more_room_brings_the_rejection_into_a_plain_summary() -> None:
    """Dose: without a section a rejection competes; small budgets lose it, large ones hold it, and none in between flips back."""
    talk = long_session()
    kept = [REJECTION in summary(PLAIN, talk, limit=limit) for limit in (40, 80, 160, 2500, 6000)]

    assert kept == [False, False, False, True, True]


def test_less_room_takes_the_rejection_out_of_a_sectioned_summary() -> None:
    """Dose: a section of its own saves a rejection only while the budget has room for it."""
    talk = long_session()
    kept = [REJECTION in summary(SECTIONED, talk, limit=limit) for limit in (20, 40, 200, 600, 2000)]

    assert kept == [False, False, True, True, True]


def test_a_section_of_its_own_beats_the_plain_prompt_at_the_same_budget() -> None:
    """Over several sessions and places of the rejection, the section keeps more."""
    talks = [long_session(30, at, seed) for seed, at in enumerate((3, 6, 9, 14, 20, 25))]
    plain = sum(REJECTION in summary(PLAIN, talk, limit=300) for talk in talks)
    sectioned = sum(REJECTION in summary(SECTIONED, talk, limit=300) for talk in talks)

    assert plain < sectioned == len(talks)


def test_a_plain_prompt_that_asks_for_rejections_is_followed() -> None:
    """The wish counts even without sections."""
    wish = f"{PLAIN} List every approach that was rejected."
    talk = long_session()

    assert REJECTION not in summary(PLAIN, talk, limit=160)
    assert REJECTION in summary(wish, talk, limit=160)


def test_a_prompt_that_discourages_negatives_loses_them() -> None:
    """What a prompt asks to leave out is left out, even where a section could have held it."""
    text = summary(f"Only positive facts; do not list what was rejected.\n{SECTIONED}")

    assert "ruled out" not in text


@pytest.mark.parametrize("limit", [1, 7, 25, 60, 150, 1000])
@pytest.mark.parametrize("prompt", [PLAIN, SECTIONED])
def test_the_output_limit_is_kept(prompt: str, limit: int) -> None:
    """Whatever the prompt, the reply never exceeds max_completion_tokens."""
    for model in (SectionSummarizer(words), ExtractiveSummarizer(words)):
        reply = ask(model, body(prompt, long_session(12), limit=limit))
        assert reply.usage["output"] == words(reply.text) <= limit


def test_the_prompt_s_own_word_limit_is_kept() -> None:
    """A smaller limit in words wins over the larger one in tokens."""
    assert words(summary(f"{PLAIN} Use at most 60 words.", long_session(), limit=900)) <= 80


def test_the_same_body_gives_the_same_summary() -> None:
    """No hidden state: a second model and a second call agree."""
    model = SectionSummarizer(words)
    first, second = ask(model, body(SECTIONED)), ask(model, body(SECTIONED))

    assert first.text == second.text == ask(SectionSummarizer(words, seed=9), body(SECTIONED)).text


def test_noise_overlooks_sentences_reproducibly() -> None:
    """With noise a share of sentences is missed, the same for one seed, others for another; with 1 all are."""
    talk = long_session()
    one, again, other = (summary(SECTIONED, talk, limit=600, seed=seed, noise=0.4) for seed in (1, 1, 2))

    assert one == again != other
    kept = [REJECTION in summary(SECTIONED, talk, limit=600, seed=seed, noise=0.5) for seed in range(40)]
    assert 8 <= sum(kept) <= 32
    assert "ruled out" not in summary(SECTIONED, noise=1.0)
    with pytest.raises(InputError, match="noise"):
        SectionSummarizer(words, noise=-0.1)


@pytest.mark.parametrize(
    "talk",
    [
        '<user turn="1">The goal is an importer.</user>\n<assistant>Tried an ORM.</assistant>\n<user turn="2">\nThe ORM is ruled out.\n</user>',
        "User: The goal is an importer.\nAssistant: Tried an ORM.\nUser: The ORM is ruled out.",
        "### User\nThe goal is an importer.\n### Assistant\nTried an ORM.\n### User\nThe ORM is ruled out.",
        "The goal is an importer. Tried an ORM. The ORM is ruled out.",
    ],
)
def test_any_labelling_of_roles_is_read(talk: str) -> None:
    """Labels in brackets, tags, colons or headings; without labels it is plain text."""
    assert "The ORM is ruled out." in under(summary(SECTIONED, talk), "## Rejected paths")


def test_a_conversation_sent_as_messages_is_read() -> None:
    """Instead of a serialized conversation the messages themselves may come before the instruction."""
    request = chat(
        system("You summarize."),
        user("The goal is an importer."),
        calling("c", "edit", {"path": "bank/load.py"}, "On it."),
        result("c", "Edited"),
        assistant("With an ORM it takes 14 s."),
        user("The ORM is ruled out."),
        user(SECTIONED),
        role="summarizer",
    )
    text = ask(SectionSummarizer(words), request).text

    assert under(text, "## Rejected paths") == ["The ORM is ruled out."]
    assert any("bank/load.py" in line for line in under(text, "## State"))


def test_tool_output_offers_its_rules_but_not_its_code() -> None:
    """A rules file that a tool read can be quoted; lines of code are no rejections."""
    talk = '[Assistant tool calls]: read(path="RULES.md")\n\n[Tool result]: # Rules\n- never import sqlalchemy here, hosts lack the driver\nx = not_allowed("y")'

    assert under(summary(SECTIONED, talk), "## Rejected paths") == [
        "never import sqlalchemy here, hosts lack the driver"
    ]


def test_the_floor_is_blind_to_its_prompt() -> None:
    """SumBasic gives the same summary whatever it is asked."""
    floor = ExtractiveSummarizer(words)
    talk = long_session(12)

    texts = {ask(floor, body(prompt, talk, limit=120)).text for prompt in (PLAIN, SECTIONED, "只写目标。")}
    assert len(texts) == 1
    assert texts.pop()


def test_the_floor_keeps_everything_it_has_room_for() -> None:
    """With a large budget nothing is lost; with noise some is, reproducibly."""
    assert (
        "SQLAlchemy is ruled out then, 14 s is too slow."
        in ask(ExtractiveSummarizer(words), body(PLAIN, limit=5000)).text
    )
    noisy = [ask(ExtractiveSummarizer(words, seed=3, noise=0.5), body(PLAIN, limit=5000)).text for _ in range(2)]
    assert noisy[0] == noisy[1] != ask(ExtractiveSummarizer(words), body(PLAIN, limit=5000)).text


@pytest.mark.parametrize("model", [SectionSummarizer(words), ExtractiveSummarizer(words)])
def test_a_request_larger_than_the_window_is_refused(model: SectionSummarizer | ExtractiveSummarizer) -> None:
    """Summarizers answer like a provider, too."""
    reply = ask(model, chat(user("x"), role="summarizer", tokens=11, window=10))

    assert (reply.stop_reason, reply.content) == ("error", [])


@given(
    st.text(alphabet='[]User: Assistant<>conversation/\n#-.禁止a"(=;', max_size=300),
    st.sampled_from([PLAIN, SECTIONED, "", "## A\n## B"]),
)
@settings(deadline=None, max_examples=60)
def test_any_conversation_can_be_summarized(talk: str, prompt: str) -> None:
    """No text breaks the summarizer, and the limit holds."""
    assert words(summary(prompt, talk, limit=50)) <= 50


@pytest.mark.parametrize(
    "rule",
    [
        "No WebSocket anywhere in quayboard.",
        "My conclusion from these figures: no threads, pools or multiprocessing inside the parser.",
    ],
)
def test_a_bare_no_with_its_place_is_a_rejection(rule: str) -> None:
    """People rule things out without a verb; a count of nothing ("no errors in 20 minutes") is none."""
    talk = f"[User]: {rule}\n\n[Assistant]: Fine. No disconnect in 20 minutes, no errors."

    assert under(summary(SECTIONED, talk), "## Rejected paths") == [rule]
