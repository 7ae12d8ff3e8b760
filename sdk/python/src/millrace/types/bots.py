# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Dict, List, Literal, TypedDict


class Template(TypedDict):
    key: str
    name: str
    description: str
    category: str
    language: str
    version: int
    starter_questions: List[str]
    variables: List[TemplateVariablesItem]
    """What a bot, or a conversation with it, must give for `{{key}}`"""


class TemplateVariablesItem(TypedDict):
    key: str
    label: str
    required: bool


class TemplateDetail(TypedDict):
    key: str
    name: str
    description: str
    category: str
    language: str
    version: int
    starter_questions: List[str]
    variables: List[TemplateDetailVariablesItem]
    """What a bot, or a conversation with it, must give for `{{key}}`"""
    versions: List[int]
    """Newest first"""
    system_prompt: str
    """The template’s own text, the same for everybody; what a bot makes of it is never shown"""
    greeting: str
    fallback: str
    """What a bot says where it knows nothing"""


class TemplateDetailVariablesItem(TypedDict):
    key: str
    label: str
    required: bool


class PublicBot(TypedDict):
    bot_id: str
    slug: str
    name: str
    tagline: str | None
    avatar_url: str | None
    category: str | None
    languages: List[str]
    updated_at: str


class Bot(TypedDict):
    id: str
    slug: str
    name: str
    tagline: str | None
    description: str | None
    category: str | None
    languages: List[str]
    avatar_url: str | None
    status: Literal["draft", "published"]
    version: int
    """Grows with each change of how it talks; conversations keep the one that they began with"""
    template: BotTemplate | None
    system_prompt_characters: int
    greeting: str | None
    fallback: str
    starter_questions: List[str]
    variables: List[BotVariablesItem]
    temperature: float | None
    max_tokens: int
    retention_days: int | None
    published_at: str | None
    created_at: str
    updated_at: str


class BotTemplate(TypedDict):
    key: str
    version: int


class BotVariablesItem(TypedDict):
    key: str
    label: str
    required: bool
    value: str | None


class BotPage(TypedDict):
    bot_id: str
    slug: str
    name: str
    tagline: str | None
    avatar_url: str | None
    category: str | None
    languages: List[str]
    updated_at: str
    description: str | None
    greeting: str | None
    starter_questions: List[str]
    variables: List[BotPageVariablesItem]
    """What a conversation must give, as the bot’s owner did not"""
    owner: BotPageOwner


class BotPageVariablesItem(TypedDict):
    key: str
    label: str
    required: bool


class BotPageOwner(TypedDict):
    name: str


class Document(TypedDict):
    id: str
    bot_id: str
    title: str
    url: str | None
    characters: int
    created_at: str


class Answer(TypedDict):
    conversation_id: str
    message: Message
    finish_reason: Literal["stop", "length", "content_filter"] | None
    engine: Literal["upstream", "embedded"] | None
    model: str | None
    usage: AnswerUsage | None
    bot_version: int
    """The version of the bot that the conversation began with and keeps"""
    template: AnswerTemplate | None


class AnswerUsage(TypedDict):
    prompt_tokens: float
    completion_tokens: float
    total_tokens: float


class AnswerTemplate(TypedDict):
    key: str
    version: int


class Message(TypedDict):
    id: str
    conversation_id: str
    seq: int
    """Its place in the conversation, from 1; an answer stands right behind its question"""
    role: Literal["user", "assistant"]
    content: str
    status: Literal["pending", "completed", "failed"]
    citations: List[MessageCitationsItem]
    """Quotes that stand word for word in documents of the bot, at `start` to `end`"""
    finish_reason: Literal["stop", "length", "content_filter"] | None
    error: MessageError | None
    metadata: Dict[str, str] | None
    created_at: str


class MessageCitationsItem(TypedDict):
    document_id: str
    title: str | None
    url: str | None
    quote: str
    start: float
    end: float


class MessageError(TypedDict):
    code: Literal["upstream_error", "provider_not_configured", "input_too_long", "content_refused", "token_budget_exceeded"]
    retryable: bool


class TemplatesListReply(TypedDict):
    data: List[Template]
    next_cursor: None


class RemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class DocumentsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]
