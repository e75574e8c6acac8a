"""A long session of a small code base, made of few rules: figures, files and words vary, one rejection is in it."""

from __future__ import annotations

import random

_NAMES = "ledger intake router palette archive replay billing shard cursor digest beacon quota mailer outbox"
_AREAS = _NAMES.split()
_VERBS = ["Look at", "Clean up", "Extend", "Trace", "Split", "Document", "Speed up", "Rename things in"]
_FINDS = [
    "The {a} module reads its settings twice and the second read wins.",
    "The {a} handler returns early when the {b} queue is empty.",
    "I moved the parsing of {a} rows next to the {b} writer and updated both callers.",
    "The {a} tests pass now, and the {b} fixture is shared between them.",
    "There is one caller of {a} left in {b}, it still passes the old header.",
    "The slow part of {a} is the sort, {n} ms of it is comparison.",
]
REJECTION = "pandas is ruled out for the exporter: 1.2 GB resident and 9 s to start, so stream the rows."


def long_session(turns: int = 30, rejection_at: int = 6, seed: int = 1, output_lines: int = 14) -> str:
    """Serialize a conversation of `turns` turns; the user states `REJECTION` in turn `rejection_at`."""
    chance = random.Random(seed)
    parts: list[str] = []
    for turn in range(1, turns + 1):
        a, b = chance.sample(_AREAS, 2)
        if turn == rejection_at:
            parts.append(f"[User]: {REJECTION}")
        elif turn == 1:
            parts.append(
                "[User]: The goal is an export service that answers within two seconds. Start with the layout."
            )
        else:
            parts.append(f"[User]: {chance.choice(_VERBS)} the {a} part, then run its tests.")
        parts.append(
            f'[Assistant tool calls]: grep(pattern="{a}_{b}", path="src/{a}"); bash(command="pytest -q tests/test_{a}.py")'
        )
        hits = "\n".join(
            f"src/{a}/{chance.choice(_AREAS)}.py:{chance.randrange(400)}:    {a}_{chance.choice(_AREAS)} = load_{b}(row, {chance.randrange(9)})"
            for _ in range(output_lines)
        )
        parts.append(f"[Tool result]: {hits}")
        parts.append(
            f"[Tool result]: tests/test_{a}.py ....\n{chance.randrange(9, 90)} passed in {chance.randrange(1, 9)}.2s"
        )
        parts.append(
            "[Assistant]: "
            + " ".join(find.format(a=a, b=b, n=chance.randrange(20, 900)) for find in chance.sample(_FINDS, 3))
        )
    return "\n\n".join(parts)
