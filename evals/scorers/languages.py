"""Code languages: names of fences, endings of files, and a guess from the text."""

from __future__ import annotations

import re
from functools import cache

FENCE_NAMES: dict[str, str] = {
    "rs": "rust", "rust": "rust",
    "py": "python", "python": "python", "python3": "python", "pycon": "python", "py3": "python",
    "ts": "typescript", "typescript": "typescript", "mts": "typescript", "cts": "typescript",
    "tsx": "tsx", "jsx": "tsx",
    "js": "javascript", "javascript": "javascript", "mjs": "javascript", "cjs": "javascript", "node": "javascript",
    "go": "go", "golang": "go",
    "java": "java", "kotlin": "kotlin", "kt": "kotlin", "scala": "scala", "swift": "swift",
    "c": "c", "h": "c", "cpp": "cpp", "c++": "cpp", "cc": "cpp", "hpp": "cpp",
    "cs": "csharp", "csharp": "csharp", "rb": "ruby", "ruby": "ruby", "php": "php", "lua": "lua", "ex": "elixir",
    "elixir": "elixir", "sql": "sql", "psql": "sql", "postgresql": "sql",
    "sh": "bash", "bash": "bash", "shell": "bash", "zsh": "bash", "console": "bash", "terminal": "bash",
    "shellsession": "bash", "fish": "bash", "powershell": "bash", "cmd": "bash",
    "json": "json", "json5": "json", "jsonc": "json", "toml": "toml", "yaml": "yaml", "yml": "yaml",
    "xml": "xml", "html": "xml", "ini": "ini", "cfg": "ini", "dockerfile": "dockerfile", "md": "markdown",
    "markdown": "markdown", "requirements": "requirements", "diff": "diff", "patch": "diff", "udiff": "diff",
}  # fmt: skip
"""Info strings of fences and file endings, to the name of the language."""

DATA = frozenset({"json", "toml", "yaml", "xml", "ini", "dockerfile", "markdown", "requirements"})
"""Languages that hold data or words, no code."""

RELATED = {
    "typescript": frozenset({"javascript", "tsx"}),
    "tsx": frozenset({"javascript", "typescript"}),
    "javascript": frozenset({"typescript", "tsx"}),
    "c": frozenset({"cpp"}),
    "cpp": frozenset({"c"}),
}
"""Languages whose code a rule for the key reads too."""

_CUES: dict[str, str] = {
    "rust": (
        r"^\s*(?:pub(?:\([^)]*\))? )?(?:fn |struct |impl\b|enum |mod |use \w+(?:::|;)|static |trait )|"
        r"\blet mut |::<|#\[\w+|-> (?:Self|Result|Option)\b|\w+!\s*[({\[]"
    ),
    "python": (
        r"^\s*(?:def \w+\(|class \w+[(:]|from [\w.]+ import |import [\w.]+(?: as \w+)?\s*$|with .+:\s*$|"
        r"async def |elif .+:|except\b.*:\s*$|@\w+)|\bself\.\w|^\s*(?:if|for|while) .+:\s*$"
    ),
    "typescript": (
        r"^\s*(?:import .+ from ['\"]|import ['\"]|export (?:const|function|class|default|interface|type|"
        r"async)|const \w+\b.*=|let \w+ =|interface \w+|type \w+ =|function \w+\()|=>|\brequire\(|"
        r": (?:string|number|boolean|void|unknown)\b"
    ),
    "go": (
        r"^\s*(?:package \w+|func (?:\(\w+ [^)]*\) )?\w+\(|type \w+ (?:struct|interface)\b|import \(|"
        r"go func\b|defer )|:= "
    ),
    "java": (
        r"^\s*(?:public|private|protected) .*[({;]\s*$|^\s*(?:import [\w.]+;|package [\w.]+;|@Override)|"
        r"\bcatch \(\w+"
    ),
    "c": r"^\s*#\s*include\b|^\s*(?:static |const |unsigned |struct |void |int |char |size_t )+\*?\w+ ?[(\[;=]",
    "sql": (
        r"^\s*(?:CREATE|ALTER|DROP) (?:TABLE|INDEX|TYPE|VIEW)|^\s*(?:SELECT .+|INSERT INTO|UPDATE \w+ SET|"
        r"DELETE FROM)\b"
    ),
    "bash": (
        r"^\s*(?:\$ |sudo |npm |pnpm |yarn |bun |npx |pip3? |uv |poetry |cargo |go (?:get|mod|test|build)|"
        r"git |sed |cat |mv |cp |rm |mkdir |touch |echo |export |cd |make |curl |patch |apply_patch |"
        r"python3? -|perl -|tee )"
    ),
    "json": r"^\s*[{\[]\s*$|^\s*\"[\w@/.-]+\"\s*:",
    "toml": r"^\s*\[[\w.\"-]+\]\s*$|^\s*[\w-]+ = (?:\"|\{|\[)",
}


@cache
def _cue(language: str) -> re.Pattern[str]:
    flags = re.MULTILINE | (re.IGNORECASE if language == "sql" else 0)
    return re.compile(_CUES[language], flags)


def of_path(path: str | None) -> str | None:
    """Return the language of a file by its name, or None."""
    if not path:
        return None
    name = path.rsplit("/", 1)[-1].lower()
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        return "requirements"
    if name in {"dockerfile", "containerfile"}:
        return "dockerfile"
    return FENCE_NAMES.get(name.rsplit(".", 1)[-1]) if "." in name else None


def of_info(info: str) -> str | None:
    """Return the language that a fence's info string names, or None."""
    word = re.match(r"[\w+#-]+", info.strip().lower())
    return FENCE_NAMES.get(word.group()) if word else None


def score(language: str, text: str, limit: int = 4000) -> int:
    """Return how many cues of a language the beginning of a text shows."""
    return sum(1 for _ in _cue(language).finditer(text[:limit]))


def guess(text: str) -> str | None:
    """Return the language a text looks like, or None when nothing speaks for any."""
    scores = {language: score(language, text) for language in _CUES}
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] else None


def of_fence(named: str | None, path: str | None, text: str) -> str | None:
    """Return the language of a fence: by its file, else by its name unless the text speaks clearly for another."""
    by_path = of_path(path)
    if by_path is not None:
        return by_path
    seen = guess(text)
    known = "typescript" if named in RELATED["typescript"] else named
    if known is None or seen is None or seen == known or known not in _CUES or seen in RELATED.get(known, ()):
        return named or seen
    return seen if score(seen, text) > score(known, text) else named


def may_be(language: str, text: str, named: str | None, path: str | None) -> bool:
    """Return whether code named `named` (by its fence, maybe wrongly) in the file `path` may be of `language`.

    A path decides. A fence's name is believed unless the text shows the language that is asked about and not the
    named one.
    """
    by_path = of_path(path)
    if by_path is not None and by_path != "markdown":
        return by_path == language or by_path in RELATED.get(language, ())
    if named is None or named == language or named in RELATED.get(language, ()):
        return True
    if language not in _CUES:
        return False
    return score(language, text) > (score(named, text) if named in _CUES else 0)
