from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.evals.scorers.advisor.delivery import (
    brief_ratio,
    common_prefix,
    resend_overlap,
    resend_overlaps,
    shrink,
    stacking_factor,
    state_growth,
    unexplained_share,
)


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_the_common_prefix_is_common_and_longest(head: str, first: str, second: str) -> None:
    """Found by halves, the same as character by character."""
    one, two = head + first, head + second
    size = common_prefix(one, two)

    assert one[:size] == two[:size]
    assert size == min(len(one), len(two)) or one[size] != two[size]


def test_failed_deliveries_that_are_sent_again() -> None:
    """The ledger's figures: 77,938 of 77,988 characters sent again."""
    shared = "x" * 77_938
    overlap = resend_overlap(shared + "a" * 50, shared + "b" * 19_814)

    assert (overlap.prefix, overlap.earlier, overlap.later) == (77_938, 77_988, 97_752)
    assert round(overlap.share, 4) == 0.9994
    assert overlap.growth == 19_764
    assert [item.share for item in resend_overlaps(["a", "ab", "cab"])] == [1.0, 0.0]
    assert resend_overlap("", "a").share == 0


def test_stacked_deliveries_explain_what_the_provider_received() -> None:
    """Two deliveries of the ledger explain the payload within one per cent, the newest alone does not."""
    assert unexplained_share(1_387_946, [663_741, 720_130]) < 0.01
    assert unexplained_share(1_387_946, [720_130]) > 0.4
    assert stacking_factor(2_000, 1_000) == 2
    with pytest.raises(ValueError, match="no bytes"):
        stacking_factor(1, 0)


def test_shrink_and_ratio() -> None:
    """A rebase that shrinks by 85.4 %, one that grows, and a brief 264 times smaller."""
    assert round(shrink(4_882_683, 711_247), 3) == 0.854
    assert shrink(100, 150) == -0.5
    assert shrink(0, 5) == 0
    assert round(brief_ratio(667_925, 2_530)) == 264
    with pytest.raises(ValueError, match="brief"):
        brief_ratio(1, 0)


def test_bookkeeping_that_grows_with_every_call() -> None:
    """A list of ids grows, a watermark does not."""
    ids = state_growth([json.dumps({"deliveredIds": ["abcd1234"] * (4 * call)}) for call in range(1, 6)])
    mark = state_growth([json.dumps({"watermark": f"abcd123{call}"}) for call in range(5)])

    assert ids.grows_every_call
    assert ids.total > 3 * ids.sizes[1]
    assert not mark.grows_every_call
    assert mark.largest < 64
    assert not state_growth([]).grows_every_call
