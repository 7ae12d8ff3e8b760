// Made by `npm run sdk` from the document of the API.

/** Error code for client code. Later versions can add codes. */
export type ErrorCode = "above_plan" | "already_invited" | "already_member" | "ambiguous_code" | "asset_not_ready" | "asset_private" | "bad_request" | "broadcast_active" | "broadcast_not_found" | "budget_reached" | "campaign_begun" | "campaign_not_sendable" | "captions_limit" | "challenge_expired" | "challenge_spent" | "channel_idle" | "complaint_stays" | "conflict" | "contact_asked" | "contact_not_confirmed" | "contact_unsubscribed" | "content_encoded" | "content_refused" | "denied" | "diff_too_large" | "dns_lookup_failed" | "document_missing" | "domain_exists" | "domain_limit" | "domain_not_allowed" | "domain_not_proven" | "domain_not_verified" | "domain_taken" | "face_too_small" | "file_not_clean" | "forbidden" | "image_too_large" | "input_too_long" | "insufficient_evidence" | "invalid_message" | "invalid_request" | "invitation_limit" | "key_expired" | "key_limit" | "key_revoked" | "language_unsupported" | "last_owner" | "lock_without_scope" | "marketing_paused" | "message_left" | "method_not_allowed" | "misdirected" | "model_not_found" | "monthly_limit_reached" | "multiple_faces" | "no_bytes" | "no_face_detected" | "no_number" | "not_captured" | "not_clean" | "not_configured" | "not_found" | "not_previewable" | "not_uploaded" | "number_connected" | "number_refused" | "number_removed" | "number_taken" | "organisation_closed" | "outside_service_window" | "own_version" | "part_size_mismatch" | "parts_missing" | "payload_too_large" | "plan_limit_exceeded" | "rate_limited" | "recipient_opted_out" | "recipient_unreachable" | "restream_limit" | "review_required" | "room_ended" | "rotation_running" | "route_exists" | "route_limit" | "sandbox_limit" | "scope_not_held" | "search_too_broad" | "segment_gone" | "segment_in_use" | "server_error" | "size_mismatch" | "slug_taken" | "stream_key_invalid" | "template_disabled" | "template_exists" | "template_not_approved" | "template_not_found" | "template_parameters" | "template_paused" | "template_policy" | "template_text_too_long" | "token_budget_exceeded" | "token_invalid" | "too_large" | "too_many_segments" | "too_many_texts" | "too_many_versions" | "too_many_watches" | "too_many_workflows" | "trigger_taken" | "unauthorized" | "unreadable_image" | "unsupported_image_format" | "unsupported_media_type" | "upstream_error" | "version_conflict" | "viewer_concurrency_reached" | "watermark_limit" | "webhook_disabled" | "webhook_limit" | "would_unprove" | "wrong_answer"

export type ErrorResponse = {
  error: {
    code: ErrorCode
    /** Error message for people */
    message: string
    /** Data that client code can use. For `bad_request`: every invalid field. */
    details?: unknown | undefined
    /** ID of this request in the request log */
    request_id: string
  }
}

export type AccountCatalogue = {
  version: string
  areas: Array<{
    name: string
    title: string
    base_path: string
    operations: Array<{
      id: string
      method: string
      path: string
      summary: string
      scope: string | Array<string> | null
      /** `sandbox`: test keys get rows of test mode. `shared`: they get the same as live keys. `null`: refused */
      test_keys: "sandbox" | "shared" | null
    }>
  }>
}

export type AccountOrganisation = {
  id: string
  name: string
  plan: string
  created_at: string
  /** What the plan allows, by the name of the limit */
  limits: Record<string, number>
  /** That of the asking key */
  mode: "live" | "test"
}

export type AccountKeyWithSecret = {
  id: string
  name: string
  prefix: string
  /** How its newest secret begins */
  start: string
  scopes: Array<string>
  locks: {
    from_domains?: Array<string> | undefined
    app_id?: string | undefined
    site_id?: string | undefined
    origins?: Array<string> | undefined
    tenant_id?: string | undefined
    calls?: false | undefined
  }
  mode: "live" | "test"
  public: boolean
  /** The kind of actor and its id, as `user:…`; null where it was not noted */
  created_by: string | null
  /** The key that made it, with which it ends. `null` if a member made it, or an owner has confirmed it. */
  made_by_key: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  rate_per_minute: number | null
  networks: Array<string> | null
  note: string | null
  /** Those that are good, newest first: two while it is rotated */
  secrets: Array<AccountKeySecret>
  /** The key itself, this once */
  secret: string
}

export type AccountKeySecret = {
  id: string
  /** How it begins: the prefix, and four characters where they are known */
  start: string
  created_at: string
  expires_at: string | null
  first_used_at: string | null
  last_used_at: string | null
}

export type AccountKey = {
  id: string
  name: string
  prefix: string
  /** How its newest secret begins */
  start: string
  scopes: Array<string>
  locks: {
    from_domains?: Array<string> | undefined
    app_id?: string | undefined
    site_id?: string | undefined
    origins?: Array<string> | undefined
    tenant_id?: string | undefined
    calls?: false | undefined
  }
  mode: "live" | "test"
  public: boolean
  /** The kind of actor and its id, as `user:…`; null where it was not noted */
  created_by: string | null
  /** The key that made it, with which it ends. `null` if a member made it, or an owner has confirmed it. */
  made_by_key: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  rate_per_minute: number | null
  networks: Array<string> | null
  note: string | null
  /** Those that are good, newest first: two while it is rotated */
  secrets: Array<AccountKeySecret>
}

export type AccountKeyVerdict = {
  allowed: boolean
  /** All that would refuse it */
  why: Array<{
    kind: "state" | "public_key" | "test_mode" | "scope" | "lock" | "network"
    name: string
    message: string
  }>
  /** Facts that were not given, by which it may be refused */
  depends_on: Array<"from" | "app_id" | "site_id" | "tenant_id" | "origin" | "network">
}

export type AccountLock = {
  name: string
  /** A key with this lock has one of these; null is any */
  scopes: Array<string> | null
  /** Operations that it allows or refuses by what they are about */
  binds: Array<string>
  /** Operations that it refuses */
  refuses: Array<string>
}

export type AccountMember = {
  user_id: string
  email: string
  name: string
  role: "owner" | "admin" | "developer" | "viewer"
  /** Since when they belong to the organisation */
  created_at: string
  /** When a session of theirs was last used; null when none is open */
  seen_at: string | null
  disabled_at: string | null
  /** How many they can sign in with */
  passkeys: number
}

export type AccountInvitation = {
  id: string
  email: string
  role: "owner" | "admin" | "developer" | "viewer"
  /** The key that made it, with which it ends. `null` for one by a member. */
  made_by_key: string | null
  created_at: string
  /** When its link was last mailed; null while it waits to be */
  sent_at: string | null
  expires_at: string
}

export type AccountAuditEntry = {
  id: string
  /** Counts the organisation’s entries from 1, without a gap */
  number: number
  created_at: string
  actor: {
    kind: "key" | "user" | "operator" | "system"
    id: string | null
    name: string
  }
  /** `<resource>.<verb>`, as `key.created` */
  action: string
  /** What it was done to */
  target: string | null
  request_id: string | null
  /** The /24 or /48 from which it was asked for */
  network: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  previous_hash: string
  /** SHA-256 over the hash before and this entry; `millrace audit check` verifies an export */
  hash: string
}

export type AccountRequestDetail = {
  id: string
  created_at: string
  /** The `X-Request-Id` that came with it, which others may have, too */
  client_id: string | null
  key_id: string
  secret_id: string | null
  operation: string
  status: number
  /** The code of the error that was answered */
  code: string | null
  /** Fields that the error named */
  fields: Array<string>
  ms: number
  bytes_in: number | null
  bytes_out: number | null
  /** The /24 or /48 from which it came */
  network: string
  /** Name and version of our client that sent it */
  sdk: string | null
  /** What it made */
  resource_id: string | null
  /** Of the body, masked, while a window of its key was open */
  request_head: string | null
  response_head: string | null
  /** What followed: jobs, their attempts, and what providers answered */
  thread: {
    jobs: Array<{
      id: string
      task: string
      state: "waiting" | "running" | "done" | "failed" | "rejected" | "cancelled"
      created_at: string
      finished_at: string | null
      attempts: Array<{
        attempt: number
        started_at: string
        ended_at: string | null
        outcome: string | null
      }>
    }>
    failures: Array<{
      job: string
      task: string
      attempt: number
      final: boolean
      ended_at: string
    }>
    email: Array<{
      number: number
      outcome: "delivered" | "sent" | "deferred" | "bounced" | "failed" | "unknown"
      reply_class: string | null
      mx_host: string | null
      replies: Array<{
        stage: string
        code: number | null
        enhanced: string | null
        text: string
        ms: number
      }>
      started_at: string
      ended_at: string
    }>
    push: Array<{
      number: number
      outcome: "sent" | "retry" | "invalid_token" | "rejected" | "credential" | "unknown"
      provider_status: number | null
      reason: string | null
      latency_ms: number | null
      created_at: string
    }>
    webhooks: Array<{
      id: string
      endpoint_id: string
      status: "pending" | "delivered" | "failed"
      attempts: number
      attempted_at: string | null
      response_status: number | null
      latency_ms: number | null
      type: string
    }>
  }
}

export type AccountRequest = {
  id: string
  created_at: string
  /** The `X-Request-Id` that came with it, which others may have, too */
  client_id: string | null
  key_id: string
  secret_id: string | null
  operation: string
  status: number
  /** The code of the error that was answered */
  code: string | null
  /** Fields that the error named */
  fields: Array<string>
  ms: number
  bytes_in: number | null
  bytes_out: number | null
  /** The /24 or /48 from which it came */
  network: string
  /** Name and version of our client that sent it */
  sdk: string | null
  /** What it made */
  resource_id: string | null
}

export type AccountRequestWindow = {
  key_id: string
  ends_at: string
}

export type AccountDailyUsage = {
  metric: "requests" | "email.messages" | "email.delivered" | "ai.tokens" | "ai.requests" | "bots.answers" | "storage.bytes" | "push.messages" | "push.deliveries" | "guard.challenges" | "video.stored" | "video.encoded" | "video.delivered" | "video.views" | "video.bytes" | "live.broadcast" | "rooms.participants" | "voice.seconds" | "voice.calls" | "whatsapp.messages" | "whatsapp.received" | "identity.checks" | "trust.checks" | "geo.lookups" | "erp.lookups" | "notify.events" | "files.scans" | "wiki.snapshots"
  unit: string
  from: string
  to: string
  data: Array<{
    day: string
    name: string | null
    amount: number
  }>
}

export type AccountMetricUsage = {
  metric: "requests" | "email.messages" | "email.delivered" | "ai.tokens" | "ai.requests" | "bots.answers" | "storage.bytes" | "push.messages" | "push.deliveries" | "guard.challenges" | "video.stored" | "video.encoded" | "video.delivered" | "video.views" | "video.bytes" | "live.broadcast" | "rooms.participants" | "voice.seconds" | "voice.calls" | "whatsapp.messages" | "whatsapp.received" | "identity.checks" | "trust.checks" | "geo.lookups" | "erp.lookups" | "notify.events" | "files.scans" | "wiki.snapshots"
  area: string
  unit: string
  words: string
  billable: boolean
  /** Of UTC; a day if your budget counts by days */
  period: "month" | "day"
  used: number
  /** The least of the plan’s limit and your own hard one */
  limit: number | null
  soft: number | null
  /** What the period comes to if it goes on as it did */
  forecast: number | null
  resets_at: string
}

export type AccountBudget = {
  metric: string
  period: "month" | "day"
  soft: number | null
  hard: number | null
  alert_at: Array<number>
  updated_at: string
}

export type AccountEvent = {
  /** The `webhook-id` of its deliveries */
  id: string
  type: string
  /** When it happened */
  timestamp: string
  data: Record<string, unknown>
}

export type AccountEventSettings = {
  /** Events are kept without a subscriber, too; off by default */
  keep_events: boolean
}

export type AccountWebhookWithSecret = {
  id: string
  name: string | null
  url: string
  types: Array<string>
  /** Null for events of both; those of sandbox keys are test */
  mode: "live" | "test" | null
  /** The area at whose address it was made, and of which alone it is told */
  area: string | null
  /** What happens while it is paused waits for it */
  status: "enabled" | "paused" | "disabled"
  disabled_reason: string | null
  disabled_at: string | null
  paused_at: string | null
  /** Since then every attempt has failed; after 5 days it is disabled */
  failing_since: string | null
  /** Deliveries are signed with the secret before, too, until then */
  previous_secret_until: string | null
  created_at: string
  /** Verifies the signatures; shown this once */
  secret: string
}

export type AccountWebhook = {
  id: string
  name: string | null
  url: string
  types: Array<string>
  /** Null for events of both; those of sandbox keys are test */
  mode: "live" | "test" | null
  /** The area at whose address it was made, and of which alone it is told */
  area: string | null
  /** What happens while it is paused waits for it */
  status: "enabled" | "paused" | "disabled"
  disabled_reason: string | null
  disabled_at: string | null
  paused_at: string | null
  /** Since then every attempt has failed; after 5 days it is disabled */
  failing_since: string | null
  /** Deliveries are signed with the secret before, too, until then */
  previous_secret_until: string | null
  created_at: string
}

export type WebhooksTestResult = {
  event_id: string
  delivered: boolean
  response_status: number | null
  latency_ms: number
  response_head: string | null
  error: string | null
}

export type WebhooksDelivery = {
  id: string
  /** The `webhook-id` of every attempt */
  event_id: string
  type: string
  status: "pending" | "delivered" | "failed"
  attempts: number
  /** Of the last attempt; null when no answer came */
  response_status: number | null
  latency_ms: number | null
  /** The beginning of the answered body, at most 1 KiB */
  response_head: string | null
  error: string | null
  attempted_at: string | null
  /** Null when there is none */
  next_attempt_at: string | null
  created_at: string
}

export type AccountTestMessage = {
  /** What its area names the message, call or event by */
  id: string
  /** `notify` is an event; its mail and push stand beside it */
  channel: "email" | "push" | "whatsapp" | "voice" | "notify"
  /** An address, a telephone number, or your id of the person */
  to: string
  /** The subject or title, or how the text begins */
  title: string
  key_id: string | null
  created_at: string
}

export type AccountTestMessageDetail = {
  /** What its area names the message, call or event by */
  id: string
  /** `notify` is an event; its mail and push stand beside it */
  channel: "email" | "push" | "whatsapp" | "voice" | "notify"
  /** An address, a telephone number, or your id of the person */
  to: string
  /** The subject or title, or how the text begins */
  title: string
  key_id: string | null
  created_at: string
  /** By channel; null once it is forgotten */
  content: Record<string, unknown> | null
}

export type BotsTemplate = {
  key: string
  name: string
  description: string
  category: string
  language: string
  version: number
  starter_questions: Array<string>
  /** What a bot, or a conversation with it, must give for `{{key}}` */
  variables: Array<{
    key: string
    label: string
    required: boolean
  }>
}

export type BotsTemplateDetail = {
  key: string
  name: string
  description: string
  category: string
  language: string
  version: number
  starter_questions: Array<string>
  /** What a bot, or a conversation with it, must give for `{{key}}` */
  variables: Array<{
    key: string
    label: string
    required: boolean
  }>
  /** Newest first */
  versions: Array<number>
  /** The template’s own text, the same for everybody; what a bot makes of it is never shown */
  system_prompt: string
  greeting: string
  /** What a bot says where it knows nothing */
  fallback: string
}

export type BotsPublicBot = {
  bot_id: string
  slug: string
  name: string
  tagline: string | null
  avatar_url: string | null
  category: string | null
  languages: Array<string>
  updated_at: string
}

export type BotsHandover = {
  conversation_id: string
  bot_id: string
  /** The person asked the bot for it; the bot had nothing to say twice running; your server did it */
  reason: "asked" | "unanswered" | "requested"
  note: string | null
  last_message: string
  /** The last word is not yours */
  waits: boolean
  created_at: string
  updated_at: string
}

export type BotsWaitingConversation = {
  id: string
  conversation_id: string
  bot_id: string
  /** The person asked the bot for it; the bot had nothing to say twice running; your server did it */
  reason: "asked" | "unanswered" | "requested"
  note: string | null
  last_message: string
  /** The last word is not yours */
  waits: boolean
  created_at: string
  updated_at: string
  bot_name: string
  user_id: string | null
}

export type BotsMessage = {
  id: string
  conversation_id: string
  /** Its place in the conversation, from 1; an answer stands right behind its question */
  seq: number
  role: "user" | "assistant"
  content: string
  status: "pending" | "completed" | "failed"
  /** Quotes that stand word for word in documents of the bot, at `start` to `end` */
  citations: Array<{
    document_id: string
    title: string | null
    url: string | null
    quote: string
    start: number
    end: number
  }>
  finish_reason: "stop" | "length" | "content_filter" | null
  /** Who has answered in the bot’s place; null: the bot, or the person who asks */
  author: string | null
  error: {
    code: "upstream_error" | "provider_not_configured" | "input_too_long" | "content_refused" | "token_budget_exceeded"
    retryable: boolean
  } | null
  metadata: Record<string, string> | null
  created_at: string
}

export type BotsBot = {
  id: string
  slug: string
  name: string
  tagline: string | null
  description: string | null
  category: string | null
  languages: Array<string>
  avatar_url: string | null
  status: "draft" | "published"
  /** Grows with each change of how it talks; conversations keep the one that they began with */
  version: number
  template: {
    key: string
    version: number
  } | null
  system_prompt_characters: number
  greeting: string | null
  fallback: string
  starter_questions: Array<string>
  variables: Array<{
    key: string
    label: string
    required: boolean
    value: string | null
  }>
  temperature: number | null
  max_tokens: number
  retention_days: number | null
  /** Whether it hands conversations over to a person */
  handover: boolean
  published_at: string | null
  created_at: string
  updated_at: string
}

export type BotsBotPage = {
  bot_id: string
  slug: string
  name: string
  tagline: string | null
  avatar_url: string | null
  category: string | null
  languages: Array<string>
  updated_at: string
  description: string | null
  greeting: string | null
  starter_questions: Array<string>
  /** What a conversation must give, as the bot’s owner did not */
  variables: Array<{
    key: string
    label: string
    required: boolean
  }>
  owner: {
    name: string
  }
}

export type BotsDocument = {
  id: string
  bot_id: string
  title: string
  url: string | null
  characters: number
  created_at: string
}

export type BotsSource = {
  /** The id of the document that its text is, too */
  id: string
  bot_id: string
  /** null: what the source calls itself */
  title: string | null
  url: string | null
  object_id: string | null
  /** Read again so often; null: when somebody asks for it */
  refresh_hours: number | null
  status: "pending" | "ready" | "failed"
  /** Why it could not be read last; what was read before is quoted still */
  error: {
    code: string
    message: string
  } | null
  content_type: string | null
  /** Of the text that is quoted from; null: none yet */
  characters: number | null
  /** Its text is longer than what is kept of it */
  cut: boolean
  checked_at: string | null
  changed_at: string | null
  refresh_at: string | null
  created_at: string
}

export type BotsActionWithSecret = {
  id: string
  bot_id: string
  name: string
  description: string
  url: string
  parameters: {
    type: "object"
    properties: Record<string, {
        type: "string" | "integer" | "number" | "boolean"
        description?: string | undefined
        enum?: Array<string> | undefined
      }>
    required: Array<string>
  }
  triggers: Array<string>
  enabled: boolean
  /** null: never called */
  last_call: {
    status: "ok" | "failed" | "unknown"
    error: string | null
    created_at: string
  } | null
  created_at: string
  /** What its requests are signed with; shown this once */
  secret: string
}

export type BotsAction = {
  id: string
  bot_id: string
  name: string
  description: string
  url: string
  parameters: {
    type: "object"
    properties: Record<string, {
        type: "string" | "integer" | "number" | "boolean"
        description?: string | undefined
        enum?: Array<string> | undefined
      }>
    required: Array<string>
  }
  triggers: Array<string>
  enabled: boolean
  /** null: never called */
  last_call: {
    status: "ok" | "failed" | "unknown"
    error: string | null
    created_at: string
  } | null
  created_at: string
}

export type BotsActionCall = {
  id: string
  action_id: string
  conversation_id: string
  /** The answer for which it was made */
  message_id: string
  /** As the model gave them; null: no JSON object of plain values, or too long */
  arguments: Record<string, unknown> | null
  /** `unknown`: under way, or its worker was stopped before it had the answer */
  status: "ok" | "failed" | "unknown"
  http_status: number | null
  answer: string | null
  error: {
    code: string
    message: string
  } | null
  ms: number
  created_at: string
}

export type BotsQuestion = {
  id: string
  bot_id: string
  /** As it was asked last */
  question: string
  times: number
  first_at: string
  last_at: string
}

export type BotsAnswer = {
  conversation_id: string
  /** The answer; your own message where a person is to answer it */
  message: BotsMessage
  /** A person answers, later: the bot is silent */
  handed_over: boolean
  finish_reason: "stop" | "length" | "content_filter" | null
  engine: "upstream" | "embedded" | null
  model: string | null
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  } | null
  /** The version of the bot that the conversation began with and keeps */
  bot_version: number
  template: {
    key: string
    version: number
  } | null
}

export type BotsVisitedBot = {
  bot_id: string
  name: string
  tagline: string | null
  greeting: string | null
  starter_questions: Array<string>
}

export type DirectoryChannel = {
  /** Its name in links */
  handle: string
  name: string
  description: string
  language: string | null
  links: Array<string>
  counts: {
    videos: number
    shorts: number
  }
  is_live: boolean
  last_published_at: string | null
  created_at: string
  /** The page of the channel */
  url: string
}

export type DirectoryDescribed = {
  uuid: string
  title: string | null
  description: string
  tags: Array<string>
  language: string | null
  channel: {
    handle: string
    name: string
    url: string
  } | null
  /** Whether the asset is public and ready, and so found by all */
  listed: boolean
}

export type DirectoryVideo = {
  uuid: string
  title: string | null
  description: string
  language: string | null
  channel: {
    handle: string
    name: string
    url: string
  } | null
  /** `short`: taller than wide and at most three minutes long */
  kind: "video" | "short"
  tags: Array<string>
  duration_seconds: number | null
  width: number | null
  height: number | null
  thumbnails: Array<{
    url: string
  }>
  playback: {
    hls_url: string
    /** A page with the player, for an iframe on any site */
    embed_url: string
  }
  /** Those that the playlist offers */
  captions: Array<{
    language: string
  }>
  is_live: false
  /** Whether it is the recording of a broadcast */
  was_live: boolean
  /** Viewers, each once a day; programs are left out */
  views: number
  published_at: string
  /** The page to watch it on */
  url: string
}

export type DirectoryLiveChannel = {
  channelId: string
  handle: string
  name: string
  visibility: "signed" | "unlisted" | "public"
}

export type DirectoryPlaylist = {
  id: string
  title: string
  description: string
  /** `public`: listed; `unlisted`: found by whoever has its address */
  visibility: "public" | "unlisted"
  /** Those of its videos that are listed, and so shown */
  video_count: number
  created_at: string
  updated_at: string
  /** The page of the playlist */
  url: string
}

export type DirectoryPlaylistEntry = {
  uuid: string
  title: string | null
  description: string
  language: string | null
  channel: {
    handle: string
    name: string
    url: string
  } | null
  /** `short`: taller than wide and at most three minutes long */
  kind: "video" | "short"
  tags: Array<string>
  duration_seconds: number | null
  width: number | null
  height: number | null
  thumbnails: Array<{
    url: string
  }>
  playback: {
    hls_url: string
    /** A page with the player, for an iframe on any site */
    embed_url: string
  }
  /** Those that the playlist offers */
  captions: Array<{
    language: string
  }>
  is_live: false
  /** Whether it is the recording of a broadcast */
  was_live: boolean
  /** Viewers, each once a day; programs are left out */
  views: number
  published_at: string
  /** The page to watch it on */
  url: string
  /** Its place, from 1 on; those of videos that are not listed are left out */
  position: number
}

export type DirectoryLive = {
  uuid: string
  title: string | null
  description: string
  language: string | null
  channel: {
    handle: string
    name: string
    url: string
  } | null
  kind: "live"
  playback: {
    hls_url: string | null
  }
  is_live: boolean
  live: {
    status: "scheduled" | "live" | "ended"
    scheduled_start_at: string | null
    started_at: string | null
    ended_at: string | null
    viewer_count: number
  }
  published_at: string
}

export type DirectoryFound = {
  type: "video" | "short" | "live" | "channel"
  /** How well it fits, to compare with others of the same search; 0 by date */
  score: number
  /** HTML with what was found in `<mark>` */
  highlight: {
    title: string | null
    description: string | null
  }
  item: DirectoryVideo | DirectoryLive | DirectoryChannel
}

export type EmailDomain = {
  id: string
  domain: string
  /** verified: mail is sent from it */
  status: "pending" | "verified" | "failed"
  /** operator: vouched for, and not judged by its records */
  verified_by: "dns" | "operator" | null
  /** The return path has the SPF record and the MX */
  spf_verified: boolean
  /** The RSA key is published; the Ed25519 key comes in addition */
  dkim_verified: boolean
  created_at: string
  checked_at: string | null
  verified_at: string | null
  /** Host of the envelope sender */
  return_path: string
  /** Host that SPF records include */
  spf_include: string
  records: Array<{
    kind: "dkim_rsa" | "dkim_ed25519" | "return_path_mx" | "return_path_spf" | "spf" | "dmarc"
    name: string
    type: "TXT" | "MX"
    value: string
    priority: number | null
    purpose: string
    required: boolean
    /** different: there is another; unknown: its name servers gave no answer */
    state: "not_checked" | "found" | "missing" | "different" | "unknown"
    /** What is there, or what is wrong with it */
    found: string | null
  }>
}

export type EmailDomainSummary = {
  id: string
  domain: string
  /** verified: mail is sent from it */
  status: "pending" | "verified" | "failed"
  /** operator: vouched for, and not judged by its records */
  verified_by: "dns" | "operator" | null
  /** The return path has the SPF record and the MX */
  spf_verified: boolean
  /** The RSA key is published; the Ed25519 key comes in addition */
  dkim_verified: boolean
  created_at: string
  checked_at: string | null
  verified_at: string | null
}

export type EmailContact = {
  id: string
  email: string
  /** Only confirmed contacts receive the subscribed stream */
  status: "confirmed" | "unconfirmed" | "unsubscribed"
  consent_source: string | null
  created_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  /** When it was last asked to confirm */
  asked_at: string | null
  name: string | null
  /** What mails to it may say, and segments ask */
  attributes: Record<string, unknown>
  tags: Array<string>
}

export type EmailContactWithHistory = {
  id: string
  email: string
  /** Only confirmed contacts receive the subscribed stream */
  status: "confirmed" | "unconfirmed" | "unsubscribed"
  consent_source: string | null
  created_at: string
  confirmed_at: string | null
  unsubscribed_at: string | null
  /** When it was last asked to confirm */
  asked_at: string | null
  name: string | null
  /** What mails to it may say, and segments ask */
  attributes: Record<string, unknown>
  tags: Array<string>
  /** Oldest first */
  history: Array<{
    at: string
    kind: "added" | "imported" | "asked" | "confirmed" | "unsubscribed"
    source: "api" | "import" | "page" | "one_click" | "mail" | "complaint"
    message_id: string | null
    detail: string | null
  }>
}

export type EmailImport = {
  imported: number
  /** There already, or earlier in the list */
  existing: number
  invalid: number
  /** The first 100 bad lines */
  errors: Array<{
    line: number
    issue: string
  }>
}

export type EmailSegment = {
  id: string
  name: string
  match: "all" | "any"
  conditions: Array<{
    field: string
    op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
    value?: string | number | boolean | undefined
  }>
  groups: Array<{
    match: "all" | "any"
    conditions: Array<{
      field: string
      op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
      value?: string | number | boolean | undefined
    }>
  }>
  created_at: string
  updated_at: string
}

export type EmailSegmentPreview = {
  /** Contacts by their consent, as of now; campaigns go to `confirmed` ones. Null when they are too many to be counted at once */
  contacts: {
    confirmed: number
    unconfirmed: number
    unsubscribed: number
  } | null
  /** Up to 10 of the confirmed ones */
  some: Array<EmailContact> | null
}

export type EmailSegmentWithCounts = {
  id: string
  name: string
  match: "all" | "any"
  conditions: Array<{
    field: string
    op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
    value?: string | number | boolean | undefined
  }>
  groups: Array<{
    match: "all" | "any"
    conditions: Array<{
      field: string
      op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
      value?: string | number | boolean | undefined
    }>
  }>
  created_at: string
  updated_at: string
  /** Contacts by their consent, as of now; campaigns go to `confirmed` ones. Null when they are too many to be counted at once */
  contacts: {
    confirmed: number
    unconfirmed: number
    unsubscribed: number
  } | null
}

export type EmailReconfirmation = {
  /** Null when nobody is asked */
  id: string | null
  /** How many there are to ask */
  contacts: number
  from_email: string
  sandbox: boolean
}

export type EmailVerdict = {
  /** In its stored form, or as it was given when it is no address */
  email: string
  verdict: "deliverable" | "risky" | "undeliverable" | "unknown"
  /** Whether mail to it can arrive; null: unknown */
  valid: boolean | null
  /** ok: its domain takes mail, and nothing speaks against it; syntax: it is no address; no_mail_server: its domain is not there or takes no mail; bad_mx: no MX record of its domain names a host on the internet: an IP address, or localhost; null_mx: its domain says that it takes no mail (RFC 7505); dns: its domain could not be looked up now; disposable: addresses of its domain are made to be thrown away; typo: its domain is written like a well-known one; implicit_mx: its domain has no MX record, only an address; role: it names a task, not a person */
  reason: "ok" | "syntax" | "no_mail_server" | "bad_mx" | "null_mx" | "dns" | "disposable" | "typo" | "implicit_mx" | "role"
  /** What is wrong with its syntax */
  detail: string | null
  did_you_mean: string | null
  /** Null: not known */
  checks: {
    syntax: boolean
    mx: boolean | null
    null_mx: boolean | null
    free_provider: boolean | null
    role: boolean | null
    disposable: boolean | null
    typo: boolean | null
  }
}

export type EmailMessage = {
  id: string
  /** Message-ID, without its brackets */
  message_id: string
  stream: "transactional" | "security" | "subscribed" | "repermission"
  status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
  from: {
    email: string
    name: string | null
  }
  to: string
  subject: string
  reply_class: string | null
  /** Why it is as it is; of a refusal, what the other side said */
  reason: string | null
  /** Recorded, never delivered */
  sandbox: boolean
  campaign_id: string | null
  template_id: string | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  deferred_at: string | null
  bounced_at: string | null
  failed_at: string | null
  suppressed_at: string | null
  complained_at: string | null
  /** Whether `to` is whom the message is to, or gets a copy */
  recipient: "to" | "cc" | "bcc"
  /** Of a copy: the message that it is of, whose Message-ID it has */
  copy_of: string | null
  /** When its turn is, of one that was given a time ahead */
  send_at: string | null
  cancelled_at: string | null
  /** As it was sent with; its events repeat them */
  tags: Array<{
    name: string
    value: string
  }>
  /** As it was sent with; its events repeat it */
  metadata: Record<string, unknown> | null
  /** Its copies to `cc` and `bcc`, each with a status of its own */
  copies: Array<{
    id: string
    recipient: "to" | "cc" | "bcc"
    to: string
    status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
    reply_class: string | null
    reason: string | null
  }>
  /** Every attempt to deliver the message, oldest first. While the message waits, the last item says why */
  route: Array<EmailAttempt>
}

export type EmailAttempt = {
  number: number
  /** `unknown`: the connection ended between the final dot and its reply, so the message may have arrived. `waiting`: the next attempt, and why it waits */
  outcome: "delivered" | "sent" | "deferred" | "bounced" | "failed" | "unknown" | "waiting"
  /** What the deciding reply meant */
  reply_class: string | null
  /** The reply that decided the attempt. Of `waiting`, why the message waits. `null` when the message was accepted */
  reason: string | null
  /** The addresses that it left from */
  pool: "transactional" | "campaign"
  local_address: string | null
  mx_host: string | null
  mx_address: string | null
  tls: {
    version: string
    cipher: string
    verified: boolean
  } | null
  /** Every reply of the other side, with its milliseconds */
  replies: Array<{
    stage: string
    code: number | null
    enhanced: string | null
    text: string
    ms: number
  }>
  /** Of `waiting`, when the wait started */
  started_at: string
  /** Of `waiting`, the earliest time of the next attempt */
  ended_at: string
}

export type EmailAccepted = {
  accepted: true
  stream: "transactional" | "security" | "subscribed" | "repermission"
  id: string
  /** `queued`, `scheduled`, `suppressed`, of a sandbox key `sent`; after a wait, what became of it by then */
  status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
  /** Message-ID, without its brackets */
  message_id: string
  /** When its turn is, of one that was given a time ahead */
  send_at?: string | undefined
  /** The copies to `cc` and `bcc`, each with a status of its own */
  copies?: Array<{
    id: string
    recipient: "to" | "cc" | "bcc"
    to: string
    status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
  }> | undefined
}

export type EmailMessageSummary = {
  id: string
  /** Message-ID, without its brackets */
  message_id: string
  stream: "transactional" | "security" | "subscribed" | "repermission"
  status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
  from: {
    email: string
    name: string | null
  }
  to: string
  subject: string
  reply_class: string | null
  /** Why it is as it is; of a refusal, what the other side said */
  reason: string | null
  /** Recorded, never delivered */
  sandbox: boolean
  campaign_id: string | null
  template_id: string | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  deferred_at: string | null
  bounced_at: string | null
  failed_at: string | null
  suppressed_at: string | null
  complained_at: string | null
  /** Whether `to` is whom the message is to, or gets a copy */
  recipient: "to" | "cc" | "bcc"
  /** Of a copy: the message that it is of, whose Message-ID it has */
  copy_of: string | null
  /** When its turn is, of one that was given a time ahead */
  send_at: string | null
  cancelled_at: string | null
  /** As it was sent with; its events repeat them */
  tags: Array<{
    name: string
    value: string
  }>
  /** As it was sent with; its events repeat it */
  metadata: Record<string, unknown> | null
}

export type EmailInboundRoute = {
  id: string
  /** `*@…`: all of the host that no other route has */
  address: string
  /** What to publish so that mail comes here; null at this installation’s own host, which has it */
  record: {
    name: string
    type: "MX"
    value: string
    priority: number
  } | null
  created_at: string
}

