"""Tell what stands behind a label: a call, an output, a report, a field's value, a definition, words about labels."""

from __future__ import annotations

import re

LONGEST = 600
"""Characters of a content that are looked at."""

_PROGRAMS = (
    r"(?:sudo\s+)?(?:git|npm|npx|pnpm|yarn|bun|node|deno|python3?|pip3?|uv|poetry|pytest|tox|ruff|mypy|cargo|rustc|"
    r"go|gofmt|make|cmake|ninja|"
    r"docker|docker-compose|kubectl|helm|terraform|ansible|bash|sh|zsh|grep|rg|sed|awk|cat|ls|find|head|tail|wc|"
    r"diff|curl|wget|psql|mysql|"
    r"sqlite3|redis-cli|mvn|gradle|\./gradlew|composer|php|bundle|rake|rails|ruby|gem|dotnet|swift|xcodebuild|tsc|"
    r"eslint|prettier|jest|vitest|"
    r"mix|elixir|stack|cabal|ghc|flutter|dart|mv|cp|rm|mkdir|touch|chmod|ln|ssh|scp|rsync|systemctl|journalctl|apt|"
    r"apt-get|brew|gh|jq|axe|ldd|"
    r"strace|perf|gdb|valgrind|echo|export|cd|ps|kill|tar|zip|unzip|date|nproc|df|du|gcc|clang)"
)
_COMMAND = re.compile(
    rf"^(?:[$❯]\s+\S|{_PROGRAMS}(?:\s+(?:--?\w|[\w./:=@'\"*{{$-]+)|\s*$)|(?:\./|bin/|scripts?/|\.venv/)[\w./-]+)"
)
_CALL_FORM = re.compile(r"^`?[A-Za-z_][\w.:-]{0,60}\s?\(")
_CALL_NAMED = re.compile(r"^`?[A-Za-z_][\w.:-]{0,60}\s*[:=]?\s*\{")
_KEYWORDS = re.compile(r"^[a-z_][\w.-]{0,40}\s+(?:--?\w[\w-]*|\w+=\S+)(?:\s|$)")

_ID = re.compile(r"(?<![\w./-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_PATH = re.compile(
    r"(?<![\w@])(?:[\w.-]+/)+[\w.-]*\w|(?<![\w/.])[\w-]+\.(?:[a-z]{1,5}|[a-z]{2,4}\d)(?::\d+)?(?![\w.]|\()"
)
_FIGURE = re.compile(r"(?<![A-Za-z_-])[vV]?\d[\d,._:]*\d?\s?(?:%|[a-zA-Zµ]{1,12}\b|[\u3400-\u9fff]|$)?")
_NOTICE = re.compile(
    r"(?i)\b(?:plan mode|edit mode|read-?only mode|mode is|context (?:is|was|window|has)|compact\w+|"
    r"tokens? (?:left|used|remain\w*)|token budget|todo list|to-do list|unread|notifications?|this session|"
    r"the session|interrupted|"
    r"uncommitted|working (?:tree|directory)|current branch|do not (?:edit|commit|push|mention)|harness|"
    r"permission mode|has been approved|rate limit|reminder)\b|上下文|未提交|当前分支|工作区|会话(?:即将|已)|"
    r"计划模式|请勿|压缩"
)
_CODE = re.compile(r"`[^`\n]{2,200}`")
_STATUS = re.compile(
    r"(?i)\b(?:pass(?:ed|es|ing)?|fail(?:ed|ures?|ing|s)?|green|ok|success(?:ful(?:ly)?)?|error|warnings?|"
    r"exit(?:ed|s)?(?: (?:code|status|with))? ?\d|"
    r"no (?:errors?|output|warnings?|such|match\w*|findings?)|clean|healthy|replaced|created|done|timed out|"
    r"not found|denied)\b|通过|失败|成功|"
    r"报错|错误|警告|无输出|退出码|已替换|未找到|干净"
)

_REPORT_EN = (
    r"(?:i(?:'ve| have)?\s+(?:just\s+|now\s+|also\s+)?)?(?:done|fixed|updated|replaced|renamed|moved|added|removed|"
    r"deleted|changed|switched|"
    r"committed|pushed|tagged|merged|bumped|applied|rewrote|rewritten|created|wrote|written|implemented|inlined|"
    r"extracted|reverted|"
    r"adjusted|finished|completed|installed|deployed|published|ran|tested|made|converted|refactored|dropped|"
    r"cleaned|sorted|reordered)\b"
)
_REPORT = re.compile(
    rf"(?i)^\W*(?:ok(?:ay)?[,.]?\s+|yes[,.]?\s+|sure[,.]?\s+|all\s+)?{_REPORT_EN}|^\W*(?:好的?[，,]?)?(?:已(?:经)?|"
    rf"我已|都已?|全部)?\S{{0,12}}?"
    r"(?:已|完成|改好|改完|修好|搞定|好了|完了|写好|加上了|删了|换了)|^(?:it|they|this|that|the \w+(?: \w+)?|both|"
    r"all \w+)(?:'s| is| are| was| were| has been| have been) "
    r"(?:now |all )?(?:done|fixed|gone|in|clean|green|in place|moved|updated|replaced|renamed|merged|removed|ready)\b"
)

