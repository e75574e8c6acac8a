"""English words by which the relapse scorer reads the stance of a clause.

Every table is a regular expression on lower-case text in plain characters (see `normalise`).
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


USE_VERB = (
    r"(?:use[sd]?|using|add(?:s|ed|ing)?|introduc(?:e[sd]?|ing)|put(?:s|ting)?|wrap(?:s|ped|ping)?|"
    r"guard(?:s|ed|ing)?|protect(?:s|ed|ing)?|declar(?:e[sd]?|ing)|creat(?:e[sd]?|ing)|hold(?:s|ing)?|"
    r"keep(?:s|ing)?|kept|stor(?:e[sd]?|ing)|"
    r"mak(?:e|es|ing)|made|reach(?:es|ing)? for|go(?:es|ing)? (?:\w+ )?(?:with|for|through|via|"
    r"back to|down)|went (?:with|for|back to)|pick(?:s|ed|ing)?|choos(?:e|es|ing)|chose|adopt(?:s|ed|"
    r"ing)?|switch(?:es|ed|ing)? (?:\w+ )?(?:over )?(?:back )?to|mov(?:e[sd]?|ing)|"
    r"bring(?:s|ing)? (?:\w+ )?(?:in|back)|brought (?:in|back)|pull(?:s|ed|ing)? (?:in|on)|"
    r"install(?:s|ed|ing)?|import(?:s|ed|ing)?|stick(?:ing)? (?:to|with)|revert(?:s|ed|ing)? to|"
    r"fall(?:s|ing)? back (?:on|to)|opt(?:s|ed|ing)? for|lean(?:s|ed|ing)? (?:on|towards?)|"
    r"drop(?:s|ped|ping)? in|throw(?:s|ing)? (?:in|at)|spin(?:s|ning)? up|spun up|rel(?:y|ies|ied|"
    r"ying) on|return(?:s|ed|ing)? to|reintroduc(?:e[sd]?|ing)|restor(?:e[sd]?|ing)|resurrect(?:s|ed|"
    r"ing)?|reus(?:e[sd]?|ing)|grab(?:s|bed|bing)?|"
    r"try(?:ing)?|run(?:s|ning)?|ran|start(?:s|ed|ing)?|launch(?:es|ed|ing)?|spawn(?:s|ed|ing)?|"
    r"hand(?:s|ed|ing)?|giv(?:e|es|ing)|tak(?:e|es|ing)|took|open(?:s|ed|ing)?|build(?:s|ing)?|built|"
    r"implement(?:s|ed|ing)?|set(?:s|ting)? up|have|having|let(?:s|ting)?|"
    r"format(?:s|ted|ting)?|pars(?:e[sd]?|ing)|parallelis(?:e[sd]?|ing)|paralleliz(?:e[sd]?|ing)|"
    r"fan(?:s|ned|ning)? out|offload(?:s|ed|ing)?|delegat(?:e[sd]?|ing)|push(?:es|ed|ing)?|"
    r"serv(?:e[sd]?|ing)|back(?:s|ed|ing)?|share[sd]?|sharing|cach(?:e[sd]?|ing)|"
    r"call(?:s|ed|ing)?|write|writing|wrote|depend(?:s|ing)? on|includ(?:e[sd]?|ing)|leverag(?:e[sd]?|"
    r"ing)|employ(?:s|ed|ing)?|utili[sz](?:e[sd]?|ing)|want|need(?:s|ed|ing)?|get|"
    r"initiali[sz](?:e[sd]?|ing)|replac(?:e[sd]?|ing)|lock(?:s|ed|ing)?|enabl(?:e[sd]?|ing)|allow(?:s|"
    r"ed|ing)?|bump(?:ed)?|ship(?:ped)?|plug(?:ged|ging)? in|wir(?:e[sd]?|ing)(?: up| in)?|"
    r"promot(?:e[sd]?|ing)|hoist(?:s|ed|ing)?|turn(?:s|ed|ing)?|convert(?:s|ed|ing)?|live[sd]?|"
    r"settl(?:e|ing) (?:on|for)|vote|suggest(?:s|ing)?|recommend(?:s|ing)?|propos(?:e|ing)|favou?r)"
)
"""Verbs by which an approach is taken up."""

USE = re.compile(rf"\b{USE_VERB}\b")

OFFER = _any(
    r"\b(?:i|we|you|one)(?:'d|'ll| would| will| can| could| should| might| may|'d rather| suggest|"
    r" recommend| propose| prefer| favou?r| vote| want| need| plan| intend| am going| are going|"
    r"'m going|'re going| think)\b",
    r"\blet's\b|\blet me\b|\blet us\b|\bmight as well\b|\bmy (?:suggestion|recommendation|proposal|pick|choice|"
    r"vote|advice|preference|plan|take)\b|\brecommend(?:ed|ation)?\b|\bsuggest(?:ion|ed)?\b|"
    r"\bshould\b|\bcould\b|\bjust\b|\bsimply\b",
    r"\bplan(?::| is| to)|\bnext step|\bgoing to\b|\bbest bet|\bwhat i'd\b|\bconsider\b|\bhappy to\b|"
    r"\bthe (?:fix|plan|idea|way|answer|solution|trick) (?:is|here is|would be)\b|\bmakes? sense to\b|"
    r"\bworth\b",
)
"""Words by which a speaker offers or announces what to do."""

DONE = re.compile(
    rf"\b(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:now |just |also |therefore |simply |went ahead and |"
    rf"then )*(?:{USE_VERB})\b|\b(?:is|are|has been|have been|now) (?:now |all |simply |just )*(?:done|"
    rf"formatted|handled|run|parsed|stored|kept|held|guarded|protected|wrapped|served|backed|shared|"
    rf"cached|added|computed|built|implemented|initiali[sz]ed|locked)\b|\bnow (?:uses?|runs?|goes|"
    rf"holds?|keeps?|reads?|lives?|sits?|locks?|formats?|parses?|relies|calls?|shares?|stores?|starts?|"
    rf"spawns?|opens?|has)\b"
)
"""Reports of what the reply itself did."""

PRAISE_AFTER = _any(
    r"^\W*(?:\w+\W+){0,6}?(?:is|are|was|would be|'s|'d be|will be|should be|seems?|looks?|feels?|"
    r"remains|becomes|might be|may be|could be)\b(?:\W+(?:still|really|probably|clearly|by far|"
    r"actually|definitely|perfectly|quite|just|also|honestly|arguably|likely|totally|simply|certainly|"
    r"the|a|an|my|our|much|way|far|more|most))*\W+"
    r"(?:simple(?:st|r)?|easi(?:est|er)|easy|clean(?:est|er)?|fine|ok(?:ay)?|enough|sufficient|"
    r"reasonable|acceptable|perfect(?:ly)?|best|better|right|good|great|safe|fast(?:est|er)?|"
    r"quick(?:est|er)?|short(?:est|er)|small(?:est|er)|cheap(?:est|er)?|natural|obvious|pragmatic|"
    r"sensible|fair|warranted|justified|preferable|winner|way to go|way forward|answer|choice|pick|"
    r"recommendation|suggestion|solution|option|tool|fit|straightforward|least|all (?:we|you|"
    r"it) needs?|what i(?:'d| would))\b",
    r"^\W*(?:\w+\W+){0,4}?(?:works?|will do|would do|does the job|do(?:es)? (?:it|the trick)|"
    r"would work|will work|solves?|fixes?|handles?|covers?|makes? (?:more |perfect |complete )?sense|"
    r"gets? us|gives? us|buys? us|saves? us|can (?:do|handle|take)|should (?:do|work)|wins?|"
    r"would solve|would fix|already does|has everything|is what i'd|would help|would save|would give|"
    r"would get)\b",
)
"""Praise that follows the name."""

PRAISE_BEFORE = _any(
    r"\b(?:simple(?:st|r)?|easi(?:est|er)|clean(?:est|er)|quick(?:est|er)|fast(?:est|er)|short(?:est|"
    r"er)|small(?:est|er)|cheap(?:est|er)|best|right|obvious|natural|pragmatic|sensible|lightest|"
    r"least\s+\w+|most\s+\w+)\s*(?:\w+\s+){0,4}?(?:is|are|would be|'s|be|for the buck|here|:|=|seems|"
    r"remains)\W",
    r"\b(?:recommend(?:ation|ed)?|verdict|decision|conclusion|proposal|suggestion|answer|solution|fix|"
    r"pick|choice|winner|plan)\s*(?:is|would be|:|->|→)\s*",
    r"\bbest bang for the buck\W|\bthe case for\b|\b(?:requirements?|dependenc(?:y|ies)|deps|requires?)\s*:\s",
)
"""Praise that leads to the name."""

NEGATOR = _any(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|nothing|nobody|no one|zero|hardly|free of)\b|n't\b",
    r"\bavoid(?:s|ed|ing)?\b|\brefrain\w*|\brefus(?:e[sd]?|ing)\b|\breject\w*|\brul(?:e|ed|es|"
    r"ing) out\b|\bban(?:s|ned|ning)?\b|\bforb(?:id|ids|idden|ade)\b|\bprohibit\w*|\bexclud\w*|"
    r"\bdisallow\w*|\bprevent\w*|\bveto(?:ed|es)?\b",
    r"\bdropp?(?:ed|ing|s)?\b(?! in\b)|\bremov(?:e[sd]?|ing|al)\b|\bdelet(?:e[sd]?|ing|ion)\b|"
    r"\bg(?:et|ets|ot|etting) rid of\b|\beliminat\w*|\babandon\w*|\bdiscard\w*|\brip(?:s|ped)? out\b|"
    r"\bretir(?:e[sd]?|ing)\b|\bphas(?:e|ed|ing) out\b|\bthrew out\b|\bthrown? (?:out|away)\b|"
    r"\buninstall\w*|\bunwind\w*",
    r"\binstead of\b|\brather than\b|\bas opposed to\b|\bin (?:place|lieu) of\b|\bunlike\b|"
    r"\bagainst\b|\baway from\b|\boff (?:of )?(?=\W*$)|\bclear of\b|\bno longer\b|\bkeep(?:s|"
    r"ing)? (?:\w+ ){0,3}out of\b|\bundo(?:es|ing)?\b|\bundid\b|\breverted\b(?! to)|\bstop(?:s|"
    r"ped)? (?:using|relying)\b|\bgone from\b|\bfrozen\b|\bcontradict\w*|\bviolat\w*|"
    r"\boff[- ]limits\b|\bpast\b(?= the freeze)|\bleft (?:\w+ ){0,3}(?:alone|untouched)\b",
    r"\b(?:prefer\w*|cho(?:se|ose|sen)|pick(?:ed)?|favou?r\w*|went with)\b[^,;]* over\b",
)
"""Words that, before a name in its clause, deny it."""

REJECTED_AFTER = _any(
    r"^[^,;]{0,60}?\b(?:is|are|was|were|stays?|remains?|got|been|be|'s|'re|being|goes|went|"
    r"as)\W+(?:(?:still|now|also|all|already|both|firmly|clearly|explicitly|simply|therefore|"
    r"deliberately|long|exactly|just)\W+)*(?:ruled out|rejected|out\b(?! of the box)|"
    r"off[- ]?(?:the table|limits)|forbidden|banned|gone|removed|deleted|dropped|excluded|prohibited|"
    r"discarded|vetoed|dead|frozen|thrown out|abandoned|disallowed|a no-go|a no go|a dead end|"
    r"declined|retired|uninstalled|unaffected|untouched|unchanged|what (?:you|we) (?:threw|ruled|"
    r"rejected|dropped|banned)|wrong|worse|overkill|too|history|stale|not|never)\b",
    r"^[^,;]{0,60}?(?:\b(?:is|are|was|were|do|does|did|has|have|had|would|could|should|can|must|will|"
    r"wo|ca)(?:n't| not| never)\b|\bcannot\b)",
    r"^[^,;.]{0,40}?\b(?:deadlock\w*|contradict\w*|violat\w*|breaks? the (?:rule|freeze|agreement|"
    r"constraint)|fails?|failed|poison\w*|blocks?|caused|leaks?|serialis\w*|serializ\w*|stalls?|"
    r"hurts?)\b",
    r"^\W{0,3}(?:-|:|→|->|\()?\W{0,3}(?:no\b|not\b|never\b|rejected|ruled out|out\b|banned|forbidden|"
    r"dropped|excluded|removed|off[- ](?:limits|the table)|❌|✗|✘)",
    r"^[^,;]{0,30}?\b(?:rejected|ruled out|vetoed|excluded)\b",
)
"""Words that, after a name, reject it."""

PAST = _any(
    r"\b(?:used to|once|previously|formerly|originally|back then|at first|initially|historically|"
    r"in the past|last (?:week|month|year|time)|had|tried|was still|were still|old|legacy|former|"
    r"earlier|ex-|stale|leftover|removed|deleted|historical|before the (?:rewrite|refactor\w*|change|"
    r"switch))\b",
    r"\bin commit\b|\bthe (?:first|previous|earlier|original|initial|old) (?:attempt|version|draft|"
    r"design|code|approach)\b|\bstill (?:drags?|imports?|mentions?|contains?)\b",
)
"""Words that put a name into the past."""

REPORT = re.compile(
    r"\b(?:you|the user|users?) (?:just |once |explicitly |also |yourself |had |have |'ve )*(?:said|"
    r"say|asked|told|put it|wrote|ruled|threw|mentioned|suggested|wondered|raised|floated|quoted|"
    r"named)\b"
    r"|\b(?:reviewers?|advis[eo]rs?|doc(?:s|umentation)?|readme|stack ?overflow|blog|tutorial|"
    r"compiler|clippy|lint(?:er)?|error(?: message)?|colleagues?|someone|somebody|people|thread|issue|"
    r"ticket|pr|comments?|article|guide|wiki|they|he|she|consultant|bot|copilot|gpt\S*|teammate|"
    r"answer|message|contractor|manager|vendor|log|hint|suggestion|team|junior|intern|maintainers?|"
    r"author|spec|rfc|adr|contributing|policy|rule|note|agents\.md)\b"
    r"[^.;]{0,40}?\b(?:suggest\w*|recommend\w*|propos\w*|said|sa(?:y|ys|id|ying)|ask(?:s|ed|ing)?|"
    r"want(?:s|ed)?|would (?:like|love|prefer)|mention\w*|advis\w*|hint\w*|point(?:s|ed) (?:to|at|"
    r"out)|insist\w*|prefer\w*|thinks?|thought|argu\w*|claim\w*|wr(?:ote|ites?|itten)|told|tells?|"
    r"put it|called|floated|raised|brought up|pushed for|sold|wonder\w*|threw|rul\w+|asked for|"
    r"offers?|shows?|reads?)\b"
    r"|\baccording to\b|\bper (?:your|the|his|her|their)\b|\bas (?:you|the \w+) (?:put|said|wrote|asked)\b"
)
"""Reported speech: somebody else's words."""

