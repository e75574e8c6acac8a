"""The words by which the guideline-literal executor reads guidelines, English and Chinese."""

from __future__ import annotations

import re

_I = re.IGNORECASE

NUMBERS = {
    "once": 1, "one": 1, "a": 1, "twice": 2, "two": 2, "thrice": 3, "three": 3, "four": 4, "five": 5,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5,
}  # fmt: skip
_NUMBER = r"(once|twice|thrice|one|two|three|four|five|\d{1,2})"

ADVISOR = re.compile(r"\badvis[oe]r|\bsecond (?:model|opinion)|顾问", _I)
CONSULT = re.compile(
    r"\b(?:call|consult|ask|query|invoke|use|involve|bring in|turn to|check (?:in )?with|talk to|run (?:it|things) by|"
    r"go to|seek|get)\b[^.]{0,24}?(?:advis[oe]r|advice|\bit\b|\bagain\b|second (?:model|opinion))|"
    r"\b(?:calls?|consultations?)\b|\badvis[oe]r\b[^.]{0,20}\b(?:consulted|asked|called)\b|"
    r"(?:咨询|请教|询问|调用|征求|问)[^。]{0,10}顾问|(?:向|找|请|跟)顾问|顾问[^。]{0,6}(?:咨询|请教|意见)|再(?:问|咨询|调用|请教)",
    _I,
)
NEGATED = re.compile(
    r"\b(?:do not|don't|never|no need|need not|needn't|not necessary|not required|should not|shouldn't"
    r"|must not|avoid|refrain)\b"
    r"|不要|无需|不必|不用|别再|不应|不得|避免",
    _I,
)
STUCK = re.compile(
    r"\bstuck\b|\bblocked\b|\bat a loss\b|\bhit a wall\b|\bgoing in circles\b|\bno (?:way forward|progress)\b"
    r"|\b(?:cannot|can't|unable to) (?:get any further|make progress|move on|proceed|go on)\b|\bdead end\b"
    r"|\b(?:do not|don't) know (?:how|what)\b|卡住|卡壳|走不下去|没有进展|推进不下去|不知道(?:怎么|如何)|遇阻|陷入僵局",
    _I,
)
IRREVERSIBLE = re.compile(
    r"irreversibl|\b(?:cannot|can't|can not) (?:easily )?be (?:undone|reversed|taken back|rolled back)|\bno way back\b"
    r"|\bdestructive\b|\bnot reversible\b|\bpoint of no return\b|hard to (?:undo|reverse)"
    r"|不可逆|(?:无法|不能|没法)(?:撤销|撤回|回退|回滚|挽回)|回不了头|破坏性",
    _I,
)
COMPLETION = re.compile(
    r"\b(?:once|when|whenever|before|after|if|as soon as|again)\b[^.]{0,40}\b(?:finish\w*|done|complet\w*"
    r"|wrap\w* up|over with|hand (?:it|the work) over)\b"
    r"|\bat (?:the end|completion)\b|\bon completion\b|\b(?:finish\w*|complet\w*) (?:the|a|each|every) (?:task|work)\b"
    r"|(?:完成|做完|收尾|结束|完工|交付|干完|搞定)[^，。]{0,8}(?:时|后|前|再)|(?:宣布|声称|认为|觉得)[^，。]{0,8}(?:完成|做完|结束|完工)",
    _I,
)
WORK = re.compile(
    r"\bbefore\b[^.]{0,40}\b(?:work|writ\w+|code|coding|start\w*|begin\w*|approach|interpret\w*"
    r"|read the task|assum\w*|rely|"
    r"relying|substan\w+|touch\w*|decid\w+|commit\w*|implement\w*|anything|plan|building|build)\b"
    r"|\bat the (?:start|outset|beginning)\b|\bfirst thing\b|\bto begin with\b"
    r"|(?:动手|开工|开始|编码|写代码|着手|实质|动笔|定方案|选定方案|确定方案|下判断)[^，。]{0,10}前|一开始|开头|开工时",
    _I,
)
MINIMUM = re.compile(
    rf"\b(?:at least|no (?:fewer|less) than|a minimum of|not (?:fewer|less) than)\s+{_NUMBER}\b|"
    rf"\b{_NUMBER} (?:calls?|times|consultations?) (?:or more|at least|at a minimum|minimum)\b|"
    r"(?:至少|不少于|最少|起码)[^。]{0,10}?([一二两三四五\d]{1,2})\s*(?:次|回|遍)",
    _I,
)
NO_MINIMUM = re.compile(
    r"\bno (?:minimum|lower (?:limit|bound)|set number|required number|quota)\b|\bnone (?:at all )?is fine\b"
    r"|没有(?:下限|最低|次数要求)|不设(?:下限|最低)",
    _I,
)
ONCE_EACH = re.compile(r"\b(?:once|one) (?:before|when|after|at)\b|(?:一次)(?=[^，。]{0,12}(?:前|时|后))", _I)

