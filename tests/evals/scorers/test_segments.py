from __future__ import annotations

from backslide.evals.scorers.reply import ReplyText, ToolUse, reply_of_blocks
from backslide.evals.scorers.segments import split


def code_of(text: str) -> list[tuple[str | None, str | None, str]]:
    return [(code.language, code.path, code.text.text) for code in split(ReplyText(text)).code]


def test_a_fence_takes_its_file_from_the_line_before_it() -> None:
    """A path in the line that leads to a fence names the fence's file."""
    found = code_of("I changed `mailer/send.py`:\n\n```python\nx = 2\n```\n")
    assert found == [("python", "mailer/send.py", "x = 2\n")]


def test_an_indented_fence_of_a_list_loses_its_indentation() -> None:
    """A fence inside a list item is read without the item's indentation."""
    found = code_of("1. First:\n   ```python\n   import celery\n   ```\n2. Then.")
    assert found == [("python", None, "import celery\n")]


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    """A reply that was cut off inside a fence ends in code."""
    assert code_of("So:\n~~~py\nimport celery\nx =") == [("python", None, "import celery\nx =")]


def test_only_added_lines_of_a_diff_are_code() -> None:
    """Removed and context lines of a diff are no code of the reply; the header names the file."""
    diff = "```diff\n--- a/mailer/send.py\n+++ b/mailer/send.py\n@@ -1,2 +1,2 @@\n import os\n-import celery\n+import json\n```"
    assert code_of(diff) == [("python", "mailer/send.py", "import json\n")]


def test_an_apply_patch_block_names_each_file() -> None:
    """A patch block is read file by file, also outside a fence."""
    patch = "*** Begin Patch\n*** Update File: mailer/a.py\n@@\n-x\n+import celery\n*** Add File: tools/b.py\n+y = 1\n*** End Patch"
    assert code_of(patch) == [("python", "mailer/a.py", "import celery\n"), ("python", "tools/b.py", "y = 1\n")]


def test_code_without_a_fence_is_code() -> None:
    """Lines that read like code are code, the words around them are not."""
    segments = split(
        ReplyText(
            "Like this:\n\nfrom celery import shared_task\n\n@shared_task\ndef send(): ...\n\nThat is all there is."
        )
    )
    assert [block.text.text.strip() for block in segments.prose] == ["Like this:", "That is all there is."]
    assert "shared_task" in segments.code[0].text.text


def test_an_edit_adds_only_what_its_old_text_lacks() -> None:
    """Lines that stood there before are not added by an edit."""
    call = ToolUse(
        "edit", {"path": "mailer/a.py", "oldText": "import celery\nx = 1", "newText": "import celery\nx = 2"}
    )
    segments = split(ReplyText("", (call,)))
    assert [code.text.text for code in segments.code] == ["x = 2"]
    assert [use.path for use in segments.files] == ["mailer/a.py"]


def test_offsets_of_a_call_refer_to_the_canonical_text() -> None:
    """What a call adds is found again in the canonical rendering."""
    reply = ReplyText("Done.", (ToolUse("write", {"path": "mailer/a.py", "content": "import celery\n"}),))
    code = split(reply).code[0]
    start, end = code.text.span(0, 13)
    assert reply.canonical[start:end] == "import celery"


def test_a_call_written_out_as_json_is_a_call() -> None:
    """A call in text is read with its escapes undone, also when it is cut off or nested in a string."""
    text = '{"tool": "write", "args": {"path": "mailer/a.py", "content": "import celery\\nx = \\"1'
    assert code_of(text) == [("python", "mailer/a.py", 'import celery\nx = "1')]
    nested = '{"name":"bash","arguments":"{\\"command\\": \\"pip install celery\\"}"}'
    assert [c.line for shell in split(ReplyText(nested)).shells for c in shell.script.commands] == [
        "pip install celery"
    ]


def test_a_call_that_only_reads_changes_nothing() -> None:
    """Reading and searching a file is no change of it."""
    segments = split(
        ReplyText('{"tool": "read", "args": {"path": "mailer/a.py"}}', (ToolUse("grep", {"path": "mailer/"}),))
    )
    assert (segments.files, segments.code) == ((), ())


def test_code_that_is_shown_as_removed_is_marked() -> None:
    """The words before a fence, a comment on its first line, or the words after it tell that it is not proposed."""
    before = split(ReplyText("What we deleted:\n```python\nimport celery\n```"))
    inside = split(ReplyText("```python\n# BAD\nimport celery\n```"))
    after = split(ReplyText("```python\nimport celery\n```\nThat is what you ruled out."))
    assert [segments.code[0].shown for segments in (before, inside, after)] == [True, True, True]


def test_blocks_of_a_reply_leave_thinking_out() -> None:
    """Thoughts are not part of a reply."""
    reply = reply_of_blocks(
        [
            {"type": "thinking", "thinking": "Celery?"},
            {"type": "text", "text": "Done."},
            {"type": "toolCall", "name": "bash", "arguments": {"command": "ls"}},
        ]
    )
    assert (reply.text, reply.calls) == ("Done.", (ToolUse("bash", {"command": "ls"}),))
