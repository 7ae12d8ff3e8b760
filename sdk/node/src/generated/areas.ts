// Made by `npm run sdk` from the document of the API.

import type { CallOptions, KeyedCallOptions, Transport } from '../transport.ts'
import type { EventStream } from '../event-stream.ts'
import type { Listing } from '../listing.ts'
import { pathOf } from '../path.ts'
import type * as types from './types.ts'

export class AccountCatalogueMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The OpenAPI document of the whole API.
   *
   * Returns the OpenAPI 3.1 document of every area. It needs no API key.
   */
  document(options?: CallOptions): Promise<types.AccountCatalogueDocumentReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/openapi.json', open: true }, options)
  }

  /**
   * List every operation of every area.
   *
   * Returns the areas and, for each operation, its method, path, summary and scope. It needs no API key.
   */
  list(options?: CallOptions): Promise<types.AccountCatalogue> {
    return this.#transport.json({ verb: 'GET', path: '/v1', open: true }, options)
  }
}

export class AccountOrganisationMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read the organisation, its plan and limits.
   *
   * Returns the organisation of this API key, with its plan, its limits and the mode of the key.
   */
  read(options?: CallOptions): Promise<types.AccountOrganisation> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account' }, options)
  }

  /**
   * Rename the organisation.
   *
   * Changes the name that members see in the dashboard and in emails.
   */
  update(body: types.AccountOrganisationUpdateBody, options?: CallOptions): Promise<types.AccountOrganisation> {
    return this.#transport.json({ verb: 'PATCH', path: '/v1/account', body }, options)
  }
}

export class AccountKeysMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make an API key.
   *
   * Answers `secret`, this once: so no idempotency key is taken, and a name that is repeated within a minute is a 409. The key can do no more than the one that asks: locks, networks, rate and expiry that are left out are taken over from it.
   */
  create(body: types.AccountKeysCreateBody, options?: CallOptions): Promise<types.AccountKeyWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/v1/account/keys', body }, options)
  }

  /**
   * List API keys, newest first.
   *
   * Returns each key without its secret. Set `revoked` to list revoked keys.
   */
  list(query?: types.AccountKeysListQuery, options?: CallOptions): Listing<types.AccountKey> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/keys', query }, options)
  }

  /**
   * Read an API key.
   *
   * Returns the key without its secret, including its scopes, locks, networks and expiry.
   */
  read(id: string, options?: CallOptions): Promise<types.AccountKey> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/account/keys/${id}` }, options)
  }

  /**
   * Revoke an API key.
   *
   * For good; every process refuses it within seconds.
   */
  remove(id: string, options?: CallOptions): Promise<types.AccountKeysRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/account/keys/${id}` }, options)
  }

  /**
   * Change an API key.
   *
   * Scopes and locks stay as they were made. What does not fit the asking key, as a later end than its own, is a 403.
   */
  update(id: string, body?: types.AccountKeysUpdateBody, options?: CallOptions): Promise<types.AccountKey> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/account/keys/${id}`, body }, options)
  }

  /**
   * Give an API key another secret.
   *
   * Answers `secret`, this once. Until the one before ends, both are good; meanwhile the only rotation is one that ends both at once: `keep_hours` 0 from `now`.
   */
  rotate(id: string, body?: types.AccountKeysRotateBody, options?: CallOptions): Promise<types.AccountKeyWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/keys/${id}/rotate`, body }, options)
  }
}

export class AccountKeyChecksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Ask what would refuse a key an operation.
   *
   * Nothing is called: the key’s state, scopes, locks and networks are compared with the operation and the given facts.
   */
  create(id: string, body: types.AccountKeyChecksCreateBody, options?: CallOptions): Promise<types.AccountKeyVerdict> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/keys/${id}/check`, body, repeatable: true }, options)
  }

  /**
   * List which lock of keys binds which operation.
   *
   * Returns each key lock with the scopes that it limits and the operations that refuse a locked key.
   */
  locks(options?: CallOptions): Promise<types.AccountKeyChecksLocksReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account/locks' }, options)
  }
}

export class AccountMembersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List members.
   *
   * Returns the people who can sign in to the organisation, with their role and their number of passkeys.
   */
  list(query?: types.AccountMembersListQuery, options?: CallOptions): Listing<types.AccountMember> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/members', query }, options)
  }

  /**
   * Remove a member.
   *
   * Their sessions end at once. Keys that they made go on: a key is judged by its own scopes.
   */
  remove(userId: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ verb: 'DELETE', path: pathOf`/v1/account/members/${userId}` }, options)
  }

  /**
   * Give a member another role.
   *
   * Their sessions end: they sign in anew. Owners are made and changed by an owner in the dashboard, by no key.
   */
  update(userId: string, body: types.AccountMembersUpdateBody, options?: CallOptions): Promise<types.AccountMember> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/account/members/${userId}`, body }, options)
  }
}

export class AccountInvitationsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send an invitation again.
   *
   * It is good for seven days from now; the link that was sent before is good no more.
   */
  again(id: string, options?: CallOptions): Promise<types.AccountInvitation> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/invitations/${id}/resend` }, options)
  }

  /**
   * Invite somebody by mail.
   *
   * The link is good for seven days, and is in the mail alone. A key invites to every role but `owner`.
   */
  create(body: types.AccountInvitationsCreateBody, options?: CallOptions): Promise<types.AccountInvitation> {
    return this.#transport.json({ verb: 'POST', path: '/v1/account/invitations', body }, options)
  }

  /**
   * List invitations that wait for an answer.
   *
   * Returns pending invitations. Accepted, withdrawn and expired invitations are not included.
   */
  list(query?: types.AccountInvitationsListQuery, options?: CallOptions): Listing<types.AccountInvitation> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/invitations', query }, options)
  }

  /**
   * Withdraw an invitation.
   *
   * The link in the invitation email stops working immediately.
   */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ verb: 'DELETE', path: pathOf`/v1/account/invitations/${id}` }, options)
  }
}

export class AccountAuditMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Export the audit log.
   *
   * NDJSON in the order of the chain: each line is a row as it was hashed, and its hash.
   */
  exported(options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ verb: 'GET', path: '/v1/account/audit/export' }, options)
  }

  /**
   * List who did what to the organisation, newest first.
   *
   * Each entry contains the actor, the action and the values before and after. Entries form a hash chain that you can verify.
   */
  list(query?: types.AccountAuditListQuery, options?: CallOptions): Listing<types.AccountAuditEntry> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/audit', query }, options)
  }
}

export class AccountRequestsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read a request and what followed from it.
   *
   * Returns a logged API request together with the jobs, messages and webhook deliveries that it caused.
   */
  get(requestId: string, options?: CallOptions): Promise<types.AccountRequestDetail> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/account/requests/${requestId}` }, options)
  }

  /**
   * List requests of the organisation’s keys, newest first.
   *
   * Errors and others, some a second of each, no 429: a sample, which is no count.
   */
  list(query?: types.AccountRequestsListQuery, options?: CallOptions): Listing<types.AccountRequest> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/requests', query }, options)
  }

  /**
   * Log the heads of a key’s bodies for a while.
   *
   * Masked, 2 KiB of each at most; the audit log says who opened it, and who was shown them.
   */
  open(body: types.AccountRequestsOpenBody, options?: CallOptions): Promise<types.AccountRequestWindow> {
    return this.#transport.json({ verb: 'POST', path: '/v1/account/requests/windows', body }, options)
  }
}

export class AccountUsageMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read a metric by day.
   *
   * Returns one value per day in UTC for the metric, from `from` to `to`.
   */
  daily(query: types.AccountUsageDailyQuery, options?: CallOptions): Promise<types.AccountDailyUsage> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account/usage/daily', query }, options)
  }

  /**
   * Read what is used of every metric in its period.
   *
   * What is billed is counted in the moment of its effect; the rest, and the parts of everything, are summed once an hour.
   */
  read(options?: CallOptions): Promise<types.AccountUsageReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account/usage' }, options)
  }
}

export class AccountBudgetsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List your own limits.
   *
   * Returns the soft and hard limits that the organisation has set for itself, by metric.
   */
  list(options?: CallOptions): Promise<types.AccountBudgetsListReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account/budgets' }, options)
  }

  /**
   * Set your own limit of a metric.
   *
   * A hard limit refuses with 429 what would pass it, exactly, however many ask at once: new requests from now on; what was accepted before goes on. Work whose amount is known at its end, as calls and language work, reserves the most it can come to. A soft limit only tells. Codes and links to sign in are mailed in any case.
   */
  put(metric: string, body?: types.AccountBudgetsPutBody, options?: CallOptions): Promise<types.AccountBudget> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/account/budgets/${metric}`, body }, options)
  }

  /**
   * Remove your own limit of a metric.
   *
   * Only the plan limits the metric afterwards.
   */
  remove(metric: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ verb: 'DELETE', path: pathOf`/v1/account/budgets/${metric}` }, options)
  }
}

export class AccountEventsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List events, newest first.
   *
   * Those that a webhook is told of; and all while `keep_events` is on.
   */
  list(query?: types.AccountEventsListQuery, options?: CallOptions): Listing<types.AccountEvent> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/events', query }, options)
  }

  /**
   * Read whether events are kept.
   *
   * Returns whether Millrace stores events so that you can list and replay them.
   */
  readSettings(options?: CallOptions): Promise<types.AccountEventSettings> {
    return this.#transport.json({ verb: 'GET', path: '/v1/account/events/settings' }, options)
  }

  /**
   * Have events kept, or not.
   *
   * Those kept can be listed, and told to webhooks that come later; each is kept for its time.
   */
  updateSettings(body: types.AccountEventsUpdateSettingsBody, options?: CallOptions): Promise<types.AccountEventSettings> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/account/events/settings', body }, options)
  }
}

export class AccountWebhooksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a webhook for all areas.
   *
   * Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.
   */
  create(body: types.AccountWebhooksCreateBody, options?: CallOptions): Promise<types.AccountWebhookWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/v1/account/webhooks', body }, options)
  }

  /**
   * List the webhooks of all areas.
   *
   * Returns the endpoints that receive events of any area, without their signing secrets.
   */
  list(query?: types.AccountWebhooksListQuery, options?: CallOptions): Listing<types.AccountWebhook> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/webhooks', query }, options)
  }

  /**
   * Pause a webhook.
   *
   * What happens waits for it, for as long as events are kept.
   */
  pause(id: string, options?: CallOptions): Promise<types.AccountWebhook> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/pause`, repeatable: true }, options)
  }

  /**
   * Read a webhook.
   *
   * Returns the endpoint without its signing secret, including why it was disabled.
   */
  read(id: string, options?: CallOptions): Promise<types.AccountWebhook> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/account/webhooks/${id}` }, options)
  }

  /**
   * Remove a webhook.
   *
   * With it goes what is still to be delivered to it, and its log.
   */
  remove(id: string, options?: CallOptions): Promise<types.AccountWebhooksRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/account/webhooks/${id}` }, options)
  }

  /**
   * Change a webhook.
   *
   * What is not given stays; `types` replaces all. What waits to be delivered goes to the new URL.
   */
  update(id: string, body?: types.AccountWebhooksUpdateBody, options?: CallOptions): Promise<types.AccountWebhook> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/account/webhooks/${id}`, body }, options)
  }

  /**
   * Resume a paused or disabled webhook.
   *
   * What waited for it is delivered.
   */
  resume(id: string, options?: CallOptions): Promise<types.AccountWebhook> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/resume`, repeatable: true }, options)
  }

  /**
   * Replace the secret of a webhook.
   *
   * Deliveries carry two signatures for as long as the secret before is kept.
   */
  rotateSecret(id: string, body?: types.AccountWebhooksRotateSecretBody, options?: CallOptions): Promise<types.AccountWebhookWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/rotate-secret`, body }, options)
  }

  /**
   * Send a test event, or a sample of a type.
   *
   * A signed event, once; answers what the endpoint made of it. Disabled and paused ones get it, too, whatever they ask for.
   */
  test(id: string, body?: types.AccountWebhooksTestBody, options?: CallOptions): Promise<types.WebhooksTestResult> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/test`, body }, options)
  }
}

export class AccountWebhookDeliveriesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries to a webhook, newest first.
   *
   * Each delivery contains the status, the number of attempts and the last response of the endpoint.
   */
  list(id: string, query?: types.AccountWebhookDeliveriesListQuery, options?: CallOptions): Listing<types.WebhooksDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/account/webhooks/${id}/deliveries`, query }, options)
  }

  /**
   * Deliver an event again.
   *
   * With the same `webhook-id`, and as many attempts as a new one.
   */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<types.AccountWebhookDeliveriesReplayReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/deliveries/${deliveryId}/replay` }, options)
  }

  /**
   * Deliver events since an instant again, or for the first time.
   *
   * The oldest first, as many as one request can: the next one is `since` `next_since`.
   */
  replaySince(id: string, body: types.AccountWebhookDeliveriesReplaySinceBody, options?: CallOptions): Promise<types.AccountWebhookDeliveriesReplaySinceReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/account/webhooks/${id}/replay`, body }, options)
  }
}

export class AccountTestMessagesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Empty the test inbox.
   *
   * The email area keeps its own rows of test mails, each for 7 days.
   */
  clear(options?: CallOptions): Promise<types.AccountTestMessagesClearReply> {
    return this.#transport.json({ verb: 'DELETE', path: '/v1/account/test-messages' }, options)
  }

  /**
   * List what test keys would have sent, newest first.
   *
   * Mail, push, WhatsApp, calls and notifications: the last 1000, for 7 days.
   */
  list(query?: types.AccountTestMessagesListQuery, options?: CallOptions): Listing<types.AccountTestMessage> {
    return this.#transport.list({ verb: 'GET', path: '/v1/account/test-messages', query }, options)
  }

  /**
   * Read what a test key would have sent.
   *
   * Returns a message that a test key created. Millrace stores it and does not send it.
   */
  read(messageId: string, options?: CallOptions): Promise<types.AccountTestMessageDetail> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/account/test-messages/${messageId}` }, options)
  }
}

export class AccountMethods {
  readonly catalogue: AccountCatalogueMethods
  readonly organisation: AccountOrganisationMethods
  readonly keys: AccountKeysMethods
  readonly keyChecks: AccountKeyChecksMethods
  readonly members: AccountMembersMethods
  readonly invitations: AccountInvitationsMethods
  readonly audit: AccountAuditMethods
  readonly requests: AccountRequestsMethods
  readonly usage: AccountUsageMethods
  readonly budgets: AccountBudgetsMethods
  readonly events: AccountEventsMethods
  readonly webhooks: AccountWebhooksMethods
  readonly webhookDeliveries: AccountWebhookDeliveriesMethods
  readonly testMessages: AccountTestMessagesMethods

  constructor(transport: Transport) {
    this.catalogue = new AccountCatalogueMethods(transport)
    this.organisation = new AccountOrganisationMethods(transport)
    this.keys = new AccountKeysMethods(transport)
    this.keyChecks = new AccountKeyChecksMethods(transport)
    this.members = new AccountMembersMethods(transport)
    this.invitations = new AccountInvitationsMethods(transport)
    this.audit = new AccountAuditMethods(transport)
    this.requests = new AccountRequestsMethods(transport)
    this.usage = new AccountUsageMethods(transport)
    this.budgets = new AccountBudgetsMethods(transport)
    this.events = new AccountEventsMethods(transport)
    this.webhooks = new AccountWebhooksMethods(transport)
    this.webhookDeliveries = new AccountWebhookDeliveriesMethods(transport)
    this.testMessages = new AccountTestMessagesMethods(transport)
  }
}

export class AiAnswerMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Answer a question from documents.
   *
   * Every quote is looked up in its document and dropped where it does not stand there. Documents that bear no answer out give `answered: false` and an empty `answer`. Without documents an upstream model answers from what it knows, without quotes; the embedded engine knows nothing.
   */
  create(body: types.AiAnswerCreateBody, options?: CallOptions): Promise<types.AiAnswerCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/answer', body }, options)
  }
}

export class AiSummarizeMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Shorten a text.
   *
   * The embedded engine picks the most central sentences as they stand and tells where; an upstream model writes its own, and `sentences` is null.
   */
  create(body: types.AiSummarizeCreateBody, options?: CallOptions): Promise<types.AiSummarizeCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/summarize', body }, options)
  }
}

export class AiClassifyMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Label texts.
   *
   * One of the given labels for each text, best by name, description and examples together. `text` has its result beside the other fields, `input` has `results` in its order.
   */
  create(body: types.AiClassifyCreateBody, options?: CallOptions): Promise<types.AiClassifyCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/classify', body }, options)
  }
}

export class AiModerateMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Judge how harmful texts are.
   *
   * The answer has the shape of OpenAI’s moderation, with 13 categories.
   */
  create(body: types.AiModerateCreateBody, options?: CallOptions): Promise<types.AiModerateCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/moderate', body }, options)
  }

  /**
   * Judge how harmful texts are, where OpenAI’s SDK asks.
   *
   * The same as `/v1/ai/moderate`: give the SDK `/v1/ai` as its base URL.
   */
  createCompatible(body: types.AiModerateCreateCompatibleBody, options?: CallOptions): Promise<types.AiModerateCreateCompatibleReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/moderations', body }, options)
  }
}

export class AiCompletionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Have a model answer, in OpenAI’s shape.
   *
   * What OpenAI’s SDK asks, given `/v1/ai` as its base URL: it is passed on to the first upstream server that has the model and answers. Errors have OpenAI’s fields (`message`, `type`, `param`, `code`) beside ours, and its codes where it has a word: `invalid_api_key`, `rate_limit_exceeded`, `insufficient_quota`, `context_length_exceeded`. With `stream: true` pieces come as server-sent events; an answer that breaks off ends with an event whose data is an `error`. The embedded engine has no model: 503.
   */
  create(body: types.AiCompletionsCreateBody & { stream?: false }, options?: KeyedCallOptions): Promise<types.AiCompletionsCreateReply>
  /**
   * Have a model answer, in OpenAI’s shape.
   *
   * What OpenAI’s SDK asks, given `/v1/ai` as its base URL: it is passed on to the first upstream server that has the model and answers. Errors have OpenAI’s fields (`message`, `type`, `param`, `code`) beside ours, and its codes where it has a word: `invalid_api_key`, `rate_limit_exceeded`, `insufficient_quota`, `context_length_exceeded`. With `stream: true` pieces come as server-sent events; an answer that breaks off ends with an event whose data is an `error`. The embedded engine has no model: 503.
   */
  create(body: types.AiCompletionsCreateBody & { stream: true }, options?: KeyedCallOptions): EventStream
  create(body: types.AiCompletionsCreateBody, options?: KeyedCallOptions): Promise<types.AiCompletionsCreateReply> | EventStream {
    const call = { verb: 'POST', path: '/v1/ai/chat/completions', body, takesKey: true }
    return body.stream ? this.#transport.events(call, options) : this.#transport.json(call, options)
  }
}

export class AiEmbeddingsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Have texts become vectors, in OpenAI’s shape.
   *
   * What OpenAI’s SDK asks, given `/v1/ai` as its base URL. Vectors are kept by model and text: one that is kept comes at once and costs nothing. Errors are those of `/v1/ai/chat/completions`.
   */
  create(body: types.AiEmbeddingsCreateBody, options?: CallOptions): Promise<types.AiEmbeddingsCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/ai/embeddings', body }, options)
  }
}

export class AiModelsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get a model, in OpenAI’s shape.
   *
   * A model of the list. Encode a `/` in its name as `%2F`, as OpenAI’s SDK does.
   */
  get(model: string, options?: CallOptions): Promise<types.AiModelsGetReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/ai/models/${model}` }, options)
  }

  /**
   * The models that may be asked for, in OpenAI’s shape.
   *
   * In the order in which the operator has them; `default` leaves the choice to the operator. Without an upstream the list is empty.
   */
  list(options?: CallOptions): Promise<types.AiModelsListReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/ai/models' }, options)
  }
}

export class AiUsageMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Tokens this month against the plan’s budget.
   *
   * Returns the tokens used this month, the budget of the plan and the tokens of each operation.
   */
  read(options?: CallOptions): Promise<types.AiUsageReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/ai/usage' }, options)
  }
}

export class AiMethods {
  readonly answer: AiAnswerMethods
  readonly summarize: AiSummarizeMethods
  readonly classify: AiClassifyMethods
  readonly moderate: AiModerateMethods
  readonly completions: AiCompletionsMethods
  readonly embeddings: AiEmbeddingsMethods
  readonly models: AiModelsMethods
  readonly usage: AiUsageMethods

  constructor(transport: Transport) {
    this.answer = new AiAnswerMethods(transport)
    this.summarize = new AiSummarizeMethods(transport)
    this.classify = new AiClassifyMethods(transport)
    this.moderate = new AiModerateMethods(transport)
    this.completions = new AiCompletionsMethods(transport)
    this.embeddings = new AiEmbeddingsMethods(transport)
    this.models = new AiModelsMethods(transport)
    this.usage = new AiUsageMethods(transport)
  }
}

export class BotsTemplatesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List templates of bots.
   *
   * The newest version of each, by key. There are few: they come on one page.
   */
  list(query?: types.BotsTemplatesListQuery, options?: CallOptions): Promise<types.BotsTemplatesListReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/bots/templates', query }, options)
  }

  /**
   * Read a template.
   *
   * Returns the newest version of the template, or the version that `version` names.
   */
  read(key: string, query?: types.BotsTemplatesReadQuery, options?: CallOptions): Promise<types.BotsTemplateDetail> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/templates/${key}`, query }, options)
  }
}

export class BotsDirectoryMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List published bots.
   *
   * `popular`: by the conversations of the last 30 days, counted by the hour; `recent`: last published first.
   */
  list(query?: types.BotsDirectoryListQuery, options?: CallOptions): Listing<types.BotsPublicBot> {
    return this.#transport.list({ verb: 'GET', path: '/v1/bots/directory', query }, options)
  }
}

