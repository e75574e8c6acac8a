"""The section follower: a simulated summarizer that does what its prompt's words say.

It reads the instruction it is given, finds the sections that it asks for, and puts sentences of the conversation
into them by cue words, speaker and position, within the output budget. Without a section that asks for
rejections, they compete with everything else by ordinary extractive scoring. It knows no prompt file and no plant.
"""

from __future__ import annotations

from backslide.harness.errors import InputError
from backslide.harness.models.blocks import Count, text_block
from backslide.harness.models.chance import overlooker
from backslide.harness.models.instruction import Instruction, read_instruction
from backslide.harness.models.prose import write_prose
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.sections import write_sections
from backslide.harness.models.text import is_chinese
from backslide.harness.models.transcript import read_task
from backslide.harness.models.window import overflow_reply

TOKENS_PER_WORD = 4 / 3


class SectionSummarizer:
    """Writes the summary that a request's own prompt asks for.

    `noise` is the share of sentences that it overlooks; which ones depends on the body and the seed.
    """

    name = "sim:section"
    simulated = True

    def __init__(self, count: Count, seed: int = 0, noise: float = 0.0) -> None:
        if not 0.0 <= noise <= 1.0:
            raise InputError(f"noise must be between 0 and 1, not {noise}", where="section summarizer")
        self._count = count
        self._seed = seed
        self._noise = noise

    async def complete(self, request: Request) -> Reply:
        """Summarize within ``max_completion_tokens``; an empty conversation gives an empty summary."""
        if (refused := overflow_reply(request)) is not None:
            return refused
        task = read_task(request.messages)
        instruction = read_instruction(task.user_words, task.system_words)
        budget = _budget(request, instruction)
        write = write_sections if instruction.sections else write_prose
        chinese = is_chinese(task.instruction)
        text = write(task, instruction, budget, self._count, overlooker(request.body, self._seed, self._noise), chinese)
        usage = metered_usage(request.measure.tokens, self._count(text))
        return Reply([text_block(text)], "stop", usage)


def output_limit(request: Request) -> int:
    """Return the output tokens that the body allows; the request's own figure if the body names none."""
    body = request.json
    return int(body.get("max_completion_tokens") or body.get("max_tokens") or request.max_tokens)


def _budget(request: Request, instruction: Instruction) -> int:
    """Return the smaller of the body's limit and the length that the prompt asks for."""
    limits = [output_limit(request)]
    if instruction.most_words is not None:
        limits.append(int(instruction.most_words * TOKENS_PER_WORD))
    if instruction.most_characters is not None:
        limits.append(instruction.most_characters)
    return min(limits)
