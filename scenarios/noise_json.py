"""Generated JSON responses: valid documents of an exact length."""

from __future__ import annotations

import json

from backslide.scenarios.noise_words import Lexicon


def json_text(lexicon: Lexicon, size: int) -> str:
    """Return a JSON object of exactly `size` characters, at least 100, with a list of records."""
    dice = lexicon.dice
    listed = f"{lexicon.noun()}_{dice.pick(('list', 'items', 'page', 'records'))}"
    fields = [f"{lexicon.noun()}_{lexicon.noun()}" for _ in range(dice.between(2, 5))]
    kinds = [dice.between(0, 5) for _ in fields]
    head = f'{{\n  "{listed}": ['
    used, records = len(head), list[str]()
    while True:
        record = json.dumps(_record(lexicon, fields, kinds), indent=2).replace("\n", "\n    ")
        piece = f"{',' if records else ''}\n    {record}"
        if size - used - len(piece) < _TAIL_ROOM:
            break
        records.append(piece)
        used += len(piece)
    closing = "\n  ]" if records else "]"
    start = f'{closing},\n  "summary": "'
    width = size - used - len(start) - len('"\n}')
    return head + "".join(records) + start + lexicon.phrase(width) + '"\n}'


_TAIL_ROOM = 40
"""Characters for the closing brackets and the field that makes the length fit."""


def _record(lexicon: Lexicon, fields: list[str], kinds: list[int]) -> dict[str, object]:
    record: dict[str, object] = {"id": lexicon.dice.hexadecimal(8)}
    for name, kind in zip(fields, kinds, strict=True):
        record[name] = _value(lexicon, kind)
    return record


def _value(lexicon: Lexicon, kind: int) -> object:
    dice = lexicon.dice
    if kind == 0:
        return dice.between(0, 99_999)
    if kind == 1:
        return lexicon.words()
    if kind == 2:
        return dice.chance(0.5)
    if kind == 3:
        return [lexicon.noun() for _ in range(dice.between(1, 4))]
    if kind == 4:
        return {
            lexicon.noun(): dice.between(1, 999),
            "updated_at": f"2026-0{dice.between(1, 9)}-2{dice.between(0, 9)}",
        }
    return f"/{lexicon.noun()}/{lexicon.noun()}/{dice.hexadecimal(6)}"
