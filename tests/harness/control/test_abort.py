"""Stopping a request, a wait, work; and who is stopped by it."""

from __future__ import annotations

import asyncio

import pytest
from rig import make_rig, said

from backslide.harness.control.abort import AbortSignal, abortable, wait_for_nothing, wait_for_real
from backslide.harness.models.protocol import Reply, Request


async def forever() -> str:
    await asyncio.Event().wait()
    return "never"


def test_a_signal_ends_work_that_waits() -> None:
    """The result is None, and the caller goes on."""

    async def main() -> tuple[str | None, str]:
        signal = AbortSignal()
        asyncio.get_running_loop().call_soon(signal.abort)
        ended = await abortable(forever(), signal)
        await asyncio.sleep(0)
        return ended, "went on"

    assert asyncio.run(main()) == (None, "went on")


def test_work_that_ends_by_itself_gives_its_result() -> None:
    """A signal that comes later, or from within, changes nothing."""

    async def main() -> tuple[str | None, str | None]:
        signal = AbortSignal()

        async def inner() -> str:
            signal.abort()
            await asyncio.sleep(0)
            return "done"

        first = await abortable(inner(), signal)
        return first, await abortable(asyncio.sleep(0, "again"), AbortSignal())

    assert asyncio.run(main()) == ("done", "again")


def test_a_cancelled_caller_stays_cancelled() -> None:
    """The signal is no way to swallow somebody else's cancellation."""

    async def main() -> None:
        signal = AbortSignal()
        task = asyncio.ensure_future(abortable(forever(), signal))
        await asyncio.sleep(0)
        task.cancel()
        signal.abort()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_waits_end_early_when_they_are_stopped() -> None:
    """Both the real wait and the one that takes no time."""

    async def main() -> list[bool]:
        aborted = AbortSignal()
        aborted.abort()
        aborted.abort()
        later = AbortSignal()
        asyncio.get_running_loop().call_soon(later.abort)
        return [
            await wait_for_real(60_000, aborted),
            await wait_for_real(60_000, later),
            await wait_for_nothing(60_000, aborted),
            await wait_for_nothing(60_000, AbortSignal()),
            await wait_for_real(0, AbortSignal()),
        ]

    assert asyncio.run(main()) == [False, False, False, True, True]


def test_an_abort_stops_the_request_that_is_under_way() -> None:
    """The reply is an aborted one, in the file; the next prompt works."""
    rig = make_rig()

    class Slow:
        name, simulated = "test:slow", True

        async def complete(self, request: Request) -> Reply:
            await forever()
            return said("never")

    async def main() -> None:
        prompt = asyncio.ensure_future(rig.agent.prompt("go"))
        while not rig.session.entries:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        rig.agent.abort()
        last = await prompt
        assert last is not None
        assert (last["stopReason"], last["errorMessage"]) == ("aborted", "Request was aborted")

    backend = rig.agent.gateway._models["executor"]
    rig.agent.gateway._models["executor"] = Slow()
    asyncio.run(main())
    rig.agent.gateway._models["executor"] = backend
    last = rig.turn("again", said("fine"))

    assert last is not None
    assert last["content"][0]["text"] == "fine"
    assert rig.sent()[1:] == ["user: go", "user: again"]
