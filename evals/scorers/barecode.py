"""Tell lines of code from lines of words where nobody marked them."""

from __future__ import annotations

import re

_START = re.compile(
    r"""^\s*(?:
      (?:pub(?:\([^)]*\))?\s+)?(?:static(?:\s+mut|\s+ref)?\s+\w+\s*:|fn\s+\w+\s*[(<]|
      struct\s+\w+\s*[{(<;]|impl\b.*\{|enum\s+\w+\s*\{|mod\s+\w+\s*[{;]|use\s+[\w:{}*,\s]+;|
      const\s+\w+\s*:)
    | lazy_static!\s*\{ | thread_local!\s*\{ | \#\[\w[^\]]*\]\s*$ | let\s+(?:mut\s+)?\w+.*[;{(]\s*$
    | import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*(?:\#.*)?$ | from\s+[\w.]+\s+import\s+[\w*(]
    | (?:async\s+)?def\s+\w+\s*\([^()]*\)[^:]*:.* | (?:async\s+)?def\s+\w+\s*\(.*(?::|[(,])\s*(?:\#.*)?$ |
     class\s+\w+\s*(?:\([^)]*\))?\s*:\s*$ | @\w+[\w.]*(?:\(.*\))?\s*$
    | (?:with|for|while|if|elif|else|try|except|finally)\b.*:\s*(?:\#.*)?$ (?<=[)\]'"\w]:)(?<!\w\s\w:)
    | import\s+(?:type\s+)?[\w{*].*\s+from\s+['"] | import\s+['"][^'"]+['"];?\s*$ |
     export\s+(?:default|const|function|class|async|interface|type)\b.*[({=;]
    | (?:const|let|var)\s+[\w{\[].*=.+ | (?:async\s+)?function\s*\*?\s*\w*\s*\( |
     interface\s+\w+.*\{\s*$ | type\s+\w+.*=.*;\s*$
    | package\s+\w+;?\s*$ | func\s+(?:\([^)]*\)\s*)?\w+\s*\(.*\{\s*$ | go\s+func\s*\( |
     type\s+\w+\s+(?:struct|interface)\s*\{
    | \#\s*include\s*[<"] | (?:public|private|protected)\s+[\w<>\[\]]+.*[({;]\s*$ |
     \}\s*(?:else|catch|finally)\b.*\{
    | (?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|VIEW|TYPE)\b | INSERT\s+INTO\b | SELECT\s+.+\s+FROM\s
    | [\w.\[\]]+(?:\s*:\s*[\w\[\], |.]+)?\s*=\s*[\w.]+\(.*\)?\s*;?\s*$ |
     [A-Za-z_][\w.:]*\((?:[^()]|\([^()]*\))*\)\s*;\s*$
    | "[\w@/.-]+"\s*:\s*"[~^<>=v]?\d[^"]*"\s*,?\s*$ | \{\s*"(?:dependencies|devDependencies|
    tool|name|command|path|file_path|cmd)"\s*:
    | [\w-]+\s*=\s*(?:"[~^<>=]*\d[^"]*"|\{\s*version\s*=) | \[(?:dependencies|dev-dependencies|
    tool\.[\w.]+|project[\w.]*|package)\]\s*$
    )""",
    re.VERBOSE,
)
_COMMAND = re.compile(
    r"""^\s*(?:[$%❯]\s+\S|(?:sudo\s+)?(?:
      (?:npm|pnpm|bun)\s+(?:i|install|add|ci|run|uninstall|remove|rm|exec|x)\b | yarn\s+(?:add|
      install|remove|dlx)\b | npx\s+\S | (?:uv\s+)?pip3?\s+(?:install|uninstall)\b
    | uv\s+add\b | poetry\s+(?:add|remove)\b | pipenv\s+install\b | cargo\s+(?:add|rm|remove|
    install|test|build|run)\b | go\s+(?:get|mod|install)\b | gem\s+install\b | bundle\s+add\b
    | git\s+(?:mv|rm|apply|add|commit|checkout|restore|am|diff|log)\b\s*\S* | sed\s+-\S |
     perl\s+-\S | (?:mv|cp|rm|touch|mkdir|install|ln)\s+(?:-\S+\s+)*[\w./-]+[/.][\w./-]*
    | patch\s+(?:-\S+|<) | cat\s*(?:<<|>) | echo\s+.+>>?\s*\S | tee\s+(?:-a\s+)?[\w./-]+\s |
     printf\s+.+> | apply_patch\b | docker(?:-compose)?\s+\w+ | python3?\s+(?:-(?:\s|c\b|m\b)|
    [\w./-]+\.py\b) | node\s+[\w./-]+\.[cm]?js\b | (?:rg|grep|find|ls|wc|head|tail|diff|ruff|black|
    isort|pytest|psql|curl|make|cd|export|tsc|jest|vitest|eslint|
    prettier)\s+[-\w./'"*]+(?:\s[^.?!]*)?$ | [\w./-]+(?:\s[\w./="'-]+)*\s*\|\s*(?:tee|xargs|patch|
    psql)\b | apt(?:-get)?\s+install\b | brew\s+install\b
    ))""",
    re.VERBOSE,
)
_LINE = re.compile(
    r"""^\s*(?:[})\]]+[;,)]*\s*$ | [{(\[]\s*$ | //.* | \#.* | /\*.* | \*/?(?:\s.*)?$ | --\s.* |
     .*[;{]\s*(?://.*)?$ | .*[(,\[]\s*$ (?<![a-z],)
      | \.\w+\(.* | return\b.* | (?:else|try|finally|pass|break|continue)\b:?\s*$ |
       \w[\w.]*\s*(?:[-+*/|&]?=|:=)\s*\S.* | [\w.]+\(.*\)\s*$ | <[/\w].*>\s*$ | ['"].*['"],?\s*$ |
       \s{4,}\S.* | \t\S.*)""",
    re.VERBOSE,
)
_WORDS = re.compile(r"^[A-Z]?[a-z']+(?: [a-z']+,?){4,}[.:!?]?\s*$")
_CHINESE = re.compile("[\u3400-\u9fff]")
_LONGEST = 400
"""Characters of a line that are looked at; longer lines are judged by their beginning."""


def is_command_line(text: str) -> bool:
    """Return whether a line is a shell command as one types it."""
    return bool(_COMMAND.match(text[:_LONGEST])) and not _is_sentence(text)


def is_code_start(text: str, following: str) -> bool:
    """Return whether a line outside a fence begins code; `following` is the next line."""
    head = text[:_LONGEST]
    if _is_sentence(head):
        return False
    if _START.match(head) or _COMMAND.match(head):
        return True
    return bool(_LINE.match(head) and head.startswith(("    ", "\t")) and _START.match(following[:_LONGEST]))


def is_code_line(text: str) -> bool:
    """Return whether a line goes on with code that has begun."""
    head = text[:_LONGEST]
    if _is_sentence(head):
        return False
    return bool(_LINE.match(head) or _START.match(head) or _COMMAND.match(head))


def _is_sentence(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith(("//", "#", "/*", "--", "*")):
        return bool(re.match(r"#{1,6} [A-Z]", stripped)) and not stripped.endswith((";", "{"))
    if len(_CHINESE.findall(stripped)) > 6 and not re.search(r"//|#|/\*|--|[;{]\s*$", stripped):
        return True
    if _WORDS.match(stripped):
        return True
    return (
        bool(re.search(r"[a-z]{2,}[.!?](?:\s+[A-Z\"'(].*)?$", stripped))
        and len(stripped.split()) > 6
        and "=" not in stripped
    )
