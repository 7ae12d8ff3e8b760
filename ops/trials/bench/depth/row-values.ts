/** Number of rows that every table gets first. They include every value of each enum. */
export const fewRows = 40

/** References that are unique per row without a constraint. For example, an article has its own version. */
export const alone: Record<string, string[]> = {
  'bots.versions': ['bot_id'],
  'email.engagements': ['message_id'],
  'email.message_tags': ['message_id'],
  'push.attempts': ['delivery_id'],
  'push.deliveries': ['message_id'],
  'wiki.article_versions': ['article_id'],
}

/** References that are unique together. Half of the rows refer to one owner, half to the other. */
export const pairs: Record<string, readonly [string, string]> = {
  'notify.broadcast_people': ['broadcast_id', 'user_id'],
  'notify.topic_people': ['topic_id', 'user_id'],
}

/** Rows of the organisation and of its customers in one table: the rest of `i / 2` for rows of customers. */
export const shared: Record<string, number> = { 'webhooks.endpoints.app_id': 0, 'webhooks.events.app_id': 1 }

/**
 * Maximum rows of one organisation or of one parent, where the product or a plan limits them. Further rows belong to
 * others.
 */
export const limited: Record<string, number> = {
  'account.budgets.org_id': 40,
  'account.log_streams.org_id': 5,
  'account.usage_daily.org_id': 4_000,
  'ai.costs.org_id': 4_000,
  'ai.usage.org_id': 4_000,
  'bots.canned_replies.org_id': 500,
  'bots.rating_days.org_id': 4_000,
  'bots.unanswered.bot_id': 1_000,
  'email.engagement_daily.org_id': 4_000,
  'files.image_presets.org_id': 100,
  'knowledge.store_files.batch_id': 500,
  'notify.connections.org_id': 500,
  'push.daily.app_id': 4_000,
  'push.device_counts.app_id': 2_000,
  'trust.watches.org_id': 10_000,
  'verify.conversion_days.org_id': 2_000,
  'video.audience_days.asset_id': 4_000,
  'video.audience_org_days.org_id': 4_000,
  'video.caption_cues.captions_id': 4_000,
  'video.captions.asset_id': 20,
}

/** Tables in which an organisation has many rows. Their unique index is only for the open row. */
export const manyEnded: ReadonlySet<string> = new Set(['moving.imports'])

/** States that almost all rows of a table have, because its list or its work is of them. */
export const usual: Record<string, string[]> = {
  'live.chat_messages': ['viewer'],
  'push.deliveries': ['queued'],
  'sms.providers': ['active'],
  'webhooks.deliveries': ['pending'],
}

/** Values that other rows or the content of a list depend on. */
export const chosen: Record<string, string> = {
  'bots.bots.version': '1',
  'bots.bots.languages': `array[case when i between 2 and ${fewRows} then 'en' else 'et' end]`,
  'bots.messages.citations': `'[]'`,
  'bots.rating_days.assignee_id': `md5((i % 50)::text)::uuid::text`,
  'bots.versions.number': '1',
  'bots.versions.version': '1',
  'email.deliveries.to_domain': `'example.com'`,
  'email.deliveries.mx_set': `'mx'`,
  'email.deliveries.turn': '0',
  'email.domains.domain': `'v' || i || '.example.com'`,
  'email.segments.conditions': `'[]'`,
  'email.segments.groups': `'[]'`,
  'directory.channels.handle': `'chan' || i`,
  'erp.companies.code': `'V' || i`,
  'erp.companies.jurisdiction': `'xa'`,
  'erp.imports.faults': `'[]'`,
  'erp.imports.options': `'{"partial": false, "anyway": false}'`,
  'erp.relations.lei': `'v2'`,
  'erp.relations.register': `'v2'`,
  'notify.inbox.product_key': `'v' || i % 50`,
  'notify.workflows.steps': `'[]'`,
  'wiki.article_versions.number': '1',
  'wiki.articles.version': '1',
  'wiki.articles.published_version': '1',
  'wiki.published.tags': `array[case when i between 2 and ${fewRows} then 'v' || i else 'w' || i % 1000 end]`,
  'work.schedules.job': `'{"url": "https://example.com/"}'`,
}

export const common: ReadonlySet<string> = new Set([
  'bots.bots.description',
  'bots.bots.published_at',
  'email.deliveries.mx_set',
  'files.uploads.completed_at',
  'wiki.articles.version',
  'wiki.articles.published_version',
  'wiki.articles.first_published_at',
])
