"""Variants, built in and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from backslide.evals.determinism import file_name
from backslide.evals.variants import CompactionSetup, builtin_variants, resolve_variant, resolve_variants
from backslide.harness.errors import InputError


def line_of(name: str) -> str:
    with pytest.raises(InputError) as caught:
        resolve_variant(name)
    assert "\n" not in caught.value.line()
    return caught.value.line()


def toml(folder: Path, content: str | bytes, name: str = "v.toml") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_the_built_in_variants() -> None:
    """The default first; the suite's sizes; a summarizer prompt where there is a summarizer."""
    assert builtin_variants() == ["handoff", "naive", "trim", "no-compaction", "pi-0.83"]
    for name in builtin_variants():
        variant = resolve_variant(name)
        assert (variant.name, variant.strategy, variant.make_strategy().name) == (name, name, name)
        assert (variant.prompt is None) == (name in {"trim", "no-compaction"})
    assert resolve_variant("handoff").compaction == CompactionSetup(16_000, 4_096, 4_000, 5, 800)
    assert resolve_variant("pi-0.83").compaction.summary_tokens is None


def test_a_variant_file(tmp_path: Path) -> None:
    """Everything that it can say, and a prompt that stands beside it."""
    (tmp_path / "mine.md").write_text("Summarize my way.")
    path = toml(
        tmp_path,
        'name = "tight"\nstrategy = "naive"\nprompt = "mine.md"\n[compaction]\nwindow = 8000\nreserve_tokens = 2000\n'
        "keep_tokens = 1000\nkeep_turns = 3\nsummary_tokens = 400\n",
    )
    variant = resolve_variant(path)

    assert (variant.name, variant.strategy) == ("tight", "naive")
    assert variant.prompt is not None
    assert variant.prompt.first == "Summarize my way."
    assert variant.compaction == CompactionSetup(8000, 2000, 1000, 3, 400)


def test_what_a_file_leaves_out_is_the_default(tmp_path: Path) -> None:
    """Name from the file, hand-over strategy with its prompt, the suite's sizes; a built-in prompt by name."""
    variant = resolve_variant(toml(tmp_path, "[compaction]\nkeep_turns = 2", "two-turns.toml"))

    assert (variant.name, variant.strategy) == ("two-turns", "handoff")
    assert variant.compaction == CompactionSetup(keep_turns=2)
    assert variant.prompt == resolve_variant("handoff").prompt
    named = resolve_variant(toml(tmp_path, 'prompt = "naive"'))
    assert (named.strategy, named.prompt) == ("naive", resolve_variant("naive").prompt)


