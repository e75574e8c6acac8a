"""Faults: failures of providers put between an agent and its models, so that any scenario can be run under them.

A profile is a list of rules. A rule names a kind, and which requests of its role it hits: the `request`-th of a turn
(`turn`, or every `every`-th turn), or without either the `request`-th of the whole run and, with `period`, every
`period`-th after it; `times` requests in a row. Nothing is left to chance, so a run under faults repeats exactly.
Probes are asked without faults: what is measured is what the main line has kept.

Written down it is a built-in name, a TOML file with ``[[fault]]`` tables of these names, or an inline list such as
``rate_limit@5,overflow@12#2,server_error%3*2`` (kind, ``@`` turn or ``%`` every, ``#`` request, ``~`` period, ``*``
times).
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from backslide.evals.fault_replies import FaultKind, role_of, spoil
from backslide.harness.errors import InputError, nearest
from backslide.harness.models.protocol import Model, Reply, Request, Role

KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
_INLINE = re.compile(r"(?P<kind>[a-z_]+)(?P<rest>(?:[@%#~*]\d+)*)")
_MARKS = {"@": "turn", "%": "every", "#": "request", "~": "period", "*": "times"}
_SPOILED_USAGE: FaultKind = "no_usage_reported"


@dataclass(frozen=True, slots=True)
class FaultRule:
    """Which requests a fault hits; counts start at 1."""

    kind: FaultKind
    turn: int | None = None
    every: int | None = None
    request: int = 1
    period: int | None = None
    times: int = 1

    def hits(self, turn: int, in_turn: int, in_run: int) -> bool:
        """Tell whether the rule hits a request: its turn, and its number in the turn and in the run."""
        if self.turn is not None or self.every is not None:
            if turn != self.turn and (self.every is None or turn % self.every):
                return False
            return self.request <= in_turn < self.request + self.times
        since = in_run - self.request
        return since >= 0 and (since % self.period if self.period else since) < self.times

    def text(self) -> str:
        """Return the rule as it is written inline."""
        default = FaultRule(self.kind)
        marks = (
            f"{mark}{getattr(self, name)}"
            for mark, name in _MARKS.items()
            if getattr(self, name) != getattr(default, name)
        )
        return self.kind + "".join(marks)


_SINGLE: dict[FaultKind, FaultRule] = {
    "rate_limit": FaultRule("rate_limit", every=5),
    "server_error": FaultRule("server_error", every=5),
    "overflow": FaultRule("overflow", every=10),
    "empty_reply": FaultRule("empty_reply", every=5),
    "dropped_connection": FaultRule("dropped_connection", every=5),
    "summarizer_error": FaultRule("summarizer_error", period=2),
    "summarizer_empty": FaultRule("summarizer_empty", period=2),
    "summarizer_not_shrinking": FaultRule("summarizer_not_shrinking", period=2),
    "no_usage_reported": FaultRule("no_usage_reported", period=1),
}
PROFILES: dict[str, tuple[FaultRule, ...]] = {
    **{kind: (rule,) for kind, rule in _SINGLE.items()},
    "flaky": (
        FaultRule("rate_limit", every=7),
        FaultRule("server_error", every=5, times=2),
        FaultRule("dropped_connection", every=6, request=2),
        FaultRule("summarizer_error", period=2),
    ),
}
"""The built-in profiles: each kind by itself, and the passing failures of an ordinary bad day."""


@dataclass(frozen=True, slots=True)
class FaultProfile:
    """A list of rules; where several hit a request, the first does."""

    rules: tuple[FaultRule, ...]

    def text(self) -> str:
        """Return the profile as it is written inline; equal profiles have equal texts."""
        return ",".join(rule.text() for rule in self.rules)


def load_faults(written: str) -> FaultProfile:
    """Return the profile that `written` names: a built-in one, a TOML file or an inline list.

    Raises `InputError` with the nearest known name, or the field that is wrong.
    """
    if written in PROFILES:
        return FaultProfile(PROFILES[written])
    if written.endswith(".toml"):
        return _from_toml(Path(written))
    return FaultProfile(tuple(_inline(part.strip()) for part in written.split(",")))


def _inline(part: str) -> FaultRule:
    match = _INLINE.fullmatch(part)
    if match is None:
        raise InputError(
            f"{part!r} is no fault", where="--faults", mend="write for example rate_limit@5 or overflow%10"
        )
    numbers = {_MARKS[mark]: int(number) for mark, number in re.findall(r"([@%#~*])(\d+)", match["rest"])}
    return _rule({"kind": match["kind"], **numbers}, "--faults")


def _from_toml(path: Path) -> FaultProfile:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the faults cannot be read ({error.strerror})", where=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the faults are not TOML ({error})", where=str(path)) from None
    tables = document.get("fault")
    if not isinstance(tables, list) or not tables or set(document) != {"fault"}:
        raise InputError("expected [[fault]] tables and nothing else", where=str(path))
    return FaultProfile(tuple(_rule(table, f"{path}: fault {at}") for at, table in enumerate(tables, start=1)))


def _rule(table: Mapping[str, Any], where: str) -> FaultRule:
    names = [field.name for field in fields(FaultRule)]
    for name in table:
        if name not in names:
            raise InputError(f"unknown field '{name}'", where=where, mend=_hint(name, names))
    kind = table.get("kind")
    if kind not in KINDS:
        known = [*KINDS, *(PROFILES if where == "--faults" else ())]
        raise InputError(f"unknown fault '{kind}'", where=where, mend=_hint(str(kind), known))
    numbers = {name: value for name, value in table.items() if name != "kind"}
    for name, value in numbers.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} must be a whole number from 1 on, not {value!r}", where=where)
    # A kind alone means what the built-in profile of that name means.
    return replace(FaultRule(kind), **numbers) if numbers else _SINGLE[kind]


def _hint(name: str, known: list[str]) -> str:
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else f"known are {', '.join(known)}"


class FaultInjector:
    """Decides for one unit which of its requests go wrong. `turn` is the turn at hand."""

    def __init__(self, profile: FaultProfile) -> None:
        self.turn = 0
        self.last: FaultKind | None = None
        """The fault of the executor's last request; None if it was served."""
        self._profile = profile
        self._in_turn: Counter[Role] = Counter()
        self._in_run: Counter[Role] = Counter()

    def begin(self, turn: int) -> None:
        """Note that a turn begins."""
        self.turn = turn
        self._in_turn.clear()

    def wrap(self, model: Model, role: Role) -> Model:
        """Return `model` with this unit's faults before it."""
        return FaultyModel(model, role, self)

    def due(self, role: Role) -> FaultKind | None:
        """Count a request and return what goes wrong with it."""
        self._in_turn[role] += 1
        self._in_run[role] += 1
        hit = next(
            (
                rule.kind
                for rule in self._profile.rules
                if role_of(rule.kind) == role and rule.hits(self.turn, self._in_turn[role], self._in_run[role])
            ),
            None,
        )
        if role == "executor":
            self.last = None if hit == _SPOILED_USAGE else hit
        return hit


class FaultyModel:
    """A model whose requests go wrong now and then; what goes wrong never reaches the model behind it."""

    def __init__(self, model: Model, role: Role, injector: FaultInjector) -> None:
        self._model = model
        self._role: Role = role
        self._injector = injector

    @property
    def name(self) -> str:
        """Return the name of the model behind."""
        return self._model.name

    @property
    def simulated(self) -> bool:
        """Return whether the model behind is simulated."""
        return self._model.simulated

    async def complete(self, request: Request) -> Reply:
        """Answer with the fault that is due, else as the model behind does."""
        kind = self._injector.due(self._role)
        if kind == _SPOILED_USAGE or kind is None:
            reply = await self._model.complete(request)
            return reply if kind is None else spoil(kind, request, reply)
        return spoil(kind, request, None)
