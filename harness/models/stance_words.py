"""Word lists by which the literal executor judges whether a statement forbids or allows its subject.

Statements are folded (`text.fold`) and every mention of the subject is written as ``§`` before these patterns run.
A pattern may name two groups: ``gap`` (between the cue and the subject) and ``mid`` (between the subject and the
cue); the judge refuses a match whose gap or mid turns the meaning. The lists belong to this executor alone.
"""

from __future__ import annotations

import re

SUBJECT = "§"

_USE = (
    r"(?:us(?:e|ing)|add(?:ing)?|introduc\w+|bring(?:ing)?|put(?:ting)?|reach(?:ing)?|writ(?:e|ing)"
    r"|creat\w+|go(?:ing)?|"
    r"touch\w*|edit\w*|chang\w+|modif\w+|import\w*|install\w*|pull(?:ing)?|propos\w+|suggest\w*"
    r"|build(?:ing)?|wrap\w*|"
    r"reintroduc\w+|declar\w+|hold(?:ing)?|spawn\w*|start(?:ing)?|open(?:ing)?|retry(?:ing)?"
    r"|cast(?:ing)?|call(?:ing)?|"
    r"want|adopt\w*|switch\w*|mov(?:e|ing)|return(?:ing)?|allow\w*|accept\w*|permit\w*|do(?:ing)?"
    r"|tak(?:e|ing)|try(?:ing)?|"
    r"depend\w*|rely(?:ing)?|ship\w*|mak(?:e|ing)|pick\w*|choos\w+|support\w*|tolerate|commit\w*"
    r"|generat\w+|emit\w*|"
    r"catch\w*|throw\w*|allocat\w+|sleep\w*|mock\w*|patch\w*|stor(?:e|ing)|keep(?:ing)?|fall(?:ing)?"
    r"|revert\w*|resort\w*|"
    r"run(?:ning)?|repeat\w*|share|sharing|send(?:ing)?|log(?:ging)?|rewrit\w+|refactor\w*|migrat\w+)"
)
_USED = (
    r"(?:be |get |go |come )?(?:\w+ )?(?:us(?:e|ed)|add(?:ed)?|introduced|brought|touch(?:ed)?"
    r"|edit(?:ed)?|chang(?:e|ed)|modif(?:y|ied)|"
    r"import(?:ed)?|install(?:ed)?|appear|return|come back|be back|back|exist|happen|retried|cast|called"
    r"|spawned|started|"
    r"part of|in the|allowed|accepted|considered|merged|written|created|adopted|an option|here|there)"
)
_NOT = (
    r"(?:do not|don't|dont|never(?: ever)?|must not|mustn't|may not|can ?not|can't|shall not|should not"
    r"|shouldn't|"
    r"won't|will not|(?:am|are|is|'re|'m) not going to|are not to|is not to|let's not|let us not"
    r"|not allowed to|"
    r"(?:nobody|no one|none of us) (?:may|should|must|is to|can|gets to)|rather not|refuse to|refusing to|"
    r"agreed not to|decided not to|chose not to|promised not to|please not|ought not to|not supposed to)"
)
_GAP = r"(?P<gap>[^.;!?§]{0,80}?)"
_MID = r"(?P<mid>[^.;!?§]{0,80}?)"
_OUT = (
    r"(?:ruled out|out(?= *(?:[.,;:!)]|$|for good|here|entirely|completely|now|then|as of|by|because"
    r"|since|until|-|of bounds|of the question))|"
    r"off(?: the table|[- ]limits)|rejected|forbidden|banned|not (?:allowed|permitted|acceptable"
    r"|an option|on the table|welcome|wanted)|"
    r"prohibited|disallowed|no option|(?:a )?no[- ]go|dead(?! code)|a dead end|frozen|abandoned"
    r"|discarded|vetoed|unacceptable|unwelcome|"
    r"read[- ]only|not happening|gone for good|not to be \w+|to be avoided|excluded|verboten|taboo|scrapped)"
)

