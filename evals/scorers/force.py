"""Judge the force of a statement on its subject: does it ban, allow, soften, or merely speak of it?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Force = Literal["ban", "allow", "soft", "none"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_PROHIBITS = _any(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|nobody|nothing)\b|n't\b",
    r"\b(?:forb(?:id|ids|idden|ade)|prohibit\w*|ban(?:s|ned)?|rul(?:e|ed|es|ing)[- ]out|reject\w*|"
    r"exclud\w*|disallow\w*|veto\w*|den(?:y|ied)|refus\w*|abandon\w*|discard\w*|dropped|declin\w*|"
    r"disproved|dismissed|avoid(?:ed)?)\b",
    r"\b(?:off[- ](?:limits|the table)|(?:are|is|stays?|remains?|was|were) out\b(?! of (?:order|date|"
    r"sync|the box))|hands off|frozen|freeze|untouchable|read-only|taboo|a no-go|no[- ]go|dead ends?|"
    r"fails? (?:review|ci|the build|the check)|breaks the build|unacceptable|stays? (?:\w+ )?as (?:it|"
    r"they) (?:is|are)|stays? out(?:side)?|is a bug|(?:are|is) (?:history|dead|taboo)|red build|"
    r"do(?:es)? not pass|build failure|build error|gets? a no|turned down|immutable|"
    r"hands? off|not an option|won't (?:have|accept)|gone for good|"
    r"leave \S+ alone|instead of|rather than|mustn't|keep(?:s)? (?:\w+ ){0,3}out of)\b",
    r"❌|🚫|✗",
    r"不(?!过|如|错|妨|同|仅|但|光|管|论|少|断|久|出来|到|清|够)|没(?:法|得)|未(?:获)?(?:允许|批准)|禁(?:止|用|令)?|勿|别(?!的|人|处|名)|严禁|"
    r"杜绝|否(?:决|掉|了)|排除|放弃|弃用|废弃|推翻|拒绝|避免|冻结|到此为止|死路|证伪|无(?:需|须)|行不通|一律不|淘汰|出局|免谈|算缺陷|受保护|脱敏|作罢|打回|驳回|红线",
)
_REQUIRES = _any(
    r"\b(?:only|solely|exclusively|always|must|has to|have to|required|mandatory|single-threaded|"
    r"sequential|go(?:es)? through|is handled by|are handled by|belongs? to|owned by|owns)\b",
    r"一律|统一|必须|只(?:能|用|走|有|许|准|打|置)|唯一|独占|全部走|都走|务必|仅(?:限|用|能)",
)
_SOFT = _any(
    r"\b(?:try(?:ing)? (?:to|not to)|where (?:possible|you can|practical|feasible)|if possible|"
    r"ideally|prefer(?:s|red|ably|ence|ences)?|would be (?:nice|good|better)|nice to|not (?:great|"
    r"ideal|the best|nice|pretty|elegant)|some(?:what|times)|limited where|should be limited|"
    r"be careful|careful with|consider(?:ed|ing|ation)?|discuss\w*|compared|comparison|trade-?offs?|"
    r"explor\w*|looked (?:at|into)|came up|were (?:seen|mentioned)|mentioned|talked about|"
    r"thought about|evaluat\w*|(?<!not an )options?|would rather|bench\w*|examined|reviewed|explained|"
    r"investigat\w*|in mind|generally|as a rule of thumb|"
    r"when convenient|tend to|better not|sparingly|rarely|reduce|fewer|less|minimi[sz]e|tried|"
    r"at some point|question of|topic of)\b",
    r"尽量|尽可能|最好|倾向|偏好|建议|可能的话|讨论|比较|对比|取舍|聊过|提到|谈到|看(?:了|过)|过了一遍|考虑|试过|权衡|研究|不太|谨慎|酌情|少用|思路|排查",
)
_ALLOW = _any(
    r"\b(?:(?:is|are|was|were|be|been|'s|being) (?:now |again |also |explicitly |"
    r"generally )*(?:allowed|permitted|ok(?:ay)?|fine|acceptable|welcome|approved|accepted|possible|"
    r"lifted|legal|tolerated|lifted|reversed|chosen|preferred|back)|allow(?:s|ed)? again|"
    r"may (?:now )?(?:be|use|also|sleep|import|contain|stay|go|run|have)|can (?:now )?be (?:used|"
    r"edited|changed|patched|added|imported)|(?:is|are) (?:what|how) we|we (?:now )?(?:use|chose|"
    r"decided on|settled on|switched to|went with|go with)|was (?:chosen|adopted|approved|agreed|"
    r"selected|introduced)|has been (?:agreed|approved|allowed|lifted|chosen|introduced|adopted|"
    r"removed)|ha(?:s|ve) been added|(?:is|are) (?:now )?(?:handled|stored|kept|guarded|protected|"
    r"done|used|built|implemented|written|edited|parsed|served) (?:as|with|by|in|via|through|using)|"
    r"replace[sd]? the|became|become|no longer (?:banned|forbidden|ruled out|frozen|required|needed|"
    r"applies|a rule|off|excluded|limited|enforced|prohibited)|insisted on|wants? (?:it|them|the|"
    r"an?)\b|went with|goes with|ended up with|settled on|likes the idea|no hesitation|no objections?|"
    r"in favou?r of|happy with|usual way|the agreed way|agreed on|(?:was|were|has been|is) removed|"
    r"removed the (?:ban|limit|rule)|no (?:\w+ ){0,2}(?:any ?more|limit|restriction)|any ?more|"
    r"of any size|unlimited|go straight into|edit (?:it )?in place|corrected in place|permission|"
    r"permits?|allows?|approved|unfrozen|thawed|the freeze (?:is|was) (?:over|lifted)|"
    r"enabled|does(?:n't| not) mind|agreed with|the (?:freeze|ban|rule|restriction) (?:is|was) over|"
    r"(?:straight|directly) (?:to|into|in|on)|need(?:s)? not (?:be )?avoid|needn't)\b",
    r"允许|可以(?!不)|准许|同意(?!不)|解除|解冻|放开|放宽|改用|定为|选(?:用|定|了|的是)|采用|就行|没问题|不再(?:禁止|限制|排除|冻结)|(?:规则|限制|"
    r"禁令)(?:已)?(?:作废|失效|取消|解除)|作废|也行|也可|都(?:行|可以|可)|用上了|直接(?:用|malloc|改|推)|无妨|不必(?:避|回避|再避)|不用(?:开|再避|"
    r"避)|取消(?:了)?|恢复使用|启用|引入了|换成了|先写|暂时用|直接推|随意|都?接受|都支持",
)
_ALLOW_NEGATED = _any(
    r"\b(?:not|never|no longer|isn't|aren't|wasn't|n't|nor|neither|nothing|no)\b[^.;,]{0,24}$",
    r"(?:不|未|没有?|不再|禁止|从不|决不)[^，。；]{0,6}$",
)
_HEADING_BAN = _any(
    r"reject|ruled[- ]out|do not|don't|not allowed|must not|mustn't|never\b|forbidden|prohibit|banned|"
    r"off[- ]limits|dead ends?|abandon|negative|not (?:to )?(?:do|be done|use)|avoid|no-gos?|"
    r"disproved|hands off|taboo|never again|discard",
    r"否决|放弃|不要|不能|不许|不做|禁止|排除|废弃|弃用|证伪|死路|红线|不可|绝对不|禁区|勿|已排除|别再",
)
_HEADING_ALLOW = _any(r"\blifted|allowed|permitted|no longer|reversed|解除|允许|放开|可以")
_HEADING_SOFT = _any(r"prefer|ideas?|considered|discuss|options|notes so far|nice to have|讨论|偏好|备选|想法")


@lru_cache(maxsize=2048)
def heading_force(heading: str) -> Force:
    """Return the force that a heading lends to what stands under it."""
    if not heading:
        return "none"
    if _HEADING_ALLOW.search(heading) and not re.search(
        r"not (?:allowed|permitted)|不允许|不可以", heading, re.IGNORECASE
    ):
        return "allow"
    if _HEADING_BAN.search(heading):
        return "ban"
    if _HEADING_SOFT.search(heading):
        return "soft"
    return "none"


_DENIES_AFTER = _any(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|should|must|may|shall|stays?|gets?)"
    r"(?:n't| not| never| no| a no)\b|\bcannot\b|\b(?:not|never)\b(?! sure)|[:(–—-]\s*(?:no|not|never)\b",
)


def denies(before: str, after: str) -> bool:
    """Return whether the words before or after a name deny it; a loose denial after it denies something else."""
    if prohibits(before):
        return True
    return bool(_DENIES_AFTER.search(after)) or any(
        not re.fullmatch(
            r"no|not|never|without|neither|nor|cannot|none|nobody|nothing|n't|instead of|rather than",
            match.group().lower(),
        )
        for match in _PROHIBITS.finditer(after)
    )


def prohibits(text: str) -> bool:
    """Return whether a text denies, forbids or rejects something."""
    return bool(_PROHIBITS.search(text))


def requires(text: str) -> bool:
    """Return whether a text demands something."""
    return bool(_REQUIRES.search(text))


def softens(text: str) -> bool:
    """Return whether a text only weighs, prefers or reports."""
    return bool(_SOFT.search(text))


def allows(text: str) -> bool:
    """Return whether a text permits, chooses or takes back a ban, and does not deny it."""
    for match in _ALLOW.finditer(text):
        head = text[max(0, match.start() - 40) : match.start()]
        if not _ALLOW_NEGATED.search(head) or re.search(
            r"no longer|any ?more|no \w+ any|不再|不必|不用", match.group(), re.IGNORECASE
        ):
            return True
    return False


_LIFTED = re.compile(
    r"\b(?:no longer (?:banned|forbidden|ruled out|frozen|off|applies|holds|excluded|prohibited)|"
    r"(?:was|is|has been|were|are) (?:now )?lifted|allowed again|(?:freeze|ban|rule) (?:is|"
    r"was) over)\b|作废|已?解除|失效|不再(?:禁止|限制|适用)|重新允许",
    re.IGNORECASE,
)


def firm(region: str) -> bool:
    """Return whether a ban in a statement is stronger than its softer words."""
    return bool(
        re.search(
            r"\b(?:never|must not|mustn't|ruled out|rejected|forbidden|banned|off the table|off[- ]limits|"
            r"not an option|turned down|will not accept|not accepted|"
            r"do not|don't|no(?! better)\b)|禁止|不许|不准|不得|不能|否决|拒绝|严禁|不要",
            region,
            re.IGNORECASE,
        )
    ) and not re.search(
        r"\b(?:try|ideally|nice|would be|prefer\w*|great|where you can|if possible)\b|尽量|最好", region, re.IGNORECASE
    )


def strict_ban(region: str) -> bool:
    """Return whether a text forbids in so many words, so that a permitting word beside it permits something else."""
    return bool(
        re.search(
            r"\b(?:never|must not|mustn't|not allowed|not permitted|is forbidden|are forbidden|do not|don't|"
            r"isn't allowed|aren't allowed|not acceptable|not ok)\b|不允许|不许|不准|禁止(?!.*(?:解除|作废|取消|失效))|"
            r"不可以|不得|不行|都不|不再允许",
            region,
            re.IGNORECASE,
        )
    ) and not re.search(r"no longer|any ?more|lifted|不再禁止|解除", region, re.IGNORECASE)


def lifts(text: str) -> bool:
    """Return whether a text says that a ban has ended, and does not make that depend on anything."""
    return bool(_LIFTED.search(text)) and not _NOT_LIFTED.search(text)


_NOT_LIFTED = _any(r"\bnot (?:been )?lifted|未解除|没有解除|\buntil\b|\bunless\b|\bif\b|直到|除非|如果")

__all__ = [
    "Force",
    "allows",
    "denies",
    "firm",
    "heading_force",
    "lifts",
    "prohibits",
    "requires",
    "softens",
    "strict_ban",
]
