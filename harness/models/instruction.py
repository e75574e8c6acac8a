"""Reads a summarizer prompt: which sections does it ask for, what belongs in each, what does it not want?"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from backslide.harness.models.text import BRACKET_LINE, HEADING, title_of

Purpose = Literal["goal", "decisions", "rejected", "lifted", "state", "next", "quotes", "generic"]


@dataclass(frozen=True)
class Section:
    """One section that a prompt asks for.

    `heading` is the line to print. `purposes` maps what belongs there to a weight between 0 and 1. `most` is the
    number of bullets the prompt allows, if it says so. `holds_sections` marks a title that only groups others.
    """

    heading: str
    purposes: dict[Purpose, float]
    most: int | None = None
    holds_sections: bool = False


@dataclass(frozen=True)
class Instruction:
    """A prompt as understood.

    `wants` holds purposes that the prompt asks for outside of any section. `no_negatives` says that it asks to
    leave out what was rejected or not done. `most_words` and `most_characters` are limits on the whole summary.
    """

    sections: tuple[Section, ...]
    wants: frozenset[Purpose]
    no_negatives: bool
    most_words: int | None = None
    most_characters: int | None = None


MOST_SECTIONS = 40
"""Sections that are read of one prompt at most."""
_IN_TITLE: dict[Purpose, str] = {
    "goal": (
        r"goal|objective|purpose|\baims?\b|\btask\b|request|mission|intent|what (?:the user|we"
        r"|they) wants?|目标|目的|任务|需求"
    ),
    "decisions": (
        r"decision|constraint|convention|architect|design|\brules?\b|agree|contract|invariant|naming"
        r"|guardrail|boundar|requirement|preference|"
        r"决策|决定|约束|约定|架构|规范|规则|契约|边界"
    ),
    "rejected": (
        r"reject|rul(?:ed?|ing)[- ]out|negative|dead[- ]?ends?|abandon|(?:not|n't|never) (?:to )?(?:do"
        r"|use|be|touch|go|try|work)|do[- ]not|don'?ts?\b|failed|"
        r"forbid|prohibit|off[- ]limits|discard|avoid|\bwalls?\b|what not|\bnever\b|banned|not allowed"
        r"|no[- ]gos?|dropped|vetoed|"
        r"否决|放弃|不可行|禁|负面|不能|不要|不许|死胡同|死路|排除|证伪|废弃|走不通|不可(?:碰|用)|弃用"
    ),
    "lifted": (
        r"\blift|allowed again|no longer|supersed|replaced|revers|withdrawn|changed (?:rules|decisions)"
        r"|reopen|解除|取消|恢复|替换|失效|重新允许|变更"
    ),
    "state": (
        r"state|progress|status|\bdone\b|complet|\bfiles?\b|chang|modif|\btests?\b|current|so far|现状|进度"
        r"|进展|状态|已完成|改动|文件|测试"
    ),
    "next": (
        r"\bnext\b|\bopen\b|to[- ]?dos?\b|remaining|pending|unresolved|unfinished|outstanding"
        r"|questions?\b|follow[- ]?ups?|blocked|blockers?|下一步|未解决|待办|未完成|遗留|后续|剩余"
    ),
    "quotes": r"verbatim|user'?s? (?:own )?(?:exact )?words|quot(?:e|ation)s?\b|said|原话|逐字|引用|原文",
}
# In running text a prompt says "never invent" and "do not shorten" of its own work; only these words are about content.
_IN_TEXT: dict[Purpose, str] = {
    **{purpose: _IN_TITLE[purpose] for purpose in ("goal", "decisions", "state", "next")},
    "rejected": (
        r"\breject(?:ed|ions?)|ruled[- ]out|negative constraints?|dead[- ]?ends?|abandoned|forbid(?:den"
        r"|s)|forbade|prohibit|off[- ]limits|discarded|not allowed|"
        r"(?:tried|measured) and (?:failed|dropped|rejected|discarded)|failed (?:approach|attempt|idea"
        r"|experiment)|what (?:must|should|may) not|vetoed|banned|"
        r"(?:must|may|should|is|are) not (?:to )?(?:be )?(?:used|touched|done|repeated|retried|reintroduced"
        r"|come back|return)|decided against|did not work|"
        r"said no|refused|否决|被?放弃|不可行|禁止|负面|死胡同|死路|排除|证伪|废弃|走不通|不能(?:做|碰|用)"
        r"|不要(?:做|碰|用)|不许|行不通"
    ),
    "lifted": (
        r"\blifted|allowed again|no longer (?:holds?|applies|apply|valid|in force)|superseded|withdrawn"
        r"|解除|重新允许|不再有效|失效"
    ),
    "quotes": r"verbatim|word for word|(?:the )?user'?s? (?:own|exact) words|quote (?:the )?user|原话|逐字|一字不差",
}
_TITLE_CUES = {purpose: re.compile(pattern, re.IGNORECASE) for purpose, pattern in _IN_TITLE.items()}
_TEXT_CUES = {purpose: re.compile(pattern, re.IGNORECASE) for purpose, pattern in _IN_TEXT.items()}

_UNWANTED = (
    r"(?:reject\w*|abandon\w*|discard\w*|ruled[- ]out|negatives?\b|dead[- ]?ends?|failed|(?:was|were|is"
    r"|are|has|have) not\b|wasn't|weren't|didn't|not done|"
    r"did not|prohibit\w*|forbidden|dropped|not (?:chosen|taken|used)|prohibitions?|constraints?)"
)
_NO_NEGATIVES = re.compile(
    rf"\b(?:do not|don't|never|avoid|without|refrain from|no need to) (?:list(?:ing)?|mention(?:ing)?"
    rf"|includ(?:e|ing)|record(?:ing)?|writ(?:e|ing)(?: down)?|"
    rf"describ(?:e|ing)|report(?:ing)?|stat(?:e|ing)|repeat(?:ing)?|not(?:e|ing)|dwell(?:ing)? on"
    rf"|keep(?:ing)?|bring(?:ing)? up|summari[sz](?:e|ing)|talk(?:ing)? about)"
    rf"\b[^.;!?\n]{{0,60}}?\b{_UNWANTED}|"
    rf"(?<!never )(?<!not )(?<!n't )\b(?:omit|skip|leave out|leave aside|drop|ignore|exclude"
    rf"|discard)\b[^.;!?\n]{{0,50}}?\b{_UNWANTED}|"
    r"\b(?:only|just|nothing but|exclusively) (?:\w+ ){0,2}?(?:positive|affirmative)\b"
    r"|\bpositive (?:facts|statements|terms|form) only\b|\bphrase everything positively\b|"
    r"(?:(?:不要|不必|无需|不用|请勿|别)(?!遗漏|漏|丢|删|忘|忽略|省略|略|缩短|放过)|(?<![要别勿能得])(?:省略"
    r"|略去|忽略))"
    r"(?:写|列|列出|记录|提|提及|描述|包含|保留)?[^。；;\n]{0,14}?(?:没做|未做|没有做|否决|放弃|失败|被拒"
    r"|负面|否定|死路)|"
    r"只(?:写|记|记录|列|列出|保留|描述)[^。；;\n]{0,6}?(?:正面|肯定|已完成|做了)",
    re.IGNORECASE,
)
_TITLE_PARTS = re.compile(r"&|\band\b|[,/;，、；()（）]|与|和|及")
_PROMPT_PARTS = re.compile(
    r"^(?:your |the )?(?:role|task|instructions?|(?:output )?format|guidelines?|important|inputs?"
    r"|how to\b.*|what (?:you (?:are|do|get|write)|to (?:do|write|produce))|output|examples?|style|"
    r"process|steps?|general rules|writing rules|角色|任务(?:说明|描述)?|要求|格式|说明|输出.*|注意.*|示例"
    r"|风格)[:：]?$",
    re.IGNORECASE,
)
_MAYBE_OF_THE_PROMPT = re.compile(r"^(?:rules?|requirements?|notes?|constraints?|规则|限制)[:：]?$", re.IGNORECASE)
_ORDERS = re.compile(
    r"(?:[-*\d.) ]+)?(?:never|do not|don't|always|be|keep|write|use|stay|answer|output|return)\b", re.IGNORECASE
)
_LEAD = r"\s*(?:\d{1,2}[.)、]|[-*+•])\s+"
_LISTED = (
    re.compile(
        rf"(?:{_LEAD})[\"`']?(?:#{{1,4}}\s+)(?P<title>[^\"`'\n:：]{{2,80}})[\"`']?\s*(?:[:：—–-]\s*(?P<text>.*))?$"
    ),
    re.compile(rf"(?:{_LEAD})?(?:\*\*|__)(?P<title>[^*_\n]{{2,80}}?)[:：]?(?:\*\*|__)\s*[:：—–-]?\s*(?P<text>\S.*)?$"),
    re.compile(rf"(?:{_LEAD})?[\"`]?\[(?P<title>[^\]\n]{{2,80}})\][\"`]?\s*[:：—–-]?\s*(?P<text>\S.*)?$"),
    re.compile(r"\s*[\"`](?:#{1,4}\s+)(?P<title>[^\"`\n]{2,80})[\"`]\s*(?:[:：—–-]\s*(?P<text>.*))?$"),
)
_NUMBERED = re.compile(r"\s*\d{1,2}[.)、]\s+(?P<title>[^:：—–\n]{2,60}?)\s*(?:[:：]|\s[—–-]\s)\s*(?P<text>\S.*)?$")
_INLINE = re.compile(
    r"(?<![a-z])(?:sections?|headings?|parts|titles|分区|栏目|小节|部分|标题"
    r"|板块)[^:：\n]{0,40}[:：]\s*(?P<names>[^\n]{5,300})",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"```\w*\n(?P<fence>.*?)\n```|<(?P<tag>template|format|output[-_ ]?format|structure"
    r"|output)>(?P<inside>.*?)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\s*(?:\{[^}\n]*\}|<[^>\n]*>)\s*$")
_LIMIT = r"(?:at most|no more than|up to|under|within|maximum(?: of)?|max\.?|fewer than|less than|不超过|最多|至多)"
_WORDS = re.compile(
    rf"{_LIMIT} ?(\d{{1,5}}) words|(\d{{1,5}}) words (?:at most|or (?:less|fewer)|maximum)", re.IGNORECASE
)
_CHARACTERS = re.compile(
    rf"{_LIMIT} ?(\d{{2,5}}) ?(?:characters|个?字(?!段)|字符)|(\d{{2,5}}) ?个?字以内", re.IGNORECASE
)
_BULLETS = re.compile(
    rf"{_LIMIT} ?(\d{{1,2}}|one|two|three|four|five) (?:\w+ )?(?:bullets?|lines?|items?|sentences?"
    rf"|points?)|(?:不超过|最多|至多) ?(\d{{1,2}}) ?[条点项句]",
    re.IGNORECASE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


@lru_cache(maxsize=256)
def read_instruction(user_words: str, system_words: str = "") -> Instruction:
    """Understand a prompt; sections are taken from the user's message if it asks for any, else from the system's."""
    everything = f"{system_words}\n{user_words}"
    sections, around = _sections(user_words)
    if len(sections) < 2:
        others, others_around = _sections(system_words)
        if len(others) > len(sections):
            sections, around = others, f"{others_around}\n{user_words}"
        else:
            around = f"{system_words}\n{around}"
    else:
        around = f"{system_words}\n{around}"
    no_negatives = _NO_NEGATIVES.search(everything) is not None
    wanted = _NO_NEGATIVES.sub(" ", around)
    wants = frozenset(purpose for purpose, cue in _TEXT_CUES.items() if cue.search(wanted))
    if "rejected" in wants and sections and not any("rejected" in section.purposes for section in sections):
        sections = _give_rejections_a_home(sections)
    words, characters = _WORDS.search(everything), _CHARACTERS.search(everything)
    return Instruction(
        tuple(sections),
        wants,
        no_negatives,
        int(words[1] or words[2]) if words else None,
        int(characters[1] or characters[2]) if characters else None,
    )


@lru_cache(maxsize=1024)
def purposes_of_title(title: str) -> frozenset[Purpose]:
    """Return the purposes that a section title names.

    "Constraints and rejected paths" names two. In "lifted rules" or "rejected decisions" the rule is what was
    lifted, so only the first purpose counts.
    """
    named: set[Purpose] = set()
    for part in _TITLE_PARTS.split(title):
        found: set[Purpose] = {purpose for purpose, cue in _TITLE_CUES.items() if cue.search(part)}
        named |= found & {"lifted"} or found & {"rejected"} or found
    return frozenset(named)


def _sections(text: str) -> tuple[list[Section], str]:
    """Return the sections that `text` asks for, and what it says outside of them."""
    for match in _TEMPLATE.finditer(text):
        inside = match["fence"] if match["fence"] is not None else match["inside"]
        sections, _ = _by_titles(inside, template=True)
        if len(sections) >= 2:
            return sections, text[: match.start()] + text[match.end() :]
    sections, around = _by_titles(text, template=False)
    if not sections and (inline := _INLINE.search(text)):
        names = [name.strip(" .。*\"'`“”[]") for name in re.split(r"[,;，；、|/]|\band\b|和", inline["names"])]
        sections = [_section(f"## {name}", name, "") for name in names if 2 <= len(name) <= 60]
        if len(sections) < 2:
            sections = []
        around = text[: inline.start()] + text[inline.end() :]
    return sections, around


def _by_titles(text: str, *, template: bool) -> tuple[list[Section], str]:
    found = _titled_parts(text, numbered=False)
    if len(found) <= 2:
        counted = _titled_parts(text, numbered=True)
        found = counted if len(counted) > 3 else found
    before, parts = found[0][2], found[1 : MOST_SECTIONS + 1]
    if not template and len(parts) > 2:
        kept = [part for part in parts if not _is_of_the_prompt(part[1], part[2])]
        if len(kept) >= 2:
            before = "\n".join([before, *(part[2] for part in parts if part not in kept)])
            parts = kept
    sections = []
    for at, (heading, title, words, level) in enumerate(parts):
        deeper = at + 1 < len(parts) and parts[at + 1][3] > level
        section = _section(heading, title, words)
        sections.append(replace(section, holds_sections=deeper and not words.strip()))
    return sections, before


def _is_of_the_prompt(title: str, words: str) -> bool:
    """Return whether a titled part speaks to the summarizer instead of naming a section to write."""
    if _PROMPT_PARTS.match(title):
        return True
    return _MAYBE_OF_THE_PROMPT.match(title) is not None and _ORDERS.match(words.strip()) is not None


def _titled_parts(text: str, *, numbered: bool) -> list[tuple[str, str, str, int]]:
    """Return (heading line, title, words under it, level); the first entry holds what stands before any title."""
    parts: list[tuple[str, str, list[str], int]] = [("", "", [], 0)]
    for line in text.splitlines():
        stripped = line.strip()
        plain = title_of(line)
        listed = None
        if plain is None:
            patterns = (*_LISTED, _NUMBERED) if numbered else _LISTED
            listed = next((match for pattern in patterns if (match := pattern.match(line))), None)
        if plain is not None:
            heading = (
                _PLACEHOLDER.sub("", stripped) if HEADING.match(stripped) or BRACKET_LINE.match(stripped) else stripped
            )
            parts.append((heading, _PLACEHOLDER.sub("", plain[1]), [], plain[0]))
        elif listed is not None:
            title = listed["title"].strip()
            parts.append((f"## {title}", title, [listed["text"] or ""], 2))
        else:
            parts[-1][2].append(line)
    return [(heading, title, "\n".join(words), level) for heading, title, words, level in parts]


def _section(heading: str, title: str, words: str) -> Section:
    purposes: dict[Purpose, float] = dict.fromkeys(sorted(purposes_of_title(title)), 1.0)
    wanted = _NO_NEGATIVES.sub(" ", words)
    named = bool(purposes)
    for purpose, cue in _TEXT_CUES.items():
        if purpose in purposes or not cue.search(wanted):
            continue
        # What a title names is refined by its description in one respect only: rejections may be part of it.
        if purpose == "rejected" and "lifted" not in purposes:
            purposes[purpose] = 0.9
        elif not named:
            purposes[purpose] = 0.7
    most = _BULLETS.search(words)
    limit = (most[1] or most[2]).lower() if most else ""
    return Section(
        heading,
        purposes or {"generic": 1.0},
        _NUMBERS.get(limit) or (int(limit) if limit.isdigit() else None),
    )


def _give_rejections_a_home(sections: list[Section]) -> list[Section]:
    """Let the section nearest in kind take rejections that the prompt asks for without giving them a section."""
    for wanted in ("decisions", "generic"):
        for index, section in enumerate(sections):
            if section.purposes.get(wanted, 0) >= 0.7 and not section.holds_sections:
                widened: dict[Purpose, float] = {**section.purposes, "rejected": 0.9}
                return [*sections[:index], replace(section, purposes=widened), *sections[index + 1 :]]
    return sections
