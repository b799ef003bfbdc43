"""The folder of the reference, which also contains the introductions of its pages."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "reference"
