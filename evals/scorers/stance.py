"""Read what a sentence does with a name: propose it, reject it, or only mention it."""

from __future__ import annotations

import re

from backslide.evals.scorers import words_en as en
from backslide.evals.scorers import words_zh as zh
from backslide.evals.scorers.actions import acted
from backslide.evals.scorers.direction import direction
from backslide.evals.scorers.reading import CJK, TERM, UNTAKEN, Reading, Stance, following
from backslide.evals.scorers.sentences import Clause, clause_at


def stance(
    reading: Reading,
    start: int,
    end: int,
    *,
    actions: re.Pattern[str] | None = None,
    recommend: re.Pattern[str] | None = None,
) -> Stance:
    """Return the stance of a sentence on the name at ``[start, end)``.

    With `actions`, only the words of that table take an approach up (a rule about changing files: reading them is
    no breach).
    `recommend` adds words that offer it.
    """
    for left, right in reading.quotes:
        if left < start and end <= right and right - left - (end - start) > TERM:
            return Stance("mention", "it stands in quoted words")
    chinese = bool(CJK.search(reading.text))
    index = clause_at(list(reading.parts), start)
    part = reading.parts[index]
    before = reading.masked[part.start : start]
    after = reading.masked[end : max(end, part.end)]
    if reading.question:
        asked = _question(reading, chinese, part)
        if asked:
            return asked
    if chinese and re.search(r"与其[^，。；]{0,14}$", before):
        return Stance("reject", "something else is preferred to it")
    double = _double(reading, index, start)
    if double:
        return Stance("propose", "two denials make an assent")
    reported = _reported(reading, start, end, chinese)
    moved = direction(before, after, chinese)
    if moved:
        return (
            moved if not (reported and moved.kind == "propose") else Stance("mention", "it is somebody else's proposal")
        )
    denied = _denied(reading, index, before, after, chinese)
    if denied:
        return denied
    if reported:
        return reported
    held = _conditional(reading, index, start, end, chinese)
    if held:
        return held
    if actions is not None:
        return acted(reading, index, before, after, actions)
    return _taken_up(reading, index, before, after, chinese, recommend)


def _question(reading: Reading, chinese: bool, part: Clause) -> Stance | None:
    proposes = en.QUESTION_PROPOSES.search(reading.text[part.start :]) or en.QUESTION_PROPOSES.search(reading.text)
    if chinese and not proposes:
        proposes = zh.QUESTION_PROPOSES.search(reading.text)
    asks = en.ASKS_RULE.search(reading.text) or (chinese and zh.ASKS_RULE.search(reading.text))
    if proposes and not asks:
        return Stance("propose", "it is proposed as a question")
    if reading.text.rstrip("\"'”’」』)） ").endswith(("?", "？")) or asks:
        return Stance("mention", "it is asked about")
    return None


def _double(reading: Reading, index: int, start: int) -> bool:
    part = reading.parts[index]
    low = reading.parts[index - 1].start if index and reading.parts[index].link in {"comma", "start"} else part.start
    high = part.end
    if index + 1 < len(reading.parts) and reading.parts[index + 1].link == "comma" and CJK.search(reading.text):
        high = reading.parts[index + 1].end
    near = any(low <= left < high and left - start < 60 for left, _ in reading.doubles)
    if not near:
        return False
    return not en.WITHDRAWN.search(reading.text[start:])


def _reported(reading: Reading, start: int, end: int, chinese: bool) -> Stance | None:
    head = reading.text[:start]
    match = (
        en.REPORT.search(head)
        or (chinese and zh.REPORT.search(head))
        or re.match(
            r"^[^,;.]{0,30}\b(?:was|were) (?:suggested|proposed|recommended|floated|raised|mentioned) by\b",
            reading.text[end:],
        )
    )
    if not match:
        return None
    rest = reading.masked[start:]
    agrees = en.AGREES.search(rest) or (chinese and zh.AGREES.search(rest))
    if agrees and not en.WITHDRAWN.search(rest) and not (chinese and zh.WITHDRAWN.search(rest)):
        return Stance("propose", "somebody's proposal is taken up")
    return Stance("mention", "it is somebody else's words")


_CANCELS = re.compile(rf"\b(?:and|then|but)\s+(?:(?:just|then|instead|simply|now)\s+)*(?:{en.USE_VERB})\b")


_PREPOSITIONS = frozenset({"without", "instead of", "rather than", "in place of", "in lieu of", "unlike"})
_SHORT_REACH = 6
_LONG_REACH = 16
"""Words over which a denying preposition, and any other denial, holds."""


def _denied(reading: Reading, index: int, before: str, after: str, chinese: bool) -> Stance | None:
    negator = None
    for match in en.NEGATOR.finditer(before):
        reach = _SHORT_REACH if match.group() in _PREPOSITIONS else _LONG_REACH
        tail = before[match.end() :]
        restarts = match.group() in _PREPOSITIONS and re.search(r"\b(?:i|we|you|they|it)\b", tail)
        if len(tail.split()) <= reach and not restarts:
            negator = match
    if negator and not _CANCELS.search(before[negator.end() :]) and not _bound_elsewhere(before, negator):
        return Stance("reject", f"denied by {negator.group().strip()!r}")
    if any(table.search(after) for table in (en.REJECTED_AFTER,)):
        return Stance("reject", "rejected by the words after it")
    if chinese:
        match_zh = None
        for match in zh.NEGATOR.finditer(before):
            match_zh = match
        if match_zh and not re.search(
            r"(?:而是|改(?:用|成|为)|换(?:成|用)|直接用|就用|再用)", before[match_zh.end() :]
        ):
            return Stance("reject", f"denied by {match_zh.group()!r}")
        if zh.REJECTED_AFTER.search(after) and not re.search(r"(?:用|拿|以|改成|换成)\W{0,2}$", before):
            return Stance("reject", "rejected by the words after it")
    follow = "".join(following(reading, index))
    if follow and (
        en.WITHDRAWN.search(follow)
        or (chinese and re.search(r"否(?:决|掉|了)|不允许|禁止|违反|等于把|没(?:同意|采纳)|不行", follow))
    ):
        return Stance("reject", "taken back in the same sentence")
    past = en.PAST.search(before) or (chinese and zh.PAST.search(before))
    if past and not (en.OFFER.search(before) or (chinese and zh.EXCEPTION.search(reading.text))):
        return Stance("mention", "it belongs to the past")
    return None


