"""Read shell commands: what is run, which files are written, moved or removed, what is written into them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from backslide.evals.scorers.mapped import Mapped, replaced

PathOp = Literal["edit", "write", "delete", "move", "patch"]


@dataclass(frozen=True)
class Command:
    """One simple command: its words without assignments and wrappers such as `sudo`, and where it stands in the
    script.
    """

    words: tuple[str, ...]
    start: int
    end: int

    @property
    def line(self) -> str:
        """Return the words joined by blanks: what patterns are matched against."""
        return " ".join(self.words)


@dataclass(frozen=True)
class FileUse:
    """A file that a command changes, with the span of its name or of the command."""

    path: str
    op: PathOp
    start: int
    end: int


@dataclass(frozen=True)
class Heredoc:
    """Text that a script feeds to a command: its body, and the file it goes to, if any."""

    body: Mapped
    path: str | None
    command: str


@dataclass
class Script:
    """What a shell text does."""

    commands: list[Command] = field(default_factory=list)
    files: list[FileUse] = field(default_factory=list)
    heredocs: list[Heredoc] = field(default_factory=list)


_HEREDOC = re.compile(r"<<-?[ \t]*(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)")
_PROMPT = re.compile(r"^[ \t]*(?:[\w.@~:/-]{0,40}[$%❯>]|\$)[ \t]+(?=\S)")
_TOKEN = re.compile(
    r"""(?P<comment>(?<![^\s;|&(])\#[^\n]*)|(?P<join>\\\n)|(?P<word>(?:\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?|
    \$\([^()\n]*\)|[^\s'"\\;|&<>()#]|(?<=\S)\#)+)
      |(?P<redirect>\d?>>?\|?|&>>?|<(?!<))|(?P<end>\n|;;?|\|\|?|&&?|[()])|(?P<blank>[ \t]+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRAPPERS = frozenset(
    {"sudo", "time", "env", "command", "exec", "nohup", "then", "do", "else", "if", "while", "!", "{", "corepack"}
)
_MANAGER_FLAGS = re.compile(r"^-(?:C|-prefix|-dir|-cwd|-filter|w|-workspace)$")
_WRITES_ALL = frozenset(
    {"tee", "touch", "truncate", "shred", "unlink", "rm", "rmdir", "black", "isort", "mkdir", "chmod"}
)
_NO_PATH = frozenset({"/dev/null", "/dev/stderr", "/dev/stdout", "-", "&1", "&2"})


def read_script(text: Mapped) -> Script:
    """Return what a shell text does; every span refers to ``text.text``. Broken quoting does not stop the reading.

    A transcript with prompts (``$ npm test``) is read by its prompt lines alone. Linear in the text.
    """
    script = Script()
    plain, bodies = _without_heredocs(text)
    plain = _without_output(plain)
    words: list[tuple[str, int, int]] = []
    redirects: list[tuple[str, str, int, int]] = []
    pending: str | None = None
    for match in _TOKEN.finditer(plain):
        kind = match.lastgroup
        if kind == "word":
            word = _unquote(match.group())
            if pending is not None:
                redirects.append((pending, word, match.start(), match.end()))
                pending = None
            else:
                words.append((word, match.start(), match.end()))
        elif kind == "redirect":
            pending = match.group()
            if words and words[-1][0].isdigit() and words[-1][2] == match.start():
                words.pop()
        elif kind == "end":
            _simple(script, text, words, redirects, bodies, match.start())
            words, redirects, pending = [], [], None
    _simple(script, text, words, redirects, bodies, len(plain))
    _pipes(script, text.text)
    return script


def _unquote(word: str) -> str:
    if not any(char in word for char in "'\"\\"):
        return word
    return re.sub(r"\\(.)|['\"]", lambda match: match[1] or "", word, flags=re.DOTALL)


def _without_heredocs(text: Mapped) -> tuple[str, dict[int, Mapped]]:
    """Return the script with heredoc bodies blanked, and the bodies by the offset of their ``<<``."""
    out = text.text
    bodies: dict[int, Mapped] = {}
    position = 0
    blanked: list[str] = []
    done = 0
    while True:
        match = _HEREDOC.search(out, position)
        if match is None:
            break
        line_end = out.find("\n", match.end())
        if line_end < 0:
            break
        close = re.compile(rf"^[ \t]*{re.escape(match['word'])}[ \t]*$", re.MULTILINE).search(out, line_end + 1)
        body_end = close.start() if close else len(out)
        bodies[match.start()] = text.cut(line_end + 1, body_end)
        finish = close.end() if close else len(out)
        blanked.append(out[done : match.start()])
        blanked.append(" " * (match.end() - match.start()))
        blanked.append(out[match.end() : line_end])
        blanked.append("\n")
        blanked.append(" " * (finish - line_end - 1))
        done = position = finish
    blanked.append(out[done:])
    return "".join(blanked), bodies


def _without_output(text: str) -> str:
    """Return a transcript with prompts and output blanked; a text without prompts unchanged."""
    lines = text.split("\n")
    prompts = [_PROMPT.match(line) for line in lines]
    if not any(prompts):
        return text
    out = []
    continued = False
    for line, prompt in zip(lines, prompts, strict=True):
        if prompt:
            out.append(" " * prompt.end() + line[prompt.end() :])
        else:
            out.append(line if continued else " " * len(line))
        continued = (bool(prompt) or continued) and line.endswith("\\")
    return "\n".join(out)


def _simple(
    script: Script,
    text: Mapped,
    words: list[tuple[str, int, int]],
    redirects: list[tuple[str, str, int, int]],
    bodies: dict[int, Mapped],
    stop: int,
) -> None:
    while words and (words[0][0] in _WRAPPERS or _ASSIGNMENT.match(words[0][0])):
        words = words[1:]
    target: str | None = None
    for mark, path, start, end in redirects:
        if ">" in mark and path not in _NO_PATH and not path.startswith("&"):
            target = path
            script.files.append(FileUse(path, "write", start, end))
    if not words:
        return
    texts = tuple(word for word, _, _ in words)
    start, end = words[0][1], words[-1][2]
    script.commands.append(Command(_without_manager_flags(texts), start, end))
    for use in _files_of(texts, words):
        script.files.append(use)
        if texts[0] == "tee":
            target = use.path
    for offset, body in list(bodies.items()):
        if offset > stop:
            break
        if offset >= start:
            script.heredocs.append(Heredoc(body, target, texts[0]))
            del bodies[offset]
            break
    code = _inline_code(text, texts, words)
    if code:
        script.heredocs.append(Heredoc(code, None, texts[0]))
    if texts[0] in {"echo", "printf"} and target and len(words) > 1:
        script.heredocs.append(Heredoc(replaced(text, [(words[1][1], end, " ".join(texts[1:]))]), target, texts[0]))


def _inline_code(text: Mapped, texts: tuple[str, ...], words: list[tuple[str, int, int]]) -> Mapped | None:
    if (
        re.match(r"(?:python3?|node|perl|ruby|bash|sh)$", texts[0])
        and len(texts) > 2
        and texts[1] in {"-c", "-e", "-lc"}
    ):
        start, end = words[2][1], words[2][2]
        if text.text[start + 1 : end - 1] == texts[2]:
            return text.cut(start + 1, end - 1)
        return replaced(text, [(start, end, texts[2])])
    return None


def _without_manager_flags(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Drop the folder flags that stand between a package manager and its verb."""
    if len(texts) > 3 and _MANAGER_FLAGS.match(texts[1]):
        return (texts[0], *texts[3:])
    return texts


def _files_of(texts: tuple[str, ...], words: list[tuple[str, int, int]]) -> list[FileUse]:
    name = texts[0].rsplit("/", 1)[-1]
    rest = [(word, start, end) for word, start, end in words[1:] if not word.startswith("-")]
    if name == "git" and len(texts) > 1:
        return _git_files(texts[1], rest[1:])
    if name in {"sed", "gsed"} and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in texts[1:]):
        scripted = any(word in {"-e", "-f"} or word.startswith("--expression") for word in texts[1:])
        return [FileUse(word, "edit", start, end) for word, start, end in (rest if scripted else rest[1:])]
    if name in {"perl", "ruby"} and any(re.match(r"-[a-zA-Z0]*i", word) for word in texts[1:]):
        return [FileUse(word, "edit", start, end) for word, start, end in rest[1:]]
    if name in _WRITES_ALL:
        op: PathOp = "delete" if name in {"rm", "rmdir", "unlink", "shred"} else "write"
        return [FileUse(word, op, start, end) for word, start, end in rest]
    if name == "find" and any(word in {"-exec", "-execdir", "-delete"} for word in texts):
        edits = any(
            re.match(r"-[a-zA-Z0]*i|--in-place|rm$|-delete$|mv$", word) and word not in {"-iname", "-ipath"}
            for word in texts[1:]
        )
        ends = next((number for number, word in enumerate(texts) if word.startswith("-")), len(texts))
        return [FileUse(word, "edit", start, end) for word, start, end in words[1:ends]] if edits else []
    if name == "mv":
        return [FileUse(word, "move", start, end) for word, start, end in rest]
    if name in {"cp", "install", "ln", "rsync"} and rest:
        word, start, end = rest[-1]
        return [FileUse(word, "write", start, end)]
    if name in {"patch", "ed", "ex"}:
        return [FileUse(word, "patch", start, end) for word, start, end in rest]
    if name in {"ruff", "prettier", "eslint", "black"} and any(
        word in {"--fix", "--write", "-w", "format"} for word in texts
    ):
        return [FileUse(word, "edit", start, end) for word, start, end in rest if word not in {"check", "format"}]
    return []


def _git_files(verb: str, rest: list[tuple[str, int, int]]) -> list[FileUse]:
    if verb == "mv":
        return [FileUse(word, "move", start, end) for word, start, end in rest]
    if verb == "rm":
        return [FileUse(word, "delete", start, end) for word, start, end in rest]
    if verb in {"apply", "am"}:
        return [FileUse(word, "patch", start, end) for word, start, end in rest]
    return []


def _pipes(script: Script, text: str) -> None:
    """Add the files that a search hands to an editing command through ``xargs``, and those that ``patch`` reports."""
    for index, command in enumerate(script.commands):
        if command.words[0] != "xargs" or not index:
            continue
        rest = command.words[1:]
        edits = any(word in {"rm", "mv", "patch", "unlink"} for word in rest) or (
            any(word in {"sed", "perl", "gsed"} for word in rest)
            and any(re.match(r"-[a-zA-Z0]*i", word) for word in rest)
        )
        if not edits:
            continue
        source = script.commands[index - 1]
        for word in source.words[1:]:
            if word.startswith("-"):
                continue
            at = text.find(word, source.start, source.end)
            script.files.append(FileUse(word, "edit", max(at, source.start), max(at, source.start) + len(word)))
    for match in re.finditer(r"^patching file (\S+)", text, re.MULTILINE):
        script.files.append(FileUse(match[1].strip("'"), "patch", match.start(1), match.end(1)))