export type EmailReceivedSummary = {
  id: string
  route_id: string
  recipient: string
  /** Of the envelope (MAIL FROM); empty for a notice of a server */
  sender: string
  from: {
    email: string
    name: string | null
  } | null
  /** Addresses of To and Cc */
  to: Array<string>
  subject: string | null
  /** Its Message-ID, without brackets */
  message_id: string | null
  /** The message of yours that it answers */
  replies_to: string | null
  /** True if a program wrote it (RFC 3834) */
  auto_submitted: boolean
  /** True if no program may answer it: it is automatic, of a mailing list, or asks for none */
  no_auto_reply: boolean
  /** What SPF, DKIM and DMARC say of who it is from */
  authentication: {
    spf: {
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
    }
    dkim: Array<{
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
      selector: string
      aligned: boolean
    }>
    dmarc: {
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
      policy: string | null
    }
  } | null
  bytes: number
  /** False for the moment until what it says is known */
  is_read: boolean
  /** Why not all of it could be read */
  fault: string | null
  received_at: string
}

export type EmailReceived = {
  id: string
  route_id: string
  recipient: string
  /** Of the envelope (MAIL FROM); empty for a notice of a server */
  sender: string
  from: {
    email: string
    name: string | null
  } | null
  /** Addresses of To and Cc */
  to: Array<string>
  subject: string | null
  /** Its Message-ID, without brackets */
  message_id: string | null
  /** The message of yours that it answers */
  replies_to: string | null
  /** True if a program wrote it (RFC 3834) */
  auto_submitted: boolean
  /** True if no program may answer it: it is automatic, of a mailing list, or asks for none */
  no_auto_reply: boolean
  /** What SPF, DKIM and DMARC say of who it is from */
  authentication: {
    spf: {
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
    }
    dkim: Array<{
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
      selector: string
      aligned: boolean
    }>
    dmarc: {
      result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
      domain: string
      policy: string | null
    }
  } | null
  bytes: number
  /** False for the moment until what it says is known */
  is_read: boolean
  /** Why not all of it could be read */
  fault: string | null
  received_at: string
  text: string | null
  /** The text without quoted mail and signature; the whole text if nothing else is left; `null` without text */
  reply: string | null
  /** As it came: show it in a sandboxed frame alone */
  html: string | null
  /** The fields of its header as they came, unfolded; 200 at most */
  headers: Array<{
    name: string
    value: string
  }>
  attachments: Array<EmailReceivedFile>
}

export type EmailReceivedFile = {
  /** The object of the area files */
  object_id: string | null
  filename: string
  content_type: string
  bytes: number
  content_id: string | null
  inline: boolean
  /** Where it is at the malware gate; `refused`: it does not fit the plan */
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error" | "refused" | "deleted"
  /** POST to it for a link to the bytes; null unless the file is clean */
  url: string | null
}

export type EmailTemplate = {
  id: string
  name: string
  subject: string
  html: string
  text: string | null
  /** The names of its placeholders: a message must give each that has no fallback, but for `contact.…` and `unsubscribe_url` */
  variables: Array<string>
  created_at: string
  updated_at: string
}

export type EmailTemplateSummary = {
  id: string
  name: string
  subject: string
  /** The names of its placeholders: a message must give each that has no fallback, but for `contact.…` and `unsubscribe_url` */
  variables: Array<string>
  created_at: string
  updated_at: string
}

export type EmailTemplatePreview = {
  subject: string
  html: string | null
  text: string | null
}

export type EmailCampaign = {
  id: string
  name: string
  subject: string
  from_email: string
  from_name: string | null
  /** `sent`: every recipient’s message is with delivery; `progress` tells how far that is */
  status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled"
  /** Why it is paused */
  reason: string | null
  /** Of a sandbox key: recorded, never delivered */
  sandbox: boolean
  /** Confirmed contacts that it is for, when it began */
  recipients: number
  /** Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual` */
  blocked: {
    total: number
    by_reason: Record<string, number>
  }
  created_at: string
  started_at: string | null
  finished_at: string | null
  preheader: string | null
  /** Whom it is for; null for all who are confirmed */
  segment_id: string | null
  /** When it begins, or was to */
  send_at: string | null
  /** When its last message had come to an end */
  ended_at: string | null
  html: string
  text: string | null
  /** Messages that have left, whatever came of them: sent, delivered, bounced, complained */
  sent: number
  /** The share of recipients who are blocked, or whose message has come to an end */
  progress: number
  /** Messages by where they stand now */
  by_status: {
    scheduled: number
    queued: number
    sent: number
    delivered: number
    deferred: number
    bounced: number
    failed: number
    suppressed: number
    complained: number
    cancelled: number
  }
}

export type EmailCampaignSummary = {
  id: string
  name: string
  subject: string
  from_email: string
  from_name: string | null
  /** `sent`: every recipient’s message is with delivery; `progress` tells how far that is */
  status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled"
  /** Why it is paused */
  reason: string | null
  /** Of a sandbox key: recorded, never delivered */
  sandbox: boolean
  /** Confirmed contacts that it is for, when it began */
  recipients: number
  /** Contacts that get none: `unconfirmed`, `unsubscribed`, or suppressed for `bounce`, `complaint` or `manual` */
  blocked: {
    total: number
    by_reason: Record<string, number>
  }
  created_at: string
  started_at: string | null
  finished_at: string | null
  preheader: string | null
  /** Whom it is for; null for all who are confirmed */
  segment_id: string | null
  /** When it begins, or was to */
  send_at: string | null
  /** When its last message had come to an end */
  ended_at: string | null
}

export type EmailPreview = {
  contact: string | null
  subject: string
  preheader: string | null
  html: string
  /** Null where the plain part is made from the HTML */
  text: string | null
  /** Fields that have neither a value nor a fallback: nothing stands there */
  empty_fields: Array<string>
}

export type EmailCampaignTest = {
  messages: Array<{
    id: string
    to: string
    status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
  }>
}

export type EmailSuppression = {
  email: string
  reason: "bounce" | "complaint" | "manual"
  /** What the other side said */
  detail: string | null
  /** The id of the message by which it came */
  message_id: string | null
  created_at: string
}

export type EmailCounts = {
  accepted: number
  sent: number
  delivered: number
  taken: number
  deferred: number
  bounced: number
  hard_bounced: number
  failed: number
  suppressed: number
  complained: number
}

export type WebhooksEndpointWithSecret = {
  id: string
  url: string
  /** The events it is told of; `*` is all */
  events: Array<string>
  /** A disabled one is told of nothing */
  status: "enabled" | "disabled"
  disabled_reason: string | null
  disabled_at: string | null
  /** Since then every attempt has failed; after 5 days it is disabled */
  failing_since: string | null
  /** Deliveries are signed with the secret before, too, until then */
  previous_secret_until: string | null
  created_at: string
  /** Verifies the signatures; shown this once */
  secret: string
}

export type WebhooksEndpoint = {
  id: string
  url: string
  /** The events it is told of; `*` is all */
  events: Array<string>
  /** A disabled one is told of nothing */
  status: "enabled" | "disabled"
  disabled_reason: string | null
  disabled_at: string | null
  /** Since then every attempt has failed; after 5 days it is disabled */
  failing_since: string | null
  /** Deliveries are signed with the secret before, too, until then */
  previous_secret_until: string | null
  created_at: string
}

export type ErpOfficer = {
  kind: "person" | "organisation"
  name: string
  /** In the register’s own words */
  role: string | null
  role_code: string | null
  /** YYYY-MM-DD */
  since: string | null
  /** YYYY-MM-DD; a day to come, too */
  until: string | null
  source: {
    register: string
    retrieved_at: string | null
    licence: string | null
  }
}

export type ErpCompany = {
  /** ISO 3166-1 alpha-2, small, or a part of a country: ee, gb, us-de */
  jurisdiction: string
  /** As the register writes it: a text, which may begin with zeros */
  code: string
  name: string
  previous_names: Array<string>
  status: "active" | "in_liquidation" | "bankrupt" | "dissolved" | "unknown"
  /** In the register’s own words */
  status_raw: string | null
  legal_form: {
    code: string | null
    name: string | null
    /** ISO 20275 */
    elf_code: string | null
  }
  vat_number: string | null
  /** ISO 17442 */
  lei: string | null
  /** YYYY-MM-DD */
  registered_at: string | null
  /** YYYY-MM-DD */
  dissolved_at: string | null
  /** When its register was first imported without it */
  missing_since: string | null
  registered_address: {
    full: string | null
    street: string | null
    city: string | null
    region: string | null
    postal_code: string | null
    country: string | null
  }
  capital: {
    amount: number
    currency: string
  } | null
  activities: Array<{
    scheme: string
    code: string
    name: string | null
    primary: boolean
  }>
  website: string | null
  source: {
    register: string
    record_url: string | null
    /** When its register was last imported */
    retrieved_at: string | null
    licence: string | null
  }
  /** When it last changed here */
  updated_at: string
}

export type ErpFound = {
  /** ISO 3166-1 alpha-2, small, or a part of a country: ee, gb, us-de */
  jurisdiction: string
  /** As the register writes it: a text, which may begin with zeros */
  code: string
  name: string
  status: "active" | "in_liquidation" | "bankrupt" | "dissolved" | "unknown"
  legal_form: {
    code: string | null
    name: string | null
    /** ISO 20275 */
    elf_code: string | null
  }
  vat_number: string | null
  /** ISO 17442 */
  lei: string | null
  /** YYYY-MM-DD */
  registered_at: string | null
  /** When its register was first imported without it */
  missing_since: string | null
  city: string | null
  match: {
    field: "name" | "code" | "vat" | "lei" | "previous_name"
    /** How like it is: 1 for the same */
    score: number
  }
}

export type ErpChange = {
  kind: "added" | "changed" | "removed"
  jurisdiction: string
  code: string
  /** As it is now */
  name: string | null
}

export type ErpRegister = {
  name: string
  what: "companies" | "officers"
  /** Companies, or officers, that its last file had */
  entries: number
  licence: string | null
  /** Its last import, whose changes can be asked for */
  import_id: string | null
  imported_at: string | null
}

export type FilesHealth = {
  /** degraded: uploads are taken, and wait for what is away */
  status: "ok" | "degraded"
  database: "ok" | "away"
  storage: "ok" | "away" | "not_configured"
  scanner: "up" | "away"
  /** test: only test files are recognised, no real malware; null while no scanner has been seen */
  signatures: "official" | "test" | null
  notice: string | null
}

export type FilesObject = {
  object_id: string
  product_key: string
  tenant_id: string
  filename: string
  /** As the uploader declared it */
  content_type: string
  /** As the bytes tell it */
  detected_type: string | null
  byte_size: number
  /** Of the bytes that were scanned, in hex */
  sha256: string | null
  /** Only `clean` objects can be downloaded: found so, or `released` */
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  /** The bytes were found infected and are put away, or deleted by now */
  quarantined: boolean
  /** An operator lets it be downloaded, whatever the verdict says */
  released: boolean
  /** Of the bytes that all of this is about: the newest clean ones, if any are */
  version: number
  uploaded_at: string | null
  created_at: string
  /** Null while no scan has ended */
  verdict: FilesVerdict | null
  /** A newer version that is not served, as it is not found clean */
  newest_version: {
    object_id: string
    version: number
    scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  } | null
}

export type FilesVerdict = {
  scan_id: string
  engine: string | null
  signature_version: string | null
  heuristics_version: string | null
  /** Why it is not clean */
  reasons: Array<FilesReason>
  scanned_at: string | null
}

export type FilesReason = {
  code: string
  detail: string
  entry?: string | undefined
}

export type FilesUpload = {
  object_id: string
  /** PUT the bytes to it */
  upload_url: string
  upload_method: "PUT"
  /** What the PUT must carry, as signed; the size is signed as well */
  upload_headers: Record<string, string>
  expires_in_seconds: number
  expires_at: string
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  /** For the page, when `browser` was asked for; it ends with the upload, and with the key that started it */
  upload_token?: string | undefined
  upload_token_expires_at?: string | undefined
}

export type FilesObjectSummary = {
  object_id: string
  product_key: string
  tenant_id: string
  filename: string
  /** As the uploader declared it */
  content_type: string
  /** As the bytes tell it */
  detected_type: string | null
  byte_size: number
  /** Of the bytes that were scanned, in hex */
  sha256: string | null
  /** Only `clean` objects can be downloaded: found so, or `released` */
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  /** The bytes were found infected and are put away, or deleted by now */
  quarantined: boolean
  /** An operator lets it be downloaded, whatever the verdict says */
  released: boolean
  /** Of the bytes that all of this is about: the newest clean ones, if any are */
  version: number
  uploaded_at: string | null
  created_at: string
}

export type FilesVersion = {
  /** The id of this version alone */
  object_id: string
  version: number
  /** Whether it is what a download of the object answers with */
  served: boolean
  filename: string
  content_type: string
  byte_size: number
  sha256: string | null
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  uploaded_at: string | null
  created_at: string
}

export type FilesVersionUpload = {
  object_id: string
  /** PUT the bytes to it */
  upload_url: string
  upload_method: "PUT"
  /** What the PUT must carry, as signed; the size is signed as well */
  upload_headers: Record<string, string>
  expires_in_seconds: number
  expires_at: string
  scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  /** For the page, when `browser` was asked for; it ends with the upload, and with the key that started it */
  upload_token?: string | undefined
  upload_token_expires_at?: string | undefined
  version_of: string
  version: number
}

export type FilesScan = {
  scan_id: string
  cause: "upload" | "requested" | "signatures" | "same_bytes"
  status: "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error"
  engine: string | null
  signature_version: string | null
  heuristics_version: string | null
  reasons: Array<FilesReason>
  created_at: string
  finished_at: string | null
}

export type GeoLocation = {
  /** As it is written shortest; IPv4 within IPv6 as IPv4 */
  ip: string
  version: 4 | 6
  /** Nowhere on the internet: nothing else is known of it */
  bogon: boolean
  bogon_type: "unspecified" | "broadcast" | "multicast" | "link_local" | "loopback" | "carrier_grade_nat" | "private" | "documentation" | "benchmarking" | "reserved" | "translated" | null
  continent: {
    code: string
    name: string | null
  } | null
  country: {
    code: string
    name: string | null
    /** A member state of the European Union */
    is_eu: boolean
  } | null
  /** The first subdivision of the country (ISO 3166-2) */
  region: {
    code: string
    name: string | null
  } | null
  city: string | null
  postal_code: string | null
  /** The middle of the place, not of the address: it is somewhere within the radius */
  location: {
    latitude: number
    longitude: number
    accuracy_radius_km: number | null
  } | null
  /** IANA time zone */
  timezone: string | null
  asn: {
    number: number
    organization: string | null
  } | null
  /** The network that all of this holds for */
  network: string | null
  source: {
    /** A file of the operator’s, or the data of the npm package */
    provider: "mmdb" | "geoip-lite"
    database: string
    /** How old the data are */
    built_at: string
  }
  attribution: string
}

export type GuardSite = {
  id: string
  name: string
  /** A public key: pages carry it */
  site_key: string
  origins: Array<string>
  policy: {
    min_tier: "low" | "normal" | "high" | "extreme"
    max_tier: "low" | "normal" | "high" | "extreme"
    noscript: boolean
    sha256: boolean
    rate_per_minute: number
  }
  created_at: string
}

export type GuardAssessment = {
  assessment_id: string
  decision: "allow" | "challenge" | "deny"
  /** Null when it is denied */
  tier: "low" | "normal" | "high" | "extreme" | null
  score: number
  /** The heaviest first */
  reasons: Array<{
    code: string
    weight: number
    detail: string
  }>
  expires_at: string
}

export type GuardScryptChallenge = {
  id: string
  /** How hard it is */
  tier: "low" | "normal" | "high" | "extreme"
  action: string
  issued_at: string
  /** Until when it may be answered */
  expires_at: string
  alg: "scrypt"
  n: 1024
  r: 8
  p: 1
  key_length: 32
  /** The salt */
  nonce: string
  puzzles: Array<{
    /** How the output begins */
    check: string
    /** Where the numbers to try begin */
    base: number
  }>
  /** How many numbers there are to try, from `base` on, modulo 2^32 */
  range: number
}

export type GuardSha256Challenge = {
  id: string
  /** How hard it is */
  tier: "low" | "normal" | "high" | "extreme"
  action: string
  issued_at: string
  /** Until when it may be answered */
  expires_at: string
  alg: "sha256"
  nonce: string
  /** How many counters are to be found */
  count: number
  /** How many zero bits each hash begins with */
  bits: number
}

export type GuardEarned = {
  token: string
  action: string
  tier: "low" | "normal" | "high" | "extreme"
  expires_at: string
}

export type GuardVerdict = {
  valid: boolean
  /** Why it is not valid */
  reason?: "unknown" | "action_mismatch" | "replayed" | "expired" | undefined
  /** What it was earned for */
  action: string | null
  /** Host of the page that earned it; null for a client that is no page */
  hostname: string | null
  issued_at: string | null
  /** From the challenge to its answer, in milliseconds */
  solve_ms: number | null
  /** What it was earned by */
  tier: "noscript" | "low" | "normal" | "high" | "extreme" | null
}

export type IdentityCheck = {
  requirement: string
  status: "processing" | "verified" | "rejected" | "expired"
  method: "upload" | "consent" | "operator" | "api" | "webhook" | null
  reason: {
    code: string
    reason: string
  } | null
  verified_at: string | null
  expires_at: string | null
  updated_at: string
}

export type IdentityDocument = {
  requirement: string
  /** Null: the organisation itself */
  subject: string | null
  /** The picture, an object of the files area */
  object_id: string
  /** `waiting` until it was read; `unread`: nothing was, and `reason` says why */
  status: "waiting" | "read" | "unread"
  reason: "reader_unavailable" | "reader_failed" | "format_not_read" | "unreadable_picture" | "too_many_pixels" | "too_small" | "blurred" | "no_lines" | "unclear" | null
  facts: {
    /** Of ICAO 9303 */
    format: "TD1" | "TD2" | "TD3"
    kind: "passport" | "card"
    /** As the document has it: P, ID, AC … */
    code: string
    /** Three letters of ICAO 9303-3, part 5; D is Germany */
    issuing_state: string
    nationality: string
    surname: string
    given_names: string
    document_number: string
    /** Null where the document names no day */
    birth_date: string | null
    expiry_date: string | null
    sex: "M" | "F" | null
  } | null
  /** Whole years, today */
  age: number | null
  expired: boolean | null
  /** Check digits of the fields and of all together, and whether both dates are days */
  checks: Array<{
    check: "document_number" | "birth_date" | "expiry_date" | "optional_data" | "composite" | "dates"
    passed: boolean
  }>
  /** Whether all checks hold. It says that the lines were read right, not that the document is genuine */
  sound: boolean
  /** Other subjects of yours who have handed in the same document, at most 100 */
  shared_with: Array<string>
  requested_at: string
  read_at: string | null
}

export type NotifyHealth = {
  status: "ok"
  database: "ok"
}

export type NotifyCopy = {
  channel: "in_app" | "email" | "push" | "whatsapp"
  /** `waiting`, `accepted` by the area that delivers it, `refused`, `failed` */
  status: "waiting" | "accepted" | "refused" | "failed"
  reason: string | null
  detail: string | null
  /** The message in that area, where its way is told */
  message_id: string | null
  ended_at: string | null
}

export type NotifyItem = {
  /** Also that of its event */
  id: string
  user_id: string
  product_key: string
  type: string
  title: string
  body: string | null
  data: Record<string, string>
  url: string | null
  /** Null while it is unread */
  read_at: string | null
  /** Null until it was shown; what is read was seen */
  seen_at: string | null
  archived_at: string | null
  created_at: string
}

export type NotifyPreference = {
  user_id: string
  product_key: string
  type: string
  channels: Array<"in_app" | "email" | "push" | "whatsapp">
  digest: {
    window_minutes: number
  } | null
  updated_at: string
}

export type NotifyPerson = {
  user_id: string
  name: string | null
  email: string | null
  phone: string | null
  push: {
    app_id: string
    user_id: string
  } | null
  locale: string | null
  time_zone: string | null
  data: Record<string, string>
  created_at: string
  updated_at: string
}

export type NotifyWorkflowSummary = {
  key: string
  name: string
  product_key: string
  type: string
  fallback_locale: string
  /** The last one that was published; 0: none was */
  version: number
  /** The version that events start; null: none */
  published_version: number | null
  created_at: string
  updated_at: string
}

export type NotifyWorkflow = {
  key: string
  name: string
  product_key: string
  type: string
  fallback_locale: string
  /** As they are written; what runs is a version */
  steps: Array<{
    type: "channel"
    channel: "in_app" | "email" | "push" | "whatsapp"
    /** The type of its text; default: that of the event */
    text?: string | undefined
    /** What goes out by WhatsApp to who has not written within 24 hours */
    template?: {
      name: string
      language: string
      /** Texts with placeholders, in their order */
      variables?: Array<string> | undefined
    } | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "wait"
    minutes: number
    /** Goes on when the item has been that for so long, and ends the run when it is not any more */
    until?: "unread" | "unseen" | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "digest"
    /** Events of the window, which the first one opens, go through the other steps as one */
    minutes: number
    /** Events with another value of it have a window of their own */
    key?: string | undefined
  }>
  /** The last one that was published; 0: none was */
  version: number
  /** The version that events start; null: none */
  published_version: number | null
  created_at: string
  updated_at: string
}

export type NotifyText = {
  type: string
  locale: string
  version: number
  title: string
  body: string | null
  created_at: string
}

export type NotifyRun = {
  id: string
  /** The workflow’s key */
  workflow: string
  version: number
  /** The event that it began with */
  event_id: string
  user_id: string
  product_key: string
  type: string
  title: string
  /** `waiting` for a step’s time, `completed`, `stopped` before its end, `cancelled`, `failed` */
  state: "waiting" | "completed" | "stopped" | "cancelled" | "failed"
  /** Why it went no further: `read`, `person_removed`, `key_revoked`, … */
  reason: string | null
  /** When it goes on */
  due_at: string | null
  created_at: string
  ended_at: string | null
}

export type PushAccepted = {
  id: string
  status: "scheduled" | "queued" | "sending" | "sent" | "failed" | "cancelled" | "expired" | "no_devices"
}

export type PushListedMessage = {
  id: string
  app_id: string
  target: {
    type: "user"
    id: string
  } | {
    type: "users"
    ids: Array<string>
  } | {
    type: "topic"
    id: string
  } | {
    type: "segment"
    tags: {
      all: Array<string>
      any: Array<string>
      none: Array<string>
    }
  } | {
    type: "all"
  }
  /** sent: a device’s provider took it; `counts` says how many */
  status: "scheduled" | "queued" | "sending" | "sent" | "failed" | "cancelled" | "expired" | "no_devices"
  priority: number
  collapse_key: string | null
  dry_run: boolean
  rate: number | null
  quiet_hours: {
    from: string
    to: string
    time_zone: string
  } | null
  template: {
    id: string
    version: number
  } | null
  created_at: string
  send_at: string
  /** Nothing is tried again after it */
  expires_at: string
  /** When no delivery was open any more */
  ended_at: string | null
}

export type PushMessage = {
  id: string
  app_id: string
  target: {
    type: "user"
    id: string
  } | {
    type: "users"
    ids: Array<string>
  } | {
    type: "topic"
    id: string
  } | {
    type: "segment"
    tags: {
      all: Array<string>
      any: Array<string>
      none: Array<string>
    }
  } | {
    type: "all"
  }
  /** sent: a device’s provider took it; `counts` says how many */
  status: "scheduled" | "queued" | "sending" | "sent" | "failed" | "cancelled" | "expired" | "no_devices"
  counts: {
    devices: number
    queued: number
    /** Taken by the provider, with those that were delivered */
    sent: number
    /** The device said so */
    delivered: number
    displayed: number
    opened: number
    failed: number
    expired: number
    /** With the message, or as their devices were not meant any more */
    cancelled: number
  }
  priority: number
  collapse_key: string | null
  dry_run: boolean
  rate: number | null
  quiet_hours: {
    from: string
    to: string
    time_zone: string
  } | null
  template: {
    id: string
    version: number
  } | null
  created_at: string
  send_at: string
  /** Nothing is tried again after it */
  expires_at: string
  /** When no delivery was open any more */
  ended_at: string | null
  /** Of a test key: recorded as on one device, and sent to none */
  sandbox?: true | undefined
}

export type PushTracedDelivery = {
  id: string
  message_id: string
  /** Null for a device of nobody yet */
  user_id: string | null
  installation_id: string
  provider: "apns" | "fcm" | "webpush" | "sse"
  environment: "production" | "sandbox"
  platform: string | null
  /** sent: the provider took it; delivered: the device said so */
  status: "queued" | "sent" | "delivered" | "failed" | "expired" | "cancelled"
  /** Why it is not sent, or what the last attempt met */
  reason: string | null
  attempt_count: number
  next_attempt_at: string | null
  /** The provider refuses the credential: the delivery waits until the next try, or for another one */
  held: {
    reason: string | null
    until: string
  } | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  displayed_at: string | null
  opened_at: string | null
  dismissed_at: string | null
  attempts: Array<PushAttempt>
}

export type PushAttempt = {
  id: string
  number: number
  /** unknown: no answer came, so the device may have it */
  outcome: "sent" | "retry" | "invalid_token" | "rejected" | "credential" | "unknown"
  /** HTTP status of the provider */
  provider_status: number | null
  /** The provider’s own word */
  reason: string | null
  retry_after_seconds: number | null
  provider_message_id: string | null
  latency_ms: number | null
  error: string | null
  at: string
}

export type PushInstallation = {
  id: string
  app_id: string
  /** Null for a device of nobody yet */
  user_id: string | null
  push_provider: "apns" | "fcm" | "webpush" | "sse"
  environment: "production" | "sandbox"
  /** Your own id of the device (sse) */
  device_id: string | null
  /** The last characters of its token or endpoint */
  token_end: string
  platform: string | null
  locale: string | null
  time_zone: string | null
  tags: Array<string>
  /** Nothing is sent to an invalidated one, until it registers again */
  status: "active" | "invalidated"
  invalidated_reason: string | null
  invalidated_at: string | null
  registered_at: string
  created_at: string
}

export type PushRegisteredInstallation = {
  id: string
  app_id: string
  /** Null for a device of nobody yet */
  user_id: string | null
  push_provider: "apns" | "fcm" | "webpush" | "sse"
  environment: "production" | "sandbox"
  /** Your own id of the device (sse) */
  device_id: string | null
  /** The last characters of its token or endpoint */
  token_end: string
  platform: string | null
  locale: string | null
  time_zone: string | null
  tags: Array<string>
  /** Nothing is sent to an invalidated one, until it registers again */
  status: "active" | "invalidated"
  invalidated_reason: string | null
  invalidated_at: string | null
  registered_at: string
  created_at: string
  /** sse: what the device opens its stream with; register again to renew it */
  stream?: {
    url: string
    token: string
    expires_at: string
  } | undefined
}

export type PushUser = {
  id: string
  app_id: string
  user_id: string
  locale: string | null
  time_zone: string | null
  created_at: string
}

export type PushTopic = {
  topic: string
}

export type PushSubscription = {
  id: string
  user_id: string | null
  /** The one device; null for all of the person */
  installation_id: string | null
  created_at: string
}

export type PushApp = {
  id: string
  name: string
  /** What pages subscribe to Web Push with: `applicationServerKey` (RFC 8292) */
  vapid_public_key: string | null
  /** Credentials that their providers refuse: nothing is sent with them until the next try */
  faults: Array<PushFault>
  created_at: string
}

export type PushFault = {
  provider: "apns" | "fcm" | "webpush"
  environment: "production" | "sandbox"
  /** The provider’s word */
  reason: string | null
  /** A few deliveries are tried then, or once another credential is set */
  next_try_at: string
}

export type PushCredential = {
  provider: "apns" | "fcm" | "webpush"
  environment: "production" | "sandbox"
  /** What is no secret: key id, team and topic, project, or public key */
  facts: Record<string, string>
  /** What the provider made of it when it was set; null when it was not asked */
  check: "ok" | "failed" | "unreachable" | null
  check_reason: string | null
  checked_at: string | null
  /** The provider refused it: nothing is sent with it until then */
  breaker: {
    open_until: string
    reason: string | null
  } | null
  created_at: string
}

export type PushReceipt = {
  delivery_id: string
  message_id: string
  status: string
  delivered_at: string | null
  displayed_at: string | null
  opened_at: string | null
  dismissed_at: string | null
}

export type PushInsights = {
  days: number
  totals: PushCounts
  series: Array<{
    day: string
    sent: number
    delivered: number
    displayed: number
    opened: number
    failed: number
    expired: number
  }>
  breakdowns: {
    status: Array<{
      name: string
      count: number
    }>
    provider: Array<{
      name: string
      sent: number
      delivered: number
      displayed: number
      opened: number
      failed: number
      expired: number
    }>
    platform: Array<{
      name: string
      sent: number
      delivered: number
      displayed: number
      opened: number
      failed: number
      expired: number
    }>
    /** Of failed and expired deliveries */
    reason: Array<{
      name: string
      count: number
    }>
  }
}

export type PushCounts = {
  sent: number
  delivered: number
  displayed: number
  opened: number
  failed: number
  expired: number
}

export type PushStats = {
  devices: {
    /** Those that are active */
    total: number
    invalidated: number
    by_provider: Record<string, number>
  }
  /** Credentials that their providers refuse: what they would send waits */
  faults: Array<PushFault>
  last_24_hours: {
    deliveries: number
    by_status: {
      queued: number
      sent: number
      delivered: number
      failed: number
      expired: number
      cancelled: number
    }
  }
}

export type PushDelivery = {
  id: string
  message_id: string
  /** Null for a device of nobody yet */
  user_id: string | null
  installation_id: string
  provider: "apns" | "fcm" | "webpush" | "sse"
  environment: "production" | "sandbox"
  platform: string | null
  /** sent: the provider took it; delivered: the device said so */
  status: "queued" | "sent" | "delivered" | "failed" | "expired" | "cancelled"
  /** Why it is not sent, or what the last attempt met */
  reason: string | null
  attempt_count: number
  next_attempt_at: string | null
  /** The provider refuses the credential: the delivery waits until the next try, or for another one */
  held: {
    reason: string | null
    until: string
  } | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  displayed_at: string | null
  opened_at: string | null
  dismissed_at: string | null
}

export type PushTemplate = {
  id: string
  name: string
  /** For devices and people of other languages, or none */
  default_locale: string
  /** What a message must give */
  variables: Array<string>
  /** Grows with each change; messages have the texts as they were accepted */
  version: number
  created_at: string
  updated_at: string
  locales: Record<string, {
      title?: string | undefined
      body?: string | undefined
      data?: Record<string, string> | undefined
    }>
}

export type PushTemplateSummary = {
  id: string
  name: string
  /** For devices and people of other languages, or none */
  default_locale: string
  /** What a message must give */
  variables: Array<string>
  /** Grows with each change; messages have the texts as they were accepted */
  version: number
  created_at: string
  updated_at: string
}

export type PushBrowserSetup = {
  app_id: string
  /** `applicationServerKey` of `PushManager.subscribe` (RFC 8292) */
  vapid_public_key: string | null
}

export type PushRegisteredBrowser = {
  installation_id: string
  /** By which the browser renews and removes its installation; nobody else has it */
  installation_token: string
  /** Nobody has said yet whose browser it is */
  anonymous: boolean
  /** `applicationServerKey` of `PushManager.subscribe` (RFC 8292) */
  vapid_public_key: string | null
  registered_at: string
}

export type PushUserToken = {
  token: string
  expires_at: string
}

export type PushShownPublicKey = {
  id: string
  name: string
  /** How its newest secret begins */
  start: string
  /** null: a key that reports receipts alone, from anywhere */
  origins: Array<string> | null
  scopes: Array<string>
  rate_per_minute: number | null
  created_at: string
  last_used_at: string | null
  /** The key itself, this once */
  key: string
}

export type PushPublicKey = {
  id: string
  name: string
  /** How its newest secret begins */
  start: string
  /** null: a key that reports receipts alone, from anywhere */
  origins: Array<string> | null
  scopes: Array<string>
  rate_per_minute: number | null
  created_at: string
  last_used_at: string | null
}

export type TrustWatch = {
  id: string
  url: string
  note: string | null
  /** `malicious`: listed by a feed that is fresh; `unknown` is not `safe` */
  verdict: "unknown" | "suspicious" | "malicious"
  categories: Array<string>
  /** Since when the verdict is what it is */
  changed_at: string
  created_at: string
}

export type VideoHealth = {
  /** degraded: uploads are taken, and wait for workers */
  status: "ok" | "degraded"
  database?: "ok" | "away" | undefined
  storage?: "ok" | "away" | undefined
  /** whether there are workers for each step of a video */
  workers: "ok" | "away"
  notice: string | null
}

export type VideoUploadStatus = {
  uploadId: string
  assetId: string
  state: "open" | "paused" | "completed" | "aborted" | "expired"
  bytes: number
  partSizeBytes: number
  partsExpected: number
  /** Numbers of the parts that storage holds, whole */
  partsReceived: Array<number>
  bytesReceived: number
  progress_percent: number
  expiresAt: string
}

export type VideoUploadSession = {
  uploadId: string
  assetId: string
  /** All parts have exactly this size, except the last */
  partSizeBytes: number
  partsExpected: number
  /** Parts to send at once */
  recommendedConcurrency: number
  expiresAt: string
  /** For the page, when `browser` was asked for; it ends with the upload, and with the key that started it */
  upload_token?: string | undefined
  upload_token_expires_at?: string | undefined
}

export type VideoImport = {
  assetId: string
  status: "uploading" | "processing" | "ready" | "failed" | "aborted"
  expiresAt: string
}

export type VideoWatermark = {
  id: string
  name: string | null
  /** Size of the decoded image */
  bytes: number
  contentType: "image/png" | "image/jpeg"
  width: number
  height: number
  created_at: string
}

export type VideoAssetSummary = {
  id: string
  title: string | null
  description: string | null
  metadata: Record<string, string>
  externalRef: string | null
  filename: string | null
  mimeType: string | null
  /** 0 while that of a file that is fetched is not known */
  bytes: number
  processingProfile: "standard_vod" | "fast_social"
  visibility: "private" | "signed" | "unlisted" | "public"
  status: "uploading" | "processing" | "ready" | "failed" | "aborted"
  current_stage: "uploading" | "queued" | "probing" | "remuxing" | "packaging_source" | "encoding" | "packaging" | "ready" | "failed" | "aborted"
  /** What to tell people */
  stage: string
  /** Why it failed, for programs */
  failure_code: string | null
  /** Why it failed, in plain English */
  failure_summary: string | null
  /** Viewers can watch it now, if only in one quality so far */
  playable: boolean
  durationSeconds: number | null
  width: number | null
  height: number | null
  frameRate: number | null
  /** The poster, for those visibilities that need no token */
  posterUrl: string | null
  playable_at: string | null
  ready_at: string | null
  created_at: string
}