RELAY = re.compile(
    r"\b(?:put|include|quote|relay|repeat|pass (?:on|along)|report|summari[sz]e|share|tell|paraphrase|bring"
    r"|mention|convey|restate|carry|show|inform|say|explain)\b"
    r"[^.]{0,80}\b(?:user\w*|repl(?:y|ies)|visible|answer)\b|"
    r"\b(?:bring|mention)\b[^.]{0,12}\b(?:it|advice)\b[^.]{0,8}(?:up)?|"
    r"转述|转达|转告|复述|汇报|带进[^。]{0,10}回复|写进[^。]{0,12}回复|放进[^。]{0,12}回复|告诉用户|告知用户|向用户(?:说明|报告|汇报)",
    _I,
)
CHANGED = re.compile(
    r"\b(?:if|when|where|only|unless|whenever)\b[^.]{0,60}(?:chang|differ|alter|turn\w* .{0,12}around|revis|new plan)"
    r"|(?:改变|改动|变了|调整|推翻|改了)[^。]{0,16}(?:计划|方案|做法|打算|时|才)|(?:计划|方案|做法)[^。]{0,12}(?:改变|变了|调整|变化|推翻|改了|变动)",
    _I,
)
ALWAYS = re.compile(r"\b(?:every|each|always|any|next|whenever|all)\b|每次|每一|每个|每当|总是|一律|下一", _I)
WEIGHT = re.compile(
    r"\b(?:serious|great|much|considerable|heavy|strong|significant|a lot of) weight\b"
    r"|\bweigh\w*\b[^.]{0,40}\bheavil\w+|"
    r"\b(?:defer to|heed|obey|rely on|trust)\b[^.]{0,20}(?:advis[oe]r|advice|\bit\b)|\b(?:very |most "
    r"|really )?seriously\b|"
    r"\bfollow (?:its|the advis[oe]r'?s?|the|that) (?:advice|lead|guidance|recommendations?)\b|"
    r"高度重视|充分重视|认真对待|听从|服从|很大的?分量|相当的?分量|重要的?分量|优先采纳|看得很重|郑重对待",
    _I,
)
USER_DECIDES = re.compile(
    r"\buser\b[^.,]{0,12}\b(?:decides?|wins?|rules|is in charge|calls the shots|has the (?:last|final)"
    r"|is the (?:one who|decision|boss))"
    r"|\b(?:last|final) (?:say|word|decision)\b[^.]{0,24}\buser\b|\b(?:do|follow) what the user\b"
    r"|\bside with the user\b"
    r"|\bdecisions?\b[^.]{0,20}\b(?:is|are|belongs?|lies?|rests?|stays?)\b[^.]{0,12}\buser|\bgo with the user\b"
    r"|\buser's (?:word|decision|wish|choice)\b[^.]{0,24}\b(?:counts|stands|wins|prevails|final|first)"
    r"|用户[^，。]{0,4}(?:说了算|做主|拍板|来定|决定|是决策者|优先)|以用户[^。]{0,8}为准|听用户|决定权[^。]{0,6}用户|按用户(?:说的|的)",
    _I,
)
ADVISOR_DECIDES = re.compile(
    r"\badvis[oe]r\b[^.,]{0,6}\b(?:decides|wins|overrules|calls the shots|has the (?:last|final))"
    r"|\bside with the advis[oe]r\b"
    r"|\badvis[oe]r's (?:word|decision)\b[^.]{0,16}\b(?:counts|stands|wins|prevails|final)"
    r"|顾问[^，。]{0,4}(?:说了算|做主|拍板|优先)|以顾问[^。]{0,8}为准",
    _I,
)
CREDIT = re.compile(
    r"\battribut\w+|\bcredit\w*\b|\buser's mouth\b|\bmouth of the user\b|\b(?:say|state|make (?:it )?clear"
    r"|name|mark|label)\b[^.]{0,50}\badvis[oe]r'?s?\b[^.]{0,12}(?:view|opinion|source|own|words)"
    r"|\bas (?:the )?advis[oe]r'?s (?:own|view|opinion)|\bas (?:if|though)\b[^.]{0,20}\buser\b|\bnot the user's\b"
    r"|\bcame from the advis[oe]r\b|归(?:给|到|于|因)|算(?:作|成|到)[^。]{0,6}(?:用户|顾问)"
    r"|说成[^。]{0,6}用户|(?:标明|注明|说明|点明)[^。]{0,10}顾问|冒充|安(?:到|在)用户",
    _I,
)
