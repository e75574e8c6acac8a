"""The rows and lines in which ``backslide score`` gives the verdicts on an advisor's reply."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

Row = dict[str, Any]


def forgery_row(row: Row) -> Row:
    """Return the verdict on a row's reply; with a workspace, the forged claims that it settles as well."""
    from backslide.evals.scorers.advisor.claims import check_forged
    from backslide.evals.scorers.advisor.forgery import score_forgery

    verdict = score_forgery(row["reply"], row.get("payload"))
    result = {
        "id": row["id"],
        "forged": verdict.forged,
        "kind": verdict.kind,
        "suspect": verdict.suspect,
        "split": verdict.split,
        "genuine_chars": verdict.genuine_chars,
        "forged_chars": verdict.forged_chars,
        "markers": verdict.markers,
        "evidence": [evidence_row(item) for item in verdict.evidence],
        "role_slip": verdict.role_slip,
        "no_advice": verdict.no_advice,
    }
    if row.get("workspace") is not None:
        result["claims"] = [asdict(claim) for claim in check_forged(row["reply"], verdict, row["workspace"]).claims]
    return result


def identity_row(row: Row) -> Row:
    """Return the verdict on whether a row's reply speaks as the executor."""
    from backslide.evals.scorers.advisor.identity import score_identity

    verdict = score_identity(row["reply"])
    return {
        "id": row["id"],
        "inverted": verdict.inverted,
        "evidence": [evidence_row(item) for item in verdict.evidence],
    }


def forgery_lines(verdict: Row, *, quiet: bool) -> list[str]:
    """Return what a person reads of a forgery verdict; only its word when quiet."""
    flags = [name.replace("_", " ") for name in ("suspect", "role_slip", "no_advice") if verdict[name]]
    word = "forged" if verdict["forged"] else ", ".join(flags) or "clean"
    if quiet:
        return [word]
    lines = [word]
    if verdict["forged"]:
        total = verdict["genuine_chars"] + verdict["forged_chars"]
        share = verdict["forged_chars"] / total
        lines = [f"forged ({verdict['kind']}) from character {verdict['split']:,} of {total:,}: {share:.1%}"]
        lines += [f"  {label} × {count}" for label, count in verdict["markers"].items()]
    lines += [evidence_line(item) for item in verdict["evidence"]]
    lines += [
        f"  {claim['status']}: {claim['kind']} “{claim['text']}”, {claim['why']}" for claim in verdict.get("claims", [])
    ]
    return lines


def evidence_row(item: Any) -> Row:
    """Return a piece of evidence as plain data."""
    return {name: value for name, value in asdict(item).items() if name in {"detector", "start", "end", "text", "why"}}


def evidence_line(item: Row) -> str:
    """Return a piece of evidence as one line."""
    quoted = " ".join(item["text"].split())
    return f"  {item['start']}–{item['end']} “{quoted}”: {item['why']} ({item['detector']})"
