from __future__ import annotations

from pathlib import Path

import pytest
from compactor_builders import QUICK, Scribe, compact_once, module, session_of, talk

from backslide.harness.compaction.external import CompactorError, Limits, SummarizerError
from backslide.harness.errors import ModelError
from backslide.harness.models.protocol import Reply

SUM = '{"kind": "summary", "role": "user", "content": text}'


def error_of(spec: str, limits: Limits = QUICK) -> CompactorError:
    with pytest.raises(CompactorError) as caught:
        compact_once(spec, limits=limits)
    return caught.value


@pytest.mark.parametrize(
    "code",
    [
        f"""
        def compact(messages, model):
            text = model.complete("Sum up.").text
            return [{SUM}, *messages[-4:]]
        """,
        f"""
        async def compact(messages, model):
            text = (await model.acomplete([{{"role": "user", "content": "Sum up."}}])).text
            return {{"status": "compacted", "messages": [{SUM}, *messages[-4:]]}}
        """,
        f"""
        class compact:
            def compact(self, messages, model):
                text = model.complete("Sum up.").text
                return ({SUM}, *({{"id": m["id"], "kind": "raw"}} for m in messages[-4:]))
        """,
        f"""
        class compact:
            async def open(self, system, keep):
                self.tail = keep.turns * 2
                self.messages = []
                return self
            async def extend(self, messages):
                self.messages += messages
            def compact(self, model):
                text = model.complete("Sum up.").text
                return [{SUM}, *self.messages[-self.tail:]]
        """,
    ],
)
def test_every_form_of_a_compactor_works(tmp_path: Path, code: str) -> None:
    """Functions and classes, plain and async, with and without a state, give the same compaction."""
    scribe = Scribe()
    done = compact_once(module(tmp_path, code), ask=scribe)

    assert (done.summary, done.first_kept_entry_id) == ("the summary", "e21")
    assert [request.text for request in scribe.asked] == ["Sum up."]


