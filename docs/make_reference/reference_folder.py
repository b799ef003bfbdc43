"""Where the reference lies, beside the prose that its pages begin with."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "reference"
