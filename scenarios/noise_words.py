"""The vocabulary of generated noise.

The words are everyday nouns and verbs of software. None of them negates, forbids or recommends, and none is
the name of an approach that a scenario of the corpus rules out or chooses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from backslide.scenarios.dice import Dice

_NOUNS_TEXT = """
account address album anchor archive area article asset author badge banner basket batch beacon
bench blob board border branch bucket budget bundle button cabin calendar camera campus canvas
carrier catalog chapter chart city client clinic column comment contact corner counter country
course crate cursor customer dataset depot desk digest display district draft edge editor element
engine entry envelope epoch event exhibit export factor family feature fence field figure filter
flag fleet folder footer form frame gallery garden gateway gauge glyph graph grid group handle
harbor header height hint history hub icon image index inbox input item journal key label lane layer
layout ledger lesson letter level library line list locale manifest map marker market matrix meadow
measure member menu meter metric mirror model month motor nest node notice number object offer
office option orbit order origin outlet output owner packet page panel parcel part partner path
pattern payload period person picture pixel place plan plate player plot plugin point portal post
price printer product profile project property quarter query quote rack radius range rate record
region report request resource result review ridge river role room root route row sample scale
schedule schema score screen season section seed segment sensor series server shape shelf ship
signal site sketch slot snapshot source span stage station status step store street studio style
subject summary supplier survey symbol tag target task team template tenant term ticket tile title
token topic tower track trail tray tree trigger trip unit update vector vehicle vendor venue version
view visit volume voucher warehouse week weight widget window zone
"""
NOUNS = tuple(_NOUNS_TEXT.split())
_VERBS_TEXT = """
add adjust align append apply arrange assign attach balance bind build bump calculate capture check
clean clear close collect combine compare compute connect convert copy count create decode deliver
derive describe detect dispatch draw emit encode enrich enter expand extract fetch fill find finish
flush fold format gather group handle hide import insert inspect join link list load locate mark
match measure merge move name normalize notify observe offer open order pack paint parse pick place
plan prepare present print process publish pull push read rebuild receive record reduce refresh
register release rename render repeat replay report resolve restore resume rotate route save scan
schedule score seek select send serve set share shift show sign sort split stamp start store submit
sum swap sync tag take tidy toggle track trim tune unpack update upload verify visit wrap write
"""
VERBS = tuple(_VERBS_TEXT.split())
_ADJECTIVES_TEXT = """
active annual basic blue bright broad calm central clear common compact current daily deep default
direct distant dry early eastern empty exact extra fair final first flat formal fresh full general
gentle grand green half hidden initial inner large last late latest light linear local long lower
main major mean middle minor mixed narrow native near nested new next north open outer pale partial
past plain primary prime quick quiet rapid recent regional remote rough round second sharp short
simple single slow small smooth soft solid spare stable steady strong tall thin third tiny total
upper usual valid visible warm weekly western whole wide yearly young
"""
ADJECTIVES = tuple(_ADJECTIVES_TEXT.split())

LONGEST = 9
"""Letters of the longest word above; there are words of every length from 3 on, as `phrase` needs."""

_BY_LENGTH = {length: tuple(word for word in NOUNS + VERBS if len(word) == length) for length in range(3, LONGEST + 1)}


class Lexicon:
    """The words of one block of noise: a small share of the vocabulary, mixed with the subject's words."""

    def __init__(self, dice: Dice, about: Sequence[str]) -> None:
        self.dice = dice
        self._nouns = dice.some(NOUNS, 28)
        self._verbs = dice.some(VERBS, 18)
        self._adjectives = dice.some(ADJECTIVES, 12)
        self._about: list[str] = [word for text in about for word in re.findall(r"[a-z][a-z0-9]*", text.lower())]
        self._first = list(reversed(self._about))

    def noun(self) -> str:
        """Return a noun; the subject's words come first, each once, and then every fourth time."""
        if self._first:
            return self._first.pop()
        return self.dice.pick(self._about if self._about and self.dice.chance(0.25) else self._nouns)

    def verb(self) -> str:
        """Return a verb."""
        return self.dice.pick(self._verbs)

    def adjective(self) -> str:
        """Return an adjective."""
        return self.dice.pick(self._adjectives)

    def pascal(self) -> str:
        """Return a type's name such as `DailyReport`."""
        first = self.noun() if self.dice.chance(0.5) else self.adjective()
        return f"{first.capitalize()}{self.noun().capitalize()}"

    def camel(self) -> str:
        """Return a function's name such as `loadReport`."""
        return f"{self.verb()}{self.noun().capitalize()}"

    def snake(self) -> str:
        """Return a function's name such as `load_report`."""
        return f"{self.verb()}_{self.noun()}"

    def constant(self) -> str:
        """Return a constant's name such as `DAILY_REPORT`."""
        return f"{self.adjective()}_{self.noun()}".upper()

    def words(self) -> str:
        """Return two to five words as in a log message."""
        kinds: list[Callable[[], str]] = [self.noun, self.adjective, self.noun, self.verb, self.noun]
        return " ".join(kind() for kind in kinds[self.dice.between(0, 3) :])

    def phrase(self, width: int) -> str:
        """Return words of exactly `width` characters, at least 3."""
        chosen: list[str] = []
        rest = width
        while rest > 16:
            word = self.noun() if self.dice.chance(0.6) else self.verb()
            if len(word) > min(LONGEST, rest - 4):
                word = self.dice.pick(self._verbs)
            chosen.append(word)
            rest -= len(word) + 1
        if rest > LONGEST:
            chosen.append(self._of_length((rest - 1) // 2))
            rest -= len(chosen[-1]) + 1
        chosen.append(self._of_length(rest))
        return " ".join(chosen)

    def fill(self, template: str) -> str:
        """Replace the slots of a template, each by a fresh draw.

        `~n` noun, `~v` verb, `~a` adjective, `~N` type name, `~c` camelCase and `~s` snake_case name,
        `~K` constant name, `~i` number to 99, `~b` number to 9,999, `~h` hexadecimal, `~p` words.
        """
        return re.sub(r"~([nvaNcsKibhp])", self._slot, template)

    def _slot(self, slot: re.Match[str]) -> str:
        draws: dict[str, Callable[[], str]] = {
            "n": self.noun,
            "v": self.verb,
            "a": self.adjective,
            "N": self.pascal,
            "c": self.camel,
            "s": self.snake,
            "K": self.constant,
            "i": lambda: f"{self.dice.between(2, 99)}",
            "b": lambda: f"{self.dice.between(100, 9999)}",
            "h": lambda: f"{self.dice.hexadecimal(8)}",
            "p": self.words,
        }
        return draws[slot[1]]()

    def _of_length(self, length: int) -> str:
        own = [word for word in self._about if len(word) == length]
        return self.dice.pick(own or _BY_LENGTH[length])
