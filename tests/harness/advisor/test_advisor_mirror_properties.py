"""Random lives of an executor's session: what a mirror delivers over all of its calls."""

from __future__ import annotations

from typing import Any

from advisor_builders import compact, executor, user_says
from hypothesis import given, settings
from hypothesis import strategies as st

from backslide.harness.advisor.mirror import MirrorPlan, plan_mirror
from backslide.harness.advisor.state import MirrorState
from backslide.harness.session import Session

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 3)),
        st.tuples(st.just("compact"), st.integers(1, 6)),
        st.tuples(st.just("move"), st.integers(0, 8)),
        st.tuples(st.sampled_from(["deliver", "fail"]), st.just(0)),
    ),
    max_size=40,
)


SOURCES = st.sampled_from(["raw-branch", "context-entries"])


def act(session: Session, step: str, amount: int) -> None:
    if step == "say":
        for number in range(amount):
            user_says(session, f"words {number}")
    elif step == "compact" and len(session.branch()) > amount:
        compact(session, keep=amount)
    elif step == "move" and len(session.branch()) > amount:
        session.move_to(session.branch()[-1 - amount]["id"])


def life(steps: list[tuple[str, int]], **options: Any) -> list[tuple[MirrorPlan, list[str], bool]]:
    """Return every plan with the raw branch it was made for, and whether it was delivered."""
    session, state = executor(), None
    plans = []
    user_says(session, "begin")
    for step, amount in steps:
        act(session, step, amount)
        if step in {"deliver", "fail"}:
            plan = plan_mirror(session.view(), state, **options)
            plans.append((plan, [entry["id"] for entry in session.branch()], step == "deliver"))
            if step == "deliver":
                state = MirrorState(plan.up_to)
    return plans


@settings(max_examples=120, deadline=None)
@given(STEPS)
def test_after_a_delivery_everything_has_been_shown_or_summarized(steps: list[tuple[str, int]]) -> None:
    """Over a raw mirror: a full delivery and its updates together show the whole branch, each entry once."""
    shown: list[str] = []
    for plan, branch, went_through in life(steps, source="raw-branch"):
        now = [entry["id"] for entry in plan.entries]
        whole = now if plan.kind != "update" else [*shown, *now]

        assert whole == branch
        shown = whole if went_through else shown


@settings(max_examples=120, deadline=None)
@given(STEPS, SOURCES)
def test_a_rebase_has_a_cause_and_a_delivery_ends_it(steps: list[tuple[str, int]], source: str) -> None:
    """There are never more rebases in a row than compactions, moves and failures explain."""
    causes = 0
    started = False
    for step, amount in steps:
        causes += step in {"compact", "move", "fail"}
        started = started or (step == "deliver" and amount == 0)
    rebases = [plan for plan, _, _ in life(steps, source=source) if plan.kind == "rebase"]

    assert len(rebases) <= causes
    assert all(plan.cause for plan in rebases)
    assert started or not rebases


@settings(max_examples=60, deadline=None)
@given(STEPS, SOURCES)
def test_the_watermark_is_found_again_at_once(steps: list[tuple[str, int]], source: Any) -> None:
    """Whatever was rendered, asking again right after a delivery has nothing to send."""
    session = executor()
    user_says(session, "begin")
    for step, amount in steps:
        act(session, step, amount)
    first = plan_mirror(session.view(), None, source=source)
    again = plan_mirror(session.view(), MirrorState(first.up_to), source=source)

    assert (again.kind, again.entries) == ("update", ())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(1, 3))
def test_a_watermark_on_the_resolved_context_never_recovers(turns: list[int], keep: int) -> None:
    """From the first compaction that drops something on, every delivery is full."""
    steps = [("say", 5), ("deliver", 0), ("compact", keep), ("deliver", 0)]
    for count in turns:
        steps += [("say", count), ("deliver", 0)]

    wrong = [plan.kind for plan, _, _ in life(steps, walk="context-entries")]
    right = [plan.kind for plan, _, _ in life(steps)]

    assert wrong == ["first", "rebase", *["rebase"] * len(turns)]
    assert right == ["first", "rebase", *["update"] * len(turns)]
