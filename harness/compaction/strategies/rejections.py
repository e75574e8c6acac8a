"""Rejections that survive an update.

A model that rewrites a hand-over may leave a rejected path out. This module compares the previous hand-over with the
new one and puts back what fell out, unless a user turn in between lifted or replaced the rule; then the lifting
sentence is kept. When in doubt a rejection stays, and the lifting sentence stands after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

REJECTED_HEADING = re.compile(
    r"reject|ruled[ -]?out|negative constraint|dead[ -]?end|forbidden|off[ -]limits|must not|do not|don't|avoid|"
    r"not to (?:be )?(?:do|use)|abandon|discarded|放弃|否决|禁止|不可行|不能做|不要做|排除",
    re.IGNORECASE,
)
LIFTED_HEADING = re.compile(
    r"lifted|replaced|withdrawn|no longer|superseded|revoked|解除|撤销|撤回|已取消|取代|放开", re.IGNORECASE
)
_RULE = r"(?:rule|ban|restriction|constraint|decision|objection|veto|freeze|limit|prohibition)"
_NEAR = r"[^.!?\n]{0,60}"
_LIFTS = (
    # allowed again, fine now
    rf"\b(?:allowed|permitted|fine|ok(?:ay)?|welcome|possible|free to use|back on the table|available)\b{_NEAR}"
    r"\b(?:again|now|after all)\b",
    # lift the ban, the rule is off
    r"\b(?:lift(?:ed|ing)?|withdraw(?:n)?|drop(?:ped|ping)?|revok\w+|reverse[ds]?|overturn\w*|cancel(?:l?ed)?|"
    r"take back|"
    rf"retract\w*|scrap(?:ped)?|replace[sd]?)\b{_NEAR}\b{_RULE}\b",
    rf"\b{_RULE}\b{_NEAR}\b(?:lifted|gone|over|off|dropped|withdrawn|no longer (?:applies|holds|stands)|"
    r"does(?:n't| not) apply|obsolete|history)\b",
    r"\bno longer (?:ruled out|off[ -]limits|forbidden|banned|frozen|rejected|a problem|prohibited|out of bounds)\b",
    # you may use it again, back to it
    rf"\b(?:you|we|they)\s+(?:may|can)\s+(?:use|go back to|touch|change|edit)\b{_NEAR}\b(?:again|now|after all)\b",
    r"\b(?:switch|go|move|come)(?:ing)? back to\b",
    r"\binstead of\b[^.!?\n]{0,40}\bfrom now on\b",
    r"(?:可以|能|允许)[^。！？\n]{0,20}(?:了|再|重新)",
    r"解除|取消|撤销|撤回|放开|作废|解禁|恢复使用|不再(?:禁止|限制|排除|冻结)",
)
_NO_LIFTS = (
    r"\b(?:not|isn't|aren't|never|still)\b[^.!?\n]{0,24}\b(?:allowed|permitted|fine|lifted|ok(?:ay)?)\b",
    r"[?？]\s*$",
    r"\b(?:once|when|if|until|unless)\b[^.!?\n]{0,40}\b(?:lifted|allowed|over|replaced)\b",
    r"(?:不|没|还没|尚未)(?:可以|能|允许|解除|取消)",
)
LIFT = re.compile("|".join(_LIFTS), re.IGNORECASE)
_NEGATED_LIFT = re.compile("|".join(_NO_LIFTS), re.IGNORECASE)
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "not",
        "with",
        "that",
        "this",
        "from",
        "into",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "its",
        "our",
        "your",
        "their",
        "use",
        "used",
        "using",
        "must",
        "should",
        "never",
        "any",
        "all",
        "only",
        "but",
        "out",
        "new",
        "old",
        "than",
        "then",
        "them",
        "they",
        "will",
        "would",
        "can",
        "could",
        "may",
        "because",
        "since",
        "when",
        "where",
        "which",
        "while",
        "after",
        "before",
        "under",
        "over",
        "again",
        "also",
        "code",
        "file",
        "files",
        "path",
        "paths",
        "change",
        "changes",
        "rule",
        "rules",
        "approach",
        "user",
        "keep",
        "kept",
        "stay",
        "there",
        "here",
        "been",
        "being",
        "does",
        "did",
        "done",
        "one",
        "two",
        "per",
        "via",
    ]
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}|[一-鿿]+")
_BULLET = re.compile(r"^\s{0,3}(?:[-*+•]|\d+[.)])\s+")
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*:?|\[(?P<bracket>[^\]]+)\])\s*$")
_EMPTY = re.compile(r"^\W*(?:none|nothing|n/?a|empty|无|暂无)\W*$", re.IGNORECASE)
RETAINED = 0.6
LIFTED_SHARE = 0.5


@dataclass(frozen=True)
class Section:
    """A heading and the line range ``[start, end)`` below it in a summary."""

    title: str
    start: int
    end: int


def sections(lines: list[str]) -> list[Section]:
    """Return the headed sections of a Markdown text, in order."""
    heads: list[tuple[int, str]] = []
    for index, line in enumerate(lines):
        match = _HEADING.match(line)
        if match:
            heads.append((index, match["hash"] or match["bold"] or match["bracket"]))
    ends = [*(index for index, _ in heads), len(lines)][1:]
    return [Section(title, index + 1, end) for (index, title), end in zip(heads, ends, strict=True)]


def bullets(text: str, heading: re.Pattern[str]) -> list[str]:
    """Return the bullets under the sections whose title matches `heading`, markers removed, lines joined."""
    lines = text.split("\n")
    found: list[str] = []
    for section in sections(lines):
        if not heading.search(section.title):
            continue
        inside = False
        for line in lines[section.start : section.end]:
            if _BULLET.match(line):
                found.append(_BULLET.sub("", line).strip())
                inside = True
            elif inside and line.strip() and line[:1] in {" ", "\t"}:
                found[-1] += " " + line.strip()
            elif line.strip():
                found.append(line.strip())
                inside = False
            else:
                inside = False
    return [bullet for bullet in found if bullet and not _EMPTY.match(bullet) and not bullet.startswith("<")]


def terms(text: str) -> frozenset[str]:
    """Return the content terms of a text: words without function words, Chinese as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text):
        if word[0] > "一":
            found.update(word[i : i + 2] for i in range(len(word) - 1))
            continue
        lower = word.lower()
        if lower not in _STOP:
            found.add(lower[:-1] if lower.endswith("s") and len(lower) > 3 and not lower.endswith("ss") else lower)
    return frozenset(found)


