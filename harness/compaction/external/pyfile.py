"""Finds a compactor in a Python file and says, by file and line, what is wrong with it."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import itertools
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Literal, Self

from backslide.harness.compaction.external.errors import clipped
from backslide.harness.errors import InputError, nearest

Shape = Literal["function", "stateless", "session"]
"""``compact(messages, model)``; a class with that method; a class with ``open(system, keep)``."""

_numbers = itertools.count(1)


class Guard:
    """Runs somebody else's code: whatever it raises, even an exit, ends up in `error`."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return not isinstance(error, KeyboardInterrupt)


@dataclass(frozen=True)
class Found:
    """A compactor in a loaded module."""

    path: Path
    target: Any
    shape: Shape


def fingerprint(path: Path, name: str) -> str:
    """Return a hash over the file and the name; what the file imports is not looked at."""
    return hashlib.sha256(path.read_bytes() + b"\0" + name.encode("utf-8", "replace")).hexdigest()


def find(path: Path, name: str) -> Found:
    """Load a file as a module of its own and return the compactor `name` in it.

    The file's folder is put at the end of the import path, so that it can import its neighbours. Raises `InputError`
    for a missing file, an error while it is imported (with its line), an unknown name, and wrong parameters.
    """
    _check_file(path)
    module = _load(path)
    target = vars(module).get(name)
    own = [key for key, value in vars(module).items() if _is_own(module, value) and not key.startswith("_")]
    if target is None or not callable(target):
        near = nearest(name, own)
        mend = f"did you mean '{near}'?" if near else f"it defines {', '.join(own) or 'no class or function'}"
        raise InputError(f"there is no class or function '{name}'", where=str(path), mend=mend)
    if not inspect.isclass(target):
        _check_parameters(path, target, name, ("messages", "model"))
        return Found(path, target, "function")
    _check_parameters(path, target, name, ())
    for method, parameters, shape in _METHODS:
        function = getattr(target, method, None)
        if callable(function):
            own_method = inspect.getattr_static(target, method)
            bound = parameters if isinstance(own_method, staticmethod | classmethod) else ("self", *parameters)
            _check_parameters(path, function, f"{name}.{method}", bound)
            return Found(path, target, shape)
    raise InputError(
        f"class {name} has neither open nor compact",
        where=place(path, target),
        mend="give it compact(self, messages, model), or open(self, system, keep) if it has a state",
    )


_METHODS: tuple[tuple[str, tuple[str, ...], Shape], ...] = (
    ("open", ("system", "keep"), "session"),
    ("compact", ("messages", "model"), "stateless"),
)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise InputError("is a directory", where=str(path), mend="name a Python file in it")
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), mend="check the path")


def _load(path: Path) -> ModuleType:
    private = f"_backslide_compactor_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(private, path)
    if spec is None or spec.loader is None:
        raise InputError("is not a Python file", where=str(path), mend="name a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    # Data classes look up their module by name.
    sys.modules[private] = module
    with Guard() as guard:
        spec.loader.exec_module(module)
    if guard.error is not None:
        del sys.modules[private]
        raise InputError(
            f"cannot be imported ({said(guard.error)})", where=blamed(path, guard.error), mend="mend that line"
        ) from guard.error
    return module


def _is_own(module: ModuleType, value: Any) -> bool:
    return (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module.__name__


def _check_parameters(path: Path, function: Callable[..., Any], name: str, parameters: tuple[str, ...]) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:
        return
    try:
        signature.bind(*parameters)
    except TypeError:
        wanted = f"{name}({', '.join(parameters)})"
        raise InputError(
            f"{name} takes {signature}, but it is called as {wanted}",
            where=place(path, function),
            mend=f"define {wanted}" if parameters else "give the constructor's parameters defaults",
        ) from None


def place(path: Path, thing: Any) -> str:
    """Return ``file:line`` of a class, function or method, the file alone if its line is not known."""
    with Guard() as guard:
        _, line = inspect.getsourcelines(inspect.unwrap(thing))
    return str(path) if guard.error is not None else f"{path}:{line}"


def blamed(path: Path, error: BaseException) -> str:
    """Return ``file:line`` of the last line of `path` that an error passed through."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).name == path.name:
        return f"{path}:{error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == path.resolve()
    ]
    return f"{path}:{lines[-1]}" if lines else str(path)


def said(error: BaseException) -> str:
    """Return an error's type and message in one line."""
    text = clipped(error.msg if isinstance(error, SyntaxError) else str(error), 200)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
