"""The corpus of scripted coding sessions, and what reads, checks and expands it."""

from __future__ import annotations

from backslide.scenarios.library import corpus_ids, load_corpus, resolve
from backslide.scenarios.load import load_scenario, scenario_hash, validate_file
from backslide.scenarios.model import Scenario
from backslide.scenarios.problems import Problem

__all__ = [
    "Problem",
    "Scenario",
    "corpus_ids",
    "load_corpus",
    "load_scenario",
    "resolve",
    "scenario_hash",
    "validate_file",
]
