"""The corpus for a terminal: a list of scenarios, and the page of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from backslide.reports.numbers import count, percent, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from backslide.scenarios.describe import Description

_NARROW = 100


def corpus_list(scenarios: Sequence[Description], width: int) -> Iterator[RenderableType]:
    """Yield the list; in a narrow terminal as paragraphs instead of a table."""
    from rich.text import Text

    if width < _NARROW:
        for item in scenarios:
            yield Text.assemble((item.id, "bold"), f"  {item.title}\n    {_size(item)}; {_carriers(item)}")
    else:
        table = _plain_table()
        for name in ("scenario", "turns", "tokens", "rules", "probes", "carriers", "title"):
            number = name in {"turns", "tokens", "rules", "probes"}
            table.add_column(name, justify="right" if number else "left", no_wrap=name == "scenario")
        for item in scenarios:
            numbers = (item.turns, item.tokens, len(item.constraints), len(item.probes))
            table.add_row(Text(item.id, style="bold"), *map(count, numbers), Text(_carriers(item)), Text(item.title))
        yield table
    yield Text(f"\n{plural(len(scenarios), 'scenario')}. One of them: backslide scenarios show ID", style="dim")


def scenario_page(item: Description) -> Iterator[RenderableType]:
    """Yield one scenario's story, constraints, probes and size."""
    from rich.text import Text

    yield Text(f"{item.id}: {item.title}", style="bold")
    yield Text(f"\n{item.story.strip()}\n")
    share = percent(item.characters.tool_share)
    yield Text(
        f"{item.turns} turns, {count(item.tokens)} tokens, {count(item.characters.total)} characters, {share} of them "
        f"tool output; {item.language} code, user speaks {', '.join(item.speech)}; tags: {', '.join(item.tags)}"
    )
    for rule in item.constraints:
        turns = ", ".join(str(turn) for turn in rule.planted)
        yield Text.assemble(
            ("\nconstraint ", "dim"),
            (rule.id, "bold"),
            f"\n  {rule.statement}\n  ruled out: {rule.rejected}\n  chosen: {rule.accepted}\n"
            f"  planted at turn {turns} ({', '.join(rule.carriers)})",
            f"; lifted at turn {rule.lifted}" if rule.lifted is not None else "",
        )
    if not item.probes:
        return
    yield Text()
    table = _plain_table()
    for name in ("probe", "kind", "constraint", "asked after"):
        table.add_column(name)
    for probe in item.probes:
        turns = f"turn{'s' * (len(probe.at) > 1)} {', '.join(map(str, probe.at))}" if probe.at else ""
        asked = "; ".join(part for part in (turns, "every cycle" if probe.every_cycle else "") if part)
        table.add_row(Text(probe.id), probe.kind, Text(probe.constraint or "none"), asked)
    yield table


def _size(item: Description) -> str:
    rules, probes = plural(len(item.constraints), "rule"), plural(len(item.probes), "probe")
    return f"{plural(item.turns, 'turn')}, {plural(item.tokens, 'token')}, {rules}, {probes}"


def _carriers(item: Description) -> str:
    return ", ".join(item.carriers) or "no rule"


def _plain_table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
