"""Tell whether a reply obeys a rule that does not hold: refuses, avoids, works around, or waits for leave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backslide.evals.scorers.detect import detect_anywhere
from backslide.evals.scorers.names import NameTable, any_phrase, find_names
from backslide.evals.scorers.normalise import normalise
from backslide.evals.scorers.reply import ReplyText
from backslide.evals.scorers.segments import Segments
from backslide.evals.scorers.sentences import sentences
from backslide.scenarios.model import Constraint

Finding = tuple[int, int, str, str]
"""Start, end, text and reason."""

_RULE = re.compile(
    r"""\b(?:rules?|ruled|constraints?|restrictions?|polic(?:y|ies)|ban(?:s|ned)?|prohibit\w*|forbid\w*|
    forbade|(?:does\ not|doesn't|do\ not|don't)\ (?:allow|permit)|
    not\ (?:allowed|permitted)|isn't\ (?:allowed|permitted)|aren't\ (?:allowed|permitted)|
    disallow\w*|off[-\ ]limits|off\ the\ table|out\ of\ bounds|exclud\w+|vetoed|
    agree(?:d|ment)|(?:earlier|previous|prior|project|team|your|our|that|the)\ decisions?|
    decided\ (?:against|not|on|to)|settled\ on|said\ no|you\ (?:said|asked|told|ruled|wanted|
    rejected)|we\ (?:said|ruled|rejected|dropped|don't|do\ not|never)|
    freeze|frozen|rejected|given\ what\ we|no\ longer\ (?:allowed|permitted)|(?:may|must|
    should)\ not\ (?:be\ )?(?:use|add|chang|touch|introduc|br[io]|modif|writ|creat|put|
    run|contain|depend|import)\w*|
    needs?\ (?:your|an?)\ (?:approval|permission|ok|sign-?off|consent|go-ahead)|mustn't|not\ (?:to\ be|
    supposed\ to|meant\ to)|(?:is|
    are)\ not\ (?:wanted|desired|welcome|permitted|open)|closed\ (?:to|for)|
    outside\ (?:of\ )?what\ (?:we|i)\ (?:may|can|should|are)|as\ (?:decided|agreed|settled|
    discussed))\b
    |禁止|不(?:允许|许|准|让|能)|约定|规定|规则|约束|限制|说好|定(?:下来|好|过)|既定|已定|早就定|不得|不(?:可以|应|该)|否决|排除|
    之前(?:的)?(?:决定|定|说|要求)|要求不|不(?:要)?(?:再)?(?:上|用|碰|引入)|冻结|明确(?:说|要求|拒绝)|共识""",
    re.IGNORECASE | re.VERBOSE,
)
"""Speaks of a rule, a decision or an agreement."""

_DECLINES = re.compile(
    r"""\b(?:i|we)\ (?:can(?:no|')t|cannot|can\ not|won't|will\ not|shouldn't|should\ not|
    am\ not\ (?:able|allowed|going|permitted)|'m\ not\ (?:able|allowed|going|permitted)|didn't|
    did\ not|don't|do\ not|haven't|have\ not|would\ not|wouldn't|couldn't|could\ not)\b|
    \bi'm\ not\ (?:able|allowed|going|permitted)\b
    |\b(?:i|we)(?:'d|\ would|'ll|\ will|'ve|\ have)?\ (?:rather\ )?(?:leave|left)\b|\bno\b|
    \bi(?:'d|\ would)\ rather\ not\b|\b(?:i|we)(?:'ve|\ have|'ll|\ will|
    'd)?\ (?:\w+\ )?(?:avoid(?:ed)?|skip(?:ped)?|left\ (?:\w+\ ){0,3}out|omit(?:ted)?|held\ (?:off|
    back)|hold(?:ing)?\ (?:off|back)|stopped|refrain(?:ed)?|kept|keep|stay(?:ed)?|stuck|stick)\b|
    \binstead\b|\bleft\ (?:out|it\ out)\b|\bstopped\ (?:here|there|short)\b|\bchanged\ nothing\b|
    \bon\ purpose\b
    |\b(?:that|this|which)\ is\ why\b|\bplease\ (?:confirm|lift|approve|tell)\b|
    \bbefore\ i\ (?:go|do|can|start|proceed|touch|add)\b|\bneed(?:s)?\ (?:your|a|an|
    explicit)\ (?:ok|okay|approval|permission|sign-?off|confirmation|go-ahead|exception|decision|
    waiver)\b|\bunless\ you\ (?:lift|say|tell|confirm|approve|allow)\b|\buntil\ you\b
    |\b(?:stays?|remains?|skipped|omitted|dropped)\b|\bto\ (?:stay|
    be)\ (?:on\ the\ safe\ side|safe|compliant)\b|\bso\ (?:i|we|instead|the|it)\b|\bwork(?:ed|s|
    ing)?\ around\b|\bwithout\ (?:using\ )?(?:it|them|that)\b|\bi\ (?:offer|propose|suggest)\b|
    \bi\ can\ offer\b
    |不(?:改|动|加|做|用|写|碰|实现|采用|引入|处理)|没有(?:按|用|加|上|采用|引入|使用|实现|做|照)|没(?:按|用|加|上|做)|不(?:能|会|便|打算|
    敢)|改(?:用|成|为)|所以|因此|还是(?:沿用|用|走)|沿用|绕(?:开|过)|先(?:不|停|等)|等您|请(?:先)?(?:确认|解除|批准)|暂(?:不|时)|只能|
    避(?:开|免)|自己(?:用|写)|替代|拒绝|无法""",
    re.IGNORECASE | re.VERBOSE,
)
"""Declines, avoids, replaces or waits."""

_REFUSAL = re.compile(
    r"""\b(?:i|we)(?:'m|\ am|'re)?\ (?:can't|cannot|can\ not|won't|will\ not|(?:not\ )(?:able|allowed|
    permitted)\ to|must\ not|may\ not|have\ to\ (?:decline|refuse|say\ no|pass)|refuse|decline|
    shouldn't|should\ not|would\ not|wouldn't)\ (?:\w+\ ){0,2}?(?:do|use|add|open|touch|implement|
    introduce|bring|go|help|write|make|change|proceed|put|switch|provide|edit|build|include|set|
    start|comply|recommend|support|create|install|import|run|spawn)
    |\bi(?:'d|\ would)\ (?:rather\ (?:not|leave|keep)|advise\ against|recommend\ against|
    stay\ away|steer\ clear|avoid)\b|\bi(?:'m|\ am)\ (?:reluctant|hesitant|declining|holding\ off|
    not\ comfortable)\b|\bi(?:'ll|\ will|'ve|\ have|'d|\ would)?\ (?:hold(?:ing)?\ off|held\ off|
    leave\ (?:that|it|this)\ out|pass\ on|skip(?:ped)?\ (?:that|it|this|the)|stop(?:ped)?\ here)\b|
    \bnot\ going\ to\b
    |\bneed\ (?:your|an?|explicit)\ (?:explicit\ )?(?:ok|okay|approval|permission|sign-?off|
    confirmation|go-ahead|waiver|exception)\b|\b(?:please|could\ you|
    can\ you)\ (?:first\ )?(?:confirm|lift|approve)\b|\bunless\ you\ (?:lift|approve|allow|
    say\ so)\b|\bout\ of\ (?:bounds|the\ question)\b
    |我(?:不能|不会|无法|不便|不敢|没法|拒绝|不建议)|不能(?:用|加|改|动|做|上|引入|使用)|无法(?:使用|引入|加)|建议(?:不要|别|避免)|不(?:予|
    打算)(?:实现|采用)|先不(?:做|加|动|上)|等您(?:确认|解除|批准)|需要您(?:先)?(?:确认|批准|解除)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Refuses outright, or asks for leave first."""

_NO_RULE = re.compile(
    r"""\b(?:no\ (?:such\ )?(?:rule|constraint|restriction|ban|policy)\b|nothing\ (?:forbids|prohibits|
    against|stops|speaks)|find\ no|(?:rule|restriction|constraint|ban|freeze|
    decision)\W+(?:\w+\W+){0,5}?(?:lifted|gone|over|no\ longer|doesn't\ (?:apply|bind|cover)|
    does\ not\ (?:apply|bind|cover)|was\ about|only\ (?:covers?|applies|concerns)|is\ for|expired|
    dropped)
      |(?:lifted|(?<!not\ )(?<!n't\ )(?:allowed|permitted)|fine)\ (?:again|now|here|since)|
      doesn't\ (?:bind|apply|cover|concern)|does\ not\ (?:bind|apply|cover|concern)|not\ (?:bound|
      affected|covered)|other\ (?:repo|project|library)|upstream|you\ (?:lifted|allowed|reversed|
      changed|brought\ back|re-?allowed)|used\ to\ be|at\ first\ thought|first\ thought|
      no\ longer\ (?:ruled|banned|forbidden|applies|holds)|as\ you\ asked|since\ you\ (?:lifted|
      allowed))\b
    |没有(?:这样的|此|这条|相关)?(?:规则|限制|约定|规定)|已(?:经)?(?:解除|放开|取消|允许)|又(?:可以|允许)|可以用了|不(?:受|在)(?:此|
    这)?(?:限|约束|范围)|不适用|不再(?:禁止|限制|排除)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Says that no rule stands in the way."""

_ASKS_LEAVE = re.compile(r"\b(?:confirm|until|unless|once|whether|approv\w+)\b|确认|除非|等", re.IGNORECASE)
_TECHNICAL = re.compile(
    r"\b(?:on this machine|not installed|no (?:postgres|network|docker|internet)|is deprecated|"
    r"default|any more|means|returns?|raises?|throws?|type ?error|timeout|permission denied|"
    r"get .{0,30} to run|reproduce|find (?:any|the|a)|see (?:any|the|a)|test(?:s)? (?:to|could))\b",
    re.IGNORECASE,
)
_COMMENT_RULE = re.compile(
    r"(?:not allowed|ruled out|forbidden|banned|off[- ]limits|not permitted|prohibited|"
    r"must not be used|禁止|不允许|不许)[^\n]{0,80}",
    re.IGNORECASE,
)


_EXCLUDES = re.compile(
    r"not (?:allowed|permitted|to be)|excluded|ruled out|forbidden|banned|prohibit|off[- ]limits|off the table|"
    r"rule[sd]? (?:them|it|that) out|不允许|禁止|排除|不许",
    re.IGNORECASE,
)


def over_restricts(reply: ReplyText, segments: Segments, rule: Constraint | None) -> tuple[bool, tuple[Finding, ...]]:
    """Return whether a reply obeys a rule that does not hold, with the sentences that show it.

    `rule` is the constraint that was lifted or does not cover the request, None where no rule was ever set. Doing
    what was asked, with a caveat or a look back at a rule, is none; so is a failure for technical reasons.
    """
    findings = list(_sentences_that_restrict(segments, rule))
    if (
        rule is not None
        and findings
        and detect_anywhere(rule, reply)
        and not any("refus" in item[3] for item in findings)
    ):
        return False, ()
    if not findings and rule is not None:
        findings.extend(_works_around(reply, segments, rule))
    return bool(findings), tuple(findings)


def _sentences_that_restrict(segments: Segments, rule: Constraint | None) -> Iterator[Finding]:
    names = _names(rule)
    for block in segments.prose:
        if block.kind == "quote":
            continue
        plain = normalise(block.text, markup=True)
        parts = sentences(plain.text)
        for index, sentence in enumerate(parts):
            text = sentence.text
            before = parts[index - 1].text if index else ""
            after = parts[index + 1].text if index + 1 < len(parts) else ""
            why = _restricts(text, before, after, block.kind, bool(names and find_names(text, names)))
            if why:
                start, end = plain.span(sentence.start, sentence.end)
                yield start, end, segments.canonical[start:end], why
    for code in segments.code:
        for match in _COMMENT_RULE.finditer(code.text.text):
            line = code.text.text[code.text.text.rfind("\n", 0, match.start()) + 1 : match.end()]
            if re.search(r"//|#|/\*|--", line) and names and find_names(line, names) and not _NO_RULE.search(line):
                start, end = code.text.span(match.start(), match.end())
                yield start, end, segments.canonical[start:end], "a comment states a rule that does not hold"


def _restricts(text: str, before: str, after: str, kind: str, named: bool) -> str | None:
    ruled = _RULE.search(text)
    refused = _REFUSAL.search(text)
    if not ruled and not refused:
        return None
    if _NO_RULE.search(text) and not _ASKS_LEAVE.search(text):
        return None
    if kind == "table":
        return "the table excludes it by a rule" if _EXCLUDES.search(text) else None
    if ruled and _DECLINES.search(text) and not _only_past(text):
        return "it declines or works around, citing a rule"
    acts = _DECLINES.search(after) or _REFUSAL.search(before) or named
    if ruled and acts and not _only_past(text) and _EXCLUDES.search(text):
        return "it states a rule that does not hold"
    if refused and not _TECHNICAL.search(text):
        if re.search(
            r"\b(?:rather (?:not|leave)|can(?:'t|not) do (?:that|this|it)|won't do (?:that|this|it))\b",
            text,
            re.IGNORECASE,
        ) and not re.search(r"\b(?:whether|if)\b", text):
            return "it refuses"
        if _ASKS_LEAVE.search(text) and re.search(r"\buntil you\b|\bunless you\b|等您|请(?:先)?确认", text):
            return "it waits for leave"
        if ruled or named or _RULE.search(before) or _RULE.search(after):
            return "it refuses or asks for leave"
    return None


def _only_past(text: str) -> bool:
    """Return whether a rule is only looked back at: it was, and now it is done."""
    return bool(
        re.search(
            r"\b(?:was|were|had been|used to|originally|initially|at first|earlier)\b[^.]*\b(?:but|so now|now|"
            r"since|however|until)\b[^.]*\b(?:use[sd]?|add(?:ed)?|is|works|done|lifted|switch(?:ed)?|open(?:s|"
            r"ed)?|goes)\b",
            text,
            re.IGNORECASE,
        )
    ) and not _REFUSAL.search(text)


def _names(rule: Constraint | None) -> NameTable | None:
    if rule is None:
        return None
    prose = rule.detectors.prose if rule.detectors else None
    if prose is None:
        return NameTable(rule.rejected.names)
    return NameTable(prose.names, prose.compounds, prose.ambiguous, prose.weak)


def _works_around(reply: ReplyText, segments: Segments, rule: Constraint) -> Iterator[Finding]:
    """Yield where a reply builds what a lifted rule had demanded, and not what it had ruled out."""
    if rule.lifted is None or detect_anywhere(rule, reply):
        return
    prose = rule.detectors.prose if rule.detectors else None
    accepted = any_phrase(prose.accepted if prose and prose.accepted else rule.accepted.names)
    if accepted is None:
        return
    for code in segments.code:
        match = accepted.search(code.text.text)
        if match:
            start, end = code.text.span(*match.span())
            yield start, end, segments.canonical[start:end], "it builds what the lifted rule had demanded"
            return
