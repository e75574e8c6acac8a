"""Variants: one configuration of the system under test each, built in or from a file.

A variant file is TOML::

    name = "handoff-tight"
    strategy = "handoff"            # handoff | naive | trim | no-compaction | pi-0.83
    prompt = "my-prompt.md"         # a built-in prompt or a Markdown file, relative to this file
    control = "robust"              # robust | pi-0.83: the control plane (harness/control/PROFILES.md)

    [compaction]
    window = 16000                  # tokens; at --scale 1
    reserve_tokens = 4096
    keep_tokens = 4000
    keep_turns = 5
    summary_tokens = 800

Instead of a strategy and a prompt it may name somebody's own compactor, ``compactor = "compactor.py:Class"`` or
``compactor = "cmd:node compactor.mjs"`` (see ``harness/compaction/external/PROTOCOL.md``).

A Markdown file given as a variant is a summarizer prompt: the `handoff` mechanism with that prompt, or the mechanism
that its front matter names.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from backslide.harness.compaction.prompt_file import Prompt, load_prompt
from backslide.harness.compaction.strategies import STRATEGIES, make_strategy
from backslide.harness.compaction.strategies.base import Strategy
from backslide.harness.control.profile import CONTROL_PROFILES, ControlProfile
from backslide.harness.errors import InputError, nearest
from backslide.harness.settings import CompactionSettings

MAX_BYTES = 64 * 1024
EXTERNAL = "external"
"""Name of the strategy of a variant that brings its own compactor."""
PI: ControlProfile = "pi-0.83"
"""Name of the strategy and of the control plane that reproduce Pi."""
LEAST_PI_WINDOW = 12_000
"""Tokens from which Pi's strategy runs under Pi's control plane: in a smaller window its safety margin of 4,096 tokens
leaves summaries no room, and a run would measure nothing else."""


@dataclass(frozen=True)
class CompactionSetup:
    """Sizes in tokens at scale 1. `summary_tokens` bounds a summary; None leaves it to the strategy."""

    window: int = 16_000
    reserve_tokens: int = 4_096
    keep_tokens: int = 4_000
    keep_turns: int = 5
    summary_tokens: int | None = 800


LIMITS = {
    "window": (2_000, 2_000_000),
    "reserve_tokens": (0, 1_000_000),
    "keep_tokens": (0, 1_000_000),
    "keep_turns": (1, 1_000),
    "summary_tokens": (16, 100_000),
}


@dataclass(frozen=True)
class Variant:
    """One configuration of the system under test."""

    name: str
    strategy: str
    prompt: Prompt | None
    compaction: CompactionSetup = CompactionSetup()
    compactor: str | None = None
    """Specification of somebody's own compactor; then `strategy` is ``external``."""
    fingerprint: str | None = None
    """Over the compactor's file or program, where that can be told."""
    control: ControlProfile | None = None
    """The control plane; None: Pi's for Pi's strategy where the window has room for its margin, else the robust one."""

    def control_at(self, scale: float) -> ControlProfile:
        """Return the control plane that a session at `scale` has."""
        if self.control is not None:
            return self.control
        window = round(self.compaction.window * scale)
        return PI if self.strategy == PI and window >= LEAST_PI_WINDOW else "robust"

    @property
    def config(self) -> dict[str, Any]:
        """Return the resolved configuration as plain data; what stands in the manifest."""
        return {
            "strategy": self.strategy,
            "prompt": self.prompt.name if self.prompt else None,
            "prompt_sha256": self.prompt.sha256 if self.prompt else None,
            "compactor": self.compactor,
            "compactor_fingerprint": self.fingerprint,
            "control": self.control_at(1),
            "compaction": asdict(self.compaction),
        }

    @property
    def hash(self) -> str:
        """Return a hash over everything that changes the variant's behaviour, names left out."""
        text = json.dumps({key: value for key, value in self.config.items() if key != "prompt"}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def make_strategy(self, system: str = "") -> Strategy:
        """Return a compaction strategy for one session; `system` is the executor's system prompt."""
        if self.compactor is not None:
            from backslide.harness.compaction.external import external_strategy

            return external_strategy(self.compactor, name=self.name, system=system)
        return make_strategy(self.strategy, self.prompt)

    def settings(self, scale: float) -> CompactionSettings:
        """Return the harness's settings with sizes at `scale`."""
        setup = self.compaction
        summary = setup.summary_tokens
        return CompactionSettings(
            reserve_tokens=round(setup.reserve_tokens * scale),
            keep_recent_tokens=round(setup.keep_tokens * scale),
            keep_recent_turns=setup.keep_turns,
            summary_tokens=round(summary * scale) if summary is not None else None,
        )


def builtin_variants() -> list[str]:
    """Return the names of the built-in variants, the default first."""
    return list(STRATEGIES)


def resolve_variant(name_or_path: str) -> Variant:
    """Return a built-in variant, or the one of a TOML file or a Markdown prompt.

    Raises `InputError` for an unknown name (with the nearest) and for a file that is missing, empty or malformed.
    """
    if name_or_path in STRATEGIES:
        return _builtin(name_or_path)
    if is_compactor(name_or_path):
        return with_compactor(name_or_path)
    path = Path(name_or_path)
    if path.suffix == ".md":
        prompt = load_prompt(path)
        return _with_prompt(_name(path.stem, name_or_path), prompt, where=name_or_path)
    if path.suffix == ".toml":
        return _from_toml(path)
    near = nearest(name_or_path, STRATEGIES)
    raise InputError(
        f"unknown variant '{name_or_path}'",
        mend=f"did you mean '{near}'?"
        if near
        else f"known are {', '.join(STRATEGIES)}, a .toml file, a .md prompt, path.py:Class, cmd:'program'",
    )


def is_compactor(text: str) -> bool:
    """Return whether a text names somebody's own compactor: ``path.py:Class`` or ``cmd:program``."""
    return text.startswith("cmd:") or ".py:" in text


def with_compactor(spec: str, name: str | None = None, setup: CompactionSetup | None = None) -> Variant:
    """Return the variant of somebody's own compactor. Raises `InputError` if it cannot be loaded."""
    from backslide.harness.compaction.external import load_compactor

    source = load_compactor(spec)
    return Variant(
        name or _name(_short_name(spec), spec),
        EXTERNAL,
        None,
        setup or CompactionSetup(),
        spec,
        source.fingerprint,
    )


def _short_name(spec: str) -> str:
    """Return a variant name for a compactor: the names of its file and member, or of the program and its first file."""
    words = spec.removeprefix("cmd:").split() if spec.startswith("cmd:") else [spec.replace(".py:", ".")]
    parts = [re.sub(r"[^\w.+]+", "-", Path(word).name).strip("-.") for word in words if not word.startswith("-")]
    return "-".join(part for part in parts[:2] if part)[:64] or "compactor"


def resolve_variants(names: list[str]) -> list[Variant]:
    """Resolve several variants; two of the same name are refused, because records tell variants by name."""
    variants: list[Variant] = []
    for name in names:
        variant = resolve_variant(name)
        if any(other.name == variant.name for other in variants):
            raise InputError(f"two variants are named '{variant.name}'", where=name, mend="rename one of them")
        variants.append(variant)
    return variants


def _builtin(name: str) -> Variant:
    prompt_name = STRATEGIES[name]
    setup = CompactionSetup(summary_tokens=None) if name == "pi-0.83" else CompactionSetup()
    return Variant(name, name, load_prompt(prompt_name) if prompt_name else None, setup)


def _with_prompt(name: str, prompt: Prompt, *, where: str) -> Variant:
    strategy = prompt.strategy or "handoff"
    _known_strategy(strategy, where)
    if STRATEGIES[strategy] is None:
        raise InputError(
            f"strategy '{strategy}' has no summarizer prompt", where=where, mend="use 'handoff' or 'naive'"
        )
    return replace(_builtin(strategy), name=name, prompt=prompt)


def _known_strategy(strategy: str, where: str) -> None:
    if strategy not in STRATEGIES:
        near = nearest(strategy, STRATEGIES)
        raise InputError(
            f"unknown strategy '{strategy}'",
            where=where,
            mend=f"did you mean '{near}'?" if near else f"known are {', '.join(STRATEGIES)}",
        )


def _from_toml(path: Path) -> Variant:
    where = str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read the variant file ({reason})", where=where, mend="check the path") from error
    if not raw.strip():
        raise InputError("variant file is empty", where=where, mend="give it at least a strategy")
    if len(raw) > MAX_BYTES:
        raise InputError(
            f"variant file is larger than {MAX_BYTES // 1024} KiB", where=where, mend="is it the right file?"
        )
    try:
        data = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=where, mend="save it as UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", where=where, mend="correct the file") from error
    _only(data, {"name", "strategy", "prompt", "control", "compactor", "compaction"}, where, "")
    control = _control(data, where)
    if "compactor" in data:
        return replace(_toml_compactor(data, path), control=control)
    prompt = _prompt(data, path)
    if "strategy" in data:
        strategy = _text(data["strategy"], f"{where}: strategy", f"known are {', '.join(STRATEGIES)}")
        _known_strategy(strategy, f"{where}: strategy")
    else:
        strategy = (prompt.strategy if prompt else None) or "handoff"
        _known_strategy(strategy, f"{where}: prompt: strategy")
    if prompt is not None and STRATEGIES[strategy] is None:
        raise InputError(f"strategy '{strategy}' has no summarizer prompt", where=f"{where}: prompt", mend="remove it")
    base = _builtin(strategy)
    return Variant(
        name=_name(data.get("name", path.stem), f"{where}: name"),
        strategy=strategy,
        prompt=prompt or base.prompt,
        compaction=_setup(data.get("compaction", {}), where, base.compaction),
        control=control,
    )


