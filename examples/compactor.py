"""A stateless compactor: all but the newest messages become one summary.

Try it: backslide run --compactor examples/compactor.py:compact
"""

KEEP = 8
ASK = "Summarize the conversation for the engineer who takes over: goals, decisions, what was ruled out and why, state."


def compact(messages, model):
    """Return one summary and the newest messages as they are."""
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    start = min([len(messages) - KEEP, *users[-1:]])
    while start > 0 and messages[start]["role"] == "tool":
        start -= 1  # a result stays with its call
    if start <= 1:
        return messages  # unchanged: nothing to compact
    summary = model.complete([*messages[:start], {"role": "user", "content": ASK}])
    return [{"kind": "summary", "role": "user", "content": summary.text}, *messages[start:]]
