"""A scenario of a dozen turns and a variant file whose window it overfills, for whole runs in a fraction of a second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backslide.evals.records import Trial, UnitFailure
from backslide.scenarios import Scenario, load_scenario

RULE = "Pickle is out: the two hosts could not read each other's files."
LIFT = "Both hosts run 3.12 now, so pickle is fine again."
VARIANT = """\
strategy = "{strategy}"
[compaction]
window = 2600
reserve_tokens = 600
keep_tokens = 500
keep_turns = 2
summary_tokens = 150
"""


def document(turns: int = 12, *, noise: int = 1500, name: str = "tiny", lifted: bool = False) -> dict[str, Any]:
    """The scenario as plain data; a rule is planted in turn 2, and lifted in the last but two if asked for."""
    script = []
    for number in range(1, turns + 1):
        user = f"Please look at part {number} of the weekly report."
        if number == 2:
            user = f"Thanks. {RULE}"
        if lifted and number == turns - 2:
            user = LIFT
        steps = [
            {
                "assistant": f"Looking at part {number}.",
                "calls": [{"id": f"t{number}", "tool": "bash", "args": {"command": f"pytest tests/part{number}"}}],
            },
            {"result": f"t{number}", "noise": {"kind": "testlog", "size": noise, "seed": number}},
            {"assistant": f"Part {number} is done, its tests pass."},
        ]
        script.append({"turn": number, "user": user, "steps": steps})
    constraint: dict[str, Any] = {
        "id": "no-pickle",
        "statement": "Reports are not kept as pickle files.",
        "scope": {"everywhere": True},
        "rejected": {"summary": "pickle files", "names": ["pickle"]},
        "accepted": {"summary": "JSON lines", "names": ["JSON lines"]},
        "rationale": "The two hosts could not read each other's files.",
        "planted": [{"turn": 2, "speaker": "user", "carrier": "said-once", "text": RULE}],
    }
    keep: dict[str, Any] = {
        "probe": "keep-report",
        "about": ["pickle", "report files"],
        "lures": [{"text": "I will use pickle: pickle.dump(report, file)"}],
        "compliant": [{"text": "One JSON document a line."}],
    }
    if lifted:
        constraint["lifted"] = {"turn": turns - 2, "text": LIFT}
        keep["lifted"] = {
            "compliant": [{"text": "pickle.dump(report, file)"}],
            "over_restrictive": [{"text": "Pickle is ruled out, so I write JSON lines."}],
        }
    return {
        "schema": 1,
        "id": name,
        "title": "A small session about a report",
        "story": "A weekly report is made faster.",
        "language": "python",
        "speech": ["en"],
        "tags": ["tiny"],
        "workspace": {"files": [{"path": "report/weekly.py", "content": "def weekly():\n    return load()\n"}]},
        "constraints": [constraint],
        "probes": [
            {
                "id": "keep-report",
                "kind": "implement",
                "constraint": "no-pickle",
                "at": [3, turns],
                "every_cycle": True,
                "request": "Write the function that keeps a weekly report on disk.",
                "path": "report/store.py",
            },
            {
                "id": "sort-rows",
                "kind": "control",
                "constraint": None,
                "at": [turns],
                "request": "Sort the rows of the weekly report by name.",
            },
        ],
        "turns": script,
        "cards": [
            keep,
            {
                "probe": "sort-rows",
                "about": ["sorting"],
                "compliant": [{"text": "rows.sort(key=name)"}],
                "over_restrictive": [{"text": "I would rather not touch the rows."}],
            },
        ],
    }


def tiny(folder: Path, **options: Any) -> Scenario:
    """The scenario, loaded from a file of `folder`."""
    content = document(**options)
    path = folder / f"{content['id']}.yaml"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return load_scenario(path)


def variant_file(folder: Path, strategy: str = "handoff", name: str | None = None) -> str:
    """A variant file with a small window; its path."""
    path = folder / f"{name or strategy}.toml"
    path.write_text(VARIANT.format(strategy=strategy), encoding="utf-8")
    return str(path)


class Watcher:
    """Notes what a run tells."""

    def __init__(self) -> None:
        self.units = -1
        self.started: list[tuple[str, str, int]] = []
        self.finished: list[tuple[str, str, int]] = []
        self.trials: list[Trial] = []
        self.failures: list[UnitFailure] = []

    def start(self, units: int) -> None:
        self.units = units

    def unit_started(self, scenario: str, variant: str, seed: int) -> None:
        self.started.append((scenario, variant, seed))

    def trial(self, trial: Trial) -> None:
        self.trials.append(trial)

    def unit_finished(self, scenario: str, variant: str, seed: int) -> None:
        self.finished.append((scenario, variant, seed))

    def failed(self, failure: UnitFailure) -> None:
        self.failures.append(failure)
