"""A compactor with a state: it keeps a summary up to date and shows the summarizer only what is new.

Try it: backslide run --compactor examples/compactor_session.py:Updating
"""

FIRST = "Write a hand-over of this conversation: goals, decisions, what was ruled out and why, state."
UPDATE = "Here is the hand-over so far. Bring it up to date, and drop nothing that still holds:\n\n"


class Updating:
    """Makes a session for each conversation."""

    def open(self, system, keep):
        """Begin a conversation; `keep` tells how many tokens and turns should stay raw (None: no wish)."""
        return Session(keep.tokens or 4000)


class Session:
    """One conversation: a summary, and the messages that are not in it."""

    def __init__(self, keep_tokens):
        self.keep_chars = 4 * keep_tokens
        self.summary = None
        self.raw = []

    def extend(self, messages):
        """Take in newer messages."""
        for message in messages:
            if message["kind"] == "summary":  # of a compaction before this session was opened
                self.summary = message["content"]
            else:
                self.raw.append(message)

    async def compact(self, model):
        """Bring the summary up to date; a failed request raises, and leaves everything as it was."""
        start = self.tail_start()
        if start == 0:
            return {"status": "no-op"}
        ask = UPDATE + self.summary if self.summary else FIRST
        answer = await model.acomplete([*self.raw[:start], {"role": "user", "content": ask}])
        self.summary, self.raw = answer.text, self.raw[start:]
        return {
            "status": "compacted",
            "messages": [{"kind": "summary", "role": "user", "content": self.summary}, *self.raw],
        }

    def tail_start(self):
        """Return the oldest user message from which the rest fits, or the newest one."""
        users = [index for index, message in enumerate(self.raw) if message["role"] == "user"]
        fitting = (index for index in users if sum(map(chars, self.raw[index:])) <= self.keep_chars)
        return next(fitting, users[-1] if users else 0)


def chars(message):
    """Return the characters of a message's text and calls."""
    calls = message.get("tool_calls", [])
    return len(message["content"]) + sum(len(call["function"]["arguments"]) for call in calls)
