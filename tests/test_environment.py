"""Options in the environment: every option of a server, with the command line first."""

from __future__ import annotations

import pytest

from untold.commands.parser import Parser, variable
from untold.errors import UntoldError


def parser() -> Parser:
    made = Parser("toy", "A toy.", "untold toy", from_environment=True)
    made.add_argument("plan", help="a plan file")
    made.add_argument("--data", required=True)
    made.add_argument("--port", type=int, default=8000)
    made.add_argument("--enrol", action="store_true")
    made.add_argument("--user-key", choices=("text", "integer"))
    made.add_argument("--public", action="append", default=[])
    return made


def set_all(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(f"UNTOLD_{name}", value)


def test_what_is_not_given_stands_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(
        monkeypatch,
        PLAN="shop.toml",
        DATA="r",
        PORT="9",
        ENROL="yes",
        USER_KEY="integer",
        PUBLIC="os=text, age=integer",
    )
    found = parser().parse_args([])
    assert vars(found) == {
        "plan": "shop.toml",
        "data": "r",
        "port": 9,
        "enrol": True,
        "user_key": "integer",
        "public": ["os=text", "age=integer"],
    }


def test_the_command_line_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, PLAN="shop.toml", DATA="r", PORT="9", ENROL="0", PUBLIC="os=text")
    found = parser().parse_args(["other.toml", "--data=s", "--port", "10", "--public", "a=integer"])
    assert vars(found) == {
        "plan": "other.toml",
        "data": "s",
        "port": 10,
        "enrol": False,
        "user_key": None,
        "public": ["a=integer"],
    }


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    set_all(monkeypatch, DATA="", PORT="")
    with pytest.raises(SystemExit):
        parser().parse_args(["p"])
    assert "--data" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "tcp://10.0.0.1:80", "enableServiceLinks"),
        ("ENROL", "maybe", "1 or 0"),
        ("USER_KEY", "uuid", "text"),
    ],
)
def test_a_wrong_value_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str) -> None:
    set_all(monkeypatch, **{name: value})
    with pytest.raises(UntoldError, match=f"UNTOLD_{name}={value}") as caught:
        parser().parse_args(["p", "--data", "r"])
    assert said in str(caught.value)


def test_commands_that_do_not_say_so_read_none(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, PORT="9")
    plain = Parser("toy", "A toy.", "untold toy")
    plain.add_argument("--port", type=int, default=8000)
    assert plain.parse_args([]).port == 8000
    assert variable(plain._actions[-1]) == "UNTOLD_PORT"
