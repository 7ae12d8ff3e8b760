import { forbidden, Problem } from '#lib/errors.ts'
import type { Act } from '#sql/account/audit.ts'
import type { Role } from '#sql/account/members.ts'
import type { Grantor } from './grant.ts'
import { mayAssign, powerOf } from './roles.ts'
import { missingOf } from './scopes.ts'

/** Who does something to an organisation. What they may do is not carried along: rules read it by `authorityOf`. */
export interface Doer extends Pick<Act, 'orgId' | 'actor' | 'requestId' | 'network'> {
  /** Of a key, the secret that was shown. */
  secretId?: string | undefined
}

/** What somebody may do as of this transaction. */
export interface Authority {
  /** A key does as an admin does what it has the scopes for, so that no key makes owners. */
  role: Role
  grantor: Grantor
}

/** What the audit log says of who does it. */
export const actOf = ({ orgId, actor, requestId, network }: Doer) => ({ orgId, actor, requestId, network })

/** The user who does it, for rows that name them. */
export const userOf = ({ actor }: Doer): string | null => (actor.kind === 'user' ? actor.id : null)

/** The key that does it, with which what it makes ends. */
export const keyOf = ({ actor }: Doer): string | null => (actor.kind === 'key' ? actor.id : null)

/** Throws 403 unless somebody may give, or take, all these roles: a key those alone whose power it has. */
export function demandAssignable({ actor }: Doer, { role: own, grantor }: Authority, ...roles: readonly Role[]): void {
  const key = actor.kind === 'key'
  if (!roles.every((role) => mayAssign(own, role))) {
    throw forbidden(
      key
        ? 'Only an owner can add or change owners, and only in the dashboard.'
        : 'Your role cannot change members. Owners and admins change members, and only owners change owners.',
    )
  }
  if (key) demandUnbound(grantor, roles)
}

/** Members are bound by nothing that binds a key, so only a key that is bound by nothing makes them. */
function demandUnbound(grantor: Grantor, roles: readonly Role[]): void {
  if (grantor.mode === 'test')
    throw forbidden('Test keys cannot change members, because members use live data. Use a live key.')
  const bounds = [
    Object.values(grantor.locks).some((lock) => lock !== undefined) && 'has locks',
    grantor.networks && 'is limited to networks',
    grantor.expires_at && 'expires',
  ].filter((bound) => typeof bound === 'string')
  if (bounds.length > 0) {
    throw forbidden(`This key ${bounds.join(' and ')}. Members have no such limits, so it cannot change members.`)
  }
  const scopes = missingOf(grantor.scopes, [...new Set(roles.flatMap(powerOf))])
  if (scopes.length === 0) return
  const names = scopes.map((scope) => `\`${scope}\``).join(', ')
  const message = `A key can only give and remove roles with no more permissions than its own. This key does not have ${names}.`
  throw new Problem(403, 'forbidden', message, { details: { scopes } })
}
