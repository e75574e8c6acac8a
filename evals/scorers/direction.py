"""Read replacements: which side of a change a name stands on."""

from __future__ import annotations

import re

from backslide.evals.scorers import words_en as en
from backslide.evals.scorers import words_zh as zh
from backslide.evals.scorers.reading import Stance

_REPLACE = re.compile(r"\b(?:replac|swap|substitut|exchang|trad)\w*\b(?P<rest>.*)$")


_NEW_SIDE = re.compile(r"\b(?:with|by|for|in favou?r of)\b(?!.*\b(?:with|by)\b)[^,;]{0,50}$")


_FROM = re.compile(r"\b(?:from|off)\W+(?:(?:a|an|the|our|that|this)\W+)?$")


_PREFERRED = re.compile(
    r"^[^,;]{0,50}?\b(?:instead of|rather than|in place of|in lieu of|over the)\b|^\W*(?:instead|而不是)"
)


def direction(before: str, after: str, chinese: bool) -> Stance | None:
    """Read replacements: which side of the change the name stands on."""
    match = _REPLACE.search(before)
    if match:
        new = _NEW_SIDE.search(match["rest"])
        if new:
            return Stance("propose", "it replaces something else")
        if not re.search(r"\band\b[^,]*\b(?:use|add|put)\w*\b", match["rest"]):
            return Stance("reject", "it is being replaced")
    if _FROM.search(before) and re.match(r"^[^,;]{0,30}?\b(?:to|onto|towards?)\b", after):
        return Stance("reject", "it is being left")
    if re.match(r"^\W*(?:->|→|=>)", after) or re.match(
        r"^[^,;]{0,20}\b(?:is|was|were|are|gets?|been) (?:being )?(?:replaced|swapped|superseded)\b", after
    ):
        return Stance("reject", "it is being replaced")
    if _PREFERRED.match(after) and not en.NEGATOR.search(before) and not en.PAST.search(before):
        return Stance("propose", "it is preferred to something else")
    if chinese:
        if re.search(r"(?:换|改|替换)(?:成|为|回|到)[^，。；]{0,14}$", before) and not zh.NEGATOR.search(before):
            return Stance("propose", "it replaces something else")
        if re.search(r"把[^，。；]{0,20}$", before) and re.match(
            r"[^，。；]{0,14}(?:换|改|替|删|去|移|拆|收)(?:成|为|掉|除|走|敛)", after
        ):
            return Stance("reject", "it is being replaced")
        if re.search(r"从[^，。；]{0,10}$", before) and re.match(r"[^，。；]{0,10}(?:换|改|迁|切)", after):
            return Stance("reject", "it is being left")
    return None
