"""Blank what is no code: comments and string literals, keeping every offset."""

from __future__ import annotations

import re
from functools import cache

_C_LIKE = r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)"
_HASH = r"(?P<comment>(?<![\w$&])\#[^\n]*)"
_DASH = r"(?P<comment>--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)"
_STRING = r"""(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)"""
_RUST_STRING = r"""(?P<string>b?"(?:[^"\\]|\\.)*"?|'(?:[^'\\\n]|\\[^\n]{1,8})')"""
_JS_STRING = r"""(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)"""
_PY_STRING = (
    r'(?P<string>(?:"""(?:[^"\\]|\\.|"(?!""))*(?:""")?'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'(?:[^'\\\n]|\\.)*'?))"
)

_HASH_LANGUAGES = frozenset({"bash", "ruby", "yaml", "toml", "ini", "dockerfile", "requirements", "elixir"})
_JS_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})


@cache
def _pattern(language: str | None) -> re.Pattern[str]:
    if language == "python":
        source = f"{_HASH}|{_PY_STRING}"
    elif language in _HASH_LANGUAGES:
        source = f"{_HASH}|{_STRING}"
    elif language in {"sql", "lua"}:
        source = f"{_DASH}|{_STRING}"
    elif language in _JS_LANGUAGES:
        source = f"{_C_LIKE}|{_JS_STRING}"
    elif language == "rust":
        source = f"{_C_LIKE}|{_RUST_STRING}"
    elif language == "xml":
        source = r"(?P<comment><!--(?:[^-]|-(?!->))*(?:-->)?)|(?P<string>(?!))"
    elif language == "go":
        source = f"{_C_LIKE}|{_JS_STRING}"
    else:
        source = f"{_C_LIKE}|{_STRING}"
    return re.compile(source, re.DOTALL)


def mask(code: str, language: str | None, *, strings: bool = True) -> str:
    """Return code of the same length with comments, and with `strings` the inside of string literals, blanked."""

    def blank(match: re.Match[str]) -> str:
        text = match.group()
        if match.lastgroup == "string":
            if not strings:
                return text
            return re.sub(r"[^\n\"'`]", " ", text) if len(text) > 2 else text
        return re.sub(r"[^\n]", " ", text)

    return _pattern(language).sub(blank, code)