def test_a_prompt_file_is_a_variant(tmp_path: Path) -> None:
    """The hand-over mechanism with that prompt, or the mechanism that its front matter names."""
    (tmp_path / "mine.md").write_text("Summarize my way.")
    (tmp_path / "plain.md").write_text("---\nname: Other\nstrategy: naive\n---\nSummarize.")

    mine, plain = resolve_variant(str(tmp_path / "mine.md")), resolve_variant(str(tmp_path / "plain.md"))
    assert (mine.name, mine.strategy) == ("mine", "handoff")
    assert (plain.name, plain.strategy) == ("plain", "naive")
    assert mine.make_strategy().prompt.first == "Summarize my way."  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "content",
    ['name = "x"\r\nstrategy = "trim"\r\n', b'\xef\xbb\xbfname = "x"\nstrategy = "trim"\n'],
    ids=["CRLF", "BOM"],
)
def test_line_ends_and_byte_order_marks_make_no_difference(content: str | bytes, tmp_path: Path) -> None:
    """Editors on other systems write such files."""
    variant = resolve_variant(toml(tmp_path, content))

    assert (variant.name, variant.strategy) == ("x", "trim")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "{}: variant file is empty; give it at least a strategy"),
        (" \n\n", "{}: variant file is empty; give it at least a strategy"),
        ("strategy = ", "{}: not valid TOML: Invalid value (at end of document); correct the file"),
        ("a = 1\na = 2", "{}: not valid TOML: Cannot overwrite a value (at end of document); correct the file"),
        (b"a = '\xff'", "{}: not UTF-8 at byte 5; save it as UTF-8 text"),
        (b"#" * 70_000, "{}: variant file is larger than 64 KiB; is it the right file?"),
        ('stratgy = "trim"', "{}: unknown field 'stratgy'; did you mean 'strategy'?"),
        ("zzz = 1", "{}: unknown field 'zzz'; known are compaction, compactor, control, name, prompt, strategy"),
        ('strategy = "hand-of"', "{}: strategy: unknown strategy 'hand-of'; did you mean 'handoff'?"),
        ("strategy = 5", "{}: strategy: expected a text, found 5; known are handoff, naive, trim, no-compaction, pi-0.83"),
        ('strategy = ""', "{}: strategy: expected a text, found ''; known are handoff, naive, trim, no-compaction, pi-0.83"),
        ('name = ""', "{}: name: expected a text, found ''; write a name, or leave it out"),
        ('name = "a/b"', "{}: name: 'a/b' cannot be a variant's name; leave slashes and control characters out"),
        ('name = "a\\u0007"', "{}: name: 'a\\x07' cannot be a variant's name; leave slashes and control characters out"),
        ("prompt = 1", "{}: prompt: expected a text, found 1; name a built-in prompt or a Markdown file"),
        ('strategy = "trim"\nprompt = "naive"', "{}: prompt: strategy 'trim' has no summarizer prompt; remove it"),
        ('control = "pi-0.84"', "{}: control: unknown control plane 'pi-0.84'; did you mean 'pi-0.83'?"),
        ('control = "?"', "{}: control: unknown control plane '?'; known are pi-0.83, robust"),
        ("control = 1", "{}: control: expected a text, found 1; known are pi-0.83, robust"),
        ("compaction = 3", "{}: compaction: expected a table; write [compaction]"),
        ("[compaction]\nwindov = 3", "{}: unknown field 'compaction.windov'; did you mean 'compaction.window'?"),
        ("[compaction]\nwindow = 1999", "{}: compaction.window: expected a whole number from 2000 to 2000000, found 1999; it is a size in tokens"),
        ("[compaction]\nwindow = 1e4", "{}: compaction.window: expected a whole number from 2000 to 2000000, found 10000.0; it is a size in tokens"),
        ("[compaction]\nkeep_turns = true", "{}: compaction.keep_turns: expected a whole number from 1 to 1000, found True; it is a number of turns"),
        ("[compaction]\nsummary_tokens = '9'", "{}: compaction.summary_tokens: expected a whole number from 16 to 100000, found '9'; it is a size in tokens"),
        ("[compaction]\nwindow = 4096", "{}: compaction.reserve_tokens: the reserve (4096) is not smaller than the window (4096); lower the reserve"),
        ("[compaction]\nwindow = 8000\nkeep_tokens = 3904", "{}: compaction.keep_tokens: the kept tail (3904) leaves nothing below the compaction threshold (3904); keep less, or raise the window"),
    ],
)  # fmt: skip
def test_malformed_variant_files(content: str | bytes, line: str, tmp_path: Path) -> None:
    """One line: where, what, how to mend."""
    path = toml(tmp_path, content)

    assert line_of(path) == line.format(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """A missing file, a folder, a prompt that a variant file names and nobody wrote."""
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "folder.md").mkdir()
    missing = toml(tmp_path, 'prompt = "nowhere.md"', "p.toml")

    assert line_of(str(tmp_path / "no.toml")).endswith(
        "cannot read the variant file (No such file or directory); check the path"
    )
    assert line_of(str(tmp_path / "folder.toml")).endswith(
        "cannot read the variant file (Is a directory); check the path"
    )
    assert "is a directory" in line_of(str(tmp_path / "folder.md"))
    assert line_of(missing) == "nowhere.md: cannot read the prompt file (No such file or directory); check the path"


