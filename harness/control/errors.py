"""What an agent cannot do."""

from __future__ import annotations

from backslide.harness.errors import BackslideError


class ControlError(BackslideError):
    """The agent is in no state to do what was asked of it."""


class CannotContinueError(ControlError):
    """The context ends in a reply, so there is nothing to go on from."""


class ToolError(BackslideError):
    """A tool call failed; the text is the result that the model sees."""