export type VideoAsset = {
  id: string
  title: string | null
  description: string | null
  metadata: Record<string, string>
  externalRef: string | null
  filename: string | null
  mimeType: string | null
  /** 0 while that of a file that is fetched is not known */
  bytes: number
  processingProfile: "standard_vod" | "fast_social"
  visibility: "private" | "signed" | "unlisted" | "public"
  status: "uploading" | "processing" | "ready" | "failed" | "aborted"
  current_stage: "uploading" | "queued" | "probing" | "remuxing" | "packaging_source" | "encoding" | "packaging" | "ready" | "failed" | "aborted"
  /** What to tell people */
  stage: string
  /** Why it failed, for programs */
  failure_code: string | null
  /** Why it failed, in plain English */
  failure_summary: string | null
  /** Viewers can watch it now, if only in one quality so far */
  playable: boolean
  durationSeconds: number | null
  width: number | null
  height: number | null
  frameRate: number | null
  /** The poster, for those visibilities that need no token */
  posterUrl: string | null
  playable_at: string | null
  ready_at: string | null
  created_at: string
  /** 0 while nothing has happened to it yet */
  progress_percent: number
  /** While uploading */
  upload_id?: string | undefined
  /** Of one that is fetched by its address */
  import?: {
    /** Without its query */
    url: string
    state: "waiting" | "fetching" | "fetched" | "failed"
    bytesReceived: number
    /** Null while the server has not told */
    bytes: number | null
    progress_percent: number | null
  } | undefined
  /** While processing: whether anything is happening to this video yet */
  encoding?: boolean | undefined
  /** While it waits: 1 is next */
  queuePosition?: number | null | undefined
  stageLabel?: string | undefined
  /** Null without enough history */
  estimatedReadyAt?: string | null | undefined
  /** What the estimate rests on; `paused` while operators have paused what it waits for, and there is none */
  etaBasis?: "progress" | "historical" | "paused" | null | undefined
  /** What is served now */
  renditions: Array<{
    name: string
    width: number
    height: number
    bytes: number
    /** Bits per second of the largest segment */
    bandwidth: number
    averageBandwidth: number
    codec: string
  }>
  /** Tracks of the upload that viewers do not get. `track` counts the tracks of that kind from 1. `limit`: a video has one video track and up to 8 audio tracks. `undecodable`: the track cannot be decoded. `late`: the track begins too far into the file to be found. */
  left_out: Array<{
    kind: "audio" | "video"
    track: number
    language: string | null
    name: string | null
    reason: "limit" | "undecodable" | "late"
  }>
  /** Those that were asked for */
  captions: Array<VideoCaptions>
}

export type VideoCaptions = {
  language: string
  state: "queued" | "processing" | "ready" | "failed"
  /** What players call the track; null for the name of its language */
  name: string | null
  /** Shown to viewers who have not chosen */
  default: boolean
  /** Written by a program, given by you, or written by a program and corrected by you */
  source: "automatic" | "uploaded" | "corrected"
  progress_percent: number
  /** Why they could not be made, in plain English */
  failure_summary: string | null
  captionPath: string
}

export type VideoMp4 = {
  assetId: string
  rendition: string
  state: "queued" | "ready" | "failed"
  bytes: number | null
  /** Works for an hour, once the file is there */
  url: string | null
}

export type VideoCaptionTrack = {
  assetId: string
  captions: VideoCaptions
}

export type VideoCaptionRequest = {
  assetId: string
  language: string
  /** The same for every request for these captions */
  requestId: string
  state: "queued" | "processing" | "ready" | "failed"
  /** Where the WebVTT file will appear */
  captionPath: string
}

export type VideoListedSession = {
  sessionId: string
  assetId: string | null
  /** Of a live channel */
  channelId: string | null
  viewerId: string | null
  host: string
  allowedCountries: Array<string>
  blockedCountries: Array<string>
  expiresAt: string
  revokedAt: string | null
  createdAt: string
}

export type VideoPlaybackSession = {
  sessionId: string
  token: string
  hlsUrl: string
  embedUrl: string
  expiresAt: string
  /** Length of the video */
  durationSeconds: number
}

export type VideoDomain = {
  id: string
  hostname: string
  /** active: proven, and served with a certificate */
  status: "pending" | "verified" | "active"
  /** Create it, then call verify */
  dnsRecord: {
    type: "TXT"
    name: string
    value: string
  }
  /** Where to point the host name to, with a CNAME record; null: ask the operator */
  target: string | null
  verified_at: string | null
  /** Null until the domain is proven */
  certificate: {
    state: "off" | "ordering" | "issued" | "failed"
    /** What is being done, or why there is none yet */
    message: string | null
    expires_at: string | null
    next_attempt_at: string | null
  } | null
  created_at: string
}

export type VideoEmbedding = {
  /** Sites that may show your players in a frame; none: all may */
  origins: Array<string>
}

export type VideoQuality = {
  assetId: string
  from: string
  to: string
  totals: {
    views: number
    playSeconds: number
    /** From a histogram: good to about a tenth */
    startupP50Seconds: number | null
    startupP95Seconds: number | null
    /** Of the time playing and waiting, the share spent waiting; null when there is nothing to divide by */
    rebufferRatio: number | null
    rebuffers: number
    /** Bits per second of time played; null when there is nothing to divide by */
    meanBitrate: number | null
    /** Of the views, the share that an error has ended; null when there is nothing to divide by */
    errorRate: number | null
    /** Of the decoded frames, the share that was not shown; null when there is nothing to divide by */
    droppedFrameRatio: number | null
    /** Changes of rendition */
    switches: number
  }
  /** Oldest first, in UTC; hours in which nobody watched are left out */
  hours: Array<{
    views: number
    playSeconds: number
    /** From a histogram: good to about a tenth */
    startupP50Seconds: number | null
    startupP95Seconds: number | null
    /** Of the time playing and waiting, the share spent waiting; null when there is nothing to divide by */
    rebufferRatio: number | null
    rebuffers: number
    /** Bits per second of time played; null when there is nothing to divide by */
    meanBitrate: number | null
    /** Of the views, the share that an error has ended; null when there is nothing to divide by */
    errorRate: number | null
    /** Of the decoded frames, the share that was not shown; null when there is nothing to divide by */
    droppedFrameRatio: number | null
    /** Changes of rendition */
    switches: number
    at: string
  }>
  /** The most frequent first */
  errors: Array<{
    code: string
    fatal: boolean
    count: number
  }>
}

export type LiveNewChannel = {
  channelId: string
  name: string
  slug: string
  record: boolean
  dvrSeconds: number
  visibility: "signed" | "unlisted" | "public"
  renditions: Array<720 | 480 | 360>
  slate: boolean
  ingest: {
    rtmp: {
      url: string
      /** The same in TLS; null when no port is open for it */
      secureUrl: string | null
      streamKey: string
    }
    /** Takes over while the primary is silent */
    backup: {
      url: string
      /** The same in TLS; null when no port is open for it */
      secureUrl: string | null
      streamKey: string
    }
    /** Null when the range of ports had none left */
    srt: string | null
    /** Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token */
    whip: {
      url: string
    }
  }
  playback: {
    /** Low-latency HLS; `?token=` of a playback session opens it */
    hls: string
    /** Low-latency HLS without a token; null while `visibility` is `signed` */
    open: string | null
  }
  created_at: string
}

export type LiveChannelSummary = {
  channelId: string
  name: string
  slug: string
  /** `live` while viewers can watch; `connecting` while a publisher is there and they cannot yet */
  state: "idle" | "connecting" | "live"
  record: boolean
  /** How far back viewers can go */
  dvrSeconds: number
  ingest: {
    rtmp: {
      url: string
      /** RTMPS; null when it is closed */
      secureUrl: string | null
    }
    /** Null when the range of ports had none left */
    srt: {
      port: number
    } | null
    /** Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token */
    whip: {
      url: string
    }
  }
  visibility: "signed" | "unlisted" | "public"
  /** Heights that are made beside what the encoder sends */
  renditions: Array<720 | 480 | 360>
  /** Whether viewers are shown a slate while the publisher is away */
  slate: boolean
  playback: {
    /** Low-latency HLS; `?token=` of a playback session opens it */
    hls: string
    /** Low-latency HLS without a token; null while `visibility` is `signed` */
    open: string | null
  }
  created_at: string
}

export type LiveChannel = {
  channelId: string
  name: string
  slug: string
  /** `live` while viewers can watch; `connecting` while a publisher is there and they cannot yet */
  state: "idle" | "connecting" | "live"
  record: boolean
  /** How far back viewers can go */
  dvrSeconds: number
  ingest: {
    rtmp: {
      url: string
      /** RTMPS; null when it is closed */
      secureUrl: string | null
    }
    /** Null when the range of ports had none left */
    srt: {
      port: number
    } | null
    /** Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token */
    whip: {
      url: string
    }
  }
  visibility: "signed" | "unlisted" | "public"
  /** Heights that are made beside what the encoder sends */
  renditions: Array<720 | 480 | 360>
  /** Whether viewers are shown a slate while the publisher is away */
  slate: boolean
  playback: {
    /** Low-latency HLS; `?token=` of a playback session opens it */
    hls: string
    /** Low-latency HLS without a token; null while `visibility` is `signed` */
    open: string | null
  }
  created_at: string
  /** Null while the channel is idle */
  stream: LiveStream | null
  /** Publishers are refused until then, as a broadcast was ended */
  closedUntil: string | null
  /** The last publisher that was refused, dropped or kept waiting, and why */
  lastRefusal: LiveRefusal | null
}

export type LiveStream = {
  broadcastId: string
  /** Which key its publisher came with */
  source: "primary" | "backup" | "srt"
  startedAt: string
  lastPartAt: string | null
  /** The newest part that viewers can ask for */
  lastPart: {
    /** Media sequence number of its segment */
    segment: number
    /** Its place in that, from 0 */
    part: number
    /** Seconds */
    duration: number
    at: string
  } | null
  /** Bits a second over the last seconds */
  bitRate: number | null
  frameRate: number | null
  /** As in RFC 6381, such as `avc1.64001f` */
  videoCodec: string | null
  audioCodec: string | null
  width: number | null
  height: number | null
  /** Seconds from one key frame to the next */
  gopSeconds: number | null
  viewers: number | null
  /** Whether `renditions` are made; `unavailable` where the host had no room for them, or more than 60 pictures come a second; `failed` while they are tried again */
  transcode: "on" | "unavailable" | "failed" | null
  /** What the publisher should change, such as B-frames */
  warnings: Array<string>
  /** A picture of the last seconds; the address works for two minutes */
  thumbnailUrl: string | null
}

export type LiveRefusal = {
  /** Which key it came with */
  source: "primary" | "backup" | "srt"
  reason: "key_rotated" | "key_in_use" | "standby" | "closed" | "plan_full" | "elsewhere" | "silent" | "no_key_frame" | "unsupported_codecs" | "port_taken"
  /** For whoever runs the encoder */
  message: string
  at: string
}

export type LiveKey = {
  channelId: string
  which: "primary" | "backup" | "srt"
  /** Of `srt`, the passphrase */
  streamKey: string
  /** The whole address to publish to, the key included */
  url: string
}

export type LivePlaybackSession = {
  sessionId: string
  token: string
  hlsUrl: string
  embedUrl: string
  expiresAt: string
  /** Sends the same by WebRTC, half a second behind at most, while its publisher came by WHIP */
  whepUrl: string
  /** A broadcast has no length yet */
  durationSeconds: 0
}

export type LiveBroadcast = {
  broadcastId: string
  startedAt: string
  /** When it could first be watched */
  liveAt: string | null
  endedAt: string | null
  /** `stopped` by the encoder, `silent` as nothing came any more, `ended` or `deleted` by the API, `lost` with its worker, `failed` as it could not be packaged */
  endReason: "stopped" | "silent" | "ended" | "deleted" | "lost" | "failed" | null
  /** `processing` until the asset can be played; `none` if the channel did not record */
  recording: "none" | "recording" | "processing" | "ready"
  /** The recording */
  assetId: string | null
  /** When the recording could first be played */
  recordedAt: string | null
}

export type LiveRestream = {
  restreamId: string
  channelId: string
  name: string
  url: string
  enabled: boolean
  /** `idle` while nothing is broadcast or it is not enabled, `connecting`, `live` while the target takes the broadcast, `failed` until it is tried again: after a second, then later and later, half a minute at most */
  state: "idle" | "connecting" | "live" | "failed"
  /** Why it is not live */
  reason: "address_refused" | "unresolved" | "connection_failed" | "tls_failed" | "timed_out" | "refused" | "ended" | "too_slow" | "protocol" | "key_unreadable" | "publisher_away" | null
  /** The same in a sentence */
  message: string | null
  /** When its state became this */
  changedAt: string | null
  createdAt: string
}

export type RoomsRoom = {
  roomId: string
  name: string
  /** `active` while somebody is in it; `idle` before anybody came and while it is empty */
  state: "idle" | "active" | "ended"
  maxParticipants: number
  record: boolean
  emptyTimeoutSeconds: number
  /** Who may write to others: `all`, `publishers` (hosts and participants) or nobody (`off`) */
  chat: "all" | "publishers" | "off"
  /** Whoever is no host waits until they are let in */
  waitingRoom: boolean
  /** How the picture of a broadcast or recording is laid out */
  layout: "grid" | "speaker" | "screen"
  /** How many are in it now */
  participants: number
  /** How many of them publish */
  publishing: number
  created_at: string
  /** When the first participant came */
  startedAt: string | null
  /** Since when nobody is in it; from the start, until somebody comes */
  emptySince: string | null
  endedAt: string | null
  /** `ended` by the API; `empty` as nobody came in time */
  endReason: "ended" | "empty" | null
}

export type RoomsBroadcast = {
  broadcastId: string
  roomId: string
  channelId: string
  /** `live` once the channel could be watched */
  state: "starting" | "live" | "ended" | "failed"
  startedAt: string
  liveAt: string | null
  endedAt: string | null
  endReason: "stopped" | "room_ended" | "channel_ended" | "channel_deleted" | "key_changed" | "refused" | null
  /** Why it failed */
  message: string | null
}

export type RoomsRestream = {
  restreamId: string
  roomId: string
  name: string
  url: string
  enabled: boolean
  /** `idle` while no worker has the room or it is not enabled, `connecting`, `live` while the target takes the picture, `failed` until it is tried again: after a second, then later and later, half a minute at most */
  state: "idle" | "connecting" | "live" | "failed"
  /** Why it is not live */
  reason: "address_refused" | "unresolved" | "connection_failed" | "tls_failed" | "timed_out" | "refused" | "ended" | "too_slow" | "protocol" | "key_unreadable" | "publisher_away" | null
  /** The same in a sentence */
  message: string | null
  /** When its state became this */
  changedAt: string | null
  createdAt: string
}

export type RoomsRecording = {
  recordingId: string
  /** `stored` when the room has ended, `recorded` when it is an asset */
  state: "starting" | "recording" | "stored" | "recorded" | "failed"
  startedAt: string
  endedAt: string | null
  assetId: string | null
  /** Why it failed */
  message: string | null
}

export type RoomsToken = {
  token: string
  roomId: string
  identity: string
  displayName: string
  role: "host" | "participant" | "viewer"
  /** Where clients connect to now; null while no worker takes rooms */
  url: string | null
  /** The ready page */
  joinUrl: string
  expiresAt: string
}

export type RoomsParticipant = {
  participantId: string
  identity: string
  displayName: string
  role: "host" | "participant" | "viewer"
  /** `publishing` while the media server receives their media */
  state: "joined" | "publishing"
  since: string
  tracks: Array<{
    kind: "audio" | "video"
    source: "microphone" | "camera" | "screen"
    muted: boolean
  }>
}

export type RoomsWaiting = {
  waitingId: string
  identity: string
  displayName: string
  role: "host" | "participant" | "viewer"
  since: string
}

export type VoiceDid = {
  id: string
  /** E.164 */
  number: string
  friendly_name: string
  /** ISO 3166-1, two letters */
  country: string
  type: "local" | "mobile" | "toll_free"
  capabilities: {
    voice: boolean
    sms: boolean
  }
  status: "active" | "suspended"
  created_at: string
}

export type VoiceStatus = {
  /** `degraded`: some trunk does not answer; `down`: none does, or there is none */
  status: "ok" | "degraded" | "down"
  trunks: {
    /** Trunks that workers take calls to */
    known: number
    /** Those that answer */
    reachable: number
    /** When one of them was asked last */
    last_checked_at: string | null
  }
  /** Calls of the organisation that are up or wait */
  active_calls: number
  /** Calls that all workers together hold at once */
  capacity: number
  /** Calls that all workers together begin a second */
  calls_per_second: number
}

export type VoiceCall = {
  id: string
  status: "queued" | "initiated" | "ringing" | "in_progress" | "completed" | "busy" | "no_answer" | "failed" | "canceled"
  /** Whose telephone rings first */
  from: string
  to: string
  /** The number that both see */
  caller_id: string
  legs: Array<{
    leg: "a" | "b"
    number: string
    status: "queued" | "initiated" | "ringing" | "answered" | "completed" | "busy" | "no_answer" | "failed" | "canceled"
    /** The final status of SIP to the call, as far as there is one */
    sip_status: number | null
    ringing_at: string | null
    answered_at: string | null
    ended_at: string | null
  }>
  ring_timeout_seconds: number
  max_duration_seconds: number
  metadata: Record<string, string>
  /** Why it ended: hung_up, max_duration, busy, declined, no_answer, unknown_number, trunk_unreachable, … */
  reason: string | null
  /** On whose side it ended */
  ended_by: "a" | "b" | "api" | "limit" | "platform" | null
  hangup_requested_at: string | null
  /** From when the two were connected; null while it is not over */
  duration_seconds: number | null
  created_at: string
  /** When the two were connected */
  answered_at: string | null
  ended_at: string | null
  /** Of a test key: recorded as made, and no telephone rang */
  sandbox?: true | undefined
}

export type WhatsappMessage = {
  id: string
  /** wamid.…, once WhatsApp has taken it */
  provider_message_id: string | null
  direction: "outbound" | "inbound"
  /** The recipient in E.164; null for one that came in */
  to: string | null
  /** The person that it came from; null for one that went out */
  from: string | null
  /** The person’s account */
  wa_id: string
  type: string
  /** What the Cloud API’s message has under the name of its type */
  content: Record<string, unknown>
  /** `accepted` by WhatsApp, `sent` by it, `delivered` and `read`, or `failed`; `unknown` while no answer tells whether WhatsApp has it */
  status: "received" | "queued" | "unknown" | "accepted" | "sent" | "failed" | "delivered" | "read"
  error: WhatsappFailure | null
  /** The fallback template went out in place of the message */
  fallback: boolean
  /** The message that failed later, and in whose place this one went out */
  fallback_of: string | null
  context: {
    message_id: string
  } | null
  client_reference: string | null
  /** When its turn is: messages to one recipient are paced */
  send_at: string
  created_at: string
  /** Of a test key: recorded as delivered, and sent to nobody */
  sandbox?: true | undefined
}

export type WhatsappFailure = {
  code: string
  message: string
  /** The Cloud API’s error code */
  provider_code: number | null
  retryable: boolean
}

/** Of the recipient; null if it is not open and you have no message of theirs */
export type WhatsappWindow = {
  /** Free-form messages may go out, whichever organisation of the number the person wrote to */
  open: boolean
  /** 24 hours from their last message to you; null if it is open by another */
  expires_at: string | null
} | null

export type WhatsappMedia = {
  /** `stored`: found clean, and to be had */
  state: "pending" | "stored" | "refused" | "failed"
  /** Once it is stored: POST /v1/files/objects/{id}/download-url */
  object_id: string | null
  /** Why the gate refused it, or it could not be fetched */
  reason: string | null
}

export type WhatsappTemplateForm = {
  name: string
  language: {
    code: string
  }
  components?: Array<{
    type: "header" | "body" | "button"
    /** Of a button */
    sub_type?: "url" | "quick_reply" | "copy_code" | undefined
    /** Of a button: 0 is the first */
    index?: number | undefined
    parameters: Array<{
      type: "text"
      text: string
      parameter_name?: string | undefined
    } | {
      type: "currency"
      currency: {
        fallback_value: string
        code: string
        amount_1000: number
      }
      parameter_name?: string | undefined
    } | {
      type: "date_time"
      date_time: {
        fallback_value: string
      }
      parameter_name?: string | undefined
    } | {
      type: "image"
      image: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "video"
      video: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "document"
      document: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
        filename?: string | undefined
      }
    } | {
      type: "payload"
      payload: string
    } | {
      type: "coupon_code"
      coupon_code: string
    }>
  }> | undefined
}

export type WhatsappSent = {
  id: string
  /** wamid.…, once WhatsApp has taken it */
  provider_message_id: string | null
  /** The recipient in E.164; null for one that came in */
  to: string | null
  /** The person’s account */
  wa_id: string
  type: string
  /** `accepted` by WhatsApp, `sent` by it, `delivered` and `read`, or `failed`; `unknown` while no answer tells whether WhatsApp has it */
  status: "received" | "queued" | "unknown" | "accepted" | "sent" | "failed" | "delivered" | "read"
  error: WhatsappFailure | null
  /** The fallback template went out in place of the message */
  fallback: boolean
  client_reference: string | null
  /** When its turn is: messages to one recipient are paced */
  send_at: string
  created_at: string
  /** Of a test key: recorded as delivered, and sent to nobody */
  sandbox?: true | undefined
  window: WhatsappWindow
}

export type WhatsappBusinessNumber = {
  id: string
  phone_number_id: string
  business_account_id: string
  /** As people see it */
  display_phone: string | null
  verified_name: string | null
  /** Where Meta sends what people write and what becomes of messages */
  webhook_url: string
  /** Meta has taken `webhook_url`; else give it to the Meta app by hand, with the verify token */
  webhook_subscribed: boolean
  created_at: string
  /** When a secret was last changed */
  rotated_at: string | null
}

