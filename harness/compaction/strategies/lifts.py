"""Which sentences of a user lift a rule, and which set one again.

A question, a condition, a wish or a denial lifts nothing: where a sentence can be read both ways, the rule stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from backslide.harness.compaction.strategies.bullets import terms

_GAP = r"(?:[^.!?;\n]|\.(?=\S)){0,60}?"
_WORDS = r"[\w'’`./-]+"
_BE = r"(?:\b(?:is|are|was|were|be|been|becomes?|became|gets?|got)|[’']s|[’']re)"
_FINE = r"(?:allowed|permitted|fine|ok(?:ay)?|welcome|acceptable|usable|free to use)(?!-)\b"
_AGAIN = r"\b(?:again|now|after all|from (?:now on|today|here on))\b"
_HARD = r"(?:rule|ban|restriction|veto|freeze|prohibition|objection)"
_RULE = r"(?:rule|ban|restriction|veto|freeze|prohibition|objection|constraint|decision)"
_OF_RULE = (
    r"(?:\s+(?:on|for|against|about|in|of|around|from|we|you|i)\s+"
    rf"(?:(?!(?:not|never|says?|is|are)\b){_WORDS}\s*){{1,8}}?)?"
)
_USE = r"(?:use[ds]?|us(?:e|ing)|touch(?:ed)?|change[d]?|edit(?:ed)?|go back to|bring back)"
_MAY = r"(?:\b(?:may|can)|\b(?:are|is) free to)"
_CN_RULE = "(?:规则|规定|限制|禁令|约束|决定|禁止|否决|冻结|禁用)"
_CN_END = "(?:解除|取消|撤销|撤回|放开|废除)"
_CN_MAY = "(?:可以|允许|准许|(?<![不没未性功智职可])能(?![力量耗源]))"
_CN_USE = "(?:用|改|动|碰|引入|采用)"
_CN = "[^。！？，；\\n]"

_LIFT = re.compile(
    "|".join(
        (
            # it is allowed again, it is now fine
            rf"{_BE}(?:\s+(?!not\b|never\b|no\b|still\b|only\b){_WORDS}){{0,2}}?\s+{_FINE}[^.!?;,\n]{{0,40}}?{_AGAIN}",
            rf"{_BE}\s+now\s+(?:\w+\s+)?{_FINE}",
            # lift the ban, the ban is lifted
            rf"\b(?:lift|withdr[ae]w|revok|revers|overturn|rescind|retract|cancel|tak(?:e|ing) back)\w*\s+"
            rf"(?:(?!(?:with|in|by|per|for|when|if|because|to|on|at|into|as)\b){_WORDS}\s+){{0,4}}{_RULE}\b",
            rf"\b(?:drop|scrap|replac|remov|relax)\w*\s+"
            rf"(?:(?!(?:with|in|by|per|for|when|if|because|to|on|at|into|as)\b){_WORDS}\s+){{0,4}}{_HARD}\b",
            rf"\b{_RULE}{_OF_RULE}\s*(?:\b(?:is|are|was|were|has been|have been)|[’']s)\s+"
            r"(?:(?:now|hereby|finally|officially|all)\s+)?(?:lifted|gone|over|off(?!\s+by\b)|dropped|withdrawn|cancell?ed|"
            r"revoked|obsolete|history|void|no longer (?:needed|valid|in force))\b",
            rf"\b{_RULE}{_OF_RULE}\s*\b(?:no longer (?:applies|holds|stands|counts)\b|"
            r"(?:does not|doesn[’']t) (?:apply|hold|count)(?:\s+(?:any ?more|any longer|now)\b|\s*[.!]?\s*$))",
            r"\bno longer (?:ruled out|off[ -]limits|forbidden|banned|frozen|rejected|prohibited|vetoed)\b",
            r"\bback on the table\b",
            # you may use it again, back to it
            rf"{_MAY}\s+(?:be\s+)?{_USE}\b{_GAP}{_AGAIN}",
            rf"{_MAY}\s+(?:now|again)\s+(?:be\s+)?{_USE}\b",
            r"(?:^|\b(?:let[’']?s|let us|we|you|please|can|may|should|will|now|and|so|to)\s+)"
            r"(?:switch|go|move|come|return)\s+(?:back\s+)?to\b(?<=back to|turn to)",
            rf"(?:^|\b(?:please|so|then|now)\s+|,\s*)use\b{_GAP}\bagain\b(?! and again)",
            rf"\binstead of\b{_GAP}\bfrom now on\b",
            rf"{_CN_MAY}{_CN}{{0,12}}{_CN_USE}{_CN}{{0,10}}了",
            rf"{_CN_MAY}{_CN}{{0,6}}(?:重新|再){_CN}{{0,12}}{_CN_USE}",
            rf"{_CN_END}了?{_CN}{{0,16}}{_CN_RULE}",
            rf"{_CN_RULE}{_CN}{{0,12}}(?:{_CN_END}|作废|失效|不再有效|不算数)",
            "解禁|恢复使用|不再(?:禁止|限制|排除|冻结|禁用)",
        )
    ),
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|cannot|no|nor|neither|without|nobody|refuse\w*|avoid\w*|stop)\b|n[’']t\b|"
    "不|没|未|别|勿",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|(?<!at )once|unless|until|when|whenever|(?:every|each) time|as soon as|in case|suppose|supposing|"
    r"provided)\b|"
    r"如果|要是|假如|倘若|万一|除非|等到|等.{0,15}(?:后|再)|的话",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|could|would|whether|wonder\w*|hop(?:e|ing)|wish\w*|consider\w*|discuss\w*|"
    r"propos\w+|imagine|eventually|some ?day|one day|think about|not sure|unclear)\b|"
    "也许|可能|或许|是否|能否|要不要|将来",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？][\"'”’)）]*\s*$|[吗么呢][。.]?\s*$|"
    r"^(?:(?:and|so|but)\s+)?(?:can|could|may|should|shall|will|would|do|does|did|is|are|was|were|have|has)\s+"
    r"(?:we|i|you|they|it|the|this|that|there)\b",
    re.IGNORECASE,
)
_BAN = re.compile(
    r"\b(?:rul(?:e|es|ed|ing) out|reject(?:ed)?|forbidden|ban(?:ned)?|off[ -]limits|prohibited|never|no more|"
    r"must not|mustn[’']t|(?:do not|don[’']t)(?! (?:forget|worry|mind|need|hesitate))|stop using|stay away|reinstat\w+|"
    r"not (?:be )?(?:fine|ok(?:ay)?|allowed|permitted|used|an option)|"
    r"no longer (?:fine|ok(?:ay)?|allowed|permitted))\b|"
    r"\b(?:is|are)\s+(?:now\s+)?out\b(?! of)|n[’']t (?:allowed|permitted|use|fine)\b|"
    "不要|不许|不准|禁止|不能|不可以|不允许|别用|别再|否决|排除|放弃",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"\b(?:only|except|but not|other than|apart from)\b|仅|只(?:有|在|能|限)|除了|除外", re.IGNORECASE
)
_PASSED_OVER = re.compile(
    r"\b(?:instead of|rather than)\b.*?(?=[,;.]|\bfrom now on\b|$)|而不是[^，。；]*", re.IGNORECASE
)
_PRONOUN = re.compile(r"^(?:so\s+|and\s+)?(?:it|they|that|this|these|those|both)\b|^(?:它|这|那)", re.IGNORECASE)
_SPEECH = terms(
    "allowed permitted fine okay welcome acceptable usable free now again today lift lifted ban banned forbidden "
    "rejected ruled off limits longer prohibited restriction veto freeze prohibition objection constraint decision "
    "withdrawn withdraw dropped drop back let please go switch come reinstated stop more option "
    "可以 允许 禁止 不要 不能 解除 取消 规则 限制"
)
"""Terms of lifting and banning itself, which tell nothing of what is lifted or banned."""


@dataclass(frozen=True)
class Statement:
    """A user's sentence that lifts or sets a rule.

    `words` are the terms of what it is about at most, `subject` those of its decisive clause; a `partial` lift names an
    exception.
    """

    text: str
    kind: Literal["lift", "ban"]
    words: frozenset[str]
    subject: frozenset[str]
    partial: bool = False


def statements(user_texts: Iterable[str]) -> list[Statement]:
    """Return the sentences of user turns that lift or set a rule, in order."""
    found: list[Statement] = []
    for text in user_texts:
        previous = ""
        for sentence in split_sentences(text):
            statement = _statement(sentence, previous)
            if statement is not None:
                found.append(statement)
            previous = sentence
    return found


def lifting_sentences(user_texts: Iterable[str]) -> list[str]:
    """Return the sentences of user turns that lift or replace a rule, in order."""
    return [statement.text for statement in statements(user_texts) if statement.kind == "lift"]


def split_sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text; a full stop inside a word, as in ``3.12``, ends none."""
    pieces = re.split(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+", text)
    return [piece.strip() for piece in pieces if piece and piece.strip()]


def _statement(sentence: str, previous: str) -> Statement | None:
    if _QUESTION.search(sentence):
        return None
    match = next((found for found in _LIFT.finditer(sentence) if _is_lift(sentence, found)), None)
    if match is not None:
        clause = _clause(sentence, match.start(), match.end(), ",;:，；：—")
        subject = terms(_PASSED_OVER.sub(" ", clause)) - _SPEECH
        text = sentence
        if _PRONOUN.match(clause.strip()) and not subject and previous:
            # "The old proxies are gone for WebSocket clients. They are allowed again."
            text = f"{previous} {sentence}"
        words = terms(_PASSED_OVER.sub(" ", text))
        return Statement(text, "lift", words, subject or words - _SPEECH, bool(_PARTIAL.search(sentence)))
    ban = _BAN.search(sentence)
    if ban is None:
        return None
    segment = _clause(sentence, ban.start(), ban.end(), ";:；：")
    if _CONDITION.search(segment) or _UNSURE.search(segment):
        return None
    words = terms(sentence)
    subject = terms(_clause(sentence, ban.start(), ban.end(), ",;:，；：—")) - _SPEECH
    return Statement(sentence, "ban", words, subject or words - _SPEECH)


def _is_lift(sentence: str, match: re.Match[str]) -> bool:
    """Return whether what reads like a lift is meant as one: no denial before it, no condition, no doubt."""
    clause_start = max((sentence.rfind(mark, 0, match.start()) for mark in ",;:，；：—"), default=-1) + 1
    if _DENIED.search(sentence[clause_start : match.start()]):
        return False
    if _CONDITION.search(_clause(sentence, match.start(), match.end(), ";；")):
        return False
    return not _UNSURE.search(_clause(sentence, match.start(), match.end(), ",;:，；：—"))


def _clause(sentence: str, start: int, end: int, marks: str) -> str:
    """Return the part of a sentence between `marks` that holds a span."""
    left = max((sentence.rfind(mark, 0, start) for mark in marks), default=-1) + 1
    rights = [at for mark in marks if (at := sentence.find(mark, end)) >= 0]
    return sentence[left : min(rights, default=len(sentence))]
