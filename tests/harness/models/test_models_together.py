from __future__ import annotations

import pytest
from long_session import REJECTION, long_session
from request_bodies import ask, chat, system, user, words

from backslide.harness.models.cards import BehaviourCard, CardReply
from backslide.harness.models.literal import LiteralExecutor
from backslide.harness.models.section_summarizer import SectionSummarizer

CARD = BehaviourCard(
    request="Write the monthly export.",
    about=("pandas", "data frame"),
    lures=(CardReply("import pandas as pd"),),
    compliant=(CardReply("import csv"),),
)
PLAIN = "Summarize the main content of the conversation."
HAND_OVER = "## Goal\nAim.\n## Dead ends\nApproaches that were ruled out, with figures.\n## State\nFiles and tests."


def after_compaction(prompt: str, limit: int, talk: str) -> str:
    """Let the executor answer with nothing but the summary of `talk` before it."""
    wrapped = f"<conversation>\n{talk}\n</conversation>\n\n{prompt}"
    asked = chat(system("You summarize."), user(wrapped), role="summarizer", max_tokens=limit)
    summary = ask(SectionSummarizer(words), asked).text
    payload = chat(system("You write Python."), user(f"<summary>\n{summary}\n</summary>"), user(CARD.request))
    return ask(LiteralExecutor([CARD], words), payload).text


@pytest.mark.parametrize(("prompt", "limit"), [(HAND_OVER, 300), (HAND_OVER, 1500), (PLAIN, 4000)])
def test_a_rejection_that_survives_the_summary_is_obeyed(prompt: str, limit: int) -> None:
    """A section of its own at a small budget, or a large budget without one."""
    assert after_compaction(prompt, limit, long_session()) == "import csv"


@pytest.mark.parametrize(("prompt", "limit"), [(PLAIN, 80), (HAND_OVER, 20)])
def test_a_rejection_that_is_lost_comes_back(prompt: str, limit: int) -> None:
    """Too little room for it, with or without a section."""
    assert after_compaction(prompt, limit, long_session()) == "import pandas as pd"


def test_a_summary_that_only_names_the_subject_protects_nobody() -> None:
    """The chat summary names what was talked about; what was decided about it is gone."""
    talk = long_session().replace(REJECTION, f"Try pandas. {REJECTION}")
    talk += "\n\n[Assistant]: The pandas frame and the pandas index were timed, pandas and pandas again. " * 3

    assert after_compaction(PLAIN, 40, talk) == "import pandas as pd"
