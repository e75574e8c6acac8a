"""An advisor's request: the payload builder's, with the effort in its body and the composition by real origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from backslide.harness.models.protocol import Measurement, Request
from backslide.harness.payload.body import PayloadBuilder
from backslide.harness.settings import ModelInfo

NO_EFFORT = frozenset({"", "off", "none"})

Message = dict[str, Any]


def advisor_request(
    payloads: PayloadBuilder, messages: list[Message], *, model: ModelInfo, effort: str, advice: bool = True
) -> Request:
    """Return the request that sends an advisor's context to `model`; it never has tools.

    The effort goes to models that reason; others refuse the parameter. A delivery counts under the origins it was made
    of instead of under `user`, and what assistants said under `advice`, if these are the advisor's own replies.
    """
    request = payloads.request(messages, role="advisor", cause="advisor", model=model, tools=[])
    measure = by_origin(request.measure, messages, advice=advice)
    body = request.body
    if model.reasoning and effort not in NO_EFFORT:
        field = b',"reasoning_effort":"%b"}' % effort.encode()
        body = body[:-1] + field
        sizes = {**measure.composition_bytes}
        sizes["structure"] = sizes.get("structure", 0) + len(field) - 1
        measure = replace(measure, bytes=len(body), composition_bytes=sizes)
    return replace(request, body=body, measure=measure)


def by_origin(measure: Measurement, messages: Iterable[Message], *, advice: bool) -> Measurement:
    """Return the measurement with the deliveries among `messages` split by origin.

    Bytes are exact. Tokens are those of the whole texts, shared out in proportion to what each part weighs by itself.
    """
    sizes: dict[str, int] = {}
    weights: dict[str, int] = {}
    whole = 0
    for message in messages:
        delivery = message.get("delivery") if message.get("role") == "user" else None
        if isinstance(delivery, dict) and isinstance(delivery.get("weights"), dict):
            whole += int(delivery.get("tokens") or 0)
            for origin, (size, tokens) in delivery["weights"].items():
                sizes[origin] = sizes.get(origin, 0) + size
                weights[origin] = weights.get(origin, 0) + tokens
    composition, composition_bytes = measure.composition, measure.composition_bytes
    if advice:
        composition, composition_bytes = _renamed(composition), _renamed(composition_bytes)
    return replace(
        measure,
        composition=_moved(composition, _shares(whole, weights)),
        composition_bytes=_moved(composition_bytes, sizes),
    )


def _renamed(composition: Mapping[str, int]) -> dict[str, int]:
    return {"advice" if origin == "assistant" else origin: size for origin, size in composition.items()}


def _moved(composition: Mapping[str, int], parts: Mapping[str, int]) -> dict[str, int]:
    """Return the composition with `parts` taken out of `user`."""
    moved = {**composition, "user": composition.get("user", 0) - sum(parts.values())}
    for origin, size in parts.items():
        moved[origin] = moved.get(origin, 0) + size
    return {origin: size for origin, size in moved.items() if size}


def _shares(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Return `total` shared out in proportion to `weights`, by largest remainder; it adds up exactly."""
    whole = sum(weights.values())
    if not whole:
        return {}
    exact = {origin: total * weight / whole for origin, weight in weights.items()}
    shares = {origin: int(share) for origin, share in exact.items()}
    by_remainder = sorted(exact, key=lambda origin: (shares[origin] - exact[origin], origin))
    for origin in by_remainder[: total - sum(shares.values())]:
        shares[origin] += 1
    return shares
