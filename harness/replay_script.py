"""A scripted agent run, read from its file: settings, models, steps, replies.

The format is that of ``tests/data/pi/scenarios``; its README says what each field means. What is not known is ignored,
what is known and of the wrong kind is an `InputError` that names the field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from backslide.harness import jsjson
from backslide.harness.errors import InputError, nearest
from backslide.harness.settings import Cost, ModelInfo, Settings

STEPS = ("prompt", "compact", "navigate", "bash", "custom", "switchModel", "setAutoCompaction", "setAutoRetry")
COUNTS = ("input", "output", "cacheRead", "cacheWrite")
STOP_REASONS = ("stop", "length", "toolUse", "error", "aborted")
CALLS = ("steer", "followUp", "abortRetry", "abort", "abortCompaction")
FIRST_MODEL = ModelInfo("scripted", "m1", 12000, 4096, api="scripted", cost=Cost(2, 8, 0.2, 2.5))
SECOND_MODEL = replace(FIRST_MODEL, id="m2", context_window=64000)

UsageSpec = Literal["est", "zero"] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Injection:
    """A call made while an event is told: steering and follow-ups at once, aborts when its step is over."""

    on: str
    call: str
    nth: int = 1
    text: str = ""
    sync: bool = False
    """Whether an abort is made at once too."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done to the agent; `fields` are the step's own."""

    do: str
    fields: Mapping[str, Any]
    injections: tuple[Injection, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call of the one tool: its result is `mark` repeated `size` times, or a failure."""

    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScriptReply:
    """What a model answers."""

    text: str | None
    thinking: str | None = None
    calls: tuple[ScriptedCall, ...] = ()
    usage: UsageSpec = "zero"
    stop: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ReplayScript:
    """A whole run. Replies that are None were not given at all, which is not the same as none given."""

    settings: Settings
    model: ModelInfo
    second_model: ModelInfo
    steps: tuple[Step, ...]
    replies: tuple[ScriptReply, ...] | None
    summaries: tuple[ScriptReply, ...] | None


def load_script(path: Path) -> ReplayScript:
    """Read a run from its file. Raises `InputError` if it cannot be read, is no JSON object or has a wrong field."""
    try:
        document = jsjson.parse(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the run cannot be read ({error.strerror})", where=str(path)) from None
    except ValueError as error:
        raise InputError(f"the run is not JSON ({error})", where=str(path)) from None
    try:
        return parse_script(document)
    except InputError as error:
        raise InputError(
            error.what, where=f"{path}: {error.where}" if error.where else str(path), mend=error.mend
        ) from None


def parse_script(document: Any) -> ReplayScript:
    """Take a run's JSON apart. Raises `InputError` with the field that is wrong."""
    run = _object(document, "the run")
    return ReplayScript(
        settings=Settings.from_pi_json(_object(run.get("settings", {}), "settings")),
        model=_model(run.get("model", {}), "model", FIRST_MODEL),
        second_model=_model(run.get("model2", {}), "model2", SECOND_MODEL),
        steps=tuple(_list(run.get("steps"), "steps", _step)),
        replies=_replies(run, "replies"),
        summaries=_replies(run, "summaries"),
    )


def _replies(run: Mapping[str, Any], name: str) -> tuple[ScriptReply, ...] | None:
    return None if run.get(name) is None else tuple(_list(run[name], name, _reply))


def _step(value: Any, where: str) -> Step:
    fields = _object(value, where)
    do = _choice(fields.get("do"), f"{where}.do", STEPS)
    needed: dict[str, tuple[str, ...]] = {
        "prompt": ("text",),
        "custom": ("text",),
        "bash": ("command", "output"),
    }
    for name in needed.get(do, ()):
        _text(fields.get(name), f"{where}.{name}")
    if fields.get("exitCode") is not None:
        _integer(fields["exitCode"], f"{where}.exitCode")
    for name in ("instructions", "label"):
        if fields.get(name) is not None:
            _text(fields[name], f"{where}.{name}")
    if do == "navigate":
        _integer(fields.get("entry"), f"{where}.entry")
    if do == "switchModel" and fields.get("to") not in (1, 2):
        raise InputError(f"must be 1 or 2, not {fields.get('to')!r}", where=f"{where}.to")
    return Step(do, fields, tuple(_list(fields.get("inject", []), f"{where}.inject", _injection)))


def _injection(value: Any, where: str) -> Injection:
    fields = _object(value, where)
    nth = fields.get("nth")
    text = fields.get("text")
    return Injection(
        on=_text(fields.get("on"), f"{where}.on"),
        call=_choice(fields.get("call"), f"{where}.call", CALLS),
        nth=1 if nth is None else _integer(nth, f"{where}.nth"),
        text="" if text is None else _text(text, f"{where}.text"),
        sync=bool(fields.get("sync", False)),
    )


def _reply(value: Any, where: str) -> ScriptReply:
    fields = _object(value, where)
    usage = fields.get("usage", "zero")
    if usage not in ("est", "zero"):
        usage = _numbers(_object(usage, f"{where}.usage"), f"{where}.usage", (*COUNTS, "totalTokens"))
    stop = fields.get("stop")
    return ScriptReply(
        text=_optional_text(fields, "text", where),
        thinking=_optional_text(fields, "thinking", where),
        calls=tuple(_list(fields.get("tools", []), f"{where}.tools", _call)),
        usage=usage,
        stop=None if stop is None else _choice(stop, f"{where}.stop", STOP_REASONS),
        error=_optional_text(fields, "error", where),
    )


def _call(value: Any, where: str) -> ScriptedCall:
    arguments = _object(value, where)
    _integer(arguments.get("size"), f"{where}.size")
    _text(arguments.get("mark"), f"{where}.mark")
    return ScriptedCall(arguments)


def _model(value: Any, where: str, default: ModelInfo) -> ModelInfo:
    given = _object(value or {}, where)
    cost = _numbers(_object(given.get("cost") or {}, f"{where}.cost"), f"{where}.cost", COUNTS)
    _numbers(given, where, ("contextWindow", "maxTokens"))
    return replace(
        default,
        provider=str(given.get("provider", default.provider)),
        id=str(given.get("id", default.id)),
        context_window=given.get("contextWindow", default.context_window),
        max_tokens=given.get("maxTokens", default.max_tokens),
        reasoning=bool(given.get("reasoning", default.reasoning)),
        cost=Cost(
            input=cost.get("input", default.cost.input),
            output=cost.get("output", default.cost.output),
            cache_read=cost.get("cacheRead", default.cost.cache_read),
            cache_write=cost.get("cacheWrite", default.cost.cache_write),
        ),
    )


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"must be an object, not {_shown(value)}", where=where)
    return value


def _list(value: Any, where: str, read: Callable[[Any, str], Any]) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"must be a list, not {_shown(value)}", where=where)
    return [read(item, f"{where}[{index}]") for index, item in enumerate(value)]


def _numbers(fields: Mapping[str, Any], where: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return fields of which those of some names must be numbers."""
    for name in names:
        if name in fields and (not _is_number(fields[name]) or not math.isfinite(fields[name])):
            raise InputError(f"must be a number, not {_shown(fields[name])}", where=f"{where}.{name}")
    return fields


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"must be text, not {_shown(value)}", where=where)
    return value


def _optional_text(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    return None if fields.get(name) is None else _text(fields[name], f"{where}.{name}")


def _integer(value: Any, where: str) -> int:
    if not _is_number(value) or not math.isfinite(value) or value != int(value):
        raise InputError(f"must be a whole number, not {_shown(value)}", where=where)
    return int(value)


def _choice(value: Any, where: str, known: tuple[str, ...]) -> str:
    if value not in known:
        close = nearest(str(value), known)
        hint = f"did you mean '{close}'?" if close else f"known are {', '.join(known)}"
        raise InputError(f"{_shown(value)} is not known", where=where, mend=hint)
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return "missing" if value is None else jsjson.stringify(value)[:60]