FORBID_ENGLISH = (
    rf"\b{_NOT} (?:\w+ ){{0,3}}?{_USE}\b{_GAP}§",
    (
        rf"\b(?:(?<!did )(?<!does )(?<!has )(?<!had )not|no longer|stop|quit|refrain from"
        rf"|no more) {_USE}\b{_GAP}§"
    ),
    (
        rf"(?<!to )\b(?:avoid(?!s|ed)|steer clear of|stay(?:s|ing)? (?:away|clear|out) (?:from|of)|"
        rf"keep (?:away|clear|out|off) ?(?:from|of)?|hands off|no more|refrain from|stop with)\b{_GAP}§"
    ),
    (
        rf"\b(?:do|done|write|written|solve|implement|build|keep|must|should|has to|have to|always"
        rf"|stays?)\b[^.;!?§]{{0,50}}? without\b{_GAP}§"
    ),
    (
        rf"\b(?:rul(?:ed?|es|ing) out|reject(?:ed|ing|s)?|forbid(?:s|den)?|forbade|bans?|banned|prohibit(?:s"
        rf"|ed)?|"
        rf"abandon(?:ed|ing)?|discard(?:ed)?|veto(?:ed|es)?|outlaw(?:ed)?|disallow(?:s|ed)?|exclud(?:e|es|ed"
        rf"|ing)|"
        rf"(?:decided|agreed|voted|decide|agree) against|g[ai]ven? up on|(?:drop|dropped|scrap|scrapped|kill"
        rf"|killed|bury|buried|shelve|shelved) "
        rf"the (?:\w+ )?(?:idea|plan|approach|option|path|proposal)(?: of)?|sa(?:y|id) no to|no to)\b{_GAP}§"
    ),
    (
        r"\b(?:rul(?:ed?|es|ing)|vot(?:ed?|es)|tak(?:e|es|en|ing)|took|keep|kept|leav(?:e|ing)"
        r"|left)\b (?:\w+ ){0,2}?§(?: \w+){0,2}? (?:out|off)\b"
    ),
    (
        r"\b(?:so|let's|let us|we'll|we will|then|please)(?: we)? (?:drop|scrap|bury|shelve|abandon"
        r"|give up(?: on)?|forget(?: about)?) (?:\w+ ){0,2}?§"
    ),
    (
        rf"§{_MID} (?:is|are|was|were|been|be|being|stays?|stayed|remains?|gets?|got|as|keeps?"
        rf"|kept)\b(?P<mid2>(?: \w+){{0,3}}?) {_OUT}"
    ),
    rf"§(?P<mid> ?(?:[a-z'-]+ ){{0,3}}?(?:[-:=(,]|->)?) ?{_OUT}",
    rf"§{_MID} (?:must|may|shall|should|can|will)(?: not|not| never|n't) {_USED}\b",
    rf"§{_MID} never {_USED}\b",
    (
        rf"§{_MID} (?:won't do|will not do|(?:is|are) not (?:going in|coming back|for us|what we want)"
        rf"|no longer (?:an option|used|allowed|"
        rf"acceptable|considered|part of)|(?:do|does)(?: not|n't) belong|ha(?:s|ve) no place|(?:is"
        rf"|are) history here)\b"
    ),
    (
        r"(?:^|[,;:.(] ?|- |\b(?:and|but|so|please|means|absolutely|definitely) )no (?:[\w-]+ ){0,3}?§"
        r"(?!(?: \w+)? (?:found|left|remain\w*|exists?|yet|matche[sd]|was|were|is|are|in sight|needed"
        r"|required|errors?))"
    ),
    r"^§ is (?:no|no way|never again|not again|不)[.!。]?$",
    r"(?:^|[,;:-] ?|\b(?:so|and|ok|please) )never again (?:[\w-]+ ){0,3}?§",
    r"[,;:-] ?(?:and )?(?:not|never) (?:with |via |through |by |using |in |on )?(?:[\w-]+ ){0,3}?§",
    (
        rf"\b(?:use|must|should|always|decided|agreed|go with|going with|stick|settled on|chose|chosen|will"
        rf"|let's)\b[^.;!?§]{{0,80}}?"
        rf"\b(?:instead of|rather than|in place of)\b{_GAP}§"
    ),
    (
        r"\b(?:nothing|no (?:code|file|one|change|changes|edits?|commits?|modifications?|patch"
        r"|patches))\b (?:may |must |is to |should )?"
        r"(?:\w+ ){0,2}?(?:under|in|inside|below|to|on|of|within) (?:\w+ ){0,2}?§"
    ),
    r"\bfrozen?\b[^.;!?§]{0,30}?§",
    r"\bleave (?:\w+ ){0,2}?§[^.;!?§]{0,30}? (?:alone|untouched|as (?:it|they) (?:is|are)|out)\b",
    r"\bkeep (?:\w+ ){0,4}?(?:free of|clear of|off) (?:\w+ ){0,2}?§",
    (
        rf"§{_MID} (?:untouched|stays? (?:exactly )?as (?:it is|is|they are)|(?:must|should|is to|are to"
        rf"|has to|have to) (?:stay|remain|be kept|be left) "
        rf"(?:\w+ )?(?:off|out|alone|untouched|unchanged|as))\b"
    ),
)

