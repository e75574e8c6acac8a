"""Rejections that survive an update.

A model that rewrites a hand-over may leave a rejected path out. This module compares the previous hand-over with the
new one and puts back what fell out, unless a user turn in between lifted or replaced the rule; then the lifting
sentence is kept. When in doubt a rejection stays, and the lifting sentence stands after it.
"""

from __future__ import annotations

from collections.abc import Iterable

from backslide.harness.compaction.strategies.bullets import (
    BULLET,
    EMPTY,
    Kind,
    bullets,
    classified,
    core,
    figures,
    head,
    names,
    terms,
)
from backslide.harness.compaction.strategies.lifts import Statement, statements

RETAINED = 0.6
"""Share of a bullet's terms that another text must have to say the same."""
TITLES: dict[Kind, str] = {"rejected": "## Rejected paths", "lifted": "## Lifted or replaced rules"}


def carry_forward(previous: str, new: str, user_texts: Iterable[str]) -> str:
    """Return `new` with every rejection of `previous` that fell out of it put back.

    `user_texts` are the user's words since the previous hand-over. A rejection that one of their sentences lifts is
    left out if the sentence clearly is about it and no later one bans it again; the sentence itself is kept in the
    section for lifted rules.
    """
    old = bullets(previous, "rejected")
    old_lifted = bullets(previous, "lifted")
    if not old and not old_lifted:
        return new
    kept = bullets(new, "rejected")
    lifted_now = bullets(new, "lifted")
    said = statements(user_texts)
    missing: list[str] = []
    lifting: list[str] = []
    for bullet in old:
        lifts = [at for at, statement in enumerate(said) if _stands(said, at, bullet)]
        for at in lifts:
            if not _present(said[at].text, [*lifted_now, *lifting]):
                lifting.append(said[at].text)
        clearly = any(_clearly_lifts(said[at], bullet, old) for at in lifts)
        subject = terms(head(bullet))
        by_summary = any(len(subject & terms(line)) >= RETAINED * len(subject) for line in lifted_now)
        if not _present(bullet, [*kept, *missing]) and not clearly and not (by_summary and lifts):
            missing.append(bullet)
    fresh = [bullet for bullet in kept if not _present(bullet, old)]
    for bullet in old_lifted:
        ban = _banned_again(bullet, said)
        if ban is not None and not any(_present(ban.text, [item]) for item in [*kept, *missing]):
            missing.append(ban.text)
        spoken = _spoken(bullet)
        by_fresh = any(spoken and len(spoken & terms(item)) >= RETAINED * len(spoken) for item in fresh)
        if ban is None and not by_fresh and not _present(bullet, [*lifted_now, *lifting]):
            lifting.append(bullet)
    return _insert(_insert(new, "rejected", missing), "lifted", lifting)


def _stands(said: list[Statement], at: int, bullet: str) -> bool:
    """Return whether a statement lifts something of what `bullet` is about and no later one bans it again."""
    statement = said[at]
    about = terms(head(bullet))
    if statement.kind != "lift" or not about & statement.words:
        return False
    return not any(
        later.kind == "ban" and _covers(later.subject, statement.subject & about or statement.subject)
        for later in said[at + 1 :]
    )


def _clearly_lifts(statement: Statement, bullet: str, all_old: list[str]) -> bool:
    """Return whether a lift clearly is about the bullet, and not about another one more."""
    if statement.partial or not _is_about(statement.words, bullet):
        return False
    shared = statement.words & terms(bullet)
    return not any(
        _is_about(statement.words, other) and statement.words & terms(other) > shared
        for other in all_old
        if other != bullet
    )


def _is_about(words: frozenset[str], bullet: str) -> bool:
    """Return whether words name a bullet's names, the thing itself, or most of its subject."""
    subject = terms(head(bullet))
    thing = terms(core(bullet))
    named = names(head(bullet))
    if (named and named <= words) or (thing and thing <= words):
        return True
    return bool(subject) and len(subject & words) >= RETAINED * len(subject)


def _banned_again(lifted: str, said: list[Statement]) -> Statement | None:
    """Return the last statement about what `lifted` lifts if it bans it again."""
    spoken = _spoken(lifted)
    about = [statement for statement in said if _covers(statement.subject, spoken)]
    return about[-1] if about and about[-1].kind == "ban" else None


def _spoken(lifted: str) -> frozenset[str]:
    """Return the terms of what a line of the section for lifted rules is about."""
    found = statements([lifted])
    return found[0].subject if found else terms(head(lifted))


def _covers(words: frozenset[str], subject: frozenset[str]) -> bool:
    return bool(subject) and len(subject & words) >= RETAINED * len(subject)


def _present(bullet: str, others: Iterable[str]) -> bool:
    """Return whether one of `others` says what `bullet` says: its words, or its whole subject and most of the rest.

    A subject with another figure or name in it is another rule.
    """
    wanted, subject, numbers = terms(bullet), terms(head(bullet)), figures(head(bullet))
    plain = _plain(bullet)
    for other in others:
        if plain in _plain(other):
            return True
        had = terms(other)
        if not subject or not subject <= had or not numbers <= figures(other):
            continue
        if len(wanted & had) >= RETAINED * len(wanted):
            return True
    return False


def _plain(text: str) -> str:
    """Return a text without differences of spacing, emphasis and a final stop."""
    return " ".join(text.replace("*", "").split()).rstrip(" .。")


def _insert(text: str, kind: Kind, items: list[str]) -> str:
    """Append `items` as bullets to the section of a kind, or add the section at the end."""
    if not items:
        return text
    lines = classified(text.rstrip("\n"))
    added = [f"- {item}" for item in items]
    start = next((at for at, line in enumerate(lines) if line.heading and line.kind == kind), None)
    if start is None:
        return "\n".join([*(line.text for line in lines), "", TITLES[kind], *added])
    end = start + 1
    while end < len(lines) and lines[end].kind == kind:
        end += 1
    body = [line.text for line in lines[start + 1 : end]]
    while body and not body[-1].strip():
        body.pop()
    body = [line for line in body if not line.strip() or not EMPTY.match(BULLET.sub("", line))]
    rest = [line.text for line in lines[end:]]
    before = [line.text for line in lines[: start + 1]]
    return "\n".join([*before, *body, *added, *([""] if rest else []), *rest])