def _control(data: dict[str, Any], where: str) -> ControlProfile | None:
    """Return the control plane that a file names, None if it names none."""
    if "control" not in data:
        return None
    known = ", ".join(CONTROL_PROFILES)
    name = _text(data["control"], f"{where}: control", f"known are {known}")
    for profile in CONTROL_PROFILES:
        if name == profile:
            return profile
    near = nearest(name, CONTROL_PROFILES)
    raise InputError(
        f"unknown control plane '{name}'",
        where=f"{where}: control",
        mend=f"did you mean '{near}'?" if near else f"known are {known}",
    )


def _toml_compactor(data: dict[str, Any], path: Path) -> Variant:
    """Return the variant of a file that names a compactor; a Python file is looked for beside it first."""
    where = str(path)
    for key in ("strategy", "prompt"):
        if key in data:
            raise InputError(f"a compactor leaves no room for a {key}", where=f"{where}: {key}", mend="remove it")
    spec = _text(data["compactor"], f"{where}: compactor", "path.py:Class or cmd:program")
    file, colon, member = spec.partition(".py:")
    beside = path.parent / f"{file}.py"
    if colon and beside.exists():
        spec = f"{beside}:{member}"
    setup = _setup(data.get("compaction", {}), where, CompactionSetup())
    return with_compactor(spec, _name(data.get("name", path.stem), f"{where}: name"), setup)


