/** What keys may be allowed to do, in the order in which it is shown: a route asks for one of these, a key carries them. */
export const scopes = {
  'account:read': 'see the organisation, its plan, limits and usage',
  'account:write': 'rename the organisation, set budgets',
  'account:keys': 'make, change, rotate and revoke keys, each with no more than the asking key has',
  'account:members': 'see and change members and invitations',
  'account:logs': 'read the request log',
  'account:webhooks': 'manage webhooks of all areas, read and replay events',
  'account:audit': 'read the audit log',
  'ai:invoke': 'let models answer',
  'bots:chat': 'talk to bots of the organisation; for public keys of its pages',
  'bots:read': 'read bots and their conversations',
  'bots:write': 'make and change bots',
  'email:send': 'send mail',
  'email:manage': 'manage domains, templates, contacts, campaigns, suppressions, and read messages',
  'erp:read': 'look companies up',
  'files:read': 'download files and list them',
  'files:write': 'upload and delete files',
  'geo:read': 'look addresses up',
  'guard:challenge': 'be asked by a visitor’s browser; for public keys of a site',
  'guard:manage': 'manage sites and rules, read assessments',
  'guard:verify': 'verify tokens of visitors',
  'identity:read': 'read verifications',
  'identity:verify': 'begin verifications',
  'notify:read': 'read feeds and preferences',
  'notify:write': 'notify people, set preferences',
  'push:manage': 'manage apps, installations and segments',
  'push:receipt': 'report that a message came and was opened; for public keys of an app',
  'push:send': 'send push messages',
  'push:subscribe': 'register the browser that a page runs in; for public keys of an app',
  'stream:read': 'read video assets, uploads and analytics',
  'stream:write': 'upload, change and delete video',
  'streaming:read': 'read live channels and rooms',
  'streaming:write': 'manage live channels and rooms, issue tokens',
  'trust:read': 'check URLs',
  'trust:write': 'report URLs and confirm reports',
  'voice:call': 'read, place and end calls',
  'voice:read': 'read, place and end calls; with the lock `calls: false`, read only',
  'whatsapp:manage': 'connect numbers of your own, hand templates in and delete them',
  'whatsapp:read': 'read conversations',
  'whatsapp:send': 'send WhatsApp messages',
  'wiki:read': 'read articles',
  'wiki:write': 'write articles',
  operator: 'operate the fleet; never a customer’s',
} as const satisfies Record<string, string>

/** What a route asks for, and a key carries. */
export type Scope = keyof typeof scopes

/** Scopes that a wider one includes. */
export const included: Partial<Record<Scope, readonly Scope[]>> = {
  'account:write': ['account:read'],
  'bots:read': ['bots:chat'],
  'bots:write': ['bots:read', 'bots:chat'],
  'identity:verify': ['identity:read'],
  'push:send': ['push:receipt', 'push:subscribe'],
  'streaming:write': ['streaming:read'],
  'trust:write': ['trust:read'],
  'voice:call': ['voice:read'],
  'whatsapp:manage': ['whatsapp:read'],
  'whatsapp:send': ['whatsapp:read'],
  'wiki:write': ['wiki:read'],
}

/** What keys with these scopes may do: the scopes, and those that they include. */
export const expand = (held: readonly string[]): string[] =>
  held.flatMap((scope) => [scope, ...(included[scope as Scope] ?? [])])

/** What lists of scopes that stay as they are let keys do, as a key that is looked up once is asked for many times. */
const expanded = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Those of some scopes that are not among what is held, a list that nobody changes. */
export function missingOf(held: readonly string[], wanted: string | readonly string[]): string[] {
  const has = expanded.get(held) ?? new Set(expand(held))
  expanded.set(held, has)
  return [wanted].flat().filter((scope) => !has.has(scope))
}
