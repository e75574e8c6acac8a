"""Find what looks like a label of a transcript at the start of a line, before deciding whether it emits one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from backslide.evals.scorers.advisor.content import is_about, is_call
from backslide.evals.scorers.advisor.forms import form_of
from backslide.evals.scorers.advisor.lines import Line
from backslide.evals.scorers.advisor.markerdata import Name, Role, leading_name, name_of

Style = Literal["bracket", "word", "tag", "token", "json", "yaml", "header", "pair", "unknown"]
"""The form of a label: in brackets, a word with a colon, a tag, a template token, a JSON or YAML document, a harmony
header (``assistant to=bash``), a ``role=`` pair, or a form that no list knows.
"""

_SIGN = re.compile(r"^[^\w\s\[(<{【（「\"'`“”|@/.,;:!?-]{1,3}\s*(?=\w)")
_STAMP = re.compile(
    r"^(?:#?\d{1,4}[.:)]?\s+(?=[\w-]{2,20}\s?[>|»])|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?\]?|"
    r"\[\d{1,2}:\d\d(?::\d\d)?\]|\(?\d{1,2}:\d\d(?::\d\d)?\)?)\s*[-|–]?\s*(?=[\w\[【@<])"
)
_BRACKET = re.compile(
    r"^(?:\[{1,2}(?P<a>[^\[\]\n]{1,300})\]{1,2}|【(?P<b>[^【】\n]{1,300})】|"
    r"[〔〈「](?P<c>[^〔〕〈〉「」\n]{1,300})[〕〉」]|"
    r"[(（](?P<d>[^()（）\n]{1,60})[)）]|\{{1,2}(?P<e>[^{}\n]{1,60})\}{1,2}|"
    r"<(?P<f>[^<>\n]{1,60})>(?=\s*[:：]))\s*(?P<colon>[:：])?\s*(?P<rest>.*)$"
)
_INSIDE = re.compile(r"^[\[(（【](?P<name>[^\[\]():：（）【】\n]{2,40})[:：]\s*(?P<rest>.*)[\])）】]\s*$")
_WHOLE = re.compile(r"^\[(?P<inner>.{3,600})\]\s*(?P<colon>[:：])?\s*(?P<rest>.*)$")
_ACTING = re.compile(
    r"(?i)^(?:running|executing|calling|invoking|called|ran|runs|calls|executed|invoked)\b[ :]*(?P<rest>`.+|.+)$"
)
_WORD = re.compile(
    r"^(?P<name>[^\W\d_][\w'’/ -]{0,40}?)\s?(?P<aside>[(（][^()（）\n]{1,40}[)）])?\s*(?P<colon>[:：])(?!//)(?P<res"
    r"t>.*)$"
)
_PROMPT = re.compile(r"^(?P<name>[^\W\d_][\w -]{0,24}?)\s*(?:>{1,3}|»|→|⇒|▸|▶|►|›|⟩|\|)\s+(?P<rest>\S.*)$")
_HEADER = re.compile(
    r"^(?P<role>assistant|user|system|tool|model)\b[^\n]{0,40}?\bto=(?P<to>[\w.]+)(?P<rest>.*)$", re.IGNORECASE
)
_PAIR = re.compile(
    r"^(?:[\w-]{1,12}[._])?(?:role|from|speaker|(?P<kind>type|kind|"
    r"event))\s?[=:]\s?[\"']?(?P<name>[a-z][a-z_-]{2,24})[\"']?(?P<rest>\b.*)$",
    re.IGNORECASE,
)
SIGNED = "signed"
"""The attributes of a known name among signs, which others that no list knows may share."""

_CAPITALS = re.compile(r"^(?P<name>[A-Z]+(?:_[A-Z]+)+)\s+(?P<rest>\S.*)$")
_COUNTED = re.compile(r"(?i)(?:turn|step|message|round|第?[\d一二三四五六七八九十]{0,3}[轮步条])\s*#?\d{0,4}")
_PAIRS = {"a": "[]", "b": "【】", "c": "〔〕", "d": "()", "e": "{}", "f": "<>"}
_MARK = re.compile(r"[（(].*|[:：].*", re.DOTALL)


@dataclass(frozen=True)
class Occurrence:
    """A label at the start of a line.

    `line` is the index among the lines that are not blank, `label` the label as it is counted, `content` what stands
    behind it (or on the next line, if nothing does). `colon` tells whether a colon stands between.
    """

    line: int
    style: Style
    role: Role
    label: str
    content: str
    weak: bool = False
    colon: bool = True
    attributes: str = field(default="", compare=False)
    bullet: bool = False


def occurrences_of(lines: Sequence[Line]) -> list[Occurrence]:
    """Return the labels in brackets, word labels, headers and pairs, in order, of lines that are said, not shown."""
    out = []
    for index, line in enumerate(lines):
        if line.hidden:
            continue
        found = _with_sign(line, label_of(line, index, _following(lines, index)))
        if found is not None:
            out.append(replace(found, bullet=True) if line.bullet else found)
    return out


def _with_sign(line: Line, found: Occurrence | None) -> Occurrence | None:
    """Return a label with the sign before it, which belongs to it as it is counted."""
    sign = _SIGN.match(line.text) if found is not None and found.style == "word" else None
    return replace(found, label=sign.group() + found.label) if found is not None and sign else found


def _following(lines: Sequence[Line], index: int) -> str:
    """Return the next line, which is the content of a label that stands alone."""
    if index + 1 < len(lines) and not lines[index + 1].hidden and lines[index + 1].gap <= 1:
        return lines[index + 1].text
    return ""


def label_of(line: Line, index: int, following: str = "") -> Occurrence | None:
    """Return the label that a line begins with, None if it begins with none."""
    text = line.text[:2000]
    stamp = _STAMP.match(text)
    if stamp:
        text = text[stamp.end() :]
    sign = _SIGN.match(text)
    if sign and name_of(_lead(text[sign.end() :])):
        text = text[sign.end() :]
    if not text or (text[0] in "`\"“”'「|" and not re.match(r"^「[^「」]{1,20}」", text)):
        return None
    if text[0] in "[【〔({（〈「" or (text[0] == "<" and _BRACKET.match(text)):
        return _bracket(text, index, following)
    header = _HEADER.match(text)
    if header:
        return Occurrence(
            index, "header", "call", f"{header['role']} to={header['to']}", header["rest"].strip() or following
        )
    pair = _PAIR.match(text)
    if pair:
        name = name_of(pair["name"])
        if name is not None and not (pair["kind"] and (name.weak or name.role not in {"call", "result"})):
            content = pair["rest"].strip(" |:>-") or following
            return Occurrence(index, "pair", name.role, f"role={pair['name']}", content, weak=False)
    return _word(text, index, following, line) or _signed(line, index, following)


def _lead(text: str) -> str:
    """Return what stands before the first colon or bracket of a text's beginning."""
    return re.split(r"[:：(（\n]", text[:80], maxsplit=1)[0].strip()


