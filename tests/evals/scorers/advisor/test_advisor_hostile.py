from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.evals.scorers.advisor.forgery import score_forgery
from backslide.evals.scorers.advisor.identity import score_identity
from backslide.evals.scorers.advisor.payload_risk import payload_risk

PIECES = st.sampled_from(
    ["[Assistant]: ", "[Tool result (x)]: ", "Human: ", "用户：", "工具结果：", "\n", "\n\n", "```\n", "~~~", "> ", "- ", "| a |", "<invoke name=\"x\">", "</invoke>",
     "<|im_start|>", "{\"name\": \"a\", \"arguments\": {", "}", "[", "]", "【", "】", "“", "”", "\"", "`", "§x ", "$ ls", "41 passed", "I ran ", "我跑了", "`a.py`", "\u200b", "\ud800",
     "\x0b", "\u2028", "\r\n", "role=user ", "# ", ":", "：", "（", "é", "should ", "you "]
)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=10)), max_size=40).map("".join)


@settings(deadline=None, max_examples=250)
@given(TEXTS, st.one_of(st.none(), TEXTS))
def test_any_reply_is_scored_and_its_offsets_are_valid(reply: str, payload: str | None) -> None:
    """No text makes the scorer fail; the characters add up, and the split is the first character shown on its line."""
    verdict = score_forgery(reply, payload)

    assert verdict.genuine_chars + verdict.forged_chars == len(reply)
    assert all(reply[item.start : item.end] == item.text for item in verdict.evidence)
    assert verdict.forged == (verdict.split is not None) == (verdict.kind is not None)
    if verdict.split is not None:
        assert verdict.genuine_chars == verdict.split < len(reply)
        assert not reply[verdict.split].isspace()
        before = (reply[: verdict.split] + "x").splitlines()[-1][:-1]
        assert not before.strip()


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_any_reply_has_an_identity_and_any_payload_a_risk(text: str) -> None:
    """Evidence stands where it says; the composition adds up to the payload."""
    assert all(text[item.start : item.end] == item.text for item in score_identity(text).evidence)
    assert sum(payload_risk(text).composition.values()) == len(text)


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="abc .,\n", max_size=120))
def test_plain_words_are_never_forged(text: str) -> None:
    """Letters, blanks and stops hold no label, no figure and no claim."""
    assert not score_forgery(text).forged


@pytest.mark.parametrize(
    "piece",
    ["[Assistant]: ", "Human: ", "用户：", "```\n", "```a\n", "{\"name\": \"", "<invoke name=\"", "<|", "[", "(", "我在", "我把", "I ran ", "I ", "> ", "| a ", "should i ", "a.b/", "- ", "“", "=", "~~ ", "§a ", "what ", "已", "1", "- Ran "],
)  # fmt: skip
def test_repetition_of_anything_ends(piece: str) -> None:
    """Repetition makes no pattern run away; the same verdict comes for twice the text."""
    once, twice = (piece * (size // len(piece)) + "x" for size in (20_000, 40_000))

    assert score_forgery(once).forged == score_forgery(twice).forged
    assert score_identity(once).inverted == score_identity(twice).inverted
    assert payload_risk(once).risky == payload_risk(twice).risky
