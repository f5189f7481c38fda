"""What people see: on a terminal, in a pipe, in a notebook. Keys may come from strangers."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pytest

from helpers.made_up import answer, by_state, result

EVIL = "</td><script>alert(1)</script>\x1b[31m[bold]x"


def test_the_shown_table(capsys: pytest.CaptureFixture[str]) -> None:
    asked = answer(by_state(["Biased: counts below 0 were set to 0."]))
    asked.show()
    shown = capsys.readouterr().out
    assert "12,350 ± 680" in shown
    assert "-210 ± 400" in shown
    assert "unknown" in shown
    assert "undefined" in shown
    assert "± and (low to high) span the 95% interval" in shown
    assert "scan of 1,000,000 reports, 500,000 users, 0.25 s" in shown
    assert shown.rstrip().endswith("Note: Biased: counts below 0 were set to 0.")
    assert repr(asked) == "\n".join(line.rstrip() for line in shown.splitlines()).strip("\n")


def test_the_caption_explains_only_the_signs_that_occur() -> None:
    plain = result({"a": ["x"]}, {"n": [(5.0, 1.0)]}, confidence=0.999)
    lopsided = result({"a": ["x"]}, {"n": [(5.0, 1.0, 4.0, 9.0)]})
    assert "1 row, ± spans the 99.9% interval" in repr(answer(plain))
    assert "1 row, (low to high) is the 95% interval" in repr(answer(lopsided))
    assert "interval" not in repr(answer(result({"a": ["x"]}, {})))


def test_long_answers_are_cut_and_say_so() -> None:
    asked = answer(result({"age": list(range(100))}, {"n": [(1000.0 + i, 1.0) for i in range(100)]}))
    out = io.StringIO()
    asked.show(out, max_rows=5)
    assert "1,004.0" in out.getvalue()
    assert "1,005.0" not in out.getvalue()
    assert "5 of 100 rows" in out.getvalue()
    assert "max_rows=None" in out.getvalue()
    out = io.StringIO()
    asked.show(out, max_rows=None)
    assert "1,099.0" in out.getvalue()
    assert "max_rows" not in out.getvalue()


def test_wide_answers_are_not_folded_in_a_file() -> None:
    wide = result({}, {f"a_rather_long_name_{i}": [(1e6 + i, 1e3)] for i in range(20)})
    lines = repr(answer(wide)).splitlines()
    assert len(lines[0]) > 400
    assert "1,000,000 ± 2,000" in lines[2]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_outputs_that_know_no_unicode(encoding: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    answer(
        result(
            {"city": ["Αθήνα"]},
            {
                "n": [
                    (5.0, 1.0),
                ][:1]
            },
        )
    ).show(out)
    out.flush()
    text = raw.getvalue().decode(encoding)
    assert "5.0 +- 2.0" in text
    assert "\\u03b8" in text
    out.detach()


def test_keys_cannot_command_a_terminal() -> None:
    shown = repr(answer(result({"a": [EVIL, "line\nbreak"]}, {"n": [(5.0, 1.0), (6.0, 1.0)]})))
    assert "\x1b" not in shown
    assert "\\x1b[31m[bold]x" in shown  # spelled out, and not taken for markup
    assert "line\\nbreak" in shown


class Tags(HTMLParser):
    """Collects tags and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_is_a_table_that_screen_readers_can_read() -> None:
    page = Tags(answer(by_state(["A note."]))._repr_html_())
    names = [tag for tag, _ in page.tags]
    assert names.count("caption") == 1
    assert [a["scope"] for tag, a in page.tags if tag == "th"] == ["col", "col", "row", "row", "row", "row"]
    assert {"12,350 ± 680", "A note."} <= set(page.texts)
    assert not {"script", "link", "img", "style"} & set(names)


def test_html_is_escaped() -> None:
    evil = result({EVIL: [EVIL]}, {"<b>n": [(5.0, 1.0)]}, [EVIL])
    page = Tags(answer(evil)._repr_html_())
    assert not {"script", "b"} & {tag for tag, _ in page.tags}
    assert sum("<script>alert(1)</script>" in text for text in page.texts) == 3  # heading, cell, note: as text