export class BotsHandoversMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Close a conversation.
   *
   * Nothing more is said in it; it stays to be read.
   */
  close(botId: string, conversationId: string, body?: types.BotsHandoversCloseBody, options?: KeyedCallOptions): Promise<types.BotsHandoversCloseReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/conversations/${conversationId}/close`, body, takesKey: true }, options)
  }

  /**
   * Hand a conversation over to a person.
   *
   * The bot is silent in it until it is given back; answers that are pending still come. Again, it changes nothing.
   */
  create(botId: string, conversationId: string, body?: types.BotsHandoversCreateBody, options?: KeyedCallOptions): Promise<types.BotsHandover> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/conversations/${conversationId}/handover`, body, takesKey: true }, options)
  }

  /**
   * Give a conversation back to its bot.
   *
   * It answers the next message again.
   */
  giveBack(botId: string, conversationId: string, body?: types.BotsHandoversGiveBackBody, options?: KeyedCallOptions): Promise<types.BotsHandoversGiveBackReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/conversations/${conversationId}/return`, body, takesKey: true }, options)
  }

  /**
   * List conversations that persons handle, newest first.
   *
   * Those of your organisation’s people, with whichever bot: the inbox.
   */
  list(query?: types.BotsHandoversListQuery, options?: CallOptions): Listing<types.BotsWaitingConversation> {
    return this.#transport.list({ verb: 'GET', path: '/v1/bots/conversations', query }, options)
  }

  /**
   * Answer in the bot’s place.
   *
   * In a conversation that is handed over; 409 in any other. Who asks finds it among the messages.
   */
  reply(botId: string, conversationId: string, body: types.BotsHandoversReplyBody, options?: KeyedCallOptions): Promise<types.BotsMessage> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/conversations/${conversationId}/reply`, body, takesKey: true }, options)
  }
}

export class BotsDocumentsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a document that a bot may quote.
   *
   * Plain text. A bot has at most 200; answers quote them word for word, under `citations`.
   */
  create(botId: string, body: types.BotsDocumentsCreateBody, options?: KeyedCallOptions): Promise<types.BotsDocument> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/documents`, body, takesKey: true }, options)
  }

  /**
   * List the documents of a bot, newest first.
   *
   * Returns the texts that the bot can quote from, without their content.
   */
  list(botId: string, query?: types.BotsDocumentsListQuery, options?: CallOptions): Listing<types.BotsDocument> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/documents`, query }, options)
  }

  /**
   * Remove a document of a bot.
   *
   * No further answer quotes it; those that were given keep their quotes. The document of a source goes with its source.
   */
  remove(botId: string, documentId: string, options?: CallOptions): Promise<types.BotsDocumentsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/bots/${botId}/documents/${documentId}` }, options)
  }
}

export class BotsSourcesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Have a bot quote from a file or an address.
   *
   * PDF, DOCX, HTML, Markdown or plain text of at most 20 MiB: `url`, a public address, or `object_id`, a clean object of the files area. A worker reads it; its text, of at most 400,000 characters, is a document with the id of the source. With `refresh_hours` an address is asked again (`ETag`, `Last-Modified`), and its document replaced when its text is another.
   */
  create(botId: string, body?: types.BotsSourcesCreateBody, options?: KeyedCallOptions): Promise<types.BotsSource> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/sources`, body, takesKey: true }, options)
  }

  /**
   * List files and addresses that a bot quotes from, newest first.
   *
   * Returns the files and URLs that the bot can quote from, with the status of the last fetch.
   */
  list(botId: string, query?: types.BotsSourcesListQuery, options?: CallOptions): Listing<types.BotsSource> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/sources`, query }, options)
  }

  /**
   * Read how a source of a bot is.
   *
   * Returns the status of the last fetch, the error if it failed, and the time of the next fetch.
   */
  read(botId: string, sourceId: string, options?: CallOptions): Promise<types.BotsSource> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/${botId}/sources/${sourceId}` }, options)
  }

  /**
   * Have a bot quote from a source no more.
   *
   * With its document; answers that were given keep their quotes.
   */
  remove(botId: string, sourceId: string, options?: CallOptions): Promise<types.BotsSourcesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/bots/${botId}/sources/${sourceId}` }, options)
  }

  /**
   * Change how often a source of a bot is read.
   *
   * Sets the hours between two fetches of the source.
   */
  update(botId: string, sourceId: string, body: types.BotsSourcesUpdateBody, options?: KeyedCallOptions): Promise<types.BotsSource> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/bots/${botId}/sources/${sourceId}`, body, takesKey: true }, options)
  }

  /**
   * Read a source of a bot again.
   *
   * Now, whatever its time. One that is to be read already is not read twice.
   */
  refresh(botId: string, sourceId: string, body?: types.BotsSourcesRefreshBody, options?: CallOptions): Promise<types.BotsSource> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/sources/${sourceId}/refresh`, body, repeatable: true }, options)
  }
}

export class BotsActionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Have a bot call your server while it answers.
   *
   * A POST to `url` with the arguments, signed as webhooks are (Standard Webhooks 1.0), in conversations of your organisation alone. A model calls it by its `description` and `parameters`; the embedded engine where a message has one of the `triggers` and no argument is required. 4 calls for an answer, each of ten seconds at most; 8000 bytes of JSON or text come back. A bot has 10 at most. Answers the secret, this once.
   */
  create(botId: string, body: types.BotsActionsCreateBody, options?: CallOptions): Promise<types.BotsActionWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/actions`, body }, options)
  }

  /**
   * List the actions of a bot, newest first, each with how its last call went.
   *
   * Returns the HTTP calls that the bot can make, each with the result of its last call.
   */
  list(botId: string, query?: types.BotsActionsListQuery, options?: CallOptions): Listing<types.BotsAction> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/actions`, query }, options)
  }

  /**
   * List the calls of an action of a bot, newest first.
   *
   * Kept for as long as the answers for which they were made.
   */
  listCalls(botId: string, actionId: string, query?: types.BotsActionsListCallsQuery, options?: CallOptions): Listing<types.BotsActionCall> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/actions/${actionId}/calls`, query }, options)
  }

  /**
   * Read an action of a bot.
   *
   * Returns the HTTP call that the bot can make, with its parameters and the result of its last call.
   */
  read(botId: string, actionId: string, options?: CallOptions): Promise<types.BotsAction> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/${botId}/actions/${actionId}` }, options)
  }

  /**
   * Take an action from a bot.
   *
   * With what is known of its calls.
   */
  remove(botId: string, actionId: string, options?: CallOptions): Promise<types.BotsActionsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/bots/${botId}/actions/${actionId}` }, options)
  }

  /**
   * Change an action of a bot.
   *
   * Holds from the next call on, of answers under way, too; with `enabled: false` none is made.
   */
  update(botId: string, actionId: string, body?: types.BotsActionsUpdateBody, options?: KeyedCallOptions): Promise<types.BotsAction> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/bots/${botId}/actions/${actionId}`, body, takesKey: true }, options)
  }

  /**
   * Replace the secret of an action of a bot.
   *
   * The one before signs nothing more.
   */
  rotate(botId: string, actionId: string, body?: types.BotsActionsRotateBody, options?: CallOptions): Promise<types.BotsActionWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/actions/${actionId}/rotate-secret`, body }, options)
  }
}

export class BotsQuestionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Answer a question that a bot had no answer to.
   *
   * Your words become a document whose title is the question, from which the bot quotes; the question is off the list.
   */
  answer(botId: string, questionId: string, body: types.BotsQuestionsAnswerBody, options?: KeyedCallOptions): Promise<types.BotsDocument> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/questions/${questionId}/answer`, body, takesKey: true }, options)
  }

  /**
   * List questions that a bot had no answer to.
   *
   * Those of your own organisation’s people, whose words are the same but for cases, accents and signs as one; asked most first. A bot keeps 1,000.
   */
  list(botId: string, query?: types.BotsQuestionsListQuery, options?: CallOptions): Listing<types.BotsQuestion> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/questions`, query }, options)
  }

  /**
   * Take a question off the list.
   *
   * It comes back when somebody asks it again.
   */
  remove(botId: string, questionId: string, options?: CallOptions): Promise<types.BotsQuestionsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/bots/${botId}/questions/${questionId}` }, options)
  }
}

export class BotsChatMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Say something to a bot.
   *
   * Begins a conversation, or goes on with one of yours (`conversation_id`). The message is stored before it is answered. When the answer fails, 502, both are kept, and a repeat with the same `Idempotency-Key` tries the same message again; so does one after 504, when the answer took too long. A conversation that a person handles gets no answer now (`handed_over`). With `stream: true` the answer comes as server-sent events: `message.created` (`conversation_id`, `message_id`), `message.delta` (`text`), `message.restarted` (forget the text so far), and at the end `message.completed` (the whole answer) or `error`.
   */
  create(botId: string, body: types.BotsChatCreateBody & { stream?: false }, options?: KeyedCallOptions): Promise<types.BotsAnswer>
  /**
   * Say something to a bot.
   *
   * Begins a conversation, or goes on with one of yours (`conversation_id`). The message is stored before it is answered. When the answer fails, 502, both are kept, and a repeat with the same `Idempotency-Key` tries the same message again; so does one after 504, when the answer took too long. A conversation that a person handles gets no answer now (`handed_over`). With `stream: true` the answer comes as server-sent events: `message.created` (`conversation_id`, `message_id`), `message.delta` (`text`), `message.restarted` (forget the text so far), and at the end `message.completed` (the whole answer) or `error`.
   */
  create(botId: string, body: types.BotsChatCreateBody & { stream: true }, options?: KeyedCallOptions): EventStream
  create(botId: string, body: types.BotsChatCreateBody, options?: KeyedCallOptions): Promise<types.BotsAnswer> | EventStream {
    const call = { verb: 'POST', path: pathOf`/v1/bots/${botId}/chat`, body, takesKey: true }
    return body.stream ? this.#transport.events(call, options) : this.#transport.json(call, options)
  }
}

export class BotsMessagesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List messages with a bot.
   *
   * Your organisation’s own conversations only, whoever’s the bot is: by conversation and, in each, by `seq`; newest first unless said. A message never changes its place.
   */
  list(botId: string, query?: types.BotsMessagesListQuery, options?: CallOptions): Listing<types.BotsMessage> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/bots/${botId}/messages`, query }, options)
  }
}

export class BotsVisitorsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Say something to a bot from a page.
   *
   * As `POST …/chat`, by a public key. Who has a `conversation_id` goes on with it: it is the visitor’s alone to keep.
   */
  chat(botId: string, body: types.BotsVisitorsChatBody & { stream?: false }, options?: KeyedCallOptions): Promise<types.BotsAnswer>
  /**
   * Say something to a bot from a page.
   *
   * As `POST …/chat`, by a public key. Who has a `conversation_id` goes on with it: it is the visitor’s alone to keep.
   */
  chat(botId: string, body: types.BotsVisitorsChatBody & { stream: true }, options?: KeyedCallOptions): EventStream
  chat(botId: string, body: types.BotsVisitorsChatBody, options?: KeyedCallOptions): Promise<types.BotsAnswer> | EventStream {
    const call = { verb: 'POST', path: pathOf`/v1/bots/${botId}/visit/chat`, body, takesKey: true }
    return body.stream ? this.#transport.events(call, options) : this.#transport.json(call, options)
  }

  /**
   * Ask for a person from a page.
   *
   * Marks the conversation for a person of your team. The bot stops answering in it.
   */
  handover(botId: string, conversationId: string, body?: types.BotsVisitorsHandoverBody, options?: CallOptions): Promise<types.BotsVisitorsHandoverReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/visit/${conversationId}/handover`, body, repeatable: true }, options)
  }

  /**
   * Read a conversation from a page.
   *
   * Oldest first, at most 100 behind `after`.
   */
  messages(botId: string, conversationId: string, query?: types.BotsVisitorsMessagesQuery, options?: CallOptions): Promise<types.BotsVisitorsMessagesReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/${botId}/visit/${conversationId}/messages`, query }, options)
  }

  /**
   * Read what a page shows of a bot.
   *
   * A bot of your own, published or not, by a public key with `bots:chat` from a page of its origins.
   */
  read(botId: string, options?: CallOptions): Promise<types.BotsVisitedBot> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/${botId}/visit` }, options)
  }
}

export class BotsMethods {
  readonly #transport: Transport
  readonly templates: BotsTemplatesMethods
  readonly directory: BotsDirectoryMethods
  readonly handovers: BotsHandoversMethods
  readonly documents: BotsDocumentsMethods
  readonly sources: BotsSourcesMethods
  readonly actions: BotsActionsMethods
  readonly questions: BotsQuestionsMethods
  readonly chat: BotsChatMethods
  readonly messages: BotsMessagesMethods
  readonly visitors: BotsVisitorsMethods

  constructor(transport: Transport) {
    this.#transport = transport
    this.templates = new BotsTemplatesMethods(transport)
    this.directory = new BotsDirectoryMethods(transport)
    this.handovers = new BotsHandoversMethods(transport)
    this.documents = new BotsDocumentsMethods(transport)
    this.sources = new BotsSourcesMethods(transport)
    this.actions = new BotsActionsMethods(transport)
    this.questions = new BotsQuestionsMethods(transport)
    this.chat = new BotsChatMethods(transport)
    this.messages = new BotsMessagesMethods(transport)
    this.visitors = new BotsVisitorsMethods(transport)
  }

  /**
   * Create a bot.
   *
   * From a template, or with a `system_prompt`. Only keys of the organisation talk to it until it is published.
   */
  create(body: types.BotsCreateBody, options?: KeyedCallOptions): Promise<types.BotsBot> {
    return this.#transport.json({ verb: 'POST', path: '/v1/bots', body, takesKey: true }, options)
  }

  /**
   * List your bots, newest first.
   *
   * Returns the bots of the organisation, drafts included.
   */
  list(query?: types.BotsListQuery, options?: CallOptions): Listing<types.BotsBot> {
    return this.#transport.list({ verb: 'GET', path: '/v1/bots', query }, options)
  }

  /**
   * Publish a bot.
   *
   * It stands in the directory, and every organisation may talk to it. Publishing it again changes nothing.
   */
  publish(botId: string, options?: CallOptions): Promise<types.BotsBot> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/publish`, repeatable: true }, options)
  }

  /**
   * Read a bot.
   *
   * A published bot, or one of your own, by its slug or id.
   */
  read(slug: string, options?: CallOptions): Promise<types.BotsBotPage> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/bots/${slug}` }, options)
  }

  /**
   * Delete a bot.
   *
   * One of your own, by its slug or id, with its documents and all conversations with it.
   */
  remove(slug: string, options?: CallOptions): Promise<types.BotsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/bots/${slug}` }, options)
  }

  /**
   * Change a bot.
   *
   * One of your own, by its slug or id. A change of how it talks makes a new version, which new conversations begin with; those under way keep theirs. `variables` replaces all values. `template` or `template_version` brings the template’s texts anew.
   */
  update(slug: string, body?: types.BotsUpdateBody, options?: KeyedCallOptions): Promise<types.BotsBot> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/bots/${slug}`, body, takesKey: true }, options)
  }

  /**
   * Withdraw a bot.
   *
   * Others find it no more, and may not go on with their conversations; they can read them.
   */
  withdraw(botId: string, options?: CallOptions): Promise<types.BotsBot> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/bots/${botId}/withdraw`, repeatable: true }, options)
  }
}

export class DirectoryChannelsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a channel.
   *
   * It is public from now on. Its handle is its own on the whole installation, and stays.
   */
  create(body: types.DirectoryChannelsCreateBody, options?: KeyedCallOptions): Promise<types.DirectoryChannel> {
    return this.#transport.json({ verb: 'POST', path: '/v1/streaming/channels', body, takesKey: true }, options)
  }

  /**
   * List channels, newest first.
   *
   * Returns public channels. Set `own` to list only the channels of your organisation.
   */
  list(query?: types.DirectoryChannelsListQuery, options?: CallOptions): Listing<types.DirectoryChannel> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/channels', query }, options)
  }

  /**
   * Read a channel.
   *
   * Returns a public channel by its handle, with its number of videos and whether it is live.
   */
  read(handle: string, options?: CallOptions): Promise<types.DirectoryChannel> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/streaming/channels/${handle}` }, options)
  }

  /**
   * Delete a channel.
   *
   * Its videos stay listed, without a channel.
   */
  remove(handle: string, options?: CallOptions): Promise<types.DirectoryChannelsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/streaming/channels/${handle}` }, options)
  }

  /**
   * Change a channel.
   *
   * Omitted fields keep their values.
   */
  update(handle: string, body?: types.DirectoryChannelsUpdateBody, options?: CallOptions): Promise<types.DirectoryChannel> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/streaming/channels/${handle}`, body }, options)
  }
}

export class DirectoryChannelVideosMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Put a video of yours into a channel of yours.
   *
   * By the id of its asset, also before it is public. It leaves the channel that it was in.
   */
  assign(handle: string, uuid: string, options?: CallOptions): Promise<types.DirectoryDescribed> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/streaming/channels/${handle}/videos/${uuid}` }, options)
  }

  /**
   * Take a video out of a channel of yours.
   *
   * It stays listed, without a channel.
   */
  remove(handle: string, uuid: string, options?: CallOptions): Promise<types.DirectoryChannelVideosRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/streaming/channels/${handle}/videos/${uuid}` }, options)
  }

  /**
   * List the videos of a channel, the last published first.
   *
   * Returns the public videos and shorts of the channel. `kind` selects one of the two.
   */
  list(handle: string, query?: types.DirectoryChannelVideosListQuery, options?: CallOptions): Listing<types.DirectoryVideo> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/streaming/channels/${handle}/videos`, query }, options)
  }
}

export class DirectoryChannelLiveMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Put a live channel of yours into a channel of yours.
   *
   * By the id that the video area gave it. Its broadcasts are listed while its `visibility` is `public`.
   */
  assign(handle: string, channelId: string, options?: CallOptions): Promise<types.DirectoryLiveChannel> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/streaming/channels/${handle}/live/${channelId}` }, options)
  }

  /**
   * Take a live channel out of a channel of yours.
   *
   * Its broadcasts stay listed, without a channel.
   */
  remove(handle: string, channelId: string, options?: CallOptions): Promise<types.DirectoryChannelLiveRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/streaming/channels/${handle}/live/${channelId}` }, options)
  }
}

export class DirectoryVideosMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Describe a video of yours.
   *
   * By the id of its asset, also before it is public. Without a `title` it has that of the asset.
   */
  describe(uuid: string, body?: types.DirectoryVideosDescribeBody, options?: CallOptions): Promise<types.DirectoryDescribed> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/streaming/videos/${uuid}`, body }, options)
  }

  /**
   * Read a video.
   *
   * Shorts are found here, too. What is not public, or not ready, is not found.
   */
  read(uuid: string, options?: CallOptions): Promise<types.DirectoryVideo> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/streaming/videos/${uuid}` }, options)
  }

  /**
   * List videos and shorts, the last published first.
   *
   * Returns public videos and shorts. Set `own` to list only those of your organisation.
   */
  list(query?: types.DirectoryVideosListQuery, options?: CallOptions): Listing<types.DirectoryVideo> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/videos', query }, options)
  }
}

export class DirectoryShortsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List shorts, the last published first.
   *
   * Returns public vertical videos of short duration. Set `own` to list only those of your organisation.
   */
  list(query?: types.DirectoryShortsListQuery, options?: CallOptions): Listing<types.DirectoryVideo> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/shorts', query }, options)
  }

  /**
   * Read a short.
   *
   * Returns a public short with its playback URL, captions and thumbnails.
   */
  read(uuid: string, options?: CallOptions): Promise<types.DirectoryVideo> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/streaming/shorts/${uuid}` }, options)
  }
}

export class DirectoryPlaylistsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a playlist.
   *
   * It is `public` unless said otherwise.
   */
  create(body: types.DirectoryPlaylistsCreateBody, options?: KeyedCallOptions): Promise<types.DirectoryPlaylist> {
    return this.#transport.json({ verb: 'POST', path: '/v1/streaming/playlists', body, takesKey: true }, options)
  }

  /**
   * List playlists, newest first.
   *
   * Those that are public, of all organisations; with `own=true` all of yours.
   */
  list(query?: types.DirectoryPlaylistsListQuery, options?: CallOptions): Listing<types.DirectoryPlaylist> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/playlists', query }, options)
  }

  /**
   * Read a playlist.
   *
   * Returns the playlist with the number of its videos. Read the videos with a separate call.
   */
  read(playlistId: string, options?: CallOptions): Promise<types.DirectoryPlaylist> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/streaming/playlists/${playlistId}` }, options)
  }

  /**
   * Delete a playlist.
   *
   * Its videos stay as they are.
   */
  remove(playlistId: string, options?: CallOptions): Promise<types.DirectoryPlaylistsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/streaming/playlists/${playlistId}` }, options)
  }

  /**
   * Change a playlist.
   *
   * `videos` replaces all of them, and so gives them another order.
   */
  update(playlistId: string, body?: types.DirectoryPlaylistsUpdateBody, options?: CallOptions): Promise<types.DirectoryPlaylist> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/streaming/playlists/${playlistId}`, body }, options)
  }
}

export class DirectoryPlaylistVideosMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the videos of a playlist, in its order.
   *
   * Returns the videos with their position in the playlist.
   */
  list(playlistId: string, query?: types.DirectoryPlaylistVideosListQuery, options?: CallOptions): Listing<types.DirectoryPlaylistEntry> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/streaming/playlists/${playlistId}/videos`, query }, options)
  }

  /**
   * Put a video into a playlist.
   *
   * At its end, or at a `position` from 1 on; one that is in it already is moved. Made twice it is as made once.
   */
  put(playlistId: string, uuid: string, body?: types.DirectoryPlaylistVideosPutBody, options?: CallOptions): Promise<types.DirectoryPlaylist> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/streaming/playlists/${playlistId}/videos/${uuid}`, body }, options)
  }

  /**
   * Take a video out of a playlist.
   *
   * Removes the video from the playlist. The video itself is not deleted.
   */
  remove(playlistId: string, uuid: string, options?: CallOptions): Promise<types.DirectoryPlaylistVideosRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/streaming/playlists/${playlistId}/videos/${uuid}` }, options)
  }
}

export class DirectoryLiveMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List live streams, newest first.
   *
   * Returns public live streams. `status` selects scheduled, live or ended streams.
   */
  list(query?: types.DirectoryLiveListQuery, options?: CallOptions): Listing<types.DirectoryLive> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/live', query }, options)
  }

  /**
   * Read a live stream.
   *
   * Returns a public live stream with its playback URL and whether it is live now.
   */
  read(uuid: string, options?: CallOptions): Promise<types.DirectoryLive> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/streaming/live/${uuid}` }, options)
  }
}

