import { operatorScope } from '#lib/tokens.ts'
import type { Role } from '#sql/account/members.ts'
import { type Scope, scopes } from './scopes.ts'

const everyone: readonly Role[] = ['owner', 'admin', 'developer', 'viewer']
const makers: readonly Role[] = ['owner', 'admin', 'developer']
const managers: readonly Role[] = ['owner', 'admin']
const owners: readonly Role[] = ['owner']

/** What members may do in the dashboard: who may, and what it is in words that complete "may". */
export const permissions = {
  closure: { of: owners, words: 'close and reopen the organisation' },
  export: { of: owners, words: 'create and download archives' },
  sso: { of: owners, words: 'connect and disconnect identity providers' },
  owners: { of: owners, words: 'add, change and remove owners' },
  support: { of: owners, words: 'allow operator access for a limited time' },
  settings: { of: managers, words: 'rename the organisation' },
  'members:read': { of: managers, words: 'view members and invitations' },
  'members:write': { of: managers, words: 'invite, change and remove members' },
  'budgets:read': { of: makers, words: 'view budgets' },
  'budgets:write': { of: managers, words: 'set budgets' },
  'audit:read': { of: managers, words: 'read the audit log' },
  'audit:own': { of: makers, words: 'read their own entries of the audit log' },
  'keys:read': { of: everyone, words: 'view API keys without secrets' },
  'keys:live': { of: makers, words: 'create, change, rotate and revoke live keys' },
  'keys:test': { of: makers, words: 'create, change, rotate and revoke test keys' },
  'webhooks:read': { of: everyone, words: 'view webhooks and events' },
  'webhooks:write': { of: makers, words: 'create, change, pause and replay webhooks' },
  'domains:read': { of: everyone, words: 'view domains and their records' },
  'domains:write': { of: makers, words: 'add, verify and remove domains' },
  'templates:read': { of: everyone, words: 'view templates' },
  'templates:write': { of: makers, words: 'create and change templates' },
  'areas:write': { of: makers, words: 'use the areas: send, upload, create rooms' },
  'log:read': { of: everyone, words: 'view the request log' },
  'contents:read': { of: makers, words: 'read request bodies and message contents' },
  'usage:read': { of: everyone, words: 'view usage' },
} as const satisfies Record<string, { of: readonly Role[]; words: string }>

/** Something that a member may do. */
export type Permission = keyof typeof permissions

/** Whether members of a role may do something. */
export const may = (role: Role, permission: Permission): boolean =>
  (permissions[permission].of as readonly Role[]).includes(role)

const customers = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== operatorScope)

/** The scopes that members of a role hold, which are all that they can give to keys; nobody holds `operator`. */
export function scopesOf(role: Role): readonly Scope[] {
  if (managers.includes(role)) return customers
  return role === 'developer' ? customers.filter((scope) => !scope.startsWith('account:')) : []
}

/**
 * The scopes by which pages ask for members of a role: what they hold, to see what every member may, and webhooks for those who
 * manage them without a scope that they could give to keys.
 */
export function pageScopesOf(role: Role): readonly Scope[] {
  const seen = customers.filter((scope) => scope.endsWith(':read') || scope === 'account:logs')
  const webhooks: Scope[] = may(role, 'webhooks:write') ? ['account:webhooks'] : []
  return [...new Set([...scopesOf(role), ...seen, ...webhooks])]
}

/** Scopes that show what every member sees on pages of areas without a scope for reading alone. */
const seenByAll: readonly Scope[] = ['account:keys', 'account:webhooks', 'email:manage', 'guard:manage', 'push:manage']

/** All that members of a role can see and do, as scopes: what a key must hold to give somebody that role. */
export const powerOf = (role: Role): readonly Scope[] => [...new Set([...pageScopesOf(role), ...seenByAll])]

/** Whether somebody of a role may give somebody another one, or take it: owners are made and changed by owners alone. */
export const mayAssign = (by: Role, role: Role): boolean =>
  may(by, 'members:write') && (role !== 'owner' || may(by, 'owners'))