AGREES = re.compile(
    r"\b(?:i agree|agreed|fair point|good (?:idea|point|call)|makes sense|sounds (?:right|good)|(?:he|"
    r"she|they|it|the reviewer|the advisor)(?:'s|'re| is| are) right|which is right|so (?:let's|i'll|"
    r"i will|i'd|we|i've|i have|i went|i did)|i'll (?:do|follow|take|go)|i (?:followed|took|"
    r"did) (?:that|it|the advice|this)|and (?:i'd|i would|i'll) (?:do|go|follow|take)|let's do|"
    r"following (?:that|it|the advice)|i'm with)\b"
)
"""Words that take up somebody else's proposal."""

CONDITION = re.compile(
    r"(?:^|\b(?:and|but|so|or|then)\s+)\W*(?:if|unless|suppose|supposing|assuming|in case|"
    r"should (?:you|we|the|this)|were (?:we|you)|had (?:we|you)|once|until|as soon as|whenever|"
    r"even if|when(?:ever)?|provided|after the|the day)\b|\bif\b|\bunless\b|\buntil\b"
)
LIFTING = re.compile(
    r"\b(?:lift(?:s|ed|ing)?|allow(?:s|ed)?|permit(?:s|ted)?|approv\w*|reconsider\w*|reopen\w*|"
    r"chang(?:e|es|ed) your mind|ever|were|had|stopped|stops|didn't|weren't|wasn't|unfreez\w*|thaw\w*|"
    r"unfrozen|freeze|audit|no longer|rule[sd]?|ban|constraint|restriction|revisit\w*|relax\w*|"
    r"drop(?:s|ped)? (?:the|that)|agree[sd]?|sign(?:s|ed)? off|ok(?:ay)?(?:s|ed)?|say so|confirm\w*)\b"
)
"""What a condition is about when it puts the rule itself in question."""

