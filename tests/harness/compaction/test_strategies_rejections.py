"""Rejections that survive an update."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.compaction.strategies.bullets import bullets, core, head, terms
from backslide.harness.compaction.strategies.rejections import carry_forward

MUTEX = "Global mutex around the session table (p99 40 ms, 6 ms allowed)"
PICKLE = "pickle files for reports: two versions of Python could not read them"


def handover(*rejected: str, lifted: tuple[str, ...] = (), state: str = "tests pass") -> str:
    """A hand-over with the given bullets."""
    parts = ["## Goal\nA faster report.", "## Rejected paths\n" + "\n".join(f"- {item}" for item in rejected)]
    if lifted:
        parts.append("## Lifted or replaced rules\n" + "\n".join(f"- {item}" for item in lifted))
    return "\n\n".join([*parts, f"## State\n{state}"])


def rejected(text: str) -> list[str]:
    return bullets(text, "rejected")


def lifted(text: str) -> list[str]:
    return bullets(text, "lifted")


def test_what_an_update_forgets_is_put_back_word_for_word() -> None:
    """In its own section, the rest untouched."""
    new = carry_forward(handover(MUTEX, PICKLE), handover(PICKLE, state="all green"), ["go on"])

    assert new == handover(PICKLE, MUTEX, state="all green")


def test_a_section_that_fell_out_comes_back() -> None:
    """At the end, under the heading that the next update looks for."""
    new = carry_forward(handover(MUTEX), "## Goal\nA faster report.", [])

    assert new == f"## Goal\nA faster report.\n\n## Rejected paths\n- {MUTEX}"


def test_an_empty_section_is_filled() -> None:
    """Its "none" goes, for it is not true."""
    for nothing in ("(none)", "- None yet.", "无", "N/A", "- nothing so far"):
        new = carry_forward(handover(MUTEX), f"## Rejected paths\n{nothing}\n\n## State\nx", [])

        assert new == f"## Rejected paths\n- {MUTEX}\n\n## State\nx"


def test_what_is_there_is_not_doubled() -> None:
    """Word for word, with other emphasis, or with more said about it."""
    for same in (MUTEX, f"**{MUTEX}**", f"{MUTEX}.", f"No {MUTEX}, measured in March"):
        assert carry_forward(handover(MUTEX), handover(same), []) == handover(same)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Do not use pickle for the weekly report", "Do not use CSV for the weekly report"),
        ("No Go in the CLI", "No Rust in the CLI"),
        ("Never raise the pool above 20", "Never raise the pool above 50"),
        ("`std::sync::Mutex` in registry.rs", "`std::sync::RwLock` in registry.rs"),
        ("全局锁", "全局变量"),
        ("Threads in the parser", "Threads in the printer"),
    ],
)
def test_a_similar_rule_is_not_the_same_rule(old: str, new: str) -> None:
    """Another name, place or figure makes another rule: both stay."""
    assert rejected(carry_forward(handover(old), handover(new), [])) == [new, old]


@pytest.mark.parametrize(
    "heading",
    [
        "## Rejected paths",
        "### Approaches ruled out",
        "**Rejected paths:**",
        "**Dead ends**:",
        "[Rejected paths]",
        "【已放弃方案】",
        "## 禁止事项",
        "Do not use:",
        "# Negative constraints #",
    ],
)
def test_the_section_may_be_written_in_many_ways(heading: str) -> None:
    """Markdown of every level, bold, bracketed, plain with a colon, Chinese."""
    previous = f"Intro.\n\n{heading}\n- {MUTEX}\n- {PICKLE}\n\n## State\nfine"

    assert rejected(previous) == [MUTEX, PICKLE]
    new = carry_forward(previous, f"{heading}\n- {PICKLE}\n\n## State\nfine", [])
    assert new == f"{heading}\n- {PICKLE}\n- {MUTEX}\n\n## State\nfine"


def test_headings_below_belong_to_the_section() -> None:
    """Rejections grouped by subject are still rejections; a new section ends them."""
    text = (
        "## Rejected paths\nIntro line\n### Storage\n- pickle\n**Locks**\n- mutex\n## State\n- green\n### Files\n- a.py"
    )

    assert rejected(text) == ["Intro line", "pickle", "mutex"]


def test_a_heading_of_lifted_rules_is_no_heading_of_rejections() -> None:
    """Though both words may stand in it."""
    for heading in ("## No longer forbidden", "## Rejections that were lifted", "## 已解除的禁止"):
        text = f"{heading}\n- pickle"

        assert rejected(text) == []
        assert lifted(text) == ["pickle"]


def test_bullets_hold_their_continuation() -> None:
    """Wrapped lines, bullets below them and code belong to one rejection."""
    text = (
        "## Rejected paths\n* Global mutex,\n  measured twice\n  - reason: p99\n1. pickle\n\n"
        "   - deep\n- code:\n```rust\n## Mutex\nlet m;\n```\n| a | b |\n|---|---|\nplain line"
    )

    assert rejected(text) == [
        "Global mutex, measured twice reason: p99",
        "pickle deep",
        "code: ```rust ## Mutex let m; ```",
        "| a | b |",
        "plain line",
    ]


def test_a_bullet_that_starts_like_a_tag_is_a_bullet() -> None:
    """Approaches have such names too."""
    assert rejected(carry_forward(handover("<canvas> rendering"), handover(), [])) == ["<canvas> rendering"]


def test_a_lifted_rejection_goes_and_the_sentence_stays() -> None:
    """Not resurrected, and the user's words are quoted for the next engineer."""
    new = carry_forward(handover(MUTEX, PICKLE), handover(MUTEX), ["Both hosts run 3.12 now, so pickle is fine again."])

    assert rejected(new) == [MUTEX]
    assert lifted(new) == ["Both hosts run 3.12 now, so pickle is fine again."]
    assert new.index("## Rejected") < new.index("## Lifted")


