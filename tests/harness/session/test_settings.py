from __future__ import annotations

from typing import Any

import pytest

from backslide.harness.errors import InputError
from backslide.harness.settings import Settings


def test_defaults_are_pis() -> None:
    """An empty file means Pi's defaults."""
    settings = Settings.from_pi_json({})

    assert settings == Settings()
    assert (
        settings.compaction.enabled,
        settings.compaction.reserve_tokens,
        settings.compaction.keep_recent_tokens,
    ) == (True, 16384, 20000)
    assert (
        settings.retry.enabled,
        settings.retry.max_retries,
        settings.retry.base_delay_ms,
        settings.retry.provider.max_retries,
        settings.retry.provider.max_retry_delay_ms,
    ) == (True, 3, 2000, None, 60000)


def test_a_project_overrides_one_level_deep() -> None:
    """Objects merge once; an object inside replaces the whole one."""
    settings = Settings.from_pi_json(
        {
            "compaction": {"reserveTokens": 1, "enabled": False},
            "retry": {"provider": {"maxRetries": 2, "timeoutMs": 5}},
        },
        {"compaction": {"reserveTokens": 2}, "retry": {"provider": {"maxRetries": 4}}},
    )

    assert (settings.compaction.reserve_tokens, settings.compaction.enabled) == (2, False)
    assert (settings.retry.provider.max_retries, settings.retry.provider.timeout_ms) == (4, None)


@pytest.mark.parametrize(
    ("provider", "delay"), [(None, 7), ({}, 7), ({"maxRetryDelayMs": 9}, 9), ({"maxRetryDelayMs": None}, 7)]
)
def test_the_former_name_of_the_longest_delay_is_understood(provider: Any, delay: int) -> None:
    """The current name wins."""
    settings = Settings.from_pi_json({"retry": {"maxDelayMs": 7, "provider": provider}})

    assert delay == settings.retry.provider.max_retry_delay_ms


def test_null_is_absent_and_a_number_may_be_a_text() -> None:
    """As JavaScript would compute with it."""
    settings = Settings.from_pi_json({"compaction": {"reserveTokens": "500", "keepRecentTokens": None}})

    assert (settings.compaction.reserve_tokens, settings.compaction.keep_recent_tokens) == (500, 20000)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"compaction": {"reserveTokens": "much"}}, "compaction.reserveTokens must be a number"),
        ({"retry": {"maxRetries": True}}, "retry.maxRetries must be a number"),
        ({"retry": {"provider": 3}}, "retry.provider must be an object"),
        ({"branchSummary": []}, "branchSummary must be an object"),
        ({"steeringMode": "some"}, "steeringMode must be"),
    ],
)
def test_unusable_settings_are_named(document: dict[str, Any], says: str) -> None:
    """The error tells the key and what was seen."""
    with pytest.raises(InputError, match=says):
        Settings.from_pi_json(document)
