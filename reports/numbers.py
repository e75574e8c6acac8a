"""Numbers as people read them: a share with its counts, and a dash for what was not observed."""

from __future__ import annotations

NOTHING = "–"
_NARROW_SPACE = "\N{NO-BREAK SPACE}"


def share(events: int, of: int) -> str:
    """Return a share with its counts: ``3/12 (25 %)``; a dash where nothing was counted."""
    return f"{events}/{of} ({percent(events / of)})" if of else NOTHING


def fraction(events: int, of: int) -> str:
    """Return counts alone: ``3/12``; a dash where nothing was counted."""
    return f"{events}/{of}" if of else NOTHING


def percent(value: float) -> str:
    """Return a share of one in whole percent; what is not quite none or not quite all says so."""
    if 0 < value < 0.005:
        return f"<1{_NARROW_SPACE}%"
    if 0.995 < value < 1:
        return f">99{_NARROW_SPACE}%"
    return f"{value * 100:.0f}{_NARROW_SPACE}%"


def count(value: int | None) -> str:
    """Return a count with thousands separated; a dash for None."""
    return NOTHING if value is None else f"{value:,}"


def signed(value: float | None, *, rate: bool = False) -> str:
    """Return a difference with its sign, as percentage points if it is one of rates."""
    if value is None:
        return NOTHING
    if rate:
        return f"{value * 100:+.0f} points" if round(value * 100) else "0 points"
    return f"{value:+,.0f}" if round(value) else "0"


def plural(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 variant``, ``5 variants``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