DOUBLE_NEGATION = _any(
    r"\b(?:no|not (?:a|any|one)(?: single)?|any|see no|can't (?:see|think of) (?:a|any)|cannot (?:see|"
    r"think of) (?:a|any)|don't (?:see|have|know(?: of)?) (?:a|any)|isn't (?:a|any)|little|"
    r"never saw a|hardly (?:a|any)|without (?:a|any)|what)\s+(?:\w+\s+){0,3}?(?:reason|grounds|"
    r"argument|point|harm|need|objections?|excuse|case|sense|downside|benefit|problem|issue|"
    r"obstacle)\s+(?:\w+\s+){0,3}?(?:not to|to avoid|to rule out|to reject|to forgo|to skip|against|"
    r"to stay away from|to keep away|to refuse|to shun|in avoiding|in not|with|why (?:we|i|it|"
    r"one) (?:should|could|can)(?:n't| not)|to (?:hold|be afraid|fear|ban|exclude|forbid|leave out|"
    r"do without))\b",
    r"\bnothing\s+(?:\w+\s+){0,3}?(?:wrong with|against|speaks against|stops? (?:us|you|me)|"
    r"prevents? (?:us|you|me)|keeps? (?:us|you|me) from|that speaks against|bad about|to (?:stop|"
    r"prevent))\b",
    r"\b(?:can't|cannot|couldn't|can not|hard to|impossible to|difficult to|there's no|there is no|"
    r"no) (?:really )?(?:avoid|do without|get around|escape|way around|beat(?:ing)?|getting around|"
    r"alternative to|substitute for|choice but|other way than|better (?:\w+ )?than|resist|"
    r"go wrong with)\b",
    r"\b(?:not|isn't|wasn't|aren't|wouldn't be|hardly|never) (?:\w+ ){0,2}?(?:bad|wrong|terrible|"
    r"unreasonable|off the table|ruled out|forbidden|out of the question|banned|prohibited|harmful|"
    r"the end of the world|a problem|an issue|crazy|too bad|evil|a sin)\b",
    r"\bdo(?:es)? no (?:harm|damage)\b|\bcauses? no (?:trouble|problems?|harm)\b|"
    r"\b(?:wouldn't|won't|can't|doesn't|didn't|don't) (?:really )?(?:hurt|mind|object|harm|rule out|"
    r"exclude|see (?:a|any) (?:problem|issue|harm)(?: with)?|have anything against|lose anything)\b|"
    r"\bwhy not\b|\bno (?:problem|harm|shame|objections?|downside)\b(?: (?:in|with|to|using))?|"
    r"\bdon't (?:avoid|be afraid of|rule out|shy away from)\b|\bnever (?:really )?(?:ruled out|"
    r"rejected|forbade|banned)\b|\bcan't we (?:just|simply)\b|\bwhy (?:don't|can't|shouldn't) we\b|"
    r"\b(?:wouldn't|isn't|shouldn't|couldn't) (?:it|we|that|this)\b",
)
"""Two denials that make an assent."""