export type WhatsappTemplate = {
  /** At WhatsApp */
  id: string
  name: string
  language: string
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED` */
  status: string
  /** `MARKETING`, `UTILITY`, `AUTHENTICATION` */
  category: string
  /** `POSITIONAL` or `NAMED` */
  parameter_format: string
  /** As WhatsApp has them */
  components: Array<{
    type: string
    [name: string]: unknown
  }>
  /** Why it was rejected */
  reason: string | null
  /** What the template leaves open */
  variables: Array<{
    component: "header" | "body" | "button"
    index: number | null
    name: string | null
    type: string
    example: string | null
  }>
}

export type WikiPublishedListed = {
  id: string
  slug: string
  /** Its public page */
  url: string
  language: string
  version: number
  title: string
  summary: string
  tags: Array<string>
  first_published_at: string
  /** When this version was published */
  published_at: string
  /** With `q`: HTML, escaped, with the words that were found in `<mark>` */
  highlights: {
    title: string
    excerpt: string
  } | null
}

export type WikiPublished = {
  id: string
  slug: string
  /** The slug that was asked for, when the article has another now */
  redirected_from: string | null
  /** Its public page */
  url: string
  language: string
  status: "published" | "withdrawn"
  version: number | null
  /** Null, like the rest of its text, of an article that is withdrawn */
  title: string | null
  summary: string | null
  /** Markdown */
  body: string | null
  /** With `format=html`: the body as HTML in which nothing is active */
  html: string | null
  tags: Array<string>
  evidence: {
    claims: number
    supported: number
    /** The supported part of the claims; null without any */
    coverage: number | null
    /** Claims that would be refused now; of a published article those that it was published with under earlier rules */
    unproven: Array<{
      claim_id: string
      problem: "no_reference" | "snapshot_pending" | "snapshot_failed" | "snapshot_outdated" | "quote_not_found" | "value_not_in_quote"
    }>
  } | null
  withdrawal: {
    reason: string
    at: string
  } | null
  first_published_at: string | null
  updated_at: string
}

export type WikiEntitySummary = {
  id: string
  type: string
  labels: Record<string, string>
  external_ids: Record<string, string>
  created_at: string
  updated_at: string
}

export type WikiClaim = {
  id: string
  entity_id: string
  property: string
  value: {
    type: string
    [name: string]: unknown
  }
  qualifiers: Array<{
    property: string
    [name: string]: unknown
  }>
  rank: "preferred" | "normal" | "deprecated"
  deprecation_reason: string | null
  /** Supported by one reference that proves it at least */
  status: "supported" | "unsupported"
  references: Array<{
    id: string
    source_id: string
    snapshot_id: string
    snapshot_status: "pending" | "ok" | "failed"
    quote: string
    /** Whether the snapshot holds the quote */
    quote_verified: boolean
    /** Why it is no proof; null when it is one */
    problem: "snapshot_pending" | "snapshot_failed" | "snapshot_outdated" | "quote_not_found" | "value_not_in_quote" | null
    locator: string | null
    /** Of a document of pages: where the quote was found, from 1 */
    page: number | null
    /** On that page, from 1 */
    paragraph: number | null
    created_at: string
  }>
  article_ids: Array<string>
  created_at: string
  updated_at: string
}

export type WikiPlace = {
  article_id: string
  parent_id: string | null
  position: number
}

export type WikiTreeArticle = {
  id: string
  slug: string
  /** Its public page, if it is published */
  url: string
  title: string
  status: "draft" | "published" | "withdrawn"
  language: string
  /** Null at the top, and where the article above is not shown */
  parent_id: string | null
  position: number
  /** 0 at the top */
  depth: number
}

export type WikiArticle = {
  id: string
  slug: string
  /** Its public page */
  url: string
  language: string
  status: "draft" | "published" | "withdrawn"
  /** Number of its newest version */
  version: number
  /** Number of the version that readers see */
  published_version: number | null
  /** Grows with each change: the ETag */
  revision: number
  title: string
  summary: string
  tags: Array<string>
  withdrawal: {
    reason: string
    at: string
  } | null
  first_published_at: string | null
  created_at: string
  updated_at: string
  body: string
  evidence: {
    claims: number
    supported: number
    /** The supported part of the claims; null without any */
    coverage: number | null
    /** Claims that would be refused now; of a published article those that it was published with under earlier rules */
    unproven: Array<{
      claim_id: string
      problem: "no_reference" | "snapshot_pending" | "snapshot_failed" | "snapshot_outdated" | "quote_not_found" | "value_not_in_quote"
    }>
  }
}

export type WikiArticleListed = {
  id: string
  slug: string
  /** Its public page */
  url: string
  language: string
  status: "draft" | "published" | "withdrawn"
  /** Number of its newest version */
  version: number
  /** Number of the version that readers see */
  published_version: number | null
  /** Grows with each change: the ETag */
  revision: number
  title: string
  summary: string
  tags: Array<string>
  withdrawal: {
    reason: string
    at: string
  } | null
  first_published_at: string | null
  created_at: string
  updated_at: string
}

export type WikiVersionListed = {
  id: string
  version: number
  title: string
  summary: string
  tags: Array<string>
  comment: string | null
  author: string | null
  /** The key that wrote it */
  key_id: string | null
  /** The version whose text this is */
  restored_from: number | null
  /** Bytes of the body */
  size: number
  /** Of the body */
  sha256: string
  created_at: string
}

export type WikiVersion = {
  id: string
  version: number
  title: string
  summary: string
  tags: Array<string>
  comment: string | null
  author: string | null
  /** The key that wrote it */
  key_id: string | null
  /** The version whose text this is */
  restored_from: number | null
  /** Bytes of the body */
  size: number
  /** Of the body */
  sha256: string
  created_at: string
  body: string
  /** With `diff`: what of the body changed from that version to this one */
  diff: {
    from: number
    to: number
    unified: string
    hunks: Array<{
      old_start: number
      old_lines: number
      new_start: number
      new_lines: number
      /** Each begins with a blank, + or - */
      lines: Array<string>
    }>
  } | null
}

export type WikiReview = {
  id: string
  article_id: string
  version: number
  decision: "approved" | "rejected"
  comment: string | null
  /** Who reviewed it, as you call them */
  reviewer: string | null
  /** The key that reviewed it */
  key_id: string
  created_at: string
}

export type WikiSettings = {
  /** `required`: a version is published by another key than wrote it, or once another has approved it */
  review: "none" | "required"
}

export type WikiSource = {
  id: string
  /** As it was registered first */
  uri: string
  /** Without fragment and marks of trackers; what snapshots are taken of */
  canonical_url: string
  type: "web" | "document" | "dataset"
  title: string | null
  publisher: string | null
  authors: Array<string>
  published_at: string | null
  created_at: string
  updated_at: string
}

export type WikiSourceWithSnapshots = {
  id: string
  /** As it was registered first */
  uri: string
  /** Without fragment and marks of trackers; what snapshots are taken of */
  canonical_url: string
  type: "web" | "document" | "dataset"
  title: string | null
  publisher: string | null
  authors: Array<string>
  published_at: string | null
  created_at: string
  updated_at: string
  /** The newest 10 */
  snapshots: Array<WikiPublicSnapshot>
}

export type WikiPublicSnapshot = {
  id: string
  source_id: string
  status: "pending" | "ok" | "failed"
  requested_at: string
  captured_at: string | null
  /** When its source said the same for the last time */
  last_checked_at: string | null
  http_status: number | null
  /** What the bytes are, whatever the server said */
  content_type: string | null
  title: string | null
  /** Bytes */
  size: number | null
  /** Of the bytes */
  sha256: string | null
  /** Of the readable text; null where the bytes hold none that is read */
  text_sha256: string | null
  /** Characters; the first million of them are kept */
  text_length: number | null
  /** Whether bytes or text are those of the last good snapshot before; null for the first */
  unchanged: boolean | null
  /** Why nothing was captured */
  error_code: string | null
}

export type WikiSnapshot = {
  id: string
  source_id: string
  status: "pending" | "ok" | "failed"
  requested_at: string
  captured_at: string | null
  /** When its source said the same for the last time */
  last_checked_at: string | null
  http_status: number | null
  /** What the bytes are, whatever the server said */
  content_type: string | null
  title: string | null
  /** Bytes */
  size: number | null
  /** Of the bytes */
  sha256: string | null
  /** Of the readable text; null where the bytes hold none that is read */
  text_sha256: string | null
  /** Characters; the first million of them are kept */
  text_length: number | null
  /** Whether bytes or text are those of the last good snapshot before; null for the first */
  unchanged: boolean | null
  /** Why nothing was captured */
  error_code: string | null
  /** Where redirects led */
  final_url: string | null
  error_message: string | null
  /** Since when its bytes are kept no more, as no claim cited it */
  bytes_pruned_at: string | null
}

export type WikiEntity = {
  id: string
  type: string
  labels: Record<string, string>
  descriptions: Record<string, string>
  aliases: Record<string, Array<string>>
  external_ids: Record<string, string>
  created_at: string
  updated_at: string
}

/** A key was made. */
export type EventsAccountKeyCreated = {
  type: "account.key.created"
  /** When it happened */
  timestamp: string
  data: {
    /** The key */
    id: string
    name: string
    mode: "live" | "test"
    expires_at: string | null
  }
}

/** A key ends soon. */
export type EventsAccountKeyExpiring = {
  type: "account.key.expiring"
  /** When it happened */
  timestamp: string
  data: {
    /** The key */
    id: string
    name: string
    mode: "live" | "test"
    expires_at: string | null
  }
}

/** A key is good for nothing any more. */
export type EventsAccountKeyRevoked = {
  type: "account.key.revoked"
  /** When it happened */
  timestamp: string
  data: {
    /** The key */
    id: string
    name: string
    mode: "live" | "test"
    expires_at: string | null
  }
}

/** A key has another secret. */
export type EventsAccountKeyRotated = {
  type: "account.key.rotated"
  /** When it happened */
  timestamp: string
  data: {
    /** The key */
    id: string
    name: string
    mode: "live" | "test"
    expires_at: string | null
    /** Until then the secret before is good, too */
    previous_until: string | null
  }
}

/** Somebody has joined the organisation. */
export type EventsAccountMemberAdded = {
  type: "account.member.added"
  /** When it happened */
  timestamp: string
  data: {
    /** The member */
    id: string
    role: string
  }
}

/** A member has another role. */
export type EventsAccountMemberChanged = {
  type: "account.member.changed"
  /** When it happened */
  timestamp: string
  data: {
    /** The member */
    id: string
    role: string
    previous_role: string
  }
}

/** Somebody is a member no more. */
export type EventsAccountMemberRemoved = {
  type: "account.member.removed"
  /** When it happened */
  timestamp: string
  data: {
    /** The member */
    id: string
    role: string
  }
}

/** Usage of a metric has come to a part of its budget. */
export type EventsAccountUsageThreshold = {
  type: "account.usage.threshold"
  /** When it happened */
  timestamp: string
  data: {
    metric: string
    /** The day or month that is counted */
    period: string
    used: number
    budget: number
    /** The threshold that was passed */
    percent: number
  }
}

/** A bot has answered. */
export type EventsBotsAnswerCompleted = {
  type: "bots.answer.completed"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    bot_id: string
    conversation_id: string
    finish_reason: string | null
    model: string | null
  }
}

/** A bot has no answer. */
export type EventsBotsAnswerFailed = {
  type: "bots.answer.failed"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    bot_id: string
    conversation_id: string
    code: string
    retryable: boolean
  }
}

/** A conversation waits for a person. */
export type EventsBotsConversationHandedOver = {
  type: "bots.conversation.handed_over"
  /** When it happened */
  timestamp: string
  data: {
    bot_id: string
    conversation_id: string
    reason: "asked" | "unanswered" | "requested"
  }
}

/** A person has answered in a bot’s place. */
export type EventsBotsConversationReplied = {
  type: "bots.conversation.replied"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    bot_id: string
    conversation_id: string
  }
}

/** A person handles a conversation no more: the bot does again, or it is closed. */
export type EventsBotsConversationReturned = {
  type: "bots.conversation.returned"
  /** When it happened */
  timestamp: string
  data: {
    bot_id: string
    conversation_id: string
    closed: boolean
  }
}

/** A message was taken, and will be sent. */
export type EventsEmailAccepted = {
  type: "email.accepted"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** The recipient’s server refuses a message for good. */
export type EventsEmailBounced = {
  type: "email.bounced"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A campaign was cancelled: what had not left stays. */
export type EventsEmailCampaignCancelled = {
  type: "email.campaign.cancelled"
  /** When it happened */
  timestamp: string
  data: {
    /** The campaign */
    id: string
    name: string
    subject: string
    /** Confirmed contacts when it began */
    recipients: number
    /** Contacts that were gone through */
    expanded: number
    /** Contacts that get none */
    blocked: number
    /** Why it is paused */
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
  }
}

/** The last message of a campaign has come to an end. */
export type EventsEmailCampaignFinished = {
  type: "email.campaign.finished"
  /** When it happened */
  timestamp: string
  data: {
    /** The campaign */
    id: string
    name: string
    subject: string
    /** Confirmed contacts when it began */
    recipients: number
    /** Contacts that were gone through */
    expanded: number
    /** Contacts that get none */
    blocked: number
    /** Why it is paused */
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
  }
}

/** A campaign stopped before its end, or could not begin. */
export type EventsEmailCampaignPaused = {
  type: "email.campaign.paused"
  /** When it happened */
  timestamp: string
  data: {
    /** The campaign */
    id: string
    name: string
    subject: string
    /** Confirmed contacts when it began */
    recipients: number
    /** Contacts that were gone through */
    expanded: number
    /** Contacts that get none */
    blocked: number
    /** Why it is paused */
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
  }
}

/** Every recipient of a campaign has a message that is with delivery. */
export type EventsEmailCampaignSent = {
  type: "email.campaign.sent"
  /** When it happened */
  timestamp: string
  data: {
    /** The campaign */
    id: string
    name: string
    subject: string
    /** Confirmed contacts when it began */
    recipients: number
    /** Contacts that were gone through */
    expanded: number
    /** Contacts that get none */
    blocked: number
    /** Why it is paused */
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
  }
}

/** A message was cancelled before it left. */
export type EventsEmailCancelled = {
  type: "email.cancelled"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A recipient has called a message spam. */
export type EventsEmailComplained = {
  type: "email.complained"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A contact has confirmed that they want mail. */
export type EventsEmailContactConfirmed = {
  type: "email.contact.confirmed"
  /** When it happened */
  timestamp: string
  data: {
    /** The contact */
    id: string
    email: string
    /** How it is known */
    source: "api" | "page" | "one_click" | "mail" | "complaint"
    /** The message whose link, header or mailbox was used */
    message_id: string | null
    /** Of a contact whom only sandbox keys know */
    sandbox?: true | undefined
  }
}

/** A contact wants no more mail. */
export type EventsEmailContactUnsubscribed = {
  type: "email.contact.unsubscribed"
  /** When it happened */
  timestamp: string
  data: {
    /** The contact */
    id: string
    email: string
    /** How it is known */
    source: "api" | "page" | "one_click" | "mail" | "complaint"
    /** The message whose link, header or mailbox was used */
    message_id: string | null
    /** Of a contact whom only sandbox keys know */
    sandbox?: true | undefined
  }
}

/** The recipient’s server wants a message later; it is tried again. */
export type EventsEmailDeferred = {
  type: "email.deferred"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A message is in the recipient’s mailbox, as far as can be known. */
export type EventsEmailDelivered = {
  type: "email.delivered"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** Records of a verified domain are gone: nothing is sent from it. */
export type EventsEmailDomainFailed = {
  type: "email.domain.failed"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    domain: string
    status: string
    /** The records that are clearly amiss */
    amiss: Array<string>
  }
}

/** All required records of a domain are found. */
export type EventsEmailDomainVerified = {
  type: "email.domain.verified"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    domain: string
    status: string
  }
}

/** A message could not be delivered in time, or at all. */
export type EventsEmailFailed = {
  type: "email.failed"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** Received mail uses 80 or 100 percent of its share of your storage. At 100 percent, further mail is refused. */
export type EventsEmailInboundStorageWarning = {
  type: "email.inbound_storage.warning"
  /** When it happened */
  timestamp: string
  data: {
    /** Received mail with its files */
    used_bytes: number
    /** The share of your storage that received mail may use */
    limit_bytes: number
    /** The threshold that is reached */
    percent: 80 | 100
  }
}

/** Marketing mail is held, as too much of it bounced or was called spam. */
export type EventsEmailMarketingPaused = {
  type: "email.marketing.paused"
  /** When it happened */
  timestamp: string
  data: {
    reason: string | null
  }
}

/** Marketing mail is sent again. */
export type EventsEmailMarketingResumed = {
  type: "email.marketing.resumed"
  /** When it happened */
  timestamp: string
  data: Record<string, never>
}

/** A mail has come in by one of your inbound routes. */
export type EventsEmailReceived = {
  type: "email.received"
  /** When it happened */
  timestamp: string
  data: {
    /** The mail: GET /send/v1/received/{id} has all of it */
    id: string
    /** The inbound route that took it */
    route_id: string
    recipient: string
    /** Of the envelope (MAIL FROM); empty for a notice of a server */
    sender: string
    from: {
      email: string
      name: string | null
    } | null
    /** Addresses of To and Cc */
    to: Array<string>
    subject: string | null
    /** Its Message-ID, without brackets */
    message_id: string | null
    /** The message of yours that it answers */
    replies_to: string | null
    /** True if a program wrote it (RFC 3834) */
    auto_submitted: boolean
    /** True if no program may answer it: it is automatic, of a mailing list, or asks for none */
    no_auto_reply: boolean
    text: string | null
    /** The text without quoted mail and signature; the whole text if nothing else is left; `null` without text */
    reply: string | null
    /** The text is longer than an event tells */
    is_cut: boolean
    headers: Array<{
      name: string
      value: string
    }>
    /** What SPF, DKIM and DMARC say of who it is from */
    authentication: {
      spf: {
        result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
        domain: string
      }
      dkim: Array<{
        result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
        domain: string
        selector: string
        aligned: boolean
      }>
      dmarc: {
        result: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror"
        domain: string
        policy: string | null
      }
    } | null
    attachments: Array<{
      /** The object of the area files */
      object_id: string | null
      filename: string
      content_type: string
      bytes: number
      content_id: string | null
      inline: boolean
      /** refused: it does not fit the plan */
      scan_status: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error" | "refused" | "deleted"
      /** POST to it with your key for a link to the bytes; null unless the file is clean */
      url: string | null
    }>
    /** Why not all of it could be read */
    fault: string | null
    received_at: string
  }
}

/** Mail is near the rates at which marketing is paused. */
export type EventsEmailReputationWarning = {
  type: "email.reputation.warning"
  /** When it happened */
  timestamp: string
  data: {
    reason: string | null
  }
}

/** The recipient’s server has taken a message. */
export type EventsEmailSent = {
  type: "email.sent"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A message was not sent, as its recipient is suppressed. */
export type EventsEmailSuppressed = {
  type: "email.suppressed"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** Its Message-ID */
    message_id: string
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: string
    to: string
    subject: string
    status: string
    campaign_id: string | null
    /** What the answer of the recipient’s server is taken for */
    reply_class: string | null
    reason: string | null
    /** Of a sandbox key: nothing was sent */
    sandbox: boolean
    /** Whether the message is to the recipient, or a copy */
    recipient: "to" | "cc" | "bcc"
    /** Of a copy: the message that it is of, whose Message-ID it has */
    copy_of: string | null
    /** Of one that was given a time: when that is */
    send_at: string | null
    /** As it was sent with */
    tags: Array<{
      name: string
      value: string
    }>
    /** As it was sent with */
    metadata: Record<string, unknown> | null
  }
}

/** A register has been imported, and is not what it was. */
export type EventsErpRegisterChanged = {
  type: "erp.register.changed"
  /** When it happened */
  timestamp: string
  data: {
    register: string
    import_id: string
    /** Whether the register was not known before: its companies are then not listed */
    first: boolean
    /** Companies, or officers, that its file has */
    entries: number
    added: number
    changed: number
    removed: number
    /** The first hundred companies; `GET /v1/erp/imports/{id}/changes` has all of them. Officers are counted alone */
    changes: Array<{
      kind: "added" | "changed" | "removed"
      jurisdiction: string
      code: string
      name: string | null
    }>
  }
}

/** A file has passed the malware gate. */
export type EventsFilesObjectClean = {
  type: "files.object.clean"
  /** When it happened */
  timestamp: string
  data: {
    object_id: string
    product_key: string
    tenant_id: string | null
    filename: string
    content_type: string
    byte_size: number
    sha256: string
    /** The object of which this is a later version */
    version_of: string | null
    version: number
    scan_status: "clean" | "infected"
    /** What was found, and by which scanner */
    reasons: Array<unknown>
    /** An operator has released it, whatever was found */
    released: boolean
  }
}

/** A file is kept from everybody, as malware was found in it. */
export type EventsFilesObjectInfected = {
  type: "files.object.infected"
  /** When it happened */
  timestamp: string
  data: {
    object_id: string
    product_key: string
    tenant_id: string | null
    filename: string
    content_type: string
    byte_size: number
    sha256: string
    /** The object of which this is a later version */
    version_of: string | null
    version: number
    scan_status: "clean" | "infected"
    /** What was found, and by which scanner */
    reasons: Array<unknown>
    /** An operator has released it, whatever was found */
    released: boolean
  }
}

/** A site’s name, origins or policy were changed. */
export type EventsGuardSiteChanged = {
  type: "guard.site.changed"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    name: string
    origins: Array<string>
  }
}

/** A site was made. */
export type EventsGuardSiteCreated = {
  type: "guard.site.created"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    name: string
    origins: Array<string>
  }
}

/** A site and its key are gone. */
export type EventsGuardSiteDeleted = {
  type: "guard.site.deleted"
  /** When it happened */
  timestamp: string
  data: {
    id: string
  }
}

/** A site has another public key. */
export type EventsGuardSiteKeyRotated = {
  type: "guard.site.key_rotated"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    name: string
    origins: Array<string>
  }
}

/** It was decided whether a subject meets a requirement, with the reasons; told once of each decision. */
export type EventsIdentityCheckDecided = {
  type: "identity.check.decided"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    subject: string
    requirement: string
    status: "verified" | "rejected"
    /** How it is known */
    method: string
    expires_at: string | null
    decision_id: string
    reasons: Array<{
      code: string
      reason: string
    }>
    /** What was read on the document, if one was handed in */
    document: {
      status: "waiting" | "read" | "unread"
      /** Why nothing was read */
      reason: "reader_unavailable" | "reader_failed" | "format_not_read" | "unreadable_picture" | "too_many_pixels" | "too_small" | "blurred" | "no_lines" | "unclear" | null
      format: "TD1" | "TD2" | "TD3" | null
      /** Of its machine-readable lines */
      failed_checks: Array<"document_number" | "birth_date" | "expiry_date" | "optional_data" | "composite" | "dates">
      expired: boolean | null
      /** Other subjects who have handed in the same document */
      shared_with: number
    } | null
  }
}

/** What a subject handed in does not do. */
export type EventsIdentityCheckRejected = {
  type: "identity.check.rejected"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    subject: string
    requirement: string
    status: "submitted" | "verified" | "rejected"
    /** How it is known */
    method: string
    reason_code: string | null
    reason: string | null
    expires_at: string | null
  }
}

/** Somebody has handed in what a requirement asks for. */
export type EventsIdentityCheckSubmitted = {
  type: "identity.check.submitted"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    subject: string
    requirement: string
    status: "submitted" | "verified" | "rejected"
    /** How it is known */
    method: string
    reason_code: string | null
    reason: string | null
    expires_at: string | null
  }
}

/** A subject meets a requirement. */
export type EventsIdentityCheckVerified = {
  type: "identity.check.verified"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    subject: string
    requirement: string
    status: "submitted" | "verified" | "rejected"
    /** How it is known */
    method: string
    reason_code: string | null
    reason: string | null
    expires_at: string | null
  }
}

/** The machine-readable lines of a document that was handed in were read, or cannot be; the facts themselves are told to who asks for them. */
export type EventsIdentityDocumentRead = {
  type: "identity.document.read"
  /** When it happened */
  timestamp: string
  data: {
    status: "waiting" | "read" | "unread"
    /** Why nothing was read */
    reason: "reader_unavailable" | "reader_failed" | "format_not_read" | "unreadable_picture" | "too_many_pixels" | "too_small" | "blurred" | "no_lines" | "unclear" | null
    format: "TD1" | "TD2" | "TD3" | null
    /** Of its machine-readable lines */
    failed_checks: Array<"document_number" | "birth_date" | "expiry_date" | "optional_data" | "composite" | "dates">
    expired: boolean | null
    /** Other subjects who have handed in the same document */
    shared_with: number
    id: string
    object_id: string
    subject: string
  }
}

/** A person is told of something, by the channels that they prefer. */
export type EventsNotifyEventAccepted = {
  type: "notify.event.accepted"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    user_id: string
    product_key: string
    type: string
    /** The channels by which the person is told */
    channels: Array<string>
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A person has come to the end of a workflow, or it was stopped before. */
export type EventsNotifyRunEnded = {
  type: "notify.run.ended"
  /** When it happened */
  timestamp: string
  data: {
    /** The run, whose trace has each step */
    id: string
    /** Its key */
    workflow: string
    version: number
    /** The event that it began with */
    event_id: string
    user_id: string
    /** `completed`, `stopped`, `cancelled` or `failed` */
    state: string
    /** Why it went no further */
    reason: string | null
  }
}

/** A device reports that a message came. */
export type EventsPushDelivered = {
  type: "push.delivered"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    delivery_id: string
    app_id: string
    user_id: string | null
    installation_id: string
    provider: string
    delivered_at?: string | undefined
    opened_at?: string | undefined
  }
}

/** A message did not reach a device. */
export type EventsPushFailed = {
  type: "push.failed"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    delivery_id: string
    app_id: string
    user_id: string | null
    installation_id: string
    provider: string
    status: "failed" | "expired"
    reason: string | null
  }
}

/** The token of a device is dead: it gets nothing any more. */
export type EventsPushInstallationInvalidated = {
  type: "push.installation.invalidated"
  /** When it happened */
  timestamp: string
  data: {
    app_id: string
    user_id: string | null
    installation_id: string
    provider: string
    reason: string | null
  }
}

/** A device reports that a message was opened. */
export type EventsPushOpened = {
  type: "push.opened"
  /** When it happened */
  timestamp: string
  data: {
    message_id: string
    delivery_id: string
    app_id: string
    user_id: string | null
    installation_id: string
    provider: string
    delivered_at?: string | undefined
    opened_at?: string | undefined
  }
}

/** A listing was taken back. */
export type EventsTrustListingRemoved = {
  type: "trust.listing.removed"
  /** When it happened */
  timestamp: string
  data: {
    id: string
  }
}

/** A host is allowed or denied. */
export type EventsTrustListingSet = {
  type: "trust.listing.set"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    hostname: string
    policy: "allow" | "deny"
  }
}

/** What is known of a watched URL is something else. */
export type EventsTrustWatchChanged = {
  type: "trust.watch.changed"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    url: string
    verdict: "unknown" | "suspicious" | "malicious"
    before: "unknown" | "suspicious" | "malicious"
    categories: Array<string>
  }
}

/** An asset was deleted; this is how it was. */
export type EventsVideoAssetDeleted = {
  type: "video.asset.deleted"
  /** When it happened */
  timestamp: string
  data: {
    /** The asset */
    id: string
    title: string | null
    description: string | null
    metadata: Record<string, string>
    externalRef: string | null
    filename: string | null
    status: string
    /** Why it failed, for programs */
    failure_code: string | null
    /** Why it failed, in a sentence for its owner */
    failure_summary: string | null
    visibility: string
    durationSeconds: number | null
    width: number | null
    height: number | null
  }
}

/** An asset could not be processed. */
export type EventsVideoAssetFailed = {
  type: "video.asset.failed"
  /** When it happened */
  timestamp: string
  data: {
    /** The asset */
    id: string
    title: string | null
    description: string | null
    metadata: Record<string, string>
    externalRef: string | null
    filename: string | null
    status: string
    /** Why it failed, for programs */
    failure_code: string | null
    /** Why it failed, in a sentence for its owner */
    failure_summary: string | null
    visibility: string
    durationSeconds: number | null
    width: number | null
    height: number | null
  }
}

/** An asset can be watched, while its other renditions may still be made. */
export type EventsVideoAssetPlayable = {
  type: "video.asset.playable"
  /** When it happened */
  timestamp: string
  data: {
    /** The asset */
    id: string
    title: string | null
    description: string | null
    metadata: Record<string, string>
    externalRef: string | null
    filename: string | null
    status: string
    /** Why it failed, for programs */
    failure_code: string | null
    /** Why it failed, in a sentence for its owner */
    failure_summary: string | null
    visibility: string
    durationSeconds: number | null
    width: number | null
    height: number | null
  }
}

/** All renditions of an asset are made. */
export type EventsVideoAssetReady = {
  type: "video.asset.ready"
  /** When it happened */
  timestamp: string
  data: {
    /** The asset */
    id: string
    title: string | null
    description: string | null
    metadata: Record<string, string>
    externalRef: string | null
    filename: string | null
    status: string
    /** Why it failed, for programs */
    failure_code: string | null
    /** Why it failed, in a sentence for its owner */
    failure_summary: string | null
    visibility: string
    durationSeconds: number | null
    width: number | null
    height: number | null
  }
}

/** What is said of an asset, or who may play it, was changed. */
export type EventsVideoAssetUpdated = {
  type: "video.asset.updated"
  /** When it happened */
  timestamp: string
  data: {
    /** The asset */
    id: string
    title: string | null
    description: string | null
    metadata: Record<string, string>
    externalRef: string | null
    filename: string | null
    status: string
    /** Why it failed, for programs */
    failure_code: string | null
    /** Why it failed, in a sentence for its owner */
    failure_summary: string | null
    visibility: string
    durationSeconds: number | null
    width: number | null
    height: number | null
  }
}

/** Captions of an asset are written. */
export type EventsVideoCaptionsReady = {
  type: "video.captions.ready"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    asset_id: string
    language: string
    cues: number
  }
}

/** A broadcast that could be watched is over. */
export type EventsVideoLiveEnded = {
  type: "video.live.ended"
  /** When it happened */
  timestamp: string
  data: {
    broadcastId: string
    channelId: string
    name: string
    slug: string
    startedAt: string
    endedAt: string | null
    endReason: string | null
    /** The asset of its recording */
    assetId: string | null
  }
}

/** The recording of a broadcast can be watched. */
export type EventsVideoLiveRecorded = {
  type: "video.live.recorded"
  /** When it happened */
  timestamp: string
  data: {
    broadcastId: string
    channelId: string
    name: string
    slug: string
    startedAt: string
    endedAt: string | null
    endReason: string | null
    /** The asset of its recording */
    assetId: string | null
  }
}

/** A broadcast can be watched. */
export type EventsVideoLiveStarted = {
  type: "video.live.started"
  /** When it happened */
  timestamp: string
  data: {
    broadcastId: string
    channelId: string
    name: string
    slug: string
    startedAt: string
    endedAt: string | null
    endReason: string | null
    /** The asset of its recording */
    assetId: string | null
  }
}

/** A room is over. */
export type EventsVideoRoomEnded = {
  type: "video.room.ended"
  /** When it happened */
  timestamp: string
  data: {
    roomId: string
    name: string
    startedAt: string | null
    endedAt: string | null
    reason: string | null
  }
}

/** Somebody has come into a room. */
export type EventsVideoRoomParticipantJoined = {
  type: "video.room.participant.joined"
  /** When it happened */
  timestamp: string
  data: {
    roomId: string
    participantId: string
    identity: string | null
    displayName: string | null
    role: string
    joinedAt: string
  }
}

/** Somebody has left a room. */
export type EventsVideoRoomParticipantLeft = {
  type: "video.room.participant.left"
  /** When it happened */
  timestamp: string
  data: {
    roomId: string
    participantId: string
    identity: string | null
    displayName: string | null
    role: string
    joinedAt: string
    leftAt: string | null
    reason: string | null
  }
}

/** Somebody waits to be let into a room that has a waiting room. */
export type EventsVideoRoomParticipantWaiting = {
  type: "video.room.participant.waiting"
  /** When it happened */
  timestamp: string
  data: {
    roomId: string
    waitingId: string
    identity: string
    displayName: string
    role: string
    since: string
  }
}

/** The first participant is in a room. */
export type EventsVideoRoomStarted = {
  type: "video.room.started"
  /** When it happened */
  timestamp: string
  data: {
    roomId: string
    name: string
    startedAt: string
  }
}

/** Both sides of a call are connected. */
export type EventsVoiceCallAnswered = {
  type: "voice.call.answered"
  /** When it happened */
  timestamp: string
  data: {
    /** The call */
    id: string
    status: string
    /** Why it ended */
    reason: string | null
    ended_by: string | null
    metadata: Record<string, string>
    created_at: string
    answered_at: string | null
    ended_at: string | null
    /** For how long it was connected; null until it has ended */
    duration_seconds: number | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A call is over, or never came about. */
export type EventsVoiceCallEnded = {
  type: "voice.call.ended"
  /** When it happened */
  timestamp: string
  data: {
    /** The call */
    id: string
    status: string
    /** Why it ended */
    reason: string | null
    ended_by: string | null
    metadata: Record<string, string>
    created_at: string
    answered_at: string | null
    ended_at: string | null
    /** For how long it was connected; null until it has ended */
    duration_seconds: number | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A telephone of a call rings. */
export type EventsVoiceCallRinging = {
  type: "voice.call.ringing"
  /** When it happened */
  timestamp: string
  data: {
    /** The call */
    id: string
    status: string
    /** Why it ended */
    reason: string | null
    ended_by: string | null
    metadata: Record<string, string>
    created_at: string
    answered_at: string | null
    ended_at: string | null
    /** For how long it was connected; null until it has ended */
    duration_seconds: number | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** An endpoint is delivered to no more; told to the organisation’s others, whatever they ask for. */
export type EventsWebhooksEndpointDisabled = {
  type: "webhooks.endpoint.disabled"
  /** When it happened */
  timestamp: string
  data: {
    endpoint_id: string
    area: string | null
    url: string
    reason: string
  }
}

/** A test: nothing has happened. */
export type EventsWebhooksTest = {
  type: "webhooks.test"
  /** When it happened */
  timestamp: string
  data: {
    endpoint_id: string
    area: string | null
    note: string
  }
}

/** A file that somebody sent could not be fetched. */
export type EventsWhatsappMediaFailed = {
  type: "whatsapp.media.failed"
  /** When it happened */
  timestamp: string
  data: {
    /** The message that came with it */
    message_id: string
    /** The telephone number that sent it */
    from: string
    /** image, video, audio, document or sticker */
    type: string
    /** In the area files: POST /v1/files/objects/{id}/download-url */
    object_id: string | null
    content_type: string | null
    byte_size: number | null
    /** `infected`, `suspicious`, `unscannable`; `too_large`, `gone`, … */
    reason: string | null
  }
}

/** A file that somebody sent did not pass the malware gate. */
export type EventsWhatsappMediaRefused = {
  type: "whatsapp.media.refused"
  /** When it happened */
  timestamp: string
  data: {
    /** The message that came with it */
    message_id: string
    /** The telephone number that sent it */
    from: string
    /** image, video, audio, document or sticker */
    type: string
    /** In the area files: POST /v1/files/objects/{id}/download-url */
    object_id: string | null
    content_type: string | null
    byte_size: number | null
    /** `infected`, `suspicious`, `unscannable`; `too_large`, `gone`, … */
    reason: string | null
  }
}

/** A file that somebody sent was found clean and can be downloaded. */
export type EventsWhatsappMediaStored = {
  type: "whatsapp.media.stored"
  /** When it happened */
  timestamp: string
  data: {
    /** The message that came with it */
    message_id: string
    /** The telephone number that sent it */
    from: string
    /** image, video, audio, document or sticker */
    type: string
    /** In the area files: POST /v1/files/objects/{id}/download-url */
    object_id: string | null
    content_type: string | null
    byte_size: number | null
    /** `infected`, `suspicious`, `unscannable`; `too_large`, `gone`, … */
    reason: string | null
  }
}

/** The provider has taken a message. */
export type EventsWhatsappMessageAccepted = {
  type: "whatsapp.message.accepted"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A message is on the telephone. */
export type EventsWhatsappMessageDelivered = {
  type: "whatsapp.message.delivered"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A message was not sent, or did not arrive. */
export type EventsWhatsappMessageFailed = {
  type: "whatsapp.message.failed"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A message was read. */
export type EventsWhatsappMessageRead = {
  type: "whatsapp.message.read"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** Somebody wrote to the business number. */
export type EventsWhatsappMessageReceived = {
  type: "whatsapp.message.received"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    /** The telephone number that wrote */
    from: string
    /** text, image, location, … */
    type: string
    /** What it says, as the Cloud API tells it */
    content: Record<string, unknown>
    /** The provider’s id of the message that it quotes */
    in_reply_to: string | null
    /** The button or row that was chosen, by the id that it was sent with */
    reply: {
      id: string
      title: string
    } | null
    /** It is a file: `whatsapp.media.stored` follows once the malware gate has let it pass */
    has_media: boolean
    sent_at: string
  }
}

/** A message is on its way. */
export type EventsWhatsappMessageSent = {
  type: "whatsapp.message.sent"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** It is not known whether a message was sent: no answer came. */
export type EventsWhatsappMessageUnknown = {
  type: "whatsapp.message.unknown"
  /** When it happened */
  timestamp: string
  data: {
    /** The message */
    id: string
    to: string
    status: "accepted" | "sent" | "delivered" | "read" | "failed" | "unknown"
    error: {
      code: string
      message: string
      provider_code: number | null
    } | null
    client_reference: string | null
    /** Of a test key: it reached nobody */
    sandbox?: true | undefined
  }
}

/** A number of your own is connected: messages go out by it. */
export type EventsWhatsappNumberConnected = {
  type: "whatsapp.number.connected"
  /** When it happened */
  timestamp: string
  data: {
    /** The number */
    id: string
    phone_number_id: string
    business_account_id: string
    display_phone: string | null
    verified_name: string | null
  }
}

/** A number of your own was removed. */
export type EventsWhatsappNumberRemoved = {
  type: "whatsapp.number.removed"
  /** When it happened */
  timestamp: string
  data: {
    /** The number */
    id: string
    phone_number_id: string
    business_account_id: string
    display_phone: string | null
    verified_name: string | null
  }
}

/** The review of a template went on. */
export type EventsWhatsappTemplateChanged = {
  type: "whatsapp.template.changed"
  /** When it happened */
  timestamp: string
  data: {
    /** The template’s id at WhatsApp */
    id: string
    name: string
    language: string
    category: string
    /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, … */
    status: string
    previous_status: string
    /** Why it was rejected */
    reason: string | null
  }
}

/** Readers see a version of an article. */
export type EventsWikiArticlePublished = {
  type: "wiki.article.published"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    slug: string
    language: string
    version: number
  }
}

/** Readers see an article no more. */
export type EventsWikiArticleWithdrawn = {
  type: "wiki.article.withdrawn"
  /** When it happened */
  timestamp: string
  data: {
    id: string
    slug: string
    language: string
    version: number
    reason: string | null
  }
}

/** Answer of `account.catalogue.document`. */
export type AccountCatalogueDocumentReply = Record<string, never>

/** Body of `account.organisation.update`. */
export type AccountOrganisationUpdateBody = {
  name: string
}

/** Body of `account.keys.create`. */
export type AccountKeysCreateBody = {
  /** What it is for */
  name: string
  note?: string | null | undefined
  /** When it ends; never, unless said */
  expires_at?: string | null | undefined
  /** Requests it may make within a minute, beside its plan’s limit */
  rate_per_minute?: number | null | undefined
  /** Addresses and CIDR ranges from which alone it may be used */
  networks?: Array<string> | null | undefined
  scopes: Array<"account:read" | "account:write" | "account:keys" | "account:members" | "account:logs" | "account:webhooks" | "account:audit" | "ai:invoke" | "bots:chat" | "bots:read" | "bots:write" | "email:send" | "email:manage" | "erp:read" | "files:read" | "files:write" | "geo:read" | "guard:challenge" | "guard:manage" | "guard:verify" | "identity:read" | "identity:verify" | "notify:read" | "notify:write" | "push:manage" | "push:receipt" | "push:send" | "push:subscribe" | "stream:read" | "stream:write" | "streaming:read" | "streaming:write" | "trust:read" | "trust:write" | "voice:call" | "voice:read" | "whatsapp:manage" | "whatsapp:read" | "whatsapp:send" | "wiki:read" | "wiki:write">
  /** What the key is restricted to; a lock that is left out restricts nothing */
  locks?: {
    from_domains?: Array<string> | undefined
    app_id?: string | undefined
    site_id?: string | undefined
    origins?: Array<string> | undefined
    tenant_id?: string | undefined
    /** False if the key can neither place nor end calls */
    calls?: false | undefined
  } | undefined
  /** What a `test` key sends is recorded and not delivered; `live`, unless said */
  mode?: "live" | "test" | undefined
  /** It stands in a page: for bots:chat, guard:challenge, push:receipt, push:subscribe, locked to one site or app, or to origins */
  public?: boolean | undefined
}

/** Query of `account.keys.list`. */
export type AccountKeysListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Those that are revoked, in place of the others */
  revoked?: string | undefined
}

/** Answer of `account.keys.remove`. */
export type AccountKeysRemoveReply = {
  id: string
  revoked: true
}

/** Body of `account.keys.update`. */
export type AccountKeysUpdateBody = {
  /** What it is for */
  name?: string | undefined
  note?: string | null | undefined
  /** When it ends; never, unless said */
  expires_at?: string | null | undefined
  /** Requests it may make within a minute, beside its plan’s limit */
  rate_per_minute?: number | null | undefined
  /** Addresses and CIDR ranges from which alone it may be used */
  networks?: Array<string> | null | undefined
}

/** Body of `account.keys.rotate`. */
export type AccountKeysRotateBody = {
  /** Hours for which the secret before is good; by default `24` */
  keep_hours?: number | undefined
  /** Whether those hours begin now, or when the new secret is used for the first time; by default `"now"` */
  from?: "now" | "first_use" | undefined
}

/** Body of `account.key-checks.create`. */
export type AccountKeyChecksCreateBody = {
  /** Its id, as `GET /v1` lists it: `email.messages.create` */
  operation: string
  /** by default `{}` */
  facts?: {
    /** The address or domain that mail would come from */
    from?: string | undefined
    app_id?: string | undefined
    site_id?: string | undefined
    tenant_id?: string | undefined
    /** The page that would ask */
    origin?: string | undefined
    /** The address that would ask */
    network?: string | undefined
  } | undefined
}

/** Answer of `account.key-checks.locks`. */
export type AccountKeyChecksLocksReply = {
  data: Array<AccountLock>
}

/** Query of `account.members.list`. */
export type AccountMembersListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `account.members.update`. */
export type AccountMembersUpdateBody = {
  role: "owner" | "admin" | "developer" | "viewer"
}

/** Body of `account.invitations.create`. */
export type AccountInvitationsCreateBody = {
  email: string
  role: "owner" | "admin" | "developer" | "viewer"
}

/** Query of `account.invitations.list`. */
export type AccountInvitationsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Query of `account.audit.list`. */
export type AccountAuditListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  action?: string | undefined
  /** The id of the key or user who acted */
  actor?: string | undefined
  target?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** Query of `account.requests.list`. */
export type AccountRequestsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  key?: string | undefined
  operation?: string | undefined
  status?: number | undefined
  /** The first digit of the status */
  class?: number | undefined
  code?: string | undefined
  client_id?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** Body of `account.requests.open`. */
export type AccountRequestsOpenBody = {
  key_id: string
  /** by default `15` */
  minutes?: number | undefined
}

/** Query of `account.usage.daily`. */
export type AccountUsageDailyQuery = {
  metric: "requests" | "email.messages" | "email.delivered" | "ai.tokens" | "ai.requests" | "bots.answers" | "storage.bytes" | "push.messages" | "push.deliveries" | "guard.challenges" | "video.stored" | "video.encoded" | "video.delivered" | "video.views" | "video.bytes" | "live.broadcast" | "rooms.participants" | "voice.seconds" | "voice.calls" | "whatsapp.messages" | "whatsapp.received" | "identity.checks" | "trust.checks" | "geo.lookups" | "erp.lookups" | "notify.events" | "files.scans" | "wiki.snapshots"
  /** The first day, in UTC; 30 days before the last unless given */
  from?: string | undefined
  /** The last day; today unless given */
  to?: string | undefined
  /** What the parts are named by, as `key`, `domain` or `app` */
  by?: string | undefined
}

/** Answer of `account.usage.read`. */
export type AccountUsageReadReply = {
  data: Array<AccountMetricUsage>
}

/** Answer of `account.budgets.list`. */
export type AccountBudgetsListReply = {
  data: Array<AccountBudget>
}

/** Body of `account.budgets.put`. */
export type AccountBudgetsPutBody = {
  /** Of UTC; by default `"month"` */
  period?: "month" | "day" | undefined
  soft?: number | null | undefined
  hard?: number | null | undefined
  /** Percentages of `soft`, else of `hard`, at which you are told, each once in a period; 80 and 100 unless given */
  alert_at?: Array<number> | undefined
}

/** Query of `account.events.list`. */
export type AccountEventsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  type?: string | undefined
}

/** Body of `account.events.updateSettings`. */
export type AccountEventsUpdateSettingsBody = {
  keep_events: boolean
}

/** Body of `account.webhooks.create`. */
export type AccountWebhooksCreateBody = {
  url: string
  /** Types such as `email.bounced`, groups such as `email.*`, or `*`: those to come included */
  types: Array<string>
  /** For people; by default `null` */
  name?: string | null | undefined
  /** Null for events of both; those of sandbox keys are test; by default `null` */
  mode?: "live" | "test" | null | undefined
}

/** Query of `account.webhooks.list`. */
export type AccountWebhooksListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `account.webhooks.remove`. */
export type AccountWebhooksRemoveReply = {
  id: string
  deleted: true
}

/** Body of `account.webhooks.update`. */
export type AccountWebhooksUpdateBody = {
  url?: string | undefined
  /** Types such as `email.bounced`, groups such as `email.*`, or `*`: those to come included */
  types?: Array<string> | undefined
  /** For people */
  name?: string | null | undefined
  /** Null for events of both; those of sandbox keys are test */
  mode?: "live" | "test" | null | undefined
}

/** Body of `account.webhooks.rotateSecret`. */
export type AccountWebhooksRotateSecretBody = {
  /** Hours for which the secret before is kept; by default `24` */
  keep_hours?: number | undefined
}

/** Body of `account.webhooks.test`. */
export type AccountWebhooksTestBody = {
  /** Type of the sample event. Default: `webhooks.test`; by default `"webhooks.test"` */
  type?: "account.key.created" | "account.key.expiring" | "account.key.revoked" | "account.key.rotated" | "account.member.added" | "account.member.changed" | "account.member.removed" | "account.usage.threshold" | "bots.answer.completed" | "bots.answer.failed" | "bots.conversation.handed_over" | "bots.conversation.replied" | "bots.conversation.returned" | "email.accepted" | "email.bounced" | "email.campaign.cancelled" | "email.campaign.finished" | "email.campaign.paused" | "email.campaign.sent" | "email.cancelled" | "email.complained" | "email.contact.confirmed" | "email.contact.unsubscribed" | "email.deferred" | "email.delivered" | "email.domain.failed" | "email.domain.verified" | "email.failed" | "email.inbound_storage.warning" | "email.marketing.paused" | "email.marketing.resumed" | "email.received" | "email.reputation.warning" | "email.sent" | "email.suppressed" | "erp.register.changed" | "files.object.clean" | "files.object.infected" | "guard.site.changed" | "guard.site.created" | "guard.site.deleted" | "guard.site.key_rotated" | "identity.check.decided" | "identity.check.rejected" | "identity.check.submitted" | "identity.check.verified" | "identity.document.read" | "notify.event.accepted" | "notify.run.ended" | "push.delivered" | "push.failed" | "push.installation.invalidated" | "push.opened" | "trust.listing.removed" | "trust.listing.set" | "trust.watch.changed" | "video.asset.deleted" | "video.asset.failed" | "video.asset.playable" | "video.asset.ready" | "video.asset.updated" | "video.captions.ready" | "video.live.ended" | "video.live.recorded" | "video.live.started" | "video.room.ended" | "video.room.participant.joined" | "video.room.participant.left" | "video.room.participant.waiting" | "video.room.started" | "voice.call.answered" | "voice.call.ended" | "voice.call.ringing" | "webhooks.endpoint.disabled" | "webhooks.test" | "whatsapp.media.failed" | "whatsapp.media.refused" | "whatsapp.media.stored" | "whatsapp.message.accepted" | "whatsapp.message.delivered" | "whatsapp.message.failed" | "whatsapp.message.read" | "whatsapp.message.received" | "whatsapp.message.sent" | "whatsapp.message.unknown" | "whatsapp.number.connected" | "whatsapp.number.removed" | "whatsapp.template.changed" | "wiki.article.published" | "wiki.article.withdrawn" | undefined
}

/** Query of `account.webhook-deliveries.list`. */
export type AccountWebhookDeliveriesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Answer of `account.webhook-deliveries.replay`. */
export type AccountWebhookDeliveriesReplayReply = {
  id: string
  status: "pending" | "delivered" | "failed"
}

/** Body of `account.webhook-deliveries.replaySince`. */
export type AccountWebhookDeliveriesReplaySinceBody = {
  since: string
  /** all: those that were delivered, too; missed: events that are kept, and that it was never told of; by default `"failed"` */
  status?: "failed" | "all" | "missed" | undefined
}

/** Answer of `account.webhook-deliveries.replaySince`. */
export type AccountWebhookDeliveriesReplaySinceReply = {
  replayed: number
  /** Null when none is left */
  next_since: string | null
}

/** Answer of `account.test-messages.clear`. */
export type AccountTestMessagesClearReply = {
  deleted: number
}

/** Query of `account.test-messages.list`. */
export type AccountTestMessagesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  channel?: "email" | "push" | "whatsapp" | "voice" | "notify" | undefined
  /** + is %2B in a URL */
  to?: string | undefined
}

/** Body of `ai.answer.create`. */
export type AiAnswerCreateBody = {
  question: string
  /** One text to answer from; its quotes name the document `context` */
  context?: string | undefined
  /** Texts to answer from */
  documents?: Array<{
    id: string
    title?: string | undefined
    url?: string | undefined
    text: string
  }> | undefined
  /** A BCP 47 tag, such as `en` or `pt-BR`; the embedded engine writes in the language of the text */
  language?: string | undefined
  /** by default `512` */
  max_tokens?: number | undefined
  temperature?: number | undefined
}

/** Answer of `ai.answer.create`. */
export type AiAnswerCreateReply = {
  answer: string
  answered: boolean
  /** 0 to 1; of the embedded engine: the part of the question’s words that the best sentence has */
  confidence: number | null
  citations: Array<{
    document_id: string
    title: string | null
    url: string | null
    /** Stands literally in the document */
    quote: string
    /** `text.slice(start, end)` of the document is the quote, in UTF-16 units */
    start: number
    end: number
  }>
  /** The one that was asked for */
  language: string | null
  finish_reason: "stop" | "length" | "content_filter"
  /** `embedded` is lexical: it knows words, not what they mean */
  engine: "upstream" | "embedded"
  model: string
  /** Where nobody has counted tokens, four characters are one */
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
}

/** Body of `ai.summarize.create`. */
export type AiSummarizeCreateBody = {
  text: string
  /** 2, 4 or 8 sentences; `medium` unless said */
  length?: "short" | "medium" | "long" | undefined
  max_sentences?: number | undefined
  /** by default `"paragraph"` */
  format?: "paragraph" | "bullets" | undefined
  /** A BCP 47 tag, such as `en` or `pt-BR`; the embedded engine writes in the language of the text */
  language?: string | undefined
  /** What the reader cares about */
  focus?: string | undefined
}

/** Answer of `ai.summarize.create`. */
export type AiSummarizeCreateReply = {
  summary: string
  /** In the order of the text; `text.slice(start, end)` in UTF-16 units */
  sentences: Array<{
    text: string
    start: number
    end: number
    rank_score: number
  }> | null
  input_characters: number
  /** `embedded` is lexical: it knows words, not what they mean */
  engine: "upstream" | "embedded"
  model: string
  /** Where nobody has counted tokens, four characters are one */
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
}

/** Body of `ai.classify.create`. */
export type AiClassifyCreateBody = {
  text?: string | undefined
  /** Several texts, in place of `text` */
  input?: Array<string> | undefined
  labels: Array<string | {
    name: string
    description?: string | undefined
    examples?: Array<string> | undefined
  }>
  /** Whether each label is judged by itself; by default `false` */
  multi_label?: boolean | undefined
  /** The score from which a label is given */
  threshold?: number | undefined
}

/** Answer of `ai.classify.create`. */
export type AiClassifyCreateReply = {
  /** Null when none is clear */
  label?: string | null | undefined
  /** Best first */
  labels?: Array<{
    label: string
    score: number
  }> | undefined
  low_confidence?: boolean | undefined
  results?: Array<{
    /** Null when none is clear */
    label: string | null
    /** Best first */
    labels: Array<{
      label: string
      score: number
    }>
    low_confidence: boolean
  }> | undefined
  /** `embedded` is lexical: it knows words, not what they mean */
  engine: "upstream" | "embedded"
  model: string
  /** Where nobody has counted tokens, four characters are one */
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
}

/** Body of `ai.moderate.create`. */
export type AiModerateCreateBody = {
  /** A text, up to 32 texts, or the text parts of one */
  input: string | Array<string> | Array<{
    type: "text"
    text: string
  }>
  /** Taken from clients that send it; the configured model judges */
  model?: string | undefined
}

/** Answer of `ai.moderate.create`. */
export type AiModerateCreateReply = {
  id: string
  model: string
  results: Array<{
    flagged: boolean
    categories: {
      harassment: boolean
      "harassment/threatening": boolean
      hate: boolean
      "hate/threatening": boolean
      illicit: boolean
      "illicit/violent": boolean
      "self-harm": boolean
      "self-harm/intent": boolean
      "self-harm/instructions": boolean
      sexual: boolean
      "sexual/minors": boolean
      violence: boolean
      "violence/graphic": boolean
    }
    category_scores: {
      harassment: number
      "harassment/threatening": number
      hate: number
      "hate/threatening": number
      illicit: number
      "illicit/violent": number
      "self-harm": number
      "self-harm/intent": number
      "self-harm/instructions": number
      sexual: number
      "sexual/minors": number
      violence: number
      "violence/graphic": number
    }
    category_applied_input_types: {
      harassment: Array<"text">
      "harassment/threatening": Array<"text">
      hate: Array<"text">
      "hate/threatening": Array<"text">
      illicit: Array<"text">
      "illicit/violent": Array<"text">
      "self-harm": Array<"text">
      "self-harm/intent": Array<"text">
      "self-harm/instructions": Array<"text">
      sexual: Array<"text">
      "sexual/minors": Array<"text">
      violence: Array<"text">
      "violence/graphic": Array<"text">
    }
  }>
  /** `embedded` is lexical: it knows words, not what they mean */
  engine: "upstream" | "embedded"
  /** Where nobody has counted tokens, four characters are one */
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
}

/** Body of `ai.moderate.createCompatible`. */
export type AiModerateCreateCompatibleBody = {
  /** A text, up to 32 texts, or the text parts of one */
  input: string | Array<string> | Array<{
    type: "text"
    text: string
  }>
  /** Taken from clients that send it; the configured model judges */
  model?: string | undefined
}

/** Answer of `ai.moderate.createCompatible`. */
export type AiModerateCreateCompatibleReply = {
  id: string
  model: string
  results: Array<{
    flagged: boolean
    categories: {
      harassment: boolean
      "harassment/threatening": boolean
      hate: boolean
      "hate/threatening": boolean
      illicit: boolean
      "illicit/violent": boolean
      "self-harm": boolean
      "self-harm/intent": boolean
      "self-harm/instructions": boolean
      sexual: boolean
      "sexual/minors": boolean
      violence: boolean
      "violence/graphic": boolean
    }
    category_scores: {
      harassment: number
      "harassment/threatening": number
      hate: number
      "hate/threatening": number
      illicit: number
      "illicit/violent": number
      "self-harm": number
      "self-harm/intent": number
      "self-harm/instructions": number
      sexual: number
      "sexual/minors": number
      violence: number
      "violence/graphic": number
    }
    category_applied_input_types: {
      harassment: Array<"text">
      "harassment/threatening": Array<"text">
      hate: Array<"text">
      "hate/threatening": Array<"text">
      illicit: Array<"text">
      "illicit/violent": Array<"text">
      "self-harm": Array<"text">
      "self-harm/intent": Array<"text">
      "self-harm/instructions": Array<"text">
      sexual: Array<"text">
      "sexual/minors": Array<"text">
      violence: Array<"text">
      "violence/graphic": Array<"text">
    }
  }>
  /** `embedded` is lexical: it knows words, not what they mean */
  engine: "upstream" | "embedded"
  /** Where nobody has counted tokens, four characters are one */
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
}

/** Body of `ai.completions.create`. */
export type AiCompletionsCreateBody = {
  /** A name of `GET /v1/ai/models`; `default` leaves the choice to the operator */
  model: string
  messages: Array<{
    role: "system"
    content: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    }>
    name?: string | null | undefined
  } | {
    role: "developer"
    content: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    }>
    name?: string | null | undefined
  } | {
    role: "user"
    content: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    } | {
      type: "image_url"
      image_url: {
        url: string
        detail?: "auto" | "low" | "high" | null | undefined
      }
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    } | {
      type: "input_audio"
      input_audio: {
        data: string
        format: "wav" | "mp3"
      }
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    } | {
      type: "file"
      file: {
        file_data: string
        filename?: string | null | undefined
        file_id?: null | undefined
      }
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    }>
    name?: string | null | undefined
  } | {
    role: "assistant"
    content?: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    } | {
      type: "refusal"
      refusal: string
    }> | null | undefined
    refusal?: string | null | undefined
    name?: string | null | undefined
    tool_calls?: Array<{
      id: string
      type: "function"
      function: {
        name: string
        arguments: string
      }
      [name: string]: unknown
    } | {
      id: string
      type: "custom"
      custom: {
        name: string
        input: string
      }
      [name: string]: unknown
    }> | null | undefined
    audio?: {
      id: string
      [name: string]: unknown
    } | null | undefined
    function_call?: {
      name: string
      arguments: string
    } | null | undefined
    [name: string]: unknown
  } | {
    role: "tool"
    content: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    }>
    tool_call_id: string
    name?: string | null | undefined
  } | {
    role: "function"
    content: string | null
    name: string
  }>
  /** Server-sent events, each a `chat.completion.chunk`, and `[DONE]` at the end */
  stream?: boolean | null | undefined
  stream_options?: {
    include_usage?: boolean | null | undefined
    include_obfuscation?: boolean | null | undefined
  } | null | undefined
  max_tokens?: number | null | undefined
  max_completion_tokens?: number | null | undefined
  n?: number | null | undefined
  temperature?: number | null | undefined
  top_p?: number | null | undefined
  frequency_penalty?: number | null | undefined
  presence_penalty?: number | null | undefined
  logit_bias?: Record<string, number> | null | undefined
  logprobs?: boolean | null | undefined
  top_logprobs?: number | null | undefined
  seed?: number | null | undefined
  stop?: string | Array<string> | null | undefined
  tools?: Array<{
    type: "function"
    function: {
      name: string
      description?: string | null | undefined
      parameters?: Record<string, unknown> | null | undefined
      strict?: boolean | null | undefined
    }
  } | {
    type: "custom"
    custom: {
      name: string
      description?: string | null | undefined
      format?: Record<string, unknown> | null | undefined
    }
  }> | null | undefined
  tool_choice?: "none" | "auto" | "required" | {
    type: "function"
    function: {
      name: string
    }
  } | {
    type: "custom"
    custom: {
      name: string
    }
  } | {
    type: "allowed_tools"
    allowed_tools: {
      mode: "auto" | "required"
      tools: Array<Record<string, unknown>>
    }
  } | null | undefined
  parallel_tool_calls?: boolean | null | undefined
  /** Replaced by `tools` */
  functions?: Array<{
    name: string
    description?: string | null | undefined
    parameters?: Record<string, unknown> | null | undefined
  }> | null | undefined
  /** Replaced by `tool_choice` */
  function_call?: "none" | "auto" | {
    name: string
  } | null | undefined
  response_format?: {
    type: "text"
  } | {
    type: "json_object"
  } | {
    type: "json_schema"
    json_schema: {
      name: string
      description?: string | null | undefined
      schema?: Record<string, unknown> | null | undefined
      strict?: boolean | null | undefined
    }
  } | null | undefined
  reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined
  verbosity?: "low" | "medium" | "high" | null | undefined
  modalities?: Array<"text" | "audio"> | null | undefined
  audio?: {
    voice: string
    format: string
  } | null | undefined
  prediction?: {
    type: "content"
    content: string | Array<{
      type: "text"
      text: string
      prompt_cache_breakpoint?: {
        mode: "explicit"
      } | null | undefined
    }>
  } | null | undefined
  /** True if the model’s server may keep the answer in the operator’s account */
  store?: boolean | null | undefined
  /** Accepted, and not passed on: proxies such as LiteLLM read from it where a request is sent or logged */
  metadata?: Record<string, string> | null | undefined
  service_tier?: string | null | undefined
  prompt_cache_key?: string | null | undefined
  prompt_cache_retention?: string | null | undefined
  prompt_cache_options?: Record<string, unknown> | null | undefined
  moderation?: Record<string, unknown> | null | undefined
  safety_identifier?: string | null | undefined
  user?: string | null | undefined
  web_search_options?: null | undefined
  /** Of servers such as vLLM */
  top_k?: number | null | undefined
  /** Of servers such as vLLM */
  min_p?: number | null | undefined
  /** Of servers such as vLLM */
  repetition_penalty?: number | null | undefined
  chat_template_kwargs?: Record<string, string | number | boolean> | null | undefined
}

/** Answer of `ai.completions.create`. */
export type AiCompletionsCreateReply = {
  id: string
  object: "chat.completion"
  created: number
  model: string
  choices: Array<{
    index: number
    finish_reason: string
    message: {
      role: string
      content?: unknown | undefined
      [name: string]: unknown
    }
    [name: string]: unknown
  }>
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    [name: string]: unknown
  }
  [name: string]: unknown
}

/** Body of `ai.embeddings.create`. */
export type AiEmbeddingsCreateBody = {
  /** A name of `GET /v1/ai/models`; `default` leaves the choice to the operator */
  model: string
  /** A text or a list of tokens, or up to 256 of them */
  input: string | Array<string> | Array<number> | Array<Array<number>>
  /** `base64` is Float32 after Float32, the lowest byte first */
  encoding_format?: "float" | "base64" | null | undefined
  dimensions?: number | null | undefined
  /** Taken from clients that send it */
  user?: string | null | undefined
}

/** Answer of `ai.embeddings.create`. */
export type AiEmbeddingsCreateReply = {
  object: "list"
  model: string
  data: Array<{
    object: "embedding"
    index: number
    embedding: string | Array<number>
  }>
  /** Of what was not kept already */
  usage: {
    prompt_tokens: number
    total_tokens: number
  }
}

/** Answer of `ai.models.get`. */
export type AiModelsGetReply = {
  id: string
  object: "model"
  created: number
  /** The first upstream that has it */
  owned_by: string
  kind: "chat" | "embedding"
}

/** Answer of `ai.models.list`. */
export type AiModelsListReply = {
  object: "list"
  data: Array<{
    id: string
    object: "model"
    created: number
    /** The first upstream that has it */
    owned_by: string
    kind: "chat" | "embedding"
  }>
}

/** Answer of `ai.usage.read`. */
export type AiUsageReadReply = {
  /** In UTC, such as 2026-01 */
  month: string
  tokens: number
  /** Of the plan; once it is spent, work is refused with 429 `token_budget_exceeded` */
  budget: number
  remaining: number
  resets_at: string
  operations: Array<{
    operation: string
    requests: number
    failed: number
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }>
}

/** Query of `bots.templates.list`. */
export type BotsTemplatesListQuery = {
  category?: string | undefined
  q?: string | undefined
}

/** Answer of `bots.templates.list`. */
export type BotsTemplatesListReply = {
  data: Array<BotsTemplate>
  next_cursor: null
}

/** Query of `bots.templates.read`. */
export type BotsTemplatesReadQuery = {
  /** The newest unless said */
  version?: number | undefined
}

/** Query of `bots.directory.list`. */
export type BotsDirectoryListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Part of the name, tagline or description */
  q?: string | undefined
  category?: string | undefined
  language?: string | undefined
  /** by default `"popular"` */
  sort?: "popular" | "recent" | undefined
}

/** Body of `bots.handovers.close`. */
export type BotsHandoversCloseBody = Record<string, never>

/** Answer of `bots.handovers.close`. */
export type BotsHandoversCloseReply = {
  conversation_id: string
  closed: boolean
}

/** Body of `bots.handovers.create`. */
export type BotsHandoversCreateBody = {
  /** For who handles it */
  note?: string | null | undefined
}

/** Body of `bots.handovers.giveBack`. */
export type BotsHandoversGiveBackBody = Record<string, never>

/** Answer of `bots.handovers.giveBack`. */
export type BotsHandoversGiveBackReply = {
  conversation_id: string
  closed: boolean
}

/** Query of `bots.handovers.list`. */
export type BotsHandoversListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `bots.handovers.reply`. */
export type BotsHandoversReplyBody = {
  message: string
  /** Shown with the message; by default `"Support"` */
  author?: string | undefined
}

/** Body of `bots.bots.create`. */
export type BotsCreateBody = {
  /** Made of the name unless said; never changes */
  slug?: string | undefined
  name: string
  tagline?: string | null | undefined
  description?: string | null | undefined
  category?: string | null | undefined
  languages?: Array<string> | undefined
  avatar_url?: string | null | undefined
  /** Conversations are kept so long after their last message */
  retention_days?: number | null | undefined
  /** Hand a conversation over to a person when asked for one, or after two questions without an answer */
  handover?: boolean | undefined
  /** Key of the template that it is made from */
  template?: string | undefined
  /** The newest unless said */
  template_version?: number | undefined
  /** In place of a template, with `{{placeholders}}`; never shown again */
  system_prompt?: string | undefined
  greeting?: string | null | undefined
  /** What it says where it knows nothing */
  fallback?: string | undefined
  starter_questions?: Array<string> | undefined
  /** Values of placeholders; conversations give those that are left */
  variables?: Record<string, string> | undefined
  temperature?: number | null | undefined
  max_tokens?: number | undefined
}

/** Query of `bots.bots.list`. */
export type BotsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `bots.bots.remove`. */
export type BotsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `bots.bots.update`. */
export type BotsUpdateBody = {
  name?: string | undefined
  tagline?: string | null | undefined
  description?: string | null | undefined
  category?: string | null | undefined
  languages?: Array<string> | undefined
  avatar_url?: string | null | undefined
  /** Conversations are kept so long after their last message */
  retention_days?: number | null | undefined
  /** Hand a conversation over to a person when asked for one, or after two questions without an answer */
  handover?: boolean | undefined
  /** Key of the template that it is made from */
  template?: string | undefined
  /** The newest unless said */
  template_version?: number | undefined
  /** In place of a template, with `{{placeholders}}`; never shown again */
  system_prompt?: string | undefined
  greeting?: string | null | undefined
  /** What it says where it knows nothing */
  fallback?: string | undefined
  starter_questions?: Array<string> | undefined
  /** Values of placeholders; conversations give those that are left */
  variables?: Record<string, string> | undefined
  temperature?: number | null | undefined
  max_tokens?: number | undefined
}

/** Body of `bots.documents.create`. */
export type BotsDocumentsCreateBody = {
  title: string
  text: string
  url?: string | null | undefined
}

/** Query of `bots.documents.list`. */
export type BotsDocumentsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `bots.documents.remove`. */
export type BotsDocumentsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `bots.sources.create`. */
export type BotsSourcesCreateBody = {
  url?: string | undefined
  object_id?: string | undefined
  title?: string | null | undefined
  /** 1 to 720; of an address alone */
  refresh_hours?: number | null | undefined
}

/** Query of `bots.sources.list`. */
export type BotsSourcesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `bots.sources.remove`. */
export type BotsSourcesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `bots.sources.update`. */
export type BotsSourcesUpdateBody = {
  /** 1 to 720; null: never by itself */
  refresh_hours: number | null
}

/** Body of `bots.sources.refresh`. */
export type BotsSourcesRefreshBody = Record<string, never>

/** Body of `bots.actions.create`. */
export type BotsActionsCreateBody = {
  name: string
  /** What it does and when to call it: a model goes by this */
  description: string
  url: string
  parameters?: {
    type: "object"
    properties: Record<string, {
        type: "string" | "integer" | "number" | "boolean"
        description?: string | undefined
        /** Of a string alone */
        enum?: Array<string> | undefined
      }>
    /** by default `[]` */
    required?: Array<string> | undefined
    /** Is so, whether it is said or not */
    additionalProperties?: false | undefined
  } | undefined
  /** For the embedded engine: whole words, whatever their cases and accents; by default `[]` */
  triggers?: Array<string> | undefined
  /** by default `true` */
  enabled?: boolean | undefined
}

/** Query of `bots.actions.list`. */
export type BotsActionsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Query of `bots.actions.listCalls`. */
export type BotsActionsListCallsQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `bots.actions.remove`. */
export type BotsActionsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `bots.actions.update`. */
export type BotsActionsUpdateBody = {
  name?: string | undefined
  /** What it does and when to call it: a model goes by this */
  description?: string | undefined
  url?: string | undefined
  parameters?: {
    type: "object"
    properties: Record<string, {
        type: "string" | "integer" | "number" | "boolean"
        description?: string | undefined
        /** Of a string alone */
        enum?: Array<string> | undefined
      }>
    /** by default `[]` */
    required?: Array<string> | undefined
    /** Is so, whether it is said or not */
    additionalProperties?: false | undefined
  } | undefined
  /** For the embedded engine: whole words, whatever their cases and accents */
  triggers?: Array<string> | undefined
  enabled?: boolean | undefined
}

/** Body of `bots.actions.rotate`. */
export type BotsActionsRotateBody = Record<string, never>

/** Body of `bots.questions.answer`. */
export type BotsQuestionsAnswerBody = {
  text: string
  /** The question unless said */
  title?: string | undefined
}

/** Query of `bots.questions.list`. */
export type BotsQuestionsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `bots.questions.remove`. */
export type BotsQuestionsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `bots.chat.create`. */
export type BotsChatCreateBody = {
  message: string
  conversation_id?: string | undefined
  /** Your own id of the person: a conversation that was begun with one is found with it only, or without any */
  user_id?: string | undefined
  /** For placeholders that the bot’s owner has left open; with the first message only */
  variables?: Record<string, string> | undefined
  /** by default `false` */
  stream?: boolean | undefined
  /** Kept with the message */
  metadata?: Record<string, string> | undefined
}

/** Query of `bots.messages.list`. */
export type BotsMessagesListQuery = {
  /** All unless said */
  conversation_id?: string | undefined
  /** Conversations of this person only */
  user_id?: string | undefined
  /** by default `"desc"` */
  order?: "asc" | "desc" | undefined
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter and `order` */
  cursor?: string | undefined
}

/** Body of `bots.visitors.chat`. */
export type BotsVisitorsChatBody = {
  message: string
  conversation_id?: string | undefined
  /** by default `false` */
  stream?: boolean | undefined
}

/** Body of `bots.visitors.handover`. */
export type BotsVisitorsHandoverBody = Record<string, never>

/** Answer of `bots.visitors.handover`. */
export type BotsVisitorsHandoverReply = {
  conversation_id: string
  handed_over: true
}

/** Query of `bots.visitors.messages`. */
export type BotsVisitorsMessagesQuery = {
  /** `seq` of the last message that is known; by default `0` */
  after?: number | undefined
}

/** Answer of `bots.visitors.messages`. */
export type BotsVisitorsMessagesReply = {
  data: Array<BotsMessage>
  handed_over: boolean
  closed: boolean
}

/** Body of `directory.channels.create`. */
export type DirectoryChannelsCreateBody = {
  name: string
  /** Plain text */
  description?: string | undefined
  language?: string | null | undefined
  links?: Array<string> | undefined
  /** Its name in links */
  handle: string
}

/** Query of `directory.channels.list`. */
export type DirectoryChannelsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Only what the caller’s organisation has */
  own?: string | undefined
  /** A language tag, such as `de` or `pt-BR` */
  language?: string | undefined
}

/** Answer of `directory.channels.remove`. */
export type DirectoryChannelsRemoveReply = {
  handle: string
  deleted: true
}

/** Body of `directory.channels.update`. */
export type DirectoryChannelsUpdateBody = {
  name?: string | undefined
  /** Plain text */
  description?: string | undefined
  language?: string | null | undefined
  links?: Array<string> | undefined
}

/** Answer of `directory.channel-videos.remove`. */
export type DirectoryChannelVideosRemoveReply = {
  uuid: string
  removed: true
}

/** Query of `directory.channel-videos.list`. */
export type DirectoryChannelVideosListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  kind?: "video" | "short" | undefined
  /** A language tag, such as `de` or `pt-BR` */
  language?: string | undefined
}

/** Answer of `directory.channel-live.remove`. */
export type DirectoryChannelLiveRemoveReply = {
  channelId: string
  removed: true
}

/** Body of `directory.videos.describe`. */
export type DirectoryVideosDescribeBody = {
  title?: string | null | undefined
  /** Plain text */
  description?: string | undefined
  tags?: Array<string> | undefined
  language?: string | null | undefined
}

/** Query of `directory.videos.list`. */
export type DirectoryVideosListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Only what the caller’s organisation has */
  own?: string | undefined
  /** A language tag, such as `de` or `pt-BR` */
  language?: string | undefined
}

/** Query of `directory.shorts.list`. */
export type DirectoryShortsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Only what the caller’s organisation has */
  own?: string | undefined
  /** A language tag, such as `de` or `pt-BR` */
  language?: string | undefined
}

/** Body of `directory.playlists.create`. */
export type DirectoryPlaylistsCreateBody = {
  title: string
  /** Plain text */
  description?: string | undefined
  visibility?: "public" | "unlisted" | undefined
  /** Ids of videos in their order: of assets of yours, listed or not, and of what others have listed */
  videos?: Array<string> | undefined
}

/** Query of `directory.playlists.list`. */
export type DirectoryPlaylistsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Only what the caller’s organisation has */
  own?: string | undefined
}

/** Answer of `directory.playlists.remove`. */
export type DirectoryPlaylistsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `directory.playlists.update`. */
export type DirectoryPlaylistsUpdateBody = {
  title?: string | undefined
  /** Plain text */
  description?: string | undefined
  visibility?: "public" | "unlisted" | undefined
  /** Ids of videos in their order: of assets of yours, listed or not, and of what others have listed */
  videos?: Array<string> | undefined
}

/** Query of `directory.playlist-videos.list`. */
export type DirectoryPlaylistVideosListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `directory.playlist-videos.put`. */
export type DirectoryPlaylistVideosPutBody = {
  /** Behind the last one it is the end */
  position?: number | undefined
}

/** Answer of `directory.playlist-videos.remove`. */
export type DirectoryPlaylistVideosRemoveReply = {
  uuid: string
  removed: true
}

/** Query of `directory.live.list`. */
export type DirectoryLiveListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** by default `"live"` */
  status?: "scheduled" | "live" | "ended" | undefined
}

/** Query of `directory.search.find`. */
export type DirectorySearchFindQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** What is looked for */
  q: string
  type?: "video" | "short" | "live" | "channel" | undefined
  /** The handle of a channel */
  channel?: string | undefined
  /** A language tag, such as `de` or `pt-BR` */
  language?: string | undefined
  /** Below four minutes, up to twenty, longer */
  duration?: "short" | "medium" | "long" | undefined
  published_after?: string | undefined
  /** by default `"relevance"` */
  sort?: "relevance" | "-published_at" | undefined
  /** Only what the caller’s organisation has */
  own?: string | undefined
}

/** Body of `email.domains.create`. */
export type EmailDomainsCreateBody = {
  /** Such as `example.com`; international letters are fine */
  domain: string
}

/** Query of `email.domains.list`. */
export type EmailDomainsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `email.domains.remove`. */
export type EmailDomainsRemoveReply = {
  domain: string
  deleted: true
}

/** Body of `email.contacts.create`. */
export type EmailContactsCreateBody = {
  /** Returned in lower case. Mail goes to the address as you wrote it last */
  email: string
  /** Where the person agreed; by default `"api"` */
  consent_source?: string | undefined
  name?: string | undefined
  /** In place of those that it has */
  attributes?: Record<string, unknown> | undefined
  /** In place of those that it has */
  tags?: Array<string> | undefined
}

/** Query of `email.contacts.list`. */
export type EmailContactsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "confirmed" | "unconfirmed" | "unsubscribed" | undefined
}

/** Answer of `email.contacts.remove`. */
export type EmailContactsRemoveReply = {
  email: string
  deleted: true
}

/** Body of `email.contacts.update`. */
export type EmailContactsUpdateBody = {
  name?: string | null | undefined
  /** Each takes the place of the one of its name; null removes it, the others stay */
  attributes?: Record<string, unknown> | undefined
  /** In place of all that it has */
  tags?: Array<string> | undefined
  add_tags?: Array<string> | undefined
  remove_tags?: Array<string> | undefined
}

/** Body of `email.contact-imports.create`. */
export type EmailContactImportsCreateBody = {
  contacts: Array<{
    /** A bad one is told in `errors`, like all else that is amiss with a contact */
    email: string
    /** By which a bad one is named; its place in the list unless said */
    line?: number | undefined
    name?: string | undefined
    /** Beside those that a contact has that is there */
    attributes?: Record<string, unknown> | undefined
    /** Beside those that it has */
    tags?: Array<string> | undefined
  }>
}

/** Body of `email.segments.create`. */
export type EmailSegmentsCreateBody = {
  name: string
  /** Whether all conditions and groups must hold, or one is enough; by default `"all"` */
  match?: "all" | "any" | undefined
  /** by default `[]` */
  conditions?: Array<{
    /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
    field: string
    /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
    op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
    /** What the field is compared with; none for exists and missing */
    value?: string | number | boolean | undefined
  }> | undefined
  /** Conditions that count as one; by default `[]` */
  groups?: Array<{
    match: "all" | "any"
    conditions: Array<{
      /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
      field: string
      /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
      op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
      /** What the field is compared with; none for exists and missing */
      value?: string | number | boolean | undefined
    }>
  }> | undefined
}

/** Query of `email.segments.list`. */
export type EmailSegmentsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `email.segments.preview`. */
export type EmailSegmentsPreviewBody = {
  /** Whether all conditions and groups must hold, or one is enough; by default `"all"` */
  match?: "all" | "any" | undefined
  /** by default `[]` */
  conditions?: Array<{
    /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
    field: string
    /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
    op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
    /** What the field is compared with; none for exists and missing */
    value?: string | number | boolean | undefined
  }> | undefined
  /** Conditions that count as one; by default `[]` */
  groups?: Array<{
    match: "all" | "any"
    conditions: Array<{
      /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
      field: string
      /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
      op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
      /** What the field is compared with; none for exists and missing */
      value?: string | number | boolean | undefined
    }>
  }> | undefined
}

/** Answer of `email.segments.remove`. */
export type EmailSegmentsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `email.segments.update`. */
export type EmailSegmentsUpdateBody = {
  name?: string | undefined
  match?: "all" | "any" | undefined
  conditions?: Array<{
    /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
    field: string
    /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
    op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
    /** What the field is compared with; none for exists and missing */
    value?: string | number | boolean | undefined
  }> | undefined
  groups?: Array<{
    match: "all" | "any"
    conditions: Array<{
      /** `tag`, `email`, `name`, `created_at`, or an attribute: `attributes.city`, `attributes.address.zip` */
      field: string
      /** Of `tag`: has, lacks. Of `created_at`: before, after. Of texts and attributes: eq, ne, contains, exists, missing; of attributes also gt, gte, lt, lte */
      op: "has" | "lacks" | "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "exists" | "missing" | "before" | "after"
      /** What the field is compared with; none for exists and missing */
      value?: string | number | boolean | undefined
    }>
  }> | undefined
}

/** Body of `email.reconfirmations.create`. */
export type EmailReconfirmationsCreateBody = {
  /** `hello@` your oldest verified domain unless said */
  from_email?: string | undefined
  from_name?: string | undefined
  /** “Would you like to hear from us?” unless said */
  subject?: string | undefined
  /** The message, with a link to `{{confirm_url}}` */
  html?: string | undefined
}

/** Body of `email.verify.bulk`. */
export type EmailVerifyBulkBody = {
  emails: Array<string>
}

/** Answer of `email.verify.bulk`. */
export type EmailVerifyBulkReply = {
  /** In the order of `emails` */
  results: Array<EmailVerdict>
}

/** Body of `email.verify.one`. */
export type EmailVerifyOneBody = {
  email: string
}

/** Body of `email.message-batches.create`. */
export type EmailMessageBatchesCreateBody = {
  messages: Array<{
    /** `transactional` and `security` always flow; `subscribed` is marketing; `repermission` asks to confirm */
    stream: "transactional" | "security" | "subscribed" | "repermission"
    from: {
      /** On a verified domain of yours, which the key may send from */
      email: string
      name?: string | undefined
    }
    /** One recipient */
    to: string
    /** Who gets a copy that all others see; transactional and security mail alone */
    cc?: Array<string> | undefined
    /** Who gets a copy that no other sees; with `to` and `cc` 50 recipients */
    bcc?: Array<string> | undefined
    subject?: string | undefined
    text?: string | undefined
    /** Without `text`, the plain part is made from it */
    html?: string | undefined
    reply_to?: string | undefined
    /** Further headers: letters, digits and dashes; none that the mail has anyway, no Content-*, List-*, DKIM-*, ARC-* */
    headers?: Record<string, string> | undefined
    attachments?: Array<{
      filename: string
      /** Media type, with its parameters. A `text/calendar` with a `method` is also an alternative of the text, so that mail clients show the invitation; by default `"application/octet-stream"` */
      content_type?: string | undefined
      /** In base64. Empty for a file of zero bytes */
      content: string
      /** HTML shows the file by it: `cid:…` (RFC 2392) */
      content_id?: string | undefined
    }> | undefined
    /** What is given beside it takes the place of its part */
    template_id?: string | undefined
    /** What the template’s placeholders stand for */
    variables?: Record<string, unknown> | undefined
    /** Not before this instant, at most 30 days ahead; until then it can be cancelled */
    send_at?: string | undefined
    /** What you call it by, to find it again: its events repeat them */
    tags?: Array<{
      name: string
      value: string
    }> | undefined
    /** What its events repeat: JSON of yours, up to 4 KiB */
    metadata?: Record<string, unknown> | undefined
  }>
  /** The same as the header Idempotency-Key */
  idempotency_key?: string | undefined
}

/** Answer of `email.message-batches.create`. */
export type EmailMessageBatchesCreateReply = {
  /** How many were taken, suppressed ones with them */
  accepted: number
  refused: number
  /** An answer for each message, in their order */
  data: Array<{
    accepted: true
    stream: "transactional" | "security" | "subscribed" | "repermission"
    id: string
    /** `queued`, `scheduled`, `suppressed`, of a sandbox key `sent`; after a wait, what became of it by then */
    status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
    /** Message-ID, without its brackets */
    message_id: string
    /** When its turn is, of one that was given a time ahead */
    send_at?: string | undefined
    /** The copies to `cc` and `bcc`, each with a status of its own */
    copies?: Array<{
      id: string
      recipient: "to" | "cc" | "bcc"
      to: string
      status: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled"
    }> | undefined
    index: number
  } | {
    accepted: false
    index: number
    error: {
      code: string
      message: string
      /** As the same message is refused by itself: of `bad_request` each field at fault */
      details?: unknown | undefined
    }
  }>
}

/** Body of `email.messages.create`. */
export type EmailMessagesCreateBody = {
  /** `transactional` and `security` always flow; `subscribed` is marketing; `repermission` asks to confirm */
  stream: "transactional" | "security" | "subscribed" | "repermission"
  from: {
    /** On a verified domain of yours, which the key may send from */
    email: string
    name?: string | undefined
  }
  /** One recipient */
  to: string
  /** Who gets a copy that all others see; transactional and security mail alone */
  cc?: Array<string> | undefined
  /** Who gets a copy that no other sees; with `to` and `cc` 50 recipients */
  bcc?: Array<string> | undefined
  subject?: string | undefined
  text?: string | undefined
  /** Without `text`, the plain part is made from it */
  html?: string | undefined
  reply_to?: string | undefined
  /** Further headers: letters, digits and dashes; none that the mail has anyway, no Content-*, List-*, DKIM-*, ARC-* */
  headers?: Record<string, string> | undefined
  attachments?: Array<{
    filename: string
    /** Media type, with its parameters. A `text/calendar` with a `method` is also an alternative of the text, so that mail clients show the invitation; by default `"application/octet-stream"` */
    content_type?: string | undefined
    /** In base64. Empty for a file of zero bytes */
    content: string
    /** HTML shows the file by it: `cid:…` (RFC 2392) */
    content_id?: string | undefined
  }> | undefined
  /** What is given beside it takes the place of its part */
  template_id?: string | undefined
  /** What the template’s placeholders stand for */
  variables?: Record<string, unknown> | undefined
  /** Not before this instant, at most 30 days ahead; until then it can be cancelled */
  send_at?: string | undefined
  /** What you call it by, to find it again: its events repeat them */
  tags?: Array<{
    name: string
    value: string
  }> | undefined
  /** What its events repeat: JSON of yours, up to 4 KiB */
  metadata?: Record<string, unknown> | undefined
  /** The same as the header Idempotency-Key */
  idempotency_key?: string | undefined
}

/** Query of `email.messages.list`. */
export type EmailMessagesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "scheduled" | "queued" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled" | undefined
  stream?: "transactional" | "security" | "subscribed" | "repermission" | undefined
  to?: string | undefined
  campaign_id?: string | undefined
  from?: string | undefined
  /** `name` or `name:value` */
  tag?: string | undefined
  /** Accepted at this instant or later */
  since?: string | undefined
  /** Accepted before this instant */
  until?: string | undefined
  /** Those alone that were given a time with `send_at` */
  scheduled?: "true" | undefined
}

/** Body of `email.inbound-routes.create`. */
export type EmailInboundRoutesCreateBody = {
  /** `support@example.com`, `*@example.com` for all that no other route of the host has, or `<name>@in.<host>` */
  address?: string | undefined
}

/** Query of `email.inbound-routes.list`. */
export type EmailInboundRoutesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `email.inbound-routes.remove`. */
export type EmailInboundRoutesRemoveReply = {
  id: string
  deleted: true
}

/** Answer of `email.inbound-routes.verify`. */
export type EmailInboundRoutesVerifyReply = {
  id: string
  /** `*@…`: all of the host that no other route has */
  address: string
  /** What to publish so that mail comes here; null at this installation’s own host, which has it */
  record: {
    name: string
    type: "MX"
    value: string
    priority: number
  } | null
  created_at: string
  /** Of the MX record; different: mail goes elsewhere; unknown: no answer */
  state: "found" | "missing" | "different" | "unknown"
  found: string | null
}

/** Answer of `email.inbound-storage.read`. */
export type EmailInboundStorageReadReply = {
  /** Received mail with its files */
  used_bytes: number
  /** The share of your storage that received mail may use */
  limit_bytes: number
  /** True if further mail is refused */
  is_full: boolean
}

/** Answer of `email.received.attachmentUrl`. */
export type EmailReceivedAttachmentUrlReply = {
  download_url: string
  expires_in_seconds: number
  expires_at: string
  filename: string
  byte_size: number
}

/** Answer of `email.received.downloadUrl`. */
export type EmailReceivedDownloadUrlReply = {
  download_url: string
  expires_in_seconds: number
  expires_at: string
}

/** Query of `email.received.list`. */
export type EmailReceivedListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  from?: string | undefined
  route_id?: string | undefined
  replies_to?: string | undefined
}

/** Answer of `email.received.remove`. */
export type EmailReceivedRemoveReply = {
  id: string
  deleted: true
}

/** Body of `email.templates.create`. */
export type EmailTemplatesCreateBody = {
  name: string
  subject: string
  html: string
  /** Without it, the plain part is made from the HTML */
  text?: string | null | undefined
}

/** Query of `email.templates.list`. */
export type EmailTemplatesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `email.templates.preview`. */
export type EmailTemplatesPreviewBody = {
  variables?: Record<string, unknown> | undefined
  /** The contact that it would be to */
  contact?: string | undefined
}

/** Answer of `email.templates.remove`. */
export type EmailTemplatesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `email.templates.update`. */
export type EmailTemplatesUpdateBody = {
  name?: string | undefined
  subject?: string | undefined
  html?: string | undefined
  /** Without it, the plain part is made from the HTML */
  text?: string | null | undefined
}

/** Body of `email.campaigns.create`. */
export type EmailCampaignsCreateBody = {
  name: string
  /** It may name fields: {{contact.name|"there"}} */
  subject: string
  /** What programs show beside the subject; nobody sees it in the mail itself */
  preheader?: string | null | undefined
  /** Fields: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}` */
  html: string
  /** Without it, the plain part is made from the HTML */
  text?: string | null | undefined
  from_email: string
  from_name?: string | null | undefined
  /** Whom it is for, of those who are confirmed; without it, all of them */
  segment_id?: string | null | undefined
}

