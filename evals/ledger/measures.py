"""The measures of deliveries: pure functions over requests and replies, blind to the variant that produced them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from backslide.evals.ledger.script import Consulted
from backslide.evals.ledger.setup import text_of
from backslide.evals.scorers.advisor.forgery import ForgeryVerdict, score_forgery
from backslide.evals.scorers.advisor.identity import score_identity

_COMMIT = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")


def forgeries(replies: Sequence[str]) -> list[ForgeryVerdict]:
    """Return the verdict on each reply."""
    return [score_forgery(reply) for reply in replies]


def forged_share(replies: Sequence[str]) -> float | None:
    """Return the forged characters of all replies over all their characters; None without a reply."""
    total = sum(map(len, replies))
    return sum(verdict.forged_chars for verdict in forgeries(replies)) / total if total else None


def identity_share(replies: Sequence[str]) -> float | None:
    """Return the share of replies whose identity is inverted; None without a reply."""
    return mean(float(score_identity(reply).inverted) for reply in replies) if replies else None


def resent_share(bodies: Sequence[Sequence[dict[str, Any]]]) -> float | None:
    """Return the largest share of a user message that the next one in the same request repeats from its start.

    None if there is no request. Two deliveries that only open alike have a share near 0.
    """
    if not bodies:
        return None
    shares = [0.0]
    for messages in bodies:
        said = [text_of(message) for message in messages if message.get("role") == "user"]
        shares += [_common_prefix(one, other) / len(one) for one, other in pairwise(said) if one]
    return max(shares)


def shrink_at_compaction(consulted: Sequence[Consulted]) -> float | None:
    """Return how much smaller the last rebase is than the whole raw branch, from 0 to 1; None without a rebase."""
    for call in reversed(consulted):
        delivery = call.result.delivery
        if delivery is not None and delivery.kind == "rebase" and call.raw_chars:
            return max(0.0, 1 - len(delivery.text) / call.raw_chars)
    return None


def stacking(consulted: Sequence[Consulted]) -> tuple[float | None, float | None]:
    """Return, for the first rebase, the request's bytes over those of its newest delivery, and the deliveries' share.

    The share is that of all deliveries in the request's bytes: near 1 if they explain the payload.
    """
    for call in consulted:
        if call.result.delivery is None or call.result.delivery.kind != "rebase" or not call.exchanges:
            continue
        request = call.exchanges[0].request
        sizes = [_json_bytes(text_of(message)) for message in request.messages if message.get("role") == "user"]
        return request.measure.bytes / sizes[-1], sum(sizes) / request.measure.bytes
    return None, None


def claimed_commits(replies: Sequence[str], repository: Path) -> tuple[int, int]:
    """Return how many commit ids the forged parts of replies name, and how many of them do not exist."""
    claimed = set()
    for reply in replies:
        verdict = score_forgery(reply)
        if verdict.split is not None:
            claimed |= set(_COMMIT.findall(reply[verdict.split :]))
    return len(claimed), sum(not _exists(commit, repository) for commit in claimed)


def _common_prefix(one: str, other: str) -> int:
    """Return how many characters two texts share from their start."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _exists(commit: str, repository: Path) -> bool:
    done = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=repository, capture_output=True, timeout=20, check=False
    )
    return done.returncode == 0


def _json_bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2
