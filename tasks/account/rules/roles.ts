import { operatorScope } from '#lib/tokens.ts'
import type { Role } from '#sql/account/people/members.ts'
import { type Scope, scopes } from './scopes.ts'

const everyone: readonly Role[] = ['owner', 'admin', 'developer', 'viewer']
const makers: readonly Role[] = ['owner', 'admin', 'developer']
const managers: readonly Role[] = ['owner', 'admin']
const owners: readonly Role[] = ['owner']

/**
 * Permissions of members in the dashboard: the roles that have the permission, and words that complete a sentence with
 * “can”.
 */
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
  'areas:write': { of: makers, words: 'use the areas: send, upload, create rooms' },
  'log:read': { of: everyone, words: 'view the request log' },
  'contents:read': { of: makers, words: 'read request bodies and message contents' },
  'people:read': { of: everyone, words: 'view people, their addresses, devices and consent' },
  'people:write': { of: makers, words: 'change the consent of people and erase them' },
  'usage:read': { of: everyone, words: 'view usage' },
} as const satisfies Record<string, { of: readonly Role[]; words: string }>

export type Permission = keyof typeof permissions

export const canRole = (role: Role, permission: Permission): boolean =>
  (permissions[permission].of as readonly Role[]).includes(role)

const customers = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== operatorScope)

/** Account scopes of developers: what they can view and change in the dashboard. The CLI needs them. */
const developerScopes: readonly Scope[] = ['account:read', 'account:logs', 'account:webhooks']

const isDevelopers = (scope: Scope): boolean => developerScopes.includes(scope)

/** Returns the scopes of a role. Members with the role can grant only these scopes to keys. No role has `operator`. */
export function getRoleScopes(role: Role): readonly Scope[] {
  if (managers.includes(role)) return customers
  return role === 'developer' ? customers.filter((scope) => !scope.startsWith('account:') || isDevelopers(scope)) : []
}

/**
 * Returns the scopes for requests of the dashboard: the scopes of the role, all read scopes, and webhooks for members
 * who can manage them.
 */
export function getPageScopes(role: Role): readonly Scope[] {
  const seen = customers.filter((scope) => scope.endsWith(':read') || scope === 'account:logs')
  const webhooks: Scope[] = canRole(role, 'webhooks:write') ? ['account:webhooks'] : []
  return [...new Set([...getRoleScopes(role), ...seen, ...webhooks])]
}

/** Scopes for web pages that every member can view, in areas without a read scope. */
const seenByAll: readonly Scope[] = ['account:keys', 'account:webhooks', 'email:manage', 'guard:manage', 'push:manage']

/** Returns all permissions of a role as scopes. A key must have them to grant the role. */
export const getRolePower = (role: Role): readonly Scope[] => [...new Set([...getPageScopes(role), ...seenByAll])]

/** True if a role can grant and remove another role. Only owners can change owners. */
export const canAssign = (by: Role, role: Role): boolean =>
  canRole(by, 'members:write') && (role !== 'owner' || canRole(by, 'owners'))
