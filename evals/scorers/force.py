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
    r"\b(?:forb(?:id|ids|idden|ade)|prohibit\w*|ban(?:s|ned)?|rul(?:e|ed|es|ing)[- ]out|reject\w*|exclud\w*|disallow\w*|veto\w*|den(?:y|ied)|refus\w*|abandon\w*|discard\w*|dropped|declin\w*|disproved|dismissed|avoid(?:ed)?)\b",
    r"\b(?:off[- ](?:limits|the table)|(?:are|is|stays?|remains?|was|were) out\b(?! of (?:order|date|sync|the box))|hands off|frozen|freeze|untouchable|read-only|taboo|a no-go|no[- ]go|dead ends?|fails? (?:review|ci|the build|the check)|breaks the build|unacceptable|gone for good|leave \S+ alone|instead of|rather than|mustn't|keep(?:s)? (?:\w+ ){0,3}out of)\b",
    r"❌|🚫|✗",
    r"不(?!过|如|错|妨|同|仅|但|光|管|论|少|断|久|出来|到|清|够)|没(?:法|得)|未(?:获)?(?:允许|批准)|禁(?:止|用|令)?|勿|别(?!的|人|处|名)|严禁|杜绝|否(?:决|掉|了)|排除|放弃|弃用|废弃|推翻|拒绝|避免|冻结|到此为止|死路|证伪|无(?:需|须)|行不通|一律不|打回|驳回|红线",
)
_REQUIRES = _any(
    r"\b(?:only|solely|exclusively|always|must|has to|have to|required|mandatory|single-threaded|sequential|go(?:es)? through|is handled by|are handled by|belongs? to|owned by|owns)\b",
    r"一律|统一|必须|只(?:能|用|走|有|许|准|打|置)|唯一|独占|全部走|都走|务必|仅(?:限|用|能)",
)
_SOFT = _any(
    r"\b(?:try(?:ing)? (?:to|not to)|where (?:possible|you can|practical|feasible)|if possible|ideally|prefer(?:s|red|ably|ence|ences)?|would be (?:nice|good|better)|nice to|not (?:great|ideal|the best|nice|pretty|elegant)|some(?:what|times)|limited where|should be limited|be careful|careful with|consider(?:ed|ing|ation)?|discuss\w*|compared|comparison|trade-?offs?|explor\w*|looked (?:at|into)|came up|were (?:seen|mentioned)|mentioned|talked about|thought about|evaluat\w*|options?|investigat\w*|in mind|generally|as a rule of thumb|when convenient|tend to|better not|sparingly|rarely|reduce|fewer|less|minimi[sz]e|tried|at some point|question of|topic of)\b",
    r"尽量|尽可能|最好|倾向|偏好|建议|可能的话|讨论|比较|对比|取舍|聊过|提到|谈到|看(?:了|过)|过了一遍|考虑|试过|权衡|研究|不太|谨慎|酌情|少用|思路|排查",
)
_ALLOW = _any(
    r"\b(?:(?:is|are|was|were|be|been|'s|being) (?:now |again |also |explicitly |generally )*(?:allowed|permitted|ok(?:ay)?|fine|acceptable|welcome|approved|accepted|possible|lifted|legal|tolerated|over|gone|lifted|reversed|chosen|preferred|back)|allow(?:s|ed)? again|may (?:now )?(?:be|use|also|sleep|import|contain|stay|go|run|have)|can (?:now )?be (?:used|edited|changed|patched|added|imported)|(?:is|are) (?:what|how) we|we (?:now )?(?:use|chose|decided on|settled on|switched to|went with|go with)|was (?:chosen|adopted|approved|agreed|selected|introduced)|has been (?:agreed|approved|allowed|lifted|chosen|introduced|adopted|removed)|ha(?:s|ve) been added|(?:is|are) (?:now )?(?:handled|stored|kept|guarded|protected|done|used|built|implemented|written|edited|parsed|served) (?:as|with|by|in|via|through|using)|replace[sd]? the|became|become|no longer (?:banned|forbidden|ruled out|frozen|required|needed|applies|a rule|off|excluded|limited|enforced|prohibited)|insisted on|wants? (?:it|them|the|an?)\b|went with|goes with|ended up with|settled on|likes the idea|no hesitation|no objections?|in favou?r of|happy with|usual way|the agreed way|agreed on|(?:was|were|has been|is) removed|removed the (?:ban|limit|rule)|no (?:\w+ ){0,2}(?:any ?more|limit|restriction)|any ?more|of any size|unlimited|go straight into|edit (?:it )?in place|corrected in place|permission|permits?|allows?|approved|unfrozen|thawed|the freeze (?:is|was) (?:over|lifted)|need(?:s)? not (?:be )?avoid|needn't)\b",
    r"允许|可以(?!不)|准许|同意(?!不)|解除|解冻|放开|放宽|改用|定为|选(?:用|定|了|的是)|采用|就行|没问题|不再(?:禁止|限制|排除|冻结)|(?:规则|限制|禁令)(?:已)?(?:作废|失效|取消|解除)|作废|也行|也可|都(?:行|可以|可)|用上了|直接(?:用|malloc|改|推)|无妨|不必(?:避|回避|再避)|不用(?:开|再避|避)|取消(?:了)?|恢复使用|启用|引入了|换成了|先写|暂时用|直接推|随意",
)
_ALLOW_NEGATED = _any(
    r"\b(?:not|never|no longer|isn't|aren't|wasn't|n't|nor|neither|nothing|no)\b[^.;,]{0,24}$",
    r"(?:不|未|没有?|不再|禁止|从不|决不)[^，。；]{0,6}$",
)
_HEADING_BAN = _any(
    r"reject|ruled[- ]out|do not|don't|not allowed|must not|mustn't|never\b|forbidden|prohibit|banned|off[- ]limits|dead ends?|abandon|negative|not (?:to )?(?:do|be done|use)|avoid|no-gos?|disproved|hands off|taboo|never again|discard",
    r"否决|放弃|不要|不能|不许|不做|禁止|排除|废弃|弃用|证伪|死路|红线|不可|绝对不|禁区|勿|已排除|别再",
)
_HEADING_ALLOW = _any(r"\blifted|allowed|permitted|no longer|reversed|解除|允许|放开|可以")
_HEADING_SOFT = _any(r"prefer|ideas?|considered|discuss|options|notes so far|nice to have|讨论|偏好|备选|想法")


@lru_cache(maxsize=2048)
def heading_force(heading: str) -> Force:
    """Return the force that a heading lends to what stands under it."""
    if not heading:
        return "none"
    if _HEADING_ALLOW.search(heading) and not re.search(r"not (?:allowed|permitted)|不允许|不可以", heading, re.IGNORECASE):
        return "allow"
    if _HEADING_BAN.search(heading):
        return "ban"
    if _HEADING_SOFT.search(heading):
        return "soft"
    return "none"


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
        if not _ALLOW_NEGATED.search(head) or re.search(r"no longer|any ?more|no \w+ any|不再|不必|不用", match.group(), re.IGNORECASE):
            return True
    return False


__all__ = ["Force", "allows", "heading_force", "prohibits", "requires", "softens"]
