"""Give weak labels ("Output", "Action") the weight that their company lends them."""

from __future__ import annotations

from collections.abc import Sequence

from backslide.evals.scorers.advisor.content import is_advice, is_call, is_in_person, is_output, is_report, tells_facts
from backslide.evals.scorers.advisor.mention import Run
from backslide.evals.scorers.advisor.occurrences import Occurrence


def promoted(graded: Sequence[tuple[Occurrence, int, Run]]) -> list[tuple[Occurrence, int]]:
    """Return the labels that count, in order, with 2 for each weak one that its run makes a transcript's.

    A weak label stands in a transcript when a strong one stands in its run or anywhere before it, or when its run holds
    a call and what the call printed.
    """
    out: list[tuple[Occurrence, int]] = []
    strong_before = False
    for run in dict.fromkeys(entry[2] for entry in graded):
        members = [(item, level) for item, level, owner in graded if owner is run]
        first = next((index for index, (_, level) in enumerate(members) if level >= 2), len(members))
        acts = _acts(run)
        for index, (item, level) in enumerate(members):
            # Before the first strong label only what a tool did or printed belongs to the transcript.
            company = strong_before or index > first or (first < len(members) and _is_machine(item))
            if level >= 2:
                out.append((item, level))
            elif level == 1 and (company or acts):
                out.append((item, 2))
        strong_before = strong_before or bool(out)
    return out


def _is_machine(item: Occurrence) -> bool:
    return (
        is_call(item.content)
        or is_output(item.content)
        or is_report(item.content)
        or is_in_person(item.content)
        or item.role == "system"
    )


def _tells(content: str) -> bool:
    """Return whether an assistant reports what was done, with facts."""
    return is_report(content) and tells_facts(content)


def _acts(run: Run) -> bool:
    """Return whether the weak labels of a run show a call and its output."""
    items = run.near
    if run.shown or run.fields or any(is_advice(item.content) for item in items if item.role != "thinking"):
        return False
    roles = {item.role for item in items}
    calls = [item for item in items if item.role in {"call", "tool", "assistant"} and is_call(item.content)]
    results = [
        item for item in items if item.role in {"result", "tool"} and is_output(item.content) and item not in calls
    ]
    told = [item for item in items if item.role == "assistant" and _tells(item.content)]
    if (calls and results) or (told and (results or "user" in roles)):
        return True
    return bool(len(items) >= 3 and {"call", "result"} <= roles and results and "thinking" in roles)
