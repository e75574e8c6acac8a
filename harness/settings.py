"""Settings of a session and what is known about a model, with Pi's names, merging and defaults.

Defaults are those of Pi 0.83.0 (control-plane semantics, "Defaults").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from backslide.harness.errors import InputError

QueueMode = Literal["one-at-a-time", "all"]


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """When a context is compacted and how much of it stays raw."""

    enabled: bool = True
    reserve_tokens: float = 16384
    """Compaction is due above the window less this; it also bounds the summary's length."""
    keep_recent_tokens: float = 20000
    """Size of the kept tail, by estimate."""
    keep_recent_turns: int | None = None
    """Turns the kept tail holds at most; for strategies that count turns (`pi-0.83` does not)."""
    summary_tokens: int | None = None
    """Output limit of a summary request; None: derived from `reserve_tokens`."""


@dataclass(frozen=True, slots=True)
class ProviderRetrySettings:
    """Retries inside one request, by the provider's client; off unless `max_retries` is set."""

    timeout_ms: float | None = None
    max_retries: float | None = None
    max_retry_delay_ms: float = 60000


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """Retries of a failed turn or summary: ``base_delay_ms * 2**(n-1)`` before the n-th one."""

    enabled: bool = True
    max_retries: float = 3
    base_delay_ms: float = 2000
    provider: ProviderRetrySettings = field(default_factory=ProviderRetrySettings)


@dataclass(frozen=True, slots=True)
class BranchSummarySettings:
    """Summaries of a branch that is left."""

    reserve_tokens: float = 16384
    skip_prompt: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the harness reads from Pi's settings file."""

    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    retry: RetrySettings = field(default_factory=RetrySettings)
    branch_summary: BranchSummarySettings = field(default_factory=BranchSummarySettings)
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"
    thinking_level: str = "medium"

    @classmethod
    def from_pi_json(cls, document: Mapping[str, Any], project: Mapping[str, Any] | None = None) -> Self:
        """Return the settings of Pi's global settings file, overridden by the project's.

        Objects merge one level deep, so a project's ``retry.provider`` replaces the global one whole.
        Absent and null values take the default; a number may be written as text. Raises `InputError` for a
        value that is no number where one is needed.
        """
        merged = merge(current_names(document), current_names(project or {}))
        compaction = _section(merged, "compaction")
        retry = _section(merged, "retry")
        provider = _section(retry, "provider", "retry.")
        branch = _section(merged, "branchSummary")
        return cls(
            compaction=CompactionSettings(
                enabled=bool(_default(compaction, "enabled", True)),
                reserve_tokens=_number(compaction, "compaction", "reserveTokens", 16384),
                keep_recent_tokens=_number(compaction, "compaction", "keepRecentTokens", 20000),
            ),
            retry=RetrySettings(
                enabled=bool(_default(retry, "enabled", True)),
                max_retries=_number(retry, "retry", "maxRetries", 3),
                base_delay_ms=_number(retry, "retry", "baseDelayMs", 2000),
                provider=ProviderRetrySettings(
                    timeout_ms=_optional(provider, "retry.provider", "timeoutMs"),
                    max_retries=_optional(provider, "retry.provider", "maxRetries"),
                    max_retry_delay_ms=_number(provider, "retry.provider", "maxRetryDelayMs", 60000),
                ),
            ),
            branch_summary=BranchSummarySettings(
                reserve_tokens=_number(branch, "branchSummary", "reserveTokens", 16384),
                skip_prompt=bool(_default(branch, "skipPrompt", False)),
            ),
            steering_mode=_queue_mode(merged, "steeringMode"),
            follow_up_mode=_queue_mode(merged, "followUpMode"),
            thinking_level=str(_default(merged, "defaultThinkingLevel", "medium")),
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """Price in USD of a million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What the harness needs to know about a model."""

    provider: str
    id: str
    context_window: float = 128000
    """Tokens of input and output together; 0 means unknown."""
    max_tokens: float = 16384
    """Output limit; 0 means none."""
    reasoning: bool = False
    input: tuple[str, ...] = ("text",)
    """Kinds of content the model accepts: "text", "image"."""
    api: str = "openai-completions"
    base_url: str = ""
    cost: Cost = field(default_factory=Cost)


def merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` overridden by `override`: objects on the first level are joined, all else replaced."""
    merged = dict(base)
    for key, value in override.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = {**below, **value}
        else:
            merged[key] = value
    return merged


def current_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return one settings file with the former ``retry.maxDelayMs`` as ``retry.provider.maxRetryDelayMs``."""
    retry = document.get("retry")
    if not isinstance(retry, Mapping) or "maxDelayMs" not in retry:
        return dict(document)
    renamed = {key: value for key, value in retry.items() if key != "maxDelayMs"}
    delay = retry["maxDelayMs"]
    provider = retry.get("provider")
    provider = provider if isinstance(provider, Mapping) else {}
    if _is_number(delay) and provider.get("maxRetryDelayMs") is None:
        renamed["provider"] = {**provider, "maxRetryDelayMs": delay}
    return {**document, "retry": renamed}


def _section(document: Mapping[str, Any], name: str, prefix: str = "") -> Mapping[str, Any]:
    value = document.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{prefix}{name} must be an object, not {value!r}", where="settings")
    return value


def _default(section: Mapping[str, Any], key: str, default: Any) -> Any:
    value = section.get(key)
    return default if value is None else value


def _queue_mode(document: Mapping[str, Any], key: str) -> QueueMode:
    value = document.get(key) or "one-at-a-time"
    if value == "one-at-a-time":
        return "one-at-a-time"
    if value == "all":
        return "all"
    raise InputError(f"{key} must be 'one-at-a-time' or 'all', not {value!r}", where="settings")


def _number(section: Mapping[str, Any], name: str, key: str, default: float) -> float:
    value = _optional(section, name, key)
    return default if value is None else value


def _optional(section: Mapping[str, Any], name: str, key: str) -> float | None:
    value = section.get(key)
    if isinstance(value, str):
        value = _number_in(value)
    if value is not None and not _is_number(value):
        raise InputError(f"{name}.{key} must be a number, not {section[key]!r}", where="settings")
    number: float | None = value
    return number


def _number_in(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return int(number) if number.is_integer() else number


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
