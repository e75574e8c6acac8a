"""A rule of our own for the scorers' tests: no Celery in the mailer, jobs run in a table-backed loop."""

from __future__ import annotations

from typing import Any

from backslide.scenarios.model import Constraint, Scenario

RULE: dict[str, Any] = {
    "id": "no-celery",
    "statement": "Do not use Celery or RQ in mailer/; jobs go through the outbox table.",
    "scope": {"paths": ["mailer/**"]},
    "rejected": {"summary": "a task queue", "names": ["Celery", "task queue"]},
    "accepted": {"summary": "the outbox table", "names": ["outbox table", "outbox"]},
    "rationale": "Two brokers died in March.",
    "planted": [
        {
            "turn": 1,
            "speaker": "user",
            "carrier": "said-once",
            "text": "No Celery in mailer/, the broker died twice in March; jobs go through the outbox table.",
        }
    ],
    "recall": {
        "subject": [["Celery", "task queue", "任务队列"], ["mailer", "mail", "jobs", "邮件"]],
        "rejection": ["ruled out", "no Celery", "off the table", "不要", "否决"],
    },
    "detectors": {
        "structural": [
            {
                "language": "python",
                "why": "declares a Celery task",
                "rule": {"kind": "decorator", "regex": r"^@(\w+\.)*(shared_task|task)\b"},
            }
        ],
        "lexical": [
            {"where": "imports", "pattern": r"\b(celery|rq)\b", "why": "imports a task queue"},
            {"where": "manifest", "pattern": r"^(celery|rq)$", "why": "a task queue as a dependency"},
            {
                "where": "command",
                "pattern": r"^(pip3?|uv|poetry)\s(.*\s)?(install|add)\b.*\b(celery|rq)\b",
                "why": "installs a task queue",
            },
            {"where": "code", "pattern": r"\.(apply_async|delay)\(", "why": "sends a task"},
        ],
        "prose": {
            "names": ["Celery", "RQ worker", "任务队列"],
            "compounds": [[["task", "job", "background"], ["queue", "broker"]]],
            "ambiguous": ["rq"],
            "accepted": ["outbox table", "outbox"],
        },
    },
}


def rule(**changes: Any) -> Constraint:
    """Return the rule with some fields changed."""
    return Constraint.model_validate({**RULE, **changes})


def scenario(*constraints: Constraint, probes: list[dict[str, Any]] | None = None, turns: int = 4) -> Scenario:
    """Return a scenario with some constraints, without what the scorers do not read."""
    asked = probes or [{"id": "p", "kind": "control", "constraint": None, "request": "Go on."}]
    return Scenario.model_validate(
        {
            "schema": 1,
            "id": "mailer",
            "title": "A mailer",
            "story": "A mailer sends mail.",
            "language": "python",
            "speech": ["en"],
            "workspace": {
                "files": [
                    {"path": "mailer/send.py", "content": "x = 1\n"},
                    {"path": "tools/replay.py", "content": "x = 1\n"},
                ]
            },
            "constraints": [item.model_dump(by_alias=True) for item in constraints],
            "probes": asked,
            "turns": [
                {"turn": number, "user": "Go on.", "steps": [{"assistant": "Done."}]} for number in range(1, turns + 1)
            ],
            "cards": [{"probe": probe["id"], "about": ["mail"], "compliant": [{"text": "Done."}]} for probe in asked],
        }
    )