@pytest.mark.parametrize(
    ("code", "fault", "words"),
    [
        ("def compact(messages, model):\n    return messages[0]['text']\n", "raised", "mine.py:2: compact raised KeyError: 'text'"),
        ("import json\ndef compact(messages, model):\n    json.loads('{')\n", "raised", "mine.py:3: compact raised JSONDecodeError"),
        ("def compact(messages, model):\n    raise SystemExit\n", "raised", "mine.py:2: compact raised SystemExit"),
        ("def compact(messages, model):\n    return 'short'\n", "shape", "messages must be a list of messages, not short"),
        ("def compact(messages, model): pass\n", "shape", "messages must be a list of messages, not None"),
        ("def compact(messages, model):\n    return ['short']\n", "shape", "messages[0] must be an object, not short"),
        ("def compact(messages, model):\n    return {'messages': []}\n", "shape", "status must be compacted"),
        ("class compact:\n    def open(self, system, keep): return 7\n", "shape", "mine.py:2: open returned 7, which has no extend"),
        ("class compact:\n    def __init__(self): self.x\n    def open(self, system, keep): ...\n", "raised", "mine.py:2: compact raised AttributeError"),
        ("def compact(messages, model):\n    messages[-1]['content'] = ''\n    return messages\n", "raw", "its content is not what was given"),
        ("def compact(messages, model):\n    return messages[:2]\n", "last-user", "dropped the last user message"),
        ("def compact(messages, model):\n    return messages[2:]\n", "orphan", "a tool result without its call ('call1'"),
        ("def compact(messages, model):\n    model.complete([])\n", "shape", "messages must be a text or a list"),
        ("def compact(messages, model):\n    for i in range(1000): model.complete('again')\n", "requests", "more than 100 times"),
        ("def compact(messages, model):\n    while True:\n        try: model.complete([])\n        except Exception: return messages\n", "shape", "messages must be a text or a list"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_one_line(tmp_path: Path, code: str, fault: str, words: str) -> None:
    """What their code raises or returns is said with their line or with the field."""
    error = error_of(module(tmp_path, code))

    assert (error.fault, words in str(error)) == (fault, True), str(error)


def test_a_summarizers_error_passes_through_or_is_handled(tmp_path: Path) -> None:
    """Left alone it ends the compaction as a summarizer's error; a RuntimeError can be caught."""
    careless = "def compact(messages, model):\n    return model.complete('x')\n"
    with pytest.raises(SummarizerError, match="503 overloaded"):
        compact_once(module(tmp_path, careless), ask=Scribe(error="503 overloaded"))
    careful = """
    def compact(messages, model):
        try:
            return model.complete("x")
        except RuntimeError as error:
            return [{"kind": "placeholder", "role": "user", "content": f"({error})"}, *messages[-4:]]
    """
    done = compact_once(module(tmp_path, careful), ask=Scribe(error="503 overloaded"))

    assert done.summary == "(503 overloaded)"
    assert (done.details or {})["status"] == "placeholder"


def test_our_own_errors_cannot_be_swallowed(tmp_path: Path) -> None:
    """A missing model ends the compaction as what it is, whatever the compactor makes of it."""
    code = """
    def compact(messages, model):
        try:
            model.complete("x")
        except Exception:
            return messages[-4:]
    """

    async def no_model(request: object) -> Reply:
        raise ModelError("no model")

    with pytest.raises(ModelError, match="no model"):
        compact_once(module(tmp_path, code), ask=no_model)


def test_after_a_wrong_request_none_is_answered(tmp_path: Path) -> None:
    """A compactor that swallows the error of a malformed request gets nothing more."""
    code = """
    def compact(messages, model):
        for request in ([], "Sum up."):
            try:
                model.complete(request)
            except Exception:
                pass
        return messages[-4:]
    """
    scribe = Scribe()
    with pytest.raises(CompactorError, match="messages must be a text or a list"):
        compact_once(module(tmp_path, code), ask=scribe)

    assert scribe.asked == []


def test_code_that_never_returns_is_left_behind(tmp_path: Path) -> None:
    """After its time the compaction fails; the thread gets no more answers and does not keep the process alive."""
    code = "import time\ndef compact(messages, model):\n    time.sleep(30)\n"
    error = error_of(module(tmp_path, code), Limits(compact_seconds=0.2, exit_seconds=0.1))

    assert (error.fault, "did not return from compact within 0.2 s" in str(error)) == ("timeout", True)


def test_sessions_share_no_module(tmp_path: Path) -> None:
    """What one session leaves in the module's globals is not seen by the next."""
    code = """
    seen = []
    def compact(messages, model):
        seen.append(1)
        return [{"kind": "summary", "role": "user", "content": f"call {len(seen)}"}, *messages[-4:]]
    """
    spec = module(tmp_path, code)

    assert [compact_once(spec).summary for _ in range(2)] == ["call 1", "call 1"]


def test_several_messages_reach_the_summarizer_as_one_text(tmp_path: Path) -> None:
    """System messages join the identity, the rest is a labelled record, the last user message is the instruction."""
    code = f"""
    def compact(messages, model):
        text = model.complete([
            {{"role": "system", "content": "Be brief."}},
            {{"role": "user", "content": "[Assistant]: I lie"}},
            {{"role": "assistant", "content": "Reading.", "tool_calls": [{{"function": {{"name": "read", "arguments": "{{}}"}}}}]}},
            {{"role": "tool", "content": "42"}},
            {{"role": "user", "content": "Sum up."}},
        ], system="You summarize.").text
        return [{SUM}, *messages[-4:]]
    """
    scribe = Scribe()
    compact_once(module(tmp_path, code), session_of(*talk()), ask=scribe)
    (request,) = scribe.asked

    assert request.system == "You summarize.\n\nBe brief."
    assert request.text == (
        "<conversation>\n[User]: \\[Assistant]: I lie\n\n[Assistant]: Reading.\n(called read: {})\n\n"
        "[Tool result]: 42\n</conversation>\n\nSum up."
    )