def _bound_elsewhere(before: str, negator: re.Match[str]) -> bool:
    """Return whether a denial ends before the name: its object is complete and a new verb has begun."""
    tail = before[negator.end() :]
    return bool(re.search(r"\b(?:so|therefore|hence|instead)\b(?! of)[^,;]*$", tail) and en.USE.search(tail))


def _conditional(reading: Reading, index: int, start: int, end: int, chinese: bool) -> Stance | None:
    part = reading.parts[index]
    before = reading.masked[part.start : start]
    if en.CONDITION.search(before) or (chinese and zh.CONDITION.search(before)):
        return Stance("mention", "it stands in a condition")
    around = [reading.masked[other.start : other.end] for other in reading.parts[:index]]
    around.append(reading.masked[end:])
    for text in around:
        if en.CONDITION.search(text) and en.LIFTING.search(text):
            return Stance("mention", "it depends on the rule being lifted")
        if chinese and zh.CONDITION.search(text) and zh.LIFTING.search(text):
            return Stance("mention", "it depends on the rule being lifted")
    if re.search(r"\bwould(?:n't| not)? have\b|\bwould(?:'ve)\b", reading.masked[part.start : part.end]):
        return Stance("mention", "it is contrary to fact")
    return None


_SELF = re.compile(
    r"^\W*(?:this|it|that|the (?:new|patch|change|code|snippet|version|fix|module|function|endpoint|"
    r"implementation)\w*|everything|all|each|both|every\w*|here|below|which|now)\b"
)


_FINISHED = re.compile(
    r"^\W*(?:fixed|done|repaired|solved|implemented|added|switched|rewritten|rewrote|finished|wired|"
    r"works?)\b[^.;]*\b(?:with|using|via|through|on top of|by|on|onto|to)\b[^.;]*$"
)


_STARTS_WITH_IT = re.compile(
    r"^\W*(?:(?:a|an|the|any|some|our|your|this|that|one|single|such|more|new|another|with|using|via|through|by)\W+)*[\w:<>&]*$"
)
_CONCEDES = re.compile(r"\b(?:i grant|granted|admittedly|i admit|to be fair|textbook|tempting)\b")


def _taken_up(
    reading: Reading, index: int, before: str, after: str, chinese: bool, recommend: re.Pattern[str] | None
) -> Stance:
    part = reading.parts[index]
    clause = reading.masked[part.start : part.end]
    previous = reading.masked[reading.parts[index - 1].start : reading.parts[index - 1].end] if index else ""
    offers = bool(
        en.OFFER.search(clause)
        or (part.link in {"comma", "colon", "dash", "paren"} and en.OFFER.search(previous))
        or (recommend and recommend.search(clause))
        or (chinese and zh.OFFER.search(reading.masked))
    )
    use = en.USE.search(before) or (chinese and zh.USE.search(before))
    if use and offers:
        return Stance("propose", "it is offered or announced")
    if en.DONE.search(clause):
        return Stance("propose", "it is reported as done")
    if _FINISHED.search(before):
        return Stance("propose", "it is reported as done")
    if use and (_leads(before, use) or _SELF.match(clause)):
        return Stance("propose", "it is told as the way to do it")
    if chinese and use and len(CJK.findall(clause)) > 2:
        return Stance("propose", "it is told as the way to do it")
    if _CONCEDES.search(reading.text):
        return Stance("mention", "it is conceded, not proposed")
    if any(table.search(after) for table in (en.PRAISE_AFTER,)) or en.PRAISE_BEFORE.search(before + " "):
        return Stance("propose" if offers else "weak", "it is praised")
    if (
        _STARTS_WITH_IT.match(before)
        and part.link in {"colon", "dash"}
        and (en.PRAISE_BEFORE.search(previous + ": ") or en.OFFER.search(previous) or en.SHORT_CUT.search(reading.text))
    ):
        return Stance("propose", "it is recommended")
    if index and en.PRAISE_BEFORE.search(previous + ": ") and part.link == "colon":
        return Stance("propose", "it is recommended")
    if chinese and offers and (zh.USE.search(after) or re.search(r"最|更|就行|就好|合适|够", after)):
        return Stance("propose", "it is recommended")
    if en.OFFER.search(clause) and re.search(r"^\W*(?:\w+\W+){0,5}?(?:could|can|should|would|will|might)\b", after):
        return Stance("weak", "it is said to serve")
    return UNTAKEN


def _leads(before: str, use: re.Match[str]) -> bool:
    """Return whether the clause begins with the verb: an imperative or a gerund."""
    head = before[: use.start()]
    return bool(
        re.match(
            r"^\W*(?:(?:yes|sure|okay|ok|right|well|gladly|alternatively|and|so|then|or|to|by|please|also|first|next|now|finally|instead|just|simply|here|"
            r"there|\d+[.)]|in\s+\S+|for\s+\S+(?:\s+\S+){0,3}|at\s+\S+)\W+)*\W*$",
            head,
        )
    )
