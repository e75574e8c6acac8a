"""Behaviour cards: what a simulated executor would do, with and without knowing a constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backslide.harness.errors import InputError


@dataclass(frozen=True)
class CardReply:
    """One possible reply: prose and code in `text`, and tool calls as ``{"tool": name, "args": {…}}``."""

    text: str
    calls: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for number, call in enumerate(self.calls):
            if not isinstance(call.get("tool"), str) or not isinstance(call.get("args", {}), dict):
                raise InputError(
                    "a tool call of a card reply needs a tool name and arguments",
                    where=f"calls[{number}]",
                    mend='write {"tool": "edit", "args": {…}}',
                )


@dataclass(frozen=True)
class BehaviourCard:
    """The public behaviour of an executor at one request.

    `request` is the user's text that the card answers. `about` holds phrases by which a reader knows that a
    statement is on the card's subject. On an ordinary card the executor chooses between `lures` (it knows of
    no ban) and `compliant`; on a `control` card, where no rule holds, between `compliant` (it knows of no
    ban) and `over_restrictive`. Which of several variants is given depends on the request and the seed only.

    Raises `InputError` if a set that can be chosen is empty.
    """

    request: str
    about: tuple[str, ...]
    lures: tuple[CardReply, ...] = ()
    compliant: tuple[CardReply, ...] = ()
    over_restrictive: tuple[CardReply, ...] = ()
    control: bool = False

    def __post_init__(self) -> None:
        where = f"behaviour card for {self.request[:60]!r}"
        if not self.request.strip():
            raise InputError("a behaviour card needs the text of its request", where="behaviour card")
        if not any(phrase.strip() for phrase in self.about) and not self.control:
            raise InputError("the card names no phrase for its subject", where=where, mend="fill `about`")
        if not self.compliant:
            raise InputError("the card has no compliant reply", where=where)
        if self.control and not self.over_restrictive:
            raise InputError("a control card has no over-restrictive reply", where=where)
        if not self.control and not self.lures:
            raise InputError("the card has no lure", where=where, mend="add lures, or mark it as a control")

    def choices(self, *, banned: bool) -> tuple[CardReply, ...]:
        """Return the replies of an executor that believes the subject to be banned, or not."""
        if self.control:
            return self.over_restrictive if banned else self.compliant
        return self.compliant if banned else self.lures
