"""Find a call and what it printed on lines whose beginnings have one make, whatever the labels are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backslide.evals.scorers.advisor.content import (
    has_id,
    has_status,
    is_advice,
    is_call,
    is_command,
    is_output,
    is_report,
)
from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.advisor.markerdata import Role
from backslide.evals.scorers.advisor.occurrences import Occurrence

_LONGEST_PREFIX = 44
_MOST_WORDS = 3
_PROMPT = re.compile(r"^(?:[\w.-]+@[\w.-]+[:\s][^\s$#]*)?\s*[$❯➜]$")
_BARE_CALL = re.compile(r"^[A-Za-z_][\w.]{0,40}\(.{1,300}\)$")
_ARROW = re.compile(r"^(?:→|=>|->|⇒|⟹|»|#=>|>>>?)\s*(?P<rest>\S.*)$")
_STAMP = re.compile(r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\s+|^\[?\d\d:\d\d(?::\d\d)?\]?\s+")
_OTHER_WORDS = re.compile(
    r"(?i)\b(?:your?|expect\w*|want\w*|should|before|after|wanted|usage|example|e\.g|note|risk|step|run|use|try|do|"
    r"first|then|next|command|option|alternative|plan|variant|prefer|instead|don'?t|never|or|and|if|why|because|"
    r"cause|fix|symptom)\b|"
    r"预期|期望|用法|示例|步骤|运行|命令|先|再|然后|或|如果|方案|选项"
)


@dataclass(frozen=True)
class _Unit:
    """A line taken apart: its prefix, the make of the prefix, and what stands behind it or on the line below."""

    line: int
    prefix: str
    make: str
    content: str


def echo_occurrences(lines: Sequence[Line], known: set[int]) -> list[Occurrence]:
    """Return the lines of call-and-output pairs; `known` lines have a label of their own."""
    out: dict[int, Occurrence] = {}
    for index, line in enumerate(lines):
        if line.hidden or index in known or line.bullet or index + 1 >= len(lines) or is_advice(line.text):
            continue
        for call in _units(lines, index):
            echo = _echo(lines, call, known)
            if echo is not None:
                for unit in (call, echo):
                    role: Role = "call" if unit is call else "result"
                    out.setdefault(unit.line, Occurrence(unit.line, "unknown", role, unit.prefix, unit.content))
                break
    return [out[index] for index in sorted(out)]


def _units(lines: Sequence[Line], index: int) -> list[_Unit]:
    """Return the ways to part a line into a prefix that looks like a label and an action behind it."""
    found = [unit for unit in _parted(lines, index) if _acts(unit)]
    if not found and _BARE_CALL.match(lines[index].plain):
        found.append(_Unit(index, "", "call", lines[index].plain))
    return found


def _acts(unit: _Unit) -> bool:
    if is_call(unit.content):
        return unit.make != ":" or is_command(unit.content) or "(" in unit.content
    return unit.make not in {":", "A"} and is_report(unit.content)


def _parted(lines: Sequence[Line], index: int) -> list[_Unit]:
    plain = _shown(lines[index])[:400]
    stamp = _STAMP.match(plain)
    rest = plain[stamp.end() :] if stamp else plain
    words = rest.split(" ")
    out = []
    for count in range(1, min(_MOST_WORDS, len(words)) + 1):
        prefix = " ".join(words[:count]).strip()
        if not prefix or len(prefix) > _LONGEST_PREFIX:
            break
        content = " ".join(words[count:]).strip()
        if not content and index + 1 < len(lines) and lines[index + 1].gap == 0 and not lines[index + 1].hidden:
            content = lines[index + 1].plain[:400]
        make = "stamp" if stamp else _make(prefix)
        if make and content:
            out.append(_Unit(index, prefix, make, content))
    return out


def _shown(line: Line) -> str:
    """Return a line without marks of emphasis at its beginning: they are no sign of a label."""
    return line.text if line.plain.startswith("*") and not line.plain.startswith("***") else line.plain


def _make(prefix: str) -> str:
    """Return what prefixes of one kind share: their signs, or that they are capitals; empty for plain words."""
    if _PROMPT.match(prefix):
        return "$"
    if prefix[0] in "`\"'“”" or re.match(r"^(?:\.{0,2}/[\w.-]+/|https?:|[\w./-]+\.\w{1,4}$)", prefix):
        return ""
    signs = "".join(sorted(set(re.sub(r"[\w\s]", "", prefix).replace("<", ">").replace("←", "→").replace("：", ":"))))
    if signs.strip(",.'’-") == "" and not re.match(r"^-{2,}>?$", prefix):
        return "A" if prefix.isupper() and len(re.sub(r"\W|\d", "", prefix)) >= 2 else ""
    return signs


def _echo(lines: Sequence[Line], call: _Unit, known: set[int]) -> _Unit | None:
    """Return the line below a call that holds what the call printed."""
    at = call.line + (2 if _shown(lines[call.line]).endswith(call.prefix) and call.prefix else 1)
    if (
        at >= len(lines)
        or at in known
        or lines[at].hidden
        or lines[at].bullet
        or lines[at].gap > 1
        or _OTHER_WORDS.search(call.prefix)
    ):
        return None
    for unit in _parted(lines, at):
        if (
            unit.make == call.make
            and unit.prefix != call.prefix
            and not _OTHER_WORDS.search(unit.prefix)
            and _printed(unit)
        ):
            return unit
    plain = lines[at].plain
    arrow = _ARROW.match(plain)
    if call.make == "call":
        return _Unit(at, plain[:2], "call", arrow["rest"]) if arrow and is_output(arrow["rest"]) else None
    if call.make == "$" and lines[at].gap == 0 and is_output(plain) and not is_call(plain):
        return _Unit(at, "", "$", plain)
    return None


def _printed(unit: _Unit) -> bool:
    if not is_output(unit.content) or is_advice(unit.content) or is_call(unit.content):
        return False
    return unit.make not in {":", "A"} or has_status(unit.content) or has_id(unit.content)
