/** Filters whose field has another name in items. */
export const filterFields: Readonly<Record<string, readonly string[]>> = {
  'push.messages.list user_id': ['target', 'id'],
  'push.messages.list target': ['target', 'type'],
  'email.messages.list from': ['from', 'email'],
  'whatsapp.messages.list phone': ['to'],
  'sms.messages.list phone': ['to'],
}

/** Filters that are not tried, with the reason. */
export const filtersApart: readonly [RegExp, string][] = [
  [
    / (since|until|order|sort|q|own|scheduled|revoked|unread|unseen|archived|class|\w+_(after|before|from|to))$/,
    'Not a field.',
  ],
  [
    /^(account\.audit\.list actor|email\.messages\.list tag|files\.objects\.list (metadata|prefix)|hooks\.apps\.list metadata|hooks\.messages\.list (tag|channel)|video\.assets\.list (metadata|clippedFrom))$/,
    'Compares with parts.',
  ],
  [/^verify\.verifications\.list (to|country)$/, 'Items show a masked recipient, and only numbers have a country.'],
  [/^jobs\.jobs\.list host$/, 'Compares with a part of the URL.'],
  [/^jobs\.jobs\.list origin_(kind|id)$/, 'Schedules and others make the items.'],
  [/^verify\.prefixes\.list state$/, 'Decisions have paths without an ID.'],
  [/^wiki\.claims\.list article_id$/, 'Items do not show the articles of a claim.'],
  [
    /^(email\.messages\.list campaign_id|\w+\.webhook-deliveries\.|push\.deliveries\.|hooks\.attempts\.|automation\.runs\.)/,
    'A worker makes the items.',
  ],
  [
    /^(bots\.(messages|handovers|ratings)|identity\.face-checks|email\.received|notify\.(inbox|runs|chat-messages)|whatsapp\.templates|erp)\./,
    'A worker makes the items.',
  ],
  [/^email\.(consents\.list|imports\.results|forms\.listSignUps) /, 'A worker makes the items.'],
  [/^bots\.channels\.listMessages /, 'A worker makes the items.'],
  [/^(bots\.directory|directory\.(channel-videos|shorts|live|search)|wiki\.readers)\./, 'Items are published ones.'],
  [/^notify\.broadcasts\.list topic$/, 'The form has a list of people instead.'],
  [/^live\.chat-messages\.list (personId|broadcastId)$/, 'Items belong to viewers and broadcasts.'],
  [/^people\.(people\.list (email|phone)|timeline\.list kind)$/, 'Tested with the people that they find.'],
  [/^email\.(dmarc|tls-reports)\./, 'Reports arrive by email.'],
  [/^files\.folders\./, 'Folders show no tenant and no parent.'],
  [/^files\.(objects\.list sha256|bucket-scans\.list sha256)$/, 'Set by a scan.'],
  [/^intake\.(requests\.|sources\.list status$)/, 'Providers make the items. Sources are paused by a call.'],
  [/^account\.streams\.(list|listRejected) source$/, 'Compares with parts. A server makes rejected records.'],
  [/^moving\.imports\.results /, 'A worker sets the outcomes. `test/moving` tests these filters.'],
  [/^account\.requests\./, 'The log is written later, in batches.'],
]

/** Parameters without which a list has no items. */
export const requiredOf = (list: string): Readonly<Record<string, string>> =>
  list.startsWith('notify.preferences') ? { user_id: 'ann' } : {}