/** Query of `email.campaigns.list`. */
export type EmailCampaignsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `email.campaigns.preview`. */
export type EmailCampaignsPreviewBody = {
  /** The contact whose name and attributes its fields show; without one they show their fallbacks */
  contact?: string | undefined
}

/** Body of `email.campaigns.update`. */
export type EmailCampaignsUpdateBody = {
  name?: string | undefined
  /** It may name fields: {{contact.name|"there"}} */
  subject?: string | undefined
  /** What programs show beside the subject; nobody sees it in the mail itself */
  preheader?: string | null | undefined
  /** Fields: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}` */
  html?: string | undefined
  /** Without it, the plain part is made from the HTML */
  text?: string | null | undefined
  from_email?: string | undefined
  from_name?: string | null | undefined
  /** Whom it is for, of those who are confirmed; without it, all of them */
  segment_id?: string | null | undefined
}

/** Body of `email.campaigns.schedule`. */
export type EmailCampaignsScheduleBody = {
  /** When it begins, within a year; what is past is now */
  send_at: string
}

/** Body of `email.campaigns.test`. */
export type EmailCampaignsTestBody = {
  /** They need not be contacts */
  to: Array<string>
  /** The contact whose name and attributes its fields show; without one they show their fallbacks */
  contact?: string | undefined
}

