"""Noise templates of Rust, Go, Java and C."""

from __future__ import annotations

from backslide.scenarios.noise_dialect import Dialect

RUST = Dialect(
    ending="rs",
    comment="//",
    folders=("crates/core/src", "crates/api/src", "crates/store/src", "src"),
    tests="tests",
    heads=("use std::collections::HashMap;", "use crate::~n::~N;", "use super::~n::{~N, ~N};", "mod ~n;"),
    blocks=(
        "pub fn ~s(&self, ~n: &~N, ~n: u64) -> Result<~N, ~NError> {\n    ~~\n    Ok(~n)\n}\n",
        (
            "#[derive(Debug, Clone, PartialEq)]\npub struct ~N {\n    pub ~n: String,\n"
            "    pub ~n: Vec<~N>,\n    ~n: u32,\n}\n"
        ),
        (
            "impl From<~N> for ~N {\n    fn from(~n: ~N) -> Self {\n        ~~\n"
            "        Self { ~n: ~n.~n, ~n: ~i }\n    }\n}\n"
        ),
        "match self.~s(~n) {\n    ~N::~N(~n) => self.~s(~n),\n    ~N::~N { ~n, .. } => ~s(&~n),\n}\n",
        "#[test]\nfn ~s_~n() {\n    ~~\n    assert_eq!(~n.~s(), ~b);\n}\n",
    ),
    statements=(
        "let ~n = self.~n.~s(&~n)?;",
        "let mut ~n = Vec::with_capacity(~b);",
        "~n.push(~N::new(~n, ~i));",
        'tracing::debug!(~n = ~n.len(), "~p");',
        "if ~n.~n > ~K {",
        "    return Ok(~n.~s(~n));",
        "self.~n.insert(~n.id, ~n.clone());",
        "for (~n, ~n) in ~n.iter().enumerate() {",
        'let ~n = ~n.get("~n").copied().unwrap_or(~i);',
        "~n.~s(|~n| ~n.~n)?;",
    ),
    failure=(
        "panicked at ~P:~i:~i:",
        "~p: index out of range: the len is ~i but the index is ~i",
        "stack backtrace:",
    ),
    frame="  ~i: ~n::~n::~N::~s\n             at ./~P:~b:~i",
    build=(
        "   Compiling ~n-~n v0.~i.~i",
        "    Checking ~n-~n v~i.~i.~i",
        "  Downloaded ~n_~n v0.~i.~i",
        "    Checking ~n-~n v~i.~i.~i (crates/~n)",
        "     Running unittests ~P (target/debug/deps/~n-~h)",
    ),
    warning=(
        "warning: unused variable: `~n`\n   --> ~P:~b:~i\n    |\n~i  |     let ~n = ~n.~s(~i);\n    |         ^^^^"
    ),
    test_pass="test ~n::~n::~s_~n ... ok",
    test_end="     Running tests/~n_~n.rs (target/debug/deps/~n_~n-~h)",
)
GO = Dialect(
    ending="go",
    comment="//",
    folders=("internal", "pkg", "cmd/server", "internal/store"),
    tests="internal",
    heads=("package ~n", 'import "example.org/~n/internal/~n"', "// Package ~n holds the ~p."),
    blocks=(
        "func (~a *~N) ~N(~n string, ~n int) (*~N, error) {\n\t~~\n\treturn &~N{~N: ~n}, nil\n}\n",
        "type ~N struct {\n\t~N string\n\t~N []~N\n\t~N int64\n}\n",
        'var ~c = map[string]~N{\n\t"~n": {~N: ~b},\n\t"~n": {~N: ~b},\n}\n',
        ('func Test~N(t *testing.T) {\n\t~~\n\tif got := ~c(~n); got > ~b {\n\t\tt.Errorf("~p: %d", got)\n\t}\n}\n'),
        "switch ~n.~N {\ncase ~N:\n\t~~\ncase ~N, ~N:\n\treturn ~c(~n)\n}\n",
    ),
    statements=(
        "~n, err := ~a.~N(~n, ~i)",
        "~n = append(~n, ~N{~N: ~n.~N})",
        'log.Printf("~p %d", ~n.~N)',
        "if len(~n) > ~b {",
        "\treturn ~c(~n, ~n)",
        "for _, ~n := range ~a.~N {",
        '~n["~n"] = ~N(~n)',
        "~n := make([]~N, 0, ~b)",
        "~n.~N = ~n.~N + ~i",
    ),
    failure=(
        "panic: runtime error: index out of range [~i] with length ~i",
        "~p: exit status ~i",
        "[frames]:",
    ),
    frame="example.org/~n/internal/~n.(*~N).~N(0xc000~h, 0x~i)\n\t/build/~P:~b +0x~h",
    build=(
        "go: downloading example.org/~n/~n v~i.~i.~i",
        "go: added example.org/~n v0.~i.~i",
        "example.org/~n/internal/~n",
        "linking ~n-server (~b packages, ~i ms)",
    ),
    warning="~P:~b:~i: ~c is unused (U1000)",
    test_pass="--- PASS: Test~N_~N (0.~is)",
    test_end="ok  \texample.org/~n/internal/~n\t~i.~is",
)
JAVA = Dialect(
    ending="java",
    comment="//",
    folders=("src/main/java/org/example", "core/src/main/java/org/example", "web/src/main/java/org/example"),
    tests="src/test/java/org/example",
    heads=("package org.example.~n;", "import java.util.List;", "import org.example.~n.~N;"),
    blocks=(
        "public ~N ~c(~N ~n, int ~n) {\n    ~~\n    return ~n.~c(~n);\n}\n",
        "public record ~N(String ~n, long ~n, List<~N> ~n) {}\n",
        ("public final class ~N implements ~N {\n    private final ~N ~n;\n    private final Map<String, ~N> ~n;\n}\n"),
        "@Test\nvoid ~c~N() {\n    ~~\n    assertEquals(~b, ~n.~c());\n}\n",
        ("return switch (~n) {\n    case ~K -> ~c(~n);\n    case ~K -> new ~N(~n, ~i);\n    default -> ~n.~c();\n};\n"),
    ),
    statements=(
        "~N ~n = ~n.~c(~n, ~i);",
        "this.~n.put(~n.~c(), ~n);",
        "if (~n.size() > ~K) {",
        "    return List.of(~n, ~n);",
        'log.info("~p {}", ~n.~c());',
        "for (~N ~n : ~n.~c()) {",
        "final int ~n = ~n.~c() + ~b;",
        "~n.add(new ~N(~n, ~i));",
    ),
    failure=("org.example.~n.~NException: ~p", "Caused by: java.lang.IllegalStateException: ~p ~b"),
    frame="\tat org.example.~n.~N.~c(~N.java:~b)",
    build=(
        "[INFO] --- compiler:3.~i.~i:compile (default-compile) @ ~n-~n ---",
        "[INFO] Compiling ~b source files with javac [release 21] to target/classes",
        "[INFO] Building ~n-~n ~i.~i-SNAPSHOT                      [~i/~i]",
        "Downloaded from central: org/example/~n-~n/~i.~i/~n-~n-~i.~i.jar (~b kB)",
    ),
    warning="[WARNING] ~P:[~b,~i] unchecked call to ~c(T) as a member of ~N",
    test_pass=(
        "[INFO] Tests run: ~i, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.~i s -- in org.example.~n.~NTest"
    ),
    test_end="[INFO] Running org.example.~n.~NTest",
)
C = Dialect(
    ending="c",
    comment="//",
    folders=("src", "lib", "drivers", "src/io"),
    tests="test",
    heads=("#include <stdint.h>", '#include "~n_~n.h"', "#define ~K ~b"),
    blocks=(
        "static int ~s(const struct ~n *~n, uint32_t ~n)\n{\n    ~~\n    return ~n->~n;\n}\n",
        "struct ~n_~n {\n    uint32_t ~n;\n    uint8_t ~n[~i];\n    struct ~n *~n;\n};\n",
        "enum ~n_state {\n    ~K,\n    ~K,\n    ~K = ~i,\n};\n",
        "void ~s(struct ~n *~n)\n{\n    ~~\n    ~s(&~n->~n, ~i);\n}\n",
    ),
    statements=(
        "uint32_t ~n = ~s(~n, ~i);",
        "~n->~n = ~n->~n + ~i;",
        "if (~n->~n > ~K) {",
        "    return ~s(~n);",
        "for (size_t i = 0; i < ~b; i++) {",
        "memcpy(&~n->~n, ~n, sizeof(~n->~n));",
        'LOG_INFO("~p %u", ~n->~n);',
        "~n[~i] = (uint8_t)(~n >> ~i);",
    ),
    failure=(
        "==~b== Invalid read of size 8",
        "Program received signal SIGSEGV in ~s ()",
        "AddressSanitizer: ~p ~h",
    ),
    frame="#~i  0x0000~h in ~s (~n=0x~h, ~n=~b) at ~P:~b",
    build=(
        "  CC      ~P",
        "  LD      build/~n-~n.elf",
        "[~i/~b] Building C object CMakeFiles/~n.dir/~P.o",
        "  AR      lib~n.a",
    ),
    warning="~P:~b:~i: warning: unused parameter '~n' [-Wunused-parameter]",
    test_pass="[       OK ] ~N.~N (~i ms)",
    test_end="[----------] Global test environment tear-down",
)