export class DirectorySearchMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Search videos, shorts, live streams and channels.
   *
   * Words, `"phrases"`, `or`, `-without`; case and accents do not matter. A word that nothing has is taken for the one nearest to it.
   */
  find(query: types.DirectorySearchFindQuery, options?: CallOptions): Listing<types.DirectoryFound> {
    return this.#transport.list({ verb: 'GET', path: '/v1/streaming/search', query }, options)
  }
}

export class DirectoryMethods {
  readonly channels: DirectoryChannelsMethods
  readonly channelVideos: DirectoryChannelVideosMethods
  readonly channelLive: DirectoryChannelLiveMethods
  readonly videos: DirectoryVideosMethods
  readonly shorts: DirectoryShortsMethods
  readonly playlists: DirectoryPlaylistsMethods
  readonly playlistVideos: DirectoryPlaylistVideosMethods
  readonly live: DirectoryLiveMethods
  readonly search: DirectorySearchMethods

  constructor(transport: Transport) {
    this.channels = new DirectoryChannelsMethods(transport)
    this.channelVideos = new DirectoryChannelVideosMethods(transport)
    this.channelLive = new DirectoryChannelLiveMethods(transport)
    this.videos = new DirectoryVideosMethods(transport)
    this.shorts = new DirectoryShortsMethods(transport)
    this.playlists = new DirectoryPlaylistsMethods(transport)
    this.playlistVideos = new DirectoryPlaylistVideosMethods(transport)
    this.live = new DirectoryLiveMethods(transport)
    this.search = new DirectorySearchMethods(transport)
  }
}

export class EmailDomainsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a domain to send from.
   *
   * Answers the DNS records to publish. Mail is sent from the domain once the required ones are found: by `verify`, or by the hourly pass.
   */
  create(body: types.EmailDomainsCreateBody, options?: CallOptions): Promise<types.EmailDomain> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/domains', body }, options)
  }

  /**
   * List domains and whether they are verified.
   *
   * Returns the sending domains with the result of the last check of SPF and DKIM.
   */
  list(query?: types.EmailDomainsListQuery, options?: CallOptions): Listing<types.EmailDomainSummary> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/domains', query }, options)
  }

  /**
   * Records of a domain, and whether SPF and DKIM verify.
   *
   * Returns the DNS records to publish and the result of the last check of SPF and DKIM.
   */
  read(domain: string, options?: CallOptions): Promise<types.EmailDomain> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/domains/${domain}` }, options)
  }

  /**
   * Remove a domain.
   *
   * Its keys go with it: what is still to be delivered from the domain fails, as it can no longer be signed.
   */
  remove(domain: string, options?: CallOptions): Promise<types.EmailDomainsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/domains/${domain}` }, options)
  }

  /**
   * Verify a domain now.
   *
   * Asks the name servers of the domain itself, so that a record counts as soon as it is published. A record that is amiss is told in the answer; a verified domain stays verified until three hourly passes in a row have found one amiss.
   */
  verify(domain: string, options?: CallOptions): Promise<types.EmailDomain> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/domains/${domain}/verify`, repeatable: true }, options)
  }
}

export class EmailContactsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a contact who agreed.
   *
   * The contact is `confirmed`, and where it agreed is on record; an unconfirmed one becomes so, a confirmed one stays as it is.
   */
  create(body: types.EmailContactsCreateBody, options?: CallOptions): Promise<types.EmailContact> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/contacts', body, repeatable: true }, options)
  }

  /**
   * List contacts, newest first.
   *
   * Returns contacts with their consent state. `status` selects one state.
   */
  list(query?: types.EmailContactsListQuery, options?: CallOptions): Listing<types.EmailContact> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/contacts', query }, options)
  }

  /**
   * Consent state and history of a contact.
   *
   * Returns the contact with each change of its consent: the time, the source and the new state.
   */
  read(email: string, options?: CallOptions): Promise<types.EmailContactWithHistory> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/contacts/${email}` }, options)
  }

  /**
   * Remove a contact.
   *
   * Deletes the contact with its history. A contact who has unsubscribed is kept and returns `409`.
   */
  remove(email: string, options?: CallOptions): Promise<types.EmailContactsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/contacts/${email}` }, options)
  }

  /**
   * Change what is known of a contact.
   *
   * Name, attributes and tags: what mails to it may say, and segments ask. Its consent stays as it is.
   */
  update(email: string, body?: types.EmailContactsUpdateBody, options?: CallOptions): Promise<types.EmailContact> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/send/v1/contacts/${email}`, body }, options)
  }

  /**
   * Record that a contact has unsubscribed.
   *
   * For good: it never receives the subscribed stream again. An address that is no contact yet becomes one.
   */
  unsubscribe(email: string, options?: CallOptions): Promise<types.EmailContact> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/contacts/${email}/unsubscribe`, repeatable: true }, options)
  }
}

export class EmailContactImportsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Import contacts.
   *
   * The contacts are `unconfirmed`: `reconfirm` asks them. Takes JSON, or a CSV file (`content-type: text/csv`) that has a column `email`, or others as `map` says. Contacts that are there already keep their state, and get what is said of them; a bad line keeps no other from being imported.
   */
  create(body: types.EmailContactImportsCreateBody, options?: CallOptions): Promise<types.EmailImport> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/contacts/import', body }, options)
  }
}

export class EmailSegmentsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a segment of contacts.
   *
   * Contacts by tags, names, addresses, attributes and age, looked up anew whenever a campaign begins.
   */
  create(body: types.EmailSegmentsCreateBody, options?: KeyedCallOptions): Promise<types.EmailSegment> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/segments', body, takesKey: true }, options)
  }

  /**
   * List segments, newest first.
   *
   * Returns saved conditions that select contacts. Use a segment as the audience of a campaign.
   */
  list(query?: types.EmailSegmentsListQuery, options?: CallOptions): Listing<types.EmailSegment> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/segments', query }, options)
  }

  /**
   * Count whom a segment would have.
   *
   * Returns the number of contacts that match the conditions, and a few of them. Nothing is stored.
   */
  preview(body?: types.EmailSegmentsPreviewBody, options?: CallOptions): Promise<types.EmailSegmentPreview> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/segments/preview', body, repeatable: true }, options)
  }

  /**
   * Read a segment and count its contacts.
   *
   * Returns the conditions and the number of contacts that match them now.
   */
  read(id: string, options?: CallOptions): Promise<types.EmailSegmentWithCounts> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/segments/${id}` }, options)
  }

  /**
   * Delete a segment.
   *
   * Contacts are not deleted.
   */
  remove(id: string, options?: CallOptions): Promise<types.EmailSegmentsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/segments/${id}` }, options)
  }

  /**
   * Change a segment.
   *
   * Omitted fields keep their values. Campaigns that have started keep their recipients.
   */
  update(id: string, body?: types.EmailSegmentsUpdateBody, options?: CallOptions): Promise<types.EmailSegment> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/send/v1/segments/${id}`, body }, options)
  }
}

export class EmailReconfirmationsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Ask all unconfirmed contacts to confirm.
   *
   * Each unconfirmed contact is sent one message on the stream `repermission`, with a link to a page on which it confirms; none who was asked within 30 days, none who is suppressed. With a sandbox key they are only counted.
   */
  create(body?: types.EmailReconfirmationsCreateBody, options?: KeyedCallOptions): Promise<types.EmailReconfirmation> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/contacts/reconfirm', body, takesKey: true }, options)
  }
}

export class EmailVerifyMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Verify many addresses.
   *
   * At most 1,000. Domains that could not be looked up within 20 s are `unknown`.
   */
  bulk(body: types.EmailVerifyBulkBody, options?: CallOptions): Promise<types.EmailVerifyBulkReply> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/verify/bulk', body, repeatable: true }, options)
  }

  /**
   * Verify an address.
   *
   * By syntax, DNS and lists. No mail server is asked for the mailbox: many lie, and it harms the one who asks.
   */
  one(body: types.EmailVerifyOneBody, options?: CallOptions): Promise<types.EmailVerdict> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/verify', body, repeatable: true }, options)
  }
}

export class EmailMessageBatchesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Queue up to 100 messages.
   *
   * Each is taken or refused by itself, as one that comes alone, and answered in its place; those that are taken are recorded together. The idempotency key is the whole batch’s: repeated, it is answered as it was.
   */
  create(body: types.EmailMessageBatchesCreateBody, options?: KeyedCallOptions): Promise<types.EmailMessageBatchesCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/messages/batch', body, takesKey: true }, options)
  }
}

export class EmailMessagesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Cancel a message that has not left.
   *
   * Takes back what waits for its `send_at`, or to be delivered, and its copies; `copies` tells of each whether it was `cancelled`. A message either leaves or is cancelled, never both: one that is being handed over is refused. Cancelling twice is fine.
   */
  cancel(id: string, options?: CallOptions): Promise<types.EmailMessage> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/messages/${id}/cancel`, repeatable: true }, options)
  }

  /**
   * Queue one message.
   *
   * Answers at once, or, with the header `Prefer: wait=10` (seconds, up to 30), when its outcome is known. Nothing is sent twice to a request that is repeated with the same idempotency key. Each recipient of `cc` and `bcc` gets a message of its own, which counts as one, and has a status, suppression and events of its own.
   */
  create(body: types.EmailMessagesCreateBody, options?: KeyedCallOptions): Promise<types.EmailAccepted> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/messages', body, takesKey: true }, options)
  }

  /**
   * List messages, newest first.
   *
   * Returns messages without their content. Filters can be combined.
   */
  list(query?: types.EmailMessagesListQuery, options?: CallOptions): Listing<types.EmailMessageSummary> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/messages', query }, options)
  }

  /**
   * Read a message and its delivery route.
   *
   * Returns the status of the message and its delivery route: each attempt with the response of the receiving server.
   */
  read(id: string, options?: CallOptions): Promise<types.EmailMessage> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/messages/${id}` }, options)
  }
}

export class EmailInboundRoutesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Take mail for an address.
   *
   * Without `address` an address at this installation’s own host is made up. For one at a domain of yours, or at a name below it, publish the MX record in the answer; mail is taken while the domain is verified.
   */
  create(body?: types.EmailInboundRoutesCreateBody, options?: CallOptions): Promise<types.EmailInboundRoute> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/inbound-routes', body }, options)
  }

  /**
   * List addresses that mail is taken for.
   *
   * Returns the addresses and domains whose email Millrace accepts for the organisation.
   */
  list(query?: types.EmailInboundRoutesListQuery, options?: CallOptions): Listing<types.EmailInboundRoute> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/inbound-routes', query }, options)
  }

  /**
   * Take no more mail for an address.
   *
   * What has come stays until its time is over, or it is deleted.
   */
  remove(id: string, options?: CallOptions): Promise<types.EmailInboundRoutesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/inbound-routes/${id}` }, options)
  }

  /**
   * Look up whether the mail of an inbound route comes here.
   *
   * Asks the name servers of the domain itself. Mail is taken whether the record is found or not.
   */
  verify(id: string, options?: CallOptions): Promise<types.EmailInboundRoutesVerifyReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/inbound-routes/${id}/verify`, repeatable: true }, options)
  }
}

export class EmailInboundStorageMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read the storage of received mail.
   *
   * Received mail uses a share of your storage, so that it leaves room for your own files. When the share is full, further mail is refused with 452.
   */
  read(options?: CallOptions): Promise<types.EmailInboundStorageReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/send/v1/inbound-storage' }, options)
  }
}

export class EmailReceivedMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Sign a link to a file of a mail that came in.
   *
   * Fails closed: 409 with `scan_status` for whatever is not found clean. Browsers save it, never show it.
   */
  attachmentUrl(id: string, objectId: string, options?: CallOptions): Promise<types.EmailReceivedAttachmentUrlReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/received/${id}/attachments/${objectId}/download-url`, repeatable: true }, options)
  }

  /**
   * Sign a link to a mail as it came.
   *
   * The bytes are a stranger’s, and no malware gate has looked at them as a whole: parse them, show them to nobody.
   */
  downloadUrl(id: string, options?: CallOptions): Promise<types.EmailReceivedDownloadUrlReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/received/${id}/download-url`, repeatable: true }, options)
  }

  /**
   * List mail that came in, newest first.
   *
   * Returns received emails without their content. `replies_to` selects the replies to a message that you sent.
   */
  list(query?: types.EmailReceivedListQuery, options?: CallOptions): Listing<types.EmailReceivedSummary> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/received', query }, options)
  }

  /**
   * Read a mail that came in.
   *
   * Returns the email with its text, HTML, headers, attachments and authentication results.
   */
  read(id: string, options?: CallOptions): Promise<types.EmailReceived> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/received/${id}` }, options)
  }

  /**
   * Delete a mail that came in.
   *
   * Its files go with it; storage is freed, and links stop working, soon after.
   */
  remove(id: string, options?: CallOptions): Promise<types.EmailReceivedRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/received/${id}` }, options)
  }
}

export class EmailTemplatesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a template.
   *
   * `{{name}}` and `{{order.number}}` take variables: escaped in HTML, in one line in the subject, as they are in text; `{{name|"there"}}` has a fallback. `{{contact.name}}`, `{{contact.email}}` and `{{contact.attributes.city}}` are the recipient’s.
   */
  create(body: types.EmailTemplatesCreateBody, options?: KeyedCallOptions): Promise<types.EmailTemplate> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/templates', body, takesKey: true }, options)
  }

  /**
   * List templates, newest first.
   *
   * Returns each template with the names of its variables. Read a template for its `html` and `text`.
   */
  list(query?: types.EmailTemplatesListQuery, options?: CallOptions): Listing<types.EmailTemplateSummary> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/templates', query }, options)
  }

  /**
   * See what a message made from a template would say.
   *
   * Returns the subject, HTML and text with the variables filled in. Nothing is sent.
   */
  preview(id: string, body?: types.EmailTemplatesPreviewBody, options?: CallOptions): Promise<types.EmailTemplatePreview> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/templates/${id}/preview`, body, repeatable: true }, options)
  }

  /**
   * Read a template.
   *
   * Returns the template with its subject, HTML, text and the names of its variables.
   */
  read(id: string, options?: CallOptions): Promise<types.EmailTemplate> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/templates/${id}` }, options)
  }

  /**
   * Delete a template.
   *
   * Messages that were accepted before are still sent.
   */
  remove(id: string, options?: CallOptions): Promise<types.EmailTemplatesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/templates/${id}` }, options)
  }

  /**
   * Change a template.
   *
   * Omitted fields keep their values. Messages that were accepted before keep the old content.
   */
  update(id: string, body?: types.EmailTemplatesUpdateBody, options?: CallOptions): Promise<types.EmailTemplate> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/send/v1/templates/${id}`, body }, options)
  }
}

export class EmailCampaignsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Cancel a campaign.
   *
   * Messages that are with delivery and have not left end as `failed`, with the reply class `cancelled`. Cancelling twice is fine.
   */
  cancel(id: string, options?: CallOptions): Promise<types.EmailCampaign> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/campaigns/${id}/cancel`, repeatable: true }, options)
  }

  /**
   * Create a campaign.
   *
   * It goes to every confirmed contact, or those of a segment, on the subscribed stream, once it is sent. Its subject, HTML and text may name fields of the contact, each with a fallback: `{{contact.name|"there"}}`.
   */
  create(body: types.EmailCampaignsCreateBody, options?: KeyedCallOptions): Promise<types.EmailCampaignSummary> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/campaigns', body, takesKey: true }, options)
  }

  /**
   * List campaigns, newest first.
   *
   * Returns campaigns with their status and their number of recipients.
   */
  list(query?: types.EmailCampaignsListQuery, options?: CallOptions): Listing<types.EmailCampaignSummary> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/campaigns', query }, options)
  }

  /**
   * See a campaign as a contact would get it.
   *
   * Returns the campaign with the merge fields of one contact filled in. Nothing is sent.
   */
  preview(id: string, body?: types.EmailCampaignsPreviewBody, options?: CallOptions): Promise<types.EmailPreview> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/campaigns/${id}/preview`, body, repeatable: true }, options)
  }

  /**
   * Read a campaign and its counts.
   *
   * Returns the campaign with its content, its progress and the number of messages in each status.
   */
  read(id: string, options?: CallOptions): Promise<types.EmailCampaign> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/send/v1/campaigns/${id}` }, options)
  }

  /**
   * Change a campaign that has not begun.
   *
   * A draft, or one that is scheduled: it then begins as it is by that time.
   */
  update(id: string, body?: types.EmailCampaignsUpdateBody, options?: CallOptions): Promise<types.EmailCampaign> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/send/v1/campaigns/${id}`, body }, options)
  }

  /**
   * Send a campaign later.
   *
   * It begins at `send_at`, as it is by then, to whom its segment has by then; until that it may be changed, put off, sent at once or cancelled.
   */
  schedule(id: string, body: types.EmailCampaignsScheduleBody, options?: KeyedCallOptions): Promise<types.EmailCampaign> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/campaigns/${id}/schedule`, body, takesKey: true }, options)
  }

  /**
   * Send a campaign.
   *
   * Refused while marketing is paused. A campaign that was paused midway goes on where it stopped: nobody gets it twice.
   */
  send(id: string, options?: KeyedCallOptions): Promise<types.EmailCampaign> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/campaigns/${id}/send`, takesKey: true }, options)
  }

  /**
   * Send a test of a campaign.
   *
   * To up to five addresses, with `[Test]` before its subject; it is in none of the campaign’s counts, and its link unsubscribes nobody.
   */
  test(id: string, body: types.EmailCampaignsTestBody, options?: KeyedCallOptions): Promise<types.EmailCampaignTest> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/campaigns/${id}/test`, body, takesKey: true }, options)
  }
}

export class EmailSuppressionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Suppress an address.
   *
   * Nothing is sent to it any more, on any stream, until it is let go again.
   */
  create(body: types.EmailSuppressionsCreateBody, options?: CallOptions): Promise<types.EmailSuppressionsCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/suppressions', body, repeatable: true }, options)
  }

  /**
   * List suppressed addresses, newest first.
   *
   * Returns the addresses that receive no more email, with the reason. Use `email` to search for one address.
   */
  list(query?: types.EmailSuppressionsListQuery, options?: CallOptions): Listing<types.EmailSuppression> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/suppressions', query }, options)
  }

  /**
   * Let an address be sent to again.
   *
   * One whose recipient has complained stays.
   */
  remove(email: string, options?: CallOptions): Promise<types.EmailSuppressionsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/suppressions/${email}` }, options)
  }
}

export class EmailAnalyticsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Messages by day.
   *
   * What happens to a message later counts for the day (UTC) on which it was accepted. Sandbox messages are not counted; `hard_bounced` are the bounces of addresses that are not there, `taken` what a server took, the recipient’s own or a smarthost, and did not bounce later.
   */
  overview(query?: types.EmailAnalyticsOverviewQuery, options?: CallOptions): Promise<types.EmailAnalyticsOverviewReply> {
    return this.#transport.json({ verb: 'GET', path: '/send/v1/analytics/overview', query }, options)
  }
}

export class EmailUsageMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Messages this month against the plan’s cap.
   *
   * Sandbox messages and those to suppressed addresses are not counted.
   */
  read(options?: CallOptions): Promise<types.EmailUsageReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/send/v1/usage' }, options)
  }
}

export class EmailStatusMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Whether marketing is paused, and the rates that decide it.
   *
   * Marketing is paused above the thresholds, once there is enough to judge by. It stays paused until an operator resumes it; rates count from the next day (UTC) on then. Transactional and security mail is never paused.
   */
  read(options?: CallOptions): Promise<types.EmailStatusReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/send/v1/status' }, options)
  }
}

export class EmailWebhooksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a webhook.
   *
   * Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.
   */
  create(body: types.EmailWebhooksCreateBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/send/v1/webhooks', body }, options)
  }

  /**
   * List webhooks.
   *
   * Returns the endpoints that receive events of this area, without their signing secrets.
   */
  list(query?: types.EmailWebhooksListQuery, options?: CallOptions): Listing<types.WebhooksEndpoint> {
    return this.#transport.list({ verb: 'GET', path: '/send/v1/webhooks', query }, options)
  }

  /**
   * Enable a disabled webhook.
   *
   * What waited for it when it was disabled is delivered.
   */
  enable(id: string, options?: CallOptions): Promise<types.WebhooksEndpoint> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/webhooks/${id}/enable`, repeatable: true }, options)
  }

  /**
   * Remove a webhook.
   *
   * With it goes what is still to be delivered to it, and its log.
   */
  remove(id: string, options?: CallOptions): Promise<types.EmailWebhooksRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/send/v1/webhooks/${id}` }, options)
  }

  /**
   * Replace the secret of a webhook.
   *
   * Deliveries carry two signatures for as long as the secret before is kept.
   */
  rotateSecret(id: string, body?: types.EmailWebhooksRotateSecretBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/webhooks/${id}/rotate-secret`, body }, options)
  }

  /**
   * Send a test event.
   *
   * A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
   */
  test(id: string, options?: CallOptions): Promise<types.WebhooksTestResult> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/webhooks/${id}/test` }, options)
  }
}

export class EmailWebhookDeliveriesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries to a webhook, newest first.
   *
   * Each delivery contains the status, the number of attempts and the last response of the endpoint.
   */
  list(id: string, query?: types.EmailWebhookDeliveriesListQuery, options?: CallOptions): Listing<types.WebhooksDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/send/v1/webhooks/${id}/deliveries`, query }, options)
  }

  /**
   * Deliver an event again.
   *
   * With the same `webhook-id`, and as many attempts as a new one.
   */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<types.EmailWebhookDeliveriesReplayReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/webhooks/${id}/deliveries/${deliveryId}/replay` }, options)
  }

  /**
   * Deliver events since an instant again.
   *
   * The oldest first, at most 10000 in one request: the next one is `since` `next_since`.
   */
  replaySince(id: string, body: types.EmailWebhookDeliveriesReplaySinceBody, options?: CallOptions): Promise<types.EmailWebhookDeliveriesReplaySinceReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/send/v1/webhooks/${id}/replay`, body }, options)
  }
}

export class EmailMethods {
  readonly domains: EmailDomainsMethods
  readonly contacts: EmailContactsMethods
  readonly contactImports: EmailContactImportsMethods
  readonly segments: EmailSegmentsMethods
  readonly reconfirmations: EmailReconfirmationsMethods
  readonly verify: EmailVerifyMethods
  readonly messageBatches: EmailMessageBatchesMethods
  readonly messages: EmailMessagesMethods
  readonly inboundRoutes: EmailInboundRoutesMethods
  readonly inboundStorage: EmailInboundStorageMethods
  readonly received: EmailReceivedMethods
  readonly templates: EmailTemplatesMethods
  readonly campaigns: EmailCampaignsMethods
  readonly suppressions: EmailSuppressionsMethods
  readonly analytics: EmailAnalyticsMethods
  readonly usage: EmailUsageMethods
  readonly status: EmailStatusMethods
  readonly webhooks: EmailWebhooksMethods
  readonly webhookDeliveries: EmailWebhookDeliveriesMethods

  constructor(transport: Transport) {
    this.domains = new EmailDomainsMethods(transport)
    this.contacts = new EmailContactsMethods(transport)
    this.contactImports = new EmailContactImportsMethods(transport)
    this.segments = new EmailSegmentsMethods(transport)
    this.reconfirmations = new EmailReconfirmationsMethods(transport)
    this.verify = new EmailVerifyMethods(transport)
    this.messageBatches = new EmailMessageBatchesMethods(transport)
    this.messages = new EmailMessagesMethods(transport)
    this.inboundRoutes = new EmailInboundRoutesMethods(transport)
    this.inboundStorage = new EmailInboundStorageMethods(transport)
    this.received = new EmailReceivedMethods(transport)
    this.templates = new EmailTemplatesMethods(transport)
    this.campaigns = new EmailCampaignsMethods(transport)
    this.suppressions = new EmailSuppressionsMethods(transport)
    this.analytics = new EmailAnalyticsMethods(transport)
    this.usage = new EmailUsageMethods(transport)
    this.status = new EmailStatusMethods(transport)
    this.webhooks = new EmailWebhooksMethods(transport)
    this.webhookDeliveries = new EmailWebhookDeliveriesMethods(transport)
  }
}

export class ErpCompaniesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the officers of a company.
   *
   * As far as a register that has been imported tells of them; `known` is false where none tells of any company of the jurisdiction. The first 500, by their roles and names.
   */
  officers(code: string, query?: types.ErpCompaniesOfficersQuery, options?: CallOptions): Promise<types.ErpCompaniesOfficersReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/erp/companies/${code}/officers`, query }, options)
  }

  /**
   * Read a company.
   *
   * By the code its register gave it. Where several jurisdictions know that code, 400 `ambiguous_code` names them.
   */
  read(code: string, query?: types.ErpCompaniesReadQuery, options?: CallOptions): Promise<types.ErpCompany> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/erp/companies/${code}`, query }, options)
  }

  /**
   * Search companies.
   *
   * By code, VAT number and LEI exactly, then by how names begin, then by words that are like those of names and previous names. Legal forms, marks and small or large letters make no difference. Without `q`, all that the filters let through, by their names.
   */
  search(query?: types.ErpCompaniesSearchQuery, options?: CallOptions): Listing<types.ErpFound> {
    return this.#transport.list({ verb: 'GET', path: '/v1/erp/companies', query }, options)
  }
}

export class ErpRegistersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List what an import has changed.
   *
   * Companies that an import has added, changed, and no longer has, with their counts. Kept for 90 days, at most 100,000 of a kind; of the first import of a register (`first`) none is listed, and officers are counted alone.
   */
  changes(id: string, query?: types.ErpRegistersChangesQuery, options?: CallOptions): Listing<types.ErpChange> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/erp/imports/${id}/changes`, query }, options)
  }

  /**
   * List registers.
   *
   * The registers that companies and officers are known from, by their names, and how fresh each is.
   */
  list(options?: CallOptions): Promise<types.ErpRegistersListReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/erp/registers' }, options)
  }
}

export class ErpMethods {
  readonly companies: ErpCompaniesMethods
  readonly registers: ErpRegistersMethods

  constructor(transport: Transport) {
    this.companies = new ErpCompaniesMethods(transport)
    this.registers = new ErpRegistersMethods(transport)
  }
}

export class FilesHealthMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Service health: database, storage and scanner.
   *
   * Returns whether the database, object storage and the malware scanner are available. The response contains no secrets.
   */
  check(options?: CallOptions): Promise<types.FilesHealth> {
    return this.#transport.json({ verb: 'GET', path: '/v1/files/health', open: true }, options)
  }
}

export class FilesUploadsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Complete an upload and scan it.
   *
   * Waits a moment for the verdict; `scan_status` is `pending` or `scanning` when it takes longer. Later PUTs to the upload URL change nothing. Completing twice answers the same.
   */
  complete(id: string, body?: types.FilesUploadsCompleteBody, options?: CallOptions): Promise<types.FilesObject> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/uploads/${id}/complete`, body, repeatable: true }, options)
  }

  /**
   * Start an upload.
   *
   * PUT the bytes to `upload_url` with exactly `upload_headers`, then complete the upload. With `browser` a page does both: the `upload_token` opens reading, completion and deletion of this object, until it is completed.
   */
  start(body: types.FilesUploadsStartBody, options?: CallOptions): Promise<types.FilesUpload> {
    return this.#transport.json({ verb: 'POST', path: '/v1/files/uploads', body }, options)
  }
}

export class FilesObjectsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Sign a download URL of a clean object.
   *
   * Fails closed: 409 with `scan_status` for whatever is not found clean. Browsers save it, never show it.
   */
  downloadUrl(id: string, body?: types.FilesObjectsDownloadUrlBody, options?: CallOptions): Promise<types.FilesObjectsDownloadUrlReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/objects/${id}/download-url`, body, repeatable: true }, options)
  }

  /**
   * List objects, newest first.
   *
   * Each once, with the facts of the version that is served; `scan_status` filters by the first version.
   */
  list(query?: types.FilesObjectsListQuery, options?: CallOptions): Listing<types.FilesObjectSummary> {
    return this.#transport.list({ verb: 'GET', path: '/v1/files/objects', query }, options)
  }

  /**
   * Read an object and its verdict.
   *
   * Returns the metadata of the object, its `scan_status` and the verdict of the last scan.
   */
  read(id: string, query?: types.FilesObjectsReadQuery, options?: CallOptions): Promise<types.FilesObject> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/files/objects/${id}`, query }, options)
  }

  /**
   * Delete an object.
   *
   * Nobody finds it any more, nor its later versions; by the id of a later version that one alone goes. Storage is freed, and signed URLs stop working, soon after.
   */
  remove(id: string, query?: types.FilesObjectsRemoveQuery, options?: CallOptions): Promise<types.FilesObjectsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/files/objects/${id}`, query }, options)
  }
}

export class FilesVersionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the versions of an object, newest first.
   *
   * Returns each version of the object with its own scan status, and which version is served.
   */
  list(id: string, query?: types.FilesVersionsListQuery, options?: CallOptions): Promise<types.FilesVersionsListReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/files/objects/${id}/versions`, query }, options)
  }

  /**
   * Start an upload of new bytes for an object.
   *
   * The answer is that of an upload, and is completed in the same way, by the `object_id` in it. The version before is served until the new one is found clean; one that is not is never served.
   */
  start(id: string, body: types.FilesVersionsStartBody, options?: CallOptions): Promise<types.FilesVersionUpload> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/objects/${id}/versions`, body }, options)
  }
}

export class FilesPreviewsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make a preview of a clean PDF or picture.
   *
   * Answers with a link to a JPEG that works for five minutes: of a page of a PDF, or of a picture (PNG, JPEG, WebP, GIF, BMP). It is drawn in a sandbox, by what the bytes are and not by what they are called; 409 for whatever is not found clean.
   */
  create(id: string, body?: types.FilesPreviewsCreateBody, options?: CallOptions): Promise<types.FilesPreviewsCreateReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/objects/${id}/preview-url`, body, repeatable: true }, options)
  }
}

export class FilesWebhooksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a webhook.
   *
   * Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.
   */
  create(body: types.FilesWebhooksCreateBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/v1/files/webhooks', body }, options)
  }

  /**
   * List webhooks.
   *
   * Returns the endpoints that receive events of this area, without their signing secrets.
   */
  list(query?: types.FilesWebhooksListQuery, options?: CallOptions): Listing<types.WebhooksEndpoint> {
    return this.#transport.list({ verb: 'GET', path: '/v1/files/webhooks', query }, options)
  }

  /**
   * Enable a disabled webhook.
   *
   * What waited for it when it was disabled is delivered.
   */
  enable(id: string, options?: CallOptions): Promise<types.WebhooksEndpoint> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/webhooks/${id}/enable`, repeatable: true }, options)
  }

  /**
   * Remove a webhook.
   *
   * With it goes what is still to be delivered to it, and its log.
   */
  remove(id: string, options?: CallOptions): Promise<types.FilesWebhooksRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/files/webhooks/${id}` }, options)
  }

  /**
   * Replace the secret of a webhook.
   *
   * Deliveries carry two signatures for as long as the secret before is kept.
   */
  rotateSecret(id: string, body?: types.FilesWebhooksRotateSecretBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/webhooks/${id}/rotate-secret`, body }, options)
  }

  /**
   * Send a test event.
   *
   * A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
   */
  test(id: string, options?: CallOptions): Promise<types.WebhooksTestResult> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/webhooks/${id}/test` }, options)
  }
}

export class FilesWebhookDeliveriesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries to a webhook, newest first.
   *
   * Each delivery contains the status, the number of attempts and the last response of the endpoint.
   */
  list(id: string, query?: types.FilesWebhookDeliveriesListQuery, options?: CallOptions): Listing<types.WebhooksDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/files/webhooks/${id}/deliveries`, query }, options)
  }

  /**
   * Deliver an event again.
   *
   * With the same `webhook-id`, and as many attempts as a new one.
   */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<types.FilesWebhookDeliveriesReplayReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/webhooks/${id}/deliveries/${deliveryId}/replay` }, options)
  }

  /**
   * Deliver events since an instant again.
   *
   * The oldest first, at most 10000 in one request: the next one is `since` `next_since`.
   */
  replaySince(id: string, body: types.FilesWebhookDeliveriesReplaySinceBody, options?: CallOptions): Promise<types.FilesWebhookDeliveriesReplaySinceReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/webhooks/${id}/replay`, body }, options)
  }
}

export class FilesRescansMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The latest 50 scans of an object, newest first.
   *
   * Each scan contains its cause, its result and the version of the signatures that were used.
   */
  list(id: string, query?: types.FilesRescansListQuery, options?: CallOptions): Promise<types.FilesRescansListReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/files/objects/${id}/scans`, query }, options)
  }

  /**
   * Scan an object again.
   *
   * The object is `pending` until the verdict and cannot be downloaded meanwhile. Waits a moment for the verdict. An infected object that is found clean leaves the quarantine.
   */
  request(id: string, body?: types.FilesRescansRequestBody, options?: CallOptions): Promise<types.FilesObject> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/files/objects/${id}/scan`, body }, options)
  }
}

export class FilesMethods {
  readonly health: FilesHealthMethods
  readonly uploads: FilesUploadsMethods
  readonly objects: FilesObjectsMethods
  readonly versions: FilesVersionsMethods
  readonly previews: FilesPreviewsMethods
  readonly webhooks: FilesWebhooksMethods
  readonly webhookDeliveries: FilesWebhookDeliveriesMethods
  readonly rescans: FilesRescansMethods

  constructor(transport: Transport) {
    this.health = new FilesHealthMethods(transport)
    this.uploads = new FilesUploadsMethods(transport)
    this.objects = new FilesObjectsMethods(transport)
    this.versions = new FilesVersionsMethods(transport)
    this.previews = new FilesPreviewsMethods(transport)
    this.webhooks = new FilesWebhooksMethods(transport)
    this.webhookDeliveries = new FilesWebhookDeliveriesMethods(transport)
    this.rescans = new FilesRescansMethods(transport)
  }
}

export class GeoLookupsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Locate up to 100 addresses.
   *
   * Answers in the order of the question, duplicates included; one that is no address fails alone.
   */
  batch(body: types.GeoLookupsBatchBody, options?: CallOptions): Promise<types.GeoLookupsBatchReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/geo/batch', body, repeatable: true }, options)
  }

  /**
   * Locate the calling address.
   *
   * The address past trusted proxies; `X-Forwarded-For` counts only where a proxy in TRUSTED_PROXIES set it.
   */
  caller(query?: types.GeoLookupsCallerQuery, options?: CallOptions): Promise<types.GeoLocation> {
    return this.#transport.json({ verb: 'GET', path: '/v1/geo', query }, options)
  }

  /**
   * Locate the calling address, as `GET /v1/geo`.
   *
   * The address past trusted proxies; `X-Forwarded-For` counts only where a proxy in TRUSTED_PROXIES set it.
   */
  me(query?: types.GeoLookupsMeQuery, options?: CallOptions): Promise<types.GeoLocation> {
    return this.#transport.json({ verb: 'GET', path: '/v1/geo/me', query }, options)
  }

  /**
   * Locate an address.
   *
   * Addresses that are nowhere on the internet are answered with `bogon: true` and their kind; unknown ones with nulls.
   */
  read(ip: string, query?: types.GeoLookupsReadQuery, options?: CallOptions): Promise<types.GeoLocation> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/geo/${ip}`, query }, options)
  }
}

export class GeoMethods {
  readonly lookups: GeoLookupsMethods

  constructor(transport: Transport) {
    this.lookups = new GeoLookupsMethods(transport)
  }
}

export class GuardSitesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a site.
   *
   * Its `site_key` is public: it can ask for challenges, from pages of the origins, and nothing else.
   */
  create(body: types.GuardSitesCreateBody, options?: KeyedCallOptions): Promise<types.GuardSite> {
    return this.#transport.json({ verb: 'POST', path: '/v1/guard/sites', body, takesKey: true }, options)
  }

  /**
   * List sites, newest first.
   *
   * Returns the sites that issue challenges, with their site key and policy.
   */
  list(query?: types.GuardSitesListQuery, options?: CallOptions): Listing<types.GuardSite> {
    return this.#transport.list({ verb: 'GET', path: '/v1/guard/sites', query }, options)
  }

  /**
   * Read a site.
   *
   * Returns the site key, the allowed origins and the policy of the site.
   */
  read(siteId: string, options?: CallOptions): Promise<types.GuardSite> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/guard/sites/${siteId}` }, options)
  }

  /**
   * Delete a site.
   *
   * With it go its key and its counts; its tokens are `unknown` from then on.
   */
  remove(siteId: string, options?: CallOptions): Promise<types.GuardSitesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/guard/sites/${siteId}` }, options)
  }

  /**
   * Change a site.
   *
   * What is not given stays, in `policy`, too; `origins` replaces all. In force on every process within 5 seconds.
   */
  update(siteId: string, body?: types.GuardSitesUpdateBody, options?: CallOptions): Promise<types.GuardSite> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/guard/sites/${siteId}`, body }, options)
  }

  /**
   * Replace a site key.
   *
   * The old one ends within 5 seconds. Challenges and tokens that it has earned stay good.
   */
  rotate(siteId: string, options?: CallOptions): Promise<types.GuardSite> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/guard/sites/${siteId}/rotate` }, options)
  }
}

export class GuardAssessMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Judge an attempt.
   *
   * Says what is to become of an attempt and why: each reason has the weight that it adds to the score. `allow` (below 15): nothing speaks against it, a challenge would be of the lowest tier; `challenge`: of that tier; `deny` (from 90 on): none is to be had with this assessment. Signals are claims of the page, which count only against it; without any, the attempt weighs a little more. The challenge that names the assessment is judged by its signals and by the traffic of that moment.
   */
  create(body: types.GuardAssessCreateBody, options?: CallOptions): Promise<types.GuardAssessment> {
    return this.#transport.json({ verb: 'POST', path: '/v1/guard/assess', body, repeatable: true }, options)
  }
}

export class GuardChallengesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Issue a challenge.
   *
   * With `scrypt`: for puzzle i find k of `range` numbers from `base` on (modulo 2^32) so that the first 4 bytes of scrypt(password = u16be(i) ‖ u32be(k), salt = nonce) are `check`; the answer is the SHA-256 of the other bytes of all outputs, in order. With `sha256` (no puzzle was in stock, or it was asked for; never where the site forbids it, which answers 503 with an empty stock): for i from 0 find a u32 counter c so that SHA-256(nonce ‖ u16be(i) ‖ u32be(c)) begins with `bits` zero bits; the answer is all counters, four bytes each, big-endian. Bytes are base64url without padding.
   */
  create(body: types.GuardChallengesCreateBody, options?: CallOptions): Promise<types.GuardChallengesCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/guard/challenges', body, repeatable: true }, options)
  }
}

export class GuardAnswersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Answer a challenge.
   *
   * From the address and page that it was issued to, once: a wrong answer spends the challenge. The token is good for its action, once, for 300 seconds.
   */
  complete(id: string, body: types.GuardAnswersCompleteBody, options?: CallOptions): Promise<types.GuardEarned> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/guard/challenges/${id}/complete`, body }, options)
  }
}

export class GuardTokensMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Verify and spend a token.
   *
   * `valid: true` exactly once. Else `reason` says why: `expired` (ask again), `replayed` (it was spent before: hostile), `action_mismatch` (it was earned for something else, and is left as it is) or `unknown`.
   */
  verify(body: types.GuardTokensVerifyBody, options?: KeyedCallOptions): Promise<types.GuardVerdict> {
    return this.#transport.json({ verb: 'POST', path: '/v1/guard/tokens/verify', body, takesKey: true }, options)
  }
}

export class GuardMethods {
  readonly sites: GuardSitesMethods
  readonly assess: GuardAssessMethods
  readonly challenges: GuardChallengesMethods
  readonly answers: GuardAnswersMethods
  readonly tokens: GuardTokensMethods

  constructor(transport: Transport) {
    this.sites = new GuardSitesMethods(transport)
    this.assess = new GuardAssessMethods(transport)
    this.challenges = new GuardChallengesMethods(transport)
    this.answers = new GuardAnswersMethods(transport)
    this.tokens = new GuardTokensMethods(transport)
  }
}

export class IdentityRequirementsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List what products ask for.
   *
   * Returns, for each product, the checks that a person must pass. Set `product` to read one product.
   */
  list(query?: types.IdentityRequirementsListQuery, options?: CallOptions): Promise<types.IdentityRequirementsListReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/identity/requirements', query }, options)
  }
}

export class IdentityReadinessMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Tell whether a subject is ready for a product, and what is next.
   *
   * Send the person to `next_step.prompt_url`: the link is signed, works once and for 30 minutes; each call gives a new one.
   */
  read(query?: types.IdentityReadinessReadQuery, options?: CallOptions): Promise<types.IdentityReadinessReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/identity/readiness', query }, options)
  }
}

export class IdentityStatusMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Tell what is proven of a subject.
   *
   * Returns the checks that the person has passed and the resulting level for the product.
   */
  read(query?: types.IdentityStatusReadQuery, options?: CallOptions): Promise<types.IdentityStatusReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/identity/status', query }, options)
  }
}

export class IdentityFaceMatchMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Compare the faces of two pictures.
   *
   * The pictures are held in memory until the answer, never stored and never logged. A match is no proof that somebody is there: liveness is not checked, and decisions about people belong to people. At most 16 MiB a request.
   */
  create(body: types.IdentityFaceMatchCreateBody, options?: CallOptions): Promise<types.IdentityFaceMatchCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/identity/face-match', body }, options)
  }
}

export class IdentityChecksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Record that a requirement is met, or is not.
   *
   * For a server that verifies people by means of its own; recording the same twice changes nothing more.
   */
  record(body: types.IdentityChecksRecordBody, options?: CallOptions): Promise<types.IdentityCheck> {
    return this.#transport.json({ verb: 'POST', path: '/v1/identity/checks', body }, options)
  }
}

export class IdentityDocumentMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Tell what was read on a subject’s document.
   *
   * The machine-readable lines (ICAO 9303: TD1, TD2, TD3), and which of their checks hold. Facts for who decides, never a decision.
   */
  read(query?: types.IdentityDocumentReadQuery, options?: CallOptions): Promise<types.IdentityDocument> {
    return this.#transport.json({ verb: 'GET', path: '/v1/identity/document', query }, options)
  }

  /**
   * Have a subject’s document read anew.
   *
   * As after the reader was installed, or for a document that was handed in before there was one.
   */
  readAgain(body?: types.IdentityDocumentReadAgainBody, options?: CallOptions): Promise<types.IdentityDocument> {
    return this.#transport.json({ verb: 'POST', path: '/v1/identity/document/read', body }, options)
  }
}

export class IdentityMethods {
  readonly requirements: IdentityRequirementsMethods
  readonly readiness: IdentityReadinessMethods
  readonly status: IdentityStatusMethods
  readonly faceMatch: IdentityFaceMatchMethods
  readonly checks: IdentityChecksMethods
  readonly document: IdentityDocumentMethods

  constructor(transport: Transport) {
    this.requirements = new IdentityRequirementsMethods(transport)
    this.readiness = new IdentityReadinessMethods(transport)
    this.status = new IdentityStatusMethods(transport)
    this.faceMatch = new IdentityFaceMatchMethods(transport)
    this.checks = new IdentityChecksMethods(transport)
    this.document = new IdentityDocumentMethods(transport)
  }
}

export class NotifyHealthMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Service health: the database.
   *
   * Returns whether the database is available. The response contains no secrets.
   */
  check(options?: CallOptions): Promise<types.NotifyHealth> {
    return this.#transport.json({ verb: 'GET', path: '/v1/notify/health', open: true }, options)
  }
}