/** Body of `email.suppressions.create`. */
export type EmailSuppressionsCreateBody = {
  email: string
  detail?: string | undefined
}

/** Answer of `email.suppressions.create`. */
export type EmailSuppressionsCreateReply = {
  email: string
  reason: "bounce" | "complaint" | "manual"
}

/** Query of `email.suppressions.list`. */
export type EmailSuppressionsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  email?: string | undefined
  reason?: "bounce" | "complaint" | "manual" | undefined
}

/** Answer of `email.suppressions.remove`. */
export type EmailSuppressionsRemoveReply = {
  email: string
  deleted: true
}

/** Query of `email.analytics.overview`. */
export type EmailAnalyticsOverviewQuery = {
  /** Days back, today included; by default `30` */
  days?: number | undefined
  stream?: "transactional" | "security" | "subscribed" | "repermission" | undefined
}

/** Answer of `email.analytics.overview`. */
export type EmailAnalyticsOverviewReply = {
  /** The oldest first, days without messages included */
  days: Array<{
    accepted: number
    sent: number
    delivered: number
    taken: number
    deferred: number
    bounced: number
    hard_bounced: number
    failed: number
    suppressed: number
    complained: number
    day: string
  }>
  totals: EmailCounts
  rates: {
    /** Of those accepted, delivered or sent */
    delivery: number
    /** Hard bounces among what was taken or bounced so */
    bounce: number
    /** Complaints about what was taken */
    complaint: number
  }
}

/** Answer of `email.usage.read`. */
export type EmailUsageReadReply = {
  /** In UTC, such as 2026-01 */
  month: string
  messages: number
  /** Of the plan; the next message is refused with 429 `monthly_limit_reached` */
  cap: number
  remaining: number
  resets_at: string
}

/** Answer of `email.status.read`. */
export type EmailStatusReadReply = {
  marketing: "active" | "paused"
  marketing_paused: boolean
  /** Why it is paused, or its sender is warned */
  reason: string | null
  paused_at: string | null
  warned_at: string | null
  /** Days over which rates are taken, today included */
  window_days: number
  /** Earlier days count no more: an operator has resumed marketing */
  counted_from: string | null
  delivered: number
  /** Delivered, or taken by a smarthost; less what bounced later */
  taken: number
  hard_bounced: number
  complained: number
  /** Hard bounces among what was taken or bounced so */
  bounce_rate: number
  /** Complaints about what was taken */
  complaint_rate: number
  /** Rates above which its sender is warned, and paused */
  thresholds: {
    bounce: {
      warn: number
      pause: number
    }
    complaint: {
      warn: number
      pause: number
    }
  }
  /** With fewer, a rate says nothing */
  samples: {
    bounce: {
      tried: number
      hard: number
    }
    complaint: {
      delivered: number
      complaints: number
    }
  }
  resumption: string
}

/** Body of `email.webhooks.create`. */
export type EmailWebhooksCreateBody = {
  url: string
  /** Of email.accepted, email.sent, email.delivered, email.deferred, email.bounced, email.failed, email.suppressed, email.complained, email.cancelled, email.contact.confirmed, email.contact.unsubscribed, email.campaign.sent, email.campaign.finished, email.campaign.paused, email.campaign.cancelled, email.domain.verified, email.domain.failed, email.inbound_storage.warning, email.marketing.paused, email.marketing.resumed, email.received, email.reputation.warning; the prefix may be left out; `*` is all, those to come included */
  events: Array<"*" | "accepted" | "sent" | "delivered" | "deferred" | "bounced" | "failed" | "suppressed" | "complained" | "cancelled" | "contact.confirmed" | "contact.unsubscribed" | "campaign.sent" | "campaign.finished" | "campaign.paused" | "campaign.cancelled" | "domain.verified" | "domain.failed" | "inbound_storage.warning" | "marketing.paused" | "marketing.resumed" | "received" | "reputation.warning" | "email.accepted" | "email.sent" | "email.delivered" | "email.deferred" | "email.bounced" | "email.failed" | "email.suppressed" | "email.complained" | "email.cancelled" | "email.contact.confirmed" | "email.contact.unsubscribed" | "email.campaign.sent" | "email.campaign.finished" | "email.campaign.paused" | "email.campaign.cancelled" | "email.domain.verified" | "email.domain.failed" | "email.inbound_storage.warning" | "email.marketing.paused" | "email.marketing.resumed" | "email.received" | "email.reputation.warning">
}

/** Query of `email.webhooks.list`. */
export type EmailWebhooksListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `email.webhooks.remove`. */
export type EmailWebhooksRemoveReply = {
  id: string
  deleted: true
}

/** Body of `email.webhooks.rotateSecret`. */
export type EmailWebhooksRotateSecretBody = {
  /** Hours for which the secret before is kept; by default `24` */
  keep_hours?: number | undefined
}

/** Query of `email.webhook-deliveries.list`. */
export type EmailWebhookDeliveriesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Answer of `email.webhook-deliveries.replay`. */
export type EmailWebhookDeliveriesReplayReply = {
  id: string
  status: "pending" | "delivered" | "failed"
}

/** Body of `email.webhook-deliveries.replaySince`. */
export type EmailWebhookDeliveriesReplaySinceBody = {
  since: string
  /** all: those that were delivered, too; by default `"failed"` */
  status?: "failed" | "all" | undefined
}

/** Answer of `email.webhook-deliveries.replaySince`. */
export type EmailWebhookDeliveriesReplaySinceReply = {
  replayed: number
  /** Null when none is left */
  next_since: string | null
}

/** Query of `erp.companies.officers`. */
export type ErpCompaniesOfficersQuery = {
  /** ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2) */
  jurisdiction?: string | undefined
}

/** Answer of `erp.companies.officers`. */
export type ErpCompaniesOfficersReply = {
  data: Array<ErpOfficer>
  known: boolean
}

/** Query of `erp.companies.read`. */
export type ErpCompaniesReadQuery = {
  /** ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2) */
  jurisdiction?: string | undefined
}

/** Query of `erp.companies.search`. */
export type ErpCompaniesSearchQuery = {
  /** A code, a VAT number, an LEI, or a name or the beginning of one */
  q?: string | undefined
  /** ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2) */
  jurisdiction?: string | undefined
  status?: "active" | "in_liquidation" | "bankrupt" | "dissolved" | "unknown" | undefined
  /** Its code, its name or its ELF code */
  legal_form?: string | undefined
  vat?: string | undefined
  city?: string | undefined
  registered_from?: string | undefined
  registered_to?: string | undefined
  /** Companies on a page; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before */
  cursor?: string | undefined
}

/** Query of `erp.registers.changes`. */
export type ErpRegistersChangesQuery = {
  /** Changes on a page; by default `100` */
  limit?: number | undefined
  /** `next_cursor` of the page before */
  cursor?: string | undefined
}

/** Answer of `erp.registers.list`. */
export type ErpRegistersListReply = {
  data: Array<ErpRegister>
}

/** Body of `files.uploads.complete`. */
export type FilesUploadsCompleteBody = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Body of `files.uploads.start`. */
export type FilesUploadsStartBody = {
  /** The product that the object belongs to */
  product_key: (unknown) & (unknown)
  /** The tenant that the object belongs to */
  tenant_id: (unknown) & (unknown)
  filename: string
  content_type: string
  /** Exact size; it is signed into the URL */
  byte_size: number
  /** Of the bytes, in hex; other bytes are refused then */
  checksum_sha256?: string | undefined
  /** Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer` */
  browser?: {
    /** Origins of the pages that may use the token */
    origins: Array<string>
    /** Seconds until the token ends; by default `3600` */
    expires_in?: number | undefined
  } | undefined
}

/** Body of `files.objects.downloadUrl`. */
export type FilesObjectsDownloadUrlBody = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Answer of `files.objects.downloadUrl`. */
export type FilesObjectsDownloadUrlReply = {
  object_id: string
  /** Of the bytes */
  version: number
  download_url: string
  filename: string
  byte_size: number
  sha256: string
  expires_in_seconds: number
  expires_at: string
}

/** Query of `files.objects.list`. */
export type FilesObjectsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  tenant_id?: (unknown) & (unknown) | undefined
  product_key?: (unknown) & (unknown) | undefined
  scan_status?: "awaiting_upload" | "pending" | "scanning" | "clean" | "infected" | "suspicious" | "unscannable" | "error" | undefined
}

/** Query of `files.objects.read`. */
export type FilesObjectsReadQuery = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Query of `files.objects.remove`. */
export type FilesObjectsRemoveQuery = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Answer of `files.objects.remove`. */
export type FilesObjectsRemoveReply = {
  object_id: string
  deleted: true
}

/** Query of `files.versions.list`. */
export type FilesVersionsListQuery = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Answer of `files.versions.list`. */
export type FilesVersionsListReply = {
  /** All of them, 100 at most */
  data: Array<FilesVersion>
}

/** Body of `files.versions.start`. */
export type FilesVersionsStartBody = {
  /** The name of the version before unless given */
  filename?: string | undefined
  content_type: string
  /** Exact size; it is signed into the URL */
  byte_size: number
  /** Of the bytes, in hex; other bytes are refused then */
  checksum_sha256?: string | undefined
  /** Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer` */
  browser?: {
    /** Origins of the pages that may use the token */
    origins: Array<string>
    /** Seconds until the token ends; by default `3600` */
    expires_in?: number | undefined
  } | undefined
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Body of `files.previews.create`. */
export type FilesPreviewsCreateBody = {
  /** by default `1` */
  page?: number | undefined
  /** Pixels of the longer side, at most; by default `800` */
  size?: number | undefined
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Answer of `files.previews.create`. */
export type FilesPreviewsCreateReply = {
  object_id: string
  version: number
  page: number
  preview_url: string
  content_type: "image/jpeg"
  expires_in_seconds: number
}

/** Body of `files.webhooks.create`. */
export type FilesWebhooksCreateBody = {
  url: string
  /** Of files.object.clean, files.object.infected; the prefix may be left out; `*` is all, those to come included */
  events: Array<"*" | "object.clean" | "object.infected" | "files.object.clean" | "files.object.infected">
}

/** Query of `files.webhooks.list`. */
export type FilesWebhooksListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `files.webhooks.remove`. */
export type FilesWebhooksRemoveReply = {
  id: string
  deleted: true
}

/** Body of `files.webhooks.rotateSecret`. */
export type FilesWebhooksRotateSecretBody = {
  /** Hours for which the secret before is kept; by default `24` */
  keep_hours?: number | undefined
}

/** Query of `files.webhook-deliveries.list`. */
export type FilesWebhookDeliveriesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Answer of `files.webhook-deliveries.replay`. */
export type FilesWebhookDeliveriesReplayReply = {
  id: string
  status: "pending" | "delivered" | "failed"
}

/** Body of `files.webhook-deliveries.replaySince`. */
export type FilesWebhookDeliveriesReplaySinceBody = {
  since: string
  /** all: those that were delivered, too; by default `"failed"` */
  status?: "failed" | "all" | undefined
}

/** Answer of `files.webhook-deliveries.replaySince`. */
export type FilesWebhookDeliveriesReplaySinceReply = {
  replayed: number
  /** Null when none is left */
  next_since: string | null
}

/** Query of `files.rescans.list`. */
export type FilesRescansListQuery = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Answer of `files.rescans.list`. */
export type FilesRescansListReply = {
  data: Array<FilesScan>
}

/** Body of `files.rescans.request`. */
export type FilesRescansRequestBody = {
  /** Only an object of this tenant; any other is not found */
  tenant_id?: (unknown) & (unknown) | undefined
}

/** Body of `geo.lookups.batch`. */
export type GeoLookupsBatchBody = {
  ips: Array<string>
  /** Language of names (BCP 47) */
  lang?: string | undefined
}

/** Answer of `geo.lookups.batch`. */
export type GeoLookupsBatchReply = {
  results: Array<{
    ip: string
    version?: 4 | 6 | undefined
    /** Nowhere on the internet: nothing else is known of it */
    bogon?: boolean | undefined
    bogon_type?: "unspecified" | "broadcast" | "multicast" | "link_local" | "loopback" | "carrier_grade_nat" | "private" | "documentation" | "benchmarking" | "reserved" | "translated" | null | undefined
    continent?: {
      code: string
      name: string | null
    } | null | undefined
    country?: {
      code: string
      name: string | null
      /** A member state of the European Union */
      is_eu: boolean
    } | null | undefined
    /** The first subdivision of the country (ISO 3166-2) */
    region?: {
      code: string
      name: string | null
    } | null | undefined
    city?: string | null | undefined
    postal_code?: string | null | undefined
    /** The middle of the place, not of the address: it is somewhere within the radius */
    location?: {
      latitude: number
      longitude: number
      accuracy_radius_km: number | null
    } | null | undefined
    /** IANA time zone */
    timezone?: string | null | undefined
    asn?: {
      number: number
      organization: string | null
    } | null | undefined
    /** The network that all of this holds for */
    network?: string | null | undefined
    status: "ok" | "bogon" | "not_found" | "invalid"
  }>
  count: number
  source: {
    /** A file of the operator’s, or the data of the npm package */
    provider: "mmdb" | "geoip-lite"
    database: string
    /** How old the data are */
    built_at: string
  }
  attribution: string
}

/** Query of `geo.lookups.caller`. */
export type GeoLookupsCallerQuery = {
  /** Language of names (BCP 47) */
  lang?: string | undefined
}

/** Query of `geo.lookups.me`. */
export type GeoLookupsMeQuery = {
  /** Language of names (BCP 47) */
  lang?: string | undefined
}

/** Query of `geo.lookups.read`. */
export type GeoLookupsReadQuery = {
  /** Language of names (BCP 47) */
  lang?: string | undefined
}

/** Body of `guard.sites.create`. */
export type GuardSitesCreateBody = {
  name: string
  /** Origins of the pages that may use the site key; clients that are no page need none */
  origins: Array<string>
  policy?: {
    /** What every visitor has to solve */
    min_tier?: "low" | "normal" | "high" | "extreme" | undefined
    /** What no visitor has to solve more than */
    max_tier?: "low" | "normal" | "high" | "extreme" | undefined
    /** Whether visitors without JavaScript may wait instead */
    noscript?: boolean | undefined
    /** Whether clients may ask for SHA-256, in which native code is far ahead of pages */
    sha256?: boolean | undefined
    /** Challenges to one address a minute from which on they get harder */
    rate_per_minute?: number | undefined
  } | undefined
}

/** Query of `guard.sites.list`. */
export type GuardSitesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `guard.sites.remove`. */
export type GuardSitesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `guard.sites.update`. */
export type GuardSitesUpdateBody = {
  name?: string | undefined
  /** Origins of the pages that may use the site key; clients that are no page need none */
  origins?: Array<string> | undefined
  policy?: {
    /** What every visitor has to solve */
    min_tier?: "low" | "normal" | "high" | "extreme" | undefined
    /** What no visitor has to solve more than */
    max_tier?: "low" | "normal" | "high" | "extreme" | undefined
    /** Whether visitors without JavaScript may wait instead */
    noscript?: boolean | undefined
    /** Whether clients may ask for SHA-256, in which native code is far ahead of pages */
    sha256?: boolean | undefined
    /** Challenges to one address a minute from which on they get harder */
    rate_per_minute?: number | undefined
  } | undefined
}

/** Body of `guard.assess.create`. */
export type GuardAssessCreateBody = {
  /** What the visitor is about to do; its token is good for nothing else */
  action: string
  signals?: {
    webdriver?: boolean | undefined
    languages?: number | undefined
    interactions?: number | undefined
    ms_on_page?: number | undefined
    touch?: boolean | undefined
  } | undefined
}

/** Body of `guard.challenges.create`. */
export type GuardChallengesCreateBody = {
  /** What the visitor is about to do; its token is good for nothing else */
  action: string
  /** The assessment that asked for a challenge */
  assessment_id?: string | undefined
  /** `sha256` for a client that cannot do scrypt; it takes longer */
  alg?: "scrypt" | "sha256" | undefined
}

/** Answer of `guard.challenges.create`. */
export type GuardChallengesCreateReply = GuardScryptChallenge | GuardSha256Challenge

/** Body of `guard.answers.complete`. */
export type GuardAnswersCompleteBody = {
  /** Bytes as base64url without padding */
  answer: string
}

/** Body of `guard.tokens.verify`. */
export type GuardTokensVerifyBody = {
  /** What the page sent */
  token: string
  /** What the visitor is about to do; its token is good for nothing else */
  action: string
  /** Only tokens of this site are good; without it those of each of your sites are */
  site_id?: string | undefined
  /** Asked again with it, the first answer is given again */
  idempotency_key?: string | undefined
}

/** Query of `identity.requirements.list`. */
export type IdentityRequirementsListQuery = {
  /** Key of a product of the catalogue */
  product?: string | undefined
}

/** Answer of `identity.requirements.list`. */
export type IdentityRequirementsListReply = {
  data: Array<{
    product: string
    title: string
    version: number
    /** How much is proven by it */
    level: number
    requirements: Array<{
      key: string
      title: string
      type: "document" | "selfie" | "address" | "consent"
      text: string
      accepted?: Array<string> | undefined
      valid_for_days: number | null
      depends_on: Array<string>
      required: boolean
    }>
  }>
}

/** Query of `identity.readiness.read`. */
export type IdentityReadinessReadQuery = {
  /** Key of a product of the catalogue */
  product?: string | undefined
  /** Subject identifier at your identity provider; without one the organisation itself is meant */
  idp_sub?: string | undefined
  /** Where the page behind `prompt_url` leads back to */
  return_to?: string | undefined
}

/** Answer of `identity.readiness.read`. */
export type IdentityReadinessReadReply = {
  product: string
  /** Null: the organisation itself */
  subject: string | null
  ready: boolean
  satisfied: Array<string>
  /** Can be met now */
  currently_due: Array<string>
  /** Waits for others, ends within 30 days, or is not required */
  eventually_due: Array<string>
  /** Was verified once and has ended */
  past_due: Array<string>
  /** Handed in; nobody has decided yet */
  pending_verification: Array<string>
  errors: Array<{
    requirement: string
    code: string
    reason: string
  }>
  next_step: {
    requirement: string
    title: string
    action: "upload_document" | "take_photo" | "give_consent"
    prompt_url: string
    expires_at: string
  } | null
}

/** Query of `identity.status.read`. */
export type IdentityStatusReadQuery = {
  /** Key of a product of the catalogue */
  product?: string | undefined
  /** Subject identifier at your identity provider; without one the organisation itself is meant */
  idp_sub?: string | undefined
}

/** Answer of `identity.status.read`. */
export type IdentityStatusReadReply = {
  product: string
  /** Null: the organisation itself */
  subject: string | null
  /** By what the product requires */
  status: "unverified" | "requires_input" | "processing" | "verified" | "rejected" | "expired"
  /** Of the products that the subject is ready for, the highest level; 0 for none */
  level: number
  checks: Array<IdentityCheck>
  updated_at: string | null
}

/** Body of `identity.face-match.create`. */
export type IdentityFaceMatchCreateBody = {
  /** JPEG, PNG or WebP of one person, in base64 or as a data: URI; at most 8 MiB and 40 megapixels */
  image_a: string
  /** JPEG, PNG or WebP of one person, in base64 or as a data: URI; at most 8 MiB and 40 megapixels */
  image_b: string
  /** Distance up to which the faces match; up to 0.1 above it the answer is `inconclusive`; by default `0.5` */
  threshold?: number | undefined
}

/** Answer of `identity.face-match.create`. */
export type IdentityFaceMatchCreateReply = {
  match: boolean
  decision: "match" | "no_match" | "inconclusive"
  /** 1 − distance / 1.2 */
  similarity: number
  /** Euclidean distance of the two descriptors */
  distance: number
  threshold: number
  faces: {
    a: {
      bounding_box: {
        x: number
        y: number
        width: number
        height: number
      }
      confidence: number
      /** Faces found; small ones behind the compared one do not count as a second */
      count: number
      quality: {
        sharpness: number
        brightness: number
        /** Of the face */
        width_px: number
      }
    }
    b: {
      bounding_box: {
        x: number
        y: number
        width: number
        height: number
      }
      confidence: number
      /** Faces found; small ones behind the compared one do not count as a second */
      count: number
      quality: {
        sharpness: number
        brightness: number
        /** Of the face */
        width_px: number
      }
    }
  }
  liveness: "not_performed"
  model: {
    name: string
    version: string
  }
  images_stored: false
}

/** Body of `identity.checks.record`. */
export type IdentityChecksRecordBody = {
  /** Subject identifier at your identity provider; without one the organisation itself is meant */
  idp_sub?: string | undefined
  /** Key of a requirement */
  requirement: string
  status: "verified" | "rejected"
  /** Why it is rejected, for programs */
  code?: string | undefined
  /** Why it is rejected, for the person */
  reason?: string | undefined
  /** Until when it holds; by the catalogue unless said */
  expires_at?: string | undefined
}

/** Query of `identity.document.read`. */
export type IdentityDocumentReadQuery = {
  /** Subject identifier at your identity provider; without one the organisation itself is meant */
  idp_sub?: string | undefined
  /** Key of a requirement that asks for a document; by default `"identity.document"` */
  requirement?: string | undefined
}

/** Body of `identity.document.readAgain`. */
export type IdentityDocumentReadAgainBody = {
  /** Subject identifier at your identity provider; without one the organisation itself is meant */
  idp_sub?: string | undefined
  /** Key of a requirement that asks for a document; by default `"identity.document"` */
  requirement?: string | undefined
}

/** Body of `notify.events.create`. */
export type NotifyEventsCreateBody = {
  /** The product that owns it */
  product_key: string
  /** Type of events in the product’s own words, such as `order.shipped` */
  type: string
  /** Your own id of the person, such as a UUID */
  subject_user_id: string
  title: string
  body?: string | undefined
  /** What programs need: texts by names */
  data?: Record<string, string> | undefined
  /** Where it leads to */
  url?: string | undefined
  /** A repeated event with the key, for the same user and product, is answered with the first one */
  dedupe_key?: string | undefined
  /** In place of what the person prefers */
  channels?: Array<"in_app" | "email" | "push" | "whatsapp"> | undefined
  /** Where the email copy goes, if there is to be one: an address, or more */
  email?: string | {
    to?: string | undefined
    /** A contact of the email area; one that has unsubscribed gets nothing */
    contact?: string | undefined
    /** On a verified domain; default: `notifications@` the oldest one */
    from?: string | undefined
  } | undefined
  /** The app of the push area whose devices of the person are pushed to, if there is to be a push */
  push?: {
    app_id: string
  } | undefined
}

/** Answer of `notify.events.create`. */
export type NotifyEventsCreateReply = {
  /** Also that of its item in the inbox */
  id: string
  product_key: string
  type: string
  subject_user_id: string
  title: string
  body: string | null
  data: Record<string, string>
  url: string | null
  dedupe_key: string | null
  /** What chose the channels: `default` when nobody did */
  chosen_by: "event" | "workflow" | "type" | "product" | "default"
  /** Every channel: whether it was used, and why not */
  channels: Array<{
    channel: "in_app" | "email" | "push" | "whatsapp"
    used: boolean
    reason: "not_chosen" | "no_address" | "no_app" | "no_phone" | "workflow" | null
    digest: boolean
  }>
  /** The run of the workflow that it has started, or joined */
  run_id?: string | null | undefined
  created_at: string
  /** Of a test key: it is in the test inbox, and in no person’s */
  sandbox?: true | undefined
  /** The first event with the key, recorded before */
  deduplicated: boolean
}

/** Answer of `notify.events.read`. */
export type NotifyEventsReadReply = {
  /** Also that of its item in the inbox */
  id: string
  product_key: string
  type: string
  subject_user_id: string
  title: string
  body: string | null
  data: Record<string, string>
  url: string | null
  dedupe_key: string | null
  /** What chose the channels: `default` when nobody did */
  chosen_by: "event" | "workflow" | "type" | "product" | "default"
  /** Every channel: whether it was used, and why not */
  channels: Array<{
    channel: "in_app" | "email" | "push" | "whatsapp"
    used: boolean
    reason: "not_chosen" | "no_address" | "no_app" | "no_phone" | "workflow" | null
    digest: boolean
  }>
  /** The run of the workflow that it has started, or joined */
  run_id?: string | null | undefined
  created_at: string
  /** Of a test key: it is in the test inbox, and in no person’s */
  sandbox?: true | undefined
  copies: Array<NotifyCopy>
}

/** Query of `notify.inbox.list`. */
export type NotifyInboxListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
  /** `true`: only what is unread; `false`: only what is read */
  unread?: "true" | "false" | undefined
  /** `true`: only what was not shown yet; `false`: only what was */
  unseen?: "true" | "false" | undefined
  /** `true`: only what is archived; else only what is not */
  archived?: "true" | "false" | undefined
}

/** Body of `notify.inbox.read`. */
export type NotifyInboxReadBody = {
  /** Your own id of the person, such as a UUID */
  user_id: string
}

/** Body of `notify.inbox.readAll`. */
export type NotifyInboxReadAllBody = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
}

/** Answer of `notify.inbox.readAll`. */
export type NotifyInboxReadAllReply = {
  user_id: string
  unread_count: number
  /** Items that were unread */
  marked: number
}

/** Query of `notify.inbox.unreadCount`. */
export type NotifyInboxUnreadCountQuery = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
}

/** Answer of `notify.inbox.unreadCount`. */
export type NotifyInboxUnreadCountReply = {
  user_id: string
  unread_count: number
  by_product: Record<string, number>
}

/** Query of `notify.marks.counts`. */
export type NotifyMarksCountsQuery = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
}

/** Answer of `notify.marks.counts`. */
export type NotifyMarksCountsReply = {
  unread_count: number
  unseen_count: number
}

