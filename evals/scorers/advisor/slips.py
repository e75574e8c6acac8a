"""Announced actions ("I will run …"), and replies in which nothing is usable."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backslide.evals.scorers.advisor.content import is_call
from backslide.evals.scorers.advisor.lines import Line, is_blank
from backslide.evals.scorers.advisor.occurrences import Occurrence
from backslide.evals.scorers.advisor.voice import Spoken

_DO = (
    r"run|re-?run|execute|implement|edit|modify|commit|push|deploy|publish|release|merge|rebase|install|build|"
    r"compile|test|benchmark|profile|grep|search|refactor|rename|delete|remove|drop|"
    r"create|fix|patch|apply|migrate|add|update|change|replace|move|rewrite|write|open|inspect|query|measure|clone|"
    r"check out|backfill|revert|tag|bump|wire|set up|configure|try|reproduce|verify|"
    r"look (?:at|into|through|up|in)|check|read|go through|see|find|examine|trace|debug|start|restart|pull|fetch|scan"
)
_SOFT = frozenset(
    {
        "add",
        "change",
        "check",
        "read",
        "go through",
        "see",
        "find",
        "examine",
        "try",
        "verify",
        "write",
        "open",
        "test",
        "move",
        "replace",
        "update",
        "start",
        "look at",
        "look into",
        "look through",
        "look up",
        "look in",
        "set up",
        "create",
        "remove",
        "drop",
        "search",
        "build",
        "trace",
        "scan",
    }
)
_WILL = re.compile(
    rf"(?i)(?<![\w'])(?:i(?:'ll| will| am going to|'m going to|'m about to| am about to| shall|"
    rf"'m now going to)\s+(?:now\s+|then\s+|first\s+|just\s+|quickly\s+|go ahead and\s+|next\s+|also\s+|"
    rf"start by\s+)*(?P<a>{_DO})\b|"
    rf"let me\s+(?:now\s+|first\s+|just\s+|quickly\s+|go ahead and\s+|start by\s+)*(?P<b>{_DO})\b)(?P<rest>.*)"
)
_ING = re.compile(
    r"(?i)^(?:ok(?:ay)?[,.]?\s+|first[,.]?\s+|now[,.]?\s+|i(?:'m| am)\s+(?:now\s+)?)(?P<a>running|editing|"
    r"implementing|committing|pushing|deploying|searching|installing|building|checking out|applying|"
    r"opening|reading|starting|writing|looking (?:at|into|through)|updating|testing|grepping)\b(?P<rest>.*)"
)
_ADVICE_OBJECT = re.compile(
    r"(?i)^\W*(?:(?:my|the|an?|this|that|these|those|each|both|your|it|you|one|two|second|first|last|short|brief|"
    r"quick|few|more)\s+){0,3}(?:answers?|advice|opinion|view|reply|points?|reasons?|question\w*|list|summary|"
    r"recommendation\w*|"
    r"options?|word|caveats?|note|thought|warning|remark|condition|explanation|outline|sketch|with|from|by|again|"
    r"why|whether|if|how|what|that|agree|mind|subject|topic|trade-?offs?|arguments?|comment\w*|things?|rationale|"
    r"only|in turn|briefly)\b|^\W*$"
)
_WITH_WORDS = re.compile(
    r"(?i)^\W*(?:through\b|with\b|you through|on\b|out of|(?:my|the|an?|this|that|your)?\s*(?:answers?|advice|"
    r"opinion|view|reply|thoughts?|recommendation\w*|verdict)\b|$)"
)
_THING = re.compile(
    r"(?i)`|[\w-]+\.[a-z]{1,4}\b|\b(?:code\w*|repo\w*|files?|tests?|suite|columns?|tables?|index(?:es)?|branch|"
    r"migration\w*|schema|function|class|module|config\w*|script\w*|callers?|logs?|build|ci|pipeline|"
    r"commit\w*|database|query|quer(?:y|ies)|flag|endpoint|server|source|directory|folder|package\w*|dependenc\w+|"
    r"deploy\w*|timeout|implementation|git|batches|old one|patch|ticket|issue tracker|usages?|command\w*|"
    r"line \d+)\b"
)
_ZH_WILL = re.compile(
    r"(?:我(?:现在|马上|这就|接下来|先|将|会|来|去|要|准备|打算|再){0,4}(?:就|去|来|会|先|将)|接下来(?:我)?(?:会|将|要|"
    r"就)?|让我(?:先|来|去)?|现在(?:就)?(?:开始|去|来))(?:先|去|来|再){0,2}"
    r"(?:[把对在用][^，。；我]{1,30}?)?(?:先|去|来|再){0,2}"
    r"(?P<verb>跑|运行|执行|修改|改成|改|提交|推送|部署|发布|合并|安装|构建|编译|测试|压测|搜索|搜|查看|查一下|查|"
    r"检查|看一下|看看|读一下|打开|实现|重构|删除|删|添加|加上|创建|新建|写入|写|更新|替换|回滚|迁移|拆|抽出|验证|"
    r"复现|落地)(?P<rest>[^。！？]*)"
)
_ZH_ADVICE = re.compile(r"^\S{0,6}(?:结论|看法|意见|理由|建议|原因|答案|回答|说明|问题的|想法|顺序|要点|优缺点|角度)")
_ZH_THING = re.compile(
    r"`|[A-Za-z_]+\.\w+|测试|代码|文件|仓库|脚本|迁移|分支|配置|日志|用例|接口|表|字段|列|函数|模块|提交|命令|"
    r"流水线|实现|索引|数据库|调用|依赖|一遍|一下"
)
_UNREAL = re.compile(r"(?i)\b(?:if|once|unless|when)\b.{0,60}$|\bwould\b|如果|要是|等你|换作")
_WHOLE_CALL = re.compile(r"^`*[A-Za-z_][\w.]*\s?\((?:[^()]|\([^()]*\))*\)\s*;?`*$")


def announced(sentences: Sequence[Spoken]) -> list[Spoken]:
    """Return the sentences that announce an action of the advisor's own which needs a tool."""
    return [said for said in sentences if _announces(said.text, said.full)]


