# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


class AnswerCreateDocumentsItem(TypedDict):
    id: str
    title: NotRequired[str]
    url: NotRequired[str]
    text: str


class AnswerCreateReply(TypedDict):
    answer: str
    answered: bool
    confidence: float | None
    """0 to 1; of the embedded engine: the part of the question’s words that the best sentence has"""
    citations: List[AnswerCreateReplyCitationsItem]
    language: str | None
    """The one that was asked for"""
    finish_reason: Literal["stop", "length", "content_filter"]
    engine: Literal["upstream", "embedded"]
    """`embedded` is lexical: it knows words, not what they mean"""
    model: str
    usage: AnswerCreateReplyUsage
    """Where nobody has counted tokens, four characters are one"""


class AnswerCreateReplyCitationsItem(TypedDict):
    document_id: str
    title: str | None
    url: str | None
    quote: str
    """Stands literally in the document"""
    start: int
    """`text.slice(start, end)` of the document is the quote, in UTF-16 units"""
    end: int


class AnswerCreateReplyUsage(TypedDict):
    """Where nobody has counted tokens, four characters are one"""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class SummarizeCreateReply(TypedDict):
    summary: str
    sentences: List[SummarizeCreateReplySentencesItem] | None
    """In the order of the text; `text.slice(start, end)` in UTF-16 units"""
    input_characters: int
    engine: Literal["upstream", "embedded"]
    """`embedded` is lexical: it knows words, not what they mean"""
    model: str
    usage: SummarizeCreateReplyUsage
    """Where nobody has counted tokens, four characters are one"""


class SummarizeCreateReplySentencesItem(TypedDict):
    text: str
    start: int
    end: int
    rank_score: float


class SummarizeCreateReplyUsage(TypedDict):
    """Where nobody has counted tokens, four characters are one"""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ClassifyCreateLabelsItem(TypedDict):
    name: str
    description: NotRequired[str]
    examples: NotRequired[List[str]]


class ClassifyCreateReply(TypedDict):
    label: NotRequired[str | None]
    """Null when none is clear"""
    labels: NotRequired[List[ClassifyCreateReplyLabelsItem]]
    """Best first"""
    low_confidence: NotRequired[bool]
    results: NotRequired[List[ClassifyCreateReplyResultsItem]]
    engine: Literal["upstream", "embedded"]
    """`embedded` is lexical: it knows words, not what they mean"""
    model: str
    usage: ClassifyCreateReplyUsage
    """Where nobody has counted tokens, four characters are one"""


class ClassifyCreateReplyLabelsItem(TypedDict):
    label: str
    score: float


class ClassifyCreateReplyResultsItem(TypedDict):
    label: str | None
    """Null when none is clear"""
    labels: List[ClassifyCreateReplyResultsItemLabelsItem]
    """Best first"""
    low_confidence: bool


class ClassifyCreateReplyResultsItemLabelsItem(TypedDict):
    label: str
    score: float


class ClassifyCreateReplyUsage(TypedDict):
    """Where nobody has counted tokens, four characters are one"""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ModerateCreateInputItem(TypedDict):
    type: Literal["text"]
    text: str


class ModerateCreateReply(TypedDict):
    id: str
    model: str
    results: List[ModerateCreateReplyResultsItem]
    engine: Literal["upstream", "embedded"]
    """`embedded` is lexical: it knows words, not what they mean"""
    usage: ModerateCreateReplyUsage
    """Where nobody has counted tokens, four characters are one"""


class ModerateCreateReplyResultsItem(TypedDict):
    flagged: bool
    categories: ModerateCreateReplyResultsItemCategories
    category_scores: ModerateCreateReplyResultsItemCategoryScores
    category_applied_input_types: ModerateCreateReplyResultsItemCategoryAppliedInputTypes


