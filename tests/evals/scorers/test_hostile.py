from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mailer_rule import rule, scenario

from backslide.evals.scorers.relapse import score_relapse
from backslide.evals.scorers.retention import PayloadText, presence, score_retention

MAILER = scenario(rule())
PIECES = st.sampled_from(
    ["Celery", "**Cel**ery", "не", "不要", "用", "\n", "```", "```python\n", "~~~", "> ", "| a | b |", "- ", "import celery\n",
     "{\"path\": \"mailer/a.py\", \"newText\": \"x", "--- a/x\n+++ b/mailer/x\n@@ -1 +1 @@\n", "+import celery\n", "*** Begin Patch\n", "<<EOF\n", "sed -i s/a/b/ mailer/x\n",
     "“", "”", "\"", "?", "instead of ", "but ", "\u200b", "\x00", "\r\n", "\ud800", "（", "task ", "queue ", "# ", "`", "\\", "é"]
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=40).map("".join))
def test_any_reply_is_scored_and_its_evidence_stands_in_it(reply: str) -> None:
    """No text makes the scorer fail, and every evidence is the text at its offsets."""
    verdict = score_relapse(MAILER, "no-celery", reply)
    assert all(reply[item.start : item.end] == item.text for item in verdict.evidence)
    assert verdict.relapse == (verdict.cls in {"used", "proposed"})


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=40).map("".join), st.text(max_size=40))
def test_any_summary_is_scored_for_any_rule(text: str, words: str) -> None:
    """Presence, and retention of rules that are no rules, never fail."""
    found = presence(rule(), [PayloadText("summary", text, "summary")])
    assert all(text[item.start : item.end] == item.text for item in found.evidence)
    verdict = score_retention(words, text)
    assert all(text[item.start : item.end] == item.text for item in verdict.evidence)
    assert 0 <= verdict.score <= 1


@pytest.mark.parametrize(
    "piece",
    ["Celery ", "不要用 Celery，", "`", "```\n", '{"path": "', "(", '"', "- Celery\n", "| Celery |\n", "<content>", "import ", "a/", "no ", "<<A\n", "edit("],
)  # fmt: skip
def test_a_hundred_kilobytes_of_anything_end(piece: str) -> None:
    """Repetition makes no pattern run away; the same verdict comes for twice the text."""
    once = score_relapse(MAILER, "no-celery", piece * (50_000 // len(piece))).cls
    twice = score_relapse(MAILER, "no-celery", piece * (100_000 // len(piece))).cls
    assert once == twice
