"""Token counts with the packaged ranks."""

from __future__ import annotations

import gzip
import hashlib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.errors import InputError
from backslide.harness.payload.tokens import RANKS_SHA256, TokenCounter, encoding, load_ranks, utf8_length

PACKED = (files("backslide.harness.payload") / "data" / "o200k_base.tiktoken.gz").read_bytes()


def test_the_packaged_ranks_are_those_that_tiktoken_expects() -> None:
    """The hash is of the unpacked file."""
    assert hashlib.sha256(gzip.decompress(PACKED)).hexdigest() == RANKS_SHA256
    assert len(load_ranks(PACKED)) == 199_998


@pytest.mark.parametrize(
    "packed",
    [
        PACKED[: len(PACKED) // 2],
        PACKED[:1000] + b"\x00\xff\x00\xff" + PACKED[1004:],
        b"not gzip at all",
        b"",
        gzip.compress(gzip.decompress(PACKED).replace(b" 17\n", b" 18\n", 1)),
    ],
    ids=["cut off", "damaged inside", "another format", "empty", "one rank changed"],
)
def test_damaged_ranks_are_refused(packed: bytes) -> None:
    """One line that names the file and what to do; a wrong count is never taken for a right one."""
    with pytest.raises(InputError) as caught:
        load_ranks(packed)

    assert caught.value.line().startswith("harness/payload/data/o200k_base.tiktoken.gz: the packaged o200k_base ranks ")
    assert "install the package again" in caught.value.line()


def test_no_download_is_attempted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoding is built without tiktoken's loader, which stays in place for others."""
    from tiktoken_ext import openai_public

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a download")

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", refuse)
    encoding.cache_clear()

    assert encoding().name == "o200k_base"
    assert openai_public.load_tiktoken_bpe is refuse


def test_known_counts() -> None:
    """A few texts whose o200k_base tokens are known."""
    counter = TokenCounter()

    assert [counter.count(text) for text in ("", "hello world", "<|endoftext|>", "全局锁")] == [0, 2, 7, 3]


def test_a_text_is_tokenized_once() -> None:
    """The second count is remembered; bytes are those of distinct texts in UTF-8."""
    counter = TokenCounter()
    for _ in range(3):
        counter.count("größer")
        counter.count("plain")

    assert counter.bytes_tokenized == len("größer".encode()) + len("plain")


def test_the_memory_of_counts_is_bounded() -> None:
    """The oldest text is forgotten first and counted again when it comes back."""
    counter = TokenCounter(remember=2)
    for text in ("a1", "b2", "c3", "b2", "a1"):
        counter.count(text)

    assert counter.bytes_tokenized == 8


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_any_text_can_be_counted(text: str) -> None:
    """Lone surrogates count as the replacement character that is sent for them."""
    counter = TokenCounter()
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert counter.count(text) == len(encoding().encode_ordinary(whole))
    assert counter.bytes_tokenized == utf8_length(text)


def test_half_a_surrogate_pair() -> None:
    """Hypothesis makes none by itself."""
    assert TokenCounter().count("a\ud83d") == TokenCounter().count("a\ufffd")
