import { operatorScope } from '#lib/tokens.ts'
import type { Role } from '#sql/account/members.ts'
import { type Scope, scopes } from './scopes.ts'

const everyone: readonly Role[] = ['owner', 'admin', 'developer', 'viewer']
const makers: readonly Role[] = ['owner', 'admin', 'developer']
const managers: readonly Role[] = ['owner', 'admin']
const owners: readonly Role[] = ['owner']

/** What members may do in the dashboard, and which of them. */
const permissions = {
  /** Close the organisation. */
  closure: owners,
  export: owners,
  /** Manage identity providers. */
  sso: owners,
  /** Make somebody an owner, and change or remove one. */
  owners,
  /** Let operators read metadata for a while. */
  support: owners,
  /** Rename the organisation. */
  settings: managers,
  'members:read': managers,
  'members:write': managers,
  'budgets:read': makers,
  'budgets:write': managers,
  'audit:read': managers,
  /** Read what one has done oneself. */
  'audit:own': makers,
  'keys:read': everyone,
  'keys:live': makers,
  'keys:test': makers,
  'webhooks:read': everyone,
  'webhooks:write': makers,
  'domains:read': everyone,
  'domains:write': makers,
  'templates:read': everyone,
  'templates:write': makers,
  /** Use the areas: send, upload, make rooms. */
  'areas:write': makers,
  'log:read': everyone,
  /** Read bodies of requests and contents of messages. */
  'contents:read': makers,
  'usage:read': everyone,
} as const satisfies Record<string, readonly Role[]>

/** Something that a member may do. */
export type Permission = keyof typeof permissions

/** Whether members of a role may do something. */
export const may = (role: Role, permission: Permission): boolean =>
  (permissions[permission] as readonly Role[]).includes(role)

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

/** Whether somebody of a role may give somebody another one, or take it: owners are made and changed by owners alone. */
export const mayAssign = (by: Role, role: Role): boolean =>
  may(by, 'members:write') && (role !== 'owner' || may(by, 'owners'))
