# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Coroutine, Dict, List, Literal, Mapping, overload

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import ai as ai_types
from ..caller import AsyncCaller
from ..events import AsyncEventStream


class AsyncAiAnswer:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
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
        return await self._caller.call(
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


class AsyncAiSummarize:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
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
        return await self._caller.call(
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


class AsyncAiClassify:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
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
        return await self._caller.call(
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


class AsyncAiModerate:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
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
        return await self._caller.call(
            operations.AI_MODERATE_CREATE,
            (),
            {
                "input": input,
                "model": model,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def create_compatible(
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
        return await self._caller.call(
            operations.AI_MODERATE_CREATECOMPATIBLE,
            (),
            {
                "input": input,
                "model": model,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncAiCompletions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    def create(
        self,
        *,
        model: str,
        messages: List[ai_types.CompletionsCreateMessagesItemSystem | ai_types.CompletionsCreateMessagesItemDeveloper | ai_types.CompletionsCreateMessagesItemUser | Dict[str, Any] | ai_types.CompletionsCreateMessagesItemTool | ai_types.CompletionsCreateMessagesItemFunction],
        stream: Literal[True],
        stream_options: ai_types.CompletionsCreateStreamOptions | None | Unset = UNSET,
        max_tokens: int | None | Unset = UNSET,
        max_completion_tokens: int | None | Unset = UNSET,
        n: int | None | Unset = UNSET,
        temperature: float | None | Unset = UNSET,
        top_p: float | None | Unset = UNSET,
        frequency_penalty: float | None | Unset = UNSET,
        presence_penalty: float | None | Unset = UNSET,
        logit_bias: Dict[str, float] | None | Unset = UNSET,
        logprobs: bool | None | Unset = UNSET,
        top_logprobs: int | None | Unset = UNSET,
        seed: int | None | Unset = UNSET,
        stop: str | List[str] | None | Unset = UNSET,
        tools: List[ai_types.CompletionsCreateToolsItemFunction | ai_types.CompletionsCreateToolsItemCustom] | None | Unset = UNSET,
        tool_choice: Literal["none", "auto", "required"] | ai_types.CompletionsCreateToolChoiceFunction | ai_types.CompletionsCreateToolChoiceCustom | ai_types.CompletionsCreateToolChoiceAllowedTools | None | Unset = UNSET,
        parallel_tool_calls: bool | None | Unset = UNSET,
        functions: List[ai_types.CompletionsCreateFunctionsItem] | None | Unset = UNSET,
        function_call: Literal["none", "auto"] | ai_types.CompletionsCreateFunctionCall | None | Unset = UNSET,
        response_format: ai_types.CompletionsCreateResponseFormatText | ai_types.CompletionsCreateResponseFormatJsonObject | ai_types.CompletionsCreateResponseFormatJsonSchema | None | Unset = UNSET,
        reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None | Unset = UNSET,
        verbosity: Literal["low", "medium", "high"] | None | Unset = UNSET,
        modalities: List[Literal["text", "audio"]] | None | Unset = UNSET,
        audio: ai_types.CompletionsCreateAudio | None | Unset = UNSET,
        prediction: ai_types.CompletionsCreatePrediction | None | Unset = UNSET,
        store: bool | None | Unset = UNSET,
        metadata: Dict[str, str] | None | Unset = UNSET,
        service_tier: str | None | Unset = UNSET,
        prompt_cache_key: str | None | Unset = UNSET,
        prompt_cache_retention: str | None | Unset = UNSET,
        prompt_cache_options: Dict[str, Any] | None | Unset = UNSET,
        moderation: Dict[str, Any] | None | Unset = UNSET,
        safety_identifier: str | None | Unset = UNSET,
        user: str | None | Unset = UNSET,
        web_search_options: None | Unset = UNSET,
        top_k: int | None | Unset = UNSET,
        min_p: float | None | Unset = UNSET,
        repetition_penalty: float | None | Unset = UNSET,
        chat_template_kwargs: Dict[str, str | float | bool] | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncEventStream: ...

    @overload
    def create(
        self,
        *,
        model: str,
        messages: List[ai_types.CompletionsCreateMessagesItemSystem | ai_types.CompletionsCreateMessagesItemDeveloper | ai_types.CompletionsCreateMessagesItemUser | Dict[str, Any] | ai_types.CompletionsCreateMessagesItemTool | ai_types.CompletionsCreateMessagesItemFunction],
        stream: Literal[False] | Unset = UNSET,
        stream_options: ai_types.CompletionsCreateStreamOptions | None | Unset = UNSET,
        max_tokens: int | None | Unset = UNSET,
        max_completion_tokens: int | None | Unset = UNSET,
        n: int | None | Unset = UNSET,
        temperature: float | None | Unset = UNSET,
        top_p: float | None | Unset = UNSET,
        frequency_penalty: float | None | Unset = UNSET,
        presence_penalty: float | None | Unset = UNSET,
        logit_bias: Dict[str, float] | None | Unset = UNSET,
        logprobs: bool | None | Unset = UNSET,
        top_logprobs: int | None | Unset = UNSET,
        seed: int | None | Unset = UNSET,
        stop: str | List[str] | None | Unset = UNSET,
        tools: List[ai_types.CompletionsCreateToolsItemFunction | ai_types.CompletionsCreateToolsItemCustom] | None | Unset = UNSET,
        tool_choice: Literal["none", "auto", "required"] | ai_types.CompletionsCreateToolChoiceFunction | ai_types.CompletionsCreateToolChoiceCustom | ai_types.CompletionsCreateToolChoiceAllowedTools | None | Unset = UNSET,
        parallel_tool_calls: bool | None | Unset = UNSET,
        functions: List[ai_types.CompletionsCreateFunctionsItem] | None | Unset = UNSET,
        function_call: Literal["none", "auto"] | ai_types.CompletionsCreateFunctionCall | None | Unset = UNSET,
        response_format: ai_types.CompletionsCreateResponseFormatText | ai_types.CompletionsCreateResponseFormatJsonObject | ai_types.CompletionsCreateResponseFormatJsonSchema | None | Unset = UNSET,
        reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None | Unset = UNSET,
        verbosity: Literal["low", "medium", "high"] | None | Unset = UNSET,
        modalities: List[Literal["text", "audio"]] | None | Unset = UNSET,
        audio: ai_types.CompletionsCreateAudio | None | Unset = UNSET,
        prediction: ai_types.CompletionsCreatePrediction | None | Unset = UNSET,
        store: bool | None | Unset = UNSET,
        metadata: Dict[str, str] | None | Unset = UNSET,
        service_tier: str | None | Unset = UNSET,
        prompt_cache_key: str | None | Unset = UNSET,
        prompt_cache_retention: str | None | Unset = UNSET,
        prompt_cache_options: Dict[str, Any] | None | Unset = UNSET,
        moderation: Dict[str, Any] | None | Unset = UNSET,
        safety_identifier: str | None | Unset = UNSET,
        user: str | None | Unset = UNSET,
        web_search_options: None | Unset = UNSET,
        top_k: int | None | Unset = UNSET,
        min_p: float | None | Unset = UNSET,
        repetition_penalty: float | None | Unset = UNSET,
        chat_template_kwargs: Dict[str, str | float | bool] | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Dict[str, Any]]: ...

    def create(
        self,
        *,
        model: str,
        messages: List[ai_types.CompletionsCreateMessagesItemSystem | ai_types.CompletionsCreateMessagesItemDeveloper | ai_types.CompletionsCreateMessagesItemUser | Dict[str, Any] | ai_types.CompletionsCreateMessagesItemTool | ai_types.CompletionsCreateMessagesItemFunction],
        stream: bool | Unset = UNSET,
        stream_options: ai_types.CompletionsCreateStreamOptions | None | Unset = UNSET,
        max_tokens: int | None | Unset = UNSET,
        max_completion_tokens: int | None | Unset = UNSET,
        n: int | None | Unset = UNSET,
        temperature: float | None | Unset = UNSET,
        top_p: float | None | Unset = UNSET,
        frequency_penalty: float | None | Unset = UNSET,
        presence_penalty: float | None | Unset = UNSET,
        logit_bias: Dict[str, float] | None | Unset = UNSET,
        logprobs: bool | None | Unset = UNSET,
        top_logprobs: int | None | Unset = UNSET,
        seed: int | None | Unset = UNSET,
        stop: str | List[str] | None | Unset = UNSET,
        tools: List[ai_types.CompletionsCreateToolsItemFunction | ai_types.CompletionsCreateToolsItemCustom] | None | Unset = UNSET,
        tool_choice: Literal["none", "auto", "required"] | ai_types.CompletionsCreateToolChoiceFunction | ai_types.CompletionsCreateToolChoiceCustom | ai_types.CompletionsCreateToolChoiceAllowedTools | None | Unset = UNSET,
        parallel_tool_calls: bool | None | Unset = UNSET,
        functions: List[ai_types.CompletionsCreateFunctionsItem] | None | Unset = UNSET,
        function_call: Literal["none", "auto"] | ai_types.CompletionsCreateFunctionCall | None | Unset = UNSET,
        response_format: ai_types.CompletionsCreateResponseFormatText | ai_types.CompletionsCreateResponseFormatJsonObject | ai_types.CompletionsCreateResponseFormatJsonSchema | None | Unset = UNSET,
        reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None | Unset = UNSET,
        verbosity: Literal["low", "medium", "high"] | None | Unset = UNSET,
        modalities: List[Literal["text", "audio"]] | None | Unset = UNSET,
        audio: ai_types.CompletionsCreateAudio | None | Unset = UNSET,
        prediction: ai_types.CompletionsCreatePrediction | None | Unset = UNSET,
        store: bool | None | Unset = UNSET,
        metadata: Dict[str, str] | None | Unset = UNSET,
        service_tier: str | None | Unset = UNSET,
        prompt_cache_key: str | None | Unset = UNSET,
        prompt_cache_retention: str | None | Unset = UNSET,
        prompt_cache_options: Dict[str, Any] | None | Unset = UNSET,
        moderation: Dict[str, Any] | None | Unset = UNSET,
        safety_identifier: str | None | Unset = UNSET,
        user: str | None | Unset = UNSET,
        web_search_options: None | Unset = UNSET,
        top_k: int | None | Unset = UNSET,
        min_p: float | None | Unset = UNSET,
        repetition_penalty: float | None | Unset = UNSET,
        chat_template_kwargs: Dict[str, str | float | bool] | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, Dict[str, Any]] | AsyncEventStream:
        """Have a model answer, in OpenAI’s shape.

        What OpenAI’s SDK asks, given `/v1/ai` as its base URL: it is passed on to the first upstream server that has the model and answers. Errors have OpenAI’s fields (`message`, `type`, `param`, `code`) beside ours, and its codes where it has a word: `invalid_api_key`, `rate_limit_exceeded`, `insufficient_quota`, `context_length_exceeded`. With `stream: true` pieces come as server-sent events; an answer that breaks off ends with an event whose data is an `error`. The embedded engine has no model: 503.

        model: A name of `GET /v1/ai/models`; `default` leaves the choice to the operator
        functions: Replaced by `tools`
        function_call: Replaced by `tool_choice`
        store: True if the model’s server may keep the answer in the operator’s account
        metadata: Accepted, and not passed on: proxies such as LiteLLM read from it where a request is sent or logged
        top_k: Of servers such as vLLM
        min_p: Of servers such as vLLM
        repetition_penalty: Of servers such as vLLM
        """
        if stream is True:
            return self._caller.events(
                operations.AI_COMPLETIONS_CREATE,
                (),
                {
                    "model": model,
                    "messages": messages,
                    "stream": stream,
                    "stream_options": stream_options,
                    "max_tokens": max_tokens,
                    "max_completion_tokens": max_completion_tokens,
                    "n": n,
                    "temperature": temperature,
                    "top_p": top_p,
                    "frequency_penalty": frequency_penalty,
                    "presence_penalty": presence_penalty,
                    "logit_bias": logit_bias,
                    "logprobs": logprobs,
                    "top_logprobs": top_logprobs,
                    "seed": seed,
                    "stop": stop,
                    "tools": tools,
                    "tool_choice": tool_choice,
                    "parallel_tool_calls": parallel_tool_calls,
                    "functions": functions,
                    "function_call": function_call,
                    "response_format": response_format,
                    "reasoning_effort": reasoning_effort,
                    "verbosity": verbosity,
                    "modalities": modalities,
                    "audio": audio,
                    "prediction": prediction,
                    "store": store,
                    "metadata": metadata,
                    "service_tier": service_tier,
                    "prompt_cache_key": prompt_cache_key,
                    "prompt_cache_retention": prompt_cache_retention,
                    "prompt_cache_options": prompt_cache_options,
                    "moderation": moderation,
                    "safety_identifier": safety_identifier,
                    "user": user,
                    "web_search_options": web_search_options,
                    "top_k": top_k,
                    "min_p": min_p,
                    "repetition_penalty": repetition_penalty,
                    "chat_template_kwargs": chat_template_kwargs,
                    **(extra_fields or {}),
                },
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        return self._caller.call(
            operations.AI_COMPLETIONS_CREATE,
            (),
            {
                "model": model,
                "messages": messages,
                "stream": stream,
                "stream_options": stream_options,
                "max_tokens": max_tokens,
                "max_completion_tokens": max_completion_tokens,
                "n": n,
                "temperature": temperature,
                "top_p": top_p,
                "frequency_penalty": frequency_penalty,
                "presence_penalty": presence_penalty,
                "logit_bias": logit_bias,
                "logprobs": logprobs,
                "top_logprobs": top_logprobs,
                "seed": seed,
                "stop": stop,
                "tools": tools,
                "tool_choice": tool_choice,
                "parallel_tool_calls": parallel_tool_calls,
                "functions": functions,
                "function_call": function_call,
                "response_format": response_format,
                "reasoning_effort": reasoning_effort,
                "verbosity": verbosity,
                "modalities": modalities,
                "audio": audio,
                "prediction": prediction,
                "store": store,
                "metadata": metadata,
                "service_tier": service_tier,
                "prompt_cache_key": prompt_cache_key,
                "prompt_cache_retention": prompt_cache_retention,
                "prompt_cache_options": prompt_cache_options,
                "moderation": moderation,
                "safety_identifier": safety_identifier,
                "user": user,
                "web_search_options": web_search_options,
                "top_k": top_k,
                "min_p": min_p,
                "repetition_penalty": repetition_penalty,
                "chat_template_kwargs": chat_template_kwargs,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncAiEmbeddings:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        model: str,
        input: str | List[str] | List[int] | List[List[int]],
        encoding_format: Literal["float", "base64"] | None | Unset = UNSET,
        dimensions: int | None | Unset = UNSET,
        user: str | None | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> ai_types.EmbeddingsCreateReply:
        """Have texts become vectors, in OpenAI’s shape.

        What OpenAI’s SDK asks, given `/v1/ai` as its base URL. Vectors are kept by model and text: one that is kept comes at once and costs nothing. Errors are those of `/v1/ai/chat/completions`.

        model: A name of `GET /v1/ai/models`; `default` leaves the choice to the operator
        input: A text or a list of tokens, or up to 256 of them
        encoding_format: `base64` is Float32 after Float32, the lowest byte first
        user: Taken from clients that send it
        """
        return await self._caller.call(
            operations.AI_EMBEDDINGS_CREATE,
            (),
            {
                "model": model,
                "input": input,
                "encoding_format": encoding_format,
                "dimensions": dimensions,
                "user": user,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncAiModels:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(
        self,
        model: str,
        /,
        *,
        timeout: float | None = None,
    ) -> ai_types.ModelsGetReply:
        """Get a model, in OpenAI’s shape.

        A model of the list. Encode a `/` in its name as `%2F`, as OpenAI’s SDK does.
        """
        return await self._caller.call(
            operations.AI_MODELS_GET,
            (model,),
            {},
            timeout=timeout,
        )

    async def list(
        self,
        *,
        timeout: float | None = None,
    ) -> ai_types.ModelsListReply:
        """The models that may be asked for, in OpenAI’s shape.

        In the order in which the operator has them; `default` leaves the choice to the operator. Without an upstream the list is empty.
        """
        return await self._caller.call(
            operations.AI_MODELS_LIST,
            (),
            {},
            timeout=timeout,
        )


class AsyncAiUsage:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        timeout: float | None = None,
    ) -> ai_types.UsageReadReply:
        """Tokens this month against the plan’s budget.

        Returns the tokens used this month, the budget of the plan and the tokens of each operation.
        """
        return await self._caller.call(
            operations.AI_USAGE_READ,
            (),
            {},
            timeout=timeout,
        )


class AsyncAi:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.answer = AsyncAiAnswer(caller)
        self.summarize = AsyncAiSummarize(caller)
        self.classify = AsyncAiClassify(caller)
        self.moderate = AsyncAiModerate(caller)
        self.completions = AsyncAiCompletions(caller)
        self.embeddings = AsyncAiEmbeddings(caller)
        self.models = AsyncAiModels(caller)
        self.usage = AsyncAiUsage(caller)
