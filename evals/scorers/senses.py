"""Tell a term from the common English word that it is too."""

from __future__ import annotations

import re

from backslide.evals.scorers.statements import Statement

_ORDINARY_USE = re.compile(
    r"(?:\b(?:at the|one|a|this|that|in|for|if|with|without|such|caught up with|the) $)", re.IGNORECASE
)


def technical(statement: Statement, start: int, end: int) -> bool:
    """Return whether an ordinary word is meant technically: banned, used, in code font, among Chinese, or in a
    list of terms.
    """
    before = statement.text[:start].lower()
    after = statement.text[end:].lower()
    surface = statement.text[start:end].lower()
    if surface not in {"any", "moment", "main", "match", "go"}:
        follow = re.match(r"\s+([a-z]+)", after)
        return not (
            follow
            and follow[1]
            in {"mode", "completion", "water", "faults", "plates", "title", "gust", "thread", "time", "order"}
        )
    low, high = statement.span(start, end)
    origin = statement.source
    while origin.parent is not None:
        origin = origin.parent
    base = origin.origin[0]
    low, high = low - base, high - base
    around = origin.text[max(0, low - 1) : high + 1]
    if around.startswith("`") or around.endswith("`") or "`" in origin.text[max(0, low - 4) : low]:
        return True
    if re.search(r"[\u3400-\u9fff]\s*$", before) or re.match(r"\s*[\u3400-\u9fff（(]", after):
        return True
    if _ORDINARY_USE.search(before) or re.search(
        r"\bany (?:more|such|\w+ing|other|size|of|file|time|way)\b", surface + after[:12]
    ):
        return False
    return (
        bool(
            re.search(
                r"(?:\b(?:no|avoid|use|using|not|never|to|and|or|banned?|into|drop|as|have|having|about|with|without|uses?|used|than|of|in|on|via|through|importing|imports?|:)\s*|^|[(/,-]\s*)$",
                before,
            )
        )
        or surface == "main"
    )
