"""One trial, whole: where the rule was planted, what became of it at each compaction, payload, reply and verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from backslide.evals.evidence import outcome, shorten, whereabouts
from backslide.evals.loading import StoredRun
from backslide.evals.records import SCHEMA, CompactionRecord, PayloadRecord, SummarizerExchange, Trial
from backslide.harness.errors import InputError, nearest
from backslide.reports.numbers import count, percent
from backslide.reports.rows import SIMULATED

if TYPE_CHECKING:
    from rich.text import Text

_AROUND = 240
_SUMMARY_LINES = 24
_NAMED = 3


@dataclass(frozen=True)
class PlantedSentence:
    """Where a sentence that sets or lifts the rule stands; `carrier` is who said it and how."""

    turn: int
    carrier: str
    text: str


def find_trial(run: StoredRun, wanted: str) -> Trial:
    """Return the trial with this id, or the only one whose id contains `wanted`. Raises `InputError` otherwise."""
    exact = [trial for trial in run.trials if trial.id == wanted]
    if exact:
        return exact[0]
    ids = [trial.id for trial in run.trials]
    partly = [trial for trial in run.trials if wanted in trial.id]
    if len(partly) == 1:
        return partly[0]
    if partly:
        some = ", ".join(trial.id for trial in partly[:_NAMED])
        raise InputError(
            f"'{wanted}' fits {len(partly)} trials", where=str(run.path), mend=f"give more of the id: {some}"
        )
    close = nearest(wanted, ids)
    hint = f"did you mean '{close}'?" if close else "trials.jsonl has the ids"
    raise InputError(f"the run has no trial '{wanted}'", where=str(run.path), mend=hint)


def trial_document(run: StoredRun, trial: Trial, planted: Sequence[PlantedSentence]) -> dict[str, Any]:
    """Return the document of ``trial --json``: the records behind the trial as they are stored."""
    payload = probe_payload(run, trial)
    return {
        "schema": SCHEMA,
        "outcome": outcome(trial),
        "whereabouts": whereabouts(trial),
        "planted": [asdict(sentence) for sentence in planted],
        "compactions": [item.model_dump(mode="json", by_alias=True) for item in compactions_before(run, trial)],
        "payload": payload.model_dump(mode="json", by_alias=True) if payload else None,
        "trial": trial.model_dump(mode="json", by_alias=True),
        "session": run.session(trial),
    }


def compactions_before(run: StoredRun, trial: Trial) -> list[CompactionRecord]:
    """Return the compactions of the trial's main line up to its probe."""
    return [
        item
        for item in run.compactions
        if (item.scenario, item.variant, item.seed) == (trial.scenario, trial.variant, trial.seed)
        and item.index <= trial.cycle
    ]


def probe_payload(run: StoredRun, trial: Trial) -> PayloadRecord | None:
    """Return the first request of the probe, or None if the store has none."""
    key = (trial.scenario, trial.variant, trial.seed, trial.turn, trial.probe)
    return next(
        (p for p in run.payloads() if (p.scenario, p.variant, p.seed, p.turn, p.probe) == key and p.cause == "probe"),
        None,
    )


def trial_report(
    run: StoredRun, trial: Trial, planted: Sequence[PlantedSentence], *, full: bool = False
) -> Iterator[Text]:
    """Yield the page of one trial; with `full` nothing of the summarizer's requests and summaries is cut."""
    from rich.text import Text

    if trial.simulated:
        yield Text(SIMULATED, style="bold")
    yield Text(trial.id, style="bold")
    yield from _headline(trial)
    yield _title("The rule")
    for sentence in planted:
        yield Text(f"  turn {sentence.turn} ({sentence.carrier}): “{shorten(sentence.text, 2000)}”")
    if not planted:
        yield Text(f"  {trial.constraint or 'none: a control trial'}")
    yield from _compactions(run, trial, planted, full=full)
    yield from _payload(run, trial)
    yield from _reply(trial)
    if trial.session:
        yield Text(f"\nSession: {run.session(trial)}", style="dim")


def _headline(trial: Trial) -> Iterator[Text]:
    from rich.text import Text

    result = outcome(trial)
    style = {"relapsed": "bold red", "over-restricted": "bold yellow", "unanswered": "yellow"}.get(result, "green")
    detail = trial.unanswered or (f"class {trial.verdict.cls}" if trial.verdict else "")
    rule = f"constraint {trial.constraint}" if trial.constraint else "no constraint"
    yield Text.assemble(
        (f"{result.upper()}", style),
        f" ({detail}). Probe {trial.probe} ({trial.kind}), {rule}, asked after turn {trial.turn}, cycle {trial.cycle}.",
    )
    yield Text(f"The rule in the payload: {whereabouts(trial)}.")


