"""Noise templates of Python, TypeScript and SQL."""

from __future__ import annotations

from backslide.scenarios.noise_dialect import Dialect

PYTHON = Dialect(
    ending="py",
    comment="#",
    folders=("app", "core", "service", "api", "jobs"),
    tests="tests",
    heads=(
        "from __future__ import annotations",
        "import logging",
        "from ~n.~n import ~N",
        "from .~n import ~s, ~s",
    ),
    blocks=(
        "def ~s(~n: ~N, ~n: int = ~i) -> ~N:\n    ~~\n    return ~n.~s(~n)\n",
        "@dataclass(frozen=True)\nclass ~N:\n    ~n: str\n    ~n: int = ~b\n    ~n: tuple[str, ...] = ()\n",
        ("class ~N(~N):\n    def ~s(self, ~n: str) -> dict[str, int]:\n        ~~\n        return {~n.~n: ~b}\n"),
        "~K = {\n    '~n': '~n_~n',\n    '~n': '~n_~n',\n    '~n': '~n_~n',\n}\n",
        "for ~n in self.~s(~i):\n    ~~\n    ~n.~s(~n)\n",
    ),
    statements=(
        "~n = ~s(~n, ~n=~b)",
        "~n.~s('~n', ~i)",
        "~n = [~s(item) for item in ~n.~n]",
        "logger.info('~p: %s', ~n.~n)",
        "if ~n.~n > ~K:",
        "    ~n = ~n.get('~n', ~i)",
        "self.~n[~n.~n] = ~N(~n, ~n)",
        "assert ~n.~n == ~b, '~p'",
        "~n, ~n = ~n.~s(~n)",
        "with ~s(~n.~n) as ~n:",
        "yield ~N(~n=~n, ~n=~i)",
    ),
    failure=("Traceback (most recent call last):", "ERROR ~n.~n ~p", "During ~s another error came up:"),
    frame='  File "/srv/~P", line ~b, in ~s\n    ~n = self.~s(~n, ~n)',
    build=(
        "Collecting ~n-~n>=~i.~i",
        "  Downloading ~n_~n-~i.~i.~i-cp311-linux.whl (~i kB)",
        "copying ~P -> build/lib",
        "running build_py for ~n-~n",
        "Building wheel for ~n-~n (pyproject.toml): finished with status 'done'",
    ),
    warning="~P:~b: DeprecationNote: ~p, see ~n.~s",
    test_pass="~T::test_~s_~n PASSED",
    test_end="tests/~n/test_~n_~n.py:",
)
TYPESCRIPT = Dialect(
    ending="ts",
    comment="//",
    folders=("src/features", "src/lib", "src/server", "packages/ui/src"),
    tests="src/__tests__",
    heads=(
        "import { ~c, ~c } from './~n';",
        "import type { ~N } from '../~n/~n';",
        "import { ~N } from '@app/~n';",
    ),
    blocks=(
        "export function ~c(~n: ~N, ~n = ~i): ~N[] {\n  ~~\n  return ~n.map((item) => item.~n);\n}\n",
        "export interface ~N {\n  readonly ~n: string;\n  ~n: number;\n  ~n?: ~N;\n}\n",
        "export class ~N extends ~N {\n  ~c(~n: string): ~N {\n    ~~\n    return this.~c(~n);\n  }\n}\n",
        "const ~K: Record<string, ~N> = {\n  ~n: { ~n: '~n', ~n: ~b },\n  ~n: { ~n: '~n', ~n: ~b },\n};\n",
        "describe('~c', () => {\n  it('~p', () => {\n    ~~\n    expect(~n.~n).toEqual(~b);\n  });\n});\n",
    ),
    statements=(
        "const ~n = ~c(~n, { ~n: ~b });",
        "const { ~n, ~n } = this.~c(~n);",
        "if (~n.~n > ~K) {",
        "  return ~n.~c(~n);",
        "~n.push({ ~n, ~n: '~n' });",
        "logger.info('~p', { ~n: ~n.~n });",
        "const ~n = ~n.filter((item) => item.~n === ~i);",
        "for (const ~n of ~n.~n) {",
        "this.~n.set(~n.id, ~n);",
        "expect(~c(~n)).toBe(~b);",
    ),
    failure=(
        "TypeError: reading '~n' of undefined in ~c",
        "Error: ~p (code ~b)",
        "Caused by: RangeError: ~p ~b",
    ),
    frame="    at ~N.~c (/srv/app/~P:~b:~i)",
    build=(
        "vite building for production, ~b modules transformed",
        "dist/assets/~n-~h.js   ~b.~i kB | gzip: ~i.~i kB",
        "[tsc] ~P emitted in ~i ms",
        "added ~b packages, and audited ~b packages in ~is",
        "chunk ~n.~h.js (~n) ~b kB [rendered]",
    ),
    warning="~P(~b,~i): hint TS6133: '~c' is declared but its value is unread.",
    test_pass=" ✓ ~T > ~c > ~p (~i ms)",
    test_end=" ❯ src/~n/~n.test.ts",
)
SQL = Dialect(
    ending="sql",
    comment="--",
    folders=("db/migrations", "db/views", "db/functions", "reports/sql"),
    tests="db/tests",
    heads=("BEGIN;", "SET search_path TO ~n, public;", "-- ~p"),
    blocks=(
        (
            "SELECT ~n.~n, count(~n.~n) AS ~n_~n\nFROM ~n_~n AS ~n\n"
            "JOIN ~n_~n AS ~n USING (~n_id)\nGROUP BY 1\nORDER BY 2 DESC\nLIMIT ~b;\n"
        ),
        "CREATE INDEX ~n_~n_idx ON ~n_~n (~n, ~n DESC);\n",
        "CREATE VIEW ~n_~n AS\nSELECT ~n, ~n, sum(~n) AS ~n_total\nFROM ~n_~n\nGROUP BY ~n, ~n;\n",
        "ALTER TABLE ~n_~n\n    ADD COLUMN ~n_~n text,\n    ADD COLUMN ~n_~n timestamptz;\n",
        "~~\nCOMMENT ON TABLE ~n_~n IS '~p';\n",
    ),
    statements=(
        "UPDATE ~n_~n SET ~n = '~n' WHERE ~n_id = ~b;",
        "INSERT INTO ~n_~n (~n, ~n) VALUES ('~n', ~b);",
        "GRANT SELECT ON ~n_~n TO ~n_reader;",
        "ANALYZE ~n_~n;",
        "SELECT ~s(~b, '~n');",
    ),
    failure=("ERROR:  duplicate value '~h' for index ~n_~n_idx", "DETAIL:  ~p (~n, ~n)=(~b, ~i)."),
    frame="CONTEXT:  SQL function ~s(integer, text) line ~i at PERFORM in ~P:~b",
    build=(
        'psql:~P:~b: NOTICE:  relation "~n_~n" exists, skipping',
        "applied ~P in ~i ms",
        "Seq Scan on ~n_~n  (cost=0.00..~b.~i rows=~b width=~i)",
        "  ->  Hash Join  (cost=~i.~i..~b.~i rows=~b width=~i)",
    ),
    warning="psql:~P:~b: HINT:  ~p in ~n_~n",
    test_pass="ok ~b - ~T ~p",
    test_end="# Subtest: ~n ~s",
)
