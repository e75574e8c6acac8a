"""Tell from a statement that a ruled-out approach has been taken up: chosen, added, in use."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:\b(?:uses?|using|kept using|keeps? using|runs? (?:on|over|in|with|through)|running (?:on|"
    r"over|in)|moved (?:\w+ ){0,2}(?:to|into|onto)|"
    r"switched (?:\w+ ){0,2}to|migrated (?:\w+ )?to|went (?:with|for|into|back to)|"
    r"decided (?:to (?:keep|use|have|add)|on|for)|"
    r"(?:is|are|was|were|be|been) (?:now |all |still |again )*(?:held|stored|kept|handled|done|"
    r"guarded|protected|backed|extracted|parsed|"
    r"built|implemented|written|served|sent|cached|computed|processed|represented|made|solved|read|"
    r"waited) (?:in|with|by|as|on|via|through|using|over)|"
    r"(?:extracted|parsed|read|computed|waits?|casts?|decodes?|parses|works?|stores?|"
    r"keeps?) (?:\w+ ){0,4}?(?:with|in|as|by|through|via)|"
    r"changed to|turned into|became|becomes|gets|get|settled on|chose|adopt(?:s|ed)|introduc(?:es|ed)|"
    r"add(?:s|ed)|enabl(?:es|ed)|catches|returns|spawns|starts|creates|"
    r"(?:made|done|fixed|applied|patched|edited|changed|corrected|put|placed) (?:directly |straight |"
    r"by hand |in place )*(?:in|into|on|to|under)|(?:is|are) now)\s+"
    r"(?:(?:an?|the|one|its|our|some|new|straight|directly)\s+)*(?:[\w-]+\s+){0,2}?$)"
    r"|(?:改(?:成|用|为|存)了?|换成了?|用上?了?|采用了?|启用了?|引入了?|定为|选(?:了|定)|(?:现在|目前)?是|使用了?|走|存成|上了|保留了?)\s*(?:一个|了)?\s*$",
)
_LABELLED = re.compile(r"^[^:：.;]{2,40}[:：]\s*(?:(?:an?|the|use|we use)\s+)?$")
_COPULA = re.compile(r"\b(?:is|are|gets?)\s+(?:now\s+|still\s+|automatically\s+|again\s+|a\s+|an\s+|the\s+)*$")
_AFTER = re.compile(
    r"^[^.;]{0,45}?\b(?:was|were|is|are|has been|have been|'s)\s+(?:now\s+|therefore\s+|again\s+|"
    r"finally\s+|simply\s+)*(?:added|introduced|enabled|chosen|adopted|"
    r"used|selected|brought back|reinstated|accepted|welcome|wanted|patched|edited|corrected|agreed|"
    r"logged|written|stored|printed|in use|in place|the way|what we)\b"
    r"|^\W*(?:it is|now\b|is how\b|is what\b)|^[^.;,]{0,30}\bnow\b(?! (?:ruled|banned|forbidden|out|gone))|"
    r"^[^.;,]{0,24}\b(?:protects?|guards?|holds?|serves?|handles?|drives?|does the job|"
    r"replace[sd]? the)\b"
    r"|^[^，。；]{0,10}(?:并行|已经?(?:用|上|加|启)|用上|上线|跑起来)",
)
_ONLY_SOME = re.compile(
    r"\b(?:some|one|a few|several|two|many|most)\b|有些|有的|一处|几处|个别|\b(?:was|were) (?:tried|discussed|"
    r"compared|considered|looked at|reviewed|measured|examined|seen|mentioned)\b|\b(?:read|looked|"
    r"reviewed|compared|measured|listed|found|came up|talk)\b|讨论|比较|看(?:了|过)|试过|提到",
)


_OBSERVES = re.compile(
    r"\b(?:analy[sz]ed|explored|counted|listed|ran|searched|checked|opened|noted|asked|wonder\w*|"
    r"touched on|debat\w*|questions?|whether|prototypes?|there(?:'s| is| are| was| were)|"
    r"exists?|shows? up|existing|old|legacy|today|how|what|topics?|issues?|problems?|statistics?|"
    r"should (?:we|i)|history of|numbers|timings?|behaviou?r|usage|stack trace|bench\w*|variants?|"
    r"visible|files?|code)\b|\?"
    r"|统计|数了|原型|问题|聊|几处|地方|文档|体积|写法|思路|取舍|历史|用法|次数|怎么|是否|能不能|[？?]",
)
_PRESENT = re.compile(
    r"\b(?:is|are|uses?|sits?|lives?|runs?|talks?|calls?|follows?|gets?|goes?|holds?|parses?|reads?|"
    r"writes?|swallows?|catches|returns?|takes?|keeps?|stores?|works?|serves?|relies|rely|"
    r"sends?|decodes?|backs?|drives?|handles?|part of)\b|^[^:：.;]{2,40}[:：]|按需|加了|存|写|走|用|放在|直接",
)


def in_use(text: str) -> bool:
    """Return whether a statement plainly tells how things are, not what was looked at, counted or discussed."""
    low = text.lower()
    return bool(_PRESENT.search(low)) and not _OBSERVES.search(low) and not _ONLY_SOME.search(low)


def adopted(text: str, start: int, end: int, *, verb: bool = False) -> bool:
    """Return whether a statement says that what stands at ``[start, end)`` has been chosen, added or is in use.

    `verb` tells that the name is a verb of its own ("is retried"). A statement that only counts or reports
    occurrences does not.
    """
    low = text.lower()
    if _ONLY_SOME.search(low):
        return False
    if _LABELLED.match(low[:start]) and not re.match(r"\s*(?:vs\.?|versus|or|and|,)\b", low[end:]):
        return True
    before, after = low[max(0, start - 90) : start], low[end : end + 80]
    if _BEFORE.search(before) or _AFTER.search(after):
        return True
    return bool(
        _COPULA.search(before)
        and (verb or re.match(r"^\W*(?:now|again|everywhere|once|twice|since|after|directly|on every|every)\b", after))
    )


__all__ = ["adopted", "in_use"]