export class NotifyEventsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Tell a person of something.
   *
   * The workflow of its product and type tells the person step by step. Where there is none, the person’s preferences choose the channels: that of the type, else that of the product, else the inbox alone. What the event does not say of where to, the directory of people does. An email copy goes out on the stream `transactional`.
   */
  create(body: types.NotifyEventsCreateBody, options?: KeyedCallOptions): Promise<types.NotifyEventsCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/events', body, takesKey: true }, options)
  }

  /**
   * Read an event and what became of its copies.
   *
   * Returns the notification event and the status of its copy on each channel.
   */
  read(id: string, options?: CallOptions): Promise<types.NotifyEventsReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/notify/events/${id}` }, options)
  }
}

export class NotifyInboxMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List a person’s inbox, newest first.
   *
   * Returns the in-app notifications of the person that `user_id` names.
   */
  list(query: types.NotifyInboxListQuery, options?: CallOptions): Listing<types.NotifyItem> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/inbox', query }, options)
  }

  /**
   * Mark an item as read.
   *
   * Sets `read_at` if the item is unread. A repeated call changes nothing.
   */
  read(id: string, body: types.NotifyInboxReadBody, options?: CallOptions): Promise<types.NotifyItem> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/notify/inbox/${id}/read`, body, repeatable: true }, options)
  }

  /**
   * Mark all items as read.
   *
   * Marks every unread item of the person as read. Set `product_key` to limit the call to one product.
   */
  readAll(body: types.NotifyInboxReadAllBody, options?: CallOptions): Promise<types.NotifyInboxReadAllReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/inbox/read-all', body, repeatable: true }, options)
  }

  /**
   * Count what is unread.
   *
   * Returns the number of unread items of the person, in total and by product.
   */
  unreadCount(query: types.NotifyInboxUnreadCountQuery, options?: CallOptions): Promise<types.NotifyInboxUnreadCountReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/notify/unread-count', query }, options)
  }
}

export class NotifyMarksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Count what is unread and what was not shown yet.
   *
   * Returns the number of unread items and the number of items that the person has not seen in a list.
   */
  counts(query: types.NotifyMarksCountsQuery, options?: CallOptions): Promise<types.NotifyMarksCountsReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/notify/inbox/counts', query }, options)
  }

  /**
   * Mark items as read, seen or archived.
   *
   * Items that are of another person, or in no inbox, are passed over.
   */
  create(body: types.NotifyMarksCreateBody, options?: CallOptions): Promise<types.NotifyMarksCreateReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/inbox/marks', body, repeatable: true }, options)
  }
}

export class NotifyPreferencesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List a person’s preferences, newest first.
   *
   * Where there is none for a type, that of the type `*` holds; where there is none either, the inbox alone.
   */
  list(query: types.NotifyPreferencesListQuery, options?: CallOptions): Listing<types.NotifyPreference> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/preferences', query }, options)
  }

  /**
   * Set the channels of a type of events.
   *
   * Without `in_app` such events do not come into the inbox; with no channel at all, nobody is told. With `digest` mail is collected and sent as one when the window ends, which the first event opens.
   */
  put(body: types.NotifyPreferencesPutBody, options?: CallOptions): Promise<types.NotifyPreference> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/notify/preferences', body }, options)
  }

  /**
   * Delete a preference.
   *
   * The channels of the event type go back to their defaults.
   */
  remove(query: types.NotifyPreferencesRemoveQuery, options?: CallOptions): Promise<types.NotifyPreferencesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: '/v1/notify/preferences', query }, options)
  }
}

export class NotifyStreamMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make a token for the stream of an inbox.
   *
   * For a page, which must never have an API key. Load the inbox after this, then open `url` with `EventSource`: the stream begins with what has happened since. When the token ends, or the API key that it was made with is revoked, so does the stream, and the page needs another one.
   */
  createToken(body: types.NotifyStreamCreateTokenBody, options?: CallOptions): Promise<types.NotifyStreamCreateTokenReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/stream-tokens', body, repeatable: true }, options)
  }

  /**
   * Watch an inbox.
   *
   * Server-sent events: `item` (as the inbox has it), `read` (`ids`, `read_at`), `marked` (`items`, each with its `id` and how it stands), `unread_count`, and `reset`: too much has happened since the last event, so load the inbox anew. A client that comes back gets what it missed (`Last-Event-ID`). 401 when the token is over: make another one.
   */
  watch(query: types.NotifyStreamWatchQuery, options?: CallOptions): EventStream {
    return this.#transport.events({ verb: 'GET', path: '/v1/notify/stream', query, open: true }, options)
  }
}

export class NotifyFeedMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read the inbox that a page’s token is for.
   *
   * For pages: the token of `POST /v1/notify/stream-tokens` is sent as `Authorization: Bearer …`.
   */
  list(query?: types.NotifyFeedListQuery, options?: CallOptions): Listing<types.NotifyItem> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/feed', query, open: true }, options)
  }

  /**
   * Mark items of the inbox that a page’s token is for.
   *
   * For pages, with a token that was made with `marks`.
   */
  mark(body: types.NotifyFeedMarkBody, options?: CallOptions): Promise<types.NotifyFeedMarkReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/feed/marks', body, repeatable: true, open: true }, options)
  }
}

export class NotifyPeopleMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List people, newest first.
   *
   * Returns the people whose contact details you have stored. Use `email` to search for one address.
   */
  list(query?: types.NotifyPeopleListQuery, options?: CallOptions): Listing<types.NotifyPerson> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/people', query }, options)
  }

  /**
   * Keep a person in the directory.
   *
   * In place of all that was known: what is not given is forgotten. Events then need not say where to.
   */
  put(userId: string, body?: types.NotifyPeoplePutBody, options?: CallOptions): Promise<types.NotifyPerson> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/notify/people/${userId}`, body }, options)
  }

  /**
   * Read a person.
   *
   * Returns the stored contact details, locale, time zone and data of the person.
   */
  read(userId: string, options?: CallOptions): Promise<types.NotifyPerson> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/notify/people/${userId}` }, options)
  }

  /**
   * Remove a person from the directory.
   *
   * Steps of workflows that wait for the person are not taken; their traces say `person_removed`. The inbox stays as long as events are kept.
   */
  remove(userId: string, options?: CallOptions): Promise<types.NotifyPeopleRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/notify/people/${userId}` }, options)
  }

  /**
   * Keep up to 100 people in the directory.
   *
   * All of them or none: an answer of 400 names every fault of each.
   */
  putMany(body: types.NotifyPeoplePutManyBody, options?: CallOptions): Promise<types.NotifyPeoplePutManyReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/notify/people/batch', body, repeatable: true }, options)
  }
}

export class NotifyWorkflowsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List workflows, newest first.
   *
   * Returns workflows with their newest version and their published version. Read a workflow for its steps.
   */
  list(query?: types.NotifyWorkflowsListQuery, options?: CallOptions): Listing<types.NotifyWorkflowSummary> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/workflows', query }, options)
  }

  /**
   * Publish a workflow.
   *
   * Makes a version of what is written. Events start it from now on; runs that have begun keep the version and the texts that they began with.
   */
  publish(key: string, options?: CallOptions): Promise<types.NotifyWorkflow> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/notify/workflows/${key}/publish` }, options)
  }

  /**
   * Write a workflow.
   *
   * Keeps it as a draft, in place of what was written before. Nothing runs differently until `POST …/publish` makes a version of it.
   */
  put(key: string, body: types.NotifyWorkflowsPutBody, options?: CallOptions): Promise<types.NotifyWorkflow> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/notify/workflows/${key}`, body }, options)
  }

  /**
   * Read a workflow and its versions.
   *
   * Returns the steps of the workflow and the list of its versions.
   */
  read(key: string, options?: CallOptions): Promise<types.NotifyWorkflowsReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/notify/workflows/${key}` }, options)
  }

  /**
   * Delete a workflow and stop its runs.
   *
   * Runs in progress stop immediately. The response contains their number.
   */
  remove(key: string, options?: CallOptions): Promise<types.NotifyWorkflowsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/notify/workflows/${key}` }, options)
  }

  /**
   * Take a workflow out of use.
   *
   * Events go by preferences again. Runs that have begun go on.
   */
  unpublish(key: string, options?: CallOptions): Promise<types.NotifyWorkflow> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/notify/workflows/${key}/unpublish`, repeatable: true }, options)
  }
}

export class NotifyTextsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List texts, newest first.
   *
   * Returns the titles and bodies that are stored for event types, by locale.
   */
  list(query?: types.NotifyTextsListQuery, options?: CallOptions): Listing<types.NotifyText> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/texts', query }, options)
  }

  /**
   * Write a text of a type and language.
   *
   * Makes its next version, which runs have that begin from now on. A run has the text of the person’s language (`de-AT`, then `de`), else of the workflow’s `fallback_locale`, else what the event itself says.
   */
  put(body: types.NotifyTextsPutBody, options?: CallOptions): Promise<types.NotifyText> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/notify/texts', body }, options)
  }

  /**
   * Remove a text.
   *
   * From now on there is none of this type and language; runs that have begun still have it.
   */
  remove(query: types.NotifyTextsRemoveQuery, options?: CallOptions): Promise<types.NotifyTextsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: '/v1/notify/texts', query }, options)
  }
}

export class NotifyRunsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Cancel a run.
   *
   * No further step of it is taken; what has gone out has gone out. 409 when it has ended already.
   */
  cancel(id: string, options?: CallOptions): Promise<types.NotifyRun> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/notify/runs/${id}/cancel` }, options)
  }

  /**
   * List runs of workflows, newest first.
   *
   * Returns workflow runs. Filters select a workflow, a person or a state.
   */
  list(query?: types.NotifyRunsListQuery, options?: CallOptions): Listing<types.NotifyRun> {
    return this.#transport.list({ verb: 'GET', path: '/v1/notify/runs', query }, options)
  }

  /**
   * Read a run and the trace of its steps.
   *
   * Returns the run with each step: what it did, when, and why it was skipped.
   */
  read(id: string, options?: CallOptions): Promise<types.NotifyRunsReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/notify/runs/${id}` }, options)
  }
}

export class NotifyMethods {
  readonly health: NotifyHealthMethods
  readonly events: NotifyEventsMethods
  readonly inbox: NotifyInboxMethods
  readonly marks: NotifyMarksMethods
  readonly preferences: NotifyPreferencesMethods
  readonly stream: NotifyStreamMethods
  readonly feed: NotifyFeedMethods
  readonly people: NotifyPeopleMethods
  readonly workflows: NotifyWorkflowsMethods
  readonly texts: NotifyTextsMethods
  readonly runs: NotifyRunsMethods

  constructor(transport: Transport) {
    this.health = new NotifyHealthMethods(transport)
    this.events = new NotifyEventsMethods(transport)
    this.inbox = new NotifyInboxMethods(transport)
    this.marks = new NotifyMarksMethods(transport)
    this.preferences = new NotifyPreferencesMethods(transport)
    this.stream = new NotifyStreamMethods(transport)
    this.feed = new NotifyFeedMethods(transport)
    this.people = new NotifyPeopleMethods(transport)
    this.workflows = new NotifyWorkflowsMethods(transport)
    this.texts = new NotifyTextsMethods(transport)
    this.runs = new NotifyRunsMethods(transport)
  }
}

export class PushMessagesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Cancel a scheduled message, or the rest of one to many.
   *
   * 409 once a message to one person is being sent. Of one to many no device is sent to any more that has not been.
   */
  cancel(messageId: string, options?: CallOptions): Promise<types.PushMessagesCancelReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/messages/${messageId}` }, options)
  }

  /**
   * List messages, newest first.
   *
   * Returns messages. Filters select an app, a user or a type of target.
   */
  list(query?: types.PushMessagesListQuery, options?: CallOptions): Listing<types.PushListedMessage> {
    return this.#transport.list({ verb: 'GET', path: '/push/v1/messages', query }, options)
  }
}

export class PushInstallationsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Claim a device of nobody for a user.
   *
   * As on sign-in: its tags and subscriptions stay. A stream that is open ends, and resumes. 409 for a device of somebody else, which moves by registering again.
   */
  claim(installationId: string, body: types.PushInstallationsClaimBody, options?: CallOptions): Promise<types.PushInstallation> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/installations/${installationId}/claim`, body, repeatable: true }, options)
  }

  /**
   * Remove a device.
   *
   * As on sign-out. What is queued for it is not sent.
   */
  remove(installationId: string, options?: CallOptions): Promise<types.PushInstallationsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/installations/${installationId}` }, options)
  }

  /**
   * Change a device’s tags, time zone or language.
   *
   * Omitted fields keep their values. `tags` replaces all tags of the device.
   */
  update(installationId: string, body?: types.PushInstallationsUpdateBody, options?: CallOptions): Promise<types.PushInstallation> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/push/v1/installations/${installationId}`, body }, options)
  }
}

export class PushUsersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Remove a user with all of theirs.
   *
   * Devices, streams and subscriptions go at once; what waits for them is not sent, and messages to them alone are deleted within moments.
   */
  remove(appId: string, userId: string, options?: CallOptions): Promise<types.PushUsersRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/apps/${appId}/users/${userId}` }, options)
  }
}

export class PushTopicsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List topics by their names.
   *
   * Returns the topics of the app that have at least one subscription.
   */
  list(appId: string, query?: types.PushTopicsListQuery, options?: CallOptions): Listing<types.PushTopic> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/topics`, query }, options)
  }

  /**
   * Subscribe people or devices to a topic.
   *
   * A topic is there as soon as somebody is subscribed to it. People are registered with it; a device that the app does not have is a fault.
   */
  subscribe(appId: string, topic: string, body?: types.PushTopicsSubscribeBody, options?: CallOptions): Promise<types.PushTopicsSubscribeReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/apps/${appId}/topics/${topic}/subscribe`, body, repeatable: true }, options)
  }

  /**
   * List who is subscribed to a topic, newest first.
   *
   * Returns the users and devices that are subscribed to the topic.
   */
  subscriptions(appId: string, topic: string, query?: types.PushTopicsSubscriptionsQuery, options?: CallOptions): Listing<types.PushSubscription> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/topics/${topic}/subscriptions`, query }, options)
  }

  /**
   * End subscriptions to a topic.
   *
   * What is queued for them is not sent. A person’s subscription and those of their devices are apart: who is to get nothing leaves both.
   */
  unsubscribe(appId: string, topic: string, body?: types.PushTopicsUnsubscribeBody, options?: CallOptions): Promise<types.PushTopicsUnsubscribeReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/apps/${appId}/topics/${topic}/unsubscribe`, body, repeatable: true }, options)
  }
}

export class PushAppsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Delete an app.
   *
   * With it go its credentials, users, installations, messages and counts; what is queued is not sent.
   */
  remove(appId: string, options?: CallOptions): Promise<types.PushAppsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/apps/${appId}` }, options)
  }

  /**
   * Rename an app.
   *
   * Changes the name of the app. Devices and credentials are not affected.
   */
  update(appId: string, body: types.PushAppsUpdateBody, options?: CallOptions): Promise<types.PushApp> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/push/v1/apps/${appId}`, body }, options)
  }
}

export class PushCredentialsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Set a credential.
   *
   * apns: `key` (the .p8 text), `key_id`, `team_id`, `topic`, `environment`. fcm: `service_account` (the JSON object). webpush: a new VAPID pair is made, and browsers must subscribe again; `subject`. The provider is asked whether it is good: `check`. What waited for the one before is sent.
   */
  put(appId: string, provider: string, body?: types.PushCredentialsPutBody, options?: CallOptions): Promise<types.PushCredential> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/push/v1/apps/${appId}/credentials/${provider}`, body }, options)
  }

  /**
   * Read what is known of credentials.
   *
   * Never the secrets.
   */
  read(appId: string, provider: string, options?: CallOptions): Promise<types.PushCredentialsReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/credentials/${provider}` }, options)
  }

  /**
   * Remove a credential.
   *
   * Of one environment, or of all. What is queued for the provider fails with `no_credential`.
   */
  remove(appId: string, provider: string, query?: types.PushCredentialsRemoveQuery, options?: CallOptions): Promise<types.PushCredentialsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/apps/${appId}/credentials/${provider}`, query }, options)
  }

  /**
   * Try a refused credential again.
   *
   * Its breaker waits no longer: a few of the deliveries that wait are sent now, and the others once one of them was taken. For one that is not refused it changes nothing.
   */
  retry(appId: string, provider: string, body?: types.PushCredentialsRetryBody, options?: CallOptions): Promise<types.PushCredential> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/apps/${appId}/credentials/${provider}/retry`, body }, options)
  }
}

export class PushStreamMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Receive messages as server-sent events.
   *
   * For an installation whose `push_provider` is `sse`, with the token that its registration has answered, in `token` or as `Authorization: Bearer`. Each event `message` has the number of the person’s event as `id`, and `delivery_id`, `message_id`, `title`, `body`, `image`, `data` and `receipt_token` as data. It counts as delivered when its receipt has come (`POST /receipts`). A client that comes back with `Last-Event-ID` gets what it has missed and is still of use; one without gets what no receipt has confirmed. `reset`: some of what was missed is not kept. 204 when the installation is removed, invalidated or another person’s, 401 when the token is over, or the API key is that it was made with: register again.
   */
  watch(query?: types.PushStreamWatchQuery, options?: CallOptions): EventStream {
    return this.#transport.events({ verb: 'GET', path: '/push/v1/stream', query, open: true }, options)
  }
}

export class PushTemplatesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read a template.
   *
   * Returns the template with its text in each locale and the names of its variables.
   */
  read(templateId: string, options?: CallOptions): Promise<types.PushTemplate> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/templates/${templateId}` }, options)
  }

  /**
   * Delete a template.
   *
   * Messages that were accepted with it are sent.
   */
  remove(templateId: string, options?: CallOptions): Promise<types.PushTemplatesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/templates/${templateId}` }, options)
  }

  /**
   * Change a template.
   *
   * `locales` replaces all texts. With `version` it is refused when another change was first.
   */
  update(templateId: string, body?: types.PushTemplatesUpdateBody, options?: CallOptions): Promise<types.PushTemplate> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/push/v1/templates/${templateId}`, body }, options)
  }
}

export class PushWebhooksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Enable a disabled webhook.
   *
   * What waited for it when it was disabled is delivered.
   */
  enable(id: string, options?: CallOptions): Promise<types.WebhooksEndpoint> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/webhooks/${id}/enable`, repeatable: true }, options)
  }

  /**
   * Remove a webhook.
   *
   * With it goes what is still to be delivered to it, and its log.
   */
  remove(id: string, options?: CallOptions): Promise<types.PushWebhooksRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/webhooks/${id}` }, options)
  }

  /**
   * Replace the secret of a webhook.
   *
   * Deliveries carry two signatures for as long as the secret before is kept.
   */
  rotateSecret(id: string, body?: types.PushWebhooksRotateSecretBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/webhooks/${id}/rotate-secret`, body }, options)
  }
}

export class PushWebhookDeliveriesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries to a webhook, newest first.
   *
   * Each delivery contains the status, the number of attempts and the last response of the endpoint.
   */
  list(id: string, query?: types.PushWebhookDeliveriesListQuery, options?: CallOptions): Listing<types.WebhooksDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/webhooks/${id}/deliveries`, query }, options)
  }

  /**
   * Deliver an event again.
   *
   * With the same `webhook-id`, and as many attempts as a new one.
   */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<types.PushWebhookDeliveriesReplayReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/webhooks/${id}/deliveries/${deliveryId}/replay` }, options)
  }

  /**
   * Deliver events since an instant again.
   *
   * The oldest first, at most 10000 in one request: the next one is `since` `next_since`.
   */
  replaySince(id: string, body: types.PushWebhookDeliveriesReplaySinceBody, options?: CallOptions): Promise<types.PushWebhookDeliveriesReplaySinceReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/webhooks/${id}/replay`, body }, options)
  }
}

export class PushBrowserMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read what a page subscribes its browser with.
   *
   * Returns the VAPID public key that the page passes to `pushManager.subscribe`. Call it with a public key.
   */
  read(options?: CallOptions): Promise<types.PushBrowserSetup> {
    return this.#transport.json({ verb: 'GET', path: '/push/v1/browser' }, options)
  }

  /**
   * Register or renew the browser that a page runs in.
   *
   * By a public key with `push:subscribe`, from a page of its origins. `user_token` says whose browser it is; without it the person stays, and a new browser is anonymous until one is given. A new subscription takes the place of the one before by `installation_token`, at once; a subscription that another browser has registered is refused. 404: the installation was removed, so nothing is renewed.
   */
  register(body: types.PushBrowserRegisterBody, options?: CallOptions): Promise<types.PushRegisteredBrowser> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/browser', body, repeatable: true }, options)
  }

  /**
   * Remove the browser that a page runs in.
   *
   * As on sign-out. What is queued for it is not sent.
   */
  unsubscribe(body: types.PushBrowserUnsubscribeBody, options?: CallOptions): Promise<types.PushBrowserUnsubscribeReply> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/browser/unsubscribe', body, repeatable: true }, options)
  }
}

export class PushUserTokensMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make a token by which a page registers its browser for a user.
   *
   * Your server makes it for who is signed in and puts it into the page, which hands it to `subscribe`. It registers the user, and ends with the key that made it and with the user.
   */
  create(body: types.PushUserTokensCreateBody, options?: CallOptions): Promise<types.PushUserToken> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/user-tokens', body, repeatable: true }, options)
  }
}

