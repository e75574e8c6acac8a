"""How large advisors' payloads are, and what they are made of: the figures of the ledger, in kind."""

from __future__ import annotations

import json
from itertools import pairwise

from advisor_builders import TOOLS, advisor_call, compact, desk, failing, tool_result, work, worked

from backslide.harness.advisor import AdvisorResult


def delivered(result: AdvisorResult) -> str:
    assert result.error is None
    assert result.delivery is not None
    return result.delivery.text


def common_start(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def test_a_rebase_shrinks_with_the_resolved_context_and_grows_with_the_raw_branch() -> None:
    """The ledger's I-8: rendering what a summary replaced makes a compaction an addition."""
    texts = {}
    for source in ("context-entries", "raw-branch"):
        rig, session = desk(delivery="mirror", mirror_source=source), worked(40, lines=60)
        before = delivered(rig.mirror(session))
        compact(session, keep=12)
        texts[source] = (before, delivered(rig.mirror(session, "a2")))

    whole, resolved = texts["context-entries"]
    _, raw = texts["raw-branch"]

    assert len(resolved) < 0.2 * len(whole)
    assert len(raw) > len(whole)
    assert "[Summary]: The pages are being made faster." in resolved
    assert "[Summary]: The pages are being made faster." in raw


def test_two_stacked_deliveries_explain_the_payload() -> None:
    """A rebase replaces what was shown in words only: the earlier delivery is sent along, within 1 % of the payload."""
    rig = desk(delivery="mirror", mirror_source="raw-branch")
    session = worked(60, lines=60)
    first = rig.mirror(session)
    compact(session, keep=8)
    second = rig.mirror(session, "a2")

    assert second.delivery is not None
    assert second.measure is not None
    stacked = len(json.dumps(delivered(first))) + len(json.dumps(delivered(second)))
    assert second.delivery.stacked == 1
    assert 0.99 < stacked / second.measure.bytes < 1
    assert second.measure.bytes > 1.9 * len(delivered(second))


def test_a_brief_is_a_hundredth_of_a_mirror() -> None:
    """On a long session the mirror is a few hundred thousand characters, and a brief a few hundred."""
    session = worked(120, lines=80)
    advisor_call(session)

    mirror, brief = desk(delivery="mirror").ask(session, None, tools=TOOLS), desk().ask(session)

    assert mirror.delivery is not None
    assert brief.delivery is not None
    assert len(mirror.delivery.text) > 300_000
    assert len(mirror.delivery.text) > 100 * len(brief.delivery.text)


def test_the_watermark_stays_small_and_the_id_list_grows() -> None:
    """Stored after each call: 26 bytes, or every id so far again."""
    sizes = {}
    for form in ("watermark", "id-list"):
        rig, session = desk(delivery="mirror", mirror_state=form), worked(2)
        for number in range(4):
            rig.mirror(session, f"a{number}")
            work(session, number + 10)
        sizes[form] = [len(json.dumps(state, separators=(",", ":"))) for state in rig.states(session)]

    assert len(set(sizes["watermark"])) == 1
    assert max(sizes["watermark"]) < 64
    assert all(one < other for one, other in pairwise(sizes["id-list"]))
    assert len(sizes["id-list"]) == 4


def test_a_failed_delivery_is_sent_again_and_stacks() -> None:
    """`resend`: the question stays in the context, the watermark stays, and the next call sends it all again."""
    rig = desk(failing(), failing(), delivery="mirror", failed_delivery="resend")
    session = worked(40)

    results = []
    for number in range(3):
        advisor_call(session, f"a{number}")
        results.append(rig.ask(session, None, tools=TOOLS))
        tool_result(session, f"a{number}", "…", tool="advisor")
        work(session, 50 + number)
    texts = [result.delivery.text for result in results if result.delivery]
    payloads = [exchange.request.measure.bytes for exchange in rig.exchanges]

    assert [result.completed for result in results] == [False, False, True]
    for one, other in pairwise(texts):
        assert common_start(one, other) / len(one) > 0.99
    assert payloads[2] > 2.9 * payloads[0]
    assert [result.delivery.stacked for result in results if result.delivery] == [0, 1, 2]


def test_a_failed_delivery_is_repaired() -> None:
    """The default: one copy in the next request, nothing missing, and the repetition is told."""
    rig = desk(failing(), failing(), delivery="mirror")
    session = worked(40)

    results = []
    for number in range(3):
        advisor_call(session, f"a{number}")
        results.append(rig.ask(session, None, tools=TOOLS))
        tool_result(session, f"a{number}", "…", tool="advisor")
    last = results[-1].delivery

    assert last is not None
    assert (last.stacked, last.after_failures) == (0, 2)
    assert rig.exchanges[-1].request.measure.bytes < 1.1 * rig.exchanges[0].request.measure.bytes
    assert "Page 1 sorts twice" in last.text
    assert len(rig.own(session).entries) > len(rig.own(session).branch())
    assert rig.advisor.status(session)[0].repeated == 2


def test_a_stateless_call_sends_the_resolved_context_each_time() -> None:
    """No session: as large again at the next call, smaller after a compaction, without the call under way."""
    rig, session = desk(delivery="stateless"), worked(20)

    advisor_call(session)
    first = rig.ask(session, None, tools=TOOLS)
    second = rig.ask(session, None, tools=TOOLS)
    compact(session, keep=5)
    third = rig.ask(session, None, tools=TOOLS)

    assert first.measure is not None
    assert second.measure is not None
    assert third.measure is not None
    assert first.session_id is None
    assert first.measure.bytes == second.measure.bytes > 3 * third.measure.bytes
    assert not any("advisor" in json.dumps(message) for message in rig.sage.requests[0].messages[1:-1])
    assert rig.sage.sent()[-1].endswith("Please give your advice on the situation above.")
    assert rig.advisor.pool.sessions == ()
    assert rig.advisor.status(session)[0].turns == 3


def test_the_composition_tells_where_the_payload_comes_from() -> None:
    """Bytes and tokens by origin add up to the request's, and each part is the executor's own."""
    rig, session = desk(delivery="mirror"), worked(10)

    measure = rig.mirror(session).measure

    assert measure is not None
    assert sum(measure.composition_bytes.values()) == measure.bytes
    assert sum(measure.composition.values()) == measure.tokens
    assert {"thinking", "assistant", "tool_calls", "tool_results", "user", "tools", "frame", "system"} <= set(
        measure.composition_bytes
    )
    said = [entry for entry in session.branch() if entry["message"]["role"] == "user"]
    words = sum(len(f"[User]: {entry['message']['content'][0]['text']}") + len("\\n\\n") for entry in said)
    assert measure.composition_bytes["user"] == words