def test_a_prompt_with_a_strategy_of_no_use(tmp_path: Path) -> None:
    """Unknown, or one without a summarizer."""
    (tmp_path / "a.md").write_text("---\nstrategy: hndoff\n---\nx")
    (tmp_path / "b.md").write_text("---\nstrategy: trim\n---\nx")

    assert line_of(str(tmp_path / "a.md")).endswith("a.md: unknown strategy 'hndoff'; did you mean 'handoff'?")
    assert line_of(str(tmp_path / "b.md")).endswith(
        "b.md: strategy 'trim' has no summarizer prompt; use 'handoff' or 'naive'"
    )


def test_unknown_names() -> None:
    """The nearest one is named, or all of them."""
    assert line_of("handof") == "unknown variant 'handof'; did you mean 'handoff'?"
    assert line_of("xyzzy").startswith("unknown variant 'xyzzy'; known are handoff, naive,")


def test_two_variants_of_one_name(tmp_path: Path) -> None:
    """Records tell variants by name."""
    path = toml(tmp_path, 'name = "naive"\nstrategy = "trim"')

    with pytest.raises(InputError, match="two variants are named 'naive'; rename one of them"):
        resolve_variants(["naive", path])
    assert [variant.name for variant in resolve_variants(["naive", "trim"])] == ["naive", "trim"]


def test_the_hash_is_of_the_behaviour(tmp_path: Path) -> None:
    """Names of variant and prompt file change nothing; strategy, words and sizes do."""
    (tmp_path / "one.md").write_text("Summarize.")
    (tmp_path / "two.md").write_text("Summarize.")
    (tmp_path / "three.md").write_text("Summarize well.")
    one, two, three = (resolve_variant(str(tmp_path / f"{name}.md")) for name in ("one", "two", "three"))
    smaller = resolve_variant(toml(tmp_path, 'prompt = "one.md"\n[compaction]\nkeep_turns = 4'))
    naive = resolve_variant(toml(tmp_path, 'prompt = "one.md"\nstrategy = "naive"', "n.toml"))

    assert one.hash == two.hash
    assert len({one.hash, three.hash, smaller.hash, naive.hash}) == 4


def test_the_control_plane_of_a_variant(tmp_path: Path) -> None:
    """Robust, but Pi's for Pi's strategy where its margin fits into the window; a file may choose either."""
    planes = {name: resolve_variant(name).control_at(1) for name in builtin_variants()}
    assert {name for name, plane in planes.items() if plane != "robust"} == {"pi-0.83"}
    assert resolve_variant("pi-0.83").control_at(0.5) == "robust"

    chosen = resolve_variant(toml(tmp_path, 'strategy = "handoff"\ncontrol = "pi-0.83"', "a.toml"))
    repaired = resolve_variant(toml(tmp_path, 'strategy = "pi-0.83"\ncontrol = "robust"', "b.toml"))
    assert (chosen.control_at(0.1), repaired.control_at(1)) == ("pi-0.83", "robust")
    assert (chosen.config["control"], repaired.config["control"]) == ("pi-0.83", "robust")
    assert chosen.hash != resolve_variant("handoff").hash


def test_sizes_are_scaled() -> None:
    """Tokens grow with the scale, turns do not."""
    settings = resolve_variant("handoff").settings(2.5)

    assert (settings.reserve_tokens, settings.keep_recent_tokens, settings.keep_recent_turns) == (10_240, 10_000, 5)
    assert settings.summary_tokens == 2000
    assert resolve_variant("pi-0.83").settings(2.5).summary_tokens is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("handoff", "handoff"), ("pi-0.83", "pi-0.83"), ("a_b.c", "a_b.c")],
)
def test_plain_names_stand_in_file_names(name: str, expected: str) -> None:
    """As they are."""
    assert file_name(name) == expected


def test_other_names_are_made_fit_and_stay_apart() -> None:
    """Spaces, dots at the ends and letters of other scripts make different files of different variants."""
    names = ["my prompt", "my/prompt", "my-prompt", "提示", "提词", "..", "-x", "x-", ""]
    made = [file_name(name) for name in names]

    assert len(set(made)) == len(names)
    assert all(all(letter.isascii() and (letter.isalnum() or letter in "._-") for letter in name) for name in made)
    assert all(name[0].isalnum() and name[-1].isalnum() for name in made)
