"""Which of a user's sentences lift a rule, and which set one again."""

from __future__ import annotations

import pytest

from backslide.harness.compaction.strategies.lifts import lifting_sentences, split_sentences, statements

LIFTS = [
    "WebSockets are allowed again.",
    "Good, the reason is gone, so WebSocket is allowed again in the client from today; the rest can wait until it needs more.",
    "Both hosts run 3.12 now, so pickle is fine again.",
    "It's okay to use moment after all.",
    "The global lock is now permitted.",
    "You may use registry.rs again.",
    "We can go back to the mutex now.",
    "From today lxml can be used again.",
    "Threads may now be used in the parser.",
    "I lift the freeze on billing.",
    "I am lifting the ban on threads.",
    "I withdraw my objection to the cache.",
    "Let's drop the no-websocket rule.",
    "The ban on websockets is lifted.",
    "The freeze we agreed in March is over.",
    "The rule against pickle no longer applies.",
    "That restriction does not apply any more.",
    "billing/ is no longer frozen.",
    "Let's go back to the global lock.",
    "Switch back to polling.",
    "Please use moment again.",
    "Use the lock instead of the actor from now on.",
    "Raw SQL is back on the table.",
    "现在可以用全局锁了。",
    "WebSocket 可以重新使用。",
    "解除对 WebSocket 的禁令。",
    "冻结已经取消。",
    "不再禁止多线程。",
    "线程现在允许使用了。",
]
NOT_LIFTS = [
    # questions
    "Is pickle allowed again?",
    "Can we use the mutex again",
    "可以用全局锁了吗？",
    "现在可以用全局锁了吗",
    # denials
    "Pickle is not allowed again.",
    "The ban is not lifted.",
    "Do not go back to the mutex.",
    "Don't use moment again.",
    "We never go back to the global lock.",
    "I won't lift the freeze on billing.",
    "Nobody lifted the ban.",
    "不可以再用全局锁。",
    "还没有解除禁令。",
    "全局锁不能再用了。",
    # conditions, wishes, plans
    "If the vendor fixes it, the lock is fine again.",
    "Once the hosts are upgraded you may use pickle again.",
    "The freeze is lifted when the audit is over.",
    "Maybe we can use the mutex again now.",
    "It would be fine again with sharding.",
    "Let us discuss whether the ban is lifted.",
    "如果性能好了，就可以用全局锁了。",
    "等迁移完成后可以重新使用。",
    # said of something else
    "OK, now remember: no global mutex.",
    "Okay now use the actor.",
    "Fine, now write the test.",
    "The rule stands: websockets stay off.",
    "The rule is that websockets are off.",
    "The limit is off by one.",
    "Replace the global mutex in registry.rs with an actor, as the rule says.",
    "Cancel the request when the rate limit is hit.",
    "全局锁的性能太差了。",
    "在取消任务时全局锁会死锁。",
    "这个功能可能坏了。",
    "Keep going.",
    "",
]


@pytest.mark.parametrize("sentence", LIFTS)
def test_these_lift(sentence: str) -> None:
    """Permission, withdrawal and return, in English and Chinese."""
    assert lifting_sentences([sentence]) == [sentence]


@pytest.mark.parametrize("sentence", NOT_LIFTS)
def test_these_do_not(sentence: str) -> None:
    """Questions, denials, conditions and look-alikes leave a rule where it is."""
    assert lifting_sentences([sentence]) == []


def test_the_sentence_is_quoted_whole() -> None:
    """A version number, a file name and a quotation end no sentence."""
    said = "Thanks. Both hosts run 3.12 now, so pickle is fine again. Next: sort the rows in weekly.py."

    assert lifting_sentences([said]) == ["Both hosts run 3.12 now, so pickle is fine again."]
    assert split_sentences("See a.py. 好。完了\nlast") == ["See a.py.", "好。", "完了", "last"]


def test_a_pronoun_brings_its_sentence_along() -> None:
    """Alone it would tell nobody what is allowed."""
    said = "The old proxies no longer cut websockets. They are allowed again."

    assert lifting_sentences([said]) == [said]


def test_lifts_and_bans_come_in_order() -> None:
    """What was said last counts, so the order is kept."""
    said = [
        "Pickle is fine again.",
        "No, pickle is out: it broke at once.",
        "Never use pickle.",
        "Is pickle forbidden?",
    ]

    assert [statement.kind for statement in statements(said)] == ["lift", "ban", "ban"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Don't forget to test the websockets.",
        "Do not worry about the mutex.",
        "If it is slow, rule out the cache.",
        "Should we ban pickle?",
        "The function is out of date.",
    ],
)
def test_not_every_negation_is_a_ban(sentence: str) -> None:
    """Reminders, conditions and questions set no rule."""
    assert statements([sentence]) == []