export class PushPublicKeysMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make a public key for pages of some origins.
   *
   * It stands in the page: it registers the browser that the page runs in, reports receipts, and does nothing else. Answers `key`, this once: so no idempotency key is taken, and a name that is repeated within a minute is a 409.
   */
  create(appId: string, body: types.PushPublicKeysCreateBody, options?: CallOptions): Promise<types.PushShownPublicKey> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/apps/${appId}/public-keys`, body }, options)
  }

  /**
   * List public keys of an app, newest first.
   *
   * Returns the keys that browsers use to register for push, with their allowed origins.
   */
  list(appId: string, query?: types.PushPublicKeysListQuery, options?: CallOptions): Listing<types.PushPublicKey> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/public-keys`, query }, options)
  }

  /**
   * Revoke a public key.
   *
   * For good; every process refuses it within seconds. Browsers that it has registered stay.
   */
  remove(appId: string, keyId: string, options?: CallOptions): Promise<types.PushPublicKeysRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/push/v1/apps/${appId}/public-keys/${keyId}` }, options)
  }

  /**
   * Change the origins of a public key.
   *
   * `origins` replaces all. In force on every process within seconds.
   */
  update(appId: string, keyId: string, body: types.PushPublicKeysUpdateBody, options?: CallOptions): Promise<types.PushPublicKey> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/push/v1/apps/${appId}/public-keys/${keyId}`, body }, options)
  }

  /**
   * Rotate a public key.
   *
   * Answers another `key`, this once; the one before is good for `keep_hours` more, in which pages that are open go on with it.
   */
  rotate(appId: string, keyId: string, body?: types.PushPublicKeysRotateBody, options?: CallOptions): Promise<types.PushShownPublicKey> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/apps/${appId}/public-keys/${keyId}/rotate`, body }, options)
  }
}

export class PushMethods {
  readonly #transport: Transport
  readonly messages: PushMessagesMethods
  readonly installations: PushInstallationsMethods
  readonly users: PushUsersMethods
  readonly topics: PushTopicsMethods
  readonly apps: PushAppsMethods
  readonly credentials: PushCredentialsMethods
  readonly stream: PushStreamMethods
  readonly templates: PushTemplatesMethods
  readonly webhooks: PushWebhooksMethods
  readonly webhookDeliveries: PushWebhookDeliveriesMethods
  readonly browser: PushBrowserMethods
  readonly userTokens: PushUserTokensMethods
  readonly publicKeys: PushPublicKeysMethods

  constructor(transport: Transport) {
    this.#transport = transport
    this.messages = new PushMessagesMethods(transport)
    this.installations = new PushInstallationsMethods(transport)
    this.users = new PushUsersMethods(transport)
    this.topics = new PushTopicsMethods(transport)
    this.apps = new PushAppsMethods(transport)
    this.credentials = new PushCredentialsMethods(transport)
    this.stream = new PushStreamMethods(transport)
    this.templates = new PushTemplatesMethods(transport)
    this.webhooks = new PushWebhooksMethods(transport)
    this.webhookDeliveries = new PushWebhookDeliveriesMethods(transport)
    this.browser = new PushBrowserMethods(transport)
    this.userTokens = new PushUserTokensMethods(transport)
    this.publicKeys = new PushPublicKeysMethods(transport)
  }

  /**
   * Read a message and what became of it.
   *
   * Returns the message with the number of deliveries in each status.
   */
  getMessage(messageId: string, options?: CallOptions): Promise<types.PushMessage> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/messages/${messageId}` }, options)
  }

  /**
   * Send to every device of a person, or of many.
   *
   * `target` is one person, up to 1,000 by their ids, who subscribed to a topic, devices by their tags, or everybody. Accepted once for each idempotency key, in the header or the body. A payload that a provider would refuse is refused here, with its size. `status`: queued, scheduled, or no_devices when the person has none.
   */
  send(body: types.PushSendBody, options?: KeyedCallOptions): Promise<types.PushAccepted> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/messages', body, takesKey: true }, options)
  }

  /**
   * Trace a message: every delivery with every attempt.
   *
   * Returns each delivery of the message with each attempt and the response of the push provider.
   */
  messageTrace(messageId: string, query?: types.PushMessageTraceQuery, options?: CallOptions): Listing<types.PushTracedDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/messages/${messageId}/trace`, query }, options)
  }

  /**
   * Register a device.
   *
   * Registering again with the same token or, for a stream, the same `device_id` moves the device to the person it is registered for now; it is never doubled. Without a `user_id` it is nobody’s, and can be claimed. `previous_token` replaces a token. A person has 20 streams at most: those used longest ago go. The user is registered with it.
   */
  registerInstallation(body: types.PushRegisterInstallationBody, options?: CallOptions): Promise<types.PushRegisteredInstallation> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/installations', body, repeatable: true }, options)
  }

  /**
   * List devices, newest first.
   *
   * Returns the registered devices of the app. Only the last characters of a device token are shown.
   */
  listInstallations(appId: string, query?: types.PushListInstallationsQuery, options?: CallOptions): Listing<types.PushInstallation> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/installations`, query }, options)
  }

  /**
   * Register a user.
   *
   * Maps your own user id; registering again changes the locale and the time zone that are given. Installations register their user by themselves.
   */
  registerUser(body: types.PushRegisterUserBody, options?: CallOptions): Promise<types.PushUser> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/users', body, repeatable: true }, options)
  }

  /**
   * Create an app.
   *
   * With a VAPID key pair of its own: it can send to browsers and streams at once, to APNs and FCM with your credentials.
   */
  createApp(body: types.PushCreateAppBody, options?: KeyedCallOptions): Promise<types.PushApp> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/apps', body, takesKey: true }, options)
  }

  /**
   * List apps, newest first.
   *
   * Returns apps without the credentials of their push providers.
   */
  listApps(query?: types.PushListAppsQuery, options?: CallOptions): Listing<types.PushApp> {
    return this.#transport.list({ verb: 'GET', path: '/push/v1/apps', query }, options)
  }

  /**
   * Read an app.
   *
   * Returns the app without the credentials of its push providers. `faults` lists credentials that a provider has rejected.
   */
  getApp(appId: string, options?: CallOptions): Promise<types.PushApp> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}` }, options)
  }

  /**
   * Report that messages were delivered, displayed, opened or dismissed.
   *
   * By your server with `push:receipt` or `push:send`, or by the device itself with a public key that is bound to the app and the `receipt_token` that came with the message. Reported again, nothing changes. Up to 100 at once in `receipts`: each is answered in its place.
   */
  receipt(body?: types.PushReceiptBody, options?: CallOptions): Promise<types.PushReceiptReply> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/receipts', body }, options)
  }

  /**
   * Totals, daily series and breakdowns.
   *
   * By the day (UTC) on which a delivery was made. A delivery counts once for each status it came to: one that was opened was sent and delivered, too. Dry runs are left out.
   */
  appInsights(appId: string, query?: types.PushAppInsightsQuery, options?: CallOptions): Promise<types.PushInsights> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/insights`, query }, options)
  }

  /**
   * Device counts and the volume of 24 hours.
   *
   * Returns the number of devices by provider and status, and the deliveries of the last 24 hours.
   */
  appStats(appId: string, options?: CallOptions): Promise<types.PushStats> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/stats` }, options)
  }

  /**
   * List recent deliveries, newest first.
   *
   * Returns deliveries to single devices. Filters select a status or a provider.
   */
  listDeliveries(appId: string, query?: types.PushListDeliveriesQuery, options?: CallOptions): Listing<types.PushDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/push/v1/apps/${appId}/deliveries`, query }, options)
  }

  /**
   * Create a template.
   *
   * A template contains a title and a body for each locale. `{{variable}}` placeholders are filled in when a message is sent.
   */
  createTemplate(body: types.PushCreateTemplateBody, options?: KeyedCallOptions): Promise<types.PushTemplate> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/templates', body, takesKey: true }, options)
  }

  /**
   * List templates, newest first.
   *
   * Returns each template with the names of its variables. Read a template for its `locales`.
   */
  listTemplates(query?: types.PushListTemplatesQuery, options?: CallOptions): Listing<types.PushTemplateSummary> {
    return this.#transport.list({ verb: 'GET', path: '/push/v1/templates', query }, options)
  }

  /**
   * Add a webhook.
   *
   * Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.
   */
  createWebhook(body: types.PushCreateWebhookBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/push/v1/webhooks', body }, options)
  }

  /**
   * List webhooks.
   *
   * Returns the endpoints that receive events of this area, without their signing secrets.
   */
  listWebhooks(query?: types.PushListWebhooksQuery, options?: CallOptions): Listing<types.WebhooksEndpoint> {
    return this.#transport.list({ verb: 'GET', path: '/push/v1/webhooks', query }, options)
  }

  /**
   * Send a test event.
   *
   * A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
   */
  testWebhook(id: string, options?: CallOptions): Promise<types.WebhooksTestResult> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/push/v1/webhooks/${id}/test` }, options)
  }
}

export class TrustCheckUrlMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Check what is known of a URL.
   *
   * Says which feeds of threats list the URL, how fresh each is, and what is odd about it. With `expand`, redirects are followed (five at most), and the verdict is the worst of all on the way.
   */
  check(body: types.TrustCheckUrlCheckBody, options?: CallOptions): Promise<types.TrustCheckUrlCheckReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/trust/check-url', body, repeatable: true }, options)
  }
}

export class TrustCheckUrlsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Check what is known of up to 100 URLs.
   *
   * Answers in the order of the question, duplicates included; one that is no URL of the web fails alone. Redirects are not followed.
   */
  check(body: types.TrustCheckUrlsCheckBody, options?: CallOptions): Promise<types.TrustCheckUrlsCheckReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/trust/check-urls', body, repeatable: true }, options)
  }
}

export class TrustListsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List allowed and denied hosts.
   *
   * Returns the hosts that you allow or deny. Your entries take precedence over the verdict of a check.
   */
  list(query?: types.TrustListsListQuery, options?: CallOptions): Listing<types.TrustListsListItem> {
    return this.#transport.list({ verb: 'GET', path: '/v1/trust/lists', query }, options)
  }

  /**
   * Allow or deny a host.
   *
   * A host with all below it; `policy` of a checked URL tells what the nearest listed host says.
   */
  put(body: types.TrustListsPutBody, options?: CallOptions): Promise<types.TrustListsPutReply> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/trust/lists', body }, options)
  }

  /**
   * Take a listing back.
   *
   * The next check of the host uses its own verdict again.
   */
  remove(id: string, options?: CallOptions): Promise<types.TrustListsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/trust/lists/${id}` }, options)
  }
}

export class TrustWatchesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List watched URLs.
   *
   * Returns the URLs that Millrace checks repeatedly, with their present verdict.
   */
  list(query?: types.TrustWatchesListQuery, options?: CallOptions): Listing<types.TrustWatch> {
    return this.#transport.list({ verb: 'GET', path: '/v1/trust/watches', query }, options)
  }

  /**
   * Watch a URL.
   *
   * The event `trust.watch.changed` tells when its verdict is another. A URL that is watched already keeps its id, and takes the note, if one is given.
   */
  make(body: types.TrustWatchesMakeBody, options?: CallOptions): Promise<types.TrustWatch> {
    return this.#transport.json({ verb: 'POST', path: '/v1/trust/watches', body }, options)
  }

  /**
   * Watch up to 100 URLs.
   *
   * All of them, or, where one is no URL of the web, none.
   */
  makeMany(body: types.TrustWatchesMakeManyBody, options?: CallOptions): Promise<types.TrustWatchesMakeManyReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/trust/watches/batch', body }, options)
  }

  /**
   * Get a watched URL.
   *
   * Returns the present verdict of the URL and the time when it changed.
   */
  read(id: string, options?: CallOptions): Promise<types.TrustWatch> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/trust/watches/${id}` }, options)
  }

  /**
   * Watch a URL no more.
   *
   * Millrace stops checking the URL.
   */
  remove(id: string, options?: CallOptions): Promise<types.TrustWatchesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/trust/watches/${id}` }, options)
  }
}

export class TrustMethods {
  readonly checkUrl: TrustCheckUrlMethods
  readonly checkUrls: TrustCheckUrlsMethods
  readonly lists: TrustListsMethods
  readonly watches: TrustWatchesMethods

  constructor(transport: Transport) {
    this.checkUrl = new TrustCheckUrlMethods(transport)
    this.checkUrls = new TrustCheckUrlsMethods(transport)
    this.lists = new TrustListsMethods(transport)
    this.watches = new TrustWatchesMethods(transport)
  }
}

export class VideoHealthMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Service health: database, storage and workers.
   *
   * Returns whether the database, object storage and the media workers are available. The response contains no secrets.
   */
  check(options?: CallOptions): Promise<types.VideoHealth> {
    return this.#transport.json({ verb: 'GET', path: '/v1/stream/health', open: true }, options)
  }

  /**
   * Liveness probe.
   *
   * Returns `200` while the process runs. It does not check the database.
   */
  live(options?: CallOptions): Promise<types.VideoHealthLiveReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/stream/health/live', open: true }, options)
  }
}

export class VideoUploadsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Abort an upload.
   *
   * Deletes the uploaded parts and releases the reserved storage.
   */
  abort(uploadId: string, options?: CallOptions): Promise<types.VideoUploadsAbortReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/uploads/${uploadId}` }, options)
  }

  /**
   * Status and progress of an upload.
   *
   * Returns the parts that have arrived, so that a client can resume the upload.
   */
  status(uploadId: string, options?: CallOptions): Promise<types.VideoUploadStatus> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/uploads/${uploadId}` }, options)
  }

  /**
   * Complete an upload.
   *
   * Verifies every part in storage and starts processing. Completing twice answers the same.
   */
  complete(uploadId: string, options?: CallOptions): Promise<types.VideoUploadsCompleteReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/uploads/${uploadId}/complete`, repeatable: true }, options)
  }

  /**
   * Pause an upload.
   *
   * The upload cannot be completed until it is resumed. Parts can still arrive.
   */
  pause(uploadId: string, options?: CallOptions): Promise<types.VideoUploadStatus> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/uploads/${uploadId}/pause` }, options)
  }

  /**
   * Resume a paused upload.
   *
   * The upload can be completed again. Parts that have arrived are kept.
   */
  resume(uploadId: string, options?: CallOptions): Promise<types.VideoUploadStatus> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/uploads/${uploadId}/resume` }, options)
  }

  /**
   * Start a resumable upload.
   *
   * Creates an upload session and an asset. The bytes go straight to storage with signed part URLs. With `browser` a page sends them: the `upload_token` opens status, part signing, completion and abort of this upload alone.
   */
  start(body: types.VideoUploadsStartBody, options?: KeyedCallOptions): Promise<types.VideoUploadSession> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/uploads', body, takesKey: true }, options)
  }
}

export class VideoUploadPartsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Sign URLs for parts.
   *
   * PUT each part to its URL with exactly the bytes it should have, then complete the upload. The `content-length` is signed: storage answers 403 to any other, and to a chunked body.
   */
  sign(uploadId: string, body: types.VideoUploadPartsSignBody, options?: CallOptions): Promise<types.VideoUploadPartsSignReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/uploads/${uploadId}/parts/sign`, body, repeatable: true }, options)
  }
}

export class VideoImportsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Make an asset of the file at a URL.
   *
   * Answers at once; a worker fetches the file, within a day, and goes on by ranges where a connection breaks off. The asset tells how far that is (`import`), and why it ended (`failure_code`). It may be as large as your plan allows. Only public addresses are asked, over at most five redirects.
   */
  start(body: types.VideoImportsStartBody, options?: KeyedCallOptions): Promise<types.VideoImport> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/imports', body, takesKey: true }, options)
  }
}

export class VideoWatermarksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Upload a logo.
   *
   * A PNG or JPEG of at most 1 MiB and 4096 by 4096 pixels. Uploads name it as their watermark.
   */
  create(body: types.VideoWatermarksCreateBody, options?: CallOptions): Promise<types.VideoWatermark> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/watermarks', body }, options)
  }

  /**
   * List logos.
   *
   * Returns the logos that can be placed on videos, without their image data.
   */
  list(query?: types.VideoWatermarksListQuery, options?: CallOptions): Listing<types.VideoWatermark> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/watermarks', query }, options)
  }

  /**
   * Preview URL of a logo.
   *
   * Returns a signed URL of the image. It expires after `expiresInSeconds`.
   */
  image(id: string, options?: CallOptions): Promise<types.VideoWatermarksImageReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/watermarks/${id}/image` }, options)
  }
}

export class VideoAssetsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List assets, newest first.
   *
   * Returns videos. Filters select a status, a visibility, your `externalRef` or a metadata value.
   */
  list(query?: types.VideoAssetsListQuery, options?: CallOptions): Listing<types.VideoAssetSummary> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/assets', query }, options)
  }

  /**
   * Read one asset.
   *
   * Returns the video with its status. While it is processed, the response contains the progress and an estimate.
   */
  read(assetId: string, options?: CallOptions): Promise<types.VideoAsset> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/assets/${assetId}` }, options)
  }

  /**
   * Delete an asset.
   *
   * Viewers lose it with their next request; storage is freed soon after. It cannot be undone.
   */
  remove(assetId: string, options?: CallOptions): Promise<types.VideoAssetsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/assets/${assetId}` }, options)
  }

  /**
   * Change an asset: who may play it, and what is said of it.
   *
   * What is given is changed, the rest stays; null takes a text away. Visibility takes effect with a viewer’s next request: the copy of the poster that needs no token is removed before the answer.
   */
  setVisibility(assetId: string, body?: types.VideoAssetsSetVisibilityBody, options?: CallOptions): Promise<types.VideoAssetsSetVisibilityReply> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/assets/${assetId}`, body }, options)
  }
}

export class VideoMp4sMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Have a rendition made into an MP4.
   *
   * Picture and the first sound track in one file, by copy, of a ready asset. Asking again answers the same; one that failed is made again.
   */
  create(assetId: string, body: types.VideoMp4sCreateBody, options?: CallOptions): Promise<types.VideoMp4> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/assets/${assetId}/mp4s`, body, repeatable: true }, options)
  }

  /**
   * The MP4 of a rendition.
   *
   * Returns the state of the MP4 file and, when it is ready, a signed URL.
   */
  read(assetId: string, rendition: string, options?: CallOptions): Promise<types.VideoMp4> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/assets/${assetId}/mp4s/${rendition}` }, options)
  }
}

export class VideoFramesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Take a frame at a time given.
   *
   * Answers with a link to a JPEG that works for five minutes. The frame is taken from what is served of the asset.
   */
  create(assetId: string, body: types.VideoFramesCreateBody, options?: CallOptions): Promise<types.VideoFramesCreateReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/assets/${assetId}/frames`, body, repeatable: true }, options)
  }
}

export class VideoCaptionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Rename captions, or make them the default.
   *
   * Omitted fields keep their values. Only one language can be the default.
   */
  change(assetId: string, language: string, body?: types.VideoCaptionsChangeBody, options?: CallOptions): Promise<types.VideoCaptionTrack> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/assets/${assetId}/captions/${language}`, body }, options)
  }

  /**
   * Give captions of your own.
   *
   * WebVTT or SRT, in any language, at any time after the upload has begun. Viewers get them with their next playlist, in place of those that there were in the language; what a program wrote is corrected so. `text/vtt` and `application/x-subrip` are taken as they are.
   */
  put(assetId: string, language: string, body: types.VideoCaptionsPutBody, options?: CallOptions): Promise<types.VideoCaptionTrack> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/stream/assets/${assetId}/captions/${language}`, body }, options)
  }

  /**
   * Captions as a WebVTT file.
   *
   * `file` is the language and `.vtt`. For their owner: players find them in the playlists.
   */
  read(assetId: string, language: string, options?: CallOptions): Promise<string> {
    return this.#transport.text({ verb: 'GET', path: pathOf`/v1/stream/assets/${assetId}/captions/${language}` }, options)
  }

  /**
   * Take captions away.
   *
   * Players lose the track with their next playlist; those that are being made are made no further.
   */
  remove(assetId: string, language: string, options?: CallOptions): Promise<types.VideoCaptionsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/assets/${assetId}/captions/${language}` }, options)
  }

  /**
   * Have captions made.
   *
   * Queues the transcription of a ready asset and answers at once. Asking again answers the same; captions that failed are made again. Viewers are offered them as soon as they are ready.
   */
  create(assetId: string, body: types.VideoCaptionsCreateBody, options?: CallOptions): Promise<types.VideoCaptionRequest> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/assets/${assetId}/captions`, body }, options)
  }
}

export class VideoSourcesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Download link of the original.
   *
   * Works for a minute. For servers: hand it to nobody who may not have the original.
   */
  read(assetId: string, options?: CallOptions): Promise<types.VideoSourcesReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/assets/${assetId}/source` }, options)
  }
}

export class VideoPlaybackSessionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List playback sessions, newest first.
   *
   * Sessions of assets and of live channels, without their tokens. Those that are over are listed for a day more.
   */
  list(query?: types.VideoPlaybackSessionsListQuery, options?: CallOptions): Listing<types.VideoListedSession> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/playback-sessions', query }, options)
  }

  /**
   * Mint a viewer token.
   *
   * Mint one per viewer. The token is bound to the host it will be presented on.
   */
  mint(assetId: string, body?: types.VideoPlaybackSessionsMintBody, options?: CallOptions): Promise<types.VideoPlaybackSession> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/assets/${assetId}/playback-sessions`, body }, options)
  }

  /**
   * Revoke a playback session.
   *
   * Players that use the token of this session stop at their next request.
   */
  revoke(sessionId: string, options?: CallOptions): Promise<types.VideoPlaybackSessionsRevokeReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/assets/playback-sessions/${sessionId}` }, options)
  }

  /**
   * Revoke all playback sessions of a viewer.
   *
   * Ends every session that was minted with that `viewerId`: the next request of each is refused. New ones may be minted.
   */
  revokeViewer(body: types.VideoPlaybackSessionsRevokeViewerBody, options?: CallOptions): Promise<types.VideoPlaybackSessionsRevokeViewerReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/playback-sessions/revoke', body, repeatable: true }, options)
  }
}

