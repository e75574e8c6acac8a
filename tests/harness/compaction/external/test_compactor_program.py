from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from compactor_builders import QUICK, Scribe, compact_once, gone, program, script, session_of, talk, user, wait_until

from backslide.harness.compaction.external import CompactorError, Limits, NothingToCompactError
from backslide.harness.compaction.strategies.base import SummaryRequest
from backslide.harness.errors import ModelError
from backslide.harness.models.protocol import Reply


def fault_of(spec: str, limits: Limits = QUICK) -> CompactorError:
    with pytest.raises(CompactorError) as caught:
        compact_once(spec, limits=limits)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_program_compacts_with_our_summarizer(tmp_path: Path) -> None:
    """Its completions are asked through us, its summary and kept tail become the compaction."""
    scribe = Scribe("说好不用队列。")
    done = compact_once(program(tmp_path), ask=scribe)

    assert (done.summary, done.first_kept_entry_id) == ("说好不用队列。", "e21")
    assert [request.text for request in scribe.asked] == ["Sum up."]
    assert done.usage is not None
    assert done.usage["input"] == 100


def test_the_program_sees_what_the_page_promises(tmp_path: Path) -> None:
    """Greeting, wishes, messages and sizes arrive as PROTOCOL.md describes them."""
    log = tmp_path / "log.jsonl"
    spec = program(tmp_path, bye="sys.exit(0)")
    path = tmp_path / "program.py"
    source = path.read_text(encoding="utf-8")
    path.write_text(
        source.replace(
            "    m = json.loads(line)\n", f"    m = json.loads(line); open({str(log)!r}, 'a').write(line)\n"
        ),
        encoding="utf-8",
    )
    compact_once(spec, instructions="mind the queue")
    hello, opened, extend, compact, bye = map(json.loads, log.read_text(encoding="utf-8").splitlines())

    assert hello == {"type": "hello", "protocol": "backslide-compactor", "version": 1}
    assert opened == {"type": "open", "system": "", "keep": {"tokens": 300, "turns": 2}, "id": 1}
    assert extend["messages"][:2] == [
        {"id": "e1", "role": "user", "content": "第 1 个请求: read file 1", "kind": "raw"},
        {
            "id": "e2",
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "call1", "type": "function", "function": {"name": "read", "arguments": '{"path": "call1"}'}}
            ],
            "kind": "raw",
        },
    ]
    assert extend["messages"][2].items() >= {"role": "tool", "tool_call_id": "call1", "name": "read"}.items()
    assert compact == {
        "type": "compact",
        "window": 50_000,
        "summary_tokens": 500,
        "instructions": "mind the queue",
        "id": 3,
    }
    assert bye == {"type": "bye"}


