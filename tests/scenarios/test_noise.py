"""Generated noise: its size, its sameness, its variety and what it never says."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import combinations
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.scenarios.fields import Language, NoiseKind
from backslide.scenarios.model import Noise
from backslide.scenarios.noise import generate, noise_text

KINDS = get_args(NoiseKind)
LANGUAGES = get_args(Language)
RULES = re.compile(
    r"\b(no|not|never|none of|don't|do not|cannot|can't|won't|must|should|shall|avoid\w*|forbid\w*|ban|banned|"
    r"disallow\w*|prohibit\w*|instead|only|always|without|refuse\w*|reject\w*|den(y|ied)|allow\w*|remove\w*|"
    r"deprecated|prefer\w*)\b",
    re.IGNORECASE,
)
APPROACHES = re.compile(
    r"\b(mutex|lock|thread\w*|multiprocessing|async|await|retry|redis|float|sleep|malloc|goroutine|moment|"
    r"websocket|regex|orm|serial|catch|actor|channel|unsafe|redux|sqlite|postgres|billing|lxml|cache)\b",
    re.IGNORECASE,
)

kinds = st.sampled_from(KINDS)
languages = st.sampled_from(LANGUAGES)
seeds = st.integers(0, 10**9)
subjects = st.lists(st.sampled_from(["registry", "Session table", "feed", "会话", "order-book"]), max_size=3).map(tuple)


@settings(deadline=None, max_examples=60)
@given(kind=kinds, size=st.integers(100, 20_000), seed=seeds, about=subjects, language=languages)
def test_noise_has_the_size_that_was_asked_for(
    kind: str, size: int, seed: int, about: tuple[str, ...], language: str
) -> None:
    """A block is as long as its recipe says, ends with a whole line, and JSON stays JSON."""
    text = generate(kind, size, seed, about, language)

    assert len(text) == size
    assert not text.endswith("\n")
    if kind == "json":
        json.loads(text)


@settings(deadline=None, max_examples=60)
@given(kind=kinds, seed=seeds, language=languages)
def test_noise_states_no_rule(kind: str, seed: int, language: str) -> None:
    """Nothing in a block negates, forbids or recommends, or names what scenarios rule out."""
    text = generate(kind, 8_000, seed, ("registry",), language)

    assert RULES.findall(text) == []
    assert APPROACHES.findall(text) == []


@settings(deadline=None, max_examples=60)
@given(kind=kinds, seed=seeds, language=languages)
def test_the_subjects_words_are_mixed_in(kind: str, seed: int, language: str) -> None:
    """Each word of `about` appears, in whatever case the names are written."""
    text = generate(kind, 3_000, seed, ("zebra crossing", "Quokka"), language).lower()

    assert all(word in text for word in ("zebra", "crossing", "quokka"))


@settings(deadline=None, max_examples=40)
@given(kind=kinds, seed=seeds, language=languages)
def test_a_longer_block_begins_like_a_shorter_one(kind: str, seed: int, language: str) -> None:
    """Scaling up adds to a block and leaves its beginning as it was."""
    short = generate(kind, 1_000, seed, (), language)
    long = generate(kind, 3_000, seed, (), language)

    kept = short[: short.rindex('],\n  "summary"')].rstrip() if kind == "json" else short[: short.rindex("\n")]
    assert long.startswith(kept)


@pytest.mark.parametrize("kind", KINDS)
def test_forty_blocks_do_not_look_like_copies(kind: str) -> None:
    """Blocks of neighbouring seeds share few of their lines."""
    blocks = [set(generate(kind, 2_000, seed, (), "python").split("\n")) for seed in range(40)]

    shared = [len(one & other) / min(len(one), len(other)) for one, other in combinations(blocks, 2)]

    assert len({tuple(sorted(block)) for block in blocks}) == 40
    assert sum(shared) / len(shared) < 0.25


@pytest.mark.parametrize("kind", KINDS)
def test_kind_language_and_seed_each_matter(kind: str) -> None:
    """Another seed or another language gives another text."""
    assert generate(kind, 500, 1, (), "go") != generate(kind, 500, 2, (), "go")
    assert generate(kind, 500, 1, (), "go") != generate(kind, 500, 1, (), "rust")


def test_the_bytes_are_those_of_every_other_machine() -> None:
    """The corpus relies on these bytes: token counts, cassettes and baselines change with them."""
    text = "\0".join(generate(kind, 2_000, 7, ("registry",), language) for kind in KINDS for language in LANGUAGES)

    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "8e1fc849897a01e411b63615fc60a50501c21b1daa9cebd79ab7b8061de13000"


def test_a_scale_multiplies_the_size() -> None:
    """Twice the scale is twice the text; no block becomes shorter than a line or two."""
    noise = Noise(kind="grep", size=800, seed=3, about=())

    assert len(noise_text(noise, "c", 2.5)) == 2_000
    assert len(noise_text(noise, "c", 0.001)) == 100


def test_grep_hits_look_like_grep_hits() -> None:
    """Each hit but the closing line is path, number and code, numbers rising within a file."""
    lines = generate("grep", 4_000, 5, (), "rust").split("\n")[:-1]

    hits = [re.fullmatch(r"([\w/]+\.rs):(\d+):\s*(\S.*)", line) for line in lines]
    assert all(hits)
    numbers: dict[str, int] = {}
    for hit in hits:
        assert hit is not None
        assert int(hit[2]) > numbers.get(hit[1], 0)
        numbers[hit[1]] = int(hit[2])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["buildlog", "testlog"])
def test_logs_print_no_totals_of_their_own(kind: str, language: str) -> None:
    """The total of a log is the script's last line; a generated one would contradict it."""
    text = generate(kind, 6_000, 3, ("registry",), language)

    total = r"\b\d+ (?:passed|failed|tests?)\b|Tests run(?!.* -- in )|Finished `|^1\.\.\d"
    assert not re.search(total, text, re.MULTILINE)
