"""Every block of the README and of `docs/` that can run is run, as written, and prints what the page says."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [path for folder in ("tutorial", "how-to") for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def environment() -> dict[str, str]:
    """One in which `toolgen` and `python` are those of the tests."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def run(script: str, folder: Path) -> str:
    """Run a block of shell; it must succeed."""
    done = subprocess.run(
        ["bash", "-euc", f'toolgen() {{ python -m toolgen "$@"; }}\n{script}'],
        cwd=folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, f"$ {script}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_guide_runs_as_written(page: Path, tmp_path: Path) -> None:
    folder, output = tmp_path, ""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        language, rest, text = block["language"], block["rest"].strip(), block["text"]
        if rest.startswith("file="):
            target = folder / rest.removeprefix("file=")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif language == "sh":
            output = run(text, folder)
            moved = re.findall(r"^cd (\S+)$", text, re.MULTILINE)
            folder = folder / moved[-1] if moved else folder
        elif rest == "output":
            assert text.strip() in output, f"the page promises\n{text}\nand this was printed\n{output}"
        else:
            pytest.fail(f"{page.name} has a block that nothing runs: {block[0][:80]}")


def test_the_readme_example_runs(tmp_path: Path) -> None:
    blocks = {
        block["language"]: block["text"] for block in BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8"))
    }
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "orders.yaml").write_text(blocks["yaml"], encoding="utf-8")
    imports, _, body = blocks["python"].partition("\n\n")
    inner = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    check = "    assert result.value.refunded == 25, result\n    print('ran')"
    program = f"import asyncio\n{imports}\n\nasync def main():\n{inner}\n{check}\n\nasyncio.run(main())\n"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    assert "ran" in run("toolgen build\npython program.py", tmp_path)


def test_the_example_of_init_is_the_example_of_the_project() -> None:
    comment, _, spec = (ROOT / "toolgen/cli/example/specs/orders.yaml").read_text(encoding="utf-8").partition("\n")
    assert comment.startswith("# yaml-language-server:")
    assert spec == (ROOT / "specs/examples/shop/orders.yaml").read_text(encoding="utf-8")


def test_the_reference_is_what_the_models_give() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))["pages"]
    for name, text in pages().items():
        found = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert found == text, f"docs/reference/{name} is not current: run `make docs`"
