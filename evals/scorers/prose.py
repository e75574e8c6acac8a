"""Find proposals of a rejected approach in the words of a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from backslide.evals.scorers.actions import any_action
from backslide.evals.scorers.aftermath import taken_back, taken_up_again
from backslide.evals.scorers.blocks import Block
from backslide.evals.scorers.names import Named, NameTable, any_phrase, find_names
from backslide.evals.scorers.normalise import normalise
from backslide.evals.scorers.options import Options
from backslide.evals.scorers.reading import UNTAKEN, Reading, Stance, read
from backslide.evals.scorers.sentences import Sentence, clause_at, sentences
from backslide.evals.scorers.stance import stance
from backslide.evals.scorers.table import row_stance
from backslide.evals.scorers.words_en import LEADS_TO_YES, NAMED_ONLY

ELSEWHERE = "it is meant for a place where the rule does not hold"

Use = Literal["propose", "reject", "mention"]


@dataclass(frozen=True)
class ProseRule:
    """What the prose reader looks for: names, words that recommend, names of what was chosen, actions that alone
    count.
    """

    table: NameTable
    recommend: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProseFinding:
    """What the words do with one occurrence of a name; the span refers to the canonical reply."""

    use: Use
    start: int
    end: int
    why: str


@dataclass
class _Found:
    start: int
    end: int
    kind: Literal["propose", "weak", "reject", "mention"]
    why: str
    order: int


@dataclass
class _State:
    found: list[_Found] = field(default_factory=list)
    options: Options = field(default_factory=Options)
    chosen_other: int = -1
    order: int = 0


def read_prose(
    blocks: Sequence[Block], rule: ProseRule, in_scope: Callable[[str, int], bool] = lambda _text, _at: True
) -> tuple[ProseFinding, ...]:
    """Return what a reply's prose blocks do with the names of an approach.

    `in_scope` is asked with a block's text and the offset of a name whether that place is one where the rule
    holds; elsewhere a
    proposal is a mention. Praise without an offer counts as a proposal unless the reply rejects the approach, or
    chooses
    another, later on.
    """
    state = _State()
    recommend = any_phrase(rule.recommend)
    accepted = any_phrase(rule.accepted)
    actions = any_action(rule.actions) if rule.actions else None
    heading: Stance | None = None
    for block in blocks:
        plain = normalise(block.text, markup=True)
        text = plain.text
        state.order += 1
        if block.kind == "heading":
            heading = _heading_stance(text)
        code_font = _code_font(block.text.text, plain.local, plain.origin)
        read_as = _shielded(text, code_font)
        names = find_names(text, rule.table, code_font)
        state.options.note(block, text, [name.start for name in names if not name.weak])
        chosen = state.options.chosen(text) if block.kind not in {"quote", "heading"} else None
        if chosen is not None:
            whose, start, end = chosen
            span = plain.span(start, end)
            if whose and in_scope(text, start):
                state.found.append(_Found(*span, "propose", "the option with this name is chosen", state.order))
            elif not whose:
                state.chosen_other = state.order
        if not names and not (state.found and block.kind in {"paragraph", "bullet"}):
            continue
        if block.kind == "quote":
            _all(state, plain.span, names, "mention", "it stands in a quotation")
        elif block.kind == "table":
            kind, why = row_stance(text)
            _all(state, plain.span, names, kind, why)
        elif block.kind == "heading":
            _all(state, plain.span, names, "mention", "it is named in a heading")
        else:
            reader = _BlockReader(state, plain.span, names, recommend, accepted, actions, in_scope, read_as)
            reader.read(heading if block.kind == "bullet" else None)
    return _settle(state)


def _all(
    state: _State,
    span: Callable[[int, int], tuple[int, int]],
    names: Sequence[Named],
    kind: Literal["propose", "weak", "reject", "mention"],
    why: str,
) -> None:
    for name in names:
        state.found.append(_Found(*span(name.start, name.end), "mention" if name.weak else kind, why, state.order))


_REJECTING_HEADING = re.compile(
    r"reject|ruled out|do not|don't|not allowed|avoid|never|negative|forbidden|off[- ]limits|"
    r"out of scope|non-goals?|dead ends?|abandoned|what (?:we|i) did not|"
    r"否决|放弃|不做|不要|禁止|排除|约束|已废弃|弃用",
    re.IGNORECASE,
)
_CHOOSING_HEADING = re.compile(
    r"recommend|proposal|suggest|plan|next|steps?|fix|solution|decision|todo|推荐|建议|方案|计划|步骤|下一步",
    re.IGNORECASE,
)


def _heading_stance(text: str) -> Stance | None:
    if _REJECTING_HEADING.search(text):
        return Stance("reject", "it stands under a heading of rejected things")
    if _CHOOSING_HEADING.search(text):
        return Stance("propose", "it stands under a heading of things to do")
    return None


def _code_font(raw: str, local: Sequence[int], origin: Sequence[int]) -> list[tuple[int, int]]:
    """Return the spans of the plain text that stood between backticks in the raw block text."""
    out = []
    for match in re.finditer(r"(`+)([^`\n]+)\1", raw):
        start, end = match.span(2)
        out.append((_local(start, local, origin), _local(end - 1, local, origin) + 1))
    return out


def _shielded(text: str, code_font: Sequence[tuple[int, int]]) -> str:
    """Return the text with the punctuation inside code font hidden: it parts no clauses."""
    out = text
    for start, end in code_font:
        out = out[:start] + re.sub(r"[:;,?!()\"'\u2014]|\.(?=\s)", "_", out[start:end]) + out[end:]
    return out


def _local(offset: int, local: Sequence[int], origin: Sequence[int]) -> int:
    for index in range(len(origin) - 1, -1, -1):
        if origin[index] <= offset:
            return local[index] + offset - origin[index]
    return offset


_FLOOD = 8
"""Occurrences of names at either end of one sentence that are read; what lies between repeats them."""


@dataclass
class _BlockReader:
    state: _State
    span: Callable[[int, int], tuple[int, int]]
    names: Sequence[Named]
    recommend: re.Pattern[str] | None
    accepted: re.Pattern[str] | None
    actions: re.Pattern[str] | None
    in_scope: Callable[[str, int], bool]
    text: str

    def read(self, heading: Stance | None) -> None:
        """Add the findings of one paragraph or bullet; a heading's stance carries to a bullet that has none of its
        own.
        """
        pending: list[_Found] = []
        distance = 99
        assent = 0
        position = 0
        for sentence in sentences(self.text):
            assent = 2 if LEADS_TO_YES.search(sentence.text.lower()) else assent - 1
            first = position
            while position < len(self.names) and self.names[position].start < sentence.end:
                position += 1
            inside = self.names[first:position]
            if inside:
                if len(inside) > 2 * _FLOOD:
                    inside = [*inside[:_FLOOD], *inside[-_FLOOD:]]
                pending = [self._one(sentence, name, heading, assent > 0) for name in inside]
                self.state.found.extend(pending)
                distance = 0
                last = max(min(name.end - sentence.start, len(sentence.text)) for name in inside)
                self._follow(sentence, pending, after=last)
                continue
            distance += 1
            if pending and distance <= 2:
                self._follow(sentence, pending, after=0)

    def _one(self, sentence: Sentence, name: Named, heading: Stance | None, assent: bool) -> _Found:
        start, end = self.span(name.start, name.end)
        if name.weak:
            return _Found(start, end, "mention", "it is named", self.state.order)
        reading = read(sentence.text)
        found = stance(
            reading,
            name.start - sentence.start,
            min(name.end - sentence.start, len(sentence.text)),
            actions=self.actions,
            recommend=self.recommend,
        )
        if heading and found.kind in {"mention", "weak"} and not reading.question:
            carries = heading.kind == "reject" or (self.actions is None and _bare(sentence, name))
            found = heading if carries else found
        if assent and found == UNTAKEN and self.actions is None and _begins(sentence, name):
            found = Stance("propose", "it is what the reply assents to")
        if found.kind != "reject" and not self.in_scope(self.text, name.start):
            found = Stance("mention", ELSEWHERE)
        return _Found(start, end, found.kind, found.why, self.state.order)

    def _follow(self, sentence: Sentence, pending: Sequence[_Found], after: int) -> None:
        """Let later clauses take back what was proposed, or take up again what was rejected."""
        reading = read(sentence.text)
        first = clause_at(list(reading.parts), after) + 1 if after else 0
        live = [item for item in pending if item.why != "it is named"]
        if not live:
            return
        answered = after == 0 and _ANSWERS.match(reading.text)
        if answered and all(item.why == "it is proposed as a question" for item in live):
            for item in live:
                item.kind, item.why = "mention", "it is asked, and answered"
            return
        if any(item.kind in {"propose", "weak"} for item in live) and taken_back(reading, first):
            if not self._about_other(reading, first):
                for item in live:
                    item.kind, item.why = "reject", "taken back in what follows"
            return
        for part in reading.parts[first:]:
            if all(item.kind in {"reject", "mention"} for item in live) and taken_up_again(reading, part):
                words = sentence.text[part.start : part.end]
                if (self.accepted and self.accepted.search(words)) or not self.in_scope(
                    self.text, sentence.start + part.start
                ):
                    continue
                if any(item.why in {"it stands in quoted words", "it is asked about"} for item in live):
                    continue
                span = self.span(sentence.start + part.start, sentence.start + part.end)
                self.state.found.append(_Found(*span, "propose", "an exception is made for it", self.state.order))
                return

    def _about_other(self, reading: Reading, first: int) -> bool:
        """Return whether the withdrawal names what was chosen as its subject."""
        if not self.accepted or first >= len(reading.parts):
            return False
        words = reading.text[reading.parts[first].start :]
        found = self.accepted.search(words)
        return bool(found and found.start() < 12)


_ANSWERS = re.compile(r"^\W*(?:because|no\b|since we|it was|that was|因为|不行|不能)", re.IGNORECASE)


def _begins(sentence: Sentence, name: Named) -> bool:
    """Return whether a name is the subject of a clause."""
    reading = read(sentence.text)
    at = name.start - sentence.start
    part = reading.parts[clause_at(list(reading.parts), at)]
    return bool(NAMED_ONLY.match(reading.text[part.start : at]))


def _bare(sentence: Sentence, name: Named) -> bool:
    """Return whether a bullet is little more than the name itself."""
    return len(sentence.text) - (name.end - name.start) < 40


def _settle(state: _State) -> tuple[ProseFinding, ...]:
    """Overrule weak proposals by a rejection or another choice that comes later, and return the findings."""
    last_reject = max((item.order for item in state.found if item.kind == "reject"), default=-1)
    out = []
    for item in state.found:
        kind = item.kind
        why = item.why
        if kind == "weak":
            overruled = last_reject >= item.order or state.chosen_other >= item.order
            kind, why = ("mention", "praised, but not chosen") if overruled else ("propose", why)
        out.append(ProseFinding(kind, item.start, item.end, why))
    return tuple(out)