HARMLESS = re.compile(
    r"\bnot (?:only|just|sure|yet|to mention|that (?:much|long|hard))\b|\bno (?:matter|doubt|big deal|"
    r"idea|longer (?:need|have) to)\b|\bnever mind\b|\bif (?:i'm|you're) not mistaken\b|"
    r"\bdon't (?:overthink|worry|bother)\b|\bwhy not\b|\bnot happy\b|\bno time\b"
)
"""Words with a denial in them that denies nothing about a name."""

EXCEPTION = re.compile(
    r"\b(?:(?:for|in) (?:this|that) (?:one|single|particular|specific)? ?(?:case|spot|place|file|call|"
    r"path|function|endpoint|test|script|once)|just (?:this )?once|here (?:it|a|an|the|one|we|i)\b|"
    r"this (?:one )?time|only here|an exception|make an exception|one-off|exceptionally|is different|"
    r"does(?:n't| not) apply here|(?:i|i'd) would drop that|drop that restriction|(?:that|"
    r"the) (?:rule|restriction|freeze|reason|audit)\b[^.;]{0,60}\b(?:does(?:n't| not) (?:apply|cover|"
    r"matter|hold)|no longer (?:applies|holds|matters)|covers?|was about|is about|meant))\b"
)
"""Words that make an exception of a rule."""

