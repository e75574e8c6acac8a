"""At which turns the probes of every cycle are asked."""

from __future__ import annotations

from pathlib import Path

from tiny import tiny

from backslide.evals.plan import plan_turns
from backslide.evals.unit import due_probes


def test_one_turn_after_each_compaction_of_the_default_settings(tmp_path: Path) -> None:
    """Planned with the suite's window; the same at every call; none where nothing is compacted."""
    long = tiny(tmp_path, turns=20, noise=9000, name="long")
    turns = plan_turns(long)

    assert len(turns) >= 3
    assert turns == tuple(sorted(set(turns)))
    assert plan_turns(long) == turns
    assert all(1 < turn <= 20 for turn in turns)
    assert plan_turns(tiny(tmp_path, turns=4)) == ()


def test_the_scale_raises_session_and_window_together(tmp_path: Path) -> None:
    """So compactions fall at about the same turns."""
    long = tiny(tmp_path, turns=20, noise=9000, name="long")

    assert abs(len(plan_turns(long, 2.0)) - len(plan_turns(long))) <= 1


def test_declared_turns_and_planned_ones(tmp_path: Path) -> None:
    """Probes in the scenario's order; a probe of every cycle waits until its rule is planted; each turn once."""
    scenario = tiny(tmp_path)

    assert due_probes(scenario, ()) == {3: ["keep-report"], 12: ["keep-report", "sort-rows"]}
    assert due_probes(scenario, (1, 2, 3, 7, 12)) == {
        2: ["keep-report"],
        3: ["keep-report"],
        7: ["keep-report"],
        12: ["keep-report", "sort-rows"],
    }
