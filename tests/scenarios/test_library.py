"""Folders of scenarios and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backslide.harness.errors import InputError
from backslide.scenarios import corpus_ids, load_corpus, resolve


@pytest.fixture
def folder(edited: Callable[..., Path]) -> Path:
    """A folder with four scenarios, of which two have the tag `small`."""
    for name, tags in [
        ("alpha", "[small]"),
        ("beta", "[python]"),
        ("gamma-one", "[small]"),
        ("gamma-two", "[]"),
    ]:
        path = edited(("id: small", f"id: {name}"), ("tags: [python, small]", f"tags: {tags}"), name=f"{name}.yaml")
    (path.parent / "notes.txt").write_text("no scenario", encoding="utf-8")
    (path.parent / ".alpha.yaml").write_text("an editor's copy", encoding="utf-8")
    return path.parent


def test_a_folder_is_loaded_by_id_in_order(folder: Path) -> None:
    """All scenario files are loaded; other and hidden files are left alone."""
    assert corpus_ids(folder) == ["alpha", "beta", "gamma-one", "gamma-two"]
    assert list(load_corpus(folder)) == corpus_ids(folder)


@pytest.mark.parametrize(
    ("patterns", "tags", "expected"),
    [
        ([], [], ["alpha", "beta", "gamma-one", "gamma-two"]),
        (["beta", "alpha"], [], ["beta", "alpha"]),
        (["gamma-*"], [], ["gamma-one", "gamma-two"]),
        (["gamma-two", "*"], [], ["gamma-two", "alpha", "beta", "gamma-one"]),
        ([], ["small"], ["alpha", "gamma-one"]),
        ([], ["small", "python"], ["alpha", "beta", "gamma-one"]),
        (["gamma-*"], ["small"], ["gamma-one"]),
    ],
)
def test_ids_globs_and_tags_choose(patterns: list[str], tags: list[str], expected: list[str], folder: Path) -> None:
    """The order is that of the patterns, each scenario comes once, any of the tags is enough."""
    assert [scenario.id for scenario in resolve(patterns, tags, directory=folder)] == expected


@pytest.mark.parametrize(
    ("patterns", "tags", "message"),
    [
        (["alpa"], [], "there is no scenario 'alpa'; did you mean 'alpha'?"),
        (["x*"], [], "no scenario matches 'x*'; known: alpha, beta, gamma-one, gamma-two"),
        ([], ["smal"], "no chosen scenario has the tag 'smal'; did you mean 'small'?"),
    ],
)
def test_a_choice_that_meets_nothing_is_refused(
    patterns: list[str], tags: list[str], message: str, folder: Path
) -> None:
    """A misspelt id, glob or tag names the nearest."""
    with pytest.raises(InputError) as caught:
        resolve(patterns, tags, directory=folder)

    assert caught.value.line() == message


def test_an_id_loads_its_own_file_only(folder: Path) -> None:
    """A broken neighbour does not stand in the way."""
    (folder / "beta.yaml").write_text("broken: [", encoding="utf-8")

    assert [scenario.id for scenario in resolve(["alpha"], directory=folder)] == ["alpha"]


def test_a_folder_without_scenarios_is_refused(tmp_path: Path) -> None:
    """A wrong path is not mistaken for an empty corpus."""
    with pytest.raises(InputError, match=r"expected scenario files, saw no \.yaml file"):
        load_corpus(tmp_path)
    with pytest.raises(InputError, match="expected a folder of scenario files"):
        load_corpus(tmp_path / "gone")


def test_a_file_of_the_users_own_is_a_scenario_too(edited: Callable[..., Path]) -> None:
    """A path takes the place of an id, beside packaged ones; the same id twice is refused."""
    file = edited()
    (file.parent / "copy").mkdir()

    assert [scenario.id for scenario in resolve([str(file), "no-moment"])] == ["small", "no-moment"]
    with pytest.raises(InputError, match="two scenarios have the id 'small'"):
        resolve([str(file), str(edited(name="copy/small.yaml"))])
