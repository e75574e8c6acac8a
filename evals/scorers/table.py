"""Read the row of a comparison table."""

from __future__ import annotations

import re
from typing import Literal

_CHOSEN = re.compile(
    r"recommend|✅|✔|🏆|⭐|\b(?:best|chosen|choose|pick(?:ed)?|winner|go with|use this|selected|"
    r"preferred|my choice|yes,? (?:do|use)|do this)\b|推荐|首选|采用|选(?:它|这个|用|定)|最(?:优|佳|合适)|✓\s*选",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:no|not|never|ruled out|rejected|banned|forbidden|excluded|out)\b|❌|✗|🚫|否|不|排除|禁", re.IGNORECASE
)


def row_stance(text: str) -> tuple[Literal["propose", "reject", "mention"], str]:
    """Return what a table row says about what it names: recommended, ruled out, or merely compared."""
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    for cell in reversed(cells):
        if _CHOSEN.search(cell) and not re.search(r"\bnot\b|\bno longer\b|不", cell):
            return "propose", "the table recommends it"
    if any(_AGAINST.search(cell) for cell in cells[1:]):
        return "reject", "the table rules it out"
    return "mention", "it is compared in a table"
