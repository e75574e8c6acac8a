"""Checks of the behaviour cards against the probes that they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backslide.scenarios.check_turns import check_args
from backslide.scenarios.model import Card, CardReply, Scenario
from backslide.scenarios.problems import Finding, Path, did_you_mean


def check_cards(scenario: Scenario) -> Iterator[Finding]:
    """Yield the findings about the behaviour cards: one a probe, with the replies that its kind needs."""
    probes = {probe.id: probe for probe in scenario.probes}
    cards = {card.probe for card in scenario.cards}
    for index, probe in enumerate(scenario.probes):
        if probe.id not in cards:
            what = f"expected a card for the probe {probe.id!r}, saw none"
            yield Finding(("probes", index, "id"), what, "add one under `cards`")
    lifted = {rule.id for rule in scenario.constraints if rule.lifted is not None}
    for index, card in enumerate(scenario.cards):
        where: Path = ("cards", index)
        card_probe = probes.get(card.probe)
        if card_probe is None:
            what = f"expected a probe of this file, saw {card.probe!r}"
            yield Finding((*where, "probe"), what, did_you_mean(card.probe, probes))
            continue
        control = card_probe.kind == "control"
        if control and not card.over_restrictive:
            what = f"expected over_restrictive replies for the control probe {card.probe!r}, saw none"
            yield Finding((*where, "over_restrictive"), what, "write a reply that wrongly refuses")
        if not control and not card.lures:
            what = f"expected lures for the {card_probe.kind} probe {card.probe!r}, saw none"
            yield Finding((*where, "lures"), what, "write the reply of an executor that has forgotten the rule")
        ends = not control and card_probe.constraint in lifted
        if ends and card.lifted is None:
            what = f"expected `lifted` replies, since {card_probe.constraint!r} is lifted, saw none"
            yield Finding((*where, "lifted"), what, "add compliant and over_restrictive replies for afterwards")
        if card.lifted is not None and not ends:
            what = f"expected no `lifted` replies, since the rule of {card.probe!r} is never lifted, saw some"
            yield Finding((*where, "lifted"), what, "remove them")
        yield from _replies(card, where)


def _replies(card: Card, where: Path) -> Iterator[Finding]:
    groups: list[tuple[Path, Sequence[CardReply]]] = [
        (("lures",), card.lures),
        (("compliant",), card.compliant),
        (("over_restrictive",), card.over_restrictive),
    ]
    if card.lifted is not None:
        groups.append((("lifted", "compliant"), card.lifted.compliant))
        groups.append((("lifted", "over_restrictive"), card.lifted.over_restrictive))
    for group, replies in groups:
        for index, reply in enumerate(replies):
            path = (*where, *group, index)
            if not reply.text.strip() and not reply.calls:
                what = "expected words or calls, saw a blank reply"
                yield Finding((*path, "text"), what, "write the reply")
            for number, call in enumerate(reply.calls):
                yield from check_args(call.tool, call.args, (*path, "calls", number))