MISBEHAVIOURS = {
    "exits at once": ({"hello": "print('no model configured', file=sys.stderr); sys.exit(3)"}, "exit",
                      "exited with status 3 before it answered hello; its last words: no model configured"),
    "crashes": ({"compact": "raise KeyError('x')"}, "exit", "before it answered compact; its last words: "),
    "is killed": ({"compact": "os.kill(os.getpid(), 9)"}, "exit", "was ended by SIGKILL before it answered compact"),
    "exits in silence": ({"open": "sys.exit(0)"}, "exit", "exited with status 0 before it answered open"),
    "junk": ({"compact": "print('Compacting now...', flush=True); time.sleep(60)"}, "json",
             "wrote a line that is not JSON: Compacting now...; standard output is for messages alone"),
    "NaN": ({"compact": "print('{\"type\": NaN}', flush=True)"}, "json", 'not JSON: {"type": NaN}'),
    "nested": ({"compact": "print('[' * 100000, flush=True)"}, "json", "not JSON: [[["),
    "no object": ({"compact": "send([1])"}, "shape", "a line must be a JSON object, not [1]"),
    "no type": ({"compact": "send({'id': 3})"}, "shape", "type must be a text, not None"),
    "unknown type": ({"compact": "send({'type': 'compactd', 'id': 3})"}, "shape", "did you mean 'compacted'?"),
    "wrong answer": ({"open": "send({'type': 'extended', 'id': 1})"}, "shape",
                     "answered open with type 'extended'; expected 'opened' or 'error'"),
    "wrong version": ({"hello": "send({'type': 'hello', 'version': 2})"}, "version", "speaks version 2 of"),
    "no version": ({"hello": "send({'type': 'hello'})"}, "version", "speaks version None of"),
    "refuses hello": ({"hello": "send({'type': 'error', 'message': 'no licence'})"}, "refused", "hello with an error: no"),
    "wrong id": ({"compact": "send({'type': 'compacted', 'id': 99, 'status': 'no-op'})"}, "id",
                 "answered compact under the id 99, expected 3"),
    "no id": ({"compact": "send({'type': 'compacted', 'status': 'no-op'})"}, "id", "under the id None"),
    "no status": ({"compact": "send({'type': 'compacted', 'id': 3})"}, "shape", "status must be compacted, no-op"),
    "no messages": ({"compact": "send({'type': 'compacted', 'id': 3, 'status': 'compacted'})"}, "shape",
                    "messages must be a list of messages, not None"),
    "no kind": ({"compact": "answer([{'role': 'user', 'content': 'x'}])"}, "shape", "messages[0].kind must be raw"),
    "no role": ({"compact": "answer([{'kind': 'summary', 'content': 'x'}])"}, "shape", "messages[0].role must be system"),
    "content": ({"compact": "answer([{'kind': 'summary', 'role': 'user', 'content': 7}])"}, "shape",
                "messages[0].content must be a text, not 7"),
    "calls": ({"compact": "answer([{'kind': 'summary', 'role': 'assistant', 'tool_calls': [{'id': 'a'}]}])"}, "shape",
              "messages[0].tool_calls[0].function must be an object"),
    "nothing": ({"compact": "answer([])"}, "empty", "returned no messages at all"),
    "orphan": ({"compact": "answer([{'kind': 'raw', 'id': 'e23'}, *held[-4:-2]])"}, "orphan",
               "a tool result without its call ('call6' in message 'e23')"),
    "drops the user": ({"compact": "answer([{'kind': 'summary', 'role': 'user', 'content': 'x'}, held[-1]])"}, "last-user",
                       "dropped the last user message ('第 6 个请求: read file 6')"),
    "larger": ({"compact": "answer([{'kind': 'summary', 'role': 'user', 'content': 'x'}, *held])"}, "larger",
               "larger than before"),
    "invents raw": ({"compact": "answer([{'kind': 'raw', 'id': 'e99'}, *held[-4:]])"}, "raw",
                    "no raw message with the id e99 was given"),
    "changes raw": ({"compact": "held[-1]['content'] = 'I read nothing.'; answer(held[-4:])"}, "raw",
                    "messages[3] ('e24') as raw, but its content is not what was given"),
    "raw twice": ({"compact": "answer([*held[-4:], held[-1]])"}, "raw", "returned the raw message 'e24' twice"),
    "asks for ever": ({"compact": "[complete('again') for _ in range(1000)]"}, "requests",
                      "asked the summarizer more than 100 times in one compaction"),
    "asks too early": ({"open": "complete('now')"}, "shape", "answered open with type 'complete'"),
    "asks nothing": ({"compact": "complete([])"}, "shape", "messages must be a text or a list of chat messages"),
    "asks nobody": ({"compact": "complete([{'role': 'bot'}])"}, "shape", "messages[0].role must be system, user"),
    "asks for much": ({"compact": "complete('x', max_tokens='all')"}, "shape", "max_tokens must be a whole number"),
    "asks without id": ({"compact": "send({'type': 'complete', 'messages': 'x'})"}, "shape", "complete.id must be"),
    "repeats an id": ({"compact": "complete('a'); asked = 0; complete('b')"}, "id", "used the id 1 for two"),
    "not UTF-8": ({"compact": "os.write(1, b'\\xff\\xfe{}\\n')"}, "utf8", "not UTF-8 (byte 0 of the line: \\xff\\xfe{})"),
    "chatters": ({"compact": "[send({'type': 'x-progress'}) for _ in range(20000)]"}, "flood",
                 "wrote more than 10,000 messages without answering compact"),
    "reports an error": ({"compact": "send({'type': 'error', 'id': 3, 'message': 'out of luck'})"}, "refused",
                         "reported an error: out of luck"),
    "status error": ({"compact": "send({'type': 'compacted', 'id': 3, 'status': 'error', 'error': 'bad'})"}, "refused",
                     "reported an error: bad"),
    "refuses messages": ({"extend": "send({'type': 'error', 'id': 2, 'message': 'too many'})"}, "refused",
                         "answered extend with an error: too many"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_each_misbehaviour_has_its_one_line(tmp_path: Path, name: str) -> None:
    """A program that breaks a rule ends the compaction with an error that says which."""
    steps, fault, words = MISBEHAVIOURS[name]
    error = fault_of(program(tmp_path, **steps))

    assert (error.fault, words in str(error)) == (fault, True), str(error)


@pytest.mark.parametrize(
    ("step", "limits"), [("extend", Limits(start_seconds=2)), ("compact", Limits(compact_seconds=1))]
)
def test_silence_ends_with_the_time_limit(tmp_path: Path, step: str, limits: Limits) -> None:
    """A program that never answers is given up, with what it last said on standard error."""
    spec = program(tmp_path, **{step: "print('thinking', file=sys.stderr, flush=True); time.sleep(600)"})
    error = fault_of(spec, limits)

    assert error.fault == "timeout"
    assert re.search(rf"did not answer {step} within [12] s; its last words: thinking", str(error))


def test_a_program_that_does_not_read_is_no_hang(tmp_path: Path) -> None:
    """Megabytes that nobody takes from the pipe do not block us."""
    spec = script(tmp_path, 'import sys, time\nprint(\'{"type":"hello","version":1}\', flush=True)\ntime.sleep(600)\n')
    with pytest.raises(CompactorError) as caught:
        compact_once(spec, session_of(user("x" * 5_000_000)), limits=Limits(start_seconds=1))

    assert caught.value.fault == "timeout"


def test_a_closed_output_is_told_from_an_exit(tmp_path: Path) -> None:
    """A program that closes its standard output and lives on is named for it."""
    error = fault_of(program(tmp_path, compact="os.close(1); time.sleep(600)"))

    assert (error.fault, "closed its standard output before it answered compact" in str(error)) == ("closed", True)


@pytest.mark.parametrize("end", ["", "\\n"])
def test_a_flood_is_stopped_at_the_line_limit(tmp_path: Path, end: str) -> None:
    """A line beyond the limit is refused while it comes, and kept nowhere."""
    spec = program(tmp_path, compact=f"sys.stdout.write('x' * 300000 + '{end}'); sys.stdout.flush(); time.sleep(600)")
    error = fault_of(spec, Limits(line_bytes=100_000))

    assert (error.fault, "a line of more than 100,000 bytes" in str(error)) == ("flood", True)


def test_endless_lines_are_not_collected(tmp_path: Path) -> None:
    """A program that never stops writing is made to wait, and its first bad line ends it."""
    error = fault_of(program(tmp_path, compact="while True: print('x' * 1000)"))

    assert error.fault == "json"


def test_a_program_that_vanished_is_named(tmp_path: Path) -> None:
    """A file that cannot be run although it is executable is an error of ours to explain."""
    path = tmp_path / "mine"
    path.write_bytes(b"\x00\x01\x02 no program")
    path.chmod(0o755)
    error = fault_of(f"cmd:{path}")

    assert (error.fault, "cannot be started" in str(error)) == ("start", True)


def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    """Children of the program are in its group and are killed, even those that hold its pipes."""
    pids = tmp_path / "pids"
    start = f"import subprocess; p = subprocess.Popen(['sleep', '600']); open({str(pids)!r}, 'w').write(str(p.pid))"
    error = fault_of(program(tmp_path, compact=f"{start}; sys.exit(1)"))

    assert error.fault == "exit"
    child = int(pids.read_text())
    assert wait_until(lambda: gone(child))


def test_a_failed_summarizer_is_told_and_can_be_handled(tmp_path: Path) -> None:
    """The program sees the reason; a placeholder in its place is accepted."""
    spec = program(
        tmp_path,
        compact="""
        reply = complete("Sum up.")
        answer([{"kind": "placeholder", "role": "user", "content": reply["error"]}, *held[-4:]], "placeholder")
        """,
    )
    done = compact_once(spec, ask=Scribe(error="503 overloaded"))

    assert done.summary == "503 overloaded"
    assert (done.details or {})["status"] == "placeholder"


def test_our_own_errors_stay_ours(tmp_path: Path) -> None:
    """A missing model is not a compactor's misbehaviour."""

    async def no_model(request: object) -> Reply:
        raise ModelError("no model is configured for the role 'summarizer'")

    with pytest.raises(ModelError):
        compact_once(program(tmp_path), ask=no_model)


def test_the_summarizers_time_is_not_the_programs(tmp_path: Path) -> None:
    """A slow model does not use up the program's time limit."""
    limits = replace(QUICK, compact_seconds=0.5)

    async def slow(request: SummaryRequest) -> Reply:
        await asyncio.sleep(1.5 * limits.compact_seconds)
        return await Scribe()(request)

    assert compact_once(program(tmp_path), ask=slow, limits=limits).summary == "the summary"


def test_a_no_op_changes_nothing(tmp_path: Path) -> None:
    """No-op, and messages equal to those in hand, are neither a compaction nor an error of the program's."""
    for body in ("answer([], 'no-op')", "answer(held)"):
        with pytest.raises(NothingToCompactError):
            compact_once(program(tmp_path, compact=body))


def test_extensions_and_half_surrogates_are_tolerated(tmp_path: Path) -> None:
    """Messages of an x- type are passed over; half a surrogate pair, which JavaScript writes, is left out."""
    spec = program(
        tmp_path,
        compact="""
        send({"type": "x-progress", "done": 1})
        answer([{"kind": "summary", "role": "user", "content": "cut \\ud83d here", "more": 1}, *held[-4:]])
        """,
    )

    assert compact_once(spec).summary == "cut  here"


def test_only_a_declared_summarizer_of_all_may_drop_an_answered_message(tmp_path: Path) -> None:
    """With summarizes_all an answered last message may go; one that waits for its answer may not."""
    steps = {
        "hello": 'send({"type": "hello", "version": 1, "summarizes_all": True})',
        "compact": 'answer([{"kind": "summary", "role": "user", "content": "all of it"}])',
    }
    spec = program(tmp_path, **steps)
    done = compact_once(spec)

    assert (done.summary, done.first_kept_entry_id) == ("all of it", "")
    assert (done.details or {})["lastUser"] == "dropped"
    with pytest.raises(CompactorError, match="has not been answered yet"):
        compact_once(spec, session_of(*talk(), user("and now?")))


@pytest.mark.parametrize(
    ("wanted", "most", "budget"), [("", 4_000, 500), (", max_tokens=900", 4_000, 900), ("", 100, 100)]
)
def test_a_request_has_a_budget(tmp_path: Path, wanted: str, most: int, budget: int) -> None:
    """It is the program's own, else that of a summary, and the model's limit in any case."""
    scribe = Scribe()
    spec = program(
        tmp_path,
        compact=f'answer([{{"kind": "summary", "role": "user", "content": complete("Sum up."{wanted})["text"]}}, *held[-4:]])',
    )
    compact_once(spec, ask=scribe, max_output=most)

    assert [request.max_tokens for request in scribe.asked] == [budget]
