# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, Coroutine, Dict, List, Literal, Mapping, overload

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import bots as bots_types
from ..caller import AsyncCaller
from ..events import AsyncEventStream
from ..pending_page import AsyncPendingPage


class AsyncBotsTemplates:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        category: str | Unset = UNSET,
        q: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.TemplatesListReply:
        """List templates of bots.

        The newest version of each, by key. There are few: they come on one page.
        """
        return await self._caller.call(
            operations.BOTS_TEMPLATES_LIST,
            (),
            {
                "category": category,
                "q": q,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        key: str,
        /,
        *,
        version: int | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.TemplateDetail:
        """Read a template.

        Returns the newest version of the template, or the version that `version` names.

        version: The newest unless said
        """
        return await self._caller.call(
            operations.BOTS_TEMPLATES_READ,
            (key,),
            {
                "version": version,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncBotsDirectory:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        q: str | Unset = UNSET,
        category: str | Unset = UNSET,
        language: str | Unset = UNSET,
        sort: Literal["popular", "recent"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.PublicBot]:
        """List published bots.

        `popular`: by the conversations of the last 30 days, counted by the hour; `recent`: last published first.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        q: Part of the name, tagline or description
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_DIRECTORY_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                "q": q,
                "category": category,
                "language": language,
                "sort": sort,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncBotsHandovers:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def close(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.HandoversCloseReply:
        """Close a conversation.

        Nothing more is said in it; it stays to be read.
        """
        return await self._caller.call(
            operations.BOTS_HANDOVERS_CLOSE,
            (bot_id, conversation_id,),
            {
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def create(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        note: str | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Handover:
        """Hand a conversation over to a person.

        The bot is silent in it until it is given back; answers that are pending still come. Again, it changes nothing.

        note: For who handles it
        """
        return await self._caller.call(
            operations.BOTS_HANDOVERS_CREATE,
            (bot_id, conversation_id,),
            {
                "note": note,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def give_back(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.HandoversGiveBackReply:
        """Give a conversation back to its bot.

        It answers the next message again.
        """
        return await self._caller.call(
            operations.BOTS_HANDOVERS_GIVEBACK,
            (bot_id, conversation_id,),
            {
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.WaitingConversation]:
        """List conversations that persons handle, newest first.

        Those of your organisation’s people, with whichever bot: the inbox.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_HANDOVERS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def reply(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        message: str,
        author: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Message:
        """Answer in the bot’s place.

        In a conversation that is handed over; 409 in any other. Who asks finds it among the messages.

        author: Shown with the message
        """
        return await self._caller.call(
            operations.BOTS_HANDOVERS_REPLY,
            (bot_id, conversation_id,),
            {
                "message": message,
                "author": author,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncBotsDocuments:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        bot_id: str,
        /,
        *,
        title: str,
        text: str,
        url: str | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Document:
        """Add a document that a bot may quote.

        Plain text. A bot has at most 200; answers quote them word for word, under `citations`.
        """
        return await self._caller.call(
            operations.BOTS_DOCUMENTS_CREATE,
            (bot_id,),
            {
                "title": title,
                "text": text,
                "url": url,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        bot_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Document]:
        """List the documents of a bot, newest first.

        Returns the texts that the bot can quote from, without their content.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_DOCUMENTS_LIST,
            (bot_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def remove(
        self,
        bot_id: str,
        document_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.DocumentsRemoveReply:
        """Remove a document of a bot.

        No further answer quotes it; those that were given keep their quotes. The document of a source goes with its source.
        """
        return await self._caller.call(
            operations.BOTS_DOCUMENTS_REMOVE,
            (bot_id, document_id,),
            {},
            timeout=timeout,
        )


class AsyncBotsSources:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        bot_id: str,
        /,
        *,
        url: str | Unset = UNSET,
        object_id: str | Unset = UNSET,
        title: str | None | Unset = UNSET,
        refresh_hours: int | None | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Source:
        """Have a bot quote from a file or an address.

        PDF, DOCX, HTML, Markdown or plain text of at most 20 MiB: `url`, a public address, or `object_id`, a clean object of the files area. A worker reads it; its text, of at most 400,000 characters, is a document with the id of the source. With `refresh_hours` an address is asked again (`ETag`, `Last-Modified`), and its document replaced when its text is another.

        refresh_hours: 1 to 720; of an address alone
        """
        return await self._caller.call(
            operations.BOTS_SOURCES_CREATE,
            (bot_id,),
            {
                "url": url,
                "object_id": object_id,
                "title": title,
                "refresh_hours": refresh_hours,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        bot_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Source]:
        """List files and addresses that a bot quotes from, newest first.

        Returns the files and URLs that the bot can quote from, with the status of the last fetch.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_SOURCES_LIST,
            (bot_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        bot_id: str,
        source_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.Source:
        """Read how a source of a bot is.

        Returns the status of the last fetch, the error if it failed, and the time of the next fetch.
        """
        return await self._caller.call(
            operations.BOTS_SOURCES_READ,
            (bot_id, source_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        bot_id: str,
        source_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.SourcesRemoveReply:
        """Have a bot quote from a source no more.

        With its document; answers that were given keep their quotes.
        """
        return await self._caller.call(
            operations.BOTS_SOURCES_REMOVE,
            (bot_id, source_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        bot_id: str,
        source_id: str,
        /,
        *,
        refresh_hours: int | None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Source:
        """Change how often a source of a bot is read.

        Sets the hours between two fetches of the source.

        refresh_hours: 1 to 720; null: never by itself
        """
        return await self._caller.call(
            operations.BOTS_SOURCES_UPDATE,
            (bot_id, source_id,),
            {
                "refresh_hours": refresh_hours,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def refresh(
        self,
        bot_id: str,
        source_id: str,
        /,
        *,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Source:
        """Read a source of a bot again.

        Now, whatever its time. One that is to be read already is not read twice.
        """
        return await self._caller.call(
            operations.BOTS_SOURCES_REFRESH,
            (bot_id, source_id,),
            {
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncBotsActions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        bot_id: str,
        /,
        *,
        name: str,
        description: str,
        url: str,
        parameters: bots_types.ActionsCreateParameters | Unset = UNSET,
        triggers: List[str] | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.ActionWithSecret:
        """Have a bot call your server while it answers.

        A POST to `url` with the arguments, signed as webhooks are (Standard Webhooks 1.0), in conversations of your organisation alone. A model calls it by its `description` and `parameters`; the embedded engine where a message has one of the `triggers` and no argument is required. 4 calls for an answer, each of ten seconds at most; 8000 bytes of JSON or text come back. A bot has 10 at most. Answers the secret, this once.

        description: What it does and when to call it: a model goes by this
        triggers: For the embedded engine: whole words, whatever their cases and accents
        """
        return await self._caller.call(
            operations.BOTS_ACTIONS_CREATE,
            (bot_id,),
            {
                "name": name,
                "description": description,
                "url": url,
                "parameters": parameters,
                "triggers": triggers,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def list(
        self,
        bot_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Action]:
        """List the actions of a bot, newest first, each with how its last call went.

        Returns the HTTP calls that the bot can make, each with the result of its last call.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_ACTIONS_LIST,
            (bot_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    def list_calls(
        self,
        bot_id: str,
        action_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.ActionCall]:
        """List the calls of an action of a bot, newest first.

        Kept for as long as the answers for which they were made.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_ACTIONS_LISTCALLS,
            (bot_id, action_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def read(
        self,
        bot_id: str,
        action_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.Action:
        """Read an action of a bot.

        Returns the HTTP call that the bot can make, with its parameters and the result of its last call.
        """
        return await self._caller.call(
            operations.BOTS_ACTIONS_READ,
            (bot_id, action_id,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        bot_id: str,
        action_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.ActionsRemoveReply:
        """Take an action from a bot.

        With what is known of its calls.
        """
        return await self._caller.call(
            operations.BOTS_ACTIONS_REMOVE,
            (bot_id, action_id,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        bot_id: str,
        action_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        description: str | Unset = UNSET,
        url: str | Unset = UNSET,
        parameters: bots_types.ActionsUpdateParameters | Unset = UNSET,
        triggers: List[str] | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Action:
        """Change an action of a bot.

        Holds from the next call on, of answers under way, too; with `enabled: false` none is made.

        description: What it does and when to call it: a model goes by this
        triggers: For the embedded engine: whole words, whatever their cases and accents
        """
        return await self._caller.call(
            operations.BOTS_ACTIONS_UPDATE,
            (bot_id, action_id,),
            {
                "name": name,
                "description": description,
                "url": url,
                "parameters": parameters,
                "triggers": triggers,
                "enabled": enabled,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def rotate(
        self,
        bot_id: str,
        action_id: str,
        /,
        *,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.ActionWithSecret:
        """Replace the secret of an action of a bot.

        The one before signs nothing more.
        """
        return await self._caller.call(
            operations.BOTS_ACTIONS_ROTATE,
            (bot_id, action_id,),
            {
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncBotsQuestions:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def answer(
        self,
        bot_id: str,
        question_id: str,
        /,
        *,
        text: str,
        title: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Document:
        """Answer a question that a bot had no answer to.

        Your words become a document whose title is the question, from which the bot quotes; the question is off the list.

        title: The question unless said
        """
        return await self._caller.call(
            operations.BOTS_QUESTIONS_ANSWER,
            (bot_id, question_id,),
            {
                "text": text,
                "title": title,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        bot_id: str,
        /,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Question]:
        """List questions that a bot had no answer to.

        Those of your own organisation’s people, whose words are the same but for cases, accents and signs as one; asked most first. A bot keeps 1,000.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_QUESTIONS_LIST,
            (bot_id,),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def remove(
        self,
        bot_id: str,
        question_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.QuestionsRemoveReply:
        """Take a question off the list.

        It comes back when somebody asks it again.
        """
        return await self._caller.call(
            operations.BOTS_QUESTIONS_REMOVE,
            (bot_id, question_id,),
            {},
            timeout=timeout,
        )


class AsyncBotsChat:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    def create(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: Literal[True],
        conversation_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        variables: Dict[str, str] | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncEventStream: ...

    @overload
    def create(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: Literal[False] | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        variables: Dict[str, str] | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, bots_types.Answer]: ...

    def create(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: bool | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        variables: Dict[str, str] | Unset = UNSET,
        metadata: Dict[str, str] | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, bots_types.Answer] | AsyncEventStream:
        """Say something to a bot.

        Begins a conversation, or goes on with one of yours (`conversation_id`). The message is stored before it is answered. When the answer fails, 502, both are kept, and a repeat with the same `Idempotency-Key` tries the same message again; so does one after 504, when the answer took too long. A conversation that a person handles gets no answer now (`handed_over`). With `stream: true` the answer comes as server-sent events: `message.created` (`conversation_id`, `message_id`), `message.delta` (`text`), `message.restarted` (forget the text so far), and at the end `message.completed` (the whole answer) or `error`.

        user_id: Your own id of the person: a conversation that was begun with one is found with it only, or without any
        variables: For placeholders that the bot’s owner has left open; with the first message only
        metadata: Kept with the message
        """
        if stream is True:
            return self._caller.events(
                operations.BOTS_CHAT_CREATE,
                (bot_id,),
                {
                    "message": message,
                    "stream": stream,
                    "conversation_id": conversation_id,
                    "user_id": user_id,
                    "variables": variables,
                    "metadata": metadata,
                    **(extra_fields or {}),
                },
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        return self._caller.call(
            operations.BOTS_CHAT_CREATE,
            (bot_id,),
            {
                "message": message,
                "stream": stream,
                "conversation_id": conversation_id,
                "user_id": user_id,
                "variables": variables,
                "metadata": metadata,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class AsyncBotsMessages:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self,
        bot_id: str,
        /,
        *,
        conversation_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        order: Literal["asc", "desc"] | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Message]:
        """List messages with a bot.

        Your organisation’s own conversations only, whoever’s the bot is: by conversation and, in each, by `seq`; newest first unless said. A message never changes its place.

        conversation_id: All unless said
        user_id: Conversations of this person only
        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter and `order`
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_MESSAGES_LIST,
            (bot_id,),
            {
                "conversation_id": conversation_id,
                "user_id": user_id,
                "order": order,
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))


class AsyncBotsVisitors:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    def chat(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: Literal[True],
        conversation_id: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncEventStream: ...

    @overload
    def chat(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: Literal[False] | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, bots_types.Answer]: ...

    def chat(
        self,
        bot_id: str,
        /,
        *,
        message: str,
        stream: bool | Unset = UNSET,
        conversation_id: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, bots_types.Answer] | AsyncEventStream:
        """Say something to a bot from a page.

        As `POST …/chat`, by a public key. Who has a `conversation_id` goes on with it: it is the visitor’s alone to keep.
        """
        if stream is True:
            return self._caller.events(
                operations.BOTS_VISITORS_CHAT,
                (bot_id,),
                {
                    "message": message,
                    "stream": stream,
                    "conversation_id": conversation_id,
                    **(extra_fields or {}),
                },
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        return self._caller.call(
            operations.BOTS_VISITORS_CHAT,
            (bot_id,),
            {
                "message": message,
                "stream": stream,
                "conversation_id": conversation_id,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def handover(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.VisitorsHandoverReply:
        """Ask for a person from a page.

        Marks the conversation for a person of your team. The bot stops answering in it.
        """
        return await self._caller.call(
            operations.BOTS_VISITORS_HANDOVER,
            (bot_id, conversation_id,),
            {
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def messages(
        self,
        bot_id: str,
        conversation_id: str,
        /,
        *,
        after: float | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.VisitorsMessagesReply:
        """Read a conversation from a page.

        Oldest first, at most 100 behind `after`.

        after: `seq` of the last message that is known
        """
        return await self._caller.call(
            operations.BOTS_VISITORS_MESSAGES,
            (bot_id, conversation_id,),
            {
                "after": after,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read(
        self,
        bot_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.VisitedBot:
        """Read what a page shows of a bot.

        A bot of your own, published or not, by a public key with `bots:chat` from a page of its origins.
        """
        return await self._caller.call(
            operations.BOTS_VISITORS_READ,
            (bot_id,),
            {},
            timeout=timeout,
        )


class AsyncBots:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.templates = AsyncBotsTemplates(caller)
        self.directory = AsyncBotsDirectory(caller)
        self.handovers = AsyncBotsHandovers(caller)
        self.documents = AsyncBotsDocuments(caller)
        self.sources = AsyncBotsSources(caller)
        self.actions = AsyncBotsActions(caller)
        self.questions = AsyncBotsQuestions(caller)
        self.chat = AsyncBotsChat(caller)
        self.messages = AsyncBotsMessages(caller)
        self.visitors = AsyncBotsVisitors(caller)

    async def create(
        self,
        *,
        name: str,
        slug: str | Unset = UNSET,
        tagline: str | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        category: str | None | Unset = UNSET,
        languages: List[str] | Unset = UNSET,
        avatar_url: str | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
        handover: bool | Unset = UNSET,
        template: str | Unset = UNSET,
        template_version: int | Unset = UNSET,
        system_prompt: str | Unset = UNSET,
        greeting: str | None | Unset = UNSET,
        fallback: str | Unset = UNSET,
        starter_questions: List[str] | Unset = UNSET,
        variables: Dict[str, str] | Unset = UNSET,
        temperature: float | None | Unset = UNSET,
        max_tokens: int | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Bot:
        """Create a bot.

        From a template, or with a `system_prompt`. Only keys of the organisation talk to it until it is published.

        slug: Made of the name unless said; never changes
        retention_days: Conversations are kept so long after their last message
        handover: Hand a conversation over to a person when asked for one, or after two questions without an answer
        template: Key of the template that it is made from
        template_version: The newest unless said
        system_prompt: In place of a template, with `{{placeholders}}`; never shown again
        fallback: What it says where it knows nothing
        variables: Values of placeholders; conversations give those that are left
        """
        return await self._caller.call(
            operations.BOTS_BOTS_CREATE,
            (),
            {
                "name": name,
                "slug": slug,
                "tagline": tagline,
                "description": description,
                "category": category,
                "languages": languages,
                "avatar_url": avatar_url,
                "retention_days": retention_days,
                "handover": handover,
                "template": template,
                "template_version": template_version,
                "system_prompt": system_prompt,
                "greeting": greeting,
                "fallback": fallback,
                "starter_questions": starter_questions,
                "variables": variables,
                "temperature": temperature,
                "max_tokens": max_tokens,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> AsyncPendingPage[bots_types.Bot]:
        """List your bots, newest first.

        Returns the bots of the organisation, drafts included.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return AsyncPendingPage(self._caller.page(
            operations.BOTS_BOTS_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        ))

    async def publish(
        self,
        bot_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.Bot:
        """Publish a bot.

        It stands in the directory, and every organisation may talk to it. Publishing it again changes nothing.
        """
        return await self._caller.call(
            operations.BOTS_BOTS_PUBLISH,
            (bot_id,),
            {},
            timeout=timeout,
        )

    async def read(
        self,
        slug: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.BotPage:
        """Read a bot.

        A published bot, or one of your own, by its slug or id.
        """
        return await self._caller.call(
            operations.BOTS_BOTS_READ,
            (slug,),
            {},
            timeout=timeout,
        )

    async def remove(
        self,
        slug: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.RemoveReply:
        """Delete a bot.

        One of your own, by its slug or id, with its documents and all conversations with it.
        """
        return await self._caller.call(
            operations.BOTS_BOTS_REMOVE,
            (slug,),
            {},
            timeout=timeout,
        )

    async def update(
        self,
        slug: str,
        /,
        *,
        name: str | Unset = UNSET,
        tagline: str | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        category: str | None | Unset = UNSET,
        languages: List[str] | Unset = UNSET,
        avatar_url: str | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
        handover: bool | Unset = UNSET,
        template: str | Unset = UNSET,
        template_version: int | Unset = UNSET,
        system_prompt: str | Unset = UNSET,
        greeting: str | None | Unset = UNSET,
        fallback: str | Unset = UNSET,
        starter_questions: List[str] | Unset = UNSET,
        variables: Dict[str, str] | Unset = UNSET,
        temperature: float | None | Unset = UNSET,
        max_tokens: int | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> bots_types.Bot:
        """Change a bot.

        One of your own, by its slug or id. A change of how it talks makes a new version, which new conversations begin with; those under way keep theirs. `variables` replaces all values. `template` or `template_version` brings the template’s texts anew.

        retention_days: Conversations are kept so long after their last message
        handover: Hand a conversation over to a person when asked for one, or after two questions without an answer
        template: Key of the template that it is made from
        template_version: The newest unless said
        system_prompt: In place of a template, with `{{placeholders}}`; never shown again
        fallback: What it says where it knows nothing
        variables: Values of placeholders; conversations give those that are left
        """
        return await self._caller.call(
            operations.BOTS_BOTS_UPDATE,
            (slug,),
            {
                "name": name,
                "tagline": tagline,
                "description": description,
                "category": category,
                "languages": languages,
                "avatar_url": avatar_url,
                "retention_days": retention_days,
                "handover": handover,
                "template": template,
                "template_version": template_version,
                "system_prompt": system_prompt,
                "greeting": greeting,
                "fallback": fallback,
                "starter_questions": starter_questions,
                "variables": variables,
                "temperature": temperature,
                "max_tokens": max_tokens,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def withdraw(
        self,
        bot_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> bots_types.Bot:
        """Withdraw a bot.

        Others find it no more, and may not go on with their conversations; they can read them.
        """
        return await self._caller.call(
            operations.BOTS_BOTS_WITHDRAW,
            (bot_id,),
            {},
            timeout=timeout,
        )
