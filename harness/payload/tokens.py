"""Token counts with the o200k_base ranks that ship with the package.

tiktoken downloads its rank files by default, which fails without a network; the ranks are package data here, and
their hash is the one that tiktoken itself expects.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from binascii import a2b_base64
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from backslide.harness.errors import InputError

if TYPE_CHECKING:
    import tiktoken

RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
MESSAGE_OVERHEAD = 4
"""Tokens added for each message: role and delimiters of a chat template."""
TOOL_OVERHEAD = 8
"""Tokens added for each tool definition: its wrapper in a chat template."""


def load_ranks(packed: bytes, expected_sha256: str = RANKS_SHA256) -> dict[bytes, int]:
    """Unpack a gzipped tiktoken rank file, verifying its hash.

    Raises `InputError` if the unpacked bytes are not those of o200k_base.
    """
    try:
        plain = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            "the packaged o200k_base ranks cannot be unpacked",
            where="harness/payload/data/o200k_base.tiktoken.gz",
            mend="install the package again",
        ) from error
    seen = hashlib.sha256(plain).hexdigest()
    if seen != expected_sha256:
        raise InputError(
            f"the packaged o200k_base ranks have sha256 {seen[:12]}…, expected {expected_sha256[:12]}…",
            where="harness/payload/data/o200k_base.tiktoken.gz",
            mend="install the package again",
        )
    return {a2b_base64(token): int(rank) for token, rank in (line.split() for line in plain.splitlines() if line)}


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """Return the o200k_base encoding, built once per process from the packaged ranks."""
    import tiktoken
    from tiktoken_ext import openai_public

    packed = (files("backslide.harness.payload") / "data" / "o200k_base.tiktoken.gz").read_bytes()
    ranks = load_ranks(packed)
    loader = openai_public.load_tiktoken_bpe
    # The published constructor is the only place where the split pattern and the special tokens stand; feed it
    # our ranks instead of a download.
    openai_public.load_tiktoken_bpe = lambda *_args, **_kwargs: ranks
    try:
        parameters = openai_public.o200k_base()
    finally:
        openai_public.load_tiktoken_bpe = loader
    return tiktoken.Encoding(**parameters)


class TokenCounter:
    """Counts o200k_base tokens, each distinct text once, and tells how many bytes of text it has tokenized.

    It remembers the counts of the last `remember` distinct texts, more than a context holds, so that a message is not
    tokenized again when it moves into another payload.
    """

    def __init__(self, remember: int = 20_000) -> None:
        self.bytes_tokenized = 0
        self._remember = remember
        self._known: dict[str, int] = {}
        self._encoding: tiktoken.Encoding | None = None

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`; special-token spellings count as ordinary text."""
        known = self._known.get(text)
        if known is not None:
            return known
        if not text:
            return 0
        if self._encoding is None:
            self._encoding = encoding()
        self.bytes_tokenized += utf8_length(text)
        try:
            tokens = len(self._encoding.encode_ordinary(text))
        except UnicodeEncodeError:
            # Lone surrogates cannot be encoded; a real request replaces them too.
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            tokens = len(self._encoding.encode_ordinary(whole))
        if len(self._known) >= self._remember:
            del self._known[next(iter(self._known))]
        self._known[text] = tokens
        return tokens


@cache
def shared_counter(owner: str) -> TokenCounter:
    """Return a counter that lives as long as the process, one for each `owner`.

    Sessions of one scenario under several variants hold the same texts; each is tokenized once.
    """
    del owner
    return TokenCounter()


def utf8_length(text: str) -> int:
    """Return the bytes of `text` in UTF-8; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