export class VideoDomainsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a custom playback domain.
   *
   * Answers the DNS record that proves the domain yours. A claim that is not proven keeps nobody else from it.
   */
  create(body: types.VideoDomainsCreateBody, options?: CallOptions): Promise<types.VideoDomain> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/domains', body }, options)
  }

  /**
   * List custom playback domains.
   *
   * Returns the domains from which players can load your videos, with the DNS record to create.
   */
  list(query?: types.VideoDomainsListQuery, options?: CallOptions): Listing<types.VideoDomain> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/domains', query }, options)
  }

  /**
   * Status of a custom playback domain.
   *
   * Returns whether control of the domain is proven and whether its certificate was issued.
   */
  read(domainId: string, options?: CallOptions): Promise<types.VideoDomain> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/domains/${domainId}` }, options)
  }

  /**
   * Remove a custom playback domain.
   *
   * Playback URLs on this domain stop working.
   */
  remove(domainId: string, options?: CallOptions): Promise<types.VideoDomainsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/domains/${domainId}` }, options)
  }

  /**
   * Check the DNS record and issue a certificate.
   *
   * Answers once the domain is proven; the certificate follows within minutes (`status` becomes `active`). For a domain that is proven already, an order that failed is tried again as soon as the certificate authority may be asked.
   */
  verify(domainId: string, options?: CallOptions): Promise<types.VideoDomain> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/domains/${domainId}/verify`, repeatable: true }, options)
  }
}

export class VideoEmbeddingMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read which sites may embed your players.
   *
   * Returns the origins whose pages can embed your players. An empty list allows every origin.
   */
  read(options?: CallOptions): Promise<types.VideoEmbedding> {
    return this.#transport.json({ verb: 'GET', path: '/v1/stream/embedding' }, options)
  }

  /**
   * Set which sites may embed your players.
   *
   * Replaces the list; an empty one lets every site. Players say so to browsers (`frame-ancestors`), of videos and broadcasts, with or without a token, from the next page that is loaded on. Pages of this service may always.
   */
  set(body: types.VideoEmbeddingSetBody, options?: CallOptions): Promise<types.VideoEmbedding> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/stream/embedding', body }, options)
  }
}

export class VideoBeaconsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Player quality beacon.
   *
   * Called by the player, from pages on any origin, also as `text/plain` by `navigator.sendBeacon`. All numbers are sums from the begin of the view, so a lost beacon loses nothing. A genuine token that ended at most ten minutes ago still counts; one that ended earlier is answered 204 and not counted. The first that tells of a picture counts a view of a listed video: each viewer once a day, programs left out.
   */
  collect(body: types.VideoBeaconsCollectBody, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ verb: 'POST', path: '/v1/stream/collect', body, open: true }, options)
  }
}

export class VideoQualityMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Playback quality of an asset.
   *
   * What players have told by beacon. A view counts in the hour it begins, time in the hour it is told.
   */
  read(assetId: string, query?: types.VideoQualityReadQuery, options?: CallOptions): Promise<types.VideoQuality> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/assets/${assetId}/quality`, query }, options)
  }
}

export class VideoWebhooksMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a webhook.
   *
   * Answers the secret by which its deliveries are verified (Standard Webhooks 1.0), this once.
   */
  create(body: types.VideoWebhooksCreateBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/webhooks', body }, options)
  }

  /**
   * List webhooks.
   *
   * Returns the endpoints that receive events of this area, without their signing secrets.
   */
  list(query?: types.VideoWebhooksListQuery, options?: CallOptions): Listing<types.WebhooksEndpoint> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/webhooks', query }, options)
  }

  /**
   * Enable a disabled webhook.
   *
   * What waited for it when it was disabled is delivered.
   */
  enable(id: string, options?: CallOptions): Promise<types.WebhooksEndpoint> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/webhooks/${id}/enable`, repeatable: true }, options)
  }

  /**
   * Remove a webhook.
   *
   * With it goes what is still to be delivered to it, and its log.
   */
  remove(id: string, options?: CallOptions): Promise<types.VideoWebhooksRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/webhooks/${id}` }, options)
  }

  /**
   * Replace the secret of a webhook.
   *
   * Deliveries carry two signatures for as long as the secret before is kept.
   */
  rotateSecret(id: string, body?: types.VideoWebhooksRotateSecretBody, options?: CallOptions): Promise<types.WebhooksEndpointWithSecret> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/webhooks/${id}/rotate-secret`, body }, options)
  }

  /**
   * Send a test event.
   *
   * A signed event `webhooks.test`, once; answers what the endpoint made of it. Disabled ones get it, too.
   */
  test(id: string, options?: CallOptions): Promise<types.WebhooksTestResult> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/webhooks/${id}/test` }, options)
  }
}

export class VideoWebhookDeliveriesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries to a webhook, newest first.
   *
   * Each delivery contains the status, the number of attempts and the last response of the endpoint.
   */
  list(id: string, query?: types.VideoWebhookDeliveriesListQuery, options?: CallOptions): Listing<types.WebhooksDelivery> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/stream/webhooks/${id}/deliveries`, query }, options)
  }

  /**
   * Deliver an event again.
   *
   * With the same `webhook-id`, and as many attempts as a new one.
   */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<types.VideoWebhookDeliveriesReplayReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/webhooks/${id}/deliveries/${deliveryId}/replay` }, options)
  }

  /**
   * Deliver events since an instant again.
   *
   * The oldest first, at most 10000 in one request: the next one is `since` `next_since`.
   */
  replaySince(id: string, body: types.VideoWebhookDeliveriesReplaySinceBody, options?: CallOptions): Promise<types.VideoWebhookDeliveriesReplaySinceReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/webhooks/${id}/replay`, body }, options)
  }
}

export class VideoContractMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Human-readable documentation.
   *
   * Returns a page that lists the operations of the video area.
   */
  docs(options?: CallOptions): Promise<string> {
    return this.#transport.text({ verb: 'GET', path: '/v1/stream/docs', open: true }, options)
  }

  /**
   * Machine-readable contract.
   *
   * Returns the OpenAPI 3.1 document of the video area.
   */
  document(options?: CallOptions): Promise<types.VideoContractDocumentReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/stream/openapi.json', open: true }, options)
  }
}

export class VideoMethods {
  readonly health: VideoHealthMethods
  readonly uploads: VideoUploadsMethods
  readonly uploadParts: VideoUploadPartsMethods
  readonly imports: VideoImportsMethods
  readonly watermarks: VideoWatermarksMethods
  readonly assets: VideoAssetsMethods
  readonly mp4s: VideoMp4sMethods
  readonly frames: VideoFramesMethods
  readonly captions: VideoCaptionsMethods
  readonly sources: VideoSourcesMethods
  readonly playbackSessions: VideoPlaybackSessionsMethods
  readonly domains: VideoDomainsMethods
  readonly embedding: VideoEmbeddingMethods
  readonly beacons: VideoBeaconsMethods
  readonly quality: VideoQualityMethods
  readonly webhooks: VideoWebhooksMethods
  readonly webhookDeliveries: VideoWebhookDeliveriesMethods
  readonly contract: VideoContractMethods

  constructor(transport: Transport) {
    this.health = new VideoHealthMethods(transport)
    this.uploads = new VideoUploadsMethods(transport)
    this.uploadParts = new VideoUploadPartsMethods(transport)
    this.imports = new VideoImportsMethods(transport)
    this.watermarks = new VideoWatermarksMethods(transport)
    this.assets = new VideoAssetsMethods(transport)
    this.mp4s = new VideoMp4sMethods(transport)
    this.frames = new VideoFramesMethods(transport)
    this.captions = new VideoCaptionsMethods(transport)
    this.sources = new VideoSourcesMethods(transport)
    this.playbackSessions = new VideoPlaybackSessionsMethods(transport)
    this.domains = new VideoDomainsMethods(transport)
    this.embedding = new VideoEmbeddingMethods(transport)
    this.beacons = new VideoBeaconsMethods(transport)
    this.quality = new VideoQualityMethods(transport)
    this.webhooks = new VideoWebhooksMethods(transport)
    this.webhookDeliveries = new VideoWebhookDeliveriesMethods(transport)
    this.contract = new VideoContractMethods(transport)
  }
}

export class LiveChannelsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a live channel.
   *
   * Keep the keys and the address for SRT: they are shown in this answer only. Use the addresses exactly as given.
   */
  create(body: types.LiveChannelsCreateBody, options?: CallOptions): Promise<types.LiveNewChannel> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/live/channels', body }, options)
  }

  /**
   * List live channels.
   *
   * Returns live channels without their stream keys.
   */
  list(query?: types.LiveChannelsListQuery, options?: CallOptions): Listing<types.LiveChannelSummary> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/live/channels', query }, options)
  }

  /**
   * Status of a live channel.
   *
   * Returns the state of the channel. `live` means that a viewer can watch now.
   */
  read(channelId: string, options?: CallOptions): Promise<types.LiveChannel> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/live/channels/${channelId}` }, options)
  }

  /**
   * Delete a live channel.
   *
   * A broadcast that is under way ends; recordings stay, as assets.
   */
  remove(channelId: string, options?: CallOptions): Promise<types.LiveChannelsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/live/channels/${channelId}` }, options)
  }

  /**
   * Change a live channel.
   *
   * `record`, `dvrSeconds`, `renditions` and `slate` hold from the next broadcast on.
   */
  update(channelId: string, body?: types.LiveChannelsUpdateBody, options?: CallOptions): Promise<types.LiveChannel> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/live/channels/${channelId}`, body }, options)
  }
}

export class LiveKeysMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Rotate a stream key.
   *
   * The new key is shown in this answer only. Whoever publishes with the old one is dropped within three seconds; the other keys go on. `srt` makes a new passphrase.
   */
  rotate(channelId: string, body?: types.LiveKeysRotateBody, options?: CallOptions): Promise<types.LiveKey> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/live/channels/${channelId}/keys/rotate`, body }, options)
  }
}

export class LivePlaybackSessionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Mint a live viewer token.
   *
   * Mint one per viewer; it opens no asset. Revoke it as any other: `DELETE /v1/stream/assets/playback-sessions/{sessionId}`.
   */
  mint(channelId: string, body?: types.LivePlaybackSessionsMintBody, options?: CallOptions): Promise<types.LivePlaybackSession> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/live/channels/${channelId}/playback-sessions`, body }, options)
  }
}

export class LiveBroadcastsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * End the broadcast of a live channel.
   *
   * Encoders reconnect by themselves: publishers are refused for `holdSeconds`.
   */
  end(channelId: string, body?: types.LiveBroadcastsEndBody, options?: CallOptions): Promise<types.LiveBroadcastsEndReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/live/channels/${channelId}/end`, body, repeatable: true }, options)
  }

  /**
   * List broadcasts of a live channel, newest first.
   *
   * Returns the broadcasts of the channel with their duration, end reason and recording.
   */
  list(channelId: string, query?: types.LiveBroadcastsListQuery, options?: CallOptions): Listing<types.LiveBroadcast> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/stream/live/channels/${channelId}/broadcasts`, query }, options)
  }
}

export class LiveRestreamsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send a live channel’s broadcasts on to another platform.
   *
   * What the encoder sends is passed on as it is, while it is broadcast. A channel has 3 targets at most.
   */
  create(channelId: string, body: types.LiveRestreamsCreateBody, options?: CallOptions): Promise<types.LiveRestream> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/live/channels/${channelId}/restreams`, body }, options)
  }

  /**
   * List where a live channel’s broadcasts are sent on to, each with its state.
   *
   * Returns the servers to which each broadcast is also sent. Stream keys in their URLs are masked.
   */
  list(channelId: string, query?: types.LiveRestreamsListQuery, options?: CallOptions): Listing<types.LiveRestream> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/stream/live/channels/${channelId}/restreams`, query }, options)
  }

  /**
   * Status of a target that broadcasts are sent on to.
   *
   * Returns the state of the target and the last error. The stream key in its URL is masked.
   */
  read(channelId: string, restreamId: string, options?: CallOptions): Promise<types.LiveRestream> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/live/channels/${channelId}/restreams/${restreamId}` }, options)
  }

  /**
   * Send broadcasts on to a target no longer.
   *
   * Broadcasts are no longer sent to the target. A broadcast in progress stops there.
   */
  remove(channelId: string, restreamId: string, options?: CallOptions): Promise<types.LiveRestreamsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/live/channels/${channelId}/restreams/${restreamId}` }, options)
  }

  /**
   * Change a target that broadcasts are sent on to.
   *
   * Holds within two seconds, also during a broadcast; `enabled: false` ends what the target gets.
   */
  update(channelId: string, restreamId: string, body?: types.LiveRestreamsUpdateBody, options?: CallOptions): Promise<types.LiveRestream> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/live/channels/${channelId}/restreams/${restreamId}`, body }, options)
  }
}

export class LiveMethods {
  readonly channels: LiveChannelsMethods
  readonly keys: LiveKeysMethods
  readonly playbackSessions: LivePlaybackSessionsMethods
  readonly broadcasts: LiveBroadcastsMethods
  readonly restreams: LiveRestreamsMethods

  constructor(transport: Transport) {
    this.channels = new LiveChannelsMethods(transport)
    this.keys = new LiveKeysMethods(transport)
    this.playbackSessions = new LivePlaybackSessionsMethods(transport)
    this.broadcasts = new LiveBroadcastsMethods(transport)
    this.restreams = new LiveRestreamsMethods(transport)
  }
}

export class RoomsBroadcastsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * State of a room’s broadcast.
   *
   * The last one, also when it is over.
   */
  read(roomId: string, options?: CallOptions): Promise<types.RoomsBroadcast> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/broadcast` }, options)
  }

  /**
   * Broadcast a room to a live channel.
   *
   * Composes one picture and one sound of all who publish and sends them to the channel with its stream key, as an encoder would. People come and go without a gap; while nobody publishes, the room’s name is shown. It begins at once and ends with the room.
   */
  start(roomId: string, body: types.RoomsBroadcastsStartBody, options?: CallOptions): Promise<types.RoomsBroadcast> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/rooms/${roomId}/broadcast`, body }, options)
  }

  /**
   * Stop a room’s broadcast.
   *
   * The room stays open. The broadcast ends when the live channel has received the last frame.
   */
  stop(roomId: string, options?: CallOptions): Promise<types.RoomsBroadcast> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/rooms/${roomId}/broadcast` }, options)
  }
}

export class RoomsRestreamsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Broadcast a room to a server of RTMP.
   *
   * Composes one picture and one sound of all who publish and sends them to the target, beside a live channel or without one. It begins at once unless `enabled` is false, also while nobody is in the room, and ends with the room, which forgets the key. A room has 3 targets at most, and as many rooms may have enabled ones as the plan has live channels.
   */
  create(roomId: string, body: types.RoomsRestreamsCreateBody, options?: CallOptions): Promise<types.RoomsRestream> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/rooms/${roomId}/restreams`, body }, options)
  }

  /**
   * List the servers of RTMP that a room is broadcast to, each with its state.
   *
   * Returns the servers to which the room is also broadcast. Stream keys in their URLs are masked.
   */
  list(roomId: string, query?: types.RoomsRestreamsListQuery, options?: CallOptions): Listing<types.RoomsRestream> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/restreams`, query }, options)
  }

  /**
   * Status of a server of RTMP that a room is broadcast to.
   *
   * Returns the state of the target and the last error. The stream key in its URL is masked.
   */
  read(roomId: string, restreamId: string, options?: CallOptions): Promise<types.RoomsRestream> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/restreams/${restreamId}` }, options)
  }

  /**
   * Broadcast a room to a server of RTMP no longer.
   *
   * The room is no longer broadcast to the target.
   */
  remove(roomId: string, restreamId: string, options?: CallOptions): Promise<types.RoomsRestreamsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/rooms/${roomId}/restreams/${restreamId}` }, options)
  }

  /**
   * Change a server of RTMP that a room is broadcast to.
   *
   * Holds within two seconds, also while the room is on the air; `enabled: false` ends what the target gets, `true` begins it.
   */
  update(roomId: string, restreamId: string, body?: types.RoomsRestreamsUpdateBody, options?: CallOptions): Promise<types.RoomsRestream> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/rooms/${roomId}/restreams/${restreamId}`, body }, options)
  }
}

export class RoomsRecordingsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Recordings of a room, newest first.
   *
   * A room that was made with `record` is recorded while somebody publishes; when it ends, that becomes an asset.
   */
  list(roomId: string, options?: CallOptions): Promise<types.RoomsRecordingsListReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/recordings` }, options)
  }
}

export class RoomsTokensMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Issue a join token for a participant.
   *
   * One for each person; give it to nobody else. Who joins again under the same `identity` replaces their former connection. A `host` publishes and moderates, a `participant` publishes, a `viewer` only watches.
   */
  issue(roomId: string, body: types.RoomsTokensIssueBody, options?: CallOptions): Promise<types.RoomsToken> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/rooms/${roomId}/tokens`, body, repeatable: true }, options)
  }
}

export class RoomsParticipantsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Remove a participant from a room.
   *
   * They are disconnected, and the token with which they came lets them in no more; a new one does.
   */
  kick(roomId: string, participantId: string, options?: CallOptions): Promise<types.RoomsParticipantsKickReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/rooms/${roomId}/participants/${participantId}` }, options)
  }

  /**
   * Change the role of a participant.
   *
   * Who becomes a `viewer` is cut off from publishing. It holds for the token with which they came.
   */
  setRole(roomId: string, participantId: string, body: types.RoomsParticipantsSetRoleBody, options?: CallOptions): Promise<types.RoomsParticipant> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/rooms/${roomId}/participants/${participantId}`, body }, options)
  }

  /**
   * Participants of a room, reconciled against the media server.
   *
   * Returns the people who are connected now, with their tracks.
   */
  list(roomId: string, options?: CallOptions): Promise<types.RoomsParticipantsListReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/participants` }, options)
  }

  /**
   * Mute a participant.
   *
   * They are told, and can unmute themselves.
   */
  mute(roomId: string, participantId: string, body?: types.RoomsParticipantsMuteBody, options?: CallOptions): Promise<types.RoomsParticipantsMuteReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/rooms/${roomId}/participants/${participantId}/mute`, body, repeatable: true }, options)
  }
}

export class RoomsWaitingMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Let somebody in who waits.
   *
   * With the same token they come back without waiting.
   */
  admit(roomId: string, waitingId: string, options?: CallOptions): Promise<types.RoomsWaitingAdmitReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/stream/rooms/${roomId}/waiting/${waitingId}/admit` }, options)
  }

  /**
   * Who waits to be let into a room.
   *
   * In the order in which they came, at most 200.
   */
  list(roomId: string, options?: CallOptions): Promise<types.RoomsWaitingListReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}/waiting` }, options)
  }

  /**
   * Send somebody away who waits.
   *
   * Their token lets them in no more; a new one has them wait again.
   */
  refuse(roomId: string, waitingId: string, options?: CallOptions): Promise<types.RoomsWaitingRefuseReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/rooms/${roomId}/waiting/${waitingId}` }, options)
  }
}

export class RoomsMethods {
  readonly #transport: Transport
  readonly broadcasts: RoomsBroadcastsMethods
  readonly restreams: RoomsRestreamsMethods
  readonly recordings: RoomsRecordingsMethods
  readonly tokens: RoomsTokensMethods
  readonly participants: RoomsParticipantsMethods
  readonly waiting: RoomsWaitingMethods

  constructor(transport: Transport) {
    this.#transport = transport
    this.broadcasts = new RoomsBroadcastsMethods(transport)
    this.restreams = new RoomsRestreamsMethods(transport)
    this.recordings = new RoomsRecordingsMethods(transport)
    this.tokens = new RoomsTokensMethods(transport)
    this.participants = new RoomsParticipantsMethods(transport)
    this.waiting = new RoomsWaitingMethods(transport)
  }

  /**
   * Create an interactive room.
   *
   * People come in with a token each: `POST /v1/stream/rooms/{roomId}/tokens`.
   */
  create(body: types.RoomsCreateBody, options?: CallOptions): Promise<types.RoomsRoom> {
    return this.#transport.json({ verb: 'POST', path: '/v1/stream/rooms', body }, options)
  }

  /**
   * List rooms.
   *
   * Returns rooms with their state and the number of participants.
   */
  list(query?: types.RoomsListQuery, options?: CallOptions): Listing<types.RoomsRoom> {
    return this.#transport.list({ verb: 'GET', path: '/v1/stream/rooms', query }, options)
  }

  /**
   * End a room.
   *
   * Everybody is disconnected, and its tokens let nobody in any more.
   */
  end(roomId: string, options?: CallOptions): Promise<types.RoomsEndReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/stream/rooms/${roomId}` }, options)
  }

  /**
   * Read a room.
   *
   * Returns the state of the room, its settings and the number of participants.
   */
  read(roomId: string, options?: CallOptions): Promise<types.RoomsRoom> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/stream/rooms/${roomId}` }, options)
  }

  /**
   * Change how a room is set.
   *
   * It holds from the next moment on: who is in is told, and a picture that is on the air is laid out anew. When the waiting room is closed, all who wait come in.
   */
  update(roomId: string, body?: types.RoomsUpdateBody, options?: CallOptions): Promise<types.RoomsRoom> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/stream/rooms/${roomId}`, body }, options)
  }
}

export class VoiceDidsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List your phone numbers, newest first.
   *
   * Operators give numbers to organisations: `npx millrace voice add-number`.
   */
  list(query?: types.VoiceDidsListQuery, options?: CallOptions): Listing<types.VoiceDid> {
    return this.#transport.list({ verb: 'GET', path: '/v1/voice/dids', query }, options)
  }
}

export class VoiceStatusMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Whether calls can be made now.
   *
   * Returns whether a SIP trunk is available, the calls in progress and the capacity.
   */
  read(options?: CallOptions): Promise<types.VoiceStatus> {
    return this.#transport.json({ verb: 'GET', path: '/v1/voice/status' }, options)
  }
}

export class VoiceClickToCallMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Connect two numbers.
   *
   * Calls `from`, then `to`, and connects the two. `from` hears nothing while `to` rings. The answer comes at once; `GET /calls/{call_id}` tells how it goes.
   */
  create(body: types.VoiceClickToCallCreateBody, options?: KeyedCallOptions): Promise<types.VoiceCall> {
    return this.#transport.json({ verb: 'POST', path: '/v1/voice/click-to-call', body, takesKey: true }, options)
  }
}

export class VoiceCallsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Hang a call up.
   *
   * A call that waits is over at once; both telephones of any other are hung up within a second. Repeating it changes nothing.
   */
  hangUp(callId: string, options?: CallOptions): Promise<types.VoiceCall> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/voice/calls/${callId}` }, options)
  }

  /**
   * Read a call.
   *
   * Returns the call with the state of both legs and the reason of its end.
   */
  read(callId: string, options?: CallOptions): Promise<types.VoiceCall> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/voice/calls/${callId}` }, options)
  }

  /**
   * List calls, newest first.
   *
   * Returns calls. `status` selects calls in one state.
   */
  list(query?: types.VoiceCallsListQuery, options?: CallOptions): Listing<types.VoiceCall> {
    return this.#transport.list({ verb: 'GET', path: '/v1/voice/calls', query }, options)
  }
}

export class VoiceMethods {
  readonly dids: VoiceDidsMethods
  readonly status: VoiceStatusMethods
  readonly clickToCall: VoiceClickToCallMethods
  readonly calls: VoiceCallsMethods

  constructor(transport: Transport) {
    this.dids = new VoiceDidsMethods(transport)
    this.status = new VoiceStatusMethods(transport)
    this.clickToCall = new VoiceClickToCallMethods(transport)
    this.calls = new VoiceCallsMethods(transport)
  }
}

export class WhatsappMessagesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List messages, newest first.
   *
   * Those that went out, and the answers of people whom the organisation wrote to.
   */
  list(query?: types.WhatsappMessagesListQuery, options?: CallOptions): Listing<types.WhatsappMessage> {
    return this.#transport.list({ verb: 'GET', path: '/v1/whatsapp/messages', query }, options)
  }

  /**
   * Read a message and the history of its status.
   *
   * Returns the message with each status that WhatsApp has reported for it.
   */
  read(id: string, options?: CallOptions): Promise<types.WhatsappMessagesReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/whatsapp/messages/${id}` }, options)
  }

  /**
   * Send a free-form message.
   *
   * To people who wrote within the last 24 hours; to others the `fallback_template` goes out, or nothing. Answers once WhatsApp has taken the message, or with `queued` when its turn comes later: messages to one recipient are paced.
   */
  send(body: types.WhatsappMessagesSendBody, options?: KeyedCallOptions): Promise<types.WhatsappSent> {
    return this.#transport.json({ verb: 'POST', path: '/v1/whatsapp/send', body, takesKey: true }, options)
  }

  /**
   * Send a template message.
   *
   * To anybody, at any time: an approved template in one of its languages, with what its variables stand for.
   */
  sendTemplate(body: types.WhatsappMessagesSendTemplateBody, options?: KeyedCallOptions): Promise<types.WhatsappSent> {
    return this.#transport.json({ verb: 'POST', path: '/v1/whatsapp/send-template', body, takesKey: true }, options)
  }
}