ModerateCreateReplyResultsItemCategories = TypedDict(
    "ModerateCreateReplyResultsItemCategories",
    {
        "harassment": "bool",
        "harassment/threatening": "bool",
        "hate": "bool",
        "hate/threatening": "bool",
        "illicit": "bool",
        "illicit/violent": "bool",
        "self-harm": "bool",
        "self-harm/intent": "bool",
        "self-harm/instructions": "bool",
        "sexual": "bool",
        "sexual/minors": "bool",
        "violence": "bool",
        "violence/graphic": "bool",
    },
)


ModerateCreateReplyResultsItemCategoryScores = TypedDict(
    "ModerateCreateReplyResultsItemCategoryScores",
    {
        "harassment": "float",
        "harassment/threatening": "float",
        "hate": "float",
        "hate/threatening": "float",
        "illicit": "float",
        "illicit/violent": "float",
        "self-harm": "float",
        "self-harm/intent": "float",
        "self-harm/instructions": "float",
        "sexual": "float",
        "sexual/minors": "float",
        "violence": "float",
        "violence/graphic": "float",
    },
)


ModerateCreateReplyResultsItemCategoryAppliedInputTypes = TypedDict(
    "ModerateCreateReplyResultsItemCategoryAppliedInputTypes",
    {
        "harassment": "List[Literal['text']]",
        "harassment/threatening": "List[Literal['text']]",
        "hate": "List[Literal['text']]",
        "hate/threatening": "List[Literal['text']]",
        "illicit": "List[Literal['text']]",
        "illicit/violent": "List[Literal['text']]",
        "self-harm": "List[Literal['text']]",
        "self-harm/intent": "List[Literal['text']]",
        "self-harm/instructions": "List[Literal['text']]",
        "sexual": "List[Literal['text']]",
        "sexual/minors": "List[Literal['text']]",
        "violence": "List[Literal['text']]",
        "violence/graphic": "List[Literal['text']]",
    },
)


class ModerateCreateReplyUsage(TypedDict):
    """Where nobody has counted tokens, four characters are one"""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ModerateCreateCompatibleInputItem(TypedDict):
    type: Literal["text"]
    text: str


class ModerateCreateCompatibleReply(TypedDict):
    id: str
    model: str
    results: List[ModerateCreateCompatibleReplyResultsItem]
    engine: Literal["upstream", "embedded"]
    """`embedded` is lexical: it knows words, not what they mean"""
    usage: ModerateCreateCompatibleReplyUsage
    """Where nobody has counted tokens, four characters are one"""


class ModerateCreateCompatibleReplyResultsItem(TypedDict):
    flagged: bool
    categories: ModerateCreateCompatibleReplyResultsItemCategories
    category_scores: ModerateCreateCompatibleReplyResultsItemCategoryScores
    category_applied_input_types: ModerateCreateCompatibleReplyResultsItemCategoryAppliedInputTypes


ModerateCreateCompatibleReplyResultsItemCategories = TypedDict(
    "ModerateCreateCompatibleReplyResultsItemCategories",
    {
        "harassment": "bool",
        "harassment/threatening": "bool",
        "hate": "bool",
        "hate/threatening": "bool",
        "illicit": "bool",
        "illicit/violent": "bool",
        "self-harm": "bool",
        "self-harm/intent": "bool",
        "self-harm/instructions": "bool",
        "sexual": "bool",
        "sexual/minors": "bool",
        "violence": "bool",
        "violence/graphic": "bool",
    },
)


ModerateCreateCompatibleReplyResultsItemCategoryScores = TypedDict(
    "ModerateCreateCompatibleReplyResultsItemCategoryScores",
    {
        "harassment": "float",
        "harassment/threatening": "float",
        "hate": "float",
        "hate/threatening": "float",
        "illicit": "float",
        "illicit/violent": "float",
        "self-harm": "float",
        "self-harm/intent": "float",
        "self-harm/instructions": "float",
        "sexual": "float",
        "sexual/minors": "float",
        "violence": "float",
        "violence/graphic": "float",
    },
)


