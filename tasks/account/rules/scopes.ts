export const scopes = {
  'account:read': 'read the organisation, its plan, limits and usage',
  'account:write': 'rename the organisation, set budgets',
  'account:keys': 'create, change, rotate and revoke keys with at most the permissions of the calling key',
  'account:members': 'read and change members and invitations',
  'account:logs': 'read the request log',
  'account:webhooks': 'manage webhooks of all areas, read and replay events',
  'account:audit': 'read the audit log',
  'ai:invoke': 'use language models, search vector stores',
  'ai:write': 'create, change and delete vector stores',
  'automation:read': 'read rules and their runs',
  'automation:write': 'create, change, test and delete rules; retry runs. Each action also needs its own scope',
  'bots:chat': 'chat with bots of the organisation; for public keys in web pages',
  'bots:read': 'read bots and their conversations',
  'bots:write': 'create and change bots',
  'email:content': 'read the content of sent messages',
  'email:send': 'send email',
  'email:manage': 'read messages; manage domains, templates, contacts, campaigns and suppressions',
  'erp:read': 'search and read companies',
  'erp:write': 'watch companies; create URLs of the reconciliation service',
  'files:read': 'list and download files',
  'files:write': 'upload and delete files',
  'geo:read': 'look up IP addresses',
  'guard:challenge': 'request challenges in a visitor’s browser; for public keys of a site',
  'guard:manage': 'manage sites and rules, read assessments',
  'guard:verify': 'verify visitor tokens',
  'hooks:read': 'read customer webhooks: apps, event types, endpoints and messages',
  'hooks:write': 'send messages to customers; manage apps, event types and endpoints',
  'identity:read': 'read verifications',
  'identity:verify': 'create and decide verifications',
  'intake:read': 'read sources and received webhooks',
  'intake:write': 'create and change sources; replay and delete received webhooks',
  'jobs:read': 'read jobs and their attempts',
  'jobs:write': 'create, cancel and replay jobs, change their settings',
  'notify:read': 'read feeds and preferences',
  'notify:write': 'notify people, set preferences',
  'people:read': 'read what all areas know about a person, and the timeline',
  'people:write': 'change the consent of people, erase people',
  'push:manage': 'manage apps, installations and segments',
  'push:receipt': 'report that a message was received or opened; for public keys of an app',
  'push:send': 'send push messages',
  'push:subscribe': 'register a browser for pushes; for public keys of an app',
  'sms:manage': 'connect SMS providers, change settings and opt-outs',
  'sms:read': 'read text messages and opt-outs',
  'sms:send': 'send text messages',
  'stream:read': 'read video assets, uploads and analytics',
  'stream:write': 'upload, change and delete video',
  'streaming:read': 'read live channels and rooms',
  'streaming:write': 'manage live channels and rooms, issue tokens',
  'trust:read': 'check URLs',
  'trust:write': 'report URLs and confirm reports',
  'verify:read': 'read verifications, settings and blocked ranges',
  'verify:write': 'send and check verification codes; change settings and blocked ranges',
  'voice:call': 'read, place and end calls',
  'voice:read': 'read, place and end calls; read only if the key has the lock calls',
  'whatsapp:manage': 'connect your own numbers, submit and delete templates',
  'whatsapp:read': 'read conversations',
  'whatsapp:send': 'send WhatsApp messages',
  'wiki:read': 'read articles',
  'wiki:write': 'write articles',
  operator: 'operate the installation; not available to customers',
} as const satisfies Record<string, string>

export type Scope = keyof typeof scopes

export const included: Partial<Record<Scope, readonly Scope[]>> = {
  'account:write': ['account:read'],
  'ai:write': ['ai:invoke'],
  'automation:write': ['automation:read'],
  'bots:read': ['bots:chat'],
  'bots:write': ['bots:read', 'bots:chat'],
  'erp:write': ['erp:read'],
  'hooks:write': ['hooks:read'],
  'identity:verify': ['identity:read'],
  'intake:write': ['intake:read'],
  'jobs:write': ['jobs:read'],
  'people:write': ['people:read'],
  'push:send': ['push:receipt', 'push:subscribe'],
  'sms:manage': ['sms:read'],
  'sms:send': ['sms:read'],
  'streaming:write': ['streaming:read'],
  'trust:write': ['trust:read'],
  'verify:write': ['verify:read'],
  'voice:call': ['voice:read'],
  'whatsapp:manage': ['whatsapp:read'],
  'whatsapp:send': ['whatsapp:read'],
  'wiki:write': ['wiki:read'],
}

export const expand = (held: readonly string[]): string[] =>
  held.flatMap((scope) => [scope, ...(included[scope as Scope] ?? [])])

/** Cache of expanded scopes, because the same list is checked many times. */
const expanded = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Returns the scopes that are missing in `held`. Do not modify `held` after the call. */
export function findMissing(held: readonly string[], wanted: string | readonly string[]): string[] {
  const has = expanded.get(held) ?? rememberExpanded(held)
  return [wanted].flat().filter((scope) => !has.has(scope))
}

function rememberExpanded(held: readonly string[]): ReadonlySet<string> {
  const all = new Set(expand(held))
  expanded.set(held, all)
  return all
}
