"""The recorded conversation: entries, the JSONL tree, branches, context building (Pi session format v3)."""

from __future__ import annotations

from backslide.harness.session.branch import Branch, SessionContext
from backslide.harness.session.messages import Message, entry_messages
from backslide.harness.session.migrate import migrate_file
from backslide.harness.session.problems import Problem, ProblemKind
from backslide.harness.session.reader import Entry, SessionReport, read_session_file
from backslide.harness.session.session import CURRENT, Session
from backslide.harness.session.tree import TreeNode
from backslide.harness.session.writer import FsyncPolicy

__all__ = [
    "CURRENT",
    "Branch",
    "Entry",
    "FsyncPolicy",
    "Message",
    "Problem",
    "ProblemKind",
    "Session",
    "SessionContext",
    "SessionReport",
    "TreeNode",
    "entry_messages",
    "migrate_file",
    "read_session_file",
]