def test_the_lifting_sentence_is_kept_over_later_updates() -> None:
    """A summarizer that forgets it does not bring the doubt back."""
    sentence = "Both hosts run 3.12 now, so pickle is fine again."
    first = carry_forward(handover(PICKLE), handover(), [sentence])
    second = carry_forward(first, handover(MUTEX), ["go on"])
    third = carry_forward(second, "## Goal\nx", ["thanks"])

    assert rejected(third) == [MUTEX]
    assert lifted(third) == [sentence]


@pytest.mark.parametrize(
    "said",
    [
        ["Pickle is fine again.", "Forget that, pickle files are out: the old host is back."],
        ["Pickle is fine again. But never use pickle in the hot path."],
        ["pickle 可以用了。", "还是不要用 pickle。"],
    ],
)
def test_banned_again_after_a_lift(said: list[str]) -> None:
    """In one stretch of conversation the last word counts."""
    assert rejected(carry_forward(handover(PICKLE), handover(), said)) == [PICKLE]


def test_banned_again_after_the_lift_was_summarized() -> None:
    """The lifted line goes, and the ban stands even if the summarizer missed it."""
    sentence = "Both hosts run 3.12 now, so pickle is fine again."
    ban = "No, pickle is out: the old host is back."
    previous = handover(MUTEX, lifted=(sentence,))

    noticed = carry_forward(previous, handover(MUTEX, "pickle, the old host is back"), [ban])
    assert rejected(noticed) == [MUTEX, "pickle, the old host is back"]
    assert lifted(noticed) == []

    told = carry_forward(previous, handover(MUTEX, "pickle, the old host is back"), ["The old host is back."])
    assert lifted(told) == []

    missed = carry_forward(previous, handover(MUTEX), [ban])
    assert rejected(missed) == [MUTEX, ban]
    assert lifted(missed) == []


@pytest.mark.parametrize(
    "said",
    [
        "Is pickle fine again?",
        "Pickle is not allowed again.",
        "If the hosts agree, pickle is fine again.",
        "Do not go back to pickle.",
        "OK, now remember: no pickle.",
        "Maybe pickle is fine again now.",
        "Pickle is slow.",
    ],
)
def test_no_lift_no_loss(said: str) -> None:
    """Questions, denials, conditions and talk leave the rejection where it was."""
    new = carry_forward(handover(PICKLE), handover(), [said])

    assert rejected(new) == [PICKLE]
    assert lifted(new) == []


def test_a_partial_overlap_keeps_both() -> None:
    """A rule that shares a word with what was lifted stays; the sentence stands after it."""
    new = carry_forward(handover("Global mutex", "Global cache"), handover(), ["The global cache is fine again."])

    assert rejected(new) == ["Global mutex"]
    assert lifted(new) == ["The global cache is fine again."]


def test_the_more_exact_rule_is_the_one_that_is_lifted() -> None:
    """Of two rules that a sentence could mean, the one that it names in full."""
    new = carry_forward(handover("SSE for updates", "SSE polling"), handover(), ["SSE polling is fine again."])

    assert rejected(new) == ["SSE for updates"]