_ZH_GAP = r"(?P<gap>[^。！？；;!?§]{0,24}?)"
_ZH_MID = r"(?P<mid>[^。！？；;!?§]{0,28}?)"
FORBID_CHINESE = (
    (
        rf"(?:不要|别(?!的|人|处|名|忘)|不许|不准|不能|不可以?|不得|禁止|严禁|杜绝|(?<!以)(?<!了)避免|拒绝|不再"
        rf"|不用|不想|不打算|不考虑|"
        rf"停止使用|放弃|否决|否了|否掉|推翻|排除|废弃|弃用|抛弃|淘汰|砍掉|不允许|不应该?|不该|绝不|切勿|决不"
        rf"|勿){_ZH_GAP}§"
    ),
    (
        rf"§{_ZH_MID}(?:不要|不许|不准|不能(?:再|用|碰|动|改|加|出现|引入|有)|不可行|不行|不允许|不可(?:用|取)"
        rf"|不得|不再用|不再使用|不再考虑|"
        rf"不考虑|不予考虑|否决|否了|否掉|放弃|排除|推翻|禁止|禁用|出局|作废|冻结|不要动|别(?:动|用|碰|改|加"
        rf"|再)|不用了|走不通|不走了?|不碰了?|不做了|死路|行不通|"
        rf"免谈|淘汰|弃用|废弃|砍掉|pass ?掉|不接受|不采用|没戏|禁区)"
    ),
    r"(?:用|走|选|采用|改用|统一)[^。！？；;!?§]{1,30}?(?:而不是|而非|,不是|,不用|不走)[^。！？；;!?§]{0,8}?§",
)

TURNS_GAP = re.compile(
    r"\b(?:instead(?! of)|in favou?r of|but|went with|so (?:use|we)|because|since|until|unless"
    r"|use\b(?! of)|replaced (?:it )?(?:by|with)|"
    r", (?:and|while|as|so) (?:the|our|a|an|we|it)\b|go with|other than|anything but|except|without)\b"
    r"|->|→|改用|而是|换成|除了|以外|之外|直到|除非|因为|所以"
)
TURNS_MID = re.compile(
    r"\b(?:instead of|rather than|but|whereas|while|replac\w+|unlike|because|since|which|until|unless"
    r"|so that|over|than|beats?)\b|"
    r"而不是|因为|所以|但是|替代|代替|取代|之前|以前"
)
NEGATED_BEFORE = re.compile(
    r"\b(?:not|never|isn't|aren't|wasn't|weren't|hasn't|haven't|didn't|doesn't|don't|no reason to"
    r"|nothing|nobody|without|neither|hardly|"
    r"yet to|far from|cannot|can't)(?: \w+){0,2} ?$|(?:没有?|并未|尚未|未|不是|并不|并非|不|不会|没人)$"
)
HEDGED = re.compile(
    r"\b(?:discuss\w*|consider\w*|talk(?:ed|ing)? about|explor\w+|think(?:ing)? (?:about|of)"
    r"|thought (?:about|of)|wonder\w*|might|"
    r"maybe|perhaps|could|possibly|lean(?:ed|ing)?|tempt\w+|option (?:to|of)|debat\w+|brainstorm\w*"
    r"|weigh\w*|would|may want|"
    r"concerns? about|ideas? (?:of|about)|moving away|test(?:s|ed)? (?:that|whether|if)|(?:whether"
    r"|if) (?:we|to)|"
    r"compiler|borrow checker|linter|parser|server|proxy|test suite|cargo|mypy|tsc)\b|"
    r"讨论|考虑过|探讨|也许|可能|或许|大概|倾向|想过|聊了|商量|思考|编译器|服务器"
)
HARMLESS_CHINESE = re.compile(
    r"要不要|能不能|可不可以|该不该|行不行|会不会|是不是|不得不|不能不|不要忘|别忘|不要紧|不要(?:删|去掉|丢"
    r"|放弃)|别(?:删|放弃|丢)|不用说|不用担心|不一定"
)
QUESTION = re.compile(
    r"[?？]\W*$|(?:吗|么)[?？。]?$|^(?:should|shall|could|can|would|do|does|is|are|why|what if|how about"
    r"|what about|which|whether) (?:we|i|you|it|"
    r"there|the|a|an|this|that)\b.*[?？]|要不要|能不能|可不可以|是不是|是否|该不该|^(?:为什么|为何)"
)
CONDITION = re.compile(
    r"^(?:(?:and|but|so|then|also) )?(?:if|suppose|supposing|assuming|imagine|what if|in case|unless"
    r"|whether|once|when)\b|^(?:如果|假如|要是|假设|万一|若)"
)
MODAL_CONDITION = re.compile(
    r"\b(?:if|unless|whether|once|until|in case|pending|would(?! not)|might|could)\b[^,;]*$|(?:如果|假如|要是"
    r"|直到|除非|等)[^,;]*$"
)

