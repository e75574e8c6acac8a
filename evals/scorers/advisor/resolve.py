"""Give weak labels ("Output", "Action") the weight that their company lends them."""

from __future__ import annotations

from collections.abc import Sequence

from backslide.evals.scorers.advisor.content import is_advice, is_call, is_output, is_report, tells_facts
from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.advisor.mention import Run
from backslide.evals.scorers.advisor.occurrences import Occurrence


def promoted(lines: Sequence[Line], graded: Sequence[tuple[Occurrence, int, Run]]) -> list[tuple[Occurrence, int]]:
    """Return the labels that count, in order, with 2 for each weak one that its run makes a transcript's.

    A weak label stands in a transcript when a strong one stands in its run or anywhere before it, or when its run holds
    a call and what the call printed.
    """
    out: list[tuple[Occurrence, int]] = []
    strong_before = False
    for run in dict.fromkeys(entry[2] for entry in graded):
        members = [(item, level) for item, level, owner in graded if owner is run]
        company = strong_before or any(level >= 2 for _, level in members)
        acts = _acts(run)
        for item, level in members:
            if level >= 2:
                out.append((item, level))
            elif level == 1 and (company or acts):
                out.append((item, 2))
        strong_before = strong_before or bool(out)
    return out


def _tells(content: str) -> bool:
    """Return whether an assistant reports what was done, with facts."""
    return is_report(content) and tells_facts(content)


def _acts(run: Run) -> bool:
    """Return whether the weak labels of a run show a call and its output."""
    if run.shown or run.fields or any(is_advice(item.content) for item in run.items if item.role != "thinking"):
        return False
    roles = {item.role for item in run.items}
    calls = [item for item in run.items if item.role in {"call", "tool", "assistant"} and is_call(item.content)]
    results = [item for item in run.items if item.role in {"result", "tool"} and is_output(item.content) and item not in calls]
    told = [item for item in run.items if item.role == "assistant" and _tells(item.content)]
    if (calls and results) or (told and (results or "user" in roles)):
        return True
    return bool(len(run.items) >= 3 and {"call", "result"} <= roles and results and "thinking" in roles)
