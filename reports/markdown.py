"""The decay report as Markdown: tables with tabulate, the plots beside it as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from backslide.evals.loading import StoredRun
from backslide.evals.survival import SurvivalCurve
from backslide.reports.failures import failure_lines
from backslide.reports.numbers import NOTHING, count, percent
from backslide.reports.rows import LEGEND, SIMULATED, summary_rows
from backslide.reports.table import headline

SURVIVAL = "survival.png"
PAYLOAD = "payload.png"

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\|*_`<>[]#"})


def markdown_report(run: StoredRun, curves: Sequence[SurvivalCurve]) -> str:
    """Return the report of one run; it refers to the plots by file name."""
    return "\n\n".join(_sections(run, curves)) + "\n"


def plain(text: str) -> str:
    """Return `text` so that Markdown shows it as it is, on one line, inside a table cell too."""
    return " ".join(text.split()).translate(_SPECIAL)


def _sections(run: StoredRun, curves: Sequence[SurvivalCurve]) -> Iterator[str]:
    manifest = run.manifest
    yield "# What was forgotten"
    if manifest.simulated:
        yield f"**{SIMULATED}**"
    yield plain(headline(run))
    yield from (f"> {plain(problem)}" for problem in run.problems)
    yield "## Totals"
    yield _totals(run)
    yield "\n".join(f"- {line}" for line in LEGEND)
    yield "## How long constraints live"
    yield f"![Survival of constraints over compactions]({SURVIVAL})"
    yield _survival(curves)
    yield "## How payloads grow"
    yield f"![Tokens of each turn's largest request]({PAYLOAD})"
    yield _payloads(run)
    losses = _unseen(run)
    if losses:
        yield "## Dropped unseen"
        yield losses
    yield "## Worst failures"
    yield _failures(run)
    if manifest.failed:
        yield "## Not completed"
        rows = [[plain(f.scenario), plain(f.variant), f.seed, plain(f.error)] for f in manifest.failed]
        yield _table(rows, ["scenario", "variant", "seed", "error"])
    yield "## Made with"
    yield _provenance(run)


def _totals(run: StoredRun) -> str:
    rows = []
    for row in summary_rows(run.summaries, run.trials):
        label = f"&emsp;{plain(row.label)}" if row.indent else f"**{plain(row.label)}**"
        rows.append([label, *(row.cells or ("",) * len(run.variants))])
    return _table(rows, ["", *map(plain, run.variants)], numbers_right=True)


def _survival(curves: Sequence[SurvivalCurve]) -> str:
    rows = []
    for curve in curves:
        last = curve.points[-1] if curve.points else None
        at_end = f"{percent(last.survival)} ({percent(last.low)} to {percent(last.high)})" if last else NOTHING
        bound = f"none observed; up to {percent(curve.bound)} is possible" if curve.bound is not None else ""
        deaths = f"{curve.deaths} of {curve.lives}" if curve.lives else NOTHING
        rows.append([plain(curve.variant), curve.death, deaths, curve.half_life_text, at_end, bound])
    header = ["variant", "death", "died", "half-life", "alive at the end (95 % band)", ""]
    text = (
        "A constraint dies at its first relapse (behavioural) or at the first payload that no longer states it "
        "(informational). Sessions that end first are censored."
    )
    return f"{text}\n\n{_table(rows, header)}"


def _payloads(run: StoredRun) -> str:
    rows = [
        [
            plain(item.scenario),
            plain(item.variant),
            item.seed,
            count(item.compactions),
            count(item.peak_tokens),
            count(item.peak_bytes),
            count(item.total_input_tokens),
            count(item.overflow_turn),
        ]
        for item in run.manifest.sessions
    ]
    header = [
        "scenario",
        "variant",
        "seed",
        "compactions",
        "peak tokens",
        "peak bytes",
        "total tokens",
        "overflow at turn",
    ]
    return _table(rows, header, numbers_right=True, left=2)


def _unseen(run: StoredRun) -> str:
    found: Counter[tuple[str, str, str, str]] = Counter()
    for item in run.compactions:
        for fate in item.fates:
            if fate.unseen:
                found[item.variant, item.scenario, fate.constraint, ", ".join(fate.carriers)] += 1
    if not found:
        return ""
    rows = [[*map(plain, key), number] for key, number in sorted(found.items())]
    return _table(rows, ["variant", "scenario", "constraint", "carrier", "times"])


def _failures(run: StoredRun) -> str:
    lines = failure_lines(run.trials, limit=20, quote=200)
    if not lines:
        return "None."
    rows = [
        [
            plain(f.variant),
            plain(f.scenario),
            plain(f.constraint),
            f.cycle,
            plain(f.said),
            plain(f.where),
            f"`{f.trial}`",
        ]
        for f in lines
    ]
    return _table(rows, ["variant", "scenario", "constraint", "cycle", "it said", "the rule", "trial"])


def _provenance(run: StoredRun) -> str:
    manifest = run.manifest
    rows = [
        ["backslide", manifest.backslide],
        ["run", f"{manifest.id}, {manifest.started} to {manifest.ended or 'not ended'}"],
        ["models", ", ".join(f"{role} {name}" for role, name in manifest.models.items())],
        ["harness, scorers", f"{manifest.harness_hash}, {manifest.scorer_hash}"],
        ["scale, seeds", f"{manifest.scale:g}, {', '.join(map(str, manifest.seeds))}"],
        *([f"scenario {name}", digest] for name, digest in manifest.scenarios.items()),
        *([f"variant {variant.name}", variant.hash] for variant in manifest.variants),
    ]
    return _table([[plain(name), plain(value)] for name, value in rows], ["", ""])


def _table(
    rows: Sequence[Sequence[object]], header: Sequence[str], *, numbers_right: bool = False, left: int = 1
) -> str:
    from tabulate import tabulate

    aligned = ["left"] * left + ["right"] * (len(header) - left) if numbers_right else None
    return tabulate(rows, headers=header, tablefmt="pipe", disable_numparse=True, colalign=aligned)