LIFT = (
    (
        r"\b(?:allowed|permitted|ok|okay|fine|acceptable|usable|available|possible|legal|welcome|open|back"
        r"|on the table|in play)(?: \w+){0,2} "
        r"(?:again|after all|once more|from now on|these days)\b"
    ),
    (
        r"\b(?:is|are|'s|'re) (?:now|again) (?:\w+ )?(?:allowed|permitted|ok|okay|fine|acceptable|usable"
        r"|possible|free)\b"
    ),
    r"\b(?:allowed|permitted|ok|okay|fine) (?:now|again)\b",
    r"\bback (?:on the table|in play|in the game|in scope)\b|\b(?:is|are) back\b(?! to)",
    (
        r"\bno longer (?:\w+ )?(?:ruled out|forbidden|banned|rejected|off[- ]limits|off the table|out\b"
        r"|prohibited|frozen|blocked|disallowed|a no-go|"
        r"holds|applies|stands|in force|binding|valid|necessary|a rule|a constraint|a problem"
        r"|need(?:ed)? to avoid|have to avoid)"
    ),
    (
        r"\b(?:not|n't) (?:\w+ )?(?:ruled out|forbidden|banned|rejected|off[- ]limits|prohibited|frozen"
        r"|blocked|disallowed) (?:any ?more|any longer|now)\b"
    ),
    (
        r"\b(?:lift(?:ed|s|ing)?|withdr[ae]w\w*|revok\w+|rescind\w*|overturn\w*|cancel(?:s|led|ed)?"
        r"|remov(?:e|ed|ing)|drop(?:ped|ping|s)?|end(?:ed|s)?|"
        r"retir(?:e|ed|ing)|undo|undid|repeal\w*|scrap(?:ped)?|revers(?:e|ed|ing)|tak(?:e|ing) back"
        r"|took back)\b(?: [\w-]+){0,4}? "
        r"(?:ban|rule|restriction|constraint|prohibition|freeze|veto|embargo|rejection)\b"
    ),
    (
        r"\b(?:ban|rule|restriction|constraint|prohibition|freeze|veto|embargo"
        r"|rejection)\b[^.;!?]{0,50}? (?:(?:is|was|are|has been|have been|been) )?(?:now )?"
        r"(?:lifted|gone|over|withdrawn|revoked|rescinded|overturned|removed|dropped|cancell?ed|void"
        r"|obsolete|reversed|expired|ended|retired)\b"
    ),
    (
        rf"\b(?:you|we|i|everyone|it|one) (?:may|can|are free to|are allowed to|get to"
        rf"|should)(?: \w+){{0,2}}? {_USE}\b[^.;!?]{{0,60}}? (?:again|after all|now)\b"
    ),
    rf"\b(?:you|we|i|everyone) (?:may|can) (?:now|again|once more) {_USE}\b[^.;!?]{{0,60}}?§",
    rf"\b(?:let's|please|do) (?:go (?:back to|with)|switch to|{_USE})\b[^.;!?]{{0,60}}? after all\b",
    (
        r"\b(?:go ahead and|go ahead with|feel free to|unfre\w+|unfroze\w*|unbann?\w*|unblock\w*"
        r"|re-?allow\w*|re-?enabled?|changed my mind (?:about|on)|"
        r"take (?:that|it) back)\b"
    ),
)
LIFT_CHINESE = (
    r"解除|解禁|解冻|放开|收回|撤销|撤回|改主意|重新(?:允许|启用|考虑使用|可以?用)|恢复使用|不再(?:禁止|限制"
    r"|否决|排除|受限|冻结)|"
    r"又(?:可以|能)|(?:可以|能)(?:再|重新|继续)?(?:使用|用|上|加|改|动|引入|采用|走)[^。！？；;!?]{0,12}了|可以了|"
    r"取消[^。！？；;!?]{0,8}(?:禁令|限制|规定|约束|禁用)|允许[^。！？；;!?]{0,14}了|现在(?:可以|能|允许)"
    r"|(?:没|没有)限制了"
)
LIFT_REFUSED = re.compile(
    r"\b(?:not|never|n't|isn't|aren't|until|unless|once|if|whether|when|before|nor|hardly|would|might"
    r"|could)(?: [\w'-]+){0,4} ?$|"
    r"(?:不|没有?|未|除非|直到|如果|等|是否|能否)[^,;]{0,4}$"
)