_ACK = re.compile(
    r"(?i)^(?:ok(?:ay)?|yes|no|thanks?|thank you|agreed|sure|go|done|good|great|fine|right|perfect|continue|stop|"
    r"please|nice|yep|nope|proceed|correct|hi|hello|ja|nein|sí|si|oui|non|d'accord|claro|vale|da|sim)\b"
)
_ABOUT = re.compile(
    r"(?i)^(?:is|are|was|were|means?|marks?|labels?|in front of|stands? for)\b(?!\s+(?:it|that|this|there|we|you|i|"
    r"the \w+ (?:ok|ready))\b)|(?:and|or)\s+[`\[<【\"“]|"
    r"^(?:这(?:个|样的)?(?:标签|标记|行)|的?(?:标签|标记)|表示|代表)"
)
_ABOUT_BARE = re.compile(
    r"(?i)^(?:[,;/)、，。]|→|->|—|–|=|\||(?:and|or)\s+(?:[`\[<【\"“]|the\b)|vs\b|is\b|are\b|was\b|were\b|means?\b|"
    r"marks?\b|labels?\b|lines?\b|blocks?\b|tags?\b|tokens?\b|"
    r"markers?\b|turns?\b|opens?\b|starts?\b|stands?\b|should\b|must\b|may\b|can(?:not)?\b|has\b|have\b|comes?\b|"
    r"appears?\b|counts?\b|needs?\b|"
    r"in (?:the|your|a|this)\b|at the\b|和|与|或|是|表示|这|那|标签|标记|开头|要|应|必须|会|放|之后|后面|前面|代表|的)"
)
_DEFINES = re.compile(
    r"(?i)^(?:the|a|an|any(?:one|body|thing)?|who(?:ever)?|someone|somebody|people|one|every\w*|has to|have to|"
    r"must|should(?!\s+(?:i|we|it))|"
    r"needs?|wants?|may|can(?!\s+(?:you|we|i|it)\b)|is(?!\s+(?:it|that|this|there))|are(?!\s+(?:you|we|they|"
    r"there))|means|avoid|only|no\b|none|"
    r"never|not|optional|required|see|same|whatever|nothing|ask|tell|keep|check|wait|leave|run|read|use|do not|"
    r"don't|at least)\b|"
    r"^[a-z]{2,}s\s+(?:the|an?|it|them|any|all|only|every|no|who|what|whether|when|how)\b|^(?:指|即|是|表示|由|须|"
    r"需|应|要|必须|负责|任意|无|不限|仅|只|任何|请|先|不要|删|问|等|在.{1,12}之前)"
)
_DEFINES_ALONE = re.compile(
    r"(?i)^(?:has to|have to|wants to|means|must be|refers to)\b|^(?:指的?是?|即|是指|负责|任意)"
)
_SPOKEN_WORD = re.compile(r"(?i)[()]|\b(?:it|that|this|them|me|you|we|i|now|then|too|again|instead)\b")
_OUTCOME = re.compile(
    r"(?i)\b(?:(?:tests?|suite|build|checks?|ci|pipeline|it|they|all)(?: \w+){0,2} (?:pass(?:es|ed)?|fail(?:s|ed)?|"
    r"(?:is|are) (?:all )?green)|no (?:errors|failures|matches|such file|warnings|output)|exit code|not found|"
    r"does(?:n't| not) exist|timed out)\b|"
    r"(?:测试|用例|构建|流水线|全部|都)[^，。]{0,6}(?:通过|失败)|报错|不存在|没有输出"
)
_IN_PERSON = re.compile(
    r"(?i)^(?:ok(?:ay)?[,.]?\s+|now\s+|then\s+)?(?:i\b|i'|let me\b|let's\b|we\b|going\b|\w{3,}ing\b|next up\b)|"
    r"^(?:我|正在|现在|接着|继续|先)"
)
_PLACEHOLDER = re.compile(r"[\[{<($]{1,3}[\w .|-]{1,40}[\]}>)]{1,3}|…|\.{3}")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")
_CHINESE = re.compile("[\u3400-\u9fff]")


def is_call(text: str) -> bool:
    """Return whether a content is a tool call with arguments, or a command as one types it."""
    head = text[:LONGEST].lstrip("$❯ ").strip()
    if not head:
        return False
    if _CALL_FORM.match(head):
        inside = head[head.index("(") + 1 :]
        return "(" in head and not _reads_as_words(head) and inside.strip() != ""
    if _CALL_NAMED.match(head) or (head[0] == "{" and '"' in head and ":" in head):
        return True
    return is_command(text)


