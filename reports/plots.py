"""The two plots of a report as PNG: how constraints die with each compaction, and how payloads grow with each turn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backslide.evals.loading import StoredRun
from backslide.evals.records import PayloadRecord
from backslide.evals.survival import Death, SurvivalCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
"""Okabe and Ito's colours, told apart by people with any colour vision."""
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1, 1, 1, 1, 1)))

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.dpi": 150,
}
_NOTE = "#666666"
_BAR_STEP = 0.055


def survival_plot(curves: Sequence[SurvivalCurve], path: Path, *, simulated: bool) -> None:
    """Write the survival curves with their bands: behavioural on the left, informational on the right.

    x is the number of compactions, y the share of constraints still alive; small offsets keep equal curves apart.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    variants = list(dict.fromkeys(curve.variant for curve in curves))
    last = max((point.cycle for curve in curves for point in curve.points), default=0)
    with rc_context(_STYLE):
        figure = Figure(figsize=(10, 4.4))
        axes = figure.subplots(1, 2, sharey=True)
        panels: tuple[tuple[Death, str], ...] = (
            ("behavioural", "No relapse yet"),
            ("informational", "Still stated in the payload"),
        )
        for axis, (death, title) in zip(axes, panels, strict=True):
            for curve in curves:
                if curve.death == death and curve.points:
                    _survival_line(axis, curve, variants.index(curve.variant), last)
            axis.set_title(title)
            axis.set_xlabel("compactions")
            axis.set_xlim(-0.1, last + 0.45)
            axis.set_ylim(-0.06, 1.06)
            axis.set_xticks(range(last + 1))
        axes[0].set_ylabel("share of constraints")
        axes[0].yaxis.set_major_formatter(lambda value, _position: f"{value * 100:.0f} %")
        _legend(figure, axes[0], len(variants))
        _note(
            figure,
            "Kaplan-Meier with 95 % intervals; circles: sessions that ended before the constraint died.",
            simulated,
        )
        _save(figure, path)


def payload_plot(run: StoredRun, path: Path) -> None:
    """Write the tokens of the main lines' requests by turn, one panel a scenario, one line a variant."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    lines = _payload_lines(run.payloads())
    scenarios = [name for name in run.manifest.scenarios if any(key[0] == name for key in lines)] or ["no requests"]
    columns = min(3, len(scenarios))
    rows = math.ceil(len(scenarios) / columns)
    with rc_context(_STYLE):
        figure = Figure(figsize=(max(3.6 * columns, 6.0), 2.5 * rows + 1.1))
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for index, axis in enumerate(axes.flat):
            if index >= len(scenarios):
                axis.set_visible(False)
                continue
            for number, variant in enumerate(run.variants):
                points = lines.get((scenarios[index], variant), {})
                axis.plot(
                    list(points), list(points.values()), label=variant, lw=1.4, color=_colour(number), ls=_dash(number)
                )
            axis.set_title(scenarios[index])
            axis.set_ylim(bottom=0)
            axis.yaxis.set_major_formatter(lambda value, _position: f"{value / 1000:g}k" if value else "0")
            if index + columns >= len(scenarios):
                axis.set_xlabel("turn")
                axis.tick_params(labelbottom=True)
            if index % columns == 0:
                axis.set_ylabel("tokens sent")
        _legend(figure, axes[0][0], len(run.variants))
        _note(figure, "Largest request of each turn of the main line, seed 0; probes left out.", run.manifest.simulated)
        _save(figure, path)


def _survival_line(axis: Axes, curve: SurvivalCurve, number: int, last: int) -> None:
    shift = 0.008 * number
    cycles = [float(point.cycle) for point in curve.points]
    levels = [point.survival - shift for point in curve.points]
    end = min(cycles[-1] + 0.4, last + 0.4)
    colour = _colour(number)
    axis.step(
        [*cycles, end], [*levels, levels[-1]], where="post", color=colour, ls=_dash(number), lw=1.8, label=curve.variant
    )
    # Bands of several variants would cover each other, so each step carries its own bar, side by side.
    places = [cycle + _BAR_STEP * (number + 1) for cycle in cycles]
    for place, point in zip(places, curve.points, strict=True):
        axis.plot([place, place], [point.low, point.high], color=colour, lw=1.1, alpha=0.45, solid_capstyle="butt")
    for index, point in enumerate(curve.points):
        after = curve.points[index + 1].at_risk if index + 1 < len(curve.points) else 0
        if point.at_risk - point.deaths > after:
            axis.plot(places[index], levels[index], "o", color=colour, ms=4, mfc="white", mew=1.2)


def _payload_lines(payloads: Any) -> dict[tuple[str, str], dict[int, int]]:
    """Return the largest request of each turn by scenario and variant, seed 0, executor only, probes left out."""
    lines: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for payload in payloads:
        if _on_main_line(payload):
            line = lines[payload.scenario, payload.variant]
            line[payload.turn] = max(line.get(payload.turn, 0), payload.tokens)
    return {key: dict(sorted(line.items())) for key, line in lines.items()}


def _on_main_line(payload: PayloadRecord) -> bool:
    return payload.role == "executor" and payload.cause != "probe" and payload.seed == 0


def _legend(figure: Figure, axis: Axes, entries: int) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper center", ncols=min(entries, 6), bbox_to_anchor=(0.5, 1.0), handlelength=2.6
    )


def _note(figure: Figure, text: str, simulated: bool) -> None:
    models = "\nSimulated models: whether information survives, not whether a model obeys." if simulated else ""
    figure.text(0.01, 0.005, text + models, fontsize=7.5, color=_NOTE, ha="left", va="bottom")


def _save(figure: Figure, path: Path) -> None:
    # The legend stands above the panels and the note below them.
    figure.tight_layout(rect=(0, 0.06, 1, 0.94))
    # Without the version stamp the same records give the same bytes.
    figure.savefig(path, metadata={"Software": None})


def _colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def _dash(number: int) -> Any:
    return _DASHES[number % len(_DASHES)]
