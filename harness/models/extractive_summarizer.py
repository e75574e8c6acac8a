"""The floor: a summarizer that is blind to its instruction."""

from __future__ import annotations

from backslide.harness.errors import InputError
from backslide.harness.models.blocks import Count, text_block
from backslide.harness.models.candidates import gather
from backslide.harness.models.chance import overlooker
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.section_summarizer import output_limit
from backslide.harness.models.sumbasic import pick
from backslide.harness.models.transcript import read_task
from backslide.harness.models.window import overflow_reply


class ExtractiveSummarizer:
    """Summarizes by SumBasic (Nenkova and Vanderwende 2005, MSR-TR-2005-101; see `sumbasic`).

    Every sentence and line of the conversation and of the earlier summary competes by word frequency alone. The
    chosen ones are written one a line, in their order, within the output budget. `noise` is the share of
    sentences that it overlooks; which ones depends on the seed and the body.
    """

    name = "sim:extractive"
    simulated = True

    def __init__(self, count: Count, seed: int = 0, noise: float = 0.0) -> None:
        if not 0.0 <= noise <= 1.0:
            raise InputError(f"noise must be between 0 and 1, not {noise}", where="extractive summarizer")
        self._count = count
        self._seed = seed
        self._noise = noise

    async def complete(self, request: Request) -> Reply:
        """Summarize within ``max_completion_tokens``, whatever the prompt says."""
        if (refused := overflow_reply(request)) is not None:
            return refused
        task = read_task(request.messages)
        texts = list(dict.fromkeys(known.text for known in gather(task.segments, task.previous, joined=False)))
        overlooked = overlooker(request.body, self._seed, self._noise)
        texts = [text for text in texts if not overlooked(text)]
        left = output_limit(request)

        def fits(index: int) -> bool:
            nonlocal left
            cost = self._count(f"{texts[index]}\n")
            if cost > left:
                return False
            left -= cost
            return True

        chosen = pick(texts, fits)
        while (text := "\n".join(texts[index] for index in sorted(chosen))) and self._count(text) > output_limit(
            request
        ):
            chosen.pop()
        return Reply([text_block(text)], "stop", metered_usage(request.measure.tokens, self._count(text)))
