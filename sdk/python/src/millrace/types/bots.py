# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict


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


class Handover(TypedDict):
    conversation_id: str
    bot_id: str
    reason: Literal["asked", "unanswered", "requested"]
    """The person asked the bot for it; the bot had nothing to say twice running; your server did it"""
    note: str | None
    last_message: str
    waits: bool
    """The last word is not yours"""
    created_at: str
    updated_at: str


class WaitingConversation(TypedDict):
    id: str
    conversation_id: str
    bot_id: str
    reason: Literal["asked", "unanswered", "requested"]
    """The person asked the bot for it; the bot had nothing to say twice running; your server did it"""
    note: str | None
    last_message: str
    waits: bool
    """The last word is not yours"""
    created_at: str
    updated_at: str
    bot_name: str
    user_id: str | None


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
    author: str | None
    """Who has answered in the bot’s place; null: the bot, or the person who asks"""
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
    handover: bool
    """Whether it hands conversations over to a person"""
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


class Source(TypedDict):
    id: str
    """The id of the document that its text is, too"""
    bot_id: str
    title: str | None
    """null: what the source calls itself"""
    url: str | None
    object_id: str | None
    refresh_hours: int | None
    """Read again so often; null: when somebody asks for it"""
    status: Literal["pending", "ready", "failed"]
    error: SourceError | None
    """Why it could not be read last; what was read before is quoted still"""
    content_type: str | None
    characters: int | None
    """Of the text that is quoted from; null: none yet"""
    cut: bool
    """Its text is longer than what is kept of it"""
    checked_at: str | None
    changed_at: str | None
    refresh_at: str | None
    created_at: str


class SourceError(TypedDict):
    code: str
    message: str


class ActionWithSecret(TypedDict):
    id: str
    bot_id: str
    name: str
    description: str
    url: str
    parameters: ActionWithSecretParameters
    triggers: List[str]
    enabled: bool
    last_call: ActionWithSecretLastCall | None
    """null: never called"""
    created_at: str
    secret: str
    """What its requests are signed with; shown this once"""


class ActionWithSecretParameters(TypedDict):
    type: Literal["object"]
    properties: Dict[str, ActionWithSecretParametersPropertiesValue]
    required: List[str]


class ActionWithSecretParametersPropertiesValue(TypedDict):
    type: Literal["string", "integer", "number", "boolean"]
    description: NotRequired[str]
    enum: NotRequired[List[str]]


class ActionWithSecretLastCall(TypedDict):
    status: Literal["ok", "failed", "unknown"]
    error: str | None
    created_at: str


class Action(TypedDict):
    id: str
    bot_id: str
    name: str
    description: str
    url: str
    parameters: ActionParameters
    triggers: List[str]
    enabled: bool
    last_call: ActionLastCall | None
    """null: never called"""
    created_at: str


class ActionParameters(TypedDict):
    type: Literal["object"]
    properties: Dict[str, ActionParametersPropertiesValue]
    required: List[str]


class ActionParametersPropertiesValue(TypedDict):
    type: Literal["string", "integer", "number", "boolean"]
    description: NotRequired[str]
    enum: NotRequired[List[str]]


class ActionLastCall(TypedDict):
    status: Literal["ok", "failed", "unknown"]
    error: str | None
    created_at: str


class ActionCall(TypedDict):
    id: str
    action_id: str
    conversation_id: str
    message_id: str
    """The answer for which it was made"""
    arguments: Dict[str, Any] | None
    """As the model gave them; null: no JSON object of plain values, or too long"""
    status: Literal["ok", "failed", "unknown"]
    """`unknown`: under way, or its worker was stopped before it had the answer"""
    http_status: int | None
    answer: str | None
    error: ActionCallError | None
    ms: int
    created_at: str


class ActionCallError(TypedDict):
    code: str
    message: str


class Question(TypedDict):
    id: str
    bot_id: str
    question: str
    """As it was asked last"""
    times: int
    first_at: str
    last_at: str


class Answer(TypedDict):
    conversation_id: str
    message: Message
    """The answer; your own message where a person is to answer it"""
    handed_over: bool
    """A person answers, later: the bot is silent"""
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


class VisitedBot(TypedDict):
    bot_id: str
    name: str
    tagline: str | None
    greeting: str | None
    starter_questions: List[str]


class TemplatesListReply(TypedDict):
    data: List[Template]
    next_cursor: None


class HandoversCloseReply(TypedDict):
    conversation_id: str
    closed: bool


class HandoversGiveBackReply(TypedDict):
    conversation_id: str
    closed: bool


class RemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class DocumentsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SourcesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class ActionsCreateParameters(TypedDict):
    type: Literal["object"]
    properties: Dict[str, ActionsCreateParametersPropertiesValue]
    required: NotRequired[List[str]]
    additionalProperties: NotRequired[Literal[False]]
    """Is so, whether it is said or not"""


class ActionsCreateParametersPropertiesValue(TypedDict):
    type: Literal["string", "integer", "number", "boolean"]
    description: NotRequired[str]
    enum: NotRequired[List[str]]
    """Of a string alone"""


class ActionsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class ActionsUpdateParameters(TypedDict):
    type: Literal["object"]
    properties: Dict[str, ActionsUpdateParametersPropertiesValue]
    required: NotRequired[List[str]]
    additionalProperties: NotRequired[Literal[False]]
    """Is so, whether it is said or not"""


class ActionsUpdateParametersPropertiesValue(TypedDict):
    type: Literal["string", "integer", "number", "boolean"]
    description: NotRequired[str]
    enum: NotRequired[List[str]]
    """Of a string alone"""


class QuestionsRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class VisitorsHandoverReply(TypedDict):
    conversation_id: str
    handed_over: Literal[True]


class VisitorsMessagesReply(TypedDict):
    data: List[Message]
    handed_over: bool
    closed: bool
