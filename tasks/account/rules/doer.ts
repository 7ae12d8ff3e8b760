import { forbidden, Problem } from '#lib/errors.ts'
import type { Act } from '#sql/account/audit.ts'
import type { Role } from '#sql/account/members.ts'
import type { Grantor } from './grant.ts'
import { mayAssign, scopesOf } from './roles.ts'
import { missingOf } from './scopes.ts'

/** Who changes an organisation's people: a member by their role, a key as an admin does, so that no key makes owners. */
export interface Doer extends Pick<Act, 'orgId' | 'actor' | 'requestId' | 'network'> {
  role: Role
  /** What a key holds; without it, a key assigns nothing. */
  grantor?: Grantor
}

/** What the audit log says of who does it. */
export const actOf = ({ orgId, actor, requestId, network }: Doer) => ({ orgId, actor, requestId, network })

/** The user who does it, for rows that name them. */
export const userOf = ({ actor }: Doer): string | null => (actor.kind === 'user' ? actor.id : null)

/** Throws 403 unless somebody may give, or take, all these roles: a key those alone whose scopes it holds. */
export function demandAssignable(doer: Doer, ...roles: readonly Role[]): void {
  const key = doer.actor.kind === 'key'
  if (!roles.every((role) => mayAssign(doer.role, role))) {
    throw forbidden(
      key
        ? 'Owners are made and changed by an owner in the dashboard, by no key.'
        : 'Your role does not let you do this: members are changed by owners and admins, owners by owners alone.',
    )
  }
  if (key) demandUnbound(doer.grantor, roles)
}

/** Members are bound by nothing that binds a key, so only a key that is bound by nothing makes them. */
function demandUnbound(grantor: Grantor | undefined, roles: readonly Role[]): void {
  if (!grantor || grantor.mode === 'test') throw forbidden('No test key changes members: they use what is live, too.')
  const bounds = [
    Object.values(grantor.locks).some((lock) => lock !== undefined) && 'is locked',
    grantor.networks && 'is bound to networks',
    grantor.expires_at && 'ends',
  ].filter((bound) => typeof bound === 'string')
  if (bounds.length > 0) {
    throw forbidden(`This key ${bounds.join(' and ')}, and members are bound by nothing of that: it changes none.`)
  }
  const scopes = missingOf(grantor.scopes, [...new Set(roles.flatMap(scopesOf))])
  if (scopes.length === 0) return
  const message = `A key gives and takes the roles alone whose scopes it has; this one lacks ${scopes.length} of them, as \`${scopes[0]}\`.`
  throw new Problem(403, 'forbidden', message, { details: { scopes } })
}
