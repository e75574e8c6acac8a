"""SumBasic: extractive summarization by word frequency.

Source of the method: L. Vanderwende, H. Suzuki, C. Brockett and A. Nenkova, "Beyond SumBasic: Task-focused
summarization with sentence simplification and lexical expansion", Information Processing & Management 43(6), 2007;
first described in A. Nenkova and L. Vanderwende, "The Impact of Frequency on Summarization", MSR-TR-2005-101.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[a-z][a-z0-9_]+|[\u4e00-\u9fff]+|\d+(?:\.\d+)?")
_STOP_WORDS = """
a an and are as at be been but by can could did do does for from had has have he her his i if in into is it its just
me my no not of on or our out over she should so some than that the their them then there these they this to too up
us was we were what when where which who will with would you your let also about all any
的 了 是 在 我 你 他 它 们 和 也 就 都 这 那 有 把 被 与 及 吧 呢 吗
"""
_STOP = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=32768)
def content_words(text: str) -> tuple[str, ...]:
    """Return the content words of a text: lower-case words without stop words; Chinese as pairs of characters."""
    words: list[str] = []
    for word in _WORD.findall(text.lower()):
        if "\u4e00" <= word[0] <= "\u9fff":
            kept = "".join(letter for letter in word if letter not in _STOP)
            words.extend(kept[at : at + 2] for at in range(max(1, len(kept) - 1)) if kept)
        elif word not in _STOP:
            words.append(word)
    return tuple(words)


def pick(sentences: Sequence[str], fits: Callable[[int], bool], weights: Sequence[float] | None = None) -> list[int]:
    """Return indexes of the chosen sentences in the order of choice.

    A sentence's score is the mean probability of its content words, times its weight. The probability of each word
    of a chosen sentence is squared, so that what has been said counts for less. `fits` is asked once for a
    sentence when its turn comes and takes it in if it answers True; the choice ends when nothing is left. Scores
    only fall, which lets a heap with stale entries stand for the full search.
    """
    bags = [content_words(sentence) for sentence in sentences]
    counts = Counter(word for bag in bags for word in bag)
    total = sum(counts.values()) or 1
    probability = {word: number / total for word, number in counts.items()}

    def score(index: int) -> float:
        bag = bags[index]
        weight = weights[index] if weights is not None else 1.0
        return weight * sum(probability[word] for word in bag) / len(bag)

    heap = [(-score(index), index) for index, bag in enumerate(bags) if bag]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap:
        stale, index = heapq.heappop(heap)
        current = -score(index)
        if current > stale and heap and current > heap[0][0]:
            heapq.heappush(heap, (current, index))
            continue
        if fits(index):
            chosen.append(index)
            for word in set(bags[index]):
                probability[word] **= 2
    return chosen
