"""Detect what a constraint rules out in a reply, as if the rule holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from backslide.evals.scorers import lexical, structural
from backslide.evals.scorers.languages import DATA, RELATED, may_be
from backslide.evals.scorers.names import NameTable, find_names
from backslide.evals.scorers.normalise import encodable, normalise
from backslide.evals.scorers.paths import mentions as named_paths
from backslide.evals.scorers.prose import ELSEWHERE, ProseFinding, ProseRule, read_prose
from backslide.evals.scorers.reply import ReplyText
from backslide.evals.scorers.scope import Reach
from backslide.evals.scorers.segments import Code, Segments, split
from backslide.evals.scorers.verdicts import Evidence, RelapseVerdict
from backslide.scenarios.model import Constraint, StructuralDetector


def detect(
    rule: Constraint, reply: ReplyText, *, path: str | None = None, known: tuple[str, ...] = ()
) -> RelapseVerdict:
    """Return the verdict as if the rule holds; `over_restriction` is None. `known` are the workspace's files."""
    segments = split(reply)
    reach = reach_of(rule, known)
    fallback = path or _spoken_path(segments, reach)
    evidence: list[Evidence] = []
    mentions: list[Evidence] = []
    for found, counts in _code_evidence(rule, segments, reach, fallback):
        (evidence if counts else mentions).append(found)
    used = bool(evidence)
    prose = _prose_rule(rule)
    findings = read_prose(segments.prose, prose, _where(reach, path))
    for finding in findings:
        item = _of_prose(segments, finding)
        (evidence if finding.use == "propose" else mentions).append(item)
    proposed = any(finding.use == "propose" for finding in findings)
    if used or proposed:
        return RelapseVerdict("used" if used else "proposed", True, None, _unique(evidence))
    mentions.extend(_named_in_code(segments, prose.table))
    if mentions:
        return RelapseVerdict("mentioned", False, None, _unique(mentions))
    return RelapseVerdict("absent", False, None, ())


def detect_anywhere(rule: Constraint, reply: ReplyText) -> bool:
    """Return whether a reply uses or proposes the approach, wherever the rule's scope ends."""
    free = rule.model_copy(
        update={"scope": rule.scope.model_copy(update={"everywhere": True, "paths": (), "except_paths": ()})}
    )
    return detect(free, reply).relapse


def _unique(items: list[Evidence]) -> tuple[Evidence, ...]:
    seen: dict[tuple[str, int, int], Evidence] = {}
    for item in items:
        seen.setdefault((item.detector, item.start, item.end), item)
    return tuple(sorted(seen.values(), key=lambda item: (item.start, item.end)))


def reach_of(rule: Constraint, known: tuple[str, ...]) -> Reach:
    """Return where a constraint holds; `known` are the files of the workspace."""
    return Reach(() if rule.scope.everywhere else rule.scope.paths, rule.scope.except_paths, known)


def _where(reach: Reach, path: str | None) -> Callable[[str, int], bool]:
    def in_scope(text: str, at: int) -> bool:
        spoken = reach.spoken_of(text, at)
        return reach.covers(path) if spoken is None else spoken

    return in_scope


def _spoken_path(segments: Segments, reach: Reach) -> str | None:
    """Return a file that stands for a code block without one: out of reach only if the reply speaks of no other."""
    spoken: set[bool] = set()
    example: str | None = None
    for block in segments.prose:
        if block.kind == "quote":
            continue
        for path, _, _ in named_paths(block.text.text):
            if not reach.locate(path):
                continue
            inside = reach.covers(path)
            spoken.add(inside)
            if not inside and example is None:
                example = path
        if reach.spoken_of(block.text.text):
            spoken.add(True)
    return example if spoken == {False} else None


