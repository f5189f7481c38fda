"""A few shapes of SVG, in colours for light and for dark pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


@dataclass(frozen=True)
class Colours:
    """What a picture is drawn with."""

    text: str
    faint: str  # text and lines of less weight
    box: str  # the inside of boxes
    line: str
    strong: str  # what the picture is about
    second: str
    third: str


LOOKS = {
    "light": Colours("#1c1e26", "#5b6070", "#f3f4fa", "#9aa0b5", "#2f55d4", "#b3541e", "#1a7a5a"),
    "dark": Colours("#e8eaf2", "#a9afc2", "#262a38", "#6a7086", "#9db4ff", "#f2a36b", "#6fd6ae"),
}


@dataclass
class Drawing:
    """A picture that grows shape by shape."""

    width: int
    height: int
    title: str
    colours: Colours
    shapes: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, edge: str = "", fill: str = "") -> None:
        """A box with round corners."""
        edge, fill = edge or self.colours.line, fill or self.colours.box
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" fill="{fill}" stroke="{edge}" stroke-width="1.5"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        colour: str = "",
        size: int = 17,
        weight: int = 400,
        anchor: str = "start",
        turned: float = 0,
    ) -> None:
        """A line of text, turned by some degrees."""
        turn = f' transform="rotate({turned:.1f} {x:.1f} {y:.1f})"' if turned else ""
        self.shapes.append(
            f'<text x="{x:g}" y="{y:g}"{turn} font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
            f'fill="{colour or self.colours.text}">{escape(words)}</text>'
        )

    def line(
        self, points: list[tuple[float, float]], colour: str = "", width: float = 1.5, arrow: bool = False
    ) -> None:
        """A line through points, with an arrow at its end."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        head = ' marker-end="url(#arrow)"' if arrow else ""
        self.shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{colour or self.colours.line}" stroke-width="{width:g}"{head}/>'
        )

    def area(self, points: list[tuple[float, float]], colour: str) -> None:
        """A faint area, such as a band of intervals."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.shapes.append(f'<polygon points="{path}" fill="{colour}" fill-opacity="0.2"/>')

    def svg(self) -> str:
        """The whole file."""
        arrow = (
            f'<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
            f'<path d="M0 0 L10 5 L0 10 z" fill="{self.colours.faint}"/></marker>'
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'font-family="{FONT}">\n<title>{escape(self.title)}</title>\n<defs>{arrow}</defs>'
        )
        return "\n".join([head, *self.shapes, "</svg>", ""])
