"""How long the robust profile waits before it asks again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig import failed, make_rig, said

from backslide.harness.control.backoff import PoliteBackoff, requested_ms
from backslide.harness.control.events import AutoRetryStart
from backslide.harness.control.retry import ExponentialBackoff
from backslide.harness.settings import ProviderRetrySettings, RetrySettings

NOW = datetime(2026, 10, 21, 7, 28, tzinfo=UTC).timestamp() * 1000
CAPPED = RetrySettings(base_delay_ms=2000, provider=ProviderRetrySettings(max_retry_delay_ms=60_000))


def policy(chance: float = 0.0, jitter: float = 0.25) -> PoliteBackoff:
    return PoliteBackoff(jitter, chance=lambda: chance, now=lambda: NOW)


@pytest.mark.parametrize(
    ("failure", "milliseconds"),
    [
        ("429: too many requests (retry-after: 20)", 20_000),
        ("429: too many requests (retry-after-ms: 1500)", 1_500),
        ("Retry-After: 0.5", 500),
        ("503 retry-after: Wed, 21 Oct 2026 07:28:30 GMT", 30_000),
        ("503 retry-after: Wed, 21 Oct 2026 07:00:00 GMT", 0),
        ("503 retry-after: Wed, 99 Oct 2026 07:28:30 GMT", None),
        ("Rate limit reached. Please try again in 6ms.", 6),
        ("Rate limit reached. Please try again in 1m30s. Visit the site for 3 more.", 90_000),
        ("please retry after 26 seconds", 26_000),
        ('429: {"retryDelay": "34.5s"}', 34_500),
        ("try again in 2 minutes", 120_000),
        ("You can retry your request", None),
        ("please try again later", None),
        ("503 busy", None),
        ("", None),
    ],
)
def test_what_a_provider_asks_for(failure: str, milliseconds: float | None) -> None:
    """A header in seconds, milliseconds or as a date, and the phrases in use; a word is no number."""
    assert requested_ms(failure, lambda: NOW) == milliseconds


def test_retry_after_is_honoured_up_to_a_cap() -> None:
    """Pi waits two seconds, whatever it is told; the robust profile what it is told, but no more than the setting."""
    asked, too_long = "429 (retry-after: 20)", "429 (retry-after: 3600)"

    assert ExponentialBackoff().delay_ms(1, CAPPED, asked) == 2000
    assert policy().delay_ms(1, CAPPED, asked) == 20_000
    assert policy().delay_ms(1, CAPPED, too_long) == 60_000


def test_chance_shortens_our_own_waits_and_lengthens_those_asked_for() -> None:
    """By a quarter at most: nobody comes back before he may."""
    assert [policy(share).delay_ms(2, CAPPED, "503") for share in (0, 0.5, 1)] == [4000, 3500, 3000]
    assert [policy(share).delay_ms(2, CAPPED, "retry-after: 8") for share in (0, 0.5, 1)] == [8000, 9000, 10_000]
    assert policy(1, jitter=0).delay_ms(3, CAPPED, "503") == 8000


@given(
    attempt=st.integers(1, 10_000),
    base=st.integers(0, 10**7),
    cap=st.integers(0, 10**6),
    asked=st.none() | st.integers(0, 10**9),
    chance=st.floats(0, 1),
)
@settings(max_examples=80, deadline=None)
def test_a_wait_is_never_over_the_cap(attempt: int, base: int, cap: int, asked: int | None, chance: float) -> None:
    """Nor negative, nor shorter than what was asked for where the cap allows it."""
    settings_ = RetrySettings(base_delay_ms=base, provider=ProviderRetrySettings(max_retry_delay_ms=cap))
    delay = policy(chance).delay_ms(attempt, settings_, "503" if asked is None else f"retry-after-ms: {asked}")

    assert 0 <= delay <= cap
    assert asked is None or delay >= min(asked, cap)


def test_the_agent_waits_as_long_as_it_is_told() -> None:
    """The event announces the wait; the second failure asks for nothing."""
    rig = make_rig(control="robust", retry_policy=policy())
    rig.turn("go", failed("429 (retry-after: 7)"), failed("503"), said("made it"))

    waits = [event.delay_ms for event in rig.events if isinstance(event, AutoRetryStart)]
    assert waits == [7000, 4000]
