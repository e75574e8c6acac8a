from __future__ import annotations

import pytest

from backslide.evals.scorers.mapped import whole
from backslide.evals.scorers.shell import read_script


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("sed -i 's/a/b/' mailer/a.py", {"mailer/a.py": "edit"}),
        ("sed 's/a/b/' mailer/a.py", {}),
        ("echo x >> mailer/a.py", {"mailer/a.py": "write"}),
        ("cat mailer/a.py > /dev/null", {}),
        ("gen | tee mailer/rates.json", {"mailer/rates.json": "write"}),
        ("git mv mailer/a.py mailer/b.py", {"mailer/a.py": "move", "mailer/b.py": "move"}),
        ("git rm mailer/a.py", {"mailer/a.py": "delete"}),
        ("git diff -- mailer/a.py", {}),
        ("cp mailer/a.py /tmp/a.py", {"/tmp/a.py": "write"}),
        ("grep -rl x mailer | xargs sed -i 's/x/y/'", {"x": "edit", "mailer": "edit"}),
        ("$ patch -p1 < fix.diff\npatching file mailer/a.py", {"mailer/a.py": "patch"}),
        ("echo 'unclosed > mailer/a.py", {}),
    ],
)
def test_which_files_a_command_changes(script: str, files: dict[str, str]) -> None:
    """Edits, writes, moves and removals count; reading does not; broken quoting does not stop the reading."""
    assert {use.path: use.op for use in read_script(whole(script)).files} == files


def test_a_heredoc_is_the_text_of_its_file() -> None:
    """The body of a heredoc belongs to the file it is written to, and is no command."""
    script = read_script(whole("cat > mailer/a.py <<'EOF'\nrm -rf x\nEOF\nls mailer"))
    assert [(item.path, item.body.text) for item in script.heredocs] == [("mailer/a.py", "rm -rf x\n")]
    assert [command.words[0] for command in script.commands] == ["cat", "ls"]


def test_wrappers_assignments_and_comments_are_no_words_of_a_command() -> None:
    """Patterns see the command itself."""
    script = read_script(whole("A=1 sudo pip install celery # the queue\n"))
    assert [command.line for command in script.commands] == ["pip install celery"]
