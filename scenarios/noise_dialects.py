"""Which templates serve which language."""

from __future__ import annotations

from backslide.scenarios.noise_compiled import GO, JAVA, RUST, C
from backslide.scenarios.noise_dialect import Dialect
from backslide.scenarios.noise_scripted import PYTHON, SQL, TYPESCRIPT

_FAMILIES = {
    "rust": RUST,
    "typescript": TYPESCRIPT,
    "tsx": TYPESCRIPT,
    "javascript": TYPESCRIPT,
    "go": GO,
    "java": JAVA,
    "kotlin": JAVA,
    "scala": JAVA,
    "csharp": JAVA,
    "c": C,
    "cpp": C,
    "sql": SQL,
}
_ENDINGS = {"tsx": "tsx", "javascript": "js", "cpp": "cpp", "csharp": "cs", "kotlin": "kt", "scala": "scala"}


def dialect_of(language: str) -> tuple[Dialect, str]:
    """Return the templates of a language, those of a relative where it has none, and its file ending."""
    dialect = _FAMILIES.get(language, PYTHON)
    return dialect, _ENDINGS.get(language, dialect.ending)
