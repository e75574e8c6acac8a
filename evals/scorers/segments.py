"""Split a reply into what it says and what it adds: prose blocks, code, commands, changed files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from backslide.evals.scorers import languages
from backslide.evals.scorers.barecode import is_command_line
from backslide.evals.scorers.blocks import PROSE_KINDS, Block, blocks
from backslide.evals.scorers.diffs import file_changes, looks_like_diff
from backslide.evals.scorers.edits import program_writes, sed_added
from backslide.evals.scorers.intro import after_note, introduces_removed, says_look_only
from backslide.evals.scorers.mapped import Mapped, pieces, whole
from backslide.evals.scorers.paths import first_line_path, info_path, intro_path
from backslide.evals.scorers.reply import ReplyText
from backslide.evals.scorers.shell import PathOp, Script, read_script
from backslide.evals.scorers.toolcalls import ToolText, added, of_placed, written_calls

Source = Literal["fence", "diff", "tool", "bare", "heredoc", "inline"]


@dataclass(frozen=True)
class Code:
    """Code that the reply adds or shows: only the added lines, without fence, sign or escape.

    `path` is the file it belongs to if the reply says so. `shown` tells that the words around it present it as
    old, removed or
    wrong. `complete` is false for a part of a file (added lines of a diff, an edit's new text).
    """

    text: Mapped
    language: str | None
    path: str | None
    source: Source
    shown: bool = False
    complete: bool = True


@dataclass(frozen=True)
class Shell:
    """A shell text that the reply runs or tells to run, and what it does."""

    text: Mapped
    script: Script
    shown: bool = False
    source: Source = "fence"


@dataclass(frozen=True)
class ChangedFile:
    """A file that the reply changes, by whatever means; the span is that of its name in the reply."""

    path: str
    op: PathOp
    start: int
    end: int
    shown: bool = False


@dataclass(frozen=True)
class Segments:
    """Everything a reply consists of; offsets lead back to the canonical text of the reply."""

    canonical: str
    prose: tuple[Block, ...]
    code: tuple[Code, ...]
    shells: tuple[Shell, ...]
    files: tuple[ChangedFile, ...]


@dataclass
class _Builder:
    prose: list[Block] = field(default_factory=list)
    code: list[Code] = field(default_factory=list)
    shells: list[Shell] = field(default_factory=list)
    files: list[ChangedFile] = field(default_factory=list)


@lru_cache(maxsize=32)
def split(reply: ReplyText) -> Segments:
    """Return the segments of a reply, cached. Linear in its length."""
    builder = _Builder()
    source = whole(reply.text)
    cut = blocks(source)
    for index, block in enumerate(cut):
        if block.kind in PROSE_KINDS:
            calls = [] if block.kind == "quote" else _calls_in_prose(block)
            for call in calls:
                _tool(builder, call, False)
            builder.prose.append(block)
            if not calls:
                _inline_commands(builder, block)
        else:
            _marked(builder, cut, index)
    canonical = whole(reply.canonical)
    for placed in reply.placed_calls:
        _tool(builder, of_placed(placed, canonical), False)
    for code in builder.code:
        if code.language in {"python", "javascript", "typescript", None}:
            for use in program_writes(code.text):
                builder.files.append(
                    ChangedFile(use.path, use.op, *code.text.span(use.start, use.end), shown=code.shown)
                )
    return Segments(
        reply.canonical, tuple(builder.prose), tuple(builder.code), tuple(builder.shells), tuple(builder.files)
    )


def _calls_in_prose(block: Block) -> list[ToolText]:
    text = block.text.text
    if '"' not in text and "<" not in text and "'" not in text:
        return []
    return list(written_calls(block.text))


def _intro(cut: tuple[Block, ...], index: int) -> str:
    """Return the words right before a block: the last lines of the block before it, with its heading."""
    lines: list[str] = []
    for before in reversed(cut[max(0, index - 2) : index]):
        if before.kind not in PROSE_KINDS or before.kind in {"quote", "table"}:
            break
        lines.insert(0, before.text.text.rstrip()[-400:])
        if before.kind != "heading" and len(lines) == 1 and not _heading_follows(cut, index):
            break
    return "\n".join(lines)


def _heading_follows(cut: tuple[Block, ...], index: int) -> bool:
    return index >= 2 and cut[index - 2].kind == "heading"


def _marked(builder: _Builder, cut: tuple[Block, ...], index: int) -> None:
    block = cut[index]
    intro = _intro(cut, index)
    following = cut[index + 1] if index + 1 < len(cut) else None
    note = following.text.text[:200] if following and following.kind in PROSE_KINDS else ""
    shown = introduces_removed(intro, block.text.text) or after_note(note)
    text = block.text
    if block.kind in {"diff", "patch"} or looks_like_diff(text.text, block.info):
        _changes(builder, text, shown, block.info, intro)
        return
    language = languages.of_info(block.info)
    calls = list(written_calls(text)) if language in {None, "json", "xml", "python", "bash"} else []
    if calls:
        for call in calls:
            _tool(builder, call, shown)
        return
    path = info_path(block.info) or first_line_path(text.text) or intro_path(intro)
    if language == "bash" or (language is None and _is_shell(text.text)):
        _shell(builder, text, shown, "fence")
        return
    language = languages.of_fence(language, path, text.text)
    if language == "bash" and block.kind == "code":
        _shell(builder, text, shown, "bare")
        return
    builder.code.append(Code(text, language, path, "bare" if block.kind == "code" else "fence", shown))
    if path and not says_look_only(intro):
        at = block.start
        builder.files.append(ChangedFile(path, "edit", at, min(at + len(block.text.text), block.end), shown))


def _is_shell(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    commands = sum(1 for line in lines if is_command_line(line))
    return (
        bool(lines)
        and is_command_line(lines[0])
        and (commands * 2 >= len(lines) or "<<" in text or lines[0].lstrip().startswith("$ "))
    )


def _changes(builder: _Builder, text: Mapped, shown: bool, info: str, intro: str) -> None:
    for change in file_changes(text):
        path = change.path or info_path(info) or intro_path(intro)
        if path:
            span = text.span(change.start, change.end)
            builder.files.append(ChangedFile(path, change.op, *span, shown=shown))
        if change.added.text.strip():
            language = languages.of_path(path) or languages.guess(change.added.text)
            builder.code.append(Code(change.added, language, path, "diff", shown, complete=False))


def _shell(builder: _Builder, text: Mapped, shown: bool, source: Source) -> None:
    script = read_script(text)
    builder.shells.append(Shell(text, script, shown, source))
    for use in script.files:
        builder.files.append(ChangedFile(use.path, use.op, *text.span(use.start, use.end), shown=shown))
    for heredoc in script.heredocs:
        if looks_like_diff(heredoc.body.text):
            _changes(builder, heredoc.body, shown, "", "")
            continue
        named = {"python": "python", "python3": "python", "node": "javascript", "psql": "sql", "ruby": "ruby"}.get(
            heredoc.command
        )
        language = languages.of_path(heredoc.path) or named or languages.guess(heredoc.body.text)
        builder.code.append(
            Code(heredoc.body, language, heredoc.path, "heredoc", shown, complete=heredoc.path is not None)
        )
    for command in script.commands:
        if command.words[0] in {"sed", "gsed", "perl"}:
            for use in script.files:
                if command.start <= use.start <= command.end:
                    body = pieces(text, sed_added(text.text, command.start, command.end))
                    builder.code.append(
                        Code(body, languages.of_path(use.path), use.path, "heredoc", shown, complete=False)
                    )


def _tool(builder: _Builder, call: ToolText, shown: bool) -> None:
    path = call.path.text.strip() if call.path else None
    if call.patch is not None and looks_like_diff(call.patch.text, "diff"):
        _changes(builder, call.patch, shown, "", "")
    if call.command is not None:
        _shell(builder, call.command, shown, "tool")
    if call.reads:
        return
    text = added(call)
    if path and call.path and (text is not None or re.search(r"(?i)delete|remove|move|rename", call.name)):
        op: PathOp = "edit" if call.new is not None else "write"
        start, end = call.path.span(0, len(call.path.text))
        builder.files.append(ChangedFile(path, op, start, end, shown))
    if text is not None and text.text.strip():
        language = languages.of_path(path) or languages.guess(text.text)
        builder.code.append(Code(text, language, path, "tool", shown, complete=call.new is None))


_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{3,300})\1(?!`)")


def _inline_commands(builder: _Builder, block: Block) -> None:
    """Add commands in code font, unless the sentence around them tells not to run them or reports them as past."""
    for match in _INLINE.finditer(block.text.text):
        if not is_command_line(match[2].strip()):
            continue
        before = block.text.text[max(0, match.start() - 200) : match.start()]
        after = block.text.text[match.end() : match.end() + 120]
        text = block.text.cut(match.start(2), match.end(2))
        shown = block.kind == "quote" or not tells_to_run(before, after)
        _shell(builder, text, shown, "inline")


def tells_to_run(before: str, after: str) -> bool:
    """Return whether the words around a command in code font tell to run it, or report that it was run just now."""
    sentence = re.split(r"[.!?。！？\n]\s*", before)[-1].lower()
    rest = re.split(r"[.!?。！？\n]", after)[0].lower()
    if re.search(
        r"\b(?:not|never|no|avoid|without|instead of|rather than|if|earlier|previously|undo|undid|"
        r"reverted|would)\b|n't\b|不|别|没|避免|之前|撤|如果",
        sentence[-80:],
    ):
        return False
    if re.search(
        r"^[^,;]*\b(?:is|was|are|were) (?:not|out|ruled|rejected|off|forbidden|banned|wrong)|^\W*(?:被|不行|不可|会)",
        rest,
    ):
        return False
    return bool(
        re.search(
            r"\b(?:run|ran|running|execute|do|with|via|just|then|start|install|add|using|by|try|use|step|and|"
            r":|→)\b[^.]*$|[:：→;；,，]\s*$|^\W*$|运行|执行|跑|先|装|用|再|直接",
            sentence,
        )
    )
