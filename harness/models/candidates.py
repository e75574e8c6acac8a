"""Sentences that a summarizer may keep, each with how well it serves a purpose of a section.

The cue lists are the summarizer's own: what it takes for a decision or a rejection is its judgement, not a scorer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from backslide.harness.models.condense import condense
from backslide.harness.models.cues import Cue
from backslide.harness.models.instruction import Purpose
from backslide.harness.models.text import Statement, statements
from backslide.harness.models.transcript import Segment, Speaker

SOFT = 0.45
"""What a soft cue ("avoid", "failed") is worth: without a reason beside it, it is no rejection."""


@dataclass(frozen=True)
class Candidate:
    """A sentence with its speaker, its turn, its place in the conversation (0 to 1), and the title it stood under."""

    text: str
    speaker: Speaker
    turn: int
    place: float
    title: str = ""
    code: bool = False


# All cues are matched against lower case, which is several times faster than ignoring case.
_REJECTS = Cue(
    r"\brul(?:ed?|ing) (?:\w+ ){0,3}?out\b|\breject\w*|\bveto\w*|\bforbid\w*|\bprohibit\w*|\bbanned\b"
    r"|\boff the table\b|\boff[- ]limits\b|\bdead end\b|"
    r"\babandon\w*|\bdecided against\b|\bno[- ]go\b|\bnot an option\b|\bfrozen?\b|\bhands off\b|\b(?:is"
    r"|are|that's|it's|stays?) out\b(?! of)|\bnot (?:allowed|acceptable)\b|"
    r"\bmust (?:not|never)\b|\b(?:do not|don't|never|not going to) (?:\w+ )?(?:use|add|touch|import"
    r"|introduce|bring|put|change|edit|go back|reach|write|create|want)\b|"
    r"(?:^|[:;] )no (?!one\b|need|problem|idea|doubt|change|difference|error|warning|longer|wonder|luck|gain)"
    r"[\w/,` -]{2,60}?\b(?:anywhere|inside|in|under|at all|from now on|here)\b(?! \d)|"
    r"\bgiv(?:e|en|ing) up on\b|\bgave up on\b|\bno more\b|\bstop using\b|"
    r"否决|放弃|不许|不准|禁止|不可行|排除|推翻|弃用|废弃|死路|走不通|冻结|不要(?!紧|忘)|别(?:用|动|碰|再)"
    r"|不能(?:再|用|碰|动)|不再用|不考虑|不允许|绝不|行不通"
)
_ORDERS_OFF = Cue(
    r"\b(?:do not|don't|never|must not) (?:\w+ )?(?:use|add|touch|import|introduce|bring|put|change|go back|reach)\b"
)
_REJECTS_SOFTLY = Cue(
    r"\binstead of\b|\brather than\b|\bavoid\b|\bwithout\b|\bno\b (?!longer)\w+|\bnot? (?:worth|good)\b"
    r"|\bshould(?:n't| not)\b|\bwon't\b|\bdrop(?:ped|ping)?\b|"
    r"\b(?:too|way) (?:slow|big|heavy|fragile|risky|expensive)\b|\b(?:fails?|failed|broke|breaks"
    r"|corrupt\w*|regress\w*|deadlock\w*|stall\w*)\b|不行|太慢|太大|太重|而不是|避免|不用|失败|撑不住"
)
_LIFTS = Cue(
    r"\ballowed again\b|\b(?:fine|ok|okay|possible|permitted|acceptable|welcome) (?:again|now"
    r"|from now on)\b|\bno longer (?:\w+ )?(?:ruled out|forbidden|banned|rejected|frozen|"
    r"off[- ]limits|applies|holds|stands|needed)\b|\b(?:lift|lifted|withdraw\w*|revok\w*|rescind\w*"
    r"|overturn\w*|cancel\w*)\b(?: \w+){0,4} (?:ban|rule|restriction|constraint|freeze)\b|"
    r"\b(?:ban|rule|restriction|constraint|freeze)\b[^.]{0,40}\b(?:lifted|gone|withdrawn|revoked|over"
    r"|no longer)\b|\bback on the table\b|\b(?:can|may) (?:now )?(?:\w+ )?use\b[^.]{0,60}\b(?:again|now"
    r"|after all)\b|"
    r"\b(?:can|may) now\b|\b(?<!not )(?:use|go with|switch to|allow) [^.,]{1,40} after all\b"
    r"|\bchanged my mind\b|解除|解禁|重新(?:允许|可以|可用|启用)|可以用了"
    r"|又可以|不再(?:禁止|限制)"
    r"|现在可以|恢复使用|放开|取消[^。]{0,6}(?:限制|禁令)"
)
_DECIDES = Cue(
    r"\bdecid\w+|\bagreed\b|\bwe(?:'ll| will)\b|\bgo(?:ing)? with\b|\bsettled? on\b|\bchos(?:e|en)\b"
    r"|\bmust\b|\balways\b|\bonly\b|\bconvention\b|\bcontract\b|\binvariant\b|"
    r"\b(?:stays?|keeps?|lives?|goes|belongs?) (?:in|on|at|behind|through)\b|\bthe rule\b"
    r"|\bsingle (?:source|owner|place)\b|\bowns?\b|\bfrom now on\b|\bfor (?:the )?record\b|"
    r"决定|定下|确定|约定|统一|必须|只能|一律|就用|采用|改用|收敛|归|以后|规范|契约"
)
_AIMS = Cue(
    r"\bgoal\b|\bwe (?:need|want|have) to\b|\bplease\b|\blet's\b|\bi(?:'d| would)? (?:need|want|like)\b"
    r"|\btask\b|\baim\b|目标|任务|需要|请|我们要|想要|帮我|先"
)
_DONE = Cue(
    r"\b(?:added|changed|ran|implemented|fixed|replaced|wrote|written|moved|created|updated|removed"
    r"|renamed|refactored|passes|passed|green|done|complete[sd]?|works|now)\b|"
    r"完成|已经?|通过|修改了|运行了|修好|加上|改好|实现了|写好|搞定|重构"
)
_NEXT = Cue(
    r"\bnext\b|\bto-?do\b|\bremain\w*|\bstill\b|\bleft\b|\bopen\b|\blater\b|\bfollow[- ]up\b|\bthen\b"
    r"|\bnot yet\b|\bpending\b|接下来|下一步|待|还没|还要|剩下|之后|继续|稍后"
)
_FLEETING = Cue(
    r"\bfor now\b|\btoday\b|\btomorrow\b|\byet\b|\bmaybe\b|\bperhaps\b|\bthis (?:turn|time|round)\b"
    r"|\bright now\b|\bdon't worry\b|今天|暂时|先不|也许|可能|回头"
)
_ASKS = re.compile(r"[?？]\W*$|吗[。]?$")
_REASON = Cue(
    r"\b(?:because|since|due to|measured|p99|p95)\b|\d+(?:\.\d+)? ?(?:ms|s|%|x|kb|mb|gb|x slower|秒|毫秒"
    r"|倍)\b|因为|由于|测|实测"
)
_LEANS_ON = re.compile(
    r"^(?:so |and |but |ok,? |no,? |then )*(?:that|this|it|these|those|they|both|ruled out|rejected|out"
    r"|never again|dead end|not an option|the (?:idea|approach|thing))\b|"
    r"^(?:所以|那|好,?)*(?:这|那|它|该方案|否决|放弃|不行|免谈|不用了)"
)
_SPOKEN: dict[Speaker, float] = {
    "user": 1.5, "assistant": 1.0, "summary": 1.2, "plain": 0.9, "thinking": 0.35, "result": 0.55, "calls": 0.0,
}  # fmt: skip
_CONDENSED: frozenset[Speaker] = frozenset({"user", "assistant", "thinking", "plain"})
"""Whose words are shortened; an earlier summary's bullets stand as they are, tool output is quoted."""
_RULE_IN_OUTPUT = re.compile(
    r"\b(?:must|never|do not|don't|no|not allowed|always|only|frozen|forbidden)\b|禁止|不要|不许|必须|冻结"
)


