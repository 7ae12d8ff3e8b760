import type * as audit from '#sql/account/audit.ts'

/** Sentences of actions that are not a verb and a noun. */
const sentences: Readonly<Record<string, string>> = {
  'contents.read': 'Viewed contents of',
  'event.triggered': 'Sent a sample event',
  'events.kept': 'Changed how long events are kept',
  'export.fetched': 'Downloaded an archive',
  'export.requested': 'Requested an archive',
  'file.urls_revoked': 'Revoked the signed URLs of',
  'job_secret.rotated': 'Replaced the signing secret of jobs',
  'job_secret.shown': 'Viewed the signing secret of jobs',
  'job_settings.changed': 'Changed the settings of jobs',
  'member.joined': 'Joined the organisation',
  'member.role_changed': 'Changed the role of',
  'organisation.plan_changed': 'Changed the plan',
  'person.erasure_requested': 'Requested the erasure',
  'request_bodies.shown': 'Viewed the bodies of a request',
  'request_window.opened': 'Started to log request bodies of',
  'session.began': 'Signed in',
  'session.confirmed': 'Confirmed their identity',
  'session.ended': 'Signed out',
  'session.refused': 'Failed to sign in',
  'support.granted': 'Allowed support access',
  'support.ended': 'Ended support access',
  'support.read': 'Read metadata for support',
  'test_messages.cleared': 'Deleted all test messages',
}

const nouns: Readonly<Record<string, string>> = {
  key: 'API key',
  ip: 'IP address',
  organisation: 'the organisation',
  provider: 'identity provider',
  wiki_settings: 'wiki settings',
  video_embedding: 'video embedding',
  identity_check: 'identity check',
}

/** Actions that the filter offers. Other actions are found by their name in the URL. */
export const knownActions = [
  ...Object.keys(sentences),
  ...Object.entries({
    budget: ['changed'],
    device_login: ['approved', 'denied'],
    email_domain: ['created', 'deleted'],
    email_inbound_route: ['created', 'deleted'],
    file: ['updated'],
    invitation: ['created', 'confirmed', 'resent', 'withdrawn'],
    key: ['created', 'changed', 'rotated', 'confirmed', 'revoked'],
    member: ['removed'],
    organisation: ['renamed', 'closed', 'reopened'],
    passkey: ['created', 'removed'],
    provider: ['connected', 'changed', 'disconnected'],
    video_domain: ['created', 'deleted'],
    video_embedding: ['updated'],
    webhook: ['created', 'changed', 'rotated', 'paused', 'resumed', 'enabled', 'deleted'],
    wiki_settings: ['updated'],
  }).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}`)),
].sort()

const capitalised = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`

/** Returns what was done: `Created API key`. */
export function actionWords(action: string): string {
  const known = sentences[action]
  if (known) return known
  const [noun = '', verb = ''] = action.split('.')
  return `${capitalised(verb.replaceAll('_', ' '))} ${nouns[noun] ?? noun.replaceAll('_', ' ')}`
}

const nameFields = ['name', 'email', 'address', 'domain', 'host', 'url', 'title', 'metric']

/** Returns the name of the object that was changed, from its values before or after the change. */
export function nameOf({ before, after }: Pick<audit.Entry, 'before' | 'after'>): string | undefined {
  const values = [after, before].flatMap((one) => nameFields.map((field) => one?.[field]))
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

const pages: Readonly<Record<string, string>> = {
  key: '/app/keys',
  webhook: '/app/webhooks',
  request_window: '/app/keys',
}

/** Returns the page of the object that was changed. Deleted objects have none. */
export function pageOf({ action, target }: Pick<audit.Entry, 'action' | 'target'>): string | undefined {
  const [noun = '', verb = ''] = action.split('.')
  const path = pages[noun]
  return path && target && !/^(deleted|removed)$/.test(verb) ? `${path}/${target}` : undefined
}

/** Formats a value of a change. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueWords).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d[.\d]*Z$/, '$1 $2 UTC')
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value)
  return entries.length === 0 ? 'none' : entries.map(([name, one]) => `${name}: ${valueWords(one)}`).join('; ')
}
