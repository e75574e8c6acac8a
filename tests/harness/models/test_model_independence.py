from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from backslide.harness import models

FOLDER = Path(models.__file__).parent
OUTSIDE = ("backslide.scenarios", "backslide.evals", "backslide.reports", "backslide.commands", "backslide.app")


def test_no_model_names_scenarios_scorers_or_reports() -> None:
    """Simulated models must not be able to see an expected answer."""
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith(OUTSIDE)], path.name


def test_importing_the_models_loads_no_other_room() -> None:
    """Nothing comes in by way of another module, and no heavy library either."""
    names = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in {"__init__", "gateway"})
    code = ";".join(f"import backslide.harness.models.{name}" for name in names)
    loaded = subprocess.run(
        [sys.executable, "-c", f"{code};import sys;print(*sys.modules)"], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "backslide.harness.models.section_summarizer" in loaded
    assert not [name for name in loaded if name.startswith(OUTSIDE)]
    assert not {"tiktoken", "openai", "pandas", "scipy", "matplotlib"} & set(loaded)


def test_no_file_is_opened_by_a_simulated_model() -> None:
    """They read the request body and their arguments, nothing on disk."""
    simulated = "text stance stance_words reading literal script cards transcript activity instruction candidates lifting sections prose sumbasic section_summarizer extractive_summarizer"
    for name in simulated.split():
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & {"open", "Path", "files", "__import__"}, name