export class WhatsappNumbersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Connect a number of your own.
   *
   * Meta is asked for each part: what it refuses is named. From then on all messages of the organisation go out by this number, and templates are those of its business account. The secrets are sealed and never shown; the verify token is shown once.
   */
  connect(body: types.WhatsappNumbersConnectBody, options?: CallOptions): Promise<types.WhatsappNumbersConnectReply> {
    return this.#transport.json({ verb: 'POST', path: '/v1/whatsapp/numbers', body }, options)
  }

  /**
   * List your own numbers.
   *
   * Returns the business numbers that you have connected, without their access tokens.
   */
  list(query?: types.WhatsappNumbersListQuery, options?: CallOptions): Listing<types.WhatsappBusinessNumber> {
    return this.#transport.list({ verb: 'GET', path: '/v1/whatsapp/numbers', query }, options)
  }

  /**
   * Read a number.
   *
   * Returns the number with the URL for its webhook. Access tokens are not returned.
   */
  read(id: string, options?: CallOptions): Promise<types.WhatsappBusinessNumber> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/whatsapp/numbers/${id}` }, options)
  }

  /**
   * Remove a number.
   *
   * Its secrets are forgotten. What waits to be sent by it fails with `number_removed`; later messages go out by the platform’s number.
   */
  remove(id: string, options?: CallOptions): Promise<types.WhatsappNumbersRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/whatsapp/numbers/${id}` }, options)
  }

  /**
   * Change a number’s secrets.
   *
   * Meta is asked before they take effect; the next message goes out by them.
   */
  rotate(id: string, body?: types.WhatsappNumbersRotateBody, options?: CallOptions): Promise<types.WhatsappBusinessNumber> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/whatsapp/numbers/${id}/rotate`, body }, options)
  }
}

export class WhatsappTemplatesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Hand a template in for review.
   *
   * In the form of WhatsApp, with an example of each variable. It can be sent once `status` is `APPROVED`: the event `whatsapp.template.changed` tells.
   */
  create(body: types.WhatsappTemplatesCreateBody, options?: CallOptions): Promise<types.WhatsappTemplate> {
    return this.#transport.json({ verb: 'POST', path: '/v1/whatsapp/templates', body }, options)
  }

  /**
   * List approved templates.
   *
   * As they were within the last five minutes; while WhatsApp is away, as they were last.
   */
  list(query?: types.WhatsappTemplatesListQuery, options?: CallOptions): Listing<types.WhatsappTemplate> {
    return this.#transport.list({ verb: 'GET', path: '/v1/whatsapp/templates', query }, options)
  }

  /**
   * Read a template and its review.
   *
   * Returns the template with the status of its review and the reason of a rejection.
   */
  read(id: string, options?: CallOptions): Promise<types.WhatsappTemplate> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/whatsapp/templates/${id}` }, options)
  }

  /**
   * Delete a template.
   *
   * In this one language. WhatsApp keeps the name of one that was approved for 30 days.
   */
  remove(id: string, options?: CallOptions): Promise<types.WhatsappTemplatesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/whatsapp/templates/${id}` }, options)
  }
}

export class WhatsappMethods {
  readonly messages: WhatsappMessagesMethods
  readonly numbers: WhatsappNumbersMethods
  readonly templates: WhatsappTemplatesMethods

  constructor(transport: Transport) {
    this.messages = new WhatsappMessagesMethods(transport)
    this.numbers = new WhatsappNumbersMethods(transport)
    this.templates = new WhatsappTemplatesMethods(transport)
  }
}

export class WikiReadersMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List or search published articles.
   *
   * Without `q` the newest first, page by page. With it the best `limit` articles that have its words: `"a phrase"`, `this or that`, `-without`; accents and case do not matter. Words of titles, and slugs, are found by their beginnings, too.
   */
  list(query?: types.WikiReadersListQuery, options?: CallOptions): Listing<types.WikiPublishedListed> {
    return this.#transport.list({ verb: 'GET', path: '/v1/wiki/articles', query }, options)
  }

  /**
   * Read a published article.
   *
   * By its slug, one that it had before, or its id; of any organisation, as what is published is public. One that is withdrawn has its reason and no text.
   */
  read(slug: string, query?: types.WikiReadersReadQuery, options?: CallOptions): Promise<types.WikiPublished> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/articles/${slug}`, query }, options)
  }
}

export class WikiArticlesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a draft.
   *
   * Without `slug` it gets one by its title. Claims are attached to it by their own requests; then it can be published.
   */
  create(body: types.WikiArticlesCreateBody, options?: KeyedCallOptions): Promise<types.WikiArticle> {
    return this.#transport.json({ verb: 'POST', path: '/v1/wiki/articles', body, takesKey: true }, options)
  }

  /**
   * Delete a draft or a withdrawn article.
   *
   * With all its versions and slugs. What is published is withdrawn first.
   */
  remove(slug: string, options?: CallOptions): Promise<types.WikiArticlesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/wiki/articles/${slug}` }, options)
  }

  /**
   * Update, publish or withdraw an article.
   *
   * What is left out stays. A change of the text makes a new version; readers see the published one until `status: "published"` has them see the newest, in the same request or a later one. A change or a publication says what it is based on: `If-Match` with the ETag that was read, or `base_version`; `If-Match: *` asks only that the article exists. Publishing needs a claim, and for each claim a snapshot that holds its quote.
   */
  update(slug: string, body?: types.WikiArticlesUpdateBody, options?: CallOptions): Promise<types.WikiArticle> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/wiki/articles/${slug}`, body }, options)
  }
}

export class WikiSearchMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Search entities and claims.
   *
   * Entities by their labels and aliases, claims by their property and value: whole words, `"a phrase"`, `or`, `-without`. Returns the newest first, and of each kind as many as fit into half a megabyte. Read an entity for its descriptions and aliases. Articles are searched at `GET /v1/wiki/articles?q=`.
   */
  find(query: types.WikiSearchFindQuery, options?: CallOptions): Promise<types.WikiSearchFindReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/wiki/search', query }, options)
  }
}

export class WikiTreeMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Put an article below another.
   *
   * At once for readers, without a new version. Articles lie at most 10 deep, and none below itself.
   */
  put(id: string, body: types.WikiTreePutBody, options?: CallOptions): Promise<types.WikiPlace> {
    return this.#transport.json({ verb: 'PUT', path: pathOf`/v1/wiki/articles/${id}/place`, body }, options)
  }

  /**
   * Read the tree of published articles.
   *
   * Returns published articles as a tree, with their titles and URLs.
   */
  read(options?: CallOptions): Promise<types.WikiTreeReadReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/wiki/tree' }, options)
  }

  /**
   * Read the tree of all articles, drafts included.
   *
   * Returns articles in every state as a tree.
   */
  readAll(options?: CallOptions): Promise<types.WikiTreeReadAllReply> {
    return this.#transport.json({ verb: 'GET', path: '/v1/wiki/admin/tree' }, options)
  }
}

export class WikiAdminArticlesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List articles by status, drafts included.
   *
   * Returns articles without their text. `status` selects one state.
   */
  list(query?: types.WikiAdminArticlesListQuery, options?: CallOptions): Listing<types.WikiArticleListed> {
    return this.#transport.list({ verb: 'GET', path: '/v1/wiki/admin/articles', query }, options)
  }
}

export class WikiArticleVersionsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the versions of an article, newest first.
   *
   * Returns each version with its author and comment, without its text.
   */
  list(id: string, query?: types.WikiArticleVersionsListQuery, options?: CallOptions): Listing<types.WikiVersionListed> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/wiki/admin/articles/${id}/versions`, query }, options)
  }

  /**
   * Read a version of an article.
   *
   * `diff` is the number of another version: what changed from it to this one, as a unified diff and as its hunks.
   */
  read(id: string, versionId: string, query?: types.WikiArticleVersionsReadQuery, options?: CallOptions): Promise<types.WikiVersion> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/admin/articles/${id}/versions/${versionId}`, query }, options)
  }

  /**
   * Restore a version of an article.
   *
   * Its text becomes a new version, as nothing of the history is lost. Readers see it when it is published.
   */
  restore(id: string, versionId: string, body?: types.WikiArticleVersionsRestoreBody, options?: CallOptions): Promise<types.WikiArticle> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/wiki/admin/articles/${id}/versions/${versionId}/restore`, body }, options)
  }
}

export class WikiReviewsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Approve or reject a version.
   *
   * Of each key the last word counts. A version that any key rejects is not published where reviews are required. An approval is of the text with the claims and references that there are: with others it is asked for again.
   */
  create(id: string, versionId: string, body: types.WikiReviewsCreateBody, options?: CallOptions): Promise<types.WikiReview> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/wiki/admin/articles/${id}/versions/${versionId}/reviews`, body }, options)
  }

  /**
   * List the reviews of a version, newest first.
   *
   * Returns each decision with its reviewer and comment.
   */
  list(id: string, versionId: string, query?: types.WikiReviewsListQuery, options?: CallOptions): Listing<types.WikiReview> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/wiki/admin/articles/${id}/versions/${versionId}/reviews`, query }, options)
  }

  /**
   * Have articles be reviewed, or not.
   *
   * From the next publication on; what is published stays so. It is the organisation’s, not for each who writes: the key may change that (`account:write`), too, and the audit log tells of it.
   */
  setSettings(body: types.WikiReviewsSetSettingsBody, options?: CallOptions): Promise<types.WikiSettings> {
    return this.#transport.json({ verb: 'PUT', path: '/v1/wiki/admin/settings', body }, options)
  }

  /**
   * Read how articles are published.
   *
   * Returns whether a second person must approve a version before it is published.
   */
  settings(options?: CallOptions): Promise<types.WikiSettings> {
    return this.#transport.json({ verb: 'GET', path: '/v1/wiki/admin/settings' }, options)
  }
}

export class WikiTransferMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Import an article with its evidence.
   *
   * Takes what an export gave, of this or another installation: a draft, by another slug where its own is taken, its entities (those that the organisation has by their ids stay as they are), its claims, and their sources, of which snapshots are taken anew. All of it, or nothing.
   */
  create(body: types.WikiTransferCreateBody, options?: KeyedCallOptions): Promise<types.WikiArticle> {
    return this.#transport.json({ verb: 'POST', path: '/v1/wiki/admin/import', body, takesKey: true }, options)
  }

  /**
   * Export an article as Markdown with its evidence.
   *
   * The newest version: Markdown, and in front of it what it rests on, in JSON between two lines `---`: entities, claims that are not deprecated, quotes, where and when each was found. An import takes it as it is: at most 100 claims, with 2,000 references to 200 sources together, and a million characters.
   */
  read(id: string, options?: CallOptions): Promise<types.WikiTransferReadReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/admin/articles/${id}/export` }, options)
  }
}

export class WikiSourcesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Register a source.
   *
   * Once by its canonical URL: a second time answers the same source, with what is told of it now. What is registered may be read by everybody who has its id.
   */
  create(body: types.WikiSourcesCreateBody, options?: KeyedCallOptions): Promise<types.WikiSource> {
    return this.#transport.json({ verb: 'POST', path: '/v1/wiki/sources', body, takesKey: true }, options)
  }

  /**
   * List sources, newest first.
   *
   * Returns the registered sources. Use `uri` to search for one source.
   */
  list(query?: types.WikiSourcesListQuery, options?: CallOptions): Listing<types.WikiSource> {
    return this.#transport.list({ verb: 'GET', path: '/v1/wiki/sources', query }, options)
  }

  /**
   * Read a source and its recent snapshots.
   *
   * Takes no key: readers of an article can see what it rests on. Texts and bytes are not part of it.
   */
  read(id: string, options?: CallOptions): Promise<types.WikiSourceWithSnapshots> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/sources/${id}`, open: true }, options)
  }

  /**
   * Delete a source.
   *
   * With its snapshots and the references to them. Refused when a published article would be left unproven. A snapshot that is pending is not taken.
   */
  remove(id: string, options?: CallOptions): Promise<types.WikiSourcesRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/wiki/sources/${id}` }, options)
  }
}

export class WikiSnapshotsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Take a snapshot of a source.
   *
   * A worker fetches it (5 MiB at most, public addresses only) and keeps its bytes and its readable text; the source tells of it. While one is pending, that one is the answer. When the source says what it said before, its id leads to the snapshot of that, whose `last_checked_at` tells of it.
   */
  create(id: string, body?: types.WikiSnapshotsCreateBody, options?: KeyedCallOptions): Promise<types.WikiSnapshot> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/wiki/sources/${id}/snapshots`, body, takesKey: true }, options)
  }

  /**
   * List snapshots of a source, newest first.
   *
   * Returns each capture of the source with its HTTP status, size and hash.
   */
  list(id: string, query?: types.WikiSnapshotsListQuery, options?: CallOptions): Listing<types.WikiSnapshot> {
    return this.#transport.list({ verb: 'GET', path: pathOf`/v1/wiki/sources/${id}/snapshots`, query }, options)
  }

  /**
   * Sign a download URL of the bytes of a snapshot.
   *
   * Browsers save them, never show them: they are what a stranger’s server sent.
   */
  downloadUrl(id: string, body?: types.WikiSnapshotsDownloadUrlBody, options?: CallOptions): Promise<types.WikiSnapshotsDownloadUrlReply> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/wiki/snapshots/${id}/download-url`, body, repeatable: true }, options)
  }

  /**
   * Read a snapshot.
   *
   * Returns the status of the capture, its hash, and the error if it failed.
   */
  read(id: string, options?: CallOptions): Promise<types.WikiSnapshot> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/snapshots/${id}` }, options)
  }

  /**
   * Delete a snapshot.
   *
   * With the references to it, and its bytes. Refused while it is pending, and when a published article would be left unproven.
   */
  remove(id: string, options?: CallOptions): Promise<types.WikiSnapshotsRemoveReply> {
    return this.#transport.json({ verb: 'DELETE', path: pathOf`/v1/wiki/snapshots/${id}` }, options)
  }

  /**
   * Read the text of a snapshot.
   *
   * What quotes are taken from. For those who write, as it is the work of somebody else.
   */
  text(id: string, options?: CallOptions): Promise<types.WikiSnapshotsTextReply> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/snapshots/${id}/text` }, options)
  }
}

export class WikiEntitiesMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create an entity.
   *
   * What claims are about.
   */
  create(body: types.WikiEntitiesCreateBody, options?: KeyedCallOptions): Promise<types.WikiEntity> {
    return this.#transport.json({ verb: 'POST', path: '/v1/wiki/entities', body, takesKey: true }, options)
  }

  /**
   * List entities, newest first.
   *
   * Returns entities with their labels and external ids. Read an entity for its descriptions and aliases.
   */
  list(query?: types.WikiEntitiesListQuery, options?: CallOptions): Listing<types.WikiEntitySummary> {
    return this.#transport.list({ verb: 'GET', path: '/v1/wiki/entities', query }, options)
  }

  /**
   * Read an entity.
   *
   * Returns the entity with its labels, descriptions, aliases and external ids.
   */
  read(id: string, options?: CallOptions): Promise<types.WikiEntity> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/entities/${id}` }, options)
  }

  /**
   * Change an entity.
   *
   * Each field that is given replaces what was there. Quotes that name it must still do so where it is the value of a claim.
   */
  update(id: string, body?: types.WikiEntitiesUpdateBody, options?: CallOptions): Promise<types.WikiEntity> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/wiki/entities/${id}`, body }, options)
  }
}

export class WikiClaimsMethods {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a reference to a claim.
   *
   * Links the claim to a source. `quote` must appear in the text of the snapshot.
   */
  addReference(id: string, body: types.WikiClaimsAddReferenceBody, options?: CallOptions): Promise<types.WikiClaim> {
    return this.#transport.json({ verb: 'POST', path: pathOf`/v1/wiki/claims/${id}/references`, body }, options)
  }

  /**
   * Attach a claim to an entity.
   *
   * A quote is looked for in its snapshot at once, or when that is captured: `quote_verified` tells. An article is published only when each of its claims has a verified quote.
   */
  create(body: types.WikiClaimsCreateBody, options?: KeyedCallOptions): Promise<types.WikiClaim> {
    return this.#transport.json({ verb: 'POST', path: '/v1/wiki/claims', body, takesKey: true }, options)
  }

  /**
   * List claims, newest first.
   *
   * Returns claims with their references. Filters select an entity, an article, a property or a rank.
   */
  list(query?: types.WikiClaimsListQuery, options?: CallOptions): Listing<types.WikiClaim> {
    return this.#transport.list({ verb: 'GET', path: '/v1/wiki/claims', query }, options)
  }

  /**
   * Read a claim and its references.
   *
   * Returns the claim with its value, qualifiers and references.
   */
  read(id: string, options?: CallOptions): Promise<types.WikiClaim> {
    return this.#transport.json({ verb: 'GET', path: pathOf`/v1/wiki/claims/${id}` }, options)
  }

  /**
   * Rank or deprecate a claim, or name the articles that make it.
   *
   * What a claim says is never changed: deprecate it and make another. `article_ids` replaces the whole list. What would leave a published article unproven is refused.
   */
  update(id: string, body?: types.WikiClaimsUpdateBody, options?: CallOptions): Promise<types.WikiClaim> {
    return this.#transport.json({ verb: 'PATCH', path: pathOf`/v1/wiki/claims/${id}`, body }, options)
  }
}

export class WikiMethods {
  readonly readers: WikiReadersMethods
  readonly articles: WikiArticlesMethods
  readonly search: WikiSearchMethods
  readonly tree: WikiTreeMethods
  readonly adminArticles: WikiAdminArticlesMethods
  readonly articleVersions: WikiArticleVersionsMethods
  readonly reviews: WikiReviewsMethods
  readonly transfer: WikiTransferMethods
  readonly sources: WikiSourcesMethods
  readonly snapshots: WikiSnapshotsMethods
  readonly entities: WikiEntitiesMethods
  readonly claims: WikiClaimsMethods

  constructor(transport: Transport) {
    this.readers = new WikiReadersMethods(transport)
    this.articles = new WikiArticlesMethods(transport)
    this.search = new WikiSearchMethods(transport)
    this.tree = new WikiTreeMethods(transport)
    this.adminArticles = new WikiAdminArticlesMethods(transport)
    this.articleVersions = new WikiArticleVersionsMethods(transport)
    this.reviews = new WikiReviewsMethods(transport)
    this.transfer = new WikiTransferMethods(transport)
    this.sources = new WikiSourcesMethods(transport)
    this.snapshots = new WikiSnapshotsMethods(transport)
    this.entities = new WikiEntitiesMethods(transport)
    this.claims = new WikiClaimsMethods(transport)
  }
}

/** Every operation of the API, by area. */
export class Areas {
  readonly account: AccountMethods
  readonly ai: AiMethods
  readonly bots: BotsMethods
  readonly directory: DirectoryMethods
  readonly email: EmailMethods
  readonly erp: ErpMethods
  readonly files: FilesMethods
  readonly geo: GeoMethods
  readonly guard: GuardMethods
  readonly identity: IdentityMethods
  readonly notify: NotifyMethods
  readonly push: PushMethods
  readonly trust: TrustMethods
  readonly video: VideoMethods
  readonly live: LiveMethods
  readonly rooms: RoomsMethods
  readonly voice: VoiceMethods
  readonly whatsapp: WhatsappMethods
  readonly wiki: WikiMethods

  constructor(transport: Transport) {
    this.account = new AccountMethods(transport)
    this.ai = new AiMethods(transport)
    this.bots = new BotsMethods(transport)
    this.directory = new DirectoryMethods(transport)
    this.email = new EmailMethods(transport)
    this.erp = new ErpMethods(transport)
    this.files = new FilesMethods(transport)
    this.geo = new GeoMethods(transport)
    this.guard = new GuardMethods(transport)
    this.identity = new IdentityMethods(transport)
    this.notify = new NotifyMethods(transport)
    this.push = new PushMethods(transport)
    this.trust = new TrustMethods(transport)
    this.video = new VideoMethods(transport)
    this.live = new LiveMethods(transport)
    this.rooms = new RoomsMethods(transport)
    this.voice = new VoiceMethods(transport)
    this.whatsapp = new WhatsappMethods(transport)
    this.wiki = new WikiMethods(transport)
  }
}
