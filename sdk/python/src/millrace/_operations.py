# Made by `npm run sdk` from the document of the API.
from typing import Any, Dict, List, Literal

from ._operation import Operation
from .types import account as account_types
from .types import ai as ai_types
from .types import bots as bots_types
from .types import directory as directory_types
from .types import email as email_types
from .types import erp as erp_types
from .types import files as files_types
from .types import geo as geo_types
from .types import guard as guard_types
from .types import identity as identity_types
from .types import live as live_types
from .types import notify as notify_types
from .types import push as push_types
from .types import rooms as rooms_types
from .types import trust as trust_types
from .types import video as video_types
from .types import voice as voice_types
from .types import webhooks as webhooks_types
from .types import whatsapp as whatsapp_types
from .types import wiki as wiki_types

ACCOUNT_CATALOGUE_DOCUMENT: Operation[Dict[str, Any]] = Operation(
    "account.catalogue.document",
    "GET",
    "/v1/openapi.json",
    open=True,
)
ACCOUNT_CATALOGUE_LIST: Operation[account_types.Catalogue] = Operation(
    "account.catalogue.list",
    "GET",
    "/v1",
    open=True,
)
ACCOUNT_ORGANISATION_READ: Operation[account_types.Organisation] = Operation(
    "account.organisation.read",
    "GET",
    "/v1/account",
)
ACCOUNT_ORGANISATION_UPDATE: Operation[account_types.Organisation] = Operation(
    "account.organisation.update",
    "PATCH",
    "/v1/account",
    body=True,
)
ACCOUNT_KEYS_CREATE: Operation[account_types.KeyWithSecret] = Operation(
    "account.keys.create",
    "POST",
    "/v1/account/keys",
    body=True,
)
ACCOUNT_KEYS_LIST: Operation[account_types.Key] = Operation(
    "account.keys.list",
    "GET",
    "/v1/account/keys",
)
ACCOUNT_KEYS_READ: Operation[account_types.Key] = Operation(
    "account.keys.read",
    "GET",
    "/v1/account/keys/{id}",
)
ACCOUNT_KEYS_REMOVE: Operation[account_types.KeysRemoveReply] = Operation(
    "account.keys.remove",
    "DELETE",
    "/v1/account/keys/{id}",
)
ACCOUNT_KEYS_UPDATE: Operation[account_types.Key] = Operation(
    "account.keys.update",
    "PATCH",
    "/v1/account/keys/{id}",
    body=True,
)
ACCOUNT_KEYS_ROTATE: Operation[account_types.KeyWithSecret] = Operation(
    "account.keys.rotate",
    "POST",
    "/v1/account/keys/{id}/rotate",
    body=True,
)
ACCOUNT_KEY_CHECKS_CREATE: Operation[account_types.KeyVerdict] = Operation(
    "account.key-checks.create",
    "POST",
    "/v1/account/keys/{id}/check",
    body=True,
    repeatable=True,
)
ACCOUNT_KEY_CHECKS_LOCKS: Operation[account_types.KeyChecksLocksReply] = Operation(
    "account.key-checks.locks",
    "GET",
    "/v1/account/locks",
)
ACCOUNT_MEMBERS_LIST: Operation[account_types.Member] = Operation(
    "account.members.list",
    "GET",
    "/v1/account/members",
)
ACCOUNT_MEMBERS_REMOVE: Operation[None] = Operation(
    "account.members.remove",
    "DELETE",
    "/v1/account/members/{user_id}",
)
ACCOUNT_MEMBERS_UPDATE: Operation[account_types.Member] = Operation(
    "account.members.update",
    "PATCH",
    "/v1/account/members/{user_id}",
    body=True,
)
ACCOUNT_INVITATIONS_AGAIN: Operation[account_types.Invitation] = Operation(
    "account.invitations.again",
    "POST",
    "/v1/account/invitations/{id}/resend",
)
ACCOUNT_INVITATIONS_CREATE: Operation[account_types.Invitation] = Operation(
    "account.invitations.create",
    "POST",
    "/v1/account/invitations",
    body=True,
)
ACCOUNT_INVITATIONS_LIST: Operation[account_types.Invitation] = Operation(
    "account.invitations.list",
    "GET",
    "/v1/account/invitations",
)
ACCOUNT_INVITATIONS_REMOVE: Operation[None] = Operation(
    "account.invitations.remove",
    "DELETE",
    "/v1/account/invitations/{id}",
)
ACCOUNT_AUDIT_EXPORTED: Operation[None] = Operation(
    "account.audit.exported",
    "GET",
    "/v1/account/audit/export",
)
ACCOUNT_AUDIT_LIST: Operation[account_types.AuditEntry] = Operation(
    "account.audit.list",
    "GET",
    "/v1/account/audit",
)
ACCOUNT_REQUESTS_GET: Operation[account_types.RequestDetail] = Operation(
    "account.requests.get",
    "GET",
    "/v1/account/requests/{requestId}",
)
ACCOUNT_REQUESTS_LIST: Operation[account_types.Request] = Operation(
    "account.requests.list",
    "GET",
    "/v1/account/requests",
)
ACCOUNT_REQUESTS_OPEN: Operation[account_types.RequestWindow] = Operation(
    "account.requests.open",
    "POST",
    "/v1/account/requests/windows",
    body=True,
)
ACCOUNT_USAGE_DAILY: Operation[account_types.DailyUsage] = Operation(
    "account.usage.daily",
    "GET",
    "/v1/account/usage/daily",
)
ACCOUNT_USAGE_READ: Operation[account_types.UsageReadReply] = Operation(
    "account.usage.read",
    "GET",
    "/v1/account/usage",
)
ACCOUNT_BUDGETS_LIST: Operation[account_types.BudgetsListReply] = Operation(
    "account.budgets.list",
    "GET",
    "/v1/account/budgets",
)
ACCOUNT_BUDGETS_PUT: Operation[account_types.Budget] = Operation(
    "account.budgets.put",
    "PUT",
    "/v1/account/budgets/{metric}",
    body=True,
)
ACCOUNT_BUDGETS_REMOVE: Operation[None] = Operation(
    "account.budgets.remove",
    "DELETE",
    "/v1/account/budgets/{metric}",
)
ACCOUNT_EVENTS_LIST: Operation[account_types.Event] = Operation(
    "account.events.list",
    "GET",
    "/v1/account/events",
)
ACCOUNT_EVENTS_READSETTINGS: Operation[account_types.EventSettings] = Operation(
    "account.events.readSettings",
    "GET",
    "/v1/account/events/settings",
)
ACCOUNT_EVENTS_UPDATESETTINGS: Operation[account_types.EventSettings] = Operation(
    "account.events.updateSettings",
    "PUT",
    "/v1/account/events/settings",
    body=True,
)
ACCOUNT_WEBHOOKS_CREATE: Operation[account_types.WebhookWithSecret] = Operation(
    "account.webhooks.create",
    "POST",
    "/v1/account/webhooks",
    body=True,
)
ACCOUNT_WEBHOOKS_LIST: Operation[account_types.Webhook] = Operation(
    "account.webhooks.list",
    "GET",
    "/v1/account/webhooks",
)
ACCOUNT_WEBHOOKS_PAUSE: Operation[account_types.Webhook] = Operation(
    "account.webhooks.pause",
    "POST",
    "/v1/account/webhooks/{id}/pause",
    repeatable=True,
)
ACCOUNT_WEBHOOKS_READ: Operation[account_types.Webhook] = Operation(
    "account.webhooks.read",
    "GET",
    "/v1/account/webhooks/{id}",
)
ACCOUNT_WEBHOOKS_REMOVE: Operation[account_types.WebhooksRemoveReply] = Operation(
    "account.webhooks.remove",
    "DELETE",
    "/v1/account/webhooks/{id}",
)
ACCOUNT_WEBHOOKS_UPDATE: Operation[account_types.Webhook] = Operation(
    "account.webhooks.update",
    "PATCH",
    "/v1/account/webhooks/{id}",
    body=True,
)
ACCOUNT_WEBHOOKS_RESUME: Operation[account_types.Webhook] = Operation(
    "account.webhooks.resume",
    "POST",
    "/v1/account/webhooks/{id}/resume",
    repeatable=True,
)
ACCOUNT_WEBHOOKS_ROTATESECRET: Operation[account_types.WebhookWithSecret] = Operation(
    "account.webhooks.rotateSecret",
    "POST",
    "/v1/account/webhooks/{id}/rotate-secret",
    body=True,
)
ACCOUNT_WEBHOOKS_TEST: Operation[webhooks_types.TestResult] = Operation(
    "account.webhooks.test",
    "POST",
    "/v1/account/webhooks/{id}/test",
    body=True,
)
ACCOUNT_WEBHOOK_DELIVERIES_LIST: Operation[webhooks_types.Delivery] = Operation(
    "account.webhook-deliveries.list",
    "GET",
    "/v1/account/webhooks/{id}/deliveries",
)
ACCOUNT_WEBHOOK_DELIVERIES_REPLAY: Operation[account_types.WebhookDeliveriesReplayReply] = Operation(
    "account.webhook-deliveries.replay",
    "POST",
    "/v1/account/webhooks/{id}/deliveries/{delivery_id}/replay",
)
ACCOUNT_WEBHOOK_DELIVERIES_REPLAYSINCE: Operation[account_types.WebhookDeliveriesReplaySinceReply] = Operation(
    "account.webhook-deliveries.replaySince",
    "POST",
    "/v1/account/webhooks/{id}/replay",
    body=True,
)
ACCOUNT_TEST_MESSAGES_CLEAR: Operation[account_types.TestMessagesClearReply] = Operation(
    "account.test-messages.clear",
    "DELETE",
    "/v1/account/test-messages",
)
ACCOUNT_TEST_MESSAGES_LIST: Operation[account_types.TestMessage] = Operation(
    "account.test-messages.list",
    "GET",
    "/v1/account/test-messages",
)
ACCOUNT_TEST_MESSAGES_READ: Operation[account_types.TestMessageDetail] = Operation(
    "account.test-messages.read",
    "GET",
    "/v1/account/test-messages/{messageId}",
)
AI_ANSWER_CREATE: Operation[ai_types.AnswerCreateReply] = Operation(
    "ai.answer.create",
    "POST",
    "/v1/ai/answer",
    body=True,
)
AI_SUMMARIZE_CREATE: Operation[ai_types.SummarizeCreateReply] = Operation(
    "ai.summarize.create",
    "POST",
    "/v1/ai/summarize",
    body=True,
)
AI_CLASSIFY_CREATE: Operation[ai_types.ClassifyCreateReply] = Operation(
    "ai.classify.create",
    "POST",
    "/v1/ai/classify",
    body=True,
)
AI_MODERATE_CREATE: Operation[ai_types.ModerateCreateReply] = Operation(
    "ai.moderate.create",
    "POST",
    "/v1/ai/moderate",
    body=True,
)
AI_MODERATE_CREATECOMPATIBLE: Operation[ai_types.ModerateCreateCompatibleReply] = Operation(
    "ai.moderate.createCompatible",
    "POST",
    "/v1/ai/moderations",
    body=True,
)
AI_COMPLETIONS_CREATE: Operation[Dict[str, Any]] = Operation(
    "ai.completions.create",
    "POST",
    "/v1/ai/chat/completions",
    body=True,
    idempotent=True,
)
AI_EMBEDDINGS_CREATE: Operation[ai_types.EmbeddingsCreateReply] = Operation(
    "ai.embeddings.create",
    "POST",
    "/v1/ai/embeddings",
    body=True,
)
AI_MODELS_GET: Operation[ai_types.ModelsGetReply] = Operation(
    "ai.models.get",
    "GET",
    "/v1/ai/models/{model}",
)
AI_MODELS_LIST: Operation[ai_types.ModelsListReply] = Operation(
    "ai.models.list",
    "GET",
    "/v1/ai/models",
)
AI_USAGE_READ: Operation[ai_types.UsageReadReply] = Operation(
    "ai.usage.read",
    "GET",
    "/v1/ai/usage",
)
BOTS_TEMPLATES_LIST: Operation[bots_types.TemplatesListReply] = Operation(
    "bots.templates.list",
    "GET",
    "/v1/bots/templates",
)
BOTS_TEMPLATES_READ: Operation[bots_types.TemplateDetail] = Operation(
    "bots.templates.read",
    "GET",
    "/v1/bots/templates/{key}",
)
BOTS_DIRECTORY_LIST: Operation[bots_types.PublicBot] = Operation(
    "bots.directory.list",
    "GET",
    "/v1/bots/directory",
)
BOTS_HANDOVERS_CLOSE: Operation[bots_types.HandoversCloseReply] = Operation(
    "bots.handovers.close",
    "POST",
    "/v1/bots/{botId}/conversations/{conversationId}/close",
    body=True,
    idempotent=True,
)
BOTS_HANDOVERS_CREATE: Operation[bots_types.Handover] = Operation(
    "bots.handovers.create",
    "POST",
    "/v1/bots/{botId}/conversations/{conversationId}/handover",
    body=True,
    idempotent=True,
)
BOTS_HANDOVERS_GIVEBACK: Operation[bots_types.HandoversGiveBackReply] = Operation(
    "bots.handovers.giveBack",
    "POST",
    "/v1/bots/{botId}/conversations/{conversationId}/return",
    body=True,
    idempotent=True,
)
BOTS_HANDOVERS_LIST: Operation[bots_types.WaitingConversation] = Operation(
    "bots.handovers.list",
    "GET",
    "/v1/bots/conversations",
)
BOTS_HANDOVERS_REPLY: Operation[bots_types.Message] = Operation(
    "bots.handovers.reply",
    "POST",
    "/v1/bots/{botId}/conversations/{conversationId}/reply",
    body=True,
    idempotent=True,
)
BOTS_BOTS_CREATE: Operation[bots_types.Bot] = Operation(
    "bots.bots.create",
    "POST",
    "/v1/bots",
    body=True,
    idempotent=True,
)
BOTS_BOTS_LIST: Operation[bots_types.Bot] = Operation(
    "bots.bots.list",
    "GET",
    "/v1/bots",
)
BOTS_BOTS_PUBLISH: Operation[bots_types.Bot] = Operation(
    "bots.bots.publish",
    "POST",
    "/v1/bots/{botId}/publish",
    repeatable=True,
)
BOTS_BOTS_READ: Operation[bots_types.BotPage] = Operation(
    "bots.bots.read",
    "GET",
    "/v1/bots/{slug}",
)
BOTS_BOTS_REMOVE: Operation[bots_types.RemoveReply] = Operation(
    "bots.bots.remove",
    "DELETE",
    "/v1/bots/{slug}",
)
BOTS_BOTS_UPDATE: Operation[bots_types.Bot] = Operation(
    "bots.bots.update",
    "PATCH",
    "/v1/bots/{slug}",
    body=True,
    idempotent=True,
)
BOTS_BOTS_WITHDRAW: Operation[bots_types.Bot] = Operation(
    "bots.bots.withdraw",
    "POST",
    "/v1/bots/{botId}/withdraw",
    repeatable=True,
)
BOTS_DOCUMENTS_CREATE: Operation[bots_types.Document] = Operation(
    "bots.documents.create",
    "POST",
    "/v1/bots/{botId}/documents",
    body=True,
    idempotent=True,
)
BOTS_DOCUMENTS_LIST: Operation[bots_types.Document] = Operation(
    "bots.documents.list",
    "GET",
    "/v1/bots/{botId}/documents",
)
BOTS_DOCUMENTS_REMOVE: Operation[bots_types.DocumentsRemoveReply] = Operation(
    "bots.documents.remove",
    "DELETE",
    "/v1/bots/{botId}/documents/{documentId}",
)
BOTS_SOURCES_CREATE: Operation[bots_types.Source] = Operation(
    "bots.sources.create",
    "POST",
    "/v1/bots/{botId}/sources",
    body=True,
    idempotent=True,
)
BOTS_SOURCES_LIST: Operation[bots_types.Source] = Operation(
    "bots.sources.list",
    "GET",
    "/v1/bots/{botId}/sources",
)
BOTS_SOURCES_READ: Operation[bots_types.Source] = Operation(
    "bots.sources.read",
    "GET",
    "/v1/bots/{botId}/sources/{sourceId}",
)
BOTS_SOURCES_REMOVE: Operation[bots_types.SourcesRemoveReply] = Operation(
    "bots.sources.remove",
    "DELETE",
    "/v1/bots/{botId}/sources/{sourceId}",
)
BOTS_SOURCES_UPDATE: Operation[bots_types.Source] = Operation(
    "bots.sources.update",
    "PATCH",
    "/v1/bots/{botId}/sources/{sourceId}",
    body=True,
    idempotent=True,
)
BOTS_SOURCES_REFRESH: Operation[bots_types.Source] = Operation(
    "bots.sources.refresh",
    "POST",
    "/v1/bots/{botId}/sources/{sourceId}/refresh",
    body=True,
    repeatable=True,
)
BOTS_ACTIONS_CREATE: Operation[bots_types.ActionWithSecret] = Operation(
    "bots.actions.create",
    "POST",
    "/v1/bots/{botId}/actions",
    body=True,
)
BOTS_ACTIONS_LIST: Operation[bots_types.Action] = Operation(
    "bots.actions.list",
    "GET",
    "/v1/bots/{botId}/actions",
)
BOTS_ACTIONS_LISTCALLS: Operation[bots_types.ActionCall] = Operation(
    "bots.actions.listCalls",
    "GET",
    "/v1/bots/{botId}/actions/{actionId}/calls",
)
BOTS_ACTIONS_READ: Operation[bots_types.Action] = Operation(
    "bots.actions.read",
    "GET",
    "/v1/bots/{botId}/actions/{actionId}",
)
BOTS_ACTIONS_REMOVE: Operation[bots_types.ActionsRemoveReply] = Operation(
    "bots.actions.remove",
    "DELETE",
    "/v1/bots/{botId}/actions/{actionId}",
)
BOTS_ACTIONS_UPDATE: Operation[bots_types.Action] = Operation(
    "bots.actions.update",
    "PATCH",
    "/v1/bots/{botId}/actions/{actionId}",
    body=True,
    idempotent=True,
)
BOTS_ACTIONS_ROTATE: Operation[bots_types.ActionWithSecret] = Operation(
    "bots.actions.rotate",
    "POST",
    "/v1/bots/{botId}/actions/{actionId}/rotate-secret",
    body=True,
)
BOTS_QUESTIONS_ANSWER: Operation[bots_types.Document] = Operation(
    "bots.questions.answer",
    "POST",
    "/v1/bots/{botId}/questions/{questionId}/answer",
    body=True,
    idempotent=True,
)
BOTS_QUESTIONS_LIST: Operation[bots_types.Question] = Operation(
    "bots.questions.list",
    "GET",
    "/v1/bots/{botId}/questions",
)
BOTS_QUESTIONS_REMOVE: Operation[bots_types.QuestionsRemoveReply] = Operation(
    "bots.questions.remove",
    "DELETE",
    "/v1/bots/{botId}/questions/{questionId}",
)
BOTS_CHAT_CREATE: Operation[bots_types.Answer] = Operation(
    "bots.chat.create",
    "POST",
    "/v1/bots/{botId}/chat",
    body=True,
    idempotent=True,
)
BOTS_MESSAGES_LIST: Operation[bots_types.Message] = Operation(
    "bots.messages.list",
    "GET",
    "/v1/bots/{botId}/messages",
)
BOTS_VISITORS_CHAT: Operation[bots_types.Answer] = Operation(
    "bots.visitors.chat",
    "POST",
    "/v1/bots/{botId}/visit/chat",
    body=True,
    idempotent=True,
)
BOTS_VISITORS_HANDOVER: Operation[bots_types.VisitorsHandoverReply] = Operation(
    "bots.visitors.handover",
    "POST",
    "/v1/bots/{botId}/visit/{conversationId}/handover",
    body=True,
    repeatable=True,
)
BOTS_VISITORS_MESSAGES: Operation[bots_types.VisitorsMessagesReply] = Operation(
    "bots.visitors.messages",
    "GET",
    "/v1/bots/{botId}/visit/{conversationId}/messages",
)
BOTS_VISITORS_READ: Operation[bots_types.VisitedBot] = Operation(
    "bots.visitors.read",
    "GET",
    "/v1/bots/{botId}/visit",
)
DIRECTORY_CHANNELS_CREATE: Operation[directory_types.Channel] = Operation(
    "directory.channels.create",
    "POST",
    "/v1/streaming/channels",
    body=True,
    idempotent=True,
)
DIRECTORY_CHANNELS_LIST: Operation[directory_types.Channel] = Operation(
    "directory.channels.list",
    "GET",
    "/v1/streaming/channels",
)
DIRECTORY_CHANNELS_READ: Operation[directory_types.Channel] = Operation(
    "directory.channels.read",
    "GET",
    "/v1/streaming/channels/{handle}",
)
DIRECTORY_CHANNELS_REMOVE: Operation[directory_types.ChannelsRemoveReply] = Operation(
    "directory.channels.remove",
    "DELETE",
    "/v1/streaming/channels/{handle}",
)
DIRECTORY_CHANNELS_UPDATE: Operation[directory_types.Channel] = Operation(
    "directory.channels.update",
    "PATCH",
    "/v1/streaming/channels/{handle}",
    body=True,
)
DIRECTORY_CHANNEL_VIDEOS_ASSIGN: Operation[directory_types.Described] = Operation(
    "directory.channel-videos.assign",
    "PUT",
    "/v1/streaming/channels/{handle}/videos/{uuid}",
)
DIRECTORY_CHANNEL_VIDEOS_REMOVE: Operation[directory_types.ChannelVideosRemoveReply] = Operation(
    "directory.channel-videos.remove",
    "DELETE",
    "/v1/streaming/channels/{handle}/videos/{uuid}",
)
DIRECTORY_CHANNEL_VIDEOS_LIST: Operation[directory_types.Video] = Operation(
    "directory.channel-videos.list",
    "GET",
    "/v1/streaming/channels/{handle}/videos",
)
DIRECTORY_CHANNEL_LIVE_ASSIGN: Operation[directory_types.LiveChannel] = Operation(
    "directory.channel-live.assign",
    "PUT",
    "/v1/streaming/channels/{handle}/live/{channelId}",
)
DIRECTORY_CHANNEL_LIVE_REMOVE: Operation[directory_types.ChannelLiveRemoveReply] = Operation(
    "directory.channel-live.remove",
    "DELETE",
    "/v1/streaming/channels/{handle}/live/{channelId}",
)
DIRECTORY_VIDEOS_DESCRIBE: Operation[directory_types.Described] = Operation(
    "directory.videos.describe",
    "PATCH",
    "/v1/streaming/videos/{uuid}",
    body=True,
)
DIRECTORY_VIDEOS_READ: Operation[directory_types.Video] = Operation(
    "directory.videos.read",
    "GET",
    "/v1/streaming/videos/{uuid}",
)
DIRECTORY_VIDEOS_LIST: Operation[directory_types.Video] = Operation(
    "directory.videos.list",
    "GET",
    "/v1/streaming/videos",
)
DIRECTORY_SHORTS_LIST: Operation[directory_types.Video] = Operation(
    "directory.shorts.list",
    "GET",
    "/v1/streaming/shorts",
)
DIRECTORY_SHORTS_READ: Operation[directory_types.Video] = Operation(
    "directory.shorts.read",
    "GET",
    "/v1/streaming/shorts/{uuid}",
)
DIRECTORY_PLAYLISTS_CREATE: Operation[directory_types.Playlist] = Operation(
    "directory.playlists.create",
    "POST",
    "/v1/streaming/playlists",
    body=True,
    idempotent=True,
)
DIRECTORY_PLAYLISTS_LIST: Operation[directory_types.Playlist] = Operation(
    "directory.playlists.list",
    "GET",
    "/v1/streaming/playlists",
)
DIRECTORY_PLAYLISTS_READ: Operation[directory_types.Playlist] = Operation(
    "directory.playlists.read",
    "GET",
    "/v1/streaming/playlists/{playlistId}",
)
DIRECTORY_PLAYLISTS_REMOVE: Operation[directory_types.PlaylistsRemoveReply] = Operation(
    "directory.playlists.remove",
    "DELETE",
    "/v1/streaming/playlists/{playlistId}",
)
DIRECTORY_PLAYLISTS_UPDATE: Operation[directory_types.Playlist] = Operation(
    "directory.playlists.update",
    "PATCH",
    "/v1/streaming/playlists/{playlistId}",
    body=True,
)
DIRECTORY_PLAYLIST_VIDEOS_LIST: Operation[directory_types.PlaylistEntry] = Operation(
    "directory.playlist-videos.list",
    "GET",
    "/v1/streaming/playlists/{playlistId}/videos",
)
DIRECTORY_PLAYLIST_VIDEOS_PUT: Operation[directory_types.Playlist] = Operation(
    "directory.playlist-videos.put",
    "PUT",
    "/v1/streaming/playlists/{playlistId}/videos/{uuid}",
    body=True,
)
DIRECTORY_PLAYLIST_VIDEOS_REMOVE: Operation[directory_types.PlaylistVideosRemoveReply] = Operation(
    "directory.playlist-videos.remove",
    "DELETE",
    "/v1/streaming/playlists/{playlistId}/videos/{uuid}",
)
DIRECTORY_LIVE_LIST: Operation[directory_types.Live] = Operation(
    "directory.live.list",
    "GET",
    "/v1/streaming/live",
)
DIRECTORY_LIVE_READ: Operation[directory_types.Live] = Operation(
    "directory.live.read",
    "GET",
    "/v1/streaming/live/{uuid}",
)
DIRECTORY_SEARCH_FIND: Operation[directory_types.Found] = Operation(
    "directory.search.find",
    "GET",
    "/v1/streaming/search",
)
EMAIL_DOMAINS_CREATE: Operation[email_types.Domain] = Operation(
    "email.domains.create",
    "POST",
    "/send/v1/domains",
    body=True,
)
EMAIL_DOMAINS_LIST: Operation[email_types.DomainSummary] = Operation(
    "email.domains.list",
    "GET",
    "/send/v1/domains",
)
EMAIL_DOMAINS_READ: Operation[email_types.Domain] = Operation(
    "email.domains.read",
    "GET",
    "/send/v1/domains/{domain}",
)
EMAIL_DOMAINS_REMOVE: Operation[email_types.DomainsRemoveReply] = Operation(
    "email.domains.remove",
    "DELETE",
    "/send/v1/domains/{domain}",
)
EMAIL_DOMAINS_VERIFY: Operation[email_types.Domain] = Operation(
    "email.domains.verify",
    "POST",
    "/send/v1/domains/{domain}/verify",
    repeatable=True,
)
EMAIL_CONTACTS_CREATE: Operation[email_types.Contact] = Operation(
    "email.contacts.create",
    "POST",
    "/send/v1/contacts",
    body=True,
    repeatable=True,
)
EMAIL_CONTACTS_LIST: Operation[email_types.Contact] = Operation(
    "email.contacts.list",
    "GET",
    "/send/v1/contacts",
)
EMAIL_CONTACTS_READ: Operation[email_types.ContactWithHistory] = Operation(
    "email.contacts.read",
    "GET",
    "/send/v1/contacts/{email}",
)
EMAIL_CONTACTS_REMOVE: Operation[email_types.ContactsRemoveReply] = Operation(
    "email.contacts.remove",
    "DELETE",
    "/send/v1/contacts/{email}",
)
EMAIL_CONTACTS_UPDATE: Operation[email_types.Contact] = Operation(
    "email.contacts.update",
    "PATCH",
    "/send/v1/contacts/{email}",
    body=True,
)
EMAIL_CONTACTS_UNSUBSCRIBE: Operation[email_types.Contact] = Operation(
    "email.contacts.unsubscribe",
    "POST",
    "/send/v1/contacts/{email}/unsubscribe",
    repeatable=True,
)
EMAIL_CONTACT_IMPORTS_CREATE: Operation[email_types.Import] = Operation(
    "email.contact-imports.create",
    "POST",
    "/send/v1/contacts/import",
    body=True,
)
EMAIL_SEGMENTS_CREATE: Operation[email_types.Segment] = Operation(
    "email.segments.create",
    "POST",
    "/send/v1/segments",
    body=True,
    idempotent=True,
)
EMAIL_SEGMENTS_LIST: Operation[email_types.Segment] = Operation(
    "email.segments.list",
    "GET",
    "/send/v1/segments",
)
EMAIL_SEGMENTS_PREVIEW: Operation[email_types.SegmentPreview] = Operation(
    "email.segments.preview",
    "POST",
    "/send/v1/segments/preview",
    body=True,
    repeatable=True,
)
EMAIL_SEGMENTS_READ: Operation[email_types.SegmentWithCounts] = Operation(
    "email.segments.read",
    "GET",
    "/send/v1/segments/{id}",
)
EMAIL_SEGMENTS_REMOVE: Operation[email_types.SegmentsRemoveReply] = Operation(
    "email.segments.remove",
    "DELETE",
    "/send/v1/segments/{id}",
)
EMAIL_SEGMENTS_UPDATE: Operation[email_types.Segment] = Operation(
    "email.segments.update",
    "PATCH",
    "/send/v1/segments/{id}",
    body=True,
)
EMAIL_RECONFIRMATIONS_CREATE: Operation[email_types.Reconfirmation] = Operation(
    "email.reconfirmations.create",
    "POST",
    "/send/v1/contacts/reconfirm",
    body=True,
    idempotent=True,
)
EMAIL_VERIFY_BULK: Operation[email_types.VerifyBulkReply] = Operation(
    "email.verify.bulk",
    "POST",
    "/send/v1/verify/bulk",
    body=True,
    repeatable=True,
)
EMAIL_VERIFY_ONE: Operation[email_types.Verdict] = Operation(
    "email.verify.one",
    "POST",
    "/send/v1/verify",
    body=True,
    repeatable=True,
)
EMAIL_MESSAGE_BATCHES_CREATE: Operation[email_types.MessageBatchesCreateReply] = Operation(
    "email.message-batches.create",
    "POST",
    "/send/v1/messages/batch",
    body=True,
    idempotent=True,
)
EMAIL_MESSAGES_CANCEL: Operation[email_types.Message] = Operation(
    "email.messages.cancel",
    "POST",
    "/send/v1/messages/{id}/cancel",
    repeatable=True,
)
EMAIL_MESSAGES_CREATE: Operation[email_types.Accepted] = Operation(
    "email.messages.create",
    "POST",
    "/send/v1/messages",
    body=True,
    idempotent=True,
)
EMAIL_MESSAGES_LIST: Operation[email_types.MessageSummary] = Operation(
    "email.messages.list",
    "GET",
    "/send/v1/messages",
)
EMAIL_MESSAGES_READ: Operation[email_types.Message] = Operation(
    "email.messages.read",
    "GET",
    "/send/v1/messages/{id}",
)
EMAIL_INBOUND_ROUTES_CREATE: Operation[email_types.InboundRoute] = Operation(
    "email.inbound-routes.create",
    "POST",
    "/send/v1/inbound-routes",
    body=True,
)
EMAIL_INBOUND_ROUTES_LIST: Operation[email_types.InboundRoute] = Operation(
    "email.inbound-routes.list",
    "GET",
    "/send/v1/inbound-routes",
)
EMAIL_INBOUND_ROUTES_REMOVE: Operation[email_types.InboundRoutesRemoveReply] = Operation(
    "email.inbound-routes.remove",
    "DELETE",
    "/send/v1/inbound-routes/{id}",
)
EMAIL_INBOUND_ROUTES_VERIFY: Operation[email_types.InboundRoutesVerifyReply] = Operation(
    "email.inbound-routes.verify",
    "POST",
    "/send/v1/inbound-routes/{id}/verify",
    repeatable=True,
)
EMAIL_INBOUND_STORAGE_READ: Operation[email_types.InboundStorageReadReply] = Operation(
    "email.inbound-storage.read",
    "GET",
    "/send/v1/inbound-storage",
)
EMAIL_RECEIVED_ATTACHMENTURL: Operation[email_types.ReceivedAttachmentUrlReply] = Operation(
    "email.received.attachmentUrl",
    "POST",
    "/send/v1/received/{id}/attachments/{object_id}/download-url",
    repeatable=True,
)
EMAIL_RECEIVED_DOWNLOADURL: Operation[email_types.ReceivedDownloadUrlReply] = Operation(
    "email.received.downloadUrl",
    "POST",
    "/send/v1/received/{id}/download-url",
    repeatable=True,
)
EMAIL_RECEIVED_LIST: Operation[email_types.ReceivedSummary] = Operation(
    "email.received.list",
    "GET",
    "/send/v1/received",
)
EMAIL_RECEIVED_READ: Operation[email_types.Received] = Operation(
    "email.received.read",
    "GET",
    "/send/v1/received/{id}",
)
EMAIL_RECEIVED_REMOVE: Operation[email_types.ReceivedRemoveReply] = Operation(
    "email.received.remove",
    "DELETE",
    "/send/v1/received/{id}",
)
EMAIL_TEMPLATES_CREATE: Operation[email_types.Template] = Operation(
    "email.templates.create",
    "POST",
    "/send/v1/templates",
    body=True,
    idempotent=True,
)
EMAIL_TEMPLATES_LIST: Operation[email_types.TemplateSummary] = Operation(
    "email.templates.list",
    "GET",
    "/send/v1/templates",
)
EMAIL_TEMPLATES_PREVIEW: Operation[email_types.TemplatePreview] = Operation(
    "email.templates.preview",
    "POST",
    "/send/v1/templates/{id}/preview",
    body=True,
    repeatable=True,
)
EMAIL_TEMPLATES_READ: Operation[email_types.Template] = Operation(
    "email.templates.read",
    "GET",
    "/send/v1/templates/{id}",
)
EMAIL_TEMPLATES_REMOVE: Operation[email_types.TemplatesRemoveReply] = Operation(
    "email.templates.remove",
    "DELETE",
    "/send/v1/templates/{id}",
)
EMAIL_TEMPLATES_UPDATE: Operation[email_types.Template] = Operation(
    "email.templates.update",
    "PATCH",
    "/send/v1/templates/{id}",
    body=True,
)
EMAIL_CAMPAIGNS_CANCEL: Operation[email_types.Campaign] = Operation(
    "email.campaigns.cancel",
    "POST",
    "/send/v1/campaigns/{id}/cancel",
    repeatable=True,
)
EMAIL_CAMPAIGNS_CREATE: Operation[email_types.CampaignSummary] = Operation(
    "email.campaigns.create",
    "POST",
    "/send/v1/campaigns",
    body=True,
    idempotent=True,
)
EMAIL_CAMPAIGNS_LIST: Operation[email_types.CampaignSummary] = Operation(
    "email.campaigns.list",
    "GET",
    "/send/v1/campaigns",
)
EMAIL_CAMPAIGNS_PREVIEW: Operation[email_types.Preview] = Operation(
    "email.campaigns.preview",
    "POST",
    "/send/v1/campaigns/{id}/preview",
    body=True,
    repeatable=True,
)
EMAIL_CAMPAIGNS_READ: Operation[email_types.Campaign] = Operation(
    "email.campaigns.read",
    "GET",
    "/send/v1/campaigns/{id}",
)
EMAIL_CAMPAIGNS_UPDATE: Operation[email_types.Campaign] = Operation(
    "email.campaigns.update",
    "PATCH",
    "/send/v1/campaigns/{id}",
    body=True,
)
EMAIL_CAMPAIGNS_SCHEDULE: Operation[email_types.Campaign] = Operation(
    "email.campaigns.schedule",
    "POST",
    "/send/v1/campaigns/{id}/schedule",
    body=True,
    idempotent=True,
)
EMAIL_CAMPAIGNS_SEND: Operation[email_types.Campaign] = Operation(
    "email.campaigns.send",
    "POST",
    "/send/v1/campaigns/{id}/send",
    idempotent=True,
)
EMAIL_CAMPAIGNS_TEST: Operation[email_types.CampaignTest] = Operation(
    "email.campaigns.test",
    "POST",
    "/send/v1/campaigns/{id}/test",
    body=True,
    idempotent=True,
)
EMAIL_SUPPRESSIONS_CREATE: Operation[email_types.SuppressionsCreateReply] = Operation(
    "email.suppressions.create",
    "POST",
    "/send/v1/suppressions",
    body=True,
    repeatable=True,
)
EMAIL_SUPPRESSIONS_LIST: Operation[email_types.Suppression] = Operation(
    "email.suppressions.list",
    "GET",
    "/send/v1/suppressions",
)
EMAIL_SUPPRESSIONS_REMOVE: Operation[email_types.SuppressionsRemoveReply] = Operation(
    "email.suppressions.remove",
    "DELETE",
    "/send/v1/suppressions/{email}",
)
EMAIL_ANALYTICS_OVERVIEW: Operation[email_types.AnalyticsOverviewReply] = Operation(
    "email.analytics.overview",
    "GET",
    "/send/v1/analytics/overview",
)
EMAIL_USAGE_READ: Operation[email_types.UsageReadReply] = Operation(
    "email.usage.read",
    "GET",
    "/send/v1/usage",
)
EMAIL_STATUS_READ: Operation[email_types.StatusReadReply] = Operation(
    "email.status.read",
    "GET",
    "/send/v1/status",
)
EMAIL_WEBHOOKS_CREATE: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "email.webhooks.create",
    "POST",
    "/send/v1/webhooks",
    body=True,
)
EMAIL_WEBHOOKS_LIST: Operation[webhooks_types.Endpoint] = Operation(
    "email.webhooks.list",
    "GET",
    "/send/v1/webhooks",
)
EMAIL_WEBHOOKS_ENABLE: Operation[webhooks_types.Endpoint] = Operation(
    "email.webhooks.enable",
    "POST",
    "/send/v1/webhooks/{id}/enable",
    repeatable=True,
)
EMAIL_WEBHOOKS_REMOVE: Operation[email_types.WebhooksRemoveReply] = Operation(
    "email.webhooks.remove",
    "DELETE",
    "/send/v1/webhooks/{id}",
)
EMAIL_WEBHOOKS_ROTATESECRET: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "email.webhooks.rotateSecret",
    "POST",
    "/send/v1/webhooks/{id}/rotate-secret",
    body=True,
)
EMAIL_WEBHOOKS_TEST: Operation[webhooks_types.TestResult] = Operation(
    "email.webhooks.test",
    "POST",
    "/send/v1/webhooks/{id}/test",
)
EMAIL_WEBHOOK_DELIVERIES_LIST: Operation[webhooks_types.Delivery] = Operation(
    "email.webhook-deliveries.list",
    "GET",
    "/send/v1/webhooks/{id}/deliveries",
)
EMAIL_WEBHOOK_DELIVERIES_REPLAY: Operation[email_types.WebhookDeliveriesReplayReply] = Operation(
    "email.webhook-deliveries.replay",
    "POST",
    "/send/v1/webhooks/{id}/deliveries/{delivery_id}/replay",
)
EMAIL_WEBHOOK_DELIVERIES_REPLAYSINCE: Operation[email_types.WebhookDeliveriesReplaySinceReply] = Operation(
    "email.webhook-deliveries.replaySince",
    "POST",
    "/send/v1/webhooks/{id}/replay",
    body=True,
)
ERP_COMPANIES_OFFICERS: Operation[erp_types.CompaniesOfficersReply] = Operation(
    "erp.companies.officers",
    "GET",
    "/v1/erp/companies/{code}/officers",
)
ERP_COMPANIES_READ: Operation[erp_types.Company] = Operation(
    "erp.companies.read",
    "GET",
    "/v1/erp/companies/{code}",
)
ERP_COMPANIES_SEARCH: Operation[erp_types.Found] = Operation(
    "erp.companies.search",
    "GET",
    "/v1/erp/companies",
)
ERP_REGISTERS_CHANGES: Operation[erp_types.Change] = Operation(
    "erp.registers.changes",
    "GET",
    "/v1/erp/imports/{id}/changes",
)
ERP_REGISTERS_LIST: Operation[erp_types.RegistersListReply] = Operation(
    "erp.registers.list",
    "GET",
    "/v1/erp/registers",
)
FILES_HEALTH_CHECK: Operation[files_types.Health] = Operation(
    "files.health.check",
    "GET",
    "/v1/files/health",
    open=True,
)
FILES_UPLOADS_COMPLETE: Operation[files_types.Object] = Operation(
    "files.uploads.complete",
    "POST",
    "/v1/files/uploads/{id}/complete",
    body=True,
    repeatable=True,
)
FILES_UPLOADS_START: Operation[files_types.Upload] = Operation(
    "files.uploads.start",
    "POST",
    "/v1/files/uploads",
    body=True,
)
FILES_OBJECTS_DOWNLOADURL: Operation[files_types.ObjectsDownloadUrlReply] = Operation(
    "files.objects.downloadUrl",
    "POST",
    "/v1/files/objects/{id}/download-url",
    body=True,
    repeatable=True,
)
FILES_OBJECTS_LIST: Operation[files_types.ObjectSummary] = Operation(
    "files.objects.list",
    "GET",
    "/v1/files/objects",
)
FILES_OBJECTS_READ: Operation[files_types.Object] = Operation(
    "files.objects.read",
    "GET",
    "/v1/files/objects/{id}",
)
FILES_OBJECTS_REMOVE: Operation[files_types.ObjectsRemoveReply] = Operation(
    "files.objects.remove",
    "DELETE",
    "/v1/files/objects/{id}",
)
FILES_VERSIONS_LIST: Operation[files_types.VersionsListReply] = Operation(
    "files.versions.list",
    "GET",
    "/v1/files/objects/{id}/versions",
)
FILES_VERSIONS_START: Operation[files_types.VersionUpload] = Operation(
    "files.versions.start",
    "POST",
    "/v1/files/objects/{id}/versions",
    body=True,
)
FILES_PREVIEWS_CREATE: Operation[files_types.PreviewsCreateReply] = Operation(
    "files.previews.create",
    "POST",
    "/v1/files/objects/{id}/preview-url",
    body=True,
    repeatable=True,
)
FILES_WEBHOOKS_CREATE: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "files.webhooks.create",
    "POST",
    "/v1/files/webhooks",
    body=True,
)
FILES_WEBHOOKS_LIST: Operation[webhooks_types.Endpoint] = Operation(
    "files.webhooks.list",
    "GET",
    "/v1/files/webhooks",
)
FILES_WEBHOOKS_ENABLE: Operation[webhooks_types.Endpoint] = Operation(
    "files.webhooks.enable",
    "POST",
    "/v1/files/webhooks/{id}/enable",
    repeatable=True,
)
FILES_WEBHOOKS_REMOVE: Operation[files_types.WebhooksRemoveReply] = Operation(
    "files.webhooks.remove",
    "DELETE",
    "/v1/files/webhooks/{id}",
)
FILES_WEBHOOKS_ROTATESECRET: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "files.webhooks.rotateSecret",
    "POST",
    "/v1/files/webhooks/{id}/rotate-secret",
    body=True,
)
FILES_WEBHOOKS_TEST: Operation[webhooks_types.TestResult] = Operation(
    "files.webhooks.test",
    "POST",
    "/v1/files/webhooks/{id}/test",
)
FILES_WEBHOOK_DELIVERIES_LIST: Operation[webhooks_types.Delivery] = Operation(
    "files.webhook-deliveries.list",
    "GET",
    "/v1/files/webhooks/{id}/deliveries",
)
FILES_WEBHOOK_DELIVERIES_REPLAY: Operation[files_types.WebhookDeliveriesReplayReply] = Operation(
    "files.webhook-deliveries.replay",
    "POST",
    "/v1/files/webhooks/{id}/deliveries/{delivery_id}/replay",
)
FILES_WEBHOOK_DELIVERIES_REPLAYSINCE: Operation[files_types.WebhookDeliveriesReplaySinceReply] = Operation(
    "files.webhook-deliveries.replaySince",
    "POST",
    "/v1/files/webhooks/{id}/replay",
    body=True,
)
FILES_RESCANS_LIST: Operation[files_types.RescansListReply] = Operation(
    "files.rescans.list",
    "GET",
    "/v1/files/objects/{id}/scans",
)
FILES_RESCANS_REQUEST: Operation[files_types.Object] = Operation(
    "files.rescans.request",
    "POST",
    "/v1/files/objects/{id}/scan",
    body=True,
)
GEO_LOOKUPS_BATCH: Operation[geo_types.LookupsBatchReply] = Operation(
    "geo.lookups.batch",
    "POST",
    "/v1/geo/batch",
    body=True,
    repeatable=True,
)
GEO_LOOKUPS_CALLER: Operation[geo_types.Location] = Operation(
    "geo.lookups.caller",
    "GET",
    "/v1/geo",
)
GEO_LOOKUPS_ME: Operation[geo_types.Location] = Operation(
    "geo.lookups.me",
    "GET",
    "/v1/geo/me",
)
GEO_LOOKUPS_READ: Operation[geo_types.Location] = Operation(
    "geo.lookups.read",
    "GET",
    "/v1/geo/{ip}",
)
GUARD_SITES_CREATE: Operation[guard_types.Site] = Operation(
    "guard.sites.create",
    "POST",
    "/v1/guard/sites",
    body=True,
    idempotent=True,
)
GUARD_SITES_LIST: Operation[guard_types.Site] = Operation(
    "guard.sites.list",
    "GET",
    "/v1/guard/sites",
)
GUARD_SITES_READ: Operation[guard_types.Site] = Operation(
    "guard.sites.read",
    "GET",
    "/v1/guard/sites/{site_id}",
)
GUARD_SITES_REMOVE: Operation[guard_types.SitesRemoveReply] = Operation(
    "guard.sites.remove",
    "DELETE",
    "/v1/guard/sites/{site_id}",
)
GUARD_SITES_UPDATE: Operation[guard_types.Site] = Operation(
    "guard.sites.update",
    "PATCH",
    "/v1/guard/sites/{site_id}",
    body=True,
)
GUARD_SITES_ROTATE: Operation[guard_types.Site] = Operation(
    "guard.sites.rotate",
    "POST",
    "/v1/guard/sites/{site_id}/rotate",
)
GUARD_ASSESS_CREATE: Operation[guard_types.Assessment] = Operation(
    "guard.assess.create",
    "POST",
    "/v1/guard/assess",
    body=True,
    repeatable=True,
)
GUARD_CHALLENGES_CREATE: Operation[guard_types.ScryptChallenge | guard_types.Sha256Challenge] = Operation(
    "guard.challenges.create",
    "POST",
    "/v1/guard/challenges",
    body=True,
    repeatable=True,
)
GUARD_ANSWERS_COMPLETE: Operation[guard_types.Earned] = Operation(
    "guard.answers.complete",
    "POST",
    "/v1/guard/challenges/{id}/complete",
    body=True,
)
GUARD_TOKENS_VERIFY: Operation[guard_types.Verdict] = Operation(
    "guard.tokens.verify",
    "POST",
    "/v1/guard/tokens/verify",
    body=True,
    idempotent=True,
)
IDENTITY_REQUIREMENTS_LIST: Operation[identity_types.RequirementsListReply] = Operation(
    "identity.requirements.list",
    "GET",
    "/v1/identity/requirements",
)
IDENTITY_READINESS_READ: Operation[identity_types.ReadinessReadReply] = Operation(
    "identity.readiness.read",
    "GET",
    "/v1/identity/readiness",
)
IDENTITY_STATUS_READ: Operation[identity_types.StatusReadReply] = Operation(
    "identity.status.read",
    "GET",
    "/v1/identity/status",
)
IDENTITY_FACE_MATCH_CREATE: Operation[identity_types.FaceMatchCreateReply] = Operation(
    "identity.face-match.create",
    "POST",
    "/v1/identity/face-match",
    body=True,
)
IDENTITY_CHECKS_RECORD: Operation[identity_types.Check] = Operation(
    "identity.checks.record",
    "POST",
    "/v1/identity/checks",
    body=True,
)
IDENTITY_DOCUMENT_READ: Operation[identity_types.Document] = Operation(
    "identity.document.read",
    "GET",
    "/v1/identity/document",
)
IDENTITY_DOCUMENT_READAGAIN: Operation[identity_types.Document] = Operation(
    "identity.document.readAgain",
    "POST",
    "/v1/identity/document/read",
    body=True,
)
NOTIFY_HEALTH_CHECK: Operation[notify_types.Health] = Operation(
    "notify.health.check",
    "GET",
    "/v1/notify/health",
    open=True,
)
NOTIFY_EVENTS_CREATE: Operation[notify_types.EventsCreateReply] = Operation(
    "notify.events.create",
    "POST",
    "/v1/notify/events",
    body=True,
    idempotent=True,
)
NOTIFY_EVENTS_READ: Operation[notify_types.EventsReadReply] = Operation(
    "notify.events.read",
    "GET",
    "/v1/notify/events/{id}",
)
NOTIFY_INBOX_LIST: Operation[notify_types.Item] = Operation(
    "notify.inbox.list",
    "GET",
    "/v1/notify/inbox",
)
NOTIFY_INBOX_READ: Operation[notify_types.Item] = Operation(
    "notify.inbox.read",
    "POST",
    "/v1/notify/inbox/{id}/read",
    body=True,
    repeatable=True,
)
NOTIFY_INBOX_READALL: Operation[notify_types.InboxReadAllReply] = Operation(
    "notify.inbox.readAll",
    "POST",
    "/v1/notify/inbox/read-all",
    body=True,
    repeatable=True,
)
NOTIFY_INBOX_UNREADCOUNT: Operation[notify_types.InboxUnreadCountReply] = Operation(
    "notify.inbox.unreadCount",
    "GET",
    "/v1/notify/unread-count",
)
NOTIFY_MARKS_COUNTS: Operation[notify_types.MarksCountsReply] = Operation(
    "notify.marks.counts",
    "GET",
    "/v1/notify/inbox/counts",
)
NOTIFY_MARKS_CREATE: Operation[notify_types.MarksCreateReply] = Operation(
    "notify.marks.create",
    "POST",
    "/v1/notify/inbox/marks",
    body=True,
    repeatable=True,
)
NOTIFY_PREFERENCES_LIST: Operation[notify_types.Preference] = Operation(
    "notify.preferences.list",
    "GET",
    "/v1/notify/preferences",
)
NOTIFY_PREFERENCES_PUT: Operation[notify_types.Preference] = Operation(
    "notify.preferences.put",
    "PUT",
    "/v1/notify/preferences",
    body=True,
)
NOTIFY_PREFERENCES_REMOVE: Operation[notify_types.PreferencesRemoveReply] = Operation(
    "notify.preferences.remove",
    "DELETE",
    "/v1/notify/preferences",
)
NOTIFY_STREAM_CREATETOKEN: Operation[notify_types.StreamCreateTokenReply] = Operation(
    "notify.stream.createToken",
    "POST",
    "/v1/notify/stream-tokens",
    body=True,
    repeatable=True,
)
NOTIFY_STREAM_WATCH: Operation[None] = Operation(
    "notify.stream.watch",
    "GET",
    "/v1/notify/stream",
    open=True,
)
NOTIFY_FEED_LIST: Operation[notify_types.Item] = Operation(
    "notify.feed.list",
    "GET",
    "/v1/notify/feed",
    open=True,
)
NOTIFY_FEED_MARK: Operation[notify_types.FeedMarkReply] = Operation(
    "notify.feed.mark",
    "POST",
    "/v1/notify/feed/marks",
    body=True,
    repeatable=True,
    open=True,
)
NOTIFY_PEOPLE_LIST: Operation[notify_types.Person] = Operation(
    "notify.people.list",
    "GET",
    "/v1/notify/people",
)
NOTIFY_PEOPLE_PUT: Operation[notify_types.Person] = Operation(
    "notify.people.put",
    "PUT",
    "/v1/notify/people/{user_id}",
    body=True,
)
NOTIFY_PEOPLE_READ: Operation[notify_types.Person] = Operation(
    "notify.people.read",
    "GET",
    "/v1/notify/people/{user_id}",
)
NOTIFY_PEOPLE_REMOVE: Operation[notify_types.PeopleRemoveReply] = Operation(
    "notify.people.remove",
    "DELETE",
    "/v1/notify/people/{user_id}",
)
NOTIFY_PEOPLE_PUTMANY: Operation[notify_types.PeoplePutManyReply] = Operation(
    "notify.people.putMany",
    "POST",
    "/v1/notify/people/batch",
    body=True,
    repeatable=True,
)
NOTIFY_WORKFLOWS_LIST: Operation[notify_types.WorkflowSummary] = Operation(
    "notify.workflows.list",
    "GET",
    "/v1/notify/workflows",
)
NOTIFY_WORKFLOWS_PUBLISH: Operation[notify_types.Workflow] = Operation(
    "notify.workflows.publish",
    "POST",
    "/v1/notify/workflows/{key}/publish",
)
NOTIFY_WORKFLOWS_PUT: Operation[notify_types.Workflow] = Operation(
    "notify.workflows.put",
    "PUT",
    "/v1/notify/workflows/{key}",
    body=True,
)
NOTIFY_WORKFLOWS_READ: Operation[notify_types.WorkflowsReadReply] = Operation(
    "notify.workflows.read",
    "GET",
    "/v1/notify/workflows/{key}",
)
NOTIFY_WORKFLOWS_REMOVE: Operation[notify_types.WorkflowsRemoveReply] = Operation(
    "notify.workflows.remove",
    "DELETE",
    "/v1/notify/workflows/{key}",
)
NOTIFY_WORKFLOWS_UNPUBLISH: Operation[notify_types.Workflow] = Operation(
    "notify.workflows.unpublish",
    "POST",
    "/v1/notify/workflows/{key}/unpublish",
    repeatable=True,
)
NOTIFY_TEXTS_LIST: Operation[notify_types.Text] = Operation(
    "notify.texts.list",
    "GET",
    "/v1/notify/texts",
)
NOTIFY_TEXTS_PUT: Operation[notify_types.Text] = Operation(
    "notify.texts.put",
    "PUT",
    "/v1/notify/texts",
    body=True,
)
NOTIFY_TEXTS_REMOVE: Operation[notify_types.TextsRemoveReply] = Operation(
    "notify.texts.remove",
    "DELETE",
    "/v1/notify/texts",
)
NOTIFY_RUNS_CANCEL: Operation[notify_types.Run] = Operation(
    "notify.runs.cancel",
    "POST",
    "/v1/notify/runs/{id}/cancel",
)
NOTIFY_RUNS_LIST: Operation[notify_types.Run] = Operation(
    "notify.runs.list",
    "GET",
    "/v1/notify/runs",
)
NOTIFY_RUNS_READ: Operation[notify_types.RunsReadReply] = Operation(
    "notify.runs.read",
    "GET",
    "/v1/notify/runs/{id}",
)
PUSH_MESSAGES_CANCEL: Operation[push_types.MessagesCancelReply] = Operation(
    "push.messages.cancel",
    "DELETE",
    "/push/v1/messages/{message_id}",
)
PUSH_MESSAGES_READ: Operation[push_types.Message] = Operation(
    "push.messages.read",
    "GET",
    "/push/v1/messages/{message_id}",
)
PUSH_MESSAGES_CREATE: Operation[push_types.Accepted] = Operation(
    "push.messages.create",
    "POST",
    "/push/v1/messages",
    body=True,
    idempotent=True,
)
PUSH_MESSAGES_LIST: Operation[push_types.ListedMessage] = Operation(
    "push.messages.list",
    "GET",
    "/push/v1/messages",
)
PUSH_TRACE_READ: Operation[push_types.TracedDelivery] = Operation(
    "push.trace.read",
    "GET",
    "/push/v1/messages/{message_id}/trace",
)
PUSH_INSTALLATIONS_CLAIM: Operation[push_types.Installation] = Operation(
    "push.installations.claim",
    "POST",
    "/push/v1/installations/{installation_id}/claim",
    body=True,
    repeatable=True,
)
PUSH_INSTALLATIONS_CREATE: Operation[push_types.RegisteredInstallation] = Operation(
    "push.installations.create",
    "POST",
    "/push/v1/installations",
    body=True,
    repeatable=True,
)
PUSH_INSTALLATIONS_LIST: Operation[push_types.Installation] = Operation(
    "push.installations.list",
    "GET",
    "/push/v1/apps/{app_id}/installations",
)
PUSH_INSTALLATIONS_REMOVE: Operation[push_types.InstallationsRemoveReply] = Operation(
    "push.installations.remove",
    "DELETE",
    "/push/v1/installations/{installation_id}",
)
PUSH_INSTALLATIONS_UPDATE: Operation[push_types.Installation] = Operation(
    "push.installations.update",
    "PATCH",
    "/push/v1/installations/{installation_id}",
    body=True,
)
PUSH_USERS_CREATE: Operation[push_types.User] = Operation(
    "push.users.create",
    "POST",
    "/push/v1/users",
    body=True,
    repeatable=True,
)
PUSH_USERS_REMOVE: Operation[push_types.UsersRemoveReply] = Operation(
    "push.users.remove",
    "DELETE",
    "/push/v1/apps/{app_id}/users/{user_id}",
)
PUSH_TOPICS_LIST: Operation[push_types.Topic] = Operation(
    "push.topics.list",
    "GET",
    "/push/v1/apps/{app_id}/topics",
)
PUSH_TOPICS_SUBSCRIBE: Operation[push_types.TopicsSubscribeReply] = Operation(
    "push.topics.subscribe",
    "POST",
    "/push/v1/apps/{app_id}/topics/{topic}/subscribe",
    body=True,
    repeatable=True,
)
PUSH_TOPICS_SUBSCRIPTIONS: Operation[push_types.Subscription] = Operation(
    "push.topics.subscriptions",
    "GET",
    "/push/v1/apps/{app_id}/topics/{topic}/subscriptions",
)
PUSH_TOPICS_UNSUBSCRIBE: Operation[push_types.TopicsUnsubscribeReply] = Operation(
    "push.topics.unsubscribe",
    "POST",
    "/push/v1/apps/{app_id}/topics/{topic}/unsubscribe",
    body=True,
    repeatable=True,
)
PUSH_APPS_CREATE: Operation[push_types.App] = Operation(
    "push.apps.create",
    "POST",
    "/push/v1/apps",
    body=True,
    idempotent=True,
)
PUSH_APPS_LIST: Operation[push_types.App] = Operation(
    "push.apps.list",
    "GET",
    "/push/v1/apps",
)
PUSH_APPS_READ: Operation[push_types.App] = Operation(
    "push.apps.read",
    "GET",
    "/push/v1/apps/{app_id}",
)
PUSH_APPS_REMOVE: Operation[push_types.AppsRemoveReply] = Operation(
    "push.apps.remove",
    "DELETE",
    "/push/v1/apps/{app_id}",
)
PUSH_APPS_UPDATE: Operation[push_types.App] = Operation(
    "push.apps.update",
    "PATCH",
    "/push/v1/apps/{app_id}",
    body=True,
)
PUSH_CREDENTIALS_PUT: Operation[push_types.Credential] = Operation(
    "push.credentials.put",
    "PUT",
    "/push/v1/apps/{app_id}/credentials/{provider}",
    body=True,
)
PUSH_CREDENTIALS_READ: Operation[push_types.CredentialsReadReply] = Operation(
    "push.credentials.read",
    "GET",
    "/push/v1/apps/{app_id}/credentials/{provider}",
)
PUSH_CREDENTIALS_REMOVE: Operation[push_types.CredentialsRemoveReply] = Operation(
    "push.credentials.remove",
    "DELETE",
    "/push/v1/apps/{app_id}/credentials/{provider}",
)
PUSH_CREDENTIALS_RETRY: Operation[push_types.Credential] = Operation(
    "push.credentials.retry",
    "POST",
    "/push/v1/apps/{app_id}/credentials/{provider}/retry",
    body=True,
)
PUSH_RECEIPTS_CREATE: Operation[push_types.Receipt | push_types.ReceiptReply] = Operation(
    "push.receipts.create",
    "POST",
    "/push/v1/receipts",
    body=True,
)
PUSH_STREAM_WATCH: Operation[None] = Operation(
    "push.stream.watch",
    "GET",
    "/push/v1/stream",
    open=True,
)
PUSH_INSIGHTS_INSIGHTS: Operation[push_types.Insights] = Operation(
    "push.insights.insights",
    "GET",
    "/push/v1/apps/{app_id}/insights",
)
PUSH_INSIGHTS_STATS: Operation[push_types.Stats] = Operation(
    "push.insights.stats",
    "GET",
    "/push/v1/apps/{app_id}/stats",
)
PUSH_DELIVERIES_LIST: Operation[push_types.Delivery] = Operation(
    "push.deliveries.list",
    "GET",
    "/push/v1/apps/{app_id}/deliveries",
)
PUSH_TEMPLATES_CREATE: Operation[push_types.Template] = Operation(
    "push.templates.create",
    "POST",
    "/push/v1/templates",
    body=True,
    idempotent=True,
)
PUSH_TEMPLATES_LIST: Operation[push_types.TemplateSummary] = Operation(
    "push.templates.list",
    "GET",
    "/push/v1/templates",
)
PUSH_TEMPLATES_READ: Operation[push_types.Template] = Operation(
    "push.templates.read",
    "GET",
    "/push/v1/templates/{template_id}",
)
PUSH_TEMPLATES_REMOVE: Operation[push_types.TemplatesRemoveReply] = Operation(
    "push.templates.remove",
    "DELETE",
    "/push/v1/templates/{template_id}",
)
PUSH_TEMPLATES_UPDATE: Operation[push_types.Template] = Operation(
    "push.templates.update",
    "PATCH",
    "/push/v1/templates/{template_id}",
    body=True,
)
PUSH_WEBHOOKS_CREATE: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "push.webhooks.create",
    "POST",
    "/push/v1/webhooks",
    body=True,
)
PUSH_WEBHOOKS_LIST: Operation[webhooks_types.Endpoint] = Operation(
    "push.webhooks.list",
    "GET",
    "/push/v1/webhooks",
)
PUSH_WEBHOOKS_ENABLE: Operation[webhooks_types.Endpoint] = Operation(
    "push.webhooks.enable",
    "POST",
    "/push/v1/webhooks/{id}/enable",
    repeatable=True,
)
PUSH_WEBHOOKS_REMOVE: Operation[push_types.WebhooksRemoveReply] = Operation(
    "push.webhooks.remove",
    "DELETE",
    "/push/v1/webhooks/{id}",
)
PUSH_WEBHOOKS_ROTATESECRET: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "push.webhooks.rotateSecret",
    "POST",
    "/push/v1/webhooks/{id}/rotate-secret",
    body=True,
)
PUSH_WEBHOOKS_TEST: Operation[webhooks_types.TestResult] = Operation(
    "push.webhooks.test",
    "POST",
    "/push/v1/webhooks/{id}/test",
)
PUSH_WEBHOOK_DELIVERIES_LIST: Operation[webhooks_types.Delivery] = Operation(
    "push.webhook-deliveries.list",
    "GET",
    "/push/v1/webhooks/{id}/deliveries",
)
PUSH_WEBHOOK_DELIVERIES_REPLAY: Operation[push_types.WebhookDeliveriesReplayReply] = Operation(
    "push.webhook-deliveries.replay",
    "POST",
    "/push/v1/webhooks/{id}/deliveries/{delivery_id}/replay",
)
PUSH_WEBHOOK_DELIVERIES_REPLAYSINCE: Operation[push_types.WebhookDeliveriesReplaySinceReply] = Operation(
    "push.webhook-deliveries.replaySince",
    "POST",
    "/push/v1/webhooks/{id}/replay",
    body=True,
)
PUSH_BROWSER_READ: Operation[push_types.BrowserSetup] = Operation(
    "push.browser.read",
    "GET",
    "/push/v1/browser",
)
PUSH_BROWSER_REGISTER: Operation[push_types.RegisteredBrowser] = Operation(
    "push.browser.register",
    "POST",
    "/push/v1/browser",
    body=True,
    repeatable=True,
)
PUSH_BROWSER_UNSUBSCRIBE: Operation[push_types.BrowserUnsubscribeReply] = Operation(
    "push.browser.unsubscribe",
    "POST",
    "/push/v1/browser/unsubscribe",
    body=True,
    repeatable=True,
)
PUSH_USER_TOKENS_CREATE: Operation[push_types.UserToken] = Operation(
    "push.user-tokens.create",
    "POST",
    "/push/v1/user-tokens",
    body=True,
    repeatable=True,
)
PUSH_PUBLIC_KEYS_CREATE: Operation[push_types.ShownPublicKey] = Operation(
    "push.public-keys.create",
    "POST",
    "/push/v1/apps/{app_id}/public-keys",
    body=True,
)
PUSH_PUBLIC_KEYS_LIST: Operation[push_types.PublicKey] = Operation(
    "push.public-keys.list",
    "GET",
    "/push/v1/apps/{app_id}/public-keys",
)
PUSH_PUBLIC_KEYS_REMOVE: Operation[push_types.PublicKeysRemoveReply] = Operation(
    "push.public-keys.remove",
    "DELETE",
    "/push/v1/apps/{app_id}/public-keys/{key_id}",
)
PUSH_PUBLIC_KEYS_UPDATE: Operation[push_types.PublicKey] = Operation(
    "push.public-keys.update",
    "PATCH",
    "/push/v1/apps/{app_id}/public-keys/{key_id}",
    body=True,
)
PUSH_PUBLIC_KEYS_ROTATE: Operation[push_types.ShownPublicKey] = Operation(
    "push.public-keys.rotate",
    "POST",
    "/push/v1/apps/{app_id}/public-keys/{key_id}/rotate",
    body=True,
)
TRUST_CHECK_URL_CHECK: Operation[trust_types.CheckUrlCheckReply] = Operation(
    "trust.check-url.check",
    "POST",
    "/v1/trust/check-url",
    body=True,
    repeatable=True,
)
TRUST_CHECK_URLS_CHECK: Operation[trust_types.CheckUrlsCheckReply] = Operation(
    "trust.check-urls.check",
    "POST",
    "/v1/trust/check-urls",
    body=True,
    repeatable=True,
)
TRUST_LISTS_LIST: Operation[trust_types.ListsListItem] = Operation(
    "trust.lists.list",
    "GET",
    "/v1/trust/lists",
)
TRUST_LISTS_PUT: Operation[trust_types.ListsPutReply] = Operation(
    "trust.lists.put",
    "PUT",
    "/v1/trust/lists",
    body=True,
)
TRUST_LISTS_REMOVE: Operation[trust_types.ListsRemoveReply] = Operation(
    "trust.lists.remove",
    "DELETE",
    "/v1/trust/lists/{id}",
)
TRUST_WATCHES_LIST: Operation[trust_types.Watch] = Operation(
    "trust.watches.list",
    "GET",
    "/v1/trust/watches",
)
TRUST_WATCHES_MAKE: Operation[trust_types.Watch] = Operation(
    "trust.watches.make",
    "POST",
    "/v1/trust/watches",
    body=True,
)
TRUST_WATCHES_MAKEMANY: Operation[trust_types.WatchesMakeManyReply] = Operation(
    "trust.watches.makeMany",
    "POST",
    "/v1/trust/watches/batch",
    body=True,
)
TRUST_WATCHES_READ: Operation[trust_types.Watch] = Operation(
    "trust.watches.read",
    "GET",
    "/v1/trust/watches/{id}",
)
TRUST_WATCHES_REMOVE: Operation[trust_types.WatchesRemoveReply] = Operation(
    "trust.watches.remove",
    "DELETE",
    "/v1/trust/watches/{id}",
)
VIDEO_HEALTH_CHECK: Operation[video_types.Health] = Operation(
    "video.health.check",
    "GET",
    "/v1/stream/health",
    open=True,
)
VIDEO_HEALTH_LIVE: Operation[video_types.HealthLiveReply] = Operation(
    "video.health.live",
    "GET",
    "/v1/stream/health/live",
    open=True,
)
VIDEO_UPLOADS_ABORT: Operation[video_types.UploadsAbortReply] = Operation(
    "video.uploads.abort",
    "DELETE",
    "/v1/stream/uploads/{uploadId}",
)
VIDEO_UPLOADS_STATUS: Operation[video_types.UploadStatus] = Operation(
    "video.uploads.status",
    "GET",
    "/v1/stream/uploads/{uploadId}",
)
VIDEO_UPLOADS_COMPLETE: Operation[video_types.UploadsCompleteReply] = Operation(
    "video.uploads.complete",
    "POST",
    "/v1/stream/uploads/{uploadId}/complete",
    repeatable=True,
)
VIDEO_UPLOADS_PAUSE: Operation[video_types.UploadStatus] = Operation(
    "video.uploads.pause",
    "POST",
    "/v1/stream/uploads/{uploadId}/pause",
)
VIDEO_UPLOADS_RESUME: Operation[video_types.UploadStatus] = Operation(
    "video.uploads.resume",
    "POST",
    "/v1/stream/uploads/{uploadId}/resume",
)
VIDEO_UPLOADS_START: Operation[video_types.UploadSession] = Operation(
    "video.uploads.start",
    "POST",
    "/v1/stream/uploads",
    body=True,
    idempotent=True,
)
VIDEO_UPLOAD_PARTS_SIGN: Operation[video_types.UploadPartsSignReply] = Operation(
    "video.upload-parts.sign",
    "POST",
    "/v1/stream/uploads/{uploadId}/parts/sign",
    body=True,
    repeatable=True,
)
VIDEO_IMPORTS_START: Operation[video_types.Import] = Operation(
    "video.imports.start",
    "POST",
    "/v1/stream/imports",
    body=True,
    idempotent=True,
)
VIDEO_WATERMARKS_CREATE: Operation[video_types.Watermark] = Operation(
    "video.watermarks.create",
    "POST",
    "/v1/stream/watermarks",
    body=True,
)
VIDEO_WATERMARKS_LIST: Operation[video_types.Watermark] = Operation(
    "video.watermarks.list",
    "GET",
    "/v1/stream/watermarks",
)
VIDEO_WATERMARKS_IMAGE: Operation[video_types.WatermarksImageReply] = Operation(
    "video.watermarks.image",
    "GET",
    "/v1/stream/watermarks/{id}/image",
)
VIDEO_ASSETS_LIST: Operation[video_types.AssetSummary] = Operation(
    "video.assets.list",
    "GET",
    "/v1/stream/assets",
)
VIDEO_ASSETS_READ: Operation[video_types.Asset] = Operation(
    "video.assets.read",
    "GET",
    "/v1/stream/assets/{assetId}",
)
VIDEO_ASSETS_REMOVE: Operation[video_types.AssetsRemoveReply] = Operation(
    "video.assets.remove",
    "DELETE",
    "/v1/stream/assets/{assetId}",
)
VIDEO_ASSETS_SETVISIBILITY: Operation[video_types.AssetsSetVisibilityReply] = Operation(
    "video.assets.setVisibility",
    "PATCH",
    "/v1/stream/assets/{assetId}",
    body=True,
)
VIDEO_MP4S_CREATE: Operation[video_types.Mp4] = Operation(
    "video.mp4s.create",
    "POST",
    "/v1/stream/assets/{assetId}/mp4s",
    body=True,
    repeatable=True,
)
VIDEO_MP4S_READ: Operation[video_types.Mp4] = Operation(
    "video.mp4s.read",
    "GET",
    "/v1/stream/assets/{assetId}/mp4s/{rendition}",
)
VIDEO_FRAMES_CREATE: Operation[video_types.FramesCreateReply] = Operation(
    "video.frames.create",
    "POST",
    "/v1/stream/assets/{assetId}/frames",
    body=True,
    repeatable=True,
)
VIDEO_CAPTIONS_CHANGE: Operation[video_types.CaptionTrack] = Operation(
    "video.captions.change",
    "PATCH",
    "/v1/stream/assets/{assetId}/captions/{language}",
    body=True,
)
VIDEO_CAPTIONS_PUT: Operation[video_types.CaptionTrack] = Operation(
    "video.captions.put",
    "PUT",
    "/v1/stream/assets/{assetId}/captions/{language}",
    body=True,
)
VIDEO_CAPTIONS_READ: Operation[str] = Operation(
    "video.captions.read",
    "GET",
    "/v1/stream/assets/{assetId}/captions/{language}",
    text=True,
)
VIDEO_CAPTIONS_REMOVE: Operation[video_types.CaptionsRemoveReply] = Operation(
    "video.captions.remove",
    "DELETE",
    "/v1/stream/assets/{assetId}/captions/{language}",
)
VIDEO_CAPTIONS_CREATE: Operation[video_types.CaptionRequest] = Operation(
    "video.captions.create",
    "POST",
    "/v1/stream/assets/{assetId}/captions",
    body=True,
)
VIDEO_SOURCES_READ: Operation[video_types.SourcesReadReply] = Operation(
    "video.sources.read",
    "GET",
    "/v1/stream/assets/{assetId}/source",
)
VIDEO_PLAYBACK_SESSIONS_LIST: Operation[video_types.ListedSession] = Operation(
    "video.playback-sessions.list",
    "GET",
    "/v1/stream/playback-sessions",
)
VIDEO_PLAYBACK_SESSIONS_MINT: Operation[video_types.PlaybackSession] = Operation(
    "video.playback-sessions.mint",
    "POST",
    "/v1/stream/assets/{assetId}/playback-sessions",
    body=True,
)
VIDEO_PLAYBACK_SESSIONS_REVOKE: Operation[video_types.PlaybackSessionsRevokeReply] = Operation(
    "video.playback-sessions.revoke",
    "DELETE",
    "/v1/stream/assets/playback-sessions/{sessionId}",
)
VIDEO_PLAYBACK_SESSIONS_REVOKEVIEWER: Operation[video_types.PlaybackSessionsRevokeViewerReply] = Operation(
    "video.playback-sessions.revokeViewer",
    "POST",
    "/v1/stream/playback-sessions/revoke",
    body=True,
    repeatable=True,
)
VIDEO_DOMAINS_CREATE: Operation[video_types.Domain] = Operation(
    "video.domains.create",
    "POST",
    "/v1/stream/domains",
    body=True,
)
VIDEO_DOMAINS_LIST: Operation[video_types.Domain] = Operation(
    "video.domains.list",
    "GET",
    "/v1/stream/domains",
)
VIDEO_DOMAINS_READ: Operation[video_types.Domain] = Operation(
    "video.domains.read",
    "GET",
    "/v1/stream/domains/{domainId}",
)
VIDEO_DOMAINS_REMOVE: Operation[video_types.DomainsRemoveReply] = Operation(
    "video.domains.remove",
    "DELETE",
    "/v1/stream/domains/{domainId}",
)
VIDEO_DOMAINS_VERIFY: Operation[video_types.Domain] = Operation(
    "video.domains.verify",
    "POST",
    "/v1/stream/domains/{domainId}/verify",
    repeatable=True,
)
VIDEO_EMBEDDING_READ: Operation[video_types.Embedding] = Operation(
    "video.embedding.read",
    "GET",
    "/v1/stream/embedding",
)
VIDEO_EMBEDDING_SET: Operation[video_types.Embedding] = Operation(
    "video.embedding.set",
    "PUT",
    "/v1/stream/embedding",
    body=True,
)
VIDEO_BEACONS_COLLECT: Operation[None] = Operation(
    "video.beacons.collect",
    "POST",
    "/v1/stream/collect",
    body=True,
    open=True,
)
VIDEO_QUALITY_READ: Operation[video_types.Quality] = Operation(
    "video.quality.read",
    "GET",
    "/v1/stream/assets/{assetId}/quality",
)
VIDEO_WEBHOOKS_CREATE: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "video.webhooks.create",
    "POST",
    "/v1/stream/webhooks",
    body=True,
)
VIDEO_WEBHOOKS_LIST: Operation[webhooks_types.Endpoint] = Operation(
    "video.webhooks.list",
    "GET",
    "/v1/stream/webhooks",
)
VIDEO_WEBHOOKS_ENABLE: Operation[webhooks_types.Endpoint] = Operation(
    "video.webhooks.enable",
    "POST",
    "/v1/stream/webhooks/{id}/enable",
    repeatable=True,
)
VIDEO_WEBHOOKS_REMOVE: Operation[video_types.WebhooksRemoveReply] = Operation(
    "video.webhooks.remove",
    "DELETE",
    "/v1/stream/webhooks/{id}",
)
VIDEO_WEBHOOKS_ROTATESECRET: Operation[webhooks_types.EndpointWithSecret] = Operation(
    "video.webhooks.rotateSecret",
    "POST",
    "/v1/stream/webhooks/{id}/rotate-secret",
    body=True,
)
VIDEO_WEBHOOKS_TEST: Operation[webhooks_types.TestResult] = Operation(
    "video.webhooks.test",
    "POST",
    "/v1/stream/webhooks/{id}/test",
)
VIDEO_WEBHOOK_DELIVERIES_LIST: Operation[webhooks_types.Delivery] = Operation(
    "video.webhook-deliveries.list",
    "GET",
    "/v1/stream/webhooks/{id}/deliveries",
)
VIDEO_WEBHOOK_DELIVERIES_REPLAY: Operation[video_types.WebhookDeliveriesReplayReply] = Operation(
    "video.webhook-deliveries.replay",
    "POST",
    "/v1/stream/webhooks/{id}/deliveries/{delivery_id}/replay",
)
VIDEO_WEBHOOK_DELIVERIES_REPLAYSINCE: Operation[video_types.WebhookDeliveriesReplaySinceReply] = Operation(
    "video.webhook-deliveries.replaySince",
    "POST",
    "/v1/stream/webhooks/{id}/replay",
    body=True,
)
VIDEO_CONTRACT_DOCS: Operation[str] = Operation(
    "video.contract.docs",
    "GET",
    "/v1/stream/docs",
    open=True,
    text=True,
)
VIDEO_CONTRACT_DOCUMENT: Operation[Dict[str, Any]] = Operation(
    "video.contract.document",
    "GET",
    "/v1/stream/openapi.json",
    open=True,
)
LIVE_CHANNELS_CREATE: Operation[live_types.NewChannel] = Operation(
    "live.channels.create",
    "POST",
    "/v1/stream/live/channels",
    body=True,
)
LIVE_CHANNELS_LIST: Operation[live_types.ChannelSummary] = Operation(
    "live.channels.list",
    "GET",
    "/v1/stream/live/channels",
)
LIVE_CHANNELS_READ: Operation[live_types.Channel] = Operation(
    "live.channels.read",
    "GET",
    "/v1/stream/live/channels/{channelId}",
)
LIVE_CHANNELS_REMOVE: Operation[live_types.ChannelsRemoveReply] = Operation(
    "live.channels.remove",
    "DELETE",
    "/v1/stream/live/channels/{channelId}",
)
LIVE_CHANNELS_UPDATE: Operation[live_types.Channel] = Operation(
    "live.channels.update",
    "PATCH",
    "/v1/stream/live/channels/{channelId}",
    body=True,
)
LIVE_KEYS_ROTATE: Operation[live_types.Key] = Operation(
    "live.keys.rotate",
    "POST",
    "/v1/stream/live/channels/{channelId}/keys/rotate",
    body=True,
)
LIVE_PLAYBACK_SESSIONS_MINT: Operation[live_types.PlaybackSession] = Operation(
    "live.playback-sessions.mint",
    "POST",
    "/v1/stream/live/channels/{channelId}/playback-sessions",
    body=True,
)
LIVE_BROADCASTS_END: Operation[live_types.BroadcastsEndReply] = Operation(
    "live.broadcasts.end",
    "POST",
    "/v1/stream/live/channels/{channelId}/end",
    body=True,
    repeatable=True,
)
LIVE_BROADCASTS_LIST: Operation[live_types.Broadcast] = Operation(
    "live.broadcasts.list",
    "GET",
    "/v1/stream/live/channels/{channelId}/broadcasts",
)
LIVE_RESTREAMS_CREATE: Operation[live_types.Restream] = Operation(
    "live.restreams.create",
    "POST",
    "/v1/stream/live/channels/{channelId}/restreams",
    body=True,
)
LIVE_RESTREAMS_LIST: Operation[live_types.Restream] = Operation(
    "live.restreams.list",
    "GET",
    "/v1/stream/live/channels/{channelId}/restreams",
)
LIVE_RESTREAMS_READ: Operation[live_types.Restream] = Operation(
    "live.restreams.read",
    "GET",
    "/v1/stream/live/channels/{channelId}/restreams/{restreamId}",
)
LIVE_RESTREAMS_REMOVE: Operation[live_types.RestreamsRemoveReply] = Operation(
    "live.restreams.remove",
    "DELETE",
    "/v1/stream/live/channels/{channelId}/restreams/{restreamId}",
)
LIVE_RESTREAMS_UPDATE: Operation[live_types.Restream] = Operation(
    "live.restreams.update",
    "PATCH",
    "/v1/stream/live/channels/{channelId}/restreams/{restreamId}",
    body=True,
)
ROOMS_ROOMS_CREATE: Operation[rooms_types.Room] = Operation(
    "rooms.rooms.create",
    "POST",
    "/v1/stream/rooms",
    body=True,
)
ROOMS_ROOMS_LIST: Operation[rooms_types.Room] = Operation(
    "rooms.rooms.list",
    "GET",
    "/v1/stream/rooms",
)
ROOMS_ROOMS_END: Operation[rooms_types.EndReply] = Operation(
    "rooms.rooms.end",
    "DELETE",
    "/v1/stream/rooms/{roomId}",
)
ROOMS_ROOMS_READ: Operation[rooms_types.Room] = Operation(
    "rooms.rooms.read",
    "GET",
    "/v1/stream/rooms/{roomId}",
)
ROOMS_ROOMS_UPDATE: Operation[rooms_types.Room] = Operation(
    "rooms.rooms.update",
    "PATCH",
    "/v1/stream/rooms/{roomId}",
    body=True,
)
ROOMS_BROADCASTS_READ: Operation[rooms_types.Broadcast] = Operation(
    "rooms.broadcasts.read",
    "GET",
    "/v1/stream/rooms/{roomId}/broadcast",
)
ROOMS_BROADCASTS_START: Operation[rooms_types.Broadcast] = Operation(
    "rooms.broadcasts.start",
    "POST",
    "/v1/stream/rooms/{roomId}/broadcast",
    body=True,
)
ROOMS_BROADCASTS_STOP: Operation[rooms_types.Broadcast] = Operation(
    "rooms.broadcasts.stop",
    "DELETE",
    "/v1/stream/rooms/{roomId}/broadcast",
)
ROOMS_RESTREAMS_CREATE: Operation[rooms_types.Restream] = Operation(
    "rooms.restreams.create",
    "POST",
    "/v1/stream/rooms/{roomId}/restreams",
    body=True,
)
ROOMS_RESTREAMS_LIST: Operation[rooms_types.Restream] = Operation(
    "rooms.restreams.list",
    "GET",
    "/v1/stream/rooms/{roomId}/restreams",
)
ROOMS_RESTREAMS_READ: Operation[rooms_types.Restream] = Operation(
    "rooms.restreams.read",
    "GET",
    "/v1/stream/rooms/{roomId}/restreams/{restreamId}",
)
ROOMS_RESTREAMS_REMOVE: Operation[rooms_types.RestreamsRemoveReply] = Operation(
    "rooms.restreams.remove",
    "DELETE",
    "/v1/stream/rooms/{roomId}/restreams/{restreamId}",
)
ROOMS_RESTREAMS_UPDATE: Operation[rooms_types.Restream] = Operation(
    "rooms.restreams.update",
    "PATCH",
    "/v1/stream/rooms/{roomId}/restreams/{restreamId}",
    body=True,
)
ROOMS_RECORDINGS_LIST: Operation[rooms_types.RecordingsListReply] = Operation(
    "rooms.recordings.list",
    "GET",
    "/v1/stream/rooms/{roomId}/recordings",
)
ROOMS_TOKENS_ISSUE: Operation[rooms_types.Token] = Operation(
    "rooms.tokens.issue",
    "POST",
    "/v1/stream/rooms/{roomId}/tokens",
    body=True,
    repeatable=True,
)
ROOMS_PARTICIPANTS_KICK: Operation[rooms_types.ParticipantsKickReply] = Operation(
    "rooms.participants.kick",
    "DELETE",
    "/v1/stream/rooms/{roomId}/participants/{participantId}",
)
ROOMS_PARTICIPANTS_SETROLE: Operation[rooms_types.Participant] = Operation(
    "rooms.participants.setRole",
    "PATCH",
    "/v1/stream/rooms/{roomId}/participants/{participantId}",
    body=True,
)
ROOMS_PARTICIPANTS_LIST: Operation[rooms_types.ParticipantsListReply] = Operation(
    "rooms.participants.list",
    "GET",
    "/v1/stream/rooms/{roomId}/participants",
)
ROOMS_PARTICIPANTS_MUTE: Operation[rooms_types.ParticipantsMuteReply] = Operation(
    "rooms.participants.mute",
    "POST",
    "/v1/stream/rooms/{roomId}/participants/{participantId}/mute",
    body=True,
    repeatable=True,
)
ROOMS_WAITING_ADMIT: Operation[rooms_types.WaitingAdmitReply] = Operation(
    "rooms.waiting.admit",
    "POST",
    "/v1/stream/rooms/{roomId}/waiting/{waitingId}/admit",
)
ROOMS_WAITING_LIST: Operation[rooms_types.WaitingListReply] = Operation(
    "rooms.waiting.list",
    "GET",
    "/v1/stream/rooms/{roomId}/waiting",
)
ROOMS_WAITING_REFUSE: Operation[rooms_types.WaitingRefuseReply] = Operation(
    "rooms.waiting.refuse",
    "DELETE",
    "/v1/stream/rooms/{roomId}/waiting/{waitingId}",
)
VOICE_DIDS_LIST: Operation[voice_types.Did] = Operation(
    "voice.dids.list",
    "GET",
    "/v1/voice/dids",
)
VOICE_STATUS_READ: Operation[voice_types.Status] = Operation(
    "voice.status.read",
    "GET",
    "/v1/voice/status",
)
VOICE_CLICK_TO_CALL_CREATE: Operation[voice_types.Call] = Operation(
    "voice.click-to-call.create",
    "POST",
    "/v1/voice/click-to-call",
    body=True,
    idempotent=True,
)
VOICE_CALLS_HANGUP: Operation[voice_types.Call] = Operation(
    "voice.calls.hangUp",
    "DELETE",
    "/v1/voice/calls/{call_id}",
)
VOICE_CALLS_READ: Operation[voice_types.Call] = Operation(
    "voice.calls.read",
    "GET",
    "/v1/voice/calls/{call_id}",
)
VOICE_CALLS_LIST: Operation[voice_types.Call] = Operation(
    "voice.calls.list",
    "GET",
    "/v1/voice/calls",
)
WHATSAPP_MESSAGES_LIST: Operation[whatsapp_types.Message] = Operation(
    "whatsapp.messages.list",
    "GET",
    "/v1/whatsapp/messages",
)
WHATSAPP_MESSAGES_READ: Operation[whatsapp_types.MessagesReadReply] = Operation(
    "whatsapp.messages.read",
    "GET",
    "/v1/whatsapp/messages/{id}",
)
WHATSAPP_MESSAGES_SEND: Operation[whatsapp_types.Sent] = Operation(
    "whatsapp.messages.send",
    "POST",
    "/v1/whatsapp/send",
    body=True,
    idempotent=True,
)
WHATSAPP_MESSAGES_SENDTEMPLATE: Operation[whatsapp_types.Sent] = Operation(
    "whatsapp.messages.sendTemplate",
    "POST",
    "/v1/whatsapp/send-template",
    body=True,
    idempotent=True,
)
WHATSAPP_NUMBERS_CONNECT: Operation[whatsapp_types.NumbersConnectReply] = Operation(
    "whatsapp.numbers.connect",
    "POST",
    "/v1/whatsapp/numbers",
    body=True,
)
WHATSAPP_NUMBERS_LIST: Operation[whatsapp_types.BusinessNumber] = Operation(
    "whatsapp.numbers.list",
    "GET",
    "/v1/whatsapp/numbers",
)
WHATSAPP_NUMBERS_READ: Operation[whatsapp_types.BusinessNumber] = Operation(
    "whatsapp.numbers.read",
    "GET",
    "/v1/whatsapp/numbers/{id}",
)
WHATSAPP_NUMBERS_REMOVE: Operation[whatsapp_types.NumbersRemoveReply] = Operation(
    "whatsapp.numbers.remove",
    "DELETE",
    "/v1/whatsapp/numbers/{id}",
)
WHATSAPP_NUMBERS_ROTATE: Operation[whatsapp_types.BusinessNumber] = Operation(
    "whatsapp.numbers.rotate",
    "POST",
    "/v1/whatsapp/numbers/{id}/rotate",
    body=True,
)
WHATSAPP_TEMPLATES_CREATE: Operation[whatsapp_types.Template] = Operation(
    "whatsapp.templates.create",
    "POST",
    "/v1/whatsapp/templates",
    body=True,
)
WHATSAPP_TEMPLATES_LIST: Operation[whatsapp_types.Template] = Operation(
    "whatsapp.templates.list",
    "GET",
    "/v1/whatsapp/templates",
)
WHATSAPP_TEMPLATES_READ: Operation[whatsapp_types.Template] = Operation(
    "whatsapp.templates.read",
    "GET",
    "/v1/whatsapp/templates/{id}",
)
WHATSAPP_TEMPLATES_REMOVE: Operation[whatsapp_types.TemplatesRemoveReply] = Operation(
    "whatsapp.templates.remove",
    "DELETE",
    "/v1/whatsapp/templates/{id}",
)
WIKI_READERS_LIST: Operation[wiki_types.PublishedListed] = Operation(
    "wiki.readers.list",
    "GET",
    "/v1/wiki/articles",
)
WIKI_ARTICLES_CREATE: Operation[wiki_types.Article] = Operation(
    "wiki.articles.create",
    "POST",
    "/v1/wiki/articles",
    body=True,
    idempotent=True,
)
WIKI_READERS_READ: Operation[wiki_types.Published] = Operation(
    "wiki.readers.read",
    "GET",
    "/v1/wiki/articles/{slug}",
)
WIKI_ARTICLES_REMOVE: Operation[wiki_types.ArticlesRemoveReply] = Operation(
    "wiki.articles.remove",
    "DELETE",
    "/v1/wiki/articles/{slug}",
)
WIKI_ARTICLES_UPDATE: Operation[wiki_types.Article] = Operation(
    "wiki.articles.update",
    "PUT",
    "/v1/wiki/articles/{slug}",
    body=True,
)
WIKI_SEARCH_FIND: Operation[wiki_types.SearchFindReply] = Operation(
    "wiki.search.find",
    "GET",
    "/v1/wiki/search",
)
WIKI_TREE_PUT: Operation[wiki_types.Place] = Operation(
    "wiki.tree.put",
    "PUT",
    "/v1/wiki/articles/{id}/place",
    body=True,
)
WIKI_TREE_READ: Operation[wiki_types.TreeReadReply] = Operation(
    "wiki.tree.read",
    "GET",
    "/v1/wiki/tree",
)
WIKI_TREE_READALL: Operation[wiki_types.TreeReadAllReply] = Operation(
    "wiki.tree.readAll",
    "GET",
    "/v1/wiki/admin/tree",
)
WIKI_ADMIN_ARTICLES_LIST: Operation[wiki_types.ArticleListed] = Operation(
    "wiki.admin-articles.list",
    "GET",
    "/v1/wiki/admin/articles",
)
WIKI_ARTICLE_VERSIONS_LIST: Operation[wiki_types.VersionListed] = Operation(
    "wiki.article-versions.list",
    "GET",
    "/v1/wiki/admin/articles/{id}/versions",
)
WIKI_ARTICLE_VERSIONS_READ: Operation[wiki_types.Version] = Operation(
    "wiki.article-versions.read",
    "GET",
    "/v1/wiki/admin/articles/{id}/versions/{versionId}",
)
WIKI_ARTICLE_VERSIONS_RESTORE: Operation[wiki_types.Article] = Operation(
    "wiki.article-versions.restore",
    "POST",
    "/v1/wiki/admin/articles/{id}/versions/{versionId}/restore",
    body=True,
)
WIKI_REVIEWS_CREATE: Operation[wiki_types.Review] = Operation(
    "wiki.reviews.create",
    "POST",
    "/v1/wiki/admin/articles/{id}/versions/{versionId}/reviews",
    body=True,
)
WIKI_REVIEWS_LIST: Operation[wiki_types.Review] = Operation(
    "wiki.reviews.list",
    "GET",
    "/v1/wiki/admin/articles/{id}/versions/{versionId}/reviews",
)
WIKI_REVIEWS_SETSETTINGS: Operation[wiki_types.Settings] = Operation(
    "wiki.reviews.setSettings",
    "PUT",
    "/v1/wiki/admin/settings",
    body=True,
)
WIKI_REVIEWS_SETTINGS: Operation[wiki_types.Settings] = Operation(
    "wiki.reviews.settings",
    "GET",
    "/v1/wiki/admin/settings",
)
WIKI_TRANSFER_CREATE: Operation[wiki_types.Article] = Operation(
    "wiki.transfer.create",
    "POST",
    "/v1/wiki/admin/import",
    body=True,
    idempotent=True,
)
WIKI_TRANSFER_READ: Operation[wiki_types.TransferReadReply] = Operation(
    "wiki.transfer.read",
    "GET",
    "/v1/wiki/admin/articles/{id}/export",
)
WIKI_SOURCES_CREATE: Operation[wiki_types.Source] = Operation(
    "wiki.sources.create",
    "POST",
    "/v1/wiki/sources",
    body=True,
    idempotent=True,
)
WIKI_SOURCES_LIST: Operation[wiki_types.Source] = Operation(
    "wiki.sources.list",
    "GET",
    "/v1/wiki/sources",
)
WIKI_SOURCES_READ: Operation[wiki_types.SourceWithSnapshots] = Operation(
    "wiki.sources.read",
    "GET",
    "/v1/wiki/sources/{id}",
    open=True,
)
WIKI_SOURCES_REMOVE: Operation[wiki_types.SourcesRemoveReply] = Operation(
    "wiki.sources.remove",
    "DELETE",
    "/v1/wiki/sources/{id}",
)
WIKI_SNAPSHOTS_CREATE: Operation[wiki_types.Snapshot] = Operation(
    "wiki.snapshots.create",
    "POST",
    "/v1/wiki/sources/{id}/snapshots",
    body=True,
    idempotent=True,
)
WIKI_SNAPSHOTS_LIST: Operation[wiki_types.Snapshot] = Operation(
    "wiki.snapshots.list",
    "GET",
    "/v1/wiki/sources/{id}/snapshots",
)
WIKI_SNAPSHOTS_DOWNLOADURL: Operation[wiki_types.SnapshotsDownloadUrlReply] = Operation(
    "wiki.snapshots.downloadUrl",
    "POST",
    "/v1/wiki/snapshots/{id}/download-url",
    body=True,
    repeatable=True,
)
WIKI_SNAPSHOTS_READ: Operation[wiki_types.Snapshot] = Operation(
    "wiki.snapshots.read",
    "GET",
    "/v1/wiki/snapshots/{id}",
)
WIKI_SNAPSHOTS_REMOVE: Operation[wiki_types.SnapshotsRemoveReply] = Operation(
    "wiki.snapshots.remove",
    "DELETE",
    "/v1/wiki/snapshots/{id}",
)
WIKI_SNAPSHOTS_TEXT: Operation[wiki_types.SnapshotsTextReply] = Operation(
    "wiki.snapshots.text",
    "GET",
    "/v1/wiki/snapshots/{id}/text",
)
WIKI_ENTITIES_CREATE: Operation[wiki_types.Entity] = Operation(
    "wiki.entities.create",
    "POST",
    "/v1/wiki/entities",
    body=True,
    idempotent=True,
)
WIKI_ENTITIES_LIST: Operation[wiki_types.EntitySummary] = Operation(
    "wiki.entities.list",
    "GET",
    "/v1/wiki/entities",
)
WIKI_ENTITIES_READ: Operation[wiki_types.Entity] = Operation(
    "wiki.entities.read",
    "GET",
    "/v1/wiki/entities/{id}",
)
WIKI_ENTITIES_UPDATE: Operation[wiki_types.Entity] = Operation(
    "wiki.entities.update",
    "PATCH",
    "/v1/wiki/entities/{id}",
    body=True,
)
WIKI_CLAIMS_ADDREFERENCE: Operation[wiki_types.Claim] = Operation(
    "wiki.claims.addReference",
    "POST",
    "/v1/wiki/claims/{id}/references",
    body=True,
)
WIKI_CLAIMS_CREATE: Operation[wiki_types.Claim] = Operation(
    "wiki.claims.create",
    "POST",
    "/v1/wiki/claims",
    body=True,
    idempotent=True,
)
WIKI_CLAIMS_LIST: Operation[wiki_types.Claim] = Operation(
    "wiki.claims.list",
    "GET",
    "/v1/wiki/claims",
)
WIKI_CLAIMS_READ: Operation[wiki_types.Claim] = Operation(
    "wiki.claims.read",
    "GET",
    "/v1/wiki/claims/{id}",
)
WIKI_CLAIMS_UPDATE: Operation[wiki_types.Claim] = Operation(
    "wiki.claims.update",
    "PATCH",
    "/v1/wiki/claims/{id}",
    body=True,
)
