"""Forms that a label may have when no list knows its words: what stands at the start of a line, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backslide.evals.scorers.advisor.lines import Line


@dataclass(frozen=True)
class Form:
    """A line's beginning as a label: `shape` is what labels of one kind share, `label` its own words."""

    shape: str
    label: str
    content: str


_SIGIL = re.compile(
    r"^(?P<sigil>[%§#$&*=+|:;^!?@>•▶►◆■●○→←⇒⇐»«¤¶†~<\-–—]{1,6})(?P<gap>\s?)(?P<name>[^\W\d_][\w./-]{0,30})"
    r"(?P<sep>\s*(?:[:：>|»\]}~%@§$!*]+|={2,}|-{2,}|#{2,})|\s{1,4}(?=\S)|$)\s*(?P<rest>.*)$"
)
_BANNER = re.compile(
    r"^(?P<rule>[=*#~\-_+%<>─—]{2,}|[—–─])\s*(?P<name>[^\W_][\w ()/.:#-]{0,40}?)\s*(?:[=*#~\-_+%<>─—]{2,}|[—–─])$"
)
_ENCLOSED = re.compile(
    r"^(?P<open>\[{1,2}|\{{1,2}|<{1,2}|\({1,2}|«|【|〔|⟦|⟨|\|)(?P<name>[^\W\d_][\w /.:#-]{0,40})(?P<close>\]{1,2}|"
    r"\}{1,2}|>{1,2}|\){1,2}|»|】|〕|⟧|⟩|\|)"
    r"(?P<colon>\s*[:：]?)\s*(?P<rest>.*)$"
)
_PROMPTED = re.compile(
    r"^(?P<name>[^\W\d_][\w.-]{0,24}(?: [\w.-]{1,16})?)(?P<sep>\s?(?:>{1,3}|»|::|\|{1,2}|⇒|=>|→|~>|"
    r"\$>)\s)(?P<rest>\S.*)$"
)
_EMOJI = re.compile(
    r"^(?P<mark>[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?)\s*(?P<name>[^\W\d_][\w ]{0,20})?(?P<colon>\s*[:：])?\s"
    r"*(?P<rest>.*)$"
)
_VERDICTS = "✅❌⚠✔✖☑✓✗👍👎🟢🔴🟡❗❓⭐★☆💡📌🔥🚫⛔"
_COLON = re.compile(
    r"^(?P<name>[^\W\d_][\w/-]{0,20}(?: [\w/-]{1,16}){0,2})(?:\s?\([^()]{1,30}\))?\s*(?::(?:\s+|"
    r"(?=[\u3400-\u9fff]))|：\s*)(?P<rest>.*)$"
)
_ARROW = re.compile(r"^(?P<arrow>[<~=←⇐«-]{1,4}[~>=→⇒»-]{0,4}|[~=→⇒»>-]{1,4})\s+(?P<rest>\S.*)$")
_CAPITALS = re.compile(r"^(?:[A-Z]{0,3}\d{1,4}\s+)?(?P<name>[A-Z]{2,12})\s+(?P<rest>\S.*)$")
_NUMBERED = re.compile(r"^#?\d{1,4}[.:)]?\s+(?=[\w-]{2,20}\s?[>|»])")
_NUMBERS = re.compile(r"\d+|(?<=[步第轮])[一二三四五六七八九十]+|(?<=步骤)[一二三四五六七八九十]+")
_PLAIN_SIGILS = frozenset(
    {
        "#",
        "##",
        "###",
        "####",
        "#####",
        "######",
        "-",
        "*",
        "+",
        ">",
        "--",
        "–",
        "—",
        "•",
        "//",
        "|",
        "<",
        "=",
        "&",
        "!",
        "?",
        ":",
        ";",
    }
)


def form_of(line: Line, *, colon: bool = False) -> Form | None:
    """Return the form of a line's label, None if it has none; with `colon`, a plain word and a colon is one too."""
    text = (line.text if line.plain.startswith("*") and not line.plain.startswith("***") else line.raw)[:600]
    if line.hidden or line.bullet or not text or text[0] in "`\"'“”「/" or text.startswith("$ "):
        return None
    numbered = _NUMBERED.match(text)
    if numbered:
        text = text[numbered.end() :]
    return (
        _banner(text)
        or _sigil(text)
        or _arrow(text)
        or _enclosed(text)
        or _prompted(text)
        or _emoji(text)
        or (_colon(text) or _capitals(text) if colon else None)
    )


def _arrow(text: str) -> Form | None:
    match = _ARROW.match(text)
    return Form("arrow", match["arrow"], match["rest"]) if match and match["arrow"] not in _PLAIN_SIGILS else None


def _capitals(text: str) -> Form | None:
    match = _CAPITALS.match(text)
    return Form("capitals", match["name"], match["rest"]) if match else None


def _plain(name: str) -> str:
    return " ".join(_NUMBERS.sub("", re.sub(r"\([^()]*\)|:.*", "", name)).split())


def _banner(text: str) -> Form | None:
    match = _BANNER.match(text)
    return Form(f"banner {match['rule'][0]}", " ".join(_NUMBERS.sub("", match["name"]).split()), "") if match else None


def _sigil(text: str) -> Form | None:
    match = _SIGIL.match(text)
    if match is None or (match["sigil"] in _PLAIN_SIGILS and not (match["sigil"] == "@" and match["sep"].strip())):
        return None
    if (match["sigil"][0] == "<" and match["sep"].strip() == ">") or (match["gap"] and not match["sep"].strip()):
        return None
    # Opening and closing arrows are one family: `>>> RUN:` and `<<< OUT:` stand in one transcript.
    sigil = match["sigil"].translate(str.maketrans("<←«⇐", ">→»⇒"))
    return Form(
        f"sigil {sigil}{match['gap']}{match['sep'].strip()}",
        f"{match['sigil']}{match['gap']}{match['name']}",
        match["rest"].strip(),
    )


def _enclosed(text: str) -> Form | None:
    match = _ENCLOSED.match(text)
    if match is None or (match["open"] == "<" and not match["colon"].strip()):
        return None
    return Form(
        f"enclosed {match['open']}{match['close']}",
        f"{match['open']}{_plain(match['name'])}{match['close']}",
        match["rest"].strip(),
    )


def _prompted(text: str) -> Form | None:
    match = _PROMPTED.match(text)
    return Form(f"prompt {match['sep'].strip()}", match["name"], match["rest"]) if match else None


def _emoji(text: str) -> Form | None:
    match = _EMOJI.match(text)
    if match is None or match["mark"][0] in _VERDICTS:
        return None
    return Form("emoji", match["mark"], ((match["name"] or "") + (match["colon"] or "") + match["rest"]).strip())


def _colon(text: str) -> Form | None:
    match = _COLON.match(text)
    return Form("colon", _NUMBERS.sub("", match["name"]), match["rest"].strip()) if match else None