def gather(segments: Iterable[Segment], previous: str, *, joined: bool) -> list[Candidate]:
    """Return the sentences of a conversation and of the earlier summary, in order.

    With `joined`, a sentence that leans on the one before ("That is out.") also stands together with it, a bullet
    carries its lead-in, and of tool output only prose that sounds like a rule is taken. Without it every line
    stands for itself, tool output included.
    """
    stretches = [Segment("summary", previous, 0)] if previous else []
    stretches += [segment for segment in segments if segment.speaker != "calls"]
    whole = max(1, len(stretches) - 1)
    found: list[Candidate] = []
    for at, segment in enumerate(stretches):
        place = at / whole
        for text, title, code in _pieces(segment.text, segment.speaker, joined):
            found.append(Candidate(text, segment.speaker, segment.turn, place, title, code))
    return found


@lru_cache(maxsize=8192)
def _pieces(text: str, speaker: Speaker, joined: bool) -> tuple[tuple[str, str, bool], ...]:
    log = speaker == "result"
    if log and joined and not _RULE_IN_OUTPUT.search(text.lower()):
        return ()
    pieces: list[tuple[str, str, bool]] = []
    before: Statement | None = None
    for statement in statements(text, log):
        if statement.kind == "heading" or len(statement.text) < 4:
            continue
        if joined and (statement.kind == "code" or (log and not _RULE_IN_OUTPUT.search(statement.text.lower()))):
            before = None
            continue
        title = statement.titles[-1] if statement.titles else ""
        words = _clean(statement.text)
        if speaker in _CONDENSED and statement.kind != "code":
            words = condense(words, _weighty)
        if joined and title.endswith((":", "：")) and speaker != "summary":
            words = f"{_clean(title)} {words}"
        elif joined and before is not None and speaker != "summary" and _LEANS_ON.search(statement.text.lower()):
            words = f"{condense(_clean(before.text), _weighty)} {words}"
        before = statement
        pieces.append((words, title, statement.kind == "code"))
    return tuple(pieces)