def is_command(text: str) -> bool:
    """Return whether a content is a shell command rather than a sentence that begins like one."""
    head = text[:LONGEST].strip()
    if not (_COMMAND.match(head) or _KEYWORDS.match(head)):
        return False
    return not _reads_as_words(head)


def _reads_as_words(head: str) -> bool:
    """Return whether a text is a sentence: many plain words, hardly any sign of a shell or a call."""
    if len(_CHINESE.findall(head)) > 8 and not re.search(r"[({'\"=]", head):
        return True
    words = head.split()
    signs = re.search(r"[=|<>;{}\"*]|(?:^|\s)--?\w|\w/\w|\w\.\w{1,4}\b|\(.*\)|&&", head)
    return len(words) > 5 and not signs


def has_world(text: str) -> bool:
    """Return whether a text holds an id, a path, a figure, code or a status that comes from a machine."""
    head = text[:LONGEST]
    return bool(_ID.search(head) or _PATH.search(head) or _FIGURE.search(head) or _CODE.search(head))


def has_status(text: str) -> bool:
    """Return whether a text says how something ended: passed, failed, exit 0."""
    return bool(_STATUS.search(text[:LONGEST]))


def sounds_spoken(text: str) -> bool:
    """Return whether a short text is said to somebody rather than set."""
    return bool(_SPOKEN_WORD.search(text[:LONGEST]) or _ACK.match(text[:LONGEST]))


def is_notice(text: str) -> bool:
    """Return whether a text is what a harness tells a model: its mode, its context, its open changes."""
    return bool(_NOTICE.search(text[:LONGEST]))


def is_in_person(text: str) -> bool:
    """Return whether a content is what somebody says of the own work under way: "matching the two cases apart"."""
    head = text[:LONGEST].strip()
    return bool(_IN_PERSON.match(head)) and not is_advice(head)


def has_id(text: str) -> bool:
    """Return whether a text holds what looks like a commit id."""
    return bool(_ID.search(text[:LONGEST]))


def has_path(text: str) -> bool:
    """Return whether a text names a file."""
    return bool(_PATH.search(text[:LONGEST]))


def is_output(text: str) -> bool:
    """Return whether a content is what a tool prints: figures, paths, ids or a status, and no request or advice."""
    head = text[:LONGEST].strip()
    if not head or head.endswith(("?", "？")):
        return False
    return bool(has_world(head) or _STATUS.search(head)) and not is_advice(head) and not _IMPERATIVE.match(head)


_IMPERATIVE = re.compile(
    r"(?:Fix|Use|Check|Rename|Move|Drop|Keep|Make|Take|Put|Split|Ask|Escape|Stream|Delete|Remove|Replace|Wait|Stop|"
    r"Try|Consider|Avoid|Merge|Raise|Lower|Document|Mention|Tell|Write|Name|Return|Give|Let|Leave|Do|Don't|Never|"
    r"Always|Start|Pin|Upgrade|Bump|Extract|Inline|Add (?:a|an|the|one|two|tests?)\b)\b(?!ed)"
)
_ADVICE = re.compile(
    r"(?i)\b(?:should|would|could|recommend|suggest|consider|prefer|expect(?:ed)?|if you|unless)\b|建议|应该|"
    r"可以考虑|最好|预期"
)


def is_advice(text: str) -> bool:
    """Return whether a content recommends, rather than tells what was."""
    head = text[:LONGEST]
    return bool(_ADVICE.search(head))


def is_report(text: str) -> bool:
    """Return whether a content tells of an action that is done ("Replaced.", "已替换")."""
    return bool(_REPORT.match(text[:LONGEST]))


def tells_facts(text: str) -> bool:
    """Return whether an assistant's words bring a figure, id, file or output as a fact."""
    for sentence in _SENTENCE_END.split(text[:LONGEST]):
        if (has_world(sentence) or _OUTCOME.search(sentence)) and (is_report(sentence) or not is_advice(sentence)):
            return True
    return False


def is_about(text: str, colon: bool) -> bool:
    """Return whether the words behind a label speak about the label."""
    return bool((_ABOUT if colon else _ABOUT_BARE).match(text[:LONGEST].lstrip("`\"”' ")))


def is_value(text: str) -> bool:
    """Return whether a content is a field's value: a word or two that are no turn of a conversation."""
    head = text[:LONGEST].strip()
    if not head or _PLACEHOLDER.fullmatch(head):
        return True
    if _CHINESE.search(head) or "," in head or _ACK.match(head) or _REPORT.match(head) or head[-1] in "?.!？。！":
        return False
    return len(head.split()) <= 2 and not _SPOKEN_WORD.search(head)


def defines(text: str, *, alone: bool = False) -> bool:
    """Return whether a content defines or demands in the third person; `alone` takes only the clearest beginnings."""
    head = text[:LONGEST].strip()
    return bool((_DEFINES_ALONE if alone else _DEFINES).match(head)) and not head.endswith(("?", "？"))
