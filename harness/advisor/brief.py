"""The brief: what an executor writes for its advisor, and the one complete document that is made of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from backslide.harness.advisor.artifacts import Artifact, artifact_text
from backslide.harness.advisor.document import Document, Part, cut
from backslide.harness.errors import InputError, nearest

FIELDS = ("question", "context", "options", "evidence", "leaning", "unsure")
LISTS = frozenset({"options", "evidence"})

TITLE = "# A request for advice"
INSTRUCTION = (
    "## Your reply\n"
    "Answer the question above. Reply with guidance only: a plan, a correction, or a signal to stop, with reasons. "
    "You cannot run anything, so report no action of your own and no outcome that is not stated above."
)

_SPEAKERS = (
    "user|human|customer|assistant|agent|executor|advisor|model|ai|system|developer|tools?|functions?|thinking|"
    "reasoning|observation|action|用户|人类|助手|助理|模型|系统|工具|函数|思考"
)
# What could pass for the label of a transcript, or for a heading of this document, inside somebody's words.
_FRAME = re.compile(
    r"(?mi)^(?=[ \t]*(?:"
    r"[\[【《{][^\]】》}\n]{1,60}[\]】》}]\s*[:：>]|"  # a bracketed name and a colon
    r"[^\w\s(+*\"'`>•-][^\w\s]{0,3}[ \w-]{2,40}[^\w\s\d.,]{1,4}(?:\s|$)|"  # a name between other signs
    r"<\|?/?[\w:.-]{1,40}[^>\n]{0,60}>|"  # a tag
    rf"(?:\*\*)?(?:{_SPEAKERS})[^:：\n]{{0,40}}[:：]|"  # a speaker and a colon
    rf"(?:{_SPEAKERS})\s*$|"
    r"#{1,6}\s))"
)


@dataclass(frozen=True)
class Brief:
    """An executor's question with what is needed to answer it.

    Raises `InputError` for a question without text; that is checked before anything is created or paid for.
    """

    question: str
    context: str | None = None
    options: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    leaning: str | None = None
    unsure: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.question, str) or not self.question.strip():
            raise InputError("the brief has no question", where="advisor", mend="state what you want to know")

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the brief of a tool call's arguments; a single text where a list belongs is a list of one.

        Raises `InputError` for a missing question, an unknown field or a value of another kind.
        """
        given: dict[str, Any] = {}
        for key, value in arguments.items():
            if key not in FIELDS:
                near = nearest(key, FIELDS)
                mend = f"did you mean '{near}'?" if near else f"known are {', '.join(FIELDS)}"
                raise InputError(f"the brief has no field '{key}'", where="advisor", mend=mend)
            if value is not None:
                given[key] = _list(key, value) if key in LISTS else _text(key, value)
        return cls(**{"question": "", **given})

    def words(self) -> list[str]:
        """Return every text of the brief."""
        fields = [self.question, self.context, *self.options, *self.evidence, self.leaning, self.unsure]
        return [text for text in fields if text]

    def document(self, limit: int, artifacts: Sequence[Artifact] = ()) -> Document:
        """Return the brief as one document that ends on an instruction; absent sections are left out.

        A section over `limit` characters is cut and says so. Lines of the executor's words that could pass for a label
        or a heading are shown as quotations.
        """
        sections = [
            ("Question", self.question),
            ("Context", self.context),
            ("Options", _numbered(self.options)),
            ("Evidence", _bullets(self.evidence)),
            ("Current leaning", self.leaning),
            ("Unsure about", self.unsure),
        ]
        written = "\n\n".join(
            [TITLE, *(f"## {title}\n{_shown(text, limit)}" for title, text in sections if text and text.strip())]
        )
        parts = [Part("brief", f"{written}\n\n")]
        if artifacts:
            parts.append(Part("tool_results", f"{artifact_text(artifacts)}\n\n"))
        return Document("brief", (*parts, Part("frame", INSTRUCTION)))


def quoted(text: str) -> str:
    """Return `text` with every line that could pass for a transcript's label or a heading turned into a quotation."""
    return _FRAME.sub("> ", text)


def _shown(text: str, limit: int) -> str:
    return quoted(cut(text.strip(), limit))


def _numbered(items: Sequence[str]) -> str:
    return "\n".join(f"{number}. {item.strip()}" for number, item in enumerate(items, start=1))


def _bullets(items: Sequence[str]) -> str:
    return "\n".join(f"- {item.strip()}" for item in items)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"the brief's '{key}' must be a text, not {value!r}", where="advisor")
    return value


def _list(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InputError(f"the brief's '{key}' must be a list of texts", where="advisor")
    return tuple(item for item in value if item.strip())