def test_an_exception_lifts_no_rule() -> None:
    """Allowed in one place only: the rule stays, and so does the sentence."""
    said = "Pickle is fine again, but only in tests."
    new = carry_forward(handover(PICKLE), handover(), [said])

    assert rejected(new) == [PICKLE]
    assert lifted(new) == [said]


def test_what_replaces_is_not_what_is_replaced() -> None:
    """To use A instead of B brings A back, not B."""
    said = ["Use the actor instead of the global mutex from now on."]

    assert rejected(carry_forward(handover("Global mutex"), handover(), said)) == ["Global mutex"]
    assert rejected(carry_forward(handover("Actor"), handover(), said)) == []


def test_the_summarizers_word_counts_with_the_users() -> None:
    """A summary that moved a rule to the lifted ones is believed if a user sentence is behind it, else not."""
    new = handover(lifted=("The global mutex around the session table may be used",))

    assert rejected(carry_forward(handover(MUTEX), new, ["The mutex is fine again."])) == []
    assert rejected(carry_forward(handover(MUTEX), new, ["go on"])) == [MUTEX]


def test_chinese_rules() -> None:
    """Kept, told apart, and lifted in Chinese."""
    previous = handover("全局锁（p99 40 毫秒）", "轮询")

    assert rejected(carry_forward(previous, handover(), ["全局锁的性能太差了。"])) == ["全局锁（p99 40 毫秒）", "轮询"]
    new = carry_forward(previous, handover(), ["现在可以用全局锁了。"])
    assert rejected(new) == ["轮询"]
    assert lifted(new) == ["现在可以用全局锁了。"]


def test_what_a_bullet_is_about() -> None:
    """Its words before the reason; paths and code are not torn apart."""
    assert head("`std::sync::Mutex` in registry.rs: slow") == "`std::sync::Mutex` in registry.rs"
    assert head("Do not use: pickle (slow)") == "Do not use: pickle"
    assert core("Global mutex around the table") == "Global mutex"
    assert terms("一个锁 C++ and Go") == {"一个", "个锁", "c++", "go"}


def test_forty_updates_that_forget_lose_nothing() -> None:
    """Each update writes a summary of its own; every rejection so far is in the last one, once."""
    summary = handover("approach zero")
    for number in range(1, 41):
        summary = carry_forward(summary, handover(f"approach{number} by name"), ["go on"])

    assert sorted(rejected(summary)) == sorted(
        ["approach zero", *(f"approach{number} by name" for number in range(1, 41))]
    )


subjects = st.lists(
    st.sampled_from(
        ["global", "mutex", "pickle", "cache", "polling", "Redis", "v2", "table", "全局锁", "C#", "20", "50"]
    ),
    min_size=1,
    max_size=4,
)
items = st.builds(
    lambda words, link, reason: " ".join(words) + (f"{link}{reason}" if reason else ""),
    subjects,
    st.sampled_from([": ", " (", " because ", "，", " - "]),
    st.sampled_from(["", "p99 40 ms", "slow", "太慢"]),
).filter(lambda item: bool(terms(item)))


@settings(deadline=None, max_examples=300)
@given(
    st.lists(items, max_size=6),
    st.lists(items, max_size=6),
    st.lists(items, max_size=2),
    st.sampled_from([[], ["go on"], ["Is the mutex allowed again?"], ["Never use the cache."]]),
)
def test_no_bullet_is_lost_without_a_lift(old: list[str], new: list[str], lines: list[str], said: list[str]) -> None:
    """Each one's whole subject is under the rejections afterwards, nothing of the new text is gone, twice is once."""
    previous, update = handover(*old), handover(*new, lifted=tuple(lines))
    result = carry_forward(previous, update, said)

    kept = rejected(result)
    for bullet in old:
        subject = terms(head(bullet))
        assert any(bullet in item or subject <= terms(item) for item in kept)
    assert kept[: len(rejected(update))] == rejected(update)
    assert all(line in result for line in update.splitlines() if line.strip())
    assert carry_forward(previous, result, said) == result


@settings(deadline=None, max_examples=200)
@given(st.lists(items, max_size=5), st.lists(items, max_size=5), st.lists(st.sampled_from(
    ["The global mutex is fine again.", "Pickle is allowed again.", "No, pickle is out again.", "现在可以用全局锁了。", "The cache is fine now."]
), max_size=4))  # fmt: skip
def test_carrying_forward_twice_changes_nothing(old: list[str], new: list[str], said: list[str]) -> None:
    """Also with lifts and bans in between."""
    once = carry_forward(handover(*old), handover(*new), said)

    assert carry_forward(handover(*old), once, said) == once