def head(bullet: str) -> str:
    """Return what a bullet is about: its words before the reason."""
    return re.split(r"\s[—–-]\s|[:：(（;；]|\bbecause\b|\bsince\b|，因为|。", bullet, maxsplit=1)[0]


def names(text: str) -> frozenset[str]:
    """Return the terms of a text that look like names: inner capitals, underscores, digits, or code spans."""
    spans = " ".join(re.findall(r"`([^`]+)`", text))
    shaped = re.findall(r"\b(?:[A-Za-z]+[A-Z0-9_][A-Za-z0-9_]*|[A-Z]{2,})\b", text)
    return terms(spans) | terms(" ".join(shaped))


def lifting_sentences(user_texts: Iterable[str]) -> list[str]:
    """Return the sentences of user turns that lift or replace a rule, in order."""
    found: list[str] = []
    for text in user_texts:
        for sentence in re.split(r"(?<=[.!?。！？])\s*|\n+", text):
            clean = sentence.strip()
            if clean and LIFT.search(clean) and not _NEGATED_LIFT.search(clean):
                found.append(clean)
    return found


def carry_forward(previous: str, new: str, user_texts: Iterable[str]) -> str:
    """Return `new` with every rejection of `previous` that fell out of it put back.

    `user_texts` are the user's words since the previous hand-over. A rejection that one of their sentences lifts is
    left out if the sentence clearly is about it; the sentence itself is kept in the section for lifted rules.
    """
    old = bullets(previous, REJECTED_HEADING)
    old_lifted = bullets(previous, LIFTED_HEADING)
    kept = bullets(new, REJECTED_HEADING)
    lifted_now = bullets(new, LIFTED_HEADING)
    sentences = lifting_sentences(user_texts)
    missing: list[str] = []
    lifting: list[str] = []
    for bullet in old:
        about = terms(head(bullet)) or terms(bullet)
        lifts = [sentence for sentence in sentences if about & terms(sentence)]
        lifting += [sentence for sentence in lifts if not _present(sentence, [*lifted_now, *lifting])]
        clearly = any(_is_about(bullet, about, sentence) for sentence in lifts)
        by_summary = any(len(about & terms(line)) >= RETAINED * len(about) for line in lifted_now)
        if not _present(bullet, kept) and not clearly and not (by_summary and lifts):
            missing.append(bullet)
    fresh = [bullet for bullet in kept if not _present(bullet, old)]
    for bullet in old_lifted:
        banned_again = any(terms(head(bullet)) & terms(head(item)) for item in fresh)
        if not banned_again and not _present(bullet, [*lifted_now, *lifting]):
            lifting.append(bullet)
    text = _insert(new, REJECTED_HEADING, "## Rejected paths", missing)
    return _insert(text, LIFTED_HEADING, "## Lifted or replaced rules", lifting)


def _is_about(bullet: str, about: frozenset[str], sentence: str) -> bool:
    """Return whether a lifting sentence clearly is about the bullet: it names its names, or half of its subject."""
    shared = terms(sentence)
    named = names(head(bullet))
    return bool(named and named <= shared) or len(about & shared) >= LIFTED_SHARE * len(about)


def _present(bullet: str, others: Iterable[str]) -> bool:
    """Return whether one of `others` says what `bullet` says: the bullet itself, or most of its terms."""
    wanted = terms(bullet)
    for other in others:
        if bullet in other:
            return True
        if wanted and len(wanted & terms(other)) >= RETAINED * len(wanted):
            return True
    return False


def _insert(text: str, heading: re.Pattern[str], title: str, items: list[str]) -> str:
    """Append `items` as bullets to the section matching `heading`, or add the section at the end."""
    if not items:
        return text
    lines = text.rstrip("\n").split("\n")
    added = [f"- {item}" for item in items]
    for section in sections(lines):
        if heading.search(section.title):
            end = section.end
            while end > section.start and not lines[end - 1].strip():
                end -= 1
            body = [
                line
                for line in lines[section.start : end]
                if not _EMPTY.match(_BULLET.sub("", line)) or not line.strip()
            ]
            rest = lines[section.end :]
            return "\n".join([*lines[: section.start], *body, *added, *([""] if rest else []), *rest])
    return "\n".join([*lines, "", title, *added])
