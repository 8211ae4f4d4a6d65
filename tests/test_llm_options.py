"""The options of commands that ask a model: what they and the environment say together, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rb_verify import llm_options
from rb_verify.errors import UnusableInput

KEY = "sk-7f3a-distinctive"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RB_MODEL"):
        monkeypatch.delenv(name, raising=False)


def test_options_go_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is named on the command line counts, else what the environment names."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("RB_MODEL", "of the environment")
    found = llm_options.endpoint(None, None, None)
    assert (found.base_url, found.model, found.key) == ("http://127.0.0.1:1/v1", "of the environment", "sk-environment")
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    found = llm_options.endpoint("https://models.example/v1", "named", file)
    assert (found.base_url, found.model, found.key) == ("https://models.example/v1", "named", KEY)


def test_a_local_endpoint_wants_no_key() -> None:
    """Without a key anywhere, none is sent."""
    assert llm_options.endpoint("http://localhost:8000/v1", "m", None).key is None


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("http://localhost:8000/v1", "local"),
        ("http://127.0.0.1:8000/v1", "local"),
        ("http://[::1]:8000/v1", "local"),
        ("http://192.168.3.4/v1", "local"),
        ("http://172.20.3.4/v1", "local"),
        ("http://172.40.3.4/v1", "remote"),
        ("https://api.openai.com.example/v1", "remote"),
        ("https://models.example/v1", "remote"),
    ],
)
def test_what_is_published_of_an_endpoint_is_its_kind(monkeypatch: pytest.MonkeyPatch, url: str, kind: str) -> None:
    """The kind tells OpenAI's, local and other addresses apart; neither it nor the repr tells the key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = llm_options.endpoint(url, "m", None)
    assert found.kind == f"chat completions, {kind}"
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    ("url", "model", "said"),
    [
        (None, "m", "wants a key"),
        ("http://localhost/v1", None, "no model is named"),
        ("localhost:8000", "m", "no address"),
        ("http://localhost:port/v1", "m", "no address"),
        ("file:///etc/passwd", "m", "no address"),
        ("http://me:secret@localhost/v1", "m", "holds a user or password"),
    ],
)
def test_what_cannot_be_asked_is_said(url: str | None, model: str | None, said: str) -> None:
    """No key for OpenAI, no model, no address, a password in it: one sentence, before anything is asked."""
    with pytest.raises(UnusableInput, match=said) as refused:
        llm_options.endpoint(url, model, None)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("key", ["sk-secret\nmore", "sk secret", "sk-\u00fcsecret"])
def test_a_key_that_no_header_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """It is not repeated in what is said of it, as a library's error might."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UnusableInput, match="the key holds a blank") as refused:
        llm_options.endpoint("http://localhost/v1", "m", None)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    """An empty file, several words, bytes that are no text, no file."""
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(UnusableInput, match="name a file that holds the key alone"):
        llm_options.endpoint("http://localhost/v1", "m", file)
    with pytest.raises(UnusableInput, match="cannot be read as a key"):
        llm_options.endpoint("http://localhost/v1", "m", tmp_path / "none")


def test_settings_are_the_members_of_a_request_that_were_asked_for() -> None:
    """What was not asked for is left to the endpoint."""
    assert llm_options.settings(None, None, None) == {}
    assert llm_options.settings(0.0, 5, '{"top_p": 0.9, "chat_template_kwargs": {"enable_thinking": false}}') == {
        "temperature": 0.0,
        "max_tokens": 5,
        "top_p": 0.9,
        "chat_template_kwargs": {"enable_thinking": False},
    }


@pytest.mark.parametrize(
    "extra", ["{", "[1]", '{"seed": NaN}', '{"seed": 9007199254740993}', '{"model": "other"}', '{"stream": true}', '{"n": 2}']
)
def test_settings_that_cannot_be_meant_are_refused(extra: str) -> None:
    """No JSON, no object, numbers that JSON cannot hold, and members that are the command's own."""
    with pytest.raises(UnusableInput, match="--extra"):
        llm_options.settings(None, None, extra)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_key_file_without_end() -> None:
    """A device is no key file, and is not read to its end."""
    with pytest.raises(UnusableInput, match=r"^/dev/zero: cannot be read as a key \(larger than"):
        llm_options.endpoint("http://localhost:8000/v1", "m", Path("/dev/zero"))