def _announces(text: str, full: str) -> bool:
    match = _WILL.search(text) or _ING.match(text)
    if match and not _UNREAL.search(text[: match.start()]):
        groups = match.groupdict()
        verb = (groups.get("a") or groups.get("b") or "").lower()
        rest = full[match.start("rest") :] if len(full) == len(text) else groups["rest"]
        if verb in _SOFT:
            return bool(_THING.search(rest)) and not _ADVICE_OBJECT.match(rest)
        return not _WITH_WORDS.match(rest)
    chinese = _ZH_WILL.search(text)
    if chinese is None or _UNREAL.search(text[: chinese.end("verb")]):
        return False
    return not _ZH_ADVICE.match(chinese["rest"]) and bool(_ZH_THING.search(chinese.group()))


def nothing_usable(reply: str, lines: Sequence[Line], found: Sequence[Occurrence]) -> bool:
    """Return whether a reply is empty, blank, or nothing but calls: as labels, tags, documents, or ``name(…)``."""
    if is_blank(reply) or not lines:
        return True
    said = [line for line in lines if not re.match(r"^\s*(?:```|~~~)", line.raw)]
    whole = "\n".join(line.raw for line in said)
    if len(said) <= 40 and _WHOLE_CALL.match(whole[:4000].replace("\n", " ").strip()):
        return True
    if all(line.closed for line in lines):
        return (
            bool(said)
            and is_call(said[0].text)
            and bool(re.match(r"^[{<\w`]", said[0].raw))
            and (said[0].raw.startswith(("{", "<")) or bool(_WHOLE_CALL.match(whole[:4000].replace("\n", " "))))
        )
    if not found or found[0].line != 0 or any(item.role not in {"call", "tool"} for item in found):
        return False
    return all(_of_a_call(line, found) for line in said)


def _of_a_call(line: Line, found: Sequence[Occurrence]) -> bool:
    if any(item.style in {"json", "yaml", "tag"} for item in found):
        return True
    return any(line is not None and item.content and item.content in line.text for item in found) or is_call(line.text)