/** Body of `notify.marks.create`. */
export type NotifyMarksCreateBody = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** `unread` takes `read` back, and `unarchived` takes `archived` back; what is read is seen, too */
  mark: "read" | "seen" | "unread" | "archived" | "unarchived"
  /** Items; without them all of the inbox, or of the product */
  ids?: Array<string> | undefined
  /** The product that owns it */
  product_key?: string | undefined
}

/** Answer of `notify.marks.create`. */
export type NotifyMarksCreateReply = {
  /** Items that were not so before */
  marked: number
  unread_count: number
  unseen_count: number
}

/** Query of `notify.preferences.list`. */
export type NotifyPreferencesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
}

/** Body of `notify.preferences.put`. */
export type NotifyPreferencesPutBody = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key: string
  /** A type of events, or `*`: all that have no preference of their own */
  type: string
  channels: Array<"in_app" | "email" | "push" | "whatsapp">
  digest?: {
    window_minutes: number
  } | null | undefined
}

/** Query of `notify.preferences.remove`. */
export type NotifyPreferencesRemoveQuery = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key: string
  /** A type of events, or `*`: all that have no preference of their own */
  type: string
}

/** Answer of `notify.preferences.remove`. */
export type NotifyPreferencesRemoveReply = {
  user_id: string
  product_key: string
  type: string
  deleted: true
}

/** Body of `notify.stream.createToken`. */
export type NotifyStreamCreateTokenBody = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  /** The product that owns it */
  product_key?: string | undefined
  /** by default `3600` */
  ttl_seconds?: number | undefined
  /** The page may mark items, too, as `<mill-inbox>` does; the key needs the scope `notify:write`; by default `false` */
  marks?: boolean | undefined
}

/** Answer of `notify.stream.createToken`. */
export type NotifyStreamCreateTokenReply = {
  /** With everything in it that `EventSource` needs */
  url: string
  token: string
  last_event_id: string
  expires_at: string
}

/** Query of `notify.stream.watch`. */
export type NotifyStreamWatchQuery = {
  /** Your own id of the person, such as a UUID */
  user_id: string
  token: string
  /** Before the first `Last-Event-ID`: the last event seen */
  last_event_id?: string | undefined
}

/** Query of `notify.feed.list`. */
export type NotifyFeedListQuery = {
  /** by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before */
  cursor?: string | undefined
  archived?: "true" | "false" | undefined
}

/** Body of `notify.feed.mark`. */
export type NotifyFeedMarkBody = {
  /** `unread` takes `read` back, and `unarchived` takes `archived` back; what is read is seen, too */
  mark: "read" | "seen" | "unread" | "archived" | "unarchived"
  /** Items; without them all of the inbox, or of the product */
  ids?: Array<string> | undefined
  /** The product that owns it */
  product_key?: string | undefined
}

/** Answer of `notify.feed.mark`. */
export type NotifyFeedMarkReply = {
  /** Items that were not so before */
  marked: number
  unread_count: number
  unseen_count: number
}

/** Query of `notify.people.list`. */
export type NotifyPeopleListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  email?: string | undefined
}

/** Body of `notify.people.put`. */
export type NotifyPeoplePutBody = {
  name?: string | null | undefined
  email?: string | null | undefined
  /** In E.164, for WhatsApp */
  phone?: string | null | undefined
  /** The app of the push area whose devices of the person are pushed to */
  push?: {
    app_id: string
    /** Their id in that app; default: `user_id` */
    user_id?: string | undefined
  } | null | undefined
  /** The language of their texts, such as `de` or `de-AT` */
  locale?: string | null | undefined
  /** Such as `Europe/Vienna` */
  time_zone?: string | null | undefined
  /** What conditions and texts may name: `person.data.plan` */
  data?: Record<string, string> | undefined
}

/** Answer of `notify.people.remove`. */
export type NotifyPeopleRemoveReply = {
  user_id: string
  deleted: true
}

/** Body of `notify.people.putMany`. */
export type NotifyPeoplePutManyBody = {
  people: Array<{
    /** Your own id of the person, such as a UUID */
    user_id: string
    name?: string | null | undefined
    email?: string | null | undefined
    /** In E.164, for WhatsApp */
    phone?: string | null | undefined
    /** The app of the push area whose devices of the person are pushed to */
    push?: {
      app_id: string
      /** Their id in that app; default: `user_id` */
      user_id?: string | undefined
    } | null | undefined
    /** The language of their texts, such as `de` or `de-AT` */
    locale?: string | null | undefined
    /** Such as `Europe/Vienna` */
    time_zone?: string | null | undefined
    /** What conditions and texts may name: `person.data.plan` */
    data?: Record<string, string> | undefined
  }>
}

/** Answer of `notify.people.putMany`. */
export type NotifyPeoplePutManyReply = {
  /** In the order of the request */
  data: Array<NotifyPerson>
}

/** Query of `notify.workflows.list`. */
export type NotifyWorkflowsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `notify.workflows.put`. */
export type NotifyWorkflowsPutBody = {
  name: string
  /** The product that owns it */
  product_key: string
  /** Events of the product and this type start it */
  type: string
  /** The language of texts for people of no other; by default `"en"` */
  fallback_locale?: string | undefined
  steps: Array<{
    type: "channel"
    channel: "in_app" | "email" | "push" | "whatsapp"
    /** The type of its text; default: that of the event */
    text?: string | undefined
    /** What goes out by WhatsApp to who has not written within 24 hours */
    template?: {
      name: string
      language: string
      /** Texts with placeholders, in their order */
      variables?: Array<string> | undefined
    } | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "wait"
    minutes: number
    /** Goes on when the item has been that for so long, and ends the run when it is not any more */
    until?: "unread" | "unseen" | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "digest"
    /** Events of the window, which the first one opens, go through the other steps as one */
    minutes: number
    /** Events with another value of it have a window of their own */
    key?: string | undefined
  }>
}

/** Answer of `notify.workflows.read`. */
export type NotifyWorkflowsReadReply = {
  key: string
  name: string
  product_key: string
  type: string
  fallback_locale: string
  /** As they are written; what runs is a version */
  steps: Array<{
    type: "channel"
    channel: "in_app" | "email" | "push" | "whatsapp"
    /** The type of its text; default: that of the event */
    text?: string | undefined
    /** What goes out by WhatsApp to who has not written within 24 hours */
    template?: {
      name: string
      language: string
      /** Texts with placeholders, in their order */
      variables?: Array<string> | undefined
    } | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "wait"
    minutes: number
    /** Goes on when the item has been that for so long, and ends the run when it is not any more */
    until?: "unread" | "unseen" | undefined
    /** The step is skipped unless all of them hold */
    conditions?: Array<{
      field: string
      operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
      /** Numbers are compared as numbers */
      value?: string | undefined
    }> | undefined
  } | {
    type: "digest"
    /** Events of the window, which the first one opens, go through the other steps as one */
    minutes: number
    /** Events with another value of it have a window of their own */
    key?: string | undefined
  }>
  /** The last one that was published; 0: none was */
  version: number
  /** The version that events start; null: none */
  published_version: number | null
  created_at: string
  updated_at: string
  /** The latest ones, newest first: up to 100, and up to 1 MiB of steps */
  versions: Array<{
    version: number
    product_key: string
    type: string
    fallback_locale: string
    steps: Array<{
      type: "channel"
      channel: "in_app" | "email" | "push" | "whatsapp"
      /** The type of its text; default: that of the event */
      text?: string | undefined
      /** What goes out by WhatsApp to who has not written within 24 hours */
      template?: {
        name: string
        language: string
        /** Texts with placeholders, in their order */
        variables?: Array<string> | undefined
      } | undefined
      /** The step is skipped unless all of them hold */
      conditions?: Array<{
        field: string
        operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
        /** Numbers are compared as numbers */
        value?: string | undefined
      }> | undefined
    } | {
      type: "wait"
      minutes: number
      /** Goes on when the item has been that for so long, and ends the run when it is not any more */
      until?: "unread" | "unseen" | undefined
      /** The step is skipped unless all of them hold */
      conditions?: Array<{
        field: string
        operator: "equal_to" | "not_equal_to" | "greater_than" | "less_than" | "contains" | "not_contains" | "empty" | "not_empty"
        /** Numbers are compared as numbers */
        value?: string | undefined
      }> | undefined
    } | {
      type: "digest"
      /** Events of the window, which the first one opens, go through the other steps as one */
      minutes: number
      /** Events with another value of it have a window of their own */
      key?: string | undefined
    }>
    created_at: string
  }>
}

/** Answer of `notify.workflows.remove`. */
export type NotifyWorkflowsRemoveReply = {
  key: string
  deleted: true
  /** Runs that waited */
  stopped: number
}

/** Query of `notify.texts.list`. */
export type NotifyTextsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** Type of events in the product’s own words, such as `order.shipped` */
  type?: string | undefined
}

/** Body of `notify.texts.put`. */
export type NotifyTextsPutBody = {
  /** Type of events in the product’s own words, such as `order.shipped` */
  type: string
  locale: string
  /** With placeholders: `{{data.order}}`, `{{person.name}}`, `{{count}}` */
  title: string
  /** Likewise; `{{items}}` are the titles of a digest */
  body?: string | null | undefined
}

/** Query of `notify.texts.remove`. */
export type NotifyTextsRemoveQuery = {
  /** Type of events in the product’s own words, such as `order.shipped` */
  type: string
  locale: string
}

/** Answer of `notify.texts.remove`. */
export type NotifyTextsRemoveReply = {
  type: string
  locale: string
  deleted: true
}

/** Query of `notify.runs.list`. */
export type NotifyRunsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** The key of a workflow, such as `order-shipped` */
  workflow?: string | undefined
  /** Your own id of the person, such as a UUID */
  user_id?: string | undefined
  state?: "waiting" | "completed" | "stopped" | "cancelled" | "failed" | undefined
}

/** Answer of `notify.runs.read`. */
export type NotifyRunsReadReply = {
  id: string
  /** The workflow’s key */
  workflow: string
  version: number
  /** The event that it began with */
  event_id: string
  user_id: string
  product_key: string
  type: string
  title: string
  /** `waiting` for a step’s time, `completed`, `stopped` before its end, `cancelled`, `failed` */
  state: "waiting" | "completed" | "stopped" | "cancelled" | "failed"
  /** Why it went no further: `read`, `person_removed`, `key_revoked`, … */
  reason: string | null
  /** When it goes on */
  due_at: string | null
  created_at: string
  ended_at: string | null
  /** Those that were taken or wait, in their order */
  steps: Array<{
    /** Its place in the workflow, from 0 */
    step: number
    type: "channel" | "wait" | "digest"
    channel: "in_app" | "email" | "push" | "whatsapp" | null
    /** `waiting` while a wait lasts, `done`, `skipped`, `refused` by the area of its channel, `failed` */
    state: "waiting" | "done" | "skipped" | "refused" | "failed"
    /** `condition`, `preference`, `no_address`, …, or that of the channel’s area */
    reason: string | null
    detail: string | null
    /** The message in the channel’s area, where its way is told */
    message_id: string | null
    text_locale: string | null
    text_version: number | null
    /** When a wait ends */
    due_at: string | null
    at: string
  }>
}

/** Answer of `push.messages.cancel`. */
export type PushMessagesCancelReply = {
  id: string
  status: "cancelled"
}

/** Body of `push.messages.create`. */
export type PushSendBody = {
  app_id: string
  target: {
    type: "user"
    /** Your own id of the person */
    id: string
  } | {
    type: "users"
    ids: Array<string>
  } | {
    type: "topic"
    id: string
  } | {
    type: "segment"
    tags: {
      /** It has all of these; by default `[]` */
      all?: Array<string> | undefined
      /** It has one of these; by default `[]` */
      any?: Array<string> | undefined
      /** It has none of these; by default `[]` */
      none?: Array<string> | undefined
    }
  } | {
    type: "all"
  }
  title?: string | undefined
  body?: string | undefined
  /** For the app; with neither title nor body nothing is shown */
  data?: Record<string, string> | undefined
  image?: string | undefined
  /** Buttons; iOS shows those of its `category` */
  actions?: Array<{
    /** By which the app knows what was pressed */
    action: string
    title: string
    icon?: string | undefined
    /** What is opened */
    url?: string | undefined
  }> | undefined
  /** The number on the app’s icon; 0 takes it away */
  badge?: number | undefined
  /** `default`, or a file of the app */
  sound?: string | undefined
  ios?: {
    image?: string | undefined
    badge?: number | undefined
    sound?: string | undefined
    /** By which the app shows its buttons */
    category?: string | undefined
    /** Notifications of one thread are grouped */
    thread_id?: string | undefined
    /** `apns-push-type`; by default alert, or background */
    push_type?: "alert" | "background" | "voip" | "complication" | "location" | "fileprovider" | "liveactivity" | "pushtotalk" | "widgets" | undefined
  } | undefined
  android?: {
    image?: string | undefined
    sound?: string | undefined
    /** The app’s notification channel */
    channel_id?: string | undefined
    icon?: string | undefined
    color?: string | undefined
  } | undefined
  web?: {
    image?: string | undefined
    icon?: string | undefined
    /** The small picture where there is no room for the icon */
    badge?: string | undefined
    /** What a click opens */
    url?: string | undefined
  } | undefined
  /** To more than one person: deliveries a second that are made of it at most */
  rate?: number | undefined
  /** By each person’s clock: what would come between waits until they end, and is expired if it is over by then */
  quiet_hours?: {
    from: string
    to: string
    /** Of people whose own is not known; by default `"UTC"` */
    time_zone?: string | undefined
  } | undefined
  /** 1 low, 5 normal, 10 high; high wakes a sleeping device; by default `5` */
  priority?: number | undefined
  /** Seconds that a device may be away; 0: each device is tried once, now; by default `86400` */
  ttl?: number | undefined
  /** A newer message takes the place of an older one with the same key that is not shown yet */
  collapse_key?: string | undefined
  /** Not before this instant, at most 30 days ahead */
  send_at?: string | undefined
  /** FCM checks it, nobody delivers it; by default `false` */
  dry_run?: boolean | undefined
  /** In place of title and body, in the language of each device */
  template_id?: string | undefined
  /** What the template’s `{{variables}}` stand for */
  variables?: Record<string, string | number | boolean> | undefined
  overrides?: {
    /** Merged into the APNs payload: `{"aps": {"sound": "default"}}` */
    apns?: Record<string, unknown> | undefined
    /** Merged into the FCM message */
    fcm?: Record<string, unknown> | undefined
    /** Merged into what the service worker, or the stream, gets */
    webpush?: Record<string, unknown> | undefined
  } | undefined
  idempotency_key?: string | undefined
}

/** Query of `push.messages.list`. */
export type PushMessagesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  app_id?: string | undefined
  /** To this one person */
  user_id?: string | undefined
  /** To many of this kind */
  target?: "users" | "topic" | "segment" | "all" | undefined
}

/** Query of `push.trace.read`. */
export type PushMessageTraceQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `push.installations.claim`. */
export type PushInstallationsClaimBody = {
  /** Your own id of the person */
  user_id: string
}

/** Body of `push.installations.create`. */
export type PushRegisterInstallationBody = {
  app_id: string
  /** Your own id of the person; without one the device is nobody’s until it is claimed */
  user_id?: string | undefined
  push_provider: "apns" | "fcm" | "webpush" | "sse"
  /** apns, fcm: the device token. sse: the installation’s id, to renew its stream */
  token?: string | undefined
  /** sse: your own id of the device, which has one stream */
  device_id?: string | undefined
  /** The token (webpush: the endpoint) whose place this one takes */
  previous_token?: string | undefined
  /** webpush: what `PushManager.subscribe` has returned */
  subscription?: {
    endpoint: string
    expirationTime?: number | null | undefined
    keys: {
      p256dh: string
      auth: string
    }
  } | undefined
  platform?: string | undefined
  locale?: string | undefined
  /** Before that of its person; not given, it stays as it is */
  time_zone?: string | null | undefined
  /** By which segments choose it; not given, they stay as they are */
  tags?: Array<string> | undefined
  /** apns alone has a sandbox; by default `"production"` */
  environment?: "production" | "sandbox" | undefined
}

/** Query of `push.installations.list`. */
export type PushListInstallationsQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "active" | "invalidated" | undefined
  push_provider?: "apns" | "fcm" | "webpush" | "sse" | undefined
  user_id?: string | undefined
}

/** Answer of `push.installations.remove`. */
export type PushInstallationsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `push.installations.update`. */
export type PushInstallationsUpdateBody = {
  /** In place of those that it has */
  tags?: Array<string> | undefined
  time_zone?: string | null | undefined
  locale?: string | null | undefined
}

/** Body of `push.users.create`. */
export type PushRegisterUserBody = {
  app_id: string
  /** Your own id of the person */
  user_id: string
  locale?: string | null | undefined
  /** Quiet hours are by it */
  time_zone?: string | null | undefined
}

/** Answer of `push.users.remove`. */
export type PushUsersRemoveReply = {
  user_id: string
  installations: number
  deleted: true
}

/** Query of `push.topics.list`. */
export type PushTopicsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `push.topics.subscribe`. */
export type PushTopicsSubscribeBody = {
  /** People, with all devices that they have and will have; by default `[]` */
  user_ids?: Array<string> | undefined
  /** Single devices; by default `[]` */
  installation_ids?: Array<string> | undefined
}

/** Answer of `push.topics.subscribe`. */
export type PushTopicsSubscribeReply = {
  topic: string
  users: number
  installations: number
}

/** Query of `push.topics.subscriptions`. */
export type PushTopicsSubscriptionsQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `push.topics.unsubscribe`. */
export type PushTopicsUnsubscribeBody = {
  /** People, with all devices that they have and will have; by default `[]` */
  user_ids?: Array<string> | undefined
  /** Single devices; by default `[]` */
  installation_ids?: Array<string> | undefined
}

/** Answer of `push.topics.unsubscribe`. */
export type PushTopicsUnsubscribeReply = {
  topic: string
  ended: number
}

/** Body of `push.apps.create`. */
export type PushCreateAppBody = {
  name: string
}

/** Query of `push.apps.list`. */
export type PushListAppsQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `push.apps.remove`. */
export type PushAppsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `push.apps.update`. */
export type PushAppsUpdateBody = {
  name: string
}

/** By provider, as described */
export type PushCredentialsPutBody = Record<string, unknown>

/** Answer of `push.credentials.read`. */
export type PushCredentialsReadReply = {
  data: Array<PushCredential>
}

/** Query of `push.credentials.remove`. */
export type PushCredentialsRemoveQuery = {
  environment?: "production" | "sandbox" | undefined
}

/** Answer of `push.credentials.remove`. */
export type PushCredentialsRemoveReply = {
  provider: "apns" | "fcm" | "webpush"
  deleted: true
}

/** Body of `push.credentials.retry`. */
export type PushCredentialsRetryBody = {
  /** by default `"production"` */
  environment?: "production" | "sandbox" | undefined
}

/** Body of `push.receipts.create`. */
export type PushReceiptBody = {
  delivery_id?: string | undefined
  /** opened and dismissed imply displayed, which implies delivered */
  event?: "delivered" | "displayed" | "opened" | "dismissed" | undefined
  /** The `receipt_token` of the delivery: needed with a public key */
  token?: string | undefined
  /** Many at once, in place of the other fields */
  receipts?: Array<{
    delivery_id: string
    /** opened and dismissed imply displayed, which implies delivered */
    event: "delivered" | "displayed" | "opened" | "dismissed"
    /** The `receipt_token` of the delivery: needed with a public key */
    token?: string | undefined
  }> | undefined
}

/** Answer of `push.receipts.create`. */
export type PushReceiptReply = PushReceipt | {
  receipts: Array<PushReceipt | {
    delivery_id: string
    error: {
      code: string
      message: string
    }
  }>
}

/** Query of `push.stream.watch`. */
export type PushStreamWatchQuery = {
  token?: string | undefined
  /** Before the first `Last-Event-ID`: the last event seen */
  last_event_id?: string | undefined
}

/** Query of `push.insights.insights`. */
export type PushAppInsightsQuery = {
  /** Days, today included; by default `30` */
  days?: number | undefined
}

/** Query of `push.deliveries.list`. */
export type PushListDeliveriesQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "queued" | "sent" | "delivered" | "failed" | "expired" | "cancelled" | undefined
  provider?: "apns" | "fcm" | "webpush" | "sse" | undefined
}

/** Body of `push.templates.create`. */
export type PushCreateTemplateBody = {
  name: string
  /** Texts by language, with `{{variables}}` */
  locales: Record<string, {
      title?: string | undefined
      body?: string | undefined
      data?: Record<string, string> | undefined
    }>
  default_locale: string
}

/** Query of `push.templates.list`. */
export type PushListTemplatesQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `push.templates.remove`. */
export type PushTemplatesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `push.templates.update`. */
export type PushTemplatesUpdateBody = {
  name?: string | undefined
  /** Texts by language, with `{{variables}}` */
  locales?: Record<string, {
      title?: string | undefined
      body?: string | undefined
      data?: Record<string, string> | undefined
    }> | undefined
  default_locale?: string | undefined
  /** The version that was read */
  version?: number | undefined
}

/** Body of `push.webhooks.create`. */
export type PushCreateWebhookBody = {
  url: string
  /** Of push.delivered, push.failed, push.opened, push.installation.invalidated; the prefix may be left out; `*` is all, those to come included */
  events: Array<"*" | "delivered" | "failed" | "opened" | "installation.invalidated" | "push.delivered" | "push.failed" | "push.opened" | "push.installation.invalidated">
}

/** Query of `push.webhooks.list`. */
export type PushListWebhooksQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `push.webhooks.remove`. */
export type PushWebhooksRemoveReply = {
  id: string
  deleted: true
}

/** Body of `push.webhooks.rotateSecret`. */
export type PushWebhooksRotateSecretBody = {
  /** Hours for which the secret before is kept; by default `24` */
  keep_hours?: number | undefined
}

/** Query of `push.webhook-deliveries.list`. */
export type PushWebhookDeliveriesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Answer of `push.webhook-deliveries.replay`. */
export type PushWebhookDeliveriesReplayReply = {
  id: string
  status: "pending" | "delivered" | "failed"
}

/** Body of `push.webhook-deliveries.replaySince`. */
export type PushWebhookDeliveriesReplaySinceBody = {
  since: string
  /** all: those that were delivered, too; by default `"failed"` */
  status?: "failed" | "all" | undefined
}

/** Answer of `push.webhook-deliveries.replaySince`. */
export type PushWebhookDeliveriesReplaySinceReply = {
  replayed: number
  /** Null when none is left */
  next_since: string | null
}

/** Body of `push.browser.register`. */
export type PushBrowserRegisterBody = {
  /** What `PushManager.subscribe` has returned */
  subscription: {
    endpoint: string
    expirationTime?: number | null | undefined
    keys: {
      p256dh: string
      auth: string
    }
  }
  /** Of the installation that is renewed */
  installation_token?: string | undefined
  /** What your server has made for who is signed in: POST /user-tokens */
  user_token?: string | undefined
  locale?: string | undefined
}

/** Body of `push.browser.unsubscribe`. */
export type PushBrowserUnsubscribeBody = {
  installation_token: string
}

/** Answer of `push.browser.unsubscribe`. */
export type PushBrowserUnsubscribeReply = {
  installation_id: string
  deleted: true
}

/** Body of `push.user-tokens.create`. */
export type PushUserTokensCreateBody = {
  app_id: string
  /** Your own id of the person */
  user_id: string
  /** Seconds; by default `600` */
  expires_in?: number | undefined
}

/** Body of `push.public-keys.create`. */
export type PushPublicKeysCreateBody = {
  name: string
  /** Origins of the pages that the key is good on */
  origins: Array<string>
}

/** Query of `push.public-keys.list`. */
export type PushPublicKeysListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `push.public-keys.remove`. */
export type PushPublicKeysRemoveReply = {
  id: string
  revoked: true
}

/** Body of `push.public-keys.update`. */
export type PushPublicKeysUpdateBody = {
  /** Origins of the pages that the key is good on */
  origins: Array<string>
}

/** Body of `push.public-keys.rotate`. */
export type PushPublicKeysRotateBody = {
  /** Hours for which the secret before is good; by default `24` */
  keep_hours?: number | undefined
  /** Whether those hours begin now, or when the new secret is used for the first time; by default `"now"` */
  from?: "now" | "first_use" | undefined
}

/** Body of `trust.check-url.check`. */
export type TrustCheckUrlCheckBody = {
  url: string
  /** Follow its redirects and judge each; takes up to 12 s; by default `false` */
  expand?: boolean | undefined
}

/** Answer of `trust.check-url.check`. */
export type TrustCheckUrlCheckReply = {
  /** The URL in the canonical form of Safe Browsing */
  url: string
  /** `malicious`: listed by a feed that is fresh; `unknown` is not `safe` */
  verdict: "unknown" | "suspicious" | "malicious"
  categories: Array<string>
  /** Why it is suspicious */
  reasons: Array<{
    code: string
    detail: string
  }>
  sources: Array<{
    name: string
    kind: "list" | "urlhaus" | "safe_browsing"
    /** null: it cannot be said, as the feed was never imported, or its keeper did not answer */
    listed: boolean | null
    categories: Array<string>
    /** The part of the URL that is listed: a host with a path */
    matched: string | null
    detail: string | null
    first_seen: string | null
    entries: number
    /** Since it was last known to be current */
    age_seconds: number | null
    stale: boolean
  }>
  /** Where some sources list it and others, fresh as well, do not */
  disagreement: {
    listed_by: Array<string>
    not_listed_by: Array<string>
  } | null
  /** A source is stale or could not say; or there is none */
  degraded: boolean
  /** What your own lists say of its host, and of each on the way with `expand`: `deny` when they deny one, `allow` when they allow all; the verdict is without it */
  policy: "allow" | "deny" | null
  /** With `expand`: each URL on the way, the one that was given first */
  hops: Array<{
    /** The URL in the canonical form of Safe Browsing */
    url: string
    /** `malicious`: listed by a feed that is fresh; `unknown` is not `safe` */
    verdict: "unknown" | "suspicious" | "malicious"
    categories: Array<string>
    /** Why it is suspicious */
    reasons: Array<{
      code: string
      detail: string
    }>
    sources: Array<{
      name: string
      kind: "list" | "urlhaus" | "safe_browsing"
      /** null: it cannot be said, as the feed was never imported, or its keeper did not answer */
      listed: boolean | null
      categories: Array<string>
      /** The part of the URL that is listed: a host with a path */
      matched: string | null
      detail: string | null
      first_seen: string | null
      entries: number
      /** Since it was last known to be current */
      age_seconds: number | null
      stale: boolean
    }>
    /** Where some sources list it and others, fresh as well, do not */
    disagreement: {
      listed_by: Array<string>
      not_listed_by: Array<string>
    } | null
    /** A source is stale or could not say; or there is none */
    degraded: boolean
    /** What your own lists say of its host */
    policy: "allow" | "deny" | null
    /** What it answered; null when it could not be asked */
    status: number | null
    /** How it leads on */
    by: "location" | "meta_refresh" | null
  }> | null
  /** With `expand`: how far the way was followed */
  expansion: {
    /** Whether the way was followed to its end */
    complete: boolean
    /** Why not; `busy` when Millrace had no capacity for it: ask again */
    fault: "bad_url" | "address_refused" | "port_refused" | "unresolved" | "timed_out" | "too_large" | "too_many_redirects" | "bad_encoding" | "connection_failed" | "busy" | "failed" | null
  } | null
}

/** Body of `trust.check-urls.check`. */
export type TrustCheckUrlsCheckBody = {
  urls: Array<string>
}

/** Answer of `trust.check-urls.check`. */
export type TrustCheckUrlsCheckReply = {
  results: Array<{
    /** The URL in the canonical form of Safe Browsing */
    url?: string | undefined
    /** `malicious`: listed by a feed that is fresh; `unknown` is not `safe` */
    verdict?: "unknown" | "suspicious" | "malicious" | undefined
    categories?: Array<string> | undefined
    /** Why it is suspicious */
    reasons?: Array<{
      code: string
      detail: string
    }> | undefined
    sources?: Array<{
      name: string
      kind: "list" | "urlhaus" | "safe_browsing"
      /** null: it cannot be said, as the feed was never imported, or its keeper did not answer */
      listed: boolean | null
      categories: Array<string>
      /** The part of the URL that is listed: a host with a path */
      matched: string | null
      detail: string | null
      first_seen: string | null
      entries: number
      /** Since it was last known to be current */
      age_seconds: number | null
      stale: boolean
    }> | undefined
    /** Where some sources list it and others, fresh as well, do not */
    disagreement?: {
      listed_by: Array<string>
      not_listed_by: Array<string>
    } | null | undefined
    /** A source is stale or could not say; or there is none */
    degraded?: boolean | undefined
    /** What your own lists say of its host */
    policy?: "allow" | "deny" | null | undefined
    /** The URL as it was given */
    asked: string
    /** `invalid`: no URL with http, https or ftp and a host */
    status: "ok" | "invalid"
  }>
  count: number
}

/** Query of `trust.lists.list`. */
export type TrustListsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Of the list of `trust.lists.list`. */
export type TrustListsListItem = {
  id: string
  hostname: string
  policy: "allow" | "deny"
  note: string | null
  created_at: string
}

/** Body of `trust.lists.put`. */
export type TrustListsPutBody = {
  hostname: string
  policy: "allow" | "deny"
  /** by default `null` */
  note?: string | null | undefined
}

/** Answer of `trust.lists.put`. */
export type TrustListsPutReply = {
  id: string
  hostname: string
  policy: "allow" | "deny"
  note: string | null
  created_at: string
}

/** Answer of `trust.lists.remove`. */
export type TrustListsRemoveReply = {
  id: string
  deleted: true
}

/** Query of `trust.watches.list`. */
export type TrustWatchesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  verdict?: "unknown" | "suspicious" | "malicious" | undefined
}

/** Body of `trust.watches.make`. */
export type TrustWatchesMakeBody = {
  url: string
  note?: string | null | undefined
}

/** Body of `trust.watches.makeMany`. */
export type TrustWatchesMakeManyBody = {
  urls: Array<string>
  note?: string | null | undefined
}

/** Answer of `trust.watches.makeMany`. */
export type TrustWatchesMakeManyReply = {
  /** Each URL once, the newest first */
  watches: Array<TrustWatch>
}

/** Answer of `trust.watches.remove`. */
export type TrustWatchesRemoveReply = {
  id: string
  deleted: true
}

/** Answer of `video.health.live`. */
export type VideoHealthLiveReply = {
  status: "ok"
}

/** Answer of `video.uploads.abort`. */
export type VideoUploadsAbortReply = {
  uploadId: string
  assetId: string
  state: "aborted"
}

/** Answer of `video.uploads.complete`. */
export type VideoUploadsCompleteReply = {
  uploadId: string
  assetId: string
  status: "uploading" | "processing" | "ready" | "failed" | "aborted"
}

/** Body of `video.uploads.start`. */
export type VideoUploadsStartBody = {
  /** Exact size of the file */
  bytes: number
  filename?: string | undefined
  mimeType?: string | undefined
  title?: string | undefined
  description?: string | undefined
  /** Echoed on the asset; lists are filtered by it */
  externalRef?: string | undefined
  /** Texts of your own, by their names; lists are filtered by them */
  metadata?: Record<string, string> | undefined
  captions?: Array<{
    /** BCP 47 */
    language: string
    /** WebVTT or SRT; without it a program writes them once the asset is ready (`en`) */
    text?: string | undefined
    name?: string | undefined
    /** by default `false` */
    default?: boolean | undefined
  }> | undefined
  /** The same key returns the same session */
  idempotencyKey?: string | undefined
  /** by default `"standard_vod"` */
  processingProfile?: "standard_vod" | "fast_social" | undefined
  /** A logo to lay over every picture; such an asset is playable when its ladder is ready */
  watermark?: {
    watermarkId: string
    /** by default `"br"` */
    position?: "tl" | "tr" | "bl" | "br" | undefined
    /** by default `0.35` */
    opacity?: number | undefined
  } | undefined
  /** Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer` */
  browser?: {
    /** Origins of the pages that may use the token */
    origins: Array<string>
    /** Seconds until the token ends; by default `3600` */
    expires_in?: number | undefined
  } | undefined
}

/** Body of `video.upload-parts.sign`. */
export type VideoUploadPartsSignBody = {
  /** 1-based */
  partNumbers: Array<number>
}

/** Answer of `video.upload-parts.sign`. */
export type VideoUploadPartsSignReply = {
  uploadId: string
  parts: Array<{
    partNumber: number
    url: string
    /** What the PUT must send; it is signed */
    bytes: number
  }>
  expiresInSeconds: number
  expiresAt: string
}

/** Body of `video.imports.start`. */
export type VideoImportsStartBody = {
  /** `http` or `https`; what signs it may stand in its query, which is not shown again */
  url: string
  /** By default the last part of the URL’s path */
  filename?: string | undefined
  title?: string | undefined
  description?: string | undefined
  /** Echoed on the asset; lists are filtered by it */
  externalRef?: string | undefined
  /** Texts of your own, by their names; lists are filtered by them */
  metadata?: Record<string, string> | undefined
  captions?: Array<{
    /** BCP 47 */
    language: string
    /** WebVTT or SRT; without it a program writes them once the asset is ready (`en`) */
    text?: string | undefined
    name?: string | undefined
    /** by default `false` */
    default?: boolean | undefined
  }> | undefined
  /** by default `"standard_vod"` */
  processingProfile?: "standard_vod" | "fast_social" | undefined
  /** A logo to lay over every picture; such an asset is playable when its ladder is ready */
  watermark?: {
    watermarkId: string
    /** by default `"br"` */
    position?: "tl" | "tr" | "bl" | "br" | undefined
    /** by default `0.35` */
    opacity?: number | undefined
  } | undefined
  /** The same key returns the same asset */
  idempotencyKey?: string | undefined
}

/** Body of `video.watermarks.create`. */
export type VideoWatermarksCreateBody = {
  name?: string | undefined
  /** The image in base64, with or without a `data:` prefix */
  imageBase64: string
}

/** Query of `video.watermarks.list`. */
export type VideoWatermarksListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `video.watermarks.image`. */
export type VideoWatermarksImageReply = {
  url: string
  contentType: string
  expiresInSeconds: number
}

/** Query of `video.assets.list`. */
export type VideoAssetsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "uploading" | "processing" | "ready" | "failed" | "aborted" | undefined
  visibility?: "private" | "signed" | "unlisted" | "public" | undefined
  externalRef?: string | undefined
  /** Those whose metadata has that value: `key:value` */
  metadata?: string | undefined
}

/** Answer of `video.assets.remove`. */
export type VideoAssetsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `video.assets.setVisibility`. */
export type VideoAssetsSetVisibilityBody = {
  visibility?: "private" | "signed" | "unlisted" | "public" | undefined
  title?: string | null | undefined
  description?: string | null | undefined
  externalRef?: string | null | undefined
  /** Entries that are given are set, those that are null are taken away, the others stay; null takes all away */
  metadata?: Record<string, string | null> | null | undefined
}

