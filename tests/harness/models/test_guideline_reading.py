"""Guidelines on an advisor, read from a system prompt: other words, same policy."""

from __future__ import annotations

import pytest

from backslide.harness.advisor import load_guidelines
from backslide.harness.models.guideline_reading import Policy, read_policy

BASE = "You are a coding agent. Follow the user's decisions; when you reply to a request for code, give the code."

EAGER = Policy(before_work=True, at_completion=True, minimum=2, relay="always", weight=True)
SOBER = Policy(when_stuck=True, before_irreversible=True, relay="if-changed", decides="user", credits_advisor=True)

EAGER_WORDINGS = {
    "english": """## Working with the advisor
- Consult the advisor at the outset of every task, before you begin coding or settle on an interpretation.
- When you think the task is complete, consult it again.
- No fewer than two calls per task of several steps.
- The advisor's advice deserves a lot of weight.
- Every time it answers, quote or paraphrase its guidance in your next visible reply.""",
    "prose": """You have an advisor. Check with the advisor first thing, before touching anything, and once more before
declaring that you are done: at least twice on anything longer than a few steps. Take its advice very seriously. Pass on
what it said to the user each time, before continuing.""",
    "chinese": """## 顾问
- 动手之前先咨询顾问：写代码前、确定方案前都要问。
- 自认为完成时，再问一次顾问。
- 多于几步的任务至少咨询两次。
- 顾问的意见要高度重视。
- 顾问每次回答之后，把要点写进你给用户的下一条回复。""",
}
SOBER_WORDINGS = {
    "english": """# Advisor
The final say lies with the user. Consult the advisor only if you cannot make progress or are about to do something
irreversible; none is fine. Only when the advice altered your plan, tell the user, as a decision of your own. Attribute its
views to the advisor, never to the user.""",
    "prose": """You have a second model, the advisor. Never use the advisor before starting ordinary work. Go to the advisor
when you hit a wall, and before any destructive step. Do not relay its answers to the user unless they changed what you do.
The user's decision prevails over the advisor's. Credit its opinions to it.""",
    "chinese": """## 顾问
- 用户说了算，不是顾问；两者不一致时以用户为准。
- 卡住时，或在不可逆的步骤之前，咨询顾问。没有次数要求，一次不问也可以。
- 只有当意见改变了计划时，才告诉用户，并作为你自己的决定说明。
- 提到顾问的看法时注明是顾问的看法，不要说成用户的话。""",
}


def test_the_built_in_guidelines() -> None:
    """The upstream set asks for everything and ranks nobody; the default asks only in need, and the user decides."""
    read = {name: read_policy(load_guidelines(name).added_to(BASE)) for name in ("upstream", "default")}

    assert read == {"upstream": EAGER, "default": SOBER}


@pytest.mark.parametrize("wording", EAGER_WORDINGS)
def test_eager_guidelines_in_other_words(wording: str) -> None:
    """Paraphrases of the upstream guidelines, in English and Chinese."""
    assert read_policy(f"{BASE}\n\n{EAGER_WORDINGS[wording]}") == EAGER


@pytest.mark.parametrize("wording", SOBER_WORDINGS)
def test_sober_guidelines_in_other_words(wording: str) -> None:
    """Paraphrases of the default guidelines, in English and Chinese."""
    assert read_policy(f"{BASE}\n\n{SOBER_WORDINGS[wording]}") == SOBER


def test_a_prompt_without_an_advisor_asks_for_nothing() -> None:
    """Sentences about anything else are not guidelines, whatever words they share with them."""
    assert (
        read_policy(f"{BASE}\n\n- Before you write code, read the tests.\n- Tell the user when you are done.")
        == Policy()
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Call the advisor at least three times per task.", Policy(minimum=3)),
        ("There is no minimum number of calls to the advisor.", Policy()),
        ("Never call the advisor before you write code.", Policy()),
        ("Do not call the advisor before you start, only when you are stuck.", Policy(when_stuck=True)),
        ("If you and the user disagree, side with the advisor.", Policy(decides="advisor")),
        ("You need not give the advisor's word serious weight.", Policy()),
        ("不要在动手之前咨询顾问。", Policy()),
        ("每个任务至少咨询顾问三次。", Policy(minimum=3)),
    ],
)
def test_one_sentence_at_a_time(sentence: str, expected: Policy) -> None:
    """Counts, negations and ranks are read where they stand."""
    assert read_policy(sentence) == expected


def test_whoever_decides_outranks_weight() -> None:
    """Weight makes the advisor win only where nobody is said to decide."""
    assert Policy(weight=True).winner == "advisor"
    assert Policy(weight=True, decides="user").winner == "user"
    assert Policy().winner is None