def _signed(line: Line, index: int, following: str) -> Occurrence | None:
    """Return a known name among signs: ``--- Human ---``, ``~assistant~``, ``::tool::``."""
    form = form_of(line)
    name = name_of(re.sub(r"[^\w\s]|\d", " ", form.label).replace("_", " ").strip()) if form else None
    if form is None or name is None:
        return None
    return Occurrence(
        index, "bracket", name.role, form.label, form.content or following, name.weak, colon=True, attributes=SIGNED
    )


def _bracket(text: str, index: int, following: str) -> Occurrence | None:
    whole = _INSIDE.match(text)
    if whole:
        name = name_of(whole["name"].strip())
        if name is not None:
            label = f"[{whole['name'].strip()}]"
            return Occurrence(index, "bracket", name.role, label, whole["rest"].strip() or following, name.weak)
    match = _BRACKET.match(text)
    if match is None:
        return None
    inner = next(part for part in match.group("a", "b", "c", "d", "e", "f") if part is not None)
    short = _MARK.sub("", inner).strip()
    name = name_of(short)
    if name is None:
        return _spelled_out(text, index, following)
    group = next(key for key in "abcdef" if match[key] is not None)
    opening, closing = _PAIRS[group][0], _PAIRS[group][1]
    content = match["rest"].strip()
    if (not content and _alone_is_section(following)) or content.startswith(("http:", "https:")):
        return None
    return Occurrence(
        index,
        "bracket",
        name.role,
        f"{opening}{short}{closing}",
        content or following,
        (name.weak and short == inner) or (group == "d" and match["colon"] is None),
        match["colon"] is not None,
    )


