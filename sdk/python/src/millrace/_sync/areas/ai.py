# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import ai as ai_types
from ..caller import Caller


class AiAnswer:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        question: str,
        context: str | Unset = UNSET,
        documents: List[ai_types.AnswerCreateDocumentsItem] | Unset = UNSET,
        language: str | Unset = UNSET,
        max_tokens: int | Unset = UNSET,
        temperature: float | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.AnswerCreateReply:
        """Answer a question from documents.

        Every quote is looked up in its document and dropped where it does not stand there. Documents that bear no answer out give `answered: false` and an empty `answer`. Without documents an upstream model answers from what it knows, without quotes; the embedded engine knows nothing.

        context: One text to answer from; its quotes name the document `context`
        documents: Texts to answer from
        language: A BCP 47 tag, such as `en` or `pt-BR`; the embedded engine writes in the language of the text
        """
        return self._caller.call(
            operations.AI_ANSWER_CREATE,
            (),
            {
                "question": question,
                "context": context,
                "documents": documents,
                "language": language,
                "max_tokens": max_tokens,
                "temperature": temperature,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AiSummarize:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        text: str,
        length: Literal["short", "medium", "long"] | Unset = UNSET,
        max_sentences: int | Unset = UNSET,
        format: Literal["paragraph", "bullets"] | Unset = UNSET,
        language: str | Unset = UNSET,
        focus: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.SummarizeCreateReply:
        """Shorten a text.

        The embedded engine picks the most central sentences as they stand and tells where; an upstream model writes its own, and `sentences` is null.

        length: 2, 4 or 8 sentences; `medium` unless said
        language: A BCP 47 tag, such as `en` or `pt-BR`; the embedded engine writes in the language of the text
        focus: What the reader cares about
        """
        return self._caller.call(
            operations.AI_SUMMARIZE_CREATE,
            (),
            {
                "text": text,
                "length": length,
                "max_sentences": max_sentences,
                "format": format,
                "language": language,
                "focus": focus,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AiClassify:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        labels: List[str | ai_types.ClassifyCreateLabelsItem],
        text: str | Unset = UNSET,
        input: List[str] | Unset = UNSET,
        multi_label: bool | Unset = UNSET,
        threshold: float | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.ClassifyCreateReply:
        """Label texts.

        One of the given labels for each text, best by name, description and examples together. `text` has its result beside the other fields, `input` has `results` in its order.

        input: Several texts, in place of `text`
        multi_label: Whether each label is judged by itself
        threshold: The score from which a label is given
        """
        return self._caller.call(
            operations.AI_CLASSIFY_CREATE,
            (),
            {
                "labels": labels,
                "text": text,
                "input": input,
                "multi_label": multi_label,
                "threshold": threshold,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AiModerate:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        input: str | List[str] | List[ai_types.ModerateCreateInputItem],
        model: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.ModerateCreateReply:
        """Judge how harmful texts are.

        The answer has the shape of OpenAI’s moderation, with 13 categories.

        input: A text, up to 32 texts, or the text parts of one
        model: Taken from clients that send it; the configured model judges
        """
        return self._caller.call(
            operations.AI_MODERATE_CREATE,
            (),
            {
                "input": input,
                "model": model,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def create_compatible(
        self,
        *,
        input: str | List[str] | List[ai_types.ModerateCreateCompatibleInputItem],
        model: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.ModerateCreateCompatibleReply:
        """Judge how harmful texts are, where OpenAI’s SDK asks.

        The same as `/v1/ai/moderate`: give the SDK `/v1/ai` as its base URL.

        input: A text, up to 32 texts, or the text parts of one
        model: Taken from clients that send it; the configured model judges
        """
        return self._caller.call(
            operations.AI_MODERATE_CREATECOMPATIBLE,
            (),
            {
                "input": input,
                "model": model,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AiUsage:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def read(
        self,
        *,
        timeout: float | None = None,
    ) -> ai_types.UsageReadReply:
        """Tokens this month against the plan’s budget."""
        return self._caller.call(
            operations.AI_USAGE_READ,
            (),
            {},
            timeout=timeout,
        )


class Ai:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.answer = AiAnswer(caller)
        self.summarize = AiSummarize(caller)
        self.classify = AiClassify(caller)
        self.moderate = AiModerate(caller)
        self.usage = AiUsage(caller)
