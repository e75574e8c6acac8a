"""The guideline-literal executor: reads what its system prompt says about an advisor, and does exactly that.

Its tasks come from the constructor; when to consult, whether to relay, whom to credit and who wins a disagreement come
from the guideline sentences in the request body and from nowhere else. Where nothing says whom a view belongs to, it
puts what it was told to the person it talks to, as models do with text that has no owner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from backslide.harness.errors import ModelError
from backslide.harness.models.blocks import Count, call_block, output_tokens, text_block
from backslide.harness.models.chance import number
from backslide.harness.models.guideline_phrases import Phrases, main_points, phrases_for
from backslide.harness.models.guideline_reading import Policy, read_policy
from backslide.harness.models.guideline_tasks import Act, Task, agenda, reaction
from backslide.harness.models.protocol import Reply, Request, metered_usage
from backslide.harness.models.reading import message_text
from backslide.harness.models.window import overflow_reply

Message = Mapping[str, Any]

ADVISOR = "advisor"


class GuidelineExecutor:
    """Works through tasks; it keeps no state, so what it does depends on the body alone."""

    name = "sim:guideline"
    simulated = True

    def __init__(self, tasks: Sequence[Task], count: Count) -> None:
        self._tasks = tuple(tasks)
        self._count = count

    async def complete(self, request: Request) -> Reply:
        """Give the next message of the task at hand.

        Raises `ModelError` if the last user message is neither a task's request nor its decision.
        """
        if (refused := overflow_reply(request)) is not None:
            return refused
        messages = request.messages
        at, task, decided = self._find(messages)
        policy = read_policy(message_text(messages[0]) if messages[0].get("role") in {"system", "developer"} else "")
        tool = _advisor_tool(request.json)
        acts = reaction(policy, advisor=tool is not None) if decided else agenda(task, policy, advisor=tool is not None)
        since = messages[at + 1 :]
        position = min(sum(message.get("role") == "assistant" for message in since), len(acts) - 1)
        work = _Work(task, policy, phrases_for(task.user), acts, position, since, tool or {}, decided)
        content = work.content()
        usage = metered_usage(request.measure.tokens, output_tokens(content, self._count))
        calls = any(block["type"] == "toolCall" for block in content)
        return Reply(content, "toolUse" if calls else "stop", usage)

    def _find(self, messages: Sequence[Message]) -> tuple[int, Task, bool]:
        for at in range(len(messages) - 1, -1, -1):
            if messages[at].get("role") != "user":
                continue
            said = _squeeze(message_text(messages[at]))
            for task in self._tasks:
                if task.disagreement is not None and _squeeze(task.disagreement.user) in said:
                    return at, task, True
                if _squeeze(task.user) in said:
                    return at, task, False
            break
        raise ModelError("the last user message asks for no known task")


class _Work:
    """One message of the work on a task."""

    def __init__(
        self,
        task: Task,
        policy: Policy,
        phrases: Phrases,
        acts: Sequence[Act],
        position: int,
        since: Sequence[Message],
        tool: Mapping[str, Any],
        decided: bool,
    ) -> None:
        self.task = task
        self.policy = policy
        self.words = phrases
        self.acts = acts
        self.position = position
        self.since = since
        self.tool = tool
        self.decided = decided

    def content(self) -> list[dict[str, Any]]:
        """Return the blocks of the message."""
        act = self.acts[self.position]
        said = [self._on_advice()]
        if act.kind == "consult":
            said += self._untold(act.step - 1)
            return self._message(said, [call_block(self._call_id(0), ADVISOR, self._brief(act))])
        if act.kind == "step":
            step = self.task.steps[act.step - 1]
            said += [*self._untold(act.step - 1), step.text]
            calls = [
                call_block(self._call_id(index), str(call["tool"]), dict(call.get("args") or {}))
                for index, call in enumerate(step.calls)
            ]
            return self._message(said, calls)
        if self.decided:
            return self._message([*said, self._settled()], [])
        said += [*self._untold(len(self.task.steps)), self.task.done, self._second_mention()]
        return self._message(said, [])

    def _message(self, said: Sequence[str], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        text = "\n\n".join(words.strip() for words in said if words.strip())
        return [*([text_block(text)] if text else []), *calls]

    def _untold(self, up_to: int) -> list[str]:
        """Return the words of steps without calls right before here, which have no message of their own."""
        words: list[str] = []
        for step in reversed(self.task.steps[:up_to]):
            if step.calls:
                break
            words.insert(0, step.text)
        earlier = self.acts[self.position - 1] if self.position else None
        # A consultation at the same place has said them already.
        return [] if earlier is not None and earlier.kind == "consult" and earlier.step - 1 == up_to else words

    def _call_id(self, index: int) -> str:
        return f"call_{number('guideline', self.task.id, self.decided, self.position, index):016x}"

    # ------------------------------------------------------------------ what becomes of advice

    def _on_advice(self) -> str:
        """Return what the guidelines have the executor say about the advice that has just come in."""
        if not self.position or self.acts[self.position - 1].kind != "consult":
            return ""
        advice = self._advice(self.position - 1)
        if not advice or self.decided:
            return ""
        changed = self.task.advice_changes_plan
        if self.policy.relay == "always":
            words = self.words.relay.format(advice=advice)
            return f"{words} {self.words.deference}" if self.policy.winner == "advisor" else words
        if self.policy.relay == "if-changed" and changed:
            return self.words.changed.format(advice=advice)
        return ""

    def _second_mention(self) -> str:
        """Return how the closing reply takes the advice up again where every reply is to carry it."""
        asked = [index for index, act in enumerate(self.acts[: self.position]) if act.kind == "consult"]
        advice = next((found for index in asked if (found := self._advice(index))), "")
        if self.policy.relay != "always" or not advice:
            return ""
        return (self.words.credited if self.policy.credits_advisor else self.words.uncredited).format(advice=advice)

    def _settled(self) -> str:
        contested = self.task.disagreement
        if contested is None:
            return self.task.done
        heard = bool(self._advice(self.position - 1)) if self.position else False
        if heard and self.policy.winner == "advisor":
            return self.words.advisor_wins.format(advisor=contested.advisor, user=contested.user)
        settled = self.words.user_wins.format(user=contested.user)
        if heard and self.policy.credits_advisor:
            return f"{settled} {self.words.other_view.format(advisor=contested.advisor)}"
        return settled

    def _advice(self, position: int) -> str:
        """Return the main points of the answer to the consultation at `position`; empty if there was none."""
        turn = -1
        for message in self.since:
            turn += message.get("role") == "assistant"
            if turn == position and message.get("role") == "tool":
                return main_points(message_text(message))
            if turn > position:
                break
        return ""

    # ------------------------------------------------------------------ what it asks

    def _brief(self, act: Act) -> dict[str, Any]:
        """Return the arguments of a consultation; none where the tool takes none."""
        takes = (self.tool.get("function") or {}).get("parameters", {}).get("properties") or {}
        if "question" not in takes:
            return {}
        task, contested = self.task, self.task.disagreement
        following = task.steps[min(act.step, len(task.steps)) - 1].text if task.steps else task.done
        seen = [
            " ".join(message_text(message).split())[:300] for message in self.since if message.get("role") == "tool"
        ]
        brief: dict[str, Any] = {
            "question": self.words.questions[act.reason or "before work"].format(task=" ".join(task.user.split())),
            "context": " ".join(task.user.split()),
            "evidence": seen[-3:],
            "leaning": following,
        }
        if self.decided and contested is not None:
            brief |= {"options": [contested.user, contested.advisor], "leaning": contested.user}
        return {key: value for key, value in brief.items() if value}


def _advisor_tool(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tools: list[Mapping[str, Any]] = body.get("tools") or []
    return next((tool for tool in tools if (tool.get("function") or {}).get("name") == ADVISOR), None)


def _squeeze(text: str) -> str:
    return " ".join(text.split())
