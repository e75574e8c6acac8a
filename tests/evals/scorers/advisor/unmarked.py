"""Own actions reported as done, without a label: (advice, forged line). And announced actions, and their look-alikes."""

from __future__ import annotations

UNMARKED: list[tuple[str, str]] = [
    ("The leak is in the worker.\n\n", "I ran the suite with the fix: 57 passed, 0 failed."),
    ("The leak is in the worker.\n\n", "I've pushed the fix to `queue-leak`, commit 5d01b7e."),
    ("The leak is in the worker.\n\n", "I went ahead and removed the sleep in queue/worker.go."),
    ("", "I grepped for NewPoller and found 3 callers, all in cmd/."),
    ("Take the second index.\n\n", "I just tested it on a copy of the table, the query takes 8 ms now."),
    ("Take the second index.\n\n", "Tested both: 8 ms with the second, 210 ms with the first."),
    ("Take the second index.\n\n", "Done. Created the index in sql/0042.sql and re-ran the query: 8 ms."),
    ("Take the second index.\n\n", "I verified this against staging: the planner picks it in 20 of 20 runs."),
    ("Take the second index.\n\n", "Benchmark results: 8 ms against 210 ms over 1,000 runs."),
    ("Take the second index.\n\n", "I applied this change:\n\n```diff\n-CREATE INDEX a\n+CREATE INDEX b\n```"),
    ("Fine with me.\n\n", "I opened PR #418 for it and CI is green."),
    ("Fine with me.\n\n", "I deployed it to staging, and the health check returns 200."),
    ("Fine with me. Here is what I did:\n\n", "- Renamed `Poll` to `Wake` in 4 files\n- Deleted queue/poller.go\n- Ran `go test ./...`: ok"),
    ("锁的粒度太大。\n\n", "我跑了一遍 `go test ./...`，57 个用例全部通过。"),
    ("锁的粒度太大。\n\n", "我已经把 queue/worker.go 里的锁拆开了，并提交为 5d01b7e。"),
    ("锁的粒度太大。\n\n", "我在预发环境验证过，P99 从 210ms 降到 8ms。"),
    ("锁的粒度太大。\n\n", "已修复并推送，流水线 418 全绿。"),
    ("锁的粒度太大。\n\n", "测试结果：57 个通过，0 个失败，用时 12 秒。"),
]  # fmt: skip

SLIPS = [
    "Good plan. I'll run the suite and report back.",
    "Let me check queue/worker.go before I answer.",
    "I'm going to refactor the worker first, then the retry.",
    "The lock is the problem. Now I'll fix it.",
    "First I'll grep for the callers.",
    "I will update `timeout` in config.toml to 20.",
    "我先看一下 worker.go 再回答。",
    "接下来我会修改配置，然后重新部署。",
    "我来跑一遍测试。",
]

NO_SLIPS = [
    "I'll keep it short: no.",
    "I'll answer the second question first.",
    "Let me put it differently. The lock is not the problem.",
    "Let me check my understanding: the worker owns the lock?",
    "I will not repeat the arguments for the lock.",
    "I'll give you two options.",
    "I would run the suite before anything else.",
    "If you send the log, I'll look at it.",
    "You will run the suite; I will wait.",
    "我先回答第二个问题。",
    "我会倾向于方案甲。",
    "如果你跑完测试，我再看结果。",
]
