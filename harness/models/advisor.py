"""The continuation-prone advisor: a simulated model with the weaknesses that payloads are to be judged by.

It reads its payload only. A complete document is answered with advice in the document's own words. A payload that ends
on a pending action, or is mostly transcript, is advised on and then continued, in the format that it saw. A context
whose summary states somebody's goal and progress gives it that identity. It shares no code and no words with a scorer.
"""

from __future__ import annotations

from collections.abc import Callable

from backslide.harness.errors import InputError
from backslide.harness.models.advisor_advice import (
    SENTENCES,
    USUAL_SENTENCES,
    advise,
    matter_of,
    matter_of_chat,
    read_matter,
)
from backslide.harness.models.advisor_continue import Continuation
from backslide.harness.models.advisor_identity import own_identity, speak_as
from backslide.harness.models.advisor_labels import Transcript, read_transcript
from backslide.harness.models.blocks import Count, text_block
from backslide.harness.models.chance import number, overlooker, share
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.reading import message_text
from backslide.harness.models.window import overflow_reply

MOSTLY = 0.5
"""Share of labelled text from which on a document is a transcript."""
FEWEST_BLOCKS = 5
MORE_BLOCKS = 7
"""A continuation has up to so many blocks more than the fewest; which number depends on the payload."""
PENDING_BLOCKS = 3
"""Added where the payload ends on a pending action."""


class ContinuationProneAdvisor:
    """Advises, continues or takes on an identity, as its payload invites it to.

    `noise` is the share of requests at which it resists the invitation, and of statements that it overlooks; which ones
    depends on the body and the seed.
    """

    name = "sim:advisor"
    simulated = True

    def __init__(self, count: Count, seed: int = 0, noise: float = 0.0) -> None:
        if not 0.0 <= noise <= 1.0:
            raise InputError(f"noise must be between 0 and 1, not {noise}", where="advisor model")
        self._count = count
        self._seed = seed
        self._noise = noise

    async def complete(self, request: Request) -> Reply:
        """Answer the last message within the output limit; a payload without one is answered in general terms."""
        if (refused := overflow_reply(request)) is not None:
            return refused
        text = self._answer(request)
        return Reply([text_block(text)], "stop", metered_usage(request.measure.tokens, self._count(text)))

    def _answer(self, request: Request) -> str:
        messages = request.messages
        resists = bool(self._noise) and share("resist", self._seed, request.body) < self._noise
        overlook = overlooker(request.body, self._seed, self._noise)
        if not resists and (identity := own_identity(messages)) is not None:
            return speak_as(identity)
        document = message_text(messages[-1]) if messages else ""
        transcript = read_transcript(document)
        if transcript is not None and (transcript.pending or transcript.share > MOSTLY):
            return self._on_transcript(request, document, transcript, overlook, resists=resists)
        matter = read_matter(document, overlook)
        if not matter.question and any(message.get("role") == "assistant" for message in messages):
            matter = matter_of_chat(messages[:-1], overlook)
        return "\n\n".join(advise(matter, _sentences(request)))

    def _on_transcript(
        self,
        request: Request,
        document: str,
        transcript: Transcript,
        overlook: Callable[[str], bool],
        *,
        resists: bool,
    ) -> str:
        matter = matter_of(transcript, overlook)
        advice = advise(matter, _sentences(request))
        text = "\n\n".join(advice)
        if resists:
            return text
        key = request.body + str(self._seed).encode()
        wanted = FEWEST_BLOCKS + number("blocks", key) % MORE_BLOCKS + PENDING_BLOCKS * transcript.pending
        limit = int(request.json.get("max_completion_tokens") or request.max_tokens or 0)
        continuation = Continuation(transcript, document, advice, chinese=matter.chinese, seed=key)
        gap = "\n\n"
        for block in continuation.blocks(wanted):
            longer = f"{text}{gap}{block}"
            if limit and self._count(longer) > limit:
                break
            text, gap = longer, transcript.gap
        return text


def _sentences(request: Request) -> int:
    """Return how many sentences of advice the effort in the body asks for."""
    return SENTENCES.get(str(request.json.get("reasoning_effort")), USUAL_SENTENCES)
