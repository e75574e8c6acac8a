from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.models.reading import read_payload, read_text
from backslide.harness.models.stance import Subject

REDIS = Subject(("redis", "network cache", "shared/", "远程缓存"))


def stance(text: str, *, log: bool = False) -> str:
    """Return the last stance that is not neutral."""
    remarks = read_text(text, REDIS, log)
    return next((known.stance for known in reversed(remarks) if known.stance != "neutral"), "neutral")


@pytest.mark.parametrize(
    "text",
    [
        "Redis is ruled out.",
        "We have ruled out any network cache for this service.",
        "Please do not bring in Redis again.",
        "No Redis, no other network cache: the hosts have no route to one.",
        "We are not going to add Redis for this.",
        "Redis is off the table, it costs 4 ms a hit.",
        "Keep it in process, not in a network cache.",
        "Always use the LRU instead of Redis.",
        "If you need it faster, make the LRU bigger; never reach for Redis.",
        "Redis? We said no to Redis last week.",
        "shared/ is frozen until the audit is over.",
        "Nothing under shared/ may change.",
        "Leave `shared/` alone, write an adapter.",
        "Redis was considered and rejected (4 ms a hit).",
        "Redis must not come back.",
        "we don't use a network cache in this repo",
        "不要引入 Redis。",
        "远程缓存这条路否决了，一次 4ms。",
        "以后别再提 Redis 了",
        "缓存放进程内，不要远程缓存。",
        "已放弃：Redis",
    ],
)
def test_bans_are_heard(text: str) -> None:
    """A plain reader takes these as ruling the subject out."""
    assert stance(text) == "forbids"


@pytest.mark.parametrize(
    "text",
    [
        "Should we rule out Redis?",
        "What if Redis is not allowed?",
        "If we rule out Redis we need something else.",
        "We discussed moving away from Redis.",
        "We considered a network cache.",
        "Perhaps we should avoid Redis.",
        "We could drop the idea of a network cache.",
        "Redis answers in 4 ms.",
        "Redis was measured in turn 4.",
        "There is no Redis in the compose file.",
        "No Redis client found in go.mod.",
        "Redis is not ruled out.",
        "Nobody has forbidden Redis.",
        "Do not use memcached, use Redis instead.",
        "We ruled out memcached and went with Redis.",
        "test_redis_is_rejected passed; the Redis suite has 4 cases.",
        "The server rejected the Redis handshake.",
        "Don't forget the Redis timeout.",
        "Read shared/codec.go and shared/wire.go.",
        "我们讨论了远程缓存的思路。",
        "要不要用 Redis？",
        "Redis 还没有否决。",
        "如果放弃 Redis，要换什么？",
        "看了 Redis 的配置，跑了测试。",
    ],
)
def test_mentions_are_not_bans(text: str) -> None:
    """Questions, suppositions, softened reports, descriptions and double negations rule nothing out."""
    assert stance(text) == "neutral"


@pytest.mark.parametrize(
    "text",
    [
        "Redis is allowed again.",
        "You may use Redis again, the route exists now.",
        "The ban on Redis has been lifted.",
        "Redis is no longer ruled out.",
        "Redis was ruled out at first; it is fine again since Monday.",
        "A network cache is back on the table.",
        "The rule against Redis no longer applies.",
        "Redis 可以用了。",
        "Redis 的限制已经解除。",
        "之前否决的远程缓存，现在可以用了。",
        "## Lifted rules\n- Redis (was ruled out for latency)",
    ],
)
def test_lifts_are_heard(text: str) -> None:
    """A lift outweighs the ban that it mentions."""
    assert stance(text) == "lifts"


def test_a_lift_that_has_not_happened_lifts_nothing() -> None:
    """Until, unless and if leave the ban where it is."""
    assert stance("Redis stays out until the ban is lifted.") == "forbids"
    assert stance("If the ban on Redis is lifted, tell me.") == "neutral"
    assert stance("Redis is not allowed again.") != "lifts"


@pytest.mark.parametrize(
    "text",
    [
        "We measured Redis at 4 ms. That is out.",
        "Redis needs a route we do not have. Do not use it.",
        "Could we use Redis? No, that is ruled out.",
        "We looked at Redis at length. Rejected.",
        "Can we use Redis? No.",
        "Redis 一次 4ms。这个方案不行，放弃。",
    ],
)
def test_a_pronoun_carries_the_subject_into_the_next_sentence(text: str) -> None:
    """The verdict may follow in a sentence of its own."""
    assert stance(text) == "forbids"


def test_a_pronoun_reaches_no_further_than_its_neighbour() -> None:
    """A sentence on something else in between breaks the reference; so does another message."""
    assert stance("Redis takes 4 ms. The importer reads twice. That is ruled out.") == "neutral"

    apart = [{"role": "user", "content": "Redis takes 4 ms."}, {"role": "user", "content": "That is out."}]
    assert not read_payload(apart, REDIS).banned


def test_the_heading_carries_to_its_bullets() -> None:
    """A bullet under a heading of rejections needs no negation of its own; under a neutral heading it does."""
    for heading in ("## Rejected paths", "**Dead ends**", "[已放弃的路径]", "We ruled these out:", "Do not:"):
        assert stance(f"{heading}\n- network cache for sessions (4 ms a hit)") == "forbids", heading
    for heading in ("## Decisions", "## Looked at", "[现状]"):
        assert stance(f"{heading}\n- network cache for sessions (4 ms a hit)") == "neutral", heading


def test_a_title_can_name_the_subject() -> None:
    """Under the subject's own heading the bullets speak of it without naming it."""
    assert stance("## Redis\n- rejected: 4 ms a hit") == "forbids"
    assert stance("## Redis\n- ruled out at first, allowed again since Monday") == "lifts"
    assert stance("## Redis\n- the pool has 8 connections") == "neutral"


def test_the_stance_of_a_heading_ends_with_its_section() -> None:
    """The next heading of the same level starts afresh."""
    assert stance("## Rejected\n- memcached\n\n## State\n- Redis fixture reads the port") == "neutral"


def test_a_rule_in_a_file_that_a_tool_read_counts() -> None:
    """Comments and rules files are payload like everything else; code is not."""
    assert stance("# Rules\n- no Redis: the hosts have no route", log=True) == "forbids"
    assert stance("cache.go:12:\t// do not use Redis here\ncache.go:13:\tx := lru.New(9)", log=True) == "forbids"
    assert stance('never := redis.New("no redis")', log=True) == "neutral"


def test_names_match_as_whole_words() -> None:
    """A subject inside a longer identifier is another subject; case, plural and width do not matter."""
    assert stance("predisposed and redistill are ruled out.") == "neutral"
    assert stance("NETWORK  CACHES are ruled out.") == "forbids"
    assert stance("不要用Redis做缓存。") == "forbids"


def test_a_longer_object_list_is_still_forbidden() -> None:
    """The subject may be one of several things."""
    assert stance("Do not use memcached, etcd or Redis for sessions.") == "forbids"


@given(
    st.lists(
        st.sampled_from(
            [
                "Redis",
                "not",
                "ruled out",
                ".",
                "?",
                "if",
                "we",
                "use",
                "allowed again",
                "不要",
                "- ",
                "\n",
                "## Rejected",
                "it",
                ",",
                "(",
            ]
        ),
        max_size=60,
    )
)
@settings(deadline=None, max_examples=80)
def test_any_text_gets_a_stance(pieces: list[str]) -> None:
    """The reader never fails, and says the same twice."""
    text = " ".join(pieces)
    assert read_text.__wrapped__(text, REDIS) == read_text(text, REDIS)