/** Answer of `video.assets.setVisibility`. */
export type VideoAssetsSetVisibilityReply = {
  id: string
  visibility: "private" | "signed" | "unlisted" | "public"
  /** Whether the poster is served to all, with a token, or not at all */
  poster: "open" | "signed" | "none"
  /** Where it was given, as are the following */
  title?: string | null | undefined
  description?: string | null | undefined
  externalRef?: string | null | undefined
  metadata?: Record<string, string> | undefined
}

/** Body of `video.mp4s.create`. */
export type VideoMp4sCreateBody = {
  /** As the asset names it: `720p`, `audio` */
  rendition: string
}

/** Body of `video.frames.create`. */
export type VideoFramesCreateBody = {
  /** Seconds from the beginning */
  time: number
  /** Lines at most; never more than are served; by default `720` */
  height?: number | undefined
}

/** Answer of `video.frames.create`. */
export type VideoFramesCreateReply = {
  url: string
  time: number
  contentType: "image/jpeg"
  expiresInSeconds: number
}

/** Body of `video.captions.change`. */
export type VideoCaptionsChangeBody = {
  name?: string | null | undefined
  default?: boolean | undefined
}

/** Body of `video.captions.put`. */
export type VideoCaptionsPutBody = {
  /** WebVTT, or SRT */
  text: string
  /** What players call the track; by default the name of its language */
  name?: string | undefined
  /** Shown to viewers who have not chosen; no other track is, then; by default `false` */
  default?: boolean | undefined
}

/** Answer of `video.captions.remove`. */
export type VideoCaptionsRemoveReply = {
  assetId: string
  language: string
  deleted: true
}

/** Body of `video.captions.create`. */
export type VideoCaptionsCreateBody = {
  /** `en` */
  language: string
}

/** Answer of `video.sources.read`. */
export type VideoSourcesReadReply = {
  url: string
  bytes: number
  expiresInSeconds: number
}

/** Query of `video.playback-sessions.list`. */
export type VideoPlaybackSessionsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  viewerId?: string | undefined
  assetId?: string | undefined
  channelId?: string | undefined
}

/** Body of `video.playback-sessions.mint`. */
export type VideoPlaybackSessionsMintBody = {
  /** Default: the host of this API. Else an active domain of your own; any other is refused */
  host?: string | undefined
  /** by default `3600` */
  expiresInSeconds?: number | undefined
  /** Your own name for the person who watches */
  viewerId?: string | undefined
  /** ISO 3166-1 alpha-2; empty means everywhere; by default `[]` */
  allowedCountries?: Array<string> | undefined
  /** by default `[]` */
  blockedCountries?: Array<string> | undefined
  /** Sessions the viewer may have at once, this one included */
  maxConcurrent?: number | undefined
}

/** Answer of `video.playback-sessions.revoke`. */
export type VideoPlaybackSessionsRevokeReply = {
  sessionId: string
  revoked: true
}

/** Body of `video.playback-sessions.revokeViewer`. */
export type VideoPlaybackSessionsRevokeViewerBody = {
  viewerId: string
}

/** Answer of `video.playback-sessions.revokeViewer`. */
export type VideoPlaybackSessionsRevokeViewerReply = {
  viewerId: string
  /** Sessions that were not over */
  revoked: number
}

/** Body of `video.domains.create`. */
export type VideoDomainsCreateBody = {
  /** Such as `video.example.com`; international letters are fine */
  hostname: string
}

/** Query of `video.domains.list`. */
export type VideoDomainsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `video.domains.remove`. */
export type VideoDomainsRemoveReply = {
  id: string
  deleted: true
}

/** Body of `video.embedding.set`. */
export type VideoEmbeddingSetBody = {
  /** Origins, such as `https://www.example.com` or `https://*.example.com` */
  origins: Array<string>
}

/** Body of `video.beacons.collect`. */
export type VideoBeaconsCollectBody = {
  /** The playback token */
  token: string
  /** Chosen at random by the player when it loads a video */
  viewId: string
  /** Grows with each beacon of the view: late and repeated ones change nothing */
  sequence: number
  /** From the wish to play to the first picture; left out until then */
  startupSeconds?: number | undefined
  /** Time spent playing, by the clock on the wall */
  playSeconds: number
  /** Time spent waiting for media after the first picture, but for seeking; by default `0` */
  rebufferSeconds?: number | undefined
  /** by default `0` */
  rebuffers?: number | undefined
  /** Bits per second, over the time played; by default `0` */
  meanBitrate?: number | undefined
  /** by default `0` */
  decodedFrames?: number | undefined
  /** Of the decoded ones, those that were not shown; by default `0` */
  droppedFrames?: number | undefined
  /** Changes of rendition; by default `0` */
  switches?: number | undefined
  /** A fatal one has ended the view; by default `[]` */
  errors?: Array<{
    code: "network" | "timeout" | "server" | "rate_limited" | "not_found" | "expired" | "revoked" | "forbidden" | "country" | "manifest" | "segment" | "decode" | "unsupported" | "other"
    /** by default `false` */
    fatal?: boolean | undefined
    /** by default `1` */
    count?: number | undefined
  }> | undefined
}

/** Query of `video.quality.read`. */
export type VideoQualityReadQuery = {
  /** Default: seven days before `to`; rounded down to the hour */
  from?: string | undefined
  /** Default: now */
  to?: string | undefined
}

/** Body of `video.webhooks.create`. */
export type VideoWebhooksCreateBody = {
  url: string
  /** Of video.asset.playable, video.asset.ready, video.asset.failed, video.asset.updated, video.asset.deleted, video.captions.ready, video.live.started, video.live.ended, video.live.recorded, video.room.started, video.room.participant.joined, video.room.participant.waiting, video.room.participant.left, video.room.ended; the prefix may be left out; `*` is all, those to come included */
  events: Array<"*" | "asset.playable" | "asset.ready" | "asset.failed" | "asset.updated" | "asset.deleted" | "captions.ready" | "live.started" | "live.ended" | "live.recorded" | "room.started" | "room.participant.joined" | "room.participant.waiting" | "room.participant.left" | "room.ended" | "video.asset.playable" | "video.asset.ready" | "video.asset.failed" | "video.asset.updated" | "video.asset.deleted" | "video.captions.ready" | "video.live.started" | "video.live.ended" | "video.live.recorded" | "video.room.started" | "video.room.participant.joined" | "video.room.participant.waiting" | "video.room.participant.left" | "video.room.ended">
}

/** Query of `video.webhooks.list`. */
export type VideoWebhooksListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `video.webhooks.remove`. */
export type VideoWebhooksRemoveReply = {
  id: string
  deleted: true
}

/** Body of `video.webhooks.rotateSecret`. */
export type VideoWebhooksRotateSecretBody = {
  /** Hours for which the secret before is kept; by default `24` */
  keep_hours?: number | undefined
}

/** Query of `video.webhook-deliveries.list`. */
export type VideoWebhookDeliveriesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Answer of `video.webhook-deliveries.replay`. */
export type VideoWebhookDeliveriesReplayReply = {
  id: string
  status: "pending" | "delivered" | "failed"
}

/** Body of `video.webhook-deliveries.replaySince`. */
export type VideoWebhookDeliveriesReplaySinceBody = {
  since: string
  /** all: those that were delivered, too; by default `"failed"` */
  status?: "failed" | "all" | undefined
}

/** Answer of `video.webhook-deliveries.replaySince`. */
export type VideoWebhookDeliveriesReplaySinceReply = {
  replayed: number
  /** Null when none is left */
  next_since: string | null
}

/** Answer of `video.contract.document`. */
export type VideoContractDocumentReply = Record<string, never>

/** Body of `live.channels.create`. */
export type LiveChannelsCreateBody = {
  name: string
  /** Default: from the name */
  slug?: string | undefined
  /** Make an asset of each broadcast; by default `true` */
  record?: boolean | undefined
  /** How far back viewers can go; by default `600` */
  dvrSeconds?: number | undefined
  /** `signed`: playback sessions alone open it; `unlisted`: whoever has `playback.open`; `public`: the streaming directory lists its broadcasts, too; by default `"signed"` */
  visibility?: "signed" | "unlisted" | "public" | undefined
  /** Heights that are made beside what the encoder sends, of those that are lower than it */
  renditions?: Array<720 | 480 | 360> | undefined
  /** Show viewers a still picture with silence while the publisher is away, rather than nothing; by default `false` */
  slate?: boolean | undefined
}

/** Query of `live.channels.list`. */
export type LiveChannelsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `live.channels.remove`. */
export type LiveChannelsRemoveReply = {
  channelId: string
  deleted: true
}

/** Body of `live.channels.update`. */
export type LiveChannelsUpdateBody = {
  name?: string | undefined
  slug?: string | undefined
  record?: boolean | undefined
  dvrSeconds?: number | undefined
  /** `signed`: playback sessions alone open it; `unlisted`: whoever has `playback.open`; `public`: the streaming directory lists its broadcasts, too */
  visibility?: "signed" | "unlisted" | "public" | undefined
  /** Heights that are made beside what the encoder sends, of those that are lower than it */
  renditions?: Array<720 | 480 | 360> | undefined
  /** Show viewers a still picture with silence while the publisher is away, rather than nothing */
  slate?: boolean | undefined
}

/** Body of `live.keys.rotate`. */
export type LiveKeysRotateBody = {
  /** by default `"primary"` */
  which?: "primary" | "backup" | "srt" | undefined
}

/** Body of `live.playback-sessions.mint`. */
export type LivePlaybackSessionsMintBody = {
  /** Default: the host of this API. Else an active domain of your own; any other is refused */
  host?: string | undefined
  /** by default `3600` */
  expiresInSeconds?: number | undefined
  /** Your own name for the person who watches */
  viewerId?: string | undefined
  /** ISO 3166-1 alpha-2; empty means everywhere; by default `[]` */
  allowedCountries?: Array<string> | undefined
  /** by default `[]` */
  blockedCountries?: Array<string> | undefined
  /** Sessions the viewer may have at once, this one included */
  maxConcurrent?: number | undefined
}

/** Body of `live.broadcasts.end`. */
export type LiveBroadcastsEndBody = {
  /** by default `30` */
  holdSeconds?: number | undefined
}

/** Answer of `live.broadcasts.end`. */
export type LiveBroadcastsEndReply = {
  channelId: string
  broadcastId: string
  holdSeconds: number
}

/** Query of `live.broadcasts.list`. */
export type LiveBroadcastsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `live.restreams.create`. */
export type LiveRestreamsCreateBody = {
  name: string
  /** `rtmp://…` or `rtmps://…` with the application and without the stream key */
  url: string
  /** Sealed as soon as it is here, and never shown */
  streamKey: string
  /** by default `true` */
  enabled?: boolean | undefined
}

/** Query of `live.restreams.list`. */
export type LiveRestreamsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `live.restreams.remove`. */
export type LiveRestreamsRemoveReply = {
  restreamId: string
  deleted: true
}

/** Body of `live.restreams.update`. */
export type LiveRestreamsUpdateBody = {
  name?: string | undefined
  /** `rtmp://…` or `rtmps://…` with the application and without the stream key */
  url?: string | undefined
  /** Sealed as soon as it is here, and never shown */
  streamKey?: string | undefined
  enabled?: boolean | undefined
}

/** Body of `rooms.rooms.create`. */
export type RoomsCreateBody = {
  name: string
  /** Default, and at most: what the plan allows */
  maxParticipants?: number | undefined
  /** Make an asset of the room when it ends; by default `false` */
  record?: boolean | undefined
  /** The room ends when nobody has been in it for so long, also when nobody ever came; by default `300` */
  emptyTimeoutSeconds?: number | undefined
  /** Who may write to others; `all` unless said */
  chat?: "all" | "publishers" | "off" | undefined
  /** Whether whoever is no host waits until they are let in */
  waitingRoom?: boolean | undefined
  /** How a broadcast or recording is laid out: all alike (`grid`, unless said), who spoke last large (`speaker`), or a shared screen large (`screen`) */
  layout?: "grid" | "speaker" | "screen" | undefined
}

/** Query of `rooms.rooms.list`. */
export type RoomsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `rooms.rooms.end`. */
export type RoomsEndReply = {
  roomId: string
  state: "ended"
}

/** Body of `rooms.rooms.update`. */
export type RoomsUpdateBody = {
  /** Who may write to others; `all` unless said */
  chat?: "all" | "publishers" | "off" | undefined
  /** Whether whoever is no host waits until they are let in */
  waitingRoom?: boolean | undefined
  /** How a broadcast or recording is laid out: all alike (`grid`, unless said), who spoke last large (`speaker`), or a shared screen large (`screen`) */
  layout?: "grid" | "speaker" | "screen" | undefined
}

/** Body of `rooms.broadcasts.start`. */
export type RoomsBroadcastsStartBody = {
  channelId: string
  /** The primary or the backup key of the channel */
  streamKey: string
}

/** Body of `rooms.restreams.create`. */
export type RoomsRestreamsCreateBody = {
  name: string
  /** `rtmp://…` or `rtmps://…` with the application and without the stream key */
  url: string
  /** Sealed as soon as it is here, and never shown */
  streamKey: string
  /** by default `true` */
  enabled?: boolean | undefined
}

/** Query of `rooms.restreams.list`. */
export type RoomsRestreamsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `rooms.restreams.remove`. */
export type RoomsRestreamsRemoveReply = {
  restreamId: string
  deleted: true
}

/** Body of `rooms.restreams.update`. */
export type RoomsRestreamsUpdateBody = {
  name?: string | undefined
  /** `rtmp://…` or `rtmps://…` with the application and without the stream key */
  url?: string | undefined
  /** Sealed as soon as it is here, and never shown */
  streamKey?: string | undefined
  enabled?: boolean | undefined
}

/** Answer of `rooms.recordings.list`. */
export type RoomsRecordingsListReply = {
  data: Array<RoomsRecording>
}

/** Body of `rooms.tokens.issue`. */
export type RoomsTokensIssueBody = {
  /** Who this is to you, such as the id of your user */
  identity: string
  /** What others are shown; default: the identity */
  displayName?: string | undefined
  /** by default `"participant"` */
  role?: "host" | "participant" | "viewer" | undefined
  /** It lets in until then; who is in stays; by default `3600` */
  ttlSeconds?: number | undefined
}

/** Answer of `rooms.participants.kick`. */
export type RoomsParticipantsKickReply = {
  roomId: string
  participantId: string
}

/** Body of `rooms.participants.setRole`. */
export type RoomsParticipantsSetRoleBody = {
  role: "host" | "participant" | "viewer"
}

/** Answer of `rooms.participants.list`. */
export type RoomsParticipantsListReply = {
  data: Array<RoomsParticipant>
  /** Of when this is; null while no worker has the room, and nobody is in it */
  reconciledAt: string | null
}

/** Body of `rooms.participants.mute`. */
export type RoomsParticipantsMuteBody = {
  /** by default `["audio"]` */
  kinds?: Array<"audio" | "video"> | undefined
}

/** Answer of `rooms.participants.mute`. */
export type RoomsParticipantsMuteReply = {
  roomId: string
  participantId: string
  kinds: Array<"audio" | "video">
}

/** Answer of `rooms.waiting.admit`. */
export type RoomsWaitingAdmitReply = {
  roomId: string
  waitingId: string
}

/** Answer of `rooms.waiting.list`. */
export type RoomsWaitingListReply = {
  data: Array<RoomsWaiting>
}

/** Answer of `rooms.waiting.refuse`. */
export type RoomsWaitingRefuseReply = {
  roomId: string
  waitingId: string
}

/** Query of `voice.dids.list`. */
export type VoiceDidsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `voice.click-to-call.create`. */
export type VoiceClickToCallCreateBody = {
  /** E.164; rings first */
  from: string
  /** E.164 */
  to: string
  /** One of your numbers, which both see; your oldest unless given */
  caller_id?: string | undefined
  /** For each of the two; by default `30` */
  ring_timeout_seconds?: number | undefined
  /** by default `3600` */
  max_duration_seconds?: number | undefined
  /** by default `{}` */
  metadata?: Record<string, string> | undefined
}

/** Query of `voice.calls.list`. */
export type VoiceCallsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "queued" | "initiated" | "ringing" | "in_progress" | "completed" | "busy" | "no_answer" | "failed" | "canceled" | undefined
}

/** Query of `whatsapp.messages.list`. */
export type WhatsappMessagesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  direction?: "outbound" | "inbound" | undefined
  status?: "received" | "queued" | "unknown" | "accepted" | "sent" | "failed" | "delivered" | "read" | undefined
  /** Of the other side, in E.164; + is %2B in a URL */
  phone?: string | undefined
}

/** Answer of `whatsapp.messages.read`. */
export type WhatsappMessagesReadReply = {
  id: string
  /** wamid.…, once WhatsApp has taken it */
  provider_message_id: string | null
  direction: "outbound" | "inbound"
  /** The recipient in E.164; null for one that came in */
  to: string | null
  /** The person that it came from; null for one that went out */
  from: string | null
  /** The person’s account */
  wa_id: string
  type: string
  /** What the Cloud API’s message has under the name of its type */
  content: Record<string, unknown>
  /** `accepted` by WhatsApp, `sent` by it, `delivered` and `read`, or `failed`; `unknown` while no answer tells whether WhatsApp has it */
  status: "received" | "queued" | "unknown" | "accepted" | "sent" | "failed" | "delivered" | "read"
  error: WhatsappFailure | null
  /** The fallback template went out in place of the message */
  fallback: boolean
  /** The message that failed later, and in whose place this one went out */
  fallback_of: string | null
  context: {
    message_id: string
  } | null
  client_reference: string | null
  /** When its turn is: messages to one recipient are paced */
  send_at: string
  created_at: string
  /** Of a test key: recorded as delivered, and sent to nobody */
  sandbox?: true | undefined
  window: WhatsappWindow
  statuses: Array<{
    status: string
    /** When it happened, as WhatsApp says */
    at: string
    error: WhatsappFailure | null
  }>
  /** Of a file that somebody sent */
  media?: WhatsappMedia | undefined
}

/** Body of `whatsapp.messages.send`. */
export type WhatsappMessagesSendBody = {
  /** The recipient in E.164 */
  to: string
  /** Needed only where it is not plain from the content */
  type?: "text" | "image" | "video" | "document" | "audio" | "sticker" | "location" | "interactive" | "reaction" | undefined
  text?: {
    body: string
    preview_url?: boolean | undefined
  } | string | undefined
  image?: {
    link?: string | undefined
    id?: string | undefined
    /** A clean object of the area files; the key needs `files:read`, too */
    object_id?: string | undefined
    caption?: string | undefined
  } | undefined
  video?: {
    link?: string | undefined
    id?: string | undefined
    /** A clean object of the area files; the key needs `files:read`, too */
    object_id?: string | undefined
    caption?: string | undefined
  } | undefined
  document?: {
    link?: string | undefined
    id?: string | undefined
    /** A clean object of the area files; the key needs `files:read`, too */
    object_id?: string | undefined
    caption?: string | undefined
    filename?: string | undefined
  } | undefined
  audio?: {
    link?: string | undefined
    id?: string | undefined
    /** A clean object of the area files; the key needs `files:read`, too */
    object_id?: string | undefined
  } | undefined
  sticker?: {
    link?: string | undefined
    id?: string | undefined
    /** A clean object of the area files; the key needs `files:read`, too */
    object_id?: string | undefined
  } | undefined
  location?: {
    latitude: number
    longitude: number
    name?: string | undefined
    address?: string | undefined
  } | undefined
  interactive?: {
    type: "button"
    header?: {
      type: "text"
      text: string
    } | {
      type: "image"
      image: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "video"
      video: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "document"
      document: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
        filename?: string | undefined
      }
    } | undefined
    body: {
      text: string
    }
    footer?: {
      text: string
    } | undefined
    action: {
      buttons: Array<{
        type: "reply"
        reply: {
          id: string
          title: string
        }
      }>
    }
  } | {
    type: "list"
    header?: {
      type: "text"
      text: string
    } | undefined
    body: {
      text: string
    }
    footer?: {
      text: string
    } | undefined
    action: {
      button: string
      sections: Array<{
        title?: string | undefined
        rows: Array<{
          id: string
          title: string
          description?: string | undefined
        }>
      }>
    }
  } | {
    type: "cta_url"
    header?: {
      type: "text"
      text: string
    } | {
      type: "image"
      image: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "video"
      video: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
      }
    } | {
      type: "document"
      document: {
        link?: string | undefined
        id?: string | undefined
        /** A clean object of the area files; the key needs `files:read`, too */
        object_id?: string | undefined
        caption?: string | undefined
        filename?: string | undefined
      }
    } | undefined
    body: {
      text: string
    }
    footer?: {
      text: string
    } | undefined
    action: {
      name: "cta_url"
      parameters: {
        display_text: string
        url: string
      }
    }
  } | undefined
  reaction?: {
    message_id: string
    /** Empty takes a reaction back */
    emoji: string
  } | undefined
  /** The message that is answered */
  context?: {
    message_id: string
  } | undefined
  /** Sent in its place when the 24-hour window is closed, or WhatsApp refuses the message */
  fallback_template?: WhatsappTemplateForm | undefined
  client_reference?: string | undefined
}

/** Body of `whatsapp.messages.sendTemplate`. */
export type WhatsappMessagesSendTemplateBody = {
  /** The recipient in E.164 */
  to: string
  template: WhatsappTemplateForm
  client_reference?: string | undefined
}

/** Body of `whatsapp.numbers.connect`. */
export type WhatsappNumbersConnectBody = {
  phone_number_id: string
  business_account_id: string
  /** Of a system user of the business account */
  access_token: string
  /** Of the Meta app (Settings → Basic): by it webhooks are signed */
  app_secret: string
  /** What Meta proves itself with when the webhook is set up; made up here unless given */
  verify_token?: string | undefined
}

/** Answer of `whatsapp.numbers.connect`. */
export type WhatsappNumbersConnectReply = {
  id: string
  phone_number_id: string
  business_account_id: string
  /** As people see it */
  display_phone: string | null
  verified_name: string | null
  /** Where Meta sends what people write and what becomes of messages */
  webhook_url: string
  /** Meta has taken `webhook_url`; else give it to the Meta app by hand, with the verify token */
  webhook_subscribed: boolean
  created_at: string
  /** When a secret was last changed */
  rotated_at: string | null
  /** Shown this once */
  verify_token: string
}

/** Query of `whatsapp.numbers.list`. */
export type WhatsappNumbersListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Answer of `whatsapp.numbers.remove`. */
export type WhatsappNumbersRemoveReply = {
  id: string
  deleted: true
}

/** Body of `whatsapp.numbers.rotate`. */
export type WhatsappNumbersRotateBody = {
  /** Of a system user of the business account */
  access_token?: string | undefined
  /** Of the Meta app (Settings → Basic): by it webhooks are signed */
  app_secret?: string | undefined
  /** What Meta proves itself with when the webhook is set up; made up here unless given */
  verify_token?: string | undefined
}

/** Body of `whatsapp.templates.create`. */
export type WhatsappTemplatesCreateBody = {
  name: string
  language: string
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION"
  /** by default `"POSITIONAL"` */
  parameter_format?: "POSITIONAL" | "NAMED" | undefined
  components: Array<{
    type: "HEADER"
    format: "TEXT"
    text: string
    example?: {
      header_text?: Array<string> | undefined
      header_text_named_params?: Array<{
        param_name: string
        example: string
      }> | undefined
    } | undefined
  } | {
    type: "HEADER"
    format: "IMAGE" | "VIDEO" | "DOCUMENT"
    example: {
      /** Of Meta’s resumable upload */
      header_handle: Array<string>
    }
  } | {
    type: "HEADER"
    format: "LOCATION"
  } | {
    type: "BODY"
    text?: string | undefined
    example?: {
      body_text?: Array<Array<string>> | undefined
      body_text_named_params?: Array<{
        param_name: string
        example: string
      }> | undefined
    } | undefined
    /** Of AUTHENTICATION alone, whose text Meta writes */
    add_security_recommendation?: boolean | undefined
  } | {
    type: "FOOTER"
    text?: string | undefined
    /** Of AUTHENTICATION alone */
    code_expiration_minutes?: number | undefined
  } | {
    type: "BUTTONS"
    buttons: Array<{
      type: "QUICK_REPLY"
      text: string
    } | {
      type: "URL"
      text: string
      url: string
      example?: Array<string> | undefined
    } | {
      type: "PHONE_NUMBER"
      text: string
      phone_number: string
    } | {
      type: "COPY_CODE"
      example: string
    } | {
      type: "OTP"
      otp_type: "COPY_CODE"
      text?: string | undefined
    }>
  }>
}

/** Query of `whatsapp.templates.list`. */
export type WhatsappTemplatesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** `ALL` for those of every status */
  status?: string | undefined
  category?: string | undefined
  language?: string | undefined
  name?: string | undefined
}

/** Answer of `whatsapp.templates.remove`. */
export type WhatsappTemplatesRemoveReply = {
  id: string
  deleted: true
}

/** Query of `wiki.readers.list`. */
export type WikiReadersListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  q?: string | undefined
  tag?: string | undefined
  /** BCP 47, in lower case */
  language?: string | undefined
  /** `all`: what every organisation of the installation has published, as `/wiki` shows it; by default `"own"` */
  organisation?: "own" | "all" | undefined
}

/** Body of `wiki.articles.create`. */
export type WikiArticlesCreateBody = {
  title: string
  /** by default `""` */
  summary?: string | undefined
  /** Markdown; `[^`*id of a claim*`]` cites a claim. HTML in it is shown as text */
  body: string
  tags?: Array<string> | undefined
  /** Its place on the public pages, unique in the installation; those it had before lead to it */
  slug?: string | undefined
  /** BCP 47, in lower case; by default `"en"` */
  language?: string | undefined
  /** What this version changes */
  comment?: string | undefined
  /** Who wrote it, as you call them */
  author?: string | undefined
}

/** Query of `wiki.readers.read`. */
export type WikiReadersReadQuery = {
  /** by default `"markdown"` */
  format?: "markdown" | "html" | undefined
}

/** Answer of `wiki.articles.remove`. */
export type WikiArticlesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `wiki.articles.update`. */
export type WikiArticlesUpdateBody = {
  title?: string | undefined
  summary?: string | undefined
  /** Markdown; `[^`*id of a claim*`]` cites a claim. HTML in it is shown as text */
  body?: string | undefined
  tags?: Array<string> | undefined
  /** Its place on the public pages, unique in the installation; those it had before lead to it */
  slug?: string | undefined
  /** BCP 47, in lower case */
  language?: string | undefined
  /** What this version changes */
  comment?: string | undefined
  /** Who wrote it, as you call them */
  author?: string | undefined
  /** The newest version as it was read */
  base_version?: number | undefined
  /** Publishes the newest version, or withdraws the article */
  status?: "published" | "withdrawn" | undefined
  /** Why it is withdrawn; readers are told */
  reason?: string | undefined
}

/** Query of `wiki.search.find`. */
export type WikiSearchFindQuery = {
  q: string
  /** Both unless said */
  type?: "entity" | "claim" | undefined
  /** Of each kind; there may be fewer where they are large; by default `20` */
  limit?: number | undefined
}

/** Answer of `wiki.search.find`. */
export type WikiSearchFindReply = {
  entities: Array<WikiEntitySummary>
  claims: Array<WikiClaim>
}

/** Body of `wiki.tree.put`. */
export type WikiTreePutBody = {
  /** The article above; null puts it at the top */
  parent_id: string | null
  /** Among those below the same article, the least first; by default `0` */
  position?: number | undefined
}

/** Answer of `wiki.tree.read`. */
export type WikiTreeReadReply = {
  /** In the tree's order; 5000 at most */
  articles: Array<WikiTreeArticle>
}

/** Answer of `wiki.tree.readAll`. */
export type WikiTreeReadAllReply = {
  /** In the tree's order; 5000 at most */
  articles: Array<WikiTreeArticle>
}

/** Query of `wiki.admin-articles.list`. */
export type WikiAdminArticlesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  status?: "draft" | "published" | "withdrawn" | undefined
}

/** Query of `wiki.article-versions.list`. */
export type WikiArticleVersionsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Query of `wiki.article-versions.read`. */
export type WikiArticleVersionsReadQuery = {
  diff?: number | undefined
}

/** Body of `wiki.article-versions.restore`. */
export type WikiArticleVersionsRestoreBody = {
  /** What this version changes */
  comment?: string | undefined
  /** Who wrote it, as you call them */
  author?: string | undefined
  base_version?: number | undefined
}

/** Body of `wiki.reviews.create`. */
export type WikiReviewsCreateBody = {
  decision: "approved" | "rejected"
  comment?: string | undefined
  /** Who reviews it, as you call them */
  reviewer?: string | undefined
}

/** Query of `wiki.reviews.list`. */
export type WikiReviewsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `wiki.reviews.setSettings`. */
export type WikiReviewsSetSettingsBody = {
  /** `required`: a version is published by another key than wrote it, or once another has approved it */
  review: "none" | "required"
}

/** Body of `wiki.transfer.create`. */
export type WikiTransferCreateBody = {
  document: string
  /** What this version changes */
  comment?: string | undefined
  /** Who wrote it, as you call them */
  author?: string | undefined
}

/** Answer of `wiki.transfer.read`. */
export type WikiTransferReadReply = {
  filename: string
  document: string
}

/** Body of `wiki.sources.create`. */
export type WikiSourcesCreateBody = {
  /** `https://…`, `http://…` or `doi:10.…` */
  uri: string
  /** `web` unless said */
  type?: "web" | "document" | "dataset" | undefined
  title?: string | undefined
  publisher?: string | undefined
  authors?: Array<string> | undefined
  /** When its publisher says that it was published */
  published_at?: string | undefined
}

/** Query of `wiki.sources.list`. */
export type WikiSourcesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** `https://…`, `http://…` or `doi:10.…` */
  uri?: string | undefined
}

/** Answer of `wiki.sources.remove`. */
export type WikiSourcesRemoveReply = {
  id: string
  deleted: true
}

/** Body of `wiki.snapshots.create`. */
export type WikiSnapshotsCreateBody = Record<string, never>

/** Query of `wiki.snapshots.list`. */
export type WikiSnapshotsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
}

/** Body of `wiki.snapshots.downloadUrl`. */
export type WikiSnapshotsDownloadUrlBody = Record<string, never>

/** Answer of `wiki.snapshots.downloadUrl`. */
export type WikiSnapshotsDownloadUrlReply = {
  snapshot_id: string
  download_url: string
  size: number
  sha256: string
  expires_in_seconds: number
  expires_at: string
}

/** Answer of `wiki.snapshots.remove`. */
export type WikiSnapshotsRemoveReply = {
  id: string
  deleted: true
}

/** Answer of `wiki.snapshots.text`. */
export type WikiSnapshotsTextReply = {
  snapshot_id: string
  text: string
}

/** Body of `wiki.entities.create`. */
export type WikiEntitiesCreateBody = {
  /** What kind of thing it is, such as `company` */
  type: string
  /** Its name, by language */
  labels: Record<string, string>
  descriptions?: Record<string, string> | undefined
  aliases?: Record<string, Array<string>> | undefined
  /** What others know it by: `wikidata`, `lei`, … */
  external_ids?: Record<string, string> | undefined
}

/** Query of `wiki.entities.list`. */
export type WikiEntitiesListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  /** What kind of thing it is, such as `company` */
  type?: string | undefined
}

/** Body of `wiki.entities.update`. */
export type WikiEntitiesUpdateBody = {
  /** What kind of thing it is, such as `company` */
  type?: string | undefined
  /** Its name, by language */
  labels?: Record<string, string> | undefined
  descriptions?: Record<string, string> | undefined
  aliases?: Record<string, Array<string>> | undefined
  /** What others know it by: `wikidata`, `lei`, … */
  external_ids?: Record<string, string> | undefined
}

/** Body of `wiki.claims.addReference`. */
export type WikiClaimsAddReferenceBody = {
  source_id: string
  /** The newest good one of the source unless said, or else the one that is pending */
  snapshot_id?: string | undefined
  /** Words of one paragraph, cell or list item that the snapshot shows, with the value of the claim among them; kinds of quotes, white space and NFKC forms may differ, words and case not */
  quote: string
  /** For people: a page, a section */
  locator?: string | undefined
}

/** Body of `wiki.claims.create`. */
export type WikiClaimsCreateBody = {
  entity_id: string
  property: string
  value: {
    type: "string"
    content: string
  } | {
    type: "monolingual_text"
    content: string
    language: string
  } | {
    type: "quantity"
    content: string
    unit?: string | undefined
  } | {
    type: "time"
    content: string
    precision?: "century" | "decade" | "year" | "month" | "day" | "minute" | "second" | undefined
  } | {
    type: "url"
    content: string
  } | {
    type: "entity"
    content: string
  }
  /** by default `[]` */
  qualifiers?: Array<{
    property: string
    value: {
      type: "string"
      content: string
    } | {
      type: "monolingual_text"
      content: string
      language: string
    } | {
      type: "quantity"
      content: string
      unit?: string | undefined
    } | {
      type: "time"
      content: string
      precision?: "century" | "decade" | "year" | "month" | "day" | "minute" | "second" | undefined
    } | {
      type: "url"
      content: string
    } | {
      type: "entity"
      content: string
    }
  }> | undefined
  /** by default `"normal"` */
  rank?: "preferred" | "normal" | "deprecated" | undefined
  /** Why it is deprecated, and only then */
  deprecation_reason?: string | undefined
  /** by default `[]` */
  references?: Array<{
    source_id: string
    /** The newest good one of the source unless said, or else the one that is pending */
    snapshot_id?: string | undefined
    /** Words of one paragraph, cell or list item that the snapshot shows, with the value of the claim among them; kinds of quotes, white space and NFKC forms may differ, words and case not */
    quote: string
    /** For people: a page, a section */
    locator?: string | undefined
  }> | undefined
  /** The articles that make it; by default `[]` */
  article_ids?: Array<string> | undefined
}

/** Query of `wiki.claims.list`. */
export type WikiClaimsListQuery = {
  /** Items on a page; a page of large items may have fewer; by default `20` */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same filter */
  cursor?: string | undefined
  entity_id?: string | undefined
  article_id?: string | undefined
  property?: string | undefined
  /** `best`: of each property the preferred claims, or else the normal ones */
  rank?: "preferred" | "normal" | "deprecated" | "best" | undefined
}

/** Body of `wiki.claims.update`. */
export type WikiClaimsUpdateBody = {
  rank?: "preferred" | "normal" | "deprecated" | undefined
  /** Why it is deprecated, and only then */
  deprecation_reason?: string | undefined
  article_ids?: Array<string> | undefined
}