ModerateCreateCompatibleReplyResultsItemCategoryAppliedInputTypes = TypedDict(
    "ModerateCreateCompatibleReplyResultsItemCategoryAppliedInputTypes",
    {
        "harassment": "List[Literal['text']]",
        "harassment/threatening": "List[Literal['text']]",
        "hate": "List[Literal['text']]",
        "hate/threatening": "List[Literal['text']]",
        "illicit": "List[Literal['text']]",
        "illicit/violent": "List[Literal['text']]",
        "self-harm": "List[Literal['text']]",
        "self-harm/intent": "List[Literal['text']]",
        "self-harm/instructions": "List[Literal['text']]",
        "sexual": "List[Literal['text']]",
        "sexual/minors": "List[Literal['text']]",
        "violence": "List[Literal['text']]",
        "violence/graphic": "List[Literal['text']]",
    },
)


class ModerateCreateCompatibleReplyUsage(TypedDict):
    """Where nobody has counted tokens, four characters are one"""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionsCreateMessagesItemSystem(TypedDict):
    role: Literal["system"]
    content: str | List[CompletionsCreateMessagesItemSystemContentItem]
    name: NotRequired[str | None]


class CompletionsCreateMessagesItemSystemContentItem(TypedDict):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemSystemContentItemPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemSystemContentItemPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemDeveloper(TypedDict):
    role: Literal["developer"]
    content: str | List[CompletionsCreateMessagesItemDeveloperContentItem]
    name: NotRequired[str | None]


class CompletionsCreateMessagesItemDeveloperContentItem(TypedDict):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemDeveloperContentItemPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemDeveloperContentItemPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemUser(TypedDict):
    role: Literal["user"]
    content: str | List[CompletionsCreateMessagesItemUserContentItemText | CompletionsCreateMessagesItemUserContentItemImageUrl | CompletionsCreateMessagesItemUserContentItemInputAudio | CompletionsCreateMessagesItemUserContentItemFile]
    name: NotRequired[str | None]


class CompletionsCreateMessagesItemUserContentItemText(TypedDict):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemUserContentItemTextPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemUserContentItemTextPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemUserContentItemImageUrl(TypedDict):
    type: Literal["image_url"]
    image_url: CompletionsCreateMessagesItemUserContentItemImageUrlImageUrl
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemUserContentItemImageUrlPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemUserContentItemImageUrlImageUrl(TypedDict):
    url: str
    detail: NotRequired[Literal["auto", "low", "high"] | None]


class CompletionsCreateMessagesItemUserContentItemImageUrlPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemUserContentItemInputAudio(TypedDict):
    type: Literal["input_audio"]
    input_audio: CompletionsCreateMessagesItemUserContentItemInputAudioInputAudio
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemUserContentItemInputAudioPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemUserContentItemInputAudioInputAudio(TypedDict):
    data: str
    format: Literal["wav", "mp3"]


class CompletionsCreateMessagesItemUserContentItemInputAudioPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemUserContentItemFile(TypedDict):
    type: Literal["file"]
    file: CompletionsCreateMessagesItemUserContentItemFileFile
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemUserContentItemFilePromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemUserContentItemFileFile(TypedDict):
    file_data: str
    filename: NotRequired[str | None]
    file_id: NotRequired[None]


class CompletionsCreateMessagesItemUserContentItemFilePromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemTool(TypedDict):
    role: Literal["tool"]
    content: str | List[CompletionsCreateMessagesItemToolContentItem]
    tool_call_id: str
    name: NotRequired[str | None]


class CompletionsCreateMessagesItemToolContentItem(TypedDict):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: NotRequired[CompletionsCreateMessagesItemToolContentItemPromptCacheBreakpoint | None]


class CompletionsCreateMessagesItemToolContentItemPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class CompletionsCreateMessagesItemFunction(TypedDict):
    role: Literal["function"]
    content: str | None
    name: str


class CompletionsCreateStreamOptions(TypedDict):
    include_usage: NotRequired[bool | None]
    include_obfuscation: NotRequired[bool | None]


class CompletionsCreateToolsItemFunction(TypedDict):
    type: Literal["function"]
    function: CompletionsCreateToolsItemFunctionFunction


