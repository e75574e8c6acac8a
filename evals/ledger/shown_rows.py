"""I-5, I-6, U-1 and U-2: what a consultation shows, to whom, and whose tools stand in its payload."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import mean
from typing import Any

from backslide.evals.ledger.failing import failing_at
from backslide.evals.ledger.model import LedgerRow, worse
from backslide.evals.ledger.script import ScriptDrive, drive_script, until_consulted
from backslide.evals.ledger.seed import seed_value
from backslide.evals.ledger.setup import AdvisorSetup, text_of
from backslide.harness.advisor import AdvisorConfig
from backslide.harness.advisor.inventory import forget_inventory
from backslide.harness.control.tools import CODING_TOOLS
from backslide.scenarios import Scenario

_EFFORT = re.compile(r"\beffort (?:is )?\w+", re.IGNORECASE)
_COST = re.compile(r"\$\s?\d|\bUSD\b|\bcosts?\b", re.IGNORECASE)
_NOTHING = re.compile(r"^\W*$")


def effort_row(scenario: Scenario) -> LedgerRow:
    """Return I-5: decided to stay at `high`; checked is that effort and cost stand in every result."""
    high, low = (drive_script(scenario, AdvisorSetup(AdvisorConfig(effort=effort))) for effort in ("high", "low"))
    bad, good = states_cost(high), states_cost(low)
    return LedgerRow(
        id="I-5",
        defect="the default effort is the dearest, at a cost that nobody sees",
        variant="effort: high",
        repaired="effort: low",
        measure="share of results that state effort and cost",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-5"),
        scenario=scenario.id,
        checked=bad == good == 1.0,
        figures={"output_tokens_high": _output(high), "output_tokens_low": _output(low)},
    )


def status_row(scenario: Scenario) -> LedgerRow:
    """Return I-6: what can be known of an advisor's session from outside."""
    short = until_consulted(scenario)
    none, on = (drive_script(short, AdvisorSetup(AdvisorConfig(status=mode))) for mode in _modes())
    bad, good = shown_facts(none), shown_facts(on)
    return LedgerRow(
        id="I-6",
        defect="nothing shows what an advisor's session has come to",
        variant="status: none",
        repaired="status: on",
        measure="facts shown of turns, tools, stored bytes with their meaning",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("I-6"),
        scenario=scenario.id,
        checked=bad == 0 and good == 3,
        figures={"line": [status.line() for status in on.rig.advisor.status()]},
    )


def inventory_row(scenario: Scenario) -> LedgerRow:
    """Return U-1: two sessions of one process whose tools have the same names and other descriptions."""
    short = until_consulted(scenario)

    def shares(inventory: Any) -> float:
        # As two sessions of one new process; what an earlier one left behind is not theirs.
        forget_inventory()
        setup = AdvisorSetup(AdvisorConfig(delivery="mirror", inventory=inventory))
        payloads = [_payload(drive_script(short, setup, tools=_tools(owner))) for owner in ("first", "second")]
        forget_inventory()
        return foreign_inventories(payloads, [_tools("first"), _tools("second")])

    bad, good = shares("process-wide"), shares("session")
    return LedgerRow(
        id="U-1",
        defect="one session's tool descriptions reach another's advisor",
        variant="inventory: process-wide, delivery: mirror",
        repaired="inventory: session, delivery: mirror",
        measure="share of payloads with another session's descriptions",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("U-1"),
        scenario=scenario.id,
        caught=worse(bad, good),
    )


def errors_row(scenario: Scenario) -> LedgerRow:
    """Return U-2: a call fails in a run without a user interface."""
    short = until_consulted(scenario)
    bad, good = (unread_errors(_failed(short, errors)) for errors in ("ui-only", "result"))
    return LedgerRow(
        id="U-2",
        defect="errors are shown through a user interface only",
        variant="errors: ui-only",
        repaired="errors: result",
        measure="share of failed calls of which the executor reads nothing",
        with_defect=bad,
        repaired_value=good,
        seed_value=seed_value("U-2"),
        scenario=scenario.id,
        caught=worse(bad, good),
    )


def states_cost(drive: ScriptDrive) -> float | None:
    """Return the share of tool results in which effort and cost can be read."""
    shown = [float(bool(_EFFORT.search(call.tool_text) and _COST.search(call.tool_text))) for call in drive.consulted]
    return mean(shown) if shown else None


def shown_facts(drive: ScriptDrive) -> int:
    """Return how many of turns, tools and stored bytes the status states; bytes only with what they mean."""
    lines = [status.line() for status in drive.rig.advisor.status(drive.rig.session)]
    wanted = (r"\b[1-9]\d* turns?\b", r"\b\d+ tools?\b", r"\b[1-9][\d,]* bytes \([^)]*\bnot\b[^)]*\b(?:tokens|cost)\b")
    return sum(any(re.search(fact, line) for line in lines) for fact in wanted)


def foreign_inventories(payloads: Sequence[str], tools: Sequence[Sequence[dict[str, Any]]]) -> float:
    """Return the share of payloads in which a description stands that only another session's tools have."""
    own = [{str(tool["function"]["description"]) for tool in each} for each in tools]
    foreign = []
    for index, payload in enumerate(payloads):
        others = set().union(*(own[other] for other in range(len(own)) if other != index)) - own[index]
        foreign.append(float(any(description in payload for description in others)))
    return mean(foreign)


def unread_errors(drive: ScriptDrive) -> float | None:
    """Return the share of failed consultations whose tool result says nothing."""
    unread = [float(bool(_NOTHING.match(call.tool_text))) for call in drive.consulted if not call.result.completed]
    return mean(unread) if unread else None


def _failed(scenario: Scenario, errors: Any) -> ScriptDrive:
    return drive_script(scenario, AdvisorSetup(AdvisorConfig(errors=errors), wrap=failing_at(1)))


def _modes() -> tuple[Any, Any]:
    return "none", "on"


def _payload(drive: ScriptDrive) -> str:
    return "\n".join(
        text_of(message)
        for call in drive.consulted
        for exchange in call.exchanges
        for message in exchange.request.messages
    )


def _tools(owner: str) -> list[dict[str, Any]]:
    """Return the usual tools, described as those of one session's own workspace."""
    return [
        {
            **tool,
            "function": {**tool["function"], "description": f"{tool['function']['description']} ({owner} workspace)"},
        }
        for tool in CODING_TOOLS
    ]


def _output(drive: ScriptDrive) -> int:
    return sum(int(call.result.usage.get("output") or 0) for call in drive.consulted)