def _prompt(data: dict[str, Any], path: Path) -> Prompt | None:
    if "prompt" not in data:
        return None
    name = _text(data["prompt"], f"{path}: prompt", "name a built-in prompt or a Markdown file")
    beside = path.parent / name
    return load_prompt(beside if beside.is_file() else name)


def _setup(section: Any, where: str, base: CompactionSetup) -> CompactionSetup:
    if not isinstance(section, dict):
        raise InputError("expected a table", where=f"{where}: compaction", mend="write [compaction]")
    _only(section, set(LIMITS), where, "compaction.")
    for key, value in section.items():
        low, high = LIMITS[key]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InputError(
                f"expected a whole number from {low} to {high}, found {value!r}",
                where=f"{where}: compaction.{key}",
                mend="it is a size in tokens" if key != "keep_turns" else "it is a number of turns",
            )
    setup = replace(base, **section)
    if setup.reserve_tokens >= setup.window:
        raise InputError(
            f"the reserve ({setup.reserve_tokens}) is not smaller than the window ({setup.window})",
            where=f"{where}: compaction.reserve_tokens",
            mend="lower the reserve",
        )
    threshold = setup.window - setup.reserve_tokens
    if setup.keep_tokens >= threshold:
        raise InputError(
            f"the kept tail ({setup.keep_tokens}) leaves nothing below the compaction threshold ({threshold})",
            where=f"{where}: compaction.keep_tokens",
            mend="keep less, or raise the window",
        )
    return setup


def _only(data: dict[str, Any], known: set[str], where: str, prefix: str) -> None:
    for key in data:
        if key not in known:
            near = nearest(key, known)
            raise InputError(
                f"unknown field '{prefix}{key}'",
                where=where,
                mend=f"did you mean '{prefix}{near}'?" if near else f"known are {', '.join(sorted(known))}",
            )


def _text(value: Any, where: str, mend: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"expected a text, found {value!r}", where=where, mend=mend)
    return value.strip()


def _name(value: Any, where: str) -> str:
    name = _text(value, where, "write a name, or leave it out")
    if "/" in name or not name.isprintable():
        raise InputError(
            f"{name!r} cannot be a variant's name", where=where, mend="leave slashes and control characters out"
        )
    return name