class CompletionsCreateToolsItemFunctionFunction(TypedDict):
    name: str
    description: NotRequired[str | None]
    parameters: NotRequired[Dict[str, Any] | None]
    strict: NotRequired[bool | None]


class CompletionsCreateToolsItemCustom(TypedDict):
    type: Literal["custom"]
    custom: CompletionsCreateToolsItemCustomCustom


class CompletionsCreateToolsItemCustomCustom(TypedDict):
    name: str
    description: NotRequired[str | None]
    format: NotRequired[Dict[str, Any] | None]


class CompletionsCreateToolChoiceFunction(TypedDict):
    type: Literal["function"]
    function: CompletionsCreateToolChoiceFunctionFunction


class CompletionsCreateToolChoiceFunctionFunction(TypedDict):
    name: str


class CompletionsCreateToolChoiceCustom(TypedDict):
    type: Literal["custom"]
    custom: CompletionsCreateToolChoiceCustomCustom


class CompletionsCreateToolChoiceCustomCustom(TypedDict):
    name: str


class CompletionsCreateToolChoiceAllowedTools(TypedDict):
    type: Literal["allowed_tools"]
    allowed_tools: CompletionsCreateToolChoiceAllowedToolsAllowedTools


class CompletionsCreateToolChoiceAllowedToolsAllowedTools(TypedDict):
    mode: Literal["auto", "required"]
    tools: List[Dict[str, Any]]


class CompletionsCreateFunctionsItem(TypedDict):
    name: str
    description: NotRequired[str | None]
    parameters: NotRequired[Dict[str, Any] | None]


class CompletionsCreateFunctionCall(TypedDict):
    name: str


class CompletionsCreateResponseFormatText(TypedDict):
    type: Literal["text"]


class CompletionsCreateResponseFormatJsonObject(TypedDict):
    type: Literal["json_object"]


class CompletionsCreateResponseFormatJsonSchema(TypedDict):
    type: Literal["json_schema"]
    json_schema: CompletionsCreateResponseFormatJsonSchemaJsonSchema


class CompletionsCreateResponseFormatJsonSchemaJsonSchema(TypedDict):
    name: str
    description: NotRequired[str | None]
    schema: NotRequired[Dict[str, Any] | None]
    strict: NotRequired[bool | None]


class CompletionsCreateAudio(TypedDict):
    voice: str
    format: str


class CompletionsCreatePrediction(TypedDict):
    type: Literal["content"]
    content: str | List[CompletionsCreatePredictionContentItem]


class CompletionsCreatePredictionContentItem(TypedDict):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: NotRequired[CompletionsCreatePredictionContentItemPromptCacheBreakpoint | None]


class CompletionsCreatePredictionContentItemPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]


class EmbeddingsCreateReply(TypedDict):
    object: Literal["list"]
    model: str
    data: List[EmbeddingsCreateReplyDataItem]
    usage: EmbeddingsCreateReplyUsage
    """Of what was not kept already"""


class EmbeddingsCreateReplyDataItem(TypedDict):
    object: Literal["embedding"]
    index: int
    embedding: str | List[float]


class EmbeddingsCreateReplyUsage(TypedDict):
    """Of what was not kept already"""
    prompt_tokens: int
    total_tokens: int


class ModelsGetReply(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    """The first upstream that has it"""
    kind: Literal["chat", "embedding"]


class ModelsListReply(TypedDict):
    object: Literal["list"]
    data: List[ModelsListReplyDataItem]


class ModelsListReplyDataItem(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    """The first upstream that has it"""
    kind: Literal["chat", "embedding"]


class UsageReadReply(TypedDict):
    month: str
    """In UTC, such as 2026-01"""
    tokens: int
    budget: int
    """Of the plan; once it is spent, work is refused with 429 `token_budget_exceeded`"""
    remaining: int
    resets_at: str
    operations: List[UsageReadReplyOperationsItem]


class UsageReadReplyOperationsItem(TypedDict):
    operation: str
    requests: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
