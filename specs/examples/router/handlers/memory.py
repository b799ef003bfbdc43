"""Memory records: texts that outlast a session, in two layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from specs.examples.router.handlers.refusals import not_found

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Layer: TypeAlias = Literal["shared", "agent"]


class Memory:
    """Records in a folder, a file each: `shared/<slug>.md` for all agents, `agents/<agent>/<slug>.md` for one.

    Slugs are not looked at here: those that the schema lets pass cannot leave the folder.
    """

    def __init__(self, folder: Path, agent: str) -> None:
        self._layers: dict[Layer, Path] = {"agent": folder / "agents" / agent, "shared": folder / "shared"}

    def read(self, slug: str, layer: Layer | None) -> str:
        """Give the body of a record; without a layer, the agent's own, or else the shared one."""
        for each in (layer,) if layer else self._layers:
            file = self._file(slug, each)
            if file.is_file():
                return file.read_text(encoding="utf-8")
        raise not_found("memory", slug, self._slugs(layer))

    def write(self, slug: str, layer: Layer, body: str) -> bool:
        """Keep a record, in the place of the one of that name. Give whether there was none."""
        file = self._file(slug, layer)
        is_new = not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
        return is_new

    def forget(self, slug: str, layer: Layer) -> None:
        """Delete a record."""
        try:
            self._file(slug, layer).unlink()
        except FileNotFoundError:
            raise not_found("memory", slug, self._slugs(layer)) from None

    def entries(self) -> Iterator[tuple[str, str]]:
        """List the records that `read` gives: the slug, and the first line of the body."""
        for slug in self._slugs():
            yield slug, self.read(slug, None).strip().partition("\n")[0]

    def _slugs(self, layer: Layer | None = None) -> list[str]:
        layers: list[Layer] = [layer] if layer else list(self._layers)
        return sorted({file.stem for each in layers for file in self._layers[each].glob("*.md")})

    def _file(self, slug: str, layer: Layer) -> Path:
        return self._layers[layer] / f"{slug}.md"
