"""Sending a request so that whatever goes wrong with it comes back as a reply."""

from __future__ import annotations

import asyncio

from backslide.harness.errors import ModelError
from backslide.harness.models.gateway import Gateway
from backslide.harness.models.protocol import Reply, Request

ABORTED = "the call was aborted"


class Dispatch:
    """Sends one request at a time; it can be aborted, and it ends after a time limit."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._task: asyncio.Task[Reply] | None = None

    async def send(self, request: Request, timeout_s: float | None) -> Reply:
        """Return the model's reply, or a reply with stop reason error or aborted.

        A cancellation of the caller is passed on, after the request was stopped.
        """
        task = self._task = asyncio.ensure_future(self._gateway.send(request))
        try:
            done, _ = await asyncio.wait({task}, timeout=timeout_s)
        finally:
            self._task = None
            if not task.done():
                task.cancel()
        if not done:
            return Reply([], "error", error_message=f"no answer within {timeout_s:g} s")
        if task.cancelled():
            return Reply([], "aborted", error_message=ABORTED)
        error = task.exception()
        if isinstance(error, ModelError | OSError):
            return Reply([], "error", error_message=str(error) or type(error).__name__)
        return task.result()

    def abort(self) -> bool:
        """Stop the request that is under way; return whether there was one."""
        return self._task is not None and self._task.cancel()
