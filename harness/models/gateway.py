"""The choke point: every request to any model passes here and is measured as it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from backslide.harness.errors import ModelError
from backslide.harness.models.protocol import Model, Reply, Request, Role


@dataclass(frozen=True)
class Exchange:
    """One request that was sent and the reply to it."""

    request: Request
    reply: Reply
    backend: str
    simulated: bool


Listener = Callable[[Exchange], None]


class Gateway:
    """Sends requests to the model of their role and tells listeners what went through."""

    def __init__(self, models: Mapping[Role, Model]) -> None:
        self._models: dict[Role, Model] = dict(models)
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each exchange; return a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def send(self, request: Request) -> Reply:
        """Send one request. Raises `ModelError` if no model serves its role."""
        model = self._models.get(request.role)
        if model is None:
            raise ModelError(f"no model is configured for the role '{request.role}'")
        reply = await model.complete(request)
        exchange = Exchange(request, reply, model.name, model.simulated)
        for listener in tuple(self._listeners):
            listener(exchange)
        return reply