ASSENT = re.compile(
    r"\b(?:(?:it|that|this|one|they|which|here|those)(?:'s| is|'d be| would be| are| seems?| looks?|"
    r" should be| can be)\b(?:\W+(?:just|really|actually|still|probably|perfectly|quite|a|an|the|much|"
    r"also|totally|fair|more|pretty))*\W+(?:fine|ok(?:ay)?|acceptable|reasonable|simple(?:st|r)?|"
    r"easi(?:er|est)|enough|harmless|justified|safe|worth it|the (?:simplest|easiest|best|right)|best|"
    r"better|good|shorter|warranted|sensible|defensible|cleaner|cheaper|pragmatic|allowed)|(?:it|that|"
    r"this|one) (?:works|makes sense|does the job|would work|will do|would do)|i(?:'d| would|'ll|"
    r" will) (?:go that way|do (?:that|it|so)|use (?:it|one|that)|go with (?:it|that|one)|take (?:it|"
    r"that|one)|merge (?:it|that)|bring (?:it|that) back|allow (?:it|one)|put (?:it|one) back|"
    r"drop that restriction)|let's (?:do (?:it|that)|use (?:it|one)|go (?:with|for) (?:it|that|one))|"
    r"seems? fair|is fair)\b"
)
"""Assent to what was named just before."""

