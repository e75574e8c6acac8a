"""What the words around a block of code say about it: is it proposed, or only shown?"""

from __future__ import annotations

import re

_REMOVED = re.compile(
    r"""\b(?:before|previously|old(?:\s+(?:code|version|one|shape|way|approach))?|earlier\s+(?:attempt|
    version|code|draft)|removed|deleted|dropped|reverted|rolled\s+back|used\s+to|what\s+(?:we|you|
    i)\s+(?:had|removed|deleted|ruled\s+out|rejected|dropped|threw\s+out|do\s+not|don't)
    |rejected|ruled[\s-]out|anti-?pattern|bad|wrong|don't|do\s+not|never|must\s+not|mustn't|
    should\s+not|shouldn't|not\s+(?:this|like\s+this|the)|avoid|instead\s+of|rather\s+than|
    forbidden|banned|off\s+the\s+table
    |would\s+have\s+(?:been|looked)|would\s+be\s+(?:wrong|a\s+violation)|for\s+(?:reference|
    contrast|comparison)|counter-?example|as\s+it\s+(?:was|stood)|the\s+one\s+(?:we|
    you)\s+(?:removed|deleted|rejected)|is\s+gone|historical|in\s+history|git\s+(?:show|log|
    blame))\b
    |❌|🚫|之前|原来|以前|旧(?:代码|版本|的|写法|实现)?|删掉|删除|去掉|移除|否决|反例|错误(?:示范|写法)|不要|别(?:这样|这么|再)|不能|不可以|禁止|
    避免|而不是|撤销|回滚|曾经|当时|弃用|废弃|已经?移走""",
    re.IGNORECASE | re.VERBOSE,
)
_ADDED = re.compile(
    r"""\b(?:after|now|new|replace[ds]?\s+(?:it|that|this|them)?\s*(?:with|by)|becomes|instead(?!\s+of)|
    here'?s?\s+(?:is\s+)?(?:the\s+)?(?:fix|patch|change|implementation|code|version|new)|so\s+i|
    i(?:'ve|\s+have)?\s+(?:added|wrote|put|implemented)|add(?:ing)?\s+(?:this|it)|apply|update[ds]?|
    let's|use\s+(?:this|the\s+following)
      |but\s+(?:here|for|in\s+this|since)|however|switch(?:ed)?\s+(?:to|back)|restore|
      bring(?:ing)?\s+(?:it\s+)?back|go(?:ing)?\s+(?:back|with))\b
    |✅|现在|改成|改为|换成|新的?(?:代码|版本|写法|实现)?|如下|这样写|这么写|可以这样|补丁|实现|加上|恢复|加回|但|用一个|例外|破例|省事|直接用|加一个""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_COMMENT = re.compile(
    r"^\s*(?://|#|--|/\*)\s*(?:❌|🚫|BAD\b|DON'?T\b|DO NOT\b|WRONG\b|NEVER\b|BEFORE\b|OLD\b|REMOVED\b|"
    r"REJECTED\b|DELETED\b|NOT (?:this|like this|allowed)\b|anti-?pattern|ruled out|"
    r"what we (?:removed|rejected|ruled out)|反例|错误|旧|不要|已删|否决|删掉|之前)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\W*(?:(?:that|this|the above|which)\s+(?:is|was|'s)\s+(?:exactly\s+|precisely\s+|"
    r"just\s+)?(?:what|the\s+(?:code|version|thing|pattern|one|shape|approach|lock|design|"
    r"kind))\s+(?:that\s+|of\s+\w+\s+)?(?:we|you|i)\s+(?:removed|deleted|rejected|ruled|dropped|"
    r"agreed\s+not|said\s+no|decided\s+(?:against|not)|threw|must\s+not|mustn't|don't|do\s+not|cannot|"
    r"can't)"
    r"|(?:that|this|it|the above)\s+(?:is|was)\s+(?:now\s+)?(?:gone|deleted|removed|rejected|"
    r"ruled\s+out|the\s+old|off\s+the\s+table|out)\b"
    r"|(?:上面|以上|这)(?:这?段|个|些)?(?:代码|写法|版本)?(?:是|就是|已经?|都)?(?:我们)?(?:之前|旧|删|否决|不能|已经?删|被否|不要))",
    re.IGNORECASE,
)
_LOOK = re.compile(
    r"\b(?:current(?:ly)?|today|existing|as\s+(?:is|it\s+stands|it\s+is\s+today)|for\s+reference|"
    r"reads?\b|looks?\s+like\s+(?:this|now)|already|unchanged|untouched|read-only|quoted?|excerpt|"
    r"shows?|says?|from|defined|signature|contract|"
    r"found|see|call(?:s|ing)?|import(?:s|ing)?|uses?|using|depends|imported|wraps?|wrapping|against|"
    r"next\s+to|outside|leav(?:e|es|ing)|without\s+(?:touching|changing|editing))\b|现有|目前|当前|已有|现在的|"
    r"只读|读到|看到|原样|摘录|定义|签名|调用|引用|不动|不改|没动|没改",
    re.IGNORECASE,
)


def introduces_removed(intro: str, code: str) -> bool:
    """Return whether the words right before code, or its first comment, present it as old, removed or wrong."""
    if _FIRST_COMMENT.match(code):
        return True
    lines = [line.strip() for line in intro.splitlines() if line.strip()]
    if not lines:
        return False
    last = re.split(r"(?<=[.!?])\s+|[。！？]", lines[-1].rstrip())
    sentence = next((part for part in reversed(last) if part.strip()), "")[-240:]
    clauses = re.split(r"[,;，；]\s*", sentence)
    tail = clauses[-1] if len(clauses[-1]) > 12 else ",".join(clauses[-2:])
    removed = list(_REMOVED.finditer(tail)) or (
        list(_REMOVED.finditer(sentence)) if re.search(r"[:：]\W*$", sentence) else []
    )
    if not removed:
        return False
    added = list(_ADDED.finditer(sentence))
    return not added or (added[-1].start() < removed[-1].start() - 25)


def after_note(note: str) -> bool:
    """Return whether the words right after code say that it is what was removed or ruled out."""
    return bool(_AFTER.match(note))


def says_look_only(intro: str) -> bool:
    """Return whether the words before a block show a file as it is, without changing it."""
    lines = [line for line in intro.splitlines() if line.strip()]
    if not lines:
        return False
    tail = lines[-1][-240:]
    if re.search(
        r"\b(?:add|change|edit|update|modify|patch|replace|rewrite|extend|put|insert|fix|rename|move|"
        r"refactor)\w*\b|改|加|修|替换|写入|新增|补",
        tail,
        re.IGNORECASE,
    ):
        negated = re.search(
            r"\b(?:without|not|n't|no|never|instead\s+of)\b[^,;]{0,40}\b(?:chang|edit|touch|modif)|不(?:动|改|碰)|没(?:动|改)",
            tail,
            re.IGNORECASE,
        )
        return bool(negated)
    return bool(_LOOK.search(tail))