def _code_evidence(
    rule: Constraint, segments: Segments, reach: Reach, fallback: str | None
) -> Iterator[tuple[Evidence, bool]]:
    detectors = rule.detectors
    if detectors is None:
        return
    for code in segments.code:
        where = reach.locate(code.path) or fallback
        for structural_rule, start, end in _structural(detectors.structural, code):
            own = Reach(structural_rule.paths, structural_rule.except_paths)
            inside = reach.covers(where) and own.covers(where)
            why = structural_rule.why if inside else ELSEWHERE
            yield _evidence(segments, "structural", *code.text.span(start, end), why), inside and not code.shown
    for pattern in detectors.lexical:
        own = Reach(pattern.paths, pattern.except_paths)
        for low, high, path, shown in lexical.find(segments, pattern.pattern, pattern.where):
            where = reach.locate(path) or (None if pattern.where == "command" else fallback)
            inside = reach.covers(where) and own.covers(where)
            counts = not shown and inside
            yield (
                _evidence(segments, f"lexical:{pattern.where}", low, high, pattern.why if inside else ELSEWHERE),
                counts,
            )
    if rule.detectors is not None and any(item.where == "path" for item in detectors.lexical) and fallback:
        yield from _bare_change(rule, segments, reach, fallback)


def _structural(rules: Sequence[StructuralDetector], code: Code) -> Iterator[tuple[StructuralDetector, int, int]]:
    """Yield what structural rules find in a piece of code; one look at all of a language's rules comes first."""
    text = code.text.text
    if not text.strip():
        return
    for language in dict.fromkeys(rule.language for rule in rules):
        if not _readable(code, language):
            continue
        chosen = [rule for rule in rules if rule.language == language]
        words = [structural.needles(rule.rule) for rule in chosen]
        chosen = [
            rule
            for rule, needed in zip(chosen, words, strict=True)
            if not needed or any(word in text for word in needed)
        ]
        every = [structural.needles(rule.rule) for rule in chosen]
        needed = frozenset().union(*every) if all(every) else frozenset()
        if len(chosen) > 1 and not any(
            structural.find(text, language, {"any": [rule.rule for rule in chosen]}, needed)
        ):
            continue
        for rule in chosen:
            for start, end in structural.find(text, language, rule.rule, structural.needles(rule.rule)):
                yield rule, start, end


def _bare_change(rule: Constraint, segments: Segments, reach: Reach, path: str) -> Iterator[tuple[Evidence, bool]]:
    """Take a bare code block as a change of the file that the request is about."""
    assert rule.detectors is not None
    for pattern in rule.detectors.lexical:
        if pattern.where != "path" or not lexical.pattern(pattern.pattern).search(encodable(path)):
            continue
        for code in segments.code:
            if code.path is None and code.source in {"fence", "bare"} and code.text.text.strip() and not code.shown:
                span = code.text.span(0, len(code.text.text.rstrip()))
                yield _evidence(segments, "lexical:path", *span, pattern.why), reach.covers(path)


def _readable(code: Code, language: str) -> bool:
    if code.language in DATA and code.source in {"diff", "tool", "heredoc"} and code.path:
        return False
    if code.path and not may_be(language, code.text.text, code.language, code.path):
        return False
    return may_be(language, code.text.text, code.language, None) or code.language in RELATED.get(language, ())


def _prose_rule(rule: Constraint) -> ProseRule:
    prose = rule.detectors.prose if rule.detectors else None
    if prose is None:
        return ProseRule(NameTable(rule.rejected.names), accepted=rule.accepted.names)
    table = NameTable(prose.names, prose.compounds, prose.ambiguous, prose.weak)
    return ProseRule(table, prose.recommend, prose.accepted or rule.accepted.names, prose.actions)


def _named_in_code(segments: Segments, table: NameTable) -> Iterator[Evidence]:
    """Yield where code, its comments and its removed lines name the approach: mentions."""
    plain = normalise(segments.canonical)
    for named in find_names(plain.text, table):
        start, end = plain.span(named.start, named.end)
        yield _evidence(segments, "name", start, end, "it is named")


def _of_prose(segments: Segments, finding: ProseFinding) -> Evidence:
    return _evidence(segments, "prose", finding.start, finding.end, finding.why)


def _evidence(segments: Segments, detector: str, start: int, end: int, why: str) -> Evidence:
    return Evidence(detector, start, end, segments.canonical[start:end], why)