WITHDRAWN = re.compile(
    r"\b(?:(?:it|that|this|they|those|these|both|which|one)(?:'s| is|'re| are| was| were| has been|"
    r" have been| had been| stays?| remains?| got)\b(?:\W+(?:still|now|also|already|exactly|just|all|"
    r"what|been|explicitly|one of the))*\W+(?:ruled out|rejected|out\b|off the table|off[- ]limits|"
    r"forbidden|banned|excluded|prohibited|vetoed|not (?:an option|allowed|permitted|what|"
    r"on the table|acceptable)|against|what (?:you|we) (?:threw|ruled|rejected|dropped|banned|agreed)|"
    r"frozen|the (?:thing|approach|design) (?:you|we) (?:ruled|rejected|dropped))|"
    r"(?:you|we|i|the team)(?:'ve| have| had)? (?:\w+ )?(?:ruled|decided against|rejected|threw|"
    r"banned|said no|dropped|agreed (?:not|on|to)|settled|froze|vetoed|excluded|forbade)|(?:that|this|"
    r"it|which) (?:contradicts|violates|breaks|goes against|would (?:contradict|violate|break|"
    r"bring back|undo|go against))|i (?:did(?:n't| not)|won't|will not|have(?:n't| not)|would(?:n't|"
    r" not)|can(?:'t|not)) (?:do|follow|take|go (?:that|there|with)|adopt|propose|apply) (?:that|it|"
    r"this|so|the advice)?|the (?:directory|package|module|folder|code) is frozen|so i (?:did not|"
    r"didn't)\b|the answer (?:was|is) no|does(?:n't| not) apply|(?:it|that|size) does matter|"
    r"as things stand|until then|for now it)\b"
)
"""Words that take back what was named just before."""

QUESTION_PROPOSES = re.compile(
    r"^\W*(?:(?:so|and|but|or|then|hm+|well|ok(?:ay)?|honestly|alternatively),?\s+)*(?:why (?:don't|"
    r"not|can't|shouldn't)|(?:can't|couldn't|shouldn't|wouldn't) (?:we|it|you|i|that|this)|"
    r"could(?:n't)? we (?:just|simply)|how about|what about|what if (?:we|i)|isn't it (?:easier|"
    r"simpler|better)|shall we (?:just|simply|go)|would(?:n't)? it (?:not )?be (?:easier|simpler|"
    r"better|cleaner)|any reason not|is there (?:a|any) reason not|who says we can't|"
    r"do we really need (?:the|an?|all))\b"
)
LEADS_TO_YES = re.compile(
    r"^\W*(?:yes|sure|of course|absolutely|certainly|definitely|agreed|good (?:idea|point|call)|"
    r"i agree|i(?:'d| would)? recommend (?:following|it|that|doing)|makes sense|sounds good|go for it|"
    r"do it|they(?:'re| are) right|he(?:'s| is) right|she(?:'s| is) right|the reviewer is right|"
    r"gladly|right)\b|^\W*(?:可以|好的|行[，。]|没问题|同意|当然|对[，。]|有道理)"
)
"""An assent to what was asked, with which a reply or sentence begins."""

ASKS_RULE = re.compile(
    r"\b(?:rules?|holds?|covers?|apply|applies|ruled|rejected|allowed|permitted|lift(?:ed)?|exception|"
    r"restriction|constraint|ban(?:ned)?|forbidden|freeze|frozen|off[- ]limits|still|prohibit\w*|"
    r"decision)\b"
)

SHORT_CUT = re.compile(r"\bship it\b|\bkeep it simple\b|\bdon't overthink\b|\bdone in \w+ minutes\b")
"""Words of a speaker who has made up his mind."""

NAMED_ONLY = re.compile(r"^\W*(?:(?:a|an|the|any|some|our|your|this|that|one|single|such|more|new|another)\W+)*$")
"""Nothing but articles before a name: the clause begins with it."""
