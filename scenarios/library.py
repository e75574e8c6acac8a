"""The packaged corpus, folders of scenario files, and the choice of scenarios by id, glob and tag."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from backslide.harness.errors import InputError
from backslide.scenarios.load import load_scenario
from backslide.scenarios.model import ADVISOR_TAG, Scenario
from backslide.scenarios.problems import did_you_mean

CORPUS = "backslide.scenarios.corpus"


def corpus_ids(directory: str | Path | None = None) -> list[str]:
    """List the scenario ids of a folder, or of the packaged corpus, sorted; no file is opened."""
    return sorted(_files(directory))


def load_corpus(directory: str | Path | None = None) -> dict[str, Scenario]:
    """Load all scenarios of a folder or of the packaged corpus, by id; raise `InputError` at a bad one."""
    found = _files(directory)
    return {name: load_scenario(found[name]) for name in sorted(found)}


def resolve(
    patterns: Sequence[str] = (),
    tags: Sequence[str] = (),
    *,
    directory: str | Path | None = None,
    advisor: bool = False,
) -> list[Scenario]:
    """Return the scenarios that any of the ids, globs or files names and that have any of the tags.

    A pattern that ends in ``.yaml`` is a scenario file of the user's own. No patterns means all scenarios, no tags
    means any. The order is that of the patterns, ids sorted within a glob, each scenario once. Scenarios about the
    advisor are passed over, unless `advisor` is set. Raises `InputError` for an id, glob or tag that meets nothing,
    and for an id, glob, file or tag that meets only scenarios about the advisor while `advisor` is not set.
    """
    if ADVISOR_TAG in tags and not advisor:
        raise _driven_elsewhere(f"the tag {ADVISOR_TAG!r}")
    found = _files(directory)
    ids = sorted(found)
    chosen: list[Scenario] = []
    met: set[Traversable | Path] = set()
    for pattern in patterns or ["*"] * bool(ids):
        own = pattern.endswith((".yaml", ".yml"))
        sources = [Path(pattern)] if own else [found[name] for name in _named(pattern, ids)]
        scenarios = {source: load_scenario(source) for source in sources}
        if not advisor:
            scenarios = {source: scenario for source, scenario in scenarios.items() if not scenario.is_advisor}
        if patterns and not scenarios:
            raise _driven_elsewhere(f"{pattern!r}")
        chosen += [scenario for source, scenario in scenarios.items() if source not in met]
        met.update(scenarios)
    for index, scenario in enumerate(chosen):
        if any(other.id == scenario.id for other in chosen[:index]):
            raise InputError(f"two scenarios have the id {scenario.id!r}", mend="rename one of them, file and id")
    if not tags:
        return chosen
    known = sorted({tag for scenario in chosen for tag in scenario.tags})
    for tag in tags:
        if tag not in known:
            raise InputError(f"no chosen scenario has the tag {tag!r}", mend=did_you_mean(tag, known))
    return [scenario for scenario in chosen if set(tags) & set(scenario.tags)]


def _driven_elsewhere(what: str) -> InputError:
    mend = "`backslide ledger` drives scenarios about the advisor"
    return InputError(f"expected scenarios with probes, saw {what}", mend=mend)


def _named(pattern: str, ids: Sequence[str]) -> list[str]:
    if pattern in ids:
        return [pattern]
    if any(sign in pattern for sign in "*?["):
        met = [name for name in ids if fnmatchcase(name, pattern)]
        if met:
            return met
        raise InputError(f"no scenario matches {pattern!r}", mend=f"known: {', '.join(ids) or 'none'}")
    raise InputError(f"there is no scenario {pattern!r}", mend=did_you_mean(pattern, ids))


def _files(directory: str | Path | None) -> dict[str, Traversable | Path]:
    folder: Traversable | Path = files(CORPUS) if directory is None else Path(directory)
    if not folder.is_dir():
        raise InputError("expected a folder of scenario files", where=str(folder), mend="check the path")
    found = {
        entry.name.removesuffix(".yaml"): entry
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml") and not entry.name.startswith(".")
    }
    if directory is not None and not found:
        raise InputError("expected scenario files, saw no .yaml file", where=str(folder), mend="check the path")
    return found
