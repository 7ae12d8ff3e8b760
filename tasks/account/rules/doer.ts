import { forbidden, Problem } from '#lib/errors.ts'
import type { Act } from '#sql/account/audit.ts'
import type { Role } from '#sql/account/people/members.ts'
import type { Grantor } from './grant.ts'
import { canAssign, getRolePower } from './roles.ts'
import { findMissing } from './scopes.ts'

/** Actor of a change. Its permissions are not included: rules read them with `readAuthority`. */
export interface Doer extends Pick<Act, 'orgId' | 'actor' | 'requestId' | 'network'> {
  secretId?: string | undefined
}

export interface Authority {
  /** A key acts as an admin within its scopes, so that no key can add owners. */
  role: Role
  grantor: Grantor
}

export const toAct = ({ orgId, actor, requestId, network }: Doer) => ({ orgId, actor, requestId, network })

export const actingUserId = ({ actor }: Doer): string | null => (actor.kind === 'user' ? actor.id : null)

/** Returns the ID of the acting key. Objects that the key creates end when the key ends. */
export const actingKeyId = ({ actor }: Doer): string | null => (actor.kind === 'key' ? actor.id : null)

/**
 * Throws 403 unless the actor can grant and remove all these roles. A key can only grant and remove roles that have no
 * more permissions than the key.
 */
export function demandAssignable({ actor }: Doer, { role: own, grantor }: Authority, ...roles: readonly Role[]): void {
  const key = actor.kind === 'key'
  if (!roles.every((role) => canAssign(own, role))) {
    throw forbidden(
      key
        ? 'Only an owner can add or change owners, and only in the dashboard.'
        : 'Your role cannot change members. Owners and admins change members, and only owners change owners.',
    )
  }
  if (key) demandUnbound(grantor, roles)
}

/**
 * Throws 403 if the grantor is a key with locks, networks or an expiry. Members have none of these, so such a key
 * cannot add members.
 */
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
  const scopes = findMissing(grantor.scopes, [...new Set(roles.flatMap(getRolePower))])
  if (scopes.length === 0) return
  const names = scopes.map((scope) => `\`${scope}\``).join(', ')
  const message = `A key can only assign and remove roles whose permissions it has. This key does not have ${names}.`
  throw new Problem(403, 'forbidden', message, { details: { scopes } })
}