def _weighty(clause: str) -> bool:
    """Return whether a clause carries a rejection, a decision, a reason or a figure."""
    folded = clause.lower()
    return any(cue.search(folded) for cue in (_REJECTS, _REJECTS_SOFTLY, _LIFTS, _DECIDES, _REASON))


def _clean(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=16384)
def lifts(text: str) -> bool:
    """Return whether a sentence sounds like a rule that is withdrawn."""
    folded = text.lower()
    return _LIFTS.search(folded) and not _ASKS.search(folded) and not _ORDERS_OFF.search(folded)


@lru_cache(maxsize=16384)
def rejects(text: str) -> float:
    """Return how much a sentence sounds like a rejection, from 0; a lift or a question is none."""
    folded = text.lower()
    if _ASKS.search(folded) or lifts(text):
        return 0.0
    strong = _REJECTS.count(folded)
    soft = not strong and _REJECTS_SOFTLY.search(folded)
    score = min(3.0, 2.0 + 0.5 * strong) if strong else SOFT if soft else 0.0
    if score and _REASON.search(folded):
        score += 0.5
    return score * (0.4 if score and _FLEETING.search(folded) else 1.0)


@dataclass(frozen=True, slots=True)
class _Sound:
    """What a sentence sounds like, whoever says it."""

    rejects: float
    lifts: bool
    decides: bool
    reason: bool
    asks: bool
    fleeting: bool
    aims: bool
    done: bool
    next: bool


@lru_cache(maxsize=16384)
def _sound(text: str) -> _Sound:
    folded = text.lower()
    return _Sound(
        rejects(text),
        lifts(text),
        _DECIDES.search(folded),
        _REASON.search(folded),
        _ASKS.search(folded) is not None,
        _FLEETING.search(folded),
        _AIMS.search(folded),
        _DONE.search(folded),
        _NEXT.search(folded),
    )


def score(candidate: Candidate, purpose: Purpose, last_turn: int) -> float:
    """Return how well a candidate serves `purpose`; below about 0.8 it is not worth a line."""
    sound, spoken = _sound(candidate.text), _SPOKEN[candidate.speaker]
    recent = candidate.turn / max(1, last_turn)
    user = candidate.speaker == "user"
    if purpose == "rejected":
        return sound.rejects * spoken
    if purpose == "lifted":
        return 3.0 * spoken if sound.lifts else 0.0
    if purpose == "decisions":
        firm = 1.6 * sound.decides + 0.5 * sound.reason + 0.3 * sound.rejects
        return firm * spoken * (0.2 if sound.asks else 1.0) * (0.5 if sound.fleeting else 1.0)
    if purpose == "goal":
        opening = 2.5 / max(1, candidate.turn) if user else 0.0
        return opening + (0.6 * spoken if user and sound.aims else 0.0)
    if purpose == "state":
        told = candidate.speaker in {"assistant", "summary", "plain"}
        return (1.0 + recent) * spoken if told and sound.done and not sound.asks else 0.0
    if purpose == "next":
        late = max(0.0, (recent - 0.7) / 0.3) if user or candidate.speaker == "assistant" else 0.0
        return late * (1.2 if user else 0.6) + (0.8 * (0.3 + recent) if sound.next else 0.0)
    if purpose == "quotes":
        return 1.0 + sound.rejects if user else 0.0
    return spoken * (0.6 + 0.4 * (sound.decides or sound.done))