FORBID_TITLE = re.compile(
    r"\b(?:reject(?:ed|ions?)|ruled?[- ]out|ruled (?:these|them|this|it|both|all|the following) out"
    r"|dead[- ]ends?|negative constraints?|do not|don'?ts?|never|"
    r"forbidden|abandoned|banned|bans|off[- ]limits|prohibited|prohibitions?|discarded|not (?:allowed"
    r"|permitted|to (?:be )?\w+)|vetoed|avoid|what not|"
    r"no-?gos?|disallowed|excluded|off the table|must not|frozen|decided against|walls)\b|"
    r"否决|放弃|禁止|不可行|不要|排除|禁区|死路|不能|弃用|推翻|负面约束|走不通|不许|不再|不可(?:用|触碰)|碰不得"
)
LIFT_TITLE = re.compile(
    r"\b(?:lifted|allowed again|no longer (?:\w+ )?(?:applies|apply|in force|ruled out|rejected"
    r"|forbidden|valid|hold)|withdrawn|reversed|overturned|"
    r"revoked|reopened)\b|解除|解禁|恢复|重新允许|已取消|撤销|失效"
)

PRONOUN = re.compile(
    r"\b(?:(?:that|this|the|such an?|these|those|said) (?:idea|approach|path|route|way|option|plan"
    r"|design|pattern|thing|solution|road|direction|variant|library|"
    r"package|module|folder|directory|technique|one)s?|it|that(?! (?:we|i|you|the|is why|they)\b)"
    r"|this(?! (?:file|test|function|turn|time|session))|these|those|they|them|both)\b|"
    r"这个(?:方案|做法|思路|办法|库|东西|目录|模块)?|那个(?:方案|做法|思路|办法)?|这(?:条路|种做法|种方案"
    r"|种写法|样|种|套|玩意)|那(?:条路|种做法|样|套)|该方案"
    r"|此方案|它们?"
)
BACK_REFERENCE = re.compile(
    r"(?<=\s)(?:it|them|(?:that|this) (?:one|approach|idea|path|route|way|option|plan|design|variant"
    r"|direction))\b(?!')|"
    r"它们?|这条路|这个(?:方案|做法|思路)|这种(?:做法|方案|写法)"
)
"""A word that, after a mention in the same sentence, stands for the subject once more."""
ELLIPSIS = re.compile(
    r"^(?:so |then |ok(?:ay)?,? |and |no[,.:] ?|therefore,? |hence,? |verdict: |decision: "
    r"|conclusion: )*(?:it's |definitely |firmly |clearly )?"
    rf"(?:{_OUT}|ruled out|rejected|never again|no way|not again|not an option)|"
    r"^(?:no|no way|不|不行)[.!。]?$|^(?:所以|那就|因此|结论[::] ?|好,?)*(?:已经?|就此|直接)?(?:否决|放弃|排除"
    r"|不行|不可行|不用了|免谈|出局"
    r"|不考虑|别用|不要用|禁止|作废)"
)