def _compactions(run: StoredRun, trial: Trial, planted: Sequence[PlantedSentence], *, full: bool) -> Iterator[Text]:
    from rich.text import Text

    before = compactions_before(run, trial)
    yield _title("Compactions before the probe")
    if not before:
        yield Text("  none")
    lost = trial.retention.lost_at_compaction if trial.retention else None
    shown = lost if lost is not None else before[-1].index if before else None
    for item in before:
        yield Text(
            f"  {item.index} after turn {item.turn} ({item.strategy}, {item.reason}): "
            f"{count(item.tokens_before)} → {count(item.tokens_after)} tokens"
        )
        for fate in item.fates:
            if fate.constraint == trial.constraint:
                unseen = ", DROPPED UNSEEN" if fate.unseen else ""
                yield Text(
                    f"    this rule: before {fate.before}, summarizer input {fate.seen}, summary {fate.summary}, "
                    f"after {fate.after} ({fate.step}{unseen})",
                    style="red"
                    if fate.after in {"diluted", "absent"} and fate.before in {"verbatim", "stated"}
                    else "",
                )
        if full or item.index == shown:
            yield from _exchanges(item, planted, full=full)


def _exchanges(item: CompactionRecord, planted: Sequence[PlantedSentence], *, full: bool) -> Iterator[Text]:
    from rich.text import Text

    for exchange in item.exchanges:
        size = f"{count(exchange.input_tokens)} tokens in, {count(exchange.output_tokens)} out"
        yield Text(f"    summarizer request ({exchange.kind}, {size})", style="bold")
        yield Text(_indented(exchange.text if full else _excerpt(exchange, planted), 6), style="dim")
    yield Text("    summary", style="bold")
    lines = item.summary.splitlines()
    cut = lines if full else lines[:_SUMMARY_LINES]
    yield Text(_indented("\n".join(cut) or "(none: nothing was summarized)", 6))
    if len(cut) < len(lines):
        yield Text(f"      … {len(lines) - len(cut)} more lines; --full shows them", style="dim")


def _excerpt(exchange: SummarizerExchange, planted: Sequence[PlantedSentence]) -> str:
    """Return the request around the planted sentences, or say that they are not in it."""
    missing = [f"(turn {s.turn}'s sentence is not in this request)" for s in planted if s.text not in exchange.text]
    windows: list[tuple[int, int]] = []
    for sentence in planted:
        at = exchange.text.find(sentence.text)
        if at >= 0:
            windows.append((max(0, at - _AROUND), at + len(sentence.text) + _AROUND))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    parts = [f"…{exchange.text[start:end]}…" for start, end in merged] + missing
    return "\n".join(parts) if parts else shorten(exchange.text, 2 * _AROUND)


def _payload(run: StoredRun, trial: Trial) -> Iterator[Text]:
    from rich.text import Text

    yield _title("Payload of the probe")
    yield Text(f"  {count(trial.payload_tokens)} tokens, {count(trial.payload_bytes)} bytes")
    payload = probe_payload(run, trial)
    if payload is not None:
        whole = sum(payload.composition.values())
        parts = sorted(payload.composition.items(), key=lambda part: -part[1])
        shares = ", ".join(f"{name} {count(size)} ({percent(size / whole)})" for name, size in parts if size)
        yield Text(f"  {payload.messages} messages to {payload.model}: {shares}")
    if trial.retention is not None and trial.retention.text:
        yield Text(f"  the rule in it ({trial.retention.where}): “{shorten(trial.retention.text, 400)}”")


def _reply(trial: Trial) -> Iterator[Text]:
    from rich.text import Text

    yield _title("Reply")
    if trial.reply is None:
        yield Text(f"  none: {trial.error or trial.unanswered}")
        return
    text = Text(trial.reply.text.rstrip())
    bad = outcome(trial) in {"relapsed", "over-restricted"}
    for item in trial.verdict.evidence if trial.verdict else ():
        text.stylize("bold red" if bad else "bold", item.start, item.end)
    yield text
    yield _title("Verdict")
    if trial.verdict is None:
        yield Text("  not scored")
        return
    relapse = "a relapse" if trial.verdict.relapse else "no relapse"
    over = {True: ", over-restriction", False: ", no over-restriction", None: ""}[trial.verdict.over_restriction]
    yield Text(f"  {trial.verdict.cls}: {relapse}{over}")
    for item in trial.verdict.evidence:
        yield Text(f"  {item.start}–{item.end} “{shorten(item.text, 120)}”: {item.why} ({item.detector})")


def _title(words: str) -> Text:
    from rich.text import Text

    return Text(f"\n{words}", style="bold cyan")


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())