def _spelled_out(text: str, index: int, following: str) -> Occurrence | None:
    """Return a bracketed sentence that tells of a call or a result: ``[The tool returned 14 files]``."""
    match = _WHOLE.match(text)
    if match is None or match["rest"].startswith("http"):
        return None
    inner = match["inner"]
    acting = _ACTING.match(inner)
    if acting and (acting["rest"].startswith("`") or is_call(acting["rest"])):
        return Occurrence(index, "bracket", "call", "[call]", acting["rest"].strip("`"), colon=True)
    if re.search(r"(?i)\binterrupted by (?:the )?user\b", inner):
        return Occurrence(index, "bracket", "user", "[interrupted by user]", inner, colon=True)
    found = leading_name(inner)
    if found is None:
        return None
    name, rest = found
    spoken = bool(match["colon"]) and name.role in {"user", "assistant"} and len(inner.split()) <= 3
    if not (spoken or (rest and name.role in {"call", "result", "reminder"} and not is_about(rest, False))):
        return None
    label = f"[{inner[: len(inner) - len(rest)].strip(' :：`-')}]"
    return Occurrence(index, "bracket", name.role, label, (match["rest"] or following) if spoken else rest, colon=True)


def _alone_is_section(following: str) -> bool:
    """Return whether the line below a bracketed name makes it a section of a settings file."""
    return bool(re.match(r"^[\w.-]+\s*=\s*\S", following))


def _word(text: str, index: int, following: str, line: Line) -> Occurrence | None:
    capitals = _CAPITALS.match(text)
    if capitals and (spelled := name_of(capitals["name"].replace("_", " "))) and not spelled.weak:
        return Occurrence(index, "bracket", spelled.role, capitals["name"], capitals["rest"], colon=True)
    match = _WORD.match(text)
    name = _name_with_aside(match) if match else None
    if match is None or name is None:
        match = _PROMPT.match(text)
        name = name_of(match["name"].strip()) if match else None
        if match is None or name is None:
            return _bare_heading(text, index, following, line)
    content = match["rest"].strip()
    colon = match.re is _WORD
    return Occurrence(
        index,
        "word",
        name.role,
        match["name"].strip(),
        content or following,
        name.weak and not (colon and match["aside"]),
        colon,
    )


def _name_with_aside(match: re.Match[str]) -> Name | None:
    """Return what a name makes, or what stands in parentheses behind "Turn 5" and the like."""
    name = name_of(match["name"].strip())
    if name is None and match["aside"] and _COUNTED.fullmatch(match["name"].strip()):
        return name_of(match["aside"].strip("()（） "))
    return name


def _bare_heading(text: str, index: int, following: str, line: Line) -> Occurrence | None:
    """Return a heading or a line of its own that is nothing but a name; such a label is weak."""
    if len(text) > 40 or not re.fullmatch(r"[\w ()（）/:：'-]+", text) or text[0] in "-'":
        return None
    name = name_of(_MARK.sub("", text).strip())
    if name is None or not (line.heading or (name.role in {"user", "assistant"} and following and not name.weak)):
        return None
    return Occurrence(
        index,
        "word",
        name.role,
        _MARK.sub("", text).strip(),
        following,
        name.weak or name.role in {"user", "assistant", "system"},
        colon=False,
    )
