"""The scripted model as a provider of Inspect AI: ``scripted/NAME -M script=PATH``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)

from scripted_model import Script


@modelapi(name="scripted")
class Scripted(ModelAPI):
    """Says what its script has for the prompt. Usage is set, so that Inspect need not fetch a tokeniser."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        script: str = "",
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.script = Script(script)

    async def generate(self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        """Answer the last message."""
        said = self.script(input[-1].text)
        if said.stop == "error":
            raise ConnectionError(said.text)
        thinking: list[Content] = [] if said.thinking is None else [ContentReasoning(reasoning=said.thinking)]
        message = ChatMessageAssistant(content=[*thinking, ContentText(text=said.text)] if thinking else said.text)
        choice = ChatCompletionChoice(message=message, stop_reason=said.stop)
        return ModelOutput(model=self.model_name, choices=[choice], usage=ModelUsage(output_tokens=len(said.text)))


def install(folder: Path) -> None:
    """Make the provider's entry point, for processes whose PYTHONPATH holds ``folder`` and these tests."""
    info = folder / "scripted-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[inspect_ai]\nscripted = scripted_inspect\n")
